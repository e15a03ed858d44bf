// sdf_tree.c: links as bodies. The frame of a body has the axes of its link; its origin is on the joint
// that carries it, as a scene wants it, or at the link's own where there is none. A link of a static
// model is the world.
#include "sdf_part.h"

#include <string.h>

static double read_moment(rh_sdf *s, int inertia, const char *tag, double otherwise)
{
  return rh_sdf_number(s, inertia, tag, otherwise);
}

static void put_inertia(rh_sdf *s, const rh_sdf_item *link, rh_node_list *body)
{
  int inertial = rh_sdf_child(s, link->element, "inertial");
  int inertia = rh_sdf_child(s, inertial, "inertia");
  rh_place place = inertial == RH_NONE ? link->word.place : rh_sdf_place(s, inertial);
  double mass = rh_sdf_number(s, inertial, "mass", 1);
  double off = 0;
  rh_sym3 I = {read_moment(s, inertia, "ixx", 1),   read_moment(s, inertia, "iyy", 1),
               read_moment(s, inertia, "izz", 1),   read_moment(s, inertia, "ixy", off),
               read_moment(s, inertia, "ixz", off), read_moment(s, inertia, "iyz", off)};
  rh_sdf_pose at = inertial == RH_NONE
                       ? link->world
                       : rh_sdf_world_pose(s, inertial, link->scope, (int)(link - s->item));
  at = rh_sdf_within(&link->body, &at);
  I = rh_sym3_rotate(&at.R, &I);
  const double com[3] = {at.p.x, at.p.y, at.p.z};
  const double moments[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  rh_nodes_put_number(&s->nodes, body, "mass", mass, place);
  rh_nodes_put_numbers(&s->nodes, body, "com", com, 3, place);
  rh_nodes_put_numbers(&s->nodes, body, "inertia", moments, 6, place);
}

static void warn_of_link(rh_sdf *s, const rh_sdf_item *link)
{
  int decay = rh_sdf_child(s, link->element, "velocity_decay");
  if (rh_sdf_number(s, decay, "linear", 0) != 0 || rh_sdf_number(s, decay, "angular", 0) != 0) {
    rh_ignored_add(&s->ignored, RH_WARNING, rh_sdf_place(s, decay),
                   "<velocity_decay> is not simulated");
  }
  if (rh_sdf_flag(s, link->element, "kinematic", false)) {
    rh_sdf_refuse(s, rh_sdf_place(s, rh_sdf_child(s, link->element, "kinematic")),
                  "a kinematic link is not read");
  }
}

// A link that no joint carries is free.
static void put_free_joint(rh_sdf *s, const rh_sdf_item *link)
{
  rh_node_list joint = rh_nodes_entry(&s->nodes, RH_NODE_JOINTS, link->word.place);
  rh_nodes_put_text(&s->nodes, &joint, "kind", "free", link->word.place);
  rh_nodes_put_name(&s->nodes, &joint, "child", &link->word);
  rh_sdf_put_pose(s, &joint, &link->body, link->word.place);
}

void rh_sdf_emit_bodies(rh_sdf *s)
{
  for (int i = 0; i < s->nitem && s->nodes.status == RH_OK; i++) {
    rh_sdf_item *link = &s->item[i];
    if (link->sort != RH_SDF_LINK || link->fixed) {
      continue;
    }
    link->body = link->world;
    if (link->carrier != RH_NONE) {
      link->body.p = s->item[link->carrier].world.p;
    }
    rh_node_list body = rh_nodes_entry(&s->nodes, RH_NODE_BODIES, link->word.place);
    rh_nodes_put_name(&s->nodes, &body, "name", &link->word);
    put_inertia(s, link, &body);
    if (!rh_sdf_flag(s, link->element, "gravity", true)) {
      rh_nodes_put_number(&s->nodes, &body, "gravcomp", 1, link->word.place);
    }
    warn_of_link(s, link);
    if (link->carrier == RH_NONE) {
      put_free_joint(s, link);
    }
  }
}
