// Influence of all tractions of a patch at once: displacements are convolutions of forces with the
// influence functions of a cell, computed by fast transforms over a grid of twice the size. Point
// forces have the functions 1 / r (normal), 1 / r + shear x^2 / r^3 and shear x y / r^3
// (tangential), +-beta x / r^2 (between normal and tangential), all over pi E* (Johnson, 3.2, 3.6);
// here they are integrated over a cell. Strips of a half-plane have the integrals of these along y.
// Transforms of even functions are real, those of odd ones imaginary. [WK] eq. 4.3*, 4.4
#include "tractions.h"

#include <routh/elementary.h>

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// ---- Transforms

static int padded_size(int n)
{
  int size = 1;
  while (size < 2 * n - 1) {
    size *= 2;
  }
  return size;
}

static void swap_numbers(double *x, int a, int b)
{
  for (int k = 0; k < 2; k++) {
    double kept = x[2 * a + k];
    x[2 * a + k] = x[2 * b + k];
    x[2 * b + k] = kept;
  }
}

// Places numbers in the order of their reversed digits.
static void reverse_order(double *x, int n)
{
  int j = 0;
  for (int i = 1; i < n; i++) {
    int bit = n / 2;
    while (j & bit) {
      j ^= bit;
      bit /= 2;
    }
    j ^= bit;
    if (i < j) {
      swap_numbers(x, i, j);
    }
  }
}

