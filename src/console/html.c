// html.c: pieces of a page. It supports the Markdown of the lists and tables of docs/ and the SVG
// of gnuplot; other input becomes text or stays unchanged, never new markup.
#include "html.h"

#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD" // U+FFFD

// One character; returns its bytes.
static size_t put_character(rh_text *to, const char *text, size_t left)
{
  unsigned code = 0;
  size_t bytes = rh_utf8_next(text, left, &code);
  bool control = (code < 32 && code != '\n' && code != '\t') || (code >= 127 && code < 160);
  if (bytes == 0 || control) {
    rh_text_add(to, REPLACEMENT);
  } else if (*text == '<') {
    rh_text_add(to, "&lt;");
  } else if (*text == '>') {
    rh_text_add(to, "&gt;");
  } else if (*text == '&') {
    rh_text_add(to, "&amp;");
  } else if (*text == '"') {
    rh_text_add(to, "&quot;");
  } else if (*text == '\'') {
    rh_text_add(to, "&#39;");
  } else {
    rh_text_add_bytes(to, text, bytes);
  }
  return bytes == 0 ? 1 : bytes;
}

void rh_html_text(rh_text *to, const char *text)
{
  const char *end = text + strlen(text);
  while (text < end) {
    text += put_character(to, text, (size_t)(end - text));
  }
}

// ---- Markdown

// End of the words of a link: the bracket before "(...)"; NULL if there is none. An inner bracket
// restarts.
static const char *link_end(const char *text, const char *end)
{
  const char *c = text + 1;
  while (c < end && *c != ']' && *c != '[') {
    c++;
  }
  bool is = c + 1 < end && *c == ']' && c[1] == '(' && memchr(c, ')', (size_t)(end - c)) != NULL;
  return is ? c : NULL;
}

// A piece of the manual: `code`, *"quotations"*, [words](links), of which the words are kept.
static void add_words(rh_text *to, const char *text, size_t bytes)
{
  const char *end = text + bytes;
  const char *close = NULL; // of a link
  bool code = false;
  bool quoted = false;
  while (text < end) {
    char next = text + 1 < end ? text[1] : '\0';
    if (*text == '`') {
      rh_text_add(to, code ? "</code>" : "<code>");
      code = !code;
      text++;
    } else if (!code && !quoted && *text == '*' && next == '"') {
      rh_text_add(to, "<em>");
      quoted = true;
      text++;
    } else if (!code && quoted && *text == '"' && next == '*') {
      rh_text_add(to, "&quot;</em>");
      quoted = false;
      text += 2;
    } else if (!code && *text == '[' && close == NULL && link_end(text, end) != NULL) {
      close = link_end(text, end);
      text++;
    } else if (text == close) {
      text = (const char *)memchr(text, ')', (size_t)(end - text)) + 1;
      close = NULL;
    } else {
      text += *text == '\\' && next == '|';
      text += put_character(to, text, (size_t)(end - text));
    }
  }
  rh_text_add(to, code ? "</code>" : "");
  rh_text_add(to, quoted ? "</em>" : "");
}

static const char *next_line(const char *line)
{
  const char *end = strchr(line, '\n');
  return end == NULL ? line + strlen(line) : end + 1;
}

// The line after "## heading"; the end of the text if there is none.
static const char *below_heading(const char *markdown, const char *heading)
{
  size_t length = strlen(heading);
  const char *line = markdown;
  while (*line != '\0') {
    bool is = strncmp(line, "## ", 3) == 0 && strncmp(line + 3, heading, length) == 0 &&
              (line[3 + length] == '\n' || line[3 + length] == '\0');
    line = next_line(line);
    if (is) {
      break;
    }
  }
  return line;
}

int rh_html_points(rh_text *to, const char *markdown, const char *heading)
{
  int count = 0;
  const char *line = below_heading(markdown, heading);
  while (*line != '\0' && strncmp(line, "## ", 3) != 0) {
    const char *end = next_line(line);
    if (strncmp(line, "* ", 2) != 0) {
      line = end;
      continue;
    }
    while (strncmp(end, "  ", 2) == 0) { // the item continues
      end = next_line(end);
    }
    rh_text_add(to, "<li>");
    add_words(to, line + 2, (size_t)(end - line) - 2);
    rh_text_add(to, "</li>\n");
    count++;
    line = end;
  }
  return count;
}

// The end of a cell: a bar that is not escaped.
static const char *cell_end(const char *cell, const char *end)
{
  while (cell < end && *cell != '|') {
    cell += *cell == '\\' && cell + 1 < end ? 2 : 1;
  }
  return cell < end ? cell : end;
}

static void put_row(rh_text *to, const char *line, const char *end)
{
  rh_text_add(to, "<tr>");
  for (const char *cell = line + 1; cell < end;) {
    const char *close = cell_end(cell, end);
    const char *last = close;
    cell += strspn(cell, " ");
    while (last > cell && last[-1] == ' ') {
      last--;
    }
    if (close < end) { // no cell after the last bar
      rh_text_add(to, "<td>");
      add_words(to, cell, last > cell ? (size_t)(last - cell) : 0);
      rh_text_add(to, "</td>");
    }
    cell = close + 1;
  }
  rh_text_add(to, "</tr>\n");
}

int rh_html_rows(rh_text *to, const char *markdown, const char *word)
{
  int count = 0;
  for (const char *line = markdown; *line != '\0'; line = next_line(line)) {
    if (*line != '|') {
      continue;
    }
    const char *end = line + strcspn(line, "\n");
    const char *found = strstr(line, word);
    if (found != NULL && found < cell_end(line + 1, end)) {
      put_row(to, line, end);
      count++;
    }
  }
  return count;
}

// ---- SVG

// Ends of words that are followed by the name of a mark.
static bool names_follow(const char *at, const char *from)
{
  static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
  for (int i = 0; i < (int)(sizeof before / sizeof before[0]); i++) {
    size_t length = strlen(before[i]);
    if ((size_t)(at - from) >= length && strncmp(at - length, before[i], length) == 0) {
      return true;
    }
  }
  return false;
}

// The position after an element that ends with `close`, if `open` is here; else NULL.
static const char *skip_element(const char *at, const char *open, const char *close)
{
  const char *end = strncmp(at, open, strlen(open)) == 0 ? strstr(at, close) : NULL;
  return end == NULL ? NULL : end + strlen(close);
}

void rh_html_svg(rh_text *to, const char *svg, const char *name)
{
  const char *from = strstr(svg, "<svg");
  const char *kept = from; // first byte not yet written
  bool inside = false;     // of a tag
  for (const char *at = from; at != NULL && *at != '\0'; at++) {
    const char *rest = skip_element(at, "<title>", "</title>"); // "gnuplot_plot_1" would pop up
    rest = rest == NULL ? skip_element(at, "<desc>", "</desc>") : rest;
    if (rest != NULL) {
      rh_text_add_bytes(to, kept, (size_t)(at - kept));
      kept = rest;
      at = rest - 1;
      continue;
    }
    inside = *at == '<' || (inside && *at != '>');
    if (inside && names_follow(at, from)) {
      rh_text_add_bytes(to, kept, (size_t)(at - kept));
      rh_html_text(to, name);
      rh_text_add(to, "-");
      kept = at;
    }
  }
  rh_text_add(to, kept == NULL ? "" : kept);
}
