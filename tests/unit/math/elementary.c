// unit_elementary.c: the elementary functions against the C library's in long double, against numbers with 450 digits, at the
// special values of C17 Annex F, and by the hash of their bits, which is to be that of every compiler and C library.
#include "multibody/multibody.h"
#include "test.h"

#include <routh/elementary.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- Numbers by lot, of bits alone

static uint64_t draw_bits(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed * 2685821657736338717U;
}

static double draw_unit(uint64_t *seed) // in [0, 1)
{
  return (double)(draw_bits(seed) >> 11) * 0x1p-53;
}

typedef enum draw { // what numbers
  EVENLY,           // in a .. b
  MAGNITUDE,        // of either sign, exponents evenly in a .. b
  POSITIVE,         // the same, positive
  NEAR_ONE,         // 1 + z or 1 - z, exponents of z in a .. b
} draw;

typedef struct kind_of_number {
  draw how;
  double a, b;
} kind_of_number;

static double draw_number(const kind_of_number *k, uint64_t *seed)
{
  if (k->how == EVENLY) {
    return k->a + (k->b - k->a) * draw_unit(seed);
  }
  double size = 1 + draw_unit(seed);
  double x = ldexp(size, (int)floor(k->a + (k->b - k->a) * draw_unit(seed)));
  bool minus = draw_bits(seed) >> 63;
  if (k->how == NEAR_ONE) {
    return minus ? 1 - x : 1 + x;
  }
  return minus && k->how == MAGNITUDE ? -x : x;
}

// ---- Errors

// Error in units in the last place of a double at `want`, whose least is 2^-1074
static double error_in_units(double got, long double want)
{
  if (isnan(got) || isnan(want)) {
    return isnan(got) && isnan(want) ? 0 : (double)INFINITY;
  }
  if (isinf(got) || isinf((double)want)) {
    return got == (double)want ? 0 : (double)INFINITY;
  }
  int e = 0;
  (void)frexpl(want, &e);
  e = want == 0 || e - 53 < -1074 ? -1074 : e - 53;
  return (double)ldexpl(fabsl(got - want), -e);
}

typedef struct one_case {
  const char *name;
  double (*ours)(double);
  long double (*theirs)(long double);
  kind_of_number x;
  double bar; // [units in the last place]
} one_case;

// Half a unit is that of the last rounding. Beside it: of exponentials the rounding of a term of up to 2^-6, of logarithms, arcs
// and roots, in two numbers, nothing to speak of; of sine and cosine four roundings of terms up to 1/8 and one of z/2 up to
// 0.3; of the tangent those of both. 4/2048 more are the C library's, of 64 bits.
#define LIBRARY 0.002
#define ALL     0.51 + LIBRARY
#define POWERS  0.55 + LIBRARY
#define ROUGHER 0.65 + LIBRARY // exp(x) - 1: the same beside a small result
#define WAVES   0.85 + LIBRARY
#define TANGENT 0.97 + LIBRARY

