// The command line itself: help, options, lists, exit codes, messages. Everything is seen from outside, through the
// program as it was built.
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *const verbs[] = {
#define RH_VERB(name) #name,
#include "cli/verbs.def"
#undef RH_VERB
};

enum { NVERB = sizeof verbs / sizeof verbs[0] };

static const char rod[] = "bodies:\n"
                          "  - {name: rod, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1, 0, 0, 0]}\n"
                          "joints:\n"
                          "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0]}\n";

static int lines_of(const char *text)
{
  int lines = 0;
  for (; *text != '\0'; text++) {
    lines += *text == '\n';
  }
  return lines;
}

static int widest_of(const char *text)
{
  int widest = 0;
  while (*text != '\0') {
    int width = (int)strcspn(text, "\n");
    widest = width > widest ? width : widest;
    text += width + (text[width] == '\n');
  }
  return widest;
}

START_TEST(page_is_one_screen)
{
  rh_folder_enter();
  rh_output alone = rh_program_run(NULL, (const char *const[]){NULL});
  rh_output page = routh("--help");
  ck_assert_int_eq(alone.exit_code, 0);
  ck_assert_int_eq(page.exit_code, 0);
  ck_assert_str_eq(alone.out, page.out);
  ck_assert_str_eq(page.err, "");
  // A tall terminal shows 50 lines; 100 columns are those of the sources.
  ck_assert_int_le(lines_of(page.out), 50);
  ck_assert_int_le(widest_of(page.out), 80);
  for (int i = 0; i < NVERB; i++) {
    ck_contains(page.out, verbs[i]);
  }
  ck_contains(page.out, "130  interrupted");
  rh_output_free(&alone);
  rh_output_free(&page);
  rh_folder_leave();
}

END_TEST

START_TEST(verbs_have_a_page_with_two_examples)
{
  const char *verb = verbs[_i];
  char line[64];
  rh_folder_enter();
  rh_output page = routh(verb, "--help");
  rh_output same = routh("help", verb);
  ck_assert_int_eq(page.exit_code, 0);
  ck_assert_str_eq(page.out, same.out);
  ck_assert_int_le(lines_of(page.out), 50);
  ck_assert_int_le(widest_of(page.out), 80);
  (void)snprintf(line, sizeof line, "\n  routh %s ", verb);
  const char *first = strstr(page.out, line);
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_nonnull(strstr(first + 1, line));
  ck_assert_ptr_null(strchr(page.out, '\033')); // no colours without a terminal
  ck_assert_ptr_null(strstr(page.out, "(null)"));
  rh_output_free(&page);
  rh_output_free(&same);
  rh_folder_leave();
}

END_TEST

