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

static void keep_mode(void *user, const rh_tangential_phase *phase)
{
  rh_impact_modes *modes = user;
  if (modes->n < RH_IMPACT_MODES) {
    modes->phase[modes->n] = *phase;
  }
  modes->n++;
}

void rh_impact_find_modes(const rh_impact_show *show, int law, rh_impact_modes *modes)
{
  const rh_planar_in *in = &show->in;
  const rh_tangential_in to = {.dim = 2,
                               .W = {in->Ktt, in->Ktn, in->Ktn, in->Knn},
                               .u = {in->S0, in->C0},
                               .mu = in->mu_k,
                               .e = in->e,
                               .eta2 = in->eta2};
  const rh_tangential_watch watch = {.phase = keep_mode, .user = modes};
  rh_tangential_out out;
  modes->n = 0;
  if (rh_tangential_applies(show->law[law], in->eta2)) {
    (void)rh_tangential_impact(&to, &watch, &out);
  }
}
