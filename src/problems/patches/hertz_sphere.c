// Hertz: load, radius and peak pressure under a sphere, for each approach.
#include "problem_patch.h"

enum { R, ESTAR, DELTA };

static const rh_param input[] = {
    RH_PATCH_R,
    RH_PATCH_ESTAR,
    {.name = "delta",
     .unit = "m",
     .lo = 0,
     .hi = 1e9,
     .type = RH_LIST,
     .doc = "approaches of the bodies",
     .open = true},
};

static const rh_output output[] = {
    {"rows", "m, N, m, Pa", "maps",
     "delta, load F, radius a and peak pressure p0 of each approach"},
};

static rh_status solve_hertz_sphere(const rh_inputs *in, rh_answer *answer)
{
  static const char *const column[] = {"delta", "F", "a", "p0"};
  double value[RH_PAR_MAX];
  int n = 0;
  bool good = rh_plain_inputs(in, value);
  double *delta = rh_list_input(in, DELTA, RH_PATCH_LIST_MAX, &n);
  rh_status status = good && delta != NULL ? RH_OK : RH_INPUT_REFUSED;
  double *row = status == RH_OK ? rh_answer_add_rows(answer, "rows", n, 4, column) : NULL;
  for (int i = 0; row != NULL && i < n; i++) {
    rh_hertz hertz = rh_hertz_sphere(value[R], value[ESTAR], delta[i]);
    row[4 * i] = delta[i];
    row[4 * i + 1] = hertz.load;
    row[4 * i + 2] = hertz.radius;
    row[4 * i + 3] = hertz.peak;
  }
  rh_free(delta);
  return status == RH_OK && row == NULL ? RH_OUT_OF_MEMORY : status;
}

const rh_problem rh_problem_hertz_sphere = {
    .row = {"hertz_sphere", "[WK] 4.1", "Hertz's load, radius and pressure under a sphere", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_hertz_sphere,
};
