// batch.c: many worlds of one layout in one block of memory, one task per world. A task writes its
// own world and its own rows of the results only, so that no bit depends on the threads. Where the engine has
// lanes for the model, a task is a group of worlds that are stepped side by side.
#include "batch_side.h"

#include "base/pool.h"

#include <string.h>

// ---- Creation

static rh_status fill_batch(rh_batch *b, int threads, rh_diag *diag)
{
  size_t n = (size_t)b->n;
  b->pool = rh_pool_create(threads);
  b->world = rh_alloc(n * sizeof *b->world);
  b->rows = rh_alloc(n * b->stride * sizeof *b->rows);
  b->copies = rh_alloc(n * b->ncopy * sizeof *b->copies);
  if (!b->pool || !b->world || !b->rows || !b->copies) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory for %d worlds", b->n);
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < b->n; i++) {
    b->world[i].row = b->rows + (size_t)i * b->stride;
    b->world[i].copy = b->copies + (size_t)i * b->ncopy;
    RH_TRY(rh_sim_create_in(b->model, b->world[i].row, diag, &b->world[i].sim));
    rh_sim_keep_changes(b->world[i].sim, b->world[i].copy);
  }
  if (rh_side_make(b, RH_LANES_MAX, &b->side) != RH_OK) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory for %d worlds", b->n);
    return RH_OUT_OF_MEMORY;
  }
  return RH_OK;
}

rh_status rh_batch_create(const rh_model *model, int n, int threads, rh_diag *diag, rh_batch **out)
{
  *out = NULL;
  if (n < 1 || n > RH_BATCH_MAX || threads < 1 || threads > RH_BATCH_THREADS_MAX) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "a batch has 1 to %d worlds and 1 to %d threads, got %d and %d", RH_BATCH_MAX,
                RH_BATCH_THREADS_MAX, n, threads);
    return RH_WRONG_USAGE;
  }
  rh_batch *b = rh_alloc(sizeof *b);
  if (!b) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory");
    return RH_OUT_OF_MEMORY;
  }
  b->model = model;
  b->n = n;
  b->stride = (rh_data_row(model) + 7) / 8 * 8; // whole cache lines
  b->ncopy = rh_sim_changes_size(model);
  rh_status status = fill_batch(b, threads, diag);
  if (status != RH_OK) {
    rh_batch_destroy(b);
    return status;
  }
  *out = b;
  return RH_OK;
}

static void drop_mirrors(rh_batch *b)
{
  for (int i = 0; i < RH_POOL_MAX; i++) {
    rh_data_destroy(b->mirror[i]);
    b->mirror[i] = NULL;
  }
}

void rh_batch_destroy(rh_batch *b)
{
  if (!b) {
    return;
  }
  for (int i = 0; b->world && i < b->n; i++) {
    rh_sim_destroy(b->world[i].sim);
  }
  drop_mirrors(b);
  rh_side_drop(&b->side);
  rh_pool_destroy(b->pool);
  rh_free(b->world);
  rh_free(b->rows);
  rh_free(b->copies);
  rh_free(b);
}

rh_status rh_batch_set_threads(rh_batch *b, int threads, bool forked)
{
  if (threads < 1 || threads > RH_BATCH_THREADS_MAX) {
    return RH_WRONG_USAGE;
  }
  rh_pool *pool = rh_pool_create(threads);
  if (!pool || rh_side_scratch(&b->side, rh_pool_threads(pool)) != RH_OK) {
    rh_pool_destroy(pool);
    return RH_OUT_OF_MEMORY;
  }
  if (!forked) {
    rh_pool_destroy(b->pool);
  }
  b->pool = pool;
  return RH_OK;
}

// ---- Access

int rh_batch_count(const rh_batch *b)
{
  return b->n;
}

int rh_batch_threads(const rh_batch *b)
{
  return rh_pool_threads(b->pool);
}

double *rh_batch_rows(rh_batch *b)
{
  return b->rows;
}

