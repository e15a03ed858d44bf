// Integrator `merson`: the method of Kutta and Merson (Merson 1957), which the program `rkevent` of
// [Ch] sec. 3 used: order four, five evaluations, with an estimate of the error that chooses the
// steps. The estimate is exact to order five for linear systems and otherwise large rather than
// small. It is explicit: a stiff contact holds it to short steps, which are counted and never
// unstable.
#include "event/integrator.h"

#include <float.h>
#include <math.h>

enum { RTOL, ATOL, MAX_STEP };

static const rh_param param[] = {
    {"rtol", "1", 1e-8, 1e-14, 1e-2, "relative tolerance", RH_NUMBER, 0, NULL, false},
    {"atol", "1", 1e-10, 1e-16, 1, "absolute tolerance, in the unit of each state", RH_NUMBER, 0,
     NULL, false},
    {"max_step", "s", 0.1, RH_TIME_MIN, 1e3, "longest step: an event shorter than it may be missed",
     RH_NUMBER, 0, NULL, false},
};

// The errors of steps add up over a run; as for cvode.
static const double SHARE = 0.1;

enum { STAGES = 5 };

// y1 = y0 + h (a k[i] + b k[j] + c k[l]), the stages used by a row of Merson's table
static void add_stages(int n, double h, const double c[STAGES], const double *y0, double *const *k,
                       double *y1)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int s = 0; s < STAGES; s++) {
      sum += c[s] != 0 ? c[s] * k[s][i] : 0;
    }
    y1[i] = y0[i] + h * sum;
  }
}

static int step_merson(const rh_ode *flow, double t, double h, const double *y0, double *y1,
                       double *work)
{
  static const double at[STAGES] = {0, 1.0 / 3, 1.0 / 3, 0.5, 1};
  static const double stage[STAGES][STAGES] = {
      {0}, {1.0 / 3}, {1.0 / 6, 1.0 / 6}, {0.125, 0, 0.375}, {0.5, 0, -1.5, 2}};
  static const double end[STAGES] = {1.0 / 6, 0, 0, 2.0 / 3, 1.0 / 6};
  int n = flow->n;
  double *k[STAGES];
  int bad = 0;
  for (int s = 0; s < STAGES; s++) {
    k[s] = work + (size_t)(s + 1) * (size_t)n;
  }
  for (int s = 0; s < STAGES && !bad; s++) {
    add_stages(n, h, stage[s], y0, k, y1);
    bad = flow->rate(flow->user, t + at[s] * h, y1, k[s]);
  }
  add_stages(n, h, end, y0, k, y1);
  for (int i = 0; i < n; i++) { // Merson's estimate
    work[i] = h / 30 * (2 * k[0][i] - 9 * k[2][i] + 8 * k[3][i] - k[4][i]);
  }
  return bad;
}

static rh_status open_merson(const rh_ode *flow, const double *par, rh_diag *diag, void **self)
{
  (void)diag;
  const rh_step_tolerance tolerance = {.rtol = fmax(SHARE * par[RTOL], 4 * DBL_EPSILON),
                                       .atol = SHARE * par[ATOL],
                                       .longest = par[MAX_STEP]};
  return rh_adaptive_open(flow, &tolerance, step_merson, 1 + STAGES, STAGES, self);
}

extern const rh_integrator rh_integrator_merson;

const rh_integrator rh_integrator_merson = {
    .row = {"merson", "[Ch] sec. 3", "Kutta-Merson: order 4, steps by an estimate of the error",
            param, RH_COUNT(param)},
    .order = 0,
    .stable = 2,
    .open = open_merson,
    .restart = rh_fixed_restart,
    .advance = rh_fixed_advance,
    .reason = rh_fixed_reason,
    .stats = rh_fixed_stats,
    .close = rh_fixed_close,
};
