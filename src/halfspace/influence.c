// Influence coefficients of an elastic half-space: uniform pressure on a square cell (Love), a point force (Boussinesq),
// uniform traction along x (Cerruti's point force summed over the cell), and the strip on a half-plane: xi^n and gamma^t of [WK]
// eq. 4.3* and 4.4; the cross terms xi^t and gamma^n, which are zero between bodies of equal constants; and tangential
// displacements across the force.
#include "tractions.h"

#include <routh/elementary.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

// x asinh(y / |x|), zero at x = 0
static double asinh_term(double x, double y)
{
  return x == 0 ? 0 : x * rh_asinh(y / fabs(x));
}

typedef double (*primitive)(double x, double y, double share);

// Of (1 - share) / r + share x^2 / r^3 in x and y: the second part is y asinh(x / |y|) alone.
static double potential_primitive(double x, double y, double share)
{
  return (1 - share) * asinh_term(x, y) + asinh_term(y, x);
}

// Over a square of side 1 whose centre lies at (x, y)
static double over_square(primitive f, double x, double y, double share)
{
  double right = f(x + 0.5, y + 0.5, share) - f(x + 0.5, y - 0.5, share);
  double left = f(x - 0.5, y + 0.5, share) - f(x - 0.5, y - 0.5, share);
  return right - left;
}

double rh_influence_normal(double x, double y, double h, double Estar)
{
  return over_square(potential_primitive, x / h, y / h, 0) / (PI * Estar * h); // [WK] eq. 4.3*
}

double rh_influence_point(double x, double y, double h, double Estar)
{
  if (x == 0 && y == 0) {
    return rh_influence_normal(0, 0, h, Estar);
  }
  return 1 / (PI * Estar * rh_hypot(x, y));
}

double rh_influence_tangential(double x, double y, double h, double G, double nu)
{
  return over_square(potential_primitive, x / h, y / h, nu) / (PI * G * h); // [WK] eq. 4.4
}

// Of x y / r^3
static double product_primitive(double x, double y, double share)
{
  (void)share;
  return -rh_hypot(x, y);
}

// Of x / r^2
static double slope_primitive(double x, double y, double share)
{
  double r2 = x * x + y * y;
  (void)share;
  return (x == 0 ? 0 : x * rh_atan(y / x)) + (r2 > 0 ? 0.5 * y * rh_log(r2) : 0);
}

double rh_influence_cell(rh_influence_part part, double x, double y, double shear)
{
  double share = shear / (1 + shear);
  switch (part) {
  case RH_INFLUENCE_XX:
    return (1 + shear) * over_square(potential_primitive, x, y, share) / PI;
  case RH_INFLUENCE_YY:
    return (1 + shear) * over_square(potential_primitive, y, x, share) / PI;
  case RH_INFLUENCE_XY:
    return shear * over_square(product_primitive, x, y, 0) / PI;
  case RH_INFLUENCE_XN:
    return over_square(slope_primitive, x, y, 0) / PI;
  case RH_INFLUENCE_YN:
    return over_square(slope_primitive, y, x, 0) / PI;
  default:
    return over_square(potential_primitive, x, y, 0) / PI;
  }
}

// A cell has the primitives at its corners in common with its neighbours.
void rh_influence_quarter(int n, double shear, double *along, double *across)
{
  double share = shear / (1 + shear);
  double at[2][RH_QUARTER_MAX + 1][RH_QUARTER_MAX + 1];
  double *to[2] = {along, across};
  for (int j = 0; j <= n; j++) {
    for (int i = 0; i <= n; i++) {
      at[0][j][i] = (1 + shear) * potential_primitive(i - 0.5, j - 0.5, share) / PI;
      at[1][j][i] = shear * product_primitive(i - 0.5, j - 0.5, 0) / PI;
    }
  }
  for (int k = 0; k < 2 * n * n; k++) {
    double(*p)[RH_QUARTER_MAX + 1] = at[k % 2];
    int i = k / 2 % n;
    int j = k / 2 / n;
    to[k % 2][k / 2] = (p[j + 1][i + 1] - p[j][i + 1]) - (p[j + 1][i] - p[j][i]);
  }
}

// x (ln |x| - 1), a primitive of ln |x|
static double log_term(double x)
{
  return x == 0 ? 0 : x * (rh_log(fabs(x)) - 1);
}

double rh_influence_line(double x, double h, double Estar, double datum)
{
  double u = x / h;
  double mean = log_term(u + 0.5) - log_term(u - 0.5); // of ln(r / h) over the strip
  return 2 / (PI * Estar) * (rh_log(datum / h) - mean);
}

// The integrals of the influence of a cell along y: antiplane shear has 1 + shear times the
// logarithm, x / r^2 becomes pi times the sign of x.
double rh_influence_strip(rh_influence_part part, double x, double datum, double shear)
{
  switch (part) {
  case RH_INFLUENCE_XX:
  case RH_INFLUENCE_NN:
    return rh_influence_line(x, 1, 1, datum);
  case RH_INFLUENCE_YY:
    return (1 + shear) * rh_influence_line(x, 1, 1, datum);
  case RH_INFLUENCE_XN:
    return x == 0 ? 0 : copysign(1, x);
  default:
    return 0;
  }
}

// ---- Grids

size_t rh_patch_kernel_size(int nx, int ny)
{
  return (size_t)ny * (size_t)(2 * nx - 1);
}

// The coefficient at (i, j) cells away, and at (-i, j): all are even.
static void put_even_coefficient(double *kernel, int n, int i, int j, double value)
{
  double *row = kernel + (size_t)j * (size_t)(2 * n - 1) + n - 1;
  row[i] = value;
  row[-i] = value;
}

rh_patch rh_patch_normal(int n, double h, double Estar, rh_influence influence, double *kernel)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      put_even_coefficient(kernel, n, i, j,
                           influence == RH_INFLUENCE_POINT
                               ? rh_influence_point(i * h, j * h, h, Estar)
                               : rh_influence_normal(i * h, j * h, h, Estar));
    }
  }
  return (rh_patch){n, n, kernel, NULL};
}

rh_patch rh_patch_tangential(int n, double h, double G, double nu, double *kernel)
{
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      put_even_coefficient(kernel, n, i, j, rh_influence_tangential(i * h, j * h, h, G, nu));
    }
  }
  return (rh_patch){n, n, kernel, NULL};
}

rh_patch rh_patch_line(int n, double h, double Estar, double *kernel)
{
  for (int i = 0; i < n; i++) {
    put_even_coefficient(kernel, n, i, 0, rh_influence_line(i * h, h, Estar, n * h));
  }
  return (rh_patch){n, 1, kernel, NULL};
}
