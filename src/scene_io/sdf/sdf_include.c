// sdf_include.c: <include> of SDF. The model of the file takes the place of the element, with the name,
// the pose and `static` that the element gives. Its uri is a file, or a folder with a file model.sdf,
//   plain name, file://       from the folder of the main file,
//   model://PATH, package://  in the folder of packages, if given, then in the folder of the main file and
//                             up to eight folders above it.
// A model that includes itself comes to an end at the greatest number of includes.
#include "sdf_part.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { UP_MAX = 8, WHERE_MAX = 8192, INCLUDES_MAX = 1000 };

// ---- Files

// Completes `where` by the file in it, if it is a folder. False: there is no such file.
static bool is_model_file(char where[WHERE_MAX])
{
  struct stat info;
  if (stat(where, &info) != 0) {
    return false;
  }
  size_t length = strlen(where);
  if (S_ISDIR(info.st_mode)) {
    (void)snprintf(where + length, WHERE_MAX - length, "/model.sdf");
    return length + 11 < WHERE_MAX && stat(where, &info) == 0 && S_ISREG(info.st_mode);
  }
  return S_ISREG(info.st_mode);
}

static bool try_path(const rh_sdf *s, char where[WHERE_MAX], const char *folder, int up,
                     const char *file)
{
  static const char dots[] = "../../../../../../../../";
  bool beside = folder[0] != '/' && file[0] != '/' && s->opt->scene[0] != '\0';
  int length = snprintf(where, WHERE_MAX, "%s%s%s%s%.*s%s", beside ? s->opt->scene : "",
                        beside ? "/" : "", file[0] == '/' ? "" : folder,
                        file[0] != '/' && folder[0] ? "/" : "", 3 * up, dots, file);
  return length < WHERE_MAX && is_model_file(where);
}

static bool find_model(const rh_sdf *s, const char *uri, char where[WHERE_MAX])
{
  static const char *const packages[] = {"model://", "package://"};
  for (int i = 0; i < RH_COUNT(packages); i++) {
    if (strncmp(uri, packages[i], strlen(packages[i])) != 0) {
      continue;
    }
    const char *file = uri + strlen(packages[i]);
    if (s->opt->packages && try_path(s, where, s->opt->packages, 0, file)) {
      return true;
    }
    for (int up = 0; up <= UP_MAX; up++) {
      if (try_path(s, where, s->opt->folder, up, file)) {
        return true;
      }
    }
    return false;
  }
  return try_path(s, where, s->opt->folder, 0, uri + (strncmp(uri, "file://", 7) == 0 ? 7 : 0));
}

// Reads the file into the tree; `*root` is its outermost element.
static rh_status read_file(rh_sdf *s, rh_place place, const char *where, int *root)
{
  rh_yaml *tree = s->nodes.tree;
  int file = rh_yaml_add_file(tree, where);
  if (file == RH_NONE) {
    rh_sdf_refuse(s, place, "too many files: a scene may include 32");
    return RH_INPUT_REFUSED;
  }
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  RH_TRY(rh_file_read(where, s->diag, &text, &bytes, &name));
  rh_status status = rh_xml_read(&s->xml, text, bytes, tree->file[file], s->diag, root);
  rh_free(text);
  return status;
}

// ---- The model in the place of the element

static void unlink_child(rh_sdf *s, int parent, int child)
{
  rh_xml_element *p = &s->xml.element[parent];
  int before = RH_NONE;
  for (int e = p->first; e != child; e = s->xml.element[e].next) {
    before = e;
  }
  int next = s->xml.element[child].next;
  *(before == RH_NONE ? &p->first : &s->xml.element[before].next) = next;
  p->last = p->last == child ? before : p->last;
}

static void append_child(rh_sdf *s, int parent, int child)
{
  rh_xml_element *p = &s->xml.element[parent];
  s->xml.element[child].next = RH_NONE;
  s->xml.element[child].parent = parent;
  *(p->last == RH_NONE ? &p->first : &s->xml.element[p->last].next) = child;
  p->last = child;
}

// The attributes of the model, with the name that <name> gives.
static bool take_attributes(rh_sdf *s, int element, int model, const char *name)
{
  const rh_xml_element *from = &s->xml.element[model];
  rh_xml_attribute *own = rh_xml_keep(&s->xml, (size_t)from->nattribute * sizeof *own + 1);
  if (!own) {
    return false;
  }
  memcpy(own, from->attribute, (size_t)from->nattribute * sizeof *own);
  for (int i = 0; name && i < from->nattribute; i++) {
    own[i].value = strcmp(own[i].name, "name") == 0 ? name : own[i].value;
  }
  s->xml.element[element].attribute = own;
  s->xml.element[element].nattribute = from->nattribute;
  return true;
}

