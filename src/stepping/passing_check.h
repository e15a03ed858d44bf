// Shapes that went through one another within a step (passing_check.c)
#ifndef RH_MOREAU_PASS_H
#define RH_MOREAU_PASS_H

#include "stepping.h"

double rh_mo_thinnest(const rh_mo *w); // [m] width of the thinnest bounded shape
void rh_mo_pass_begin(rh_mo *w);       // what is within reach is known, nothing has moved yet
int rh_mo_passed(rh_mo *w);            // the contact of the first pair that passed; RH_NONE: none did

#endif
