// urdf_shape.c: collisions as shapes. A mesh becomes its convex hull (xml/robot_mesh.c).
#include "urdf_part.h"

#include <string.h>

void rh_urdf_start_mesh(rh_urdf *u)
{
  const char *file = rh_urdf_attribute(u, "filename");
  if (!file || !*file) {
    rh_urdf_refuse_value(u, u->tag, "<mesh> needs the attribute filename");
    return;
  }
  u->shape.file_place = rh_urdf_attribute_place(u, "filename");
  if (strlen(file) >= sizeof u->shape.file) {
    rh_urdf_refuse_value(u, u->shape.file_place, "the name of the mesh is too long");
    return;
  }
  memcpy(u->shape.file, file, strlen(file) + 1);
  (void)rh_urdf_numbers(u, "scale", 3, &u->shape.scale);
}

bool rh_urdf_find_mesh(const rh_urdf *u, rh_robot_mesh *mesh)
{
  const rh_urdf_shape *s = &u->shape;
  if (!s->file[0]) {
    return false; // refused already
  }
  *mesh = (rh_robot_mesh){.scene = u->opt->scene,
                          .folder = u->opt->folder,
                          .packages = u->opt->packages,
                          .file = s->file,
                          .place = s->file_place,
                          .shape = s->tag,
                          .scaled = s->scale.n > 0,
                          .scale = {s->scale.x[0], s->scale.x[1], s->scale.x[2]},
                          .scale_place = s->scale.place,
                          .owner = u->link.name.name.text};
  return true;
}

// The mesh of the shape, named `called`. False: it is omitted.
static bool put_mesh(rh_urdf *u, char called[RH_NAME_MAX])
{
  rh_robot_mesh mesh;
  return rh_urdf_find_mesh(u, &mesh) &&
         rh_robot_mesh_put(&u->nodes, &u->ignored, &mesh, called, &u->refused);
}

// ---- Shapes

// Some files mark "no contact here" by a shape without size.
bool rh_urdf_without_size(const rh_urdf_shape *s)
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
  if (rh_urdf_without_size(s)) {
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
