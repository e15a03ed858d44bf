// routh/model.h: the compiled scene. Open to read, never written after rh_scene_compile, one allocation and one for each
// mesh, so that any number of worlds and threads may share it. Body 0 is the world; a parent's index is lower than its children's.
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
struct rh_shape;
struct rh_engine;
struct rh_controller;

#define RH_JOINT_CONST 40 // numbers a joint row may prepare at compile

typedef struct rh_model_body { // body and the joint that carries it
  int parent;                  // body; RH_NONE for the world
  int qadr, vadr;              // where its coordinates and velocities start
  int nv;                      // its degrees of freedom
  bool shifted;                // its origin can be elsewhere than the parent's
  int tree;                    // lowest moving body below it towards the world, or itself; 0: it does not move
  const struct rh_joint *joint;
  rh_inertia inertia;          // about the body's origin, body axes
  double konst[RH_JOINT_CONST]; // prepared by the joint's row
} rh_model_body;

typedef struct rh_model_dof {
  int body;
  int parent;             // next degree of freedom towards the root; RH_NONE
  int row;                // where its row of H starts in rh_data.H; the row runs from itself to the root
  int depth;              // length of that row
  double spring, damper, armature;
  double friction, stiction; // [N, N m] dry friction in motion, and at rest
  double lower, upper;    // -inf, inf: no limit
  int coord;              // coordinate (index in q) that a limit speaks of; RH_NONE if there is none
  double bounce;
} rh_model_dof;

typedef struct rh_model_loop { // two bodies that are kept together besides their joints
  const struct rh_loop_kind *kind;
  int a, b;          // bodies; one of them may be the world
  rh_xform in_a, in_b; // the ends, body axes
  double par[RH_PAR_MAX];
} rh_model_loop;

typedef struct rh_model_point {
  int body;
  rh_vec3 at;
} rh_model_point;

typedef struct rh_command { // effort + kp (target - q) + kd (target's speed - v), the target moving from `since` on
  double effort, kp, kd;
  double target, rate, accel;
  double since; // [s]; a command that is not given yet: NaN in `target` means where the joint will be
} rh_command;

#define RH_COMMAND_SIZE 7 // doubles

typedef struct rh_model_actuator {
  int dof;
  rh_command command; // at the start
  double lo, hi;      // limits of the effort
} rh_model_actuator;

typedef struct rh_model_force {
  int body;
  int frame; // 0 world, 1 body
  rh_vec3 at, force, torque;
  double from, until;
} rh_model_force;

typedef struct rh_model_shape {
  int body;
  const struct rh_shape *kind;
  rh_xform place;
  const void *mesh; // what a hull or a heightfield is made of (rh_model.mesh); NULL: nothing
  double par[RH_PAR_MAX];
  double width; // [m] least width along its own axes; infinite for a plane
  double reach; // [m] farthest point from its centre, at most
} rh_model_shape;

#define RH_PLACES_MAX 16

typedef struct rh_model_contact { // laws for the shapes of two bodies
  const struct rh_normal_law *law;
  const struct rh_friction_law *friction;
  const struct rh_impact_law *impact; // not NULL: the bodies are rigid if `law` is NULL; else fast touches are struck first
  double e;                           // restitution: of impacts, or of collisions under the engine haptic
  double mu_s, mu_k;                  // of impacts, and of rigid bodies
  double impact_speed;                // [m/s] touches slower than this are not struck where there is a `law`
  int per; // 0: constants a point, 1: a square metre
  int places; // points of it that have channels: as many as it can have, but not more than RH_PLACES_MAX
  double par[RH_PAR_MAX], friction_par[RH_PAR_MAX];
} rh_model_contact;

typedef struct rh_model_rule { // a contact that names two bodies
  int a, b;                    // bodies, a < b
  int shape_a, shape_b;        // shapes of them that it speaks for; RH_NONE: all
  int contact;
} rh_model_rule;

typedef struct rh_model_event {
  double time;   // [s]; infinite: the trigger is a passage
  int coord;     // coordinate that passes `position`
  double position;
  int direction; // 0 either, 1 rising, 2 falling
  bool once;
  int release, hold; // bodies whose joint is let go or held; RH_NONE
  int actuator;      // RH_NONE
  rh_command command;
  bool stop;
} rh_model_event;

typedef struct rh_model_controller {
  const struct rh_controller *kind;
  double period;   // [s] between its decisions; 0: all the time
  int left, right; // bodies, RH_NONE
  int trunk;
  int memory;      // where its memory starts in rh_data.memory
  double par[RH_PAR_MAX];
} rh_model_controller;

typedef struct rh_model_haptic { // see rh_haptic_def
  bool on;
  int tool, device;         // bodies; device RH_NONE: none
  const rh_row *method_row, *coupling_row, *hand_row;
  double method_par[RH_PAR_MAX], coupling_par[RH_PAR_MAX], hand_par[RH_PAR_MAX];
  int select, limits, pulse, pulse_ticks;
  bool split, both, carry;
  double e, closed, d_coh, d_cluster, cos_cluster;
  double four_channel[4], coupler[4], hand_spring[4];
  double limit[6], clamp[2]; // infinite: none
  double hand_force[6];     // force, torque
  rh_vec3 grip;
  int ntrace;               // rows,
  int width;                // numbers of one
  const double *trace;      // (ntrace x width)
  int memory;               // doubles of rh_data.haptic
} rh_model_haptic;

