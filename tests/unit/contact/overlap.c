// unit_overlap.c: where contacts begin: what overlaps or touches at the start has its force from the start and its energy
// in the account, and no pair of shapes is counted twice.
#include "contact_scenes.h"

#include <stdlib.h>

static rh_status watch_frame(void *user, const rh_sim *sim, long index)
{
  double *worst = user;
  (void)index;
  double residue = fabs(rh_sim_ledger(sim).residue);
  *worst = isfinite(residue) ? fmax(*worst, residue) : HUGE_VAL;
  return RH_OK;
}

typedef struct begin {
  double height, speed; // of the ball's lowest point, upward
} begin;

static const begin begins[] = {{0, 0},       {-1e-3, 0}, {-5e-3, -0.1},
                               {-5e-3, 0.1}, {1e-15, 0}, {0, -0.3}};

// Elastic ground, so the energy at the start says how high the ball comes, and no state is without its spring.
START_TEST(begin_in_contact)
{
  static const double k = 1e4;
  begin b = begins[_i];
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0, 0, 0.1 + b.height}, .v = {0, 0, b.speed}};
  put_floor(scene);
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = contact_of("ball", "world", "kelvin-voigt", "none");
  set_law(&c, "k", k);
  set_law(&c, "b", 0);
  put_contact(scene, &c);
  set_tolerance(scene, 1.0, 1e-10, 1e-13);
  set_frames(scene, 1e-3);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  double worst = 0;
  double lowest = HUGE_VAL;
  rh_observer observer = {&worst, watch_frame, NULL, NULL};
  rh_sim_observe(sim, &observer);
  for (int i = 1; i <= 1000; i++) {
    run_to(sim, 1e-3 * i);
    lowest = fmin(lowest, rh_sim_view(sim)->q[2] - 0.1);
  }
  double z = fmax(-b.height, 0);
  double energy = 0.5 * b.speed * b.speed + 9.81 * b.height + 0.5 * k * z * z; // of 1 kg
  double deepest = (9.81 + sqrt(9.81 * 9.81 + 2 * k * energy)) / k; // k z^2 / 2 - g z = energy
  // Looked at every 1 ms of a swing of 63 ms, the lowest of many is within 1e-3 of the amplitude.
  near_abs(-lowest, deepest, 1e-3 * deepest);
  ck_assert_msg(worst < 1e-8, "residue %g J", worst);
  finish(sim, model);
}

END_TEST

// ---- Who meets whom

// A pair of bodies that two entries speak of, one of them with "all", must not get two forces.
START_TEST(no_pair_twice)
{
  rh_scene *scene = rh_scene_create();
  start a = {.at = {0, 0, 0.099}};
  start b = {.at = {0.5, 0, 0.099}};
  put_floor(scene);
  put_ball(scene, "a", 1, 0.1, &a);
  put_ball(scene, "b", 1, 0.1, &b);
  rh_contact_def c = contact_of("a", "all", "kelvin-voigt", "none");
  c.name = rh_name_of("first");
  put_contact(scene, &c);
  c = contact_of("b", "all", "kelvin-voigt", "none");
  c.name = rh_name_of("second");
  put_contact(scene, &c);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  if (rh_scene_compile(scene, diag, &model) == RH_OK) {
    ck_assert_int_eq(rh_model_contact_of(model, 1, 2), 0); // the first speaks for both
    ck_assert_int_eq(rh_model_contact_of(model, 2, 1), 0);
    ck_assert_int_eq(rh_model_contact_of(model, 0, 2), 1);
    ck_assert_int_eq(model->nslot, 3); // each ball and the floor, and the two
  }
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

// A block on another, turned by 33 degrees: the faces meet in an octagon whose corners lie on edges of both. Which of the
// two the detection works with must not be felt: what belongs to a point stays with it.
static const start turned[] = {{.at = {0, 0, 0.201}},
                               {.at = {0.02, 0.01, 0.2}, .v = {0.1, 0, 0}, .spin = {0, 0, 0.3}}};

START_TEST(turned_block_on_block)
{
  static const double k = 5e6; // [N/m^3]
  static const double side = 0.2;
  static const double angle = 0.5676;
  rh_scene *scene = rh_scene_create();
  double par[4] = {side, side, side, 4};
  rh_shape_def box = shape_of("block", "box", 4, par);
  box.rpy[2] = angle;
  put_box(scene, "world", rh_v3(side, side, side), 4);
  put_block(scene, "block", 5, rh_v3(side, side, side), &turned[_i]);
  rh_scene_add_shape(scene, &box);
  rh_contact_def c = contact_of("block", "world", "hunt-crossley", "bristle");
  c.stiffness_per = 1;
  set_law(&c, "k", k);
  set_law(&c, "alpha", 20);
  set_friction(&c, "sigma0", 1e7);
  set_friction(&c, "sigma1", 1e4);
  put_contact(scene, &c);
  set_tolerance(scene, 1, 1e-9, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  if (_i ==
      1) { // it slides off its flat seat: either it keeps its account, or it says why it cannot go on
    rh_status status = rh_sim_run(sim, model->run.until);
    ck_assert(status == RH_OK || status == RH_STOPPED);
    ck_assert(status == RH_OK || strstr(rh_sim_reason(sim), "no area") != NULL);
  } else {
    run_to(sim, model->run.until);
  }
  if (_i == 0) {
    double area = 2 * side * side / (1 + sin(angle) + cos(angle));
    // k A z = m g; a fall of 1 mm onto it has died down by then to a part in a thousand.
    near_rel(side - rh_sim_view(sim)->q[2], 5 * 9.81 / (k * area), 1e-3);
    near_array(rh_sim_view(sim)->q, ((double[2]){0, 0}), 2, 1e-8, 0); // nothing drives it aside
  }
  ck_assert_msg(log->worst_residue < 1e-6, "residue %g J", log->worst_residue);
  // Eight corners, a few bounces: what is more is points that are lost and found.
  ck_assert_msg(log_count(log, RH_EVENT_TOUCH) <= 8 * 8, "%d touches",
                log_count(log, RH_EVENT_TOUCH));
  free(log);
  finish(sim, model);
}

END_TEST

Suite *rh_suite_unit_overlap(void)
{
  Suite *suite = suite_create("unit_overlap");
  TCase *tests = tcase_create("overlap");
  tcase_add_loop_test(tests, begin_in_contact, 0, RH_COUNT(begins));
  tcase_add_test(tests, no_pair_twice);
  tcase_add_loop_test(tests, turned_block_on_block, 0, RH_COUNT(turned));
  suite_add_tcase(suite, tests);
  return suite;
}
