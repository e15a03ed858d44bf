// Stage 3, tracking: the slot of a contact point. A slot belongs to two shapes and a feature of
// theirs. Where features change during the contact (a corner that slides over an edge, the cells of
// a heightfield) the point closest to the old one, with a similar normal, replaces it, and friction
// is not affected. This is decided anew in every check of the shapes, from the slots' points at the
// last event or frame.
#include "contact_list.h"

#include <math.h>
#include <string.h>

int rh_slots_used(const rh_data *d)
{
  double used = *d->used; // from a file, perhaps
  return !(used > 0) ? 0 : used < d->model->nslot ? (int)used : d->model->nslot;
}

// ---- Order: by the lower, then the higher shape, then by number; free ones last

typedef struct key {
  double lo, hi;
} key;

static key key_of(const rh_slot *s)
{
  return s->used != 0 ? (key){fmin(s->a, s->b), fmax(s->a, s->b)} : (key){HUGE_VAL, HUGE_VAL};
}

static int compare_keys(key x, key y)
{
  return x.lo != y.lo ? (x.lo < y.lo ? -1 : 1) : x.hi != y.hi ? (x.hi < y.hi ? -1 : 1) : 0;
}

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
    key kx = key_of(&d->slot[x]);
    int j = i;
    for (; j > 0; j--) {
      int way = compare_keys(kx, key_of(&d->slot[rh_search(d)->order[j - 1]]));
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
  key wanted = {pair->a < pair->b ? pair->a : pair->b, pair->a < pair->b ? pair->b : pair->a};
  while (*next < used && compare_keys(key_of(&d->slot[rh_search(d)->order[*next]]), wanted) < 0) {
    (*next)++;
  }
  rh_slot_run run = {rh_search(d)->order + *next, 0};
  while (*next < used && compare_keys(key_of(&d->slot[rh_search(d)->order[*next]]), wanted) == 0) {
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

typedef struct seat { // former place of a slot's point, carried along with body b
  rh_vec3 at, n;
} seat;

static seat seat_at(const rh_mat3 *R, rh_vec3 p, const rh_slot *s)
{
  rh_vec3 at = rh_v3(s->at[0], s->at[1], s->at[2]);
  rh_vec3 n = rh_v3(s->n[0], s->n[1], s->n[2]);
  return (seat){rh_add(p, rh_rotate(R, at)), rh_rotate(R, n)};
}

static seat seat_of(const rh_data *d, int shape, const rh_slot *s)
{
  const rh_kin_body *b = &d->kin[d->model->shape[shape].body];
  return seat_at(&b->R, b->p, s);
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
    seat s = seat_of(d, pair->b, &d->slot[run->slot[k]]);
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

// ---- The array in order

static key key_of_found(const rh_found_contact *t)
{
  return t->a < t->b ? (key){t->a, t->b} : (key){t->b, t->a};
}

static int compare_pairs(const rh_slot *s, key pair)
{
  return compare_keys(s->a < s->b ? (key){s->a, s->b} : (key){s->b, s->a}, pair);
}

int rh_slot_order(const rh_slot *s, const rh_found_contact *t)
{
  int pair = compare_pairs(s, key_of_found(t));
  return pair != 0 ? pair : s->id < t->id ? -1 : s->id > t->id;
}

static bool is_slot_valid(const rh_data *d, int k)
{
  const rh_slot *s = &d->slot[k];
  const double shapes = d->model->nshape;
  return s->a >= 0 && s->a < shapes && s->b >= 0 && s->b < shapes &&
         rh_slot_contact(d, k) != RH_NONE;
}

static bool comes_before(const rh_slot *x, const rh_slot *y)
{
  int way = compare_keys(key_of(x), key_of(y));
  return way != 0 ? way < 0 : x->id < y->id;
}

void rh_slots_end(rh_data *d, int n)
{
  for (int k = n; k < rh_slots_used(d); k++) {
    d->slot[k] = (rh_slot){0};
    memset(d->s + (size_t)k * RH_SLOT_STATES, 0, RH_SLOT_STATES * sizeof *d->s);
  }
  *d->used = n;
}

// Moves slot k down to where it belongs among the n before it; those from there on move up.
static void insert_slot(rh_data *d, int k, int n)
{
  const size_t states = RH_SLOT_STATES;
  rh_slot slot = d->slot[k];
  double s[RH_SLOT_STATES];
  memcpy(s, d->s + (size_t)k * states, sizeof s);
  int to = n;
  for (; to > 0 && comes_before(&slot, &d->slot[to - 1]); to--) {
    d->slot[to] = d->slot[to - 1];
    memcpy(d->s + (size_t)to * states, d->s + (size_t)(to - 1) * states, sizeof s);
  }
  d->slot[to] = slot;
  memcpy(d->s + (size_t)to * states, s, sizeof s);
}

void rh_slots_pack(rh_data *d)
{
  int used = rh_slots_used(d);
  int n = 0;
  for (int k = 0; k < used; k++) {
    if (is_slot_valid(d, k)) {
      insert_slot(d, k, n++);
    }
  }
  rh_slots_end(d, n);
}

typedef struct found_pair { // the contacts of a pair that were found, and its slots
  rh_found_contact *now;
  const rh_slot *old;
  int n, nold;
  int first; // the first of its slots
} found_pair;

static void recall_memory(const rh_data *d, rh_found_contact *c, int slot)
{
  const double *f = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  c->f = rh_v3(f[0], f[1], f[2]);
  c->since = d->slot[slot].since;
}

static bool same_pair(const rh_found_contact *x, const rh_found_contact *y)
{
  return x->a == y->a && x->b == y->b;
}

// Some of the features are new and some have gone.
static void recall_nearest(const rh_data *d, rh_poses poses, const found_pair *p)
{
  rh_match_contact contact[RH_MANIFOLD_MAX];
  rh_match_point point[RH_MANIFOLD_MAX];
  rh_match match = {point, contact, p->n < RH_MANIFOLD_MAX ? p->n : RH_MANIFOLD_MAX,
                    p->nold < RH_MANIFOLD_MAX ? p->nold : RH_MANIFOLD_MAX};
  rh_xform other = poses.of(poses.user, d->model->shape[p->now->b].body);
  for (int i = 0; i < match.npoint; i++) {
    const rh_found_contact *c = &p->now[i];
    point[i] = (rh_match_point){.id = c->id, .owner = RH_NONE, .point = c->point, .n = c->n};
  }
  for (int i = 0; i < match.ncontact; i++) {
    seat at = seat_at(&other.R, other.p, &p->old[i]);
    contact[i] =
        (rh_match_contact){.id = (int)p->old[i].id, .point = at.at, .n = at.n, .number = i};
  }
  rh_match_features(&match);
  rh_match_nearest(&match, rh_match_limits_of(d->model, p->now->a, p->now->b));
  for (int i = 0; i < match.npoint; i++) {
    if (point[i].owner != RH_NONE) {
      recall_memory(d, &p->now[i], p->first + point[i].owner);
    }
  }
}

// By features, which both have in order; true: no slot is left over
static bool recall_features(const rh_data *d, const found_pair *p)
{
  int k = 0;
  int matched = 0;
  for (int i = 0; i < p->n; i++) {
    const double id = p->now[i].id;
    while (k < p->nold && p->old[k].id < id) {
      k++;
    }
    if (k < p->nold && p->old[k].id == id) {
      recall_memory(d, &p->now[i], p->first + k);
      matched++;
    }
  }
  return matched == p->n || matched == p->nold;
}

// The first slot from k on that is not of an earlier pair; mostly k itself
static int first_of_pair(const rh_data *d, int k, int used, key t)
{
  int step = 1;
  int end = k;
  while (end < used && compare_pairs(&d->slot[end], t) < 0) {
    k = end + 1;
    end += step;
    step *= 2;
  }
  end = end < used ? end : used;
  while (k < end) {
    int middle = k + (end - k) / 2;
    bool before = compare_pairs(&d->slot[middle], t) < 0;
    k = before ? middle + 1 : k;
    end = before ? end : middle;
  }
  return k;
}

void rh_found_recall(const rh_data *d, rh_poses poses, rh_found_contact *now, int n)
{
  int used = rh_slots_used(d);
  int k = 0;
  for (int i = 0; i < n && k < used;) {
    k = first_of_pair(d, k, used, key_of_found(&now[i]));
    found_pair p = {.now = now + i, .old = d->slot + k, .first = k};
    const double a = now[i].a;
    const double b = now[i].b;
    while (i < n && same_pair(&now[i], p.now)) {
      i++;
    }
    while (k < used && d->slot[k].a == a && d->slot[k].b == b) {
      k++;
    }
    p.n = (int)(now + i - p.now);
    p.nold = k - p.first;
    if (p.nold > 0 && !recall_features(d, &p)) {
      recall_nearest(d, poses, &p);
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
  memset(d->cell + (size_t)slot * ncell, 0, ncell * sizeof *d->cell);
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
