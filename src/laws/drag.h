// drag.h: friction against the slip and in proportion to it, with a factor from the law: the common
// part of the laws without stick and without a memory.
#ifndef ROUTH_LAWS_DRAG_H
#define ROUTH_LAWS_DRAG_H

#include <routh/kind.h>

// Fills in all of `out` but ds. `drag` [N s/m]: force per slip; `slip` [m/s]: the length of the slip.
static inline void rh_drag_force(double drag, double slip, const rh_friction_in *in,
                                 rh_friction_out *out)
{
  out->force[0] = -drag * in->slip[0];
  out->force[1] = -drag * in->slip[1];
  out->stored = 0;
  out->p_spring = 0;
  out->p_damper = 0;
  out->p_slide = drag * slip * slip;
  out->margin = -1;
}

#endif
