// The shape table: volume and inertia, used for bodies without stated inertia, and the support
// function, used by GJK and EPA. A shape with a rounding (sphere, capsule, rounded box or hull) gives the support of its
// core, the point, segment or polyhedron that is grown by it: then distances between round shapes are exact.
// Lengths along the shape's own z where there is an axis; the shape's frame is at its centre.
#include "base/table.h"
#include "geometry/hull/hull.h"
#include "geometry/hull/hull_grown.h"
#include "pair.h"

static const double PI = 3.14159265358979323846;

#define LENGTH(key, text)                                                                          \
  {                                                                                                \
    key, "m", 0.1, 0, 1e6, text, RH_NUMBER, 0, NULL, true                                          \
  }
#define LENGTHS(key, text)                                                                         \
  {                                                                                                \
    key, "m", 0.1, 0, 1e6, text, RH_VECTOR, 3, NULL, true                                          \
  }

static rh_sym3 diagonal_inertia(double xx, double yy, double zz)
{
  return (rh_sym3){xx, yy, zz, 0, 0, 0};
}

// ---- sphere

static const rh_param sphere_param[] = {LENGTH("radius", "radius")};

static double sphere_volume(const double *p)
{
  return 4 * PI / 3 * p[0] * p[0] * p[0];
}

static rh_sym3 sphere_inertia(const double *p)
{
  double i = 0.4 * p[0] * p[0];
  return diagonal_inertia(i, i, i);
}

static rh_vec3 sphere_support(const double *p, rh_vec3 d)
{
  (void)p;
  (void)d;
  return rh_v3(0, 0, 0);
}

// ---- box

static const rh_param box_param[] = {
    LENGTHS("size", "full lengths of the sides"),
    {"samples", "1", 4, 4, RH_TOUCH_MAX,
     "number of points of a face on a plane: its corners and others spread over it", RH_INTEGER, 0,
     NULL, false},
    {"round", "m", 0, 0, 1e6, "radius of its edges and corners, within the size", RH_NUMBER, 0,
     NULL, false}};

static const char *box_check(const double *p, int *which)
{
  double least = fmin(p[0], fmin(p[1], p[2]));
  *which = 2;
  return p[RH_BOX_ROUND] <= least / 2 ? NULL : "must be at most half the shortest side";
}

// A core with the sides a grown by r: the core, slabs on its faces, quarters of cylinders along its edges, eighths of a sphere
// at its corners.
static double rounded_volume(const double *a, double r)
{
  return a[0] * a[1] * a[2] + 2 * r * (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]) +
         PI * r * r * (a[0] + a[1] + a[2]) + 4 * PI / 3 * r * r * r;
}

// [m^5] integral of x^2 over the same, x along its side a[0]: the parts that end at the faces
// across x reach from a[0]/2 outwards.
static double rounded_moment(double a, double b, double c, double r)
{
  double h = a / 2;
  double middle = b * c + 2 * r * (b + c) + PI * r * r; // cross section for |x| < a/2
  double slabs = b * c * 2 * r * (h * h + h * r + r * r / 3);
  double edges = (b + c) * PI * r * r * (h * h + 8 * h * r / (3 * PI) + r * r / 4);
  double corners = PI * r * r * r * (4 * h * h / 3 + h * r + 4 * r * r / 15);
  return middle * a * a * a / 12 + slabs + edges + corners;
}

static void core_sides(const double *p, double *a)
{
  for (int i = 0; i < 3; i++) {
    a[i] = p[i] - 2 * p[RH_BOX_ROUND];
  }
}

static double box_volume(const double *p)
{
  double a[3];
  core_sides(p, a);
  return p[RH_BOX_ROUND] > 0 ? rounded_volume(a, p[RH_BOX_ROUND]) : p[0] * p[1] * p[2];
}

