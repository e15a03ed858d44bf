// unit_rounded.c: boxes and hulls with `round`: closed forms at faces, edges and corners; the limits of a sharp box, a capsule
// and a sphere; every other shape, against the hull of points of the rounded surface; turned frames; volume and inertia.
#include "geometry/geometry.h"

#include "geometry/heightfield.h"
#include "geometry/hull/hull_grown.h"
#include "shapes.h"

static const double PI = 3.14159265358979323846;

// Sizes are some tenths of a metre and sums have some ten terms.
static const double ROUND = 1e-14;

static piece rounded_box(double x, double y, double z, double r)
{
  piece p = make("box", x, y, z);
  p.par[RH_BOX_ROUND] = r;
  return p;
}

// ---- closed forms

// On a plane, turned about x: a corner of the core at height h is a sphere, whatever the turn.
START_TEST(turned_on_a_plane)
{
  const double r = 0.02;
  piece plane = make("plane", 0, 0, 0);
  for (int k = 0; k <= 20; k++) {
    double angle = k * PI / 40;
    piece box = at(turned(rounded_box(0.2, 0.3, 0.1, r), rh_v3(1, 0, 0), angle), 0.1, 0.2, 0);
    double low = 0.13 * sin(angle) + 0.03 * cos(angle); // of the core: sides 0.26 and 0.06 there
    box.g.p.z = low + r - 1e-3;
    near_abs(apart(&box, &plane), -1e-3, ROUND);
    rh_touch t[RH_TOUCH_MAX];
    int n = rh_collide_surfaces(placed(&box), placed(&plane), 1e-6, t);
    ck_assert_int_eq(n, k % 20 == 0 ? 4 : 2); // a face or an edge
    for (int i = 0; i < n; i++) {
      near_abs(t[i].depth, 1e-3, ROUND);
      near_abs(fabs(t[i].point.x - 0.1), 0.08, ROUND);
      near_abs(t[i].point.z, -1e-3, ROUND); // on the box
      near_abs(t[i].radius, r, ROUND);
      ck_assert(t[i].a.dim == 2 && t[i].a.k1 == 1 / r && t[i].a.k2 == 1 / r && t[i].b.dim == 2);
    }
    rh_manifold m;
    ck_assert_int_eq(rh_collide(placed(&box), placed(&plane), 1e-6, NULL, &m), n);
    for (int i = 0; i < n; i++) {
      ck_assert_int_eq(m.at[i].id, t[i].id);
      near_vec(m.at[i].point, t[i].point, ROUND);
      near_abs(m.at[i].depth, t[i].depth, ROUND);
    }
  }
}

END_TEST

// Flat faces have the area of the core's, the rest is round.
START_TEST(areas)
{
  piece plane = make("plane", 0, 0, 0);
  piece box = at(rounded_box(0.2, 0.3, 0.1, 0.02), 0, 0, 0.0499);
  rh_touch t[RH_TOUCH_MAX];
  box.par[3] = 9;
  int n = rh_collide_surfaces(placed(&box), placed(&plane), 1e-6, t);
  ck_assert_int_eq(n, 9);
  double area = 0;
  int sides[3] = {0, 0, 0}; // points of the face, of an edge, corners
  for (int i = 0; i < n; i++) {
    area += t[i].area;
    sides[(t[i].a.k1 > 0) + (t[i].a.k2 > 0)]++;
    ck_assert((t[i].a.k2 > 0) == isfinite(t[i].radius));
  }
  near_abs(area, 0.16 * 0.26, ROUND);
  ck_assert(sides[0] == 1 && sides[1] == 4 && sides[2] == 4);
}

END_TEST

