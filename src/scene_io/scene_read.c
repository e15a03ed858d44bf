// scene_read.c: scenes from YAML. One walk over the tables of model/schema.h; no section has its
// own code, except that the file of a mesh is read with it (scene_mesh.c). The whole file is
// examined and all errors are reported. Checks of more than one entry (names, the tree, inertias)
// are in rh_scene_check, here after errors, otherwise in rh_scene_compile.
#include "scene_read.h"
#include "base/text.h"
#include "control/control.h"
#include "scene_entry.h"
#include "scene_io/language/anchors.h"
#include "scene_io/language/keyframe.h"
#include "scene_io/language/repeat.h"
#include "scene_io/mjcf/mjcf.h"
#include "scene_io/sdf/sdf.h"
#include "urdf.h"

#include <stdio.h>
#include <string.h>

static const rh_node *node_at(const rh_reader *r, int node)
{
  return &r->tree->node[node];
}

// A selector that another row rules out, as the integrator of an engine that has none.
static void skip_selector(rh_entry *e, int which, int node)
{
  const rh_selector *selector = &e->section->select[which];
  const rh_selector *by = &e->section->select[selector->by];
  const char *key = e->section->field[selector->field].param.name;
  const char *row = e->row[selector->by] ? e->row[selector->by]->name : "";
  int chosen = rh_yaml_find(e->r->tree, e->node, e->section->field[by->field].param.name);
  memset((char *)e->def + e->section->field[selector->field].offset, 0, sizeof(rh_name));
  memset(rh_section_par(e->section, which, e->def), 0, RH_PAR_MAX * sizeof(double));
  if (node == RH_NONE || rh_yaml_is_null(e->r->tree, node)) {
    return;
  }
  e->origin.field[selector->field] = rh_entry_place(e->r, node);
  if (chosen != RH_NONE && node_at(e->r, chosen)->file == 1 && node_at(e->r, node)->file != 1) {
    rh_diag_add(e->r->diag, RH_WARNING, rh_entry_place(e->r, node),
                "%s is not used: -s chose %s, which has none", key, row);
    return;
  }
  char text[128];
  (void)snprintf(text, sizeof text, "is not for the %s %.60s, which has none", by->kind, row);
  rh_entry_refuse(e, node, key, text);
}

// The rows that the entry selects, at any position in the entry; parameters start at their
// defaults.
// A controller of another name may be in a shared library.
static bool load_plugin(const rh_entry *e, int node, const char *name)
{
  char why[RH_WHY_MAX] = "";
  bool loaded = strcmp(e->section->name, "controllers") == 0 && rh_plugin_load(name, why);
  if (!loaded && why[0] != '\0') {
    rh_diag_add(e->r->diag, RH_NOTE, rh_entry_place(e->r, node), "no plug-in: %s", why);
  }
  return loaded;
}

static void select_row(rh_entry *e, int which)
{
  const rh_section *section = e->section;
  const rh_selector *selector = &section->select[which];
  const rh_schema_field *field = &section->field[selector->field];
  int node = rh_yaml_find(e->r->tree, e->node, field->param.name);
  rh_name *name = (rh_name *)(void *)((char *)e->def + field->offset);
  if (!rh_selector_applies(selector, e->def)) {
    skip_selector(e, which, node);
    return;
  }
  if (selector->usual) {
    *name = rh_name_of(selector->usual(e->def));
  }
  if (node != RH_NONE) {
    bool optional = !field->required && name->text[0] == '\0'; // by default it names no row
    e->origin.field[selector->field] = rh_entry_place(e->r, node);
    if (!rh_entry_read_name(e, field, node, name)) {
      return;
    }
    if (!rh_selector_find(selector, name->text) && (!optional || name->text[0] != '\0') &&
        !load_plugin(e, node, name->text)) {
      rh_entry_refuse_row(e, which, node, name->text);
      return;
    }
  }
  e->row[which] = rh_section_row(section, which, e->def);
  if (e->row[which]) {
    rh_row_defaults(e->row[which], rh_section_par(section, which, e->def));
  }
}

static void check_missing_pars(const rh_entry *e, int which)
{
  const rh_row *row = e->row[which];
  char why[RH_WHY_MAX];
  for (int i = 0; row && i < row->nparam; i++) { // a default out of range: there is none
    const rh_param *param = &row->param[i];
    bool number = param->type == RH_NUMBER || param->type == RH_VECTOR || param->type == RH_INTEGER;
    if (number && !e->origin.par[which][i].file && !rh_param_check(param, param->def, why)) {
      rh_entry_refuse(e, e->node, param->name, "is missing");
    }
  }
}

