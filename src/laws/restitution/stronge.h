// stronge.h: where an impact ends whose restitution returns e^2 of the normal work of compression.
#ifndef ROUTH_LAWS_RESTITUTION_STRONGE_H
#define ROUTH_LAWS_RESTITUTION_STRONGE_H

#include <routh/kind.h>

double rh_stronge_over(const rh_impact_at *at, double e);
double rh_stronge_end(const rh_impact_at *from, double slope, double e);

#endif