// A ball at a face, an edge and a corner: the distance of its centre from the core, less both radii.
START_TEST(ball_at_face_edge_corner)
{
  const double r = 0.02;
  const double ball = 0.03;
  static const rh_vec3 way[3] = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  for (int k = 0; k < 3; k++) {
    rh_vec3 n = rh_scale(1 / rh_norm(way[k]), way[k]);
    rh_vec3 core = {way[k].x * 0.08, way[k].y * 0.13, way[k].z * 0.03};
    piece box = rounded_box(0.2, 0.3, 0.1, r);
    piece s = make("sphere", ball, 0, 0);
    s.g.p = rh_addscaled(core, r + ball - 1e-3, n);
    rh_touch t[RH_TOUCH_MAX];
    ck_assert_int_eq(rh_collide_surfaces(placed(&s), placed(&box), 0, t), 1);
    near_vec(t[0].normal, n, 1e-13);
    near_abs(t[0].depth, 1e-3, ROUND);
    near_vec(t[0].point, rh_addscaled(core, r - 0.5e-3, n), 1e-13);
    near_rel(t[0].radius, k == 0 ? ball : 1 / (1 / ball + 1 / r), 1e-13);
    near_abs(t[0].b.k1, k == 2 ? 1 / r : 0, 1e-12);
    near_abs(t[0].b.k2, k == 0 ? 0 : 1 / r, 1e-12);
    ck_assert(k != 1 || fabs(t[0].b.e.x) == 1);
    // The other way round
    ck_assert_int_eq(rh_collide_surfaces(placed(&box), placed(&s), 0, t), 1);
    near_vec(t[0].normal, rh_neg(n), 1e-13);
    near_abs(t[0].depth, 1e-3, ROUND);
  }
}

END_TEST

// Two boxes: corner to corner, edges across each other, face on face.
START_TEST(box_to_box)
{
  piece b = rounded_box(0.2, 0.2, 0.2, 0.02);
  piece a = rounded_box(0.2, 0.2, 0.2, 0.01);
  rh_touch t[RH_TOUCH_MAX];
  rh_vec3 n = rh_scale(1 / sqrt(3.0), rh_v3(1, 1, 1));
  a.g.p = rh_addscaled(rh_v3(0.17, 0.17, 0.17), 0.03 - 1e-3, n); // 0.08 + 0.09 of the cores
  ck_assert_int_eq(rh_collide_surfaces(placed(&a), placed(&b), 0, t), 1);
  near_abs(t[0].depth, 1e-3, ROUND);
  near_vec(t[0].normal, n, 1e-12);
  near_rel(t[0].radius, 1 / (1 / 0.02 + 1 / 0.01), 1e-12);
  // A's edge along y lies over B's along x
  a = turned(rounded_box(0.2, 0.2, 0.2, 0.01), rh_v3(0, 1, 0), PI / 4);
  b = turned(b, rh_v3(1, 0, 0), PI / 4);
  a.g.p = rh_v3(0.02, 0.03, (0.09 + 0.08) * sqrt(2.0) + 0.03 - 1e-3);
  ck_assert_int_eq(rh_collide_surfaces(placed(&a), placed(&b), 0, t), 1);
  near_abs(t[0].depth, 1e-3, 1e-13);
  near_vec(t[0].normal, rh_v3(0, 0, 1), 1e-12);
  near_vec(t[0].point, rh_v3(0.02, 0, 0.08 * sqrt(2.0) + 0.02 - 0.5e-3), 1e-11);
  near_abs(fabs(t[0].a.e.y), 1, 1e-12);
  near_abs(fabs(t[0].b.e.x), 1, 1e-12);
  ck_assert(t[0].a.k1 == 0 && t[0].b.k1 == 0 && t[0].a.k2 == 100 && t[0].b.k2 == 50);
  a = at(rounded_box(0.1, 0.1, 0.2, 0.01), 0, 0, 0.1999);
  b = rounded_box(0.2, 0.2, 0.2, 0.02);
  ck_assert_int_eq(rh_collide_surfaces(placed(&a), placed(&b), 0, t), 4);
  double area = 0;
  for (int i = 0; i < 4; i++) {
    near_abs(t[i].depth, 1e-4, ROUND);
    near_rel(t[i].radius, 0.01, 1e-12);
    near_abs(t[i].point.z, 0.09995, ROUND);
    area += t[i].area;
  }
  near_abs(area, 0.08 * 0.08, 1e-13);
}

