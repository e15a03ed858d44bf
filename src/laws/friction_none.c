// No friction: a body always slips, without resistance.
#include <routh/kind.h>

static void friction_force(const rh_friction_in *in, rh_friction_out *out)
{
  (void)in;
  out->force[0] = 0;
  out->force[1] = 0;
  out->stored = 0;
  out->p_spring = 0;
  out->p_damper = 0;
  out->p_slide = 0;
  out->margin = -1;
}

extern const rh_friction_law rh_friction_law_none;

const rh_friction_law rh_friction_law_none = {
    .row = {.name = "none", .cite = "", .doc = "no friction", .param = NULL, .nparam = 0},
    .nstate = 0,
    .passive = true,
    .absent = true,
    .check = NULL,
    .force = friction_force,
};
