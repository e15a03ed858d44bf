// table.c: aligned columns for people, Markdown for the manual. Widths count characters, not bytes (UTF-8).
#include "console.h"
#include "html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP        2  // blanks between columns
#define LAST_LEAST 20 // minimum width of a broken last column
#define PAGE       80 // columns of a page without a terminal
#define CUT_LEAST  8  // minimum length of the pieces of a cut word

struct rh_table {
  char **cell;
  int ncell, capacity;
  int ncolumn;
  unsigned right;
  bool failed; // out of memory
};

rh_table *rh_table_create(int columns, unsigned right)
{
  RH_ASSERT(columns > 0 && columns <= RH_TABLE_COLUMNS);
  rh_table *table = rh_alloc(sizeof *table);
  if (table != NULL) {
    table->ncolumn = columns;
    table->right = right;
  }
  return table;
}

rh_table *rh_table_headed(const char *const *head, int columns, unsigned right)
{
  rh_table *table = rh_table_create(columns, right);
  for (int i = 0; i < columns; i++) {
    rh_table_add(table, "%s", head[i]);
  }
  return table;
}

void rh_table_destroy(rh_table *table)
{
  if (table == NULL) {
    return;
  }
  for (int i = 0; i < table->ncell; i++) {
    rh_free(table->cell[i]);
  }
  rh_free(table->cell);
  rh_free(table);
}

static bool make_room(rh_table *table)
{
  if (table->ncell < table->capacity) {
    return true;
  }
  int capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
  char **cell = rh_realloc(table->cell, (size_t)capacity * sizeof *cell);
  if (cell == NULL) {
    return false;
  }
  table->cell = cell;
  table->capacity = capacity;
  return true;
}

void rh_table_add(rh_table *table, const char *format, ...)
{
  if (table == NULL || table->failed) {
    return;
  }
  va_list list;
  va_start(list, format);
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  char *text = length < 0 ? NULL : rh_alloc((size_t)length + 1);
  if (text == NULL || !make_room(table)) {
    rh_free(text);
    table->failed = true;
  } else {
    vsnprintf(text, (size_t)length + 1, format, again);
    rh_text_make_printable(text);
    table->cell[table->ncell++] = text;
  }
  va_end(again);
}

// Characters of the first `bytes` bytes of UTF-8.
static int width_of(const char *text, size_t bytes)
{
  int width = 0;
  for (size_t i = 0; i < bytes; i++) {
    width += ((unsigned char)text[i] & 0xC0) != 0x80;
  }
  return width;
}

// Blanks are written only before further text: no line ends in blanks.
static void put_padded(FILE *out, const char *text, size_t bytes, int width, int *owed)
{
  int blank = abs(width) - width_of(text, bytes);
  *owed += width < 0 ? blank : 0;
  if (bytes > 0) {
    fprintf(out, "%*s%.*s", *owed, "", (int)bytes, text);
    *owed = 0;
  }
  *owed += width < 0 ? 0 : blank;
}

// Allowed end of a line: before a blank, after a comma or a bar.
static bool may_end(const char *text, size_t at)
{
  return text[at] == ' ' || text[at] == '\0' || (at > 0 && strchr(",|", text[at - 1]) != NULL);
}

// Bytes of the first line of a text broken at `width` characters; a longer word is cut.
static size_t line_of(const char *text, int width)
{
  size_t cut = 0;
  size_t end = strspn(text, " ");
  int seen = (int)end;
  size_t best = 0;
  while (text[end] != '\0' && seen <= width) {
    best = may_end(text, end) && end > 0 && text[end - 1] != ' ' ? end : best;
    cut = seen <= width ? end : cut;
    end++;
    while (((unsigned char)text[end] & 0xC0) == 0x80) {
      end++;
    }
    seen++;
  }
  return seen <= width ? end : best > 0 ? best : cut;
}

static int longest_word(const char *text)
{
  int longest = 0;
  int word = 0;
  for (size_t i = 0; text[i] != '\0'; i++) {
    word = may_end(text, i) ? 0 : word;
    word += text[i] != ' ' && ((unsigned char)text[i] & 0xC0) != 0x80;
    longest = word > longest ? word : longest;
  }
  return longest + 1;
}

static int sum_of(const int *width, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += width[i];
  }
  return sum;
}

// The widest column that is wider than `least`; RH_NONE: none is.
static int widest_column(const int *width, const int *least, int n)
{
  int widest = RH_NONE;
  for (int i = 0; i < n; i++) {
    if (width[i] > least[i] && (widest == RH_NONE || width[i] > width[widest])) {
      widest = i;
    }
  }
  return widest;
}

