// unit_hull.c: convex hulls: closed forms of boxes, tetrahedra and prisms, invariants of random ones (Euler, every point
// inside, support against looking at all), input that spans no volume, and the exact sign that all of it stands on.
#include "geometry/hull/hull.h"

#include "geometry/hull/exact_orient.h"
#include "memory.h"
#include "world.h"

// What rounding does to sums of a few dozen products of coordinates, relative to the size of the whole.
#define ROUNDING 1e-13

static rh_hull *hull_of(const rh_vec3 *p, int n)
{
  rh_hull *h = NULL;
  const char *why = NULL;
  rh_status status = rh_hull_create(p, n, RH_HULL_TOLERANCE, &h, &why);
  ck_assert_msg(status == RH_OK, "%s: %s", rh_status_name(status), why);
  return h;
}

// Euler's formula, faces that close, every neighbour mutual, every point inside every face.
static void check_faces(const rh_hull *h, const rh_vec3 *p, int n, double slack)
{
  int edges = 0;
  int least = 3;
  double worst = -1e300;
  double unit = 0;
  for (int f = 0; f < h->nface; f++) {
    const rh_hull_face *face = &h->face[f];
    edges += face->count;
    least = face->count < least ? face->count : least;
    unit = fmax(unit, fabs(rh_norm(face->normal) - 1));
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, rh_dot(face->normal, p[i]) - face->offset);
    }
  }
  ck_assert_int_eq(least, 3);
  ck_assert_int_eq(h->nvert - edges / 2 + h->nface, 2);
  ck_assert_msg(worst <= slack, "a point is %g m outside", worst);
  near_abs(unit, 0, 1e-14); // a square root and a division
}

static void check_sound(const rh_hull *h, const rh_vec3 *p, int n, double slack)
{
  check_faces(h, p, n, slack);
  bool good = true;
  for (int v = 0; v < h->nvert; v++) {
    good = good && h->near_first[v + 1] - h->near_first[v] >= 3;
    for (int k = h->near_first[v]; k < h->near_first[v + 1]; k++) {
      int w = h->near[k];
      bool back = false;
      for (int j = h->near_first[w]; j < h->near_first[w + 1]; j++) {
        back = back || h->near[j] == v;
      }
      good = good && back;
    }
    rh_vec3 given = p[h->source[v]];
    good = good && given.x == h->vert[v].x && given.y == h->vert[v].y && given.z == h->vert[v].z;
  }
  ck_assert(good);
}

static void check_support(const rh_hull *h, rng *r, int tries)
{
  double worst = 0;
  for (int i = 0; i < tries; i++) {
    rh_vec3 d = rng_unit(r);
    int found = rh_hull_support(h, d, rng_int(r, h->nvert));
    for (int v = 0; v < h->nvert; v++) {
      worst = fmax(worst, rh_dot(d, h->vert[v]) - rh_dot(d, h->vert[found]));
    }
  }
  // two roundings of the same product
  near_abs(worst, 0, 1e-15 * (h->radius + rh_norm(h->centre)));
}

// A box of cells: points on all its faces, corners included, some of them twice; turned and moved.
static int box_points(rh_vec3 size, int cells, const rh_mat3 *R, rh_vec3 at, rh_vec3 *p)
{
  int n = 0;
  int side = cells + 1;
  for (int k = 0; k < 2 * side * side; k++) {
    int i = k / 2 % side;
    int j = k / 2 / side;
    double u = (double)i / cells - 0.5;
    double v = (double)j / cells - 0.5;
    double w = k % 2 ? 0.5 : -0.5;
    rh_vec3 x[3] = {{w, u, v}, {u, w, v}, {u, v, w}};
    for (int c = 0; c < 3; c++) {
      rh_vec3 s = {x[c].x * size.x, x[c].y * size.y, x[c].z * size.z};
      p[n++] = rh_add(at, rh_rotate(R, s));
    }
  }
  return n;
}

