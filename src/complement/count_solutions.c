// count_solutions.c: number of solutions of a small complementarity problem. Each of the 2^n cases
// "z_i = 0 or w_i = 0" is a system of equations; its solution counts if it is nowhere negative.
// Those with the same w are one: z may be shared in many ways where rows depend on one another.
// Singular cases are left out, since their w occurs in a regular one of fewer rows.
#include "complement.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

// Parts of the largest b that count as zero.
static const double ZERO = 1e-9;

size_t rh_lcp_count_room(int n)
{
  return (size_t)n * (size_t)n + 2 * (size_t)n + (size_t)n * RH_COUNT_MOST;
}

static double largest_b(const rh_lcp *problem)
{
  double most = 0;
  for (int i = 0; i < problem->n; i++) {
    most = fmax(most, fabs(problem->b[i]));
  }
  return most;
}

// Solves the case in which bit i means w_i = 0. False: singular, or z is negative somewhere.
static bool solve_case(const rh_lcp *problem, unsigned mask, double *room, double *z)
{
  int index[RH_COUNT_MAX];
  int pivot[RH_COUNT_MAX];
  int m = 0;
  double *A = room;
  double *x = room + (size_t)problem->n * (size_t)problem->n;
  for (int i = 0; i < problem->n; i++) {
    if (mask >> (unsigned)i & 1U) {
      index[m++] = i;
    }
  }
  for (int r = 0; r < m; r++) {
    for (int s = 0; s < m; s++) {
      A[r * m + s] = problem->A[(size_t)index[r] * problem->n + index[s]];
    }
    x[r] = -problem->b[index[r]];
  }
  memset(z, 0, (size_t)problem->n * sizeof *z);
  if (m > 0 && !rh_lu(m, A, pivot)) {
    return false;
  }
  rh_lu_solve(m, A, pivot, x);
  for (int r = 0; r < m; r++) {
    z[index[r]] = x[r];
    if (!(x[r] >= 0)) {
      return false;
    }
  }
  return true;
}

static bool open_rows(const rh_lcp *problem, const double *z, double zero, double *w)
{
  for (int i = 0; i < problem->n; i++) {
    w[i] = problem->b[i];
    for (int j = 0; j < problem->n; j++) {
      w[i] += problem->A[(size_t)i * problem->n + j] * z[j];
    }
    if (w[i] < -zero) {
      return false;
    }
  }
  return true;
}

static bool is_known(const double *w, const double *found, int count, int n, double zero)
{
  for (int k = 0; k < count; k++) {
    double off = 0;
    for (int i = 0; i < n; i++) {
      off = fmax(off, fabs(w[i] - found[(size_t)k * n + i]));
    }
    if (off <= zero) {
      return true;
    }
  }
  return false;
}

int rh_lcp_count(const rh_lcp *problem, double *room)
{
  int n = problem->n;
  double zero = ZERO * largest_b(problem);
  double *z = room + (size_t)n * (size_t)n + (size_t)n;
  double *found = z + n;
  int count = 0;
  if (n > RH_COUNT_MAX) {
    return RH_NONE;
  }
  for (unsigned mask = 0; mask < 1U << (unsigned)n && count < RH_COUNT_MOST; mask++) {
    double *w = found + (size_t)count * n;
    if (solve_case(problem, mask, room, z) && open_rows(problem, z, zero, w) &&
        !is_known(w, found, count, n, zero)) {
      count++;
    }
  }
  return count;
}
