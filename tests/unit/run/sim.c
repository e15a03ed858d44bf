// unit_sim.c: whole runs against closed forms and conserved quantities, for smooth motion. Events are in unit_events.c.
#include "world.h"

#include <stdlib.h>

#define G 9.81

static const double PI = 3.14159265358979323846;

static run_log story; // of the run at hand; each test is its own process

// ---- Pendulum

static void add_pendulum(rh_scene *scene, double angle)
{
  rh_body_def bob =
      body_of("bob", 1, rh_v3(0, 0, -1), rh_v3(0, 0, 0)); // a point mass on a rod of 1 m
  rh_joint_def hinge = joint_of("revolute", "world", "bob", rh_v3(0, 1, 0));
  hinge.q = list_of(1, angle, 0);
  add(scene, &bob, &hinge);
}

// T = 2 pi sqrt(L/g) / agm(1, cos(a/2)) for amplitude a.
static double pendulum_period(double amplitude)
{
  double a = 1;
  double b = cos(amplitude / 2);
  for (int i = 0; i < 6; i++) {
    double next = (a + b) / 2;
    b = sqrt(a * b);
    a = next;
  }
  return 2 * PI * sqrt(1 / G) / a;
}

START_TEST(period_of_the_pendulum)
{
  rh_scene *scene = rh_scene_create();
  add_pendulum(scene, 1.2);
  rh_event_def pass = rh_event_default();
  pass.name = rh_name_of("pass");
  pass.joint = rh_name_of("bob");
  pass.direction = 1;
  ck_assert_int_ge(rh_scene_add_event(scene, &pass), 0);
  set_run(scene, "cvode", 12, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 12);
  double T = pendulum_period(1.2);
  near_abs(T, 2.203082587612504, 1e-14);                 // the closed form itself, from a table
  ck_assert_int_eq(log_count(&story, RH_EVENT_MARK), 5); // at 3/4 T, 7/4 T, ... below 12 s
  for (int k = 0; k < 5; k++) {
    near_abs(log_find(&story, RH_EVENT_MARK, k)->t, (k + 0.75) * T,
             1e-9 * (k + 1)); // 1e-9 of each period
    ck_assert_str_eq(log_find(&story, RH_EVENT_MARK, k)->name, "pass");
  }
  near_abs(log_find(&story, RH_EVENT_MARK, 1)->t - log_find(&story, RH_EVENT_MARK, 0)->t, T, 1e-9);
  finish(sim, model);
}

END_TEST

// ---- Free body

typedef struct spin { // a body in space
  double mass;
  rh_vec3 com, inertia, speed, turn;
} spin;

static rh_model *spin_model(const spin *s, const char *stepper, double until, double accuracy)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  rh_body_def body = body_of("body", s->mass, s->com, s->inertia);
  rh_joint_def joint = joint_of("free", "world", "body", rh_v3(0, 0, 0));
  joint.v = (rh_list){6, {s->speed.x, s->speed.y, s->speed.z, s->turn.x, s->turn.y, s->turn.z}};
  add(scene, &body, &joint);
  set_run(scene, stepper, until, accuracy);
  set_frames(scene, until / 50);
  return model_of(scene);
}

