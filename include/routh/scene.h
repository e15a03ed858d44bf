// routh/scene.h: a scene is an editable description. Build it in C or read it from YAML: both fill
// the same def structs through the same rows (src/model/schema.c), and rh_scene_compile checks both
// alike. A scene is used by one thread at a time.
#ifndef ROUTH_SCENE_H
#define ROUTH_SCENE_H

#include <routh/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rh_scene rh_scene;
typedef struct rh_model rh_model;

// ---- Definitions. A program takes rh_x_default(), changes fields, and adds the definition to a
// scene, which copies it. Units are SI; objects refer to one another by name. `cookie` shows that a
// definition was made by rh_x_default; one that was not fails an assertion (rh_hook_set_assert).

typedef struct rh_world_def {
  int cookie;
  double gravity[3]; // [m/s^2] world axes
  double density;    // [kg/m^3] of the medium that bodies with `drag` move in
  double viscosity;  // [Pa s]
  double wind[3];    // [m/s] its velocity, world axes
} rh_world_def;

typedef struct rh_body_def {
  int cookie;
  rh_name name;
  double mass;     // [kg]
  double com[3];   // [m] centre of mass, body axes
  rh_list inertia; // [kg m^2] ixx iyy izz ixy ixz iyz about com, body axes; none: from the shapes
  double gravcomp; // [1] part of its weight that a force at its centre of mass carries
  rh_list drag;    // [m] sides of the box about its centre of mass that a medium drags; none: no drag
  double drag_rpy[3]; // [rad] attitude of that box
} rh_body_def;

typedef struct rh_joint_def {
  int cookie;
  rh_name name;          // none: that of the child
  rh_name kind;          // row of the joint table
  rh_name parent, child; // bodies; the parent may be "world"
  // [m] joint frame in the parent's axes; the child's frame is there at q = 0
  double at[3];
  double rpy[3];         // [rad] its attitude, R = Rz(yaw) Ry(pitch) Rx(roll)
  rh_list q, v;          // initial position and velocity
  rh_list spring;        // [N/m, N m/rad] stiffness, one per degree of freedom
  rh_list rest;          // [m, rad] where the spring is at rest, one per coordinate (as q)
  rh_list friction; // [N, N m] dry friction in motion, one per degree of freedom
  rh_list stiction; // [N, N m] at rest; none: as in motion
  rh_list damper;        // [N s/m, N m s/rad]
  rh_list armature;      // [kg, kg m^2] rotor inertia
  rh_list limits;        // [m, rad] lower, upper, for each degree of freedom
  double bounce;         // [1] restitution at the limits
  rh_list effort_limits; // [N, N m] least and greatest sum of its actuators; none: unlimited
  bool held;             // held fast from the start, until an event releases it
  double par[RH_PAR_MAX]; // the parameters of the joint's row
} rh_joint_def;

typedef struct rh_loop_def { // a second connection of two bodies, besides the tree of joints
  int cookie;
  rh_name name;     // may be empty
  rh_name kind;     // row of the loop table
  rh_name body, to; // bodies; to may be "world"
  double at[3];     // [m] its end on the body, body axes
  double rpy[3];    // [rad] and the attitude of that
  // [m] its end on the other, in its axes; none: at the end on the body at the start
  rh_list to_at;
  rh_list to_rpy;   // [rad] the same of the attitude
  double par[RH_PAR_MAX];
} rh_loop_def;

typedef struct rh_constraint_def { // rows on velocities, besides joints and loops
  int cookie;
  rh_name name;         // may be empty
  rh_name kind;         // row of the table of constraints
  rh_name body, to;     // bodies, either may be "world"; body is empty of one between joints only
  double at[3];         // [m] its end on the body, body axes
  double rpy[3];        // [rad] and the attitude of that
  double to_at[3];      // [m] its end on the other, in its axes
  double to_rpy[3];     // [rad]
  rh_name joint, joint2, joint3, joint4; // joints whose speeds take part
  rh_list dofs;         // degree of freedom of each, from 0; none: 0
  rh_list coefficients; // factor of each speed
  double par[RH_PAR_MAX];
} rh_constraint_def;

