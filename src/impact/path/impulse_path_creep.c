// impulse_path_creep.c: a short step of the course of an impact (impulse_path.c) where it is not known which points stick: some begin to slip, or slip so
// little that their directions are not known. One step of Euler's implicit method, the disc problem of all points (proximal.c):
//   z + h B_n' lam + B_t' p_t,   |p_t| <= mu lam h,   p_t against the velocities after it      lam of the middle of the step
// It never fails, because that problem has unique velocities. Of first order where friction turns, begins or ends, so that its length
// is the root of the tolerance; else of second order, and as long as that allows.
#include "impulse_path.h"

#include <math.h>
#include <string.h>

static double largest_size(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// Solves with this creep, the speed at which a sticking point may move.
static bool solve_discs(rh_impulse_path *c, double creep, int steps)
{
  const double most = largest_size(c->scratch.radius, c->n);
  const rh_prox x = {.n = c->n,
                     .r = c->r,
                     .B = c->problem.B,
                     .u0 = c->problem.u0,
                     .radius = c->scratch.radius,
                     .sigma = c->problem.sigma,
                     .start = c->scratch.start,
                     .small = fmax(1e-8 * most * c->stiff, 1e-15 * c->speed / c->stiff),
                     .steps = steps,
                     .room = c->scratch.solver};
  for (int i = 0; i < c->n; i++) {
    c->problem.sigma[i] = c->scratch.radius[i] / creep;
  }
  return rh_prox_solve(&x, c->scratch.next, c->scratch.p);
}

// From large creep to small where the previous velocities are too far off
static void find_friction(rh_impulse_path *c)
{
  const double creep = 0.1 * c->still;
  memset(c->scratch.p, 0, 3 * (size_t)c->n * sizeof(double));
  memcpy(c->scratch.next, c->y, (size_t)c->r * sizeof(double));
  if (largest_size(c->scratch.radius, c->n) == 0) {
    memcpy(c->scratch.next, c->scratch.start, (size_t)c->r * sizeof(double));
    return;
  }
  bool good = solve_discs(c, creep, 12);
  for (double more = 0.1 * c->speed; !good && more > creep; more *= 0.01) {
    (void)solve_discs(c, more, 40);
  }
  if (!good) {
    (void)solve_discs(c, creep, 40);
  }
}

// Forces of point i at the ends of the step
static void end_forces(const rh_impulse_path *c, int i, double end[2])
{
  const bool bears = c->mode[i] != RH_COURSE_OPEN;
  const size_t at = (size_t)(c->r + i);
  end[0] = bears ? rh_impulse_path_force(c, i, fmax(c->y[at], 0)) : 0;
  end[1] = bears ? rh_impulse_path_force(c, i, fmax(c->scratch.next[at], 0)) : 0;
}

// The error of the step; remembers friction as a part of its disc. Normal impulses, by forces of the middle, are of second order:
// their error is by the difference to the trapezoid's. Friction has the direction of the end: by its change since the step before.
static double error_of(rh_impulse_path *c, double h, const double *lam)
{
  const int r = c->r;
  double *off = c->scratch.start;
  double square = 0;
  memset(off, 0, (size_t)r * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
    const double radius = c->scratch.radius[i];
    double end[2];
    double turn[2];
    end_forces(c, i, end);
    double bend = h / 3 * (0.5 * (end[0] + end[1]) - lam[i]);
    for (int k = 0; k < 2; k++) {
      double part = radius > 0 ? c->scratch.p[3 * i + k] / radius : 0;
      turn[k] = 0.5 * radius * (part - c->scratch.crept[2 * i + k]);
      c->scratch.crept[2 * i + k] = part;
    }
    for (int k = 0; k < r; k++) {
      off[k] += turn[0] * b[k] + turn[1] * b[r + k] + bend * b[2 * r + k];
    }
  }
  for (int k = 0; k < r; k++) {
    square += off[k] * off[k];
  }
  double error = c->crept_h > 0 ? c->stiff * sqrt(square) : 0;
  c->crept_h = h;
  return error / (c->tolerance * c->speed);
}

// Within the step normal forces, and friction in proportion, go from one end to the other as straight lines: all else is quadratic.
static void make_quadratic(rh_impulse_path *c, double h)
{
  const size_t size = (size_t)c->size;
  const int r = c->r;
  const double *first = c->scratch.k;
  const double *last = first + (size_t)(RH_COURSE_STAGES - 1) * size;
  double *bend = c->dense + 2 * size;
  memset(bend, 0, (size_t)r * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i) * (size_t)r;
    const double *p = c->scratch.p + (ptrdiff_t)3 * i;
    const double radius = c->scratch.radius[i];
    double end[2];
    end_forces(c, i, end);
    double change = 0.5 * h * (end[1] - end[0]);
    double part = radius > 0 ? change * c->problem.mu[i] / radius : 0;
    for (int k = 0; k < r; k++) {
      bend[k] += change * b[2 * r + k] + part * (p[0] * b[k] + p[1] * b[r + k]);
    }
  }
  for (size_t i = (size_t)r; i < size; i++) {
    bend[i] = 0.5 * h * (last[i] - first[i]);
  }
  for (size_t i = 0; i < size; i++) {
    c->dense[i] = c->y[i];
    c->dense[size + i] = c->scratch.next[i] - c->y[i] - bend[i];
  }
  c->degree = 2;
}

