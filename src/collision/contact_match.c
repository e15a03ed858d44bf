// Stage 3, tracking: the slot of a contact point. A slot belongs to two shapes and a feature of
// theirs. Where features change during the contact (a corner that slides over an edge, the cells of
// a heightfield) the point closest to the old one, with a similar normal, replaces it, and friction
// is not affected. This is decided anew in every check of the shapes, from the slots' points at the
// last event or frame.
#include "contact_list.h"

#include <math.h>
#include <string.h>

// ---- Order: by the lower, then the higher shape, then by number; free ones last

// Insertion: the order of the last time is nearly always that of this time.
void rh_slots_sort(rh_data *d)
{
  int n = rh_slots_used(d);
  if (n != rh_search(d)->norder) {
    for (int i = 0; i < n; i++) {
      rh_search(d)->order[i] = i;
    }
    rh_search(d)->norder = n;
  }
  for (int i = 1; i < n; i++) {
    int x = rh_search(d)->order[i];
    rh_slot_key kx = rh_slot_key_of(&d->slot[x]);
    int j = i;
    for (; j > 0; j--) {
      int way = rh_slot_keys_compare(kx, rh_slot_key_of(&d->slot[rh_search(d)->order[j - 1]]));
      if (way > 0 || (way == 0 && x > rh_search(d)->order[j - 1])) {
        break;
      }
      rh_search(d)->order[j] = rh_search(d)->order[j - 1];
    }
    rh_search(d)->order[j] = x;
  }
}

rh_slot_run rh_slots_of_pair(const rh_data *d, const rh_shape_pair *pair, int *next)
{
  int used = rh_slots_used(d);
  rh_slot_key wanted = {pair->a < pair->b ? pair->a : pair->b,
                        pair->a < pair->b ? pair->b : pair->a};
  while (*next < used &&
         rh_slot_keys_compare(rh_slot_key_of(&d->slot[rh_search(d)->order[*next]]), wanted) < 0) {
    (*next)++;
  }
  rh_slot_run run = {rh_search(d)->order + *next, 0};
  while (*next < used &&
         rh_slot_keys_compare(rh_slot_key_of(&d->slot[rh_search(d)->order[*next]]), wanted) == 0) {
    (*next)++;
    run.n++;
  }
  return run;
}

// ---- Matching

// Finds the contact nearest to a point among those not taken, the older of equals.
static void choose_contact(const rh_match *m, rh_match_limits limits, bool by_feature,
                           rh_match_point *p)
{
  double limit = by_feature ? HUGE_VAL : limits.distance * limits.distance;
  p->choice = RH_NONE;
  for (int i = 0; i < m->ncontact; i++) {
    const rh_match_contact *c = &m->contact[i];
    bool fits =
        by_feature ? p->id != RH_NONE && c->id == p->id : rh_dot(p->n, c->n) >= limits.cosine;
    if (c->taken || !fits) {
      continue;
    }
    rh_vec3 way = rh_sub(p->point, c->point);
    double far = rh_dot(way, way);
    bool nearer = p->choice == RH_NONE ? far <= limit : far < p->far;
    bool older = p->choice != RH_NONE && far == p->far && c->number < m->contact[p->choice].number;
    if (nearer || older) {
      p->choice = i;
      p->far = far;
    }
  }
}

// Takes the nearest of all combinations until none is left. A choice is repeated only if another
// point took the contact.
static void match_points(const rh_match *m, rh_match_limits limits, bool by_feature)
{
  for (int i = 0; i < m->npoint; i++) {
    if (m->point[i].owner == RH_NONE) {
      choose_contact(m, limits, by_feature, &m->point[i]);
    }
  }
  for (;;) {
    rh_match_point *best = NULL;
    for (int i = 0; i < m->npoint; i++) {
      rh_match_point *p = &m->point[i];
      if (p->owner == RH_NONE && p->choice != RH_NONE && m->contact[p->choice].taken) {
        choose_contact(m, limits, by_feature, p);
      }
      bool open = p->owner == RH_NONE && p->choice != RH_NONE;
      best = open && (!best || p->far < best->far) ? p : best;
    }
    if (!best) {
      return;
    }
    best->owner = best->choice;
    m->contact[best->owner].taken = true;
  }
}

void rh_match_features(const rh_match *m)
{
  match_points(m, (rh_match_limits){HUGE_VAL, -1}, true);
}

void rh_match_nearest(const rh_match *m, rh_match_limits limits)
{
  match_points(m, limits, false);
}

rh_match_limits rh_match_limits_of(const rh_model *m, int a, int b)
{
  static const double NEAR_ENOUGH = 0.25;
  static const double ALIKE = 0.9;
  return (rh_match_limits){NEAR_ENOUGH * fmin(m->shape[a].width, m->shape[b].width), ALIKE};
}

// ---- The slots of a pair

static bool is_slot_taken(const int *owner, int n, int slot)
{
  for (int i = 0; i < n; i++) {
    if (owner[i] == slot) {
      return true;
    }
  }
  return false;
}

static rh_slot_seat seat_of(const rh_data *d, int shape, const rh_slot *s)
{
  const rh_kin_body *b = &d->kin[d->model->shape[shape].body];
  return rh_slot_seat_at(&b->R, b->p, s);
}

