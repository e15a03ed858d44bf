// batch_side.h: a batch, and its worlds side by side in lanes or on a GPU (batch_side.c).
#ifndef ROUTH_RUN_BATCH_SIDE_H
#define ROUTH_RUN_BATCH_SIDE_H

#include "base/pool.h"
#include "contacts/lanes.h"
#include "run.h"

#include <routh/batch.h>

typedef struct batch_world {
  rh_sim *sim;
  double *row;  // its state, tau and fext
  double *copy; // of what a program may write, after the last step
  rh_status status;
  bool shown;               // a program has it: results of its stages are those of its last step
  char refused[RH_WHY_MAX]; // why what a program wrote was refused
} batch_world;

typedef struct batch_side { // memory of lanes
  const rh_lanes_kind *kind;
  rh_lanes *lanes;    // NULL: worlds are stepped one by one
  size_t each;        // bytes of a thread
  char *scratch;      // of each thread
  uint64_t *likeness; // (n)
  int *order, *room;  // (n) worlds, those that are alike together
  int n;              // of them that take part
  long *moved;        // steps that lanes did, by threads (RH_POOL_MAX),
  long *alone;        // and that worlds took by themselves, by causes (RH_POOL_MAX x RH_LANE_CAUSES)
  const char *why;    // `lanes` is NULL
  rh_lanes_gpu *gpu;  // NULL: on the processor
  rh_sim **sim;       // worlds that a GPU steps (n)
  rh_status **status;
} batch_side;

struct rh_batch {
  const rh_model *model;
  int n;
  size_t stride; // doubles of a row
  size_t ncopy;
  double *rows, *copies;
  batch_world *world;
  rh_pool *pool;
  rh_data *mirror[RH_POOL_MAX]; // one per thread, to read channels of; NULL: not needed yet
  batch_side side;
};

// At most `widest` worlds side by side; no lanes where the engine has none for this model
rh_status rh_side_make(const rh_batch *b, int widest, batch_side *s);
void rh_side_drop(batch_side *s);
rh_status rh_side_scratch(batch_side *s, int threads); // for as many threads as the pool has
void rh_side_step(rh_batch *b, int steps);             // of all worlds

rh_status rh_world_take_changes(batch_world *w); // what a program wrote since the last step

#endif
