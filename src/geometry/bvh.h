// bvh.h: broad phase: which of many moving boxes overlap, at a cost that grows little faster than their number.
#ifndef ROUTH_GEOMETRY_BVH_H
#define ROUTH_GEOMETRY_BVH_H

#include "geometry.h"

#define RH_BVH_BOXES_MAX (1 << 24)
#define RH_BVH_PAIRS_MAX (1 << 26)

typedef struct rh_bvh rh_bvh;

typedef struct rh_bvh_pair {
  int a, b; // boxes, a < b
} rh_bvh_pair;

// May these two boxes (a < b) touch at all? Same body, parent and child, both fixed: false.
typedef bool rh_bvh_filter(const void *user, int a, int b);

typedef struct rh_bvh_result {
  const rh_bvh_pair *pair; // by a, then by b; valid until the next call (count)
  int count;
  bool overflow; // more pairs than the capacity; `pair` then holds some of them
  int64_t found; // their number
  int64_t tests; // comparisons of two boxes this call took
} rh_bvh_result;

// For n boxes and at most `capacity` pairs: RH_OVER_LIMIT beyond the limits above. Everything is allocated here.
rh_status rh_bvh_create(int n, int capacity, rh_bvh **bvh) RH_CHECK_RESULT;
void rh_bvh_destroy(rh_bvh *bvh); // NULL is allowed

// All pairs of overlapping boxes (touching ones too) that pass the filter (NULL: all do). The
// result is a function of the boxes alone; only the cost depends on earlier calls. A box with an
// infinite side, as a plane's, is compared with every other one; a side that is not a number
// overlaps everything, so that it is never lost unnoticed.
rh_bvh_result rh_bvh_find(rh_bvh *bvh, const rh_bounds *box, rh_bvh_filter *filter,
                          const void *user);

// Pairs by a, then by b, of n boxes; `count`: n + 1 numbers, `room`: scratch for the pairs.
void rh_bvh_sort(int n, int *count, rh_bvh_pair *pair, rh_bvh_pair *room, int npair);

#endif
