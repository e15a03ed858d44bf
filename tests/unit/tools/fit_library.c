// unit_fit_library.c: routh/fit.h: a fit by a program: closed forms of a straight line, series in memory against the same numbers in a file,
// progress that ends a fit, a journal that continues it, messages.
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <routh/fit.h>
#include <routh/routh.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A body falls: the place is g t^2/2, linear in g.
static const char fall[] = "bodies: [{name: b, mass: 1}]\n"
                           "joints: [{name: j, kind: prismatic, child: b, axis: [0, 0, 1]}]\n"
                           "world: {gravity: [0, 0, -9]}\nrun: {until: 1}\n";

enum { ROWS = 40 };

#define NOISE 1e-3

typedef struct series {
  double t[ROWS], x[ROWS];
} series;

static series make_series(double gravity, unsigned seed)
{
  series s;
  for (int i = 0; i < ROWS; i++) {
    double error = 0;
    for (int k = 0; k < 12; k++) { // twelve uniform numbers are nearly normal
      seed = seed * 1664525u + 1013904223u;
      error += seed / 4294967296.0 - 0.5;
    }
    s.t[i] = 0.02 * (i + 1);
    s.x[i] = 0.5 * gravity * s.t[i] * s.t[i] + NOISE * error;
  }
  return s;
}

static rh_measured series_of(const series *s, const char *name)
{
  static const char *const channel[] = {"j.q [m]"};
  return (rh_measured){name, ROWS, 1, channel, s->t, s->x};
}

static const rh_fit_options usual = {
    .free = (const char *const[]){"world.gravity[2]"},
    .nfree = 1,
    .noise = (const char *const[]){"j.q=1e-3"},
    .nnoise = 1,
};

static rh_fit *open_fit(rh_diag *diag)
{
  rh_fit *fit = NULL;
  ck_assert_int_eq(rh_fit_create("fall.yaml", fall, diag, &fit), RH_OK);
  return fit;
}

static void add_to(rh_fit *fit, const series *s, const char *name, bool test)
{
  const rh_measured m = series_of(s, name);
  ck_assert_int_eq(rh_fit_add_series(fit, &m, test), RH_OK);
}

// The estimate sum(x t^2/2) / sum(t^4/4), its deviation noise / sqrt(sum(t^4/4)), and a profile that is the parabola of both. Runs have a
// tolerance of 1e-6 of g t^2/2; the prior on the value changes the estimate by 1e-8; ends of profiles are found to 2 %.
START_TEST(straight_line)
{
  const series s = make_series(-9.81, 1);
  rh_diag *diag = rh_diag_create();
  rh_fit *fit = open_fit(diag);
  double sxx = 0;
  double sxy = 0;
  for (int i = 0; i < ROWS; i++) {
    double h = 0.5 * s.t[i] * s.t[i];
    sxx += h * h;
    sxy += h * s.x[i];
  }
  double deviation = NOISE / sqrt(sxx);
  add_to(fit, &s, "fall", false);
  ck_assert_int_eq(rh_fit_get_summary(fit).values, 0);
  ck_assert_int_eq(rh_fit_find(fit, &usual, diag), RH_OK);
  rh_fit_summary all = rh_fit_get_summary(fit);
  rh_fitted g = rh_fit_get_value(fit, 0);
  ck_assert_int_eq(all.values, 1);
  ck_assert_int_eq(all.residuals, ROWS);
  ck_assert_int_eq(all.freedom, ROWS - 1);
  ck_assert(all.adequate && all.converged && all.noise_given);
  ck_assert_str_eq(g.name, "world.gravity[2]");
  ck_assert_int_eq(g.verdict, RH_FIT_DETERMINED);
  near_rel(g.start, -9, 0);
  near_rel(g.value, sxy / sxx, 1e-6);
  near_rel(g.deviation, deviation, 1e-5);
  near_rel(rh_fit_get_covariance(fit, 0, 0), deviation * deviation, 1e-5);
  near_rel(rh_fit_get_correlation(fit, 0, 0), 1, 1e-15);
  near_rel(g.high - g.low, 2 * 1.959963984540054 * deviation, 0.02);
  ck_assert(g.profiled && g.points >= 3);
  for (int i = 0; i < g.points; i++) {
    double off = (g.at[i] - g.value) / (1.959963984540054 * deviation);
    near_abs(g.rise[i], off * off, 1e-4);
    ck_assert(i == 0 || g.at[i] > g.at[i - 1]);
  }
  int counted = 0;
  for (int i = 0; i < all.phases; i++) {
    counted += rh_fit_get_phase(fit, i).residuals;
  }
  ck_assert_int_eq(counted, ROWS);
  near_rel(rh_fit_get_phase(fit, 0).excess * ROWS, all.sum, 1e-6);
  ck_assert_int_eq(all.channels, 1);
  ck_assert_str_eq(rh_fit_get_channel(fit, 0).name, "j.q");
  near_rel(rh_fit_get_channel(fit, 0).noise, NOISE, 0);
  ck_assert(rh_fit_get_channel(fit, 0).given);
  rh_fit_destroy(fit);
  rh_diag_destroy(diag);
}

