// All worlds of a batch on a GPU, in rounds of some steps. A world that leaves the common way stops there: the processor's
// threads take the rest of its round, in lanes of their own. Only where Routh is built with ROUTH_CUDA.
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
  int *late;         // worlds that stopped (n)
  bool *in;          // the world is in lanes (n)
};

void rh_lanes_gpu_close(rh_lanes_gpu *g)
{
  if (g) {
    rh_lanes_cuda_close(g->cuda);
    rh_lanes_cuda_release(g->state);
    rh_free(g->left);
    rh_free(g->taken);
    rh_free(g->late);
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
  g->late = rh_alloc(count * sizeof *g->late);
  g->in = rh_alloc(count * sizeof *g->in);
  if (!g->state || !g->left || !g->taken || !g->late || !g->in) {
    rh_lanes_gpu_close(g);
    return NULL;
  }
  memset(g->state, 0, LANE_STATE * count * sizeof *g->state);
  return g;
}

typedef struct gpu_job {
  rh_lanes_gpu *g;
  const rh_lanes_batch *b;
  int steps, late;
  rh_status (*single)(rh_sim *sim);
} gpu_job;

enum { WORLDS = 16 }; // of a task

static lane_place place_of(const rh_lanes_gpu *g, int i)
{
  return (lane_place){&g->lanes->table, g->state + i, g->n};
}

// Worlds into lanes for a round
static void bring_in(void *user, int task, int worker)
{
  const gpu_job *j = user;
  rh_lanes_gpu *g = j->g;
  (void)worker;
  for (int i = task * WORLDS; i < j->b->n && i < (task + 1) * WORLDS; i++) {
    if (!g->in[i]) {
      bool fits = *j->b->status[i] == RH_OK && rh_lanes_world_fits(g->lanes, j->b->sim[i]);
      g->left[i] = fits ? j->steps : 0;
      g->in[i] = fits;
      if (fits) {
        rh_lanes_load(j->b->sim[i], place_of(g, i));
      }
    } else {
      g->left[i] = j->steps;
    }
  }
}

// A group of worlds that stopped: the rest of the round
static void help_group(void *user, int task, int worker)
{
  const gpu_job *j = user;
  rh_lanes_gpu *g = j->g;
  rh_lanes_group group = {.n = 0};
  int width = g->lanes->kernel->width;
  for (int k = task * width; k < j->late && k < (task + 1) * width; k++) {
    int i = g->late[k];
    if (g->in[i]) {
      rh_lanes_store(j->b->sim[i], place_of(g, i));
      g->in[i] = false;
    }
    group.sim[group.n] = j->b->sim[i];
    group.taken[group.n] = g->taken[i];
    group.status[group.n++] = j->b->status[i];
  }
  (void)rh_step_lanes.step(g->lanes, j->b->scratch + (size_t)worker * j->b->each, &group, j->steps,
                           j->single);
}

static void take_out(void *user, int task, int worker)
{
  const gpu_job *j = user;
  rh_lanes_gpu *g = j->g;
  (void)worker;
  for (int i = task * WORLDS; i < j->b->n && i < (task + 1) * WORLDS; i++) {
    if (g->in[i]) {
      rh_lanes_store(j->b->sim[i], place_of(g, i));
      g->in[i] = false;
    }
  }
}

// Worlds whose round is not done
static int find_late(const gpu_job *j)
{
  rh_lanes_gpu *g = j->g;
  int n = 0;
  for (int i = 0; i < j->b->n; i++) {
    if (g->taken[i] < j->steps && *j->b->status[i] == RH_OK) {
      g->late[n++] = i;
    }
  }
  return n;
}

long rh_lanes_gpu_step(rh_lanes_gpu *g, const rh_lanes_batch *b, int steps,
                       rh_status (*single)(rh_sim *sim))
{
  gpu_job job = {g, b, 0, 0, single};
  int tasks = (b->n + WORLDS - 1) / WORLDS;
  int width = g->lanes->kernel->width;
  long moved = 0;
  memset(g->in, 0, (size_t)g->n * sizeof *g->in);
  memset(g->left, 0, (size_t)g->n * sizeof *g->left);
  for (int done = 0; done < steps; done += ROUND) {
    job.steps = steps - done < ROUND ? steps - done : ROUND;
    rh_pool_run(b->pool, bring_in, &job, tasks);
    if (!rh_lanes_cuda_step(g->cuda, g->state, g->left, g->taken)) {
      memset(g->taken, 0, (size_t)g->n * sizeof *g->taken); // then the processor takes all steps
    }
    for (int i = 0; i < b->n; i++) {
      moved += g->taken[i];
    }
    job.late = find_late(&job);
    rh_pool_run(b->pool, help_group, &job, (job.late + width - 1) / width);
  }
  rh_pool_run(b->pool, take_out, &job, tasks);
  return moved;
}
