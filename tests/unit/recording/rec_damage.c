// unit_rec_damage.c: recordings as hostile input, and outputs that cannot be written. Whatever was done to a file, it is
// refused with a message, or what is read from it is what was written; and no file that is not ours is ever harmed.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static world good_world;
static run *good;

static void setup(void)
{
  rec_setup();
  good_world = world_open(NULL, 0);
  good = run_recorded(&good_world, rec_at("a.rhr"), 0.6);
  ck_assert_int_ge(good->events, 2); // else there is nothing to spoil
}

static void teardown(void)
{
  run_close(good);
  world_close(&good_world);
  rec_teardown();
}

// ---- Small tools

static size_t read_all(const char *path, unsigned char **bytes)
{
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  long size = ftell(file);
  ck_assert_int_ge(size, 0);
  rewind(file);
  *bytes = calloc((size_t)size + 1, 1);
  ck_assert_uint_eq(fread(*bytes, 1, (size_t)size, file), (size_t)size);
  (void)fclose(file);
  return (size_t)size;
}

static void write_all(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

// The file must be refused, with a message that names it.
static void check_refused(const char *path, const char *what)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  rh_status status = rh_recording_open(path, diag, &recording);
  ck_assert_msg(status == RH_INPUT_REFUSED, "%s: %s", what, rh_status_name(status));
  ck_assert_ptr_null(recording);
  ck_assert_msg(rh_diag_count(diag, RH_ERROR) > 0, "%s: no message", what);
  ck_assert_str_eq(rh_diag_get(diag, 0).place.file, path);
  rh_diag_destroy(diag);
}

// What can be opened must read as it was written, or be refused frame by frame. Returns how many frames were right.
static long check_honest(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *recording = NULL;
  rh_status status = rh_recording_open(path, diag, &recording);
  long right = 0;
  if (status != RH_OK) {
    ck_assert_int_gt(rh_diag_count(diag, RH_ERROR), 0);
    rh_diag_destroy(diag);
    return 0;
  }
  ck_assert_int_eq(rh_recording_model(recording)->layout.nstate, good->nstate);
  double *state = calloc((size_t)good->nstate, sizeof(double));
  for (long i = 0; i < rh_recording_frames(recording); i++) {
    if (rh_recording_frame(recording, i, state, NULL, diag) == RH_OK) {
      ck_assert_int_lt(i, good->frames);
      ck_assert(memcmp(state, good->state + i * good->nstate,
                       (size_t)good->nstate * sizeof(double)) == 0);
      right++;
    }
  }
  for (long i = 0; i < rh_recording_events(recording); i++) {
    rh_event event; // events carry no checksum: what is taken must only be possible
    if (rh_recording_event(recording, i, &event, diag) == RH_OK) {
      ck_assert_int_lt(event.dof, good_world.model->nv);
    }
  }
  free(state);
  rh_recording_close(recording);
  rh_diag_destroy(diag);
  return right;
}

// Copies the good recording to "b.rhr" and runs SQL on the copy.
static const char *spoil(const char *sql)
{
  unsigned char *bytes = NULL;
  size_t size = read_all(rec_at("a.rhr"), &bytes);
  const char *path = rec_at("b.rhr");
  write_all(path, bytes, size);
  free(bytes);
  sqlite3 *db = NULL;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  char *error = NULL;
  ck_assert_int_eq(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL),
                   SQLITE_OK); // only for speed
  ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &error) == SQLITE_OK, "%s: %s", sql, error);
  (void)sqlite3_close(db);
  return path;
}

// ---- Files that are no recordings, or were one

START_TEST(other_files_are_refused)
{
  static const char text[] = "world: {gravity: [0, 0, -9.81]}\n";
  write_all(rec_at("t.rhr"), text, sizeof text - 1);
  check_refused(rec_at("t.rhr"), "a text");
  write_all(rec_at("e.rhr"), text, 0);
  check_refused(rec_at("e.rhr"), "an empty file");
  rh_diag *diag = rh_diag_create();
  rh_recording *none = NULL;
  ck_assert_int_eq(rh_recording_open(rec_at("e.rhr"), diag, &none), RH_INPUT_REFUSED);
  ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "is empty"));
  rh_diag_destroy(diag);
  check_refused(rec_at("none.rhr"), "no file");
  check_refused(rec_folder, "a folder");
  check_refused("/dev/null", "a device");
  check_refused("", "no name");
  sqlite3 *db = NULL;
  ck_assert_int_eq(sqlite3_open(rec_at("s.rhr"), &db), SQLITE_OK);
  ck_assert_int_eq(sqlite3_exec(db, "CREATE TABLE frames(id)", NULL, NULL, NULL), SQLITE_OK);
  (void)sqlite3_close(db);
  check_refused(rec_at("s.rhr"), "a database of somebody else");
}

