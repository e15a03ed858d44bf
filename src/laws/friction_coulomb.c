// Regularised Coulomb friction: against the slip, mu times the normal force once the slip is well above v_slip, less
// below it. It has no stick: a contact held inside the cone creeps, at most with about v_slip. No
// state, no memory.
#include "drag.h"
#include "parameters.h"

#include <math.h>

enum { MU, V_SLIP };

static const rh_param param[] = {
    RH_PARAM_MU,
    RH_PARAM_SLIP_SPEED("v_slip", 1e-3,
                        "slip speed at which 0.71 of mu is reached; a held body creeps with less"),
};

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  const double *p = in->par;
  double slip = rh_hypot(in->slip[0], in->slip[1]);
  double drag = p[MU] * in->normal / rh_hypot(slip, p[V_SLIP]);
  rh_drag_force(drag, slip, in, out);
}

extern const rh_friction_law rh_friction_law_coulomb;

const rh_friction_law rh_friction_law_coulomb = {
    .row = {.name = "coulomb",
            .cite = "",
            .doc = "Coulomb friction, smoothed below v_slip; creeps where it should stick",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 0,
    .passive = true,
    .check = NULL,
    .force = friction_force,
};
