// unit_pool.c: the pool of threads: every task once, whatever their number and that of the threads; workers told apart; the same bits;
// rounds that follow at once and rounds to which sleeping threads must be woken; tasks that follow others; nothing allocated while it runs.
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
  for (int r = 0; r < 20; r++) {
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

// ---- Shares, and tasks that follow others

enum { LEVEL = 5 }; // tasks of a share that are on one level

typedef struct net {
  _Atomic int after[TASKS][RH_POOL_AFTER];
  _Atomic uint64_t done[TASKS];
  int share[THREADS + 1];
  _Atomic int count; // tasks done in this round,
  int turn[TASKS];   // and which one each was
  int first;
} net;

static net the_net;

static unsigned draw_number(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

// The share that has a task
static int share_of(int threads, int task)
{
  int k = 0;
  while (k + 1 < threads && the_net.share[k + 1] <= task - the_net.first) {
    k++;
  }
  return k;
}

static int level_of(int threads, int task)
{
  return (task - the_net.first - the_net.share[share_of(threads, task)]) / LEVEL;
}

// Shares of uneven size, some empty; a task follows some of lower levels, of any share.
static void draw_net(unsigned seed, int threads, int first)
{
  the_net.first = first;
  int n = TASKS - first;
  for (int k = 0; k <= threads; k++) {
    the_net.share[k] = k == 0 ? 0 : k == threads ? n : (int)(draw_number(&seed) % (unsigned)n);
  }
  for (int k = 1; k < threads; k++) { // ascending
    the_net.share[k] =
        the_net.share[k] < the_net.share[k - 1] ? the_net.share[k - 1] : the_net.share[k];
  }
  for (int i = first; i < TASKS; i++) {
    int found = 0;
    for (int k = 0; k < 40 && found < RH_POOL_AFTER; k++) {
      int other = first + (int)(draw_number(&seed) % (unsigned)n);
      if (level_of(threads, other) < level_of(threads, i)) {
        atomic_store(&the_net.after[i][found++], other);
      }
    }
    if (found < RH_POOL_AFTER) {
      atomic_store(&the_net.after[i][found], RH_NONE);
    }
  }
}

static void take_turn(void *user, int task, int worker)
{
  enter(user, task, worker);
  the_net.turn[task] = atomic_fetch_add(&the_net.count, 1);
}

static void check_turns(void)
{
  ck_assert_int_eq(atomic_load(&the_net.count), TASKS - the_net.first);
  ck_assert(!atomic_load(&book.broken));
  for (int i = 0; i < TASKS; i++) {
    ck_assert_int_eq(book.done[i], i >= the_net.first);
    for (int k = 0; i >= the_net.first && k < RH_POOL_AFTER; k++) {
      int before = atomic_load(&the_net.after[i][k]);
      if (before == RH_NONE) {
        break;
      }
      ck_assert_int_lt(the_net.turn[before], the_net.turn[i]);
    }
  }
}

// Also with more threads than cores, so that some do not run, and between rounds of other kinds
START_TEST(tasks_follow_others)
{
  for (int threads = 2; threads <= THREADS; threads++) {
    rh_pool *pool = rh_pool_create(threads);
    rh_pool_set_graph(pool, &(rh_pool_graph){(void *)the_net.after, the_net.done, TASKS});
    for (unsigned r = 0; r < (RH_TEST_SLOW ? 10 : 60); r++) {
      draw_net(100 * r + (unsigned)threads, threads, r % 3 == 0 ? 0 : (int)(r % 50));
      book = (ledger){.threads = threads};
      atomic_store(&the_net.count, 0);
      rh_pool_run_in_order(pool, take_turn, &book, the_net.share, the_net.first);
      check_turns();
      if (r % 2 == 0) {
        round_of(pool, 60, 1);
      }
    }
    rh_pool_destroy(pool);
  }
}

END_TEST

START_TEST(shares_of_ones_own)
{
  static const int alone[] = {0, TASKS};
  for (int threads = 1; threads <= THREADS; threads++) {
    rh_pool *pool = rh_pool_create(threads);
    for (unsigned r = 0; r < 20; r++) {
      draw_net(r, threads, 0);
      book = (ledger){.threads = threads};
      rh_pool_run_shares(pool, enter, &book, threads == 1 ? alone : the_net.share);
      for (int i = 0; i < TASKS; i++) {
        ck_assert_int_eq(book.done[i], 1);
      }
    }
    rh_pool_destroy(pool);
  }
}

END_TEST

// One thread takes tasks one after another.
START_TEST(one_thread_in_order)
{
  static const int share[] = {0, TASKS};
  the_net.first = 0;
  atomic_store(&the_net.count, 0);
  book = (ledger){.threads = 1};
  rh_pool_run_in_order(NULL, take_turn, &book, share, 0);
  for (int i = 0; i < TASKS; i++) {
    ck_assert_int_eq(the_net.turn[i], i);
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
  tcase_add_test(tc, tasks_follow_others);
  tcase_add_test(tc, shares_of_ones_own);
  tcase_add_test(tc, one_thread_in_order);
  suite_add_tcase(suite, tc);
  return suite;
}
