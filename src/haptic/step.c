// One tick ([CSC] fig. 4): stages 1 to 10 of a step of run.dt, semi-implicit:
//   contacts at q; per group impulses, or penalties; hand and coupling; v += impulses, then
//   dt H^-1 (F - Coriolis at that v); q += dt v.
// Tool: F_h + F_env + F_c. Device: F_h + u, u = F_env - F_c within its limits. The method
// (method_*.c) resolves contacts, the coupling (coupling_*.c) joins the two, the hand (hand_*.c)
// gives F_h.
#include "step.h"

#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

// ---- Energy available from the world

static double height_of(const rh_data *d, int body)
{
  const rh_kin_body *b = &d->kin[body];
  return body == RH_NONE ? 0 : -rh_dot(d->model->gravity, rh_addscaled(b->I.h, b->I.mass, b->p));
}

// A hand that lowers a weight gets energy, which is correct. Energy from sinking or relaxing since
// the last tick is available; that of a body placed elsewhere, or at a measured device, is not.
// [kinematics]
static void look_at_store(rh_tick *t)
{
  const rh_data *d = t->d;
  const rh_model_haptic *k = &d->model->haptic;
  rh_haptic_now *now = t->now;
  const double level[3] = {rh_potential_energy(d) + rh_spring_energy(d), height_of(d, k->tool),
                           height_of(d, k->device)};
  if (now->ticks == 0) {
    now->given = rh_kinetic_energy(d);
  } else {
    now->given += now->level[0] - level[0];
    now->given -= now->put == 1 ? now->level[1] - level[1] : 0;
    now->given -= now->put == 2 || t->measured ? now->level[2] - level[2] : 0;
    now->returned = fmax(now->returned, -(now->hand_work + now->given));
  }
  memcpy(now->level, level, sizeof level);
  now->put = t->measured ? 2 : 0;
}

// ---- Wrench on the device

// The impulse of a contact joins those under way: by the pulse of its material, or of the scene.
static void queue_impulse(rh_tick *t, const rh_haptic_contact *c)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  const rh_model_contact *laws = &t->h->m->contact[c->contact.rule];
  double dt = t->h->dt;
  double T = k->pulse_ticks * dt;
  double share[RH_PULSE_MAX];
  rh_pulse_in in = {.par = laws->pulse_par};
  int count;
  const rh_haptic_pulse *row = rh_haptic_pulse_table(&count)[k->pulse];
  if (laws->pulse_row != NULL) {
    row = (const rh_haptic_pulse *)(const void *)laws->pulse_row;
    in.speed = fmax(fabs(c->before), 1e-9);
    in.mass = fabs(c->p) / fmax(fabs(c->after - c->before), 1e-12);
    T = row->duration(&in);
  }
  int n = rh_haptic_pulse_shares(row, &in, T, dt, share);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 6; j++) {
      t->now->pulse[6 * i + j] += share[i] * c->felt[j] * dt;
    }
  }
}

// Impulses of the tick join those under way; the device gets the part that is due. `part`: of the
// impulses that reaches it.
static void shape_pulse(rh_tick *t, double part, double env[6])
{
  double *queue = t->now->pulse;
  for (int i = 0; i < t->h->ncontact; i++) {
    rh_haptic_contact *c = &t->h->contact[i];
    for (int j = 0; j < 6; j++) {
      c->felt[j] *= part;
      env[j] -= c->felt[j];
    }
    if (c->struck && c->p != 0) {
      queue_impulse(t, c);
    }
  }
  for (int j = 0; j < 6; j++) {
    env[j] = (t->collides && !t->h->m->haptic.both ? 0 : env[j]) + queue[j] / t->h->dt;
  }
  memmove(queue, queue + 6, 6 * (RH_PULSE_MAX - 1) * sizeof *queue);
  memset(queue + 6 * (RH_PULSE_MAX - 1), 0, 6 * sizeof *queue);
}

static bool has_pulses(const rh_model *m)
{
  bool any = m->haptic.pulse_ticks > 1;
  for (int i = 0; i < m->ncontact; i++) {
    any = any || m->contact[i].pulse_row != NULL;
  }
  return any;
}

// Keeps the direction of force and of torque
static void clamp_length(double w[3], double most)
{
  double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 3 && size > most; i++) {
    w[i] *= most / size;
  }
}

void rh_haptic_clamp_wrench(rh_tick *t)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  clamp_length(t->wrench, k->clamp[0]);
  clamp_length(t->wrench + 3, k->clamp[1]);
  for (int i = 0; i < 6 && t->in != NULL; i++) {
    t->wrench[i] *= 1 - t->in->fade;
  }
}