// Asymmetric body started near its middle axis, so that it tumbles; the centre of mass off the origin.
START_TEST(free_body_keeps_energy_and_momentum)
{
  const spin s = {
      2, {0.1 * _i, 0, -0.05 * _i}, {0.1, 0.2, 0.25}, {0.3, -0.1, 0.2}, {0.01, 2, 0.02}};
  rh_model *model = spin_model(&s, "cvode", 100, 1e-13);
  rh_sim *sim = sim_of(model);
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  double T0 = rh_kinetic_energy(d);
  rh_force p0 = rh_momentum(d);
  double size = rh_norm(p0.ang) + rh_norm(p0.lin);
  log_attach(&story, sim);
  run_to(sim, 100);
  rh_kinematics(d);
  rh_force p = rh_momentum(d);
  // What the project promises: 1e-10 over 100 s.
  near_rel(rh_kinetic_energy(d), T0, 1e-10);
  near_array(&p.ang.x, &p0.ang.x, 3, 1e-10 * size, 0);
  near_array(&p.lin.x, &p0.lin.x, 3, 1e-10 * size, 0);
  ck_assert_double_le(story.worst_residue, 1e-10 * T0);
  rh_quat q = {d->q[3], d->q[4], d->q[5], d->q[6]};
  near_abs(rh_quat_norm(q), 1, 1e-14); // projected at every step
  // The centre of mass has gone straight on.
  rh_vec3 c = rh_centre_of_mass(d);
  rh_vec3 want = rh_addscaled(s.com, 100 / s.mass, p0.lin);
  near_array(&c.x, &want.x, 3, 1e-8, 0); // 100 s times 1e-10 of the speed
  finish(sim, model);
}

END_TEST

// Symmetric top without torque: R(t) = Rot(L, |L|/A t) Rot(axis, w3 (1 - C/A) t) R(0).
START_TEST(symmetric_top_precesses)
{
  const double A = 0.3;
  const double C = 0.2;
  const spin s = {1, {0, 0, 0}, {A, A, C}, {0, 0, 0}, {1.0, -0.5, 3}};
  rh_model *model = spin_model(&s, "cvode", 10, 1e-12);
  rh_sim *sim = sim_of(model);
  rh_data *d = rh_sim_data(sim);
  run_to(sim, 10);
  rh_vec3 L = {A * 1.0, A * -0.5, C * 3};
  double size = rh_norm(L);
  rh_mat3 precession = rh_axis_matrix(rh_scale(1 / size, L), size / A * 10);
  rh_mat3 spinning = rh_axis_matrix(rh_v3(0, 0, 1), 3 * (1 - C / A) * 10);
  rh_mat3 want = rh_mat3_mul(&precession, &spinning);
  rh_kinematics(d);
  near_array(d->kin[1].R.m, want.m, 9, 1e-9, 0); // 40 rad at rtol 1e-12
  finish(sim, model);
}

END_TEST

typedef struct expected_order {
  const char *stepper;
  int order;
  double dt;
} expected_order;

static const expected_order orders[] = {{"euler", 1, 1e-3}, {"rk4", 4, 1e-2}};

static double spin_error(const expected_order *o, double dt)
{
  const double A = 0.3;
  const double C = 0.2;
  const spin s = {1, {0, 0, 0}, {A, A, C}, {0.5, 0, 0}, {1.0, -0.5, 3}};
  rh_model *model = spin_model(&s, o->stepper, 2, dt);
  rh_sim *sim = sim_of(model);
  run_to(sim, 2);
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  rh_vec3 L = {A * 1.0, A * -0.5, C * 3};
  double size = rh_norm(L);
  rh_mat3 precession = rh_axis_matrix(rh_scale(1 / size, L), size / A * 2);
  rh_mat3 spinning = rh_axis_matrix(rh_v3(0, 0, 1), 3 * (1 - C / A) * 2);
  rh_mat3 want = rh_mat3_mul(&precession, &spinning);
  double error = 0;
  for (int i = 0; i < 9; i++) {
    error = fmax(error, fabs(d->kin[1].R.m[i] - want.m[i]));
  }
  near_abs(d->q[0], 1, 1e-12); // straight on, for every method
  rh_quat q = {d->q[3], d->q[4], d->q[5], d->q[6]};
  near_abs(rh_quat_norm(q), 1, 1e-14);
  finish(sim, model);
  return error;
}

START_TEST(steppers_have_their_order_on_rotations)
{
  const expected_order *o = &orders[_i];
  double e1 = spin_error(o, o->dt);
  double e2 = spin_error(o, o->dt / 2);
  double e4 = spin_error(o, o->dt / 4);
  near_abs(log2(e1 / e2), o->order, 0.15); // asymptotic range: 10 % and then 5 % of one order
  near_abs(log2(e2 / e4), o->order, 0.1);
}

