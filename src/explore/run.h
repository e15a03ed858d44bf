// run.h: one run of `routh run`, from scene or recording to its end.
#ifndef ROUTH_EXPLORE_RUN_H
#define ROUTH_EXPLORE_RUN_H

#include "console/console.h"
#include "footfalls.h"
#include "moving.h"

#define RH_EVENTS_SHOWN 10 // without --events

typedef struct rh_branch { // of a run that goes on from a frame of another one
  char *file;              // the recording; NULL: the run is no branch
  long frame;
  double t;  // [s] of the frame
  bool goes; // on in the recorded scene and time; else another scene starts in that state
} rh_branch;

typedef struct rh_run {
  const rh_request *request;
  bool all_events;   // all are kept, not only the first RH_EVENTS_SHOWN
  bool stop_at_fall; // of a walking robot
  rh_diag *diag;
  rh_scene *scene;
  rh_recording *recording; // the one to resume or to repeat; NULL
  rh_replay *play;           // of it, with its inputs: it owns model and sim; NULL
  bool again;              // it is repeated from the start, and compared
  long same, differs;      // frames with the recorded hash; the first without, RH_NONE
  const rh_model *model;
  rh_model *owned; // the same, if owned here
  rh_sim *sim;
  rh_recorder *recorder; // NULL: --no-record
  const char *label;     // the scene's name
  const char *output;    // the recording's name; NULL: none
  char *made;            // the same, if owned here
  double until;          // [s]
  double t_begun;        // [s] 0, or the start of a resumed run
  double wall;           // [s]
  long frames;           // in the recording, those before resuming included
  uint64_t hash;         // over all frames: each frame's hash is the seed of the next
  rh_events kept;        // the first ones
  long events;           // all of this run
  rh_footfalls feet;     // of a walking robot
  rh_moving moving;      // ranges over the frames
  rh_branch branch;      // where it came from
  rh_text warned;        // warnings about the scene, one per line
  rh_progress progress;
  bool complete; // the recording to resume is complete
  rh_status ended;
} rh_run;

// Begins the recording run->output of the compiled scene; NULL: none.
rh_status rh_run_record(rh_run *run);
// Prints the warnings about the scene, and stores their texts.
rh_status rh_run_warnings(rh_run *run);
// Opens a recording to be resumed or repeated, with model and sim; run->until is not set.
rh_status rh_run_open(rh_run *run, const char *path);
// Continues in the opened recording itself up to run->until. One that is complete, or longer than
// requested, is unchanged (run->complete); one that was cut off before its end was written is
// resumed. `asked`: run->until was requested.
rh_status rh_run_resume(rh_run *run, const char *path, bool asked);
// Repeats the opened recording from the start; it is unchanged. `output` gets the new run; NULL:
// none.
rh_status rh_run_repeat(rh_run *run, const char *output);
// Name of the recording of a scene (NULL: the default one, "-": standard input): "ball.rhr"; of a branch
// "ball.rhr@2": "ball-branch.rhr". rh_free it; NULL: out of memory.
char *rh_run_name(const char *from);
// `where`: FILE.rhr, or FILE.rhr@T for its last frame at or before T [s]. The run goes on from there in the
// recorded scene, with the overrides of the request; `output` gets the frames before it too, NULL: none.
rh_status rh_run_branch(rh_run *run, const char *where, const char *output);
// The scene of the request starts with the coordinates and velocities that joints of the same name and kind
// have there, or at a keyframe of its own (`where` is no recording): run->scene.
rh_status rh_run_scene_from(rh_run *run, const char *path, const char *where);
// Is it a recording, with or without a time?
bool rh_run_is_branch(const char *where);
// Model and sim are those of the recording's scene at the frame; hash and events those up to it.
rh_status rh_run_seek(rh_run *run, long index);
// `from`: recording, frame and time of a branch; nothing for another run
void rh_run_json_from(const rh_run *run, rh_json *json);
// Prints verdicts that must not be believed unseen as warnings.
void rh_run_warn_errors(const rh_run *run);
// Runs to run->until and closes the recording; run->ended is the status of the run itself.
rh_status rh_run_simulate(rh_run *run);
// Writes the contact problem at the end of the run; "-": standard output.
rh_status rh_run_dump(const rh_run *run, const char *path);
void rh_run_free(rh_run *run);

#endif
