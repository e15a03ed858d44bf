// run.h: one run of the verb `run`, from scene to summary.
#ifndef ROUTH_CLI_RUN_H
#define ROUTH_CLI_RUN_H

#include "cli.h"
#include "footfalls.h"
#include "moving.h"

#include "base/text.h"

#define RH_EVENTS_SHOWN 10 // without --events

typedef struct rh_run {
  const rh_args *args;
  rh_diag *diag;
  rh_scene *scene;
  rh_recording *recording; // the one to resume or to do again; NULL
  rh_replay *play;           // of it, with its inputs: it owns model and sim; NULL
  bool again;              // it is done again from the start, and compared
  long same, differs;      // frames with the hash that was recorded; the first without, RH_NONE
  const rh_model *model;
  rh_model *owned; // the same, if it is ours
  rh_sim *sim;
  rh_recorder *recorder; // NULL: --no-record
  const char *label;     // the scene's name
  const char *output;    // the recording's name; NULL: none
  char *made;            // the same, if it is ours
  double until;          // [s]
  double t_begun;        // [s] 0, or where a resumed run goes on
  double wall;           // [s]
  long frames;           // in the recording, those before a resume included
  uint64_t hash;         // over all frames: each frame's hash is the seed of the next
  rh_events kept;        // the first ones
  long events;           // all of this run
  rh_footfalls feet;     // of a robot that walks
  rh_moving moving;      // what the frames saw
  rh_text warned;        // warnings about the scene, one per line
  rh_progress progress;
  bool complete; // the recording to resume needs nothing more
  rh_status ended;
} rh_run;

void rh_run_summary(const rh_run *run);
rh_status rh_run_json(const rh_run *run);

#endif