END_TEST

static void write_table(const char *name, const series *s)
{
  FILE *to = fopen(name, "w");
  ck_assert_ptr_nonnull(to);
  (void)fprintf(to, "t,j.q [m]\n");
  for (int i = 0; i < ROWS; i++) {
    (void)fprintf(to, "%.17g,%.17g\n", s->t[i], s->x[i]);
  }
  ck_assert_int_eq(fclose(to), 0);
}

static void same_result(const rh_fit *a, const rh_fit *b)
{
  rh_fit_summary x = rh_fit_get_summary(a);
  rh_fit_summary y = rh_fit_get_summary(b);
  rh_fitted v = rh_fit_get_value(a, 0);
  rh_fitted w = rh_fit_get_value(b, 0);
  const double one[] = {x.sum, x.excess, x.fold_excess, x.test_excess, v.value, v.low, v.high};
  const double two[] = {y.sum, y.excess, y.fold_excess, y.test_excess, w.value, w.low, w.high};
  ck_assert_int_eq(x.evaluations, y.evaluations);
  ck_assert_int_eq(x.trials, y.trials);
  ck_assert_int_eq(memcmp(one, two, sizeof one), 0);
}

// Three trials and one of a test: from memory, and from files with all 17 digits. Any number of threads.
START_TEST(memory_is_a_file)
{
  char folder[] = "/tmp/routh-fit-XXXXXX";
  char name[4][64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  rh_diag *diag = rh_diag_create();
  rh_fit *a = open_fit(diag);
  rh_fit *b = open_fit(diag);
  rh_fit_options options = usual;
  for (int i = 0; i < 4; i++) {
    const series s = make_series(-9.81, 2 + (unsigned)i);
    (void)snprintf(name[i], sizeof name[i], "%s/%d.csv", folder, i);
    write_table(name[i], &s);
    add_to(a, &s, name[i], i == 3);
    ck_assert_int_eq(rh_fit_add_file(b, name[i], i == 3), RH_OK);
  }
  options.folds = 3;
  ck_assert_int_eq(rh_fit_find(a, &options, diag), RH_OK);
  options.threads = 2;
  ck_assert_int_eq(rh_fit_find(b, &options, diag), RH_OK);
  ck_assert_int_eq(rh_fit_get_summary(a).trials, 3);
  ck_assert_int_eq(rh_fit_get_summary(a).test_trials, 1);
  same_result(a, b);
  rh_fit_destroy(a);
  rh_fit_destroy(b);
  rh_diag_destroy(diag);
  for (int i = 0; i < 4; i++) {
    (void)unlink(name[i]);
  }
  (void)rmdir(folder);
}

END_TEST

typedef struct teller {
  int calls, most;
} teller;

static bool tell(void *user, int done, int of, const char *next)
{
  teller *t = user;
  ck_assert(done >= 0 && done < of && next[0] != '\0');
  return ++t->calls < t->most;
}

// The second call ends it; from its journal it ends with the bits of a fit that was never interrupted. The journal is the fit's
// alone: another scene is refused.
START_TEST(ends_and_continues)
{
  char journal[] = "/tmp/routh-fit-XXXXXX";
  int file = mkstemp(journal);
  ck_assert_int_ge(file, 0);
  (void)close(file);
  (void)unlink(journal);
  rh_diag *diag = rh_diag_create();
  rh_fit *whole = open_fit(diag);
  rh_fit *parts = open_fit(diag);
  rh_fit_options options = usual;
  for (int i = 0; i < 3; i++) {
    const series s = make_series(-9.81, 6 + (unsigned)i);
    add_to(whole, &s, "one", false);
    add_to(parts, &s, "one", false);
  }
  teller all = {0, 1000};
  teller few = {0, 2};
  options.folds = 3;
  options.progress = tell;
  options.user = &all;
  ck_assert_int_eq(rh_fit_find(whole, &options, diag), RH_OK);
  ck_assert_int_eq(all.calls, 1 + 2 + 3); // the search, two sides of the profile, three parts
  options.user = &few;
  options.journal = journal;
  ck_assert_int_eq(rh_fit_find(parts, &options, diag), RH_INTERRUPTED);
  ck_assert_int_eq(rh_fit_get_summary(parts).values, 0);
  all.calls = 0;
  options.user = &all;
  ck_assert_int_eq(rh_fit_find(parts, &options, diag), RH_OK);
  same_result(whole, parts);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 0);
  options.set = (const char *const[]){"b.mass=2"};
  options.nset = 1;
  ck_assert_int_eq(rh_fit_find(parts, &options, diag), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "is of another fit"));
  rh_fit_destroy(whole);
  rh_fit_destroy(parts);
  rh_diag_destroy(diag);
  (void)unlink(journal);
}

