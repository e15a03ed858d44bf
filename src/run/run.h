// run.h: private interface of the run loop.
#ifndef ROUTH_RUN_RUN_H
#define ROUTH_RUN_RUN_H

#include "contacts/simulation.h"

// from the present state; frame `next` is reported next
void rh_sim_continue(rh_sim *sim, long next);
// does the actions after the frame from which a run was resumed
void rh_sim_settle_resumed(rh_sim *sim);

#endif
