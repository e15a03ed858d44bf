// tangential_point.c: the impacts of impact.h, at one point in space and in a plane, under a law with
// a tangential spring.
#include "tangential.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 24 }; // places per part of a phase

#define SLOW 1e-9 // of the slip: approach that stands for the limit of a jam

// Sliding without an approach: friction presses the bodies together ever harder. The spring is then
// in an unstable equilibrium; what leaves it is the limit of ever slower approaches.
static double jam_approach(double slip, double rate)
{
  return slip > 0 && rate < 0 ? -SLOW * slip : 0;
}

// ---- In space

typedef struct want_state {
  const rh_point_want *want;
  int done;
  rh_point_at last;
} want_state;

static void keep_point(void *user, const rh_tangential_at *at)
{
  want_state *w = user;
  rh_point_at here = {.Wn = at->Wn, .Wt = at->Wt};
  memcpy(here.p, at->p, sizeof here.p);
  memcpy(here.u, at->u, sizeof here.u);
  double step = here.p[2] - w->last.p[2];
  while (w->done < w->want->n && w->want->pn[w->done] <= here.p[2]) {
    double share = step > 0 ? (w->want->pn[w->done] - w->last.p[2]) / step : 1;
    rh_point_at *to = &w->want->at[w->done++];
    for (int i = 0; i < 3; i++) {
      to->p[i] = w->last.p[i] + share * (here.p[i] - w->last.p[i]);
      to->u[i] = w->last.u[i] + share * (here.u[i] - w->last.u[i]);
    }
    to->Wn = w->last.Wn + share * (here.Wn - w->last.Wn);
    to->Wt = w->last.Wt + share * (here.Wt - w->last.Wt);
  }
  w->last = here;
}

bool rh_tangential_point(const rh_point_in *in, const rh_point_want *want, rh_point_out *out)
{
  const double *W = in->W;
  double slip = rh_hypot(in->u[0], in->u[1]);
  double rate = slip > 0 ? W[8] - in->mu_k * (W[6] * in->u[0] + W[7] * in->u[1]) / slip : W[8];
  rh_tangential_in to = {
      .dim = 3, .mu = in->mu_k, .e = fmax(in->e, 0), .eta2 = fmin(in->eta2, RH_ETA2_MAX)};
  rh_tangential_out got;
  want_state state = {.want = want};
  const rh_tangential_watch watch = {.at = keep_point, .samples = SAMPLES, .user = &state};
  memcpy(to.W, W, sizeof to.W);
  memcpy(to.u, in->u, sizeof to.u);
  memcpy(state.last.u, in->u, sizeof in->u);
  to.u[2] = to.u[2] == 0 ? jam_approach(slip, rate) : to.u[2];
  bool good = rh_tangential_impact(&to, want != NULL ? &watch : NULL, &got);
  *out = (rh_point_out){.Pc = got.Pc,
                        .Wc = got.Wc,
                        .Dn = got.Dn,
                        .e = in->u[2] != 0 ? -got.u[2] / in->u[2] : (double)NAN,
                        .shifts = got.compressions > 1 ? got.compressions - 1 : 0};
  memcpy(out->p, got.p, sizeof got.p);
  memcpy(out->u, got.u, sizeof got.u);
  out->Dt = got.Dt;
  for (int i = 0; want != NULL && state.done + i < want->n; i++) {
    want->at[state.done + i] = state.last;
  }
  return good;
}

// ---- In a plane

typedef struct planar_state {
  rh_planar_sample *sample;
  void *user;
} planar_state;

static void pass_sample(void *user, const rh_tangential_at *at)
{
  const planar_state *s = user;
  s->sample(s->user, at->p[1], at->p[0], at->u[0], at->u[1], at->Wn, at->Wt);
}

bool rh_tangential_planar(const rh_planar_in *in, rh_planar_sample *sample, void *user,
                          rh_planar_out *out)
{
  double slip = fabs(in->S0);
  double rate = in->Knn - (in->S0 > 0 ? 1 : -1) * in->mu_k * in->Ktn;
  rh_tangential_in to = {.dim = 2,
                         .W = {in->Ktt, in->Ktn, in->Ktn, in->Knn},
                         .u = {in->S0, in->C0},
                         .mu = in->mu_k,
                         .e = fmax(in->e, 0),
                         .eta2 = fmin(in->eta2, RH_ETA2_MAX)};
  rh_tangential_out got;
  planar_state state = {sample, user};
  const rh_tangential_watch watch = {.at = pass_sample, .samples = SAMPLES, .user = &state};
  to.u[1] = to.u[1] == 0 ? jam_approach(slip, rate) : to.u[1];
  bool good = rh_tangential_impact(&to, sample != NULL ? &watch : NULL, &got);
  bool none = got.p[1] == 0;
  *out = (rh_planar_out){.kind = none ? RH_CASE_NONE : RH_CASE_SPRING,
                         .jam = slip > 0 && rate < 0 && !none,
                         .Sf = got.u[0],
                         .Cf = got.u[1],
                         .Pt = got.p[0],
                         .Pn = got.p[1],
                         .Pc = got.Pc,
                         .Ps = got.Ps,
                         .Dn = got.Dn,
                         .Dt = got.Dt,
                         .ncorner = none ? 1 : 2,
                         .corner = {{0, 0}, {got.p[0], got.p[1]}}};
  return good;
}
