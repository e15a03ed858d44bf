// lanes.h: three numbers and a zero as one value, so that one instruction moves a column. Uses the
// vector types of gcc and clang; four wide where the machine is, else two pairs. The same
// operations in the same order: same bits.
#ifndef ROUTH_MULTIBODY_LANES_H
#define ROUTH_MULTIBODY_LANES_H

#include <routh/math.h>

#define LANES_INLINE static inline __attribute__((always_inline))

#ifdef __AVX2__

typedef double lanes __attribute__((vector_size(32)));
typedef double lanes_memory __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long lanes_mask __attribute__((vector_size(32)));

LANES_INLINE lanes lanes_of(double x, double y, double z)
{
  return (lanes){x, y, z, 0};
}

LANES_INLINE lanes lanes_load(const double *p)
{
  return *(const lanes_memory *)p;
}

LANES_INLINE lanes lanes_load3(const double *p) // three numbers; the fourth must be readable
{
  const lanes_mask three = {-1, -1, -1, 0};
  return (lanes)((lanes_mask)lanes_load(p) & three);
}

LANES_INLINE void lanes_store(double *p, lanes x)
{
  *(lanes_memory *)p = x;
}

LANES_INLINE lanes lanes_add(lanes a, lanes b)
{
  return a + b;
}

LANES_INLINE lanes lanes_sub(lanes a, lanes b)
{
  return a - b;
}

LANES_INLINE lanes lanes_mul(lanes a, lanes b)
{
  return a * b;
}

LANES_INLINE lanes lanes_scale(double s, lanes a)
{
  return (lanes){s, s, s, s} * a;
}

LANES_INLINE double lanes_x(lanes a)
{
  return a[0];
}

LANES_INLINE double lanes_y(lanes a)
{
  return a[1];
}

LANES_INLINE double lanes_z(lanes a)
{
  return a[2];
}

LANES_INLINE lanes lanes_yzx(lanes a)
{
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

LANES_INLINE lanes lanes_zxy(lanes a)
{
  return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

LANES_INLINE void lanes_transpose(lanes c[3])
{
  const lanes zero = {0, 0, 0, 0};
  lanes l = __builtin_shufflevector(c[0], c[1], 0, 4, 2, 6);
  lanes h = __builtin_shufflevector(c[0], c[1], 1, 5, 3, 7);
  lanes l2 = __builtin_shufflevector(c[2], zero, 0, 4, 2, 6);
  lanes h2 = __builtin_shufflevector(c[2], zero, 1, 5, 3, 7);
  c[0] = __builtin_shufflevector(l, l2, 0, 1, 4, 5);
  c[1] = __builtin_shufflevector(h, h2, 0, 1, 4, 5);
  c[2] = __builtin_shufflevector(l, l2, 2, 3, 6, 7);
}

#else

typedef double lanes_pair __attribute__((vector_size(16)));
typedef double lanes_pair_memory __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct lanes {
  lanes_pair l; // x y
  double z;
} lanes;

LANES_INLINE lanes lanes_of(double x, double y, double z)
{
  return (lanes){{x, y}, z};
}

LANES_INLINE lanes lanes_load(const double *p)
{
  return (lanes){*(const lanes_pair_memory *)p, p[2]};
}

LANES_INLINE lanes lanes_load3(const double *p)
{
  return lanes_load(p);
}

LANES_INLINE void lanes_store(double *p, lanes x)
{
  *(lanes_pair_memory *)p = x.l;
  p[2] = x.z;
}

LANES_INLINE lanes lanes_add(lanes a, lanes b)
{
  return (lanes){a.l + b.l, a.z + b.z};
}

LANES_INLINE lanes lanes_sub(lanes a, lanes b)
{
  return (lanes){a.l - b.l, a.z - b.z};
}

LANES_INLINE lanes lanes_mul(lanes a, lanes b)
{
  return (lanes){a.l * b.l, a.z * b.z};
}

LANES_INLINE lanes lanes_scale(double s, lanes a)
{
  return (lanes){(lanes_pair){s, s} * a.l, s * a.z};
}

LANES_INLINE double lanes_x(lanes a)
{
  return a.l[0];
}

LANES_INLINE double lanes_y(lanes a)
{
  return a.l[1];
}

LANES_INLINE double lanes_z(lanes a)
{
  return a.z;
}

LANES_INLINE lanes lanes_yzx(lanes a)
{
  return (lanes){{a.l[1], a.z}, a.l[0]};
}

LANES_INLINE lanes lanes_zxy(lanes a)
{
  return (lanes){{a.z, a.l[0]}, a.l[1]};
}

LANES_INLINE void lanes_transpose(lanes c[3])
{
  lanes r0 = {{c[0].l[0], c[1].l[0]}, c[2].l[0]};
  lanes r1 = {{c[0].l[1], c[1].l[1]}, c[2].l[1]};
  lanes r2 = {{c[0].z, c[1].z}, c[2].z};
  c[0] = r0;
  c[1] = r1;
  c[2] = r2;
}

#endif

LANES_INLINE lanes lanes_zero(void)
{
  return lanes_of(0, 0, 0);
}

LANES_INLINE lanes lanes_cross(lanes a, lanes b)
{
  return lanes_sub(lanes_mul(lanes_yzx(a), lanes_zxy(b)), lanes_mul(lanes_zxy(a), lanes_yzx(b)));
}

LANES_INLINE double lanes_sum(lanes t)
{
  return lanes_x(t) + lanes_y(t) + lanes_z(t);
}

LANES_INLINE double lanes_dot(lanes a, lanes b)
{
  return lanes_sum(lanes_mul(a, b));
}

// Columns c times (x, y, z)
LANES_INLINE lanes lanes_columns(const lanes c[3], double x, double y, double z)
{
  return lanes_add(lanes_add(lanes_scale(x, c[0]), lanes_scale(y, c[1])), lanes_scale(z, c[2]));
}

#endif
