// mjcf_shape.c: geoms that can touch as shapes; meshes as their convex hulls.
#include "mjcf_part.h"

#include "geometry/hull/hull.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool rh_mjcf_touches(const rh_mjcf *m, const rh_mjcf_geom *g)
{
  return g->paired || (!m->set.no_contact && (g->contype != 0 || g->conaffinity != 0));
}

void rh_mjcf_put_at(rh_mjcf *m, rh_node_list *shape, const rh_mjcf_geom *g)
{
  const double at[3] = {g->pose.pos.x, g->pose.pos.y, g->pose.pos.z};
  double rpy[3];
  rh_mjcf_rpy(g->pose.quat, rpy);
  rh_nodes_put_numbers(&m->nodes, shape, "at", at, 3, g->place);
  rh_nodes_put_numbers(&m->nodes, shape, "rpy", rpy, 3, g->place);
}

static void put_vertices(rh_mjcf *m, const rh_robot_word *name, const rh_mjcf_mesh *mesh,
                         const rh_hull *hull)
{
  double *x = rh_alloc(3 * (size_t)hull->nvert * sizeof *x);
  if (!x) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  for (int i = 0; i < hull->nvert; i++) {
    x[3 * i] = hull->vert[i].x;
    x[3 * i + 1] = hull->vert[i].y;
    x[3 * i + 2] = hull->vert[i].z;
  }
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_MESHES, mesh->place);
  rh_nodes_put_name(&m->nodes, &entry, "name", name);
  rh_nodes_put_numbers(&m->nodes, &entry, "vertices", x, 3 * hull->nvert, mesh->place);
  rh_nodes_put_number(&m->nodes, &entry, "tolerance", RH_HULL_TOLERANCE_FLOAT, mesh->place);
  rh_free(x);
}

// The mesh as an entry of the scene. False: it has no hull.
static bool put_mesh(rh_mjcf *m, int index, rh_robot_word *name)
{
  rh_mjcf_mesh *mesh = &m->mesh[index];
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "mesh%d-%.48s", index, mesh->name);
  *name = rh_mjcf_word(text, mesh->place);
  if (mesh->placed) {
    return !mesh->flat;
  }
  rh_hull *hull = NULL;
  const char *why = "";
  rh_status status = rh_hull_create(mesh->vert, mesh->nvert, RH_HULL_TOLERANCE_FLOAT, &hull, &why);
  mesh->placed = true;
  if (status == RH_OUT_OF_MEMORY) {
    m->nodes.status = status;
    return false;
  }
  if (status != RH_OK) {
    mesh->flat = true;
    rh_diag_add(m->diag, RH_WARNING, mesh->place,
                "geoms of the mesh '%.60s' do not touch: it has no convex hull: %s", mesh->name,
                why);
    return false;
  }
  put_vertices(m, name, mesh, hull);
  rh_free(hull);
  return true;
}

// A height field as an entry of the scene. False: its heights are unknown.
static bool put_field(rh_mjcf *m, int index, rh_robot_word *name)
{
  rh_mjcf_hfield *h = &m->hfield[index];
  char text[2 * RH_NAME_MAX];
  snprintf(text, sizeof text, "hfield%d-%.48s", index, h->name);
  *name = rh_mjcf_word(text, h->place);
  if (h->placed || !h->height) {
    if (!h->placed) {
      rh_diag_add(m->diag, RH_WARNING, h->place,
                  "geoms of the height field '%.60s' do not touch: its heights are read from the "
                  "attribute elevation only",
                  h->name);
    }
    h->placed = true;
    return h->height != NULL;
  }
  const double size[2] = {2 * h->size[0], 2 * h->size[1]};
  h->placed = true;
  rh_node_list entry = rh_nodes_entry(&m->nodes, RH_NODE_MESHES, h->place);
  rh_nodes_put_name(&m->nodes, &entry, "name", name);
  rh_nodes_put_number(&m->nodes, &entry, "nx", h->ncol, h->place);
  rh_nodes_put_numbers(&m->nodes, &entry, "size", size, 2, h->place);
  rh_nodes_put_numbers(&m->nodes, &entry, "heights", h->height, h->nrow * h->ncol, h->place);
  return true;
}

static void put_shape(rh_mjcf *m, rh_mjcf_geom *g)
{
  static const char *const kinds[] = {"plane",     "heightfield", "sphere", "capsule",
                                      "ellipsoid", "cylinder",    "box",    "hull"};
  rh_robot_word mesh = {0};
  if (g->type == RH_MJCF_MESH && !put_mesh(m, g->mesh, &mesh)) {
    return;
  }
  if (g->type == RH_MJCF_HFIELD && !put_field(m, g->hfield, &mesh)) {
    return;
  }
  rh_node_list shape = rh_nodes_entry(&m->nodes, RH_NODE_SHAPES, g->place);
  rh_nodes_put_name(&m->nodes, &shape, "name", &g->name);
  if (g->body == 0) {
    rh_nodes_put_text(&m->nodes, &shape, "body", "world", g->place);
  } else {
    rh_nodes_put_name(&m->nodes, &shape, "body", &m->body[g->body].name);
  }
  rh_nodes_put_text(&m->nodes, &shape, "kind", kinds[g->type], g->place);
  rh_mjcf_put_at(m, &shape, g);
  const double *s = g->size;
  const double twice[3] = {2 * s[0], 2 * s[1], 2 * s[2]};
  if (g->type == RH_MJCF_SPHERE || g->type == RH_MJCF_CAPSULE || g->type == RH_MJCF_CYLINDER) {
    rh_nodes_put_number(&m->nodes, &shape, "radius", s[0], g->place);
  }
  if (g->type == RH_MJCF_CAPSULE || g->type == RH_MJCF_CYLINDER) {
    rh_nodes_put_number(&m->nodes, &shape, "length", twice[1], g->place);
  } else if (g->type == RH_MJCF_BOX || g->type == RH_MJCF_ELLIPSOID) {
    bool box = g->type == RH_MJCF_BOX;
    rh_nodes_put_numbers(&m->nodes, &shape, box ? "size" : "semi", box ? twice : s, 3, g->place);
  } else if (mesh.name.text[0]) {
    rh_nodes_put_name(&m->nodes, &shape, "mesh", &mesh);
  }
  g->shape = true;
}

void rh_mjcf_emit_shapes(rh_mjcf *m)
{
  int hidden = 0;
  rh_place first = rh_mjcf_place(m, m->root);
  for (int i = 0; i < m->ngeom && m->nodes.status == RH_OK; i++) {
    if (rh_mjcf_touches(m, &m->geom[i])) {
      put_shape(m, &m->geom[i]);
    } else {
      first = hidden++ == 0 ? m->geom[i].place : first;
    }
  }
  if (hidden > 0) {
    rh_diag_add(m->diag, RH_NOTE, first, "%d geom%s touch%s nothing and %s no shape", hidden,
                hidden == 1 ? "" : "s", hidden == 1 ? "es" : "",
                hidden == 1 ? "becomes" : "become");
  }
}
