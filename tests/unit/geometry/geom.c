// unit_geom.c: contact points and distances of the pairs that have a closed form. What every pair owes is in
// unit_geom_all.c, GJK and EPA by themselves are in unit_gjk.c.
#include "shapes.h"

static const double PI = 3.14159265358979323846;

// Sizes are some tenths of a metre and sums have some ten terms.
static const double ROUND = 1e-14;

static piece ground(void)
{
  return make("plane", 0, 0, 0);
}

// ---- planes

START_TEST(plane_sphere)
{
  piece s = at(make("sphere", 0.3, 0, 0), 0.1, 0.2, 0.25);
  piece p = ground();
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(meet(&s, &p, 0, t), 1);
  near_abs(t[0].depth, 0.05, ROUND);
  near_abs(t[0].radius, 0.3, ROUND);
  near_abs(t[0].area, 0, 0);
  near_vec(t[0].normal, rh_v3(0, 0, 1), 0);
  near_vec(t[0].point, rh_v3(0.1, 0.2, -0.05), ROUND);
  near_abs(apart(&s, &p), -0.05, ROUND);
  // The other way round the normal points into the plane; the point stays.
  ck_assert_int_eq(meet(&p, &s, 0, t), 1);
  near_vec(t[0].normal, rh_v3(0, 0, -1), 0);
  near_vec(t[0].point, rh_v3(0.1, 0.2, -0.05), ROUND);
  s.g.p.z = 0.31;
  ck_assert_int_eq(meet(&s, &p, 0, t), 0);
  ck_assert_int_eq(meet(&s, &p, 0.02, t), 1);
  near_abs(t[0].depth, -0.01, ROUND);
  ck_assert_int_eq(meet(&p, &p, 1, t), 0);
}

END_TEST

START_TEST(plane_box_flat)
{
  static const int samples[] = {4, 8, 9, 16};
  piece p = ground();
  for (int k = 0; k < 4; k++) {
    piece b = at(make("box", 0.4, 0.6, 0.2), 1, 2, 0.099);
    b.par[3] = samples[k];
    rh_touch t[RH_TOUCH_MAX];
    int n = meet(&b, &p, 0.01, t);
    same_int(n, samples[k]);
    double area = 0;
    double x = 0;
    double y = 0;
    for (int i = 0; i < n; i++) {
      near_number(t[i].depth, 0.001, ROUND);
      ck_assert(isinf(t[i].radius));
      ck_assert(t[i].area > 0);
      near_number(t[i].point.z, -0.001, ROUND);
      area += t[i].area;
      x += t[i].area * (t[i].point.x - 1);
      y += t[i].area * (t[i].point.y - 2);
    }
    near_rel(area, 0.24, ROUND);
    near_number(x, 0, ROUND);
    near_number(y, 0, ROUND);
  }
}

END_TEST

// Simpson's rules integrate squares exactly: the rocking stiffness of 9 and 16 points is that of the whole face.
START_TEST(plane_box_second_moment)
{
  static const int samples[] = {4, 8, 9, 16};
  static const double part[] = {1, 5.0 / 9, 1.0 / 3, 1.0 / 3}; // of A (l/2)^2
  piece p = ground();
  for (int k = 0; k < 4; k++) {
    piece b = at(make("box", 0.4, 0.6, 0.2), 0, 0, 0.1);
    b.par[3] = samples[k];
    rh_touch t[RH_TOUCH_MAX];
    int n = meet(&b, &p, 0.01, t);
    double xx = 0;
    double yy = 0;
    for (int i = 0; i < n; i++) {
      xx += t[i].area * t[i].point.x * t[i].point.x;
      yy += t[i].area * t[i].point.y * t[i].point.y;
    }
    near_rel(xx, part[k] * 0.24 * 0.04, 1e-13);
    near_rel(yy, part[k] * 0.24 * 0.09, 1e-13);
  }
}

END_TEST

