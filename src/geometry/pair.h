// pair.h: shared by the files of the table of pairs: nearest points, faces and their clipping, the
// convex routines.
// Cells of the table are in plane.c, round_pairs.c, box.c, convex.c and manifold*.c; pair.c has the table.
#ifndef ROUTH_GEOMETRY_PAIR_H
#define ROUTH_GEOMETRY_PAIR_H

#include "geometry.h"

#include <stdint.h>

// Order of the shape table; the matrix of pairs has these rows and columns.
typedef enum rh_shape_index {
  RH_SHAPE_PLANE,
  RH_SHAPE_SPHERE,
  RH_SHAPE_BOX,
  RH_SHAPE_CAPSULE,
  RH_SHAPE_CYLINDER,
  RH_SHAPE_ELLIPSOID,
  RH_SHAPE_HULL,
  RH_SHAPE_FIELD,
  RH_SHAPES
} rh_shape_index;

// Places of `samples` and `round` among the parameters, and the usual numbers of samples
#define RH_BOX_SAMPLES 3
#define RH_BOX_CORNERS 4
#define RH_RIM_CORNERS 4
#define RH_HULL_CORNERS 3
#define RH_BOX_ROUND  4
#define RH_CYLINDER_SAMPLES 2
#define RH_HULL_ROUND 0
#define RH_HULL_SAMPLES 1

extern const rh_shape rh_shape_rows[RH_SHAPES]; // shape.c

// Its place in the table; RH_SHAPES: none of the rows above
static inline int rh_shape_number(const rh_shape *kind)
{
  uintptr_t at = (uintptr_t)kind - (uintptr_t)rh_shape_rows; // far beyond it for a row of another table
  return at < sizeof rh_shape_rows ? (int)(at / sizeof rh_shape_rows[0]) : RH_SHAPES;
}

typedef struct rh_near { // the nearest points of two shapes, or the deepest; on_a - on_b = gap * normal
  double gap;            // [m] signed distance
  rh_vec3 normal;        // unit, from B into A
  rh_vec3 on_a, on_b;    // [m] world, on the surfaces
} rh_near;

typedef void rh_near_fn(const rh_geom *a, const rh_geom *b, rh_near *near);
typedef int rh_touch_fn(const rh_geom *a, const rh_geom *b, double margin, rh_touch *touch);
typedef int rh_points_fn(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out);

// A point of rh_collide
static inline void rh_touch_put(rh_touch *t, rh_vec3 point, rh_vec3 normal, double gap, int id)
{
  t->point = point;
  t->normal = normal;
  t->depth = -gap;
  t->id = id;
}

// Two spheres; false: they are farther apart than `margin`.
static inline bool rh_spheres_touch(const rh_geom *a, const rh_geom *b, double margin,
                                    rh_vec3 *point, rh_vec3 *normal, double *gap)
{
  rh_vec3 d = rh_sub(a->p, b->p);
  double far = a->par[0] + b->par[0] + margin;
  double square = rh_dot(d, d);
  if (square > far * far) {
    return false;
  }
  double length = sqrt(square);
  *normal = length > 0 ? rh_scale(1 / length, d) : rh_v3(0, 0, 1);
  *gap = length - a->par[0] - b->par[0];
  *point = rh_addscaled(b->p, b->par[0] + 0.5 * *gap, *normal);
  return true;
}

// A sphere a on a plane b, likewise
static inline bool rh_sphere_touches_plane(const rh_geom *a, const rh_geom *b, double margin,
                                           rh_vec3 *point, rh_vec3 *normal, double *gap)
{
  *normal = rh_v3(b->R.m[2], b->R.m[5], b->R.m[8]);
  *gap = rh_dot(*normal, rh_sub(a->p, b->p)) - a->par[0];
  if (*gap > margin) {
    return false;
  }
  *point = rh_addscaled(a->p, -a->par[0], *normal);
  return true;
}

// ---- Shapes as cores: the core of a sphere is its centre, of a capsule its axis; `rounding` is
// its growth.

static inline double rh_geom_rounding(const rh_geom *g)
{
  return rh_shape_rounding(g->kind, g->par);
}

