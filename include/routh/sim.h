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
#define RH_EVENT_LIST(X)                                                       \
  X(BOUNCE, "bounce", "a joint hit its limit and rebounded")                   \
  X(CATCH, "catch", "a joint hit its limit and stays there")                   \
  X(LEAVE, "leave", "a joint left the limit it rested on")                     \
  X(HOLD, "hold", "a joint was held fast")                                     \
  X(RELEASE, "release", "a held joint was let go")                             \
  X(SWITCH, "switch", "an actuator was given a new command")                   \
  X(TOUCH, "touch", "two shapes came into contact")                            \
  X(SEPARATE, "part", "a contact was lost")                                        \
  X(STICK, "stick", "a contact ceased to slip")                                \
  X(SLIP, "slip", "a contact began to slip")                                   \
  X(FORCE_ON, "force-on", "an external force began to act")                    \
  X(FORCE_OFF, "force-off", "an external force ceased")                        \
  X(MARK, "mark", "a guard or a moment of the scene passed; nothing was done") \
  X(IMPACT, "impact", "rigid bodies struck one another")                       \
  X(GAIN, "gain", "the impact law created energy")                             \
  X(JAM, "jam", "a slide allowed no finite forces and ended by an impulse")    \
  X(NOT_UNIQUE, "several", "more than one answer fits the rigid contacts")        \
  X(UNDETERMINED, "undetermined", "forces of rigid contacts are not unique")           \
  X(UNSOLVED, "unsolved", "impulses satisfy their laws only nearly")           \
  X(STOP, "stop", "an event of the scene ended the run")

typedef enum rh_event_kind {
#define RH_EVENT_ENUM(name, word, text) RH_EVENT_##name,
  RH_EVENT_LIST(RH_EVENT_ENUM)
#undef RH_EVENT_ENUM
  RH_EVENT_COUNT
} rh_event_kind;

RH_API const char *rh_event_word(rh_event_kind kind);
RH_API const char *rh_event_text(rh_event_kind kind);

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

// ---- Inputs: what a user does while a scene runs. Each acts directly behind a frame and is kept in the recording, so that
// the run can be done again with the same bits.

// One list makes the enum and the words found in recordings.
#define RH_INPUT_LIST(X)                                                                                  \
  X(DRAG, "drag", "the hand holds a body (name) at a point and pulls: x y z in its axes, x y z wanted [m]") \
  X(DROP, "drop", "the hand lets go")                                                                     \
  X(SET, "set", "a value of the scene (name: its path, as behind -s) becomes another")                    \
  X(SCENE, "scene", "the scene becomes another one of the same layout (rh_model_same_layout)")

typedef enum rh_input_kind {
#define RH_INPUT_ENUM(name, word, text) RH_INPUT_##name,
  RH_INPUT_LIST(RH_INPUT_ENUM)
#undef RH_INPUT_ENUM
  RH_INPUT_COUNT
} rh_input_kind;

RH_API const char *rh_input_word(rh_input_kind kind);

#define RH_INPUT_PATH_MAX 200 // [byte] of a path or of a value, with the closing zero

typedef struct rh_input {
  long frame;        // it acts directly behind this frame
  rh_input_kind kind;
  const char *name;  // drag: the body; set: the path; else ""
  const char *value; // drag: six numbers, blanks between; set: the value; scene: its text; else ""
} rh_input;

// A scene that runs and takes inputs. `scene` is the text of one (rh_scene_write), `name` what messages call it.
typedef struct rh_replay rh_replay;

RH_API rh_status rh_replay_create(const char *scene, const char *name, rh_diag *diag, rh_replay **play) RH_CHECK_RESULT;
RH_API void rh_replay_destroy(rh_replay *play); // NULL is allowed
RH_API rh_sim *rh_replay_sim(const rh_replay *play);         // another one behind a set or a scene
RH_API const rh_model *rh_replay_model(const rh_replay *play); // as the run began: its layout, its names; stays
// A world to look at a state of frame `index` in: its model is the one that the frame was made with. It stays until another is
// asked for, or an input acts; its state is the caller's to fill.
RH_API rh_status rh_replay_world(rh_replay *play, long index, rh_diag *diag, rh_data **world) RH_CHECK_RESULT;
// The scene with all changes so far (rh_scene_destroy).
struct rh_scene;
RH_API rh_status rh_replay_scene(const rh_replay *play, rh_diag *diag, struct rh_scene **scene) RH_CHECK_RESULT;
// Path number `index` that was set, with the value that it has now; NULL: there are no more. After an input of kind scene none is
// left from before.
RH_API const char *rh_replay_setting(const rh_replay *play, int index, const char **value);
// The input acts now, between two runs; its `frame` is not looked at: it is the one that was told last. What is refused
// (RH_INPUT_REFUSED, RH_OVER_LIMIT) has changed nothing, and `diag` says why.
RH_API rh_status rh_replay_input(rh_replay *play, const rh_input *input, rh_diag *diag) RH_CHECK_RESULT;

// ---- Recordings (src/rec): an SQLite file with every frame's restart state, the events and the ledger. What has been
// committed survives the death of the process at any moment.

typedef struct rh_recorder rh_recorder;   // writes one
typedef struct rh_recording rh_recording; // reads one

// Starts a new file. An existing recording of this name is replaced; any other file is left alone and refused.
// `scene_text` is the scene with every value in force (rh_scene_write), `scene_name` where it came from.
RH_API rh_status rh_recorder_create(const char *path, const rh_model *model, const char *scene_name,
                                    const char *scene_text, rh_diag *diag, rh_recorder **recorder) RH_CHECK_RESULT;
