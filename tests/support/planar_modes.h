// planar_modes.h: all solutions of a small frictional problem in the plane ([WK] 2.8-2.10*). Every
// combination of
//   separate   ln = lt = 0, an >= 0
//   stick      an = at = 0, |lt| <= mu_s ln
//   slip+-     an = 0, lt = -+mu_k ln; at >= 0 (<= 0) where the contact was at rest
// is a linear programme in the multipliers (an, at: accelerations at the contact). A contact that
// slips already separates or keeps slipping. Solutions are distinguished by their accelerations, J
// qdd, not by their multipliers: for undetermined ones the ranges are given, and the point of least
// norm. A combination in which the accelerations themselves are not determined is a continuum of
// solutions; of it that point counts. Of combinations with the same accelerations the one with most
// freedom in its multipliers is kept, of equals the first.
// Multipliers and accelerations are scaled to size 1. Conditions hold to 1e-9.
// Every combination is tried, none is left out: src/complement/motions/polyhedral.c is compared with it.
#ifndef ROUTH_TEST_PLANAR_MODES_H
#define ROUTH_TEST_PLANAR_MODES_H

#include "complement/active_set.h"
#include "complement/lp.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { PLANAR_MAX = 8 }; // contacts

typedef struct planar_problem { // w = M^-1: accelerations qdd = M^-1 (b + Jn' ln + Jt' lt)
  int nv, n;
  const double *M, *b;    // (nv x nv), (nv)
  const double *Jn, *Jt;  // (n x nv)
  const double *gn, *gt;  // dJ/dt v (n)
  const double *mu_s, *mu_k; // (n)
  const int *slip;        // sign of the slip velocity, 0: none (n)
} planar_problem;

typedef struct planar_answer {
  rh_mode mode[PLANAR_MAX];
  double ln[PLANAR_MAX], lt[PLANAR_MAX];           // of least norm
  double ln_lo[PLANAR_MAX], ln_hi[PLANAR_MAX];     // ranges where they are not determined
  double lt_lo[PLANAR_MAX], lt_hi[PLANAR_MAX];
  bool determinate;
} planar_answer;

enum {
  N = 2 * PLANAR_MAX,
  X = 3 * PLANAR_MAX
}; // multipliers; unknowns and rows of a programme

#define POSSIBLE 1e-9
#define SAME     1e-7 // accelerations that differ by less are the same
#define DELTA    1e-10

// Multipliers l = (ln_1, lt_1, ln_2, ...), accelerations A l + a0.
typedef struct plane {
  const planar_problem *problem;
  int n;     // multipliers
  double *A; // (n x n)
  double a0[N];
  double force;   // [N] unit of the scaled multipliers
  double *point;  // accelerations of each solution so far (most x n)
  double *spread; // sum of the ranges of its multipliers (most)
} plane;

typedef struct programme { // of one combination: E x = e, x >= 0, l = L x
  int m, nx;
  double E[X * X], e[X];
  double L[N * X];
  double x[X];
} programme;

typedef struct planar_found { // its solution
  double l[N], lo[N], hi[N];
  double a[N];
  double spread;
  bool determinate, continuum;
} planar_found;

// ---- From the mechanism to the contacts

static void row_of(const planar_problem *problem, int i, double *row)
{
  const double *from =
      (i % 2 == 0 ? problem->Jn : problem->Jt) + (size_t)(i / 2) * (size_t)problem->nv;
  memcpy(row, from, (size_t)problem->nv * sizeof(double));
}

