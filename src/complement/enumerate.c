// enumerate.c: a complementarity problem has no solution if no z >= 0 has A z + b >= 0 at all, whatever the size of the problem;
// and if none of the 2^n cases "z_i = 0 or w_i = 0" has a point, which is tried for small n. Each
// is a linear programme, so singular cases (dependent rows) are decided too. "No point" is meant to
// 1e-9 of the largest b.
#include "enumerate.h"

#include "lp.h"

#include <math.h>
#include <string.h>

#define NO_POINT 1e-9

size_t rh_lcp_cases_room(int n)
{
  return 2 * (size_t)n * (size_t)n + 3 * (size_t)n + rh_lp_room(n, 2 * n);
}

// A_J z_J - w = -b, with w_i for i not in J; bit i of `mask`: i is in J. `both`: with all z_i and
// w_i.
// SOLVED: z is a point; FAILED: the search did not end.
static rh_verdict find_point(const rh_lcp *problem, unsigned mask, bool both, double *room,
                             double *z)
{
  int n = problem->n;
  int width = both ? 2 * n : n;
  double *E = room;
  double *e = E + 2 * (size_t)n * (size_t)n;
  double *x = e + n;
  int columns = 0;
  memset(E, 0, 2 * (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    bool in = both || (mask >> (unsigned)i & 1U) != 0;
    for (int r = 0; r < n && in; r++) {
      E[(size_t)r * width + columns] = problem->A[(size_t)r * n + i];
    }
    columns += in;
    if (both || !in) {
      E[(size_t)i * width + columns] = -1;
      columns++;
    }
    e[i] = -problem->b[i];
  }
  rh_lp lp;
  bool lost = false;
  if (!rh_lp_open(&lp, n, width, E, e, NO_POINT, x + 2 * (ptrdiff_t)n, &lost)) {
    return lost ? RH_VERDICT_FAILED : RH_VERDICT_NONE;
  }
  rh_lp_point(&lp, x);
  for (int i = 0; i < n && !both; i++) {
    z[i] = (mask >> (unsigned)i & 1U) != 0 ? fmax(x[i], 0) : 0;
  }
  return RH_VERDICT_SOLVED;
}

rh_verdict rh_lcp_cases(const rh_lcp *problem, double *room, double *z)
{
  int n = problem->n;
  if (find_point(problem, 0, true, room, z) == RH_VERDICT_NONE) {
    return RH_VERDICT_NONE;
  }
  rh_verdict all = n <= RH_CASES_MAX ? RH_VERDICT_NONE : RH_VERDICT_FAILED;
  for (unsigned mask = 0; n <= RH_CASES_MAX && mask < 1U << (unsigned)n; mask++) {
    rh_verdict one = find_point(problem, mask, false, room, z);
    if (one == RH_VERDICT_SOLVED) {
      return one;
    }
    all = one == RH_VERDICT_FAILED ? one : all;
  }
  return all;
}
