// unit_watchdog.c: the limits that main.c sets for every test: an endless loop ends by processor time, and the wall clock is left
// to a watchdog that no busy machine reaches.
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(each_test_has_a_limit_of_processor_time)
{
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_CPU, &limit), 0);
  ck_assert_uint_le(limit.rlim_cur, RH_TEST_CPU);
  const char *watchdog = getenv("CK_DEFAULT_TIMEOUT");
  ck_assert_ptr_nonnull(watchdog);
  ck_assert_int_ge(strtol(watchdog, NULL, 10), RH_TEST_CPU);
}

END_TEST

static void set_limit(rlim_t seconds)
{
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_CPU, &limit), 0);
  limit.rlim_cur = seconds;
  ck_assert_int_eq(setrlimit(RLIMIT_CPU, &limit), 0);
}

static volatile bool endless = true;

// Ends by SIGXCPU.
START_TEST(an_endless_loop_ends)
{
  set_limit(1);
  while (endless) {}
}

END_TEST

// What a test starts has the same limit, counted from zero.
START_TEST(a_child_counts_for_itself)
{
  set_limit(1);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    while (endless) {}
  }
  int status = 0;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFSIGNALED(status));
  ck_assert_int_eq(WTERMSIG(status), SIGXCPU);
}

END_TEST

Suite *rh_suite_unit_watchdog(void)
{
  Suite *suite = suite_create("unit_watchdog");
  TCase *tc = tcase_create("limits");
  tcase_add_test(tc, each_test_has_a_limit_of_processor_time);
  tcase_add_test_raise_signal(tc, an_endless_loop_ends, SIGXCPU);
  tcase_add_test(tc, a_child_counts_for_itself);
  suite_add_tcase(suite, tc);
  return suite;
}
