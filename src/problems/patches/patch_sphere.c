// A sphere on an elastic half-space cut into cells: the exact answer of the discrete problem, with
// Hertz's. [WK] 4.2, 4.6
#include "problem_patch.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { R, ESTAR, DELTA, N, WIDTH, INFLUENCE };

static const rh_param input[] = {
    RH_PATCH_R,
    RH_PATCH_ESTAR,
    RH_PATCH_DELTA,
    RH_PATCH_N,
    RH_PATCH_WIDTH,
    {.name = "influence",
     .unit = "1",
     .def = RH_INFLUENCE_LOVE,
     .lo = RH_INFLUENCE_LOVE,
     .hi = RH_INFLUENCE_POINT,
     .doc = "love: uniform pressure on every cell; point: point forces off the diagonal; "
            "default: love",
     .type = RH_CHOICE,
     .choices = "love|point"},
};

static const rh_output output[] = {
    {"F", "N", "", "load on the patch"},
    {"F_hertz", "N", "", "load of Hertz"},
    {"p_max", "Pa", "", "greatest pressure of a cell"},
    {"p0_hertz", "Pa", "", "greatest pressure of Hertz"},
    {"cells", "1", "", "cells in contact"},
    {"a_area", "m", "", "radius of a circle as large as these cells"},
    {"a_hertz", "m", "", "radius of Hertz"},
    {"h", "m", "", "side of a cell"},
    {"row_forces", "N", "n", "forces of the cells of row n/2"},
};

static bool answer_all(const rh_sphere_patch *s, const double *value, rh_answer *answer)
{
  rh_hertz hertz = rh_hertz_sphere(value[R], value[ESTAR], value[DELTA]);
  double h = s->h * hertz.radius;
  double unit = value[ESTAR] * h * value[DELTA];
  const double number[] = {unit * s->total, hertz.load, value[ESTAR] * (value[DELTA] / h) * s->most,
                           hertz.peak,      s->cells,   h * sqrt(s->cells / PI),
                           hertz.radius,    h};
  bool good = true;
  for (int i = 0; i < RH_COUNT(number); i++) {
    good = rh_answer_number(answer, output[i].name, number[i]) && good;
  }
  double *row = rh_answer_add(answer, "row_forces", 1, s->n, 1, 1);
  for (int i = 0; row != NULL && i < s->n; i++) {
    row[i] = unit * s->f[s->n / 2 * s->n + i];
  }
  return good && row != NULL;
}

static rh_status solve_patch_sphere(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  rh_sphere_patch s;
  if (!rh_plain_inputs(in, value)) {
    return RH_INPUT_REFUSED;
  }
  rh_status status =
      rh_sphere_patch_open(in, (int)value[N], value[WIDTH], (rh_influence)value[INFLUENCE], &s);
  if (status == RH_OK && !answer_all(&s, value, answer)) {
    status = RH_OUT_OF_MEMORY;
  }
  rh_sphere_patch_close(&s);
  return status;
}

const rh_problem rh_problem_patch_sphere = {
    .row = {"patch_sphere", "[WK] 4.6-4.7", "a sphere on elastic ground divided into cells", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_sphere,
};
