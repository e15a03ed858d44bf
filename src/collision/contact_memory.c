// contact_memory.c: the contacts of the world (rh_data.slot, rh_data.s) from step to step, for engines that
// find all contacts of a step anew. At its start a contact that was there in the last step keeps its
// memory: that of the same feature, else of the nearest point (contact_match.c). At its end the contacts
// that carried a force are written back, in the order of their shapes and features, among those of
// bodies that sleep, which stay. The next step, recordings and the public view of contacts read them.
#include "contact_list.h"

#include <string.h>

int rh_slots_used(const rh_data *d)
{
  double used = *d->used; // from a file, perhaps
  return !(used > 0) ? 0 : used < d->model->nslot ? (int)used : d->model->nslot;
}

// ---- Order: by shapes, then by feature

static rh_slot_key key_of_found(const rh_found_contact *t)
{
  return t->a < t->b ? (rh_slot_key){t->a, t->b} : (rh_slot_key){t->b, t->a};
}

static int compare_pairs(const rh_slot *s, rh_slot_key pair)
{
  return rh_slot_keys_compare(s->a < s->b ? (rh_slot_key){s->a, s->b} : (rh_slot_key){s->b, s->a},
                              pair);
}

static int compare_slot(const rh_slot *s, const rh_found_contact *t)
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
  int way = rh_slot_keys_compare(rh_slot_key_of(x), rh_slot_key_of(y));
  return way != 0 ? way < 0 : x->id < y->id;
}

