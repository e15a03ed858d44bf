// visuals.c: what bodies look like. Checks of the sections `visuals` and `visual_meshes`, and the model's
// copy. Nothing of it is read by anything that moves: only the viewer asks for it.
#include "model/check.h"

#include "geometry/looks/look.h"

#include <string.h>

static const rh_visual_def *visual_def(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_VISUALS, i);
}

static const rh_visual_mesh_def *mesh_def(const rh_scene *scene, int i)
{
  return rh_scene_item(scene, RH_SECTION_VISUAL_MESHES, i);
}

// ---- Checks

static void check_sizes(rh_check *c, int i, const rh_visual_def *def)
{
  const double *three = def->kind == RH_VISUAL_BOX         ? def->size
                        : def->kind == RH_VISUAL_ELLIPSOID ? def->semi
                        : def->kind == RH_VISUAL_MESH      ? def->scale
                                                           : NULL;
  const char *key = def->kind == RH_VISUAL_BOX         ? "size"
                    : def->kind == RH_VISUAL_ELLIPSOID ? "semi"
                                                       : "scale";
  bool round = def->kind == RH_VISUAL_SPHERE || def->kind == RH_VISUAL_CYLINDER ||
               def->kind == RH_VISUAL_CAPSULE;
  for (int k = 0; three && k < 3; k++) {
    if (def->kind == RH_VISUAL_MESH ? three[k] == 0 : !(three[k] > 0)) {
      rh_complain(c, RH_SECTION_VISUALS, i, key, "must be three numbers %s",
                  def->kind == RH_VISUAL_MESH ? "that are not 0" : "above 0");
      return;
    }
  }
  if (round && !(def->radius > 0)) {
    rh_complain(c, RH_SECTION_VISUALS, i, "radius", "must be above 0");
  } else if (round && def->kind != RH_VISUAL_SPHERE && !(def->length > 0)) {
    rh_complain(c, RH_SECTION_VISUALS, i, "length", "must be above 0");
  }
}

static void check_visual(rh_check *c, int i)
{
  const rh_visual_def *def = visual_def(c->scene, i);
  if (def->kind < RH_VISUAL_BOX || def->kind > RH_VISUAL_MESH) {
    rh_complain(c, RH_SECTION_VISUALS, i, "kind",
                "must be box, sphere, cylinder, capsule, "
                "ellipsoid or mesh");
    return;
  }
  if (strcmp(def->body.text, "world") != 0) {
    (void)rh_check_reference(c, RH_SECTION_VISUALS, i, "body", RH_SECTION_BODIES);
  }
  if (def->kind == RH_VISUAL_MESH) {
    (void)rh_check_reference(c, RH_SECTION_VISUALS, i, "mesh", RH_SECTION_VISUAL_MESHES);
  } else if (def->mesh.text[0]) {
    rh_complain(c, RH_SECTION_VISUALS, i, "mesh", "needs `kind: mesh`");
  }
  check_sizes(c, i, def);
  if (def->color.n != 0 && def->color.n < 3) {
    rh_complain(c, RH_SECTION_VISUALS, i, "color", "takes 3 or 4 numbers, got %d", def->color.n);
  }
}

static void check_mesh(rh_check *c, int i)
{
  const rh_visual_mesh_def *def = mesh_def(c->scene, i);
  bool file = def->file.text[0] != 0;
  bool lists = def->vertices.n > 0 || def->faces.n > 0;
  if (file + lists + (def->data.n > 0) != 1) {
    rh_complain(c, RH_SECTION_VISUAL_MESHES, i, NULL,
                "needs one of file, vertices with faces, and data");
    return;
  }
  if (file) {
    rh_complain(c, RH_SECTION_VISUAL_MESHES, i, "file",
                "is read with the file of a scene only: give vertices and faces");
  }
  if (lists && (def->vertices.n == 0 || def->vertices.n % 3 != 0)) {
    rh_complain(c, RH_SECTION_VISUAL_MESHES, i, "vertices",
                "must be three numbers for each vertex, got %d numbers", def->vertices.n);
  } else if (lists && (def->faces.n == 0 || def->faces.n % 3 != 0)) {
    rh_complain(c, RH_SECTION_VISUAL_MESHES, i, "faces",
                "must be three vertices for each triangle, got %d numbers", def->faces.n);
  }
  int vertices = def->vertices.n / 3;
  for (int k = 0; lists && k < def->faces.n; k++) {
    double v = def->faces.x[k];
    if (!(v >= 0 && v < vertices && v == floor(v))) {
      rh_complain(c, RH_SECTION_VISUAL_MESHES, i, "faces",
                  "must be numbers of vertices, 0 to %d, got %g", vertices - 1, v);
      return;
    }
  }
}

