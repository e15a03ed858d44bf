// impact_trace.c: the curve of a planar impact along the normal impulse.
#include "impact.h"

// One parameter above the limit: it is an rh_planar_sample.
// NOLINTNEXTLINE(readability-function-size)
static void keep_sample(void *user, double Pn, double Pt, double S, double C, double Wn, double Wt)
{
  rh_impact_curve *c = user;
  if (c->n < RH_IMPACT_SAMPLES) {
    c->Pn[c->n] = Pn;
    c->Pt[c->n] = Pt;
    c->S[c->n] = S;
    c->C[c->n] = C;
    c->Wn[c->n] = Wn;
    c->Wt[c->n] = Wt;
    c->n++;
  }
}

rh_impact_curve *rh_impact_trace(const rh_impact_show *show, int law)
{
  rh_impact_curve *curve = rh_alloc(sizeof *curve);
  rh_planar_out out;
  if (curve == NULL) {
    (void)rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    return NULL;
  }
  (void)rh_planar_ode(show->law[law], &show->in, keep_sample, curve, &out);
  return curve;
}
