// phases.c: see phases.h. A step is a sequence of calls, and each begins a part that lasts until the next; the broad phase lies inside the search for
// contacts, rounds of the pool anywhere.
#include "phases.h"

#include "stepping/stepping.h"

#include <string.h>
#include <time.h>

const char *const phase_name[PHASE_COUNT] = {
    "state, frames",    "loads",        "trees placed",           "boxes, pairs within reach", "points, stored forces",
    "islands, slices", "solution", "ledger, impacts reported", "contacts kept"};

static phase_times *into;
static phase now_in;
static double since;

typedef struct lane { // of a thread
  _Alignas(64) double busy[PHASE_COUNT]; // [s]
} lane;

static lane lanes[RH_POOL_MAX];

static double read_clock(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void go_into(phase next)
{
  if (into) {
    double t = read_clock();
    into->all[now_in] += t - since;
    since = t;
    now_in = next;
  }
}

void phases_begin(phase_times *times)
{
  into = times;
  now_in = PHASE_OTHER;
  memset(lanes, 0, sizeof lanes);
  since = read_clock();
}

void phases_end(void)
{
  go_into(PHASE_OTHER);
  for (int k = 0; into && k < RH_POOL_MAX; k++) {
    for (int i = 0; i < PHASE_COUNT; i++) {
      into->busy[i] += lanes[k].busy[i];
    }
  }
  into = NULL;
}

// ---- The functions of the library, by the linker's --wrap

// clang-format off
#define WRAPPED(result, name, params) \
  result __real_##name params; /* NOLINT: the linker's name */ \
  result __wrap_##name params; /* NOLINT */ \
  result __wrap_##name params  /* NOLINT */
// clang-format on

WRAPPED(void, rh_step_ledger_begin, (rh_step_world * w))
{
  go_into(PHASE_LOADS);
  __real_rh_step_ledger_begin(w);
}

WRAPPED(void, rh_step_trees_place, (rh_step_world * w))
{
  go_into(PHASE_TREES);
  __real_rh_step_trees_place(w);
}

WRAPPED(void, rh_step_collide, (rh_step_world * w))
{
  go_into(PHASE_BROAD); // shapes and boxes placed
  __real_rh_step_collide(w);
}

WRAPPED(rh_broad_result, rh_broad_find,
        (rh_broad * broad, const rh_bounds *box, const rh_half *half))
{
  go_into(PHASE_BROAD);
  rh_broad_result result = __real_rh_broad_find(broad, box, half);
  go_into(PHASE_TOUCH);
  return result;
}

WRAPPED(rh_broad_result, rh_broad_search,
        (rh_broad * broad, const rh_bounds *box, const rh_half *half))
{
  go_into(PHASE_BROAD);
  rh_broad_result result = __real_rh_broad_search(broad, box, half);
  go_into(PHASE_TOUCH);
  return result;
}

WRAPPED(void, rh_step_islands, (rh_step_world * w))
{
  go_into(PHASE_GROUP);
  __real_rh_step_islands(w);
}

WRAPPED(void, rh_step_slices, (rh_step_world * w))
{
  __real_rh_step_slices(w);
  go_into(PHASE_SOLVE);
}

WRAPPED(int, rh_step_ledger_end, (rh_step_world * w))
{
  go_into(PHASE_LEDGER);
  return __real_rh_step_ledger_end(w);
}

WRAPPED(void, rh_step_keep_contacts, (rh_step_world * w))
{
  go_into(PHASE_KEEP);
  __real_rh_step_keep_contacts(w);
  go_into(PHASE_OTHER);
}

typedef struct watched { // a round, each task of which is timed
  rh_pool_task *task;
  void *user;
} watched;

static void time_task(void *user, int task, int worker)
{
  const watched *x = user;
  double t = read_clock();
  x->task(x->user, task, worker);
  lanes[worker].busy[now_in] += read_clock() - t;
}

// ---- Rounds

static double begin_round(void)
{
  return into ? read_clock() : 0;
}

static bool is_shared(const rh_pool *pool, int n)
{
  return into && n > 1 && rh_pool_threads(pool) > 1;
}

static void end_round(double begun, bool shared)
{
  if (shared) {
    into->shared[now_in] += read_clock() - begun;
    into->rounds[now_in]++;
  }
}

WRAPPED(void, rh_pool_run_in_order,
        (rh_pool * pool, rh_pool_task *task, void *user, const int *share, int first))
{
  double t = begin_round();
  bool shared = is_shared(pool, 2);
  watched x = {task, user};
  bool closely = shared && into->closely;
  __real_rh_pool_run_in_order(pool, closely ? time_task : task, closely ? &x : user, share, first);
  end_round(t, shared);
}

WRAPPED(void, rh_pool_run_shares,
        (rh_pool * pool, rh_pool_task *task, void *user, const int *share))
{
  double t = begin_round();
  bool shared = is_shared(pool, 2);
  watched x = {task, user};
  bool closely = shared && into->closely;
  __real_rh_pool_run_shares(pool, closely ? time_task : task, closely ? &x : user, share);
  end_round(t, shared);
}

WRAPPED(void, rh_pool_run, (rh_pool * pool, rh_pool_task *task, void *user, int n))
{
  double t = begin_round();
  bool shared = is_shared(pool, n);
  watched x = {task, user};
  bool closely = shared && into->closely;
  __real_rh_pool_run(pool, closely ? time_task : task, closely ? &x : user, n);
  end_round(t, shared);
}
