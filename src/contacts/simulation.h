// simulation.h: the memory of a simulation, shared by the run and its engines, and the reports of
// events by an engine.
#ifndef ROUTH_CONTACTS_SIMULATION_H
#define ROUTH_CONTACTS_SIMULATION_H

#include "collision/collision.h"

#include <math.h>
#include <string.h>

// One digit of x, rounded down: a step or a tolerance to advise, which must be below the present one
static inline double rh_advised_value(double x)
{
  double unit = rh_pow(10, floor(rh_log10(x)));
  return unit * fmax(floor(x / unit * (1 + 1e-9)), 1);
}

static inline void rh_widen_range(double x, bool first, double *lo, double *hi)
{
  *lo = first || x < *lo ? x : *lo;
  *hi = first || x > *hi ? x : *hi;
}

typedef enum rh_moment_kind {
  RH_MOMENT_EVENT,
  RH_MOMENT_FORCE_ON,
  RH_MOMENT_FORCE_OFF
} rh_moment_kind;

typedef struct rh_moment { // something due at a known time
  double t;
  rh_moment_kind kind;
  int index;
} rh_moment;

typedef struct rh_met { // the last event of a contact
  double t;             // [s]
  int contact;          // RH_NONE: there was none
  int body[2];
} rh_met;

typedef enum rh_break { // why the motion is not smooth
  RH_BREAK_EVENT,       // guards passed zero
  RH_BREAK_MOMENT,      // moments are due
  RH_BREAK_OTHER        // contacts are stepped in time
} rh_break;

typedef struct rh_watch { // is told before and after the actions there (event/slopes/)
  void *user;
  void (*before)(void *user, rh_break why);
  void (*after)(void *user);
} rh_watch;

struct rh_sim {
  const rh_model *model;
  rh_data *data;
  rh_observer observer;
  const rh_watch *watch; // NULL: none
  void *engine;          // of model->engine
  double slight;         // [N, N m] forces of limits below this are rounding
  rh_guard user[RH_GUARD_MAX]; // of the program (nuser)
  char user_name[RH_GUARD_MAX][RH_NAME_MAX];
  int nuser;
  rh_moment *queue;      // moments in order of time (nqueue)
  int nqueue, next;
  long frame;            // index of the next frame
  rh_data *view;         // a second world to read sensors in; NULL: none has samples
  bool started;
  bool resumed; // from a frame that ends a batch; the actions after it are still to be done
  bool stop;             // an event of the scene ends the run
  bool refused;          // a verdict ended it, in a strict run
  bool failed;           // no forces between rigid bodies were found; `reason` states more
  long verdicts[RH_EVENT_COUNT];        // count of each
  rh_event first_verdict[RH_EVENT_COUNT];
  // directions in which rigid contacts shared their load when last reported; < 0: not known
  int undetermined;
  double several_at;     // [s] time of the last report of several answers
  rh_impact_stats impact;
  // [s] when a compliant contact of a tree ended last, by its number modulo their number
  double parted[RH_PARTED_TREES];
  rh_solver_stats checked; // steps of an engine that checks its solutions
  rh_residue_stats residue;
  bool check_due;        // a compliant contact has ended: the ledger is checked (energy_check.c)
  rh_met met;
  rh_step_stats before;  // of former engines (live_input.c)
  bool single_step;      // contacts are wanted after each step, not only at frames
  long events;
  double last_event;     // [s] for the check of accumulating events
  int piled;
  rh_status observed;    // last status of an observer
  char reason[512];      // a note and its context
};

static inline void rh_sim_break(const rh_sim *sim, rh_break why)
{
  if (sim->watch) {
    sim->watch->before(sim->watch->user, why);
  }
}

static inline void rh_sim_go_on(const rh_sim *sim)
{
  if (sim->watch) {
    sim->watch->after(sim->watch->user);
  }
}

// Before each step of an engine with steps of its own: time and velocities at its start, for sensors.
static inline void rh_sensors_note_step(rh_data *d)
{
  if (d->model->sensors.motion && !d->model->run.engine->located) {
    d->control.sensor[0] = *d->t;
    memcpy(d->control.sensor + 1, d->v, (size_t)d->model->nv * sizeof *d->v);
  }
}

// report.c
// the status of an observer: the first that is not RH_OK is kept
void rh_sim_keep_answer(rh_sim *sim, rh_status answer);
rh_event rh_sim_event(const rh_sim *sim, rh_event_kind kind, const char *name, int dof);
// the event is one of bodies a and b
void rh_event_name_bodies(const rh_model *model, rh_event *event, int a, int b);
void rh_sim_emit_event(rh_sim *sim, const rh_event *event);
void rh_sim_emit_diagnosis(rh_sim *sim, const rh_event *e); // counted, reported; a strict run ends
// normal velocities, for rh_impact_stats; `single`: nothing else touches the bodies
void rh_sim_note_impact(rh_sim *sim, double before, double after, bool single);
void rh_data_wake(rh_data *d, int body);   // wakes all mobiles that sleep with a body; 0: all

