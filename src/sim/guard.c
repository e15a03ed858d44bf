// The guard functions: an event is a zero of one of them. A limit's guard is the distance to it while the joint is free,
// and the force it pushes with while the joint rests on it; both fall through zero when something changes.
#include "sim/loop.h"

#include <math.h>

static double limit_guard(const rh_data *d, int k, rh_hold side)
{
  const rh_model_dof *dof = &d->model->dof[k];
  rh_hold hold = (rh_hold)d->hold[k];
  if (hold == RH_HOLD_LOCK) {
    return 1;
  }
  if (hold == side) {
    return side == RH_HOLD_LOWER ? d->react[k] : -d->react[k];
  }
  double distance =
      side == RH_HOLD_LOWER ? d->q[dof->coord] - dof->lower : dof->upper - d->q[dof->coord];
  return distance < 1e6 ? distance : 1e6; // a limit at infinity is far away
}

static bool any_resting(const rh_sim *sim)
{
  for (int i = 0; i < sim->nlimited; i++) {
    rh_hold hold = (rh_hold)sim->data->hold[sim->limited[i]];
    if (hold == RH_HOLD_LOWER || hold == RH_HOLD_UPPER) {
      return true;
    }
  }
  return false;
}

// A contact is lost a hair later than it was found, so that rounding cannot make and lose it in turn. [m]
static const double SLACK = 1e-12;

// A slot's contact ends where its depth falls below zero; it sticks or slips as its margin says.
static double *contact_guards(rh_sim *sim, double *g)
{
  const rh_data *d = sim->data;
  const rh_model *m = d->model;
  for (int p = 0; p < m->npair; p++) {
    *g++ = d->gap[p];
  }
  for (int k = 0; k < m->nslot; k++) {
    bool lost = d->touch[k] != 0 && !d->con[k].on; // gone farther than anything looks
    *g++ = d->con[k].on ? d->con[k].depth + SLACK : lost ? -1 : 1;
    *g++ = d->con[k].on ? d->con[k].margin : 1;
    sim->impact.deepest = fmax(sim->impact.deepest, d->con[k].depth);
    sim->impact.peak = fmax(sim->impact.peak, d->con[k].normal);
  }
  return g;
}

int rh_sim_guards(void *user, double t, const double *y, double *g)
{
  rh_sim *sim = user;
  rh_data *d = sim->data;
  rh_data_bind(d, &t, y);
  bool forces = any_resting(sim);
  if (forces || d->model->npair > 0 || sim->nuser > 0) {
    rh_kinematics(d);
  }
  if (forces || d->model->npair > 0) {
    rh_loads(d);
    rh_contacts(d);
  }
  if (forces) {
    rh_forward_dynamics(d);
  }
  for (int i = 0; i < sim->nlimited; i++) {
    *g++ = limit_guard(d, sim->limited[i], RH_HOLD_LOWER);
    *g++ = limit_guard(d, sim->limited[i], RH_HOLD_UPPER);
  }
  g = contact_guards(sim, g);
  for (int i = 0; i < sim->npassage; i++) {
    const rh_model_event *e = &d->model->event[sim->passage[i]];
    bool spent = e->once && d->fired[sim->passage[i]] > 0;
    *g++ = spent ? 1 : d->q[e->coord] - e->position;
  }
  for (int i = 0; i < sim->nuser; i++) {
    *g++ = sim->user[i].value(sim->user[i].user, d);
  }
  rh_data_unbind(d);
  return 0;
}
