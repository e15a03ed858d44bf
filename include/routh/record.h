// routh/record.h: what is kept of a run: inputs of a user, recordings and their frames, runs done again.
#ifndef ROUTH_RECORD_H
#define ROUTH_RECORD_H

#include <routh/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

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

// ---- Recordings (src/recording): an SQLite file with every frame's restart state, the events and the ledger. What has been
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
