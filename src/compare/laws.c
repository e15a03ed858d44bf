// laws.c: one scene under several laws. Values with the same meaning for two laws are kept
// from the scene: the constants of the materials, and common parameters of friction laws (mu). The
// rest has the defaults of the law, or the values after its name: a stiffness of one law, in N/m,
// is not that of another, in N/m^1.5, although both may be named k.
#include "compare.h"

#include "explore/law.h"
#include "model/schema.h"

#include <math.h>
#include <string.h>

// ---- Scenes

static rh_status unknown_parameter(const rh_row *row, const char *name)
{
  const char *names[RH_PAR_MAX];
  char what[RH_NAME_MAX + 16];
  int n = 0;
  for (; n < row->nparam && n < RH_COUNT(names); n++) {
    names[n] = row->param[n].name;
  }
  snprintf(what, sizeof what, "parameter of %s", row->name);
  return rh_refuse_name("compare", what, name, names, n);
}

// Sets the values after a law's name: "hunt-crossley:alpha=0.2:n=1.5". Those whose unit depends on
// others are late.
static rh_status give_values(const rh_compare_job *job, const char *spec, bool late,
                             rh_law_values *values)
{
  const rh_row *row = values->row;
  bool good = true;
  for (const char *at = strchr(spec, ':'); at != NULL; at = strchr(at + 1, ':')) {
    char name[RH_NAME_MAX];
    char value[RH_NAME_MAX];
    size_t length = strcspn(at + 1, "=:");
    const char *equals = at + 1 + length;
    size_t size = *equals == '=' ? strcspn(equals + 1, ":") : 0;
    if (length == 0 || size == 0 || length >= sizeof name || size >= sizeof value) {
      return rh_refuse(RH_WRONG_USAGE,
                       "compare: '%s' does not have the form LAW:NAME=VALUE:NAME=VALUE", spec);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
    snprintf(value, sizeof value, "%.*s", (int)size, equals + 1);
    int index = rh_row_find(row, name);
    if (index == RH_NONE) {
      return unknown_parameter(row, name);
    }
    if (rh_param_is_late(&row->param[index]) == late) {
      good = rh_law_values_give(values, index, value, "--laws", job->diag) && good;
    }
  }
  return good ? RH_OK : RH_INPUT_REFUSED;
}

static const rh_row *find_row(const rh_selector *selector, const char *spec)
{
  char name[RH_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  return rh_selector_find(selector, name);
}

static rh_status refuse_row(const rh_selector *selector, const char *spec)
{
  const char *names[64];
  int n = 0;
  char name[RH_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
  for (; n < RH_COUNT(names) && selector->row_at(n) != NULL; n++) {
    names[n] = selector->row_at(n)->name;
  }
  return rh_refuse_name("compare", selector->kind, name, names, n);
}

static bool is_shared(int which, const rh_param *a, const rh_param *b)
{
  static const char *const material[] = {"E", "nu", "E2", "nu2"};
  bool same = a->type == b->type && strcmp(a->unit, b->unit) == 0;
  for (int i = 0; which == 0 && i < RH_COUNT(material); i++) {
    if (strcmp(a->name, material[i]) == 0) {
      return same;
    }
  }
  return which != 0 && same;
}

// Parameters of `row`: from `before` where they have the same meaning, else the defaults.
static void carry_over(int which, const rh_row *before, const double *from, const rh_row *row,
                       double *par)
{
  rh_row_defaults(row, par);
  for (int i = 0; before != NULL && i < row->nparam; i++) {
    int k = rh_row_find(before, row->param[i].name);
    if (k != RH_NONE && is_shared(which, &before->param[k], &row->param[i])) {
      memcpy(par + rh_row_offset(row, i), from + rh_row_offset(before, k),
             (size_t)rh_param_size(&row->param[i]) * sizeof *par);
    }
  }
}

// Selector 0 of a contact is its normal law, 1 its friction.
static rh_status change_row(const rh_compare_job *job, int which, const char *spec,
                            rh_contact_def *def)
{
  const rh_section *section = &rh_sections[RH_SECTION_CONTACTS];
  if (spec == NULL) {
    return RH_OK;
  }
  const rh_row *before = rh_section_row(section, which, def);
  const rh_row *row = find_row(&section->select[which], spec);
  if (row == NULL) {
    return refuse_row(&section->select[which], spec);
  }
  double old[RH_PAR_MAX];
  double *par = rh_section_par(section, which, def);
  memcpy(old, par, sizeof old);
  if (row != before) {
    carry_over(which, before, old, row, par);
    *(which == 0 ? &def->law : &def->friction) = rh_name_of(row->name);
  }
  rh_law_values values = {.row = row};
  memcpy(values.par, par, sizeof values.par);
  RH_TRY(give_values(job, spec, false, &values));
  RH_TRY(give_values(job, spec, true, &values));
  memcpy(par, values.par, sizeof values.par);
  return RH_OK;
}

static rh_status copy_contact(const rh_compare_job *job, const rh_variant *variant,
                              const rh_contact_def *from, rh_contact_def *def)
{
  *def = *from;
  RH_TRY(change_row(job, 0, variant->law, def));
  RH_TRY(change_row(job, 1, variant->friction, def));
  const rh_normal_law *law = rh_normal_law_find(def->law.text);
  if (law != NULL && law->fit == NULL) {
    def->restitution.n = 0; // it has no damping to set
  }
  return RH_OK;
}

// Another formulation has its defaults.
static void change_formulation(const char *name, rh_run_def *run)
{
  if (strcmp(run->multi_impact.text, name) != 0) {
    run->multi_impact = rh_name_of(name);
    rh_row_defaults(rh_kind_find("formulations", name), run->multi_impact_par);
  }
}

static rh_status copy_section(const rh_compare_job *job, const rh_variant *variant,
                              rh_section_id id, rh_scene *copy)
{
  rh_status status = RH_OK;
  for (int i = 0; status == RH_OK && i < rh_scene_count(job->scene, id); i++) {
    const void *item = rh_scene_item(job->scene, id, i);
    rh_contact_def contact;
    if (id == RH_SECTION_CONTACTS) {
      status = copy_contact(job, variant, item, &contact);
      item = &contact;
    }
    rh_run_def run;
    if (id == RH_SECTION_RUN && variant->impacts != NULL) {
      run = *(const rh_run_def *)item;
      change_formulation(variant->impacts, &run);
      item = &run;
    }
    if (status == RH_OK &&
        rh_scene_put(copy, id, item, rh_scene_origin(job->scene, id, i)) == RH_NONE) {
      status = rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
  }
  return status;
}

// A copy of the scene with the variant's laws at every contact; errors go to diag.
static rh_status variant_scene(const rh_compare_job *job, const rh_variant *variant,
                               rh_scene **scene)
{
  rh_scene *copy = rh_scene_create();
  rh_status status = copy != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  for (int id = 0; status == RH_OK && id < RH_SECTION_COUNT; id++) {
    status = copy_section(job, variant, (rh_section_id)id, copy);
  }
  if (status != RH_OK) {
    rh_scene_destroy(copy);
    return status;
  }
  *scene = copy;
  return RH_OK;
}

// ---- Variants

static void name_variant(rh_variant *variant)
{
  bool both = variant->law != NULL && variant->friction != NULL;
  if (variant->impacts != NULL) {
    snprintf(variant->label, sizeof variant->label, "%s", variant->impacts);
    return;
  }
  snprintf(variant->label, sizeof variant->label, "%s%s%s",
           variant->law != NULL ? variant->law : "", both ? " + " : "",
           variant->friction != NULL ? variant->friction : "");
  for (char *c = variant->label; *c != '\0'; c++) {
    if (*c == ':') {
      *c = ' ';
    }
  }
}

// "all": every row.
static int count_formulations(const rh_compare_job *job)
{
  int n = job->impacts.n;
  if (n == 1 && strcmp(job->impacts.word[0], "all") == 0) {
    for (n = 0; rh_kind_row("formulations", n) != NULL; n++) {}
  }
  return n;
}

static rh_status list_formulations(rh_compare_job *job)
{
  bool all = job->impacts.n == 1 && strcmp(job->impacts.word[0], "all") == 0;
  int n = count_formulations(job);
  if (job->nvariant + n > RH_VARIANT_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "compare: %d laws and %d formulations are more than %d",
                     job->nvariant, n, RH_VARIANT_MAX);
  }
  for (int i = 0; i < n; i++) {
    rh_variant *v = &job->variant[job->nvariant++];
    v->impacts = all ? rh_kind_row("formulations", i)->name : job->impacts.word[i];
    name_variant(v);
  }
  return RH_OK;
}

static rh_status list_variants(rh_compare_job *job)
{
  bool none = job->impacts.n > 0 && job->laws.n == 0 && job->frictions.n == 0;
  int nlaw = job->laws.n > 0 ? job->laws.n : none ? 0 : 1;
  int nfriction = job->frictions.n > 0 ? job->frictions.n : 1;
  if (nlaw > RH_VARIANT_MAX || nfriction > RH_VARIANT_MAX || nlaw * nfriction > RH_VARIANT_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "compare: %d times %d laws are more than %d", nlaw, nfriction,
                     RH_VARIANT_MAX);
  }
  for (int i = 0; i < nlaw; i++) {
    for (int k = 0; k < nfriction; k++) {
      rh_variant *v = &job->variant[job->nvariant++];
      v->law = job->laws.n > 0 ? job->laws.word[i] : NULL;
      v->friction = job->frictions.n > 0 ? job->frictions.word[k] : NULL;
      name_variant(v);
    }
  }
  return list_formulations(job);
}

// ---- Measuring

static void measure_contact(rh_variant *v)
{
  const rh_trial *trial = &v->trial;
  v->speed = v->rebound = v->contact_time = (double)NAN;
  while (rh_trial_event(trial, RH_EVENT_TOUCH, v->touches + 1) != NULL) {
    v->touches++;
  }
  for (int i = 1; i <= v->touches; i++) {
    const rh_event *touch = rh_trial_event(trial, RH_EVENT_TOUCH, i);
    const rh_event *part = rh_trial_next(trial, touch, RH_EVENT_SEPARATE);
    if (part != NULL && touch->before > 0) {
      v->speed = touch->before;
      v->rebound = -part->before;
      v->contact_time = part->t - touch->t;
      return;
    }
  }
}

// Velocities at the end, against those of the first variant.
static void measure_motion(const rh_trial *first, rh_variant *v)
{
  const int nv = first->model->nv;
  const double *a = first->motion;
  const double *b = v->trial.motion;
  double apart = 0;
  double whole = 0;
  for (int i = 0; i < nv; i++) {
    apart += (b[i] - a[i]) * (b[nv + i] - a[nv + i]);
    whole += a[i] * a[nv + i];
  }
  v->motion = whole > 0 ? sqrt(fabs(apart) / whole) : (double)NAN;
}

static void measure_variant(const rh_compare_job *job, rh_variant *v)
{
  const rh_trial *trial = &v->trial;
  const rh_trial *first = &job->variant[0].trial;
  measure_contact(v);
  v->dissipated = trial->ledger.contact_damper + trial->ledger.sliding;
  const rh_event *impact;
  for (int i = 1; (impact = rh_trial_event(trial, RH_EVENT_IMPACT, i)) != NULL; i++) {
    v->dissipated -= impact->work;
  }
  for (int i = 0; i < trial->model->nbody; i++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
      double d = trial->body[3 * i + k] - first->body[3 * i + k];
      sum += d * d;
    }
    v->distance = fmax(v->distance, sqrt(sum));
  }
  measure_motion(first, v);
}

static rh_status run_variant(const rh_compare_job *job, rh_variant *v)
{
  rh_scene *scene = NULL;
  RH_TRY(variant_scene(job, v, &scene));
  rh_status status = rh_trial_run(scene, (const char *const *)job->channels.word, job->channels.n,
                                  job->diag, &v->trial);
  rh_scene_destroy(scene);
  if (status == RH_OK && v->trial.ended != RH_OK) {
    rh_say(job->request, "routh: %s: stopped %s", v->label, v->trial.reason);
  }
  return status;
}

static rh_status check_formulations(const rh_compare_job *job)
{
  const char *names[64];
  int n = 0;
  for (; n < RH_COUNT(names) && rh_kind_row("formulations", n) != NULL; n++) {
    names[n] = rh_kind_row("formulations", n)->name;
  }
  for (int i = 0; i < job->impacts.n; i++) {
    bool all = job->impacts.n == 1 && strcmp(job->impacts.word[i], "all") == 0;
    if (!all && rh_kind_find("formulations", job->impacts.word[i]) == NULL) {
      return rh_refuse_name("compare", "formulation", job->impacts.word[i], names, n);
    }
  }
  return RH_OK;
}

// Before any of them runs
static rh_status check_names(const rh_compare_job *job)
{
  const rh_selector *select = rh_sections[RH_SECTION_CONTACTS].select;
  const rh_words *words[] = {&job->laws, &job->frictions};
  for (int k = 0; k < RH_COUNT(words); k++) {
    for (int i = 0; i < words[k]->n; i++) {
      if (find_row(&select[k], words[k]->word[i]) == NULL) {
        return refuse_row(&select[k], words[k]->word[i]);
      }
    }
  }
  return check_formulations(job);
}

// Without channels the height of the body that the first contact names is drawn; of all: the first.
static rh_status default_channel(rh_compare_job *job)
{
  char name[RH_NAME_MAX + 8];
  if (job->channels.n > 0) {
    return RH_OK;
  }
  const rh_contact_def *contact = rh_scene_item(job->scene, RH_SECTION_CONTACTS, 0);
  bool all = strcmp(contact->body.text, "all") == 0;
  const rh_body_def *first = rh_scene_item(job->scene, RH_SECTION_BODIES, 0);
  snprintf(name, sizeof name, "%s.pz", all ? first->name.text : contact->body.text);
  return rh_words_split(&job->channels, name);
}

rh_status rh_compare_text(const rh_compare_job *job, const rh_variant *variant, char **text)
{
  rh_scene *scene = NULL;
  RH_TRY(variant_scene(job, variant, &scene));
  *text = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  return *text != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

rh_status rh_compare_list(rh_compare_job *job)
{
  if (rh_scene_count(job->scene, RH_SECTION_CONTACTS) == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "compare: the scene has no contacts");
  }
  RH_TRY(check_names(job));
  return list_variants(job);
}

rh_status rh_compare_laws(rh_compare_job *job)
{
  RH_TRY(rh_compare_list(job));
  RH_TRY(default_channel(job));
  if (job->channels.n > RH_COMPARE_CHANNEL_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "compare: the maximum is %d channels", RH_COMPARE_CHANNEL_MAX);
  }
  for (int i = 0; i < job->nvariant; i++) {
    RH_TRY(run_variant(job, &job->variant[i]));
    measure_variant(job, &job->variant[i]);
  }
  return RH_OK;
}
