// json.h: writes JSON into a growing text. Numbers read back to the same bits; non-finite values
// become null; damaged UTF-8 becomes U+FFFD. Inside an object every call gives a key, inside an
// array and at the top NULL.
#ifndef ROUTH_BASE_JSON_H
#define ROUTH_BASE_JSON_H

#include "text.h"

#define RH_JSON_DEPTH 32

typedef struct rh_json {
  rh_text *out;
  bool pretty; // one entry per line, two blanks per level
  int depth;
  char close[RH_JSON_DEPTH]; // closes each open level
  bool inner[RH_JSON_DEPTH]; // the level has an entry already
} rh_json;

rh_json rh_json_start(rh_text *out, bool pretty);
void rh_json_open_object(rh_json *json, const char *key);
void rh_json_open_array(rh_json *json, const char *key);
void rh_json_close(rh_json *json); // the innermost open object or array
void rh_json_number(rh_json *json, const char *key, double value);
void rh_json_integer(rh_json *json, const char *key, long long value);
void rh_json_bool(rh_json *json, const char *key, bool value);
void rh_json_null(rh_json *json, const char *key);
void rh_json_string(rh_json *json, const char *key, const char *value); // NULL: null
void rh_json_numbers(rh_json *json, const char *key, const double *value,
                     int count); // an array on one line
void rh_json_matrix(rh_json *json, const char *key, const double *value, int rows,
                    int columns); // row major
void rh_json_raw(rh_json *json, const char *key, const char *value); // JSON already: one whole value
void rh_json_end(rh_json *json);  // closes all open levels and the last line

#endif
