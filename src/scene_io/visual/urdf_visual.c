// urdf_visual.c: visuals and their colours. A robot moves without them: what is wrong with one is a warning.
// A material may be named before the place that gives its colour, so that colours come last.
#include "scene_io/urdf_part.h"

#include <string.h>

void rh_urdf_start_visual(rh_urdf *u)
{
  u->shape = (rh_urdf_shape){.tag = u->tag};
  u->material = (rh_urdf_material){.visual = {RH_NONE, RH_NONE}};
  u->showing = true;
  u->spoiled = false;
}

void rh_urdf_start_material(rh_urdf *u)
{
  const char *name = rh_urdf_attribute(u, "name");
  u->material = (rh_urdf_material){.visual = {RH_NONE, RH_NONE}};
  if (u->depth == 2) { // of the robot
    u->showing = true;
    u->spoiled = false;
  }
  if (name && *name) {
    u->material.name = (rh_robot_word){rh_name_of(name), u->tag};
  }
}

void rh_urdf_start_color(rh_urdf *u)
{
  rh_urdf_vec rgba = {0};
  if (!rh_urdf_need_numbers(u, "rgba", 4, &rgba)) {
    return;
  }
  for (int k = 0; k < 4; k++) { // some files have 255 in the place of 1
    u->material.rgba[k] = fmin(1, fmax(0, rgba.x[k]));
  }
  u->material.colored = true;
}

static void keep_material(rh_urdf *u, rh_urdf_material **list, int *count, int *room)
{
  if (list == &u->materials && *count == RH_URDF_FEW) {
    return; // visuals that name more of them have the colour of their body
  }
  if (*count == *room) {
    int more = *room > 0 ? 2 * *room : 32;
    rh_urdf_material *grown = rh_realloc(*list, (size_t)more * sizeof *grown);
    if (!grown) {
      u->nodes.status = RH_OUT_OF_MEMORY;
      return;
    }
    *list = grown;
    *room = more;
  }
  (*list)[(*count)++] = u->material;
}

void rh_urdf_end_material(rh_urdf *u)
{
  if (u->material.colored && u->material.name.name.text[0] && !u->spoiled) {
    keep_material(u, &u->materials, &u->nmaterial, &u->material_room);
  }
  u->showing = false;
}

// ---- The visual

static void put_color(rh_urdf *u, rh_node_list *visual, const rh_urdf_material *m)
{
  rh_nodes_put_numbers(&u->nodes, visual, "color", m->rgba, 4, m->name.place);
}

static void put_visual(rh_urdf *u, const char *mesh)
{
  const rh_urdf_shape *s = &u->shape;
  rh_node_list visual = rh_nodes_entry(&u->nodes, RH_NODE_VISUALS, s->tag);
  if (rh_urdf_is_world(&u->link.name)) {
    rh_nodes_put_text(&u->nodes, &visual, "body", "world", u->link.name.place);
  } else {
    rh_nodes_put_name(&u->nodes, &visual, "body", &u->link.name);
  }
  rh_nodes_put_text(&u->nodes, &visual, "kind", mesh[0] ? "mesh" : s->kind, s->tag);
  rh_urdf_put_vec(u, &visual, "at", &s->xyz);
  rh_urdf_put_vec(u, &visual, "rpy", &s->rpy);
  rh_urdf_put_vec(u, &visual, "size", &s->size);
  if (s->radius.n > 0) {
    rh_nodes_put_number(&u->nodes, &visual, "radius", s->radius.x[0], s->radius.place);
  }
  if (s->length.n > 0) {
    rh_nodes_put_number(&u->nodes, &visual, "length", s->length.x[0], s->length.place);
  }
  if (mesh[0]) {
    rh_robot_word word = {rh_name_of(mesh), s->file_place};
    rh_nodes_put_name(&u->nodes, &visual, "mesh", &word);
    rh_urdf_put_vec(u, &visual, "scale", &s->scale);
  }
  u->material.visual = visual;
  if (u->material.colored) {
    put_color(u, &visual, &u->material);
    if (u->material.name.name.text[0]) {
      keep_material(u, &u->materials, &u->nmaterial, &u->material_room);
    }
  } else if (u->material.name.name.text[0]) {
    keep_material(u, &u->painted, &u->npainted, &u->painted_room);
  }
}

// Is there a number that a scene would refuse? A mesh may be mirrored, but not flat.
static bool has_bad_numbers(const rh_urdf_shape *s)
{
  bool bad = rh_urdf_without_size(s);
  for (int k = 0; k < 3; k++) {
    bad = bad || (s->size.n > 0 && s->size.x[k] < 0) || (s->scale.n > 0 && s->scale.x[k] == 0);
  }
  return bad || s->radius.x[0] < 0 || s->length.x[0] < 0;
}

void rh_urdf_end_visual(rh_urdf *u)
{
  const rh_urdf_shape *s = &u->shape;
  char mesh[RH_NAME_MAX] = "";
  if (!u->spoiled && !s->kind) {
    rh_ignored_add(&u->ignored, RH_WARNING, s->tag, "a visual without geometry is not shown");
    u->spoiled = true;
  } else if (!u->spoiled && has_bad_numbers(s)) {
    rh_ignored_add(&u->ignored, RH_WARNING, s->tag, "a visual without size is not shown");
    u->spoiled = true;
  }
  u->showing = false;
  if (u->spoiled || !u->link.name.name.text[0]) {
    return;
  }
  rh_robot_mesh file;
  if (strcmp(s->kind, "hull") == 0 &&
      (!rh_urdf_find_mesh(u, &file) || !rh_robot_look_put(&u->nodes, &u->ignored, &file, mesh))) {
    return;
  }
  put_visual(u, mesh);
}

// ---- Colours by name: the first one of a name, as ROS has it

void rh_urdf_paint(rh_urdf *u)
{
  int unknown = 0;
  for (int i = 0; i < u->npainted; i++) {
    rh_urdf_material *m = &u->painted[i];
    int k = 0;
    while (k < u->nmaterial && strcmp(u->materials[k].name.name.text, m->name.name.text) != 0) {
      k++;
    }
    if (k < u->nmaterial) {
      put_color(u, &m->visual, &u->materials[k]);
    } else if (unknown++ == 0) {
      rh_diag_add(u->diag, RH_NOTE, m->name.place, "the material '%.60s' has no colour here",
                  m->name.name.text);
    }
  }
}