typedef struct rh_shape_def {
  int cookie;
  rh_name name; // may be empty
  rh_name body;
  rh_name kind; // row of the shape table
  double at[3], rpy[3];
  rh_name mesh; // what a hull or a heightfield is made of
  double surface_velocity[3]; // [m/s] of its surface, as of a belt, body axes
  double par[RH_PAR_MAX];
} rh_shape_def;

typedef struct rh_mesh_def { // of hulls and heightfields: a file, vertices or heights
  int cookie;
  rh_name name;
  rh_path file;        // STL or OBJ, in the folder of the scene; only rh_scene_load reads it
  double scale;        // [1] factor on the vertices or heights
  rh_numbers vertices; // [m] x y z of each; the hull of these
  double tolerance;    // [1] what sticks out of a hull by less, relative to its size, is left out
  rh_numbers faces;    // vertices of triangles, from 0, three each: the surface of a body of parts
  int parts;           // convex parts at most that the body is divided into; 0: it is its hull
  double concavity;    // [1] depth of what a part may fill in, relative to the size of the body
  rh_numbers heights;  // [m] rows along x, one after another along y
  int nx;              // heights of a row
  rh_list size;        // [m] sides of the rectangle along x and y; its centre is the origin
} rh_mesh_def;

typedef enum rh_visual_kind {
  RH_VISUAL_BOX,
  RH_VISUAL_SPHERE,
  RH_VISUAL_CYLINDER,
  RH_VISUAL_CAPSULE,
  RH_VISUAL_ELLIPSOID,
  RH_VISUAL_MESH
} rh_visual_kind;

typedef struct rh_visual_def { // what a body looks like in pictures; nothing else depends on it
  int cookie;
  rh_name name;         // may be empty
  rh_name body;         // or "world"
  int kind;             // an rh_visual_kind
  double at[3], rpy[3]; // [m], [rad] body axes
  double size[3];       // [m] sides of a box
  double radius;        // [m] of a sphere, a cylinder, a capsule
  double length;        // [m] of a cylinder, a capsule
  double semi[3];       // [m] of an ellipsoid
  rh_name mesh;         // visual mesh
  double scale[3];      // [1] of the mesh; below 0: mirrored
  rh_list color;        // red, green, blue, 0 to 1, and opacity; none: of the mesh or of the body
} rh_visual_def;

typedef struct rh_visual_mesh_def { // a surface of triangles that only shows
  int cookie;
  rh_name name;
  // STL, OBJ, MSH or COLLADA, in the folder of the scene; only rh_scene_load reads it, into `data`
  rh_path file;
  rh_numbers vertices; // [m] x y z of each
  rh_numbers faces;    // vertices of triangles, from 0, three each
  rh_packed data;      // or both packed
} rh_visual_mesh_def;

typedef struct rh_contact_def { // which bodies touch, and by which laws
  int cookie;
  rh_name name;          // may be empty
  rh_name body, against; // bodies; against may be "world" or "all"
  rh_name law;           // row of the normal laws, or of the impact laws: then the bodies are rigid
  rh_name friction;      // row of the friction laws
  rh_name pulse;         // row of the pulses, for the engine haptic; empty: haptic.pulse
  int stiffness_per;     // 0: the constants hold for each point, 1: for each square metre of face
  rh_list restitution;   // [1] wanted (one number), or none
  double speed;          // [m/s] impact speed at which it is wanted
  double mass;           // [kg] for which mass; 0: that of the body, or the reduced mass of the two
  // row of the impact laws for fast touches of a compliant contact; empty: none
  rh_name impact_law;
  // [1] its restitution (one number; none: 0). Under the engine haptic: that of
  rh_list impact_e;
                         // the contact's collisions (none: haptic.e)
  double impact_speed;   // [m/s] slower touches have no impact
  double e_speed;        // [m/s] of a rigid law: e falls with v^-1/4 above this speed; 0: it does not
  rh_list e_table;       // [m/s], [1] of a rigid law: speeds and restitutions v1, e1, v2, e2, ...
  rh_list mu_impact;     // [1] of a rigid law: friction of impacts (one number); none: mu_k
  double mu_impact_speed; // [m/s] it falls with v^-mu_impact_power above this speed; 0: it does not
  double mu_impact_power; // [1]
  rh_list mu_impact_table; // [m/s], [1] speeds and friction of impacts v1, mu1, v2, mu2, ...
  // [1] of an impact at several points: normal impulse of each of its points relative to those of
  // other contacts; 0: by the formulation
  double pair_factor;
  // rolling friction [1]: a torque of at most mu_roll r F_n; pivoting friction [m]: mu_pivot F_n
  double mu_roll, mu_pivot;
  double turn_speed;     // [rad/s] below it these torques fall with the angular velocity
  rh_name shape;         // of the body: the contact is of this shape only; empty: of all shapes
  rh_name against_shape; // the same of the other body
  double par[RH_PAR_MAX];
  double friction_par[RH_PAR_MAX];
  double pulse_par[RH_PAR_MAX];
} rh_contact_def;