// The points whose feature no slot has: the nearest slot
// NOLINTNEXTLINE(readability-function-size): the points of a pair, its slots, and who has whom
static void match_rest(const rh_data *d, const rh_shape_pair *pair, const rh_slot_run *run,
                       const rh_touch *touch, int n, int *owner)
{
  rh_match_contact slot[RH_TOUCH_MAX];
  rh_match_point point[RH_TOUCH_MAX];
  rh_match m = {point, slot, n, run->n < RH_TOUCH_MAX ? run->n : RH_TOUCH_MAX};
  for (int k = 0; k < m.ncontact; k++) {
    rh_slot_seat s = seat_of(d, pair->b, &d->slot[run->slot[k]]);
    slot[k] = (rh_match_contact){
        .taken = is_slot_taken(owner, n, run->slot[k]), .point = s.at, .n = s.n, .number = k};
  }
  for (int i = 0; i < n; i++) {
    point[i] = (rh_match_point){
        .owner = owner[i], .point = touch[i].point, .n = touch[i].normal, .choice = RH_NONE};
  }
  rh_match_nearest(&m, rh_match_limits_of(d->model, pair->a, pair->b));
  for (int i = 0; i < n; i++) {
    owner[i] =
        owner[i] == RH_NONE && point[i].owner != RH_NONE ? run->slot[point[i].owner] : owner[i];
  }
}

// NOLINTNEXTLINE(readability-function-size): the points of a pair, its slots, and who has whom
void rh_slots_match(const rh_data *d, const rh_shape_pair *pair, const rh_slot_run *run,
                    const rh_touch *touch, int n, int *owner)
{
  int matched = 0;
  for (int i = 0; i < n; i++) {
    owner[i] = RH_NONE;
    for (int k = 0; k < run->n && owner[i] == RH_NONE; k++) {
      if (d->slot[run->slot[k]].id == touch[i].id) {
        owner[i] = run->slot[k];
        matched++;
      }
    }
  }
  if (matched < run->n && matched < n) {
    match_rest(d, pair, run, touch, n, owner);
  }
}

void rh_slot_remember(rh_data *d, int slot, const rh_contact *c)
{
  const rh_kin_body *b = &d->kin[c->b];
  rh_slot *s = &d->slot[slot];
  s->id = c->id;
  rh_slot_write(rh_unrotate(&b->R, rh_sub(c->point, b->p)), s->at);
  rh_slot_write(rh_unrotate(&b->R, c->n), s->n);
}

void rh_slots_follow(rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    if (d->contact[k].on) {
      rh_slot_remember(d, k, &d->contact[k]);
    }
  }
}

// ---- Claim and release, at events

static int free_slot(const rh_data *d)
{
  int used = rh_slots_used(d);
  for (int k = 0; k < used; k++) {
    if (d->slot[k].used == 0) {
      return k;
    }
  }
  return used < d->model->nslot ? used : RH_NONE;
}

static bool has_place(const rh_data *d, int contact, int place)
{
  for (int k = 0; k < rh_slots_used(d); k++) {
    const rh_slot *s = &d->slot[k];
    if (s->used != 0 && s->contact == contact && s->place == place) {
      return true;
    }
  }
  return false;
}

static int free_place(const rh_data *d, int contact)
{
  int place = 0;
  while (has_place(d, contact, place)) {
    place++;
  }
  return place;
}

void rh_slot_open(rh_data *d, int slot, const rh_contact *c)
{
  d->slot[slot] = (rh_slot){.used = 1,
                            .a = c->shape[0],
                            .b = c->shape[1],
                            .contact = c->rule,
                            .place = free_place(d, c->rule),
                            .since = *d->t,
                            .speed = c->rate};
  rh_slot_remember(d, slot, c);
}

static void clear_cells(rh_data *d, int slot)
{
  size_t ncell = (size_t)d->model->layout.ncell;
  memset(rh_slot_cells(d, slot), 0, ncell * sizeof(double));
}

int rh_slot_claim(rh_data *d, const rh_contact *bare)
{
  rh_contact c = *bare;
  int slot = free_slot(d);
  if (slot == RH_NONE) {
    return RH_NONE;
  }
  rh_contact_velocity(d, &c);
  rh_slot_open(d, slot, &c);
  memset(d->s + (size_t)slot * RH_SLOT_STATES, 0, RH_SLOT_STATES * sizeof *d->s); // from rest
  clear_cells(d, slot);
  *d->used = slot < rh_slots_used(d) ? rh_slots_used(d) : slot + 1;
  return slot;
}

rh_vec3 rh_slot_point(const rh_data *d, int slot)
{
  const rh_slot *s = &d->slot[slot];
  bool right = s->b >= 0 && s->b < d->model->nshape;
  return seat_of(d, right ? (int)s->b : 0, s).at;
}

int rh_slot_contact(const rh_data *d, int slot)
{
  const rh_slot *s = &d->slot[slot];
  bool right = s->used != 0 && s->contact >= 0 && s->contact < d->model->ncontact;
  return right ? (int)s->contact : RH_NONE;
}

void rh_slot_release(rh_data *d, int slot)
{
  double *s = d->s + (size_t)slot * RH_SLOT_STATES;
  int contact = rh_slot_contact(d, slot);
  for (int i = 0; contact != RH_NONE && i < RH_CONTACT_WORK_COUNT; i++) {
    d->past[contact * RH_CONTACT_WORK_COUNT + i] += s[RH_SLOT_WORK + i];
  }
  memset(s, 0, RH_SLOT_STATES * sizeof *s);
  clear_cells(d, slot);
  d->slot[slot] = (rh_slot){0};
  if (d->turn) {
    d->turn[slot] = (rh_turn){0};
  }
  int used = rh_slots_used(d);
  while (used > 0 && d->slot[used - 1].used == 0) {
    used--;
  }
  *d->used = used;
}
