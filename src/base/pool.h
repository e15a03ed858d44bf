// pool.h: threads that share out tasks. A task writes only its own data, so that no result depends
// on the number of threads or the thread that took it.
#ifndef ROUTH_BASE_POOL_H
#define ROUTH_BASE_POOL_H

#include <routh/base.h>

#include <stdatomic.h>

#define RH_POOL_MAX 256 // threads, the caller's among them

typedef struct rh_pool rh_pool;

// `worker` is the index of the thread, 0 <= worker < rh_pool_threads, for scratch per thread. The
// caller's is 0.
typedef void rh_pool_task(void *user, int task, int worker);

// threads >= 1 counts the caller's. Where the system refuses some, there are fewer. NULL: out of memory.
rh_pool *rh_pool_create(int threads);
void rh_pool_destroy(rh_pool *pool); // NULL is allowed
int rh_pool_threads(const rh_pool *pool);
// Does tasks 0 to n - 1, the caller working too, and returns when all are done. The order is
// undefined; with one thread, or one task, a plain loop. Allocates nothing. One run at a time: not
// from within a task, nor from two threads. NULL: a pool of one.
void rh_pool_run(rh_pool *pool, rh_pool_task *task, void *user, int n);

// The same with shares of the caller's choice: thread k begins with tasks share[k] to share[k + 1] - 1. (threads + 1)
void rh_pool_run_shares(rh_pool *pool, rh_pool_task *task, void *user, const int *share);

// ---- Rounds in which tasks follow others: a thread goes on as soon as those are done that its next task follows

enum { RH_POOL_AFTER = 8 }; // tasks that one follows, at most

// Threads look at the graph at any time, also after a round: it is as large as the largest of all rounds and lives
// as long as the pool, and what changes in it between rounds is atomic.
typedef struct rh_pool_graph {
  const _Atomic int (*after)[RH_POOL_AFTER]; // tasks that a task follows, then RH_NONE (n)
  _Atomic uint64_t *done;                    // number of the last round in which it was done (n)
  int n;
} rh_pool_graph;

void rh_pool_set_graph(rh_pool *pool, const rh_pool_graph *graph);
// Does tasks first + share[0] to first + share[threads] - 1 of the graph, each after those of them that it follows. Thread k begins
// those of its share in their order, in which no task may follow a later one; where it does not run, others begin them. Nothing
// waits for a thread, but for the tasks that it is in.
void rh_pool_run_in_order(rh_pool *pool, rh_pool_task *task, void *user, const int *share,
                          int first);

#endif
