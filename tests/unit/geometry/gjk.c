// unit_gjk.c: GJK and EPA against the pairs that have a closed form, against the 15 axes of two boxes, against libccd's EPA
// (where that library is installed), and where such routines break: touching, concentric, deep, flat, tiny, huge.
#include "shapes.h"

#include <stdio.h>
#ifdef ROUTH_TEST_CCD
#include <ccd/ccd.h>
#include <ccd/quat.h>
#endif

#define PAIRS rh_trials(10000)

static double convex(piece *a, piece *b, rh_near *near)
{
  rh_near_convex(placed(a), placed(b), near);
  ck_assert(isfinite(near->gap));
  near_abs(rh_norm(near->normal), 1, 1e-12);
  return near->gap;
}

// Against the closed forms, rms over the pairs, in parts of the scale. The project asks for 1e-6 m; closed forms and GJK
// differ by rounding (1e-16 of the scale), EPA on a round side by where it stops (1e-12).
static void against_closed_form(int i, int j, double scale)
{
  dice d = {(uint64_t)(100 * i + j)};
  double sum = 0;
  int overlapping = 0;
  for (int trial = 0; trial < PAIRS; trial++) {
    piece a = roll_piece(&d, i, 0.3, scale);
    piece b = roll_piece(&d, j, 0.3, scale);
    rh_near near;
    double exact = apart(&a, &b);
    double off = (convex(&a, &b, &near) - exact) / scale;
    ck_assert_msg(fabs(off) < 1e-9, "%d %d trial %d: %g of %g", i, j, trial, off, exact);
    sum += off * off;
    overlapping += exact < 0;
  }
  ck_assert_int_gt(overlapping, PAIRS / 20);
  ck_assert_int_lt(overlapping, PAIRS - PAIRS / 20);
  ck_assert_double_lt(sqrt(sum / PAIRS), 1e-11);
}

START_TEST(closed_forms)
{
  static const double scale[] = {1e-4, 1, 1e3};
  for (int k = 0; k < 3; k++) {
    against_closed_form(RH_SHAPE_SPHERE, RH_SHAPE_SPHERE, scale[k]);
    against_closed_form(RH_SHAPE_SPHERE, RH_SHAPE_BOX, scale[k]);
    against_closed_form(RH_SHAPE_SPHERE, RH_SHAPE_CAPSULE, scale[k]);
    against_closed_form(RH_SHAPE_SPHERE, RH_SHAPE_CYLINDER, scale[k]);
    against_closed_form(RH_SHAPE_CAPSULE, RH_SHAPE_CAPSULE, scale[k]);
    against_closed_form(RH_SHAPE_BOX, RH_SHAPE_BOX, scale[k]); // 15 axes, where they overlap
  }
}

END_TEST

// The signed distance is the largest gap over all directions: whatever direction is tried, near or far, none may be better.
static void no_better_direction(dice *d, piece *a, piece *b, double scale)
{
  rh_near near;
  convex(a, b, &near);
  double core = near.gap + rh_geom_rounding(&a->g) + rh_geom_rounding(&b->g);
  for (int k = 0; k < 60; k++) {
    double spread = k < 30 ? 10 : pow(10, -roll(d, 0, 7));
    rh_vec3 n = rh_add(near.normal, rh_scale(spread, roll_unit(d)));
    n = rh_scale(1 / rh_norm(n), n);
    double gap = rh_gap_along(placed(a), placed(b), n);
    ck_assert_msg(gap < core + 1e-12 * scale, "a direction is better by %g", gap - core);
  }
  // The points are where they should be: apart by the gap along the normal, each on its support plane.
  near_vec(rh_sub(near.on_a, near.on_b), rh_scale(near.gap, near.normal), 1e-12 * scale);
  for (int side = 0; side < 2; side++) {
    const rh_geom *g = placed(side ? b : a);
    rh_vec3 n = side ? near.normal : rh_neg(near.normal);
    rh_vec3 x = rh_sub(side ? near.on_b : near.on_a, g->p);
    double reach = rh_dot(n, rh_geom_support(g, n)) + rh_geom_rounding(g);
    near_abs(rh_dot(n, x), reach, 1e-7 * scale);
  }
}

