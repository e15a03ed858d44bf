// routh/sim.h: a simulation: its engine moves the state, the run loop reports frames and events to
// an observer and keeps the energy ledger. A simulation is used by one thread at a time; different
// ones may run at the same time, also of one model.
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
  X(HANDBACK, "handback", "stepped contacts have settled: events are located")   \
  X(GAIN, "gain", "the impact law created energy")                               \
  X(JAM, "jam", "a slide allowed no finite forces and ended by an impulse")      \
  X(NOT_UNIQUE, "several", "the rigid contacts have more than one solution")     \
  X(UNDETERMINED, "undetermined", "the forces of rigid contacts are not unique") \
  X(FORMULATION, "formulation", "formulations of an impact at several contacts disagree") \
  X(EARLY, "early", "an impact with e < 0 ended in compression")                 \
  X(TAKEOVER, "takeover", "events accumulate: contacts are stepped in time")     \
  X(COARSE, "coarse", "forces jump to and fro: the tolerance was loosened")      \
  X(UNSOLVED, "unsolved", "the impulses satisfy their laws only approximately")  \
  X(RESIDUE, "residue", "the energy ledger does not close within run.residue")   \
  X(RESTITUTION, "restitution", "an impact rebounded faster than its law allows") \
  X(UNRESOLVED, "unresolved", "steps are too long for a compliant contact, or a coupling") \
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
// A case that the laws of rigid bodies left open, that violated energy, or that steps did not resolve.
// The end of an interval in which contacts were stepped in time (handback) is none.
RH_API bool rh_event_is_verdict(rh_event_kind kind);

// A verdict after which the result is not to be trusted: a warning of the program.
RH_API bool rh_event_is_error(rh_event_kind kind);

#define RH_NOTE_MAX 200

typedef struct rh_event {
  double t;            // [s]
  rh_event_kind kind;
  char name[RH_NAME_MAX]; // joint, contact, actuator, force, event or guard
  int dof;             // degree of freedom of the model, RH_NONE
  int slot;            // slot of a contact point, RH_NONE
  double point[3];     // [m] where that point is, world; else 0
  double before, after; // velocity of the degree of freedom before and after; of a contact: of
                       // approach, or slip; an actuator's effort; else 0
  double impulse;      // [N s, N m s] generalised impulse; of an impact: along the normal
  double friction;     // [N s] of an impact: in the contact plane
  double Dn, Dt;       // [J] of an impact: dissipated along the normal, and by friction
  double work;         // [J] change of the energy
  // of a verdict: the reason in words, its numbers, the action taken; of an impact by proportions: its share
  char note[RH_NOTE_MAX];
  // of a contact: the bodies that meet, one that moves first; RH_NONE: not known
  int body[2];
} rh_event;

#define RH_BODIES_MAX (2 * RH_NAME_MAX + 4) // of rh_event_bodies, with the closing zero

// Writes "ball on world", or "" for an event that is not of two bodies.
RH_API void rh_event_bodies(const rh_model *model, const rh_event *event, char text[RH_BODIES_MAX]);

// Functions that a run calls, in the thread of rh_sim_run; each may be NULL. A result other than
// RH_OK ends the run with that status. `sim` and `event` are valid during the call; a function must
// not run, change or destroy the simulation.
typedef struct rh_observer {
  void *user;
  rh_status (*frame)(void *user, const rh_sim *sim, long index);
  rh_status (*event)(void *user, const rh_sim *sim, const rh_event *event);
  // Called between frames, and at least every few thousand steps; for progress and interruption.
  rh_status (*poll)(void *user, const rh_sim *sim);
} rh_observer;

typedef struct rh_guard { // a function of the world whose zero is an event
  const char *name;       // in reports; NULL: "guard"
  void *user;             // must outlive the simulation
  int direction;          // of the passage: 0 either, 1 rising, -1 falling
  double (*value)(void *user, const rh_data *data); // kinematics are up to date; a pure function
  // May change q, v, effort, hold; NULL: the event is only reported.
  void (*act)(void *user, rh_data *data);
} rh_guard;

#define RH_GUARD_MAX 32 // guards that a program may add

