// geometry.h: private interface of the geometry folder (L2): shapes placed in the world, and their
// contacts.
#ifndef ROUTH_GEOMETRY_GEOMETRY_H
#define ROUTH_GEOMETRY_GEOMETRY_H

#include <routh/kind.h>

typedef struct rh_geom { // a placed shape
  const rh_shape *kind;
  const double *par;
  rh_mat3 R;
  rh_vec3 p;
  const void *mesh; // rh_hull or rh_heightfield of a shape that is made of one; NULL: none
} rh_geom;

#define RH_TOUCH_MAX  64 // contact points of one pair of shapes: samples of a box
#define RH_TOUCH_KEPT 16 // of pairs without as many samples: the deepest

// Geometry of a shape where it touches, to second order; curvatures are positive where the body is
// convex.
// dim 0: a corner, a point fixed in the body. dim 1: an edge or a rim. dim 2: a surface, flat or
// curved.
typedef struct rh_side {
  int dim;
  rh_vec3 e; // unit; 1: tangent of the edge, 2: a principal direction. Zero: a corner, or k1 = k2
  double k1; // [1/m] 1: curvature of the edge times the cosine between its plane and the normal; 2: along e
  double k2; // [1/m] 2: across e
} rh_side;

typedef struct rh_touch { // one contact point, or a point that may become one
  rh_vec3 point;          // [m] world; where the force acts
  rh_vec3 normal;         // unit, from shape B into shape A
  double depth;           // [m] > 0 overlap, < 0 gap
  // [m] effective radius of curvature 1 / (1/ra + 1/rb). Infinity: neither side is curved there, be it flat or sharp.
  // A line contact (capsule, lying cylinder) is two points, each with the radius across the line; a cylinder's rim has
  // r / sin(angle between axis and normal), from r lying to infinity standing; an ellipsoid 1 / sqrt(Gauss's curvature).
  double radius;
  // [m^2] the part of the flat faces assigned to the point, projected onto the contact plane: the
  // sum over a face that lies flat is its area, and nothing jumps when it tilts. 0: a point of a
  // curved surface, or edge against edge.
  double area;
  int id;                 // feature of the pair; the same while the same features meet
  rh_side a, b;           // sides of A and B there
} rh_touch;

#define RH_MANIFOLD_MAX 8 // points of rh_collide, but for faces with samples of their own: RH_TOUCH_MAX

typedef struct rh_manifold {
  int n;
  rh_touch at[RH_TOUCH_MAX];
} rh_manifold;

// Data that a pair may keep between calls. The result never depends on it, only the cost does. All
// zero: none yet.
typedef struct rh_pair_cache {
  rh_vec3 axis; // the last separating direction, in the axes of one of them; zero: none
} rh_pair_cache;

typedef struct rh_shape_pair { // two shapes that are near one another
  int a, b;                    // an unbounded one is b
  int rule;                    // contact of the model; of the broad phase: as its filter sets it
  rh_pair_cache cache;
} rh_shape_pair;

// Contact points of two shapes with a gap below `margin` (>= 0) [m]: those where they touch or may touch soon. Point, normal, depth
// and id are set; radius, area and sides are not. If there are more than 8, those stay that span most of the contact face,
// the deepest among them; but all stay of a shape on a plane or heightfield whose faces have more samples than usual. They come in the order of their ids. Normals are one per pair, except on a heightfield and for two
// parallel capsules. The point lies on the surface of the other shape when one is a plane (its deepest point) or a
// heightfield, otherwise halfway between the two surfaces. Either may be the plane or the heightfield; two of these never
// meet. `cache` may be NULL. Never allocates. Returns out->n.
int rh_collide(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache, rh_manifold *out);

// The same with radius, area and sides, for compliant laws and rolling: all points, the deepest 16 if there were more. A box on a
// plane has its samples, too. A heightfield is examined no farther than its cells are wide.
int rh_collide_surfaces(const rh_geom *a, const rh_geom *b, double margin, rh_touch touch[RH_TOUCH_MAX]);

// Leaves at most `most` (1 to 8) points: the deepest, the one farthest from it, and those that span the greatest area with these.
void rh_manifold_thin(rh_manifold *m, int most);

typedef struct rh_roll { // motion of a contact point; world axes
  rh_vec3 ca, cb;        // [m/s] over the surface of A, of B
  rh_vec3 ndot;          // [1/s] of the normal
} rh_roll;

// Motion of the contact point while the bodies have angular velocities wa, wb [rad/s] and slip = tangential part of
// u = v_A(c) - v_B(c) [m/s]. Right at depth 0: the point moves with v_A(c) + ca = v_B(c) + cb (but for the normal part of u),
// and d(n.u)/dt = ndot.u + n.(a_A(c) - a_B(c) + wa x ca - wb x cb), a the accelerations of the bodies' own points.
// Where the sides do not determine it (face on face, ...: see rolling.c) a point fixed in one body
// is used. False: non-finite numbers.
bool rh_touch_roll(const rh_touch *touch, rh_vec3 wa, rh_vec3 wb, rh_vec3 slip, rh_roll *roll);

// Signed distance: gap (> 0), or least depth (< 0); the nearest or deepest points.
double rh_distance(const rh_geom *a, const rh_geom *b, rh_vec3 *on_a, rh_vec3 *on_b);

// Axis-aligned bounds of a shape, grown by `margin`; a plane's are infinite.
typedef struct rh_bounds {
  rh_vec3 lo, hi;
} rh_bounds;

rh_bounds rh_geom_bounds(const rh_geom *g, double margin);

#endif
