// Convex quadratic programmes by active sets (Dantzig): least 1/2 z'Hz + g'z with z >= 0, H
// positive semidefinite; in place of Wolfe's simplex in [WK] 2.11-2.13. The set P of unknowns that
// are not held at zero keeps H_PP regular; the gradient is zero on it. The unknown with the
// steepest gradient grows, P following, until its own gradient is zero; one of P that reaches zero
// on the way is held there. If it grows without bound the programme has no least value and the
// complementarity problem (w = H z + g) no solution; Lemke's method decides on that, and where
// rounding prevents a solution.
#include "complement/active_set.h"

#include "complement/cone.h"
#include "complement/lemke.h"
#include "math/dense.h"

#include <string.h>

enum { TOLERANCE };

enum { RISEN, BLOCKED, ENDLESS };

#define FLAT 1e-11 // curvature, relative to the diagonal, that counts as zero

static const rh_param param[] = {
    RH_PARAM_RELATIVE_RESIDUAL(1e-11, "g"),
};

typedef struct set {
  const rh_qp *qp;
  int m;        // unknowns in P
  double *P;    // their indices (n)
  double *in;   // 1: in P (n)
  double *L;    // Cholesky factor of H_PP (m x m)
  double *d;    // change of z_P per unit of the growing one (n)
  double *grad; // H z + g (n)
} set;

size_t rh_active_set_room(int n)
{
  size_t own = (size_t)n * (size_t)n + 4 * (size_t)n;
  size_t lemke = rh_lemke_room(n);
  return own > lemke ? own : lemke;
}

static void update_gradient(set *s, const double *z)
{
  int n = s->qp->n;
  for (int i = 0; i < n; i++) {
    const double *row = s->qp->H + (size_t)i * n;
    s->grad[i] = s->qp->g[i];
    for (int j = 0; j < n; j++) {
      s->grad[i] += row[j] * z[j];
    }
  }
}

static bool factor_free_block(set *s)
{
  for (int r = 0; r < s->m; r++) {
    for (int c = 0; c < s->m; c++) {
      s->L[(size_t)r * s->m + c] = s->qp->H[(size_t)s->P[r] * (size_t)s->qp->n + (size_t)s->P[c]];
    }
  }
  return rh_cholesky(s->m, s->L);
}

static void drop_unknown(set *s, int at, double *z)
{
  s->in[(int)s->P[at]] = 0;
  z[(int)s->P[at]] = 0;
  s->m--;
  for (int r = at; r < s->m; r++) {
    s->P[r] = s->P[r + 1];
  }
}

// Grows z_j as far as possible.
static int raise_unknown(set *s, int j, double *z)
{
  const double *row = s->qp->H + (size_t)j * (size_t)s->qp->n;
  double curvature = row[j];
  double slope = s->qp->g[j];
  for (int i = 0; i < s->qp->n; i++) {
    slope += row[i] * z[i];
  }
  for (int r = 0; r < s->m; r++) {
    s->d[r] = -row[(int)s->P[r]];
  }
  rh_cholesky_solve(s->m, s->L, s->d);
  for (int r = 0; r < s->m; r++) {
    curvature += row[(int)s->P[r]] * s->d[r];
  }
  double t = curvature > FLAT * row[j] ? fmax(-slope, 0) / curvature : HUGE_VAL;
  int block = RH_NONE;
  for (int r = 0; r < s->m; r++) {
    double limit = s->d[r] < 0 ? -z[(int)s->P[r]] / s->d[r] : HUGE_VAL;
    if (limit < t) {
      t = limit;
      block = r;
    }
  }
  if (isinf(t)) {
    return ENDLESS;
  }
  for (int r = 0; r < s->m; r++) {
    z[(int)s->P[r]] = fmax(z[(int)s->P[r]] + t * s->d[r], 0);
  }
  z[j] += t;
  if (block != RH_NONE) {
    drop_unknown(s, block, z);
    return BLOCKED;
  }
  s->in[j] = 1;
  s->P[s->m++] = j;
  return RISEN;
}

// The steepest, or the first that is steep at all (which does not cycle).
static int steepest_unknown(const set *s, double small, bool first)
{
  int best = RH_NONE;
  double most = -small;
  for (int i = 0; i < s->qp->n; i++) {
    double unit = sqrt(s->qp->H[(size_t)i * s->qp->n + i]);
    if (s->in[i] == 0 && s->grad[i] < -small &&
        (best == RH_NONE || (!first && s->grad[i] / (unit > 0 ? unit : 1) < most))) {
      best = i;
      most = s->grad[i] / (unit > 0 ? unit : 1);
    }
  }
  return best;
}

// z_P = -H_PP^-1 g_P once more, from the problem's own numbers
static void polish_solution(set *s, double *z)
{
  if (!factor_free_block(s)) {
    return;
  }
  for (int turn = 0; turn < 2; turn++) {
    update_gradient(s, z);
    for (int r = 0; r < s->m; r++) {
      s->d[r] = -s->grad[(int)s->P[r]];
    }
    rh_cholesky_solve(s->m, s->L, s->d);
    for (int r = 0; r < s->m; r++) {
      z[(int)s->P[r]] = fmax(z[(int)s->P[r]] + s->d[r], 0);
    }
  }
}

rh_verdict rh_active_set(const rh_qp *problem, double tolerance, double *room, double *z)
{
  int n = problem->n;
  set s = {.qp = problem, .P = room};
  s.in = s.P + n;
  s.d = s.in + n;
  s.grad = s.d + n;
  s.L = s.grad + n;
  memset(z, 0, (size_t)n * sizeof(double));
  memset(s.in, 0, (size_t)n * sizeof(double));
  double small = 0.01 * tolerance * rh_lcp_size(n, problem->g);
  int plenty = 10 * (n + 10);
  for (int k = 0; k < 3 * plenty; k++) {
    update_gradient(&s, z);
    int j = steepest_unknown(&s, small, k > plenty);
    if (j == RH_NONE) {
      break;
    }
    int how = BLOCKED;
    while (how == BLOCKED) { // P shrinks each time
      how = factor_free_block(&s) ? raise_unknown(&s, j, z) : ENDLESS;
    }
    if (how == ENDLESS) {
      break;
    }
  }
  polish_solution(&s, z);
  if (rh_qp_residual(problem, z) <= tolerance) {
    return RH_VERDICT_SOLVED;
  }
  const rh_lcp lcp = {.n = n, .A = problem->H, .b = problem->g};
  return rh_lemke(&lcp, tolerance, room, z);
}

static rh_verdict solve_qp(const rh_qp *problem, const double *par, double *room, double *z)
{
  return rh_active_set(problem, par[TOLERANCE], room, z);
}

const rh_solver rh_solver_active_set = {
    .row = {.name = "active-set",
            .cite = "[WK] 2.11-2.13*",
            .doc = "convex quadratic programmes; regular or not",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = rh_active_set_room,
    .qp = solve_qp,
};
