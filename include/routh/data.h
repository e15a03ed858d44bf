// routh/data.h: the data of one world: its state, its inputs and the results of the stages of a
// step. All fields may be read; a program may write the state and the inputs, and nothing else.
// rh_data_create allocates all memory; no stage function allocates. A world is used by one thread
// at a time; different worlds may be used at the same time, also those of one model.
//
// All spatial quantities are in world axes about the origin of the body they belong to.
#ifndef ROUTH_DATA_H
#define ROUTH_DATA_H

#include <routh/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rh_hold { // the reason why a degree of freedom is held
  RH_HOLD_NONE,
  RH_HOLD_LOWER, // its lower limit, which can only push up
  RH_HOLD_UPPER, // its upper limit, which can only push down
  RH_HOLD_LOCK,  // a lock, which can push in both directions
  RH_HOLD_DRY,   // dry friction, which can push in both directions, up to its limit
  RH_HOLD_COUNT
} rh_hold;

typedef enum rh_work { // integrals of power that are part of the state, one double each
  RH_WORK_DAMPER,      // [J] dissipated by joint dampers, dry friction and the medium (>= 0)
  RH_WORK_ACTUATOR,    // [J] done by actuators
  RH_WORK_EXTERNAL,    // [J] done by external forces
  // [J] done by the hand, and by changes of values; only in a model with a hand
  // (model->layout.nwork)
  RH_WORK_HAND,
  RH_WORK_COUNT
} rh_work;

// A contact point has a slot of states while it exists: the vector of its friction law, in world
// axes (engine stepping: the force on a, mean over the last step), then integrals of power
// (rh_contact_work).
enum { RH_SLOT_FRICTION = 0, RH_SLOT_WORK = 3, RH_SLOT_STATES = 8 };

// The contact point that a slot belongs to: part of the restart state, so all fields are doubles.
// A free slot is all zero. All that is known of a contact from step to step is in its slot, its
// states, its rh_turn, and the haptic engine's part of them (docs/architecture.md).
typedef struct rh_slot {
  double used;    // 1: it has a contact
  double a, b;    // shapes; an unbounded one is b
  double id;      // the features that meet, see src/geometry/geometry.h
  double contact; // contact of the model: its laws
  double place;   // its number among the points of that contact
  double mode;    // an rh_closed, for the solver of rigid contacts: 0 at touchdown
  // [s] time of the touchdown; engine stepping: since which it carries a force; of a contact that the
  // event engine steps in time: of its takeover
  double since;
  double speed;   // [m/s] of the touchdown; of a contact that is stepped in time: its normal force [N]
  double at[3];   // [m] its point when last examined, in the axes of the body of b
  double n[3];    // its normal then, in the same axes
} rh_slot;

enum { RH_SLOT_SIZE = (int)(sizeof(rh_slot) / sizeof(double)) };

// Rolling and pivoting of a rigid contact between two events: part of the restart state, so all
// fields are doubles.
typedef struct rh_turn {
  double roll;   // 1: rolling friction keeps it from rolling
  double way[3]; // direction of rolling at the last event, world axes
  double pivot;  // 1: pivoting friction keeps it from pivoting
  double sense;  // of the spin about the normal at the last event: -1, 0, 1
} rh_turn;

enum { RH_TURN_SIZE = (int)(sizeof(rh_turn) / sizeof(double)) };

// A hand that pulls at a body in a live run (run.hand of a scene): part of the restart state, so
// all fields are doubles. The grip x moves with v; w = RH_HAND_RATE: critically damped.
//   f = m w^2 (target - x) - 2 m w v - m g
typedef struct rh_hand {
  double body;      // index of the body that it holds; 0: none
  double grip[3];   // [m] point of that body, body axes
  double target[3]; // [m] where the grip is to go, world
  double mass;      // m [kg] of that body and of all bodies that it carries
} rh_hand;

#define RH_HAND_RATE 12.0 // w [rad/s]

enum { RH_HAND_SIZE = (int)(sizeof(rh_hand) / sizeof(double)) };

