// four.h: four numbers as one value, mostly three and an unused one: one instruction each where
// the machine is that wide, else two pairs. The same operations in the same order lane by lane:
// same bits. Comparisons return bits of a number.
#ifndef ROUTH_MATH_FOUR_H
#define ROUTH_MATH_FOUR_H

#include <routh/math.h>

#define FOUR_INLINE static inline __attribute__((always_inline))

#ifdef __AVX2__

#include <immintrin.h>

typedef __m256d four;

FOUR_INLINE four four_all(double x)
{
  return _mm256_set1_pd(x);
}

FOUR_INLINE four four_of(double x, double y, double z, double w)
{
  return _mm256_setr_pd(x, y, z, w);
}

FOUR_INLINE four four_load(const double *p) // four numbers must be readable
{
  return _mm256_loadu_pd(p);
}

FOUR_INLINE void four_store(double *p, four a)
{
  _mm256_storeu_pd(p, a);
}

FOUR_INLINE four four_add(four a, four b)
{
  return _mm256_add_pd(a, b);
}

FOUR_INLINE four four_sub(four a, four b)
{
  return _mm256_sub_pd(a, b);
}

FOUR_INLINE four four_mul(four a, four b)
{
  return _mm256_mul_pd(a, b);
}

FOUR_INLINE four four_div(four a, four b)
{
  return _mm256_div_pd(a, b);
}

FOUR_INLINE four four_root(four a)
{
  return _mm256_sqrt_pd(a);
}

