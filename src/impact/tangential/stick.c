// stick.c: a part of an impact in which the slider holds: two or three harmonic oscillations. With
// K = diag(1/eta2, .., kappa) and the eigenvectors V of sqrt(K) W sqrt(K), f = sqrt(K) V y, y'' = -w^2 y.
// Its end is the first zero of the distance to the limit of friction, mu^2 f_n^2 - f_t^2, or of u_n.
// The search never steps over a zero: a step is as long as Taylor's cubic with a bound of the third
// derivative stays positive. It also leaves a start at the limit with zero slope.
#include "course.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 12, NEWTON = 40, STEPS = 100000 };

#define LONGEST  1.0 // maximum step in tau: bounds the growth of a mode without stiffness
#define ROUNDING (8 * DBL_EPSILON)
#define FLAT     1e-6 // of the shortest time scale: a start at the limit with next to no curvature;
#define NUDGE    1e-3 // then the first step: the distance may grow as its fourth power
#define LEAST    1e-8 // and the shortest

typedef struct stick {
  int dim;
  double root[3];      // sqrt(K)
  double V[9], w[3];   // columns: eigenvectors; frequencies
  double y0[3], v0[3]; // y and y' at the start
  double fastest;      // highest frequency
} stick;

typedef struct stick_at {
  double y[3], v[3], sum[3]; // y, y', integral of y
  double f[3], u[3], p[3];   // p: from the start of the part
} stick_at;

typedef struct cubic { // g > 0 as long as c0 + c1 h + c2 h^2 - c3 h^3 > 0, c3 > 0
  double c0, c1, c2, c3;
  double near; // rounding of c0
} cubic;

// ---- Oscillations

// Rotates rows and columns i, k of A, and columns of V, so that A_ik = 0.
static void rotate_pair(double *A, double *V, int n, int i, int k)
{
  double a = A[i * n + k];
  if (a == 0) {
    return;
  }
  double half = (A[k * n + k] - A[i * n + i]) / (2 * a);
  double t = (half >= 0 ? 1 : -1) / (fabs(half) + sqrt(1 + half * half));
  double c = 1 / sqrt(1 + t * t);
  double s = t * c;
  for (int r = 0; r < n; r++) {
    double x = A[r * n + i];
    double y = A[r * n + k];
    A[r * n + i] = c * x - s * y;
    A[r * n + k] = s * x + c * y;
  }
  for (int r = 0; r < n; r++) {
    double x = A[i * n + r];
    double y = A[k * n + r];
    A[i * n + r] = c * x - s * y;
    A[k * n + r] = s * x + c * y;
    x = V[r * n + i];
    y = V[r * n + k];
    V[r * n + i] = c * x - s * y;
    V[r * n + k] = s * x + c * y;
  }
  A[i * n + k] = A[k * n + i] = 0;
}

// Jacobi's rotations: eigenvalues on the diagonal of A, eigenvectors in the columns of V.
static void diagonalize_matrix(double *A, double *V, int n)
{
  for (int i = 0; i < n * n; i++) {
    V[i] = i % (n + 1) == 0 ? 1 : 0;
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool done = true;
    for (int i = 0; i < n; i++) {
      for (int k = i + 1; k < n; k++) {
        double size = sqrt(fabs(A[i * n + i] * A[k * n + k]));
        done = done && fabs(A[i * n + k]) <= 0.1 * DBL_EPSILON * size;
        rotate_pair(A, V, n, i, k);
      }
    }
    if (done) {
      break;
    }
  }
}

static void open_stick(stick *s, const rh_course *c)
{
  double A[9];
  int n = c->dim;
  s->dim = n;
  s->fastest = 0;
  for (int i = 0; i < n; i++) {
    s->root[i] = i == c->n ? sqrt(c->kappa) : 1 / sqrt(c->eta2);
  }
  for (int i = 0; i < n * n; i++) {
    A[i] = s->root[i / n] * c->W[i] * s->root[i % n];
  }
  diagonalize_matrix(A, s->V, n);
  for (int k = 0; k < n; k++) {
    s->w[k] = sqrt(fmax(A[k * n + k], 0));
    s->fastest = fmax(s->fastest, s->w[k]);
    s->y0[k] = s->v0[k] = 0;
    for (int i = 0; i < n; i++) {
      s->y0[k] += s->V[i * n + k] * c->f[i] / s->root[i];
      s->v0[k] -= s->V[i * n + k] * c->u[i] * s->root[i];
    }
  }
}

