// unit_hull_samples.c: points within the faces of hulls (`samples`): on the face, with its area, centroid and second moments; a
// rounded one; and the tilt stiffness that follows, in a run.
#include "geometry/geometry.h"
#include "geometry/hull/hull.h"

#include "memory.h"
#include "rigid.h"

static rh_hull *hull_of(const rh_vec3 *p, int n)
{
  rh_hull *h = NULL;
  const char *why = NULL;
  rh_status status = rh_hull_create(p, n, RH_HULL_TOLERANCE, &h, &why);
  ck_assert_msg(status == RH_OK, "%s: %s", rh_status_name(status), why);
  return h;
}

typedef struct face_sums { // of the points of a face, about its centroid
  double area, mean[2], second[3];
} face_sums;

static void add_sample(face_sums *s, const double p[2], double area)
{
  const double part[6] = {1, p[0], p[1], p[0] * p[0], p[0] * p[1], p[1] * p[1]};
  double *sum[6] = {&s->area,      &s->mean[0],   &s->mean[1],
                    &s->second[0], &s->second[1], &s->second[2]};
  for (int k = 0; k < 6; k++) {
    *sum[k] += area * part[k];
  }
}

// A prism upon a polygon of n corners on an ellipse: its face below, n corners in order
static rh_hull *prism_of(const double (*p)[2], int n)
{
  rh_vec3 x[2 * RH_TOUCH_MAX];
  for (int i = 0; i < n; i++) {
    x[i] = rh_v3(p[i][0], p[i][1], 0);
    x[n + i] = rh_v3(p[i][0], p[i][1], 0.7);
  }
  return hull_of(x, 2 * n);
}

// The exact integrals over a polygon, by the boundary
static face_sums exact_sums(const double (*p)[2], int n)
{
  face_sums s = {0};
  for (int i = 0; i < n; i++) {
    const double *a = p[i];
    const double *b = p[(i + 1) % n];
    double c = a[0] * b[1] - b[0] * a[1];
    s.area += c / 2;
    for (int k = 0; k < 2; k++) {
      s.mean[k] += c * (a[k] + b[k]) / 6;
      s.second[2 * k] += c * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 12;
    }
    s.second[1] += c * (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]) / 24;
  }
  return s;
}

// Do the points of a prism on its face with n samples have area, centroid and second moments of the polygon, and lie on it?
static void check_samples(const double (*p)[2], int n, int samples, const char *what)
{
  rh_hull *h = prism_of(p, n);
  const double par[2] = {0, samples};
  const rh_geom prism = {rh_shape_find("hull"), par, rh_mat3_identity(), {0, 0, -1e-3}, h};
  const rh_geom ground = {rh_shape_find("plane"), NULL, rh_mat3_identity(), {0, 0, 0}, NULL};
  rh_touch t[RH_TOUCH_MAX];
  int count = rh_collide_surfaces(&prism, &ground, 0, t);
  face_sums sum = {0};
  ck_assert_int_eq(count, samples > n ? samples : n);
  for (int i = 0; i < count; i++) {
    const double at[2] = {t[i].point.x, t[i].point.y};
    ck_assert(t[i].area > 0);
    add_sample(&sum, at, t[i].area);
    for (int k = 0; k < n; k++) {
      const double *a = p[k];
      const double *b = p[(k + 1) % n];
      double left = (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]);
      ck_assert_msg(left > -1e-12, "%s, %d corners, %d samples: outside", what, n, samples);
    }
  }
  face_sums want = exact_sums(p, n);
  double size = want.second[0] + want.second[2];
  near_rel(sum.area, want.area, 1e-12);
  near_abs(sum.mean[0], want.mean[0], 1e-11 * sqrt(size * want.area));
  near_abs(sum.mean[1], want.mean[1], 1e-11 * sqrt(size * want.area));
  if (samples > n + 2) {
    for (int k = 0; k < 3; k++) {
      ck_assert_msg(fabs(sum.second[k] - want.second[k]) < 1e-11 * size, "%s, %d corners, %d: %g",
                    what, n, samples, (sum.second[k] - want.second[k]) / size);
    }
  }
  rh_free(h);
}

