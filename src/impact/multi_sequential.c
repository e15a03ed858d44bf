// One point after the other, the fastest approach first, by the contacts' law (sequence.c).
#include "impact.h"

static bool sequential_impact(const rh_many_in *in, const double *par, double *room, double *p,
                              double *u_after, rh_many_out *out)
{
  (void)par;
  return rh_many_sequence(in, room, p, u_after, out);
}

extern const rh_formulation rh_formulation_sequential;

const rh_formulation rh_formulation_sequential = {
    .row = {.name = "sequential",
            .cite = "[WK] 2.7",
            .doc = "one point after the other, the fastest first: Newton's cradle"},
    .by_law = true,
    .springs = true,
    .passive = true,
    .alone = false,
    .room = rh_many_room,
    .strike = sequential_impact,
};
