// unit_measured: parameters from measurements: the least-squares helper against closed forms, and
// `routh law --fit` from outside: truth within the interval, parameters that are not determined, bad files.
#include "math/least_squares.h"
#include "program.h"
#include "world.h"

#include <math.h>

enum { POINTS = 40 };

typedef struct line_data {
  double x[POINTS], y[POINTS];
  int kind; // 0: a + b x; 1: a b x, not determined; 2: exp(a x) + b
} line_data;

static bool line_residual(void *user, const double *p, double *r)
{
  const line_data *d = user;
  for (int i = 0; i < POINTS; i++) {
    double model = d->kind == 0   ? p[0] + p[1] * d->x[i]
                   : d->kind == 1 ? p[0] * p[1] * d->x[i]
                                  : exp(p[0] * d->x[i]) + p[1];
    r[i] = model - d->y[i];
  }
  return true;
}

static rh_fit_out fit_line(line_data *d, double first, double second, const double *hi)
{
  double room[POINTS * 5];
  static const double lo[2] = {-10, -10};
  static const double far[2] = {10, 10};
  rh_fit_in in = {.m = POINTS,
                  .n = 2,
                  .residual = line_residual,
                  .user = d,
                  .lo = lo,
                  .hi = hi ? hi : far,
                  .room = room};
  rh_fit_out out = {.x = {first, second}};
  ck_assert_uint_le(rh_fit_room(POINTS, 2), RH_COUNT(room));
  ck_assert(rh_fit_run(&in, &out));
  return out;
}

// Of a straight line everything is known: parameters, variance, intervals.
START_TEST(line_in_closed_form)
{
  rng r = {31};
  line_data d = {.kind = 0};
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (int i = 0; i < POINTS; i++) {
    d.x[i] = 0.1 * i;
    d.y[i] = 1 + 0.5 * d.x[i] + rng_in(&r, -0.1, 0.1);
    sx += d.x[i];
    sy += d.y[i];
    sxx += d.x[i] * d.x[i];
    sxy += d.x[i] * d.y[i];
  }
  double det = POINTS * sxx - sx * sx;
  double b = (POINTS * sxy - sx * sy) / det;
  double a = (sy - b * sx) / POINTS;
  rh_fit_out out = fit_line(&d, 0, 0, NULL);
  near_rel(out.x[0], a, 1e-8); // slopes are differences, exact for a line but for rounding
  near_rel(out.x[1], b, 1e-8);
  double variance = out.rms * out.rms * POINTS / (POINTS - 2);
  near_rel(out.half[1], rh_fit_student(POINTS - 2) * sqrt(variance * POINTS / det), 1e-6);
  near_rel(out.half[0], rh_fit_student(POINTS - 2) * sqrt(variance * sxx / det), 1e-6);
  near_rel(rh_fit_student(38), 2.0243941639, 1e-4); // printed tables
  near_rel(rh_fit_student(6), 2.4469118511, 2e-3);
  ck_assert(out.converged && out.rank == 2 && out.determined[0] && out.determined[1]);
}

END_TEST

START_TEST(what_is_not_determined)
{
  line_data d = {.kind = 1};
  for (int i = 0; i < POINTS; i++) {
    d.x[i] = 0.1 * i;
    d.y[i] = 2 * d.x[i];
  }
  rh_fit_out out = fit_line(&d, 1, 1, NULL);
  near_rel(out.x[0] * out.x[1], 2, 1e-9);
  ck_assert_int_eq(out.rank, 1);
  ck_assert(!out.determined[0] && !out.determined[1] && isinf(out.half[0]));
  d.kind = 2; // nonlinear, exact: y = exp(0.3 x) - 1
  for (int i = 0; i < POINTS; i++) {
    d.y[i] = exp(0.3 * d.x[i]) - 1;
  }
  out = fit_line(&d, 0.1, 0, NULL);
  near_rel(out.x[0], 0.3, 1e-9);
  near_rel(out.x[1], -1, 1e-9);
  static const double hi[2] = {0.2, 10}; // the best value is out of reach
  out = fit_line(&d, 0.1, 0, hi);
  near_abs(out.x[0], 0.2, 0);
  ck_assert(!out.determined[0] && out.determined[1]);
}

END_TEST

// ---- From outside

#define law_fit(...)                                                                               \
  rh_program_run(NULL, (const char *const[]){"law", __VA_ARGS__, "--speed", "1", NULL})

static void put_loop(const char *path, const rh_normal_law *law, const double *par, rng *r)
{
  char text[20000];
  int used = snprintf(text, sizeof text, "# a loop\ndepth, rate, force\n-1e-3,0.5,0\n");
  for (int i = 1; i < 100; i++) {
    double angle = 3.14159265358979 * i / 100;
    rh_normal_in in = {.depth = 5e-3 * sin(angle), .rate = cos(angle), .radius = 0.05, .par = par};
    rh_normal_out out = {0};
    law->force(&in, &out);
    double force = (out.spring + out.damper) * (1 + 0.02 * (rng_in(r, -1, 1) + rng_in(r, -1, 1)));
    used += snprintf(text + used, sizeof text - (size_t)used, "%.10g,%.10g,%.10g\n", in.depth,
                     in.rate, force);
  }
  rh_file_put(path, text);
}

static double fitted_value(const char *text, const char *name, const char *key)
{
  char mark[64];
  const char *at = strstr(text, "\"fitted\": [");
  ck_assert_ptr_nonnull(at);
  (void)snprintf(mark, sizeof mark, "\"name\": \"%s\"", name);
  at = strstr(at, mark);
  ck_assert_msg(at != NULL, "%s is not fitted", name);
  return rh_json_number_at(at, key);
}

