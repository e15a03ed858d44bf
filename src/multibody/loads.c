// Stage 6: the forces that act: joint springs, dampers and dry friction, actuators, forces from outside; and the power of those
// that put energy in or take it out, for the ledger.
#include "multibody.h"

#include <routh/scene.h>

#include <string.h>

void rh_joint_deflection(const rh_data *d, int body, double *delta)
{
  const rh_model_body *b = &d->model->body[body];
  const double *q = d->q + b->qadr;
  const double *rest = d->model->start.rest + b->qadr;
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

// The value of an actuator's trajectory, linear between two rows, and its speed
static double follow_trajectory(const rh_data *d, const rh_model_actuator *a, double *speed)
{
  const double *row = a->track.row;
  int n = a->track.n;
  double t = *d->t - a->track.from;
  double length = row[2 * n - 2] - row[0];
  if (a->track.periodic && length > 0 && t > row[0]) {
    t = row[0] + fmod(t - row[0], length);
  }
  int lo = 0;
  int hi = n - 1;
  *speed = 0;
  if (t <= row[0] || t >= row[2 * hi]) {
    return t <= row[0] ? row[1] : row[2 * hi + 1];
  }
  while (hi - lo > 1) {
    int middle = (lo + hi) / 2;
    *(row[2 * middle] <= t ? &lo : &hi) = middle;
  }
  *speed = (row[2 * hi + 1] - row[2 * lo + 1]) / (row[2 * hi] - row[2 * lo]);
  return row[2 * lo + 1] + *speed * (t - row[2 * lo]);
}

double rh_actuator_control(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  double speed;
  double u = d->command[index].effort + (a->track.n > 0 ? follow_trajectory(d, a, &speed) : 0);
  return fmin(fmax(u, a->control_lo), a->control_hi);
}

double rh_actuator_target(const rh_data *d, int index)
{
  const rh_command *c = &d->command[index];
  const rh_model_actuator *a = &d->model->actuator[index];
  double t = *d->t - c->since;
  double speed;
  if (a->track.n > 0 && !a->servo) {
    return follow_trajectory(d, a, &speed);
  }
  return c->target + (c->rate + 0.5 * c->accel * t) * t;
}

double rh_actuator_length(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  if (a->tendon != RH_NONE) {
    return d->dyn.tendon[a->tendon].length;
  }
  return a->via.kind == RH_VIA_DOF ? d->q[d->model->dof[a->dof].coord]
                                   : rh_transmission_length(d, index);
}

double rh_actuator_speed(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  if (a->tendon != RH_NONE) {
    return d->dyn.tendon[a->tendon].speed;
  }
  return a->via.kind == RH_VIA_DOF ? d->v[a->dof] : rh_transmission_act(d, index, 0, NULL);
}

// A servo: the command's effort is its control, or what moves its state.
static double servo_effort(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  bool active = a->state != RH_NONE && a->dynamics != RH_DYNAMICS_INTEGRAL;
  double u = active ? rh_activation(d, index) : rh_actuator_control(d, index);
  double l = a->gear * rh_actuator_length(d, index);
  double w = a->gear * rh_actuator_speed(d, index);
  double gain = a->gain[0] + a->gain[1] * l + a->gain[2] * w;
  return a->gear * (gain * u + a->bias[0] + a->bias[1] * l + a->bias[2] * w);
}

// A DC motor gives less the faster it already turns that way.
static double limit_by_speed(const rh_model_actuator *a, double effort, double speed)
{
  double share = speed / a->no_load_speed;
  double most = fmax(a->stall * (1 - share), 0);
  double least = fmin(-a->stall * (1 + share), 0);
  return fmin(fmax(effort, least), most);
}

double rh_actuator_effort(const rh_data *d, int index)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  const rh_command *c = &d->command[index];
  double effort = a->servo ? servo_effort(d, index) : c->effort;
  if (c->kp != 0 || c->kd != 0) { // then it has a scalar length, by check
    double t = *d->t - c->since;
    double rate = c->rate + c->accel * t;
    if (a->track.n > 0 && !a->servo) {
      (void)follow_trajectory(d, a, &rate);
    }
    effort += c->kp * (rh_actuator_target(d, index) - rh_actuator_length(d, index));
    effort += c->kd * (rate - rh_actuator_speed(d, index));
  }
  if (a->dynamics == RH_DYNAMICS_INTEGRAL) {
    effort += (a->servo ? a->gear : 1) * a->ki * rh_activation(d, index);
  }
  effort = fmin(fmax(effort + d->control.asked[index], a->lo), a->hi);
  return a->stall > 0 ? limit_by_speed(a, effort, rh_actuator_speed(d, index)) : effort;
}

