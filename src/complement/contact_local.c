// contact_local.c: see contact_local.h.
#include "contact_local.h"

#include "cone.h"

#include <math.h>
#include <string.h>

enum { TURNS = 60 }; // of Newton's method in gamma

static const double SINGULAR = 1e-14; // of the product of the diagonal
static const double HELD =
    1e-12; // of the unit: rounding, a normal along which joints let nothing move

// False: singular.
static bool invert_block(const double *D, double *inverse)
{
  double c0 = D[4] * D[8] - D[5] * D[7];
  double c1 = D[5] * D[6] - D[3] * D[8];
  double c2 = D[3] * D[7] - D[4] * D[6];
  double det = D[0] * c0 + D[1] * c1 + D[2] * c2;
  if (!(det > SINGULAR * D[0] * D[4] * D[8])) {
    return false;
  }
  inverse[0] = c0 / det;
  inverse[1] = (D[2] * D[7] - D[1] * D[8]) / det;
  inverse[2] = (D[1] * D[5] - D[2] * D[4]) / det;
  inverse[3] = c1 / det;
  inverse[4] = (D[0] * D[8] - D[2] * D[6]) / det;
  inverse[5] = (D[2] * D[3] - D[0] * D[5]) / det;
  inverse[6] = c2 / det;
  inverse[7] = (D[1] * D[6] - D[0] * D[7]) / det;
  inverse[8] = (D[0] * D[4] - D[1] * D[3]) / det;
  return true;
}

void rh_block_own_make(const rh_blocks *problem, int i, double more, rh_block_own *own)
{
  memset(own, 0, sizeof(*own));
  own->d = rh_block_unit(problem, i);
  own->more = more * own->d;
  for (int e = problem->start[i]; e < problem->start[i + 1]; e++) {
    if (problem->col[e] == i) {
      memcpy(own->D, problem->W + (ptrdiff_t)9 * e, sizeof(own->D));
    }
  }
  double *D = own->D;
  int rows = rh_block_rows(problem->kind[i]);
  for (int k = 0; k < rows; k++) {
    D[4 * k] += own->more;
  }
  if (rows == 1) {
    own->inverse[0] = D[0] > 0 ? 1 / D[0] : 0;
    return;
  }
  if (!invert_block(D, own->inverse)) { // held blocks get a small diagonal
    double E[9];
    memcpy(E, D, sizeof(E));
    for (int k = 0; k < 3; k++) {
      E[4 * k] += 1e-4 * own->d;
    }
    if (problem->kind[i] != RH_BLOCK_BALL || !invert_block(E, own->inverse)) {
      memset(own->inverse, 0, sizeof(own->inverse));
    }
  }
  for (int k = 0; k < 4 && D[8] > 0; k++) {
    own->B[k] = D[3 * (k / 2) + k % 2] - D[3 * (k / 2) + 2] * D[6 + k % 2] / D[8];
  }
}

// ---- A contact that slides

typedef struct slide {
  double p[2], slope[2]; // p_t and its derivative by gamma
  double normal;         // p_n
  double length;         // |p_t|
  double miss;           // |p_t| - mu p_n
  double rate;           // its derivative
} slide;

static inline slide slide_at(const rh_block_own *own, double mu, const double *c, double rn,
                             double gamma)
{
  const double *D = own->D;
  double b0 = own->B[0] + gamma;
  double b3 = own->B[3] + gamma;
  double det = b0 * b3 - own->B[1] * own->B[2];
  det = det > 0 ? det : 1e-300;
  slide s;
  s.p[0] = (own->B[1] * c[1] - b3 * c[0]) / det;
  s.p[1] = (own->B[2] * c[0] - b0 * c[1]) / det;
  s.slope[0] = (own->B[1] * s.p[1] - b3 * s.p[0]) / det;
  s.slope[1] = (own->B[2] * s.p[0] - b0 * s.p[1]) / det;
  s.normal = -(rn + D[6] * s.p[0] + D[7] * s.p[1]) / D[8];
  s.length = rh_flat_length(s.p[0], s.p[1]);
  s.miss = s.length - mu * s.normal;
  double along = s.length > 0 ? (s.p[0] * s.slope[0] + s.p[1] * s.slope[1]) / s.length : 0;
  s.rate = along + mu * (D[6] * s.slope[0] + D[7] * s.slope[1]) / D[8];
  return s;
}

// At gamma = 0 the miss is positive, at infinity negative. The guess is that of the present state.
static void set_slide(const rh_block_own *own, double mu, const double *r, double gamma, double *p)
{
  const double *D = own->D;
  const double c[2] = {r[0] - D[2] * r[2] / D[8], r[1] - D[5] * r[2] / D[8]};
  double lo = 0;
  double hi = HUGE_VAL;
  slide s = slide_at(own, mu, c, r[2], gamma);
  for (int turn = 0; turn < TURNS; turn++) {
    if (fabs(s.miss) <= 4e-16 * (s.length + mu * fabs(s.normal))) {
      break;
    }
    if (s.miss > 0) {
      lo = gamma;
    } else {
      hi = gamma;
    }
    double next = s.rate < 0 ? gamma - s.miss / s.rate : HUGE_VAL;
    if (!(next > lo && next < hi)) {
      next = hi < HUGE_VAL ? 0.5 * (lo + hi) : 4 * gamma + own->d;
    }
    if (next == gamma) {
      break;
    }
    gamma = next;
    s = slide_at(own, mu, c, r[2], gamma);
  }
  p[2] = fmax(s.normal, 0);
  double scale = s.length > 0 ? mu * p[2] / s.length : 0;
  p[0] = scale * s.p[0];
  p[1] = scale * s.p[1];
}

