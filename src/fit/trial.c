// trial.c: see fit_trial.h. Residuals are (scene - measured) over the deviation of the channel; of a quaternion the
// rotation vector between both [rad], in the places of x, y and z. The first row is where a trial begins: where the start
// follows from it, it gives no residual.
#include "fit_trial.h"

#include <math.h>
#include <string.h>

enum {
  SLOPE_ROWS = 7,
  SLOPE_MOST = 12
}; // first rows from which velocities that were not measured follow

#define SOFT       2.0  // deviations
#define LOCAL_STEP 1e-3 // of the deviation of a start
#define LOOSE      10.0 // a velocity by differences: the prior is wider than its error by this factor

// ---- Starts

static double measured_value(const rh_fit_data *d, int row, int column)
{
  return column != RH_NONE ? d->value[(size_t)row * (size_t)d->nchannel + (size_t)column]
                           : (double)NAN;
}

static int column_at(const rh_fit_map *map, int coordinate)
{
  for (int c = 0; c < map->nchannel; c++) {
    if (map->coordinate[c] == coordinate) {
      return c;
    }
  }
  return RH_NONE;
}

// Coordinates of a joint in a row; false: not all were measured.
static bool read_joint(const rh_fit_data *d, const rh_fit_map *map, const rh_model_body *b, int row,
                       double *q)
{
  bool all = b->joint->nq > 0;
  for (int j = 0; j < b->joint->nq; j++) {
    q[j] = measured_value(d, row, column_at(map, b->qadr + j));
    all = all && isfinite(q[j]);
  }
  if (all && b->joint->unit_length != NULL) {
    b->joint->unit_length(q);
  }
  return all;
}

// Velocities (nv) of a joint from its first rows: the slope at the first of parabolas through the deflections. Returns
// the number of rows.
static int slope_of_joint(const rh_fit_data *d, const rh_fit_map *map, const rh_model_body *b,
                          const rh_fit_trial *trial, double *v)
{
  double q0[RH_LIST_MAX];
  double s[5] = {0};
  double y[RH_LIST_MAX][2];
  int count = 0;
  memset(y, 0, sizeof y);
  if (!read_joint(d, map, b, trial->first, q0)) {
    return 0;
  }
  int rows = trial->smooth > 0 ? trial->smooth - 1 : SLOPE_ROWS;
  rows = rows < SLOPE_MOST ? rows : SLOPE_MOST;
  for (int k = 1; k < trial->n && k <= rows; k++) {
    double q[RH_LIST_MAX];
    double by[RH_LIST_MAX];
    double t = d->t[trial->first + k] - d->t[trial->first];
    if (!read_joint(d, map, b, trial->first + k, q)) {
      continue;
    }
    if (b->joint->delta != NULL) {
      b->joint->delta(q, q0, by);
    } else {
      for (int j = 0; j < b->nv; j++) {
        by[j] = q[j] - q0[j];
      }
    }
    for (int j = 0; j < b->nv; j++) {
      y[j][0] += t * by[j];
      y[j][1] += t * t * by[j];
    }
    s[2] += t * t;
    s[3] += t * t * t;
    s[4] += t * t * t * t;
    count++;
  }
  double det = s[2] * s[4] - s[3] * s[3];
  for (int j = 0; j < b->nv && count > 0; j++) { // by = v t + c t^2
    v[j] = count > 2 && det > 0 ? (y[j][0] * s[4] - y[j][1] * s[3]) / det : y[j][0] / s[2];
  }
  return count;
}

static void set_start_of_joint(const rh_fit_data *d, const rh_fit_map *map, const rh_model_body *b,
                               int nq, const rh_fit_trial *trial, rh_fit_series *s)
{
  double q[RH_LIST_MAX];
  double slope[RH_LIST_MAX];
  bool placed = read_joint(d, map, b, trial->first, q);
  int rows = slope_of_joint(d, map, b, trial, slope);
  double dt = trial->n > 1 ? d->t[trial->first + 1] - d->t[trial->first] : 1;
  if (placed) {
    memcpy(s->start + b->qadr, q, (size_t)b->joint->nq * sizeof *q);
  }
  for (int j = 0; j < b->nv; j++) {
    double given = measured_value(d, trial->first, column_at(map, nq + b->vadr + j));
    int column = column_at(map, b->qadr + (b->nv == b->joint->nq || j < b->nv - 3 ? j : j + 1));
    double noise = column != RH_NONE && d->noise[column] > 0 ? d->noise[column] : 1e-3;
    int speed = column_at(map, nq + b->vadr + j);
    if (placed) {
      s->local[s->nlocal] = b->vadr + j;
      s->deviation[s->nlocal++] = noise;
    }
    if (isfinite(given) || rows > 0) {
      s->start[nq + b->vadr + j] = isfinite(given) ? given : slope[j];
      double fast = LOOSE * noise / (dt * fmax(rows, 1));
      s->local[s->nlocal] = nq + b->vadr + j; // made relative to nv in the caller
      s->deviation[s->nlocal++] = isfinite(given) && d->noise[speed] > 0 ? d->noise[speed] : fast;
    }
  }
}

