// fixed.h: common parts of the steppers of fixed step: the grid of times, the search for events,
// the yielding.
#ifndef ROUTH_EVENT_FIXED_H
#define ROUTH_EVENT_FIXED_H

#include <routh/kind.h>

// One step of size h from (t, y0) to y1; `work` holds `nwork * n` doubles. 0 done, otherwise as rh_ode.rate.
typedef int rh_fixed_step(const rh_ode *flow, double t, double h, const double *y0, double *y1, double *work);

rh_status rh_fixed_open(const rh_ode *flow, double dt, rh_fixed_step *step, int nwork, int evaluations, void **self);
rh_status rh_fixed_restart(void *self);
rh_advance rh_fixed_advance(void *self, double t_out, double t_limit, int *hit, rh_status *status);
const char *rh_fixed_reason(const void *self);
void rh_fixed_stats(const void *self, rh_step_stats *stats);
void rh_fixed_close(void *self);

// ---- step_gbs.c: z1 := midpoint rule from y0 over h in `substeps` parts; k0 is the rate at y0; z0, k: work. As rh_fixed_step.
typedef struct rh_midpoint {
  const double *k0;
  double *z0, *z1, *k;
} rh_midpoint;

int rh_midpoint_run(const rh_ode *flow, double t, double h, int substeps, const double *y0, rh_midpoint *m);

#endif