// joint_impulse.c: impulses on joints
const char *rh_dof_name(const rh_sim *sim, int k); // the joint of a degree of freedom
bool rh_limit_pulls(const rh_sim *sim, int k);     // a limit can push but not pull
// releases a limit that would have to pull; false: none would
bool rh_limits_release(rh_sim *sim);
// [N, N s] what the row of tendon `index` would do to pull at its limit, by its force or impulse x (> 0 lengthens)
bool rh_tendon_pulls(const rh_sim *sim, int index, double x);
double rh_tendon_impulse(rh_sim *sim, int index, double change); // its speed changes by this; the impulse
void rh_dry_release(rh_sim *sim);                  // joints held by dry friction, before an impulse
// Impulses on `n` neighbouring degrees of freedom from `first` on that change their velocities by
// `change`; all velocities change with them. Returns the first impulse.
double rh_joint_impulse(rh_sim *sim, int first, int n, const double *change);

// scene_events.c: actions of the scene's events
void rh_scene_event_fire(rh_sim *sim, int index);
void rh_moment_act(rh_sim *sim, const rh_moment *moment);

void rh_evaluate_motion(rh_data *d); // stages 1 to 7 without rigid contacts, for the present state

// resolution.c: rates at which a compliant contact moves by itself
typedef struct rh_law_state {
  double depth, rate, radius; // [m], [m/s], [m]
  double mass;                // [kg] that it pushes
  double share;               // of the law's constants: 1, or an area [m^2]
} rh_law_state;
typedef struct rh_law_slopes {
  double k, d;  // [N/m], [N s/m] largest of the law from here to the depth that the motion reaches
  double depth; // [m] there
} rh_law_slopes;
rh_law_slopes rh_law_slopes_at(const rh_model_contact *c, const rh_law_state *x);
// [s] half a period of its spring, for a touch at this speed [m/s]. [forward_dynamics]
double rh_contact_swing(rh_data *d, int slot, double speed);
typedef struct rh_contact_rates {
  double frequency2; // [1/s^2] square of the frequency of its springs
  double damping;    // [1/s] rate of its dampers, and of the states of its friction
} rh_contact_rates;
// [1/kg] of a body along n at a point, as if it were free: joints only reduce it. [kinematics]
double rh_body_inverse_mass(const rh_data *d, int body, rh_vec3 point, rh_vec3 n);
typedef struct rh_resolution { // of a method with fixed steps
  double per_period;      // steps in a period of a spring, at least
  double stable;          // largest product of a step and the rate of a damper
  rh_contact_rates *each; // scratch (nslot)
} rh_resolution;
// [s] a step that resolves all compliant contacts well; infinite: one of dt resolves them. `*slot`
// gets the one that sets it. [forward_dynamics]
double rh_contacts_longest_step(rh_data *d, const rh_resolution *r, double dt, int *slot);
// A step that does not resolve the compliant contact of two bodies: the event, without its place.
// `needed` [s] would resolve it, of the step `taken`.
rh_event rh_unresolved_event(const rh_sim *sim, int contact, double needed, double taken);

// ledger.c (stage 10)
rh_ledger rh_ledger_read(rh_data *d);            // kinematics are recomputed
// kinetic + potential + springs, kinematics recomputed
double rh_ledger_energy(rh_data *d);

// energy_check.c
void rh_energy_check_begin(rh_sim *sim); // at creation
void rh_energy_check(rh_sim *sim);       // the ledger against run.residue; kinematics are recomputed
// A single impact, as reported, against the e of its contact at its speed, where e is a ratio of
// speeds; `slack` [m/s] error of its speeds.
void rh_restitution_check(rh_sim *sim, const rh_event *impact, int contact, double slack);
// A joint that met its limit, and nothing else did; [m/s, rad/s]
void rh_limit_restitution_check(rh_sim *sim, const rh_event *bounce, double slack);
// Impacts that share bodies, by one of them: gain [J] of kinetic energy, of `moved` [J] by impulses
void rh_impact_energy_check(rh_sim *sim, const rh_event *impact, double gain, double moved);

double rh_ledger_open(rh_sim *sim);                 // the energy before a change
double rh_ledger_close(rh_sim *sim, double before); // records the change since then and returns it

typedef struct rh_passed_pair { // shapes that a contact did not keep separate within a step
  int contact;                  // RH_NONE: there are none
  int shape[2];
  double depth; // [m] pressed in by more than half the thinner one; 0: they went through one another
} rh_passed_pair;

// Writes why the run ends. RH_STOPPED
rh_status rh_stop_passed(const rh_model *model, const rh_passed_pair *pair, char *reason,
                         size_t size);

#endif
