// judged.c: a model is fitted on windows and judged on whole trials that it has not seen.
#include "suggest.h"

#include "fit/fit_trial.h"
#include "math/dense.h"
#include "math/least_squares.h"

#include <math.h>
#include <string.h>

#define GAIN 0.98 // of the loss: a change that leaves more is not taken over
#define CHANCE                                                                                     \
  0.65 // of the two-sided 95 % interval of the mean difference, trial by trial (of many trials: one side, 90 %)
#define DAMPED 1e-3 // of a curvature, along each value
#define FINE   0.01

// ---- A model

static int count_sets(const rh_sg *sg, const rh_fit_change *extra)
{
  const rh_fit_suggestions *s = sg->to;
  int n = sg->job->request->nset + s->found.n + (extra != NULL ? extra->nset : 0);
  for (int i = 0; i < s->n; i++) {
    n += s->change[i].taken > 0 ? s->change[i].nset : 0;
  }
  return n;
}

static void add_sets(const rh_sg *sg, const rh_fit_change *extra, rh_sg_fit *fit)
{
  const rh_fit_suggestions *s = sg->to;
  int n = 0;
  for (; n < sg->job->request->nset; n++) {
    fit->set[n] = sg->job->request->set[n];
  }
  for (int turn = 1; turn <= s->taken; turn++) {
    for (int i = 0; i < s->n; i++) {
      for (int k = 0; s->change[i].taken == turn && k < s->change[i].nset; k++) {
        fit->set[n++] = s->change[i].set[k];
      }
    }
  }
  for (int i = 0; i < s->found.n; i++) {
    fit->set[n++] = s->found.word[i];
  }
  for (int k = 0; extra != NULL && k < extra->nset; k++) {
    fit->set[n++] = extra->set[k];
  }
  fit->request.nset = n;
}