typedef enum rh_contact_work { // [J] since touchdown, one double each, from RH_SLOT_WORK on
  // put into the normal spring: its stored energy, except where the area of a face has changed
  RH_CONTACT_NORMAL,
  RH_CONTACT_DAMPER, // dissipated by the normal damper
  RH_CONTACT_SPRING, // put into the tangential spring ([AF] eq. 33)
  RH_CONTACT_DRAG,   // dissipated by the tangential damper
  RH_CONTACT_SLIDE,  // dissipated by sliding
  RH_CONTACT_WORK_COUNT
} rh_contact_work;

// The contact point of a slot, written by stages 2 to 5 (collision/contact_find.c).
typedef struct rh_contact {
  bool on;             // false: the slot has no contact
  int rule;            // contact of the model: its laws
  int shape[2];        // the shapes that meet
  int id;              // the features that meet
  int a, b;            // their bodies
  rh_vec3 point;       // [m] world
  rh_vec3 t1, t2, n;   // contact frame; n from b into a
  double depth, rate;  // [m], [m/s]
  double slip[2];      // [m/s] of a relative to b, along t1, t2; with that of their surfaces
  rh_vec3 belt;        // [m/s] the part of the slip that is the motion of the surfaces on the bodies
  double radius, area; // [m], [m^2] see src/geometry/geometry.h
  // [m/s^2] of a rigid contact: its acceleration because the point moves over the surfaces
  rh_vec3 drift;
  double normal;       // [N] force on a along n
  double friction[2];  // [N] force on a along t1, t2
  rh_vec3 torque;      // [N m] on a, of rolling and pivoting friction
  double stored;       // [J] in the normal spring
  double recoverable;  // [J] in the tangential spring
  double margin;       // [N] > 0: it sticks, < 0: it slips
  double shared;       // 1: engine stepping: its load is not determined
} rh_contact;

typedef enum rh_closed { // the mode of a rigid contact between two events
  // Stepped in time, since events had accumulated: the force is constant until the end of a step,
  // its vector is in the place of the friction law's. Less by one for each step without a change, by
  // the part of a step that has ended at a frame or event: no whole number then.
  RH_CLOSED_STEPPED = -3,
  RH_CLOSED_DEALT = -2,  // a compliant contact after an impact, until it is known whether it stays
  RH_CLOSED_IN_IMPACT = -1, // a compliant contact during an impact
  RH_CLOSED_IDLE = 0,    // it touches and carries no load
  RH_CLOSED_STICK,       // it sticks or rolls
  RH_CLOSED_SLIDE,
  RH_CLOSED_SHARED,      // engine stepping: its load is not determined
} rh_closed;

typedef struct rh_contact_impact { // result of an impact at a rigid contact
  double before, after;            // [m/s] normal velocity
  double Dn, Dt;                   // [J] dissipated along the normal, and by friction
  double share; // [1] of the normal impulses when it begins; 0: the formulation has no proportions
  bool gained, solved; // of its island: energy was created; the impulses satisfy the law
  int events;          // of its island: in which the impact was solved
  bool unfactored;     // of its island: pair factors would have had to pull
} rh_contact_impact;

typedef struct rh_kin_body { // stage 1, written by multibody/kinematics.c
  rh_mat3 R;                 // attitude
  rh_vec3 p;                 // [m] origin
  rh_vec3 r;                 // [m] origin seen from the parent's origin
  rh_motion v;               // velocity: angular, and of the origin
  // acceleration with no acceleration of the joints: angular, and of the origin, without gravity
  rh_motion c;
  rh_inertia I;              // inertia
} rh_kin_body;

// Stage 7, written by multibody/aba.c. Columns of three numbers and a zero.
typedef struct rh_aba_body {
  // Articulated inertia [A B'; B C]: moment from angular, force from angular and force from linear
  // acceleration [RBDA ch. 7]
  double A[3][4], B[3][4], C[3][4];
  double n[4], f[4]; // bias force: moment and force at which the joints have no acceleration
  double w[4], a[4]; // acceleration in excess of rh_kin_body.c: angular, and of the origin
} rh_aba_body;

