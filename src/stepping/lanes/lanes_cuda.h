// lanes_cuda.h: worlds stepped on a GPU; only where Routh is built with ROUTH_CUDA. Their states stay there; those that the
// processor has to step, and those that are asked for, lie in memory that both read.
#ifndef ROUTH_STEPPING_LANES_LANES_CUDA_H
#define ROUTH_STEPPING_LANES_LANES_CUDA_H

#include "table.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LANE_PARTS = 4 }; // of the worlds: parts are stepped one after the other, without waiting for each other

typedef struct lane_order { // of a world
  int steps;   // to take; less are taken where the processor has to take the next one
  bool fresh;  // its state is in `rows`,
  bool back;   // is to be there afterwards; it also is where steps are left
  int taken;
  bool full;   // there was not memory for its contacts
  bool hard;   // sweeps did not solve its rows
} lane_order;

typedef struct rh_lanes_cuda rh_lanes_cuda;

// n worlds of `trees` trees each, with a table for each; NULL: there is no GPU, or no memory
rh_lanes_cuda *rh_lanes_cuda_open(const lane_table *const *table, int trees, int n);
void rh_lanes_cuda_close(rh_lanes_cuda *g);                         // NULL is allowed
double *rh_lanes_cuda_rows(rh_lanes_cuda *g);       // n states of LANE_STATE numbers for each tree
lane_order *rh_lanes_cuda_orders(rh_lanes_cuda *g); // (n)
// Begins the orders of the worlds of a part, `first` and so on; false: the GPU failed.
bool rh_lanes_cuda_begin(rh_lanes_cuda *g, int part, int first, int n);
bool rh_lanes_cuda_wait(rh_lanes_cuda *g, int part); // until they are done
// Memory for more contacts of a world from now on; false: there is for all.
bool rh_lanes_cuda_widen(rh_lanes_cuda *g);

typedef struct lane_device { // what a GPU has, and the step takes of it
  char name[64];
  int multiprocessors, threads, warps; // threads of a team; warps of a multiprocessor, at most
  double clock;                        // [Hz]
  int units;                           // of a multiprocessor, for double precision
  int registers, spilled, shared;      // of a thread; [bytes] of a thread, of a world
  int contacts;                        // that there is memory for
  int worlds;                          // of a multiprocessor at a time
  double bandwidth;                    // [bytes/s]
} lane_device;

bool rh_lanes_cuda_device(rh_lanes_cuda *g, lane_device *device);

#ifdef __cplusplus
}
#endif
#endif
