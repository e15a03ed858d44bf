// heightfield.h: a heightfield: ground given by its heights over a rectangle, two triangles per
// cell, solid below.
#ifndef ROUTH_GEOMETRY_HEIGHTFIELD_H
#define ROUTH_GEOMETRY_HEIGHTFIELD_H

#include "geometry.h"

#define RH_FIELD_SIDE_MAX   8192      // samples along a side
#define RH_FIELD_NUMBER_MAX (1 << 24) // samples in all
#define RH_FIELD_SIZE_MAX   1e6       // [m] sides and heights

typedef struct rh_heightfield { // the rectangle has its centre at the origin of the field's frame; z is up
  int nx, ny;             // samples along x and y, at least 2
  double dx, dy;          // [m] sides of a cell
  double x0, y0;          // [m] the corner where i = j = 0
  double lo, hi;          // [m] least and greatest height
  const double *height;   // [m] sample (i, j) is height[j * nx + i] (nx * ny)
} rh_heightfield;

// Each cell is cut from corner (i, j) to corner (i+1, j+1). The heights are copied; rh_free frees all. RH_INPUT_REFUSED:
// a count, a size or a height is out of range; `*why` is the reason (NULL is allowed).
rh_status rh_heightfield_create(int nx, int ny, const double size[2], const double *height,
                          rh_heightfield **field, const char **why) RH_CHECK_RESULT;

// Height [m] of the ground at (x, y), its normal if requested. False: outside the rectangle.
bool rh_heightfield_height(const rh_heightfield *field, double x, double y, double *z, rh_vec3 *normal);

// Reaches down below the least height by the longer side of the rectangle: sunk shapes are not lost
// at once.
rh_bounds rh_heightfield_bounds(const rh_heightfield *field, const rh_xform *pose, double margin);

// Contact points of a sphere (shape A) with the field (shape B) placed at `pose`, with a depth
// above -margin, in order of their ids, at most RH_TOUCH_KEPT of the deepest; radius 0: a sample
// point of some other shape. The depth is along the normal of the face, or along the line to the
// nearest point of a convex edge or corner. In a valley a sphere meets several faces. A centre
// below the ground has the one point of least depth. Outside the rectangle there is no ground, only
// its rim from above. With an infinite margin the nearest one is found, and others may be left out.
typedef struct rh_heightfield_ball {
  rh_vec3 centre; // [m] world
  double radius;  // [m]
} rh_heightfield_ball;

int rh_heightfield_touch(const rh_heightfield *field, const rh_xform *pose, const rh_heightfield_ball *ball,
                   double margin, rh_touch touch[RH_TOUCH_MAX]);

// Where the line of a hollow crease lies inside the ball, both faces press on the same ground:
// subtracts a part of the depth of that line from each depth, so that a face begins and ceases to
// count at depth zero, and a crease without angle has no effect. If there is such a crease, only
// the `most` deepest stay, and together they bear no less than the deepest alone did. Returns their
// number.
int rh_heightfield_share(const rh_heightfield *field, const rh_xform *pose, const rh_heightfield_ball *ball,
                   rh_touch *touch, int n, int most);

#endif
