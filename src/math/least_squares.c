#include "least_squares.h"

#include <math.h>
#include <string.h>

#define STEPS 200
#define GOOD  1e-12 // relative change of the sum that ends the search
#define FLAT  1e-10 // of the largest curvature: a direction that is not determined
#define SHARE 0.1   // of such a direction: a parameter that belongs to it
#define WIDE  1.0   // half interval of a parameter that is not determined, in its own scale
#define SLOPE 1e-6  // step of the difference quotients

size_t rh_fit_room(int m, int n)
{
  return (size_t)m * (size_t)(n + 3);
}

double rh_fit_student(int freedom)
{
  static const double first[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};
  const double z = 1.959963984540054;
  double f = freedom;
  if (freedom <= 5) {
    return first[freedom < 1 ? 0 : freedom - 1];
  }
  double z3 = z * z * z; // Cornish and Fisher's series
  double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
         (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

static double sum_of_squares(int m, const double *r)
{
  double sum = 0;
  for (int i = 0; i < m; i++) {
    sum += r[i] * r[i];
  }
  return isfinite(sum) ? sum : HUGE_VAL;
}

// Columns of J (n, m) by central differences; one-sided at a bound.
static bool find_slopes(const rh_fit_in *in, const double *x, double *J, double *r1, double *r0)
{
  double at[RH_FIT_MAX];
  memcpy(at, x, (size_t)in->n * sizeof *x);
  for (int k = 0; k < in->n; k++) {
    double step = SLOPE * fmax(1, fabs(x[k]));
    double up = fmin(x[k] + step, in->hi[k]);
    double down = fmax(x[k] - step, in->lo[k]);
    at[k] = up;
    bool good = in->residual(in->user, at, r1);
    at[k] = down;
    good = good && in->residual(in->user, at, r0);
    if (!good || !(up > down)) {
      return false;
    }
    for (int i = 0; i < in->m; i++) {
      J[(size_t)k * (size_t)in->m + (size_t)i] = (r1[i] - r0[i]) / (up - down);
    }
    at[k] = x[k];
  }
  return true;
}

// A = J'J (n x n), g = J'r
static void find_normal(const rh_fit_in *in, const double *J, const double *r, double *A, double *g)
{
  size_t m = (size_t)in->m;
  for (int i = 0; i < in->n; i++) {
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (size_t s = 0; s < m; s++) {
        sum += J[(size_t)i * m + s] * J[(size_t)k * m + s];
      }
      A[i * in->n + k] = A[k * in->n + i] = sum;
    }
    g[i] = 0;
    for (size_t s = 0; s < m; s++) {
      g[i] += J[(size_t)i * m + s] * r[s];
    }
  }
}

// A parameter at a bound that the descent would pass stays there: it leaves the problem.
static void hold_at_bounds(const rh_fit_in *in, const double *x, double *A, double *g)
{
  for (int i = 0; i < in->n; i++) {
    bool held = (x[i] <= in->lo[i] && g[i] > 0) || (x[i] >= in->hi[i] && g[i] < 0);
    for (int k = 0; held && k < in->n; k++) {
      A[i * in->n + k] = A[k * in->n + i] = 0;
    }
    g[i] = held ? 0 : g[i];
  }
}

void rh_symmetric_axes(int n, double *A, double *V)
{
  for (int i = 0; i < n * n; i++) {
    V[i] = i % (n + 1) == 0;
  }
  for (int sweep = 0; sweep < 60; sweep++) {
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        double off = A[p * n + q];
        if (fabs(off) <= 1e-300) {
          continue;
        }
        double theta = (A[q * n + q] - A[p * n + p]) / (2 * off);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1);
        double s = t * c;
        for (int k = 0; k < n; k++) {
          double a = A[k * n + p];
          double b = A[k * n + q];
          A[k * n + p] = c * a - s * b;
          A[k * n + q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p * n + k];
          double b = A[q * n + k];
          A[p * n + k] = c * a - s * b;
          A[q * n + k] = s * a + c * b;
          double v = V[k * n + p];
          double w = V[k * n + q];
          V[k * n + p] = c * v - s * w;
          V[k * n + q] = s * v + c * w;
        }
      }
    }
  }
}