typedef enum rh_object {
  RH_OBJECT_BODY,
  RH_OBJECT_JOINT, // index of the body it carries
  RH_OBJECT_POINT,
  RH_OBJECT_ACTUATOR,
  RH_OBJECT_FORCE,
  RH_OBJECT_EVENT,
  RH_OBJECT_SHAPE,
  RH_OBJECT_CONTACT,
  RH_OBJECT_CONTROLLER,
  RH_OBJECT_LOOP,
  RH_OBJECT_COUNT
} rh_object;

typedef struct rh_model_layout { // numbers of doubles
  int nH;                     // stored entries of H
  int nwork;                  // integrals of power: RH_WORK_COUNT with a hand, else one less
  int nrested;                // bodies whose rest is timed: nbody where resting bodies may sleep, else 0
  int ns;                     // states of laws and controllers
  int nmemory;                // memories of the controllers
  int nstate;                 // the whole restart state, see rh_data
} rh_model_layout;

typedef struct rh_model_start { // initial state
  const double *q0, *v0;      // (nq), (nv)
  const double *rest;         // coordinates at which the springs are at rest (nq)
  const bool *held;           // joint held at the start (nbody)
} rh_model_start;

typedef struct rh_model_run { // how it is run
  const struct rh_engine *engine;
  double engine_par[RH_PAR_MAX];
  const rh_row *integrator;   // of the engine; NULL: it has none
  double integrator_par[RH_PAR_MAX];
  double until;               // [s] end of the run
  double every;               // [s] between frames
  int batch;                  // frames per batch
  int sync;                   // when commits are synced to the disk, an rh_sync
  double rest_speed;          // [m/s, rad/s]
  const rh_row *multi_impact; // formulation of impacts at several points
  double multi_impact_par[RH_PAR_MAX];
  bool strict;                // a diagnosis ends the run
  bool hand;                  // a hand can pull at bodies during the run, see rh_hand
} rh_model_run;

struct rh_model {
  int nbody;                  // bodies, the world included
  int nq, nv;                 // coordinates, velocities
  int first_angle;            // no coordinate before this one is an angle
  int npoint, nactuator, nforce, nevent, nshape, ncontact;
  int ncontroller;
  int nloop;
  int nrule;                  // contacts that name two bodies
  int nslot;                  // maximum number of contact points
  int nrigid;                 // of them between rigid bodies
  int nbounded;               // shapes that are bounded
  bool thin;                  // shapes can meet that might pass through one another
  double near;                // [m] shapes closer than this are examined
  rh_vec3 gravity;            // [m/s^2]
  rh_model_layout layout;
  rh_model_start start;
  rh_model_run run;
  rh_model_haptic haptic;
  const rh_model_body *body;  // (nbody)
  const rh_model_dof *dof;    // (nv)
  const rh_model_loop *loop;  // (nloop)
  const rh_model_point *point;
  const rh_model_actuator *actuator;
  const rh_model_force *force;
  const rh_model_event *event;
  const rh_model_controller *controller;
  const rh_model_shape *shape;
  const rh_model_contact *contact;
  const rh_model_rule *rule;  // by a, then b, then more shapes first; see rh_model_contact_of (nrule)
  const int *all;             // contact of each body with all others, RH_NONE (nbody)
  int nmesh;
  void *const *mesh;          // hulls and heightfields that shapes are made of, owned by the model (nmesh)
  const char *const *name[RH_OBJECT_COUNT]; // names by object and index
  const int *index[RH_OBJECT_COUNT];        // indices sorted by name, for rh_model_find
};

typedef struct rh_model rh_model;

// Frees a model of rh_scene_compile; NULL is allowed. No simulation, data or channels that were made
// from it may be used after that.
RH_API void rh_model_destroy(rh_model *model);
// The functions below only read the model: any thread.
RH_API int rh_model_count(const rh_model *model, rh_object object);
// Index of the object with this name, RH_NONE: there is none.
RH_API int rh_model_find(const rh_model *model, rh_object object, const char *name);
// The contact of two bodies (indices), RH_NONE: they never meet.
RH_API int rh_model_contact_of(const rh_model *model, int body, int other);
// The same of two shapes: a contact that names them, or one of them, comes before one that names
// their bodies.
RH_API int rh_model_contact_of_shapes(const rh_model *model, int shape, int other);
// Is a state of one a state of the other, with the same names and frame times? Then a run can
// continue with either.
RH_API bool rh_model_same_layout(const rh_model *a, const rh_model *b);
// The name of an object, 0 <= index < rh_model_count; it lasts as long as the model.
RH_API const char *rh_model_name(const rh_model *model, rh_object object, int index);

#ifdef __cplusplus
}
#endif
#endif