END_TEST

static void check_refused(rh_fit *fit, const rh_fit_options *options, rh_status want,
                          const char *why)
{
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_fit_find(fit, options, diag), want);
  ck_assert_int_ge(rh_diag_count(diag, RH_ERROR), 1);
  rh_message message = rh_diag_get(diag, 0);
  ck_assert_msg(strstr(message.text, why) != NULL, "'%s' is not in '%s'", why, message.text);
  ck_assert_int_eq(rh_fit_get_summary(fit).values, 0);
  rh_diag_destroy(diag);
  ck_assert_int_eq(rh_fit_find(fit, options, NULL), want); // the messages are dropped
}

// What is wrong is in the diagnostics, and the fit can be made again.
START_TEST(refusals)
{
  series s = make_series(-9.81, 1);
  rh_diag *diag = rh_diag_create();
  rh_fit *fit = open_fit(diag);
  check_refused(fit, &usual, RH_WRONG_USAGE, "--data");
  add_to(fit, &s, "fall", false);
  rh_fit_options options = usual;
  options.free = (const char *const[]){"b.mas"};
  check_refused(fit, &options, RH_INPUT_REFUSED, "there is no value 'mas'");
  options = usual;
  options.folds = 3;
  check_refused(fit, &options, RH_WRONG_USAGE, "1 trial cannot be left out");
  options.folds = 1;
  check_refused(fit, &options, RH_WRONG_USAGE, "--folds needs a number >= 2");
  options = usual;
  options.window = 0.1;
  check_refused(fit, &options, RH_WRONG_USAGE, "--window needs --start");
  options.window = (double)NAN;
  check_refused(fit, &options, RH_WRONG_USAGE, "a time >= 0");
  options = usual;
  options.noise = (const char *const[]){"j.qq=1"};
  check_refused(fit, &options, RH_WRONG_USAGE, "no column of the data is called 'j.qq'");
  ck_assert_int_eq(rh_fit_find(fit, &usual, diag), RH_OK);
  rh_fit_destroy(fit);
  static const char *const why[] = {"row 4: the times of a trial must rise",
                                    "row 4: a number must be finite", "row 4: the time is not"};
  for (int i = 0; i < RH_COUNT(why); i++) {
    s = make_series(-9.81, 1);
    *(i == 0 ? &s.t[3] : i == 1 ? &s.x[3] : &s.t[3]) = i == 0 ? s.t[2] : (double)INFINITY;
    fit = open_fit(diag);
    add_to(fit, &s, "fall", false);
    check_refused(fit, &usual, RH_INPUT_REFUSED, why[i]);
    rh_fit_destroy(fit);
  }
  rh_diag_destroy(diag);
}

END_TEST