// The energy ledger, stage 10, written by contacts/ledger.c; all [J]. One list makes the struct,
// the table in recordings, the channels energy.* and the JSON of a run.
#define RH_LEDGER_LIST(X)                                                                  \
  X(kinetic, "energy now: kinetic")                                                        \
  X(potential, "energy now: potential, of gravity")                                        \
  X(spring, "energy now: in springs of joints and tendons")                                          \
  X(contact, "energy now: in contacts; tangential springs by [AF] eq. 33")                 \
  X(damper, "dissipated so far by joint dampers, dry friction and the medium")             \
  X(contact_damper, "dissipated so far by the dampers of contacts")                        \
  X(sliding, "dissipated so far by sliding")                                               \
  X(actuator, "work done so far by actuators")                                             \
  X(external, "work done so far by external forces")                                       \
  X(hand, "work done so far by the hand of a live run: its force, and changes of values")  \
  X(event, "change at events so far (impacts at joint limits, locks: <= 0)")               \
  X(initial, "energy at the start")                                                        \
  X(residue, "not explained by any entry: numerical error")

typedef struct rh_ledger {
#define RH_LEDGER_FIELD(name, text) double name;
  RH_LEDGER_LIST(RH_LEDGER_FIELD)
#undef RH_LEDGER_FIELD
} rh_ledger;

// Results of the last tick of the engine haptic: part of the restart state, so all fields are
// doubles. Wrenches are force, then torque, in world axes.
typedef struct rh_haptic_now {
  double ticks;         // number of ticks so far
  double hand[6];       // [N, N m] of the hand on the device (without a device: on the tool)
  double env[6];        // of the environment on the tool, after limits; impulses over the tick
  double coupling[6];   // of the coupling on the tool
  double wrench[6];     // on the device, after limits and clamps: the wrench that a user feels
  double state;         // of the tool's group: 0 free, 1 colliding, 2 resting
  double contacts, groups; // their numbers, in the whole world
  double depth;         // [m] of the deepest contact
  double e_eff;         // effective restitution of the tool's collision, with limits; else haptic.e
  double loss;          // [J] dissipated by collisions in the tick
  double negative;      // number of impulses that pulled in the tick
  double active;        // 1: the unilateral coupler is closed
  double hand_work;     // [J] work done by the hand so far
  // [J] energy that the world had at the start and could have given by now: its kinetic energy
  // then, and the decrease of potential energy since
  double given;
  // [J] maximum so far of the energy that the hand has received in excess of its own work and
  // `given`
  double returned;
  // [J] potential energy at the last tick: of all bodies and springs, of the tool, of the device
  double level[3];
  // the body that was placed at the pose of its twin, or at a measured one, in the last tick: its
  // change of potential energy is not in `given`; 0 none, 1 the tool, 2 the device
  double put;
  double collisions;    // number of ticks with a collision so far
  double pulled;        // number of impulses that pulled so far
  double observed[6];   // [N, N m] of the hand by the observer, see src/haptic/observer.c
  double predicted[6];  // [m/s, rad/s] twist of the device without hand and wrench
  double pulse[6 * 16]; // [N s, N m s] impulses still to be sent to the device (RH_PULSE_MAX ticks)
} rh_haptic_now;

// An rh_haptic_now is followed by the number of the next contact, then by the engine's part of the memory
// of each slot: how the next tick knows its contact again (src/collision/contact_clusters.h), all zero
// if it is free, and from all slots on its collision and its penalty.
typedef struct rh_track_memory {
  double number;   // of this contact, in the order in which they began; never given twice
  double point[3]; // [m] its point at the last tick, world axes
} rh_track_memory;

typedef struct rh_haptic_slot {
  double scaled; // 1: the limits reduced its impulse, and its collision continues
  double target; // [m/s] its velocity of separation at the end of that collision
  double acting; // 1: its penalty acted
  double stored; // [J] in its penalty, by the work done on it
  double bent;   // [J] in its friction
} rh_haptic_slot;

enum {
  RH_TRACK_NUMBERS = (int)(sizeof(rh_track_memory) / sizeof(double)),
  RH_HAPTIC_NOW_SIZE = (int)(sizeof(rh_haptic_now) / sizeof(double)),
  RH_HAPTIC_NUMBERS = (int)(sizeof(rh_haptic_slot) / sizeof(double))
};

