// scene_include.c: `include: {urdf: FILE, prefix: .., fixed: yes, at: .., rpy: .., packages:
// FOLDER, q: {JOINT: ..}, samples: N}`, `include: {mjcf: FILE, prefix: .., keyframe: .., contacts: no,
// q: .., samples: ..}`, or a list of such. The robot of each file is added to the
// sections of the scene after the scene's own entries, before overrides; its posture (q) and the
// points of its boxes on a plane (samples) are added to the file's values.
#include "scene_io/mjcf/mjcf.h"
#include "scene_read.h"
#include "urdf.h"

#include <stdio.h>
#include <string.h>

enum { WHERE_MAX = 4096 };

typedef struct include {
  rh_yaml *tree;
  int root;
  const char *scene; // folder of the scene, NULL: no files may be read
  rh_diag *diag;
  int urdf, mjcf, prefix, fixed, at, rpy, packages, q, samples, keyframe,
      contacts; // nodes, RH_NONE
} include;

static rh_status refuse_include(const include *in, int node, const char *why)
{
  rh_diag_add(in->diag, RH_ERROR, rh_yaml_place(in->tree, node), "include: %s", why);
  return RH_INPUT_REFUSED;
}

// The text of a value, "" if absent. NULL: it is not text.
static const char *text_of(const include *in, int node)
{
  if (node == RH_NONE) {
    return "";
  }
  return in->tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(in->tree, node) : NULL;
}

static rh_status read_keys(include *in, int map)
{
  struct {
    const char *key;
    int *node;
  } const known[] = {{"urdf", &in->urdf},         {"prefix", &in->prefix},
                     {"fixed", &in->fixed},       {"at", &in->at},
                     {"rpy", &in->rpy},           {"q", &in->q},
                     {"packages", &in->packages}, {"samples", &in->samples},
                     {"mjcf", &in->mjcf},         {"keyframe", &in->keyframe},
                     {"contacts", &in->contacts}};

  const char *names[RH_COUNT(known)];
  for (int i = 0; i < RH_COUNT(known); i++) {
    *known[i].node = RH_NONE;
    names[i] = known[i].key;
  }
  rh_status status = RH_OK;
  for (int v = in->tree->node[map].first; v != RH_NONE; v = in->tree->node[v].next) {
    int key = in->tree->node[v].key;
    const char *name = rh_yaml_text(in->tree, key);
    int i = 0;
    while (i < RH_COUNT(known) && strcmp(known[i].key, name) != 0) {
      i++;
    }
    if (i < RH_COUNT(known)) {
      *known[i].node = v;
      continue;
    }
    char why[RH_WHY_MAX];
    const char *near = rh_nearest_name(name, names, RH_COUNT(known));
    snprintf(
        why, sizeof why, "unknown key '%.60s'; %s%s%s", name, near ? "did you mean '" : "it takes ",
        near ? near
             : "urdf or mjcf, prefix, fixed, at, rpy, packages, q, samples, keyframe, contacts",
        near ? "'?" : "");
    status = refuse_include(in, key, why);
  }
  return status;
}

static rh_status read_flag(const include *in, int node, bool *flag)
{
  static const char *const words[] = {"no", "yes", "false", "true"};
  const char *text = text_of(in, node);
  char why[RH_WHY_MAX];
  for (int i = 0; text && *text && i < RH_COUNT(words); i++) {
    if (strcmp(text, words[i]) == 0) {
      *flag = i % 2 == 1;
      return RH_OK;
    }
  }
  if (node == RH_NONE) {
    return RH_OK;
  }
  snprintf(why, sizeof why, "%.20s must be yes or no",
           rh_yaml_text(in->tree, in->tree->node[node].key));
  return refuse_include(in, node, why);
}

// The URDF reader uses these before the tree grows: it makes its own copies.
typedef struct paths {
  char prefix[RH_NAME_MAX];
  char file[WHERE_MAX], folder[WHERE_MAX], packages[WHERE_MAX];
  char keyframe[RH_NAME_MAX];
} paths;

static rh_status copy_text(const include *in, int node, const char *what, char *to, size_t size)
{
  char why[RH_WHY_MAX];
  const char *text = text_of(in, node);
  if (!text || strlen(text) >= size) {
    snprintf(why, sizeof why, "%s must be a text of fewer than %zu characters", what, size);
    return refuse_include(in, node, why);
  }
  memcpy(to, text, strlen(text) + 1);
  return RH_OK;
}

