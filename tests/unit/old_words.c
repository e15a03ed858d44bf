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

Suite *rh_suite_unit_old_words(void)
{
  Suite *suite = suite_create("unit_old_words");
  TCase *tests = tcase_create("old_words");
  tcase_add_test(tests, old_keys_are_read);
  tcase_add_test(tests, both_names_are_refused);
  tcase_add_test(tests, parameters_of_time_stepping);
  suite_add_tcase(suite, tests);
  return suite;
}
