// unit_check.c: scenes that read well but make no sense: what is said, and where.
#include "test.h"

#include <math.h>
#include <routh/routh.h>
#include <string.h>

#define BODY                                                                                       \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                    \
  "joints: [{name: j, kind: free, child: a, q: [0, 0, 9, 1, 0, 0, 0]}]\n"

typedef struct refusal {
  const char *text;    // the scene
  int line, column;    // of the first message
  const char *message; // the whole of it; NULL: nothing is said
  bool warning;        // it is taken nevertheless
} refusal;

static void check_refusal(const refusal *r)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(r->text, strlen(r->text), "f", NULL, 0, diag, &scene);
  ck_assert_msg(status == RH_OK, "not read: %s", r->text);
  rh_model *model = NULL;
  status = rh_scene_compile(scene, diag, &model);
  rh_message m = rh_diag_get(diag, 0);
  bool good = r->message == NULL || r->warning;
  ck_assert_msg(status == (good ? RH_OK : RH_INPUT_REFUSED), "%s\n%s", r->text, m.text);
  ck_assert_int_eq(rh_diag_kept(diag) > 0, r->message != NULL);
  if (r->message != NULL) {
    ck_assert_str_eq(m.text, r->message);
    ck_assert_msg(m.place.line == r->line && m.place.column == r->column,
                  "'%s' at %d:%d, wanted %d:%d", m.text, m.place.line, m.place.column, r->line,
                  r->column);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

static void check_all(const refusal *r, int n)
{
  for (int i = 0; i < n; i++) {
    check_refusal(&r[i]);
  }
}

START_TEST(samples_of_a_box)
{
#define BOX(n) BODY "shapes: [{name: s, body: a, kind: box, samples: " #n "}]\n"
  static const refusal cases[] = {
      {BOX(4), 0, 0, NULL, false},  {BOX(8), 0, 0, NULL, false}, {BOX(9), 0, 0, NULL, false},
      {BOX(16), 0, 0, NULL, false}, {BOX(5), 0, 0, NULL, false}, {BOX(37), 0, 0, NULL, false},
      {BOX(64), 0, 0, NULL, false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// Every engine knows the points within faces.
START_TEST(samples_of_faces_by_engine)
{
#define FACE(shape, engine) BODY "shapes: [{name: s, body: a, " shape "}]\nrun: {" engine "}\n" MESH
#define MESH                "meshes: [{name: m, vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}]\n"
#define HULL                "kind: hull, mesh: m, "
  static const refusal cases[] = {
      {FACE("kind: box, samples: 8", "engine: stepping"), 0, 0, NULL, false},
      {FACE("kind: cylinder, samples: 5", "engine: stepping"), 0, 0, NULL, false},
      {FACE(HULL "samples: 20", "engine: stepping"), 0, 0, NULL, false},
      {FACE(HULL "samples: 20", "engine: event"), 0, 0, NULL, false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// Hertz by E knows no flat contact; by K it does, and a ball is not flat.
START_TEST(flat_on_flat)
{
#define MEET(kind, contact)                                                                        \
  BODY "shapes: [{name: s, body: a, kind: " kind "}, {name: g, body: world, kind: plane}]\n"       \
       "contacts: [{name: c, body: a, against: " contact "}]\n"
  static const refusal cases[] = {
      {MEET("box", "world, law: hertz, K: 1e6"), 0, 0, NULL, false},
      {MEET("sphere", "world, law: hertz, E: 1e6"), 0, 0, NULL, false},
      {MEET("ellipsoid", "world, law: hertz, E: 1e6"), 0, 0, NULL, false},
      {MEET("box", "all, law: hertz, E: 1e6"), 4, 50,
       "hertz has no stiffness by E where flat meets flat, as shapes s and g can", true},
      {MEET("box", "world, law: hertz, E: 1e6"), 4, 52,
       "c.law has no stiffness by E where flat meets flat: shapes s and g", false},
      {MEET("cylinder", "world, law: azad-featherstone, E: 1e6"), 4, 52,
       "c.law has no stiffness by E where flat meets flat: shapes s and g", false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// Two balls by E: the damping that gives e belongs to the effective radius and the reduced mass. The numbers are those of the same fit
// called by hand, so they agree bit for bit but for the order of the roundings of radius and mass.
START_TEST(restitution_of_two_balls)
{
  static const char text[] =
      "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]},"
      " {name: b, mass: 3, inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{name: j, kind: free, child: a}, {name: k, kind: free, child: b}]\n"
      "shapes: [{name: s, body: a, kind: sphere, radius: 0.1},"
      " {name: t, body: b, kind: sphere, radius: 0.2}]\n"
      "contacts: [{name: c, body: a, against: b, law: azad-featherstone, E: 1e7,"
      " restitution: 0.6, speed: 2}]\n";
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, NULL, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  const rh_normal_law *law = rh_normal_law_find("azad-featherstone");
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  par[rh_row_offset(&law->row, rh_row_find(&law->row, "E"))] = 1e7;
  ck_assert(law->fit(par, 0.75, 2, 0.2 / 3, 0.6));
  int alpha = rh_row_offset(&law->row, rh_row_find(&law->row, "alpha"));
  ck_assert_double_gt(par[alpha], 0);
  near_rel(model->contact[0].par[alpha], par[alpha], 1e-14);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

// Brought to unit length: silently as six written digits give it, with a note within 1e-3; else
// refused, with the length.
START_TEST(quaternions)
{
#define FREE(q)                                                                                    \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                    \
  "joints: [{name: j, kind: free, child: a, q: [1, 2, 3, " q "]}]\n"
#define BALL(q)                                                                                    \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                    \
  "joints: [{name: j, kind: spherical, child: a, " q "}]\n"
#define WRONG(key, length)                                                                         \
  "j." key " must hold a quaternion of unit length (qw qx qy qz), its length is " length           \
  "; angles are given by rpy"
#define RIGHT(key, length) "j." key ": the quaternion has length " length " and is normalised"
  static const refusal cases[] = {
      {FREE("0.707107, 0, 0.707107, 0"), 0, 0, NULL, false},
      {FREE("0.7071, 0, 0.7071, 0"), 2, 45, RIGHT("q", "0.99999041"), true},
      {FREE("1.0009, 0, 0, 0"), 2, 45, RIGHT("q", "1.0009"), true},
      {FREE("0.9991, 0, 0, 0"), 2, 45, RIGHT("q", "0.9991"), true},
      {FREE("1.0011, 0, 0, 0"), 2, 45, WRONG("q", "1.0011"), false},
      {FREE("0.7, 0, 0.7, 0"), 2, 45, WRONG("q", "0.989949"), false},
      {FREE("0, 0, 0, 0"), 2, 45, WRONG("q", "0"), false},
      {BALL("q: [0.7071, 0, 0.7071, 0]"), 2, 50, RIGHT("q", "0.99999041"), true},
      {BALL("q: [0.5, 0, 0, 0]"), 2, 50, WRONG("q", "0.5"), false},
      {BALL("rest: [0.7071, 0, 0.7071, 0]"), 2, 53, RIGHT("rest", "0.99999041"), true},
      {BALL("rest: [2, 0, 0, 0]"), 2, 53, WRONG("rest", "2"), false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// It says the same as the text, and the model has unit length to the last digit.
START_TEST(quaternion_of_an_override)
{
  static const char text[] = FREE("1, 0, 0, 0");
  static const char *const set[] = {"j.q=[1, 2, 3, 0.7071, 0, 0.7071, 0]"};
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", set, 1, diag, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  ck_assert_int_eq(rh_diag_count(diag, RH_NOTE), 1);
  ck_assert_str_eq(rh_diag_get(diag, 0).place.file, "-s");
  near_array(model->start.q0 + 3, ((double[4]){sqrt(0.5), 0, sqrt(0.5), 0}), 4, 1e-15, 0);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
}

END_TEST

// However many things are in its way, one of them is said.
START_TEST(restitution_once)
{
#define ALL(contact)                                                                               \
  BODY "shapes: [{body: a, kind: box}, {body: world, kind: plane}]\ncontacts: [{name: c, " contact \
       "}]\n"
  static const char *const scenes[] = {
      ALL("body: all, against: all, law: hunt-crossley, restitution: 0.5"),
      ALL("body: all, against: all, law: hunt-crossley, restitution: 0.5, stiffness_per: area"),
      ALL("body: world, against: all, law: hunt-crossley, restitution: 0.5"),
      ALL("body: world, against: all, law: hunt-crossley, restitution: 0.5, stiffness_per: area"),
      ALL("body: a, against: all, law: hunt-crossley, restitution: 0.5"),
      ALL("body: all, against: all, law: newton, restitution: 0.5"),
      ALL("body: all, against: all, law: hertz, K: 1e6, restitution: 0.5"),
      ALL("body: world, against: all, law: hertz, K: 1e6, restitution: 0.5"),
  };
  for (int i = 0; i < RH_COUNT(scenes); i++) {
    rh_diag *diag = rh_diag_create();
    rh_scene *scene = NULL;
    rh_model *model = NULL;
    ck_assert_int_eq(rh_scene_parse(scenes[i], strlen(scenes[i]), "f", NULL, 0, diag, &scene),
                     RH_OK);
    ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
    ck_assert_msg(rh_diag_count(diag, RH_ERROR) == 1, "%d errors: %s",
                  rh_diag_count(diag, RH_ERROR), scenes[i]);
    ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "c.restitution"));
    rh_scene_destroy(scene);
    rh_diag_destroy(diag);
  }
}

END_TEST

// `all` stands for everything in `against`; in `body` only with it.
START_TEST(all_against_one)
{
#define PLACES                                                                                     \
  BODY "shapes: [{body: a, kind: box}, {body: world, kind: plane}]\ncontacts: [{name: c, "
  static const refusal cases[] = {
      {PLACES "body: world, against: all, law: newton}]\n", 0, 0, NULL, false},
      {PLACES "body: all, against: all, law: newton}]\n", 0, 0, NULL, false},
      {PLACES "body: all, against: world, law: newton}]\n", 4, 28,
       "c.body can be all only against all; expected body: world, against: all", false},
      {PLACES "body: all, against: a, law: newton}]\n", 4, 28,
       "c.body can be all only against all; expected body: a, against: all", false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// Dry friction gives no force of its own: the engine must find it.
START_TEST(dry_and_compliant)
{
#define DRY(run)                                                                                   \
  BODY "shapes: [{body: a, kind: box}, {body: world, kind: plane}]\n"                              \
       "contacts: [{name: c, body: a, against: world, law: kelvin-voigt, k: 1e5, friction: "       \
       "dry}]\n" run
  static const refusal cases[] = {
      {DRY(""), 4, 84,
       "c.friction dry goes with a rigid law, or with an engine that finds stick itself (stepping)",
       false},
      {DRY("run: {integrator: rk4}\n"), 4, 84,
       "c.friction dry goes with a rigid law, or with an engine that finds stick itself (stepping)",
       false},
      {DRY("run: {engine: stepping}\n"), 0, 0, NULL, false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// An engine that solves all points of an impact as one problem follows no other formulation.
START_TEST(formulation_of_an_engine)
{
  static const refusal cases[] = {
      {BODY "run: {engine: stepping, multi_impact: moreau}\n", 0, 0, NULL, false},
      {BODY "run: {engine: stepping, multi_impact: sequential}\n", 0, 0, NULL, false},
      {BODY "run: {engine: event, multi_impact: winkler}\n", 0, 0, NULL, false},
      {BODY "run: {engine: stepping, multi_impact: winkler}\n", 3, 39,
       "run.multi_impact cannot be winkler: the engine stepping solves all points of an impact as "
       "one problem, or one after the other; leave it out, or take sequential, or the engine event",
       false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

// Proportions of impacts, and impacts that end in compression, are of the event-driven engine and of few formulations.
START_TEST(factors_and_early_ends)
{
#define RIGID(law, more, run)                                                                      \
  BODY "shapes: [{name: s, body: a, kind: box}, {name: g, body: world, kind: plane}]\n"            \
       "contacts: [{name: c, body: a, against: world, law: " law more "}]\n"                       \
       "run: {" run "}\n"
  static const refusal cases[] = {
      {RIGID("stronge", ", pair_factor: 2", "multi_impact: thesis"), 0, 0, NULL, false},
      {RIGID("stronge", ", pair_factor: 2", "multi_impact: fixed-split"), 0, 0, NULL, false},
      {RIGID("stronge", ", pair_factor: 2", "multi_impact: hertz"), 4, 74,
       "c.pair_factor needs run.multi_impact thesis or fixed-split: hertz has no proportions",
       false},
      {RIGID("poisson", ", pair_factor: 2", "engine: stepping"), 4, 74,
       "c.pair_factor is not for the engine stepping, whose impacts at several points have no "
       "proportions; take event",
       false},
      {RIGID("kelvin-voigt", ", pair_factor: 2", "multi_impact: thesis"), 4, 79,
       "c.pair_factor needs impacts: a rigid law, or impact_law; kelvin-voigt is compliant", false},
      {RIGID("stronge", ", e: -0.5", "multi_impact: winkler-global"), 0, 0, NULL, false},
      {RIGID("stronge", ", e: -0.5", ""), 5, 6,
       "run.multi_impact cannot be hertz: contact 'c' has e < 0, impacts that end in compression, "
       "which are defined by winkler-global, fixed-split and thesis",
       false},
      {RIGID("stronge", ", e: -1", "multi_impact: thesis"), 4, 64,
       "c.e must be above -1: an impact without an impulse stops no rigid body", false},
      {RIGID("stronge", ", e: -0.5, e_speed: 1", "multi_impact: thesis"), 4, 79,
       "c.e_speed must be 0 with e < 0, which is one number for all points of an impact", false},
      {RIGID("kelvin-voigt", ", impact_law: poisson, impact_e: -0.5", "multi_impact: thesis"), 4,
       97, "c.impact_e must not be below 0 but with impact_law: stronge, whose e is energetic",
       false},
  };
  check_all(cases, RH_COUNT(cases));
}

END_TEST

Suite *rh_suite_unit_check(void)
{
  Suite *suite = suite_create("unit_check");
  TCase *tcase = tcase_create("check");
  tcase_add_test(tcase, samples_of_a_box);
  tcase_add_test(tcase, samples_of_faces_by_engine);
  tcase_add_test(tcase, flat_on_flat);
  tcase_add_test(tcase, restitution_of_two_balls);
  tcase_add_test(tcase, quaternions);
  tcase_add_test(tcase, quaternion_of_an_override);
  tcase_add_test(tcase, restitution_once);
  tcase_add_test(tcase, all_against_one);
  tcase_add_test(tcase, dry_and_compliant);
  tcase_add_test(tcase, formulation_of_an_engine);
  tcase_add_test(tcase, factors_and_early_ends);
  suite_add_tcase(suite, tcase);
  return suite;
}
