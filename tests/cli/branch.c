// cli_branch.c: `routh run --from`: runs that leave a recorded one at a frame, scenes that start as another run was,
// keyframes. A branch without a change has the states of the run that it left; one with a change is run again with the
// same bits, and has the frames of the first run before it.
#include "program.h"

#include <routh/record.h>

#define SCENES ROUTH_SOURCE_DIR "/scenes/"

static rh_recording *open_recording(const char *path)
{
  rh_recording *r = NULL;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_recording_open(path, diag, &r), RH_OK);
  ck_assert_int_eq(rh_recording_verify(r, diag), RH_OK);
  rh_diag_destroy(diag);
  return r;
}

// First frame from which on the states of two recordings differ in a bit; the number of frames: none
static long first_difference(const char *a, const char *b)
{
  rh_recording *x = open_recording(a);
  rh_recording *y = open_recording(b);
  size_t n = (size_t)rh_recording_model(x)->layout.nstate;
  ck_assert_int_eq(rh_recording_model(y)->layout.nstate, (int)n);
  double *s = calloc(2 * n, sizeof *s);
  long frames = rh_recording_frames(x);
  frames = rh_recording_frames(y) < frames ? rh_recording_frames(y) : frames;
  long i = 0;
  for (; i < frames; i++) {
    ck_assert_int_eq(rh_recording_frame(x, i, s, NULL, NULL), RH_OK);
    ck_assert_int_eq(rh_recording_frame(y, i, s + n, NULL, NULL), RH_OK);
    if (memcmp(s, s + n, n * sizeof *s) != 0) {
      break;
    }
  }
  free(s);
  rh_recording_close(x);
  rh_recording_close(y);
  return i;
}

