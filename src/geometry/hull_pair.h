// hull_pair.h: what a convex hull shows to other shapes: the corners that stand for it on the ground, and its faces.
#ifndef ROUTH_GEOM_HULL_PAIR_H
#define ROUTH_GEOM_HULL_PAIR_H

#include "hull.h"

// The corners that count when the hull stands on something below it. All do, but a face that looks down and has more than
// 16 corners is stood for by 16 of them, evenly spread: the deepest 16 of many that are equally deep would be any.
typedef struct rh_hull_samples {
  uint64_t left_out[RH_HULL_VERTS_MAX / 64]; // a bit a vertex
} rh_hull_samples;

void rh_hull_choose(const rh_hull *hull, rh_vec3 down, rh_hull_samples *samples);

static inline bool rh_hull_chosen(const rh_hull_samples *samples, int vertex)
{
  return !(samples->left_out[vertex / 64] >> vertex % 64 & 1);
}

// [m^2] what a corner stands for: its share of the faces that look along `down` (unit), as seen along it.
double rh_hull_share(const rh_hull *hull, int vertex, rh_vec3 down);

#endif
