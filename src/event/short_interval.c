// An interval between two restarts that is short for the motion, as between two decisions of a
// controller, in one step: the extrapolated midpoint rule (integrator_gbs.c), of the lowest order that
// meets the tolerance. A multistep method would start at order one and stay there. Left to it:
// intervals that are too long, and those with an event in them.
#include "integrator.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 4 };

size_t rh_short_interval_room(const rh_ode *flow)
{
  size_t n = (size_t)(flow->capacity > flow->n ? flow->capacity : flow->n);
  return (5 + COLUMNS) * n + 2 * (size_t)flow->nguard;
}

void rh_short_interval_open(const rh_ode *flow, double *scratch, rh_short_interval *hop)
{
  size_t n = (size_t)(flow->capacity > flow->n ? flow->capacity : flow->n);
  hop->longest = flow->pace;
  hop->y = scratch;
  hop->work = hop->y + n;
  hop->g0 = hop->work + (4 + COLUMNS) * n;
  hop->g1 = hop->g0 + flow->nguard;
}

// T[c]: extrapolated from the results so far, the last with c + 1 of them; adds result r, the last,
// z. Returns the resulting difference, in units of the tolerance.
static double take_in(const rh_short_interval *hop, const rh_ode *flow, int r, const double *z,
                      double *const *T)
{
  int n = flow->n;
  double share = flow->share > 0 ? flow->share : 1;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double now = z[i];
    double change = now;
    for (int c = 1; c <= r; c++) {
      double ratio = (double)(r + 1) / (double)(r + 1 - c);
      double before = T[c - 1][i];
      T[c - 1][i] = now;
      change = (now - before) / (ratio * ratio - 1);
      now += change;
    }
    T[r][i] = now;
    double part = change / (share * (hop->rtol * fabs(now) + hop->atol));
    sum += part * part;
  }
  return sqrt(sum / n);
}

static bool extrapolate_midpoint(rh_short_interval *hop, const rh_ode *flow, double h)
{
  int n = flow->n;
  double *T[COLUMNS];
  double *work = hop->work;
  for (int c = 0; c < COLUMNS; c++) {
    T[c] = work + (size_t)(4 + c) * (size_t)n;
  }
  rh_midpoint m = {work, work + n, work + 2 * (size_t)n, work + 3 * (size_t)n};
  for (int r = 0; r < COLUMNS; r++) {
    hop->evaluations += 2 * r + 1;
    if (rh_midpoint_run(flow, *flow->t, h, 2 * (r + 1), flow->y, &m) != 0) {
      return false;
    }
    double off = take_in(hop, flow, r, m.z1, T);
    if (r > 0 && off <= 1) {
      memcpy(hop->y, T[r], (size_t)n * sizeof *hop->y);
      return true;
    }
  }
  return false;
}

static bool any_passed(const rh_short_interval *hop, const rh_ode *flow)
{
  for (int i = 0; i < flow->nguard; i++) {
    double before = hop->g0[i];
    double after = hop->g1[i];
    int direction = flow->direction[i];
    if ((before >= 0 && after < 0 && direction <= 0) ||
        (before <= 0 && after > 0 && direction >= 0)) {
      return true;
    }
  }
  return false;
}

// Guards at the end, and half way there by the cubic through both ends
static bool is_quiet(rh_short_interval *hop, const rh_ode *flow, double h)
{
  const double *k0 = hop->work;
  double *k1 = hop->work + flow->n;
  double *middle = k1 + flow->n;
  if (flow->nguard == 0) {
    return true;
  }
  hop->evaluations += 2;
  if (flow->guard(flow->user, *flow->t + h, hop->y, hop->g1) != 0 || any_passed(hop, flow) ||
      flow->rate(flow->user, *flow->t + h, hop->y, k1) != 0) {
    return false;
  }
  for (int i = 0; i < flow->n; i++) {
    middle[i] = 0.5 * (flow->y[i] + hop->y[i]) + 0.125 * h * (k0[i] - k1[i]);
  }
  flow->project(flow->user, middle);
  return flow->guard(flow->user, *flow->t + 0.5 * h, middle, hop->g1) == 0 &&
         !any_passed(hop, flow);
}

bool rh_short_interval_to(rh_short_interval *hop, const rh_ode *flow, double end)
{
  double h = end - *flow->t;
  if (!(h <= (1 + 1e-9) * hop->longest && h <= flow->first_step)) { // a clock rounds
    hop->longest = fmin(1.25 * hop->longest, flow->pace);           // it may pay again
    return false;
  }
  hop->evaluations++;
  if (flow->rate(flow->user, *flow->t, flow->y, hop->work) != 0 ||
      (flow->nguard > 0 && flow->guard(flow->user, *flow->t, flow->y, hop->g0) != 0)) {
    return false;
  }
  bool good = extrapolate_midpoint(hop, flow, h);
  hop->longest = good ? hop->longest : 0.5 * h;
  if (!good) {
    return false;
  }
  flow->project(flow->user, hop->y);
  if (!is_quiet(hop, flow, h)) {
    return false;
  }
  memcpy(flow->y, hop->y, (size_t)flow->n * sizeof *hop->y);
  *flow->t = end;
  hop->steps++;
  return true;
}
