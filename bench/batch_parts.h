// batch_parts.h: what the programs share that measure batches of worlds: steps by a clock, worlds compared, what lanes left to worlds.
#ifndef ROUTH_BENCH_BATCH_PARTS_H
#define ROUTH_BENCH_BATCH_PARTS_H

#include "scene_parts.h"

#include <time.h>

static inline int read_argument(int argc, char **argv, int k, int otherwise)
{
  return argc > k ? atoi(argv[k]) : otherwise;
}

static inline double read_clock(clockid_t clock)
{
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline rh_batch *create_batch(const rh_model *model, int worlds, int threads, int widest)
{
  rh_batch *batch = NULL;
  if (rh_batch_create(model, worlds, threads, NULL, &batch) != RH_OK ||
      rh_batch_set_lanes(batch, widest) != RH_OK) {
    stop_with("out of memory", NULL);
  }
  return batch;
}

// The velocities of world i
static inline double *find_velocities(rh_batch *batch, const rh_model *model, int i)
{
  return rh_batch_rows(batch) + (size_t)i * rh_batch_stride(batch) + 1 + model->nq;
}

// Seconds of so many steps, `call` in a call
static inline double time_steps(rh_batch *batch, int steps, int call, clockid_t clock)
{
  double begun = read_clock(clock);
  for (int k = 0; k < steps; k += call) {
    (void)rh_batch_step(batch, call < steps - k ? call : steps - k);
  }
  return read_clock(clock) - begun;
}

// Worlds with other bits
static inline int compare_worlds(rh_batch *a, rh_batch *b)
{
  int other = 0;
  for (int i = 0; i < rh_batch_count(a); i++) {
    other += memcmp(rh_batch_rows(a) + (size_t)i * rh_batch_stride(a),
                    rh_batch_rows(b) + (size_t)i * rh_batch_stride(b),
                    rh_batch_stride(a) * sizeof(double)) != 0;
  }
  return other;
}

static inline void print_alone_steps(const rh_batch *batch, const char *who)
{
  printf("steps that %s took:", who);
  for (int c = 0; c < RH_LANE_CAUSES; c++) {
    printf(" %s %.0f", rh_lane_cause_name((rh_lane_cause)c),
           rh_batch_alone_steps(batch, (rh_lane_cause)c));
  }
  printf("\n");
}

#endif
