// problem.c: the residuals of all trials, and their slopes by the free values. Threads share out the trials; what a trial
// gives does not depend on the thread. The start of a trial that is found too is eliminated: at any values it is the best
// one, and the slopes have no part along those of the start (L. Kaufman, "A variable projection method for solving
// separable nonlinear least squares problems", BIT 15, 1975).
#include "fit_problem.h"

#include "fit_belief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Open and close

static void set_bounds(rh_fit_problem *p)
{
  for (int i = 0; i < p->nvalue; i++) {
    const rh_fit_value *v = &p->value[i];
    p->lo[i] = v->bounded ? rh_fit_to_search(v, v->lo) : -HUGE_VAL;
    p->hi[i] = v->bounded ? rh_fit_to_search(v, v->hi) : HUGE_VAL;
    p->begin[i] = rh_fit_to_search(v, v->start);
  }
}

static rh_status lay_out_series(rh_fit_problem *p, const rh_fit_job *job, const rh_fit_world *world)
{
  const rh_fit_data *d = p->data;
  size_t trials = (size_t)d->ntrial;
  size_t rows = 0;
  p->nseries = d->ntrial;
  p->robust = job->robust;
  p->integrate = !job->differences;
  p->series = rh_alloc(trials * sizeof *p->series);
  p->weight = rh_alloc(trials * sizeof *p->weight);
  p->good = rh_alloc(trials * sizeof *p->good);
  p->way = rh_alloc(trials * sizeof *p->way);
  if (p->series == NULL || p->weight == NULL || p->good == NULL || p->way == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < trials; i++) {
    rh_fit_series *s = &p->series[i];
    p->weight[i] = 1;
    RH_TRY(rh_fit_series_open(d, &p->map, world, job, (int)i, s));
    p->starts = p->starts || s->nlocal > 0;
    s->first_row = rows;
    s->first = p->m;
    p->m += s->m;
    rows += (size_t)d->trial[i].n;
  }
  p->m += p->nvalue; // the tethers
  p->model = rh_alloc((rows * (size_t)d->nchannel + 1) * sizeof *p->model);
  if (p->model == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < trials; i++) {
    p->series[i].model = p->model + p->series[i].first_row * (size_t)d->nchannel;
  }
  return RH_OK;
}

// An inertia that is free as a whole has six.
static rh_status read_values(const rh_fit_job *job, rh_fit_problem *p)
{
  for (int i = 0; i < job->free.n; i++) {
    rh_fit_value value;
    RH_TRY(rh_fit_read_value(job->free.word[i], &value));
    int n = rh_fit_is_inertia(&value) ? RH_FIT_FACTORS : 1;
    for (int k = 0; k < p->nvalue; k++) {
      if ((n > 1 || p->value[k].factor > 0) && strcmp(p->value[k].path, value.path) == 0) {
        return rh_refuse(RH_WRONG_USAGE,
                         "fit: --free %s: the inertia is free as a whole already, "
                         "or one of its numbers is",
                         value.name);
      }
    }
    if (p->nvalue + n > RH_FIT_VALUES) {
      return rh_refuse(RH_WRONG_USAGE, "fit: at most %d values can be free", RH_FIT_VALUES);
    }
    p->value[p->nvalue] = value;
    if (n > 1) {
      RH_TRY(rh_fit_split_inertia(&value, &p->value[p->nvalue]));
    }
    p->nvalue += n;
  }
  return RH_OK;
}

// ---- The journal

