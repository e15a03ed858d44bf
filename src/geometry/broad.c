// broad.c: see broad.h. Candidates are the pairs whose larger boxes overlap, kept in order; a step
// examines them once.
// A shape that leaves its larger box gets a new one, its candidates are searched in the tree and
// merged into the list. The larger box has a margin on all sides and twice that in the direction of
// motion. When many have moved at once the tree is compared with itself instead. Left out: shapes
// that come and go (all exist from create on).
#include "broad_parts.h"

#include <string.h>

static const double SKIN = 0.1;  // of the mean side: margin on all sides
static const double FORTH = 0.5; // of the mean side: maximum extension in the direction of motion

enum { PART = RH_BROAD_PART, SHAPES = 64 }; // candidates, and shapes, that are one task

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
  _Atomic bool other; // a shape has become open, or bounded
} search;

static int parts_of(int n, int size)
{
  return (n + size - 1) / size;
}

static int end_of(int part, int size, int n)
{
  return n - part * size < size ? n : (part + 1) * size;
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

static inline bool stays_inside(const rh_broad *b, const rh_bounds *box, int i)
{
  if (b->number[i] != RH_NONE) {
    return true;
  }
  return b->begun && !b->open[i] ? holds_box(&b->fat[i], &box[i])
                                 : b->begun && memcmp(&b->last[i], &box[i], sizeof box[i]) == 0;
}

// Gives new larger boxes to the shapes from .. end - 1 that have left theirs; returns their number.
static inline __attribute__((always_inline)) int draw_range(search *s, int from, int end)
{
  rh_broad *b = s->b;
  int *moved = b->moved + from;
  int n = 0;
  for (int i = from; i < end; i++) {
    b->is_new[i] = !stays_inside(b, s->box, i);
    if (!b->is_new[i]) {
      continue;
    }
    bool open = !rh_bounds_finite(&s->box[i]);
    bool again = b->begun && !b->open[i] && !open;
    if (open != b->open[i]) {
      atomic_store_explicit(&s->other, true, memory_order_relaxed);
    }
    b->open[i] = b->outside[i] = open;
    b->fat[i] = open ? s->box[i] : larger_box(&s->box[i], again ? &b->last[i] : NULL);
    b->last[i] = s->box[i];
    moved[n++] = i;
  }
  return n;
}

static void draw_part(void *user, int task, int worker)
{
  search *s = user;
  (void)worker;
  s->b->count[task] = draw_range(s, task * SHAPES, end_of(task, SHAPES, s->b->n));
}

// The same for all. True: the tree has other boxes than before.
static bool draw_moved(rh_broad *b, const rh_bounds *box)
{
  search s = {b, box, !b->begun};
  b->nmoved = 0;
  if (b->n <= SHAPES) {
    b->nmoved = draw_range(&s, 0, b->n);
    return s.other;
  }
  rh_pool_run(b->pool, draw_part, &s, parts_of(b->n, SHAPES));
  for (int task = 0; task < parts_of(b->n, SHAPES); task++) {
    memmove(b->moved + b->nmoved, b->moved + task * SHAPES, (size_t)b->count[task] * sizeof(int));
    b->nmoved += b->count[task];
  }
  return s.other;
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
  rh_box_tree_build(&b->tree, b->fat, b->pool);
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

enum { HAND = 128 }; // pairs that a search holds before it gives them to the list

typedef struct finder { // of candidates: one of each thread
  rh_broad *b;
  rh_shape_pair pair[HAND];
  int n;
} finder;

static void give_pairs(finder *f)
{
  rh_broad *b = f->b;
  int64_t at = atomic_fetch_add_explicit(&b->nfresh, f->n, memory_order_relaxed);
  int64_t room = b->capacity > at ? b->capacity - at : 0;
  memcpy(b->fresh + at * (room > 0), f->pair,
         (size_t)(f->n < room ? f->n : room) * sizeof *f->pair);
  f->n = 0;
}

static void add_candidate(void *user, int a, int b)
{
  finder *f = user;
  rh_shape_pair pair = {.a = a < b ? a : b, .b = a < b ? b : a};
  if (f->b->filter && !f->b->filter(f->b->user, &pair)) {
    return;
  }
  f->pair[f->n++] = pair;
  if (f->n == HAND) {
    give_pairs(f);
  }
}

// From the tree, searched for one moved shape: two that have both moved find each other twice.
static void found_by(void *user, int a, int b)
{
  const finder *f = user;
  if (!(f->b->is_new[b] && b < a)) {
    add_candidate(user, a, b);
  }
}

// The same where it is searched for every shape
static void found_above(void *user, int a, int b)
{
  if (a < b) {
    add_candidate(user, a, b);
  }
}

// Shape i with all planes that meet it, or plane i with all shapes.
static void look_at_planes(finder *f, int i)
{
  const rh_broad *b = f->b;
  int plane = b->number[i];
  if (plane == RH_NONE) {
    for (int k = 0; k < b->nplane; k++) {
      if (touches_half(&b->half[k], &b->fat[i])) {
        add_candidate(f, i, b->plane[k]);
      }
    }
    return;
  }
  for (int k = 0; k < b->n; k++) {
    if (b->number[k] == RH_NONE && !b->is_new[k] && touches_half(&b->half[plane], &b->fat[k])) {
      add_candidate(f, i, k);
    }
  }
}

// An open shape is in no tree: it is compared with every other one, and each other one with all open ones.
static void look_at_open(finder *f, int i)
{
  const rh_broad *b = f->b;
  if (b->number[i] != RH_NONE) {
    return;
  }
  int n = b->open[i] ? b->n : b->nopen;
  for (int at = 0; at < n; at++) {
    int k = b->open[i] ? at : b->opened[at];
    if (k != i && b->number[k] == RH_NONE && rh_bounds_overlap(&b->fat[i], &b->fat[k])) {
      found_by(f, i, k);
    }
  }
}

enum { MOVED = 32 }; // shapes of a task

static void count_tests(rh_broad *b, int64_t tests)
{
  atomic_fetch_add_explicit(&b->tests, tests, memory_order_relaxed);
}

static void look_at_moved(finder *f, int from, int end, bool in_tree)
{
  rh_broad *b = f->b;
  int64_t tests = 0;
  for (int m = from; m < end; m++) {
    int i = b->moved[m];
    if (in_tree && !b->outside[i]) {
      tests += rh_box_tree_over(&b->tree, &b->fat[i], i, found_by, f);
    }
    look_at_planes(f, i);
    look_at_open(f, i);
  }
  give_pairs(f);
  count_tests(b, tests);
}

static void search_moved(void *user, int task, int worker)
{
  finder f = {.b = user, .n = 0};
  (void)worker;
  look_at_moved(&f, task * MOVED, end_of(task, MOVED, f.b->nmoved), true);
}

static int64_t search_one(const rh_broad *b, int i, finder *f)
{
  return rh_box_tree_over(&b->tree, &b->fat[i], i, found_above, f);
}

// Every shape in the tree, against those of higher numbers
static void search_part(rh_broad *b, int part)
{
  finder f = {.b = b, .n = 0};
  int end = end_of(part, MOVED, b->tree.n);
  int64_t tests = 0;
  for (int k = part * MOVED; k < end; k++) { // neighbours in the tree
    tests += search_one(b, b->tree.order[k], &f);
  }
  give_pairs(&f);
  count_tests(b, tests);
}

// And what is outside of the tree
static void search_every(void *user, int task, int worker)
{
  rh_broad *b = user;
  int parts = parts_of(b->tree.n, MOVED);
  finder f = {.b = b, .n = 0};
  (void)worker;
  if (task < parts) {
    search_part(b, task);
  } else {
    look_at_moved(&f, (task - parts) * MOVED, end_of(task - parts, MOVED, b->nmoved), false);
  }
}

static void search_candidates(rh_broad *b, bool all)
{
  bool shared = b->nmoved > 2 * MOVED && rh_pool_threads(b->pool) > 1;
  finder f = {.b = b, .n = 0};
  b->nfresh = 0;
  if (all && shared) {
    int parts = b->nplane > 0 || b->nopen > 0 ? parts_of(b->nmoved, MOVED) : 0;
    rh_pool_run(b->pool, search_every, b, parts_of(b->tree.n, MOVED) + parts);
  } else if (shared) {
    rh_pool_run(b->pool, search_moved, b, parts_of(b->nmoved, MOVED));
  } else {
    b->tests += all ? rh_box_tree_pairs(&b->tree, add_candidate, &f) : 0;
    look_at_moved(&f, 0, b->nmoved, !all);
  }
}

// Merges the list, without the pairs searched again, and those found; a pair in both keeps its
// cache. Returns their number; beyond the capacity the list is unchanged.
static int64_t merge_candidates(rh_broad *b, bool all)
{
  int nfresh = b->nfresh < b->capacity ? (int)b->nfresh : b->capacity;
  const rh_pair_sorter sorter = {b->n, b->count, b->pool};
  const rh_pair_again again = {b->is_new, b->outside, all};
  rh_pairs_sort(&sorter, b->fresh, b->sorted, nfresh);
  const rh_pair_list list[2] = {{b->near, b->nnear}, {b->fresh, nfresh}};
  int64_t count = rh_pairs_merge(&again, list, b->other, b->capacity, b->pool);
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

// The candidates whose true boxes overlap
int rh_broad_list(const rh_broad *broad, const rh_bounds *box, int from, int end,
                  rh_shape_pair **to)
{
  enum { AHEAD = 8 }; // boxes are prefetched: of many shapes they come from memory

  const rh_broad *b = broad;
  int count = 0;
  for (int i = from; i < end; i++) {
    rh_shape_pair *c = &b->near[i];
    if (i + AHEAD < end) {
      __builtin_prefetch(&box[rh_pair_higher(&c[AHEAD])]);
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
  s->b->part[task] = rh_broad_list(s->b, s->box, task * PART, end_of(task, PART, s->b->nnear),
                                   s->b->pair + (size_t)task * PART);
}

// The same by threads: each part at its own place, then one after the other.
static int answer_shared(rh_broad *b, const rh_bounds *box)
{
  search s = {b, box, false};
  int parts = parts_of(b->nnear, PART);
  int count = 0;
  rh_pool_run(b->pool, meet_part, &s, parts);
  for (int i = 0; i < parts; i++) {
    memmove(b->pair + count, b->pair + (size_t)i * PART, (size_t)b->part[i] * sizeof *b->pair);
    count += b->part[i];
  }
  return count;
}

// The tree over the larger boxes; `other`: not the same boxes as before. Threads fit a tree of which a
// hundredth has moved faster than one follows each way up.
static void update_tree(rh_broad *b, bool other, bool all)
{
  bool fit = all || (rh_pool_threads(b->pool) > 1 && b->nmoved > b->n / 100);
  if (!other && fit) {
    rh_box_tree_fit(&b->tree, b->fat, b->pool);
  }
  for (int m = 0; m < b->nmoved && !other && !fit; m++) {
    int i = b->moved[m];
    if (!b->outside[i]) {
      rh_box_tree_move(&b->tree, b->fat, i);
    }
  }
  if (other || rh_box_tree_worn(&b->tree)) {
    build_tree(b);
  }
}

rh_broad_result rh_broad_search(rh_broad *broad, const rh_bounds *box, const rh_half *half)
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
  b->begun = found_all <= b->capacity; // else the next call starts anew, except for the caches
  int n = b->begun ? b->nnear : 0;
  b->tests += n;
  return (rh_broad_result){b->pair, 0, !b->begun, found_all, b->nmoved, b->tests, n};
}

rh_broad_result rh_broad_find(rh_broad *broad, const rh_bounds *box, const rh_half *half)
{
  rh_broad_result result = rh_broad_search(broad, box, half);
  result.count = use_threads(broad, result.candidates)
                     ? answer_shared(broad, box)
                     : rh_broad_list(broad, box, 0, result.candidates, broad->pair);
  return result;
}

typedef struct visit {
  rh_broad_visit *found;
  void *user;
} visit;

static void pass_on(void *user, int which, int shape)
{
  const visit *v = user;
  (void)which;
  v->found(v->user, shape);
}

void rh_broad_near(const rh_broad *broad, const rh_bounds *box, rh_broad_visit *found, void *user)
{
  visit v = {found, user};
  (void)rh_box_tree_over(&broad->tree, box, RH_NONE, pass_on, &v);
}
