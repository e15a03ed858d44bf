// unit_moreau_slide.c: contacts of a body that all slide and share its load in more ways than one. The motion depends on the sharing: both engines take
// that of least norm, which treats equal contacts alike.
#include "moreau.h"

static rh_model *slide_model(const char *scene, const char *engine, double dt, double until)
{
  char set[3][64];
  const char *all[] = {set[0], set[1], set[2]};
  snprintf(set[0], sizeof set[0], "run.engine=%s", engine);
  snprintf(set[1], sizeof set[1], "run.until=%g", until);
  snprintf(set[2], sizeof set[2], "run.dt=%g", dt);
  int n = strcmp(engine, "stepping") == 0 ? 3 : 2;
  if (strchr(scene, '\n')) {
    return model_from(scene, all, n);
  }
  rh_diag *diag = rh_diag_create();
  rh_scene *s = NULL;
  ck_assert_int_eq(rh_scene_load(scene, all, n, diag, &s), RH_OK);
  rh_diag_destroy(diag);
  return model_of(s);
}

// ---- The plank on two rollers

typedef struct swing {
  double error, aside, turn;
} swing;

// Balance of moments about the centre of mass, h above the points at x = -l, l: the force is -mu m g x/(l - mu h), as long as both rollers slip.
static void see_swing(void *user, const rh_sim *sim)
{
  swing *s = user;
  const rh_data *d = rh_sim_view(sim);
  double w = sqrt(0.3 * G / (0.3 - 0.3 * 0.02));
  s->error = fmax(s->error, fabs(d->q[0] - 0.1 * cos(w * *d->t)));
  s->aside = fmax(s->aside, fabs(d->q[1]));
  s->turn = fmax(s->turn, fabs(d->q[6]));
}

static swing swing_plank(const char *engine, double dt)
{
  swing s = {0};
  rh_model *model = slide_model(ROUTH_SOURCE_DIR "/scenes/plank-on-rollers.yaml", engine, dt, 3);
  finish(watch(model, see_swing, &s), model);
  return s;
}

// The event engine to its tolerance (rtol 1e-8 of 0.1 m, over 1.5 periods), time stepping with second order. Nothing but the direction of slip holds the plank
// straight: what rounding turns it by grows for 3 s, 1e-6 rad is far above that, and a hundredth of what one unequal step does.
START_TEST(plank_on_rollers)
{
  swing exact = swing_plank("event", 0);
  ck_assert_double_le(exact.error, 1e-8);
  ck_assert_double_le(exact.turn, 1e-9);
  double last = 0;
  for (int i = 0; i < 3; i++) {
    swing s = swing_plank("stepping", 1e-3 / (1 << i));
    ck_assert_double_le(s.aside, 1e-8);
    ck_assert_double_le(s.turn, 1e-6);
    if (i > 0) {
      near_rel(log2(last / s.error), 2, 0.02);
    }
    last = s.error;
  }
  ck_assert_double_le(last, 1e-7);
}

END_TEST

// ---- A box that slides and turns

#define BOX                                                                                        \
  DOWN "bodies: [{name: b, mass: 1}]\n"                                                            \
       "joints: [{kind: free, child: b, q: [0, 0, 0.1, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 4]}]\n"     \
       "shapes: [" FLOOR ", {body: b, kind: box, size: [0.4, 0.3, 0.2]}]\n"                        \
       "contacts: [{name: floor, body: b, against: all, law: newton, e: 0, friction: dry, "        \
       "mu_s: 0.5, mu_k: 0.5}]\nrecord: {every: 0.1}\n"

static void end_of_slide(const char *engine, double dt, double q[7])
{
  rh_model *model = slide_model(BOX, engine, dt, 0.3);
  rh_sim *sim = watch(model, NULL, NULL);
  memcpy(q, rh_sim_view(sim)->q, 7 * sizeof *q);
  finish(sim, model);
}

// To the same place: the error is of first order where directions of slip turn. (With the load that the sweeps find it would end 0.9 mm away, at any step.)
START_TEST(sliding_box_by_two_engines)
{
  double exact[7];
  double last = 0;
  end_of_slide("event", 0, exact);
  for (int i = 0; i < 3; i++) {
    double q[7];
    double error = 0;
    end_of_slide("stepping", 1e-3 / (1 << i), q);
    for (int k = 0; k < 7; k++) {
      error = fmax(error, fabs(q[k] - exact[k]));
    }
    if (i > 0) {
      near_abs(log2(last / error), 1, 0.1);
    }
    last = error;
  }
  ck_assert_double_le(last, 1e-4);
}

END_TEST

Suite *rh_suite_unit_moreau_slide(void)
{
  Suite *suite = suite_create("unit_moreau_slide");
  TCase *tc = tcase_create("slide");
  tcase_add_test(tc, plank_on_rollers);
  tcase_add_test(tc, sliding_box_by_two_engines);
  suite_add_tcase(suite, tc);
  return suite;
}
