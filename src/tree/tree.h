// tree.h: private interface of the tree folder (L2): what its files share with one another and with the layers above.
#ifndef ROUTH_TREE_H
#define ROUTH_TREE_H

#include <routh/data.h>
#include <routh/kind.h>

// Moves the inertia's reference point: I is about O + r, the result about O.
static inline rh_inertia rh_inertia_shift_back(const rh_inertia *I, rh_vec3 r)
{
  rh_inertia s;
  rh_vec3 h = I->h;
  double m = I->mass;
  // I_O = I + terms of (c + r) less terms of c, c = h / m:  -[r][h] - [h][r] - m [r][r]
  double hr = 2 * rh_dot(h, r) + m * rh_dot(r, r);
  s.mass = m;
  s.h = rh_addscaled(h, m, r);
  s.I.xx = I->I.xx + hr - (2 * h.x * r.x + m * r.x * r.x);
  s.I.yy = I->I.yy + hr - (2 * h.y * r.y + m * r.y * r.y);
  s.I.zz = I->I.zz + hr - (2 * h.z * r.z + m * r.z * r.z);
  s.I.xy = I->I.xy - (h.x * r.y + h.y * r.x + m * r.x * r.y);
  s.I.xz = I->I.xz - (h.x * r.z + h.z * r.x + m * r.x * r.z);
  s.I.yz = I->I.yz - (h.y * r.z + h.z * r.y + m * r.y * r.z);
  return s;
}

// The force a body takes for spinning about its origin with w while the origin stands still: (w x I w, w x (w x h))
static inline rh_force rh_spin_force(const rh_inertia *I, rh_vec3 w)
{
  rh_force f = {rh_cross(w, rh_sym3_mul(&I->I, w)), rh_cross(w, rh_cross(w, I->h))};
  return f;
}

// How far the springs of a body's joint are stretched, one number a degree of freedom (src/tree/load.c).
void rh_joint_deflection(const rh_data *d, int body, double *delta);
// The effort an actuator gives: its command, kept within its limits.
double rh_actuator_effort(const rh_data *d, int index);

#endif
