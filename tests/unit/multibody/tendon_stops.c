// unit_tendon_stops.c: limits and dry friction of tendons under both engines: a rope that goes taut, a pair of
// slides that a limit joins, a rope that unwinds from a cylinder, friction that holds and brakes. Closed forms.
#include "world.h"

#include "multibody/multibody.h"

#include <stdlib.h>

#define EVENT    "run: {engine: event, rtol: 1e-11, atol: 1e-11}\nrecord: {every: 100}\n"
#define STEPPING "run: {engine: stepping, dt: 1e-4}\nrecord: {every: 100}\n"
#define G        9.81
#define SLIDES                                                                                     \
  "world: {gravity: [0, 0, 0]}\nbodies: [{name: a, mass: 2}, {name: b, mass: 3}]\njoints:\n"       \
  "  - {name: x, kind: prismatic, child: a, axis: [1, 0, 0], v: 1}\n"                              \
  "  - {name: y, kind: prismatic, child: b, axis: [1, 0, 0]}\n"                                    \
  "actuators: [{name: pull, joint: x}, {name: hold, joint: y}]\n"                                  \
  "tendon_parts:\n"                                                                                \
  "  - {tendon: sum, kind: joint, joint: x, coefficient: 2}\n"                                     \
  "  - {tendon: sum, kind: joint, joint: y, coefficient: -1}\n"

typedef struct run {
  rh_model *model;
  rh_sim *sim;
  const rh_data *d;
} run;

static run open_text(const char *scene, const char *more)
{
  char text[4000];
  rh_scene *read = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(text, sizeof text, "%s%s", scene, more);
  rh_status status = rh_scene_parse(text, strlen(text), "s", NULL, 0, diag, &read);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  run r = {.model = model_of(read)};
  r.sim = sim_of(r.model);
  r.d = rh_sim_view(r.sim);
  return r;
}

static void run_until(run *r, double until)
{
  rh_status status = rh_sim_run(r->sim, until);
  ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(r->sim));
}

static double read_channel(const run *r, const char *name)
{
  rh_channels *c = rh_channels_create(r->model);
  int index = rh_channel_find(c, name);
  double value = 0;
  ck_assert_int_ne(index, RH_NONE);
  rh_channels_read(c, rh_sim_data(r->sim), &index, 1, &value);
  rh_channels_destroy(c);
  return value;
}

static void set_effort(run *r, int actuator, double effort)
{
  rh_sim_data(r->sim)->command[actuator].effort = effort;
  rh_sim_state_changed(r->sim);
}

static void close_run(run *r)
{
  rh_sim_destroy(r->sim);
  rh_model_destroy(r->model);
}

static void check_near(double got, double want, double tolerance)
{
  ck_assert_msg(fabs(got - want) <= tolerance, "%.17g, not %.17g within %g", got, want, tolerance);
}

// ---- A rope

#define BALL                                                                                       \
  "bodies: [{name: ball, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"                        \
  "tendons: [{name: rope, limits: [0, 1]}]\n"                                                      \
  "tendon_parts: [{tendon: rope, body: world}, {tendon: rope, body: ball}]\n"                      \
  "joints: [{name: free, kind: free, child: ball, "

// It falls by 0.8 m until the rope is taut, which takes the speed along it, and swings from then on: the pendulum of the
// same length, started there, has the same angle.
START_TEST(rope_goes_taut)
{
  bool event = _i == 0;
  run r = open_text(BALL "q: [0.6, 0, 0, 1, 0, 0, 0]}]\n", event ? EVENT : STEPPING);
  double t = sqrt(2 * 0.8 / G);
  double v = G * t * 0.6; // across the rope
  char text[600];
  (void)snprintf(text, sizeof text,
                 "bodies: [{name: rod, mass: 2, com: [1, 0, 0], inertia: [1e-12, 1e-12, 1e-12, 0, "
                 "0, 0]}]\njoints: [{name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], q: "
                 "%.17g, v: %.17g}]\n",
                 atan2(0.8, 0.6), v);
  run tree = open_text(text, "run: {engine: event, rtol: 1e-12, atol: 1e-12}\n");
  run_until(&r, t);
  // the event engine: its tolerance over 2 s; stepping: a step's length, and its order of one
  double tolerance = event ? 1e-7 : 2e-3;
  for (double s = 0.25; s <= 2; s += 0.25) {
    run_until(&r, t + s);
    run_until(&tree, s);
    double q = tree.d->q[0];
    check_near(r.d->q[0], cos(q), tolerance);
    check_near(r.d->q[2], -sin(q), tolerance);
    check_near(read_channel(&r, "rope.length"), 1, event ? 1e-10 : 1e-5);
  }
  // tension: m (v^2 / L + g cos of the angle from below)
  if (event) {
    double w = tree.d->v[0];
    double want = -2 * (w * w + G * sin(tree.d->q[0]));
    check_near(r.d->dyn.rows->force[0], want, 1e-6);
    check_near(rh_sim_ledger(r.sim).event, -0.5 * 2 * pow(G * t * 0.8, 2), 1e-7);
    ck_assert_double_lt(fabs(rh_sim_ledger(r.sim).residue), 1e-7);
  }
  close_run(&r);
  close_run(&tree);
}

