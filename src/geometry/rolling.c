// rolling.c: motion of a contact point over two bodies that roll, slide and spin on each other, and
// of the normal.
// B's outward normal is n, A's is -n. A surface with curvatures S turns its outward normal by S c
// when one moves over it with c, so with the bodies' angular velocities wa, wb:
//   ndot = wa x n - S_a ca    on A, along each tangent of A's side
//   ndot = wb x n + S_b cb    on B, along each tangent of B's side
//   cb - ca = slip            the point is one point: v_A + ca = v_B + cb
// An edge has one tangent, and only keeps n across it; k1 is then the curvature of the edge seen
// across the contact plane. A corner has none. These are 2 + dim_a + dim_b equations for the two
// parts of ndot and as many parts of ca and cb as there are tangents; for two surfaces they are the
// contact equations of D. J. Montana (1988).
// They are singular where contact does not determine the point: face on face, edge along face,
// parallel edges, corner on edge or corner. A line contact loses the direction along its line only:
// there the point stays where it is on the body with the straight side, and rolls across. Otherwise
// the side of the lower dimension (A of two equal ones) keeps its point and the other is assumed to
// be a flat face; as long as flat faces stay on each other that is exact as well.
#include "pair.h"

enum { MOST = 6 };

// Smaller pivots count as zero (all entries are of order 1): edges closer to parallel than a
// microradian.
static const double SINGULAR = 1e-6;

typedef struct linear { // of n equations; column n is the right side
  int n;
  double m[MOST][MOST + 1];
} linear;

static void swap_rows(linear *s, int i, int j)
{
  for (int k = 0; k <= s->n; k++) {
    double x = s->m[i][k];
    s->m[i][k] = s->m[j][k];
    s->m[j][k] = x;
  }
}

// The place of the largest entry of the rest from step k on.
static double pivot_of(const linear *s, int k, int *row, int *column)
{
  double largest = -1;
  for (int i = k; i < s->n; i++) {
    for (int j = k; j < s->n; j++) {
      if (fabs(s->m[i][j]) > largest) {
        largest = fabs(s->m[i][j]);
        *row = i;
        *column = j;
      }
    }
  }
  return largest;
}

// Gauss and Jordan with full pivoting: columns change places, `order` has their unknowns. False:
// singular.
static bool eliminate_pivots(linear *s, double *x)
{
  int order[MOST];
  for (int i = 0; i < s->n; i++) {
    order[i] = i;
  }
  for (int k = 0; k < s->n; k++) {
    int row = k;
    int column = k;
    if (!(pivot_of(s, k, &row, &column) > SINGULAR)) {
      return false;
    }
    swap_rows(s, k, row);
    int other = order[k];
    order[k] = order[column];
    order[column] = other;
    for (int i = 0; i < s->n; i++) {
      double v = s->m[i][k];
      s->m[i][k] = s->m[i][column];
      s->m[i][column] = v;
    }
    for (int i = 0; i < s->n; i++) {
      double f = i == k ? 0 : s->m[i][k] / s->m[k][k];
      for (int j = k; j <= s->n && f != 0; j++) {
        s->m[i][j] -= f * s->m[k][j];
      }
    }
  }
  for (int k = 0; k < s->n; k++) {
    x[order[k]] = s->m[k][s->n] / s->m[k][k];
  }
  return true;
}

typedef struct tangents { // of a side, in the contact plane
  int dim;
  rh_vec3 t[2];
  double k[2]; // [1/m] curvature along each
} tangents;

static tangents tangents_of(const rh_side *side, rh_vec3 n)
{
  tangents s = {.dim = side->dim, .k = {side->k1, side->k2}};
  if (side->dim == 0) {
    return s;
  }
  rh_vec3 e = rh_addscaled(side->e, -rh_dot(n, side->e), n);
  double length = rh_norm(e);
  if (length > SINGULAR) {
    s.t[0] = rh_scale(1 / length, e);
  } else { // an edge along n is a corner; of a surface any direction is valid
    s.dim = side->dim == 1 ? 0 : 2;
    s.t[0] = rh_any_normal(n);
  }
  s.t[1] = rh_cross(n, s.t[0]);
  return s;
}

static tangents point_of(void)
{
  return (tangents){.dim = 0};
}

