// elementary.h: the inside of the elementary functions (<routh/elementary.h>): sums and products in two numbers, sine and
// cosine. Only + - * / sqrt and the bits of numbers, each rounded as IEEE 754 says, so that every compiler, processor and
// C library gives the same bits. Compile without contraction to fused operations (-ffp-contract=off, nvcc -fmad=false).
// Plain C that is C++ too: loops over these functions become vector instructions, and CUDA takes them after
//   #define EF_INLINE static inline __device__
//   #define RH_ELEMENTARY_TABLE static __device__ const
#ifndef ROUTH_MATH_ELEMENTARY_H
#define ROUTH_MATH_ELEMENTARY_H

#include "math/elementary_tables.h"

#include <math.h>

#ifndef EF_INLINE
#define EF_INLINE static inline
#endif

typedef union ef_bits {
  double x;
  int64_t i;
  uint64_t u;
} ef_bits;

// A number as the sum of two, the second at most about half a unit in the last place of the first
typedef struct ef_two {
  double hi, lo;
} ef_two;

// Adding it rounds a number below 2^50 to an integer, which is then in the lowest bits.
#define EF_ROUND 0x1.8p52

// Below this sin x, tan x, atan x and the like are x to half a unit in the last place: x^3/3 is below 2^-55 x.
#define EF_TINY 0x1p-27

EF_INLINE ef_two ef_make(double hi, double lo)
{
  ef_two r = {hi, lo};
  return r;
}

EF_INLINE ef_bits ef_bits_of(double x)
{
  ef_bits b;
  b.x = x;
  return b;
}

EF_INLINE double ef_power_of_two(int64_t e) // -1022 <= e <= 1023
{
  ef_bits b;
  b.u = (uint64_t)(e + 1023) << 52;
  return b.x;
}

// a + b exactly [Knuth, The Art of Computer Programming 2, 4.2.2 theorem B]
EF_INLINE ef_two ef_sum(double a, double b)
{
  double s = a + b;
  double t = s - a;
  return ef_make(s, (a - (s - t)) + (b - t));
}

// The same where |a| >= |b|, or a - (a + b) is exact [Dekker, Numer. Math. 18, 1971, p. 224]
EF_INLINE ef_two ef_sum_sorted(double a, double b)
{
  double s = a + b;
  return ef_make(s, (a - s) + b);
}

// The upper 26 bits of a number; the rest has 27.
EF_INLINE double ef_top(double x)
{
  ef_bits b = ef_bits_of(x);
  b.u &= ~(uint64_t)0x7ffffff;
  return b.x;
}

// a b to 2^-105 of itself, of parts whose products are exact [Dekker 1971]; must neither overflow nor underflow
EF_INLINE ef_two ef_product(double a, double b)
{
  double a1 = ef_top(a);
  double a2 = a - a1;
  double b1 = ef_top(b);
  double b2 = b - b1;
  double p = a * b;
  return ef_make(p, (((a1 * b1 - p) + a1 * b2) + a2 * b1) + a2 * b2);
}

EF_INLINE ef_two ef_square(double a)
{
  double a1 = ef_top(a);
  double a2 = a - a1;
  double p = a * a;
  return ef_make(p, ((a1 * a1 - p) + 2 * a1 * a2) + a2 * a2);
}

// The quotient and the root to about 2^-103: of numbers, then what the remainder adds
EF_INLINE ef_two ef_quotient(ef_two a, ef_two b)
{
  double q = a.hi / b.hi;
  ef_two p = ef_product(q, b.hi);
  return ef_sum_sorted(q, (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi);
}

EF_INLINE ef_two ef_root(ef_two a)
{
  double s = sqrt(a.hi);
  ef_two p = ef_square(s);
  return ef_sum_sorted(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2 * s));
}

// An angle as r + rest within [-pi/4, pi/4] and a number of quarter turns, of which the lowest two bits count
typedef struct ef_angle {
  double r, rest;
  int64_t quarter;
} ef_angle;

#define EF_LARGE 0x1p19 // angles below it are reduced by parts of pi/2

// |x| < EF_LARGE. The first three parts of pi/2 have 33 bits, so that their multiples are exact. So are the differences:
// the first since the two are near each other, the others in two numbers, since where the second is larger both are
// multiples of its last bit and of less than 2^53 of them. The fourth leaves 2^-136, while no double of this size is
// nearer to a multiple of pi/2 than 2^-62.
EF_INLINE ef_angle ef_reduce(double x)
{
  ef_bits turns = ef_bits_of(x * RH_TWO_OVER_PI + EF_ROUND);
  double k = turns.x - EF_ROUND;
  double a = x - k * RH_HALF_PI_1;
  double b = k * RH_HALF_PI_2;
  double c = k * RH_HALF_PI_3;
  double near = a - b;
  double left = (a - near) - b;
  double r = near - c;
  double rest = (left + ((near - r) - c)) - k * RH_HALF_PI_4;
  ef_angle angle;
  angle.r = r + rest;
  angle.rest = rest - (angle.r - r);
  angle.quarter = turns.i;
  return angle;
}

// sin(r + rest) as r and what is added to it
EF_INLINE double ef_sine_tail(double r, double rest)
{
  double z = r * r;
  double z2 = z * z;
  double p = ((RH_SIN_0 + RH_SIN_1 * z) + (RH_SIN_2 + RH_SIN_3 * z) * z2) +
             (RH_SIN_4 + RH_SIN_5 * z) * (z2 * z2);
  return r * z * p + rest * (1 - 0.5 * z);
}

