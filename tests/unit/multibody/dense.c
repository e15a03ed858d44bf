// unit_dense.c: the small factorisations against closed forms, against what defines an answer (normal equations, least
// norm), and against each other. Tolerances: 1e-13 for some thousand operations on numbers of size 1 with condition
// numbers up to 100; where a random matrix may be worse conditioned, what is left over is judged and not the answer.
#include "math/dense.h"
#include "random.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MAX = 40 };

#define CHAIN 1e-13

static int least(int m, int n, const double *A, const double *b, double *x, double *residual)
{
  double copy[MAX * MAX];
  double room[6 * MAX];
  ck_assert_int_le((int)rh_lstsq_room(m, n), 6 * MAX);
  memcpy(copy, A, (size_t)(m * n) * sizeof(double));
  return rh_lstsq(m, n, copy, b, 1e-11, room, x, residual);
}

START_TEST(closed_forms)
{
  double x[3];
  double r = 0;
  // A line through (0, 1), (1, 2), (2, 4): slope 3/2, intercept 5/6, what is left 1/sqrt(6).
  const double line[] = {1, 0, 1, 1, 1, 2};
  const double height[] = {1, 2, 4};
  ck_assert_int_eq(least(3, 2, line, height, x, &r), 2);
  near_array(x, ((const double[]){5.0 / 6, 1.5}), 2, CHAIN, 0);
  near_abs(r, 1 / sqrt(6.0), CHAIN);
  // x + y + z = 3 and again: the point nearest to zero; the second copy contradicts by 3 each way.
  const double plane[] = {1, 1, 1, 1, 1, 1};
  const double twice[] = {3, 9};
  ck_assert_int_eq(least(2, 3, plane, twice, x, &r), 1);
  near_array(x, ((const double[]){2, 2, 2}), 3, CHAIN, 0);
  near_abs(r, sqrt(18.0), CHAIN);
  // A zero matrix: x = 0, and all of b is left.
  const double zero[6] = {0};
  ck_assert_int_eq(least(2, 3, zero, twice, x, &r), 0);
  near_array(x, ((const double[]){0, 0, 0}), 3, 0, 0);
  near_abs(r, sqrt(90.0), CHAIN);
}

END_TEST

// What defines it: A'(A x - b) = 0, and x = A' y has an exact answer y, because x has no part in the null space of A.
static void check_least(int m, int n, const double *A, const double *b, const double *x, double r)
{
  double left[MAX];
  double sum = 0;
  double size = 0;
  for (int j = 0; j < n; j++) {
    size = fmax(size, fabs(x[j])); // rounding grows with what the products are made of
  }
  product(m, n, 1, A, x, left);
  for (int i = 0; i < m; i++) {
    left[i] -= b[i];
    sum += left[i] * left[i];
  }
  double normal[MAX];
  const double none[MAX] = {0};
  product(1, m, n, left, A, normal);
  near_array(normal, none, n, 20 * CHAIN * (1 + size), 0);
  near_abs(r, sqrt(sum), 20 * CHAIN * (1 + size));
  double T[MAX * MAX];
  double y[MAX];
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      T[j * m + i] = A[i * n + j];
    }
  }
  (void)least(n, m, T, x, y, &r);
  near_abs(r, 0,
           20 * CHAIN * (1 + size) *
               (1 + size)); // rows are known to eps, x is large by the condition
}

START_TEST(any_shape_any_rank)
{
  uint64_t seed = 1;
  for (int trial = 0; trial < 300; trial++) {
    int m = 1 + trial % 23;
    int n = 1 + trial / 7 % 19;
    int full = m < n ? m : n;
    int rank = 1 + trial % 5 < full ? 1 + trial % 5 : full;
    double L[MAX * MAX];
    double R[MAX * MAX];
    double A[MAX * MAX];
    double b[MAX];
    double x[MAX];
    double r = 0;
    lots(&seed, L, m * rank);
    lots(&seed, R, rank * n);
    lots(&seed, b, m);
    product(m, rank, n, L, R, A);
    ck_assert_int_eq(least(m, n, A, b, x, &r), rank);
    check_least(m, n, A, b, x, r);
  }
}

END_TEST

// A symmetric positive definite system three ways.
START_TEST(three_ways)
{
  uint64_t seed = 7;
  for (int n = 1; n <= 20; n++) {
    double B[MAX * MAX];
    double S[MAX * MAX];
    double F[MAX * MAX];
    double b[MAX];
    double x[MAX];
    double y[MAX];
    double z[MAX];
    int pivot[MAX];
    lots(&seed, B, n * n);
    lots(&seed, b, n);
    gram(n, n, B, S);
    for (int i = 0; i < n; i++) {
      S[i * n + i] += 1; // condition at most 1 + n^2
    }
    (void)least(n, n, S, b, x, NULL);
    memcpy(F, S, sizeof(S));
    memcpy(y, b, sizeof(b));
    ck_assert(rh_cholesky(n, F));
    rh_cholesky_solve(n, F, y);
    near_array(y, x, n, 4 * CHAIN, 0);
    memcpy(F, S, sizeof(S));
    memcpy(z, b, sizeof(b));
    ck_assert(rh_lu(n, F, pivot));
    rh_lu_solve(n, F, pivot, z);
    near_array(z, x, n, 4 * CHAIN, 0);
  }
}

END_TEST

START_TEST(lu_swaps_rows)
{
  double A[] = {0, 2, 1, 1, 0, 3, 4, 1, 0};
  double x[] = {7, 10, 6}; // of (1, 2, 3)
  int pivot[3];
  ck_assert(rh_lu(3, A, pivot));
  rh_lu_solve(3, A, pivot, x);
  near_array(x, ((const double[]){1, 2, 3}), 3, CHAIN, 0);
}

END_TEST

START_TEST(what_cannot_be_factored)
{
  double singular[] = {1, 2, 2, 4};
  double indefinite[] = {1, 2, 2, 1};
  double empty[4] = {0};
  double not_a_number[] = {NAN, 0, 0, 1};
  int pivot[2];
  ck_assert(!rh_lu(2, singular, pivot));
  ck_assert(!rh_cholesky(2, indefinite));
  ck_assert(!rh_lu(2, empty, pivot));
  ck_assert(!rh_cholesky(2, empty));
  ck_assert(!rh_cholesky(2, not_a_number));
  not_a_number[0] = NAN;
  ck_assert(!rh_lu(2, not_a_number, pivot));
}

END_TEST

Suite *rh_suite_unit_dense(void)
{
  Suite *suite = suite_create("unit_dense");
  TCase *tests = tcase_create("dense");
  tcase_add_test(tests, closed_forms);
  tcase_add_test(tests, any_shape_any_rank);
  tcase_add_test(tests, three_ways);
  tcase_add_test(tests, lu_swaps_rows);
  tcase_add_test(tests, what_cannot_be_factored);
  suite_add_tcase(suite, tests);
  return suite;
}
