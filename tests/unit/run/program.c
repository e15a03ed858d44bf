// unit_program.c: what a program of one's own uses beside scenes: parameters by name, rows of its own, single steps, forces at points.
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const engines[] = {"integrator: cvode", "integrator: rk4", "engine: stepping"};

static rh_sim *ball_in_space(const char *engine, rh_model **model)
{
  char text[512];
  (void)snprintf(text, sizeof text,
                 "world: {gravity: [0, 0, 0]}\n"
                 "bodies: [{name: ball, mass: 2, inertia: [0.5, 0.5, 0.5, 0, 0, 0]}]\n"
                 "joints: [{kind: free, child: ball, q: [1, 2, 3, 1, 0, 0, 0]}]\n"
                 "run: {%s, until: 1}\n",
                 engine);
  rh_scene *scene = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "ball", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, model), RH_OK);
  ck_assert_int_eq(rh_sim_create(*model, NULL, &sim), RH_OK);
  rh_scene_destroy(scene);
  return sim;
}

static void free_all(rh_sim *sim, rh_model *model)
{
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

// A constant force F at r from the centre: m v = F t, I w = (r x F) t.
START_TEST(force_at_a_point)
{
  rh_model *model = NULL;
  rh_sim *sim = ball_in_space(engines[_i], &model);
  rh_vec3 force = rh_v3(0, 3, 0);
  ck_assert_int_eq(rh_sim_apply_force(sim, 0, rh_v3(0, 0, 0), force), RH_WRONG_USAGE);
  ck_assert_int_eq(rh_sim_apply_force(sim, 2, rh_v3(0, 0, 0), force), RH_WRONG_USAGE);
  ck_assert_int_eq(rh_sim_apply_force(sim, 1, rh_v3(1.1, 2, 3), force), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  const double *v = rh_sim_view(sim)->v;
  const double want[6] = {0, 0.75, 0, 0, 0, 0.3}; // of the free joint: velocity, angular velocity
  for (int i = 0; i < 6; i++) {
    ck_assert_msg(fabs(v[i] - want[i]) < 1e-9, "%s: v[%d] = %.12g", engines[_i], i, v[i]);
  }
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-3); // first order in dt under moreau
  rh_sim_clear_forces(sim);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  ck_assert(fabs(rh_sim_view(sim)->v[1] - 0.75) < 1e-9);
  free_all(sim, model);
}

END_TEST

// The moment is about the origin of the body, also of one that another body carries: a force at that origin turns nothing.
START_TEST(force_on_a_carried_body)
{
  const char text[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: cart, mass: 1}, {name: wheel, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{kind: prismatic, child: cart, axis: [1, 0, 0], at: [0, 0, 5], q: 3},\n"
      "  {kind: revolute, parent: cart, child: wheel, axis: [0, 1, 0], at: [1, 0, 0]}]\n"
      "run: {until: 1}\n";
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_scene_parse(text, sizeof text - 1, "cart", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_apply_force(sim, 2, rh_v3(4, 0, 5), rh_v3(6, 0, 0)), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  ck_assert(fabs(rh_sim_view(sim)->v[0] - 3) < 1e-9); // 6 N on 2 kg
  ck_assert(fabs(rh_sim_view(sim)->v[1]) < 1e-12);
  rh_scene_destroy(scene);
  free_all(sim, model);
}

END_TEST

// Steps of its own, or frames: the clock goes on by exactly that, and the bits are those of a run.
START_TEST(single_steps)
{
  rh_model *model = NULL;
  rh_model *other = NULL;
  rh_sim *sim = ball_in_space(engines[_i], &model);
  rh_sim *run = ball_in_space(engines[_i], &other);
  int index = rh_row_find(&model->run.engine->row, "dt");
  bool ticks = strcmp(engines[_i], "engine: stepping") == 0;
  double step = ticks ? model->run.engine_par[rh_row_offset(&model->run.engine->row, index)]
                      : model->run.every;
  ck_assert_int_eq(rh_sim_apply_force(sim, 1, rh_v3(1, 2, 3.1), rh_v3(1, 0, 0)), RH_OK);
  ck_assert_int_eq(rh_sim_apply_force(run, 1, rh_v3(1, 2, 3.1), rh_v3(1, 0, 0)), RH_OK);
  for (int i = 1; i <= 50; i++) {
    ck_assert_int_eq(rh_sim_step(sim), RH_OK);
    ck_assert(fabs(*rh_sim_view(sim)->t - i * step) < 1e-12);
  }
  ck_assert_int_eq(rh_sim_run(run, 50 * step), RH_OK);
  if (ticks) {
    ck_assert_uint_eq(rh_data_hash(rh_sim_view(sim), 0), rh_data_hash(rh_sim_view(run), 0));
  }
  free_all(sim, model);
  free_all(run, other);
}

END_TEST

START_TEST(parameters_by_name)
{
  rh_contact_def c = rh_contact_default("hunt-crossley", "dry");
  ck_assert_int_eq(rh_contact_set(&c, "k", 12345), RH_OK);
  ck_assert_int_eq(rh_contact_set(&c, "mu_k", 0.25), RH_OK);
  ck_assert(c.par[rh_row_offset(&rh_normal_law_find("hunt-crossley")->row, 0)] == 12345);
  rh_contact_def before = c;
  ck_assert_int_eq(rh_contact_set(&c, "nothing", 1), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_contact_set(&c, "mu_k", -1), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_contact_set(&c, "mu_k", (double)NAN), RH_INPUT_REFUSED);
  ck_assert_int_eq(memcmp(&c, &before, sizeof c), 0);
  rh_joint_def j = rh_joint_default("revolute");
  const double axis[] = {0, 1, 0};
  ck_assert_int_eq(rh_joint_set_vector(&j, "axis", axis), RH_OK);
  ck_assert(j.par[1] == 1);
  ck_assert_int_eq(rh_joint_set(&j, "axis", 1),
                   RH_INPUT_REFUSED); // one number where there are three
  rh_run_def run = rh_run_default("stepping", NULL);
  ck_assert_int_eq(rh_run_set(&run, "dt", 2e-3), RH_OK);
  ck_assert_int_eq(rh_run_set(&run, "rtol", 1e-3), RH_INPUT_REFUSED); // of an integrator
}

END_TEST

static void quiet_force(const rh_normal_in *in, rh_normal_out *out)
{
  *out = (rh_normal_out){.spring = in->depth};
}

START_TEST(rows_of_a_program)
{
  static const rh_normal_law mine = {.row = {.name = "mine", .cite = "", .doc = "a law"},
                                     .force = quiet_force};
  static const rh_normal_law hertz = {.row = {.name = "hertz", .cite = "", .doc = "a law"},
                                      .force = quiet_force};
  int before;
  int after;
  (void)rh_normal_law_table(&before);
  ck_assert_int_eq(rh_normal_law_register(&mine), RH_OK);
  ck_assert_ptr_eq(rh_normal_law_find("mine"), &mine);
  ck_assert_int_eq(rh_normal_law_register(&mine), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_normal_law_register(&hertz), RH_INPUT_REFUSED);
  ck_assert_int_eq(rh_normal_law_register(NULL), RH_INPUT_REFUSED);
  (void)rh_normal_law_table(&after);
  ck_assert_int_eq(after, before + 1);
  static char name[40][8];
  static rh_normal_law many[40];
  int taken = 0;
  for (int i = 0; i < 40; i++) {
    (void)snprintf(name[i], sizeof name[i], "law%d", i);
    many[i] = mine;
    many[i].row.name = name[i];
    taken += rh_normal_law_register(&many[i]) == RH_OK;
  }
  ck_assert_int_eq(taken, 31); // and `mine`
}

END_TEST

START_TEST(version)
{
  ck_assert_str_eq(rh_version(), RH_VERSION);
}

END_TEST

Suite *rh_suite_unit_program(void)
{
  Suite *suite = suite_create("unit_program");
  TCase *tests = tcase_create("program");
  tcase_add_loop_test(tests, force_at_a_point, 0, RH_COUNT(engines));
  tcase_add_test(tests, force_on_a_carried_body);
  tcase_add_loop_test(tests, single_steps, 0, RH_COUNT(engines));
  tcase_add_test(tests, parameters_by_name);
  tcase_add_test(tests, rows_of_a_program);
  tcase_add_test(tests, version);
  suite_add_tcase(suite, tests);
  return suite;
}
