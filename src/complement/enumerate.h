// enumerate.h: a linear complementarity problem by its cases: a proof that it has no solution, or one that a solver missed.
#ifndef ROUTH_COMPLEMENT_ENUMERATE_H
#define ROUTH_COMPLEMENT_ENUMERATE_H

#include "complement.h"

enum { RH_CASES_MAX = 10 }; // unknowns up to which all cases are tried

size_t rh_lcp_cases_room(int n);
// NONE: it is proved that there is no solution. SOLVED: z is one. FAILED: nothing is known.
rh_verdict rh_lcp_cases(const rh_lcp *problem, double *room, double *z);

#endif
