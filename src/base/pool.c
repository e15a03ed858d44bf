// pool.c: each thread has a share of a round, a range of tasks in one word, with the number of the round. It takes its own
// tasks from the front, and then those that others have not begun from their ends: a pass over the same data shared
// out in the same way finds them in the cache of the thread that had them before. A thread that lowers a range
// by one task holds it; it reads the data of the round only then, and the round cannot end before that task is done:
// so no stale data is read, however late a thread comes. Where tasks follow others a thread holds none that may not
// begin yet: one that the system stops while it waits keeps nobody. Every word that many threads write has a cache line of its own.
// Threads poll the number of the round before they sleep, because the next one is often near, and yield the
// processor between later polls; the caller waits for tasks, never for threads, so a thread that wakes slowly
// only comes too late. A round of two empty tasks that wait for one another takes 0.2 us while threads poll,
// 15 us or more when one must be woken.
#include "pool.h"

#include "carve.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum {
  LOOKS = 2000, // polls before the first yield, some 20 to 80 us
  LENT = 500,   // yields before sleeping, some 200 us or more
  PATIENT = 10, // polls in a round in order before tasks of others are done
};

enum {
  BITS = 24
}; // of the end and of the next task of a range; the rest is of the number of its round

static const uint64_t MASK = (1 << BITS) - 1;

typedef struct worker {
  _Alignas(RH_CACHE_LINE) _Atomic uint64_t range; // of its share, not begun yet
  _Alignas(RH_CACHE_LINE) _Atomic uint32_t done;  // tasks that it has finished since the beginning
  rh_pool *pool;
  int number;
  pthread_t thread;
} worker;

struct rh_pool {
  _Alignas(RH_CACHE_LINE) _Atomic uint64_t round; // its number; workers poll this line
  _Atomic bool over;
  _Atomic bool shares;                        // it is a round of shares,
  _Atomic bool follows;                       // in which tasks follow others
  _Alignas(RH_CACHE_LINE) _Atomic int asleep; // workers that must be woken
  _Atomic bool waiting;                       // the caller must be woken
  int threads;                                // the caller's among them
  _Alignas(RH_CACHE_LINE) rh_pool_task *task; // of this round, as the next
  void *user;
  uint64_t number; // of this round, as the next
  rh_pool_graph graph;
  uint32_t given;       // tasks since the beginning
  pthread_mutex_t lock; // for sleeping and waking only
  pthread_cond_t work, rest;
  void *block;     // memory of this
  worker worker[]; // threads; the caller's first
};

// Pauses between two polls
static inline void pass_time(int look)
{
  if (look >= LOOKS) {
    (void)sched_yield();
    return;
  }
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static uint64_t range_of(uint64_t next, uint64_t end, uint64_t round)
{
  return round << 2 * BITS | end << BITS | next;
}

// A task of a share, from its front or its end; RH_NONE: all are taken.
static int take_task(_Atomic uint64_t *range, bool front)
{
  uint64_t now = atomic_load_explicit(range, memory_order_relaxed);
  for (;;) {
    uint64_t next = now & MASK;
    uint64_t end = now >> BITS & MASK;
    if (next >= end) {
      return RH_NONE;
    }
    if (atomic_compare_exchange_weak(range, &now, front ? now + 1 : now - (1ULL << BITS))) {
      return (int)(front ? next : end - 1);
    }
  }
}

// What a thread that holds no task sees may be of another round: then it takes none, for the range has changed.
static bool may_begin(const rh_pool *pool, int task, uint64_t round)
{
  if (!atomic_load_explicit(&pool->follows, memory_order_acquire) || task >= pool->graph.n) {
    return true;
  }
  for (int k = 0; k < RH_POOL_AFTER; k++) {
    int before = atomic_load_explicit(&pool->graph.after[task][k], memory_order_relaxed);
    if (before == RH_NONE) {
      return true;
    }
    if (atomic_load_explicit(&pool->graph.done[before], memory_order_acquire) != round) {
      return false;
    }
  }
  return true;
}

// The first task of a share, if it may begin; RH_NONE: no. *left: there are some.
static int take_first(rh_pool *pool, int whose, bool *left)
{
  uint64_t round = atomic_load_explicit(&pool->round, memory_order_relaxed);
  _Atomic uint64_t *range = &pool->worker[whose].range;
  uint64_t now = atomic_load_explicit(range, memory_order_acquire);
  int task = (int)(now & MASK);
  if ((now & MASK) >= (now >> BITS & MASK)) {
    return RH_NONE;
  }
  *left = true;
  return may_begin(pool, task, round) && atomic_compare_exchange_strong(range, &now, now + 1)
             ? task
             : RH_NONE;
}

// A task that this thread holds. The round is the present one now: it may have to wait after all.
static void do_first(rh_pool *pool, int number, int task)
{
  for (int look = 0; !may_begin(pool, task, pool->number); look++) {
    pass_time(look);
  }
  pool->task(pool->user, task, number);
  if (atomic_load_explicit(&pool->follows, memory_order_relaxed)) {
    atomic_store_explicit(&pool->graph.done[task], pool->number, memory_order_release);
  }
}

static bool all_done(const rh_pool *pool)
{
  uint32_t done = 0;
  for (int k = 0; k < pool->threads; k++) {
    done += atomic_load(&pool->worker[k].done);
  }
  return done == pool->given;
}

// The caller's own tasks may be all that others wait for: it looks for more as long as some are not done.
static bool is_round_over(const rh_pool *pool, int number, uint64_t round)
{
  return number == 0 ? all_done(pool) : atomic_load(&pool->round) != round;
}

static void note_done(rh_pool *pool, int number, uint32_t n)
{
  worker *me = &pool->worker[number];
  atomic_store(&me->done, atomic_load_explicit(&me->done, memory_order_relaxed) + n);
  if (number > 0 && atomic_load(&pool->waiting)) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->rest);
    pthread_mutex_unlock(&pool->lock);
  }
}