static void check_missing(const rh_entry *e)
{
  for (int i = 0; i < e->section->nfield; i++) {
    if (e->section->field[i].required && !e->origin.field[i].file) {
      rh_entry_refuse(e, e->node, e->section->field[i].param.name, "is missing");
    }
  }
  for (int i = 0; i < e->section->nselect; i++) {
    check_missing_pars(e, i);
  }
}

// One key of an entry: a field, a parameter of one of its rows, or unknown. Only parameters are late.
static void read_key(rh_entry *e, int node, bool late)
{
  int key = node_at(e->r, node)->key;
  const char *name = rh_yaml_text(e->r->tree, key);
  int field = rh_section_find_field(e->section, name);
  if (field != RH_NONE) {
    bool selector = rh_section_selector_at(e->section, field) != RH_NONE; // is read already
    if (!late && !selector) {
      rh_entry_read_field(e, field, node);
    }
    return;
  }
  for (int i = 0; i < e->section->nselect; i++) {
    int par = e->row[i] ? rh_row_find(e->row[i], name) : RH_NONE;
    if (par != RH_NONE) {
      if (rh_param_is_late(&e->row[i]->param[par]) == late) {
        rh_entry_read_par(e, i, par, node);
      }
      return;
    }
  }
  if (!late) {
    rh_entry_refuse_key(e, key);
  }
}

static rh_status read_entry(rh_reader *r, rh_section_id id, int node, int index)
{
  union {
    double align;
    char bytes[4096];
  } def;

  const rh_section *section = &rh_sections[id];
  RH_ASSERT(section->size <= sizeof def && section->nfield <= RH_COUNT(((rh_origin *)0)->field));
  rh_entry e = {.r = r, .section = section, .node = node, .index = index, .def = &def};
  if (node_at(r, node)->kind != RH_NODE_MAP) {
    rh_diag_add(r->diag, RH_ERROR, rh_entry_place(r, node),
                "%s%s must be a map of keys and values, got %s",
                section->list ? "each entry of " : "", section->name, rh_yaml_what(r->tree, node));
    r->refused = true;
    return RH_OK;
  }
  bool refused_before = r->refused;
  r->refused = false;
  rh_section_default(id, &def);
  e.origin.whole = rh_entry_place(r, node);
  for (int i = 0; i < section->nselect; i++) {
    select_row(&e, i);
  }
  for (int late = 0; late < 2; late++) {
    for (int v = node_at(r, node)->first; v != RH_NONE; v = node_at(r, v)->next) {
      read_key(&e, v, late);
    }
  }
  check_missing(&e);
  rh_status status = r->no_memory ? RH_OUT_OF_MEMORY : RH_OK;
  if (status == RH_OK && id == RH_SECTION_MESHES) {
    status = rh_entry_load_mesh(&e);
  }
  if (status == RH_OK && id == RH_SECTION_VISUAL_MESHES) {
    status = rh_entry_load_look(&e);
  }
  if (status == RH_OK && id == RH_SECTION_TRAJECTORIES) {
    status = rh_entry_load_trajectory(&e);
  }
  if (status == RH_OK && id == RH_SECTION_HAPTIC) {
    status = rh_entry_load_trace(&e);
  }
  e.origin.refused = r->refused;
  r->refused = r->refused || refused_before;
  if (status == RH_OK && rh_scene_put(r->scene, id, &def, &e.origin) == RH_NONE) {
    status = RH_OUT_OF_MEMORY;
  }
  rh_entry_free_numbers(&e);
  return status;
}

static int find_section(const char *name)
{
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    if (strcmp(rh_sections[id].name, name) == 0) {
      return id;
    }
  }
  return RH_NONE;
}

static void refuse_section(rh_reader *r, int key)
{
  const char *names[RH_SECTION_COUNT];
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    names[id] = rh_sections[id].name;
  }
  const char *name = rh_yaml_text(r->tree, key);
  bool enough = rh_diag_count(r->diag, RH_ERROR) > 1000; // the diag keeps at most this many
  const char *near = enough ? "" : rh_nearest_name(name, names, RH_SECTION_COUNT);
  r->refused = true;
  if (near) {
    rh_diag_add(r->diag, RH_ERROR, rh_entry_place(r, key),
                "unknown section '%.60s'; did you mean '%s'?", name, near);
    return;
  }
  rh_text list = {0};
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    rh_text_addf(&list, "%s%s", id > 0 ? ", " : "", names[id]);
  }
  rh_diag_add(r->diag, RH_ERROR, rh_entry_place(r, key), "unknown section '%.60s'; a scene has %s",
              name, list.failed ? "others" : list.data);
  rh_text_free(&list);
}

