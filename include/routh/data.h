// routh/data.h: one world: its state, and what the stages of a step leave behind. Open to read and, for the state
// and the inputs, to write. One allocation; no stage allocates.
//
// All spatial quantities are in world axes about the origin of the body they belong to.
#ifndef ROUTH_DATA_H
#define ROUTH_DATA_H

#include <routh/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rh_hold { // what a degree of freedom is held by
  RH_HOLD_NONE,
  RH_HOLD_LOWER, // its lower limit, which can only push up
  RH_HOLD_UPPER, // its upper limit, which can only push down
  RH_HOLD_LOCK,  // a lock, which can push either way
  RH_HOLD_DRY,   // dry friction, which can push either way as far as it goes
  RH_HOLD_COUNT
} rh_hold;

typedef enum rh_work { // integrals carried along with the state, one double each
  RH_WORK_DAMPER,      // [J] dissipated by joint dampers and dry friction (>= 0)
  RH_WORK_ACTUATOR,    // [J] done by actuators
  RH_WORK_EXTERNAL,    // [J] done by forces from outside
  RH_WORK_HAND,        // [J] done by the hand, and by changing values; only in a model with a hand (model->nwork)
  RH_WORK_COUNT
} rh_work;

// A contact point has a slot of states as long as it lasts: the vector of its friction law, in world axes, then integrals
// of power.
enum { RH_SLOT_FRICTION = 0, RH_SLOT_WORK = 3, RH_SLOT_STATES = 8 };

// What a slot stands for: part of the restart state, so all are doubles. A free slot is all zero.
typedef struct rh_slot {
  double used;    // 1: it has a contact
  double a, b;    // shapes; an unbounded one is b
  double id;      // feature of the two that meets, see src/geometry/geometry.h
  double contact; // whose laws hold
  double place;   // its number among the points of that contact
  double mode;    // for what resolves contacts: 0 at touchdown
  double since;   // [s] time of the touchdown
  double speed;   // [m/s] of the touchdown
  double at[3];   // [m] where it was when last looked at, in the axes of the body of b
  double n[3];    // the normal then, likewise
} rh_slot;

enum { RH_SLOT_SIZE = (int)(sizeof(rh_slot) / sizeof(double)) };

// A hand that pulls at a body in a live run (run.hand of a scene): part of the restart state, so all are doubles.
//   f = m w^2 (target - x) - 2 m w v - m g        at the grip x, which moves with v; w = RH_HAND_RATE: critically damped
typedef struct rh_hand {
  double body;      // whose body it holds; 0: none
  double grip[3];   // [m] where, body axes
  double target[3]; // [m] where it is wanted, world
  double mass;      // m [kg] of that body and all that hangs on it
} rh_hand;

#define RH_HAND_RATE 12.0 // w [rad/s]

enum { RH_HAND_SIZE = (int)(sizeof(rh_hand) / sizeof(double)) };

typedef enum rh_contact_work { // [J] since touchdown, one double each behind RH_SLOT_WORK
  RH_CONTACT_NORMAL,           // put into the normal spring: what it stores, but where a face's area changed on the way
  RH_CONTACT_DAMPER,           // dissipated by the normal damper
  RH_CONTACT_SPRING,           // put into the tangential spring ([AF] eq. 33)
  RH_CONTACT_DRAG,             // dissipated by the tangential damper
  RH_CONTACT_SLIDE,            // dissipated by sliding
  RH_CONTACT_WORK_COUNT
} rh_contact_work;

typedef struct rh_contact { // stages 2 to 5, written by collision/contact_find.c; a slot that is not `on` has no contact
  bool on;
  int rule;                 // contact of the model: its laws
  int shape[2];             // the shapes that meet
  int id;                   // feature that meets
  int a, b;                 // their bodies
  rh_vec3 point;            // [m] world
  rh_vec3 t1, t2, n;        // contact frame; n from b into a
  double depth, rate;       // [m], [m/s]
  double slip[2];           // [m/s] of a relative to b, along t1, t2
  double radius, area;      // [m], [m^2] see src/geometry/geometry.h
  rh_vec3 drift;            // [m/s^2] of rigid contacts: their acceleration because the point moves over the surfaces
  double normal;            // [N] force on a along n
  double friction[2];       // [N] force on a along t1, t2
  double stored;            // [J] in the normal spring
  double recoverable;       // [J] in the tangential spring
  double margin;            // [N] > 0 it sticks, < 0 it slips
  double shared;            // 1: under the stepper moreau, where what it carries is not determined
} rh_contact;

