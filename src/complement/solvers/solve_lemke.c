// Lemke's method for linear complementarity problems: w = A z + b + z0 d, d = 1; z0 falls from the
// value at which z = 0 is a solution, and where it reaches zero z is one. Ties are broken
// lexicographically, so it cannot cycle. It ends with a solution or on a ray; for A positive
// semidefinite a ray proves that there is none, otherwise it proves nothing, and `enumerate.c`
// finds a proof or a solution. Unknowns are scaled by the diagonal. The solution is refined from
// the problem's own numbers.
#include "complement/lemke.h"

#include "complement/cone.h"
#include "complement/enumerate.h"
#include "math/dense.h"

#include <string.h>

enum { TOLERANCE };

#define SMALL 1e-11 // smaller entries of the scaled tableau are zero

static const rh_param param[] = {
    RH_PARAM_RELATIVE_RESIDUAL(1e-11, "b"),
};

// Rows of (right-hand side, w_1 .. w_n, z_1 .. z_n, z0): the lexicographic rule compares the
// columns of w.
typedef struct tableau {
  int n, width;
  double *T;
  double *basis; // column - 1 of the variable in each row: w_i is i, z_i is n + i, z0 is 2n (n)
  double *scale; // z_i = scale_i * the tableau's (n)
} tableau;

size_t rh_lemke_room(int n)
{
  size_t own = (size_t)n * (2 * (size_t)n + 2) + 2 * (size_t)n;
  size_t polish = (size_t)n * (size_t)n + 3 * (size_t)n + rh_lstsq_room(n, n);
  size_t cases = rh_lcp_cases_room(n);
  return own + (polish > cases ? polish : cases);
}

static double *row_of(const tableau *t, int i)
{
  return t->T + (size_t)i * (size_t)t->width;
}

static void fill_tableau(tableau *t, const rh_lcp *problem)
{
  int n = problem->n;
  double size = rh_lcp_size(n, problem->b);
  memset(t->T, 0, (size_t)n * (size_t)t->width * sizeof(double));
  for (int i = 0; i < n; i++) {
    double d = fabs(problem->A[(size_t)i * n + i]);
    t->scale[i] = d > 0 ? 1 / sqrt(d) : 1;
  }
  for (int i = 0; i < n; i++) {
    double *a = row_of(t, i);
    a[0] = problem->b[i] / size * t->scale[i];
    a[1 + i] = 1;
    for (int j = 0; j < n; j++) {
      a[1 + n + j] = -problem->A[(size_t)i * n + j] * t->scale[i] * t->scale[j];
    }
    a[1 + 2 * n] = -1;
    t->basis[i] = i;
  }
}

static void pivot_tableau(tableau *t, int r, int c)
{
  double *p = row_of(t, r);
  double by = p[c];
  for (int j = 0; j < t->width; j++) {
    p[j] /= by;
  }
  p[c] = 1;
  for (int i = 0; i < t->n; i++) {
    double *a = row_of(t, i);
    double f = a[c];
    if (i == r || f == 0) {
      continue;
    }
    for (int j = 0; j < t->width; j++) {
      a[j] -= f * p[j];
    }
    a[c] = 0;
  }
  t->basis[r] = c - 1;
}

// True if row i over its entry in column c is lexicographically before row k over its own.
static bool lexically_before(const tableau *t, int i, int k, int c)
{
  const double *a = row_of(t, i);
  const double *b = row_of(t, k);
  for (int j = 0; j <= t->n; j++) {
    double x = a[j] / a[c];
    double y = b[j] / b[c];
    if (fabs(x - y) > 1e-12 * (fabs(x) + fabs(y)) && fabs(x - y) > 1e-14) {
      return x < y;
    }
  }
  return i < k;
}

static int leaving_row(const tableau *t, int c)
{
  int best = RH_NONE;
  double largest = 0;
  for (int i = 0; i < t->n; i++) {
    largest = fmax(largest, fabs(row_of(t, i)[c]));
  }
  for (int i = 0; i < t->n; i++) {
    if (row_of(t, i)[c] > SMALL * fmax(largest, 1) &&
        (best == RH_NONE || lexically_before(t, i, best, c))) {
      best = i;
    }
  }
  return best;
}

