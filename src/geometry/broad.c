// broad.c: see broad.h. Candidates are the pairs whose larger boxes overlap, kept in order; a step
// examines them once.
// A shape that leaves its larger box gets a new one, its candidates are searched in the tree and
// merged into the list. The larger box has a margin on all sides and twice that in the direction of
// motion. When many have moved at once the tree is compared with itself instead. Left out: shapes
// that come and go (all exist from create on).
#include "broad.h"

#include "box_tree.h"

#include <string.h>

static const double SKIN = 0.1;  // of the mean side: margin on all sides
static const double FORTH = 0.5; // of the mean side: maximum extension in the direction of motion

enum { PART = 1024 }; // candidates, or shapes, that are one task

struct rh_broad {
  int n, nplane, capacity;
  rh_broad_filter *filter;
  const void *user;
  rh_pool *pool;
  const bool *still; // shapes without pairs among themselves (n); NULL: none
  bool begun;        // the larger boxes exist
  int nopen;         // shapes with an infinite side that are no planes
  int nmoved;        // shapes whose larger box is new,
  int *moved;        // ascending (n)
  bool *is_new;      // the same, for each shape (n)
  int *number;       // of a shape among the planes, RH_NONE: no plane (n)
  int *plane;        // (nplane)
  rh_half *half;     // of the last call (nplane)
  bool *open;        // has an infinite side (n)
  int *opened;       // those shapes, ascending (n)
  bool *stays;       // within its larger box, in this call (n)
  int *count;        // for sorting (n + 1)
  rh_bounds *fat;    // the larger boxes (n)
  rh_bounds *last;   // the true ones when these were drawn (n)
  rh_box_tree tree;  // of the larger boxes, but planes and open ones
  // The rest is for pairs, in an allocation of its own.
  rh_shape_pair *near, *other; // the list, and the one it is merged into (capacity)
  int nnear;
  rh_shape_pair *fresh, *sorted; // found anew (capacity)
  int64_t nfresh;
  int64_t tests;        // comparisons of two boxes in this call
  rh_shape_pair **pair; // the result (capacity)
  int *part;            // number of pairs of a part of the candidates in it (capacity / PART + 1)
};

// ---- Memory

static void place_pairs(rh_broad *b, void *room, int capacity)
{
  b->near = room;
  b->other = b->near + capacity;
  b->fresh = b->other + capacity;
  b->sorted = b->fresh + capacity;
  b->pair = (rh_shape_pair **)(void *)(b->sorted + capacity);
  b->part = (int *)(void *)(b->pair + capacity);
  b->capacity = capacity;
}

static size_t pair_bytes(int capacity)
{
  return ((size_t)capacity + 1) * (4 * sizeof(rh_shape_pair) + sizeof(rh_shape_pair *)) +
         ((size_t)capacity / PART + 1) * sizeof(int);
}

static void place_shapes(rh_broad *b, int n, int nplane)
{
  b->tree.node = (rh_box_node *)(void *)(b + 1);
  b->fat = (rh_bounds *)(void *)(b->tree.node + 2 * n);
  b->last = b->fat + n;
  b->half = (rh_half *)(void *)(b->last + n);
  b->tree.centre = (double *)(void *)(b->half + nplane);
  b->tree.order = (int *)(void *)(b->tree.centre + n);
  b->tree.at = b->tree.order + n;
  b->moved = b->tree.at + n;
  b->number = b->moved + n;
  b->plane = b->number + n;
  b->opened = b->plane + nplane;
  b->count = b->opened + n;
  b->is_new = (bool *)(void *)(b->count + n + 1);
  b->open = b->is_new + n;
  b->stays = b->open + n;
}

static size_t shape_bytes(int n, int nplane)
{
  size_t each = 2 * sizeof(rh_box_node) + 2 * sizeof(rh_bounds) + sizeof(double) + 6 * sizeof(int) +
                3 * sizeof(bool);
  return sizeof(rh_broad) + (size_t)n * each + (size_t)nplane * (sizeof(rh_half) + sizeof(int)) +
         sizeof(int);
}

