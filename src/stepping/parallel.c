// Threads: islands share only the ground, so that each may be stepped by any thread. A worker, one
// per thread, has its own scratch for the island that it steps: rows of trees and loops, Newton's
// method, the contacts of an island that is examined again. Results of islands (energies, impacts)
// are kept with the islands, and added and reported in their order, so that no bit depends on the
// number of threads. Work for each body, tree, shape or pair of shapes before there are islands is
// divided in parts of a fixed size.
#include "stepping.h"

// ---- Workers

rh_status rh_step_workers_create(rh_step_world *w, int newton_blocks)
{
  int threads = (int)w->par.threads;
  for (int k = 0; k < threads; k++) {
    rh_step_worker *worker = &w->worker[k];
    worker->world = w;
    worker->again_at = (k + 1) * w->contacts.capacity;
    RH_TRY(rh_step_newton_create(&worker->newton, newton_blocks));
    RH_TRY(rh_step_tree_rows_create(&w->trees, &worker->rows));
  }
  rh_step_trees_measure(w);
  w->pool = threads > 1 ? rh_pool_create(threads) : NULL;
  return threads > 1 && !w->pool ? RH_OUT_OF_MEMORY : RH_OK;
}

void rh_step_workers_destroy(rh_step_world *w)
{
  for (int k = 0; k < (int)w->par.threads; k++) {
    rh_step_newton_destroy(&w->worker[k].newton);
    rh_step_tree_rows_destroy(&w->worker[k].rows);
  }
  rh_pool_destroy(w->pool);
}

// Counts of all workers together; steps and contacts are the world's own.
static void add_counts(rh_step_world *w)
{
  rh_step_counts sum = {.steps = w->tally.steps, .contacts = w->tally.contacts};
  for (int k = 0; k < (int)w->par.threads; k++) {
    const rh_step_counts *t = &w->worker[k].tally;
    sum.sweeps += t->sweeps;
    sum.impacts += t->impacts;
    sum.unsolved += t->unsolved;
    sum.hard += t->hard;
    sum.drawn += t->drawn;
    sum.residual = fmax(sum.residual, t->residual);
    sum.deepest = fmax(sum.deepest, t->deepest);
    sum.most = fmax(sum.most, t->most);
    sum.struck = fmax(sum.struck, t->struck);
    w->full = w->full || w->worker[k].full;
  }
  w->tally = sum;
}

// ---- Tasks

typedef struct job {
  rh_step_world *w;
  rh_step_task *task;
} job;

static void do_task(void *user, int task, int worker)
{
  const job *j = user;
  j->task(&j->w->worker[worker], task);
}

void rh_step_parallel_run(rh_step_world *w, rh_step_task *task, int n)
{
  job j = {w, task};
  rh_pool_run(w->pool, do_task, &j, n);
}

// ---- Islands

enum { CHUNK = 48 }; // contacts and mobiles of a task

// A tree counts as many free bodies as it has fours of degrees of freedom, and more.
static int size_of_island(const rh_step_world *w, const rh_step_island *s)
{
  int size = s->ncon + s->nmob;
  for (int k = s->mob; w->trees.n > 0 && k < s->mob + s->nmob; k++) {
    int tree = w->member[k] - w->nfree - 1;
    size += tree >= 0 ? 2 * w->trees.tree[tree].nz : 0;
  }
  return size;
}

static int cut_chunks(rh_step_world *w)
{
  int *chunk = w->parts.chunk;
  int n = 0;
  int size = 0;
  chunk[0] = 0;
  for (int i = 0; i < w->nisland; i++) {
    size += w->island[i].nslice > 0 ? 0 : size_of_island(w, &w->island[i]);
    if (size >= CHUNK || i == w->nisland - 1) {
      chunk[++n] = i + 1;
      size = 0;
    }
  }
  return n;
}

static void step_chunk(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = w->parts.chunk[task]; i < w->parts.chunk[task + 1]; i++) {
    if (w->island[i].nslice == 0) {
      rh_step_step_island(worker, &w->island[i], w->par.dt);
    }
  }
}

void rh_step_parallel_step(rh_step_world *w)
{
  if (w->pool) {
    rh_step_parallel_for(w, step_chunk, cut_chunks(w));
  }
  for (int i = 0; (!w->pool || w->parts.nslice > 0) && i < w->nisland; i++) {
    if (!w->pool || w->island[i].nslice > 0) { // large ones take all threads, in turn
      rh_step_step_island(&w->worker[0], &w->island[i], w->par.dt);
    }
  }
  add_counts(w);
}
