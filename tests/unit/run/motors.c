// unit_motors.c: actuators as kinds, in both engines: a DC motor whose torque falls with its speed, a PID, a servo of
// velocity, a target from a trajectory. Closed forms: all are linear between their limits.
#include "world.h"

#define J 0.5 // [kg m^2] of the rotor
#define ROTOR(more)                                                                                \
  "world: {gravity: [0, 0, 0]}\n"                                                                  \
  "bodies: [{name: rotor, mass: 1, inertia: [0.5, 0.5, 0.5, 0, 0, 0]}]\n"                          \
  "joints: [{name: q, kind: revolute, child: rotor, axis: [0, 0, 1]" more "}]\n"

static const char *const engine[] = {"run: {engine: event, rtol: 1e-11, atol: 1e-12}\n",
                                     "run: {engine: stepping, dt: 1e-4}\n"};
// The error of a run of some seconds by steps of the first order
static const double tolerance[] = {1e-8, 2e-3};

static rh_sim *open_text(const char *scene, int i, rh_model **model)
{
  char text[2000];
  rh_scene *read = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(text, sizeof text, "%s%s", scene, engine[i]);
  rh_status status = rh_scene_parse(text, strlen(text), "s", NULL, 0, diag, &read);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  rh_diag_destroy(diag);
  *model = model_of(read);
  return sim_of(*model);
}

static void run_until(rh_sim *sim, double until)
{
  ck_assert_msg(rh_sim_run(sim, until) == RH_OK, "%s", rh_sim_reason(sim));
}

// At full command the torque is stall (1 - w / w0): w = w0 (1 - exp(-stall t / (J w0))). Its limits are those of the present speed,
// of either sign; a smaller command has all of its torque until the line.
START_TEST(dc_motor)
{
  rh_model *m;
  rh_sim *sim = open_text(ROTOR("") "actuators: [{name: m, joint: q, effort: 100, stall: 2, "
                                    "no_load_speed: 10}]\n",
                          _i, &m);
  for (double t = 0.5; t <= 5; t += 0.5) {
    run_until(sim, t);
    double w = 10 * (1 - exp(-2 * t / (J * 10)));
    ck_assert_double_eq_tol(rh_sim_view(sim)->v[0], w, 10 * tolerance[_i]);
  }
  finish(sim, m);
  sim = open_text(ROTOR("") "actuators: [{name: m, joint: q, effort: 1, stall: 2, no_load_speed: "
                            "10}]\n",
                  _i, &m);
  run_until(sim, 2.4); // 1 N m up to 5 rad/s, at 2.5 s
  ck_assert_double_eq_tol(rh_sim_view(sim)->v[0], 2.4 / J, 10 * tolerance[_i]);
  run_until(sim, 4);
  double w = 10 - 5 * exp(-2 * 1.5 / (J * 10));
  ck_assert_double_eq_tol(rh_sim_view(sim)->v[0], w, 10 * tolerance[_i]);
  finish(sim, m);
  sim = open_text(ROTOR(", v: -3") "actuators: [{name: m, joint: q, effort: -100, stall: 2, "
                                   "no_load_speed: 10}]\n",
                  _i, &m);
  run_until(sim, 1);
  ck_assert_double_eq_tol(rh_sim_view(sim)->v[0], -10 + 7 * exp(-2 / (J * 10)), 10 * tolerance[_i]);
  finish(sim, m);
}

END_TEST

// J q'' = kp (q* - q) - kd q' + ki x + load, x' = q* - q. With kp = 5.5, kd = 3, ki = 3 and J = 0.5 the error e = q* - q has the
// roots -1, -2, -3: s^3 + 6 s^2 + 11 s + 6. From q = 0, v = 0, x = 0: e = 1, e' = 0, e'' = -(kp + load) / J at the start;
// the load is worked off by the integral.
START_TEST(pid)
{
  static const double root[] = {-1, -2, -3};
  rh_model *m;
  rh_sim *sim =
      open_text(ROTOR("") "actuators: [{name: m, joint: q, kp: 5.5, kd: 3, ki: 3, dynamics: "
                          "integral, target: 1}]\n"
                          "forces: [{name: load, body: rotor, torque: [0, 0, -2]}]\n",
                _i, &m);
  double e0[3] = {1, 0, -(5.5 - 2) / J};
  for (double t = 0.5; t <= 8; t += 0.5) {
    run_until(sim, t);
    double e = 0; // sum of c_i exp(r_i t), by the interpolation of the start
    for (int i = 0; i < 3; i++) {
      double a = root[(i + 1) % 3];
      double b = root[(i + 2) % 3];
      double c = (e0[2] - (a + b) * e0[1] + a * b * e0[0]) / ((root[i] - a) * (root[i] - b));
      e += c * exp(root[i] * t);
    }
    ck_assert_double_eq_tol(rh_sim_view(sim)->q[0], 1 - e, tolerance[_i]);
  }
  run_until(sim, 20); // no error is left under the load
  ck_assert_double_eq_tol(rh_sim_view(sim)->q[0], 1, _i == 0 ? 1e-7 : 1e-4);
  finish(sim, m);
}

END_TEST

// kd with a rate and no kp: J w' = kd (rate - w); as a servo with gain kv and bias -kv the same.
START_TEST(servo_of_velocity)
{
  static const char *const actuator[] = {
      "actuators: [{name: m, joint: q, kd: 2, target: 0, rate: 4}]\n",
      "actuators: [{name: m, joint: q, effort: 4, gain: [2], bias: [0, 0, -2]}]\n"};
  for (int k = 0; k < 2; k++) {
    char text[1000];
    rh_model *m;
    (void)snprintf(text, sizeof text, "%s%s", ROTOR(", v: -1"), actuator[k]);
    rh_sim *sim = open_text(text, _i, &m);
    for (double t = 0.25; t <= 2; t += 0.25) {
      run_until(sim, t);
      ck_assert_double_eq_tol(rh_sim_view(sim)->v[0], 4 - 5 * exp(-2 * t / J), 5 * tolerance[_i]);
    }
    finish(sim, m);
  }
}

END_TEST

// A target on a ramp: with kp and kd a critically damped error that decays from its start, as the speed of the target is known too.
START_TEST(target_on_a_ramp)
{
  rh_model *m;
  rh_sim *sim =
      open_text(ROTOR("") "actuators: [{name: m, joint: q, kp: 8, kd: 4}]\n"
                          "trajectories: [{actuator: m, values: [[0, 0.2], [10, 5.2]]}]\n",
                _i, &m);
  for (double t = 0.25; t <= 3; t += 0.25) {
    run_until(sim, t);
    // e = 0.2 + 0.5 t - q: e'' + 8 e' + 16 e = 0, e = 0.2, e' = 0.5
    double e = (0.2 + (0.5 + 4 * 0.2) * t) * exp(-4 * t);
    ck_assert_double_eq_tol(rh_sim_view(sim)->q[0], 0.2 + 0.5 * t - e, tolerance[_i]);
  }
  finish(sim, m);
}

END_TEST

Suite *rh_suite_unit_motors(void)
{
  Suite *suite = suite_create("unit_motors");
  TCase *tcase = tcase_create("motors");
  tcase_add_loop_test(tcase, dc_motor, 0, 2);
  tcase_add_loop_test(tcase, pid, 0, 2);
  tcase_add_loop_test(tcase, servo_of_velocity, 0, 2);
  tcase_add_loop_test(tcase, target_on_a_ramp, 0, 2);
  suite_add_tcase(suite, tcase);
  return suite;
}
