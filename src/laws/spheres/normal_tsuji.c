// Tsuji, Tanaka and Ishida 1992: Hertz' force of two spheres with a damper that makes restitution
// the same at every speed: F = K z^1.5 + c z^0.25 z'. With z^(1/4) dt = ds it is Kelvin and Voigt's
// oscillation of y = 4/5 z^(5/4) (Antypov and Elliott 2011), damped by c / (sqrt 5 sqrt(m K)).
#include "laws/material.h"
#include "laws/parameters.h"
#include "laws/root1.h"

enum { K, C, E, NU, E2, NU2, TENSION };

static const rh_param param[] = {
    RH_HERTZ_STIFFNESS_PARAM("K"),
    {.name = "c",
     .unit = "N s/m^1.25",
     .def = 10,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping; set by restitution"},
    RH_MATERIAL_PARAMS,
    RH_PARAM_TENSION(RH_TENSION_KEPT,
                     "kept: the surfaces may pull before they part; cut: never, and e is larger"),
};

static double stiffness_of(const double *p, double radius)
{
  return rh_hertz_stiffness_of(p[K], p + E, radius);
}

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double root = sqrt(in->depth);
  out->spring = stiffness_of(p, in->radius) * in->depth * root;
  out->damper = p[C] * sqrt(root) * in->rate;
  rh_cut_tension(p[TENSION], out);
  out->stored = 0.4 * out->spring * in->depth;
}

static bool fit_damping(double *par, double mass, double speed, double radius, double e)
{
  double zeta;
  (void)speed;
  if (!(mass > 0) || !rh_damping_ratio(e, par[TENSION] == RH_TENSION_CUT, &zeta)) {
    return false;
  }
  par[C] = sqrt(5.0) * zeta * sqrt(mass * stiffness_of(par, radius));
  return isfinite(par[C]);
}

extern const rh_normal_law rh_normal_law_tsuji;

const rh_normal_law rh_normal_law_tsuji = {
    .row = {.name = "tsuji",
            .cite = "Tsuji et al. 1992",
            .doc = "elastic spheres with the same restitution at every speed",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = fit_damping,
};