static rh_fit *fit_file(const char *name, const rh_fit_options *options)
{
  char scene[300];
  char data[300];
  rh_fit *fit = NULL;
  rh_diag *diag = rh_diag_create();
  (void)snprintf(scene, sizeof scene, "%s/tests/data/fit/%s.yaml", ROUTH_SOURCE_DIR, name);
  (void)snprintf(data, sizeof data, "%s/tests/data/fit/%s.csv", ROUTH_SOURCE_DIR, name);
  ck_assert_int_eq(rh_fit_create(scene, NULL, diag, &fit), RH_OK);
  ck_assert_int_eq(rh_fit_add_file(fit, data, false), RH_OK);
  rh_status status = rh_fit_find(fit, options, diag);
  ck_assert_msg(status == RH_OK, "%s", status == RH_OK ? "" : rh_diag_get(diag, 0).text);
  rh_diag_destroy(diag);
  return fit;
}

// One flight of a box: its gravity and centre of mass (tests/data/fit/toss.yaml), printed to 17 digits.
START_TEST(flights)
{
  const rh_fit_options options = {.start = RH_FIT_START_DATA, .quick = true};
  rh_fit *fit = fit_file("toss", &options);
  ck_assert_int_eq(rh_fit_get_summary(fit).joints, 1);
  ck_assert_int_eq(rh_fit_get_summary(fit).changes, 0);
  const rh_fit_flights *f = rh_fit_get_flights(fit, 0);
  ck_assert_int_eq(f->flights, 1);
  near_abs(f->gravity[2], -9.7, 1e-6);
  near_abs(f->com[0], 0.001, 1e-8);
  near_abs(f->com[1], -0.002, 1e-8);
  near_abs(f->com[2], 0.005, 1e-8);
  ck_assert_int_eq(rh_fit_get_impacts(fit, 0)->impacts, 0);
  ck_assert_int_eq(rh_fit_get_slides(fit, 0)->windows, 0);
  ck_assert(!rh_fit_phases_start(fit));
  rh_fit_error error = rh_fit_get_error(fit, RH_FIT_SET_DATA, 0);
  ck_assert_str_eq(error.joint, "j");
  ck_assert(error.place < 1e-9);
  ck_assert(rh_fit_get_error(fit, RH_FIT_SET_TEST, 0).place == 0);
  ck_assert(rh_fit_get_error(fit, RH_FIT_SET_AFTER, 0).place == 0);
  ck_assert_ptr_null(rh_fit_get_choice(fit).scene);
  rh_fit_destroy(fit);
}

END_TEST

// Impacts of a ball and what `suggest` chooses for it: e 0.7 and mu 0.2 made the data, which are rounded to 1e-4.
START_TEST(impacts_and_suggestions)
{
  const rh_fit_options options = {.start = RH_FIT_START_DATA, .suggest = 1};
  rh_fit *fit = fit_file("drop", &options);
  rh_fit_summary all = rh_fit_get_summary(fit);
  const rh_fit_impacts *impacts = rh_fit_get_impacts(fit, 0);
  ck_assert_int_ge(impacts->impacts, 3);
  ck_assert_int_eq(impacts->njumps, 1);
  const rh_fit_jumps *jumps = &impacts->jumps[0];
  ck_assert_str_eq(jumps->name, "floor");
  ck_assert_int_eq(jumps->count[RH_FIT_SLIDES] + jumps->count[RH_FIT_STICKS], impacts->impacts);
  ck_assert(jumps->ratio.low < 0.2001 && jumps->ratio.high > 0.1999 && jumps->ratio.determined);
  near_abs(jumps->bounce.x, 0.7, 1e-3);
  ck_assert(jumps->bounce.low < 0.7 && jumps->bounce.high > 0.7 && jumps->bounce.determined);
  rh_fit_choice choice = rh_fit_get_choice(fit);
  ck_assert(choice.noise && choice.scene != NULL && strstr(choice.scene, "contacts:") != NULL);
  ck_assert_int_eq(choice.frees, 2);
  ck_assert_str_eq(rh_fit_get_choice_free(fit, 0), "contacts.0.e=0.001:0.99");
  ck_assert_int_eq(choice.sets, 3);
  ck_assert(strncmp(rh_fit_get_choice_set(fit, 0), "contacts.0.e=0.69", 17) == 0 ||
            strncmp(rh_fit_get_choice_set(fit, 0), "contacts.0.e=0.70", 17) == 0);
  ck_assert(all.changes >= 3);
  int fitted = 0;
  for (int i = 0; i < all.changes; i++) {
    rh_fit_suggestion s = rh_fit_get_suggestion(fit, i);
    rh_fit_error error = rh_fit_get_suggestion_error(fit, i, 0);
    ck_assert(s.name[0] != '\0' && s.sets + s.frees > 0);
    ck_assert(s.taken == 0 || s.fitted);
    ck_assert(s.refused == isnan(s.step));
    ck_assert(s.fitted ? fabs(s.gain - (1 - s.excess / choice.before)) < 1e-15 && error.place > 0
                       : isnan(s.gain) && error.place == 0);
    for (int k = 0; k < s.sets; k++) {
      ck_assert_ptr_nonnull(strchr(rh_fit_get_suggestion_set(fit, i, k), '='));
    }
    for (int k = 0; k < s.frees; k++) {
      ck_assert_ptr_nonnull(strchr(rh_fit_get_suggestion_free(fit, i, k), ':'));
    }
    fitted += s.fitted;
  }
  ck_assert_int_eq(fitted, 0); // the scene is right: no change of it takes off what is asked for
  near_rel(rh_fit_get_error(fit, RH_FIT_SET_BEFORE, 0).place,
           rh_fit_get_error(fit, RH_FIT_SET_AFTER, 0).place, choice.taken > 0 ? 1 : 0);
  ck_assert(rh_fit_get_error(fit, RH_FIT_SET_AFTER, 0).place < 1e-4); // [m] as the data are rounded
  rh_fit_destroy(fit);
}

