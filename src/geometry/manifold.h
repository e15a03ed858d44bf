// manifold.h: what two placed shapes are to a time step: the points where they touch and those where they may within it,
// few, with names that last, for engines that solve many contacts at a fixed step. Distances and points are those of
// rh_collide (geometry.h); what only compliant laws ask for (radius, area, curvatures) is left out.
#ifndef ROUTH_GEOM_MEET_H
#define ROUTH_GEOM_MEET_H

#include "geometry.h"

#define RH_MEET_MAX 8 // points of one pair

typedef struct rh_meet_point {
  rh_vec3 point;  // [m] world: halfway between the surfaces; against a plane or heightfield on the other shape
  rh_vec3 normal; // unit, from B into A; one for all points of a pair, but on a heightfield and of two capsules side by side
  double gap;     // [m] signed distance along the normal: < 0 overlap, > 0 may become a contact
  int id;         // the features that meet, >= 0; the same while the same ones meet, never twice in a manifold
} rh_meet_point;

typedef struct rh_manifold {
  int n;
  rh_meet_point at[RH_MEET_MAX];
} rh_manifold;

// What a pair may keep from one call to the next. The answer never depends on it, only the cost does. All zero: nothing yet.
typedef struct rh_meet_cache {
  rh_vec3 axis; // the direction that told them apart last time, in the axes of one of them; zero: none
} rh_meet_cache;

// Points with a gap below `margin` (>= 0) [m]. If there are more than 8, those stay that span most of the contact face,
// the deepest among them. `cache` may be NULL. Either shape may be the plane or the heightfield; two of these never
// meet. They come in the order of their ids. Never allocates. Returns out->n.
int rh_geom_meet(const rh_geom *a, const rh_geom *b, double margin, rh_meet_cache *cache,
            rh_manifold *out);

// Leaves at most `most` (1 to 8) points: the deepest, the one farthest from it, and those that span the greatest area with these.
void rh_manifold_thin(rh_manifold *m, int most);

#endif
