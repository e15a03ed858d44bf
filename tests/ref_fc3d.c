// ref_fc3d.c: friction problems of others (steps of rovers, confetti, capsules, stacks, spheres; FCLIB's layout), judged by
// their own measure of error and beside their stored solutions. The files are not part of the repository: the test looks for
// fc3d/*.hdf5 in the folder that the environment calls ROUTH_DATA, and says so where there is none.
#include "lcp/lcp.h"
#include "test.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// name, half r'Wr of the stored solution. Those of more than 300 contacts take a minute and are left out.
// `several`: there is another solution than the stored one (rigid contact with friction need not have only one).
typedef struct stored {
  const char *name;
  double energy;
  bool several;
} stored;

static const stored files[] = {
    {"Rover11035", 1.737519877e-01, false},
    {"Rover4396", 4.596933342e+02, false},
    {"Rover1039", 3.460741792e+00, false},
    {"Rover4144", 5.822045068e+00, false},
    {"Rover4516", 2.767234860e+00, false},
    {"Rover1040", 8.191880141e+00, false},
    {"Rover3865", 4.088017453e+00, false},
    {"Rover4613", 8.277324203e+00, false},
    {"FC3D_Example1", 1.515000000e+00, false},
    {"Confeti-ex13-4contact-Fc3D-SBM", 4.259960942e+00, false},
    {"Confeti-ex03-Fc3D-SBM", 9.049944275e+06, false},
    {"NESpheres_10_1", 1.586068267e-01, false},
    {"OneObject-i1028-138", 9.522248396e-05, true},
    {"OneObject-i100000-499", 2.282719170e-04, false},
    {"BoxesStack1-i100000-32", 5.118502353e+00, false},
    {"Capsules-i101-404", 1.672367939e-03, false},
    {"Capsules-i100-889", 1.211875131e-03, false},
    {"Capsules-i125-1213", 4.248578214e-03, false},
    {"spheres-in-a-box-98-i10000-256-10", 1.924750187e-07, false},
};

// Their order is n, t1, t2; ours t1, t2, n.
static int ours(int row)
{
  return row / 3 * 3 + (row % 3 + 2) % 3;
}

static void *read_all(hid_t file, const char *name, hid_t type, size_t size, int *count)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space(set);
  *count = (int)H5Sget_simple_extent_npoints(space);
  void *x = calloc((size_t)*count + 1, size);
  ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
  H5Sclose(space);
  H5Dclose(set);
  return x;
}

typedef struct posed {
  rh_cone cone;
  double *W, *b, *mu;
  double *u, *r; // the stored solution
} posed;

static bool read_file(const char *path, posed *q)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    return false;
  }
  int n = 0;
  int unused = 0;
  int *start = read_all(file, "fclib_local/W/p", H5T_NATIVE_INT, sizeof(int), &unused);
  int *row = read_all(file, "fclib_local/W/i", H5T_NATIVE_INT, sizeof(int), &unused);
  double *x = read_all(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, sizeof(double), &unused);
  double *b = read_all(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, sizeof(double), &n);
  double *u = read_all(file, "solution/u", H5T_NATIVE_DOUBLE, sizeof(double), &unused);
  double *r = read_all(file, "solution/r", H5T_NATIVE_DOUBLE, sizeof(double), &unused);
  q->mu = read_all(file, "fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, sizeof(double), &unused);
  q->W = calloc((size_t)n * (size_t)n, sizeof(double));
  q->b = calloc((size_t)n, sizeof(double));
  q->u = calloc((size_t)n, sizeof(double));
  q->r = calloc((size_t)n, sizeof(double));
  for (int j = 0; j < n; j++) {
    for (int e = start[j]; e < start[j + 1]; e++) {
      q->W[(size_t)ours(row[e]) * (size_t)n + (size_t)ours(j)] = x[e];
    }
    q->b[ours(j)] = b[j];
    q->u[ours(j)] = u[j];
    q->r[ours(j)] = r[j];
  }
  free(start);
  free(row);
  free(x);
  free(b);
  free(u);
  free(r);
  H5Fclose(file);
  q->cone = (rh_cone){.n = n / 3, .W = q->W, .b = q->b, .mu = q->mu};
  return true;
}