// Results of the engine stepping, and the quality of its solutions (src/stepping/solution_check.c):
// part of the restart state, so all fields are doubles. The fields before `checked` are of the last
// step; those from it on are the worst of the steps that were checked since the last frame.
typedef struct rh_solver_now {
  double contacts, islands; // their numbers
  double sweeps;            // of all islands together
  double newton;            // islands that were solved by Newton's method
  double checked;           // number of steps that were checked
  double residual;          // [m/s] by the check
  double undetermined;      // minimum number of directions in which impulses are free
  double several;           // islands whose velocities are not unique near the solution
  double unknown;           // islands too large to be checked
  double reported[2];       // `undetermined` and `several` as they were last reported
} rh_solver_now;

enum { RH_SOLVER_NOW_SIZE = (int)(sizeof(rh_solver_now) / sizeof(double)) };

#define RH_LOOP_ROWS 6 // maximum number of equations of a loop

typedef struct rh_tendon_now { // of a tendon
  double length, speed;        // [m], [m/s]
} rh_tendon_now;

typedef struct rh_dynamics { // results and scratch of multibody/
  rh_motion *S;      // joint axes (nv) stage 1
  double *trig;      // sine and cosine of each coordinate, for joints that turn (2 nq) stage 1
  rh_aba_body *aba;  // (nbody) stage 7
  double (*U)[2][4]; // IA S: moment, force; each three numbers and a zero (nv) stage 7
  // factor L D L' of S' IA S without the held rows, the inverse of D on the diagonal (36 nbody)
  double *D;
  double *u;         // tau - S' pA (nv) stage 7
  // joint-space inertia, branch-sparse rows, see rh_model_dof.row (nH) by multibody/crba.c
  double *H;
  double *L;         // its factor H = L' L, same pattern (nH)
  rh_inertia *Ic;    // composite inertias (nbody), scratch of multibody/crba.c
  rh_force *f;       // body forces (nbody), scratch of multibody/rnea.c
  // body accelerations (nbody), scratch of multibody/rnea.c and multibody/jacobian.c
  rh_motion *acc;
  double *scratch;   // (nq + 4 nv)
  // rows of the constraints on velocities (multibody/constraints/); NULL: there are none
  struct rh_constraint_system *rows;
  rh_tendon_now *tendon; // (tendons.n) stage 6
  // gradients of their lengths, each over its own degrees of freedom (tendons.ndof) stage 6
  double *tendon_J;
  // part of the restart state, of tendons by rh_model_tendon.stop (layout.ntendon): an rh_hold, and the
  // direction of a motion with dry friction: -1, 0, 1
  double *tendon_hold, *tendon_dry;
} rh_dynamics;

struct rh_data;

// Decides for a controller of the kind `program`: writes the efforts of all actuators (nactuator),
// which are zero before the call. `controller` is its index in the model. It reads the world and
// writes nothing of it.
typedef void rh_program_fn(void *user, struct rh_data *data, int controller, double *effort);

typedef struct rh_control_data { // of actuators, controllers and sensors, stage 6
  double *act;      // states of the actuators, in rh_data.y (model->layout.nact)
  // of sensors (model->sensors.nmemory), part of the restart state: of an engine with steps of its own,
  // time and velocities (nv) at the start of the last step, if sensors need them; then the samples
  double *sensor;
  rh_force *felt;   // forces on bodies but weight, about their origins, for sensors (nbody, if they need them)
  double *asked;    // efforts that all controllers request together (nactuator)
  double *scratch;  // of the controllers
  rh_program_fn *program; // of controllers of the kind `program`, see rh_sim_control; NULL: none
  void *program_user;
} rh_control_data;

