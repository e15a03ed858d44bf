// Integrator `euler`: semi-implicit Euler, order one: velocities from the forces now, coordinates along the new velocities.
#include "event/integrator.h"

#include <string.h>

static const rh_param param[] = {
    {"dt", "s", 1e-3, RH_TIME_MIN, 1e3, "length of a step", RH_NUMBER, 0, NULL, false},
};

// NOLINTNEXTLINE(readability-non-const-parameter): the type of rh_fixed_step
static int step_euler(const rh_ode *flow, double t, double h, const double *y0, double *y1,
                      double *work)
{
  (void)work;
  memcpy(y1, y0, (size_t)flow->n * sizeof *y1);
  return flow->kick(flow->user, t, h, y1);
}

static rh_status open_euler(const rh_ode *flow, const double *par, rh_diag *diag, void **self)
{
  (void)diag;
  return rh_fixed_open(flow, par[0], step_euler, 0, 1, self);
}

const rh_integrator rh_integrator_euler = {
    .row = {"euler", "", "semi-implicit Euler, order 1, fixed step", param, RH_COUNT(param)},
    .order = 1,
    .per_period = 30,
    .stable = 1.8,
    .open = open_euler,
    .restart = rh_fixed_restart,
    .advance = rh_fixed_advance,
    .reason = rh_fixed_reason,
    .stats = rh_fixed_stats,
    .close = rh_fixed_close,
};
