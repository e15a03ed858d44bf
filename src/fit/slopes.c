// slopes.c: the slopes of the residuals of a trial, integrated along one run of it (event/slopes) in the place of two runs
// for each value. The start that is found too has its columns in the same run.
#include "fit_trial.h"

#include <string.h>

// Of coordinates and velocities: rounding of states of size 1 over it is 1e-8, and the second power is below rounding.
static const double START_STEP = 3e-8;

typedef struct
    beside { // simulations beside the run, in the order of the columns: values, then the start
  const rh_fit_task *task;
  const rh_fit_sides *sides;
  int n; // columns
  rh_sim *base, *twin;
  rh_sim **moved; // (2 n) more, less
  double *step;   // (n) from the middle
  double *value;  // (2 n x rows x channels)
  double *local;  // (nlocal) start of one of them
  double *state;  // (nstate)
  rh_data *scratch;
  rh_slopes *slopes;
} beside;

static const rh_fit_world *world_of(const beside *b, int side)
{
  return side < 2 * b->sides->n ? &b->sides->moved[side] : b->sides->base;
}

static bool make_room(beside *b)
{
  const rh_fit_series *s = b->task->series;
  size_t n = (size_t)b->n;
  size_t rows = (size_t)b->task->data->trial[b->task->trial].n;
  size_t values = rows * (size_t)b->task->data->nchannel;
  b->moved = rh_alloc((2 * n + 1) * sizeof *b->moved);
  b->step = rh_alloc((n + (size_t)s->nlocal + (size_t)s->nstate + 1) * sizeof *b->step);
  b->value = rh_alloc((2 * n * values + 1) * sizeof *b->value);
  b->scratch = rh_data_create(b->sides->base->model);
  if (b->moved == NULL || b->step == NULL || b->value == NULL || b->scratch == NULL) {
    return false;
  }
  b->local = b->step + n;
  b->state = b->local + s->nlocal;
  return true;
}

// `local` from the measured start, if it is not the scene's own
static rh_sim *make_sim(const beside *b, const rh_model *model, const double *local)
{
  const rh_fit_series *s = b->task->series;
  rh_sim *sim = NULL;
  if (rh_sim_create(model, NULL, &sim) == RH_OK && s->start != NULL) {
    rh_data *d = rh_sim_data(sim);
    rh_fit_move_start(s, model, local, b->scratch, b->state);
    memcpy(d->q, b->state, (size_t)model->nq * sizeof *d->q);
    memcpy(d->v, b->state + model->nq, (size_t)model->nv * sizeof *d->v);
    rh_sim_state_changed(sim);
  }
  return sim;
}

// The start of one side: that in force, or beside it for a column of the start
static const double *local_of(const beside *b, int side)
{
  const rh_fit_series *s = b->task->series;
  int column = side / 2 - b->sides->n;
  if (s->nlocal > 0) {
    memcpy(b->local, s->now, (size_t)s->nlocal * sizeof *b->local);
  }
  if (column >= 0) {
    b->local[column] += side % 2 == 0 ? b->step[side / 2] : -b->step[side / 2];
  }
  return b->local;
}

static bool make_sims(beside *b)
{
  const rh_fit_series *s = b->task->series;
  for (int i = 0; i < b->n; i++) {
    bool value = i < b->sides->n;
    b->step[i] = value ? 0.5 * b->sides->step[i] : START_STEP / s->deviation[i - b->sides->n];
  }
  const rh_model *model = b->sides->base->model;
  b->base = make_sim(b, model, s->now);
  b->twin = make_sim(b, model, s->now);
  bool good = b->base != NULL && b->twin != NULL;
  for (int i = 0; i < 2 * b->n && good; i++) {
    b->moved[i] = make_sim(b, world_of(b, i)->model, local_of(b, i));
    good = b->moved[i] != NULL;
  }
  return good;
}

static bool begin_run(rh_sim *sim)
{
  return rh_sim_run(sim, *rh_sim_view(sim)->t) == RH_OK;
}

static bool begin_all(beside *b)
{
  bool good = begin_run(b->base) && begin_run(b->twin);
  for (int i = 0; i < 2 * b->n && good; i++) {
    good = begin_run(b->moved[i]);
  }
  return good;
}

static void close_beside(beside *b)
{
  rh_slopes_close(b->slopes);
  for (int i = 0; b->moved != NULL && i < 2 * b->n; i++) {
    rh_sim_destroy(b->moved[i]);
  }
  rh_sim_destroy(b->base);
  rh_sim_destroy(b->twin);
  rh_data_destroy(b->scratch);
  rh_free(b->moved);
  rh_free(b->step);
  rh_free(b->value);
}

