// routh fit: data that are no tables of one's own: recordings, which stand for the table that `routh export` makes of them, chosen
// channels, thinned rows; a journal that knows all files of its scene.
#include "program.h"

#include <math.h>
#include <routh/routh.h>
#include <string.h>

#define FOLDER      ROUTH_SOURCE_DIR "/tests/data/fit/"
#define TRUE_VALUES "-s", "s.spring=[50]", "-s", "s.damper=[0.8]"
#define VALUES      "--free", "s.spring[0],s.damper[0]", "--quick", "--json"

static void record_swing(const char *name, const char *start, const char *every)
{
  rh_output output = routh("run", FOLDER "oscillator.yaml", TRUE_VALUES, "-s", start, "--every",
                           every, "--until", "0.5", "-q", "-o", name);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

static char *answer_of(rh_output output)
{
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  char *answer = strdup(output.out);
  ck_assert_ptr_nonnull(answer);
  rh_output_free(&output);
  return answer;
}

static void same_and_free(char *a, char *b)
{
  ck_assert_str_eq(a, b);
  free(a);
  free(b);
}

// A recording gives the coordinates and velocities of its joints; the table that is exported from it reads back as the same bits.
START_TEST(recording_is_its_table)
{
  rh_folder_enter();
  record_swing("a.rhr", "s.q=[0.1]", "0.01");
  rh_output output = routh("export", "a.rhr", "-o", "a.csv");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  char *a = answer_of(routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", VALUES));
  ck_contains(a, "\"residuals\": 102");
  near_rel(rh_json_number_at(strstr(a, "\"s.spring[0]\""), "value"), 50, 1e-9);
  char *b = answer_of(
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.csv", "--channels", "s.*", VALUES));
  same_and_free(a, b);
  // What is named counts: another group, another name.
  a = answer_of(routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--channels",
                      "b.px,energy.kinetic", VALUES));
  b = answer_of(routh("fit", FOLDER "oscillator.yaml", "--data", "a.csv", "--channels",
                      "b.px,energy.kinetic", VALUES));
  same_and_free(a, b);
  a = answer_of(routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--rename",
                      "b.px=s.q,s.q=-,s.v=-", VALUES));
  ck_contains(a, "\"residuals\": 51");
  near_rel(rh_json_number_at(strstr(a, "\"s.spring[0]\""), "value"), 50, 1e-9);
  free(a);
  rh_folder_leave();
}

END_TEST

// Tables and recordings are trials of one fit; the first of them says which channels there are.
START_TEST(mixed)
{
  rh_folder_enter();
  record_swing("a.rhr", "s.q=[0.1]", "0.02");
  record_swing("b.rhr", "s.q=[0.05]", "0.01");
  rh_output output = routh("export", "a.rhr", "--channels", "s.q", "-o", "a.csv");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  char *a = answer_of(
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.csv,b.rhr", "--start", "data", VALUES));
  ck_contains(a, "\"trials\": 2");
  ck_contains(a, "\"residuals\": 75"); // 26 and 51 rows of s.q less the two that are the starts
  free(a);
  output = routh("fit", FOLDER "oscillator.yaml", "--data", "b.rhr,a.csv", "--channels", "s.v",
                 VALUES); // a.csv has none of what counts: its rows are all missing
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "\"residuals\": 51");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// --every 0.05 of rows 0.01 apart is every fifth row, though 5 x 0.01 is not 0.05 in binary.
START_TEST(thinned)
{
  rh_folder_enter();
  record_swing("a.rhr", "s.q=[0.1]", "0.01");
  record_swing("b.rhr", "s.q=[0.1]", "0.05");
  rh_output output = routh("export", "a.rhr", "--channels", "s.q,s.v", "-o", "a.csv");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  char *a = answer_of(
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--every", "50 ms", VALUES));
  char *b = answer_of(
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.csv", "--every", "0.05", VALUES));
  ck_contains(a, "\"residuals\": 22");
  same_and_free(a, b);
  rh_folder_leave();
}

END_TEST

// A disc slides and spins on a table, recorded without noise: its height, and half its other numbers, are constant to rounding, and
// weighed by their own residuals they would outweigh the motion. Friction of 0.25 is found from 0.1, by both engines, to the
// least noise, a millionth of what the numbers span: 300 of them leave less than that of it.
START_TEST(constant_channels)
{
  static const char *const engine[] = {"run.engine=event", "run.engine=stepping"};
  rh_folder_enter();
  rh_file_put(
      "disc.yaml",
      "world: {gravity: [0, 0, -9.81]}\n"
      "bodies: [{name: d, mass: 0.3}]\n"
      "joints: [{name: j, kind: free, child: d, q: [0, 0, 0.01, 1, 0, 0, 0], v: [1.5, 0.3, 0, "
      "0, 0, 6]}]\n"
      "shapes: [{body: world, kind: plane}, {body: d, kind: cylinder, radius: 0.05, length: "
      "0.02}]\n"
      "contacts: [{name: table, body: d, against: world, law: newton, e: 0, friction: dry, "
      "mu_s: 0.25, mu_k: 0.25}]\n"
      "run: {until: 0.5}\nrecord: {every: 0.02}\n");
  rh_output output = routh("run", "disc.yaml", "-s", engine[_i], "-q", "-o", "disc.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  char *answer = answer_of(routh("fit", "disc.yaml", "-s", engine[_i], "--data", "disc.rhr",
                                 "--start", "data", "--free", "table.mu_k+table.mu_s", "-s",
                                 "table.mu_k=0.1", "-s", "table.mu_s=0.1", "--quick", "--json"));
  near_rel(rh_json_number_at(strstr(answer, "\"table.mu_k+table.mu_s\""), "value"), 0.25, 1e-6);
  free(answer);
  rh_folder_leave();
}

END_TEST

static void check_refused(int code, const char *why, rh_output output)
{
  ck_assert_msg(output.exit_code == code, "exit code %d: %s", output.exit_code, output.err);
  ck_contains(output.err, why);
  rh_output_free(&output);
}

START_TEST(refusals)
{
  rh_folder_enter();
  record_swing("a.rhr", "s.q=[0.1]", "0.1");
  check_refused(
      3, "a.rhr: error: channels: none of the recording counts",
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--channels", "s.qq", VALUES));
  check_refused(
      2, "--channels: no column of the data is called 's.vv'",
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--channels", "s.q,s.vv", VALUES));
  check_refused(
      3, "a.rhr: error: s.q: two channels of the recording are this one",
      routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--rename", "b.px=s.q", VALUES));
  check_refused(2, "--every needs a number >= 0",
                routh("fit", FOLDER "oscillator.yaml", "--data", "a.rhr", "--every", "-1", VALUES));
  check_refused(2, "--every is for laws with --data",
                routh("compare", FOLDER "slide.yaml", "--frictions", "none,dry", "--every", "0.1"));
  rh_file_put("none.rhr", "no recording\n");
  check_refused(
      3, "none.rhr: error: ", routh("fit", FOLDER "oscillator.yaml", "--data", "none.rhr", VALUES));
  rh_folder_leave();
}

END_TEST

// ---- The journal knows the files that the scene reads

static const char outer[] = "world: {gravity: [0, 0, 0]}\n"
                            "include: {scene: part.yaml}\n"
                            "meshes: [{name: stone, file: stone.obj}]\n"
                            "shapes: [{body: b, kind: hull, mesh: stone}]\n"
                            "run: {until: 1}\n";

static void write_scene(const char *mass, const char *corner)
{
  char text[400];
  (void)snprintf(text, sizeof text,
                 "bodies: [{name: b, mass: %s}]\n"
                 "joints: [{name: s, kind: prismatic, child: b, axis: [1, 0, 0], q: [0.1], "
                 "spring: [60], damper: [1]}]\n",
                 mass);
  rh_file_put("part.yaml", text);
  (void)snprintf(text, sizeof text,
                 "v 0 0 0\nv %s 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
                 corner);
  rh_file_put("stone.obj", text);
  rh_file_put("outer.yaml", outer);
}

START_TEST(journal_knows_its_files)
{
#define FIT "fit", "outer.yaml", "--data", FOLDER "oscillator.csv", VALUES, "--resume", "j"
  rh_folder_enter();
  write_scene("2", "1");
  char *first = answer_of(routh(FIT));
  write_scene("2.5", "1");
  check_refused(3,
                "--resume j: is of another fit: other data, another scene (a file that it includes",
                routh(FIT));
  write_scene("2", "1.5");
  check_refused(3, "is of another fit", routh(FIT));
  write_scene("2", "1");
  same_and_free(first, answer_of(routh(FIT)));
  rh_folder_leave();
}

END_TEST

// So does that of a sweep, also of files that only some cases read.
START_TEST(sweep_knows_its_files)
{
  rh_folder_enter();
  write_scene("2", "1");
  rh_file_put("flat.obj",
              "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  rh_output output =
      routh("sweep", "outer.yaml", "--vary", "stone.file=stone.obj,flat.obj", "--out", "s.q@end",
            "-s", "run.until=0.1", "--workers", "0", "-o", "a.rsw", "-q");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  static const char *const changed[][2] = {{"2.5", "1"}, {"2", "1.5"}};
  for (int i = 0; i < RH_COUNT(changed); i++) { // a look at one case reads the scene again
    write_scene(changed[i][0], changed[i][1]);
    check_refused(3,
                  "the scene is not the one the sweep began with: a file that it includes, a mesh",
                  routh("sweep", "a.rsw", "--case", "0"));
  }
  write_scene("2", "1");
  output = routh("sweep", "a.rsw", "--case", "1");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  rh_file_put("flat.obj",
              "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  check_refused(3, "the scene is not the one the sweep began with",
                routh("sweep", "a.rsw", "--case", "0"));
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_fit_data(void)
{
  Suite *suite = suite_create("cli_fit_data");
  TCase *tests = tcase_create("fit_data");
  tcase_add_test(tests, recording_is_its_table);
  tcase_add_test(tests, mixed);
  tcase_add_test(tests, thinned);
  tcase_add_loop_test(tests, constant_channels, 0, 2);
  tcase_add_test(tests, refusals);
  tcase_add_test(tests, journal_knows_its_files);
  tcase_add_test(tests, sweep_knows_its_files);
  suite_add_tcase(suite, tests);
  return suite;
}