static tangents flat_tangents(rh_vec3 n)
{
  return tangents_of(&(rh_side){.dim = 2}, n);
}

// Drops the one straight tangent of a surface; false: it has not just one.
static bool without_straight(const tangents *s, tangents *round)
{
  int which = fabs(s->k[1]) > fabs(s->k[0]) ? 1 : 0;
  *round = (tangents){.dim = 1, .t = {s->t[which]}, .k = {s->k[which]}};
  return s->dim == 2 && s->k[which] != 0 && s->k[1 - which] == 0;
}

// [m] 1 over the largest curvature: with lengths in it all entries are of order 1.
static double length_of(const tangents *a, const tangents *b)
{
  double k = 0;
  for (int i = 0; i < 2; i++) {
    k = fmax(k, fmax(i < a->dim ? fabs(a->k[i]) : 0, i < b->dim ? fabs(b->k[i]) : 0));
  }
  return k > 0 ? 1 / k : 1;
}

typedef struct motion {
  rh_vec3 n, wa, wb, slip;
} motion;

// Unknowns: ndot along u[0], u[1]; ca, cb along the tangents, in units of `length`.
static bool solve_rolling(const motion *m, const tangents *a, const tangents *b, rh_roll *roll)
{
  rh_vec3 u[2] = {rh_any_normal(m->n)};
  u[1] = rh_cross(m->n, u[0]);
  double length = length_of(a, b);
  linear s = {.n = 2 + a->dim + b->dim};
  for (int i = 0; i < 2; i++) { // cb - ca = slip
    for (int j = 0; j < a->dim; j++) {
      s.m[i][2 + j] = -rh_dot(u[i], a->t[j]);
    }
    for (int j = 0; j < b->dim; j++) {
      s.m[i][2 + a->dim + j] = rh_dot(u[i], b->t[j]);
    }
    s.m[i][s.n] = rh_dot(u[i], m->slip) / length;
  }
  for (int i = 0; i < a->dim + b->dim; i++) { // t.(ndot - w x n) +- k c = 0
    bool of_a = i < a->dim;
    const tangents *side = of_a ? a : b;
    int j = of_a ? i : i - a->dim;
    double *row = s.m[2 + i];
    row[0] = rh_dot(side->t[j], u[0]);
    row[1] = rh_dot(side->t[j], u[1]);
    row[2 + i] = (of_a ? length : -length) * side->k[j];
    row[s.n] = rh_dot(side->t[j], rh_cross(of_a ? m->wa : m->wb, m->n));
  }
  double x[MOST] = {0};
  if (!eliminate_pivots(&s, x)) {
    return false;
  }
  *roll = (rh_roll){.ndot = rh_addscaled(rh_scale(x[0], u[0]), x[1], u[1])};
  for (int j = 0; j < a->dim; j++) {
    roll->ca = rh_addscaled(roll->ca, length * x[2 + j], a->t[j]);
  }
  for (int j = 0; j < b->dim; j++) {
    roll->cb = rh_addscaled(roll->cb, length * x[2 + a->dim + j], b->t[j]);
  }
  return true;
}

bool rh_touch_roll(const rh_touch *touch, rh_vec3 wa, rh_vec3 wb, rh_vec3 slip, rh_roll *roll)
{
  motion m = {touch->normal, wa, wb,
              rh_addscaled(slip, -rh_dot(touch->normal, slip), touch->normal)};
  tangents a = tangents_of(&touch->a, m.n);
  tangents b = tangents_of(&touch->b, m.n);
  tangents round;
  *roll = (rh_roll){0};
  bool done = solve_rolling(&m, &a, &b, roll) ||
              (without_straight(&a, &round) && solve_rolling(&m, &round, &b, roll)) ||
              (without_straight(&b, &round) && solve_rolling(&m, &a, &round, roll));
  if (!done) {
    bool b_keeps = b.dim < a.dim;
    a = b_keeps ? flat_tangents(m.n) : point_of();
    b = b_keeps ? point_of() : flat_tangents(m.n);
    done = solve_rolling(&m, &a, &b, roll);
  }
  rh_vec3 sum = rh_add(roll->ndot, rh_add(roll->ca, roll->cb));
  return done && isfinite(sum.x + sum.y + sum.z);
}