// Farthest point of the core along a direction, relative to the shape's centre, world axes.
static inline rh_vec3 rh_geom_support(const rh_geom *g, rh_vec3 direction)
{
  rh_vec3 d = rh_unrotate(&g->R, direction);
  return rh_rotate(&g->R, g->mesh ? g->kind->mesh_support(g->mesh, d) : g->kind->support(g->par, d));
}

// [m] `round` of a box or hull; 0: its edges are sharp, or it is another shape
static inline double rh_geom_round(const rh_geom *g)
{
  int kind = rh_shape_number(g->kind);
  return kind == RH_SHAPE_BOX    ? g->par[RH_BOX_ROUND]
         : kind == RH_SHAPE_HULL ? g->par[RH_HULL_ROUND]
                                 : 0;
}

typedef struct rh_core { // a shape without its `round`; not to be copied
  rh_geom g;
  double par[RH_PAR_MAX];
  int thin; // axis along which the core of a box has next to no thickness; RH_NONE
} rh_core;

// The core of a shape; returns the radius that it is grown by. 0: the core is the shape, be it a
// sphere or capsule that a box is with the greatest radius.
double rh_geom_core(const rh_geom *g, rh_core *core);
// For its samples: a thin core has none, and its corners count once.
void rh_core_flatten(rh_core *core);

static inline rh_vec3 rh_mat3_column(const rh_mat3 *R, int k)
{
  return rh_v3(R->m[k], R->m[3 + k], R->m[6 + k]);
}

rh_vec3 rh_any_normal(rh_vec3 d);                                // a unit vector across d (d of any length)
double rh_geom_curvature(const rh_geom *g, rh_vec3 normal);      // [1/m] where its surface has this normal; 0: flat, sharp
double rh_pair_radius(const rh_geom *a, const rh_geom *b, rh_vec3 normal); // [m] 1 / (sum of curvatures)
// Side of a shape at a point of its surface (local_surface.c), where its outward normal, or that of
// the touching shape, is `out`. `exact`: the point is known to rounding, as from a closed form;
// then no point next to an edge counts as on it.
rh_side rh_geom_side(const rh_geom *g, rh_vec3 point, rh_vec3 out, bool exact);
rh_side rh_geom_surface(const rh_geom *g, rh_vec3 out); // the same away from its edges, corners and ends
rh_side rh_side_corner(void);
rh_side rh_side_edge(rh_vec3 e, double curvature);
rh_side rh_side_flat(void);
rh_side rh_side_sphere(double r);
rh_side rh_side_grow(rh_side side, double r); // of a core grown by r; only straight edges
// A cylinder's rim at `radial` (unit, its own axes): a corner where that is not its lowest point along `out`.
rh_side rh_side_rim(const rh_geom *g, rh_vec3 radial, rh_vec3 out);
// Nearest points of grown cores from those of the cores: `gap` is the signed distance between ca and cb along n.
void rh_near_grow(rh_near *near, const double rounding[2], rh_vec3 ca, rh_vec3 cb, rh_vec3 n, double gap);
int rh_touch_one(const rh_geom *a, const rh_geom *b, const rh_near *near, double margin, rh_touch *touch);
void rh_touch_sort(rh_touch *touch, int n);
int rh_touch_keep(rh_touch *touch, int n, const rh_touch *t); // puts t, the highest id so far, among the deepest 16
int rh_touch_keep_of(int capacity, rh_touch *touch, int n, const rh_touch *t); // the same, of other capacity

// The points that represent a box on a plane or heightfield whose normal is `normal` in box axes (samples/box_samples.c)
typedef struct rh_box_samples {
  int count;           // ids are below
  int capacity;        // points of a pair that are kept, the deepest
  const double *size;  // [m] of the box (3)
  int m;               // lattice: points along an edge
  double w[4];         // weights along one side; the face's are their products
  bool hollow;         // without the centres of the faces: their weight goes to the middles of the edges
  int inner;           // no lattice: points within a face; below for the face across axis k
  int rows[3];         // of them
  int along[3];        // axis of the rows
  double corner[3];    // weight of a corner
  double stretch[3][2]; // of places along and across the rows
  double share[3];     // [m^2] of a face across axis k: area as seen from the plane, signed
  bool thin[3];        // no thickness along axis k (rounded.c): the two faces are one
} rh_box_samples;