// p less its projection on the cone of p - u - (0, 0, mu |u_t|), squared
static double distance(double mu, const double *p, const double *u)
{
  double slip = hypot(u[0], u[1]);
  const double y[3] = {p[0] - u[0], p[1] - u[1], p[2] - u[2] - mu * slip};
  double flat = hypot(y[0], y[1]);
  double n = (mu * flat + y[2]) / (1 + mu * mu);
  double to[3] = {flat > 0 ? mu * n * y[0] / flat : 0, flat > 0 ? mu * n * y[1] / flat : 0, n};
  if (flat <= mu * y[2]) {
    memcpy(to, y, sizeof(to));
  } else if (mu * flat <= -y[2]) {
    memset(to, 0, sizeof(to));
  }
  return (p[0] - to[0]) * (p[0] - to[0]) + (p[1] - to[1]) * (p[1] - to[1]) +
         (p[2] - to[2]) * (p[2] - to[2]);
}

static void check(const stored *of, const posed *q, const double *p, bool same)
{
  int n = 3 * q->cone.n;
  double error = 0;
  double size = 0;
  double off = 0;
  double half = 0;
  for (int k = 0; k < q->cone.n; k++) {
    double u[3];
    for (int i = 0; i < 3; i++) {
      int row = 3 * k + i;
      u[i] = q->b[row];
      for (int j = 0; j < n; j++) {
        u[i] += q->W[(size_t)row * (size_t)n + (size_t)j] * p[j];
      }
      half += 0.5 * p[row] * (u[i] - q->b[row]);
      size += q->b[row] * q->b[row];
      off = fmax(off, fabs(u[i] - q->u[row]));
    }
    error += distance(q->cone.mu[k], p + (ptrdiff_t)3 * k, u);
  }
  error = sqrt(error / size);
  off /= sqrt(size);
  if (getenv("ROUTH_SHOW") != NULL) {
    printf("%-34s %3d contacts: error %.1e, u off %.1e, energy off %.1e\n", of->name, q->cone.n,
           error, off, fabs(half / of->energy - 1));
  }
  // Theirs have errors of up to 3e-12. u is theirs to 1e-9, since a residual of 1e-12 is some hundred times that in u; the
  // energy stands in the table with ten digits.
  ck_assert_msg(error <= 1e-11, "%s: error %g", of->name, error);
  if (same) {
    ck_assert_msg(off <= 1e-9, "%s: u differs by %g", of->name, off);
    near_rel(half, of->energy, 1e-8);
  }
}

static void solve_from(const rh_solver *solver, const stored *of, const posed *q, double *p,
                       bool same)
{
  double par[RH_PAR_MAX];
  double *room = malloc(solver->room(q->cone.n) * sizeof(double));
  rh_row_defaults(&solver->row, par);
  rh_verdict verdict = solver->cone(&q->cone, par, room, p);
  ck_assert_msg(verdict == RH_VERDICT_SOLVED, "%s: residual %g", of->name,
                rh_cone_residual(&q->cone, p));
  check(of, q, p, same);
  free(room);
}

START_TEST(problems)
{
  const char *folder = getenv("ROUTH_DATA");
  const rh_solver *solver = rh_solver_find("alart-curnier");
  if (folder == NULL) {
    printf("ref_fc3d: ROUTH_DATA names no folder with fc3d/*.hdf5; nothing was compared\n");
    return;
  }
  for (int i = 0; i < RH_COUNT(files); i++) {
    char path[4096];
    posed q;
    (void)snprintf(path, sizeof(path), "%s/fc3d/%s.hdf5", folder, files[i].name);
    if (!read_file(path, &q)) {
      printf("ref_fc3d: %s is not there; not compared\n", path);
      continue;
    }
    if (!RH_TEST_SLOW || q.cone.n < 100) {
      double *p = calloc(3 * (size_t)q.cone.n + 1, sizeof(double));
      solve_from(solver, &files[i], &q, p, !files[i].several);
      ck_assert_double_le(rh_cone_residual(&q.cone, q.r), 1e-10); // our judge of their solution
      solve_from(solver, &files[i], &q, q.r, true);               // from there we stay there
      free(p);
    }
    free(q.W);
    free(q.b);
    free(q.mu);
    free(q.u);
    free(q.r);
  }
}

END_TEST

Suite *rh_suite_ref_fc3d(void)
{
  Suite *suite = suite_create("ref_fc3d");
  TCase *tests = tcase_create("fc3d");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, problems);
  suite_add_tcase(suite, tests);
  return suite;
}