static rh_status read_mjcf(const include *in, const paths *p, const rh_mjcf_file *file)
{
  rh_mjcf_opt opt = {.prefix = p->prefix,
                     .scene = in->scene,
                     .folder = p->folder,
                     .keyframe = p->keyframe[0] ? p->keyframe : NULL,
                     .contacts = true,
                     .compile = rh_tree_compile};
  const int *other[] = {&in->fixed, &in->at, &in->rpy, &in->packages};
  for (int i = 0; i < RH_COUNT(other); i++) {
    if (*other[i] != RH_NONE) {
      return refuse_include(in, *other[i], "fixed, at, rpy and packages are for urdf");
    }
  }
  RH_TRY(read_flag(in, in->contacts, &opt.contacts));
  return rh_mjcf_read(in->tree, in->root, file, &opt, in->diag);
}

static rh_status read_file(const include *in, const paths *p, const rh_urdf_opt *opt)
{
  char where[2 * WHERE_MAX];
  bool beside = p->file[0] != '/' && in->scene[0] != '\0';
  snprintf(where, sizeof where, "%s%s%s", beside ? in->scene : "", beside ? "/" : "", p->file);
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  int source = in->urdf == RH_NONE ? in->mjcf : in->urdf;
  int file = rh_yaml_add_file(in->tree, where);
  if (file == RH_NONE && in->tree->kept[RH_TREE_FILES - 1] == NULL) { // it has an entry
    return RH_OUT_OF_MEMORY;
  }
  if (file == RH_NONE) {
    return refuse_include(in, source, "too many files: a scene may include 32");
  }
  if (strcmp(where, "-") == 0) {
    return refuse_include(in, source, "a robot is read from a file, not from standard input");
  }
  rh_status status = rh_file_read(where, in->diag, &text, &bytes, &name);
  if (status == RH_OK) {
    status = in->mjcf == RH_NONE ? rh_urdf_read(in->tree, in->root,
                                                &(rh_urdf_text){text, bytes, file}, opt, in->diag)
                                 : read_mjcf(in, p, &(rh_mjcf_file){text, bytes, file});
    rh_free(text);
  }
  if (status == RH_INPUT_REFUSED) {
    rh_diag_add(in->diag, RH_NOTE, rh_yaml_place(in->tree, source), "it is included here");
  }
  return status;
}

// ---- The scene's values for the robot in addition to its file

static int last_of(const rh_yaml *tree, int map)
{
  int last = tree->node[map].first;
  while (last != RH_NONE && tree->node[last].next != RH_NONE) {
    last = tree->node[last].next;
  }
  return last;
}

// Sets `key` of a map to `value`.
static rh_status put_value(rh_yaml *tree, int map, const char *key, int value)
{
  rh_node node = tree->node[value];
  int old = rh_yaml_find(tree, map, key);
  if (old != RH_NONE) {
    node.key = tree->node[old].key;
    node.next = tree->node[old].next;
    tree->node[old] = node;
    return RH_OK;
  }
  rh_node name = {.file = node.file, .line = node.line, .column = node.column};
  int last = last_of(tree, map);
  node.key = rh_yaml_add_text(tree, name, key, strlen(key));
  node.next = RH_NONE;
  int made = node.key == RH_NONE ? RH_NONE : rh_yaml_add(tree, node);
  if (made == RH_NONE) {
    return RH_OUT_OF_MEMORY;
  }
  tree->node[made] = node;
  rh_yaml_link(tree, map, made, last);
  return RH_OK;
}

static bool has_text_value(const rh_yaml *tree, int map, const char *key, const char *text)
{
  int value = rh_yaml_find(tree, map, key);
  return value != RH_NONE && tree->node[value].kind == RH_NODE_SCALAR &&
         strcmp(rh_yaml_text(tree, value), text) == 0;
}

// First entry of a section that belongs to the robot; earlier entries do not.
static int first_robot_entry(const include *in, const char *section, int before)
{
  int list = rh_yaml_find(in->tree, in->root, section);
  int entry = list == RH_NONE ? RH_NONE : in->tree->node[list].first;
  for (int i = 0; i < before && entry != RH_NONE; i++) {
    entry = in->tree->node[entry].next;
  }
  return entry;
}

static int count_entries(const include *in, const char *section)
{
  int list = rh_yaml_find(in->tree, in->root, section);
  return list == RH_NONE ? 0 : in->tree->node[list].count;
}

// A joint without a name has that of its child.
static bool is_joint(const rh_yaml *tree, int joint, const char *name)
{
  bool named = rh_yaml_find(tree, joint, "name") != RH_NONE;
  return has_text_value(tree, joint, named ? "name" : "child", name);
}