typedef enum rh_closed { // what a rigid contact does between two events
  RH_CLOSED_DEALT = -2,  // a compliant one that took part in an impact, until it is seen whether it stays
  RH_CLOSED_STRUCK = -1, // a compliant one, while it takes part in an impact
  RH_CLOSED_IDLE = 0,    // it touches, and carries nothing
  RH_CLOSED_STICK,       // (or rolls)
  RH_CLOSED_SLIDE,
  RH_CLOSED_SHARED,      // under the stepper moreau: what it carries is not determined
} rh_closed;

typedef struct rh_contact_impact { // what a rigid contact was dealt at an impact
  double before, after;  // [m/s] normal velocity
  double Dn, Dt;         // [J] dissipated along the normal, and by friction
  bool gained, solved;   // of its island: energy was created; the impulses satisfy the law
} rh_contact_impact;

typedef struct rh_kin_body { // stage 1, written by multibody/kinematics.c
  rh_mat3 R;                 // attitude
  rh_vec3 p;                 // [m] origin
  rh_vec3 r;                 // [m] origin seen from the parent's origin
  rh_motion v;               // velocity: angular, and that of the origin
  rh_motion c;               // acceleration if no joint accelerated: angular, and of the origin (gravity apart)
  rh_inertia I;              // inertia
} rh_kin_body;

typedef struct rh_aba_body { // stage 7, written by multibody/aba.c
  // Columns of three numbers and a zero. The articulated inertia [A B'; B C]: moment from angular, force from angular and
  // force from linear acceleration [RBDA ch. 7]
  double A[3][4], B[3][4], C[3][4];
  double n[4], f[4]; // bias force: moment and force that keep the joints from accelerating
  double w[4], a[4]; // acceleration beyond kinematics.c: angular, and of the origin
} rh_aba_body;

// The energy account, stage 10, written by contacts/ledger.c; all [J]. One list makes the struct, the table in recordings, the
// channels energy.* and the JSON of a run.
#define RH_LEDGER_LIST(X)                                                            \
  X(kinetic, "energy now: of motion")                                                \
  X(potential, "energy now: in gravity")                                             \
  X(spring, "energy now: in joint springs")                                          \
  X(contact, "energy now: in contacts; tangential springs by [AF] eq. 33")           \
  X(damper, "dissipated so far by joint dampers and dry friction")                   \
  X(contact_damper, "dissipated so far by the dampers of contacts")                  \
  X(sliding, "dissipated so far by sliding")                                         \
  X(actuator, "put in so far by actuators")                                          \
  X(external, "put in so far by forces from outside")                                \
  X(hand, "put in so far by the hand of a live run: pulls, and values it changed")   \
  X(event, "change at events so far (impacts at stops, locks: <= 0)")                \
  X(initial, "energy at the start")                                                  \
  X(residue, "what no entry explains: numerical error")

typedef struct rh_ledger {
#define RH_LEDGER_FIELD(name, text) double name;
  RH_LEDGER_LIST(RH_LEDGER_FIELD)
#undef RH_LEDGER_FIELD
} rh_ledger;

typedef struct rh_haptic_now { // what the last tick of the stepper haptic did, all doubles; force first, then torque, world axes
  double ticks;       // so far
  double hand[6];     // [N, N m] of the hand on the device (on the tool without one)
  double env[6];      // of the environment on the tool, after limits; impulses over the tick
  double coupling[6]; // of the coupling on the tool
  double wrench[6];   // on the device, after limits and clamps: what a user feels
  double state;       // of the tool's group: 0 free, 1 colliding, 2 resting
  double contacts, groups; // how many, in the whole world
  double depth;       // [m] deepest contact
  double e_eff;       // effective restitution of the tool's collision, after limits; haptic.e else
  double loss;        // [J] taken by collisions in the tick
  double negative;    // impulses that pulled in the tick
  double active;      // 1: the unilateral coupler is closed
  double hand_work;   // [J] that the hand has put in so far,
  double given;       // [J] that the world had at the start and could have given by now: it moved then, and what is heavy sank or springs relaxed
  double returned;    // [J] by how much, at most, the hand has got back more than it had put in and the world had to give
  double level[3];    // [J] potential energy when it was last looked at: of all, of the tool, of the device
  double put;         // who was put somewhere in the last tick, which is no fall: 0 none, 1 the tool, 2 the device
  double collisions;  // ticks with a collision so far
  double pulled;      // impulses that pulled so far
  double pulse[6 * 16]; // [N s, N m s] of impulses on their way to the device (RH_PULSE_MAX ticks)
} rh_haptic_now;

// It is followed by the contacts of the last tick (src/collision/contact_clusters.h), and these numbers of each.
typedef struct rh_haptic_slot {
  double scaled; // 1: its impulse was made less by the limits, and it goes on colliding
  double target; // [m/s] at which it shall part then
  double acting; // 1: its penalty acted
  double stored; // [J] in it, by what was put in
} rh_haptic_slot;

