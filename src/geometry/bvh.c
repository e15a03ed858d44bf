// bvh.c: see bvh.h. A balanced binary tree of boxes, split at the median of the longest side. While
// the boxes move the tree keeps its shape and only its boxes are fitted anew; it is rebuilt once
// they have grown too much together.
// The tree is compared with itself from the top; the pairs are sorted, whatever its shape.
#include "bvh.h"

#include "box_tree.h"

#include <string.h>

struct rh_bvh {
  int n, capacity;
  int nopen;           // boxes with an infinite side
  rh_box_tree tree;    // its order: boxes in the tree, then the others (n)
  bool *open;          // the box has an infinite side (n)
  int *count;          // for sorting (n + 1)
  rh_bvh_pair *pair;   // (capacity)
  rh_bvh_pair *sorted; // (capacity)
};

typedef struct search {
  rh_bvh *bvh;
  const rh_bounds *box;
  rh_bvh_filter *filter;
  const void *user;
  int64_t found, tests;
} search;

rh_status rh_bvh_create(int n, int capacity, rh_bvh **bvh)
{
  RH_ASSERT(n >= 0 && capacity >= 0);
  *bvh = NULL;
  if (n > RH_BVH_BOXES_MAX || capacity > RH_BVH_PAIRS_MAX) {
    return RH_OVER_LIMIT;
  }
  size_t boxes = (size_t)n;
  size_t pairs = (size_t)capacity;
  size_t bytes = sizeof(rh_bvh) + 2 * boxes * sizeof(rh_box_node) + boxes * sizeof(double) +
                 2 * pairs * sizeof(rh_bvh_pair) + (3 * boxes + 1) * sizeof(int) + boxes;
  rh_bvh *b = rh_alloc(bytes);
  if (!b) {
    return RH_OUT_OF_MEMORY;
  }
  b->n = n;
  b->capacity = capacity;
  b->tree.n = RH_NONE; // no tree yet
  b->tree.node = (rh_box_node *)(void *)(b + 1);
  b->tree.centre = (double *)(void *)(b->tree.node + 2 * boxes);
  b->pair = (rh_bvh_pair *)(void *)(b->tree.centre + boxes);
  b->sorted = b->pair + pairs;
  b->tree.order = (int *)(void *)(b->sorted + pairs);
  b->tree.at = b->tree.order + boxes;
  b->count = b->tree.at + boxes;
  b->open = (bool *)(void *)(b->count + boxes + 1);
  *bvh = b;
  return RH_OK;
}

void rh_bvh_destroy(rh_bvh *bvh)
{
  rh_free(bvh);
}

static void update_tree(rh_bvh *b, const rh_bounds *box)
{
  rh_box_tree *t = &b->tree;
  bool same = t->n != RH_NONE;
  int nopen = 0;
  for (int i = 0; i < b->n; i++) {
    bool open = !rh_bounds_finite(&box[i]);
    same = same && open == b->open[i];
    b->open[i] = open;
    nopen += open;
  }
  if (same) {
    rh_box_tree_fit(t, box);
    if (!rh_box_tree_worn(t)) {
      return;
    }
  }
  b->nopen = nopen;
  t->n = b->n - nopen;
  int in = 0;
  int out = t->n;
  for (int i = 0; i < b->n; i++) {
    t->order[b->open[i] ? out++ : in++] = i;
  }
  rh_box_tree_build(t, box);
}

// ---- Pairs

static void add_pair(void *user, int a, int b)
{
  search *s = user;
  int lo = a < b ? a : b;
  int hi = a < b ? b : a;
  if (s->filter && !s->filter(s->user, lo, hi)) {
    return;
  }
  if (s->found < s->bvh->capacity) {
    s->bvh->pair[s->found] = (rh_bvh_pair){lo, hi};
  }
  s->found++;
}

static void search_open(search *s)
{
  const rh_bvh *b = s->bvh;
  const int *order = b->tree.order;
  for (int i = b->tree.n; i < b->n; i++) {
    for (int k = 0; k < i; k++) {
      s->tests++;
      if (rh_bounds_overlap(&s->box[order[i]], &s->box[order[k]])) {
        add_pair(s, order[i], order[k]);
      }
    }
  }
}

// Counting sort by one end of the pairs; keeps the order of equal ones.
typedef struct sorter {
  int n;      // boxes
  int *count; // (n + 1)
  bool second;
} sorter;

static void sort_by(const sorter *s, const rh_bvh_pair *from, rh_bvh_pair *to, int count)
{
  memset(s->count, 0, ((size_t)s->n + 1) * sizeof(int));
  for (int i = 0; i < count; i++) {
    s->count[(s->second ? from[i].b : from[i].a) + 1]++;
  }
  for (int i = 0; i < s->n; i++) {
    s->count[i + 1] += s->count[i];
  }
  for (int i = 0; i < count; i++) {
    to[s->count[s->second ? from[i].b : from[i].a]++] = from[i];
  }
}

void rh_bvh_sort(int n, int *count, rh_bvh_pair *pair, rh_bvh_pair *room, int npair)
{
  sort_by(&(sorter){n, count, true}, pair, room, npair);
  sort_by(&(sorter){n, count, false}, room, pair, npair);
}

rh_bvh_result rh_bvh_find(rh_bvh *bvh, const rh_bounds *box, rh_bvh_filter *filter,
                          const void *user)
{
  search s = {bvh, box, filter, user, 0, 0};
  update_tree(bvh, box);
  s.tests = rh_box_tree_pairs(&bvh->tree, add_pair, &s);
  search_open(&s);
  int count = s.found < bvh->capacity ? (int)s.found : bvh->capacity;
  rh_bvh_sort(bvh->n, bvh->count, bvh->pair, bvh->sorted, count);
  return (rh_bvh_result){bvh->pair, count, s.found > bvh->capacity, s.found, s.tests};
}
