// Impact of a block on the ground at several points; normal impulses by the pair factors of [Ch]: as slip over mu in a
// plane, or given.
#include "problems/problem_block.h"

static const rh_param input[] = {
    RH_BLOCK_INPUTS(-1, 1),
    {.name = "factors",
     .unit = "1",
     .type = RH_LIST,
     .doc = "given normal impulses relative to each other, n numbers; 0 or none: by C_qr"},
};

static const rh_output output[] = {
    RH_BLOCK_OUTPUTS,
    {"initial_split", "1", "n", "normal impulses at first, of one in all"},
};

static rh_status solve_thesis_literal(const rh_inputs *in, rh_answer *answer)
{
  rh_block split = {0};
  rh_status status = rh_block_strike(in, "thesis", &split, answer);
  if (status == RH_OK) {
    double *to = rh_answer_add(answer, "initial_split", 1, split.rows, 1, 1);
    status = to != NULL ? RH_OK : RH_OUT_OF_MEMORY;
    for (int i = 0; to != NULL && i < split.rows; i++) {
      to[i] = split.x[i];
    }
  }
  rh_block_free(&split);
  return status;
}

const rh_problem rh_problem_thesis_literal = {
    .row = {"thesis_literal", "[Ch] 2.18*",
            "block on several points: normal impulses by pair factors", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_thesis_literal,
};
