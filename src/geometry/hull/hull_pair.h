// hull_pair.h: contact geometry of a convex hull: the corners that represent it on the ground, and
// its faces.
#ifndef ROUTH_GEOMETRY_HULL_PAIR_H
#define ROUTH_GEOMETRY_HULL_PAIR_H

#include "hull.h"

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

// [m^2] area of a corner: its share of the faces that point along `down` (unit), as seen along it.
double rh_hull_share(const rh_hull *hull, int vertex, rh_vec3 down);

#endif
