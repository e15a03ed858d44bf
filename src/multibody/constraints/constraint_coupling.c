// Constraint `coupling`: the coordinate of a joint is a polynomial of that of a second one, or a
// constant without a second one: q1 - at1 = c0 + c1 s + c2 s^2 + c3 s^3 + c4 s^4, s = q2 - at2. It is
// kept in positions too.
#include "constraint.h"

enum { POLY, AT1 = 5, AT2 };

static const rh_param param[] = {
    {"c0", "joint", 0, -1e12, 1e12, "constant of the polynomial", RH_NUMBER, 0, NULL, false},
    {"c1", "joint/joint", 1, -1e12, 1e12, "its slope", RH_NUMBER, 0, NULL, false},
    {"c2", "joint/joint^2", 0, -1e12, 1e12, "factor of the square", RH_NUMBER, 0, NULL, false},
    {"c3", "joint/joint^3", 0, -1e12, 1e12, "of the third power", RH_NUMBER, 0, NULL, false},
    {"c4", "joint/joint^4", 0, -1e12, 1e12, "of the fourth power", RH_NUMBER, 0, NULL, false},
    {"at1", "joint", 0, -1e12, 1e12, "coordinate of the first joint from which it counts",
     RH_NUMBER, 0, NULL, false},
    {"at2", "joint", 0, -1e12, 1e12, "the same of the second joint", RH_NUMBER, 0, NULL, false},
};

static void coupling_row(const rh_constraint_at *at, const double *par, rh_constraint_rows *row,
                         rh_constraint_rows *rate)
{
  const double *c = par + POLY;
  double s = at->n > 1 ? at->q[1] - par[AT2] : 0;
  double p = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])));
  double slope = c[1] + s * (2 * c[2] + s * (3 * c[3] + s * 4 * c[4]));
  double bend = 2 * c[2] + s * (6 * c[3] + s * 12 * c[4]);
  row->gap[0] = at->q[0] - par[AT1] - p;
  row->coef[0] = 1;
  if (at->n > 1) {
    row->coef[1] = -slope;
    rate->coef[1] = -bend * at->dq[1];
  }
}

extern const rh_constraint_kind rh_constraint_kind_coupling;

const rh_constraint_kind rh_constraint_kind_coupling = {
    .row = {.name = "coupling",
            .cite = "",
            .doc = "the coordinate of a joint is a polynomial of that of a second one",
            .param = param,
            .nparam = RH_COUNT(param)},
    .nrow = 1,
    .joints = {1, 2},
    .rows = coupling_row,
};
