// unit_events.c: events of the scene and guards of the program, against closed forms: switches, releases, holds,
// moments of the clock, their order and their energy.
#include "event_recorder.h"

// Constant torque from rest: angle T t^2 / 2I. At angle 1, rising, the torque turns round; it comes back past 1
// falling, which is not asked for, and to 0 at (2 + sqrt 2) t1.
START_TEST(actuator_switches_at_an_angle)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  rh_body_def arm = body_of("arm", 1, rh_v3(0, 0, 0), rh_v3(0.5, 0.5, 0.5));
  rh_joint_def hinge = joint_of("revolute", "world", "arm", rh_v3(0, 0, 1));
  add(scene, &arm, &hinge);
  rh_actuator_def motor = rh_actuator_default();
  motor.name = rh_name_of("motor");
  motor.joint = rh_name_of("arm");
  motor.effort = 2;
  motor.limits = list_of(2, -2, 2);
  (void)rh_scene_add_actuator(scene, &motor);
  rh_event_def flip = rh_event_default();
  flip.name = rh_name_of("flip");
  flip.joint = rh_name_of("arm");
  flip.position = 1;
  flip.direction = 1;
  flip.actuator = rh_name_of("motor");
  flip.effort = -2;
  (void)rh_scene_add_event(scene, &flip);
  rh_event_def home = rh_event_default();
  home.name = rh_name_of("home");
  home.joint = rh_name_of("arm");
  home.direction = 2;
  (void)rh_scene_add_event(scene, &home);
  set_run(scene, "cvode", 3, 1e-11);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 3);
  double t1 = sqrt(2 * 0.5 / 2.0);
  expect_count(RH_EVENT_SWITCH, 1);
  near_abs(expect(RH_EVENT_SWITCH, 0)->t, t1, LOCATED);
  near_abs(expect(RH_EVENT_SWITCH, 0)->before, 2, 0);
  near_abs(expect(RH_EVENT_SWITCH, 0)->after, -2, 0);
  expect_count(RH_EVENT_MARK, 1);
  near_abs(expect(RH_EVENT_MARK, 0)->t, (2 + sqrt(2.0)) * t1, LOCATED * 2);
  ck_assert_str_eq(expect(RH_EVENT_MARK, 0)->name, "home");
  ck_assert(rh_sim_view(sim)->fired[0] == 1 && rh_sim_view(sim)->fired[1] == 1);
  ck_assert_double_le(story.worst_residue, 1e-8);
  finish(sim, model);
}

END_TEST

// Held until 0.5 s, then falls: z = 2 - g (t - 0.5)^2 / 2. A free joint, so all six are held and let go.
START_TEST(body_is_released)
{
  rh_scene *scene = rh_scene_create();
  rh_body_def body = body_of("body", 1, rh_v3(0.2, 0, 0), rh_v3(0.1, 0.1, 0.1));
  rh_joint_def joint = joint_of("free", "world", "body", rh_v3(0, 0, 0));
  joint.q = (rh_list){7, {0, 0, 2, 1, 0, 0, 0}};
  joint.held = true;
  add(scene, &body, &joint);
  rh_event_def drop = timed("drop", 0.5);
  drop.release = rh_name_of("body");
  (void)rh_scene_add_event(scene, &drop);
  set_run(scene, "cvode", 1, 1e-11);
  set_frames(scene, 0.1);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  const rh_data *d = rh_sim_view(sim);
  run_to(sim, 0.5 - 1e-9);
  ck_assert(d->q[2] == 2 && d->v[2] == 0);
  near_abs(d->react[2], G, 1e-12);
  near_abs(d->react[4], -0.2 * G, 1e-12); // the moment about y of the weight, held
  run_to(sim, 1);
  ck_assert_int_eq(story.n, 1);
  ck_assert(expect(RH_EVENT_RELEASE, 0)->t == 0.5);
  ck_assert_str_eq(expect(RH_EVENT_RELEASE, 0)->name, "body");
  near_abs(d->q[2], 2 - 0.5 * G * 0.25, 1e-9);
  near_abs(d->v[2], -G * 0.5, 1e-9);
  near_abs(d->q[3], 1, 1e-12); // it does not turn
  ck_assert_double_le(story.worst_residue, 1e-9);
  finish(sim, model);
}

