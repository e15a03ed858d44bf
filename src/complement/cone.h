// cone.h: shared by the solvers of cone problems: rows of u, the residual of one contact,
// Gauss-Seidel sweeps, and the reduction to an LCP where no contact is free to choose its
// direction.
#ifndef ROUTH_COMPLEMENT_CONE_H
#define ROUTH_COMPLEMENT_CONE_H

#include "complement.h"

#include <math.h>

static inline double rh_flat_length(double x, double y) // hypot is slower, and its bits differ from library to library
{
  return sqrt(x * x + y * y);
}

double rh_lcp_size(int n, const double *b);                // max |b|, or 1
double rh_cone_unit(const rh_cone *problem, int k);        // d of contact k: its largest diagonal entry, never 0
bool rh_cone_slides(const rh_cone *problem, int k);        // along a given direction
void rh_cone_rows(const rh_cone *problem, int k, const double *p, double u[3]); // u of contact k
// Worst violation at contact k, in units of u, of its own p and u (3 each).
double rh_cone_judge(const rh_cone *problem, int k, const double *p, const double *u);

// `count` sweeps over the contacts, each solved with the others fixed. Returns the largest change
// of the last sweep, in units of u.
double rh_cone_sweep(const rh_cone *problem, int count, double *p);

// True if no contact chooses its direction (each slides along a given one, or has no friction).
// Then the problem is an LCP in the normals, A = N'(W) E with p = E p_n.
bool rh_cone_is_lcp(const rh_cone *problem);
rh_lcp rh_cone_normals(const rh_cone *problem, double *A, double *b); // A (n x n), b (n): filled
void rh_cone_spread(const rh_cone *problem, const double *pn, double *p);

// cone_loads.c: the forces of least norm within the cones that keep all contacts at rest, W symmetric, none along a
// given direction; rows to `still`, in units of u. False: none found, and p is undefined.
bool rh_cone_loads(const rh_cone *problem, double still, double *room, double *p);
size_t rh_cone_loads_room(int n); // doubles

#endif
