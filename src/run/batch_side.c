// Worlds of a batch side by side: groups in lanes of the processor, or all of them on a GPU. Groups are made of worlds with
// contacts of the same shapes; no bit depends on them.
#include "batch_side.h"

#include "base/carve.h"
#include "base/sort.h"

#include <stdio.h>

void rh_side_drop(batch_side *s)
{
  if (s->gpu) {
    s->kind->close_gpu(s->gpu);
  }
  if (s->lanes) {
    s->kind->destroy(s->lanes);
  }
  rh_free(s->sim);
  rh_free(s->status);
  rh_free(s->scratch);
  rh_free(s->likeness);
  rh_free(s->order);
  rh_free(s->room);
  rh_free(s->moved);
  rh_free(s->alone);
  *s = (batch_side){0};
}

// Scratch for as many threads as the pool has
rh_status rh_side_scratch(batch_side *s, int threads)
{
  char *scratch = s->lanes ? rh_alloc((size_t)threads * s->each) : NULL;
  if (s->lanes && !scratch) {
    return RH_OUT_OF_MEMORY;
  }
  rh_free(s->scratch);
  s->scratch = scratch;
  return RH_OK;
}

// At most `widest` worlds side by side; no lanes where the engine has none for this model
rh_status rh_side_make(const rh_batch *b, int widest, batch_side *s)
{
  size_t n = (size_t)b->n;
  int like = 0; // a world with the model of the batch
  while (like < b->n && b->world[like].sim->model != b->model) {
    like++;
  }
  *s = (batch_side){.kind = b->model->run.engine->lanes};
  if (!s->kind || like == b->n) {
    s->why = s->kind ? "worlds with values of their own" : "engines other than stepping";
    return RH_OK;
  }
  RH_TRY(s->kind->create(b->world[like].sim, widest, &s->lanes, &s->why));
  if (!s->lanes) {
    return RH_OK;
  }
  s->each = (s->kind->scratch(s->lanes) + RH_CACHE_LINE - 1) / RH_CACHE_LINE * RH_CACHE_LINE;
  s->likeness = rh_alloc(n * sizeof *s->likeness);
  s->order = rh_alloc(n * sizeof *s->order);
  s->room = rh_alloc(n * sizeof *s->room);
  s->moved = rh_alloc(RH_POOL_MAX * sizeof *s->moved);
  s->alone = rh_alloc(RH_POOL_MAX * RH_LANE_CAUSES * sizeof *s->alone);
  bool made = s->likeness && s->order && s->room && s->moved && s->alone &&
              rh_side_scratch(s, rh_pool_threads(b->pool)) == RH_OK;
  if (!made) {
    rh_side_drop(s);
  }
  return made ? RH_OK : RH_OUT_OF_MEMORY;
}

rh_status rh_world_take_changes(batch_world *w)
{
  rh_status status = rh_sim_take_changes(w->sim, w->copy, NULL);
  w->refused[0] = '\0';
  if (status != RH_OK) {
    (void)snprintf(w->refused, sizeof w->refused,
                   "a number of q, v, command, tau or fext is not finite");
  }
  return status;
}

// ---- Access

int rh_batch_lanes(const rh_batch *b)
{
  return b->side.lanes ? b->side.kind->width(b->side.lanes) : 0;
}

const char *rh_batch_lanes_reason(const rh_batch *b)
{
  return b->side.lanes ? "" : b->side.why;
}

double rh_batch_alone_steps(const rh_batch *b, rh_lane_cause cause)
{
  double sum = 0;
  for (int k = 0; b->side.lanes && k < RH_POOL_MAX; k++) {
    sum += (double)b->side.alone[k * RH_LANE_CAUSES + (int)cause];
  }
  return sum;
}

const char *rh_lane_cause_name(rh_lane_cause cause)
{
  static const char *const name[RH_LANE_CAUSES] = {"outside", "frame",  "impact",  "turn",
                                                   "solver",  "energy", "features"};
  return (int)cause >= 0 && cause < RH_LANE_CAUSES ? name[cause] : "";
}

static void finish_shown(rh_batch *b)
{
  for (int i = 0; i < b->n;
       i++) { // without lanes a world's results are always those of its last step
    if (b->side.lanes && !b->world[i].shown) {
      b->side.kind->refresh(b->world[i].sim);
    }
  }
}

rh_status rh_batch_set_lanes(rh_batch *b, int widest)
{
  batch_side side;
  if (widest < 0) {
    return RH_WRONG_USAGE;
  }
  RH_TRY(rh_side_make(b, widest, &side));
  if (!side.lanes) {
    finish_shown(b);
  }
  rh_side_drop(&b->side);
  b->side = side;
  return RH_OK;
}

double rh_batch_lane_steps(const rh_batch *b)
{
  double sum = 0;
  for (int k = 0; b->side.lanes && k < RH_POOL_MAX; k++) {
    sum += (double)b->side.moved[k];
  }
  return sum;
}

