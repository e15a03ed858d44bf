// contact_memory.c: the contacts of the world (rh_data.slot, rh_data.s) at the end of a step: those that
// carried a force in it, and those of mobiles that sleep, in the order of their shapes and features.
// The next step, recordings and the public view of contacts read them from there.
#include "stepping.h"

#include <string.h>

static bool carries_force(const rh_found_contact *t)
{
  return rh_dot(t->f, t->f) > 0;
}

// ---- Contacts of mobiles that sleep

bool rh_step_slot_sleeps(const rh_step_world *w, int slot)
{
  const rh_slot *s = &w->d->slot[slot];
  return w->sleep.asleep[w->shapes.of[(int)s->a].mobile] ||
         w->sleep.asleep[w->shapes.of[(int)s->b].mobile];
}

static void move_slot(rh_step_world *w, int from, int to)
{
  const size_t states = RH_SLOT_STATES;
  rh_data *d = w->d;
  d->slot[to] = d->slot[from];
  memcpy(d->s + (size_t)to * states, d->s + (size_t)from * states, states * sizeof *d->s);
  w->sleep.stored[to] = w->sleep.stored[from];
}

// Moves the n sleeping contacts to where they belong among those awake: the j-th of them after j others
// that sleep. One pass down and one up overwrite no sleeping contact, as their order stays the same.
static void move_sleepers(rh_step_world *w, int *sleeper, int n, int awake)
{
  const rh_found_contact *now = w->contacts.now;
  int i = 0;
  int before = 0;
  for (int j = 0; j < n; j++) {
    while (i < w->contacts.n && rh_slot_order(&w->d->slot[sleeper[j]], &now[i]) > 0) {
      before += carries_force(&now[i++]);
    }
    if (j + before < sleeper[j]) {
      move_slot(w, sleeper[j], j + before);
      sleeper[j] = j + before;
    }
  }
  i = w->contacts.n;
  before = awake;
  for (int j = n - 1; j >= 0; j--) {
    while (i > 0 && rh_slot_order(&w->d->slot[sleeper[j]], &now[i - 1]) < 0) {
      before -= carries_force(&now[--i]);
    }
    if (j + before > sleeper[j]) {
      move_slot(w, sleeper[j], j + before);
      sleeper[j] = j + before;
    }
  }
}

static int find_sleepers(const rh_step_world *w, int *sleeper)
{
  int used = rh_slots_used(w->d);
  int n = 0;
  for (int k = 0; w->sleep.n > 0 && k < used; k++) {
    if (rh_step_slot_sleeps(w, k)) {
      sleeper[n++] = k;
    }
  }
  return n;
}

// ---- All contacts

// Places number the points of a rule in the order of shapes and features.
static double next_place(const rh_step_world *w, int rule)
{
  double place = w->laws.slide[rule];
  w->laws.slide[rule] += 1;
  return place;
}

// Numbers the sleeping contacts from slot k on anew; returns their number.
static int pass_sleepers(const rh_step_world *w, const int *sleeper, int left, int k)
{
  int n = 0;
  for (; n < left && sleeper[n] == k + n; n++) {
    rh_slot *s = &w->d->slot[k + n];
    s->place = next_place(w, (int)s->contact);
  }
  return n;
}

static void write_contacts(rh_step_world *w, const int *sleeper, int asleep)
{
  rh_xform other = {.p = {0, 0, 0}};
  int shape = RH_NONE; // `other` is the pose of its body
  int k = 0;
  int passed = 0;
  for (int i = 0; i < w->contacts.n; i++) {
    const rh_found_contact *t = &w->contacts.now[i];
    if (!carries_force(t)) {
      continue;
    }
    if (passed < asleep) {
      int more = pass_sleepers(w, sleeper + passed, asleep - passed, k);
      passed += more;
      k += more;
    }
    if (k == w->m->nslot) {
      w->full = true;
      break;
    }
    if (t->b != shape) {
      shape = t->b;
      other = rh_step_pose(w, w->m->shape[shape].body);
    }
    rh_slot_keep(w->d, k++, t, &other, next_place(w, t->rule));
  }
  k += pass_sleepers(w, sleeper + passed, asleep - passed, k);
  rh_slots_end(w->d, k);
}

void rh_step_keep_contacts(rh_step_world *w)
{
  int *sleeper = w->parts.spare;
  int asleep = find_sleepers(w, sleeper);
  int awake = 0;
  for (int i = 0; asleep > 0 && i < w->contacts.n; i++) {
    awake += carries_force(&w->contacts.now[i]);
  }
  if (awake + asleep > w->m->nslot) {
    w->full = true;
    return;
  }
  if (asleep > 0) {
    move_sleepers(w, sleeper, asleep, awake);
  }
  memset(w->laws.slide, 0,
         (size_t)w->m->ncontact * sizeof *w->laws.slide); // counts, while it is not in use
  write_contacts(w, sleeper, asleep);
}
