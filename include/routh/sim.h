// routh/sim.h: the hybrid loop: integrate, locate events, resolve them, keep the books, tell the observer.
#ifndef ROUTH_SIM_H
#define ROUTH_SIM_H

#include <routh/data.h>
#include <routh/kind.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rh_sim rh_sim;

// One list makes the enum and the names found in recordings.
#define RH_EVENT_LIST(X)                                                         \
  X(BOUNCE, "bounce", "a joint reached its limit and rebounded")                 \
  X(CATCH, "catch", "a joint reached its limit and stays there")                 \
  X(LEAVE, "leave", "a joint left the limit on which it rested")                 \
  X(HOLD, "hold", "a joint was held fixed")                                      \
  X(RELEASE, "release", "a held joint was released")                             \
  X(SWITCH, "switch", "an actuator got a new command")                           \
  X(TOUCH, "touch", "two shapes came into contact")                              \
  X(SEPARATE, "part", "a contact was lost")                                      \
  X(STICK, "stick", "a contact ceased to slip")                                  \
  X(SLIP, "slip", "a contact began to slip")                                     \
  X(FORCE_ON, "force-on", "an external force began to act")                      \
  X(FORCE_OFF, "force-off", "an external force ceased")                          \
  X(MARK, "mark", "a guard or a moment of the scene passed; no action")          \
  X(IMPACT, "impact", "rigid bodies collided")                                   \
  X(GAIN, "gain", "the impact law created energy")                               \
  X(JAM, "jam", "a slide allowed no finite forces and ended by an impulse")      \
  X(NOT_UNIQUE, "several", "the rigid contacts have more than one solution")     \
  X(UNDETERMINED, "undetermined", "the forces of rigid contacts are not unique") \
  X(UNSOLVED, "unsolved", "the impulses satisfy their laws only approximately")  \
  X(STOP, "stop", "an event of the scene ended the run")

typedef enum rh_event_kind {
#define RH_EVENT_ENUM(name, word, text) RH_EVENT_##name,
  RH_EVENT_LIST(RH_EVENT_ENUM)
#undef RH_EVENT_ENUM
  RH_EVENT_COUNT
} rh_event_kind;

RH_API const char *rh_event_word(rh_event_kind kind);
RH_API const char *rh_event_text(rh_event_kind kind);
// An impact, or a joint at its limit: velocities change in no time.
RH_API bool rh_event_is_impulse(rh_event_kind kind);
// A case that the laws of rigid bodies left open, or that violated energy.
RH_API bool rh_event_is_verdict(rh_event_kind kind);

#define RH_NOTE_MAX 200

typedef struct rh_event {
  double t;            // [s]
  rh_event_kind kind;
  char name[RH_NAME_MAX]; // joint, contact, actuator, force, event or guard
  int dof;             // degree of freedom of the model, RH_NONE
  int slot;            // slot of a contact point, RH_NONE
  double point[3];     // [m] where that point is, world; else 0
  double before, after; // velocity of the degree of freedom before and after; of a contact: of approach, or slip; an
                       // actuator's effort; else 0
  double impulse;      // [N s, N m s] generalised impulse; of an impact: along the normal
  double friction;     // [N s] of an impact: in the contact plane
  double Dn, Dt;       // [J] of an impact: dissipated along the normal, and by friction
  double work;         // [J] change of the energy
  char note[RH_NOTE_MAX]; // of a verdict: the reason in words, the numbers behind it, what was done
  int body[2];         // of a contact: the bodies that meet, one that moves first; RH_NONE: there are none, or they are not known
} rh_event;

#define RH_BODIES_MAX (2 * RH_NAME_MAX + 4) // of rh_event_bodies, with the closing zero

// "ball on world", or "" for an event that is not of two bodies.
RH_API void rh_event_bodies(const rh_model *model, const rh_event *event, char text[RH_BODIES_MAX]);

typedef struct rh_observer { // a result other than RH_OK ends the run with that status
  void *user;
  rh_status (*frame)(void *user, const rh_sim *sim, long index);
  rh_status (*event)(void *user, const rh_sim *sim, const rh_event *event);
  // Called between frames, and at least every few thousand steps; for progress and interruption.
  rh_status (*poll)(void *user, const rh_sim *sim);
} rh_observer;

typedef struct rh_guard { // a function of the world whose zero is an event
  const char *name;
  void *user;
  int direction; // 0 either way, 1 rising, -1 falling
  double (*value)(void *user, const rh_data *data);        // kinematics are up to date
  void (*act)(void *user, rh_data *data);                  // NULL: only recorded; may change q, v, effort, hold
} rh_guard;

