// unit_limits.c: joints that meet their limits, against closed forms: rebounds, rest, leaving it, impacts on whole trees.
#include "event_recorder.h"

// Dropped from h it meets the limit at t1 = sqrt(2h/g) with speed u; rebound k has speed e^k u and lasts 2 e^k u / g, so the
// times are a geometric series. Below the rest speed (1e-6 m/s) it stays.
START_TEST(bounces_are_a_geometric_series)
{
  const double h = 1.3;
  const double e = 0.5;
  rh_joint_def slide;
  rh_scene *scene = ball_scene(h, e, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  // The last flights rise 1e-12 m at 1e-6 m/s: 1e-9 s of their time is 1e-15 m, which is what atol must be.
  set_run(scene, "cvode", 5, 2e-14);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 5);
  double u = sqrt(2 * G * h);
  double t = sqrt(2 * h / G);
  int k = 0;
  for (; u * e > 1e-6; k++) {
    const rh_event *hit = expect(RH_EVENT_BOUNCE, k);
    near_abs(hit->t, t, LOCATED);
    near_abs(hit->before, -u, 1e-8); // g times the error of the time
    near_abs(hit->after, u * e, 1e-8);
    near_rel(hit->impulse, BALL * (1 + e) * u, 1e-8 / u);
    near_abs(hit->work, -0.5 * BALL * u * u * (1 - e * e), 1e-7 * u);
    ck_assert_str_eq(hit->name, "ball");
    ck_assert_int_eq(hit->dof, 0);
    u *= e;
    t += 2 * u / G;
  }
  ck_assert_int_eq(k, 22); // 5 m/s halved until 1e-6
  expect_count(RH_EVENT_BOUNCE, k);
  expect_count(RH_EVENT_CATCH, 1);
  near_abs(expect(RH_EVENT_CATCH, 0)->t, t, LOCATED);
  near_abs(t, sqrt(2 * h / G) * (1 + e) / (1 - e), 1e-6); // close to the sum of the series
  ck_assert_int_eq(story.n, k + 1);
  const rh_data *d = rh_sim_view(sim);
  ck_assert(d->q[0] == 0 && d->v[0] == 0 && d->hold[0] == RH_HOLD_LOWER);
  near_abs(d->react[0], BALL * G, 1e-9);
  near_abs(rh_sim_ledger(sim).event, -BALL * G * h, 1e-7);
  ck_assert_double_le(story.worst_residue, 1e-8); // 25 J at 1e-11, some 25 restarts
  check_order();
  finish(sim, model);
}

END_TEST

// Fixed steps find the same series: rk4 is exact on parabolas, whatever its step.
START_TEST(bounces_by_rk4)
{
  const double h = 1.3;
  const double e = 0.5;
  rh_joint_def slide;
  rh_scene *scene = ball_scene(h, e, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  set_run(scene, "rk4", 5, 0.01);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 5);
  double u = sqrt(2 * G * h);
  double t = sqrt(2 * h / G);
  for (int k = 0; k < 22; k++) {
    near_abs(expect(RH_EVENT_BOUNCE, k)->t, t, LOCATED);
    u *= e;
    t += 2 * u / G;
  }
  expect_count(RH_EVENT_BOUNCE, 22);
  expect_count(RH_EVENT_CATCH, 1);
  ck_assert(rh_sim_view(sim)->q[0] == 0 && rh_sim_view(sim)->v[0] == 0);
  finish(sim, model);
}

END_TEST

// With any stepper and with no rest speed at all the run must come to an end, one way or the other.
START_TEST(zeno_ends)
{
  static const char *const steppers[] = {"cvode", "rk4", "euler"};
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0.1, 0.3, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_run_def run = run_of(steppers[_i], 2, _i == 0 ? 1e-9 : 1e-3);
  run.rest_speed = 0;
  rh_scene_set_run(scene, &run);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  rh_status status = rh_sim_run(sim, 2);
  ck_assert_msg(status == RH_OK || rh_status_exit_code(status) == 4, "%s", rh_status_name(status));
  ck_assert(rh_sim_view(sim)->q[0] > -1e-6 && rh_sim_view(sim)->q[0] < 0.1);
  ck_assert_double_lt(rh_sim_ledger(sim).kinetic, 1e-6);
  finish(sim, model);
}

END_TEST

