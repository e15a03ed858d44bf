// edges.c: crossing of edges of two overlapping polyhedra (boxes, hulls). EPA gives the depth and
// its direction, but its point is that of a face of A - B, which two parallelograms share where
// edges are long: the crossing of the two edges is the point.
#include "geometry/hull/hull.h"
#include "pair.h"

typedef struct
    edge { // from the corner that lies farthest along a direction, relative to the centre, world axes
  rh_vec3 from, along;
} edge;

static const double ACROSS =
    1e-6; // sine: an edge is across a direction if it is so to the accuracy of EPA

// The edge from corner `from` to `to` (own axes), if it is more nearly across d than the best so
// far.
static void take_better_edge(const rh_geom *g, rh_vec3 from, rh_vec3 to, rh_vec3 d, double *least,
                             edge *e)
{
  rh_vec3 along = rh_rotate(&g->R, rh_sub(to, from));
  double sine = fabs(rh_dot(along, d)) / rh_norm(along);
  if (sine < *least) {
    *least = sine;
    *e = (edge){rh_rotate(&g->R, from), along};
  }
}

// The edge of g that lies across d (by the sine), farthest along it. False: there is none, or g is no polyhedron.
static bool edge_toward(const rh_geom *g, rh_vec3 d, double across, edge *e)
{
  double least = across;
  rh_vec3 own = rh_unrotate(&g->R, d);
  int kind = rh_shape_number(g->kind);
  if (kind == RH_SHAPE_BOX) {
    rh_vec3 c = g->kind->support(g->par, own);
    take_better_edge(g, c, rh_v3(-c.x, c.y, c.z), d, &least, e);
    take_better_edge(g, c, rh_v3(c.x, -c.y, c.z), d, &least, e);
    take_better_edge(g, c, rh_v3(c.x, c.y, -c.z), d, &least, e);
  } else if (kind == RH_SHAPE_HULL) {
    const rh_hull *hull = g->mesh;
    int v = rh_hull_support(hull, own, 0);
    for (int k = hull->near_first[v]; k < hull->near_first[v + 1]; k++) {
      take_better_edge(g, hull->vert[v], hull->vert[hull->near[k]], d, &least, e);
    }
  }
  return least < across;
}

bool rh_edge_toward(const rh_geom *g, rh_vec3 d, double across, rh_vec3 ends[2])
{
  edge e;
  if (!edge_toward(g, d, across, &e)) {
    return false;
  }
  ends[0] = e.from;
  ends[1] = rh_add(e.from, e.along);
  return true;
}

bool rh_edges_cross(const rh_geom *a, const rh_geom *b, rh_vec3 *n, rh_vec3 *on_a)
{
  static const double PARALLEL = 1e-12; // sin^2
  edge ea;
  edge eb;
  if (!edge_toward(a, rh_neg(*n), ACROSS, &ea) || !edge_toward(b, *n, ACROSS, &eb)) {
    return false;
  }
  rh_vec3 d = rh_sub(rh_add(rh_sub(b->p, a->p), eb.from), ea.from);
  double aa = rh_dot(ea.along, ea.along);
  double bb = rh_dot(eb.along, eb.along);
  double ab = rh_dot(ea.along, eb.along);
  double det = aa * bb - ab * ab;
  if (det < PARALLEL * aa * bb) {
    return false;
  }
  double t = (rh_dot(d, ea.along) * bb - rh_dot(d, eb.along) * ab) / det;
  *on_a = rh_addscaled(ea.from, fmax(0, fmin(1, t)), ea.along);
  rh_vec3 across = rh_cross(ea.along, eb.along);
  *n = rh_scale(copysign(1 / rh_norm(across), rh_dot(across, *n)), across);
  return true;
}
