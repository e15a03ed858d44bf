// rank.c: laws or formulations ranked on measured series. The scene under each has its values found on a part of the trials and is
// judged on the trials that were left out, each part in its turn (M. Stone, "Cross-validatory choice and assessment of statistical
// predictions", J. R. Stat. Soc. B 36, 1974). The error of a trial is the root mean square of its residuals over their noise. What is
// compared is the difference of the errors of one trial under two laws: trials are harder or easier for all of them.
#include "compare.h"

#include "fit/fit.h"
#include "math/least_squares.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5 };

typedef struct rank_work {
  rh_ranking *to;
  rh_fit_answer *answer;
  double *squares;          // (2 RH_FIT_TRIALS)
  bool used[RH_FIT_VALUES]; // words of --free that some variant has
} rank_work;

// ---- Values that the laws have

// Does the scene of this job have the value? A law has its own ones only.
static bool has_value(const rh_fit_job *job, const char *word, rh_diag *quiet)
{
  rh_fit_value value;
  rh_fit_scene scene;
  rh_fit_world world = {0};
  if (rh_fit_scene_open(job, quiet, &scene) != RH_OK) {
    return false;
  }
  bool has = rh_fit_read_value(word, &value) == RH_OK && rh_fit_has(&scene, &value) &&
             rh_fit_world_make(&scene, &value, &value.start, 1, quiet, &world) == RH_OK;
  rh_fit_world_free(&world);
  rh_fit_scene_close(&scene);
  return has;
}

static rh_status choose_values(rank_work *k, rh_fit_job *job, char **word)
{
  const rh_fit_job *asked = k->to->fit;
  rh_diag *quiet = rh_diag_create();
  if (quiet == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  job->free = (rh_words){word, 0};
  for (int i = 0; i < asked->free.n; i++) {
    if (has_value(job, asked->free.word[i], quiet)) {
      word[job->free.n++] = asked->free.word[i];
      k->used[i] = true;
    }
  }
  rh_diag_destroy(quiet);
  return rh_memory_failed() ? RH_OUT_OF_MEMORY : RH_OK;
}

// ---- One variant

static double error_of(const double *squares, int trial)
{
  double count = squares[2 * trial + 1];
  return count > 0 ? sqrt(squares[2 * trial] / count) : (double)NAN;
}

static rh_status rank_one(rank_work *k, const char *text, rh_diag *diag, rh_ranked *one)
{
  rh_ranking *to = k->to;
  rh_request request = *to->fit->request;
  rh_fit_job job = *to->fit;
  char *word[RH_FIT_VALUES];
  request.nset = 0;          // they are in the text
  request.progress = "none"; // that of the laws is told
  job.request = &request;
  job.text = text;
  job.left_out = k->squares;
  job.profile = false;
  job.folds = job.folds > 0 ? job.folds : FOLDS;
  to->folds = job.folds;
  memset(k->squares, 0, 2 * RH_FIT_TRIALS * sizeof *k->squares);
  RH_TRY(choose_values(k, &job, word));
  rh_status status = rh_fit_estimate(&job, diag, k->answer);
  one->failed = status != RH_OK;
  if (status != RH_OK) {
    return status == RH_NOT_FINITE ? RH_OK : status;
  }
  if (!k->answer->noise_given) {
    return rh_refuse(RH_WRONG_USAGE, "compare: --data compares residuals over the noise: give "
                                     "--noise of every measured channel");
  }
  one->nvalue = k->answer->nvalue;
  one->excess = k->answer->folds.excess;
  one->place = k->answer->folds.place[0];
  one->turn = k->answer->folds.turn[0];
  for (int i = 0; i < one->nvalue; i++) {
    (void)snprintf(one->name[i], sizeof one->name[i], "%s", k->answer->value[i].name);
    one->value[i] = k->answer->result[i].x;
  }
  to->joint = k->answer->njoint > 0;
  int trials = 0;
  for (int i = 0; i < RH_FIT_TRIALS; i++) {
    if (k->squares[2 * i + 1] > 0) {
      trials = i + 1;
    }
  }
  one->error = rh_alloc((size_t)(trials + 1) * sizeof *one->error);
  if (one->error == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < trials; i++) {
    one->error[i] = error_of(k->squares, i);
  }
  to->trials = trials;
  return RH_OK;
}

// ---- All of them

// Mean of a (less b, unless NULL) over the trials, and half of its 95 % interval by Student's distribution.
static void mean_of(int trials, const double *a, const double *b, double *mean, double *half)
{
  double sum = 0;
  double squares = 0;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < trials; i++) {
      double x = a[i] - (b != NULL ? b[i] : 0);
      if (isfinite(x)) {
        sum += pass == 0 ? x : 0;
        n += pass == 0;
        squares += pass == 0 ? 0 : (x - sum / n) * (x - sum / n);
      }
    }
  }
  *mean = n > 0 ? sum / n : (double)NAN;
  *half = n > 1 ? rh_fit_student(n - 1) * sqrt(squares / (n - 1) / n) : HUGE_VAL;
}