END_TEST

// ---- Energy of wild motion, `cvode` at rtol 1e-10: what the project promises is 1e-9 of the total over 10 s

static void check_residue(rh_model *model, double total)
{
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 10);
  ck_assert_int_eq(story.frames, 501);
  ck_assert_msg(story.worst_residue < 1e-9 * total, "residue %g of %g J", story.worst_residue,
                total);
  rh_ledger ledger = rh_sim_ledger(sim);
  near_abs(ledger.kinetic + ledger.potential, ledger.initial + ledger.residue,
           1e-12 * total); // the account itself
  finish(sim, model);
}

static rh_scene *wild_scene(void)
{
  rh_scene *scene = rh_scene_create();
  set_run(scene, "cvode", 10, 1e-10);
  set_frames(scene, 0.02);
  return scene;
}

START_TEST(chaotic_double_pendulum)
{
  rh_scene *scene = wild_scene();
  rh_body_def a = body_of("a", 1, rh_v3(0, 0, -1), rh_v3(0, 0, 0));
  rh_body_def b = body_of("b", 1, rh_v3(0, 0, -1), rh_v3(0, 0, 0));
  rh_joint_def ja = joint_of("revolute", "world", "a", rh_v3(0, 1, 0));
  rh_joint_def jb = joint_of("revolute", "a", "b", rh_v3(0, 1, 0));
  ja.q = list_of(1, 2.5, 0);
  jb.q = list_of(1, 0.5, 0);
  jb.at[2] = -1;
  add(scene, &a, &ja);
  add(scene, &b, &jb);
  // Energy above the lowest position.
  double total = G * (2 * (1 - cos(2.5)) + (1 - cos(3.0)));
  check_residue(model_of(scene), total);
}

END_TEST

// Also keeps the vertical angular momentum and the spin about its own axis (equal moments across it).
START_TEST(heavy_top)
{
  rh_scene *scene = wild_scene();
  const double A = 0.02;
  const double C = 0.03;
  rh_body_def top = body_of("top", 1, rh_v3(0, 0, 0.2), rh_v3(A, A, C));
  rh_joint_def tip = joint_of("spherical", "world", "top", rh_v3(0, 0, 0));
  rh_quat tilt = rh_quat_exp(rh_v3(0.6, 0, 0));
  rh_mat3 R = rh_quat_matrix(tilt);
  rh_vec3 axis = rh_rotate(&R, rh_v3(0, 0, 1));
  rh_vec3 w = rh_add(rh_scale(30, axis), rh_v3(0, 0, 0.5));
  tip.q = (rh_list){4, {tilt.w, tilt.x, tilt.y, tilt.z}};
  tip.v = (rh_list){3, {w.x, w.y, w.z}};
  add(scene, &top, &tip);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  double Lz = rh_momentum(d).ang.z;
  double total = rh_kinetic_energy(d) + G * 0.2 * (1 + cos(0.6));
  run_to(sim, 10);
  rh_kinematics(d);
  near_rel(rh_momentum(d).ang.z, Lz, 1e-8); // 300 rad of spin at rtol 1e-10
  axis = rh_rotate(&d->kin[1].R, rh_v3(0, 0, 1));
  near_rel(rh_dot(axis, d->kin[1].v.ang), 30 + 0.5 * cos(0.6), 1e-8);
  rh_sim_destroy(sim);
  check_residue(model, total);
}

END_TEST

// ---- Springs, dampers, actuators, forces: closed forms of position and of every line of the ledger

