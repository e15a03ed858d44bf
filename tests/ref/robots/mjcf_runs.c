// ref_mjcf_runs.c: motions of models in MJCF against those that MuJoCo 3.14 integrates (Runge-Kutta, 1e-4 s) without contacts,
// limits, dry friction and equalities, with actuators off or their controls held: 1e-8, or five times what the reference itself
// changes with twice its step. The small models of tests/data/mjcf, and with ROUTH_DATA set those of its folder mjcf/.
#include "mjcf_models.h"

#include <unistd.h>

#define DATA ROUTH_SOURCE_DIR "/tests/data/mjcf/"

// A model that includes the file and switches off what the reference has without.
static void write_wrapper(const char *path, const char *model, bool off)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  (void)fprintf(file,
                "<mujoco><include file=\"%s\"/><option><flag contact=\"disable\" limit=\"disable\" "
                "frictionloss=\"disable\" equality=\"disable\"%s/></option></mujoco>",
                model, off ? " actuation=\"disable\"" : "");
  (void)fclose(file);
}

static world open_wrapped(const char *model, bool off)
{
  static const char *const set[] = {"run.rtol=1e-12", "run.atol=1e-12", "run.engine=event"};
  char path[] = "/tmp/routh-mjcf-XXXXXX";
  char full[64];
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  (void)close(fd);
  snprintf(full, sizeof full, "%s.xml", path);
  write_wrapper(full, model, off);
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_load(full, set, RH_COUNT(set), w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  (void)unlink(full);
  (void)unlink(path);
  ck_assert_msg(w.status == RH_OK, "%s: %s", model, rh_diag_get(w.diag, 0).text);
  return w;
}

static double largest_difference(const double *x, const double *y, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(x[i] - y[i]) / fmax(1, fabs(y[i])));
  }
  return worst;
}

static void compare_run(const reference *r, int run, const char *name, const char *model)
{
  const char *how = rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, run, "actuators"));
  bool off = strcmp(how, "off") == 0;
  world w = open_wrapped(model, off);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(w.model, w.diag, &sim), RH_OK);
  rh_data *d = rh_sim_data(sim);
  int state = r->tree.node[rh_yaml_find(&r->tree, r->root, "states")].first;
  double *q = numbers_at(r, state, "qpos", w.model->nq);
  double *v = numbers_at(r, state, "qvel", w.model->nv);
  double *u = numbers_at(r, state, "ctrl", w.model->nactuator > 0 ? w.model->nactuator : 0);
  double *q1 = numbers_at(r, run, "qpos", w.model->nq);
  double *v1 = numbers_at(r, run, "qvel", w.model->nv);
  turn_speeds(r, q, false, v);
  memcpy(d->q, q, (size_t)w.model->nq * sizeof *q);
  memcpy(d->v, v, (size_t)w.model->nv * sizeof *v);
  for (int i = 0; i < w.model->nactuator; i++) {
    d->command[i].effort = u[i];
  }
  rh_sim_state_changed(sim);
  ck_assert_int_eq(rh_sim_run(sim, number_at(r, run, "seconds")), RH_OK);
  d = rh_sim_data(sim);
  memcpy(v, d->v, (size_t)w.model->nv * sizeof *v);
  turn_speeds(r, d->q, true, v);
  double bar = fmax(1e-8, 5 * number_at(r, run, "change_from_dt_2e_4"));
  double eq = largest_difference(d->q, q1, w.model->nq);
  double ev = largest_difference(v, v1, w.model->nv);
  if (getenv("ROUTH_TEST_TABLE")) {
    (void)fprintf(stderr, "%-28s %-4s q %.1e, v %.1e of %.1e\n", name, off ? "off" : "held", eq, ev,
                  bar);
  }
  ck_assert_msg(eq < bar && ev < bar, "%s, actuators %s: q %g, v %g, bar %g", name, how, eq, ev,
                bar);
  double *all[] = {q, v, u, q1, v1};
  for (int i = 0; i < RH_COUNT(all); i++) {
    free(all[i]);
  }
  rh_sim_destroy(sim);
  drop_world(&w);
}

static int compare_runs(const char *name, const char *numbers, const char *model)
{
  reference r = open_reference(numbers);
  int runs = rh_yaml_find(&r.tree, r.root, "trajectories");
  int n = 0;
  for (int v = runs == RH_NONE ? RH_NONE : r.tree.node[runs].first; v != RH_NONE;
       v = r.tree.node[v].next) {
    compare_run(&r, v, name, model);
    n++;
  }
  rh_yaml_free(&r.tree);
  return n;
}

static const char *const trap[] = {"trap_actuator", "trap_defaults", "trap_euler", "trap_joints",
                                   "trap_mesh",     "trap_passive",  "trap_tendon"};

START_TEST(traps)
{
  char model[512];
  char numbers[512];
  snprintf(model, sizeof model, DATA "%s.xml", trap[_i]);
  snprintf(numbers, sizeof numbers, DATA "%s.json", trap[_i]);
  ck_assert_int_gt(compare_runs(trap[_i], numbers, model), 0);
}

END_TEST

START_TEST(public_models)
{
  const char *folder = getenv("ROUTH_DATA");
  char path[2048];
  char model[2048];
  char name[128];
  char file[256];
  snprintf(path, sizeof path, "%s/mjcf/README.md", folder ? folder : "");
  FILE *list = folder ? fopen(path, "r") : NULL;
  if (!list) {
    (void)fprintf(stderr,
                  "ref_mjcf_runs: ROUTH_DATA/mjcf is not there: public models are not checked\n");
    return;
  }
  while (next_model(list, name, file)) {
    snprintf(model, sizeof model, "%s/mjcf/%s", folder, file);
    snprintf(path, sizeof path, "%s/../reference/mjcf/%s.json", folder, name);
    (void)compare_runs(name, path, model);
  }
  (void)fclose(list);
}

END_TEST

Suite *rh_suite_ref_mjcf_runs(void)
{
  Suite *suite = suite_create("ref_mjcf_runs");
  TCase *models = tcase_create("models");
  tcase_set_timeout(models, 300); // clock: a watchdog
  tcase_add_loop_test(models, traps, 0, RH_COUNT(trap));
  tcase_add_test(models, public_models);
  suite_add_tcase(suite, models);
  return suite;
}
