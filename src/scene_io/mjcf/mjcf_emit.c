// mjcf_emit.c: bodies and joints as entries of a scene. A body of MJCF may have several joints, each
// about its own point; here a joint has one child, whose origin is on the joint. So each joint but the
// last has a child without mass, and the body follows the last joint by a fixed one where the joint is
// not at the body's origin. The frame of the body is that of MJCF, and so is q, `ref` included.
#include "mjcf_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_pose(rh_mjcf *m, rh_node_list *map, rh_mjcf_pose pose, rh_place place)
{
  const double at[3] = {pose.pos.x, pose.pos.y, pose.pos.z};
  double rpy[3];
  rh_mjcf_rpy(pose.quat, rpy);
  if (at[0] != 0 || at[1] != 0 || at[2] != 0) {
    rh_nodes_put_numbers(&m->nodes, map, "at", at, 3, place);
  }
  if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) {
    rh_nodes_put_numbers(&m->nodes, map, "rpy", rpy, 3, place);
  }
}

static void put_body(rh_mjcf *m, const rh_robot_word *name, const rh_mjcf_body *b)
{
  rh_node_list body = rh_nodes_entry(&m->nodes, RH_NODE_BODIES, name->place);
  rh_nodes_put_name(&m->nodes, &body, "name", name);
  rh_nodes_put_number(&m->nodes, &body, "mass", b ? b->mass : 0, name->place);
  if (b && b->mass > 0) {
    const double com[3] = {b->com.x, b->com.y, b->com.z};
    const rh_sym3 *I = &b->inertia;
    const double inertia[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    rh_nodes_put_numbers(&m->nodes, &body, "com", com, 3, name->place);
    rh_nodes_put_numbers(&m->nodes, &body, "inertia", inertia, 6, name->place);
  }
  if (b && b->mass > 0) {
    rh_mjcf_put_drag(m, &body, b);
  }
  if (b && b->gravcomp != 0 && b->mass > 0) {
    rh_nodes_put_number(&m->nodes, &body, "gravcomp", b->gravcomp, name->place);
  }
}

static rh_node_list put_joint(rh_mjcf *m, const char *kind, const rh_robot_word *name,
                              const rh_robot_word *parent, const rh_robot_word *child)
{
  rh_node_list joint = rh_nodes_entry(&m->nodes, RH_NODE_JOINTS, name->place);
  rh_nodes_put_name(&m->nodes, &joint, "name", name);
  rh_nodes_put_text(&m->nodes, &joint, "kind", kind, name->place);
  if (strcmp(parent->name.text, "world") == 0) {
    rh_nodes_put_text(&m->nodes, &joint, "parent", "world", name->place);
  } else {
    rh_nodes_put_name(&m->nodes, &joint, "parent", parent);
  }
  rh_nodes_put_name(&m->nodes, &joint, "child", child);
  return joint;
}

// ---- One joint

// One value for every degree of freedom
static void put_same(rh_mjcf *m, rh_node_list *joint, const char *key, double value,
                     const rh_mjcf_joint *j)
{
  const double x[6] = {value, value, value, value, value, value};
  int nv = j->type == RH_MJCF_FREE ? 6 : j->type == RH_MJCF_BALL ? 3 : 1;
  if (value != 0) {
    rh_nodes_put_numbers(&m->nodes, joint, key, x, nv, j->place);
  }
}

static void put_dynamics(rh_mjcf *m, rh_node_list *joint, const rh_mjcf_joint *j)
{
  int nv = j->type == RH_MJCF_FREE ? 6 : j->type == RH_MJCF_BALL ? 3 : 1;
  int nq = j->type == RH_MJCF_FREE ? 7 : j->type == RH_MJCF_BALL ? 4 : 1;
  const double *rest = nv == 1 ? &j->springref : m->qpos + j->qadr;
  if (j->stiffness != 0 && !m->set.no_spring) {
    put_same(m, joint, "spring", j->stiffness, j);
    rh_nodes_put_numbers(&m->nodes, joint, "rest", rest, nq, j->place);
  }
  put_same(m, joint, "damper", m->set.no_damper ? 0 : j->damping, j);
  put_same(m, joint, "armature", j->armature, j);
  put_same(m, joint, "friction", m->set.no_friction ? 0 : j->friction, j);
  if (j->effort_limited && nv == 1) {
    rh_nodes_put_numbers(&m->nodes, joint, "effort_limits", j->effort_range, 2, j->place);
  }
  if (m->trial) {
    // limits have no part in the mass matrix
  } else if (j->limited && !m->set.no_limit && nv == 1) {
    rh_nodes_put_numbers(&m->nodes, joint, "limits", j->range, 2, j->place);
  } else if (j->limited && !m->set.no_limit) {
    rh_ignored_add(&m->ignored, RH_WARNING, j->place, "the limit of a %s joint is not simulated",
                   nv == 3 ? "ball" : "free");
  }
  const double *start = m->trial ? m->qpos : m->start;
  double q = start[j->qadr];
  if (nv > 1) {
    rh_nodes_put_numbers(&m->nodes, joint, "q", start + j->qadr, nq, j->place);
    return;
  }
  if (q != 0) {
    rh_nodes_put_number(&m->nodes, joint, "q", q, j->place);
  }
}

// The pose of the joint's frame in the parent, and of the body in the joint's child.
static void place_joint(const rh_mjcf_joint *j, rh_mjcf_pose *in_parent, rh_mjcf_pose *in_child)
{
  rh_mjcf_pose body = *in_parent;
  rh_vec3 anchor = j->type == RH_MJCF_SLIDE ? rh_v3(0, 0, 0) : j->pos;
  in_parent->pos = rh_add(body.pos, rh_mjcf_turn(body.quat, anchor));
  *in_child = (rh_mjcf_pose){rh_scale(-1, anchor), rh_quat_identity()};
  if (j->ref != 0 && j->type == RH_MJCF_SLIDE) {
    in_parent->pos = rh_addscaled(body.pos, -j->ref, rh_mjcf_turn(body.quat, j->axis));
  } else if (j->ref != 0 && j->type == RH_MJCF_HINGE) {
    rh_quat back = rh_quat_exp(rh_scale(-j->ref, j->axis));
    in_parent->quat = rh_quat_unit(rh_quat_mul(body.quat, back));
  }
}

static bool is_identity(rh_mjcf_pose p)
{
  return p.pos.x == 0 && p.pos.y == 0 && p.pos.z == 0 && p.quat.w == 1;
}

static void emit_joint(rh_mjcf *m, const rh_mjcf_joint *j, rh_mjcf_pose pose,
                       const rh_robot_word *parent, const rh_robot_word *child)
{
  static const char *const kinds[] = {"free", "spherical", "prismatic", "revolute"};
  rh_node_list joint = put_joint(m, kinds[j->type], &j->name, parent, child);
  const double axis[3] = {j->axis.x, j->axis.y, j->axis.z};
  if (j->type != RH_MJCF_FREE) { // the frame of a free joint is that of the world
    put_pose(m, &joint, pose, j->place);
  }
  if (j->type == RH_MJCF_HINGE || j->type == RH_MJCF_SLIDE) {
    rh_nodes_put_numbers(&m->nodes, &joint, "axis", axis, 3, j->place);
  }
  put_dynamics(m, &joint, j);
}

// ---- One body

static void emit_body(rh_mjcf *m, rh_mjcf_body *b)
{
  rh_robot_word parent = m->body[b->parent].name;
  rh_mjcf_pose pose = b->pose; // of the body in `parent`
  int number = 0;
  for (int k = b->first_joint; k != RH_NONE; k = m->joint[k].next) {
    const rh_mjcf_joint *j = &m->joint[k];
    rh_mjcf_pose after;
    place_joint(j, &pose, &after);
    bool last = j->next == RH_NONE && is_identity(after);
    rh_robot_word child = b->name;
    if (j->type == RH_MJCF_FREE) {
      put_body(m, &child, b);
      emit_joint(m, j, pose, &parent, &child);
      return;
    }
    if (!last) {
      char name[RH_NAME_MAX];
      snprintf(name, sizeof name, "%.44s-j%d", b->name.name.text, ++number);
      child = (rh_robot_word){rh_name_of(name), j->place};
    }
    put_body(m, &child, last ? b : NULL);
    emit_joint(m, j, pose, &parent, &child);
    parent = child;
    pose = after;
    if (last) {
      return;
    }
  }
  char name[RH_NAME_MAX];
  snprintf(name, sizeof name, "%.50s-fixed", b->name.name.text);
  rh_robot_word fixed = {rh_name_of(name), b->name.place};
  put_body(m, &b->name, b);
  rh_node_list joint = put_joint(m, "fixed", &fixed, &parent, &b->name);
  put_pose(m, &joint, pose, b->name.place);
}

static void put_gravity(rh_mjcf *m)
{
  rh_place place = rh_mjcf_place(m, m->root);
  rh_node_list world = rh_nodes_map(&m->nodes, "world", place);
  if (world.node != RH_NONE && rh_yaml_find(m->nodes.tree, world.node, "gravity") == RH_NONE) {
    rh_nodes_put_numbers(&m->nodes, &world, "gravity", m->set.gravity, 3, place);
  }
  rh_mjcf_put_medium(m, &world);
}

void rh_mjcf_emit_tree(rh_mjcf *m)
{
  put_gravity(m);
  for (int i = 1; i < m->nbody; i++) {
    emit_body(m, &m->body[i]);
  }
  for (int i = 0; i < m->nsite; i++) {
    const rh_mjcf_site *s = &m->site[i];
    if (s->body > 0 && s->file_name) {
      const double at[3] = {s->pose.pos.x, s->pose.pos.y, s->pose.pos.z};
      rh_node_list point = rh_nodes_entry(&m->nodes, RH_NODE_POINTS, s->place);
      rh_nodes_put_name(&m->nodes, &point, "name", &s->name);
      rh_nodes_put_name(&m->nodes, &point, "body", &m->body[s->body].name);
      rh_nodes_put_numbers(&m->nodes, &point, "at", at, 3, s->place);
    }
  }
}
