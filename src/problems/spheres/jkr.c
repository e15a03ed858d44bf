// The curve of adhesive contact of elastic spheres (Johnson, Kendall and Roberts 1971) and its marks.
#include "problem_jkr.h"

static const rh_param input[] = {
    RH_JKR_INPUTS,
    {.name = "a", .unit = "m", .type = RH_LIST, .doc = "radii of contact; default: none"},
};

static const rh_output output[] = {
    {"pull_off", "N", "", "greatest pull, 3/2 pi w R"},
    {"a_pull_off", "m", "", "radius of contact there"},
    {"d_pull_off", "m", "", "approach there"},
    {"a_zero_load", "m", "", "radius of contact without load"},
    {"d_zero_load", "m", "", "approach there"},
    {"a_zero_approach", "m", "", "radius of contact at d = 0"},
    {"F_zero_approach", "N", "", "force there, -8/9 of pull_off"},
    {"a_min", "m", "", "radius at which contact breaks under controlled approach"},
    {"d_min", "m", "", "approach there"},
    {"F_min_approach", "N", "", "force there, -5/9 of pull_off"},
    {"rows", "m, N", "list", "{a, F, delta} for each radius given"},
};

enum { RADII_MAX = 100000 };

static bool answer_marks(const rh_jkr *j, rh_answer *answer)
{
  double pull = rh_jkr_mark(j, 9.0 / 8);
  double load = rh_jkr_mark(j, 9.0 / 2);
  double zero = rh_jkr_mark(j, 2);
  double least = rh_jkr_mark(j, 0.125);
  const double value[] = {1.5 * RH_JKR_PI * j->work * j->radius,
                          pull,
                          rh_jkr_depth(j, pull),
                          load,
                          rh_jkr_depth(j, load),
                          zero,
                          rh_jkr_force(j, zero),
                          least,
                          rh_jkr_depth(j, least),
                          rh_jkr_force(j, least)};
  bool good = true;
  for (int i = 0; i < RH_COUNT(value); i++) {
    good = rh_answer_number(answer, output[i].name, value[i]) && good;
  }
  return good;
}

static rh_status answer_rows(const rh_inputs *in, const rh_jkr *j, rh_answer *answer)
{
  static const char *const column[] = {"a", "F", "delta"};
  rh_block a = {0};
  if (rh_input_find(in, "a") == RH_NONE) {
    return RH_OK;
  }
  if (!rh_input_list(in, "a", RH_NONE, RADII_MAX, &a)) {
    rh_block_free(&a);
    return RH_INPUT_REFUSED;
  }
  double *row = rh_answer_add_rows(answer, "rows", a.rows, RH_COUNT(column), column);
  rh_status status = row == NULL ? RH_OUT_OF_MEMORY : RH_OK;
  for (int i = 0; i < a.rows && status == RH_OK; i++) {
    if (!(a.x[i] > 0 && a.x[i] <= 1e12)) {
      (void)rh_input_refuse(in, rh_input_find(in, "a"), "a[%d] must be over 0 to 1e12 m, got %g", i,
                            a.x[i]);
      status = RH_INPUT_REFUSED;
    }
    row[3 * i] = a.x[i];
    row[3 * i + 1] = rh_jkr_force(j, a.x[i]);
    row[3 * i + 2] = rh_jkr_depth(j, a.x[i]);
  }
  rh_block_free(&a);
  return status;
}

static rh_status solve_jkr(const rh_inputs *in, rh_answer *answer)
{
  rh_jkr j;
  if (!rh_jkr_read(in, input, &j)) {
    return RH_INPUT_REFUSED;
  }
  return answer_marks(&j, answer) ? answer_rows(in, &j, answer) : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_jkr = {
    .row = {"jkr", "Johnson, Kendall and Roberts 1971", "adhesive contact of elastic spheres",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_jkr,
};
