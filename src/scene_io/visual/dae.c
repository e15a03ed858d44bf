// dae.c: see dae.h: the document, the tree of its nodes, and where it places geometries.
#include "dae_part.h"

#include "model/names.h"
#include "scene_io/yaml_doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- The document

void rh_dae_refuse(rh_dae *d, rh_place place, const char *format, ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (d->status == RH_OK) { // one is enough: what follows often comes of it
    rh_diag_add(d->diag, RH_ERROR, place, "%s", text);
    d->status = RH_INPUT_REFUSED;
  }
}

const char *rh_dae_attribute(const rh_dae *d, int element, const char *name)
{
  const rh_xml_attribute *a = element != RH_NONE ? rh_xml_find(&d->xml, element, name) : NULL;
  return a ? a->value : "";
}

// The steps are counted: many elements that each look through many others would take hours.
static int find_tag(rh_dae *d, int element, const char *tag)
{
  while (element != RH_NONE && strcmp(d->xml.element[element].name, tag) != 0) {
    element = d->xml.element[element].next;
    if (++d->steps > RH_DAE_STEPS_MAX) {
      rh_dae_refuse(d, (rh_place){.file = d->file}, "too many elements refer to one another");
      return RH_NONE;
    }
  }
  return element;
}

int rh_dae_child(rh_dae *d, int element, const char *tag)
{
  return element == RH_NONE ? RH_NONE : find_tag(d, d->xml.element[element].first, tag);
}

int rh_dae_next(rh_dae *d, int element)
{
  const rh_xml_element *e = &d->xml.element[element];
  return find_tag(d, e->next, e->name);
}

int rh_dae_target(const rh_dae *d, int element, const char *name)
{
  const char *value = rh_dae_attribute(d, element, name);
  value += *value == '#';
  int at = *value ? rh_find_sorted(d->id, d->order, d->nid, value) : RH_NONE;
  return at == RH_NONE ? RH_NONE : d->element[at];
}

static int count_words(const char *text)
{
  int n = 0;
  for (const char *t = text; *t; t++) {
    n += !rh_xml_is_blank(*t) && (t == text || rh_xml_is_blank(t[-1]));
  }
  return n;
}

double *rh_dae_numbers(rh_dae *d, int element, int *count)
{
  *count = 0;
  if (element == RH_NONE || d->status != RH_OK || !d->xml.element[element].text) {
    return NULL;
  }
  const rh_xml_element *e = &d->xml.element[element];
  int n = count_words(e->text);
  d->numbers += n;
  if (d->numbers > RH_DAE_NUMBERS_MAX) {
    rh_dae_refuse(d, e->place,
                  "the file has too many numbers: %d are read, with those of "
                  "geometries that are placed several times",
                  RH_DAE_NUMBERS_MAX);
    return NULL;
  }
  double *x = n > 0 ? rh_alloc(((size_t)n + 1) * sizeof *x) : NULL;
  if (n > 0 && !x) {
    d->status = RH_OUT_OF_MEMORY;
  } else if (n > 0 && rh_xml_numbers(e->text, n, x) != n) {
    rh_dae_refuse(d, e->text_place, "<%.40s> must hold finite numbers", e->name);
    rh_free(x);
    return NULL;
  }
  *count = x ? n : 0;
  return x;
}

static void index_ids(rh_dae *d)
{
  size_t n = (size_t)d->xml.count + 1;
  d->id = rh_alloc(n * sizeof *d->id);
  d->element = rh_alloc(n * sizeof *d->element);
  d->order = rh_alloc(2 * n * sizeof *d->order);
  if (!d->id || !d->element || !d->order) {
    d->status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int e = 0; e < d->xml.count; e++) {
    const rh_xml_attribute *a = rh_xml_find(&d->xml, e, "id");
    if (a) {
      d->id[d->nid] = a->value;
      d->element[d->nid++] = e;
    }
  }
  rh_sort_names(d->id, d->nid, d->order);
}

// ---- Frames

static rh_dae_frame compose_frames(const rh_dae_frame *a, const rh_dae_frame *b)
{
  return (rh_dae_frame){rh_mat3_mul(&a->m, &b->m), rh_add(rh_rotate(&a->m, b->p), a->p)};
}

