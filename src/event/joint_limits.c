// joint_limits.c: limits of joints that would have to pull are released.
#include "event.h"

const char *rh_dof_name(const rh_sim *sim, int k)
{
  return rh_model_name(sim->model, RH_OBJECT_JOINT, sim->model->dof[k].body);
}

// A limit can push but not pull.
bool rh_limit_pulls(const rh_sim *sim, int k)
{
  const rh_data *d = sim->data;
  return (d->hold[k] == RH_HOLD_LOWER && d->react[k] < -sim->slight) ||
         (d->hold[k] == RH_HOLD_UPPER && d->react[k] > sim->slight);
}

// Releases the first limit that would have to pull under the last impulse response; false if there
// is none.
bool rh_limits_release(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int i = 0; i < sim->nlimited; i++) {
    int k = sim->limited[i];
    if (rh_limit_pulls(sim, k)) {
      d->hold[k] = RH_HOLD_NONE;
      rh_event e = rh_sim_event(sim, RH_EVENT_LEAVE, rh_dof_name(sim, k), k);
      rh_sim_emit_event(sim, &e);
      return true;
    }
  }
  return false;
}