static void put_in_order(rh_ranking *to)
{
  const rh_ranked *best = NULL;
  for (int i = 0; i < to->n; i++) {
    rh_ranked *one = &to->one[i];
    if (!one->failed) {
      mean_of(to->trials, one->error, NULL, &one->mean, &one->half);
      best = best == NULL || one->mean < best->mean ? one : best;
    }
  }
  for (int i = 0; i < to->n; i++) {
    rh_ranked *one = &to->one[i];
    if (one->failed) {
      continue;
    }
    mean_of(to->trials, one->error, best->error, &one->worse, &one->worse_half);
    one->same = one == best || one->worse - one->worse_half <= 0;
    one->rank = 1;
    for (int j = 0; j < to->n; j++) {
      const rh_ranked *other = &to->one[j];
      bool before = other->mean < one->mean || (other->mean == one->mean && j < i);
      one->rank += !other->failed && before;
    }
  }
}

static rh_status check_words(const rank_work *k)
{
  const rh_words *words = &k->to->fit->free;
  for (int i = 0; i < words->n; i++) {
    if (!k->used[i]) {
      return rh_refuse(RH_INPUT_REFUSED,
                       "compare: --free %s: the scene has no such number under any of the laws",
                       words->word[i]);
    }
  }
  return RH_OK;
}

static rh_status rank_all(rank_work *k, rh_compare_job *job)
{
  rh_ranking *to = k->to;
  for (int i = 0; i < job->nvariant; i++) {
    rh_progress progress = rh_progress_begin(job->request, 0, 1);
    rh_progress_count(&progress, i, job->nvariant, job->variant[i].label);
    char *text = NULL;
    rh_status status = rh_compare_text(job, &job->variant[i], &text);
    if (status == RH_OK) {
      to->n = i + 1;
      status = rank_one(k, text, job->diag, &to->one[i]);
    }
    rh_free(text);
    rh_progress_end(&progress);
    RH_TRY(status);
  }
  RH_TRY(check_words(k));
  put_in_order(to);
  return RH_OK;
}

rh_status rh_compare_rank(rh_compare_job *job, rh_ranking *to)
{
  const rh_words *words = &to->fit->free;
  for (int i = 0; i < words->n; i++) {
    rh_fit_value value;
    RH_TRY(rh_fit_read_value(words->word[i], &value));
    if (strncmp(words->word[i], "parameters.", 11) == 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "compare: --free %s: the scene under a law has no parameters any more; name "
                       "the values of the contacts",
                       words->word[i]);
    }
  }
  if (words->n > RH_FIT_VALUES) {
    return rh_refuse(RH_WRONG_USAGE, "compare: at most %d values can be free", RH_FIT_VALUES);
  }
  RH_TRY(rh_compare_list(job));
  rank_work k = {.to = to};
  k.answer = rh_alloc(sizeof *k.answer);
  k.squares = rh_alloc(2 * RH_FIT_TRIALS * sizeof *k.squares);
  rh_status status = k.answer != NULL && k.squares != NULL ? rank_all(&k, job) : RH_OUT_OF_MEMORY;
  rh_free(k.answer);
  rh_free(k.squares);
  return status;
}

void rh_ranking_free(rh_ranking *to)
{
  for (int i = 0; i < RH_VARIANT_MAX; i++) {
    rh_free(to->one[i].error);
  }
}