// `last`: all of the environment is known, so that impulses that are due leave the queue
static void fill_wrench(rh_tick *t, bool last)
{
  const rh_model_haptic *k = &t->h->m->haptic;
  double env[6];
  memcpy(env, t->env, sizeof env);
  double share = 1;
  if (k->passive && t->collides && k->device != RH_NONE) {
    share = rh_grip_passive_share(t, env);
    for (int i = 0; i < 6; i++) {
      env[i] *= share;
    }
  }
  if (last && has_pulses(t->h->m)) {
    shape_pulse(t, share, env);
  }
  for (int i = 0; i < 6; i++) {
    double u = (rh_haptic_coupling_of(k)->feels ? env[i] : 0) - t->coupling[i];
    bool limited = k->limits != RH_LIMITS_NONE;
    t->wrench[i] = limited ? fmin(fmax(u, -k->limit[i]), k->limit[i]) : u;
  }
  rh_haptic_clamp_wrench(t);
}

// ---- Motion

static void act_on(rh_tick *t, int body, const double w[6])
{
  t->d->wrench[body] = rh_force_add(t->d->wrench[body], rh_force_of(w));
}

static void act_on_tool(rh_tick *t, const double w[6]) // at the grip
{
  rh_force *on = &t->d->wrench[t->h->m->haptic.tool];
  *on = rh_force_add(*on, rh_grip_on_tool(t, w));
}

// Forces of the tick; keeps the bodies' velocities before they act. [kinematics]
static void apply_loads(rh_tick *t)
{
  rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  rh_loads(t->d);
  for (int i = 0; i < h->ncontact; i++) {
    if (h->contact[i].contact.on) {
      rh_contact_push(t->d, &h->contact[i].contact);
    }
  }
  act_on_tool(t, t->sensed);
  if (k->device != RH_NONE) {
    act_on_tool(t, t->coupling);
    if (!t->measured && !rh_haptic_coupling_of(k)->at_tool) {
      act_on(t, k->device, t->hand);
      act_on(t, k->device, t->wrench);
    }
  }
  for (int i = 0; i < h->m->nbody; i++) {
    h->body[i] = t->d->kin[i].v;
  }
  memcpy(h->power, t->d->power, sizeof h->power);
}

static double work_on(const rh_tick *t, int body, const double w[6])
{
  return t->h->dt * rh_power(rh_mean_motion(t, body), rh_force_of(w));
}

static double work_on_tool(const rh_tick *t, const double w[6])
{
  return t->h->dt * rh_power(rh_mean_motion(t, t->h->m->haptic.tool), rh_grip_on_tool(t, w));
}

// [kinematics at the old place and the new velocities]
static void update_ledger(rh_tick *t)
{
  rh_data *d = t->d;
  const rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  rh_loads(d); // the powers at the end of the tick
  for (int i = 0; i < d->model->layout.nwork; i++) {
    d->work[i] += 0.5 * h->dt * (h->power[i] + d->power[i]);
  }
  bool at_device = k->device != RH_NONE && !rh_haptic_coupling_of(k)->at_tool;
  double hand = t->measured ? -work_on(t, k->device, t->wrench)
                : at_device ? work_on(t, k->device, t->hand)
                            : work_on_tool(t, t->hand);
  if (!t->measured) {
    d->work[RH_WORK_EXTERNAL] += hand;
  }
  if (at_device) {
    d->work[RH_WORK_ACTUATOR] += work_on_tool(t, t->sensed) + work_on_tool(t, t->coupling);
    d->work[RH_WORK_ACTUATOR] += t->measured ? 0 : work_on(t, k->device, t->wrench);
  }
  d->energy_base[1] += h->gain;
  t->now->hand_work += hand;
  t->now->loss = -h->gain;
  rh_haptic_add_penalty_work(t);
}

// Along the velocities, and apart where constraints require it.
static void integrate_positions(rh_tick *t)
{
  rh_data *d = t->d;
  rh_haptic *h = t->h;
  double *v = d->v;
  for (int i = 0; rh_haptic_method_of(&h->m->haptic)->hold && i < h->m->nv; i++) {
    h->way[i] += v[i];
    d->v = h->way;
  }
  rh_coordinates_advance(d, h->dt, d->q);
  rh_coordinates_unit(h->m, d->q);
  d->v = v;
}

// Velocities that satisfy the scene's constraints where the bodies are now [kinematics]
static void hold_constraints(rh_data *d)
{
  double before = rh_ledger_energy(d);
  rh_forward_dynamics(d);
  if (rh_constraints_hold(d)) {
    d->energy_base[1] += rh_ledger_energy(d) - before;
  }
}

