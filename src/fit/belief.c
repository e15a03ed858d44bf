// belief.c: what the result is worth on data that it was not fitted to: errors by phase of a trial, trials left out in turn,
// trials drawn again, other data.
#include "fit_belief.h"

#include "fit_trial.h"

#include <math.h>
#include <string.h>

// ---- Scores

// A joint in space is known by its quaternion; its place need not have been measured.
void rh_fit_name_joints(const rh_fit_problem *problem, rh_fit_answer *a)
{
  const rh_fit_map *map = rh_fit_map_of(problem);
  for (int i = 0; i < map->nturn && i < RH_FIT_JOINTS; i++) {
    const char *name = a->channel[map->turn[i][0]];
    size_t length = strcspn(name, ".");
    a->joint[i] = rh_name_of("");
    memcpy(a->joint[i].text, name, length < RH_NAME_MAX - 1 ? length : RH_NAME_MAX - 1);
    a->njoint = i + 1;
  }
}

// Mean distances of the places and attitudes of joint `turn` over the rows of a trial.
static void measure_joint(const rh_fit_problem *problem, const rh_fit_data *d, int trial, int turn,
                          double off[2])
{
  const rh_fit_series *s = rh_fit_series_of(problem, trial);
  const rh_fit_trial *of = &d->trial[trial];
  const int *c = rh_fit_map_of(problem)->turn[turn];
  int place[3];
  bool placed = rh_fit_place_of(problem, turn, place);
  size_t width = (size_t)d->nchannel;
  int rows = 0;
  off[0] = off[1] = 0;
  for (int row = 0; row < of->n; row++) {
    const double *want = d->value + (size_t)(of->first + row) * width;
    const double *got = s->model + (size_t)row * width;
    if (!isfinite(want[c[0]]) || (placed && !isfinite(want[place[0]]))) {
      continue;
    }
    rh_quat a = rh_quat_unit((rh_quat){got[c[0]], got[c[1]], got[c[2]], got[c[3]]});
    rh_quat b = rh_quat_unit((rh_quat){want[c[0]], want[c[1]], want[c[2]], want[c[3]]});
    rh_vec3 turned = rh_quat_log(rh_quat_mul(a, rh_quat_conj(b)));
    off[1] += sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z);
    double square = 0;
    for (int i = 0; placed && i < 3; i++) {
      square += (got[place[i]] - want[place[i]]) * (got[place[i]] - want[place[i]]);
    }
    off[0] += sqrt(square);
    rows++;
  }
  off[0] /= rows > 0 ? rows : 1;
  off[1] /= rows > 0 ? rows : 1;
}

static void add_score(const rh_fit_problem *problem, const rh_fit_data *d, const double *r,
                      int trial, rh_fit_score *score, double *sum, int *count)
{
  const rh_fit_series *s = rh_fit_series_of(problem, trial);
  rh_fit_walk walk = rh_fit_walk_begin(d, problem, trial);
  while (rh_fit_walk_next(&walk)) {
    double square = r[walk.residual] * r[walk.residual];
    int phase = s->phase[walk.row];
    score->phase[phase] += square;
    score->count[phase]++;
    *sum += square;
    (*count)++;
  }
  for (int i = 0; i < rh_fit_map_of(problem)->nturn && i < RH_FIT_JOINTS; i++) {
    double off[2];
    measure_joint(problem, d, trial, i, off);
    score->place[i] += off[0];
    score->turn[i] += off[1];
  }
  score->trials++;
}

// The means of all; `weight` NULL: all trials.
void rh_fit_score_of(const rh_fit_problem *problem, const rh_fit_data *d, const double *r,
                     const double *weight, rh_fit_score *score)
{
  double sum = 0;
  int count = 0;
  *score = (rh_fit_score){0};
  for (int i = 0; i < d->ntrial; i++) {
    if (weight == NULL || weight[i] > 0) {
      add_score(problem, d, r, i, score, &sum, &count);
    }
  }
  int trials = score->trials > 0 ? score->trials : 1;
  score->excess = count > 0 ? sum / count : 0;
  for (int i = 0; i < RH_FIT_JOINTS; i++) {
    score->place[i] /= trials;
    score->turn[i] /= trials;
  }
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    score->phase[i] /= score->count[i] > 0 ? score->count[i] : 1;
  }
}

