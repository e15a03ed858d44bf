// Decisions of the program that runs the simulation: a function in C (rh_sim_control) or in Python.
// Its efforts are part of the state (rh_data.drive), so that a recording shows them without the
// program. Without a function they are zero.
#include "control.h"

#include <string.h>

static void update_program(rh_data *d, const rh_control *c, double *effort)
{
  memset(effort, 0, (size_t)d->model->nactuator * sizeof *effort);
  if (d->control.program) {
    int index = (int)(c->self - d->model->controller);
    d->control.program(d->control.program_user, d, index, effort);
  }
}

extern const rh_controller rh_controller_program;

const rh_controller rh_controller_program = {
    .row = {.name = "program",
            .cite = "",
            .doc = "efforts that the program decides at its rate (Python, C); zero without one"},
    .nmemory = 1, // it decides at a rate only
    .update = update_program,
};
