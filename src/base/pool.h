// pool.h: threads that stand by to share out tasks. A task writes only what belongs to it, so that no result depends on how many
// threads there are or which of them took it.
#ifndef ROUTH_BASE_POOL_H
#define ROUTH_BASE_POOL_H

#include <routh/base.h>

#define RH_POOL_MAX 256 // threads, the caller's among them

typedef struct rh_pool rh_pool;

// `worker` says which thread it is, 0 <= worker < rh_pool_threads: for scratch that no two may share. The caller's is 0.
typedef void rh_task(void *user, int task, int worker);

// threads >= 1 counts the caller's. Where the system refuses some, there are fewer. NULL: out of memory.
rh_pool *rh_pool_create(int threads);
void rh_pool_destroy(rh_pool *pool); // NULL is allowed
int rh_pool_threads(const rh_pool *pool);
// Does tasks 0 to n - 1, the caller working too, and returns when all are done. In no order that counts; with one thread, or one
// task, in a plain loop. Allocates nothing. One run at a time: not from within a task, nor from two threads. NULL: a pool of one.
void rh_pool_run(rh_pool *pool, rh_task *task, void *user, int n);

#endif
