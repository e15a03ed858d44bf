// lanes.h: the step of many worlds of the engine stepping, for its row.
#ifndef ROUTH_STEPPING_LANES_LANES_H
#define ROUTH_STEPPING_LANES_LANES_H

#include "contacts/lanes.h"
#include "stepping/stepping.h"
#include "table.h"

extern const rh_lanes_kind rh_step_lanes;

struct rh_lanes {
  const lane_kernel *kernel;
  const rh_model *model;
  int trees;
  lane_table table; // of the first tree,
  lane_table *more; // and of those after it
};

typedef struct lane_place { // a lane of a state
  const lane_table *t;
  double *x; // its first number; states of trees follow each other
  int width;
} lane_place;

const lane_table *rh_lanes_table(const rh_lanes *lanes, int tree); // lanes.c

// lanes_world.c
// Is the next step of the world one of those that lanes take? They are left out by what a run may be
// asked for; what happens within a step the lanes find.
bool rh_lanes_world_fits(const rh_lanes *lanes, const rh_sim *sim);
lane_place rh_lanes_tree_place(const rh_lanes *lanes, lane_place at, int tree);
// The slot of a pair from `k` on, among those of other trees; `used`: it has none
int rh_lanes_find_slot(const rh_data *d, int k, int used, const lane_pair *pair);
// The states of all trees; `at` is that of the first one.
void rh_lanes_load(const rh_lanes *lanes, const rh_sim *sim, lane_place at);
void rh_lanes_store(const rh_lanes *lanes, const rh_sim *sim, lane_place at); // if it took a step

// lanes_gpu.c: all worlds of a batch side by side on a GPU
rh_lanes_gpu *rh_lanes_gpu_open(const rh_lanes *lanes, int n);
void rh_lanes_gpu_close(rh_lanes_gpu *gpu);
long rh_lanes_gpu_step(rh_lanes_gpu *gpu, const rh_lanes_batch *batch, int steps,
                       rh_status (*single)(rh_sim *sim));

// For measurements: all worlds to the GPU, and steps of those that are there, without the processor, as long as they do not
// leave the common way; their number. No world is changed.
struct lane_device;
void rh_lanes_gpu_bring(rh_lanes_gpu *gpu, const rh_lanes_batch *batch);
long rh_lanes_gpu_alone(rh_lanes_gpu *gpu, int n, int steps);
bool rh_lanes_gpu_device(rh_lanes_gpu *gpu, struct lane_device *device);

// lanes_table.c: of a tree of the model of a world. What it has that lanes do not know, in words; NULL: nothing
const char *rh_lanes_fill_table(const rh_step_world *w, int tree, lane_table *t);

#endif
