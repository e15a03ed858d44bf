// compare_haptic.c: one haptic scene under several methods and device limits, by their ticks:
// depth, number of bounces, time to rest, maximum force, distance of the hand from that under the
// first ([CSC] section VI). An ideal has sixteen steps per tick; its forces are averages over a
// tick.
#include "compare.h"

#include "base/json.h"
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

typedef struct method {
  const char *spec;
  rh_metrics_result r;
  double rms; // [m] of the corners, from the first
} method;

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
  if (!row) {
    return rh_refuse_listed("compare", "haptic method", name, "methods");
  }
  if (h.limits == RH_NONE) {
    return unknown_limits(limits);
  }
  f->sub = row->ideal ? SUB : 1;
  r.par[0] /= f->sub;
  if (rh_scene_put(scene, RH_SECTION_HAPTIC, &h, NULL) == RH_NONE ||
      rh_scene_put(scene, RH_SECTION_RUN, &r, NULL) == RH_NONE) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  RH_TRY(rh_scene_compile(scene, diag, &f->m));
  rh_status status = rh_haptic_create(f->m, diag, &f->h);
  f->d = status == RH_OK ? rh_data_create(f->m) : NULL;
  if (!f->d) {
    felt_end(f);
    return status != RH_OK ? status : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
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
static rh_status run_pair(felt *f, felt *first, long ticks, const rh_metrics_opt *opt, method *out)
{
  rh_metrics *metrics = NULL;
  RH_TRY(rh_metrics_create(f->m, opt, &metrics));
  double sum = 0;
  for (long k = 0; k < ticks; k++) {
    felt_tick(f, metrics);
    felt_tick(first, NULL);
    rh_kinematics(first->d);
    sum += rh_metrics_distance2(f->d, first->d);
  }
  out->rms = ticks > 0 ? sqrt(sum / (double)ticks) : 0;
  out->r = rh_metrics_read(metrics);
  rh_metrics_destroy(metrics);
  return RH_OK;
}

typedef struct job {
  const rh_args *args;
  rh_diag *diag;
  rh_scene *scene;
  rh_run_def run;
  rh_haptic_def haptic;
  long ticks;
  rh_metrics_opt opt;
  rh_words specs;
  method method[RH_VARIANT_MAX];
} job;

static rh_status open_spec(job *j, int i, felt *f)
{
  return felt_open(j->scene, &j->run, &j->haptic, j->specs.word[i], j->diag, f);
}

// Rest position of the first
static rh_status find_goal(job *j)
{
  felt f = {0};
  RH_TRY(open_spec(j, 0, &f));
  for (long k = 0; k < j->ticks; k++) {
    felt_tick(&f, NULL);
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
  for (int i = 0; i < j->specs.n; i++) {
    felt f = {0};
    felt first = {0};
    rh_status status = open_spec(j, i, &f);
    status = status == RH_OK ? open_spec(j, 0, &first) : status;
    j->method[i].spec = j->specs.word[i];
    if (status == RH_OK) {
      status = run_pair(&f, &first, j->ticks, &j->opt, &j->method[i]);
    }
    felt_end(&f);
    felt_end(&first);
    RH_TRY(status);
  }
  return RH_OK;
}

static rh_status print_table(const job *j)
{
  static const char *const head[] = {"method",      "hand [mm]",    "tool [mm]", "bounces",
                                     "settled [s]", "turned [s]",   "peak [N]",  "peak [N m]",
                                     "collisions",  "returned [J]", "rms [mm]"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x7FE);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int i = 0; i < j->specs.n; i++) {
    const rh_metrics_result *r = &j->method[i].r;
    rh_table_add(table, "%s", j->method[i].spec);
    rh_table_add(table, "%.4g", 1e3 * r->pen_hand);
    rh_table_add(table, "%.4g", 1e3 * r->pen_tool);
    rh_table_add(table, "%d", r->bounces);
    rh_table_add(table, "%.4g", r->t_pos);
    rh_table_add(table, "%.4g", r->t_ang);
    rh_table_add(table, "%.4g", fmax(fmax(r->peak[0], r->peak[1]), r->peak[2]));
    rh_table_add(table, "%.4g", fmax(fmax(r->peak[3], r->peak[4]), r->peak[5]));
    rh_table_add(table, "%g", r->collisions);
    rh_table_add(table, "%.3g", r->returned);
    rh_table_add(table, "%.4g", 1e3 * j->method[i].rms);
  }
  rh_status status = rh_table_print(table, stdout, 0, rh_color_allowed(j->args, stdout));
  rh_table_destroy(table);
  if (!j->args->quiet) {
    puts("hand, tool: greatest overlap; settled, turned: last time farther than 0.5 mm, 0.01 rad "
         "from the end\nof the first; peak: greatest component on the device; rms: of the hand's "
         "corners to the first");
  }
  return status;
}

static rh_status print_json(const job *j)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "scene", rh_file_label(j->args->file[0]));
  rh_json_open_array(&json, "methods");
  for (int i = 0; i < j->specs.n; i++) {
    const rh_metrics_result *r = &j->method[i].r;
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "method", j->method[i].spec);
    rh_json_number(&json, "pen_hand", r->pen_hand);
    rh_json_number(&json, "pen_tool", r->pen_tool);
    rh_json_integer(&json, "bounces", r->bounces);
    rh_json_number(&json, "t_pos", r->t_pos);
    rh_json_number(&json, "t_ang", r->t_ang);
    rh_json_numbers(&json, "peak", r->peak, 6);
    rh_json_number(&json, "collisions", r->collisions);
    rh_json_number(&json, "negative", r->pulled);
    rh_json_number(&json, "returned", r->returned);
    rh_json_number(&json, "rms", j->method[i].rms);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status compare_methods(job *j)
{
  const rh_args *args = j->args;
  RH_TRY(rh_words_split(&j->specs, rh_args_text(args, "methods")));
  if (j->specs.n > RH_VARIANT_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "compare: more than %d methods", RH_VARIANT_MAX);
  }
  RH_TRY(rh_scene_from(args, args->file[0], j->diag, &j->scene));
  if (rh_scene_count(j->scene, RH_SECTION_HAPTIC) == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "compare: --methods: the scene has no section haptic");
  }
  j->run = *(const rh_run_def *)rh_scene_item(j->scene, RH_SECTION_RUN, 0);
  j->haptic = *(const rh_haptic_def *)rh_scene_item(j->scene, RH_SECTION_HAPTIC, 0);
  if (strcmp(j->run.stepper.text, "haptic") != 0) {
    return rh_refuse(RH_INPUT_REFUSED, "compare: --methods: run.stepper must be haptic");
  }
  double ticks = j->run.until / j->run.par[0];
  if (!(ticks <= 1e8)) {
    return rh_refuse(RH_OVER_LIMIT, "compare: more than 1e8 ticks");
  }
  j->ticks = lround(ticks);
  RH_TRY(run_methods(j));
  return args->json ? print_json(j) : print_table(j);
}

rh_status rh_compare_methods(const rh_args *args, rh_diag *diag)
{
  job *j = rh_alloc(sizeof *j);
  if (j == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  j->args = args;
  j->diag = diag;
  rh_status status = compare_methods(j);
  rh_scene_destroy(j->scene);
  rh_words_free(&j->specs);
  rh_free(j);
  return status;
}