typedef struct rh_point_def { // a named place on a body, for Jacobians and recorded channels
  int cookie;
  rh_name name, body;
  double at[3]; // [m] body axes
} rh_point_def;

typedef enum rh_dynamics_kind {
  RH_DYNAMICS_NONE,
  RH_DYNAMICS_INTEGRATOR,
  RH_DYNAMICS_FILTER,
  RH_DYNAMICS_INTEGRAL
} rh_dynamics_kind;

typedef struct rh_actuator_def {
  int cookie;
  rh_name name, joint;
  int dof;        // degree of freedom of the joint, from 0
  rh_name tendon; // in place of a joint: length and speed of the tendon are those of the actuator
  double effort;  // [N, N m] command at the start: this effort,
  double kp, kd;  // [N/m, N m/rad], [N s/m, N m s/rad] and these gains on the way to a target
  rh_list target; // [m, rad] position wanted; none: where the joint is when the command is given
  double rate, accel; // [m/s, rad/s], [m/s^2, rad/s^2] how the target moves from then on
  rh_list limits; // [N, N m] least and greatest effort; none: unlimited
  // A servo: with gain or bias, `effort` of a command is a control u, and the effort at the joint is
  // gear (gain(l, w) u + bias(l, w)) with l = gear q, w = gear v
  double gear;           // [1]
  rh_list gain, bias;    // g0 g1 g2: g0 + g1 l + g2 w
  rh_list control_range; // least and greatest u; none: unlimited
  // Where it acts, if not on one degree of freedom: along `axis` on a ball or free joint, or on `body`
  // (then joint is empty), with l, w and f along it, and the effort f times `axis`
  rh_list axis;          // force, torque; of a ball joint: torque
  int axes;              // of a joint's turns: 0 those of the joint, 1 of the body it carries
  rh_name body, to;      // bodies; `to`: the force acts back on it, and `axis` is in its axes
  double at[3], rpy[3];  // [m], [rad] where it acts on the body, and its axes
  double to_at[3], to_rpy[3];
  // A state x that takes the place of u, or of which `ki` times acts too
  int dynamics;          // an rh_dynamics_kind
  double time_constant;  // [s] of a filter: dx/dt = (u - x) / time_constant
  double ki;             // of an integral: dx/dt = target - q
  rh_list state_range;   // least and greatest x; none: unlimited
  double stall;          // [N, N m] of a DC motor: greatest effort at rest; 0: no such limit
  double no_load_speed;  // [m/s, rad/s] of the joint, at which none is left
} rh_actuator_def;

typedef struct rh_trajectory_def { // values over time that drive an actuator
  int cookie;
  rh_name name;      // may be empty
  rh_name actuator;
  // CSV file with a column t and one for each actuator; only rh_scene_load reads it, into a trajectory for each
  rh_path file;
  rh_numbers values; // rows of 2: t [s], and the control of a servo, or the target [m, rad]
  bool periodic;     // from the first row again after the last
  double from;       // [s] when its time 0 is
} rh_trajectory_def;

typedef struct rh_keyframe_def { // a part of a named start: the state of one joint, or the command of one actuator
  int cookie;
  rh_name keyframe; // its name
  rh_name joint;
  rh_list q, v;     // of the joint; none: that of the scene
  rh_name actuator;
  double effort;    // of the actuator: effort, or control of a servo
} rh_keyframe_def;

