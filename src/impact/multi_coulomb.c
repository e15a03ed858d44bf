// A plastic impact with exact Coulomb friction: u_n = 0 where p_n > 0, p_t against the slip after the impact. e is taken as 0.
#include "impact.h"

#include "laws/laws.h"

#include <string.h>

static size_t room_of(int n)
{
  return (size_t)n + rh_many_room(n);
}

static bool coulomb_impact(const rh_many_in *in, const double *par, double *room, double *p,
                           double *u_after, rh_many_out *out)
{
  rh_many_in all = *in;
  (void)par;
  memset(room, 0, (size_t)in->n * sizeof(double));
  all.e = room;
  all.law = &rh_impact_law_poisson;
  return rh_many_impact(&all, room + in->n, p, u_after, out);
}

extern const rh_formulation rh_formulation_coulomb;

const rh_formulation rh_formulation_coulomb = {
    .row = {.name = "coulomb",
            .cite = "[Ch] 2.6-2.12*",
            .doc = "plastic: e = 0, Coulomb friction on the velocities after"},
    .passive = true,
    .alone = true,
    .plastic = true,
    .room = room_of,
    .strike = coulomb_impact,
};
