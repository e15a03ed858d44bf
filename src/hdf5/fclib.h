// fclib.h: external friction problems, in FCLIB's HDF5 layout of local problems: u = W r + q, rows
// n, t1, t2 of each contact. Here they are rh_blocks, rows t1, t2, n.
#ifndef ROUTH_HDF5_FCLIB_H
#define ROUTH_HDF5_FCLIB_H

#include "complement/blocks.h"

#include <routh/base.h>

enum { RH_FCLIB_MOST = 100000 }; // maximum contacts of a file

typedef struct rh_fclib {
  rh_blocks blocks; // what follows
  rh_block_kind *kind;
  double *mu;
  int *start, *col;
  double *W, *b;
  double *p, *u; // (3n) solution in the file; NULL: none
} rh_fclib;

// Errors of the file go to `diag`. Nothing is allocated then.
rh_status rh_fclib_read(const char *path, rh_diag *diag, rh_fclib *file) RH_CHECK_RESULT;
void rh_fclib_free(rh_fclib *file);

// FCLIB's measure of error: |r - P_K(r - u - mu |u_t| n)| / |q|, P_K the projection on the cones;
// for q = 0 not divided.
double rh_fclib_error(const rh_blocks *problem, const double *p);

// Solves the problem of a file by the solver `name` (NULL: auto) to `tolerance` [m/s] (NULL: 1e-13 of
// the largest b) and writes the answer as JSON; rh_free it. RH_STOPPED: the check did not accept it;
// the answer is there (fclib_solve.c).
rh_status rh_solve_fclib(const char *path, const char *name, const char *tolerance, rh_diag *diag,
                         char **json);

#endif
