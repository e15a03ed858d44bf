// tangents.h: a right-handed frame on a normal.
#ifndef ROUTH_MATH_TANGENTS_H
#define ROUTH_MATH_TANGENTS_H

#include <routh/math.h>

// Unit tangents t1, t2 with t1 x t2 = n, without a branch but the sign of n.z; continuous but where n.z changes its sign.
static inline void rh_tangents_of(rh_vec3 n, rh_vec3 *t1, rh_vec3 *t2)
{
  double sign = n.z >= 0 ? 1 : -1;
  double k = -1 / (sign + n.z);
  double xy = n.x * n.y * k;
  *t1 = rh_v3(1 + sign * n.x * n.x * k, sign * xy, -sign * n.x);
  *t2 = rh_v3(xy, sign + n.y * n.y * k, -n.y);
}

#endif
