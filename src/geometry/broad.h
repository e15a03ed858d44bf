// broad.h: broad phase of a time stepper: which of many moving shapes come near one another, step after step, at a cost
// that grows with their number and with how many of them have gone somewhere, not with how often one asks. Each shape
// has a box; what is near is looked for with boxes that are somewhat larger and stay where they are until the shape leaves its own.
// What is reported are the pairs whose true boxes overlap: a function of this step's boxes alone.
#ifndef ROUTH_GEOM_BROAD_H
#define ROUTH_GEOM_BROAD_H

#include "base/pool.h"
#include "bvh.h"

typedef struct rh_half { // a half space: n . x <= d is inside
  rh_vec3 n;             // unit
  double d;              // [m]
} rh_half;

typedef struct rh_broad_opt {
  int n;                 // shapes
  int nplane;            // of them half spaces,
  const int *plane;      // and which, ascending (nplane); copied
  int pairs;             // room for pairs that are near, the larger boxes taken
  rh_bvh_filter *filter; // may a and b (a < b) touch at all? Asked when they come near; NULL: all may
  const void *user;      // for the filter
  rh_pool *pool;         // threads for long lists; NULL: none. No answer depends on it
} rh_broad_opt;

typedef struct rh_broad_pair {
  int a, b; // shapes, a < b
  int was;  // its place in the answer before; RH_NONE: it was not there
} rh_broad_pair;

typedef struct rh_broad_result { // valid until the next call
  const rh_broad_pair *pair;     // by a, then by b (count)
  int count;
  bool overflow; // no room, no answer: rh_broad_grow, then ask again; `was` then speaks of the last answer there was
  int64_t found; // pairs that are near, the larger boxes taken: about the room it needs
  int moved;     // shapes whose larger box had to be drawn anew
  int64_t tests; // comparisons of two boxes this call took
} rh_broad_result;

typedef struct rh_broad rh_broad;

// RH_OVER_LIMIT: beyond the limits of bvh.h. Everything is allocated here and in rh_broad_grow.
rh_status rh_broad_create(const rh_broad_opt *opt, rh_broad **broad) RH_CHECK_RESULT;
void rh_broad_destroy(rh_broad *broad);                          // NULL is allowed
rh_status rh_broad_grow(rh_broad *broad, int pairs) RH_CHECK_RESULT; // more room; as it was when there is no memory
// From now on pairs of two shapes that are both still (n; NULL: none is) are not reported. Read in every call.
void rh_broad_still(rh_broad *broad, const bool *still);
void rh_broad_forget(rh_broad *broad); // as after create: when the filter's answers change

// box: of every shape (n), those of planes are not read; an infinite side or one that is not a number overlaps. half: the
// planes, in the order of opt.plane; NULL if there are none. A plane meets no plane.
rh_broad_result rh_broad_find(rh_broad *broad, const rh_bounds *box, const rh_half *half);

#endif
