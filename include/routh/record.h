// routh/record.h: inputs of a user during a run, recordings and their frames, replay. Each object
// is used by one thread at a time. A file that is written may be read by another process or object.
#ifndef ROUTH_RECORD_H
#define ROUTH_RECORD_H

#include <routh/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Inputs: actions of a user while a scene runs. Each acts directly after a frame and is kept
// in the recording, so that the run can be repeated with the same bits.

// One list makes the enum and the words found in recordings.
#define RH_INPUT_LIST(X)                                                                           \
  X(DRAG, "drag",                                                                                  \
    "the hand holds a body (name) at a point and pulls: x y z in its axes, x y z wanted [m]")      \
  X(DROP, "drop", "the hand releases it")                                                          \
  X(SET, "set", "a value of the scene (name: its path, as after -s) becomes another")              \
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
  long frame;        // it acts directly after this frame
  rh_input_kind kind;
  const char *name;  // drag: the body; set: the path; else ""
  const char *value; // drag: six numbers with blanks; set: the value; scene: its text; else ""
} rh_input;

// A scene that runs and takes inputs. `scene` is its text (rh_scene_write), `name` its name in
// messages; both are copied. `*play` gets it, NULL after an error; the caller destroys it.
typedef struct rh_replay rh_replay;

RH_API rh_status rh_replay_create(const char *scene, const char *name, rh_diag *diag,
                                  rh_replay **play) RH_CHECK_RESULT;
RH_API void rh_replay_destroy(rh_replay *play); // NULL is allowed
// Its simulation, which it owns; a set or a scene replaces it.
RH_API rh_sim *rh_replay_sim(const rh_replay *play);
// The model of its start, with layout and names of all later ones; lasts as long as the replay.
RH_API const rh_model *rh_replay_model(const rh_replay *play);
// A world for a state of frame `index`, with the model of that frame. The replay owns it; it is
// valid until the next call of this function, or an input. The caller writes its state.
RH_API rh_status rh_replay_world(rh_replay *play, long index, rh_diag *diag,
                                 rh_data **world) RH_CHECK_RESULT;
// The scene with all changes so far, a new one: the caller destroys it (rh_scene_destroy).
struct rh_scene;
RH_API rh_status rh_replay_scene(const rh_replay *play, rh_diag *diag,
                                 struct rh_scene **scene) RH_CHECK_RESULT;
// Path number `index` that was set, with its present value; NULL: after the last. The texts are
// valid until the next input. An input of kind scene drops all earlier ones.
RH_API const char *rh_replay_setting(const rh_replay *play, int index, const char **value);
// The input acts now, between two runs; its `frame` is not read: it is the last one that was
// reported. A refused input (RH_INPUT_REFUSED, RH_OVER_LIMIT) changes nothing; `diag` gets the
// reason.
RH_API rh_status rh_replay_input(rh_replay *play, const rh_input *input,
                                 rh_diag *diag) RH_CHECK_RESULT;

// ---- Recordings (src/recording): an SQLite file with the restart state of every frame, the events
// and the ledger. Committed frames survive the end of the process at any moment.

typedef struct rh_recorder rh_recorder;   // writes one
typedef struct rh_recording rh_recording; // reads one

// Starts a new file. An existing recording of this name is replaced; any other file is refused and
// left unchanged. `scene_text` is the scene with every value in force (rh_scene_write),
// `scene_name` its origin; both are copied, and NULL is as "". `model` is read during the call
// only. `*recorder` gets the recorder, NULL after an error; the caller closes it.
RH_API rh_status rh_recorder_create(const char *path, const rh_model *model, const char *scene_name,
                                    const char *scene_text, rh_diag *diag,
                                    rh_recorder **recorder) RH_CHECK_RESULT;
// Continues an existing file after frame `index`: later frames and events are removed first.
RH_API rh_status rh_recorder_resume(const char *path, const rh_model *model, long index,
                                    rh_diag *diag, rh_recorder **recorder) RH_CHECK_RESULT;
// Starts a new file as a copy of a recording up to its frame `index`, for what a run does otherwise from
// there: an input, then frames. `from` is only read.
RH_API rh_status rh_recorder_branch(const char *path, rh_recording *from, long index, rh_diag *diag,
                                    rh_recorder **recorder) RH_CHECK_RESULT;
// These may be called by an observer of `sim`. After the first failure all return
// RH_OUTPUT_NOT_WRITTEN; rh_recorder_error has the reason.
RH_API rh_status rh_recorder_frame(rh_recorder *recorder, const rh_sim *sim,
                                   long index) RH_CHECK_RESULT;
RH_API rh_status rh_recorder_event(rh_recorder *recorder, const rh_sim *sim,
                                   const rh_event *event) RH_CHECK_RESULT;
// Stores a text about the run (rh_recording_meta); a key of the recording itself is refused.
RH_API rh_status rh_recorder_note(rh_recorder *recorder, const char *key,
                                  const char *value) RH_CHECK_RESULT;
