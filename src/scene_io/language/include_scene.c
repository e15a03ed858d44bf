// include_scene.c: a scene that another one includes. Its entries get the prefix before their own names
// and before the names of entries that they refer to; names of files become those from the folder of
// the whole scene. Its parameters are those of the include where that gives them. What states how a
// scene runs (world, run, record) is the including scene's alone.
#include "include.h"

#include "repeat.h"
#include "scene_io/scene_read.h"
#include "scene_io/urdf.h"

#include <stdio.h>
#include <string.h>

// ---- Parameters

static rh_status take_parameters(rh_include *in, int root)
{
  rh_yaml *tree = in->tree;
  if (in->parameters == RH_NONE) {
    return RH_OK;
  }
  if (tree->node[in->parameters].kind != RH_NODE_MAP) {
    return rh_include_refuse(in, in->parameters, "parameters must be a map of names and values");
  }
  int map = rh_yaml_find(tree, root, "parameters");
  for (int v = tree->node[in->parameters].first; v != RH_NONE; v = tree->node[v].next) {
    const char *name = rh_yaml_text(tree, tree->node[v].key);
    if (map == RH_NONE || rh_yaml_find(tree, map, name) == RH_NONE) {
      char why[RH_WHY_MAX];
      snprintf(why, sizeof why, "the scene has no parameter '%.60s'", name);
      return rh_include_refuse(in, tree->node[v].key, why);
    }
    RH_TRY(rh_include_put_value(tree, map, name, v));
  }
  return RH_OK;
}

// ---- Names and files of an entry

// Does the field name an entry of the scene, its own or another one?
static bool names_entry(const rh_section *section, int field)
{
  const rh_param *param = &section->field[field].param;
  return param->type == RH_TEXT && rh_section_selector_at(section, field) == RH_NONE &&
         strcmp(param->name, "impact_law") != 0;
}