typedef struct rh_impact_stats { // contacts that began and ended in this run; 0: there were none
  long impacts;
  // [1] realised restitution, speed apart over speed together, of `single` of them: those whose
  // bodies nothing else touches then. At several points it is a ratio of speeds without a meaning.
  double e_lo, e_hi;
  double time_lo, time_hi; // [s] how long they lasted
  double deepest;          // [m] penetration seen at the integrator's steps
  double peak;             // [N] normal force there; under the engine stepping the mean over a step
  double impulse;          // [N s] largest along a normal at an impact
  long several;            // impacts at several rigid contacts at once (engine event)
  long examined;           // of these, under all formulations: the first few
  long single;             // impacts of which e_lo and e_hi are
} rh_impact_stats;

// Quality of the solutions of time steps, of those that were checked (engine stepping, parameter
// `check_solution`).
typedef struct rh_solver_stats {
  long judged;       // steps that were checked
  long over;         // with a residual over the tolerance
  long undetermined; // with an island whose impulses are not unique
  long several;      // with an island whose velocities are not unique
  long unknown;      // with an island too large for this check
  double residual;   // [m/s] maximum
  double tolerance;  // [m/s] of the scene
  double free;       // maximum number of directions in which the impulses of one step are free
} rh_solver_stats;

// The energy ledger against run.residue, checked at frames, where a compliant contact ends, and by
// rh_sim_check_energy.
typedef struct rh_residue_stats {
  double bound;  // [1] of `scale`; infinite: there is no verdict
  double scale;  // [J] the largest energy that was moved so far: docs/concepts.md
  double worst;  // [1] largest residue so far, of the scale at that time
  double start;  // [J] potential energy at the first check
  double before; // [s] time of the last check
} rh_residue_stats;

typedef struct rh_sim_stats {
  rh_step_stats step;
  rh_impact_stats impact;
  rh_solver_stats solver;
  rh_residue_stats residue;
  long frames, events;
  long asleep; // bodies that sleep now
  // compliant contacts of the model whose bounces are not in impact.impacts: rh_engine.counts_bounces
  long uncounted;
} rh_sim_stats;

enum { RH_PARTED_TREES = 4 };

// Counts of a run at a frame. A recording keeps them, so that a resumed run continues them.
typedef struct rh_sim_tally {
  rh_step_stats step;
  rh_impact_stats impact;
  rh_solver_stats solver;
  long events;
  long verdicts[RH_EVENT_COUNT]; // number of each
  long undetermined; // directions in which rigid contacts shared their load at the last report
  double several_at; // [s] time of the last report of several solutions
  rh_residue_stats residue;
  long met[3];       // contact and bodies of the last event of a contact, RH_NONE: there was none,
  double met_at;     // [s] and its time
  double parted[RH_PARTED_TREES]; // [s] when compliant contacts ended last
} rh_sim_tally;

// Allocates a simulation of `model`, which must outlive it; a run allocates nothing. `*sim`
// gets it, NULL after an error. The caller frees it by rh_sim_destroy, which accepts NULL.
RH_API rh_status rh_sim_create(const rh_model *model, rh_diag *diag, rh_sim **sim) RH_CHECK_RESULT;
RH_API void rh_sim_destroy(rh_sim *sim);
// Copies the observer, whose `user` must last until it is replaced; NULL: none.
RH_API void rh_sim_observe(rh_sim *sim, const rh_observer *observer);
// Copies the guard and its name. Before the first run only, and only under an engine that locates
// events: else RH_WRONG_USAGE. RH_OVER_LIMIT: there are RH_GUARD_MAX already.
RH_API rh_status rh_sim_add_guard(rh_sim *sim, const rh_guard *guard) RH_CHECK_RESULT;
// The world of the simulation, which owns it. A program changes it only between runs, or where it
// observes a frame, then calls rh_sim_state_changed. The pointers are valid until rh_sim_destroy or rh_sim_replace_model.
RH_API rh_data *rh_sim_data(rh_sim *sim);
RH_API const rh_data *rh_sim_view(const rh_sim *sim);
RH_API void rh_sim_state_changed(rh_sim *sim);
// The function that decides for the controllers of the kind `program`, in the thread of the run;
// NULL: none, their efforts are zero. `user` must last as long as it is set. Between runs only.
RH_API void rh_sim_control(rh_sim *sim, rh_program_fn *decide, void *user);
// A program that lets others write a world between runs (views of an interpreter) keeps a copy of
// q, v, commands, tau and fext: rh_sim_changes_size doubles, the caller's. rh_sim_keep_changes fills
// the copy after a run. rh_sim_take_changes compares before the next run: where a number differs,
// quaternions get unit length, the change of the energy is part of the ledger's `event`, and the
// simulation is restarted as by rh_sim_state_changed; the copy is scratch then. RH_INPUT_REFUSED: a number that differs is not finite, or a quaternion is zero; `diag` (may be
// NULL) gets the reason, and the simulation is not restarted.
RH_API size_t rh_sim_changes_size(const rh_model *model);
RH_API void rh_sim_keep_changes(const rh_sim *sim, double *copy);
RH_API rh_status rh_sim_take_changes(rh_sim *sim, double *copy, rh_diag *diag) RH_CHECK_RESULT;
// The check of rh_sim_take_changes alone, without the restart: before rh_sim_replace_model, which
// restarts the simulation itself.
RH_API rh_status rh_sim_check_changes(rh_sim *sim, const double *copy,
                                      rh_diag *diag) RH_CHECK_RESULT;
