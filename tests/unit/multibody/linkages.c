// unit_linkages.c: closed linkages under the engine event: loops stay closed and energy is kept over a minute, angles
// are those of geometry, and a linkage that equals a tree moves as the tree.
#include "world.h"

#include <stdlib.h>

// Tolerances of the runs. The issue of a minute's run: gaps below 1e-10 m, residues below 1e-9 of the energy that moves.
#define FINE        "run: {engine: event, rtol: 1e-13, atol: 1e-13}\nrecord: {every: 100}\n"
#define GAP_MAX     1e-10
#define RESIDUE_MAX 1e-9
#define AXIS        "axis: [0, -1, 0]"
#define BAR(name, m, l)                                                                            \
  "  - {name: " name ", mass: " m ", com: [" l ", 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"

typedef struct point {
  double x, z;
} point;

// Where a circle of radius ra about a meets one of radius rb about b, on the left of the way from a to b
static point meeting(point a, double ra, point b, double rb)
{
  double dx = b.x - a.x;
  double dz = b.z - a.z;
  double far = hypot(dx, dz);
  double along = (ra * ra - rb * rb + far * far) / (2 * far);
  double up = sqrt(ra * ra - along * along);
  return (point){a.x + (along * dx - up * dz) / far, a.z + (along * dz + up * dx) / far};
}

static double angle_of(point from, point to)
{
  return atan2(to.z - from.z, to.x - from.x);
}

static rh_sim *open_text(const char *text, rh_model **model)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = rh_scene_parse(text, strlen(text), "s", NULL, 0, diag, &scene);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  *model = model_of(scene);
  return sim_of(*model);
}

static void advance_to(rh_sim *sim, double until)
{
  rh_status status = rh_sim_run(sim, until);
  ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(sim));
}

static double channel_of(rh_sim *sim, const rh_model *m, const char *name)
{
  rh_channels *c = rh_channels_create(m);
  int index = rh_channel_find(c, name);
  double value;
  ck_assert_msg(index != RH_NONE, "no channel %s", name);
  rh_channels_read(c, rh_sim_data(sim), &index, 1, &value);
  rh_channels_destroy(c);
  return value;
}

// With ROUTH_TEST_TABLE a line for each linkage
static void tell_linkage(const char *name, double until, double gap, double residue)
{
  if (getenv("ROUTH_TEST_TABLE") != NULL) {
    (void)printf("%-18s %3.0f s: gap %.1e m of %.0e, residue %.1e of %.0e\n", name, until, gap,
                 GAP_MAX, residue, RESIDUE_MAX);
    (void)fflush(stdout);
  }
}

// Runs the scene, with `check` at ten times a second; loops are named l0, l1, ...
static void run_linkage(const char *name, const char *text, int nloop, double until,
                        void (*check)(const rh_sim *sim))
{
  rh_model *m;
  rh_sim *sim = open_text(text, &m);
  double moved = 0;
  double start = 0;
  double widest = 0;
  for (int k = 0; k <= 10 * until; k++) {
    advance_to(sim, 0.1 * k);
    rh_ledger ledger = rh_sim_ledger(sim);
    start = k == 0 ? ledger.kinetic : start;
    moved = fmax(moved, fabs(ledger.kinetic - start));
    for (int i = 0; i < nloop; i++) {
      char loop[16];
      (void)snprintf(loop, sizeof loop, "l%d.gap", i);
      double gap = channel_of(sim, m, loop);
      widest = fmax(widest, gap);
      ck_assert_msg(gap <= GAP_MAX, "%s: %g m at %g s", loop, gap, 0.1 * k);
    }
    if (check) {
      check(sim);
    }
  }
  double residue = rh_sim_ledger(sim).residue;
  tell_linkage(name, until, widest, fabs(residue) / moved);
  ck_assert_msg(fabs(residue) <= RESIDUE_MAX * moved, "residue %g of %g J", residue, moved);
  ck_assert_double_gt(moved, 1);
  finish(sim, m);
}

static double whole_time(double usual)
{
  return rh_test_long() ? 60 : usual;
}

// ---- Four bars: crank 0.4, coupler 1, rocker 0.8, bearings 1.1 apart

