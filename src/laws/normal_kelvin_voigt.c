// Kelvin-Voigt: a linear spring parallel to a linear damper. The force steps to b v at touchdown
// and pulls before it ends unless tension is cut; restitution depends on the mass but not on the
// speed. [MO] eq. 3-4.
#include "root1.h"

#include <routh/kind.h>

#include <math.h>

enum { K, B, TENSION };

#define KEPT 0 // values of `tension`
#define CUT  1

#define PI 3.14159265358979323846

static const rh_param param[] = {
    {.name = "k", .unit = "N/m", .def = 5e4, .lo = 0, .hi = 1e18, .doc = "stiffness", .open = true},
    {.name = "b", .unit = "N s/m", .def = 100, .lo = 0, .hi = 1e18, .doc = "damping"},
    {.name = "tension",
     .unit = "1",
     .def = KEPT,
     .lo = KEPT,
     .hi = CUT,
     .doc = "kept: the ground may pull; cut: it never does, and e is larger",
     .type = RH_CHOICE,
     .choices = "kept|cut"},
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  out->spring = p[K] * in->depth; // [MO] eq. 3
  out->damper = p[B] * in->rate;  // [MO] eq. 3
  if (p[TENSION] == CUT) {
    out->damper = fmax(out->damper, -out->spring);
  }
  out->stored = 0.5 * p[K] * in->depth * in->depth;
}

// Minus the logarithm of e, minus the wanted value; zeta = b / (2 sqrt(m k)). With tension cut
// contact ends where x'' = 0, and the damped sine gives e = exp(-2 zeta acos(zeta) / sqrt(1 -
// zeta^2)), acosh beyond 1. [MO] eq. 4*
static double excess_cut(double zeta, const double *want)
{
  double rest = (1 - zeta) * (1 + zeta);
  double angle = 1; // acos(zeta) / sqrt(1 - zeta^2) at zeta = 1
  if (rest > 0) {
    angle = acos(zeta) / sqrt(rest);
  } else if (rest < 0) {
    angle = acosh(zeta) / sqrt(-rest);
  }
  return 2 * zeta * angle - *want;
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  (void)speed;
  (void)radius;
  if (!(e > 0 && e <= 1 && mass > 0)) {
    return false;
  }
  double want = -log(e);
  double zeta = want / sqrt(PI * PI + want * want); // [MO] eq. 4, solved for b
  if (par[TENSION] == CUT && e < 1 && !rh_solve1(excess_cut, &want, 0, 1 / sqrt(e), &zeta)) {
    return false;
  }
  par[B] = 2 * zeta * sqrt(mass * par[K]);
  return isfinite(par[B]);
}

extern const rh_normal_law rh_normal_law_kelvin_voigt;

const rh_normal_law rh_normal_law_kelvin_voigt = {
    .row = {.name = "kelvin-voigt",
            .cite = "[MO] eq. 3-4",
            .doc = "linear spring and damper; the force steps at touchdown",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = false,
    .check = NULL,
    .force = normal_force,
    .fit = fit_damping,
};
