// unit_patch.c: the elastic patch: influence coefficients against sums over small pieces, the solver against its conditions,
// Hertz and Cattaneo-Mindlin as the grid grows finer, and the law of a sphere made of it.
#include "halfspace/halfspace.h"
#include "laws.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double LOVE = 3.5254943480781717; // 4 ln(1 + sqrt 2)

// ---- Influence

// Mean of (1 - nu) / r + nu x^2 / r^3 over a square of side 1: the midpoint rule on m x m pieces. Its error goes with
// (1/m)^2 where the square is away from the origin.
static double mean_over(double x, double y, double nu, int m)
{
  double sum = 0;
  for (int i = 0; i < m * m; i++) {
    double u = x + (i % m + 0.5) / m - 0.5;
    double v = y + (i / m + 0.5) / m - 0.5;
    double r = hypot(u, v);
    sum += (1 - nu) / r + nu * u * u / (r * r * r);
  }
  return sum / m / m;
}

START_TEST(influence_is_the_mean_over_a_cell)
{
  const double h = 3e-4;
  const double Estar = 2e9;
  const double G = 7e8;
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 5; j++) {
      double nu = 0.1 * i;
      double normal = PI * Estar * h * rh_influence_normal(i * h, j * h, h, Estar);
      double shear = PI * G * h * rh_influence_tangential(i * h, j * h, h, G, nu);
      if (i + j == 0) {
        near_rel(normal, LOVE, 1e-14);
        near_rel(shear, LOVE, 1e-14); // nu = 0
        continue;
      }
      // Richardson's rule on 100 and 200 pieces a side leaves (1/100)^4 times derivatives of order ten next to the cell.
      double fine = mean_over(i, j, 0, 200);
      near_rel(normal, fine + (fine - mean_over(i, j, 0, 100)) / 3, 1e-7);
      fine = mean_over(i, j, nu, 200);
      near_rel(shear, fine + (fine - mean_over(i, j, nu, 100)) / 3, 1e-7);
      near_rel(rh_influence_point(i * h, j * h, h, Estar) * PI * Estar * h, 1 / hypot(i, j), 1e-14);
    }
  }
}

END_TEST

START_TEST(influence_keeps_its_symmetries)
{
  rng r = {5};
  for (int k = 0; k < 1000; k++) {
    double x = rng_in(&r, -9, 9);
    double y = rng_in(&r, -9, 9);
    double nu = rng_in(&r, -0.9, 0.5);
    double c = rh_influence_tangential(x, y, 1, 1, nu);
    near_rel(rh_influence_tangential(-x, y, 1, 1, nu), c, 1e-12);
    near_rel(rh_influence_tangential(x, -y, 1, 1, nu), c, 1e-12);
    // x^2 + y^2 = r^2: along x and along y together are 2 - nu times the plain potential.
    double both = c + rh_influence_tangential(y, x, 1, 1, nu);
    near_rel(both, (2 - nu) * rh_influence_normal(x, y, 1, 1), 1e-12);
    near_rel(rh_influence_normal(y, x, 1, 1), rh_influence_normal(x, y, 1, 1), 1e-12);
  }
  // Far away a cell is a point: the rest is 1 / (24 r^2) of it, and the differences lose four digits.
  near_rel(rh_influence_normal(100, 75, 1, 1) * PI * 125, 1 + 1 / (24.0 * 125 * 125), 1e-10);
}

END_TEST

// A strip is a row of very many strips, and where it is looked at from moves it by a constant.
START_TEST(influence_of_a_strip)
{
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int k = 0; k < 9; k++) {
      sum += rh_influence_line(i * 0.9 + 0.1 * (k - 4), 0.1, 3, 20) / 9;
    }
    near_rel(sum, rh_influence_line(i * 0.9, 0.9, 3, 20), 1e-13);
    near_rel(rh_influence_line(i, 0.9, 3, 40) - rh_influence_line(i, 0.9, 3, 20),
             2 / (3 * PI) * log(2), 1e-13);
  }
  near_rel(rh_influence_line(1000, 1, 1, 1001), 2 / PI * log(1001.0 / 1000), 1e-4); // a thin one
}