END_TEST

// With the friction of contacts held at 0.3 that of impacts is what is missing.
START_TEST(change_that_is_fitted)
{
  static const char *const free[] = {"floor.e=0.1:1"};
  const rh_fit_options options = {
      .start = RH_FIT_START_DATA, .suggest = 1, .free = free, .nfree = 1};
  rh_fit *fit = fit_file("drop", &options);
  rh_fit_choice choice = rh_fit_get_choice(fit);
  int taken = 0;
  ck_assert_int_eq(choice.taken, 1);
  for (int i = 0; i < rh_fit_get_summary(fit).changes; i++) {
    rh_fit_suggestion s = rh_fit_get_suggestion(fit, i);
    rh_fit_error error = rh_fit_get_suggestion_error(fit, i, 0);
    ck_assert(s.taken == 0 || s.fitted);
    ck_assert(s.fitted ? fabs(s.gain - (1 - s.excess / choice.before)) < 1e-15 && error.place > 0
                       : isnan(s.gain) && error.place == 0);
    taken += s.taken == 1;
  }
  ck_assert_int_eq(taken, 1);
  rh_fit_destroy(fit);
}

END_TEST

static void *fit_alone(void *user)
{
  const series *s = user;
  rh_fit *fit = open_fit(NULL);
  add_to(fit, s, "fall", false);
  ck_assert_int_eq(rh_fit_find(fit, &usual, NULL), RH_OK);
  return fit;
}

// Two fits at the same time know nothing of each other.
START_TEST(two_threads)
{
  series s[2] = {make_series(-9.81, 1), make_series(-3.7, 2)};
  pthread_t thread[2];
  void *fit[2];
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(pthread_create(&thread[i], NULL, fit_alone, &s[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(pthread_join(thread[i], &fit[i]), 0);
    rh_fit *alone = fit_alone(&s[i]);
    same_result(fit[i], alone);
    rh_fit_destroy(alone);
    rh_fit_destroy(fit[i]);
  }
}

END_TEST

Suite *rh_suite_unit_fit_library(void)
{
  Suite *suite = suite_create("unit_fit_library");
  TCase *tests = tcase_create("fit_library");
  tcase_add_test(tests, straight_line);
  tcase_add_test(tests, memory_is_a_file);
  tcase_add_test(tests, ends_and_continues);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, flights);
  tcase_add_test(tests, impacts_and_suggestions);
  tcase_add_test(tests, change_that_is_fitted);
  tcase_add_test(tests, two_threads);
  suite_add_tcase(suite, tests);
  return suite;
}