static rh_status put_model(rh_sdf *s, int element, int model)
{
  static const char *const kept[] = {"pose", "static"};
  int over[RH_COUNT(kept)];
  const char *name = rh_sdf_text(s, element, "name");
  for (int i = 0; i < RH_COUNT(kept); i++) {
    over[i] = rh_sdf_child(s, element, kept[i]);
  }
  for (int e = s->xml.element[element].first; e != RH_NONE; e = s->xml.element[e].next) {
    const char *tag = rh_sdf_tag(s, e);
    if (strcmp(tag, "uri") != 0 && strcmp(tag, "name") != 0 && e != over[0] && e != over[1]) {
      rh_sdf_refuse(s, rh_sdf_place(s, e), "<%.40s> in <include> is not read", tag);
      return RH_INPUT_REFUSED;
    }
  }
  if (!take_attributes(s, element, model, name)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_xml_element *at = &s->xml.element[element];
  at->name = "model";
  at->first = at->last = RH_NONE;
  for (int e = s->xml.element[model].first; e != RH_NONE;) {
    int next = s->xml.element[e].next;
    append_child(s, element, e);
    e = next;
  }
  for (int i = 0; i < RH_COUNT(kept); i++) {
    int own = rh_sdf_child(s, element, kept[i]);
    if (over[i] != RH_NONE && own != RH_NONE) {
      unlink_child(s, element, own);
    }
    if (over[i] != RH_NONE) {
      append_child(s, element, over[i]);
    }
  }
  return RH_OK;
}

// ---- The whole

static bool is_old(const rh_sdf *s, int root)
{
  const char *version = rh_sdf_attribute(s, root, "version");
  return version && version[0] == '1' && version[1] == '.' && version[2] < '5' && !version[3];
}

static rh_status read_include(rh_sdf *s, int element)
{
  char where[WHERE_MAX];
  int uri = rh_sdf_child(s, element, "uri");
  const char *text = uri == RH_NONE ? NULL : s->xml.element[uri].text;
  if (!text || !s->opt->scene) {
    rh_sdf_refuse(s, rh_sdf_place(s, element),
                  text ? "no files can be read here" : "<include> needs a <uri>");
    return RH_INPUT_REFUSED;
  }
  char name[WHERE_MAX];
  rh_place place = s->xml.element[uri].text_place;
  (void)snprintf(name, sizeof name, "%s", text);
  name[strcspn(name, "\t\r\n")] = '\0';
  if (!find_model(s, name, where)) {
    rh_sdf_refuse(s, place, "the model '%.120s' cannot be found", name);
    return RH_INPUT_REFUSED;
  }
  int root = RH_NONE;
  rh_status status = read_file(s, place, where, &root);
  int model = status == RH_OK ? rh_sdf_child(s, root, "model") : RH_NONE;
  if (status == RH_OK && (model == RH_NONE || strcmp(rh_sdf_tag(s, root), "sdf") != 0)) {
    rh_sdf_refuse(s, rh_sdf_place(s, root), "an included file holds <sdf> with one <model>");
    status = RH_INPUT_REFUSED;
  }
  if (status == RH_OK && is_old(s, root) != s->old_axes) {
    rh_sdf_refuse(
        s, rh_sdf_place(s, root),
        "the file and the one that includes it must both be older than version 1.5 or not");
    status = RH_INPUT_REFUSED;
  }
  status = status == RH_OK ? put_model(s, element, model) : status;
  if (status == RH_INPUT_REFUSED) {
    rh_diag_add(s->diag, RH_NOTE, place, "it is included here");
    s->refused = true;
  }
  return status;
}

rh_status rh_sdf_expand_includes(rh_sdf *s)
{
  int count = 0;
  int e = s->root;
  while (e != RH_NONE) {
    const char *in = e == s->root ? "" : rh_sdf_tag(s, s->xml.element[e].parent);
    bool here = strcmp(rh_sdf_tag(s, e), "include") == 0 &&
                (strcmp(in, "world") == 0 || strcmp(in, "model") == 0 || strcmp(in, "sdf") == 0);
    if (here && ++count > INCLUDES_MAX) {
      rh_sdf_refuse(s, rh_sdf_place(s, e), "too many includes: %d are allowed", INCLUDES_MAX);
      return RH_INPUT_REFUSED;
    }
    if (here) {
      RH_TRY(read_include(s, e));
    }
    e = rh_xml_following(&s->xml, e, s->root, true);
  }
  return RH_OK;
}
