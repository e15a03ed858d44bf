// num.h: a number of each of LANES worlds as one value: a vector register on a processor, a double where
// LANES is 1 (a thread of a GPU, and every other processor). The same operations in the same order in each
// lane: same bits. Where worlds differ a mask picks, lane by lane; numbers of lanes that are not picked may
// be anything, also not finite.
#ifndef ROUTH_STEPPING_LANES_NUM_H
#define ROUTH_STEPPING_LANES_NUM_H

#ifdef __CUDACC__
#define LANE_FN static __device__ __forceinline__
#define LANE_CALL static __device__ __forceinline__
#else
#include <math.h>
#include <stdbool.h>
#define LANE_FN static inline __attribute__((always_inline))
#define LANE_CALL static __attribute__((noinline))
#endif

// A pointer to numbers that nothing else points to here
#define LANE_ALONE __restrict__

// The table where all worlds read the same part of it: on a GPU that is in memory for constants.
#ifndef LANE_TABLE
#define LANE_TABLE(t) (t)
#endif

#if LANES == 1

typedef double num;
typedef bool mask;

LANE_FN num n_all(double x)
{
  return x;
}

LANE_FN num n_root(num a)
{
  return sqrt(a);
}

LANE_FN num n_abs(num a)
{
  return fabs(a);
}

LANE_FN num n_floor(num a)
{
  return floor(a);
}

LANE_FN mask n_over(num a, num b) // a > b
{
  return a > b;
}

LANE_FN mask n_least(num a, num b) // a >= b
{
  return a >= b;
}

LANE_FN mask n_same(num a, num b)
{
  return a == b;
}

LANE_FN num n_pick(mask m, num a, num b)
{
  return m ? a : b;
}

LANE_FN mask m_and(mask a, mask b)
{
  return a && b;
}

LANE_FN mask m_or(mask a, mask b)
{
  return a || b;
}

LANE_FN mask m_not(mask a)
{
  return !a;
}

LANE_FN int m_bits(mask a) // bit k: lane k
{
  return a;
}

LANE_FN mask m_of(int bits)
{
  return bits != 0;
}

#elif LANES == 4

#include <immintrin.h>

typedef __m256d num;
typedef __m256d mask;

LANE_FN num n_all(double x)
{
  return _mm256_set1_pd(x);
}

LANE_FN num n_root(num a)
{
  return _mm256_sqrt_pd(a);
}