static rh_status read_section(rh_reader *r, int node)
{
  int key = node_at(r, node)->key;
  const char *name = rh_yaml_text(r->tree, key);
  int id = find_section(name);
  if (strcmp(name, "include") == 0 || strcmp(name, "templates") == 0 ||
      strcmp(name, "parameters") == 0) {
    return RH_OK; // is in the other sections already, by include, aliases or expressions
  }
  if (id == RH_NONE) {
    refuse_section(r, key);
    return RH_OK;
  }
  const rh_section *section = &rh_sections[id];
  if (!section->list) {
    return read_entry(r, (rh_section_id)id, node, 0);
  }
  if (node_at(r, node)->kind != RH_NODE_LIST) {
    rh_diag_add(r->diag, RH_ERROR, rh_entry_place(r, node),
                "%s must be a list, each %s after a '-', got %s", section->name, section->item,
                rh_yaml_what(r->tree, node));
    r->refused = true;
    return RH_OK;
  }
  int index = 0;
  for (int v = node_at(r, node)->first; v != RH_NONE; v = node_at(r, v)->next) {
    RH_TRY(read_entry(r, (rh_section_id)id, v, index++));
  }
  return RH_OK;
}

// A problem file given as a scene
static bool holds_problems(const rh_reader *r, int root)
{
  const rh_node *list = node_at(r, root);
  int first = list->kind == RH_NODE_LIST ? list->first : RH_NONE;
  return first != RH_NONE && node_at(r, first)->kind == RH_NODE_MAP &&
         rh_yaml_find(r->tree, first, "inputs") != RH_NONE;
}

static rh_status read_sections(rh_reader *r, int root)
{
  if (node_at(r, root)->kind != RH_NODE_MAP) {
    rh_diag_add(r->diag, RH_ERROR, rh_entry_place(r, root),
                "a scene is a map of sections, got %s%s", rh_yaml_what(r->tree, root),
                holds_problems(r, root) ? " of problems, which `routh solve` answers" : "");
    r->refused = true;
    return RH_OK;
  }
  for (int v = node_at(r, root)->first; v != RH_NONE; v = node_at(r, v)->next) {
    RH_TRY(read_section(r, v));
  }
  return RH_OK;
}

// Single sections have the scene's beginning as their place until they are given: errors of a whole
// scene, or of a default, then have a place too.
static rh_status place_defaults(rh_reader *r, int root)
{
  union {
    double align;
    char bytes[4096];
  } def;

  rh_origin origin = {.whole = rh_entry_place(r, root)};
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    rh_section_default((rh_section_id)id, &def);
    bool single = !rh_sections[id].list && !rh_sections[id].optional;
    if (single && rh_scene_put(r->scene, (rh_section_id)id, &def, &origin) == RH_NONE) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

static bool keep_files(rh_reader *r)
{
  for (int i = 0; i < RH_TREE_FILES; i++) {
    const char *name = i == 1 ? "-s" : r->tree->file[i];
    r->file[i] = name ? rh_scene_keep(r->scene, name) : NULL;
    if (name && !r->file[i]) {
      return false;
    }
  }
  return true;
}

// What shorter forms stand for: expressions, repeats, included files, the keyframe of the start.
static rh_status write_out(rh_yaml *tree, int root, const rh_scene_opt *opt, rh_diag *diag)
{
  int left = RH_REPEATS_MAX;
  RH_TRY(rh_yaml_override(tree, root, opt, true, diag));
  RH_TRY(rh_yaml_expand(tree, root, &left, diag));
  RH_TRY(rh_yaml_include(tree, root, opt->folder, &left, diag));
  return rh_yaml_keyframe(tree, root, diag);
}

rh_status rh_scene_from_tree(rh_yaml *tree, int root, const rh_scene_opt *opt, rh_diag *diag,
                             rh_scene **scene)
{
  *scene = NULL;
  bool map = tree->node[root].kind == RH_NODE_MAP;
  if (map) {
    RH_TRY(write_out(tree, root, opt, diag));
  }
  rh_reader r = {.tree = tree, .diag = diag, .scene = rh_scene_create(), .folder = opt->folder};
  rh_status status = r.scene && keep_files(&r) ? RH_OK : RH_OUT_OF_MEMORY;
  status = status == RH_OK && map ? rh_yaml_rename_old_words(tree, root, diag) : status;
  if (status == RH_INPUT_REFUSED) {
    r.refused = true;
    status = RH_OK;
  }
  status = status == RH_OK && map ? rh_yaml_override(tree, root, opt, false, diag) : status;
  if (status == RH_INPUT_REFUSED) { // an override was: the rest is examined
    r.refused = true;
    status = RH_OK;
  }
  status = status == RH_OK ? place_defaults(&r, root) : status;
  status = status == RH_OK ? read_sections(&r, root) : status;
  if (status == RH_OK && !r.refused) {
    status = rh_scene_divide_meshes(r.scene, diag);
    r.refused = status == RH_INPUT_REFUSED;
    status = r.refused ? RH_OK : status;
  }
  if (status == RH_OK && r.refused) { // other errors are reported together
    status =
        rh_scene_check(r.scene, diag) == RH_OUT_OF_MEMORY ? RH_OUT_OF_MEMORY : RH_INPUT_REFUSED;
  }
  if (status != RH_OK) {
    rh_scene_destroy(r.scene);
    return status;
  }
  *scene = r.scene;
  return RH_OK;
}

rh_status rh_tree_compile(rh_yaml *tree, int root, rh_diag *diag, rh_model **model)
{
  rh_scene *scene = NULL;
  rh_status status = rh_scene_from_tree(tree, root, &(rh_scene_opt){NULL, 0, NULL}, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, model);
  }
  rh_scene_destroy(scene);
  return status;
}

