// library.c: routh/fit.h: a fit as an object of a program. The program's messages, progress and series go by a caller (console/caller.h), as
// for verbs inside another program.
#include "fit.h"

#include "fit_trial.h"

#include "console/caller.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 400, BOOTSTRAP_LEAST = 20, BOOTSTRAP_MOST = 10000, GLOBAL_MOST = 1000000 };

struct rh_fit {
  char *scene, *text;  // text NULL: in the file
  rh_words data, test; // files, or "@0" for the first series
  rh_measured *measured;
  int nmeasured;
  rh_request request; // of the last run
  rh_fit_job job;
  bool done;
  rh_fit_answer answer;
  rh_fit_suggestions suggestions;
};

// ---- What is asked for

static char *copy_bytes(const void *from, size_t size)
{
  char *copy = rh_alloc(size > 0 ? size : 1);
  if (copy != NULL && size > 0) {
    memcpy(copy, from, size);
  }
  return copy;
}

static char *copy_word(const char *text)
{
  return copy_bytes(text, strlen(text) + 1);
}

rh_status rh_fit_create(const char *scene, const char *text, rh_diag *diag, rh_fit **fit)
{
  rh_fit *f = rh_alloc(sizeof *f);
  *fit = f;
  if (f != NULL) {
    *f = (rh_fit){.scene = copy_word(scene), .text = text != NULL ? copy_word(text) : NULL};
  }
  if (f == NULL || f->scene == NULL || (text != NULL && f->text == NULL)) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory");
    rh_fit_destroy(f);
    *fit = NULL;
    return RH_OUT_OF_MEMORY;
  }
  return RH_OK;
}

static void free_series(rh_measured *s)
{
  for (int i = 0; s->channel != NULL && i < s->channels; i++) {
    rh_free((char *)s->channel[i]);
  }
  rh_free((char *)s->name);
  rh_free((char **)s->channel);
  rh_free((double *)s->t);
  rh_free((double *)s->value);
}

void rh_fit_destroy(rh_fit *f)
{
  if (f == NULL) {
    return;
  }
  for (int i = 0; i < f->nmeasured; i++) {
    free_series(&f->measured[i]);
  }
  rh_fit_suggestions_free(&f->suggestions);
  rh_words_free(&f->data);
  rh_words_free(&f->test);
  rh_free(f->measured);
  rh_free(f->scene);
  rh_free(f->text);
  rh_free(f);
}

rh_status rh_fit_add_file(rh_fit *f, const char *path, bool test)
{
  return rh_words_add(test ? &f->test : &f->data, path, strlen(path));
}

static bool copy_series(const rh_measured *from, rh_measured *to)
{
  size_t rows = from->rows > 0 ? (size_t)from->rows : 0;
  size_t wide = from->channels > 0 ? (size_t)from->channels : 0;
  char **channel = rh_alloc((wide + 1) * sizeof *channel);
  *to = (rh_measured){.name = copy_word(from->name),
                      .rows = (int)rows,
                      .channels = (int)wide,
                      .channel = (const char *const *)channel};
  to->t = (const double *)(void *)copy_bytes(from->t, rows * sizeof *from->t);
  to->value = (const double *)(void *)copy_bytes(from->value, rows * wide * sizeof *from->value);
  bool good = channel != NULL && to->name != NULL && to->t != NULL && to->value != NULL;
  for (size_t i = 0; good && i < wide; i++) {
    channel[i] = copy_word(from->channel[i]);
    good = channel[i] != NULL;
  }
  return good;
}

