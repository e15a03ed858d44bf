// The driver of steppers with a fixed step. Steps end on multiples of dt, so that a run does not depend on where frames or
// restarts fall. An event is found by a change of sign over a step and located by halving that step: each trial is a
// real step from its beginning, so nothing is interpolated and the located state is as good as any other.
#include "sim/fixed.h"

#include <math.h>
#include <string.h>

enum { YIELD_STEPS = 4096 };

typedef struct fixed {
  const rh_flow *flow;
  rh_fixed_step *step;
  double dt;
  int evaluations;     // a step costs so many
  bool fresh;          // the next step is the first after a restart
  double *y1;          // (n)
  double *g0, *g1, *g; // guards at the beginning, at the end, on trial (nguard)
  double *work;
  const char *reason;
  rh_step_stats stats;
} fixed;

// An event's time is found to this, far below the 1e-9 s that is promised, far above rounding of a clock at 1e3 s.
static const double T_EVENT = 1e-12;

rh_status rh_fixed_open(const rh_flow *flow, double dt, rh_fixed_step *step, int nwork,
                        int evaluations, void **self)
{
  size_t n = (size_t)(flow->room > flow->n ? flow->room : flow->n);
  size_t ng = (size_t)flow->nguard;
  fixed *f = rh_alloc(sizeof *f + (n * (size_t)(1 + nwork) + 3 * ng) * sizeof(double));
  if (!f) {
    return RH_OUT_OF_MEMORY;
  }
  f->flow = flow;
  f->step = step;
  f->dt = dt;
  f->evaluations = evaluations;
  f->reason = "";
  f->y1 = (double *)(f + 1);
  f->g0 = f->y1 + n;
  f->g1 = f->g0 + ng;
  f->g = f->g1 + ng;
  f->work = f->g + ng;
  *self = f;
  return rh_fixed_restart(f);
}

rh_status rh_fixed_restart(void *self)
{
  fixed *f = self;
  f->fresh = true;
  f->stats.restarts++;
  return RH_OK;
}

// Next multiple of dt behind t; one that t has reached but for rounding does not count.
static double next_on_grid(double t, double dt)
{
  double k = floor(t / dt * (1 + 1e-14) + 1e-9);
  return (k + 1) * dt;
}

static int crossing(int direction, double before, double after)
{
  if (before >= 0 && after < 0 && direction <= 0) {
    return -1;
  }
  if (before <= 0 && after > 0 && direction >= 0) {
    return 1;
  }
  return 0;
}

// A guard that stands at zero after a restart has just been dealt with; one that may pass either way must first leave.
static bool any_crossed(const fixed *f, const double *after, int *hit)
{
  bool any = false;
  for (int i = 0; i < f->flow->nguard; i++) {
    bool spent = f->fresh && f->g0[i] == 0 && f->flow->direction[i] == 0;
    int way = spent ? 0 : crossing(f->flow->direction[i], f->g0[i], after[i]);
    any = any || way != 0;
    if (hit) {
      hit[i] = way;
    }
  }
  return any;
}

static int trial(fixed *f, double h, double *g)
{
  const rh_flow *flow = f->flow;
  f->stats.evaluations += f->evaluations;
  int result = f->step(flow, *flow->t, h, flow->y, f->y1, f->work);
  if (result == 0) {
    flow->project(flow->user, f->y1);
    for (int i = 0; i < flow->n; i++) {
      if (!isfinite(f->y1[i])) {
        return -1;
      }
    }
    result = flow->nguard ? flow->guard(flow->user, *flow->t + h, f->y1, g) : 0;
  }
  return result;
}

// The event lies in (0, h]: halve until it is pinned down. y1 then stands just behind it.
static int locate(fixed *f, double *h, int *hit)
{
  double lo = 0;
  double hi = *h;
  while (hi - lo > T_EVENT) {
    double middle = 0.5 * (lo + hi);
    if (middle <= lo || middle >= hi) {
      break;
    }
    int result = trial(f, middle, f->g);
    if (result != 0) {
      return result;
    }
    if (any_crossed(f, f->g, NULL)) {
      hi = middle;
      memcpy(f->g1, f->g, (size_t)f->flow->nguard * sizeof *f->g1);
    } else {
      lo = middle;
    }
  }
  *h = hi;
  (void)any_crossed(f, f->g1, hit);
  return trial(f, hi, f->g);
}

static void accept(fixed *f, double t)
{
  memcpy(f->flow->y, f->y1, (size_t)f->flow->n * sizeof *f->y1);
  *f->flow->t = t;
  memcpy(f->g0, f->g1, (size_t)f->flow->nguard * sizeof *f->g0);
  f->fresh = false;
  f->stats.steps++;
}

static rh_advance fail(fixed *f, const char *reason, rh_status *status)
{
  f->reason = reason;
  *status = RH_NOT_FINITE;
  return RH_ADVANCE_FAILED;
}

rh_advance rh_fixed_advance(void *self, double t_out, double t_limit, int *hit, rh_status *status)
{
  fixed *f = self;
  const rh_flow *flow = f->flow;
  (void)t_limit; // t_out is never passed
  *status = RH_OK;
  if (f->fresh && flow->nguard && flow->guard(flow->user, *flow->t, flow->y, f->g0) != 0) {
    return fail(f, "the state is not finite", status);
  }
  for (int i = 0; *flow->t < t_out; i++) {
    if (i == YIELD_STEPS) {
      return RH_ADVANCE_YIELD;
    }
    double t = *flow->t;
    double end = fmin(next_on_grid(t, f->dt), t_out);
    double h = end - t;
    if (f->fresh && flow->first_step < h) {
      h = flow->first_step;
      end = t + h;
    }
    if (trial(f, h, f->g1) != 0) {
      return fail(f, "a number is no longer finite: the step is too large for this motion", status);
    }
    if (any_crossed(f, f->g1, NULL)) {
      if (locate(f, &h, hit) != 0) {
        return fail(f, "a number is no longer finite near an event", status);
      }
      accept(f, t + h);
      return RH_ADVANCE_EVENT;
    }
    accept(f, end);
  }
  return RH_ADVANCE_REACHED;
}

const char *rh_fixed_reason(const void *self)
{
  return ((const fixed *)self)->reason;
}

void rh_fixed_stats(const void *self, rh_step_stats *stats)
{
  *stats = ((const fixed *)self)->stats;
}

void rh_fixed_close(void *self)
{
  rh_free(self);
}
