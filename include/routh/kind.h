// routh/kind.h: joints, loops, shapes and engines, and the rows of every kind by name. A kind is a
// table; a row is a const descriptor, in its own file where it is more than a few lines, plus one
// line in the kind's .def list. docs/add.md shows how to add one. The kinds that a program may add
// to are in routh/law.h.
//
// rh_x_table returns all rows, `*count` of them; rh_x_find the row of a name, NULL: there is none.
// Rows and arrays belong to the library and last as long as the program; any thread may read them.
#ifndef ROUTH_KIND_H
#define ROUTH_KIND_H

#include <routh/law.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Joints (src/multibody/joint.c). The only place that knows how a joint moves.

typedef struct rh_joint {
  rh_row row;
  int nq, nv;
  bool turning; // pure rotations: S has no linear part, the origin is fixed in the parent
  bool free;    // nothing restrains the motion: six degrees of freedom
  bool angles;  // `pose` reads the sine and cosine of its coordinates
  // one scalar coordinate per degree of freedom, for limits, actuators and events
  bool scalar;
  const char *coord; // names of the coordinates, separated by blanks: "x y z qw qx qy qz"
  const char *unit;  // unit of each velocity's coordinate: "m m m rad rad rad"
  // The error in the parameters, in words that follow the name of the first; NULL (function or
  // result): none.
  const char *(*check)(const double *par);
  // Constants from the row's parameters and the joint's place in its parent (compile time).
  void (*prepare)(const double *par, const rh_xform *place, double *konst);
  // From the parent's pose and q: R and r of the body, and the joint's axes S in world axes about
  // the body's origin. `trig` holds the sine and cosine of each coordinate.
  void (*pose)(const double *konst, const double *q, const double *trig, const rh_kin_body *parent,
               rh_kin_body *body, rh_motion *S);
  // Apparent angular acceleration of the axes, seen from the parent [rad/s^2, world axes]; NULL:
  // none.
  rh_vec3 (*drift)(const rh_motion *S, const double *v);
  void (*rate)(const double *q, const double *v, double *qdot);              // NULL: qdot = v
  void (*advance)(const double *q, const double *v, double h, double *next); // NULL: q + h v
  void (*delta)(const double *q, const double *rest, double *delta); // deflection; NULL: q - rest
  void (*zero)(double *q);                                           // NULL: all zero
  void (*unit_length)(double *q);                                    // NULL: no quaternion
} rh_joint;

RH_API const rh_joint *const *rh_joint_table(int *count);
RH_API const rh_joint *rh_joint_find(const char *name);

// ---- Loops (src/multibody/loop_*.c): they keep two bodies together besides their joints.

typedef struct rh_loop_row { // one equation: gap = 0
  // rate of the gap: push . (velocity of end a less that of end b) + turn . (the same of the
  // angular velocities)
  rh_vec3 push, turn;
  double gap; // [m, rad]
} rh_loop_row;

typedef struct rh_loop_kind {
  rh_row row;
  int nrow;   // equations, at most RH_LOOP_ROWS; those of places first. Rows are orthonormal
  bool apart; // its ends are apart: a scene must state the places of both
  int nplace; // equations of places [m]; the others are of attitudes [rad]
  // The error in the first parameter, in words; NULL (function or result): none.
  const char *(*check)(const double *par);
  // Fills in parameters that were not given, from the ends at the start, world axes. NULL: none can
  // be.
  void (*start)(const rh_xform *a, const rh_xform *b, double *par);
  void (*rows)(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row); // (nrow)
  // The rates of push and turn while the ends move with va and vb: angular, and of the end itself.
  // `rate` (nrow) is zero before. NULL: both are constant.
  void (*rates)(const rh_xform *a, const rh_xform *b, const rh_motion *va, const rh_motion *vb,
                const double *par, rh_loop_row *rate);
} rh_loop_kind;

RH_API const rh_loop_kind *const *rh_loop_kind_table(int *count);
RH_API const rh_loop_kind *rh_loop_kind_find(const char *name);

