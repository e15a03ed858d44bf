// impulse_path.c: the course of an impact at many points, followed in a fictitious time. Normal impulses come at rates lam_i >= 0,
//   springs   lam_i' = -kappa_i u_n,i while lam_i > 0 or u_n,i < 0      (as if on a bed of springs, [Ch] 2.28-2.33*)
//   else      in given proportions, over the points that approach when the event begins
// and friction is Coulomb's at every instant: f_i = -mu_i lam_i u_t/|u_t| where it slips, else the
// holding force. For given lam the motion is unique although friction is not. An event ends, all
// together, where the work W_n of the normal impulses is (1 - e^2) W_c, W_c that at the end of (the
// last) compression; e^2 is the mean over the points, weighted by their impulses so far. Points
// that still approach begin another. Springs may also be released one by one, with stiffness
// kappa_i/e_i^2: then there is one event.
// Points that approach slower than 1e-6 of the first speed, or after many events, are stopped in
// one plastic impact.
// The configuration is frozen. Points are sorted (multi_contact.h): the order of the input has no
// effect.
// e < 0, of all points and with one rule for all: an event that ends in compression, where W_n is
// first (1 - e^2) W_c; the points still approach. [Ch] 2.33* It is the only one, or `repeated`.
#include "impulse_path.h"
#include "impact/multi_contact.h"

#include <math.h>
#include <string.h>

static const double ENDLESS =
    1e8; // of the time of an event: a jam that something drives, as a belt

enum { EVENTS = 200, STEPS = 20000, PATIENCE = 300, SEARCH = 60, TOLD = 4, MANY = 200, CREEP = 16 };

// ---- Power and work

typedef enum stop { STOP_NONE, STOP_POWER, STOP_WORK } stop;

typedef struct event {
  bool compressing;
  bool early;      // it ends in compression; `left` is given
  double Wc, left; // W_n at the end of compression, and at which the event ends
} event;

static int work_of(const rh_impulse_path *c)
{
  return c->size - 2;
}

static double fastest_approach(const rh_impulse_path *c)
{
  double most = 0;
  for (int i = 0; i < c->n; i++) {
    most = fmax(most, -c->v[3 * i + 2]);
  }
  return most;
}

// Reports the state to the trace of the course.
static void report_state(rh_impulse_path *c, const double *y)
{
  double *u = c->scratch.traced + (size_t)3 * (size_t)c->n;
  const double *work = y + work_of(c);
  rh_many_at at = {
      .event = c->event, .Wn = c->past + work[0], .Wt = work[1], .p = c->scratch.traced, .u = u};
  rh_impulse_path_gather(c, y);
  rh_impulse_path_velocities(c, y, c->u);
  for (int i = 0; i < 3 * c->n; i++) {
    int to = 3 * (int)c->problem.order[i / 3] + i % 3;
    c->scratch.traced[to] = c->scratch.p[i];
    u[to] = c->u[i];
    at.P += i % 3 == 2 ? c->scratch.p[i] : 0;
  }
  c->trace->at(c->trace->user, &at);
}

// Power of the normal impulses at a part of the step
static double power_at(rh_impulse_path *c, double part)
{
  double *k = c->scratch.k + (size_t)(RH_COURSE_STAGES - 1) * (size_t)c->size;
  if (part == 1) {
    return k[work_of(c)];
  }
  rh_impulse_path_within(c, part, c->scratch.try);
  rh_impulse_path_slope(c, c->scratch.try, k, false);
  return k[work_of(c)];
}

// The part of the step, up to `hi`, where the power rises to zero
static double locate_power(rh_impulse_path *c, double hi)
{
  rh_impulse_path_bracket b = {.hi = hi, .at_lo = c->scratch.k[work_of(c)]};
  b.at_hi = power_at(c, hi);
  double part = hi;
  const double small = 1e-13 * (b.at_hi - b.at_lo);
  for (int i = 1; i < SEARCH && b.at_lo < 0 && b.hi - b.lo > 1e-14; i++) {
    part = rh_impulse_path_guess(&b, i);
    double at = power_at(c, part);
    if (fabs(at) <= small) {
      break;
    }
    rh_impulse_path_narrow(&b, part, at);
  }
  return part;
}

