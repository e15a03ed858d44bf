// free_impact.c: a single impact by extrapolation of the modified midpoint rule (Gragg, Bulirsch,
// Stoer) to order 12, with steps that end at the kinks of the law: where the velocity changes sign,
// the force is cut or comes back.
// Everything is measured by the depth L and the speed V of the same impact without damping, so that
// the integrator's problem does not depend on sizes and stiffnesses.
#include "free_impact.h"

#include <math.h>
#include <string.h>

#define COLUMNS   6     // 2, 4, ... 12 substeps
#define TOLERANCE 1e-14 // of a step, in units of L and V
#define STEP_MAX  0.25  // of L / V; an undamped impact lasts about 3
#define STEPS     10000 // more: too stiff for an explicit method
#define CAPTURED  1e-12 // energy below that of the surface, above the integration error
#define STILL     1e-24 // energy left that makes e < 1e-12
#define ACCOUNT   1e-9  // to which the energy must close
#define BALANCE   1e-11 // of the energy in a step, to which its error estimate is believed
#define FAINT     1e-8  // least energy of the impact relative to that of gravity
#define SHALLOW   1e-6  // of L: a depth below it has lost its digits
#define SLOPE     1e-5  // step of the difference quotient of the force
#define TIE       1e-12 // two events nearer than this are one
#define MARGINAL  1e-6  // of the rate: a force restored by so small a reduction was not cut

enum { Z, RATE, LOSS, STATE, NY };

typedef enum event { NO_EVENT, RETURN, TURN, KINK, PEAK } event;

typedef struct impact {
  const rh_impact1_in *in;
  rh_impact1_out *out;
  double L, V, T;  // [m], [m/s], [s] units
  double energy;   // of the start, in m V^2
  double t, y[NY]; // time, depth, rate, loss in these units
  double h;        // next step
  bool turned;     // the velocity points outwards
  bool pressing;   // the force is not cut
  bool rising;     // the force rises
  bool settled;    // laws with a state are evaluated at rest
  bool done;
  int steps;
} impact;

static double law_at(impact *m, const double *y, rh_normal_out *f)
{
  double state = y[STATE] * m->L;
  rh_normal_in in = {.depth = fmax(y[Z], 0) * m->L,
                     .rate = y[RATE] * m->V,
                     .radius = m->in->radius,
                     .par = m->in->par,
                     .s = m->in->law->nstate > 0 && !m->settled ? &state : NULL};
  f->ds = f->lost = 0;
  m->in->law->force(&in, f);
  m->out->evaluations++;
  return f->spring + f->damper;
}

static double force_at(impact *m, const double *y)
{
  rh_normal_out f;
  return law_at(m, y, &f);
}

static void rate_at(impact *m, const double *y, double *dy)
{
  rh_normal_out f;
  double force = law_at(m, y, &f);
  dy[Z] = y[RATE];
  dy[RATE] = (m->in->gravity - force / m->in->mass) * (m->T / m->V);
  dy[LOSS] = f.damper * y[RATE] * m->T / (m->in->mass * m->V);
  dy[LOSS] += f.lost * m->T / (m->in->mass * m->V * m->V);
  dy[STATE] = f.ds / m->V;
}

// Energy of body and spring, in m V^2; zero at rest on the surface.
static double energy_at(impact *m, const double *y)
{
  rh_normal_out f;
  (void)law_at(m, y, &f);
  return 0.5 * y[RATE] * y[RATE] +
         (f.stored / m->in->mass - m->in->gravity * fmax(y[Z], 0) * m->L) / (m->V * m->V);
}