// `root`: exp(-2 pi i k / total); sign = -1: the other direction
static void transform_line(double *x, int n, const double *root, int total, double sign)
{
  reverse_order(x, n);
  for (int half = 1; half < n; half *= 2) {
    int stride = total / (2 * half);
    for (int k = 0; k < half; k++) {
      double c = root[2 * k * stride];
      double s = sign * root[2 * k * stride + 1];
      for (int i = k; i < n; i += 2 * half) {
        double *a = x + 2 * (size_t)i;
        double *b = a + 2 * (size_t)half;
        double re = c * b[0] - s * b[1];
        double im = c * b[1] + s * b[0];
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
    }
  }
}

static int larger_side(const rh_convolution *c)
{
  return c->px > c->py ? c->px : c->py;
}

static void transform_columns(const rh_convolution *c, double *x, double sign)
{
  double line[4 * RH_PATCH_MAX];
  size_t px = (size_t)c->px;
  for (size_t i = 0; i < px && c->py > 1; i++) {
    for (size_t j = 0; j < (size_t)c->py; j++) {
      memcpy(line + 2 * j, x + 2 * (j * px + i), 2 * sizeof *x);
    }
    transform_line(line, c->py, c->root, larger_side(c), sign);
    for (size_t j = 0; j < (size_t)c->py; j++) {
      memcpy(x + 2 * (j * px + i), line + 2 * j, 2 * sizeof *x);
    }
  }
}

// The rows 0 to `rows` only: the others are zero before, or not needed after.
static void transform_rows(const rh_convolution *c, double *x, int rows, double sign)
{
  for (int j = 0; j < rows; j++) {
    transform_line(x + 2 * (size_t)j * (size_t)c->px, c->px, c->root, larger_side(c), sign);
  }
}

// ---- Kernels

// The transform of kernel k, of which the influence at (i, j) cells is `value`
static void open_kernel(rh_convolution *c, int k, double shear)
{
  size_t px = (size_t)c->px;
  size_t all = px * (size_t)c->py;
  double *x = c->field[0];
  memset(x, 0, 2 * all * sizeof *x);
  for (int j = 1 - c->ny; j < c->ny; j++) {
    for (int i = 1 - c->nx; i < c->nx; i++) {
      size_t row = (size_t)(j < 0 ? j + c->py : j);
      size_t column = (size_t)(i < 0 ? i + c->px : i);
      x[2 * (row * px + column)] = c->ny == 1
                                       ? rh_influence_strip((rh_influence_part)k, i, c->nx, shear)
                                       : rh_influence_cell((rh_influence_part)k, i, j, shear);
    }
  }
  transform_rows(c, x, c->py, 1);
  transform_columns(c, x, 1);
  bool odd = k == RH_INFLUENCE_XN || k == RH_INFLUENCE_YN;
  for (size_t m = 0; m < all; m++) { // the inverse transform divides by their number
    c->spectrum[k][m] = x[2 * m + (odd ? 1 : 0)] / (double)all;
  }
}

enum { FIELDS = 4 };

size_t rh_convolution_size(int nx, int ny)
{
  size_t px = (size_t)padded_size(nx);
  size_t py = (size_t)padded_size(ny);
  return (RH_INFLUENCE_PARTS + 2 * FIELDS) * px * py + 2 * (px > py ? px : py);
}

void rh_convolution_open(rh_convolution *c, int nx, int ny, const rh_elastic_pair *pair,
                         double *memory)
{
  *c = (rh_convolution){
      .nx = nx, .ny = ny, .px = padded_size(nx), .py = padded_size(ny), .beta = pair->beta};
  size_t all = (size_t)c->px * (size_t)c->py;
  for (int k = 0; k < RH_INFLUENCE_PARTS; k++) {
    c->spectrum[k] = memory + (size_t)k * all;
  }
  for (int k = 0; k < FIELDS; k++) {
    c->field[k] = memory + (RH_INFLUENCE_PARTS + 2 * (size_t)k) * all;
  }
  c->root = memory + (RH_INFLUENCE_PARTS + 2 * FIELDS) * all;
  for (int k = 0; k < larger_side(c); k++) {
    c->root[2 * k] = rh_cos(2 * PI * k / larger_side(c));
    c->root[2 * k + 1] = -rh_sin(2 * PI * k / larger_side(c));
  }
  for (int k = 0; k < RH_INFLUENCE_PARTS; k++) {
    open_kernel(c, k, pair->shear);
  }
}

// ---- Products

// x := transform of a + i b
static void load_field(const rh_convolution *c, const double *a, const double *b, double *x)
{
  memset(x, 0, 2 * (size_t)c->px * (size_t)c->py * sizeof *x);
  for (int j = 0; j < c->ny; j++) {
    for (int i = 0; i < c->nx; i++) {
      size_t from = (size_t)j * (size_t)c->nx + (size_t)i;
      double *to = x + 2 * ((size_t)j * (size_t)c->px + (size_t)i);
      to[0] = a ? a[from] : 0;
      to[1] = b ? b[from] : 0;
    }
  }
  transform_rows(c, x, c->ny, 1);
  transform_columns(c, x, 1);
}

// a + i b := inverse transform of x
static void store_field(const rh_convolution *c, double *x, double *a, double *b)
{
  transform_columns(c, x, -1);
  transform_rows(c, x, c->ny, -1);
  for (int j = 0; j < c->ny; j++) {
    for (int i = 0; i < c->nx; i++) {
      size_t to = (size_t)j * (size_t)c->nx + (size_t)i;
      const double *from = x + 2 * ((size_t)j * (size_t)c->px + (size_t)i);
      if (a) {
        a[to] = from[0];
      }
      if (b) {
        b[to] = from[1];
      }
    }
  }
}

// Number m of the transforms of forces (f) gives that of the displacements (u); f and u: real and
// imaginary parts along x, y and the normal.
static void multiply_kernels(const rh_convolution *c, size_t m, double f[RH_DIRECTIONS][2],
                             double u[RH_DIRECTIONS][2])
{
  double *const *k = c->spectrum;
  double bx = c->beta * k[RH_INFLUENCE_XN][m];
  double by = c->beta * k[RH_INFLUENCE_YN][m];
  for (int s = 0; s < 2; s++) {
    double turn = s == 0 ? -1 : 1; // times i: the other part
    double nx = turn * bx * f[RH_NORMAL][1 - s];
    double ny = turn * by * f[RH_NORMAL][1 - s];
    u[RH_ALONG_X][s] =
        k[RH_INFLUENCE_XX][m] * f[RH_ALONG_X][s] + k[RH_INFLUENCE_XY][m] * f[RH_ALONG_Y][s] - nx;
    u[RH_ALONG_Y][s] =
        k[RH_INFLUENCE_XY][m] * f[RH_ALONG_X][s] + k[RH_INFLUENCE_YY][m] * f[RH_ALONG_Y][s] - ny;
    u[RH_NORMAL][s] = k[RH_INFLUENCE_NN][m] * f[RH_NORMAL][s] +
                      turn * (bx * f[RH_ALONG_X][1 - s] + by * f[RH_ALONG_Y][1 - s]);
  }
}

void rh_convolution_apply(const rh_convolution *c, const double *const in[RH_DIRECTIONS],
                          double *const out[RH_DIRECTIONS])
{
  bool along = in[RH_ALONG_X] || in[RH_ALONG_Y];
  const double *z = c->field[0];
  const double *n = c->field[1];
  if (along) {
    load_field(c, in[RH_ALONG_X], in[RH_ALONG_Y], c->field[0]);
  }
  if (in[RH_NORMAL]) {
    load_field(c, in[RH_NORMAL], NULL, c->field[1]);
  }
  for (int j = 0; j < c->py; j++) {
    for (int i = 0; i < c->px; i++) {
      size_t m = (size_t)j * (size_t)c->px + (size_t)i;
      size_t r = (size_t)((c->py - j) % c->py) * (size_t)c->px + (size_t)((c->px - i) % c->px);
      double f[RH_DIRECTIONS][2] = {{0}};
      double u[RH_DIRECTIONS][2];
      if (along) { // two real fields from one transform
        f[RH_ALONG_X][0] = 0.5 * (z[2 * m] + z[2 * r]);
        f[RH_ALONG_X][1] = 0.5 * (z[2 * m + 1] - z[2 * r + 1]);
        f[RH_ALONG_Y][0] = 0.5 * (z[2 * m + 1] + z[2 * r + 1]);
        f[RH_ALONG_Y][1] = 0.5 * (z[2 * r] - z[2 * m]);
      }
      if (in[RH_NORMAL]) {
        f[RH_NORMAL][0] = n[2 * m];
        f[RH_NORMAL][1] = n[2 * m + 1];
      }
      multiply_kernels(c, m, f, u);
      c->field[2][2 * m] = u[RH_ALONG_X][0] - u[RH_ALONG_Y][1];
      c->field[2][2 * m + 1] = u[RH_ALONG_X][1] + u[RH_ALONG_Y][0];
      c->field[3][2 * m] = u[RH_NORMAL][0];
      c->field[3][2 * m + 1] = u[RH_NORMAL][1];
    }
  }
  if (out[RH_ALONG_X] || out[RH_ALONG_Y]) {
    store_field(c, c->field[2], out[RH_ALONG_X], out[RH_ALONG_Y]);
  }
  if (out[RH_NORMAL]) {
    store_field(c, c->field[3], out[RH_NORMAL], NULL);
  }
}
