// small.h: the factored matrix of a joint, L D L' of S' IA S, which aba.c leaves in rh_data.D, and solving with it.
#ifndef ROUTH_MULTIBODY_SMALL_H
#define ROUTH_MULTIBODY_SMALL_H

#include "lanes.h"
#include "multibody.h"

enum { NV_MAX = 6 };

typedef double joint_matrix[NV_MAX][NV_MAX];

static inline joint_matrix *matrix_of(const rh_data *d, int body)
{
  return (joint_matrix *)(d->dyn.D + 36 * (size_t)body);
}

LANES_INLINE lanes lanes_vec3(rh_vec3 a)
{
  return lanes_of(a.x, a.y, a.z);
}

LANES_INLINE void solve_known(int n, double D[NV_MAX][NV_MAX], double *x)
{
  for (int i = 1; i < n; i++) {
    for (int k = 0; k < i; k++) {
      x[i] -= D[i][k] * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] *= D[i][i];
    for (int k = i + 1; k < n; k++) {
      x[i] -= D[k][i] * x[k];
    }
  }
}

// A number known when this is compiled makes straight code of the loops; so each number of degrees of freedom that
// joints have gets its own copy.
#define FOR_EACH_SIZE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6)

static inline void solve_joint(int n, double D[NV_MAX][NV_MAX], double *x)
{
  switch (n) {
#define CASE(size)                                                                                 \
  case size:                                                                                       \
    solve_known(size, D, x);                                                                       \
    break;
    FOR_EACH_SIZE(CASE)
#undef CASE
  default:
    RH_ASSERT(n <= NV_MAX);
  }
}

#endif
