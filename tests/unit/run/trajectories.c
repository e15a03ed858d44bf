// Trajectories of actuators: their values between the rows, against a command with a speed (two routes to one motion), from a CSV file
// as from numbers; what is refused and where.
#include "scene_text.h"

#include "multibody/multibody.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define SCENE(actuators, more)                                                                     \
  "bodies: [{name: p, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                    \
  "joints: [{name: j, kind: revolute, child: p, axis: [0, 0, 1]}]\n"                               \
  "run: {rtol: 1e-11, atol: 1e-11}\n"                                                              \
  "actuators: [{name: m, joint: j, " actuators "}]\n" more

static rh_model *compile_text(const char *text)
{
  rh_model *model = NULL;
  rh_scene *scene = parse_good_scene(text, NULL, 0);
  rh_diag *diag = rh_diag_create();
  ck_assert_msg(rh_scene_compile(scene, diag, &model) == RH_OK, "%s", rh_diag_get(diag, 0).text);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
  return model;
}

// Rows (1, 2), (2, 4), (4, 0) from 0.5 on; repeated after 3 s
static const struct {
  const char *periodic;
  double t, value;
} points[] = {
    {"no", 0, 2},    {"no", 1.5, 2},  {"no", 2, 3},    {"no", 2.5, 4},  {"no", 3.5, 2},
    {"no", 100, 0},  {"yes", 0, 2},   {"yes", 2, 3},   {"yes", 3.5, 2}, {"yes", 4.75, 2.5},
    {"yes", 5.0, 3}, {"yes", 6.5, 2}, {"yes", 305, 3},
};

START_TEST(between_rows)
{
  for (int i = 0; i < RH_COUNT(points); i++) {
    char text[1000];
    snprintf(text, sizeof text,
             SCENE("gain: [1], effort: 0.25", "trajectories: [{actuator: m, values: [[1, 2], [2, "
                                              "4], [4, 0]], from: 0.5, periodic: %s}]\n"),
             points[i].periodic);
    rh_model *model = compile_text(text);
    rh_data *d = rh_data_create(model);
    *d->t = points[i].t;
    double u = rh_actuator_control(d, 0) - 0.25;
    ck_assert_msg(fabs(u - points[i].value) < 1e-12, "%s, t = %g: %.12g, expected %g",
                  points[i].periodic, points[i].t, u, points[i].value);
    rh_data_destroy(d);
    rh_model_destroy(model);
  }
}

END_TEST

static void run_to(const char *text, double t, double *q, double *v)
{
  rh_model *model = compile_text(text);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, t), RH_OK);
  *q = rh_sim_view(sim)->q[0];
  *v = rh_sim_view(sim)->v[0];
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

START_TEST(ramp_as_by_command)
{
  double q[2];
  double v[2];
  run_to(SCENE("kp: 30, kd: 4, target: [0.2], rate: 0.7", ""), 1, &q[0], &v[0]);
  run_to(SCENE("kp: 30, kd: 4", "trajectories: [{actuator: m, values: [[-1, -0.5], [9, 6.5]]}]\n"),
         1, &q[1], &v[1]);
  ck_assert_double_eq_tol(q[1], q[0], 1e-10);
  ck_assert_double_eq_tol(v[1], v[0], 1e-10);
}

END_TEST

// A kink at 0.5 s: the motion is that of two commands, the second one given there.
START_TEST(kink_as_by_event)
{
  double q[2];
  double v[2];
  run_to(SCENE("kp: 30, kd: 4, target: [0], rate: 1",
               "events: [{name: turn, time: 0.5, actuator: m, "
               "kp: 30, kd: 4, target: [0.5], rate: -1}]\n"),
         1, &q[0], &v[0]);
  run_to(SCENE("kp: 30, kd: 4",
               "trajectories: [{actuator: m, values: [[0, 0], [0.5, 0.5], [1.5, -0.5]]}]\n"),
         1, &q[1], &v[1]);
  ck_assert_double_eq_tol(q[1], q[0], 1e-8); // the step over the kink is within rtol
  ck_assert_double_eq_tol(v[1], v[0], 1e-8);
}

END_TEST

// ---- Files

static char *write_file(const char *end, const char *text)
{
  static char path[64];
  snprintf(path, sizeof path, "/tmp/routh-way-%ld%s", (long)getpid(), end);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  (void)fputs(text, file);
  (void)fclose(file);
  return path;
}

