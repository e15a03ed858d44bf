// Stage 6: the forces that act: joint springs, dampers and dry friction, actuators, forces from outside; and the power of those
// that put energy in or take it out, for the ledger.
#include "tree/tree.h"

#include <string.h>

void rh_joint_deflection(const rh_data *d, int body, double *delta)
{
  const rh_model_body *b = &d->model->body[body];
  const double *q = d->q + b->qadr;
  const double *rest = d->model->rest + b->qadr;
  if (b->joint->delta) {
    b->joint->delta(q, rest, delta);
    return;
  }
  for (int j = 0; j < b->nv; j++) {
    delta[j] = q[j] - rest[j];
  }
}

static void joint_loads(rh_data *d)
{
  const rh_model *m = d->model;
  double damped = 0;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    double delta[6] = {0};
    bool sprung = false;
    for (int j = 0; j < b->nv; j++) {
      sprung = sprung || m->dof[b->vadr + j].spring != 0;
    }
    if (sprung) {
      rh_joint_deflection(d, i, delta);
    }
    for (int j = 0; j < b->nv; j++) {
      int k = b->vadr + j;
      double damping = m->dof[k].damper * d->v[k] + m->dof[k].friction * d->dry[k];
      d->load[k] = d->tau[k] - m->dof[k].spring * delta[j] - damping;
      damped += damping * d->v[k];
      d->power[RH_WORK_EXTERNAL] += d->tau[k] * d->v[k];
    }
  }
  d->power[RH_WORK_DAMPER] = damped;
}

double rh_actuator_target(const rh_data *d, int index)
{
  const rh_command *c = &d->command[index];
  double t = *d->t - c->since;
  return c->target + (c->rate + 0.5 * c->accel * t) * t;
}

double rh_actuator_effort(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  const rh_command *c = &d->command[index];
  double effort = c->effort;
  if (c->kp != 0 || c->kd != 0) { // then the joint has scalar coordinates, by check
    double t = *d->t - c->since;
    effort += c->kp * (rh_actuator_target(d, index) - d->q[d->model->dof[a->dof].coord]);
    effort += c->kd * (c->rate + c->accel * t - d->v[a->dof]);
  }
  return fmin(fmax(effort, a->lo), a->hi);
}

void rh_actuator_command(rh_data *d, int index, const rh_command *command)
{
  int coord = d->model->dof[d->model->actuator[index].dof].coord;
  rh_command *c = &d->command[index];
  *c = *command;
  c->since = *d->t;
  if (isnan(c->target)) {
    c->target = coord == RH_NONE ? 0 : d->q[coord];
  }
}

static void actuator_loads(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nactuator; i++) {
    double effort = rh_actuator_effort(d, i);
    int k = m->actuator[i].dof;
    d->load[k] += effort;
    d->power[RH_WORK_ACTUATOR] += effort * d->v[k];
  }
}

// A force with a time window acts while the loop says so (d->acting): the window's ends are events, so that a step
// never straddles them.
static void outside_forces(rh_data *d)
{
  const rh_model *m = d->model;
  memcpy(d->wrench, d->fext, (size_t)m->nbody * sizeof *d->wrench);
  for (int i = 0; i < m->nforce; i++) {
    const rh_model_force *f = &m->force[i];
    if (d->acting[i] == 0) {
      continue;
    }
    const rh_kin_body *b = &d->kin[f->body];
    rh_force w = {f->torque, f->force};
    if (f->frame == 1) {
      w.ang = rh_rotate(&b->R, w.ang);
      w.lin = rh_rotate(&b->R, w.lin);
    }
    w = rh_force_shift_back(w, rh_rotate(&b->R, f->at));
    d->wrench[f->body] = rh_force_add(d->wrench[f->body], w);
  }
  for (int i = 1; i < m->nbody; i++) {
    d->power[RH_WORK_EXTERNAL] += rh_power(d->kin[i].v, d->wrench[i]);
  }
}

void rh_loads(rh_data *d)
{
  memset(d->power, 0, RH_WORK_COUNT * sizeof *d->power);
  joint_loads(d);
  actuator_loads(d);
  outside_forces(d);
}
