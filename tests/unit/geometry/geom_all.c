// unit_geom_all.c: what every pair of shapes owes: the same answer in any frame and either order, distances that never jump,
// ids that outlive small motions, bounds that are tight.
#include "shapes.h"

static piece ground(void)
{
  return make("plane", 0, 0, 0);
}

typedef void pair_test(dice *d, int i, int j);

enum { KINDS = RH_SHAPE_FIELD }; // hulls too; a heightfield is ground, see unit_scene_mesh.c

// Every two kinds in either order but two planes.
static void for_pairs(pair_test *test, uint64_t seed)
{
  dice d = {seed};
  for (int k = 1; k < KINDS * KINDS; k++) {
    test(&d, k / KINDS, k % KINDS);
  }
}

// Everything turned and moved: the same gap, and the same points turned and moved.
static void in_any_frame(dice *d, int i, int j)
{
  for (int trial = 0; trial < 100; trial++) {
    piece a = roll_piece(d, i, 0.25, 1);
    piece b = roll_piece(d, j, 0.25, 1);
    rh_xform x = {roll_turn(d), roll_vec(d, 3)};
    piece ma = moved(a, &x);
    piece mb = moved(b, &x);
    // GJK and EPA stop where the gap is right to 1e-10 or better; the rest is rounding.
    near_abs(apart(&ma, &mb), apart(&a, &b), 1e-9);
    rh_touch s[RH_TOUCH_MAX];
    rh_touch t[RH_TOUCH_MAX];
    int n = meet(&a, &b, 0.02, s);
    ck_assert_msg(meet(&ma, &mb, 0.02, t) == n, "%d %d trial %d", i, j, trial);
    near_abs(deepest(t, n), deepest(s, n), 1e-9);
  }
}

START_TEST(frame_does_not_matter)
{
  for_pairs(in_any_frame, 17);
}

END_TEST

static void in_either_order(dice *d, int i, int j)
{
  for (int trial = 0; trial < 100; trial++) {
    piece a = roll_piece(d, i, 0.25, 1);
    piece b = roll_piece(d, j, 0.25, 1);
    rh_vec3 p[4];
    double ab = rh_distance(placed(&a), placed(&b), &p[0], &p[1]);
    double ba = rh_distance(placed(&b), placed(&a), &p[2], &p[3]);
    near_number(ab, ba, 1e-9);
    near_number(rh_norm(rh_sub(p[0], p[1])), fabs(ab), 1e-9);
    rh_touch s[RH_TOUCH_MAX];
    rh_touch t[RH_TOUCH_MAX];
    int n = meet(&a, &b, 0.02, s);
    ck_assert_msg(meet(&b, &a, 0.02, t) == n, "%d %d trial %d", i, j, trial);
    for (int k = 0; k < n && i != j; k++) { // the very same cell: the same bits
      same_int(s[k].id, t[k].id);
      near_number(s[k].depth, t[k].depth, 0);
      near_vec(s[k].point, t[k].point, 0);
      near_vec(s[k].normal, rh_neg(t[k].normal), 0);
    }
    near_number(deepest(t, n), deepest(s, n), 1e-9);
  }
}

START_TEST(order_does_not_matter)
{
  for_pairs(in_either_order, 19);
}

END_TEST

// The signed distance cannot change faster than the points of the shapes move.
static void along_a_motion(dice *d, int i, int j)
{
  for (int trial = 0; trial < 5; trial++) {
    piece a = roll_piece(d, i, 0.1, 1);
    piece b = roll_piece(d, j, 0.1, 1);
    rh_vec3 axis = roll_unit(d);
    rh_vec3 v = roll_vec(d, 0.5);
    double h = 1e-3;
    double fastest = h * (rh_norm(v) + 0.5); // no point of a shape is 0.5 m from its centre
    double before = apart(&a, &b);
    for (int k = 0; k < 300; k++) {
      piece next = i == RH_SHAPE_PLANE ? b : a; // a plane has no farthest point: the other moves
      next = turned(next, axis, h);
      next.g.p = rh_addscaled(next.g.p, h, v);
      if (i == RH_SHAPE_PLANE) {
        b = next;
      } else {
        a = next;
      }
      double now = apart(&a, &b);
      ck_assert_msg(fabs(now - before) < fastest + 1e-9, "%d %d: %.17g to %.17g", i, j, before,
                    now);
      before = now;
    }
  }
}

