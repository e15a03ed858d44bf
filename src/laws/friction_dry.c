// Dry friction between rigid bodies, Coulomb's law itself: a contact that does not slip takes any
// force within mu_s times the normal force; one that slips is braked with mu_k times it. It gives
// no force as a function of the slip, so it goes with rigid laws, where the loop finds the force
// with the motion (event/rigid.c, event/contact_modes.c), and with compliant ones under an engine
// that does so too (stepping).
#include "parameters.h"

enum { MU_S, MU_K };

static const rh_param param[] = {
    RH_PARAM_MU_LEVELS(0.5, 0.5),
    {.name = "v_stribeck",
     .unit = "m/s",
     .def = 0,
     .lo = 0,
     .hi = 1e12,
     .doc = "slip speed of the transition from mu_s to mu_k; 0: mu_k at any speed"},
};

static const char *check_friction_levels(const double *par)
{
  return rh_mu_levels_error(&par[MU_S]);
}

extern const rh_friction_law rh_friction_law_dry;

const rh_friction_law rh_friction_law_dry = {
    .row =
        {.name = "dry",
         .cite = "[WK] 2.8-2.10",
         .doc =
             "Coulomb friction between rigid bodies: true stick, mu_s at rest and mu_k in motion",
         .param = param,
         .nparam = RH_COUNT(param)},
    .nstate = 0,
    .passive = true,
    .check = check_friction_levels,
    .force = NULL,
};
