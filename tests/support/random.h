// random.h: numbers by lot, the same on every machine; and small dense products, for tests of linear algebra.
#ifndef ROUTH_TEST_RANDOM_H
#define ROUTH_TEST_RANDOM_H

#include <stdint.h>

#ifndef MAYBE_UNUSED
#define MAYBE_UNUSED __attribute__((unused))
#endif

// Evenly in -1 .. 1.
MAYBE_UNUSED static double lot(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005U + 1442695040888963407U;
  return (double)(int64_t)(*seed ^ (*seed >> 29)) * 0x1p-63;
}

MAYBE_UNUSED static void lots(uint64_t *seed, double *x, int n)
{
  for (int i = 0; i < n; i++) {
    x[i] = lot(seed);
  }
}

// C (m x n) = A (m x k) B (k x n)
MAYBE_UNUSED static void product(int m, int k, int n, const double *A, const double *B, double *C)
{
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) {
        sum += A[i * k + l] * B[l * n + j];
      }
      C[i * n + j] = sum;
    }
  }
}

// S (n x n) = A' A, A (k x n)
MAYBE_UNUSED static void gram(int k, int n, const double *A, double *S)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) {
        sum += A[l * n + i] * A[l * n + j];
      }
      S[i * n + j] = sum;
    }
  }
}

#endif