uint64_t rh_fit_sum_of(const rh_fit_problem *p)
{
  const rh_fit_data *d = p->data;
  const rh_request *request = p->scene.request;
  const int number[] = {p->m,    p->nvalue, d->ntrial, d->nchannel,
                        d->nrow, p->starts, p->robust, p->integrate};
  uint64_t hash = rh_fit_hash(0, RH_VERSION, strlen(RH_VERSION));
  hash = rh_fit_hash(hash, p->scene.text, p->scene.bytes);
  hash = rh_fit_hash(hash, &p->scene.sum, sizeof p->scene.sum);
  for (int i = 0; i < request->nset; i++) {
    hash = rh_fit_hash(hash, request->set[i], strlen(request->set[i]) + 1);
  }
  for (int i = 0; i < p->nvalue; i++) {
    hash = rh_fit_hash(hash, p->value[i].name, strlen(p->value[i].name) + 1);
  }
  for (int i = 0; i < d->nchannel; i++) {
    hash = rh_fit_hash(hash, d->channel[i], strlen(d->channel[i]) + 1);
  }
  for (int i = 0; i < d->ntrial; i++) {
    const int window[] = {d->trial[i].n, d->trial[i].first, d->trial[i].smooth, d->trial[i].from};
    hash = rh_fit_hash(hash, window, sizeof window);
  }
  hash = rh_fit_hash(hash, number, sizeof number);
  hash = rh_fit_hash(hash, p->lo, (size_t)p->nvalue * sizeof *p->lo);
  hash = rh_fit_hash(hash, p->hi, (size_t)p->nvalue * sizeof *p->hi);
  hash = rh_fit_hash(hash, p->begin, (size_t)p->nvalue * sizeof *p->begin);
  hash = rh_fit_hash(hash, d->noise, (size_t)d->nchannel * sizeof *d->noise);
  hash = rh_fit_hash(hash, d->t, (size_t)d->nrow * sizeof *d->t);
  return rh_fit_hash(hash, d->value, (size_t)d->nrow * (size_t)d->nchannel * sizeof *d->value);
}

static rh_status begin_journal(rh_fit_problem *p)
{
  p->nkept = 1;
  for (int i = 0; i < p->nseries; i++) {
    p->nkept += p->series[i].nlocal;
  }
  p->kept = rh_alloc((size_t)(p->nkept + 3 + RH_FIT_VALUES) * sizeof *p->kept);
  return p->kept != NULL ? rh_fit_journal_begin(p->journal, rh_fit_sum_of(p)) : RH_OUT_OF_MEMORY;
}

rh_status rh_fit_keep_in(rh_fit_problem *p, rh_fit_journal *journal)
{
  p->journal = journal;
  return rh_fit_journal_begin(journal, rh_fit_sum_of(p));
}

// The key of values under the weights and the noise in force
rh_fit_entry rh_fit_entry_of(const rh_fit_problem *p, rh_fit_kind kind, uint64_t held,
                             const double *w, int n)
{
  rh_fit_entry e = {.kind = kind, .nkey = n + 1};
  uint64_t hash = rh_fit_hash(held, p->weight, (size_t)p->nseries * sizeof *p->weight);
  e.key[0] = rh_fit_hash(hash, p->noise, sizeof p->noise);
  memcpy(e.key + 1, w, (size_t)n * sizeof *w);
  return e;
}

static void copy_starts(rh_fit_problem *p, double *to, const double *from)
{
  int at = 1;
  for (int i = 0; i < p->nseries; i++) {
    const rh_fit_series *s = &p->series[i];
    size_t size = (size_t)s->nlocal * sizeof *to;
    if (size > 0 && to != NULL) {
      memcpy(to + at, s->now, size);
    } else if (size > 0) {
      memcpy(s->now, from + at, size);
    }
    at += s->nlocal;
  }
}

bool rh_fit_take_search(rh_fit_problem *p, uint64_t held, double *w, int n, double *end)
{
  rh_fit_entry e = rh_fit_entry_of(p, RH_FIT_SEARCH, held, w, n);
  double *to = p->kept + p->nkept;
  e.n[0] = p->nkept + 3 + n;
  e.part[0] = p->kept;
  rh_fit_journal_search(p->journal, true);
  if (!rh_fit_journal_take(p->journal, &e)) {
    return false;
  }
  rh_fit_journal_search(p->journal, false);
  copy_starts(p, NULL, p->kept);
  memcpy(end, to, 3 * sizeof *to);
  memcpy(w, to + 3, (size_t)n * sizeof *w);
  return true;
}