// Without restitution it stays at once; with restitution one it never does and keeps its energy.
START_TEST(bounce_of_zero_and_one)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0.5, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  ck_assert_int_eq(story.n, 1);
  near_abs(expect(RH_EVENT_CATCH, 0)->t, sqrt(1 / G), LOCATED);
  near_abs(expect(RH_EVENT_CATCH, 0)->before, -sqrt(G), 1e-8);
  ck_assert(expect(RH_EVENT_CATCH, 0)->after == 0);
  near_abs(expect(RH_EVENT_CATCH, 0)->impulse, BALL * sqrt(G), 1e-8);
  finish(sim, model);
  scene = ball_scene(0.5, 1, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  sim = start(scene, &model);
  run_to(sim, 20);
  for (int k = 0; k < 31; k++) {
    near_abs(expect(RH_EVENT_BOUNCE, k)->t, (2 * k + 1) * sqrt(1 / G), LOCATED * (k + 1));
    near_abs(expect(RH_EVENT_BOUNCE, k)->work, 0, 1e-9);
  }
  expect_count(RH_EVENT_CATCH, 0);
  ck_assert_double_le(story.worst_residue, 1e-8);
  finish(sim, model);
}

END_TEST

// Between two limits without gravity, restitution one: a hit every 2 s, upper and lower in turn.
START_TEST(both_limits)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0.5, 1, &slide);
  set_gravity(scene, rh_v3(0, 0, 0));
  slide.limits = list_of(2, -1, 1);
  slide.v = list_of(1, 1, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 10);
  expect_count(RH_EVENT_BOUNCE, 5);
  for (int k = 0; k < 5; k++) {
    const rh_event *e = expect(RH_EVENT_BOUNCE, k);
    near_abs(e->t, 0.5 + 2 * k, LOCATED);
    near_abs(e->after, k % 2 == 0 ? -1 : 1, 1e-10);
  }
  near_abs(rh_sim_view(sim)->q[0], -0.5, 1e-8);
  finish(sim, model);
}

END_TEST

// ---- Starting on the limit

START_TEST(start_at_rest_on_the_limit)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0.5, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  const rh_data *d = rh_sim_view(sim);
  ck_assert_msg(d->q[0] == 0 && d->v[0] == 0, "q = %g, v = %g", d->q[0], d->v[0]);
  ck_assert_double_le(story.worst_residue, 1e-12);
  finish(sim, model);
}

END_TEST

// Moving into the limit at the start is an impact at time zero, with every stepper.
START_TEST(start_into_the_limit)
{
  static const char *const steppers[] = {"cvode", "rk4", "euler"};
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0.5, &slide);
  set_gravity(scene, rh_v3(0, 0, 0));
  slide.v = list_of(1, -2, 0);
  (void)rh_scene_add_joint(scene, &slide);
  set_run(scene, steppers[_i], 1, _i == 0 ? 1e-10 : 1e-3);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  expect_count(RH_EVENT_BOUNCE, 1);
  near_abs(expect(RH_EVENT_BOUNCE, 0)->t, 0, LOCATED);
  near_abs(rh_sim_view(sim)->q[0], 1, 1e-8);
  near_abs(rh_sim_view(sim)->v[0], 1, 1e-9);
  finish(sim, model);
}

END_TEST

START_TEST(start_away_from_the_limit)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0, &slide);
  slide.v = list_of(1, 2, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  ck_assert_int_eq(story.n, 1);
  near_abs(expect(RH_EVENT_CATCH, 0)->t, 2 * 2 / G, LOCATED);
  finish(sim, model);
}

END_TEST

// ---- Leaving rest

// Lifted by 3 m g from 1 s on: off at that very moment, then z = g (t - 1)^2. Before, a pull just short of the weight
// leaves it where it is.
START_TEST(actuator_lifts_the_ball)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  add_lift(scene, 0);
  add_switch(scene, "almost", 0.5, BALL * G * 0.999999);
  add_switch(scene, "up", 1, 3 * BALL * G);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 0.99);
  ck_assert(rh_sim_view(sim)->q[0] == 0);
  near_abs(rh_sim_view(sim)->react[0], BALL * G * 1e-6, 1e-12);
  run_to(sim, 2);
  expect_count(RH_EVENT_LEAVE, 1);
  expect_count(RH_EVENT_SWITCH, 2);
  ck_assert(expect(RH_EVENT_LEAVE, 0)->t == 1);
  ck_assert(expect(RH_EVENT_SWITCH, 1)->t == 1);
  const rh_event *up = expect(RH_EVENT_SWITCH, 1);
  near_abs(up->before, BALL * G * 0.999999, 0);
  near_abs(up->after, 3 * BALL * G, 0);
  near_abs(rh_sim_view(sim)->q[0], G, 1e-8);
  near_abs(rh_sim_ledger(sim).actuator, 3 * BALL * G * G, 1e-6);
  ck_assert_double_le(story.worst_residue, 1e-7);
  check_order();
  finish(sim, model);
}

