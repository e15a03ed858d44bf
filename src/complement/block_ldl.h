// block_ldl.h: factors of matrices made of 3x3 blocks with a symmetric pattern; the numbers need
// not be symmetric. The order of elimination is chosen once for the pattern (least degree); the
// numbers may then change. Only the 3x3 pivots themselves are pivoted, so the matrix has to be near
// one that is positive definite.
#ifndef ROUTH_COMPLEMENT_BLOCK_LDL_H
#define ROUTH_COMPLEMENT_BLOCK_LDL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rh_sparse {
  int n;               // block rows
  int most;            // capacity of blocks under the diagonal
  int *order, *place;  // (n) row eliminated k-th, and the inverse
  int *start;          // (n + 1) blocks of column k of the factor: start[k] .. start[k+1] - 1
  int *row;            // (most) their rows, as places, ascending
  int *end, *live;     // (n), (most) the same without rows that are skipped: start[k] .. end[k] - 1
  int *at, *link, *next; // (n) entry of each column that acts next; columns that have to act on a row
  int *mirror;         // (entries) of the matrix: entry ji of each entry ij
  double *LU;          // (most x 18) L_ik and the transpose of U_ki, number by number
  double *pivot;       // (n x 9) inverse of the diagonal blocks of U
  double *work;        // (n x 18) a column of L and a row of U under construction
} rh_sparse;

typedef struct rh_sparse_matrix { // of the analysed pattern
  const int *start, *col;
  const double *M;  // (entries x 9)
  const bool *skip; // (n) a row and column of the unit matrix
  double small;     // pivots below this part of the numbers of their 3x3 block of M are left out
} rh_sparse_matrix;

size_t rh_sparse_room(int n, int entries);

// Order and pattern of the factor, from that of the matrix: symmetric, diagonal included, columns
// ascending in a row. False: the fill exceeds the capacity.
bool rh_sparse_analyse(rh_sparse *f, int n, const int *start, const int *col, double *room);

// Numbers. Returns the number of omitted pivots (three per block).
int rh_sparse_factor(rh_sparse *f, const rh_sparse_matrix *m);

void rh_sparse_solve(const rh_sparse *f, const bool *skip, double *x); // (3n) b, then solution

#endif
