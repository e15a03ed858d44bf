// Checks of meshes: one source each, numbers that make a hull or a heightfield; and of the shapes
// made of them. The solids made for the check go to the model.
#include "check.h"

#include <string.h>

static rh_mesh_sort sort_of(const rh_mesh_def *def)
{
  return def->heights.n > 0 ? RH_MESH_FIELD : RH_MESH_HULL;
}

static void check_source(rh_check *c, int i, const rh_mesh_def *def)
{
  bool file = def->file.text[0] != 0;
  if (file + (def->vertices.n > 0) + (def->heights.n > 0) != 1) {
    rh_complain(c, RH_SECTION_MESHES, i, NULL, "needs one of file, vertices and heights");
  } else if (file) {
    rh_complain(c, RH_SECTION_MESHES, i, "file",
                "is read with the file of a scene only: give the vertices");
  }
  bool read = rh_scene_origin(c->scene, RH_SECTION_MESHES, i)->whole.file != NULL;
  if ((def->parts > 0 && !read) || (def->parts == 0 && def->faces.n > 0)) {
    rh_complain(c, RH_SECTION_MESHES, i, def->parts > 0 ? "parts" : "faces",
                def->parts > 0
                    ? "are made when the text or file of a scene is read: a program gives "
                      "one mesh per part"
                    : "needs parts: the number of convex parts");
  }
  bool rows = def->nx != 0 || def->size.n != 0;
  if (def->heights.n == 0 && rows) {
    rh_complain(c, RH_SECTION_MESHES, i, def->nx != 0 ? "nx" : "size", "needs heights");
  }
  if (def->heights.n > 0 && def->nx < 2) {
    rh_complain(c, RH_SECTION_MESHES, i, "nx",
                "must be at least 2: the number of heights in a row");
  }
  if (def->heights.n > 0 && def->size.n != 2) {
    rh_complain(c, RH_SECTION_MESHES, i, "size", "must be two numbers: the sides along x and y");
  }
}

static rh_status make_solid(rh_check *c, int i, const rh_mesh_def *def)
{
  bool field = sort_of(def) == RH_MESH_FIELD;
  const rh_numbers *x = field ? &def->heights : &def->vertices;
  rh_solid_numbers numbers = {.sort = sort_of(def),
                              .x = x->x,
                              .n = x->n,
                              .scale = def->scale,
                              .tolerance = def->tolerance,
                              .nx = def->nx,
                              .size = {def->size.x[0], def->size.x[1]}};
  const char *why = "";
  rh_status status = rh_solid_create(&numbers, &c->solid[i], &why);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    bool sentence = strncmp(why, "must ", 5) == 0;
    const char *what = field ? "make no heightfield: " : "make no hull: ";
    rh_complain(c, RH_SECTION_MESHES, i, field ? "heights" : "vertices", "%s%s",
                sentence ? "" : what, why);
    return RH_OK;
  }
  return status;
}

static void check_shape(rh_check *c, int i)
{
  const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, i);
  const rh_shape *kind = rh_shape_find(def->kind.text);
  if (!kind) {
    return;
  }
  if (kind->mesh == RH_MESH_NONE) {
    if (def->mesh.text[0]) {
      rh_complain(c, RH_SECTION_SHAPES, i, "mesh", "is not used by a %s", kind->row.name);
    }
    return;
  }
  int at = rh_check_reference(c, RH_SECTION_SHAPES, i, "mesh", RH_SECTION_MESHES);
  if (at == RH_NONE) {
    return;
  }
  const rh_mesh_def *mesh = rh_scene_item(c->scene, RH_SECTION_MESHES, at);
  if (!rh_scene_origin(c->scene, RH_SECTION_MESHES, at)->refused && kind->mesh != sort_of(mesh)) {
    rh_complain(c, RH_SECTION_SHAPES, i, "mesh", "must have %s: '%s' has %s",
                kind->mesh == RH_MESH_FIELD ? "heights" : "vertices", def->mesh.text,
                kind->mesh == RH_MESH_FIELD ? "vertices" : "heights");
  } else if (c->solid[at].mesh) {
    c->shapes.solid[i] = &c->solid[at];
  }
}

rh_status rh_check_meshes(rh_check *c)
{
  int n = rh_scene_count(c->scene, RH_SECTION_MESHES);
  c->solid = rh_alloc((size_t)n * sizeof *c->solid);
  if (!c->solid) {
    return RH_OUT_OF_MEMORY;
  }
  c->nsolid = n;
  for (int i = 0; i < n; i++) {
    check_source(c, i, rh_scene_item(c->scene, RH_SECTION_MESHES, i));
  }
  bool good = c->errors == 0;
  for (int i = 0; i < n && good; i++) { // computes with the values
    RH_TRY(make_solid(c, i, rh_scene_item(c->scene, RH_SECTION_MESHES, i)));
  }
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_SHAPES); i++) {
    check_shape(c, i);
  }
  return RH_OK;
}
