// urdf_shape.c: collisions as shapes. A mesh becomes its convex hull. Its file is searched for
//   plain name, file://    from the folder of the URDF file,
//   package://NAME/PATH    as NAME/PATH in the folder of packages, if given, then in the folder of
//                          the URDF file and up to eight folders above it.
// A mesh that is missing, or not STL or OBJ, is omitted with a warning: the robot moves without it.
#include "geometry/hull/hull.h"
#include "mesh.h"
#include "urdf_part.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { UP_MAX = 8, WHERE_MAX = 4096 };

void rh_urdf_start_mesh(rh_urdf *u)
{
  const char *file = rh_urdf_attribute(u, "filename");
  if (!file || !*file) {
    rh_urdf_refuse(u, u->tag, "<mesh> needs the attribute filename");
    return;
  }
  u->shape.file_place = rh_urdf_attribute_place(u, "filename");
  if (strlen(file) >= sizeof u->shape.file) {
    rh_urdf_refuse(u, u->shape.file_place, "the name of the mesh is too long");
    return;
  }
  memcpy(u->shape.file, file, strlen(file) + 1);
  (void)rh_urdf_numbers(u, "scale", 3, &u->shape.scale);
}

// ---- Path of a mesh

// Does this file exist, with the scene's name for it?
static bool mesh_file_exists(const rh_urdf *u, const char *name)
{
  char where[WHERE_MAX];
  struct stat info;
  bool beside = name[0] != '/' && u->opt->scene[0] != '\0';
  int length =
      snprintf(where, sizeof where, "%s%s%s", beside ? u->opt->scene : "", beside ? "/" : "", name);
  return length < WHERE_MAX && strlen(name) < RH_PATH_MAX - 1 && stat(where, &info) == 0 &&
         S_ISREG(info.st_mode);
}

static bool try_mesh_path(const rh_urdf *u, char name[WHERE_MAX], const char *folder, int up,
                          const char *file)
{
  static const char dots[] = "../../../../../../../../";
  int length =
      snprintf(name, WHERE_MAX, "%s%s%.*s%s", folder, folder[0] ? "/" : "", 3 * up, dots, file);
  return length < WHERE_MAX && mesh_file_exists(u, name);
}

static bool find_mesh(const rh_urdf *u, char name[WHERE_MAX])
{
  static const char package[] = "package://";
  static const char local[] = "file://";
  const char *file = u->shape.file;
  if (!u->opt->scene) {
    return false;
  }
  if (strncmp(file, package, sizeof package - 1) == 0) {
    file += sizeof package - 1;
    if (u->opt->packages && try_mesh_path(u, name, u->opt->packages, 0, file)) {
      return true;
    }
    for (int up = 0; up <= UP_MAX; up++) {
      if (try_mesh_path(u, name, u->opt->folder, up, file)) {
        return true;
      }
    }
    return false;
  }
  file += strncmp(file, local, sizeof local - 1) == 0 ? sizeof local - 1 : 0;
  return try_mesh_path(u, name, file[0] == '/' ? "" : u->opt->folder, 0, file);
}

static bool known_format(const char *file)
{
  const char *dot = strrchr(file, '.');
  return dot && (strcasecmp(dot, ".stl") == 0 || strcasecmp(dot, ".obj") == 0);
}

// ---- A stretched or mirrored mesh has its vertices written out

static bool is_uniform_scale(const rh_urdf_vec *scale)
{
  return scale->n == 0 ||
         (scale->x[0] > 0 && scale->x[0] == scale->x[1] && scale->x[1] == scale->x[2]);
}

static void put_vertices(rh_urdf *u, rh_node_list *entry, const rh_mesh *mesh)
{
  const rh_urdf_shape *s = &u->shape;
  if (mesh->nvert > RH_HULL_POINTS_MAX) {
    rh_urdf_refuse(u, s->file_place, "the mesh has %d vertices; a hull may be made of %d",
                   mesh->nvert, RH_HULL_POINTS_MAX);
    return;
  }
  double *x = rh_alloc(3 * (size_t)mesh->nvert * sizeof *x);
  if (!x) {
    u->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    x[3 * i] = s->scale.x[0] * mesh->vert[i].x;
    x[3 * i + 1] = s->scale.x[1] * mesh->vert[i].y;
    x[3 * i + 2] = s->scale.x[2] * mesh->vert[i].z;
  }
  rh_nodes_put_numbers(&u->nodes, entry, "vertices", x, 3 * mesh->nvert, s->file_place);
  if (mesh->single) {
    rh_nodes_put_number(&u->nodes, entry, "tolerance", RH_HULL_TOLERANCE_FLOAT, s->file_place);
  }
  rh_free(x);
}

