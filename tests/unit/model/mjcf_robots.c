// unit_mjcf_robots.c: what few robots have in MJCF: equalities of tendons, groups of actuators that are off, primitives fitted to
// boxes of meshes, the plugin mujoco.pid. Closed forms.
#include "mjcf_models.h"

#define WHEELS                                                                                     \
  "<compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"                                 \
  "<body><joint name='a'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.2'/></body>"           \
  "<body><joint name='b'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.3'/></body>"           \
  "<body><joint name='c' ref='0.5'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.5'/></body>" \
  "</worldbody><tendon><fixed name='s'><joint joint='a' coef='2'/><joint joint='b' coef='-1'/>"    \
  "</fixed><fixed name='t'><joint joint='c' coef='3'/></fixed></tendon>"

// 2 a - b is constant: the torque 1 at a gives it 1/(I_a + 4 I_b), and b twice that.
START_TEST(tendon_keeps_its_length)
{
  static const char *const engine[] = {"event", "stepping"};
  for (int i = 0; i < 2; i++) {
    static const char text[] = MODEL(WHEELS "<equality><tendon tendon1='s'/></equality>"
                                            "<actuator><motor joint='a'/></actuator>");
    char set[64];
    snprintf(set, sizeof set, "run.engine=%s", engine[i]);
    const char *const sets[] = {set};
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    rh_sim *sim = NULL;
    ck_assert_int_eq(rh_scene_parse(text, strlen(text), "m.xml", sets, 1, NULL, &scene), RH_OK);
    ck_assert_int_eq(rh_scene_count(scene, RH_SECTION_CONSTRAINTS), 1);
    ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
    ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
    rh_sim_data(sim)->command[0].effort = 1;
    rh_sim_state_changed(sim);
    ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
    const rh_data *d = rh_sim_view(sim);
    double rate = 1 / (0.2 + 4 * 0.3);
    // both engines are exact for a constant acceleration but for what they know of rows: 1e-9
    near_abs(d->v[0], rate, 1e-9);
    near_abs(d->v[1], 2 * rate, 1e-9);
    near_abs(d->v[2], 0, 1e-12);
    near_abs(2 * d->q[0] - d->q[1], 0, 1e-9);
    rh_sim_destroy(sim);
    rh_model_destroy(model);
    rh_scene_destroy(scene);
  }
}

END_TEST

// L_s = p(L_t), lengths from those as drawn: the start is moved to where it holds.
START_TEST(tendons_start_where_they_hold)
{
  world w = accept_text(
      MODEL(WHEELS "<equality><tendon tendon1='s' tendon2='t' polycoef='0.1 0.5 "
                   "0.2 0 0'/><joint joint1='b' joint2='a' polycoef='0.3 1 1 0 0'/></equality>"));
  const double *q = w.data->q;
  double t = 3 * (q[2] - 0.5);
  near_abs(2 * q[0] - q[1], 0.1 + 0.5 * t + 0.2 * t * t, 1e-11);
  near_abs(q[1], 0.3 + q[0] + q[0] * q[0], 1e-11);
  drop_world(&w);
}

END_TEST

START_TEST(groups_that_are_off)
{
  world w = accept_text(
      MODEL("<option actuatorgroupdisable='1 4'/>" WHEELS
            "<actuator><motor joint='a' group='1'/><position joint='b' kp='3' "
            "group='2'/><intvelocity joint='c' kp='5' actrange='-1 1' group='4'/></actuator>"));
  for (int i = 0; i < 3; i++) {
    w.data->command[i].effort = 0.7;
  }
  rh_kinematics(w.data);
  rh_loads(w.data);
  near_abs(w.data->load[0], 0, 0);
  near_abs(w.data->load[1], 3 * 0.7, 1e-15);
  near_abs(w.data->load[2], 0, 0);
  drop_world(&w);
}

END_TEST

// A brick of 0.2 x 0.4 x 0.6 about (1, 0, 0) with a vertex more, which has no faces: the inertia is the brick's, the box about the
// vertices is not. Its principal axes are z, y, x (largest moment first).
#define BRICK                                                                                      \
  "<asset><mesh name='m' inertia='exact' vertex='0.9 -.2 -.3 1.1 -.2 -.3 1.1 .2 -.3 0.9 .2 -.3 "   \
  "0.9 -.2 .3 1.1 -.2 "                                                                            \
  ".3 1.1 .2 .3 0.9 .2 .3 1 0 .5' face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 "  \
  "7 "                                                                                             \
  "6 3 0 4 3 4 7'/></asset>"

