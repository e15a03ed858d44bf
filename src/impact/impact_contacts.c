// Contacts that touch at one instant, for every engine: a single one follows the path of its law, several
// take the formulation of the run.
#include "impact.h"

#include <string.h>

bool rh_impact_solve_one(const rh_many_in *in, double mu_s, double *p, double *u_after,
                         rh_many_out *out)
{
  rh_point_in point = {
      .mu_s = mu_s, .mu_k = in->mu[0], .e = in->e[0], .eta2 = in->eta2 ? in->eta2[0] : 0};
  rh_point_out end;
  memcpy(point.W, in->W, sizeof point.W);
  memcpy(point.u, in->u, sizeof point.u);
  bool good = rh_point_impact(in->law, &point, &end);
  memcpy(p, end.p, sizeof end.p);
  memcpy(u_after, end.u, sizeof end.u);
  *out = (rh_many_out){.Dn = end.Dn, .Dt = end.Dt, .gained = end.gained, .scale = 1, .impacts = 1};
  if (in->lost) {
    in->lost[0] = end.Dn;
    in->lost[1] = end.Dt;
  }
  return good;
}

// NOLINTNEXTLINE(readability-function-size): the input of a formulation, and friction at rest
bool rh_impact_solve(const rh_model_run *run, const rh_many_in *in, double mu_s, double *scratch,
                     double *p, double *u_after, rh_many_out *out)
{
  const rh_formulation *form = rh_formulation_of(run);
  if (in->n == 1 && !form->alone) {
    return rh_impact_solve_one(in, mu_s, p, u_after, out);
  }
  return form->strike(in, run->multi_impact_par, scratch, p, u_after, out);
}