// ---- Constraints on velocities (src/multibody/constraints/): rows Psi(q) v = s of a scene's own,
// nonholonomic or not, besides joints and loops.

#define RH_CONSTRAINT_ROWS  3 // maximum number of rows of a constraint
#define RH_CONSTRAINT_TERMS 4 // maximum number of joints in a row

typedef struct rh_constraint_at { // the state that rows are made of, world axes
  rh_xform end[2];                // frames on its body and on the other
  rh_motion v[2];                 // their velocities: angular, and of the frame's origin
  int n;                          // number of its joints
  double q[RH_CONSTRAINT_TERMS], dq[RH_CONSTRAINT_TERMS]; // their coordinates and speeds
  double given[RH_CONSTRAINT_TERMS];                      // coefficients that the scene gives
} rh_constraint_at;

// Row i: push . (velocity of the body less that of the other, at `point`) + turn . (the same of the
// angular velocities) = speed; in the first row also + the sum of coef times the joints' speeds.
typedef struct rh_constraint_rows {
  rh_vec3 point;
  rh_vec3 push[RH_CONSTRAINT_ROWS], turn[RH_CONSTRAINT_ROWS];
  double gap[RH_CONSTRAINT_ROWS];   // [m] of a row that is the rate of a gap; else 0
  double speed[RH_CONSTRAINT_ROWS]; // [m/s, rad/s]
  double coef[RH_CONSTRAINT_TERMS];
} rh_constraint_rows;

typedef struct rh_constraint_kind {
  rh_row row;
  int nrow;      // maximum number of rows
  bool bodies;   // it is between two bodies; else between joints only
  bool given;    // it takes coefficients of its joints
  int joints[2]; // minimum and maximum number of its joints
  int speeds;    // of so many of its first joints it needs the speed only; the others have coordinates
  // The error in the first parameter, in words; NULL (function or result): none.
  const char *(*check)(const double *par);
  int (*count)(const double *par); // rows; NULL: nrow
  // Rows and their rates along the motion; both are zero before.
  void (*rows)(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
               rh_constraint_rows *rate);
} rh_constraint_kind;

RH_API const rh_constraint_kind *const *rh_constraint_kind_table(int *count);
RH_API const rh_constraint_kind *rh_constraint_kind_find(const char *name);

// ---- Shapes (src/geometry/shape.c). The frame of a shape is at its centre; all functions use that
// frame. A shape made of a mesh has the mesh functions in place of the others.

typedef enum rh_mesh_sort { RH_MESH_NONE, RH_MESH_HULL, RH_MESH_FIELD } rh_mesh_sort;

typedef struct rh_shape {
  rh_row row;
  double (*volume)(const double *par);   // [m^3]; NULL: no volume and no inertia (plane)
  rh_sym3 (*inertia)(const double *par); // [m^2] about its centre, for unit mass
  // Farthest point of the core along a direction, without the rounding; NULL: unbounded (plane).
  rh_vec3 (*support)(const double *par, rh_vec3 direction);
  // the parameter that is the radius added to a core: of a sphere, a capsule, a rounded box or hull;
  // RH_NONE: none
  int rounding;
  // The error in the parameters, in words that follow the name of the one that `which` gets; NULL
  // (function or result): none.
  const char *(*check)(const double *par, int *which);
  int touches;       // maximum number of contact points with one other shape
  rh_mesh_sort mesh; // the mesh it is made of: see src/geometry/mesh_shape.h
  rh_vec3 (*mesh_support)(const void *mesh, rh_vec3 direction);
  double (*mesh_volume)(const void *mesh, const double *par);
  // about its centre of mass, `*centre`, which is not its frame's origin
  rh_sym3 (*mesh_inertia)(const void *mesh, const double *par, rh_vec3 *centre);
} rh_shape;

RH_API const rh_shape *const *rh_shape_table(int *count);
RH_API const rh_shape *rh_shape_find(const char *name);

// Has it a farthest point in every direction? A plane and a heightfield have none.
static inline bool rh_shape_bounded(const rh_shape *kind)
{
  return kind->support || kind->mesh_support;
}

