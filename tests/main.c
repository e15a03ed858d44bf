// main.c: runs the suites that suites.def lists, each test in its own process.
//   routh_test            all suites
//   routh_test --list     names of the suites
//   routh_test NAME...    these suites
#include "test.h"

#include "hdf5/tools.h"
#include "run/kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct entry {
  const char *name;
  Suite *(*make)(void);
} entry;

static const entry entries[] = {
#define RH_SUITE(name) {#name, rh_suite_##name},
#include "suites.def"
#undef RH_SUITE
    {NULL, NULL},
};

bool rh_test_near(const char *expression, const double *got, const double *want, int n,
                  const double tolerance[2], char why[RH_TEST_WHY_MAX])
{
  int worst = -1;
  double worst_ratio = 0.0;
  for (int i = 0; i < n; i++) {
    double allowed = tolerance[0] + tolerance[1] * fabs(want[i]);
    double off = fabs(got[i] - want[i]);
    if (got[i] == want[i] || off <= allowed) {
      continue;
    }
    double ratio = isfinite(off) && allowed > 0.0 ? off / allowed : HUGE_VAL;
    if (worst < 0 || ratio > worst_ratio) {
      worst = i;
      worst_ratio = ratio;
    }
  }
  if (worst < 0) {
    return true;
  }
  double allowed = tolerance[0] + tolerance[1] * fabs(want[worst]);
  (void)snprintf(why, RH_TEST_WHY_MAX,
                 "%s [%d of %d]: got %.17g, want %.17g, difference %.3g, allowed %.3g", expression,
                 worst, n, got[worst], want[worst], got[worst] - want[worst], allowed);
  return false;
}

static const entry *find(const char *name)
{
  for (const entry *e = entries; e->name != NULL; e++) {
    if (strcmp(e->name, name) == 0) {
      return e;
    }
  }
  return NULL;
}

static int list(void)
{
  for (const entry *e = entries; e->name != NULL; e++) {
    (void)puts(e->name);
  }
  return EXIT_SUCCESS;
}

static void add(SRunner **runner, const entry *e)
{
  Suite *suite = e->make();
  if (*runner == NULL) {
    *runner = srunner_create(suite);
  } else {
    srunner_add_suite(*runner, suite);
  }
}

// No test may fail because the machine is busy: the limit is in processor time, and holds for each test and for each program that
// a test starts (a forked process counts from zero). The wall clock of Check only ends a test that waits for something that
// never comes; all waiting in the tests is left to it.
static void set_limits(void)
{
  struct rlimit limit;
  (void)setenv("CK_DEFAULT_TIMEOUT", RH_TEST_WATCHDOG, 0);
  const char *fork = getenv("CK_FORK");
  if ((fork == NULL || strcmp(fork, "no") != 0) && getrlimit(RLIMIT_CPU, &limit) == 0 &&
      (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > RH_TEST_CPU)) {
    limit.rlim_cur = RH_TEST_CPU;
    (void)setrlimit(RLIMIT_CPU, &limit);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    return list();
  }
  set_limits();
  rh_kinds_load();
  rh_tools_load();
  SRunner *runner = NULL;
  for (int i = 1; i < argc; i++) {
    const entry *e = find(argv[i]);
    if (e == NULL) {
      (void)fprintf(stderr, "routh_test: no suite '%s'; --list names them\n", argv[i]);
      srunner_free(runner);
      return 2;
    }
    add(&runner, e);
  }
  for (const entry *e = entries; argc < 2 && e->name != NULL; e++) {
    add(&runner, e);
  }
  if (runner == NULL) {
    return EXIT_SUCCESS;
  }
  srunner_set_fork_status(runner, CK_FORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
