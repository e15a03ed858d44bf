// newton.h: where an impact ends whose normal velocity after is -e times that before.
#ifndef ROUTH_LAWS_RESTITUTION_NEWTON_H
#define ROUTH_LAWS_RESTITUTION_NEWTON_H

#include <routh/kind.h>

double rh_newton_over(const rh_impact_at *at, double e);
double rh_newton_end(const rh_impact_at *from, double slope, double e);

#endif
