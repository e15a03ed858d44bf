// active_set.h: the active-set method as a function, for the others of this folder.
#ifndef ROUTH_COMPLEMENT_ACTIVE_SET_H
#define ROUTH_COMPLEMENT_ACTIVE_SET_H

#include "complement.h"

size_t rh_active_set_room(int n);
rh_verdict rh_active_set(const rh_qp *problem, double tolerance, double *room, double *z);

#endif
