// unit_moreau_paths.c: impacts of time steps that follow the path of their law: laws with a path of
// their own (a tangential spring, a ratio of impulses) and the formulation `sequential`, against the
// engine that locates events, with the same path at the same place; and the report where limits or
// loops leave no path.
#include "moreau.h"

static const char *const law[] = {"bistiff, e: 0.7, eta2: 1.2", "brach, e: 0.7", "stronge, e: 0.7"};

static rh_sim *run_scene(const char *scene, double dt, rh_model **model)
{
  char step[64];
  snprintf(step, sizeof step, "run.dt=%.17g", dt);
  const char *stepped[] = {"run.engine=stepping", step};
  const char *located[] = {"run.engine=event", "run.rtol=1e-10"};
  *model = model_from(scene, dt > 0 ? stepped : located, 2);
  return watch(*model, NULL, NULL);
}

// A ball meets a plate at an angle: the impact is that of the located run to rounding.
START_TEST(one_point)
{
  char scene[1024];
  rh_model *model[2];
  rh_sim *sim[2];
  snprintf(scene, sizeof scene,
           "bodies: [{name: b, mass: 0.2618 g}]\n"
           "joints: [{kind: free, child: b, q: [0, 0, 4.5 mm, 1, 0, 0, 0], v: [1.6482, 0.3, "
           "-3.5346, 10, 20, 30]}]\n"
           "shapes: [" FLOOR ", {body: b, kind: sphere, radius: 2.5 mm}]\n"
           "contacts: [{body: b, against: world, law: %s, friction: dry, mu_s: 0.3, mu_k: 0.2}]\n"
           "world: {gravity: [0, 0, 0]}\n"
           "run: {until: 1 ms}\n",
           law[_i]);
  for (int k = 0; k < 2; k++) {
    sim[k] = run_scene(scene, k * 1e-4, &model[k]);
  }
  for (int i = 0; i < 6; i++) {
    double size = i < 3 ? 3.9 : 1500; // [m/s], [rad/s]: mu (1 + e) u m r / I
    near_abs(rh_sim_view(sim[1])->v[i], rh_sim_view(sim[0])->v[i], 1e-12 * size);
  }
  for (int k = 0; k < 2; k++) {
    finish(sim[k], model[k]);
  }
}

END_TEST

// A box and a rod fall, several points of one body touch at once: the error falls as h^2, by 16.
START_TEST(some_points)
{
  char scene[1024];
  double exact[14];
  double error[2] = {0};
  snprintf(scene, sizeof scene,
           DOWN
           "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"
           "joints: [{kind: free, child: a, q: [0, 0, 0.3, 0.98, 0.1, 0.14, 0.1], v: [1, 0.2, -2, "
           "1, 2, 0]},\n"
           "  {kind: free, child: b, q: [-0.5, 0, 0.3, 1, 0, 0, 0], v: [1, 0, -3, 0, 0, 0]}]\n"
           "shapes: [" FLOOR ", {body: a, kind: box, size: [0.2, 0.14, 0.1]}, {body: b, kind: "
           "box, size: [0.2, 0.2, 0.2]}]\n"
           "contacts: [{body: all, against: all, law: %s, friction: dry, mu_s: 0.4, mu_k: 0.4}]\n"
           "run: {until: 0.3, multi_impact: sequential}\n",
           law[_i]);
  for (int k = 0; k < 3; k++) {
    rh_model *model;
    rh_sim *sim = run_scene(scene, k == 0 ? 0 : ldexp(5e-4, 2 - 2 * k), &model);
    ck_assert_int_gt((int)rh_sim_statistics(sim).impact.impacts, 5);
    for (int i = 0; i < 14; i++) {
      double q = rh_sim_view(sim)->q[i];
      exact[i] = k == 0 ? q : exact[i];
      error[k == 2] = k > 0 ? fmax(error[k == 2], fabs(q - exact[i])) : 0;
    }
    finish(sim, model);
  }
  ck_assert_msg(error[0] < 1e-4 && error[0] / error[1] > 8, "%s: %g, %g", law[_i], error[0],
                error[1]);
}

END_TEST

// Seven balls in a row, one is thrown: one after the other they take its velocity, in a crowd too.
START_TEST(balls_in_a_row)
{
  enum { BALLS = 7 };

  static text t;
  t.n = 0;
  put(&t, "world: {gravity: [0, 0, 0]}\nbodies:\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t, "  - {name: b%d, mass: 1}\n", i);
  }
  put(&t, "joints:\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t, "  - {kind: free, child: b%d, q: [%g, 0, 0, 1, 0, 0, 0], v: [%d, 0, 0, 0, 0, 0]}\n", i,
        0.2 * i - (i == 0 ? 0.05 : 0), i == 0);
  }
  put(&t, "shapes:\n");
  for (int i = 0; i < BALLS; i++) {
    put(&t, "  - {body: b%d, kind: sphere, radius: 0.1}\n", i);
  }
  put(&t, "contacts: [{body: all, against: all, law: newton, e: 1, friction: none}]\n"
          "run: {until: 0.2, multi_impact: sequential}\n");
  rh_model *model;
  rh_sim *sim = run_scene(t.s, 1e-2, &model);
  for (int i = 0; i < BALLS; i++) {
    near_abs(rh_sim_view(sim)->v[6 * i], i == BALLS - 1, 1e-9);
  }
  finish(sim, model);
}

