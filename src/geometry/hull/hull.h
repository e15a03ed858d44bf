// hull.h: the convex hull of a set of points: vertices, faces, neighbours, volume, inertia, support function.
#ifndef ROUTH_GEOMETRY_HULL_H
#define ROUTH_GEOMETRY_HULL_H

#include <routh/math.h>

#define RH_HULL_POINTS_MAX 100000 // input points at most
#define RH_HULL_VERTS_MAX  4096   // vertices at most
#define RH_HULL_COORD_MAX  1e9    // [m] largest coordinate

#define RH_HULL_TOLERANCE       1e-9 // for points known to all digits of a double
#define RH_HULL_TOLERANCE_FLOAT 1e-6 // for points that were floats in a file: flat to 1e-7

typedef struct rh_hull_face {
  rh_vec3 normal; // unit, outwards
  double offset;  // [m] normal . x <= offset for every vertex of the face
  int first;      // its vertices are loop[first .. first + count - 1], counter-clockwise seen from outside
  int count;
} rh_hull_face;

typedef struct rh_hull { // in the frame of the points; never changes; one allocation (rh_free)
  int nvert, nface;
  const rh_vec3 *vert;      // [m] in the order of the points given (nvert)
  const int *source;        // index of each among the given points (nvert)
  const rh_hull_face *face; // whole flat parts: a box has six (nface)
  const int *loop;          // vertices of the faces, see rh_hull_face
  const int *near_first;    // neighbours of vertex i: near[near_first[i] .. near_first[i+1] - 1] (nvert + 1)
  const int *near;
  double volume;   // [m^3]
  rh_vec3 centre;  // [m] centre of mass, uniform density
  rh_sym3 inertia; // [m^2] about the centre, for unit mass
  double radius;   // [m] of the sphere about the centre that holds all vertices
} rh_hull;

// Points closer to the hull of the others than `tolerance` times the longest side of their bounds are left out, and faces
// that are one plane to within that are one face. RH_INPUT_REFUSED: the points span no volume, are flatter than a hundred
// times the tolerance, or are not finite;
// RH_OVER_LIMIT: too many points or vertices; `*why` is the reason (NULL is allowed).
rh_status rh_hull_create(const rh_vec3 *point, int n, double tolerance, rh_hull **hull,
                         const char **why) RH_CHECK_RESULT;

// The vertex farthest along `direction` (any length), found by walking uphill from vertex `start`; the vertex of the last
// call is the best start. Never allocates.
int rh_hull_support(const rh_hull *hull, rh_vec3 direction, int start);

// The face whose normal is nearest to `direction`.
int rh_hull_face_along(const rh_hull *hull, rh_vec3 direction);

#endif
