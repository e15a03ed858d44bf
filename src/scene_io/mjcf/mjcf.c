// mjcf.c: the order in which MJCF is read. First there is one tree of elements: a file with all that
// it includes, where <replicate> is as many frames. Then come settings, meshes, the tree of bodies and
// its inertias, and entries of the scene.
#include "mjcf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE_MAX = 8192, REPLICAS_MAX = 10000 };

// ---- Includes

static bool is_included(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < RH_TREE_FILES; i++) {
    if (m->nodes.tree->file[i] && strcmp(m->nodes.tree->file[i], name) == 0 && i != 1) {
      return true;
    }
  }
  return false;
}

static bool file_exists(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file) {
    (void)fclose(file);
  }
  return file != NULL;
}

// A file is looked for in the folder of the main file, then in that of the file that includes it.
static bool find_include(const rh_mjcf *m, const rh_xml_attribute *a, char where[WHERE_MAX])
{
  const rh_mjcf_opt *opt = m->opt;
  bool beside = opt->folder[0] != '/' && opt->scene[0] != '\0';
  const char *file = a->value;
  if (file[0] == '/') {
    return snprintf(where, WHERE_MAX, "%s", file) < WHERE_MAX;
  }
  int length = snprintf(where, WHERE_MAX, "%s%s%s%s%s", beside ? opt->scene : "", beside ? "/" : "",
                        opt->folder, opt->folder[0] ? "/" : "", file);
  if (length >= WHERE_MAX) {
    return false;
  }
  if (file_exists(where)) {
    return true;
  }
  const char *slash = a->place.file ? strrchr(a->place.file, '/') : NULL;
  char other[WHERE_MAX];
  length = slash ? snprintf(other, WHERE_MAX, "%.*s%s", (int)(slash - a->place.file) + 1,
                            a->place.file, file)
                 : WHERE_MAX;
  if (length < WHERE_MAX && file_exists(other)) {
    memcpy(where, other, (size_t)length + 1);
  }
  return true;
}

// The elements of the file take the place of <include>.
static void splice_file(rh_mjcf *m, int element, int root)
{
  rh_xml_element *at = &m->xml.element[element];
  rh_xml_element *from = &m->xml.element[root];
  int parent = at->parent;
  int before = RH_NONE;
  for (int e = m->xml.element[parent].first; e != element; e = m->xml.element[e].next) {
    before = e;
  }
  int first = from->first == RH_NONE ? at->next : from->first;
  int last = from->first == RH_NONE ? before : from->last;
  if (from->first != RH_NONE) {
    m->xml.element[from->last].next = at->next;
  }
  for (int e = from->first; e != RH_NONE && e != at->next; e = m->xml.element[e].next) {
    m->xml.element[e].parent = parent;
  }
  if (before == RH_NONE) {
    m->xml.element[parent].first = first;
  } else {
    m->xml.element[before].next = first;
  }
  if (m->xml.element[parent].last == element) {
    m->xml.element[parent].last = last;
  }
}

static rh_status read_include(rh_mjcf *m, int element, const rh_xml_attribute *a)
{
  char where[WHERE_MAX];
  if (!m->opt->scene || !find_include(m, a, where)) {
    rh_mjcf_refuse(m, a->place, "%s",
                   m->opt->scene ? "the name of the file is too long"
                                 : "no files can be read here");
    return RH_INPUT_REFUSED;
  }
  if (is_included(m, where)) {
    rh_mjcf_refuse(m, a->place, "'%.200s' is included already", a->value);
    return RH_INPUT_REFUSED;
  }
  rh_yaml *tree = m->nodes.tree;
  int file = rh_yaml_add_file(tree, where);
  if (file == RH_NONE) {
    rh_mjcf_refuse(m, a->place, "too many files: a scene may include 32");
    return RH_INPUT_REFUSED;
  }
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  int root = RH_NONE;
  rh_status status = rh_file_read(where, m->diag, &text, &bytes, &name);
  if (status == RH_OK) {
    status = rh_xml_read(&m->xml, text, bytes, tree->file[file], m->diag, &root);
    rh_free(text);
  }
  const char *tag = status == RH_OK ? rh_mjcf_tag(m, root) : "";
  if (status == RH_OK && strcmp(tag, "mujoco") != 0 && strcmp(tag, "mujocoinclude") != 0) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, root),
                   "a part of MJCF begins with <mujocoinclude> or <mujoco>, got <%.40s>", tag);
    status = RH_INPUT_REFUSED;
  }
  if (status == RH_INPUT_REFUSED) {
    rh_diag_add(m->diag, RH_NOTE, a->place, "it is included here");
    m->refused = true;
  }
  if (status == RH_OK) {
    splice_file(m, element, root);
  }
  return status;
}