// ---- One event

static double mean_square(const rh_impulse_path *c)
{
  const double *p = c->y + c->moved;
  double sum = 0;
  double all = 0;
  for (int i = 0; i < c->n; i++) {
    sum += p[i] * c->problem.e[i] * c->problem.e[i];
    all += p[i];
  }
  return all > 0 ? sum / all : 0;
}

// Without factors from here on: shares are those given, or equal.
static void end_factors(rh_impulse_path *c)
{
  c->even = true;
  rh_impulse_path_first_modes(c);
  rh_impulse_path_velocities(c, c->y, c->v);
  rh_impulse_path_slope(c, c->y, c->scratch.k, true);
}

// The first shares of the impact; a pair without a factor ends them.
static void report_shares(rh_impulse_path *c)
{
  bool by_factors = c->rule->by_slip && !c->even;
  const double *lam = by_factors ? c->scratch.start : c->problem.split;
  if (by_factors && !rh_impulse_path_shares(c, c->v, c->scratch.start)) {
    c->even = true;
    c->pairs.lost = true;
    lam = c->problem.split;
  }
  c->pairs.ended = c->pairs.ended || (c->rule->by_slip && c->pairs.lost);
  for (int i = 0; i < c->n && c->pairs.share && c->event == 0 && !c->rule->springs; i++) {
    c->pairs.share[(int)c->problem.order[i]] = lam[i];
  }
  c->pairs.lost = false;
}

static void begin_event(rh_impulse_path *c)
{
  const size_t rows = 3 * (size_t)c->n;
  double *lam = c->y + c->r;
  double slope = 0;
  double speed = 0;
  c->y[work_of(c)] = 0;
  rh_impulse_path_velocities(c, c->y, c->v);
  for (int i = 0; i < c->n; i++) {
    c->problem.split[i] = c->v[3 * i + 2] < -RH_COURSE_STILL * c->speed;
  }
  rh_impulse_path_share_out(c);
  for (int i = 0; i < c->n; i++) {
    lam[i] = c->rule->springs ? 0 : c->problem.split[i];
  }
  c->even = (c->smooth && !c->pairs.several) || rh_impulse_path_unfactored(c);
  report_shares(c);
  for (size_t i = 0; i < (size_t)c->n; i++) {
    speed -= c->problem.split[i] * c->v[3 * i + 2];
    for (size_t j = 0; j < (size_t)c->n; j++) {
      slope +=
          c->problem.split[i] * c->problem.W[(3 * i + 2) * rows + 3 * j + 2] * c->problem.split[j];
    }
  }
  rh_impulse_path_first_modes(c);
  rh_impulse_path_velocities(c, c->y, c->v);
  rh_impulse_path_slope(c, c->y, c->scratch.k, true);
  if (c->trace != NULL) {
    report_state(c, c->y);
  }
  c->time = c->rule->springs ? 1 / c->rate : speed / slope;
}

// Energy that point i stores at x: lam^2/(2 kappa), 2/5 of lam x under Hertz's law.
static double stored_energy(const rh_impulse_path *c, int i, double x)
{
  return c->rule->hertz ? 0.4 * rh_impulse_path_force(c, i, x) * x
                        : 0.5 / c->problem.kappa[i] * x * x;
}

// A point whose spring could still move it; under Hertz's law, faster than 0.1 SLOW.
static bool is_pressed(const rh_impulse_path *c, int i)
{
  const double x = c->y[c->r + i];
  const double d = c->problem.W[(3 * (size_t)i + 2) * (3 * (size_t)c->n + 1)];
  const double slow = 0.1 * RH_COURSE_SLOW * c->speed;
  return c->rule->hertz ? 2 * d * stored_energy(c, i, x) > slow * slow
                        : rh_impulse_path_speed_of(c, i, x) > 0.1 * slow;
}

