// Integrator `rk4`: the classical Runge-Kutta method of order four with a fixed step.
#include "event/integrator.h"

static const rh_param param[] = {
    {"dt", "s", 1e-3, RH_TIME_MIN, 1e3, "length of a step", RH_NUMBER, 0, NULL, false},
};

// y1 = y0 + s k
static void add_scaled(int n, const double *y0, double s, const double *k, double *y1)
{
  for (int i = 0; i < n; i++) {
    y1[i] = y0[i] + s * k[i];
  }
}

static int step_rk4(const rh_ode *flow, double t, double h, const double *y0, double *y1,
                    double *work)
{
  int n = flow->n;
  double *k1 = work;
  double *k2 = work + n;
  double *k3 = work + 2 * (size_t)n;
  double *k4 = work + 3 * (size_t)n;
  int bad = flow->rate(flow->user, t, y0, k1);
  add_scaled(n, y0, 0.5 * h, k1, y1);
  bad = bad ? bad : flow->rate(flow->user, t + 0.5 * h, y1, k2);
  add_scaled(n, y0, 0.5 * h, k2, y1);
  bad = bad ? bad : flow->rate(flow->user, t + 0.5 * h, y1, k3);
  add_scaled(n, y0, h, k3, y1);
  bad = bad ? bad : flow->rate(flow->user, t + h, y1, k4);
  for (int i = 0; i < n; i++) {
    y1[i] = y0[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  }
  return bad;
}

static rh_status open_rk4(const rh_ode *flow, const double *par, rh_diag *diag, void **self)
{
  (void)diag;
  return rh_fixed_open(flow, par[0], step_rk4, 4, 4, self);
}

const rh_integrator rh_integrator_rk4 = {
    .row = {"rk4", "", "Runge-Kutta of order 4, fixed step", param, RH_COUNT(param)},
    .order = 4,
    .per_period = 9,
    .stable = 2.6,
    .open = open_rk4,
    .restart = rh_fixed_restart,
    .advance = rh_fixed_advance,
    .reason = rh_fixed_reason,
    .stats = rh_fixed_stats,
    .close = rh_fixed_close,
};
