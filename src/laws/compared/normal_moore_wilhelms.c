// Moore-Wilhelms: a linear spring that is softer on the way out, k_receding = e k_compressing. [MO]
// sec. 1*, after Moore and Wilhelms 1988. The force is continuous at touchdown and jumps where the
// motion turns. Given back is e of the work, so that a free impact rebounds with sqrt(e), not with e
// (docs/errata.md). Printed, the law is a dry friction along the normal: a body at rest would be
// held at any depth between m g / k and m g / (e k), and the rate would not be continuous. Here the
// softer spring takes over as tanh(outward speed / v_s), which changes e by the order of (v_s / v)^2.
#include "laws/free_impact.h"
#include "laws/root1.h"

#include <routh/kind.h>

#include <math.h>

enum { K, RATIO, V_S };

static const rh_param param[] = {
    {.name = "k",
     .unit = "N/m",
     .def = 5e4,
     .lo = 0,
     .hi = 1e18,
     .doc = "stiffness in compression",
     .open = true},
    {.name = "e",
     .unit = "1",
     .def = 0.5,
     .lo = 0,
     .hi = 1,
     .doc = "stiffness on the way out over k: the share of the work that is given back"},
    {.name = "v_s",
     .unit = "m/s",
     .def = 1e-4,
     .lo = 0,
     .hi = 1e3,
     .doc = "outward speed at which the softer spring has taken over by three quarters",
     .open = true},
};

static void normal_force(const rh_normal_in *in, rh_normal_out *out)
{
  const double *p = in->par;
  double out_share = in->rate < 0 ? rh_tanh(-in->rate / p[V_S]) : 0;
  out->spring = p[K] * in->depth;                         // [MO] sec. 1, compressing
  out->damper = (p[RATIO] - 1) * out_share * out->spring; // the rest of k_receding
  out->stored = 0.5 * out->spring * in->depth;
}

extern const rh_normal_law rh_normal_law_moore_wilhelms;

// Mass, speed and stiffness are 1: e depends on the ratio and on v_s / v alone.
static double excess_restitution(double ratio, const double *want)
{
  double unit[RH_PAR_MAX] = {1, ratio, want[0]};
  rh_impact1_in in = {
      .law = &rh_normal_law_moore_wilhelms, .par = unit, .mass = 1, .speed = 1, .radius = HUGE_VAL};
  rh_impact1_out out;
  return rh_impact1(&in, &out) == RH_OK ? out.e - want[1] : HUGE_VAL;
}

static bool fit_ratio(double *par, double mass, double speed, double radius, double e)
{
  (void)mass;
  (void)radius;
  const double want[2] = {par[V_S] / speed, e};
  if (!(e > 0 && e <= 1 && speed > 0)) {
    return false;
  }
  double lo = 0.99 * e * e; // sqrt(ratio) is the least rebound
  while (lo > 1e-9 * e * e && excess_restitution(lo, want) > 0) {
    lo *= 0.25;
  }
  par[RATIO] = 1;
  return e == 1 || rh_solve1(excess_restitution, want, lo, 1, &par[RATIO]);
}

const rh_normal_law rh_normal_law_moore_wilhelms = {
    .row = {.name = "moore-wilhelms",
            .cite = "[MO] sec. 1, Moore and Wilhelms 1988",
            .doc = "linear spring, softer on the way out; rebound sqrt(e) at every speed",
            .param = param,
            .nparam = RH_COUNT(param)},
    .pulls = false,
    .continuous = true,
    .check = NULL,
    .force = normal_force,
    .fit = fit_ratio,
};