END_TEST

// Half a side of one axis only: a plate with half-round rims. Lying it has four points with the area of
// the core, standing two.
START_TEST(half_round_plate)
{
  piece plane = make("plane", 0, 0, 0);
  rh_touch t[RH_TOUCH_MAX];
  rh_manifold m;
  for (int k = 0; k < 3; k++) { // on either side, and on its rim
    piece box = at(rounded_box(0.2, 0.3, 0.1, 0.05), 0, 0, k == 2 ? 0.0999 : 0.0499);
    box = turned(box, rh_v3(0, 1, 0), k * PI / (k == 2 ? 4 : 1));
    int n = rh_collide_surfaces(placed(&box), placed(&plane), 1e-6, t);
    ck_assert_int_eq(n, k == 2 ? 2 : 4);
    double area = 0;
    for (int i = 0; i < n; i++) {
      near_abs(t[i].depth, 1e-4, 1e-12);
      near_abs(t[i].radius, 0.05, ROUND);
      area += t[i].area;
    }
    near_abs(area, k == 2 ? 0 : 0.1 * 0.2, 1e-12);
    ck_assert_int_eq(rh_collide(placed(&box), placed(&plane), 1e-6, NULL, &m), n);
  }
}

END_TEST

// ---- limits

// A box with a radius of half its sides is a sphere, one with two such sides a capsule.
START_TEST(all_round)
{
  dice d = {5};
  for (int k = 0; k < 4000; k++) {
    double r = roll(&d, 0.05, 0.2);
    double length = k % 2 ? roll(&d, 0.05, 0.3) : 0;
    int axis = k / 2 % 3;
    piece box = rounded_box(2 * r, 2 * r, 2 * r, r);
    piece same = k % 2 ? make("capsule", r, length, 0) : make("sphere", r, 0, 0);
    box.par[axis] += length;
    box.g.R = same.g.R = roll_turn(&d);
    box.g.p = same.g.p = roll_vec(&d, 0.3);
    if (axis < 2) { // its z along that axis
      rh_mat3 turn = rh_axis_matrix(axis == 0 ? rh_v3(0, 1, 0) : rh_v3(1, 0, 0), PI / 2);
      same.g.R = rh_mat3_mul(&same.g.R, &turn);
    }
    piece other = roll_piece(&d, k % 5 == 0 ? RH_SHAPE_PLANE : (int)roll(&d, 0, 6.999), 0.3, 1);
    // GJK and EPA of smooth shapes: the root of rounding
    near_abs(apart(&box, &other), apart(&same, &other), 1e-8);
  }
  const rh_shape *box = rh_shape_find("box");
  const double ball[5] = {0.2, 0.2, 0.2, 4, 0.1};
  const double pill[5] = {0.2, 0.2, 0.5, 4, 0.1};
  const double capsule[2] = {0.1, 0.3};
  near_rel(box->volume(ball), 4 * PI / 3 * 1e-3, 1e-14);
  near_rel(box->inertia(ball).xx, 0.4 * 0.01, 1e-14);
  near_rel(box->volume(pill), rh_shape_find("capsule")->volume(capsule), 1e-14);
  near_rel(box->inertia(pill).xx, rh_shape_find("capsule")->inertia(capsule).xx, 1e-14);
  near_rel(box->inertia(pill).zz, rh_shape_find("capsule")->inertia(capsule).zz, 1e-14);
}

END_TEST

