// bvh.c: see bvh.h. A balanced binary tree of boxes, split at the median of the longest side. While the boxes move the
// tree keeps its shape and only its boxes are fitted anew; it is built afresh once they have grown too much together.
// The tree is compared with itself from the top; what comes out is sorted, so its shape never shows.
#include "geom/bvh.h"

#include <string.h>

#define GROWN_MAX                                                                                  \
  1.5 // sum of the nodes' sizes, relative to the fresh tree, at which a new one pays
// The tree is balanced, so it is at most 25 deep, and a pair of nodes leaves at most three pairs behind at each of the
// 2 * 25 levels that the two of them can go down.
#define STACK_MAX 256

typedef struct node {
  rh_bounds box;
  int right; // second child, the first one follows at once; RH_NONE: a leaf
  int leaf;  // box of a leaf
} node;

struct rh_bvh {
  int n, capacity;
  int nopen;           // boxes with an infinite side
  int ntree;           // boxes in the tree
  double fresh;        // size of the tree when it was built
  node *node;          // parents before children (2 n - 1)
  int *order;          // boxes in the tree, then the others (n)
  bool *open;          // has the box an infinite side? (n)
  double *centre;      // along the side that is being split (n)
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
  size_t bytes = sizeof(rh_bvh) + 2 * boxes * sizeof(node) + boxes * sizeof(double) +
                 2 * pairs * sizeof(rh_bvh_pair) + (2 * boxes + 1) * sizeof(int) + boxes;
  rh_bvh *b = rh_alloc(bytes);
  if (!b) {
    return RH_OUT_OF_MEMORY;
  }
  b->n = n;
  b->capacity = capacity;
  b->ntree = RH_NONE; // no tree yet
  b->node = (node *)(void *)(b + 1);
  b->centre = (double *)(void *)(b->node + 2 * boxes);
  b->pair = (rh_bvh_pair *)(void *)(b->centre + boxes);
  b->sorted = b->pair + pairs;
  b->order = (int *)(void *)(b->sorted + pairs);
  b->count = b->order + boxes;
  b->open = (bool *)(void *)(b->count + boxes + 1);
  *bvh = b;
  return RH_OK;
}

void rh_bvh_destroy(rh_bvh *bvh)
{
  rh_free(bvh);
}

// ---- Boxes

// Written so that a side that is not a number is in nobody's way.
static bool overlap(const rh_bounds *a, const rh_bounds *b)
{
  return !(a->lo.x > b->hi.x || b->lo.x > a->hi.x || a->lo.y > b->hi.y || b->lo.y > a->hi.y ||
           a->lo.z > b->hi.z || b->lo.z > a->hi.z);
}

static rh_bounds join(const rh_bounds *a, const rh_bounds *b)
{
  rh_bounds r;
  r.lo.x = a->lo.x < b->lo.x ? a->lo.x : b->lo.x;
  r.lo.y = a->lo.y < b->lo.y ? a->lo.y : b->lo.y;
  r.lo.z = a->lo.z < b->lo.z ? a->lo.z : b->lo.z;
  r.hi.x = a->hi.x > b->hi.x ? a->hi.x : b->hi.x;
  r.hi.y = a->hi.y > b->hi.y ? a->hi.y : b->hi.y;
  r.hi.z = a->hi.z > b->hi.z ? a->hi.z : b->hi.z;
  return r;
}

static bool is_bounded(const rh_bounds *b)
{
  return isfinite(b->lo.x) && isfinite(b->lo.y) && isfinite(b->lo.z) && isfinite(b->hi.x) &&
         isfinite(b->hi.y) && isfinite(b->hi.z);
}

static double girth(const rh_bounds *b)
{
  return (b->hi.x - b->lo.x) + (b->hi.y - b->lo.y) + (b->hi.z - b->lo.z);
}

// ---- The tree

static bool before(const double *centre, int a, int b)
{
  return centre[a] != centre[b] ? centre[a] < centre[b] : a < b;
}

static void swap(int *a, int *b)
{
  int keep = *a;
  *a = *b;
  *b = keep;
}

// Quickselect: afterwards order[lo..mid-1] come before order[mid..hi-1]. Ties go by number, so no two are equal.
static void split(int *order, const double *centre, int lo, int hi, int mid)
{
  while (hi - lo > 1) {
    // The median of three as pivot: boxes often come sorted.
    int *a = &order[lo];
    int *m = &order[lo + (hi - lo) / 2];
    int *z = &order[hi - 1];
    if (before(centre, *m, *a)) {
      swap(m, a);
    }
    if (before(centre, *z, *m)) {
      swap(z, m);
      if (before(centre, *m, *a)) {
        swap(m, a);
      }
    }
    int pivot = *m;
    int i = lo;
    int k = hi - 1;
    while (i <= k) {
      while (before(centre, order[i], pivot)) {
        i++;
      }
      while (before(centre, pivot, order[k])) {
        k--;
      }
      if (i <= k) {
        swap(&order[i++], &order[k--]);
      }
    }
    if (mid <= k) {
      hi = k + 1;
    } else if (mid >= i) {
      lo = i;
    } else {
      return;
    }
  }
}

static void set_centres(rh_bvh *b, const rh_bounds *box, int lo, int hi)
{
  rh_bounds all = box[b->order[lo]];
  for (int i = lo + 1; i < hi; i++) {
    all = join(&all, &box[b->order[i]]);
  }
  rh_vec3 size = rh_sub(all.hi, all.lo);
  int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  for (int i = lo; i < hi; i++) {
    const rh_bounds *x = &box[b->order[i]];
    b->centre[b->order[i]] = axis == 0   ? x->lo.x / 2 + x->hi.x / 2
                             : axis == 1 ? x->lo.y / 2 + x->hi.y / 2
                                         : x->lo.z / 2 + x->hi.z / 2;
  }
}

