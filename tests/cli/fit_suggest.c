// The verb fit --suggest: what a scene lacks is found by the data alone, judged on trials left out; values that are tied; starts of single joints.
#include "program.h"

#include <math.h>
#include <routh/routh.h>

#define DROP ROUTH_SOURCE_DIR "/tests/data/fit/drop"

// Place of a change, the name of which begins so, among those taken over; 0: none was.
static int place_of(const char *text, const char *change)
{
  char name[120];
  int place = 0;
  (void)snprintf(name, sizeof name, "\"change\": \"%s", change);
  for (const char *at = strstr(text, name); at != NULL && place == 0; at = strstr(at + 1, name)) {
    place = (int)rh_json_number_at(at, "taken");
  }
  return place;
}

// Without a word on noise, windows or values: restitution and friction are those that made the data (0.7 and 0.2; printed to 1e-4,
// which leaves 1 % of an impulse), and nothing else is taken over that gives another motion.
START_TEST(needs_no_settings)
{
  rh_folder_enter();
  rh_output output = routh("fit", DROP ".yaml", "--data", DROP ".csv", "--start", "data",
                           "--suggest", "3", "--write-scene", "found.yaml", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  near_abs(rh_json_named_number(output.out, "contacts.0.e", "value"), 0.7, 0.007);
  near_abs(rh_json_named_number(output.out, "contacts.0.mu_s+contacts.0.mu_k", "value"), 0.2,
           0.002);
  ck_contains(output.out, "\"chosen\": {");
  double after = rh_json_number_at(strstr(output.out, "\"fit\": {"), "place");
  rh_output_free(&output);
  // The scene that was written is the one found.
  output = routh("fit", "found.yaml", "--data", DROP ".csv", "--start", "data", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  double again = rh_json_number_at(strstr(output.out, "\"fit\": {"), "place");
  near_abs(again, after, 1e-9);
  ck_assert(again < 1e-4); // [m] the data are rounded to that
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// With the friction of contacts held at 0.3 that of impacts is what is missing. The command that is printed has all that was chosen.
START_TEST(finds_friction_of_impacts)
{
  rh_folder_enter();
  rh_output output = routh("fit", DROP ".yaml", "--data", DROP ".csv", "--start", "data", "--free",
                           "floor.e=0.1:1", "--suggest", "1");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  const char *line = strstr(output.out, "friction of impacts (contact 0)");
  ck_assert(line != NULL);
  const char *taken = strstr(line, "taken over, number 1");
  ck_assert(taken != NULL && memchr(line, '\n', (size_t)(taken - line)) == NULL);
  const char *by_hand = strstr(output.out, "the same by hand:");
  ck_assert(by_hand != NULL);
  ck_contains(by_hand, "--noise 'j.x=");
  ck_contains(by_hand, "-s 'contacts.0.mu_impact=[");
  ck_contains(by_hand, "--free 'floor.e=0.1:1,contacts.0.mu_impact[0]=");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A plain box, and tosses of one whose centre of mass is off its middle, with other friction in impacts than in sliding, under another
// gravity and with other lengths than the scene has: as of a tracker that measures 2 % short.
static const char plain[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "bodies: [{name: b, mass: 0.4, inertia: [8e-4, 8e-4, 8e-4, 0, 0, 0]}]\n"
    "joints: [{name: j, kind: free, child: b, q: [0, 0, 1, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: b, kind: box, size: [0.1, 0.1, 0.1]}]\n"
    "contacts: [{body: b, against: world, law: stronge, e: 0.15, friction: dry, mu_s: 0.2, mu_k: "
    "0.2}]\n"
    "run: {until: 0.55}\n"
    "record: {every: 0.0067}\n";

enum { TOSSES = 24 };

// Writes toss N.rhr for each and the list of them.
static void toss_boxes(int n, char *list, size_t size)
{
  unsigned long long seed = 12345;
  size_t at = 0;
  rh_file_put("plain.yaml", plain);
  for (int i = 0; i < n; i++) {
    char q[200];
    char v[200];
    char name[32];
    double u[9];
    for (int k = 0; k < 9; k++) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      u[k] = 2 * ((double)(seed >> 11) / 9007199254740992.0) - 1;
    }
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + 0.01);
    (void)snprintf(q, sizeof q, "j.q=[0, 0, %.6f, %.9f, %.9f, %.9f, %.9f]", 0.2 + 0.03 * u[3],
                   0.1 / length, u[0] / length, u[1] / length, u[2] / length);
    (void)snprintf(v, sizeof v, "j.v=[%.6f, %.6f, 0, %.6f, %.6f, %.6f]", 1 + 0.3 * u[4], 0.3 * u[5],
                   6 * u[6], 6 * u[7], 6 * u[8]);
    (void)snprintf(name, sizeof name, "t%d.rhr", i);
    rh_output output = routh(
        "run", "plain.yaml", "-s", q, "-s", v, "-s", "world.gravity=[0, 0, -9.6138]", "-s",
        "shapes.1.size=[0.098, 0.098, 0.098]", "-s", "shapes.1.round=0.004", "-s",
        "b.com=[0, 0.001, 0.005]", "-s", "contacts.0.mu_impact=[0.15]", "-s", "contacts.0.e=0.3",
        "-s", "contacts.0.mu_s=0.25", "-s", "contacts.0.mu_k=0.25", "-o", name, "-q");
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    rh_output_free(&output);
    at += (size_t)snprintf(list + at, size - at, i > 0 ? ",%s" : "%s", name);
  }
}

// What the flights contradict is mended by them: gravity with the lengths of the tracker, and the centre of mass. Of a right scene
// the flights say it to the rounding of the recording, 1e-6 of 0.1 m.
START_TEST(mends_what_flights_contradict)
{
  char list[TOSSES * 10];
  rh_folder_enter();
  toss_boxes(4, list, sizeof list);
  rh_output output = routh("fit", "plain.yaml", "--data", list, "--channels", "j.x,j.y,j.z,j.q*",
                           "--start", "data", "--suggest", "2", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(place_of(output.out, "lengths of the measurements") == 1 ||
            place_of(output.out, "gravity as the flights say") == 1);
  ck_assert(place_of(output.out, "centre of mass of b") == 2);
  const char *flights = strstr(output.out, "\"flights\": [");
  double x[3];
  ck_assert(flights != NULL);
  ck_assert_int_eq(
      sscanf(strstr(flights, "\"com\": ["), "\"com\": [%lf, %lf, %lf]", &x[0], &x[1], &x[2]), 3);
  near_abs(x[1], 0.001, 1e-5);
  near_abs(x[2], 0.005, 1e-5);
  ck_contains(output.out, "world.gravity=[0, 0, -9.6138");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// All of it is found by the data alone, inertia and edges by the impacts alone (a long check). The scene has three quarters of the inertia.
START_TEST(finds_structure)
{
  char list[TOSSES * 10];
  if (getenv("ROUTH_TEST_LONG") == NULL) {
    return;
  }
  rh_folder_enter();
  toss_boxes(TOSSES, list, sizeof list);
  rh_output output =
      routh("fit", "plain.yaml", "-s", "b.inertia=[6e-4, 6e-4, 6e-4, 0, 0, 0]", "--data", list,
            "--channels", "j.x,j.y,j.z,j.q*", "--start", "data", "--suggest", "8", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(place_of(output.out, "lengths of the measurements") > 0);
  ck_assert(place_of(output.out, "centre of mass of b as its flights say") > 0);
  ck_assert(place_of(output.out, "b as its impacts say") > 0);
  ck_assert(place_of(output.out, "friction of impacts") > 0);
  const char *by_balance = strstr(output.out, "\"bodies.b.inertia=[");
  double I[3];
  ck_assert(by_balance != NULL);
  ck_assert_int_eq(sscanf(by_balance, "\"bodies.b.inertia=[%lf, %lf, %lf", &I[0], &I[1], &I[2]), 3);
  for (int i = 0; i < 3; i++) {
    near_abs(I[i], 8e-4, 0.4e-4);
  }
  near_abs(rh_json_named_number(output.out, "contacts.0.mu_impact[0]", "value"), 0.15, 0.02);
  near_abs(rh_json_named_number(output.out, "contacts.0.e", "value"), 0.3, 0.04);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Two numbers that are one: their ratio is that of the scene; numbers of a list as well. Both friction coefficients together are the 0.2 that
// made the data; the size of the ball is that of the scene (0.05 m; the rounding of the data leaves 1e-4 m).
START_TEST(ties_values)
{
  rh_folder_enter();
  rh_output output = routh("fit", DROP ".yaml", "--data", DROP ".csv", "--start", "data", "--free",
                           "floor.mu_s+floor.mu_k=0.05:0.9,floor.e=0.2:0.9", "--noise", "j.*=1e-4",
                           "--quick", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  near_abs(rh_json_named_number(output.out, "floor.mu_s+floor.mu_k", "value"), 0.2, 0.002);
  rh_output_free(&output);
  output = routh("fit", DROP ".yaml", "-s", "shapes.1.at=[0.01, 0, 0.02]", "--data", DROP ".csv",
                 "--start", "data", "--free", "shapes.1.at[*]=0.001:0.1", "--noise", "j.*=1e-4",
                 "--quick", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  static const char *const bad[] = {"floor.mu_s+", "floor.mu_s+floor.mu_k+floor.e",
                                    "floor.mu_s+b[0]", "floor.mu_s+floor.law"};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    output = routh("fit", DROP ".yaml", "--data", DROP ".csv", "--start", "data", "--free", bad[i]);
    ck_assert_msg(output.exit_code == 2 || output.exit_code == 3, "%s was taken", bad[i]);
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

// Two oscillators: the first begins as measured, the other as the scene does.
START_TEST(starts_joint_by_joint)
{
  static const char scene[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: a, mass: 2}, {name: b, mass: 2}]\n"
      "joints:\n"
      "  - {name: p, kind: prismatic, child: a, axis: [1, 0, 0], q: [0.1], spring: [50]}\n"
      "  - {name: r, kind: prismatic, child: b, axis: [1, 0, 0], q: [0.2], spring: [80]}\n"
      "run: {until: 1}\n"
      "record: {every: 0.02}\n";
  rh_folder_enter();
  rh_file_put("two.yaml", scene);
  rh_output output = routh("run", "two.yaml", "-s", "p.q=[0.15]", "-o", "a.rhr", "-q");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);

  static const struct {
    const char *start;
    int adequate; // of the run with the truth
  } row[] = {{"p=data", 1}, {"a=data", 1}, {"data,r=scene", 1}, {"r=data", 0}, {"scene,p=fit", 1}};

  for (int i = 0; i < RH_COUNT(row); i++) {
    output = routh("fit", "two.yaml", "--data", "a.rhr", "--channels", "p.*,r.*", "--start",
                   row[i].start, "--noise", "*=1e-4", "--json");
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    ck_assert_msg((strstr(output.out, "\"adequate\": true") != NULL) == row[i].adequate, "%s",
                  row[i].start);
    rh_output_free(&output);
  }
  output = routh("fit", "two.yaml", "--data", "a.rhr", "--start", "x=data");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "no such joint or body");
  rh_output_free(&output);
  output = routh("fit", "two.yaml", "--data", "a.rhr", "--start", "p=there");
  ck_assert_int_eq(output.exit_code, 2);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_suggest(void)
{
  Suite *suite = suite_create("cli_fit_suggest");
  TCase *tests = tcase_create("suggest");
  tcase_add_test(tests, needs_no_settings);
  tcase_add_test(tests, finds_friction_of_impacts);
  tcase_add_test(tests, mends_what_flights_contradict);
  tcase_add_test(tests, finds_structure);
  tcase_add_test(tests, ties_values);
  tcase_add_test(tests, starts_joint_by_joint);
  suite_add_tcase(suite, tests);
  return suite;
}