// One element of a node's transform; false: it is none.
static bool read_transform(rh_dae *d, int e, rh_dae_frame *f)
{
  static const struct {
    const char *tag;
    int count;
  } kinds[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}};

  int k = 0;
  int n = 0;
  *f = (rh_dae_frame){rh_mat3_identity(), rh_v3(0, 0, 0)};
  while (k < RH_COUNT(kinds) && strcmp(kinds[k].tag, d->xml.element[e].name) != 0) {
    k++;
  }
  if (k == RH_COUNT(kinds)) {
    return false;
  }
  double *x = rh_dae_numbers(d, e, &n);
  if (n != kinds[k].count) {
    rh_dae_refuse(d, d->xml.element[e].place, "<%s> must hold %d numbers, got %d", kinds[k].tag,
                  kinds[k].count, n);
  } else if (n == 16) {
    f->m = (rh_mat3){{x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]}};
    f->p = rh_v3(x[3], x[7], x[11]);
  } else if (n == 4) { // axis, angle in degrees
    rh_vec3 axis = rh_v3(x[0], x[1], x[2]);
    double length = rh_norm(axis);
    double angle = x[3] * (3.14159265358979323846 / 180);
    if (length > 0) {
      f->m = rh_axis_turn(rh_scale(1 / length, axis), rh_sin(angle), rh_cos(angle));
    }
  } else if (k == 1) {
    f->p = rh_v3(x[0], x[1], x[2]);
  } else {
    f->m = (rh_mat3){{x[0], 0, 0, 0, x[1], 0, 0, 0, x[2]}};
  }
  rh_free(x);
  return true;
}

static rh_dae_frame frame_of(rh_dae *d, int node, const rh_dae_frame *outer)
{
  rh_dae_frame frame = *outer;
  for (int e = d->xml.element[node].first; e != RH_NONE; e = d->xml.element[e].next) {
    rh_dae_frame f;
    if (read_transform(d, e, &f)) {
      frame = compose_frames(&frame, &f);
    }
  }
  return frame;
}

// ---- Nodes

typedef struct walk {     // the open nodes
  int next[RH_DAE_DEPTH]; // child to look at
  rh_dae_frame frame[RH_DAE_DEPTH];
  int depth;
  int nodes; // placed so far
} walk;

static void open_node(rh_dae *d, walk *w, int node, int from, const rh_dae_frame *outer)
{
  if (w->depth == RH_DAE_DEPTH || ++w->nodes > RH_DAE_NODES_MAX) {
    rh_dae_refuse(d, d->xml.element[from].place,
                  w->depth == RH_DAE_DEPTH ? "nodes are nested too deeply: %d are allowed"
                                           : "too many nodes are placed: %d are allowed",
                  w->depth == RH_DAE_DEPTH ? RH_DAE_DEPTH : RH_DAE_NODES_MAX);
    return;
  }
  w->frame[w->depth] = frame_of(d, node, outer);
  w->next[w->depth++] = d->xml.element[node].first;
}

static void add_instance(rh_dae *d, int e, const rh_dae_frame *frame)
{
  int target = rh_dae_target(d, e, "url");
  if (target != RH_NONE && strcmp(d->xml.element[target].name, "controller") == 0) {
    target = rh_dae_target(d, rh_dae_child(d, target, "skin"), "source");
  }
  if (target == RH_NONE || strcmp(d->xml.element[target].name, "geometry") != 0) {
    rh_dae_refuse(d, d->xml.element[e].place, "<%s> must name a geometry of this file, got '%.60s'",
                  d->xml.element[e].name, rh_dae_attribute(d, e, "url"));
    return;
  }
  rh_dae_add_geometry(d, target, e, frame);
}

static void place_element(rh_dae *d, walk *w, int e)
{
  const char *tag = d->xml.element[e].name;
  rh_dae_frame frame = w->frame[w->depth - 1];
  if (strcmp(tag, "node") == 0) {
    open_node(d, w, e, e, &frame);
  } else if (strcmp(tag, "instance_node") == 0) {
    int target = rh_dae_target(d, e, "url");
    if (target == RH_NONE || strcmp(d->xml.element[target].name, "node") != 0) {
      rh_dae_refuse(d, d->xml.element[e].place, "<instance_node> must name a node of this file");
      return;
    }
    open_node(d, w, target, e, &frame);
  } else if (strcmp(tag, "instance_geometry") == 0 || strcmp(tag, "instance_controller") == 0) {
    add_instance(d, e, &frame);
  }
}

static double unit_of(rh_dae *d)
{
  double meter = 1;
  int unit = rh_dae_child(d, rh_dae_child(d, d->root, "asset"), "unit");
  const char *text = rh_dae_attribute(d, unit, "meter");
  if (*text && (rh_xml_numbers(text, 1, &meter) != 1 || !(meter > 0 && meter < 1e9))) {
    rh_dae_refuse(d, d->xml.element[unit].place, "meter of <unit> must be above 0, got '%.40s'",
                  text);
  }
  return meter;
}

