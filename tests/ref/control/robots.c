// ref_robots.c: the stages of [Ch] chapter 4 as problems: every number of the reference cases that are
// in scenes/papers/ch, and closed forms and invariants of our own.
#include "solved.h"

#include <routh/robot.h>

enum { MAX = 4096 };

// ---- Reference numbers

static double tolerance_of(const answers *a, int i, const char *key)
{
  double x = 0;
  ck_assert_int_eq(answers_posed(a, i, "tol", key, &x, 1), 1);
  return x;
}

// All expected numbers of a file; an expected list may be the beginning of a longer one.
static void check_file(const char *path, int cases)
{
  static double want[MAX];
  static double got[MAX];
  answers *a = answers_open(path);
  ck_assert_int_eq(answers_count(a), cases);
  for (int i = 0; i < cases; i++) {
    int expected = rh_yaml_find(&a->posed, answers_entry(a, i), "expected");
    for (int k = a->posed.node[expected].first; k != RH_NONE; k = a->posed.node[k].next) {
      const char *key = rh_yaml_text(&a->posed, a->posed.node[k].key);
      int n = tree_numbers(&a->posed, k, want, MAX);
      ck_assert_msg(answers_got(a, i, key, got, MAX) >= n, "%s %s", answers_id(a, i), key);
      for (int j = 0; j < n; j++) {
        double allowed =
            tolerance_of(a, i, "abs") + tolerance_of(a, i, "rel") * fabs(want[j]); // as stated
        ck_assert_msg(fabs(got[j] - want[j]) <= allowed, "%s %s[%d]: %.12g, not %.12g",
                      answers_id(a, i), key, j, got[j], want[j]);
      }
    }
  }
  answers_close(a);
}

START_TEST(reference_numbers)
{
  check_file("scenes/papers/ch/steps.yaml", 5);
  check_file("scenes/papers/ch/ik.yaml", 6);
  check_file("scenes/papers/ch/stand.yaml", 2);
  check_file("scenes/papers/ch/strike.yaml", 12);
}

END_TEST

// ---- Gait

// A walk that turns: chords of a circle, feet together in the end; straight and left agree in length.
START_TEST(walk_turns)
{
  const rh_walk walk = {.duration = 0.5, .stride = 0.3, .height = 0.05, .steps = 9, .turn = 0.3};
  rh_foothold left = rh_walk_place(&walk, 0, 9);
  rh_foothold right = rh_walk_place(&walk, 1, 9);
  double x = 0;
  double y = 0;
  for (int k = 0; k < 8; k++) { // the last step brings the feet together
    x += 0.15 * cos((k + 0.5) * 0.3);
    y += 0.15 * sin((k + 0.5) * 0.3);
  }
  const double got[] = {left.x, left.y, left.turn, right.x, right.y, right.turn};
  const double want[] = {x, y, 8 * 0.3, x, y, 8 * 0.3};
  for (int i = 0; i < 6; i++) {
    ck_assert_double_eq_tol(got[i], want[i], 1e-14); // a sum of eight numbers below 1
  }
  rh_walk_at at;
  rh_walk_plan(&walk, 100, &at);
  ck_assert_int_eq(at.swinging, RH_NONE);
  ck_assert_double_eq_tol(at.side[0].x, y, 1e-14);
  ck_assert_double_eq_tol(at.heading[1].x, 2.4, 1e-14);
}

END_TEST

static const struct {
  const char *name;
  int legs, standing; // at least so many at any time
} gaits[] = {{"walk", 2, 1}, {"walk", 4, 3},  {"walk", 6, 5},  {"trot", 4, 2},
             {"pace", 4, 2}, {"bound", 4, 2}, {"tripod", 6, 3}};

// The last swing ends where the body stands; there are always feet on the ground, and a share of the
// weight on them; the body's rates are those of its places.
START_TEST(gait_by_phases)
{
  rh_gait g = {.legs = gaits[_i].legs,
               .cycle = 0.8,
               .stride = 0.2,
               .turn = 0.25,
               .height = 0.04,
               .cycles = 5};
  ck_assert(rh_gait_phases(gaits[_i].name, g.legs, g.phase, &g.duty));
  rh_gait_at at;
  double end = rh_gait_end(&g);
  for (int k = 0; k <= 2000; k++) {
    double t = -0.5 + k * (end + 1) / 2000;
    rh_gait_plan(&g, t, &at);
    int stand = 0;
    double share = 0;
    for (int i = 0; i < g.legs; i++) {
      stand += !at.leg[i].swings;
      share += at.leg[i].load;
    }
    ck_assert_int_ge(stand, gaits[_i].standing);
    ck_assert_double_gt(share, 0.4); // two legs change at once, each with half or more
    double h = 1e-5;
    rh_gait_at near[2];
    rh_gait_plan(&g, t - h, &near[0]);
    rh_gait_plan(&g, t + h, &near[1]);
    for (int i = 0; i < 3; i++) { // h^2 times third rates, 1/T^3 in size
      ck_assert_double_eq_tol((near[1].body[i].x - near[0].body[i].x) / (2 * h), at.body[i].v,
                              1e-8);
      ck_assert_double_eq_tol((near[1].body[i].v - near[0].body[i].v) / (2 * h), at.body[i].a,
                              1e-4);
    }
  }
  rh_gait_plan(&g, end, &at);
  ck_assert(at.over);
  double radius = 0.2 / 0.25; // stride over turn
  const double want[3] = {radius * sin(1.25), radius * (1 - cos(1.25)), 1.25};
  for (int i = 0; i < g.legs; i++) {
    const double got[3] = {at.leg[i].to.x, at.leg[i].to.y, at.leg[i].to.turn};
    for (int k = 0; k < 3; k++) {
      ck_assert_double_eq_tol(got[k], want[k], 1e-14);
    }
    ck_assert(!at.leg[i].swings);
  }
}