// Any attitude, all below: the areas add up to the shadow of the box, and depth times area to the volume of the column
// under the faces that look down, which is known from the faces' centres.
START_TEST(plane_box_tilted)
{
  dice d = {7};
  piece p = ground();
  for (int trial = 0; trial < 200; trial++) {
    piece b = at(make("box", roll(&d, 0.1, 1), roll(&d, 0.1, 1), roll(&d, 0.1, 1)), 0, 0, -5);
    b.g.R = roll_turn(&d);
    rh_touch t[RH_TOUCH_MAX];
    int n = meet(&b, &p, 0, t);
    ck_assert_int_eq(n, 8);
    double area = 0;
    double volume = 0;
    for (int k = 0; k < 3; k++) {
      double c = fabs(b.g.R.m[6 + k]);
      double face = c * b.par[(k + 1) % 3] * b.par[(k + 2) % 3];
      area += face;
      volume += face * (5 + c * b.par[k] / 2);
    }
    double sum = 0;
    for (int i = 0; i < n; i++) {
      ck_assert_int_eq(t[i].id, i);
      sum += t[i].area * t[i].depth;
    }
    near_rel(all_area(t, n), area, 1e-13);
    near_rel(sum, volume, 1e-13);
    near_abs(deepest(t, n), -apart(&b, &p), 1e-14);
  }
}

END_TEST

// Any number: all are on the face, apart from each other, and their areas add up; from 9 on and with 5 both second moments are
// those of the face (1/3 of A (l/2)^2), with 6 and 7 that along their row. Mirrored, they have no product of inertia.
START_TEST(plane_box_any_samples)
{
  static const double size[][2] = {{0.4, 0.6}, {0.5, 0.5}, {2, 0.1}, {0.01, 1}};
  piece p = ground();
  for (int n = 4; n <= RH_TOUCH_MAX; n++) {
    for (int k = 0; k < RH_COUNT(size); k++) {
      piece b = at(make("box", size[k][0], size[k][1], 0.2), 1, 2, 0.099);
      rh_touch t[RH_TOUCH_MAX];
      double part[2] = {0};
      double area = 0;
      double mixed = 0;
      double nearest = HUGE_VAL;
      b.par[3] = n;
      same_int(meet(&b, &p, 0, t), n);
      for (int i = 0; i < n; i++) {
        double x = (t[i].point.x - 1) * 2 / size[k][0];
        double y = (t[i].point.y - 2) * 2 / size[k][1];
        ck_assert(t[i].area > 0 && fabs(x) < 1 + ROUND && fabs(y) < 1 + ROUND);
        near_number(t[i].depth, 0.001, ROUND);
        area += t[i].area;
        part[0] += t[i].area * x * x;
        part[1] += t[i].area * y * y;
        mixed += t[i].area * (x + y + x * y);
        for (int j = 0; j < i; j++) {
          nearest = fmin(nearest, rh_norm(rh_sub(t[i].point, t[j].point)));
        }
      }
      double A = size[k][0] * size[k][1];
      near_rel(area, A, 10 * ROUND);
      near_number(mixed, 0, 10 * ROUND);
      // a lattice of n cells has points sqrt(A/n) apart; a long face has rows of one point
      ck_assert_msg(nearest > 0.3 * fmin(sqrt(A / n), fmin(size[k][0], size[k][1])), "%d: %g", n,
                    nearest);
      bool both = n > 8 || n == 5;
      if (both || n == 6 || n == 7) {
        double third = fmax(part[0], part[1]) / A;
        near_rel(third, 1.0 / 3, 1e-12);
      }
      if (both) {
        near_rel(fmin(part[0], part[1]) / A, 1.0 / 3, 1e-12);
      }
    }
  }
}

END_TEST

// An end of a cylinder: the same of the disc, A r^2 / 4 about both axes; 4 points have twice that, 6 points in the mean of the axes.
START_TEST(plane_cylinder_any_samples)
{
  piece p = ground();
  for (int n = 4; n <= RH_TOUCH_MAX; n++) {
    piece c = at(make("cylinder", 0.2, 0.6, 0), 1, 2, 0.299);
    rh_touch t[RH_TOUCH_MAX];
    double sum[6] = {0};
    double nearest = HUGE_VAL;
    c.par[2] = n;
    same_int(meet(&c, &p, 0, t), n);
    for (int i = 0; i < n; i++) {
      double x = (t[i].point.x - 1) / 0.2;
      double y = (t[i].point.y - 2) / 0.2;
      const double part[6] = {1, x, y, x * x, y * y, x * y};
      ck_assert(t[i].area > 0 && hypot(x, y) < 1 + ROUND);
      for (int k = 0; k < 6; k++) {
        sum[k] += t[i].area * part[k] / (PI * 0.04);
      }
      for (int j = 0; j < i; j++) {
        nearest = fmin(nearest, rh_norm(rh_sub(t[i].point, t[j].point)));
      }
    }
    near_number(sum[0], 1, 10 * ROUND);
    near_number(fabs(sum[1]) + fabs(sum[2]), 0, 10 * ROUND);
    near_number(sum[3] + sum[4], n == 4 ? 1 : 0.5, 10 * ROUND);
    near_number(fabs(sum[3] - sum[4]) + fabs(sum[5]), 0, n == 6 ? 0.5 : 10 * ROUND);
    ck_assert_msg(nearest > 0.2 * 0.2 * sqrt(PI / n), "%d: %g", n, nearest);
  }
}