// False: on a ray, or at the step limit.
static bool walk_pivots(tableau *t)
{
  int n = t->n;
  int start = 0;
  for (int i = 1; i < n; i++) {
    start = row_of(t, i)[0] <= row_of(t, start)[0]
                ? i
                : start; // of equals the last is lexicographically least
  }
  if (row_of(t, start)[0] >= 0) {
    return true;
  }
  int left = start; // the variable that left
  pivot_tableau(t, start, 1 + 2 * n);
  for (int k = 0; k < 50 * (n + 10); k++) {
    int c = 1 + (left < n ? left + n : left - n); // its partner comes in
    int r = leaving_row(t, c);
    if (r == RH_NONE) {
      return false;
    }
    for (int i = 0; i < n; i++) { // z0 leaves as soon as it can
      const double *a = row_of(t, i);
      if (t->basis[i] == 2 * n && a[c] > SMALL &&
          a[0] / a[c] <= row_of(t, r)[0] / row_of(t, r)[c] + 1e-14) {
        r = i;
      }
    }
    left = (int)t->basis[r];
    pivot_tableau(t, r, c);
    if (left == 2 * n) {
      return true;
    }
  }
  return false;
}

static void read_answer(const tableau *t, double size, double *z)
{
  memset(z, 0, (size_t)t->n * sizeof(double));
  for (int i = 0; i < t->n; i++) {
    int v = (int)t->basis[i];
    if (v >= t->n && v < 2 * t->n) {
      z[v - t->n] = fmax(row_of(t, i)[0], 0) * t->scale[v - t->n] * size;
    }
  }
}

// A_JJ z_J = -b_J for the z_J > 0, as a correction of least norm to z.
static void polish_solution(const rh_lcp *problem, double *room, double *z)
{
  int n = problem->n;
  double *A = room;
  double *w = A + (size_t)n * (size_t)n;
  double *dz = w + n;
  double *index = dz + n;
  int m = 0;
  for (int i = 0; i < n; i++) {
    if (z[i] > 0) {
      index[m++] = i;
    }
  }
  for (int r = 0; r < m; r++) {
    const double *row = problem->A + (size_t)index[r] * (size_t)n;
    w[r] = -problem->b[(int)index[r]];
    for (int j = 0; j < n; j++) {
      w[r] -= row[j] * z[j];
    }
    for (int c = 0; c < m; c++) {
      A[(size_t)r * m + c] = row[(int)index[c]];
    }
  }
  (void)rh_lstsq(m, m, A, w, 1e-12, index + n, dz, NULL);
  for (int r = 0; r < m; r++) {
    z[(int)index[r]] += dz[r];
  }
}

static double improve_solution(const rh_lcp *problem, double *old, double *room, double *z)
{
  size_t bytes = (size_t)problem->n * sizeof(double);
  double residual = rh_lcp_residual(problem, z);
  for (int i = 0; i < 2; i++) {
    memcpy(old, z, bytes);
    polish_solution(problem, room, z);
    double now = rh_lcp_residual(problem, z);
    if (!(now < residual)) {
      memcpy(z, old, bytes);
      break;
    }
    residual = now;
  }
  return residual;
}

rh_verdict rh_lemke(const rh_lcp *problem, double tolerance, double *room, double *z)
{
  int n = problem->n;
  tableau t = {.n = n, .width = 2 * n + 2};
  t.T = room;
  t.basis = t.T + (size_t)n * (size_t)t.width;
  t.scale = t.basis + n;
  double *rest = t.scale + n;
  fill_tableau(&t, problem);
  bool found = walk_pivots(&t);
  read_answer(&t, rh_lcp_size(n, problem->b), z);
  found = found || rh_lcp_residual(problem, z) <=
                       tolerance; // a ray that begins where z0 is zero but for rounding
  rh_verdict verdict = found ? RH_VERDICT_SOLVED : rh_lcp_cases(problem, rest, z);
  if (verdict != RH_VERDICT_SOLVED) {
    return verdict;
  }
  // The tableau is no longer needed.
  return improve_solution(problem, t.T, rest, z) <= tolerance ? RH_VERDICT_SOLVED
                                                              : RH_VERDICT_FAILED;
}

static rh_verdict solve_lcp(const rh_lcp *problem, const double *par, double *room, double *z)
{
  return rh_lemke(problem, par[TOLERANCE], room, z);
}

static rh_verdict solve_qp(const rh_qp *problem, const double *par, double *room, double *z)
{
  rh_lcp lcp = {.n = problem->n, .A = problem->H, .b = problem->g}; // Kuhn-Tucker ([WK] 2.13a*)
  return rh_lemke(&lcp, par[TOLERANCE], room, z);
}

extern const rh_solver rh_solver_lemke;

const rh_solver rh_solver_lemke = {
    .row = {.name = "lemke",
            .cite = "Lemke 1965",
            .doc = "complementary pivots: linear complementarity problems of any matrix",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = rh_lemke_room,
    .lcp = solve_lcp,
    .qp = solve_qp,
};