END_TEST

START_TEST(truncated_files)
{
  unsigned char *bytes = NULL;
  size_t size = read_all(rec_at("a.rhr"), &bytes);
  for (int i = 1; i < 40; i++) {
    size_t cut = size * (size_t)i / 40;
    write_all(rec_at("b.rhr"), bytes, cut);
    (void)check_honest(rec_at("b.rhr"));
  }
  write_all(rec_at("b.rhr"), bytes, 99); // the head of an SQLite file has 100 bytes
  check_refused(rec_at("b.rhr"), "half a head");
  write_all(rec_at("b.rhr"), bytes, 100);
  check_refused(rec_at("b.rhr"), "a head and nothing else");
  free(bytes);
}

END_TEST

START_TEST(flipped_bytes)
{
  unsigned char *bytes = NULL;
  size_t size = read_all(rec_at("a.rhr"), &bytes);
  uint64_t seed = 99;
  long least = good->frames;
  for (int i = 0; i < 300; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(seed >> 20) %
                (i % 3 == 0 ? 4096 : size); // a third of them into the page with the schema
    unsigned char old = bytes[at];
    bytes[at] ^= (unsigned char)(1u << (seed >> 61));
    write_all(rec_at("b.rhr"), bytes, size);
    bytes[at] = old;
    long right = check_honest(rec_at("b.rhr"));
    least = right < least ? right : least;
  }
  ck_assert_int_lt(least, good->frames); // else nothing was put to the test
  free(bytes);
}

END_TEST

START_TEST(spoiled_tables)
{
  static const char *const sql[] = {
      "DROP TABLE meta",
      "DROP TABLE channels",
      "DROP TABLE frames",
      "DROP TABLE ledger",
      "DROP TABLE events",
      "ALTER TABLE frames ADD COLUMN more",
      "DROP TABLE frames; CREATE VIEW frames AS SELECT 0 id, 0.0 t, x'' state, '' hash, 0 sum",
      "CREATE TRIGGER boom AFTER INSERT ON frames BEGIN DELETE FROM frames; END",
      "PRAGMA user_version = 1",
      "PRAGMA application_id = 1",
      "DELETE FROM meta",
      "DELETE FROM meta WHERE key = 'scene'",
      "UPDATE meta SET value = 'bodies: [' WHERE key = 'scene'",
      "UPDATE meta SET value = '' WHERE key = 'scene'",
      "UPDATE meta SET value = zeroblob(10000000) WHERE key = 'scene'",
      "UPDATE meta SET value = replace(value, 'bob', 'rod') WHERE key = 'scene'",
      "UPDATE meta SET value = '3' WHERE key = 'nq'",
      "UPDATE meta SET value = '99999999999999999999' WHERE key = 'nstate'",
      "UPDATE meta SET value = '-1' WHERE key = 'nv'",
      "UPDATE meta SET value = '0' WHERE key = 'batch'",
      "UPDATE meta SET value = 'nan' WHERE key = 'every'",
      "UPDATE meta SET value = '1' WHERE key = 'format'",
      "DELETE FROM frames WHERE id = 0",
      "DELETE FROM frames WHERE id = 60",
      "DELETE FROM ledger WHERE frame = 7",
      "DELETE FROM events WHERE id = 0",
      "UPDATE frames SET id = 4611686018427387904 WHERE id = 60",
      "UPDATE frames SET id = -5 WHERE id = 0",
      "UPDATE events SET id = 9000000000000000000 WHERE id = 1",
      "INSERT INTO meta SELECT 'key' || a.id || '.' || b.id, '' FROM frames a, frames b",
  };
  for (int i = 0; i < RH_COUNT(sql); i++) {
    check_refused(spoil(sql[i]), sql[i]);
  }
}

END_TEST

