// lp.h: small linear programmes in a tableau: least c'x with E x = e, x >= 0. For the ranges of multipliers, and for the
// proof that a problem has no solution.
#ifndef ROUTH_COMPLEMENT_LP_H
#define ROUTH_COMPLEMENT_LP_H

#include <routh/base.h>

#include <stdbool.h>

typedef struct rh_lp {
  int m, n;
  double *T;     // tableau, rows of (n entries, then the right-hand side)
  double *basis; // variable of each row; n and above: artificial (m)
  double *cost;  // reduced cost of each variable, then minus the value (n + 1)
} rh_lp;

typedef enum rh_lp_end { RH_LP_BEST, RH_LP_UNBOUNDED, RH_LP_LOST } rh_lp_end; // LOST: no end was found

size_t rh_lp_room(int m, int n);
// Finds a point with E x = e, x >= 0. E (m x n) and e are copied. False: there is none, by more
// than `tol` times the largest e; `*lost`: the search was not finished, nothing is known.
bool rh_lp_open(rh_lp *lp, int m, int n, const double *E, const double *e, double tol, double *room,
                bool *lost);
// Moves the point to the least c'x. May be called again with another c.
rh_lp_end rh_lp_least(rh_lp *lp, const double *c, double *value);
void rh_lp_point(const rh_lp *lp, double *x); // the present point

#endif
