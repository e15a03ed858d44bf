// scene.c: the scene whose values are found: read once, and compiled for each set of values as by -s. A value of
// `parameters` is in the text itself, so that one free value may stand in many places of a scene.
#include "fit.h"

#include "scene_io/scene_read.h"

#include <math.h>
#include <string.h>

rh_status rh_fit_scene_open(const rh_fit_job *job, rh_diag *diag, rh_fit_scene *scene)
{
  *scene = (rh_fit_scene){.request = job->request};
  if (job->text == NULL) {
    return rh_file_read(job->scene, diag, &scene->text, &scene->bytes, &scene->name);
  }
  scene->name = job->scene;
  scene->bytes = strlen(job->text);
  scene->text = rh_alloc(scene->bytes + 1);
  if (scene->text == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  memcpy(scene->text, job->text, scene->bytes + 1);
  return RH_OK;
}

void rh_fit_scene_close(rh_fit_scene *scene)
{
  rh_free(scene->text);
  *scene = (rh_fit_scene){0};
}

// ---- The value that the scene has

static bool read_node(const rh_yaml *tree, int node, rh_fit_value *v)
{
  const rh_node *at = &tree->node[node];
  int child = at->kind == RH_NODE_LIST ? at->first : node;
  for (v->nlist = 0; child != RH_NONE && v->nlist < RH_LIST_MAX; v->nlist++) {
    const char *text = tree->node[child].kind == RH_NODE_SCALAR ? rh_yaml_text(tree, child) : "";
    size_t digits = rh_number_read(text, &v->list[v->nlist]);
    if (digits == 0 || text[digits] != '\0') {
      return false;
    }
    child = at->kind == RH_NODE_LIST ? tree->node[child].next : RH_NONE;
  }
  bool list = at->kind == RH_NODE_LIST;
  if (list != (v->index != RH_NONE) || (list && v->index >= v->nlist)) {
    return false;
  }
  int first = 0;
  while (v->index == RH_FIT_ALL && first < v->nlist && v->list[first] == 0) {
    first++;
  }
  if (first == v->nlist) {
    return false;
  }
  v->start = v->list[v->index == RH_FIT_ALL ? first : list ? v->index : 0];
  return true;
}

static rh_status look_up_tie(rh_yaml *tree, int root, rh_diag *diag, rh_fit_value *v)
{
  rh_fit_value other = {.index = RH_NONE};
  int node = RH_NONE;
  RH_TRY(rh_yaml_look_up(tree, root, v->tied, diag, &node));
  if (!read_node(tree, node, &other) || v->start == 0) {
    return rh_refuse(RH_INPUT_REFUSED,
                     "fit: --free %s: both must be numbers of the scene, the first not 0", v->name);
  }
  v->ratio = other.start / v->start;
  return RH_OK;
}

static rh_status look_up_all(rh_yaml *tree, int root, bool early, rh_diag *diag,
                             rh_fit_value *value, int n)
{
  for (int i = 0; i < n; i++) {
    rh_fit_value *v = &value[i];
    int node = RH_NONE;
    if (early != (strncmp(v->path, "parameters.", 11) == 0)) {
      continue;
    }
    RH_TRY(rh_yaml_look_up(tree, root, v->path, diag, &node));
    if (!read_node(tree, node, v)) {
      if (v->optional && (!v->bounded || v->index != RH_NONE)) {
        return RH_INPUT_REFUSED;
      }
      if (!v->bounded || v->index != RH_NONE) {
        return rh_refuse(RH_INPUT_REFUSED, "fit: --free %s: the scene has no number here; %s",
                         v->name,
                         v->index != RH_NONE ? "state the list in the scene, and an index within it"
                                             : "give bounds, PATH=LOW:HIGH, or an index, PATH[0]");
      }
      v->start = v->lo;
    }
    if (v->tied[0] != '\0') {
      RH_TRY(look_up_tie(tree, root, diag, v));
    }
  }
  return RH_OK;
}

static rh_status look_up_text(const char *text, size_t bytes, const char *name, bool early,
                              rh_diag *diag, rh_fit_value *value, int n)
{
  rh_yaml tree = {0};
  int root = RH_NONE;
  int file = rh_yaml_add_file(&tree, name);
  rh_status status =
      file != RH_NONE && rh_yaml_add_file(&tree, "-s") != RH_NONE ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_yaml_read(&tree, text, bytes, (rh_yaml_start){file, 0, 0}, diag, &root);
  }
  if (status == RH_OK) {
    status = look_up_all(&tree, root, early, diag, value, n);
  }
  rh_yaml_free(&tree);
  return status;
}

static rh_status look_up(const rh_fit_scene *s, rh_diag *diag, rh_fit_value *value, int n,
                         uint64_t *sum)
{
  rh_scene *scene = NULL;
  RH_TRY(
      rh_scene_parse(s->text, s->bytes, s->name, s->request->set, s->request->nset, diag, &scene));
  char *all = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  *sum = all != NULL ? rh_fit_hash(0, all, strlen(all)) : 0;
  rh_status status = all != NULL ? look_up_text(all, strlen(all), s->name, false, diag, value, n)
                                 : RH_OUT_OF_MEMORY;
  rh_free(all);
  if (status == RH_OK) {
    status = look_up_text(s->text, s->bytes, s->name, true, diag, value, n);
  }
  return status;
}