// One frame is spoiled: it alone is refused, with its number.
START_TEST(spoiled_frames)
{
  static const char *const sql[] = {
      "DELETE FROM frames WHERE id = 5",
      "UPDATE frames SET state = zeroblob(length(state)) WHERE id = 5",
      "UPDATE frames SET state = substr(state, 1, length(state) - 8) WHERE id = 5",
      "UPDATE frames SET state = state || zeroblob(8) WHERE id = 5",
      "UPDATE frames SET state = '' WHERE id = 5",
      "UPDATE frames SET state = 12 WHERE id = 5",
      "UPDATE frames SET state = zeroblob(300000000) WHERE id = 5", // longer than a reader takes
      "UPDATE frames SET state = (SELECT state FROM frames WHERE id = 6) WHERE id = 5",
      "REPLACE INTO frames SELECT 5, t, state, hash, sum FROM frames WHERE id = 6",
      "UPDATE frames SET hash = '0123456789abcdef' WHERE id = 5",
      "UPDATE frames SET hash = 'no hash' WHERE id = 5",
      "UPDATE frames SET hash = '0x23456789abcdef' WHERE id = 5",
      "UPDATE frames SET sum = sum + 1 WHERE id = 5",
      "UPDATE frames SET sum = 'text' WHERE id = 5",
      "UPDATE frames SET t = t + 1e-9 WHERE id = 5",
      "UPDATE frames SET t = NULL WHERE id = 5",
  };
  double *state = calloc((size_t)good->nstate, sizeof(double));
  for (int i = 0; i < RH_COUNT(sql); i++) {
    rh_diag *diag = rh_diag_create();
    rh_recording *recording = rec_open(spoil(sql[i]));
    ck_assert_msg(rh_recording_frame(recording, 5, state, NULL, diag) == RH_INPUT_REFUSED, "%s",
                  sql[i]);
    ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
    ck_assert_ptr_nonnull(strstr(rh_diag_get(diag, 0).text, "frame 5 "));
    ck_assert_int_eq(rh_recording_frame(recording, 4, state, NULL, diag), RH_OK);
    ck_assert_int_eq(rh_recording_export(recording, "csv", rec_at("out.csv"), NULL, 0, diag),
                     RH_INPUT_REFUSED);
    ck_assert_int_eq(access(rec_at("out.csv"), F_OK), -1); // half a file is no file
    rh_recording_close(recording);
    rh_diag_destroy(diag);
  }
  free(state);
}

END_TEST

START_TEST(spoiled_events)
{
  static const char *const sql[] = {
      "UPDATE events SET kind = 'party' WHERE id = 0",
      "UPDATE events SET kind = zeroblob(4) WHERE id = 0",
      "UPDATE events SET name = printf('%100s', 'x') WHERE id = 0",
      "UPDATE events SET dof = 2 WHERE id = 0",
      "UPDATE events SET dof = -2 WHERE id = 0",
      "UPDATE events SET dof = 4294967296 WHERE id = 0",
      "UPDATE events SET frame = 1000 WHERE id = 0",
      "UPDATE events SET frame = -1 WHERE id = 0",
  };
  for (int i = 0; i < RH_COUNT(sql); i++) {
    rh_diag *diag = rh_diag_create();
    rh_recording *recording = rec_open(spoil(sql[i]));
    rh_event event;
    ck_assert_msg(rh_recording_event(recording, 0, &event, diag) == RH_INPUT_REFUSED, "%s", sql[i]);
    ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
    rh_recording_close(recording);
    rh_diag_destroy(diag);
  }
}

END_TEST

// A checksum proves nothing against a forger: states that would lead to undefined behaviour are refused all the same.
START_TEST(forged_state)
{
  unsigned char *bytes = NULL;
  (void)read_all(rec_at("a.rhr"), &bytes);
  free(bytes);
  rh_data *data = rh_data_create(good_world.model);
  const double bad[] = {1e300, -1.0, 0.5, RH_HOLD_COUNT, (double)NAN};
  rh_recorder *recorder = NULL;
  for (int i = 0; i < RH_COUNT(bad); i++) {
    const char *path = spoil("SELECT 1"); // what is damaged already is not gone on with
    ck_assert_int_eq(rh_recorder_resume(path, good_world.model, 4, good_world.diag, &recorder),
                     RH_OK);
    rh_data *view = rh_sim_data(good_world.sim);
    double before = view->hold[0];
    view->hold[0] = bad[i]; // the recorder signs whatever it is given
    ck_assert_int_eq(rh_recorder_frame(recorder, good_world.sim, 5), RH_OK);
    view->hold[0] = before;
    ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
    rh_recording *recording = rec_open(path);
    ck_assert_int_eq(rh_recording_frame(recording, 5, data->state, NULL, NULL), RH_INPUT_REFUSED);
    rh_recording_close(recording);
  }
  rh_data_destroy(data);
}

END_TEST

// ---- Outputs that cannot be written

