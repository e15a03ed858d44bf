// ray.h: where a ray meets a shape.
#ifndef ROUTH_GEOMETRY_RAYS_RAY_H
#define ROUTH_GEOMETRY_RAYS_RAY_H

#include "geometry/geometry.h"

// Distance [m] from a point along a unit vector to the surface; 0: the point is inside. Infinite: the
// ray does not meet the shape within `max` [m].
double rh_ray_cast(const rh_geom *g, rh_vec3 from, rh_vec3 along, double max);

#endif