START_TEST(fitted_boxes)
{
  world w = accept_text(MODEL(
      "<compiler fitaabb='true'/>" BRICK
      "<worldbody><body><geom type='box' mesh='m' fitscale='2' mass='1'/></body></worldbody>"));
  const rh_shape_def *shape = rh_scene_item(w.scene, RH_SECTION_SHAPES, 0);
  double least = fmin(fmin(shape->par[0], shape->par[1]), shape->par[2]);
  double most = fmax(fmax(shape->par[0], shape->par[1]), shape->par[2]);
  double sum = shape->par[0] + shape->par[1] + shape->par[2];
  near_abs(shape->at[0], 1, 1e-7); // vertices are of single precision
  near_abs(shape->at[1], 0, 1e-7);
  near_abs(shape->at[2], 0.1, 1e-7);
  near_abs(least, 2 * 0.2, 1e-6);
  near_abs(most, 2 * 0.8, 1e-6);
  near_abs(sum, 2 * (0.2 + 0.4 + 0.8), 1e-6);
  drop_world(&w);
}

END_TEST

#define PID(config)                                                                                \
  "<extension><plugin plugin='mujoco.pid'><instance name='i'>" config                              \
  "</instance></plugin></extension>" WHEELS                                                        \
  "<actuator><plugin joint='a' plugin='mujoco.pid' instance='i' gear='2' actdim='1'/></actuator>"

// A PID with the error e: gear (kp e + ki x - kd w), dx/dt = e, ki x within imax
START_TEST(pid_plugin)
{
  world w =
      accept_text(MODEL(PID("<config key='kp' value='3'/><config key='ki' value='5'/>"
                            "<config key='kd' value='0.5'/><config key='imax' value='0.4'/>")));
  rh_data *d = w.data;
  d->q[0] = 0.1;
  d->v[0] = 0.3;
  d->command[0].effort = 0.6;
  d->control.act[0] = 0.02;
  rh_kinematics(d);
  rh_loads(d);
  near_abs(rh_activation_rate(d, 0), 0.6 - 2 * 0.1, 1e-15);
  near_abs(d->load[0], 2 * (3 * (0.6 - 0.2) + 5 * 0.02 - 0.5 * 0.6), 1e-14);
  d->control.act[0] = 1; // limited
  rh_loads(d);
  near_abs(d->load[0], 2 * (3 * (0.6 - 0.2) + 0.4 - 0.5 * 0.6), 1e-14);
  drop_world(&w);
}

END_TEST

static const struct {
  const char *text, *part;
} refused[] = {
    {MODEL(PID("<config key='kq' value='3'/>")), "no key 'kq'"},
    {MODEL(PID("<config key='kp' value='-3'/>")), "not negative"},
    {MODEL(WHEELS "<actuator><plugin joint='a' plugin='mujoco.pid' instance='k'/></actuator>"),
     "no instance 'k'"},
    {MODEL(WHEELS "<actuator><plugin joint='a' plugin='other'/></actuator>"), "only mujoco.pid"},
    {MODEL(WHEELS "<equality><tendon tendon1='x'/></equality>"), "tendon1 must name a tendon"},
    {MODEL(WHEELS "<equality><tendon tendon1='s' tendon2='u'/></equality>"), "tendon2 must name"},
    {MODEL(WHEELS "<sensor><gyro site='n'/></sensor>"), "must name a site"},
    {MODEL(WHEELS "<sensor><jointpos joint='n'/></sensor>"), "must name a hinge or slide joint"},
    {MODEL("<option actuatorgroupdisable='31'/>" WHEELS), "groups of actuators are 0 to 30"},
    {MODEL("<compiler fitaabb='true'/>" BRICK
           "<worldbody><body><geom type='capsule' mesh='m' fitscale='-1'/></body></worldbody>"),
     "positive"},
};

START_TEST(refusals)
{
  rh_place place = {0};
  world w = read_as(refused[_i].text, strlen(refused[_i].text));
  ck_assert_int_eq(w.status, RH_INPUT_REFUSED);
  ck_assert_msg(find_message(&w, RH_ERROR, refused[_i].part, &place) != NULL, "no '%s'; first: %s",
                refused[_i].part, rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "none");
  ck_assert_int_gt(place.line, 0);
  drop_world(&w);
}

END_TEST