static const one_case ones[] = {
    {"sin", rh_sin, sinl, {EVENLY, -8, 8}, WAVES},
    {"sin", rh_sin, sinl, {EVENLY, -600000, 600000}, WAVES},
    {"sin", rh_sin, sinl, {MAGNITUDE, -1074, 62}, WAVES},
    {"cos", rh_cos, cosl, {EVENLY, -8, 8}, WAVES},
    {"cos", rh_cos, cosl, {EVENLY, -600000, 600000}, WAVES},
    {"cos", rh_cos, cosl, {MAGNITUDE, -1074, 62}, WAVES},
    {"tan", rh_tan, tanl, {EVENLY, -8, 8}, TANGENT},
    {"tan", rh_tan, tanl, {MAGNITUDE, -1074, 62}, TANGENT},
    {"asin", rh_asin, asinl, {EVENLY, -1, 1}, ALL},
    {"asin", rh_asin, asinl, {MAGNITUDE, -1074, -1}, ALL},
    {"asin", rh_asin, asinl, {NEAR_ONE, -53, -1}, ALL},
    {"acos", rh_acos, acosl, {EVENLY, -1, 1}, ALL},
    {"acos", rh_acos, acosl, {NEAR_ONE, -53, -1}, ALL},
    {"atan", rh_atan, atanl, {EVENLY, -4, 4}, ALL},
    {"atan", rh_atan, atanl, {MAGNITUDE, -1074, 1023}, ALL},
    {"exp", rh_exp, expl, {EVENLY, -1, 1}, POWERS},
    {"exp", rh_exp, expl, {EVENLY, -750, 715}, POWERS},
    {"exp", rh_exp, expl, {EVENLY, -746, -707}, POWERS},
    {"exp", rh_exp, expl, {MAGNITUDE, -1074, 4}, POWERS},
    {"expm1", rh_expm1, expm1l, {EVENLY, -1, 1}, ROUGHER},
    {"expm1", rh_expm1, expm1l, {EVENLY, -45, 715}, POWERS},
    {"expm1", rh_expm1, expm1l, {MAGNITUDE, -1074, 0}, ROUGHER},
    {"log", rh_log, logl, {EVENLY, 0.4, 2.5}, ALL},
    {"log", rh_log, logl, {POSITIVE, -1074, 1023}, ALL},
    {"log", rh_log, logl, {NEAR_ONE, -53, -1}, ALL},
    {"log10", rh_log10, log10l, {POSITIVE, -1074, 1023}, ALL},
    {"log10", rh_log10, log10l, {NEAR_ONE, -53, -1}, ALL},
    {"log1p", rh_log1p, log1pl, {EVENLY, -1, 3}, ALL},
    {"log1p", rh_log1p, log1pl, {POSITIVE, -1074, 1023}, ALL},
    {"tanh", rh_tanh, tanhl, {EVENLY, -23, 23}, ROUGHER},
    {"tanh", rh_tanh, tanhl, {MAGNITUDE, -1074, 4}, ROUGHER},
    {"asinh", rh_asinh, asinhl, {EVENLY, -8, 8}, ALL},
    {"asinh", rh_asinh, asinhl, {MAGNITUDE, -1074, 1023}, ALL},
    {"acosh", rh_acosh, acoshl, {EVENLY, 1, 8}, ALL},
    {"acosh", rh_acosh, acoshl, {POSITIVE, 1, 1023}, ALL},
    {"atanh", rh_atanh, atanhl, {EVENLY, -1, 1}, ALL},
    {"atanh", rh_atanh, atanhl, {MAGNITUDE, -1074, -1}, ALL},
    {"cbrt", rh_cbrt, cbrtl, {EVENLY, -8, 8}, ALL},
    {"cbrt", rh_cbrt, cbrtl, {MAGNITUDE, -1074, 1023}, ALL},
};

// Where long double is double there is nothing to compare with.
#define LONGER (LDBL_MANT_DIG >= 64)

START_TEST(one_argument)
{
  const one_case *c = &ones[_i];
  uint64_t seed = 88172645463325252U + (uint64_t)_i;
  for (int i = 0; LONGER && i < rh_trials(40000); i++) {
    double x = draw_number(&c->x, &seed);
    double got = c->ours(x);
    double error = error_in_units(got, c->theirs((long double)x));
    ck_assert_msg(error <= c->bar, "%s(%a) = %a: %.4f units", c->name, x, got, error);
  }
}

END_TEST

typedef struct two_case {
  const char *name;
  double (*ours)(double, double);
  long double (*theirs)(long double, long double);
  kind_of_number x, y;
  double product; // y is that over log2 x; 0: it is y
  double bar;
} two_case;

// Of a hypotenuse the sum of squares is rounded before its root: 0.36 units, and half a unit after.
static const two_case twos[] = {
    {"pow", rh_pow, powl, {EVENLY, 0, 8}, {EVENLY, -10, 10}, 0, POWERS},
    {"pow", rh_pow, powl, {POSITIVE, -1074, 1023}, {EVENLY, -1100, 1100}, 1, POWERS},
    {"pow", rh_pow, powl, {NEAR_ONE, -40, -2}, {EVENLY, -1100, 1100}, 1, POWERS},
    {"pow", rh_pow, powl, {POSITIVE, -60, 60}, {EVENLY, -1078, -1015}, 1, POWERS},
    {"atan2", rh_atan2, atan2l, {EVENLY, -1, 1}, {EVENLY, -1, 1}, 0, ALL},
    {"atan2", rh_atan2, atan2l, {MAGNITUDE, -1074, 1023}, {MAGNITUDE, -1074, 1023}, 0, ALL},
    {"atan2", rh_atan2, atan2l, {MAGNITUDE, -1074, -1000}, {MAGNITUDE, -1074, -1000}, 0, ALL},
    {"hypot", rh_hypot, hypotl, {EVENLY, -1, 1}, {EVENLY, -1, 1}, 0, 0.9},
    {"hypot", rh_hypot, hypotl, {MAGNITUDE, -1074, -1000}, {MAGNITUDE, -1074, -1000}, 0, 0.97},
    {"hypot", rh_hypot, hypotl, {MAGNITUDE, 1000, 1024}, {MAGNITUDE, 1000, 1024}, 0, 0.9},
    {"hypot", rh_hypot, hypotl, {MAGNITUDE, -60, 0}, {MAGNITUDE, -60, 0}, 0, 0.9},
};