static rh_status try_create(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_recorder *recorder = NULL;
  rh_status status =
      rh_recorder_create(path, good_world.model, "", good_world.text, diag, &recorder);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR) > 0, status != RH_OK);
  ck_assert_int_eq(recorder == NULL, status != RH_OK);
  if (recorder) {
    ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
  }
  rh_diag_destroy(diag);
  return status;
}

START_TEST(foreign_files_are_left_alone)
{
  static const char text[] = "my only copy";
  write_all(rec_at("note.rhr"), text, sizeof text);
  ck_assert_int_eq(try_create(rec_at("note.rhr")), RH_OUTPUT_NOT_WRITTEN);
  write_all(rec_at("new.rhr.part"), text,
            sizeof text); // in the way of a file that is only there for a moment
  ck_assert_int_eq(try_create(rec_at("new.rhr")), RH_OK);
  static const char *const name[] = {"note.rhr", "new.rhr.part"};
  for (int i = 0; i < RH_COUNT(name); i++) {
    unsigned char *bytes = NULL;
    ck_assert_uint_eq(read_all(rec_at(name[i]), &bytes), sizeof text);
    ck_assert_int_eq(memcmp(bytes, text, sizeof text), 0);
    free(bytes);
  }
  ck_assert_int_eq(rec_files(), 4);
}

END_TEST

