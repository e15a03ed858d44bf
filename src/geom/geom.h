// geom.h: private interface of the geometry folder (L2): shapes placed in the world, and what they do to each other.
#ifndef ROUTH_GEOM_H
#define ROUTH_GEOM_H

#include <routh/kind.h>

typedef struct rh_geom { // a shape where it stands
  const rh_shape *kind;
  const double *par;
  rh_mat3 R;
  rh_vec3 p;
  const void *mesh; // rh_hull or rh_field of a shape that is made of one; NULL: none
} rh_geom;

#define RH_TOUCH_MAX 16 // contact points of one pair of shapes

typedef struct rh_touch { // one contact point, or a point that may become one
  rh_vec3 point;          // [m] world; where the force acts
  rh_vec3 normal;         // unit, from shape B into shape A
  double depth;           // [m] > 0 overlap, < 0 gap
  // [m] effective radius of curvature 1 / (1/ra + 1/rb). Infinity: neither side is curved there, be it flat or sharp.
  // A line contact (capsule, lying cylinder) is two points, each with the radius across the line; a cylinder's rim has
  // r / sin(angle between axis and normal), from r lying to infinity standing; an ellipsoid 1 / sqrt(Gauss's curvature).
  double radius;
  // [m^2] the part of the flat faces that the point stands for, projected onto the contact plane: the sum over a face
  // that lies flat is its area, and nothing jumps when it tilts. 0: a point of a curved surface, or edge against edge.
  double area;
  int id;                 // feature of the pair; the same while the same features meet
} rh_touch;

// Contact points of two shapes with a depth above -margin, in order of their ids; the deepest 16 if there were more. The
// point lies on the surface of the other shape when one is a plane (its deepest point) or a heightfield, otherwise
// halfway between the two surfaces. Either may be the plane. A heightfield is looked at no farther than its cells are wide. Never allocates. Returns the count.
int rh_collide(const rh_geom *a, const rh_geom *b, double margin, rh_touch touch[RH_TOUCH_MAX]);

// Signed distance: how far apart (> 0), or how deep the least way out is (< 0); the points that are nearest or deepest.
double rh_distance(const rh_geom *a, const rh_geom *b, rh_vec3 *on_a, rh_vec3 *on_b);

// Axis-aligned bounds of a shape, grown by `margin`; a plane's are infinite.
typedef struct rh_bounds {
  rh_vec3 lo, hi;
} rh_bounds;

rh_bounds rh_geom_bounds(const rh_geom *g, double margin);

#endif
