// convex_parts.h: a closed surface of triangles divided into convex parts (convex_parts.c).
#ifndef ROUTH_GEOMETRY_CONVEX_PARTS_H
#define ROUTH_GEOMETRY_CONVEX_PARTS_H

#include <routh/math.h>

#define RH_PARTS_MAX      64   // parts
#define RH_PARTS_TRIANGLES 5000 // of the surface

typedef struct rh_surface {
  const double *vert; // [m] three numbers each (nvert)
  int nvert;
  const double *face; // numbers of three vertices each, counter-clockwise seen from outside (ntri)
  int ntri;
} rh_surface;

typedef struct rh_part {
  double *vert;  // [m] vertices of its hull, three numbers each (rh_free)
  int nvert;
  double volume; // [m^3] of the solid in it: at most that of its hull
} rh_part;

typedef struct rh_parts { // all zero: none
  rh_part part[RH_PARTS_MAX];
  int n;
  double volume; // [m^3] of the solid
  double depth;  // [m] of the deepest hollow that a part fills
} rh_parts;

// At most `most` parts, fewer where none fills hollows deeper than `concavity` times the longest side
// of the body. RH_INPUT_REFUSED, RH_OVER_LIMIT: `why` (size RH_PARTS_WHY) is the reason: the surface is
// not closed, has no volume, or is inside out.
enum { RH_PARTS_WHY = 160 };
rh_status rh_parts_make(const rh_surface *surface, int most, double concavity, rh_parts *parts,
                        char *why) RH_CHECK_RESULT;
void rh_parts_free(rh_parts *parts);

#endif
