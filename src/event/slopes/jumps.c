// jumps.c: S at an event. The worlds beside the run have it a little sooner or later. All begin `spread` before it, when no
// world has had it; each goes on to its own, where its event function has the value that the run's had, and does what the
// run did; all meet `spread` after it, when every world has had it. So no world is asked for its forces where its modes no
// longer hold, and the differences of the results are S after the event, with the change of its time (I. A. Hiskens, M. A.
// Pai, "Trajectory sensitivity analysis of hybrid systems", IEEE Trans. Circuits Syst. I 47, 2000, eqs. 14 to 22).
#include "slopes_private.h"

#include <math.h>
#include <string.h>

static const double BACK = 1e-7;    // [s] over which the rates of guards are taken
static const double LONGEST = 1e-3; // [s] of a spread
// Guards that passed zero at one time are one event if their times move alike, to this part: by the tolerance of S
static const double APART[2] = {2e-2, 1e-3};
static const double CLOCK = 1e-12; // [s]
static const double MARGIN = 1.25; // of a spread, over the estimates of the delays

// One step of the classical Runge-Kutta method (order four)
static bool flow_by(rh_slopes *s, rh_sim *sim, double t, double dt, double *y)
{
  static const double at[4] = {0, 0.5, 0.5, 1};
  size_t n = (size_t)rh_event_engine_of(sim)->flow.n;
  double *const *f = s->work;
  double *there = s->work[4];
  bool good = true;
  if (dt == 0) {
    return true;
  }
  s->evaluations += 4;
  for (int i = 0; i < 4 && good; i++) {
    for (size_t k = 0; k < n; k++) {
      there[k] = i == 0 ? y[k] : y[k] + at[i] * dt * f[i - 1][k];
    }
    good = rh_sim_rate(sim, t + at[i] * dt, there, f[i]) == 0;
  }
  for (size_t k = 0; k < n; k++) {
    y[k] += dt / 6 * (f[0][k] + 2 * (f[1][k] + f[2][k]) + f[3][k]);
  }
  return good;
}

// By the mean of the rates at both ends
bool rh_slopes_back(rh_slopes *s, double dt)
{
  size_t n = (size_t)s->length * (size_t)(1 + s->job.n);
  double *f0 = s->whole[0];
  double *f1 = s->whole[1];
  double *there = s->whole[2];
  bool good = rh_slopes_rate(s, s->t, s->y, f0) == 0;
  for (size_t k = 0; k < n; k++) {
    there[k] = s->y[k] - dt * f0[k];
  }
  good = good && rh_slopes_rate(s, s->t - dt, there, f1) == 0;
  for (size_t k = 0; k < n; k++) {
    s->y[k] -= 0.5 * dt * (f0[k] + f1[k]);
  }
  s->t -= dt;
  return good;
}

// What the guards look at besides the state
static void copy_guards(const rh_slopes *s, rh_sim *sim)
{
  const rh_event_engine *from = rh_event_engine_of(s->job.base);
  rh_event_engine *to = rh_event_engine_of(sim);
  const rh_model *m = sim->model;
  memcpy(to->hit, from->hit, (size_t)from->flow.nguard * sizeof *to->hit);
  memcpy(to->leaves, from->leaves, (size_t)from->nlimited * sizeof *to->leaves);
  memcpy(to->slack, from->slack, (size_t)m->layout.ntendon * sizeof *to->slack);
  to->grace = from->grace;
  to->limits_acted = from->limits_acted;
  rh_search(sim->data)->left = rh_search(s->job.base->data)->left;
}

static int read_guards(rh_sim *sim, double t, const double *y, double *g)
{
  rh_event_engine_of(sim)->level = RH_SEEN_NOTHING;
  return rh_sim_guards(sim, t, y, g);
}

static int first_hit(const rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  int first = 0;
  while (first < engine->flow.nguard && !engine->hit[first]) {
    first++;
  }
  return first;
}

// guard[0] at the event, guard[1] before it; false: one only touches zero
static bool find_rates(rh_slopes *s)
{
  rh_sim *twin = s->job.twin;
  const int *hit = rh_event_engine_of(twin)->hit;
  int nguard = rh_event_engine_of(twin)->flow.nguard;
  memcpy(s->side[0], s->y, (size_t)s->length * sizeof *s->y);
  bool good = first_hit(twin) < nguard && read_guards(twin, s->t, s->side[0], s->guard[0]) == 0;
  good = good && flow_by(s, twin, s->t, -BACK, s->side[0]);
  good = good && read_guards(twin, s->t - BACK, s->side[0], s->guard[1]) == 0;
  for (int i = 0; i < nguard && good; i++) {
    good = !hit[i] || fabs(s->guard[0][i] - s->guard[1][i]) > 1e-6 * BACK;
  }
  return good;
}

static double guard_rate(const rh_slopes *s, int k)
{
  return (s->guard[0][k] - s->guard[1][k]) / BACK;
}