// cos(r + rest) as 1 - z/2, rounded, and what is added to it: its rounding error and the rest of the series
EF_INLINE ef_two ef_cosine(double r, double rest)
{
  double z = r * r;
  double z2 = z * z;
  double p = ((RH_COS_0 + RH_COS_1 * z) + (RH_COS_2 + RH_COS_3 * z) * z2) +
             (RH_COS_4 + RH_COS_5 * z) * (z2 * z2);
  double half = 0.5 * z;
  double most = 1 - half;
  return ef_make(most, ((1 - most) - half) + (z2 * p - r * rest));
}

EF_INLINE double ef_cosine_sum(double r, double rest)
{
  ef_two c = ef_cosine(r, rest);
  return c.hi + c.lo;
}

// Sine and cosine of x from its reduced angle, without a branch
EF_INLINE void ef_sine_cosine(double x, ef_angle angle, double *sine, double *cosine)
{
  double s = angle.r + ef_sine_tail(angle.r, angle.rest);
  double c = ef_cosine_sum(angle.r, angle.rest);
  double a = angle.quarter & 1 ? c : s; // a quarter turn swaps the two
  double b = angle.quarter & 1 ? s : c;
  a = angle.quarter & 2 ? -a : a;
  *sine = fabs(x) < EF_TINY ? x : a; // keeps the sign of 0
  *cosine = (angle.quarter + 1) & 2 ? -b : b;
}

// ---- angles of any size [Payne, Hanek, SIGNUM Newsletter 18, 1983]: the bits of 2/pi whose products with x count

// 64 of the bits of a number of nine words, the lowest word first, from a place on
EF_INLINE uint64_t ef_take_bits(const uint32_t *word, int place)
{
  const uint32_t *w = word + place / 32;
  int by = place % 32;
  uint64_t low = (uint64_t)w[1] << 32 | w[0];
  return by == 0 ? low : low >> by | (uint64_t)w[2] << (64 - by);
}

// A fraction of a quarter turn, 192 bits and not 0, as two numbers
EF_INLINE ef_two ef_fraction(uint64_t f0, uint64_t f1, uint64_t f2)
{
  int zeros = 0;
  while (!(f0 >> 63)) {
    f0 = f0 << 1 | f1 >> 63;
    f1 = f1 << 1 | f2 >> 63;
    f2 <<= 1;
    zeros++;
  }
  double unit = ef_power_of_two(-53 - zeros);
  uint64_t low = (f0 & 0x7ff) << 42 | f1 >> 22; // the 53 bits after the upper 53
  return ef_make((double)(f0 >> 11) * unit, (double)low * 0x1p-53 * unit);
}

// |x| >= 2^2, finite. 53 bits times 224 of 2/pi; those before give whole turns, those after them less than 2^-138.
EF_INLINE ef_angle ef_reduce_large(double x)
{
  ef_bits b = ef_bits_of(x);
  int e = (int)(b.u >> 52 & 0x7ff) - 1075;
  uint64_t mantissa = (b.u & 0xfffffffffffffu) | (uint64_t)1 << 52;
  int first = e >= 2 ? (e - 2) / 32 : 0;
  uint32_t product[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  uint64_t factor[2] = {mantissa & 0xffffffffu, mantissa >> 32};
  for (int j = 0; j < 2; j++) {
    uint64_t carry = 0;
    for (int i = 0; i < 7; i++) {
      carry += factor[j] * rh_two_over_pi_bits[first + 6 - i] + product[i + j];
      product[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
    product[7 + j] = (uint32_t)carry;
  }
  int point = 226 - (e - 32 * first); // of the product modulo 4
  uint64_t f0 = ef_take_bits(product, point - 64);
  uint64_t f1 = ef_take_bits(product, point - 128);
  uint64_t f2 = ef_take_bits(product, point - 192);
  int64_t quarter = (int64_t)(f0 >> 62) + (int64_t)(f0 >> 61 & 1); // to the nearest
  f0 = f0 << 2 | f1 >> 62;
  f1 = f1 << 2 | f2 >> 62;
  f2 <<= 2;
  int down = (int)(f0 >> 63); // the fraction less 1
  if (down) {
    f2 = ~f2 + 1;
    f1 = ~f1 + (f2 == 0);
    f0 = ~f0 + (f2 == 0 && f1 == 0);
  }
  ef_two f = ef_fraction(f0, f1, f2);
  ef_two p = ef_product(f.hi, RH_HALF_PI_HI);
  ef_two r = ef_sum_sorted(p.hi, p.lo + (f.hi * RH_HALF_PI_LO + f.lo * RH_HALF_PI_HI));
  int turned = down != (int)(b.u >> 63);
  ef_angle angle;
  angle.r = turned ? -r.hi : r.hi;
  angle.rest = turned ? -r.lo : r.lo;
  angle.quarter = b.u >> 63 ? -quarter : quarter;
  return angle;
}

// Of any finite x; of one that needs no reduction what ef_reduce gives
EF_INLINE ef_angle ef_reduce_any(double x)
{
  if (fabs(x) < 0.78) {
    ef_angle angle = {x, 0, 0};
    return angle;
  }
  return fabs(x) < EF_LARGE ? ef_reduce(x) : ef_reduce_large(x);
}

#endif
