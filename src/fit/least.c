// least.c: least squares by MINPACK's lmder (J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory",
// 1978), in variables without bounds: w = lo + (hi - lo) (1 + sin z) / 2 where there are bounds (F. James, MINUIT).
#include "fit.h"

#include "math/dense.h"
#include "math/least_squares.h"

#include <cminpack.h>
#include <math.h>
#include <string.h>

#define FLOOR  1e-14 // of the largest curvature: no direction counts as flatter
#define MIDDLE 1e-9  // a start this near the middle of its range is there
#define EDGE   1e-6  // part of the range that the start keeps from a bound

enum { STEPS = 6 }; // by slopes of another place

typedef struct inner {
  const rh_fit_least *problem;
  double *w, *slope; // (n)
  double *best, *r_best;
  double least;
  bool failed;
} inner;

static bool is_bounded(const rh_fit_least *p, int i)
{
  return isfinite(p->lo[i]) && isfinite(p->hi[i]);
}

static void leave_z(const inner *in, const double *z, double *w, double *slope)
{
  const rh_fit_least *p = in->problem;
  for (int i = 0; i < p->n; i++) {
    double half = 0.5 * (p->hi[i] - p->lo[i]);
    bool bounded = is_bounded(p, i);
    w[i] = bounded ? fmin(fmax(p->lo[i] + half * (1 + rh_sin(z[i])), p->lo[i]), p->hi[i]) : z[i];
    slope[i] = bounded ? half * rh_cos(z[i]) : 1;
  }
}

static double sum_squares(int m, const double *r)
{
  double sum = 0;
  for (int i = 0; i < m; i++) {
    sum += r[i] * r[i];
  }
  return sum;
}

static int evaluate_inner(void *user, int m, int n, const double *z, double *r, double *J, int room,
                          int what)
{
  inner *in = user;
  const rh_fit_least *p = in->problem;
  (void)room;
  if (rh_interrupt_seen() != 0) {
    return -1;
  }
  leave_z(in, z, in->w, in->slope);
  if (what == 1) {
    bool good = p->residual(p->user, in->w, r);
    double sum = good ? sum_squares(m, r) : HUGE_VAL;
    for (int i = 0; !isfinite(sum) && i < m; i++) {
      r[i] = 1e8; // a wall: the step is shortened
    }
    if (sum < in->least) {
      in->least = sum;
      memcpy(in->best, in->w, (size_t)n * sizeof *in->best);
      memcpy(in->r_best, r, (size_t)m * sizeof *r);
    }
    return 0;
  }
  if (!p->slopes(p->user, in->w, r, J)) {
    in->failed = true;
    return -1;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) {
      J[(size_t)i * (size_t)m + (size_t)k] *= in->slope[i];
    }
  }
  return 0;
}

// A start at the end of what a scene allows (mu_k = mu_s) may be past it by a rounding: then it is moved to either side.
static void leave_refused_edge(const inner *in, double *z, double *r)
{
  static const double by[] = {-1e-7, 2e-7}; // from where the last one left it
  const rh_fit_least *p = in->problem;
  leave_z(in, z, in->w, in->slope);
  for (int k = 0; k < 2 && !p->residual(p->user, in->w, r); k++) {
    for (int i = 0; i < p->n; i++) {
      z[i] += by[k];
    }
    leave_z(in, z, in->w, in->slope);
  }
}

