// Stage 10: the books. With v0, v1 the velocities before and after, the kinetic energy changes by h f.(v0 + v1)/2 through forces and by
// p.(u0 + u1)/2 through impulses, whatever happened in between: both are booked as they stand, sliding apart from the normals.
// Where contacts only last, bodies move by h (v0 + v1)/2, and gravity's work is that of the ledger. Where one came within the step what is pressed moves by h v1, so that no gap is passed: what gravity did not do then is the contact's.
// A compliant contact has what its spring holds and what its damper took by themselves (compliant.c); what a step's error makes of them, and of gravity
// on what only they carry, is the residue.
// What the position pass (position_correction.c) lifts is booked nowhere: it is the ledger's residue.
#include "stepping.h"

#include <string.h>

void rh_mo_book_begin(rh_mo *w)
{
  memset(w->slide, 0, (size_t)w->m->ncontact * sizeof *w->slide);
}

// Contacts of an island that is looked at again have no place of their own: they book with the one that has their pair.
rh_mo_side *rh_mo_home(const rh_mo *w, int k)
{
  return &w->side[k < w->room ? k : w->again[w->side[k].touch].home];
}

static const double FLAT = 1e-10; // [m] a gap that changes by no more than this in a step lasts

typedef struct work { // [J] of an impulse
  double normal, slide;
} work;

static work work_of(const rh_mo *w, int k, rh_vec3 P, rh_vec3 u)
{
  const rh_mo_con *c = &w->con[k];
  double whole = 0.5 * rh_dot(P, rh_add(w->side[k].u0, u));
  double normal = 0.5 * c->p[3] * (w->side[k].un + rh_dot(rh_mo_at(c->n), u));
  return (work){normal, whole - normal};
}

// What came fast was struck, and its impulse is no force; the mean force of the others over the step is the impulse by its length.
static void note_load(const rh_mo *w, int k, rh_mo_slice *s)
{
  bool struck = !w->con[k].soft && w->side[k].un < 0 && w->side[k].un < -rh_mo_slow(w);
  double *most = struck ? &s->struck : &s->most;
  *most = w->con[k].p[3] > *most ? w->con[k].p[3] : *most;
}

typedef struct lasting {
  rh_mo_touch *touch;
  double h;
} lasting;

enum { AHEAD = 4 }; // contacts

static void book_slice(rh_mo *w, rh_mo_slice *s, const void *user)
{
  const lasting *l = user;
  rh_mo_touch *touch = l->touch;
  double h = l->h;
  int end = s->con + s->ncon;
  bool smooth = true;
  s->work = 0;
  s->most = w->tally.most; // what is more
  s->struck = w->tally.struck;
  for (int k = s->con; k < end; k++) {
    const rh_mo_con *c = &w->con[k];
    rh_mo_touch *t = &touch[w->side[k].touch];
    rh_mo_ask_for_bodies(w, k + AHEAD, end);
    if (k + 2 * AHEAD < end) {
      __builtin_prefetch(&touch[w->side[k + 2 * AHEAD].touch]);
    }
    rh_vec3 u = rh_mo_velocity(w, c);
    double closing = -0.5 * h * (w->side[k].un + rh_dot(rh_mo_at(c->n), u));
    double gap = w->side[k].phi;
    double room = c->p[3] == 0 && gap > 0 ? gap : 0;
    smooth = smooth && closing <= room + FLAT && (c->p[3] == 0 || closing >= -FLAT);
    if (c->soft) {
      smooth = smooth && c->p[3] == 0; // its depth is that at the end
      rh_mo_soft_book(w, k, rh_dot(rh_mo_at(c->n), u), t);
    }
    bool struck = w->lively && w->side[k].struck;
    smooth = smooth && !struck;
    if (c->p[3] == 0 || struck) {
      t->f = rh_v3(0, 0, 0);
      t->since = 0;
      continue;
    }
    rh_vec3 P = rh_mo_impulse(w, c, c->p);
    work x = work_of(w, k, P, u);
    rh_mo_home(w, k)->slide -= x.slide;
    s->work += c->soft ? 0 : x.normal;
    t->since = rh_dot(t->f, t->f) > 0 ? t->since : *w->d->t;
    if (c->p[3] > s->most || (w->side[k].un < 0 && c->p[3] > s->struck)) {
      note_load(w, k, s);
    }
    t->f = rh_scale(1 / h, P);
  }
  s->smooth = smooth;
}

