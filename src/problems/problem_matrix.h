// problem_matrix.h: matrices and lists as inputs of a problem, and the inertia of a mechanism.
// Numbers are bare, at most 1e30 in size.
#ifndef ROUTH_PROBLEMS_PROBLEM_MATRIX_H
#define ROUTH_PROBLEMS_PROBLEM_MATRIX_H

#include "problem.h"

#define RH_MECHANISM_MAX 200 // velocities of a mechanism

typedef struct rh_block { // all zero: empty
  int rows, columns;
  double *x; // row major
} rh_block;

// Reads a list of lists. `rows`, `columns`: required counts, RH_NONE: any, up to `most`. A required
// input that is missing is refused; an optional one is left empty. Free it in any case.
bool rh_input_matrix(const rh_inputs *in, const char *name, int rows, int columns, int most, rh_block *block);
// The same for a list of n numbers; a single number means all where `n` is known.
bool rh_input_list(const rh_inputs *in, const char *name, int n, int most, rh_block *block);
bool rh_input_given(const rh_inputs *in, const char *name);
// One number in the range of its parameter; `x` is unchanged where it is not given. False: refused.
bool rh_input_one(const rh_inputs *in, const rh_param *param, bool required, double *x);
// A symmetric positive definite matrix; `L` is its Cholesky factor.
bool rh_input_inertia(const rh_inputs *in, const char *name, rh_block *M, rh_block *L);
#define RH_INPUT_INERTIA                                                                           \
  {                                                                                                \
    .name = "M", .unit = "kg, kg m, kg m^2", .type = RH_TEXT,                                      \
    .doc = "inertia: nv rows of nv numbers, symmetric, positive definite"                          \
  }
void rh_block_free(rh_block *block);
bool rh_block_make(rh_block *block, int rows, int columns); // zeroed; false: out of memory

// y (columns) = A' x;  y (rows) = A x
void rh_block_left(const rh_block *A, const double *x, double *y);
void rh_block_right(const rh_block *A, const double *x, double *y);
// W = G' M^-1 G from the factor L of M; `work` has as many numbers as G has rows.
void rh_block_condense(const rh_block *G, const rh_block *L, double *work, rh_block *W);

#endif