static void put_stretched(rh_urdf *u, rh_node_list *entry, const char *name)
{
  char where[2 * WHERE_MAX];
  bool beside = name[0] != '/' && u->opt->scene[0] != '\0';
  snprintf(where, sizeof where, "%s%s%s", beside ? u->opt->scene : "", beside ? "/" : "", name);
  rh_mesh mesh;
  rh_status status = rh_mesh_read(where, u->diag, &mesh);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(u->diag, RH_NOTE, u->shape.file_place, "it is read for this mesh");
    u->refused = true;
    return;
  }
  if (status != RH_OK) {
    u->nodes.status = status;
    return;
  }
  put_vertices(u, entry, &mesh);
  rh_mesh_free(&mesh);
}

// The mesh of the shape, named `called`. False: it is omitted.
static bool put_mesh(rh_urdf *u, char called[RH_NAME_MAX])
{
  const rh_urdf_shape *s = &u->shape;
  char name[WHERE_MAX];
  if (!s->file[0]) {
    return false; // refused already
  }
  if (!known_format(s->file)) {
    rh_diag_add(u->diag, RH_WARNING, s->file_place,
                "the shape is ignored: meshes are read from STL and OBJ files, not '%.80s'",
                s->file);
    return false;
  }
  if (!find_mesh(u, name)) {
    rh_diag_add(u->diag, RH_WARNING, s->file_place,
                "the shape is ignored: its mesh '%.120s' cannot be found", s->file);
    return false;
  }
  rh_ignored_add(&u->ignored, RH_NOTE, s->tag, "a mesh is replaced by its convex hull");
  rh_node_list entry = rh_nodes_entry(&u->nodes, RH_NODE_MESHES, s->file_place);
  rh_robot_word word = {.place = s->file_place};
  snprintf(called, RH_NAME_MAX, "%.50s-mesh%d", u->link.name.name.text, u->nodes.made);
  word.name = rh_name_of(called);
  rh_nodes_put_name(&u->nodes, &entry, "name", &word);
  if (is_uniform_scale(&s->scale)) {
    rh_nodes_put_text(&u->nodes, &entry, "file", name, s->file_place);
    if (s->scale.n > 0) {
      rh_nodes_put_number(&u->nodes, &entry, "scale", s->scale.x[0], s->scale.place);
    }
  } else {
    put_stretched(u, &entry, name);
  }
  return true;
}

// ---- Shapes

// Some files mark "no contact here" by a shape without size.
static bool without_size(const rh_urdf_shape *s)
{
  bool flat = s->size.n > 0 && (s->size.x[0] == 0 || s->size.x[1] == 0 || s->size.x[2] == 0);
  return flat || (s->radius.n > 0 && s->radius.x[0] == 0) ||
         (s->length.n > 0 && s->length.x[0] == 0);
}

void rh_urdf_end_collision(rh_urdf *u)
{
  const rh_urdf_shape *s = &u->shape;
  char mesh[RH_NAME_MAX] = "";
  if (!s->kind) {
    rh_urdf_refuse(u, s->tag, "<collision> needs <geometry> with a box, sphere, cylinder or mesh");
    return;
  }
  if (!u->link.name.name.text[0] || (strcmp(s->kind, "hull") == 0 && !put_mesh(u, mesh))) {
    return;
  }
  if (without_size(s)) {
    rh_ignored_add(&u->ignored, RH_WARNING, s->tag, "a shape without size is ignored");
    return;
  }
  rh_node_list shape = rh_nodes_entry(&u->nodes, RH_NODE_SHAPES, s->tag);
  if (rh_urdf_is_world(&u->link.name)) {
    rh_nodes_put_text(&u->nodes, &shape, "body", "world", u->link.name.place);
  } else {
    rh_nodes_put_name(&u->nodes, &shape, "body", &u->link.name);
  }
  rh_nodes_put_text(&u->nodes, &shape, "kind", s->kind, s->tag);
  rh_urdf_put_vec(u, &shape, "at", &s->xyz);
  rh_urdf_put_vec(u, &shape, "rpy", &s->rpy);
  rh_urdf_put_vec(u, &shape, "size", &s->size);
  if (s->radius.n > 0) {
    rh_nodes_put_number(&u->nodes, &shape, "radius", s->radius.x[0], s->radius.place);
  }
  if (s->length.n > 0) {
    rh_nodes_put_number(&u->nodes, &shape, "length", s->length.x[0], s->length.place);
  }
  if (mesh[0]) {
    rh_robot_word word = {rh_name_of(mesh), s->file_place};
    rh_nodes_put_name(&u->nodes, &shape, "mesh", &word);
  }
}
