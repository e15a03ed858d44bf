// Loop `weld`: two ends that are one frame. The attitude's gap is the rotation vector from b to a, whose rate is wa - wb as far as the gap is small.
#include "loop_rows.h"

static void weld_rows(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row)
{
  (void)par;
  rh_mat3 back = rh_mat3_transpose(&b->R);
  rh_mat3 turned = rh_mat3_mul(&a->R, &back);
  rh_vec3 gap = rh_quat_log(rh_quat_of_matrix(&turned));
  rh_loop_places(a, b, row);
  row[3] = (rh_loop_row){{0, 0, 0}, {1, 0, 0}, gap.x};
  row[4] = (rh_loop_row){{0, 0, 0}, {0, 1, 0}, gap.y};
  row[5] = (rh_loop_row){{0, 0, 0}, {0, 0, 1}, gap.z};
}

extern const rh_loop_kind rh_loop_kind_weld;

const rh_loop_kind rh_loop_kind_weld = {
    .row = {.name = "weld", .cite = "[RBDA] 8", .doc = "the ends are one frame"},
    .nrow = 6,
    .nplace = 3,
    .rows = weld_rows,
};