typedef struct source { // a text, registered with the diag by name, and its overrides
  const char *name, *text;
  size_t bytes;
  const char *const *set;
  int nset;
} source;

enum { FOLDER_MAX = 4096 };

// The folder of a file, "" for this one. False: its name is too long.
static bool folder_of(const char *name, char folder[FOLDER_MAX])
{
  size_t length = rh_folder_length(name);
  if (length >= FOLDER_MAX - 1) {
    return false;
  }
  memcpy(folder, name, length);
  folder[length] = '\0';
  if (length == 0 && name[0] == '/') { // a file in the root folder
    memcpy(folder, "/.", 3);
  }
  return true;
}

// A robot alone is a scene too.
static rh_status read_robot(const source *s, rh_yaml *tree, const char *folder, rh_diag *diag,
                            int *root)
{
  if (s->bytes > RH_FILE_MAX) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = s->name}, "is too big: a file may have 64 MiB");
    return RH_INPUT_REFUSED;
  }
  *root = rh_yaml_add(tree, (rh_node){.kind = RH_NODE_MAP, .line = 1, .column = 1});
  if (*root == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  if (rh_text_is_mjcf(s->text, s->bytes)) {
    rh_mjcf_opt opt = {
        .prefix = "", .scene = folder, .folder = "", .contacts = true, .compile = rh_tree_compile};
    rh_mjcf_file file = {s->text, s->bytes, 0};
    rh_status status = rh_mjcf_read(tree, *root, &file, &opt, diag);
    *root = status == RH_OK ? *root : RH_NONE;
    return status;
  }
  if (rh_text_is_sdf(s->text, s->bytes)) {
    rh_sdf_opt opt = {.prefix = "", .scene = folder, .folder = "", .contacts = true};
    rh_sdf_file file = {s->text, s->bytes, 0};
    rh_status status = rh_sdf_read(tree, *root, &file, &opt, diag);
    *root = status == RH_OK ? *root : RH_NONE;
    return status;
  }
  rh_urdf_opt opt = {.prefix = "", .at = RH_NONE, .rpy = RH_NONE, .scene = folder, .folder = ""};
  rh_status status = rh_urdf_read(tree, *root, &(rh_urdf_text){s->text, s->bytes, 0}, &opt, diag);
  if (status != RH_OK) {
    *root = RH_NONE;
  }
  return status;
}

static rh_status read_source(const source *s, rh_diag *diag, rh_scene **scene)
{
  int root = RH_NONE;
  rh_yaml tree = {.file = {s->name, "-s"}};
  char room[FOLDER_MAX];
  const char *folder = folder_of(s->name, room) ? room : NULL;
  rh_status first = rh_text_is_xml(s->text, s->bytes)
                        ? read_robot(s, &tree, folder, diag, &root)
                        : rh_yaml_read(&tree, s->text, s->bytes, (rh_yaml_start){0}, diag, &root);
  rh_status status = first;
  if (root != RH_NONE && (first == RH_OK || first == RH_INPUT_REFUSED)) {
    rh_scene_opt opt = {s->set, s->nset, folder};
    status = rh_scene_from_tree(&tree, root, &opt, diag, scene);
  }
  if (status == RH_OK && first != RH_OK) {
    rh_scene_destroy(*scene);
    *scene = NULL;
    status = first;
  }
  rh_yaml_free(&tree);
  return status;
}

// NOLINTNEXTLINE(readability-function-size): text, overrides and result are seven parameters
rh_status rh_scene_parse(const char *text, size_t bytes, const char *name, const char *const *set,
                         int nset, rh_diag *diag, rh_scene **scene)
{
  *scene = NULL;
  if (bytes <= RH_FILE_MAX) {
    rh_diag_add_source(diag, name, text, bytes);
  }
  return read_source(&(source){name, text, bytes, set, nset}, diag, scene);
}

rh_status rh_scene_load(const char *path, const char *const *set, int nset, rh_diag *diag,
                        rh_scene **scene)
{
  *scene = NULL;
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &name));
  rh_status status = read_source(&(source){name, text, bytes, set, nset}, diag, scene);
  rh_free(text);
  return status;
}
