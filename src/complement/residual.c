// residual.c: residual of a solution, whichever solver found it. Every condition is one number: z
// >= 0, w >= 0, z w = 0 together as min(z, w), with z measured in units of w by the diagonal of its
// row; friction as the distance of p_t from its projection on the disc |p_t| <= mu p_n, p_t -
// proj(p_t - u_t / d). A non-finite number gives infinity.
#include "cone.h"

#include <math.h>

static double largest_size(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static double worse_of(double worst, double violation)
{
  return violation <= worst ? worst : isnan(violation) ? HUGE_VAL : violation;
}

double rh_lcp_size(int n, const double *b)
{
  double size = largest_size(b, n);
  return size > 0 ? size : 1;
}

// The diagonal of row i, or if zero the largest entry of the row, or 1.
static double unit_of(int n, const double *A, int i)
{
  double d = fabs(A[(size_t)i * n + i]);
  for (int j = 0; j < n && d == 0; j++) {
    d = fmax(d, fabs(A[(size_t)i * n + j]));
  }
  return d > 0 ? d : 1;
}

static double worst_violation(int n, const double *A, const double *b, const double *z)
{
  double size = rh_lcp_size(n, b);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double w = b[i];
    for (int j = 0; j < n; j++) {
      w += A[(size_t)i * n + j] * z[j];
    }
    double scaled = z[i] * unit_of(n, A, i);
    worst = worse_of(worst, fabs(w < scaled ? w : scaled) / size);
    worst = worse_of(worst, isfinite(w) && isfinite(scaled) ? 0 : HUGE_VAL);
  }
  return worst;
}

double rh_lcp_residual(const rh_lcp *problem, const double *z)
{
  return worst_violation(problem->n, problem->A, problem->b, z);
}

double rh_qp_residual(const rh_qp *problem, const double *z)
{
  return worst_violation(problem->n, problem->H, problem->g,
                         z); // Kuhn-Tucker: H z + g >= 0 with z >= 0 ([WK] 2.13a*)
}

// ---- Cones

double rh_cone_unit(const rh_cone *problem, int k)
{
  double d = 0;
  for (int i = 3 * k; i < 3 * k + 3; i++) {
    d = fmax(d, fabs(problem->W[(size_t)i * 3 * problem->n + i]));
  }
  for (int i = 0; i < 3 * problem->n && d == 0; i++) {
    d = fmax(d, fabs(problem->W[(size_t)i * 3 * problem->n + i]));
  }
  return d > 0 ? d : 1;
}

void rh_cone_rows(const rh_cone *problem, int k, const double *p, double u[3])
{
  int n = 3 * problem->n;
  for (int i = 0; i < 3; i++) {
    const double *row = problem->W + (size_t)(3 * k + i) * n;
    double sum = problem->b[3 * k + i];
    for (int j = 0; j < n; j++) {
      sum += row[j] * p[j];
    }
    u[i] = sum;
  }
}

bool rh_cone_slides(const rh_cone *problem, int k)
{
  return problem->slide != NULL && (problem->slide[2 * k] != 0 || problem->slide[2 * k + 1] != 0);
}

static double judge_friction(const rh_cone *problem, int k, const double *p, const double *u)
{
  double mu = problem->mu[k];
  double radius = mu * fmax(p[2], 0);
  if (rh_cone_slides(problem, k)) {
    return rh_flat_length(p[0] + radius * problem->slide[2 * k],
                          p[1] + radius * problem->slide[2 * k + 1]);
  }
  double d = rh_cone_unit(problem, k);
  double y[2] = {p[0] - u[0] / d, p[1] - u[1] / d};
  double length = rh_flat_length(y[0], y[1]);
  double shrink = length > radius ? radius / length : 1;
  return rh_flat_length(p[0] - shrink * y[0], p[1] - shrink * y[1]);
}

double rh_cone_judge(const rh_cone *problem, int k, const double *p, const double *u)
{
  double d = rh_cone_unit(problem, k);
  double scaled = p[2] * d;
  double worst = fabs(u[2] < scaled ? u[2] : scaled);
  worst = worse_of(worst, d * judge_friction(problem, k, p, u));
  return isfinite(u[0] + u[1] + u[2] + p[0] + p[1] + p[2]) ? worst : HUGE_VAL;
}

double rh_cone_residual(const rh_cone *problem, const double *p)
{
  double size = rh_lcp_size(3 * problem->n, problem->b);
  double worst = 0;
  for (int k = 0; k < problem->n; k++) {
    double u[3];
    rh_cone_rows(problem, k, p, u);
    worst = worse_of(worst, rh_cone_judge(problem, k, p + (ptrdiff_t)3 * k, u) / size);
  }
  return worst;
}
