// Moreau's law: v+ = -e v- + (1 + e) v_c, v_c the velocity nearest to v- without approach at any
// point. With friction: Coulomb's between the impulses and (u_t+, u_n+ + e u_n-), in one cone
// problem; that may create energy, as Newton's law may, and is marked then. Without friction and
// for one e it never does. The law of the contacts is not used.
#include "impact.h"

#include "laws/laws.h"

static bool moreau_impact(const rh_many_in *in, const double *par, double *room, double *p,
                          double *u_after, rh_many_out *out)
{
  rh_many_in all = *in;
  (void)par;
  all.law = &rh_impact_law_newton;
  return rh_many_impact(&all, room, p, u_after, out);
}

extern const rh_formulation rh_formulation_moreau;

const rh_formulation rh_formulation_moreau = {
    .row = {.name = "moreau",
            .cite = "Moreau 1988",
            .doc = "v+ = -e v- + (1 + e) v_c, v_c nearest to v- without approach"},
    .together = true,
    .alone = true,
    .room = rh_many_room,
    .strike = moreau_impact,
};