END_TEST

START_TEST(gait_refused)
{
  double phase[RH_LEGS_MAX];
  double duty;
  ck_assert(!rh_gait_phases("trot", 6, phase, &duty));
  ck_assert(!rh_gait_phases("gallop", 4, phase, &duty));
  solved s = solve("[{id: a, kind: gait, inputs: {gait: tripod, times: [0]}}, {id: b, kind: gait, "
                   "inputs: {phases: [0, 2], times: [0]}}, {id: c, kind: swing, inputs: {to: 1, "
                   "duration: 0, times: [0]}}]");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert(strstr(error_of(&s, "a"), "no gait 'tripod' of 4 legs"));
  ck_assert(strstr(error_of(&s, "b"), "phases[1] must be 0 to 1"));
  ck_assert(strstr(error_of(&s, "c"), "duration must be > 0"));
  done(&s);
}

END_TEST

// ---- Closed forms

// A rod on a hinge: tau = a - 10 sin q with a = a_d + kd e' + kp e; the error dies as a critical
// oscillator, an overdamped and a weakly damped one do.
START_TEST(torque_of_a_rod)
{
  static const double gain[3][2] = {{25, 10}, {16, 10}, {25, 6}};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    double kp = gain[i][0];
    double kd = gain[i][1];
    snprintf(text, sizeof text,
             "[{id: a, kind: computed_torque, inputs: {scene: " ROD
             ", q: [0.3], v: [0.2], wanted_q: [0.5], wanted_v: [0.1], wanted_a: [0.7], kp: %g, kd: "
             "%g, times: [0, 0.4]}}]",
             kp, kd);
    solved s = solve(text);
    double after[2];
    ck_assert_int_eq(s.status, RH_OK);
    double a = 0.7 - 0.1 * kd + 0.2 * kp;
    ck_assert_double_eq_tol(number(&s, "a", "a"), a, 1e-13);
    ck_assert_double_eq_tol(number(&s, "a", "tau"), a + 10 * sin(0.3), 1e-13);
    ck_assert_int_eq(output(&s, "a", "error_after", after, 2), 2);
    double term[2] = {0.2, -0.1}; // of the Taylor series of e and e' at 0.4 s
    double sum = 0;
    for (int k = 0; k < 40; k++) {
      double rate = -(kd * term[1] + kp * term[0]);
      sum += term[0];
      term[0] = term[1] * 0.4 / (k + 1);
      term[1] = rate * 0.4 / (k + 1);
    }
    ck_assert_double_eq_tol(after[0], 0.2, 1e-14);
    ck_assert_double_eq_tol(after[1], sum, 1e-12); // terms of the series up to 10
    done(&s);
  }
}

END_TEST

// The tip of the rod is put at an angle; its velocity and acceleration follow.
START_TEST(kinematics_of_a_rod)
{
  solved s =
      solve("[{id: a, kind: inverse_kinematics, inputs: {scene: " ROD
            ", q: [0.2], damping: 0.001, tasks: [{body: rod, at: [0, 0, -1], position: "
            "[-0.479425538604203, 0, -0.8775825618903728], velocity: [-1.7551651237807455, 0, "
            "0.958851077208406]}]}}, {id: b, kind: inverse_kinematics, inputs: {scene: " ROD
            ", tasks: [{com: yes}, {body: rod, R: [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}]}}]");
  // sin and cos of 0.5, 2 rad/s; centripetal acceleration 4 m/s^2 is not wanted: a = 0 along the arc
  ck_assert_double_eq_tol(number(&s, "a", "q"), 0.5, 1e-10);
  ck_assert_double_eq_tol(number(&s, "a", "v"), 2, 1e-9);
  ck_assert_double_eq_tol(number(&s, "a", "a"), 0, 1e-8);
  ck_assert(strstr(error_of(&s, "b"), "needs a position"));
  done(&s);
}

END_TEST

