// ref_quadruped.c: a quadruped of a public collection (ROUTH_DATA/mjcf/anymal_c) stands, walks at a trot by its servos after values
// from a CSV file, and falls where they are off: in the engines event and stepping, with contact forces that carry its weight.
#include "mjcf_models.h"

#include <unistd.h>

enum { LEGS = 4 };

static const char *const leg[LEGS] = {"LF", "RF", "LH", "RH"};
static const double WEIGHT = 44.9652 * 9.81; // [N] mass of its README

static double phase_at(int i, double t) // of leg i, diagonal legs together
{
  return 2 * acos(-1.0) * (t / 0.4 + (i == 1 || i == 2 ? 0.5 : 0));
}

static double growth_at(double t) // from 0.5 s on, over a second
{
  return fmin(1, fmax(0, t - 0.5));
}

static double lift_at(int i, double t)
{
  return fmax(0, sin(phase_at(i, t))) * fmin(1, 4 * growth_at(t));
}

// Of the thigh: forwards while the foot is in the air, backwards while it is on the ground
static double sway_at(int i, double t)
{
  return 0.15 * cos(phase_at(i, t)) * growth_at(t);
}

static void write_gait(const char *path, bool walks)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs("t", file);
  for (int i = 0; i < LEGS; i++) {
    (void)fprintf(file, ",%s_HAA,%s_HFE,%s_KFE", leg[i], leg[i], leg[i]);
  }
  for (int k = 0; k <= (walks ? 200 : 0); k++) {
    double t = 0.0125 * k;
    (void)fprintf(file, "\n%.4f", t);
    for (int i = 0; i < LEGS; i++) {
      double lift = walks ? lift_at(i, t) : 0;
      double sway = walks ? sway_at(i, t) : 0;
      double side = i < 2 ? 1 : -1;
      (void)fprintf(file, ",0,%.9g,%.9g", side * (0.45 + 0.25 * lift) + sway,
                    -side * (0.95 + 0.5 * lift));
    }
  }
  (void)fclose(file);
}

typedef struct outcome {
  double mean;   // [N] of the forces over the last second
  double height; // [m] of the base
  double way[2]; // [m] that it has gone: forwards, to the right
} outcome;

enum { SETS = 2 + 24 };

// Gains of the servos of a robot that walks; its own let it down by some centimetres.
static int add_gains(char room[SETS][64], const char *sets[SETS], int n)
{
  static const char *const joint[] = {"HAA", "HFE", "KFE"};
  for (int i = 0; i < 12; i++) {
    (void)snprintf(room[n], sizeof room[n], "actuators.%s_%s.gain=[300]", leg[i / 3], joint[i % 3]);
    sets[n] = room[n];
    n++;
    (void)snprintf(room[n], sizeof room[n], "actuators.%s_%s.bias=[0, -300, -10]", leg[i / 3],
                   joint[i % 3]);
    sets[n] = room[n];
    n++;
  }
  return n;
}

// `how`: 0 stands, 1 walks, 2 falls
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
  char room[SETS][64];
  const char *sets[SETS] = {set, "joints.base.q=[0, 0, 0.55, 0, 0, 0, 1]"}; // it looks along -x
  int nset = how == 1 ? add_gains(room, sets, 2) : 2;
  world w = {.diag = rh_diag_create()};
  rh_sim *sim = NULL;
  w.status = rh_scene_load(path[1], sets, nset, w.diag, &w.scene);
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
  o.way[0] = -rh_sim_view(sim)->kin[base].p.x;
  o.way[1] = rh_sim_view(sim)->kin[base].p.y;
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
    double error, low, high, least, most;
  } want[3] = {{0.04, 0.42, 0.50, -0.01, 0.01},
               {0.04, 0.42, 0.50, 0.5,
                0.7}, // strokes of 0.13 m in 0.2 s that grow for a second: 1 m at most
               {0.001, 0.08, 0.10, -0.01, 0.01}};

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
    ck_assert_msg(o.way[0] > want[how].least && o.way[0] < want[how].most && fabs(o.way[1]) < 0.1,
                  "%d: it went %g m, %g m aside", how, o.way[0], o.way[1]);
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
