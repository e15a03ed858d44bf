// include.c: `include: {urdf: FILE, prefix: .., fixed: yes, at: .., rpy: .., packages: FOLDER, q: {JOINT:
// ..}, samples: N}`, `{mjcf: FILE, prefix: .., keyframe: .., contacts: no, ..}`, `{sdf: FILE, ..}`, `{scene: FILE, prefix:
// .., at: .., rpy: .., parameters: {..}}`, or a list of such. What each file holds is added to the
// sections of the scene after the scene's own entries, before overrides; its posture (q) and the
// points of its boxes on a plane (samples) are added to the file's values. No recursion: includes that
// wait are a stack.
#include "include.h"

#include "scene_io/mjcf/mjcf.h"
#include "scene_io/scene_read.h"
#include "scene_io/sdf/sdf.h"
#include "scene_io/urdf.h"

#include <stdio.h>
#include <string.h>

// The text of a value, "" if absent. NULL: it is not text.
static const char *text_of(const rh_include *in, int node)
{
  if (node == RH_NONE) {
    return "";
  }
  return in->tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(in->tree, node) : NULL;
}

// ---- Keys

typedef enum include_kind { URDF = 1, MJCF = 2, SDF = 4, SCENE = 8, ANY = 15 } include_kind;

typedef struct include_key {
  const char *key;
  size_t offset; // of its node in rh_include
  int kinds;     // that take it
} include_key;

#define KEY(member, name, kinds)                                                                   \
  {                                                                                                \
    name, offsetof(rh_include, member), kinds                                                      \
  }

static const include_key known[] = {
    // the files first, in the order of their kinds
    KEY(urdf, "urdf", URDF),
    KEY(mjcf, "mjcf", MJCF),
    KEY(sdf, "sdf", SDF),
    KEY(include_scene, "scene", SCENE),
    KEY(prefix, "prefix", ANY),
    KEY(fixed, "fixed", URDF),
    KEY(at, "at", ANY),
    KEY(rpy, "rpy", ANY),
    KEY(packages, "packages", URDF | SDF),
    KEY(q, "q", ANY),
    KEY(samples, "samples", ANY),
    KEY(keyframe, "keyframe", MJCF),
    KEY(contacts, "contacts", MJCF | SDF),
    KEY(parameters, "parameters", SCENE),
};
#undef KEY

enum { KINDS = 4 };

static int *key_node(rh_include *in, int key)
{
  return (int *)(void *)((char *)in + known[key].offset);
}

static rh_status refuse_unknown_key(const rh_include *in, int key)
{
  char why[RH_WHY_MAX];
  const char *names[RH_COUNT(known)];
  const char *name = rh_yaml_text(in->tree, key);
  for (int i = 0; i < RH_COUNT(known); i++) {
    names[i] = known[i].key;
  }
  const char *near = rh_nearest_name(name, names, RH_COUNT(known));
  snprintf(
      why, sizeof why, "unknown key '%.60s'; %s%s%s", name, near ? "did you mean '" : "it takes ",
      near ? near
           : "urdf, mjcf, sdf or scene, prefix, fixed, at, rpy, packages, q, samples, keyframe, "
             "contacts, parameters",
      near ? "'?" : "");
  return rh_include_refuse(in, key, why);
}

static rh_status read_keys(rh_include *in, int map)
{
  for (int i = 0; i < RH_COUNT(known); i++) {
    *key_node(in, i) = RH_NONE;
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
      *key_node(in, i) = v;
    } else {
      status = refuse_unknown_key(in, key);
    }
  }
  return status;
}

// The file's node and kind. Keys must be for its kind.
static rh_status find_source(rh_include *in, int map, int *source, int *kind)
{
  char why[RH_WHY_MAX];
  *source = RH_NONE;
  for (int i = 0; i < KINDS; i++) {
    int node = *key_node(in, i);
    if (node != RH_NONE && *source != RH_NONE) {
      return rh_include_refuse(in, node,
                               "urdf, mjcf, sdf and scene are entries of a list, one each");
    }
    *source = node != RH_NONE ? node : *source;
    *kind = node != RH_NONE ? known[i].kinds : *kind;
  }
  const char *file = text_of(in, *source);
  if (!file || !*file) {
    return rh_include_refuse(in, *source == RH_NONE ? map : *source,
                             "urdf, mjcf, sdf or scene must name a file");
  }
  for (int i = KINDS; i < RH_COUNT(known); i++) {
    if (*key_node(in, i) != RH_NONE && !(known[i].kinds & *kind)) {
      snprintf(why, sizeof why, "%s is for %s", known[i].key,
               known[i].kinds == (URDF | SDF)   ? "urdf and sdf"
               : known[i].kinds == (MJCF | SDF) ? "mjcf and sdf"
               : known[i].kinds == URDF         ? "urdf"
               : known[i].kinds == MJCF         ? "mjcf"
                                                : "scene");
      return rh_include_refuse(in, *key_node(in, i), why);
    }
  }
  return in->scene ? RH_OK : rh_include_refuse(in, *source, "no files can be read here");
}

