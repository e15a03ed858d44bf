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
  rh_told told = routh("run", "s.yaml");
  ck_assert_int_eq(told.exit_code, 0);
  ck_contains(told.err, "warning: the energy ledger does not close within run.residue, first at");
  ck_contains(told.err, "ball on world");
  ck_contains(told.err, "warning: steps are too long for a compliant contact");
  ck_contains(told.out, "floor (ball on world):\n");
  rh_told_free(&told);
  told = routh("check", "s.rhr"); // the recording keeps it
  ck_contains(told.err, "the energy ledger does not close within run.residue");
  rh_told_free(&told);
  told = routh("run", "s.yaml", "--no-record", "--strict");
  ck_assert_int_eq(told.exit_code, 4);
  ck_contains(told.err, "(ball on world)");
  rh_told_free(&told);
  told = routh("run", "s.yaml", "--no-record", "-s", "run.unresolved=refuse");
  ck_assert_int_eq(told.exit_code, 4);
  ck_contains(told.err, "contact 'floor' (ball on world): steps of");
  rh_told_free(&told);
  told = routh("run", "s.yaml", "--no-record", "-s", "run.unresolved=refine", "-s",
               "run.residue=1e-3", "--strict");
  ck_assert_msg(told.exit_code == 0, "%s", told.err);
  ck_assert_str_eq(told.err, "");
  rh_told_free(&told);
  rh_folder_leave();
}

END_TEST

// A resumed run has the verdicts of one that was never cut.
START_TEST(resumed)
{
  static const char *const keys[] = {"verdicts", "energy", "hash"};
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_told whole = routh("run", "s.yaml", "--json", "-o", "a.rhr");
  rh_told part = routh("run", "s.yaml", "--until", "0.5", "-o", "b.rhr");
  rh_told rest = routh("run", "--resume", "b.rhr", "--until", "1", "--json");
  ck_assert_int_eq(rest.exit_code, 0);
  for (int i = 0; i < 3; i++) {
    const char *a = strstr(whole.out, keys[i]);
    const char *b = strstr(rest.out, keys[i]);
    ck_assert(a != NULL && b != NULL);
    size_t length = strcspn(a, i < 2 ? "]}" : "\n");
    ck_assert_msg(strncmp(a, b, length) == 0, "%.*s\n%.*s", (int)length, a, (int)length, b);
  }
  ck_contains(whole.out, "\"kind\": \"residue\"");
  rh_told_free(&whole);
  rh_told_free(&part);
  rh_told_free(&rest);
  rh_folder_leave();
}

END_TEST

START_TEST(compared)
{
  rh_folder_enter();
  rh_file_put("s.yaml", scene);
  rh_told told = routh("compare", "s.yaml", "--laws", "kelvin-voigt,hertz:K=1e3");
  ck_contains(told.err, "warning: kelvin-voigt");
  rh_told_free(&told);
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
  suite_add_tcase(suite, run);
  return suite;
}
