// lanes.h: the step of many worlds of the engine stepping, for its row.
#ifndef ROUTH_STEPPING_LANES_LANES_H
#define ROUTH_STEPPING_LANES_LANES_H

#include "contacts/lanes.h"

extern const rh_lanes_kind rh_step_lanes;

#endif
