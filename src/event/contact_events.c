// Stage 9 for contacts: new points get a slot, separating ones return it, and the energy changes
// are recorded. A contact that merely changes its features is no event (contact_match.c).
#include "event/storm/storm.h"
#include "rigid.h"

#include <math.h>

static double *work_of(rh_data *d, int slot, rh_contact_work work)
{
  return d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK + (int)work;
}

// Overlapping shapes have a contact whichever way they move; shapes that only touch and separate
// have none.
static bool point_begins_contact(const rh_data *d, const rh_contact *bare, double depth_above)
{
  rh_contact c = *bare;
  rh_contact_velocity(d, &c);
  bool rigid = rh_contact_rigid(d, c.rule);
  bool deep = bare->depth > RH_TOL_DEPTH && !rigid;
  return bare->depth > depth_above && (c.rate >= (rigid ? -RH_TOL_SEPARATION : 0) || deep);
}

// Gives slots to touching points; returns the number.
static int claim_all(rh_sim *sim, double depth_above, int *slot)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  int n = 0;
  for (int i = 0; i < rh_search(d)->nuntracked && !engine->full; i++) {
    if (point_begins_contact(d, &rh_search(d)->untracked[i], depth_above)) {
      slot[n] = rh_slot_claim(d, &rh_search(d)->untracked[i]);
      engine->full = slot[n] == RH_NONE;
      if (!engine->full) {
        rh_storm_count(sim, slot[n]);
      }
      n += !engine->full;
    }
  }
  return n;
}

// Every point deeper than `depth_above` that does not separate gets a slot; true if there was any.
// The energy of an overlap then appears at once, and is recorded.
static bool touch_down(rh_sim *sim, double depth_above)
{
  rh_data *d = sim->data;
  int slot[RH_UNTRACKED_MAX];
  double before = rh_ledger_open(sim);
  int n = claim_all(sim, depth_above, slot);
  bool any = n > 0;
  while (n > 0) {
    rh_sim_evaluate(d);
    for (int i = 0; i < n; i++) {
      *work_of(d, slot[i], RH_CONTACT_NORMAL) += d->contact[slot[i]].stored; // 0 without overlap
      rh_contact_report(sim, RH_EVENT_TOUCH, slot[i]);
    }
    n = claim_all(sim, depth_above, slot); // there may have been more than the capacity
  }
  if (any) {
    (void)rh_ledger_close(sim, before);
  }
  return any;
}

// ---- Compliant contacts with an impact at fast approach (`impact_law` in a scene): an impulse first,
// then the law. Only points that touch at this instant take part; those that are pressed in already
// push back by their laws, which have no effect in an instant.

static bool is_in_impact(const rh_data *d, int slot)
{
  const rh_contact *c = &d->contact[slot];
  const rh_model_contact *laws = &d->model->contact[c->rule];
  bool both = c->on && laws->law && laws->impact;
  return both && d->slot[slot].since == *d->t && c->rate > fmax(laws->impact_speed, RH_TOL_SLIP);
}

// A contact that separates after an impact returns its slot; the impact has been reported: its law
// adds no other.
static void end_impact(rh_sim *sim, int slot)
{
  rh_data *d = sim->data;
  if (rh_slot_mode(d, slot) == RH_CLOSED_DEALT) {
    rh_slot_set_mode(d, slot, RH_CLOSED_IDLE);
    d->slot[slot].speed = 0;
    if (d->contact[slot].rate <= 0) {
      rh_contact_end(sim, slot);
    }
  }
}

static void impact_fast_contacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  int used = rh_slots_used(d);
  bool any = false;
  for (int k = 0; k < used; k++) {
    if (is_in_impact(d, k)) {
      rh_slot_set_mode(d, k, RH_CLOSED_IN_IMPACT);
      any = true;
    }
  }
  if (any && rh_rigid_impacts(sim)) {
    rh_sim_evaluate(d);
    for (int k = 0; k < used; k++) {
      end_impact(sim, k);
    }
  }
}

// Smaller gaps are zero. [m]
static const double TOUCHING = 1e-12;

void rh_contacts_begin_touching(rh_sim *sim)
{
  if (rh_search(sim->data)->nuntracked > 0 && touch_down(sim, -TOUCHING)) {
    impact_fast_contacts(sim);
  }
}

double rh_contacts_shortest_flight(const rh_sim *sim)
{
  static const double PART = 0.5;
  const rh_data *d = sim->data;
  const rh_contact_search *s = rh_search(d);
  double bound = HUGE_VAL;
  for (int i = 0; i < s->nuntracked + s->nparting; i++) {
    int at = i < s->nuntracked ? i : RH_UNTRACKED_MAX - 1 - (i - s->nuntracked);
    const rh_contact *c = &s->untracked[at];
    if (c->rate < 0 && !rh_contact_rigid(d, c->rule)) {
      double pull = rh_contact_pull(d, c);
      bound = pull > 0 ? fmin(bound, PART * -c->rate / pull) : bound;
    }
  }
  return bound;
}

const int *rh_touch_hits(rh_sim *sim, const int *hit)
{
  rh_data *d = sim->data;
  const int *slots = hit + 1;
  int used = rh_slots_used(d);
  bool parted = false;
  if (sim->model->nslot == 0) {
    return slots;
  }
  rh_sim_evaluate(d);
  for (int k = 0; k < used; k++) {
    if (rh_slot_rigid(d, k)) {
      if (slots[2 * k] || slots[2 * k + 1]) {
        rh_storm_count(sim, k);
      }
      continue; // rh_events_settle decides anew
    }
    if (d->slot[k].used != 0 && slots[2 * k] && d->contact[k].rate <= 0) {
      rh_contact_end(sim, k);
      parted = true;
    } else if (slots[2 * k + 1] && d->contact[k].on) {
      rh_contact_report(sim, slots[2 * k + 1] > 0 ? RH_EVENT_STICK : RH_EVENT_SLIP, k);
    }
  }
  if (hit[0]) {
    if (parted) {
      rh_sim_evaluate(d);
    }
    if (touch_down(sim, -RH_TOL_GAP)) {
      impact_fast_contacts(sim);
    }
  }
  return slots + 2 * sim->model->nslot;
}