void rh_slots_end(rh_data *d, int n)
{
  int used = rh_slots_used(d);
  for (int k = n; k < used; k++) {
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

// ---- The start of a step

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
  rh_match_contact contact[RH_TOUCH_MAX];
  rh_match_point point[RH_TOUCH_MAX];
  rh_match match = {point, contact, p->n < RH_TOUCH_MAX ? p->n : RH_TOUCH_MAX,
                    p->nold < RH_TOUCH_MAX ? p->nold : RH_TOUCH_MAX};
  rh_xform other;
  poses.of(poses.user, d->model->shape[p->now->b].body, &other);
  for (int i = 0; i < match.npoint; i++) {
    const rh_found_contact *c = &p->now[i];
    point[i] = (rh_match_point){.id = c->id, .owner = RH_NONE, .point = c->point, .n = c->n};
  }
  for (int i = 0; i < match.ncontact; i++) {
    rh_slot_seat at = rh_slot_seat_at(&other.R, other.p, &p->old[i]);
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
static int first_of_pair(const rh_data *d, int k, int used, rh_slot_key t)
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

static bool is_of_pair(const rh_slot *s, const rh_found_contact *c)
{
  return s->a == c->a && s->b == c->b;
}

void rh_found_recall(const rh_data *d, rh_poses poses, rh_found_contact *now, int n)
{
  int used = rh_slots_used(d);
  int k = 0;
  int i = 0;
  while (i < n && k < used) {
    if (is_of_pair(&d->slot[k], &now[i]) && d->slot[k].id == now[i].id) { // mostly
      recall_memory(d, &now[i++], k++);
      continue;
    }
    while (i > 0 && same_pair(&now[i - 1], &now[i])) { // other points than before: the whole pair
      i--;
    }
    while (k > 0 && is_of_pair(&d->slot[k - 1], &now[i])) {
      k--;
    }
    found_pair p = {.now = now + i};
    p.first = first_of_pair(d, k, used, key_of_found(&now[i]));
    p.old = d->slot + p.first;
    while (i < n && same_pair(&now[i], p.now)) {
      i++;
      p.n++;
    }
    while (p.first + p.nold < used && is_of_pair(&p.old[p.nold], p.now)) {
      p.nold++;
    }
    if (p.nold > 0 && !recall_features(d, &p)) {
      recall_nearest(d, poses, &p);
    }
    k = p.first + p.nold;
  }
}

// ---- The end of a step

static bool carries_force(const rh_found_contact *t)
{
  return rh_dot(t->f, t->f) > 0;
}

static void move_slot(const rh_data *d, double *number, int from, int to)
{
  const size_t states = RH_SLOT_STATES;
  d->slot[to] = d->slot[from];
  memcpy(d->s + (size_t)to * states, d->s + (size_t)from * states, states * sizeof *d->s);
  number[to] = number[from];
}

typedef struct found_list { // the contacts of a step
  const rh_found_contact *now;
  int n;
} found_list;

// Moves the slots that stay to where they belong among the `kept` contacts found: the j-th of them after
// j others that stay. One pass down and one up overwrite none of them, as their order stays the same.
static void move_staying(const rh_data *d, const found_list *found, const rh_slots_stay *stay,
                         int kept)
{
  const rh_found_contact *now = found->now;
  int *slot = stay->slot;
  int i = 0;
  int before = 0;
  for (int j = 0; j < stay->n; j++) {
    while (i < found->n && compare_slot(&d->slot[slot[j]], &now[i]) > 0) {
      before += carries_force(&now[i++]);
    }
    if (j + before < slot[j]) {
      move_slot(d, stay->number, slot[j], j + before);
      slot[j] = j + before;
    }
  }
  i = found->n;
  before = kept;
  for (int j = stay->n - 1; j >= 0; j--) {
    while (i > 0 && compare_slot(&d->slot[slot[j]], &now[i - 1]) < 0) {
      before -= carries_force(&now[--i]);
    }
    if (j + before > slot[j]) {
      move_slot(d, stay->number, slot[j], j + before);
      slot[j] = j + before;
    }
  }
}

// Contact t into slot k, body b being at `other`; `place`: its number among the points of its rule
static void keep_contact(const rh_data *d, int k, const rh_found_contact *t, const rh_xform *other,
                         double place)
{
  double *states = d->s + (size_t)k * RH_SLOT_STATES;
  rh_slot *s = &d->slot[k];
  s->used = 1;
  s->a = t->a;
  s->b = t->b;
  s->id = t->id;
  s->contact = t->rule;
  s->place = place;
  s->mode = t->shared ? RH_CLOSED_SHARED : RH_CLOSED_STICK;
  s->since = t->since;
  s->speed = 0;
  rh_slot_write(rh_unrotate(&other->R, rh_sub(t->point, other->p)), s->at);
  rh_slot_write(rh_unrotate(&other->R, t->n), s->n);
  rh_slot_write(t->f, states + RH_SLOT_FRICTION);
  for (int i = RH_SLOT_WORK; i < RH_SLOT_STATES; i++) {
    states[i] = 0;
  }
}

// Places number the points of a rule in the order of shapes and features.
static double next_place(const rh_slots_stay *stay, int rule)
{
  double place = stay->place[rule];
  stay->place[rule] += 1;
  return place;
}

// Numbers the staying slots from slot k on anew, `passed` being done; returns their number.
static int pass_staying(const rh_data *d, const rh_slots_stay *stay, int passed, int k)
{
  int n = 0;
  for (; passed + n < stay->n && stay->slot[passed + n] == k + n; n++) {
    rh_slot *s = &d->slot[k + n];
    s->place = next_place(stay, (int)s->contact);
  }
  return n;
}

static bool write_contacts(rh_data *d, rh_poses poses, const found_list *found,
                           const rh_slots_stay *stay)
{
  rh_xform other;
  int shape = RH_NONE; // `other` is the pose of its body
  int k = 0;
  int passed = 0;
  bool fits = true;
  for (int i = 0; i < found->n && fits; i++) {
    const rh_found_contact *t = &found->now[i];
    if (!carries_force(t)) {
      continue;
    }
    if (passed < stay->n) {
      int more = pass_staying(d, stay, passed, k);
      passed += more;
      k += more;
    }
    fits = k < d->model->nslot;
    if (fits && t->b != shape) {
      shape = t->b;
      poses.of(poses.user, d->model->shape[shape].body, &other);
    }
    if (fits) {
      keep_contact(d, k++, t, &other, next_place(stay, t->rule));
    }
  }
  k += pass_staying(d, stay, passed, k);
  rh_slots_end(d, k);
  return fits;
}

// ---- The same by threads, where no slot stays

enum { MANY = 512 }; // contacts that they share

enum { PART = 128, RULES = 8 }; // contacts of a task; rules whose places are counted by parts

typedef struct keeping {
  rh_data *d;
  rh_poses poses;
  const found_list *found;
  const rh_slots_stay *stay;
  bool few; // rules
} keeping;

typedef struct writer {
  rh_xform other;
  int shape; // `other` is the pose of its body; RH_NONE: not yet
} writer;

static int end_of_part(const keeping *j, int task)
{
  return (task + 1) * PART < j->found->n ? (task + 1) * PART : j->found->n;
}

static void write_contact(const keeping *j, writer *x, int i, int slot, double place)
{
  const rh_found_contact *t = &j->found->now[i];
  if (t->b != x->shape) {
    x->shape = t->b;
    j->poses.of(j->poses.user, j->d->model->shape[x->shape].body, &x->other);
  }
  keep_contact(j->d, slot, t, &x->other, place);
}

// Of many rules: each contact's own rule, or RH_NONE; of few: contacts of a part, and of each rule in it
static void list_part(void *user, int task, int worker)
{
  const keeping *j = user;
  int count[1 + RULES] = {0};
  (void)worker;
  for (int i = task * PART; i < end_of_part(j, task); i++) {
    const rh_found_contact *t = &j->found->now[i];
    bool carries = carries_force(t);
    if (!j->few) {
      j->stay->seat[i] = carries ? t->rule : RH_NONE;
    } else if (carries) {
      count[0]++;
      count[1 + t->rule]++;
    }
  }
  if (j->few) {
    memcpy(j->stay->seat + (size_t)task * RH_COUNT(count), count, sizeof count);
  }
}

static void write_listed(const keeping *j, int task)
{
  writer x = {.shape = RH_NONE};
  for (int i = task * PART; i < end_of_part(j, task); i++) {
    if (j->stay->seat[i] != RH_NONE) {
      write_contact(j, &x, i, j->stay->seat[i], j->stay->slot[i]);
    }
  }
}

static void write_part(void *user, int task, int worker)
{
  const keeping *j = user;
  writer x = {.shape = RH_NONE};
  int next[1 + RULES];
  (void)worker;
  if (!j->few) {
    write_listed(j, task);
    return;
  }
  memcpy(next, j->stay->seat + (size_t)task * RH_COUNT(next), sizeof next);
  for (int i = task * PART; i < end_of_part(j, task); i++) {
    const rh_found_contact *t = &j->found->now[i];
    if (carries_force(t)) {
      write_contact(j, &x, i, next[0]++, next[1 + t->rule]++);
    }
  }
}

// Numbers become those of the first contact of a part; returns the number of all.
static int number_parts(const keeping *j, int parts)
{
  int sum[1 + RULES] = {0};
  for (int i = 0; i < parts * (1 + RULES); i++) {
    int *count = &j->stay->seat[i];
    int here = *count;
    *count = sum[i % (1 + RULES)];
    sum[i % (1 + RULES)] += here;
  }
  return sum[0];
}

static int number_contacts(const keeping *j)
{
  int k = 0;
  for (int i = 0; i < j->found->n; i++) {
    if (j->stay->seat[i] != RH_NONE) {
      j->stay->slot[i] = (int)next_place(j->stay, j->stay->seat[i]);
      j->stay->seat[i] = k++;
    }
  }
  return k;
}

// One thread numbers slots and places, from short lists.
static __attribute__((noinline)) bool
write_shared(rh_data *d, rh_poses poses, const found_list *found, const rh_slots_stay *stay)
{
  keeping j = {d, poses, found, stay, d->model->ncontact <= RULES};
  int parts = (found->n + PART - 1) / PART;
  rh_pool_run(stay->pool, list_part, &j, parts);
  int n = j.few ? number_parts(&j, parts) : number_contacts(&j);
  if (n > d->model->nslot) {
    return false;
  }
  rh_pool_run(stay->pool, write_part, &j, parts);
  rh_slots_end(d, n);
  return true;
}

bool rh_found_keep(rh_data *d, rh_poses poses, const rh_found_contact *now, int n,
                   const rh_slots_stay *stay)
{
  const found_list found = {now, n};
  if (stay->n > 0) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
      kept += carries_force(&now[i]);
    }
    if (kept + stay->n > d->model->nslot) {
      return false;
    }
    move_staying(d, &found, stay, kept);
  }
  memset(stay->place, 0, (size_t)d->model->ncontact * sizeof *stay->place);
  if (stay->n == 0 && n > MANY && rh_pool_threads(stay->pool) > 1) {
    return write_shared(d, poses, &found, stay);
  }
  return write_contacts(d, poses, &found, stay);
}
