// hull_grown.h: volume and inertia of a hull grown by a radius.
#ifndef ROUTH_GEOMETRY_HULL_GROWN_H
#define ROUTH_GEOMETRY_HULL_GROWN_H

#include "hull.h"

typedef struct rh_hull_solid {
  double volume;   // [m^3]
  rh_vec3 centre;  // [m] centre of mass, uniform density
  rh_sym3 inertia; // [m^2] about the centre, for unit mass
} rh_hull_solid;

// Of the points no farther than r [m] from the hull. Exact but for rounding.
rh_hull_solid rh_hull_grown(const rh_hull *hull, double r);

#endif
