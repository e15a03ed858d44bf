// table.c: aligned columns for people, Markdown for the manual. Widths count characters, not bytes (UTF-8).
#include "cli.h"
#include "html.h"

#include <stdarg.h>
#include <string.h>

#define GAP        2  // blanks between columns
#define LAST_LEAST 20 // the last column is not broken into lines shorter than this

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

// Blanks are owed, and paid only when text follows: no line ends in blanks.
static void put_padded(FILE *out, const char *text, int width, bool right, int *owed)
{
  int blank = width - width_of(text, strlen(text));
  *owed += right ? blank : 0;
  if (text[0] != '\0') {
    fprintf(out, "%*s%s", *owed, "", text);
    *owed = 0;
  }
  *owed += right ? 0 : blank;
}

// The last cell: words, broken at `room` characters, further lines behind `indent` blanks. room 0: one line.
static void put_broken(FILE *out, const char *text, int room, int indent)
{
  int column = 0;
  while (*text != '\0') {
    size_t word = strcspn(text, " ");
    int width = width_of(text, word);
    if (column > 0 && room > 0 && column + 1 + width > room) {
      fprintf(out, "\n%*s", indent, "");
      column = 0;
    } else if (column > 0) {
      fputc(' ', out);
      column++;
    }
    fprintf(out, "%.*s", (int)word, text);
    column += width;
    text += word;
    text += strspn(text, " ");
  }
}

static void column_widths(const rh_table *table, int width[RH_TABLE_COLUMNS])
{
  for (int i = 0; i < table->ncell; i++) {
    int w = width_of(table->cell[i], strlen(table->cell[i]));
    int column = i % table->ncolumn;
    width[column] = w > width[column] ? w : width[column];
  }
}

rh_status rh_table_print(const rh_table *table, FILE *out, int indent, bool color)
{
  if (table == NULL || table->failed) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  int width[RH_TABLE_COLUMNS] = {0};
  column_widths(table, width);
  int last = indent;
  for (int i = 0; i + 1 < table->ncolumn; i++) {
    last += width[i] + GAP;
  }
  int screen = rh_terminal_width(out);
  int room = screen - last;
  room = screen == 0 ? 0 : room < LAST_LEAST ? LAST_LEAST : room;
  int owed = 0;
  for (int i = 0; i < table->ncell; i++) {
    int column = i % table->ncolumn;
    bool right = (table->right >> column) & 1U;
    bool is_last = column == table->ncolumn - 1;
    if (column == 0) {
      owed = indent;
      fputs(i == 0 && color ? "\033[1m" : "", out);
    }
    if (is_last && !right && table->cell[i][0] != '\0') {
      fprintf(out, "%*s", owed, "");
      put_broken(out, table->cell[i], room, last);
    } else {
      put_padded(out, table->cell[i], width[column], right, &owed);
    }
    owed += GAP;
    if (is_last) {
      fputs(i < table->ncolumn && color ? "\033[0m\n" : "\n", out);
    }
  }
  return RH_OK;
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