static void check_four_bar(const rh_sim *sim)
{
  const double *q = rh_sim_view(sim)->q;
  point crank = {0.4 * cos(q[0]), 0.4 * sin(q[0])};
  point ground = {1.1, 0};
  point pin = meeting(crank, 1, ground, 0.8);
  // The gap is 1e-10 m at most, over bars of 0.8 m, and the angle between bars is never below 0.3
  near_abs(remainder(q[0] + q[1] - angle_of(crank, pin), 2 * acos(-1.0)), 0, 1e-9);
  near_abs(remainder(q[2] - angle_of(ground, pin), 2 * acos(-1.0)), 0, 1e-9);
}

START_TEST(four_bars)
{
  char text[2048];
  point pin = meeting((point){0.4, 0}, 1, (point){1.1, 0}, 0.8);
  (void)snprintf(
      text, sizeof text,
      "bodies:\n" BAR("crank", "1", "0.2") BAR("coupler", "2", "0.5")
          BAR("rocker", "1.5",
              "0.4") "joints:\n"
                     "  - {kind: revolute, child: crank, " AXIS "}\n"
                     "  - {kind: revolute, parent: crank, child: coupler, at: [0.4, 0, 0], " AXIS
                     ", q: %.17g}\n"
                     "  - {kind: revolute, child: rocker, at: [1.1, 0, 0], " AXIS ", q: %.17g}\n"
                     "loops: [{name: l0, kind: hinge, body: rocker, to: coupler, axis: [0, 1, 0],"
                     " at: [0.8, 0, 0], to_at: [1, 0, 0]}]\n" FINE,
      angle_of((point){0.4, 0}, pin), angle_of((point){1.1, 0}, pin));
  run_linkage("four bars", text, 1, whole_time(20), check_four_bar);
}

END_TEST

// ---- Slider and crank: x of the slider = 0.3 cos q + sqrt(0.8^2 - (0.3 sin q)^2)

static void check_slider(const rh_sim *sim)
{
  const double *q = rh_sim_view(sim)->q;
  double rise = 0.3 * sin(q[0]);
  near_abs(q[2], 0.3 * cos(q[0]) + sqrt(0.64 - rise * rise), 1e-9);
}

START_TEST(slider_and_crank)
{
  run_linkage(
      "slider and crank",
      "bodies:\n" BAR("crank", "1", "0.15") BAR("rod", "1", "0.4") BAR(
          "slider", "2",
          "0") "joints:\n"
               "  - {kind: revolute, child: crank, " AXIS ", v: 8}\n"
               "  - {kind: revolute, parent: crank, child: rod, at: [0.3, 0, 0], " AXIS
               ", v: -11}\n"
               "  - {kind: prismatic, child: slider, axis: [1, 0, 0], q: 1.1}\n"
               "loops: [{name: l0, kind: ball, body: slider, to: rod, to_at: [0.8, 0, 0]}]\n" FINE,
      1, whole_time(10), check_slider);
}

END_TEST

// ---- Watt's six bars: the four bars above, and two bars between a point of the coupler and one of the rocker

START_TEST(watt_six_bars)
{
  char text[4096];
  point a = {0.4, 0};
  point ground = {1.1, 0};
  point pin = meeting(a, 1, ground, 0.8);
  double coupler = angle_of(a, pin);
  double rocker = angle_of(ground, pin);
  point c = {a.x + 1.3 * cos(coupler), a.z + 1.3 * sin(coupler)};
  point r = {ground.x + 1.1 * cos(rocker), ground.z + 1.1 * sin(rocker)};
  point end = meeting(c, 0.5, r, 0.5);
  (void)snprintf(
      text, sizeof text,
      "bodies:\n" BAR("crank", "1", "0.2") BAR("coupler", "2", "0.6") BAR("rocker", "1.5", "0.5")
          BAR("five", "0.5", "0.25") BAR(
              "six", "0.5",
              "0.25") "joints:\n"
                      "  - {kind: revolute, child: crank, " AXIS "}\n"
                      "  - {kind: revolute, parent: crank, child: coupler, at: [0.4, 0, 0], " AXIS
                      ", q: %.17g}\n"
                      "  - {kind: revolute, child: rocker, at: [1.1, 0, 0], " AXIS ", q: %.17g}\n"
                      "  - {kind: revolute, parent: coupler, child: five, at: [1.3, 0, 0], " AXIS
                      ", q: %.17g}\n"
                      "  - {kind: revolute, parent: rocker, child: six, at: [1.1, 0, 0], " AXIS
                      ", q: %.17g}\n"
                      "loops:\n"
                      "  - {name: l0, kind: hinge, body: rocker, to: coupler, axis: [0, 1, 0], at: "
                      "[0.8, 0, 0],"
                      " to_at: [1, 0, 0]}\n"
                      "  - {name: l1, kind: ball, body: five, to: six, at: [0.5, 0, 0], to_at: "
                      "[0.5, 0, 0]}\n" FINE,
      coupler, rocker, angle_of(c, end) - coupler, angle_of(r, end) - rocker);
  run_linkage("Watt", text, 2, whole_time(5), NULL);
}

