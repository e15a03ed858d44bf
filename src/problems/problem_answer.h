// problem_answer.h: the outputs of one problem, kept as arrays until the whole problem is solved, then written as JSON.
#ifndef ROUTH_PROBLEMS_PROBLEM_ANSWER_H
#define ROUTH_PROBLEMS_PROBLEM_ANSWER_H

#include "base/json.h"

#define RH_ANSWER_MAX     32      // maximum outputs of a kind
#define RH_ANSWER_NUMBERS 4000000 // maximum numbers of an answer

typedef struct rh_answer_item {
  const char *name;
  int ndim;      // 0: one number, 1: a list, 2: a matrix (or list of lists), 3: a list of matrices
  int size[3];   // unused dimensions are 1
  double *value; // row major
  rh_name *word; // names instead of numbers (a list, or a single one where ndim is 0)
  bool flag;     // its number is yes or no
  bool null;     // the number does not exist
  const char *const *column; // names of a matrix's columns: written as a list of maps; NULL: a plain matrix
  rh_text *part; // any JSON value
} rh_answer_item;

typedef struct rh_answer { // all zero: empty
  rh_answer_item item[RH_ANSWER_MAX];
  int count;
} rh_answer;

// Adds an output and returns its zeroed numbers to be filled in; NULL when out of memory.
double *rh_answer_add(rh_answer *answer, const char *name, int ndim, int n0, int n1, int n2);
// The same for a list of n maps with these keys, which must outlive the answer; row major.
double *rh_answer_add_rows(rh_answer *answer, const char *name, int n, int ncolumn,
                           const char *const *column);
// The same for a list of names.
rh_name *rh_answer_add_names(rh_answer *answer, const char *name, int n);
bool rh_answer_number(rh_answer *answer, const char *name, double value);
bool rh_answer_word(rh_answer *answer, const char *name, const char *word);
bool rh_answer_flag(rh_answer *answer, const char *name, bool yes);
bool rh_answer_null(rh_answer *answer, const char *name); // not applicable: null
// An output of any shape: the kind adds it to `part` as one JSON value. NULL when out of memory.
rh_text *rh_answer_add_part(rh_answer *answer, const char *name);
// Name of an output with a number that is not finite, NULL if there is none.
const char *rh_answer_not_finite(const rh_answer *answer);
bool rh_answer_is_whole(const rh_answer *answer); // false: an output could not be allocated
void rh_answer_write(const rh_answer *answer, rh_json *json);
void rh_answer_clear(rh_answer *answer);

#endif