static void expect_success(rh_output output)
{
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

static const struct {
  const char *scene, *engine, *set, *at;
  long frame;
} left[] = {
    {SCENES "stop.yaml", "event", "rod.mass=3", "0.5", 50},
    {SCENES "stop.yaml", "event", "rod.mass=3", "0.337", 33},
    {SCENES "ball.yaml", "event", "floor.mu=0.1", "0.21", 21},
    {SCENES "slope.yaml", "stepping", "world.gravity=[1, 0, -9.81]", "0.33", 33},
    {SCENES "stack.yaml", "stepping", "world.gravity=[2, 0, -9.81]", "0.2", 20},
};

// The frames before the branch are the old ones, and the new run is repeated with the same bits.
START_TEST(branch_with_a_change)
{
  char from[64];
  rh_folder_enter();
  expect_success(routh("run", left[_i].scene, "--engine", left[_i].engine, "--until", "0.8", "-s",
                       "record.every=0.01", "-s", "record.batch=10", "-o", "a.rhr", "-q"));
  (void)snprintf(from, sizeof from, "a.rhr@%s", left[_i].at);
  rh_output output = routh("run", "--from", from, "-s", left[_i].set, "--until", "0.9", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_double_eq(rh_json_number_at(output.out, "frame"), (double)left[_i].frame);
  rh_output_free(&output);
  long differ = first_difference("a.rhr", "a-branch.rhr");
  ck_assert_int_gt(differ, left[_i].frame);
  ck_assert_int_lt(differ, 80);
  output = routh("run", "a-branch.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.err, "the same bits in 91 of 91 frames, with 1 input");
  rh_output_free(&output);
  expect_success(routh("run", "--resume", "a-branch.rhr", "--until", "1"));
  expect_success(routh("run", "a-branch.rhr"));
  // a branch of the branch
  expect_success(routh("run", "--from", "a-branch.rhr@0.6", "--until", "0.7", "-o", "b.rhr", "-q"));
  ck_assert_int_gt(first_difference("b.rhr", "a-branch.rhr"), 60);
  expect_success(routh("run", "b.rhr"));
  rh_folder_leave();
}

END_TEST

// Steps of a time-stepping engine know nothing but the state: without a change the run is the same to its end.
START_TEST(branch_without_a_change)
{
  rh_folder_enter();
  expect_success(routh("run", SCENES "stack.yaml", "--engine", "stepping", "--until", "0.5", "-s",
                       "record.every=0.01", "-o", "a.rhr", "-q"));
  expect_success(routh("run", "--from", "a.rhr@0.23", "-o", "b.rhr", "-q"));
  ck_assert_int_eq(first_difference("a.rhr", "b.rhr"), 51);
  // where the frame ends a batch, the engine event begins anew in every run
  expect_success(routh("run", SCENES "stop.yaml", "--until", "1", "-s", "record.batch=10", "-o",
                       "c.rhr", "-q"));
  expect_success(routh("run", "--from", "c.rhr@0.5", "-o", "d.rhr", "-q"));
  ck_assert_int_eq(first_difference("c.rhr", "d.rhr"), 101);
  rh_folder_leave();
}

END_TEST

static void expect_refused(int exit_code, const char *part, rh_output output)
{
  ck_assert_int_eq(output.exit_code, exit_code);
  ck_contains(output.err, part);
  rh_output_free(&output);
}

START_TEST(what_a_branch_cannot_change)
{
  rh_folder_enter();
  expect_success(routh("run", SCENES "stop.yaml", "--until", "1", "-o", "a.rhr", "-q"));
  expect_refused(2, "joint 'hinge' is where it is at the frame",
                 routh("run", "--from", "a.rhr@0.5", "-s", "hinge.q=0.9"));
  expect_refused(2, "none at 7", routh("run", "--from", "a.rhr@7", "--until", "9"));
  expect_refused(2, "none at -1", routh("run", "--from", "a.rhr@-1", "--until", "9"));
  expect_refused(2, "--until T", routh("run", "--from", "a.rhr@1"));
  expect_refused(2, "the recording itself",
                 routh("run", "--from", "a.rhr@0.5", "-o", "a.rhr", "--until", "2"));
  expect_refused(3, "cannot change", routh("run", "--from", "a.rhr@0.5", "--engine", "stepping"));
  expect_refused(3, "cannot be read", routh("run", "--from", "none.rhr@0.5"));
  expect_refused(2, "standard input", routh("run", "-", "--from", "a.rhr@0.5"));
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_folder_leave();
}

END_TEST

// Another scene, engine and time: joints of the same name start as they were; what the command line says wins.
START_TEST(scene_from_a_frame)
{
  rh_folder_enter();
  expect_success(routh("run", SCENES "double-pendulum.yaml", "--until", "1", "-o", "a.rhr", "-q"));
  expect_success(routh("run", SCENES "double-pendulum.yaml", "--from", "a.rhr@0.7", "--engine",
                       "stepping", "--until", "0.1", "-o", "b.rhr", "-q"));
  rh_recording *a = open_recording("a.rhr");
  rh_recording *b = open_recording("b.rhr");
  rh_data *x = NULL;
  rh_data *y = NULL;
  ck_assert_int_eq(rh_recording_world(a, 70, &x, NULL, NULL), RH_OK);
  ck_assert_int_eq(rh_recording_world(b, 0, &y, NULL, NULL), RH_OK);
  ck_assert_double_eq(*y->t, 0);
  ck_assert_int_gt(x->model->nv, 1);
  for (int i = 0; i < x->model->nv; i++) {
    ck_assert_double_eq(y->q[i], x->q[i]);
    ck_assert_double_eq(y->v[i], x->v[i]);
  }
  rh_recording_close(a);
  rh_recording_close(b);
  rh_folder_leave();
}

END_TEST

static const char keyed[] =
    "bodies:\n"
    "  - {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], q: 30 deg, limits: [-2, 2]}\n"
    "actuators:\n"
    "  - {name: motor, joint: hinge, effort: 0.5}\n"
    "keyframes:\n"
    "  - {keyframe: up, joint: hinge, q: -1.5, v: 0.25}\n"
    "  - {keyframe: up, actuator: motor, effort: 2}\n"
    "  - {keyframe: down, joint: hinge, q: 1.5}\n"
    "run: {until: 0.1}\n";

static void write_scene(const char *text)
{
  FILE *file = fopen("k.yaml", "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

static void expect_start(const char *recording, double q, double v, double effort)
{
  rh_recording *r = open_recording(recording);
  rh_data *d = NULL;
  ck_assert_int_eq(rh_recording_world(r, 0, &d, NULL, NULL), RH_OK);
  ck_assert_double_eq(d->q[0], q);
  ck_assert_double_eq(d->v[0], v);
  ck_assert_double_eq(d->command[0].effort, effort);
  rh_recording_close(r);
}

START_TEST(keyframes)
{
  rh_folder_enter();
  write_scene(keyed);
  expect_success(routh("run", "k.yaml", "--from", "up", "-o", "a.rhr", "-q"));
  expect_start("a.rhr", -1.5, 0.25, 2);
  expect_success(routh("run", "a.rhr"));
  expect_success(routh("run", "k.yaml", "-s", "run.keyframe=down", "-o", "b.rhr", "-q"));
  expect_start("b.rhr", 1.5, 0, 0.5);
  expect_success(routh("run", "k.yaml", "--from", "up", "-s", "hinge.q=-0.5", "-o", "c.rhr", "-q"));
  expect_start("c.rhr", -0.5, 0.25, 2);
  expect_success(routh("convert", "k.yaml", "-s", "run.keyframe=up", "-o", "d.yaml"));
  expect_success(routh("run", "d.yaml", "-o", "d.rhr", "-q"));
  expect_start("d.rhr", -1.5, 0.25, 2);
  expect_success(routh("run", "d.yaml", "--from", "down", "-o", "e.rhr", "-q")); // it keeps them
  expect_start("e.rhr", 1.5, 0.25, 2);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *find, *put, *message;
} wrong_keys[] = {
    {"until: 0.1", "until: 0.1, keyframe: left",
     "there is no keyframe 'left'; the scene has up, down"},
    {"until: 0.1", "until: 0.1, keyframe: [up]", "there is no keyframe 'a list'"},
    {"joint: hinge, q: 1.5", "joint: hing, q: 1.5", "hing"},
    {"q: 1.5}", "q: [1, 2]}", "takes 1 number for this joint, got 2"},
    {"q: 1.5}", "actuator: motor}", "must have a joint or an actuator"},
    {"effort: 2", "q: 2", "is that of a joint"},
    {"joint: hinge, q: 1.5", "joint: hinge, effort: 1.5", "is that of an actuator"},
    {"until: 0.1", "until: 0.1, keyframe: down", NULL},
    {"q: 1.5}\nrun: {", "q: 3}\nrun: {keyframe: down, ", "must start within the limits"},
};

START_TEST(wrong_keyframes)
{
  char text[2 * sizeof keyed];
  const char *at = strstr(keyed, wrong_keys[_i].find);
  ck_assert_ptr_nonnull(at);
  (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - keyed), keyed, wrong_keys[_i].put,
                 at + strlen(wrong_keys[_i].find));
  rh_folder_enter();
  write_scene(text);
  rh_output output = routh("run", "k.yaml", "--no-record");
  ck_assert_int_eq(output.exit_code, wrong_keys[_i].message == NULL ? 0 : 3);
  if (wrong_keys[_i].message != NULL) {
    ck_contains(output.err, wrong_keys[_i].message);
    ck_contains(output.err, "k.yaml:");
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_branch(void)
{
  Suite *suite = suite_create("cli_branch");
  TCase *tcase = tcase_create("branch");
  tcase_add_loop_test(tcase, branch_with_a_change, 0, RH_COUNT(left));
  tcase_add_test(tcase, branch_without_a_change);
  tcase_add_test(tcase, what_a_branch_cannot_change);
  tcase_add_test(tcase, scene_from_a_frame);
  tcase_add_test(tcase, keyframes);
  tcase_add_loop_test(tcase, wrong_keyframes, 0, RH_COUNT(wrong_keys));
  suite_add_tcase(suite, tcase);
  return suite;
}