FOUR_INLINE four four_abs(four a)
{
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

FOUR_INLINE four four_max(four a, four b) // a > b ? a : b
{
  return _mm256_max_pd(a, b);
}

FOUR_INLINE four four_min(four a, four b) // a < b ? a : b
{
  return _mm256_min_pd(a, b);
}

FOUR_INLINE four four_pick(four a, four b, four x, four y) // a > b ? x : y
{
  return _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

FOUR_INLINE int four_over(four a, four b) // bit k: a[k] > b[k]
{
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

FOUR_INLINE int four_least(four a, four b) // bit k: a[k] >= b[k]
{
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ));
}

FOUR_INLINE four four_yzx(four a)
{
  return _mm256_permute4x64_pd(a, 0xC9);
}

FOUR_INLINE four four_zxy(four a)
{
  return _mm256_permute4x64_pd(a, 0xD2);
}

FOUR_INLINE double four_x(four a)
{
  return _mm256_cvtsd_f64(a);
}

#else

typedef double four_pair __attribute__((vector_size(16)));
typedef double four_pair_memory __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct four {
  four_pair l, h; // x y, z w
} four;

FOUR_INLINE four four_all(double x)
{
  return (four){{x, x}, {x, x}};
}

FOUR_INLINE four four_of(double x, double y, double z, double w)
{
  return (four){{x, y}, {z, w}};
}

FOUR_INLINE four four_load(const double *p)
{
  return (four){*(const four_pair_memory *)p, *(const four_pair_memory *)(p + 2)};
}

FOUR_INLINE void four_store(double *p, four a)
{
  *(four_pair_memory *)p = a.l;
  *(four_pair_memory *)(p + 2) = a.h;
}

FOUR_INLINE four four_add(four a, four b)
{
  return (four){a.l + b.l, a.h + b.h};
}

FOUR_INLINE four four_sub(four a, four b)
{
  return (four){a.l - b.l, a.h - b.h};
}

FOUR_INLINE four four_mul(four a, four b)
{
  return (four){a.l * b.l, a.h * b.h};
}

FOUR_INLINE four four_div(four a, four b)
{
  return (four){a.l / b.l, a.h / b.h};
}

FOUR_INLINE four four_root(four a)
{
  return (four){{sqrt(a.l[0]), sqrt(a.l[1])}, {sqrt(a.h[0]), sqrt(a.h[1])}};
}

FOUR_INLINE four four_abs(four a)
{
  return (four){{fabs(a.l[0]), fabs(a.l[1])}, {fabs(a.h[0]), fabs(a.h[1])}};
}

#define FOUR_LANE(x, k) ((k) < 2 ? (x).l[(k) & 1] : (x).h[(k) & 1])
#define FOUR_CHOOSE(test, x, y, k) (FOUR_LANE(a, k) test FOUR_LANE(b, k) ? FOUR_LANE(x, k) : FOUR_LANE(y, k))

FOUR_INLINE four four_max(four a, four b)
{
  return four_of(FOUR_CHOOSE(>, a, b, 0), FOUR_CHOOSE(>, a, b, 1), FOUR_CHOOSE(>, a, b, 2),
                 FOUR_CHOOSE(>, a, b, 3));
}

FOUR_INLINE four four_min(four a, four b)
{
  return four_of(FOUR_CHOOSE(<, a, b, 0), FOUR_CHOOSE(<, a, b, 1), FOUR_CHOOSE(<, a, b, 2),
                 FOUR_CHOOSE(<, a, b, 3));
}

FOUR_INLINE four four_pick(four a, four b, four x, four y)
{
  return four_of(FOUR_CHOOSE(>, x, y, 0), FOUR_CHOOSE(>, x, y, 1), FOUR_CHOOSE(>, x, y, 2),
                 FOUR_CHOOSE(>, x, y, 3));
}

FOUR_INLINE int four_over(four a, four b)
{
  return (a.l[0] > b.l[0]) | (a.l[1] > b.l[1]) << 1 | (a.h[0] > b.h[0]) << 2 |
         (a.h[1] > b.h[1]) << 3;
}

FOUR_INLINE int four_least(four a, four b)
{
  return (a.l[0] >= b.l[0]) | (a.l[1] >= b.l[1]) << 1 | (a.h[0] >= b.h[0]) << 2 |
         (a.h[1] >= b.h[1]) << 3;
}

FOUR_INLINE four four_yzx(four a)
{
  return four_of(a.l[1], a.h[0], a.l[0], a.h[1]);
}

FOUR_INLINE four four_zxy(four a)
{
  return four_of(a.h[0], a.l[0], a.l[1], a.h[1]);
}

FOUR_INLINE double four_x(four a)
{
  return a.l[0];
}

#endif

// x a + y b + z c, from the left
FOUR_INLINE four four_sum3(double x, four a, double y, four b, double z, four c)
{
  four s = four_add(four_mul(four_all(x), a), four_mul(four_all(y), b));
  return four_add(s, four_mul(four_all(z), c));
}

// The largest of the first three
FOUR_INLINE double four_most(four a)
{
  return four_x(four_max(four_max(a, four_yzx(a)), four_zxy(a)));
}

// ---- Sums over whole fours of numbers, in four parts that are added at the end: the same order of sums
// on every machine.

typedef double rh_four __attribute__((vector_size(32), aligned(8), may_alias));

// n is a multiple of four.
static inline double rh_four_dot(const double *a, const double *b, int n)
{
  rh_four sum = {0, 0, 0, 0};
  for (int i = 0; i < n; i += 4) {
    sum += *(const rh_four *)(a + i) * *(const rh_four *)(b + i);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// u[0], u[1] += the sums of *at and *bt (by their places: a vector as an argument needs AVX in all callers)
FOUR_INLINE void rh_four_sum_two(const rh_four *at, const rh_four *bt, double u[2])
{
  const rh_four a = *at;
  const rh_four b = *bt;
#if defined __has_builtin && __has_builtin(__builtin_shufflevector)
  rh_four s = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  u[0] += s[0] + s[2];
  u[1] += s[1] + s[3];
#else
  u[0] += (a[0] + a[1]) + (a[2] + a[3]);
  u[1] += (b[0] + b[1]) + (b[2] + b[3]);
#endif
}

// The least multiple of four that is greater than n
static inline int rh_four_beyond(int n)
{
  return (n | 3) + 1;
}

// x[n], ... := 0 up to the next multiple of four; a loop would be a call.
static inline void rh_four_pad(double *x, int n)
{
  typedef long long bits __attribute__((vector_size(32), aligned(8), may_alias));
  static const bits kept[4] = {{-1, -1, -1, -1}, {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}};
  int over = n & 3;
  if (over != 0) {
    *(bits *)(x + n - over) &= kept[over];
  }
}

static inline void rh_four_take(double *to, double s, const double *x, int n)
{
  for (int i = 0; i < n; i += 4) {
    *(rh_four *)(to + i) -= s * *(const rh_four *)(x + i);
  }
}

// The same for three rows of `len` numbers at once
static inline void rh_four_take_three(double *to, size_t len, const double s[3], const double *x,
                                      int n)
{
  const double s0 = s[0];
  const double s1 = s[1];
  const double s2 = s[2];
  for (int i = 0; i < n; i += 4) {
    const rh_four y = *(const rh_four *)(x + i);
    *(rh_four *)(to + i) -= s0 * y;
    *(rh_four *)(to + len + i) -= s1 * y;
    *(rh_four *)(to + 2 * len + i) -= s2 * y;
  }
}

static inline void rh_four_add(double *to, double s, const double *x, int n)
{
  for (int i = 0; i < n; i += 4) {
    *(rh_four *)(to + i) += s * *(const rh_four *)(x + i);
  }
}

#endif
