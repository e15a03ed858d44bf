// ref_foot.c: [MO] figure 8 as a scene: foot placement, weight bearing and lift, against numbers derived independently.
#include "data/foot.h"
#include "test.h"

#include <routh/routh.h>

#include <math.h>
#include <string.h>

typedef struct seen {
  double peak_force, peak_time, deepest, deepest_time;
  double liftoff, liftoff_speed, least_speed, least_force;
} seen;

static void look(seen *s, const rh_data *d)
{
  const rh_contact *c = &d->contact[0];
  if (!c->on) {
    return;
  }
  if (c->normal > s->peak_force) {
    s->peak_force = c->normal;
    s->peak_time = *d->t;
  }
  if (c->depth > s->deepest) {
    s->deepest = c->depth;
    s->deepest_time = *d->t;
  }
  s->least_speed = fmin(s->least_speed, c->rate);
  s->least_force = fmin(s->least_force, c->normal);
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  seen *s = user;
  (void)sim;
  if (event->kind == RH_EVENT_SEPARATE && s->liftoff == 0) {
    s->liftoff = event->t;
    s->liftoff_speed = event->before;
    s->least_speed = fmin(s->least_speed, event->before);
    s->least_force = fmin(s->least_force, 0); // there the depth, and so the force, is zero
  }
  return RH_OK;
}

static rh_sim *open_case(const foot_case *f, rh_model **model)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_sim *sim = NULL;
  int nset = 0;
  while (nset < 3 && f->set[nset]) {
    nset++;
  }
  ck_assert_int_eq(
      rh_scene_load(ROUTH_SOURCE_DIR "/scenes/papers/mo/fig8.yaml", f->set, nset, diag, &scene),
      RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, diag, model), RH_OK);
  ck_assert_int_eq(rh_sim_create(*model, diag, &sim), RH_OK);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return sim;
}

// Depth to 1e-7 m, speed to 1e-5 m/s, force to 1e-2 N: the tolerances the reference states for its series.
static void compare_series(const foot_case *f, rh_sim *sim, int i)
{
  rh_data *d = rh_sim_data(sim);
  rh_kinematics(d);
  rh_loads(d);
  rh_contacts(d);
  near_abs(d->q[0], f->depth[i], 1e-7);
  near_abs(d->v[0], f->speed[i], 1e-5);
  near_abs(d->contact[0].on ? d->contact[0].normal : 0, f->force[i], 1e-2);
}

static void compare_numbers(const foot_case *f, const seen *s)
{
  // Looked at every 0.02 ms: a maximum is missed by less than 1e-6 of itself, its instant by 0.02 ms.
  near_rel(s->peak_force, f->peak_force, 1e-5);
  near_abs(s->peak_time, f->peak_time, 2e-5);
  near_rel(s->deepest, f->deepest, 1e-6);
  near_abs(s->deepest_time, f->deepest_time, 2e-5);
  near_abs(s->liftoff, f->liftoff, 1e-6);
  near_abs(s->liftoff_speed, f->liftoff_speed, 1e-5);
  near_abs(s->least_speed, f->least_speed, 1e-5);
  near_abs(s->least_force, f->least_force, 1e-2);
}

START_TEST(figure8)
{
  const foot_case *f = &foot_cases[_i];
  rh_model *model = NULL;
  rh_sim *sim = open_case(f, &model);
  seen s = {.least_speed = HUGE_VAL, .least_force = HUGE_VAL};
  rh_observer observer = {&s, NULL, on_event, NULL};
  rh_sim_observe(sim, &observer);
  for (int i = 0; i < 40; i++) {
    for (int k = 1; k <= 1000 && i > 0; k++) { // the steps between two looks of the series
      ck_assert_int_eq(rh_sim_run(sim, 0.02 * (i - 1) + 2e-5 * k), RH_OK);
      rh_data *d = rh_sim_data(sim);
      rh_kinematics(d);
      rh_loads(d);
      rh_contacts(d);
      look(&s, d);
    }
    if (i > 0) {
      compare_series(f, sim, i);
    }
    if (i == 5) {
      near_rel(rh_sim_view(sim)->q[0], f->ramp_depth, 1e-6);
      near_rel(rh_sim_view(sim)->v[0], f->ramp_speed, 1e-5);
    }
    if (i == 30) {
      near_rel(rh_sim_view(sim)->q[0], f->lift_depth, 1e-6);
    }
  }
  compare_numbers(f, &s);
  ck_assert_double_le(fabs(rh_sim_ledger(sim).residue), 1e-7); // of 50 J at 1e-11
  rh_sim_destroy(sim);
  rh_model_destroy(model);
}

END_TEST

Suite *rh_suite_ref_foot(void)
{
  Suite *suite = suite_create("ref_foot");
  TCase *foot = tcase_create("foot");
  tcase_add_loop_test(foot, figure8, 0, RH_COUNT(foot_cases));
  suite_add_tcase(suite, foot);
  return suite;
}
