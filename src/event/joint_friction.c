// Dry friction of joints. A joint at rest is held, by the row that also serves limits and locks
// (the reaction comes with the forward dynamics), as long as that requires no more than its
// stiction; a moving one is braked by its friction. Both changes are events. No finite friction
// withstands an impulse: at impacts the held joints are released, and caught again if they still
// rest.
#include "rigid.h"

#include <math.h>

double rh_joint_friction_guard(const rh_data *d, int k)
{
  if (d->hold[k] == RH_HOLD_DRY) {
    return d->model->dof[k].stiction - fabs(d->react[k]);
  }
  return d->hold[k] == RH_HOLD_NONE ? d->dry[k] * d->v[k] : 1;
}

static void report_joint_event(rh_sim *sim, rh_event_kind kind, int k)
{
  rh_event e = rh_sim_event(sim, kind,
                            rh_model_name(sim->model, RH_OBJECT_JOINT, sim->model->dof[k].body), k);
  e.before = e.after = sim->data->v[k];
  rh_sim_emit_event(sim, &e);
}

// Holds the joint, and releases it in the direction of the force if that exceeds the stiction.
// True: it rests.
static bool try_hold(rh_data *d, int k)
{
  d->v[k] = 0;
  d->dry[k] = 0;
  d->hold[k] = RH_HOLD_DRY;
  rh_sim_evaluate(d);
  if (fabs(d->react[k]) <= d->model->dof[k].stiction) {
    return true;
  }
  d->hold[k] = RH_HOLD_NONE;
  d->dry[k] = d->react[k] > 0 ? -1 : 1;
  rh_sim_evaluate(d);
  return false;
}

// The guard of degree of freedom k passed zero.
void rh_joint_friction_event(rh_sim *sim, int k)
{
  rh_data *d = sim->data;
  double way = d->dry[k];
  rh_sim_evaluate(d);
  if (d->hold[k] == RH_HOLD_DRY) {
    d->hold[k] = RH_HOLD_NONE;
    d->dry[k] = d->react[k] > 0 ? -1 : 1;
    report_joint_event(sim, RH_EVENT_SLIP, k);
  } else if (try_hold(d, k)) {
    report_joint_event(sim, RH_EVENT_STICK, k);
  } else if (d->dry[k] != way) {
    report_joint_event(sim, RH_EVENT_SLIP, k); // it reverses without a stop
  }
}

// The joint held by most beyond its stiction, in parts of it; RH_NONE
static int find_overloaded(const rh_event_engine *engine, const rh_data *d)
{
  int worst = RH_NONE;
  double most = 1;
  for (int i = 0; i < engine->ndry; i++) {
    int k = engine->dry[i];
    double load = d->hold[k] == RH_HOLD_DRY ? fabs(d->react[k]) / d->model->dof[k].stiction : 0;
    if (load > most) {
      most = load;
      worst = k;
    }
  }
  return worst;
}

// What another joint, a limit or a contact does at an event makes forces jump: a held joint may need
// more than its stiction from then on, without a zero of its guard.
static void release_overloaded(rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  for (int i = 0; i < engine->ndry; i++) {
    int k = find_overloaded(engine, d);
    if (k == RH_NONE) {
      return;
    }
    d->hold[k] = RH_HOLD_NONE;
    d->dry[k] = d->react[k] > 0 ? -1 : 1;
    report_joint_event(sim, RH_EVENT_SLIP, k);
    rh_sim_evaluate(d);
  }
}

void rh_joint_friction_settle(rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  for (int i = 0; i < engine->ndry; i++) {
    int k = engine->dry[i];
    if (d->hold[k] != RH_HOLD_NONE) {
      continue;
    }
    if (fabs(d->v[k]) > RH_TOL_SLIP) {
      d->dry[k] = d->v[k] > 0 ? 1 : -1;
    } else if (d->dry[k] == 0) {
      (void)try_hold(d, k);
    }
  }
  release_overloaded(sim);
}
