// routh fit: where trials are cut: flights by the geometry of the measured poses, under any engine, also where an impact lies between two rows.
#include "program.h"

#include <math.h>
#include <routh/routh.h>
#include <stdlib.h>
#include <string.h>

#define G       9.81
#define HEIGHT  0.5
#define BOUNCE  0.7
#define STEP    0.01 // [s] between rows
#define CLEAR   2e-3 // [m] twice the margin of a flight
#define IMPACTS 3
#define END     1.25 // [s] before the fourth impact

static const char ball[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "bodies: [{name: b, mass: 0.1}]\n"
    "joints: [{name: j, kind: prismatic, child: b, axis: [0, 0, 1], q: [0.55]}]\n"
    "shapes: [{body: world, kind: plane}, {body: b, kind: sphere, radius: 0.05}]\n"
    "contacts: [{name: floor, body: b, against: world, law: stronge, e: 0.7}]\n"
    "run: {until: 1.3}\n";

// Height of a ball that was released at time 0, by its parabolas
static double height_at(double t)
{
  double begin = -sqrt(2 * HEIGHT / G);
  double v = -begin * G;
  double all = 2 * v / G;
  while (t - begin > all) {
    begin += all;
    v *= BOUNCE;
    all = 2 * v / G;
  }
  return v * (t - begin) - 0.5 * G * (t - begin) * (t - begin);
}

// Rows from time `begin` on; false: one of them is so near the ground that it is not between two flights.
static bool write_rows(double begin)
{
  FILE *to = fopen("ball.csv", "w");
  bool clear = true;
  ck_assert_ptr_nonnull(to);
  (void)fputs("t,j.q [m]\n", to);
  for (double t = begin; t < END; t += STEP) {
    clear = clear && height_at(t) > CLEAR;
    (void)fprintf(to, "%.17g,%.17g\n", t, 0.05 + height_at(t));
  }
  ck_assert_int_eq(fclose(to), 0);
  return clear;
}

// Rows at several times before and after the impacts, all of them in the air: a window for each flight.
START_TEST(impacts_between_rows)
{
  static const char *const engine[] = {"run.engine=event", "run.engine=stepping"};
  int seen = 0;
  rh_folder_enter();
  rh_file_put("ball.yaml", ball);
  for (int i = 0; i < 8; i++) {
    if (!write_rows(STEP * i / 8)) {
      continue;
    }
    for (int k = 0; k < RH_COUNT(engine); k++) {
      rh_output output = routh("fit", "ball.yaml", "--data", "ball.csv", "--start", "data", "-s",
                               engine[k], "--window", "contacts", "--quick", "--json");
      ck_assert_msg(output.exit_code == 0, "%s", output.err);
      ck_assert_int_eq((int)rh_json_number_at(output.out, "trials"), IMPACTS + 1);
      rh_output_free(&output);
    }
    seen++;
  }
  ck_assert_int_ge(seen, 3);
  rh_folder_leave();
}

END_TEST

// A box that is thrown and lands: what its flights say is that of the scene that made the rows, and has the same bits under every engine.
START_TEST(flights_under_any_engine)
{
  char *said = NULL;
  static const char *const engine[] = {"run.engine=event", "run.engine=stepping"};
  rh_folder_enter();
  rh_output output = routh("run", ROUTH_SOURCE_DIR "/tests/data/fit/toss.yaml", "-s",
                           "run.until=0.8", "-s", "record.every=0.005", "-o", "toss.rhr", "-q");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  for (int k = 0; k < RH_COUNT(engine); k++) {
    output = routh("fit", ROUTH_SOURCE_DIR "/tests/data/fit/toss.yaml", "--data", "toss.rhr",
                   "--start", "data", "-s", engine[k], "--quick", "--json");
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    char *flights = strstr(output.out, "\"flights\": [");
    char *end = strstr(flights, "\"fit\": {");
    *end = '\0';
    ck_contains(flights, "\"flights\": 2");
    double g[3];
    ck_assert_int_eq(sscanf(strstr(flights, "\"gravity\": ["), "\"gravity\": [%lf, %lf, %lf]",
                            &g[0], &g[1], &g[2]),
                     3);
    near_abs(g[2], -9.7, 1e-6); // integrated to 1e-8
    if (said == NULL) {
      said = strdup(flights);
    } else {
      ck_assert_str_eq(flights, said);
    }
    rh_output_free(&output);
  }
  free(said);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_windows(void)
{
  Suite *suite = suite_create("cli_fit_windows");
  TCase *tests = tcase_create("fit_windows");
  tcase_add_test(tests, impacts_between_rows);
  tcase_add_test(tests, flights_under_any_engine);
  suite_add_tcase(suite, tests);
  return suite;
}
