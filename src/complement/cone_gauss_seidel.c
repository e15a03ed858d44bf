// cone_gauss_seidel.c: Gauss-Seidel over contacts. Each contact is solved with the others fixed:
// normal and tangents in turn, the tangents projected on the disc |p_t| <= mu p_n. Slow, but it
// improves any start: the solvers use it to guess which contacts are open, stick or slip. Also the
// problem in the normals alone.
#include "cone.h"

#include <math.h>

enum { TURNS = 8 }; // of normal and tangents at one contact

// Updates u (3) for a change of p (3) by the contact's own block of W.
static void update_velocity(const double *block, int stride, const double *dp, double *u)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      u[i] += block[(size_t)i * stride + j] * dp[j];
    }
  }
}

static double set_normal(const double *block, int stride, double d, double *p, double *u)
{
  double w = block[(size_t)2 * stride + 2];
  double next = fmax(p[2] - u[2] / (w > 1e-12 * d ? w : d), 0);
  const double dp[3] = {0, 0, next - p[2]};
  p[2] = next;
  update_velocity(block, stride, dp, u);
  return fabs(dp[2]);
}

// Along the given slide, or within the disc: a step by the greater eigenvalue of the tangential block.
static double set_tangents(const rh_cone *problem, int k, const double *block, double *p, double *u)
{
  int stride = 3 * problem->n;
  double radius = problem->mu[k] * p[2];
  double next[2];
  if (rh_cone_slides(problem, k)) {
    next[0] = -radius * problem->slide[2 * k];
    next[1] = -radius * problem->slide[2 * k + 1];
  } else {
    double a = block[0];
    double b = block[stride + 1];
    double c = 0.5 * (block[1] + block[stride]);
    double d = rh_cone_unit(problem, k);
    double w = 0.5 * (a + b) + rh_flat_length(0.5 * (a - b), c);
    w = w > 1e-12 * d ? w : d;
    next[0] = p[0] - u[0] / w;
    next[1] = p[1] - u[1] / w;
    double length = rh_flat_length(next[0], next[1]);
    if (length > radius) {
      next[0] *= radius / length;
      next[1] *= radius / length;
    }
  }
  const double dp[3] = {next[0] - p[0], next[1] - p[1], 0};
  p[0] = next[0];
  p[1] = next[1];
  update_velocity(block, stride, dp, u);
  return rh_flat_length(dp[0], dp[1]);
}

double rh_cone_sweep(const rh_cone *problem, int count, double *p)
{
  int stride = 3 * problem->n;
  double change = 0;
  for (int sweep = 0; sweep < count; sweep++) {
    change = 0;
    for (int k = 0; k < problem->n; k++) {
      double u[3];
      double *own = p + (ptrdiff_t)3 * k;
      const double old[3] = {own[0], own[1], own[2]};
      double d = rh_cone_unit(problem, k);
      const double *block = problem->W + (size_t)(3 * k) * stride + (size_t)3 * k;
      rh_cone_rows(problem, k, p, u);
      double step = 1;
      for (int turn = 0; turn < TURNS && step > 0; turn++) {
        step = set_normal(block, stride, d, own, u);
        step += set_tangents(problem, k, block, own, u);
      }
      double moved = fabs(own[0] - old[0]) + fabs(own[1] - old[1]) + fabs(own[2] - old[2]);
      change = fmax(change, d * moved);
    }
  }
  return change;
}

// ---- The problem in the normals alone

bool rh_cone_is_lcp(const rh_cone *problem)
{
  for (int k = 0; k < problem->n; k++) {
    if (problem->mu[k] != 0 && !rh_cone_slides(problem, k)) {
      return false;
    }
  }
  return true;
}

rh_lcp rh_cone_normals(const rh_cone *problem, double *A, double *b)
{
  int n = problem->n;
  for (int i = 0; i < n; i++) {
    const double *row = problem->W + (size_t)(3 * i + 2) * 3 * n;
    for (int j = 0; j < n; j++) {
      double mu = problem->mu[j];
      const double *s = problem->slide != NULL ? problem->slide + (ptrdiff_t)2 * j : NULL;
      A[(size_t)i * n + j] = row[3 * j + 2];
      if (s != NULL && mu != 0) {
        A[(size_t)i * n + j] -= mu * (row[3 * j] * s[0] + row[3 * j + 1] * s[1]);
      }
    }
    b[i] = problem->b[3 * i + 2];
  }
  return (rh_lcp){.n = n, .A = A, .b = b};
}

void rh_cone_spread(const rh_cone *problem, const double *pn, double *p)
{
  for (int k = 0; k < problem->n; k++) {
    bool slides = rh_cone_slides(problem, k);
    p[3 * k] = slides ? -problem->mu[k] * pn[k] * problem->slide[2 * k] : 0;
    p[3 * k + 1] = slides ? -problem->mu[k] * pn[k] * problem->slide[2 * k + 1] : 0;
    p[3 * k + 2] = pn[k];
  }
}
