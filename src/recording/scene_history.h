// scene_history.h: a scene and the changes that it saw while it ran: the model that each frame was made with.
#ifndef ROUTH_REC_EDITIONS_H
#define ROUTH_REC_EDITIONS_H

#include <routh/scene.h>
#include <routh/record.h>

typedef struct rh_change { // an input of kind set or scene
  long frame;
  rh_input_kind kind;
  char *name, *value;
} rh_change;

typedef struct rh_editions { // all zero: none
  char *text, *name; // of the scene as it was at first; what messages call it
  rh_model *first;   // compiled from it
  rh_change *change; // in their order (n)
  int n, room;
  rh_model *model;   // with the first `seen` changes; NULL: none has been asked for
  int seen;
  rh_data *first_world, *world; // of the two models; NULL: none has been asked for
} rh_editions;

rh_status rh_editions_open(rh_editions *e, const char *text, const char *name, rh_diag *diag) RH_CHECK_RESULT;
void rh_editions_close(rh_editions *e);
// Adds a change without looking at it; false: out of memory.
bool rh_editions_add(rh_editions *e, const rh_input *input);
void rh_editions_drop(rh_editions *e); // takes the last one away
// The model that a frame was made with: changes of earlier frames are in it. It stays until another one is asked for.
rh_status rh_editions_at(rh_editions *e, long frame, rh_diag *diag, const rh_model **model) RH_CHECK_RESULT;
// A world of that model, to look at a state of that frame; it stays as long. Its state is whatever it was.
rh_status rh_editions_world(rh_editions *e, long frame, rh_diag *diag, rh_data **world) RH_CHECK_RESULT;
rh_model *rh_editions_take(rh_editions *e); // the model that was asked for last, from now on the caller's; NULL: the first one
// The scene with all changes.
rh_status rh_editions_scene(const rh_editions *e, rh_diag *diag, rh_scene **scene) RH_CHECK_RESULT;

#endif
