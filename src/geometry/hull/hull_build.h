// hull_build.h: interface between hull_build.c (triangles) and hull.c (faces).
#ifndef ROUTH_GEOMETRY_HULL_BUILD_H
#define ROUTH_GEOMETRY_HULL_BUILD_H

#include <routh/math.h>

typedef struct rh_hull_tri {
  int v[3];  // points, counter-clockwise seen from outside
  int to[3]; // the triangle across the edge v[i] v[i+1]
} rh_hull_tri;

typedef struct rh_hull_skin { // a closed surface of triangles
  rh_hull_tri *tri;           // (rh_free)
  int count;
} rh_hull_skin;

// The hull of the points as triangles; convex without any rounding error, up to points that stick out by less than
// `slack` [m]. The coordinates must meet the limits of rh_orient.
rh_status rh_hull_build(const rh_vec3 *point, int n, double slack, rh_hull_skin *skin,
                        const char **why) RH_CHECK_RESULT;

#endif
