// local_surface.c: side of a shape at a point of its surface: a corner, an edge or a surface, with
// its curvatures. A feature is found by the place of the point, not by the normal: next to an edge
// or corner the normal of touching bodies is less accurate than the point. Rounded shapes are
// classified by their cores: the end of a capsule's axis is a sphere, the rest a cylinder. A rim
// that stands flat on its cap has no lowest point: its points are then fixed in the body
// (rh_rim_direction).
#include "geometry/hull/hull.h"
#include "pair.h"

#include <float.h>

static const double ON =
    1e-6; // [1] of the size: a point nearer to an edge is on it, if found by a search
static const double AT = 64 * DBL_EPSILON; // [1] of size and place, if found by a closed form
static const double STANDING = 1e-4;       // sine of a rim's tilt, as in rh_rim_direction

// [m] width of an edge
static double width_of(const rh_geom *g, double size, bool exact)
{
  return exact ? AT * (size + fabs(g->p.x) + fabs(g->p.y) + fabs(g->p.z)) : ON * size;
}

static rh_side curved_side(rh_vec3 e, double k1, double k2)
{
  return (rh_side){2, e, k1, k2};
}

rh_side rh_side_corner(void)
{
  return (rh_side){.dim = 0};
}

rh_side rh_side_edge(rh_vec3 e, double curvature)
{
  return (rh_side){1, e, curvature, 0};
}

rh_side rh_side_flat(void)
{
  return (rh_side){.dim = 2};
}

rh_side rh_side_sphere(double r)
{
  return (rh_side){.dim = 2, .k1 = 1 / r, .k2 = 1 / r};
}

rh_side rh_side_grow(rh_side side, double r)
{
  if (!(r > 0) || side.dim == 2) {
    return side;
  }
  return side.dim == 0 ? rh_side_sphere(r) : (rh_side){2, side.e, 0, 1 / r};
}

// Straight along the shape's z, round about it.
static rh_side barrel_side(const rh_geom *g, double r)
{
  return curved_side(rh_mat3_column(&g->R, 2), 0, 1 / r);
}

rh_side rh_side_rim(const rh_geom *g, rh_vec3 radial, rh_vec3 out)
{
  rh_vec3 t = rh_rotate(&g->R, rh_v3(-radial.y, radial.x, 0));
  double tilt = rh_dot(out, rh_rotate(&g->R, rh_v3(radial.x, radial.y, 0)));
  bool lowest = tilt >= STANDING && fabs(rh_dot(out, t)) < 1e-3 * tilt;
  return lowest ? rh_side_edge(t, tilt / g->par[0]) : rh_side_corner();
}

// F = x'Dx with D = diag(1/a^2) has its normal n where x = D^-1 n / |D^-1/2 n|, and curvatures t'Dt |D^-1/2 n| along t.
static rh_side ellipsoid_side(const rh_geom *g, rh_vec3 out)
{
  const double *p = g->par;
  rh_vec3 n = rh_unrotate(&g->R, out);
  rh_vec3 t[2] = {rh_any_normal(n)};
  t[1] = rh_cross(n, t[0]);
  double h = rh_norm(rh_v3(p[0] * n.x, p[1] * n.y, p[2] * n.z));
  double S[2][2];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      S[i][j] = h * (t[i].x * t[j].x / (p[0] * p[0]) + t[i].y * t[j].y / (p[1] * p[1]) +
                     t[i].z * t[j].z / (p[2] * p[2]));
    }
  }
  double mean = (S[0][0] + S[1][1]) / 2;
  double half = (S[0][0] - S[1][1]) / 2;
  double size = sqrt(half * half + S[0][1] * S[0][1]);
  // The larger one is along (half + size, S01), or (S01, size - half): the longer of the two.
  double x = half > 0 ? half + size : S[0][1];
  double y = half > 0 ? S[0][1] : size - half;
  double length = sqrt(x * x + y * y);
  rh_vec3 e = length > 0 ? rh_addscaled(rh_scale(x / length, t[0]), y / length, t[1]) : t[0];
  double large = mean + size;
  return curved_side(rh_rotate(&g->R, e), large, (S[0][0] * S[1][1] - S[0][1] * S[0][1]) / large);
}

