// slip_turn.c: a part of an impact in space in which the slider moves along d = (cos a, sin a):
//   a' = u_t . d_perp / (c f_n),  c = mu eta2,   f_n' = -kappa u_n,   p' = f_n (-mu d, 1),
// while lambda = u_t . d + c kappa u_n >= 0. The first equation is stiff for small eta2 and singular
// (but attracting) where f_n = 0. Radau IIA of three stages, order 5, is stable for the first and
// never evaluates the start of a step. Unknowns of a step are the angle and f_n of its stages: the
// impulses follow from them. Errors are estimated by halving the step.
#include "course.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { STAGES = 3, NX = 2 * STAGES, NEWTON = 12, STEPS = 20000, SEARCH = 60 };

#define TOLERANCE 1e-11 // of the angle, where f_n is near its peak, and of f_n and p over theirs
#define LIGHT     1e-3  // minimum weight of an error of the angle: little impulse is left there
#define LAST      1e-7  // of the peak: f_n from which the rest, 1e-14 of the impulse, is straight
#define NEARER    0.85  // maximum share of the time left to f_n = 0 that a step takes
#define SOLVED    1e-13

#define S6 2.449489742783178098 // sqrt(6)

static const double A[STAGES][STAGES] = { // Radau IIA: Hairer and Wanner, table IV.5.6
    {(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225},
    {(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225},
    {(16 - S6) / 36, (16 + S6) / 36, 1.0 / 9}};
static const double place[STAGES] = {(4 - S6) / 10, (4 + S6) / 10, 1};

typedef struct turning {
  double angle, f; // f: normal
  double p[3];
} turning;

typedef struct stages {
  double h;
  double angle[STAGES], f[STAGES], d[STAGES][2];
  double p[STAGES][3], u[STAGES][3];
  double turn[STAGES]; // a'
  double lambda[STAGES];
} stages;

static double perp_dot(const double u[2], const double d[2])
{
  return u[1] * d[0] - u[0] * d[1];
}

// Everything of the stages from their angles and forces.
static void place_stages(const rh_course *c, const turning *from, stages *s)
{
  double mu_eta = c->mu * c->eta2;
  for (int j = 0; j < STAGES; j++) {
    s->d[j][0] = rh_cos(s->angle[j]);
    s->d[j][1] = rh_sin(s->angle[j]);
  }
  for (int j = 0; j < STAGES; j++) {
    memcpy(s->p[j], from->p, sizeof from->p);
    for (int k = 0; k < STAGES; k++) {
      double push = s->h * A[j][k] * s->f[k];
      s->p[j][0] -= c->mu * push * s->d[k][0];
      s->p[j][1] -= c->mu * push * s->d[k][1];
      s->p[j][2] += push;
    }
    rh_course_velocity(c, s->p[j], s->u[j]);
    s->turn[j] = perp_dot(s->u[j], s->d[j]) / (mu_eta * s->f[j]);
    s->lambda[j] = rh_course_dot(s->u[j], s->d[j], 2) + mu_eta * c->kappa * s->u[j][2];
  }
}

// Changes of velocities of stage k per change of the angle (by = 0) or the force (1) of stage m,
// over h A_km.
static void velocity_change(const rh_course *c, const stages *s, int m, int by, double du[3])
{
  const double turned[2] = {-s->d[m][1], s->d[m][0]};
  double push[3];
  for (int i = 0; i < 2; i++) {
    push[i] = -c->mu * (by == 0 ? s->f[m] * turned[i] : s->d[m][i]);
  }
  push[2] = by == 0 ? 0 : 1;
  for (int i = 0; i < 3; i++) {
    du[i] = rh_course_dot(c->W + (size_t)(3 * i), push, 3);
  }
}

// Derivatives of the residuals; columns and rows: angles, then forces.
static void fill_jacobian(const rh_course *c, const stages *s, double J[NX * NX])
{
  double mu_eta = c->mu * c->eta2;
  for (int column = 0; column < NX; column++) {
    int m = column % STAGES;
    int by = column / STAGES;
    double du[3];
    double dturn[STAGES];
    double dun[STAGES];
    velocity_change(c, s, m, by, du);
    for (int k = 0; k < STAGES; k++) {
      double share = s->h * A[k][m];
      dun[k] = share * du[2];
      dturn[k] = share * perp_dot(du, s->d[k]) / (mu_eta * s->f[k]);
    }
    dturn[m] -=
        by == 0 ? rh_course_dot(s->u[m], s->d[m], 2) / (mu_eta * s->f[m]) : s->turn[m] / s->f[m];
    for (int j = 0; j < STAGES; j++) {
      double angle = by == 0 && j == m ? 1 : 0;
      double force = by == 1 && j == m ? 1 : 0;
      for (int k = 0; k < STAGES; k++) {
        angle -= s->h * A[j][k] * dturn[k];
        force += s->h * A[j][k] * c->kappa * dun[k];
      }
      J[j * NX + column] = angle;
      J[(STAGES + j) * NX + column] = force;
    }
  }
}

static void fill_residual(const rh_course *c, const turning *from, const stages *s, double r[NX])
{
  for (int j = 0; j < STAGES; j++) {
    r[j] = s->angle[j] - from->angle;
    r[STAGES + j] = s->f[j] - from->f;
    for (int k = 0; k < STAGES; k++) {
      r[j] -= s->h * A[j][k] * s->turn[k];
      r[STAGES + j] += s->h * A[j][k] * c->kappa * s->u[k][2];
    }
  }
}

// One step by Newton's method. False: it does not converge, or f_n reaches zero within it.
static bool take_step(const rh_course *c, const turning *from, double h, stages *s)
{
  double u[3];
  s->h = h;
  rh_course_velocity(c, from->p, u);
  for (int j = 0; j < STAGES; j++) {
    s->angle[j] = from->angle;
    s->f[j] = from->f - c->kappa * u[2] * h * place[j];
    if (!(s->f[j] > 0)) {
      return false;
    }
  }
  bool last = false;
  for (int i = 0; i < NEWTON; i++) {
    double J[NX * NX];
    double x[NX];
    int pivot[NX];
    double change = 0;
    place_stages(c, from, s);
    if (last) {
      return true;
    }
    fill_residual(c, from, s, x);
    fill_jacobian(c, s, J);
    if (!rh_lu(NX, J, pivot)) {
      return false;
    }
    rh_lu_solve(NX, J, pivot, x);
    for (int j = 0; j < STAGES; j++) {
      s->angle[j] -= x[j];
      s->f[j] -= x[STAGES + j];
      change = fmax(change, fmax(fabs(x[j]), fabs(x[STAGES + j]) / fmax(s->f[j], c->peak)));
      if (!(s->f[j] > 0) || !(fabs(x[j]) < 2)) {
        return false;
      }
    }
    last = change < SOLVED;
  }
  return last;
}

static turning end_of(const stages *s)
{
  turning t = {.angle = s->angle[STAGES - 1], .f = s->f[STAGES - 1]};
  memcpy(t.p, s->p[STAGES - 1], sizeof t.p);
  return t;
}

static double step_error(const rh_course *c, const turning *whole, const turning *halves)
{
  double peak = fmax(c->peak, halves->f);
  double weight = fmax(halves->f / peak, LIGHT);
  double error =
      fmax(weight * fabs(whole->angle - halves->angle), fabs(whole->f - halves->f) / peak);
  for (int i = 0; i < 3; i++) {
    error = fmax(error, fabs(whole->p[i] - halves->p[i]) / (1 + c->mu));
  }
  return error / 31 / TOLERANCE; // 2^5 - 1: order 5
}

// ---- Ends within a step

// Speed of the slider and its rate: lambda, and its derivative with d' = a' d_perp.
typedef struct margin {
  double value, rate;
} margin;

static margin hold_margin(const rh_course *c, const stages *s)
{
  int k = STAGES - 1;
  const double f[3] = {-c->mu * s->f[k] * s->d[k][0], -c->mu * s->f[k] * s->d[k][1], s->f[k]};
  double rate[3];
  for (int i = 0; i < 3; i++) {
    rate[i] = rh_course_dot(c->W + (size_t)(3 * i), f, 3);
  }
  double sum = rh_course_dot(rate, s->d[k], 2) + s->turn[k] * perp_dot(s->u[k], s->d[k]) +
               c->mu * c->eta2 * c->kappa * rate[2];
  return (margin){s->lambda[k], sum};
}

// Positive before the end of the part: lambda where it may hold, and u_n as it was.
static double stage_margin(const rh_course *c, const stages *s, int k, bool holds)
{
  double turn = c->compressing ? -s->u[k][2] : s->u[k][2];
  return holds ? fmin(turn, s->lambda[k]) : turn;
}

// Share of the step by which a margin has vanished, 0: it has not. Between the stages lambda is
// examined by its cubic through both ends, since it may dip just before separation.
static double vanishing_share(const rh_course *c, const stages *s, bool holds, const margin *start)
{
  for (int k = 0; k < STAGES; k++) {
    if (stage_margin(c, s, k, holds) < 0) {
      return place[k];
    }
  }
  margin end = hold_margin(c, s);
  if (!holds || start->rate >= 0 || end.rate <= 0) {
    return 0;
  }
  for (int i = 1; i < 16; i++) {
    double x = i / 16.0;
    double y = 1 - x;
    double cubic = y * y * ((1 + 2 * x) * start->value + x * s->h * start->rate) +
                   x * x * ((3 - 2 * x) * end.value - y * s->h * end.rate);
    if (cubic < 0) {
      return x;
    }
  }
  return 0;
}

// A step from `from` of at most h that ends just after the first margin has vanished; regula falsi
// with halved ends (Illinois). `s` becomes that step.
static rh_course_end locate_end(const rh_course *c, const turning *from, bool holds, double h,
                                stages *s)
{
  double lo = 0;
  double hi = h;
  double at_lo = 0;
  double at_hi = 0;
  rh_course_end found = RH_COURSE_LOST;
  for (int i = 0; i < SEARCH && hi - lo > 1e-15 * (1 + c->tau); i++) {
    stages trial;
    double share = at_lo > 0 && at_hi < 0 && i % 4 != 3 ? at_lo / (at_lo - at_hi) : 0.5;
    double x = i == 0 ? h : lo + share * (hi - lo);
    x = x <= lo || x > hi ? 0.5 * (lo + hi) : x;
    if (!take_step(c, from, x, &trial)) {
      hi = x;
      at_hi = 0;
      continue;
    }
    double now = stage_margin(c, &trial, STAGES - 1, holds);
    if (now <= 0) {
      at_lo *= at_hi < 0 ? 0.5 : 1;
      hi = x;
      at_hi = now;
      *s = trial;
      bool turns = (c->compressing ? -1 : 1) * trial.u[STAGES - 1][2] <= 0;
      found = turns ? RH_COURSE_TURN : RH_COURSE_HOLD;
      if (now == 0) {
        break;
      }
    } else if (i == 0) {
      return RH_COURSE_LOST; // the cubic was too coarse: no end here
    } else {
      at_hi *= at_lo > 0 ? 0.5 : 1;
      lo = x;
      at_lo = now;
    }
  }
  return found;
}

// ---- The part

static void move_to(rh_course *c, const turning *to, double h)
{
  double d[2] = {rh_cos(to->angle), rh_sin(to->angle)};
  double f[3] = {-c->mu * to->f * d[0], -c->mu * to->f * d[1], to->f};
  c->way[0] = d[0];
  c->way[1] = d[1];
  rh_course_move(c, c->tau + h, f, to->p);
}

static void sample_step(const rh_course *c, const stages *s)
{
  if (c->watch != NULL && c->watch->at != NULL) {
    int k = STAGES - 1;
    double f[3] = {0, 0, s->f[k]};
    rh_course_sample(c, c->tau + s->h, f, s->p[k]);
  }
}

// The rest, with little force left, along a fixed direction.
static rh_course_end finish_straight(rh_course *c)
{
  double rate = c->kappa * c->u[2];
  double p[3];
  const double f[3] = {0};
  double push = 0.5 * c->f[2] * c->f[2] / rate;
  double time = c->f[2] / rate;
  for (int i = 0; i < 3; i++) {
    p[i] = c->p[i] + push * (i == 2 ? 1 : -c->mu * c->way[i]);
  }
  rh_course_move(c, c->tau + time, f, p);
  return RH_COURSE_OVER;
}

// Half steps h / 2 twice, accepted: to the end of the part, or on. `start`: the margin before, then
// after.
static rh_course_end accept_halves(rh_course *c, const turning *from, stages half[2], bool holds,
                                   margin *start)
{
  turning now = *from;
  for (int k = 0; k < 2; k++) {
    double share = vanishing_share(c, &half[k], holds, start);
    rh_course_end end =
        share > 0 ? locate_end(c, &now, holds, share * half[k].h, &half[k]) : RH_COURSE_LOST;
    now = end_of(&half[k]);
    *start = hold_margin(c, &half[k]);
    sample_step(c, &half[k]);
    move_to(c, &now, half[k].h);
    if (end != RH_COURSE_LOST) {
      return end;
    }
  }
  return RH_COURSE_LIMIT; // none: it goes on
}

static bool almost_over(const rh_course *c)
{
  return !c->compressing && c->f[2] <= LAST * c->peak && c->u[2] > 0;
}

// Without friction the force is normal and the way does not matter.
static rh_course_end slip_freely(rh_course *c)
{
  double period = sqrt(c->kappa);
  double p[3] = {0};
  double f[3] = {0};
  bool over = !c->compressing;
  double energy = 0.5 * (c->f[2] * c->f[2] / c->kappa + c->u[2] * c->u[2]);
  double push = over ? sqrt(2 * energy) : -c->u[2];
  p[2] = c->p[2] + push;
  f[2] = over ? 0 : sqrt(2 * energy * c->kappa);
  rh_course_move(c, c->tau + rh_asin(1) / period, f, p);
  return over ? RH_COURSE_OVER : RH_COURSE_TURN;
}

rh_course_end rh_course_slip_turn(rh_course *c, bool holds)
{
  double h = fmin(0.05, 0.05 / sqrt(c->kappa));
  margin start = {0, 0};
  if (c->mu == 0) {
    return slip_freely(c);
  }
  for (int i = 0; i < STEPS; i++) {
    turning from = {.angle = rh_atan2(c->way[1], c->way[0]), .f = c->f[2]};
    stages whole;
    stages half[2];
    memcpy(from.p, c->p, sizeof from.p);
    if (almost_over(c)) {
      return finish_straight(c);
    }
    double left = c->compressing ? HUGE_VAL : NEARER * c->f[2] / (c->kappa * c->u[2]);
    h = fmin(h, left);
    bool good = take_step(c, &from, h, &whole) && take_step(c, &from, 0.5 * h, &half[0]);
    turning middle = good ? end_of(&half[0]) : from;
    good = good && take_step(c, &middle, 0.5 * h, &half[1]);
    if (!good) {
      h *= 0.25;
      continue;
    }
    turning ends[2] = {end_of(&whole), end_of(&half[1])};
    double error = step_error(c, &ends[0], &ends[1]);
    if (error > 1) {
      h *= fmax(0.1, 0.8 * rh_pow(error, -1.0 / 6));
      continue;
    }
    rh_course_end end = accept_halves(c, &from, half, holds, &start);
    if (end != RH_COURSE_LIMIT) {
      return end;
    }
    holds = true;
    h *= fmin(4, 0.8 * rh_pow(fmax(error, 1e-8), -1.0 / 6));
  }
  return RH_COURSE_LOST;
}