typedef struct
    span { // boxes order[lo..hi-1] that are to become a subtree, the second one of `parent` or the first
  int lo, hi, parent;
} span;

static void build(rh_bvh *b, const rh_bounds *box)
{
  span stack[STACK_MAX];
  int depth = 0;
  int used = 0;
  if (b->ntree > 0) {
    stack[depth++] = (span){0, b->ntree, RH_NONE};
  }
  while (depth > 0) {
    span s = stack[--depth];
    int at = used++;
    node *d = &b->node[at];
    d->right = d->leaf = RH_NONE;
    if (s.parent != RH_NONE) {
      b->node[s.parent].right = at;
    }
    if (s.hi - s.lo == 1) {
      d->leaf = b->order[s.lo];
      continue;
    }
    int mid = s.lo + (s.hi - s.lo) / 2;
    set_centres(b, box, s.lo, s.hi);
    split(b->order, b->centre, s.lo, s.hi, mid);
    stack[depth++] = (span){mid, s.hi, at};
    stack[depth++] = (span){s.lo, mid, RH_NONE}; // comes next, so it follows its parent
  }
}

static double fit(rh_bvh *b, const rh_bounds *box)
{
  double size = 0;
  for (int i = 2 * b->ntree - 2; i >= 0; i--) {
    node *d = &b->node[i];
    d->box = d->right == RH_NONE ? box[d->leaf] : join(&b->node[i + 1].box, &b->node[d->right].box);
    size += girth(&d->box);
  }
  return size;
}

static void update(rh_bvh *b, const rh_bounds *box)
{
  bool same = b->ntree != RH_NONE;
  int nopen = 0;
  for (int i = 0; i < b->n; i++) {
    bool open = !is_bounded(&box[i]);
    same = same && open == b->open[i];
    b->open[i] = open;
    nopen += open;
  }
  if (same && !(fit(b, box) > GROWN_MAX * b->fresh)) {
    return;
  }
  b->nopen = nopen;
  b->ntree = b->n - nopen;
  int in = 0;
  int out = b->ntree;
  for (int i = 0; i < b->n; i++) {
    b->order[b->open[i] ? out++ : in++] = i;
  }
  build(b, box);
  b->fresh = fit(b, box);
}

// ---- Pairs

static void found(search *s, int a, int b)
{
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

// The tree against itself: two nodes that overlap, or one node with itself, are looked into.
static void search_tree(search *s)
{
  const node *tree = s->bvh->node;
  int stack[STACK_MAX][2];
  int depth = 0;
  stack[depth][0] = stack[depth][1] = 0;
  depth += s->bvh->ntree > 1;
  while (depth > 0) {
    depth--;
    int a = stack[depth][0];
    int b = stack[depth][1];
    RH_ASSERT(depth + 3 <= STACK_MAX);
    if (a == b) {
      if (tree[a].right != RH_NONE) {
        int child[3][2] = {{a + 1, a + 1}, {tree[a].right, tree[a].right}, {a + 1, tree[a].right}};
        memcpy(stack[depth], child, sizeof child);
        depth += 3;
      }
      continue;
    }
    s->tests++;
    if (!overlap(&tree[a].box, &tree[b].box)) {
      continue;
    }
    if (tree[a].right == RH_NONE && tree[b].right == RH_NONE) {
      found(s, tree[a].leaf, tree[b].leaf);
      continue;
    }
    bool down_a = tree[b].right == RH_NONE ||
                  (tree[a].right != RH_NONE && girth(&tree[a].box) >= girth(&tree[b].box));
    int child[2][2] = {{down_a ? a + 1 : a, down_a ? b : b + 1},
                       {down_a ? tree[a].right : a, down_a ? b : tree[b].right}};
    memcpy(stack[depth], child, sizeof child);
    depth += 2;
  }
}

static void search_open(search *s)
{
  const rh_bvh *b = s->bvh;
  for (int i = b->ntree; i < b->n; i++) {
    for (int k = 0; k < i; k++) {
      s->tests++;
      if (overlap(&s->box[b->order[i]], &s->box[b->order[k]])) {
        found(s, b->order[i], b->order[k]);
      }
    }
  }
}

// Counting sort by one end of the pairs; keeps the order of those that are equal.
static void sort_by(rh_bvh *bvh, const rh_bvh_pair *from, rh_bvh_pair *to, int count, bool second)
{
  memset(bvh->count, 0, ((size_t)bvh->n + 1) * sizeof(int));
  for (int i = 0; i < count; i++) {
    bvh->count[(second ? from[i].b : from[i].a) + 1]++;
  }
  for (int i = 0; i < bvh->n; i++) {
    bvh->count[i + 1] += bvh->count[i];
  }
  for (int i = 0; i < count; i++) {
    to[bvh->count[second ? from[i].b : from[i].a]++] = from[i];
  }
}

rh_bvh_result rh_bvh_find(rh_bvh *bvh, const rh_bounds *box, rh_bvh_filter *filter,
                          const void *user)
{
  search s = {bvh, box, filter, user, 0, 0};
  update(bvh, box);
  search_tree(&s);
  search_open(&s);
  int count = s.found < bvh->capacity ? (int)s.found : bvh->capacity;
  sort_by(bvh, bvh->pair, bvh->sorted, count, true);
  sort_by(bvh, bvh->sorted, bvh->pair, count, false);
  return (rh_bvh_result){bvh->pair, count, s.found > bvh->capacity, s.found, s.tests};
}
