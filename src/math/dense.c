// dense.c: least squares of any rank by a complete orthogonal decomposition, Cholesky and LU. Row major, in place, in a
// fixed order of operations; columns are processed row by row, in the order of memory.
// Left out: blocking, condition estimates, updates of a factorisation. Sizes are some hundred at most.
#include "dense.h"

#include "base/wide.h"

#include <float.h>
#include <math.h>

// ---- Least squares: A P = Q [T 0; 0 0] Z, T upper triangular of order `rank`

typedef struct qr {
  int m, n, rank;
  double *A;
  double *tau;  // factor of each reflector from the left, then of those from the right (n)
  double *norm; // squared length of the rest of each column (n)
  double *full; // the same when it was last summed anew (n)
  double *turn; // index in A of column j of A P (n)
  double *row;  // scratch (n)
  double *rhs;  // Q' b (m)
} qr;

size_t rh_lstsq_room(int m, int n)
{
  return (size_t)5 * (size_t)n + (size_t)m;
}

static void sum_columns(qr *f, int from)
{
  for (int j = from; j < f->n; j++) {
    f->norm[j] = 0;
  }
  for (int i = from; i < f->m; i++) {
    const double *a = f->A + (size_t)i * (size_t)f->n;
    for (int j = from; j < f->n; j++) {
      f->norm[j] += a[j] * a[j];
    }
  }
  for (int j = from; j < f->n; j++) {
    f->full[j] = f->norm[j];
  }
}

static void swap_values(double *a, double *b)
{
  double t = *a;
  *a = *b;
  *b = t;
}

// Moves the longest column to k; its squared length.
static double bring_longest(qr *f, int k)
{
  int best = k;
  for (int j = k + 1; j < f->n; j++) {
    best = f->norm[j] > f->norm[best] ? j : best;
  }
  if (best != k) {
    for (int i = 0; i < f->m; i++) {
      double *a = f->A + (size_t)i * (size_t)f->n;
      swap_values(&a[k], &a[best]);
    }
    swap_values(&f->norm[k], &f->norm[best]);
    swap_values(&f->full[k], &f->full[best]);
    swap_values(&f->turn[k], &f->turn[best]);
  }
  return f->norm[k];
}

// H = 1 - tau v v', v_k = 1, takes column k from row k on to (beta, 0, ...); v stays below the diagonal.
RH_WIDE
static void reflect_left(qr *f, int k)
{
  int n = f->n;
  double *A = f->A;
  double below = 0;
  for (int i = k + 1; i < f->m; i++) {
    below += A[(size_t)i * n + k] * A[(size_t)i * n + k];
  }
  double alpha = A[(size_t)k * n + k];
  f->tau[k] = 0;
  if (below == 0) {
    return;
  }
  double beta = -copysign(sqrt(alpha * alpha + below), alpha);
  f->tau[k] = (beta - alpha) / beta;
  A[(size_t)k * n + k] = beta;
  for (int i = k + 1; i < f->m; i++) {
    A[(size_t)i * n + k] /= alpha - beta;
  }
  for (int j = k + 1; j < n; j++) {
    f->row[j] = A[(size_t)k * n + j];
  }
  double dot = f->rhs[k];
  for (int i = k + 1; i < f->m; i++) {
    const double *a = A + (size_t)i * n;
    for (int j = k + 1; j < n; j++) {
      f->row[j] += a[k] * a[j];
    }
    dot += a[k] * f->rhs[i];
  }
  for (int j = k + 1; j < n; j++) {
    f->row[j] *= f->tau[k];
    A[(size_t)k * n + j] -= f->row[j];
  }
  f->rhs[k] -= f->tau[k] * dot;
  for (int i = k + 1; i < f->m; i++) {
    double *a = A + (size_t)i * n;
    for (int j = k + 1; j < n; j++) {
      a[j] -= a[k] * f->row[j];
    }
    f->rhs[i] -= f->tau[k] * a[k] * dot;
  }
}

// Removes row k from the norms of the columns after k. If little is left of a column, its length is
// summed anew.
static void shorten_columns(qr *f, int k)
{
  const double *a = f->A + (size_t)k * (size_t)f->n;
  bool anew = false;
  for (int j = k + 1; j < f->n; j++) {
    f->norm[j] -= a[j] * a[j];
    anew = anew || f->norm[j] < 1e-6 * f->full[j];
  }
  if (anew) {
    sum_columns(f, k + 1);
  }
}

// From the right, rows rank-1 .. 0: reflectors on column k and the columns after the rank clear
// R12. v stays in R12.
RH_WIDE
static void complete_decomposition(qr *f)
{
  int n = f->n;
  for (int k = f->rank - 1; k >= 0; k--) {
    double *a = f->A + (size_t)k * n;
    double rest = 0;
    for (int j = f->rank; j < n; j++) {
      rest += a[j] * a[j];
    }
    f->tau[k] = 0;
    if (rest == 0) {
      continue;
    }
    double beta = -copysign(sqrt(a[k] * a[k] + rest), a[k]);
    double scale = 1 / (a[k] - beta);
    f->tau[k] = (beta - a[k]) / beta;
    a[k] = beta;
    for (int j = f->rank; j < n; j++) {
      a[j] *= scale;
    }
    for (int i = 0; i < k; i++) {
      double *c = f->A + (size_t)i * n;
      double dot = c[k];
      for (int j = f->rank; j < n; j++) {
        dot += c[j] * a[j];
      }
      dot *= f->tau[k];
      c[k] -= dot;
      for (int j = f->rank; j < n; j++) {
        c[j] -= dot * a[j];
      }
    }
  }
}

