// All worlds of a batch on a GPU. Their states stay there during a call. Parts of them are stepped in rounds; while the GPU steps
// the others, the processor's threads take the steps that leave the common way, and worlds that are done come back. Only where
// Routh is built with ROUTH_CUDA.
#include "lanes.h"

#include "base/pool.h"
#include "lanes_cuda.h"

#include <math.h>
#include <string.h>

enum {
  ROUND = 32,  // steps
  WORLDS = 16, // of a task,
  HELPED = 4,  // of one that steps them
  FULL = 64,   // a part of that many worlds without memory for their contacts: then they get more
};

typedef struct gpu_world {
  int done, kept; // steps of the call: taken; those that the processor knows
  bool in;        // the GPU has it
} gpu_world;

struct rh_lanes_gpu {
  const rh_lanes *lanes;
  rh_lanes_cuda *cuda;
  int n;
  double *rows;       // (n x trees x LANE_STATE)
  lane_order *orders; // (n)
  gpu_world *world;   // (n)
  int *late;          // worlds of a part that stopped (n),
  int *hard;          // those of them whose rows sweeps did not solve (n)
};

void rh_lanes_gpu_close(rh_lanes_gpu *g)
{
  if (g) {
    rh_lanes_cuda_close(g->cuda);
    rh_free(g->world);
    rh_free(g->late);
    rh_free(g->hard);
    rh_free(g);
  }
}

rh_lanes_gpu *rh_lanes_gpu_open(const rh_lanes *lanes, int n)
{
  rh_lanes_gpu *g = rh_alloc(sizeof *g);
  if (!g) {
    return NULL;
  }
  g->lanes = lanes;
  g->n = n;
  const lane_table *table[LANE_TREES];
  for (int k = 0; k < lanes->trees; k++) {
    table[k] = rh_lanes_table(lanes, k);
  }
  g->cuda = rh_lanes_cuda_open(table, lanes->trees, n);
  g->world = rh_alloc((size_t)n * sizeof *g->world);
  g->late = rh_alloc((size_t)n * sizeof *g->late);
  g->hard = rh_alloc((size_t)n * sizeof *g->hard);
  if (!g->cuda || !g->world || !g->late || !g->hard) {
    rh_lanes_gpu_close(g);
    return NULL;
  }
  g->rows = rh_lanes_cuda_rows(g->cuda);
  g->orders = rh_lanes_cuda_orders(g->cuda);
  return g;
}

typedef struct gpu_job {
  rh_lanes_gpu *g;
  const rh_lanes_batch *b;
  int steps;
  int first, end; // worlds of the part
  int late, hard;
  rh_status (*single)(rh_sim *sim);
} gpu_job;

static lane_place place_of(const rh_lanes_gpu *g, int i)
{
  size_t each = (size_t)g->lanes->trees * LANE_STATE;
  return (lane_place){&g->lanes->table, g->rows + (size_t)i * each, 1};
}

static bool is_fit(const gpu_job *j, int i)
{
  return *j->b->status[i] == RH_OK && rh_lanes_world_fits(j->g->lanes, j->b->sim[i]);
}

static void load_world(const gpu_job *j, int i)
{
  rh_lanes_load(j->g->lanes, j->b->sim[i], place_of(j->g, i));
  j->g->orders[i].fresh = true;
  j->g->world[i].in = true;
}

static void store_world(const gpu_job *j, int i)
{
  gpu_world *w = &j->g->world[i];
  if (w->in) {
    rh_lanes_store(j->g->lanes, j->b->sim[i], place_of(j->g, i));
    w->kept = w->done;
    w->in = false;
  }
}

// Worlds of the part: those that fit go to the GPU.
static void bring_in(void *user, int task, int worker)
{
  const gpu_job *j = user;
  (void)worker;
  for (int i = j->first + task * WORLDS; i < j->end && i < j->first + (task + 1) * WORLDS; i++) {
    if (is_fit(j, i)) {
      load_world(j, i);
    }
  }
}

