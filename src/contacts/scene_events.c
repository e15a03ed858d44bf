// scene_events.c: actions of the scene's events: hold or release a joint, command an actuator, begin or end a force, mark, stop.
// Every engine has them; an engine that locates events calls them at passages too.
#include "multibody/multibody.h"
#include "simulation.h"

enum { NV_MAX = 6 };

static void hold_joint(rh_sim *sim, int body)
{
  rh_data *d = sim->data;
  const rh_model_body *b = &sim->model->body[body];
  const char *name = rh_model_name(sim->model, RH_OBJECT_JOINT, body);
  rh_event e = rh_sim_event(sim, RH_EVENT_HOLD, name, b->nv ? b->vadr : RH_NONE);
  rh_data_wake(d, body);
  double before = rh_ledger_open(sim);
  double change[NV_MAX];
  bool moving = false;
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    d->hold[k] = RH_HOLD_NONE; // a lock replaces a limit
    change[j] = -d->v[k];
    moving = moving || d->v[k] != 0;
  }
  e.before = b->nv ? d->v[b->vadr] : 0;
  e.impulse = moving ? rh_joint_impulse(sim, b->vadr, b->nv, change) : 0;
  for (int j = 0; j < b->nv; j++) {
    d->v[b->vadr + j] = 0;
    d->hold[b->vadr + j] = RH_HOLD_LOCK;
  }
  e.work = rh_ledger_close(sim, before);
  rh_sim_emit_event(sim, &e);
}

static void release_joint(rh_sim *sim, int body)
{
  const rh_model_body *b = &sim->model->body[body];
  rh_data_wake(sim->data, body);
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    if (sim->data->hold[k] == RH_HOLD_LOCK) {
      sim->data->hold[k] = RH_HOLD_NONE;
    }
  }
  rh_event e = rh_sim_event(sim, RH_EVENT_RELEASE, rh_model_name(sim->model, RH_OBJECT_JOINT, body),
                            b->nv ? b->vadr : RH_NONE);
  rh_sim_emit_event(sim, &e);
}

static void switch_actuator(rh_sim *sim, int actuator, const rh_command *command)
{
  rh_event e =
      rh_sim_event(sim, RH_EVENT_SWITCH, rh_model_name(sim->model, RH_OBJECT_ACTUATOR, actuator),
                   sim->model->actuator[actuator].dof);
  e.before = rh_actuator_effort(sim->data, actuator);
  rh_actuator_command(sim->data, actuator, command);
  e.after = rh_actuator_effort(sim->data, actuator);
  rh_sim_emit_event(sim, &e);
}

void rh_scene_event_fire(rh_sim *sim, int index)
{
  const rh_model_event *e = &sim->model->event[index];
  sim->data->fired[index] += 1;
  if (e->release != RH_NONE) {
    release_joint(sim, e->release);
  } else if (e->hold != RH_NONE) {
    hold_joint(sim, e->hold);
  } else if (e->actuator != RH_NONE) {
    switch_actuator(sim, e->actuator, &e->command);
  } else {
    const char *name = rh_model_name(sim->model, RH_OBJECT_EVENT, index);
    rh_event mark = rh_sim_event(sim, e->stop ? RH_EVENT_STOP : RH_EVENT_MARK, name, RH_NONE);
    sim->stop = sim->stop || e->stop;
    rh_sim_emit_event(sim, &mark);
  }
}

void rh_moment_act(rh_sim *sim, const rh_moment *moment)
{
  if (moment->kind == RH_MOMENT_EVENT) {
    rh_scene_event_fire(sim, moment->index);
    return;
  }
  bool on = moment->kind == RH_MOMENT_FORCE_ON;
  rh_event e = rh_sim_event(sim, on ? RH_EVENT_FORCE_ON : RH_EVENT_FORCE_OFF,
                            rh_model_name(sim->model, RH_OBJECT_FORCE, moment->index), RH_NONE);
  sim->data->acting[moment->index] = on;
  rh_sim_emit_event(sim, &e);
}
