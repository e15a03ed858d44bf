// plan.c: what a sweep is to do, from the words of the command line.
#include "sobol.h"

#include "recording/recording.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <string.h>

#define WORD_MAX 500 // letters of a value
#define PROBES   3   // cases that are compiled before the sweep begins

// ---- The scene

static char *copy_text(const char *text, size_t length)
{
  char *copy = rh_alloc(length + 1);
  if (copy != NULL) {
    memcpy(copy, text, length);
  }
  return copy;
}

// The text of a scene from a file, from standard input or the one built in; rh_free it.
static rh_status read_scene_text(const char *path, rh_diag *diag, char **text, size_t *bytes)
{
  const char *name = NULL;
  if (path == NULL) {
    *bytes = rh_default_scene_size;
    *text = copy_text(rh_default_scene, *bytes);
    return *text != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  return strcmp(path, "-") == 0 ? rh_stdin_read(text, bytes)
                                : rh_file_read(path, diag, text, bytes, &name);
}

// Adds the scene with every value in force, and with the data of its meshes, under the overrides of all cases and one more (NULL: none).
static rh_status add_to_sum(const rh_plan *plan, const char *more, rh_diag *diag, uint64_t *sum)
{
  rh_scene *scene = NULL;
  int n = plan->set.n;
  const char **set = rh_alloc((size_t)(n + 1) * sizeof *set);
  if (set == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  for (int i = 0; i < n; i++) {
    set[i] = plan->set.word[i];
  }
  set[n] = more;
  rh_status status = rh_scene_parse(plan->scene_text, plan->scene_bytes, plan->scene_name, set,
                                    n + (more != NULL), diag, &scene);
  rh_free(set);
  RH_TRY(status);
  char *text = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  if (text == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  *sum = rh_rec_sum_add(*sum, text, strlen(text));
  rh_free(text);
  return RH_OK;
}

// A varied word may be the name of a file, which only its cases read. A word that is refused is a result of its case.
static rh_status add_word(const rh_plan *plan, const rh_axis *axis, int word, uint64_t *sum)
{
  rh_text more = {0};
  rh_diag *quiet = rh_diag_create();
  rh_text_addf(&more, "%s=%s", axis->path, axis->words.word[word]);
  bool good = quiet != NULL && !more.failed;
  rh_status status = good ? add_to_sum(plan, more.data, quiet, sum) : RH_OUT_OF_MEMORY;
  rh_text_free(&more);
  rh_diag_destroy(quiet);
  return status == RH_OUT_OF_MEMORY ? rh_refuse(status, "out of memory") : RH_OK;
}

// The sum of the scene as it is without the varied numbers: files that it includes and meshes count too.
static rh_status sum_scene(rh_plan *plan, rh_diag *diag)
{
  plan->scene_sum = RH_REC_SUM_BEGIN;
  RH_TRY(add_to_sum(plan, NULL, diag, &plan->scene_sum));
  for (int i = 0; i < plan->naxis; i++) {
    const rh_axis *axis = &plan->axis[i];
    for (int k = 0; k < axis->words.n && !axis->numbers; k++) {
      RH_TRY(add_word(plan, axis, k, &plan->scene_sum));
    }
  }
  return RH_OK;
}

static rh_status keep_scene(const rh_plan_scene *scene, rh_plan *plan)
{
  plan->scene_text = copy_text(scene->text, scene->bytes);
  plan->scene_bytes = scene->bytes;
  plan->scene_name = copy_text(scene->name, strlen(scene->name));
  plan->set.word = rh_alloc(((size_t)scene->nset + 1) * sizeof *plan->set.word);
  bool done = plan->scene_text != NULL && plan->scene_name != NULL && plan->set.word != NULL;
  for (int i = 0; done && i < scene->nset; i++) {
    plan->set.word[i] = copy_text(scene->set[i], strlen(scene->set[i]));
    done = plan->set.word[i] != NULL;
    plan->set.n += done;
  }
  return done ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

// ---- Axes, design, numbers

static rh_status check_axis(const rh_plan *plan, const rh_axis *axis)
{
  for (int i = 0; i < plan->naxis; i++) {
    if (strcmp(plan->axis[i].path, axis->path) == 0) {
      return rh_refuse(RH_WRONG_USAGE, "sweep: --vary: '%s' is varied twice", axis->path);
    }
  }
  for (int i = 0; i < axis->words.n; i++) {
    if (strlen(axis->words.word[i]) > WORD_MAX) {
      return rh_refuse(RH_OVER_LIMIT, "sweep: --vary %s: a value has more than %d letters",
                       axis->path, WORD_MAX);
    }
  }
  return RH_OK;
}

// One axis per line.
static rh_status read_axes(const char *vary, rh_plan *plan)
{
  for (const char *at = vary; at != NULL && *at != '\0';) {
    size_t length = strcspn(at, "\n");
    if (plan->naxis == RH_AXES_MAX) {
      return rh_refuse(RH_OVER_LIMIT, "sweep: --vary: at most %d values are varied", RH_AXES_MAX);
    }
    char *spec = copy_text(at, length);
    if (spec == NULL) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    rh_axis *axis = &plan->axis[plan->naxis];
    rh_status status = rh_axis_read(spec, axis);
    rh_free(spec);
    status = status == RH_OK ? check_axis(plan, axis) : status;
    plan->naxis++;
    RH_TRY(status);
    at += length + (at[length] == '\n');
  }
  return RH_OK;
}

static rh_status read_whole(const char *option, const char *text, double least, double most,
                            double *value)
{
  size_t digits = rh_number_read(text, value);
  if (digits == 0 || text[digits] != '\0' || !(*value >= least && *value <= most) ||
      *value != floor(*value)) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --%s needs a whole number from %.0f to %.0f, got '%s'",
                     option, least, most, text);
  }
  return RH_OK;
}

static rh_status count_grid(rh_plan *plan)
{
  plan->cases = 1;
  for (int i = 0; i < plan->naxis; i++) {
    const rh_axis *axis = &plan->axis[i];
    if (axis->n == 0) {
      return rh_refuse(RH_WRONG_USAGE,
                       "sweep: --vary %s: a grid has lists and ranges only; a distribution needs "
                       "--design random, latin or sobol",
                       axis->spec);
    }
    if (plan->cases > RH_CASES_MAX / axis->n) {
      return rh_refuse(RH_OVER_LIMIT, "sweep: the grid has more than 2^40 cases");
    }
    plan->cases *= axis->n;
  }
  return RH_OK;
}

static rh_status read_design(const rh_plan_asked *asked, rh_plan *plan)
{
  bool distribution = false;
  for (int i = 0; i < plan->naxis; i++) {
    distribution = distribution || plan->axis[i].n == 0;
  }
  plan->design = distribution || asked->cases != NULL ? RH_SOBOL : RH_GRID;
  for (int i = RH_GRID; asked->design != NULL && i <= RH_SOBOL; i++) {
    plan->design =
        strcmp(asked->design, rh_design_word((rh_design)i)) == 0 ? (rh_design)i : plan->design;
  }
  double seed = 1;
  if (asked->seed != NULL) {
    RH_TRY(read_whole("seed", asked->seed, 0, 0x1p53, &seed));
  }
  plan->seed = (uint64_t)seed;
  if (plan->design == RH_GRID && asked->cases != NULL) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: the grid states the number of cases; --cases is for "
                                     "the other designs");
  }
  if (plan->design == RH_GRID) {
    return count_grid(plan);
  }
  if (asked->cases == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: --cases N is needed with --design %s",
                     rh_design_word(plan->design));
  }
  double cases = 0;
  RH_TRY(read_whole("cases", asked->cases, 1, (double)RH_CASES_MAX, &cases));
  plan->cases = (int64_t)cases;
  if (plan->design == RH_SOBOL) {
    plan->sobol = rh_sobol_create(plan->naxis);
    return plan->sobol != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  return RH_OK;
}

