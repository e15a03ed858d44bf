// Impact of a block on the ground at several points on a bed of springs; e^2 of the total work is
// returned.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(-1, 1),
    RH_BLOCK_WEIGHTS("stiffness of the springs: equal, or n numbers in any unit; default: equal"),
};

static const rh_output output[] = {RH_BLOCK_OUTPUTS};

static rh_status solve_winkler_global(const rh_inputs *in, rh_answer *answer)
{
  return rh_block_strike(in, "winkler-global", NULL, answer);
}

const rh_problem rh_problem_winkler_global = {
    .row = {"winkler_global", "[Ch] 2.28-2.33*",
            "block on several points: springs, restitution of all together", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_winkler_global,
};