enum {
  RH_TRACK_NUMBERS = 8, // of each contact of the last tick, after one for all
  RH_HAPTIC_NOW_SIZE = (int)(sizeof(rh_haptic_now) / sizeof(double)),
  RH_HAPTIC_NUMBERS = (int)(sizeof(rh_haptic_slot) / sizeof(double))
};

// What the stepper moreau did, and what its answers are worth (src/stepping/solution_check.c): all doubles. The second part is of the steps that were judged
// since the last frame, the worst of them.
typedef struct rh_solver_now {
  double contacts, islands; // of the last step
  double sweeps;            // of all its islands together
  double newton;            // islands that went to Newton's method
  double judged;            // steps
  double residual;          // [m/s] the judge's
  double undetermined;      // directions in which impulses are free, at least
  double several;           // islands whose velocities are not unique near the answer
  double unknown;           // islands too large to be asked
  double told[2];           // of undetermined, and of several: as they were told last
} rh_solver_now;

enum { RH_SOLVER_NOW_SIZE = (int)(sizeof(rh_solver_now) / sizeof(double)) };

#define RH_LOOP_ROWS 6 // equations a loop may have

typedef struct rh_dynamics { // results and scratch of multibody/
  rh_motion *S;     // joint axes (nv) stage 1
  double *trig;     // sine and cosine of each coordinate, for joints that turn (2 nq) stage 1
  rh_aba_body *aba; // (nbody) stage 7
  double (*U)[2][4]; // IA S: moment, force; each three numbers and a zero (nv) stage 7
  double *D;        // factor L D L' of S' IA S with the held rows taken out, the inverse of D on the diagonal (36 nbody)
  double *u;        // tau - S' pA (nv) stage 7
  double *H;        // joint-space inertia, branch-sparse rows, see rh_model_dof.row (nH) by multibody/crba.c
  double *L;        // its factor H = L' L, same pattern (nH)
  rh_inertia *Ic;   // composite inertias (nbody), scratch of multibody/crba.c
  rh_force *f;      // body forces (nbody), scratch of multibody/rnea.c
  rh_motion *acc;   // body accelerations (nbody), scratch of multibody/rnea.c and multibody/jacobian.c
  double *scratch;  // (nq + 4 nv)
} rh_dynamics;

typedef struct rh_control_data { // results and scratch of control/, stage 6
  double *asked;    // efforts that all controllers request together (nactuator)
  double *scratch;  // of the controllers
} rh_control_data;

typedef struct rh_data {
  const rh_model *model;
  // The restart state: one block of model->layout.nstate doubles; a copy of it restarts the world.
  double *state;
  double *t;      // [s] time (1)
  double *y;      // the continuous part: q, v, work, s one after the other (ny)
  int ny;         // nq + nv + nwork + ns
  double *q;      // coordinates (nq)
  double *v;      // velocities (nv)
  double *work;   // integrals of power (model->layout.nwork)
  double *s;      // states of the contacts' slots (ns)
  rh_command *command; // of the actuators (nactuator)
  double *hold;   // rh_hold of each degree of freedom (nv)
  double *dry;    // direction in which a degree of freedom with dry friction moves: -1, 0, 1 (nv)
  double *drive;  // efforts that each controller with a rate holds between its decisions (ncontroller x nactuator)
  double *ticks;  // number of decisions of each controller (ncontroller)
  double *memory; // of the controllers (nmemory)
  double *fired;  // number of times that each event has happened (nevent)
  double *acting; // 1 while an external force acts (nforce)
  double *energy_base; // {initial energy, energy given by events} (2)
  double *past;   // [J] integrals of contact points that have ended (RH_CONTACT_WORK_COUNT ncontact)
  double *loop;   // [N, N m] force and torque of each loop on its body a, at the end there, world axes (RH_LOOP_ROWS nloop)
  rh_haptic_now *haptic; // of the haptic engine, followed by its memory (model->haptic.memory doubles, 0 without)
  rh_hand *hand;  // NULL: the model has none
  rh_solver_now *solver; // NULL: its engine does not check solutions
  double *rested; // [s] time for which each body has rested; < 0: it sleeps, with all that have the same number (model->layout.nrested)
  double *used;   // no slot from this one on has a contact; read it with rh_slots_used (1)
  rh_slot *slot;  // contacts that the slots belong to (nslot)
  // Inputs, added to those of joints and actuators; the caller sets them, zero at first
  double *tau;    // generalised forces (nv)
  rh_force *fext; // force on each body, about its origin (nbody)
  // Stage results
  rh_contact *contact; // contact points, by slots (nslot) stages 2 to 5
  int ncontact;     // slots that were in use when `contact` was written; all after them are off
  double gap;       // [m] least distance of two shapes at a point without a slot; stage 2
  rh_kin_body *kin; // (nbody) stage 1
  double *load;     // generalised forces of springs, dampers, actuators and tau (nv) stage 6
  rh_force *wrench; // forces from outside on each body, about its origin (nbody) stage 6
  double *power;    // [W] power that feeds each integral of `work` (RH_WORK_COUNT) stage 6
  double *a;        // accelerations (nv) stage 7
  double *react;    // force, or impulse, that holds a held degree of freedom (nv) stage 7
  rh_dynamics dyn;
  rh_control_data control;
} rh_data;

