// lanes_cuda.h: worlds stepped on a GPU; only where Routh is built with ROUTH_CUDA.
#ifndef ROUTH_STEPPING_LANES_LANES_CUDA_H
#define ROUTH_STEPPING_LANES_LANES_CUDA_H

#include "table.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rh_lanes_cuda rh_lanes_cuda;

rh_lanes_cuda *rh_lanes_cuda_open(const lane_table *table, int n); // NULL: there is no GPU, or no memory
void rh_lanes_cuda_close(rh_lanes_cuda *g);                         // NULL is allowed
// `state`: LANE_STATE numbers of n worlds side by side; up to left[i] steps of each. `taken` gets their number: less where the
// processor has to take the next one. False: the GPU failed.
bool rh_lanes_cuda_step(rh_lanes_cuda *g, double *state, const int *left, int *taken);
// Memory that is copied fast; NULL: there is none.
double *rh_lanes_cuda_memory(size_t bytes);
void rh_lanes_cuda_release(double *memory);

#ifdef __cplusplus
}
#endif
#endif