// Newton's steps end at rounding, along ridges too: the gap is known to a few EPS of the size, and 1e-12 leaves room for none but
// that.
START_TEST(every_pair_is_optimal)
{
  static const double scale[] = {1e-4, 1, 1e3};
  dice d = {77};
  for (int i = 1; i < RH_SHAPE_HULL; i++) {
    for (int j = 1; j < RH_SHAPE_HULL; j++) {
      for (int trial = 0; trial < PAIRS / 20; trial++) {
        double s = scale[trial % 3];
        piece a = roll_piece(&d, i, 0.3, s);
        piece b = roll_piece(&d, j, 0.3, s);
        no_better_direction(&d, &a, &b, s);
      }
    }
  }
}

END_TEST

// Lengths below 1 m, all of them: a gap is the sum of some ten products of a length with a number below one, each with its rounding;
// what a direction is off by costs its square.
static const double ROUNDING = 50 * EPS;

// Centres together, axes together: the least way out is that of the smallest half sizes. Where half sizes are nearly equal, EPA has
// too few places to look at all directions; the axes themselves are among those that are tried after it.
START_TEST(concentric)
{
  dice d = {5};
  for (int i = 1; i < RH_SHAPE_HULL; i++) {
    for (int j = 1; j < RH_SHAPE_HULL; j++) {
      for (int trial = 0; trial < PAIRS / 25; trial++) {
        piece a = roll_piece(&d, i, 0, 1);
        piece b = roll_piece(&d, j, 0, 1);
        a.g.R = b.g.R = trial % 2 ? rh_mat3_identity() : roll_turn(&d);
        rh_vec3 half[2];
        for (int side = 0; side < 2; side++) {
          const rh_geom *g = placed(side ? &b : &a);
          double r = rh_geom_rounding(g);
          half[side].x = g->kind->support(g->par, rh_v3(1, 0, 0)).x + r;
          half[side].y = g->kind->support(g->par, rh_v3(0, 1, 0)).y + r;
          half[side].z = g->kind->support(g->par, rh_v3(0, 0, 1)).z + r;
        }
        rh_vec3 h = rh_add(half[0], half[1]);
        rh_near near;
        near_number(convex(&a, &b, &near), -fmin(h.x, fmin(h.y, h.z)), ROUNDING);
      }
    }
  }
}

END_TEST

// Just touching, and a hair to either side: the distance goes through zero without a jump. Apart, the answer is never too large, and too
// small by no more than the 1e-13 of the size at which the bettering of the normal ends; apart by less than 1e-10 of the size, GJK
// has no direction left but rounding and hands over to EPA, which may lose that much. The same holds where
// they overlap by little and look_from_afar (convex.c) has the last word.
static double falls_short(const piece *a, const piece *b, double gap)
{
  double size = rh_mink_size(&a->g, &b->g);
  return (gap < 1e-10 * size ? 1e-10 : 1e-13) * size;
}

// Deep in one another, the normal moves smoothly with the shapes: its second difference over shifts of 1e-8 m is 1e-16 over
// the square of a length (some mm), and its error by rounding 1e-11. By the depth alone it would be known to 1e-7. Where the
// deepest features change the normal jumps: that is rare.
START_TEST(deep_normals_are_smooth)
{
  static const int other[] = {RH_SHAPE_ELLIPSOID, RH_SHAPE_BOX, RH_SHAPE_HULL};
  const double shift = 1e-8;
  for (int k = 0; k < RH_COUNT(other); k++) {
    dice d = {(uint64_t)(70 + k)};
    int deep = 0;
    int jumps = 0;
    for (int trial = 0; trial < PAIRS / 10; trial++) {
      piece a = roll_piece(&d, RH_SHAPE_ELLIPSOID, 0.1, 1);
      piece b = roll_piece(&d, other[k], 0.1, 1);
      rh_near near[3];
      for (int i = 0; i < 3; i++) {
        a.g.p.x += shift;
        (void)convex(&a, &b, &near[i]);
      }
      rh_vec3 bend = rh_addscaled(rh_add(near[0].normal, near[2].normal), -2, near[1].normal);
      deep += near[0].gap < -0.02;
      jumps += near[0].gap < -0.02 && rh_norm(bend) > 1e-9;
    }
    ck_assert_int_gt(deep, PAIRS / 25);
    ck_assert_msg(jumps < deep / 50, "%d: %d of %d jump", other[k], jumps, deep);
  }
}