END_TEST

// ---- Five bars: two cranks, two bars that meet; two degrees of freedom

START_TEST(five_bars)
{
  char text[2048];
  point left = {0.3 * cos(2.0), 0.3 * sin(2.0)};
  point right = {0.6 + 0.3 * cos(1.0), 0.3 * sin(1.0)};
  point top = meeting(left, 0.7, right, 0.7);
  (void)snprintf(
      text, sizeof text,
      "bodies:\n" BAR("left", "1", "0.15") BAR("right", "1", "0.15") BAR("up", "1", "0.35")
          BAR("down", "1",
              "0.35") "joints:\n"
                      "  - {kind: revolute, child: left, " AXIS ", q: 2, spring: 30}\n"
                      "  - {kind: revolute, child: right, at: [0.6, 0, 0], " AXIS
                      ", q: 1, spring: 20, rest: 2}\n"
                      "  - {kind: revolute, parent: left, child: up, at: [0.3, 0, 0], " AXIS
                      ", q: %.17g}\n"
                      "  - {kind: revolute, parent: right, child: down, at: [0.3, 0, 0], " AXIS
                      ", q: %.17g}\n"
                      "loops: [{name: l0, kind: ball, body: up, to: down, at: [0.7, 0, 0], to_at: "
                      "[0.7, 0, 0]}]\n" FINE,
      angle_of(left, top) - 2, angle_of(right, top) - 1);
  run_linkage("five bars", text, 1, whole_time(5), NULL);
}

END_TEST

// ---- A platform on six legs with springs (Stewart): 24 coordinates' rates, 18 rows, six degrees of freedom

static void add_leg(char *bodies, char *joints, char *loops, int i)
{
  double turn = acos(-1.0) / 3;
  double base = turn * (i / 2 * 2) + (i % 2 ? 0.3 : -0.3);
  double plate = turn * (i / 2 * 2) + (i % 2 ? 0.75 : -0.75);
  rh_vec3 from = {0.6 * cos(base), 0.6 * sin(base), 0};
  rh_vec3 to = {0.4 * cos(plate), 0.4 * sin(plate), 0.8};
  rh_vec3 way = rh_sub(to, from);
  double far = rh_norm(way);
  (void)sprintf(
      bodies + strlen(bodies),
      "  - {name: low%d, mass: 0.5, com: [0, 0, 0.2], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
      "  - {name: high%d, mass: 0.5, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n",
      i, i);
  (void)sprintf(joints + strlen(joints),
                "  - {kind: universal, child: low%d, at: [%.17g, %.17g, 0], rpy: [0, %.17g, %.17g],"
                " axis: [1, 0, 0], axis2: [0, 1, 0]}\n"
                "  - {kind: prismatic, parent: low%d, child: high%d, axis: [0, 0, 1], q: %.17g,"
                " spring: 400, rest: %.17g}\n",
                i, from.x, from.y, acos(way.z / far), atan2(way.y, way.x), i, i, far,
                far + 0.02 * (i + 1));
  (void)sprintf(loops + strlen(loops),
                "  - {name: l%d, kind: ball, body: plate, to: high%d, at: [%.17g, %.17g, 0]}\n", i,
                i, to.x, to.y);
}

START_TEST(six_legs)
{
  char bodies[2048] = "bodies:\n  - {name: plate, mass: 5, inertia: [0.2, 0.2, 0.4, 0, 0, 0]}\n";
  char joints[4096] = "joints:\n  - {kind: free, child: plate, q: [0, 0, 0.8, 1, 0, 0, 0]}\n";
  char loops[1024] = "loops:\n";
  char text[8192];
  for (int i = 0; i < 6; i++) {
    add_leg(bodies, joints, loops, i);
  }
  (void)snprintf(text, sizeof text, "%s%s%s%s", bodies, joints, loops, FINE);
  run_linkage("Stewart platform", text, 6, whole_time(1), NULL);
}

