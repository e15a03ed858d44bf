// `routh fit`: slopes that are integrated along one run find the same as differences of runs.
#include "program.h"

#include <math.h>
#include <routh/routh.h>

#define DATA ROUTH_SOURCE_DIR "/tests/data/fit/"

static const char bouncing[] =
    "bodies: [{name: ball, mass: 0.1}]\n"
    "joints: [{name: j, kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0], v: [3, 0, 0, 0, -30, "
    "0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]\n"
    "contacts: [{name: floor, body: ball, against: world, law: newton, e: 0.7, friction: dry, "
    "mu_s: 0.2, mu_k: 0.1}]\n"
    "run: {until: 0.8}\n";

// Values within a hundredth of their intervals: the search ends where a step is 1e-8 of the values, or earlier by slopes that are off
// by a thousandth. Intervals by the slopes themselves: those by differences over 1e-3 are off by the square of that, integrated
// ones by 1e-4.
static void compare_ways(rh_output *integrated, rh_output *differences, const char *const *name,
                         int n)
{
  ck_assert_msg(integrated->exit_code == 0, "%s", integrated->err);
  ck_assert_msg(differences->exit_code == 0, "%s", differences->err);
  near_abs(rh_json_number_at(integrated->out, "integrated"),
           rh_json_number_at(integrated->out, "trials"), 0);
  near_abs(rh_json_number_at(differences->out, "integrated"), 0, 0);
  for (int i = 0; i < n; i++) {
    double low = rh_json_named_number(differences->out, name[i], "low");
    double high = rh_json_named_number(differences->out, name[i], "high");
    near_abs(rh_json_named_number(integrated->out, name[i], "value"),
             rh_json_named_number(differences->out, name[i], "value"), 0.01 * (high - low));
    near_abs(rh_json_named_number(integrated->out, name[i], "high") -
                 rh_json_named_number(integrated->out, name[i], "low"),
             high - low, 1e-3 * (high - low));
  }
  rh_output_free(integrated);
  rh_output_free(differences);
}

START_TEST(oscillator_both_ways)
{
  static const char *const name[] = {"s.spring[0]", "s.damper[0]"};
  rh_output output[2];
  for (int i = 0; i < 2; i++) {
    output[i] = routh("fit", DATA "oscillator.yaml", "--data", DATA "oscillator.csv", "--free",
                      "s.spring[0],s.damper[0]", "--noise", "s.q=1e-4", "--quick", "--json",
                      "--slopes", i == 0 ? "auto" : "differences");
  }
  compare_ways(&output[0], &output[1], name, RH_COUNT(name));
}

END_TEST

// Starts that are found have their columns in the same run.
START_TEST(starts_both_ways)
{
  static const char *const name[] = {"s.spring[0]", "s.damper[0]"};
  rh_output output[2];
  for (int i = 0; i < 2; i++) {
    output[i] = routh("fit", DATA "oscillator.yaml", "--data", DATA "oscillator.csv", "--free",
                      "s.spring[0],s.damper[0]", "--noise", "s.q=1e-4", "--quick", "--json",
                      "--start", "fit", "--slopes", i == 0 ? "auto" : "differences");
  }
  compare_ways(&output[0], &output[1], name, RH_COUNT(name));
}

END_TEST

// A run of other values is measured; time stepping has no slopes to integrate, and says so.
START_TEST(bounces_both_ways)
{
  static const char *const name[] = {"floor.e", "floor.mu_k"};
  rh_output output[2];
  rh_folder_enter();
  FILE *to = fopen("ball.yaml", "w");
  ck_assert_ptr_nonnull(to);
  ck_assert(fputs(bouncing, to) >= 0);
  ck_assert_int_eq(fclose(to), 0);
  rh_output run = routh("run", "ball.yaml", "-s", "floor.e=0.75", "-s", "floor.mu_k=0.08", "-o",
                        "ball.rhr", "-q");
  ck_assert_msg(run.exit_code == 0, "%s", run.err);
  rh_output_free(&run);
  for (int i = 0; i < 2; i++) {
    output[i] = routh("fit", "ball.yaml", "--data", "ball.rhr", "--channels", "j.q*,j.x,j.y,j.z",
                      "--free", "floor.e=0.3:0.95,floor.mu_k=0.05:0.19", "--noise",
                      "j.q*=1e-3,j.x=1e-3,j.y=1e-3,j.z=1e-3", "--quick", "--json", "--slopes",
                      i == 0 ? "auto" : "differences");
  }
  near_abs(rh_json_named_number(output[0].out, "floor.e", "value"), 0.75, 1e-6);
  compare_ways(&output[0], &output[1], name, RH_COUNT(name));
  rh_output stepped = routh("fit", "ball.yaml", "-s", "run.engine=stepping", "--data", "ball.rhr",
                            "--free", "floor.e=0.3:0.95", "--noise", "j.*=1e-1", "--quick");
  ck_assert_msg(stepped.exit_code == 0, "%s", stepped.err);
  ck_contains(stepped.out, "slopes by differences of runs in 1 of 1 trials: this engine");
  rh_output_free(&stepped);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_slopes(void);

Suite *rh_suite_cli_fit_slopes(void)
{
  Suite *suite = suite_create("cli_fit_slopes");
  TCase *test = tcase_create("slopes");
  tcase_add_test(test, oscillator_both_ways);
  tcase_add_test(test, starts_both_ways);
  tcase_add_test(test, bounces_both_ways);
  suite_add_tcase(suite, test);
  return suite;
}