rh_status rh_broad_create(const rh_broad_opt *opt, rh_broad **broad)
{
  RH_ASSERT(opt->n >= 0 && opt->pairs >= 0 && opt->nplane >= 0 && opt->nplane <= opt->n);
  *broad = NULL;
  if (opt->n > RH_BROAD_SHAPES_MAX || opt->pairs > RH_BROAD_PAIRS_MAX) {
    return RH_OVER_LIMIT;
  }
  rh_broad *b = rh_alloc(shape_bytes(opt->n, opt->nplane));
  void *room = rh_realloc(NULL, pair_bytes(opt->pairs));
  if (!b || !room) {
    rh_free(b);
    rh_free(room);
    return RH_OUT_OF_MEMORY;
  }
  memset(b, 0, sizeof *b);
  b->n = opt->n;
  b->nplane = opt->nplane;
  b->filter = opt->filter;
  b->user = opt->user;
  b->pool = opt->pool;
  place_shapes(b, opt->n, opt->nplane);
  place_pairs(b, room, opt->pairs);
  for (int i = 0; i < b->n; i++) {
    b->number[i] = RH_NONE;
  }
  for (int i = 0; i < b->nplane; i++) {
    RH_ASSERT(opt->plane[i] >= 0 && opt->plane[i] < b->n);
    b->plane[i] = opt->plane[i];
    b->number[opt->plane[i]] = i;
  }
  *broad = b;
  return RH_OK;
}

void rh_broad_destroy(rh_broad *broad)
{
  if (broad) {
    rh_free(broad->near < broad->other ? broad->near : broad->other);
    rh_free(broad);
  }
}

rh_status rh_broad_grow(rh_broad *broad, int pairs)
{
  if (pairs > RH_BROAD_PAIRS_MAX) {
    return RH_OVER_LIMIT;
  }
  void *room = pairs > broad->capacity ? rh_realloc(NULL, pair_bytes(pairs)) : NULL;
  if (pairs > broad->capacity && !room) {
    return RH_OUT_OF_MEMORY;
  }
  if (room) {
    rh_shape_pair *near = broad->near;
    rh_shape_pair *begin = broad->near < broad->other ? broad->near : broad->other;
    place_pairs(broad, room, pairs);
    memcpy(broad->near, near, (size_t)broad->nnear * sizeof *near);
    rh_free(begin);
  }
  return RH_OK;
}

void rh_broad_forget(rh_broad *broad)
{
  broad->begun = false;
  broad->nnear = 0;
}

void rh_broad_still(rh_broad *broad, const bool *still)
{
  broad->still = still;
}

// ---- Parts of long lists, for threads

typedef struct search {
  rh_broad *b;
  const rh_bounds *box;
} search;

static int parts_of(int n)
{
  return (n + PART - 1) / PART;
}

static int end_of(int part, int n)
{
  return n - part * PART < PART ? n : (part + 1) * PART;
}

static bool use_threads(const rh_broad *b, int n)
{
  return n > PART && rh_pool_threads(b->pool) > 1;
}

// ---- Larger boxes

static bool holds_box(const rh_bounds *fat, const rh_bounds *box)
{
  return fat->lo.x <= box->lo.x && fat->lo.y <= box->lo.y && fat->lo.z <= box->lo.z &&
         fat->hi.x >= box->hi.x && fat->hi.y >= box->hi.y && fat->hi.z >= box->hi.z;
}

// One side of it: a margin, and the distance the shape has moved since it was last drawn.
static void widen_side(double *lo, double *hi, double skin, double way, double most)
{
  way = way > most ? most : way < -most ? -most : way;
  *lo += (way < 0 ? way : 0) - skin;
  *hi += (way > 0 ? way : 0) + skin;
}

static rh_bounds larger_box(const rh_bounds *box, const rh_bounds *last)
{
  double side = rh_bounds_girth(box) / 3;
  rh_vec3 way = {0, 0, 0};
  if (last) {
    way =
        rh_sub(rh_scale(0.5, rh_add(box->lo, box->hi)), rh_scale(0.5, rh_add(last->lo, last->hi)));
  }
  rh_bounds fat = *box;
  widen_side(&fat.lo.x, &fat.hi.x, SKIN * side, way.x, FORTH * side);
  widen_side(&fat.lo.y, &fat.hi.y, SKIN * side, way.y, FORTH * side);
  widen_side(&fat.lo.z, &fat.hi.z, SKIN * side, way.z, FORTH * side);
  return fat;
}

