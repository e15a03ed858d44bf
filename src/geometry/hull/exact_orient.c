// exact_orient.c: see exact_orient.h. The determinant in plain doubles where its error bound allows, else as an expansion: a sum of
// doubles that do not overlap, which is exact. After Shewchuk, Adaptive precision floating-point arithmetic and fast
// robust geometric predicates (1997), without his stages between the two.
#include "exact_orient.h"

#define TERMS_MAX 192 // three products of 16 terms by 2, each of which makes 4 out of 2

typedef struct expansion { // the sum of x[0..n-1], small ones first
  int n;
  double x[TERMS_MAX];
} expansion;

typedef struct twofold { // the difference of two doubles: x[0] is the rounding error of x[1]
  double x[2];
} twofold;

static double two_sum(double a, double b, double *rest)
{
  double sum = a + b;
  double b_part = sum - a;
  double a_part = sum - b_part;
  *rest = (a - a_part) + (b - b_part);
  return sum;
}

static void add_number(expansion *e, double b)
{
  int n = 0;
  for (int i = 0; i < e->n; i++) {
    double rest;
    b = two_sum(b, e->x[i], &rest);
    if (rest != 0) {
      e->x[n++] = rest;
    }
  }
  if (b != 0) {
    e->x[n++] = b;
  }
  e->n = n;
}

static twofold exact_difference(double a, double b)
{
  twofold d;
  d.x[1] = two_sum(a, -b, &d.x[0]);
  return d;
}

// sum += sign * (x[0] + ... + x[n-1]) * f
static void add_product(expansion *sum, const double *x, int n, const twofold *f, double sign)
{
  for (int j = 0; j < 2; j++) {
    double factor = sign * f->x[j];
    for (int i = 0; i < n && factor != 0; i++) {
      double product = x[i] * factor;
      add_number(sum, fma(x[i], factor, -product)); // rounding error of the product
      add_number(sum, product);
    }
  }
}

static double exact_determinant(rh_vec3 a, rh_vec3 b, rh_vec3 c, rh_vec3 d)
{
  const twofold u[3] = {exact_difference(b.x, a.x), exact_difference(b.y, a.y),
                        exact_difference(b.z, a.z)};
  const twofold v[3] = {exact_difference(c.x, a.x), exact_difference(c.y, a.y),
                        exact_difference(c.z, a.z)};
  const twofold w[3] = {exact_difference(d.x, a.x), exact_difference(d.y, a.y),
                        exact_difference(d.z, a.z)};
  expansion total;
  total.n = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    expansion minor;
    minor.n = 0;
    add_product(&minor, u[j].x, 2, &v[k], 1);
    add_product(&minor, u[k].x, 2, &v[j], -1);
    add_product(&total, minor.x, minor.n, &w[i], 1);
  }
  double sum = 0;
  for (int i = 0; i < total.n; i++) {
    sum += total.x[i];
  }
  return sum;
}

double rh_orient(rh_vec3 a, rh_vec3 b, rh_vec3 c, rh_vec3 d)
{
  const double bound =
      7.7715611723761027e-16; // (7 + 56 u) u with u = 2^-53: Shewchuk, o3derrboundA
  rh_vec3 u = rh_sub(b, a);
  rh_vec3 v = rh_sub(c, a);
  rh_vec3 w = rh_sub(d, a);
  double det =
      (u.y * v.z - u.z * v.y) * w.x + (u.z * v.x - u.x * v.z) * w.y + (u.x * v.y - u.y * v.x) * w.z;
  double size = (fabs(u.y * v.z) + fabs(u.z * v.y)) * fabs(w.x) +
                (fabs(u.z * v.x) + fabs(u.x * v.z)) * fabs(w.y) +
                (fabs(u.x * v.y) + fabs(u.y * v.x)) * fabs(w.z);
  return fabs(det) > bound * size ? det : exact_determinant(a, b, c, d);
}