// A box with a small radius has lost no more than (sqrt 3 - 1) r at its corners, a hull has gained r.
START_TEST(nearly_sharp)
{
  dice d = {6};
  for (int k = 0; k < 6000; k++) {
    double r = k % 2 ? 1e-4 : 1e-7;
    int kind = k % 3 ? RH_SHAPE_BOX : RH_SHAPE_HULL;
    piece sharp = roll_piece(&d, kind, 0.3, 1);
    piece soft = sharp;
    soft.par[kind == RH_SHAPE_BOX ? RH_BOX_ROUND : RH_HULL_ROUND] = r;
    piece other = roll_piece(&d, (int)roll(&d, 0, 6.999), 0.3, 1);
    double more = apart(&soft, &other) - apart(&sharp, &other);
    // EPA of deep overlaps, with smooth shapes: the root of rounding
    if (kind == RH_SHAPE_BOX) {
      ck_assert_msg(more > -1e-8 && more < (sqrt(3.0) - 1) * r + 1e-8, "pair %d: %g", k, more);
    } else {
      ck_assert_msg(fabs(more + r) < 1e-8, "pair %d: %g", k, more);
    }
  }
}

END_TEST

// ---- every other shape

enum { ALONG = 12, SAMPLES = ALONG * ALONG };

// Directions of an octant, with its ends: no direction in it is farther from one of them than a step.
static rh_vec3 octant_way(int i)
{
  double polar = (PI / 2) * (i / ALONG) / (ALONG - 1);
  double turn = (PI / 2) * (i % ALONG) / (ALONG - 1);
  return rh_v3(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar));
}

// The hull of points of the surface of a rounded box: inside it by r (1 - cos) at most.
static rh_hull *sampled_box(const piece *box)
{
  static rh_vec3 p[8 * SAMPLES];
  double r = box->par[RH_BOX_ROUND];
  for (int i = 0; i < 8 * SAMPLES; i++) {
    rh_vec3 n = octant_way(i % SAMPLES);
    int c = i / SAMPLES;
    rh_vec3 x = {box->par[0] / 2 - r + r * n.x, box->par[1] / 2 - r + r * n.y,
                 box->par[2] / 2 - r + r * n.z};
    p[i] = rh_v3(c & 1 ? x.x : -x.x, c & 2 ? x.y : -x.y, c & 4 ? x.z : -x.z);
  }
  rh_hull *hull = NULL;
  ck_assert_int_eq(rh_hull_create(p, 8 * SAMPLES, RH_HULL_TOLERANCE, &hull, NULL), RH_OK);
  return hull;
}

START_TEST(as_sampled_hulls)
{
  // Half a step along either angle is the farthest from a sample.
  double inside = 1 - cos(sqrt(2.0) * PI / 4 / (ALONG - 1));
  dice d = {7};
  for (int k = 0; k < 12; k++) {
    double r = roll(&d, 0.01, 0.05);
    piece box = rounded_box(roll(&d, 0.11, 0.4), roll(&d, 0.11, 0.4), roll(&d, 0.11, 0.4), r);
    rh_hull *hull = sampled_box(&box);
    piece sampled = make("hull", 0, 0, 0);
    sampled.g.mesh = hull;
    for (int i = 0; i < 60; i++) {
      piece other = roll_piece(&d, i % 7, 0.35, 1);
      if (i % 7 == RH_SHAPE_BOX || i % 7 == RH_SHAPE_HULL) {
        other.par[i % 7 == RH_SHAPE_BOX ? RH_BOX_ROUND : RH_HULL_ROUND] = i % 2 ? 0.03 : 0;
      }
      double got = apart(&box, &other);
      double more = apart(&sampled, &other) - got;
      ck_assert_msg(more > -1e-7 && more < inside * r + 1e-7, "box %d, %s %d: %g of %g", k,
                    other.g.kind->row.name, i, more, got);
      rh_touch t[RH_TOUCH_MAX];
      int n = rh_collide_surfaces(placed(&box), placed(&other), 0.01, t);
      ck_assert_msg((n > 0) == (got < 0.01), "%s %d: %d points at %g", other.g.kind->row.name, i, n,
                    got);
      double deepest = -HUGE_VAL;
      for (int j = 0; j < n; j++) {
        deepest = fmax(deepest, t[j].depth);
        ck_assert(t[j].radius > 0 && fabs(rh_norm(t[j].normal) - 1) < 1e-12);
      }
      ck_assert(n == 0 || fabs(deepest + got) < 1e-6);
    }
    rh_free(hull);
  }
}

