// contact_kernels.h: small functions of the inner loops.
#ifndef ROUTH_STEPPING_CONTACT_KERNELS_H
#define ROUTH_STEPPING_CONTACT_KERNELS_H

#include "stepping.h"

static inline rh_vec3 rh_step_apply_inverse_inertia(const rh_step_velocity *b, rh_vec3 m) // to a moment
{
  const double *J = b->J;
  return rh_v3(J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
               J[4] * m.x + J[5] * m.y + J[2] * m.z);
}

// From v at the end of h with the impact counted there: the velocity right after the impact
static inline rh_vec3 rh_step_velocity_after_impact(const rh_step_body *c, rh_vec3 v, double h)
{
  return rh_addscaled(v, -h, c->a);
}

static inline rh_vec3 rh_step_spin_after_impact(const rh_step_body *c, rh_vec3 spin)
{
  return rh_add(c->w0, rh_sub(spin, c->wk));
}

#endif
