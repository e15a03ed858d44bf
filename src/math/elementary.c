// Elementary functions: the special values of C17 Annex F around the insides of elementary*.h.
#include "math/elementary.h"
#include "math/elementary_arc.h"
#include "math/elementary_power.h"

#include <routh/elementary.h>

// The same bits everywhere; processors and compilers make different ones of 0/0.
static double not_a_number(void)
{
  ef_bits b;
  b.u = (uint64_t)0x7ff8 << 48;
  return b.x;
}

// ---- angles

double rh_sin(double x)
{
  if (fabs(x) < EF_TINY) {
    return x;
  }
  if (!isfinite(x)) {
    return not_a_number();
  }
  ef_angle a = ef_reduce_any(x);
  double y = a.quarter & 1 ? ef_cosine_sum(a.r, a.rest) : a.r + ef_sine_tail(a.r, a.rest);
  return a.quarter & 2 ? -y : y;
}

double rh_cos(double x)
{
  if (!isfinite(x)) {
    return not_a_number();
  }
  ef_angle a = ef_reduce_any(x);
  double y = a.quarter & 1 ? a.r + ef_sine_tail(a.r, a.rest) : ef_cosine_sum(a.r, a.rest);
  return (a.quarter + 1) & 2 ? -y : y;
}

void rh_sincos(double x, double *sine, double *cosine)
{
  if (!isfinite(x)) {
    *sine = *cosine = not_a_number();
    return;
  }
  ef_sine_cosine(x, ef_reduce_any(x), sine, cosine);
}

double rh_tan(double x)
{
  if (fabs(x) < EF_TINY) {
    return x;
  }
  if (!isfinite(x)) {
    return not_a_number();
  }
  ef_angle a = ef_reduce_any(x);
  ef_two s = ef_sum_sorted(a.r, ef_sine_tail(a.r, a.rest));
  ef_two c = ef_cosine(a.r, a.rest);
  c = ef_sum_sorted(c.hi, c.lo - 0.5 * ef_square(a.r).lo);
  return a.quarter & 1 ? -ef_quotient(c, s).hi : ef_quotient(s, c).hi;
}

double rh_asin(double x)
{
  double ax = fabs(x);
  if (ax < EF_TINY) {
    return x;
  }
  if (!(ax < 1)) {
    return ax == 1 ? x * RH_HALF_PI_HI : not_a_number();
  }
  return copysign(ef_arc(ef_make(ax, 0), ef_other_leg(x)).hi, x);
}

double rh_acos(double x)
{
  if (!(fabs(x) < 1)) {
    return x == 1 ? 0 : x == -1 ? 2 * RH_HALF_PI_HI : not_a_number();
  }
  return ef_arc(ef_other_leg(x), ef_make(x, 0)).hi;
}

double rh_atan(double x)
{
  return fabs(x) < EF_TINY ? x : rh_atan2(x, 1);
}

double rh_atan2(double y, double x)
{
  if (isnan(x) || isnan(y)) {
    return not_a_number();
  }
  double ax = fabs(x);
  double ay = fabs(y);
  double angle;
  if (ay == 0 || ax == HUGE_VAL) {
    angle = ay == HUGE_VAL ? 0.5 * RH_HALF_PI_HI : 0;
    if (signbit(x)) {
      angle = ay == HUGE_VAL ? 1.5 * RH_HALF_PI_HI : 2 * RH_HALF_PI_HI;
    }
    return copysign(angle, y);
  }
  if (ax == 0 || ay == HUGE_VAL) {
    return copysign(RH_HALF_PI_HI, y);
  }
  double larger = ax > ay ? ax : ay;
  double by = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1;
  ax *= by;
  ay *= by;
  if (ay < ax * 0x1p-60) {
    angle = x < 0 ? 2 * RH_HALF_PI_HI : fabs(y / x); // what is subnormal is rounded once
  } else if (ax < ay * 0x1p-60) {
    angle = RH_HALF_PI_HI;
  } else {
    angle = ef_arc(ef_make(ay, 0), ef_make(x < 0 ? -ax : ax, 0)).hi;
  }
  return copysign(angle, y);
}

// ---- exponentials and logarithms