// ---- One block

static void solve_cone(double mu, const rh_block_own *own, const double *u, double *p)
{
  const double *D = own->D;
  const double *I = own->inverse;
  double rn = u[2] - (D[6] * p[0] + D[7] * p[1] + D[8] * p[2]);
  if (rn >= 0 || !(D[8] > HELD * own->d)) {
    p[0] = p[1] = p[2] = 0;
    return;
  }
  if (mu == 0) {
    p[0] = p[1] = 0;
    p[2] = -rn / D[8];
    return;
  }
  const double stick[3] = {p[0] - (I[0] * u[0] + I[1] * u[1] + I[2] * u[2]),
                           p[1] - (I[3] * u[0] + I[4] * u[1] + I[5] * u[2]),
                           p[2] - (I[6] * u[0] + I[7] * u[1] + I[8] * u[2])};
  bool sticks = stick[0] * stick[0] + stick[1] * stick[1] <= mu * mu * stick[2] * stick[2];
  if (I[8] > 0 && stick[2] > 0 && sticks) {
    p[0] = stick[0];
    p[1] = stick[1];
    p[2] = stick[2];
    return;
  }
  const double r[3] = {u[0] - (D[0] * p[0] + D[1] * p[1] + D[2] * p[2]),
                       u[1] - (D[3] * p[0] + D[4] * p[1] + D[5] * p[2]), rn};
  double length = rh_flat_length(p[0], p[1]);
  double gamma = length > 0 ? rh_flat_length(u[0], u[1]) / length : own->d;
  set_slide(own, mu, r, fmin(fmax(gamma, 1e-12 * own->d), 1e6 * own->d), p);
}

// Solves for p (3) of a block whose velocity is u at the present p. u is unchanged.
static void solve_block(rh_block_kind kind, double limit, const rh_block_own *own, const double *u,
                        double *p)
{
  const double *I = own->inverse;
  switch (kind) {
  case RH_BLOCK_CONE:
    solve_cone(limit, own, u, p);
    break;
  case RH_BLOCK_BALL:
    p[0] -= I[0] * u[0] + I[1] * u[1] + I[2] * u[2];
    p[1] -= I[3] * u[0] + I[4] * u[1] + I[5] * u[2];
    p[2] -= I[6] * u[0] + I[7] * u[1] + I[8] * u[2];
    break;
  case RH_BLOCK_LOW:
    p[0] = fmax(p[0] - I[0] * u[0], 0);
    break;
  case RH_BLOCK_EQUAL:
    p[0] -= I[0] * u[0];
    break;
  default:
    p[0] = fmin(fmax(p[0] - I[0] * u[0], -limit), limit);
  }
}

// ---- All blocks

double rh_blocks_sweep(const rh_blocks *problem, const rh_block_own *own, const double *shift,
                       double *p)
{
  double worst = 0;
  for (int i = 0; i < problem->n; i++) {
    double u[3];
    double *at = p + (ptrdiff_t)3 * i;
    rh_block_rows_of(problem, i, p, u);
    for (int a = 0; a < 3 && shift != NULL; a++) {
      u[a] += own[i].more * at[a] - shift[3 * i + a];
    }
    double now = rh_block_judge(problem, i, own[i].d, at, u);
    worst = now > worst ? now : worst;
    if (now > 0) {
      solve_block(problem->kind[i], problem->limit[i], own + i, u, at);
    }
  }
  return worst;
}

static void tidy_cone(double mu, double *p)
{
  double radius = mu * fmax(p[2], 0);
  double length = rh_flat_length(p[0], p[1]);
  double shrink = length > radius ? radius / length : 1;
  p[0] *= shrink;
  p[1] *= shrink;
  p[2] = fmax(p[2], 0);
}

void rh_blocks_tidy(const rh_blocks *problem, double *p)
{
  for (int i = 0; i < problem->n; i++) {
    double *at = p + (ptrdiff_t)3 * i;
    double limit = problem->limit[i];
    if (!isfinite(at[0] + at[1] + at[2])) {
      at[0] = at[1] = at[2] = 0;
    }
    for (int k = rh_block_rows(problem->kind[i]); k < 3; k++) {
      at[k] = 0;
    }
    if (problem->kind[i] == RH_BLOCK_CONE) {
      tidy_cone(limit, at);
    } else if (problem->kind[i] == RH_BLOCK_LOW) {
      at[0] = fmax(at[0], 0);
    } else if (problem->kind[i] == RH_BLOCK_BOX) {
      at[0] = fmin(fmax(at[0], -limit), limit);
    }
  }
}

// The nearest point of a cone, in the metric of equal axes.
static void project_cone(double mu, double *p)
{
  double flat = rh_flat_length(p[0], p[1]);
  if (flat <= mu * p[2]) {
    return;
  }
  if (mu * flat <= -p[2]) {
    p[0] = p[1] = p[2] = 0;
    return;
  }
  double normal = (mu * flat + p[2]) / (1 + mu * mu);
  p[0] *= mu * normal / flat;
  p[1] *= mu * normal / flat;
  p[2] = normal;
}

void rh_block_project(const rh_blocks *q, int i, double *p)
{
  if (q->kind[i] == RH_BLOCK_CONE) {
    project_cone(q->limit[i], p);
  } else if (q->kind[i] == RH_BLOCK_LOW) {
    p[0] = fmax(p[0], 0);
  } else if (q->kind[i] == RH_BLOCK_BOX) {
    p[0] = fmin(fmax(p[0], -q->limit[i]), q->limit[i]);
  }
}