static rh_sym3 box_inertia(const double *p)
{
  double x = p[0] * p[0] / 12;
  double y = p[1] * p[1] / 12;
  double z = p[2] * p[2] / 12;
  double r = p[RH_BOX_ROUND];
  if (r > 0) {
    double a[3];
    core_sides(p, a);
    double volume = rounded_volume(a, r);
    x = rounded_moment(a[0], a[1], a[2], r) / volume;
    y = rounded_moment(a[1], a[2], a[0], r) / volume;
    z = rounded_moment(a[2], a[0], a[1], r) / volume;
  }
  return diagonal_inertia(y + z, x + z, x + y);
}

static rh_vec3 box_support(const double *p, rh_vec3 d)
{
  double r = p[RH_BOX_ROUND];
  return rh_v3(copysign(p[0] / 2 - r, d.x), copysign(p[1] / 2 - r, d.y),
               copysign(p[2] / 2 - r, d.z));
}

// ---- cylinder

static const rh_param cylinder_param[] = {LENGTH("radius", "radius"),
                                          LENGTH("length", "length along z"),
                                          {"samples", "1", 4, 4, RH_TOUCH_MAX,
                                           "number of points of an end on a plane: four of its rim "
                                           "and others within",
                                           RH_INTEGER, 0, NULL, false}};

static double cylinder_volume(const double *p)
{
  return PI * p[0] * p[0] * p[1];
}

static rh_sym3 cylinder_inertia(const double *p)
{
  double across = p[0] * p[0] / 4 + p[1] * p[1] / 12;
  return diagonal_inertia(across, across, p[0] * p[0] / 2);
}

// Straight along the axis the whole cap is farthest: a point of its rim then, so that supports are always extreme.
static rh_vec3 cylinder_support(const double *p, rh_vec3 d)
{
  double across = sqrt(d.x * d.x + d.y * d.y);
  double k = across > 0 ? p[0] / across : 0;
  return rh_v3(across > 0 ? k * d.x : p[0], k * d.y, copysign(p[1] / 2, d.z));
}

// ---- capsule: a cylinder with two half spheres on its ends

static const rh_param capsule_param[] = {
    LENGTH("radius", "radius"),
    LENGTH("length", "length along z between the centres of the end caps")};

static double capsule_volume(const double *p)
{
  return cylinder_volume(p) + sphere_volume(p);
}

// A half sphere's centre of mass lies 3/8 r from its flat side; about that its transverse inertia is 83/320 m r^2.
static rh_sym3 capsule_inertia(const double *p)
{
  double part = cylinder_volume(p) / capsule_volume(p); // of the mass in the cylinder
  double arm = p[1] / 2 + 0.375 * p[0];
  double across =
      part * cylinder_inertia(p).xx + (1 - part) * (83.0 / 320 * p[0] * p[0] + arm * arm);
  double along = part * 0.5 * p[0] * p[0] + (1 - part) * 0.4 * p[0] * p[0];
  return diagonal_inertia(across, across, along);
}

static rh_vec3 capsule_support(const double *p, rh_vec3 d)
{
  return rh_v3(0, 0, copysign(p[1] / 2, d.z));
}

// ---- ellipsoid

static const rh_param ellipsoid_param[] = {LENGTHS("semi", "semi-axes")};

static double ellipsoid_volume(const double *p)
{
  return 4 * PI / 3 * p[0] * p[1] * p[2];
}

static rh_sym3 ellipsoid_inertia(const double *p)
{
  double x = 0.2 * p[0] * p[0];
  double y = 0.2 * p[1] * p[1];
  double z = 0.2 * p[2] * p[2];
  return diagonal_inertia(y + z, x + z, x + y);
}

// The point of x = A y, |y| <= 1, farthest along d: y along A d.
static rh_vec3 ellipsoid_support(const double *p, rh_vec3 d)
{
  rh_vec3 s = rh_v3(p[0] * d.x, p[1] * d.y, p[2] * d.z);
  double length = rh_norm(s);
  if (length == 0) {
    return rh_v3(p[0], 0, 0);
  }
  return rh_v3(p[0] * (s.x / length), p[1] * (s.y / length), p[2] * (s.z / length));
}

// ---- hull: its frame is that of the mesh moved to the middle of its bounds (mesh_shape.c)