static void place_stick(const stick *s, double t, stick_at *at)
{
  int n = s->dim;
  for (int k = 0; k < n; k++) {
    double w = s->w[k];
    double half = rh_sin(0.5 * w * t);
    bool slow = w * t < 1e-8;
    double sine = slow ? t : rh_sin(w * t) / w;
    double versine = slow ? 0.5 * t * t : 2 * half * half / (w * w);
    double cosine = 1 - 2 * half * half;
    at->y[k] = s->y0[k] * cosine + s->v0[k] * sine;
    at->v[k] = s->v0[k] * cosine - w * w * s->y0[k] * sine;
    at->sum[k] = s->y0[k] * sine + s->v0[k] * versine;
  }
  for (int i = 0; i < n; i++) {
    const double *row = s->V + (size_t)(i * n);
    at->f[i] = s->root[i] * rh_course_dot(row, at->y, n);
    at->u[i] = -rh_course_dot(row, at->v, n) / s->root[i];
    at->p[i] = s->root[i] * rh_course_dot(row, at->sum, n);
  }
}

// ---- Steps that are certain

// Bounds of the components of f and of its derivatives, and of u_n''', from now on for LONGEST.
typedef struct bounds {
  double f[4][3]; // order of the derivative, component
  double u, u3;   // |u_n|, |u_n'''|
} bounds;

static void bound_course(const stick *s, const rh_course *c, const stick_at *at, bounds *b)
{
  int n = s->dim;
  memset(b, 0, sizeof *b);
  for (int k = 0; k < n; k++) {
    double w = s->w[k];
    double rate = rh_hypot(w * at->y[k], at->v[k]);
    double grown = fabs(at->y[k]) + fabs(at->v[k]) * LONGEST;
    double size = w > 0 ? fmin(rate / w, grown) : grown;
    for (int i = 0; i < n; i++) {
      double q = s->root[i] * fabs(s->V[i * n + k]);
      b->f[0][i] += q * size;
      b->f[1][i] += q * rate;
      b->f[2][i] += q * w * rate;
      b->f[3][i] += q * w * w * rate;
    }
    double part = fabs(s->V[c->n * n + k]) / s->root[c->n];
    b->u += part * rate;
    b->u3 += part * w * w * w * rate;
  }
}

static double cubic_at(const cubic *g, double h)
{
  return g->c0 + h * (g->c1 + h * (g->c2 - h * g->c3));
}

static double cubic_slope(const cubic *g, double h)
{
  return g->c1 + h * (2 * g->c2 - 3 * h * g->c3);
}

// A zero that Newton's method approaches from one side, starting at h: the cubic falls towards it
// and bends away from the axis (from the left) or to it (from the right).
static double newton_zero(const cubic *g, double h)
{
  for (int i = 0; i < NEWTON; i++) {
    double slope = cubic_slope(g, h);
    double next = slope < 0 ? h - cubic_at(g, h) / slope : h;
    if (!(fabs(next - h) > 1e-4 * h)) {
      return next;
    }
    h = next;
  }
  return h;
}

// Some h <= LONGEST, nearly the longest, with g > 0 up to it.
static double certain_step(const cubic *g)
{
  if (g->c0 == 0 && g->c1 == 0) {
    return g->c2 > 0 ? fmin(g->c2 / g->c3, LONGEST) : 0;
  }
  double disc = g->c2 * g->c2 + 3 * g->c3 * g->c1; // of its critical points
  double root = sqrt(fmax(disc, 0));
  if (cubic_at(g, LONGEST) > 0 && !(g->c1 < 0 && g->c2 > 0)) {
    return LONGEST; // it has no minimum on the way
  }
  double dip = g->c1 < 0 && g->c2 > 0 && disc > 0 ? -g->c1 / (g->c2 + root) : 0;
  if (dip > 0 && dip < LONGEST && cubic_at(g, dip) <= 0) {
    return newton_zero(g, 0); // convex up to the minimum: from the left
  }
  if (cubic_at(g, LONGEST) > 0) {
    return LONGEST;
  }
  double bend = fmax(g->c2 / (3 * g->c3), 0); // concave from here on
  bool rises = g->c0 == 0 && g->c1 > 0;
  if (bend < LONGEST && (rises || cubic_at(g, bend) > 0)) {
    return (1 - 1e-3) * newton_zero(g, LONGEST);
  }
  return newton_zero(g, 0);
}

// The distance to the limit, mu^2 f_n^2 - f_t^2. `fresh`: here the
// slider has just stopped, or the impact starts: distance and slope are zero, whatever rounding says.
static void limit_cubic(const rh_course *c, const stick_at *at, const bounds *b, bool fresh,
                        cubic *g)
{
  *g = (cubic){0};
  for (int i = 0; i < c->dim; i++) {
    double K = i == c->n ? c->kappa : 1 / c->eta2;
    double sign = i == c->n ? c->mu * c->mu : -1;
    double f = at->f[i];
    double f1 = -K * at->u[i];
    double f2 = -K * rh_course_dot(c->W + (size_t)(i * c->dim), at->f, c->dim);
    g->c0 += sign * f * f;
    g->c1 += sign * 2 * f * f1;
    g->c2 += sign * (f1 * f1 + f * f2);
    g->c3 += fabs(sign) * (3 * b->f[1][i] * b->f[2][i] + b->f[0][i] * b->f[3][i]) / 3;
    g->near += ROUNDING * fabs(sign) * fabs(f) * (fabs(f) + b->f[0][i]);
  }
  if (fresh) {
    g->c0 = g->c1 = 0;
  }
}