END_TEST

// Faster than it can follow on its circle, from the side upwards: the rope is slack where m v^2 / L = m g cos, and the
// ball flies on a parabola until it is taut again.
START_TEST(rope_goes_slack)
{
  run r = open_text(BALL "q: [1, 0, 0, 1, 0, 0, 0], v: [0, 0, 5, 0, 0, 0]}]\n", EVENT);
  double h = 25 / (3 * G); // v^2 = v0^2 - 2 g h = g h
  int left = 0;
  double t = 0;
  while (left == 0) {
    t += 1e-3;
    run_until(&r, t);
    left = r.d->dyn.tendon_hold[0] == RH_HOLD_NONE && t > 0.01;
  }
  check_near(hypot(r.d->q[0], r.d->q[2]), 1, 1e-4); // it left less than a millisecond ago
  check_near(r.d->q[2], h, 5e-3);
  double x = r.d->q[0];
  double z = r.d->q[2];
  double vx = r.d->v[0];
  double vz = r.d->v[2];
  run_until(&r, t + 0.1);
  check_near(r.d->q[0], x + 0.1 * vx, 1e-9);
  check_near(r.d->q[2], z + 0.1 * vz - 0.5 * G * 0.01, 1e-9);
  run_until(&r, t + 3); // it is caught again, and loses energy there
  ck_assert_double_le(read_channel(&r, "rope.length"), 1 + 1e-9);
  ck_assert_double_lt(rh_sim_ledger(r.sim).event, -1);
  ck_assert_double_lt(fabs(rh_sim_ledger(r.sim).residue), 1e-7);
  close_run(&r);
}

END_TEST

// Unwinding from a cylinder without gravity: the free length has l^2 = l0^2 + 2 R v t, the speed v stays, the tension is
// m v^2 / l. The gradient changes by the turn of the free part and by the way of the place where it leaves.
START_TEST(rope_unwinds)
{
  const double R = 0.2;
  const double l0 = 0.5;
  const double v = 1.5;
  // the string leaves at (0, R), its end is at (l0, R) and moves in -y; it is fixed at the far side
  run r = open_text(
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: ball, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
      "joints: [{name: free, kind: free, child: ball, q: [0.5, 0.2, 0, 1, 0, 0, 0], "
      "v: [0, 1.5, 0, 0, 0, 0]}]\n"
      "tendons: [{name: rope}]\n"
      "tendon_parts:\n"
      "  - {tendon: rope, body: world, at: [0, -2, 0]}\n"
      "  - {tendon: rope, kind: cylinder, body: world, radius: 0.2, side: [-0.3, 0.3, 0]}\n"
      "  - {tendon: rope, body: ball}\n",
      EVENT);
  double length = read_channel(&r, "rope.length");
  close_run(&r);
  char text[1000];
  (void)snprintf(
      text, sizeof text,
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: ball, mass: 2, inertia: [0.01, 0.01, 0.01, 0, 0, 0]}]\n"
      "joints: [{name: free, kind: free, child: ball, q: [0.5, 0.2, 0, 1, 0, 0, 0], v: "
      "[0, 1.5, 0, 0, 0, 0]}]\n"
      "tendons: [{name: rope, limits: [0, %.17g]}]\n"
      "tendon_parts:\n"
      "  - {tendon: rope, body: world, at: [0, -2, 0]}\n"
      "  - {tendon: rope, kind: cylinder, body: world, radius: 0.2, side: [-0.3, 0.3, 0]}\n"
      "  - {tendon: rope, body: ball}\n",
      length);
  r = open_text(text, EVENT);
  for (double t = 0.02; t < 0.12; t += 0.02) {
    run_until(&r, t);
    double l = sqrt(l0 * l0 + 2 * R * v * t);
    check_near(hypot(r.d->v[0], r.d->v[1]), v, 1e-8); // the force is across the motion
    check_near(hypot(r.d->q[0], r.d->q[1]), hypot(l, R), 1e-8);
    check_near(read_channel(&r, "rope.length"), length, 1e-10);
    check_near(r.d->dyn.rows->force[0], -2 * v * v / l, 1e-6);
  }
  close_run(&r);
}