void rh_actuator_command(rh_data *d, int index, const rh_command *command)
{
  const rh_model_actuator *a = &d->model->actuator[index];
  bool scalar = a->tendon != RH_NONE || d->model->dof[a->dof].coord != RH_NONE;
  rh_command *c = &d->command[index];
  *c = *command;
  c->since = *d->t;
  if (isnan(c->target)) {
    c->target = scalar ? rh_actuator_length(d, index) : 0;
  }
}

// ---- Controllers

static void update_controller(rh_data *d, int index, double *effort)
{
  const rh_model_controller *self = &d->model->controller[index];
  const rh_control c = {self, d->memory + self->memory, d->control.scratch + d->model->nactuator};
  self->kind->update(d, &c, effort);
}

double rh_control_next(const rh_data *d)
{
  const rh_model *m = d->model;
  double next = HUGE_VAL;
  for (int i = 0; i < m->ncontroller; i++) {
    next = m->controller[i].period > 0 ? fmin(next, d->ticks[i] * m->controller[i].period) : next;
  }
  return next;
}

bool rh_control_decide(rh_data *d)
{
  const rh_model *m = d->model;
  bool any = false;
  for (int i = 0; i < m->ncontroller; i++) {
    double period = m->controller[i].period;
    if (!(period > 0 && d->ticks[i] * period <= *d->t)) {
      continue;
    }
    joint_loads(d);
    rh_tendon_loads(d);
    update_controller(d, i, d->drive + (size_t)i * (size_t)m->nactuator);
    while (d->ticks[i] * period <= *d->t) {
      d->ticks[i] += 1;
    }
    any = true;
  }
  return any;
}

// Sums the efforts of all controllers: those that hold their efforts, and continuous ones.
static void ask_controllers(rh_data *d)
{
  const rh_model *m = d->model;
  memset(d->control.asked, 0, (size_t)m->nactuator * sizeof *d->control.asked);
  for (int i = 0; i < m->ncontroller; i++) {
    double *effort = d->drive + (size_t)i * (size_t)m->nactuator;
    if (m->controller[i].period == 0) {
      effort = d->control.scratch;
      update_controller(d, i, effort);
    }
    for (int k = 0; k < m->nactuator; k++) {
      d->control.asked[k] += effort[k];
    }
  }
}

static bool is_effort_limited(const rh_model_dof *dof)
{
  return dof->effort_lo > -HUGE_VAL || dof->effort_hi < HUGE_VAL;
}

static void add_effort(rh_data *d, int dof, double effort)
{
  d->load[dof] += effort;
  d->power[RH_WORK_ACTUATOR] += effort * d->v[dof];
}

double rh_tendon_effort(const rh_data *d, int tendon)
{
  const rh_model_tendon *t = &d->model->tendons.of[tendon];
  double sum = 0;
  for (int i = 0; i < d->model->nactuator; i++) {
    sum += d->model->actuator[i].tendon == tendon ? rh_actuator_effort(d, i) : 0;
  }
  return fmin(fmax(sum, t->effort_lo), t->effort_hi);
}

// What actuators do through tendons to the joints that do not limit the sum of their actuators
static void tendon_efforts(rh_data *d)
{
  const rh_model_tendons *all = &d->model->tendons;
  for (int i = 0; i < all->n; i++) {
    double effort = rh_tendon_effort(d, i);
    for (int k = all->of[i].dof; effort != 0 && k < all->of[i].dof + all->of[i].ndof; k++) {
      if (!is_effort_limited(&d->model->dof[all->dof[k]])) {
        add_effort(d, all->dof[k], effort * d->dyn.tendon_J[k]);
      }
    }
  }
}

// The same of one degree of freedom
static double tendon_effort_at(const rh_data *d, int dof)
{
  const rh_model_tendons *all = &d->model->tendons;
  double sum = 0;
  for (int i = 0; i < all->n; i++) {
    for (int k = all->of[i].dof; k < all->of[i].dof + all->of[i].ndof; k++) {
      sum += all->dof[k] == dof ? rh_tendon_effort(d, i) * d->dyn.tendon_J[k] : 0;
    }
  }
  return sum;
}

// Where a joint limits the sum of its actuators, the sum is formed first.
static void actuator_loads(rh_data *d)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nactuator; i++) {
    int k = m->actuator[i].dof;
    if (m->actuator[i].via.kind != RH_VIA_DOF) {
      double force = rh_actuator_effort(d, i);
      d->power[RH_WORK_ACTUATOR] += force * rh_transmission_act(d, i, force, d->load);
    } else if (k != RH_NONE && !is_effort_limited(&m->dof[k])) {
      add_effort(d, k, rh_actuator_effort(d, i));
    }
  }
  tendon_efforts(d);
  for (int k = 0; k < m->nv; k++) {
    double sum = is_effort_limited(&m->dof[k]) ? tendon_effort_at(d, k) : 0;
    for (int i = 0; i < m->nactuator && is_effort_limited(&m->dof[k]); i++) {
      bool here = m->actuator[i].dof == k && m->actuator[i].via.kind == RH_VIA_DOF;
      sum += here ? rh_actuator_effort(d, i) : 0;
    }
    if (sum != 0) {
      add_effort(d, k, fmin(fmax(sum, m->dof[k].effort_lo), m->dof[k].effort_hi));
    }
  }
}

