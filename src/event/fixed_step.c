// The driver of integrators with steps of their own: fixed ones, and ones that follow a tolerance by
// an estimate of their error. Fixed steps end on multiples of dt, so that a run does not
// depend on the times of frames or restarts: a frame within a step gets a step of its own from the
// same start, which is then discarded. An event is found by a change of sign over a step and
// located by inverse quadratic interpolation where the guard is smooth and by bisection where it is
// not (Chandrupatla 1997): each trial is a real step from its start, so no state is interpolated
// and the located one is as good as any other.
#include "integrator.h"

#include <math.h>
#include <string.h>

enum { LOOK_EVERY = 8 }; // steps: rates of contacts change little in a few of them

enum { YIELD_STEPS = 4096, YIELD_WORK = 1 << 20 }; // steps, and numbers with evaluated rates

typedef struct fixed {
  const rh_ode *flow;
  rh_fixed_step *step;
  double dt; // [s] 0: the steps follow a tolerance
  rh_step_tolerance tolerance;
  double next;         // [s] step that meets it
  int evaluations;     // per step
  bool fresh;          // the next step is the first after a restart
  double t0;           // [s] start of the step, unless it is fresh
  double longest;      // [s] step that resolves the motion, found every LOOK_EVERY steps
  int age;             // steps since the restart
  bool waits;          // a step is done, but ends after the requested time:
  double t_ahead;      // [s] there,
  bool event;          // at an event
  double *y0, *ahead;  // the states at both ends (n)
  int *hit;            // guards that passed zero (nguard)
  double *y1, *after;  // the end of a trial; that of the shortest step known to pass the event (n)
  double *g0, *g1, *g; // guards at the beginning, at the end, on trial (nguard)
  double *gb;          // guards before the event, while it is located (nguard)
  double *work;
  const char *reason;
  rh_step_stats stats;
} fixed;

// Accuracy of an event's time, far below the promised 1e-9 s, far above rounding of a clock at 1e3
// s.
static const double T_EVENT = 1e-12;

rh_status rh_fixed_open(const rh_ode *flow, double dt, rh_fixed_step *step, int nwork,
                        int evaluations, void **self)
{
  size_t n = (size_t)(flow->capacity > flow->n ? flow->capacity : flow->n);
  size_t ng = (size_t)flow->nguard;
  fixed *f =
      rh_alloc(sizeof *f + (n * (size_t)(4 + nwork) + 4 * ng) * sizeof(double) + ng * sizeof(int));
  if (!f) {
    return RH_OUT_OF_MEMORY;
  }
  f->flow = flow;
  f->step = step;
  f->dt = dt;
  f->evaluations = evaluations;
  f->reason = "";
  f->y1 = (double *)(f + 1);
  f->after = f->y1 + n;
  f->g0 = f->after + n;
  f->g1 = f->g0 + ng;
  f->g = f->g1 + ng;
  f->gb = f->g + ng;
  f->y0 = f->gb + ng;
  f->ahead = f->y0 + n;
  f->work = f->ahead + n;
  f->hit = (int *)(void *)(f->work + n * (size_t)nwork);
  *self = f;
  return rh_fixed_restart(f);
}

rh_status rh_adaptive_open(const rh_ode *flow, const rh_step_tolerance *tolerance,
                           rh_fixed_step *step, int nwork, int evaluations, void **self)
{
  rh_status status = rh_fixed_open(flow, 0, step, nwork, evaluations, self);
  if (status == RH_OK) {
    ((fixed *)*self)->tolerance = *tolerance;
  }
  return status;
}

rh_status rh_fixed_restart(void *self)
{
  fixed *f = self;
  f->fresh = true;
  f->age = 0;
  f->longest = HUGE_VAL;
  f->waits = false;
  f->stats.restarts++;
  return RH_OK;
}

// Next multiple of dt after t; one that t has reached but for rounding does not count.
static double next_on_grid(double t, double dt)
{
  double k = floor(t / dt * (1 + 1e-14) + 1e-9);
  return (k + 1) * dt;
}

static int crossing_direction(int direction, double before, double after)
{
  if (before >= 0 && after < 0 && direction <= 0) {
    return -1;
  }
  if (before <= 0 && after > 0 && direction >= 0) {
    return 1;
  }
  return 0;
}

