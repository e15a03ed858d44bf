// run.h: private interface of the run loop.
#ifndef ROUTH_RUN_H
#define ROUTH_RUN_H

#include "contacts/simulation.h"

void rh_sim_continue(rh_sim *sim, long next); // from the state as it is; frame `next` is told next
void rh_sim_settle_resumed(rh_sim *sim);   // does what follows the frame that a run was resumed from

#endif
