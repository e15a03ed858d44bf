// Cattaneo and Mindlin: a sphere pressed and then pushed sideways; its sticking part, and its
// shift.
#include "problem_patch.h"

enum { R, ESTAR, DELTA, MU, SHEAR, NU, SHARES };

static const rh_param input[] = {
    RH_PATCH_R, RH_PATCH_ESTAR, RH_PATCH_DELTA,  RH_PATCH_MU,
    RH_PATCH_G, RH_PATCH_NU,    RH_PATCH_SHARES,
};

static const rh_output output[] = {
    {"P", "N", "", "normal load (Hertz)"},
    {"a", "m", "", "radius of the contact"},
    {"rows", "1, 1, m, m", "maps",
     "Q_over_muP, radius of the part that sticks c_over_a, shift delta_t, shift at which all slips "
     "full_slip_delta"},
};

static rh_status solve_mindlin(const rh_inputs *in, rh_answer *answer)
{
  static const char *const column[] = {"Q_over_muP", "c_over_a", "delta_t", "full_slip_delta"};
  double value[RH_PAR_MAX];
  int n = 0;
  bool good = rh_plain_inputs(in, value);
  double *share = rh_list_input(in, SHARES, RH_PATCH_LIST_MAX, &n);
  if (!good || share == NULL) {
    rh_free(share);
    return RH_INPUT_REFUSED;
  }
  rh_hertz hertz = rh_hertz_sphere(value[R], value[ESTAR], value[DELTA]);
  double full = rh_mindlin_full_slip(&hertz, value[MU], value[SHEAR], value[NU]);
  good = rh_answer_number(answer, "P", hertz.load);
  good = rh_answer_number(answer, "a", hertz.radius) && good;
  double *row = rh_answer_add_rows(answer, "rows", n, 4, column);
  for (int i = 0; row != NULL && i < n; i++) {
    double c = rh_mindlin_stick(share[i]);
    row[4 * i] = share[i];
    row[4 * i + 1] = c;
    row[4 * i + 2] = full * (1 - c * c);
    row[4 * i + 3] = full;
  }
  rh_free(share);
  return good && row != NULL ? RH_OK : RH_OUT_OF_MEMORY;
}

const rh_problem rh_problem_mindlin = {
    .row = {"mindlin", "[WK] 4.5", "part of a pressed sphere that sticks under a tangential load",
            input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_mindlin,
};