END_TEST

// Both turned and moved alike; and from the other side.
START_TEST(in_any_frame)
{
  dice d = {8};
  int met = 0;
  for (int k = 0; k < 3000; k++) {
    piece a = roll_piece(&d, k % 2 ? RH_SHAPE_BOX : RH_SHAPE_HULL, 0.2, 1);
    piece b = roll_piece(&d, k % 7, 0.2, 1);
    a.par[k % 2 ? RH_BOX_ROUND : RH_HULL_ROUND] = roll(&d, 0.005, 0.045);
    rh_xform x = {roll_turn(&d), roll_vec(&d, 1)};
    piece c = moved(a, &x);
    piece e = moved(b, &x);
    rh_manifold m;
    rh_manifold w;
    double far = apart(&a, &b);
    near_abs(apart(&c, &e), far, 1e-8);
    near_abs(apart(&b, &a), far, 1e-12);
    int n = rh_collide(placed(&a), placed(&b), 0.01, NULL, &m);
    if (far < -0.03 || fabs(far - 0.01) < 1e-6) {
      continue; // deep: directions that are as good as each other
    }
    met += n > 0;
    ck_assert_int_eq(n > 0, far < 0.01);
    ck_assert_int_eq(rh_collide(placed(&b), placed(&a), 0.01, NULL, &w), n);
    int same = 0; // two of a kind have their ids the other way round
    for (int i = 0; i < n * n; i++) {
      const rh_touch *t = &w.at[i % n];
      same += rh_norm(rh_sub(t->point, m.at[i / n].point)) < 1e-7 && // GJK: the root of rounding
              rh_norm(rh_add(t->normal, m.at[i / n].normal)) < 1e-7;
    }
    ck_assert_msg(same == n, "pair %d: %d of %d", k, same, n);
  }
  ck_assert_int_gt(met, 300);
}

END_TEST

// ---- on a field: each corner of the core is a ball

START_TEST(on_a_field)
{
  const double height[4] = {0, 0, 0, 0};
  rh_heightfield *field = NULL;
  const double size[2] = {4, 4};
  ck_assert_int_eq(rh_heightfield_create(2, 2, size, height, &field, NULL), RH_OK);
  piece ground = make("heightfield", 0, 0, 0);
  piece plane = make("plane", 0, 0, 0);
  ground.g.mesh = field;
  dice d = {9};
  for (int k = 0; k < 500; k++) {
    piece box = rounded_box(0.2, 0.3, 0.25, roll(&d, 0.01, 0.09));
    box.g.R = roll_turn(&d);
    box.g.p = rh_v3(roll(&d, -1, 1), roll(&d, -1, 1), 0.2);
    box.par[3] = k % 2 ? 4 : 9;
    box.g.p.z -= apart(&box, &plane) + 1e-4;
    near_abs(apart(&box, &ground), -1e-4, 1e-12);
    rh_touch t[RH_TOUCH_MAX];
    rh_touch w[RH_TOUCH_MAX];
    int n = rh_collide_surfaces(placed(&box), placed(&plane), 1e-3, t);
    ck_assert_int_eq(rh_collide_surfaces(placed(&box), placed(&ground), 1e-3, w), n);
    for (int i = 0; i < n; i++) {
      near_abs(w[i].depth, t[i].depth, 1e-12);
      near_vec(w[i].point, t[i].point, 1e-12);
      near_abs(1 / w[i].radius, 1 / t[i].radius, 1e-9);
      near_abs(w[i].a.k1, t[i].a.k1, 1e-9);
      near_abs(w[i].a.k2, t[i].a.k2, 1e-9);
    }
  }
  rh_free(field);
}

END_TEST

// ---- volume and inertia

