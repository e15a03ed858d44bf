// unit_hand.c: scenes/hand.yaml, a hand with tendons closes on a ball, lifts it and holds it: in both engines the ball rises with the
// palm, does not move in the hand for two seconds, and the contact forces on it are its weight.
#include "world.h"

static const double WEIGHT = 0.05 * 9.81; // [N]

// Sum of the contact forces on a body, world axes
static rh_vec3 force_on(const rh_data *d, int body)
{
  rh_vec3 sum = {0, 0, 0};
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (!c->on || (c->a != body && c->b != body)) {
      continue;
    }
    rh_vec3 f = rh_scale(c->normal, c->n);
    f = rh_addscaled(f, c->friction[0], c->t1);
    f = rh_addscaled(f, c->friction[1], c->t2);
    sum = rh_addscaled(sum, c->a == body ? 1 : -1, f);
  }
  return sum;
}

typedef struct bounds {
  const char *engine;
  double creep; // [m] of the ball in the hand over two seconds
  double force; // [N]
} bounds;

// The event engine solves forces; the palm, which arrives at 1.5 s, still settles with 0.15 s, so that 1e-5 N are left at 3 s. Time
// stepping iterates, and contacts creep.
static const bounds bound[] = {{"run.engine=event", 1e-6, 1e-4},
                               {"run.engine=stepping", 1e-4, 5e-3}};

START_TEST(holds_a_ball)
{
  const bounds *b = &bound[_i];
  const char *const sets[] = {b->engine};
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_scene_load(ROUTH_SOURCE_DIR "/scenes/hand.yaml", sets, 1, diag, &scene),
                   RH_OK);
  rh_diag_destroy(diag);
  rh_model *m = model_of(scene);
  rh_sim *sim = sim_of(m);
  rh_data *d = rh_sim_data(sim);
  int ball = rh_model_find(m, RH_OBJECT_BODY, "ball");
  int palm = rh_model_find(m, RH_OBJECT_BODY, "palm");
  ck_assert_int_eq(rh_sim_run(sim, 0.01), RH_OK);
  rh_channels *channels = rh_channels_create(m);
  int energy = rh_channel_find(channels, "energy.kinetic");
  double value = 0;
  rh_vec3 start = {0, 0, 0};
  for (int k = 0; k <= 8; k++) {
    rh_status status = rh_sim_run(sim, 3 + 0.25 * k);
    ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(sim));
    rh_channels_read(channels, d, &energy, 1,
                     &value); // kinematics and contacts of the present state
    rh_vec3 place = rh_sub(d->kin[ball].p, d->kin[palm].p);
    start = k == 0 ? place : start;
    ck_assert_double_gt(d->kin[ball].p.z, 0.035 + 0.04); // it lay at its radius
    ck_assert_double_lt(rh_norm(rh_sub(place, start)), b->creep);
    rh_vec3 f = force_on(d, ball);
    ck_assert_msg(rh_norm(rh_sub(f, rh_v3(0, 0, WEIGHT))) < b->force,
                  "%g s: force %g %g %g, weight %g", 3 + 0.25 * k, f.x, f.y, f.z, WEIGHT);
  }
  rh_channels_destroy(channels);
  finish(sim, m);
}

END_TEST

Suite *rh_suite_unit_hand(void)
{
  Suite *suite = suite_create("unit_hand");
  TCase *tcase = tcase_create("hand");
  tcase_add_loop_test(tcase, holds_a_ball, 0, RH_COUNT(bound));
  suite_add_tcase(suite, tcase);
  return suite;
}
