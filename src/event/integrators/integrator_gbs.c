// Integrator `gbs`: extrapolation of the modified midpoint rule after Gragg, Bulirsch and Stoer, order
// eight with a fixed step. Smooth motion is accurate to rounding at steps a hundred times as long
// as rk4 needs.
//
// The midpoint rule with n substeps has an error in even powers of h / n only; results for n = 2,
// 4, 6, 8 are combined so that the first three of them cancel (Aitken and Neville).
#include "event/integrator.h"

#include <string.h>

enum { COLUMNS = 4, EVALUATIONS = 1 + 1 + 3 + 5 + 7 };

static const rh_param param[] = {
    {"dt", "s", 2e-2, RH_TIME_MIN, 1e3, "length of a step", RH_NUMBER, 0, NULL, false},
};

int rh_midpoint_run(const rh_ode *flow, double t, double h, int substeps, const double *y0,
                    rh_midpoint *m)
{
  int n = flow->n;
  double part = h / substeps;
  memcpy(m->z0, y0, (size_t)n * sizeof *y0);
  for (int i = 0; i < n; i++) {
    m->z1[i] = y0[i] + part * m->k0[i];
  }
  for (int s = 1; s < substeps; s++) {
    int bad = flow->rate(flow->user, t + s * part, m->z1, m->k);
    if (bad) {
      return bad;
    }
    for (int i = 0; i < n; i++) {
      double next = m->z0[i] + 2 * part * m->k[i];
      m->z0[i] = m->z1[i];
      m->z1[i] = next;
    }
  }
  return 0;
}

static int step_gbs(const rh_ode *flow, double t, double h, const double *y0, double *y1,
                    double *work)
{
  int n = flow->n;
  double *T[COLUMNS]; // T[c]: extrapolated from the results so far, the last with c + 1 of them
  for (int c = 0; c < COLUMNS; c++) {
    T[c] = work + (size_t)(4 + c) * (size_t)n;
  }
  rh_midpoint m = {work, work + n, work + 2 * (size_t)n, work + 3 * (size_t)n};
  int bad = flow->rate(flow->user, t, y0, work);
  for (int r = 0; r < COLUMNS && !bad; r++) {
    bad = rh_midpoint_run(flow, t, h, 2 * (r + 1), y0, &m);
    for (int i = 0; i < n; i++) {
      double now = m.z1[i];
      for (int c = 1; c <= r; c++) {
        double ratio = (double)(r + 1) / (double)(r + 1 - c);
        double before = T[c - 1][i];
        T[c - 1][i] = now;
        now += (now - before) / (ratio * ratio - 1);
      }
      T[r][i] = now;
    }
  }
  memcpy(y1, T[COLUMNS - 1], (size_t)n * sizeof *y1);
  return bad;
}

static rh_status open_gbs(const rh_ode *flow, const double *par, rh_diag *diag, void **self)
{
  (void)diag;
  return rh_fixed_open(flow, par[0], step_gbs, 4 + COLUMNS, EVALUATIONS, self);
}

const rh_integrator rh_integrator_gbs = {
    .row = {"gbs", "", "extrapolated midpoint rule of order 8, fixed step", param, RH_COUNT(param)},
    .order = 8,
    .per_period = 3,
    .stable = 2,
    .open = open_gbs,
    .restart = rh_fixed_restart,
    .advance = rh_fixed_advance,
    .reason = rh_fixed_reason,
    .stats = rh_fixed_stats,
    .close = rh_fixed_close,
};
