// routh/robot.h: legged robots, stage by stage as chapter 4 of [Ch]: paths of the feet (gait),
// inverse kinematics by damped least squares, computed torque, torques and forces of the ground of
// a robot in contact, impact of feet that touch. docs/walking.md has the equations.
//
// All functions are pure functions of a world's state: they keep nothing, allocate nothing and own
// nothing. Pointers belong to the caller and must not be NULL unless a comment allows it; arrays
// have the stated lengths; matrices are row major. Scratch is given by the caller, as many doubles
// as the function with `scratch` in its name returns. Different threads may call them with
// different worlds. [x] in a comment: what must be up to date: kinematics (rh_kinematics),
// mass_matrix (rh_mass_matrix), factor (rh_mass_factor).
#ifndef ROUTH_ROBOT_H
#define ROUTH_ROBOT_H

#include <routh/data.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Gait (src/control/gait.c, gait_legs.c)

typedef struct rh_way { // motion of one coordinate: value, rate, second rate
  double x, v, a;
} rh_way;

// At rest at both ends, and before and after: x = from + (to - from) (3 u^2 - 2 u^3), u = t/T
// ([Ch] 4.1*). T > 0.
RH_API rh_way rh_cubic(double t, double T, double from, double to);
// Height of a swinging foot: 4 h k (1 - k), k the cubic from 0 to 1 ([Ch] 4.5*). T > 0.
RH_API rh_way rh_swing_arc(double t, double T, double height);

typedef struct rh_foothold { // a frame on the ground, as seen from that of the start
  double x, y;               // [m] ahead, to the left
  double turn;               // [rad] heading, to the left
} rh_foothold;

// Two feet: steps of one duration, right foot first, half a stride; then whole strides, left and
// right; the last, half a stride, brings the feet together ([Ch] 4.2*-4.4).
typedef struct rh_walk {
  double duration; // [s] of a step, > 0
  double stride;   // [m]
  double height;   // [m] of the swinging foot at its highest
  int steps;       // count; 0: no end
  double turn;     // [rad] change of heading per step
} rh_walk;

typedef struct rh_walk_at {
  rh_way foot[2][2]; // left, right: x, z
  rh_way com;        // midway, x
  int swinging;      // 0 left, 1 right; RH_NONE: none
  int step;          // index of the step, or number of completed steps
  rh_way side[2];    // left, right: y of the foothold
  rh_way heading[2]; // left, right
} rh_walk_at;

RH_API void rh_walk_plan(const rh_walk *walk, double t, rh_walk_at *at);
// [m] distance of a foot (0 left, 1 right) along the way after `before` steps
RH_API double rh_walk_stand(const rh_walk *walk, int foot, int before);
// The frame in which a foot stands after `before` steps: step k leads to the frame at k half
// strides, each a chord of the circle that turns by `turn`. A foot stands in it as it stood in the
// frame of the start.
RH_API rh_foothold rh_walk_place(const rh_walk *walk, int foot, int before);

enum { RH_LEGS_MAX = 8 };

// Any number of feet: leg i swings in the part [phase_i, phase_i + 1 - duty) of every cycle and
// stands in the rest. The body moves on a circle (a line) with the stride per cycle, begins and ends
// within one cycle each, and a foot is put where it is under the body, as at the start, in the
// middle of the time for which it will stand. So the first and last steps are shorter, and all feet
// stand as at the start in the end.
typedef struct rh_gait {
  int legs;                  // 1 to RH_LEGS_MAX
  double phase[RH_LEGS_MAX]; // [1] of the cycle, 0 to 1
  double cycle;              // [s] > 0
  double duty;               // [1] part of the cycle for which a leg stands, 0 to 1, both excluded
  double stride;             // [m] per cycle, ahead
  double turn;               // [rad] per cycle, to the left
  double height;             // [m] of a swinging foot at its highest
  int cycles;                // strides of the body; 0: it stands
} rh_gait;

typedef struct rh_leg_at {
  bool swings;
  int swing;            // index of the present swing, or number of completed ones
  double into;          // [s] since the swing began, or since the foot was put down
  rh_foothold from, to; // of the swing; a standing foot: equal
  double load;          // [1] share of the weight: 0 in a swing, to 1
} rh_leg_at;

typedef struct rh_gait_at {
  rh_way body[3]; // x, y [m], heading [rad]
  rh_leg_at leg[RH_LEGS_MAX];
  bool over; // all feet stand as at the start
} rh_gait_at;

RH_API void rh_gait_plan(const rh_gait *gait, double t, rh_gait_at *at);
RH_API double rh_gait_end(const rh_gait *gait); // [s] when the last foot is put down
// [s] in which a leg takes or leaves its share of the weight: the first ones do so before t = 0
RH_API double rh_gait_ease(const rh_gait *gait);
// Phases of a gait by its name, for a number of legs in the order left front, right front, left
// next, ...: "walk" (one leg after the other, from back to front), "trot" (diagonal pairs),
// "tripod" (every second leg), "pace", "bound". False: there is none of this name for so many legs.
RH_API bool rh_gait_phases(const char *name, int legs, double *phase, double *duty);

// ---- Tasks (src/control/task.c): three rows of a wanted motion, in world axes

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
  double kp;     // [1/s^2] of the programme of src/control/balance_qp.c
  double kd;     // [1/s] likewise; 0: 2 sqrt(kp), critical damping
} rh_task;