// The search itself; `w` gets its end, room has 8 n + 2 m, pivot n.
static void search_from(const rh_fit_least *p, double *w, double *r, double *J, double *room,
                        int *pivot, rh_fit_found *found)
{
  size_t n = (size_t)p->n;
  size_t m = (size_t)p->m;
  double *z = room;
  double *work = z + n; // diag, qtf, wa1, wa2, wa3: 5 n
  double *wa4 = room + 8 * n;
  inner in = {p, room + 6 * n, room + 7 * n, w, wa4 + m, HUGE_VAL, false};
  for (size_t i = 0; i < n; i++) {
    double part = is_bounded(p, (int)i) ? (w[i] - p->lo[i]) / (p->hi[i] - p->lo[i]) : 0;
    part = fmin(fmax(part, EDGE), 1 - EDGE);
    z[i] = is_bounded(p, (int)i) ? rh_asin(2 * part - 1) : w[i];
    // The first step is as long as the start is from zero (MINPACK's delta), and of length 1 there: the middle of the bounds must not
    // be a rounding off it.
    z[i] = fabs(z[i]) < MIDDLE ? 0 : z[i];
  }
  leave_refused_edge(&in, z, r);
  int evaluations = 0;
  int slopes = 0;
  int info = lmder(evaluate_inner, &in, p->m, p->n, z, r, J, p->m, p->tolerance, p->tolerance, 0,
                   p->most, work, 1, 1.0, 0, &evaluations, &slopes, pivot, work + n, work + 2 * n,
                   work + 3 * n, work + 4 * n, wa4);
  found->evaluations = evaluations + (p->slope_runs > 0 ? p->slope_runs : 2 * p->n) * slopes;
  found->converged = info >= 1 && info <= 4;
  found->sum = in.least;
}

// ---- Steps by slopes of a place near by

// The step of Gauss and Newton, and what it takes off the sum of squares by these slopes. False: it is not determined.
static bool find_step(const rh_fit_least *p, const double *J, const double *r, double *step,
                      double *gain)
{
  double A[RH_FIT_VALUES * RH_FIT_VALUES];
  double g[RH_FIT_VALUES];
  size_t m = (size_t)p->m;
  for (int i = 0; i < p->n; i++) {
    const double *a = J + (size_t)i * m;
    g[i] = 0;
    for (size_t k = 0; k < m; k++) {
      g[i] -= a[k] * r[k];
    }
    for (int j = 0; j <= i; j++) {
      const double *b = J + (size_t)j * m;
      double sum = 0;
      for (size_t k = 0; k < m; k++) {
        sum += a[k] * b[k];
      }
      A[i * p->n + j] = A[j * p->n + i] = sum;
    }
  }
  memcpy(step, g, (size_t)p->n * sizeof *step);
  if (!rh_cholesky(p->n, A)) {
    return false;
  }
  rh_cholesky_solve(p->n, A, step);
  *gain = 0;
  for (int i = 0; i < p->n; i++) {
    *gain += g[i] * step[i];
  }
  return isfinite(*gain);
}

// What the step has shown of the slopes (C. G. Broyden, "A class of methods for solving nonlinear simultaneous equations", Math. Comp. 19,
// 1965): J + (dr - J s) s' / s's
static void learn_slopes(const rh_fit_least *p, const double *step, const double *before,
                         const double *after, double *J)
{
  size_t m = (size_t)p->m;
  double length = sum_squares(p->n, step);
  for (size_t k = 0; k < m && length > 0; k++) {
    double off = after[k] - before[k];
    for (int i = 0; i < p->n; i++) {
      off -= J[(size_t)i * m + k] * step[i];
    }
    for (int i = 0; i < p->n; i++) {
      J[(size_t)i * m + k] += off * step[i] / length;
    }
  }
}

// True: no step takes more than the tolerance off. `w` is the best place in any case; other has m.
static bool step_by_near(const rh_fit_least *p, double *w, double *r, double *J, double *other,
                         rh_fit_found *found)
{
  double step[RH_FIT_VALUES];
  double at[RH_FIT_VALUES];
  double gain;
  size_t m = (size_t)p->m;
  memcpy(J, p->near, m * (size_t)p->n * sizeof *J);
  *found = (rh_fit_found){.evaluations = 1};
  bool good = p->residual(p->user, w, r);
  found->sum = good ? sum_squares(p->m, r) : HUGE_VAL;
  good = isfinite(found->sum);
  for (int turn = 0; turn < STEPS && good && rh_interrupt_seen() == 0; turn++) {
    if (!find_step(p, J, r, step, &gain)) {
      return false;
    }
    if (gain <= p->tolerance * found->sum) {
      found->converged = true;
      return true;
    }
    for (int i = 0; i < p->n; i++) {
      at[i] = w[i] + step[i];
      good = good && at[i] > p->lo[i] && at[i] < p->hi[i];
    }
    good = good && p->residual(p->user, at, other);
    found->evaluations++;
    double sum = good ? sum_squares(p->m, other) : HUGE_VAL;
    if (!(sum < found->sum)) {
      return false;
    }
    learn_slopes(p, step, r, other, J);
    memcpy(w, at, (size_t)p->n * sizeof *w);
    memcpy(r, other, m * sizeof *r);
    found->sum = sum;
  }
  return false;
}

