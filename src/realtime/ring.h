// ring.h: communication between the threads of the real-time loop, without locks and without
// waiting. Both have one writer and one reader.
//   rh_ring  a queue of records of one size: nothing is lost unless it is full, as the writer sees
//   rh_swap  three places for one record: the reader gets the newest complete one (graphics,
//            status, device)
#ifndef ROUTH_REALTIME_RING_H
#define ROUTH_REALTIME_RING_H

#include <routh/base.h>

#include <stdatomic.h>

typedef struct rh_ring {
  unsigned char *data;
  size_t record;        // [bytes] of a record
  uint64_t count;       // records, a power of two
  char apart[64];       // the two ends are on separate cache lines
  _Atomic uint64_t end; // records written so far
  char further[64];
  _Atomic uint64_t begin; // records read so far
} rh_ring;

bool rh_ring_open(rh_ring *ring, size_t record, size_t count); // false: out of memory; count is rounded up
void rh_ring_close(rh_ring *ring);
void *rh_ring_room(rh_ring *ring);       // writer: place of the next record; NULL: full
void rh_ring_push(rh_ring *ring);        // writer: that record is complete
const void *rh_ring_next(rh_ring *ring); // reader: the oldest record; NULL: none
void rh_ring_pop(rh_ring *ring);         // reader: done with it

typedef struct rh_swap {
  unsigned char *data; // three records; NULL: not open
  size_t record;       // [bytes]
  int back;            // the writer's
  char apart[64];
  _Atomic int middle; // the waiting one, and whether it is unread
  char further[64];
  int front; // the reader's
  bool any;  // reader: one has been taken
} rh_swap;

bool rh_swap_open(rh_swap *swap, size_t record);
void rh_swap_close(rh_swap *swap);
void *rh_swap_room(rh_swap *swap);                    // writer: fill this
void rh_swap_push(rh_swap *swap);                     // writer: the newest
const void *rh_swap_take(rh_swap *swap, bool *fresh); // reader: the newest; NULL: none yet. It stays until the next take

#endif