// f_n, positive within the limit.
static void force_cubic(const rh_course *c, const stick_at *at, const bounds *b, cubic *g)
{
  const double *row = c->W + (size_t)(c->n * c->dim);
  *g = (cubic){.c0 = at->f[c->n],
               .c1 = -c->kappa * at->u[c->n],
               .c2 = -0.5 * c->kappa * rh_course_dot(row, at->f, c->dim),
               .c3 = b->f[3][c->n] / 6,
               .near = ROUNDING * b->f[0][c->n]};
}

// u_n, positive before its zero.
static void turn_cubic(const rh_course *c, const stick_at *at, const bounds *b, bool fresh,
                       cubic *g)
{
  double sign = c->compressing ? -1 : 1;
  double slope[3];
  for (int i = 0; i < c->dim; i++) {
    slope[i] = -(i == c->n ? c->kappa : 1 / c->eta2) * at->u[i];
  }
  const double *row = c->W + (size_t)(c->n * c->dim);
  *g = (cubic){.c0 = sign * at->u[c->n],
               .c1 = sign * rh_course_dot(row, at->f, c->dim),
               .c2 = sign * 0.5 * rh_course_dot(row, slope, c->dim),
               .c3 = b->u3 / 6,
               .near = ROUNDING * b->u};
  g->c0 = fresh && fabs(g->c0) <= g->near ? 0 : g->c0;
}

static void sample_stick(const stick *s, const rh_course *c, double end)
{
  int samples = c->watch != NULL && c->watch->at != NULL ? c->watch->samples : 0;
  for (int i = 1; i < samples; i++) {
    stick_at at;
    double p[3] = {0};
    place_stick(s, end * i / samples, &at);
    for (int k = 0; k < c->dim; k++) {
      p[k] = c->p[k] + at.p[k];
    }
    rh_course_sample(c, c->tau + end * i / samples, at.f, p);
  }
}

// The first step from the limit: within it, if it is left at all. With little friction or stiffness
// across, a point may reach the other side of the limit soon.
static double leave_limit(const stick *s, const rh_course *c)
{
  double h = NUDGE;
  for (; h > LEAST; h *= 0.1) {
    stick_at at;
    bounds b;
    cubic limit;
    place_stick(s, h / s->fastest, &at);
    bound_course(s, c, &at, &b);
    limit_cubic(c, &at, &b, false, &limit);
    if (limit.c0 > limit.near) {
      return h / s->fastest;
    }
  }
  return NUDGE / s->fastest;
}

// Time and kind of the end. The first step leaves the limit, or u_n = 0, where the part starts there.
static rh_course_end find_end(const stick *s, const rh_course *c, bool fresh, double *end)
{
  double t = 0;
  for (int i = 0; i < STEPS; i++) {
    stick_at at;
    bounds b;
    cubic limit;
    cubic force;
    cubic turn;
    place_stick(s, t, &at);
    bound_course(s, c, &at, &b);
    limit_cubic(c, &at, &b, fresh && i == 0, &limit);
    force_cubic(c, &at, &b, &force);
    turn_cubic(c, &at, &b, i == 0, &turn);
    *end = fresh && i == 1 ? 0 : t; // a first step that does not leave the limit is not taken
    if (i > 0 && (limit.c0 <= limit.near || force.c0 <= force.near)) {
      return RH_COURSE_LIMIT;
    }
    *end = t;
    if (i > 0 && turn.c0 <= turn.near) {
      return RH_COURSE_TURN;
    }
    double h = fmin(certain_step(&limit), certain_step(&turn));
    h = i > 0 || force.c0 > 0 ? fmin(h, certain_step(&force)) : h;
    if (i == 0) {
      h = fresh && h * s->fastest < FLAT ? leave_limit(s, c) : 0.5 * h;
    }
    if (t + h == t) {
      return turn.c0 * limit.near < limit.c0 * turn.near ? RH_COURSE_TURN : RH_COURSE_LIMIT;
    }
    t += h;
  }
  return RH_COURSE_LOST;
}

rh_course_end rh_course_stick(rh_course *c, bool fresh)
{
  stick s;
  stick_at at;
  double end = 0;
  double p[3] = {0};
  open_stick(&s, c);
  rh_course_end why = find_end(&s, c, fresh, &end);
  sample_stick(&s, c, end);
  place_stick(&s, end, &at);
  for (int i = 0; i < c->dim; i++) {
    p[i] = c->p[i] + at.p[i];
  }
  rh_course_move(c, c->tau + end, at.f, p);
  return why;
}
