// Modified Coulomb friction of haptic rendering: against the slip, mu times the normal force from v_threshold on, in proportion to the slip
// below. F_t = -mu F_n min(1, |v_t| / v_threshold) v_t / |v_t|  [CSC] 6*. No stick, no state, no memory.
#include "drag.h"
#include "parameters.h"

#include <math.h>

enum { MU, V_THRESHOLD };

static const rh_param param[] = {
    RH_PARAM_MU,
    RH_PARAM_SLIP_SPEED("v_threshold", 1e-2,
                        "slip speed from which friction is mu; a held body creeps with less"),
};

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  const double *p = in->par;
  double slip = rh_hypot(in->slip[0], in->slip[1]);
  double drag = p[MU] * in->normal / fmax(slip, p[V_THRESHOLD]);
  rh_drag_force(drag, slip, in, out);
}

extern const rh_friction_law rh_friction_law_threshold;

const rh_friction_law rh_friction_law_threshold = {
    .row = {.name = "threshold",
            .cite = "[CSC] 6*",
            .doc = "Coulomb friction, in proportion to the slip below v_threshold; creeps where it "
                   "should stick",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nstate = 0,
    .passive = true,
    .check = NULL,
    .force = friction_force,
};
