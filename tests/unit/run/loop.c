// unit_loop.c: the loop that carries a run: frames, resuming, worlds side by side, observers, channels, trouble.
#include "world.h"

#include <stdlib.h>

#define G 9.81

static run_log story; // of the run at hand; each test is its own process

static void add_pendulum(rh_scene *scene, double angle)
{
  rh_body_def bob =
      body_of("bob", 1, rh_v3(0, 0, -1), rh_v3(0, 0, 0)); // a point mass on a rod of 1 m
  rh_joint_def hinge = joint_of("revolute", "world", "bob", rh_v3(0, 1, 0));
  hinge.q = list_of(1, angle, 0);
  add(scene, &bob, &hinge);
}

// A ball that bounces to rest, is lifted off at 2 s, and feels a gust in between: every part of the restart state
// changes in a run.
static void add_ball(rh_scene *scene)
{
  rh_body_def ball = body_of("ball", 1, rh_v3(0, 0, 0), rh_v3(0.1, 0.1, 0.1));
  rh_joint_def slide = joint_of("prismatic", "world", "ball", rh_v3(0, 0, 1));
  slide.q = list_of(1, 0.5, 0);
  slide.limits = list_of(2, 0, 9);
  slide.bounce = 0.3;
  add(scene, &ball, &slide);
  rh_actuator_def lift = rh_actuator_default();
  lift.name = rh_name_of("lift");
  lift.joint = rh_name_of("ball");
  (void)rh_scene_add_actuator(scene, &lift);
  rh_event_def up = rh_event_default();
  up.name = rh_name_of("up");
  up.time = list_of(1, 2, 0);
  up.actuator = lift.name;
  up.effort = 2 * G;
  (void)rh_scene_add_event(scene, &up);
  rh_force_def gust = rh_force_default();
  gust.name = rh_name_of("gust");
  gust.body = rh_name_of("bob");
  gust.force[0] = 0.3;
  gust.from = 0.45;
  gust.until = 2.5;
  (void)rh_scene_add_force(scene, &gust);
}

static rh_model *busy_model(const char *stepper, double accuracy, int batch)
{
  rh_scene *scene = rh_scene_create();
  add_pendulum(scene, 1.2);
  rh_body_def body = body_of("top", 1, rh_v3(0.1, 0, 0), rh_v3(0.1, 0.2, 0.25));
  rh_joint_def joint = joint_of("free", "bob", "top", rh_v3(0, 0, 0));
  joint.v = (rh_list){6, {0, 0, 2, 1, 2, 3}};
  joint.spring = list_of(1, 30, 0); // one number for all six
  joint.damper = list_of(1, 0.1, 0);
  add(scene, &body, &joint);
  add_ball(scene);
  rh_event_def pass = rh_event_default();
  pass.name = rh_name_of("pass");
  pass.joint = rh_name_of("bob");
  pass.position = 0.1;
  (void)rh_scene_add_event(scene, &pass);
  set_run(scene, stepper, 3, accuracy);
  rh_record_def record = rh_record_default();
  record.every = 0.1;
  record.batch = batch;
  rh_scene_set_record(scene, &record);
  return model_of(scene);
}

static const char *const stepper_names[] = {"cvode", "rk4", "euler"};

static double usual(const char *stepper)
{
  return strcmp(stepper, "cvode") == 0 ? 1e-9 : 1e-3;
}

