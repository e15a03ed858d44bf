// lemke.h: Lemke's method as a function, for the other solvers.
#ifndef ROUTH_COMPLEMENT_LEMKE_H
#define ROUTH_COMPLEMENT_LEMKE_H

#include "complement.h"

size_t rh_lemke_room(int n);
rh_verdict rh_lemke(const rh_lcp *problem, double tolerance, double *room, double *z);

#endif