// [m] radius added to the core
static inline double rh_shape_rounding(const rh_shape *kind, const double *par)
{
  return kind->rounding != RH_NONE ? par[kind->rounding] : 0;
}

// ---- Sensors (src/sensors/sensor_*.c): readings of a world, which act on nothing.

#define RH_SENSOR_WIDTH 6 // maximum of numbers of one reading

typedef enum rh_sensor_owner {
  RH_SENSOR_OF_BODY,    // a place on a body
  RH_SENSOR_OF_JOINT,   // a joint; places are on the body that it carries
  RH_SENSOR_OF_CONTACTS // a body or one of its shapes
} rh_sensor_owner;

typedef struct rh_sensor_kind {
  rh_row row;
  int width;                         // numbers of a reading
  const char *part[RH_SENSOR_WIDTH]; // their names
  const char *unit[RH_SENSOR_WIDTH]; // "joint", "joint/s": that of the degree of freedom
  rh_sensor_owner of;
  bool motion; // it needs accelerations, and the forces on bodies
  bool scalar; // of a joint: only with one coordinate per degree of freedom
  bool exact;  // it reads whole numbers, which have no noise
  bool finds;  // it reads distances; below 0: nothing was found
  bool forces; // it needs the forces of contacts, which an engine with `haptic` does not keep
  // Writes the reading of the present state: kinematics, contacts, d->a, and in d->control.felt all
  // forces on bodies but weight. A pure function.
  void (*read)(const rh_data *d, const rh_model_sensor *s, double *value);
} rh_sensor_kind;

RH_API const rh_sensor_kind *const *rh_sensor_kind_table(int *count);
RH_API const rh_sensor_kind *rh_sensor_kind_find(const char *name);

// ---- Engines (src/event, src/stepping, src/haptic; table src/run/engines.def). An engine turns
// contacts into motion: it moves the state of a simulation from one time to another and handles all
// events in between. The run loop (src/run/run.c) knows only this interface, and the checks of a
// scene (src/model/check_engine.c) read only these capabilities. A program reads rows; it does not
// call their functions: rh_sim_run does.

#define RH_TIME_MIN      1e-12 // [s] shortest step, run and time between frames
#define RH_RUN_STEPS_MAX 1e12  // steps of a run: a clock in doubles resolves no more steps safely

struct rh_sim;
struct rh_guard;

typedef struct rh_step_stats { // counts of an engine since it was created
  long steps, rejected, evaluations, restarts;
} rh_step_stats;

typedef enum rh_restart { // why an engine is restarted
  RH_RESTART_STATE,       // the state was set before the run began; nothing is settled yet
  RH_RESTART_EVENT,       // state or loads have changed: contacts and joints are settled first
  RH_RESTART_BATCH        // as after an event, and no history is kept: a run may be resumed here
} rh_restart;

typedef enum rh_stop_owner { // what may have limits and dry friction
  RH_STOPS_OF_JOINTS = 1,
  RH_STOPS_OF_TENDONS = 2
} rh_stop_owner;

typedef enum rh_face_use {
  RH_FACES_LAWS = 1,    // normal laws of whole faces (rh_normal_law.face)
  RH_FACES_AREAS = 2    // constants of a law that hold per square metre (contacts.stiffness_per)
} rh_face_use;

// What the ledger of energy leaves unexplained
typedef struct rh_engine_energy {
  double residue; // [1] usual bound of run.residue
  // Order of the error of the energy in the step, or in the tolerance (1); NULL: 1.
  double (*order)(const struct rh_model *model);
  // A setting with which the residue of this model is smaller, at some cost; NULL: none
  const char *(*advice)(const struct rh_model *model);
} rh_engine_energy;