typedef struct rh_tendon_def { // a length, by a path or by joint coordinates, with forces along it
  int cookie;
  rh_name name;
  double spring;    // [N/m] stiffness
  rh_list rest;     // [m] rest length, or least and greatest; none: the length at the start
  double damper;    // [N s/m]
  rh_list limits;   // [m] least and greatest length; none: unlimited
  double friction;  // [N] dry friction
  rh_list effort_limits; // [N] least and greatest sum of its actuators; none: unlimited
} rh_tendon_def;

typedef struct rh_tendon_part_def { // parts of a tendon in the order of its path
  int cookie;
  rh_name tendon;
  int kind;         // rh_tendon_kind
  rh_name body;     // of a point, a sphere or a cylinder; may be "world"
  double at[3];     // [m] its place, body axes
  double rpy[3];    // [rad] attitude of a cylinder, whose axis is z
  double radius;    // [m]
  rh_list side;     // [m] point on whose side the path passes; within the radius: it passes inside
  rh_name side_body; // body of that point; empty: body
  double divisor;   // [1] of a pulley
  rh_name joint;
  int dof;          // degree of freedom of the joint, from 0
  double coefficient; // [m/joint]
} rh_tendon_part_def;

typedef struct rh_force_def { // a constant force on a body
  int cookie;
  rh_name name, body;
  double at[3];              // [m] where it acts, body axes
  double force[3], torque[3]; // [N], [N m]
  int frame;                 // 0: world axes, 1: body axes
  double from, until;        // [s] when it acts
} rh_force_def;

typedef struct rh_event_def { // when something happens, do something; both are located and recorded
  int cookie;
  rh_name name;
  rh_list time;     // [s] when the clock shows this, or
  rh_name joint;    // when this joint
  int dof;          // in this degree of freedom
  double position;  // [m, rad] passes here
  int direction;    // 0: either way, 1: rising, 2: falling
  bool once;        // only the first time
  rh_name release;  // then: let go of this joint,
  rh_name hold;     // or hold it fast,
  rh_name actuator; // or give this actuator
  double effort;    // [N, N m] this command,
  double kp, kd;    // as in rh_actuator_def
  rh_list target;
  double rate, accel;
  bool stop;        // or end the run
} rh_event_def;

typedef struct rh_controller_def { // efforts that are added to the commands of actuators
  int cookie;
  rh_name name;        // may be empty
  rh_name kind;        // row of the controller table
  double rate;         // [1/s] of its decisions; 0: all the time
  rh_name left, right; // bodies: feet, for rows that walk
  rh_name trunk;       // body that is kept upright, likewise
  // bodies: feet, for rows with legs: left front, right front, left next, ...
  rh_name foot, foot2, foot3, foot4, foot5, foot6;
  rh_list phases;      // [1] of the cycle at which each of these feet leaves the ground; none: by the gait
  double par[RH_PAR_MAX];
} rh_controller_def;

typedef struct rh_sensor_def { // a reading of the world, as channels
  int cookie;
  rh_name name;
  rh_name kind;            // row of the sensor table
  rh_name body;            // body it is on, or
  rh_name shape;           // of touch and contact: shape, or
  rh_name joint;           // joint
  int dof;                 // degree of freedom of the joint
  double at[3], rpy[3];    // [m], [rad] its frame, axes of the body or of the one that the joint carries
  rh_list noise;           // standard deviation: of all numbers, or of the first three and the others
  double delay;            // [s] after which a sample is read
  double rate;             // [1/s] of its samples; 0: it is read at any time
  double par[RH_PAR_MAX];
} rh_sensor_def;