static void draw_larger_box(rh_broad *b, const rh_bounds *box, int i, bool again)
{
  bool bounded = rh_bounds_finite(&box[i]);
  b->fat[i] = bounded ? larger_box(&box[i], again ? &b->last[i] : NULL) : box[i];
  b->last[i] = box[i];
  b->is_new[i] = true;
  b->moved[b->nmoved++] = i;
}

static inline bool stays_inside(const rh_broad *b, const rh_bounds *box, int i)
{
  if (b->number[i] != RH_NONE) {
    return true;
  }
  return b->begun && !b->open[i] ? holds_box(&b->fat[i], &box[i])
                                 : b->begun && memcmp(&b->last[i], &box[i], sizeof box[i]) == 0;
}

static void compare_part(void *user, int task, int worker)
{
  const search *s = user;
  (void)worker;
  for (int i = task * PART; i < end_of(task, s->b->n); i++) {
    s->b->stays[i] = stays_inside(s->b, s->box, i);
  }
}

// Gives new larger boxes to the shapes that have left theirs. True: the tree has other boxes than
// before.
static bool draw_moved(rh_broad *b, const rh_bounds *box)
{
  bool other = !b->begun;
  for (int i = 0; i < b->nmoved; i++) {
    b->is_new[b->moved[i]] = false;
  }
  b->nmoved = 0;
  bool known = use_threads(b, b->n);
  if (known) {
    search s = {b, box};
    rh_pool_run(b->pool, compare_part, &s, parts_of(b->n));
  }
  for (int i = 0; i < b->n; i++) {
    if (known ? b->stays[i] : stays_inside(b, box, i)) {
      continue;
    }
    bool again = b->begun && !b->open[i];
    bool open = !rh_bounds_finite(&box[i]);
    other = other || open != b->open[i];
    b->open[i] = open;
    draw_larger_box(b, box, i, again && !open);
  }
  return other;
}

// A plane that has turned or shifted counts as moved: all its pairs are searched again.
static void draw_planes(rh_broad *b, const rh_half *half)
{
  for (int k = 0; k < b->nplane; k++) {
    if (!b->begun || memcmp(&half[k], &b->half[k], sizeof half[k]) != 0) {
      b->half[k] = half[k];
      b->is_new[b->plane[k]] = true;
      b->moved[b->nmoved++] = b->plane[k];
    }
  }
}

static void build_tree(rh_broad *b)
{
  b->tree.n = b->nopen = 0;
  for (int i = 0; i < b->n; i++) {
    if (b->number[i] == RH_NONE) {
      if (b->open[i]) {
        b->opened[b->nopen++] = i;
      } else {
        b->tree.order[b->tree.n++] = i;
      }
    }
  }
  rh_box_tree_build(&b->tree, b->fat);
}

static bool touches_half(const rh_half *h, const rh_bounds *box)
{
  double x = h->n.x > 0 ? box->lo.x : box->hi.x;
  double y = h->n.y > 0 ? box->lo.y : box->hi.y;
  double z = h->n.z > 0 ? box->lo.z : box->hi.z;
  double low = (h->n.x == 0 ? 0 : h->n.x * x) + (h->n.y == 0 ? 0 : h->n.y * y) +
               (h->n.z == 0 ? 0 : h->n.z * z);
  return !(low > h->d);
}

// ---- Candidates

static void add_candidate(void *user, int a, int b)
{
  rh_broad *s = user;
  rh_shape_pair pair = {.a = a < b ? a : b, .b = a < b ? b : a};
  if (s->filter && !s->filter(s->user, &pair)) {
    return;
  }
  if (s->nfresh < s->capacity) {
    s->fresh[s->nfresh] = pair;
  }
  s->nfresh++;
}

// From the tree, searched for one moved shape: two that have both moved find each other twice.
static void found_by(void *user, int a, int b)
{
  const rh_broad *s = user;
  if (!(s->is_new[b] && b < a)) {
    add_candidate(user, a, b);
  }
}