START_TEST(frames_are_on_time)
{
  const char *stepper = stepper_names[_i];
  rh_model *model = busy_model(stepper, usual(stepper), 5);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 1.05); // the run is cut into pieces; frames do not care
  ck_assert_int_eq(story.frames, 11);
  run_to(sim, 1.05);
  ck_assert_int_eq(story.frames, 11);
  run_to(sim, 1.1);
  run_to(sim, 3);
  ck_assert_int_eq(story.frames, 31);
  ck_assert(!story.indices_wrong);
  for (int k = 0; k < 31; k++) {
    ck_assert_msg(story.frame_t[k] == k * 0.1, "frame %d at %.17g", k, story.frame_t[k]);
  }
  rh_sim_stats stats = rh_sim_statistics(sim);
  ck_assert_int_eq(stats.frames, 31);
  ck_assert_int_eq(stats.events, story.n);
  ck_assert_int_gt(story.n, 2);
  ck_assert_int_gt(stats.step.steps, 0);
  ck_assert_int_gt(stats.step.evaluations, 0);
  finish(sim, model);
}

END_TEST

typedef struct states {
  double *x; // frame after frame
  int nstate, frames;
  int from; // first frame that may be told
} states;

static rh_status keep_states(void *user, const rh_sim *sim, long index)
{
  states *s = user;
  ck_assert_int_ge(index, s->from);
  memcpy(s->x + index * s->nstate, rh_sim_view(sim)->state, (size_t)s->nstate * sizeof(double));
  s->frames++;
  return RH_OK;
}

static states keep(rh_sim *sim, states *s, int from)
{
  s->nstate = rh_sim_view(sim)->model->layout.nstate;
  s->x = calloc(40 * (size_t)s->nstate, sizeof(double));
  s->from = from;
  rh_observer observer = {s, keep_states, NULL, NULL};
  rh_sim_observe(sim, &observer);
  return *s;
}

// A run taken up at the end of any batch goes on with the same bits. With batch = 1 that is any frame.
START_TEST(resume_gives_the_same_bits)
{
  const char *stepper = stepper_names[_i];
  for (int batch = 1; batch <= 5; batch += 4) {
    rh_model *model = busy_model(stepper, usual(stepper), batch);
    rh_sim *sim = sim_of(model);
    states all = {0};
    (void)keep(sim, &all, 0);
    run_to(sim, 3);
    ck_assert_int_eq(all.frames, 31);
    size_t bytes = (size_t)all.nstate * sizeof(double);
    for (int k = batch; k < 30; k += batch) {
      rh_sim *again = sim_of(model);
      states some = {0};
      (void)keep(again, &some, k + 1);
      rh_sim_resume(again, k, all.x + k * all.nstate);
      run_to(again, 3);
      ck_assert_int_eq(some.frames, 30 - k);
      for (int f = k + 1; f <= 30; f++) {
        ck_assert_msg(memcmp(some.x + f * all.nstate, all.x + f * all.nstate, bytes) == 0,
                      "%s, batch %d: resumed at frame %d, frame %d differs", stepper, batch, k, f);
      }
      free(some.x);
      rh_sim_destroy(again);
    }
    free(all.x);
    finish(sim, model);
  }
}

END_TEST

// The pieces a run is cut into must not change its frames either, if the cuts are between frames or on them.
START_TEST(two_worlds_share_a_model)
{
  const char *stepper = stepper_names[_i];
  rh_model *model = busy_model(stepper, usual(stepper), 5);
  rh_sim *a = sim_of(model);
  rh_sim *b = sim_of(model);
  rh_sim *c = sim_of(model);
  rh_sim_data(c)->v[0] = 0.5;
  rh_sim_state_changed(c);
  run_to(a, 2);
  for (int k = 1; k <= 4; k++) { // side by side
    run_to(b, 0.5 * k);
    run_to(c, 0.5 * k);
  }
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(a), 0), rh_data_hash(rh_sim_view(b), 0));
  ck_assert_uint_ne(rh_data_hash(rh_sim_view(a), 0), rh_data_hash(rh_sim_view(c), 0));
  rh_sim_destroy(a);
  rh_sim_destroy(b);
  rh_sim_destroy(c);
  rh_model_destroy(model);
}

END_TEST

static rh_status refuse_frame(void *user, const rh_sim *sim, long index)
{
  (void)user;
  (void)sim;
  return index == 7 ? RH_OUTPUT_NOT_WRITTEN : RH_OK;
}