static rh_status expand_includes(rh_mjcf *m)
{
  int e = m->root;
  while (e != RH_NONE) {
    int at = e;
    if (strcmp(rh_mjcf_tag(m, at), "include") != 0 || at == m->root) {
      e = rh_xml_following(&m->xml, at, m->root, true);
      continue;
    }
    const rh_xml_attribute *a = rh_xml_find(&m->xml, at, "file");
    if (!a || !*a->value || m->xml.element[at].first != RH_NONE) {
      rh_mjcf_refuse(m, rh_mjcf_place(m, at), "<include> needs a file and holds nothing");
      return RH_INPUT_REFUSED;
    }
    int parent = m->xml.element[at].parent;
    RH_TRY(read_include(m, at, a));
    e = parent; // once more over what it holds
  }
  return RH_OK;
}

// ---- Replicas

// Adds a number to the names of an element and of all that it holds.
static bool number_names(rh_mjcf *m, int top, const char *sep, int number, int digits)
{
  for (int e = top; e != RH_NONE; e = rh_xml_following(&m->xml, e, top, true)) {
    rh_xml_element *x = &m->xml.element[e];
    size_t bytes = (size_t)x->nattribute * sizeof *x->attribute;
    rh_xml_attribute *own = rh_xml_keep(&m->xml, bytes + 1);
    if (!own) {
      return false;
    }
    memcpy(own, x->attribute, bytes);
    x->attribute = own;
    for (int i = 0; i < x->nattribute; i++) {
      if (strcmp(own[i].name, "name") != 0 || !own[i].value[0]) {
        continue;
      }
      size_t size = strlen(own[i].value) + strlen(sep) + 24;
      char *text = rh_xml_keep(&m->xml, size);
      if (!text) {
        return false;
      }
      snprintf(text, size, "%s%s%0*d", own[i].value, sep, digits, number);
      own[i].value = text;
    }
  }
  return true;
}

static int add_frame(rh_mjcf *m, int like, rh_mjcf_pose pose)
{
  char text[256];
  rh_place place = rh_mjcf_place(m, like);
  rh_xml_attribute *a = rh_xml_keep(&m->xml, 2 * sizeof *a);
  snprintf(text, sizeof text, "%.17g %.17g %.17g", pose.pos.x, pose.pos.y, pose.pos.z);
  const char *pos = rh_xml_keep_text(&m->xml, text);
  snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g", pose.quat.w, pose.quat.x, pose.quat.y,
           pose.quat.z);
  const char *quat = rh_xml_keep_text(&m->xml, text);
  if (!a || !pos || !quat) {
    return RH_NONE;
  }
  a[0] = (rh_xml_attribute){"pos", pos, place};
  a[1] = (rh_xml_attribute){"quat", quat, place};
  rh_xml_element e = {.name = "frame", .place = place, .nattribute = 2, .attribute = a};
  return rh_xml_add(&m->xml, e, RH_NONE);
}

