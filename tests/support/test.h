// test.h: what every test file includes: Check, the prototypes of all suites, and asserts for numbers that print what
// they saw. A test file tests/<group>/<x>.c exports `Suite *rh_suite_<group>_<x>(void)` and has one line
// RH_SUITE(<group>_<x>) in tests/suites.def; the group is one of unit, kind, ref, paper, cli, fuzz.
// Each test runs in its own process, so a crash is one failure.
//
// The build also defines ROUTH_SOURCE_DIR, the root of the repository (text without a slash at its end), for reference
// data and scenes, and ROUTH_PROGRAM, the path of the routh program under test.
#ifndef ROUTH_TEST_TEST_H
#define ROUTH_TEST_TEST_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// In a sanitizer build everything is some times slower; a test may do less there, never something else.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RH_TEST_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RH_TEST_SLOW 1
#endif
#endif
#ifndef RH_TEST_SLOW
#define RH_TEST_SLOW 0
#endif

// The long check (`./test --long`) does all that a test can do; in the usual one a test may do less, never something else.
static inline bool rh_test_long(void)
{
  return getenv("ROUTH_TEST_LONG") != NULL && !RH_TEST_SLOW;
}

// Of `whole` random trials: all in the long check, a quarter in the usual one, a tenth in a sanitizer build.
static inline int rh_trials(int whole)
{
  return rh_test_long() ? whole : RH_TEST_SLOW ? whole / 10 : whole / 4;
}

// Limits of each test, set by main.c; there are no others (tools/check_clock).
#define RH_TEST_CPU      (RH_TEST_SLOW ? 1500 : 300) // [s] of processor time
#define RH_TEST_WATCHDOG "3600"                      // [s] of the wall clock, for a test that waits in vain

#define RH_SUITE(name) Suite *rh_suite_##name(void);
#include "suites.def"
#undef RH_SUITE

#define RH_TEST_WHY_MAX 1024

// Are the `n` numbers within absolute + relative * |want| of what is wanted? If not, `why` says which one is worst off
// and by how much. Not-a-number is never near anything; an infinity is near itself.
bool rh_test_near(const char *expression, const double *got, const double *want, int n,
                  const double tolerance[2], char why[RH_TEST_WHY_MAX]);

#define near_array(got, want, n, absolute, relative)                                     \
  do {                                                                                   \
    char near_why_[RH_TEST_WHY_MAX];                                                     \
    const double near_tolerance_[2] = {(absolute), (relative)};                          \
    if (!rh_test_near(#got, (got), (want), (n), near_tolerance_, near_why_)) {           \
      ck_abort_msg("%s", near_why_);                                                     \
    } else {                                                                             \
      mark_point();                                                                      \
    }                                                                                    \
  } while (0)

#define near_number_(text, got, want, absolute, relative)                                \
  do {                                                                                   \
    char near_why_[RH_TEST_WHY_MAX];                                                     \
    const double near_got_ = (got);                                                      \
    const double near_want_ = (want);                                                    \
    const double near_tolerance_[2] = {(absolute), (relative)};                          \
    if (!rh_test_near(text, &near_got_, &near_want_, 1, near_tolerance_, near_why_)) {   \
      ck_abort_msg("%s", near_why_);                                                     \
    } else {                                                                             \
      mark_point();                                                                      \
    }                                                                                    \
  } while (0)

#define near_abs(got, want, tol) near_number_(#got " near " #want, got, want, tol, 0.0)
#define near_rel(got, want, tol) near_number_(#got " near " #want, got, want, 0.0, tol)

#endif
