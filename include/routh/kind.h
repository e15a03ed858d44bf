// routh/kind.h: the descriptors of every kind. A kind is a table; a row is a const descriptor, in its own file where it
// is more than a few lines, plus one line in the kind's .def list. docs/add.md shows how to add one. The kinds that a program may
// add to are in routh/law.h.
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
  bool turning;      // its axes are pure rotations: S has no linear part, the origin is fixed in the parent
  bool free;         // nothing restrains the motion: six degrees of freedom
  bool angles;       // `pose` reads the sine and cosine of its coordinates
  bool scalar;       // one scalar coordinate a degree of freedom: limits, actuated angles, events may speak of it
  const char *coord; // names of the coordinates, blank between them: "x y z qw qx qy qz"
  const char *unit;  // unit of each velocity's coordinate: "m m m rad rad rad"
  // What is wrong with the parameters, in words behind the name of the first; NULL (function or result): nothing.
  const char *(*check)(const double *par);
  // Constants from the row's parameters and the joint's place in its parent (compile time).
  void (*prepare)(const double *par, const rh_xform *place, double *konst);
  // From the parent's pose and q: R and r of the body, and the joint's axes S in world axes about the body's origin.
  // `trig` holds the sine and cosine of each coordinate.
  void (*pose)(const double *konst, const double *q, const double *trig, const rh_kin_body *parent, rh_kin_body *body,
               rh_motion *S);
  // Apparent angular acceleration of the axes, seen from the parent [rad/s^2, world axes]; NULL: none.
  rh_vec3 (*drift)(const rh_motion *S, const double *v);
  void (*rate)(const double *q, const double *v, double *qdot);              // NULL: qdot = v
  void (*advance)(const double *q, const double *v, double h, double *next); // NULL: q + h v
  void (*delta)(const double *q, const double *rest, double *delta);         // spring deflection; NULL: q - rest
  void (*zero)(double *q);                                                   // NULL: all zero
  void (*unit_length)(double *q);                                            // NULL: nothing to keep
} rh_joint;

RH_API const rh_joint *const *rh_joint_table(int *count);
RH_API const rh_joint *rh_joint_find(const char *name);

// ---- Loops (src/multibody/loop_*.c): what keeps two bodies together besides their joints.

typedef struct rh_loop_row { // one equation: gap = 0
  rh_vec3 push, turn;        // rate of the gap: push . (velocity of end a less that of end b) + turn . (angular velocities likewise)
  double gap;                // [m, rad]
} rh_loop_row;

typedef struct rh_loop_kind {
  rh_row row;
  int nrow;   // equations, at most RH_LOOP_ROWS; those of places first. Rows are of unit length, at right angles
  bool apart; // its ends are apart: a scene must say where both are
  int nplace; // of them of places [m]; the others are of attitudes [rad]
  const char *(*check)(const double *par); // what is wrong with the first parameter, in words; NULL (function or result): nothing
  // Fills in what was left open, from the ends at the start, world axes. NULL: nothing can be.
  void (*start)(const rh_xform *a, const rh_xform *b, double *par);
  void (*rows)(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row); // (nrow)
} rh_loop_kind;

RH_API const rh_loop_kind *const *rh_loop_kind_table(int *count);
RH_API const rh_loop_kind *rh_loop_kind_find(const char *name);

// ---- Shapes (src/geometry/shape.c). The shape's frame sits at its centre; all functions speak in that frame. A shape that is
// made of a mesh has the mesh functions in place of the others.

typedef enum rh_mesh_sort { RH_MESH_NONE, RH_MESH_HULL, RH_MESH_FIELD } rh_mesh_sort;