// Runs to the time `until` [s]; frames are reported at multiples of model->run.every, the first at
// once. Returns RH_OK, the status of an observer, or why the run stopped: rh_sim_reason has it in
// words.
RH_API rh_status rh_sim_run(rh_sim *sim, double until);
// One step: an engine with steps of its own (stepping, haptic) makes one, the engine event goes on
// by model->run.every.
RH_API rh_status rh_sim_step(rh_sim *sim);
// A force [N] at a point [m] of a body, world axes, from now on: it is added to the forces on the
// body; its moment about the body's origin stays the present one. It is not part of a recording: a
// program that resumes applies it again. RH_WRONG_USAGE: no such body, or it does not move. Between
// runs only.
RH_API rh_status rh_sim_apply_force(rh_sim *sim, int body, rh_vec3 point, rh_vec3 force);
RH_API void rh_sim_clear_forces(rh_sim *sim); // ends all of them
// Inputs of a live run (src/run/live_input.c). The hand of a model that has one (run.hand of the
// scene) holds a point of a body (`grip` [m], body axes) and pulls it towards `target` [m] in the
// world; drop releases it. RH_WRONG_USAGE: there is no hand, or the body does not move. Between
// runs only.
RH_API rh_status rh_sim_drag(rh_sim *sim, int body, rh_vec3 grip, rh_vec3 target);
RH_API void rh_sim_drop(rh_sim *sim);
// Continues with another model: the same scene with other values (rh_model_same_layout; else
// RH_INPUT_REFUSED). After RH_OK `*sim` is a new simulation and the old one is destroyed; time,
// state, tau, fext, observer, guards and counts are the same. A simulation that has not run yet
// begins as the new model does, with what a program has written: the coordinates of each joint and
// the velocities, commands, tau and fext that differ from the start of the old model. Bodies
// continue, contacts keep their points, and the memory of their friction if its law is the same; a
// contact that changes between rigid and compliant begins anew. The change of energy is recorded as
// work of the hand (of events without one). The old model may be destroyed then. After an error
// `*sim` is unchanged. Between runs only.
RH_API rh_status rh_sim_replace_model(rh_sim **sim, const rh_model *model,
                                      rh_diag *diag) RH_CHECK_RESULT;
// Continues the run of `from` in another scene: `sim` was made for it and has not run yet. It gets
// the time and frame of `from`; objects that both have by the same name continue bit for bit:
// bodies, and contact points with the same shapes and laws. The rest begins as in its scene. The
// change of energy is recorded as work of the hand (of events without one). `from` is only read,
// and stays the caller's.
RH_API void rh_sim_transfer(rh_sim *sim, const rh_sim *from);
// Continues from frame `index` with its restart state (model->layout.nstate doubles, copied); the frame
// itself is not reported again. The actions after that frame come with the next rh_sim_run, so that
// an observer sees them. RH_NONE: the state of a world that has not run; the next rh_sim_run is a
// first one.
RH_API void rh_sim_resume(rh_sim *sim, long index, const double *state);
// The counts of a run when a frame is reported, and their return after rh_sim_resume from that
// frame. Without it a resumed run counts from zero, and a load that was undetermined at the frame
// is not reported again.
RH_API void rh_sim_tally_get(const rh_sim *sim, rh_sim_tally *tally);
RH_API void rh_sim_tally_set(rh_sim *sim, const rh_sim_tally *tally);
// Copies the first verdict of its kind before rh_sim_resume, for rh_sim_verdicts.
RH_API void rh_sim_first_verdict(rh_sim *sim, const rh_event *event);
RH_API rh_ledger rh_sim_ledger(const rh_sim *sim); // the present energies and works
// Checks the ledger now, as a run does at frames: for the end of a run between two frames.
// RH_STOPPED: run.strict, and there was a verdict.
RH_API rh_status rh_sim_check_energy(rh_sim *sim);
#define RH_ADVICE_MAX 64
// The step, tolerance or method with which the largest residue so far would be within its bound.
// False: it is, and `text` is "".
RH_API bool rh_sim_residue_advice(const rh_sim *sim, char text[RH_ADVICE_MAX]);
RH_API rh_sim_stats rh_sim_statistics(const rh_sim *sim);
// Number of verdicts of a kind (rh_event_is_verdict). `first` (may be NULL) gets a
// copy of the first one.
RH_API long rh_sim_verdicts(const rh_sim *sim, rh_event_kind kind, rh_event *first);
// Why the last run stopped, in words, "" after none; valid until the next run or rh_sim_destroy.
RH_API const char *rh_sim_reason(const rh_sim *sim);

