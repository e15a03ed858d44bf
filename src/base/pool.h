// pool.h: threads that share out tasks. A task writes only its own data, so that no result depends
// on the number of threads or the thread that took it.
#ifndef ROUTH_BASE_POOL_H
#define ROUTH_BASE_POOL_H

#include <routh/base.h>

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

#endif