rh_box_samples rh_box_samples_of(const rh_geom *a, rh_vec3 normal);
// Point `id` in box axes and its area above the ground [m^2]. False: none of this number.
bool rh_box_sample(const rh_box_samples *l, int id, rh_vec3 *x, double *area);
// Points within an end of a cylinder (samples/cap_samples.c): their number; point `id` of both ends, the lower first, in the cylinder's
// axes, with its part of the end; and that of a point of the rim.
int rh_cap_inner(const rh_geom *a);
void rh_cap_sample(const rh_geom *a, int id, rh_vec3 *x, double *weight);
double rh_cap_rim_weight(const rh_geom *a);
// Point i of n in rings over a disc of radius 1; from n = 3 on the second moments are those of the disc, 1/4 about both axes.
void rh_ring_place(int n, int i, double *r, double *angle);

// Points of a hull on the ground: the deepest
static inline int rh_hull_capacity(const rh_geom *a)
{
  int samples = (int)a->par[RH_HULL_SAMPLES];
  return samples > RH_TOUCH_KEPT ? samples : RH_TOUCH_KEPT;
}
// The direction across a cylinder's axis (its own axes, unit) in which its rims lie deepest along d (its own axes).
rh_vec3 rh_rim_direction(rh_vec3 d);

// ---- Faces: the flat part (polygon, or segment of a round side) of a shape towards a direction.

#define RH_FACE_MAX 8
#define RH_CLIP_MAX (2 * RH_FACE_MAX)

typedef struct rh_face {
  int n;                   // corners, in order around the face; 2: a segment; 0: none
  rh_vec3 v[RH_FACE_MAX];  // [m] world
  int id[RH_FACE_MAX];     // of corner i among the corners of the shape
  int edge[RH_FACE_MAX];   // of the edge from corner i to the next, among the edges of the shape
  rh_vec3 normal;          // outward unit; of a segment: the requested direction
  double fill;             // true area over that of the polygon (a round cap has 8 corners)
} rh_face;

int rh_box_edge(int i, int j); // number of the edge between two corners
void rh_box_face(const rh_geom *g, rh_vec3 direction, rh_face *face);
void rh_hull_face_toward(const rh_geom *g, rh_vec3 direction, rh_face *face); // hull_pair.c
void rh_face_toward(const rh_geom *g, rh_vec3 direction, rh_face *face);

typedef struct rh_corner { // of a polygon in the plane of the reference face
  double u, v;             // [m] in the plane
  double depth;            // [m] below it
  double area;             // [m^2] its share of the polygon
  int edge, side;          // crossing: two own edges, one and a side of the reference, or two sides
  int leaving;             // the edge or side that leaves it
} rh_corner;

#define RH_SIDE 0x10000 // edges from here on are sides of the reference face

// Cuts a polygon (or a segment, n = 2) to nu u + nv v <= c + slack; `side` (< 8) numbers the cut. Returns the new count.
// A corner that sticks out by less than the slack is left: features that coincide must not change with the rounding.
typedef struct rh_cut {
  double nu, nv, c, slack;
  int side;
} rh_cut;

int rh_polygon_cut(rh_corner *p, int n, const rh_cut *cut);
void rh_polygon_share(rh_corner *p, int n); // its area to its corners, the centroid kept

// Ids of contacts by the features that meet, whichever face was the reference: a corner of A, one of B, two edges.
#define RH_ID_CORNER_B 0x2000
#define RH_ID_EDGES    0x4000
#define RH_ID_NEAREST  0x40000000 // the nearest points of shapes without such features

static inline int rh_id_edges(int edge_a, int edge_b)
{
  return RH_ID_EDGES * (1 + edge_a) + edge_b;
}

int rh_corner_id(const rh_corner *c, const rh_face *ref, const rh_face *inc, bool ref_is_a);

// ---- Convex routines on cores (no rounding).

typedef struct rh_mink { // a point of A - B
  rh_vec3 w;             // relative to the origin
  rh_vec3 a;             // the point of A, relative to A's centre
} rh_mink;

typedef struct rh_simplex {
  rh_mink v[4];
  double part[4]; // barycentric coordinates of the point nearest to the origin
  int n;
} rh_simplex;

