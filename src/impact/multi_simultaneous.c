// Compression and restitution at all points together: a plastic impact, then e times its impulses again, by the contacts' law (multi_contact.c).
#include "impact.h"

static bool simultaneous_impact(const rh_many_in *in, const double *par, double *room, double *p,
                                double *u_after, rh_many_out *out)
{
  (void)par;
  return rh_many_impact(in, room, p, u_after, out);
}

const rh_formulation rh_formulation_simultaneous = {
    .row = {.name = "simultaneous",
            .cite = "[WK] 2.7*",
            .doc = "all points together: a plastic impact, then restitution by the law"},
    .by_law = true,
    .passive = true,
    .together = true,
    .alone = false,
    .room = rh_many_room,
    .strike = simultaneous_impact,
};
