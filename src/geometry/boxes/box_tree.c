// box_tree.c: see box_tree.h. Split at the median of the longest side, so it is at most 25 deep.
#include "box_tree.h"

#include <string.h>

// A pair of nodes leaves at most three pairs at each of the 2 * 25 levels of the descent.
#define STACK_MAX 256

// ---- Boxes

static rh_bounds join_bounds(const rh_bounds *a, const rh_bounds *b)
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

// ---- The tree

static bool centre_before(const double *centre, int a, int b)
{
  return centre[a] != centre[b] ? centre[a] < centre[b] : a < b;
}

static void swap_indices(int *a, int *b)
{
  int keep = *a;
  *a = *b;
  *b = keep;
}

// Quickselect: afterwards order[lo..mid-1] come before order[mid..hi-1]. Ties go by number, so no two are equal.
static void split_at_median(int *order, const double *centre, int lo, int hi, int mid)
{
  while (hi - lo > 1) {
    // The median of three as pivot: boxes often come sorted.
    int *a = &order[lo];
    int *m = &order[lo + (hi - lo) / 2];
    int *z = &order[hi - 1];
    if (centre_before(centre, *m, *a)) {
      swap_indices(m, a);
    }
    if (centre_before(centre, *z, *m)) {
      swap_indices(z, m);
      if (centre_before(centre, *m, *a)) {
        swap_indices(m, a);
      }
    }
    int pivot = *m;
    int i = lo;
    int k = hi - 1;
    while (i <= k) {
      while (centre_before(centre, order[i], pivot)) {
        i++;
      }
      while (centre_before(centre, pivot, order[k])) {
        k--;
      }
      if (i <= k) {
        swap_indices(&order[i++], &order[k--]);
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

static void set_centres(rh_box_tree *t, const rh_bounds *box, int lo, int hi)
{
  rh_bounds all = box[t->order[lo]];
  for (int i = lo + 1; i < hi; i++) {
    all = join_bounds(&all, &box[t->order[i]]);
  }
  rh_vec3 size = rh_sub(all.hi, all.lo);
  int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  for (int i = lo; i < hi; i++) {
    const rh_bounds *x = &box[t->order[i]];
    t->centre[t->order[i]] = axis == 0   ? x->lo.x / 2 + x->hi.x / 2
                             : axis == 1 ? x->lo.y / 2 + x->hi.y / 2
                                         : x->lo.z / 2 + x->hi.z / 2;
  }
}

typedef struct span { // boxes order[lo..hi-1] of a future subtree, a child of `parent`
  int lo, hi, parent;
  bool second;
} span;

void rh_box_tree_build(rh_box_tree *t, const rh_bounds *box, rh_pool *pool)
{
  span stack[STACK_MAX];
  int depth = 0;
  int used = 0;
  if (t->n > 0) {
    stack[depth++] = (span){0, t->n, RH_NONE, false};
  }
  while (depth > 0) {
    span s = stack[--depth];
    int at = used++;
    rh_box_node *d = &t->node[at];
    d->right = d->leaf = RH_NONE;
    d->parent = s.parent;
    if (s.second) {
      t->node[s.parent].right = at;
    }
    if (s.hi - s.lo == 1) {
      d->leaf = t->order[s.lo];
      t->at[d->leaf] = at;
      continue;
    }
    int mid = s.lo + (s.hi - s.lo) / 2;
    set_centres(t, box, s.lo, s.hi);
    split_at_median(t->order, t->centre, s.lo, s.hi, mid);
    stack[depth++] = (span){mid, s.hi, at, true};
    stack[depth++] = (span){s.lo, mid, at, false}; // taken next, so it follows its parent
  }
  rh_box_tree_fit(t, box, pool);
  t->fresh = t->size;
}

// ---- Boxes fitted anew: those of whole subtrees at the same time, then those above them

enum {
  DEEP = 6,    // levels above the subtrees
  MANY = 1024, // boxes from which on the tree is fitted in parts
};

typedef struct fitting {
  rh_box_tree *t;
  const rh_bounds *box;
  double size[1 << DEEP]; // [m] of the subtrees
} fitting;

static void fit_node(const rh_box_tree *t, const rh_bounds *box, int i)
{
  rh_box_node *d = &t->node[i];
  d->box =
      d->right == RH_NONE ? box[d->leaf] : join_bounds(&t->node[i + 1].box, &t->node[d->right].box);
}

// Nodes from .. end - 1; the sum of their sizes
static double fit_nodes(const rh_box_tree *t, const rh_bounds *box, int from, int end)
{
  double size = 0;
  for (int i = end - 1; i >= from; i--) {
    fit_node(t, box, i);
    size += rh_bounds_girth(&t->node[i].box);
  }
  return size;
}

// The way down to a subtree is in the bits of its number; a tree of n boxes has 2 n - 1 nodes, half of the
// boxes in its first child.
static int top_of_subtree(const rh_box_tree *t, int depth, int number, int *boxes)
{
  int i = 0;
  *boxes = t->n;
  for (int bit = depth - 1; bit >= 0; bit--) {
    bool second = (number >> bit & 1) != 0;
    i = second ? t->node[i].right : i + 1;
    *boxes = second ? *boxes - *boxes / 2 : *boxes / 2;
  }
  return i;
}

static void fit_subtree(void *user, int task, int worker)
{
  fitting *f = user;
  int boxes = 0;
  int top = top_of_subtree(f->t, DEEP, task, &boxes);
  (void)worker;
  f->size[task] = fit_nodes(f->t, f->box, top, top + 2 * boxes - 1);
}

void rh_box_tree_fit(rh_box_tree *t, const rh_bounds *box, rh_pool *pool)
{
  fitting f = {.t = t, .box = box};
  int boxes = 0;
  if (t->n < MANY) {
    t->size = fit_nodes(t, box, 0, 2 * t->n - 1);
    return;
  }
  rh_pool_run(pool, fit_subtree, &f, 1 << DEEP);
  t->size = 0;
  for (int k = 0; k < 1 << DEEP; k++) {
    t->size += f.size[k];
  }
  for (int depth = DEEP - 1; depth >= 0; depth--) {
    for (int k = 0; k < 1 << depth; k++) {
      int i = top_of_subtree(t, depth, k, &boxes);
      fit_node(t, box, i);
      t->size += rh_bounds_girth(&t->node[i].box);
    }
  }
}

void rh_box_tree_move(rh_box_tree *t, const rh_bounds *box, int which)
{
  int i = t->at[which];
  rh_bounds now = box[which];
  for (;;) {
    rh_box_node *d = &t->node[i];
    bool same = memcmp(&d->box, &now, sizeof now) == 0;
    t->size += rh_bounds_girth(&now) - rh_bounds_girth(&d->box);
    d->box = now;
    i = d->parent;
    if (same || i == RH_NONE) {
      return;
    }
    now = join_bounds(&t->node[i + 1].box, &t->node[t->node[i].right].box);
  }
}

bool rh_box_tree_worn(const rh_box_tree *t)
{
  static const double GROWN_MAX = 1.5; // sum of the nodes' sizes, relative to the fresh tree
  return t->size > GROWN_MAX * t->fresh;
}

// ---- Pairs

int64_t rh_box_tree_pairs(const rh_box_tree *t, rh_box_found *found, void *user)
{
  // Descends into two nodes that overlap, or one node with itself.
  const rh_box_node *tree = t->node;
  int64_t tests = 0;
  int stack[STACK_MAX][2];
  int depth = 0;
  stack[depth][0] = stack[depth][1] = 0;
  depth += t->n > 1;
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
    tests++;
    if (!rh_bounds_overlap(&tree[a].box, &tree[b].box)) {
      continue;
    }
    if (tree[a].right == RH_NONE && tree[b].right == RH_NONE) {
      found(user, tree[a].leaf, tree[b].leaf);
      continue;
    }
    bool down_a = tree[b].right == RH_NONE ||
                  (tree[a].right != RH_NONE &&
                   rh_bounds_girth(&tree[a].box) >= rh_bounds_girth(&tree[b].box));
    int child[2][2] = {{down_a ? a + 1 : a, down_a ? b : b + 1},
                       {down_a ? tree[a].right : a, down_a ? b : tree[b].right}};
    memcpy(stack[depth], child, sizeof child);
    depth += 2;
  }
  return tests;
}

int64_t rh_box_tree_over(const rh_box_tree *t, const rh_bounds *own, int which, rh_box_found *found,
                         void *user)
{
  const rh_box_node *tree = t->node;
  int64_t tests = 0;
  int stack[STACK_MAX];
  int depth = 0;
  stack[depth] = 0;
  depth += t->n > 0;
  while (depth > 0) {
    int i = stack[--depth];
    tests++;
    if (!rh_bounds_overlap(&tree[i].box, own)) {
      continue;
    }
    if (tree[i].right != RH_NONE) {
      RH_ASSERT(depth + 2 <= STACK_MAX);
      stack[depth++] = tree[i].right;
      stack[depth++] = i + 1;
    } else if (tree[i].leaf != which) {
      found(user, which, tree[i].leaf);
    }
  }
  return tests;
}
