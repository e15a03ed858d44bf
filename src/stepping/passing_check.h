// Shapes that went through one another within a step (passing_check.c)
#ifndef RH_MOREAU_PASS_H
#define RH_MOREAU_PASS_H

#include "stepping.h"

double rh_step_thinnest(const rh_step_world *w); // [m] width of the thinnest bounded shape
void rh_step_pass_begin(rh_step_world *w); // pairs within reach are known, nothing has moved yet
int rh_step_passed(rh_step_world *w);            // the contact of the first pair that passed; RH_NONE: none did

#endif