START_TEST(version)
{
  rh_folder_enter();
  rh_output output = routh("--version");
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_int_eq(strncmp(output.out, "routh ", 6), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const rh_refusal refusals[] = {
    {{"rnu"}, 2, "unknown verb 'rnu'; did you mean 'run'?"},
    {{"--quiet", "run"}, 2, "is before the verb"},
    {{"run", "--unti", "3"}, 2, "unknown option '--unti'; did you mean '--until'?"},
    {{"run", "-x"}, 2, "unknown option '-x'"},
    {{"run", "--until"}, 2, "--until needs a value"},
    {{"run", "--until", "1", "--until", "2"}, 2, "given twice"},
    {{"run", "--strict=yes"}, 2, "takes no value"},
    {{"run", "--progress", "loud"}, 2, "one of auto|none|json, got 'loud'"},
    {{"run", "-s", "mass"}, 2, "needs NAME=VALUE"},
    {{"run", "a.yaml", "b.yaml"}, 2, "'b.yaml' is one too many"},
    {{"run", "-o", "-"}, 2, "cannot go to standard output"},
    {{"run", "--resume", "none.rhr", "-s", "rod.mass=1"}, 2, "only --until can be changed"},
    {{"run", "--resume", "none.rhr"}, 3, "none.rhr"},
    {{"run", "none.yaml"}, 3, "none.yaml"},
    {{"export"}, 2, "an argument is missing"},
    {{"export", "none.rhr", "-o", "x.doc"}, 2, "is unknown; use the ending"},
    {{"plot", "none.rhr"}, 2, "no channel is given"},
    {{"plot", "hinge.q"}, 2, "no recording is given"},
    {{"plot", "none.rhr", "a,,b"}, 2, "empty name"},
    {{"plot", "none.rhr", "hinge.q"}, 3, "none.rhr"},
    {{"solve", "none.json"}, 3, "none.json"},
    {{"check", "none.yaml"}, 3, "none.yaml"},
    {{"list", "jonts"}, 2, "did you mean 'joints'?"},
    {{"list", "joints", "revolut"}, 2, "did you mean 'revolute'?"},
    {{"help", "rum"}, 2, "did you mean 'run'?"},
};

START_TEST(wrong_usage_is_said)
{
  rh_refusal_check(&refusals[_i]);
}

END_TEST

START_TEST(all_errors_at_once)
{
  rh_folder_enter();
  rh_output output = routh_with("bodies:\n  - {name: rod, mass: -2, colour: red}\n", "run", "-");
  ck_assert_int_eq(output.exit_code, 3);
  ck_contains(output.err, "standard input:2:23: error: rod.mass must be");
  ck_contains(output.err, "standard input:2:27: error: ");
  ck_contains(output.err, "'colour'");
  ck_contains(output.err, "errors; nothing was run");
  ck_assert_str_eq(output.out, "");
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(many_errors_are_cut_at_twenty)
{
  char text[4096] = "bodies:\n";
  for (int i = 0; i < 30; i++) {
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "  - {name: b%d, mass: -1}\n",
                   i);
  }
  rh_folder_enter();
  rh_output output = routh_with(text, "check", "-");
  ck_assert_int_eq(output.exit_code, 3);
  int shown = 0;
  for (const char *at = output.err; (at = strstr(at, ": error: ")) != NULL; at++) {
    shown++;
  }
  ck_assert_int_eq(shown, 20);
  ck_contains(output.err, "\n... and ");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(overrides_reach_the_scene)
{
  rh_folder_enter();
  rh_output output =
      routh_with(rod, "check", "--print-scene", "-s", "rod.mass=2500 g", "-shinge.q=90 deg", "-");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "mass: 2.5");
  ck_contains(output.out, "1.57079632679489");
  rh_output_free(&output);
  // What --print-scene prints is a scene, and says the same again.
  rh_output first = routh_with(rod, "check", "--print-scene", "--output", "again.yaml", "-");
  rh_output again = routh("run", "--print-scene", "again.yaml", "--until", "2", "--tol", "1e-6");
  ck_assert_int_eq(first.exit_code, 0);
  ck_assert_msg(again.exit_code == 0, "%s", again.err);
  ck_contains(again.out, "until: 2");
  ck_contains(again.out, "rtol: 1e-06");
  rh_output_free(&first);
  rh_output_free(&again);
  rh_folder_leave();
}

END_TEST

START_TEST(check_tells_the_tree)
{
  rh_folder_enter();
  rh_output output = routh_with(rod, "check", "-");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "1 body, 1 degree of freedom, 1 kg");
  ck_contains(output.out, "rod   hinge  revolute");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const char *const json_commands[][5] = {
    {"help", "--json"},
    {"list", "--json"},
    {"list", "sections", "--json"},
    {"list", "joints", "--json"},
    {"list", "shapes", "--json"},
    {"list", "engines", "--json"},
    {"list", "events", "--json"},
    {"list", "problems", "--json"},
    {"list", "exports", "--json"},
    {"list", "units", "--json"},
    {"list", "verbs", "--json"},
    {"list", "joints", "free", "--json"},
    {"check", "--json"},
};

START_TEST(json_is_json)
{
  rh_folder_enter();
  rh_output output = rh_program_run(NULL, json_commands[_i]);
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(the_reader_of_json_is_strict)
{
  static const char *const good[] = {"{}", "[]", "[1, -2.5e-3, {\"a\": [null, true]}]\n",
                                     "\"\\u00e9\\n\"", "0"};
  static const char *const bad[] = {"",     "{",     "[1,]",      "{\"a\" 1}", "{a: 1}",
                                    "[01]", "[1] 2", "[nan]",     "[+1]",      "\"\n\"",
                                    "[1.]", "[}",    "{\"a\": }", "\"\\x\""};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    ck_assert_msg(rh_json_valid(good[i]), "refused: %s", good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ck_assert_msg(!rh_json_valid(bad[i]), "accepted: %s", bad[i]);
  }
}

END_TEST

START_TEST(lists)
{
  rh_folder_enter();
  rh_output output = routh("list", "joints");
  ck_contains(output.out, "revolute   1    axis");
  rh_output_free(&output);
  output = routh("list", "sections", "record");
  ck_contains(output.out, "every");
  ck_contains(output.out, "0.01");
  rh_output_free(&output);
  output = routh("list", "units");
  ck_contains(output.out, "deg");
  ck_assert_ptr_null(
      strstr(output.out, "  \n")); // every unit has its value, no line ends in blanks
  rh_output_free(&output);
  output = routh("list", "problems", "forward_dynamics");
  ck_contains(output.out, "Jdot_v");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(manual_and_completion_are_complete)
{
  rh_folder_enter();
  rh_output man = routh("help", "--man");
  rh_output bash = routh("help", "--bash");
  ck_assert_int_eq(man.exit_code, 0);
  ck_assert_int_eq(bash.exit_code, 0);
  ck_assert_int_eq(strncmp(man.out, ".TH ROUTH 1", 11), 0);
  for (int i = 0; i < NVERB; i++) {
    char text[64];
    (void)snprintf(text, sizeof text, ".SH ROUTH %s\n", verbs[i]);
    ck_contains(man.out, text);
    (void)snprintf(text, sizeof text, "    %s) words='--json", verbs[i]);
    ck_contains(bash.out, text);
  }
  ck_contains(man.out, "\\fB\\-\\-print\\-scene\\fR");
  ck_contains(bash.out, "run:--progress) words='auto none json'");
  rh_output_free(&man);
  rh_output_free(&bash);
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_folder_leave();
}

END_TEST

START_TEST(scene_reference_is_not_stale)
{
  rh_folder_enter();
  rh_output output = routh("list", "sections", "--markdown");
  char *page = rh_file_text(ROUTH_SOURCE_DIR "/docs/ref/scene.md", NULL);
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_msg(page != NULL && strcmp(page, output.out) == 0,
                "docs/ref/scene.md is stale: routh list sections --markdown > docs/ref/scene.md");
  free(page);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static double children_time(void) // [s] of the processor, by programs that have ended
{
  struct rusage used;
  ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Time of the processor, the best of many: it is what a user waits on a machine that has nothing else to do.
START_TEST(help_is_quick)
{
  double best = HUGE_VAL;
  rh_folder_enter();
  for (int i = 0; i < 20; i++) {
    double before = children_time();
    rh_output output = routh("--help");
    best = fmin(best, children_time() - before);
    rh_output_free(&output);
  }
  rh_folder_leave();
  ck_assert_msg(RH_TEST_SLOW || best < 0.020, "routh --help takes %.1f ms, 20 are allowed",
                1e3 * best);
}

END_TEST

Suite *rh_suite_cli_verbs(void)
{
  Suite *suite = suite_create("cli_verbs");
  TCase *tcase = tcase_create("verbs");
  tcase_add_test(tcase, page_is_one_screen);
  tcase_add_loop_test(tcase, verbs_have_a_page_with_two_examples, 0, NVERB);
  tcase_add_test(tcase, version);
  tcase_add_loop_test(tcase, wrong_usage_is_said, 0, (int)(sizeof refusals / sizeof refusals[0]));
  tcase_add_test(tcase, all_errors_at_once);
  tcase_add_test(tcase, many_errors_are_cut_at_twenty);
  tcase_add_test(tcase, overrides_reach_the_scene);
  tcase_add_test(tcase, check_tells_the_tree);
  tcase_add_loop_test(tcase, json_is_json, 0,
                      (int)(sizeof json_commands / sizeof json_commands[0]));
  tcase_add_test(tcase, the_reader_of_json_is_strict);
  tcase_add_test(tcase, lists);
  tcase_add_test(tcase, manual_and_completion_are_complete);
  tcase_add_test(tcase, scene_reference_is_not_stale);
  tcase_add_test(tcase, help_is_quick);
  suite_add_tcase(suite, tcase);
  return suite;
}