bool rh_mo_book_contacts(rh_mo *w, const rh_mo_island *s, rh_mo_touch *touch, double h)
{
  const lasting l = {touch, h};
  rh_mo_slice sum = rh_mo_over(w, s, book_slice, &l, false);
  w->struck += sum.work;
  w->tally.most = sum.most > w->tally.most ? sum.most : w->tally.most;
  w->tally.struck = sum.struck > w->tally.struck ? sum.struck : w->tally.struck;
  return sum.smooth;
}

rh_mo_note *rh_mo_book_blow(rh_mo *w, int k, double fastest, rh_vec3 since)
{
  const rh_mo_con *c = &w->con[k];
  const rh_mo_side *side = &w->side[k];
  rh_vec3 P = rh_mo_impulse(w, c, c->p);
  rh_vec3 u = rh_sub(rh_mo_velocity(w, c), since);
  work x = work_of(w, k, P, u);
  rh_mo_home(w, k)->slide -= x.slide;
  w->struck += x.normal;
  if (side->un >= -rh_mo_slow(w) || w->nnote == w->note_room) {
    return NULL;
  }
  double after = rh_dot(rh_mo_at(c->n), u);
  rh_mo_note *e = rh_mo_note_add(w, side->rule, RH_NONE);
  e->a = side->a;
  e->b = side->b;
  e->point = side->point;
  e->before = side->un;
  e->after = after;
  e->impulse = c->p[3];
  e->friction = rh_norm(rh_addscaled(P, -c->p[3], rh_mo_at(c->n)));
  e->normal = x.normal;
  e->slide = x.slide;
  e->work = x.normal + x.slide;
  // What hardly approached leaves as the others send it: that is no restitution of its own.
  e->counts = c->p[3] > 0 && side->un <= 0.5 * fastest;
  w->tally.impacts++;
  return e;
}

void rh_mo_book_force(rh_mo *w, int i, double h)
{
  rh_mo_cold *c = &w->cold[i];
  const rh_mo_hot *b = &w->hot[i];
  rh_vec3 f = rh_scale(c->mass, rh_sub(c->a, w->m->gravity));
  rh_vec3 v = rh_add(c->v0, rh_mo_at(b->v));
  rh_vec3 spin = rh_add(c->w0, rh_mo_at(b->w));
  c->work += 0.5 * h * (rh_dot(f, v) + rh_dot(c->torque, spin));
  if (i == w->held) {
    double hand = 0.5 * h * (rh_dot(w->pull.lin, v) + rh_dot(w->pull.ang, spin));
    c->hand += hand;
    c->work -= hand;
  }
}

static void book_forces(rh_mo *w)
{
  for (int i = 1; i <= w->nfree; i++) {
    if (w->cold[i].forced) {
      w->d->work[RH_WORK_EXTERNAL] += w->cold[i].work;
    }
  }
  if (w->held != 0 && w->held <= w->nfree) {
    w->d->work[RH_WORK_HAND] += w->cold[w->held].hand;
  }
}

// What springs hold, and what dampers took
static void book_soft(rh_mo *w)
{
  double *past = w->d->past;
  for (int i = 0; i < w->m->ncontact; i++) {
    past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] = 0;
  }
  for (int k = 0; k < w->ntouch; k++) {
    const rh_mo_side *side = &w->side[k]; // in the order of islands
    past[w->touch[k].rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] += w->touch[k].stored;
    past[side->rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_DAMPER] += side->damped;
  }
  for (int k = 0; k < w->nap.ntouch; k++) {
    const rh_mo_touch *t = &w->nap.touch[k];
    past[t->rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] += t->stored;
  }
}

int rh_mo_book_end(rh_mo *w)
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
  int notes = 0;
  for (int i = 0; i < w->nisland; i++) {
    struck += w->island[i].struck;
    notes += w->island[i].nnote;
    for (int k = 0; w->trees.n > 0 && k < w->m->nwork; k++) {
      d->work[k] += w->island[i].work[k];
    }
  }
  for (int i = 0; i < w->m->ncontact; i++) {
    d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE] += w->slide[i];
  }
  d->books[1] += struck;
  return notes;
}
