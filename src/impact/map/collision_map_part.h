// collision_map_part.h: shared by the files of the collision map. The chosen rows' W = Q R R' Q': Q
// has orthonormal columns, R is upper triangular. A vector of contacts x is represented by x^ =
// Q'x; W^+ x = Q R^-T R^-1 x^.
#ifndef ROUTH_IMPACT_COLLISION_MAP_PART_H
#define ROUTH_IMPACT_COLLISION_MAP_PART_H

#include "impact/collision_map.h"

typedef struct rh_collide_work {
  int m;            // rows that take part
  int most;         // the rank is no larger
  int rank;
  double *row;      // its rows (m)
  double *Q;        // columns of m, one after the other
  double *R;        // (rank x rank)
  double *S, *T;    // two more of that size: scratch of the root, S the factor of R R' + lambda where damped
  double *left;     // remainder of the diagonal of W (m)
  double *inverse;  // of the diagonal of W (m)
  double *u, *want; // [m/s] velocities before and, with the other sign, those wanted (m)
  double *plastic;  // [N s] impulses for e = 0 (n)
  double *uh, *wh;  // u and want through Q' (rank)
  double *x, *y;    // scratch (rank)
} rh_collide_work;

double rh_collide_dot(int n, const double *a, const double *b);
void rh_collide_add(int n, double s, const double *a, double *b);         // b += s a
void rh_collide_down(const rh_collide_work *w, const double *x, double *xh); // x^ = Q'x
void rh_collide_up(const rh_collide_work *w, const double *xh, double *x);   // x = Q x^
// wh = W^1/2 E W^-1/2 u through Q', and `want` = Q wh; `E`: by rows of the group.
void rh_collide_sqrt(rh_collide_work *w, const double *E);
// Velocities of all rows after the impulses p (n), and their sums in `out`; the scale stays.
void rh_collide_account(const rh_collide_in *in, const double *p, double *u_after, rh_collide_out *out);
// p := plastic + s (p - plastic), s <= 1 the largest that gains no energy; returns s. `plastic`
// must gain none. `scratch` (n).
double rh_collide_spare(const rh_collide_in *in, const double *plastic, double *p, double *scratch);

#endif