END_TEST

// A jumping toy: m1 rests on its limit, m2 sits on it on a spring, pressed A below balance. Balance is m2 g / k below rest;
// m2 swings as -A cos(wt) and m1 leaves when the spring pulls with m1 g: k A (-cos wt) = (m1 + m2) g. The load changes
// smoothly here, so the moment must be located.
START_TEST(spring_lifts_the_base)
{
  const double m1 = BALL;
  const double m2 = 0.5;
  const double k = 300;
  const double A = 0.15;
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_body_def head = body_of("head", m2, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  rh_joint_def spring = joint_of("prismatic", "ball", "head", rh_v3(0, 0, 1));
  spring.at[2] = 0.5;
  spring.spring = list_of(1, k, 0);
  spring.q = list_of(1, -m2 * G / k - A, 0);
  add(scene, &head, &spring);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  double w = sqrt(k / m2);
  double t = acos(-(m1 + m2) * G / (k * A)) / w;
  run_to(sim, t + 0.01);
  expect_count(RH_EVENT_LEAVE, 1);
  near_abs(expect(RH_EVENT_LEAVE, 0)->t, t, LOCATED);
  ck_assert_double_gt(rh_sim_view(sim)->q[0], 0);
  run_to(sim, 1);
  ck_assert_double_le(story.worst_residue, 1e-8);
  ck_assert_double_ge(rh_sim_view(sim)->q[0], 0);
  check_order();
  finish(sim, model);
}

END_TEST

// A rider of 0.5 kg on a slider on the ball, which rests on the ground; lower and upper end of the slider's way.
static rh_scene *rider_scene(double q, double v, double upper, double bounce)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_body_def rider = body_of("rider", 0.5, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  rh_joint_def seat = joint_of("prismatic", "ball", "rider", rh_v3(0, 0, 1));
  seat.q = list_of(1, q, 0);
  seat.v = list_of(1, v, 0);
  seat.limits = list_of(2, 0, upper);
  seat.bounce = bounce;
  add(scene, &rider, &seat);
  return scene;
}

// Dropped on the ball it rebounds as from the ground: the ball is pressed down and stays.
START_TEST(impact_on_what_rests)
{
  rh_model *model = NULL;
  rh_sim *sim = start(rider_scene(0.5, 0, 10, 0.6), &model);
  run_to(sim, sqrt(1 / G) + 0.1);
  const rh_event *hit = expect(RH_EVENT_BOUNCE, 0);
  near_abs(hit->t, sqrt(1 / G), LOCATED);
  near_abs(hit->after, 0.6 * sqrt(G), 1e-8);
  near_abs(hit->impulse, 0.5 * 1.6 * sqrt(G), 1e-8); // the ball does not give way
  expect_count(RH_EVENT_LEAVE, 0);
  ck_assert(rh_sim_view(sim)->q[0] == 0 && rh_sim_view(sim)->v[0] == 0);
  ck_assert_double_le(story.worst_residue, 1e-9);
  finish(sim, model);
}

END_TEST

// Thrown up against the upper end it takes the ball along: the ground cannot pull. Without restitution both go on
// with m v / (M + m).
START_TEST(impact_pulls_off_the_ground)
{
  rh_model *model = NULL;
  rh_sim *sim = start(rider_scene(0, 6, 1, 0), &model);
  double v = sqrt(36 - 2 * G);
  double t = (6 - v) / G;
  run_to(sim, t + 1e-6);
  expect_count(RH_EVENT_LEAVE, 1);
  near_abs(expect(RH_EVENT_LEAVE, 0)->t, t, LOCATED);
  near_abs(rh_sim_view(sim)->v[0], 0.5 * v / (BALL + 0.5), 2e-5); // 1e-6 s later
  near_abs(rh_sim_view(sim)->v[1], 0, 1e-9);
  near_abs(rh_sim_ledger(sim).event, -0.5 * 0.5 * v * v * BALL / (BALL + 0.5), 1e-8);
  run_to(sim, 1.5);
  ck_assert_double_ge(rh_sim_view(sim)->q[0], 0);
  ck_assert_double_le(story.worst_residue, 1e-8);
  check_order();
  finish(sim, model);
}

END_TEST

// Two balls meet their limits at one instant; both impacts are told, with the energy of each.
START_TEST(impacts_at_once)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0.5, 0.5, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_body_def twin = body_of("twin", 2 * BALL, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  slide.name = rh_name_of("twin");
  slide.child = rh_name_of("twin");
  add(scene, &twin, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, sqrt(1 / G) + 1e-3);
  expect_count(RH_EVENT_BOUNCE, 2);
  for (int k = 0; k < 2; k++) {
    const rh_event *e = expect(RH_EVENT_BOUNCE, k);
    near_abs(e->t, sqrt(1 / G), LOCATED);
    near_abs(e->after, 0.5 * sqrt(G), 1e-8);
    near_abs(e->work, -0.5 * (1 + e->dof) * BALL * G * 0.75, 1e-7);
  }
  finish(sim, model);
}

END_TEST

// Held fast, let go, and found to be resting on its limit.
START_TEST(released_onto_the_limit)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0.5, &slide);
  slide.held = true;
  (void)rh_scene_add_joint(scene, &slide);
  add_lift(scene, 0);
  rh_event_def drop = timed("drop", 0.5);
  drop.release = rh_name_of("ball");
  (void)rh_scene_add_event(scene, &drop);
  add_switch(scene, "up", 0.75, 2 * BALL * G);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 0.7);
  expect_count(RH_EVENT_RELEASE, 1);
  expect_count(RH_EVENT_BOUNCE, 0);
  ck_assert(rh_sim_view(sim)->q[0] == 0 && rh_sim_view(sim)->v[0] == 0);
  run_to(sim, 1);
  near_abs(rh_sim_view(sim)->q[0], 0.5 * G * 0.0625, 1e-9);
  check_order();
  finish(sim, model);
}

