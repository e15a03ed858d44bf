// Impact of a block on the ground at several points, plastic with exact Coulomb friction.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(0, 0),
};

static const rh_output output[] = {RH_BLOCK_OUTPUTS};

static rh_status solve_plastic_coulomb(const rh_inputs *in, rh_answer *answer)
{
  return rh_block_strike(in, "coulomb", NULL, answer);
}

const rh_problem rh_problem_plastic_coulomb = {
    .row = {"plastic_coulomb", "[Ch] 2.6-2.12*",
            "block on several points: plastic, Coulomb friction", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_plastic_coulomb,
};
