// hull_pair.h: contact geometry of a convex hull: the corners that represent it on the ground, and
// its faces.
#ifndef ROUTH_GEOMETRY_HULL_PAIR_H
#define ROUTH_GEOMETRY_HULL_PAIR_H

#include "hull.h"

enum { RH_HULL_INNER_IDS = 64 }; // of one face

// The corners that count when the hull lies on another shape. All do, but a face that points down
// with more than 16 corners is represented by 16 of them, evenly spread: the deepest 16 of many
// equally deep ones would be arbitrary.
typedef struct rh_hull_samples {
  uint64_t left_out[RH_HULL_VERTS_MAX / 64]; // one bit per vertex
} rh_hull_samples;

void rh_hull_choose(const rh_hull *hull, rh_vec3 down, rh_hull_samples *samples);

static inline bool rh_hull_chosen(const rh_hull_samples *samples, int vertex)
{
  return !(samples->left_out[vertex / 64] >> vertex % 64 & 1);
}

// [m^2] area of a corner: its share of the faces that point along `down` (unit), as seen along it,
// less that of the points within them (`samples` of the shape).
double rh_hull_share(const rh_hull *hull, int vertex, rh_vec3 down, int samples);
// [m^2] share of a corner in one face without points within; 0: it is none of those that count.
double rh_hull_corner_share(const rh_hull *hull, int face, int vertex);

typedef struct rh_face_inner { // points within a face (samples/hull_samples.c)
  int n;                       // 0: none
  double corners;              // [1] part of the area that the corners have
  double weight;               // [m^2] of a point
  rh_vec3 centre;              // [m] of the rings, in the hull's frame
  rh_vec3 axis[2];             // [m] half axes of their ellipse
} rh_face_inner;

rh_face_inner rh_hull_inner(const rh_hull *hull, int face, int samples);
rh_vec3 rh_hull_inner_point(const rh_face_inner *inner, int i);

// Number of point i of those within a face: after the vertices
static inline int rh_hull_inner_id(const rh_hull *hull, int face, int i)
{
  return hull->nvert + RH_HULL_INNER_IDS * face + i;
}

#endif