static rh_status read_flag(const rh_include *in, int node, bool *flag)
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
  return rh_include_refuse(in, node, why);
}

// ---- Paths and prefix; the readers use these before the tree grows: they make their own copies.

typedef struct paths {
  char prefix[RH_NAME_MAX];
  char file[RH_INCLUDE_PATH_MAX], folder[RH_INCLUDE_PATH_MAX], packages[RH_INCLUDE_PATH_MAX];
  char keyframe[RH_NAME_MAX];
} paths;

static rh_status copy_text(const rh_include *in, int node, const char *what, char *to, size_t size)
{
  char why[RH_WHY_MAX];
  const char *text = text_of(in, node);
  if (!text || strlen(text) >= size) {
    snprintf(why, sizeof why, "%s must be a text of fewer than %zu characters", what, size);
    return rh_include_refuse(in, node, why);
  }
  memcpy(to, text, strlen(text) + 1);
  return RH_OK;
}

static rh_status copy_path(const rh_include *in, int node, const char *what,
                           char path[RH_INCLUDE_PATH_MAX])
{
  char text[RH_INCLUDE_PATH_MAX];
  RH_TRY(copy_text(in, node, what, text, sizeof text));
  return rh_include_path(in, text, path) ? RH_OK
                                         : rh_include_refuse(in, node, "the path is too long");
}

static rh_status copy_prefix(const rh_include *in, char prefix[RH_NAME_MAX])
{
  char own[RH_NAME_MAX];
  RH_TRY(copy_text(in, in->prefix, "prefix", own, sizeof own));
  int length = snprintf(prefix, RH_NAME_MAX, "%s%s", in->frame[in->at_frame].prefix.text, own);
  return length < RH_NAME_MAX
             ? RH_OK
             : rh_include_refuse(in, in->prefix, "prefixes may have 63 characters in all");
}

static rh_status copy_paths(const rh_include *in, int source, paths *p)
{
  RH_TRY(copy_text(in, in->keyframe, "keyframe", p->keyframe, sizeof p->keyframe));
  RH_TRY(copy_path(in, source, "the file", p->file));
  RH_TRY(copy_prefix(in, p->prefix));
  RH_TRY(copy_path(in, in->packages, "packages", p->packages));
  size_t length = rh_folder_length(p->file);
  memcpy(p->folder, p->file, length);
  p->folder[length] = '\0';
  if (length == 0 && p->file[0] == '/') {
    memcpy(p->folder, "/.", 3);
  }
  return RH_OK;
}

// ---- Files

static rh_status read_urdf(rh_include *in, const paths *p, const rh_include_text *file)
{
  rh_urdf_opt opt = {.prefix = p->prefix,
                     .scene = in->scene,
                     .folder = p->folder,
                     .at = in->at,
                     .rpy = in->rpy,
                     .packages = in->packages == RH_NONE ? NULL : p->packages};
  RH_TRY(read_flag(in, in->fixed, &opt.fixed));
  rh_urdf_text text = {file->text, file->bytes, file->file};
  return rh_urdf_read(in->tree, in->root, &text, &opt, in->diag);
}

static rh_status read_mjcf(rh_include *in, const paths *p, const rh_include_text *file)
{
  rh_mjcf_opt opt = {.prefix = p->prefix,
                     .scene = in->scene,
                     .folder = p->folder,
                     .keyframe = p->keyframe[0] ? p->keyframe : NULL,
                     .contacts = true,
                     .compile = rh_tree_compile};
  RH_TRY(read_flag(in, in->contacts, &opt.contacts));
  rh_mjcf_file text = {file->text, file->bytes, file->file};
  return rh_mjcf_read(in->tree, in->root, &text, &opt, in->diag);
}

static rh_status read_sdf(rh_include *in, const paths *p, const rh_include_text *file)
{
  rh_sdf_opt opt = {.prefix = p->prefix,
                    .scene = in->scene,
                    .folder = p->folder,
                    .packages = in->packages == RH_NONE ? NULL : p->packages,
                    .contacts = true};
  RH_TRY(read_flag(in, in->contacts, &opt.contacts));
  rh_sdf_file text = {file->text, file->bytes, file->file};
  return rh_sdf_read(in->tree, in->root, &text, &opt, in->diag);
}

static rh_status read_text(rh_include *in, const paths *p, int kind, const rh_include_text *file)
{
  return kind == URDF   ? read_urdf(in, p, file)
         : kind == MJCF ? read_mjcf(in, p, file)
         : kind == SDF  ? read_sdf(in, p, file)
                        : rh_include_read_scene(in, file, p->prefix, p->folder);
}

