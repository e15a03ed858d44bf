// Brach's law of impact: Newton's restitution along the normal, and a tangential impulse that is a
// constant ratio of the normal one. [MO] sec. 1 and [WK] cite Brach (1989, 1991). The coefficient of
// friction is that ratio, limited by the one that ends the slip; the path of the impulses is one
// straight line (impact/ratio). Brach's third coefficient, of a moment, needs an area of contact,
// which a point does not have: it is left out.
#include "laws/laws.h"
#include "newton.h"

static const rh_param param[] = {
    RH_PARAM_RESTITUTION("-C_f / C_0"),
};

extern const rh_impact_law rh_impact_law_brach;

const rh_impact_law rh_impact_law_brach = {
    .row = {.name = "brach",
            .cite = "[MO] sec. 1, Brach 1989",
            .doc = "as newton, with impulses in the ratio mu, or less: that which ends the slip",
            .param = param,
            .nparam = RH_COUNT(param)},
    .ratio = RH_E_OF_VELOCITIES,
    .passive = true,
    .impulse_ratio = true,
    .over = rh_newton_over,
    .end = rh_newton_end,
};
