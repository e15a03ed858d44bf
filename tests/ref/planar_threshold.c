// ref_planar_threshold.c: the planar thresholds of the reference, through the loop: just below them bodies stay as they are, just
// above they slide or tip. NEXT is the distance of the runs from each threshold: the loop takes accelerations below 1e-9 of those
// at hand for none where contacts share their load, so thresholds are met to some 1e-9. Planar joints, because a slip of nanometres
// a second turns about within nanoseconds, which is stiff.
#include "rigid.h"

static const double NEXT = 1e-8;

// A number just below a threshold, at it, just above: both sides are always asked for.
static double beside(double threshold, int side)
{
  return threshold * (1 + side * NEXT);
}

static void expect_modes(int sticks, int slides)
{
  if (told.sticks != sticks || told.slides != slides) {
    tale_print();
  }
  ck_assert_int_eq(told.sticks, sticks);
  ck_assert_int_eq(told.slides, slides);
}

// ---- On an incline

static void play_incline(double tan_alpha, double mu, const char *shape, const char *body,
                         double height)
{
  double alpha = atan(tan_alpha);
  play("world: {gravity: [%.17g, 0, %.17g]}\n"
       "bodies: [{name: b, mass: 1%s}]\n"
       "joints: [{kind: planar, normal: [0, -1, 0], child: b, q: [0, %.17g, 0]}]\n"
       "shapes: [" FLAT_FLOOR ", {body: b, %s}]\n"
       "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: %.17g, mu_k: "
       "%.17g}]\n"
       "run: {until: 0.05, " FINE "}\n",
       G * sin(alpha), -G * cos(alpha), body, height, shape, mu, mu);
}

START_TEST(block_slips)
{
  const char *box = "kind: box, size: [0.4, 0.2, 0.1]";
  play_incline(beside(0.45, -1), 0.45, box, "", 0.05);
  expect_modes(4, 0);
  near_abs(told.v[0], 0, 1e-12);
  play_incline(beside(0.45, 1), 0.45, box, "", 0.05);
  expect_modes(0, 4);
  // a = g cos (tan - mu)
  near_abs(told.v[0], G / hypot(1, 0.45) * 0.45 * NEXT * 0.05, 1e-12);
}

END_TEST

START_TEST(block_tips)
{
  const char *box = "kind: box, size: [0.2, 0.2, 0.5]";
  play_incline(beside(0.4, -1), 0.6, box, "", 0.25);
  expect_modes(4, 0);
  near_abs(told.v[2], 0, 1e-12);
  play_incline(beside(0.4, 1), 0.6, box, "", 0.25);
  count_is(RH_EVENT_SLIP, 0); // before it slips
  ck_assert_double_lt(told.v[2], 0);
}

END_TEST

// tan = mu (1 + kappa) / kappa
START_TEST(rolls)
{
  static const double kappa[] = {0.5, 0.4, 1.0};
  static const double tan_alpha[] = {0.6000000000000001, 0.7000000000000001, 0.4};
  char body[120];
  double I = kappa[_i] * 0.01;
  (void)snprintf(body, sizeof body, ", inertia: [%.17g, %.17g, %.17g, 0, 0, 0]", I, I,
                 I > 0.008 ? 2 * I : I);
  near_rel(tan_alpha[_i], 0.2 * (1 + kappa[_i]) / kappa[_i], 1e-15);
  for (int side = -1; side <= 1; side += 2) {
    double t = beside(tan_alpha[_i], side);
    play_incline(t, 0.2, "kind: sphere, radius: 0.1", body, 0.1);
    expect_modes(side<0, side> 0);
    near_rel(told.v[0], G * t / hypot(1, t) / (1 + kappa[_i]) * 0.05, 1e-7);
  }
}

END_TEST

// ---- A ladder, rough on the floor and on the wall

static void play_ladder(double tangent)
{
  double theta = atan(tangent);
  play(DOWN "bodies: [{name: rod, mass: 1, inertia: [0.75, 0.75, 0.75, 0, 0, 0]}, {name: wall, "
            "mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
            "joints: [{kind: planar, normal: [0, -1, 0], child: rod, q: [%.17g, %.17g, %.17g]}, "
            "{kind: fixed, child: wall}]\n"
            "meshes: [{name: needle, vertices: [1.5, 0, 0, -1.5, 0, 0, 0, 1e-5, 0, 0, -1e-5, 0, 0, "
            "0, 1e-5, 0, 0, -1e-5]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: wall, kind: plane, rpy: [0, 1.5707963267948966, 0]},"
            " {body: rod, kind: hull, mesh: needle}]\n"
            "contacts: [{body: rod, against: world, law: newton, e: 0, friction: dry, mu_s: 0.4, "
            "mu_k: 0.4},"
            " {body: rod, against: wall, law: newton, e: 0, friction: dry, mu_s: 0.3, mu_k: 0.3}]\n"
            "run: {until: 0.05, " FINE "}\n",
       1.5 * cos(theta), 1.5 * sin(theta), -theta);
}

