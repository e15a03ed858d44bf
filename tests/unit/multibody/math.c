// unit_math.c: rotations and spatial algebra against closed forms and against each other.
// Tolerances are multiples of the rounding error 2.2e-16 of one operation: 1e-15 where a handful of operations on numbers
// of size 1 are made, 4e-15 where a few dozen are.
#include "world.h"

#define ONE_STEP    1e-15
#define SHORT_CHAIN 4e-15

static const double PI = 3.14159265358979323846;

static void near_mat3(const rh_mat3 *got, const rh_mat3 *want, double tol)
{
  near_array(got->m, want->m, 9, tol, 0);
}

static void near_vec3(rh_vec3 got, rh_vec3 want, double tol)
{
  const double a[3] = {got.x, got.y, got.z};
  const double b[3] = {want.x, want.y, want.z};
  near_array(a, b, 3, tol, 0);
}

static void check_proper(const rh_mat3 *R)
{
  rh_mat3 T = rh_mat3_transpose(R);
  rh_mat3 P = rh_mat3_mul(R, &T);
  rh_mat3 E = rh_mat3_identity();
  near_mat3(&P, &E, SHORT_CHAIN);
  const double *m = R->m;
  double det =
      rh_dot(rh_v3(m[0], m[1], m[2]), rh_cross(rh_v3(m[3], m[4], m[5]), rh_v3(m[6], m[7], m[8])));
  near_abs(det, 1, SHORT_CHAIN);
}

START_TEST(matrices_of_known_rotations)
{
  // A quarter turn about z takes x to y.
  rh_mat3 R = rh_axis_matrix(rh_v3(0, 0, 1), PI / 2);
  near_vec3(rh_rotate(&R, rh_v3(1, 0, 0)), rh_v3(0, 1, 0), ONE_STEP);
  near_vec3(rh_unrotate(&R, rh_v3(0, 1, 0)), rh_v3(1, 0, 0), ONE_STEP);
  // A third of a turn about (1, 1, 1) takes x to y to z to x; its quaternion is (1, 1, 1, 1) / 2.
  rh_quat third = {0.5, 0.5, 0.5, 0.5};
  rh_mat3 T = rh_quat_matrix(third);
  const rh_mat3 cycle = {{0, 0, 1, 1, 0, 0, 0, 1, 0}};
  near_mat3(&T, &cycle, ONE_STEP);
  rh_mat3 A = rh_axis_matrix(rh_scale(1 / sqrt(3.0), rh_v3(1, 1, 1)), 2 * PI / 3);
  near_mat3(&A, &cycle, ONE_STEP);
  // R = Rz(yaw) Ry(pitch) Rx(roll): with yaw alone x goes to (c, s, 0), with pitch alone x goes to (c, 0, -s),
  // with roll alone y goes to (0, c, s).
  R = rh_rpy_matrix(0, 0, 0.3);
  near_vec3(rh_rotate(&R, rh_v3(1, 0, 0)), rh_v3(cos(0.3), sin(0.3), 0), ONE_STEP);
  R = rh_rpy_matrix(0, 0.3, 0);
  near_vec3(rh_rotate(&R, rh_v3(1, 0, 0)), rh_v3(cos(0.3), 0, -sin(0.3)), ONE_STEP);
  R = rh_rpy_matrix(0.3, 0, 0);
  near_vec3(rh_rotate(&R, rh_v3(0, 1, 0)), rh_v3(0, cos(0.3), sin(0.3)), ONE_STEP);
  rh_mat3 X = rh_rpy_matrix(0.1, 0, 0);
  rh_mat3 Y = rh_rpy_matrix(0, -0.7, 0);
  rh_mat3 Z = rh_rpy_matrix(0, 0, 2.5);
  rh_mat3 ZY = rh_mat3_mul(&Z, &Y);
  rh_mat3 ZYX = rh_mat3_mul(&ZY, &X);
  R = rh_rpy_matrix(0.1, -0.7, 2.5);
  near_mat3(&R, &ZYX, ONE_STEP);
}

