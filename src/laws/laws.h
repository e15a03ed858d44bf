// laws.h: rows of the impact laws that formulations of impacts at several points use by themselves.
#ifndef ROUTH_LAWS_LAWS_H
#define ROUTH_LAWS_LAWS_H

#include <routh/kind.h>

extern const rh_impact_law rh_impact_law_newton, rh_impact_law_poisson;

#endif
