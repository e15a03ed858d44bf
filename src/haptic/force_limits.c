// Limits of a device ([CSC] section VI). An impulse p at a tick of dt is a force p / dt, often
// beyond any device:
//   saturate  the tool gets it whole, the device its maximum, component by component: they drift
//             apart
//   scale     both get alpha F, alpha = min limit / |F| over the components: restitution
//             alpha (1 + e) - 1 in place of e
//   spread    as scale, and the contact goes on colliding at the next tick until nothing is scaled
// One factor for all components: with one each it would be no restitution.
#include "haptic.h"

#include "math/dense.h"

#include <math.h>

static double clip_symmetric(double x, double limit)
{
  return fmin(fmax(x, -limit), limit);
}

rh_limited rh_haptic_limit(rh_haptic_limits mode, const double limit[6], double e,
                           const double F[6])
{
  rh_limited l = {.alpha = 1};
  for (int i = 0; i < 6; i++) {
    if (fabs(F[i]) > limit[i]) {
      l.alpha = fmin(l.alpha, limit[i] / fabs(F[i]));
    }
  }
  bool scales = mode == RH_LIMITS_SCALE || mode == RH_LIMITS_SPREAD;
  l.alpha = scales ? l.alpha : 1;
  l.scaled = l.alpha < 1;
  l.e_eff = l.alpha * (1 + e) - 1;
  for (int i = 0; i < 6; i++) {
    l.tool[i] = l.alpha * F[i];
    l.device[i] = mode == RH_LIMITS_NONE ? F[i] : clip_symmetric(l.tool[i], limit[i]);
  }
  return l;
}

// D - (1 + e)/2 T must be positive semidefinite, but for rounding.
bool rh_haptic_passive(int n, const double *device, const double *tool, double e)
{
  double A[36];
  double most = 0;
  RH_ASSERT(n >= 0 && n <= 6);
  for (int i = 0; i < n * n; i++) {
    A[i] = device[i] - 0.5 * (1 + e) * tool[i];
    most = fmax(most, fabs(device[i]));
  }
  for (int i = 0; i < n; i++) {
    A[i * n + i] += 1e-12 * most;
  }
  return rh_cholesky(n, A);
}