// A guard at zero after a restart has just been handled; one for either direction must first leave
// zero.
static bool any_crossed(const fixed *f, const double *after, int *hit)
{
  bool any = false;
  for (int i = 0; i < f->flow->nguard; i++) {
    bool spent = f->fresh && f->g0[i] == 0 && f->flow->direction[i] == 0;
    int way = spent ? 0 : crossing_direction(f->flow->direction[i], f->g0[i], after[i]);
    any = any || way != 0;
    if (hit) {
      hit[i] = way;
    }
  }
  return any;
}

static int take_trial_step(fixed *f, double h, double *g)
{
  const rh_ode *flow = f->flow;
  f->stats.evaluations += f->evaluations;
  int result = f->step(flow, *flow->t, h, flow->y, f->y1, f->work);
  if (result == 0) {
    flow->project(flow->user, f->y1);
    for (int i = 0; i < flow->n; i++) {
      if (!isfinite(f->y1[i])) {
        return 1; // a smaller step may do
      }
    }
    result = flow->nguard ? flow->guard(flow->user, *flow->t + h, f->y1, g) : 0;
  }
  return result;
}

static void swap_states(double **a, double **b)
{
  double *t = *a;
  *a = *b;
  *b = t;
}

// State of the search for an event: it lies in (lo, hi]. `guard` is the one that is followed.
typedef struct search {
  double lo, hi;
  int guard;
  bool newest_hi; // the last trial is `hi`
  bool curve;     // a third point is known: the end that was replaced last
  double x3, g3;
} search;

// The guard that by the chord passes zero first
static int first_guard(const fixed *f, const int *hit)
{
  int found = 0;
  double first = HUGE_VAL;
  for (int i = 0; i < f->flow->nguard; i++) {
    double at = f->gb[i] / (f->gb[i] - f->g1[i]);
    if (hit[i] && (at < first || first == HUGE_VAL)) {
      found = i;
      first = at;
    }
  }
  return found;
}

static double next_trial(const fixed *f, const search *s)
{
  double g_lo = f->gb[s->guard];
  double g_hi = f->g1[s->guard];
  double x1 = s->newest_hi ? s->hi : s->lo;
  double x2 = s->newest_hi ? s->lo : s->hi;
  double g1 = s->newest_hi ? g_hi : g_lo;
  double g2 = s->newest_hi ? g_lo : g_hi;
  double t = 0.5;
  if (s->curve) {
    double xi = (x1 - x2) / (s->x3 - x2);
    double phi = (g1 - g2) / (s->g3 - g2);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
      t = g1 / (g2 - g1) * s->g3 / (g2 - s->g3) +
          (s->x3 - x1) / (x2 - x1) * g1 / (s->g3 - g1) * g2 / (s->g3 - g2);
    }
  }
  return fmin(fmax(x1 + t * (x2 - x1), s->lo + 0.5 * T_EVENT), s->hi - 0.5 * T_EVENT);
}

static void move_end(fixed *f, search *s, double x, bool after)
{
  s->x3 = after ? s->hi : s->lo;
  s->g3 = after ? f->g1[s->guard] : f->gb[s->guard];
  s->newest_hi = after;
  s->curve = true;
  if (after) {
    s->hi = x;
    swap_states(&f->g, &f->g1);
    swap_states(&f->y1, &f->after);
  } else {
    s->lo = x;
    swap_states(&f->g, &f->gb);
  }
}

static void follow_first(fixed *f, search *s, int *hit)
{
  (void)any_crossed(f, f->g1, hit);
  int guard = hit[s->guard] ? s->guard : first_guard(f, hit);
  s->curve = s->curve && guard == s->guard;
  s->guard = guard;
}

// The event lies in (0, h]: y1 is then just after it.
static int locate_event(fixed *f, double *h, int *hit)
{
  search s = {.hi = *h, .newest_hi = true};
  memcpy(f->gb, f->g0, (size_t)f->flow->nguard * sizeof *f->gb);
  swap_states(&f->y1, &f->after);
  (void)any_crossed(f, f->g1, hit);
  s.guard = first_guard(f, hit);
  while (s.hi - s.lo > T_EVENT) {
    double x = next_trial(f, &s);
    if (x <= s.lo || x >= s.hi) {
      break;
    }
    int result = take_trial_step(f, x, f->g);
    if (result != 0) {
      return result;
    }
    move_end(f, &s, x, any_crossed(f, f->g, NULL));
    follow_first(f, &s, hit);
  }
  *h = s.hi;
  (void)any_crossed(f, f->g1, hit);
  swap_states(&f->y1, &f->after);
  return 0;
}