typedef struct rh_run_def {
  int cookie;
  double until;      // [s]
  rh_name engine;    // row of the engines
  rh_name integrator; // row of the engine's integrators; empty: the engine has none
  double rest_speed; // [m/s, rad/s] a joint at its limit or a rigid body that rebounds slower stays
  rh_name multi_impact; // row of the formulations: impacts of rigid bodies at several points
  double residue;    // [1] bound of the residue of the energy ledger; 0: that of the engine
  int unresolved;    // an rh_unresolved: steps too long for a compliant contact
  int select;        // an rh_select: which of several motions is taken
  int facets;        // of the cones of friction where motions are counted in space
  int examine;       // contacts of an island up to which they are; 0: as many as the engine likes
  bool strict;       // a verdict ends the run
  int seed;          // of the noise of sensors
  bool hand;         // a hand can pull at bodies while it runs: `routh view` sets it
  int contacts;      // capacity for contact points; 0: enough for what can reasonably touch
  double par[RH_PAR_MAX]; // of the engine
  double integrator_par[RH_PAR_MAX];
  double multi_impact_par[RH_PAR_MAX];
} rh_run_def;

#define RH_PULSE_MAX 16 // ticks of a pulse

// Numbers in a row of a recorded hand: t, force and torque, or t and pose.
enum { RH_TRACE_WRENCH = 7, RH_TRACE_POSE = 8 };

typedef enum rh_haptic_limits {
  RH_LIMITS_NONE,
  RH_LIMITS_SATURATE,
  RH_LIMITS_SCALE,
  RH_LIMITS_SPREAD
} rh_haptic_limits;

typedef enum rh_haptic_collide { // how a collision of the engine haptic is resolved
  RH_COLLIDE_BY_MAP,             // equalities, frictionless, without iteration ([CSC] 15)
  RH_COLLIDE_BY_PUSH,            // impulses that only push
  RH_COLLIDE_BY_FRICTION         // with the friction of the contacts, by run.multi_impact
} rh_haptic_collide;

typedef struct rh_haptic_def { // a hand with a tool; for the engine `haptic`
  int cookie;
  rh_name tool;        // body that the hand moves
  // body of the device in the hand, of another tree than the tool; none: the hand is at the tool
  rh_name device;
  rh_name method;      // row of the haptic methods
  rh_name coupling;    // row of the couplings; empty: the method's
  double e;            // [1] restitution of collisions, where a contact gives none
  int collide;         // rh_haptic_collide
  int select;          // contacts of a collision: 0 strict, 1 closed, 2 all
  double closed;       // [m/s] a contact that parts no faster is closed, for `closed`
  bool split;          // two moving bodies: each reverses its own velocity ([CSC] 13, 14)
  bool both;           // penalties act in collisions too
  double d_coh;        // [m] a contact that moved no further in a tick is the same
  double d_cluster;    // [m] points of a pair of shapes closer than this are one contact
  double cos_cluster;  // cosine of the angle between their normals at least
  rh_list four_channel; // [N/m, N s/m, N m/rad, N m s/rad] K, B along, K, B about; tool and device
  rh_list coupler;     // the same of the unilateral coupler
  int limits;          // rh_haptic_limits
  rh_list limit;       // [N, N m] of each component of force, of torque
  bool carry;          // spread: the separation speed of the first tick is kept until it is reached
  bool passive;        // an impulse gives the device no more energy than it gives the tool
  rh_list clamp;       // [N, N m] bound of force and torque as a whole at the device
  int pulse;           // shape of an impulse at the device: 0 flat, 1 half-sine, 2 triangle
  int pulse_ticks;     // its duration in ticks
  rh_name hand;        // row of the hands
  double push[3], twist[3]; // [N], [N m] force and torque of the hand, world axes
  double grip[3];      // [m] where it acts, body axes
  double observer;     // [1/s] bandwidth of the observer of the hand's force; 0: it is measured
  rh_list hand_spring; // [N/m, N s/m, N m/rad, N m s/rad] of a hand that is a spring and a damper
  rh_path trace_file;  // CSV file of a recorded hand; only rh_scene_load reads it, into `trace`
  // hand trace: rows of 7, t, force, torque; hand spring: rows of 8, t, target pose
  rh_numbers trace;
  double method_par[RH_PAR_MAX], coupling_par[RH_PAR_MAX], hand_par[RH_PAR_MAX];
} rh_haptic_def;

typedef enum rh_sync { RH_SYNC_CHECKPOINT, RH_SYNC_BATCH, RH_SYNC_FRAME } rh_sync; // to the disk