END_TEST

START_TEST(quaternion_and_matrix)
{
  rng r = {11};
  for (int i = 0; i < 2000; i++) {
    rh_quat a = rng_quat(&r);
    rh_quat b = rng_quat(&r);
    rh_mat3 A = rh_quat_matrix(a);
    rh_mat3 B = rh_quat_matrix(b);
    check_proper(&A);
    rh_mat3 AB = rh_mat3_mul(&A, &B);
    rh_mat3 ab = rh_quat_matrix(rh_quat_mul(a, b));
    near_mat3(&ab, &AB, SHORT_CHAIN);
    rh_quat back = rh_quat_of_matrix(&A);
    ck_assert_double_ge(back.w, 0);
    double sign = a.w < 0 ? -1 : 1;
    const double got[4] = {back.w, back.x, back.y, back.z};
    const double want[4] = {sign * a.w, sign * a.x, sign * a.y, sign * a.z};
    near_array(got, want, 4, SHORT_CHAIN, 0);
    // The length of the quaternion must not matter.
    rh_quat longer = {3 * a.w, 3 * a.x, 3 * a.y, 3 * a.z};
    rh_mat3 L = rh_quat_matrix(longer);
    near_mat3(&L, &A, SHORT_CHAIN);
    rh_quat c = rh_quat_mul(a, rh_quat_conj(a));
    near_abs(c.w, 1, ONE_STEP);
    near_vec3(rh_v3(c.x, c.y, c.z), rh_v3(0, 0, 0), ONE_STEP);
  }
}

END_TEST

// Half turns: the scalar part is zero and every branch of the matrix-to-quaternion choice is met.
START_TEST(half_turns)
{
  rng r = {12};
  for (int i = 0; i < 500; i++) {
    rh_vec3 axis = i < 3 ? rh_v3(i == 0, i == 1, i == 2) : rng_unit(&r);
    double angle = PI - (i % 2 == 0 ? 0 : pow(10, -rng_in(&r, 1, 16)));
    rh_mat3 A = rh_axis_matrix(axis, angle);
    rh_quat q = rh_quat_of_matrix(&A);
    near_abs(rh_quat_norm(q), 1, ONE_STEP);
    rh_mat3 B = rh_quat_matrix(q);
    near_mat3(&B, &A, SHORT_CHAIN);
    // The rotation vector has the right length; at the half turn itself either end of the axis will do.
    rh_vec3 phi = rh_quat_log(q);
    near_abs(rh_norm(phi), angle, SHORT_CHAIN);
    near_abs(fabs(rh_dot(phi, axis)), angle, SHORT_CHAIN);
  }
}

END_TEST

START_TEST(exp_and_log)
{
  rng r = {13};
  for (int i = 0; i < 4000; i++) {
    // Sizes from 1e-300 to just below pi, the ends of the series' range among them.
    double size = i % 4 == 0 ? rng_in(&r, 0, PI) : pow(10, -rng_in(&r, 0, i % 4 == 1 ? 16 : 300));
    if (i % 4 == 3) {
      size = PI - pow(10, -rng_in(&r, 0, 14));
    }
    rh_vec3 phi = rh_scale(size, rng_unit(&r));
    rh_quat q = rh_quat_exp(phi);
    near_abs(rh_quat_norm(q), 1, ONE_STEP);
    rh_vec3 back = rh_quat_log(q);
    // Relative to the size, so that tiny rotations are not rounded away. Near pi the scalar part is the small
    // number and carries the error of one rounding of pi / 2.
    near_vec3(rh_scale(1 / size, back), rh_scale(1 / size, phi), SHORT_CHAIN);
    rh_vec3 other = rh_quat_log((rh_quat){-q.w, -q.x, -q.y, -q.z}); // the same rotation
    near_vec3(rh_scale(1 / size, other), rh_scale(1 / size, phi), SHORT_CHAIN);
  }
  rh_quat one = rh_quat_exp(rh_v3(0, 0, 0));
  ck_assert(one.w == 1 && one.x == 0 && one.y == 0 && one.z == 0);
  rh_vec3 none = rh_quat_log(one);
  ck_assert(none.x == 0 && none.y == 0 && none.z == 0);
}

