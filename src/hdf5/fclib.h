// fclib.h: friction problems of others, in FCLIB's HDF5 layout of local problems: u = W r + q, rows n, t1, t2 of each contact.
// Here they are rh_blocks, rows t1, t2, n.
#ifndef ROUTH_REC_FCLIB_H
#define ROUTH_REC_FCLIB_H

#include "complement/blocks.h"

#include <routh/base.h>

enum { RH_FCLIB_MOST = 100000 }; // contacts of a file

typedef struct rh_fclib {
  rh_blocks blocks; // what follows
  rh_block_kind *kind;
  double *mu;
  int *start, *col;
  double *W, *b;
  double *p, *u; // (3n) the solution that the file holds; NULL: none
} rh_fclib;

// What is wrong with the file is said in `diag`. Nothing is held then.
rh_status rh_fclib_read(const char *path, rh_diag *diag, rh_fclib *file) RH_CHECK_RESULT;
void rh_fclib_free(rh_fclib *file);

// The measure of error of such problems: |r - P_K(r - u - mu |u_t| n)| / |q|, P_K the projection on the cones; of q = 0 not
// divided.
double rh_fclib_error(const rh_blocks *problem, const double *p);

#endif