// Forces of constraints are known only now: the device gets them, over the same tick, on top of
// what it had of the coupling. [forward_dynamics at this place]
static void pass_constraints(rh_tick *t)
{
  rh_haptic *h = t->h;
  double had[6];
  double more[6];
  memcpy(had, t->wrench, sizeof had);
  fill_wrench(t, true);
  for (int i = 0; i < 6; i++) {
    more[i] = t->wrench[i] - had[i];
  }
  if (!t->measured) {
    double before = rh_kinetic_energy(t->d);
    rh_grip_kick(t, h->m->haptic.device, h->dt, more);
    rh_kinematics(t->d);
    t->d->work[RH_WORK_ACTUATOR] += rh_kinetic_energy(t->d) - before;
  }
}

static void move_world(rh_tick *t)
{
  rh_data *d = t->d;
  rh_haptic *h = t->h;
  const rh_model_haptic *k = &h->m->haptic;
  rh_kinematics(d); // impulses have changed the velocities
  if (d->dyn.rows) {
    hold_constraints(d);
  }
  apply_loads(t);
  rh_forward_dynamics(d);
  rh_activations_advance(d, h->dt);
  for (int i = 0; i < h->m->nv; i++) {
    d->v[i] += h->dt * d->a[i];
  }
  d->work[RH_WORK_ACTUATOR] += rh_constraints_work(d, h->dt);
  rh_kinematics(d);
  update_ledger(t);
  if (rh_haptic_method_of(k)->hold) {
    double before = h->gain;
    rh_haptic_method_of(k)->hold(t);
    d->energy_base[1] += h->gain - before;
    t->now->loss = -h->gain;
    if (k->device != RH_NONE && rh_haptic_coupling_of(k)->feels) {
      pass_constraints(t);
    }
  }
  rh_haptic_predict_device(t);
  rh_haptic_store_contacts(t);
  integrate_positions(t);
  if (rh_haptic_coupling_of(k)->follow) {
    rh_haptic_coupling_of(k)->follow(t);
  }
}

static void fill_output(const rh_tick *t, rh_haptic_out *out)
{
  rh_haptic_now *now = t->now;
  memcpy(now->hand, t->hand, sizeof now->hand);
  memcpy(now->env, t->env, sizeof now->env);
  memcpy(now->coupling, t->coupling, sizeof now->coupling);
  memcpy(now->wrench, t->wrench, sizeof now->wrench);
  now->contacts = t->h->ncontact;
  now->active = t->active;
  now->pulled += now->negative;
  for (int i = 0; i < t->h->ncontact; i++) {
    now->depth = fmax(now->depth, t->h->contact[i].contact.depth);
  }
  *out = (rh_haptic_out){.ncontact = t->h->ncontact,
                         .ngroup = (int)now->groups,
                         .state = (int)now->state,
                         .e_eff = now->e_eff,
                         .loss = now->loss,
                         .hand_work = now->hand_work,
                         .given = now->given,
                         .returned = now->returned,
                         .negative = (int)now->negative};
  memcpy(out->hand, t->hand, sizeof out->hand);
  memcpy(out->env, t->env, sizeof out->env);
  memcpy(out->coupling, t->coupling, sizeof out->coupling);
  memcpy(out->wrench, t->wrench, sizeof out->wrench);
}

void rh_haptic_tick(rh_haptic *h, rh_data *d, const rh_hand_in *in, rh_haptic_out *out)
{
  const rh_model_haptic *k = &h->m->haptic;
  rh_tick t = {.h = h, .d = d, .in = in, .now = d->haptic};
  double *memory = (double *)(void *)d->haptic + RH_HAPTIC_NOW_SIZE + 1;
  t.slot = (rh_haptic_slot *)(void *)(memory + (size_t)RH_TRACK_NUMBERS * (size_t)h->m->nslot);
  t.measured = in && in->live && in->has_pose && k->device != RH_NONE;
  t.now->loss = t.now->negative = t.now->depth = 0;
  h->gain = 0;
  h->unresolved = 0;
  if (t.measured) {
    rh_haptic_put_measured(&t);
  }
  rh_kinematics(d);
  look_at_store(&t);
  rh_haptic_observe_hand(&t);
  rh_grip_prepare(&t);
  rh_haptic_find_contacts(&t, rh_haptic_method_of(k)->gap);
  t.now->state = h->state[h->group[rh_tree_of(h->m, k->tool)]];
  t.now->e_eff = k->e;
  rh_haptic_hand_wrench(&t);
  rh_haptic_sense_hand(&t);
  if (k->device != RH_NONE && rh_haptic_coupling_of(k)->act) {
    rh_haptic_coupling_of(k)->act(&t);
  }
  if (rh_haptic_method_of(k)->meet) {
    rh_haptic_method_of(k)->meet(&t);
  }
  fill_wrench(&t, !(rh_haptic_method_of(k)->hold && rh_haptic_coupling_of(k)->feels));
  move_world(&t);
  t.now->ticks++;
  *d->t = t.now->ticks * h->dt;
  fill_output(&t, out);
}
