// The patch under a sphere that is pressed and then shifted sideways by a given distance: friction
// holds each cell separately, and the rest slips. [WK] 4.4-4.6. The tractions are along the shift;
// the small ones across it are neglected, as by Mindlin.
#include "problem_patch.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { R, ESTAR, DELTA, N, WIDTH, MU, SHEAR, NU, SHIFT };

static const rh_param input[] = {
    RH_PATCH_R,
    RH_PATCH_ESTAR,
    RH_PATCH_DELTA,
    RH_PATCH_N,
    RH_PATCH_WIDTH,
    RH_PATCH_MU,
    RH_PATCH_G,
    RH_PATCH_NU,
    {.name = "delta_t", .unit = "m", .def = 2e9, .lo = -1e9, .hi = 1e9, .doc = "tangential shift"},
};

static const rh_output output[] = {
    {"P", "N", "", "normal load on the patch"},
    {"Q", "N", "", "tangential load on the patch"},
    {"stick_cells", "1", "", "cells that friction holds"},
    {"contact_cells", "1", "", "cells in contact"},
    {"c_over_a_cells", "1", "",
     "radius of a circle as large as the cells that stick, over Hertz's a"},
    {"c_over_a_theory", "1", "", "the same of Cattaneo and Mindlin, under these loads"},
};

// Forces over G h |delta_t|, which replace the normal ones, no longer needed as limits. False: not
// solved.
static bool shift_patch(rh_sphere_patch *s, const double *value)
{
  double limit = value[MU] * value[ESTAR] * value[DELTA] / (value[SHEAR] * fabs(value[SHIFT]));
  rh_patch patch = rh_patch_tangential(s->n, 1, 1, value[NU], s->kernel);
  if (!isfinite(limit)) {
    return false;
  }
  for (int i = 0; i < s->n * s->n; i++) {
    s->drive[i] = 1;
    s->hi[i] = limit * s->f[i]; // [WK] eq. 4.5a; 4.5b* and 4.5c* are those of the solver
    s->lo[i] = -s->hi[i];
    s->f[i] = s->hi[i];
  }
  rh_patch_task task = {s->drive, s->lo, s->hi, 1e-12};
  return rh_patch_solve(&patch, &task, s->room, s->f).solved;
}

static rh_status answer_all(const rh_inputs *in, rh_sphere_patch *s, const double *value,
                            rh_answer *answer)
{
  rh_hertz hertz = rh_hertz_sphere(value[R], value[ESTAR], value[DELTA]);
  double h = s->h * hertz.radius;
  double way = fabs(value[SHIFT]);
  double Q = 0;
  int stick = s->cells; // without a shift
  if (way > 0) {
    if (!shift_patch(s, value)) {
      return rh_patch_failed(in);
    }
    stick = 0;
    for (int i = 0; i < s->n * s->n; i++) {
      Q += s->f[i];
      stick += fabs(s->f[i]) < s->hi[i];
    }
  }
  double P = value[ESTAR] * h * value[DELTA] * s->total;
  Q *= value[SHEAR] * h * value[SHIFT];
  double held = value[MU] * P > fabs(Q) ? 1 - fabs(Q) / (value[MU] * P) : 0;
  const double number[] = {P, Q, stick, s->cells, s->h * sqrt(stick / PI), rh_cbrt(held)};
  for (int i = 0; i < RH_COUNT(number); i++) {
    if (!rh_answer_number(answer, output[i].name, number[i])) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return RH_OK;
}

static rh_status solve_patch_tangential(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  rh_sphere_patch s;
  if (!rh_plain_inputs(in, value)) {
    return RH_INPUT_REFUSED;
  }
  rh_status status = rh_sphere_patch_open(in, (int)value[N], value[WIDTH], RH_INFLUENCE_LOVE, &s);
  if (status == RH_OK) {
    status = answer_all(in, &s, value, answer);
  }
  rh_sphere_patch_close(&s);
  return status;
}

const rh_problem rh_problem_patch_tangential = {
    .row = {"patch_tangential", "[WK] 4.4-4.6", "a pressed patch that is shifted sideways", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_patch_tangential,
};