size_t rh_batch_stride(const rh_batch *b)
{
  return b->stride;
}

rh_sim *rh_batch_sim(rh_batch *b, int i)
{
  RH_ASSERT(i >= 0 && i < b->n);
  batch_world *w = &b->world[i];
  if (b->side.lanes && !w->shown) {
    w->shown = true;
    b->side.kind->refresh(w->sim);
  }
  return w->sim;
}

rh_status rh_batch_status(const rh_batch *b, int i)
{
  RH_ASSERT(i >= 0 && i < b->n);
  return b->world[i].status;
}

const char *rh_batch_reason(const rh_batch *b, int i)
{
  RH_ASSERT(i >= 0 && i < b->n);
  const batch_world *w = &b->world[i];
  return w->refused[0] != '\0' ? w->refused : rh_sim_reason(w->sim);
}

// ---- Resets and other models

// The row keeps its place: the new simulation is made in it after the old one is gone.
static rh_status reset_world(rh_batch *b, batch_world *w, const double *start)
{
  const rh_model *model = w->sim->model;
  rh_sim *fresh = NULL;
  RH_TRY(rh_sim_create_in(model, w->row, NULL, &fresh)); // also writes the initial state
  rh_sim_observe(fresh, &w->sim->observer);
  rh_sim_control(fresh, w->sim->data->control.program, w->sim->data->control.program_user);
  rh_sim_destroy(w->sim);
  w->sim = fresh;
  w->shown = false;
  w->status = RH_OK;
  w->refused[0] = '\0';
  rh_sim_keep_changes(w->sim, w->copy);
  if (start) {
    memcpy(w->sim->data->q, start, ((size_t)b->model->nq + (size_t)b->model->nv) * sizeof *start);
    w->status = rh_world_take_changes(w);
    rh_sim_keep_changes(w->sim, w->copy);
  }
  return RH_OK;
}

rh_status rh_batch_reset(rh_batch *b, const unsigned char *which, const double *start)
{
  size_t each = (size_t)b->model->nq + (size_t)b->model->nv;
  for (int i = 0; i < b->n; i++) {
    if (!which || which[i]) {
      RH_TRY(reset_world(b, &b->world[i], start ? start + (size_t)i * each : NULL));
    }
  }
  return RH_OK;
}

rh_status rh_batch_set_model(rh_batch *b, int i, const rh_model *model, rh_diag *diag)
{
  RH_ASSERT(i >= 0 && i < b->n);
  batch_world *w = &b->world[i];
  RH_TRY(rh_sim_check_changes(w->sim, w->copy, diag));
  RH_TRY(rh_sim_replace_model_in(&w->sim, model, w->row, diag));
  rh_sim_keep_changes(w->sim, w->copy);
  return RH_OK;
}

// ---- Steps

static int count_failed(const rh_batch *b)
{
  int failed = 0;
  for (int i = 0; i < b->n; i++) {
    failed += b->world[i].status != RH_OK;
  }
  return failed;
}

static void step_world(batch_world *w, int steps)
{
  if (w->status != RH_OK && w->refused[0] == '\0') {
    return; // a run that failed
  }
  w->status = rh_world_take_changes(w);
  for (int k = 0; k < steps && w->status == RH_OK; k++) {
    w->status = rh_sim_step(w->sim);
  }
  if (w->refused[0] == '\0') {
    rh_sim_keep_changes(w->sim, w->copy);
  }
}

typedef struct step_job {
  rh_batch *batch;
  int steps;
  const rh_rollout *rollout;
} step_job;

// ---- Steps one by one

static void step_task(void *user, int task, int worker)
{
  const step_job *job = user;
  (void)worker;
  step_world(&job->batch->world[task], job->steps);
}

int rh_batch_step(rh_batch *b, int steps)
{
  if (b->side.lanes) {
    rh_side_step(b, steps);
    return count_failed(b);
  }
  step_job job = {.batch = b, .steps = steps};
  rh_pool_run(b->pool, step_task, &job, b->n);
  return count_failed(b);
}

