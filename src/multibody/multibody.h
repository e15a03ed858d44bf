// multibody.h: private interface of this folder (L2): functions shared by its files and the
// layers above.
#ifndef ROUTH_MULTIBODY_MULTIBODY_H
#define ROUTH_MULTIBODY_MULTIBODY_H

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

// Force, about its origin, that gives a body the acceleration `a` (angular, and of the origin): Newton's and Euler's laws.
static inline rh_force rh_body_force(const rh_kin_body *k, rh_motion a)
{
  const rh_inertia *I = &k->I;
  rh_vec3 w = k->v.ang;
  rh_force f;
  f.lin = rh_add(rh_scale(I->mass, a.lin), rh_add(rh_cross(a.ang, I->h), rh_cross(w, rh_cross(w, I->h))));
  f.ang = rh_add(rh_add(rh_sym3_mul(&I->I, a.ang), rh_cross(w, rh_sym3_mul(&I->I, w))), rh_cross(I->h, a.lin));
  return f;
}

// trig[2i], trig[2i + 1] := sine and cosine of q[i] (src/multibody/trig.c).
void rh_trig(int n, const double *restrict q, double *restrict trig);

// Kinematics of some bodies only, each after its ancestors; the world's pose is that of
// rh_kinematics. Threads may do this for different trees.
void rh_kinematics_of(rh_data *d, const int *body, int n);

// Deflection of the springs of a body's joint, one number per degree of freedom
// (src/multibody/loads.c).
void rh_joint_deflection(const rh_data *d, int body, double *delta);
// The effort an actuator gives by its command, kept within its limits.
double rh_actuator_effort(const rh_data *d, int index);
double rh_actuator_target(const rh_data *d, int index); // [m, rad] present target of its command
// Velocity changes of bodies by six unit impulses on `body`, about its origin: three moments, three forces; held degrees of
// freedom are kept. `set`: the requested bodies (n), in order, each after all its ancestors; v (36
// n): for each of them six velocities, angular and linear. [aba or forward_dynamics]
size_t rh_wrench_room(const rh_model *m); // doubles of scratch
void rh_wrench_responses(rh_data *d, int body, const int *set, int n, double *room, double *v);
// Adds the effect of further forces on the bodies to d->a and d->react. [forward_dynamics]
void rh_wrench_more(rh_data *d, const rh_force *wrench);
// Acceleration of a body, angular and of its origin, due to those of the joints, d->a, without that
// of kinematics.c. [kinematics]
rh_motion rh_body_acceleration(const rh_data *d, int body);
// The ends of a loop in world axes, from the poses of its bodies, and its equations there (src/multibody/loops.c).
void rh_loop_ends(const rh_model_loop *loop, const rh_kin_body *a, const rh_kin_body *b, rh_xform end[2]);
void rh_loop_stand(const rh_data *d, int loop, rh_loop_row *row); // [kinematics]
// Length of the gaps of places [m], or of attitudes [rad].
double rh_loop_open(const rh_loop_kind *kind, const rh_loop_row *row, bool attitudes);
// Gives an actuator a command, from now on.
void rh_actuator_command(rh_data *d, int index, const rh_command *command);

#endif