static rh_status load_with(const char *csv, rh_diag *diag, rh_scene **scene)
{
  char text[1000];
  char *path = write_file(".csv", csv);
  snprintf(text, sizeof text,
           SCENE("gain: [1]}, {name: n, joint: j, gain: [1]",
                 "trajectories: [{file: %s, periodic: yes}]\n"),
           path);
  path = write_file(".yaml", text);
  rh_status status = rh_scene_load(path, NULL, 0, diag, scene);
  (void)unlink(path);
  snprintf(text, sizeof text, "/tmp/routh-way-%ld.csv", (long)getpid());
  (void)unlink(text);
  return status;
}

START_TEST(from_file)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(load_with("# a way\n\nt, m ,n\r\n0,1,2\n 0.5 ,\t3,-4e-1\n", diag, &scene),
                   RH_OK);
  ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_TRAJECTORIES), 2);
  for (int i = 0; i < 2; i++) {
    static const double values[2][4] = {{0, 1, 0.5, 3}, {0, 2, 0.5, -0.4}};
    const rh_trajectory_def *def = rh_scene_item(scene, RH_SECTION_TRAJECTORIES, i);
    ck_assert_str_eq(def->actuator.text, i == 0 ? "m" : "n");
    ck_assert(def->periodic && def->values.n == 4);
    ck_assert_int_eq(memcmp(def->values.x, values[i], sizeof values[i]), 0);
  }
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

static const struct {
  const char *csv, *part;
  int line, column;
} wrong[] = {
    {"", "names of the columns", 0, 0},
    {"m,t\n0,1\n", "names of the columns", 1, 1},
    {"t,m n\n", "names of the columns", 1, 1},
    {"t,m\n0,1\n1\n", "comma goes between", 3, 2},
    {"t,m\n0,1\n1,\n", "a number is missing", 3, 3},
    {"t,m\n0,1,2\n", "too long", 2, 4},
    {"t,m\n0,x\n", "must be a number", 2, 3},
    {"t,m\n0,nan\n", "must be a number", 2, 3},
    {"t,m\n0,1e400\n", "must be a number", 2, 3},
    {"t,m\n", "no rows", 1, 1},
    {"t,,m\n0,1,2\n", "no name", 1, 3},
    {"t,m\n0,1\n0,2\n", "increasing times", 0, 0},
    {"t,k\n0,1\n1,2\n", "names no actuator: 'k'", 0, 0},
    {"t,m,m\n0,1,1\n1,2,3\n", "has a trajectory already", 0, 0},
};

START_TEST(refused_files)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  rh_status status = load_with(wrong[_i].csv, diag, &scene);
  rh_model *model = NULL;
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  ck_assert_int_eq(status, RH_INPUT_REFUSED);
  bool found = false;
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    rh_message m = rh_diag_get(diag, i);
    bool here = strstr(m.text, wrong[_i].part) != NULL;
    found = found || here;
    if (here && wrong[_i].line > 0) {
      ck_assert_msg(m.place.line == wrong[_i].line && m.place.column == wrong[_i].column,
                    "%s at %d:%d", m.text, m.place.line, m.place.column);
    }
  }
  ck_assert_msg(found, "case %d: %s", _i, rh_diag_get(diag, 0).text);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

START_TEST(refused_actuators)
{
  static const char *const text[] = {
      SCENE("effort: 1", "trajectories: [{actuator: m, values: [0, 1]}]\n"),
      SCENE("kp: 1, target: [0]", "trajectories: [{actuator: m, values: [0, 1]}]\n"),
      SCENE("kp: 1", "trajectories: [{actuator: m, values: [0, 1, 2]}]\n"),
      SCENE("kp: 1", "trajectories: [{actuator: m}]\n"),
      SCENE("kp: 1", "trajectories: [{actuator: m, values: [0, 1], periodic: yes}]\n"),
      SCENE("kp: 1", "trajectories: [{values: [0, 1]}]\n"),
  };
  for (int i = 0; i < RH_COUNT(text); i++) {
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    ck_assert_int_eq(rh_scene_parse(text[i], strlen(text[i]), "s.yaml", NULL, 0, diag, &scene),
                     RH_OK);
    ck_assert_msg(rh_scene_compile(scene, diag, &model) == RH_INPUT_REFUSED, "case %d", i);
    ck_assert_int_gt(rh_diag_get(diag, 0).place.line, 0);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_unit_trajectories(void)
{
  Suite *suite = suite_create("unit_trajectories");
  TCase *tests = tcase_create("trajectories");
  tcase_add_test(tests, between_rows);
  tcase_add_test(tests, ramp_as_by_command);
  tcase_add_test(tests, kink_as_by_event);
  tcase_add_test(tests, from_file);
  tcase_add_loop_test(tests, refused_files, 0, RH_COUNT(wrong));
  tcase_add_test(tests, refused_actuators);
  suite_add_tcase(suite, tests);
  return suite;
}
