// unit_urdf_gains.c: a scene that includes a robot sets values of its actuators by entries of their
// names.
#include "model/schema.h"
#include "test.h"

#include <routh/routh.h>
#include <stdio.h>
#include <string.h>

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_diag *diag;
  rh_status status;
} world;

static world read_scene(const char *include, const char *rest)
{
  char text[1024];
  world w = {.diag = rh_diag_create()};
  (void)snprintf(text, sizeof text, "include: {urdf: %s, fixed: yes%s}\n%s", "gains.urdf", include,
                 rest);
  w.status = rh_scene_parse(text, strlen(text), ROUTH_SOURCE_DIR "/tests/data/gains.yaml", NULL, 0,
                            w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  return w;
}

static void drop(world *w)
{
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

static world accept(const char *include, const char *rest)
{
  world w = read_scene(include, rest);
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  return w;
}

static const rh_actuator_def *actuator_of(const world *w, const char *name)
{
  for (int i = 0; i < rh_scene_count(w->scene, RH_SECTION_ACTUATORS); i++) {
    const rh_actuator_def *a = rh_scene_item(w->scene, RH_SECTION_ACTUATORS, i);
    if (strcmp(a->name.text, name) == 0) {
      return a;
    }
  }
  ck_abort_msg("no actuator %s", name);
  return NULL;
}

// What the entry gives is set; the joint and the limits come from the robot; other actuators are as
// they were.
START_TEST(gains)
{
  world w = accept("", "actuators: [{name: elbow, kp: 50, kd: 2 N m s/rad, target: 0.3}]\n");
  ck_assert_int_eq(w.model->nactuator, 2);
  const rh_actuator_def *elbow = actuator_of(&w, "elbow");
  ck_assert(elbow->kp == 50 && elbow->kd == 2 && elbow->target.n == 1);
  ck_assert_str_eq(elbow->joint.text, "elbow");
  ck_assert(elbow->limits.n == 2 && elbow->limits.x[0] == -30 && elbow->limits.x[1] == 30);
  const rh_actuator_def *shoulder = actuator_of(&w, "shoulder");
  ck_assert(shoulder->kp == 0 && shoulder->limits.x[1] == 40);
  drop(&w);
}

END_TEST

START_TEST(limits_and_prefix)
{
  world w = accept(", prefix: a_", "actuators: [{name: a_elbow, kp: 50, limits: [-1, 2]}]\n");
  const rh_actuator_def *elbow = actuator_of(&w, "a_elbow");
  ck_assert(elbow->kp == 50 && elbow->limits.x[0] == -1 && elbow->limits.x[1] == 2);
  ck_assert_str_eq(elbow->joint.text, "a_elbow");
  ck_assert_int_eq(w.model->nactuator, 2);
  drop(&w);
}

END_TEST

// What comes out is written, read again, and the same.
START_TEST(written)
{
  world w = accept("", "actuators: [{name: elbow, kp: 50}]\n");
  char *text = rh_scene_write(w.scene, false);
  ck_assert_ptr_nonnull(text);
  rh_scene *again = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "again", NULL, 0, NULL, &again), RH_OK);
  ck_assert_int_eq(rh_scene_count(again, RH_SECTION_ACTUATORS), 2);
  const rh_actuator_def *a = rh_scene_item(again, RH_SECTION_ACTUATORS, 0);
  ck_assert(a->kp == 50 && a->limits.n == 2);
  rh_free(text);
  rh_scene_destroy(again);
  drop(&w);
}

END_TEST

// An entry that names a joint is an actuator by itself, and then its name is taken; one of another
// name needs a joint.
START_TEST(refused)
{
  static const struct {
    const char *rest, *words;
  } cases[] = {
      {"actuators: [{name: elbow, joint: shoulder, kp: 50}]\n", "elbow"},
      {"actuators: [{name: elbo, kp: 50}]\n", "joint"},
      {"actuators: [{name: elbow, kp: 50}, {name: elbow, kd: 50}]\n", "elbow"},
      {"actuators: [{name: elbow, kpp: 50}]\n", "kpp"},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    world w = read_scene("", cases[i].rest);
    ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
    ck_assert_msg(strstr(rh_diag_get(w.diag, 0).text, cases[i].words) != NULL, "%s",
                  rh_diag_get(w.diag, 0).text);
    drop(&w);
  }
}

END_TEST

Suite *rh_suite_unit_urdf_gains(void)
{
  Suite *suite = suite_create("unit_urdf_gains");
  TCase *tests = tcase_create("gains");
  tcase_add_test(tests, gains);
  tcase_add_test(tests, limits_and_prefix);
  tcase_add_test(tests, written);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