END_TEST

// The series must join the closed form without a step: compare with the closed form in long double on both sides.
START_TEST(exp_near_its_switch)
{
  for (int i = -400; i <= 400; i++) {
    double half = 1e-4 * pow(10, i / 100.0);
    rh_quat q = rh_quat_exp(rh_v3(2 * half, 0, 0));
    near_rel(q.x, (double)sinl((long double)half), ONE_STEP);
    near_abs(q.w, (double)cosl((long double)half), ONE_STEP);
    rh_vec3 phi = rh_quat_log(
        (rh_quat){(double)cosl((long double)half), (double)sinl((long double)half), 0, 0});
    near_rel(phi.x, 2 * half, SHORT_CHAIN); // half <= 1, short of the half turn
  }
}

END_TEST

START_TEST(axis_matrix_is_exp)
{
  rng r = {14};
  for (int i = 0; i < 1000; i++) {
    rh_vec3 axis = rng_unit(&r);
    double angle = rng_in(&r, -7, 7);
    rh_mat3 A = rh_axis_matrix(axis, angle);
    rh_mat3 B = rh_quat_matrix(rh_quat_exp(rh_scale(angle, axis)));
    near_mat3(&A, &B, SHORT_CHAIN);
    near_vec3(rh_rotate(&A, axis), axis, SHORT_CHAIN);
  }
}

END_TEST

static void check_eigenvalues(rng *r, const double e[3], double size)
{
  rh_mat3 R = rh_quat_matrix(rng_quat(r));
  rh_sym3 D = {e[2], e[0], e[1], 0, 0, 0};
  rh_sym3 S = rh_sym3_rotate(&R, &D);
  double got[3];
  rh_sym3_eigenvalues(&S, got);
  // A backward stable method: the error is a small multiple of eps times the largest eigenvalue.
  near_array(got, e, 3, SHORT_CHAIN * size, 0);
  ck_assert(got[0] <= got[1] && got[1] <= got[2]);
}

START_TEST(eigenvalues)
{
  rng r = {15};
  for (int i = 0; i < 1000; i++) {
    double a = rng_in(&r, -1, 1);
    double b = a + rng_in(&r, 0, 1);
    double c = b + rng_in(&r, 0, 1);
    check_eigenvalues(&r, (double[3]){a, b, c}, 3);
    check_eigenvalues(&r, (double[3]){a, a, c}, 3);
    check_eigenvalues(&r, (double[3]){1, 1, 1}, 1);
    check_eigenvalues(&r, (double[3]){1e-12, 1e-6, 1}, 1);
    check_eigenvalues(&r, (double[3]){0, 0, 1}, 1);
  }
  // By hand: [[2, 1, 0], [1, 2, 0], [0, 0, 5]] has 1, 3, 5; a zero matrix has zeros.
  double e[3];
  rh_sym3_eigenvalues(&(rh_sym3){2, 2, 5, 1, 0, 0}, e);
  near_array(e, ((double[3]){1, 3, 5}), 3, ONE_STEP * 5, 0);
  rh_sym3_eigenvalues(&(rh_sym3){0}, e);
  ck_assert(e[0] == 0 && e[1] == 0 && e[2] == 0);
  // Elements far apart in size must not become NaN.
  rh_sym3_eigenvalues(&(rh_sym3){1e200, 1, 1e-200, 1e-180, 1e-160, 1e-150}, e);
  ck_assert(isfinite(e[0]) && isfinite(e[1]) && isfinite(e[2]));
  near_rel(e[2], 1e200, ONE_STEP);
}

