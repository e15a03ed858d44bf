// Hunt-Crossley: the damping grows with the depth, so the force starts and ends at zero. Restitution depends on alpha
// times the speed alone, not on mass, stiffness or exponent, and a free impact never pulls. [MO]
// eq. 6-22. Restitution may have another damping than compression, which [MO] leaves open.
#include "parameters.h"
#include "root1.h"

#include <routh/kind.h>

#include <math.h>

enum { K, N, ALPHA, ALPHA_R, TENSION };

#define AS_ALPHA (-1.0) // alpha_r: the same as alpha

static const rh_param param[] = {
    RH_PARAM_STIFFNESS("k", 5e4),
    {.name = "n",
     .unit = "1",
     .def = 1,
     .lo = 0.5,
     .hi = 10,
     .doc = "exponent: 1 flat on flat, 3/2 sphere on flat"},
    {.name = "alpha",
     .unit = "s/m",
     .def = 0.5,
     .lo = 0,
     .hi = 1e12,
     .doc = "damping: e = 1 - alpha v at low speed"},
    {.name = "alpha_r",
     .unit = "s/m",
     .def = AS_ALPHA,
     .lo = AS_ALPHA,
     .hi = 1e12,
     .doc = "damping during restitution; -1: alpha"},
    RH_PARAM_TENSION(RH_TENSION_CUT,
                     "kept: pulls when separated faster than 2 / (3 alpha); cut: never"),
};

static const char *check_restitution_damping(const double *par)
{
  return par[ALPHA_R] < 0 && par[ALPHA_R] != AS_ALPHA ? "alpha_r must be >= 0, or -1 for alpha"
                                                      : NULL;
}

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double alpha = in->rate < 0 && p[ALPHA_R] >= 0 ? p[ALPHA_R] : p[ALPHA];
  out->spring = p[K] * rh_pow(in->depth, p[N]);       // [MO] eq. 6
  out->damper = 1.5 * alpha * out->spring * in->rate; // [MO] eq. 6-7
  rh_cut_tension(p[TENSION], out); // active for rate < -2 / (3 alpha), [MO] eq. 22
  out->stored = out->spring * in->depth / (p[N] + 1);
}

// The depth reached: k x^(n+1) / (m (n+1)) = v^2 G(3/2 alpha v), G(s) = (s - ln(1 + s)) / s^2, on the way in with v > 0
// and on the way out with v < 0. [MO] eq. 19*
static double depth_of(double s)
{
  if (fabs(s) < 1e-2) { // the difference loses its digits: its series, to s^8, is good to 1e-17
    double sum = 0;
    for (int i = 8; i >= 0; i--) {
      sum = 1.0 / (i + 2) - s * sum;
    }
    return sum;
  }
  return (s - rh_log1p(s)) / (s * s);
}

static double excess_depth(double s, const double *want)
{
  return depth_of(s) - *want;
}

// Equal damping: with l = ln((1 + s) / (1 - e s)), x = 0 in [MO] eq. 19 gives s = l / (1 - exp(-l)) - 1 and
// e = (1 - (1 + l) exp(-l)) / (l - 1 + exp(-l)). Here e (l - 1 + exp(-l)) - (1 - (1 + l) exp(-l)), over l^2 / 2.
static double excess_log(double l, const double *e)
{
  if (l < 0.1) {
    double top = 0;
    double bottom = 0;
    double term = 1; // 2 (-l)^i / (i + 2)!
    for (int i = 0; i < 12; i++) {
      top += term * (i + 1); // 1 - (1 + l) exp(-l) = sum (-l)^(i+2) (i + 1) / (i + 2)!
      bottom += term;
      term *= -l / (i + 3);
    }
    return *e * bottom - top;
  }
  double rest = rh_exp(-l);
  return (*e * (l - 1 + rest) - (1 - (1 + l) * rest)) * 2 / (l * l);
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  (void)mass;
  (void)radius;
  if (!(e > 0 && e <= 1 && speed > 0)) {
    return false;
  }
  double s = 0; // 3/2 alpha speed
  if (par[ALPHA_R] < 0) {
    double l = 0;
    if (e < 1 && !rh_solve1(excess_log, &e, 0, 2 + 2 / e, &l)) {
      return false;
    }
    s = l > 0 ? l / -rh_expm1(-l) - 1 : 0;
  } else {
    double out = 1.5 * par[ALPHA_R] * speed * e;
    if (!(out < 1)) {
      return false; // faster than the limit 2 / (3 alpha_r)
    }
    double want = e * e * depth_of(-out);
    if (!rh_solve1(excess_depth, &want, 0, 4 / want, &s)) {
      return false;
    }
  }
  par[ALPHA] = s / (1.5 * speed);
  return isfinite(par[ALPHA]);
}

extern const rh_normal_law rh_normal_law_hunt_crossley;

const rh_normal_law rh_normal_law_hunt_crossley = {
    .row = {.name = "hunt-crossley",
            .cite = "[MO] eq. 6-7",
            .doc = "damping grows with depth; e depends on alpha v alone",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = true,
    .check = check_restitution_damping,
    .force = normal_force,
    .fit = fit_damping,
};