END_TEST

// ---- Slides

// The length 2 x - y reaches its limit at 0.5 s: impulse p along (2, -1), 2 v_x - v_y = 0 after it, and the two go on
// together; a pull the other way leaves the limit.
START_TEST(slides_are_joined_at_a_limit)
{
  bool event = _i == 0;
  run r = open_text("tendons: [{name: sum, limits: [-5, 1]}]\n" SLIDES, event ? EVENT : STEPPING);
  double tolerance = event ? 1e-9 : 1e-3;
  run_until(&r, 1);
  double p = -2.0 / (4 / 2.0 + 1 / 3.0);
  double vx = 1 + 2 * p / 2;
  double vy = -p / 3;
  check_near(r.d->v[0], vx, tolerance);
  check_near(r.d->v[1], vy, tolerance);
  check_near(2 * r.d->q[0] - r.d->q[1], 1, tolerance);
  set_effort(&r, 0, 6); // it is held: the row takes its part
  run_until(&r, 1.5);
  double lambda = -(2 * 6 / 2.0) / (4 / 2.0 + 1 / 3.0);
  check_near(r.d->v[0], vx + 0.5 * (6 + 2 * lambda) / 2, tolerance);
  check_near(r.d->v[1], vy - 0.5 * lambda / 3, tolerance);
  double before = r.d->v[1];
  set_effort(&r, 0, -6); // away from the limit: the second one keeps its speed
  run_until(&r, 2);
  check_near(r.d->v[1], before, tolerance);
  check_near(r.d->v[0], vx + 0.5 * (6 + 2 * lambda) / 2 - 0.5 * 6 / 2, tolerance);
  ck_assert_double_lt(2 * r.d->q[0] - r.d->q[1], 1 - 0.1);
  if (event) {
    check_near(rh_sim_ledger(r.sim).event, -0.5 * 4 / (4 / 2.0 + 1 / 3.0), 1e-9); // half u^2 / W
  }
  close_run(&r);
}

END_TEST

// Friction F along 2 x - y: a moving pair is braked, rests where it stops, bears a pull up to its friction, slips beyond.
START_TEST(friction_brakes_and_holds)
{
  bool event = _i == 0;
  run r = open_text("tendons: [{name: sum, friction: 1.5}]\n" SLIDES, event ? EVENT : STEPPING);
  double tolerance = event ? 1e-8 : 1e-3;
  double W = 4 / 2.0 + 1 / 3.0;
  double stop = 2 / (1.5 * W); // u = 2 - 1.5 W t
  run_until(&r, stop / 2);
  check_near(r.d->v[0], 1 - 2 * 1.5 / 2 * stop / 2, tolerance);
  check_near(r.d->v[1], 1.5 / 3 * stop / 2, tolerance);
  run_until(&r, 1);
  double common = 1 - 2 * 1.5 / 2 * stop; // x; y has twice that
  check_near(r.d->v[0], common, tolerance);
  check_near(r.d->v[1], 2 * common, tolerance);
  double lost = 0.5 * 4 / W; // half u^2 / W, all in friction
  check_near(rh_sim_ledger(r.sim).damper, lost, event ? 1e-8 : 2e-3);
  double held = 1.5 * W * 2 / 2; // |lambda| = (2 f / 2) / W: the pull that it bears
  set_effort(&r, 0, 0.99 * held);
  run_until(&r, 1.5);
  check_near(2 * r.d->v[0] - r.d->v[1], 0, tolerance);
  set_effort(&r, 0, 2 * held);
  run_until(&r, 2);
  check_near(2 * r.d->v[0] - r.d->v[1], 0.5 * (2 * held - 1.5 * W), tolerance);
  close_run(&r);
}

END_TEST

// ---- Impacts

