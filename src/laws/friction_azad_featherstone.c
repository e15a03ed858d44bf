// Azad-Featherstone friction: tangential springs and dampers spread over the area of contact, in
// series with a clutch that yields at the edge of the cone and drags. [AF] eq. 19-33. The stiffness
// follows the depth without the corresponding normal force, so the spring can return more than it
// took: one impact may add tangential energy.
#include "azad_featherstone.h"

static const rh_param param[] = {RH_AF_FRICTION_PARAMS};

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  rh_clutch c = rh_azad_featherstone_clutch(in);
  rh_clutch_force(&c, in->s, in->slip, out);
}

extern const rh_friction_law rh_friction_law_azad_featherstone;

const rh_friction_law rh_friction_law_azad_featherstone = {
    .row = {.name = "azad-featherstone",
            .cite = "[AF] eq. 19-33",
            .doc = "spring, damper and clutch over the area of contact; not passive",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 2,
    .passive = false,
    .check = NULL,
    .force = friction_force,
};