double rh_exp(double x)
{
  if (!(fabs(x) < 746)) {
    return x < 0 ? 0 : x > 0 ? HUGE_VAL : not_a_number();
  }
  int64_t k;
  ef_two v = ef_exp(x, 0, &k);
  return ef_scale(v, k);
}

double rh_expm1(double x)
{
  if (fabs(x) < 0x1p-54) {
    return x;
  }
  if (!(fabs(x) < 700)) {
    return x < 0 ? -1 : rh_exp(x); // 1 is below 2^-1000 of it
  }
  return ef_exp_less_1(x, 0).hi;
}

static double log_of_none(double x) // of 0, of what is negative, infinite or not a number
{
  return x == 0 ? -HUGE_VAL : x == HUGE_VAL ? x : not_a_number();
}

double rh_log(double x)
{
  return x > 0 && x < HUGE_VAL ? ef_log(x, 0).hi : log_of_none(x);
}

double rh_log10(double x)
{
  if (!(x > 0 && x < HUGE_VAL)) {
    return log_of_none(x);
  }
  ef_two l = ef_log(x, 0);
  ef_two p = ef_product(l.hi, RH_LOG10_E_HI);
  return p.hi + (p.lo + (l.hi * RH_LOG10_E_LO + l.lo * RH_LOG10_E_HI));
}

double rh_log1p(double x)
{
  if (fabs(x) < 0x1p-54) {
    return x;
  }
  return x > -1 && x < HUGE_VAL ? ef_log_1_plus(ef_make(x, 0)).hi : log_of_none(x + 1);
}

// ---- powers

// Whether y is an odd integer (1), an even one (2), or none (0)
static int tell_parity(double y)
{
  if (!(fabs(y) < 0x1p53)) {
    return fabs(y) >= 0x1p53 ? 2 : 0;
  }
  return floor(y) != y ? 0 : floor(0.5 * y) != 0.5 * y ? 1 : 2;
}

// |x|^y where x is 0 or infinite, or y infinite; all without a sign
static double power_at_end(double x, double y)
{
  if (isinf(y)) {
    return x == 1 ? 1 : (x > 1) == (y > 0) ? HUGE_VAL : 0;
  }
  return (x > 1) == (y > 0) ? HUGE_VAL : 0;
}

double rh_pow(double x, double y)
{
  if (x == 1 || y == 0) {
    return 1;
  }
  if (isnan(x) || isnan(y)) {
    return not_a_number();
  }
  int parity = tell_parity(y);
  double sign = signbit(x) && parity == 1 ? -1 : 1;
  double ax = fabs(x);
  if (ax == 0 || ax == HUGE_VAL || isinf(y)) {
    return sign * power_at_end(ax, y);
  }
  if (x < 0 && parity == 0) {
    return not_a_number();
  }
  if (ax == 1) {
    return sign;
  }
  if (!(fabs(y) < 0x1p64)) { // |log x| is at least 2^-53
    return sign * power_at_end(ax, y);
  }
  if (fabs(y) < 0x1p-64) { // and at most 2^10
    return 1;
  }
  ef_two l = ef_log(ax, 0);
  ef_two p = ef_product(y, l.hi);
  if (!(fabs(p.hi) < 746)) {
    return sign * (p.hi > 0 ? HUGE_VAL : 0);
  }
  int64_t k;
  ef_two v = ef_exp(p.hi, p.lo + y * l.lo, &k);
  return sign * ef_scale(v, k);
}

// By a polynomial, Halley's step, which leaves 1e-12, and one of Newton with the exact cube
double rh_cbrt(double x)
{
  double ax = fabs(x);
  if (!(ax > 0 && ax < HUGE_VAL)) {
    return x;
  }
  int e;
  double m = frexp(ax, &e); // in [1/2, 1)
  int third = (e + 3000) / 3 - 1000;
  int over = e - 3 * third;
  double t = (RH_CBRT_0 + RH_CBRT_1 * m) + (RH_CBRT_2 + RH_CBRT_3 * m) * (m * m);
  t *= over == 0 ? 1 : over == 1 ? RH_ROOT_2 : RH_ROOT_4;
  double a = over == 0 ? m : over == 1 ? 2 * m : 4 * m;
  double cube = t * t * t;
  t *= (cube + 2 * a) / (2 * cube + a);
  ef_two square = ef_square(t);
  ef_two p = ef_product(square.hi, t);
  t -= ((p.hi - a) + (p.lo + square.lo * t)) / (3 * square.hi);
  return copysign(t * ef_power_of_two(third), x);
}