END_TEST

START_TEST(touching)
{
  static const double hair[] = {-1e-3, -1e-6, -1e-9, -1e-12, -1e-15, 0,
                                1e-15, 1e-12, 1e-9,  1e-6,   1e-3};
  dice d = {9};
  for (int i = 1; i < RH_SHAPE_HULL; i++) {
    for (int j = 1; j < RH_SHAPE_HULL; j++) {
      for (int trial = 0; trial < PAIRS / 50; trial++) {
        piece a = roll_piece(&d, i, 0, 1);
        piece b = roll_piece(&d, j, 0, 1);
        if (trial % 2) { // faces together
          a.g.R = b.g.R = rh_mat3_identity();
        }
        b.g.p = trial % 2 ? rh_v3(0, 0, -2) : rh_scale(2, roll_unit(&d));
        rh_near near;
        double way = convex(&a, &b, &near);
        rh_vec3 n = near.normal; // along it they come together until they touch
        rh_vec3 touch = rh_addscaled(b.g.p, way, n);
        for (int k = 0; k < RH_COUNT(hair); k++) {
          b.g.p = rh_addscaled(touch, -hair[k], n);
          // Apart: that far. Overlapping: that deep at most, for another way out may be shorter than the way in.
          double gap = convex(&a, &b, &near);
          double off = ROUNDING + falls_short(&a, &b, hair[k]);
          ck_assert_msg(gap > hair[k] - off && gap < fmax(0, hair[k]) + ROUNDING,
                        "%d %d: %.17g at %g", i, j, gap, hair[k]);
        }
      }
    }
  }
}

END_TEST

// A grain on a slab: sizes 1e-4 and 1e3 in one pair. The slab's corners are known to 1e-13 m, a part in 1e9 of the grain.
START_TEST(grain_on_a_slab)
{
  piece slab = at(make("box", 1e3, 1e3, 1e2), 100, -200, -50);
  dice d = {13};
  for (int kind = 1; kind < RH_SHAPE_HULL; kind++) {
    for (int trial = 0; trial < 100; trial++) {
      piece grain = roll_piece(&d, kind, 0, 1e-4);
      piece ground = make("plane", 0, 0, 0);
      grain.g.p = rh_v3(roll(&d, -300, 300), roll(&d, -300, 300), roll(&d, -1e-5, 1e-4));
      rh_near near;
      near_number(convex(&grain, &slab, &near), apart(&grain, &ground), 1e-11);
      near_vec(near.normal, rh_v3(0, 0, 1), 1e-6);
    }
  }
}

END_TEST

START_TEST(far_apart)
{
  dice d = {15};
  for (int i = 1; i < RH_SHAPE_HULL; i++) {
    for (int j = 1; j < RH_SHAPE_HULL; j++) {
      piece a = roll_piece(&d, i, 0, 1);
      piece b = roll_piece(&d, j, 0, 1);
      a.g.p = rh_v3(1e6, 2e6, 2e6);
      rh_near near;
      double gap = convex(&a, &b, &near);
      ck_assert(gap < 3e6 && gap > 3e6 - 2);
      b.g.p = a.g.p; // together, far from the origin of the world
      rh_xform home = {rh_mat3_identity(), rh_neg(a.g.p)};
      piece c = moved(a, &home);
      piece e = moved(b, &home);
      near_number(convex(&a, &b, &near), convex(&c, &e, &near), 1e-9);
    }
  }
}

END_TEST

// Flat differences: points and segments as cores, through EPA itself.
START_TEST(cores_without_volume)
{
  rh_near near;
  piece s = make("sphere", 0.1, 0, 0);
  piece t = make("sphere", 0.2, 0, 0);
  near_abs(convex(&s, &t, &near), -0.3, 1e-14);
  piece c = make("capsule", 0.1, 1, 0);
  near_abs(convex(&s, &c, &near), -0.2, 1e-14);
  near_abs(rh_dot(near.normal, rh_v3(0, 0, 1)), 0, 1e-12);
  near_abs(convex(&c, &c, &near), -0.2, 1e-14);
  piece x = turned(c, rh_v3(1, 0, 0), 1);
  near_abs(convex(&c, &x, &near), -0.2, 1e-14);
  near_abs(fabs(near.normal.x), 1, 1e-12);
}

