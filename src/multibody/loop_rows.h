// loop_rows.h: equations that several kinds of loops share.
#ifndef ROUTH_MULTIBODY_LOOP_ROWS_H
#define ROUTH_MULTIBODY_LOOP_ROWS_H

#include <routh/kind.h>

// The ends are at one place: three rows along the world's axes.
static inline void rh_loop_places(const rh_xform *a, const rh_xform *b, rh_loop_row *row)
{
  rh_vec3 gap = rh_sub(a->p, b->p);
  row[0] = (rh_loop_row){{1, 0, 0}, {0, 0, 0}, gap.x};
  row[1] = (rh_loop_row){{0, 1, 0}, {0, 0, 0}, gap.y};
  row[2] = (rh_loop_row){{0, 0, 1}, {0, 0, 0}, gap.z};
}

#endif