END_TEST

// ---- Two routes to one motion: a bob on a rod is a pendulum; and what the rod pulls

START_TEST(a_rod_is_a_pendulum)
{
  rh_model *m[2];
  rh_sim *sim[2] = {
      open_text("bodies: [{name: bob, mass: 2, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}]\n"
                "joints: [{kind: free, child: bob, q: [0.6, 0, -0.8, 1, 0, 0, 0]}]\n"
                "loops: [{name: l0, kind: distance, body: bob, to_at: [0, 0, 0]}]\n" FINE,
                &m[0]),
      // inertia about the pivot m l^2: the bob on the rod does not turn
      open_text(
          "bodies: [{name: bob, mass: 2, com: [0, 0, -1], inertia: [0, 0, 0, 0, 0, 0]}]\n"
          "joints: [{kind: revolute, child: bob, axis: [0, -1, 0], q: 0.6435011087932844}]\n" FINE,
          &m[1]),
  };
  for (int k = 1; k <= 40; k++) {
    advance_to(sim[0], 0.25 * k);
    advance_to(sim[1], 0.25 * k);
    const double *q = rh_sim_view(sim[0])->q;
    const double *v = rh_sim_view(sim[0])->v;
    double angle = rh_sim_view(sim[1])->q[0];
    near_abs(q[0], sin(angle), 1e-9); // tolerances of 1e-13 over 10 s and 30000 steps
    near_abs(q[2], -cos(angle), 1e-9);
    double pull = 2 * (v[0] * v[0] + v[2] * v[2] - 9.81 * q[2]); // centripetal, and the weight
    rh_vec3 f = {channel_of(sim[0], m[0], "l0.fx"), 0, channel_of(sim[0], m[0], "l0.fz")};
    near_abs(-rh_dot(f, rh_v3(q[0], 0, q[2])), pull, 1e-7 * pull);
  }
  finish(sim[0], m[0]);
  finish(sim[1], m[1]);
}

END_TEST

// ---- An impact at a linkage: a bar that is hit while a rod holds its end; impulses keep the loop

START_TEST(impacts_keep_loops)
{
  rh_model *m;
  rh_sim *sim = open_text(
      "world: {gravity: [0, 0, 0]}\n"
      "bodies:\n"
      "  - {name: bar, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
      "  - {name: ball, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
      "joints:\n"
      "  - {kind: free, child: bar, q: [0, 0, 0, 1, 0, 0, 0]}\n"
      "  - {kind: free, child: ball, q: [0.3, 0, 0.5, 1, 0, 0, 0], v: [0, 0, -1, 0, 0, 0]}\n"
      "shapes:\n"
      "  - {body: bar, kind: box, size: [1, 0.1, 0.1]}\n"
      "  - {body: ball, kind: sphere, radius: 0.05}\n"
      "contacts: [{body: bar, against: ball, law: newton, e: 0.5, friction: none}]\n"
      "loops: [{name: l0, kind: ball, body: bar, at: [-0.5, 0, 0]}]\n" FINE,
      &m);
  advance_to(sim, 0.41);
  const double *v = rh_sim_view(sim)->v;
  // Pivot at -0.5: inertia J = 0.1 + 0.25 = 0.35 about it, lever 0.8. Impulse p = (1 + e) / (1/m + l^2/J), spin l p / J.
  double p = 1.5 / (1 + 0.64 / 0.35);
  near_abs(v[8], -1 + p, 1e-9);
  near_abs(v[4], 0.8 * p / 0.35, 1e-9);
  ck_assert_double_lt(channel_of(sim, m, "l0.gap"), GAP_MAX);
  finish(sim, m);
}

END_TEST

Suite *rh_suite_unit_linkages(void)
{
  Suite *suite = suite_create("unit_linkages");
  TCase *tcase = tcase_create("linkages");
  tcase_add_test(tcase, four_bars);
  tcase_add_test(tcase, slider_and_crank);
  tcase_add_test(tcase, watt_six_bars);
  tcase_add_test(tcase, five_bars);
  tcase_add_test(tcase, six_legs);
  tcase_add_test(tcase, a_rod_is_a_pendulum);
  tcase_add_test(tcase, impacts_keep_loops);
  suite_add_tcase(suite, tcase);
  return suite;
}
