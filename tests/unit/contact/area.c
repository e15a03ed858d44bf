// unit_area.c: how many points a flat face is sampled by must not matter when constants are given for the area: stiffness,
// damping, bounce and tilt of a box are those of its face, in closed form. With constants a point, they add up.
#include "contact_scenes.h"

#include <stdlib.h>

static const rh_vec3 SIZE = {0.4, 0.25, 0.2};
static const double MASS = 3;
static const double K = 2e6; // [N/m^3]
static const double B = 2e3; // [N s/m^3]
static const double G = 9.81;
static const int samples[] = {4, 8, 9, 16, 5, 12, 25, 64};

typedef struct setting {
  int samples;
  bool per_area;
  double k, b;
  const char *friction;
  start start;
  rh_quat attitude;
} setting;

static setting setting_of(int n, bool per_area)
{
  return (setting){.samples = n,
                   .per_area = per_area,
                   .k = K,
                   .b = B,
                   .friction = "none",
                   .start = {.at = {0, 0, SIZE.z / 2}},
                   .attitude = {1, 0, 0, 0}};
}

static rh_model *box_model(const setting *s, double until)
{
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  double x = SIZE.x * SIZE.x * MASS / 12;
  double y = SIZE.y * SIZE.y * MASS / 12;
  double z = SIZE.z * SIZE.z * MASS / 12;
  rh_body_def body = body_of("box", MASS, rh_v3(0, 0, 0), rh_v3(y + z, x + z, x + y));
  rh_joint_def joint = joint_of("free", "world", "box", rh_v3(0, 0, 0));
  const start *b = &s->start;
  rh_quat q = rh_quat_unit(s->attitude);
  joint.q = (rh_list){7, {b->at.x, b->at.y, b->at.z, q.w, q.x, q.y, q.z}};
  joint.v = (rh_list){6, {b->v.x, b->v.y, b->v.z, b->spin.x, b->spin.y, b->spin.z}};
  add(scene, &body, &joint);
  put_box(scene, "box", SIZE, s->samples);
  rh_contact_def c = contact_of("box", "world", "kelvin-voigt", s->friction);
  c.stiffness_per = s->per_area;
  set_law(&c, "k", s->k);
  set_law(&c, "b", s->b);
  put_contact(scene, &c);
  set_tolerance(scene, until, 1e-11, 1e-13);
  set_frames(scene, 1e-3);
  return model_of(scene);
}

static double area(void)
{
  return SIZE.x * SIZE.y;
}

// ---- Heave: m z'' = m g - A k z - A b z', from rest at the surface

static double heave(double k, double b, double t)
{
  double still = MASS * G / k;
  double rate = b / (2 * MASS);
  double omega = sqrt(k / MASS - rate * rate);
  return still * (1 - exp(-rate * t) * (cos(omega * t) + rate / omega * sin(omega * t)));
}

START_TEST(heave_is_that_of_the_face)
{
  setting s = setting_of(samples[_i], true);
  rh_model *model = box_model(&s, 0.1);
  rh_sim *sim = sim_of(model);
  for (int i = 1; i <= 20; i++) {
    double t = 5e-3 * i;
    run_to(sim, t);
    // Falling at once, it stays in the ground: overdamped it would not come up again, so it never parts (b above).
    near_abs(SIZE.z / 2 - rh_sim_view(sim)->q[2], heave(K * area(), B * area(), t),
             1e-9);                                                    // 1e-11 in a hundred steps
    near_array(rh_sim_view(sim)->q, ((double[2]){0, 0}), 2, 1e-12, 0); // and does not wander
  }
  rh_ledger l = rh_sim_ledger(sim);
  near_abs(l.residue, 0, 1e-8);
  finish(sim, model);
}

END_TEST

