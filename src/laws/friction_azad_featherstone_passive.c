// Azad-Featherstone friction made passive: ground that newly comes into contact is not yet strained, so while the
// stiffness k = Kt sqrt(z) grows the spring keeps its force and not its deformation; while k falls it keeps its
// deformation and the springs that leave contact lose their energy. With u = f_s / k:
//   du/dt = w - (dk/dt / k) u  while k grows,   du/dt = w  while it falls,
// and the stored energy k u^2 / 2 never rises by more than k u . w, the power put into it. [AF] eq. 22, 33*.
#include "azad_featherstone.h"

static const rh_param param[] = {RH_AF_FRICTION_PARAMS};

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  rh_clutch c = rh_azad_featherstone_clutch(in);
  rh_clutch_force(&c, in->s, in->slip, out);
  if (in->rate > 0 && in->depth > 0) {
    double growth = 0.5 * in->rate / in->depth; // dk/dt / k
    out->ds[0] -= growth * in->s[0];
    out->ds[1] -= growth * in->s[1];
  }
}

extern const rh_friction_law rh_friction_law_azad_featherstone_passive;

const rh_friction_law rh_friction_law_azad_featherstone_passive = {
    .row = {.name = "azad-featherstone-passive",
            .cite = "[AF] eq. 19-33*",
            .doc = "the same, but new ground begins without strain: never adds energy",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 2,
    .passive = true,
    .check = NULL,
    .force = friction_force,
};
