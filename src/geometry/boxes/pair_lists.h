// pair_lists.h: lists of pairs of shapes in the order of their lower shape, then of the higher one, sorted and merged
// by threads where they are long. No result depends on the number of threads.
#ifndef ROUTH_GEOMETRY_PAIR_LISTS_H
#define ROUTH_GEOMETRY_PAIR_LISTS_H

#include "base/pool.h"
#include "geometry/geometry.h"

#define RH_PAIR_SORTERS 16 // parts in which a list is sorted

typedef struct rh_pair_sorter {
  int n;      // shapes
  int *count; // scratch (RH_PAIR_SORTERS x (n + 1))
  rh_pool *pool;
} rh_pair_sorter;

static inline int rh_pair_lower(const rh_shape_pair *p)
{
  return p->a < p->b ? p->a : p->b;
}

static inline int rh_pair_higher(const rh_shape_pair *p)
{
  return p->a < p->b ? p->b : p->a;
}

// Sorts the pairs; none is there twice. `spare` has space for as many.
void rh_pairs_sort(const rh_pair_sorter *s, rh_shape_pair *list, rh_shape_pair *spare, int count);

// Which pairs of an old list are searched again
typedef struct rh_pair_again {
  const bool *is_new;  // a shape has moved: all its pairs are
  const bool *outside; // of the tree; where `all` others among themselves are
  bool all;
} rh_pair_again;

typedef struct rh_pair_list {
  rh_shape_pair *pair;
  int n;
} rh_pair_list;

// Merges the old list, without the pairs searched again, and those found; a pair in both keeps its cache. Returns
// their number; `to` has space for `capacity`, and what is beyond that is left out.
int64_t rh_pairs_merge(const rh_pair_again *again, const rh_pair_list list[2], rh_shape_pair *to,
                       int capacity, rh_pool *pool);

#endif
