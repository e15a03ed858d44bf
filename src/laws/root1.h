// root1.h: a bracketed root of a monotone function of one number, and the damping of an oscillation
// that rebounds with a given restitution.
#ifndef ROUTH_LAWS_ROOT1_H
#define ROUTH_LAWS_ROOT1_H

#include <math.h>
#include <stdbool.h>

// x in [lo, hi] with f(x) = 0, to the last digits: f(lo) and f(hi) must not have the same sign.
// Illinois' rule, with every third step a bisection, which converges for any f. False: no change of
// sign, or f is not finite.
static inline bool rh_solve1(double (*f)(double x, const double *par), const double *par, double lo,
                             double hi, double *x)
{
  double at_lo = f(lo, par);
  double at_hi = f(hi, par);
  if (!isfinite(at_lo) || !isfinite(at_hi) || (at_lo > 0 && at_hi > 0) || (at_lo < 0 && at_hi < 0)) {
    return false;
  }
  for (int i = 0; i < 400; i++) {
    double mid = i % 3 == 2 ? 0.5 * (lo + hi) : (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    if (!(mid > lo && mid < hi)) {
      mid = 0.5 * (lo + hi);
    }
    if (mid == lo || mid == hi) {
      break;
    }
    double at_mid = f(mid, par);
    if (!isfinite(at_mid)) {
      return false;
    }
    if (at_mid == 0) {
      *x = mid;
      return true;
    }
    if ((at_mid > 0) == (at_hi > 0)) {
      hi = mid;
      at_hi = at_mid;
      at_lo *= 0.5;
    } else {
      lo = mid;
      at_lo = at_mid;
      at_hi *= 0.5;
    }
  }
  *x = 0.5 * (lo + hi);
  return true;
}

// Minus the logarithm of e, minus the wanted value; zeta = b / (2 sqrt(m k)). With tension cut
// contact ends where x'' = 0, and the damped sine gives e = exp(-2 zeta acos(zeta) / sqrt(1 -
// zeta^2)), acosh beyond 1. [MO] eq. 4*
static inline double rh_excess_cut(double zeta, const double *want)
{
  double rest = (1 - zeta) * (1 + zeta);
  double angle = 1; // acos(zeta) / sqrt(1 - zeta^2) at zeta = 1
  if (rest > 0) {
    angle = rh_acos(zeta) / sqrt(rest);
  } else if (rest < 0) {
    angle = rh_acosh(zeta) / sqrt(-rest);
  }
  return 2 * zeta * angle - *want;
}

// zeta of a damped oscillation that leaves with e: after half a period, or, with tension cut, where
// its force is zero. False: there is none.
static inline bool rh_damping_ratio(double e, bool cut, double *zeta)
{
  const double pi = 3.14159265358979323846;
  if (!(e > 0 && e <= 1)) {
    return false;
  }
  double want = -rh_log(e);
  *zeta = want / sqrt(pi * pi + want * want); // [MO] eq. 4, solved for b
  return !cut || e == 1 || rh_solve1(rh_excess_cut, &want, 0, 1 / sqrt(e), zeta);
}

#endif