static double dot_product(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// A = J M^-1 J', a0 = J M^-1 b + g, both scaled.
static bool condense_to_contacts(plane *p, double *M)
{
  const planar_problem *q = p->problem;
  size_t nv = (size_t)q->nv;
  double *x = M + nv * nv;
  double *row = x + nv;
  memcpy(M, q->M, nv * nv * sizeof(double));
  if (!rh_cholesky(q->nv, M)) {
    return false;
  }
  double diagonal = 0;
  double size = 0;
  for (int i = 0; i < p->n; i++) {
    row_of(q, i, x);
    rh_cholesky_solve(q->nv, M, x);
    p->a0[i] = dot_product(q->nv, x, q->b) + (i % 2 == 0 ? q->gn : q->gt)[i / 2];
    size = fmax(size, fabs(p->a0[i]));
    for (int j = 0; j < p->n; j++) {
      row_of(q, j, row);
      p->A[(size_t)i * p->n + j] = dot_product(q->nv, x, row);
    }
    diagonal = fmax(diagonal, p->A[(size_t)i * p->n + i]);
  }
  diagonal = diagonal > 0 ? diagonal : 1;
  size = size > 0 ? size : 1;
  p->force = size / diagonal;
  for (int i = 0; i < p->n; i++) {
    p->a0[i] /= size;
    for (int j = 0; j < p->n; j++) {
      p->A[(size_t)i * p->n + j] /= diagonal;
    }
  }
  return isfinite(p->force);
}

// ---- One combination

// The columns of x: for stick ln, mu_s ln + lt, mu_s ln - lt; for slip ln, and at where it was at rest; for separate an.
static void set_columns(const planar_problem *problem, const rh_mode *mode, programme *q)
{
  memset(q, 0, sizeof(*q));
  for (int k = 0; k < problem->n; k++) {
    double *ln = q->L + (size_t)(2 * k) * X;
    double *lt = ln + X;
    switch (mode[k]) {
    case RH_MODE_SEPARATE:
      q->nx += 1;
      break;
    case RH_MODE_STICK:
      ln[q->nx] = 1;
      lt[q->nx] = -problem->mu_s[k];
      lt[q->nx + 1] = 1;
      q->nx += 3;
      break;
    default:
      ln[q->nx] = 1;
      lt[q->nx] = mode[k] == RH_MODE_SLIP_PLUS ? -problem->mu_k[k] : problem->mu_k[k];
      q->nx += problem->slip[k] == 0 ? 2 : 1;
    }
  }
}

// A new row: acceleration i, less `slack` times x_c, is zero.
static void add_row(const plane *p, programme *q, int i, int c, double slack)
{
  double *row = q->E + (size_t)q->m * q->nx;
  for (int j = 0; j < q->nx; j++) {
    row[j] = 0;
    for (int l = 0; l < p->n; l++) {
      row[j] += p->A[(size_t)i * p->n + l] * q->L[(size_t)l * X + j];
    }
  }
  row[c] -= slack;
  q->e[q->m++] = -p->a0[i];
}

static void set_rows(const plane *p, const rh_mode *mode, programme *q)
{
  int c = 0;
  for (int k = 0; k < p->problem->n; k++) {
    bool rest = p->problem->slip[k] == 0;
    if (mode[k] == RH_MODE_SEPARATE) {
      add_row(p, q, 2 * k, c, 1);
      c += 1;
      continue;
    }
    add_row(p, q, 2 * k, c, 0);
    if (mode[k] == RH_MODE_STICK) {
      add_row(p, q, 2 * k + 1, c, 0);
      double *row = q->E + (size_t)q->m * q->nx;
      row[c] = -2 * p->problem->mu_s[k];
      row[c + 1] = 1;
      row[c + 2] = 1;
      q->m++;
      c += 3;
      continue;
    }
    if (rest) {
      add_row(p, q, 2 * k + 1, c + 1, mode[k] == RH_MODE_SLIP_PLUS ? 1 : -1);
    }
    c += rest ? 2 : 1;
  }
}

// Least and greatest value of c'x; an infinity where there is none.
static void value_range(rh_lp *lp, double *c, double *lo, double *hi)
{
  double value = 0;
  *lo = rh_lp_least(lp, c, &value) == RH_LP_BEST ? value : -HUGE_VAL;
  for (int j = 0; j < lp->n; j++) {
    c[j] = -c[j];
  }
  *hi = rh_lp_least(lp, c, &value) == RH_LP_BEST ? fmax(-value, *lo) : HUGE_VAL;
}

// Least |L x|^2 DELTA + |E x - e|^2, x >= 0, then corrected so that E x = e.
static void least_norm(programme *q, int n, double *room)
{
  double H[X * X];
  double g[X];
  for (int i = 0; i < q->nx; i++) {
    g[i] = 0;
    for (int r = 0; r < q->m; r++) {
      g[i] -= q->E[(size_t)r * q->nx + i] * q->e[r];
    }
    for (int j = 0; j < q->nx; j++) {
      double sum = 0;
      for (int r = 0; r < q->m; r++) {
        sum += q->E[(size_t)r * q->nx + i] * q->E[(size_t)r * q->nx + j];
      }
      for (int l = 0; l < n; l++) {
        sum += DELTA * q->L[(size_t)l * X + i] * q->L[(size_t)l * X + j];
      }
      H[(size_t)i * q->nx + j] = sum;
    }
  }
  double x[X];
  const rh_qp qp = {.n = q->nx, .H = H, .g = g};
  if (rh_active_set(&qp, 1e-9, room, x) != RH_VERDICT_SOLVED) {
    return; // keeps the point of the programme
  }
  int S[X];
  int count = 0;
  for (int j = 0; j < q->nx; j++) {
    if (x[j] > 0) {
      S[count++] = j;
    }
    q->x[j] = x[j];
  }
  for (int r = 0; r < q->m; r++) {
    g[r] = q->e[r] - dot_product(q->nx, q->E + (size_t)r * q->nx, x);
    for (int j = 0; j < count; j++) {
      H[(size_t)r * count + j] = q->E[(size_t)r * q->nx + S[j]];
    }
  }
  (void)rh_lstsq(q->m, count, H, g, 1e-11, room, x, NULL);
  for (int j = 0; j < count; j++) {
    q->x[S[j]] = fmax(q->x[S[j]] + x[j], 0);
  }
}

static void all_ranges(const plane *p, const programme *q, rh_lp *lp, planar_found *f)
{
  double c[X];
  f->determinate = true;
  f->continuum = false;
  f->spread = 0;
  for (int l = 0; l < p->n; l++) {
    double lo = 0;
    double hi = 0;
    memcpy(c, q->L + (size_t)l * X, (size_t)q->nx * sizeof(double));
    value_range(lp, c, &f->lo[l], &f->hi[l]);
    double wide = f->hi[l] - f->lo[l];
    f->determinate = f->determinate && wide <= SAME * (1 + fabs(f->lo[l]));
    f->spread += wide > SAME * (1 + fabs(f->lo[l])) ? fmin(wide, 1e300) : 0;
    for (int j = 0; j < q->nx; j++) {
      c[j] = 0;
      for (int i = 0; i < p->n; i++) {
        c[j] += p->A[(size_t)l * p->n + i] * q->L[(size_t)i * X + j];
      }
    }
    value_range(lp, c, &lo, &hi);
    f->continuum = f->continuum || !(hi - lo <= SAME * (1 + fabs(lo)));
  }
}

static bool is_consistent(const plane *p, const rh_mode *mode, double *room, planar_found *f)
{
  programme q;
  rh_lp lp;
  bool lost = false;
  set_columns(p->problem, mode, &q);
  set_rows(p, mode, &q);
  if (!rh_lp_open(&lp, q.m, q.nx, q.E, q.e, POSSIBLE, room, &lost)) {
    return false;
  }
  rh_lp_point(&lp, q.x);
  all_ranges(p, &q, &lp, f);
  if (!f->determinate) {
    least_norm(&q, p->n, room);
  }
  for (int l = 0; l < p->n; l++) {
    f->l[l] = dot_product(q.nx, q.L + (size_t)l * X, q.x);
  }
  for (int i = 0; i < p->n; i++) {
    f->a[i] = p->a0[i] + dot_product(p->n, p->A + (size_t)i * p->n, f->l);
  }
  return true;
}

// ---- All of them

static int same_as(const plane *p, const double *a, int count)
{
  for (int k = 0; k < count; k++) {
    double off = 0;
    double size = 1;
    for (int i = 0; i < p->n; i++) {
      off = fmax(off, fabs(a[i] - p->point[(size_t)k * p->n + i]));
      size = fmax(size, fabs(a[i]));
    }
    if (off <= SAME * size) {
      return k;
    }
  }
  return RH_NONE;
}

static void keep_answer(const plane *p, const rh_mode *mode, const planar_found *f, int at,
                        planar_answer *to)
{
  memset(to, 0, sizeof(*to));
  to->determinate = f->determinate;
  for (int k = 0; k < p->problem->n; k++) {
    to->mode[k] = mode[k];
    to->ln[k] = p->force * f->l[2 * k];
    to->lt[k] = p->force * f->l[2 * k + 1];
    to->ln_lo[k] = p->force * f->lo[2 * k];
    to->ln_hi[k] = p->force * f->hi[2 * k];
    to->lt_lo[k] = p->force * f->lo[2 * k + 1];
    to->lt_hi[k] = p->force * f->hi[2 * k + 1];
  }
  memcpy(p->point + (size_t)at * p->n, f->a, (size_t)p->n * sizeof(double));
  p->spread[at] = f->spread;
}

// The next combination; false after the last.
static bool next_combination(const planar_problem *problem, rh_mode *mode)
{
  for (int k = problem->n - 1; k >= 0; k--) {
    if (problem->slip[k] != 0) {
      bool last = mode[k] != RH_MODE_SEPARATE;
      mode[k] = last                   ? RH_MODE_SEPARATE
                : problem->slip[k] > 0 ? RH_MODE_SLIP_PLUS
                                       : RH_MODE_SLIP_MINUS;
      if (!last) {
        return true;
      }
    } else if (mode[k] != RH_MODE_SLIP_MINUS) {
      mode[k] = (rh_mode)(mode[k] + 1);
      return true;
    } else {
      mode[k] = RH_MODE_SEPARATE;
    }
  }
  return false;
}

static size_t planar_room(int nv, int most)
{
  size_t mass = (size_t)nv * (size_t)nv + 2 * (size_t)nv;
  size_t each = rh_active_set_room(X);
  size_t lp = rh_lp_room(X, X);
  each = lp > each ? lp : each;
  return (size_t)N * N + (size_t)most * (N + 1) + (mass > each ? mass : each);
}

// The number of solutions with different accelerations; the first `most` are written. RH_NONE: M is
// not positive definite. `*continuum`: some combination has accelerations that are not determined.
static int find_planar_modes(const planar_problem *problem, double *room, planar_answer *answer, int most,
                  bool *continuum)
{
  plane p = {.problem = problem, .n = 2 * problem->n};
  rh_mode mode[PLANAR_MAX] = {RH_MODE_SEPARATE};
  int count = 0;
  p.A = room;
  p.point = p.A + (size_t)N * N;
  p.spread = p.point + (size_t)most * N;
  double *rest = p.spread + most;
  *continuum = false;
  if (!condense_to_contacts(&p, rest)) {
    return RH_NONE;
  }
  bool more = true;
  for (; more; more = next_combination(problem, mode)) {
    planar_found f = {.determinate = true};
    if (!is_consistent(&p, mode, rest, &f)) {
      continue;
    }
    *continuum = *continuum || f.continuum;
    int at = same_as(&p, f.a, count < most ? count : most);
    if (at == RH_NONE) {
      at = count++;
    } else if (f.continuum || f.spread <= p.spread[at] * (1 + 1e-6)) {
      continue;
    }
    if (at < most) {
      keep_answer(&p, mode, &f, at, &answer[at]);
    }
  }
  return count;
}

#endif