// Shape i with all planes that meet it, or plane i with all shapes.
static void look_at_planes(rh_broad *b, int i)
{
  int plane = b->number[i];
  if (plane == RH_NONE) {
    for (int k = 0; k < b->nplane; k++) {
      if (touches_half(&b->half[k], &b->fat[i])) {
        add_candidate(b, i, b->plane[k]);
      }
    }
    return;
  }
  for (int k = 0; k < b->n; k++) {
    if (b->number[k] == RH_NONE && !b->is_new[k] && touches_half(&b->half[plane], &b->fat[k])) {
      add_candidate(b, i, k);
    }
  }
}

// An open shape is in no tree: it is compared with every other one, and each other one with all open ones.
static void look_at_open(rh_broad *b, int i)
{
  if (b->number[i] != RH_NONE) {
    return;
  }
  int n = b->open[i] ? b->n : b->nopen;
  for (int at = 0; at < n; at++) {
    int k = b->open[i] ? at : b->opened[at];
    if (k != i && b->number[k] == RH_NONE && rh_bounds_overlap(&b->fat[i], &b->fat[k])) {
      found_by(b, i, k);
    }
  }
}

static void search_candidates(rh_broad *b, bool all)
{
  b->nfresh = 0;
  if (all) {
    b->tests += rh_box_tree_pairs(&b->tree, add_candidate, b);
  }
  for (int m = 0; m < b->nmoved; m++) {
    int i = b->moved[m];
    if (!all && b->number[i] == RH_NONE && !b->open[i]) {
      b->tests += rh_box_tree_over(&b->tree, b->fat, i, found_by, b);
    }
    look_at_planes(b, i);
    look_at_open(b, i);
  }
}

static int lower_of(const rh_shape_pair *p)
{
  return p->a < p->b ? p->a : p->b;
}

static int higher_of(const rh_shape_pair *p)
{
  return p->a < p->b ? p->b : p->a;
}

// Counting sort by one end of the pairs; keeps the order of equal ones.
typedef struct sorter {
  int n;      // shapes
  int *count; // (n + 1)
  int (*end)(const rh_shape_pair *p);
} sorter;

static void sort_by(const sorter *s, const rh_shape_pair *from, rh_shape_pair *to, int count)
{
  memset(s->count, 0, ((size_t)s->n + 1) * sizeof(int));
  for (int i = 0; i < count; i++) {
    s->count[s->end(&from[i]) + 1]++;
  }
  for (int i = 0; i < s->n; i++) {
    s->count[i + 1] += s->count[i];
  }
  for (int i = 0; i < count; i++) {
    to[s->count[s->end(&from[i])]++] = from[i];
  }
}

// < 0: x comes first
static int compare_pairs(const rh_shape_pair *x, const rh_shape_pair *y)
{
  int way = lower_of(x) - lower_of(y);
  return way != 0 ? way : higher_of(x) - higher_of(y);
}

// Merges the list, without the pairs searched again, and those found; a pair in both keeps its
// cache. Returns their number; beyond the capacity the list is unchanged.
static int64_t merge_candidates(rh_broad *b, bool all)
{
  int nfresh = b->nfresh < b->capacity ? (int)b->nfresh : b->capacity;
  sort_by(&(sorter){b->n, b->count, higher_of}, b->fresh, b->sorted, nfresh);
  sort_by(&(sorter){b->n, b->count, lower_of}, b->sorted, b->fresh, nfresh);
  int64_t count = 0;
  int k = 0;
  int i = 0;
  while (i < b->nnear || k < nfresh) {
    int way = i == b->nnear ? 1 : k == nfresh ? -1 : compare_pairs(&b->near[i], &b->fresh[k]);
    const rh_shape_pair *c = way <= 0 ? &b->near[i] : &b->fresh[k];
    i += way <= 0;
    k += way >= 0;
    bool again = b->is_new[c->a] || b->is_new[c->b] ||
                 (all && !b->open[c->a] && !b->open[c->b] && b->number[c->a] == RH_NONE &&
                  b->number[c->b] == RH_NONE);
    if (way < 0 && again) {
      continue;
    }
    if (count < b->capacity) {
      b->other[count] = *c;
    }
    count++;
  }
  if (count + (b->nfresh - nfresh) <= b->capacity) {
    rh_shape_pair *keep = b->near;
    b->near = b->other;
    b->other = keep;
    b->nnear = (int)count;
  }
  return count + (b->nfresh - nfresh);
}