END_TEST

// ---- The solver

enum { NX = 13, NY = 9, CELLS = NX * NY };

typedef struct grid { // with room behind the room
  rh_patch patch;
  double kernel[NY * (2 * NX - 1)];
  double room[10 * CELLS + 1];
  double drive[CELLS], lo[CELLS], hi[CELLS], f[CELLS];
} grid;

static grid *grid_of(void)
{
  grid *g = calloc(1, sizeof(*g));
  g->patch = (rh_patch){NX, NY, g->kernel, NULL};
  ck_assert_int_eq((int)rh_patch_kernel_size(NX, NY), NY * (2 * NX - 1));
  for (int j = 0; j < NY; j++) {
    for (int i = 1 - NX; i < NX; i++) {
      g->kernel[j * (2 * NX - 1) + i + NX - 1] = rh_influence_tangential(i, j, 1, 1, 0.3);
    }
  }
  return g;
}

// C f - d of one cell, summed one by one
static double separation(const grid *g, int cell)
{
  double sum = -g->drive[cell];
  for (int k = 0; k < CELLS; k++) {
    int dx = cell % NX - k % NX;
    int dy = abs(cell / NX - k / NX);
    sum += g->kernel[dy * (2 * NX - 1) + dx + NX - 1] * g->f[k];
  }
  return sum;
}

static rh_patch_result solve_grid(grid *g)
{
  const double mark = 12345;
  size_t size = rh_patch_room(CELLS);
  ck_assert_uint_lt(size, 10 * CELLS);
  g->room[size] = mark;
  rh_patch_task task = {g->drive, g->lo, g->hi, 1e-13};
  rh_patch_result result = rh_patch_solve(&g->patch, &task, g->room, g->f);
  ck_assert(g->room[size] == mark);
  return result;
}

// Whatever the bounds: inside them no separation is left, at them it has the right sign. The answer is the only one.
START_TEST(solver_meets_its_conditions)
{
  grid *g = grid_of();
  rng r = {(uint64_t)(40 + _i)};
  for (int k = 0; k < CELLS; k++) {
    double way = rng_in(&r, 0, _i < 5 ? 1 : 0.05);
    g->drive[k] = rng_in(&r, -0.5, 1);
    g->lo[k] = rng_int(&r, 4) == 0 ? 0 : _i % 2 == 0 ? 0 : -way;
    g->hi[k] = rng_int(&r, 9) == 0 ? g->lo[k] : _i % 3 == 0 ? HUGE_VAL : g->lo[k] + way;
    g->f[k] = rng_in(&r, -9, 9);
  }
  rh_patch_result result = solve_grid(g);
  ck_assert_msg(result.solved, "%d products, %g left", result.products, result.residual);
  int at_bound = 0;
  for (int k = 0; k < CELLS; k++) {
    double s = separation(g, k);
    ck_assert(g->f[k] >= g->lo[k] && g->f[k] <= g->hi[k]);
    if (g->lo[k] == g->hi[k]) {
      continue;
    }
    // 1e-13 of the drive, and the rounding of a sum of a hundred
    ck_assert_msg(g->f[k] == g->lo[k] || s < 1e-12, "cell %d: %g", k, s);
    ck_assert_msg(g->f[k] == g->hi[k] || s > -1e-12, "cell %d: %g", k, s);
    at_bound += g->f[k] == g->lo[k] || g->f[k] == g->hi[k];
  }
  ck_assert(at_bound > 0 && at_bound < CELLS);
  double other[CELLS];
  memcpy(other, g->f, sizeof(other));
  memset(g->f, 0, sizeof(g->f));
  (void)solve_grid(g);
  near_array(g->f, other, CELLS, 1e-11, 0); // from another start
  free(g);
}

END_TEST