rh_status rh_fit_add_series(rh_fit *f, const rh_measured *series, bool test)
{
  size_t size = ((size_t)f->nmeasured + 1) * sizeof *f->measured;
  rh_measured *larger = rh_realloc(f->measured, size);
  char name[16];
  if (larger == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  f->measured = larger;
  rh_measured *to = &larger[f->nmeasured];
  if (!copy_series(series, to)) {
    free_series(to);
    return RH_OUT_OF_MEMORY;
  }
  int length = snprintf(name, sizeof name, "@%d", f->nmeasured++);
  return rh_words_add(test ? &f->test : &f->data, name, (size_t)length);
}

static rh_status check_options(const char *verb, const rh_fit_options *o, const rh_fit_job *job)
{
  const char *why = NULL;
  bool windows = o->window > 0 || o->at_contacts;
  if (windows && !rh_fit_starts_measured(job)) {
    why = "--window needs --start data or --start fit";
  } else if (!(o->window >= 0 && o->every >= 0) || !isfinite(o->window) || !isfinite(o->every)) {
    why = "--window and --every need a time >= 0";
  } else if (o->threads < 0 || o->global < 0 || o->suggest < 0) {
    why = "--threads, --global and --suggest need a number >= 1";
  } else if (o->folds != 0 && o->folds < 2) {
    why = "--folds needs a number >= 2";
  } else if (o->bootstrap != 0 && o->bootstrap < BOOTSTRAP_LEAST) {
    why = "--bootstrap needs a number >= 20";
  } else if (o->scene != NULL && o->suggest == 0) {
    why = "--write-scene has the scene that --suggest finds: it needs --suggest";
  }
  return why == NULL ? RH_OK : rh_refuse(RH_WRONG_USAGE, "%s: %s", verb, why);
}

static rh_words borrow_words(const char *const *word, int n)
{
  return (rh_words){(char **)word, n};
}

rh_status rh_fit_ask_job(const char *verb, const rh_request *request, const rh_fit_options *o,
                         rh_fit_job *job)
{
  *job = (rh_fit_job){.request = request,
                      .free = borrow_words(o->free, o->nfree),
                      .noise = borrow_words(o->noise, o->nnoise),
                      .rename = borrow_words(o->rename, o->nrename),
                      .channels = borrow_words(o->channels, o->nchannels),
                      .every = o->every,
                      .start = o->start,
                      .starts = borrow_words(o->starts, o->nstarts),
                      .at_contacts = o->at_contacts,
                      .window = o->window,
                      .report = o->page,
                      .write = o->scene,
                      .suggest = o->suggest < RH_FIT_CHANGES ? o->suggest : RH_FIT_CHANGES,
                      .threads = o->threads < 1             ? 1
                                 : o->threads < RH_POOL_MAX ? o->threads
                                                            : RH_POOL_MAX,
                      .global = o->global < GLOBAL_MOST ? o->global : GLOBAL_MOST,
                      .folds = o->folds < RH_FIT_TRIALS ? o->folds : RH_FIT_TRIALS,
                      .bootstrap = o->bootstrap < BOOTSTRAP_MOST ? o->bootstrap : BOOTSTRAP_MOST,
                      .iterations = ITERATIONS,
                      .profile = !o->quick,
                      .phases = true,
                      .robust = o->robust,
                      .differences = o->differences};
  RH_TRY(rh_fit_check_starts(job, NULL));
  for (int i = 0; i < job->starts.n; i++) {
    const char *word = job->starts.word[i];
    job->start = strchr(word, '=') == NULL ? rh_fit_start_named(word) : job->start;
  }
  return check_options(verb, o, job);
}

// ---- The run

rh_status rh_fit_find_for(rh_fit *f, const rh_request *request, const rh_fit_options *options,
                          rh_diag *diag)
{
  f->done = false;
  f->request = *request;
  f->request.set = (const char **)options->set;
  f->request.nset = options->nset;
  RH_TRY(rh_fit_ask_job("fit", &f->request, options, &f->job));
  f->job.scene = f->scene;
  f->job.text = f->text;
  f->job.data = f->data;
  f->job.test = f->test;
  if (f->data.n == 0) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: usage: routh fit SCENE --data FILE,... --free PATH[=LOW:HIGH],...");
  }
  rh_status status =
      options->journal != NULL ? rh_fit_journal_open(options->journal, &f->job.journal) : RH_OK;
  if (status == RH_OK) {
    status = f->job.suggest > 0 ? rh_fit_suggest(&f->job, diag, &f->suggestions, &f->answer)
                                : rh_fit_estimate(&f->job, diag, &f->answer);
  }
  rh_status closed = rh_fit_journal_close(f->job.journal);
  f->job.journal = NULL;
  status = status == RH_OK ? closed : status;
  f->done = status == RH_OK;
  if (status == RH_INTERRUPTED && options->journal != NULL) {
    rh_say(request, "interrupted; to continue: the same command, with --resume %s",
           options->journal);
  }
  return status;
}