static rh_status put_text(rh_yaml *tree, int node, const char *text)
{
  int fresh = rh_yaml_add_text(tree, tree->node[node], text, strlen(text));
  if (fresh == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  tree->node[node].text = tree->node[fresh].text;
  return RH_OK;
}

static rh_status put_prefix(rh_include *in, int node, const char *prefix)
{
  char name[RH_SCALAR_MAX < 4096 ? RH_SCALAR_MAX : 4096];
  const char *text = rh_yaml_text(in->tree, node);
  bool special = !*text || rh_yaml_is_null(in->tree, node) || strcmp(text, "world") == 0 ||
                 strcmp(text, "all") == 0;
  if (special || !*prefix) {
    return RH_OK;
  }
  snprintf(name, sizeof name, "%s%.2000s", prefix, text); // one that is too long is refused later
  return put_text(in->tree, node, name);
}

static rh_status put_folder(rh_include *in, int node)
{
  char path[RH_INCLUDE_PATH_MAX];
  const char *text = rh_yaml_text(in->tree, node);
  if (!*text || rh_yaml_is_null(in->tree, node)) {
    return RH_OK;
  }
  if (!rh_include_path(in, text, path)) {
    return rh_include_refuse(in, node, "the path is too long");
  }
  return put_text(in->tree, node, path);
}

static rh_status rename_entry(rh_include *in, const rh_section *section, int entry,
                              const char *prefix)
{
  rh_yaml *tree = in->tree;
  if (tree->node[entry].kind != RH_NODE_MAP) {
    return RH_OK; // refused when it is read
  }
  for (int v = tree->node[entry].first; v != RH_NONE; v = tree->node[v].next) {
    int field = rh_section_find_field(section, rh_yaml_text(tree, tree->node[v].key));
    if (field == RH_NONE || tree->node[v].kind != RH_NODE_SCALAR) {
      continue;
    }
    if (names_entry(section, field)) {
      RH_TRY(put_prefix(in, v, prefix));
    } else if (section->field[field].param.type == RH_PATH) {
      RH_TRY(put_folder(in, v));
    }
  }
  return RH_OK;
}

// ---- Sections

static int find_section(const char *name)
{
  int id = 0;
  while (id < RH_SECTION_COUNT && strcmp(rh_sections[id].name, name) != 0) {
    id++;
  }
  return id;
}

// The scene's list of a section, made if there is none; RH_NONE: it is no list, which is refused later.
static rh_status open_list(rh_include *in, int value, int *list)
{
  rh_yaml *tree = in->tree;
  int key = tree->node[value].key;
  *list = rh_yaml_find(tree, in->root, rh_yaml_text(tree, key));
  if (*list == RH_NONE) {
    rh_node node = tree->node[value];
    int last = rh_include_last(tree, in->root);
    *list = rh_yaml_add(tree, node);
    if (*list == RH_NONE) {
      return RH_OUT_OF_MEMORY;
    }
    tree->node[*list].key = key;
    rh_yaml_link(tree, in->root, *list, last);
  }
  *list = tree->node[*list].kind == RH_NODE_LIST ? *list : RH_NONE;
  return RH_OK;
}

static rh_status move_entries(rh_include *in, int id, int value, const char *prefix)
{
  rh_yaml *tree = in->tree;
  int list = RH_NONE;
  if (tree->node[value].kind != RH_NODE_LIST) {
    rh_diag_add(in->diag, RH_ERROR, rh_yaml_place(tree, value), "%s must be a list, got %s",
                rh_sections[id].name, rh_yaml_what(tree, value));
    return RH_INPUT_REFUSED;
  }
  RH_TRY(open_list(in, value, &list));
  int last = in->before.last[id];
  if (list != RH_NONE && last == RH_NONE) {
    last = rh_include_last(tree, list);
  }
  for (int v = tree->node[value].first; list != RH_NONE && v != RH_NONE;) {
    int next = tree->node[v].next;
    RH_TRY(rename_entry(in, &rh_sections[id], v, prefix));
    tree->node[v].next = RH_NONE;
    rh_yaml_link(tree, list, v, last);
    last = v;
    v = next;
  }
  return RH_OK;
}

static rh_status move_section(rh_include *in, int value, const char *prefix)
{
  const rh_yaml *tree = in->tree;
  rh_place place = rh_yaml_place(tree, tree->node[value].key);
  const char *name = rh_yaml_text(tree, tree->node[value].key);
  int id = find_section(name);
  if (strcmp(name, "include") == 0 || strcmp(name, "templates") == 0 ||
      strcmp(name, "parameters") == 0) {
    return RH_OK;
  }
  if (id == RH_SECTION_COUNT || id == RH_SECTION_HAPTIC) {
    rh_diag_add(in->diag, RH_ERROR, place,
                id == RH_SECTION_HAPTIC ? "the including scene has the section haptic, not this one"
                                        : "unknown section '%.60s'",
                name);
    return RH_INPUT_REFUSED;
  }
  if (!rh_sections[id].list) {
    rh_diag_add(in->diag, RH_NOTE, place, "%s of an included scene is not used", name);
    return RH_OK;
  }
  return move_entries(in, id, value, prefix);
}

// ---- The whole

static rh_status check_chain(const rh_include *in, int file)
{
  int parent = in->at_frame;
  for (; parent != RH_NONE; parent = in->frame[parent].parent) {
    int at = in->frame[parent].file;
    if (at == file || strcmp(in->tree->file[at], in->tree->file[file]) == 0) {
      return rh_include_refuse(in, in->include_scene, "the scene would include itself");
    }
  }
  if (in->frame[in->at_frame].depth + 1 > RH_INCLUDE_DEPTH) {
    return rh_include_refuse(in, in->include_scene,
                             "scenes include each other too deep: 16 levels are allowed");
  }
  return RH_OK;
}

static rh_status push_frame(rh_include *in, const rh_include_frame *frame, const char *folder)
{
  if (in->nframe == in->frame_room) {
    int room = 2 * in->frame_room;
    rh_include_frame *grown = rh_realloc(in->frame, (size_t)room * sizeof *grown);
    if (!grown) {
      return RH_OUT_OF_MEMORY;
    }
    in->frame = grown;
    in->frame_room = room;
  }
  in->frame[in->nframe] = *frame;
  rh_node node = {.file = (uint8_t)frame->file, .line = 1, .column = 1};
  in->frame[in->nframe].folder = rh_yaml_add_text(in->tree, node, folder, strlen(folder));
  return in->frame[in->nframe++].folder == RH_NONE ? RH_OUT_OF_MEMORY : RH_OK;
}

// The frame is pushed before the entries are renamed: names of files are from its folder.
static rh_status enter_scene(rh_include *in, int file, const char *prefix, const char *folder)
{
  const rh_placement outer = in->frame[in->at_frame].pose;
  rh_include_frame frame = {.prefix = rh_name_of(prefix),
                            .parent = in->at_frame,
                            .depth = in->frame[in->at_frame].depth + 1,
                            .file = file};
  if (!rh_placement_read(in, in->at, in->rpy, &outer, &frame.pose)) {
    return RH_INPUT_REFUSED;
  }
  RH_TRY(push_frame(in, &frame, folder));
  in->at_frame = in->nframe - 1;
  return RH_OK;
}

rh_status rh_include_read_scene(rh_include *in, const rh_include_text *text, const char *prefix,
                                const char *folder)
{
  int root = RH_NONE;
  RH_TRY(check_chain(in, text->file));
  if (rh_text_is_xml(text->text, text->bytes)) {
    return rh_include_refuse(in, in->include_scene,
                             "is XML; write urdf:, mjcf: or sdf: for a robot");
  }
  in->bytes += text->bytes;
  if (in->bytes > RH_INCLUDE_BYTES_MAX) {
    return rh_include_refuse(in, in->include_scene,
                             "the included scenes are too big: they may have 64 MiB in all");
  }
  rh_yaml_start start = {.file = text->file};
  RH_TRY(rh_yaml_read(in->tree, text->text, text->bytes, start, in->diag, &root));
  if (in->tree->node[root].kind != RH_NODE_MAP) {
    rh_diag_add(in->diag, RH_ERROR, rh_yaml_place(in->tree, root),
                "a scene is a map of sections, got %s", rh_yaml_what(in->tree, root));
    return RH_INPUT_REFUSED;
  }
  RH_TRY(take_parameters(in, root));
  RH_TRY(rh_yaml_expand(in->tree, root, in->left, in->diag));
  int outer = in->at_frame;
  RH_TRY(enter_scene(in, text->file, prefix, folder));
  rh_status worst = RH_OK;
  for (int v = in->tree->node[root].first; v != RH_NONE && worst != RH_OUT_OF_MEMORY;) {
    int next = in->tree->node[v].next;
    rh_status status = move_section(in, v, prefix);
    worst = worst == RH_OK || status == RH_OUT_OF_MEMORY ? status : worst;
    v = next;
  }
  int frame = in->at_frame;
  in->at_frame = outer;
  int nested = rh_yaml_find(in->tree, root, "include");
  return worst == RH_OK && nested != RH_NONE ? rh_include_push(in, nested, frame) : worst;
}