// A ball comes down on one point off its centre, without and with friction: Newton's e, energy and
// momentum.
START_TEST(impact_of_a_ball)
{
  solved s = solve(
      "[{id: flat, kind: impact_sequence, inputs: {scene: " BALL
      ", v: [0.5, 0, -2, 0, 0, 0], points: [{body: ball, at: [0, 0, -1]}], e: 0.5}}, {id: rough, "
      "kind: impact_sequence, inputs: {scene: " BALL
      ", v: [0.5, 0.1, -2, 0.3, 0, 0], points: [{body: ball, at: [0.2, 0, -1]}, {body: ball, at: "
      "[-0.2, 0.1, -1]}, {body: ball, at: [0, -0.2, -1]}], e: 0.4, mu: 0.3, formulation: "
      "winkler-global}}]");
  double v[6];
  double p[3];
  ck_assert_int_eq(s.status, RH_OK);
  ck_assert_int_eq(output(&s, "flat", "v", v, 6), 6);
  ck_assert_double_eq_tol(v[2], 1, 1e-12);
  ck_assert_double_eq_tol(v[0], 0.5, 1e-15);
  ck_assert_int_eq(output(&s, "flat", "total_impulse", p, 3), 3);
  ck_assert_double_eq_tol(p[2], 6, 1e-12); // m (1 + e) v
  double lost =
      number(&s, "rough", "kinetic_energy_before") - number(&s, "rough", "kinetic_energy");
  ck_assert_double_eq_tol(lost, number(&s, "rough", "D_n") + number(&s, "rough", "D_t"), 1e-9);
  ck_assert_int_eq(output(&s, "rough", "v", v, 6), 6);
  ck_assert_int_eq(output(&s, "rough", "total_impulse", p, 3), 3);
  ck_assert_double_eq_tol(2 * (v[0] - 0.5), p[0], 1e-9); // mass 2 kg
  ck_assert_double_eq_tol(2 * (v[2] + 2), p[2], 1e-9);
  ck_assert_double_le(hypot(p[0], p[1]), 0.3 * p[2] + 1e-9);
  ck_assert_double_gt(number(&s, "rough", "events"), 0);
  done(&s);
}

END_TEST

START_TEST(bad_inputs)
{
  solved s =
      solve("[{id: a, kind: impact_sequence, inputs: {scene: " BALL
            "}}, {id: b, kind: impact_sequence, inputs: {scene: " BALL
            ", points: [{body: ball}], e: 2}}, {id: c, kind: impact_sequence, inputs: {scene: " BALL
            ", points: [{body: ball}], formulation: none of these}}, {id: d, kind: "
            "inverse_kinematics, inputs: {scene: " ROD "}}, {id: e, kind: computed_torque, "
            "inputs: {scene: " ROD ", kp: -1}}, {id: f, kind: inverse_dynamics_contact, "
            "inputs: {scene: " ROD ", driven: perhaps}}]");
  ck_assert_int_eq(s.status, RH_INPUT_REFUSED);
  ck_assert(strstr(error_of(&s, "a"), "points must be a list"));
  ck_assert(strstr(error_of(&s, "b"), "e[0] must be 0 to 1"));
  ck_assert(strstr(error_of(&s, "c"), "no formulation"));
  ck_assert(strstr(error_of(&s, "d"), "tasks must be a list"));
  ck_assert(strstr(error_of(&s, "e"), "kp must be"));
  ck_assert(strstr(error_of(&s, "f"), "driven must be yes or no"));
  done(&s);
}

END_TEST

// A rod that hangs from a point of the ground: the force carries its weight, the motor does nothing.
START_TEST(standing_rod)
{
  solved s =
      solve("[{id: a, kind: inverse_dynamics_contact, inputs: {scene: {world: {gravity: [0, 0, "
            "-10]}, bodies: [{name: ball, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}, {name: arm, "
            "mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}], joints: [{name: "
            "base, kind: free, child: ball}, {name: elbow, kind: revolute, parent: ball, child: "
            "arm, axis: [0, 1, 0], at: [0, 0, 1]}]}, driven: yes, q: {elbow: 0.3}, points: "
            "[{body: ball, at: [1, 1, -1]}, {body: ball, at: [-1, 1, -1]}, {body: ball, at: "
            "[0, -1, -1]}]}}]");
  double F[3];
  ck_assert_int_eq(s.status, RH_OK);
  ck_assert_int_eq(output(&s, "a", "total_force", F, 3), 3);
  ck_assert_double_eq_tol(F[2], 30, 1e-12);
  ck_assert_double_eq_tol(number(&s, "a", "effort"), -5 * sin(0.3), 1e-12); // m g l sin q
  ck_assert_double_eq_tol(number(&s, "a", "rank"), 6, 0.5);
  ck_assert_double_le(number(&s, "a", "residue"), 1e-12);
  done(&s);
}

END_TEST

Suite *rh_suite_ref_robots(void);

Suite *rh_suite_ref_robots(void)
{
  Suite *suite = suite_create("ref_robots");
  TCase *tests = tcase_create("robots");
  tcase_add_test(tests, reference_numbers);
  tcase_add_test(tests, walk_turns);
  tcase_add_loop_test(tests, gait_by_phases, 0, RH_COUNT(gaits));
  tcase_add_test(tests, gait_refused);
  tcase_add_test(tests, torque_of_a_rod);
  tcase_add_test(tests, kinematics_of_a_rod);
  tcase_add_test(tests, impact_of_a_ball);
  tcase_add_test(tests, bad_inputs);
  tcase_add_test(tests, standing_rod);
  suite_add_tcase(suite, tests);
  return suite;
}