static rh_scene *slider_scene(rh_joint_def *slide, double gravity)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, gravity));
  rh_body_def block = body_of("block", 2, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
  *slide = joint_of("prismatic", "world", "block", rh_v3(0, 0, 1));
  (void)rh_scene_add_body(scene, &block);
  set_run(scene, "cvode", 10, 1e-12);
  set_frames(scene, 0.1);
  return scene;
}

#define SMOOTH                                                                                     \
  1e-9 // [m, m/s, J] some seconds of motion of size 1 to 10 at rtol 1e-12, with a factor 100 for growth

START_TEST(spring_oscillates)
{
  rh_joint_def slide;
  rh_scene *scene = slider_scene(&slide, -G);
  slide.spring = list_of(1, 50, 0);
  slide.rest = list_of(1, 0.3, 0);
  slide.armature = list_of(1, 0.5, 0);
  slide.q = list_of(1, 0.1, 0);
  slide.v = list_of(1, 0.7, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 3);
  double w = sqrt(50 / 2.5); // armature adds to the mass but not to the weight
  double middle = 0.3 - 2 * G / 50;
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->q[0], middle + (0.1 - middle) * cos(3 * w) + 0.7 / w * sin(3 * w), SMOOTH);
  near_abs(d->v[0], -(0.1 - middle) * w * sin(3 * w) + 0.7 * cos(3 * w), SMOOTH);
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.kinetic, 0.5 * 2.5 * d->v[0] * d->v[0], 1e-12);
  near_abs(l.spring, 0.5 * 50 * (d->q[0] - 0.3) * (d->q[0] - 0.3), 1e-12);
  near_abs(l.potential, 2 * G * d->q[0], 1e-12);
  near_abs(l.initial, 0.5 * 2.5 * 0.49 + 0.5 * 50 * 0.04 + 2 * G * 0.1, 1e-12);
  ck_assert(l.damper == 0 && l.actuator == 0 && l.external == 0 && l.event == 0);
  ck_assert_double_le(story.worst_residue, SMOOTH);
  finish(sim, model);
}

END_TEST

START_TEST(damper_decays)
{
  rh_joint_def slide;
  rh_scene *scene = slider_scene(&slide, 0);
  slide.damper = list_of(1, 1.5, 0);
  slide.v = list_of(1, 3, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 2);
  double k = 1.5 / 2;
  near_abs(rh_sim_view(sim)->v[0], 3 * exp(-2 * k), SMOOTH);
  near_abs(rh_sim_view(sim)->q[0], 3 / k * (1 - exp(-2 * k)), SMOOTH);
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.damper, 0.5 * 2 * 9 * (1 - exp(-4 * k)), SMOOTH);
  near_abs(l.kinetic + l.damper, 9, SMOOTH);
  ck_assert_double_le(story.worst_residue, SMOOTH);
  finish(sim, model);
}

END_TEST

START_TEST(actuator_works)
{
  rh_joint_def slide;
  rh_scene *scene = slider_scene(&slide, 0);
  (void)rh_scene_add_joint(scene, &slide);
  rh_actuator_def push = rh_actuator_default();
  push.name = rh_name_of("push");
  push.joint = rh_name_of("block");
  push.effort = 5;
  (void)rh_scene_add_actuator(scene, &push);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 2);
  near_abs(rh_sim_view(sim)->q[0], 0.5 * 2.5 * 4, SMOOTH);
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.actuator, 5 * 5, 10 * SMOOTH);
  near_abs(l.kinetic, 25, 10 * SMOOTH);
  ck_assert_double_le(story.worst_residue, 10 * SMOOTH);
  finish(sim, model);
}

END_TEST

