// Constraint `rows`: a row of one's own: a velocity of the body relative to the other at a point,
// along a direction and about an axis in the axes of the end on the body, and speeds of joints:
//   push . (v_a - v_b) + turn . (w_a - w_b) + sum of coefficients times speeds = speed
#include "constraint.h"

enum { PUSH, TURN = 3, SPEED = 6 };

static const rh_param param[] = {
    {"push", "1", 0, -1e6, 1e6, "direction of the velocity, axes of the end on the body", RH_VECTOR,
     3, NULL, false},
    {"turn", "m", 0, -1e6, 1e6, "factor of the angular velocity, the same axes", RH_VECTOR, 3, NULL,
     false},
    {"speed", "m/s", 0, -1e9, 1e9, "given value of the row: a drive", RH_NUMBER, 0, NULL, false},
};

static void own_row(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                    rh_constraint_rows *rate)
{
  rh_dual3 turn = rh_constraint_direction(at, 0, par + TURN);
  rh_constraint_set_point(rh_constraint_place(at, 0), row, rate);
  rh_constraint_set_push(0, rh_constraint_direction(at, 0, par + PUSH), (rh_dual){par[SPEED], 0},
                         row, rate);
  row->turn[0] = turn.x;
  rate->turn[0] = turn.dx;
  for (int i = 0; i < at->n; i++) {
    row->coef[i] = at->given[i];
  }
}

extern const rh_constraint_kind rh_constraint_kind_rows;

const rh_constraint_kind rh_constraint_kind_rows = {
    .row = {.name = "rows",
            .cite = "[WK] 2.1",
            .doc = "a linear combination of speeds has a given value",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .bodies = true,
    .joints = {0, RH_CONSTRAINT_TERMS},
    .speeds = RH_CONSTRAINT_TERMS,
    .given = true,
    .rows = own_row,
};