typedef struct rh_data {
  const rh_model *model; // not owned
  // ---- The restart state: one block of model->layout.nstate doubles. A copy of it restarts the
  // world. The following fields, down to `slot`, point into it.
  double *state;
  double *t;      // [s] time (1)
  double *y;      // the continuous part: q, v, work, act, s in this order (ny)
  int ny;         // nfixed + ns
  double *q;      // coordinates (nq)
  double *v;      // velocities (nv)
  // integrals of power (model->layout.nwork), then states of the cells of contacts (nslot x
  // model->layout.ncell)
  double *work;
  double *s;      // states of the contacts' slots (ns)
  rh_command *command; // of the actuators (nactuator)
  double *hold;   // an rh_hold for each degree of freedom (nv)
  double *dry;    // direction of motion of a degree of freedom with dry friction: -1, 0, 1 (nv)
  // efforts of each controller with a period, constant between its decisions
  // (ncontroller x nactuator)
  double *drive;
  double *ticks;  // number of decisions of each controller (ncontroller)
  double *memory; // of the controllers (nmemory)
  double *fired;  // number of times that each event has occurred (nevent)
  double *acting; // 1 while an external force acts (nforce)
  double *energy_base; // [J] {initial energy, energy added by events} (2)
  // [J] integrals of contact points that have ended (RH_CONTACT_WORK_COUNT ncontact)
  double *past;
  // [N, N m] force and torque of each loop on its body a, at its end there, world axes; forces of the
  // rows of a constraint (RH_LOOP_ROWS nloop)
  double *loop;
  // of the engine haptic, followed by its memory (model->haptic.memory doubles, 0: another engine)
  rh_haptic_now *haptic;
  rh_hand *hand;  // NULL: the model has none
  rh_solver_now *solver; // NULL: the engine does not check solutions
  // [s] time for which each body has rested; < 0: it sleeps, together with all bodies of the same
  // number (model->layout.nrested)
  double *rested;
  rh_turn *turn;  // of the slots; NULL: no rigid contact has rolling or pivoting friction
  double *used;   // no slot from this index on has a contact; read it by rh_slots_used (1)
  rh_slot *slot;  // the contact points of the slots (nslot)
  // ---- Inputs, added to the forces of joints and actuators. The caller sets them; zero after
  // rh_data_create and rh_data_reset.
  double *tau;    // generalised forces (nv)
  rh_force *fext; // force on each body, about its origin (nbody)
  // ---- Stage results
  rh_contact *contact; // contact points, by slots (nslot) stages 2 to 5
  int ncontact;     // slots in use when `contact` was written; all after them are off
  double gap;       // [m] minimum distance of two shapes at a point without a slot; stage 2
  rh_kin_body *kin; // (nbody) stage 1
  double *load;     // generalised forces of springs, dampers, actuators and tau (nv) stage 6
  rh_force *wrench; // external forces on each body, about its origin (nbody) stage 6
  double *power;    // [W] rate of each integral of `work` (RH_WORK_COUNT) stage 6
  double *a;        // accelerations (nv) stage 7
  double *react;    // force, or impulse, on a held degree of freedom (nv) stage 7
  rh_dynamics dyn;
  rh_control_data control;
} rh_data;

// Allocates a world of `model` in its initial state. The model must outlive it. NULL when out of
// memory. The caller frees it by rh_data_destroy, which accepts NULL.
RH_API rh_data *rh_data_create(const rh_model *model);
RH_API void rh_data_destroy(rh_data *data);
// Sets the initial state of the model, and all inputs to zero. Stage results are those of the
// former state until the stages run.
RH_API void rh_data_reset(rh_data *data);
// Is `state` (model->layout.nstate doubles) possible as a restart state of the model of `data`? Its
// numbers that are counts, choices or indices are examined; a program checks a state from outside
// before it uses it.
RH_API bool rh_data_state_possible(const rh_data *data, const double *state);
// Hash of the restart state, bit for bit, except that -0 counts as 0.
RH_API uint64_t rh_data_hash(const rh_data *data, uint64_t seed);

// ---- Stage functions. The functions in brackets must have run before, for the present q and v.
// No pointer may be NULL; arrays of the caller have the size stated, and stay the caller's. Bodies
// are given by index, 0 <= body < model->nbody; points of them in body axes [m].

