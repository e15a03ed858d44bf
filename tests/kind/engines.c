// kind_engines.c: every row of the table of engines must keep what routh/kind.h promises: a complete row, capabilities that
// agree with its functions, a run that counts, restarts and frees. Also the rows of every kind by name.
#include "world.h"

#include <string.h>

static const rh_engine *engine_at(int index)
{
  int count = 0;
  const rh_engine *const *table = rh_engine_table(&count);
  ck_assert_int_lt(index, count);
  return table[index];
}

START_TEST(row_is_complete)
{
  const rh_engine *e = engine_at(_i);
  ck_assert_ptr_eq(rh_engine_find(e->row.name), e);
  ck_assert(e->row.name[0] != '\0' && e->row.doc[0] != '\0' && e->row.cite != NULL);
  ck_assert(e->create && e->restart && e->advance && e->evaluate && e->reason && e->stats &&
            e->destroy);
  ck_assert((e->integrator != NULL) == (e->integrator_row != NULL));
  ck_assert((e->add_guard != NULL) == e->located);
  ck_assert(e->located || rh_row_find(&e->row, "dt") != RH_NONE); // steps of its own
  ck_assert(e->compliant || e->restitution != 0);
  ck_assert(e->integrator == NULL || rh_kind_find("integrators", e->integrator) != NULL);
  ck_assert(e->integrator != NULL || e->stepper != NULL); // a value of run.stepper of version 0.1
  ck_assert_ptr_null(rh_engine_find("moreau"));
}

END_TEST

static rh_model *falling_ball(const char *engine)
{
  char text[512];
  (void)snprintf(text, sizeof text,
                 "bodies: [{name: ball, mass: 2, inertia: [0.5, 0.5, 0.5, 0, 0, 0]}]\n"
                 "joints: [{kind: free, child: ball, q: [0, 0, 9, 1, 0, 0, 0]}]\n"
                 "haptic: {tool: ball}\nrun: {engine: %s, until: 1}\n",
                 engine);
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "s", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  rh_scene_destroy(scene);
  return model;
}

// Free fall for a second: z = 9 - g/2, within g dt of a step of first order; the longest is 2 ms.
START_TEST(a_run)
{
  const rh_engine *e = engine_at(_i);
  rh_model *model = falling_ball(e->row.name);
  ck_assert_ptr_eq(model->run.engine, e);
  ck_assert((model->run.integrator != NULL) == (e->integrator != NULL));
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  rh_guard guard = {.name = "none"};
  ck_assert(e->located || rh_sim_add_guard(sim, &guard) == RH_WRONG_USAGE);
  ck_assert_int_eq(rh_sim_run(sim, 0.5), RH_OK);
  rh_sim_state_changed(sim);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  near_abs(*rh_sim_view(sim)->t, 1, 2e-3); // the first tick at or after the end
  near_abs(rh_sim_view(sim)->q[2], 9 - 0.5 * 9.81, 9.81 * 4e-3);
  ck_assert_int_gt(rh_sim_statistics(sim).step.steps, 0);
  ck_assert_str_eq(rh_sim_reason(sim), "");
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

END_TEST

START_TEST(rows_by_name)
{
  const char *kind = NULL;
  int kinds = 0;
  for (; (kind = rh_kind_name(kinds)) != NULL; kinds++) {
    const rh_row *row = NULL;
    int rows = 0;
    for (; (row = rh_kind_row(kind, rows)) != NULL; rows++) {
      ck_assert_ptr_eq(rh_kind_find(kind, row->name), row);
      ck_assert(row->doc[0] != '\0');
    }
    ck_assert_int_gt(rows, 0);
    ck_assert_ptr_null(rh_kind_row(kind, -1));
    ck_assert_ptr_null(rh_kind_find(kind, "no-such-row"));
  }
  ck_assert_int_eq(kinds, 17);
  ck_assert_ptr_null(rh_kind_name(-1));
  ck_assert_ptr_null(rh_kind_row("steppers", 0));
  ck_assert_ptr_eq(rh_kind_find("engines", "event"), &rh_engine_find("event")->row);
}

END_TEST

Suite *rh_suite_kind_engines(void)
{
  Suite *suite = suite_create("kind_engines");
  TCase *tc = tcase_create("engines");
  int n = 0;
  (void)rh_engine_table(&n);
  tcase_add_loop_test(tc, row_is_complete, 0, n);
  tcase_add_loop_test(tc, a_run, 0, n);
  tcase_add_test(tc, rows_by_name);
  suite_add_tcase(suite, tc);
  return suite;
}
