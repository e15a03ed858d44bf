// proximal.h: impulses at many points in reduced coordinates: W = B B', u = u0 + B z with z = B'p,
// r = rank of W. Points of one rigid body have r = 6 however many they are. Also friction problems
// in these coordinates, strictly convex in z.
#ifndef ROUTH_IMPACT_PROXIMAL_H
#define ROUTH_IMPACT_PROXIMAL_H

#include "impact.h"

// B (N x N doubles) of a symmetric positive semidefinite W (N x N) by Cholesky with pivots; its
// first r columns count, rows have r entries. `room`: N. The rank r is returned.
int rh_basis(int N, const double *W, double *B, double *room);

// Least 1/2 |z - start|^2 with impulses p_i that drive u into its bounds: z = start + B'p, p_i =
// the point of its set nearest to p_i - sigma_i u_i.  Sets: discs |p_t| <= radius in the tangent
// plane (p_n takes no part), or cones |p_t| <= mu p_n.
typedef struct rh_prox {
  int n, r;
  const double *B;      // (3n x r)
  const double *u0;     // (3n)
  const double *mu;     // cones (n); NULL: discs
  const double *radius; // discs (n)
  const double *sigma;  // [kg] (n)
  const double *start;  // (r)
  double small;         // of z: the Newton method ends there
  int steps;            // of it, at most
  double *room;         // rh_prox_room doubles
} rh_prox;

size_t rh_prox_room(int n, int r);
// z (r): a guess, then the result. p (3n): the anchors, then the impulses. False: no convergence.
bool rh_prox_solve(const rh_prox *x, double *z, double *p);

#endif
