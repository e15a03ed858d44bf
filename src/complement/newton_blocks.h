// newton_blocks.h: Newton's method for many contacts, with the ways out where it does not settle; see newton_blocks.c.
#ifndef ROUTH_LCP_NEWTON_BLOCKS_H
#define ROUTH_LCP_NEWTON_BLOCKS_H

#include "complement.h"

typedef struct rh_newton_limits {
  double tolerance; // [m/s]
  int steps;        // Newton steps of one attempt
  int sweeps;       // Gauss-Seidel sweeps where Newton did not settle
  double enough;    // [m/s] an attempt, or a round of the proximal method, that ends with no more than this is the last; 0: as good as `tolerance`
  int rounds;       // of the proximal method, at most; 0: a hundred
} rh_newton_limits;

rh_verdict rh_newton_blocks(const rh_blocks *problem, const rh_newton_limits *limits, double *room, double *p,
                            rh_blocks_report *report);
size_t rh_newton_blocks_room(int n, int entries);

#endif
