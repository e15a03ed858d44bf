// scene_mesh.c: the file that a mesh of a scene names, and meshes that are divided into convex parts.
// The vertices replace the name, and the parts the mesh, so that a scene that was read needs no other
// file: written scenes and recordings are complete.
#include "geometry/hull/hull.h"
#include "geometry/parts/convex_parts.h"
#include "mesh.h"
#include "scene_entry.h"

#include <stdio.h>
#include <string.h>

static int field_of(const rh_entry *e, const char *key)
{
  return rh_section_find_field(e->section, key);
}

// Triangles of a mesh that is to be divided
static rh_status take_faces(rh_entry *e, const rh_mesh *mesh)
{
  rh_mesh_def *def = e->def;
  if (def->parts == 0 || mesh->ntri == 0 || mesh->ntri > RH_PARTS_TRIANGLES) {
    def->faces.n = 0;
    return RH_OK;
  }
  double *x = rh_alloc(3 * (size_t)mesh->ntri * sizeof *x);
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < 3 * mesh->ntri; i++) {
    x[i] = mesh->tri[i / 3][i % 3];
  }
  def->faces = (rh_numbers){3 * mesh->ntri, x};
  return RH_OK;
}

static rh_status take_vertices(rh_entry *e, const rh_mesh *mesh, int node)
{
  rh_mesh_def *def = e->def;
  if (mesh->nvert > RH_HULL_POINTS_MAX) {
    char why[RH_WHY_MAX];
    snprintf(why, sizeof why, "has %d vertices; a hull may be made of %d", mesh->nvert,
             RH_HULL_POINTS_MAX);
    rh_entry_refuse(e, node, "file", why);
    return RH_OK;
  }
  double *x = rh_alloc(3 * (size_t)mesh->nvert * sizeof *x);
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    x[3 * i] = mesh->vert[i].x;
    x[3 * i + 1] = mesh->vert[i].y;
    x[3 * i + 2] = mesh->vert[i].z;
  }
  def->vertices = (rh_numbers){3 * mesh->nvert, x};
  memset(&def->file, 0, sizeof def->file);
  e->origin.field[field_of(e, "vertices")] = e->origin.field[field_of(e, "file")];
  e->origin.field[field_of(e, "file")] = (rh_place){0};
  if (mesh->single && !e->origin.field[field_of(e, "tolerance")].file) {
    def->tolerance = RH_HULL_TOLERANCE_FLOAT;
    e->origin.field[field_of(e, "tolerance")] = e->origin.field[field_of(e, "vertices")];
  }
  return RH_OK;
}

rh_status rh_entry_load_mesh(rh_entry *e)
{
  const rh_mesh_def *def = e->def;
  char where[RH_WHERE_MAX];
  if (def->file.text[0] == '\0' || def->vertices.n > 0 || def->heights.n > 0) {
    return RH_OK; // two at once are refused by the check
  }
  int node = rh_yaml_find(e->r->tree, e->node, "file");
  if (!rh_entry_find_file(e, "file", def->file.text, where)) {
    return RH_OK;
  }
  rh_mesh mesh;
  rh_status status = rh_mesh_read(where, e->r->diag, &mesh);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(e->r->diag, RH_NOTE, rh_entry_place(e->r, node), "it is read for this mesh");
    e->r->refused = true;
    return RH_OK;
  }
  if (status == RH_OK) {
    status = take_vertices(e, &mesh, node);
    status = status == RH_OK ? take_faces(e, &mesh) : status;
    rh_mesh_free(&mesh);
  }
  return status;
}

// ---- Parts

typedef struct divider {
  rh_scene *scene;
  rh_diag *diag;
  bool refused;
} divider;

static void refuse_field(divider *d, rh_section_id id, int index, const char *key, const char *why)
{
  const rh_origin *from = rh_scene_origin(d->scene, id, index);
  rh_place place = from->field[rh_section_find_field(&rh_sections[id], key)];
  rh_diag_add(d->diag, RH_ERROR, place.file ? place : from->whole, "%s %s", key, why);
  d->refused = true;
}

// The name of part k, from 1; the first keeps that of the whole. False: it is too long.
static bool part_name(const rh_name *whole, int k, rh_name *to)
{
  *to = *whole;
  if (k == 1 || whole->text[0] == '\0') {
    return true;
  }
  int n = snprintf(to->text, sizeof to->text, "%.*s/%d", (int)sizeof to->text - 4, whole->text, k);
  return n > 0 && strlen(whole->text) + 3 < sizeof to->text;
}

