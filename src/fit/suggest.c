// suggest.c: which change of the scene would remove most of the residual. Each change frees values that the scene has fixed (centre
// of mass, inertia, rounded edges, friction of impacts, restitution that depends on the speed, a tangential spring), and is judged on
// trials that are left out of the fit in turn. The best one is taken over, and all are tried again, up to the rounds asked for.
#include "fit.h"

#include "model/schema.h"

#include <math.h>
#include <string.h>

#define GAIN                                                                                       \
  0.98 // a change that leaves more of the mean square on trials left out is not taken over

enum { FOLDS = 5 };

typedef struct builder {
  const rh_fit_job *job;
  const rh_scene *scene;
  const rh_model *model;
  rh_fit_suggestions *to;
} builder;

static bool is_free(const rh_fit_job *job, const char *field)
{
  for (int i = 0; i < job->free.n; i++) {
    if (strstr(job->free.word[i], field) != NULL) {
      return true;
    }
  }
  return false;
}

static rh_fit_change *add_change(builder *b, const char *name)
{
  rh_fit_suggestions *s = b->to;
  if (s->n == RH_FIT_CHANGES) {
    return NULL;
  }
  rh_fit_change *change = &s->change[s->n++];
  *change = (rh_fit_change){0};
  (void)snprintf(change->name, sizeof change->name, "%s", name);
  return change;
}

static void add_free(rh_fit_change *change, const char *path, double lo, double hi)
{
  if (change != NULL && change->nfree < RH_COUNT(change->free)) {
    (void)snprintf(change->free[change->nfree++], sizeof change->free[0], "%s=%.6g:%.6g", path, lo,
                   hi);
  }
}

// Largest reach of the shapes of a body; 0: it has none.
static double size_of_body(const rh_model *m, const char *name)
{
  double size = 0;
  for (int i = 0; i < m->nshape; i++) {
    bool same = strcmp(rh_model_name(m, RH_OBJECT_BODY, m->shape[i].body), name) == 0;
    size = same && isfinite(m->shape[i].reach) ? fmax(size, m->shape[i].reach) : size;
  }
  return size;
}

static void add_body(builder *b, int i)
{
  const rh_body_def *def = rh_scene_item(b->scene, RH_SECTION_BODIES, i);
  double size = size_of_body(b->model, def->name.text);
  char name[RH_FIT_PATH];
  char path[RH_FIT_PATH];
  if (size > 0 && !is_free(b->job, ".com[")) {
    (void)snprintf(name, sizeof name, "centre of mass of %s", def->name.text);
    rh_fit_change *change = add_change(b, name);
    for (int k = 0; k < 3; k++) {
      (void)snprintf(path, sizeof path, "bodies.%d.com[%d]", i, k);
      add_free(change, path, def->com[k] - 0.2 * size, def->com[k] + 0.2 * size);
    }
  }
  if (size > 0 && def->inertia.n == 6 && !is_free(b->job, ".inertia[")) {
    (void)snprintf(name, sizeof name, "moments of inertia of %s", def->name.text);
    rh_fit_change *change = add_change(b, name);
    for (int k = 0; k < 3; k++) {
      (void)snprintf(path, sizeof path, "bodies.%d.inertia[%d]", i, k);
      add_free(change, path, 0.6 * def->inertia.x[k], 1.6 * def->inertia.x[k]);
    }
  }
}

static void add_shape(builder *b, int i)
{
  const rh_shape_def *def = rh_scene_item(b->scene, RH_SECTION_SHAPES, i);
  const rh_shape *kind = rh_shape_find(def->kind.text);
  double size = size_of_body(b->model, def->body.text);
  if (kind == NULL || rh_row_find(&kind->row, "round") == RH_NONE || size <= 0 ||
      is_free(b->job, ".round")) {
    return;
  }
  char text[RH_FIT_PATH];
  (void)snprintf(text, sizeof text, "round edges of shape %d (%s)", i, def->body.text);
  rh_fit_change *change = add_change(b, text);
  (void)snprintf(text, sizeof text, "shapes.%d.round", i);
  add_free(change, text, 1e-3 * size, 0.15 * size);
}

static void add_contact(builder *b, int i)
{
  const rh_contact_def *def = rh_scene_item(b->scene, RH_SECTION_CONTACTS, i);
  const rh_model_contact *contact = &b->model->contact[i];
  if (contact->law != NULL) {
    return;
  }
  char text[RH_FIT_PATH];
  if (!is_free(b->job, ".mu_impact[") && contact->mu_k > 0) {
    (void)snprintf(text, sizeof text, "friction of impacts (contact %d)", i);
    rh_fit_change *change = add_change(b, text);
    if (change != NULL) {
      (void)snprintf(change->set, sizeof change->set, "contacts.%d.mu_impact=[%.6g]", i,
                     contact->mu_k);
    }
    (void)snprintf(text, sizeof text, "contacts.%d.mu_impact[0]", i);
    add_free(change, text, 0.2 * contact->mu_k, 5 * contact->mu_k);
  }
  if (!is_free(b->job, ".e_speed") && contact->e_table.n == 0) {
    (void)snprintf(text, sizeof text, "restitution that falls with the speed (contact %d)", i);
    rh_fit_change *change = add_change(b, text);
    if (change != NULL) {
      (void)snprintf(change->set, sizeof change->set, "contacts.%d.e_speed=0.3", i);
    }
    (void)snprintf(text, sizeof text, "contacts.%d.e_speed", i);
    add_free(change, text, 0.01, 10);
  }
  if (!is_free(b->job, ".eta2") && strcmp(def->law.text, "bistiff") != 0) {
    (void)snprintf(text, sizeof text, "law bistiff, a tangential spring (contact %d)", i);
    rh_fit_change *change = add_change(b, text);
    if (change != NULL) {
      (void)snprintf(change->set, sizeof change->set, "contacts.%d.law=bistiff", i);
    }
    (void)snprintf(text, sizeof text, "contacts.%d.eta2", i);
    add_free(change, text, 0.02, 3);
  }
}

