// unit_old_words.c: keys of scenes of earlier versions are read as the present ones, with a note.
#include "test.h"

#include <routh/routh.h>

#include <stdio.h>
#include <string.h>

static const char *const form =
    "bodies: [{name: ball, mass: 1}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: floor, body: ball, against: world, law: hunt-crossley, k: 1e5, %s: stronge, "
    "%s: 0.5, %s: 0.05, %s: point}]\n"
    "run: {until: 0.5, %s: moreau}\n";

static rh_status read_text(const char *text, const char *const *set, int nset, rh_diag *diag,
                           uint64_t *hash)
{
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  rh_status status = rh_scene_parse(text, strlen(text), "scene", set, nset, diag, &scene);
  if (status == RH_OK) {
    ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
    *hash = rh_data_hash(rh_sim_view(sim), 0);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status;
}

START_TEST(old_keys_are_read)
{
  char old[1024];
  char now[1024];
  uint64_t hash[2] = {1, 2};
  rh_diag *diag = rh_diag_create();
  (void)snprintf(old, sizeof old, form, "strike", "strike_e", "strike_speed", "per", "impacts");
  (void)snprintf(now, sizeof now, form, "impact_law", "impact_e", "impact_speed", "stiffness_per",
                 "multi_impact");
  ck_assert_int_eq(read_text(now, NULL, 0, diag, &hash[0]), RH_OK);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 0);
  ck_assert_int_eq(read_text(old, NULL, 0, diag, &hash[1]), RH_OK);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 5);
  ck_assert_uint_eq(hash[0], hash[1]);
  const char *const set[] = {"floor.strike_e=0.25"};
  const char *const same[] = {"floor.impact_e=0.25"};
  ck_assert_int_eq(read_text(old, set, 1, NULL, &hash[0]), RH_OK);
  ck_assert_int_eq(read_text(now, same, 1, NULL, &hash[1]), RH_OK);
  ck_assert_uint_eq(hash[0], hash[1]);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(both_names_are_refused)
{
  const char *text = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                     "joints: [{kind: free, child: ball}]\n"
                     "run: {impacts: moreau, multi_impact: cone}\n";
  uint64_t hash;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(read_text(text, NULL, 0, diag, &hash), RH_INPUT_REFUSED);
  ck_assert_int_gt(rh_diag_count(diag, RH_ERROR), 0);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(parameters_of_time_stepping)
{
  const char *text = "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                     "joints: [{kind: free, child: ball}]\n"
                     "run: {stepper: moreau, judge: steps, bounces: 2, sweeps: 7}\n";
  uint64_t hash;
  ck_assert_int_eq(read_text(text, NULL, 0, NULL, &hash), RH_OK);
}

END_TEST

// The texts of the tree move when a new word does not fit any more: at every key once, as the name grows.
START_TEST(texts_that_move)
{
  char text[4096];
  char name[1200];
  for (int n = 1; n < 1100; n += 3) {
    rh_scene *scene = NULL;
    rh_diag *diag = rh_diag_create();
    memset(name, 'x', (size_t)n);
    name[n] = '\0';
    (void)snprintf(text, sizeof text,
                   "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                   "joints: [{kind: free, child: ball}]\nworld: {%s: 1}\n"
                   "run: {stepper: moreau, judge: steps, bounces: 2, sweeps: 7}\n",
                   name);
    ck_assert_int_eq(rh_scene_parse(text, strlen(text), "scene", NULL, 0, diag, &scene),
                     RH_INPUT_REFUSED); // the long name alone
    ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
    ck_assert_ptr_null(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

// ---- run.stepper, which is now run.engine and run.integrator

#define ROOM                                                                                       \
  "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                 \
  "joints: [{kind: free, child: ball}]\nhaptic: {tool: ball}\n"

static const struct {
  const char *old, *now;
} steppers[] = {
    {"cvode", "integrator: cvode"}, {"rk4", "integrator: rk4"},     {"euler", "integrator: euler"},
    {"gbs", "integrator: gbs"},     {"moreau", "engine: stepping"}, {"haptic", "engine: haptic"},
};

// The scene of a text in present words, all values; NULL: refused.
static char *rewrite_scene(const char *text, const char *set, rh_diag *diag)
{
  rh_scene *scene = NULL;
  if (rh_scene_parse(text, strlen(text), "scene", &set, set ? 1 : 0, diag, &scene) != RH_OK) {
    return NULL;
  }
  char *all = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  return all;
}

START_TEST(old_steppers_are_read)
{
  char old[512];
  char now[512];
  char set[64];
  rh_diag *diag = rh_diag_create();
  (void)snprintf(old, sizeof old, ROOM "run: {stepper: %s}\n", steppers[_i].old);
  (void)snprintf(now, sizeof now, ROOM "run: {%s}\n", steppers[_i].now);
  char *want = rewrite_scene(now, NULL, diag);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 0);
  char *got = rewrite_scene(old, NULL, diag);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 1);
  ck_assert(want != NULL && got != NULL);
  ck_assert_str_eq(got, want);
  ck_assert_ptr_null(strstr(got, "stepper"));
  rh_free(got);
  (void)snprintf(set, sizeof set, "run.stepper=%s", steppers[_i].old);
  for (int i = 0; i < RH_COUNT(steppers); i++) { // over any engine and integrator, old word or new
    for (int k = 0; k < 2; k++) {
      (void)snprintf(old, sizeof old, ROOM "run: {%s%s}\n", k == 0 ? "stepper: " : "",
                     k == 0 ? steppers[i].old : steppers[i].now);
      got = rewrite_scene(old, set, NULL);
      ck_assert_ptr_nonnull(got);
      ck_assert_str_eq(got, want);
      rh_free(got);
    }
  }
  rh_free(want);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(steppers_that_are_refused)
{
  static const char *const runs[][2] = {
      {"stepper: moreau, engine: stepping", "stepper is the old name of engine and integrator"},
      {"stepper: rk4, integrator: rk4", "stepper is the old name of engine and integrator"},
      {"stepper: rk5", "no integrator is called 'rk5'; did you mean 'rk4'?"},
      {"stepper: []", "run.integrator must be"},
      {"engine: stepping, integrator: rk4", "is not for the engine stepping, which has none"},
      {"engine: stepping, rtol: 1e-6", "unknown key 'rtol'"},
      {"engine: moreau", "no engine is called 'moreau'"},
      {"integrator: stepping", "no integrator is called 'stepping'"},
  };
  for (int i = 0; i < RH_COUNT(runs); i++) {
    char text[512];
    rh_diag *diag = rh_diag_create();
    (void)snprintf(text, sizeof text, ROOM "run: {%s}\n", runs[i][0]);
    ck_assert_ptr_null(rewrite_scene(text, NULL, diag));
    bool found = false;
    for (int k = 0; k < rh_diag_kept(diag); k++) {
      found = found || strstr(rh_diag_get(diag, k).text, runs[i][1]) != NULL;
    }
    ck_assert_msg(found, "%s: %s", runs[i][0],
                  rh_diag_kept(diag) > 0 ? rh_diag_get(diag, 0).text : "");
    rh_diag_destroy(diag);
  }
}

END_TEST

// An engine that -s chose has no use for the integrator of the file and its values: they are left out, with a warning.
START_TEST(overridden_engine)
{
  rh_diag *diag = rh_diag_create();
  char *text =
      rewrite_scene(ROOM "run: {integrator: cvode, rtol: 1e-6}\n", "run.engine=stepping", diag);
  char *want = rewrite_scene(ROOM "run: {engine: stepping}\n", NULL, NULL);
  ck_assert(text != NULL && want != NULL);
  ck_assert_str_eq(text, want);
  ck_assert_int_eq(rh_diag_count(diag, RH_WARNING), 2);
  ck_assert_ptr_null(rewrite_scene(ROOM "run: {engine: stepping}\n", "run.integrator=rk4", NULL));
  rh_free(text);
  rh_free(want);
  rh_diag_destroy(diag);
}

END_TEST

Suite *rh_suite_unit_old_words(void)
{
  Suite *suite = suite_create("unit_old_words");
  TCase *tests = tcase_create("old_words");
  tcase_add_test(tests, old_keys_are_read);
  tcase_add_test(tests, both_names_are_refused);
  tcase_add_test(tests, parameters_of_time_stepping);
  tcase_add_test(tests, texts_that_move);
  tcase_add_loop_test(tests, old_steppers_are_read, 0, RH_COUNT(steppers));
  tcase_add_test(tests, steppers_that_are_refused);
  tcase_add_test(tests, overridden_engine);
  suite_add_tcase(suite, tests);
  return suite;
}