// Springs: true if no point is pressed and none approaches.
static bool open_all(const rh_impulse_path *c)
{
  for (int i = 0; i < c->n; i++) {
    if (is_pressed(c, i) || c->v[3 * i + 2] < -0.1 * RH_COURSE_SLOW * c->speed) {
      return false;
    }
  }
  return true;
}

// Returns the part of the step at which the work, the power or a spring ends it.
static double find_step_end(rh_impulse_path *c, const event *e, double h, stop *why)
{
  static const double one[2] = {1, -1};
  double part = rh_impulse_path_change(c, h);
  bool works = e->early || !e->compressing;
  if (c->rule->local) {
    return part;
  }
  if (e->compressing && power_at(c, part) >= 0) {
    *why = STOP_POWER;
    rh_impulse_path_make_dense(c, h);
    part = locate_power(c, part);
  }
  double over = c->scratch.next[work_of(c)] - e->left;
  if (works && (part < 1 || (e->early ? over < 0 : over > 0))) {
    const rh_impulse_path_form f = {e->early ? e->left : -e->left, one + e->early, work_of(c), 1};
    rh_impulse_path_make_dense(c, h);
    double at = rh_impulse_path_root(c, &f, part);
    if (at < part) {
      *why = STOP_WORK;
      part = at;
    }
  }
  return part;
}

// A point that sticks may begin to slip within the step. It begins with no acceleration, so that
// its time need not be exact: the error of its motion is within the tolerance, (dt/time)^2 / 2 of
// the velocities. c->next, which is not valid, becomes the state there.
static double locate_loose(rh_impulse_path *c, double h, double part, double at_hi)
{
  const double enough = sqrt(c->tolerance) * c->time / h;
  rh_impulse_path_make_dense(c, h);
  double *k = c->scratch.k + (size_t)(RH_COURSE_STAGES - 1) * (size_t)c->size;
  double lo = 0;
  double hi = part;
  double at_lo = -0.1; // it held
  at_hi = fmin(at_hi, 2) - 1;
  for (int i = 1; i < SEARCH && hi - lo > enough; i++) {
    double mid = (lo * at_hi - hi * at_lo) / (at_hi - at_lo) + 0.5 * enough;
    mid = i % 3 == 0 || !(mid > lo && mid < hi) ? 0.5 * (lo + hi) : mid;
    rh_impulse_path_within(c, mid, c->scratch.try);
    rh_impulse_path_slope(c, c->scratch.try, k, false);
    double at = rh_impulse_path_strain(c, c->scratch.try) - 1;
    if (at > 0) {
      hi = mid;
      at_hi = fmin(at, 1);
    } else {
      lo = mid;
      at_lo = fmin(at, -1e-6);
    }
  }
  if (hi < part) {
    rh_impulse_path_within(c, hi, c->scratch.next);
  }
  return hi;
}

// Springs released one by one: the work is their stored energy.
static void store_spring_work(const rh_impulse_path *c, double *y)
{
  double sum = c->y[work_of(c)];
  for (int i = 0; i < c->n; i++) {
    double before = stored_energy(c, i, c->y[c->r + i]);
    double now = stored_energy(c, i, fmax(y[c->r + i], 0));
    double own = c->mode[i] != RH_COURSE_OPEN ? rh_impulse_path_soft(c, i) * (now - before) : 0;
    sum -= own;
    y[c->moved + c->n + i] = c->y[c->moved + c->n + i] - own;
  }
  y[work_of(c)] = sum;
}