static rh_status lay_out(const rh_sg *sg, rh_sg_fit *fit)
{
  const rh_fit_value *value;
  fit->n = rh_fit_count(fit->problem, &value);
  fit->value = value;
  fit->m = rh_fit_residuals(fit->problem);
  fit->step = RH_FIT_ROUGH;
  size_t m = (size_t)fit->m;
  fit->r = rh_alloc(m * (size_t)(fit->n + 2) * sizeof *fit->r);
  if (fit->r == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  fit->other = fit->r + m;
  fit->J = fit->r + 2 * m;
  for (int i = 0; i < fit->n; i++) {
    fit->w[i] = rh_fit_to_search(&value[i], value[i].start);
  }
  rh_fit_set_noise(fit->problem, sg->noise);
  return RH_OK;
}

rh_status rh_sg_ask(const rh_sg *sg, const rh_fit_change *extra, rh_sg_fit *fit)
{
  *fit = (rh_sg_fit){.job = *sg->job, .request = *sg->job->request};
  int nword = 0;
  fit->set = rh_alloc((size_t)(count_sets(sg, extra) + 1) * sizeof *fit->set);
  fit->word = rh_alloc(RH_FIT_VALUES * sizeof *fit->word);
  if (fit->set == NULL || fit->word == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  add_sets(sg, extra, fit);
  for (; nword < sg->to->free.n && nword < RH_FIT_VALUES; nword++) {
    fit->word[nword] = sg->to->free.word[nword];
  }
  for (int k = 0; extra != NULL && k < extra->nfree && nword < RH_FIT_VALUES; k++) {
    fit->word[nword++] = (char *)extra->free[k];
  }
  fit->request.set = fit->set;
  fit->job.request = &fit->request;
  fit->job.free = (rh_words){fit->word, nword};
  fit->job.journal = NULL;
  return RH_OK;
}

rh_status rh_sg_open(const rh_sg *sg, rh_sg_trials trials, const rh_fit_change *extra, bool robust,
                     rh_sg_fit *fit)
{
  RH_TRY(rh_sg_ask(sg, extra, fit));
  fit->job.robust = robust;
  rh_diag *quiet =
      extra != NULL ? rh_diag_create() : NULL; // a change that the scene refuses is none
  rh_status status =
      rh_fit_open(&fit->job, &sg->data[trials], quiet != NULL ? quiet : sg->diag, &fit->problem);
  rh_diag_destroy(quiet);
  return status == RH_OK ? lay_out(sg, fit) : status;
}

void rh_sg_close(rh_sg_fit *fit)
{
  rh_fit_close(fit->problem);
  rh_free(fit->r);
  rh_free(fit->set);
  rh_free(fit->word);
  *fit = (rh_sg_fit){0};
}

// ---- The search

static double sum_squares(int m, const double *r)
{
  double sum = 0;
  for (int i = 0; i < m; i++) {
    sum += r[i] * r[i];
  }
  return sum;
}

// Differences to one side, of value i on. A value that the scene refuses to move has no slope.
static void find_columns(rh_sg_fit *fit, const double *w, const double *r, int first, double *J)
{
  const double *lo;
  const double *hi;
  double at[RH_FIT_VALUES];
  rh_fit_bounds(fit->problem, &lo, &hi);
  memcpy(at, w, (size_t)fit->n * sizeof *w);
  for (int i = first; i < fit->n; i++) {
    double *column = J + (size_t)i * (size_t)fit->m;
    double step = w[i] + fit->step <= hi[i] ? fit->step : -fit->step;
    at[i] = fmax(w[i] + step, lo[i]);
    step = at[i] - w[i];
    bool good = step != 0 && rh_fit_evaluate(fit->problem, at, fit->other);
    for (int k = 0; k < fit->m; k++) {
      column[k] = good ? (fit->other[k] - r[k]) / step : 0;
    }
    at[i] = w[i];
  }
}

static bool evaluate_fit(void *user, const double *w, double *r)
{
  rh_sg_fit *fit = user;
  return rh_fit_evaluate(fit->problem, w, r);
}

static bool slopes_of_fit(void *user, const double *w, const double *r, double *J)
{
  find_columns(user, w, r, 0, J);
  return !rh_memory_failed();
}

rh_status rh_sg_search(rh_sg_fit *fit, bool fine)
{
  static const double tolerance[] = {3e-3, 1e-3};
  rh_fit_found found = {0};
  rh_fit_least least = {
      .m = fit->m, .n = fit->n, .user = fit, .residual = evaluate_fit, .slopes = slopes_of_fit};
  rh_fit_bounds(fit->problem, &least.lo, &least.hi);
  least.bare = true; // what is at its end is evaluated below
  for (int pass = 0; pass < (fine ? 2 : 1) && fit->n > 0; pass++) {
    fit->step = pass == 0 ? RH_FIT_ROUGH : FINE;
    least.tolerance = tolerance[pass];
    least.most = pass == 0 ? 15 : 8;
    RH_TRY(rh_fit_minimise(&least, fit->w, fit->r, fit->J, &found));
  }
  if (!rh_fit_evaluate(fit->problem, fit->w, fit->r)) {
    return RH_NOT_FINITE;
  }
  fit->step = RH_FIT_ROUGH; // the slopes that steps are made by
  find_columns(fit, fit->w, fit->r, 0, fit->J);
  fit->sum = sum_squares(fit->m, fit->r);
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// The step of Gauss and Newton (n) by the rows that count.
static bool find_step(const rh_sg_fit *fit, const unsigned char *left_out, double *step)
{
  double A[RH_FIT_VALUES * RH_FIT_VALUES] = {0};
  size_t m = (size_t)fit->m;
  memset(step, 0, (size_t)fit->n * sizeof *step);
  for (int i = 0; i < fit->n; i++) {
    const double *a = fit->J + (size_t)i * m;
    for (size_t k = 0; k < m; k++) {
      bool counts = left_out == NULL || !left_out[k];
      step[i] -= counts ? a[k] * fit->r[k] : 0;
      for (int j = 0; j <= i && counts && a[k] != 0; j++) {
        A[i * fit->n + j] += a[k] * fit->J[(size_t)j * m + k];
      }
    }
  }
  for (int i = 0; i < fit->n; i++) {
    A[i * fit->n + i] = A[i * fit->n + i] * (1 + DAMPED) + 1e-12;
    for (int j = 0; j < i; j++) {
      A[j * fit->n + i] = A[i * fit->n + j];
    }
  }
  bool good = fit->n > 0 && rh_cholesky(fit->n, A);
  if (good) {
    rh_cholesky_solve(fit->n, A, step);
  }
  return good;
}

static void move_values(const rh_sg_fit *fit, const double *step, double part, double *w)
{
  const double *lo;
  const double *hi;
  rh_fit_bounds(fit->problem, &lo, &hi);
  for (int i = 0; i < fit->n; i++) {
    w[i] = fmin(fmax(fit->w[i] + part * step[i], lo[i]), hi[i]);
  }
}

bool rh_sg_try_step(rh_sg_fit *fit, const rh_sg_fit *base)
{
  double step[RH_FIT_VALUES];
  double w[RH_FIT_VALUES];
  size_t rows = (size_t)(base->m - base->n); // without the tethers
  if (!rh_fit_evaluate(fit->problem, fit->w, fit->r)) {
    return false;
  }
  fit->sum = sum_squares(fit->m, fit->r);
  memset(fit->J, 0, (size_t)fit->m * (size_t)fit->n * sizeof *fit->J);
  for (size_t i = 0; i < (size_t)base->n; i++) {
    memcpy(fit->J + i * (size_t)fit->m, base->J + i * (size_t)base->m, rows * sizeof *fit->J);
  }
  find_columns(fit, fit->w, fit->r, base->n, fit->J);
  bool good = find_step(fit, NULL, step);
  double part = 1;
  for (int turn = 0; turn < 4 && good; turn++, part *= 0.5) {
    move_values(fit, step, part, w);
    if (rh_fit_evaluate(fit->problem, w, fit->other) &&
        sum_squares(fit->m, fit->other) < fit->sum) {
      memcpy(fit->w, w, sizeof w);
      memcpy(fit->r, fit->other, (size_t)fit->m * sizeof *fit->r);
      fit->sum = sum_squares(fit->m, fit->r);
      return true;
    }
  }
  return false;
}

rh_status rh_sg_found(const rh_sg_fit *fit, rh_words *found)
{
  double x[RH_FIT_VALUES];
  for (int i = 0; i < fit->n; i++) {
    x[i] = rh_fit_from_search(&fit->value[i], fit->w[i]);
  }
  return rh_fit_overrides(fit->value, x, fit->n, found);
}

rh_status rh_sg_keep(rh_sg *sg, const rh_sg_fit *fit)
{
  rh_words_free(&sg->to->found);
  return rh_sg_found(fit, &sg->to->found);
}

// ---- Trials left out

// Rows of the windows of trials in `fold` count no more.
static void mark_rows(const rh_sg *sg, const rh_sg_fit *fit, int folds, int fold,
                      unsigned char *left_out)
{
  memset(left_out, 0, (size_t)fit->m);
  for (int i = 0; i < sg->data[RH_SG_WINDOWS].ntrial; i++) {
    const rh_fit_series *s = rh_fit_series_of(fit->problem, i);
    if (sg->data[RH_SG_WINDOWS].trial[i].from % folds == fold) {
      memset(left_out + s->first, 1, (size_t)s->m);
    }
  }
}

static void add_losses(const rh_sg *sg, const rh_sg_fit *whole, const double *weight, double *loss)
{
  for (int i = 0; i < sg->trials; i++) {
    rh_fit_walk walk = rh_fit_walk_begin(&sg->data[RH_SG_WHOLE], whole->problem, i);
    double sum = 0;
    int count = 0;
    while (weight[i] > 0 && rh_fit_walk_next(&walk)) {
      sum += whole->r[walk.residual] * whole->r[walk.residual];
      count++;
    }
    loss[i] = weight[i] > 0 ? sum / (count > 0 ? count : 1) : loss[i];
  }
}

static rh_status judge_folds(const rh_sg *sg, const rh_sg_fit *fit, rh_sg_fit *whole,
                             unsigned char *left_out, double *weight, double *loss,
                             rh_fit_score *score)
{
  int folds = sg->job->folds > 0 ? sg->job->folds : RH_SG_FOLDS;
  folds = folds < sg->trials ? folds : sg->trials;
  *score = (rh_fit_score){0};
  for (int fold = 0; fold < folds; fold++) {
    double step[RH_FIT_VALUES];
    double w[RH_FIT_VALUES];
    rh_fit_score one;
    mark_rows(sg, fit, folds, fold, left_out);
    (void)find_step(fit, left_out, step);
    move_values(fit, step, 1, w);
    for (int i = 0; i < sg->trials; i++) {
      weight[i] = i % folds == fold;
    }
    rh_fit_set_weights(whole->problem, weight);
    if (!rh_fit_evaluate(whole->problem, w, whole->r) &&
        !rh_fit_evaluate(whole->problem, fit->w, whole->r)) {
      return RH_NOT_FINITE;
    }
    rh_fit_score_of(whole->problem, &sg->data[RH_SG_WHOLE], whole->r, weight, &one);
    rh_fit_join_scores(score, &one);
    add_losses(sg, whole, weight, loss);
  }
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

rh_status rh_sg_judge(const rh_sg *sg, const rh_sg_fit *fit, const rh_fit_change *extra,
                      double *loss, rh_fit_score *score)
{
  rh_sg_fit whole;
  unsigned char *left_out = rh_alloc((size_t)fit->m + 1);
  double *weight = rh_alloc(((size_t)sg->trials + 1) * sizeof *weight);
  rh_status status = rh_sg_open(sg, RH_SG_WHOLE, extra, sg->to->robust, &whole);
  status = left_out == NULL || weight == NULL ? RH_OUT_OF_MEMORY : status;
  if (status == RH_OK) {
    status = judge_folds(sg, fit, &whole, left_out, weight, loss, score);
  }
  rh_sg_close(&whole);
  rh_free(left_out);
  rh_free(weight);
  return status;
}

bool rh_sg_is_better(const double *before, const double *after, int trials)
{
  double sum = 0;
  double squares = 0;
  double all = 0;
  for (int i = 0; i < trials; i++) {
    double gain = before[i] - after[i];
    sum += gain;
    squares += gain * gain;
    all += before[i];
  }
  double spread = trials > 1 ? (squares - sum * sum / trials) / (trials - 1) : 0;
  return sum > (1 - GAIN) * all &&
         sum > CHANCE * rh_fit_student(trials - 1) * sqrt(fmax(spread, 0) * trials);
}
