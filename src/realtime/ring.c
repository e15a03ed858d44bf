// ring.c: the queue and the three places of ring.h. Order of memory: data written before
// publication (release) are visible to the reader that found it (acquire); a place is written again
// only after its reader released it.
#include "ring.h"

enum { FRESH = 4 }; // in rh_swap.middle, next to the index

bool rh_ring_open(rh_ring *ring, size_t record, size_t count)
{
  uint64_t room = 1;
  while (room < count) {
    room *= 2;
  }
  record = (record + 15) / 16 * 16; // records hold doubles
  *ring = (rh_ring){.record = record, .count = room};
  ring->data = rh_alloc(record * (size_t)room);
  return ring->data != NULL;
}

void rh_ring_close(rh_ring *ring)
{
  rh_free(ring->data);
  ring->data = NULL;
}

static unsigned char *record_at(const rh_ring *ring, uint64_t index)
{
  return ring->data + (size_t)(index & (ring->count - 1)) * ring->record;
}

void *rh_ring_room(rh_ring *ring)
{
  uint64_t end = atomic_load_explicit(&ring->end, memory_order_relaxed);
  uint64_t begin = atomic_load_explicit(&ring->begin, memory_order_acquire);
  return end - begin < ring->count ? record_at(ring, end) : NULL;
}

void rh_ring_push(rh_ring *ring)
{
  uint64_t end = atomic_load_explicit(&ring->end, memory_order_relaxed);
  atomic_store_explicit(&ring->end, end + 1, memory_order_release);
}

const void *rh_ring_next(rh_ring *ring)
{
  uint64_t begin = atomic_load_explicit(&ring->begin, memory_order_relaxed);
  uint64_t end = atomic_load_explicit(&ring->end, memory_order_acquire);
  return begin < end ? record_at(ring, begin) : NULL;
}

void rh_ring_pop(rh_ring *ring)
{
  uint64_t begin = atomic_load_explicit(&ring->begin, memory_order_relaxed);
  atomic_store_explicit(&ring->begin, begin + 1, memory_order_release);
}

// ---- Three places

bool rh_swap_open(rh_swap *swap, size_t record)
{
  record = (record + 15) / 16 * 16;
  *swap = (rh_swap){.record = record, .back = 0, .front = 2};
  atomic_init(&swap->middle, 1);
  swap->data = rh_alloc(3 * record);
  return swap->data != NULL;
}

void rh_swap_close(rh_swap *swap)
{
  rh_free(swap->data);
  swap->data = NULL;
}

void *rh_swap_room(rh_swap *swap)
{
  return swap->data + (size_t)swap->back * swap->record;
}

void rh_swap_push(rh_swap *swap)
{
  int old = atomic_exchange_explicit(&swap->middle, swap->back | FRESH, memory_order_acq_rel);
  swap->back = old & ~FRESH;
}

const void *rh_swap_take(rh_swap *swap, bool *fresh)
{
  *fresh = (atomic_load_explicit(&swap->middle, memory_order_relaxed) & FRESH) != 0;
  if (*fresh) {
    int old = atomic_exchange_explicit(&swap->middle, swap->front, memory_order_acq_rel);
    swap->front = old & ~FRESH;
    swap->any = true;
  }
  return swap->any ? swap->data + (size_t)swap->front * swap->record : NULL;
}