// ---- A look ahead

// A wrong path makes every case a refused one: that is said before the sweep begins. So is an
// unknown channel.
static rh_status probe_cases(rh_plan *plan, rh_diag *diag)
{
  const int64_t probe[PROBES] = {0, plan->cases / 2, plan->cases - 1};
  for (int i = PROBES - 1; i >= 0; i--) {
    rh_model *model = NULL;
    rh_diag_clear(diag);
    if (rh_case_compile(plan, probe[i], diag, &model) == RH_OK) {
      rh_diag_clear(diag);
      rh_status status =
          rh_series_check(model, (const char *const *)plan->out.series, plan->out.nseries);
      rh_model_destroy(model);
      return status;
    }
  }
  return RH_INPUT_REFUSED;
}

rh_status rh_plan_read(const rh_plan_scene *scene, const rh_plan_asked *asked, rh_diag *diag,
                       rh_plan *plan)
{
  *plan = (rh_plan){0};
  if (asked->vary == NULL) {
    return rh_refuse(RH_WRONG_USAGE, "sweep: nothing is varied: --vary PATH=A,B,... or "
                                     "--vary PATH=LO:HI:N; see 'routh sweep --help'");
  }
  RH_TRY(read_axes(asked->vary, plan));
  RH_TRY(rh_outcomes_read(asked->out, &plan->out));
  RH_TRY(read_design(asked, plan));
  RH_TRY(keep_scene(scene, plan));
  RH_TRY(sum_scene(plan, diag));
  return probe_cases(plan, diag);
}

rh_status rh_plan_make(const rh_request *request, const rh_plan_asked *asked, rh_diag *diag,
                       rh_plan *plan)
{
  *plan = (rh_plan){0};
  const char *path = request->nfile > 0 ? request->file[0] : NULL;
  char *text = NULL;
  rh_plan_scene scene = {.name = rh_file_label(path), .set = request->set, .nset = request->nset};
  RH_TRY(read_scene_text(path, diag, &text, &scene.bytes));
  scene.text = text;
  rh_status status = rh_plan_read(&scene, asked, diag, plan);
  rh_free(text);
  return status;
}

void rh_plan_free(rh_plan *plan)
{
  for (int i = 0; i < plan->naxis; i++) {
    rh_axis_free(&plan->axis[i]);
  }
  rh_outcomes_free(&plan->out);
  rh_words_free(&plan->set);
  rh_free(plan->sobol);
  rh_free(plan->scene_name);
  rh_free(plan->scene_text);
  *plan = (rh_plan){0};
}
