// unit_shape_pairs.c: contacts that speak for shapes of two bodies: which one counts, a slide on
// feet of different friction against its closed form under several steppers and laws, and what is
// refused.
#include "model/schema.h"
#include "moreau.h"

#define BODIES                                                                                     \
  "bodies: [{name: a, mass: 1}, {name: b, mass: 1}]\n"                                             \
  "joints: [{name: j, kind: free, child: a, q: [0, 0, 5, 1, 0, 0, 0]}, {name: k, kind: free, "     \
  "child: b, q: [0, 0, 9, 1, 0, 0, 0]}]\n"                                                         \
  "shapes: [{name: floor, body: world, kind: plane}, {name: a1, body: a, kind: sphere}, {name: "   \
  "a2, body: a, kind: box}, {name: b1, body: b, kind: sphere}, {name: b2, body: b, kind: box}]\n"

// ---- Which one

static void speaks(const rh_model *m, const char *x, const char *y, const char *contact)
{
  int a = rh_model_find(m, RH_OBJECT_SHAPE, x);
  int b = rh_model_find(m, RH_OBJECT_SHAPE, y);
  int want = contact ? rh_model_find(m, RH_OBJECT_CONTACT, contact) : RH_NONE;
  ck_assert(a != RH_NONE && b != RH_NONE);
  ck_assert_msg(rh_model_contact_of_shapes(m, a, b) == want &&
                    rh_model_contact_of_shapes(m, b, a) == want,
                "%s and %s: %d", x, y, rh_model_contact_of_shapes(m, a, b));
}

// More shapes named beat fewer, both bodies beat all; the order in which they stand, and which body
// is first, do not matter.
START_TEST(which)
{
  static const char *const lines[] = {
      "{name: all, body: all, against: all, law: newton}",
      "{name: ab, body: a, against: b, law: newton}",
      "{name: a1b, body: b, against: a, against_shape: a1, law: newton}",
      "{name: a1b2, body: a, shape: a1, against: b, against_shape: b2, law: newton}",
      "{name: a2w, body: a, shape: a2, against: world, law: kelvin-voigt, k: 1e5}"};
  for (int turn = 0; turn < 5; turn++) {
    text t = {0};
    put(&t, BODIES "contacts:\n");
    for (int i = 0; i < 5; i++) {
      put(&t, "  - %s\n", lines[(i + turn) % 5]);
    }
    rh_model *m = model_from(t.s, NULL, 0);
    speaks(m, "a1", "b1", "a1b");
    speaks(m, "a1", "b2", "a1b2");
    speaks(m, "a2", "b1", "ab");
    speaks(m, "a2", "b2", "ab");
    speaks(m, "a2", "floor", "a2w");
    speaks(m, "a1", "floor", "all");
    speaks(m, "b1", "floor", "all");
    speaks(m, "a1", "a2", NULL);
    int ab = rh_model_find(m, RH_OBJECT_CONTACT, "ab");
    int a = rh_model_find(m, RH_OBJECT_BODY, "a");
    ck_assert_int_eq(rh_model_contact_of(m, a, rh_model_find(m, RH_OBJECT_BODY, "b")), ab);
    rh_model_destroy(m);
  }
}

END_TEST

// Only the named shape meets the ground where no other contact speaks: the box falls through.
START_TEST(others_do_not_meet)
{
  rh_model *m = model_from(BODIES "contacts: [{name: c, body: a, shape: a1, against: world, law: "
                                  "newton}]\n",
                           NULL, 0);
  speaks(m, "a1", "floor", "c");
  speaks(m, "a2", "floor", NULL);
  rh_model_destroy(m);
}

END_TEST

// ---- Two feet

typedef struct engine {
  const char *run, *law, *friction,
      *key;     // stepper; normal law; friction law and the names of its mu
  double small; // [m/s] allowed
} engine;

// A body slides down a slope on two front feet (mu_f) and a rear one (mu_r), a before and behind its
// middle and h below it: what they carry is determined. With the deceleration F/m they carry
// N_f - N_r = F h/a, so that F = N (mu_f + mu_r)/2 / (1 - h (mu_f - mu_r)/(2 a)).
static double speed_after(const engine *e, double mu_f, double mu_r, double t)
{
  char mu[2][128];
  text s = {0};
  for (int i = 0; i < 2; i++) {
    double x = i == 0 ? mu_f : mu_r;
    (void)snprintf(mu[i], sizeof mu[i], e->key, x, x);
  }
  put(&s, "world: {gravity: [%.17g, 0, %.17g]}\n", G * sin(0.3), -G * cos(0.3));
  put(&s, "bodies: [{name: b, mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
          "joints: [{kind: free, child: b, q: [0, 0, 0.1, 1, 0, 0, 0], v: [1, 0, 0, 0, 0, 0]}]\n"
          "shapes:\n  - " FLOOR "\n");
  for (int i = 0; i < 3; i++) {
    put(&s, "  - {name: foot%d, body: b, kind: sphere, radius: 0.02, at: [%g, %g, -0.08]}\n", i,
        i < 2 ? 0.2 : -0.2, 0.1 * (i == 0) - 0.1 * (i == 1));
  }
  put(&s, "contacts:\n  - {body: b, against: world, %s, friction: %s, %s}\n", e->law, e->friction,
      mu[1]);
  put(&s, "  - {body: b, shape: foot0, against: world, %s, friction: %s, %s}\n", e->law,
      e->friction, mu[0]);
  put(&s, "  - {body: b, shape: foot1, against: world, %s, friction: %s, %s}\n", e->law,
      e->friction, mu[0]);
  put(&s, "run: {until: %g, %s}\n", t, e->run);
  rh_model *m = model_from(s.s, NULL, 0);
  rh_sim *sim = watch(m, NULL, NULL);
  double v = rh_sim_view(sim)->v[0];
  finish(sim, m);
  return v;
}