// ---- Weight carried by a force at the centre of mass, and the medium, as forces of the joints below

rh_force rh_carried_weight(const rh_data *d, int body)
{
  const rh_model *m = d->model;
  const rh_inertia *I = &m->body[body].inertia;
  rh_vec3 up = rh_scale(-m->body[body].gravcomp, m->gravity);
  rh_force w = {.lin = rh_scale(I->mass, up)};
  w.ang = rh_cross(rh_rotate(&d->kin[body].R, I->h), up);
  return w;
}

static void spread_force(rh_data *d, int body, rh_force w)
{
  const rh_model *m = d->model;
  for (int i = body; i > 0; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      d->load[k] += rh_power(d->dyn.S[k], w);
    }
    w = rh_force_shift_back(w, d->kin[i].r);
  }
}

static void carried_weights(rh_data *d)
{
  for (int i = 1; i < d->model->nbody; i++) {
    if (d->model->body[i].gravcomp != 0) {
      rh_force w = rh_carried_weight(d, i);
      d->power[RH_WORK_EXTERNAL] += rh_power(d->kin[i].v, w);
      spread_force(d, i, w);
    }
  }
}

// The wind does work; what the body does not get of it is dissipated.
static void medium_forces(rh_data *d)
{
  for (int i = 1; i < d->model->nbody; i++) {
    if (rh_medium_acts(d->model, i)) {
      rh_force w = rh_medium_force(d, i);
      double wind = rh_dot(w.lin, d->model->start.medium.wind);
      d->power[RH_WORK_EXTERNAL] += wind;
      d->power[RH_WORK_DAMPER] += wind - rh_power(d->kin[i].v, w);
      spread_force(d, i, w);
    }
  }
}

// A force with a time window acts while d->acting is set by the loop: the window's ends are events,
// so that a step never straddles them.
void rh_outside_wrenches(const rh_data *d, rh_force *wrench)
{
  const rh_model *m = d->model;
  memcpy(wrench, d->fext, (size_t)m->nbody * sizeof *wrench);
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
    wrench[f->body] = rh_force_add(wrench[f->body], w);
  }
}

static void outside_forces(rh_data *d)
{
  rh_outside_wrenches(d, d->wrench);
  for (int i = 1; i < d->model->nbody; i++) {
    d->power[RH_WORK_EXTERNAL] += rh_power(d->kin[i].v, d->wrench[i]);
  }
}

rh_vec3 rh_hand_force(const rh_data *d)
{
  const rh_hand *h = d->hand;
  if (h == NULL || h->body == 0) {
    return rh_v3(0, 0, 0);
  }
  int body = (int)h->body;
  rh_vec3 grip = rh_v3(h->grip[0], h->grip[1], h->grip[2]);
  rh_vec3 target = rh_v3(h->target[0], h->target[1], h->target[2]);
  rh_vec3 away = rh_sub(target, rh_point_position(d, body, grip));
  rh_vec3 f = rh_scale(h->mass * RH_HAND_RATE * RH_HAND_RATE, away);
  f = rh_addscaled(f, -2 * h->mass * RH_HAND_RATE, rh_point_velocity(d, body, grip));
  return rh_addscaled(f, -h->mass, d->model->gravity);
}

int rh_hand_wrench(const rh_data *d, rh_force *wrench)
{
  if (d->hand == NULL || d->hand->body == 0) {
    return RH_NONE;
  }
  int body = (int)d->hand->body;
  rh_vec3 grip = rh_v3(d->hand->grip[0], d->hand->grip[1], d->hand->grip[2]);
  *wrench =
      rh_force_shift_back((rh_force){.lin = rh_hand_force(d)}, rh_rotate(&d->kin[body].R, grip));
  return body;
}

static void hand_force(rh_data *d)
{
  rh_force w;
  int body = rh_hand_wrench(d, &w);
  if (body != RH_NONE) {
    d->wrench[body] = rh_force_add(d->wrench[body], w);
    d->power[RH_WORK_HAND] = rh_power(d->kin[body].v, w);
  }
}

void rh_loads(rh_data *d)
{
  memset(d->power, 0, RH_WORK_COUNT * sizeof *d->power);
  joint_loads(d);
  rh_tendon_loads(d);
  ask_controllers(d);
  actuator_loads(d);
  carried_weights(d);
  medium_forces(d);
  outside_forces(d);
  hand_force(d);
}
