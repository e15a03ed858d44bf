// figure_read.h: shared by the files that read figures from YAML: maps whose keys are rows of a table.
#ifndef ROUTH_REPRODUCE_FIGURE_READ_H
#define ROUTH_REPRODUCE_FIGURE_READ_H

#include "figure.h"

#include "problems/problem.h"

#include <stddef.h>

typedef enum rh_field_kind {
  RH_FIELD_TEXT,
  RH_FIELD_NUMBER,
  RH_FIELD_COUNT, // a whole number from 1
  RH_FIELD_FLAG,
  RH_FIELD_RANGE,   // two numbers, `auto` for an open end
  RH_FIELD_WORDS,   // list of texts
  RH_FIELD_RUN,     // label of a run of the figure
  RH_FIELD_AXIS,    // left, right
  RH_FIELD_HOLDS,   // no, partly, yes
  RH_FIELD_PROBLEM, // none, solve, book
  RH_FIELD_SCENE,
  RH_FIELD_EVENT, // word of an event
  RH_FIELD_NUMBER_MEASURE,
  RH_FIELD_SWEEP_MEASURE,
  RH_FIELD_FIGURE_MEASURE,
  RH_FIELD_PICTURE,
  RH_FIELD_MAPS, // read by the caller
} rh_field_kind;

typedef struct rh_figure_field { // a key of a map
  const char *key;
  size_t offset;
  rh_field_kind kind;
  bool required;
} rh_figure_field;

typedef struct rh_figure_reader {
  rh_inputs in;
  rh_figures *to;
  rh_figure *figure; // the present one
} rh_figure_reader;

#define RH_KEY(type, member, key, kind)      {(key), offsetof(type, member), RH_FIELD_##kind, false}
#define RH_KEY_NEEDED(type, member, key, kind) {(key), offsetof(type, member), RH_FIELD_##kind, true}
#define RH_KEY_MAPS(key)                     {(key), 0, RH_FIELD_MAPS, false}

// All keys of a map into the struct `to`; false after errors, all of which are reported.
bool rh_figure_read_map(const rh_figure_reader *r, int map, const char *what,
                        const rh_figure_field *fields, int count, void *to);
// A list of at most `most` texts.
bool rh_figure_read_words(const rh_figure_reader *r, int node, const char *key, const char *words[],
                          int most);
// Has the number everything that its measure needs?
bool rh_figure_check_needs(const rh_figure_reader *r, int node, const rh_number *number);

#endif
