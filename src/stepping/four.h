// four.h: sums over whole fours of numbers, in four parts that are added at the end: the same order
// of sums on every machine.
#ifndef ROUTH_STEPPING_FOUR_H
#define ROUTH_STEPPING_FOUR_H

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

static inline void rh_four_add(double *to, double s, const double *x, int n)
{
  for (int i = 0; i < n; i += 4) {
    *(rh_four *)(to + i) += s * *(const rh_four *)(x + i);
  }
}

#endif