static rh_status put_posture(include *in, const char *prefix, int before)
{
  rh_yaml *tree = in->tree;
  if (in->q == RH_NONE) {
    return RH_OK;
  }
  if (tree->node[in->q].kind != RH_NODE_MAP) {
    return refuse_include(in, in->q, "q must be a map of joints, {knee: 0.4}");
  }
  for (int v = tree->node[in->q].first; v != RH_NONE; v = tree->node[v].next) {
    char name[2 * RH_NAME_MAX];
    char why[RH_WHY_MAX];
    snprintf(name, sizeof name, "%s%.*s", prefix, RH_NAME_MAX - 1,
             rh_yaml_text(tree, tree->node[v].key));
    int joint = first_robot_entry(in, "joints", before);
    while (joint != RH_NONE && !is_joint(tree, joint, name)) {
      joint = tree->node[joint].next;
    }
    if (joint == RH_NONE) {
      snprintf(why, sizeof why, "the robot has no joint '%.60s'", name);
      return refuse_include(in, tree->node[v].key, why);
    }
    RH_TRY(put_value(tree, joint, "q", v));
  }
  return RH_OK;
}

static rh_status put_samples(include *in, int before)
{
  for (int shape = first_robot_entry(in, "shapes", before);
       in->samples != RH_NONE && shape != RH_NONE; shape = in->tree->node[shape].next) {
    if (has_text_value(in->tree, shape, "kind", "box")) {
      RH_TRY(put_value(in->tree, shape, "samples", in->samples));
    }
  }
  return RH_OK;
}

static rh_status include_one(include *in, int map)
{
  paths p;
  rh_urdf_opt opt = {.prefix = p.prefix, .scene = in->scene, .folder = p.folder};
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return refuse_include(in, map, "must be a map, {urdf: FILE}, or a list of such");
  }
  RH_TRY(read_keys(in, map));
  int source = in->urdf == RH_NONE ? in->mjcf : in->urdf;
  const char *file = text_of(in, source);
  if (!file || !*file) {
    return refuse_include(in, source == RH_NONE ? map : source, "urdf or mjcf must name a file");
  }
  if (in->urdf != RH_NONE && in->mjcf != RH_NONE) {
    return refuse_include(in, in->mjcf, "urdf and mjcf are two entries of a list");
  }
  if (in->urdf != RH_NONE && (in->keyframe != RH_NONE || in->contacts != RH_NONE)) {
    return refuse_include(in, in->keyframe == RH_NONE ? in->contacts : in->keyframe,
                          "keyframe and contacts are for mjcf");
  }
  if (!in->scene) {
    return refuse_include(in, source, "no files can be read here");
  }
  RH_TRY(read_flag(in, in->fixed, &opt.fixed));
  RH_TRY(copy_text(in, in->keyframe, "keyframe", p.keyframe, sizeof p.keyframe));
  RH_TRY(copy_text(in, source, "urdf or mjcf", p.file, sizeof p.file));
  RH_TRY(copy_text(in, in->prefix, "prefix", p.prefix, sizeof p.prefix));
  RH_TRY(copy_text(in, in->packages, "packages", p.packages, sizeof p.packages));
  size_t length = rh_folder_length(p.file);
  memcpy(p.folder, p.file, length);
  p.folder[length] = '\0';
  if (length == 0 && p.file[0] == '/') {
    memcpy(p.folder, "/.", 3);
  }
  opt.packages = in->packages == RH_NONE ? NULL : p.packages;
  opt.at = in->at;
  opt.rpy = in->rpy;
  int joints = count_entries(in, "joints");
  int shapes = count_entries(in, "shapes");
  RH_TRY(read_file(in, &p, &opt));
  RH_TRY(put_posture(in, p.prefix, joints));
  return put_samples(in, shapes);
}

rh_status rh_yaml_include(rh_yaml *tree, int root, const char *folder, rh_diag *diag)
{
  int node = rh_yaml_find(tree, root, "include");
  if (node == RH_NONE) {
    return RH_OK;
  }
  include in = {.tree = tree, .root = root, .scene = folder, .diag = diag};
  if (tree->node[node].kind != RH_NODE_LIST) {
    return include_one(&in, node);
  }
  rh_status worst = RH_OK;
  for (int v = tree->node[node].first; v != RH_NONE; v = tree->node[v].next) {
    rh_status status = include_one(&in, v);
    worst = worst == RH_OK || status == RH_OUT_OF_MEMORY ? status : worst;
  }
  return worst;
}