static rh_side box_side(const rh_geom *g, rh_vec3 point, bool exact)
{
  rh_vec3 x = rh_unrotate(&g->R, rh_sub(point, g->p));
  double c[3] = {fabs(x.x), fabs(x.y), fabs(x.z)};
  double near = width_of(g, g->par[0] + g->par[1] + g->par[2], exact);
  int ends = 0;
  int along = 0; // the axis on which it lies between the ends
  for (int i = 0; i < 3; i++) {
    bool end = c[i] >= g->par[i] / 2 - near;
    ends += end;
    along = end ? along : i;
  }
  return ends == 3   ? rh_side_corner()
         : ends == 2 ? rh_side_edge(rh_mat3_column(&g->R, along), 0)
                     : rh_side_flat();
}

static rh_side capsule_side(const rh_geom *g, rh_vec3 point, rh_vec3 out, bool exact)
{
  double r = g->par[0];
  rh_vec3 axis = rh_mat3_column(&g->R, 2);
  double z = rh_dot(axis, rh_sub(rh_addscaled(point, -r, out), g->p));
  bool end = fabs(z) >= g->par[1] / 2 - width_of(g, g->par[1] + r, exact);
  return end ? rh_side_sphere(r) : barrel_side(g, r);
}

// A normal that is neither across the axis nor along it belongs to a rim, whatever point a search
// found.
static rh_side cylinder_side(const rh_geom *g, rh_vec3 point, rh_vec3 out, bool exact)
{
  static const double TILTED = 1e-3;
  rh_vec3 x = rh_unrotate(&g->R, rh_sub(point, g->p));
  rh_vec3 n = rh_unrotate(&g->R, out);
  double rho = sqrt(x.x * x.x + x.y * x.y);
  double near = width_of(g, g->par[0] + g->par[1], exact);
  bool cap = fabs(x.z) >= g->par[1] / 2 - near;
  bool round = rho >= g->par[0] - near;
  if (cap && round) {
    return rh_side_rim(g, rh_v3(x.x / rho, x.y / rho, 0), out);
  }
  double across = sqrt(n.x * n.x + n.y * n.y);
  if (fabs(n.z) > TILTED && across > TILTED) {
    return rh_side_rim(g, rh_v3(n.x / across, n.y / across, 0), out);
  }
  return cap ? rh_side_flat() : barrel_side(g, g->par[0]);
}

// The faces the point lies in: one, two that meet in an edge, or more.
static rh_side hull_side(const rh_geom *g, rh_vec3 point)
{
  const rh_hull *hull = g->mesh;
  rh_vec3 x = rh_unrotate(&g->R, rh_sub(point, g->p));
  double near = ON * hull->radius;
  rh_vec3 n[2] = {{0, 0, 0}, {0, 0, 0}};
  int faces = 0;
  for (int i = 0; i < hull->nface && faces < 3; i++) {
    const rh_hull_face *f = &hull->face[i];
    if (rh_dot(f->normal, x) >= f->offset - near) {
      n[faces < 2 ? faces : 0] = f->normal;
      faces++;
    }
  }
  if (faces == 2) {
    rh_vec3 e = rh_cross(n[0], n[1]);
    return rh_side_edge(rh_rotate(&g->R, rh_scale(1 / rh_norm(e), e)), 0);
  }
  return faces > 2 ? rh_side_corner() : rh_side_flat();
}

rh_side rh_geom_side(const rh_geom *g, rh_vec3 point, rh_vec3 out, bool exact)
{
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_SPHERE:
    return rh_side_sphere(g->par[0]);
  case RH_SHAPE_BOX:
    return box_side(g, point, exact);
  case RH_SHAPE_CAPSULE:
    return capsule_side(g, point, out, exact);
  case RH_SHAPE_CYLINDER:
    return cylinder_side(g, point, out, exact);
  case RH_SHAPE_ELLIPSOID:
    return ellipsoid_side(g, out);
  case RH_SHAPE_HULL:
    return hull_side(g, point);
  default:
    return rh_side_flat();
  }
}

rh_side rh_geom_surface(const rh_geom *g, rh_vec3 out)
{
  switch (rh_shape_number(g->kind)) {
  case RH_SHAPE_SPHERE:
    return rh_side_sphere(g->par[0]);
  case RH_SHAPE_CAPSULE:
    return barrel_side(g, g->par[0]);
  case RH_SHAPE_CYLINDER: // as in rh_face_toward
    return fabs(rh_dot(out, rh_mat3_column(&g->R, 2))) < 0.7071 ? barrel_side(g, g->par[0])
                                                                : rh_side_flat();
  case RH_SHAPE_ELLIPSOID:
    return ellipsoid_side(g, out);
  default:
    return rh_side_flat();
  }
}
