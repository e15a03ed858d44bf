// cli_resume.c: runs of the program that are killed or interrupted, and gone on with. A sample of tests/kills; and that every
// stepper can be interrupted between frames that are far apart.
#include "program.h"

#include "recording/private.h"

#include <signal.h>
#include <sqlite3.h>

static long frames_in(const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  long frames = 0;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "SELECT count(*) FROM frames", -1, &s, NULL) == SQLITE_OK &&
      sqlite3_step(s) == SQLITE_ROW) {
    frames = (long)sqlite3_column_int64(s, 0);
  }
  (void)sqlite3_finalize(s);
  (void)sqlite3_close(db);
  return frames;
}

// Starts the program and ends it when so many frames are there; false: it was there before that.
static bool end_at(const char *const *words, long frames, int signal)
{
  pid_t child = rh_program_start(words);
  for (;; rh_program_yield()) {
    int state = 0;
    if (waitpid(child, &state, WNOHANG) == child) {
      return false;
    }
    // -wal: it is being written, so the program has begun
    if (rh_file_there("cut.rhr-wal") && frames_in("cut.rhr") >= frames) {
      break;
    }
  }
  (void)kill(child, signal);
  rh_output output = rh_program_wait(child);
  bool cut = output.exit_code != 0;
  ck_assert_msg(output.exit_code == 0 || output.exit_code == 130 ||
                    output.exit_code == 128 + signal,
                "exit code %d: %s", output.exit_code, output.err);
  rh_output_free(&output);
  return cut;
}

// What --json prints, without what is of this process: where and how long it ran, what it was warned of, its recording's name.
static char *summary_of(const char *json)
{
  static const char *const own[] = {"\"t_begun\"", "\"wall\"", "\"recording\""};
  char *text = calloc(strlen(json) + 1, 1);
  size_t used = 0;
  ck_assert_ptr_nonnull(text);
  bool warnings = false;
  for (const char *line = json; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    length += line[length] == '\n';
    warnings = warnings || strncmp(line, "  \"warnings\"", 12) == 0;
    bool skip = warnings;
    warnings = warnings && strncmp(line, "  ]", 3) != 0 && strstr(line, "[]") != line + 14;
    for (int i = 0; i < 3; i++) {
      const char *at = strstr(line, own[i]);
      skip = skip || (at != NULL && at < line + length);
    }
    if (!skip) {
      memcpy(text + used, line, length);
      used += length;
    }
    line += length;
  }
  return text;
}

