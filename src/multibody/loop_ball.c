// Loop `ball`: two ends at one place, free to turn about it.
#include "loop_rows.h"

static void ball_rows(const rh_xform *a, const rh_xform *b, const double *par, rh_loop_row *row)
{
  (void)par;
  rh_loop_places(a, b, row);
}

extern const rh_loop_kind rh_loop_kind_ball;

const rh_loop_kind rh_loop_kind_ball = {
    .row = {.name = "ball", .cite = "[RBDA] 8", .doc = "the ends coincide"},
    .nrow = 3,
    .nplace = 3,
    .rows = ball_rows,
};
