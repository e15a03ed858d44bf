// broad_parts.h: the memory of the broad phase (broad.c, broad_memory.c)
#ifndef ROUTH_GEOMETRY_BROAD_PARTS_H
#define ROUTH_GEOMETRY_BROAD_PARTS_H

#include "broad.h"
#include "geometry/boxes/box_tree.h"
#include "geometry/boxes/pair_lists.h"

#include <stdatomic.h>

#define RH_BROAD_PART 1024 // candidates that are one task

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
  bool *outside;     // of the tree: a plane, or open (n)
  int *opened;       // those that are open, ascending (n)
  int *count;        // for sorting (RH_PAIR_SORTERS x (n + 1), or n + 1 without threads)
  rh_bounds *fat;    // the larger boxes (n)
  rh_bounds *last;   // the true ones when these were drawn (n)
  rh_box_tree tree;  // of the larger boxes, but planes and open ones
  // The rest is for pairs, in an allocation of its own.
  rh_shape_pair *near, *other; // the list, and the one it is merged into (capacity)
  int nnear;
  rh_shape_pair *fresh, *sorted; // found anew (capacity)
  _Atomic int64_t nfresh;
  _Atomic int64_t tests; // comparisons of two boxes in this call
  rh_shape_pair **pair;  // the result (capacity)
  int *part;             // number of pairs of a part of the candidates in it (capacity / RH_BROAD_PART + 1)
};

#endif