static int count_residuals(const rh_fit_data *d, const rh_fit_map *map, const rh_fit_trial *trial,
                           bool skip)
{
  int m = 0;
  for (int k = skip ? 1 : 0; k < trial->n; k++) {
    for (int c = 0; c < map->nchannel; c++) {
      m += isfinite(measured_value(d, trial->first + k, c));
    }
  }
  return m;
}

rh_status rh_fit_series_open(const rh_fit_data *data, const rh_fit_map *map,
                             const rh_fit_world *world, const rh_fit_job *job, int trial,
                             rh_fit_series *s)
{
  const rh_model *m = world->model;
  const rh_fit_trial *of = &data->trial[trial];
  size_t state = (size_t)(m->nq + m->nv);
  *s = (rh_fit_series){.nstate = (int)state};
  s->phase = rh_alloc((size_t)of->n + 1);
  if (s->phase == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  bool measured = rh_fit_starts_measured(job);
  s->m = count_residuals(data, map, of, measured);
  if (!measured) {
    return RH_OK;
  }
  rh_data *first = rh_data_create(m);
  s->start = rh_alloc((state + 1) * sizeof *s->start);
  s->now = rh_alloc((2 * (size_t)m->nv + 1) * sizeof *s->now);
  s->deviation = rh_alloc((2 * (size_t)m->nv + 1) * sizeof *s->deviation);
  s->local = rh_alloc((2 * (size_t)m->nv + 1) * sizeof *s->local);
  bool good = first != NULL && s->start != NULL && s->now != NULL && s->deviation != NULL &&
              s->local != NULL;
  if (good) {
    memcpy(s->start, first->q, (size_t)m->nq * sizeof *first->q);
    memcpy(s->start + m->nq, first->v, (size_t)m->nv * sizeof *first->v);
    for (int i = 1; i < m->nbody; i++) {
      rh_fit_start start = rh_fit_start_of(job, m, i);
      int before = s->nlocal;
      if (start != RH_FIT_START_SCENE) {
        set_start_of_joint(data, map, &m->body[i], m->nq, of, s);
      }
      s->nlocal = start == RH_FIT_START_FIT ? s->nlocal : before;
    }
    for (int i = 0; i < s->nlocal; i++) {
      s->local[i] -= s->local[i] >= m->nq ? m->nq - m->nv : 0;
    }
    s->m += s->nlocal;
  }
  rh_data_destroy(first);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}

void rh_fit_series_close(rh_fit_series *s)
{
  rh_free(s->start);
  rh_free(s->now);
  rh_free(s->deviation);
  rh_free(s->local);
  rh_free(s->phase);
}

// ---- Residuals

// Beyond some deviations the square grows as the residual only: 2 c^2 (sqrt(1 + r^2 / c^2) - 1).
static double soften_residual(double r)
{
  double x = r * r / (SOFT * SOFT);
  return copysign(SOFT * sqrt(2 * x / (sqrt(1 + x) + 1)), r);
}

void rh_fit_put_residuals(const rh_fit_task *task, const double *local, const double *value,
                          double *r)
{
  const rh_fit_data *d = task->data;
  const rh_fit_map *map = task->map;
  const rh_fit_trial *trial = &d->trial[task->trial];
  const rh_fit_series *s = task->series;
  size_t width = (size_t)d->nchannel;
  int k = 0;
  for (int row = s->start != NULL ? 1 : 0; row < trial->n; row++) {
    const double *want = d->value + (size_t)(trial->first + row) * width;
    const double *got = value + (size_t)row * width;
    double off[RH_FIT_CHANNELS];
    for (size_t c = 0; c < width; c++) {
      off[c] = got[c] - want[c];
    }
    for (int i = 0; i < map->nturn; i++) {
      const int *c = map->turn[i];
      rh_quat a = rh_quat_unit((rh_quat){got[c[0]], got[c[1]], got[c[2]], got[c[3]]});
      rh_quat b = rh_quat_unit((rh_quat){want[c[0]], want[c[1]], want[c[2]], want[c[3]]});
      rh_vec3 turn = rh_quat_log(rh_quat_mul(a, rh_quat_conj(b)));
      off[c[0]] = isfinite(want[c[0]]) ? 0 : (double)NAN;
      off[c[1]] = turn.x;
      off[c[2]] = turn.y;
      off[c[3]] = turn.z;
    }
    for (size_t c = 0; c < width; c++) {
      if (isfinite(want[c])) {
        double over = off[c] / task->noise[c];
        r[k++] = task->weight * (task->robust ? soften_residual(over) : over);
      }
    }
  }
  for (int i = 0; i < s->nlocal; i++) {
    r[k++] = task->weight * local[i];
  }
}

void rh_fit_move_start(const rh_fit_series *s, const rh_model *m, const double *local,
                       rh_data *scratch, double *state)
{
  memcpy(state, s->start, (size_t)s->nstate * sizeof *state);
  memset(scratch->v, 0, (size_t)m->nv * sizeof *scratch->v);
  for (int i = 0; i < s->nlocal; i++) {
    double by = local[i] * s->deviation[i];
    if (s->local[i] < m->nv) {
      scratch->v[s->local[i]] = by;
    } else {
      state[m->nq + s->local[i] - m->nv] += by;
    }
  }
  rh_coordinates_advance(scratch, 1, state);
}

static bool run_from(const rh_fit_task *task, const rh_fit_world *world, const double *local,
                     double *value, double *r)
{
  const rh_fit_trial *trial = &task->data->trial[task->trial];
  const rh_fit_series *s = task->series;
  double *state = NULL;
  bool good = true;
  if (s->start != NULL) {
    rh_data *scratch = rh_data_create(world->model);
    state = rh_alloc((size_t)s->nstate * sizeof *state);
    if (scratch == NULL || state == NULL) {
      rh_memory_fail();
      good = false;
    } else {
      rh_fit_move_start(s, world->model, local, scratch, state);
    }
    rh_data_destroy(scratch);
  }
  unsigned char *phase = value == s->model ? s->phase : NULL; // threads share no other run of it
  rh_fit_course course = {trial->n, task->data->t + trial->first, state, value, phase};
  good = good && rh_fit_run_trial(world, task->map, &course);
  rh_free(state);
  rh_fit_put_residuals(task, local, value, r);
  return good;
}

// ---- The best start

typedef struct local_problem {
  const rh_fit_task *task;
  const rh_fit_world *world;
  double *value, *side;
  bool good;
} local_problem;

static bool local_residuals(void *user, const double *w, double *r)
{
  local_problem *l = user;
  l->good = run_from(l->task, l->world, w, l->value, r);
  return true;
}

static bool local_slopes(void *user, const double *w, const double *r, double *J)
{
  local_problem *l = user;
  const rh_fit_series *s = l->task->series;
  double at[2 * RH_FIT_STATE];
  const rh_fit_sides none = {.base = l->world};
  (void)r;
  if (rh_fit_trial_integrate(l->task, &none, NULL, 0, J) == RH_SLOPES_EXIST) {
    return true;
  }
  memcpy(at, w, (size_t)s->nlocal * sizeof *w);
  for (int i = 0; i < s->nlocal; i++) {
    double *column = J + (size_t)i * (size_t)s->m;
    at[i] = w[i] + LOCAL_STEP;
    (void)run_from(l->task, l->world, at, l->value, column);
    at[i] = w[i] - LOCAL_STEP;
    (void)run_from(l->task, l->world, at, l->value, l->side);
    at[i] = w[i];
    for (int k = 0; k < s->m; k++) {
      column[k] = (column[k] - l->side[k]) / (2 * LOCAL_STEP);
    }
  }
  return true;
}

static bool find_start(const rh_fit_task *task, const rh_fit_world *world, double *r)
{
  rh_fit_series *s = task->series;
  const rh_fit_trial *trial = &task->data->trial[task->trial];
  size_t m = (size_t)s->m;
  size_t n = (size_t)s->nlocal;
  size_t values = (size_t)trial->n * (size_t)task->data->nchannel;
  double *J = rh_alloc((m * (n + 1) + values + 2 * n) * sizeof *J);
  if (J == NULL) {
    rh_memory_fail();
    return false;
  }
  double *bound = J + m * (n + 1) + values;
  for (size_t i = 0; i < n; i++) {
    bound[i] = -HUGE_VAL;
    bound[n + i] = HUGE_VAL;
  }
  local_problem l = {task, world, J + m * (n + 1), J + m * n, false};
  rh_fit_least least = {.m = s->m,
                        .n = s->nlocal,
                        .user = &l,
                        .residual = local_residuals,
                        .slopes = local_slopes,
                        .lo = bound,
                        .hi = bound + n,
                        .most = 40,
                        .tolerance = 1e-8,
                        .bare = true}; // what is at its end is evaluated below
  rh_fit_found found;
  (void)rh_fit_minimise(&least, s->now, r, J, &found);
  l.good = run_from(task, world, s->now, s->model, r);
  rh_free(J);
  return l.good;
}

bool rh_fit_trial_residuals(const rh_fit_task *task, const rh_fit_world *world, double *r)
{
  rh_fit_series *s = task->series;
  return s->nlocal > 0 ? find_start(task, world, r) : run_from(task, world, s->now, s->model, r);
}

bool rh_fit_trial_slope(const rh_fit_task *task, const rh_fit_world world[2], double step,
                        const double *here, double *column)
{
  const rh_fit_series *s = task->series;
  size_t values = (size_t)task->data->trial[task->trial].n * (size_t)task->data->nchannel;
  double *side = rh_alloc(((size_t)s->m + values + 1) * sizeof *side);
  if (side == NULL) {
    return false;
  }
  (void)run_from(task, &world[0], s->now, side + s->m, column);
  if (here == NULL) {
    (void)run_from(task, &world[1], s->now, side + s->m, side);
  }
  for (int k = 0; k < s->m; k++) {
    column[k] = (column[k] - (here != NULL ? here[k] : side[k])) / step;
  }
  rh_free(side);
  return true;
}

// The columns of A (m x n) become orthonormal, those that depend on others zero (Gram and Schmidt, twice).
static void make_orthonormal(int m, int n, double *A)
{
  for (int i = 0; i < n; i++) {
    double *a = A + (size_t)i * (size_t)m;
    double before = 0;
    double after = 0;
    for (int k = 0; k < m; k++) {
      before += a[k] * a[k];
    }
    for (int pass = 0; pass < 2; pass++) {
      for (int j = 0; j < i; j++) {
        const double *b = A + (size_t)j * (size_t)m;
        double dot = 0;
        for (int k = 0; k < m; k++) {
          dot += a[k] * b[k];
        }
        for (int k = 0; k < m; k++) {
          a[k] -= dot * b[k];
        }
      }
    }
    for (int k = 0; k < m; k++) {
      after += a[k] * a[k];
    }
    double factor = after > 1e-20 * before ? 1 / sqrt(after) : 0;
    for (int k = 0; k < m; k++) {
      a[k] *= factor;
    }
  }
}

void rh_fit_project_out(const rh_fit_series *s, double *A, double *J, size_t stride, int n)
{
  size_t m = (size_t)s->m;
  make_orthonormal(s->m, s->nlocal, A);
  for (int i = 0; i < n; i++) {
    double *column = J + (size_t)i * stride;
    for (int j = 0; j < s->nlocal; j++) {
      const double *a = A + (size_t)j * m;
      double dot = 0;
      for (size_t k = 0; k < m; k++) {
        dot += a[k] * column[k];
      }
      for (size_t k = 0; k < m; k++) {
        column[k] -= dot * a[k];
      }
    }
  }
}

bool rh_fit_trial_project(const rh_fit_task *task, const rh_fit_world *world, double *J,
                          size_t stride, int n)
{
  const rh_fit_series *s = task->series;
  size_t m = (size_t)s->m;
  size_t values = (size_t)task->data->trial[task->trial].n * (size_t)task->data->nchannel;
  double *A = rh_alloc((m * ((size_t)s->nlocal + 1) + values + 1) * sizeof *A);
  if (A == NULL) {
    return false;
  }
  double *side = A + m * (size_t)s->nlocal;
  local_problem l = {task, world, side + m, side, false};
  (void)local_slopes(&l, s->now, NULL, A);
  rh_fit_project_out(s, A, J, stride, n);
  rh_free(A);
  return true;
}
