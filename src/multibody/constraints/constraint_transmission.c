// Constraint `transmission`: the speed of a joint is the ratio times that of a second one. The ratio
// may be shifted by the coordinate of a third, as in the disk and ball of a continuously variable
// transmission: v1 = (ratio + shift q3) v2. Such a constraint is not integrable.
#include "constraint.h"

enum { RATIO, SHIFT };

static const rh_param param[] = {
    {"ratio", "joint/joint", 0, -1e12, 1e12, "speed of the first joint over that of the second",
     RH_NUMBER, 0, NULL, false},
    {"shift", "joint/joint^2", 0, -1e12, 1e12, "change of the ratio by the coordinate of joint3",
     RH_NUMBER, 0, NULL, false},
};

static const char *check_ratio(const double *par)
{
  return par[RATIO] != 0 || par[SHIFT] != 0 ? NULL : "must not be 0 without a shift";
}

static void speed_row(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                      rh_constraint_rows *rate)
{
  bool shifts = at->n > 2;
  row->coef[0] = 1;
  row->coef[1] = -(par[RATIO] + (shifts ? par[SHIFT] * at->q[2] : 0));
  rate->coef[1] = shifts ? -par[SHIFT] * at->dq[2] : 0;
}

extern const rh_constraint_kind rh_constraint_kind_transmission;

const rh_constraint_kind rh_constraint_kind_transmission = {
    .row = {.name = "transmission",
            .cite = "[NF] II",
            .doc = "speeds of two joints in a ratio, which a third may shift",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .joints = {2, 3},
    .speeds = 2,
    .check = check_ratio,
    .rows = speed_row,
};