#define RH_GUARD_MAX 32 // guards a program may add

typedef struct rh_impact_stats { // contacts that began and ended in this run; 0 where there were none
  long impacts;
  double e_lo, e_hi;       // [1] realised restitution: speed apart over speed together
  double time_lo, time_hi; // [s] how long they lasted
  double deepest;          // [m] penetration seen at the integrator's steps
  double peak;             // [N] normal force seen there; of the stepper moreau the mean over a step, impacts apart
  double impulse;          // [N s] largest along a normal at an impact
} rh_impact_stats;

typedef struct rh_solver_stats { // what the answers of time steps were worth, of those that were judged (the stepper moreau, its parameter `judge`)
  long judged;               // steps
  long over;                 // with a residual over the tolerance
  long undetermined, several, unknown; // with an island whose impulses are not unique, whose velocities are not, that was too large to be asked
  double residual;           // [m/s] largest
  double tolerance;          // [m/s] asked for
  double free;               // directions in which the impulses of one step are free, at most
} rh_solver_stats;

typedef struct rh_sim_stats {
  rh_step_stats step;
  rh_impact_stats impact;
  rh_solver_stats solver;
  long frames, events;
  long asleep; // bodies that sleep now
} rh_sim_stats;

// What a run has counted by a frame. A recording keeps it, so that a run that goes on counts on from there.
typedef struct rh_sim_tally {
  rh_step_stats step;
  rh_impact_stats impact;
  rh_solver_stats solver;
  long events;
  long verdicts[RH_EVENT_COUNT]; // how often each was given
  long undetermined;             // directions in which rigid contacts shared their load when last reported
  double several_at;             // [s] when several answers were last reported
} rh_sim_tally;

RH_API rh_status rh_sim_create(const rh_model *model, rh_diag *diag, rh_sim **sim) RH_CHECK_RESULT;
RH_API void rh_sim_destroy(rh_sim *sim);
RH_API void rh_sim_observe(rh_sim *sim, const rh_observer *observer); // NULL: none
RH_API rh_status rh_sim_add_guard(rh_sim *sim, const rh_guard *guard) RH_CHECK_RESULT; // before the first run
RH_API rh_data *rh_sim_data(rh_sim *sim);              // change it only between runs, then call rh_sim_state_changed
RH_API const rh_data *rh_sim_view(const rh_sim *sim);
RH_API void rh_sim_state_changed(rh_sim *sim);                 // the state was changed from outside
RH_API rh_status rh_sim_run(rh_sim *sim, double until); // frames at multiples of model->every, the first at once
// One step: a stepper with a step of its own (moreau, haptic) makes one, the others go on by model->every.
RH_API rh_status rh_sim_step(rh_sim *sim);
// A force [N] that acts at a point [m] of a body, world axes, from now on: it adds to what acts on the body already; its moment about the
// body's origin stays as it is now. It is no part of a recording: a program that resumes applies it again. RH_WRONG_USAGE: there is no such
// body, or it does not move. rh_sim_clear_forces ends all of them. Between runs only.
RH_API rh_status rh_sim_apply_force(rh_sim *sim, int body, rh_vec3 point, rh_vec3 force);
RH_API void rh_sim_clear_forces(rh_sim *sim);
// Inputs of a live run (src/run/live_input.c). The hand of a model that has one (run.hand of the scene) holds a point of a body
// (`grip` [m], body axes) and pulls it towards `target` [m] in the world; drop lets go. RH_WRONG_USAGE: there is no hand, or the
// body does not move. Between runs only.
RH_API rh_status rh_sim_drag(rh_sim *sim, int body, rh_vec3 grip, rh_vec3 target);
RH_API void rh_sim_drop(rh_sim *sim);
// Goes on with another model: the same scene with other values (rh_model_same_layout; else RH_INPUT_REFUSED, and nothing has
// changed). `*sim` becomes a new simulation, at the same time, with the same state, observer, guards and counts: bodies go on as
// they were, contacts keep their points and the memory of their friction where its law is the same; what changes kind, rigid or
// compliant, is touched anew. The energy that the change puts in is booked to the hand (to events without one). The old model may
// be destroyed afterwards. Between runs only.
RH_API rh_status rh_sim_replace_model(rh_sim **sim, const rh_model *model, rh_diag *diag) RH_CHECK_RESULT;
// Goes on in another scene: `sim` was made for it and has not run yet. It stands then where `from` is, at the same time and frame, and
// what both have by the same name goes on bit for bit: bodies, and contact points where shapes and laws are the same. The rest
// begins as its scene says. The energy that came or went is booked to the hand (to events without one). src/run/transfer_state.c
RH_API void rh_sim_transfer(rh_sim *sim, const rh_sim *from);
// Go on from frame `index`, whose restart state (model->nstate doubles) is given; the frame itself is not told again. What the
// run does at once after that frame comes with the next rh_sim_run, so that an observer sees it.
RH_API void rh_sim_resume(rh_sim *sim, long index, const double *state);
// The counts of a run when a frame is reported, and their return after rh_sim_resume from that frame. Without it a run that goes
// on counts from zero, and what was undetermined at the frame is not reported again.
RH_API void rh_sim_tally_get(const rh_sim *sim, rh_sim_tally *tally);
RH_API void rh_sim_tally_set(rh_sim *sim, const rh_sim_tally *tally);
// The first verdict of its kind (rh_sim_verdicts) was this one, before rh_sim_resume.
RH_API void rh_sim_first_verdict(rh_sim *sim, const rh_event *event);
RH_API rh_ledger rh_sim_ledger(const rh_sim *sim);
RH_API rh_sim_stats rh_sim_statistics(const rh_sim *sim);
// How often a verdict on rigid contact was given (RH_EVENT_GAIN to RH_EVENT_UNSOLVED), and the first of them (NULL: not wanted).
RH_API long rh_sim_verdicts(const rh_sim *sim, rh_event_kind kind, rh_event *first);
RH_API const char *rh_sim_reason(const rh_sim *sim);   // why the last run stopped, in words
// While an RH_EVENT_IMPACT is told: the rigid contacts that were struck together with its own are d->rigid[*first] and the
// following ones of rh_sim_view; how many is returned. d->uc and d->Wc are then their velocities before and the contact-space
// inertia, d->pc the impulses.
RH_API int rh_sim_impact_contacts(const rh_sim *sim, const rh_event *event, int *first);