// x = P Z' (T^-1 (Q' b), 0)
static void back_substitute(qr *f, double *x)
{
  int n = f->n;
  for (int i = f->rank - 1; i >= 0; i--) {
    const double *a = f->A + (size_t)i * n;
    double sum = f->rhs[i];
    for (int j = i + 1; j < f->rank; j++) {
      sum -= a[j] * f->row[j];
    }
    f->row[i] = sum / a[i];
  }
  for (int j = f->rank; j < n; j++) {
    f->row[j] = 0;
  }
  for (int k = 0; k < f->rank && f->rank < n; k++) {
    const double *v = f->A + (size_t)k * n;
    double dot = f->row[k];
    for (int j = f->rank; j < n; j++) {
      dot += v[j] * f->row[j];
    }
    dot *= f->tau[k];
    f->row[k] -= dot;
    for (int j = f->rank; j < n; j++) {
      f->row[j] -= dot * v[j];
    }
  }
  for (int j = 0; j < n; j++) {
    x[(int)f->turn[j]] = f->row[j];
  }
}

// NOLINTNEXTLINE(readability-function-size): each is a plain part of the problem
int rh_lstsq(int m, int n, double *A, const double *b, double tol, double *room, double *x,
             double *residual)
{
  qr f = {.m = m, .n = n};
  f.A = A;
  f.tau = room;
  f.norm = f.tau + n;
  f.full = f.norm + n;
  f.turn = f.full + n;
  f.row = f.turn + n;
  f.rhs = f.row + n;
  for (int j = 0; j < n; j++) {
    f.turn[j] = j;
  }
  for (int i = 0; i < m; i++) {
    f.rhs[i] = b[i];
  }
  sum_columns(&f, 0);
  double largest = 0;
  for (; f.rank < m && f.rank < n; f.rank++) {
    double length = sqrt(fmax(bring_longest(&f, f.rank), 0));
    largest = f.rank == 0 ? length : largest;
    if (length <= tol * largest) {
      break;
    }
    reflect_left(&f, f.rank);
    shorten_columns(&f, f.rank);
  }
  if (residual != NULL) {
    double sum = 0;
    for (int i = f.rank; i < m; i++) {
      sum += f.rhs[i] * f.rhs[i];
    }
    *residual = sqrt(sum);
  }
  if (f.rank < n) {
    complete_decomposition(&f);
  }
  back_substitute(&f, x);
  return f.rank;
}

// ---- Cholesky

bool rh_cholesky(int n, double *A)
{
  for (int i = 0; i < n; i++) {
    double *a = A + (size_t)i * n;
    for (int j = 0; j <= i; j++) {
      const double *l = A + (size_t)j * n;
      double sum = a[j];
      for (int k = 0; k < j; k++) {
        sum -= a[k] * l[k];
      }
      if (j < i) {
        a[j] = sum / l[j];
      } else if (sum > 0 && isfinite(sum)) {
        a[i] = sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

void rh_cholesky_solve(int n, const double *L, double *x)
{
  for (int i = 0; i < n; i++) {
    const double *l = L + (size_t)i * n;
    for (int k = 0; k < i; k++) {
      x[i] -= l[k] * x[k];
    }
    x[i] /= l[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *l = L + (size_t)i * n;
    x[i] /= l[i];
    for (int k = 0; k < i; k++) {
      x[k] -= l[k] * x[i];
    }
  }
}

// ---- LU

static void swap_rows(int n, double *A, int i, int j)
{
  for (int k = 0; k < n; k++) {
    swap_values(&A[(size_t)i * n + k], &A[(size_t)j * n + k]);
  }
}

bool rh_lu(int n, double *A, int *pivot)
{
  double size = 0;
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
    size = fmax(size, fabs(A[i]));
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      best = fabs(A[(size_t)i * n + k]) > fabs(A[(size_t)best * n + k]) ? i : best;
    }
    pivot[k] = best;
    if (best != k) {
      swap_rows(n, A, k, best);
    }
    const double *p = A + (size_t)k * n;
    if (!(fabs(p[k]) > n * DBL_EPSILON * size)) {
      return false;
    }
    for (int i = k + 1; i < n; i++) {
      double *a = A + (size_t)i * n;
      if (a[k] == 0) {
        continue;
      }
      double factor = a[k] / p[k];
      a[k] = factor;
      for (int j = k + 1; j < n; j++) {
        a[j] -= factor * p[j];
      }
    }
  }
  return true;
}

void rh_lu_solve(int n, const double *LU, const int *pivot, double *x)
{
  for (int k = 0; k < n; k++) {
    if (pivot[k] != k) {
      swap_values(&x[k], &x[pivot[k]]);
    }
  }
  for (int i = 0; i < n; i++) {
    const double *a = LU + (size_t)i * n;
    for (int k = 0; k < i; k++) {
      x[i] -= a[k] * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *a = LU + (size_t)i * n;
    for (int k = i + 1; k < n; k++) {
      x[i] -= a[k] * x[k];
    }
    x[i] /= a[i];
  }
}