START_TEST(boxes)
{
  rng r = {11};
  static rh_vec3 p[6 * 9 * 9];
  for (int i = 0; i < 40; i++) {
    rh_vec3 s = {rng_in(&r, 0.1, 2), rng_in(&r, 0.1, 2), rng_in(&r, 0.1, 2)};
    rh_mat3 R = i < 5 ? rh_mat3_identity() : rh_quat_matrix(rh_quat_unit(rng_quat(&r)));
    rh_vec3 at = i % 5 == 0 ? rh_v3(0, 0, 0) : rng_vec3(&r, 10);
    double scale = pow(10, rng_in(&r, -4, 3)); // sizes from 1e-5 m to 2e3 m
    s = rh_scale(scale, s);
    at = rh_scale(scale, at);
    int n = box_points(s, 1 + i % 8, &R, at, p);
    rh_hull *h = hull_of(p, n);
    ck_assert_int_eq(h->nvert, 8);
    ck_assert_int_eq(h->nface, 6);
    check_sound(h, p, n, 1e-9 * 4 * scale);
    check_support(h, &r, 20);
    // 20: how much farther from the origin than large the box may be
    near_rel(h->volume, s.x * s.y * s.z, 20 * 20 * ROUNDING);
    rh_sym3 own = {(s.y * s.y + s.z * s.z) / 12,
                   (s.x * s.x + s.z * s.z) / 12,
                   (s.x * s.x + s.y * s.y) / 12,
                   0,
                   0,
                   0};
    rh_sym3 want = rh_sym3_rotate(&R, &own);
    near_array(&h->inertia.xx, &want.xx, 6, 400 * ROUNDING * scale * scale, 0);
    near_array(&h->centre.x, &at.x, 3, 400 * ROUNDING * scale, 0);
    rh_free(h);
  }
}

END_TEST

START_TEST(tetrahedron)
{
  const double a = 0.3;
  const double b = 0.7;
  const double c = 1.1;
  const rh_vec3 p[] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}, {a / 8, b / 8, c / 8}};
  rh_hull *h = hull_of(p, 5);
  ck_assert_int_eq(h->nvert, 4);
  ck_assert_int_eq(h->nface, 4);
  check_sound(h, p, 5, 0);
  near_rel(h->volume, a * b * c / 6, ROUNDING);
  const double centre[3] = {a / 4, b / 4, c / 4};
  near_array(&h->centre.x, centre, 3, ROUNDING, 0);
  // About the centre the mean of x x is 3 a a / 80, that of x y is - a b / 80.
  const double inertia[6] = {3 * (b * b + c * c) / 80,
                             3 * (a * a + c * c) / 80,
                             3 * (a * a + b * b) / 80,
                             a * b / 80,
                             a * c / 80,
                             b * c / 80};
  near_array(&h->inertia.xx, inertia, 6, ROUNDING, 0);
  rh_free(h);
}

END_TEST

START_TEST(prism)
{
  enum { SIDES = 1000 };

  static rh_vec3 p[2 * SIDES];
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < SIDES; i++) {
    double angle = 2 * pi * i / SIDES;
    p[2 * i] = rh_v3(cos(angle), sin(angle), -0.5);
    p[2 * i + 1] = rh_v3(cos(angle), sin(angle), 0.5);
  }
  rh_hull *h = hull_of(p, 2 * SIDES);
  ck_assert_int_eq(h->nvert, 2 * SIDES);
  ck_assert_int_eq(h->nface, SIDES + 2);
  check_sound(h, p, 2 * SIDES, 1e-9);
  // Area of a regular polygon; a thousand terms are summed
  near_rel(h->volume, 0.5 * SIDES * sin(2 * pi / SIDES), 10 * ROUNDING);
  int top = rh_hull_face_along(h, rh_v3(0, 0, 1));
  ck_assert_int_eq(h->face[top].count, SIDES);
  near_abs(h->face[top].normal.z, 1, 1e-15);
  near_abs(h->face[top].offset, 0.5, 1e-15);
  rng r = {5};
  check_support(h, &r, 200);
  rh_free(h);
}

END_TEST