// ---- Rollouts

static void set_efforts(batch_world *w, const double *control)
{
  const rh_model *m = w->sim->model;
  for (int i = 0; i < m->nactuator; i++) {
    w->sim->data->command[i].effort = control[i];
  }
}

static void read_channels(const rh_rollout *r, const batch_world *w, rh_data *mirror, double *value)
{
  const rh_data *d = w->sim->data;
  const rh_model *m = d->model;
  mirror->model = m; // before every read: the model of the last one may be gone
  memcpy(mirror->state, d->state, (size_t)m->layout.nstate * sizeof *d->state);
  memcpy(mirror->tau, d->tau, (size_t)m->nv * sizeof *d->tau);
  memcpy(mirror->fext, d->fext, (size_t)m->nbody * sizeof *d->fext);
  rh_channels_read(r->channels, mirror, r->channel, r->nchannel, value);
}

typedef struct decision { // of a rollout
  rh_batch *batch;
  const rh_rollout *rollout;
  int index;
} decision;

static void rollout_task(void *user, int task, int worker)
{
  const step_job *job = user;
  const rh_rollout *r = job->rollout;
  rh_batch *b = job->batch;
  batch_world *w = &b->world[task];
  size_t each = (size_t)b->model->nq + (size_t)b->model->nv;
  size_t whole = (size_t)(r->whole > 0 ? r->whole : r->horizon);
  for (int k = 0; k < r->horizon; k++) {
    size_t at = (size_t)task * whole + (size_t)k;
    if (r->control) {
      set_efforts(w, r->control + at * (size_t)b->model->nactuator);
    }
    step_world(w, r->steps);
    if (r->state) {
      memcpy(r->state + at * each, w->sim->data->q, each * sizeof *r->state);
    }
    if (r->channels) {
      read_channels(r, w, b->mirror[worker], r->value + at * (size_t)r->nchannel);
    }
  }
}

static void read_task(void *user, int task, int worker)
{
  const decision *x = user;
  const rh_rollout *r = x->rollout;
  batch_world *w = &x->batch->world[task];
  size_t each = (size_t)x->batch->model->nq + (size_t)x->batch->model->nv;
  size_t whole = (size_t)(r->whole > 0 ? r->whole : r->horizon);
  size_t at = (size_t)task * whole + (size_t)x->index;
  if (r->state) {
    memcpy(r->state + at * each, w->sim->data->q, each * sizeof *r->state);
  }
  if (r->channels) {
    read_channels(r, w, x->batch->mirror[worker], r->value + at * (size_t)r->nchannel);
  }
}

// Decision by decision, all worlds
static void roll_side_by_side(rh_batch *b, const rh_rollout *r)
{
  size_t whole = (size_t)(r->whole > 0 ? r->whole : r->horizon);
  for (int k = 0; k < r->horizon; k++) {
    decision x = {b, r, k};
    for (int i = 0; r->control && i < b->n; i++) {
      size_t at = (size_t)i * whole + (size_t)k;
      set_efforts(&b->world[i], r->control + at * (size_t)b->model->nactuator);
    }
    rh_side_step(b, r->steps);
    rh_pool_run(b->pool, read_task, &x, b->n);
  }
}

int rh_batch_rollout(rh_batch *b, const rh_rollout *rollout)
{
  for (int i = 0; rollout->channels && i < rh_pool_threads(b->pool); i++) {
    b->mirror[i] = b->mirror[i] ? b->mirror[i] : rh_data_create(b->model);
    if (!b->mirror[i]) {
      return RH_NONE;
    }
  }
  if (b->side.lanes) {
    roll_side_by_side(b, rollout);
    return count_failed(b);
  }
  step_job job = {.batch = b, .steps = rollout->steps, .rollout = rollout};
  rh_pool_run(b->pool, rollout_task, &job, b->n);
  return count_failed(b);
}
