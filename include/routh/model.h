// routh/model.h: the compiled scene. All fields may be read; nothing is written after
// rh_scene_compile, so that any number of worlds and threads may share a model. It owns all arrays
// that it points to: one allocation, and one for each mesh and visual mesh. Body 0 is the world; the index of a
// parent is lower than those of its children. Units are SI; RH_NONE as an index: none.
#ifndef ROUTH_MODEL_H
#define ROUTH_MODEL_H

#include <routh/base.h>
#include <routh/math.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rh_joint;
struct rh_normal_law;
struct rh_friction_law;
struct rh_impact_law;
struct rh_loop_kind;
struct rh_constraint_kind;
struct rh_shape;
struct rh_engine;
struct rh_controller;
struct rh_sensor_kind;

#define RH_JOINT_CONST 40 // maximum of constants of a joint, prepared by its row at compile

typedef struct rh_model_drag { // a body in the medium
  double side[3];              // [m] of its box; 0: none
  rh_mat3 R;                   // its axes, body axes
} rh_model_drag;

typedef struct rh_model_medium {
  double density, viscosity; // [kg/m^3], [Pa s]
  rh_vec3 wind;              // [m/s]
} rh_model_medium;

typedef struct rh_model_body { // a body and the joint that carries it
  int parent;                  // body; RH_NONE for the world
  int qadr, vadr;              // index of its first coordinate in q, of its first velocity in v
  int nv;                      // its degrees of freedom
  int nchild;                  // bodies whose joint is on it
  bool shifted;                // its origin may differ from that of the parent
  // the moving body nearest to the world on the path to it, or the body itself; 0: it does not move
  int tree;
  const struct rh_joint *joint;
  rh_inertia inertia;          // about the body's origin, body axes
  double gravcomp;             // [1] part of its weight that a force at its centre of mass carries
  rh_model_drag drag;
  double konst[RH_JOINT_CONST]; // prepared by the joint's row
} rh_model_body;

typedef struct rh_model_dof {
  int body;
  int parent;             // next degree of freedom towards the root; RH_NONE
  int row;                // start of its row in rh_dynamics.H; the row goes from itself to the root
  int depth;              // length of that row
  // [N/m, N m/rad], [N s/m, N m s/rad], [kg, kg m^2]
  double spring, damper, armature;
  double friction, stiction; // [N, N m] dry friction in motion, and at rest
  double lower, upper;    // [m, rad] limits; -inf, inf: none
  int coord;              // coordinate (index in q) that the limits are of; RH_NONE: there are none
  double bounce;          // [1] restitution at the limits
  double effort_lo, effort_hi; // [N, N m] limits of the sum of its actuators; -inf, inf: none
} rh_model_dof;

// Rows between two bodies in addition to their joints: a loop, or a constraint on velocities
typedef struct rh_model_loop {
  const struct rh_loop_kind *kind;             // NULL: a constraint
  const struct rh_constraint_kind *constraint; // NULL: a loop
  int nrow;
  int a, b;          // bodies; one of them may be the world, both of a constraint between joints
  rh_xform in_a, in_b; // its ends, body axes
  double par[RH_PAR_MAX];
  int nterm;         // of a constraint: speeds of joints in its first row
  int dof[4];        // these degrees of freedom, and the scene's coefficients
  double coef[4];
} rh_model_loop;

typedef struct rh_model_point {
  int body;
  rh_vec3 at; // [m] body axes
} rh_model_point;

// A command of an actuator: effort + kp (target - q) + kd (target's speed - v); the target moves
// from the time `since` on.
typedef struct rh_command {
  double effort, kp, kd; // [N, N m], [N/m, N m/rad], [N s/m, N m s/rad]
  // [m, rad], [m/s, rad/s], [m/s^2, rad/s^2]; NaN in `target` of a command that is not given yet:
  // the position of the joint when it is given
  double target, rate, accel;
  double since;          // [s]
} rh_command;

#define RH_COMMAND_SIZE 7 // number of its doubles

typedef enum rh_via { RH_VIA_DOF, RH_VIA_JOINT, RH_VIA_BODY } rh_via;

