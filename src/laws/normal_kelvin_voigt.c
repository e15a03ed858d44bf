// Kelvin-Voigt: a linear spring parallel to a linear damper. The force steps to b v at touchdown
// and pulls before it ends unless tension is cut; restitution depends on the mass but not on the
// speed. [MO] eq. 3-4.
#include "parameters.h"
#include "root1.h"

#include <routh/kind.h>

#include <math.h>

enum { K, B, TENSION };

static const rh_param param[] = {
    {.name = "k", .unit = "N/m", .def = 5e4, .lo = 0, .hi = 1e18, .doc = "stiffness", .open = true},
    {.name = "b", .unit = "N s/m", .def = 100, .lo = 0, .hi = 1e18, .doc = "damping"},
    RH_PARAM_TENSION(RH_TENSION_KEPT,
                     "kept: the ground may pull; cut: it never does, and e is larger"),
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  out->spring = p[K] * in->depth; // [MO] eq. 3
  out->damper = p[B] * in->rate;  // [MO] eq. 3
  rh_cut_tension(p[TENSION], out);
  out->stored = 0.5 * p[K] * in->depth * in->depth;
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  (void)speed;
  (void)radius;
  double zeta;
  if (!(mass > 0) || !rh_damping_ratio(e, par[TENSION] == RH_TENSION_CUT, &zeta)) {
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