typedef struct rh_engine {
  rh_row row; // with the parameters that the section run of a scene may give
  // Capabilities
  bool located;         // events are located: passages of the scene, guards of a program
  bool loop_rows;       // loops are rows of forward dynamics (constrained.c); else it solves them
  bool compliant;       // contacts by a normal law
  unsigned restitution; // contacts by an impact law of these ratios: a set of 1 << rh_restitution
  // fast touches of a compliant contact by an impact law (contacts.impact_law)
  bool impact_law;
  // impact laws with a path of their own (rh_impact_law.tangential_spring, impulse_ratio)
  bool tangential_springs;
  // all points of an impact are one problem, or follow their paths one by one: run.multi_impact may
  // be no other formulation
  bool impacts_together;
  bool pair_factors;     // proportions of the points of an impact (contacts.pair_factor)
  bool early_impacts;   // contacts by an impact law with e below 0: impacts that end in compression
  unsigned stops;       // limits and dry friction: a set of rh_stop_owner
  bool friction_states; // friction laws with states
  bool normal_states;   // normal laws with a state
  unsigned faces;       // what it knows of flat faces as a whole: a set of rh_face_use
  bool belts;           // surfaces that move on their bodies (shapes.surface_velocity)
  bool adhesion;        // contacts that hold on across a gap (rh_normal_law.hold)
  bool impact_friction; // friction of its own in impacts (contacts.mu_impact)
  bool turn_friction;   // rolling and pivoting friction (contacts.mu_roll, mu_pivot)
  bool sticks;          // friction of compliant contacts is Coulomb's law with true stick
  bool selects;         // takes the motion that run.select asks for where several fit
  bool rigid_modes;     // modes of rigid contacts are part of the state: model->nrigid
  bool counts_bounces;  // of compliant contacts: they are among rh_impact_stats.impacts
  bool checks_solution; // the solution of a step is checked: rh_solver_now
  // slots hold place and mean force of their contacts, as the engine found them
  bool keeps_contacts;
  bool haptic;            // needs the section haptic; its first parameter is the tick
  rh_engine_energy energy;
  const char *integrator; // usual one of its integrators; NULL: it has none
  const char *stepper;    // value of run.stepper before version 0.2; NULL: that of its integrator
  const rh_row *(*integrator_row)(int index); // its integrators, NULL after the last; NULL: none
  // Functions. `self` is the result of create; all calls for a simulation come from one thread.

  // Allocates everything for model->engine_par and the state of `sim`, which must outlive it.
  // `*self` is set before the state is evaluated for the first time, and is NULL after an error;
  // `diag` (may be NULL) gets the reason.
  rh_status (*create)(struct rh_sim *sim, rh_diag *diag, void **self);
  void (*start)(void *self); // before the first advance: contacts that exist already; NULL: nothing
  void (*restart)(void *self, rh_restart why);
  // Moves the state on to `until`, or less far: to an event, which is handled, or to a good moment
  // to read the clock. An engine with located events evaluates nothing after `limit` >= until; the
  // others end with the first of their steps at or after `until`. A status other than RH_OK ends
  // the run; the reason of the simulation, or else `reason`, states why.
  rh_status (*advance)(void *self, double until, double limit);
  void (*evaluate)(struct rh_data *data); // accelerations and reactions in the present state
  // One more function whose zero is an event, already in the simulation; NULL: none is located.
  rh_status (*add_guard)(void *self, const struct rh_guard *guard);
  const char *(*reason)(const void *self); // why the last advance failed; valid until the next one
  void (*stats)(const void *self, rh_step_stats *stats);
  void (*destroy)(void *self); // NULL is allowed
  const struct rh_lanes_kind *lanes; // many worlds side by side (rh_batch); NULL: one by one
} rh_engine;

RH_API const rh_engine *const *rh_engine_table(int *count);
RH_API const rh_engine *rh_engine_find(const char *name);

// ---- Rows of every kind by its name, as `routh list` prints them: "joints", "loops", "constraints", "shapes",
// "laws", "frictions", "impacts", "formulations", "engines", "integrators", "controllers", "sensors",
// "solvers", "methods", "couplings", "hands", "pulses". Rows that a program registered are included.

RH_API const char *rh_kind_name(int index); // of a kind; NULL: after the last
// NULL: after the last, or no such kind
RH_API const rh_row *rh_kind_row(const char *kind, int index);
RH_API const rh_row *rh_kind_find(const char *kind, const char *name); // NULL: no such row

#ifdef __cplusplus
}
#endif
#endif