// Curvatures d and axes (columns of V) of the sum of squares; A is overwritten.
static void find_axes(int n, double *A, double *V, double *d)
{
  rh_symmetric_axes(n, A, V);
  for (int i = 0; i < n; i++) {
    d[i] = fmax(A[i * n + i], 0);
  }
}

static double largest_of(int n, const double *d)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, d[i]);
  }
  return most;
}

// One step from x with the damping: -V (d + damping)^-1 V' g, kept within the bounds.
static void step_from(const rh_fit_in *in, const double *V, const double *d, const double *g,
                      double damping, double *x)
{
  int n = in->n;
  double step[RH_FIT_MAX] = {0};
  double least = damping * largest_of(n, d);
  for (int a = 0; a < n; a++) {
    double along = 0;
    for (int i = 0; i < n; i++) {
      along += V[i * n + a] * g[i];
    }
    for (int i = 0; i < n && d[a] + least > 0; i++) {
      step[i] -= V[i * n + a] * along / (d[a] + least);
    }
  }
  for (int i = 0; i < n; i++) {
    x[i] = fmin(fmax(x[i] + step[i], in->lo[i]), in->hi[i]);
  }
}

static void assess_parameters(const rh_fit_in *in, const double *V, const double *d, double sum,
                              rh_fit_out *out)
{
  int n = in->n;
  double most = largest_of(n, d);
  double variance = sum / (in->m - n);
  double least = HUGE_VAL;
  out->rank = 0;
  for (int a = 0; a < n; a++) {
    out->rank += d[a] > FLAT * most;
    least = fmin(least, d[a]);
  }
  out->condition = least > 0 ? most / least : HUGE_VAL;
  for (int i = 0; i < n; i++) {
    double spread = 0;
    bool free = false;
    for (int a = 0; a < n; a++) {
      bool flat = !(d[a] > FLAT * most);
      free = free || (flat && fabs(V[i * n + a]) > SHARE);
      spread += flat ? 0 : V[i * n + a] * V[i * n + a] / d[a];
    }
    out->half[i] = free ? HUGE_VAL : rh_fit_student(in->m - n) * sqrt(variance * spread);
    bool inside = out->x[i] > in->lo[i] && out->x[i] < in->hi[i];
    out->determined[i] = inside && out->half[i] < WIDE;
  }
}

bool rh_fit_run(const rh_fit_in *in, rh_fit_out *out)
{
  double *J = in->room;
  double *r = J + (size_t)in->n * (size_t)in->m;
  double *r1 = r + in->m;
  double *r0 = r1 + in->m;
  double A[RH_FIT_MAX * RH_FIT_MAX];
  double V[RH_FIT_MAX * RH_FIT_MAX];
  double d[RH_FIT_MAX];
  double g[RH_FIT_MAX];
  double damping = 1e-3;
  if (!in->residual(in->user, out->x, r)) {
    return false;
  }
  double sum = sum_of_squares(in->m, r);
  out->converged = false;
  for (out->steps = 0; out->steps < STEPS && isfinite(sum); out->steps++) {
    if (!find_slopes(in, out->x, J, r1, r0)) {
      return false;
    }
    find_normal(in, J, r, A, g);
    hold_at_bounds(in, out->x, A, g);
    find_axes(in->n, A, V, d);
    if (out->converged) {
      break;
    }
    bool better = false;
    double old = sum;
    for (int trial = 0; trial < 40 && !better; trial++) {
      double x[RH_FIT_MAX];
      memcpy(x, out->x, sizeof x);
      step_from(in, V, d, g, damping, x);
      double now = in->residual(in->user, x, r1) ? sum_of_squares(in->m, r1) : HUGE_VAL;
      better = now < sum;
      damping = better ? fmax(0.1 * damping, 1e-15) : 5 * damping;
      if (better) {
        memcpy(out->x, x, sizeof x);
        memcpy(r, r1, (size_t)in->m * sizeof *r);
        sum = now;
      }
    }
    out->converged = !better || old - sum <= GOOD * old;
  }
  if (!isfinite(sum)) {
    return false;
  }
  out->rms = sqrt(sum / in->m);
  assess_parameters(in, V, d, sum, out);
  return true;
}