START_TEST(bad_paths)
{
  ck_assert_int_eq(try_create(rec_folder), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(try_create(rec_at("none/a.rhr")), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(try_create(""), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(try_create("/dev/null"), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(try_create(rec_at("a.rhr/b.rhr")), RH_OUTPUT_NOT_WRITTEN);
  char *longest = calloc(8192, 1);
  memset(longest, 'x', 8191);
  ck_assert_int_eq(try_create(longest), RH_OUTPUT_NOT_WRITTEN);
  free(longest);
  write_all(rec_at("empty.rhr"), "", 0);
  ck_assert_int_eq(try_create(rec_at("empty.rhr")), RH_OK); // nothing is lost with an empty file
  ck_assert_int_eq(symlink(rec_at("a.rhr"), rec_at("link.rhr")), 0);
  ck_assert_int_eq(try_create(rec_at("link.rhr")), RH_OK);
  struct stat info;
  ck_assert_int_eq(lstat(rec_at("link.rhr"), &info), 0);
  ck_assert(S_ISLNK(info.st_mode)); // the recording behind the link was replaced, not the link
  ck_assert_int_eq(chdir(rec_folder), 0);
  ck_assert_int_eq(try_create(":memory:"), RH_OK); // a name like any other
  ck_assert_int_eq(access(rec_at(":memory:"), F_OK), 0);
  ck_assert_int_eq(try_create("file:x?mode=memory"), RH_OK);
  ck_assert_int_eq(access(rec_at("file:x?mode=memory"), F_OK), 0);
  ck_assert_int_eq(chdir("/"), 0);
}

END_TEST

// As a user without rights, who can write nothing in the folder.
static void without_rights(void (*act)(void))
{
  ck_assert_int_eq(chmod(rec_folder, 0555), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
      _exit(0); // no such user in this container: nothing can be shown
    }
    act();
    _exit(0);
  }
  int status = 0;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(chmod(rec_folder, 0755), 0);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ended with %d", status);
}

static void read_only_folder(void)
{
  ck_assert_int_eq(try_create(rec_at("new.rhr")), RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(try_create(rec_at("a.rhr")), RH_OUTPUT_NOT_WRITTEN);
  rh_recorder *recorder = NULL;
  ck_assert_int_eq(rh_recorder_resume(rec_at("a.rhr"), good_world.model, 10, NULL, &recorder),
                   RH_OUTPUT_NOT_WRITTEN);
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  rec_compare(recording, good);
  ck_assert_int_eq(rh_recording_export(recording, "csv", rec_at("a.csv"), NULL, 0, NULL),
                   RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(rh_recording_export(recording, "hdf5", rec_at("a.h5"), NULL, 0, NULL),
                   RH_OUTPUT_NOT_WRITTEN);
  rh_recording_close(recording);
}

START_TEST(read_only_folder_is_read)
{
  without_rights(read_only_folder);
  ck_assert_int_eq(rec_files(), 1);
}

END_TEST

static void left_behind(void)
{
  rh_recording *recording = rec_open(rec_at("wal.rhr"));
  ck_assert_int_eq(rec_verify(recording), 41);
  rh_recording_close(recording);
}

static void left_alone(void)
{
  rh_recording *recording = rec_open(rec_at("wal.rhr"));
  (void)rec_verify(recording);
  rh_recording_close(recording);
}

// A recording whose writer died, then the folder became read-only: with its -wal, and without.
START_TEST(dead_recording_in_read_only_folder)
{
  pid_t child = fork();
  if (child == 0) {
    world w = world_open(NULL, 0);
    run *r = run_open(&w, rec_at("wal.rhr"));
    r->stop_at = 40;
    (void)rh_sim_run(w.sim, 2.0);
    (void)kill(getpid(), SIGKILL);
  }
  ck_assert_int_eq(waitpid(child, NULL, 0), child);
  ck_assert_int_eq(access(rec_at("wal.rhr-wal"), F_OK), 0);
  without_rights(left_behind);
  ck_assert_int_eq(unlink(rec_at("wal.rhr-wal")), 0);
  ck_assert_int_eq(unlink(rec_at("wal.rhr-shm")), 0);
  without_rights(left_alone);
}

END_TEST

// A file that may grow no further stands for a full disk. Check writes files as well, so the limit holds for one call.
static void allow(rlim_t bytes)
{
  struct rlimit limit = {bytes, RLIM_INFINITY};
  (void)setrlimit(RLIMIT_FSIZE, &limit);
}

START_TEST(full_disk)
{
  (void)signal(SIGXFSZ, SIG_IGN);
  static const char *const set[] = {"run.integrator=euler", "run.dt=0.001", "record.every=0.001"};
  world w = world_open(set, 3);
  run *r = run_open(&w, rec_at("full.rhr"));
  ck_assert_str_eq(rh_recorder_error(r->recorder), "");
  allow(200000);
  rh_status status = rh_sim_run(w.sim, 1e3);
  long committed = rh_recorder_committed(r->recorder);
  rh_status again = rh_recorder_frame(r->recorder, w.sim, committed);
  bool said = rh_recorder_error(r->recorder)[0] != '\0';
  rh_status closed = rh_recorder_close(r->recorder, RH_OUTPUT_NOT_WRITTEN, "full");
  allow(RLIM_INFINITY);
  ck_assert_int_eq(status, RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(again, RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(closed, RH_OUTPUT_NOT_WRITTEN);
  ck_assert(said);
  ck_assert_int_gt(committed, 0);
  rh_recording *recording = rec_open(rec_at("full.rhr"));
  ck_assert_int_eq(rec_verify(recording), committed);
  rh_recording_close(recording);
  run_close(r);
  world_close(&w);
}

END_TEST

START_TEST(full_disk_at_the_start)
{
  (void)signal(SIGXFSZ, SIG_IGN);
  rh_diag *diag = rh_diag_create();
  rh_recorder *recorder = NULL;
  rh_recording *recording = rec_open(rec_at("a.rhr"));
  allow(4096);
  rh_status made =
      rh_recorder_create(rec_at("a.rhr"), good_world.model, "", good_world.text, diag, &recorder);
  rh_status csv = rh_recording_export(recording, "csv", rec_at("a.csv"), NULL, 0, diag);
  rh_status hdf5 = rh_recording_export(recording, "hdf5", rec_at("a.h5"), NULL, 0, diag);
  allow(RLIM_INFINITY);
  ck_assert_int_eq(made, RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(csv, RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(hdf5, RH_OUTPUT_NOT_WRITTEN);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 3);
  ck_assert_int_eq(rec_files(), 1);
  rec_compare(recording, good); // the old one stayed
  rh_recording_close(recording);
  rh_diag_destroy(diag);
}

END_TEST

Suite *rh_suite_unit_rec_damage(void)
{
  Suite *suite = suite_create("unit_rec_damage");
  TCase *tests = tcase_create("damage");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, other_files_are_refused);
  tcase_add_test(tests, truncated_files);
  tcase_add_test(tests, flipped_bytes);
  tcase_add_test(tests, spoiled_tables);
  tcase_add_test(tests, spoiled_frames);
  tcase_add_test(tests, spoiled_events);
  tcase_add_test(tests, forged_state);
  tcase_add_test(tests, foreign_files_are_left_alone);
  tcase_add_test(tests, bad_paths);
  tcase_add_test(tests, read_only_folder_is_read);
  tcase_add_test(tests, dead_recording_in_read_only_folder);
  tcase_add_test(tests, full_disk);
  tcase_add_test(tests, full_disk_at_the_start);
  suite_add_tcase(suite, tests);
  return suite;
}
