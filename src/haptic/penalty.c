// Penalties ([CSC] 5*, 6*): contacts of groups that rest are pressed apart by their law, never
// together, with the friction of their friction law. The ledger of a tick uses mean velocities, as
// a semi-implicit step does with a force: kinetic energy changes by dt F (v0 + v1)/2 exactly while
// the inertia is constant. A spring's energy follows from its depth; the two differ by the
// integrator's error, which the ledger shows as its residue. A spring that a collision switches
// off, or that appears at once, is recorded as an event.
#include "step.h"

#include <math.h>
#include <string.h>

// Friction with states: a vector in the contact plane, kept in the slot in world axes. Its rates
// are those of the slip at the start of the tick; it goes through the tick in STEPS parts, so that
// bristles that slide (rate sigma0/sigma1) stay stable, and the force is the mean. A new contact is
// unstrained. [kinematics]
static void apply_friction(rh_tick *t, rh_haptic_contact *x, const rh_model_contact *laws)
{
  enum { STEPS = 32 };

  rh_contact *c = &x->contact;
  double *kept = t->d->s + (size_t)x->slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_vec3 state = x->fresh ? rh_v3(0, 0, 0) : rh_v3(kept[0], kept[1], kept[2]);
  double s[RH_FRICTION_STATES] = {rh_dot(c->t1, state), rh_dot(c->t2, state)};
  int steps = laws->friction->nstate > 0 ? STEPS : 1;
  rh_friction_in in = {c->depth,           c->rate, c->normal, {c->slip[0], c->slip[1]},
                       laws->friction_par, s,       c->radius};
  c->friction[0] = c->friction[1] = 0;
  for (int k = 0; k < steps; k++) {
    rh_friction_out out = {0};
    laws->friction->force(&in, &out);
    for (int i = 0; i < 2; i++) {
      c->friction[i] += out.force[i] / steps;
      s[i] += t->h->dt / steps * out.ds[i];
    }
    c->recoverable = out.stored;
  }
  if (steps > 1 && !x->fresh) {
    state = rh_addscaled(rh_scale(s[0], c->t1), s[1], c->t2);
    kept[0] = state.x;
    kept[1] = state.y;
    kept[2] = state.z;
  }
}

static void evaluate_penalty(rh_tick *t, rh_haptic_contact *x)
{
  rh_contact *c = &x->contact;
  const rh_model_contact *laws = &t->h->m->contact[c->rule];
  rh_normal_in in = {c->depth, c->rate, c->radius, laws->par, NULL};
  rh_normal_out out = {0};
  laws->law->force(&in, &out);
  c->on = true;
  c->normal = fmax(out.spring + out.damper, 0); // [CSC] 5*
  c->stored = out.stored;
  x->spring = out.spring;
  apply_friction(t, x, laws);
}

static void tool_share(rh_tick *t, const rh_contact *c)
{
  rh_vec3 f = rh_scale(c->normal, c->n);
  f = rh_addscaled(f, c->friction[0], c->t1);
  f = rh_addscaled(f, c->friction[1], c->t2);
  rh_grip_feel(t, c->a, c->point, f, t->env);
  rh_grip_feel(t, c->b, c->point, rh_neg(f), t->env);
}

void rh_haptic_apply_penalties(rh_tick *t, bool resting)
{
  rh_haptic *h = t->h;
  for (int i = 0; i < h->ncontact; i++) {
    rh_haptic_contact *c = &h->contact[i];
    if (!resting || h->state[c->group] != RH_STATE_COLLIDING) {
      evaluate_penalty(t, c);
      tool_share(t, &c->contact);
    }
  }
}

// ---- Ledger

static void add_penalty_work(rh_tick *t, const rh_haptic_contact *x)
{
  const rh_contact *c = &x->contact;
  rh_haptic_slot *s = &t->slot[x->slot];
  double *past = t->d->past + c->rule * RH_CONTACT_WORK_COUNT;
  rh_motion va = rh_mean_motion(t, c->a);
  rh_motion vb = rh_mean_motion(t, c->b);
  rh_vec3 ra = rh_sub(c->point, t->d->kin[c->a].p);
  rh_vec3 rb = rh_sub(c->point, t->d->kin[c->b].p);
  rh_vec3 u = rh_sub(rh_add(va.lin, rh_cross(va.ang, ra)), rh_add(vb.lin, rh_cross(vb.ang, rb)));
  double rate = -rh_dot(c->n, u);
  double slid = c->friction[0] * rh_dot(c->t1, u) + c->friction[1] * rh_dot(c->t2, u);
  double dt = t->h->dt;
  if (s->acting == 0) {
    t->d->energy_base[1] += c->stored + c->recoverable; // it appears at once
    s->bent = c->recoverable;
  }
  s->acting = 1;
  s->stored = c->stored + dt * x->spring * rate;
  past[RH_CONTACT_DAMPER] += dt * (c->normal - x->spring) * rate;
  past[RH_CONTACT_SLIDE] -= dt * slid + c->recoverable - s->bent;
  s->bent = c->recoverable;
}

void rh_haptic_add_penalty_work(rh_tick *t)
{
  rh_haptic *h = t->h;
  for (int i = 0; i < h->m->ncontact; i++) {
    t->d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] = 0;
    t->d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SPRING] = 0;
  }
  for (int i = 0; i < h->ncontact; i++) {
    const rh_haptic_contact *c = &h->contact[i];
    rh_haptic_slot *s = &t->slot[c->slot];
    if (c->contact.on) {
      add_penalty_work(t, c);
    } else if (s->acting != 0) {
      t->d->energy_base[1] -= s->stored + s->bent; // taken by a collision
      s->acting = 0;
      s->stored = 0;
      s->bent = 0;
    }
    t->d->past[c->contact.rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_SPRING] += s->bent;
    t->d->past[c->contact.rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] += s->stored;
  }
}
