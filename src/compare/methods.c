// methods.c: one haptic scene under several methods and device limits, by their ticks:
// depth, number of bounces, time to rest, maximum force, distance of the hand from that under the
// first ([CSC] section VI). An ideal has sixteen steps per tick; its forces are averages over a
// tick.
#include "compare.h"

#include "haptic/haptic.h"
#include "haptic/metrics.h"
#include "model/schema.h"

#include <math.h>
#include <string.h>

enum { SUB = 16 }; // steps of an ideal per tick

typedef struct felt { // a world and its loop
  rh_model *m;
  rh_data *d;
  rh_haptic *h;
  int sub;
} felt;

static void felt_end(felt *f)
{
  rh_haptic_destroy(f->h);
  rh_data_destroy(f->d);
  rh_model_destroy(f->m);
  *f = (felt){0};
}

// Index of a word of "one|two|three"; RH_NONE if it is not there.
static int word_index(const char *words, const char *word, size_t length)
{
  for (int i = 0; *words; i++) {
    size_t size = strcspn(words, "|");
    if (size == length && strncmp(words, word, length) == 0) {
      return i;
    }
    words += size + (words[size] == '|');
  }
  return RH_NONE;
}

static int choice_of(const char *key, const char *word, size_t length)
{
  const rh_section *s = &rh_sections[RH_SECTION_HAPTIC];
  return word_index(s->field[rh_section_find_field(s, key)].param.choices, word, length);
}

static rh_status unknown_limits(const char *limits)
{
  const rh_section *s = &rh_sections[RH_SECTION_HAPTIC];
  const char *choices = s->field[rh_section_find_field(s, "limits")].param.choices;
  char word[8][RH_NAME_MAX];
  const char *names[RH_COUNT(word)];
  int n = 0;
  for (; n < RH_COUNT(word) && rh_choices_get(choices, n, word[n]) != NULL; n++) {
    names[n] = word[n];
  }
  return rh_refuse_name("compare", "kind of limits", limits, names, n);
}

static rh_status unknown_method(const char *name)
{
  const char *names[32];
  int count = 0;
  int n = 0;
  const rh_haptic_method *const *table = rh_haptic_method_table(&count);
  for (; n < count && n < RH_COUNT(names); n++) {
    names[n] = table[n]->row.name;
  }
  return rh_refuse_name("compare", "haptic method", name, names, n);
}