// A ball hangs on a taut rope and is hit by one of the same mass: from above the rope holds it, and the other comes back as from a
// wall; from below the rope goes slack, and the speed passes over.
START_TEST(impact_at_a_taut_rope)
{
  bool event = _i % 2 == 0;
  double side = _i < 2 ? 1 : -1;
  char text[1000];
  (void)snprintf(
      text, sizeof text,
      "world: {gravity: [0, 0, -1e-3]}\n"
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
      "joints: [{kind: free, child: a, q: [0, 0, -1, 1, 0, 0, 0]},\n"
      "  {kind: free, child: b, q: [0, 0, %g, 1, 0, 0, 0], v: [0, 0, %g, 0, 0, 0]}]\n"
      "shapes: [{body: a, kind: sphere, radius: 0.1}, {body: b, kind: sphere, radius: 0.1}]\n"
      "contacts: [{body: a, against: b, law: newton, e: 1, friction: none}]\n"
      "tendons: [{name: rope, limits: [0, 1]}]\n"
      "tendon_parts: [{tendon: rope, body: world}, {tendon: rope, body: a}]\n",
      -1 + 0.7 * side, -side);
  run r = open_text(text, event ? EVENT : STEPPING);
  run_until(&r, 0.7); // they meet at 0.5 s; gravity adds 1e-3 m/s in a second
  double tolerance = event ? 1.1e-3 : 3e-3;
  check_near(r.d->v[2], side > 0 ? 0 : 1, tolerance);
  check_near(r.d->v[8], side > 0 ? 1 : 0, tolerance);
  ck_assert_double_le(read_channel(&r, "rope.length"), 1 + (event ? 1e-10 : 1e-6));
  if (event) {
    ck_assert_int_eq((int)r.d->dyn.tendon_hold[0], side > 0 ? RH_HOLD_UPPER : RH_HOLD_NONE);
    ck_assert_double_lt(fabs(rh_sim_ledger(r.sim).residue), 1e-9);
  }
  close_run(&r);
}

END_TEST

typedef struct kept {
  double state[400];
} kept;

static rh_status keep_frame(void *user, const rh_sim *sim, long index)
{
  const rh_data *d = rh_sim_view(sim);
  ck_assert_int_le(d->model->layout.nstate, 400);
  if (index == 6) {
    memcpy(((kept *)user)->state, d->state, (size_t)d->model->layout.nstate * sizeof(double));
  }
  return RH_OK;
}

// A run that is cut while a tendon is held goes on with the same bits.
START_TEST(held_tendons_are_part_of_the_state)
{
  run r = open_text(BALL "q: [0.6, 0, 0, 1, 0, 0, 0]}]\n",
                    "run: {engine: event}\nrecord: {every: 0.1, batch: 1}\n");
  run again = open_text(BALL "q: [0.6, 0, 0, 1, 0, 0, 0]}]\n",
                        "run: {engine: event}\nrecord: {every: 0.1, batch: 1}\n");
  static kept at;
  rh_sim_observe(r.sim, &(rh_observer){.user = &at, .frame = keep_frame});
  run_until(&r, 1);
  ck_assert_int_eq((int)at.state[r.d->dyn.tendon_hold - r.d->state], RH_HOLD_UPPER);
  ck_assert(rh_data_state_possible(r.d, at.state));
  rh_sim_resume(again.sim, 6, at.state);
  run_until(&again, 1);
  size_t bytes = (size_t)r.model->layout.nstate * sizeof(double);
  ck_assert(memcmp(r.d->state, again.d->state, bytes) == 0);
  rh_sim_data(r.sim)->dyn.tendon_hold[0] = 7;
  ck_assert(!rh_data_state_possible(again.d, r.d->state));
  close_run(&r);
  close_run(&again);
}

END_TEST

Suite *rh_suite_unit_tendon_stops(void)
{
  Suite *suite = suite_create("unit_tendon_stops");
  TCase *tcase = tcase_create("stops");
  tcase_add_loop_test(tcase, rope_goes_taut, 0, 2);
  tcase_add_test(tcase, rope_goes_slack);
  tcase_add_test(tcase, rope_unwinds);
  tcase_add_loop_test(tcase, slides_are_joined_at_a_limit, 0, 2);
  tcase_add_loop_test(tcase, friction_brakes_and_holds, 0, 2);
  tcase_add_loop_test(tcase, impact_at_a_taut_rope, 0, 4);
  tcase_add_test(tcase, held_tendons_are_part_of_the_state);
  suite_add_tcase(suite, tcase);
  return suite;
}