static void place_scene(rh_dae *d)
{
  double meter = unit_of(d);
  rh_dae_frame frame = {{{meter, 0, 0, 0, meter, 0, 0, 0, meter}}, {0, 0, 0}};
  int scene = rh_dae_target(
      d, rh_dae_child(d, rh_dae_child(d, d->root, "scene"), "instance_visual_scene"), "url");
  if (scene == RH_NONE) {
    scene = rh_dae_child(d, rh_dae_child(d, d->root, "library_visual_scenes"), "visual_scene");
  }
  if (scene == RH_NONE) { // geometries alone
    int g = rh_dae_child(d, rh_dae_child(d, d->root, "library_geometries"), "geometry");
    for (; g != RH_NONE && d->status == RH_OK; g = rh_dae_next(d, g)) {
      rh_dae_add_geometry(d, g, RH_NONE, &frame);
    }
    return;
  }
  walk *w = rh_alloc(sizeof *w);
  if (!w) {
    d->status = RH_OUT_OF_MEMORY;
    return;
  }
  open_node(d, w, scene, scene, &frame);
  while (w->depth > 0 && d->status == RH_OK) {
    int e = w->next[w->depth - 1];
    if (e == RH_NONE) {
      w->depth--;
      continue;
    }
    w->next[w->depth - 1] = d->xml.element[e].next;
    place_element(d, w, e);
  }
  rh_free(w);
}

// ---- The whole

static rh_status take_look(const rh_dae *d, rh_look **look)
{
  int n = d->npart > 0 ? d->npart : 1;
  rh_look *made = rh_look_create(d->mesh.nvert, d->mesh.ntri, n);
  *look = made;
  if (!made) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < d->mesh.nvert; i++) {
    made->vert[3 * i] = d->mesh.vert[i].x;
    made->vert[3 * i + 1] = d->mesh.vert[i].y;
    made->vert[3 * i + 2] = d->mesh.vert[i].z;
  }
  if (d->mesh.ntri > 0) {
    memcpy(made->tri, d->mesh.tri, (size_t)d->mesh.ntri * sizeof *made->tri);
  }
  memcpy(made->part, d->part, (size_t)d->npart * sizeof *made->part);
  rh_look_measure(made);
  return RH_OK;
}

static void read_document(rh_dae *d, const char *text, size_t bytes)
{
  d->xml.texts = true;
  d->status = rh_xml_read(&d->xml, text, bytes, d->file, d->diag, &d->root);
  if (d->status != RH_OK) {
    return;
  }
  if (strcmp(d->xml.element[d->root].name, "COLLADA") != 0) {
    rh_dae_refuse(d, d->xml.element[d->root].place,
                  "a COLLADA file begins with <COLLADA>, got <%.40s>",
                  d->xml.element[d->root].name);
    return;
  }
  index_ids(d);
  place_scene(d);
}

rh_status rh_dae_parse(const char *text, size_t bytes, const char *name, rh_diag *diag,
                       rh_look **look)
{
  *look = NULL;
  rh_dae *d = rh_alloc(sizeof *d);
  if (!d) {
    return RH_OUT_OF_MEMORY;
  }
  d->file = name;
  d->diag = diag;
  d->job = (rh_mesh_job){.name = name, .diag = diag, .mesh = &d->mesh};
  if (bytes > RH_FILE_MAX) {
    rh_dae_refuse(d, (rh_place){.file = name}, "is too big: a file may have 64 MiB");
  } else {
    read_document(d, text, bytes);
  }
  rh_status status = d->status == RH_OK ? take_look(d, look) : d->status;
  if (status == RH_OVER_LIMIT) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = name},
                "is too big: a mesh may have %d vertices and %d triangles", RH_MESH_VERTS_MAX,
                RH_MESH_TRIS_MAX);
  }
  rh_mesh_free(&d->mesh);
  rh_free(d->job.hash);
  rh_free(d->id);
  rh_free(d->element);
  rh_free(d->order);
  rh_xml_free(&d->xml);
  rh_free(d);
  return status;
}

rh_status rh_dae_read(const char *path, rh_diag *diag, rh_look **look)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  *look = NULL;
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &name));
  rh_status status = rh_dae_parse(text, bytes, name, diag, look);
  rh_free(text);
  return status;
}