// The longest delay of the event in a world, by one step of Newton's method from the time of the run's
static bool find_spread(rh_slopes *s, double *spread)
{
  int k = first_hit(s->job.twin);
  *spread = 0;
  for (int i = 1; i <= 2 * s->job.n; i++) {
    rh_sim *sim = rh_slopes_world(s, i);
    rh_slopes_moved(s, i, s->side[0]);
    if (read_guards(sim, s->t, s->side[0], s->guard[2]) != 0) {
      return false;
    }
    double delay = -(s->guard[2][k] - s->guard[0][k]) / guard_rate(s, k);
    *spread = fmax(*spread, MARGIN * fabs(delay));
  }
  return *spread < LONGEST;
}

// From `spread` before the run's event to that of the world: y is moved there, delay is the time between both events
static bool find_event(rh_slopes *s, rh_sim *sim, double spread, double *y, double *delay)
{
  enum { NEWTON = 6 };

  const int *hit = rh_event_engine_of(sim)->hit;
  int first = first_hit(sim);
  double by = 0;
  double least = HUGE_VAL;
  bool good = true;
  for (int k = 0; k < NEWTON && good; k++) {
    good = read_guards(sim, s->t + by, y, s->guard[2]) == 0;
    double more = -(s->guard[2][first] - s->guard[0][first]) / guard_rate(s, first);
    if (!(fabs(more) < 0.5 * least)) {
      break; // rounding
    }
    least = fabs(more);
    good = good && fabs(more) < 2 * LONGEST && flow_by(s, sim, s->t + by, more, y);
    by += more;
  }
  good = good && read_guards(sim, s->t + by, y, s->guard[2]) == 0;
  *delay = by - spread;
  for (int k = first + 1; k < rh_event_engine_of(sim)->flow.nguard && good; k++) {
    double off = hit[k] ? (s->guard[2][k] - s->guard[0][k]) / guard_rate(s, k) : 0;
    good = fabs(off) <= APART[s->precise] * fabs(*delay) + CLOCK;
  }
  return good;
}

// Moments that are due: their times may depend on the values. False: they are of several times.
static bool find_moment(const rh_slopes *s, const rh_sim *sim, double *delay)
{
  const rh_sim *base = s->job.base;
  double now = *base->data->t;
  *delay = 0;
  for (int k = base->next; k < base->nqueue && base->queue[k].t <= now; k++) {
    double by = sim->queue[k].t - base->queue[k].t;
    if (k > base->next && fabs(by - *delay) > CLOCK) {
      return false;
    }
    *delay = by;
  }
  return true;
}

static bool find_moments(const rh_slopes *s, double *spread)
{
  *spread = 0;
  for (int i = 1; i <= 2 * s->job.n; i++) {
    double delay = 0;
    if (!find_moment(s, rh_slopes_world(s, i), &delay)) {
      return false;
    }
    *spread = fmax(*spread, fabs(delay));
  }
  return *spread < LONGEST;
}

static void act_moments(const rh_slopes *s, rh_sim *sim)
{
  const rh_sim *base = s->job.base;
  for (int k = base->next; k < base->nqueue && base->queue[k].t <= *base->data->t; k++) {
    rh_moment_act(sim, &sim->queue[k]);
  }
}

// One world over the event, to `spread` after that of the run
static bool cross_world(rh_slopes *s, int i, rh_break why, double spread)
{
  rh_sim *sim = rh_slopes_world(s, i);
  rh_data *d = sim->data;
  double *y = s->side[0];
  double delay = 0;
  bool found = true;
  if (i == 0) { // the state of the run itself
    memcpy(y, s->job.base->data->y, (size_t)s->length * sizeof *y);
  } else {
    rh_slopes_moved(s, i, y);
    found = why == RH_BREAK_EVENT
                ? find_event(s, sim, spread, y, &delay)
                : find_moment(s, sim, &delay) && flow_by(s, sim, s->t, spread + delay, y);
  }
  if (!found) {
    return rh_slopes_fail(s, RH_SLOPES_ORDER);
  }
  rh_slopes_put(s, i, *s->job.base->data->t + delay, y);
  if (why == RH_BREAK_EVENT) {
    rh_events_resolve(sim);
  } else {
    act_moments(s, sim);
  }
  sim->model->run.engine->restart(sim->engine, RH_RESTART_EVENT);
  memcpy(y, d->y, (size_t)d->ny * sizeof *y);
  if (sim->failed || !flow_by(s, sim, *d->t, spread - delay, y)) {
    return rh_slopes_fail(s, RH_SLOPES_NO_EVENT);
  }
  memcpy(d->y, y, (size_t)rh_event_engine_of(sim)->flow.n * sizeof *y);
  return true;
}

bool rh_slopes_cross(rh_slopes *s, rh_break why, double *spread)
{
  bool event = why == RH_BREAK_EVENT;
  for (int i = 0; i <= 2 * s->job.n; i++) {
    copy_guards(s, rh_slopes_world(s, i));
  }
  if (event && !find_rates(s)) {
    return rh_slopes_fail(s, RH_SLOPES_GRAZING);
  }
  if (!(event ? find_spread(s, spread) : find_moments(s, spread)) || !rh_slopes_back(s, *spread)) {
    return rh_slopes_fail(s, RH_SLOPES_SHARP);
  }
  bool good = true;
  for (int i = 0; i <= 2 * s->job.n && good; i++) {
    good = cross_world(s, i, why, *spread);
  }
  return good;
}
