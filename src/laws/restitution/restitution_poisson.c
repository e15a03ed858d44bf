// Poisson's hypothesis: the normal impulse of restitution is e times that of compression. At a single planar contact it
// never creates energy, though the normal impulse alone may do positive work. [WK] eq. 3.16.
#include "laws/laws.h"

static const rh_param param[] = {
    RH_PARAM_RESTITUTION("impulse of restitution over that of compression"),
};

static double end_function(const rh_impact_at *at, double e)
{
  return at->P - (1 + e) * at->Pc; // [WK] eq. 3.16b
}

static double end_impulse(const rh_impact_at *from, double slope, double e)
{
  (void)slope;
  return (1 + e) * from->Pc; // [WK] eq. 3.16b
}

const rh_impact_law rh_impact_law_poisson = {
    .row = {.name = "poisson",
            .cite = "[WK] eq. 3.16",
            .doc = "impulse of restitution = e times that of compression",
            .param = param,
            .nparam = RH_COUNT(param)},
    .ratio = RH_E_OF_IMPULSES,
    .passive = true,
    .over = end_function,
    .end = end_impulse,
};