END_TEST

// A ball falls on a flap whose joint rests on its limit: limit and contact are one problem, and the
// run says that the law's path was not followed.
START_TEST(limits_leave_no_path)
{
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN
           "bodies: [{name: b, mass: 1}, {name: f, mass: 1, com: [0.2, 0, 0], inertia: "
           "[0.01, 0.02, 0.03, 0, 0, 0]}]\n"
           "joints: [{kind: free, child: b, q: [0.2, 0, 0.2, 1, 0, 0, 0], v: [0.5, 0, 0, 0, 0, "
           "0]},\n"
           "  {kind: revolute, child: f, axis: [0, 1, 0], limits: [-1, 0], q: [0]}]\n"
           "shapes: [{body: f, kind: box, size: [0.4, 0.2, 0.02], at: [0.2, 0, 0]}, {body: b, "
           "kind: sphere, radius: 0.05}]\n"
           "contacts: [{body: b, against: f, law: %s, friction: dry, mu_s: 0.3, mu_k: 0.3}]\n"
           "run: {until: 0.25, multi_impact: sequential}\n",
           law[_i]);
  rh_model *model;
  rh_event first;
  rh_sim *sim = run_scene(scene, 1e-3, &model);
  ck_assert_int_gt((int)rh_sim_verdicts(sim, RH_EVENT_FORMULATION, &first), 0);
  ck_assert_ptr_nonnull(strstr(first.note, "was not followed"));
  finish(sim, model);
}

END_TEST

// A ball meets n - 1 that touch, without a formulation in the scene: they are followed along the course of `hertz`, as in the run
// that locates events. Seven that bounce by velocities are a crowd, one problem, and the run says so.
START_TEST(row_by_default)
{
  static const int count[] = {3, 5, 7, 7};
  int n = count[_i];
  bool crowd = _i == 3;
  char scene[2048];
  int used = snprintf(scene, sizeof scene, "world: {gravity: [0, 0, 0]}\nbodies:\n");
  for (int i = 0; i < n; i++) {
    used += snprintf(scene + used, sizeof scene - (size_t)used, "  - {name: b%d, mass: 1}\n", i);
  }
  used += snprintf(scene + used, sizeof scene - (size_t)used, "joints:\n");
  for (int i = 0; i < n; i++) {
    used += snprintf(
        scene + used, sizeof scene - (size_t)used,
        "  - {kind: free, child: b%d, q: [%.17g, 0, 0, 1, 0, 0, 0], v: [%d, 0, 0, 0, 0, 0]}\n", i,
        i * 0.1 - (i == 0 ? 0.05 : 0), i == 0);
  }
  used += snprintf(scene + used, sizeof scene - (size_t)used, "shapes:\n");
  for (int i = 0; i < n; i++) {
    used += snprintf(scene + used, sizeof scene - (size_t)used,
                     "  - {body: b%d, kind: sphere, radius: 0.05}\n", i);
  }
  snprintf(scene + used, sizeof scene - (size_t)used,
           "contacts: [{body: all, against: all, law: %s, e: 0.9, friction: none}]\n"
           "run: {until: 0.1}\n",
           crowd ? "newton" : "stronge");
  rh_model *model[2];
  rh_sim *sim[2];
  rh_event first;
  for (int k = 0; k < 2; k++) {
    sim[k] = run_scene(scene, k * 1e-3, &model[k]);
  }
  bool said = rh_sim_verdicts(sim[1], RH_EVENT_FORMULATION, &first) > 0;
  ck_assert(said == crowd);
  ck_assert(!said || strstr(first.note, "was not followed") != NULL);
  for (int i = 0; i < n && !said; i++) { // the same course of the same numbers
    near_abs(rh_sim_view(sim[1])->v[6 * i], rh_sim_view(sim[0])->v[6 * i], 1e-12);
  }
  const rh_ledger lost[2] = {rh_sim_ledger(sim[0]), rh_sim_ledger(sim[1])};
  near_abs(lost[1].residue, 0, 1e-12);
  if (!said) {
    near_abs(lost[1].event, lost[0].event, 1e-12);
  }
  for (int k = 0; k < 2; k++) {
    finish(sim[k], model[k]);
  }
}

END_TEST

