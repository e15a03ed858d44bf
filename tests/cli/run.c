// Runs, recordings, plots, exports and problems through the program: what is written, what is said, and that a run that
// was stopped or killed goes on to the very bits of a run that was never cut.
#include "program.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>

static const char double_pendulum[] = ROUTH_SOURCE_DIR "/scenes/double-pendulum.yaml";
static const char stop_scene[] = ROUTH_SOURCE_DIR "/scenes/stop.yaml";

static void hash_of(const char *json, char hash[32])
{
  ck_assert_msg(rh_json_pick(json, "hash", hash, 32), "no hash in:\n%s", json);
  ck_assert_uint_eq(strlen(hash), 16);
}

// Runs to the end, which must be good, and gives the hash.
static void run_hash(const char *const *words, char hash[32])
{
  rh_output output = rh_program_run(NULL, words);
  ck_assert_msg(output.exit_code == 0, "exit code %d: %s", output.exit_code, output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  hash_of(output.out, hash);
  rh_output_free(&output);
}

START_TEST(default_scene)
{
  rh_folder_enter();
  rh_output output = routh("run");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_str_eq(output.err, "");
  ck_contains(output.out, "built-in scene   3.000 s in ");
  ck_contains(output.out, "\nEnergy\n");
  ck_contains(output.out, "  residue  ");
  // Everything the scene has to show happens.
  ck_contains(output.out, "\nContacts\n");
  ck_contains(output.out, "e realised");
  ck_contains(output.out, "undetermined 3 times");
  ck_contains(output.out, "release");
  ck_contains(output.out, "impact");
  ck_contains(output.out, "\nhash  ");
  ck_contains(output.out, "\nwrote default.rhr (301 frames)\nnext  routh view default.rhr  ");
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_output_free(&output);
  rh_output checked = routh("check", "default.rhr");
  ck_assert_int_eq(checked.exit_code, 0);
  ck_contains(checked.out, "301 frames to t = 3 s");
  rh_output_free(&checked);
  rh_folder_leave();
}

END_TEST

// Times of the first `n` touchdowns in a summary.
static void touchdowns(const char *text, int n, double *t)
{
  for (const char *line = strstr(text, "\nEvents\n"); n > 0; n--) {
    line = line ? strstr(line, "  touch ") : NULL;
    ck_assert_ptr_nonnull(line);
    const char *begin = line;
    while (begin > text && begin[-1] != '\n') {
      begin--;
    }
    *t++ = strtod(begin, NULL);
    line++;
  }
}

// docs/tutorial.md: what its tables say, and for the rigid ball the closed form, flights of 2 v e^k / g.
START_TEST(tutorial)
{
  static const double table[2][3] = {{0.531, 0.454, 0.396}, {0.530, 0.440, 0.365}};
  static const char *const scene[] = {ROUTH_SOURCE_DIR "/scenes/golf-ball.yaml",
                                      ROUTH_SOURCE_DIR "/scenes/golf-ball-rigid.yaml"};
  double v = sqrt(2 * 9.81 * 0.5);
  for (int i = 0; i < 2; i++) {
    double t[4];
    rh_folder_enter();
    rh_output output = routh("run", scene[i], "--no-record", "--events");
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    touchdowns(output.out, 4, t);
    ck_assert_double_eq_tol(t[0], v / 9.81, 1e-8); // printed with nine digits
    for (int k = 0; k < 3; k++) {
      ck_assert_double_eq_tol(t[k + 1] - t[k], table[i][k], 0.00051); // three digits
      if (i == 1) {
        ck_assert_double_eq_tol(t[k + 1] - t[k], 2 * v * pow(0.83, k + 1) / 9.81, 1e-8);
      }
    }
    rh_output_free(&output);
    rh_folder_leave();
  }
}

END_TEST

static const char *const scenes[] = {"arm",          "pendulum", "double-pendulum", "heavy-top",
                                     "spinning-box", "stop",     "motor",           "release"};

START_TEST(scenes_run_and_close_their_books)
{
  char path[512];
  (void)snprintf(path, sizeof path, ROUTH_SOURCE_DIR "/scenes/%s.yaml", scenes[_i]);
  rh_folder_enter();
  rh_output output = routh("run", path, "--no-record", "--strict", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  // rtol is 1e-10 a step; some thousand steps leave no more than 1e-6 even if every error had the same sign.
  ck_assert_double_le(rh_json_number_at(output.out, "relative_residue"), 1e-6);
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// Time steps say what their answers are worth: ten boxes, each with twelve impulses on four corners and six degrees of freedom. In words, as JSON, as channels.
START_TEST(time_steps_are_judged)
{
  static const char scene[] = ROUTH_SOURCE_DIR "/scenes/stack.yaml";
  rh_folder_enter();
  rh_output output = routh("run", scene, "--engine", "stepping", "--until", "0.1", "--every",
                           "0.05", "-o", "x.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "\nSolver\n");
  ck_contains(output.out, "in 0 of 2 checked steps\n");
  ck_contains(output.out,
              "undetermined in 2, by up to 60 directions; several solutions in 0; not ");
  ck_contains(output.out, "\n  undetermined 1 time, first at 0.05 s, floor (box1 on world):\n");
  ck_contains(output.out, " N (mean over a step)");
  rh_output_free(&output);
  output = routh("plot", "x.rhr", "--list");
  ck_contains(output.out, "solver.residual");
  rh_output_free(&output);
  output = routh("run", scene, "--engine", "stepping", "--until", "0.1", "--every", "0.05",
                 "--no-record", "--json");
  ck_assert(rh_json_valid(output.out));
  ck_assert_double_eq(rh_json_number_at(output.out, "free"), 60);
  ck_assert_double_le(rh_json_number_at(output.out, "residual"), 1e-6); // the tolerance
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(same_command_same_hash)
{
  char a[32];
  char b[32];
  char c[32];
  rh_folder_enter();
  run_hash((const char *const[]){"run", "--json", "--until", "1.5", NULL}, a);
  run_hash((const char *const[]){"run", "--json", "-s", "run.until=1500 ms", "--no-record", NULL},
           b);
  run_hash(
      (const char *const[]){"run", "--json", "--until", "1.5", "-s", "hammer.mass=1.2001", NULL},
      c);
  ck_assert_str_eq(a, b);
  ck_assert_str_ne(a, c);
  rh_folder_leave();
}

END_TEST

START_TEST(steppers_by_option)
{
  rh_folder_enter();
  rh_output output = routh_with(
      "bodies: [{name: rod, mass: 1, com: [0, 0, -1], inertia: [1, 1, 1, 0, 0, 0]}]\n"
      "joints: [{kind: revolute, child: rod, axis: [0, 1, 0], q: 1}]\n",
      "run", "-", "--integrator", "rk4", "--dt", "1 ms", "--until", "1", "--json", "--no-record");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_double_eq(rh_json_number_at(output.out, "steps"), 1000);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(output_that_cannot_be_written)
{
  rh_folder_enter();
  rh_output output = routh("run", "-o", "nowhere/a.rhr");
  ck_assert_int_eq(output.exit_code, 5);
  ck_contains(output.err, "nowhere/a.rhr");
  rh_output_free(&output);
  FILE *file = fopen("mine.rhr", "w"); // somebody's file that only looks like ours by name
  ck_assert_ptr_nonnull(file);
  (void)fputs("dear diary\n", file);
  (void)fclose(file);
  output = routh("run", "-o", "mine.rhr");
  ck_assert_int_eq(output.exit_code, 5);
  char *text = rh_file_text("mine.rhr", NULL);
  ck_assert_str_eq(text, "dear diary\n");
  free(text);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(print_scene_runs_nothing)
{
  rh_folder_enter();
  rh_output output = routh("run", "--print-scene", "--every", "20 ms");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "every: 0.02");
  ck_assert_int_eq(rh_folder_count(), 0);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Interrupted runs

// Frames that another process finds in the recording: those that are committed. 0 while there is no recording.
static int frames_on_disk(const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *count = NULL;
  int frames = 0;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "SELECT count(*) FROM frames", -1, &count, NULL) == SQLITE_OK &&
      sqlite3_step(count) == SQLITE_ROW) {
    frames = sqlite3_column_int(count, 0);
  }
  (void)sqlite3_finalize(count);
  (void)sqlite3_close(db);
  return frames;
}

// Starts a run without end, waits until frames have been committed twice, and sends a signal.
static rh_output cut_run(int number)
{
  pid_t child = rh_program_start((const char *const[]){"run", double_pendulum, "-o", "cut.rhr",
                                                       "--until", "100000", "--json", NULL});
  int first = 0;
  int frames = 0;
  while (!rh_program_ended(child) && (first < 2 || frames == first)) {
    rh_program_yield();
    frames = frames_on_disk("cut.rhr");
    first = first < 2 ? frames : first;
  }
  (void)kill(child, number);
  return rh_program_wait(child);
}

// What a run cut at any moment and resumed has to equal.
static void resume_and_compare(void)
{
  char until[64];
  char cut[32];
  char whole[32];
  rh_output output = routh("check", "cut.rhr", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_double_gt(rh_json_number_at(output.out, "frames"), 1);
  // Further than what is there by a little more than a batch of frames.
  (void)snprintf(until, sizeof until, "%.17g", rh_json_number_at(output.out, "t") + 1.25);
  rh_output_free(&output);
  run_hash((const char *const[]){"run", "--resume", "cut.rhr", "--until", until, "--json", NULL},
           cut);
  run_hash((const char *const[]){"run", double_pendulum, "-o", "whole.rhr", "--until", until,
                                 "--json", NULL},
           whole);
  ck_assert_str_eq(cut, whole);
  output = routh("check", "cut.rhr", "whole.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};

START_TEST(cut_runs_go_on_bit_for_bit)
{
  int number = signals[_i];
  rh_folder_enter();
  rh_output output = cut_run(number);
  if (number == SIGKILL) {
    ck_assert_int_eq(output.exit_code, 128 + SIGKILL);
  } else {
    ck_assert_int_eq(output.exit_code, 128 + number);
    ck_contains(output.err, "interrupted at t = ");
    ck_contains(output.err, "routh run --resume cut.rhr");
    ck_assert(rh_json_valid(output.out));
    ck_assert_int_eq(rh_folder_count(), 1); // the recording alone: nothing half written beside it
  }
  rh_output_free(&output);
  resume_and_compare();
  rh_folder_leave();
}

END_TEST

START_TEST(complete_runs_are_left_alone)
{
  rh_folder_enter();
  rh_output output = routh("run", "--until", "1");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  size_t bytes[2];
  char *before = rh_file_text("default.rhr", &bytes[0]);
  output = routh("run", "--resume", "default.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.err, "already ends at t = 1 s");
  rh_output_free(&output);
  char *after = rh_file_text("default.rhr", &bytes[1]);
  ck_assert_uint_eq(bytes[0], bytes[1]);
  ck_assert_mem_eq(before, after, bytes[0]);
  free(before);
  free(after);
  rh_folder_leave();
}

END_TEST

// A recording is run once more and compared; it is left alone, and its scene is kept.
START_TEST(recordings_are_done_again)
{
  char first[32];
  char again[32];
  rh_folder_enter();
  run_hash((const char *const[]){"run", stop_scene, "-o", "a.rhr", "--json", NULL}, first);
  run_hash((const char *const[]){"run", "a.rhr", "-o", "b.rhr", "--json", NULL}, again);
  ck_assert_str_eq(first, again);
  rh_output output = routh("run", "b.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.err, "the same bits in ");
  ck_contains(output.err, "with 0 inputs");
  rh_output_free(&output);
  output = routh("compare", "a.rhr", "b.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  output = routh("run", "a.rhr", "-o", "a.rhr");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "is the recording itself");
  rh_output_free(&output);
  output = routh("run", "a.rhr", "-s", "hinge.bounce=0.1");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "keeps its scene");
  rh_output_free(&output);
  output = routh("run", "none.rhr");
  ck_assert_int_eq(output.exit_code, 3);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(progress_for_machines)
{
  rh_folder_enter();
  pid_t child = rh_program_start((const char *const[]){
      "run", double_pendulum, "--no-record", "--until", "100000", "--progress", "json", NULL});
  char line[256];
  rh_program_wait_for(child, "{", line, sizeof line);
  (void)kill(child, SIGINT);
  rh_output output = rh_program_wait(child);
  ck_assert_int_eq(output.exit_code, 130);
  char *end = strchr(output.err, '\n');
  ck_assert_ptr_nonnull(end);
  *end = '\0';
  ck_assert_msg(rh_json_valid(output.err), "not JSON: %s", output.err);
  ck_assert_double_eq(rh_json_number_at(output.err, "until"), 100000);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

// ---- Recordings

static void make_recording(void)
{
  rh_output output = routh("run", stop_scene, "--quiet", "--until", "1");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  rh_output_free(&output);
}

START_TEST(damaged_recordings_are_found)
{
  rh_folder_enter();
  make_recording();
  size_t bytes = 0;
  char *text = rh_file_text("stop.rhr", &bytes);
  ck_assert_ptr_nonnull(text);
  rh_output sound = routh("check", "stop.rhr", "--json");
  ck_assert_int_eq(sound.exit_code, 0);
  char hash[32];
  hash_of(sound.out, hash); // that of the last frame: it stands in the file as text
  rh_output_free(&sound);
  size_t at = 0;
  while (at + 16 < bytes && memcmp(text + at, hash, 16) != 0) {
    at++;
  }
  ck_assert_uint_lt(at + 16, bytes);
  FILE *file = fopen("stop.rhr", "r+b");
  ck_assert_ptr_nonnull(file);
  (void)fseek(file, (long)at, SEEK_SET);
  (void)fputc(text[at] == '0' ? '1' : '0', file);
  (void)fclose(file);
  free(text);
  rh_output output = routh("check", "stop.rhr");
  ck_assert_msg(output.exit_code == 3, "exit code %d: %s%s", output.exit_code, output.out,
                output.err);
  ck_contains(output.err, "stop.rhr: ");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(plots)
{
  rh_folder_enter();
  make_recording();
  rh_output output = routh("plot", "stop.rhr", "hinge.q,hinge.v", "--title",
                           "it's `touch hit` \"$(touch hit)\" \\");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.err, "wrote stop.svg");
  rh_output_free(&output);
  output = routh("plot", "stop.rhr", "stop.rhr", "tip.z", "--against", "tip.x", "-o", "a b'c.png",
                 "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  rh_output_free(&output);
  size_t bytes = 0;
  char *svg = rh_file_text("stop.svg", &bytes);
  ck_assert_ptr_nonnull(svg);
  ck_assert_uint_gt(bytes, 2000);
  ck_contains(svg, "<svg");
  ck_contains(svg, "hinge.v [rad/s]");
  ck_contains(svg, "bounce"); // events are marked
  ck_contains(svg, "it's `touch hit`");
  free(svg);
  char *png = rh_file_text("a b'c.png", &bytes);
  ck_assert_ptr_nonnull(png);
  ck_assert_uint_gt(bytes, 2000);
  ck_assert_mem_eq(png, "\x89PNG\r\n", 6);
  free(png);
  ck_assert_int_eq(rh_folder_count(),
                   3); // the recording and two plots: nothing half made, and no text was run
  rh_folder_leave();
}

END_TEST

START_TEST(plots_that_cannot_be)
{
  rh_folder_enter();
  make_recording();
  rh_output output = routh("plot", "stop.rhr", "hinge.w");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "there is no channel 'hinge.w'; did you mean 'hinge.");
  rh_output_free(&output);
  output = routh("plot", "stop.rhr", "hinge.q,hinge.v,tip.x");
  ck_assert_int_eq(output.exit_code, 2);
  ck_contains(output.err, "third unit [m]");
  rh_output_free(&output);
  output = routh("plot", "stop.rhr", "hinge.q", "-o", "x.pdf");
  ck_assert_int_eq(output.exit_code, 2);
  rh_output_free(&output);
  ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
  output = routh("plot", "stop.rhr", "hinge.q");
  ck_assert_int_eq(output.exit_code, 5);
  ck_contains(output.err, "gnuplot was not found");
  rh_output_free(&output);
  ck_assert_int_eq(rh_folder_count(), 1);
  rh_folder_leave();
}

END_TEST

START_TEST(channels_are_listed)
{
  rh_folder_enter();
  make_recording();
  rh_output output = routh("plot", "--list", "stop.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "hinge.v                rad/s  joints\n");
  rh_output_free(&output);
  output = routh("plot", "--list", "--json", "stop.rhr");
  ck_assert(rh_json_valid(output.out));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

START_TEST(exports)
{
  rh_folder_enter();
  make_recording();
  rh_output output = routh("export", "stop.rhr", "-o", "-", "--channels", "hinge.q,tip.z");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  int lines = 0;
  for (const char *line = output.out; *line != '\0';
       line += strcspn(line, "\n"), line += *line == '\n') {
    lines += *line != '#';
  }
  ck_assert_int_eq(lines, 1 + 101); // the head and the frames
  rh_output_free(&output);
  output = routh("export", "stop.rhr", "-o", "a.h5", "--json");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert(rh_json_valid(output.out));
  ck_assert_double_eq(rh_json_number_at(output.out, "frames"), 101);
  rh_output_free(&output);
  size_t bytes = 0;
  char *hdf = rh_file_text("a.h5", &bytes);
  ck_assert_ptr_nonnull(hdf);
  ck_assert_mem_eq(hdf, "\x89HDF\r\n", 6);
  free(hdf);
  output = routh("export", "stop.rhr", "--channels", "hinge.w");
  ck_assert_int_eq(output.exit_code, 2);
  rh_output_free(&output);
  ck_assert_int_eq(rh_folder_count(), 2);
  rh_folder_leave();
}

END_TEST

// ---- Problems

static const char problems[] =
    "- id: good\n"
    "  kind: inverse_dynamics\n"
    "  inputs:\n"
    "    scene:\n"
    "      bodies: [{name: rod, mass: 2, com: [0, 0, -0.5], inertia: [0.5, 0.5, 0.001, 0, 0, 0]}]\n"
    "      joints: [{name: hinge, kind: revolute, child: rod, axis: [0, 1, 0]}]\n"
    "    a: [3]\n";

START_TEST(problems_are_answered)
{
  rh_folder_enter();
  rh_output output = routh_with(problems, "solve", "-");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_assert_msg(rh_json_valid(output.out), "not JSON:\n%s", output.out);
  char tau[64];
  ck_assert(rh_json_pick(output.out, "tau", tau, sizeof tau));
  // Hanging at rest: tau = (0.5 + 2 * 0.5^2) * 3, exact in binary.
  ck_assert_double_eq(strtod(tau + strspn(tau, "[ "), NULL), 3.0);
  rh_output_free(&output);
  char both[1024];
  (void)snprintf(both, sizeof both, "%s- {id: bad, kind: nonsense, inputs: {}}\n", problems);
  output = routh_with(both, "solve", "-", "-o", "answer.json");
  ck_assert_int_eq(output.exit_code, 3);
  ck_assert_str_eq(output.out, "");
  char *answer = rh_file_text("answer.json", NULL);
  ck_assert_ptr_nonnull(answer);
  ck_assert(rh_json_valid(answer));
  ck_contains(answer, "\"error\"");
  ck_contains(answer, "\"tau\"");
  free(answer);
  rh_output_free(&output);
  output = routh_with(both, "solve", "-", "--only", "good");
  ck_assert_int_eq(output.exit_code, 0);
  ck_assert_ptr_null(strstr(output.out, "\"error\""));
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_run(void)
{
  Suite *suite = suite_create("cli_run");
  TCase *tcase = tcase_create("run");
  tcase_add_test(tcase, default_scene);
  tcase_add_test(tcase, tutorial);
  tcase_add_loop_test(tcase, scenes_run_and_close_their_books, 0,
                      (int)(sizeof scenes / sizeof scenes[0]));
  tcase_add_test(tcase, same_command_same_hash);
  tcase_add_test(tcase, steppers_by_option);
  tcase_add_test(tcase, output_that_cannot_be_written);
  tcase_add_test(tcase, print_scene_runs_nothing);
  tcase_add_loop_test(tcase, cut_runs_go_on_bit_for_bit, 0,
                      (int)(sizeof signals / sizeof signals[0]));
  tcase_add_test(tcase, complete_runs_are_left_alone);
  tcase_add_test(tcase, recordings_are_done_again);
  tcase_add_test(tcase, progress_for_machines);
  tcase_add_test(tcase, damaged_recordings_are_found);
  tcase_add_test(tcase, plots);
  tcase_add_test(tcase, plots_that_cannot_be);
  tcase_add_test(tcase, channels_are_listed);
  tcase_add_test(tcase, time_steps_are_judged);
  tcase_add_test(tcase, exports);
  tcase_add_test(tcase, problems_are_answered);
  suite_add_tcase(suite, tcase);
  return suite;
}