static rh_status list_changes(const rh_fit_job *job, rh_diag *diag, rh_fit_suggestions *to)
{
  builder b = {.job = job, .to = to};
  rh_fit_scene text;
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_fit_scene_open(job, diag, &text);
  if (status == RH_OK) {
    status = rh_scene_parse(text.text, text.bytes, text.name, job->request->set, job->request->nset,
                            diag, &scene);
  }
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  if (status == RH_OK) {
    b.scene = scene;
    b.model = model;
    for (int i = 0; i < rh_scene_count(scene, RH_SECTION_BODIES); i++) {
      add_body(&b, i);
    }
    for (int i = 0; i < rh_scene_count(scene, RH_SECTION_SHAPES); i++) {
      add_shape(&b, i);
    }
    for (int i = 0; i < rh_scene_count(scene, RH_SECTION_CONTACTS); i++) {
      add_contact(&b, i);
    }
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_fit_scene_close(&text);
  return status;
}

// The fit with the changes taken over so far and `extra` (NULL: none).
static rh_status fit_with(const rh_fit_job *job, rh_fit_suggestions *s, const rh_fit_change *extra,
                          rh_diag *diag, rh_fit_answer *answer)
{
  rh_request request = *job->request;
  rh_fit_job one = *job;
  char *word[RH_FIT_VALUES + 4];
  const char **all = rh_alloc((size_t)(request.nset + s->n + 1) * sizeof *all);
  int nset = 0;
  int nword = 0;
  if (all == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (; nset < request.nset; nset++) {
    all[nset] = job->request->set[nset];
  }
  for (; nword < job->free.n && nword < RH_FIT_VALUES; nword++) {
    word[nword] = job->free.word[nword];
  }
  for (int i = 0; i < s->n; i++) {
    rh_fit_change *change = &s->change[i];
    if (!change->taken && change != extra) {
      continue;
    }
    if (change->set[0] != '\0') {
      all[nset++] = change->set;
    }
    for (int k = 0; k < change->nfree && nword < RH_FIT_VALUES; k++) {
      word[nword++] = change->free[k];
    }
  }
  request.set = all;
  request.nset = nset;
  request.progress = s->done ? request.progress : "none"; // that of the changes is told
  one.request = &request;
  one.free = (rh_words){word, nword};
  one.profile = false;
  one.bootstrap = 0;
  one.phases = job->phases && s->done; // of the last fit
  one.report = s->done ? job->report : NULL;
  one.folds = one.folds > 0 ? one.folds : FOLDS;
  rh_status status = rh_fit_estimate(&one, diag, answer);
  rh_free(all);
  return status;
}

static rh_status try_round(const rh_fit_job *job, rh_fit_suggestions *s, rh_diag *diag,
                           rh_fit_answer *scratch, double *least)
{
  rh_fit_change *best = NULL;
  for (int i = 0; i < s->n; i++) {
    rh_fit_change *change = &s->change[i];
    if (change->taken) {
      continue;
    }
    rh_progress progress = rh_progress_begin(job->request, 0, 1);
    rh_progress_count(&progress, i, s->n, change->name);
    rh_status status = fit_with(job, s, change, diag, scratch);
    rh_progress_end(&progress);
    change->failed = status != RH_OK;
    if (status == RH_INTERRUPTED || status == RH_OUT_OF_MEMORY || status == RH_WRONG_USAGE) {
      return status;
    }
    change->folds = scratch->folds;
    if (!change->failed && (best == NULL || change->folds.excess < best->folds.excess)) {
      best = change;
    }
  }
  if (best != NULL && best->folds.excess < GAIN * *least) {
    best->taken = ++s->taken;
    *least = best->folds.excess;
  }
  return RH_OK;
}

rh_status rh_fit_suggest(const rh_fit_job *job, rh_diag *diag, rh_fit_suggestions *s,
                         rh_fit_answer *answer)
{
  *s = (rh_fit_suggestions){0};
  if (job->noise.n == 0) {
    return rh_refuse(RH_WRONG_USAGE,
                     "fit: --suggest compares residuals in units of the noise: give --noise");
  }
  RH_TRY(list_changes(job, diag, s));
  RH_TRY(fit_with(job, s, NULL, diag, answer));
  s->before = answer->folds;
  double least = s->before.excess;
  for (int round = 0; round < job->suggest; round++) {
    int taken = s->taken;
    RH_TRY(try_round(job, s, diag, answer, &least));
    if (s->taken == taken) {
      break;
    }
  }
  s->done = true;
  return fit_with(job, s, NULL, diag, answer);
}
