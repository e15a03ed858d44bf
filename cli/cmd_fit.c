// cmd_fit.c: `routh fit`: values of a scene from measured series.
#include "results.h"

#include <math.h>
#include <string.h>

static rh_status ask_number(const rh_args *args, const char *name, double least, double *x)
{
  const char *text = rh_args_text(args, name);
  char why[RH_WHY_MAX];
  if (text != NULL && (!rh_unit_parse(text, name[0] == 'w' || name[0] == 'e' ? "s" : "1", x, why) ||
                       !(*x >= least))) {
    return rh_refuse(RH_WRONG_USAGE, "%s: --%s needs a number >= %g, got '%s'",
                     args->verb->row.name, name, least, text);
  }
  return RH_OK;
}

static rh_status ask_count(const rh_args *args, const char *name, double least, int *n)
{
  double x = 0;
  RH_TRY(ask_number(args, name, least, &x));
  *n = (int)fmin(x, 1e9);
  return RH_OK;
}

static rh_status ask_window(const rh_args *args, rh_fit_options *o)
{
  const char *window = rh_args_text(args, "window");
  char why[RH_WHY_MAX];
  o->at_contacts = window != NULL && strncmp(window, "contacts", 8) == 0;
  if (o->at_contacts && window[8] != '\0' &&
      (window[8] != ':' || !rh_unit_parse(window + 9, "s", &o->window, why) || !(o->window > 0))) {
    return rh_refuse(RH_WRONG_USAGE,
                     "%s: --window takes T, contacts or contacts:T with T > 0, got '%s'",
                     args->verb->row.name, window);
  }
  return o->at_contacts ? RH_OK : ask_number(args, "window", 0, &o->window);
}

// The words of a list, which the options lend.
static rh_status ask_words(const rh_args *args, const char *name, rh_words *words,
                           const char *const **word, int *n)
{
  rh_status status = rh_words_split(words, rh_args_text(args, name));
  *word = (const char *const *)words->word;
  *n = words->n;
  return status;
}

rh_status rh_fit_read_arguments(const rh_args *args, rh_fit_arguments *a)
{
  rh_fit_options *o = &a->options;
  *a = (rh_fit_arguments){.options = {.set = args->request.set, .nset = args->request.nset}};
  RH_TRY(rh_words_split(&a->data, rh_args_text(args, "data")));
  RH_TRY(ask_words(args, "start", &a->starts, &o->starts, &o->nstarts));
  RH_TRY(ask_words(args, "free", &a->free, &o->free, &o->nfree));
  RH_TRY(ask_words(args, "noise", &a->noise, &o->noise, &o->nnoise));
  RH_TRY(ask_words(args, "rename", &a->rename, &o->rename, &o->nrename));
  RH_TRY(ask_words(args, "channels", &a->channels, &o->channels, &o->nchannels));
  RH_TRY(ask_count(args, "threads", 1, &o->threads));
  RH_TRY(ask_count(args, "folds", 2, &o->folds));
  RH_TRY(ask_number(args, "every", 0, &o->every));
  o->robust = rh_args_flag(args, "robust");
  return ask_window(args, o);
}

void rh_fit_arguments_free(rh_fit_arguments *a)
{
  rh_words *const all[] = {&a->data,   &a->test,     &a->free,  &a->noise,
                           &a->rename, &a->channels, &a->starts};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_words_free(all[i]);
  }
}

static rh_status read_arguments(const rh_args *args, rh_fit_arguments *a)
{
  rh_fit_options *o = &a->options;
  RH_TRY(rh_fit_read_arguments(args, a));
  RH_TRY(rh_words_split(&a->test, rh_args_text(args, "test")));
  RH_TRY(ask_count(args, "suggest", 1, &o->suggest));
  RH_TRY(ask_count(args, "global", 1, &o->global));
  RH_TRY(ask_count(args, "bootstrap", 20, &o->bootstrap));
  o->journal = rh_args_text(args, "resume");
  o->page = rh_args_text(args, "output");
  o->scene = rh_args_text(args, "write-scene");
  o->quick = rh_args_flag(args, "quick");
  const char *slopes = rh_args_text(args, "slopes");
  o->differences = slopes != NULL && strcmp(slopes, "differences") == 0;
  return RH_OK;
}

static rh_status add_files(const rh_fit_arguments *a, rh_fit *fit)
{
  for (int i = 0; i < a->data.n + a->test.n; i++) {
    bool test = i >= a->data.n;
    RH_TRY(rh_fit_add_file(fit, test ? a->test.word[i - a->data.n] : a->data.word[i], test));
  }
  return RH_OK;
}

static rh_status fit_verb(const rh_args *args)
{
  rh_fit_arguments given = {0};
  rh_fit *fit = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = diag != NULL ? read_arguments(args, &given) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_fit_create(args->request.file[0], NULL, diag, &fit);
  }
  if (status == RH_OK) {
    status = add_files(&given, fit);
  }
  if (status == RH_OK) {
    status = rh_fit_find_for(fit, &args->request, &given.options, diag);
  }
  if (diag != NULL) {
    rh_diag_print(&args->request, diag, "nothing was fitted");
  }
  status = status == RH_OK ? rh_fit_show(fit) : status;
  rh_fit_destroy(fit);
  rh_fit_arguments_free(&given);
  rh_diag_destroy(diag);
  return status;
}

static const rh_option option[] = {
    {.name = "data",
     .value = "FILE,...",
     .many = true,
     .doc = "recordings, or CSV: t, channels, and trial where a file has several"},
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
     .doc = "change the scene by what follows trials left out better, up to N times"},
    {.name = "write-scene", .value = "FILE", .doc = "the scene that --suggest found, as YAML"},
    {.name = "folds",
     .value = "N",
     .doc = "leave each of N parts of the trials out in turn: the error on what is left out"},
    {.name = "resume",
     .value = "FILE",
     .doc = "keep what is finished in FILE, and continue from there if it exists: the same result"},
    {.name = "bootstrap", .value = "N", .doc = "intervals by N sets of trials drawn again"},
    {.name = "slopes",
     .value = "HOW",
     .choices = "auto|differences",
     .doc = "slopes by integration or not"},
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
