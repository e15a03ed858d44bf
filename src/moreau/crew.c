// Threads: islands share nothing but the ground, so that each may be stepped by any thread. What they add up (tallies, energies) is kept apart
// and added in the order of the islands, so that no bit depends on the number of threads. Islands with impacts to be located are stepped
// afterwards, one by one: they tell of their impacts. With trees or loops all is done by one thread.
#include "moreau/moreau.h"

enum { CHUNK = 48 }; // contacts and mobiles that are worth a task

rh_status rh_mo_crew_create(rh_mo *w)
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
    RH_TRY(rh_mo_hard_create(&w->crew[k].hard, w->hard.contacts));
  }
  return RH_OK;
}

void rh_mo_crew_destroy(rh_mo *w)
{
  for (int k = 0; w->crew && k < (int)w->par.threads - 1; k++) {
    rh_mo_hard_destroy(&w->crew[k].hard);
  }
  rh_free(w->crew);
  rh_pool_destroy(w->pool);
}

typedef struct job {
  rh_mo *w;
  double h;
} job;

static void step_chunk(void *user, int task, int worker)
{
  const job *j = user;
  rh_mo *w = worker == 0 ? j->w : &j->w->crew[worker - 1];
  for (int i = w->chunk[task]; i < w->chunk[task + 1]; i++) {
    rh_mo_step_island(w, &w->island[i], j->h, false);
  }
}

// Each thread sees the world as it is now.
static void call(rh_mo *w)
{
  for (int k = 0; k < rh_pool_threads(w->pool) - 1; k++) {
    rh_mo_hard hard = w->crew[k].hard;
    w->crew[k] = *w;
    w->crew[k].hard = hard;
    w->crew[k].tally = (rh_mo_tally){0};
  }
}

static void gather(rh_mo *w)
{
  for (int k = 0; k < rh_pool_threads(w->pool) - 1; k++) {
    const rh_mo_tally *t = &w->crew[k].tally;
    w->tally.sweeps += t->sweeps;
    w->tally.unsolved += t->unsolved;
    w->tally.hard += t->hard;
    w->tally.residual = fmax(w->tally.residual, t->residual);
    w->tally.deepest = fmax(w->tally.deepest, t->deepest);
  }
}

static int cut(rh_mo *w)
{
  int n = 0;
  int size = 0;
  w->chunk[0] = 0;
  for (int i = 0; i < w->nisland; i++) {
    size += w->island[i].ncon + w->island[i].nmob;
    if (size >= CHUNK || i == w->nisland - 1) {
      w->chunk[++n] = i + 1;
      size = 0;
    }
  }
  return n;
}

void rh_mo_crew_step(rh_mo *w, double h)
{
  int chunks = w->crew && w->trees.n == 0 && w->m->nloop == 0 ? cut(w) : 0;
  if (chunks > 1) {
    job j = {w, h};
    call(w);
    rh_pool_run(w->pool, step_chunk, &j, chunks);
    gather(w);
  } else {
    for (int i = 0; i < w->nisland; i++) {
      rh_mo_step_island(w, &w->island[i], h, false);
    }
  }
  for (int i = 0; w->lively && i < w->nisland; i++) {
    if (w->island[i].later) {
      rh_mo_step_island(w, &w->island[i], h, true);
    }
  }
}