// tan = (1 - mu_floor mu_wall) / (2 mu_floor)
START_TEST(ladder)
{
  near_rel((1 - 0.4 * 0.3) / 0.8, 1.0999999999999999, 1e-15);
  play_ladder(beside(1.1, 1));
  expect_modes(2, 0);
  near_abs(told.v[2], 0, 1e-12);
  play_ladder(beside(1.1, -1));
  expect_modes(0, 2);
  ck_assert_double_gt(told.v[2], 0);
}

END_TEST

// ---- Two fingers lift a block with 2 m/s^2

static void play_grasp(double F)
{
  double lift = (1 + 2 * 0.1 + 0.5) * (G + 2);
  play(
      DOWN
      "bodies: [{name: hand, mass: 1}, {name: left, mass: 0.1}, {name: right, mass: 0.1}, {name: "
      "b, mass: 0.5}]\n"
      "joints: [{name: hand, kind: prismatic, axis: [0, 0, 1], child: hand},"
      " {name: left, kind: prismatic, axis: [1, 0, 0], parent: hand, child: left, at: [-0.06, 0, "
      "0]},"
      " {name: right, kind: prismatic, axis: [-1, 0, 0], parent: hand, child: right, at: [0.06, 0, "
      "0]},"
      " {kind: planar, normal: [0, -1, 0], child: b}]\n"
      "shapes: [{body: left, kind: sphere, radius: 0.01}, {body: right, kind: sphere, radius: "
      "0.01},"
      " {body: b, kind: box, size: [0.1, 0.1, 0.1]}]\n"
      "contacts: [{body: left, against: b, law: newton, e: 0, friction: dry, mu_s: 0.4, mu_k: 0.4},"
      " {body: right, against: b, law: newton, e: 0, friction: dry, mu_s: 0.4, mu_k: 0.4}]\n"
      "actuators: [{name: lift, joint: hand, effort: %.17g}, {name: l, joint: left, effort: %.17g},"
      " {name: r, joint: right, effort: %.17g}]\n"
      "run: {until: 0.05, " FINE "}\n",
      lift, F, F);
}

// F = m (g + a) / (2 mu)
START_TEST(grasp)
{
  near_rel(0.5 * (G + 2) / 0.8, 7.38125, 1e-15);
  play_grasp(beside(7.38125, 1));
  expect_modes(2, 0);
  near_abs(told.v[0], 0.1, 1e-12);
  play_grasp(beside(7.38125, -1));
  expect_modes(0, 2);
  near_abs(told.v[0], 0.1, 1e-7);
}

END_TEST

// ---- A block that is pushed

static void play_push(double F, double above)
{
  play(DOWN "bodies: [{name: b, mass: 3}]\n"
            "joints: [{kind: planar, normal: [0, -1, 0], child: b, q: [0, 0.3, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, kind: box, size: [0.3, 0.3, 0.6]}]\n"
            "contacts: [{body: b, against: world, law: newton, e: 0, friction: dry, mu_s: 0.5, "
            "mu_k: 0.5}]\n"
            "forces: [{name: push, body: b, at: [0, 0, %.17g], force: [%.17g, 0, 0]}]\n"
            "run: {until: 0.05, " FINE "}\n",
       above - 0.3, F);
}

START_TEST(push)
{
  play_push(beside(8.828999999999999, -1), 0.5);
  expect_modes(4, 0);
  play_push(beside(8.828999999999999, 1), 0.5);
  count_is(RH_EVENT_SLIP, 0);
  ck_assert_double_lt(told.v[2], 0); // tips
  play_push(beside(14.715, -1), 0.1);
  expect_modes(4, 0);
  play_push(beside(14.715, 1), 0.1);
  expect_modes(0, 4);
  near_abs(told.v[2], 0, 1e-12);
}

END_TEST

Suite *rh_suite_ref_planar_threshold(void)
{
  Suite *suite = suite_create("ref_planar_threshold");
  TCase *tests = tcase_create("thresholds");
  tcase_add_test(tests, block_slips);
  tcase_add_test(tests, block_tips);
  tcase_add_loop_test(tests, rolls, 0, 3);
  tcase_add_test(tests, ladder);
  tcase_add_test(tests, grasp);
  tcase_add_test(tests, push);
  suite_add_tcase(suite, tests);
  return suite;
}