START_TEST(rest_is_that_of_the_face)
{
  setting s = setting_of(samples[_i], true);
  s.b = 2e4; // 2000 N s/m on 3 kg: at rest after 0.1 s
  rh_model *model = box_model(&s, 2);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  look(sim);
  near_rel(SIZE.z / 2 - rh_sim_view(sim)->q[2], MASS * G / (K * area()), 1e-8); // k A z = m g
  double force = 0;
  double whole = 0;
  int on = 0;
  for (int k = 0; k < model->nslot; k++) {
    const rh_contact *c = &rh_sim_view(sim)->contact[k];
    on += c->on;
    force += c->normal;
    whole += c->on ? c->area : 0;
  }
  ck_assert_int_eq(on, s.samples);
  near_rel(force, MASS * G, 1e-8);
  near_rel(whole, area(), 1e-13); // weights of a rule of integration: they add up to one
  finish(sim, model);
}

END_TEST

// ---- Bounce: e of a damped spring with tension kept, [MO] eq. 4, less what gravity does in between

START_TEST(bounce_is_that_of_the_face)
{
  setting s = setting_of(samples[_i], true);
  s.start.at.z += 0.05;
  rh_model *model = box_model(&s, 0.2);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  const rh_event *touch = log_find(log, RH_EVENT_TOUCH, 0);
  const rh_event *part = log_find(log, RH_EVENT_SEPARATE, 0);
  ck_assert(touch != NULL && part != NULL);
  ck_assert_int_eq(log_count(log, RH_EVENT_TOUCH), s.samples);
  ck_assert_int_eq(log_count(log, RH_EVENT_SEPARATE), s.samples);
  // z(t) = heave(t) + v exp(-c t) sin(w t) / w; it parts where z = 0 again. Newton from half a period.
  double k = K * area();
  double c = B * area() / (2 * MASS);
  double w = sqrt(k / MASS - c * c);
  double v = sqrt(2 * G * 0.05);
  double t = 3.14159265358979323846 / w;
  double rate = 0;
  for (int i = 0; i < 20; i++) {
    double z = heave(k, 2 * c * MASS, t) + v * exp(-c * t) * sin(w * t) / w;
    rate = MASS * G / k * exp(-c * t) * (w + c * c / w) * sin(w * t) +
           v * exp(-c * t) * (cos(w * t) - c / w * sin(w * t));
    t -= z / rate;
  }
  near_rel(part->t - touch->t, t, 1e-8); // 1e-11 a step
  near_rel(-part->before, -rate, 1e-8);
  near_abs(log->worst_residue, 0, 1e-8);
  free(log);
  finish(sim, model);
}

END_TEST

// ---- Tilt: the moment of a face that is pressed in on one side

// A face turned by a small angle about y and pressed in all over: the points' lever arms must give the second moment of the
// area, A x^2 / 12 times k. Four corners alone cannot: they give A x^2 / 4, three times as much, and eight 2/3 of that.
START_TEST(tilt_stiffness)
{
  static const double share[] = {3, 5.0 / 3, 1, 1,
                                 1, 1,       1, 1}; // of A x^2 / 12; from 9 on, and with 5, exact
  setting s = setting_of(samples[_i], true);
  double angle = 1e-4;
  s.start.at.z -= 1e-3;
  s.attitude = (rh_quat){cos(angle / 2), 0, sin(angle / 2), 0};
  s.b = 0;
  rh_model *model = box_model(&s, 1);
  rh_sim *sim = sim_of(model);
  run_to(sim, 1e-9); // the points get their slots
  look(sim);
  const rh_force *f = &rh_sim_view(sim)->wrench[1];
  double arm = -SIZE.z / 2 * sin(angle); // the face's middle has moved aside under the centre
  near_rel(f->lin.z, K * area() * 1e-3,
           1e-4); // the sides, seen under that angle, press a little as well
  double moment = f->ang.y + arm * f->lin.z; // about the middle of the face
  near_rel(-moment, K * area() * SIZE.x * SIZE.x / 12 * angle * share[_i],
           4e-3); // the sides, pressed in by 1 mm of 0.2 m, turn it too
  finish(sim, model);
}