START_TEST(random_points)
{
  rng r = {3};
  static rh_vec3 p[3000];
  for (int round = 0; round < 12; round++) {
    int n = round < 6 ? 5 + 50 * round : RH_TEST_SLOW ? 500 : 3000;
    for (int i = 0; i < n; i++) {
      rh_vec3 x =
          rng_unit(&r); // on a sphere, in a ball, in a thin disc: each has its own hard spots
      p[i] = round % 3 == 0   ? x
             : round % 3 == 1 ? rh_scale(rng_in(&r, 0, 1), x)
                              : rh_v3(x.x, x.y, 1e-6 * x.z);
    }
    rh_hull *h = hull_of(p, n);
    if (round % 3 == 0) {
      ck_assert_int_eq(h->nvert, n); // on a sphere every point is a corner
    }
    check_sound(h, p, n, 4e-9);
    check_support(h, &r, 100);
    rh_free(h);
  }
}

END_TEST

// Small integers: almost everything is coplanar, collinear or double. The volume is that of the same points turned.
START_TEST(lattices)
{
  rng r = {8};
  rh_vec3 p[60];
  rh_vec3 q[60];
  int made = 0;
  for (int round = 0; round < 1000; round++) {
    int n = 4 + rng_int(&r, 57);
    int side = 2 + rng_int(&r, 4);
    rh_mat3 R = rh_quat_matrix(rh_quat_unit(rng_quat(&r)));
    for (int i = 0; i < n; i++) {
      p[i] = rh_v3(rng_int(&r, side), rng_int(&r, side), rng_int(&r, side));
      q[i] = rh_rotate(&R, p[i]);
    }
    rh_hull *h = NULL;
    const char *why = NULL;
    rh_hull *turned = NULL;
    rh_status status = rh_hull_create(p, n, RH_HULL_TOLERANCE, &h, &why);
    ck_assert_int_eq(rh_hull_create(q, n, RH_HULL_TOLERANCE, &turned, NULL), status);
    if (status != RH_OK) {
      ck_assert_int_eq(status, RH_INPUT_REFUSED);
      ck_assert_ptr_nonnull(why);
      continue;
    }
    made++;
    check_sound(h, p, n, 1e-14);
    check_sound(turned, q, n, 5e-9);
    ck_assert_int_eq(h->nvert, turned->nvert);
    ck_assert_int_eq(h->nface, turned->nface);
    near_rel(6 * h->volume, floor(6 * h->volume + 0.5),
             ROUNDING);                         // six times a lattice volume is whole
    near_rel(turned->volume, h->volume, 1e-12); // the turned points are rounded
    check_support(turned, &r, 5);
    rh_free(h);
    rh_free(turned);
  }
  ck_assert_int_gt(made, 700);
}

END_TEST

// Points of a float file: what was flat is flat to a millionth only.
START_TEST(float_noise)
{
  rng r = {17};
  static rh_vec3 p[6 * 9 * 9];
  rh_mat3 R = rh_quat_matrix(rh_quat_unit(rng_quat(&r)));
  int n = box_points(rh_v3(1, 2, 3), 8, &R, rh_v3(1, 0, 0), p);
  for (int i = 0; i < n; i++) {
    p[i] = rh_v3((double)(float)p[i].x, (double)(float)p[i].y, (double)(float)p[i].z);
  }
  rh_hull *h = NULL;
  ck_assert_int_eq(rh_hull_create(p, n, RH_HULL_TOLERANCE_FLOAT, &h, NULL), RH_OK);
  ck_assert_int_eq(h->nvert, 8);
  ck_assert_int_eq(h->nface, 6);
  near_rel(h->volume, 6, 1e-6); // a float has 6e-8
  check_support(h, &r, 200);
  rh_free(h);
}

END_TEST

static void check_refused(const rh_vec3 *p, int n, rh_status want, const char *says)
{
  rh_hull *h = NULL;
  const char *why = NULL;
  ck_assert_int_eq(rh_hull_create(p, n, RH_HULL_TOLERANCE, &h, &why), want);
  ck_assert_ptr_null(h);
  ck_assert_ptr_nonnull(why);
  ck_assert_msg(strstr(why, says) != NULL, "'%s' does not say '%s'", why, says);
}

