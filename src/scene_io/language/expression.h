// expression.h: arithmetic within the text of a scene, "${2*i + 1}": numbers, names with values, the
// operators + - * / % ^ and comparisons, and functions. Pure functions, no recursion.
#ifndef ROUTH_SCENE_IO_LANGUAGE_EXPRESSION_H
#define ROUTH_SCENE_IO_LANGUAGE_EXPRESSION_H

#include "scene_io/yaml_doc.h"

#define RH_VARIABLES_MAX 96 // names that have a value at a place

typedef struct rh_variable {
  rh_name name;
  double value;
  int text; // scalar in the tree that is its value instead; RH_NONE: it is a number
} rh_variable;

typedef struct rh_scope { // the last of a name counts
  rh_variable list[RH_VARIABLES_MAX];
  int count;
} rh_scope;

typedef struct rh_wrong { // what is wrong with an expression
  size_t at;              // where, from its start
  char why[RH_WHY_MAX];
} rh_wrong;

// Letters, digits and _, of which the first is no digit. The number of such characters, 0: none.
size_t rh_expression_word(const char *text);
const rh_variable *rh_scope_find(const rh_scope *scope, const char *name, size_t bytes); // NULL
// Value of the first `bytes` of `text`, which ends with a zero byte later. False: see `wrong`.
bool rh_expression_read(const char *text, size_t bytes, const rh_scope *scope, double *value,
                        rh_wrong *wrong);

#endif
