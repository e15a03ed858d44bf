// problem_painleve.c: see problem_painleve.h.
#include "problem_painleve.h"

#include <math.h>

const char *const rh_rod_class_name[3] = {"none", "unique", "multiple"};

rh_rod_answer rh_rod_solve(const rh_rod *rod)
{
  double c = rh_cos(rod->theta);
  double s = rh_sin(rod->theta);
  rh_rod_answer a = {0};
  a.p = 1 / rod->m + rod->l * rod->l / rod->I * c * (c + rod->slip_sign * rod->mu * s);
  a.b = -rod->g + rod->l * rod->omega * rod->omega * s;
  a.separates = a.b >= 0;
  a.slides = a.p != 0 ? -a.b / a.p > 0 : a.b == 0; // with p = b = 0 under any force
  a.N = a.slides && a.p != 0 ? -a.b / a.p : 0;
  a.cls = a.separates && a.slides   ? RH_ROD_MULTIPLE
          : a.separates || a.slides ? RH_ROD_UNIQUE
                                    : RH_ROD_NONE;
  return a;
}

static bool read_named(const rh_inputs *in, const char *name, bool required, double *x)
{
  const rh_row *row = &in->problem->row;
  int index = rh_row_find(row, name);
  return index == RH_NONE || rh_input_one(in, &row->param[index], required, x);
}

bool rh_rod_read(const rh_inputs *in, rh_rod *rod)
{
  *rod = (rh_rod){.g = 9.81, .slip_sign = -1};
  bool good = read_named(in, "m", true, &rod->m);
  good = read_named(in, "l", true, &rod->l) && good;
  rod->I = rod->m * rod->l * rod->l / 3;
  good = read_named(in, "I", false, &rod->I) && good;
  good = read_named(in, "g", false, &rod->g) && good;
  good = read_named(in, "slip_sign", false, &rod->slip_sign) && good;
  if (good && fabs(rod->slip_sign) != 1) {
    good = rh_input_refuse(in, rh_input_find(in, "slip_sign"), "slip_sign must be -1 or 1");
  }
  if (good && !(rod->I > 0 && isfinite(rod->I) && isfinite(rod->l * rod->l / rod->I))) {
    good = rh_input_refuse(in, in->map, "m, l and I differ too much in magnitude");
  }
  return good;
}
