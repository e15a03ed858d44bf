// residual_blocks.c: residual of a problem of many contacts in m/s, whichever solver found p. Every
// block has its natural map: min(u, d p) of pushing rows, |u| of held rows, d |p - proj(p - u/d)|
// of bounded rows, on the disc |p_t| <= mu p_n or on -limit .. limit. d is the largest diagonal
// entry of the block, or of its tangents where its normal is compliant (its entry is then large
// without motion): an impulse p moves the block by about d p.
#include "blocks.h"

#include "cone.h"

#include <math.h>

static const double NONE = 1e-6; // of an entry: less is zero

static const double *diagonal_entry(const rh_blocks *problem, int i)
{
  for (int e = problem->start[i]; e < problem->start[i + 1]; e++) {
    if (problem->col[e] == i) {
      return problem->W + (ptrdiff_t)9 * e;
    }
  }
  return NULL;
}

double rh_block_unit(const rh_blocks *problem, int i)
{
  const double *D = diagonal_entry(problem, i);
  double flat = D == NULL ? 0 : fmax(fabs(D[0]), fabs(D[4]));
  double normal = D == NULL ? 0 : fabs(D[8]);
  double less = fmin(flat, normal);
  double more = fmax(flat, normal);
  double d = less > NONE * more ? less : more;
  return d > 0 ? d : 1;
}

void rh_block_rows_of(const rh_blocks *problem, int i, const double *p, double u[3])
{
  double x = problem->b[3 * i];
  double y = problem->b[3 * i + 1];
  double z = problem->b[3 * i + 2];
  for (int e = problem->start[i]; e < problem->start[i + 1]; e++) {
    const double *w = problem->W + (ptrdiff_t)9 * e;
    const double *q = p + (ptrdiff_t)3 * problem->col[e];
    x += w[0] * q[0] + w[1] * q[1] + w[2] * q[2];
    y += w[3] * q[0] + w[4] * q[1] + w[5] * q[2];
    z += w[6] * q[0] + w[7] * q[1] + w[8] * q[2];
  }
  u[0] = x;
  u[1] = y;
  u[2] = z;
}

void rh_blocks_velocity(const rh_blocks *problem, const double *p, double *u)
{
  for (int i = 0; i < problem->n; i++) {
    rh_block_rows_of(problem, i, p, u + (ptrdiff_t)3 * i);
  }
}

static double judge_cone(double mu, double d, const double *p, const double *u)
{
  double normal = fabs(u[2] < d * p[2] ? u[2] : d * p[2]);
  double radius = mu * fmax(p[2], 0);
  double y[2] = {p[0] - u[0] / d, p[1] - u[1] / d};
  double length = rh_flat_length(y[0], y[1]);
  double shrink = length > radius ? radius / length : 1;
  return fmax(normal, d * rh_flat_length(p[0] - shrink * y[0], p[1] - shrink * y[1]));
}

static double judge_box(double limit, double d, double p, double u)
{
  return d * fabs(p - fmin(fmax(p - u / d, -limit), limit));
}

double rh_block_judge(const rh_blocks *problem, int i, double d, const double *p, const double *u)
{
  if (!isfinite(u[0] + u[1] + u[2] + p[0] + p[1] + p[2])) {
    return HUGE_VAL;
  }
  switch (problem->kind[i]) {
  case RH_BLOCK_CONE:
    return judge_cone(problem->limit[i], d, p, u);
  case RH_BLOCK_BALL:
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  case RH_BLOCK_LOW:
    return fabs(u[0] < d * p[0] ? u[0] : d * p[0]);
  case RH_BLOCK_EQUAL:
    return fabs(u[0]);
  default:
    return judge_box(problem->limit[i], d, p[0], u[0]);
  }
}

double rh_blocks_residual(const rh_blocks *problem, const double *p)
{
  double worst = 0;
  for (int i = 0; i < problem->n; i++) {
    double u[3];
    rh_block_rows_of(problem, i, p, u);
    double now = rh_block_judge(problem, i, rh_block_unit(problem, i), p + (ptrdiff_t)3 * i, u);
    worst = now > worst ? now : worst;
  }
  return worst;
}

// ---- The shape of a problem

static bool has_entry(const rh_blocks *problem, int i, int j)
{
  int lo = problem->start[i];
  int hi = problem->start[i + 1] - 1;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (problem->col[middle] < j) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo == hi && problem->col[lo] == j;
}

static const char *check_row(const rh_blocks *problem, int i)
{
  int before = -1;
  bool own = false;
  for (int e = problem->start[i]; e < problem->start[i + 1]; e++) {
    int j = problem->col[e];
    if (j <= before || j >= problem->n) {
      return "columns of a row must ascend and be blocks";
    }
    before = j;
    own = own || j == i;
    if (!has_entry(problem, j, i)) {
      return "every entry of W must have its mirrored entry";
    }
    for (int k = 0; k < 9; k++) {
      bool used =
          k / 3 < rh_block_rows(problem->kind[i]) && k % 3 < rh_block_rows(problem->kind[j]);
      if (!isfinite(problem->W[9 * (ptrdiff_t)e + k])) {
        return "W must be finite";
      }
      if (!used && problem->W[9 * (ptrdiff_t)e + k] != 0) {
        return "entries of W that a block of one row does not use must be 0";
      }
    }
  }
  return own ? NULL : "every row must have its diagonal entry";
}

const char *rh_blocks_check(const rh_blocks *problem)
{
  for (int i = 0; i < problem->n; i++) {
    bool limited = problem->kind[i] == RH_BLOCK_CONE || problem->kind[i] == RH_BLOCK_BOX;
    if (limited && !(problem->limit[i] >= 0 && isfinite(problem->limit[i]))) {
      return "mu and limits must be finite and 0 or more";
    }
    for (int k = 0; k < 3; k++) {
      double b = problem->b[3 * i + k];
      if (!isfinite(b) || (k >= rh_block_rows(problem->kind[i]) && b != 0)) {
        return "b must be finite, and 0 where a block has no row";
      }
    }
    const char *wrong = check_row(problem, i);
    if (wrong != NULL) {
      return wrong;
    }
  }
  return NULL;
}