typedef struct rh_model_transmission { // of an actuator, see src/multibody/transmission.c
  rh_via kind;
  int body;            // that of the joint, or that it acts on
  int to;              // body that it acts back on; 0: none
  bool carried;        // of a joint: turns are in the axes of the body that it carries
  rh_xform end, to_end; // where it acts, body axes
  double axis[6];      // force, torque; of a ball joint: torque
} rh_model_transmission;

typedef struct rh_model_actuator {
  int dof;            // of a joint, of several the first; RH_NONE: it pulls at a tendon
  int tendon;         // RH_NONE: it drives a joint, or acts on a body
  rh_model_transmission via;
  int dynamics;       // an rh_dynamics_kind
  int state;          // index of its state; RH_NONE
  double time_constant, ki, state_lo, state_hi;
  double stall, no_load_speed; // stall 0: no limit by speed
  rh_command command; // at the start
  double lo, hi;      // [N, N m] limits of the effort
  bool servo;         // `effort` of a command is the control of the following
  double gear, gain[3], bias[3]; // see rh_actuator_def
  double control_lo, control_hi;
  struct {             // values over time
    const double *row; // (n x 2) t [s], value
    int n;             // 0: none
    bool periodic;
    double from; // [s]
  } track;
} rh_model_actuator;

typedef enum rh_tendon_kind { // what a part of a tendon is
  RH_TENDON_POINT,            // the path passes through it
  RH_TENDON_SPHERE,           // the path is wrapped about it
  RH_TENDON_CYLINDER,
  RH_TENDON_PULLEY,           // lengths after it count by 1/divisor
  RH_TENDON_JOINT             // of a sum of joint coordinates
} rh_tendon_kind;

typedef struct rh_model_tendon_part { // see rh_tendon_part_def
  int kind;       // rh_tendon_kind
  int body;
  rh_xform frame; // its place, body axes
  double radius;
  int side_body;  // RH_NONE: it has no side
  rh_vec3 side;   // [m] axes of that body
  double divisor;
  int dof;
  double coef;
} rh_model_tendon_part;

typedef struct rh_model_tendon {
  int part, npart;       // in rh_model_tendons.part
  int dof, ndof;         // degrees of freedom that change it, ascending, in rh_model_tendons.dof
  bool sum;              // of joint coordinates
  double spring, damper; // [N/m], [N s/m]
  double rest[2];        // [m] the spring has no force between these
  double lower, upper;   // [m] limits; -inf, inf: none
  double friction;       // [N] dry friction
  double effort_lo, effort_hi; // [N] limits of the sum of its actuators
  int stop;              // number among those that forward dynamics can hold (layout.ntendon); RH_NONE
} rh_model_tendon;

typedef struct rh_model_tendons {
  int n, npart, ndof;
  const rh_model_tendon *of;         // (n)
  const rh_model_tendon_part *part;  // (npart)
  const int *dof;                    // (ndof)
} rh_model_tendons;

typedef struct rh_model_force {
  int body;
  int frame; // 0 world, 1 body
  rh_vec3 at, force, torque; // [m] body axes, [N], [N m]
  double from, until; // [s] when it acts
} rh_model_force;

typedef struct rh_model_shape {
  int body;
  const struct rh_shape *kind;
  rh_xform place;   // its frame, body axes
  const void *mesh; // of a hull or a heightfield (one of rh_model.mesh); else NULL
  double par[RH_PAR_MAX];
  rh_vec3 surface; // [m/s] velocity of its surface, body axes
  double width; // [m] minimum width along its own axes; infinite for a plane
  double reach; // [m] upper bound of the distance of its points from its centre
} rh_model_shape;

#define RH_PLACES_MAX 16 // maximum number of points of a contact that have channels

