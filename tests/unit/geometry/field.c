// unit_field.c: heightfields: an inclined plane, a ridge and a valley in closed form, seams that must not show, a rough
// ground against the nearest of many points on it, centres below ground, the rim.
#include "geometry/heightfield.h"

#include "memory.h"
#include "world.h"

static rh_heightfield *field_of(int nx, int ny, double lx, double ly,
                                double (*height)(double, double))
{
  double *h = calloc((size_t)nx * (size_t)ny, sizeof *h);
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      h[j * nx + i] = height(lx * i / (nx - 1) - lx / 2, ly * j / (ny - 1) - ly / 2);
    }
  }
  rh_heightfield *f = NULL;
  const double size[2] = {lx, ly};
  ck_assert_int_eq(rh_heightfield_create(nx, ny, size, h, &f, NULL), RH_OK);
  free(h);
  return f;
}

static double incline(double x, double y)
{
  return 0.5 * x - 0.25 * y + 0.1;
}

static double ridge(double x, double y)
{
  (void)y;
  return -fabs(x);
}

static double valley(double x, double y)
{
  (void)y;
  return fabs(x);
}

static double rough(double x, double y)
{
  return 0.3 * sin(3 * x) * cos(2 * y) + 0.1 * x;
}

static const rh_xform home = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};

static int touch_field(const rh_heightfield *f, rh_vec3 c, double radius, rh_touch *t)
{
  const rh_heightfield_ball ball = {c, radius};
  return rh_heightfield_touch(f, &home, &ball, 0.01, t);
}

// On a plane a ball has one contact wherever it stands, on faces, seams and corners, with the plane's normal. Turned and
// moved as a whole it is the same.
START_TEST(plane_without_seams)
{
  rh_heightfield *f = field_of(9, 5, 4, 2, incline);
  rng r = {1};
  double length = sqrt(0.25 + 0.0625 + 1);
  rh_vec3 n = {-0.5 / length, 0.25 / length, 1 / length};
  double worst = 0;
  for (int k = 0; k < 2000; k++) {
    rh_vec3 p = {0.125 * rng_int(&r, 17) - 1, 0.125 * rng_int(&r, 9) - 0.5, 0};
    p.x += k % 2 ? rng_in(&r, -0.1, 0.1) : 0; // the others on multiples of a quarter of a cell
    p.z = incline(p.x, p.y);
    double radius = rng_in(&r, 0.05, 0.3);
    double depth = rng_in(&r, -0.009, radius + 0.02); // deeper than its centre, too
    rh_vec3 c = rh_addscaled(p, radius - depth, n);
    rh_xform pose = {rh_quat_matrix(rh_quat_unit(rng_quat(&r))), rng_vec3(&r, 3)};
    const rh_heightfield_ball ball = {rh_add(pose.p, rh_rotate(&pose.R, c)), radius};
    rh_touch t[RH_TOUCH_MAX];
    int count = rh_heightfield_touch(f, &pose, &ball, 0.01, t);
    if (count != 1) {
      ck_abort_msg("%d contacts at %g %g, depth %g", count, p.x, p.y, depth);
    }
    rh_vec3 between = rh_addscaled(p, -depth / 2, n);
    rh_vec3 want = rh_add(pose.p, rh_rotate(&pose.R, between));
    worst = fmax(worst, fabs(t[0].depth - depth));
    worst = fmax(worst, rh_norm(rh_sub(t[0].point, want)));
    worst = fmax(worst, rh_norm(rh_sub(t[0].normal, rh_rotate(&pose.R, n))));
    worst = fmax(worst, fabs(t[0].radius - radius));
  }
  near_abs(worst, 0, 2e-14); // lengths of order 3, some dozen roundings
  rh_free(f);
}

END_TEST

