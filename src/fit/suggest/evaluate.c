// evaluate.c: a model is fitted on windows and evaluated on whole trials that it has not seen.
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
#define ENOUGH 3e-3 // of the sum of squares: a step of the search that takes less off is the last

// ---- A model

static int count_sets(const rh_suggester *sg, const rh_fit_change *extra)
{
  const rh_fit_suggestions *s = sg->to;
  int n = sg->job->request->nset + s->found.n + (extra != NULL ? extra->nset : 0);
  for (int i = 0; i < s->n; i++) {
    n += s->change[i].taken > 0 ? s->change[i].nset : 0;
  }
  return n;
}

static void add_sets(const rh_suggester *sg, const rh_fit_change *extra, rh_suggest_fit *fit)
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

static rh_status lay_out(const rh_suggester *sg, rh_suggest_fit *fit)
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

rh_status rh_suggest_ask(const rh_suggester *sg, const rh_fit_change *extra, rh_suggest_fit *fit)
{
  *fit = (rh_suggest_fit){.job = *sg->job, .request = *sg->job->request};
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

rh_status rh_suggest_read_scene(const rh_suggester *sg, rh_suggest_fit *now, rh_fit_scene *text,
                                rh_scene **scene)
{
  RH_TRY(rh_suggest_ask(sg, NULL, now));
  RH_TRY(rh_fit_scene_open(&now->job, sg->diag, text));
  return rh_scene_parse(text->text, text->bytes, text->name, now->request.set, now->request.nset,
                        sg->diag, scene);
}

rh_status rh_suggest_open(const rh_suggester *sg, rh_suggest_trials trials,
                          const rh_fit_change *extra, bool robust, rh_suggest_fit *fit)
{
  RH_TRY(rh_suggest_ask(sg, extra, fit));
  fit->kind = trials;
  fit->job.robust = robust;
  rh_diag *quiet =
      extra != NULL ? rh_diag_create() : NULL; // a change that the scene refuses is none
  rh_status status =
      rh_fit_open(&fit->job, &sg->data[trials], quiet != NULL ? quiet : sg->diag, &fit->problem);
  rh_diag_destroy(quiet);
  status = status == RH_OK ? lay_out(sg, fit) : status;
  return status == RH_OK && sg->in_piece ? rh_fit_keep_in(fit->problem, sg->job->journal) : status;
}

void rh_suggest_close(rh_suggest_fit *fit)
{
  rh_fit_close(fit->problem);
  rh_free(fit->r);
  rh_free(fit->set);
  rh_free(fit->word);
  *fit = (rh_suggest_fit){0};
}

// ---- Trials that count

// Is a trial one of those that are looked at first? They lie evenly among all.
static bool is_of_few(const rh_suggester *sg, int trial)
{
  int before = (int)((long)trial * RH_SUGGEST_FEW / sg->trials);
  int after = (int)((long)(trial + 1) * RH_SUGGEST_FEW / sg->trials);
  return sg->trials <= RH_SUGGEST_FEW || after > before;
}

// Part of the trials that a trial belongs to: of some as of all, parts are equal.
static int part_of(const rh_suggester *sg, int trial, int folds)
{
  return (sg->few ? (int)((long)trial * RH_SUGGEST_FEW / sg->trials) : trial) % folds;
}

// Those that count: of the part (RH_NONE: of all parts), of all trials or only of some
static rh_status count_trials(const rh_suggester *sg, const rh_suggest_fit *fit, bool few,
                              const int part[2])
{
  const rh_fit_data *d = &sg->data[fit->kind];
  double *weight = rh_alloc(((size_t)d->ntrial + 1) * sizeof *weight);
  if (weight == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < d->ntrial; i++) {
    int from = d->trial[i].from;
    bool in = part == NULL || part_of(sg, from, part[1]) == part[0];
    weight[i] = in && (!few || is_of_few(sg, from));
  }
  rh_fit_set_weights(fit->problem, weight);
  rh_free(weight);
  return RH_OK;
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
static void find_columns(rh_suggest_fit *fit, const double *w, const double *r, int first,
                         double *J)
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
  rh_suggest_fit *fit = user;
  return rh_fit_evaluate(fit->problem, w, r);
}

static bool slopes_of_fit(void *user, const double *w, const double *r, double *J)
{
  find_columns(user, w, r, 0, J);
  return !rh_memory_failed();
}

// Rows that do not count in a step: of one part of the trials (RH_NONE: of none), and of those that are not some.
static void mark_rows(const rh_suggester *sg, const rh_suggest_fit *fit, bool few,
                      const int part[2], unsigned char *left_out)
{
  const rh_fit_data *d = &sg->data[fit->kind];
  memset(left_out, 0, (size_t)fit->m);
  for (int i = 0; i < d->ntrial; i++) {
    const rh_fit_series *s = rh_fit_series_of(fit->problem, i);
    int from = d->trial[i].from;
    bool out = part != NULL && part_of(sg, from, part[1]) == part[0];
    if (out || (few && !is_of_few(sg, from))) {
      memset(left_out + s->first, 1, (size_t)s->m);
    }
  }
}

static double sum_of_few(const rh_suggester *sg, const rh_suggest_fit *fit)
{
  const rh_fit_data *d = &sg->data[fit->kind];
  double sum = 0;
  for (int i = 0; i < d->ntrial; i++) {
    const rh_fit_series *s = rh_fit_series_of(fit->problem, i);
    sum += is_of_few(sg, d->trial[i].from) ? sum_squares(s->m, fit->r + s->first) : 0;
  }
  return sum;
}

rh_status rh_suggest_search(const rh_suggester *sg, rh_suggest_fit *fit, double bar)
{
  static const int most[] = {15, 4, 8};
  bool split = isfinite(bar) && sg->trials > RH_SUGGEST_FEW && !sg->few;
  const rh_fit_recall recall = {fit->problem, rh_fit_take_search, rh_fit_put_search};
  rh_fit_found found = {0};
  rh_fit_least least = {.m = fit->m,
                        .n = fit->n,
                        .user = fit,
                        .residual = evaluate_fit,
                        .slopes = slopes_of_fit,
                        .recall = &recall};
  rh_fit_bounds(fit->problem, &least.lo, &least.hi);
  least.bare = true; // what is at its end is evaluated below
  fit->hopeless = false;
  // By some trials, by all, and finely unless there are many with odd residuals: contacts make their sum of squares rough.
  for (int stage = 0; stage < 3; stage++) {
    if ((stage == 1 && !split) ||
        (stage == 2 && (sg->few || (sg->to->robust && sg->trials > RH_SUGGEST_FEW)))) {
      continue;
    }
    RH_TRY(count_trials(sg, fit, sg->few || (split && stage == 0), NULL));
    fit->step = stage < 2 ? RH_FIT_ROUGH : FINE;
    least.tolerance = stage < 2 ? ENOUGH : ENOUGH / 3;
    least.most = most[stage];
    least.held = (uint64_t)stage;
    if (fit->n > 0) {
      RH_TRY(rh_fit_minimise(&least, fit->w, fit->r, fit->J, &found));
    }
    if (stage == 0 && fit->n > 0 && found.sum > bar) {
      fit->hopeless = true;
      return RH_OK;
    }
  }
  if (!rh_fit_evaluate(fit->problem, fit->w, fit->r)) {
    return RH_NOT_FINITE;
  }
  fit->step = RH_FIT_ROUGH; // the slopes that steps are made by
  find_columns(fit, fit->w, fit->r, 0, fit->J);
  fit->sum = sum_squares(fit->m, fit->r);
  fit->few = sum_of_few(sg, fit);
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// The step of Gauss and Newton (n) by the rows that count.
static bool find_step(const rh_suggest_fit *fit, const unsigned char *left_out, double *step)
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

static void move_values(const rh_suggest_fit *fit, const double *step, double part, double *w)
{
  const double *lo;
  const double *hi;
  rh_fit_bounds(fit->problem, &lo, &hi);
  for (int i = 0; i < fit->n; i++) {
    w[i] = fmin(fmax(fit->w[i] + part * step[i], lo[i]), hi[i]);
  }
}

static bool step_down(rh_suggest_fit *fit, const unsigned char *left_out)
{
  double step[RH_FIT_VALUES];
  double w[RH_FIT_VALUES];
  bool good = find_step(fit, left_out, step);
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

bool rh_suggest_try_step(const rh_suggester *sg, rh_suggest_fit *fit, const rh_suggest_fit *base)
{
  // A setting may change what the other values act on: friction of impacts leaves that of contacts to sliding.
  int shared = fit->request.nset == base->request.nset ? base->n : 0;
  size_t rows = (size_t)(base->m - base->n); // without the tethers
  unsigned char *left_out = rh_alloc((size_t)fit->m + 1);
  bool good = left_out != NULL && count_trials(sg, fit, true, NULL) == RH_OK &&
              rh_fit_evaluate(fit->problem, fit->w, fit->r);
  if (good) {
    fit->sum = sum_squares(fit->m, fit->r);
    memset(fit->J, 0, (size_t)fit->m * (size_t)fit->n * sizeof *fit->J);
    for (size_t i = 0; i < (size_t)shared; i++) {
      memcpy(fit->J + i * (size_t)fit->m, base->J + i * (size_t)base->m, rows * sizeof *fit->J);
    }
    find_columns(fit, fit->w, fit->r, shared, fit->J);
    mark_rows(sg, fit, true, NULL, left_out);
    good = step_down(fit, left_out);
  }
  rh_free(left_out);
  return good;
}

rh_status rh_suggest_found(const rh_suggest_fit *fit, rh_words *found)
{
  double x[RH_FIT_VALUES];
  for (int i = 0; i < fit->n; i++) {
    x[i] = rh_fit_from_search(&fit->value[i], fit->w[i]);
  }
  return rh_fit_overrides(fit->value, x, fit->n, found);
}

rh_status rh_suggest_keep(rh_suggester *sg, const rh_suggest_fit *fit)
{
  rh_words_free(&sg->to->found);
  return rh_suggest_found(fit, &sg->to->found);
}

// ---- Trials left out

// Mean squares of the trials that count in `fit` with residuals r
static void add_losses(const rh_suggester *sg, const rh_suggest_fit *fit, const int part[2],
                       const double *r, double *loss)
{
  const rh_fit_data *d = &sg->data[fit->kind];
  double sum = 0;
  int count = 0;
  for (int i = 0; i < d->ntrial; i++) {
    int from = d->trial[i].from;
    bool in = part_of(sg, from, part[1]) == part[0] && (!sg->few || is_of_few(sg, from));
    rh_fit_walk walk = rh_fit_walk_begin(d, fit->problem, i);
    while (in && rh_fit_walk_next(&walk)) {
      sum += r[walk.residual] * r[walk.residual];
      count++;
    }
    if (i + 1 == d->ntrial ||
        d->trial[i + 1].from != from) { // windows of a trial follow one another
      loss[from] = in ? sum / (count > 0 ? count : 1) : loss[from];
      sum = 0;
      count = 0;
    }
  }
}

// One part with the values w of the others
static rh_status evaluate_part(const rh_suggester *sg, const rh_suggest_fit *fit, const double *w,
                               const int part[2], double *r, double *loss)
{
  RH_TRY(count_trials(sg, fit, sg->few, part));
  if (!rh_fit_evaluate(fit->problem, w, r) && !rh_fit_evaluate(fit->problem, fit->w, r)) {
    return RH_NOT_FINITE;
  }
  add_losses(sg, fit, part, r, loss);
  return RH_OK;
}

static rh_status score_part(const rh_suggester *sg, const rh_suggest_fit *whole, const int part[2],
                            rh_fit_score *score)
{
  rh_fit_score one;
  double *weight = rh_alloc(((size_t)sg->trials + 1) * sizeof *weight);
  if (weight == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < sg->trials; i++) {
    weight[i] = part_of(sg, i, part[1]) == part[0] && (!sg->few || is_of_few(sg, i));
  }
  rh_fit_score_of(whole->problem, &sg->data[RH_SUGGEST_WHOLE], whole->r, weight, &one);
  rh_fit_join_scores(score, &one);
  rh_free(weight);
  return RH_OK;
}

static rh_status evaluate_folds(const rh_suggester *sg, const rh_suggest_fit *fit,
                                rh_suggest_fit *whole, unsigned char *left_out,
                                const rh_suggest_loss *loss, rh_fit_score *score)
{
  int folds = sg->job->folds > 0 ? sg->job->folds : RH_SUGGEST_FOLDS;
  folds = folds < sg->trials ? folds : sg->trials;
  *score = (rh_fit_score){0};
  for (int fold = 0; fold < folds; fold++) {
    const int part[2] = {fold, folds};
    double step[RH_FIT_VALUES];
    double w[RH_FIT_VALUES];
    mark_rows(sg, fit, sg->few, part, left_out);
    (void)find_step(fit, left_out, step);
    move_values(fit, step, 1, w);
    RH_TRY(evaluate_part(sg, fit, w, part, fit->other, loss->of[RH_SUGGEST_WINDOWS]));
    memcpy(whole->w, fit->w, sizeof whole->w); // where the others' cannot be evaluated
    RH_TRY(evaluate_part(sg, whole, w, part, whole->r, loss->of[RH_SUGGEST_WHOLE]));
    RH_TRY(score_part(sg, whole, part, score));
  }
  RH_TRY(count_trials(sg, fit, sg->few, NULL));
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

rh_status rh_suggest_evaluate(const rh_suggester *sg, const rh_suggest_fit *fit,
                              const rh_fit_change *extra, const rh_suggest_loss *loss,
                              rh_fit_score *score)
{
  rh_suggest_fit whole;
  unsigned char *left_out = rh_alloc((size_t)fit->m + 1);
  rh_status status = rh_suggest_open(sg, RH_SUGGEST_WHOLE, extra, sg->to->robust, &whole);
  status = left_out == NULL ? RH_OUT_OF_MEMORY : status;
  if (status == RH_OK) {
    status = evaluate_folds(sg, fit, &whole, left_out, loss, score);
  }
  rh_suggest_close(&whole);
  rh_free(left_out);
  return status;
}

typedef struct gain { // of one model over another, trial by trial
  double sum, chance, all;
} gain;

static gain find_gain(const double *before, const double *after, int trials)
{
  gain g = {0};
  double squares = 0;
  for (int i = 0; i < trials; i++) {
    double by = before[i] - after[i];
    g.sum += by;
    squares += by * by;
    g.all += before[i];
  }
  double spread = trials > 1 ? (squares - g.sum * g.sum / trials) / (trials - 1) : 0;
  g.chance = CHANCE * rh_fit_student(trials - 1) * sqrt(fmax(spread, 0) * trials);
  return g;
}

bool rh_suggest_is_worse(const rh_suggester *sg, const rh_suggest_loss *before,
                         const rh_suggest_loss *after)
{
  gain g = find_gain(before->of[RH_SUGGEST_WINDOWS], after->of[RH_SUGGEST_WINDOWS], sg->trials);
  return -g.sum > g.chance;
}

// Runs of whole trials scatter: the order of their impacts changes with small changes of the values. Windows have one contact or two, and
// say sooner that a change is one for the better; whole trials must not say that it is one for the worse.
bool rh_suggest_is_better(const rh_suggester *sg, const rh_suggest_loss *before,
                          const rh_suggest_loss *after)
{
  bool better[RH_SUGGEST_KINDS];
  bool worse[RH_SUGGEST_KINDS];
  for (int i = 0; i < RH_SUGGEST_KINDS; i++) {
    gain g = find_gain(before->of[i], after->of[i], sg->trials);
    better[i] = g.sum > (1 - GAIN) * g.all && g.sum > g.chance;
    worse[i] = -g.sum > g.chance;
  }
  return (better[RH_SUGGEST_WINDOWS] && !worse[RH_SUGGEST_WHOLE]) ||
         (better[RH_SUGGEST_WHOLE] && !worse[RH_SUGGEST_WINDOWS]);
}