// A tray slides down a slanted rail, a ball lies on it and presses: s'' = (M + m) g cos a / (M + m cos^2 a). At the stop the limit's
// impulse comes first, then the ball meets the tray: one that stays, with e S cos a after; one that bounces back with b S
// yields, the impulse is (1 + e)(1 + b) S cos a / (1/m + cos^2 a / M).
START_TEST(a_tray_hits_its_stop)
{
  static const double M = 2, m = 0.5, a = 0.5, g = 9.81, L = 0.1, e = 0.5, end = 0.16;
  double dt = _i % 2 == 0 ? 0 : 1e-3;
  double b = _i < 2 ? 0 : 0.5;
  double pull = (M + m) * g * cos(a) / (M + m * cos(a) * cos(a));
  double S = sqrt(2 * pull * L);
  double later = end - S / pull;
  char scene[1024];
  snprintf(scene, sizeof scene,
           DOWN
           "bodies: [{name: tray, mass: 2}, {name: ball, mass: 0.5}]\n"
           "joints: [{kind: prismatic, child: tray, axis: [%.17g, 0, %.17g], limits: [-1, 0.1], "
           "bounce: %g},\n"
           "  {kind: free, child: ball, q: [0, 0, 0.06, 1, 0, 0, 0]}]\n"
           "shapes: [{body: tray, kind: box, size: [0.4, 0.2, 0.02]}, {body: ball, kind: sphere, "
           "radius: 0.05}]\n"
           "contacts: [{body: ball, against: tray, law: newton, e: 0.5, friction: none}]\n"
           "run: {until: %g}\n",
           sin(a), -cos(a), b, end);
  double p = (1 + e) * (1 + b) * S * cos(a) / (1 / m + cos(a) * cos(a) / M);
  double tray = b > 0 ? -b * S + p * cos(a) / M + g * cos(a) * later : 0;
  double ball = (b > 0 ? p / m - S * cos(a) : e * S * cos(a)) - g * later;
  rh_model *model;
  rh_sim *sim = run_scene(scene, dt, &model);
  const double *v = rh_sim_view(sim)->v;
  // The moment is found without the acceleration of what is pressed: late by pull dt^2 / 2 S at most, and speeds change by pull
  // and g until then, by g after; the factor 2 is for (1 + e)(1 + b). The located run has 1e-10 a step.
  double error = dt > 0 ? (pull + g) * pull * dt * dt / S : 1e-9;
  near_abs(v[0], tray, error);
  near_abs(v[3], ball, error);
  finish(sim, model);
}

END_TEST

// Two balls on one axle roll into a wedge (0.24 rad) that friction of 0.4 locks: what restitution asks for, that they leave the
// roof, has no solution, and the impact is plastic. They stop. The roof slides: with R the radius, momentum along the
// floor and spin give its impulse N (sin a + mu cos a + mu) = m v + I w / R, which says that nothing squeezes the balls besides.
START_TEST(a_wedge_that_locks)
{
  static const double m = 0.8, I = 1.15e-3, R = 0.06, a = 0.24, mu = 0.4;
  static run_log story;
  double N = (m * 1 + I * (1 / R) / R) / (sin(a) + mu * cos(a) + mu);
  double roof = 0;
  char scene[1024];
  snprintf(scene, sizeof scene,
           "world: {gravity: [0, 0, -9.81]}\n"
           "bodies: [{name: b, mass: %g, inertia: [0.01, %g, 0.01, 0, 0, 0]}]\n"
           "joints: [{kind: free, child: b, q: [-0.2, 0, %g, 1, 0, 0, 0], v: [1, 0, 0, 0, %.17g, "
           "0]}]\n"
           "shapes: [" FLOOR ", {body: world, kind: plane, at: [0, 0, 0.12], rpy: [0, %.17g, 0]}, "
           "{body: b, kind: sphere, at: [0, 0.1, 0], radius: %g}, {body: b, kind: sphere, at: [0, "
           "-0.1, 0], radius: %g}]\n"
           "contacts: [{body: b, against: world, law: newton, e: 0.3, friction: dry, mu_s: %g, "
           "mu_k: %g}]\n"
           "run: {until: 0.3, engine: stepping}\n",
           m, I, R, 1 / R, acos(-1.0) + a, R, R, mu, mu);
  rh_model *model = model_from(scene, NULL, 0);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  ck_assert_int_eq(rh_sim_run(sim, model->run.until), RH_OK);
  for (int k = 0; k < log_count(&story, RH_EVENT_IMPACT); k++) {
    const rh_event *e = log_find(&story, RH_EVENT_IMPACT, k);
    roof += e->point[2] > R ? e->impulse : 0;
    ck_assert(e->Dt >= 0);
  }
  near_abs(roof, N, 1e-3 * N); // it stays; a weight of 0.8 kg adds less than that in a step
  for (int i = 0; i < 6; i++) {
    near_abs(rh_sim_view(sim)->v[i], 0, 1e-9);
  }
  ck_assert_double_ge(rh_sim_ledger(sim).sliding, 0);
  rh_sim_observe(sim, NULL);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_moreau_paths(void)
{
  Suite *s = suite_create("unit_moreau_paths");
  TCase *t = tcase_create("paths");
  tcase_add_loop_test(t, one_point, 0, 3);
  tcase_add_loop_test(t, some_points, 0, 3);
  tcase_add_test(t, balls_in_a_row);
  tcase_add_loop_test(t, limits_leave_no_path, 0, 3);
  tcase_add_loop_test(t, a_tray_hits_its_stop, 0, 4);
  tcase_add_loop_test(t, row_by_default, 0, 4);
  tcase_add_test(t, a_wedge_that_locks);
  suite_add_tcase(s, t);
  return s;
}
