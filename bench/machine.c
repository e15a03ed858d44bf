// machine.c: see machine.h
#include "machine.h"

#include "base/pool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOOPS = 2000000, WORDS = 1 << 22, PASSES = 8, ROUNDS = 20000, TURNS = 20000, CHAINS = 48 };

static double read_clock(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct arena {
  double *x[RH_POOL_MAX], *y[RH_POOL_MAX]; // (WORDS each)
  _Alignas(64) double result[RH_POOL_MAX][8];
  _Alignas(64) _Atomic int turn;
} arena;

// Products in registers, as many as a core can do at once
static void count_alone(void *user, int task, int worker)
{
  arena *a = user;
  double x[CHAINS];
  (void)worker;
  for (int k = 0; k < CHAINS; k++) {
    x[k] = 1 + 0.1 * k;
  }
  for (int i = 0; i < LOOPS; i++) {
    for (int k = 0; k < CHAINS; k++) {
      x[k] = x[k] * 0.999999 + 1e-6;
    }
  }
  for (int k = 1; k < CHAINS; k++) {
    x[0] += x[k];
  }
  a->result[task][0] = x[0];
}

// One chain: the next product waits for the last.
static void count_in_turn(void *user, int task, int worker)
{
  arena *a = user;
  double x = task;
  (void)worker;
  for (int i = 0; i < LOOPS; i++) {
    x = x * 0.999999 + 1e-6;
  }
  a->result[task][1] = x;
}

static void first_touch(void *user, int task, int worker)
{
  arena *a = user;
  (void)worker;
  for (int i = 0; i < WORDS; i++) {
    a->x[task][i] = i;
    a->y[task][i] = 1;
  }
}

static void stream_memory(void *user, int task, int worker)
{
  arena *a = user;
  (void)worker;
  for (int k = 0; k < PASSES; k++) {
    for (int i = 0; i < WORDS; i++) {
      a->y[task][i] = 0.5 * a->y[task][i] + a->x[task][i];
    }
  }
}

static void do_nothing(void *user, int task, int worker)
{
  (void)user;
  (void)task;
  (void)worker;
}

// Two threads write to one cache line in turns.
static void take_turns(void *user, int task, int worker)
{
  arena *a = user;
  (void)worker;
  for (int i = 0; i < TURNS; i++) {
    while (atomic_load_explicit(&a->turn, memory_order_acquire) != 2 * i + task) {}
    atomic_store_explicit(&a->turn, 2 * i + task + 1, memory_order_release);
  }
}

// The shortest of a few rounds [s]
static double time_round(rh_pool *pool, rh_pool_task *task, arena *a, int n)
{
  double best = 1e9;
  for (int k = 0; k < 3; k++) {
    double t = read_clock();
    atomic_store(&a->turn, 0);
    rh_pool_run(pool, task, a, n);
    t = read_clock() - t;
    best = t < best ? t : best;
  }
  return best;
}

void print_machine(int threads)
{
  static arena a;
  rh_pool *pool = rh_pool_create(threads);
  bool fits = pool != NULL;
  for (int k = 0; k < threads; k++) {
    a.x[k] = malloc(WORDS * sizeof(double));
    a.y[k] = malloc(WORDS * sizeof(double));
    fits = fits && a.x[k] && a.y[k];
  }
  if (fits && threads > 1) {
    double bytes = 3.0 * WORDS * sizeof(double) * PASSES;
    rh_pool_run(pool, first_touch, &a, threads);
    double one = time_round(pool, count_alone, &a, 1);
    double all = time_round(pool, count_alone, &a, threads);
    printf("machine: %d threads that only compute do the work of %.1f", threads, threads * one / all);
    one = time_round(pool, count_in_turn, &a, 1);
    all = time_round(pool, count_in_turn, &a, threads);
    printf(" (%.1f where products wait for one another)", threads * one / all);
    one = time_round(pool, stream_memory, &a, 1);
    all = time_round(pool, stream_memory, &a, threads);
    printf("; memory %.1f GB/s by one, %.1f by all", 1e-9 * bytes / one, 1e-9 * bytes * threads / all);
    double t = read_clock();
    for (int k = 0; k < ROUNDS; k++) {
      rh_pool_run(pool, do_nothing, &a, threads);
    }
    printf("; an empty round %.2f us", 1e6 * (read_clock() - t) / ROUNDS);
    rh_pool *two = rh_pool_create(2);
    if (rh_pool_threads(two) == 2) {
      printf("; a cache line from core to core %.0f ns", 1e9 * time_round(two, take_turns, &a, 2) / (2 * TURNS));
    }
    rh_pool_destroy(two);
    printf("\n");
  }
  for (int k = 0; k < threads; k++) {
    free(a.x[k]);
    free(a.y[k]);
  }
  rh_pool_destroy(pool);
}