// Stage 1: d->kin, d->dyn.S, d->dyn.trig.
RH_API void rh_kinematics(rh_data *d);
// Stages 2 to 5 [kinematics, loads]: d->contact, d->gap; adds the forces of contacts to d->wrench.
RH_API void rh_contacts(rh_data *d);
// Number of slots that may have a contact: the first ones of d->slot.
RH_API int rh_slots_used(const rh_data *d);
// [s] time of the next decision of a controller; infinity: there is none.
RH_API double rh_control_next(const rh_data *d);
// Updates the controllers whose decision is due at *d->t [kinematics]. False: none is due.
RH_API bool rh_control_decide(rh_data *d);
// Stage 6 [kinematics]: d->load, d->wrench, d->power.
RH_API void rh_loads(rh_data *d);
// Stage 7 [kinematics, loads]: d->a, d->react.
RH_API void rh_forward_dynamics(rh_data *d);
// Accelerations a (nv) for given tau (nv), without external forces; held degrees of freedom have
// a = 0. [kinematics]
RH_API void rh_aba(rh_data *d, const double *tau, double *a);
// Velocity change dv (nv) by the generalised impulse p (nv); held degrees of freedom stay held. dv
// may be p itself. [aba or forward_dynamics]
RH_API void rh_impulse_response(rh_data *d, const double *p, double *dv);
// tau = H a + bias (nv), without d->fext. [kinematics]
RH_API void rh_inverse_dynamics(rh_data *d, const double *a, double *tau);
// Coriolis, centrifugal and gravity terms (nv). [kinematics]
RH_API void rh_bias(rh_data *d, double *bias);
RH_API void rh_mass_matrix(rh_data *d);                                // [kinematics] d->dyn.H
RH_API void rh_mass_factor(rh_data *d);                                // [mass_matrix] d->dyn.L
RH_API void rh_mass_solve(const rh_data *d, double *x);                // [mass_factor] x := H^-1 x
RH_API void rh_mass_mul(const rh_data *d, const double *x, double *y); // [mass_matrix] y = H x
RH_API void rh_mass_dense(const rh_data *d, double *H); // [mass_matrix] (nv x nv), row major
// [N] force of the hand at its grip, world axes; 0: there is no hand, or it holds no body.
// [kinematics]
RH_API rh_vec3 rh_hand_force(const rh_data *d);
RH_API rh_vec3 rh_point_position(const rh_data *d, int body, rh_vec3 at); // [kinematics] [m] world
RH_API rh_vec3 rh_point_velocity(const rh_data *d, int body, rh_vec3 at); // [kinematics] [m/s]
// Jacobian J of the point's velocity (3 x nv, row major), world axes. [kinematics]
RH_API void rh_point_jacobian(const rh_data *d, int body, rh_vec3 at, double *J);
RH_API rh_vec3 rh_point_bias(rh_data *d, int body, rh_vec3 at); // [kinematics] Jdot v [m/s^2]
// W = J H^-1 J' for `n` points (3n x 3n, row major) without forming H^-1. `work` is scratch of the
// caller, 3n * nv doubles. [kinematics, mass_factor]
RH_API void rh_contact_inertia(const rh_data *d, int n, const rh_model_point *point, double *work,
                               double *W);
// Energies [J]; that of gravity is zero with all mass at the world's origin.
RH_API double rh_kinetic_energy(const rh_data *d);   // [kinematics] armature included
RH_API double rh_potential_energy(const rh_data *d); // [kinematics] of gravity
RH_API double rh_spring_energy(const rh_data *d);    // [kinematics] of joints and tendons
RH_API double rh_total_mass(const rh_model *m);      // [kg]
RH_API rh_vec3 rh_centre_of_mass(const rh_data *d);  // [kinematics] [m] world
// Momentum of all bodies about the world's origin: angular, linear. [kinematics]
RH_API rh_force rh_momentum(const rh_data *d);
RH_API void rh_coordinate_rates(const rh_data *d, double *qdot); // dq/dt (nq) of d->q and d->v
// Advances the coordinates q (nq) along d->v for h seconds, in place.
RH_API void rh_coordinates_advance(const rh_data *d, double h, double *q);
// Scales the quaternions in q (nq) to unit length, in place.
RH_API void rh_coordinates_unit(const rh_model *m, double *q);

#ifdef __cplusplus
}
#endif
#endif