// Accepts the step that waits.
static void accept_waiting_step(fixed *f)
{
  memcpy(f->flow->y, f->ahead, (size_t)f->flow->n * sizeof *f->ahead);
  *f->flow->t = f->t0 = f->t_ahead;
  memcpy(f->g0, f->g1, (size_t)f->flow->nguard * sizeof *f->g0);
  f->fresh = false;
  f->waits = false;
  f->stats.steps++;
}

static const char REFUSED[] = "the step does not resolve a compliant contact";
static const char TOO_SHORT[] =
    "the steps have become too short for the tolerance: the motion is too stiff for this "
    "integrator, or its rate is not continuous; take cvode";

static rh_advance fail_advance(fixed *f, const char *reason, rh_status *status)
{
  f->reason = reason;
  *status = reason == REFUSED     ? RH_STOPPED
            : reason == TOO_SHORT ? RH_TOLERANCE_NOT_REACHED
                                  : RH_NOT_FINITE;
  return RH_ADVANCE_FAILED;
}

// ---- Steps that follow a tolerance

// Largest error of a state over what is allowed; error (n)
static double error_over_tolerance(const fixed *f, const double *error)
{
  const rh_ode *flow = f->flow;
  double most = 0;
  for (int i = 0; i < flow->n; i++) {
    bool idle = flow->idle && flow->idle(flow->user, i);
    double size = fmax(fabs(flow->y[i]), fabs(f->y1[i]));
    double allowed = f->tolerance.rtol * size +
                     (idle ? fmax(flow->grain, f->tolerance.atol) : f->tolerance.atol);
    most = fmax(most, fabs(error[i]) / allowed);
  }
  return isfinite(most) ? most : HUGE_VAL;
}

// The first step after a restart, from the state alone: one in which it changes by a hundredth of
// itself, or by a hundred times what is allowed.
static bool first_step_found(fixed *f)
{
  const rh_ode *flow = f->flow;
  double rate = 0;
  f->stats.evaluations++;
  if (flow->rate(flow->user, *flow->t, flow->y, f->work) != 0) {
    return false;
  }
  for (int i = 0; i < flow->n; i++) {
    double size = fmax(0.01 * fabs(flow->y[i]), 100 * f->tolerance.atol);
    rate = fmax(rate, fabs(f->work[i]) / size);
  }
  f->next = rate > 0 ? 1 / rate : f->tolerance.longest;
  return isfinite(rate);
}

// A step from *flow->t of at most `bound`, made shorter until its error is allowed; *h is its length.
static const char *try_tolerant_step(fixed *f, double bound, double *h)
{
  static const double SAFE = 0.9;
  const double shortest = 1e-15 * fmax(fabs(*f->flow->t), 1e-6);
  bool whole = false;
  if (f->fresh && !first_step_found(f)) {
    return "a number is no longer finite";
  }
  for (;;) {
    double step = fmin(f->next, f->tolerance.longest);
    whole = step < bound;
    *h = whole ? step : bound;
    int result = take_trial_step(f, *h, f->g1);
    double over = result == 0 ? error_over_tolerance(f, f->work) : HUGE_VAL;
    double factor = fmin(fmax(SAFE * rh_pow(over, -0.2), 0.1), 4); // an error of order five
    if (result < 0) {
      return "a number is no longer finite";
    }
    if (over <= 1) {
      f->next = whole || factor * *h > f->next ? factor * *h : f->next;
      return NULL;
    }
    f->stats.rejected++;
    f->next = fmin(factor, 0.9) * *h;
    if (f->next < shortest) {
      return TOO_SHORT;
    }
  }
}