END_TEST

START_TEST(plane_box_on_a_corner)
{
  piece p = ground();
  piece b = make("box", 1, 1, 1);
  b = turned(turned(b, rh_v3(1, 0, 0), PI / 4), rh_v3(0, 1, 0), atan(sqrt(0.5)));
  b.g.p.z = sqrt(3) / 2 - 0.01;
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(meet(&b, &p, 0, t), 1);
  near_abs(t[0].depth, 0.01, ROUND);
  near_vec(t[0].point, rh_v3(0, 0, -0.01), 4 * ROUND);
  near_abs(t[0].area, 3 * 0.25 / sqrt(3),
           ROUND); // a quarter of three faces, seen along the diagonal
  b.par[3] = 16;   // deep down there are more samples than places: the deepest stay
  b.g.p.z = -5;
  ck_assert_int_eq(meet(&b, &p, 0, t), RH_TOUCH_KEPT);
  near_abs(deepest(t, RH_TOUCH_KEPT), 5 + sqrt(3) / 2, 10 * ROUND);
}

END_TEST

START_TEST(plane_capsule)
{
  piece p = ground();
  piece c = turned(make("capsule", 0.1, 0.6, 0), rh_v3(0, 1, 0), PI / 2 - 0.01);
  c.g.p = rh_v3(0, 0, 0.1);
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(meet(&c, &p, 0.01, t), 2);
  near_abs(t[0].depth, 0.3 * sin(0.01), ROUND); // the lower end is that of -z
  near_abs(t[1].depth, -0.3 * sin(0.01), ROUND);
  near_abs(t[0].radius, 0.1, 0);
  near_vec(t[0].point, rh_v3(-0.3 * cos(0.01), 0, -0.3 * sin(0.01)), ROUND);
}

END_TEST

START_TEST(plane_cylinder)
{
  piece p = ground();
  rh_touch t[RH_TOUCH_MAX];
  piece c = at(make("cylinder", 0.2, 0.6, 0), 0, 0, 0.299);
  ck_assert_int_eq(meet(&c, &p, 0, t), 4); // standing
  near_abs(deepest(t, 4), 0.001, ROUND);
  near_rel(all_area(t, 4), PI * 0.04, ROUND);
  ck_assert(t[0].radius > 1e9);
  piece l = turned(c, rh_v3(1, 0, 0), PI / 2);
  l.g.p.z = 0.2;
  ck_assert_int_eq(meet(&l, &p, 0.001, t), 2); // lying
  near_abs(t[0].depth, 0, ROUND);
  near_abs(t[1].depth, 0, ROUND);
  near_rel(t[0].radius, 0.2, 1e-12);
  near_abs(fabs(t[0].point.y - t[1].point.y), 0.6, ROUND);
  near_abs(t[0].area, 0, ROUND);
  dice d = {3};
  for (int trial = 0; trial < 200; trial++) { // on its rim: the deepest point is exact
    double tilt = roll(&d, 2e-4, PI / 2);
    piece r = turned(turned(make("cylinder", 0.2, 0.6, 0), rh_v3(0, 1, 0), tilt), rh_v3(0, 0, 1),
                     roll(&d, -PI, PI));
    r.g.p.z = 0.2 * sin(tilt) + 0.3 * cos(tilt) - 1e-3;
    int n = meet(&r, &p, 0, t);
    near_abs(deepest(t, n), 1e-3, 1e-15);
    near_abs(apart(&r, &p), -1e-3, 1e-15);
    near_rel(t[0].radius, 0.2 / sin(tilt),
             1e-9); // sin of a tilt of 2e-4, read off a rotation matrix
  }
}

END_TEST

