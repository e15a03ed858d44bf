// run.h: private interface of the run loop.
#ifndef ROUTH_RUN_RUN_H
#define ROUTH_RUN_RUN_H

#include "contacts/simulation.h"

// A simulation whose world is in `row` (rh_data_create_in); NULL: rh_sim_create.
rh_status rh_sim_create_in(const rh_model *model, double *row, rh_diag *diag, rh_sim **out);
// rh_sim_replace_model of a simulation whose world is in `row`, and stays there; NULL: in its own
// memory.
rh_status rh_sim_replace_model_in(rh_sim **sim, const rh_model *model, double *row, rh_diag *diag);
// Writes into `d` what in `from` differs from `start`, a world of the same model as `from`: the
// coordinates of each joint, velocities, numbers of commands. Returns whether anything does.
bool rh_data_keep_start(rh_data *d, const rh_data *from, const rh_data *start);
// from the present state; frame `next` is reported next
void rh_sim_continue(rh_sim *sim, long next);
// does the actions after the frame from which a run was resumed
void rh_sim_settle_resumed(rh_sim *sim);

#endif