// "method" or "method:limits" of the scene, with its `run` and `haptic`
static rh_status felt_open(rh_scene *scene, const rh_run_def *run, const rh_haptic_def *haptic,
                           const char *spec, rh_diag *diag, felt *f)
{
  rh_run_def r = *run;
  rh_haptic_def h = *haptic;
  size_t length = strcspn(spec, ":");
  const char *limits = spec[length] == ':' ? spec + length + 1 : NULL;
  char name[RH_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  const rh_haptic_method *row = rh_haptic_method_find(name);
  if (strcmp(h.method.text, name) != 0) { // another method, with its own coupling
    h.method = rh_name_of(name);
    h.coupling = rh_name_of("");
  }
  h.limits = limits ? choice_of("limits", limits, strlen(limits)) : h.limits;
  if (!row || h.limits == RH_NONE) {
    (void)(!row ? unknown_method(name) : unknown_limits(limits));
    return RH_WRONG_USAGE;
  }
  f->sub = row->ideal ? SUB : 1;
  r.par[0] /= f->sub;
  if (rh_scene_put(scene, RH_SECTION_HAPTIC, &h, NULL) == RH_NONE ||
      rh_scene_put(scene, RH_SECTION_RUN, &r, NULL) == RH_NONE) {
    (void)rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    return RH_OUT_OF_MEMORY;
  }
  RH_TRY(rh_scene_compile(scene, diag, &f->m));
  rh_status status = rh_haptic_create(f->m, diag, &f->h);
  f->d = status == RH_OK ? rh_data_create(f->m) : NULL;
  if (!f->d) {
    felt_end(f);
    if (status == RH_OK) {
      (void)rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    return status != RH_OK ? status : RH_OUT_OF_MEMORY;
  }
  return RH_OK;
}

static void felt_tick(felt *f, rh_metrics *metrics)
{
  rh_haptic_out out;
  for (int i = 0; i < f->sub; i++) {
    rh_haptic_tick(f->h, f->d, NULL, &out);
    if (metrics) {
      rh_metrics_add(metrics, f->d);
    }
  }
}

// Runs both together; the goal is the end of the first.
static rh_status run_pair(felt *f, felt *first, long ticks, const rh_metrics_opt *opt,
                          rh_compared_method *out)
{
  rh_metrics *metrics = NULL;
  RH_TRY(rh_metrics_create(f->m, opt, &metrics));
  double sum = 0;
  for (long k = 0; k < ticks; k++) {
    felt_tick(f, metrics);
    felt_tick(first, NULL);
    rh_kinematics(first->d);
    sum += rh_metrics_distance2(f->d, first->d);
    if (rh_interrupt_seen() != 0) {
      rh_metrics_destroy(metrics);
      return RH_INTERRUPTED;
    }
  }
  out->rms = ticks > 0 ? sqrt(sum / (double)ticks) : 0;
  out->r = rh_metrics_read(metrics);
  rh_metrics_destroy(metrics);
  return RH_OK;
}

typedef struct job {
  const rh_request *request;
  rh_diag *diag;
  rh_scene *scene;
  rh_run_def run;
  rh_haptic_def haptic;
  long ticks;
  rh_metrics_opt opt;
  rh_compared_methods *result;
} job;

static rh_status open_spec(job *j, int i, felt *f)
{
  return felt_open(j->scene, &j->run, &j->haptic, j->result->specs.word[i], j->diag, f);
}

// Rest position of the first
static rh_status find_goal(job *j)
{
  felt f = {0};
  RH_TRY(open_spec(j, 0, &f));
  for (long k = 0; k < j->ticks; k++) {
    felt_tick(&f, NULL);
    if (rh_interrupt_seen() != 0) {
      felt_end(&f);
      return RH_INTERRUPTED;
    }
  }
  rh_kinematics(f.d);
  int hand = f.m->haptic.device != RH_NONE ? f.m->haptic.device : f.m->haptic.tool;
  j->opt = rh_metrics_default();
  j->opt.goal = f.d->kin[hand].p;
  j->opt.goal_R = f.d->kin[hand].R;
  j->opt.window = j->run.par[0];
  felt_end(&f);
  return RH_OK;
}

static rh_status run_methods(job *j)
{
  RH_TRY(find_goal(j));
  for (int i = 0; i < j->result->specs.n; i++) {
    felt f = {0};
    felt first = {0};
    rh_status status = open_spec(j, i, &f);
    status = status == RH_OK ? open_spec(j, 0, &first) : status;
    j->result->method[i].spec = j->result->specs.word[i];
    if (status == RH_OK) {
      status = run_pair(&f, &first, j->ticks, &j->opt, &j->result->method[i]);
    }
    felt_end(&f);
    felt_end(&first);
    RH_TRY(status);
  }
  return RH_OK;
}

static rh_status compare_methods(job *j, const char *specs)
{
  const rh_request *request = j->request;
  RH_TRY(rh_words_split(&j->result->specs, specs));
  if (j->result->specs.n > RH_VARIANT_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "compare: more than %d methods", RH_VARIANT_MAX);
  }
  RH_TRY(rh_scene_from(request, request->file[0], j->diag, &j->scene));
  if (rh_scene_count(j->scene, RH_SECTION_HAPTIC) == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "compare: --methods: the scene has no section haptic");
  }
  j->run = *(const rh_run_def *)rh_scene_item(j->scene, RH_SECTION_RUN, 0);
  j->haptic = *(const rh_haptic_def *)rh_scene_item(j->scene, RH_SECTION_HAPTIC, 0);
  const rh_engine *engine = rh_engine_find(j->run.engine.text);
  if (engine == NULL || !engine->haptic) {
    return rh_refuse(RH_INPUT_REFUSED, "compare: --methods: run.engine must be haptic");
  }
  double ticks = j->run.until / j->run.par[0];
  if (!(ticks <= 1e8)) {
    return rh_refuse(RH_OVER_LIMIT, "compare: more than 1e8 ticks");
  }
  j->ticks = lround(ticks);
  return run_methods(j);
}

rh_status rh_compare_methods(const rh_request *request, const char *specs, rh_diag *diag,
                             rh_compared_methods *result)
{
  job *j = rh_alloc(sizeof *j);
  *result = (rh_compared_methods){0};
  if (j == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  j->request = request;
  j->diag = diag;
  j->result = result;
  rh_status status = compare_methods(j, specs);
  rh_scene_destroy(j->scene);
  rh_free(j);
  return status;
}
