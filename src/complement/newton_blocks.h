// newton_blocks.h: Newton's method for many contacts, with fallbacks where it does not converge;
// see newton_blocks.c.
#ifndef ROUTH_COMPLEMENT_NEWTON_BLOCKS_H
#define ROUTH_COMPLEMENT_NEWTON_BLOCKS_H

#include "complement.h"

typedef struct rh_newton_limits {
  double tolerance; // [m/s]
  int steps;        // Newton steps of one attempt
  int sweeps;       // Gauss-Seidel sweeps where Newton did not converge
  double enough;    // [m/s] residual that ends the attempts and the proximal rounds; 0: `tolerance`
  int rounds;       // of the proximal method, at most; 0: a hundred
  int attempts;     // before the proximal method, the others after it; 0: all of them before
} rh_newton_limits;

rh_verdict rh_newton_blocks(const rh_blocks *problem, const rh_newton_limits *limits, double *room, double *p,
                            rh_blocks_report *report);
size_t rh_newton_blocks_room(int n, int entries);

#endif
