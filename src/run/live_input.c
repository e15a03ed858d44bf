// live_input.c: external inputs during a run, between two runs of the loop: a hand takes hold of a
// body, or values of the scene change. Each acts at a frame, so that a run with the same inputs at
// the same frames has the same bits.
//
// With other values there is another model. A new simulation is made for it and takes over the
// state: the same path as a resumed run. The energy in the springs of contacts by the old and by
// the new values differs, as do other energies: the difference is external work, and is recorded.
#include "run.h"

#include "multibody/multibody.h"

#include <string.h>

// ---- The hand

static double carried_mass(const rh_model *m, int body)
{
  double mass = 0;
  for (int i = 1; i < m->nbody; i++) {
    for (int k = i; k > 0; k = m->body[k].parent) {
      mass += k == body ? m->body[i].inertia.mass : 0;
    }
  }
  return mass;
}

rh_status rh_sim_drag(rh_sim *sim, int body, rh_vec3 grip, rh_vec3 target)
{
  const rh_model *m = sim->model;
  if (!m->run.hand || body < 1 || body >= m->nbody || m->body[body].tree == 0) {
    return RH_WRONG_USAGE;
  }
  *sim->data->hand = (rh_hand){.body = body,
                               .grip = {grip.x, grip.y, grip.z},
                               .target = {target.x, target.y, target.z},
                               .mass = carried_mass(m, body)};
  rh_sim_state_changed(sim);
  return RH_OK;
}

void rh_sim_drop(rh_sim *sim)
{
  if (sim->data->hand != NULL) {
    *sim->data->hand = (rh_hand){0};
    rh_sim_state_changed(sim);
  }
}

// ---- Forces of a program

rh_status rh_sim_apply_force(rh_sim *sim, int body, rh_vec3 point, rh_vec3 force)
{
  rh_data *d = sim->data;
  if (body < 1 || body >= sim->model->nbody || sim->model->body[body].tree == 0) {
    return RH_WRONG_USAGE;
  }
  rh_kinematics(d);
  rh_vec3 arm = rh_sub(point, d->kin[body].p);
  d->fext[body] = rh_force_add(d->fext[body], (rh_force){rh_cross(arm, force), force});
  rh_sim_state_changed(sim);
  return RH_OK;
}

void rh_sim_clear_forces(rh_sim *sim)
{
  memset(sim->data->fext, 0, (size_t)sim->model->nbody * sizeof *sim->data->fext);
  rh_sim_state_changed(sim);
}

// ---- Other values

static double *work_of(rh_data *d, int slot, rh_contact_work work)
{
  return d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK + (int)work;
}

// Slots whose contact changes its kind end; a changed friction law begins without memory.
// [evaluate: `from`]
static void revise_slots(const rh_data *from, rh_data *d)
{
  for (int k = rh_slots_used(d) - 1; k >= 0; k--) {
    int contact = rh_slot_contact(d, k);
    if (contact == RH_NONE) {
      continue;
    }
    const rh_model_contact *was = &from->model->contact[contact];
    const rh_model_contact *is = &d->model->contact[contact];
    bool other = was->friction != is->friction;
    bool ends = (was->law == NULL) != (is->law == NULL);
    if (other || ends) {
      size_t cells = (size_t)d->model->layout.ncell;
      memset(d->s + (size_t)k * RH_SLOT_STATES, 0, RH_SLOT_WORK * sizeof *d->s);
      memset(rh_slot_cells(d, k), 0, cells * sizeof(double));
      *work_of(d, k, RH_CONTACT_SPRING) -= from->contact[k].recoverable;
    }
    if (ends) {
      *work_of(d, k, RH_CONTACT_NORMAL) -= from->contact[k].stored;
      rh_slot_release(d, k);
    }
  }
}

// The springs of contacts hold other energies by other values. [evaluate: both]
static void revise_stores(const rh_data *from, rh_data *d)
{
  for (int k = 0; k < rh_slots_used(d); k++) {
    int contact = rh_slot_contact(d, k);
    if (contact == RH_NONE || !d->contact[k].on || !from->contact[k].on) {
      continue;
    }
    bool same = from->model->contact[contact].friction == d->model->contact[contact].friction;
    *work_of(d, k, RH_CONTACT_NORMAL) += d->contact[k].stored - from->contact[k].stored;
    *work_of(d, k, RH_CONTACT_SPRING) +=
        d->contact[k].recoverable - (same ? from->contact[k].recoverable : 0);
  }
}

// A limit that has moved releases a joint at rest on it, and so does dry friction that is removed;
// changed commands of the scene are given.
static void revise_joints(const rh_data *from, rh_data *d)
{
  const rh_model *was = from->model;
  const rh_model *is = d->model;
  for (int k = 0; k < is->nv; k++) {
    bool moved = (d->hold[k] == RH_HOLD_LOWER && was->dof[k].lower != is->dof[k].lower) ||
                 (d->hold[k] == RH_HOLD_UPPER && was->dof[k].upper != is->dof[k].upper) ||
                 (d->hold[k] == RH_HOLD_DRY && !(is->dof[k].stiction > 0));
    d->hold[k] = moved ? RH_HOLD_NONE : d->hold[k];
  }
  for (int i = 0; i < is->tendons.n && is->layout.ntendon > 0; i++) {
    const rh_model_tendon *x = &was->tendons.of[i];
    const rh_model_tendon *y = &is->tendons.of[i];
    double *hold = &d->dyn.tendon_hold[y->stop != RH_NONE ? y->stop : 0];
    bool moved = (*hold == RH_HOLD_LOWER && x->lower != y->lower) ||
                 (*hold == RH_HOLD_UPPER && x->upper != y->upper) ||
                 (*hold == RH_HOLD_DRY && !(y->friction > 0));
    *hold = y->stop != RH_NONE && moved ? RH_HOLD_NONE : *hold;
  }
  for (int i = 0; i < is->nactuator; i++) {
    if (memcmp(&was->actuator[i].command, &is->actuator[i].command, sizeof(rh_command)) != 0) {
      rh_actuator_command(d, i, &is->actuator[i].command);
    }
  }
  if (d->hand != NULL && d->hand->body != 0) {
    d->hand->mass = carried_mass(is, (int)d->hand->body);
  }
}