static rh_vec3 hull_support(const void *mesh, rh_vec3 d)
{
  const rh_hull *hull = mesh;
  return hull->vert[rh_hull_support(hull, d, 0)];
}

static const rh_param hull_param[] = {{"round", "m", 0, 0, 1e6,
                                       "radius of its edges and corners, added around the mesh",
                                       RH_NUMBER, 0, NULL, false},
                                      {"samples", "1", 3, 3, RH_TOUCH_MAX,
                                       "number of points of a face on a plane: its corners, and "
                                       "others within where it has fewer",
                                       RH_INTEGER, 0, NULL, false}};

static double hull_volume(const void *mesh, const double *p)
{
  const rh_hull *hull = mesh;
  return p[RH_HULL_ROUND] > 0 ? rh_hull_grown(hull, p[RH_HULL_ROUND]).volume : hull->volume;
}

static rh_sym3 hull_inertia(const void *mesh, const double *p, rh_vec3 *centre)
{
  const rh_hull *hull = mesh;
  if (p[RH_HULL_ROUND] > 0) {
    rh_hull_solid grown = rh_hull_grown(hull, p[RH_HULL_ROUND]);
    *centre = grown.centre;
    return grown.inertia;
  }
  *centre = hull->centre;
  return hull->inertia;
}

// ---- the table

#define NO_MESH RH_MESH_NONE, NULL, NULL, NULL

#define HEAD(id, text)                                                                             \
  {                                                                                                \
#id, "", text, id##_param, RH_COUNT(id##_param)                                                \
  }

// clang-format off
const rh_shape rh_shape_rows[RH_SHAPES] = {
    [RH_SHAPE_PLANE] = {{"plane", "", "half-space below the z = 0 of its frame", NULL, 0}, NULL, NULL, NULL, RH_NONE, NULL, 16, NO_MESH},
    [RH_SHAPE_SPHERE] = {HEAD(sphere, "ball"), sphere_volume, sphere_inertia, sphere_support, 0, NULL, 1,
                         NO_MESH},
    [RH_SHAPE_BOX] = {HEAD(box, "rectangular block"), box_volume, box_inertia, box_support, RH_BOX_ROUND, box_check, 16,
                      NO_MESH},
    [RH_SHAPE_CAPSULE] = {HEAD(capsule, "cylinder about z with round ends"), capsule_volume, capsule_inertia,
                          capsule_support, 0, NULL, 2, NO_MESH},
    [RH_SHAPE_CYLINDER] = {HEAD(cylinder, "circular cylinder about z"), cylinder_volume, cylinder_inertia,
                           cylinder_support, RH_NONE, NULL, 16, NO_MESH},
    [RH_SHAPE_ELLIPSOID] = {HEAD(ellipsoid, "ellipsoid along its axes"), ellipsoid_volume, ellipsoid_inertia,
                            ellipsoid_support, RH_NONE, NULL, 1, NO_MESH},
    [RH_SHAPE_HULL] = {HEAD(hull, "convex hull of the vertices of a mesh"), NULL, NULL, NULL, RH_HULL_ROUND, NULL, 16,
                       RH_MESH_HULL, hull_support, hull_volume, hull_inertia},
    [RH_SHAPE_FIELD] = {{"heightfield", "", "ground below the heights of a mesh, z up", NULL, 0}, NULL, NULL, NULL, RH_NONE, NULL, 16,
                        RH_MESH_FIELD, NULL, NULL, NULL},
};
// clang-format on

static const rh_shape *const table[] = {
    &rh_shape_rows[RH_SHAPE_PLANE],    &rh_shape_rows[RH_SHAPE_SPHERE],
    &rh_shape_rows[RH_SHAPE_BOX],      &rh_shape_rows[RH_SHAPE_CAPSULE],
    &rh_shape_rows[RH_SHAPE_CYLINDER], &rh_shape_rows[RH_SHAPE_ELLIPSOID],
    &rh_shape_rows[RH_SHAPE_HULL],     &rh_shape_rows[RH_SHAPE_FIELD]};

RH_ROW_TABLE(shape)
