// lanes.h: worlds of one model stepped side by side, one in each lane of vector registers (engine stepping:
// stepping/lanes/), for rh_batch. Each world has the bits of a run of its own; what lanes cannot do they
// leave to the world's own step.
#ifndef ROUTH_CONTACTS_LANES_H
#define ROUTH_CONTACTS_LANES_H

#include "contacts/simulation.h"

#include <routh/batch.h>

typedef struct rh_lanes rh_lanes;

enum { RH_LANES_MAX = 8 }; // worlds of a group

typedef struct rh_lanes_group { // worlds that are stepped together
  rh_sim *sim[RH_LANES_MAX];
  rh_status *status[RH_LANES_MAX];
  int taken[RH_LANES_MAX]; // of the steps asked for, so many are done already
  long *alone; // steps that worlds took by themselves, by causes (RH_LANE_CAUSES): these are added
  int n;
} rh_lanes_group;

typedef struct rh_lanes_gpu rh_lanes_gpu;

typedef struct rh_lanes_batch { // worlds that a GPU steps together
  rh_sim **sim;
  rh_status **status;
  int n;
  struct rh_pool *pool; // for what the processor does of it,
  char *scratch;        // with `each` bytes for each thread
  size_t each;
  long *alone;          // of each thread (RH_POOL_MAX x RH_LANE_CAUSES), as of rh_lanes_group
} rh_lanes_batch;

typedef struct rh_lanes_kind {
  // For worlds of the model of `sim`, at most `widest` side by side; *out NULL: the model does not allow it, or
  // the processor has no registers for it: `*why`. RH_OUT_OF_MEMORY
  rh_status (*create)(const rh_sim *sim, int widest, rh_lanes **out, const char **why);
  void (*destroy)(rh_lanes *lanes); // NULL is allowed
  int (*width)(const rh_lanes *lanes); // worlds in a group, at most
  size_t (*scratch)(const rh_lanes *lanes); // bytes of each thread
  // Worlds with a common value have contacts of the same shapes: groups of them lose least.
  uint64_t (*likeness)(const rh_lanes *lanes, const rh_sim *sim);
  // `steps` steps of each world of the group; `single` steps one by itself. Results other than the state are
  // those before: see `refresh`. Returns the number of steps that lanes did.
  long (*step)(const rh_lanes *lanes, void *scratch, const rh_lanes_group *group, int steps,
               rh_status (*single)(rh_sim *sim));
  // The same of n worlds by a GPU; NULL: Routh is built without. `open_gpu` NULL: there is none, or no memory
  rh_lanes_gpu *(*open_gpu)(const rh_lanes *lanes, int n);
  void (*close_gpu)(rh_lanes_gpu *gpu); // NULL is allowed
  long (*step_gpu)(rh_lanes_gpu *gpu, const rh_lanes_batch *batch, int steps,
                   rh_status (*single)(rh_sim *sim));
  void (*refresh)(rh_sim *sim); // results of the stages, as after a step by itself
} rh_lanes_kind;

#endif
