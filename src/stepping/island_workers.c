// island_workers.c: the workers of a world, and islands shared out to them.
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