// Not a number, or no bound that keeps the forces finite: said, and soon.
START_TEST(solver_ends)
{
  grid *g = grid_of();
  for (int k = 0; k < CELLS; k++) {
    g->drive[k] = 1;
    g->hi[k] = HUGE_VAL;
  }
  g->drive[17] = (double)NAN;
  ck_assert(!solve_grid(g).solved);
  g->drive[17] = HUGE_VAL;
  ck_assert(!solve_grid(g).solved);
  g->drive[17] = 1;
  g->kernel[NX] = (double)NAN;
  memset(g->f, 0, sizeof(g->f));
  ck_assert(!solve_grid(g).solved);
  free(g);
  g = grid_of(); // nothing may press
  for (int k = 0; k < CELLS; k++) {
    g->drive[k] = 1;
  }
  rh_patch_result result = solve_grid(g);
  ck_assert(result.solved && result.residual == 0 && g->f[0] == 0);
  free(g);
}

END_TEST

// ---- A sphere, finer and finer

typedef struct ball {
  int n;
  double h, total, shear;
  int cells, stick, products;
  double *f; // over E* h delta
} ball;

// Lengths over a, displacements over delta; then a shift by `way` of the shift of full slip (0: none), nu = 0.3.
static ball press_ball(int n, double way)
{
  int ncell = n * n;
  ball b = {.n = n, .h = 2.4 / n, .f = calloc((size_t)ncell, sizeof(double))};
  double *kernel = calloc(rh_patch_kernel_size(n, n), sizeof(double));
  double *room = calloc(rh_patch_room(ncell), sizeof(double));
  double *drive = calloc(3 * (size_t)ncell, sizeof(double));
  double *lo = drive + ncell;
  double *hi = lo + ncell;
  rh_patch patch = rh_patch_normal(n, 1, 1, RH_INFLUENCE_LOVE, kernel);
  rh_patch_sphere_gap(n, b.h, 1, drive);
  for (int i = 0; i < ncell; i++) {
    drive[i] = 1 - drive[i];
    hi[i] = drive[i] > 0 ? HUGE_VAL : 0;
  }
  rh_patch_task task = {drive, lo, hi, 1e-12};
  rh_patch_result result = rh_patch_solve(&patch, &task, room, b.f);
  ck_assert(result.solved);
  b.products = result.products;
  for (int i = 0; i < ncell; i++) {
    b.total += b.f[i] * b.h;
    b.cells += b.f[i] > 0;
  }
  if (way > 0) { // with G = E* and mu = 1 full slip is at 3 (2 - nu) / 8 times 4 / 3
    patch = rh_patch_tangential(n, 1, 1, 0.3, kernel);
    for (int i = 0; i < ncell; i++) {
      drive[i] = way * 0.85;
      hi[i] = b.f[i];
      lo[i] = -b.f[i];
      b.f[i] = 0;
    }
    ck_assert(rh_patch_solve(&patch, &task, room, b.f).solved);
    for (int i = 0; i < ncell; i++) {
      b.shear += b.f[i] * b.h;
      b.stick += fabs(b.f[i]) < hi[i];
    }
  }
  free(kernel);
  free(room);
  free(drive);
  return b;
}

// The error of the load falls from 2e-3 at 16 cells with the area of a cell or so; how cells lie along the rim makes it uneven.
START_TEST(sphere_tends_to_hertz)
{
  static const int n[] = {8, 16, 32, 64};
  static const double load[] = {4e-3, 2e-3, 5e-4, 1.5e-4};
  ball b = press_ball(n[_i], 0);
  near_rel(b.total, 4.0 / 3, load[_i]);
  for (int k = 0; k < b.n * b.n; k++) {
    double x = (k % b.n - 0.5 * (b.n - 1)) * b.h;
    double y = (k / b.n - 0.5 * (b.n - 1)) * b.h;
    double rest = 1 - x * x - y * y;
    if (rest >
        0.5) { // away from the rim, which lies somewhere within a cell and where the slope is infinite
      near_rel(b.f[k] / b.h, 2 / PI * sqrt(rest), 0.1 * b.h);
    }
  }
  double across = b.h * sqrt(b.cells / PI); // to half a cell at the rim
  near_abs(across, 1, 0.5 * b.h);
  ck_assert_int_lt(b.products, 20 + 2 * b.n);
  free(b.f);
}