START_TEST(distance_never_jumps)
{
  for_pairs(along_a_motion, 23);
}

END_TEST

// Ids outlive small motions, and depths follow them.
START_TEST(ids_stay)
{
  static const struct {
    const char *kind;
    double par[3], z;
    int least;
  } rest[] = {
      {"box", {0.4, 0.3, 0.2}, 0.1, 4},       {"cylinder", {0.2, 0.4, 0}, 0.2, 4},
      {"capsule", {0.1, 0.5, 0}, 0.35, 1},    {"sphere", {0.1, 0, 0}, 0.1, 1},
      {"ellipsoid", {0.1, 0.2, 0.3}, 0.3, 1},
  };

  dice d = {29};
  for (int k = 0; k < RH_COUNT(rest); k++) {
    for (int on_box = 0; on_box < 2; on_box++) {
      piece floor = on_box ? at(make("box", 3, 3, 1), 0.3, 0.4, -0.5) : ground();
      const double *p = rest[k].par;
      piece a = at(make(rest[k].kind, p[0], p[1], p[2]), 0, 0, rest[k].z - 1e-4);
      rh_touch s[RH_TOUCH_MAX];
      int n = meet(&a, &floor, 1e-3, s);
      ck_assert_int_ge(n, rest[k].least);
      for (int trial = 0; trial < 100; trial++) {
        piece m = turned(a, roll_unit(&d), 1e-6);
        m.g.p = rh_add(m.g.p, roll_vec(&d, 1e-6));
        rh_touch t[RH_TOUCH_MAX];
        same_int(meet(&m, &floor, 1e-3, t), n);
        for (int i = 0; i < n; i++) {
          same_int(t[i].id, s[i].id);
          near_number(t[i].depth, s[i].depth, 3e-6);
          near_number(t[i].area, s[i].area, 1e-5); // perimeter times the motion
        }
      }
    }
  }
}

END_TEST

START_TEST(bounds_are_tight)
{
  dice d = {31};
  for (int kind = 1; kind < KINDS; kind++) {
    for (int trial = 0; trial < 50; trial++) {
      piece a = roll_piece(&d, kind, 2, 1);
      rh_bounds box = rh_geom_bounds(placed(&a), 0.01);
      const double lo[3] = {box.lo.x, box.lo.y, box.lo.z};
      const double hi[3] = {box.hi.x, box.hi.y, box.hi.z};
      for (int k = 0; k < 6;
           k++) { // a plane just outside touches nothing, a little further in it does
        rh_vec3 n = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        piece p = ground();
        bool up = k < 3;
        rh_vec3 out = rh_scale(up ? -1 : 1, n); // the plane's own normal, towards the shape
        p.g.R = rh_quat_matrix((rh_quat){1e-300 + 1 + out.z, -out.y, out.x, 0});
        if (out.z == -1) {
          p.g.R = (rh_mat3){{1, 0, 0, 0, -1, 0, 0, 0, -1}};
        }
        p.g.p = rh_scale(up ? hi[k % 3] - 0.01 : lo[k % 3] + 0.01, n);
        near_number(apart(&a, &p), 0, 1e-14);
      }
    }
  }
  piece p = ground();
  ck_assert(isinf(rh_geom_bounds(placed(&p), 0).lo.x));
}

END_TEST

Suite *rh_suite_unit_geom_all(void)
{
  Suite *suite = suite_create("unit_geom_all");
  TCase *all = tcase_create("all");
  tcase_add_test(all, frame_does_not_matter);
  tcase_add_test(all, order_does_not_matter);
  tcase_add_test(all, distance_never_jumps);
  tcase_add_test(all, ids_stay);
  tcase_add_test(all, bounds_are_tight);
  suite_add_tcase(suite, all);
  return suite;
}
