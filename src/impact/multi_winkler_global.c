// A bed of springs, one under each point; all end together where e^2 of the work is given back
// (impulse_path.c). Points that still approach begin another event.
#include "impact/path/impulse_path.h"

static const rh_param param[] = {RH_COURSE_PARAM};

static bool winkler_global_impact(const rh_many_in *in, const double *par, double *room, double *p,
                                  double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.springs = true};
  return rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
}

extern const rh_formulation rh_formulation_winkler_global;

const rh_formulation rh_formulation_winkler_global = {
    .row = {.name = "winkler-global",
            .cite = "[Ch] 2.28-2.33*",
            .doc = "springs under the points; they return e^2 of the work of all",
            .param = param,
            .nparam = RH_COUNT(param)},
    .passive = true,
    .early = true,
    .room = rh_impulse_path_room,
    .strike = winkler_global_impact,
};