// Why a world stopped; of its trees, the one that did
static rh_lane_cause cause_of(const rh_lanes_gpu *g, int i)
{
  lane_place at = place_of(g, i);
  double cause = RH_LANE_OUTSIDE;
  for (int k = 0; g->world[i].in && k < g->lanes->trees; k++) {
    cause = fmax(cause, rh_lanes_tree_place(g->lanes, at, k).x[LANE_CAUSE]);
  }
  return (rh_lane_cause)cause;
}

// Steps of a world by itself until it fits, `least` at least; then it goes to the GPU again. They are counted in `alone`.
static void step_until_fit(const gpu_job *j, int i, int least, long *alone)
{
  gpu_world *w = &j->g->world[i];
  rh_status *status = j->b->status[i];
  for (int k = 0; *status == RH_OK && w->done < j->steps && (k < least || !is_fit(j, i)); k++) {
    alone[RH_LANE_OUTSIDE] += k >= least;
    *status = j->single(j->b->sim[i]);
    w->kept = ++w->done;
  }
  if (*status == RH_OK && w->done < j->steps) {
    load_world(j, i);
  }
}

// Worlds that stopped: the next step of each
static void help_worlds(void *user, int task, int worker)
{
  const gpu_job *j = user;
  long *alone = j->b->alone + worker * RH_LANE_CAUSES;
  for (int k = task * HELPED; k < j->late && k < (task + 1) * HELPED; k++) {
    rh_lane_cause cause = cause_of(j->g, j->g->late[k]);
    store_world(j, j->g->late[k]);
    alone[cause]++;
    step_until_fit(j, j->g->late[k], 1, alone);
  }
}

// The same of worlds whose rows sweeps did not solve, side by side
static void help_hard(void *user, int task, int worker)
{
  const gpu_job *j = user;
  rh_lanes_gpu *g = j->g;
  rh_lanes_group group = {.alone = j->b->alone + worker * RH_LANE_CAUSES};
  int width = g->lanes->kernel->width;
  int end = (task + 1) * width < j->hard ? (task + 1) * width : j->hard;
  for (int k = task * width; k < end; k++) {
    int i = g->hard[k];
    store_world(j, i);
    group.sim[group.n] = j->b->sim[i];
    group.status[group.n++] = j->b->status[i];
  }
  (void)rh_step_lanes.step(g->lanes, j->b->scratch + (size_t)worker * j->b->each, &group, 1,
                           j->single);
  for (int k = task * width; k < end; k++) {
    g->world[g->hard[k]].kept = ++g->world[g->hard[k]].done;
    step_until_fit(j, g->hard[k], 0, group.alone);
  }
}

static void take_out(void *user, int task, int worker)
{
  const gpu_job *j = user;
  (void)worker;
  for (int i = j->first + task * WORLDS; i < j->end && i < j->first + (task + 1) * WORLDS; i++) {
    store_world(j, i);
  }
}

static int tasks_of(int n, int each)
{
  return (n + each - 1) / each;
}

// What the GPU did of a round: the steps that it took; in `late` and `hard` the worlds that stopped
static long end_round(gpu_job *j)
{
  rh_lanes_gpu *g = j->g;
  long moved = 0;
  int full = 0;
  j->late = j->hard = 0;
  for (int i = j->first; i < j->end; i++) {
    gpu_world *w = &g->world[i];
    const lane_order *order = &g->orders[i];
    bool stopped = order->steps > 0 && order->taken < order->steps;
    if (order->steps > 0) {
      w->done += order->taken;
      moved += order->taken;
      full += order->full;
    }
    if (*j->b->status[i] != RH_OK || w->done == j->steps || (w->in && !stopped)) {
      continue;
    }
    if (w->in && order->hard) {
      g->hard[j->hard++] = i;
    } else {
      g->late[j->late++] = i;
    }
  }
  if (full * FULL > j->end - j->first) {
    (void)rh_lanes_cuda_widen(g->cuda);
  }
  return moved;
}

// The next round of a part; *more: there is one. False: the GPU failed.
static bool begin_round(gpu_job *j, int part, bool *more)
{
  rh_lanes_gpu *g = j->g;
  *more = false;
  for (int i = j->first; i < j->end; i++) {
    int left = j->steps - g->world[i].done;
    lane_order *order = &g->orders[i];
    order->steps = !g->world[i].in ? 0 : left < ROUND ? left : ROUND;
    order->back = order->steps == left;
    order->taken = 0;
    order->full = order->hard = false;
    *more = *more || order->steps > 0;
  }
  return !*more || rh_lanes_cuda_begin(g->cuda, part, j->first, j->end - j->first);
}

