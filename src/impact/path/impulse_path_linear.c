// impulse_path_linear.c: a step of the course of an impact (impulse_path.c) while nothing slips with friction. All is linear then, with constant
// coefficients: z' = (1 - QQ') B_n' lam, lam' = -k u_n, and the series of both in time come term by term,
//   (j + 1) z_j+1 = (1 - QQ') B_n' lam_j,   (j + 1) lam_j+1 = -k u_n,j,   u_n,j = B_n z_j (+ u_n of before where j = 0)
// The step is as long as the last terms allow: none is rejected.
#include "impulse_path.h"

#include <math.h>
#include <string.h>

enum { ORDER = RH_COURSE_DENSE - 1 };

bool rh_impulse_path_is_linear(const rh_impulse_path *c)
{
  bool linear = (!c->rule->by_slip || c->even) && !c->rule->hertz;
  for (int i = 0; i < c->n; i++) {
    linear = linear && !(c->mode[i] == RH_COURSE_SLIP && c->problem.mu[i] > 0);
  }
  return linear;
}

// Term j + 1 of z and lam from term j; un (n): u_n,j.
static inline void recur_of(const rh_impulse_path *c, int j, double *un, const int r)
{
  const double *from = c->dense + (size_t)j * (size_t)c->size;
  double *to = c->dense + (size_t)(j + 1) * (size_t)c->size;
  memset(to, 0, (size_t)c->moved * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)r;
    double sum = j == 0 ? c->problem.u0[3 * i + 2] : 0;
    if (c->mode[i] == RH_COURSE_OPEN) {
      un[i] = 0;
      continue;
    }
    for (int k = 0; k < r; k++) {
      sum += b[k] * from[k];
    }
    un[i] = sum;
    double soft = rh_impulse_path_soft(c, i);
    to[r + i] = c->rule->springs ? -c->problem.kappa[i] * sum / (soft * (j + 1)) : 0;
    double part = from[r + i] / (j + 1);
    for (int k = 0; k < r; k++) {
      to[k] += part * b[k];
    }
  }
  for (int q = 0; q < c->stick.held; q++) {
    const double *row = c->stick.Q + (size_t)q * (size_t)r;
    double along = 0;
    for (int k = 0; k < r; k++) {
      along += row[k] * to[k];
    }
    for (int k = 0; k < r; k++) {
      to[k] -= along * row[k];
    }
  }
}

static void recur_term(const rh_impulse_path *c, int j, double *un)
{
  if (c->r == 6) { // one foot: a compile-time constant
    recur_of(c, j, un, 6);
  } else {
    recur_of(c, j, un, c->r);
  }
}

// Size of term j, in the norm of errors
static double size_of(const rh_impulse_path *c, int j)
{
  const double *x = c->dense + (size_t)j * (size_t)c->size;
  double square = 0;
  double worst = 0;
  for (int k = 0; k < c->r; k++) {
    square += x[k] * x[k];
  }
  for (int i = 0; i < c->n; i++) {
    worst = fmax(worst, rh_impulse_path_speed_of(c, i, fabs(x[c->r + i])));
  }
  return fmax(worst, c->stiff * sqrt(square)) / (c->tolerance * c->speed);
}

// Impulses and works: p_n' = lam, W_n' = sum lam u_n; friction does no work where nothing slips.
static void integrate_works(const rh_impulse_path *c, const double *un)
{
  const size_t size = (size_t)c->size;
  double *work = c->dense + size - 2;
  for (int j = 0; j < ORDER; j++) {
    double sum = 0;
    for (int i = 0; i < c->n; i++) {
      const double *lam = c->dense + c->r + i;
      c->dense[(size_t)(j + 1) * size + (size_t)(c->moved + i)] = lam[(size_t)j * size] / (j + 1);
      double *own = c->dense + (size_t)(j + 1) * size + (size_t)(c->moved + c->n + i);
      own[0] = 0;
      own[c->n] = 0;
      for (int k = 0; k <= j && !c->rule->local; k++) { // else impulse_path.c adds them
        double term = lam[(size_t)k * size] * un[(j - k) * c->n + i];
        own[0] += term / (j + 1);
        sum += term;
      }
    }
    work[(size_t)(j + 1) * size] = sum / (j + 1);
    work[(size_t)(j + 1) * size + 1] = 0;
  }
}

double rh_impulse_path_step_linear(rh_impulse_path *c, double most)
{
  const size_t size = (size_t)c->size;
  double *un = c->scratch.across; // ORDER rows of n
  double h = most;
  c->turned = c->stiffly = false;
  c->thick = true;
  c->degree = ORDER;
  memcpy(c->dense, c->y, size * sizeof(double));
  for (int j = 0; j < ORDER; j++) {
    recur_term(c, j, un + (ptrdiff_t)j * c->n);
  }
  integrate_works(c, un);
  double last = 10 * size_of(c, ORDER); // it costs little
  double before = size_of(c, ORDER - 1);
  if (last > 0) {
    h = fmin(h, 1 / sqrt(sqrt(sqrt(last))));
  }
  double power = h * h * h;
  while (before * power * power * h > 1) {
    h *= 0.8;
    power = h * h * h;
  }
  double scale = 1;
  for (int j = 1; j <= ORDER; j++) { // in parts of the step
    scale *= h;
    for (size_t i = 0; i < size; i++) {
      c->dense[(size_t)j * size + i] *= scale;
    }
  }
  rh_impulse_path_within(c, 1, c->scratch.next);
  rh_impulse_path_slope(c, c->scratch.next, c->scratch.k + (RH_COURSE_STAGES - 1) * size, false);
  return h;
}