void rh_check_visuals(rh_check *c)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_VISUALS); i++) {
    check_visual(c, i);
  }
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_VISUAL_MESHES); i++) {
    check_mesh(c, i);
  }
}

// ---- The model

void rh_visuals_count(const rh_scene *scene, rh_model_visuals *v)
{
  v->n = rh_scene_count(scene, RH_SECTION_VISUALS);
  v->nmesh = rh_scene_count(scene, RH_SECTION_VISUAL_MESHES);
}

static rh_look *make_look(const rh_visual_mesh_def *def)
{
  rh_look *look = rh_look_create(def->vertices.n / 3, def->faces.n / 3, 1);
  if (look) {
    memcpy(look->vert, def->vertices.x, (size_t)def->vertices.n * sizeof(double));
    for (int k = 0; k < def->faces.n; k++) {
      look->tri[k / 3][k % 3] = (int)def->faces.x[k];
    }
    rh_look_measure(look);
  }
  return look;
}

static rh_status fill_mesh(rh_check *c, int i, rh_look **look)
{
  const rh_visual_mesh_def *def = mesh_def(c->scene, i);
  const char *why = "";
  if (def->data.n == 0) {
    *look = make_look(def);
    return *look ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_look_unpack(def->data.x, (size_t)def->data.n, look, &why);
  if (status == RH_INPUT_REFUSED) {
    rh_complain(c, RH_SECTION_VISUAL_MESHES, i, "data", "%s", why);
  }
  return status;
}

static void fill_visual(const rh_check *c, const int *place, int i, rh_model_visual *v)
{
  const rh_visual_def *def = visual_def(c->scene, i);
  int entry = rh_name_index_find(&c->names[RH_SECTION_BODIES], def->body.text);
  v->body = entry == RH_NONE ? 0 : place[entry];
  v->kind = def->kind;
  v->place = (rh_xform){rh_rpy_matrix(def->rpy[0], def->rpy[1], def->rpy[2]),
                        rh_v3(def->at[0], def->at[1], def->at[2])};
  bool round = def->kind == RH_VISUAL_SPHERE || def->kind == RH_VISUAL_CYLINDER ||
               def->kind == RH_VISUAL_CAPSULE;
  const double rod[3] = {def->radius, def->length, 0};
  const double *size = round                              ? rod
                       : def->kind == RH_VISUAL_ELLIPSOID ? def->semi
                       : def->kind == RH_VISUAL_MESH      ? def->scale
                                                          : def->size;
  memcpy(v->size, size, sizeof v->size);
  v->mesh = def->kind == RH_VISUAL_MESH
                ? rh_name_index_find(&c->names[RH_SECTION_VISUAL_MESHES], def->mesh.text)
                : RH_NONE;
  v->color[3] = def->color.n == 0 ? -1 : 1;
  memcpy(v->color, def->color.x, (size_t)def->color.n * sizeof(double));
}

rh_status rh_visuals_fill(rh_check *c, const int *place, const rh_model_parts *p)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_VISUALS); i++) {
    fill_visual(c, place, i, &p->visual[i]);
  }
  rh_status status = RH_OK;
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_VISUAL_MESHES); i++) {
    rh_look *look = NULL;
    rh_status made = fill_mesh(c, i, &look);
    p->look[i] = look;
    status = status == RH_OUT_OF_MEMORY || made == RH_OK ? status : made;
  }
  return status;
}