// A round in order: after some patience, tasks of others; what those have in their caches is better done there.
static void work_in_order(rh_pool *pool, int number)
{
  uint64_t round = atomic_load(&pool->round);
  uint32_t mine = 0;
  bool left = true;
  for (int look = 0; left; look++) {
    left = look < PATIENT;
    int task = take_first(pool, number, &left);
    for (int k = 1; look >= PATIENT && task == RH_NONE && k < pool->threads; k++) {
      task = take_first(pool, (number + k) % pool->threads, &left);
    }
    if (task != RH_NONE) {
      do_first(pool, number, task);
      mine++;
      look--; // patience is for the round
      continue;
    }
    if (mine > 0) {
      note_done(pool, number, mine);
      mine = 0;
    }
    if (is_round_over(pool, number, round)) {
      return;
    }
    pass_time(look);
  }
}

// Takes and does tasks until none is left; wakes the caller if it waits.
static void work_off(rh_pool *pool, int number)
{
  uint32_t mine = 0;
  for (int k = 0; k < pool->threads; k++) {
    int whose = number + k < pool->threads ? number + k : number + k - pool->threads;
    int task = take_task(&pool->worker[whose].range, k == 0);
    while (task != RH_NONE) {
      do_first(pool, number, task);
      mine++;
      task = take_task(&pool->worker[whose].range, k == 0);
    }
  }
  if (mine > 0) {
    note_done(pool, number, mine);
  }
}

static void work_on(rh_pool *pool, int number)
{
  if (atomic_load(&pool->follows)) {
    work_in_order(pool, number);
  } else {
    work_off(pool, number);
  }
}

static bool has_work(rh_pool *pool, uint64_t seen)
{
  return atomic_load(&pool->round) != seen || atomic_load(&pool->over);
}

static void await_work(rh_pool *pool, uint64_t seen)
{
  for (int i = 0; i < LOOKS + LENT; i++) {
    if (has_work(pool, seen)) {
      return;
    }
    pass_time(i);
  }
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->asleep, 1);
  while (!has_work(pool, seen)) {
    pthread_cond_wait(&pool->work, &pool->lock);
  }
  atomic_fetch_sub(&pool->asleep, 1);
  pthread_mutex_unlock(&pool->lock);
}

static void *run_worker(void *argument)
{
  const worker *me = argument;
  rh_pool *pool = me->pool;
  uint64_t seen = 0;
  while (!atomic_load(&pool->over)) {
    await_work(pool, seen);
    seen = atomic_load(&pool->round);
    work_on(pool, me->number);
  }
  return NULL;
}

static void wake_all(rh_pool *pool)
{
  if (atomic_load(&pool->asleep) > 0) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
  }
}

static void await_rest(rh_pool *pool)
{
  for (int i = 0; i < LOOKS + LENT; i++) {
    if (all_done(pool)) {
      return;
    }
    pass_time(i);
  }
  pthread_mutex_lock(&pool->lock);
  atomic_store(&pool->waiting, true);
  while (!all_done(pool)) {
    pthread_cond_wait(&pool->rest, &pool->lock);
  }
  atomic_store(&pool->waiting, false);
  pthread_mutex_unlock(&pool->lock);
}