static rh_status copy_replica(rh_mjcf *m, int element, int frame, const char *sep, int number)
{
  double count = 0;
  rh_mjcf_scope s = rh_mjcf_alone(element);
  (void)rh_mjcf_numbers(m, &s, "count", 1, 1, &count);
  int digits = count > 10000 ? 5 : count > 1000 ? 4 : count > 100 ? 3 : count > 10 ? 2 : 1;
  for (int e = m->xml.element[element].first; e != RH_NONE; e = m->xml.element[e].next) {
    int copy = rh_xml_copy(&m->xml, e, frame);
    if (copy == RH_NONE || !number_names(m, copy, sep, number, digits)) {
      bool many = m->xml.count == RH_XML_ELEMENTS_MAX;
      if (many) {
        rh_mjcf_refuse(m, rh_mjcf_place(m, element), "the replicas have too many elements");
      }
      return many ? RH_INPUT_REFUSED : RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

// <replicate> becomes a frame that holds as many frames; each is placed by one more step.
static rh_status expand_replica(rh_mjcf *m, int element)
{
  rh_mjcf_scope s = rh_mjcf_alone(element);
  double count = rh_mjcf_number(m, &s, "count", 0);
  const char *sep = rh_mjcf_text(m, &s, "sep");
  rh_mjcf_pose step = {rh_mjcf_vector(m, &s, "offset"), rh_quat_identity()};
  double angle[3] = {0, 0, 0};
  if (!(count >= 1 && count <= REPLICAS_MAX && count == floor(count))) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "<replicate> needs a count of 1 to %d",
                   REPLICAS_MAX);
    return RH_INPUT_REFUSED;
  }
  (void)rh_mjcf_numbers(m, &s, "euler", 3, 3, angle);
  step.quat = rh_mjcf_euler(m, angle);
  rh_mjcf_pose pose = {rh_v3(0, 0, 0), rh_quat_identity()};
  int first = RH_NONE;
  int last = RH_NONE;
  for (int i = 0; i < (int)count; i++) {
    double turned[3] = {i * angle[0], i * angle[1], i * angle[2]};
    pose.quat = rh_mjcf_euler(m, turned);
    int frame = add_frame(m, element, pose);
    if (frame == RH_NONE) {
      return RH_OUT_OF_MEMORY;
    }
    RH_TRY(copy_replica(m, element, frame, sep ? sep : "", i));
    m->xml.element[frame].parent = element;
    if (last == RH_NONE) {
      first = frame;
    } else {
      m->xml.element[last].next = frame;
    }
    last = frame;
    pose.pos = rh_add(pose.pos, rh_mjcf_turn(pose.quat, step.pos));
  }
  rh_xml_element *e = &m->xml.element[element];
  e->name = "frame";
  e->nattribute = 0;
  e->first = first;
  e->last = last;
  return RH_OK;
}

static rh_status expand_replicas(rh_mjcf *m)
{
  int *list = NULL;
  int n = 0;
  rh_status status = RH_OK;
  for (int e = m->root; e != RH_NONE; e = rh_xml_following(&m->xml, e, m->root, true)) {
    if (strcmp(rh_mjcf_tag(m, e), "replicate") == 0) {
      int *one = rh_mjcf_grow(m, (void **)&list, &n, sizeof *one);
      if (!one) {
        status = m->nodes.status;
        break;
      }
      *one = e;
    }
  }
  for (int i = n - 1; i >= 0 && status == RH_OK; i--) { // inner ones follow outer ones
    status = expand_replica(m, list[i]);
  }
  rh_free(list);
  return status;
}

// ---- The whole

static rh_status read_all(rh_mjcf *m, const rh_mjcf_file *file)
{
  const char *name = m->nodes.tree->file[file->file];
  RH_TRY(rh_xml_read(&m->xml, file->text, file->bytes, name, m->diag, &m->root));
  if (strcmp(rh_mjcf_tag(m, m->root), "mujoco") != 0) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, m->root), "an MJCF file begins with <mujoco>, got <%.40s>",
                   rh_mjcf_tag(m, m->root));
    return RH_INPUT_REFUSED;
  }
  RH_TRY(expand_includes(m));
  if (!rh_mjcf_check_schema(m)) {
    return RH_INPUT_REFUSED;
  }
  rh_mjcf_read_settings(m);
  RH_TRY(expand_replicas(m));
  static void (*const steps[])(rh_mjcf *) = {
      rh_mjcf_read_meshes,  rh_mjcf_read_tree,      rh_mjcf_make_inertias, rh_mjcf_measure_tree,
      rh_mjcf_close_start,  rh_mjcf_emit_tree,      rh_mjcf_emit_tendons,  rh_mjcf_emit_actuators,
      rh_mjcf_mark_pairs,   rh_mjcf_emit_shapes,    rh_mjcf_emit_contacts, rh_mjcf_emit_equalities,
      rh_mjcf_emit_sensors, rh_mjcf_emit_keyframes, rh_mjcf_emit_visuals,
  };
  for (int i = 0; i < RH_COUNT(steps); i++) {
    steps[i](m);
    if (m->nodes.status != RH_OK || m->refused) {
      return m->nodes.status != RH_OK ? m->nodes.status : RH_INPUT_REFUSED;
    }
  }
  return RH_OK;
}

rh_status rh_mjcf_read(rh_yaml *tree, int root, const rh_mjcf_file *file, const rh_mjcf_opt *opt,
                       rh_diag *diag)
{
  rh_mjcf *m = rh_alloc(sizeof *m);
  if (!m) {
    return RH_OUT_OF_MEMORY;
  }
  m->opt = opt;
  m->diag = diag;
  m->ignored.diag = diag;
  rh_nodes_init(&m->nodes, tree, root, opt->prefix, diag);
  rh_status status = read_all(m, file);
  if (status == RH_OK) {
    rh_ignored_report(&m->ignored);
  }
  rh_xml_free(&m->xml);
  rh_free(m->class);
  rh_free(m->body);
  rh_free(m->joint);
  rh_free(m->geom);
  rh_free(m->site);
  rh_free(m->tendon);
  rh_free(m->mesh);
  rh_free(m->hfield);
  rh_free(m->actuator);
  rh_free(m->exclude);
  rh_free(m->qpos);
  rh_free(m);
  return status;
}

bool rh_text_is_mjcf(const char *text, size_t bytes)
{
  return rh_xml_begins_with(text, bytes, "mujoco");
}