// Each shape of the mesh becomes one of each part.
static rh_status divide_shapes(divider *d, const char *mesh, int parts)
{
  int n = rh_scene_count(d->scene, RH_SECTION_SHAPES);
  for (int i = 0; i < n; i++) {
    rh_shape_def def = *(const rh_shape_def *)rh_scene_item(d->scene, RH_SECTION_SHAPES, i);
    rh_name name = def.name;
    rh_name whole = def.mesh;
    if (strcmp(def.mesh.text, mesh) != 0) {
      continue;
    }
    for (int c = 0; c < rh_scene_count(d->scene, RH_SECTION_CONTACTS); c++) {
      const rh_contact_def *rule = rh_scene_item(d->scene, RH_SECTION_CONTACTS, c);
      bool first = name.text[0] && strcmp(rule->shape.text, name.text) == 0;
      if (first || (name.text[0] && strcmp(rule->against_shape.text, name.text) == 0)) {
        refuse_field(d, RH_SECTION_CONTACTS, c, first ? "shape" : "against_shape",
                     "names a shape that is divided into parts: leave it out, or give the parts");
      }
    }
    rh_origin origin = *rh_scene_origin(d->scene, RH_SECTION_SHAPES, i);
    for (int k = 2; k <= parts; k++) {
      if (!part_name(&name, k, &def.name) || !part_name(&whole, k, &def.mesh)) {
        refuse_field(d, RH_SECTION_SHAPES, i, "name", "is too long for the numbers of parts");
        return RH_OK;
      }
      if (rh_scene_put(d->scene, RH_SECTION_SHAPES, &def, &origin) == RH_NONE) {
        return RH_OUT_OF_MEMORY;
      }
    }
  }
  return RH_OK;
}

// The first part takes the place of the mesh, the others follow at the end.
static rh_status take_parts(divider *d, int index, const rh_parts *parts)
{
  rh_mesh_def def = *(const rh_mesh_def *)rh_scene_item(d->scene, RH_SECTION_MESHES, index);
  rh_name name = def.name;
  rh_origin origin = *rh_scene_origin(d->scene, RH_SECTION_MESHES, index);
  def.parts = 0;
  def.faces = (rh_numbers){0, NULL};
  for (int k = 1; k <= parts->n; k++) {
    const rh_part *p = &parts->part[k - 1];
    def.vertices = (rh_numbers){3 * p->nvert, p->vert};
    if (!part_name(&name, k, &def.name)) {
      refuse_field(d, RH_SECTION_MESHES, index, "name", "is too long for the numbers of parts");
      return RH_OK;
    }
    bool good = k == 1 ? rh_scene_replace(d->scene, RH_SECTION_MESHES, index, &def)
                       : rh_scene_put(d->scene, RH_SECTION_MESHES, &def, &origin) != RH_NONE;
    if (!good) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return divide_shapes(d, name.text, parts->n);
}

static void report_depth(divider *d, int index, const rh_mesh_def *def, const rh_parts *parts)
{
  double lo[3] = {def->vertices.x[0], def->vertices.x[1], def->vertices.x[2]};
  double hi[3] = {lo[0], lo[1], lo[2]};
  double size = 0;
  for (int i = 0; i < def->vertices.n; i++) {
    lo[i % 3] = def->vertices.x[i] < lo[i % 3] ? def->vertices.x[i] : lo[i % 3];
    hi[i % 3] = def->vertices.x[i] > hi[i % 3] ? def->vertices.x[i] : hi[i % 3];
  }
  for (int k = 0; k < 3; k++) {
    size = hi[k] - lo[k] > size ? hi[k] - lo[k] : size;
  }
  if (parts->depth > def->concavity * size * (1 + 1e-9)) {
    rh_diag_add(d->diag, RH_WARNING, rh_scene_origin(d->scene, RH_SECTION_MESHES, index)->whole,
                "%d parts of mesh '%s' fill hollows up to %.3g m deep, %.2g of its size (concavity "
                "%g): take more parts",
                parts->n, def->name.text, parts->depth * def->scale, parts->depth / size,
                def->concavity);
  }
}

static rh_status divide_mesh(divider *d, int index)
{
  const rh_mesh_def *def = rh_scene_item(d->scene, RH_SECTION_MESHES, index);
  char why[RH_PARTS_WHY];
  rh_parts parts;
  if (def->faces.n == 0 || def->faces.n % 3 != 0 || def->vertices.n % 3 != 0) {
    refuse_field(d, RH_SECTION_MESHES, index, "parts",
                 def->faces.n == 0 ? "needs triangles, at most 5000: those of a file, or vertices "
                                     "and faces"
                                   : "needs faces of three vertices each");
    return RH_OK;
  }
  const rh_surface surface = {def->vertices.x, def->vertices.n / 3, def->faces.x, def->faces.n / 3};
  rh_status status = rh_parts_make(&surface, def->parts, def->concavity, &parts, why);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    refuse_field(d, RH_SECTION_MESHES, index, "faces", why);
    return RH_OK;
  }
  if (status == RH_OK) {
    report_depth(d, index, def, &parts);
    status = take_parts(d, index, &parts);
    rh_parts_free(&parts);
  }
  return status;
}

rh_status rh_scene_divide_meshes(rh_scene *scene, rh_diag *diag)
{
  divider d = {.scene = scene, .diag = diag};
  int n = rh_scene_count(scene, RH_SECTION_MESHES);
  for (int i = 0; i < n; i++) {
    const rh_mesh_def *def = rh_scene_item(scene, RH_SECTION_MESHES, i);
    if (def->parts > 0) {
      RH_TRY(divide_mesh(&d, i));
    }
  }
  return d.refused ? RH_INPUT_REFUSED : RH_OK;
}