static void search_here(const rh_fit_least *p, double *w, double *r, double *J, double *room,
                        int *pivot, rh_fit_found *found)
{
  rh_fit_found near = {0};
  if (p->near == NULL || !step_by_near(p, w, r, J, room + 8 * (size_t)p->n, &near)) {
    search_from(p, w, r, J, room, pivot, found);
    found->evaluations += near.evaluations;
  } else {
    *found = near;
  }
}

// By the journal, if it has the end
static void search_or_recall(const rh_fit_least *p, double *w, double *r, double *J, double *room,
                             int *pivot, rh_fit_found *found)
{
  double end[3];
  double begin[RH_FIT_VALUES];
  if (p->recall == NULL) {
    search_here(p, w, r, J, room, pivot, found);
    return;
  }
  memcpy(begin, w, (size_t)p->n * sizeof *w);
  if (p->recall->take(p->recall->problem, p->held, w, p->n, end)) {
    *found = (rh_fit_found){end[0], (int)end[1], end[2] != 0};
    return;
  }
  search_here(p, w, r, J, room, pivot, found);
  end[0] = found->sum;
  end[1] = found->evaluations;
  end[2] = found->converged;
  if (rh_interrupt_seen() == 0 && !rh_memory_failed()) {
    p->recall->put(p->recall->problem, p->held, begin, w, p->n, end);
  }
}

rh_status rh_fit_minimise(const rh_fit_least *p, double *w, double *r, double *J,
                          rh_fit_found *found)
{
  size_t n = (size_t)p->n;
  size_t m = (size_t)p->m;
  double *room = rh_alloc((8 * n + 2 * m + 1) * sizeof *room);
  int *pivot = rh_alloc((n + 1) * sizeof *pivot);
  rh_status status = room != NULL && pivot != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    search_or_recall(p, w, r, J, room, pivot, found);
    status = rh_interrupt_seen() != 0 ? RH_INTERRUPTED
             : isfinite(found->sum)   ? RH_OK
                                      : RH_NOT_FINITE;
  }
  if (status == RH_OK && !p->bare) { // the problem is left where the result is, its slopes with it
    bool good = p->residual(p->user, w, r) && p->slopes(p->user, w, r, J);
    status = good ? RH_OK : RH_NOT_FINITE;
  }
  rh_free(room);
  rh_free(pivot);
  return status;
}

void rh_fit_covariance(int m, int n, const double *J, double *axis, double *curve,
                       double *covariance)
{
  double A[RH_FIT_VALUES * RH_FIT_VALUES];
  double V[RH_FIT_VALUES * RH_FIT_VALUES];
  double most = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int s = 0; s < m; s++) {
        sum += J[(size_t)i * (size_t)m + (size_t)s] * J[(size_t)k * (size_t)m + (size_t)s];
      }
      A[i * n + k] = sum;
    }
  }
  rh_symmetric_axes(n, A, V);
  int order[RH_FIT_VALUES];
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && A[i * n + i] < A[order[at - 1] * n + order[at - 1]]; at--) {
      order[at] = order[at - 1];
    }
    order[at] = i;
    most = fmax(most, A[i * n + i]);
  }
  for (int a = 0; a < n; a++) {
    int from = order[a];
    curve[a] = fmax(A[from * n + from], fmax(FLOOR * most, 1e-300));
    for (int i = 0; i < n; i++) {
      axis[i * n + a] = V[i * n + from];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      covariance[i * n + k] = 0;
      for (int a = 0; a < n; a++) {
        covariance[i * n + k] += axis[i * n + a] * axis[k * n + a] / curve[a];
      }
    }
  }
}

double rh_fit_chi_bar(int freedom)
{
  double f = freedom; // Wilson and Hilferty, 1931: the cube root is nearly normal
  double c = 2 / (9 * f);
  double root = 1 - c + 1.6448536269514722 * sqrt(c);
  return root * root * root;
}