typedef struct rh_model_contact { // laws for the shapes of two bodies
  const struct rh_normal_law *law; // NULL: the bodies are rigid
  const struct rh_friction_law *friction;
  // not NULL: the bodies are rigid if `law` is NULL; else fast touches begin with an impact
  const struct rh_impact_law *impact;
  double e;            // [1] restitution of impacts; engine haptic: of collisions
  double eta2;         // [1] k_n / k_t of an impact law with a tangential spring; 0: none
  double mu_s, mu_k;   // [1] friction of impacts and of rigid bodies: at rest, in motion
  double e_speed;      // [m/s] see src/model/contact_speed.h; 0: e does not depend on the speed
  rh_list e_table;     // [m/s], [1] speeds and restitutions in turn; then e is the greatest
  double mu_impact[2]; // [1] friction of impacts: at rest, in motion; see src/model/contact_speed.h
  double mu_impact_speed, mu_impact_power; // [m/s], [1]
  rh_list mu_impact_table; // [m/s], [1] speeds and coefficients in turn
  double pair_factor;  // [1] of its points in an impact at several; 0: by the formulation
  double v_stribeck;   // [m/s] friction in motion falls from mu_s to mu_k with it; 0: it is mu_k
  double impact_speed; // [m/s] with a `law`: slower touches have no impact
  // [1], [m] rolling and pivoting friction, [rad/s] angular velocity below which they fall
  double mu_roll, mu_pivot, turn_speed;
  int per;             // 0: constants per point, 1: per square metre
  int places;          // number of its points that have channels, at most RH_PLACES_MAX
  double par[RH_PAR_MAX], friction_par[RH_PAR_MAX];
  const rh_row *pulse_row; // engine haptic; NULL: haptic.pulse
  double pulse_par[RH_PAR_MAX];
} rh_model_contact;

typedef struct rh_model_rule { // a contact that names two bodies
  int a, b;                    // bodies, a < b
  int shape_a, shape_b;        // their shapes that it is for; RH_NONE: all
  int contact;                 // index of the contact
} rh_model_rule;

typedef struct rh_model_event {
  double time;   // [s]; infinite: the trigger is the passage of a coordinate
  int coord;     // coordinate that passes `position`
  double position; // [m, rad]
  int direction; // 0 either, 1 rising, 2 falling
  bool once;     // only the first passage
  int release, hold; // bodies whose joint is released or held; RH_NONE
  int actuator;      // that gets `command`; RH_NONE
  rh_command command;
  bool stop;         // it ends the run
} rh_model_event;

enum { RH_FEET_MAX = 6 }; // feet of a controller

typedef struct rh_model_controller {
  const struct rh_controller *kind;
  double period;   // [s] between its decisions; 0: it acts continuously
  int left, right; // bodies, RH_NONE
  int trunk;       // body, RH_NONE
  int nfoot;       // feet of a row with legs
  int foot[RH_FEET_MAX]; // their bodies
  double phase[RH_FEET_MAX]; // [1] nan: by the gait
  int memory;      // index of its first number in rh_data.memory
  double par[RH_PAR_MAX];
} rh_model_controller;

typedef struct rh_model_visual { // see rh_visual_def
  int body;
  int kind;        // rh_visual_kind
  rh_xform place;  // body axes
  double size[3];  // [m] sides, radius and length, semi-axes; of a mesh [1] its scale
  int mesh;        // in rh_model_visuals.mesh; RH_NONE
  double color[4]; // red, green, blue, opacity; opacity < 0: it has none of its own
} rh_model_visual;

typedef struct rh_model_visuals { // nothing but pictures depends on them
  int n, nmesh;
  const rh_model_visual *of; // (n)
  void *const *mesh;         // surfaces (nmesh)
} rh_model_visuals;

typedef struct rh_model_meshes {
  int n;
  void *const *of; // hulls and heightfields of shapes (n)
  rh_model_visuals visuals;
} rh_model_meshes;

typedef struct rh_model_sensor {
  const struct rh_sensor_kind *kind;
  int body;        // of a joint: the body that it carries
  int shape;       // RH_NONE: all shapes of the body
  int dof;         // degree of freedom of a joint
  rh_xform place;  // its frame, body axes
  double noise[2]; // standard deviation: of the first three numbers, of the others
  double period;   // [s] between samples; 0: it is read at any time
  double delay;    // [s] after which a sample is read
  int depth;       // samples that are kept; 0: it has none
  int memory;      // index of its number of samples in rh_control_data.sensor; the samples follow
  double par[RH_PAR_MAX];
} rh_model_sensor;