LANE_FN num n_abs(num a)
{
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

LANE_FN num n_floor(num a)
{
  return _mm256_floor_pd(a);
}

LANE_FN mask n_over(num a, num b)
{
  return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}

LANE_FN mask n_least(num a, num b)
{
  return _mm256_cmp_pd(a, b, _CMP_GE_OQ);
}

LANE_FN mask n_same(num a, num b)
{
  return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}

LANE_FN num n_pick(mask m, num a, num b)
{
  return _mm256_blendv_pd(b, a, m);
}

LANE_FN mask m_and(mask a, mask b)
{
  return _mm256_and_pd(a, b);
}

LANE_FN mask m_or(mask a, mask b)
{
  return _mm256_or_pd(a, b);
}

LANE_FN mask m_not(mask a)
{
  return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
}

LANE_FN int m_bits(mask a)
{
  return _mm256_movemask_pd(a);
}

LANE_FN mask m_of(int bits)
{
  return _mm256_castsi256_pd(_mm256_setr_epi64x(-(bits & 1), -(bits >> 1 & 1), -(bits >> 2 & 1),
                                                -(bits >> 3 & 1)));
}

#elif LANES == 8

#include <immintrin.h>

typedef __m512d num;
typedef __mmask8 mask;

LANE_FN num n_all(double x)
{
  return _mm512_set1_pd(x);
}

LANE_FN num n_root(num a)
{
  return _mm512_sqrt_pd(a);
}

LANE_FN num n_abs(num a)
{
  return _mm512_abs_pd(a);
}

LANE_FN num n_floor(num a)
{
  return _mm512_floor_pd(a);
}

LANE_FN mask n_over(num a, num b)
{
  return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

LANE_FN mask n_least(num a, num b)
{
  return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}

LANE_FN mask n_same(num a, num b)
{
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

LANE_FN num n_pick(mask m, num a, num b)
{
  return _mm512_mask_blend_pd(m, b, a);
}

LANE_FN mask m_and(mask a, mask b)
{
  return (mask)(a & b);
}

LANE_FN mask m_or(mask a, mask b)
{
  return (mask)(a | b);
}

LANE_FN mask m_not(mask a)
{
  return (mask)~a;
}

LANE_FN int m_bits(mask a)
{
  return a;
}

LANE_FN mask m_of(int bits)
{
  return (mask)bits;
}

#endif

enum { ALL_LANES = (1 << LANES) - 1 };

LANE_FN num n_greater(num a, num b) // as rh_greater
{
  return n_pick(n_over(a, b), a, b);
}

LANE_FN num n_lesser(num a, num b)
{
  return n_pick(n_over(b, a), a, b);
}

// ---- Vectors of numbers, with the operations of routh/math.h

typedef struct vec {
  num x, y, z;
} vec;

typedef struct sym { // symmetric
  num xx, yy, zz, xy, xz, yz;
} sym;

LANE_FN vec v_of(num x, num y, num z)
{
  vec r;
  r.x = x;
  r.y = y;
  r.z = z;
  return r;
}

LANE_FN vec v_all(const double a[3])
{
  return v_of(n_all(a[0]), n_all(a[1]), n_all(a[2]));
}

LANE_FN vec v_add(vec a, vec b)
{
  return v_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

LANE_FN vec v_sub(vec a, vec b)
{
  return v_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

LANE_FN vec v_scale(num s, vec a)
{
  return v_of(s * a.x, s * a.y, s * a.z);
}

LANE_FN vec v_addscaled(vec a, num s, vec b)
{
  return v_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

LANE_FN num v_dot(vec a, vec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_FN vec v_cross(vec a, vec b)
{
  return v_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

LANE_FN num v_norm(vec a)
{
  return n_root(v_dot(a, a));
}

LANE_FN vec v_pick(mask m, vec a, vec b)
{
  return v_of(n_pick(m, a.x, b.x), n_pick(m, a.y, b.y), n_pick(m, a.z, b.z));
}

LANE_FN vec v_rotate(const num m[9], vec a)
{
  return v_of(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
              m[6] * a.x + m[7] * a.y + m[8] * a.z);
}

LANE_FN vec s_mul(sym s, vec a)
{
  return v_of(s.xx * a.x + s.xy * a.y + s.xz * a.z, s.xy * a.x + s.yy * a.y + s.yz * a.z,
              s.xz * a.x + s.yz * a.y + s.zz * a.z);
}

LANE_FN sym s_rotate(const num m[9], sym s) // R s R'
{
  vec a = s_mul(s, v_of(m[0], m[1], m[2]));
  vec b = s_mul(s, v_of(m[3], m[4], m[5]));
  vec c = s_mul(s, v_of(m[6], m[7], m[8]));
  sym r;
  r.xx = m[0] * a.x + m[1] * a.y + m[2] * a.z;
  r.yy = m[3] * b.x + m[4] * b.y + m[5] * b.z;
  r.zz = m[6] * c.x + m[7] * c.y + m[8] * c.z;
  r.xy = m[0] * b.x + m[1] * b.y + m[2] * b.z;
  r.xz = m[0] * c.x + m[1] * c.y + m[2] * c.z;
  r.yz = m[3] * c.x + m[4] * c.y + m[5] * c.z;
  return r;
}

LANE_FN void m3_mul(const num a[9], const num b[9], num r[9])
{
  for (int i = 0; i < 9; i += 3) {
    for (int j = 0; j < 3; j++) {
      r[i + j] = a[i] * b[j] + a[i + 1] * b[j + 3] + a[i + 2] * b[j + 6];
    }
  }
}

#endif