START_TEST(ridge_and_valley)
{
  rh_heightfield *f = field_of(5, 5, 4, 4, ridge);
  rh_touch t[RH_TOUCH_MAX];
  // Above the ridge: the edge, straight down. Beside it: the slope.
  ck_assert_int_eq(touch_field(f, rh_v3(0, 0.3, 0.19), 0.2, t), 1);
  near_abs(t[0].depth, 0.01, 1e-15);
  near_abs(t[0].normal.z, 1, 1e-15);
  rh_vec3 c = {0.05, 0.3, 0.15}; // nearer to the edge than 45 degrees: the line to the edge
  ck_assert_int_eq(touch_field(f, c, 0.2, t), 1);
  near_abs(t[0].depth, 0.2 - sqrt(0.05 * 0.05 + 0.15 * 0.15), 1e-15);
  near_abs(t[0].normal.x, 0.05 / sqrt(0.05 * 0.05 + 0.15 * 0.15), 1e-15);
  c = rh_v3(0.5 + 0.1, 0.3, -0.5 + 0.1); // 0.1 * sqrt(2) above the slope
  ck_assert_int_eq(touch_field(f, c, 0.2, t), 1);
  near_abs(t[0].depth, 0.2 - 0.1 * sqrt(2), 1e-15);
  near_abs(t[0].normal.x, sqrt(0.5), 1e-15);
  rh_free(f);

  f = field_of(5, 5, 4, 4, valley);
  // In the valley both sides, never the edge between them.
  ck_assert_int_eq(touch_field(f, rh_v3(0, 0.3, 0.25), 0.2, t), 2);
  for (int k = 0; k < 2; k++) {
    near_abs(t[k].depth, 0.2 - 0.25 * sqrt(0.5), 1e-15);
    near_abs(fabs(t[k].normal.x), sqrt(0.5), 1e-15);
  }
  ck_assert(t[0].normal.x * t[1].normal.x < 0 && t[0].id < t[1].id);
  // Below the ground near the ridge line of the earth: the shorter way out.
  ck_assert_int_eq(touch_field(f, rh_v3(0.5, 0.3, 0.4), 0.1, t), 1);
  near_abs(t[0].depth, 0.1 + 0.1 * sqrt(0.5), 1e-15);
  rh_free(f);
}

END_TEST

// ---- Creases: what faces bear together, in units of d^(3/2)

static double gentle_slope;

static double gentle_valley(double x, double y)
{
  (void)y;
  return gentle_slope * fabs(x);
}

static double gentle_pit(double x, double y)
{
  return gentle_slope * (fabs(x) + fabs(y));
}

static double power(double depth)
{
  return depth > 0 ? depth * sqrt(depth) : 0;
}

static rh_vec3 support_of_field(const rh_heightfield *f, rh_vec3 c, double radius)
{
  rh_touch t[RH_TOUCH_MAX];
  const rh_heightfield_ball ball = {c, radius};
  int n = rh_heightfield_touch(f, &home, &ball, 0.01, t);
  n = rh_heightfield_share(f, &home, &ball, t, n, 4);
  ck_assert_int_le(n, 4);
  rh_vec3 sum = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    sum = rh_addscaled(sum, power(t[k].depth), t[k].normal);
  }
  return sum;
}

// The force of U(d1) + U(d2) - U(d): a face counts while its foot lies on it, the crease while both do.
static rh_vec3 crease_force(double slope, rh_vec3 c, double radius)
{
  double length = sqrt(1 + slope * slope);
  rh_vec3 sum = {0, 0, 0};
  int on = 0;
  for (int side = -1; side <= 1; side += 2) {
    rh_vec3 n = {-side * slope / length, 0, 1 / length};
    rh_vec3 u = {side / length, 0, slope / length};
    if (rh_dot(u, c) - u.y * c.y > 0) {
      sum = rh_addscaled(sum, power(radius - n.x * c.x - n.z * c.z), n);
      on++;
    }
  }
  double far = sqrt(c.x * c.x + c.z * c.z);
  double back = on == 2 ? power(radius - far) / far : 0;
  return rh_sub(sum, rh_v3(back * c.x, 0, back * c.z));
}

// From one side of a valley to the other, pressed in by up to a twentieth of the radius: the crease is inside the ball for the gentle
// slopes, outside for the steep. Forces below 1e-3, some dozen roundings, divided by the sine of the crease.
START_TEST(over_a_crease)
{
  static const double slope[] = {1e-3, 0.01, 0.1, 0.5};
  double worst = 0;
  for (int k = 0; k < RH_COUNT(slope); k++) {
    gentle_slope = slope[k];
    rh_heightfield *f = field_of(3, 3, 2, 2, gentle_valley);
    for (int i = -300; i <= 300; i++) {
      double x = 0.2 * slope[k] * i / 200.0;
      rh_vec3 c = {x, 0.3, slope[k] * fabs(x) + 0.2 * (1 - 0.05 * (300 + i) / 600.0)};
      rh_vec3 off = rh_sub(support_of_field(f, c, 0.2), crease_force(slope[k], c, 0.2));
      worst = fmax(worst, rh_norm(off) * slope[k]);
    }
    rh_free(f);
  }
  near_abs(worst, 0, 1e-16);
}

END_TEST