typedef enum rh_impact_rows { RH_IMPACT_ROWS_ALL, RH_IMPACT_ROWS_NONE } rh_impact_rows;

typedef struct rh_record_def {
  int cookie;
  double every; // [s] between frames
  int batch;    // frames per batch: committed together; a run can be resumed at its end bit for bit
  int sync;     // when commits are synced to the disk, an rh_sync
  int impact_rows; // which impacts have a row, an rh_impact_rows
} rh_record_def;

// Definitions with all values at their defaults, those of the chosen rows included; they own
// nothing. An unknown name of a row is kept, and rh_scene_compile refuses it; NULL: an empty name.
RH_API rh_world_def rh_world_default(void);
RH_API rh_body_def rh_body_default(void);
RH_API rh_joint_def rh_joint_default(const char *kind);
RH_API rh_loop_def rh_loop_default(const char *kind);
RH_API rh_constraint_def rh_constraint_default(const char *kind);
RH_API rh_shape_def rh_shape_default(const char *kind);
RH_API rh_mesh_def rh_mesh_default(void);
RH_API rh_visual_def rh_visual_default(void);
RH_API rh_visual_mesh_def rh_visual_mesh_default(void);
RH_API rh_contact_def rh_contact_default(const char *law, const char *friction);
RH_API rh_point_def rh_point_default(void);
RH_API rh_actuator_def rh_actuator_default(void);
RH_API rh_tendon_def rh_tendon_default(void);
RH_API rh_tendon_part_def rh_tendon_part_default(void);
RH_API rh_force_def rh_force_default(void);
RH_API rh_event_def rh_event_default(void);
RH_API rh_controller_def rh_controller_default(const char *kind);
RH_API rh_sensor_def rh_sensor_default(const char *kind);
RH_API rh_trajectory_def rh_trajectory_default(void);
RH_API rh_keyframe_def rh_keyframe_default(void);
// `integrator` NULL: the usual one of the engine, none for an engine without.
RH_API rh_run_def rh_run_default(const char *engine, const char *integrator);
RH_API rh_haptic_def rh_haptic_default(void);
RH_API rh_record_def rh_record_default(void);

// Parameters of the rows that a definition has chosen (stiffness of a law, axis of a joint, dt of
// an engine), by their names as `routh list` prints them. RH_INPUT_REFUSED: none of its rows has
// such a parameter, or the value is out of range; the definition is unchanged then.
RH_API rh_status rh_joint_set(rh_joint_def *def, const char *name, double value) RH_CHECK_RESULT;
RH_API rh_status rh_joint_set_vector(rh_joint_def *def, const char *name,
                                     const double value[3]) RH_CHECK_RESULT;
RH_API rh_status rh_loop_set(rh_loop_def *def, const char *name, double value) RH_CHECK_RESULT;
RH_API rh_status rh_constraint_set(rh_constraint_def *def, const char *name,
                                   double value) RH_CHECK_RESULT;
RH_API rh_status rh_shape_set(rh_shape_def *def, const char *name, double value) RH_CHECK_RESULT;
RH_API rh_status rh_shape_set_vector(rh_shape_def *def, const char *name,
                                     const double value[3]) RH_CHECK_RESULT;
// of the law or of the friction
RH_API rh_status rh_contact_set(rh_contact_def *def, const char *name,
                                double value) RH_CHECK_RESULT;
RH_API rh_status rh_controller_set(rh_controller_def *def, const char *name,
                                   double value) RH_CHECK_RESULT;
RH_API rh_status rh_sensor_set(rh_sensor_def *def, const char *name, double value) RH_CHECK_RESULT;
// of the engine, of its integrator or of the formulation
RH_API rh_status rh_run_set(rh_run_def *def, const char *name, double value) RH_CHECK_RESULT;

// ---- Build. A scene copies each definition and its numbers, so that the caller keeps its own.
// `add` returns the index of the new entry within its section, RH_NONE when out of memory; after
// that, or after a `set` out of memory, rh_scene_compile returns RH_OUT_OF_MEMORY.

