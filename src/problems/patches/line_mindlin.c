// Cattaneo and Mindlin for a line: a cylinder pressed and then pushed sideways.
#include "problem_patch.h"

enum { R, ESTAR, P, SHARES };

static const rh_param input[] = {RH_PATCH_R, RH_PATCH_ESTAR, RH_PATCH_P, RH_PATCH_SHARES};

static const rh_output output[] = {
    {"a", "m", "", "half-width of the contact"},
    {"p0", "Pa", "", "greatest pressure"},
    {"c_over_a", "1", "n", "half-width of the part that sticks, for each load"},
};

static rh_status solve_line_mindlin(const rh_inputs *in, rh_answer *answer)
{
  double value[RH_PAR_MAX];
  int n = 0;
  bool good = rh_plain_inputs(in, value);
  double *share = rh_list_input(in, SHARES, RH_PATCH_LIST_MAX, &n);
  if (!good || share == NULL) {
    rh_free(share);
    return RH_INPUT_REFUSED;
  }
  rh_hertz hertz = rh_hertz_line(value[R], value[ESTAR], value[P]);
  good = rh_answer_number(answer, "a", hertz.radius);
  good = rh_answer_number(answer, "p0", hertz.peak) && good;
  double *c = rh_answer_add(answer, "c_over_a", 1, n, 1, 1);
  for (int i = 0; c != NULL && i < n; i++) {
    c[i] = rh_mindlin_stick_line(share[i]);
  }
  rh_free(share);
  return good && c != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_line_mindlin = {
    .row = {"line_mindlin", "[WK] 4.5",
            "part of a pressed cylinder that sticks under a tangential load", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_line_mindlin,
};