// Widths of the columns: of their widest cells, or less, so that all fit into `room` (0: any).
// Words are cut only as a last resort; numbers, which are flush right, never are.
static void column_widths(const rh_table *table, int room, int width[RH_TABLE_COLUMNS])
{
  int least[RH_TABLE_COLUMNS] = {0};
  int cut[RH_TABLE_COLUMNS] = {0};
  int n = table->ncolumn;
  for (int i = 0; i < table->ncell; i++) {
    int w = width_of(table->cell[i], strlen(table->cell[i]));
    int word = longest_word(table->cell[i]);
    int column = i % n;
    width[column] = w > width[column] ? w : width[column];
    least[column] = word > least[column] ? word : least[column];
  }
  for (int i = 0; i < n; i++) {
    bool right = (table->right >> i) & 1U;
    least[i] = right ? width[i] : least[i];
    cut[i] = right ? width[i] : CUT_LEAST;
    least[i] = i == n - 1 && !right && least[i] < LAST_LEAST ? LAST_LEAST : least[i];
  }
  while (room > 0 && sum_of(width, n) > room) {
    int i = widest_column(width, least, n);
    i = i != RH_NONE ? i : widest_column(width, cut, n);
    if (i == RH_NONE) {
      break;
    }
    width[i]--;
  }
}

// One row, on as many lines as its longest cell needs.
static void put_row(const rh_table *table, int row, FILE *out, int indent, const int *width)
{
  const char *at[RH_TABLE_COLUMNS];
  bool more = true;
  for (int i = 0; i < table->ncolumn; i++) {
    at[i] = table->cell[row * table->ncolumn + i];
  }
  for (bool first = true; more || first; first = false) {
    int owed = indent;
    more = false;
    for (int i = 0; i < table->ncolumn; i++) {
      bool right = (table->right >> i) & 1U;
      size_t bytes = line_of(at[i], width[i]);
      put_padded(out, at[i], bytes, right ? -width[i] : width[i], &owed);
      at[i] += bytes;
      at[i] += strspn(at[i], " ");
      more = more || at[i][0] != '\0';
      owed += GAP;
    }
    fputs(more ? "\n" : "", out);
  }
}

// At `screen` columns; 0: lines of any length.
static rh_status print_within(const rh_table *table, FILE *out, int indent, bool color, int screen)
{
  if (table == NULL || table->failed) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  int width[RH_TABLE_COLUMNS] = {0};
  int room = screen - indent - GAP * (table->ncolumn - 1);
  column_widths(table, screen == 0 ? 0 : room < 1 ? 1 : room, width);
  for (int row = 0; row < table->ncell / table->ncolumn; row++) {
    fputs(row == 0 && color ? "\033[1m" : "", out);
    put_row(table, row, out, indent, width);
    fputs(row == 0 && color ? "\033[0m\n" : "\n", out);
  }
  return RH_OK;
}

rh_status rh_table_print(const rh_table *table, FILE *out, int indent, bool color)
{
  return print_within(table, out, indent, color, rh_terminal_width(out));
}

rh_status rh_table_print_page(const rh_table *table, int indent, bool color)
{
  int width = rh_terminal_width(stdout);
  return print_within(table, stdout, indent, color, width > 0 ? width : PAGE);
}

rh_status rh_table_markdown(const rh_table *table, FILE *out)
{
  if (table == NULL || table->failed) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  for (int i = 0; i < table->ncell; i++) {
    fputs(i % table->ncolumn == 0 ? "| " : " ", out);
    for (const char *c = table->cell[i]; *c != '\0'; c++) {
      if (*c == '|') {
        fputc('\\', out);
      }
      fputc(*c, out);
    }
    fputs(" |", out);
    if (i % table->ncolumn == table->ncolumn - 1) {
      fputc('\n', out);
    }
    if (i == table->ncolumn - 1) {
      for (int k = 0; k < table->ncolumn; k++) {
        fputs(k == 0 ? "|---|" : "---|", out);
      }
      fputc('\n', out);
    }
  }
  return RH_OK;
}

void rh_table_html(const rh_table *table, rh_text *to)
{
  if (table == NULL || table->failed) {
    to->failed = true;
    return;
  }
  rh_text_add(to, "<table>\n");
  for (int i = 0; i < table->ncell; i++) {
    int column = i % table->ncolumn;
    const char *cell = i < table->ncolumn ? "th" : "td";
    rh_text_addf(to, "%s<%s%s>", column == 0 ? "<tr>" : "", cell,
                 (table->right >> column) & 1U ? " class=\"n\"" : "");
    rh_html_text(to, table->cell[i]);
    rh_text_addf(to, "</%s>%s", cell, column == table->ncolumn - 1 ? "</tr>\n" : "");
  }
  rh_text_add(to, "</table>\n");
}
