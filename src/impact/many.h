// many.h: what simultaneous impacts and sequences of impacts share.
#ifndef ROUTH_IMPACT_MANY_H
#define ROUTH_IMPACT_MANY_H

#include "impact/impact.h"

size_t rh_many_together_room(int n); // of rh_many_impact alone

#endif
