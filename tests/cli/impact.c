// The verb impact: one impact under several laws, seen from outside: numbers of the reference, impacts of scenes, the picture,
// and what is said when something is wrong.
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char impacts[] = ROUTH_SOURCE_DIR "/tests/data/planar_impacts.yaml";
static const char scene[] = ROUTH_SOURCE_DIR "/scenes/ball.yaml";
static const char bare[] = ROUTH_SOURCE_DIR "/scenes/pendulum.yaml";
static const char rigid[] = ROUTH_SOURCE_DIR "/scenes/papers/wk/rigid.yaml";
static const char ball[] = ROUTH_SOURCE_DIR "/scenes/papers/wk/loop.yaml";
static const char clatter[] = ROUTH_SOURCE_DIR "/scenes/papers/ch/tilted.yaml";
static const char others[] = ROUTH_SOURCE_DIR "/tests/data/haptic_dynamics.yaml";

static rh_output good(const char *const *words)
{
  rh_output output = rh_program_run(NULL, words);
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  return output;
}

#define impact(...) good((const char *const[]){"impact", __VA_ARGS__, NULL})

// The first number behind "name": in the JSON text.
static double pick(const char *text, const char *name)
{
  char value[64];
  ck_assert_msg(rh_json_pick(text, name, value, sizeof value), "no \"%s\" in:\n%s", name, text);
  return strtod(value, NULL);
}

static const char *law_at(const char *text, const char *name)
{
  char key[64];
  (void)snprintf(key, sizeof key, "\"law\": \"%s\"", name);
  const char *at = strstr(text, key);
  ck_assert_msg(at != NULL, "no %s in:\n%s", key, text);
  return at;
}