static rh_status refuse_poll(void *user, const rh_sim *sim)
{
  (void)sim;
  int *calls = user;
  return ++*calls == 3 ? RH_INTERRUPTED : RH_OK;
}

START_TEST(observer_ends_the_run)
{
  rh_model *model = busy_model("cvode", 1e-9, 5);
  rh_sim *sim = sim_of(model);
  rh_observer observer = {NULL, refuse_frame, NULL, NULL};
  rh_sim_observe(sim, &observer);
  ck_assert_int_eq(rh_sim_run(sim, 3), RH_OUTPUT_NOT_WRITTEN);
  near_abs(*rh_sim_view(sim)->t, 7 * 0.1, 0);
  rh_sim_destroy(sim);
  sim = sim_of(model);
  int calls = 0;
  rh_observer polite = {&calls, NULL, NULL, refuse_poll};
  rh_sim_observe(sim, &polite);
  ck_assert_int_eq(rh_sim_run(sim, 1e6), RH_INTERRUPTED);
  ck_assert_int_eq(calls, 3);
  ck_assert(rh_sim_reason(sim)[0] != '\0');
  rh_sim_observe(sim, NULL); // and it can go on
  run_to(sim, *rh_sim_view(sim)->t + 0.5);
  finish(sim, model);
}

END_TEST

// Whenever the loop looks up, state and clock belong together: q = cos(100 t) for a spring of 1e4 N/m on 1 kg, seen from
// inside a frame of 20 s and some thousand steps.
static rh_status check_phase(void *user, const rh_sim *sim)
{
  int *calls = user;
  const rh_data *d = rh_sim_view(sim);
  ++*calls;
  near_abs(d->q[0], cos(100 * *d->t), 1e-6); // 2000 rad at rtol 1e-11
  return RH_OK;
}

START_TEST(clock_and_state_belong_together)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  rh_body_def block = body_of("block", 1, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
  rh_joint_def slide = joint_of("prismatic", "world", "block", rh_v3(0, 0, 1));
  slide.spring = list_of(1, 1e4, 0);
  slide.q = list_of(1, 1, 0);
  add(scene, &block, &slide);
  set_run(scene, "cvode", 20, 1e-11);
  set_frames(scene, 20);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  int calls = 0;
  rh_observer observer = {&calls, NULL, NULL, check_phase};
  rh_sim_observe(sim, &observer);
  run_to(sim, 20);
  ck_assert_int_gt(calls, 2);
  finish(sim, model);
}

END_TEST

// A world without bodies runs, and shows its frames.
START_TEST(empty_world_runs)
{
  rh_scene *scene = rh_scene_create();
  set_run(scene, stepper_names[_i], 1, usual(stepper_names[_i]));
  set_frames(scene, 0.25);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 1);
  ck_assert_int_eq(story.frames, 5);
  ck_assert(rh_sim_ledger(sim).residue == 0);
  finish(sim, model);
}

END_TEST

// A world that flies apart ends with a status, not with a hang or with NaN in a frame: two unit masses on a slider whose
// damper works backwards cannot be written, so the state itself is made infinite.
START_TEST(not_finite_is_a_status)
{
  const char *stepper = stepper_names[_i];
  rh_model *model = busy_model(stepper, usual(stepper), 5);
  rh_sim *sim = sim_of(model);
  run_to(sim, 0.5);
  rh_sim_data(sim)->v[0] = 1e200; // squares overflow
  rh_sim_state_changed(sim);
  rh_status status = rh_sim_run(sim, 3);
  ck_assert_msg(rh_status_exit_code(status) == 4, "%s: %s", stepper, rh_status_name(status));
  ck_assert(rh_sim_reason(sim)[0] != '\0');
  finish(sim, model);
}

END_TEST

