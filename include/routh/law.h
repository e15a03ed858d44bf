// routh/law.h: the rows that a program may add: contact laws, friction laws, impact laws,
// controllers. A row is a const descriptor with its functions; examples/own_law.c shows one.
//
// rh_x_register adds a row: the library keeps the pointer, so that the row and its texts must
// outlive every scene, model and simulation. A program registers before it makes its first scene,
// from one thread. RH_INPUT_REFUSED: `row` or its name is NULL, the name is taken, or the program
// has 32 rows of that kind already. rh_x_table returns all rows, `*count` of them; the array
// belongs to the library and lasts as long as the program. rh_x_find returns the row of a name,
// NULL: there is none. The functions of a row are called by every thread that runs a simulation:
// they must be pure.
#ifndef ROUTH_LAW_H
#define ROUTH_LAW_H

#include <routh/data.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Normal laws (src/laws/normal_*.c): the force along the normal. A law reads one contact only.

typedef struct rh_normal_in {
  double depth;      // z [m] > 0; a law with `hold`: >= -hold
  double rate;       // dz/dt [m/s]
  double radius;     // [m] effective radius of curvature, 1 / (1/ra + 1/rb); infinity: flat on flat
  const double *par; // of the law's row
  const double *s;   // the law's state (nstate); NULL: at rest with the depth
} rh_normal_in;

typedef struct rh_normal_out {
  double spring; // [N] elastic part of the force
  double damper; // [N] the rest; the force is their sum
  double stored; // [J] elastic energy at this depth
  // Of a law with a state; zero at first, and others leave them alone:
  double ds;     // rate of the state
  double lost;   // [W] dissipated within: d(stored)/dt = spring * rate - lost
} rh_normal_out;

typedef struct rh_normal_law {
  rh_row row;
  bool pulls;      // the force may be negative
  bool continuous; // the force is zero at touchdown whatever the speed
  int nstate;      // 0, or 1: a state along the normal, zero at touchdown and after the contact
  // The error in the parameters, in words that last; NULL (function or result): none.
  const char *(*check)(const double *par);
  void (*force)(const rh_normal_in *in, rh_normal_out *out);
  // All n (at most 16) points of a flat face at once, where each acts on the others: places in the
  // contact plane [m] (n x 2), areas [m^2] and results, one per point. The law's constants are
  // those of in[0]. The sum of `stored` is the integral of the sum of spring times rate; this does
  // not hold point by point. NULL: points do not act on one another, and `force` is used for each.
  void (*face)(const rh_normal_in *in, int n, const double *at, const double *area,
               rh_normal_out *out);
  // Sets the law's damping in `par` so that a free impact of `mass` at `speed` rebounds with
  // restitution e. False: no damping does. NULL: the law has none.
  bool (*fit)(double *par, double mass, double speed, double radius, double e);
  // [m] >= 0: gap at which a contact that has formed, at depth 0, breaks. NULL: 0.
  double (*hold)(const double *par, double radius);
} rh_normal_law;

RH_API const rh_normal_law *const *rh_normal_law_table(int *count);
RH_API const rh_normal_law *rh_normal_law_find(const char *name);
RH_API rh_status rh_normal_law_register(const rh_normal_law *row);

// ---- Friction laws (src/laws/friction_*.c): the force in the contact plane; any combines with any
// normal law.

#define RH_FRICTION_STATES 2

typedef struct rh_friction_in {
  double depth, rate; // as for the normal law
  double normal;      // [N] normal force, >= 0
  double slip[2];     // [m/s] tangential velocity relative to the other body, contact frame
  const double *par;
  const double *s;    // the law's states (nstate)
  double radius;      // [m] as for the normal law
} rh_friction_in;

typedef struct rh_friction_out {
  double force[2];               // [N] on the body whose slip it is
  double ds[RH_FRICTION_STATES]; // rates of the states
  double stored;                 // [J] recoverable energy
  double p_spring;               // [W] to the spring; -force.slip = p_spring + p_damper + p_slide
  double p_damper;               // [W] dissipated while it deforms
  double p_slide;                // [W] dissipated by sliding
  double margin;                 // [N] > 0 it sticks, < 0 it slips; its zero is an event
} rh_friction_out;

typedef struct rh_friction_patch { // a round contact in cells
  rh_friction_in point;
  double spin;        // [rad/s] about the normal, relative to the other body
  double roll[2];     // [m/s] of the contact over the two surfaces, their mean, contact frame
  const double *cell; // states of the cells (ncell)
} rh_friction_patch;

