// manifold.h: contact points of two placed shapes for a time step: those where they touch or may
// touch within it, few, with persistent ids, for engines that solve many contacts at a fixed step.
// Distances and points are those of rh_collide (geometry.h); quantities for compliant laws only
// (radius, area, curvatures) are left out.
#ifndef ROUTH_GEOMETRY_MANIFOLD_H
#define ROUTH_GEOMETRY_MANIFOLD_H

#include "geometry.h"

#define RH_MEET_MAX 8 // points of one pair

typedef struct rh_meet_point {
  rh_vec3 point;  // [m] world: halfway between the surfaces; against a plane or heightfield on the other shape
  // unit, from B into A; one per pair, except on a heightfield and for two parallel capsules
  rh_vec3 normal;
  double gap;     // [m] signed distance along the normal: < 0 overlap, > 0 may become a contact
  int id;         // the features that meet, >= 0; the same while the same ones meet, never twice in a manifold
} rh_meet_point;

typedef struct rh_manifold {
  int n;
  rh_meet_point at[RH_MEET_MAX];
} rh_manifold;

// Data that a pair may keep between calls. The result never depends on it, only the cost does. All
// zero: none yet.
typedef struct rh_meet_cache {
  rh_vec3 axis; // the last separating direction, in the axes of one of them; zero: none
} rh_meet_cache;

// Points with a gap below `margin` (>= 0) [m]. If there are more than 8, those stay that span most of the contact face,
// the deepest among them. `cache` may be NULL. Either shape may be the plane or the heightfield; two of these never
// meet. They come in the order of their ids. Never allocates. Returns out->n.
int rh_geom_meet(const rh_geom *a, const rh_geom *b, double margin, rh_meet_cache *cache,
            rh_manifold *out);

// Leaves at most `most` (1 to 8) points: the deepest, the one farthest from it, and those that span the greatest area with these.
void rh_manifold_thin(rh_manifold *m, int most);

#endif
