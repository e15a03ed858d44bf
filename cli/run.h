// run.h: one run of the verb `run`, from scene to summary.
#ifndef ROUTH_CLI_RUN_H
#define ROUTH_CLI_RUN_H

#include "cli.h"
#include "explore/footfalls.h"
#include "explore/moving.h"


#define RH_EVENTS_SHOWN 10 // without --events

typedef struct rh_run {
  const rh_args *args;
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
  rh_text warned;        // warnings about the scene, one per line
  rh_progress progress;
  bool complete; // the recording to resume is complete
  rh_status ended;
} rh_run;

void rh_run_summary(const rh_run *run);
rh_status rh_run_json(const rh_run *run);

#endif