RH_API rh_scene *rh_scene_create(void); // with default sections; NULL when out of memory
// NULL is allowed; models compiled from it stay valid
RH_API void rh_scene_destroy(rh_scene *scene);
RH_API void rh_scene_set_world(rh_scene *scene, const rh_world_def *def);
RH_API void rh_scene_set_run(rh_scene *scene, const rh_run_def *def);
RH_API void rh_scene_set_haptic(rh_scene *scene, const rh_haptic_def *def);
RH_API void rh_scene_set_record(rh_scene *scene, const rh_record_def *def);
RH_API int rh_scene_add_body(rh_scene *scene, const rh_body_def *def);
RH_API int rh_scene_add_joint(rh_scene *scene, const rh_joint_def *def);
RH_API int rh_scene_add_loop(rh_scene *scene, const rh_loop_def *def);
RH_API int rh_scene_add_constraint(rh_scene *scene, const rh_constraint_def *def);
RH_API int rh_scene_add_shape(rh_scene *scene, const rh_shape_def *def);
RH_API int rh_scene_add_mesh(rh_scene *scene, const rh_mesh_def *def);
RH_API int rh_scene_add_visual(rh_scene *scene, const rh_visual_def *def);
RH_API int rh_scene_add_visual_mesh(rh_scene *scene, const rh_visual_mesh_def *def);
RH_API int rh_scene_add_contact(rh_scene *scene, const rh_contact_def *def);
RH_API int rh_scene_add_point(rh_scene *scene, const rh_point_def *def);
RH_API int rh_scene_add_actuator(rh_scene *scene, const rh_actuator_def *def);
RH_API int rh_scene_add_tendon(rh_scene *scene, const rh_tendon_def *def);
RH_API int rh_scene_add_tendon_part(rh_scene *scene, const rh_tendon_part_def *def);
RH_API int rh_scene_add_force(rh_scene *scene, const rh_force_def *def);
RH_API int rh_scene_add_event(rh_scene *scene, const rh_event_def *def);
RH_API int rh_scene_add_controller(rh_scene *scene, const rh_controller_def *def);
RH_API int rh_scene_add_sensor(rh_scene *scene, const rh_sensor_def *def);
RH_API int rh_scene_add_trajectory(rh_scene *scene, const rh_trajectory_def *def);
RH_API int rh_scene_add_keyframe(rh_scene *scene, const rh_keyframe_def *def);

// Name of section number `index` of a scene, in the order in which they are written; NULL: after the
// last. `*list` (may be NULL): it is a list of entries, else one map. Any thread; the texts last as long as the program.
RH_API const char *rh_scene_section(int index, bool *list);

// ---- Files (src/scene_io). `set` holds `nset` overrides "path=value", as -s on the command line;
// it may be NULL if `nset` is 0. `diag` may be NULL. `*scene` gets a scene that the caller
// destroys, or NULL: RH_INPUT_REFUSED with all errors in `diag`, RH_OUT_OF_MEMORY.

RH_API rh_status rh_scene_load(const char *path, const char *const *set, int nset, rh_diag *diag,
                               rh_scene **scene) RH_CHECK_RESULT;
// The same from `bytes` bytes of text; `name` is the name of the text in messages, and its folder
// is that of the files that the scene names.
RH_API rh_status rh_scene_parse(const char *text, size_t bytes, const char *name,
                                const char *const *set, int nset, rh_diag *diag,
                                rh_scene **scene) RH_CHECK_RESULT;
// YAML with every value in force (of more than 10 000 bodies as rh_scene_write_brief does); with
// `places`, a comment after each states its origin. The caller
// frees the text by rh_free; NULL when out of memory.
RH_API char *rh_scene_write(const rh_scene *scene, bool places);
// The same without the values that are defaults: it reads back to the same scene.
RH_API char *rh_scene_write_brief(const rh_scene *scene);

// ---- Compile: checks everything, orders the bodies, lays out the model. All errors are reported
// at once. `*model` gets a model that the caller destroys (rh_model_destroy), NULL after an error;
// it needs the scene no longer. `diag` may be NULL.

RH_API rh_status rh_scene_compile(const rh_scene *scene, rh_diag *diag,
                                  rh_model **model) RH_CHECK_RESULT;

#ifdef __cplusplus
}
#endif
#endif