typedef struct rh_model_sensors {
  int n;
  int seed;     // run.seed: of their noise
  int nmemory;  // doubles of rh_control_data.sensor
  bool motion;  // some need accelerations
  const rh_model_sensor *of; // (n)
} rh_model_sensors;

typedef struct rh_model_haptic { // section haptic, see rh_haptic_def
  bool on;
  int tool, device;         // bodies; device RH_NONE: none
  const rh_row *method_row, *coupling_row, *hand_row;
  double method_par[RH_PAR_MAX], coupling_par[RH_PAR_MAX], hand_par[RH_PAR_MAX];
  int collide, select, limits, pulse, pulse_ticks;
  bool split, both, carry, passive;
  bool twin;                // device and tool hang on the world by the same joint
  double e, closed, d_coh, d_cluster, cos_cluster, observer;
  double four_channel[4], coupler[4], hand_spring[4];
  double limit[6], clamp[2]; // infinite: none
  double hand_force[6];     // [N, N m] force, torque
  rh_vec3 grip;             // [m]
  int ntrace;               // number of rows of the trace
  int width;                // numbers of a row
  const double *trace;      // (ntrace x width)
  int memory;               // number of doubles of rh_data.haptic
} rh_model_haptic;

typedef enum rh_object { // kinds of named objects
  RH_OBJECT_BODY,
  RH_OBJECT_JOINT, // its index is that of the body it carries
  RH_OBJECT_POINT,
  RH_OBJECT_ACTUATOR,
  RH_OBJECT_FORCE,
  RH_OBJECT_EVENT,
  RH_OBJECT_SHAPE,
  RH_OBJECT_CONTACT,
  RH_OBJECT_CONTROLLER,
  RH_OBJECT_LOOP,
  RH_OBJECT_CONSTRAINT,
  RH_OBJECT_TENDON,
  RH_OBJECT_SENSOR,
  RH_OBJECT_COUNT
} rh_object;

typedef struct rh_model_layout { // sizes of the arrays of rh_data, in doubles
  int first_angle;            // no coordinate with a lower index is an angle
  int nH;                     // stored entries of H
  int nwork;                  // integrals of power: RH_WORK_COUNT with a hand, else one less
  int nturn;                  // slots with rolling and pivoting friction: nslot, or 0
  int nrested;                // times of rest: nbody where resting bodies may sleep, else 0
  int ncell;                  // states of the cells of a slot's contact, mostly 0
  int ntrack;                 // numbers of the trajectories of actuators
  int nfixed;                 // nq + nv + nwork + ncell nslot + nact: all that the slots' states follow
  int ns;                     // states of the contacts' slots
  int nact;                   // states of actuators
  int nmemory;                // memory of the controllers
  int nconstraint;            // constraints on velocities: the last of rh_model.loop
  int nrow;                   // rows of forward dynamics: of the loops, then of the constraints
  int ntendon;                // tendons with limits or dry friction, whose rows follow those of `nrow`
  int nlooprow;               // those of the loops; 0: the engine solves loops itself
  int nstate;                 // the whole restart state, see rh_data
} rh_model_layout;

typedef struct rh_model_start { // initial state, and what lasts of it
  rh_model_medium medium;     // the same for the whole run
  const double *q0, *v0;      // (nq), (nv)
  const double *rest;         // coordinates at which the joint springs are at rest (nq)
  const bool *held;           // the joint is held at the start (nbody)
} rh_model_start;

typedef enum rh_unresolved { // steps too long for a compliant contact
  RH_UNRESOLVED_REFINE,      // are divided
  RH_UNRESOLVED_REFUSE,      // end the run
  RH_UNRESOLVED_ACCEPT       // are taken, with a verdict
} rh_unresolved;

typedef enum rh_select {   // which of several motions that fit rigid contacts is taken
  RH_SELECT_LEAST_NORM,    // that with the least load
  RH_SELECT_DISSIPATION,   // that which dissipates most
  RH_SELECT_STIFF,         // the limit of stiff springs
  RH_SELECT_STOP           // none: the run ends
} rh_select;

