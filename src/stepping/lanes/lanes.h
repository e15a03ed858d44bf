// lanes.h: the step of many worlds of the engine stepping, for its row.
#ifndef ROUTH_STEPPING_LANES_LANES_H
#define ROUTH_STEPPING_LANES_LANES_H

#include "contacts/lanes.h"
#include "stepping/stepping.h"
#include "table.h"

extern const rh_lanes_kind rh_step_lanes;

// lanes_table.c: of the model of a world. False: lanes do not know all that it has.
bool rh_lanes_fill_table(const rh_step_world *w, lane_table *t);

#endif