static void accept_step(rh_impulse_path *c, double h, double part, bool loose)
{
  if (part < 1) {
    rh_impulse_path_velocities(c, c->scratch.next, c->u);
  }
  memcpy(c->v, c->u, 3 * (size_t)c->n * sizeof(double));
  if (c->trace != NULL) {
    rh_impulse_path_make_dense(c, h);
  }
  for (int k = 1; k < TOLD && c->trace != NULL; k++) {
    rh_impulse_path_within(c, part * k / TOLD, c->scratch.try);
    if (c->rule->local) {
      store_spring_work(c, c->scratch.try);
    }
    report_state(c, c->scratch.try);
  }
  if (c->rule->local) {
    store_spring_work(c, c->scratch.next);
  }
  memcpy(c->y, c->scratch.next, (size_t)c->size * sizeof(double));
  bool changed = rh_impulse_path_update(c);
  if (loose) {
    rh_impulse_path_select(c);
  }
  if (c->rule->by_slip && !c->even && rh_impulse_path_unfactored(c)) {
    c->even = true;
    rh_impulse_path_first_modes(c);
    changed = true;
  }
  if (changed || loose || part < 1 || c->stiffly) {
    rh_impulse_path_velocities(c, c->y, c->v);
    rh_impulse_path_slope(c, c->y, c->scratch.k, true);
  } else { // the last slope of the step is the first of the next
    memcpy(c->scratch.k, c->scratch.k + (size_t)(RH_COURSE_STAGES - 1) * (size_t)c->size,
           (size_t)c->size * sizeof(double));
    memcpy(c->way, c->ahead, 2 * (size_t)c->n * sizeof(double));
  }
  if (c->trace != NULL) {
    report_state(c, c->y);
  }
}

// Ends an accurate step of h: true, the event is over. c->next is accepted, or a part of it.
static bool finish_step(rh_impulse_path *c, event *e, double h)
{
  double *last = c->scratch.k + (size_t)(RH_COURSE_STAGES - 1) * (size_t)c->size;
  stop why = STOP_NONE;
  rh_impulse_path_velocities(c, c->scratch.next, c->u);
  double part = find_step_end(c, e, h, &why);
  if (part < 1) {
    rh_impulse_path_within(c, part, c->scratch.next);
  }
  bool loose = c->loose;
  if (c->stick.held > 0 && !loose) {
    if (part < 1 || c->stiffly) {
      rh_impulse_path_slope(c, c->scratch.next, last, false);
    }
    double strain = rh_impulse_path_strain(c, c->scratch.next);
    loose = strain > 1;
    double sooner = loose ? locate_loose(c, h, part, strain) : part;
    why = sooner < part ? STOP_NONE : why;
    part = sooner;
  }
  accept_step(c, h, part, loose);
  if (why == STOP_WORK || (why == STOP_POWER && e->early)) {
    return true;
  }
  if (why == STOP_POWER) {
    e->compressing = false;
    e->Wc = c->y[work_of(c)];
    e->left = (1 - mean_square(c)) * e->Wc; // [Ch] 2.33*
    return e->left <= e->Wc;
  }
  if (!e->compressing && c->scratch.k[work_of(c)] < 0) {
    e->compressing = true; // a shift: energy stored later counts
  }
  return c->rule->springs && (c->rule->local || !e->compressing) && open_all(c);
}

// Released springs are stiffer.
static double longest_back(const rh_impulse_path *c)
{
  double longest = HUGE_VAL;
  for (int i = 0; i < c->n && c->rule->local; i++) {
    double d = c->problem.W[(3 * (size_t)i + 2) * (3 * (size_t)c->n + 1)];
    double k = rh_impulse_path_gain(c, i) * rh_impulse_path_force_slope(c, i, c->y[c->r + i]);
    longest = c->back[i] > 0 ? fmin(longest, 0.4 * c->problem.e[i] / sqrt(k * d)) : longest;
  }
  return longest;
}

// No longer than a fraction of the swing of a point on its spring
static double longest_press(const rh_impulse_path *c)
{
  double longest = longest_back(c);
  for (int i = 0; i < c->n; i++) {
    double d = c->problem.W[(3 * (size_t)i + 2) * (3 * (size_t)c->n + 1)];
    double k = rh_impulse_path_gain(c, i) * rh_impulse_path_force_slope(c, i, c->y[c->r + i]);
    bool bears = c->rule->springs && c->mode[i] != RH_COURSE_OPEN;
    longest = bears ? fmin(longest, 0.2 / sqrt(k * d)) : longest;
  }
  return longest;
}