typedef struct rh_model_run { // section run
  const struct rh_engine *engine;
  double engine_par[RH_PAR_MAX];
  const rh_row *integrator;   // of the engine; NULL: the engine has none
  double integrator_par[RH_PAR_MAX];
  double until;               // [s] end of the run
  double every;               // [s] between frames
  int batch;                  // frames per batch
  int sync;                   // an rh_sync: when commits are synced to the disk
  int impact_rows;            // an rh_impact_rows: which impacts have a row
  double rest_speed;          // [m/s, rad/s] slower motion counts as rest
  const rh_row *multi_impact; // formulation of impacts at several points
  double multi_impact_par[RH_PAR_MAX];
  double residue;             // [1] bound of the residue of the ledger; 0: that of the engine
  int unresolved;             // an rh_unresolved
  int select;                 // an rh_select
  int facets;                 // of the cones of friction where motions are counted in space
  int examine;                // contacts of an island up to which they are; 0: the engine's
  bool strict;                // a verdict ends the run
  bool hand;                  // a hand can pull at bodies during the run, see rh_hand
} rh_model_run;

typedef struct rh_model_rules { // which contact two bodies have; see rh_model_contact_of
  int n;
  const rh_model_rule *of; // contacts that name two bodies, sorted by a, then b, those with more shapes first (n)
  const int *all;          // contact of each body with all others; RH_NONE (nbody)
} rh_model_rules;

struct rh_model {
  int nbody;                  // bodies, the world included
  int nq, nv;                 // coordinates, velocities
  int npoint, nactuator, nforce, nevent, nshape, ncontact;
  int ncontroller;
  int nloop;                  // loops and constraints on velocities
  int nslot;                  // maximum number of contact points
  int nrigid;                 // of these between rigid bodies
  int nbounded;               // number of bounded shapes
  bool belts;                 // some shapes have a surface that moves
  bool thin;                  // some shapes that can meet might pass through one another
  double near;                // [m] shapes closer than this are examined
  rh_vec3 gravity;            // [m/s^2]
  rh_model_layout layout;
  rh_model_start start;
  rh_model_run run;
  rh_model_haptic haptic;
  rh_model_tendons tendons;
  rh_model_sensors sensors;
  const rh_model_body *body;  // (nbody)
  const rh_model_dof *dof;    // (nv)
  const rh_model_loop *loop;  // loops, then constraints (nloop)
  const rh_model_point *point; // (npoint)
  const rh_model_actuator *actuator; // (nactuator)
  const rh_model_force *force; // (nforce)
  const rh_model_event *event; // (nevent)
  const rh_model_controller *controller; // (ncontroller)
  const rh_model_shape *shape; // (nshape)
  const rh_model_contact *contact; // (ncontact)
  rh_model_rules rules;
  rh_model_meshes meshes;
  const char *const *name[RH_OBJECT_COUNT]; // names by object and index
  const int *index[RH_OBJECT_COUNT];        // indices sorted by name, for rh_model_find
};

typedef struct rh_model rh_model;

// Frees a model of rh_scene_compile; NULL is allowed. No simulation, data or channels that were
// made from it may be used after that.
RH_API void rh_model_destroy(rh_model *model);
// The functions below only read the model: any number of threads may call them at the same time.
// No pointer may be NULL.
// Number of objects of a kind.
RH_API int rh_model_count(const rh_model *model, rh_object object);
// Index of the object with this name; RH_NONE: there is none.
RH_API int rh_model_find(const rh_model *model, rh_object object, const char *name);
// Index of the contact of two bodies (indices, in any order); RH_NONE: they never meet.
RH_API int rh_model_contact_of(const rh_model *model, int body, int other);
// The same of two shapes (indices): a contact that names them, or one of them, takes precedence
// over one that names their bodies. RH_NONE also for two unbounded shapes, which never separate.
RH_API int rh_model_contact_of_shapes(const rh_model *model, int shape, int other);
// True if a state of one model is a state of the other, with the same names and frame times: a run
// of one can then continue with the other.
RH_API bool rh_model_same_layout(const rh_model *a, const rh_model *b);
// Name of an object, 0 <= index < rh_model_count (else an assertion fails). The model owns the
// text: it is valid until rh_model_destroy.
RH_API const char *rh_model_name(const rh_model *model, rh_object object, int index);

#ifdef __cplusplus
}
#endif
#endif
