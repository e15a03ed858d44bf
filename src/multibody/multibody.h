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
// Transmission of an actuator that does not act on one degree of freedom only
// (src/multibody/transmission.c): adds its moment times `force` to `load` (nv, NULL: nowhere), and
// returns its speed; its length. [kinematics]
double rh_transmission_act(const rh_data *d, int index, double force, double *load);
double rh_transmission_length(const rh_data *d, int index);
// Activation of an actuator with a state, within its range, its rate; all of them after h seconds.
double rh_activation(const rh_data *d, int index);
double rh_activation_rate(const rh_data *d, int index);
void rh_activations_advance(rh_data *d, double h);
// Force of the medium on a body about its origin, world axes, if it acts on it (src/multibody/medium.c).
// [kinematics]
rh_force rh_medium_force(const rh_data *d, int body);
bool rh_medium_acts(const rh_model *m, int body);
// The weight of a body that a force carries, the same way.
rh_force rh_carried_weight(const rh_data *d, int body);
// External forces of the scene and of a program on each body (nbody), the same way; without a hand.
void rh_outside_wrenches(const rh_data *d, rh_force *wrench);
// The wrench of a hand, the same way, and the body it pulls at; RH_NONE: no hand
int rh_hand_wrench(const rh_data *d, rh_force *wrench);
// The effort an actuator gives by its command, kept within its limits.
double rh_actuator_effort(const rh_data *d, int index);
double rh_actuator_control(const rh_data *d, int index); // of a servo: command and track, within its range
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
// Velocity of a point of a body: angular, and of the point
static inline rh_motion rh_end_velocity(const rh_kin_body *body, rh_vec3 point)
{
  rh_vec3 w = body->v.ang;
  return (rh_motion){w, rh_add(body->v.lin, rh_cross(w, rh_sub(point, body->p)))};
}

// Length of the gaps of places [m], or of attitudes [rad].
double rh_loop_open(const rh_loop_kind *kind, const rh_loop_row *row, bool attitudes);
// ---- constraints/: rows that joints and loops do not have

typedef struct rh_tie { // rows of a loop or of a constraint in a state
  int n, nplace;        // rows; the first of them are of places, the others of attitudes
  rh_vec3 at[2];        // [m] where they act on a and on b
  rh_loop_row row[RH_LOOP_ROWS];
  double speed[RH_LOOP_ROWS]; // [m/s, rad/s] their given values
  double coef[RH_CONSTRAINT_TERMS]; // of the speeds of joints, in the first row
} rh_tie;

// Bodies a and b need their velocities only for the rates, rows[1].
void rh_constraint_stand(const rh_data *d, const rh_model_loop *l, const rh_kin_body *a,
                         const rh_kin_body *b, rh_constraint_rows rows[2]);
void rh_tie_stand(const rh_data *d, const rh_model_loop *l, const rh_kin_body *a,
                  const rh_kin_body *b, rh_tie *tie);

typedef struct rh_constraint_system { // rows of loops and constraints, in the order of the model
  int n, rank;
  bool *kept;     // the joints keep this row already (n)
  double *Psi, *X; // Psi, and H^-1 Psi', row by row (n x nv)
  double *V;      // velocities of bodies by a unit of a row's force, angular, linear (nbody x n x 6)
  double *A;      // factor of Psi H^-1 Psi'; pivot 0: a row that depends on others (n x n)
  double *b;      // required accelerations, less those of the joints (n)
  double *u;      // [m/s, rad/s] error of the velocity (n)
  double *gap;    // [m] (n)
  double *speed;  // [m/s, rad/s] given velocity (n)
  double *force;  // [N, N m] lambda (n)
  double *x, *g;  // scratch (n), (2 nv)
  double lack;    // [1] > 0: row `lacking` contradicts the others
  int lacking;
} rh_constraint_system;

// All below: only where d->dyn.rows is not NULL. Rows and their factor. [kinematics, aba]
void rh_constraints_factor(rh_data *d);
void rh_constraints_solve(const rh_constraint_system *s, double *x); // x := A^-1 x
void rh_constraints_act(rh_data *d);        // the rows' forces are added to d->a, d->react
void rh_constraints_add_forces(rh_data *d); // again, after forces that were added to these
// g := p and the impulses of the rows under p
void rh_constraints_impulses(rh_data *d, const double *p, double *g);
// From responses of rh_wrench_responses without constraints those with them
void rh_constraints_respond(const rh_data *d, int body, const int *set, int n, double *v);
// Removes the error of the velocities by impulses of the rows. False: there is none. [factor]
bool rh_constraints_hold(rh_data *d);
// The largest gap that the rows can close, and one step towards closing all. [factor]
double rh_constraints_gap(const rh_data *d);
void rh_constraints_close(rh_data *d);
// The first of rh_model.loop whose rows are in the system; that of a row, and which of its rows
int rh_rows_first(const rh_model *m);
int rh_loop_of_row(const rh_model *m, int r, int *row);
// [N, N m] force and torque of a loop of the system on its body a, at its end there, world axes
void rh_loop_force(const rh_data *d, int loop, double f[6]);
double rh_constraints_power(const rh_data *d); // [W] of their forces; 0 without constraints
// [J] the same of a step h that has changed d->v
double rh_constraints_work(const rh_data *d, double h);

// ---- aba.c: without the constraints
void rh_impulse_response_free(rh_data *d, const double *p, double *dv);
// Adds the effect of forces on bodies and on joints to d->a and d->react; each may be NULL.
void rh_forces_more(rh_data *d, const rh_force *wrench, const double *p);

// ---- tendons/tendons.c
// Length, speed and gradient of one tendon, in d->dyn. [kinematics of its bodies]
void rh_tendon_update(rh_data *d, int index);
double rh_tendon_length(const rh_data *d, int index); // [m] [kinematics]
double rh_tendon_spring(const rh_data *d, int index); // [N] of its spring, > 0 lengthens [update]
double rh_tendon_force(const rh_data *d, int index);  // [N] of spring and damper [update]
// Adds a force along the tendon to generalised forces (nv). [update]
void rh_tendon_push(rh_data *d, int index, double force, double *load);
void rh_tendon_loads(rh_data *d); // updates all; adds springs and dampers to d->load [kinematics]
// Points of the path of a tendon, to draw it: one for each point of its parts, RH_TENDON_ARC for each sphere
// or cylinder; none for a sum. Their number does not depend on the state. `piece` (may be NULL) gets the
// numbers of points between pulleys, which are not joined; its number is returned by rh_tendon_pieces.
enum { RH_TENDON_ARC = 12 };
int rh_tendon_path_size(const rh_model *m, int index);
int rh_tendon_pieces(const rh_model *m, int index, int *piece);
void rh_tendon_path(const rh_data *d, int index, rh_vec3 *point); // [kinematics]
double rh_tendon_bias(const rh_data *d, int index); // dJ/dt v [m/s^2] [kinematics]
double rh_tendon_energy(const rh_data *d); // [J] in springs [kinematics]
double rh_tendon_effort(const rh_data *d, int tendon); // [N] of its actuators [loads]
// Length and speed of what an actuator drives: a joint or a tendon [loads]
double rh_actuator_length(const rh_data *d, int index);
double rh_actuator_speed(const rh_data *d, int index);

// Gives an actuator a command, from now on.
void rh_actuator_command(rh_data *d, int index, const rh_command *command);

#endif