// A pit that is nearly flat bears what the plane bears, wherever the ball stands, on its corner too. The ground lies within slope times
// 1 mm of the plane, which is 1e-5 of the depth, to the power 3/2.
START_TEST(over_a_corner)
{
  gentle_slope = 1e-4;
  rh_heightfield *f = field_of(5, 5, 2, 2, gentle_pit);
  double depth = 0.01;
  double worst = 0;
  for (int i = -50; i <= 50; i++) {
    for (int j = -50; j <= 50; j++) {
      rh_vec3 c = {1e-3 * i / 50, 1e-3 * j / 50, 0.2 - depth};
      rh_vec3 force = support_of_field(f, c, 0.2);
      worst = fmax(worst, fabs(force.z / power(depth) - 1));
    }
  }
  near_abs(worst, 0, 1e-4);
  rh_free(f);
}

END_TEST

// The distance to the nearest of the samples around a point, 0.6 m wide and 5 mm apart
static double nearest_sample(const rh_heightfield *f, rh_vec3 c)
{
  double nearest = (double)INFINITY;
  for (int i = -60; i <= 60; i++) {
    for (int j = -60; j <= 60; j++) {
      rh_vec3 p = {c.x + 0.005 * i, c.y + 0.005 * j, 0};
      if (rh_heightfield_height(f, p.x, p.y, &p.z, NULL)) {
        nearest = fmin(nearest, rh_norm(rh_sub(c, p)));
      }
    }
  }
  return nearest;
}

// Against points sampled densely on the triangles: the deepest contact is as deep as the nearest sample says.
START_TEST(rough_ground)
{
  rh_heightfield *f = field_of(13, 11, 3, 2.5, rough);
  rng r = {3};
  double worst = 0;
  int several = 0;
  for (int k = 0; k < 300; k++) {
    rh_vec3 c = {rng_in(&r, -1.2, 1.2), rng_in(&r, -1, 1), 0};
    double ground = 0;
    ck_assert(rh_heightfield_height(f, c.x, c.y, &ground, NULL));
    c.z = ground + rng_in(&r, -0.1, 0.3);
    rh_touch t[RH_TOUCH_MAX];
    int count = touch_field(f, c, 0.3, t);
    double deepest = -1;
    for (int i = 0; i < count; i++) {
      deepest = fmax(deepest, t[i].depth);
    }
    several += count > 1;
    double nearest = nearest_sample(f, c);
    double want = c.z < ground ? 0.3 + nearest : 0.3 - nearest;
    worst = want > 0 ? fmax(worst, fabs(deepest - want)) : worst;
  }
  ck_assert_int_gt(several, 10);
  near_abs(worst, 0, 0.004); // half a diagonal of the samples
  rh_free(f);
}

END_TEST

static rh_touch deepest_of(const rh_heightfield *f, rh_vec3 c, double radius, double margin)
{
  rh_touch t[RH_TOUCH_MAX];
  const rh_heightfield_ball ball = {c, radius};
  int n = rh_heightfield_touch(f, &home, &ball, margin, t);
  ck_assert_int_gt(n, 0);
  int best = 0;
  for (int i = 1; i < n; i++) {
    best = t[i].depth > t[best].depth ? i : best;
  }
  return t[best];
}

// From far above, an infinite margin looks at what lies within the way straight down only: the same bits as over all of the ground.
START_TEST(nearest_from_afar)
{
  rh_heightfield *f = field_of(13, 11, 3, 2.5, rough);
  rng r = {5};
  for (int k = 0; k < 300; k++) {
    rh_vec3 c = {rng_in(&r, -1.5, 1.5), rng_in(&r, -1.2, 1.2), rng_in(&r, 0.6, 5)};
    double radius = k % 3 * 0.1; // 0: a sample point
    rh_touch got = deepest_of(f, c, radius, HUGE_VAL);
    rh_touch want =
        deepest_of(f, c, radius > 0 ? radius : 1e-300, 1e3); // a ball with a finite margin: all
    near_abs(got.depth, want.depth, 0);
    ck_assert_int_eq(got.id, want.id);
    near_array(&got.normal.x, &want.normal.x, 3, 0, 0);
  }
  rh_free(f);
}

END_TEST

