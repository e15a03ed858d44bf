// manifold_pair.h: pairs with their own fast functions for the points of a time step (manifold.h).
#ifndef ROUTH_GEOMETRY_MANIFOLD_PAIR_H
#define ROUTH_GEOMETRY_MANIFOLD_PAIR_H

#include "manifold.h"
#include "pair.h"

typedef int rh_meet_fn(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out);

rh_meet_fn rh_meet_sphere_sphere, rh_meet_sphere_plane, rh_meet_sphere_box, rh_meet_sphere_capsule,
    rh_meet_sphere_cylinder, rh_meet_capsule_plane, rh_meet_capsule_capsule, rh_meet_box_plane,
    rh_meet_box_box;

#endif
