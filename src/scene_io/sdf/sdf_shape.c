// sdf_shape.c: collisions as shapes; a mesh becomes its convex hull (xml/robot_mesh.c). Those of static
// models are shapes of the world.
#include "sdf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *tag, *kind;
} kinds[] = {{"box", "box"},         {"sphere", "sphere"}, {"cylinder", "cylinder"},
             {"capsule", "capsule"}, {"plane", "plane"},   {"ellipsoid", "ellipsoid"},
             {"mesh", "hull"}};

// The axes of a plane: z is its normal.
static void turn_to_normal(rh_sdf *s, int element, rh_sdf_pose *pose)
{
  double n[3] = {0, 0, 1};
  int normal = rh_sdf_child(s, element, "normal");
  (void)rh_sdf_numbers(s, normal, 3, n);
  rh_vec3 z = rh_v3(n[0], n[1], n[2]);
  double length = rh_norm(z);
  if (!(length > 0)) {
    rh_sdf_refuse(s, rh_sdf_place(s, normal), "the normal of a plane must not be zero");
    return;
  }
  if (n[0] == 0 && n[1] == 0 && n[2] > 0) {
    return;
  }
  rh_vec3 axis = rh_v3(-z.y, z.x, 0); // z of the frame turns about it to the normal
  double sine = rh_norm(axis) / length;
  axis = sine > 0 ? rh_scale(1 / rh_norm(axis), axis) : rh_v3(1, 0, 0);
  rh_mat3 R = rh_axis_turn(axis, sine, z.z / length);
  pose->R = rh_mat3_mul(&pose->R, &R);
}

void rh_sdf_put_sizes(rh_sdf *s, int element, rh_node_list *shape)
{
  static const struct {
    const char *tag, *key;
    int n;
  } rows[] = {
      {"size", "size", 3}, {"radii", "semi", 3}, {"radius", "radius", 1}, {"length", "length", 1}};

  bool plane = strcmp(rh_sdf_tag(s, element), "plane") == 0;
  double edges[2]; // of a plane: not used, but they must be numbers
  if (plane) {
    (void)rh_sdf_numbers(s, rh_sdf_child(s, element, "size"), 2, edges);
  }
  for (int i = 0; i < RH_COUNT(rows) && !plane; i++) {
    double x[3];
    int child = rh_sdf_child(s, element, rows[i].tag);
    if (child == RH_NONE || !rh_sdf_numbers(s, child, rows[i].n, x)) {
      continue;
    }
    if (rows[i].n == 1) {
      rh_nodes_put_number(&s->nodes, shape, rows[i].key, x[0], rh_sdf_place(s, child));
    } else {
      rh_nodes_put_numbers(&s->nodes, shape, rows[i].key, x, 3, rh_sdf_place(s, child));
    }
  }
}

bool rh_sdf_find_mesh(rh_sdf *s, int element, const char *owner, rh_sdf_mesh *found)
{
  int uri = rh_sdf_child(s, element, "uri");
  int scale = rh_sdf_child(s, element, "scale");
  const char *file = uri == RH_NONE ? NULL : s->xml.element[uri].text;
  if (!file || strlen(file) >= RH_PATH_MAX) {
    rh_sdf_refuse(s, rh_sdf_place(s, element), "<mesh> needs the <uri> of a file");
    return false;
  }
  memcpy(found->name, file, strlen(file) + 1);
  found->name[strcspn(found->name, "\t\r\n")] = '\0';
  found->mesh = (rh_robot_mesh){.scene = s->opt->scene,
                                .folder = s->opt->folder,
                                .packages = s->opt->packages,
                                .file = found->name,
                                .place = s->xml.element[uri].text_place,
                                .shape = rh_sdf_place(s, element),
                                .owner = owner};
  found->mesh.scaled = rh_sdf_numbers(s, scale, 3, found->mesh.scale);
  found->mesh.scale_place = scale == RH_NONE ? found->mesh.place : rh_sdf_place(s, scale);
  return true;
}

// False: it is omitted, or refused.
static bool put_mesh(rh_sdf *s, int element, const rh_sdf_item *link, char called[RH_NAME_MAX])
{
  rh_sdf_mesh found;
  return rh_sdf_find_mesh(s, element, link->word.name.text, &found) &&
         rh_robot_mesh_put(&s->nodes, &s->ignored, &found.mesh, called, &s->refused);
}

// ---- Surfaces

// A number of a surface within its range
static double read_within(rh_sdf *s, int element, const char *tag, double otherwise, double most)
{
  double x = rh_sdf_number(s, element, tag, otherwise);
  int child = rh_sdf_child(s, element, tag);
  if (child != RH_NONE && !(x >= 0 && x <= most)) {
    rh_sdf_refuse(s, s->xml.element[child].text_place, "<%.30s> must lie in [0, %g], got %g", tag,
                  most, x);
    return otherwise;
  }
  return x;
}