typedef struct rh_shape {
  rh_row row;
  double (*volume)(const double *par);   // [m^3]; NULL: no volume (plane), then it has no inertia either
  rh_sym3 (*inertia)(const double *par); // [m^2] about its centre, for unit mass
  // Farthest point of the core along a direction, without the rounding; NULL: unbounded (plane).
  rh_vec3 (*support)(const double *par, rh_vec3 direction);
  double (*rounding)(const double *par); // [m] radius by which a core is grown (sphere, capsule); NULL: none
  // What is wrong with the parameters, in words behind the name of the one that `which` gets; NULL (function or result): nothing.
  const char *(*check)(const double *par, int *which);
  int touches;                           // most contact points it can have with one other shape
  rh_mesh_sort mesh;                     // the mesh it is made of: see src/geometry/mesh_shape.h
  rh_vec3 (*mesh_support)(const void *mesh, rh_vec3 direction);
  double (*mesh_volume)(const void *mesh);
  rh_sym3 (*mesh_inertia)(const void *mesh, rh_vec3 *centre); // about its centre of mass, which is not its frame's origin
} rh_shape;

RH_API const rh_shape *const *rh_shape_table(int *count);
RH_API const rh_shape *rh_shape_find(const char *name);

// Has it a farthest point in every direction? A plane and a heightfield have not.
static inline bool rh_shape_bounded(const rh_shape *kind)
{
  return kind->support || kind->mesh_support;
}

// ---- Formulations of impacts at many points (src/impact/multi_*.c): velocities alone do not say what several points of a rigid body
// take each; a formulation does. It sees W, u, mu, e and weights (src/impact/impact.h), never trees or shapes.

struct rh_many_in;
struct rh_many_out;

typedef struct rh_formulation {
  rh_row row;
  bool by_law;  // it asks the contacts' impact law; the others have a rule of their own
  bool passive; // it creates no energy; by_law: if the law does not
  bool plastic; // it takes e as 0
  bool early;   // it knows e < 0, of all points alike: the impact ends in compression and leaves them approaching
  bool alone;   // a single point too is struck by it; else by the law along its path
  size_t (*room)(int n); // doubles of room for n points
  // Impulses p and velocities after (3n each). Independent of the order of the points. False: p is the best that was found.
  bool (*strike)(const struct rh_many_in *in, const double *par, double *room, double *p, double *u_after,
                 struct rh_many_out *out);
} rh_formulation;

RH_API const rh_formulation *const *rh_formulation_table(int *count);
RH_API const rh_formulation *rh_formulation_find(const char *name);

// ---- Haptics (src/haptic/): what a tool does where it meets something, what is between tool and device, whose hand it is. Rows work on one
// tick of the loop (src/haptic/step.h); they allocate nothing and depend on the state of the world alone.

struct rh_tick;

typedef struct rh_haptic_method {
  rh_row row;
  const char *coupling; // row of the couplings that goes with it, where a scene names none
  bool ideal;           // others are compared with it: `routh compare` gives it finer steps
  double gap;           // [m] shapes that are no farther apart are in contact
  // What contacts do before the motion of a tick: penalties on them, impulses, the tool's share in t->env. Contacts, groups and their states
  // are those of now. NULL: nothing.
  void (*meet)(struct rh_tick *t);
  // And behind it, when forces have changed the velocities: impulses that keep contacts from closing, and the way they are moved apart. What the
  // environment does is known only then. NULL: nothing.
  void (*hold)(struct rh_tick *t);
} rh_haptic_method;

RH_API const rh_haptic_method *const *rh_haptic_method_table(int *count);
RH_API const rh_haptic_method *rh_haptic_method_find(const char *name);

typedef struct rh_haptic_coupling {
  rh_row row;
  bool feels;        // the device gets what the environment does to the tool, besides what the coupling does; not from a method that holds
  bool at_tool;      // the hand is at the tool itself; a device only shows where that is
  bool needs_device; // there is no use in it without
  bool looks;        // it asks whether the tool would overlap where the device is
  // Its wrench on the tool, t->coupling, and whether it is closed, t->active. Asked if there is a device. NULL: none.
  void (*act)(struct rh_tick *t);
  void (*follow)(struct rh_tick *t); // at the end of a tick: who is put where the other is, what an ideal device gives; NULL: nothing
} rh_haptic_coupling;

RH_API const rh_haptic_coupling *const *rh_haptic_coupling_table(int *count);
RH_API const rh_haptic_coupling *rh_haptic_coupling_find(const char *name);

typedef struct rh_haptic_hand {
  rh_row row;
  int width;         // numbers in a row of its trace, the time first; 0: it has none
  bool needs_trace;  // nothing can be done without
  bool needs_spring; // haptic.hand_spring must be given
  void (*wrench)(struct rh_tick *t, int body); // adds what it does to the body that it holds to t->hand; NULL: the outside says
} rh_haptic_hand;

