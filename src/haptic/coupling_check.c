// coupling_check.c: the tick that the coupling of device and tool bears. With e the place of the
// device seen from the grip, M its mobility (device and tool together), K and B the gains, a tick is
//   v+ = v - dt M (K e + B v),   e+ = e + dt v+.
// In e = M^1/2 y all matrices are symmetric. For a mode y of length 1, with c = dt y'M^1/2 B M^1/2 y
// and g = dt^2 y'M^1/2 K M^1/2 y, the roots of x^2 + (c + g - 2) x + 1 - c are within the unit circle
// if 2 c + g < 4 (Jury); and where the largest 2 c + g of all y exceeds 4 there is a real root
// beyond -1. So the loop is stable if, and only if, the eigenvalues of M (dt^2 K + 2 dt B) are
// below 4: for two equal masses 2 K dt^2 + 4 B dt < 4 m. Left out: contacts, which only take
// mobility away; springs of hands; what large rotations change.
#include "step.h"

#include "math/dense.h"

#include <math.h>

static const double ROUNDING = 1e-9; // of the bound: a tick just at it is no error

// 4 - R M R, R^2 = dt^2 K + 2 dt B, which is diagonal
static bool tick_is_stable(const double M[36], const double gain[4], double dt)
{
  double root[6];
  double A[36];
  for (int i = 0; i < 6; i++) {
    const double *pair = i < 3 ? gain : gain + 2;
    root[i] = sqrt(dt * dt * pair[0] + 2 * dt * pair[1]);
  }
  for (int i = 0; i < 36; i++) {
    A[i] = (i % 7 == 0 ? 4 * (1 + ROUNDING) : 0) - root[i / 6] * M[i] * root[i % 6];
  }
  return rh_cholesky(6, A);
}

double rh_haptic_longest_tick(rh_haptic *h, rh_data *d, bool measured)
{
  const rh_model_haptic *k = &h->m->haptic;
  const rh_haptic_coupling *coupling = rh_haptic_coupling_of(k);
  double M[36];
  if (k->device == RH_NONE || !coupling->gains) {
    return HUGE_VAL;
  }
  rh_kinematics(d);
  rh_grip_relative_mobility(h, d, measured, M);
  const double *gain = coupling->gains(k);
  if (tick_is_stable(M, gain, h->dt)) {
    return HUGE_VAL;
  }
  double lo = 0;
  double hi = h->dt;
  for (int i = 0; i < 60; i++) { // to rounding
    double middle = 0.5 * (lo + hi);
    if (tick_is_stable(M, gain, middle)) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  return lo;
}
