// slip_line.c: a part of a planar impact in which the slider moves along sigma = way[0]. Velocities
// and the slider's speed are linear in the normal impulse and f_n^2 is quadratic, so that every end
// has a closed form; the time follows from f'' = -q f.
#include "course.h"

#include <math.h>

typedef struct line {  // effect of one unit of normal impulse
  double sigma, slope; // slope: of sigma w
  double a[2];         // of u_t, u_n
} line;

static line open_line(const rh_course *c)
{
  double s = c->way[0];
  line l = {.sigma = s, .a = {c->W[1] - s * c->mu * c->W[0], 1 - s * c->mu * c->W[1]}};
  l.slope = s * l.a[0] + c->mu * c->eta2 * c->kappa * l.a[1];
  return l;
}

// Normal impulse up to f_n = 0; infinite: it is not reached before u_n turns.
static double impulse_to_end(const rh_course *c, const line *l)
{
  double energy = c->f[1] * c->f[1] / c->kappa;
  double disc = c->u[1] * c->u[1] + l->a[1] * energy;
  double sum = c->u[1] + sqrt(fmax(disc, 0));
  if (c->compressing || disc < 0) {
    return HUGE_VAL;
  }
  return energy == 0 ? 0 : energy / sum;
}

static double impulse_to_turn(const rh_course *c, const line *l)
{
  bool turns = c->compressing ? l->a[1] > 0 : l->a[1] < 0;
  return turns ? fmax(-c->u[1] / l->a[1], 0) : HUGE_VAL;
}

static double impulse_to_hold(const rh_course *c, const line *l)
{
  double speed = l->sigma * c->u[0] + c->mu * c->eta2 * c->kappa * c->u[1]; // sigma w
  return l->slope < 0 ? fmax(speed, 0) / -l->slope : HUGE_VAL;
}

// tau from the impulse d and f before and after: tan(sqrt(q) tau / 2) / sqrt(q) = d / (f + f1).
static double time_of(double d, double f, double f1, double q)
{
  double T = f + f1 > 0 ? d / (f + f1) : 0;
  double x = sqrt(fabs(q)) * T;
  if (x < 1e-4) {
    return 2 * T * (1 - q * T * T * (1.0 / 3 - q * T * T / 5));
  }
  return 2 * T * (q > 0 ? rh_atan(x) : rh_atanh(fmin(x, 1 - 1e-16))) / x;
}

// f after the impulse d
static void place_line(const rh_course *c, const line *l, double d, double f[3], double p[3])
{
  double squared = c->f[1] * c->f[1] - c->kappa * d * (2 * c->u[1] + l->a[1] * d);
  f[1] = sqrt(fmax(squared, 0));
  f[0] = -l->sigma * c->mu * f[1];
  p[0] = c->p[0] - l->sigma * c->mu * d;
  p[1] = c->p[1] + d;
}

static void sample_line(const rh_course *c, const line *l, double end)
{
  int samples = c->watch != NULL && c->watch->at != NULL ? c->watch->samples : 0;
  for (int i = 1; i < samples; i++) {
    double f[3] = {0};
    double p[3] = {0};
    double d = end * i / samples;
    place_line(c, l, d, f, p);
    rh_course_sample(c, c->tau + time_of(d, c->f[1], f[1], c->kappa * l->a[1]), f, p);
  }
}

rh_course_end rh_course_slip_line(rh_course *c, bool holds)
{
  const line l = open_line(c);
  double f[3] = {0};
  double p[3] = {0};
  double over = impulse_to_end(c, &l);
  double turn = impulse_to_turn(c, &l);
  double hold = holds && c->mu > 0 ? impulse_to_hold(c, &l) : HUGE_VAL;
  double d = fmin(over, fmin(turn, hold));
  if (!isfinite(d)) {
    return RH_COURSE_LOST;
  }
  sample_line(c, &l, d);
  place_line(c, &l, d, f, p);
  if (d == over) {
    f[0] = f[1] = 0;
  }
  rh_course_move(c, c->tau + time_of(d, c->f[1], f[1], c->kappa * l.a[1]), f, p);
  return d == over ? RH_COURSE_OVER : d == turn ? RH_COURSE_TURN : RH_COURSE_HOLD;
}
