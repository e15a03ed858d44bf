// Impact of a block on the ground at several points; equal normal impulses at the approaching ones.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(-1, 1),
    RH_BLOCK_WEIGHTS("equal; any other list has no effect"),
};

static const rh_output output[] = {RH_BLOCK_OUTPUTS};

static rh_status solve_fixed_split(const rh_inputs *in, rh_answer *answer)
{
  return rh_block_strike(in, "fixed-split", NULL, answer);
}

const rh_problem rh_problem_fixed_split = {
    .row = {"fixed_split", "[Ch] 2.3", "block on several points: normal impulses alike", input,
            RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_fixed_split,
};
