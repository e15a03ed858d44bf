// urdf_mimic.c: what needs all joints of a URDF file. A joint that mimics another one is coupled to it by
// the constraint `coupling`, q = offset + multiplier q_other, and starts there. A joint that a
// transmission names and that has no maximum effort gets an actuator without limits.
#include "model/names.h"
#include "urdf_part.h"

#include <stdio.h>
#include <string.h>

// ---- Mimic

// The joints' names in their order, and the entries that follow others among them.
typedef struct joint_names {
  const char **name;
  int *order;
} joint_names;

static int find_mimic(const rh_urdf *u, const joint_names *names, const rh_robot_word *word)
{
  return rh_find_sorted(names->name, names->order, u->nmimic, word->name.text);
}

static double start_of(const rh_urdf *u, int joint)
{
  const rh_yaml *tree = u->nodes.tree;
  int q = joint == RH_NONE ? RH_NONE : rh_yaml_find(tree, joint, "q");
  double x = 0;
  return q != RH_NONE && rh_xml_numbers(rh_yaml_text(tree, q), 1, &x) == 1 ? x : 0;
}

// The robot's own joint of this name; the scene's names have its prefix.
static int find_joint(const rh_urdf *u, const rh_robot_word *word)
{
  char name[2 * RH_NAME_MAX];
  const rh_yaml *tree = u->nodes.tree;
  int list = rh_yaml_find(tree, u->nodes.root, "joints");
  int file = rh_nodes_file(&u->nodes, word->place);
  snprintf(name, sizeof name, "%.63s%s", u->nodes.prefix, word->name.text);
  int at =
      list == RH_NONE || tree->node[list].kind != RH_NODE_LIST ? RH_NONE : tree->node[list].first;
  for (; at != RH_NONE; at = tree->node[at].next) {
    int own = tree->node[at].file == file ? rh_yaml_find(tree, at, "name") : RH_NONE;
    if (own != RH_NONE && strcmp(rh_yaml_text(tree, own), name) == 0) {
      return at;
    }
  }
  return RH_NONE;
}

static bool is_scalar(const rh_urdf *u, int joint)
{
  const rh_yaml *tree = u->nodes.tree;
  int kind = rh_yaml_find(tree, joint, "kind");
  const char *text = kind == RH_NONE ? "" : rh_yaml_text(tree, kind);
  return strcmp(text, "revolute") == 0 || strcmp(text, "prismatic") == 0;
}

static void put_start(rh_urdf *u, rh_urdf_mimic *m, int other)
{
  double q = m->offset + m->multiplier * start_of(u, other);
  rh_yaml *tree = u->nodes.tree;
  int old = m->node == RH_NONE ? RH_NONE : rh_yaml_find(tree, m->node, "q");
  m->done = true;
  if (m->node == RH_NONE || (old == RH_NONE && q == 0)) {
    return;
  }
  rh_node_list joint = {m->node, tree->node[m->node].first};
  if (old == RH_NONE) {
    while (tree->node[joint.last].next != RH_NONE) {
      joint.last = tree->node[joint.last].next;
    }
    rh_nodes_put_number(&u->nodes, &joint, "q", q, m->other.place);
    return;
  }
  rh_node_list scratch = {rh_yaml_add(tree, (rh_node){.kind = RH_NODE_MAP}), RH_NONE};
  rh_nodes_put_number(&u->nodes, &scratch, "q", q, m->other.place);
  if (u->nodes.status == RH_OK && scratch.last != RH_NONE) {
    tree->node[old].text = tree->node[scratch.last].text;
  }
}

static void put_coupling(rh_urdf *u, const rh_urdf_mimic *m)
{
  char text[2 * RH_NAME_MAX];
  rh_node_list entry = rh_nodes_entry(&u->nodes, RH_NODE_CONSTRAINTS, m->other.place);
  snprintf(text, sizeof text, "%.56s-mimic", m->name.name.text);
  rh_robot_word name = {rh_name_of(text), m->other.place};
  rh_nodes_put_name(&u->nodes, &entry, "name", &name);
  rh_nodes_put_text(&u->nodes, &entry, "kind", "coupling", m->other.place);
  rh_nodes_put_name(&u->nodes, &entry, "joint", &m->name);
  rh_nodes_put_name(&u->nodes, &entry, "joint2", &m->other);
  rh_nodes_put_number(&u->nodes, &entry, "c0", m->offset, m->other.place);
  rh_nodes_put_number(&u->nodes, &entry, "c1", m->multiplier, m->other.place);
}