END_TEST

START_TEST(symmetric_rotation)
{
  rng r = {16};
  for (int i = 0; i < 500; i++) {
    rh_sym3 S = {rng_in(&r, -1, 1), rng_in(&r, -1, 1), rng_in(&r, -1, 1),
                 rng_in(&r, -1, 1), rng_in(&r, -1, 1), rng_in(&r, -1, 1)};
    rh_mat3 R = rh_quat_matrix(rng_quat(&r));
    rh_vec3 a = rng_vec3(&r, 1);
    rh_sym3 T = rh_sym3_rotate(&R, &S);
    rh_vec3 want = rh_rotate(&R, rh_sym3_mul(&S, rh_unrotate(&R, a)));
    near_vec3(rh_sym3_mul(&T, a), want, SHORT_CHAIN);
  }
}

END_TEST

// Power does not depend on the point that motion and force are taken about.
START_TEST(shifts_keep_power)
{
  rng r = {17};
  for (int i = 0; i < 500; i++) {
    rh_motion v = {rng_vec3(&r, 1), rng_vec3(&r, 1)};
    rh_force f = {rng_vec3(&r, 1), rng_vec3(&r, 1)};
    rh_vec3 d = rng_vec3(&r, 2);
    near_abs(rh_power(rh_motion_shift(v, d), f), rh_power(v, rh_force_shift_back(f, d)),
             SHORT_CHAIN * 2);
    // There and back again.
    rh_motion w = rh_motion_shift(rh_motion_shift(v, d), rh_neg(d));
    near_vec3(w.lin, v.lin, SHORT_CHAIN);
  }
}

END_TEST

// The inertia of three point masses, put together by hand, gives the sum of their momenta.
START_TEST(inertia_of_point_masses)
{
  rng r = {18};
  for (int i = 0; i < 200; i++) {
    rh_inertia I = {0};
    rh_motion v = {rng_vec3(&r, 1), rng_vec3(&r, 1)};
    rh_force want = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
      double m = rng_in(&r, 0.1, 2);
      rh_vec3 c = rng_vec3(&r, 1);
      rh_sym3 J = {m * (c.y * c.y + c.z * c.z),
                   m * (c.x * c.x + c.z * c.z),
                   m * (c.x * c.x + c.y * c.y),
                   -m * c.x * c.y,
                   -m * c.x * c.z,
                   -m * c.y * c.z};
      I.mass += m;
      I.h = rh_addscaled(I.h, m, c);
      I.I = rh_sym3_add(&I.I, &J);
      rh_vec3 p = rh_scale(m, rh_add(v.lin, rh_cross(v.ang, c)));
      want = rh_force_add(want, (rh_force){rh_cross(c, p), p});
    }
    rh_force got = rh_inertia_mul(&I, v);
    near_vec3(got.ang, want.ang, 10 * SHORT_CHAIN); // numbers up to 6 kg 3 m^2: ten times size one
    near_vec3(got.lin, want.lin, 10 * SHORT_CHAIN);
  }
}

END_TEST

Suite *rh_suite_unit_math(void)
{
  Suite *suite = suite_create("unit_math");
  TCase *tc = tcase_create("math");
  tcase_add_test(tc, matrices_of_known_rotations);
  tcase_add_test(tc, quaternion_and_matrix);
  tcase_add_test(tc, half_turns);
  tcase_add_test(tc, exp_and_log);
  tcase_add_test(tc, exp_near_its_switch);
  tcase_add_test(tc, axis_matrix_is_exp);
  tcase_add_test(tc, eigenvalues);
  tcase_add_test(tc, symmetric_rotation);
  tcase_add_test(tc, shifts_keep_power);
  tcase_add_test(tc, inertia_of_point_masses);
  suite_add_tcase(suite, tc);
  return suite;
}