// A standing cylinder that wavers by rounding keeps its points where they are.
START_TEST(standing_cylinder_is_calm)
{
  piece p = ground();
  rh_touch still[RH_TOUCH_MAX];
  piece c = at(make("cylinder", 0.2, 0.6, 0), 0, 0, 0.3);
  int n = meet(&c, &p, 0.01, still);
  dice d = {11};
  for (int trial = 0; trial < 100; trial++) {
    piece w = turned(c, rh_v3(roll(&d, -1, 1), roll(&d, -1, 1), 0), 1e-9);
    rh_touch t[RH_TOUCH_MAX];
    ck_assert_int_eq(meet(&w, &p, 0.01, t), n);
    for (int i = 0; i < n; i++) {
      near_vec(t[i].point, still[i].point, 1e-4 * 0.2); // the direction turns by 1e-9 / 1e-4
    }
  }
}

END_TEST

START_TEST(plane_ellipsoid)
{
  piece p = ground();
  dice d = {5};
  for (int trial = 0; trial < 100; trial++) {
    piece e = roll_piece(&d, RH_SHAPE_ELLIPSOID, 0, 1);
    rh_vec3 n = rh_unrotate(&e.g.R, rh_v3(0, 0, 1));
    double *s = e.par;
    double h = sqrt(s[0] * n.x * s[0] * n.x + s[1] * n.y * s[1] * n.y + s[2] * n.z * s[2] * n.z);
    e.g.p.z = h - 0.01;
    rh_touch t[RH_TOUCH_MAX];
    ck_assert_int_eq(meet(&e, &p, 0, t), 1);
    near_abs(t[0].depth, 0.01, ROUND);
    near_rel(t[0].radius, s[0] * s[1] * s[2] / (h * h), 1e-12);
    rh_vec3 x = rh_unrotate(&e.g.R, rh_sub(t[0].point, e.g.p)); // it lies on the surface
    near_abs(x.x * x.x / (s[0] * s[0]) + x.y * x.y / (s[1] * s[1]) + x.z * x.z / (s[2] * s[2]), 1,
             1e-12);
  }
}

END_TEST

// ---- round shapes

START_TEST(sphere_sphere)
{
  piece a = make("sphere", 0.2, 0, 0);
  piece b = at(make("sphere", 0.3, 0, 0), 0.4, 0, 0);
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(meet(&a, &b, 0, t), 1);
  near_abs(t[0].depth, 0.1, ROUND);
  near_abs(t[0].radius, 1 / (1 / 0.2 + 1 / 0.3), ROUND);
  near_vec(t[0].normal, rh_v3(-1, 0, 0), 0); // from B into A
  near_vec(t[0].point, rh_v3(0.15, 0, 0), ROUND);
  b.g.p = a.g.p; // concentric: any direction will do, but one
  near_abs(apart(&a, &b), -0.5, ROUND);
  ck_assert_int_eq(meet(&a, &b, 0, t), 1);
}

END_TEST

START_TEST(sphere_box)
{
  piece b = make("box", 1, 2, 3);
  static const double place[][5] = {
      // centre, distance of the centre from the box, of the sphere of radius 0.1
      {0.7, 0.3, 0.2, 0.2, 0.1},      {0.8, 1.4, 0, 0.5, 0.4}, {0.8, 1.4, 1.62, 0.5142, 0.4142},
      {0.45, 0.3, 0.2, -0.05, -0.15}, {0, 0, 0, -0.5, -0.6},   {0.5, 0, 0, 0, -0.1},
      {-0.2, -0.9, 1.2, -0.1, -0.2},
  };
  for (int i = 0; i < RH_COUNT(place); i++) {
    piece s = at(make("sphere", 0.1, 0, 0), place[i][0], place[i][1], place[i][2]);
    double centre = i == 2 ? sqrt(0.09 + 0.16 + 0.12 * 0.12) : place[i][3];
    near_abs(apart(&s, &b), centre - 0.1, ROUND);
    rh_touch t[RH_TOUCH_MAX];
    ck_assert_int_eq(meet(&s, &b, 1, t), 1);
    near_abs(t[0].depth, 0.1 - centre, ROUND);
    near_abs(t[0].radius, 0.1, 0);
  }
}

END_TEST