// ---- Steps of groups, side by side

typedef struct side_job {
  rh_batch *batch;
  int steps;
} side_job;

enum { CHUNK = 16 }; // steps after which worlds are grouped anew

static bool is_before(const void *items, int i, int j)
{
  const uint64_t *likeness = items;
  return likeness[i] < likeness[j];
}

// Worlds with the batch's model that have not failed, those that are alike one after the other
static void order_worlds(rh_batch *b)
{
  batch_side *s = &b->side;
  s->n = 0;
  for (int i = 0; i < b->n; i++) {
    if (b->world[i].status == RH_OK && b->world[i].sim->model == b->model) {
      s->likeness[i] = s->kind->likeness(s->lanes, b->world[i].sim);
      s->order[s->n++] = i;
    }
  }
  rh_sort_order(s->order, s->n, s->room, is_before, s->likeness);
}

static void step_group(void *user, int task, int worker)
{
  const side_job *job = user;
  rh_batch *b = job->batch;
  batch_side *s = &b->side;
  rh_lanes_group g = {.alone = s->alone + worker * RH_LANE_CAUSES};
  int width = s->kind->width(s->lanes);
  for (int k = task * width; k < s->n && k < (task + 1) * width; k++) {
    batch_world *w = &b->world[s->order[k]];
    g.sim[g.n] = w->sim;
    g.status[g.n++] = &w->status;
  }
  s->moved[worker] +=
      s->kind->step(s->lanes, s->scratch + (size_t)worker * s->each, &g, job->steps, rh_sim_step);
}

static void begin_task(void *user, int task, int worker)
{
  const side_job *job = user;
  batch_world *w = &job->batch->world[task];
  (void)worker;
  if (w->status == RH_OK || w->refused[0] != '\0') {
    w->status = rh_world_take_changes(w);
  }
}

// The others, one by one; then what a program may read.
static void end_task(void *user, int task, int worker)
{
  const side_job *job = user;
  batch_world *w = &job->batch->world[task];
  if (w->sim->model != job->batch->model) {
    for (int k = 0; k < job->steps && w->status == RH_OK; k++) {
      job->batch->side.alone[worker * RH_LANE_CAUSES + RH_LANE_OUTSIDE]++;
      w->status = rh_sim_step(w->sim);
    }
  } else if (w->shown) {
    job->batch->side.kind->refresh(w->sim);
  }
  if (w->refused[0] == '\0') {
    rh_sim_keep_changes(w->sim, w->copy);
  }
}

// All worlds in the order of the batch: those that take long are then spread over the GPU.
static void step_on_gpu(rh_batch *b, int steps)
{
  batch_side *s = &b->side;
  rh_lanes_batch all = {s->sim, s->status, 0, b->pool, s->scratch, s->each, s->alone};
  for (int i = 0; i < b->n; i++) {
    batch_world *w = &b->world[i];
    if (w->status == RH_OK && w->sim->model == b->model) {
      s->sim[all.n] = w->sim;
      s->status[all.n++] = &w->status;
    }
  }
  s->moved[0] += s->kind->step_gpu(s->gpu, &all, steps, rh_sim_step);
}

static void step_in_groups(rh_batch *b, int steps)
{
  int width = b->side.kind->width(b->side.lanes);
  for (int done = 0; done < steps; done += CHUNK) {
    side_job job = {b, steps - done < CHUNK ? steps - done : CHUNK};
    order_worlds(b);
    rh_pool_run(b->pool, step_group, &job, (b->side.n + width - 1) / width);
  }
}

void rh_side_step(rh_batch *b, int steps)
{
  side_job job = {b, steps};
  rh_pool_run(b->pool, begin_task, &job, b->n);
  if (b->side.gpu) {
    step_on_gpu(b, steps);
  } else {
    step_in_groups(b, steps);
  }
  rh_pool_run(b->pool, end_task, &job, b->n);
}

// ---- A GPU

rh_status rh_batch_set_gpu(rh_batch *b, bool on)
{
  batch_side *s = &b->side;
  size_t n = (size_t)b->n;
  if (s->gpu) {
    s->kind->close_gpu(s->gpu);
    s->gpu = NULL;
  }
  if (!on) {
    return RH_OK;
  }
  if (!s->lanes || !s->kind->open_gpu) {
    return RH_WRONG_USAGE;
  }
  s->sim = s->sim ? s->sim : rh_alloc(n * sizeof *s->sim);
  s->status = s->status ? s->status : rh_alloc(n * sizeof *s->status);
  if (!s->sim || !s->status) {
    return RH_OUT_OF_MEMORY;
  }
  s->gpu = s->kind->open_gpu(s->lanes, b->n);
  return s->gpu ? RH_OK : RH_WRONG_USAGE;
}

bool rh_batch_gpu(const rh_batch *b)
{
  return b->side.gpu != NULL;
}
