// unit_pool.c: the pool of threads: every task once, whatever their number and that of the threads; workers told apart; the same bits;
// rounds that follow at once and rounds to which sleeping threads must be woken; nothing allocated while it runs.
#include "test.h"

#include "base/pool.h"
#include "memory.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { TASKS = 300, THREADS = 5 };

typedef struct ledger {
  int done[TASKS];             // how often; a task writes its own place only
  _Atomic int inside[THREADS]; // tasks that a worker is in
  _Atomic bool broken;
  int threads;
  double x[TASKS];
} ledger;

static void enter(void *user, int task, int worker)
{
  ledger *l = user;
  if (worker < 0 || worker >= l->threads || atomic_fetch_add(&l->inside[worker], 1) != 0) {
    atomic_store(&l->broken, true);
  }
  l->done[task]++;
  double x = 1 + task;
  for (int i = 0; i < 20; i++) {
    x = sqrt(x + i);
  }
  l->x[task] = x;
  atomic_fetch_sub(&l->inside[worker], 1);
}

static ledger book;

static void round_of(rh_pool *pool, int n, int rounds)
{
  book = (ledger){.threads = rh_pool_threads(pool)};
  for (int r = 0; r < rounds; r++) {
    rh_pool_run(pool, enter, &book, n);
    for (int i = 0; i < TASKS; i++) { // seen by the caller at once
      ck_assert_int_eq(book.done[i], i < n ? r + 1 : 0);
    }
  }
  ck_assert(!atomic_load(&book.broken));
}

START_TEST(every_task_once)
{
  for (int threads = 1; threads <= THREADS; threads++) {
    rh_pool *pool = rh_pool_create(threads);
    ck_assert_ptr_nonnull(pool);
    ck_assert_int_eq(rh_pool_threads(pool), threads);
    for (int n = 0; n <= TASKS; n += n < 8 ? 1 : 73) {
      round_of(pool, n, RH_TEST_SLOW ? 20 : 100);
    }
    rh_pool_destroy(pool);
  }
  ck_assert_int_eq(rh_pool_threads(NULL), 1);
  round_of(NULL, 7, 2);
}

END_TEST

START_TEST(same_bits)
{
  static double alone[TASKS];
  round_of(NULL, TASKS, 1);
  memcpy(alone, book.x, sizeof alone);
  for (int threads = 1; threads <= THREADS; threads++) {
    rh_pool *pool = rh_pool_create(threads);
    round_of(pool, TASKS, 1);
    ck_assert_mem_eq(alone, book.x, sizeof alone);
    rh_pool_destroy(pool);
  }
}

END_TEST

// Pauses are longer than the threads look for work, so every second round finds them asleep.
START_TEST(sleepers_are_woken)
{
  rh_pool *pool = rh_pool_create(3);
  for (int r = 0; r < 20; r++) {
    round_of(pool, 40, 2);
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); // clock: longer does no harm
  }
  rh_pool_destroy(pool);
}

END_TEST

static void meet(void *user, int task, int worker)
{
  (void)task;
  (void)worker;
  _Atomic int *here = user;
  atomic_fetch_add(here, 1);
  while (atomic_load(here) < 2) {}
}

// Two tasks that wait for each other end only if two threads work; the caller must then wait for the other, too.
START_TEST(two_at_once)
{
  rh_pool *pool = rh_pool_create(2);
  for (int r = 0; r < 50; r++) {
    _Atomic int here = 0;
    rh_pool_run(pool, meet, &here, 2);
    ck_assert_int_eq(atomic_load(&here), 2);
  }
  rh_pool_destroy(pool);
}

END_TEST

static void dawdle(void *user, int task, int worker)
{
  (void)worker;
  const struct timespec pause = {.tv_nsec = task == 0 ? 0 : 2000000};
  nanosleep(&pause, NULL); // clock: longer does no harm
  ((int *)user)[task] = 1;
}

// A task that lasts longer than the caller looks: it sleeps, and is woken.
START_TEST(caller_is_woken)
{
  rh_pool *pool = rh_pool_create(2);
  for (int r = 0; r < 10; r++) {
    int done[2] = {0, 0};
    rh_pool_run(pool, dawdle, done, 2);
    ck_assert(done[0] && done[1]);
  }
  rh_pool_destroy(pool);
}

END_TEST

START_TEST(allocates_at_create_only)
{
  memory_watch(0);
  rh_pool *pool = rh_pool_create(4);
  long made = the_memory.calls;
  round_of(pool, TASKS, 5);
  ck_assert_int_eq(the_memory.calls, made);
  rh_pool_destroy(pool);
  ck_assert_int_eq(the_memory.out, 0);
  memory_watch(1);
  ck_assert_ptr_null(rh_pool_create(2));
  rh_pool_destroy(NULL);
}

END_TEST

START_TEST(comes_and_goes)
{
  for (int i = 0; i < 50; i++) {
    rh_pool *pool = rh_pool_create(1 + i % 4);
    if (i % 3 != 0) {
      round_of(pool, i, 1);
    }
    rh_pool_destroy(pool);
  }
}

END_TEST

Suite *rh_suite_unit_pool(void)
{
  Suite *suite = suite_create("unit_pool");
  TCase *tc = tcase_create("pool");
  tcase_add_test(tc, every_task_once);
  tcase_add_test(tc, same_bits);
  tcase_add_test(tc, sleepers_are_woken);
  tcase_add_test(tc, two_at_once);
  tcase_add_test(tc, caller_is_woken);
  tcase_add_test(tc, allocates_at_create_only);
  tcase_add_test(tc, comes_and_goes);
  suite_add_tcase(suite, tc);
  return suite;
}