END_TEST

// A joint that leaves its limit slowly: in a step of 1e-10 s its place changes by less than rounding. That is no event, and
// no restart of the integrator, which would lose the motion: q = -0.5 + v t + a t^2 / 2 to the rounding of q.
START_TEST(leaves_the_limit_slowly)
{
  const double v = 1.25e-8;
  const double a = 1e-3;
  const double until = 1e-6;
  rh_joint_def slide;
  rh_scene *scene = ball_scene(-0.5, 0.3, &slide);
  set_gravity(scene, rh_v3(0, 0, 0));
  slide.at[2] = 2;
  slide.limits = list_of(2, -0.5, 0.5);
  slide.v = list_of(1, v, 0);
  (void)rh_scene_add_joint(scene, &slide);
  add_lift(scene, BALL * a);
  rh_shape_def floor = rh_shape_default("plane"); // rigid contacts: the integrator follows an arc
  floor.body = rh_name_of("world");
  rh_shape_def sphere = rh_shape_default("sphere");
  sphere.body = rh_name_of("ball");
  sphere.par[0] = 0.1;
  rh_contact_def touch = rh_contact_default("newton", "none");
  touch.name = rh_name_of("touch");
  touch.body = rh_name_of("ball");
  touch.against = rh_name_of("world");
  ck_assert_int_ge(rh_scene_add_shape(scene, &floor), 0);
  ck_assert_int_ge(rh_scene_add_shape(scene, &sphere), 0);
  ck_assert_int_ge(rh_scene_add_contact(scene, &touch), 0);
  rh_run_def run = run_of("cvode", until, 1e-8);
  set_par(rh_kind_find("integrators", "cvode"), run.integrator_par, "max_step", 1e-10);
  rh_scene_set_run(scene, &run);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, until);
  ck_assert_int_eq(story.n, 0);
  ck_assert_int_le(rh_sim_statistics(sim).step.restarts, 2); // at the start, and by its step
  near_abs(rh_sim_view(sim)->q[0], -0.5 + v * until + 0.5 * a * until * until, 2.3e-16);
  finish(sim, model);
}

END_TEST

// ---- The pendulum and its stop