// ---- Trials left out in turn

static int number_of_trials(const rh_fit_data *d)
{
  return d->ntrial > 0 ? d->trial[d->ntrial - 1].from + 1 : 0;
}

// Adds a mean over `b->trials` trials to one over `a->trials`.
void rh_fit_join_scores(rh_fit_score *a, const rh_fit_score *b)
{
  int trials = a->trials + b->trials;
  double counts[2] = {0, 0};
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    counts[0] += a->count[i];
    counts[1] += b->count[i];
    int count = a->count[i] + b->count[i];
    a->phase[i] = count > 0 ? (a->phase[i] * a->count[i] + b->phase[i] * b->count[i]) / count : 0;
    a->count[i] = count;
  }
  for (int i = 0; i < RH_FIT_JOINTS && trials > 0; i++) {
    a->place[i] = (a->place[i] * a->trials + b->place[i] * b->trials) / trials;
    a->turn[i] = (a->turn[i] * a->trials + b->turn[i] * b->trials) / trials;
  }
  double all = counts[0] + counts[1];
  a->excess = all > 0 ? (a->excess * counts[0] + b->excess * counts[1]) / all : 0;
  a->trials = trials;
}

// Squares and numbers of the residuals of the trials of weight > 0, windows with the trial that they are of.
static void add_left_out(const rh_fit_work *k, const double *weight)
{
  double *to = k->job->left_out;
  for (int i = 0; to != NULL && i < k->data->ntrial; i++) {
    rh_fit_walk walk = rh_fit_walk_begin(k->data, k->problem, i);
    while (weight[i] > 0 && rh_fit_walk_next(&walk)) {
      int from = k->data->trial[i].from;
      to[2 * from] += k->r[walk.residual] * k->r[walk.residual];
      to[2 * from + 1] += 1;
    }
  }
}

static rh_status leave_out(rh_fit_work *k, double *weight, int folds)
{
  double best[RH_FIT_VALUES];
  memcpy(best, k->w, sizeof best);
  for (int fold = 0; fold < folds; fold++) {
    for (int i = 0; i < k->data->ntrial; i++) {
      weight[i] = k->data->trial[i].from % folds != fold;
    }
    rh_fit_set_weights(k->problem, weight);
    rh_fit_tell(k, "trials left out");
    RH_TRY(rh_fit_search(k, k->answer->noise, true));
    for (int i = 0; i < k->data->ntrial; i++) {
      weight[i] = 1 - weight[i];
    }
    rh_fit_set_weights(k->problem, weight);
    if (!rh_fit_evaluate(k->problem, k->w, k->r)) {
      return RH_NOT_FINITE;
    }
    rh_fit_score one;
    rh_fit_score_of(k->problem, k->data, k->r, weight, &one);
    rh_fit_join_scores(&k->answer->folds, &one);
    add_left_out(k, weight);
    memcpy(k->w, best, sizeof best);
  }
  return RH_OK;
}

// ---- Trials drawn again, with replacement

static unsigned long long mix_bits(unsigned long long x) // splitmix64
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void sort_numbers(double *x, int n)
{
  for (int i = 1; i < n; i++) {
    double one = x[i];
    int k = i;
    for (; k > 0 && x[k - 1] > one; k--) {
      x[k] = x[k - 1];
    }
    x[k] = one;
  }
}