typedef struct shares { // of threads
  const int *at;        // NULL: all have the same size
  int first, n;
} shares;

static void give_out(rh_pool *pool, const shares *s)
{
  uint64_t threads = (uint64_t)pool->threads;
  pool->given += (uint32_t)s->n;
  for (uint64_t k = 0; k < threads; k++) {
    uint64_t next = s->at ? (uint64_t)(s->first + s->at[k]) : (uint64_t)s->n * k / threads;
    uint64_t end = s->at ? (uint64_t)(s->first + s->at[k + 1]) : (uint64_t)s->n * (k + 1) / threads;
    atomic_store_explicit(&pool->worker[k].range, range_of(next, end, pool->number),
                          memory_order_release);
  }
  atomic_store(&pool->round, pool->number);
  wake_all(pool);
  work_on(pool, 0);
  await_rest(pool);
}

static void begin_round(rh_pool *pool, rh_pool_task *task, void *user, bool follows)
{
  RH_ASSERT(all_done(pool));
  pool->task = task;
  pool->user = user;
  pool->number++;
  atomic_store_explicit(&pool->follows, follows, memory_order_release);
}

void rh_pool_run(rh_pool *pool, rh_pool_task *task, void *user, int n)
{
  if (n <= 1 || rh_pool_threads(pool) == 1 || n >= 1 << BITS) {
    for (int i = 0; i < n; i++) {
      task(user, i, 0);
    }
    return;
  }
  begin_round(pool, task, user, false);
  give_out(pool, &(shares){NULL, 0, n});
}

// By one thread, in the order of tasks
static bool run_alone(const rh_pool *pool, rh_pool_task *task, void *user, const shares *s)
{
  bool alone = rh_pool_threads(pool) == 1 || s->first + s->at[rh_pool_threads(pool)] >= 1 << BITS;
  for (int i = 0; alone && i < s->n; i++) {
    task(user, s->first + s->at[0] + i, 0);
  }
  return alone;
}

void rh_pool_run_shares(rh_pool *pool, rh_pool_task *task, void *user, const int *share)
{
  const shares s = {share, 0, share[rh_pool_threads(pool)] - share[0]};
  if (!run_alone(pool, task, user, &s)) {
    begin_round(pool, task, user, false);
    give_out(pool, &s);
  }
}

void rh_pool_set_graph(rh_pool *pool, const rh_pool_graph *graph)
{
  pool->graph = *graph;
}

void rh_pool_run_in_order(rh_pool *pool, rh_pool_task *task, void *user, const int *share,
                          int first)
{
  const shares s = {share, first, share[rh_pool_threads(pool)] - share[0]};
  if (rh_pool_threads(pool) == 1) {
    (void)run_alone(pool, task, user, &s);
    return;
  }
  RH_ASSERT(first + share[pool->threads] <= pool->graph.n && pool->graph.n < 1 << BITS);
  begin_round(pool, task, user, true);
  give_out(pool, &s);
}

int rh_pool_threads(const rh_pool *pool)
{
  return pool ? pool->threads : 1;
}

// Signals are blocked in these threads.
static void start_workers(rh_pool *pool, int threads)
{
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 1; i < threads; i++) {
    worker *w = &pool->worker[i];
    w->pool = pool;
    w->number = i;
    if (pthread_create(&w->thread, NULL, run_worker, w) != 0) {
      break;
    }
    pool->threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

rh_pool *rh_pool_create(int threads)
{
  RH_ASSERT(threads >= 1 && threads <= RH_POOL_MAX);
  void *block = rh_alloc(sizeof(rh_pool) + (size_t)threads * sizeof(worker) + RH_CACHE_LINE);
  if (!block) {
    return NULL;
  }
  rh_pool *pool = (rh_pool *)(void *)rh_first_line(block);
  pool->block = block;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->rest, NULL);
  pool->threads = 1;
  start_workers(pool, threads);
  return pool;
}

void rh_pool_destroy(rh_pool *pool)
{
  if (!pool) {
    return;
  }
  atomic_store(&pool->over, true);
  wake_all(pool);
  for (int i = 1; i < pool->threads; i++) {
    pthread_join(pool->worker[i].thread, NULL);
  }
  pthread_cond_destroy(&pool->rest);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  rh_free(pool->block);
}
