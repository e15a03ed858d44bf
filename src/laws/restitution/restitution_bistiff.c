// Stronge's hypothesis with a tangential spring: the contact has a normal and a tangential stiffness,
// both infinite, of ratio eta2 = k_n / k_t, and Coulomb's friction between the tangential spring and
// the other body. The slip can reverse, as measured. Maw, Barber and Fawcett 1976; Walton and Braun
// 1986; Stronge 2000. The course is in impact/tangential; here are the parameters, and the end of the
// path without the spring, for formulations that know no path.
#include "laws/laws.h"
#include "stronge.h"

static const rh_param param[] = {
    RH_PARAM_RESTITUTION("e^2 is the normal work given back over the work taken"),
    {.name = "eta2",
     .unit = "1",
     .def = RH_ETA2_USUAL,
     .lo = 0,
     .hi = 1e8,
     .doc =
         "normal over tangential stiffness; like elastic spheres: (2 - nu) / (2 (1 - nu)), 1.21 at "
         "nu = 0.3; below 1e-8: no tangential spring, as stronge"},
};

extern const rh_impact_law rh_impact_law_bistiff;

const rh_impact_law rh_impact_law_bistiff = {
    .row = {.name = "bistiff",
            .cite = "Maw et al. 1976, Stronge 2000",
            .doc = "as stronge, with a tangential spring: the slip may reverse",
            .param = param,
            .nparam = RH_COUNT(param)},
    .ratio = RH_E_OF_ENERGIES,
    .passive = true,
    .tangential_spring = true,
    .over = rh_stronge_over,
    .end = rh_stronge_end,
};