bool rh_fit_has(const rh_fit_scene *s, rh_fit_value *value)
{
  rh_diag *quiet = rh_diag_create();
  value->optional = true;
  uint64_t sum;
  bool has = quiet != NULL && look_up(s, quiet, value, 1, &sum) == RH_OK;
  rh_diag_destroy(quiet);
  return has;
}

rh_status rh_fit_look_up(rh_fit_scene *s, rh_diag *diag, rh_fit_value *value, int n)
{
  rh_status status = look_up(s, diag, value, n, &s->sum);
  for (int i = 0; status == RH_OK && i < n; i++) {
    status = rh_fit_scale_value(&value[i]);
  }
  return status;
}

// ---- Worlds

static double first_number(const rh_fit_value *v)
{
  for (int k = 0; k < v->nlist; k++) {
    if (v->list[k] != 0) {
      return v->list[k];
    }
  }
  return 1;
}

// The override that gives value i its number; a list is given once, by the first of its values.
static void add_override(const rh_fit_value *value, const double *x, int n, int i, rh_text *text)
{
  const rh_fit_value *v = &value[i];
  rh_text_addf(text, "%s=", v->path);
  if (v->index == RH_NONE) {
    rh_text_add_number(text, x[i]);
    return;
  }
  double list[RH_LIST_MAX];
  memcpy(list, v->list, sizeof list);
  for (int k = 0; k < n; k++) {
    if (strcmp(value[k].path, v->path) == 0 && value[k].index >= 0) {
      list[value[k].index] = x[k];
    }
  }
  for (int k = 0; k < v->nlist && v->index == RH_FIT_ALL; k++) {
    list[k] *= x[i] / first_number(v);
  }
  if (v->factor > 0) {
    double factor[RH_FIT_FACTORS];
    memcpy(factor, list, sizeof factor);
    rh_fit_inertia_from(factor, list);
  }
  for (int k = 0; k < v->nlist; k++) {
    rh_text_add(text, k == 0 ? "[" : ", ");
    rh_text_add_number(text, list[k]);
  }
  rh_text_add(text, "]");
}

static bool is_given_before(const rh_fit_value *value, int i)
{
  for (int k = 0; k < i; k++) {
    if (strcmp(value[k].path, value[i].path) == 0) {
      return true;
    }
  }
  return false;
}

static rh_status add_set(rh_words *set, rh_text *text)
{
  bool good = !text->failed && text->data != NULL;
  if (good) {
    set->word[set->n++] = rh_text_take(text);
  }
  rh_text_free(text);
  return good ? RH_OK : RH_OUT_OF_MEMORY;
}

rh_status rh_fit_overrides(const rh_fit_value *value, const double *x, int n, rh_words *set)
{
  *set = (rh_words){.word = rh_alloc((size_t)(2 * n + 1) * sizeof *set->word)};
  rh_status status = set->word != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  for (int i = 0; status == RH_OK && i < n; i++) {
    rh_text text = {0};
    if (!is_given_before(value, i)) {
      add_override(value, x, n, i, &text);
      status = add_set(set, &text);
    }
    if (status == RH_OK && value[i].tied[0] != '\0') {
      rh_text_addf(&text, "%s=", value[i].tied);
      rh_text_add_number(&text, x[i] * value[i].ratio);
      status = add_set(set, &text);
    }
  }
  return status;
}

rh_status rh_fit_world_make(const rh_fit_scene *s, const rh_fit_value *value, const double *x,
                            int n, rh_diag *diag, rh_fit_world *world)
{
  const rh_request *request = s->request;
  rh_words given;
  *world = (rh_fit_world){0};
  rh_status status = rh_fit_overrides(value, x, n, &given);
  const char **set = rh_alloc((size_t)(request->nset + given.n + 1) * sizeof *set);
  int nset = 0;
  status = set != NULL ? status : RH_OUT_OF_MEMORY;
  for (; status == RH_OK && nset < request->nset; nset++) {
    set[nset] = request->set[nset];
  }
  for (int i = 0; status == RH_OK && i < given.n; i++) {
    set[nset++] = given.word[i];
  }
  rh_scene *scene = NULL;
  if (status == RH_OK) {
    status = rh_scene_parse(s->text, s->bytes, s->name, set, nset, diag, &scene);
  }
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &world->model);
  }
  rh_scene_destroy(scene);
  rh_words_free(&given);
  rh_free(set);
  if (status == RH_OK) {
    world->channels = rh_channels_create(world->model);
    status = world->channels != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  }
  return status;
}

void rh_fit_world_free(rh_fit_world *world)
{
  rh_channels_destroy(world->channels);
  rh_model_destroy(world->model);
  *world = (rh_fit_world){0};
}