static rh_status read_file(rh_include *in, const paths *p, int source, int kind)
{
  char where[2 * RH_INCLUDE_PATH_MAX];
  bool beside = p->file[0] != '/' && in->scene[0] != '\0';
  snprintf(where, sizeof where, "%s%s%s", beside ? in->scene : "", beside ? "/" : "", p->file);
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  int file = rh_yaml_add_file(in->tree, where);
  if (file == RH_NONE && in->tree->kept[RH_TREE_FILES - 1] == NULL) { // it has an entry
    return RH_OUT_OF_MEMORY;
  }
  if (file == RH_NONE) {
    return rh_include_refuse(in, source, "too many files: a scene may include 32");
  }
  if (strcmp(where, "-") == 0) {
    return rh_include_refuse(in, source, "it is read from a file, not from standard input");
  }
  rh_status status = rh_file_read(where, in->diag, &text, &bytes, &name);
  if (status == RH_OK) {
    status = read_text(in, p, kind, &(rh_include_text){text, bytes, file});
    rh_free(text);
  }
  if (status == RH_INPUT_REFUSED) {
    rh_diag_add(in->diag, RH_NOTE, rh_yaml_place(in->tree, source), "it is included here");
  }
  return status;
}

// ---- The scene's values for the robot in addition to its file

// The last entries of all lists of the scene, from those known before.
static void update_marks(rh_include *in)
{
  const rh_yaml *tree = in->tree;
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    int list = rh_sections[id].list ? rh_yaml_find(tree, in->root, rh_sections[id].name) : RH_NONE;
    int *last = &in->marks.last[id];
    if (list == RH_NONE || tree->node[list].kind != RH_NODE_LIST) {
      continue;
    }
    *last = *last == RH_NONE ? tree->node[list].first : *last;
    while (*last != RH_NONE && tree->node[*last].next != RH_NONE) {
      *last = tree->node[*last].next;
    }
  }
  in->before = in->marks;
}

static rh_status put_samples(rh_include *in)
{
  for (int shape = rh_include_first(in, RH_SECTION_SHAPES);
       in->samples != RH_NONE && shape != RH_NONE; shape = in->tree->node[shape].next) {
    if (rh_include_has_text(in->tree, shape, "kind", "box")) {
      RH_TRY(rh_include_put_value(in->tree, shape, "samples", in->samples));
    }
  }
  return RH_OK;
}

// ---- One after the other

static rh_status include_one(rh_include *in, int map)
{
  if (in->tree->node[map].kind != RH_NODE_MAP) {
    return rh_include_refuse(in, map, "must be a map, {urdf: FILE}, or a list of such");
  }
  if (++in->count > RH_INCLUDES_MAX) {
    return rh_include_refuse(in, map, "too much is included: 10000 files are allowed");
  }
  int source = RH_NONE;
  int kind = 0;
  RH_TRY(read_keys(in, map));
  RH_TRY(find_source(in, map, &source, &kind));
  paths *p = rh_alloc(sizeof *p);
  if (!p) {
    return RH_OUT_OF_MEMORY;
  }
  rh_placement pose = in->frame[in->at_frame].pose;
  update_marks(in);
  rh_status status = copy_paths(in, source, p);
  if (status == RH_OK && kind != URDF) { // the reader of URDF places the base itself
    const rh_placement outer = pose;
    bool good = rh_placement_read(in, in->at, in->rpy, &outer, &pose);
    status = good ? RH_OK : RH_INPUT_REFUSED;
  }
  status = status == RH_OK ? read_file(in, p, source, kind) : status;
  status = status == RH_OK ? rh_include_place(in, &pose, in->at == RH_NONE ? map : in->at) : status;
  status = status == RH_OK ? rh_include_put_posture(in, p->prefix) : status;
  status = status == RH_OK ? put_samples(in) : status;
  rh_free(p);
  return status;
}

static rh_status include_all(rh_include *in, int node)
{
  in->frame = rh_alloc(sizeof *in->frame);
  if (!in->frame) {
    return RH_OUT_OF_MEMORY;
  }
  in->frame_room = in->nframe = 1;
  in->frame[0] = (rh_include_frame){
      .folder = RH_NONE, .parent = RH_NONE, .file = in->tree->node[in->root].file};
  for (int id = 0; id < RH_SECTION_COUNT; id++) {
    in->marks.last[id] = RH_NONE;
  }
  RH_TRY(rh_include_push(in, node, 0));
  rh_status worst = RH_OK;
  while (in->npending > 0 && worst != RH_OUT_OF_MEMORY && in->count <= RH_INCLUDES_MAX) {
    rh_pending_include next = in->pending[--in->npending];
    in->at_frame = next.frame;
    rh_status status = include_one(in, next.map);
    worst = worst == RH_OK || status == RH_OUT_OF_MEMORY ? status : worst;
  }
  return worst;
}

rh_status rh_yaml_include(rh_yaml *tree, int root, const char *folder, int *left, rh_diag *diag)
{
  int node = rh_yaml_find(tree, root, "include");
  if (node == RH_NONE) {
    return RH_OK;
  }
  rh_include in = {.tree = tree, .root = root, .scene = folder, .left = left, .diag = diag};
  rh_status status = include_all(&in, node);
  rh_free(in.frame);
  rh_free(in.pending);
  return status;
}
