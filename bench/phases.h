// phases.h: how long each part of a step of the engine stepping takes, and how much of it threads share. The program is linked with --wrap for
// the functions named in phases.c, so that the library itself reads no clock.
#ifndef ROUTH_BENCH_PHASES_H
#define ROUTH_BENCH_PHASES_H

#include <stdbool.h>

typedef enum phase {
  PHASE_OTHER, // state, run loop, frames
  PHASE_LOADS, // and the start of the ledger
  PHASE_TREES,
  PHASE_BROAD,
  PHASE_TOUCH,
  PHASE_GROUP, // islands found, slices cut
  PHASE_SOLVE,
  PHASE_LEDGER,
  PHASE_KEEP,
  PHASE_COUNT
} phase;

typedef struct phase_times { // since phases_begin
  double all[PHASE_COUNT];    // [s] of the calling thread
  double shared[PHASE_COUNT]; // [s] of that in rounds of the pool
  long rounds[PHASE_COUNT];
  double busy[PHASE_COUNT]; // [s] of all threads in tasks of those rounds; only if `closely`
  bool closely;             // two more clock readings for each task
} phase_times;

extern const char *const phase_name[PHASE_COUNT];

void phases_begin(phase_times *into); // what happens from now on is added to it
void phases_end(void);

#endif
