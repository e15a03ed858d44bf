// contact_clusters.c: see contact_clusters.h. Points and slots are sorted by pair, so that the work is quadratic only in the points of one
// pair. Clusters are the connected components of "close and alike", as in [CSC] section III; the paper leaves the rule
// open, this one gives a result that does not depend on the order of the points.
#include "contact_clusters.h"

#include "contact_list.h"

#include "base/sort.h"

typedef struct cluster {
  int a, b;
  int first; // its first point
  int members;
  int deepest;
  double weight;                                          // sum of the depths that count
  rh_vec3 point_sum, normal_sum, point_mean, normal_mean; // weighted by depth; plain
  double area;
  int id;
  int slot;  // RH_NONE: new
  int place; // in the list of the result; RH_NONE: over capacity
} cluster;

struct rh_track { // scratch of an update
  rh_track_opt opt;
  const rh_track_array *array; // during an update
  cluster *cluster;
  int ncluster;
  rh_match_point *point;  // clusters of a pair (points)
  rh_match_contact *last; // and its slots (slots)
  int *order;             // points by pair, then clusters by pair (points)
  int *spare;             // for sorting (points or slots, whichever is more)
  int *root;              // a point of the same cluster, itself for the first one (points)
  int *old;               // slots in use, by pair (slots)
  bool *used;  // the slot has a contact of the last step, and after that of this one (slots)
  bool *taken; // the slot has found its contact (slots)
  // The result: see there
  int *owner;                        // (points)
  rh_contact *contact;               // of the clusters, then of the list (points)
  int *list, *members, *born, *lost; // (slots)
  bool *fresh;                       // (slots)
};

rh_track_opt rh_track_default(void)
{
  return (rh_track_opt){
      .d_cluster = 5e-4, .cos_cluster = 0.9, .d_coh = 1e-3, .slots = 256, .points = 1024};
}

static void place_arrays(rh_track *t, size_t slots, size_t points, size_t more)
{
  t->cluster = (cluster *)(void *)(t + 1);
  t->contact = (rh_contact *)(void *)(t->cluster + points);
  t->point = (rh_match_point *)(void *)(t->contact + points);
  t->last = (rh_match_contact *)(void *)(t->point + points);
  t->spare = (int *)(void *)(t->last + slots);
  t->order = t->spare + more;
  t->root = t->order + points;
  t->owner = t->root + points;
  t->old = t->owner + points;
  t->list = t->old + slots;
  t->members = t->list + slots;
  t->born = t->members + slots;
  t->lost = t->born + slots;
  t->used = (bool *)(void *)(t->lost + slots);
  t->taken = t->used + slots;
  t->fresh = t->taken + slots;
}

rh_status rh_track_create(const rh_track_opt *opt, rh_track **track)
{
  *track = NULL;
  bool right = opt->d_cluster >= 0 && opt->d_coh >= 0 && isfinite(opt->d_cluster) &&
               isfinite(opt->d_coh) && fabs(opt->cos_cluster) <= 1 && opt->slots >= 0 &&
               opt->points >= 0;
  if (!right) {
    return RH_WRONG_USAGE;
  }
  if (opt->slots > RH_TRACK_MAX || opt->points > RH_TRACK_MAX) {
    return RH_OVER_LIMIT;
  }
  size_t slots = (size_t)opt->slots;
  size_t points = (size_t)opt->points;
  size_t more = slots > points ? slots : points;
  size_t bytes = sizeof(rh_track) + points * (sizeof(cluster) + sizeof(rh_contact)) +
                 points * sizeof(rh_match_point) + slots * sizeof(rh_match_contact) +
                 (more + 3 * points + 5 * slots) * sizeof(int) + 3 * slots * sizeof(bool);
  rh_track *t = rh_alloc(bytes);
  if (!t) {
    return RH_OUT_OF_MEMORY;
  }
  t->opt = *opt;
  place_arrays(t, slots, points, more);
  *track = t;
  return RH_OK;
}

