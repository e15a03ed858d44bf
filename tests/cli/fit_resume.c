// routh fit --resume: a fit that was interrupted at any place continues to the same bits.
#include "program.h"

#include <math.h>
#include <routh/routh.h>
#include <sys/resource.h>
#include <unistd.h>

#define FOLDER ROUTH_SOURCE_DIR "/tests/data/fit/"

// Windows, parts left out, no profiles
#define FIT                                                                                        \
  "fit", FOLDER "drop.yaml", "--data", FOLDER "drop.csv", "--start", "data", "--free",             \
      "floor.e=0.1:1,floor.mu_k=0.1:0.3", "--noise", "j.*=1e-4", "--window", "0.06", "--folds",    \
      "3", "--quick", "--json"

static long size_of(const char *name)
{
  struct stat file;
  ck_assert_int_eq(stat(name, &file), 0);
  return (long)file.st_size;
}

static void same_answer(rh_output *output, const char *want)
{
  ck_assert_msg(output->exit_code == 0, "%s", output->err);
  ck_assert_str_eq(output->out, want);
  rh_output_free(output);
}

// With files of at most so many bytes; the limit is that of the program alone.
static rh_output run_limited(rlim_t most, const char *const *words)
{
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    const struct rlimit limit = {most, most};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    become(words, false);
  }
  return rh_program_wait(child);
}

// The journal may not grow beyond a size: the program is killed by its write there (SIGXFSZ), within a search, whose evaluations are in the
// file until it ends. Then it is cut at places of a finished fit: within its mark, its first record and later ones.
START_TEST(continues)
{
  static const long most[] = {900, 2500};
  rh_folder_enter();
  rh_output whole = routh(FIT);
  ck_assert_msg(whole.exit_code == 0, "%s", whole.err);
  for (int i = 0; i < RH_COUNT(most); i++) {
    (void)unlink("j");
    rh_output cut = run_limited((rlim_t)most[i], (const char *const[]){FIT, "--resume", "j", NULL});
    ck_assert(cut.exit_code != 0);
    rh_output_free(&cut);
    ck_assert(size_of("j") <= most[i]);
    rh_output again = routh(FIT, "--resume", "j");
    same_answer(&again, whole.out);
  }
  const long size = size_of("j");
  const long at[] = {size, size - 3, 30, 0};
  for (int i = 0; i < RH_COUNT(at); i++) {
    ck_assert_int_eq(truncate("j", at[i]), 0);
    rh_output again = routh(FIT, "--resume", "j", "--threads", i % 2 ? "1" : "2");
    same_answer(&again, whole.out);
    ck_assert_int_eq(size_of("j"), size);
  }
  rh_output_free(&whole);
  rh_folder_leave();
}

END_TEST

#define SUGGEST                                                                                    \
  "fit", FOLDER "drop.yaml", "--data", FOLDER "drop.csv", "--start", "data", "--suggest", "1",     \
      "--json"

// A search for suggestions that is killed within its first model and within a change, and one that is done or was cut in the middle of its
// file, which has the end of each model and change.
START_TEST(suggestions_continue)
{
  static const long most[] = {1000, 60000};
  rh_folder_enter();
  rh_output whole = routh(SUGGEST);
  ck_assert_msg(whole.exit_code == 0, "%s", whole.err);
  for (int i = 0; i < RH_COUNT(most); i++) {
    (void)unlink("j");
    rh_output cut =
        run_limited((rlim_t)most[i], (const char *const[]){SUGGEST, "--resume", "j", NULL});
    ck_assert(cut.exit_code != 0);
    rh_output_free(&cut);
    rh_output again = routh(SUGGEST, "--resume", "j");
    same_answer(&again, whole.out);
  }
  const long size = size_of("j");
  const long at[] = {size, size / 2};
  for (int i = 0; i < RH_COUNT(at); i++) {
    ck_assert_int_eq(truncate("j", at[i]), 0);
    rh_output again = routh(SUGGEST, "--resume", "j", "--threads", i % 2 ? "2" : "1");
    same_answer(&again, whole.out);
    ck_assert_int_eq(size_of("j"), size);
  }
  rh_output other = routh(SUGGEST, "--resume", "j", "--folds", "3");
  ck_assert_int_eq(other.exit_code, 3);
  ck_contains(other.err, "is of another fit");
  rh_output_free(&other);
  rh_output_free(&whole);
  rh_folder_leave();
}

END_TEST

// A journal with all of a fit leaves only what comes after: more of it can be asked for. Another scene or other data are refused, as is a
// file that is no journal, which stays as it is.
START_TEST(knows_its_fit)
{
  rh_folder_enter();
  rh_output output = routh(FIT, "--resume", "j");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  output = routh(FIT, "--bootstrap", "20");
  rh_output more = routh(FIT, "--bootstrap", "20", "--resume", "j");
  same_answer(&more, output.out);
  rh_output_free(&output);
  output = routh(FIT, "--resume", "j", "-s", "floor.mu_s=0.4");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "is of another fit");
  rh_output_free(&output);
  FILE *to = fopen("notes", "w");
  ck_assert_ptr_nonnull(to);
  (void)fputs("something of mine\n", to);
  ck_assert_int_eq(fclose(to), 0);
  output = routh(FIT, "--resume", "notes");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "is no journal of a fit");
  ck_assert_int_eq(size_of("notes"), 18);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// One object per search on standard error: one search, three parts left out.
START_TEST(tells_progress)
{
  rh_folder_enter();
  rh_output output = routh(FIT, "--progress", "json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.err, "{\"done\": 0, \"of\": 4, \"next\": \"search\", \"wall\": ");
  ck_contains(output.err, "{\"done\": 3, \"of\": 4, \"next\": \"trials left out\", \"wall\": ");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_resume(void)
{
  Suite *suite = suite_create("cli_fit_resume");
  TCase *tests = tcase_create("fit_resume");
  tcase_add_test(tests, continues);
  tcase_add_test(tests, suggestions_continue);
  tcase_add_test(tests, knows_its_fit);
  tcase_add_test(tests, tells_progress);
  suite_add_tcase(suite, tests);
  return suite;
}
