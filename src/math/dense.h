// dense.h: small dense linear algebra of our own (L1), for moving a state: the same bits on every
// machine. Matrices are row major. Nothing allocates; the caller provides the scratch.
#ifndef ROUTH_MATH_DENSE_H
#define ROUTH_MATH_DENSE_H

#include <routh/base.h>

#include <stdbool.h>

// ---- Least squares of any rank: x of least norm among those that minimise |A x - b|, by a QR factorisation with column
// pivots, completed from the right where the rank is not full.

// Doubles of scratch that rh_lstsq needs for an m x n matrix.
size_t rh_lstsq_room(int m, int n);
// A (m x n) is destroyed. Diagonal entries below `tol` times the largest count as zero. The rank is returned; `residual`
// (NULL: not wanted) gets |A x - b|.
int rh_lstsq(int m, int n, double *A, const double *b, double tol, double *room, double *x, double *residual);

// ---- Symmetric positive definite: A = L L', L below the diagonal in place. False: it is not positive definite.
bool rh_cholesky(int n, double *A);
void rh_cholesky_solve(int n, const double *L, double *x); // x := A^-1 x

// ---- General square: P A = L U in place, rows swapped by their pivots. False: singular to working precision.
bool rh_lu(int n, double *A, int *pivot);
void rh_lu_solve(int n, const double *LU, const int *pivot, double *x); // x := A^-1 x

#endif