END_TEST

// Q = mu P (1 - (1 - way)^(3/2)), and c / a = sqrt(1 - way) sticks.
START_TEST(shift_tends_to_mindlin)
{
  static const int n[] = {16, 32, 64};
  static const double tol[] = {4e-3, 1e-3, 3e-4};
  for (int i = 1; i < 5; i++) {
    double way = 0.2 * i;
    ball b = press_ball(n[_i], way);
    near_rel(b.shear, 4.0 / 3 * (1 - pow(1 - way, 1.5)), tol[_i]);
    near_abs(b.h * sqrt(b.stick / PI), sqrt(1 - way), b.h);
    free(b.f);
  }
}

END_TEST

// A load prescribed and the approach that comes of it are the approach prescribed and its load.
START_TEST(load_and_approach)
{
  enum { N = 16, ALL = N * N };

  static double kernel[N * (2 * N - 1)];
  static double room[12 * ALL];
  static double gap[ALL];
  static double f[ALL];
  ball b = press_ball(N, 0);
  rh_patch patch = rh_patch_normal(N, b.h, 1, RH_INFLUENCE_LOVE, kernel);
  rh_patch_sphere_gap(N, b.h, 1, gap);
  rh_press_task task = {gap, b.total, 1e-12, 0};
  double delta = 0;
  ck_assert_uint_le(rh_press_room(ALL), sizeof(room) / sizeof(room[0]));
  rh_patch_result result = rh_patch_press(&patch, &task, room, f, &delta);
  ck_assert(result.solved);
  near_rel(delta, 1, 1e-10);
  for (int i = 0; i < ALL; i++) {
    near_abs(f[i], b.f[i] * b.h, 1e-9 * b.total);
  }
  free(b.f);
}

END_TEST

// ---- The law of a sphere

START_TEST(sphere_of_the_law_is_the_patch)
{
  double par[RH_PAR_MAX];
  const rh_normal_law *law = rh_normal_law_find("elastic-patch");
  rh_row_defaults(&law->row, par);
  const double Estar = 3e6 / (1 - 0.04);
  *par_at(&law->row, par, "E") = 3e6;
  *par_at(&law->row, par, "nu") = 0.2;
  for (int n = 4; n <= 32; n++) {
    ball b = press_ball(n, 0);
    *par_at(&law->row, par, "n") = n;
    rh_normal_in in = {.depth = 2e-3, .rate = 0, .radius = 0.05, .par = par};
    rh_normal_out out;
    law->force(&in, &out);
    // The solver stops at 1e-12 of the approach.
    near_rel(out.spring, b.total * Estar * sqrt(0.05) * pow(2e-3, 1.5), 1e-11);
    free(b.f);
  }
}

END_TEST

Suite *rh_suite_unit_patch(void)
{
  Suite *suite = suite_create("unit_patch");
  TCase *cells = tcase_create("patch");
  tcase_add_test(cells, influence_is_the_mean_over_a_cell);
  tcase_add_test(cells, influence_keeps_its_symmetries);
  tcase_add_test(cells, influence_of_a_strip);
  tcase_add_loop_test(cells, solver_meets_its_conditions, 0, 12);
  tcase_add_test(cells, solver_ends);
  tcase_add_loop_test(cells, sphere_tends_to_hertz, 0, RH_TEST_SLOW ? 3 : 4);
  tcase_add_loop_test(cells, shift_tends_to_mindlin, 0, RH_TEST_SLOW ? 2 : 3);
  tcase_add_test(cells, load_and_approach);
  tcase_add_test(cells, sphere_of_the_law_is_the_patch);
  suite_add_tcase(suite, cells);
  return suite;
}