START_TEST(two_arguments)
{
  const two_case *c = &twos[_i];
  uint64_t seed = 362436069362436069U + (uint64_t)_i;
  for (int i = 0; LONGER && i < rh_trials(40000); i++) {
    double x = draw_number(&c->x, &seed);
    double y = draw_number(&c->y, &seed);
    if (c->product != 0) {
      y = (double)(y / log2l((long double)x));
    }
    double got = c->ours(x, y);
    double error = error_in_units(got, c->theirs((long double)x, (long double)y));
    ck_assert_msg(error <= c->bar, "%s(%a, %a) = %a: %.4f units", c->name, x, y, got, error);
  }
}

END_TEST

// The numbers of some sizes that are nearest to a multiple of pi/2, by continued fractions; sine and cosine by 450 digits,
// rounded. The one of 2^849 is the nearest of all doubles.
START_TEST(angles_near_quarters)
{
  static const double row[][3] = {
      {0x1.921fb54442d18p+0, 0x1.0000000000000p+0, 0x1.1a62633145c07p-54},
      {0x1.6c6cbc45dc8dep+12, 0x1.6d61b58c99c43p-54, 0x1.0000000000000p+0},
      {0x1.39c6fd67805a7p+19, 0x1.988efe18ff83fp-54, -0x1.0000000000000p+0},
      {0x1.5c9508c58aafap+32, 0x1.0000000000000p+0, 0x1.7091a64747dabp-54},
      {0x1.5cba89af1f855p+52, 0x1.b5ebde2aae00bp-54, -0x1.0000000000000p+0},
      {0x1.1ef7d5a008cd1p+102, 0x1.0000000000000p+0, 0x1.264ec85a70c6bp-53},
      {0x1.51856420e8c52p+252, -0x1.dd9fcf709f0f1p-53, -0x1.0000000000000p+0},
      {0x1.22e6cf95d097ep+552, 0x1.44eecc3ff30c5p-52, -0x1.0000000000000p+0},
      {0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.14ae72e6ba22fp-61},
      {0x1.e1987122b7e06p+952, 0x1.62c5dcf7f8d24p-56, -0x1.0000000000000p+0},
      {0x1.61a3db8c8d129p+1023, -0x1.dd15f96b823f2p-56, 0x1.0000000000000p+0},
  };
  for (int i = 0; i < (int)(sizeof row / sizeof row[0]); i++) {
    for (int k = 0; k < 2; k++) {
      double x = k == 0 ? row[i][0] : -row[i][0];
      double s = k == 0 ? row[i][1] : -row[i][1];
      // half a unit of each rounding
      near_rel(rh_sin(x), s, 2.3e-16);
      near_rel(rh_cos(x), row[i][2], 2.3e-16);
      near_rel(rh_tan(x), s / row[i][2], 4e-16);
    }
  }
}

END_TEST

