// Threads: islands share only the ground, so that each may be stepped by any thread. A thread has
// its own scratch for the island that it steps: rows of trees and loops, Newton's method, the
// contacts of an island that is examined again. Sums of islands (tallies, energies) and reports
// (impacts) are kept separate, and added and reported in the order of islands, so that no bit
// depends on the number of threads. Work for each body, tree, shape or pair of shapes before there
// are islands is divided in parts of a fixed size.
#include "stepping.h"

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