static void compare_content(const char *a, const char *b)
{
  static const char *const table[] = {"meta", "channels", "frames", "ledger", "events", "inputs"};
  sqlite3 *db = NULL;
  char sql[256];
  ck_assert_int_eq(sqlite3_open(a, &db), SQLITE_OK);
  (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS other", b);
  ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  for (int i = 0; i < 6; i++) {
    sqlite3_stmt *s = NULL;
    (void)snprintf(
        sql, sizeof sql,
        "SELECT (SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM other.%s)) + "
        "(SELECT count(*) FROM (SELECT * FROM other.%s EXCEPT SELECT * FROM main.%s))",
        table[i], table[i], table[i], table[i]);
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
    ck_assert_msg(sqlite3_column_int(s, 0) == 0, "table %s differs", table[i]);
    (void)sqlite3_finalize(s);
  }
  (void)sqlite3_close(db);
}

typedef struct job {
  const char *scene, *set;
} job;

static const job jobs[] = {
    {ROUTH_SOURCE_DIR "/scenes/default.yaml", "run.until=1.5"},
    {ROUTH_SOURCE_DIR "/scenes/slope.yaml", "run.engine=stepping"},
    {ROUTH_SOURCE_DIR "/scenes/haptic-peg-corner.yaml", "record.batch=20"},
    {ROUTH_SOURCE_DIR "/scenes/stop.yaml", "run.integrator=rk4"},
    {ROUTH_SOURCE_DIR "/scenes/billiard-break.yaml", "record.impact_rows=none"},
};

START_TEST(killed_runs_come_to_the_same_content)
{
  const job *j = &jobs[_i];
  rh_folder_enter();
  rh_output output =
      routh("run", j->scene, "-s", j->set, "-s", "record.batch=20", "--json", "-o", "whole.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  char *whole = summary_of(output.out);
  long frames = (long)rh_json_number_at(output.out, "frames");
  rh_output_free(&output);
  static const int signals[] = {SIGKILL, SIGINT, SIGTERM};
  const char *const first[] = {"run",    j->scene, "-s",      j->set, "-s", "record.batch=20",
                               "--json", "-o",     "cut.rhr", NULL};
  const char *const again[] = {"run", "--resume", "cut.rhr", "--json", NULL};
  (void)end_at(first, frames / 4, signals[_i % 3]);
  (void)end_at(again, frames / 2, SIGKILL);
  output = rh_program_run(NULL, again);
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  if (output.nout > 0) { // else it was complete before it could be killed
    char *rest = summary_of(output.out);
    ck_assert_msg(strcmp(rest, whole) == 0, "%.1500s\n---\n%.1500s", rest, whole);
    free(rest);
  }
  compare_content("whole.rhr", "cut.rhr");
  free(whole);
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static long count_impacts(const char *path)
{
  sqlite3 *db = NULL;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  long count =
      (long)rh_rec_integer(db, "SELECT count(*) FROM events WHERE kind = 'impact'", RH_NONE);
  ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
  return count;
}

// Without rows of impacts: the same motion, the same count of impacts in the summary, the other events as before.
START_TEST(impacts_without_rows)
{
  static const char *const choice[] = {"record.impact_rows=all", "record.impact_rows=none"};
  static const char *const file[] = {"all.rhr", "none.rhr"};
  double impacts[2], events[2];
  char *hash[2];
  rh_folder_enter();
  for (int i = 0; i < 2; i++) {
    rh_output output = routh("run", ROUTH_SOURCE_DIR "/scenes/billiard-break.yaml", "-s", choice[i],
                             "--json", "-o", file[i]);
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    impacts[i] = rh_json_number_at(output.out, "impacts");
    events[i] = rh_json_number_at(output.out, "event_count");
    rh_output_free(&output);
    output = routh("check", file[i]);
    ck_assert_msg(output.exit_code == 0, "%s", output.err);
    hash[i] = strdup(strstr(output.out, "hash"));
    rh_output_free(&output);
  }
  ck_assert_double_gt(impacts[0], 0);
  ck_assert_double_eq(impacts[0], impacts[1]);
  ck_assert_int_eq(count_impacts(file[1]), 0);
  ck_assert_double_eq(events[0] - events[1], (double)count_impacts(file[0]));
  ck_assert_str_eq(hash[0], hash[1]);
  free(hash[0]);
  free(hash[1]);
  rh_folder_leave();
}

END_TEST

static const char *const far_apart[][3] = {
    {ROUTH_SOURCE_DIR "/scenes/stop.yaml", "run.integrator=euler", "run.dt=1e-6"},
    {ROUTH_SOURCE_DIR "/scenes/stop.yaml", "run.integrator=rk4", "run.dt=1e-6"},
    {ROUTH_SOURCE_DIR "/scenes/double-pendulum.yaml", "run.integrator=gbs", "run.dt=1e-6"},
    {ROUTH_SOURCE_DIR "/scenes/double-pendulum.yaml", "run.integrator=cvode", "run.max_step=1e-6"},
    {ROUTH_SOURCE_DIR "/scenes/stack.yaml", "run.engine=stepping", "run.dt=1e-6"},
    {ROUTH_SOURCE_DIR "/scenes/haptic-clutter.yaml", "run.engine=haptic", "run.dt=1e-6"},
};

// One frame in a thousand seconds, which would take hours.
START_TEST(every_stepper_is_interrupted_between_frames)
{
  const char *const *f = far_apart[_i];
  rh_folder_enter();
  const char *const words[] = {"run",  f[0],      "-s",   f[1], "-s",      f[2], "--until",
                               "5000", "--every", "1000", "-o", "cut.rhr", NULL};
  ck_assert(end_at(words, 1, _i % 2 == 0 ? SIGINT : SIGTERM));
  rh_output output = routh("check", "cut.rhr");
  ck_assert_msg(output.exit_code == 0, "%s", output.err);
  ck_contains(output.out, "1 frame");
  rh_output_free(&output);
  ck_assert(end_at((const char *const[]){"run", "--resume", "cut.rhr", NULL}, 1, SIGINT));
  rh_folder_leave();
}

END_TEST

// A run that was killed after its last frame, before the recording was closed, is closed by --resume.
START_TEST(an_end_that_was_not_written_is)
{
  sqlite3 *db = NULL;
  rh_folder_enter();
  rh_output output =
      routh("run", ROUTH_SOURCE_DIR "/scenes/stop.yaml", "--until", "0.5", "-o", "a.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  ck_assert_int_eq(sqlite3_open("a.rhr", &db), SQLITE_OK);
  ck_assert(rh_rec_exec(db, "DELETE FROM meta WHERE key IN('ended', 'reason')") &&
            rh_rec_write_head_sum(db));
  ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
  output = routh("run", "--resume", "a.rhr", "--until", "0.5");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  output = routh("check", "a.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  ck_contains(output.out, "ended: ");
  rh_output_free(&output);
  rh_folder_leave();
}

END_TEST

static const struct {
  const char *until;
  int exit_code;
} ends[] = {{"0", 2}, {"-1", 2}, {"1e-310", 2}, {"nan", 2}, {"inf", 2}, {"1e10", 2}};

START_TEST(ends_that_are_none_are_refused_on_resume)
{
  rh_folder_enter();
  rh_output output =
      routh("run", ROUTH_SOURCE_DIR "/scenes/stop.yaml", "--until", "0.5", "-o", "a.rhr");
  ck_assert_int_eq(output.exit_code, 0);
  rh_output_free(&output);
  for (int i = 0; i < (int)(sizeof ends / sizeof ends[0]); i++) {
    output = routh("run", "--resume", "a.rhr", "--until", ends[i].until);
    ck_assert_msg(output.exit_code == ends[i].exit_code, "%s: exit code %d", ends[i].until,
                  output.exit_code);
    ck_contains(output.err, "--until");
    rh_output_free(&output);
  }
  rh_folder_leave();
}

END_TEST

// Footfalls of a robot with four legs, by the names of its feet, are those of the uninterrupted run; a fall is reported, and ends
// the run where that is asked for.
#define TROT                                                                                       \
  ROUTH_SOURCE_DIR "/scenes/quadruped.yaml", "-s", "gait.gait=trot", "-s", "gait.cycle=0.5", "-s", \
      "gait.cycles=1", "-s", "record.batch=10"

static char *walk_of(const rh_output *output)
{
  const char *walk = strstr(output->out, "\"walk\": {");
  ck_assert_msg(output->exit_code == 0 && walk != NULL, "%s%s", output->out, output->err);
  const char *end = strstr(walk, "\n  }");
  ck_assert_ptr_nonnull(end);
  return strndup(walk, (size_t)(end - walk));
}

START_TEST(footfalls_of_many_legs_are_resumed)
{
  static const char *const feet[] = {"lf_foot", "rf_foot", "lh_foot", "rh_foot"};
  rh_folder_enter();
  rh_output whole = routh("run", TROT, "--until", "2", "--json", "-o", "a.rhr");
  rh_output part = routh("run", TROT, "--until", "1.2", "--json", "-o", "b.rhr");
  rh_output rest = routh("run", "--resume", "b.rhr", "--until", "2", "--json");
  char *walk = walk_of(&whole);
  char *again = walk_of(&rest);
  ck_assert_str_eq(walk, again);
  ck_contains(walk, "\"fell\": null");
  for (int i = 0; i < 4; i++) {
    ck_contains(walk, feet[i]);
  }
  free(walk);
  free(again);
  rh_output_free(&whole);
  rh_output_free(&part);
  rh_output_free(&rest);
  // on ground that tilts sideways
  whole = routh("run", TROT, "-s", "world.gravity=[0,9,-6]", "--until", "2", "--json",
                "--stop-at-fall", "--no-record");
  ck_contains(whole.out, "\"fell\": 0.");
  rh_output_free(&whole);
  rh_folder_leave();
}

END_TEST

Suite *rh_suite_cli_resume(void)
{
  Suite *suite = suite_create("cli_resume");
  TCase *tc = tcase_create("resume");
  tcase_add_loop_test(tc, killed_runs_come_to_the_same_content, 0, 5);
  tcase_add_test(tc, impacts_without_rows);
  tcase_add_loop_test(tc, every_stepper_is_interrupted_between_frames, 0, 6);
  tcase_add_test(tc, an_end_that_was_not_written_is);
  tcase_add_test(tc, ends_that_are_none_are_refused_on_resume);
  tcase_add_test(tc, footfalls_of_many_legs_are_resumed);
  suite_add_tcase(suite, tc);
  return suite;
}
