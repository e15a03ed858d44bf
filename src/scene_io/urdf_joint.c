// urdf_joint.c: a joint of a URDF file as a joint of a scene, and its motor.
//   revolute, prismatic: with limits; continuous: revolute without; planar: its axis is the normal; floating: free; fixed.
// dynamics: damping is the damper, friction the dry friction. A maximum effort gives an actuator of
// the joint's name, which does nothing without a command. A joint starts at 0, or at the nearest
// limit; one with equal limits is held there. A joint that mimics another one is coupled to it
// (urdf_mimic.c). Ignored: the maximum velocity (a note).
#include "urdf_part.h"

#include <string.h>

typedef struct joint_kind {
  const char *type, *kind; // in URDF and in the scene
  const char *axis;        // parameter of the axis, NULL: none
  bool scalar;             // one degree of freedom
  bool limits;
} joint_kind;

static const joint_kind kinds[] = {
    {"revolute", "revolute", "axis", true, true},   {"continuous", "revolute", "axis", true, false},
    {"prismatic", "prismatic", "axis", true, true}, {"fixed", "fixed", NULL, false, false},
    {"floating", "free", NULL, false, false},       {"planar", "planar", "normal", false, false},
};

static const joint_kind *find_kind(rh_urdf *u)
{
  const rh_urdf_joint *j = &u->joint;
  const char *type[RH_COUNT(kinds)];
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    type[i] = kinds[i].type;
    if (strcmp(j->type.name.text, kinds[i].type) == 0) {
      return &kinds[i];
    }
  }
  const char *near = rh_nearest_name(j->type.name.text, type, RH_COUNT(kinds));
  rh_urdf_refuse(u, j->type.place,
                 "joint '%s': type must be revolute, continuous, prismatic, fixed, floating or "
                 "planar, got '%s'%s%s%s",
                 j->name.name.text, j->type.name.text, RH_DID_YOU_MEAN(near));
  return NULL;
}

static bool is_joint_complete(rh_urdf *u)
{
  const rh_urdf_joint *j = &u->joint;
  if (!j->name.name.text[0] || !j->type.name.text[0]) {
    return false; // reported already
  }
  if (!j->parent.name.text[0] || !j->child.name.text[0]) {
    rh_urdf_refuse(u, j->tag, "joint '%s' needs <parent link=...> and <child link=...>",
                   j->name.name.text);
    return false;
  }
  if (rh_urdf_is_world(&j->child)) {
    rh_urdf_refuse(u, j->child.place,
                   "joint '%s' cannot carry the link 'world': that is the world of the scene",
                   j->name.name.text);
    return false;
  }
  return true;
}

static void put_limits(rh_urdf *u, rh_node_list *joint)
{
  const rh_urdf_joint *j = &u->joint;
  double limits[2] = {j->lower.x[0], j->upper.x[0]}; // 0 where absent, as in URDF
  if (!j->limited) {
    rh_urdf_refuse(u, j->tag, "joint '%s' needs <limit>: only a continuous one has none",
                   j->name.name.text);
    return;
  }
  rh_place place = j->lower.n ? j->lower.place : j->upper.n ? j->upper.place : j->limit;
  if (limits[0] > limits[1]) {
    rh_urdf_refuse(u, place, "joint '%s': lower must not be above upper, got %g and %g",
                   j->name.name.text, limits[0], limits[1]);
    return;
  }
  double q = limits[0] > 0 ? limits[0] : limits[1] < 0 ? limits[1] : 0;
  if (limits[0] == limits[1]) {
    rh_diag_add(u->diag, RH_WARNING, place,
                "joint '%s': lower and upper are both %g: it is held there", j->name.name.text, q);
    rh_nodes_put_text(&u->nodes, joint, "held", "yes", place);
  } else {
    rh_nodes_put_numbers(&u->nodes, joint, "limits", limits, 2, place);
  }
  if (q != 0) {
    rh_nodes_put_number(&u->nodes, joint, "q", q, place);
  }
}

static void put_dynamics(rh_urdf *u, rh_node_list *joint)
{
  const rh_urdf_joint *j = &u->joint;
  if (j->damping.n > 0 && j->damping.x[0] != 0) {
    rh_nodes_put_number(&u->nodes, joint, "damper", j->damping.x[0], j->damping.place);
  }
  if (j->friction.n > 0 && j->friction.x[0] != 0) {
    rh_nodes_put_number(&u->nodes, joint, "friction", j->friction.x[0], j->friction.place);
  }
}