START_TEST(sphere_capsule_and_cylinder)
{
  piece c = make("capsule", 0.2, 1, 0);
  piece y = make("cylinder", 0.2, 1, 0);
  static const double place[][5] = {
      // centre of a sphere of 0.1, distance to capsule and cylinder
      {0.5, 0, 0.3, 0.2, 0.2},      {0, 0.3, 0.9, 0.2, 0}, {0, 0, 1, 0.2, 0.4},
      {0.05, 0, 0.1, -0.25, -0.25}, {0, 0, 0, -0.3, -0.3}, {0, 0, 0.45, -0.3, -0.15},
      {0.15, 0, 0.6, 0, 0},
  };
  for (int i = 0; i < RH_COUNT(place); i++) {
    const double *x = place[i];
    piece s = at(make("sphere", 0.1, 0, 0), x[0], x[1], x[2]);
    double rho = sqrt(x[0] * x[0] + x[1] * x[1]);
    double beyond = x[2] - 0.5;
    double to_capsule = sqrt(rho * rho + fmax(0, beyond) * fmax(0, beyond)) - 0.3;
    near_abs(apart(&s, &c), to_capsule, ROUND);
    double du = rho - 0.2;
    double to_cylinder = du > 0 && beyond > 0 ? sqrt(du * du + beyond * beyond) : fmax(du, beyond);
    near_abs(apart(&s, &y), to_cylinder - 0.1, ROUND);
  }
}

END_TEST

START_TEST(capsule_capsule)
{
  rh_touch t[RH_TOUCH_MAX];
  piece a = make("capsule", 0.1, 1, 0);
  piece b = turned(make("capsule", 0.2, 1, 0), rh_v3(1, 0, 0), PI / 2);
  b.g.p = rh_v3(0.25, 0, 0.1);
  ck_assert_int_eq(meet(&a, &b, 0, t), 1); // crossed
  near_abs(t[0].depth, 0.05, ROUND);
  near_vec(t[0].point, rh_v3(0.075, 0, 0.1), ROUND);
  near_rel(t[0].radius, 1 / (10.0 + 5), ROUND);
  b = at(make("capsule", 0.2, 1, 0), 0.25, 0, 0.3);
  ck_assert_int_eq(meet(&a, &b, 0, t), 2); // side by side: the ends of the common stretch
  near_abs(t[0].depth, 0.05, ROUND);
  near_abs(t[0].point.z, -0.2, ROUND);
  near_abs(t[1].point.z, 0.5, ROUND);
  b.g.p = rh_v3(0, 0, 1.25);
  near_abs(apart(&a, &b), -0.05, ROUND); // end to end
  b.g.p = a.g.p;                         // the same place: out sideways
  near_abs(apart(&a, &b), -0.3, ROUND);
  piece c = turned(a, rh_v3(1, 1, 0), 1); // crossing axes
  near_abs(apart(&a, &c), -0.2, ROUND);
}

END_TEST

// ---- boxes

START_TEST(box_box_faces)
{
  rh_touch t[RH_TOUCH_MAX];
  piece a = at(make("box", 1, 1, 1), 0, 0, 0.99);
  piece b = make("box", 2, 2, 1);
  ck_assert_int_eq(meet(&a, &b, 0, t), 4);
  near_rel(all_area(t, 4), 1, ROUND);
  for (int i = 0; i < 4; i++) {
    near_abs(t[i].depth, 0.01, ROUND);
    near_abs(t[i].area, 0.25, ROUND);
    near_vec(t[i].normal, rh_v3(0, 0, 1), ROUND);
    near_abs(t[i].point.z, 0.495, ROUND);
    ck_assert(isinf(t[i].radius));
  }
  a.g.p.x = 1.25; // a quarter of the face is left
  ck_assert_int_eq(meet(&a, &b, 0, t), 4);
  near_rel(all_area(t, 4), 0.25, 1e-13);
  // Two unit squares turned by 45 degrees have an octagon in common: 8 corners, area 2 (sqrt 2 - 1).
  a = turned(at(make("box", 1, 1, 1), 0, 0, 0.99), rh_v3(0, 0, 1), PI / 4);
  b = make("box", 1, 1, 1);
  ck_assert_int_eq(meet(&a, &b, 0, t), 8);
  near_rel(all_area(t, 8), 2 * (sqrt(2) - 1), 1e-13);
  a.g.p.z = 1.02; // a gap within the margin
  ck_assert_int_eq(meet(&a, &b, 0.05, t), 8);
  near_abs(t[3].depth, -0.02, ROUND);
}

END_TEST