rh_mink rh_mink_support(const rh_geom *a, const rh_geom *b, rh_vec3 direction);
double rh_mink_size(const rh_geom *a, const rh_geom *b); // [m] of A - B: the scale of lengths
// Point of A - B nearest to the origin. False: they overlap or touch (closer than a rounding of the size).
bool rh_gjk(const rh_geom *a, const rh_geom *b, rh_simplex *s, rh_vec3 *nearest);
// True if A and B are apart by more than `margin` along a direction: n is one, from B into A.
// False: none, or it would take long to find.
bool rh_gjk_apart(const rh_geom *a, const rh_geom *b, double margin, rh_vec3 *n);
// Least depth of an overlap, starting from the simplex of rh_gjk: outward unit direction n of A -
// B, depth along it, point of A (relative to its centre).
double rh_epa(const rh_geom *a, const rh_geom *b, rh_simplex *s, rh_vec3 *n, rh_vec3 *on_a);
// A better n near n for smooth shapes: the signed distance is the largest gap over all directions.
double rh_gap_along(const rh_geom *a, const rh_geom *b, rh_vec3 n);

// edges.c: ends, relative to its centre, of the edge of a box or hull that lies across d, by its sine, where the shape is
// farthest along d. False: there is none.
bool rh_edge_toward(const rh_geom *g, rh_vec3 d, double across, rh_vec3 ends[2]);

// polish.c: Newton's direction for that gap, at n
rh_vec3 rh_gap_direction(const rh_geom *a, const rh_geom *b, const rh_vec3 *n, double gap);
// The normal of nearest points to its last digits, along ridges of the gap too
void rh_near_polish(const rh_geom *a, const rh_geom *b, rh_near *near);
// The point of A, relative to its centre, for a polished normal; unchanged where lines are parallel, or a face meets a line
void rh_near_place(const rh_geom *a, const rh_geom *b, const rh_near *near, rh_vec3 *on_a);

// Contact points of two convex shapes whose nearest points are known and closer than `margin`.
int rh_touch_near(const rh_geom *a, const rh_geom *b, const rh_near *at, double margin,
                  rh_touch *touch);

// Crossing of the edges of two polyhedra that overlap along n (from B into A): the point of A,
// relative to its centre, and the n that is across both. False: no edges lie across n on both, or
// they are parallel.
bool rh_edges_cross(const rh_geom *a, const rh_geom *b, rh_vec3 *n, rh_vec3 *on_a);

// ---- Cells of the matrix.

rh_near_fn rh_near_plane, rh_near_sphere_sphere, rh_near_sphere_box, rh_near_sphere_capsule, rh_near_sphere_cylinder,
    rh_near_capsule_capsule, rh_near_box_box, rh_near_convex, rh_near_field;
rh_touch_fn rh_touch_plane_box, rh_touch_plane_capsule, rh_touch_plane_cylinder, rh_touch_plane_hull,
    rh_touch_capsule_capsule, rh_touch_box_box, rh_touch_convex, rh_touch_field;
rh_points_fn rh_points_sphere_sphere, rh_points_sphere_plane, rh_points_sphere_box, rh_points_sphere_capsule,
    rh_points_sphere_cylinder, rh_points_capsule_plane, rh_points_capsule_capsule, rh_points_box_plane, rh_points_box_box;
// manifold.c: pairs without a function of their own for points
int rh_points_other(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache, rh_manifold *out);
// Has a face of the shape more samples than usual? Has one of the two, a bounded shape on an unbounded one?
bool rh_geom_sampled(const rh_geom *g);
bool rh_pair_sampled(const rh_geom *a, const rh_geom *b);
bool rh_pair_apart(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache);
void rh_lay_faces(const rh_geom *a, const rh_geom *b, rh_near *near);
void rh_manifold_swap(rh_manifold *m); // A and B change places

// Of the table, in either order (pair.c); not of rounded shapes: of their cores.
void rh_near_pair(const rh_geom *a, const rh_geom *b, rh_near *near);

// The same of a rounded box or hull with any shape (rounded.c); B is a plane or heightfield if one is.
rh_near_fn rh_near_rounded;
rh_touch_fn rh_touch_rounded;
int rh_points_rounded(const rh_geom *a, const rh_geom *b, double margin, rh_pair_cache *cache, rh_manifold *out);

#endif