// Channels say what the state says.
START_TEST(channels_read_the_world)
{
  rh_scene *scene = rh_scene_create();
  add_pendulum(scene, 0.4);
  rh_point_def tip = rh_point_default();
  tip.name = rh_name_of("tip");
  tip.body = rh_name_of("bob");
  tip.at[2] = -1;
  (void)rh_scene_add_point(scene, &tip);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 0.5);
  rh_channels *channels = rh_channels_create(model);
  ck_assert_ptr_nonnull(channels);
  const char *const names[] = {"t",     "bob.q",          "bob.v",           "tip.x",
                               "tip.z", "energy.kinetic", "energy.potential"};
  int index[7];
  double x[7];
  for (int i = 0; i < 7; i++) {
    index[i] = rh_channel_find(channels, names[i]);
    ck_assert_msg(index[i] != RH_NONE, "no channel '%s'", names[i]);
    ck_assert_str_eq(rh_channel_name(channels, index[i]), names[i]);
    ck_assert(rh_unit_known(rh_channel_unit(channels, index[i])));
  }
  rh_channels_read(channels, rh_sim_data(sim), index, 7, x);
  double q = rh_sim_view(sim)->q[0];
  double v = rh_sim_view(sim)->v[0];
  const double want[7] = {0.5, q, v, -sin(q), -cos(q), 0.5 * v * v, -G * cos(q)};
  near_array(x, want, 7, 1e-13, 0); // a few operations on numbers up to ten
  ck_assert_int_eq(rh_channel_find(channels, "no.such"), RH_NONE);
  rh_channels_destroy(channels);
  finish(sim, model);
}

END_TEST

// A target that moves from where the joint is when the command is given: q0 + rate t + accel t^2 / 2.
START_TEST(a_moving_target_is_a_channel)
{
  rh_scene *scene = rh_scene_create();
  add_pendulum(scene, 0.4);
  rh_actuator_def motor = rh_actuator_default();
  motor.name = rh_name_of("motor");
  motor.joint = rh_name_of("bob");
  motor.kp = 5;
  motor.kd = 1;
  motor.rate = 0.3;
  motor.accel = -0.2;
  (void)rh_scene_add_actuator(scene, &motor);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, 0.5);
  rh_channels *channels = rh_channels_create(model);
  int index[2] = {rh_channel_find(channels, "motor.target"),
                  rh_channel_find(channels, "motor.effort")};
  ck_assert_int_ne(index[0], RH_NONE);
  ck_assert_str_eq(rh_channel_unit(channels, index[0]), "rad");
  double x[2];
  rh_channels_read(channels, rh_sim_data(sim), index, 2, x);
  double q = rh_sim_view(sim)->q[0];
  double v = rh_sim_view(sim)->v[0];
  near_abs(x[0], 0.4 + 0.3 * 0.5 - 0.2 * 0.125, 1e-15); // a few roundings of numbers below one
  near_abs(x[1], 5 * (x[0] - q) + (0.3 - 0.2 * 0.5 - v), 1e-14);
  rh_channels_destroy(channels);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_loop(void)
{
  Suite *suite = suite_create("unit_loop");
  int n = RH_COUNT(stepper_names);
  TCase *loop = tcase_create("loop");
  tcase_add_loop_test(loop, frames_are_on_time, 0, n);
  tcase_add_loop_test(loop, resume_gives_the_same_bits, 0, n);
  tcase_add_loop_test(loop, two_worlds_share_a_model, 0, n);
  tcase_add_test(loop, observer_ends_the_run);
  tcase_add_test(loop, clock_and_state_belong_together);
  tcase_add_loop_test(loop, empty_world_runs, 0, n);
  tcase_add_loop_test(loop, not_finite_is_a_status, 0, n);
  tcase_add_test(loop, channels_read_the_world);
  tcase_add_test(loop, a_moving_target_is_a_channel);
  suite_add_tcase(suite, loop);
  return suite;
}
