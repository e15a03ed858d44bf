// elementary_power.h: the inside of exponential, logarithm and powers, as math/elementary.h. Logarithms are right to about
// 2^-66 of themselves, so that those times 710 leave an exponential right to 2^-56.
#ifndef ROUTH_MATH_ELEMENTARY_POWER_H
#define ROUTH_MATH_ELEMENTARY_POWER_H

#include "math/elementary.h"

// exp(x) = 2^k (hi + lo)(1 + r + tail), (hi, lo) a row of the table
typedef struct ef_exponential {
  double hi, lo, r, tail;
  int64_t k;
} ef_exponential;

// x + rest, |x| < 1000. The multiple of ln 2 / 32 to 36 bits is exact, and so is its difference from x.
EF_INLINE ef_exponential ef_exp_parts(double x, double rest)
{
  ef_bits n = ef_bits_of(x * RH_32_OVER_LN2 + EF_ROUND);
  double k = n.x - EF_ROUND;
  double a = x - k * RH_LN2_32_HI;
  double b = k * RH_LN2_32_LO;
  double c = a - b;
  double r = c + rest;
  double z = r * r;
  double p = (RH_EXP_0 + RH_EXP_1 * r) + (RH_EXP_2 + RH_EXP_3 * r) * z + RH_EXP_4 * (z * z);
  int64_t j = n.i & 31;
  ef_exponential e;
  e.hi = rh_exp_of[j][0];
  e.lo = rh_exp_of[j][1];
  e.r = r;
  e.tail = (((a - c) - b) + ((c - r) + rest)) + z * p;
  e.k = ((int64_t)k - j) / 32;
  return e;
}

// exp(x) = 2^k (hi + lo)
EF_INLINE ef_two ef_exp(double x, double rest, int64_t *k)
{
  ef_exponential e = ef_exp_parts(x, rest);
  *k = e.k;
  return ef_sum_sorted(e.hi, e.lo + e.hi * (e.r + e.tail));
}

// 2^k (hi + lo), rounded once, hi in [0.9, 2). What is subnormal is rounded where 1 + x has its last bit.
EF_INLINE double ef_scale(ef_two v, int64_t k)
{
  if (k > -1022 || (k == -1022 && v.hi >= 1)) {
    int64_t half = k / 2;
    return v.hi * ef_power_of_two(half) * ef_power_of_two(k - half);
  }
  if (k < -1080) {
    return 0;
  }
  double unit = ef_power_of_two(k + 1022);
  double x = v.hi * unit;
  double rounded = 1 + x;
  double left = ((1 - rounded) + x) + v.lo * unit;
  return ((rounded + left) - 1) * 0x1p-1022;
}

// exp(x) - 1, |x| < 700
EF_INLINE ef_two ef_exp_less_1(double x, double rest)
{
  ef_exponential e = ef_exp_parts(x, rest);
  if (e.k < -1020) {
    return ef_make(-1, 0);
  }
  double unit = ef_power_of_two(e.k);
  ef_two p = ef_product(e.hi, e.r);
  ef_two s = ef_sum(e.hi * unit, -1);
  ef_two t = ef_sum(s.hi, p.hi * unit);
  return ef_sum_sorted(t.hi, (s.lo + t.lo) + (p.lo + (e.hi * e.tail + (e.lo + e.lo * e.r))) * unit);
}

// k ln 2 + row + log(1 + r + rest); row: the logarithm in a row of the table, |r| <= 2^-7. ln 2 and row.hi are multiples of
// 2^-42, so that their sum is exact; it is 0 or larger than r.
EF_INLINE ef_two ef_log_sum(double k, ef_two row, double r, double rest)
{
  double most = k * RH_LN2_HI + row.hi;
  double least = k * RH_LN2_LO + row.lo;
  ef_two z = ef_square(r);
  ef_two a = ef_sum_sorted(most, r);
  ef_two b = ef_sum_sorted(a.hi, -0.5 * z.hi);
  double p = (RH_LOG_0 + RH_LOG_1 * r) + (RH_LOG_2 + RH_LOG_3 * r) * z.hi +
             ((RH_LOG_4 + RH_LOG_5 * r) + RH_LOG_6 * z.hi) * (z.hi * z.hi);
  double few = (rest - rest * r) - 0.5 * z.lo;
  return ef_sum_sorted(b.hi, (((a.lo + b.lo) + least) + few) + r * z.hi * p);
}

// log(x + rest), x > 0 and finite, rest at most half a unit in its last place. With the table's 1/c of eleven bits and x in
// two parts x/c - 1 is exact.
EF_INLINE ef_two ef_log(double x, double rest)
{
  int64_t down = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54; // only where rest is 0
    down = 54;
  }
  ef_bits b = ef_bits_of(x);
  int64_t e = (int64_t)(b.u >> 52) - 1023;
  int64_t i = (int64_t)(b.u >> 45 & 127);
  b.u = (b.u & 0xfffffffffffffu) | (uint64_t)1023 << 52;
  double inverse = rh_log_of[i][0];
  double top = ef_top(b.x);
  ef_two r = ef_sum_sorted(top * inverse - 1, (b.x - top) * inverse);
  if (rest != 0) {
    // by 2^-e in two steps, which is beyond the exponents else
    r.lo += rest * ef_power_of_two(-(e / 2)) * ef_power_of_two(e / 2 - e) * inverse;
  }
  double k = (double)(e - down + (i >= RH_LOG_HALVES));
  return ef_log_sum(k, ef_make(rh_log_of[i][1], rh_log_of[i][2]), r.hi, r.lo);
}

// log(1 + x), x.hi > -1
EF_INLINE ef_two ef_log_1_plus(ef_two x)
{
  if (fabs(x.hi) < 0x1p-8) {
    return ef_log_sum(0, ef_make(0, 0), x.hi, x.lo);
  }
  ef_two s = ef_sum(1, x.hi);
  return ef_log(s.hi, s.lo + x.lo);
}

#endif
