// unit_strike.c: compliant contacts whose fast touches are struck first: bounces in closed form until the law takes over, the blow of
// rigid bodies, slow touches as if nothing had been said, and what is refused.
#include "rigid.h"

#define BALL                                                                                       \
  DOWN "bodies: [{name: b, mass: 1}]\n"                                                            \
       "joints: [{kind: free, child: b, q: [0, 0, 1.1, 1, 0, 0, 0]}]\n"                            \
       "shapes: [" FLAT_FLOOR ", {body: b, kind: sphere, radius: 0.1}]\n"

// From 1 m with e = 0.7: the n-th impact is at t0 (1 + 2 (e + ... + e^n)) with speed e^n v0. Below 0.05 m/s the law has it, which
// holds the weight in the end: k d = m g.
START_TEST(bounces_then_rests)
{
  double e = 0.7;
  double v = sqrt(2 * G);
  double t = v / G;
  int impacts = 0;
  play(BALL "contacts: [{body: b, against: world, law: hunt-crossley, k: 1e6, alpha: 1, "
            "impact_law: stronge, "
            "impact_e: 0.7, impact_speed: 0.05, friction: coulomb, mu: 0.5}]\n"
            "run: {until: 60, " FINE "}\n");
  ck_assert_int_eq(told.status, RH_OK);
  for (int i = 0; i < told.n && i < TALE_MAX; i++) {
    const rh_event *x = &told.at[i].e;
    if (x->kind == RH_EVENT_IMPACT) {
      near_abs(x->t, t, LOCATED);
      near_rel(x->before, -v, 1e-9);
      near_rel(x->after, e * v, 1e-9);
      near_rel(x->work, -0.5 * v * v * (1 - e * e), 1e-9);
      v *= e;
      t += 2 * v / G;
      impacts++;
    }
  }
  ck_assert_int_eq(impacts, 13); // 0.7^13 v0 = 0.0429 m/s
  near_abs(told.q[2], 0.1 - G / 1e6, 1e-9);
  near_abs(told.v[2], 0, 1e-6); // the damper of hunt-crossley fades with the speed: slow at the end
  ck_assert_double_lt(told.residue, 1e-8);
}

END_TEST

static void drop_block(const char *law, rh_event *first, double *v)
{
  play(DOWN "bodies: [{name: b, mass: 2}]\n"
            "joints: [{kind: free, child: b, q: [0, 0, 0.238, 0.9950041652780258, 0, "
            "0.09983341664682815, 0]}]\n"
            "shapes: [" FLAT_FLOOR ", {body: b, kind: box, size: [0.4, 0.3, 0.2]}]\n"
            "contacts: [{body: b, against: world, friction: coulomb, mu: 0.4, %s}]\n"
            "run: {until: 0.5, multi_impact: winkler-global, rtol: 1e-10, atol: 1e-12}\n",
       law);
  ck_assert_int_eq(told.status, RH_OK);
  ck_assert_double_lt(told.residue, 1e-7);
  for (int i = 0; i + 1 < told.n && i < TALE_MAX; i++) {
    if (told.at[i].e.kind == RH_EVENT_IMPACT) {
      *first = told.at[i].e;
      memcpy(v, told.at[i + 2].v, 6 * sizeof *v); // both corners of the edge have been told
      return;
    }
  }
  ck_abort_msg("no impact");
}

// An edge that lands is struck as that of a rigid block.
START_TEST(struck_as_if_rigid)
{
  rh_event soft;
  rh_event hard;
  double after[2][6];
  drop_block("law: kelvin-voigt, k: 1e6, b: 200, impact_law: stronge, impact_e: 0.5", &soft,
             after[0]);
  drop_block("law: stronge, e: 0.5", &hard, after[1]);
  near_abs(soft.t, hard.t, LOCATED);
  near_rel(soft.impulse, hard.impulse, 1e-8); // two runs at rtol 1e-10
  near_rel(soft.work, hard.work, 1e-8);
  near_rel(soft.after, hard.after, 1e-8);
  for (int i = 0; i < 6; i++) {
    near_abs(after[0][i], after[1][i], 1e-8);
  }
}

END_TEST

// What comes more slowly than impact_speed is the law's alone, to the last bit.
START_TEST(slow_touches)
{
  double q[7];
  const char *plain =
      BALL "contacts: [{body: b, against: world, law: kelvin-voigt, k: 1e4, b: 5%s}]\n"
           "run: {until: 1.5, " FINE "}\n";
  play(plain, ", impact_law: newton, impact_e: 0.5, impact_speed: 100");
  memcpy(q, told.q, sizeof q);
  ck_assert_int_eq(told.count[RH_EVENT_IMPACT], 0);
  play(plain, "");
  for (int i = 0; i < 7; i++) {
    near_abs(q[i], told.q[i],
             1e-9); // free flight is integrated in another way where blows are possible
  }
}

END_TEST

static void check_refused(const char *laws, const char *wanted)
{
  char text[TEXT_MAX];
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  int n = snprintf(text, sizeof text, BALL "contacts: [{body: b, against: world, %s}]\n", laws);
  rh_status status = rh_scene_parse(text, (size_t)n, "scene", NULL, 0, diag, &scene);
  rh_model *model = NULL;
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
    rh_scene_destroy(scene);
  }
  ck_assert_int_ne(status, RH_OK);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, wanted));
  rh_diag_destroy(diag);
}

START_TEST(refused)
{
  check_refused("law: newton, e: 0.5, impact_law: newton", "needs a compliant law");
  check_refused("law: kelvin-voigt, k: 1e4, impact_law: hertz", "no impact law");
  check_refused("law: kelvin-voigt, k: 1e4, impact_law: newton, impact_e: 1.5", "impact_e");
  check_refused("law: kelvin-voigt, k: 1e4, impact_law: newton, impact_e: -0.5",
                "with impact_law: stronge");
  check_refused("law: kelvin-voigt, k: 1e4, collision_e: 0.5", "collision_e");
}

END_TEST

Suite *rh_suite_unit_strike(void)
{
  Suite *suite = suite_create("unit_strike");
  TCase *tests = tcase_create("strike");
  tcase_add_test(tests, bounces_then_rests);
  tcase_add_test(tests, struck_as_if_rigid);
  tcase_add_test(tests, slow_touches);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
