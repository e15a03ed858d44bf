// All worlds of a batch on a GPU, in rounds: it steps them until they have their steps, or leave the common way; the
// processor's threads take one step of each of the latter. Only where Routh is built with ROUTH_CUDA.
#include "lanes.h"

#include "base/pool.h"
#include "lanes_cuda.h"

#include <string.h>

enum { ROUND = 32 }; // steps

struct rh_lanes_gpu {
  const rh_lanes *lanes;
  rh_lanes_cuda *cuda;
  int n;
  double *state;     // (LANE_STATE x n)
  int *left, *taken; // steps of each world: in this round; of those (n)
  int *done;         // since the call began (n)
  bool *in;          // the world is in lanes (n)
};

void rh_lanes_gpu_close(rh_lanes_gpu *g)
{
  if (g) {
    rh_lanes_cuda_close(g->cuda);
    rh_lanes_cuda_release(g->state);
    rh_free(g->left);
    rh_free(g->taken);
    rh_free(g->done);
    rh_free(g->in);
    rh_free(g);
  }
}

rh_lanes_gpu *rh_lanes_gpu_open(const rh_lanes *lanes, int n)
{
  size_t count = (size_t)n;
  rh_lanes_gpu *g = rh_alloc(sizeof *g);
  if (!g) {
    return NULL;
  }
  g->lanes = lanes;
  g->n = n;
  g->cuda = rh_lanes_cuda_open(&lanes->table, n);
  g->state = g->cuda ? rh_lanes_cuda_memory(LANE_STATE * count * sizeof *g->state) : NULL;
  g->left = rh_alloc(count * sizeof *g->left);
  g->taken = rh_alloc(count * sizeof *g->taken);
  g->done = rh_alloc(count * sizeof *g->done);
  g->in = rh_alloc(count * sizeof *g->in);
  if (!g->state || !g->left || !g->taken || !g->done || !g->in) {
    rh_lanes_gpu_close(g);
    return NULL;
  }
  memset(g->state, 0, LANE_STATE * count * sizeof *g->state);
  return g;
}

typedef struct gpu_job {
  rh_lanes_gpu *g;
  const rh_lanes_batch *b;
  int steps;
  rh_status (*single)(rh_sim *sim);
} gpu_job;

enum { WORLDS = 16 }; // of a task

static lane_place place_of(const rh_lanes_gpu *g, int i)
{
  return (lane_place){&g->lanes->table, g->state + i, g->n};
}

// Into lanes; a world that does not fit takes a step by itself first.
static void bring_in(const gpu_job *j, int i)
{
  rh_lanes_gpu *g = j->g;
  rh_status *status = j->b->status[i];
  rh_sim *sim = j->b->sim[i];
  g->in[i] = false;
  while (*status == RH_OK && g->done[i] < j->steps && !g->in[i]) {
    g->in[i] = rh_lanes_world_fits(g->lanes, sim);
    if (g->in[i]) {
      rh_lanes_load(sim, place_of(g, i));
    } else {
      *status = j->single(sim);
      g->done[i]++;
    }
  }
}

static void begin_worlds(void *user, int task, int worker)
{
  const gpu_job *j = user;
  (void)worker;
  for (int i = task * WORLDS; i < j->b->n && i < (task + 1) * WORLDS; i++) {
    j->g->done[i] = 0;
    bring_in(j, i);
  }
}

// After a round: worlds that stopped take a step by themselves, and come back.
static void help_worlds(void *user, int task, int worker)
{
  const gpu_job *j = user;
  rh_lanes_gpu *g = j->g;
  (void)worker;
  for (int i = task * WORLDS; i < j->b->n && i < (task + 1) * WORLDS; i++) {
    if (!g->in[i] || g->left[i] == 0) {
      continue;
    }
    g->done[i] += g->taken[i];
    if (g->taken[i] < g->left[i]) {
      rh_lanes_store(j->b->sim[i], place_of(g, i));
      *j->b->status[i] = j->single(j->b->sim[i]);
      g->done[i]++;
      bring_in(j, i);
    } else if (g->done[i] == j->steps) {
      rh_lanes_store(j->b->sim[i], place_of(g, i));
      g->in[i] = false;
    }
  }
}

static int steps_left(const gpu_job *j)
{
  rh_lanes_gpu *g = j->g;
  int most = 0;
  for (int i = 0; i < g->n; i++) {
    int left = i < j->b->n && g->in[i] ? j->steps - g->done[i] : 0;
    g->left[i] = left < ROUND ? left : ROUND;
    g->taken[i] = 0;
    most = left > most ? left : most;
  }
  return most;
}

long rh_lanes_gpu_step(rh_lanes_gpu *g, const rh_lanes_batch *b, int steps,
                       rh_status (*single)(rh_sim *sim))
{
  gpu_job job = {g, b, steps, single};
  int tasks = (b->n + WORLDS - 1) / WORLDS;
  long moved = 0;
  rh_pool_run(b->pool, begin_worlds, &job, tasks);
  while (steps_left(&job) > 0) {
    if (!rh_lanes_cuda_step(g->cuda, g->state, g->left, g->taken)) {
      memset(g->taken, 0, (size_t)g->n * sizeof *g->taken); // then the processor takes all steps
    }
    for (int i = 0; i < b->n; i++) {
      moved += g->taken[i];
    }
    rh_pool_run(b->pool, help_worlds, &job, tasks);
  }
  return moved;
}
