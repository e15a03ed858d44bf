// Threads: islands share only the ground, so that each may be stepped by any thread. A thread has
// its own scratch for the island that it steps: rows of trees and loops, Newton's method, the
// contacts of an island that is examined again. Sums of islands (tallies, energies) and reports
// (impacts) are kept separate, and added and reported in the order of islands, so that no bit
// depends on the number of threads. Work for each body, tree, shape or pair of shapes before there
// are islands is divided in parts of a fixed size.
#include "stepping.h"

enum { CHUNK = 48 }; // contacts and mobiles of a task

rh_status rh_step_parallel_create(rh_step_world *w)
{
  int threads = (int)w->par.threads;
  int spare = threads - 1;
  if (spare < 1) {
    return RH_OK;
  }
  w->pool = rh_pool_create(threads);
  w->crew = rh_alloc((size_t)spare * sizeof *w->crew);
  if (!w->pool || !w->crew) {
    return RH_OUT_OF_MEMORY;
  }
  for (int k = 0; k < spare; k++) {
    RH_TRY(rh_step_newton_create(&w->crew[k].hard, w->hard.contacts));
    RH_TRY(rh_step_trees_lend(&w->trees, &w->crew[k].trees));
  }
  return RH_OK;
}

void rh_step_parallel_destroy(rh_step_world *w)
{
  for (int k = 0; w->crew && k < (int)w->par.threads - 1; k++) {
    rh_step_newton_destroy(&w->crew[k].hard);
    rh_step_trees_destroy(&w->crew[k].trees);
  }
  rh_free(w->crew);
  rh_pool_destroy(w->pool);
}

typedef struct job {
  rh_step_world *w, *crew;
  rh_step_task *task;
} job;

static void do_task(void *user, int task, int worker)
{
  const job *j = user;
  j->task(worker == 0 ? j->w : &j->crew[worker - 1], task);
}

// Each thread gets a copy of the world.
static void prepare_crew(rh_step_world *w)
{
  for (int k = 0; k < rh_pool_threads(w->pool) - 1; k++) {
    rh_step_newton hard = w->crew[k].hard;
    rh_step_trees trees = w->crew[k].trees;
    w->crew[k] = *w;
    w->crew[k].hard = hard;
    w->crew[k].trees = trees;
    w->crew[k].look = (k + 2) * w->room;
    w->crew[k].again = w->again + (size_t)(k + 1) * (size_t)w->room;
    w->crew[k].tally = (rh_step_counts){0};
  }
}

static void gather_tallies(rh_step_world *w)
{
  for (int k = 0; k < rh_pool_threads(w->pool) - 1; k++) {
    const rh_step_counts *t = &w->crew[k].tally;
    w->tally.sweeps += t->sweeps;
    w->tally.impacts += t->impacts;
    w->tally.unsolved += t->unsolved;
    w->tally.hard += t->hard;
    w->tally.drawn += t->drawn;
    w->tally.residual = fmax(w->tally.residual, t->residual);
    w->tally.deepest = fmax(w->tally.deepest, t->deepest);
    w->tally.most = fmax(w->tally.most, t->most);
    w->tally.struck = fmax(w->tally.struck, t->struck);
    w->full = w->full || w->crew[k].full;
  }
}

void rh_step_parallel_run(rh_step_world *w, rh_step_task *task, int n)
{
  job j = {w, w->crew, task};
  prepare_crew(w);
  rh_pool_run(w->pool, do_task, &j, n);
  gather_tallies(w);
}

// ---- Islands

// A tree counts as many free bodies as it has fours of degrees of freedom, and more.
static int size_of(const rh_step_world *w, const rh_step_island *s)
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
  int n = 0;
  int size = 0;
  w->chunk[0] = 0;
  for (int i = 0; i < w->nisland; i++) {
    size += w->island[i].nslice > 0 ? 0 : size_of(w, &w->island[i]);
    if (size >= CHUNK || i == w->nisland - 1) {
      w->chunk[++n] = i + 1;
      size = 0;
    }
  }
  return n;
}

static void step_chunk(rh_step_world *w, int task)
{
  for (int i = w->chunk[task]; i < w->chunk[task + 1]; i++) {
    if (w->island[i].nslice == 0) {
      rh_step_step_island(w, &w->island[i], w->par.dt);
    }
  }
}

void rh_step_parallel_step(rh_step_world *w)
{
  if (w->crew) {
    rh_step_parallel_for(w, step_chunk, cut_chunks(w));
  }
  for (int i = 0; (!w->crew || w->nslice > 0) && i < w->nisland; i++) {
    if (!w->crew || w->island[i].nslice > 0) { // large ones take all threads, in turn
      rh_step_step_island(w, &w->island[i], w->par.dt);
    }
  }
}