// Hits its stop at -0.5, rebounds with e, swings up to a1 < a (energy), comes back down and hits again.
START_TEST(pendulum_meets_its_stop)
{
  const double a = 1.2;
  const double b = -0.5;
  const double e = 0.9;
  rh_joint_def hinge;
  rh_scene *scene = pendulum_scene(a, &hinge);
  hinge.limits = list_of(2, b, 3);
  hinge.bounce = e;
  (void)rh_scene_add_joint(scene, &hinge);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 5);
  double t1 = fall_time(a, b);
  double v1 = sqrt(2 * G * (cos(b) - cos(a)));
  near_abs(expect(RH_EVENT_BOUNCE, 0)->t, t1, LOCATED);
  near_abs(expect(RH_EVENT_BOUNCE, 0)->before, -v1, 1e-9);
  near_abs(expect(RH_EVENT_BOUNCE, 0)->after, e * v1, 1e-9);
  double a1 = acos(cos(b) - e * e * v1 * v1 / (2 * G));
  double t2 = t1 + 2 * fall_time(a1, b);
  near_abs(expect(RH_EVENT_BOUNCE, 1)->t, t2, 2 * LOCATED);
  ck_assert_double_le(story.worst_residue, 1e-9);
  finish(sim, model);
}

END_TEST

// An impact acts on the whole tree: a cart hits its stop with a pendulum on it. The impulse is along the cart alone, so
// the momentum of the pendulum's own coordinate, H21 v1 + H22 v2, stays as it was.
START_TEST(impact_moves_the_whole_tree)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def cart = body_of("cart", 2, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  rh_joint_def rail = joint_of("prismatic", "world", "cart", rh_v3(1, 0, 0));
  rail.q = list_of(1, 0.5, 0);
  rail.v = list_of(1, -2, 0);
  rail.limits = list_of(2, 0, 10);
  rail.bounce = 0.6;
  add(scene, &cart, &rail);
  rh_body_def bob = body_of("bob", 1, rh_v3(0, 0, -0.7), rh_v3(0.02, 0.02, 0.02));
  rh_joint_def hinge = joint_of("revolute", "cart", "bob", rh_v3(0, 1, 0));
  hinge.q = list_of(1, 0.8, 0);
  hinge.v = list_of(1, 0.5, 0);
  add(scene, &bob, &hinge);
  set_run(scene, "cvode", 1, 1e-11);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  const rh_data *d = rh_sim_view(sim);
  double t = 0;
  double before[2] = {0};
  double q = 0;
  while (story.n == 0 && t < 1) { // in small pieces up to the impact
    before[0] = d->v[0];
    before[1] = d->v[1];
    t += 1e-5;
    run_to(sim, t);
    q = d->q[1];
  }
  const rh_event *hit = expect(RH_EVENT_BOUNCE, 0);
  near_abs(hit->after, -0.6 * hit->before, 1e-12);
  // x = X - 0.7 sin q: H12 = -m l cos q, H22 = I + m l^2. One piece of the run (1e-5 s) lies between before and after.
  double H12 = -0.7 * cos(q);
  double H22 = 0.02 + 0.49;
  double p0 = H12 * before[0] + H22 * before[1];
  double p1 = H12 * d->v[0] + H22 * d->v[1];
  near_abs(p1, p0, 2e-4);
  ck_assert_double_gt(fabs(d->v[1] - before[1]), 1); // and the pendulum was struck indeed
  near_rel(hit->impulse, 1.6 * fabs(hit->before) * (3 - H12 * H12 / H22), 1e-4);
  near_abs(hit->work, -0.5 * (1 - 0.36) * hit->before * hit->before * (3 - H12 * H12 / H22), 1e-3);
  run_to(sim, 1);
  ck_assert_double_le(story.worst_residue, 1e-8);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_limits(void)
{
  Suite *suite = suite_create("unit_limits");
  TCase *limits = tcase_create("limits");
  tcase_add_test(limits, bounces_are_a_geometric_series);
  tcase_add_test(limits, bounces_by_rk4);
  tcase_add_loop_test(limits, zeno_ends, 0, 3);
  tcase_add_test(limits, bounce_of_zero_and_one);
  tcase_add_test(limits, both_limits);
  tcase_add_test(limits, start_at_rest_on_the_limit);
  tcase_add_loop_test(limits, start_into_the_limit, 0, 3);
  tcase_add_test(limits, start_away_from_the_limit);
  tcase_add_test(limits, actuator_lifts_the_ball);
  tcase_add_test(limits, spring_lifts_the_base);
  tcase_add_test(limits, impact_on_what_rests);
  tcase_add_test(limits, impact_pulls_off_the_ground);
  tcase_add_test(limits, impacts_at_once);
  tcase_add_test(limits, released_onto_the_limit);
  tcase_add_test(limits, leaves_the_limit_slowly);
  tcase_add_test(limits, pendulum_meets_its_stop);
  tcase_add_test(limits, impact_moves_the_whole_tree);
  suite_add_tcase(suite, limits);
  return suite;
}
