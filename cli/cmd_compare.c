// cmd_compare.c: `routh compare`: one scene under several laws or haptic methods, or two recordings.
#include "plots/plot.h"
#include "results.h"

#include <string.h>

static rh_status ask_laws(const rh_args *args, rh_compare_job *job)
{
  RH_TRY(rh_words_split(&job->laws, rh_args_text(args, "laws")));
  RH_TRY(rh_words_split(&job->frictions, rh_args_text(args, "frictions")));
  RH_TRY(rh_words_split(&job->impacts, rh_args_text(args, "impacts")));
  return rh_scene_from(&args->request, args->request.file[0], job->diag, &job->scene);
}

static void free_laws(rh_compare_job *job)
{
  for (int i = 0; i < job->nvariant; i++) {
    rh_trial_free(&job->variant[i].trial);
  }
  rh_scene_destroy(job->scene);
  rh_words_free(&job->laws);
  rh_words_free(&job->frictions);
  rh_words_free(&job->impacts);
  rh_words_free(&job->channels);
}

static rh_status compare_scene(const rh_args *args, rh_compare_job *job)
{
  job->output = rh_args_text(args, "output");
  bool streamed = job->output != NULL && strcmp(job->output, "-") == 0;
  if (job->output != NULL) {
    RH_TRY(rh_picture_check("compare", job->output));
  }
  if (streamed && args->request.json) {
    return rh_refuse(RH_WRONG_USAGE,
                     "compare: --json and a picture cannot both go to standard output");
  }
  RH_TRY(rh_words_split(&job->channels, rh_args_text(args, "channel")));
  RH_TRY(ask_laws(args, job));
  RH_TRY(rh_compare_laws(job));
  if (job->output != NULL) {
    RH_TRY(rh_compare_draw(job));
  }
  if (args->request.json) {
    RH_TRY(rh_compare_json(job));
  } else if (!streamed && !(args->request.quiet && job->output != NULL)) {
    RH_TRY(rh_compare_print(job));
  }
  if (job->output != NULL && !streamed) {
    rh_say(&args->request, "wrote %s", job->output);
  }
  return RH_OK;
}

static rh_status compare_laws(const rh_args *args, rh_diag *diag)
{
  rh_compare_job *job = rh_alloc(sizeof *job);
  if (job == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  job->request = &args->request;
  job->diag = diag;
  rh_status status = compare_scene(args, job);
  free_laws(job);
  rh_free(job);
  return status;
}

// Laws or formulations ranked on measured series
static rh_status rank_laws(const rh_args *args, rh_diag *diag)
{
  rh_compare_job *job = rh_alloc(sizeof *job);
  rh_ranking *ranking = rh_alloc(sizeof *ranking);
  rh_fit_arguments given = {0};
  rh_fit_job fit = {0};
  rh_status status =
      job != NULL && ranking != NULL ? rh_fit_read_arguments(args, &given) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_fit_ask_job("compare", &args->request, &given.options, &fit);
  }
  if (status == RH_OK) {
    fit.scene = args->request.file[0];
    fit.data = given.data;
    job->request = &args->request;
    job->diag = diag;
    ranking->fit = &fit;
    status = ask_laws(args, job);
  }
  if (status == RH_OK) {
    status = rh_compare_rank(job, ranking);
  }
  if (status == RH_OK) {
    status = args->request.json ? rh_ranking_json(job, ranking) : rh_ranking_print(job, ranking);
  }
  if (job != NULL && ranking != NULL) {
    free_laws(job);
    rh_ranking_free(ranking);
  }
  rh_fit_arguments_free(&given);
  rh_free(job);
  rh_free(ranking);
  return status;
}

