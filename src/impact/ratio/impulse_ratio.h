// impulse_ratio.h: impacts at one point under a law whose tangential impulse is a constant ratio of
// the normal one (rh_impact_law.impulse_ratio; Brach 1989). With S the slip before, along the unit
// vector d (without slip: along that which the normal impulse starts), b = W_nn, w = W_nd, a = W_dd
// and A = (1 + e) times the speed of approach, the impulse (-rho d, 1) P has
//   P = A / (b - rho w),   slip after S_f = S + P (w - rho a),
// and S_f = s at rho(s) = ((S - s) b + A w) / ((S - s) w + A a). Friction takes rho = mu, but
//   - not beyond rho(0), where the slip ends;
//   - where the normal impulse alone reverses the slip (S + A w / b < 0) friction would have to push:
//     it does only where that still takes energy, that is down to S_f = -S, else rho = 0.
// The kinetic energy never grows: the normal part loses P A (1 - e) / (2 (1 + e)), friction
// rho P (S + S_f) / 2.
#ifndef ROUTH_IMPACT_RATIO_IMPULSE_RATIO_H
#define ROUTH_IMPACT_RATIO_IMPULSE_RATIO_H

#include "impact/impact.h"

// Does the impact of this law have a constant ratio? One without approach follows the other paths.
static inline bool rh_ratio_applies(const rh_impact_law *law, double approach)
{
  return law->impulse_ratio && approach < 0;
}

// The impacts of impact.h under such a law. `want`, `sample` may be NULL.
void rh_ratio_point(const rh_point_in *in, const rh_point_want *want, rh_point_out *out);
// NOLINTNEXTLINE(readability-function-size): as rh_planar_ode
void rh_ratio_planar(const rh_planar_in *in, rh_planar_sample *sample, void *user,
                     rh_planar_out *out);

#endif