// No longer than a step over which all friction of points that hardly slip, or stick, is within the tolerance: its direction does
// not matter.
static double longest_faint(const rh_impulse_path *c)
{
  double most = 0;
  for (int i = 0; i < c->n; i++) {
    const double *u = c->v + (ptrdiff_t)3 * i;
    bool faint = u[0] * u[0] + u[1] * u[1] <= 100 * c->still * c->still;
    bool bears = c->mode[i] != RH_COURSE_OPEN;
    double force = c->problem.mu[i] * rh_impulse_path_force(c, i, c->y[c->r + i]);
    most = faint && bears ? fmax(most, force) : most;
  }
  return c->tolerance * c->speed / (most * c->stiff * c->stiff);
}

// One creep step, up to `most`; true: the event is over. Twice as long each time while the slip is
// negligible; above the 16-fold, as the change of the rates lets it be: in the long end of an impact
// small forces hardly move the points.
static bool creep_on(rh_impulse_path *c, event *e, double most)
{
  const double once = sqrt(2 * c->tolerance) * c->time;
  const double before = c->crept_h;
  double longer = fmin(c->creep, longest_press(c));
  double start = fmax(once, fmin(longest_faint(c), 16 * once));
  double used = fmin(fmin(fmax(2 * before, start), fmax(16 * once, longer)), most);
  c->loose = true;
  double error = rh_impulse_path_step_creep(c, used);
  c->creep = before > 0 && error > 0 ? used * fmin(0.8 * sqrt(CREEP / error), 2) : 0;
  return finish_step(c, e, used);
}

// Springs that friction holds down, as of an arm whose tip the floor locks: nothing moves any more, and what they store is lost.
static bool stands_still(const rh_impulse_path *c)
{
  double square = 0;
  for (int i = 0; i < c->n; i++) {
    const double *u = c->v + (ptrdiff_t)3 * i;
    bool parts = c->mode[i] == RH_COURSE_OPEN && u[2] >= -c->still;
    bool stands = c->mode[i] == RH_COURSE_STICK && fabs(u[2]) <= c->still;
    if (!parts && !stands) {
      return false;
    }
  }
  for (int k = 0; k < c->r; k++) {
    square += c->scratch.k[k] * c->scratch.k[k];
  }
  return c->rule->springs && !c->loose && sqrt(square) * c->stiff * c->time <= c->still;
}

static bool run_event(rh_impulse_path *c, event *e)
{
  begin_event(c);
  double h = 0.3 * c->time;
  const double least = 1e-14 * h;
  c->crept_h = 0;
  double reach = 0.4; // of the time until a point stops
  bool again = false; // the step before was too long
  for (int i = 0; i < STEPS; i++) {
    if (i == PATIENCE && c->rule->by_slip && !c->even) { // proportions by slip may oscillate
      end_factors(c);
    }
    if (stands_still(c)) {
      return true;
    }
    bool nearly = false;
    double stops = c->loose ? 0 : rh_impulse_path_longest(c, &nearly);
    if (c->loose || nearly) {
      if (creep_on(c, e, c->loose ? HUGE_VAL : 3 * stops)) {
        return true;
      }
      h = fmin(h, fmax(10 * c->crept_h, 0.1 * h)); // forces jump where a point stops
      continue;
    }
    c->crept_h = 0;
    if (rh_impulse_path_is_linear(c)) {
      if (finish_step(c, e,
                      rh_impulse_path_step_linear(c, (c->rule->springs ? 0.5 : 4) * c->time))) {
        return true;
      }
      continue;
    }
    double used = fmin(fmin(h, longest_back(c)), reach * stops);
    if (!(used <= ENDLESS * c->time)) {
      return false;
    }
    bool stiff = rh_impulse_path_is_stiff(
        c, used, i < MANY ? 3 : 0.5); // points add up; in long events they do
    double error = stiff ? rh_impulse_path_step_stiff(c, used) : rh_impulse_path_step(c, used);
    if (c->pairs.lost) { // found to a thousandth of the event
      c->pairs.lost = false;
      h = 0.5 * used;
      if (used <= 1e-3 * c->time) {
        c->pairs.ended = true;
        end_factors(c);
      }
      continue;
    }
    if (isnan(error) || used < least) {
      return false;
    }
    double factor = error > 0 ? 0.85 * rh_pow(error, stiff ? -0.25 : -0.2) : 4;
    double next = used * (c->turned ? 0.5 : fmin(fmax(factor, 0.2), again ? 1 : 4));
    again = !(error <= 1);
    if (used < h || again) { // errors go with some 6th power of it
      double change = c->turned ? 0.7 : error > 0 ? rh_pow(0.3 / error, 1.0 / 6) : 2;
      reach = fmin(fmax(reach * fmin(fmax(change, 0.5), 2), 0.2), 0.97);
    }
    if (again) {
      h = next;
      continue;
    }
    h = used < h ? fmax(h, next) : next;
    if (finish_step(c, e, used)) {
      return true;
    }
  }
  return false;
}

