// Impact of a block on the ground at several points, by Moreau's law: v+ = -e v- + (1 + e) v_c, v_c
// the velocity nearest to v- without approach at any point.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(0, 1),
};

static const rh_output output[] = {RH_BLOCK_OUTPUTS};

static rh_status solve_moreau(const rh_inputs *in, rh_answer *answer)
{
  return rh_block_strike(in, "moreau", NULL, answer);
}

const rh_problem rh_problem_moreau = {
    .row = {"moreau", "", "block on several points: Moreau's law", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_moreau,
};