static void take_over(rh_sim *old, rh_sim *sim)
{
  rh_data *from = old->data;
  rh_data *d = sim->data;
  old->model->run.engine->evaluate(from);
  double before = rh_ledger_energy(from);
  memcpy(d->state, from->state, (size_t)sim->model->layout.nstate * sizeof *d->state);
  rh_data_wake(d, 0);
  revise_joints(from, d);
  revise_slots(from, d);
  sim->model->run.engine->evaluate(d);
  revise_stores(from, d);
  double change = rh_ledger_energy(d) - before;
  *(d->hand != NULL ? &d->work[RH_WORK_HAND] : &d->energy_base[1]) += change;
}

// tau and fext of the program. Returns whether there are any.
static bool take_forces(const rh_data *from, rh_data *d)
{
  size_t nv = (size_t)d->model->nv;
  size_t nbody = (size_t)d->model->nbody;
  bool other = memcmp(d->tau, from->tau, nv * sizeof *d->tau) != 0 ||
               memcmp(d->fext, from->fext, nbody * sizeof *d->fext) != 0;
  memcpy(d->tau, from->tau, nv * sizeof *d->tau);
  memcpy(d->fext, from->fext, nbody * sizeof *d->fext);
  return other;
}

// Of a world that has not run yet, by comparison with the start of its model: what a program wrote,
// and the hand. Returns whether there is any.
static bool take_start(const rh_data *from, const rh_data *start, rh_data *d)
{
  bool held = d->hand != NULL && from->hand != NULL && from->hand->body != 0;
  if (held) {
    *d->hand = *from->hand;
    d->hand->mass = carried_mass(d->model, (int)d->hand->body);
  }
  return rh_data_keep_start(d, from, start) || held;
}

static void count_on(const rh_sim *old, rh_sim *sim)
{
  sim->before = rh_sim_statistics(old).step;
  sim->impact = old->impact;
  sim->checked = old->checked;
  double bound = sim->residue.bound; // of the new model
  sim->residue = old->residue;
  sim->residue.bound = bound;
  sim->met = old->met;
  memcpy(sim->verdicts, old->verdicts, sizeof sim->verdicts);
  memcpy(sim->first_verdict, old->first_verdict, sizeof sim->first_verdict);
  sim->undetermined = old->undetermined;
  sim->several_at = old->several_at;
  sim->events = old->events;
  sim->last_event = old->last_event;
  sim->piled = old->piled;
  sim->observer = old->observer;
  sim->data->control.program = old->data->control.program;
  sim->data->control.program_user = old->data->control.program_user;
}

static rh_status replace_model(rh_sim **sim, const rh_model *model, double *row, rh_diag *diag)
{
  rh_sim *old = *sim;
  rh_sim *fresh = NULL;
  RH_TRY(rh_sim_create_in(model, row, diag, &fresh));
  rh_status status = RH_OK;
  for (int i = 0; status == RH_OK && i < old->nuser; i++) {
    rh_guard guard = old->user[i];
    guard.name = old->user_name[i];
    status = rh_sim_add_guard(fresh, &guard);
  }
  rh_data *start = old->started ? NULL : rh_data_create(old->model);
  if (status == RH_OK && !old->started && !start) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
    status = RH_OUT_OF_MEMORY;
  }
  if (status != RH_OK) {
    rh_data_destroy(start);
    rh_sim_destroy(fresh);
    return status;
  }
  rh_sim_settle_resumed(old);
  count_on(old, fresh);
  bool forces = take_forces(old->data, fresh->data);
  if (old->started) {
    take_over(old, fresh);
    rh_sim_continue(fresh, old->frame);
  } else if (take_start(old->data, start, fresh->data) || forces) {
    rh_sim_state_changed(fresh);
  }
  rh_data_destroy(start);
  rh_sim_destroy(old);
  *sim = fresh;
  return RH_OK;
}

rh_status rh_sim_replace_model_in(rh_sim **sim, const rh_model *model, double *row, rh_diag *diag)
{
  rh_data *d = (*sim)->data;
  if (!rh_model_same_layout((*sim)->model, model)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "bodies, joints, shapes, contacts, names and frames of a scene cannot change while "
                "it runs");
    return RH_INPUT_REFUSED;
  }
  if (!row) {
    return replace_model(sim, model, NULL, diag);
  }
  double *aside = rh_alloc(rh_data_row(model) * sizeof *aside);
  if (!aside) {
    return RH_OUT_OF_MEMORY;
  }
  rh_data_move(d, aside); // the new world is made in the row
  rh_status status = replace_model(sim, model, row, diag);
  if (status != RH_OK) {
    rh_data_move(d, row);
  }
  rh_free(aside);
  return status;
}

rh_status rh_sim_replace_model(rh_sim **sim, const rh_model *model, rh_diag *diag)
{
  return rh_sim_replace_model_in(sim, model, NULL, diag);
}
