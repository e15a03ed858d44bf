// ref_quadruped.c: a quadruped of a public collection (ROUTH_DATA/mjcf/anymal_c) stands, trots on the spot by its servos after values
// from a CSV file, and falls where they are off: in the engines event and stepping, with contact forces that carry its weight.
#include "mjcf_models.h"

#include <unistd.h>

enum { LEGS = 4 };

static const char *const leg[LEGS] = {"LF", "RF", "LH", "RH"};
static const double WEIGHT = 44.9652 * 9.81; // [N] mass of its README

static double lift_at(int i, double t) // of leg i, diagonal legs together, from 0.5 s on
{
  double phase = t / 0.5 + (i == 1 || i == 2 ? 0.5 : 0);
  return t > 0.5 ? fmax(0, sin(2 * acos(-1.0) * phase)) : 0;
}

static void write_gait(const char *path, bool walks)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs("t", file);
  for (int i = 0; i < LEGS; i++) {
    (void)fprintf(file, ",%s_HAA,%s_HFE,%s_KFE", leg[i], leg[i], leg[i]);
  }
  for (int k = 0; k <= (walks ? 100 : 0); k++) {
    (void)fprintf(file, "\n%.3f", 0.025 * k);
    for (int i = 0; i < LEGS; i++) {
      double lift = lift_at(i, 0.025 * k);
      double side = i < 2 ? 1 : -1;
      (void)fprintf(file, ",0,%.9g,%.9g", side * (0.45 + 0.15 * lift), -side * (0.95 + 0.4 * lift));
    }
  }
  (void)fclose(file);
}

typedef struct outcome {
  double mean;   // [N] of the forces over the last second
  double height; // [m] of the base
} outcome;

// `how`: 0 stands, 1 trots, 2 falls
static outcome run_robot(const char *data, const char *engine, int how)
{
  char folder[] = "/tmp/routh-robot-XXXXXX";
  char path[3][64];
  char set[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int i = 0; i < 3; i++) {
    (void)snprintf(path[i], sizeof path[i], "%s/%s", folder,
                   (const char *[]){"m.xml", "s.yaml", "g.csv"}[i]);
  }
  FILE *file = fopen(path[0], "w");
  (void)fprintf(file,
                "<mujoco><include file='%s/mjcf/anymal_c/scene.xml'/><compiler "
                "meshdir='%s/mjcf/anymal_c/assets'/>%s</mujoco>",
                data, data, how == 2 ? "<option><flag actuation='disable'/></option>" : "");
  (void)fclose(file);
  file = fopen(path[1], "w");
  (void)fputs(
      "include:\n  mjcf: m.xml\n  q: {LF_HFE: 0.45, RF_HFE: 0.45, LH_HFE: -0.45, RH_HFE: -0.45, "
      "LF_KFE: -0.95, RF_KFE: "
      "-0.95, LH_KFE: 0.95, RH_KFE: 0.95}\nsensors: [{name: floor, kind: touch, shape: floor}]\n",
      file);
  (void)fputs(how < 2 ? "trajectories: [{file: g.csv}]\n" : "", file);
  (void)fclose(file);
  write_gait(path[2], how == 1);
  (void)snprintf(set, sizeof set, "run.engine=%s", engine);
  const char *const sets[] = {set, "joints.base.q=[0, 0, 0.55, 0, 0, 0, 1]"};
  world w = {.diag = rh_diag_create()};
  rh_sim *sim = NULL;
  w.status = rh_scene_load(path[1], sets, 2, w.diag, &w.scene);
  ck_assert_msg(w.status == RH_OK, "%s", rh_diag_get(w.diag, 0).text);
  ck_assert_int_eq(rh_scene_compile(w.scene, w.diag, &w.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(w.model, w.diag, &sim), RH_OK);
  rh_channels *channels = rh_channels_create(w.model);
  int index = rh_channel_find(channels, "floor.force");
  int base = rh_model_find(w.model, RH_OBJECT_BODY, "base");
  ck_assert(index != RH_NONE && base != RH_NONE);
  outcome o = {.mean = 0};
  for (int k = 1; k <= 250; k++) {
    double force = 0;
    ck_assert_msg(rh_sim_run(sim, 0.01 * k) == RH_OK, "%s", rh_sim_reason(sim));
    rh_channels_read(channels, rh_sim_data(sim), &index, 1, &force);
    o.mean += k > 150 ? force / 100 : 0;
  }
  o.height = rh_sim_view(sim)->kin[base].p.z;
  rh_channels_destroy(channels);
  rh_sim_destroy(sim);
  drop_world(&w);
  for (int i = 0; i < 3; i++) {
    (void)unlink(path[i]);
  }
  (void)rmdir(folder);
  return o;
}

// Means over a second differ from the weight by the change of momentum, 45 kg times the change of speed: at most 0.4 m/s while it
// still bobs, none where it lies.
START_TEST(carries_its_weight)
{
  static const struct {
    double error, low, high;
  } want[3] = {{0.04, 0.42, 0.50}, {0.04, 0.38, 0.48}, {0.001, 0.08, 0.10}};

  const char *data = getenv("ROUTH_DATA");
  if (!data) {
    (void)fprintf(stderr, "ref_quadruped: ROUTH_DATA is not set: it does not walk\n");
    return;
  }
  for (int how = 0; how < 3; how++) {
    outcome o = run_robot(data, _i == 0 ? "event" : "stepping", how);
    ck_assert_msg(fabs(o.mean - WEIGHT) < want[how].error * WEIGHT, "%d: mean force %g of %g", how,
                  o.mean, WEIGHT);
    ck_assert_msg(o.height > want[how].low && o.height < want[how].high, "%d: height %g", how,
                  o.height);
  }
}

END_TEST

Suite *rh_suite_ref_quadruped(void)
{
  Suite *suite = suite_create("ref_quadruped");
  TCase *tests = tcase_create("quadruped");
  tcase_set_timeout(tests, 600); // clock: a watchdog
  tcase_add_loop_test(tests, carries_its_weight, 0, 2);
  suite_add_tcase(suite, tests);
  return suite;
}