// Powers at the edges of what a double holds, by 450 digits, rounded: subnormal, next to the largest, of bases next to 1
START_TEST(powers_at_edges)
{
  static const double row[][3] = {
      {0x1.fffffffffffffp-1, 0x1.0000000000000p+60, 0x1.42eb9f39afae3p-185},
      {0x1.0000000000001p+0, 0x1.582b4c9a9db00p+61, 0x1.0b48107ce08f7p+993},
      {0x1.0000000000001p+0, -0x1.6345785d8a000p+61, 0x0.1dee124fe6fe4p-1022},
      {0x1.ff7ced916872bp-1, -0x1.55cc000000000p+19, 0x1.4fe1adafddae2p+1010},
      {0x1.0000000000000p-1, 0x1.0c80000000000p+10, 0x0.0000000000001p-1022},
      {0x1.8000000000000p-1, 0x1.43d0000000000p+11, 0},
      {0x1.8000000000000p+0, -0x1.cb40000000000p+10, 0x0.0000000000001p-1022},
      {0x1.0000000000000p+1, 0x1.fffffffffffffp+9, 0x1.ffffffffffd3ap+1023},
      {0x1.8000000000000p+1, 0x1.4300000000000p+9, 0x1.d906a378b5987p+1023},
      {0x1.4000000000000p+3, 0x1.3400000000000p+8, 0x1.1ccf385ebc8a0p+1023},
      {0x1.4000000000000p+3, -0x1.4300000000000p+8, 0x0.0000000000002p-1022},
      {0x0.0000000003823p-1022, 0x1.7485e3da2f8bep-6, 0x1.dbe375794b995p-25},
      {0x1.7e43c8800759cp+996, 0x1.06cf41f212d77p+0, 0x1.0ffdacbabf503p+1023},
      {0x1.0000000000000p-1022, 0x1.000001ad7f29bp+0, 0x0.fffb5b8cd4c77p-1022},
  };
  for (int i = 0; i < (int)(sizeof row / sizeof row[0]); i++) {
    double got = rh_pow(row[i][0], row[i][1]);
    double want = row[i][2];
    // as rounded, or a neighbour where the exact value is in the middle
    ck_assert_msg(got == want || nextafter(got, want) == want, "pow(%a, %a) = %a, not %a",
                  row[i][0], row[i][1], got, want);
  }
}

END_TEST

// ---- Values that are exact, and those of C17 Annex F.10

