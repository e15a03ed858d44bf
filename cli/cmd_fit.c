// cmd_fit.c: `routh fit`: values of a scene from measured series.
#include "results.h"

#include <math.h>
#include <string.h>

static rh_status ask_number(const rh_args *args, const char *name, double least, double *x)
{
  const char *text = rh_args_text(args, name);
  char why[RH_WHY_MAX];
  if (text != NULL &&
      (!rh_unit_parse(text, strcmp(name, "window") == 0 ? "s" : "1", x, why) || !(*x >= least))) {
    return rh_refuse(RH_WRONG_USAGE, "%s: --%s needs a number >= %g, got '%s'",
                     args->verb->row.name, name, least, text);
  }
  return RH_OK;
}

static rh_status ask_window(const rh_args *args, rh_fit_job *job)
{
  const char *window = rh_args_text(args, "window");
  const char *verb = args->verb->row.name;
  job->at_contacts = window != NULL && strncmp(window, "contacts", 8) == 0;
  char why[RH_WHY_MAX];
  if (job->at_contacts && window[8] != '\0' &&
      (window[8] != ':' || !rh_unit_parse(window + 9, "s", &job->window, why) ||
       !(job->window > 0))) {
    return rh_refuse(RH_WRONG_USAGE,
                     "%s: --window takes T, contacts or contacts:T with T > 0, got '%s'", verb,
                     window);
  }
  if (!job->at_contacts) {
    RH_TRY(ask_number(args, "window", 0, &job->window));
  }
  return window == NULL || job->start != RH_FIT_START_SCENE
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE, "%s: --window needs --start data or --start fit", verb);
}

rh_status rh_fit_ask(const rh_args *args, rh_fit_job *job)
{
  static const char *const start[] = {"scene", "data", "fit"};
  const char *how = rh_args_text(args, "start");
  double threads = 1;
  double folds = 0;
  *job = (rh_fit_job){.request = &args->request, .scene = args->request.file[0], .iterations = 400};
  for (int i = 0; how != NULL && i < RH_COUNT(start); i++) {
    job->start = strcmp(how, start[i]) == 0 ? (rh_fit_start)i : job->start;
  }
  RH_TRY(rh_words_split(&job->data, rh_args_text(args, "data")));
  RH_TRY(rh_words_split(&job->free, rh_args_text(args, "free")));
  RH_TRY(rh_words_split(&job->noise, rh_args_text(args, "noise")));
  RH_TRY(rh_words_split(&job->rename, rh_args_text(args, "rename")));
  RH_TRY(ask_number(args, "threads", 1, &threads));
  RH_TRY(ask_number(args, "folds", 2, &folds));
  job->folds = (int)fmin(folds, RH_FIT_TRIALS);
  job->threads = (int)fmin(threads, RH_POOL_MAX);
  job->robust = rh_args_flag(args, "robust");
  return ask_window(args, job);
}

void rh_fit_job_free(rh_fit_job *job)
{
  rh_words_free(&job->data);
  rh_words_free(&job->test);
  rh_words_free(&job->free);
  rh_words_free(&job->noise);
  rh_words_free(&job->rename);
}

static rh_status read_job(const rh_args *args, rh_fit_job *job)
{
  double suggest = 0;
  double global = 0;
  double bootstrap = 0;
  RH_TRY(rh_fit_ask(args, job));
  RH_TRY(rh_words_split(&job->test, rh_args_text(args, "test")));
  RH_TRY(ask_number(args, "suggest", 1, &suggest));
  RH_TRY(ask_number(args, "global", 1, &global));
  RH_TRY(ask_number(args, "bootstrap", 20, &bootstrap));
  job->suggest = (int)fmin(suggest, RH_FIT_CHANGES);
  job->global = (int)fmin(global, 1e6);
  job->bootstrap = (int)fmin(bootstrap, 10000);
  job->report = rh_args_text(args, "output");
  job->profile = !rh_args_flag(args, "quick");
  if (job->data.n == 0) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: usage: routh fit SCENE --data FILE,... --free PATH[=LOW:HIGH],...");
  }
  return RH_OK;
}

static rh_status fit_verb(const rh_args *args)
{
  rh_fit_job job = {0};
  rh_fit_answer *answer = rh_alloc(sizeof *answer);
  rh_fit_suggestions *suggestions = rh_alloc(sizeof *suggestions);
  rh_diag *diag = rh_diag_create();
  rh_status status = answer != NULL && suggestions != NULL && diag != NULL
                         ? read_job(args, &job)
                         : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  if (status == RH_OK) {
    const char *journal = rh_args_text(args, "resume");
    status = journal != NULL ? rh_fit_journal_open(journal, &job.journal) : RH_OK;
  }
  if (status == RH_OK) {
    status = job.suggest > 0 ? rh_fit_suggest(&job, diag, suggestions, answer)
                             : rh_fit_estimate(&job, diag, answer);
    rh_status closed = rh_fit_journal_close(job.journal);
    status = status == RH_OK ? closed : status;
    job.journal = NULL;
    rh_diag_print(&args->request, diag, "nothing was fitted");
  }
  if (status == RH_OK) {
    const rh_fit_suggestions *s = job.suggest > 0 ? suggestions : NULL;
    status = args->request.json ? rh_fit_json(&job, answer, s) : RH_OK;
    if (status == RH_OK && !args->request.json && s != NULL) {
      status = rh_fit_print_suggestions(&job, s);
    }
    if (status == RH_OK && !args->request.json) {
      status = rh_fit_print(&job, answer);
    }
  }
  (void)rh_fit_journal_close(job.journal); // it could not be opened
  rh_diag_destroy(diag);
  rh_free(answer);
  rh_free(suggestions);
  rh_fit_job_free(&job);
  return status;
}

static const rh_option option[] = {
    {.name = "data",
     .value = "FILE,...",
     .many = true,
     .doc = "CSV: t, channels, and trial where a file has several"},
    RH_OPTIONS_OF_DATA,
    {.name = "test",
     .value = "FILE,...",
     .many = true,
     .doc = "how far off the result is on these data, which it has not seen"},
    {.name = "global",
     .value = "N",
     .doc = "look for a start within the bounds first, by N evaluations"},
    {.name = "suggest",
     .value = "N",
     .doc = "try changes of the scene on trials left out; take over the best, up to N times"},
    {.name = "folds",
     .value = "N",
     .doc = "leave each of N parts of the trials out in turn: the error on what is left out"},
    {.name = "resume",
     .value = "FILE",
     .doc = "keep what is finished in FILE, and continue from there if it exists: the same result"},
    {.name = "bootstrap", .value = "N", .doc = "intervals by N sets of trials drawn again"},
    {.name = "quick", .doc = "intervals by the linear model, no profiles"},
    RH_OPTION_SET,
    RH_OPTION_PROGRESS,
    RH_OPTION_OUTPUT("FILE.html: a page with the series, the residuals and the values"),
};

static const rh_example example[] = {
    {"fit ball.yaml --data drop.csv --free floor.e=0.1:1", "a restitution and its interval"},
    {"fit cube.yaml --data t.csv --start data --free floor.mu_k",
     "trials that begin as they were measured"},
};

const rh_verb rh_verb_fit = {
    .row = {.name = "fit",
            .cite = "",
            .doc = "Find values of a scene from measurements, and how sure they are."},
    .group = "Simulate",
    .usage = "SCENE",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json",
    .least = 1,
    .most = 1,
    .run = fit_verb,
};
