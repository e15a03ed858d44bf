// Stages 2 to 4 of a tick: which shapes meet and where; close points are one contact; a contact
// that was there a tick ago, by its distance, is not new ([CSC] section III). Detection is that of
// every run (collision/shape_pairs.c, geometry/), clusters and coherence are collision/contact_clusters.c.
#include "step.h"

#include "math/tangents.h"

#include <string.h>

// The world's contacts, with the memory after the record of the last tick
static rh_track_array world_contacts(const rh_tick *t)
{
  double *memory = (double *)(void *)t->d->haptic + RH_HAPTIC_NOW_SIZE;
  return (rh_track_array){t->d->slot, (rh_track_memory *)(void *)(memory + 1), memory};
}

// The tool's shapes where the device is: does one overlap?
static bool overlaps_at_device(const rh_tick *t, const rh_shape_pair *pair)
{
  const rh_model_shape *shape = t->h->m->shape;
  rh_geom g[2] = {rh_search(t->d)->geom[pair->a], rh_search(t->d)->geom[pair->b]};
  rh_touch touch[RH_TOUCH_MAX];
  const int which[2] = {pair->a, pair->b};
  bool any = false;
  for (int i = 0; i < 2; i++) {
    const rh_model_shape *s = &shape[which[i]];
    if (rh_grip_moves(t, s->body)) {
      const rh_xform *b = &t->h->grip.at_device[s->body];
      g[i].R = rh_mat3_mul(&b->R, &s->place.R);
      g[i].p = rh_add(b->p, rh_rotate(&b->R, s->place.p));
      any = true;
    }
  }
  return any && rh_collide_surfaces(&g[0], &g[1], 0, touch) > 0;
}

typedef struct search {
  rh_tick *t;
  double margin;
} search;

static void collect_points(rh_data *d, const rh_shape_pair *pair, void *user)
{
  const search *s = user;
  rh_haptic *h = s->t->h;
  rh_touch touch[RH_TOUCH_MAX];
  int n = rh_collide_surfaces(&rh_search(d)->geom[pair->a], &rh_search(d)->geom[pair->b], s->margin,
                              touch);
  for (int i = 0; i < n && h->npoint < h->point_capacity; i++) {
    rh_contact *c = &h->point[h->npoint];
    rh_contact_place(d, pair, &touch[i], c);
    h->id[h->npoint++] = c->id;
    c->id = RH_NONE; // distance alone decides which contact is which
  }
  if (rh_haptic_coupling_of(&h->m->haptic)->looks && !h->device_overlaps) {
    h->device_overlaps = overlaps_at_device(s->t, pair);
  }
}

// Contacts in the order of their slots' first points; velocities as they are now.
static void take_contacts(rh_tick *t, const rh_track_result *found)
{
  rh_haptic *h = t->h;
  h->ncontact = found->count;
  for (int i = 0; i < found->count; i++) {
    rh_haptic_contact *c = &h->contact[i];
    *c = (rh_haptic_contact){.contact = found->contact[i]};
    rh_tangents_of(c->contact.n, &c->contact.t1, &c->contact.t2); // of the mean normal
    rh_contact_velocity(t->d, &c->contact);
    c->slot = found->slot[i];
    c->fresh = found->fresh[i];
    c->before = c->after = -c->contact.rate;
    if (c->fresh) {
      t->slot[c->slot] = (rh_haptic_slot){0};
    }
  }
  for (int k = h->npoint - 1; k >= 0; k--) { // a contact is known by the feature of its first point
    if (found->owner[k] != RH_NONE) {
      h->contact[found->owner[k]].contact.id = h->id[k];
    }
  }
}

// A contact that separates has less than zero left in its spring, by the work done on it: the
// integrator's error. One that vanished while it was deep, at an edge, takes its energy along.
static void drop_lost_contacts(rh_tick *t, const rh_track_result *found)
{
  for (int i = 0; i < found->nlost; i++) {
    rh_haptic_slot *s = &t->slot[found->lost[i]];
    if (s->acting != 0 && s->stored > 0) {
      t->d->energy_base[1] -= s->stored;
    }
    t->d->energy_base[1] -= s->bent;
    *s = (rh_haptic_slot){0};
  }
}

static void decide_groups(rh_tick *t)
{
  rh_haptic *h = t->h;
  for (int i = 0; i < h->ncontact; i++) {
    const rh_haptic_contact *c = &h->contact[i];
    const rh_haptic_slot *s = &t->slot[c->slot];
    bool on = s->scaled != 0; // spread: it is not done yet
    bool strikes = (c->fresh && c->before < 0) || (on && c->before < s->target);
    h->pair[i] =
        (rh_haptic_pair){rh_tree_of(h->m, c->contact.a), rh_tree_of(h->m, c->contact.b), strikes};
  }
  t->now->groups = rh_haptic_groups(h->m->nbody, h->pair, h->ncontact, h->group, h->state);
  for (int i = 0; i < h->ncontact; i++) {
    h->contact[i].group = h->group[h->pair[i].a != 0 ? h->pair[i].a : h->pair[i].b];
  }
}

void rh_haptic_find_contacts(rh_tick *t, double margin)
{
  rh_haptic *h = t->h;
  search s = {t, margin};
  h->npoint = 0;
  h->ncontact = 0;
  h->device_overlaps = false;
  if (h->m->nslot > 0) {
    rh_track_array array = world_contacts(t);
    rh_track_result *found = &h->found;
    rh_near_each(t->d, collect_points, &s);
    h->full = rh_track_update(h->track, &array, h->point, h->npoint, found) != RH_OK;
    drop_lost_contacts(t, found);
    take_contacts(t, found);
  }
  decide_groups(t);
}

// ---- Kept data

// The contacts have the world's slots, so that recordings, channels and pictures show them.
static void keep_slot(rh_data *d, const rh_haptic_contact *c)
{
  if (c->fresh || d->slot[c->slot].used == 0) {
    rh_slot_open(d, c->slot, &c->contact);
  } else {
    rh_slot_remember(d, c->slot, &c->contact);
  }
}

void rh_haptic_store_contacts(rh_tick *t)
{
  rh_haptic *h = t->h;
  int used = 0;
  for (int k = 0; k < h->m->nslot; k++) {
    if (!h->found.kept[k]) {
      t->d->slot[k] = (rh_slot){0};
    }
  }
  for (int i = 0; i < h->ncontact; i++) {
    used = h->contact[i].slot >= used ? h->contact[i].slot + 1 : used;
  }
  *t->d->used = used;
  for (int i = 0; i < h->ncontact; i++) {
    keep_slot(t->d, &h->contact[i]);
  }
}
