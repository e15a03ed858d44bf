// Completion for bash, zsh and fish: the scripts are sound, where these shells are installed, and bash is asked to complete.
#include "program.h"

static const char *const verbs[] = {
#define RH_VERB(name) #name,
#include "cli/verbs.def"
#undef RH_VERB
};

enum { NVERB = sizeof verbs / sizeof verbs[0] };

// Runs a command of the shell on the completion in "routh.SHELL"; -1: there is no such shell.
static int try_shell(const char *shell, const char *option)
{
  char line[512];
  (void)snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", shell);
  if (system(line) != 0) {
    printf("completion for %s was not tried: it is not installed\n", shell);
    return -1;
  }
  (void)snprintf(line, sizeof line, "%s %s script >out 2>&1", shell, option);
  return system(line);
}

START_TEST(completion_scripts_are_sound)
{
  static const char *const shells[] = {"bash", "zsh", "fish"};
  char option[16];
  rh_folder_enter();
  (void)snprintf(option, sizeof option, "--%s", shells[_i]);
  rh_output output = routh("help", option);
  ck_assert_int_eq(output.exit_code, 0);
  for (int i = 0; i < NVERB; i++) {
    ck_contains(output.out, verbs[i]);
  }
  ck_contains(output.out, "cvode rk4"); // values, from the tables
  ck_contains(output.out, "joints bodies points");
  rh_file_put("script", output.out);
  int result = try_shell(shells[_i], "-n");
  char *said = rh_file_text("out", NULL);
  ck_assert_msg(result == 0 || result == -1, "%s -n: %s", shells[_i], said);
  free(said);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *line;  // words, the last one is completed
  const char *reply; // all of it
} completed[] = {
    {"ru", "run"},
    {"run --integ", "--integrator"},
    {"run --integrator cv", "cvode"},
    {"run --integrator = cv", "cvode"},
    {"compare x.yaml --laws he", "hertz"},
    {"compare x.yaml --laws hertz,ke", "hertz,kelvin-voigt"},
    {"law hu", "hunt-crossley"},
    {"list joints rev", "revolute"},
    {"haptic x.yaml --device ud", "udp"},
    {"export a.rhr --groups joints,en", "joints,energy"},
    {"plot a.rhr hinge.q,hinge.v", "hinge.q,hinge.v"},
    {"run --resume a", "a.rhr"},
    {"run -s run.unt", "run.until="},
    {"solve --solver gauss", "gauss-seidel"},
    {"paper c", "ch csc"},
    {"help comp", "compare"},
};

START_TEST(bash_completes_values)
{
  char script[2048];
  rh_folder_enter();
  rh_output made =
      routh("run", ROUTH_SOURCE_DIR "/scenes/stop.yaml", "-q", "--until", "0.1", "-o", "a.rhr");
  ck_assert_int_eq(made.exit_code, 0);
  rh_output_free(&made);
  rh_output output = routh("help", "--bash");
  rh_file_put("completion", output.out);
  rh_output_free(&output);
  (void)snprintf(script, sizeof script,
                 "routh() { \"%s\" \"$@\"; }\n"
                 "compopt() { :; }\n" // it works while a line is edited only
                 "source ./completion\n"
                 "COMP_WORDS=(routh %s)\n"
                 "COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n"
                 "_routh\n"
                 "echo \"${COMPREPLY[*]}\"\n",
                 getenv("ROUTH_PROGRAM") != NULL ? getenv("ROUTH_PROGRAM") : ROUTH_PROGRAM,
                 completed[_i].line);
  rh_file_put("script", script);
  int result = try_shell("bash", "");
  char *reply = rh_file_text("out", NULL);
  if (result != -1) {
    ck_assert_int_eq(result, 0);
    reply[strcspn(reply, "\n")] = '\0';
    ck_assert_str_eq(reply, completed[_i].reply);
  }
  free(reply);
  rh_folder_leave();
}

END_TEST

// fish answers for a line as it would for its user: a word, then what it means.
START_TEST(fish_completes_values)
{
  static const char *const words[] = {"cvode", "\nhertz,kelvin-voigt", "\nrevolute"};
  rh_folder_enter();
  rh_output output = routh("help", "--fish");
  rh_file_put("completion", output.out);
  rh_output_free(&output);
  rh_file_put("script", "set -x HOME /nonexistent\nsource ./completion\n"
                        "complete -C 'routh run --integrator cv'\n"
                        "complete -C 'routh compare x.yaml --laws hertz,ke'\n"
                        "complete -C 'routh list joints rev'\n");
  if (try_shell("fish", "--no-config") != -1) {
    char *reply = rh_file_text("out", NULL);
    for (int i = 0; i < 3; i++) {
      ck_contains(reply, words[i]);
    }
    free(reply);
  }
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_completion(void)
{
  Suite *suite = suite_create("cli_completion");
  TCase *tcase = tcase_create("completion");
  tcase_add_loop_test(tcase, completion_scripts_are_sound, 0, 3);
  tcase_add_loop_test(tcase, bash_completes_values, 0,
                      (int)(sizeof completed / sizeof completed[0]));
  tcase_add_test(tcase, fish_completes_values);
  suite_add_tcase(suite, tcase);
  return suite;
}
