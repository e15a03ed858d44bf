// The verb fit: an inertia that is free as a whole and stays that of a body; values that short data give only together.
#include "program.h"

#include <math.h>
#include <routh/routh.h>

static const char pendulum[] = ROUTH_SOURCE_DIR "/tests/data/fit/pendulum.yaml";
static const char tumbling[] = ROUTH_SOURCE_DIR "/tests/data/fit/pendulum.csv";

// The six numbers after the key, all within `off` of those wanted
static void near_six(const char *text, const char *key, const double *want, double off)
{
  double x[6];
  const char *at = strstr(text, key);
  ck_assert_msg(at != NULL, "no %s in:\n%s", key, text);
  at = strchr(at, '[');
  ck_assert_int_eq(
      sscanf(at, "[%lf, %lf, %lf, %lf, %lf, %lf]", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5]), 6);
  for (int i = 0; i < 6; i++) {
    near_abs(x[i], want[i], off);
  }
}

// A body with known weight tumbles on a ball joint: its attitude gives all six numbers of its inertia, from those of a ball. The data are
// a run at the tolerance 1e-8, printed in full: 1e-8 of 3e-3 kg m^2, with a factor of 30 for the sensitivity.
START_TEST(finds_inertia)
{
  static const double truth[] = {2e-3, 3e-3, 2.5e-3, 2e-4, -1e-4, 3e-4};
  rh_output output = routh("fit", pendulum, "--data", tumbling, "--free", "b.inertia", "--noise",
                           "j.q*=1e-3", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  near_six(strstr(output.out, "\"inertias\""), "\"value\"", truth, 1e-9);
  ck_contains(output.out, "\"b.inertia L11\"");
  ck_assert(strstr(output.out, "not determined") == NULL);
  rh_output_free(&output);
}

END_TEST

// The factor L = [3; -1 2; 0.5 -2 1] 0.01 by hand: S = L L', I = tr(S) 1 - S. Data in which the body does not turn say nothing of it, and
// it stays as the scene has it.
START_TEST(leaves_what_data_do_not_say)
{
  // L L' = [9 -3 1.5; -3 5 -4.5; 1.5 -4.5 5.25], trace 19.25: I = [10.25, 14.25, 14, 3, -1.5, 4.5]
  static const double inertia[] = {10.25e-4, 14.25e-4, 14e-4, 3e-4, -1.5e-4, 4.5e-4};
  static const char scene[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: b, mass: 2, inertia: [10.25e-4, 14.25e-4, 14e-4, 3e-4, -1.5e-4, 4.5e-4]}]\n"
      "joints: [{name: s, kind: prismatic, child: b, axis: [1, 0, 0], v: [1]}]\n"
      "run: {until: 1}\n";
  rh_file_put("slide.yaml", scene);
  rh_file_put("slide.csv",
              "t,s.q\n0,0\n0.1,0.1\n0.2,0.2\n0.3,0.3\n0.4,0.4\n0.5,0.5\n0.6,0.6\n0.7,0.7\n");
  rh_output output = routh("fit", "slide.yaml", "--data", "slide.csv", "--free", "b.inertia",
                           "--noise", "s.q=1e-3", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  near_six(strstr(output.out, "\"inertias\""), "\"value\"", inertia, 1e-15);
  static const char *const factor[] = {"L11", "L21", "L22", "L31", "L32", "L33"};
  static const double L[] = {0.03, -0.01, 0.02, 0.005, -0.02, 0.01};
  for (int i = 0; i < 6; i++) {
    char name[40];
    (void)snprintf(name, sizeof name, "\"b.inertia %s\"", factor[i]);
    const char *at = strstr(output.out, name);
    ck_assert_ptr_nonnull(at);
    near_abs(rh_json_number_at(at, "value"), L[i], 1e-14);
    ck_assert(strncmp(strstr(at, "\"verdict\": "), "\"verdict\": \"determined\"", 23) != 0);
  }
  rh_output_free(&output);
}

END_TEST

START_TEST(refuses_what_is_no_body)
{
  static const struct {
    const char *free, *set, *said;
    int code;
  } bad[] = {
      {"b.inertia=0:1", "b.mass=0.5", "takes no bounds", 2},
      {"b.inertia,b.inertia[0]", "b.mass=0.5", "free as a whole already", 2},
      {"b.inertia", "b.inertia=[2e-3, 2e-3, 4e-3, 0, 0, 0]", "an extent along each axis", 3},
      {"b.mass=-1:1", "b.mass=0.5", "a mass is positive", 2},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    rh_output output =
        routh("fit", pendulum, "--data", tumbling, "--free", bad[i].free, "-s", bad[i].set);
    ck_assert_msg(output.exit_code == bad[i].code, "%d: %s", i, output.err);
    ck_contains(output.err, bad[i].said);
    rh_output_free(&output);
  }
}

END_TEST

// A mass m = 2 is released at x0 = 0.1 on a spring k = 50 against dry friction F = 1: x = F/k + (x0 - F/k) cos wt until it turns. In the
// first 0.06 s, a twentieth of its period, x = x0 - (k x0 - F) t^2 / 2m to 1e-5 m, a tenth of the noise: only k x0 - F is seen, and either
// value makes up for the other. Half a swing tells them apart.
START_TEST(friction_and_stiffness)
{
  static const char scene[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: b, mass: 2}]\n"
      "joints: [{name: s, kind: prismatic, child: b, axis: [1, 0, 0], q: [0.1], spring: [60], "
      "friction: [1.5]}]\n"
      "run: {until: 1}\n";
  rh_file_put("stick.yaml", scene);
  for (int whole = 0; whole < 2; whole++) {
    FILE *to = fopen("a.csv", "w");
    ck_assert_ptr_nonnull(to);
    (void)fprintf(to, "t,s.q\n");
    for (int i = 0; i < 40; i++) {
      double t = (whole ? 0.6 : 0.06) * i / 39;
      double x = 0.02 + 0.08 * cos(5 * t);
      (void)fprintf(to, "%.17g,%.4f\n", t, x); // rounded: 3e-5 m
    }
    ck_assert_int_eq(fclose(to), 0);
    rh_output output = routh("fit", "stick.yaml", "--data", "a.csv", "--free",
                             "s.spring[0],s.friction[0]", "--noise", "s.q=1e-4");
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    // where in the valley the search ends is by the rounding: "only together with" or "tied to", by how far it goes on
    const char *friction = strstr(output.out, "  s.friction[0] ");
    ck_assert_ptr_nonnull(friction);
    ck_assert_int_eq(strstr(output.out, "o s.friction[0]") == NULL &&
                         strstr(output.out, "with s.friction[0]") == NULL,
                     whole);
    ck_assert_int_eq(strstr(friction, "s.spring[0]") == NULL, whole);
    rh_output_free(&output);
  }
}

END_TEST

Suite *rh_suite_cli_fit_inertia(void)
{
  Suite *suite = suite_create("cli_fit_inertia");
  TCase *tests = tcase_create("fit_inertia");
  tcase_add_checked_fixture(tests, rh_folder_enter, rh_folder_leave);
  tcase_add_test(tests, finds_inertia);
  tcase_add_test(tests, leaves_what_data_do_not_say);
  tcase_add_test(tests, refuses_what_is_no_body);
  tcase_add_test(tests, friction_and_stiffness);
  suite_add_tcase(suite, tests);
  return suite;
}