void rh_fit_put_search(rh_fit_problem *p, uint64_t held, const double *begin, const double *w,
                       int n, const double *end)
{
  rh_fit_entry e = rh_fit_entry_of(p, RH_FIT_SEARCH, held, begin, n);
  double *to = p->kept + p->nkept;
  e.n[0] = p->nkept + 3 + n;
  e.part[0] = p->kept;
  p->kept[0] = 1;
  copy_starts(p, p->kept, NULL);
  memcpy(to, end, 3 * sizeof *to);
  memcpy(to + 3, w, (size_t)n * sizeof *w);
  rh_fit_journal_put(p->journal, &e);
  rh_fit_journal_search(p->journal, false);
}

static rh_status open_problem(const rh_fit_job *job, rh_diag *diag, rh_fit_problem *p)
{
  rh_fit_world world = {0};
  RH_TRY(rh_fit_scene_open(job, diag, &p->scene));
  RH_TRY(read_values(job, p));
  RH_TRY(rh_fit_look_up(&p->scene, diag, p->value, p->nvalue));
  set_bounds(p);
  double x[RH_FIT_VALUES];
  for (int i = 0; i < p->nvalue; i++) {
    x[i] = p->value[i].start;
  }
  rh_status status = rh_fit_world_make(&p->scene, p->value, x, p->nvalue, diag, &world);
  if (status == RH_OK) {
    status = rh_fit_map_channels(p->data, &world, &p->map);
  }
  if (status == RH_OK) {
    status = rh_fit_check_starts(job, world.model);
  }
  if (status == RH_OK) {
    status = lay_out_series(p, job, &world);
  }
  rh_fit_world_free(&world);
  if (status == RH_OK) {
    status = begin_journal(p);
  }
  return status;
}