double rh_hypot(double x, double y)
{
  double ax = fabs(x);
  double ay = fabs(y);
  double a = ax > ay ? ax : ay;
  double b = ax > ay ? ay : ax;
  double by = 1;
  if (!(a < 0x1p500 && a > 0x1p-400)) {
    if (ax == HUGE_VAL || ay == HUGE_VAL) {
      return HUGE_VAL;
    }
    if (isnan(x) || isnan(y)) {
      return not_a_number();
    }
    by = a > 1 ? 0x1p600 : 0x1p-600;
    a *= 1 / by;
    b *= 1 / by;
  }
  if (!(b > a * 0x1p-54)) {
    return ax + ay; // half a unit at most; NaN stays
  }
  ef_two p = ef_square(a);
  ef_two q = ef_square(b);
  ef_two s = ef_sum_sorted(p.hi, q.hi);
  return by * sqrt(s.hi + (s.lo + (p.lo + q.lo)));
}

// ---- hyperbolic functions

double rh_tanh(double x)
{
  double ax = fabs(x);
  if (ax < EF_TINY) {
    return x;
  }
  if (!(ax < 22)) { // 2 exp(-44) is below a quarter of a unit
    return isnan(x) ? x : copysign(1, x);
  }
  ef_two e = ef_exp_less_1(2 * ax, 0);
  ef_two d = ef_sum(e.hi, 2);
  d.lo += e.lo;
  return copysign(ef_quotient(e, d).hi, x);
}

static double log_of_twice(double x) // x >= 2^28
{
  ef_two l = ef_log(x, 0);
  ef_two s = ef_sum_sorted(l.hi, RH_LN2_HI);
  return s.hi + (s.lo + (l.lo + RH_LN2_LO));
}

// log(1 + (x + x^2/(1 + sqrt(1 + x^2))))
double rh_asinh(double x)
{
  double ax = fabs(x);
  if (ax < EF_TINY || !(ax < HUGE_VAL)) {
    return x;
  }
  if (ax >= 0x1p28) {
    return copysign(log_of_twice(ax), x);
  }
  ef_two square = ef_square(ax);
  ef_two s = ef_sum(1, square.hi);
  ef_two root = ef_root(ef_sum_sorted(s.hi, s.lo + square.lo));
  ef_two below = ef_sum(root.hi, 1);
  below.lo += root.lo;
  ef_two q = ef_quotient(square, below);
  ef_two b = ef_sum(ax, q.hi);
  return copysign(ef_log_1_plus(ef_make(b.hi, b.lo + q.lo)).hi, x);
}

// log(1 + (x - 1 + sqrt((x - 1)(x + 1))))
double rh_acosh(double x)
{
  if (!(x >= 1)) {
    return not_a_number();
  }
  if (x >= 0x1p28) {
    return x < HUGE_VAL ? log_of_twice(x) : x;
  }
  if (x == 1) {
    return 0;
  }
  ef_two t = ef_sum(x, -1);
  ef_two square = ef_square(t.hi); // (x - 1)^2 + 2 (x - 1)
  ef_two s = ef_sum(2 * t.hi, square.hi);
  ef_two root = ef_root(ef_sum(s.hi, s.lo + (square.lo + 2 * t.lo * (1 + t.hi))));
  ef_two b = ef_sum(t.hi, root.hi);
  return ef_log_1_plus(ef_make(b.hi, b.lo + (root.lo + t.lo))).hi;
}

// log(1 + 2 x/(1 - x)) / 2
double rh_atanh(double x)
{
  double ax = fabs(x);
  if (ax < EF_TINY) {
    return x;
  }
  if (!(ax < 1)) {
    return ax == 1 ? copysign(HUGE_VAL, x) : not_a_number();
  }
  ef_two q = ef_quotient(ef_make(2 * ax, 0), ef_sum(1, -ax));
  return copysign(0.5 * ef_log_1_plus(q).hi, x);
}