void rh_track_destroy(rh_track *track)
{
  rh_free(track);
}

// ---- Sorting by pair

typedef struct key {
  int a, b;
} key;

typedef key key_of(const void *items, int index);

static key point_key(const void *items, int index)
{
  const rh_contact *p = (const rh_contact *)items + index;
  return (key){p->shape[0], p->shape[1]};
}

static key cluster_key(const void *items, int index)
{
  const cluster *c = (const cluster *)items + index;
  return (key){c->a, c->b};
}

static key slot_key(const void *items, int index)
{
  const rh_slot *s = (const rh_slot *)items + index;
  return (key){(int)s->a, (int)s->b};
}

static int compare_keys(key x, key y)
{
  return x.a != y.a ? (x.a < y.a ? -1 : 1) : x.b != y.b ? (x.b < y.b ? -1 : 1) : 0;
}

typedef struct keyed {
  key_of *get;
  const void *items;
} keyed;

static bool key_before(const void *items, int i, int j)
{
  const keyed *k = items;
  return compare_keys(k->get(k->items, i), k->get(k->items, j)) < 0;
}

static void sort_by_key(int *order, int *spare, int n, key_of *get, const void *items)
{
  keyed k = {get, items};
  rh_sort_order(order, n, spare, key_before, &k);
}

static int run_end(const int *order, int n, int start, key_of *get, const void *items)
{
  int end = start + 1;
  while (end < n && compare_keys(get(items, order[start]), get(items, order[end])) == 0) {
    end++;
  }
  return end;
}

// ---- Clusters

static double squared_distance(rh_vec3 a, rh_vec3 b)
{
  rh_vec3 d = rh_sub(a, b);
  return rh_dot(d, d);
}

static int find_root(int *root, int i)
{
  while (root[i] != i) {
    root[i] = root[root[i]];
    i = root[i];
  }
  return i;
}

static bool belong_together(const rh_track_opt *opt, const rh_contact *x, const rh_contact *y)
{
  return squared_distance(x->point, y->point) < opt->d_cluster * opt->d_cluster &&
         rh_dot(x->n, y->n) >= opt->cos_cluster;
}

static void unite_roots(int *root, int x, int y)
{
  int rx = find_root(root, x);
  int ry = find_root(root, y);
  root[rx > ry ? rx : ry] = rx > ry ? ry : rx; // the earlier point is the root
}

static void connect_pair(rh_track *t, const rh_contact *p, int lo, int hi)
{
  for (int i = lo; i < hi; i++) {
    for (int k = lo; k < i; k++) {
      int x = t->order[i];
      int y = t->order[k];
      if (belong_together(&t->opt, &p[x], &p[y])) {
        unite_roots(t->root, x, y);
      }
    }
  }
}

static void connect_points(rh_track *t, const rh_contact *p, int n)
{
  for (int i = 0; i < n; i++) {
    t->order[i] = t->root[i] = i;
  }
  sort_by_key(t->order, t->spare, n, point_key, p);
  for (int lo = 0; lo < n;) {
    int hi = run_end(t->order, n, lo, point_key, p);
    connect_pair(t, p, lo, hi);
    lo = hi;
  }
}

static void add_member(cluster *c, const rh_contact *p, int index)
{
  const rh_contact *x = &p[index];
  double w = x->depth > 0 ? x->depth : 0; // a point that does not touch yet has no weight
  c->members++;
  c->deepest = x->depth > p[c->deepest].depth ? index : c->deepest;
  c->weight += w;
  c->point_sum = rh_addscaled(c->point_sum, w, x->point);
  c->normal_sum = rh_addscaled(c->normal_sum, w, x->n);
  c->point_mean = rh_add(c->point_mean, x->point);
  c->normal_mean = rh_add(c->normal_mean, x->n);
  c->area += x->area;
  c->id = x->id >= 0 && (c->id < 0 || x->id < c->id) ? x->id : c->id;
}

