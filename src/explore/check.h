// check.h: what `routh check` finds without running.
#ifndef ROUTH_EXPLORE_CHECK_H
#define ROUTH_EXPLORE_CHECK_H

#include "base/json.h"

#include <routh/routh.h>

typedef struct rh_checked_recording {
  long frames, events;
  double t;      // [s] of the last frame
  uint64_t hash; // of the last frame
} rh_checked_recording;

// Reads every frame, event and input. `path` is the place of its messages.
rh_status rh_check_recording(rh_recording *recording, const char *path, rh_diag *diag,
                             rh_checked_recording *result);

// Size, engine and tree of a valid scene, into an open object.
void rh_check_json(rh_json *json, const rh_model *m);
int rh_body_depth(const rh_model *model, int body); // 0: its parent is the world
// Bodies in the order of the tree: each after its parent, children in the order of the model.
// `order` and `next` have nbody elements; `next` is scratch.
void rh_tree_order(const rh_model *model, int *order, int *next);

#endif