// [kinematics] wanted minus present: p_d - p, log(R_d R')
RH_API rh_vec3 rh_task_error(const rh_data *d, const rh_task *task);
RH_API rh_vec3 rh_task_velocity(const rh_data *d, const rh_task *task); // [kinematics]
RH_API rh_vec3 rh_task_bias(rh_data *d, const rh_task *task);           // [kinematics] dJ/dt v
// [kinematics] J (3 x nv); `work` holds 3 nv doubles
RH_API void rh_task_jacobian(const rh_data *d, const rh_task *task, double *work, double *J);

// ---- Inverse kinematics (src/control/ik.c) of any set of tasks, [Ch] 4.6-4.16*

typedef struct rh_ik {
  double damping;    // lam [1], >= 0
  double tolerance;  // |error| at which it counts as solved
  int passes;        // maximum number of iterations
  const bool *still; // fixed degrees of freedom (nv); NULL: none
} rh_ik;

typedef struct rh_ik_answer {
  bool solved;    // the weighted error is within the tolerance
  int iterations; // that were made
  double error;   // remaining error
} rh_ik_answer;

RH_API size_t rh_ik_scratch(const rh_model *m, int ntask);
// Moves d->q to the least task error. Kinematics are up to date afterwards; d->v is kept.
RH_API rh_ik_answer rh_ik_solve(rh_data *d, const rh_task *task, int n, const rh_ik *ik,
                                double *scratch);
// Velocities of least norm that give the tasks their velocities, and accelerations likewise; the
// tasks' weights do not matter where all can be met. Returns the rank. [kinematics]
RH_API int rh_ik_velocity(rh_data *d, const rh_task *task, int n, double *scratch, double *v);
RH_API int rh_ik_acceleration(rh_data *d, const rh_task *task, int n, double *scratch, double *a);

// ---- Computed torque (src/control/torque.c): a = a_d + kd (v_d - v) + kp (q_d - q) [Ch] 4.17-4.20,
// tau = H a + h

typedef struct rh_trajectory { // wanted motion of the degrees of freedom
  const double *q;             // wanted coordinates (nq), quaternions included
  const double *v, *a;         // (nv); NULL: zero
  double kp, kd;               // [1/s^2], [1/s]; kd = 2 sqrt(kp): critical damping
} rh_trajectory;

// The error q_d - q per degree of freedom (nv)
RH_API void rh_trajectory_error(const rh_data *d, const rh_trajectory *course, double *error);
RH_API void rh_trajectory_accelerations(const rh_data *d, const rh_trajectory *course, double *a);
// a: the accelerations (nv) [kinematics]
RH_API void rh_computed_torque(rh_data *d, const rh_trajectory *course, double *a, double *tau);

// ---- Torques of a floating robot in contact (src/control/torque.c)

typedef struct rh_support { // contacts that carry the robot
  int n;
  const rh_model_point *point; // (n)
  const rh_mat3 *frame;        // rows t1, t2, n of each; NULL: world axes
  double mu;                   // [1] friction coefficient to be used
  const double *least;         // [N] minimum normal load of each (n); NULL: none
} rh_support;

RH_API size_t rh_support_scratch(const rh_model *m, int n);
// Efforts of the actuators and contact forces (3n, world axes, of least norm) for the accelerations
// `a`, which must keep the contacts: with P = 1 - J+ J, tau = (P S')+ P (H a + h), F = (J')+ (H a +
// h - S' tau) ([Ch] 4.21*). Returns the rank of J. Friction and limits are not checked.
// [mass_matrix]
RH_API int rh_support_torque(rh_data *d, const rh_support *support, const double *a,
                             double *scratch, double *effort, double *F);

// ---- Impact at points of a robot, and the impacts that follow at once (src/control/impact_points.c)

enum { RH_IMPACT_WORKS = 8 };

typedef struct rh_impact_points {
  int n;
  const rh_model_point *point; // (n), on bodies that meet fixed ground, normal z
  const double *mu, *e;        // (n)
  const double *weight;        // (n) stiffness of the points, in any unit; NULL: all equal
  const char *formulation;     // row of `routh list formulations`; NULL: that of the model's run
  const char *law;             // row of `routh list impacts`; NULL: stronge
} rh_impact_points;

typedef struct rh_impact_sequence {
  // Arrays of the caller: impulses and velocities of the points after (3n each, rows x y z of the
  // world), velocities after (nv)
  double *p, *u, *v;
  bool solved;                // false: the result is the best found
  int impacts;                // one after the other, until no point approaches
  int free;                   // directions in which the impulses are not determined
  double Dn, Dt;              // [J] dissipated along the normals and by friction
  double Wn[RH_IMPACT_WORKS]; // [J] work of the normal impulses in the first impacts
} rh_impact_sequence;

RH_API size_t rh_impact_points_scratch(const rh_model *m, int n);
// v+ = v + H^-1 J'p ([Ch] appendix B*); a point that approaches after an impact begins the next. A single point follows the
// path of its law, as in the engine event, several the formulation.
// The state of `d` is not changed. RH_INPUT_REFUSED: there is no such formulation or law.
// [mass_matrix, factor]
RH_API rh_status rh_impact_points_solve(const rh_data *d, const rh_impact_points *in,
                                        double *scratch, rh_impact_sequence *out) RH_CHECK_RESULT;

#ifdef __cplusplus
}
#endif
#endif
