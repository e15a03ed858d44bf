// contact_report.c: events of one contact: it begins, sticks, slips, ends.
#include "rigid.h"

#include <math.h>

static double *work_of(rh_data *d, int slot, rh_contact_work work)
{
  return d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK + (int)work;
}

rh_event rh_contact_event(const rh_sim *sim, rh_event_kind kind, int slot)
{
  int contact = rh_slot_contact(sim->data, slot);
  const char *name =
      contact == RH_NONE ? "" : rh_model_name(sim->model, RH_OBJECT_CONTACT, contact);
  const rh_contact *c = &sim->data->contact[slot];
  rh_event e = rh_sim_event(sim, kind, name, RH_NONE);
  const rh_slot *shapes = &sim->data->slot[slot];
  if (contact != RH_NONE) {
    rh_event_name_bodies(sim->model, &e, sim->model->shape[(int)shapes->a].body,
                         sim->model->shape[(int)shapes->b].body);
  }
  e.slot = slot;
  rh_vec3 point = c->on ? c->point : rh_slot_point(sim->data, slot);
  e.point[0] = point.x;
  e.point[1] = point.y;
  e.point[2] = point.z;
  return e;
}

void rh_contact_report(rh_sim *sim, rh_event_kind kind, int slot)
{
  const rh_contact *c = &sim->data->contact[slot];
  rh_event e = rh_contact_event(sim, kind, slot);
  bool friction = kind == RH_EVENT_STICK || kind == RH_EVENT_SLIP;
  e.before = e.after = friction ? rh_hypot(c->slip[0], c->slip[1]) : c->rate;
  rh_sim_emit_event(sim, &e);
}

// Has another contact acted on one of its trees since it began? Trees that share a place in `parted`
// count as one.
static bool is_shared(const rh_sim *sim, int slot)
{
  const rh_model *m = sim->model;
  const rh_slot *own = &sim->data->slot[slot];
  bool shared = false;
  for (int side = 0; side < 2; side++) {
    int tree = m->body[m->shape[(int)(side == 0 ? own->a : own->b)].body].tree;
    shared = shared || (tree != 0 && sim->parted[tree % RH_PARTED_TREES] > own->since);
    for (int k = 0; tree != 0 && !shared && k < sim->data->ncontact; k++) {
      const rh_contact *c = &sim->data->contact[k];
      shared = k != slot && c->on &&
               (m->body[m->shape[c->shape[0]].body].tree == tree ||
                m->body[m->shape[c->shape[1]].body].tree == tree);
    }
  }
  return shared;
}

static void note_parting(rh_sim *sim, int slot)
{
  const rh_model *m = sim->model;
  const rh_slot *own = &sim->data->slot[slot];
  for (int side = 0; side < 2; side++) {
    int tree = m->body[m->shape[(int)(side == 0 ? own->a : own->b)].body].tree;
    if (tree != 0) {
      sim->parted[tree % RH_PARTED_TREES] = *sim->data->t;
    }
  }
}

// Records a bounce that just ended; rigid ones are reported at once. A contact that began at rest,
// or was pressed and lifted later, is none: it lasted much longer than its spring swings.
static void note_bounce(rh_sim *sim, int slot)
{
  static const double SWINGS =
      5; // half periods of the spring: some are slowed by gravity or damping
  rh_impact_stats *s = &sim->impact;
  const rh_slot *slots = sim->data->slot;
  double speed = slots[slot].speed;
  double lasted = *sim->data->t - slots[slot].since;
  bool bounce = speed > fmax(sim->model->run.rest_speed, RH_TOL_SLIP) &&
                !rh_slot_rigid(sim->data, slot) && sim->data->contact[slot].on &&
                lasted <= SWINGS * rh_contact_swing(sim->data, slot, speed);
  if (bounce) {
    bool single = !is_shared(sim, slot);
    if (single) {
      rh_widen_range(-sim->data->contact[slot].rate / speed, s->single == 0, &s->e_lo, &s->e_hi);
    }
    s->single += single;
    rh_widen_range(lasted, s->time_hi == 0, &s->time_lo, &s->time_hi);
    s->impacts++;
  }
}

void rh_contact_end(rh_sim *sim, int slot)
{
  // A feature that vanished while it was deep takes its energy along: that is recorded.
  double before = rh_ledger_open(sim);
  double *stored = work_of(sim->data, slot, RH_CONTACT_NORMAL);
  *stored = sim->data->contact[slot].on ? *stored - sim->data->contact[slot].stored : 0;
  (void)rh_ledger_close(sim, before);
  note_bounce(sim, slot);
  note_parting(sim, slot);
  sim->check_due = sim->check_due || !rh_slot_rigid(sim->data, slot);
  rh_contact_report(sim, RH_EVENT_SEPARATE, slot);
  rh_slot_release(sim->data, slot);
  sim->data->contact[slot].on = false;
}