START_TEST(refused)
{
  enum { MANY = RH_HULL_POINTS_MAX + 1 };

  rh_vec3 *p = calloc(MANY, sizeof *p);
  rng r = {2};
  rh_vec3 u = rng_unit(&r);
  rh_vec3 v = rng_unit(&r);
  check_refused(p, 0, RH_INPUT_REFUSED, "fewer than four");
  check_refused(p, 3, RH_INPUT_REFUSED, "fewer than four");
  check_refused(p, 100, RH_INPUT_REFUSED, "all points are the same");
  check_refused(p, MANY, RH_OVER_LIMIT, "100000");
  for (int i = 0; i < 100; i++) {
    p[i] = rh_scale(rng_in(&r, -1, 1), u);
  }
  check_refused(p, 100, RH_INPUT_REFUSED, "one line");
  for (int i = 0; i < 100; i++) {
    p[i] = rh_addscaled(p[i], rng_in(&r, -1, 1), v);
  }
  check_refused(p, 100, RH_INPUT_REFUSED, "one plane");
  for (int i = 0; i < 5000; i++) {
    p[i] = rng_unit(&r);
  }
  check_refused(p, 5000, RH_OVER_LIMIT, "4096 vertices");
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e10};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    p[50].y = bad[i];
    check_refused(p, 100, RH_INPUT_REFUSED, "not finite");
  }
  free(p);
}

END_TEST

// The sign of rh_orient against whole numbers: points in a plane, and one unit beside it.
START_TEST(exact_sign)
{
  rng r = {4};
  int wrong = 0;
  double worst = 0;
  for (int round = 0; round < 20000; round++) {
    int64_t x[4][3];
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        x[i][k] = rng_int(&r, 1 << 14) - (1 << 13);
      }
    }
    int64_t s = rng_int(&r, 16) - 8;
    int64_t t = rng_int(&r, 16) - 8;
    for (int k = 0; k < 3; k++) { // at most 2^18, so the determinant is below 2^63
      x[3][k] = x[0][k] + s * (x[1][k] - x[0][k]) + t * (x[2][k] - x[0][k]);
    }
    x[3][rng_int(&r, 3)] += rng_int(&r, 3) - 1;
    int64_t e[3][3];
    rh_vec3 p[4];
    const double tiny = 0x1p-60;
    for (int i = 0; i < 4; i++) {
      p[i] = rh_v3(tiny * (double)x[i][0], tiny * (double)x[i][1], tiny * (double)x[i][2]);
      for (int k = 0; k < 3 && i > 0; k++) {
        e[i - 1][k] = x[i][k] - x[0][k];
      }
    }
    int64_t det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                  e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    double got = rh_orient(p[0], p[1], p[2], p[3]);
    wrong += (got > 0) - (got < 0) != (det > 0) - (det < 0);
    worst = fmax(worst, fabs(got / (tiny * tiny * tiny) - (double)det));
  }
  ck_assert_int_eq(wrong, 0);
  near_abs(worst, 0, 1e-15 * 0x1p57); // the bound on the error of a sum whose terms reach 2^57
}

END_TEST

START_TEST(memory_is_given_back)
{
  rng r = {6};
  rh_vec3 p[100];
  for (int i = 0; i < 100; i++) {
    p[i] = rng_vec3(&r, 1);
  }
  rh_hull *h = NULL;
  long fail = 1;
  for (;; fail++) {
    memory_watch(fail);
    rh_status status = rh_hull_create(p, 100, RH_HULL_TOLERANCE, &h, NULL);
    if (status == RH_OK) {
      break;
    }
    ck_assert_int_eq(status, RH_OUT_OF_MEMORY);
    ck_assert_ptr_null(h);
    ck_assert_int_eq(the_memory.out, 0);
  }
  ck_assert_int_gt(fail, 5);
  memory_watch(0);
  check_support(h, &r, 10);
  ck_assert_int_eq(the_memory.calls, 0);
  rh_free(h);
  ck_assert_int_eq(the_memory.out, 0);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_hull(void)
{
  Suite *suite = suite_create("unit_hull");
  TCase *tcase = tcase_create("hull");
  tcase_add_test(tcase, boxes);
  tcase_add_test(tcase, tetrahedron);
  tcase_add_test(tcase, prism);
  tcase_add_test(tcase, random_points);
  tcase_add_test(tcase, lattices);
  tcase_add_test(tcase, float_noise);
  tcase_add_test(tcase, refused);
  tcase_add_test(tcase, exact_sign);
  tcase_add_test(tcase, memory_is_given_back);
  suite_add_tcase(suite, tcase);
  return suite;
}