// The GPU failed: all worlds from where the processor knows them
static void step_without(gpu_job *j)
{
  rh_lanes_gpu *g = j->g;
  j->late = 0;
  for (int i = 0; i < j->b->n; i++) {
    gpu_world *w = &g->world[i];
    w->in = false;
    w->done = w->kept;
    for (; *j->b->status[i] == RH_OK && w->done < j->steps; w->kept = ++w->done) {
      *j->b->status[i] = j->single(j->b->sim[i]);
    }
  }
}

// Help, and the next round of a part or its end. False: the GPU failed.
static bool go_on(gpu_job *j, int part, bool *more)
{
  rh_pool_run(j->b->pool, help_worlds, j, tasks_of(j->late, HELPED));
  rh_pool_run(j->b->pool, help_hard, j, tasks_of(j->hard, j->g->lanes->kernel->width));
  if (!begin_round(j, part, more)) {
    return false;
  }
  if (!*more) {
    rh_pool_run(j->b->pool, take_out, j, tasks_of(j->end - j->first, WORLDS));
  }
  return true;
}

static void clear_worlds(rh_lanes_gpu *g)
{
  memset(g->world, 0, (size_t)g->n * sizeof *g->world);
  memset(g->orders, 0, (size_t)g->n * sizeof *g->orders);
}

long rh_lanes_gpu_step(rh_lanes_gpu *g, const rh_lanes_batch *b, int steps,
                       rh_status (*single)(rh_sim *sim))
{
  gpu_job job[LANE_PARTS];
  bool more[LANE_PARTS];
  bool works = true;
  int running = 0;
  long moved = 0;
  clear_worlds(g);
  for (int p = 0; p < LANE_PARTS && works; p++) {
    int first = (int)((long)b->n * p / LANE_PARTS);
    int end = (int)((long)b->n * (p + 1) / LANE_PARTS);
    job[p] =
        (gpu_job){.g = g, .b = b, .steps = steps, .first = first, .end = end, .single = single};
    rh_pool_run(b->pool, bring_in, &job[p], tasks_of(end - first, WORLDS));
    moved += end_round(&job[p]);
    works = go_on(&job[p], p, &more[p]);
    running += more[p];
  }
  for (int p = 0; works && running > 0; p = (p + 1) % LANE_PARTS) {
    if (more[p]) {
      works = rh_lanes_cuda_wait(g->cuda, p);
      if (works) {
        moved += end_round(&job[p]);
        works = go_on(&job[p], p, &more[p]);
        running -= !more[p];
      }
    }
  }
  if (!works) {
    job[0] = (gpu_job){.g = g, .b = b, .steps = steps, .end = b->n, .single = single};
    step_without(&job[0]);
  }
  return moved;
}

// ---- For measurements: the GPU alone

void rh_lanes_gpu_bring(rh_lanes_gpu *g, const rh_lanes_batch *b)
{
  gpu_job job = {.g = g, .b = b, .end = b->n};
  clear_worlds(g);
  rh_pool_run(b->pool, bring_in, &job, tasks_of(b->n, WORLDS));
}

long rh_lanes_gpu_alone(rh_lanes_gpu *g, int n, int steps)
{
  long moved = 0;
  for (int i = 0; i < n; i++) {
    lane_order *order = &g->orders[i];
    order->steps = g->world[i].in ? steps : 0;
    order->back = false;
    order->taken = 0;
  }
  if (rh_lanes_cuda_begin(g->cuda, 0, 0, n) && rh_lanes_cuda_wait(g->cuda, 0)) {
    for (int i = 0; i < n; i++) {
      g->world[i].in = g->world[i].in && g->orders[i].taken == steps;
      moved += g->orders[i].taken;
    }
  }
  return moved;
}

bool rh_lanes_gpu_device(rh_lanes_gpu *g, lane_device *device)
{
  return rh_lanes_cuda_device(g->cuda, device);
}