typedef struct rh_friction_law {
  rh_row row;
  int nstate;   // 0, or 2: a vector in the contact plane, zero at touchdown and after the contact
  bool passive; // it never gives back more than it took
  bool absent;  // there is no friction
  bool curved;  // its stiffness is that of a radius of curvature: not for flat on flat
  const char *(*check)(const double *par); // as that of normal laws
  // NULL: Coulomb's law itself, which gives no force as a function of slip; the engine finds it.
  void (*force)(const rh_friction_in *in, rh_friction_out *out);
  // A contact in cells, with ncell states that are zero at touchdown; used instead of `force` where
  // the engine integrates states and the contact is curved. `torque` [N m] about the normal, on the
  // body whose slip it is: -force.slip - torque spin = p_spring + p_damper + p_slide. NULL: none.
  int ncell;
  void (*patch)(const rh_friction_patch *in, rh_friction_out *out, double *torque, double *rate);
} rh_friction_law;

RH_API const rh_friction_law *const *rh_friction_law_table(int *count);
RH_API const rh_friction_law *rh_friction_law_find(const char *name);
RH_API rh_status rh_friction_law_register(const rh_friction_law *row);

// ---- Impact laws (src/laws/restitution/*.c): when an impact between rigid bodies ends. A contact
// whose law is one of these is rigid. A law is evaluated along the path of the impact, in order of
// the normal impulse.

typedef struct rh_impact_at {
  // [N s] normal impulse, [m/s] normal velocity, [J] its work so far (< 0: taken)
  double P, C, W;
  double C0, Pc, Wc; // velocity before; impulse and work at the end of compression
} rh_impact_at;

typedef enum rh_restitution { // e is a ratio of
  RH_E_OF_VELOCITIES,
  RH_E_OF_IMPULSES,
  RH_E_OF_ENERGIES
} rh_restitution;

typedef struct rh_impact_law {
  rh_row row;        // its first parameter is e
  rh_restitution ratio;
  bool passive;      // it never creates energy at a single planar contact
  // The contact has a tangential spring too: its second parameter is eta2, normal over tangential
  // stiffness (0: none). The impact follows that spring (src/impact/tangential); `over` and `end` are
  // those of the path without it.
  bool tangential_spring;
  // The tangential impulse is a constant ratio of the normal one, mu or less (src/impact/ratio).
  bool impulse_ratio;
  // Zero where the impact ends, negative before, positive after; evaluated in restitution, where C
  // > 0 grows along the path.
  double (*over)(const rh_impact_at *at, double e);
  // Normal impulse at which it ends, on a part of the path that begins at `from` (in restitution)
  // and on which C grows by `slope` per unit of impulse; may lie beyond that part.
  double (*end)(const rh_impact_at *from, double slope, double e);
} rh_impact_law;

RH_API const rh_impact_law *const *rh_impact_law_table(int *count);
RH_API const rh_impact_law *rh_impact_law_find(const char *name);
RH_API rh_status rh_impact_law_register(const rh_impact_law *row);

// ---- Controllers (src/control/control_*.c): they drive the actuators. Efforts are added to the
// actuators' own commands; the sum is kept within their limits. A controller either decides at its
// rate, with its efforts held in between, or all the time: then it must be smooth between events.

typedef struct rh_control { // a controller in a world
  const rh_model_controller *self;
  double *memory; // its own, part of the restart state (nmemory); zero at first
  double *room;   // scratch, as many doubles as rh_controller.room returned; not kept between calls
} rh_control;

typedef struct rh_controller {
  rh_row row;
  int nmemory;   // > 0: it decides at a rate only
  bool walks;    // it needs left, right and trunk
  bool legs;     // it needs two feet or more, and trunk
  // The error in the parameters of a row with legs, in words that follow its name, with so many feet
  // whose phases are not given; NULL (function or result): none.
  const char *(*check)(const double *par, int feet);
  size_t (*room)(const rh_model *m); // doubles; NULL: none
  // Writes the efforts of all actuators (model->nactuator). d->q, v, t, kinematics and slots are
  // the present ones, d->load has the forces of springs, dampers and d->tau. Writes nothing else of
  // `d`.
  void (*update)(rh_data *d, const rh_control *c, double *effort);
} rh_controller;

RH_API const rh_controller *const *rh_controller_table(int *count);
RH_API const rh_controller *rh_controller_find(const char *name);
RH_API rh_status rh_controller_register(const rh_controller *row);

#ifdef __cplusplus
}
#endif
#endif