static double quantile_of(const double *sorted, int n, double part)
{
  double at = part * (n - 1);
  int low = (int)at;
  int high = low + 1 < n ? low + 1 : low;
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

static rh_status draw_again(rh_fit_work *k, double *weight, int times)
{
  int trials = number_of_trials(k->data);
  double best[RH_FIT_VALUES];
  double *found = rh_alloc((size_t)times * (size_t)(k->n + 1) * sizeof *found);
  double *drawn = rh_alloc((size_t)(trials + 1) * sizeof *drawn);
  rh_status status = found != NULL && drawn != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  memcpy(best, k->w, sizeof best);
  for (int b = 0; b < times && status == RH_OK; b++) {
    memset(drawn, 0, (size_t)trials * sizeof *drawn);
    for (int i = 0; i < trials; i++) {
      unsigned long long bits =
          mix_bits(mix_bits((unsigned long long)b + 1) + (unsigned long long)i);
      drawn[bits % (unsigned long long)trials] += 1;
    }
    for (int i = 0; i < k->data->ntrial; i++) {
      weight[i] = drawn[k->data->trial[i].from];
    }
    rh_fit_set_weights(k->problem, weight);
    rh_fit_tell(k, "trials drawn again");
    status = rh_fit_search(k, k->answer->noise, true);
    for (int i = 0; i < k->n; i++) {
      found[i * times + b] = k->w[i];
    }
    memcpy(k->w, best, sizeof best);
  }
  for (int i = 0; i < k->n && status == RH_OK; i++) {
    double *own = found + (size_t)i * (size_t)times;
    rh_fit_result *result = &k->answer->result[i];
    sort_numbers(own, times);
    result->boot_low = rh_fit_from_search(&k->answer->value[i], quantile_of(own, times, 0.025));
    result->boot_high = rh_fit_from_search(&k->answer->value[i], quantile_of(own, times, 0.975));
  }
  rh_free(found);
  rh_free(drawn);
  return status;
}

// ---- Other data

static rh_status try_other_data(const rh_fit_work *k)
{
  rh_fit_data data = {0};
  rh_fit_job job = *k->job;
  rh_fit_problem *problem = NULL;
  double *r = NULL;
  job.data = job.test;
  job.journal = NULL;
  rh_status status = rh_fit_read_data(&job, k->diag, &data);
  if (status == RH_OK) {
    status = rh_fit_open(&job, &data, k->diag, &problem);
  }
  if (status == RH_OK) {
    double noise[RH_FIT_CHANNELS];
    for (int c = 0; c < data.nchannel; c++) {
      noise[c] = 1;
      for (int i = 0; i < k->answer->nchannel; i++) {
        bool same = strcmp(k->answer->channel[i], data.channel[c]) == 0;
        noise[c] = same ? k->answer->noise[i] : noise[c];
      }
    }
    rh_fit_set_noise(problem, noise);
    r = rh_alloc((size_t)rh_fit_residuals(problem) * sizeof *r);
    status = r == NULL                           ? RH_OUT_OF_MEMORY
             : rh_fit_evaluate(problem, k->w, r) ? RH_OK
                                                 : RH_NOT_FINITE;
  }
  if (status == RH_OK) {
    rh_fit_score_of(problem, &data, r, NULL, &k->answer->test);
  }
  rh_fit_close(problem);
  rh_fit_free_data(&data);
  rh_free(r);
  return status;
}

rh_status rh_fit_resample(rh_fit_work *k)
{
  const rh_fit_job *job = k->job;
  int trials = number_of_trials(k->data);
  if ((job->folds > 0 || job->bootstrap > 0) && (trials < 2 || job->folds > trials)) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: %d trial%s cannot be left out or drawn again; --folds takes 2 to the "
                     "number of trials",
                     trials, rh_plural(trials));
  }
  double *weight = rh_alloc((size_t)(k->data->ntrial + 1) * sizeof *weight);
  rh_status status = weight != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK && job->test.n > 0) {
    status = try_other_data(k);
  }
  if (status == RH_OK && job->folds > 0) {
    status = leave_out(k, weight, job->folds);
  }
  if (status == RH_OK && job->bootstrap > 0) {
    status = draw_again(k, weight, job->bootstrap);
  }
  rh_free(weight);
  return status;
}
