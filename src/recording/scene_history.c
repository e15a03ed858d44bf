// scene_history.c: the scene of a run at each frame. A change is kept as given (a path and a value,
// or a whole scene), and a model is compiled from the first text and the changes up to then; so a
// frame is examined with the laws that made it.
#include "scene_history.h"

#include <stdio.h>
#include <string.h>

#define PATHS_MAX 256 // maximum number of changed values

static char *copy_text(const char *text)
{
  char *copy = rh_alloc(strlen(text) + 1);
  if (copy != NULL) {
    memcpy(copy, text, strlen(text) + 1);
  }
  return copy;
}

// ---- The scene with the first n changes

typedef struct settings {
  const char *path[PATHS_MAX];
  const char *value[PATHS_MAX];
  char *text[PATHS_MAX]; // "path=value"
  int n;
} settings;

// The last of several values for one path holds; it keeps its place.
static bool put_setting(settings *s, const rh_change *change)
{
  int i = 0;
  while (i < s->n && strcmp(s->path[i], change->name) != 0) {
    i++;
  }
  if (i == PATHS_MAX) {
    return false;
  }
  s->path[i] = change->name;
  s->value[i] = change->value;
  s->n = i == s->n ? i + 1 : s->n;
  return true;
}

static bool spell_settings(settings *s)
{
  for (int i = 0; i < s->n; i++) {
    size_t size = strlen(s->path[i]) + strlen(s->value[i]) + 2;
    s->text[i] = rh_alloc(size);
    if (s->text[i] == NULL) {
      return false;
    }
    (void)snprintf(s->text[i], size, "%s=%s", s->path[i], s->value[i]);
  }
  return true;
}

static rh_status parse_with_settings(const rh_editions *e, const char *text, settings *s,
                                     rh_diag *diag, rh_scene **scene)
{
  rh_status status = spell_settings(s) ? RH_OK : RH_OUT_OF_MEMORY;
  // Notes and warnings were reported when the run began; errors are reported now.
  const char *const *set = (const char *const *)s->text;
  if (status == RH_OK) {
    status = rh_scene_parse(text, strlen(text), e->name, set, s->n, NULL, scene);
  }
  if (status == RH_INPUT_REFUSED) {
    status = rh_scene_parse(text, strlen(text), e->name, set, s->n, diag, scene);
  }
  for (int i = 0; i < s->n; i++) {
    rh_free(s->text[i]);
  }
  return status;
}

static rh_status scene_of(const rh_editions *e, int n, rh_diag *diag, rh_scene **scene)
{
  settings s = {.n = 0};
  const char *text = e->text;
  int from = 0;
  for (int i = 0; i < n; i++) {
    if (e->change[i].kind == RH_INPUT_SCENE) {
      text = e->change[i].value;
      from = i + 1;
    }
  }
  for (int i = from; i < n; i++) {
    if (!put_setting(&s, &e->change[i])) {
      rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "more than %d values were changed", PATHS_MAX);
      return RH_OVER_LIMIT;
    }
  }
  return parse_with_settings(e, text, &s, diag, scene);
}

static rh_status compile_edition(const rh_editions *e, int n, rh_diag *diag, rh_model **model)
{
  rh_scene *scene = NULL;
  rh_status status = scene_of(e, n, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, model);
  }
  rh_scene_destroy(scene);
  return status;
}

rh_status rh_editions_scene(const rh_editions *e, rh_diag *diag, rh_scene **scene)
{
  return scene_of(e, e->n, diag, scene);
}

// ---- Opening, changing

rh_status rh_editions_open(rh_editions *e, const char *text, const char *name, rh_diag *diag)
{
  *e = (rh_editions){.text = copy_text(text), .name = copy_text(name)};
  rh_status status = e->text != NULL && e->name != NULL ? compile_edition(e, 0, diag, &e->first)
                                                        : RH_OUT_OF_MEMORY;
  if (status != RH_OK) {
    rh_editions_close(e);
  }
  return status;
}

static void forget_model(rh_editions *e)
{
  rh_data_destroy(e->world);
  rh_model_destroy(e->model);
  e->world = NULL;
  e->model = NULL;
  e->seen = 0;
}

void rh_editions_close(rh_editions *e)
{
  while (e->n > 0) {
    rh_editions_drop(e);
  }
  forget_model(e);
  rh_free(e->change);
  rh_data_destroy(e->first_world);
  rh_model_destroy(e->first);
  rh_free(e->text);
  rh_free(e->name);
  *e = (rh_editions){0};
}

bool rh_editions_add(rh_editions *e, const rh_input *input)
{
  if (e->n == e->room) {
    int room = e->room > 0 ? 2 * e->room : 16;
    rh_change *more = rh_realloc(e->change, (size_t)room * sizeof *more);
    if (more == NULL) {
      return false;
    }
    e->change = more;
    e->room = room;
  }
  rh_change *c = &e->change[e->n];
  *c = (rh_change){.frame = input->frame,
                   .kind = input->kind,
                   .name = copy_text(input->name),
                   .value = copy_text(input->value)};
  e->n++;
  if (c->name == NULL || c->value == NULL) {
    rh_editions_drop(e);
    return false;
  }
  return true;
}

void rh_editions_drop(rh_editions *e)
{
  rh_change *c = &e->change[--e->n];
  rh_free(c->name);
  rh_free(c->value);
  if (e->seen > e->n) {
    forget_model(e);
  }
}

static int changes_before(const rh_editions *e, long frame)
{
  int lo = 0;
  int hi = e->n;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (e->change[middle].frame < frame) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo;
}

rh_status rh_editions_at(rh_editions *e, long frame, rh_diag *diag, const rh_model **model)
{
  int n = changes_before(e, frame);
  *model = n == 0 ? e->first : e->model;
  if (n == 0 || (e->model != NULL && e->seen == n)) {
    return RH_OK;
  }
  rh_model *made = NULL;
  RH_TRY(compile_edition(e, n, diag, &made));
  if (!rh_model_same_layout(e->first, made)) {
    rh_model_destroy(made);
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE,
                "bodies, joints, shapes, contacts, names and frames of a scene cannot change while "
                "it runs");
    return RH_INPUT_REFUSED;
  }
  forget_model(e);
  e->model = made;
  e->seen = n;
  *model = made;
  return RH_OK;
}

rh_status rh_editions_world(rh_editions *e, long frame, rh_diag *diag, rh_data **world)
{
  const rh_model *model = NULL;
  RH_TRY(rh_editions_at(e, frame, diag, &model));
  rh_data **mine = model == e->first ? &e->first_world : &e->world;
  *mine = *mine != NULL ? *mine : rh_data_create(model);
  *world = *mine;
  return *mine != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

rh_model *rh_editions_take(rh_editions *e)
{
  rh_model *model = e->model;
  e->model = NULL;
  forget_model(e);
  return model;
}