// Clusters in the order of their first points; t->owner has the cluster of a point.
static void collect_clusters(rh_track *t, const rh_contact *p, int n)
{
  t->ncluster = 0;
  for (int i = 0; i < n; i++) {
    int root = find_root(t->root, i);
    if (root == i) {
      t->owner[i] = t->ncluster;
      t->cluster[t->ncluster++] = (cluster){.a = p[i].shape[0],
                                            .b = p[i].shape[1],
                                            .first = i,
                                            .deepest = i,
                                            .id = RH_NONE,
                                            .slot = RH_NONE};
    } else {
      t->owner[i] = t->owner[root];
    }
    add_member(&t->cluster[t->owner[i]], p, i);
  }
}

static rh_contact cluster_contact(const cluster *c, const rh_contact *p)
{
  rh_contact r = p[c->deepest];
  r.id = c->id;
  r.area = c->area;
  if (c->members > 1) {
    bool deep = c->weight > 0;
    double scale = deep ? 1 / c->weight : 1.0 / c->members;
    rh_vec3 normal = deep ? c->normal_sum : c->normal_mean;
    double length = rh_norm(normal);
    r.point = rh_scale(scale, deep ? c->point_sum : c->point_mean);
    r.n = length > 0 ? rh_scale(1 / length, normal) : r.n;
  }
  return r;
}

// ---- Matching

static const double COUNT_MAX = 9007199254740992.0; // 2^53: beyond it a double is no counter

static bool is_whole(double x, double least, double most)
{
  return x >= least && x <= most && x == floor(x);
}

static bool is_slot_used(const rh_track *t, int i)
{
  const rh_slot *s = &t->array->slot[i];
  return s->used != 0 && is_whole(s->a, 0, INT32_MAX) && is_whole(s->b, 0, INT32_MAX) &&
         is_whole(s->id, INT32_MIN, INT32_MAX) &&
         is_whole(t->array->memory[i].number, 0, *t->array->next - 1);
}

static int sort_slots(rh_track *t)
{
  int nold = 0;
  for (int i = 0; i < t->opt.slots; i++) {
    t->taken[i] = false;
    t->used[i] = is_slot_used(t, i);
    if (t->used[i]) {
      t->old[nold++] = i;
    }
  }
  sort_by_key(t->old, t->spare, nold, slot_key, t->array->slot);
  return nold;
}

// Clusters order[lo .. hi - 1] and slots old[from .. end - 1] of one pair
static void match_pair(rh_track *t, int lo, int hi, int from, int end)
{
  rh_match pair = {t->point, t->last, hi - lo, end - from};
  for (int i = 0; i < pair.npoint; i++) {
    const rh_contact *c = &t->contact[t->order[lo + i]];
    t->point[i] = (rh_match_point){.id = c->id, .owner = RH_NONE, .point = c->point, .n = c->n};
  }
  for (int i = 0; i < pair.ncontact; i++) {
    int slot = t->old[from + i];
    const rh_track_memory *m = &t->array->memory[slot];
    t->last[i] = (rh_match_contact){.id = (int)t->array->slot[slot].id,
                                    .point = rh_v3(m->point[0], m->point[1], m->point[2]),
                                    .number = (int64_t)m->number};
  }
  rh_match_features(&pair);
  rh_match_nearest(&pair, (rh_match_limits){t->opt.d_coh, -HUGE_VAL}); // the distance alone decides
  for (int i = 0; i < pair.npoint; i++) {
    if (t->point[i].owner != RH_NONE) {
      int slot = t->old[from + t->point[i].owner];
      t->cluster[t->order[lo + i]].slot = slot;
      t->taken[slot] = true;
    }
  }
}

