// scene_history.h: a scene and its changes during a run: the model of each frame.
#ifndef ROUTH_RECORDING_SCENE_HISTORY_H
#define ROUTH_RECORDING_SCENE_HISTORY_H

#include <routh/scene.h>
#include <routh/record.h>

typedef struct rh_change { // an input of kind set or scene
  long frame;
  rh_input_kind kind;
  char *name, *value;
} rh_change;

typedef struct rh_editions { // all zero: none
  char *text, *name; // of the first scene; its name in messages
  rh_model *first;   // compiled from it
  rh_change *change; // in their order (n)
  int n, room;
  rh_model *model;   // with the first `seen` changes; NULL: none requested
  int seen;
  rh_data *first_world, *world; // of the two models; NULL: none requested
} rh_editions;

rh_status rh_editions_open(rh_editions *e, const char *text, const char *name, rh_diag *diag) RH_CHECK_RESULT;
void rh_editions_close(rh_editions *e);
// Adds a change without checking it; false: out of memory.
bool rh_editions_add(rh_editions *e, const rh_input *input);
void rh_editions_drop(rh_editions *e); // removes the last one
// The model of a frame: it includes changes of earlier frames. It stays until another one is
// requested.
rh_status rh_editions_at(rh_editions *e, long frame, rh_diag *diag, const rh_model **model) RH_CHECK_RESULT;
// A world of that model, to examine a state of that frame; it stays as long. Its state is
// undefined.
rh_status rh_editions_world(rh_editions *e, long frame, rh_diag *diag, rh_data **world) RH_CHECK_RESULT;
// The last requested model, now owned by the caller; NULL: the first one
rh_model *rh_editions_take(rh_editions *e);
// The scene with all changes.
rh_status rh_editions_scene(const rh_editions *e, rh_diag *diag, rh_scene **scene) RH_CHECK_RESULT;

#endif
