// Stronge's hypothesis: restitution returns e^2 of the work that the normal impulse took in
// compression. It never creates energy. [WK] eq. 3.17-3.19. A negative e ([Ch] 2.33*): the impact
// ends in compression, where the work is first 1 - e^2 of all of it (impact/spatial_path.c); not in
// planar problems.
#include "laws/laws.h"
#include "stronge.h"

#include <math.h>

static const rh_param param[] = {
    {.name = "e",
     .unit = "1",
     .def = 0.5,
     .lo = -1,
     .hi = 1,
     .doc = "restitution: e^2 is the work given back over the work taken; below 0: impacts end in "
            "compression (engine event, docs/impacts.md)"},
};

// The work left to give back, W_f - W: W_f = (1 - e^2) W_c.
static double work_left(const rh_impact_at *at, double e)
{
  return (at->Wc - at->W) - e * e * at->Wc;
}

double rh_stronge_over(const rh_impact_at *at, double e)
{
  return -work_left(at, e); // [WK] eq. 3.17a, 3.18a*, 3.19a*: e^2 = (W_c - W_f) / W_c
}

// C d + slope d^2 / 2 = left: the root that does not cancel; where C = 0 and nothing is left, d = 0.
double rh_stronge_end(const rh_impact_at *from, double slope, double e)
{
  double work = fmax(work_left(from, e), 0);
  double root = sqrt(from->C * from->C + 2 * slope * work);
  double sum = from->C + root;
  return from->P + (sum > 0 ? 2 * work / sum : 0); // [WK] eq. 3.17b, 3.18b*, 3.19b*
}

const rh_impact_law rh_impact_law_stronge = {
    .row = {.name = "stronge",
            .cite = "[WK] eq. 3.17-3.19",
            .doc = "normal work given back = e^2 times that taken",
            .param = param,
            .nparam = RH_COUNT(param)},
    .ratio = RH_E_OF_ENERGIES,
    .passive = true,
    .over = rh_stronge_over,
    .end = rh_stronge_end,
};