RH_API rh_data *rh_data_create(const rh_model *model); // NULL when out of memory
RH_API void rh_data_destroy(rh_data *data);
RH_API void rh_data_reset(rh_data *data);                          // back to the model's initial state
RH_API uint64_t rh_data_hash(const rh_data *data, uint64_t seed);  // of the restart state, bit for bit

// ---- Stage functions. Each needs what stands in brackets to have run for the present q and v.

RH_API void rh_kinematics(rh_data *d);                                     // stage 1
RH_API void rh_contacts(rh_data *d);                                       // stages 2 to 5 [kinematics, loads]: con, gap; adds to wrench
RH_API int rh_slots_used(const rh_data *d);                                // slots that may have a contact: the first so many
RH_API double rh_control_next(const rh_data *d);                           // [s] when a controller decides next; infinity
RH_API bool rh_control_decide(rh_data *d);                                 // [kinematics] lets those decide that are due; false: none
RH_API void rh_loads(rh_data *d);                                          // stage 6 [kinematics]: load, wrench, power
RH_API void rh_forward_dynamics(rh_data *d);                               // stage 7 [kinematics, loads]: d->a, d->react
RH_API void rh_aba(rh_data *d, const double *tau, double *a);              // [kinematics] a for given tau, without outside forces; held dofs keep a = 0
// Velocity change by the generalised impulse p, held dofs kept. [aba or forward_dynamics] dv may be p itself.
RH_API void rh_impulse_response(rh_data *d, const double *p, double *dv);
RH_API void rh_inverse_dynamics(rh_data *d, const double *a, double *tau); // [kinematics] tau = H a + bias, fext not included
RH_API void rh_bias(rh_data *d, double *bias);                             // [kinematics] Coriolis, centrifugal and gravity terms
RH_API void rh_mass_matrix(rh_data *d);                                    // [kinematics] d->H
RH_API void rh_mass_factor(rh_data *d);                                    // [mass_matrix] d->L
RH_API void rh_mass_solve(const rh_data *d, double *x);                    // [mass_factor] x := H^-1 x
RH_API void rh_mass_mul(const rh_data *d, const double *x, double *y);     // [mass_matrix] y = H x
RH_API void rh_mass_dense(const rh_data *d, double *H);                    // [mass_matrix] nv x nv, row major
RH_API rh_vec3 rh_hand_force(const rh_data *d);                            // [kinematics] [N] of the hand, at its grip; 0: it holds nothing
RH_API rh_vec3 rh_point_position(const rh_data *d, int body, rh_vec3 at);  // [kinematics]
RH_API rh_vec3 rh_point_velocity(const rh_data *d, int body, rh_vec3 at);  // [kinematics]
RH_API void rh_point_jacobian(const rh_data *d, int body, rh_vec3 at, double *J); // [kinematics] 3 x nv, world axes
RH_API rh_vec3 rh_point_bias(rh_data *d, int body, rh_vec3 at);            // [kinematics] Jdot v
// W = J H^-1 J' for `n` points (3n x 3n, row major) without forming H^-1. [mass_factor]
// `work` holds 3n * nv doubles.
RH_API void rh_contact_inertia(const rh_data *d, int n, const rh_model_point *point, double *work, double *W);
RH_API double rh_kinetic_energy(const rh_data *d);   // [kinematics] armature included
RH_API double rh_potential_energy(const rh_data *d); // [kinematics] of gravity, zero with all at the world's origin
RH_API double rh_spring_energy(const rh_data *d);
RH_API double rh_total_mass(const rh_model *m);
RH_API rh_vec3 rh_centre_of_mass(const rh_data *d);  // [kinematics]
RH_API rh_force rh_momentum(const rh_data *d);       // [kinematics] about the world's origin: angular, linear
RH_API void rh_coordinate_rates(const rh_data *d, double *qdot); // qdot(q, v)
RH_API void rh_coordinates_advance(const rh_data *d, double h, double *q); // q := q moved along d->v for h seconds
RH_API void rh_coordinates_unit(const rh_model *m, double *q);   // bring quaternions back to unit length

#ifdef __cplusplus
}
#endif
#endif
