// cli_files.c: the files that the program writes: two that want one name, readers that go away, codes that a terminal would obey,
// and a loss of power (tests/fault/io.c). What becomes of them when calls to the system fail is swept by tests/fault/io_sweep.
#define _XOPEN_SOURCE 700

#include "program.h"

#include <routh/routh.h>

#include <signal.h>
#include <stdarg.h>

#define WRITERS 8

static const char pendulum[] = ROUTH_SOURCE_DIR "/scenes/double-pendulum.yaml";

static int count_ended(const pid_t *child, bool *ended, int *code)
{
  int count = 0;
  for (int i = 0; i < WRITERS; i++) {
    int state = 0;
    if (!ended[i] && waitpid(child[i], &state, WNOHANG) == child[i]) {
      ended[i] = true;
      code[i] = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    }
    count += ended[i];
  }
  return count;
}

// Many begin one recording at once: one gets it, the others are refused, and it is whole.
START_TEST(one_of_many_writers)
{
  pid_t child[WRITERS];
  bool ended[WRITERS] = {false};
  int code[WRITERS] = {0};
  rh_folder_enter();
  if (_i == 1) {
    rh_output output = routh("run", pendulum, "-o", "a.rhr", "--until", "0.1");
    rh_output_free(&output);
  }
  for (int i = 0; i < WRITERS; i++) {
    child[i] = rh_program_start(
        (const char *const[]){"run", pendulum, "-o", "a.rhr", "--until", "1e6", "--quiet", NULL});
  }
  while (count_ended(child, ended, code) < WRITERS - 1) {
    rh_program_yield();
  }
  int last = 0;
  for (int i = 0; i < WRITERS; i++) {
    last = ended[i] ? last : i;
    ck_assert_msg(!ended[i] || code[i] == 5, "exit %d", code[i]);
  }
  ck_assert(!ended[last]);
  (void)kill(child[last], SIGTERM);
  rh_output output = rh_program_wait(child[last]);
  ck_assert_int_eq(output.exit_code, 128 + SIGTERM);
  rh_output_free(&output);
  output = routh("check", "a.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Standard error and standard output lead to somebody who has gone away.
START_TEST(readers_that_go_away)
{
  int end[2];
  rh_folder_enter();
  ck_assert_int_eq(pipe(end), 0);
  (void)close(end[0]);
  pid_t child = fork();
  if (child == 0) {
    (void)dup2(end[1], STDERR_FILENO);
    (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    const char *program = getenv("ROUTH_PROGRAM");
    // A scene without contact warns on standard error; so does the end.
    (void)execl(program != NULL ? program : ROUTH_PROGRAM, "routh", "run", pendulum, "-o", "a.rhr",
                "--until", "40", "--progress", "json", "--dump", "none.json", (char *)NULL);
    _exit(126);
  }
  (void)close(end[1]);
  int state = 0;
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  ck_assert_msg(WIFEXITED(state) && WEXITSTATUS(state) == 2, "ended with %x", state); // the dump
  rh_output output = routh("check", "a.rhr", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "\"ended\": \"OK\"");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Codes for terminals

static void expect_no_codes(const char *const *words)
{
  rh_output output = rh_program_run(NULL, words);
  const char *text[] = {output.out, output.err};
  for (int i = 0; i < 2; i++) {
    for (const unsigned char *c = (const unsigned char *)text[i]; *c != '\0'; c++) {
      bool control = (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f;
      bool high = *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
      ck_assert_msg(!control && !high, "routh %s: code %02x in: %s", words[0], *c, text[i]);
    }
  }
  ck_assert_int_gt(strlen(output.out) + strlen(output.err), 0);
  rh_output_free(&output);
}

#define no_codes(...) expect_no_codes((const char *const[]){__VA_ARGS__, NULL})

START_TEST(no_codes_for_terminals)
{
  static const char scene[] = "s\033]0;x\007\033[31m\302\233\177.yaml";
  static const char run[] = "r\033[2J\302\2331m.rhr";
  rh_folder_enter();
  rh_output output = routh("run", "--print-scene", "-o", scene);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
  no_codes("run", scene, "-o", run, "--until", "0.1");
  no_codes("run", scene, "-o", run, "--until", "0.1", "--json");
  no_codes("check", run);
  no_codes("check", run, "--json");
  no_codes("check", scene);
  no_codes("run", run);
  no_codes("run", "--resume", run);
  no_codes("run", "--resume", run, "--until", "0.2");
  no_codes("export", run, "-o", "-");
  no_codes("plot", run);
  no_codes("plot", run, "none\033[31m");
  no_codes("compare", run, run);
  no_codes("run", "none\033[31m.yaml");
  no_codes("solve", "none\033[31m.json");
  no_codes("run", scene, "-s", "x\033[31m=1");
  no_codes("\033[31m");
  rh_folder_leave();
}

END_TEST

// ---- Loss of power

#if defined(ROUTH_FAULT_IO) && !RH_TEST_SLOW

static int run_shell(const char *format, ...) RH_PRINTF(1, 2);

static int run_shell(const char *format, ...)
{
  char command[2048];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(command, sizeof command, format, list);
  va_end(list);
  int state = system(command); // NOLINT(cert-env33-c)
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static void write_scene(const char *sync)
{
  ck_assert_int_eq(run_shell("%s run --print-scene -o s.yaml -s record.sync=%s -s record.batch=4 "
                             "-s run.until=0.3",
                             ROUTH_PROGRAM, sync),
                   0);
}

// What the disk would hold: names and contents as they were last synced. Names without content are empty files.
static void rebuild(void)
{
  ck_assert_int_eq(run_shell("rm -rf lost && mkdir lost && touch shadow/names && "
                             "while read -r inode name; do "
                             "cat shadow/$inode > lost/$name 2> /dev/null || : > lost/$name; "
                             "done < shadow/names"),
                   0);
}

static long read_last_number(const char *path)
{
  char *text = rh_file_text(path, NULL);
  long number = 0;
  for (char *at = text; at != NULL && *at != '\0'; at += strcspn(at, "\n") + 1) {
    number = strtol(at, NULL, 10);
    if (at[strcspn(at, "\n")] == '\0') {
      break;
    }
  }
  free(text);
  return number;
}

static long frames_of(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  long frames = RH_NONE;
  if (rh_recording_open(path, diag, &recording) == RH_OK &&
      rh_recording_verify(recording, diag) == RH_OK) {
    frames = rh_recording_frames(recording);
  }
  rh_recording_close(recording);
  rh_diag_destroy(diag);
  return frames;
}

static const char *const syncs[] = {"frame", "batch", "checkpoint"};

// Frames that were acknowledged as durable are there after the power was lost, at whatever call.
START_TEST(loss_of_power)
{
  rh_folder_enter();
  write_scene(syncs[_i]);
  long acknowledged = 0;
  for (int n = 10; n < 100000; n += 61) {
    int code = run_shell("rm -rf work shadow; mkdir work shadow; cd work; %s -d . -m kill -n %d "
                         "-s ../shadow -c ../report %s ../s.yaml a.rhr > ../reported",
                         ROUTH_FAULT_IO, n, ROUTH_FAULT_DURABLE);
    rebuild();
    long reported = read_last_number("reported");
    if (reported > 0 || code == 0) {
      long got = frames_of("lost/a.rhr");
      ck_assert_msg(got >= reported, "call %d: %ld frames of %ld that were durable", n, got,
                    reported);
      acknowledged += reported;
    }
    if (code == 0) { // n is past its end: all is there
      ck_assert_int_eq(frames_of("lost/a.rhr"), 31);
      break;
    }
    ck_assert_int_eq(code, 128 + SIGKILL);
  }
  ck_assert(_i == 2 || acknowledged > 0);
  ck_assert_int_eq(run_shell("rm -rf work shadow lost"), 0);
  rh_folder_leave();
}

END_TEST

static long count_syncs(const char *sync)
{
  char name[32];
  long count = 0;
  long number = 0;
  write_scene(sync);
  ck_assert_int_eq(run_shell("%s -d . -c report %s s.yaml a.rhr > reported", ROUTH_FAULT_IO,
                             ROUTH_FAULT_DURABLE),
                   0);
  char *text = rh_file_text("report", NULL);
  ck_assert_int_eq(sscanf(text, "%ld %31s %ld", &count, name, &number), 3); // NOLINT(cert-err34-c)
  free(text);
  return number;
}

// Beyond those at the begin and at the end: one for each frame, one for each batch of four.
START_TEST(syncs_as_often_as_asked)
{
  rh_folder_enter();
  long checkpoint = count_syncs("checkpoint");
  ck_assert_int_gt(checkpoint, 2); // the recording itself and its folder
  ck_assert_int_ge(count_syncs("batch") - checkpoint, 8);
  ck_assert_int_ge(count_syncs("frame") - checkpoint, 31);
  rh_folder_leave();
}

END_TEST

#endif

Suite *rh_suite_cli_files(void)
{
  Suite *suite = suite_create("cli_files");
  TCase *tests = tcase_create("files");
  tcase_add_loop_test(tests, one_of_many_writers, 0, 2);
  tcase_add_test(tests, readers_that_go_away);
  tcase_add_test(tests, no_codes_for_terminals);
#if defined(ROUTH_FAULT_IO) && !RH_TEST_SLOW
  tcase_add_loop_test(tests, loss_of_power, 0, 3);
  tcase_add_test(tests, syncs_as_often_as_asked);
#endif
  suite_add_tcase(suite, tests);
  return suite;
}
