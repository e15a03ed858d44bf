// Normal impulses in the proportions of [Ch] 2.18 with its sign repaired: for coplanar points of one body C_qr = (mu_r s_q)/(mu_q s_r), s the
// slip, so dp_n is as s/mu; equal where no point slips (impulse_path.c). A choice, not a law: it
// picks the forces of least norm. To reproduce [Ch], not for use. Points are assumed coplanar and
// of one body: their places are not known here.
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
    .row = {.name = "thesis",
            .cite = "[Ch] 2.18*",
            .doc = "normal impulses in proportion to slip over mu",
            .param = param,
            .nparam = RH_COUNT(param)},
    .passive = true,
    .early = true,
    .room = rh_impulse_path_room,
    .strike = thesis_impact,
};
