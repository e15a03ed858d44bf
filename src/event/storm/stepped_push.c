// stepped_push.c: stage 5 for contacts that are stepped in time: their kept forces act on the bodies.
#include "multibody/multibody.h"
#include "storm.h"

#include <math.h>
#include <string.h>

double *rh_storm_force(const rh_data *d, int slot)
{
  return d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
}

// The kept force in the present frame of its contact: rows t1, t2, n. The normal force keeps its
// size and turns with the surfaces; friction is a constant vector, the part in the contact plane.
void rh_storm_force_rows(const rh_data *d, int slot, double p[3])
{
  const rh_contact *c = &d->contact[slot];
  const double *kept = rh_storm_force(d, slot);
  rh_vec3 f = {kept[0], kept[1], kept[2]};
  p[0] = rh_dot(f, c->t1);
  p[1] = rh_dot(f, c->t2);
  p[2] = d->slot[slot].speed;
}

rh_closed rh_storm_mode(const rh_data *d, int slot)
{
  double mu = rh_slot_sliding(d, slot);
  double p[3];
  rh_storm_force_rows(d, slot, p);
  if (p[2] <= 0) {
    return RH_CLOSED_IDLE;
  }
  bool edge = fabs(rh_hypot(p[0], p[1]) - mu * p[2]) <= RH_STORM_EDGE * mu * p[2];
  return edge ? RH_CLOSED_SLIDE : RH_CLOSED_STICK;
}

// ---- Stage 5

static void push_contact(rh_data *d, int slot)
{
  rh_contact *c = &d->contact[slot];
  double p[3];
  rh_storm_force_rows(d, slot, p);
  rh_vec3 f = rh_addscaled(rh_addscaled(rh_scale(p[2], c->n), p[0], c->t1), p[1], c->t2);
  c->friction[0] = p[0];
  c->friction[1] = p[1];
  c->normal = p[2];
  c->margin = 1;
  double *work = rh_search(d)->slot_rate + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK;
  work[RH_CONTACT_SLIDE] = -(p[0] * c->slip[0] + p[1] * c->slip[1]);
  work[RH_CONTACT_DAMPER] = p[2] * c->rate;
  if (rh_slot_turns(d, slot)) {
    rh_contact_set_torque(d, slot, c, rh_turn_stepped(d, slot));
  }
  rh_contact_push(d, c);
  rh_force on_a = {rh_cross(rh_sub(c->point, d->kin[c->a].p), f), f};
  rh_force on_b = {rh_cross(rh_sub(c->point, d->kin[c->b].p), rh_neg(f)), rh_neg(f)};
  if (rh_slot_turns(d, slot)) {
    on_a.ang = rh_add(on_a.ang, c->torque);
    on_b.ang = rh_sub(on_b.ang, c->torque);
  }
  d->dyn.f[c->a] = rh_force_add(d->dyn.f[c->a], on_a);
  d->dyn.f[c->b] = rh_force_add(d->dyn.f[c->b], on_b);
}

void rh_storm_forces(rh_data *d)
{
  bool any = false;
  for (int k = 0; k < d->ncontact; k++) {
    if (!d->contact[k].on || !rh_slot_stepped(d, k)) {
      continue;
    }
    if (!any) {
      memset(d->dyn.f, 0, (size_t)d->model->nbody * sizeof *d->dyn.f);
    }
    any = true;
    push_contact(d, k);
  }
  if (any) {
    rh_wrench_more(d, d->dyn.f);
  }
}
