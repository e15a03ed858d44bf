// Constraint `sums`: a weighted sum of joint coordinates, as the length of a fixed tendon, is a
// polynomial of a second sum, or a constant without a second one: L1 - at1 = c0 + c1 s + c2 s^2 + c3
// s^3 + c4 s^4, s = L2 - at2. The first `first` joints are those of L1. It is kept in positions too.
#include "constraint.h"

enum { POLY, AT1 = 5, AT2, FIRST };

static const rh_param param[] = {
    {"c0", "joint", 0, -1e12, 1e12, "constant of the polynomial", RH_NUMBER, 0, NULL, false},
    {"c1", "1", 1, -1e12, 1e12, "its slope", RH_NUMBER, 0, NULL, false},
    {"c2", "1/joint", 0, -1e12, 1e12, "factor of the square", RH_NUMBER, 0, NULL, false},
    {"c3", "1/joint^2", 0, -1e12, 1e12, "of the third power", RH_NUMBER, 0, NULL, false},
    {"c4", "1/joint^3", 0, -1e12, 1e12, "of the fourth power", RH_NUMBER, 0, NULL, false},
    {"at1", "joint", 0, -1e12, 1e12, "first sum from which it counts", RH_NUMBER, 0, NULL, false},
    {"at2", "joint", 0, -1e12, 1e12, "the same of the second sum", RH_NUMBER, 0, NULL, false},
    {"first", "1", 1, 1, RH_CONSTRAINT_TERMS,
     "number of joints of the first sum; the others are "
     "those of the second",
     RH_INTEGER, 0, NULL, false},
};

static void sums_row(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                     rh_constraint_rows *rate)
{
  const double *c = par + POLY;
  int first = at->n < (int)par[FIRST] ? at->n : (int)par[FIRST];
  double length[2] = {-par[AT1], -par[AT2]};
  double speed = 0; // of the second sum
  for (int i = 0; i < at->n; i++) {
    length[i >= first] += at->given[i] * at->q[i];
    speed += i >= first ? at->given[i] * at->dq[i] : 0;
  }
  double s = first < at->n ? length[1] : 0;
  double slope = c[1] + s * (2 * c[2] + s * (3 * c[3] + s * 4 * c[4]));
  double bend = 2 * c[2] + s * (6 * c[3] + s * 12 * c[4]);
  row->gap[0] = length[0] - (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4]))));
  for (int i = 0; i < at->n; i++) {
    row->coef[i] = i < first ? at->given[i] : -slope * at->given[i];
    rate->coef[i] = i < first ? 0 : -bend * speed * at->given[i];
  }
}

extern const rh_constraint_kind rh_constraint_kind_sums;

const rh_constraint_kind rh_constraint_kind_sums = {
    .row = {.name = "sums",
            .cite = "",
            .doc = "a weighted sum of joint coordinates is a polynomial of a second sum",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .joints = {1, RH_CONSTRAINT_TERMS},
    .given = true,
    .rows = sums_row,
};
