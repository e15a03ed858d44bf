// Stage 10: the books. With v0, v1 the velocities before and after, the kinetic energy changes by h f.(v0 + v1)/2 through forces and by
// p.(u0 + u1)/2 through impulses, whatever happened in between: both are booked as they stand, sliding apart from the normals.
// Where contacts only last, bodies move by h (v0 + v1)/2, and gravity's work is that of the ledger. Where one came within the step what is pressed moves by h v1, so that no gap is passed: what gravity did not do then is the contact's.
// A compliant contact has what its spring holds and what its damper took by themselves (soft.c); what a step's error makes of them, and of gravity
// on what only they carry, is the residue.
// What the position pass (drift.c) lifts is booked nowhere: it is the ledger's residue.
#include "moreau/moreau.h"

#include <string.h>

static rh_vec3 vec_at(const double *x)
{
  return rh_v3(x[0], x[1], x[2]);
}

void rh_mo_book_begin(rh_mo *w)
{
  memset(w->slide, 0, (size_t)w->m->ncontact * sizeof *w->slide);
  memset(w->damped, 0, (size_t)w->m->ncontact * sizeof *w->damped);
}

static const double FLAT = 1e-10; // [m] a gap that changes by no more than this in a step lasts

typedef struct work { // [J] of an impulse
  double normal, slide;
} work;

static work work_of(const rh_mo *w, int k, rh_vec3 P, rh_vec3 u)
{
  const rh_mo_con *c = &w->con[k];
  double whole = 0.5 * rh_dot(P, rh_add(w->side[k].u0, u));
  double normal = 0.5 * c->p[3] * (w->side[k].un + rh_dot(vec_at(c->n), u));
  return (work){normal, whole - normal};
}

bool rh_mo_book_contacts(rh_mo *w, const rh_mo_island *s, rh_mo_touch *touch, double h)
{
  bool smooth = true;
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_mo_con *c = &w->con[k];
    rh_mo_touch *t = &touch[w->side[k].touch];
    rh_vec3 u = rh_mo_velocity(w, c);
    double closing = -0.5 * h * (w->side[k].un + rh_dot(vec_at(c->n), u));
    double room = c->p[3] == 0 && t->phi > 0 ? t->phi : 0;
    smooth = smooth && closing <= room + FLAT && (c->p[3] == 0 || closing >= -FLAT);
    if (w->side[k].law) {
      smooth = smooth && c->p[3] == 0; // its depth is that at the end
      rh_mo_soft_book(w, k, rh_dot(vec_at(c->n), u), t);
    }
    if (c->p[3] == 0) {
      t->f = rh_v3(0, 0, 0);
      t->since = 0;
      continue;
    }
    rh_vec3 P = rh_mo_impulse(c, c->p);
    work x = work_of(w, k, P, u);
    *(k < w->room ? &w->side[k].slide : &w->slide[t->rule]) -=
        x.slide; // those looked at again have no place of their own
    w->struck += w->side[k].law ? 0 : x.normal;
    t->since = rh_dot(t->f, t->f) > 0 ? t->since : *w->d->t;
    t->f = rh_scale(1 / h, P);
  }
  return smooth;
}

void rh_mo_book_blow(rh_mo *w, int k, double fastest)
{
  const rh_mo_con *c = &w->con[k];
  const rh_mo_side *side = &w->side[k];
  rh_vec3 P = rh_mo_impulse(c, c->p);
  rh_vec3 u = rh_mo_velocity(w, c);
  work x = work_of(w, k, P, u);
  w->slide[side->rule] -= x.slide;
  w->struck += x.normal;
  if (side->un >= -rh_mo_slow(w)) {
    return;
  }
  double after = rh_dot(vec_at(c->n), u);
  rh_event e = rh_sim_event(w->sim, RH_EVENT_IMPACT,
                            rh_model_name(w->m, RH_OBJECT_CONTACT, side->rule), RH_NONE);
  e.t += w->at;
  e.point[0] = side->point.x;
  e.point[1] = side->point.y;
  e.point[2] = side->point.z;
  e.before = side->un;
  e.after = after;
  e.impulse = c->p[3];
  e.friction = rh_norm(rh_addscaled(P, -c->p[3], vec_at(c->n)));
  e.Dn = -x.normal;
  e.Dt = -x.slide;
  e.work = x.normal + x.slide;
  w->tally.impacts++;
  // What hardly approached leaves as the others send it: that is no restitution of its own.
  if (c->p[3] > 0 && side->un <= 0.5 * fastest) {
    rh_sim_note_impact(w->sim, side->un, after);
  }
  rh_sim_tell(w->sim, &e);
}

void rh_mo_book_force(rh_mo *w, int i, double h)
{
  rh_mo_cold *c = &w->cold[i];
  const rh_mo_hot *b = &w->hot[i];
  rh_vec3 f = rh_scale(c->mass, rh_sub(c->a, w->m->gravity));
  rh_vec3 v = rh_add(c->v0, vec_at(b->v));
  rh_vec3 spin = rh_add(c->w0, vec_at(b->w));
  c->work += 0.5 * h * (rh_dot(f, v) + rh_dot(c->torque, spin));
}

static void book_forces(rh_mo *w)
{
  for (int i = 1; i <= w->nfree; i++) {
    if (w->cold[i].forced) {
      w->d->work[RH_WORK_EXTERNAL] += w->cold[i].work;
    }
  }
}

// What springs hold, and what dampers took
static void book_soft(rh_mo *w)
{
  double *past = w->d->past;
  for (int i = 0; i < w->m->ncontact; i++) {
    past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] = 0;
    past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_DAMPER] += w->damped[i];
  }
  for (int k = 0; k < w->ntouch; k++) {
    const rh_mo_side *side = &w->side[k]; // in the order of islands
    past[w->touch[k].rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] += w->touch[k].stored;
    past[side->rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_DAMPER] += side->damped;
  }
}

void rh_mo_book_end(rh_mo *w)
{
  rh_data *d = w->d;
  book_forces(w);
  for (int k = 0; k < w->ntouch; k++) {
    w->slide[w->side[k].rule] += w->side[k].slide;
  }
  if (w->soft) {
    book_soft(w);
  }
  double struck = 0;
  for (int i = 0; i < w->nisland; i++) {
    struck += w->island[i].struck;
  }
  for (int i = 0; i < w->m->ncontact; i++) {
    d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE] += w->slide[i];
  }
  d->books[1] += struck;
}
