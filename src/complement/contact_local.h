// contact_local.h: one block with the others fixed. A contact with friction has an exact solution:
// it separates, sticks, or slides with u_t = -gamma p_t, gamma > 0. With the normal eliminated by
// u_n = 0 that is
//   (B + gamma) p_t = -c,   p_n = -(r_n + D_nt p_t)/D_nn,   |p_t| = mu p_n,   B = D_tt - D_tn D_nt/D_nn,
// one equation in gamma, found by Newton's method between bounds. r = u - D p: due to the others.
#ifndef ROUTH_COMPLEMENT_CONTACT_LOCAL_H
#define ROUTH_COMPLEMENT_CONTACT_LOCAL_H

#include "blocks.h"

typedef struct rh_block_own { // part of W needed to solve a block, computed once
  double D[9];                // diagonal entry, row major
  double inverse[9];          // of D; zero where D is singular
  double B[4];                // tangents with the normal eliminated
  double d;                   // [1/kg] unit
  double more;                // [1/kg] added to the diagonal (proximal steps)
} rh_block_own;

enum { RH_BLOCK_OWN = sizeof(rh_block_own) / sizeof(double) };

void rh_block_own_make(const rh_blocks *problem, int i, double more, rh_block_own *own);

// One sweep over all blocks with `own` (n). With `shift` (3n; NULL: none) velocities are u + more p
// - shift. Returns the worst residual of the blocks, each before it was solved.
double rh_blocks_sweep(const rh_blocks *problem, const rh_block_own *own, const double *shift, double *p);

// p that is finite and allowed: in its cone, not negative, in its box.
void rh_blocks_tidy(const rh_blocks *problem, double *p);

// The nearest p (3) that is allowed: in its cone, not negative, in its box. Equal axes.
void rh_block_project(const rh_blocks *q, int i, double *p);

#endif