static const engine engines[] = {
    {"integrator: cvode", "law: newton, e: 0", "dry", "mu_s: %g, mu_k: %g", 1e-6},
    {"integrator: rk4, dt: 1e-3", "law: newton, e: 0", "dry", "mu_s: %g, mu_k: %g", 1e-6},
    {"engine: stepping, dt: 1e-3", "law: newton, e: 0", "dry", "mu_s: %g, mu_k: %g", 1e-4},
    {"engine: stepping, dt: 1e-3", "law: kelvin-voigt, k: 1e6, b: 2000", "dry",
     "mu_s: %g, mu_k: %g",
     2e-3}, // it is let down onto its springs: their depth over the half second
    {"integrator: cvode", "law: kelvin-voigt, k: 1e6, b: 2000", "coulomb", "mu: %g", 2e-3},
};

START_TEST(two_feet)
{
  static const double mu[][2] = {{0.2, 0.6}, {0.6, 0.2}, {0.4, 0.4}};
  const engine *e = &engines[_i];
  for (int i = 0; i < RH_COUNT(mu); i++) {
    double lever = 0.1 * (mu[i][0] - mu[i][1]) / (2 * 0.2);
    double f = G * cos(0.3) * 0.5 * (mu[i][0] + mu[i][1]) / (1 - lever);
    near_abs(speed_after(e, mu[i][0], mu[i][1], 0.5), 1 + 0.5 * (G * sin(0.3) - f), e->small);
  }
}

END_TEST

// ---- Written, refused

START_TEST(written)
{
  static const char scene[] =
      BODIES "contacts: [{name: c, body: a, shape: a1, against: b, against_shape: b2, law: "
             "newton}]\n";
  rh_scene *first = NULL;
  rh_scene *again = NULL;
  ck_assert_int_eq(rh_scene_parse(scene, strlen(scene), "f", NULL, 0, NULL, &first), RH_OK);
  char *yaml = rh_scene_write(first, false);
  ck_assert_int_eq(rh_scene_parse(yaml, strlen(yaml), "f", NULL, 0, NULL, &again), RH_OK);
  const rh_contact_def *c = rh_scene_item(again, RH_SECTION_CONTACTS, 0);
  ck_assert_str_eq(c->shape.text, "a1");
  ck_assert_str_eq(c->against_shape.text, "b2");
  rh_free(yaml);
  rh_scene_destroy(first);
  rh_scene_destroy(again);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *contacts, *words;
  } cases[] = {
      {"{name: c, body: a, shape: a3, against: b, law: newton}",
       "c.shape names no shape: 'a3'; did you mean 'a1'?"},
      {"{name: c, body: a, shape: b1, against: b, law: newton}",
       "c.shape 'b1' is a shape of b, not of a"},
      {"{name: c, body: a, against: world, against_shape: b1, law: newton}",
       "c.against_shape 'b1' is a shape of b, not of world"},
      {"{name: c, body: a, shape: a1, against: all, law: newton}",
       "c.shape needs two named bodies, not all"},
      {"{name: d, body: a, shape: a1, against: b, law: newton}, {name: c, body: b, against: a, "
       "against_shape: a1, law: newton}",
       "c.against and body have a contact already, at line 4"},
      {"{name: d, body: a, shape: a1, against: b, law: newton}, {name: c, body: a, against: b, "
       "against_shape: b1, law: newton}",
       "c.against_shape leaves open whether this contact or that at line 4 applies: name the "
       "shapes of both bodies in one of them"},
  };

  for (int i = 0; i < RH_COUNT(cases); i++) {
    text t = {0};
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *m = NULL;
    put(&t, BODIES "contacts: [%s]\n", cases[i].contacts);
    ck_assert_int_eq(rh_scene_parse(t.s, strlen(t.s), "f", NULL, 0, diag, &scene), RH_OK);
    ck_assert_int_eq(rh_scene_compile(scene, diag, &m), RH_INPUT_REFUSED);
    ck_assert_str_eq(rh_diag_get(diag, 0).text, cases[i].words);
    ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

Suite *rh_suite_unit_shape_pairs(void)
{
  Suite *suite = suite_create("unit_shape_pairs");
  TCase *tests = tcase_create("pairs");
  tcase_add_test(tests, which);
  tcase_add_test(tests, others_do_not_meet);
  tcase_add_loop_test(tests, two_feet, 0, RH_COUNT(engines));
  tcase_add_test(tests, written);
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
