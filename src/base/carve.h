// carve.h: many arrays in one block of memory, each on a cache line of its own. The function that
// names the arrays runs twice: first with base NULL, to count, then to assign.
#ifndef ROUTH_BASE_CARVE_H
#define ROUTH_BASE_CARVE_H

#include <stddef.h>
#include <stdint.h>

enum { RH_CACHE_LINE = 64 }; // bytes

typedef struct rh_carver {
  char *base; // NULL: only count
  size_t used;
} rh_carver;

static inline void *rh_carve(rh_carver *c, size_t count, size_t size)
{
  c->used = (c->used + RH_CACHE_LINE - 1) / RH_CACHE_LINE * RH_CACHE_LINE;
  void *piece = c->base ? c->base + c->used : NULL;
  c->used += count * size;
  return piece;
}

// For a local `rh_carver *c`
#define RH_CARVE(pointer, count) ((pointer) = rh_carve(c, (size_t)(count), sizeof *(pointer)))

// Address of the first whole cache line of a block that has RH_CACHE_LINE bytes to spare
static inline char *rh_first_line(void *block)
{
  return (char *)block + (RH_CACHE_LINE - (uintptr_t)block % RH_CACHE_LINE) % RH_CACHE_LINE;
}

#endif
