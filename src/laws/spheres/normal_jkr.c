// Johnson, Kendall and Roberts 1971: elastic spheres that adhere. Contact forms at depth 0, where the force
// steps to -8/9 of the pull-off force 3/2 pi w R, and holds on to a gap of 3 a^2 / R, a^3 = pi w R^2 / (8 E*):
// what is lost at both ends is all that is lost. The stored energy is that of bodies apart from each
// other, less the work of adhesion on the area of contact.
#include "jkr.h"
#include "laws/material.h"

enum { K, WORK, E, NU, E2, NU2 };

static const rh_param param[] = {
    {.name = "K",
     .unit = "N/m^1.5",
     .def = 8.5e6,
     .lo = 0,
     .hi = 1e18,
     .doc = "stiffness without adhesion, unless E is given",
     .open = true},
    {.name = "w",
     .unit = "N/m",
     .def = 0.05,
     .lo = 0,
     .hi = 1e12,
     .doc = "work of adhesion, J/m^2: twice the surface energy of like surfaces",
     .open = true},
    RH_MATERIAL_PARAMS,
};

static rh_jkr adhesion_of(const double *p, double radius)
{
  double modulus =
      p[E] > 0 ? rh_effective_modulus(p[E], p[NU], p[E2], p[NU2]) : 0.75 * p[K] / sqrt(radius);
  return (rh_jkr){modulus, radius, p[WORK]};
}

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  rh_jkr j = adhesion_of(in->par, in->radius);
  double a = rh_jkr_contact_radius(&j, in->depth);
  out->spring = rh_jkr_force(&j, a);
  out->damper = 0;
  out->stored = rh_jkr_energy(&j, a);
}

static double holding_gap(const double *par, double radius)
{
  rh_jkr j = adhesion_of(par, radius);
  return -rh_jkr_depth(&j, rh_jkr_mark(&j, 0.125));
}

extern const rh_normal_law rh_normal_law_jkr;

const rh_normal_law rh_normal_law_jkr = {
    .row = {.name = "jkr",
            .cite = "Johnson, Kendall and Roberts 1971",
            .doc = "elastic spheres that adhere; contact holds on until pull-off",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = false,
    .check = NULL,
    .force = normal_force,
    .fit = NULL,
    .hold = holding_gap,
};