// Stores an input that acted after the last frame that was written.
RH_API rh_status rh_recorder_input(rh_recorder *recorder, const rh_input *input) RH_CHECK_RESULT;
// Frames that survive the end of the process, and those that survive a loss of power (record.sync).
RH_API long rh_recorder_committed(const rh_recorder *recorder);
RH_API long rh_recorder_durable(const rh_recorder *recorder);
// Why a frame or event was not written, "" if all were; valid until the next call for the recorder.
RH_API const char *rh_recorder_error(const rh_recorder *recorder);
// Commits the rest, writes how the run ended, closes and frees; `recorder` may be NULL. If anything
// could not be written the older recording of the name is unchanged, and `why` (RH_WHY_MAX bytes,
// or NULL) gets the reason.
RH_API rh_status rh_recorder_close(rh_recorder *recorder, rh_status ended, const char *reason);
RH_API rh_status rh_recorder_close_why(rh_recorder *recorder, rh_status ended, const char *reason,
                                       char *why);

// Opens a recording to read, also one that is still written. `*recording` gets it, NULL after an
// error; the caller closes it.
RH_API rh_status rh_recording_open(const char *path, rh_diag *diag,
                                   rh_recording **recording) RH_CHECK_RESULT;
RH_API void rh_recording_close(rh_recording *recording); // NULL is allowed
// The model, compiled from the scene text inside; owned by the recording, valid until it is closed.
RH_API const rh_model *rh_recording_model(const rh_recording *recording);
// A text of the recording, NULL: absent; valid until rh_recording_refresh or rh_recording_close.
RH_API const char *rh_recording_meta(const rh_recording *recording, const char *key);
RH_API long rh_recording_frames(const rh_recording *recording);
RH_API long rh_recording_events(const rh_recording *recording);
// Counts frames and events again, for a file that another process writes. False: they cannot be
// counted, and nothing changes. `*ended` (NULL is allowed): the run has ended; rh_recording_meta
// has how.
RH_API bool rh_recording_refresh(rh_recording *recording, bool *ended);
// Checks the sums over ledger, events and inputs, from the first frame to the end, for changes. The
// scene and the other texts are checked by rh_recording_open, a frame when it is read.
RH_API rh_status rh_recording_verify(rh_recording *recording, rh_diag *diag) RH_CHECK_RESULT;
// Writes the state of a frame (model->nstate doubles) and its hash (NULL is allowed). A frame whose
// checksum differs is refused.
RH_API rh_status rh_recording_frame(rh_recording *recording, long index, double *state,
                                    uint64_t *hash, rh_diag *diag) RH_CHECK_RESULT;
RH_API rh_status rh_recording_event(rh_recording *recording, long index, rh_event *event,
                                    rh_diag *diag) RH_CHECK_RESULT;
RH_API long rh_recording_events_until(rh_recording *recording, long frame); // events up to a frame
// After rh_sim_resume from frame `index`: `sim` continues the counts (rh_sim_tally_set), as far as
// the recording has them.
RH_API void rh_recording_count_on(rh_recording *recording, long index, rh_sim *sim);
// A frame as a world: its state, with the model of that frame, so that laws have their values of
// then. It belongs to the recording and is valid until the next call. `hash` may be NULL.
RH_API rh_status rh_recording_world(rh_recording *recording, long index, rh_data **world,
                                    uint64_t *hash, rh_diag *diag) RH_CHECK_RESULT;
RH_API long rh_recording_inputs(const rh_recording *recording);
// Input number `index`; its texts are valid until the next call.
RH_API rh_status rh_recording_input(rh_recording *recording, long index, rh_input *input,
                                    rh_diag *diag) RH_CHECK_RESULT;
// The run of a recording once more, with its inputs. rh_replay_open is before its start; the caller
// destroys the replay, which needs the recording only in the next two functions. rh_replay_seek
// goes to frame `index` (RH_NONE: before the start), from which a run can continue:
// rh_recording_resume_index or an earlier multiple of the batch. rh_replay_again runs to `until`;
// each input that acts is stored by `keep` as well (may be NULL), and it ends early as rh_sim_run
// does.
RH_API rh_status rh_replay_open(rh_recording *recording, rh_diag *diag,
                                rh_replay **play) RH_CHECK_RESULT;
RH_API rh_status rh_replay_seek(rh_replay *play, rh_recording *recording, long index,
                                rh_diag *diag) RH_CHECK_RESULT;
RH_API rh_status rh_replay_again(rh_replay *play, rh_recording *recording, rh_recorder *keep,
                                 double until, rh_diag *diag) RH_CHECK_RESULT;
// Last frame from which a run can continue, RH_NONE: none.
RH_API long rh_recording_resume_index(const rh_recording *recording);
// Writes the named channels (n == 0: all, `channel` may be NULL) of all frames; `format` is "csv",
// or "hdf5" in a program with librouth_tools; path "-" (csv): standard output.
RH_API rh_status rh_recording_export(rh_recording *recording, const char *format, const char *path,
                                     const char *const *channel, int n,
                                     rh_diag *diag) RH_CHECK_RESULT;

#ifdef __cplusplus
}
#endif
#endif