static void put_motor(rh_urdf *u)
{
  const rh_urdf_joint *j = &u->joint;
  if (j->velocity.n > 0) {
    rh_ignored_add(&u->ignored, RH_NOTE, j->velocity.place, "velocity of <limit> is not used");
  }
  if (j->effort.n == 0 || j->effort.x[0] == 0) {
    return;
  }
  if (j->effort.x[0] < 0) {
    rh_urdf_refuse(u, j->effort.place, "joint '%s': effort must not be negative, got %g",
                   j->name.name.text, j->effort.x[0]);
    return;
  }
  double limits[2] = {-j->effort.x[0], j->effort.x[0]};
  rh_node_list motor = rh_nodes_own_entry(&u->nodes, RH_NODE_ACTUATORS, &j->name);
  bool own = motor.node != RH_NONE && rh_yaml_find(u->nodes.tree, motor.node, "joint") == RH_NONE;
  if (!own) { // an entry of the scene that names a joint is an actuator already
    motor = rh_nodes_entry(&u->nodes, RH_NODE_ACTUATORS, j->effort.place);
    rh_nodes_put_name(&u->nodes, &motor, "name", &j->name);
  }
  rh_nodes_put_name(&u->nodes, &motor, "joint", &j->name);
  if (!own || rh_yaml_find(u->nodes.tree, motor.node, "limits") == RH_NONE) {
    rh_nodes_put_numbers(&u->nodes, &motor, "limits", limits, 2, j->effort.place);
  }
}

static void keep_mimic(rh_urdf *u, int node)
{
  const rh_urdf_joint *j = &u->joint;
  if (!j->mimic.name.text[0]) {
    return;
  }
  if (u->nmimic == RH_URDF_FEW) {
    rh_urdf_refuse(u, j->mimic.place, "too many joints mimic others: %d are allowed", RH_URDF_FEW);
    return;
  }
  if (u->nmimic == u->mimic_room) {
    int room = u->mimic_room > 0 ? 2 * u->mimic_room : 16;
    rh_urdf_mimic *grown = rh_realloc(u->mimics, (size_t)room * sizeof *grown);
    if (!grown) {
      u->nodes.status = RH_OUT_OF_MEMORY;
      return;
    }
    u->mimics = grown;
    u->mimic_room = room;
  }
  u->mimics[u->nmimic++] = (rh_urdf_mimic){.name = j->name,
                                           .other = j->mimic,
                                           .multiplier = j->multiplier.n ? j->multiplier.x[0] : 1,
                                           .offset = j->offset.x[0],
                                           .node = node};
}

// Attributes that a joint of this kind ignores.
static void ignore_rest(rh_urdf *u, const joint_kind *kind)
{
  const rh_urdf_joint *j = &u->joint;
  bool moves = strcmp(kind->kind, "fixed") != 0;
  if (j->axis.n > 0 && !kind->axis) {
    rh_ignored_add(&u->ignored, RH_NOTE, j->axis.place, "<axis> of a %s joint is not used",
                   kind->type);
  }
  if (j->limited && !kind->scalar) {
    rh_ignored_add(&u->ignored, moves ? RH_WARNING : RH_NOTE, j->limit,
                   "<limit> of a %s joint is not used", kind->type);
  } else if (!kind->limits && (j->lower.n > 0 || j->upper.n > 0)) {
    rh_ignored_add(&u->ignored, RH_NOTE, j->limit, "lower and upper of a %s joint are not used",
                   kind->type);
  }
  bool dynamics =
      (j->damping.n && j->damping.x[0] != 0) || (j->friction.n && j->friction.x[0] != 0);
  if (dynamics && !kind->scalar) {
    rh_ignored_add(&u->ignored, moves ? RH_WARNING : RH_NOTE, j->dynamics,
                   "<dynamics> of a %s joint is not used", kind->type);
  }
  if (j->mimic.name.text[0] && !kind->scalar) {
    rh_diag_add(u->diag, RH_WARNING, j->mimic.place,
                "joint '%s' does not follow '%s' here: a %s joint %s", j->name.name.text,
                j->mimic.name.text, kind->type, moves ? "moves by itself" : "does not move");
  }
}

void rh_urdf_end_joint(rh_urdf *u)
{
  const rh_urdf_joint *j = &u->joint;
  if (!is_joint_complete(u)) {
    return;
  }
  const joint_kind *kind = find_kind(u);
  if (!kind || !rh_urdf_keep_word(u, &u->children, &u->nchild, &u->child_room, &j->child)) {
    return;
  }
  rh_node_list joint = rh_nodes_entry(&u->nodes, RH_NODE_JOINTS, j->name.place);
  rh_nodes_put_name(&u->nodes, &joint, "name", &j->name);
  rh_nodes_put_text(&u->nodes, &joint, "kind", kind->kind, j->type.place);
  if (rh_urdf_is_world(&j->parent)) {
    rh_nodes_put_text(&u->nodes, &joint, "parent", "world", j->parent.place);
  } else {
    rh_nodes_put_name(&u->nodes, &joint, "parent", &j->parent);
  }
  rh_nodes_put_name(&u->nodes, &joint, "child", &j->child);
  rh_urdf_put_vec(u, &joint, "at", &j->xyz);
  rh_urdf_put_vec(u, &joint, "rpy", &j->rpy);
  if (kind->axis) {
    const double usual[3] = {1, 0, 0}; // the default of URDF
    bool given = j->axis.n > 0;
    rh_nodes_put_numbers(&u->nodes, &joint, kind->axis, given ? j->axis.x : usual, 3,
                         given ? j->axis.place : j->tag);
  }
  if (kind->limits) {
    put_limits(u, &joint);
  }
  if (kind->scalar) {
    put_dynamics(u, &joint);
    put_motor(u);
    keep_mimic(u, joint.node);
  }
  ignore_rest(u, kind);
}
