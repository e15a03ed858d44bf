// broad.h: the broad phase: which of many moving shapes come near one another, step after step, at a cost that grows with their number and with the number of those that have moved,
// not with that of calls. Each shape has a box; neighbours are searched with somewhat larger boxes
// that stay until the shape leaves its own. The reported pairs are those whose true boxes overlap:
// a function of this step's boxes alone.
#ifndef ROUTH_GEOMETRY_BROAD_H
#define ROUTH_GEOMETRY_BROAD_H

#include "base/pool.h"
#include "geometry.h"

#define RH_BROAD_SHAPES_MAX (1 << 24)
#define RH_BROAD_PAIRS_MAX  (1 << 26)

// May these two shapes (a < b) touch at all? Same body, parent and child, both fixed: false. May set
// the rule, and exchange a and b.
typedef bool rh_broad_filter(const void *user, rh_shape_pair *pair);

typedef struct rh_half { // a half space: n . x <= d is inside
  rh_vec3 n;             // unit
  double d;              // [m]
} rh_half;

typedef struct rh_broad_opt {
  int n;                 // shapes
  int nplane;            // of them half spaces,
  const int *plane;      // their indices, ascending (nplane); copied
  int pairs;             // capacity for pairs whose larger boxes overlap
  rh_broad_filter *filter; // called when two come near; NULL: all may touch
  const void *user;      // for the filter
  rh_pool *pool;         // threads for long lists; NULL: none. No result depends on it
} rh_broad_opt;

typedef struct rh_broad_result { // valid until the next call
  // By the lower shape, then by the higher one (count). A pair keeps its cache while it is near.
  rh_shape_pair *const *pair;
  int count;
  // Over capacity, no result: rh_broad_grow, then call again.
  bool overflow;
  int64_t found; // pairs whose larger boxes overlap: about the capacity it needs
  int moved;     // shapes whose larger box had to be drawn anew
  int64_t tests; // comparisons of two boxes this call took
  int candidates; // pairs whose larger boxes overlap, as listed
} rh_broad_result;

typedef struct rh_broad rh_broad;

// RH_OVER_LIMIT: beyond the limits above. Everything is allocated here and in rh_broad_grow.
rh_status rh_broad_create(const rh_broad_opt *opt, rh_broad **broad) RH_CHECK_RESULT;
void rh_broad_destroy(rh_broad *broad);                          // NULL is allowed
// More capacity; unchanged when out of memory.
rh_status rh_broad_grow(rh_broad *broad, int pairs) RH_CHECK_RESULT;
// From now on pairs of two shapes that are both still (n; NULL: none is) are not reported. Read in every call.
void rh_broad_still(rh_broad *broad, const bool *still);
void rh_broad_forget(rh_broad *broad); // as after create: when the filter's results change

// box: of every shape (n), those of planes are not read; an infinite side or one that is not a number overlaps. half: the
// planes, in the order of opt.plane; NULL if there are none. A plane meets no plane.
rh_broad_result rh_broad_find(rh_broad *broad, const rh_bounds *box, const rh_half *half);
// The same in two parts, of which threads may share the second: without the list, which has `candidates` entries at most;
// and entries from .. end - 1 of it into `to`. Returns their number.
rh_broad_result rh_broad_search(rh_broad *broad, const rh_bounds *box, const rh_half *half);
int rh_broad_list(const rh_broad *broad, const rh_bounds *box, int from, int end,
                  rh_shape_pair **to);

typedef void rh_broad_visit(void *user, int shape);
// The shapes, but planes and those with an infinite side, whose boxes of the last call overlap a box; and some that are near, in no
// order. Several threads may ask at the same time.
void rh_broad_near(const rh_broad *broad, const rh_bounds *box, rh_broad_visit *found, void *user);

#endif
