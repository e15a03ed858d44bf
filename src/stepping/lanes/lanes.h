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
  lane_table table;
};

typedef struct lane_place { // a lane of a state
  const lane_table *t;
  double *x; // its first number
  int width;
} lane_place;

// lanes.c
// Is the next step of the world one of those that lanes take? They are left out by what a run may be
// asked for; what happens within a step the lanes find.
bool rh_lanes_world_fits(const rh_lanes *lanes, const rh_sim *sim);
void rh_lanes_load(const rh_sim *sim, lane_place to);
void rh_lanes_store(const rh_sim *sim, lane_place from); // if it took a step

// lanes_gpu.c: all worlds of a batch side by side on a GPU
rh_lanes_gpu *rh_lanes_gpu_open(const rh_lanes *lanes, int n);
void rh_lanes_gpu_close(rh_lanes_gpu *gpu);
long rh_lanes_gpu_step(rh_lanes_gpu *gpu, const rh_lanes_batch *batch, int steps,
                       rh_status (*single)(rh_sim *sim));

// lanes_table.c: of the model of a world. False: lanes do not know all that it has.
bool rh_lanes_fill_table(const rh_step_world *w, lane_table *t);

#endif
