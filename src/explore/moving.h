// moving.h: ranges of all coordinates over the frames of a run.
#ifndef ROUTH_EXPLORE_MOVING_H
#define ROUTH_EXPLORE_MOVING_H

#include <routh/routh.h>

typedef struct rh_moving { // all zero: no frame yet
  double *low, *high;      // (n) of q, in one block
  int n;
} rh_moving;

rh_status rh_moving_frame(rh_moving *moving, const rh_data *data);
// The channel of the coordinate with the largest motion; false: nothing moved.
bool rh_moving_name(const rh_moving *moving, const rh_model *model, char *name, size_t size);
void rh_moving_free(rh_moving *moving);

#endif