// Goes on with an existing file behind frame `index`: later frames and events are dropped first.
RH_API rh_status rh_recorder_resume(const char *path, const rh_model *model, long index, rh_diag *diag,
                                    rh_recorder **recorder) RH_CHECK_RESULT;
RH_API rh_status rh_recorder_frame(rh_recorder *recorder, const rh_sim *sim, long index) RH_CHECK_RESULT;
RH_API rh_status rh_recorder_event(rh_recorder *recorder, const rh_sim *sim, const rh_event *event) RH_CHECK_RESULT;
// Keeps a text about the run beside those of the recording itself (rh_recording_meta); a key of the recording's own is refused.
RH_API rh_status rh_recorder_note(rh_recorder *recorder, const char *key, const char *value) RH_CHECK_RESULT;
// An input acted behind the last frame that was written.
RH_API rh_status rh_recorder_input(rh_recorder *recorder, const rh_input *input) RH_CHECK_RESULT;
RH_API long rh_recorder_committed(const rh_recorder *recorder); // frames that outlive the process, whatever ends it
RH_API long rh_recorder_durable(const rh_recorder *recorder); // frames that outlive a loss of power as well (record.sync)
RH_API const char *rh_recorder_error(const rh_recorder *recorder); // why a frame or event was not written, "" if all were
// Commits what is left, writes how the run ended, closes and frees; NULL is allowed. If anything could not be written the
// older recording of the name is as it was, and `why` (RH_WHY_MAX; NULL is allowed) says what went wrong.
RH_API rh_status rh_recorder_close(rh_recorder *recorder, rh_status ended, const char *reason);
RH_API rh_status rh_recorder_close_why(rh_recorder *recorder, rh_status ended, const char *reason, char *why);

RH_API rh_status rh_recording_open(const char *path, rh_diag *diag, rh_recording **recording) RH_CHECK_RESULT;
RH_API void rh_recording_close(rh_recording *recording);
RH_API const rh_model *rh_recording_model(const rh_recording *recording); // compiled from the scene text inside
RH_API const char *rh_recording_meta(const rh_recording *recording, const char *key); // NULL if absent
RH_API long rh_recording_frames(const rh_recording *recording);
RH_API long rh_recording_events(const rh_recording *recording);
// Looks whether another process has written more since: frames and events are counted again. False, and nothing changes, if
// they cannot be. `*ended` (NULL is allowed): the run has ended; how it did then stands in rh_recording_meta.
RH_API bool rh_recording_refresh(rh_recording *recording, bool *ended);
// Checks the sums over account, events and inputs, from the first frame to the end: was anything changed? The scene and the
// other texts are checked by rh_recording_open, a frame when it is read.
RH_API rh_status rh_recording_verify(rh_recording *recording, rh_diag *diag) RH_CHECK_RESULT;
// State of a frame (model->nstate doubles). A frame whose checksum does not fit is refused.
RH_API rh_status rh_recording_frame(rh_recording *recording, long index, double *state, uint64_t *hash,
                                    rh_diag *diag) RH_CHECK_RESULT;
RH_API rh_status rh_recording_event(rh_recording *recording, long index, rh_event *event,
                                    rh_diag *diag) RH_CHECK_RESULT;
RH_API long rh_recording_events_until(rh_recording *recording, long frame); // events up to a frame
// After rh_sim_resume from frame `index`: `sim` counts on from there (rh_sim_tally_set), as far as the recording knows.
RH_API void rh_recording_count_on(rh_recording *recording, long index, rh_sim *sim);
// A frame as a world: its state, and the model that it was made with, so that where values changed in the run laws are asked
// as they were then. It belongs to the recording, and stays until another frame is asked for.
RH_API rh_status rh_recording_world(rh_recording *recording, long index, rh_data **world, uint64_t *hash,
                                    rh_diag *diag) RH_CHECK_RESULT;
RH_API long rh_recording_inputs(const rh_recording *recording);
// Input number `index`; its texts stay until the next one is asked for.
RH_API rh_status rh_recording_input(rh_recording *recording, long index, rh_input *input,
                                    rh_diag *diag) RH_CHECK_RESULT;
// The run of a recording once more, with its inputs. rh_replay_open stands before its start; rh_replay_seek goes to frame `index`
// (RH_NONE: before the start), which must be one that a run can go on from: rh_recording_resume_index or an earlier multiple of
// the batch. rh_replay_again runs on to `until`; each input that acts is kept in `keep` as well (NULL: nowhere), and it ends early
// as rh_sim_run does.
RH_API rh_status rh_replay_open(rh_recording *recording, rh_diag *diag, rh_replay **play) RH_CHECK_RESULT;
RH_API rh_status rh_replay_seek(rh_replay *play, rh_recording *recording, long index, rh_diag *diag) RH_CHECK_RESULT;
RH_API rh_status rh_replay_again(rh_replay *play, rh_recording *recording, rh_recorder *keep, double until,
                               rh_diag *diag) RH_CHECK_RESULT;
RH_API long rh_recording_resume_index(const rh_recording *recording); // last frame a run can go on from, RH_NONE
// Writes the named channels (n == 0: all) of all frames; `format` is "csv" or "hdf5"; path "-" (csv): standard output.
RH_API rh_status rh_recording_export(rh_recording *recording, const char *format, const char *path,
                                     const char *const *channel, int n, rh_diag *diag) RH_CHECK_RESULT;

#ifdef __cplusplus
}
#endif
#endif