// Joints that follow a follower come after it. Those left over follow each other in a ring.
static void order_mimics(rh_urdf *u, const joint_names *names)
{
  int *stack = rh_alloc((size_t)u->nmimic * sizeof *stack);
  if (!stack) {
    u->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 0; i < u->nmimic && u->nodes.status == RH_OK; i++) {
    int depth = 0;
    for (int at = i; at != RH_NONE && !u->mimics[at].done;) {
      if (depth == u->nmimic) {
        rh_urdf_refuse(u, u->mimics[i].other.place, "joint '%s' would follow itself",
                       u->mimics[i].name.name.text);
        rh_free(stack);
        return;
      }
      stack[depth++] = at;
      at = find_mimic(u, names, &u->mimics[at].other);
    }
    while (depth > 0) {
      rh_urdf_mimic *m = &u->mimics[stack[--depth]];
      int other = find_joint(u, &m->other);
      if (other == RH_NONE) {
        rh_urdf_refuse(u, m->other.place, "joint '%s' follows '%s', which is no joint of the robot",
                       m->name.name.text, m->other.name.text);
      } else if (!is_scalar(u, other)) {
        m->done = true;
        rh_diag_add(u->diag, RH_WARNING, m->other.place,
                    "joint '%s' does not follow '%s' here, which has not one coordinate",
                    m->name.name.text, m->other.name.text);
        continue;
      }
      put_start(u, m, other);
      put_coupling(u, m);
    }
  }
  rh_free(stack);
}

void rh_urdf_put_mimics(rh_urdf *u)
{
  size_t n = (size_t)u->nmimic;
  joint_names names = {rh_alloc((n + 1) * sizeof *names.name),
                       rh_alloc((2 * n + 1) * sizeof *names.order)};
  if (!names.name || !names.order) {
    u->nodes.status = RH_OUT_OF_MEMORY;
  } else if (n > 0) {
    for (int i = 0; i < u->nmimic; i++) {
      names.name[i] = u->mimics[i].name.name.text;
    }
    rh_sort_names(names.name, u->nmimic, names.order);
    order_mimics(u, &names);
  }
  rh_free(names.name);
  rh_free(names.order);
}

// ---- Transmissions

void rh_urdf_put_driven(rh_urdf *u)
{
  const rh_yaml *tree = u->nodes.tree;
  for (int i = 0; i < u->ndriven && u->nodes.status == RH_OK; i++) {
    const rh_robot_word *word = &u->driven[i];
    int joint = find_joint(u, word);
    if (joint == RH_NONE || !is_scalar(u, joint)) {
      rh_ignored_add(&u->ignored, joint == RH_NONE ? RH_WARNING : RH_NOTE, word->place,
                     joint == RH_NONE ? "a transmission of no joint of the robot is not used"
                                      : "a transmission of a joint without one coordinate is not "
                                        "used");
      continue;
    }
    rh_node_list motor = rh_nodes_own_entry(&u->nodes, RH_NODE_ACTUATORS, word);
    if (motor.node != RH_NONE && rh_yaml_find(tree, motor.node, "joint") == RH_NONE) {
      rh_nodes_put_name(&u->nodes, &motor, "joint", word);
    } else if (!rh_nodes_has_name(&u->nodes, RH_NODE_ACTUATORS, word)) {
      motor = rh_nodes_entry(&u->nodes, RH_NODE_ACTUATORS, word->place);
      rh_nodes_put_name(&u->nodes, &motor, "name", word);
      rh_nodes_put_name(&u->nodes, &motor, "joint", word);
    }
  }
}
