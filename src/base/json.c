// json.c: see json.h.
#include "json.h"

#include <math.h>
#include <string.h>

rh_json rh_json_start(rh_text *out, bool pretty)
{
  return (rh_json){.out = out, .pretty = pretty};
}

static void add_line(rh_json *json)
{
  if (json->pretty) {
    rh_text_add(json->out, "\n");
    for (int i = 0; i < json->depth; i++) {
      rh_text_add(json->out, "  ");
    }
  }
}

static void add_string(rh_text *out, const char *value)
{
  size_t left = strlen(value);
  rh_text_add(out, "\"");
  while (left > 0) {
    unsigned code = 0;
    size_t n = rh_utf8_next(value, left, &code);
    if (n == 0) {
      rh_text_add(out, "\\ufffd");
    } else if (code == '"' || code == '\\') {
      rh_text_addf(out, "\\%c", (char)code);
    } else if (code == '\n') {
      rh_text_add(out, "\\n");
    } else if (code == '\t') {
      rh_text_add(out, "\\t");
    } else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
               (code >= 0x2066 && code <= 0x2069)) { // control codes of terminals
      rh_text_addf(out, "\\u%04x", code);
    } else {
      rh_text_add_bytes(out, value, n);
    }
    n = n > 0 ? n : 1;
    value += n;
    left -= n;
  }
  rh_text_add(out, "\"");
}

// The text before a value: comma, new line, key.
static void add_head(rh_json *json, const char *key)
{
  if (json->depth > 0) {
    bool *inner = &json->inner[json->depth - 1];
    rh_text_add(json->out, *inner ? "," : "");
    *inner = true;
    add_line(json);
  }
  if (key) {
    add_string(json->out, key);
    rh_text_add(json->out, json->pretty ? ": " : ":");
  }
}

static void add_open(rh_json *json, const char *key, char open, char close)
{
  RH_ASSERT(json->depth < RH_JSON_DEPTH);
  add_head(json, key);
  rh_text_add_bytes(json->out, &open, 1);
  json->close[json->depth] = close;
  json->inner[json->depth] = false;
  json->depth++;
}

void rh_json_open_object(rh_json *json, const char *key)
{
  add_open(json, key, '{', '}');
}

void rh_json_open_array(rh_json *json, const char *key)
{
  add_open(json, key, '[', ']');
}

void rh_json_close(rh_json *json)
{
  RH_ASSERT(json->depth > 0);
  json->depth--;
  if (json->inner[json->depth]) {
    add_line(json);
  }
  rh_text_add_bytes(json->out, &json->close[json->depth], 1);
}

static void add_number(rh_text *out, double value)
{
  if (isfinite(value)) {
    rh_text_add_number(out, value);
  } else {
    rh_text_add(out, "null");
  }
}

void rh_json_number(rh_json *json, const char *key, double value)
{
  add_head(json, key);
  add_number(json->out, value);
}

void rh_json_integer(rh_json *json, const char *key, long long value)
{
  add_head(json, key);
  rh_text_addf(json->out, "%lld", value);
}

void rh_json_bool(rh_json *json, const char *key, bool value)
{
  add_head(json, key);
  rh_text_add(json->out, value ? "true" : "false");
}

void rh_json_null(rh_json *json, const char *key)
{
  add_head(json, key);
  rh_text_add(json->out, "null");
}

void rh_json_string(rh_json *json, const char *key, const char *value)
{
  if (!value) {
    rh_json_null(json, key);
    return;
  }
  add_head(json, key);
  add_string(json->out, value);
}

void rh_json_numbers(rh_json *json, const char *key, const double *value, int count)
{
  add_head(json, key);
  rh_text_add(json->out, "[");
  for (int i = 0; i < count; i++) {
    rh_text_add(json->out, i == 0 ? "" : json->pretty ? ", " : ",");
    add_number(json->out, value[i]);
  }
  rh_text_add(json->out, "]");
}

void rh_json_matrix(rh_json *json, const char *key, const double *value, int rows, int columns)
{
  rh_json_open_array(json, key);
  for (int i = 0; i < rows; i++) {
    rh_json_numbers(json, NULL, value + (size_t)i * (size_t)columns, columns);
  }
  rh_json_close(json);
}

void rh_json_raw(rh_json *json, const char *key, const char *value)
{
  add_head(json, key);
  rh_text_add(json->out, value);
}

void rh_json_end(rh_json *json)
{
  while (json->depth > 0) {
    rh_json_close(json);
  }
  rh_text_add(json->out, "\n");
}