double rh_impulse_path_step_creep(rh_impulse_path *c, double h)
{
  const size_t size = (size_t)c->size;
  const int r = c->r;
  double *last = c->scratch.k + (size_t)(RH_COURSE_STAGES - 1) * size;
  double *lam = c->scratch.try; // of the middle
  c->stiffly = c->thick = true;
  memcpy(c->scratch.next, c->y, size * sizeof(double));
  memcpy(c->scratch.start, c->y, (size_t)r * sizeof(double));
  for (int i = 0; i < c->n; i++) {
    const double *b = c->problem.B + (size_t)(3 * i + 2) * (size_t)r;
    bool bears = c->mode[i] != RH_COURSE_OPEN;
    double middle = fmax(c->y[r + i] + 0.5 * h * c->scratch.k[r + i], 0);
    lam[i] = bears ? rh_impulse_path_force(c, i, middle) : 0;
    c->scratch.radius[i] = h * c->problem.mu[i] * lam[i];
    for (int k = 0; k < r; k++) {
      c->scratch.start[k] += h * lam[i] * b[k];
    }
  }
  find_friction(c);
  memcpy(c->scratch.next, c->scratch.start, (size_t)r * sizeof(double));
  for (int i = 0; i < 3 * c->n; i++) { // so that z = B'p whatever the solver's residual
    const double *b = c->problem.B + (size_t)i * (size_t)r;
    for (int k = 0; k < r && i % 3 != 2; k++) {
      c->scratch.next[k] += b[k] * c->scratch.p[i];
    }
  }
  rh_impulse_path_slope(c, c->scratch.next, last, false); // rates of the springs
  rh_impulse_path_velocities(c, c->scratch.next, c->u);
  for (int i = 0; i < c->n; i++) {
    const double *u = c->u + (ptrdiff_t)3 * i;
    const double *v = c->v + (ptrdiff_t)3 * i;
    const double *p = c->scratch.p + (ptrdiff_t)3 * i;
    c->scratch.next[r + i] += 0.5 * h * (c->scratch.k[r + i] + last[r + i]);
    c->scratch.next[c->moved + i] += h * lam[i];
    double normal = 0.5 * h * lam[i] * (u[2] + v[2]);
    double friction = 0.5 * (p[0] * (u[0] + v[0]) + p[1] * (u[1] + v[1]));
    c->scratch.next[c->moved + c->n + i] += normal;
    c->scratch.next[c->moved + 2 * c->n + i] +=
        fmin(friction, 0); // a positive work is the step's error
    c->scratch.next[size - 2] += normal;
    c->scratch.next[size - 1] += friction;
  }
  rh_impulse_path_slope(c, c->scratch.next, last, false);
  make_quadratic(c, h);
  return error_of(c, h, lam);
}
