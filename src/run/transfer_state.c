// transfer_state.c: a run goes on in another scene: bodies came, bodies went. Objects that both
// scenes have by the same name go on unchanged, bit for bit: bodies with their coordinates and
// velocities, contact points with the memory of their friction. The rest begins as in its scene.
// The energy of bodies that came or went is external work, and is recorded.
// Left out: actuators, controllers, sensors, external forces and events of the scene; they begin anew.
#include "run.h"

#include <string.h>

typedef struct carry {
  const rh_data *from;
  rh_data *to;
} carry;

// Index in the new model of object `index` of the old one, RH_NONE.
static int find_counterpart(const carry *c, rh_object object, double index)
{
  const rh_model *m = c->from->model;
  bool right = index >= 0 && index < rh_model_count(m, object);
  const char *name = right ? rh_model_name(m, object, (int)index) : NULL;
  return name != NULL && name[0] != '\0' ? rh_model_find(c->to->model, object, name) : RH_NONE;
}

static void carry_bodies(const carry *c)
{
  const rh_model *m = c->from->model;
  for (int i = 1; i < m->nbody; i++) {
    int k = find_counterpart(c, RH_OBJECT_BODY, i);
    const rh_model_body *was = &m->body[i];
    if (k == RH_NONE || k == 0 || c->to->model->body[k].joint != was->joint) {
      continue;
    }
    const rh_model_body *is = &c->to->model->body[k];
    size_t nq = (size_t)was->joint->nq;
    size_t nv = (size_t)was->nv;
    memcpy(c->to->q + is->qadr, c->from->q + was->qadr, nq * sizeof(double));
    memcpy(c->to->v + is->vadr, c->from->v + was->vadr, nv * sizeof(double));
    memcpy(c->to->hold + is->vadr, c->from->hold + was->vadr, nv * sizeof(double));
    memcpy(c->to->dry + is->vadr, c->from->dry + was->vadr, nv * sizeof(double));
  }
}

static void carry_tendons(const carry *c)
{
  const rh_model_tendons *all = &c->from->model->tendons;
  for (int i = 0; i < all->n; i++) {
    int k = find_counterpart(c, RH_OBJECT_TENDON, i);
    int was = all->of[i].stop;
    int is = k != RH_NONE ? c->to->model->tendons.of[k].stop : RH_NONE;
    if (was != RH_NONE && is != RH_NONE) {
      c->to->dyn.tendon_hold[is] = c->from->dyn.tendon_hold[was];
      c->to->dyn.tendon_dry[is] = c->from->dyn.tendon_dry[was];
    }
  }
}

// A contact of the same name is the same one if its laws are.
static int same_contact(const carry *c, double contact)
{
  int k = find_counterpart(c, RH_OBJECT_CONTACT, contact);
  if (k == RH_NONE) {
    return RH_NONE;
  }
  const rh_model_contact *was = &c->from->model->contact[(int)contact];
  const rh_model_contact *is = &c->to->model->contact[k];
  return was->law == is->law && was->impact == is->impact && was->friction == is->friction
             ? k
             : RH_NONE;
}

static void carry_contacts(const carry *c)
{
  const size_t work = RH_CONTACT_WORK_COUNT;
  const size_t states = RH_SLOT_STATES;
  rh_data *to = c->to;
  int used = 0;
  for (int i = 0; i < c->from->model->ncontact; i++) {
    int k = find_counterpart(c, RH_OBJECT_CONTACT, i);
    if (k != RH_NONE) {
      memcpy(to->past + (size_t)k * work, c->from->past + (size_t)i * work, work * sizeof(double));
    }
  }
  for (int i = 0; i < rh_slots_used(c->from) && i < to->model->nslot; i++) {
    rh_slot slot = c->from->slot[i];
    int a = find_counterpart(c, RH_OBJECT_SHAPE, slot.a);
    int b = find_counterpart(c, RH_OBJECT_SHAPE, slot.b);
    int contact = same_contact(c, slot.contact);
    if (slot.used == 0 || a == RH_NONE || b == RH_NONE || contact == RH_NONE) {
      continue;
    }
    slot.a = a;
    slot.b = b;
    slot.contact = contact;
    to->slot[i] = slot;
    memcpy(to->s + (size_t)i * states, c->from->s + (size_t)i * states, states * sizeof(double));
    if (to->model->layout.ncell == c->from->model->layout.ncell) {
      size_t cells = (size_t)to->model->layout.ncell;
      memcpy(rh_slot_cells(to, i), rh_slot_cells(c->from, i), cells * sizeof(double));
    }
    used = i + 1;
  }
  *to->used = used;
}

static void carry_books(const carry *c)
{
  int nwork = c->from->model->layout.nwork < c->to->model->layout.nwork
                  ? c->from->model->layout.nwork
                  : c->to->model->layout.nwork;
  *c->to->t = *c->from->t;
  memcpy(c->to->work, c->from->work, (size_t)nwork * sizeof(double));
  memcpy(c->to->energy_base, c->from->energy_base, 2 * sizeof(double));
  if (c->from->hand == NULL || c->to->hand == NULL || c->from->hand->body == 0) {
    return;
  }
  int body = find_counterpart(c, RH_OBJECT_BODY, c->from->hand->body);
  if (body != RH_NONE) {
    *c->to->hand = *c->from->hand;
    c->to->hand->body = body;
  }
}

void rh_sim_transfer(rh_sim *sim, const rh_sim *from)
{
  carry c = {from->data, sim->data};
  if (!from->started) {
    return;
  }
  double before = rh_ledger_read(from->data).residue;
  carry_books(&c);
  carry_bodies(&c);
  carry_tendons(&c);
  carry_contacts(&c);
  rh_sensors_note_step(c.to);
  double change = rh_ledger_read(c.to).residue - before;
  *(c.to->hand != NULL ? &c.to->work[RH_WORK_HAND] : &c.to->energy_base[1]) += change;
  rh_sim_continue(sim, from->frame);
}
