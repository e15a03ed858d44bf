// exact_orient.h: side of a plane through three points on which a fourth lies, with an exact sign.
#ifndef ROUTH_GEOMETRY_EXACT_ORIENT_H
#define ROUTH_GEOMETRY_EXACT_ORIENT_H

#include <routh/math.h>

// Six times the volume of the tetrahedron a b c d: > 0 where d sees a, b, c counter-clockwise, exactly 0 in their plane.
// The sign is exact and the value good to a few roundings, as long as no coordinate that differs from zero is smaller
// than 1e-30 or larger than 1e30.
double rh_orient(rh_vec3 a, rh_vec3 b, rh_vec3 c, rh_vec3 d);

#endif