static bool same_bits(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

#define INF ((double)INFINITY)

START_TEST(special_values_of_one)
{
  static const struct {
    double (*f)(double);
    double x, y;
  } row[] = {
      {rh_sin, 0, 0},
      {rh_sin, -0.0, -0.0},
      {rh_cos, 0, 1},
      {rh_cos, -0.0, 1},
      {rh_tan, -0.0, -0.0},
      {rh_asin, -0.0, -0.0},
      {rh_acos, 1, 0},
      {rh_atan, -0.0, -0.0},
      {rh_exp, 0, 1},
      {rh_exp, -0.0, 1},
      {rh_exp, -INF, 0},
      {rh_exp, INF, INF},
      {rh_exp, 1e308, INF},
      {rh_exp, -1e308, 0},
      {rh_expm1, -0.0, -0.0},
      {rh_expm1, -INF, -1},
      {rh_expm1, INF, INF},
      {rh_expm1, 1e9, INF},
      {rh_log, 1, 0},
      {rh_log, 0, -INF},
      {rh_log, -0.0, -INF},
      {rh_log, INF, INF},
      {rh_log10, 1, 0},
      {rh_log10, 0, -INF},
      {rh_log10, INF, INF},
      {rh_log10, 1e22, 22},
      {rh_log10, 1000, 3},
      {rh_log1p, -0.0, -0.0},
      {rh_log1p, -1, -INF},
      {rh_log1p, INF, INF},
      {rh_tanh, -0.0, -0.0},
      {rh_tanh, INF, 1},
      {rh_tanh, -INF, -1},
      {rh_asinh, -0.0, -0.0},
      {rh_asinh, -INF, -INF},
      {rh_acosh, 1, 0},
      {rh_acosh, INF, INF},
      {rh_atanh, -0.0, -0.0},
      {rh_atanh, 1, INF},
      {rh_atanh, -1, -INF},
      {rh_cbrt, -0.0, -0.0},
      {rh_cbrt, -INF, -INF},
      {rh_cbrt, 27, 3},
      {rh_cbrt, -1e-300, -1e-100},
      {rh_asin, 1, 0x1.921fb54442d18p+0},
      {rh_asin, -1, -0x1.921fb54442d18p+0},
      {rh_acos, -1, 0x1.921fb54442d18p+1},
      {rh_acos, 0, 0x1.921fb54442d18p+0},
      {rh_atan, INF, 0x1.921fb54442d18p+0},
      {rh_atan, -INF, -0x1.921fb54442d18p+0},
  };

  for (int i = 0; i < (int)(sizeof row / sizeof row[0]); i++) {
    double got = row[i].f(row[i].x);
    ck_assert_msg(same_bits(got, row[i].y), "row %d: f(%g) = %a, not %a", i, row[i].x, got,
                  row[i].y);
  }
  static double (*const every[])(double) = {
      rh_sin, rh_cos,   rh_tan,   rh_asin, rh_acos,  rh_atan,  rh_exp,   rh_expm1,
      rh_log, rh_log10, rh_log1p, rh_tanh, rh_asinh, rh_acosh, rh_atanh, rh_cbrt};
  for (int i = 0; i < (int)(sizeof every / sizeof every[0]); i++) {
    ck_assert(isnan(every[i]((double)NAN)));
  }
  const double none[] = {rh_sin(INF),   rh_cos(-INF),   rh_tan(INF),  rh_asin(1.1), rh_acos(-1.1),
                         rh_acos(INF),  rh_log(-1),     rh_log(-INF), rh_log10(-1), rh_log1p(-2),
                         rh_acosh(0.5), rh_acosh(-INF), rh_atanh(2)};
  for (int i = 0; i < (int)(sizeof none / sizeof none[0]); i++) {
    ck_assert_msg(isnan(none[i]), "row %d: %g", i, none[i]);
  }
}

END_TEST

START_TEST(special_values_of_two)
{
  static const double pi = 0x1.921fb54442d18p+1;
  const double power[][3] = {
      {0, -3, INF},      {-0.0, -3, -INF},      {-0.0, -2, INF},     {0, -INF, INF},
      {-0.0, 3, -0.0},   {-0.0, 2, 0},          {-1, INF, 1},        {-1, -INF, 1},
      {1, NAN, 1},       {NAN, 0, 1},           {0.5, -INF, INF},    {2, -INF, 0},
      {0.5, INF, 0},     {2, INF, INF},         {-INF, -3, -0.0},    {-INF, -2, 0},
      {-INF, 3, -INF},   {-INF, 2, INF},        {INF, -1, 0},        {INF, 1, INF},
      {-2, 3, -8},       {-2, 1e300, INF},      {2, -1e300, 0},      {2, 1e-300, 1},
      {-1, 1e300, 1},    {2, -1074, 0x1p-1074}, {2, 1023, 0x1p1023}, {2, 1024, INF},
      {10, 15, 1e15},    {0.25, 0.5, 0.5},      {7, 2, 49},          {-0.0, 0.5, 0},
      {-0.0, -0.5, INF}, {-3, -3, -1.0 / 27}};
  for (int i = 0; i < (int)(sizeof power / sizeof power[0]); i++) {
    double got = rh_pow(power[i][0], power[i][1]);
    ck_assert_msg(same_bits(got, power[i][2]), "pow(%g, %g) = %a", power[i][0], power[i][1], got);
  }
  ck_assert(isnan(rh_pow(-2, 0.5)) && isnan(rh_pow((double)NAN, 1)) &&
            isnan(rh_pow(2, (double)NAN)));
  const double angle[][3] = {{0, -0.0, pi},
                             {-0.0, -0.0, -pi},
                             {0, 0, 0},
                             {-0.0, 0, -0.0},
                             {0, -1, pi},
                             {-0.0, -1, -pi},
                             {0, 1, 0},
                             {-0.0, 1, -0.0},
                             {-1, 0, -pi / 2},
                             {1, -0.0, pi / 2},
                             {1, -INF, pi},
                             {-1, -INF, -pi},
                             {1, INF, 0},
                             {-1, INF, -0.0},
                             {INF, 2, pi / 2},
                             {-INF, -2, -pi / 2},
                             {INF, -INF, 0.75 * pi},
                             {INF, INF, pi / 4},
                             {-INF, INF, -pi / 4},
                             {1, 1, pi / 4},
                             {-INF, -INF, -0.75 * pi},
                             {0x1p-1074, 1, 0x1p-1074},
                             {0x1p-1074, -1, pi},
                             {1, 0x1p-1074, pi / 2}};
  for (int i = 0; i < (int)(sizeof angle / sizeof angle[0]); i++) {
    double got = rh_atan2(angle[i][0], angle[i][1]);
    ck_assert_msg(same_bits(got, angle[i][2]), "atan2(%g, %g) = %a", angle[i][0], angle[i][1], got);
  }
  ck_assert(isnan(rh_atan2((double)NAN, 1)) && isnan(rh_atan2(1, (double)NAN)));
  const double leg[][3] = {{3, 4, 5},
                           {-4, 3, 5},
                           {0, -0.0, 0},
                           {0, -2, 2},
                           {NAN, -INF, INF},
                           {INF, NAN, INF},
                           {0x1p-1074, 0, 0x1p-1074},
                           {0x3p1000, 0x4p1000, 0x5p1000},
                           {0x3p-1074, 0x4p-1074, 0x5p-1074},
                           {0x1p1023, 0x1.ffp1023, INF},
                           {5e100, 1e-300, 5e100}};
  for (int i = 0; i < (int)(sizeof leg / sizeof leg[0]); i++) {
    double got = rh_hypot(leg[i][0], leg[i][1]);
    ck_assert_msg(same_bits(got, leg[i][2]), "hypot(%g, %g) = %a", leg[i][0], leg[i][1], got);
  }
  ck_assert(isnan(rh_hypot((double)NAN, 1)) && isnan(rh_hypot(1, (double)NAN)));
}

END_TEST

// ---- One function by two routes: the same bits

// Sine and cosine one by one, together, of -x, and many at once, as kinematics takes them
START_TEST(angles_by_all_routes)
{
  enum { N = 67 };

  uint64_t seed = 2463534242U;
  for (int trial = 0; trial < rh_trials(800); trial++) {
    double q[N];
    double trig[2 * N];
    for (int i = 0; i < N; i++) {
      kind_of_number k = {MAGNITUDE, trial % 2 ? -1074 : -3, trial % 2 ? 1023 : 21};
      q[i] = i == 7 ? -0.0 : i == 8 ? 0 : draw_number(&k, &seed);
    }
    rh_trig(N, q, trig);
    for (int i = 0; i < N; i++) {
      double s = rh_sin(q[i]);
      double c = rh_cos(q[i]);
      double both[2];
      rh_sincos(q[i], &both[0], &both[1]);
      ck_assert_msg(same_bits(both[0], s) && same_bits(both[1], c), "sincos(%a)", q[i]);
      ck_assert_msg(same_bits(trig[2 * i], s) && same_bits(trig[2 * i + 1], c), "%d: %a", i, q[i]);
      ck_assert(same_bits(rh_sin(-q[i]), -s) && same_bits(rh_cos(-q[i]), c));
    }
  }
  double q[3] = {INF, (double)NAN, -INF};
  double trig[6];
  rh_trig(3, q, trig);
  for (int i = 0; i < 6; i++) {
    ck_assert(isnan(trig[i]));
  }
}

END_TEST

// ---- The same bits everywhere

static uint64_t add_bits(uint64_t hash, double x)
{
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return (hash ^ b) * 1099511628211U;
}

// Of all functions at numbers of all bits and at those of usual size. Another number here means that a compiler, a processor or an
// option of theirs computes with other bits than all the others; a change of a function changes it too.
START_TEST(bits_of_all)
{
  static double (*const one[])(double) = {rh_sin,   rh_cos,   rh_tan,   rh_asin,  rh_acos,  rh_atan,
                                          rh_exp,   rh_expm1, rh_log,   rh_log10, rh_log1p, rh_tanh,
                                          rh_asinh, rh_acosh, rh_atanh, rh_cbrt};
  uint64_t seed = 88172645463325252U;
  uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits[2] = {draw_bits(&seed), draw_bits(&seed)};
    double x[4];
    memcpy(x, bits, sizeof bits);
    x[2] = 4 * draw_unit(&seed) - 2;
    x[3] = 40 * draw_unit(&seed);
    for (int k = 0; k < 4; k++) {
      for (int f = 0; f < (int)(sizeof one / sizeof one[0]); f++) {
        hash = add_bits(hash, one[f](x[k]));
      }
      hash = add_bits(hash, rh_pow(fabs(x[k]), x[k ^ 1]));
      hash = add_bits(hash, rh_atan2(x[k], x[k ^ 1]));
      hash = add_bits(hash, rh_hypot(x[k], x[k ^ 1]));
    }
  }
  ck_assert_msg(hash == 0xab5c6686a022f43aU, "%016" PRIx64, hash);
}

END_TEST

Suite *rh_suite_unit_elementary(void)
{
  Suite *suite = suite_create("unit_elementary");
  TCase *tests = tcase_create("elementary");
  tcase_add_loop_test(tests, one_argument, 0, sizeof ones / sizeof ones[0]);
  tcase_add_loop_test(tests, two_arguments, 0, sizeof twos / sizeof twos[0]);
  tcase_add_test(tests, angles_near_quarters);
  tcase_add_test(tests, powers_at_edges);
  tcase_add_test(tests, special_values_of_one);
  tcase_add_test(tests, special_values_of_two);
  tcase_add_test(tests, angles_by_all_routes);
  tcase_add_test(tests, bits_of_all);
  suite_add_tcase(suite, tests);
  return suite;
}
