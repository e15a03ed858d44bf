// lp.c: the simplex method in a tableau, in two phases. The steepest reduced cost enters; after many steps the first that
// goes down, which cannot cycle (Bland's rule). Rows are scaled to size 1 by powers of 2.
#include "lp.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-11 // smaller entries of the scaled tableau are zero

size_t rh_lp_room(int m, int n)
{
  return (size_t)m * (size_t)(n + 1) + (size_t)m + (size_t)n + 1;
}

static double *row_of(const rh_lp *lp, int i)
{
  return lp->T + (size_t)i * (size_t)(lp->n + 1);
}

static void pivot_tableau(rh_lp *lp, int r, int c)
{
  double *p = row_of(lp, r);
  double by = p[c];
  for (int j = 0; j <= lp->n; j++) {
    p[j] /= by;
  }
  p[c] = 1;
  for (int i = 0; i <= lp->m; i++) {
    double *a = i < lp->m ? row_of(lp, i) : lp->cost;
    double f = a[c];
    if (i == r || f == 0) {
      continue;
    }
    for (int j = 0; j <= lp->n; j++) {
      a[j] -= f * p[j];
    }
    a[c] = 0;
  }
  lp->basis[r] = c;
}

static int entering_column(const rh_lp *lp, bool first)
{
  int best = RH_NONE;
  for (int j = 0; j < lp->n; j++) {
    if (lp->cost[j] < -SMALL && (best == RH_NONE || (!first && lp->cost[j] < lp->cost[best]))) {
      best = j;
    }
  }
  return best;
}

static int leaving_row(const rh_lp *lp, int c)
{
  int best = RH_NONE;
  double least = HUGE_VAL;
  for (int i = 0; i < lp->m; i++) {
    const double *a = row_of(lp, i);
    if (a[c] <= SMALL) {
      continue;
    }
    double ratio = fmax(a[lp->n], 0) / a[c];
    bool tie = best != RH_NONE && ratio <= least * (1 + 1e-12) && ratio >= least * (1 - 1e-12);
    if (tie ? lp->basis[i] > lp->basis[best] : ratio < least) { // of equals the artificial leaves
      best = i;
      least = ratio;
    }
  }
  return best;
}

static rh_lp_end descend_to_optimum(rh_lp *lp)
{
  int plenty = 20 * (lp->m + lp->n + 10);
  for (int k = 0; k < 3 * plenty; k++) {
    int c = entering_column(lp, k > plenty);
    if (c == RH_NONE) {
      return RH_LP_BEST;
    }
    int r = leaving_row(lp, c);
    if (r == RH_NONE) {
      return RH_LP_UNBOUNDED;
    }
    pivot_tableau(lp, r, c);
  }
  return RH_LP_LOST;
}

// Rows with an artificial variable get one of x, or are empty.
static void settle_basis(rh_lp *lp)
{
  for (int i = 0; i < lp->m; i++) {
    double *a = row_of(lp, i);
    if (lp->basis[i] < lp->n) {
      continue;
    }
    int best = 0;
    for (int j = 1; j < lp->n; j++) {
      best = fabs(a[j]) > fabs(a[best]) ? j : best;
    }
    a[lp->n] = 0;
    if (lp->n > 0 && fabs(a[best]) > 1e3 * SMALL) {
      pivot_tableau(lp, i, best);
    } else {
      memset(a, 0, (size_t)(lp->n + 1) * sizeof(double));
    }
  }
}

// NOLINTNEXTLINE(readability-function-size): each is a plain part of the problem
bool rh_lp_open(rh_lp *lp, int m, int n, const double *E, const double *e, double tol, double *room,
                bool *lost)
{
  *lp = (rh_lp){.m = m, .n = n};
  lp->T = room;
  lp->basis = lp->T + (size_t)m * (size_t)(n + 1);
  lp->cost = lp->basis + m;
  memset(lp->cost, 0, (size_t)(n + 1) * sizeof(double));
  double size = 0;
  for (int i = 0; i < m; i++) {
    double *a = row_of(lp, i);
    double largest = 0;
    for (int j = 0; j < n; j++) {
      largest = fmax(largest, fabs(E[(size_t)i * n + j]));
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    double scale = ldexp(e[i] < 0 ? -1 : 1, largest > 0 ? -exponent : 0);
    for (int j = 0; j < n; j++) {
      a[j] = scale * E[(size_t)i * n + j];
      lp->cost[j] -= a[j];
    }
    a[n] = scale * e[i];
    size = fmax(size, a[n]);
    lp->cost[n] -= a[n];
    lp->basis[i] = n + i;
  }
  *lost = descend_to_optimum(lp) == RH_LP_LOST;
  if (*lost || -lp->cost[n] > tol * (size > 0 ? size : 1)) {
    return false;
  }
  settle_basis(lp);
  return true;
}

rh_lp_end rh_lp_least(rh_lp *lp, const double *c, double *value)
{
  memcpy(lp->cost, c, (size_t)lp->n * sizeof(double));
  lp->cost[lp->n] = 0;
  for (int i = 0; i < lp->m; i++) {
    double f = lp->basis[i] < lp->n ? c[(int)lp->basis[i]] : 0;
    const double *a = row_of(lp, i);
    for (int j = 0; j <= lp->n && f != 0; j++) {
      lp->cost[j] -= f * a[j];
    }
  }
  rh_lp_end end = descend_to_optimum(lp);
  *value = -lp->cost[lp->n];
  return end;
}

void rh_lp_point(const rh_lp *lp, double *x)
{
  memset(x, 0, (size_t)lp->n * sizeof(double));
  for (int i = 0; i < lp->m; i++) {
    if (lp->basis[i] < lp->n) {
      x[(int)lp->basis[i]] = row_of(lp, i)[lp->n];
    }
  }
}
