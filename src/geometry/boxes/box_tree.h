// box_tree.h: a balanced binary tree of boxes: finds those that overlap one another, or a box.
// While they move the tree keeps its shape and its boxes are fitted anew. The order of the pairs
// depends on its shape; the caller sorts them.
#ifndef ROUTH_GEOMETRY_BOX_TREE_H
#define ROUTH_GEOMETRY_BOX_TREE_H

#include "base/pool.h"
#include "geometry/geometry.h"

typedef struct rh_box_node {
  rh_bounds box;
  int right;  // second child, the first one follows at once; RH_NONE: a leaf
  int leaf;   // box of a leaf
  int parent; // RH_NONE: the top
} rh_box_node;

typedef struct rh_box_tree {
  int n;             // boxes in the tree
  double size;       // [m] sum of the nodes' sizes now,
  double fresh;      // [m] and when it was built
  rh_box_node *node; // parents before children (2 n - 1)
  int *order;        // the boxes in the tree (n)
  int *at;           // node of a box in the tree (as many as there are boxes in all)
  double *centre;    // along the side that is being split (as many)
} rh_box_tree;

typedef void rh_box_found(void *user, int a, int b); // boxes, either may be the greater number

// A side that is not a number overlaps.
static inline bool rh_bounds_overlap(const rh_bounds *a, const rh_bounds *b)
{
  return !(a->lo.x > b->hi.x || b->lo.x > a->hi.x || a->lo.y > b->hi.y || b->lo.y > a->hi.y ||
           a->lo.z > b->hi.z || b->lo.z > a->hi.z);
}

static inline bool rh_bounds_finite(const rh_bounds *b)
{
  return isfinite(b->lo.x) && isfinite(b->lo.y) && isfinite(b->lo.z) && isfinite(b->hi.x) &&
         isfinite(b->hi.y) && isfinite(b->hi.z);
}

static inline double rh_bounds_girth(const rh_bounds *b) // [m] sum of the sides
{
  return (b->hi.x - b->lo.x) + (b->hi.y - b->lo.y) + (b->hi.z - b->lo.z);
}

// Of the boxes order[0 .. n - 1], all finite.
void rh_box_tree_build(rh_box_tree *t, const rh_bounds *box, rh_pool *pool);
void rh_box_tree_fit(rh_box_tree *t, const rh_bounds *box, rh_pool *pool); // many of them moved
void rh_box_tree_move(rh_box_tree *t, const rh_bounds *box, int which); // one moved
bool rh_box_tree_worn(const rh_box_tree *t); // grown so much that a new one pays

// All pairs of boxes that overlap. Returns the number of comparisons.
int64_t rh_box_tree_pairs(const rh_box_tree *t, rh_box_found *found, void *user);
// All boxes of the tree but `which` (RH_NONE: all) that overlap one, that of `which`; the same.
int64_t rh_box_tree_over(const rh_box_tree *t, const rh_bounds *own, int which, rh_box_found *found,
                      void *user);

#endif
