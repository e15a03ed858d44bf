// Impact of a block on the ground at several points, plastic and convex: u_n >= mu |u_t| at every
// point, nearest to v-.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(0, 0),
};

static const rh_output output[] = {RH_BLOCK_OUTPUTS};

static rh_status solve_ccp(const rh_inputs *in, rh_answer *answer)
{
  return rh_block_strike(in, "cone", NULL, answer);
}

const rh_problem rh_problem_ccp = {
    .row = {"ccp", "Anitescu 2006", "block on several points: plastic, convex cones", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_ccp,
};