// What two collisions have no bit of in common does not touch.
static unsigned read_mask(rh_sdf *s, int contact)
{
  double mask = read_within(s, contact, "collide_bitmask", 65535, 4294967295.0);
  if (mask != floor(mask)) {
    rh_sdf_refuse(s, rh_sdf_place(s, rh_sdf_child(s, contact, "collide_bitmask")),
                  "<collide_bitmask> must be a whole number, got %g", mask);
  }
  return (unsigned)mask;
}

static void keep_shape(rh_sdf *s, int collision, const rh_robot_word *name, int link)
{
  int surface = rh_sdf_child(s, collision, "surface");
  int ode = rh_sdf_child(s, rh_sdf_child(s, surface, "friction"), "ode");
  int bounce = rh_sdf_child(s, surface, "bounce");
  int contact = rh_sdf_child(s, surface, "contact");
  double mu = read_within(s, ode, "mu", 1, HUGE_VAL);
  double mu2 = read_within(s, ode, "mu2", mu, HUGE_VAL);
  double e = read_within(s, bounce, "restitution_coefficient", 0, 1);
  unsigned mask = read_mask(s, contact);
  if (rh_sdf_flag(s, contact, "collide_without_contact", false)) {
    return;
  }
  if (mu2 != mu) {
    rh_ignored_add(&s->ignored, RH_WARNING, rh_sdf_place(s, ode),
                   "friction is the same in all directions: the lesser of mu and mu2");
    mu = fmin(mu, mu2);
  }
  if (s->nshape == s->shape_room) {
    int room = s->shape_room > 0 ? 2 * s->shape_room : 64;
    rh_sdf_shape *grown = rh_realloc(s->shape, (size_t)room * sizeof *grown);
    if (!grown) {
      s->nodes.status = RH_OUT_OF_MEMORY;
      return;
    }
    s->shape = grown;
    s->shape_room = room;
  }
  s->shape[s->nshape++] =
      (rh_sdf_shape){*name, link, fmin(mu, 1e6), e, mask}; // 1e6: the greatest of a scene
}

// ---- Entries

static void put_shape(rh_sdf *s, int collision, int link)
{
  const rh_sdf_item *item = &s->item[link];
  int geometry = rh_sdf_child(s, collision, "geometry");
  rh_place place = rh_sdf_place(s, collision);
  char mesh[RH_NAME_MAX] = "";
  int k = 0;
  int element = RH_NONE;
  while (k < RH_COUNT(kinds) && (element = rh_sdf_child(s, geometry, kinds[k].tag)) == RH_NONE) {
    k++;
  }
  if (element == RH_NONE) { // <empty/>, or one that is not known, which is reported
    return;
  }
  if (strcmp(kinds[k].kind, "hull") == 0 && !put_mesh(s, element, item, mesh)) {
    return;
  }
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "%.48s-shape%d", item->word.name.text, s->nodes.made);
  rh_robot_word name = {rh_name_of(text), place};
  rh_sdf_pose pose = rh_sdf_world_pose(s, collision, item->scope, link);
  pose = item->fixed ? pose : rh_sdf_within(&item->body, &pose);
  rh_node_list shape = rh_nodes_entry(&s->nodes, RH_NODE_SHAPES, place);
  rh_nodes_put_name(&s->nodes, &shape, "name", &name);
  if (item->fixed) {
    rh_nodes_put_text(&s->nodes, &shape, "body", "world", place);
  } else {
    rh_nodes_put_name(&s->nodes, &shape, "body", &item->word);
  }
  rh_nodes_put_text(&s->nodes, &shape, "kind", kinds[k].kind, rh_sdf_place(s, element));
  if (strcmp(kinds[k].kind, "plane") == 0) {
    turn_to_normal(s, element, &pose);
  }
  rh_sdf_put_pose(s, &shape, &pose, place);
  rh_sdf_put_sizes(s, element, &shape);
  if (mesh[0]) {
    rh_robot_word word = {rh_name_of(mesh), place};
    rh_nodes_put_name(&s->nodes, &shape, "mesh", &word);
  }
  keep_shape(s, collision, &name, link);
}

void rh_sdf_emit_shapes(rh_sdf *s)
{
  for (int i = 0; i < s->nitem && s->nodes.status == RH_OK; i++) {
    int collision =
        s->item[i].sort == RH_SDF_LINK ? rh_sdf_child(s, s->item[i].element, "collision") : RH_NONE;
    for (; collision != RH_NONE && s->nodes.status == RH_OK;
         collision = rh_sdf_next(s, collision)) {
      if (rh_sdf_child(s, collision, "geometry") == RH_NONE) {
        rh_sdf_refuse(s, rh_sdf_place(s, collision), "<collision> needs <geometry>");
        continue;
      }
      put_shape(s, collision, i);
    }
  }
}