// The work of compression must be known before it can end early: the event runs twice.
static bool run_early(rh_impulse_path *c, double square)
{
  const size_t bytes = (size_t)c->size * sizeof(double);
  const rh_many_trace *trace = c->trace;
  event whole = {.compressing = true};
  memcpy(c->scratch.begun, c->y, bytes);
  c->trace = NULL;
  bool good = run_event(c, &whole);
  c->trace = trace;
  memcpy(c->y, c->scratch.begun, bytes);
  if (!good) {
    return false;
  }
  event part = {.compressing = true, .early = true, .left = (1 - square) * whole.Wc}; // [Ch] 2.33*
  if (part.left < 0) {
    return run_event(c, &part);
  }
  c->y[work_of(c)] = 0;
  return true;
}

// ---- All

// True if all points have the same negative e.
static bool ends_early(const rh_impulse_path *c)
{
  for (int i = 0; i < c->n; i++) {
    if (c->problem.e[i] != c->problem.e[0]) {
      return false;
    }
  }
  return c->problem.e[0] < 0 && !c->rule->local;
}

static void run_events(rh_impulse_path *c, rh_many_out *out, bool *good)
{
  rh_impulse_path_velocities(c, c->y, c->v);
  double first = fastest_approach(c);
  double now = first;
  bool early = ends_early(c);
  double square = c->problem.e[0] * c->problem.e[0];
  if (early) { // the work of compression first: no restitution
    memset(c->problem.e, 0, (size_t)c->n * sizeof(double));
  }
  for (int i = 0; i < EVENTS && *good && now > RH_COURSE_SLOW * first; i++) {
    event e = {.compressing = true};
    *good = early ? run_early(c, square) : run_event(c, &e);
    double W = c->y[work_of(c)];
    out->Dn -= W;
    if (out->impacts < RH_MANY_EVENTS) {
      out->Wn[out->impacts] = W;
    }
    out->impacts++;
    c->past += W;
    c->event++;
    now = early && !c->repeated ? 0 : fastest_approach(c);
  }
}

bool rh_impulse_path_run(const rh_many_in *in, const rh_impulse_path_rule *rule, double tolerance,
                         double *room, double *p, double *u_after, rh_many_out *out)
{
  rh_impulse_path c = {.rule = rule, .tolerance = tolerance, .trace = in->trace};
  bool good = true;
  if (!rh_many_open(in, p, u_after, out)) {
    return true;
  }
  rh_impulse_path_open(&c, in, room);
  if (rh_many_early(in) && !ends_early(&c)) {
    return false;
  }
  run_events(&c, out, &good);
  out->unfactored = c.pairs.ended;
  out->again = c.again;
  return rh_impulse_path_settle(&c, in, p, u_after, out) && good;
}