// ---- Channels: every quantity of a world that has a name. Derived from the state, so a recording needs only states.

// Every channel but the time is in one group: its word, whether a CSV table has it by default, what is in it.
#define RH_CHANNEL_GROUP_LIST(X)                                                     \
  X(JOINTS, "joints", true, "coordinates and velocities of the joints")              \
  X(BODIES, "bodies", true, "places of the bodies")                                  \
  X(POINTS, "points", true, "places and velocities of the points")                   \
  X(ACTUATORS, "actuators", true, "efforts and targets of the actuators")            \
  X(CONTACTS, "contacts", true, "depths and forces of the contacts")                 \
  X(LOOPS, "loops", true, "forces and gaps of the loops")                            \
  X(ENERGY, "energy", true, "the energy account")                                    \
  X(DETAILS, "details", false, "rates, slips, margins and energies of the contacts") \
  X(TOTALS, "totals", false, "centre of mass, momentum and spin of all bodies")      \
  X(SOLVER, "solver", false, "what the stepper moreau found in its steps")           \
  X(HAPTIC, "haptic", false, "what the stepper haptic found in its ticks")           \
  X(HAND, "hand", false, "the hand that pulls in a live run")

typedef enum rh_channel_group_id {
#define RH_CHANNEL_GROUP_ENUM(id, word, by_default, text) RH_CHANNEL_GROUP_##id,
  RH_CHANNEL_GROUP_LIST(RH_CHANNEL_GROUP_ENUM)
#undef RH_CHANNEL_GROUP_ENUM
  RH_CHANNEL_GROUP_COUNT // also that of the time, which is in none
} rh_channel_group_id;

typedef struct rh_channels rh_channels;

RH_API rh_channels *rh_channels_create(const rh_model *model); // NULL when out of memory
RH_API void rh_channels_destroy(rh_channels *channels);
RH_API int rh_channels_count(const rh_channels *channels);
RH_API const char *rh_channel_name(const rh_channels *channels, int index); // "hinge.q", "rod.z", "energy.kinetic"
RH_API const char *rh_channel_unit(const rh_channels *channels, int index);
RH_API rh_channel_group_id rh_channel_group(const rh_channels *channels, int index);
RH_API int rh_channel_find(const rh_channels *channels, const char *name);
// Values of `n` channels for the present state of `data`; kinematics and ledger are recomputed.
RH_API void rh_channels_read(const rh_channels *channels, rh_data *data, const int *index, int n, double *value);

#ifdef __cplusplus
}
#endif
#endif
