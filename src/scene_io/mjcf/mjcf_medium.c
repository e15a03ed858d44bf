// mjcf_medium.c: the medium of <option>, and the box that a body is to it: that with the body's mass and
// principal moments. Where moments are equal the axes are those that MuJoCo has: of the only geom, or of
// the body. The ellipsoid model (fluidshape) is refused by the schema.
#include "mjcf_part.h"

#include <math.h>

static bool has_medium(const rh_mjcf *m)
{
  return !m->trial && !m->set.no_medium && (m->set.density != 0 || m->set.viscosity != 0);
}

void rh_mjcf_put_medium(rh_mjcf *m, rh_node_list *world)
{
  rh_place place = rh_mjcf_place(m, m->root);
  if (!has_medium(m) || world->node == RH_NONE ||
      rh_yaml_find(m->nodes.tree, world->node, "density") != RH_NONE) {
    return;
  }
  rh_nodes_put_number(&m->nodes, world, "density", m->set.density, place);
  rh_nodes_put_number(&m->nodes, world, "viscosity", m->set.viscosity, place);
  rh_nodes_put_numbers(&m->nodes, world, "wind", m->set.wind, 3, place);
}

static bool is_diagonal(const rh_sym3 *I)
{
  return I->xy == 0 && I->xz == 0 && I->yz == 0;
}

// The axes of the body's only geom, if its inertia is along them.
static const rh_mjcf_geom *only_geom(const rh_mjcf *m, const rh_mjcf_body *b)
{
  bool one = b->first_geom != RH_NONE && m->geom[b->first_geom].next == RH_NONE;
  const rh_mjcf_geom *g = one ? &m->geom[b->first_geom] : NULL;
  bool composed = m->set.inertiafromgeom == RH_MJCF_TRUE ||
                  (m->set.inertiafromgeom == RH_MJCF_AUTO && !b->inertial);
  return g && composed && is_diagonal(&g->inertia) ? g : NULL;
}

void rh_mjcf_put_drag(rh_mjcf *m, rh_node_list *body, const rh_mjcf_body *b)
{
  const rh_mjcf_geom *g = only_geom(m, b);
  double e[3] = {b->inertia.xx, b->inertia.yy, b->inertia.zz};
  rh_quat axes = rh_quat_identity();
  if (!has_medium(m)) {
    return;
  }
  if (g) {
    double scale = b->mass / g->mass;
    e[0] = g->inertia.xx * scale;
    e[1] = g->inertia.yy * scale;
    e[2] = g->inertia.zz * scale;
    axes = g->pose.quat;
  } else if (!is_diagonal(&b->inertia)) {
    rh_mat3 R;
    rh_sym3_eigen(&b->inertia, e, &R);
    axes = rh_quat_of_matrix(&R);
  }
  double side[3];
  double rpy[3];
  for (int i = 0; i < 3; i++) {
    side[i] = sqrt(fmax(1e-15, e[(i + 1) % 3] + e[(i + 2) % 3] - e[i]) / b->mass * 6);
  }
  rh_mjcf_rpy(axes, rpy);
  rh_nodes_put_numbers(&m->nodes, body, "drag", side, 3, b->name.place);
  if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0) {
    rh_nodes_put_numbers(&m->nodes, body, "drag_rpy", rpy, 3, b->name.place);
  }
}