// Force F from 0.5 to 1.25 s at the centre of mass of a body in space, torque N about an axis of symmetry: momentum
// F 0.75, angular momentum N 0.75, work F.F 0.75^2 / 2m + N^2 0.75^2 / 2I.
START_TEST(force_in_a_window)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  rh_body_def body = body_of("body", 2, rh_v3(0.3, 0, 0), rh_v3(0.1, 0.1, 0.15));
  rh_joint_def joint = joint_of("free", "world", "body", rh_v3(0, 0, 0));
  add(scene, &body, &joint);
  rh_force_def gust = rh_force_default();
  gust.name = rh_name_of("gust");
  gust.body = rh_name_of("body");
  gust.at[0] = 0.3;
  set3(gust.force, rh_v3(1, -2, 3));
  gust.torque[2] = 0.2;
  gust.from = 0.5;
  gust.until = 1.25;
  ck_assert_int_ge(rh_scene_add_force(scene, &gust), 0);
  set_run(scene, "cvode", 2, 1e-12);
  set_frames(scene, 0.1);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 2);
  ck_assert_int_eq(story.n, 2);
  ck_assert_int_eq(story.event[0].kind, RH_EVENT_FORCE_ON);
  ck_assert_int_eq(story.event[1].kind, RH_EVENT_FORCE_OFF);
  ck_assert(story.event[0].t == 0.5 &&
            story.event[1].t == 1.25); // known beforehand, so met exactly
  ck_assert_str_eq(story.event[0].name, "gust");
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  rh_force p = rh_momentum(d);
  near_array(&p.lin.x, ((double[3]){0.75, -1.5, 2.25}), 3, SMOOTH, 0);
  near_abs(d->kin[1].v.ang.z, 0.2 * 0.75 / 0.15, SMOOTH);
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.external, 14 * 0.5625 / 4 + 0.04 * 0.5625 / 0.3, SMOOTH);
  near_abs(l.kinetic, l.external, SMOOTH);
  ck_assert_double_le(story.worst_residue, SMOOTH);
  finish(sim, model);
}

END_TEST

// A force in body axes turns with the body: a point of a disk that spins at a constant rate w feels F turning; the
// velocity is F/(m w) (sin wt, 1 - cos wt).
START_TEST(force_in_body_axes)
{
  const double w = 3;
  const spin s = {2, {0, 0, 0}, {0.1, 0.1, 0.15}, {0, 0, 0}, {0, 0, w}};
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  rh_body_def body = body_of("body", s.mass, s.com, s.inertia);
  rh_joint_def joint = joint_of("free", "world", "body", rh_v3(0, 0, 0));
  joint.v = (rh_list){6, {0, 0, 0, 0, 0, w}};
  add(scene, &body, &joint);
  rh_force_def jet = rh_force_default();
  jet.name = rh_name_of("jet");
  jet.body = rh_name_of("body");
  jet.force[0] = 4;
  jet.frame = 1;
  (void)rh_scene_add_force(scene, &jet);
  set_run(scene, "cvode", 2, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  log_attach(&story, sim);
  run_to(sim, 2);
  const rh_data *d = rh_sim_view(sim);
  near_abs(d->v[0], 4 / (2 * w) * sin(2 * w), SMOOTH);
  near_abs(d->v[1], 4 / (2 * w) * (1 - cos(2 * w)), SMOOTH);
  near_abs(rh_sim_ledger(sim).residue, 0, SMOOTH);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_sim(void)
{
  Suite *suite = suite_create("unit_sim");
  TCase *motion = tcase_create("motion");
  tcase_add_test(motion, period_of_the_pendulum);
  tcase_add_loop_test(motion, free_body_keeps_energy_and_momentum, 0, 2);
  tcase_add_test(motion, symmetric_top_precesses);
  tcase_add_loop_test(motion, steppers_have_their_order_on_rotations, 0, RH_COUNT(orders));
  tcase_add_test(motion, chaotic_double_pendulum);
  tcase_add_test(motion, heavy_top);
  tcase_add_test(motion, spring_oscillates);
  tcase_add_test(motion, damper_decays);
  tcase_add_test(motion, actuator_works);
  tcase_add_test(motion, force_in_a_window);
  tcase_add_test(motion, force_in_body_axes);
  suite_add_tcase(suite, motion);
  return suite;
}
