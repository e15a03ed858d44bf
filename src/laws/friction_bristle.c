// Bristles that bend and then slide, elasto-plastic: below breakaway the contact is a spring and a
// damper only, so a contact held inside the cone never creeps; beyond it the bristles slide at the
// friction level g(v) = mu_k + (mu_s - mu_k) exp(-(v / v_stribeck)^2), plus sigma2 times the speed
// of sliding. After Dupont, Hayward, Armstrong & Altpeter 2002, with a sharp yield, and a damper
// that also bounds how fast a bristle can spring back: the force stays in the cone when the normal
// force drops.
#include "clutch.h"
#include "parameters.h"

enum { SIGMA0, SIGMA1, SIGMA2, MU_S, MU_K, V_STRIBECK };

static const rh_param param[] = {
    {.name = "sigma0",
     .unit = "N/m",
     .def = 1e6,
     .lo = 0,
     .hi = 1e18,
     .doc = "stiffness of the bristles",
     .open = true},
    {.name = "sigma1",
     .unit = "N s/m",
     .def = 1e3,
     .lo = 0,
     .hi = 1e18,
     .doc = "damping of the bristles",
     .open = true},
    {.name = "sigma2",
     .unit = "s/m",
     .def = 0,
     .lo = 0,
     .hi = 1e12,
     .doc = "rise of the friction coefficient with the speed of sliding"},
    RH_PARAM_MU_LEVELS(0.6, 0.5),
    RH_PARAM_SLIP_SPEED("v_stribeck", 0.01, "slip speed of the transition from mu_s to mu_k"),
};

static const char *check_friction_levels(const double *par)
{
  return rh_mu_levels_error(&par[MU_S]);
}

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  const double *p = in->par;
  double ratio = rh_hypot(in->slip[0], in->slip[1]) / p[V_STRIBECK];
  double level = p[MU_K] + (p[MU_S] - p[MU_K]) * rh_exp(-ratio * ratio);
  rh_clutch c;
  c.k = p[SIGMA0];
  c.a = p[SIGMA1];
  c.k_per_a = p[SIGMA0] / p[SIGMA1];
  c.limit = level * in->normal;
  c.viscous = p[SIGMA2] * in->normal;
  rh_clutch_force(&c, in->s, in->slip, out);
}

extern const rh_friction_law rh_friction_law_bristle;

const rh_friction_law rh_friction_law_bristle = {
    .row = {.name = "bristle",
            .cite = "after Dupont et al. 2002",
            .doc = "elasto-plastic bristles: true stick, no creep",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 2,
    .passive = true,
    .check = check_friction_levels,
    .force = friction_force,
};