rh_status rh_fit_find(rh_fit *f, const rh_fit_options *options, rh_diag *diag)
{
  rh_caller *outer = rh_caller_get();
  rh_caller own = {.measured = f->measured,
                   .nmeasured = f->nmeasured,
                   .progress = options->progress,
                   .user = options->user};
  const rh_request request = {.quiet = true};
  rh_caller_set(&own);
  rh_status status = rh_fit_find_for(f, &request, options, diag);
  rh_caller_set(outer);
  rh_caller_pass(&own, diag);
  rh_caller_free(&own);
  return status;
}

rh_status rh_fit_show(const rh_fit *f)
{
  const rh_fit_suggestions *s = f->job.suggest > 0 ? &f->suggestions : NULL;
  if (f->request.json) {
    return rh_fit_json(&f->job, &f->answer, s);
  }
  if (s != NULL) {
    RH_TRY(rh_fit_print_suggestions(&f->job, s, &f->answer));
  }
  return rh_fit_print(&f->job, &f->answer);
}

// ---- The result

rh_fit_summary rh_fit_get_summary(const rh_fit *f)
{
  const rh_fit_answer *a = &f->answer;
  if (!f->done) {
    return (rh_fit_summary){0};
  }
  return (rh_fit_summary){.values = a->nvalue,
                          .phases = RH_FIT_PHASES,
                          .channels = a->nchannel,
                          .joints = a->njoint,
                          .changes = f->job.suggest > 0 ? f->suggestions.n : 0,
                          .trials = a->trials,
                          .residuals = a->residuals,
                          .freedom = a->freedom,
                          .sum = a->sum,
                          .excess = a->excess,
                          .bar = a->bar,
                          .noise_given = a->noise_given,
                          .adequate = a->noise_given && a->excess <= a->bar,
                          .converged = a->converged,
                          .evaluations = a->evaluations,
                          .failed = a->failed,
                          .integrated = a->integrated,
                          .fold_trials = a->folds.trials,
                          .test_trials = a->test.trials,
                          .fold_excess = a->folds.excess,
                          .test_excess = a->test.excess,
                          .not_integrated = a->not_integrated != NULL ? a->not_integrated : "",
                          .refused = a->refused};
}

// d value / d w of the search, which has the logarithm or the value over its size.
static double slope_of(const rh_fit_value *value, double x)
{
  return value->scale == RH_FIT_LOG ? x : value->size;
}

rh_fitted rh_fit_get_value(const rh_fit *f, int index)
{
  const rh_fit_value *v = &f->answer.value[index];
  const rh_fit_result *r = &f->answer.result[index];
  bool drawn = f->job.bootstrap > 0;
  return (rh_fitted){.name = v->name,
                     .value = r->x,
                     .start = v->start,
                     .deviation = fabs(slope_of(v, r->x)) * r->deviation,
                     .low = r->low,
                     .high = r->high,
                     .profiled = r->profiled,
                     .verdict = r->verdict,
                     .with = r->with,
                     .boot_low = drawn ? r->boot_low : (double)NAN,
                     .boot_high = drawn ? r->boot_high : (double)NAN,
                     .points = r->points,
                     .at = r->at,
                     .rise = r->rise};
}

rh_fit_phase rh_fit_get_phase(const rh_fit *f, int index)
{
  const rh_fit_score *score = &f->answer.fit;
  return (rh_fit_phase){rh_fit_phase_name[index], score->count[index], score->phase[index]};
}

rh_fit_channel rh_fit_get_channel(const rh_fit *f, int index)
{
  const rh_fit_answer *a = &f->answer;
  return (rh_fit_channel){a->channel[index], a->channel_rms[index], a->noise[index],
                          a->given[index]};
}

double rh_fit_get_correlation(const rh_fit *f, int i, int j)
{
  return f->answer.correlation[i * f->answer.nvalue + j];
}

