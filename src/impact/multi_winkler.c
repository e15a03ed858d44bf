// A bed of springs, one under each point, released one by one: each gives back e_i^2 of the work it
// took (impulse_path.c). There is one event. Weights are the springs' stiffnesses; with the areas
// of the points (a 3 x 3 grid: 1, 4, 1) a motion along the normal does not depend on their number.
#include "impact/path/impulse_path.h"

static const rh_param param[] = {RH_COURSE_PARAM};

static bool winkler_impact(const rh_many_in *in, const double *par, double *room, double *p,
                           double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.springs = true, .local = true};
  return rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
}

extern const rh_formulation rh_formulation_winkler;

const rh_formulation rh_formulation_winkler = {
    .row = {.name = "winkler",
            .cite = "[Ch] 2.28-2.33*",
            .doc = "springs under the points; each returns e^2 of its work",
            .param = param,
            .nparam = RH_COUNT(param)},
    .passive = true,
    .room = rh_impulse_path_room,
    .strike = winkler_impact,
};