static void integrate_midpoint(impact *m, const double *dy, double h, int n, double *end)
{
  double before[NY];
  double now[NY];
  double slope[NY];
  h /= n;
  for (int i = 0; i < NY; i++) {
    before[i] = m->y[i];
    now[i] = m->y[i] + h * dy[i];
  }
  for (int k = 1; k < n; k++) {
    rate_at(m, now, slope);
    for (int i = 0; i < NY; i++) {
      double next = before[i] + 2 * h * slope[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  rate_at(m, now, slope);
  for (int i = 0; i < NY; i++) {
    end[i] = 0.5 * (now[i] + before[i] + h * slope[i]);
  }
}

// The state after a step h; returns its error.
static double extrapolate_step(impact *m, double h, double *end)
{
  double table[COLUMNS][NY];
  double dy[NY];
  double error = 0;
  rate_at(m, m->y, dy);
  for (int j = 0; j < COLUMNS; j++) {
    integrate_midpoint(m, dy, h, 2 * (j + 1), table[j]);
    for (int k = j - 1; k >= 0; k--) { // Neville, in the square of the substep
      double ratio = (double)((j + 1) * (j + 1)) / ((k + 1) * (k + 1));
      for (int i = 0; i < NY; i++) {
        table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio - 1);
      }
    }
  }
  for (int i = 0; i < NY; i++) {
    end[i] = table[0][i];
    error = fmax(error, fabs(table[0][i] - table[1][i]));
    error = isfinite(end[i]) ? error : HUGE_VAL;
  }
  return error;
}

// A force that changes within a part of the step can deceive the estimate: the energy does not. Steps
// that end above the surface are cut to it, and are not checked.
static bool energy_balances(impact *m, const double *end)
{
  long evaluations = m->out->evaluations;
  double change = energy_at(m, end) + end[LOSS] - energy_at(m, m->y) - m->y[LOSS];
  m->out->evaluations = evaluations;
  return end[Z] < 0 || fabs(change) <= BALANCE;
}

static double slope_at(impact *m, const double *y)
{
  double dy[NY];
  double ahead[NY];
  double behind[NY];
  rate_at(m, y, dy);
  for (int i = 0; i < NY; i++) {
    ahead[i] = y[i] + SLOPE * dy[i];
    behind[i] = y[i] - SLOPE * dy[i];
  }
  return force_at(m, ahead) - force_at(m, behind[Z] > 0 ? behind : y);
}

// A function that is positive until the event and not positive from then on.
static double event_function(impact *m, event what, const double *y)
{
  if (what == RETURN) {
    return y[Z];
  }
  if (what == TURN) {
    return m->turned ? -y[RATE] : y[RATE];
  }
  if (what == KINK) { // a force that is cut is zero to the last bit
    return (force_at(m, y) != 0) == m->pressing ? 1 : -1;
  }
  return slope_at(m, y);
}

// Time of the event in the step h. Illinois' rule, and bisection where that is slow.
static double locate_event(impact *m, event what, double h, double *end)
{
  double y[NY];
  double a = 0;
  double b = h;
  double fa = fmax(event_function(m, what, m->y), 1e-300);
  double fb = event_function(m, what, end);
  for (int i = 0; i < 100 && b - a > 1e-15 * (m->t + b); i++) {
    double c = fb < 0 && i % 3 != 2 && what != KINK ? (a * fb - b * fa) / (fb - fa) : 0.5 * (a + b);
    c = c > a && c < b ? c : 0.5 * (a + b);
    (void)extrapolate_step(m, c, y);
    double fc = event_function(m, what, y);
    if (fc > 0) {
      a = c;
      fa = fc;
      fb *= 0.5;
    } else {
      b = c;
      fb = fc;
      fa *= 0.5;
      memcpy(end, y, sizeof(y));
    }
    if (fc == 0 && what != KINK) {
      break;
    }
  }
  return b;
}

// The first event in the step h that leads to `end`; both are cut to it.
static event first_event(impact *m, double *h, double *end)
{
  event first = NO_EVENT;
  double whole[NY];
  memcpy(whole, end, sizeof(whole));
  double size = *h;
  for (event what = RETURN; what <= PEAK; what = (event)(what + 1)) {
    double y[NY];
    memcpy(y, whole, sizeof(y));
    if ((what == PEAK && !m->rising) || event_function(m, what, y) > 0) {
      continue;
    }
    double at = locate_event(m, what, size, y);
    double tie = what == KINK ? TIE : 0; // a force that ends at the surface is not cut
    if (first == NO_EVENT || at < *h - tie) {
      *h = at;
      first = what;
      memcpy(end, y, sizeof(y));
    }
  }
  return first;
}

static void note_point(impact *m)
{
  double force = force_at(m, m->y);
  rh_impact1_out *o = m->out;
  if (force > o->peak_force) {
    o->peak_force = force;
    o->time_of_peak_force = m->t * m->T;
    o->penetration_at_peak = m->y[Z] * m->L;
  }
  if (m->y[Z] * m->L > o->max_penetration) {
    o->max_penetration = m->y[Z] * m->L;
    o->time_of_max_penetration = m->t * m->T;
  }
}

// Strongly damped, the body can come out at the very speed at which spring and damper cancel ([MO] sec. 4.1). Rounding
// then decides whether the force is cut; it is not, if it would be there at half the depth and
// slightly less speed.
static bool is_marginal(impact *m)
{
  double y[NY] = {0.5 * m->out->penetration_left / m->L, m->y[RATE] * (1 - MARGINAL)};
  return force_at(m, y) > 0;
}

// [J] in the state of the law at the surface
static double energy_left(impact *m)
{
  const double surface[NY] = {[STATE] = m->y[STATE]};
  rh_normal_out f = {0};
  if (m->in->law->nstate > 0) {
    (void)law_at(m, surface, &f);
  }
  return f.stored;
}

static void handle_event(impact *m, event what)
{
  rh_impact1_out *o = m->out;
  note_point(m);
  if (what == TURN) {
    m->turned = !m->turned;
    if (m->turned && m->y[Z] * m->L > o->max_penetration * (1 - TIE)) { // to the last digit
      o->time_of_max_penetration = m->t * m->T;
    }
  } else if (what == PEAK) {
    m->rising = false;
  } else if (what == KINK) {
    m->pressing = !m->pressing;
    o->contact_time = m->t * m->T;
    o->penetration_left = m->y[Z] * m->L;
  } else if (what == RETURN) {
    m->done = true;
    o->leaves = true;
    o->time_of_return = m->t * m->T;
    o->rebound_speed = -m->y[RATE] * m->V;
    o->e = o->rebound_speed / fabs(m->in->speed);
    o->energy_loss = m->y[LOSS] * m->in->mass * m->V * m->V + energy_left(m);
    if (m->pressing || (m->in->law->nstate == 0 && is_marginal(m))) {
      o->contact_time = o->time_of_return;
      o->penetration_left = 0;
    }
  } else if (!m->rising) {
    m->rising = m->pressing && slope_at(m, m->y) > 0;
  }
}

// Depth at which the spring carries the weight.
static double rest_depth(impact *m)
{
  double lo = 0;
  double hi = m->in->law->nstate > 0 ? 1e6 : 2; // beyond the depth of the undamped impact
  for (int i = 0; i < 100 && m->in->gravity > 0; i++) {
    double y[NY] = {0.5 * (lo + hi)};
    if (force_at(m, y) > m->in->mass * m->in->gravity) {
      hi = y[Z];
    } else {
      lo = y[Z];
    }
  }
  return m->in->gravity > 0 ? lo : 0;
}

// The damper only removes energy: a body below the energy of the free surface is caught.
static void look_for_rest(impact *m)
{
  double left = energy_at(m, m->y);
  double y[NY] = {0};
  bool caught = m->in->gravity > 0 ? left < -CAPTURED : left < STILL;
  if (!caught) {
    return;
  }
  m->settled = true;
  y[Z] = rest_depth(m);
  double least = energy_at(m, y);
  m->settled = false;
  if (!m->turned && left - least > STILL) {
    return; // it may still go deeper
  }
  rh_impact1_out *o = m->out;
  m->done = true;
  o->leaves = false;
  o->contact_time = HUGE_VAL;
  o->time_of_return = HUGE_VAL;
  o->penetration_left = y[Z] * m->L;
  o->energy_loss = (m->energy - least) * m->in->mass * m->V * m->V;
  if (!m->turned) { // it creeps and never arrives
    o->max_penetration = y[Z] * m->L;
    o->time_of_max_penetration = HUGE_VAL;
    o->time_of_peak_force = m->rising ? HUGE_VAL : o->time_of_peak_force;
  }
}

static rh_status advance_impact(impact *m, double t_stop)
{
  while (!m->done && m->t < t_stop) {
    double end[NY];
    bool cut = m->h >= t_stop - m->t;
    double h = cut ? t_stop - m->t : m->h;
    double error = extrapolate_step(m, h, end);
    double next = h * fmin(4, fmax(0.1, rh_pow(0.25 * TOLERANCE / fmax(error, 1e-30), 1.0 / 11)));
    if (++m->steps > STEPS) {
      return RH_TOLERANCE_NOT_REACHED;
    }
    if (!(error <= TOLERANCE) || !energy_balances(m, end)) {
      m->h = fmin(next, 0.5 * h);
      continue;
    }
    m->h = cut ? fmax(m->h, next) : next;
    m->h = fmin(m->h, STEP_MAX);
    double size = h;
    event what = first_event(m, &size, end);
    m->t = what == NO_EVENT && cut ? t_stop : m->t + size;
    memcpy(m->y, end, sizeof(end));
    handle_event(m, what);
    if (!m->done) {
      look_for_rest(m);
    }
  }
  return RH_OK;
}

// The depth of the same impact without damping, at zero velocity: the unit of length.
static bool find_units(impact *m)
{
  const rh_impact1_in *in = m->in;
  rh_normal_out f = {0};
  m->V = 1; // the law is evaluated at rest
  m->L = in->depth;
  const double one[NY] = {1};
  if (in->depth > 0) {
    (void)law_at(m, one, &f);
  }
  double total =
      0.5 * in->mass * in->speed * in->speed + f.stored - in->mass * in->gravity * in->depth;
  double lo = 0;
  double hi = HUGE_VAL;
  m->L = 1;
  for (int i = 0; i < 1200; i++) {
    (void)law_at(m, one, &f);
    if (f.stored - in->mass * in->gravity * m->L > total) {
      hi = m->L;
    } else {
      lo = m->L;
    }
    if (hi <= lo * (1 + 1e-6)) {
      break;
    }
    m->L = lo == 0 ? hi * 0.25 : isinf(hi) ? lo * 4 : 0.5 * (lo + hi);
  }
  m->L = hi;
  (void)law_at(m, one, &f);
  m->V = sqrt(2 * f.stored / in->mass);
  m->T = m->L / m->V;
  return lo > 0 && isfinite(hi) && isfinite(m->V) && m->V > 0 && isfinite(m->T) && m->T > 0;
}

static bool start_impact(impact *m, const rh_impact1_in *in, rh_impact1_out *out)
{
  memset(m, 0, sizeof(*m));
  memset(out, 0, sizeof(*out));
  RH_ASSERT(in->mass > 0 && in->depth >= 0 && in->gravity >= 0);
  RH_ASSERT(in->speed > 0 || in->depth > 0);
  m->in = in;
  m->out = out;
  if (!find_units(m)) {
    return false;
  }
  m->y[Z] = in->depth / m->L;
  m->y[RATE] = in->speed / m->V;
  m->energy = energy_at(m, m->y);
  m->turned = m->y[RATE] <= 0;
  m->pressing = in->depth == 0 || force_at(m, m->y) != 0;
  m->rising = slope_at(m, m->y) > 0;
  m->h = 1e-3;
  out->contact_time = HUGE_VAL;
  out->peak_force = -HUGE_VAL;
  out->max_penetration = -1;
  note_point(m);
  return isfinite(m->energy);
}

rh_status rh_impact1(const rh_impact1_in *in, rh_impact1_out *out)
{
  impact m;
  if (in->law->hold) { // it does not end at depth 0
    return RH_INPUT_REFUSED;
  }
  if (!start_impact(&m, in, out)) {
    return RH_NOT_FINITE;
  }
  RH_TRY(advance_impact(&m, HUGE_VAL));
  double left = energy_at(&m, m.y);
  bool closed = fabs(left + m.y[LOSS] - m.energy) <= ACCOUNT;
  bool faint = out->leaves && m.energy < FAINT;
  bool shallow = out->max_penetration < SHALLOW * m.L;
  return closed && !faint && !shallow ? RH_OK : RH_TOLERANCE_NOT_REACHED;
}

rh_status rh_impact1_at(const rh_impact1_in *in, int n, const double *t, rh_impact1_point *point)
{
  impact m;
  rh_impact1_out out;
  if (in->law->hold) {
    return RH_INPUT_REFUSED;
  }
  if (!start_impact(&m, in, &out)) {
    return RH_NOT_FINITE;
  }
  for (int i = 0; i < n; i++) {
    RH_TRY(advance_impact(&m, t[i] / m.T));
    bool there = !(m.done && out.leaves);
    point[i].t = t[i];
    point[i].z = there ? m.y[Z] * m.L : 0;
    point[i].rate = m.y[RATE] * m.V;
    point[i].force = there ? force_at(&m, m.y) : 0;
  }
  return RH_OK;
}