static rh_status compare_methods(const rh_args *args, rh_diag *diag)
{
  rh_compared_methods *result = rh_alloc(sizeof *result);
  if (result == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status =
      rh_compare_methods(&args->request, rh_args_text(args, "methods"), diag, result);
  if (status == RH_OK) {
    status = args->request.json ? rh_methods_json(&args->request, result)
                                : rh_methods_print(&args->request, result);
  }
  rh_words_free(&result->specs);
  rh_free(result);
  return status;
}

static rh_status ask_tolerance(const rh_args *args, double *tolerance)
{
  const char *text = rh_args_text(args, "tol");
  char why[RH_WHY_MAX];
  if (text != NULL && (!rh_unit_parse(text, "1", tolerance, why) || !(*tolerance >= 0))) {
    return rh_refuse(RH_WRONG_USAGE, "compare: --tol needs a number >= 0, got '%s'", text);
  }
  return RH_OK;
}

static rh_status compare_runs(const rh_args *args, rh_diag *diag)
{
  const char **file = args->request.file;
  rh_run_pair p = {.diag = diag, .path = {file[0], file[1]}};
  rh_words words = {0};
  rh_status status = rh_words_split(&words, rh_args_text(args, "channel"));
  status = status == RH_OK ? ask_tolerance(args, &p.tolerance) : status;
  status = status == RH_OK ? rh_compare_runs(&p, &words) : status;
  if (status == RH_OK) {
    status = args->request.json ? rh_runs_json(&p) : rh_runs_print(&args->request, &p);
  }
  if (status == RH_OK && !rh_run_pair_alike(&p)) {
    status = RH_OUTSIDE_TOLERANCE;
  }
  rh_run_pair_free(&p);
  rh_words_free(&words);
  return status;
}

// One scene and its laws; other operands are refused with their required options.
static rh_status check_operands(const rh_args *args, bool laws)
{
  bool recording = false;
  for (int i = 0; i < args->request.nfile; i++) {
    recording = recording || rh_file_is_recording(args->request.file[i]);
  }
  if (recording) {
    return rh_refuse(
        RH_WRONG_USAGE,
        laws ? "compare: --laws, --frictions and --impacts need a scene, not a recording"
             : "compare: a recording is compared with a second one: routh compare "
               "RUN1.rhr RUN2.rhr");
  }
  if (args->request.nfile == 2) {
    return rh_refuse(RH_WRONG_USAGE,
                     "compare: one scene at a time; run both and compare the recordings");
  }
  return laws ? RH_OK
              : rh_refuse(RH_WRONG_USAGE,
                          "compare: no laws are given: routh compare SCENE --laws A,B,...; 'routh "
                          "list laws' and 'routh list impacts' list them");
}

// Options of a ranking are for a ranking.
static rh_status check_data(const rh_args *args, bool laws)
{
  static const char *const own[] = {"free",    "start",  "noise",    "rename", "folds",
                                    "threads", "window", "channels", "every",  "robust"};
  bool data = rh_args_text(args, "data") != NULL;
  for (int i = 0; i < RH_COUNT(own) && !data; i++) {
    if (rh_args_text(args, own[i]) != NULL) {
      return rh_refuse(RH_WRONG_USAGE, "compare: --%s is for laws with --data", own[i]);
    }
  }
  if (data &&
      (!laws || rh_args_text(args, "output") != NULL || rh_args_text(args, "channel") != NULL)) {
    return rh_refuse(RH_WRONG_USAGE, "compare: usage: routh compare SCENE --laws A,B,... --data "
                                     "FILES --free PATHS --noise CH=X,...; it draws no picture");
  }
  return RH_OK;
}

static rh_status compare_verb(const rh_args *args)
{
  bool laws = rh_args_text(args, "laws") != NULL || rh_args_text(args, "frictions") != NULL ||
              rh_args_text(args, "impacts") != NULL;
  bool runs = args->request.nfile == 2 && rh_file_is_recording(args->request.file[0]) &&
              rh_file_is_recording(args->request.file[1]);
  bool methods = rh_args_text(args, "methods") != NULL;
  if (methods && (laws || runs || args->request.nfile != 1 ||
                  rh_args_text(args, "output") != NULL || rh_args_text(args, "tol") != NULL)) {
    return rh_refuse(RH_WRONG_USAGE, "compare: usage: routh compare SCENE --methods A,B,...");
  }
  if (runs && (laws || args->request.nset > 0 || rh_args_text(args, "output") != NULL)) {
    return rh_refuse(RH_WRONG_USAGE, "compare: two recordings take only --channel and --tol");
  }
  if (!runs && !methods) {
    RH_TRY(check_operands(args, laws));
  }
  if (!runs && rh_args_text(args, "tol") != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "compare: --tol is for two recordings");
  }
  RH_TRY(check_data(args, laws && !runs && !methods));
  rh_diag *diag = rh_diag_create();
  if (diag == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  bool data = rh_args_text(args, "data") != NULL;
  rh_status status = runs      ? compare_runs(args, diag)
                     : methods ? compare_methods(args, diag)
                     : data    ? rank_laws(args, diag)
                               : compare_laws(args, diag);
  rh_diag_print(&args->request, diag, "nothing was compared");
  rh_diag_destroy(diag);
  return status;
}

static const rh_option option[] = {
    {.name = "laws",
     .value = "A,B,...",
     .from = "laws|impacts",
     .many = true,
     .doc = "normal laws, each for every contact; LAW:NAME=VALUE:NAME=VALUE sets values"},
    {.name = "frictions",
     .value = "A,B,...",
     .from = "frictions",
     .many = true,
     .doc = "friction laws, in the same way"},
    {.name = "impacts",
     .value = "A,B,...",
     .from = "formulations",
     .many = true,
     .doc = "formulations of impacts at several points; all"},
    {.name = "methods",
     .value = "A,B,...",
     .from = "methods",
     .many = true,
     .doc = "haptic scene: methods, METHOD:LIMITS (iapb:spread)"},
    {.name = "channel",
     .value = "NAME,...",
     .from = "channels",
     .many = true,
     .doc = "channels to draw, or to compare of two recordings"},
    {.name = "tol", .value = "X", .doc = "two recordings: differences up to this are ignored"},
    {.name = "data",
     .value = "FILE,...",
     .many = true,
     .doc = "rank the laws by their error on measured trials"},
    RH_OPTIONS_OF_DATA,
    {.name = "folds", .value = "N", .doc = "of --data: parts left out in turn (5)"},
    RH_OPTION_SET,
    RH_OPTION_OUTPUT(
        "two or more laws: draw FILE.svg or FILE.png; - is standard output (SVG, no table)"),
};

static const rh_example example[] = {
    {"compare drop.yaml --laws hertz,hunt-crossley", "one scene, two laws"},
    {"compare cradle.yaml --laws hertz --impacts all", "and all formulations"},
    {"compare peg.yaml --methods iapb:spread,pb", "the forces on a hand"},
    {"compare drop.yaml --laws stronge,poisson --data t.csv", "by measured trials"},
    {"compare old.rhr new.rhr --tol 1e-9", "differences of two runs; exit code 1 if any"},
};

const rh_verb rh_verb_compare = {
    .row = {.name = "compare",
            .cite = "",
            .doc = "Compare laws or methods on one scene, or two runs with each other."},
    .group = "Simulate",
    .usage = "SCENE | RUN1 RUN2",
    .more = "The law of the scene keeps its values; another has its defaults, except for the "
            "constants of the materials and the values that friction laws share (mu). Where the "
            "scene states a restitution, each law is fitted to it.",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "yaml|yml|json|rhr|urdf",
    .least = 1,
    .most = 2,
    .run = compare_verb,
};