double rh_fit_get_covariance(const rh_fit *f, int i, int j)
{
  return rh_fit_get_correlation(f, i, j) * rh_fit_get_value(f, i).deviation *
         rh_fit_get_value(f, j).deviation;
}

bool rh_fit_get_inertia(const rh_fit *f, int index, double *inertia, double *deviation)
{
  return rh_fit_find_inertia(&f->answer, index, inertia, deviation);
}

// ---- Joints in space, phases

static rh_fit_error error_of(const rh_fit *f, const rh_fit_score *score, int joint)
{
  const bool known = score->trials > 0;
  return (rh_fit_error){f->answer.joint[joint].text, known ? score->place[joint] : 0,
                        known ? score->turn[joint] : 0};
}

rh_fit_error rh_fit_get_error(const rh_fit *f, rh_fit_set set, int joint)
{
  static const rh_fit_score none;
  const bool suggested = f->job.suggest > 0;
  const rh_fit_score *const score[] = {&f->answer.fit, &f->answer.folds, &f->answer.test,
                                       suggested ? &f->suggestions.before : &none,
                                       suggested ? &f->suggestions.after : &none};
  return error_of(f, score[set], joint);
}

const rh_fit_flights *rh_fit_get_flights(const rh_fit *f, int joint)
{
  return &f->answer.flights[joint];
}

const rh_fit_impacts *rh_fit_get_impacts(const rh_fit *f, int joint)
{
  return &f->answer.impacts[joint];
}

const rh_fit_slides *rh_fit_get_slides(const rh_fit *f, int joint)
{
  return &f->answer.slides[joint];
}

bool rh_fit_phases_start(const rh_fit *f)
{
  return f->done && f->answer.phases_start;
}

// ---- Suggestions

rh_fit_suggestion rh_fit_get_suggestion(const rh_fit *f, int index)
{
  const rh_fit_change *c = &f->suggestions.change[index];
  const double before = f->suggestions.before.excess;
  return (rh_fit_suggestion){.name = c->name,
                             .sets = c->nset,
                             .frees = c->nfree,
                             .taken = c->taken,
                             .fitted = c->tried,
                             .refused = c->failed,
                             .step = c->failed ? (double)NAN : c->reach,
                             .excess = c->tried ? c->left.excess : (double)NAN,
                             .gain = c->tried && before > 0 ? 1 - c->left.excess / before
                                                            : (double)NAN};
}

rh_fit_error rh_fit_get_suggestion_error(const rh_fit *f, int index, int joint)
{
  const rh_fit_change *c = &f->suggestions.change[index];
  static const rh_fit_score none;
  return error_of(f, c->tried ? &c->left : &none, joint);
}

const char *rh_fit_get_suggestion_set(const rh_fit *f, int index, int k)
{
  return f->suggestions.change[index].set[k];
}

const char *rh_fit_get_suggestion_free(const rh_fit *f, int index, int k)
{
  return f->suggestions.change[index].free[k];
}

rh_fit_choice rh_fit_get_choice(const rh_fit *f)
{
  const rh_fit_suggestions *s = &f->suggestions;
  if (!f->done || f->job.suggest == 0) {
    return (rh_fit_choice){0};
  }
  return (rh_fit_choice){.noise = s->chose_noise,
                         .window = s->chose_window,
                         .robust = s->chose_robust,
                         .odd = s->odd,
                         .robust_used = s->robust,
                         .at_contacts = s->at_contacts,
                         .window_used = s->window,
                         .taken = s->taken,
                         .sets = s->found.n,
                         .frees = s->free.n,
                         .before = s->before.excess,
                         .after = s->after.excess,
                         .scene = s->scene};
}

const char *rh_fit_get_choice_set(const rh_fit *f, int k)
{
  return f->suggestions.found.word[k];
}

const char *rh_fit_get_choice_free(const rh_fit *f, int k)
{
  return f->suggestions.free.word[k];
}

double rh_fit_get_flight_noise(const rh_fit *f, int joint)
{
  return f->done && f->job.suggest > 0 ? f->suggestions.measured[joint] : 0;
}
