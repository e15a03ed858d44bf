// course_step.c: one step of the course of an impact (course.c): parts of h/1, h/2, h/3, h/4, each
//   lam_i := max(0, lam_i - k_i u_n,i h)           k_i = kappa_i, or kappa_i/e_i^2 where the point is let off and local
//   z     := z + h B_n' lam + B_t' p_t             p_t of the disc problem |p_t| <= mu lam h for the velocities after it (prox.c)
// extrapolated to h = 0. Friction is implicit, so that a point may stop and stick within a step; where it does, or a point opens,
// the error tells, and the step is made smaller.
#include "impact/course.h"

#include <math.h>
#include <string.h>

static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

void rh_course_velocities(const rh_course *c, const double *y, double *u)
{
  for (int i = 0; i < 3 * c->n; i++) {
    const double *b = c->B + (size_t)i * (size_t)c->r;
    double sum = c->u0[i];
    for (int k = 0; k < c->r; k++) {
      sum += b[k] * y[k];
    }
    u[i] = sum;
  }
}

static void press(const rh_course *c, double h, double *lam)
{
  for (int i = 0; i < c->n; i++) {
    double un = c->u[3 * i + 2];
    double soft = c->rule->local && un > 0 ? c->e[i] * c->e[i] : 1;
    double step = h * c->kappa[i] * un;
    lam[i] = step >= lam[i] * soft ? 0 : lam[i] - step / soft;
  }
}

double rh_course_slip(const rh_course *c)
{
  double most = 0;
  for (int i = 0; i < c->n; i++) {
    double s = sqrt(c->u[3 * i] * c->u[3 * i] + c->u[3 * i + 1] * c->u[3 * i + 1]);
    most = c->split[i] > 0 ? fmax(most, s) : most;
  }
  return most;
}

// [Ch] 2.18*: for coplanar points of one body C_qr = (mu_r s_q)/(mu_q s_r). All alike from where on nothing slips.
static void share(const rh_course *c, double *lam)
{
  bool even = c->even || rh_course_slip(c) <= RH_COURSE_SLIP * c->speed;
  double sum = 0;
  for (int i = 0; i < c->n && !even; i++) {
    double s = sqrt(c->u[3 * i] * c->u[3 * i] + c->u[3 * i + 1] * c->u[3 * i + 1]);
    lam[i] = c->split[i] > 0 && c->mu[i] > 0 ? s / c->mu[i] : 0;
    sum += lam[i];
  }
  for (int i = 0; i < c->n; i++) {
    lam[i] = sum > 0 ? lam[i] / sum : c->split[i];
  }
}

static double power(const rh_course *c, const double *lam)
{
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    sum += lam[i] * c->u[3 * i + 2];
  }
  return sum;
}

// The disc problem with a creep of this size, relative to the velocities: a point that sticks may move that much as friction changes.
static bool discs(rh_course *c, double creep, int steps, double most, double *z)
{
  const rh_prox x = {.n = c->n,
                     .r = c->r,
                     .B = c->B,
                     .u0 = c->u0,
                     .radius = c->radius,
                     .sigma = c->sigma,
                     .start = c->start,
                     .small = fmax(1e-8 * most * c->stiff, 1e-15 * c->speed / c->stiff),
                     .steps = steps,
                     .room = c->room};
  for (int i = 0; i < c->n; i++) {
    c->sigma[i] = c->radius[i] / (creep * c->speed);
  }
  return rh_prox_solve(&x, z, c->p);
}

// Friction of the part: c->p. Anchors are what friction was before. Where that is too far off, from large creep to small.
static void rub(rh_course *c, double h, double *z, double *f)
{
  const double CREEP = 1e-8;
  const size_t bytes = 3 * (size_t)c->n * sizeof(double);
  double most = largest(c->radius, c->n);
  if (most == 0) {
    memset(c->p, 0, bytes);
    memset(f, 0, bytes);
    return;
  }
  for (int i = 0; i < 3 * c->n; i++) {
    c->p[i] = h * f[i];
  }
  bool good = discs(c, CREEP, 12, most, z);
  if (!good) {
    memcpy(z, c->start, (size_t)c->r * sizeof(double));
    for (double creep = 0.1; creep > 0.5 * CREEP; creep *= 0.1) {
      good = discs(c, creep, 40, most, z);
    }
  }
  c->failed = c->failed || !good;
  for (int i = 0; i < 3 * c->n; i++) {
    f[i] = c->p[i] / h;
  }
}

