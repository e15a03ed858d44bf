// Newton's law of impact: the normal velocity after is -e times that before. It does not consider
// energy, and can create some where friction reverses the velocity on the way. [WK] eq. 3.12-3.15.
#include "laws/laws.h"
#include "newton.h"

static const rh_param param[] = {
    RH_PARAM_RESTITUTION("-C_f / C_0"),
};

double rh_newton_over(const rh_impact_at *at, double e)
{
  return at->C + e * at->C0; // [WK] eq. 3.12
}

double rh_newton_end(const rh_impact_at *from, double slope, double e)
{
  return from->P - (from->C + e * from->C0) / slope; // [WK] eq. 3.13-3.15
}

const rh_impact_law rh_impact_law_newton = {
    .row = {.name = "newton",
            .cite = "[WK] eq. 3.12",
            .doc = "normal velocity after = -e times before; may create energy",
            .param = param,
            .nparam = RH_COUNT(param)},
    .ratio = RH_E_OF_VELOCITIES,
    .passive = false,
    .over = rh_newton_over,
    .end = rh_newton_end,
};