START_TEST(mass_of_hulls)
{
  const double size[5] = {0.2, 0.3, 0.5, 4, 0.04};
  const rh_shape *box = rh_shape_find("box");
  rh_vec3 p[8];
  for (int i = 0; i < 8; i++) { // the core, off the origin
    p[i] = rh_v3(i & 1 ? 0.12 : 0, i & 2 ? 0.22 : 0, i & 4 ? 0.42 : 0);
  }
  rh_hull *hull = NULL;
  ck_assert_int_eq(rh_hull_create(p, 8, RH_HULL_TOLERANCE, &hull, NULL), RH_OK);
  rh_hull_solid s = rh_hull_grown(hull, 0.04);
  rh_sym3 I = box->inertia(size);
  near_rel(s.volume, box->volume(size), 1e-13);
  near_vec(s.centre, rh_v3(0.06, 0.11, 0.21), ROUND);
  near_abs(s.inertia.xx, I.xx, ROUND);
  near_abs(s.inertia.yy, I.yy, ROUND);
  near_abs(s.inertia.zz, I.zz, ROUND);
  near_abs(s.inertia.xy, 0, ROUND);
  rh_free(hull);
}

END_TEST

// A tetrahedron against the hull of points of its rounded surface: the error of that falls with the
// square of the angle between them, so its limit follows from two of them.
START_TEST(mass_of_a_tetrahedron)
{
  static const rh_vec3 corner[4] = {{0, 0, 0}, {0.3, 0, 0}, {0.05, 0.25, 0}, {0.1, 0.1, 0.35}};
  static rh_vec3 p[4 * 2 * 40 * 40];
  const double r = 0.06;
  rh_hull *hull = NULL;
  ck_assert_int_eq(rh_hull_create(corner, 4, RH_HULL_TOLERANCE, &hull, NULL), RH_OK);
  rh_hull_solid want = rh_hull_grown(hull, r);
  rh_free(hull);
  int n = 0;
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < 40; i++) {
      for (int j = 0; j < 80; j++) {
        double z = cos(PI * (i + 0.5) / 40);
        double rho = sqrt(1 - z * z);
        double turn = 2 * PI * j / 80;
        p[n++] = rh_addscaled(corner[c], r, rh_v3(rho * cos(turn), rho * sin(turn), z));
      }
    }
  }
  ck_assert_int_eq(rh_hull_create(p, n, RH_HULL_TOLERANCE, &hull, NULL), RH_OK);
  // Inside by r (1 - cos 2.25 degrees along each angle) at most: 0.16 % of r, 2 % of the volume is near it.
  double part = 1 - cos(sqrt(2.0) * PI / 80);
  double area = 3 * want.volume / r; // an upper bound of the surface: the ball within has radius r
  ck_assert(hull->volume < want.volume && hull->volume > want.volume - part * r * area);
  near_vec(hull->centre, want.centre, 3 * part * r);
  const double got[6] = {hull->inertia.xx, hull->inertia.yy, hull->inertia.zz,
                         hull->inertia.xy, hull->inertia.xz, hull->inertia.yz};
  const double exact[6] = {want.inertia.xx, want.inertia.yy, want.inertia.zz,
                           want.inertia.xy, want.inertia.xz, want.inertia.yz};
  for (int i = 0; i < 6; i++) {
    near_abs(got[i], exact[i], 3 * part * exact[0]);
  }
  rh_free(hull);
}

END_TEST

Suite *rh_suite_unit_rounded(void)
{
  Suite *suite = suite_create("unit_rounded");
  TCase *tcase = tcase_create("rounded");
  tcase_add_test(tcase, turned_on_a_plane);
  tcase_add_test(tcase, areas);
  tcase_add_test(tcase, ball_at_face_edge_corner);
  tcase_add_test(tcase, box_to_box);
  tcase_add_test(tcase, half_round_plate);
  tcase_add_test(tcase, all_round);
  tcase_add_test(tcase, nearly_sharp);
  tcase_add_test(tcase, as_sampled_hulls);
  tcase_add_test(tcase, in_any_frame);
  tcase_add_test(tcase, on_a_field);
  tcase_add_test(tcase, mass_of_hulls);
  tcase_add_test(tcase, mass_of_a_tetrahedron);
  suite_add_tcase(suite, tcase);
  return suite;
}