static void match_all(rh_track *t, int nold)
{
  for (int i = 0; i < t->ncluster; i++) {
    t->order[i] = i;
  }
  sort_by_key(t->order, t->spare, t->ncluster, cluster_key, t->cluster);
  int at = 0;
  for (int lo = 0; lo < t->ncluster;) {
    int hi = run_end(t->order, t->ncluster, lo, cluster_key, t->cluster);
    key here = cluster_key(t->cluster, t->order[lo]);
    while (at < nold && compare_keys(slot_key(t->array->slot, t->old[at]), here) < 0) {
      at++;
    }
    if (at < nold && compare_keys(slot_key(t->array->slot, t->old[at]), here) == 0) {
      int end = run_end(t->old, nold, at, slot_key, t->array->slot);
      match_pair(t, lo, hi, at, end);
      at = end;
    }
    lo = hi;
  }
}

// ---- Slots

static void free_lost(rh_track *t, rh_track_result *r)
{
  for (int i = 0; i < t->opt.slots; i++) {
    if (t->used[i] && !t->taken[i]) {
      t->used[i] = false;
      t->lost[r->nlost++] = i;
    }
    if (!t->used[i]) {
      t->array->memory[i] = (rh_track_memory){0};
    }
  }
}

// The next slot for a new contact: one that was free all along if there is one, else one that was lost just now.
static int take_slot(rh_track *t, int *free_at, int *lost_at, const rh_track_result *r)
{
  while (*free_at < t->opt.slots) {
    int i = (*free_at)++;
    bool lost = *lost_at < r->nlost && t->lost[*lost_at] == i;
    *lost_at += lost;
    if (!t->used[i] && !lost) {
      return i;
    }
  }
  return RH_NONE;
}

static void remember_contact(const rh_track *t, int slot, const rh_contact *c, bool fresh)
{
  rh_track_memory *m = &t->array->memory[slot];
  m->number = fresh ? (*t->array->next)++ : m->number;
  rh_slot_write(c->point, m->point);
}

static void settle_slots(rh_track *t, rh_track_result *r)
{
  int free_at = 0;
  int lost_seen = 0;
  int lost_used = 0;
  for (int i = 0; i < t->ncluster; i++) {
    cluster *c = &t->cluster[i];
    bool fresh = c->slot == RH_NONE;
    if (fresh) {
      c->slot = take_slot(t, &free_at, &lost_seen, r);
      if (c->slot == RH_NONE && lost_used < r->nlost) {
        c->slot = t->lost[lost_used++];
      }
    }
    if (c->slot == RH_NONE) {
      r->dropped++;
      c->place = RH_NONE;
      continue;
    }
    if (fresh) {
      t->used[c->slot] = true;
      t->born[r->nborn++] = c->slot;
    }
    remember_contact(t, c->slot, &t->contact[i], fresh);
    c->place = r->count++; // its place in the list
    t->list[c->place] = c->slot;
    t->fresh[c->place] = fresh;
    t->members[c->place] = c->members;
    if (c->place != i) {
      t->contact[c->place] = t->contact[i];
    }
  }
}

rh_status rh_track_update(rh_track *track, const rh_track_array *array, const rh_contact *point,
                          int n, rh_track_result *result)
{
  rh_track *t = track;
  int count = n < t->opt.points ? n : t->opt.points;
  t->array = array;
  *array->next = is_whole(*array->next, 0, COUNT_MAX) ? *array->next : 0; // of a damaged state
  *result = (rh_track_result){.slot = t->list,
                              .contact = t->contact,
                              .members = t->members,
                              .fresh = t->fresh,
                              .owner = t->owner,
                              .born = t->born,
                              .lost = t->lost,
                              .kept = t->taken,
                              .dropped = n - count};
  connect_points(t, point, count);
  collect_clusters(t, point, count);
  for (int i = 0; i < t->ncluster; i++) {
    t->contact[i] = cluster_contact(&t->cluster[i], point);
  }
  match_all(t, sort_slots(t));
  free_lost(t, result);
  settle_slots(t, result);
  for (int i = 0; i < count; i++) {
    t->owner[i] = t->cluster[t->owner[i]].place;
  }
  t->array = NULL;
  return result->dropped > 0 ? RH_OVER_LIMIT : RH_OK;
}
