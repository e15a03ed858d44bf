// heightfield.h: a heightfield: ground given by its heights over a rectangle, two triangles to a cell, solid below.
#ifndef ROUTH_GEOM_FIELD_H
#define ROUTH_GEOM_FIELD_H

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
// a count, a size or a height is out of range; `*why` then says which (NULL is allowed).
rh_status rh_heightfield_create(int nx, int ny, const double size[2], const double *height,
                          rh_heightfield **field, const char **why) RH_CHECK_RESULT;

// Height [m] of the ground at (x, y), its normal if asked for. False: outside the rectangle.
bool rh_heightfield_height(const rh_heightfield *field, double x, double y, double *z, rh_vec3 *normal);

// Reaches down below the least height by the longer side of the rectangle: what has sunk in is not lost at once.
rh_bounds rh_heightfield_bounds(const rh_heightfield *field, const rh_xform *pose, double margin);

// Contact points of a sphere (shape A) with the field (shape B) that stands at `pose`, with a depth above -margin, in order
// of their ids, at most RH_TOUCH_MAX of the deepest; radius 0: a sample point of some other shape. The depth is along the
// normal of the face that is met, or along the line to the nearest point of an edge or a corner that stands out. In a
// valley a sphere meets several faces. A centre below the ground has the one point that is the least way out. Beside the
// rectangle there is no ground, only its rim from above. Under an infinite margin the nearest one is wanted, and others may be left out.
typedef struct rh_heightfield_ball {
  rh_vec3 centre; // [m] world
  double radius;  // [m]
} rh_heightfield_ball;

int rh_heightfield_touch(const rh_heightfield *field, const rh_xform *pose, const rh_heightfield_ball *ball,
                   double margin, rh_touch touch[RH_TOUCH_MAX]);

// Where the line of a hollow crease lies inside the ball, both faces press on what is the same ground: takes from each depth a part of
// the depth of that line, so that a face begins and ceases to count at depth zero, and a crease without angle is none. If
// there is such a crease, only the `most` deepest stay, and together they bear no less than the deepest alone did. Returns how many
// there are.
int rh_heightfield_share(const rh_heightfield *field, const rh_xform *pose, const rh_heightfield_ball *ball,
                   rh_touch *touch, int n, int most);

#endif