START_TEST(sample_points_and_rim)
{
  rh_heightfield *f = field_of(3, 3, 2, 2, incline);
  rh_touch t[RH_TOUCH_MAX];
  double length = sqrt(0.25 + 0.0625 + 1);
  ck_assert_int_eq(touch_field(f, rh_v3(0.3, 0.2, incline(0.3, 0.2) - 0.07), 0, t), 1);
  near_abs(t[0].depth, 0.07 / length, 1e-15); // along the normal, not upright
  ck_assert(isinf(t[0].radius));
  ck_assert_int_eq(touch_field(f, rh_v3(0.3, 0.2, incline(0.3, 0.2) + 0.005), 0, t), 1);
  near_abs(t[0].depth, -0.005 / length, 1e-15);
  ck_assert_int_eq(touch_field(f, rh_v3(0.3, 0.2, incline(0.3, 0.2) + 0.02), 0, t), 0);
  // Over the rim: the edge itself, from above only
  ck_assert_int_eq(touch_field(f, rh_v3(1.1, 0, incline(1, 0) + 0.1), 0.2, t), 1);
  near_abs(t[0].depth, 0.2 - 0.1 * sqrt(1 + 1 / 1.0625),
           1e-15); // the rim itself falls by a quarter
  ck_assert_int_eq(touch_field(f, rh_v3(1.1, 0, incline(1, 0) - 0.5), 0.2, t), 0);
  ck_assert_int_eq(touch_field(f, rh_v3(5, 5, 0), 0.2, t), 0);
  ck_assert_int_eq(touch_field(f, rh_v3((double)NAN, 0, 0), 0.2, t), 0);
  ck_assert_int_eq(touch_field(f, rh_v3(0, 0, (double)NAN), 0.2, t), 0);
  // Deep below: still a way out
  ck_assert_int_eq(touch_field(f, rh_v3(0, 0, -1.5), 0.1, t), 1);
  ck_assert_double_gt(t[0].depth, 0.5);
  rh_free(f);
}

END_TEST

START_TEST(bounds_hold_all)
{
  rh_heightfield *f = field_of(7, 6, 3, 2, rough);
  rng r = {5};
  bool inside = true;
  for (int k = 0; k < 50; k++) {
    rh_xform pose = {rh_quat_matrix(rh_quat_unit(rng_quat(&r))), rng_vec3(&r, 3)};
    rh_bounds b = rh_heightfield_bounds(f, &pose, 0.01);
    for (int i = 0; i < 100; i++) {
      rh_vec3 p = {rng_in(&r, -1.5, 1.5), rng_in(&r, -1, 1), 0};
      ck_assert(rh_heightfield_height(f, p.x, p.y, &p.z, NULL));
      p = rh_add(pose.p, rh_rotate(&pose.R, p));
      inside = inside && p.x >= b.lo.x && p.y >= b.lo.y && p.z >= b.lo.z && p.x <= b.hi.x &&
               p.y <= b.hi.y && p.z <= b.hi.z;
    }
  }
  ck_assert(inside);
  rh_free(f);
}

END_TEST

START_TEST(refused)
{
  double h[4] = {0};
  double size[2] = {1, 1};
  rh_heightfield *f = NULL;
  const char *why = NULL;
  ck_assert_int_eq(rh_heightfield_create(1, 4, size, h, &f, &why), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_heightfield_create(1 << 20, 1 << 20, size, h, &f, &why), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(why, "8192"));
  size[1] = 0;
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, h, &f, &why), RH_INPUT_REFUSED);
  size[1] = (double)NAN;
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, h, &f, &why), RH_INPUT_REFUSED);
  size[1] = 1;
  h[3] = (double)INFINITY;
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, h, &f, &why), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(why, "finite"));
  h[3] = 0;
  memory_watch(1);
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, h, &f, &why), RH_OUT_OF_MEMORY);
  ck_assert_ptr_null(f);
  memory_watch(0);
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, h, &f, NULL), RH_OK);
  memory_watch(0);
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(touch_field(f, rh_v3(0, 0, 0.1), 0.2, t), 1);
  ck_assert_int_eq(the_memory.calls, 0);
  rh_free(f);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_field(void)
{
  Suite *suite = suite_create("unit_field");
  TCase *tcase = tcase_create("field");
  tcase_add_test(tcase, plane_without_seams);
  tcase_add_test(tcase, ridge_and_valley);
  tcase_add_test(tcase, over_a_crease);
  tcase_add_test(tcase, over_a_corner);
  tcase_add_test(tcase, rough_ground);
  tcase_add_test(tcase, nearest_from_afar);
  tcase_add_test(tcase, sample_points_and_rim);
  tcase_add_test(tcase, bounds_hold_all);
  tcase_add_test(tcase, refused);
  suite_add_tcase(suite, tcase);
  return suite;
}
