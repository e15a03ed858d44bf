// schema_fields.h: macros for the rows of a section's fields.
#ifndef ROUTH_MODEL_SCHEMA_FIELDS_H
#define ROUTH_MODEL_SCHEMA_FIELDS_H

#include "model/schema.h"

#include <math.h>

#define INF HUGE_VAL

// clang-format off
// One macro per type; all begin with the struct, the member and the key.
#define NUMBER(T, m, unit, def, lo, hi, doc)                                                       \
  {                                                                                                \
    {#m, unit, def, lo, hi, doc, RH_NUMBER, 0, NULL, false}, offsetof(T, m), false                 \
  }
#define ABOVE(T, m, unit, def, lo, hi, doc)                                                        \
  {                                                                                                \
    {#m, unit, def, lo, hi, doc, RH_NUMBER, 0, NULL, true}, offsetof(T, m), false                  \
  }
#define NEEDED(T, m, unit, lo, hi, doc)                                                            \
  {                                                                                                \
    {#m, unit, 0, lo, hi, doc, RH_NUMBER, 0, NULL, false}, offsetof(T, m), true                    \
  }
#define VECTOR(T, m, unit, doc)                                                                    \
  {                                                                                                \
    {#m, unit, 0, -1e12, 1e12, doc, RH_VECTOR, 3, NULL, false}, offsetof(T, m), false              \
  }
#define LIST(T, m, unit, n, lo, hi, doc)                                                           \
  {                                                                                                \
    {#m, unit, 0, lo, hi, doc, RH_LIST, n, NULL, false}, offsetof(T, m), false                     \
  }
#define INTEGER(T, m, def, lo, hi, doc)                                                            \
  {                                                                                                \
    {#m, "1", def, lo, hi, doc, RH_INTEGER, 0, NULL, false}, offsetof(T, m), false                 \
  }
#define FLAG(T, m, def, doc)                                                                       \
  {                                                                                                \
    {#m, "1", def, 0, 1, doc, RH_FLAG, 0, NULL, false}, offsetof(T, m), false                      \
  }
#define CHOICE(T, m, words, doc)                                                                   \
  {                                                                                                \
    {#m, "1", 0, 0, 0, doc, RH_CHOICE, 0, words, false}, offsetof(T, m), false                     \
  }
#define TEXT(T, m, doc)                                                                            \
  {                                                                                                \
    {#m, "1", 0, 0, 0, doc, RH_TEXT, 0, NULL, false}, offsetof(T, m), false                        \
  }
#define NUMBERS(T, m, unit, n, doc)                                                                \
  {                                                                                                \
    {#m, unit, 0, -1e9, 1e9, doc, RH_NUMBERS, n, NULL, false}, offsetof(T, m), false               \
  }
#define PACKED(T, m, n, doc)                                                                       \
  {                                                                                                \
    {#m, "1", 0, 0, 0, doc, RH_PACKED, n, NULL, false}, offsetof(T, m), false                      \
  }
#define FILE_NAME(T, m, doc)                                                                       \
  {                                                                                                \
    {#m, "1", 0, 0, 0, doc, RH_PATH, 0, NULL, false}, offsetof(T, m), false                        \
  }
#define NAME(T, m, doc)                                                                            \
  {                                                                                                \
    {#m, "1", 0, 0, 0, doc, RH_TEXT, 0, NULL, false}, offsetof(T, m), true                         \
  }

// clang-format on

#endif
