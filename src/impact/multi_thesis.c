// Normal impulses by the pair factors of [Ch] 2.13-2.20 with the sign of Z repaired, for the points of each body, in any
// arrangement (path/pair_factors.c); equal where no point slips. A choice, not a law: it removes the
// self-stress between two points. To reproduce [Ch], not for use. Where the caller states no places
// the points are taken as coplanar ones of one body: dp_n is as s/mu, s the slip.
#include "impact/path/impulse_path.h"

static const rh_param param[] = {RH_COURSE_PARAM};

static bool thesis_impact(const rh_many_in *in, const double *par, double *room, double *p,
                          double *u_after, rh_many_out *out)
{
  static const rh_impulse_path_rule rule = {.by_slip = true};
  return rh_impulse_path_run(in, &rule, par[0], room, p, u_after, out);
}

extern const rh_formulation rh_formulation_thesis;

const rh_formulation rh_formulation_thesis = {
    .row =
        {.name = "thesis",
         .cite = "[Ch] 2.18*",
         .doc =
             "normal impulses by pair factors of the points of a body: as slip over mu in a plane",
         .param = param,
         .nparam = RH_COUNT(param)},
    .passive = true,
    .early = true,
    .shares = true,
    .room = rh_impulse_path_room,
    .strike = thesis_impact,
};