END_TEST

// A box let go on one edge rocks to rest. Whatever energy a spring whose area changes with the tilt makes or eats must not
// be hidden: the account closes.
START_TEST(rocking_closes_the_account)
{
  setting s = setting_of(samples[_i], true);
  double angle = 0.15;
  s.attitude = (rh_quat){cos(angle / 2), 0, sin(angle / 2), 0};
  s.start.at.z = (SIZE.z * cos(angle) + SIZE.x * sin(angle)) / 2;
  s.friction = "coulomb";
  rh_model *model = box_model(&s, 0.6);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  ck_assert_msg(log->worst_residue < 1e-6, "residue %g J of %g J", log->worst_residue,
                MASS * G * 0.03);
  free(log);
  finish(sim, model);
}

END_TEST

// ---- Constants a point

START_TEST(points_add_up)
{
  setting s = setting_of(samples[_i], false);
  s.k = 1e5;
  s.b = 50;
  rh_model *model = box_model(&s, 0.05);
  rh_sim *sim = sim_of(model);
  for (int i = 1; i <= 10; i++) {
    run_to(sim, 5e-3 * i);
    near_abs(SIZE.z / 2 - rh_sim_view(sim)->q[2], heave(1e5 * s.samples, 50 * s.samples, 5e-3 * i),
             1e-9);
  }
  finish(sim, model);
}

END_TEST

// A ball has no face: constants a square metre of it mean nothing, and a scene that says so must not be run as if it did.
START_TEST(no_face_no_area)
{
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.2}};
  put_floor(scene);
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  c.stiffness_per = 1;
  put_contact(scene, &c);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
  ck_assert_int_gt(rh_diag_count(diag, RH_ERROR), 0);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

// A wanted restitution is that of the whole box on its face.
START_TEST(restitution_of_a_face)
{
  rh_scene *scene = rh_scene_create();
  set_gravity(scene, rh_v3(0, 0, 0));
  start s = {.at = {0, 0, SIZE.z / 2 + 0.01}, .v = {0, 0, -1}};
  put_floor(scene);
  put_block(scene, "box", MASS, SIZE, &s);
  put_box(scene, "box", SIZE, samples[_i]);
  rh_contact_def c = contact_of("box", "world", "kelvin-voigt", "none");
  c.stiffness_per = 1;
  c.restitution = (rh_list){1, {0.6}};
  set_law(&c, "k", K);
  put_contact(scene, &c);
  set_tolerance(scene, 0.2, 1e-11, 1e-13);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  if (rh_scene_compile(scene, diag, &model) == RH_OK) { // to refuse it is as good
    rh_sim *sim = sim_of(model);
    run_to(sim, model->run.until);
    near_rel(rh_sim_view(sim)->v[2], 0.6,
             1e-8); // free of gravity: the closed form holds to the integrator's 1e-11
    rh_sim_destroy(sim);
  }
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

Suite *rh_suite_unit_area(void)
{
  Suite *suite = suite_create("unit_area");
  TCase *tests = tcase_create("area");
  tcase_add_loop_test(tests, heave_is_that_of_the_face, 0, RH_COUNT(samples));
  tcase_add_loop_test(tests, rest_is_that_of_the_face, 0, RH_COUNT(samples));
  tcase_add_loop_test(tests, bounce_is_that_of_the_face, 0, RH_COUNT(samples));
  tcase_add_loop_test(tests, tilt_stiffness, 0, RH_COUNT(samples));
  tcase_add_loop_test(tests, rocking_closes_the_account, 0, RH_COUNT(samples));
  tcase_add_loop_test(tests, points_add_up, 0, RH_COUNT(samples));
  tcase_add_test(tests, no_face_no_area);
  tcase_add_loop_test(tests, restitution_of_a_face, 0, RH_COUNT(samples));
  suite_add_tcase(suite, tests);
  return suite;
}
