// xml.c: what all readers of XML share: parser, places, numbers, ignored content.
#include "xml.h"

#include "base/text.h"

#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- Text

bool rh_xml_is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int rh_xml_numbers(const char *text, int most, double *x)
{
  int n = 0;
  while (rh_xml_is_blank(*text)) {
    text++;
  }
  while (*text && n <= most) {
    double value = 0;
    size_t length = rh_number_read(text, &value);
    if (length == 0 || (text[length] && !rh_xml_is_blank(text[length])) || !isfinite(value)) {
      return RH_NONE;
    }
    if (n < most) {
      x[n] = value;
    }
    n++;
    text += length;
    while (rh_xml_is_blank(*text)) {
      text++;
    }
  }
  return n;
}

// ---- The first element

bool rh_xml_begins_with(const char *text, size_t bytes, const char *name)
{
  const char *end = text + bytes;
  const char *at = memchr(text, '<', bytes);
  size_t length = strlen(name);
  while (at && (size_t)(end - at) > length + 2) {
    if (memcmp(at + 1, name, length) == 0) {
      return true;
    }
    if (at[1] != '!' && at[1] != '?') {
      return false;
    }
    bool comment = end - at > 4 && memcmp(at, "<!--", 4) == 0;
    const char *close = at;
    while (close && comment && strncmp(close, "-->", 3) != 0) {
      close = end - close > 3 ? memchr(close + 1, '-', (size_t)(end - close - 3)) : NULL;
    }
    close = close && !comment ? memchr(at, '>', (size_t)(end - at)) : close;
    at = close ? memchr(close, '<', (size_t)(end - close)) : NULL;
  }
  return false;
}

// ---- Events

static void *allocate_bytes(size_t bytes)
{
  return rh_alloc(bytes);
}

void *rh_xml_open(void *user)
{
  const XML_Memory_Handling_Suite memory = {allocate_bytes, rh_realloc, rh_free};
  XML_Parser parser = XML_ParserCreate_MM(NULL, &memory, NULL);
  if (parser) {
    XML_SetUserData(parser, user);
  }
  return parser;
}

rh_place rh_xml_place(void *parser, const char *file, size_t length)
{
  return (rh_place){file, (int)XML_GetCurrentLineNumber(parser),
                    (int)XML_GetCurrentColumnNumber(parser) + 1, length < 80 ? (int)length : 80};
}

rh_xml_tag rh_xml_present_tag(void *parser, const char *text, size_t bytes)
{
  XML_Index start = XML_GetCurrentByteIndex(parser);
  int count = XML_GetCurrentByteCount(parser);
  if (start < 0 || count <= 0 || (size_t)start + (size_t)count > bytes) {
    return (rh_xml_tag){0};
  }
  return (rh_xml_tag){.bytes = text + start, .count = (size_t)count};
}

// Length of the attribute's name at `at`, and the start of its value; 0 at the end of the tag.
static size_t next_attribute(const char *tag, size_t bytes, size_t *at, size_t *value)
{
  size_t i = *at;
  while (i < bytes && strchr(" \t\r\n/", tag[i]) && tag[i]) {
    i++;
  }
  *at = i;
  while (i < bytes && !strchr(" \t\r\n=>", tag[i])) {
    i++;
  }
  size_t length = i - *at;
  while (i < bytes && tag[i] != '"' && tag[i] != '\'') {
    i++;
  }
  *value = i + 1;
  return i < bytes ? length : 0;
}

// The place of a value is searched in the bytes of the tag, which expat found well formed.
rh_place rh_xml_value_place(const rh_xml_tag *tag, const char *attribute)
{
  if (!tag->bytes) {
    return tag->place;
  }
  const char *text = tag->bytes;
  size_t bytes = tag->count;
  size_t at = 1 + strlen(tag->name);
  size_t value = 0;
  size_t length = next_attribute(text, bytes, &at, &value);
  while (length > 0 && (length != strlen(attribute) || memcmp(text + at, attribute, length) != 0)) {
    const char *end = memchr(text + value, text[value - 1], bytes - value);
    at = end ? (size_t)(end - text) + 1 : bytes;
    length = next_attribute(text, bytes, &at, &value);
  }
  if (length == 0) { // in another encoding than UTF-8
    return tag->place;
  }
  rh_place place = tag->place;
  for (size_t i = 0; i < value; i++) {
    bool newline = text[i] == '\n';
    place.line += newline;
    place.column = newline ? 1 : place.column + ((text[i] & 0xc0) != 0x80);
  }
  const char *end = memchr(text + value, text[value - 1], bytes - value);
  size_t size = end ? (size_t)(end - text) - value : 1;
  place.length = size < 1 ? 1 : size > 80 ? 80 : (int)size;
  return place;
}

// ---- Ignored content

static void report_sort(const rh_ignored *ignored, rh_ignored_sort *sort)
{
  if (sort->count > 0) {
    rh_diag_add(ignored->diag, sort->severity, sort->first, "%s; line%s %s", sort->what,
                sort->count == 1 ? "" : "s", sort->lines);
  }
  sort->count = 0;
  sort->lines[0] = '\0';
}

void rh_ignored_report(rh_ignored *ignored)
{
  for (rh_severity severity = RH_WARNING; severity <= RH_NOTE; severity++) {
    for (int i = 0; i < ignored->count; i++) {
      if (ignored->sort[i].severity == severity) {
        report_sort(ignored, &ignored->sort[i]);
      }
    }
  }
}

void rh_ignored_add(rh_ignored *ignored, rh_severity severity, rh_place place, const char *format,
                    ...)
{
  char what[sizeof ignored->sort[0].what];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  int i = 0;
  while (i < ignored->count &&
         (strcmp(ignored->sort[i].what, what) != 0 || ignored->sort[i].severity != severity)) {
    i++;
  }
  if (i >= RH_IGNORED_SORTS - 1) { // the last collects the rest
    i = RH_IGNORED_SORTS - 1;
    snprintf(what, sizeof what, "not used, like other elements before");
    severity = RH_WARNING;
  }
  rh_ignored_sort *sort = &ignored->sort[i];
  if (i == ignored->count) {
    ignored->count++;
    *sort = (rh_ignored_sort){.severity = severity};
    memcpy(sort->what, what, sizeof what);
  }
  size_t used = strlen(sort->lines);
  if (used + 16 > sizeof sort->lines) {
    report_sort(ignored, sort);
    used = 0;
  }
  if (sort->count == 0) {
    sort->first = place;
  }
  snprintf(sort->lines + used, sizeof sort->lines - used, "%s%d", sort->count > 0 ? ", " : "",
           place.line);
  sort->count++;
}
