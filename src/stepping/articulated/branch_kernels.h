// branch_kernels.h: the velocity at the rows of a branch, and the effect of impulses there: the innermost
// loops of sweeps over contacts of trees, inlined where they are compiled for wider processors too.
#ifndef ROUTH_STEPPING_BRANCH_KERNELS_H
#define ROUTH_STEPPING_BRANCH_KERNELS_H

#include "stepping/articulated/articulated.h"

#include "math/four.h"

// u += Y z, three rows
FOUR_INLINE void rh_step_add_velocity(const rh_step_branch *b, const double *z, double u[3])
{
  const double *Y = b->Y;
  size_t len = (size_t)b->len;
  const rh_step_run *run = b->run;
  const rh_step_run *end = run + b->nrun;
  rh_four s0 = {0, 0, 0, 0};
  rh_four s1 = s0;
  rh_four s2 = s0;
  for (; run < end; run++) {
    const double *x = z + run->z;
    const double *Y1 = Y + len;
    const double *Y2 = Y1 + len;
    const size_t n = (size_t)run->n;
    for (size_t i = 0; i < n; i += 4) {
      rh_four v = *(const rh_four *)(x + i);
      s0 += v * *(const rh_four *)(Y + i);
      s1 += v * *(const rh_four *)(Y1 + i);
      s2 += v * *(const rh_four *)(Y2 + i);
    }
    Y += n;
  }
  rh_four_sum_two(&s0, &s1, u);
  u[2] += (s2[0] + s2[1]) + (s2[2] + s2[3]);
}

// z += Y' p
FOUR_INLINE void rh_step_add_push(const rh_step_branch *b, double *z, const double p[3])
{
  const double *Y = b->Y;
  size_t len = (size_t)b->len;
  const rh_step_run *run = b->run;
  const rh_step_run *end = run + b->nrun;
  const double px = p[0];
  const double py = p[1];
  const double pz = p[2];
  for (; run < end; run++) {
    double *x = z + run->z;
    const double *Y1 = Y + len;
    const double *Y2 = Y1 + len;
    const size_t n = (size_t)run->n;
    for (size_t i = 0; i < n; i += 4) {
      rh_four add = px * *(const rh_four *)(Y + i);
      add += py * *(const rh_four *)(Y1 + i);
      add += pz * *(const rh_four *)(Y2 + i);
      *(rh_four *)(x + i) += add;
    }
    Y += n;
  }
}

#endif
