// broad_memory.c: the arrays of the broad phase: those of shapes in one allocation, those of pairs in another, which grows
#include "broad_parts.h"

#include <string.h>

static void place_pairs(rh_broad *b, void *room, int capacity)
{
  b->near = room;
  b->other = b->near + capacity;
  b->fresh = b->other + capacity;
  b->sorted = b->fresh + capacity;
  b->pair = (rh_shape_pair **)(void *)(b->sorted + capacity);
  b->part = (int *)(void *)(b->pair + capacity);
  b->capacity = capacity;
}

static size_t pair_bytes(int capacity)
{
  return ((size_t)capacity + 1) * (4 * sizeof(rh_shape_pair) + sizeof(rh_shape_pair *)) +
         ((size_t)capacity / RH_BROAD_PART + 1) * sizeof(int);
}

static size_t count_room(int n, const rh_pool *pool)
{
  return (rh_pool_threads(pool) > 1 ? RH_PAIR_SORTERS : 1) * ((size_t)n + 1);
}

static void place_shapes(rh_broad *b, int n, int nplane)
{
  b->tree.node = (rh_box_node *)(void *)(b + 1);
  b->fat = (rh_bounds *)(void *)(b->tree.node + 2 * n);
  b->last = b->fat + n;
  b->half = (rh_half *)(void *)(b->last + n);
  b->tree.centre = (double *)(void *)(b->half + nplane);
  b->tree.order = (int *)(void *)(b->tree.centre + n);
  b->tree.at = b->tree.order + n;
  b->moved = b->tree.at + n;
  b->number = b->moved + n;
  b->plane = b->number + n;
  b->opened = b->plane + nplane;
  b->count = b->opened + n;
  b->is_new = (bool *)(void *)(b->count + count_room(n, b->pool));
  b->open = b->is_new + n;
  b->outside = b->open + n;
}

static size_t shape_bytes(const rh_broad_opt *opt)
{
  size_t each = 2 * sizeof(rh_box_node) + 2 * sizeof(rh_bounds) + sizeof(double) + 5 * sizeof(int) +
                3 * sizeof(bool);
  return sizeof(rh_broad) + (size_t)opt->n * each +
         (size_t)opt->nplane * (sizeof(rh_half) + sizeof(int)) +
         count_room(opt->n, opt->pool) * sizeof(int);
}

rh_status rh_broad_create(const rh_broad_opt *opt, rh_broad **broad)
{
  RH_ASSERT(opt->n >= 0 && opt->pairs >= 0 && opt->nplane >= 0 && opt->nplane <= opt->n);
  *broad = NULL;
  if (opt->n > RH_BROAD_SHAPES_MAX || opt->pairs > RH_BROAD_PAIRS_MAX) {
    return RH_OVER_LIMIT;
  }
  rh_broad *b = rh_alloc(shape_bytes(opt));
  void *room = rh_realloc(NULL, pair_bytes(opt->pairs));
  if (!b || !room) {
    rh_free(b);
    rh_free(room);
    return RH_OUT_OF_MEMORY;
  }
  memset(b, 0, sizeof *b);
  b->n = opt->n;
  b->nplane = opt->nplane;
  b->filter = opt->filter;
  b->user = opt->user;
  b->pool = opt->pool;
  place_shapes(b, opt->n, opt->nplane);
  place_pairs(b, room, opt->pairs);
  for (int i = 0; i < b->n; i++) {
    b->number[i] = RH_NONE;
  }
  for (int i = 0; i < b->nplane; i++) {
    RH_ASSERT(opt->plane[i] >= 0 && opt->plane[i] < b->n);
    b->plane[i] = opt->plane[i];
    b->outside[opt->plane[i]] = true;
    b->number[opt->plane[i]] = i;
  }
  *broad = b;
  return RH_OK;
}

void rh_broad_destroy(rh_broad *broad)
{
  if (broad) {
    rh_free(broad->near < broad->other ? broad->near : broad->other);
    rh_free(broad);
  }
}

rh_status rh_broad_grow(rh_broad *broad, int pairs)
{
  if (pairs > RH_BROAD_PAIRS_MAX) {
    return RH_OVER_LIMIT;
  }
  void *room = pairs > broad->capacity ? rh_realloc(NULL, pair_bytes(pairs)) : NULL;
  if (pairs > broad->capacity && !room) {
    return RH_OUT_OF_MEMORY;
  }
  if (room) {
    rh_shape_pair *near = broad->near;
    rh_shape_pair *begin = broad->near < broad->other ? broad->near : broad->other;
    place_pairs(broad, room, pairs);
    memcpy(broad->near, near, (size_t)broad->nnear * sizeof *near);
    rh_free(begin);
  }
  return RH_OK;
}