END_TEST

#ifdef ROUTH_TEST_CCD

static rh_vec3 vec_of(const ccd_vec3_t *v)
{
  return rh_v3((double)v->v[0], (double)v->v[1], (double)v->v[2]);
}

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
  const rh_geom *g = object;
  rh_vec3 d = vec_of(direction);
  rh_vec3 x = rh_add(g->p, rh_geom_support(g, d));
  x = rh_addscaled(x, rh_geom_rounding(g) / rh_norm(d), d);
  ccdVec3Set(out, (ccd_real_t)x.x, (ccd_real_t)x.y, (ccd_real_t)x.z);
}

// Every overlapping pair of every two kinds, none left out. libccd's tolerance is in m^2: it stops when (reach - d) d or the
// square of the new point's distance from the face falls below it, so its depth is too small by max(tol / d, sqrt(tol)) at
// most, and never too large. Nor may the way out that it names be shorter than ours.
static void against_libccd(int i, int j)
{
  static const double TOLERANCE = 1e-11; // [m^2]
  static const double OURS = 1e-12;      // [m] rounding, see every_pair_is_optimal
  dice d = {(uint64_t)(21 + 100 * i + j)};
  int compared = 0;
  for (int trial = 0; trial < PAIRS / 10; trial++) {
    piece a = roll_piece(&d, i, 0.2, 1);
    piece b = roll_piece(&d, j, 0.2, 1);
    double depth = -apart(&a, &b);
    if (depth < 1e-3) {
      continue;
    }
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd_support;
    ccd.support2 = ccd_support;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = (ccd_real_t)TOLERANCE;
    ccd_real_t theirs;
    ccd_vec3_t way;
    ccd_vec3_t point;
    ck_assert_int_eq(ccdGJKPenetration(placed(&a), placed(&b), &ccd, &theirs, &way, &point), 0);
    double off = (double)theirs - depth;
    double short_by = fmax(TOLERANCE / depth, sqrt(TOLERANCE));
    ck_assert_msg(off < OURS && off > -short_by - OURS, "%d %d: theirs %.17g, ours %.17g", i, j,
                  (double)theirs, depth);
    rh_vec3 n = vec_of(&way);
    n = rh_scale(-1 / rh_norm(n), n); // it says where B has to go
    double along =
        rh_gap_along(placed(&a), placed(&b), n) - rh_geom_rounding(&a.g) - rh_geom_rounding(&b.g);
    ck_assert_msg(-along > depth - OURS, "%d %d: out by %.17g, not %.17g", i, j, -along, depth);
    compared++;
  }
  ck_assert_int_gt(compared, PAIRS / 40);
}

START_TEST(libccd)
{
  for (int i = 1; i < RH_SHAPE_HULL; i++) {
    for (int j = i; j < RH_SHAPE_HULL; j++) {
      against_libccd(i, j);
    }
  }
}

END_TEST

#else

START_TEST(libccd)
{
  fprintf(
      stderr,
      "unit_gjk: libccd is not installed (libccd-dev); the comparison with its EPA is left out\n");
}

END_TEST

#endif

Suite *rh_suite_unit_gjk(void)
{
  Suite *suite = suite_create("unit_gjk");
  TCase *tcase = tcase_create("gjk");
  tcase_add_test(tcase, closed_forms);
  tcase_add_test(tcase, every_pair_is_optimal);
  tcase_add_test(tcase, concentric);
  tcase_add_test(tcase, deep_normals_are_smooth);
  tcase_add_test(tcase, touching);
  tcase_add_test(tcase, grain_on_a_slab);
  tcase_add_test(tcase, far_apart);
  tcase_add_test(tcase, cores_without_volume);
  tcase_add_test(tcase, libccd);
  suite_add_tcase(suite, tcase);
  return suite;
}
