// An impact in space with a normal spring, two equal tangential springs and one slider, in the limit of
// infinite stiffness: impact/tangential. Rows t1, t2, n.
#include "problems/problem_tangential.h"

static const rh_param input[] = {
    {.name = "W",
     .unit = "1/kg",
     .type = RH_TEXT,
     .doc = "3 rows of 3 numbers, symmetric; required"},
    {.name = "u0", .unit = "m/s", .type = RH_LIST, .doc = "velocity before (3); required"},
    RH_TANGENTIAL_INPUTS,
};

static const rh_output output[] = {
    RH_TANGENTIAL_OUTPUTS("3", "{mode: stick or slip, tau0, tau1} in their order")};

static rh_status solve_tangential_impact3(const rh_inputs *in, rh_answer *answer)
{
  rh_tangential_in posed = {.dim = 3};
  rh_tangential_out out;
  bool good = rh_tangential_read_point(in, &posed);
  good = rh_tangential_read(in, &posed) && good;
  return good ? rh_tangential_answer(in, &posed, &out, answer) : RH_INPUT_REFUSED;
}

const rh_problem rh_problem_tangential_impact3 = {
    .row = {"tangential_impact3", "Maw et al. 1976, Stronge 2000",
            "an impact in space with a tangential spring", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_tangential_impact3,
};