typedef struct rh_impact_contacts { // rigid contacts at an impact; rows t1, t2, n each
  int n, first;    // contacts of the event's own impact: first, ... first + n - 1 of `all`; n 0: there are none
  int all;
  const int *slot; // of rh_data.contact (all)
  const double *u; // [m/s] velocities before (3 all)
  const double *p; // [N s] impulses (3 all)
  const double *W; // [1/kg] contact-space inertia J H^-1 J' (3 all x 3 all)
} rh_impact_contacts;

// For the observer of an RH_EVENT_IMPACT of the event-driven engine, while the event is reported: the contacts that had the
// impact together. The arrays belong to the simulation and are valid until the observer returns.
RH_API rh_impact_contacts rh_sim_impact_contacts(const rh_sim *sim, const rh_event *event);

// ---- Channels: every quantity of a world that has a name. They are derived from the state, so
// that a recording keeps only states.

// Every channel except the time is in one group: its word, whether a CSV table has it by default,
// its contents.
#define RH_CHANNEL_GROUP_LIST(X)                                                     \
  X(JOINTS, "joints", true, "coordinates and velocities of the joints")              \
  X(BODIES, "bodies", true, "places of the bodies")                                  \
  X(POINTS, "points", true, "places and velocities of the points")                   \
  X(ACTUATORS, "actuators", true, "efforts and targets of the actuators")            \
  X(CONTACTS, "contacts", true, "depths and forces of the contacts")                 \
  X(SENSORS, "sensors", true, "readings of the sensors")                             \
  X(LOOPS, "loops", true, "forces and gaps of loops and constraints")                \
  X(ENERGY, "energy", true, "the energy account")                                    \
  X(DETAILS, "details", false, "rates, slips, margins and energies of the contacts") \
  X(TOTALS, "totals", false, "centre of mass, momentum and spin of all bodies")      \
  X(SOLVER, "solver", false, "what the engine stepping found in its steps")           \
  X(HAPTIC, "haptic", false, "what the engine haptic found in its ticks")           \
  X(HAND, "hand", false, "the hand that pulls in a live run")

typedef enum rh_channel_group_id {
#define RH_CHANNEL_GROUP_ENUM(id, word, by_default, text) RH_CHANNEL_GROUP_##id,
  RH_CHANNEL_GROUP_LIST(RH_CHANNEL_GROUP_ENUM)
#undef RH_CHANNEL_GROUP_ENUM
  RH_CHANNEL_GROUP_COUNT // also that of the time, which is in none
} rh_channel_group_id;

typedef struct rh_channels rh_channels;

// The channels of a model, which must outlive them. They are never written after that: any number
// of threads may read them, each with its own `data`. NULL when out of memory. The caller destroys
// them.
RH_API rh_channels *rh_channels_create(const rh_model *model);
RH_API void rh_channels_destroy(rh_channels *channels); // NULL is allowed
RH_API int rh_channels_count(const rh_channels *channels);
// 0 <= index < rh_channels_count; the texts last as long as the channels. "hinge.q",
// "energy.kinetic"
RH_API const char *rh_channel_name(const rh_channels *channels, int index);
RH_API const char *rh_channel_unit(const rh_channels *channels, int index);
RH_API rh_channel_group_id rh_channel_group(const rh_channels *channels, int index);
RH_API int rh_channel_find(const rh_channels *channels, const char *name); // RH_NONE: no such one
// Writes the values of `n` channels for the present state of `data`, which is of the same layout;
// kinematics, contacts and ledger of `data` are recomputed.
RH_API void rh_channels_read(const rh_channels *channels, rh_data *data, const int *index, int n,
                             double *value);

#ifdef __cplusplus
}
#endif
#endif
