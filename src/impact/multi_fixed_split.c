// Normal impulses grow equally, or as the scene's pair_factor, at all points that approach when an event begins; it ends where e^2
// of the work is given back (impulse_path.c). The result depends on the number of points: a 0.2 x
// 0.6 block that rocks keeps 0.850 of its rate on 4 points and 0.897 on 8, where [WK] and the cones
// give 0.85.
#include "impact/path/impulse_path.h"

static const rh_param param[] = {RH_COURSE_PARAM};

static bool fixed_split_impact(const rh_many_in *in, const double *par, double *room, double *p,
                               double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.springs = false};
  return rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
}

extern const rh_formulation rh_formulation_fixed_split;

const rh_formulation rh_formulation_fixed_split = {
    .row = {.name = "fixed-split",
            .cite = "[Ch] 2.3",
            .doc = "equal normal impulses at all points that approach",
            .param = param,
            .nparam = RH_COUNT(param)},
    .passive = true,
    .early = true,
    .shares = true,
    .room = rh_impulse_path_room,
    .strike = fixed_split_impact,
};