// Coordinates and velocities are read as they are: other channels need the stages of the world.
static bool read_state(const rh_fit_map *map, const rh_data *d, double *value)
{
  const rh_model *m = d->model;
  for (int c = 0; c < map->nchannel; c++) {
    int k = map->coordinate[c];
    if (k == RH_NONE) {
      return false;
    }
    value[c] = k < m->nq ? d->q[k] : d->v[k - m->nq];
  }
  return true;
}

static bool read_row(beside *b, int row)
{
  const rh_fit_map *map = b->task->map;
  size_t width = (size_t)map->nchannel;
  size_t values = (size_t)b->task->data->trial[b->task->trial].n * width;
  if (!rh_slopes_at(b->slopes)) {
    return false;
  }
  for (int i = 0; i < 2 * b->n; i++) {
    double *value = b->value + (size_t)i * values + (size_t)row * width;
    if (!read_state(map, rh_sim_view(b->moved[i]), value)) {
      rh_channels_read(world_of(b, i)->channels, rh_sim_data(b->moved[i]), map->channel,
                       map->nchannel, value);
    }
  }
  return true;
}

static rh_slopes_why run_rows(beside *b)
{
  const rh_fit_trial *trial = &b->task->data->trial[b->task->trial];
  const double *t = b->task->data->t + trial->first;
  double origin = b->task->series->start != NULL ? t[0] : 0;
  for (int row = 0; row < trial->n; row++) {
    double at = t[row] - origin;
    if (*rh_sim_view(b->base)->t < at && rh_sim_run(b->base, at) != RH_OK) {
      return RH_SLOPES_FAILED;
    }
    if (!read_row(b, row)) {
      return rh_slopes_reason(b->slopes);
    }
  }
  return RH_SLOPES_EXIST;
}

// Columns of the values, then of the start
static void put_columns(const beside *b, double *J, size_t stride, double *A, double *side)
{
  const rh_fit_series *s = b->task->series;
  size_t values = (size_t)b->task->data->trial[b->task->trial].n * (size_t)b->task->data->nchannel;
  for (int i = 0; i < b->n; i++) {
    int own = i - b->sides->n;
    double *column = own < 0 ? J + (size_t)i * stride : A + (size_t)own * (size_t)s->m;
    const double *value = b->value + 2 * (size_t)i * values;
    rh_fit_put_residuals(b->task, local_of(b, 2 * i), value, column);
    rh_fit_put_residuals(b->task, local_of(b, 2 * i + 1), value + values, side);
    for (int k = 0; k < s->m; k++) {
      column[k] = (column[k] - side[k]) / (2 * b->step[i]);
    }
  }
}

static rh_slopes_why integrate_columns(beside *b, double *J, size_t stride, double *A)
{
  if (!make_room(b) || !make_sims(b)) {
    rh_memory_fail();
    return RH_SLOPES_FAILED;
  }
  if (!begin_all(b)) {
    return RH_SLOPES_FAILED;
  }
  const rh_slopes_job job = {b->base, b->twin, b->moved, b->step, b->n};
  rh_status status = rh_slopes_open(&job, &b->slopes);
  if (status != RH_OK) {
    if (status == RH_OUT_OF_MEMORY) {
      rh_memory_fail();
    }
    return RH_SLOPES_FAILED;
  }
  rh_slopes_why why = run_rows(b);
  double *side =
      why == RH_SLOPES_EXIST ? rh_alloc(((size_t)b->task->series->m + 1) * sizeof *side) : NULL;
  if (side != NULL) {
    put_columns(b, J, stride, A, side);
  } else if (why == RH_SLOPES_EXIST) {
    rh_memory_fail();
    why = RH_SLOPES_FAILED;
  }
  rh_free(side);
  return why;
}

rh_slopes_why rh_fit_trial_integrate(const rh_fit_task *task, const rh_fit_sides *sides, double *J,
                                     size_t stride, double *A)
{
  beside b = {.task = task, .sides = sides};
  b.n = sides->n + (A != NULL ? task->series->nlocal : 0);
  if (!task->integrate || !rh_slopes_suit(sides->base->model)) {
    return RH_SLOPES_SCENE;
  }
  rh_slopes_why why = integrate_columns(&b, J, stride, A);
  close_beside(&b);
  return why;
}
