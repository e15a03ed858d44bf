// elementary_arc.h: the inside of the arc functions, as math/elementary.h.
#ifndef ROUTH_MATH_ELEMENTARY_ARC_H
#define ROUTH_MATH_ELEMENTARY_ARC_H

#include "math/elementary.h"

// atan(y/x), 0 <= y <= x, x within 2^-500 .. 2^500, y/x > 2^-62 or 0. By the multiple c of 1/16 next to y/x:
// atan(y/x) = atan c + atan((y - c x)/(x + c y)), the last at most 1/32. Products with c, five bits, are exact.
EF_INLINE ef_two ef_arc_within(ef_two y, ef_two x)
{
  int i = (int)(y.hi / x.hi * 16 + 0.5);
  double c = i / 16.0;
  double x1 = ef_top(x.hi);
  double y1 = ef_top(y.hi);
  ef_two n = ef_sum(y.hi, -c * x1);
  n = ef_sum(n.hi, n.lo + (y.lo - (c * (x.hi - x1) + c * x.lo)));
  ef_two d = ef_sum(x.hi, c * y1);
  d = ef_sum_sorted(d.hi, d.lo + (x.lo + (c * (y.hi - y1) + c * y.lo)));
  ef_two v = ef_quotient(n, d);
  double z = v.hi * v.hi;
  double p = (RH_ATAN_0 + RH_ATAN_1 * z) + ((RH_ATAN_2 + RH_ATAN_3 * z) + RH_ATAN_4 * z * z) * (z * z);
  ef_two s = ef_sum(rh_atan_of[i][0], v.hi);
  return ef_sum_sorted(s.hi, s.lo + ((rh_atan_of[i][1] + v.lo) + v.hi * z * p));
}

// The angle of (x, y) in [0, pi], y >= 0, from whichever of the two axes is nearer
EF_INLINE ef_two ef_arc(ef_two y, ef_two x)
{
  ef_two ax = x.hi < 0 ? ef_make(-x.hi, -x.lo) : x;
  int swap = y.hi > ax.hi;
  ef_two a = swap ? ef_arc_within(ax, y) : ef_arc_within(y, ax);
  double sign = swap != (x.hi < 0) ? -1 : 1;
  double quarters = swap ? 1 : x.hi < 0 ? 2 : 0;
  ef_two s = ef_sum(quarters * RH_HALF_PI_HI, sign * a.hi);
  return ef_sum_sorted(s.hi, s.lo + (quarters * RH_HALF_PI_LO + sign * a.lo));
}

// sqrt(1 - x^2), |x| < 1
EF_INLINE ef_two ef_other_leg(double x)
{
  ef_two p = ef_square(x);
  ef_two s = ef_sum(1, -p.hi);
  return ef_root(ef_sum_sorted(s.hi, s.lo - p.lo));
}

#endif