// Sensors of a pendulum held at 0.3 rad that turns at 2 rad/s: at rest an accelerometer reads g upwards in its axes
START_TEST(sensors)
{
  world w = accept_text(
      MODEL("<compiler angle='radian'/><option gravity='0 0 -10'/><worldbody><geom type='plane' "
            "size='1 1 1'/><body name='a' pos='0 0 2'>"
            "<joint name='j' axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
            "<site name='s' pos='0 0 0' euler='0 0.3 0'/><site name='down' euler='3.14159265358979 "
            "0 0'/></body></worldbody>"
            "<sensor><accelerometer name='acc' site='s' noise='0.1'/><gyro site='s'/><jointpos "
            "name='p' joint='j'/>"
            "<jointvel name='v' joint='j' cutoff='1'/><rangefinder name='r' site='down'/><touch "
            "site='s'/></sensor>"));

  static const struct {
    const char *name;
    double want;
  } read[] = {{"acc.ax", -10 * 0.56464247339503537},
              {"acc.az", 10 * 0.82533561490967828},
              {"sensor1.wy", 2},
              {"p.position", 0.3},
              {"v.velocity", 2},
              {"r.distance", 2 / 0.95533648912560598}};

  ck_assert_int_eq(rh_scene_count(w.scene, RH_SECTION_SENSORS), 5);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(w.model, NULL, &sim), RH_OK);
  rh_sim_data(sim)->q[0] = 0.3;
  rh_sim_data(sim)->v[0] = 2;
  rh_sim_state_changed(sim);
  rh_channels *channels = rh_channels_create(w.model);
  for (int i = 0; i < RH_COUNT(read); i++) {
    double value = 0;
    int index = rh_channel_find(channels, read[i].name);
    ck_assert_msg(index != RH_NONE, "no channel %s", read[i].name);
    rh_channels_read(channels, rh_sim_data(sim), &index, 1, &value);
    ck_assert_msg(fabs(value - read[i].want) < 1e-9, "%s: %.12g, expected %.12g", read[i].name,
                  value, read[i].want);
  }
  rh_channels_destroy(channels);
  rh_sim_destroy(sim);
  drop_world(&w);
}

END_TEST

// Keyframes: coordinates, velocities (angular ones of a free joint turned to its axes), controls; a follower is moved to where
// its equality holds.
START_TEST(keyframes_of_a_model)
{
  static const char text[] = MODEL(
      "<compiler angle='radian'/><worldbody>"
      "<body><freejoint name='f'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.2'/></body>"
      "<body><joint name='a' range='-1 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
      "1'/></body>"
      "<body><joint name='b'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
      "1'/></body></worldbody>"
      "<equality><joint joint1='b' joint2='a' polycoef='0 2 0 0 0'/></equality>"
      "<actuator><motor joint='a'/><position joint='b' kp='3'/></actuator><keyframe>"
      "<key name='one' qpos='1 2 3 0.70710678118654757 0 0 0.70710678118654757 0.5 7' "
      "qvel='1 2 3 0.1 0.2 0.3 0.4 0.8' ctrl='5 6'/>"
      "<key name='two' qpos='0 0 1 1 0 0 0 3 0'/><key/></keyframe>");
  static const char *const keys[] = {"run.keyframe=one", "run.keyframe=two"};
  static const double q[2][3] = {{1, 0.5, 1}, {0, 1, 2}}; // of the second, a at its limit
  for (int i = 0; i < 2; i++) {
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    ck_assert_int_eq(rh_scene_parse(text, strlen(text), "m.xml", &keys[i], 1, NULL, &scene), RH_OK);
    ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
    rh_data *d = rh_data_create(model);
    near_abs(d->q[0], q[i][0], 0);
    near_abs(d->q[7], q[i][1], 0);
    near_abs(d->q[8], q[i][2], 1e-15);
    static const double v[] = {1, 2, 3, -0.2, 0.1, 0.3, 0.4, 0.8}; // a quarter turn about z
    for (int k = 0; k < 8; k++) {
      near_abs(d->v[k], i == 0 ? v[k] : 0, 1e-15);
    }
    near_abs(d->command[0].effort, i == 0 ? 5 : 0, 0);
    near_abs(d->command[1].effort, i == 0 ? 6 : 0, 0);
    rh_data_destroy(d);
    rh_model_destroy(model);
    rh_scene_destroy(scene);
  }
}

END_TEST

Suite *rh_suite_unit_mjcf_robots(void)
{
  Suite *suite = suite_create("unit_mjcf_robots");
  TCase *models = tcase_create("models");
  tcase_add_test(models, keyframes_of_a_model);
  tcase_add_test(models, tendon_keeps_its_length);
  tcase_add_test(models, tendons_start_where_they_hold);
  tcase_add_test(models, groups_that_are_off);
  tcase_add_test(models, fitted_boxes);
  tcase_add_test(models, pid_plugin);
  tcase_add_test(models, sensors);
  tcase_add_loop_test(models, refusals, 0, RH_COUNT(refused));
  suite_add_tcase(suite, models);
  return suite;
}
