// Power law: the general form of Hunt and Crossley that [AF] eq. 1 quotes, F = k z^n + lambda z^p
// z'^q, with the sign of z' on its power. Members of the family: kelvin-voigt n = 1, p = 0, q = 1;
// hunt-crossley p = n, q = 1, lambda = 3/2 alpha k; azad-featherstone n = 3/2, p = 1/2, q = 1 with
// tension cut; tsuji n = 3/2, p = 1/4, q = 1.
// e of a free impact depends on (lambda / k) v^q (m v^2 / k)^((p - n) / (n + 1)) alone.
#include "laws/free_impact.h"
#include "laws/parameters.h"
#include "laws/root1.h"

#include <routh/kind.h>

#include <math.h>

enum { K, N, LAMBDA, P, Q, TENSION };

#define GROUP_MAX 1e6 // largest scaled damping that `fit` tries

static const rh_param param[] = {
    RH_PARAM_STIFFNESS("k", 8.5e6),
    {.name = "n", .unit = "1", .def = 1.5, .lo = 0.5, .hi = 10, .doc = "exponent of the spring"},
    {.name = "lambda",
     .unit = "N s^q/m^p/m^q",
     .def = 3.1e6,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping"},
    {.name = "p",
     .unit = "1",
     .def = 1.5,
     .lo = 0,
     .hi = 10,
     .doc = "exponent of the depth in the damping; 0: the force steps at touchdown"},
    {.name = "q",
     .unit = "1",
     .def = 1,
     .lo = 1,
     .hi = 5,
     .doc = "exponent of the rate in the damping; below 1 the damping of slow motion has no bound"},
    RH_PARAM_TENSION(RH_TENSION_CUT, "kept: the ground may pull; cut: it never does ([AF] eq. 14)"),
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double rate = p[Q] == 1 ? in->rate : copysign(rh_pow(fabs(in->rate), p[Q]), in->rate);
  out->spring = p[K] * rh_pow(in->depth, p[N]); // [AF] eq. 1
  out->damper = p[LAMBDA] * rh_pow(in->depth, p[P]) * rate;
  rh_cut_tension(p[TENSION], out); // [AF] eq. 14
  out->stored = out->spring * in->depth / (p[N] + 1);
}

extern const rh_normal_law rh_normal_law_power_law;

// Mass, speed and stiffness are 1: lambda is then the group that e depends on.
static double excess_restitution(double lambda, const double *par)
{
  double unit[RH_PAR_MAX] = {0};
  unit[K] = 1;
  unit[N] = par[N];
  unit[LAMBDA] = lambda;
  unit[P] = par[P];
  unit[Q] = par[Q];
  unit[TENSION] = par[TENSION];
  rh_impact1_in in = {
      .law = &rh_normal_law_power_law, .par = unit, .mass = 1, .speed = 1, .radius = HUGE_VAL};
  rh_impact1_out out;
  // The wanted e is in the place of the damping.
  return rh_impact1(&in, &out) == RH_OK ? out.e - par[LAMBDA] : HUGE_VAL;
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  (void)radius;
  if (!(e > 0 && e <= 1 && mass > 0 && speed > 0)) {
    return false;
  }
  double want[RH_PAR_MAX];
  for (int i = 0; i < RH_PAR_MAX; i++) {
    want[i] = par[i];
  }
  want[LAMBDA] = e;
  double group = 0;
  double hi = 1;
  while (e < 1 && hi < GROUP_MAX && excess_restitution(hi, want) > 0) {
    hi *= 4;
  }
  if (e < 1 && !rh_solve1(excess_restitution, want, 0, hi, &group)) {
    return false;
  }
  double length = rh_pow(mass * speed * speed / par[K], 1 / (par[N] + 1));
  par[LAMBDA] = group * par[K] * rh_pow(length, par[N] - par[P]) * rh_pow(speed, -par[Q]);
  return isfinite(par[LAMBDA]);
}

const rh_normal_law rh_normal_law_power_law = {
    .row = {.name = "power-law",
            .cite = "[AF] eq. 1",
            .doc = "k z^n + lambda z^p z'^q with exponents of one's own",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = fit_damping,
};