RH_API const rh_haptic_hand *const *rh_haptic_hand_table(int *count);
RH_API const rh_haptic_hand *rh_haptic_hand_find(const char *name);

// ---- Steppers (src/event/step_*.c). One integrates dy/dt = f(t, y) up to a time or to the first event.

#define RH_TIME_MIN      1e-12 // [s] shortest step, run and time between frames: event times are located to this
#define RH_RUN_STEPS_MAX 1e12  // steps of a run: beyond it a clock in doubles cannot tell multiples of a step apart safely

typedef struct rh_ode {  // what a stepper integrates; run/run.c fills it in
  void *user;
  int n;                  // length of y; may change before a restart
  int room;               // what n may grow to; 0: n stays
  int nguard;             // guard functions
  const int *direction;   // which way a guard must pass zero: 0 either, 1 rising, -1 falling (nguard)
  double *y;              // the state, in place
  double *t;
  double first_step;      // [s] after a restart the first step must not be longer (infinity: no bound)
  double pace;            // [s] restarts come at this rate (0: they do not)
  double look_from, look_at; // [s] where t_limit is look_at, shapes that were looked at at look_from are due then: see RH_ADVANCE_LOOK
  // 0 done, > 0 try a smaller step, < 0 stop
  int (*rate)(void *user, double t, const double *y, double *ydot);
  int (*guard)(void *user, double t, const double *y, double *g);
  // First and second time derivative of y where it stands: the parabola it sets out on. NULL: not worth while.
  void (*arc)(void *user, double t, const double *y, double *slope, double *bend);
  bool (*idle)(void *user, int i);        // y[i] moves nothing, itself included (an integral); NULL: none is idle
  double grain;                           // what rounding leaves open in idle states; 0: nothing
  void (*project)(void *user, double *y); // bring y back to where it must stay (unit quaternions)
  // One semi-implicit Euler step of size h in place: velocities first, then coordinates along the new velocities.
  int (*kick)(void *user, double t, double h, double *y);
  bool anew; // at a restart: nothing that was learnt may be kept, for a run can be resumed from here
} rh_ode;

typedef struct rh_step_stats {
  long steps, rejected, evaluations, restarts;
} rh_step_stats;

typedef enum rh_advance { // how an advance ended
  RH_ADVANCE_REACHED,     // t_out was reached
  RH_ADVANCE_EVENT,       // a guard passed zero: y and t stand just behind it
  RH_ADVANCE_YIELD,       // not there yet, but a good moment to look at the clock; call again
  RH_ADVANCE_FAILED,      // see the status
  RH_ADVANCE_LOOK         // the next step would be cut short by flow->look_at: look from here first, and call again
} rh_advance;

typedef struct rh_stepper {
  rh_row row;
  rh_status (*open)(const rh_ode *flow, const double *par, rh_diag *diag, void **self);
  // The state was changed from outside (an event, a resume): forget the past.
  rh_status (*restart)(void *self);
  // Integrate until y can be given at t_out, never evaluating beyond t_limit >= t_out. `hit` (nguard) gets -1, 0, 1:
  // which guards passed zero, and which way.
  rh_advance (*advance)(void *self, double t_out, double t_limit, int *hit, rh_status *status);
  const char *(*reason)(const void *self); // why the last advance failed, in words
  void (*stats)(const void *self, rh_step_stats *stats);
  void (*close)(void *self);
  // A stepper of whole worlds: it finds contacts, impulses and forces itself, tick by tick, and keeps the books; nothing is located and
  // `advance` is not asked. Goes on to the first tick at or behind t_out. NULL: a stepper of flows.
  rh_status (*world)(void *self, double t_out);
  bool loops; // it keeps loops closed
  bool judges; // it says what its answers are worth: rh_solver_now
  bool sticks; // friction of compliant contacts is Coulomb's law with true stick, whatever their friction law says
} rh_stepper;

RH_API const rh_stepper *const *rh_stepper_table(int *count);
RH_API const rh_stepper *rh_stepper_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