static void part(rh_course *c, double h, double *y, double *f)
{
  const int n = c->n;
  const int r = c->r;
  double *lam = y + r;
  double *p = lam + n;
  rh_course_velocities(c, y, c->u);
  if (c->rule->springs) {
    press(c, h, lam);
  } else if (c->rule->by_slip) {
    share(c, lam);
  }
  double before = power(c, lam);
  memcpy(c->start, y, (size_t)r * sizeof(double));
  for (int i = 0; i < n; i++) {
    const double *b = c->B + (size_t)(3 * i + 2) * (size_t)r;
    c->radius[i] = h * c->mu[i] * lam[i];
    p[3 * i + 2] += h * lam[i];
    for (int k = 0; k < r && lam[i] != 0; k++) {
      c->start[k] += h * lam[i] * b[k];
    }
  }
  if (c->smooth) {
    memcpy(y, c->start, (size_t)r * sizeof(double));
  } else {
    rub(c, h, y, f);
    memcpy(y, c->start, (size_t)r * sizeof(double));
    for (int i = 0; i < 3 * n; i++) { // so that z = B'p whatever the solver left
      const double *b = c->B + (size_t)i * (size_t)r;
      p[i] += i % 3 == 2 ? 0 : c->p[i];
      for (int k = 0; k < r && i % 3 != 2; k++) {
        y[k] += b[k] * c->p[i];
      }
    }
  }
  rh_course_velocities(c, y, c->u);
  p[3 * n] += 0.5 * h * (before + power(c, lam));
}

static double error_of(const rh_course *c, const double *a, const double *b)
{
  double worst = 0;
  for (int i = 0; i < 3 * c->n; i++) {
    const double *row = c->B + (size_t)i * (size_t)c->r;
    double sum = 0;
    for (int k = 0; k < c->r; k++) {
      sum += row[k] * (a[k] - b[k]);
    }
    worst = sum == sum ? fmax(worst, fabs(sum)) : (double)NAN; // fmax would lose it
    if (isnan(worst)) {
      return worst;
    }
  }
  for (int i = 0; i < c->n && c->rule->springs; i++) {
    double d = c->W[(size_t)(3 * i + 2) * (size_t)(3 * c->n + 1)];
    worst = fmax(worst, fabs(a[c->r + i] - b[c->r + i]) * d / c->rate);
  }
  return worst / (c->tolerance * c->speed);
}

double rh_course_step(rh_course *c, double h)
{
  const size_t size = (size_t)c->size;
  c->failed = false;
  for (int j = 0; j < RH_COURSE_ORDER; j++) {
    double *row = c->table + (size_t)j * size;
    memcpy(row, c->y, size * sizeof(double));
    memcpy(c->ft, c->f, 3 * (size_t)c->n * sizeof(double));
    for (int k = 0; k <= j; k++) {
      part(c, h / (j + 1), row, c->ft);
    }
    for (int i = j - 1; i >= 0; i--) { // Aitken and Neville
      double *to = c->table + (size_t)i * size;
      const double *from = to + size;
      double scale = (double)(i + 1) / (j - i);
      for (size_t k = 0; k < size; k++) {
        to[k] = from[k] + scale * (from[k] - to[k]);
      }
    }
  }
  for (int i = 0; i < c->n; i++) {
    c->table[c->r + i] = fmax(c->table[c->r + i], 0);
  }
  double error = error_of(c, c->table, c->table + size);
  return c->failed ? fmax(error, 10) : error; // a smaller step is an easier one
}