// The next step, up to t_limit at most; NULL, or the reason of failure
static const char *try_step(fixed *f, double t_limit)
{
  const rh_ode *flow = f->flow;
  f->t0 = f->fresh ? *flow->t : f->t0;
  *flow->t = f->t0;
  memcpy(f->y0, flow->y, (size_t)flow->n * sizeof *f->y0);
  f->t_ahead = f->dt > 0 ? fmin(next_on_grid(f->t0, f->dt), t_limit) : t_limit;
  double h = f->t_ahead - f->t0;
  if (flow->longest && f->age++ % LOOK_EVERY == 0) {
    f->longest = flow->longest(flow->user, f->t0, flow->y);
  }
  if (!(f->longest > 0)) {
    return REFUSED;
  }
  if (f->longest < h) {
    h = f->longest;
    f->t_ahead = f->t0 + h;
  }
  if (f->fresh && flow->first_step < h) {
    h = flow->first_step;
    f->t_ahead = f->t0 + h;
  }
  if (f->dt > 0 && take_trial_step(f, h, f->g1) != 0) {
    return "a number is no longer finite: the step is too large for this motion";
  }
  if (!(f->dt > 0)) {
    double bound = h;
    const char *why = try_tolerant_step(f, bound, &h);
    if (why) {
      return why;
    }
    f->t_ahead = h < bound ? f->t0 + h : f->t_ahead;
  }
  f->event = any_crossed(f, f->g1, NULL);
  if (f->event) {
    if (locate_event(f, &h, f->hit) != 0) {
      return "a number is no longer finite near an event";
    }
    f->t_ahead = f->t0 + h;
  }
  memcpy(f->ahead, f->y1, (size_t)flow->n * sizeof *f->ahead);
  f->waits = true;
  return NULL;
}

// The state within the step that waits, from its start
static bool give_within(fixed *f, double t_out)
{
  const rh_ode *flow = f->flow;
  memcpy(flow->y, f->y0, (size_t)flow->n * sizeof *f->y0);
  *flow->t = f->t0;
  bool ok = t_out == f->t0 || take_trial_step(f, t_out - f->t0, f->g) == 0;
  if (ok && t_out > f->t0) {
    memcpy(flow->y, f->y1, (size_t)flow->n * sizeof *f->y1);
  }
  *flow->t = t_out;
  return ok;
}

// A check of the shapes due within the next step is done before it, so that it need not be cut
// short; unless it has just been done.
static bool wants_look(const fixed *f, double t_limit)
{
  const rh_ode *flow = f->flow;
  double end = f->dt > 0 ? next_on_grid(f->t0, f->dt) : f->t0 + f->next;
  return !f->fresh && !f->waits && t_limit == flow->look_at && f->t0 > flow->look_from &&
         t_limit < end;
}

// Times of frames and multiples of dt that are equal but for rounding
static bool same_time(const fixed *f, double a, double b)
{
  return fabs(a - b) <= 1e-9 * f->dt;
}

rh_advance rh_fixed_advance(void *self, double t_out, double t_limit, int *hit, rh_status *status)
{
  fixed *f = self;
  const rh_ode *flow = f->flow;
  *status = RH_OK;
  bool first = f->fresh && !f->waits;
  if (first && flow->nguard && flow->guard(flow->user, *flow->t, flow->y, f->g0) != 0) {
    return fail_advance(f, "the state is not finite", status);
  }
  int maximum = 1 + YIELD_WORK / (1 + f->evaluations * flow->n);
  maximum = maximum < YIELD_STEPS ? maximum : YIELD_STEPS;
  for (int i = 0; *flow->t < t_out; i++) {
    if (i == maximum) {
      return RH_ADVANCE_YIELD;
    }
    if (wants_look(f, t_limit)) {
      return RH_ADVANCE_LOOK;
    }
    const char *why = f->waits ? NULL : try_step(f, t_limit);
    if (why) {
      return fail_advance(f, why, status);
    }
    if (f->t_ahead > t_out && (f->event || !same_time(f, f->t_ahead, t_out))) {
      return give_within(f, t_out) ? RH_ADVANCE_REACHED
                                   : fail_advance(f, "a number is no longer finite", status);
    }
    accept_waiting_step(f);
    if (f->event) {
      memcpy(hit, f->hit, (size_t)flow->nguard * sizeof *hit);
      return RH_ADVANCE_EVENT;
    }
    if (same_time(f, f->t0, t_out)) {
      *flow->t = t_out;
    }
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