// Reference numbers of the rod that jams, to the digits they are given with.
START_TEST(numbers_of_the_reference)
{
  rh_folder_enter();
  rh_output output = impact(impacts, "--id", "impact/rod_jam/newton", "--json");
  ck_assert(rh_json_valid(output.out));
  ck_assert_str_eq(output.err, "");
  near_rel(pick(law_at(output.out, "newton"), "P_n"), 1.2800000000000002, 1e-9);
  near_rel(pick(law_at(output.out, "poisson"), "P_n"), 1.6400000000000006, 1e-9);
  near_rel(pick(law_at(output.out, "stronge"), "P_n"), 1.5639064129802316, 1e-9);
  near_rel(pick(law_at(output.out, "stronge"), "C_f"), 0.634007544682625, 1e-9);
  near_rel(pick(law_at(output.out, "stronge"), "T1"), 1.0895853658536585, 1e-9);
  ck_contains(output.out, "\"jam\": true");
  rh_output_free(&output);
  output = impact(impacts, "--id", "impact/two_d_gain/newton", "--law", "newton,stronge");
  ck_contains(output.out, "case d: slip ends in restitution, then sticks");
  ck_contains(output.out, "energy created");
  ck_assert_ptr_null(strstr(output.out, "poisson"));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// e and mu of the command line: without friction and with e = 0 all laws agree.
START_TEST(other_coefficients)
{
  rh_folder_enter();
  rh_output output = impact(impacts, "--e", "0", "--mu", "0", "--json");
  near_abs(pick(output.out, "e"), 0, 0);
  double P = pick(law_at(output.out, "newton"), "P_n");
  near_rel(P, 0.4, 1e-12); // -C0 m2
  near_rel(pick(law_at(output.out, "poisson"), "P_n"), P, 1e-12);
  near_rel(pick(law_at(output.out, "stronge"), "P_n"), P, 1e-12);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(pictures)
{
  static const char *const ids[] = {"impact/rod_a/newton",
                                    "impact/rod_e/newton",
                                    "impact/rod_tangential/newton",
                                    "impact/rod_direct_stick/newton",
                                    "impact/rod_frictionless/newton",
                                    "impact/kane_1/newton"};
  rh_folder_enter();
  rh_output output = impact(impacts, "--id", ids[_i], "-o", "a.svg");
  char *svg = rh_file_text("a.svg", NULL);
  ck_assert_ptr_nonnull(svg);
  ck_contains(svg, "limiting friction F");
  ck_contains(svg, "stronge ends");
  ck_contains(svg, "work on the bodies");
  ck_contains(output.err, "wrote a.svg");
  ck_assert_ptr_null(strstr(output.err, "gnuplot")); // no complaint
  free(svg);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Impacts of scenes

// The rod of the reference impact rod_c_neg: started 1e-9 m above the ground with a spin of 1 rad/s, it is struck 1e-9 rad
// away from the pose the numbers are for.
START_TEST(a_scene_as_the_reference)
{
  rh_folder_enter();
  rh_output output = impact(rigid, "--e", "0.95", "--json", "-o", "a.svg");
  ck_assert(rh_json_valid(output.out));
  near_abs(pick(output.out, "S_0"), -0.8, 1e-8);
  near_abs(pick(output.out, "C_0"), -1, 1e-8);
  near_abs(pick(output.out, "inv_m3"), 1.5, 1e-8);
  near_abs(pick(law_at(output.out, "newton"), "C_f"), 0.95, 1e-8);
  near_abs(pick(law_at(output.out, "poisson"), "C_f"), 1.406, 1e-8);
  near_abs(pick(law_at(output.out, "stronge"), "C_f"), 1.1926189668121163, 1e-8);
  near_abs(pick(law_at(output.out, "stronge"), "D_t"), 0.32, 1e-8);
  char *svg = rh_file_text("a.svg", NULL);
  ck_assert_ptr_nonnull(svg);
  ck_contains(svg, "impact 1 at");
  free(svg);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A ball that bounces with e = 1/2: the third time it comes with a quarter of its speed, sqrt(2 g h) / 4.
START_TEST(a_later_impact)
{
  rh_folder_enter();
  rh_output output = impact(ball, "--nth", "3", "--json");
  near_rel(pick(output.out, "C_0"), -sqrt(2 * 9.81 * 0.05) / 4, 1e-10);
  near_rel(pick(output.out, "inv_m1"), 3.5, 1e-12);
  near_abs(pick(output.out, "inv_m3"), 0, 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A box with this position and attitude above the ground.
static void write_box(const char *path, const char *pose)
{
  char text[1000];
  (void)snprintf(
      text, sizeof text,
      "bodies: [{name: box, mass: 1}]\n"
      "joints: [{kind: free, child: box, q: [0, 0, %s], v: [0.3, 0.1, 0, 0, 0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: box, kind: box, size: [0.2, 0.3, 0.1]}]\n"
      "contacts: [{name: floor, body: box, against: world, law: poisson, e: 0.5, friction: "
      "dry, mu_s: 0.3, mu_k: 0.3}]\n"
      "run: {until: 0.27}\n",
      pose);
  rh_file_put(path, text);
}

// Number `at` of the list of lists behind "name".
static double list_at(const char *text, const char *name, int at)
{
  char key[64];
  (void)snprintf(key, sizeof key, "\"%s\": [", name);
  const char *c = strstr(text, key);
  ck_assert_msg(c != NULL, "no %s in:\n%s", key, text);
  c += strlen(key);
  for (int i = 0;; i++) {
    c += strcspn(c, "-0123456789");
    char *end = NULL;
    double x = strtod(c, &end);
    if (i == at) {
      return x;
    }
    c = end;
  }
}

// u+ = u- + W p, whatever the law
static void check_momentum(const char *text, const char *law)
{
  const char *at = law_at(text, law);
  for (int r = 0; r < 3; r++) {
    double u = list_at(text, "u_before", r);
    for (int c = 0; c < 3; c++) {
      u += list_at(text, "W", 3 * r + c) * list_at(at, "p", c);
    }
    near_abs(list_at(at, "u", r), u, 1e-12);
  }
}

static const char corner[] =
    "0.5, 0.9233805168766387, 0.20519567041703082, 0.3077935056255462, 0.10259783520851541";

// One corner, in space: the scene's own law must say what the run did.
START_TEST(an_impact_in_space)
{
  rh_folder_enter();
  write_box("box.yaml", corner);
  rh_output output = impact("box.yaml", "--json");
  ck_assert(rh_json_valid(output.out));
  ck_contains(output.out, "\"planar\": false");
  rh_output run = rh_program_run(NULL, (const char *const[]){"run", "box.yaml", "--json", NULL});
  ck_assert_int_eq(run.exit_code, 0);
  const char *event = strstr(run.out, "\"kind\": \"impact\"");
  ck_assert_ptr_nonnull(event);
  const char *poisson = law_at(output.out, "poisson");
  near_rel(list_at(poisson, "u", 2), pick(event, "after"), 1e-12);
  near_rel(list_at(poisson, "p", 2), pick(event, "impulse"), 1e-12);
  near_rel(pick(poisson, "D_n") + pick(poisson, "D_t"), -pick(event, "work"), 1e-9);
  check_momentum(output.out, "newton");
  check_momentum(output.out, "poisson");
  check_momentum(output.out, "stronge");
  near_rel(list_at(law_at(output.out, "newton"), "u", 2), -0.5 * list_at(output.out, "u_before", 2),
           1e-12);
  rh_output_free(&run);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(no_diagram_in_space)
{
  rh_folder_enter();
  write_box("box.yaml", corner);
  rh_output output =
      rh_program_run(NULL, (const char *const[]){"impact", "box.yaml", "-o", "a.svg", NULL});
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.out, "not planar");
  ck_contains(output.err, "Routh's diagram is of one contact in a plane");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A box on its face that slides: four corners at once. Newton's answer is -e times the velocity at each, all together.
START_TEST(an_impact_of_several_contacts)
{
  rh_folder_enter();
  write_box("box.yaml", "0.3, 1, 0, 0, 0");
  rh_output output = impact("box.yaml", "--json", "-s", "run.multi_impact=simultaneous");
  ck_assert(rh_json_valid(output.out));
  const char *newton = law_at(output.out, "newton");
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    near_rel(list_at(newton, "u", 3 * i + 2), 0.5 * sqrt(2 * 9.81 * 0.25), 1e-9);
    sum += list_at(newton, "p", 3 * i + 2);
  }
  near_rel(sum, 1.5 * sqrt(2 * 9.81 * 0.25), 1e-9); // m = 1 kg
  rh_output_free(&output);
  output = impact("box.yaml");
  ck_contains(output.out, "several contacts at once");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Painleve's rod slides where no finite force is feasible: an impact without approach. mu = 1.8 at 60 degrees jams.
START_TEST(a_jam)
{
  rh_folder_enter();
  rh_file_put(
      "rod.yaml",
      "bodies: [{name: rod, mass: 1, inertia: [0.3333333333333333, 0.3333333333333333, "
      "0.3333333333333333, 0, 0, 0]}]\n"
      "joints: [{kind: free, child: rod, q: [0, 0, 0.8660254037844386, 1, 0, 0, 0], v: [-1, 0, 0, "
      "0, "
      "0, 0]}]\n"
      "shapes: [{body: world, kind: plane}, {body: rod, kind: sphere, radius: 1e-3, at: [-0.5, 0, "
      "-0.8650254037844386]}]\n"
      "contacts: [{name: ground, body: rod, against: world, law: stronge, e: 0.5, friction: dry, "
      "mu_s: "
      "1.8, mu_k: 1.8}]\n"
      "run: {until: 0.01}\n");
  rh_output output = impact("rod.yaml");
  ck_contains(output.out, "case tangential_c");
  rh_output_free(&output);
  output = impact("rod.yaml", "--json");
  near_abs(pick(output.out, "C_0"), 0, 0);
  near_rel(pick(output.out, "inv_m3"), 3 * 0.5 * sqrt(0.75), 1e-9);
  near_abs(pick(law_at(output.out, "newton"), "C_f"), 0, 1e-12);
  // slip stops at P_s = |S_0| / (mu / m1 - 1/m3), 1/m1 = 3.25
  near_rel(pick(output.out, "P_s"), 1 / (1.8 * 3.25 - 1.5 * sqrt(0.75)), 1e-9);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// The course of several impacts, and of one point by its path
START_TEST(courses_are_drawn)
{
  rh_folder_enter();
  rh_output output = impact(clatter, "--nth", "1..3", "--curves", "-o", "three.svg");
  ck_contains(output.out, "impact 1 at 0.142784312 s");
  ck_contains(output.out, "impact 3 at 0.21420195");
  rh_output_free(&output);
  char *picture = rh_file_text("three.svg", NULL);
  ck_assert_ptr_nonnull(picture);
  ck_contains(picture, "impact 3 at");
  ck_contains(picture, "winkler-global");
  ck_contains(picture, "direction of slip");
  ck_contains(picture, "normal work [J]");
  free(picture);
  output = impact(rigid, "--curves", "-o", "-");
  ck_contains(output.out, "<svg");
  ck_assert_ptr_null(strstr(output.out, "p_t1"));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal wrong_curves[] = {
    {{"impact", clatter, "--curves"}, 2, "--curves needs -o"},
    {{"impact", clatter, "--nth", "3..1"}, 2, "--nth must be a whole number from 1 on, or two"},
    {{"impact", clatter, "--nth", "1.."}, 2, "--nth must be"},
    {{"impact", clatter, "--nth", "1..13"}, 2, "the maximum is 12 impacts"},
    {{"impact", clatter, "--nth", "1..2", "--json"}, 2, "--json prints one impact"},
    {{"impact", clatter, "--nth", "1..2", "-o", "a.svg"}, 2, "--curves draws several"},
    {{"impact", clatter, "--curves", "-o", "a.svg", "-s", "run.multi_impact=moreau"},
     3,
     "'moreau' has no course"},
    {{"impact", impacts, "--curves", "-o", "a.svg"}, 2, "need a scene"},
    {{"impact", clatter, "--nth", "1..12", "-s", "run.until=0.2"}, 3, "expected number 12"},
};

START_TEST(wrong_curves_are_refused)
{
  rh_refusal_check(&wrong_curves[_i]);
}

END_TEST

START_TEST(refused)
{
  static const struct {
    const char *words[8];
    int code;
    const char *text;
  } bad[] = {
      {{"impact"}, 2, "impact"},
      {{"impact", "no-such-file.yaml"}, 3, "no-such-file.yaml"},
      {{"impact", impacts, "--id", "impact/rod_a/newtn"}, 3, "did you mean 'impact/rod_a/newton'?"},
      {{"impact", impacts, "--law", "newton,poison"}, 2, "did you mean 'poisson'?"},
      {{"impact", impacts, "--e", "2"}, 2, "--e must lie in [0, 1], got 2"},
      {{"impact", impacts, "--mu", "x"}, 2, "--mu x"},
      {{"impact", impacts, "-o", "a.gif"}, 2, "a.gif"},
      {{"impact", impacts, "--json", "-o", "-"}, 2, "cannot both go to standard output"},
      {{"impact", impacts, "--id", "impact/two_none/newton", "-o", "a.svg"}, 3, "nothing is drawn"},
      {{"impact", scene}, 3, "are compliant"},
      {{"impact", scene}, 3, "law=stronge"},
      {{"impact", bare}, 3, "has no contacts"},
      {{"impact", ball, "--nth", "0"}, 2, "--nth must be a whole number"},
      {{"impact", ball, "--nth", "99"}, 3, "impacts up to 2 s"},
      {{"impact", ball, "--id", "x"}, 2, "--id needs a problem file"},
      {{"impact", ball, "-s", "ground.mu=x"}, 3, "mu"},
      {{"impact", impacts, "--nth", "2"}, 2, "need a scene"},
      {{"impact", others}, 3, "no problem of kind planar_impact"},
  };

  rh_folder_enter();
  for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
    rh_output output = rh_program_run(NULL, bad[i].words);
    ck_assert_msg(output.exit_code == bad[i].code, "%d: exit code %d, %s", i, output.exit_code,
                  output.err);
    ck_contains(output.err, bad[i].text);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_impact(void)
{
  Suite *suite = suite_create("cli_impact");
  TCase *tests = tcase_create("impact");
  tcase_add_test(tests, numbers_of_the_reference);
  tcase_add_test(tests, other_coefficients);
  tcase_add_loop_test(tests, pictures, 0, 6);
  tcase_add_test(tests, a_scene_as_the_reference);
  tcase_add_test(tests, a_later_impact);
  tcase_add_test(tests, an_impact_in_space);
  tcase_add_test(tests, no_diagram_in_space);
  tcase_add_test(tests, an_impact_of_several_contacts);
  tcase_add_test(tests, a_jam);
  tcase_add_test(tests, courses_are_drawn);
  tcase_add_loop_test(tests, wrong_curves_are_refused, 0,
                      (int)(sizeof wrong_curves / sizeof wrong_curves[0]));
  tcase_add_test(tests, refused);
  suite_add_tcase(suite, tests);
  return suite;
}
