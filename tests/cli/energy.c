// The verdict on the energy of a run through the program: warning, exit code, JSON, recording, resumed run, comparison.
#include "program.h"

#include <string.h>

// A ball on a spring that steps of 10 ms do not resolve, taken as they are.
static const char scene[] =
    "bodies: [{name: ball, mass: 1}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 0.2, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: floor, body: ball, against: world, law: kelvin-voigt, k: 1e6, b: 0}]\n"
    "run: {until: 1, integrator: rk4, dt: 0.01, unresolved: accept}\n"
    "record: {every: 10 ms, batch: 10}\n";

START_TEST(warned_of_and_refused)
{
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_output output = routh("run", "s.yaml");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.err, "warning: the energy ledger does not close within run.residue, first at");
  ck_contains(output.err, "ball on world");
  ck_contains(output.err, "warning: steps are too long for a compliant contact");
  ck_contains(output.out, "floor (ball on world):\n");
  rh_output_free(&output);
  output = routh("check", "s.rhr"); // the recording keeps it
  ck_contains(output.err, "the energy ledger does not close within run.residue");
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record", "--strict");
  ck_assert_int_eq(output.exit_code, 4);
  ck_contains(output.err, "(ball on world)");
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record", "-s", "run.unresolved=refuse");
  ck_assert_int_eq(output.exit_code, 4);
  ck_contains(output.err, "contact 'floor' (ball on world): steps of");
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record", "-s", "run.unresolved=refine", "-s",
                 "run.residue=1e-3", "--strict");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// The coupling of a haptic scene gains energy at ticks of 30 ms, and the ledger closes all the same: the run tells, and by refuse or
// --strict does not begin. At the tick of the advice there is nothing to tell.
START_TEST(coupling_too_stiff)
{
  static const char peg[] = ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml";
  rh_folder_enter();
  rh_output output = routh("run", peg, "-s", "run.dt=0.03", "--every", "0.03", "-o", "a.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.err, "warning: steps are too long for a compliant contact, or a coupling");
  ck_contains(output.out, "device on tool");
  ck_contains(output.out, "stable below 0.0132 s; take run.dt 0.01 s");
  rh_output_free(&output);
  output = routh("check", "a.rhr");
  ck_contains(output.err, "or a coupling");
  rh_output_free(&output);
  static const char *const ending[][2] = {{"--strict", "--no-record"},
                                          {"-s", "run.unresolved=refuse"}};
  for (int i = 0; i < 2; i++) {
    output = routh("run", peg, "-s", "run.dt=0.03", "--every", "0.03", ending[i][0], ending[i][1]);
    ck_assert_int_eq(output.exit_code, 4);
    ck_contains(output.err, "the coupling four-channel gains energy at ticks of 0.03 s");
    rh_output_free(&output);
  }
  output = routh("run", peg, "--no-record", "-s", "run.dt=0.01", "--every", "0.03", "--strict");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_str_eq(output.err, "");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Bounces on springs are not counted in time steps: no summary says that there were none.
START_TEST(uncounted_bounces)
{
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_output output = routh("run", "s.yaml", "--no-record", "--engine", "stepping");
  ck_contains(output.out, "bounces of compliant contacts are not counted by this engine");
  ck_assert_ptr_null(strstr(output.out, "0 impacts"));
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record", "--engine", "stepping", "--json");
  ck_contains(output.out, "\"complete\": false");
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record", "--json");
  ck_contains(output.out, "\"complete\": true");
  rh_output_free(&output);
  output = routh("run", "s.yaml", "--no-record");
  ck_contains(output.out, "3 impacts");
  ck_assert_ptr_null(strstr(output.out, "not counted"));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// A resumed run has the verdicts of one that was never cut.
START_TEST(resumed)
{
  static const char *const keys[] = {"verdicts", "energy", "hash"};
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_output whole = routh("run", "s.yaml", "--json", "-o", "a.rhr");
  rh_output part = routh("run", "s.yaml", "--until", "0.5", "-o", "b.rhr");
  rh_output rest = routh("run", "--resume", "b.rhr", "--until", "1", "--json");
  ck_assert_int_eq(rest.exit_code, 0);
  for (int i = 0; i < 3; i++) {
    const char *a = strstr(whole.out, keys[i]);
    const char *b = strstr(rest.out, keys[i]);
    ck_assert(a != NULL && b != NULL);
    size_t length = strcspn(a, i < 2 ? "]}" : "\n");
    ck_assert_msg(strncmp(a, b, length) == 0, "%.*s\n%.*s", (int)length, a, (int)length, b);
  }
  ck_contains(whole.out, "\"kind\": \"residue\"");
  rh_output_free(&whole);
  rh_output_free(&part);
  rh_output_free(&rest);
  rh_folder_leave();
}

END_TEST

START_TEST(compared)
{
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_output output = routh("compare", "s.yaml", "--laws", "kelvin-voigt,hertz:K=1e3");
  ck_contains(output.err, "warning: kelvin-voigt");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_energy(void)
{
  Suite *suite = suite_create("cli_energy");
  TCase *run = tcase_create("run");
  tcase_add_test(run, warned_of_and_refused);
  tcase_add_test(run, resumed);
  tcase_add_test(run, compared);
  tcase_add_test(run, coupling_too_stiff);
  tcase_add_test(run, uncounted_bounces);
  suite_add_tcase(suite, run);
  return suite;
}