// The interval of 95 % contains the truth nearly always: fewer than 15 of 20 have a chance of 3e-5.
START_TEST(truth_is_in_the_interval)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  rng r = {32};
  int inside[2] = {0};
  rh_folder_enter();
  for (int i = 0; i < 20; i++) {
    double par[RH_PAR_MAX];
    rh_row_defaults(&law->row, par);
    double k = par[0] = pow(10, rng_in(&r, 3, 9));
    double alpha = par[2] = rng_in(&r, 0.1, 0.6);
    put_loop("loop.csv", law, par, &r);
    rh_output ran = law_fit("hunt-crossley", "--fit", "loop.csv", "-s", "n=1", "--json");
    ck_assert_msg(ran.exit_code == 0, "%s", ran.err);
    ck_contains(ran.out, "\"points\": 99");
    ck_contains(ran.out, "\"left_out\": 1");
    inside[0] += fitted_value(ran.out, "k", "low") < k && k < fitted_value(ran.out, "k", "high");
    inside[1] += fitted_value(ran.out, "alpha", "low") < alpha &&
                 alpha < fitted_value(ran.out, "alpha", "high");
    near_rel(fitted_value(ran.out, "k", "value"), k, 0.05);
    rh_output_free(&ran);
  }
  rh_folder_leave();
  ck_assert_msg(inside[0] >= 15 && inside[1] >= 15, "%d, %d of 20", inside[0], inside[1]);
}

END_TEST

START_TEST(doubt_is_reported)
{
  const rh_normal_law *law = rh_normal_law_find("hunt-crossley");
  rng r = {33};
  double par[RH_PAR_MAX];
  rh_row_defaults(&law->row, par);
  rh_folder_enter();
  put_loop("loop.csv", law, par, &r);
  rh_output ran = law_fit("lankarani-nikravesh", "--fit", "loop.csv");
  ck_contains(ran.out, "not determined");
  ck_contains(ran.err, "these points do not determine e: another value");
  rh_output_free(&ran);
  ran = law_fit("power-law", "--fit", "loop.csv");
  ck_assert_msg(ran.exit_code == 0 && strstr(ran.out, "lambda") != NULL, "%s", ran.err);
  rh_output_free(&ran);
  rh_folder_leave();
}

END_TEST

typedef struct bad_file {
  const char *text, *says;
} bad_file;

START_TEST(bad_files_are_refused)
{
  static const bad_file cases[] = {
      {"", "is empty; it begins with the names of its columns"},
      {"depth,rate\n", "bad.csv:1:11: error: there are three columns"},
      {"depth,rate,weight\n", "bad.csv:1:12: error: the columns are depth, rate and force"},
      {"depth,depth,force\n", "bad.csv:1:7: error: the columns are depth, rate and force"},
      {"depth,rate,force\n1,2\n", "bad.csv:2:4: error: a row has three numbers"},
      {"depth,rate,force\n1,2,x\n", "bad.csv:2:5: error: must be a finite number"},
      {"depth,rate,force\n1,nan,3\n", "bad.csv:2:3: error: must be a finite number"},
      {"depth,rate,force\n1,2,1e300\n", "bad.csv:2:5: error: must be a finite number"},
      {"depth,rate,force\n1,2,3,4\n", "bad.csv:2:6: error: a row has three numbers"},
      {"depth,rate,force\n1,2,3\n", "1 points in contact"},
  };
  rh_folder_enter();
  for (int i = 0; i < RH_COUNT(cases); i++) {
    rh_file_put("bad.csv", cases[i].text);
    rh_output ran = law_fit("kelvin-voigt", "--fit", "bad.csv");
    ck_assert_int_eq(ran.exit_code, 3);
    ck_contains(ran.err, cases[i].says);
    rh_output_free(&ran);
  }
  rh_output ran = law_fit("kelvin-voigt", "--fit", "bad.csv", "--e", "0.5");
  ck_assert_int_eq(ran.exit_code, 2);
  rh_output_free(&ran);
  ran = law_fit("mills-nguyen", "--fit", "bad.csv");
  ck_contains(ran.err, "no function of depth and rate");
  rh_output_free(&ran);
  rh_folder_leave();
}

END_TEST

// "may pull" is printed only where the force can be negative.
START_TEST(cut_tension_does_not_pull)
{
  static const char *const laws[] = {"kelvin-voigt", "hunt-crossley", "tsuji", "power-law"};
  for (int i = 0; i < RH_COUNT(laws); i++) {
    rh_output ran = law_fit(laws[i], "-s", "tension=cut");
    ck_assert_ptr_null(strstr(ran.out, "the force may pull"));
    rh_output_free(&ran);
    ran = law_fit(laws[i], "-s", "tension=kept");
    ck_contains(ran.out, "the force may pull");
    rh_output_free(&ran);
  }
}

END_TEST

Suite *rh_suite_unit_measured(void)
{
  Suite *suite = suite_create("unit_measured");
  TCase *tests = tcase_create("measured");
  tcase_add_test(tests, line_in_closed_form);
  tcase_add_test(tests, what_is_not_determined);
  tcase_add_test(tests, truth_is_in_the_interval);
  tcase_add_test(tests, doubt_is_reported);
  tcase_add_test(tests, bad_files_are_refused);
  tcase_add_test(tests, cut_tension_does_not_pull);
  suite_add_tcase(suite, tests);
  return suite;
}
