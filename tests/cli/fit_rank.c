// `routh compare --data`: laws ranked on measured trials that were left out of their fits.
#include "program.h"

#include <math.h>
#include <routh/routh.h>

static const char scene[] = ROUTH_SOURCE_DIR "/tests/data/fit/slide.yaml";
static const char data[] = ROUTH_SOURCE_DIR "/tests/data/fit/slide.csv";
static const char noise[] = "j.x=1e-4,j.vx=1";

// The part of the document that is of one friction law
static const char *entry_of(const char *text, const char *friction)
{
  char name[100];
  (void)snprintf(name, sizeof name, "\"friction\": \"%s\"", friction);
  const char *at = strstr(text, name);
  ck_assert_msg(at != NULL, "no %s in:\n%s", friction, text);
  return at;
}

// A box slides by x = v t - mu g t^2 / 2, mu = 0.3: Coulomb's law is the best and its residuals are the noise. Its error: root mean
// squares of eight residuals each, mean 0.97, deviation 0.25; of six trials +-0.3 at three deviations. Friction that falls with the
// speed from 0.6 and none are worse beyond their intervals, though the first has its value found as well; none has none to find.
START_TEST(ranks_frictions)
{
  rh_output output =
      routh("compare", scene, "--frictions", "none,dry,dry:mu_s=0.6:v_stribeck=0.5", "--data", data,
            "--start", "data", "--free", "floor.mu_k=0.05:0.5", "--noise", noise, "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  const char *none = entry_of(output.out, "none");
  const char *dry = entry_of(output.out, "dry");
  const char *falling = entry_of(output.out, "dry:mu_s=0.6:v_stribeck=0.5");
  near_abs(rh_json_number_at(output.out, "trials"), 6, 0);
  near_abs(rh_json_number_at(dry, "rank"), 1, 0);
  near_abs(rh_json_number_at(falling, "rank"), 2, 0);
  near_abs(rh_json_number_at(none, "rank"), 3, 0);
  near_abs(rh_json_number_at(dry, "error"), 0.97, 0.3);
  near_abs(rh_json_number_at(dry, "more"), 0, 0);
  ck_assert(strstr(dry, "\"best_too\": true") < falling);
  ck_assert(strstr(falling, "\"best_too\": true") == NULL);
  // mu by 48 residuals of 1e-4 m, whose slope by mu is up to 0.2 m: 2e-4 at three deviations
  near_abs(rh_json_number_at(strstr(dry, "\"values\""), "value"), 0.3, 3e-4);
  const char *values = strstr(none, "\"values\": []");
  ck_assert(values != NULL && values < dry);
  rh_output_free(&output);
}

END_TEST

// Without friction the error of a trial is known: x of the data less v t, over the noise, with parts of the trials as they may be.
START_TEST(error_is_that_of_closed_form)
{
  double sum = 0;
  for (int k = 1; k <= 8; k++) {
    double t = 0.025 * k;
    double off = 0.5 * 0.3 * 9.81 * t * t / 1e-4;
    sum += off * off / 8;
  }
  rh_output output = routh("compare", scene, "--frictions", "none", "--data", data, "--start",
                           "data", "--noise", noise, "--folds", "2", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  near_abs(rh_json_number_at(entry_of(output.out, "none"), "error"), sqrt(sum),
           1); // the noise is 1
  rh_output_free(&output);
}

END_TEST

// One trial is no measure of an error; two laws that are one are not told apart.
START_TEST(says_what_is_not_told_apart)
{
  rh_output output =
      routh("compare", scene, "--laws", "stronge,poisson", "--data", data, "--start", "data",
            "--free", "floor.mu_k=0.05:0.5", "--noise", noise, "--threads", "2");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "not told apart from the best");
  ck_contains(output.out, "floor.mu_k = 0.3");
  rh_output_free(&output);
}

END_TEST

START_TEST(refuses)
{
  static const struct {
    const char *word[8];
    int code;
    const char *said;
  } bad[] = {
      {{"--laws", "stronge", "--data", data}, 2, "--noise"},
      {{"--laws", "stronge", "--free", "floor.e"}, 2, "is for laws with --data"},
      {{"--data", data, "--noise", noise}, 2, "no laws are given"},
      {{"--laws", "stronge", "--data", data, "--noise", noise, "--free", "floor.mue=0:1"},
       3,
       "under any of the laws"},
      {{"--laws", "stronge", "--data", data, "--noise", noise, "--free", "parameters.mu=0:1"},
       2,
       "no parameters any more"},
      {{"--laws", "strong", "--data", data, "--noise", noise}, 2, "stronge"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    const char *const *w = bad[i].word;
    rh_output output =
        routh("compare", scene, "--start=data", w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
    ck_assert_msg(output.exit_code == bad[i].code, "%d: %s", i, output.err);
    ck_contains(output.err, bad[i].said);
    rh_output_free(&output);
  }
}

END_TEST

Suite *rh_suite_cli_fit_rank(void)
{
  Suite *suite = suite_create("cli_fit_rank");
  TCase *tests = tcase_create("fit_rank");
  tcase_add_checked_fixture(tests, rh_folder_enter, rh_folder_leave);
  tcase_add_test(tests, ranks_frictions);
  tcase_add_test(tests, error_is_that_of_closed_form);
  tcase_add_test(tests, says_what_is_not_told_apart);
  tcase_add_test(tests, refuses);
  suite_add_tcase(suite, tests);
  return suite;
}
