// place.c: the pose of what is included. Joints, shapes, points, ends and forces that are given in axes
// of the world are moved with it; what hangs on a body follows that body. An entry whose numbers
// cannot be read stays as it is: the reader refuses it.
#include "include.h"

#include "base/text.h"
#include "scene_io/xml/nodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Numbers

static bool read_vector(const rh_yaml *tree, int node, const char *unit, double x[3])
{
  if (tree->node[node].kind != RH_NODE_LIST || tree->node[node].count != 3) {
    return false;
  }
  int i = 0;
  for (int v = tree->node[node].first; v != RH_NONE; v = tree->node[v].next, i++) {
    if (tree->node[v].kind != RH_NODE_SCALAR ||
        !rh_unit_parse(rh_yaml_text(tree, v), unit, &x[i], NULL) || !isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

static rh_status add_numbers(rh_yaml *tree, int like, const double x[3], int *list)
{
  rh_node node = tree->node[like];
  node.kind = RH_NODE_LIST;
  int last = RH_NONE;
  *list = rh_yaml_add(tree, node);
  for (int i = 0; i < 3 && *list != RH_NONE; i++) {
    char text[RH_NUMBER_MAX];
    rh_number_write(x[i] + 0.0, text);
    node.quoted = false;
    int number = rh_yaml_add_text(tree, node, text, strlen(text));
    if (number == RH_NONE) {
      return RH_OUT_OF_MEMORY;
    }
    rh_yaml_link(tree, *list, number, last);
    last = number;
  }
  return *list == RH_NONE ? RH_OUT_OF_MEMORY : RH_OK;
}

// ---- Poses

static rh_vec3 turn_vector(const rh_placement *p, const double x[3])
{
  rh_vec3 v = rh_v3(x[0], x[1], x[2]);
  return p->turned ? rh_rotate(&p->R, v) : v;
}

static rh_vec3 move_point(const rh_placement *p, const double x[3])
{
  rh_vec3 v = turn_vector(p, x);
  return p->moved ? rh_add(p->at, v) : v;
}

bool rh_placement_read(rh_include *in, int at, int rpy, const rh_placement *within,
                       rh_placement *pose)
{
  double x[3] = {0, 0, 0};
  double angle[3] = {0, 0, 0};
  *pose = *within;
  if (at != RH_NONE && !read_vector(in->tree, at, "m", x)) {
    (void)rh_include_refuse(in, at, "at must be a list of 3 numbers in m");
    return false;
  }
  if (rpy != RH_NONE && !read_vector(in->tree, rpy, "rad", angle)) {
    (void)rh_include_refuse(in, rpy, "rpy must be a list of 3 angles");
    return false;
  }
  if (x[0] != 0 || x[1] != 0 || x[2] != 0) {
    pose->at = move_point(within, x);
    pose->moved = true;
  }
  if (angle[0] != 0 || angle[1] != 0 || angle[2] != 0) {
    rh_mat3 R = rh_rpy_matrix(angle[0], angle[1], angle[2]);
    pose->R = within->turned ? rh_mat3_mul(&within->R, &R) : R;
    pose->turned = true;
  }
  return true;
}

// ---- Entries

// Where an entry is given in the axes of a body, and which body: of the world where `body` names it.
typedef struct placed_end {
  rh_section_id section;
  const char *body;
  bool usual; // without `body` it is the world
  const char *at, *rpy;
  bool optional; // without `at` and `rpy` it is not at the origin, but where another end is
} placed_end;

static const placed_end ends[] = {
    {RH_SECTION_JOINTS, "parent", true, "at", "rpy", false},
    {RH_SECTION_SHAPES, "body", false, "at", "rpy", false},
    {RH_SECTION_LOOPS, "body", false, "at", "rpy", false},
    {RH_SECTION_LOOPS, "to", true, "to_at", "to_rpy", true},
    {RH_SECTION_CONSTRAINTS, "body", false, "at", "rpy", false},
    {RH_SECTION_CONSTRAINTS, "to", true, "to_at", "to_rpy", false},
    {RH_SECTION_ACTUATORS, "body", false, "at", "rpy", false},
    {RH_SECTION_ACTUATORS, "to", false, "to_at", "to_rpy", false},
    {RH_SECTION_TENDON_PARTS, "body", false, "at", "rpy", false},
    {RH_SECTION_SENSORS, "body", false, "at", "rpy", false},
    {RH_SECTION_VISUALS, "body", false, "at", "rpy", false},
};

static bool is_world(const rh_yaml *tree, int entry, const char *key, bool usual)
{
  int node = rh_yaml_find(tree, entry, key);
  if (node == RH_NONE) {
    return usual;
  }
  return tree->node[node].kind == RH_NODE_SCALAR && strcmp(rh_yaml_text(tree, node), "world") == 0;
}

static rh_status put_numbers(rh_include *in, int entry, const char *key, const double x[3],
                             int like)
{
  int list = RH_NONE;
  int old = rh_yaml_find(in->tree, entry, key);
  RH_TRY(add_numbers(in->tree, old == RH_NONE ? like : old, x, &list));
  return rh_include_put_value(in->tree, entry, key, list);
}

static rh_status place_point(rh_include *in, const rh_placement *pose, int entry, const char *key,
                             int like)
{
  double x[3] = {0, 0, 0};
  int node = rh_yaml_find(in->tree, entry, key);
  if (node != RH_NONE && !read_vector(in->tree, node, "m", x)) {
    return RH_OK;
  }
  rh_vec3 at = move_point(pose, x);
  return put_numbers(in, entry, key, (const double[3]){at.x, at.y, at.z}, like);
}

static rh_status turn_axes(rh_include *in, const rh_placement *pose, int entry, const char *key,
                           int like)
{
  double angle[3] = {0, 0, 0};
  int node = rh_yaml_find(in->tree, entry, key);
  if (!pose->turned || (node != RH_NONE && !read_vector(in->tree, node, "rad", angle))) {
    return RH_OK;
  }
  rh_mat3 R = rh_rpy_matrix(angle[0], angle[1], angle[2]);
  R = rh_mat3_mul(&pose->R, &R);
  rh_nodes_angles(&R, angle);
  return put_numbers(in, entry, key, angle, like);
}

static rh_status turn_key(rh_include *in, const rh_placement *pose, int entry, const char *key,
                          const char *unit)
{
  double x[3];
  int node = rh_yaml_find(in->tree, entry, key);
  if (!pose->turned || node == RH_NONE || !read_vector(in->tree, node, unit, x)) {
    return RH_OK;
  }
  rh_vec3 v = turn_vector(pose, x);
  return put_numbers(in, entry, key, (const double[3]){v.x, v.y, v.z}, node);
}

static rh_status place_end(rh_include *in, const rh_placement *pose, const placed_end *end,
                           int like)
{
  for (int e = rh_include_first(in, (int)end->section); e != RH_NONE; e = in->tree->node[e].next) {
    bool alone = end->section == RH_SECTION_CONSTRAINTS && // between joints only
                 rh_yaml_find(in->tree, e, "body") == RH_NONE;
    if (in->tree->node[e].kind != RH_NODE_MAP || alone ||
        !is_world(in->tree, e, end->body, end->usual)) {
      continue;
    }
    bool at = !end->optional || rh_yaml_find(in->tree, e, end->at) != RH_NONE;
    bool rpy = !end->optional || rh_yaml_find(in->tree, e, end->rpy) != RH_NONE;
    if (at) {
      RH_TRY(place_point(in, pose, e, end->at, like));
    }
    if (rpy) {
      RH_TRY(turn_axes(in, pose, e, end->rpy, like));
    }
  }
  return RH_OK;
}

// Vectors in axes of the world: velocities of its surfaces, forces, the side of a tendon.
static rh_status place_vectors(rh_include *in, const rh_placement *pose, int like)
{
  const rh_yaml *tree = in->tree;
  for (int e = rh_include_first(in, RH_SECTION_SHAPES); e != RH_NONE; e = tree->node[e].next) {
    if (is_world(tree, e, "body", false)) {
      RH_TRY(turn_key(in, pose, e, "surface_velocity", "m/s"));
    }
  }
  for (int e = rh_include_first(in, RH_SECTION_FORCES); e != RH_NONE; e = tree->node[e].next) {
    int frame = rh_yaml_find(tree, e, "frame");
    bool body = frame != RH_NONE && tree->node[frame].kind == RH_NODE_SCALAR &&
                strcmp(rh_yaml_text(tree, frame), "body") == 0;
    if (!body) {
      RH_TRY(turn_key(in, pose, e, "force", "N"));
      RH_TRY(turn_key(in, pose, e, "torque", "N m"));
    }
  }
  for (int e = rh_include_first(in, RH_SECTION_TENDON_PARTS); e != RH_NONE;
       e = tree->node[e].next) {
    bool own = rh_yaml_find(tree, e, "side_body") != RH_NONE;
    bool world = is_world(tree, e, own ? "side_body" : "body", false);
    if (world && rh_yaml_find(tree, e, "side") != RH_NONE) {
      RH_TRY(place_point(in, pose, e, "side", like));
    }
  }
  return RH_OK;
}

rh_status rh_include_place(rh_include *in, const rh_placement *pose, int node)
{
  if (!pose->moved && !pose->turned) {
    return RH_OK;
  }
  for (int i = 0; i < RH_COUNT(ends); i++) {
    RH_TRY(place_end(in, pose, &ends[i], node));
  }
  return place_vectors(in, pose, node);
}