// Corners on a circle at random angles, drawn along a direction; n = 4, every other time: a trapezium.
static void random_polygon(rng *r, int n, double (*p)[2])
{
  double angle[16];
  double stretch = rng_in(r, 0.1, 10);
  double from = rng_in(r, 0, 6.28);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    angle[i] = rng_in(r, 0.3, 1);
    sum += angle[i];
  }
  for (int i = 0; i < n; i++) {
    double x = 0.2 * cos(from);
    double y = 0.2 * sin(from);
    p[i][0] = 0.3 + stretch * x + 0.5 * y;
    p[i][1] = y - 0.1;
    from += 6.283185307179586 * angle[i] / sum;
  }
}

START_TEST(samples_of_faces)
{
  static const double triangle[][2] = {{0, 0}, {0.3, 0.02}, {0.1, 0.25}};
  static const double kite[][2] = {{0, -0.2}, {0.3, 0}, {0, 0.1}, {-0.1, 0}};
  static const double arrow[][2] = {{0, -0.4}, {0.1, 0}, {0, 0.02}, {-0.1, 0}};
  rng r = {5};
  for (int samples = 4; samples <= RH_TOUCH_MAX; samples++) {
    check_samples(triangle, 3, samples, "triangle");
    check_samples(kite, 4, samples, "kite");
    check_samples(arrow, 4, samples, "arrow");
    for (int n = 3; n <= 12; n++) {
      double p[16][2];
      random_polygon(&r, n, p);
      check_samples((const double(*)[2])p, n, samples, "random");
    }
  }
}

END_TEST

// A prism on linear springs per area, its centre of mass in the middle of its lower face: it is at rest in heave at the depth
// m g / (k A), and tilts about x and y as I a'' = -k J a. Corners alone have four times the second moment J of a triangle.
START_TEST(tilt_of_a_prism)
{
  static const int samples[] = {3, 4, 6, 10, 64};
  const double I = 0.01;
  const double base = 0.3;
  const double height = 0.24;
  const double area = base * height / 2;
  const double k = G / (area * 1e-5); // depth 1e-5 m of 1 kg
  const double J[2] = {area * height * height / 18, area * base * base / 24};
  double stiffer = samples[_i] == 3 ? 4 : 1;
  double omega[2] = {sqrt(stiffer * k * J[0] / I), sqrt(stiffer * k * J[1] / I)};
  double until = 2.5 / omega[0];
  const double tilt[2] = {1e-6, -0.7e-6}; // its corners stay in the ground
  play(DOWN "bodies: [{name: b, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
            "meshes: [{name: m, vertices: [-0.15, -0.08, 0, 0.15, -0.08, 0, 0, 0.16, 0, "
            "-0.15, -0.08, 0.02, 0.15, -0.08, 0.02, 0, 0.16, 0.02]}]\n"
            "joints: [{kind: free, child: b, q: [0, 0, -1e-5, 1, %.17g, %.17g, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, kind: hull, mesh: m, samples: %d}]\n"
            "contacts: [{body: b, against: world, law: kelvin-voigt, k: %.17g, b: 0, "
            "stiffness_per: area, friction: none}]\nrun: {until: %.17g, " FINE "}\n",
       tilt[0] / 2, tilt[1] / 2, samples[_i], k, until);
  ck_assert_int_eq(told.status, RH_OK);
  ck_assert_int_eq(told.count[RH_EVENT_SEPARATE], 0);
  near_abs(told.q[2], -1e-5, 1e-10); // the areas of the sides, seen under the tilt: 1e-6 of it
  for (int i = 0; i < 2; i++) {
    // the sides' areas turn it too: depth times their height and width times arm over J, 1e-4
    near_abs(2 * told.q[4 + i], tilt[i] * cos(omega[i] * until), 1e-3 * fabs(tilt[i]));
  }
}

END_TEST

Suite *rh_suite_unit_hull_samples(void)
{
  Suite *suite = suite_create("unit_hull_samples");
  TCase *tests = tcase_create("hull_samples");
  tcase_add_test(tests, samples_of_faces);
  tcase_add_loop_test(tests, tilt_of_a_prism, 0, 5);
  suite_add_tcase(suite, tests);
  return suite;
}
