// solid_cut.h: a solid as a soup of triangles, and its cut by a plane (solid_cut.c).
#ifndef ROUTH_GEOMETRY_SOLID_CUT_H
#define ROUTH_GEOMETRY_SOLID_CUT_H

#include <routh/math.h>

#define RH_SOUP_MAX 200000 // triangles of one

typedef struct rh_soup { // all zero: empty
  rh_vec3 (*tri)[3];     // [m] counter-clockwise seen from outside (n)
  int n, capacity;
} rh_soup;

typedef struct rh_cut_plane { // below: normal . x <= offset
  rh_vec3 normal;             // of length 1
  double offset;              // [m]
} rh_cut_plane;

void rh_soup_free(rh_soup *soup);
bool rh_soup_add(rh_soup *soup, rh_vec3 a, rh_vec3 b, rh_vec3 c); // false: out of memory, or too many
double rh_soup_volume(const rh_soup *soup);                       // [m^3]
// The two parts of a closed surface, closed again by the section. Points nearer to the plane than
// `slack` [m] are on it. RH_OVER_LIMIT: it has too many triangles.
rh_status rh_soup_cut(const rh_soup *soup, rh_cut_plane plane, double slack, rh_soup *below,
                      rh_soup *above) RH_CHECK_RESULT;

#endif
