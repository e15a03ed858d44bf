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

static void same_answer(rh_told *told, const char *want)
{
  ck_assert_msg(told->exit_code == 0, "%s", told->err);
  ck_assert_str_eq(told->out, want);
  rh_told_free(told);
}

// With files of at most so many bytes; the limit is that of the program alone.
static rh_told run_limited(rlim_t most, const char *const *words)
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
  rh_told whole = routh(FIT);
  ck_assert_msg(whole.exit_code == 0, "%s", whole.err);
  for (int i = 0; i < RH_COUNT(most); i++) {
    (void)unlink("j");
    rh_told cut = run_limited((rlim_t)most[i], (const char *const[]){FIT, "--resume", "j", NULL});
    ck_assert(cut.exit_code != 0);
    rh_told_free(&cut);
    ck_assert(size_of("j") <= most[i]);
    rh_told again = routh(FIT, "--resume", "j");
    same_answer(&again, whole.out);
  }
  const long size = size_of("j");
  const long at[] = {size, size - 3, 30, 0};
  for (int i = 0; i < RH_COUNT(at); i++) {
    ck_assert_int_eq(truncate("j", at[i]), 0);
    rh_told again = routh(FIT, "--resume", "j", "--threads", i % 2 ? "1" : "2");
    same_answer(&again, whole.out);
    ck_assert_int_eq(size_of("j"), size);
  }
  rh_told_free(&whole);
  rh_folder_leave();
}

END_TEST

// A journal with all of a fit leaves only what comes after: more of it can be asked for. Another scene or other data are refused, as is a
// file that is no journal, which stays as it is.
START_TEST(knows_its_fit)
{
  rh_folder_enter();
  rh_told told = routh(FIT, "--resume", "j");
  ck_assert_msg(told.exit_code == 0, "%s", told.err);
  rh_told_free(&told);
  told = routh(FIT, "--bootstrap", "20");
  rh_told more = routh(FIT, "--bootstrap", "20", "--resume", "j");
  same_answer(&more, told.out);
  rh_told_free(&told);
  told = routh(FIT, "--resume", "j", "-s", "floor.mu_s=0.4");
  ck_assert_int_eq(told.exit_code, 3);
  ck_contains(told.err, "is of another fit");
  rh_told_free(&told);
  FILE *to = fopen("notes", "w");
  ck_assert_ptr_nonnull(to);
  (void)fputs("something of mine\n", to);
  ck_assert_int_eq(fclose(to), 0);
  told = routh(FIT, "--resume", "notes");
  ck_assert_int_eq(told.exit_code, 3);
  ck_contains(told.err, "is no journal of a fit");
  ck_assert_int_eq(size_of("notes"), 18);
  rh_told_free(&told);
  rh_folder_leave();
}

END_TEST

// One object per search on standard error: one search, three parts left out.
START_TEST(tells_progress)
{
  rh_folder_enter();
  rh_told told = routh(FIT, "--progress", "json");
  ck_assert_msg(told.exit_code == 0, "%s", told.err);
  ck_contains(told.err, "{\"done\": 0, \"of\": 4, \"next\": \"search\", \"wall\": ");
  ck_contains(told.err, "{\"done\": 3, \"of\": 4, \"next\": \"trials left out\", \"wall\": ");
  rh_told_free(&told);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_resume(void)
{
  Suite *suite = suite_create("cli_fit_resume");
  TCase *tests = tcase_create("fit_resume");
  tcase_add_test(tests, continues);
  tcase_add_test(tests, knows_its_fit);
  tcase_add_test(tests, tells_progress);
  suite_add_tcase(suite, tests);
  return suite;
}