START_TEST(box_box_edges)
{
  // Each stands on an edge, the edges crossed at a right angle: they meet at sqrt(1/2) from the centres.
  piece a = turned(make("box", 1, 1, 1), rh_v3(1, 0, 0), PI / 4);
  piece b = turned(make("box", 1, 1, 1), rh_v3(0, 1, 0), PI / 4);
  a.g.p = rh_v3(0.1, 0.2, sqrt(2) - 0.01);
  rh_touch t[RH_TOUCH_MAX];
  ck_assert_int_eq(meet(&a, &b, 0, t), 1);
  near_abs(t[0].depth, 0.01, ROUND);
  near_vec(t[0].normal, rh_v3(0, 0, 1), ROUND);
  near_vec(t[0].point, rh_v3(0, 0.2, sqrt(0.5) - 0.005), ROUND);
  near_abs(t[0].area, 0, 0);
  a.g.p.z = sqrt(2) + 0.01;
  near_abs(apart(&a, &b), 0.01, ROUND);
  ck_assert_int_eq(meet(&a, &b, 0.02, t), 1);
  near_abs(t[0].depth, -0.01, ROUND);
  // Corner to corner along the diagonal: no axis tells the distance.
  a = at(make("box", 1, 1, 1), 1.1, 1.2, 1.3);
  b = make("box", 1, 1, 1);
  near_abs(apart(&a, &b), sqrt(0.01 + 0.04 + 0.09), ROUND);
}

END_TEST

// ---- caps

START_TEST(cylinder_on_box)
{
  rh_touch t[RH_TOUCH_MAX];
  piece b = make("box", 2, 2, 1);
  piece c = at(make("cylinder", 0.3, 1, 0), 0.1, 0.2, 0.999);
  int n = meet(&c, &b, 0, t);
  ck_assert_int_ge(n, 4);
  near_rel(all_area(t, n), PI * 0.09, 1e-9);
  for (int i = 0; i < n; i++) {
    near_abs(t[i].depth, 0.001, 1e-12);
    near_vec(t[i].normal, rh_v3(0, 0, 1), 1e-12);
  }
  piece l = turned(make("cylinder", 0.3, 1, 0), rh_v3(0, 1, 0), PI / 2);
  l.g.p.z = 0.799;
  ck_assert_int_eq(meet(&l, &b, 0, t), 2); // lying
  near_abs(t[0].depth, 0.001, 1e-12);
  near_rel(t[0].radius, 0.3, 1e-9);
  near_abs(fabs(t[0].point.x - t[1].point.x), 1, 1e-9);
  piece k = turned(make("capsule", 0.3, 1, 0), rh_v3(0, 1, 0), PI / 2);
  k.g.p.z = 0.799;
  ck_assert_int_eq(meet(&k, &b, 0, t), 2);
  near_abs(t[0].depth, 0.001, 1e-12);
  near_abs(t[0].point.z, 0.4995, 1e-12);                      // halfway between 0.499 and 0.5
  piece s = at(make("cylinder", 0.2, 1, 0), 0.1, 0.2, 1.998); // cap on cap
  n = meet(&s, &c, 0, t);
  ck_assert_int_ge(n, 4);
  near_rel(all_area(t, n), PI * 0.04, 1e-9);
  piece x =
      turned(make("cylinder", 0.2, 1, 0), rh_v3(1, 0, 0), PI / 2); // crossed: the axes' distance
  x.g.p = rh_v3(0.6, 0.2, 1);
  near_abs(apart(&c, &x), 0.0, 1e-12);
  x.g.p.x = 0.65;
  near_abs(apart(&c, &x), 0.05, 1e-12);
  x.g.p.x = 0.55;
  near_abs(apart(&c, &x), -0.05, 1e-10);
}

END_TEST

Suite *rh_suite_unit_geom(void)
{
  Suite *suite = suite_create("unit_geom");
  TCase *plane = tcase_create("plane");
  tcase_add_test(plane, plane_sphere);
  tcase_add_test(plane, plane_box_flat);
  tcase_add_test(plane, plane_box_second_moment);
  tcase_add_test(plane, plane_box_tilted);
  tcase_add_test(plane, plane_box_any_samples);
  tcase_add_test(plane, plane_cylinder_any_samples);
  tcase_add_test(plane, plane_box_on_a_corner);
  tcase_add_test(plane, plane_capsule);
  tcase_add_test(plane, plane_cylinder);
  tcase_add_test(plane, standing_cylinder_is_calm);
  tcase_add_test(plane, plane_ellipsoid);
  suite_add_tcase(suite, plane);
  TCase *pair = tcase_create("pair");
  tcase_add_test(pair, sphere_sphere);
  tcase_add_test(pair, sphere_box);
  tcase_add_test(pair, sphere_capsule_and_cylinder);
  tcase_add_test(pair, capsule_capsule);
  tcase_add_test(pair, box_box_faces);
  tcase_add_test(pair, box_box_edges);
  tcase_add_test(pair, cylinder_on_box);
  suite_add_tcase(suite, pair);
  return suite;
}