rh_status rh_fit_open(const rh_fit_job *job, const rh_fit_data *data, rh_diag *diag,
                      rh_fit_problem **problem)
{
  rh_fit_problem *p = rh_alloc(sizeof *p);
  *problem = p;
  if (p == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  p->data = data;
  p->journal = job->journal;
  p->diag = diag;
  p->pool = rh_pool_create(job->threads);
  rh_status status = p->pool != NULL ? open_problem(job, diag, p) : RH_OUT_OF_MEMORY;
  for (int c = 0; c < data->nchannel; c++) {
    p->noise[c] = 1;
  }
  if (status == RH_OK && p->m <= 2 * p->nvalue) {
    status = rh_refuse(RH_INPUT_REFUSED, "fit: %d measured numbers do not give %d values",
                       p->m - p->nvalue, p->nvalue);
  }
  return status;
}

void rh_fit_close(rh_fit_problem *p)
{
  if (p == NULL) {
    return;
  }
  for (int i = 0; p->series != NULL && i < p->nseries; i++) {
    rh_fit_series_close(&p->series[i]);
  }
  rh_fit_scene_close(&p->scene);
  rh_pool_destroy(p->pool);
  rh_free(p->series);
  rh_free(p->weight);
  rh_free(p->good);
  rh_free(p->way);
  rh_free(p->model);
  rh_free(p->kept);
  rh_free(p);
}

// ---- What others ask

int rh_fit_count(const rh_fit_problem *p, const rh_fit_value **value)
{
  *value = p->value;
  return p->nvalue;
}

void rh_fit_bounds(const rh_fit_problem *p, const double **lo, const double **hi)
{
  *lo = p->lo;
  *hi = p->hi;
}

// Body of the joint whose quaternion is number `turn` of the data, with the columns of its place; false: they have none.
bool rh_fit_place_of(const rh_fit_problem *p, int turn, int place[3])
{
  for (int i = 0; i < 3; i++) {
    place[i] = RH_NONE;
    for (int c = 0; c < p->map.nchannel; c++) {
      bool is = p->map.coordinate[c] == p->map.coordinate[p->map.turn[turn][0]] - 3 + i;
      place[i] = is ? c : place[i];
    }
  }
  return place[0] != RH_NONE && place[1] != RH_NONE && place[2] != RH_NONE;
}

int rh_fit_residuals(const rh_fit_problem *p)
{
  return p->m;
}

void rh_fit_set_one_sided(rh_fit_problem *p, double step)
{
  p->one_sided = step;
}

void rh_fit_set_noise(rh_fit_problem *p, const double *noise)
{
  memcpy(p->noise, noise, sizeof p->noise);
}

// What the numbers of a channel span; of one that is constant, their size
static double channel_span(const rh_fit_data *d, int channel)
{
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (int k = 0; k < d->nrow; k++) {
    double x = d->value[(size_t)k * (size_t)d->nchannel + (size_t)channel];
    low = isfinite(x) ? fmin(low, x) : low;
    high = isfinite(x) ? fmax(high, x) : high;
  }
  return high > low ? high - low : high == low ? fabs(high) : 0;
}

// A body that slides on a table keeps its height to 1e-14 m: residuals of that size say nothing, and over a noise as small they
// would outweigh all others. A millionth of the largest span of all channels of that unit.
void rh_fit_least_noise(const rh_fit_problem *p, double *least)
{
  const rh_fit_data *d = p->data;
  double span[RH_FIT_CHANNELS] = {0};
  for (int c = 0; c < d->nchannel; c++) {
    double *most = &span[p->map.alike[c]];
    *most = fmax(*most, channel_span(d, c));
  }
  for (int c = 0; c < d->nchannel; c++) {
    least[c] = 1e-6 * span[p->map.alike[c]];
  }
}

void rh_fit_set_weights(rh_fit_problem *p, const double *weight)
{
  for (int i = 0; i < p->data->ntrial; i++) {
    p->weight[i] = weight != NULL ? weight[i] : 1;
  }
}

const rh_fit_series *rh_fit_series_of(const rh_fit_problem *p, int trial)
{
  return &p->series[trial];
}

const rh_fit_map *rh_fit_map_of(const rh_fit_problem *p)
{
  return &p->map;
}

int rh_fit_failures(const rh_fit_problem *p)
{
  int failed = 0;
  for (int i = 0; i < p->data->ntrial; i++) {
    failed += !p->good[i];
  }
  return failed;
}

int rh_fit_integrated(const rh_fit_problem *p, const char **why_not)
{
  int n = 0;
  *why_not = "";
  for (int i = 0; i < p->data->ntrial; i++) {
    rh_slopes_why why = (rh_slopes_why)p->way[i];
    n += why == RH_SLOPES_EXIST;
    *why_not = **why_not == '\0' ? rh_slopes_word(why) : *why_not;
  }
  return n;
}

int rh_fit_starts_found(const rh_fit_problem *p)
{
  int n = 0;
  for (int i = 0; i < p->data->ntrial; i++) {
    n += p->weight[i] > 0 ? p->series[i].nlocal : 0;
  }
  return n;
}

// ---- Evaluations

static void keep_refusal(rh_fit_problem *p, const rh_diag *diag)
{
  for (int i = 0; i < rh_diag_kept(diag) && p->refused[0] == '\0'; i++) {
    rh_message m = rh_diag_get(diag, i);
    if (m.severity == RH_ERROR) {
      (void)snprintf(p->refused, sizeof p->refused, "%s", m.text);
    }
  }
}

const char *rh_fit_refusal(const rh_fit_problem *p)
{
  return p->refused;
}

bool rh_fit_make_world(rh_fit_problem *p, const double *w, rh_fit_world *world)
{
  double x[RH_FIT_VALUES];
  for (int i = 0; i < p->nvalue; i++) {
    x[i] = rh_fit_from_search(&p->value[i], w[i]);
  }
  rh_diag *mine = rh_diag_create(); // a refused value is no error of the user's
  bool good = rh_fit_world_make(&p->scene, p->value, x, p->nvalue, mine, world) == RH_OK;
  if (!good) {
    keep_refusal(p, mine);
    rh_fit_world_free(world);
  }
  rh_diag_destroy(mine);
  return good;
}

rh_fit_task rh_fit_task_of(rh_fit_problem *p, int trial)
{
  return (rh_fit_task){.data = p->data,
                       .map = &p->map,
                       .noise = p->noise,
                       .series = &p->series[trial],
                       .trial = trial,
                       .weight = sqrt(p->weight[trial]),
                       .robust = p->robust,
                       .integrate = p->integrate};
}

static void do_trial(void *user, int trial, int worker)
{
  rh_fit_problem *p = user;
  rh_fit_series *s = &p->series[trial];
  rh_fit_task task = rh_fit_task_of(p, trial);
  (void)worker;
  if (p->weight[trial] == 0) {
    memset(p->r + s->first, 0, (size_t)s->m * sizeof *p->r);
    return;
  }
  p->good[trial] = rh_fit_trial_residuals(&task, &p->world[0], p->r + s->first);
}

static bool evaluate_trials(rh_fit_problem *p, const double *w, double *r)
{
  if (!rh_fit_make_world(p, w, &p->world[0])) {
    return false;
  }
  p->r = r;
  rh_pool_run(p->pool, do_trial, p, p->data->ntrial);
  for (int i = 0; i < p->nvalue; i++) {
    r[p->m - p->nvalue + i] = RH_FIT_TETHER * (w[i] - p->begin[i]);
  }
  rh_fit_world_free(&p->world[0]);
  return !rh_memory_failed();
}

bool rh_fit_evaluate(void *problem, const double *w, double *r)
{
  rh_fit_problem *p = problem;
  rh_fit_entry e = rh_fit_entry_of(p, RH_FIT_RESIDUALS, 0, w, p->nvalue);
  e.n[0] = p->m;
  e.part[0] = r;
  e.n[1] = p->nkept;
  e.part[1] = p->kept;
  if (rh_fit_journal_take(p->journal, &e)) {
    copy_starts(p, NULL, p->kept);
    return p->kept[0] != 0;
  }
  memset(r, 0, (size_t)p->m * sizeof *r);
  bool good = evaluate_trials(p, w, r);
  p->kept[0] = good;
  copy_starts(p, p->kept, NULL);
  if (!rh_memory_failed() && rh_interrupt_seen() == 0) {
    rh_fit_journal_put(p->journal, &e);
  }
  return good;
}

rh_status rh_fit_of_flights(rh_fit_work *k)
{
  rh_fit_world world;
  if (!rh_fit_make_world(k->problem, k->w, &world)) {
    return RH_NOT_FINITE;
  }
  rh_status status = rh_fit_find_flights(k, &world);
  rh_fit_world_free(&world);
  return status;
}

bool rh_fit_make_start(rh_fit_problem *p, rh_fit_world *world)
{
  return rh_fit_make_world(p, p->begin, world);
}

rh_status rh_fit_world_with(rh_fit_problem *p, const double *w, const rh_fit_value *more,
                            const double *x, int n, rh_fit_world *world)
{
  rh_fit_value *all = rh_alloc((size_t)(p->nvalue + n + 1) * sizeof *all);
  double at[2 * RH_FIT_VALUES];
  rh_diag *mine = rh_diag_create();
  int kept = p->nvalue + n <= RH_FIT_VALUES ? p->nvalue : RH_FIT_VALUES - n;
  rh_status status = all != NULL && mine != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  for (int i = 0; i < kept + n && status == RH_OK; i++) {
    bool own = i < kept;
    all[i] = own ? p->value[i] : more[i - kept];
    at[i] = own ? rh_fit_from_search(&p->value[i], w[i]) : x[i - kept];
  }
  *world = (rh_fit_world){0};
  if (status == RH_OK) {
    status = rh_fit_world_make(&p->scene, all, at, kept + n, mine, world);
  }
  rh_diag_destroy(mine);
  rh_free(all);
  return status;
}

bool rh_fit_may_be_free(const rh_fit_problem *p, rh_fit_value *value)
{
  return rh_fit_has(&p->scene, value);
}
