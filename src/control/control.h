// control.h: private interface of the control folder (L5): tasks, inverse kinematics, gaits,
// torques of a standing robot. Pure functions of a world's state; no allocation, the caller gives
// the scratch; matrices row major.
#ifndef ROUTH_CONTROL_CONTROL_H
#define ROUTH_CONTROL_CONTROL_H

#include <routh/data.h>
#include <routh/kind.h>

// ---- Tasks (task.c): three rows of a wanted motion, in world axes

typedef enum rh_task_kind {
  RH_TASK_POINT, // a point of a body
  RH_TASK_TURN,  // the attitude of a body
  RH_TASK_COM,   // the centre of mass of all moving bodies
} rh_task_kind;

typedef struct rh_task {
  rh_task_kind kind;
  int body;
  rh_vec3 at;    // [m] the point, body axes
  rh_vec3 p;     // [m] wanted position
  rh_mat3 R;     // wanted attitude
  rh_vec3 v, a;  // [m/s], [m/s^2] wanted velocity, acceleration; of an attitude: [rad/s], [rad/s^2]
  double weight; // [1] of its rows
  double kp;     // [1/s^2] of balance_qp.c
  double kd;     // [1/s] likewise; 0: 2 sqrt(kp), critical damping
} rh_task;

// [kinematics] wanted minus present: p_d - p, log(R_d R')
rh_vec3 rh_task_error(const rh_data *d, const rh_task *task);
rh_vec3 rh_task_velocity(const rh_data *d, const rh_task *task);        // [kinematics]
rh_vec3 rh_task_bias(rh_data *d, const rh_task *task);                  // [kinematics] dJ/dt v
// [kinematics] J (3 x nv); `work` holds 3 nv doubles
void rh_task_jacobian(const rh_data *d, const rh_task *task, double *work, double *J);

// ---- Inverse kinematics (ik.c)

typedef struct rh_ik {
  double damping;   // lam [1], >= 0
  double tolerance; // |error| at which it counts as solved
  int most;         // maximum iterations
  const bool *still; // fixed degrees of freedom (nv); NULL: none
} rh_ik;

typedef struct rh_ik_answer {
  bool solved;    // the weighted error is within the tolerance
  int iterations; // that were made
  double error;   // remaining error
} rh_ik_answer;

size_t rh_ik_room(const rh_model *m, int ntask);
// Moves d->q to the least task error. Kinematics are up to date afterwards; d->v is kept.
rh_ik_answer rh_ik_solve(rh_data *d, const rh_task *task, int n, const rh_ik *ik, double *room);
// Velocities of least norm that give the tasks their velocities, and accelerations likewise; the tasks' weights do not
// matter where all can be met. Returns the rank. [kinematics]
int rh_ik_velocity(rh_data *d, const rh_task *task, int n, double *room, double *v);
int rh_ik_acceleration(rh_data *d, const rh_task *task, int n, double *room, double *a);

// ---- Gait (gait.c)

typedef struct rh_way { // motion of one coordinate
  double x, v, a;
} rh_way;

// At rest at both ends, and before and after
rh_way rh_cubic(double t, double T, double from, double to);
rh_way rh_swing_arc(double t, double T, double height);            // zero at both ends, `height` in the middle

typedef struct rh_walk { // steps of one duration, right foot first, half a stride; then whole strides, left and right
  double duration; // [s] of a step
  double stride;   // [m]
  double height;   // [m] of the swinging foot at its highest
  int steps;       // count; the last, half a stride, brings the feet together. 0: no end
} rh_walk;

typedef struct rh_walk_at {
  rh_way foot[2][2]; // left, right: x, z
  rh_way com;        // midway, x
  int swinging;      // 0 left, 1 right; RH_NONE: none
  int step;          // index of the step, or number of completed steps
} rh_walk_at;

void rh_walk_plan(const rh_walk *walk, double t, rh_walk_at *at);
// [m] position of a foot after `before` steps
double rh_walk_stand(const rh_walk *walk, int foot, int before);

// ZMP that moves from place to place in straight lines, and the matching centre of mass (zmp.c).
// Leg k begins at k `cycle` and lasts `shift`; it leads from place k to place k + 1.
typedef struct rh_zmp {
  double cycle, shift; // [s]
  double omega;        // [1/s] sqrt(g / height of the centre of mass)
  int legs;
  const double *place; // (legs + 1) x 2 [m] x and y
} rh_zmp;

void rh_zmp_com(const rh_zmp *zmp, double t, rh_way com[2], double point[2]); // point: the ZMP itself

// ---- Computed torque (torque.c): a = a_d + kd (v_d - v) + kp (q_d - q) [Ch] 4.17-4.20, tau = H a + h

typedef struct rh_trajectory { // wanted motion of the degrees of freedom
  const double *q;         // wanted coordinates (nq), quaternions included
  const double *v, *a;     // (nv); NULL: zero
  double kp, kd;           // [1/s^2], [1/s]; kd = 2 sqrt(kp): critical damping
} rh_trajectory;

void rh_trajectory_accelerations(const rh_data *d, const rh_trajectory *course, double *a);
void rh_computed_torque(rh_data *d, const rh_trajectory *course, double *a, double *tau); // a: the accelerations [kinematics]

// ---- Torques of a floating robot in contact (torque.c, balance_qp.c)

typedef struct rh_support { // contacts that carry the robot
  int n;
  const rh_model_point *point; // (n)
  const rh_mat3 *frame;        // rows t1, t2, n of each; NULL: world axes
  double mu;                   // [1] friction coefficient to be used
  const double *least;         // [N] minimum normal load of each (n); NULL: none
} rh_support;

enum { RH_SUPPORT_MAX = 16 }; // maximum points

typedef struct rh_footing { // storage of the contacts found
  rh_model_point point[RH_SUPPORT_MAX];
  rh_mat3 frame[RH_SUPPORT_MAX];
  double least[RH_SUPPORT_MAX];
  int id[RH_SUPPORT_MAX]; // feature of the touching shape
} rh_footing;

// The contact points, by the slots, between moving and fixed bodies; without those of body
// `without` (RH_NONE). (support_contacts.c) [kinematics]
rh_support rh_support_find(const rh_data *d, int without, double mu, rh_footing *footing);

size_t rh_support_torque_room(const rh_model *m, int n);
// Efforts of the actuators and contact forces (3n, world axes, of least norm) for the accelerations
// `a`, which must keep the contacts: with P = 1 - J+ J, tau = (P S')+ P (H a + h), F = (J')+ (H a +
// h - S' tau) ([Ch] 4.21*). Returns the rank of J. Friction and limits are not checked.
// [mass_matrix]
int rh_support_torque(rh_data *d, const rh_support *support, const double *a, double *room, double *effort, double *F);

typedef struct rh_balance { // wanted motion of a robot, see balance_qp.c
  const rh_task *task;
  int ntask;
  const double *want;  // wanted accelerations of the degrees of freedom (nv)
  const double *care;  // weights of these (nv); > 0
  double keep;         // weight of unmoved contacts
  double settle;       // [1/s] rate at which a moving contact comes to rest
} rh_balance;

enum { RH_BALANCE_EDGES = 4 }; // edges of the pyramid inside each friction cone

size_t rh_balance_room(const rh_model *m, int n);
// Efforts within the actuators' limits and forces within pyramids inside the friction cones that
// come nearest to the wanted accelerations. False: the programme was not solved (efforts are the
// last within limits). [mass_matrix]
bool rh_balance_solve(rh_data *d, const rh_support *support, const rh_balance *want, double *room, double *effort,
                      double *F);

#endif