// All sides are compared: about half of the candidates overlap, so branches would be mispredicted.
static inline bool boxes_overlap(const rh_bounds *a, const rh_bounds *b)
{
  int apart = (a->lo.x > b->hi.x) | (b->lo.x > a->hi.x) | (a->lo.y > b->hi.y) |
              (b->lo.y > a->hi.y) | (a->lo.z > b->hi.z) | (b->lo.z > a->hi.z);
  return apart == 0;
}

static inline bool pair_meets(const rh_broad *b, const rh_bounds *box, const rh_shape_pair *c)
{
  if (b->still && b->still[c->a] && b->still[c->b]) {
    return false;
  }
  if (b->nplane > 0 && b->number[c->a] != RH_NONE) {
    return touches_half(&b->half[b->number[c->a]], &box[c->b]);
  }
  if (b->nplane > 0 && b->number[c->b] != RH_NONE) {
    return touches_half(&b->half[b->number[c->b]], &box[c->a]);
  }
  return boxes_overlap(&box[c->a], &box[c->b]);
}

// The candidates from .. end - 1 whose true boxes overlap, at their own place in the result. Returns
// their number.
static int collect_pairs(const rh_broad *b, const rh_bounds *box, int from, int end)
{
  enum { AHEAD = 8 }; // boxes are prefetched: of many shapes they come from memory

  rh_shape_pair **to = b->pair + from;
  int count = 0;
  for (int i = from; i < end; i++) {
    rh_shape_pair *c = &b->near[i];
    if (i + AHEAD < end) {
      __builtin_prefetch(&box[higher_of(&c[AHEAD])]);
    }
    to[count] = c; // overwritten by the next one if not
    count += pair_meets(b, box, c);
  }
  return count;
}

static void meet_part(void *user, int task, int worker)
{
  const search *s = user;
  (void)worker;
  s->b->part[task] = collect_pairs(s->b, s->box, task * PART, end_of(task, s->b->nnear));
}

// The same by threads: each part at its own place, then one after the other.
static int answer_shared(rh_broad *b, const rh_bounds *box)
{
  search s = {b, box};
  int parts = parts_of(b->nnear);
  int count = 0;
  rh_pool_run(b->pool, meet_part, &s, parts);
  for (int i = 0; i < parts; i++) {
    memmove(b->pair + count, b->pair + (size_t)i * PART, (size_t)b->part[i] * sizeof *b->pair);
    count += b->part[i];
  }
  return count;
}

// The tree over the larger boxes; `other`: not the same boxes as before.
static void update_tree(rh_broad *b, bool other, bool all)
{
  if (!other && all) {
    rh_box_tree_fit(&b->tree, b->fat);
  }
  for (int m = 0; m < b->nmoved && !other && !all; m++) {
    int i = b->moved[m];
    if (b->number[i] == RH_NONE && !b->open[i]) {
      rh_box_tree_move(&b->tree, b->fat, i);
    }
  }
  if (other || rh_box_tree_worn(&b->tree)) {
    build_tree(b);
  }
}

rh_broad_result rh_broad_find(rh_broad *broad, const rh_bounds *box, const rh_half *half)
{
  static const int MANY = 4; // part of the shapes from which on the whole tree is searched
  rh_broad *b = broad;
  bool other = draw_moved(b, box);
  draw_planes(b, half);
  int64_t found_all = b->nnear;
  b->tests = 0;
  if (b->nmoved > 0) {
    bool all = other || b->nmoved > b->n / MANY;
    update_tree(b, other, all);
    search_candidates(b, all);
    found_all = merge_candidates(b, all);
  }
  b->begun = found_all <= b->capacity;
  if (!b->begun) { // the next call starts anew, except for the caches
    return (rh_broad_result){b->pair, 0, true, found_all, b->nmoved, b->tests};
  }
  b->tests += b->nnear;
  int count = use_threads(b, b->nnear) ? answer_shared(b, box) : collect_pairs(b, box, 0, b->nnear);
  return (rh_broad_result){b->pair, count, false, found_all, b->nmoved, b->tests};
}
