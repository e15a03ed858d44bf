// urdf.c: robots from URDF, as a stream of elements. The rows below list the elements; a link
// becomes a body, a joint a joint (and an actuator, where it has a maximum effort), a collision a
// shape; then the one link without a parent gets the joint that carries it, free or fixed. A link
// named `world` is the world of the scene. A link without <inertial> is a body without mass, on a
// fixed joint or with children. Not supported: elements without influence on the motion (listed in
// notes).
#include "model/names.h"
#include "urdf_part.h"

#include <routh/math.h>

#include <stdio.h>
#include <string.h>

// ---- Links

static void start_link(rh_urdf *u)
{
  u->link = (rh_urdf_link){0};
  if (rh_urdf_need_word(u, "name", &u->link.name)) {
    (void)rh_urdf_keep_word(u, &u->links, &u->nlink, &u->link_room, &u->link.name);
  }
}

static void start_inertial(rh_urdf *u)
{
  u->link.inertial = true;
  u->link.tag = u->tag;
}

static void start_mass(rh_urdf *u)
{
  (void)rh_urdf_need_numbers(u, "value", 1, &u->link.mass);
}

static void start_inertia(rh_urdf *u)
{
  static const char *const name[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  rh_urdf_vec all = {.n = 6, .place = u->tag};
  bool good = true;
  for (int i = 0; i < 6; i++) {
    rh_urdf_vec one = {0};
    good = rh_urdf_need_numbers(u, name[i], 1, &one) && good;
    all.x[i] = one.x[0];
  }
  if (good) {
    u->link.inertia = all;
  }
}

static void start_origin(rh_urdf *u)
{
  rh_urdf_state in = u->open[u->depth - 1]->state;
  rh_urdf_vec *xyz = in == RH_URDF_INERTIAL                            ? &u->link.xyz
                     : in == RH_URDF_COLLISION || in == RH_URDF_VISUAL ? &u->shape.xyz
                                                                       : &u->joint.xyz;
  rh_urdf_vec *rpy = in == RH_URDF_INERTIAL                            ? &u->link.rpy
                     : in == RH_URDF_COLLISION || in == RH_URDF_VISUAL ? &u->shape.rpy
                                                                       : &u->joint.rpy;
  (void)rh_urdf_numbers(u, "xyz", 3, xyz);
  (void)rh_urdf_numbers(u, "rpy", 3, rpy);
}

// Did the open element contain such an element?
static bool has_seen_element(const rh_urdf *u, const char *name)
{
  for (int i = 0; i < u->row_count; i++) {
    if (u->rows[i].in == u->open[u->depth]->state && strcmp(u->rows[i].name, name) == 0) {
      return (u->seen >> i & 1) != 0;
    }
  }
  return false;
}

static void end_inertial(rh_urdf *u)
{
  static const char *const needed[] = {"mass", "inertia"};
  for (int i = 0; i < RH_COUNT(needed); i++) {
    if (!has_seen_element(u, needed[i])) {
      rh_urdf_refuse(u, u->link.tag, "<inertial> of link '%s' needs <%s>", u->link.name.name.text,
                     needed[i]);
    }
  }
}

// No principal moment exceeds the sum of the two others. Published inertias violate that by
// rounding, or because an entry is small enough not to matter. The smallest correction, the same
// about every axis, is added and reported. With Sigma = tr(I)/2 - I, the second moment of the mass,
// Sigma >= 0 is required; I + d has Sigma + d/2, so d = e3 - e2 - e1 for principal moments e1 <= e2
// <= e3. The check of the scene reports negative ones.
static void make_possible(rh_urdf *u, double I[6])
{
  static const double ROUNDING = 1e-6; // tolerance of the check of the scene
  double e[3];
  rh_sym3 s = {I[0], I[1], I[2], I[3], I[4], I[5]};
  rh_sym3_eigenvalues(&s, e);
  double lack = e[2] - e[1] - e[0];
  if (e[0] < -1e-12 * e[2] || lack <= ROUNDING * e[2]) {
    return;
  }
  rh_diag_add(u->diag, RH_WARNING, u->link.inertia.place,
              "link '%s': no matter has the principal moments %.6g, %.6g, %.6g kg m^2 (one exceeds "
              "the sum of the others); %.3g is added to each",
              u->link.name.name.text, e[0], e[1], e[2], lack);
  for (int i = 0; i < 3; i++) {
    I[i] += lack;
  }
}

static void put_inertia(rh_urdf *u, rh_node_list *body)
{
  const rh_urdf_link *l = &u->link;
  double I[6];
  memcpy(I, l->inertia.x, sizeof I);
  if (l->rpy.n > 0 && (l->rpy.x[0] != 0 || l->rpy.x[1] != 0 || l->rpy.x[2] != 0)) {
    rh_mat3 R = rh_rpy_matrix(l->rpy.x[0], l->rpy.x[1], l->rpy.x[2]);
    rh_sym3 s = {I[0], I[1], I[2], I[3], I[4], I[5]};
    s = rh_sym3_rotate(&R, &s);
    const double turned[6] = {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz};
    memcpy(I, turned, sizeof I);
  }
  bool any = false;
  for (int i = 0; i < 6; i++) {
    any = any || I[i] != 0;
  }
  if (l->mass.x[0] == 0 && any) {
    rh_diag_add(u->diag, RH_WARNING, l->inertia.place,
                "link '%s' has no mass; its inertia is ignored", l->name.name.text);
    return;
  }
  make_possible(u, I);
  rh_nodes_put_numbers(&u->nodes, body, "inertia", I, 6, l->inertia.place);
}

static void end_link(rh_urdf *u)
{
  const rh_urdf_link *l = &u->link;
  if (l->name.name.text[0] == '\0') {
    return;
  }
  if (rh_urdf_is_world(&l->name)) {
    if (l->mass.x[0] != 0) {
      rh_urdf_refuse(u, l->tag, "the link 'world' is the world of the scene and has no mass");
    }
    return;
  }
  rh_node_list body = rh_nodes_entry(&u->nodes, RH_NODE_BODIES, l->name.place);
  rh_nodes_put_name(&u->nodes, &body, "name", &l->name);
  rh_nodes_put_number(&u->nodes, &body, "mass", l->mass.x[0],
                      l->mass.n ? l->mass.place : l->name.place);
  if (l->mass.x[0] != 0) {
    rh_urdf_put_vec(u, &body, "com", &l->xyz);
  }
  if (l->inertia.n > 0) {
    put_inertia(u, &body);
  }
}

// ---- Joints and shapes: attributes

static void start_joint(rh_urdf *u)
{
  u->joint = (rh_urdf_joint){.tag = u->tag};
  (void)rh_urdf_need_word(u, "name", &u->joint.name);
  (void)rh_urdf_need_word(u, "type", &u->joint.type);
}

static void start_parent(rh_urdf *u)
{
  (void)rh_urdf_need_word(u, "link", &u->joint.parent);
}

static void start_child(rh_urdf *u)
{
  (void)rh_urdf_need_word(u, "link", &u->joint.child);
}

static void start_axis(rh_urdf *u)
{
  (void)rh_urdf_need_numbers(u, "xyz", 3, &u->joint.axis);
}

static void start_limit(rh_urdf *u)
{
  u->joint.limited = true;
  u->joint.limit = u->tag;
  (void)rh_urdf_numbers(u, "lower", 1, &u->joint.lower);
  (void)rh_urdf_numbers(u, "upper", 1, &u->joint.upper);
  (void)rh_urdf_numbers(u, "effort", 1, &u->joint.effort);
  (void)rh_urdf_numbers(u, "velocity", 1, &u->joint.velocity);
}

static void start_dynamics(rh_urdf *u)
{
  u->joint.dynamics = u->tag;
  (void)rh_urdf_numbers(u, "damping", 1, &u->joint.damping);
  (void)rh_urdf_numbers(u, "friction", 1, &u->joint.friction);
}

static void start_mimic(rh_urdf *u)
{
  if (rh_urdf_need_word(u, "joint", &u->joint.mimic)) {
    u->joint.mimic.place = u->tag;
  }
  (void)rh_urdf_numbers(u, "multiplier", 1, &u->joint.multiplier);
  (void)rh_urdf_numbers(u, "offset", 1, &u->joint.offset);
}

static void start_driven(rh_urdf *u)
{
  rh_robot_word word;
  if (u->ndriven == RH_URDF_FEW) {
    rh_urdf_refuse(u, u->tag, "too many joints of transmissions: %d are allowed", RH_URDF_FEW);
  } else if (rh_urdf_need_word(u, "name", &word)) {
    (void)rh_urdf_keep_word(u, &u->driven, &u->ndriven, &u->driven_room, &word);
  }
}

static void start_collision(rh_urdf *u)
{
  u->shape = (rh_urdf_shape){.tag = u->tag};
}

// One shape per geometry.
static bool new_shape(rh_urdf *u, const char *kind)
{
  if (u->shape.kind) {
    rh_urdf_refuse_value(u, u->tag, "<geometry> holds one shape, and has a %s already",
                         u->shape.kind);
    return false;
  }
  u->shape.kind = kind;
  u->shape.tag = u->tag;
  return true;
}

static void start_box(rh_urdf *u)
{
  if (new_shape(u, "box")) {
    (void)rh_urdf_need_numbers(u, "size", 3, &u->shape.size);
  }
}

static void start_sphere(rh_urdf *u)
{
  if (new_shape(u, "sphere")) {
    (void)rh_urdf_need_numbers(u, "radius", 1, &u->shape.radius);
  }
}

static void start_rod(rh_urdf *u)
{
  if (new_shape(u, strcmp(u->tag_name, "capsule") == 0 ? "capsule" : "cylinder")) {
    (void)rh_urdf_need_numbers(u, "radius", 1, &u->shape.radius);
    (void)rh_urdf_need_numbers(u, "length", 1, &u->shape.length);
  }
}

static void start_mesh(rh_urdf *u)
{
  if (new_shape(u, "hull")) {
    rh_urdf_start_mesh(u);
  }
}

// ---- The elements

#define READ(in, state, name, attributes, start, end)                                              \
  {                                                                                                \
    RH_URDF_##in, RH_URDF_##state, name, attributes, true, start, end                              \
  }
#define MANY(in, state, name, attributes, start, end)                                              \
  {                                                                                                \
    RH_URDF_##in, RH_URDF_##state, name, attributes, false, start, end                             \
  }
#define PASS(in, name)                                                                             \
  {                                                                                                \
    RH_URDF_##in, RH_URDF_IGNORED, name, "", false, NULL, NULL                                     \
  }

// clang-format off: one row per line
static const rh_urdf_row element_rows[] = {
    READ(TOP, ROBOT, "robot", "name version", NULL, NULL),
    MANY(ROBOT, LINK, "link", "name", start_link, end_link),
    MANY(ROBOT, JOINT, "joint", "name type", start_joint, rh_urdf_end_joint),
    READ(LINK, INERTIAL, "inertial", "", start_inertial, end_inertial),
    READ(INERTIAL, LEAF, "mass", "value", start_mass, NULL),
    READ(INERTIAL, LEAF, "origin", "xyz rpy", start_origin, NULL),
    READ(INERTIAL, LEAF, "inertia", "ixx iyy izz ixy ixz iyz", start_inertia, NULL),
    MANY(LINK, COLLISION, "collision", "", start_collision, rh_urdf_end_collision),
    READ(COLLISION, LEAF, "origin", "xyz rpy", start_origin, NULL),
    READ(COLLISION, GEOMETRY, "geometry", "", NULL, NULL),
    MANY(LINK, VISUAL, "visual", "name", rh_urdf_start_visual, rh_urdf_end_visual),
    READ(VISUAL, LEAF, "origin", "xyz rpy", start_origin, NULL),
    READ(VISUAL, GEOMETRY, "geometry", "", NULL, NULL),
    READ(VISUAL, MATERIAL, "material", "name", rh_urdf_start_material, NULL),
    MANY(ROBOT, MATERIAL, "material", "name", rh_urdf_start_material, rh_urdf_end_material),
    READ(MATERIAL, LEAF, "color", "rgba", rh_urdf_start_color, NULL),
    PASS(MATERIAL, "texture"),
    READ(GEOMETRY, LEAF, "box", "size", start_box, NULL),
    READ(GEOMETRY, LEAF, "sphere", "radius", start_sphere, NULL),
    READ(GEOMETRY, LEAF, "cylinder", "radius length", start_rod, NULL),
    READ(GEOMETRY, LEAF, "capsule", "radius length", start_rod, NULL),
    READ(GEOMETRY, LEAF, "mesh", "filename scale", start_mesh, NULL),
    READ(JOINT, LEAF, "origin", "xyz rpy", start_origin, NULL),
    READ(JOINT, LEAF, "parent", "link", start_parent, NULL),
    READ(JOINT, LEAF, "child", "link", start_child, NULL),
    READ(JOINT, LEAF, "axis", "xyz", start_axis, NULL),
    READ(JOINT, LEAF, "limit", "lower upper effort velocity", start_limit, NULL),
    READ(JOINT, LEAF, "dynamics", "damping friction", start_dynamics, NULL),
    READ(JOINT, LEAF, "mimic", "joint multiplier offset", start_mimic, NULL),
    PASS(JOINT, "safety_controller"),
    PASS(JOINT, "calibration"),
    PASS(LINK, "sensor"),
    PASS(LINK, "contact"),
    PASS(COLLISION, "material"),
    MANY(ROBOT, TRANSMISSION, "transmission", "name type", NULL, NULL),
    MANY(TRANSMISSION, DRIVEN, "joint", "name", start_driven, NULL),
    PASS(DRIVEN, "hardwareInterface"),
    PASS(DRIVEN, "mechanicalReduction"),
    PASS(TRANSMISSION, "type"),
    PASS(TRANSMISSION, "actuator"),
    PASS(TRANSMISSION, "mechanicalReduction"),
    PASS(ROBOT, "gazebo"),
    PASS(ROBOT, "sensor"),
};

// clang-format on

// ---- The root

static void put_root(rh_urdf *u, const rh_robot_word *root)
{
  if (rh_urdf_is_world(root)) {
    if (u->opt->at != RH_NONE || u->opt->rpy != RH_NONE) {
      rh_urdf_refuse(u, root->place,
                     "the robot hangs on the world already: it has no base to place");
    }
    return;
  }
  rh_node_list joint = rh_nodes_entry(&u->nodes, RH_NODE_JOINTS, root->place);
  rh_nodes_put_text(&u->nodes, &joint, "kind", u->opt->fixed ? "fixed" : "free", root->place);
  rh_nodes_put_name(&u->nodes, &joint, "child", root);
  rh_nodes_put_node(&u->nodes, &joint, u->opt->at);
  rh_nodes_put_node(&u->nodes, &joint, u->opt->rpy);
}

// The links that are no joint's child: one is the root, more are an error. None: the check of the
// scene finds the cycle.
static void find_root(rh_urdf *u, const char **name, int *order)
{
  for (int i = 0; i < u->nchild; i++) {
    name[i] = u->children[i].name.text;
  }
  rh_sort_names(name, u->nchild, order);
  const rh_robot_word *root = NULL;
  for (int i = 0; i < u->nlink; i++) {
    const rh_robot_word *link = &u->links[i];
    if (rh_find_sorted(name, order, u->nchild, link->name.text) != RH_NONE) {
      continue;
    }
    if (root) {
      rh_urdf_refuse(u, link->place,
                     "link '%s' hangs on no joint, nor does '%s': a robot has one root",
                     link->name.text, root->name.text);
      return;
    }
    root = link;
  }
  if (root) {
    put_root(u, root);
  }
}

static void finish_robot(rh_urdf *u)
{
  if (u->nlink == 0) {
    rh_place place = {u->nodes.tree->file[u->text->file], 1, 1, 0};
    rh_urdf_refuse(u, place, "the robot has no links");
    return;
  }
  size_t n = (size_t)u->nchild;
  const char **name = rh_alloc((n + 1) * sizeof *name);
  int *order = rh_alloc((2 * n + 1) * sizeof *order);
  if (name && order) {
    find_root(u, name, order);
  } else {
    u->nodes.status = RH_OUT_OF_MEMORY;
  }
  rh_free(name);
  rh_free(order);
}

rh_status rh_urdf_read(rh_yaml *tree, int root, const rh_urdf_text *text, const rh_urdf_opt *opt,
                       rh_diag *diag)
{
  rh_urdf *u = rh_alloc(sizeof *u);
  if (!u) {
    return RH_OUT_OF_MEMORY;
  }
  u->text = text;
  u->opt = opt;
  u->diag = diag;
  u->ignored.diag = diag;
  rh_nodes_init(&u->nodes, tree, root, opt->prefix, diag);
  u->rows = element_rows;
  u->row_count = RH_COUNT(element_rows);
  rh_status status = rh_urdf_parse(u);
  if (status == RH_OK && !u->refused) {
    rh_urdf_put_mimics(u);
    rh_urdf_put_driven(u);
    finish_robot(u);
    rh_urdf_paint(u);
    status = u->nodes.status;
  }
  rh_ignored_report(&u->ignored);
  status = status == RH_OK && u->refused ? RH_INPUT_REFUSED : status;
  rh_free(u->links);
  rh_free(u->children);
  rh_free(u->mimics);
  rh_free(u->driven);
  rh_free(u->materials);
  rh_free(u->painted);
  rh_free(u);
  return status;
}

bool rh_text_is_xml(const char *text, size_t bytes)
{
  size_t i = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < bytes && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')) {
    i++;
  }
  return i < bytes && text[i] == '<';
}
