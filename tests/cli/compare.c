// `routh compare`, seen from outside: laws against closed forms and against the
// energy that is left; recordings against themselves, against others, and
// within a tolerance.
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// A mass of 1 kg without gravity meets the ground at 1 m/s, once.
#define IMPACT ROUTH_SOURCE_DIR "/scenes/papers/mo/fig3.yaml"
// A sphere is thrown at 0.5 m/s in x, slips, and rolls.
#define THROW ROUTH_SOURCE_DIR "/scenes/papers/af/fig13.yaml"

static const char rod[] = "bodies:\n"
                          "  - {name: rod, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1, 0, 0, 0]}\n"
                          "joints:\n"
                          "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], q: 1}\n"
                          "run: {until: 1}\n"
                          "record: {every: 0.1}\n";

// The number behind the n-th "key": (from 0).
static double nth(const char *text, const char *key, int n)
{
  char quoted[64];
  (void)snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = text;
  for (int i = 0; i <= n; i++) {
    at = strstr(i > 0 ? at + 1 : at, quoted);
    ck_assert_msg(at != NULL, "'%s' is not there %d times:\n%s", key, n + 1, text);
  }
  return strtod(at + strlen(quoted), NULL);
}

// The scene asks for e = 0.6: every law with damping delivers it, Hertz has
// none; and what the contacts took is what the body lacks, (1 - e^2) / 2. Runs
// are integrated to 1e-10 or better; 1e-8 leaves room for sums over a few
// hundred steps.
START_TEST(laws_are_fitted)
{
  static const double e[] = {0.6, 0.6, 1, 0.6, 0.6};
  rh_folder_enter();
  rh_output output = routh("compare", IMPACT, "--laws",
                           "kelvin-voigt,hunt-crossley,hertz,lankarani-nikravesh,azad-featherstone",
                           "-s", "ground.restitution=0.6", "-s", "ground.speed=1", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  for (int i = 0; i < 5; i++) {
    ck_assert_int_eq((int)nth(output.out, "touches", i), 1);
    near_abs(nth(output.out, "e", i), e[i], 1e-8);
    near_abs(nth(output.out, "rebound_speed", i), e[i], 1e-8);
    near_abs(nth(output.out, "energy_loss", i), 0.5 * (1 - e[i] * e[i]), 1e-8);
    near_abs(nth(output.out, "residue", i), 0, 1e-8);
  }
  near_abs(nth(output.out, "distance", 0), 0, 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Formulations against elastic contacts, as bench/impact_table: the usual one, which is the first, is the nearest by far. The rest of its
// distance is that of bodies that move while they touch.
START_TEST(formulations_against_elastic_contacts)
{
  static const struct {
    const char *scene, *law, *friction;
    double near, far; // of the usual formulation; of the next one
  } at[] = {
      {"cradle.yaml", "hertz:K=1e9", "none", 1e-6, 0.1},
      {"billiard-break.yaml", "hertz:K=5e8", "none", 0.02, 0.2},
      {"impacts/rod.yaml", "hertz:K=1e10", "coulomb:mu=0.3:v_slip=1e-4", 1e-4, 0.02},
      {"impacts/block-off-centre.yaml", "hertz:K=1e10", "coulomb:mu=0.3:v_slip=1e-4", 2e-3, 0.05},
      {"impacts/atlas-foot.yaml", "hertz:K=1e9", "coulomb:mu=0.5:v_slip=1e-4", 5e-3, 0.03},
  };

  char path[256];
  rh_folder_enter();
  (void)snprintf(path, sizeof path, "%s/scenes/%s", ROUTH_SOURCE_DIR, at[_i].scene);
  rh_output output = routh("compare", path, "--laws", at[_i].law, "--frictions", at[_i].friction,
                           "--impacts", "all", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  near_abs(nth(output.out, "velocity_error", 0), 0, 0);
  ck_assert_double_lt(nth(output.out, "velocity_error", 1), at[_i].near);
  for (int i = 2; i <= 10; i++) {
    ck_assert_double_gt(nth(output.out, "velocity_error", i), at[_i].far);
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Without damping both laws are a spring: depth v sqrt(m/k), force v sqrt(m k),
// time pi sqrt(m/k). The peaks are read off a parabola between steps: 1e-6.
START_TEST(springs_are_springs)
{
  rh_folder_enter();
  rh_output output = routh("compare", IMPACT, "--laws",
                           "kelvin-voigt:b=0:k=10000,hunt-crossley:alpha=0:k=40000:n=1", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  for (int i = 0; i < 2; i++) {
    double w = i == 0 ? 100 : 200; // sqrt(k/m)
    near_rel(nth(output.out, "max_penetration", i), 1 / w, 1e-6);
    near_rel(nth(output.out, "peak_force", i), w, 1e-6);
    near_rel(nth(output.out, "contact_time", i), PI / w, 1e-8);
    near_rel(nth(output.out, "e", i), 1, 1e-8);
  }
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Another friction law keeps the scene's mu: with one of zero it is the same
// frictionless sphere (to 1e-7 m: two runs integrated to 1e-8), with 0.2 it is
// nearer to the scene's law than no friction is.
START_TEST(frictions_share_their_coefficient)
{
  rh_folder_enter();
  rh_output output =
      routh("compare", THROW, "--frictions", "azad-featherstone,none,coulomb", "-s",
            "record.every=0.1", "-s", "run.until=0.2", "-s", "run.rtol=1e-8", "--json");
  rh_output free_fall = routh("compare", THROW, "--frictions", "azad-featherstone,coulomb", "-s",
                              "ground.mu=0", "-s", "ground.Cv=0", "-s", "record.every=0.1", "-s",
                              "run.until=0.2", "-s", "run.rtol=1e-8", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_msg(free_fall.exit_code == 0, "%s", free_fall.err);
  ck_assert_double_gt(nth(output.out, "distance", 1), 1e-3); // friction matters
  ck_assert_double_lt(nth(output.out, "distance", 2), nth(output.out, "distance", 1));
  // Without a coefficient the two are the same frictionless sphere.
  near_abs(nth(free_fall.out, "distance", 1), 0, 1e-7);
  rh_output_free(&output);
  rh_output_free(&free_fall);
  rh_folder_leave();
}

END_TEST

START_TEST(a_table_and_a_picture)
{
  rh_folder_enter();
  rh_output output = routh("compare", IMPACT, "--laws", "hertz,hunt-crossley", "--channel",
                           "fall.q,fall.v", "-s", "record.every=1e-4", "-o", "laws.svg");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "\nhertz ");
  ck_contains(output.out, "\nhunt-crossley ");
  ck_contains(output.err, "wrote laws.svg");
  char *picture = rh_file_text("laws.svg", NULL);
  ck_assert_ptr_nonnull(picture);
  ck_contains(picture, "fall.q [m]");
  ck_contains(picture, "fall.v [m/s]");
  ck_contains(picture, "normal force [N]");
  ck_contains(picture, "hunt-crossley");
  free(picture);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static void record(const char *q, const char *name)
{
  char set[64];
  (void)snprintf(set, sizeof set, "hinge.q=%s", q);
  rh_output output = routh_with(rod, "run", "-", "-q", "-o", name, "-s", set);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

START_TEST(recordings)
{
  rh_folder_enter();
  record("1", "a.rhr");
  record("1", "b.rhr");
  record("1.000001", "c.rhr");
  rh_output output = routh("compare", "a.rhr", "b.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "the same: 11 frames, bit for bit");
  rh_output_free(&output);
  output = routh("compare", "a.rhr", "c.rhr");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "first frame that differs: 0, t = 0 s");
  ck_contains(output.out, "hinge.q");
  rh_output_free(&output);
  output = routh("compare", "a.rhr", "c.rhr", "--channel", "hinge.q", "--json");
  ck_assert_int_eq(output.exit_code, 1);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  near_abs(nth(output.out, "frame", 0), 0, 0);
  // It starts 1e-6 apart, and no pendulum of this length forgets or doubles
  // that within a second.
  ck_assert_double_ge(nth(output.out, "greatest", 0), 0.9e-6);
  ck_assert_double_le(nth(output.out, "greatest", 0), 2e-6);
  rh_output_free(&output);
  output = routh("compare", "a.rhr", "c.rhr", "--channel", "hinge.q", "--tol", "1e-5");
  ck_assert_msg(output.exit_code == 0, "%s%s", output.out, output.err);
  ck_contains(output.out, "the same within 1e-05");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(recordings_of_different_length)
{
  rh_folder_enter();
  record("1", "a.rhr");
  rh_output output = routh_with(rod, "run", "-", "-q", "-o", "b.rhr", "--until", "0.5");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  output = routh("compare", "a.rhr", "b.rhr");
  ck_assert_int_eq(output.exit_code, 1);
  ck_contains(output.out, "a.rhr has 11 frames, b.rhr 6");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"compare", IMPACT}, 2, "no laws are given: routh compare SCENE --laws"},
    {{"compare", IMPACT, "--laws", "hert"}, 2, "did you mean 'hertz'?"},
    {{"compare", IMPACT, "--laws", "hertz,,hertz"}, 2, "empty name"},
    {{"compare", IMPACT, "--impacts", "hert"}, 2, "did you mean 'hertz'?"},
    {{"compare", IMPACT, "--laws", "hertz:x=1"},
     2,
     "there is no parameter of hertz 'x'; there are K, E, nu"},
    {{"compare", IMPACT, "--laws", "hertz:"}, 2, "LAW:NAME=VALUE"},
    {{"compare", IMPACT, "--laws", "kelvin-voigt:b=-1"}, 3, "b must be >= 0 N s/m, got -1"},
    {{"compare", IMPACT, "--laws", "hertz", "--channel", "no.such"}, 2, "no channel 'no.such'"},
    {{"compare", IMPACT, "--laws", "hertz", "-o", "x.doc"}, 2, "neither in .svg nor in .png"},
    {{"compare", IMPACT, "--laws", "hertz", "--tol", "1"}, 2, "two recordings"},
    {{"compare", "none.yaml", "--laws", "hertz"}, 3, "none.yaml"},
    {{"compare", "none.rhr", "none.rhr"}, 3, "none.rhr"},
    {{"compare", "none.rhr", "none.rhr", "--laws", "hertz"}, 2, "only --channel and --tol"},
    {{"compare", "none.rhr", "none.rhr", "--tol", "-1"}, 2, "--tol needs a number"},
};

START_TEST(wrong_usage_is_said)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

// Haptic methods against the ideal of the paper, to the digits of the table of reference runs; nearer to it in this order ([CSC] section VI).
START_TEST(haptic_methods)
{
  static const double hand[] = {0.390e-3, 0.731e-3, 2.504e-3, 2.760e-3};
  const char *peg = ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml";
  rh_folder_enter();
  rh_output output =
      routh("compare", peg, "--methods", "ideal-glue,iapb,iapb:spread,pb,cb-uc", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  near_abs(nth(output.out, "rms", 0), 0, 0);
  for (int i = 0; i < 4; i++) {
    near_abs(nth(output.out, "pen_hand", i + 1), hand[i], 5e-7);
    ck_assert(nth(output.out, "rms", i + 1) > nth(output.out, "rms", i));
  }
  near_abs(nth(output.out, "bounces", 3), 2, 0);
  rh_output_free(&output);
  output = routh("compare", peg, "--methods", "iapb:sideways");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "sideways");
  rh_output_free(&output);
  output = routh("compare", IMPACT, "--methods", "iapb");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "no section haptic");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_compare(void)
{
  Suite *suite = suite_create("cli_compare");
  TCase *tcase = tcase_create("compare");
  tcase_add_test(tcase, laws_are_fitted);
  tcase_add_loop_test(tcase, formulations_against_elastic_contacts, 0, 5);
  tcase_add_test(tcase, springs_are_springs);
  tcase_add_test(tcase, frictions_share_their_coefficient);
  tcase_add_test(tcase, a_table_and_a_picture);
  tcase_add_test(tcase, recordings);
  tcase_add_test(tcase, recordings_of_different_length);
  tcase_add_test(tcase, haptic_methods);
  tcase_add_loop_test(tcase, wrong_usage_is_said, 0, (int)(sizeof refusals / sizeof refusals[0]));
  suite_add_tcase(suite, tcase);
  return suite;
}