END_TEST

// A block slides on a cart at u, then is held: both go on with the common momentum; the energy lost is that of the relative
// motion, M m u^2 / 2 (M + m).
START_TEST(joint_is_held)
{
  const double M = 3;
  const double m = 1;
  rh_scene *scene = rh_scene_create();
  rh_body_def cart = body_of("cart", M, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
  rh_body_def block = body_of("block", m, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
  rh_joint_def rail = joint_of("prismatic", "world", "cart", rh_v3(1, 0, 0));
  rh_joint_def slide = joint_of("prismatic", "cart", "block", rh_v3(1, 0, 0));
  rail.v = list_of(1, 0.5, 0);
  slide.v = list_of(1, 2, 0);
  add(scene, &cart, &rail);
  add(scene, &block, &slide);
  rh_event_def grab = rh_event_default();
  grab.name = rh_name_of("grab");
  grab.joint = rh_name_of("block");
  grab.position = 0.7;
  grab.hold = rh_name_of("block");
  (void)rh_scene_add_event(scene, &grab);
  rh_event_def again = timed("again", 0.8);
  again.release = rh_name_of("block");
  (void)rh_scene_add_event(scene, &again);
  set_run(scene, "cvode", 1, 1e-11);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  const rh_event *e = expect(RH_EVENT_HOLD, 0);
  near_abs(e->t, 0.35, LOCATED);
  near_abs(e->before, 2, 1e-10);
  ck_assert(e->after == 0);
  near_abs(e->work, -0.5 * M * m / (M + m) * 4, 1e-9);
  near_abs(rh_sim_view(sim)->v[0], 0.5 + m * 2 / (M + m), 1e-10);
  near_abs(rh_sim_view(sim)->v[1], 0, 1e-12); // released at rest, it stays
  near_abs(rh_sim_view(sim)->q[1], 0.7, 1e-9);
  near_abs(rh_sim_ledger(sim).event, e->work, 1e-12);
  ck_assert_double_le(story.worst_residue, 1e-9);
  finish(sim, model);
}

END_TEST

// Passages: either way, only once; and the end of the run.
START_TEST(once_and_stop)
{
  rh_joint_def hinge;
  rh_scene *scene = pendulum_scene(1, &hinge);
  (void)rh_scene_add_joint(scene, &hinge);
  rh_event_def e = rh_event_default();
  e.name = rh_name_of("each");
  e.joint = rh_name_of("bob");
  (void)rh_scene_add_event(scene, &e);
  e.name = rh_name_of("first");
  e.once = true;
  (void)rh_scene_add_event(scene, &e);
  e = timed("end", 3);
  e.stop = true;
  (void)rh_scene_add_event(scene, &e);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  rh_status status = rh_sim_run(sim, 5);
  ck_assert_msg(status == RH_OK || status == RH_STOPPED, "%s", rh_status_name(status));
  ck_assert(*rh_sim_view(sim)->t == 3);
  ck_assert(rh_sim_reason(sim)[0] != '\0');
  expect_count(RH_EVENT_STOP, 1);
  expect_count(RH_EVENT_MARK, 4); // at T/4, 3T/4 and 5T/4, T about 2.14 s; the first one twice
  ck_assert(rh_sim_view(sim)->fired[0] == 3 && rh_sim_view(sim)->fired[1] == 1);
  ck_assert_str_eq(story.event[0].name, "each"); // events of one instant in the order of the scene
  ck_assert_str_eq(story.event[1].name, "first");
  near_abs(story.event[1].t, fall_time(1, 0), LOCATED);
  check_order();
  finish(sim, model);
}

END_TEST

// Moments: at zero, at frames (whose times are rounded products), several at once in the order of the scene, at the end.
START_TEST(moments_are_exact_and_in_order)
{
  static const double when[] = {0.3, 0, 0.30000000000000004, 0.7, 0.3, 1, 1.5};
  static const char *const names[] = {"c", "a", "e", "f", "d", "g", "never"};
  static const char *const order[] = {"a", "c", "d", "e", "f", "g"};
  static const double at[] = {0, 0.3, 0.3, 0.30000000000000004, 0.7, 1};
  static const char *const steppers[] = {"cvode", "rk4", "euler"};
  rh_joint_def hinge;
  rh_scene *scene = pendulum_scene(1, &hinge);
  (void)rh_scene_add_joint(scene, &hinge);
  for (int i = 0; i < RH_COUNT(when); i++) {
    rh_event_def e = timed(names[i], when[i]);
    (void)rh_scene_add_event(scene, &e);
  }
  rh_run_def run = run_of(steppers[_i], 1, _i == 0 ? 1e-9 : 1e-3);
  run.residue = HUGE_VAL; // no verdict on euler's error
  rh_scene_set_run(scene, &run);
  set_frames(scene, 0.1);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 1);
  ck_assert_int_eq(story.n, 6);
  for (int i = 0; i < 6; i++) {
    ck_assert_str_eq(story.event[i].name, order[i]);
    ck_assert_msg(story.event[i].t == at[i], "event %s at %.17g", order[i], story.event[i].t);
  }
  ck_assert_int_eq(story.frames, 11);
  for (int k = 0; k < 11; k++) {
    ck_assert(story.frame_t[k] == k * 0.1);
  }
  finish(sim, model);
}

END_TEST

// A passage exactly where the run and a frame end: event and frame are both told, by this run or the next.
START_TEST(passage_at_the_end)
{
  static const char *const steppers[] = {"cvode", "rk4", "euler"};
  rh_joint_def slide;
  rh_scene *scene = ball_scene(0, 0, &slide);
  set_gravity(scene, rh_v3(0, 0, 0));
  slide.v = list_of(1, 1, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_event_def e = rh_event_default();
  e.name = rh_name_of("there");
  e.joint = rh_name_of("ball");
  e.position = 0.5;
  (void)rh_scene_add_event(scene, &e);
  set_run(scene, steppers[_i], 0.5, _i == 0 ? 1e-10 : 0.125);
  set_frames(scene, 0.25);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  run_to(sim, 0.5);
  ck_assert_msg(story.frames == 3, "%s: %d frames", steppers[_i], story.frames);
  run_to(sim, 1);
  ck_assert_int_eq(story.frames, 5);
  expect_count(RH_EVENT_MARK, 1);
  near_abs(expect(RH_EVENT_MARK, 0)->t, 0.5, LOCATED);
  finish(sim, model);
}

END_TEST

// ---- Guards of the program

typedef struct watch {
  double level;
  int calls;
} watch;

static double height_above(void *user, const rh_data *d)
{
  const watch *w = user;
  return rh_point_position(d, 1, rh_v3(0, 0, 0)).z - w->level;
}

static void turn_round(void *user, rh_data *d)
{
  watch *w = user;
  w->calls++;
  d->v[0] = -0.5 * d->v[0];
}

// A ball falls past 0.7 (only seen) and is thrown back at 0.3 with half its speed.
START_TEST(program_guards)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(1, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  watch high = {0.7, 0};
  watch low = {0.3, 0};
  rh_guard see = {"see", &high, -1, height_above, NULL};
  rh_guard throw_back = {"throw", &low, -1, height_above, turn_round};
  ck_assert_int_eq(rh_sim_add_guard(sim, &see), RH_OK);
  ck_assert_int_eq(rh_sim_add_guard(sim, &throw_back), RH_OK);
  double t1 = sqrt(2 * 0.7 / G);
  double v1 = sqrt(2 * G * 0.7);
  run_to(sim, t1 + 1e-6);
  expect_count(RH_EVENT_MARK, 2);
  near_abs(story.event[0].t, sqrt(2 * 0.3 / G), LOCATED);
  ck_assert_str_eq(story.event[0].name, "see");
  near_abs(story.event[1].t, t1, LOCATED);
  ck_assert_str_eq(story.event[1].name, "throw");
  near_abs(story.event[1].work, -0.5 * BALL * v1 * v1 * 0.75, 1e-7);
  ck_assert_int_eq(low.calls, 1);
  near_abs(rh_sim_view(sim)->v[0], 0.5 * v1, 2e-5);
  run_to(sim, t1 + 2 * 0.5 * v1 / G + 1e-6); // back at 0.3
  ck_assert_int_eq(low.calls, 2);
  near_abs(story.event[2].t, t1 + v1 / G, 2 * LOCATED);
  ck_assert_double_le(story.worst_residue, 1e-8);
  ck_assert_int_ne(rh_sim_add_guard(sim, &see), RH_OK); // too late now
  finish(sim, model);
}

END_TEST

static double line_behind(void *user, const rh_data *d) // a line that rises at 0.1 m/s
{
  (void)user;
  return d->q[0] - 0.1 * *d->t;
}

// The clock is part of the world that a guard sees: 1 - g t^2 / 2 = t / 10.
START_TEST(guards_see_the_clock)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(1, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  rh_guard meet = {"meet", NULL, -1, line_behind, NULL};
  ck_assert_int_eq(rh_sim_add_guard(sim, &meet), RH_OK);
  run_to(sim, 0.449);
  expect_count(RH_EVENT_MARK, 1);
  near_abs(expect(RH_EVENT_MARK, 0)->t, (-0.1 + sqrt(0.01 + 2 * G)) / G, LOCATED);
  finish(sim, model);
}

END_TEST

START_TEST(guards_have_a_limit)
{
  rh_joint_def slide;
  rh_scene *scene = ball_scene(1, 0, &slide);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = NULL;
  rh_sim *sim = start(scene, &model);
  watch at[RH_GUARD_MAX];
  for (int i = 0; i < RH_GUARD_MAX; i++) {
    at[i] = (watch){0.9 - 0.02 * i, 0};
    rh_guard see = {"see", &at[i], 0, height_above, NULL};
    ck_assert_int_eq(rh_sim_add_guard(sim, &see), RH_OK);
  }
  rh_guard more = {"more", &at[0], 0, height_above, NULL};
  ck_assert_int_eq(rh_sim_add_guard(sim, &more), RH_OVER_LIMIT);
  run_to(sim, 0.44); // down to 0.05
  expect_count(RH_EVENT_MARK, RH_GUARD_MAX);
  for (int i = 0; i < RH_GUARD_MAX; i++) {
    near_abs(story.event[i].t, sqrt(2 * (1 - at[i].level) / G), LOCATED);
  }
  finish(sim, model);
}

END_TEST

// A verdict is a statement on the result: not one is an impact of the usual kind, the end of an interval of steps, or
// the end of the run; every error is one.
START_TEST(verdicts_are_statements)
{
  static const rh_event_kind verdict[] = {
      RH_EVENT_GAIN,        RH_EVENT_JAM,     RH_EVENT_NOT_UNIQUE,  RH_EVENT_UNDETERMINED,
      RH_EVENT_FORMULATION, RH_EVENT_EARLY,   RH_EVENT_TAKEOVER,    RH_EVENT_COARSE,
      RH_EVENT_UNSOLVED,    RH_EVENT_RESIDUE, RH_EVENT_RESTITUTION, RH_EVENT_UNRESOLVED};
  bool listed[RH_EVENT_COUNT] = {false};
  for (size_t i = 0; i < sizeof verdict / sizeof *verdict; i++) {
    listed[verdict[i]] = true;
  }
  for (int kind = 0; kind < RH_EVENT_COUNT; kind++) {
    ck_assert_msg(rh_event_is_verdict((rh_event_kind)kind) == listed[kind], "%s",
                  rh_event_word((rh_event_kind)kind));
    ck_assert(!rh_event_is_error((rh_event_kind)kind) || listed[kind]);
  }
}

END_TEST

Suite *rh_suite_unit_events(void)
{
  Suite *suite = suite_create("unit_events");
  TCase *scene = tcase_create("scene");
  tcase_add_test(scene, actuator_switches_at_an_angle);
  tcase_add_test(scene, body_is_released);
  tcase_add_test(scene, joint_is_held);
  tcase_add_test(scene, once_and_stop);
  tcase_add_loop_test(scene, moments_are_exact_and_in_order, 0, 3);
  tcase_add_loop_test(scene, passage_at_the_end, 0, 3);
  tcase_add_test(scene, program_guards);
  tcase_add_test(scene, guards_see_the_clock);
  tcase_add_test(scene, guards_have_a_limit);
  tcase_add_test(scene, verdicts_are_statements);
  suite_add_tcase(suite, scene);
  return suite;
}
