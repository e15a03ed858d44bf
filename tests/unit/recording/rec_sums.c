// unit_rec_sums.c: the sums of a recording cover all it holds. Whatever value of whatever table is changed, taken away or added,
// and whatever byte of the file: it is refused, or what is read is what was written. Also what becomes of an older recording.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include <sqlite3.h>

#define UNTIL 0.35

static world w;

// With an input now and then; it has no effect.
static rh_status put_frame(void *user, const rh_sim *sim, long index)
{
  rh_recorder *recorder = user;
  const rh_input drop = {.kind = RH_INPUT_DROP, .name = "", .value = ""};
  rh_status status = rh_recorder_frame(recorder, sim, index);
  return status == RH_OK && index % 9 == 4 ? rh_recorder_input(recorder, &drop) : status;
}

static rh_status put_event(void *user, const rh_sim *sim, const rh_event *event)
{
  return rh_recorder_event(user, sim, event);
}

static void record(const char *path, double until)
{
  rh_recorder *recorder = NULL;
  ck_assert_int_eq(rh_recorder_create(path, w.model, "rec.yaml", w.text, w.diag, &recorder), RH_OK);
  const rh_observer observer = {.user = recorder, .frame = put_frame, .event = put_event};
  rh_sim_observe(w.sim, &observer);
  ck_assert_int_eq(rh_sim_run(w.sim, until), RH_OK);
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, NULL), RH_OK);
}

static void setup(void)
{
  rec_setup();
  w = world_open(NULL, 0);
  record(rec_at("a.rhr"), UNTIL);
}

static void teardown(void)
{
  world_close(&w);
  rec_teardown();
}

static void copy(const char *from, const char *to)
{
  char piece[65536];
  FILE *in = fopen(from, "rb");
  FILE *out = fopen(to, "wb");
  ck_assert(in != NULL && out != NULL);
  for (size_t n = 0; (n = fread(piece, 1, sizeof piece, in)) > 0;) {
    ck_assert_uint_eq(fwrite(piece, 1, n, out), n);
  }
  (void)fclose(in);
  ck_assert_int_eq(fclose(out), 0);
}

// As `routh check` does.
static bool accepted(const char *path)
{
  rh_diag *diag = rh_diag_create();
  rh_recording *r = NULL;
  bool good = rh_recording_open(path, diag, &r) == RH_OK;
  for (long i = 0; good && i < rh_recording_frames(r); i++) {
    rh_data *data = NULL;
    good = rh_recording_world(r, i, &data, NULL, diag) == RH_OK;
  }
  good = good && rh_recording_verify(r, diag) == RH_OK;
  rh_recording_close(r);
  ck_assert(good || rh_diag_count(diag, RH_ERROR) > 0);
  rh_diag_destroy(diag);
  return good;
}

static bool resumed(const char *path)
{
  rh_recorder *recorder = NULL;
  rh_diag *diag = rh_diag_create();
  bool good = rh_recorder_resume(path, w.model, 30, diag, &recorder) == RH_OK;
  (void)rh_recorder_close(recorder, RH_OK, NULL);
  rh_diag_destroy(diag);
  return good;
}

static bool execute(const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
  bool done = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK && sqlite3_total_changes(db) > 0;
  (void)sqlite3_close(db);
  return done;
}

START_TEST(whole_recordings_are_accepted)
{
  ck_assert(accepted(rec_at("a.rhr")));
  ck_assert(resumed(rec_at("a.rhr")));
  ck_assert(accepted(rec_at("a.rhr")));
}

END_TEST

// ---- Changed by SQL

static const char *const tables[] = {"meta",   "channels", "frames", "ledger",
                                     "events", "inputs",   "sums"};

// Which row: the first, one in the middle, the last.
static const char *const rows[] = {
    "(SELECT min(rowid) FROM %s)",
    "(SELECT rowid FROM %s ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) / 2 FROM %s))",
    "(SELECT max(rowid) FROM %s)"};

static void expect_refusal(const char *sql)
{
  copy(rec_at("a.rhr"), rec_at("b.rhr"));
  if (!execute(rec_at("b.rhr"), sql)) {
    return; // it changed nothing, or SQLite does not allow it
  }
  ck_assert_msg(!accepted(rec_at("b.rhr")), "not found: %s", sql);
  ck_assert_msg(!resumed(rec_at("b.rhr")), "gone on with: %s", sql);
}

static void change_columns(const char *table, const char *row)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  char sql[512];
  (void)snprintf(sql, sizeof sql, "SELECT name, type FROM pragma_table_info('%s')", table);
  ck_assert_int_eq(sqlite3_open(rec_at("a.rhr"), &db), SQLITE_OK);
  ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
  int columns = 0;
  while (sqlite3_step(s) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(s, 0);
    const char *type = (const char *)sqlite3_column_text(s, 1);
    const char *change = strcmp(type, "TEXT") == 0   ? "%s || 'x'"
                         : strcmp(type, "BLOB") == 0 ? "zeroblob(length(%s))"
                                                     : "coalesce(%s, 0) + 0.5";
    change = strcmp(type, "INTEGER") == 0 ? "%s + 1" : change;
    char value[128];
    // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral)
    (void)snprintf(value, sizeof value, change, name);
    (void)snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE rowid = %s", table, name, value,
                   row);
    expect_refusal(sql);
    columns++;
  }
  ck_assert_int_ge(columns, 2);
  (void)sqlite3_finalize(s);
  (void)sqlite3_close(db);
}

START_TEST(changed_values)
{
  const char *table = tables[_i];
  for (int k = 0; k < RH_COUNT(rows); k++) {
    char row[256];
    char sql[512];
    (void)snprintf(row, sizeof row, rows[k], table, table);
    change_columns(table, row);
    (void)snprintf(sql, sizeof sql, "DELETE FROM %s WHERE rowid = %s", table, row);
    expect_refusal(sql);
  }
}

END_TEST

START_TEST(added_and_cut)
{
  static const char *const sql[] = {
      "INSERT INTO meta VALUES('extra', 'x')",
      "INSERT INTO channels VALUES(100000, 'x', 'm')",
      "INSERT INTO events SELECT max(id) + 1, max(frame), t, kind, name, dof, slot, x, y, z, "
      "before, "
      "after, impulse, friction, dn, dt, work, note FROM events",
      "INSERT INTO inputs SELECT max(id) + 1, max(frame), t, kind, name, value FROM inputs",
      // two rows changed places
      "UPDATE events SET id = 1000 WHERE id = 0; UPDATE events SET id = 0 WHERE id = 1; "
      "UPDATE events SET id = 1 WHERE id = 1000",
      // as if it had ended earlier
      "DELETE FROM frames WHERE id > 20; DELETE FROM ledger WHERE frame > 20; "
      "DELETE FROM events WHERE frame > 20; DELETE FROM inputs WHERE frame > 19; "
      "DELETE FROM sums WHERE frame > 20",
  };
  expect_refusal(sql[_i]);
}

END_TEST

// ---- Changed bytes

static char *dump(const char *path) // NULL: SQLite cannot read it
{
  sqlite3 *db = NULL;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  bool good = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
  for (int i = 0; good && i < RH_COUNT(tables); i++) {
    sqlite3_stmt *s = NULL;
    char sql[64];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[i]);
    good = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK;
    int step = SQLITE_DONE;
    while (good && (step = sqlite3_step(s)) == SQLITE_ROW) {
      for (int k = 0; k < sqlite3_column_count(s); k++) {
        const void *bytes = sqlite3_column_blob(s, k);
        (void)fprintf(out, "%d:%d:", sqlite3_column_type(s, k), sqlite3_column_bytes(s, k));
        (void)fwrite(bytes ? bytes : "", 1, (size_t)sqlite3_column_bytes(s, k), out);
      }
    }
    good = good && step == SQLITE_DONE;
    (void)sqlite3_finalize(s);
  }
  (void)sqlite3_close(db);
  (void)fputc('\0', out);
  (void)fclose(out);
  if (!good) {
    free(text);
    return NULL;
  }
  // The zero bytes inside do not matter to a sum of all of them.
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++) {
    sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
  }
  (void)snprintf(text, size, "%016llx", (unsigned long long)sum);
  return text;
}

START_TEST(changed_bytes)
{
  char *want = dump(rec_at("a.rhr"));
  FILE *file = fopen(rec_at("a.rhr"), "rb");
  ck_assert_ptr_nonnull(file);
  (void)fseek(file, 0, SEEK_END);
  long size = ftell(file);
  (void)fclose(file);
  int refused = 0;
  int flips = RH_TEST_SLOW ? 40 : 160;
  for (int k = 0; k < flips; k++) {
    long at = (long)((double)size * (k + 0.37 * (_i + 1)) / (flips + 1));
    copy(rec_at("a.rhr"), rec_at("b.rhr"));
    file = fopen(rec_at("b.rhr"), "r+b");
    (void)fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    (void)fseek(file, at, SEEK_SET);
    (void)fputc(byte ^ (1 << (k + _i) % 8), file);
    (void)fclose(file);
    bool good = accepted(rec_at("b.rhr"));
    char *got = good ? dump(rec_at("b.rhr")) : NULL;
    ck_assert_msg(!good || (got != NULL && strcmp(got, want) == 0), "byte %ld of %ld", at, size);
    refused += !good;
    free(got);
  }
  ck_assert_int_gt(refused, flips / 4); // most bytes are content
  free(want);
}

END_TEST

// A key is in the file twice, in its row and in SQLite's index of the keys. Either may be damaged.
START_TEST(changed_keys)
{
  static const char *const keys[] = {"ended", "batch", "scene_name", "tally"};
  static char bytes[1 << 20];
  FILE *file = fopen(rec_at("a.rhr"), "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  (void)fclose(file);
  ck_assert_uint_lt(size, sizeof bytes);
  char *want = dump(rec_at("a.rhr"));
  size_t length = strlen(keys[_i]);
  int places = 0;
  for (size_t at = 0; at + length <= size; at++) {
    if (memcmp(bytes + at, keys[_i], length) == 0) {
      bytes[at + 1] ^= 2;
      file = fopen(rec_at("b.rhr"), "wb");
      ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
      (void)fclose(file);
      bytes[at + 1] ^= 2;
      bool good = accepted(rec_at("b.rhr"));
      char *got = good ? dump(rec_at("b.rhr")) : NULL;
      ck_assert_msg(!good || (got != NULL && strcmp(got, want) == 0), "byte %zu", at + 1);
      free(got);
      places++;
    }
  }
  ck_assert_int_ge(places, 2);
  free(want);
}

END_TEST

// ---- The format before this one

START_TEST(without_sums)
{
  const char *path = rec_at("a.rhr");
  ck_assert(execute(path, "DROP TABLE sums; DELETE FROM meta WHERE key = 'sum'; "
                          "UPDATE meta SET value = '3' WHERE key = 'format'; "
                          "PRAGMA user_version = 3"));
  ck_assert(accepted(path));
  ck_assert(resumed(path)); // it stays in its format
  ck_assert(accepted(path));
  ck_assert(!execute(path, "UPDATE sums SET sum = 0"));
}

END_TEST

// ---- The older recording

START_TEST(not_begun_leaves_the_older)
{
  rh_recorder *recorder = NULL;
  char *want = dump(rec_at("a.rhr"));
  ck_assert_int_eq(rh_recorder_create(rec_at("a.rhr"), w.model, "", w.text, w.diag, &recorder),
                   RH_OK);
  ck_assert_int_eq(rec_files(), 4); // the new one with -wal and -shm, the older one
  ck_assert_int_eq(rh_recorder_close(recorder, RH_STOPPED, "not begun"), RH_OK);
  char *got = dump(rec_at("a.rhr"));
  ck_assert_str_eq(got, want);
  ck_assert_int_eq(rec_files(), 1);
  free(want);
  free(got);
}

END_TEST

START_TEST(one_writer_for_a_name)
{
  rh_recorder *first = NULL;
  rh_recorder *second = NULL;
  for (int i = 0; i < 2; i++) { // a new name, and one that is taken
    ck_assert_int_eq(rh_recorder_create(rec_at("n.rhr"), w.model, "", w.text, w.diag, &first),
                     RH_OK);
    ck_assert_int_eq(rh_recorder_create(rec_at("n.rhr"), w.model, "", w.text, w.diag, &second),
                     RH_OUTPUT_NOT_WRITTEN);
    ck_assert_int_eq(rh_recorder_resume(rec_at("n.rhr"), w.model, 0, w.diag, &second),
                     RH_OUTPUT_NOT_WRITTEN);
    ck_assert_int_eq(rh_recorder_close(first, RH_OK, NULL), RH_OK);
    ck_assert(accepted(rec_at("n.rhr")));
  }
  ck_assert_int_eq(rec_files(), 2);
}

END_TEST

Suite *rh_suite_unit_rec_sums(void)
{
  Suite *suite = suite_create("unit_rec_sums");
  TCase *tests = tcase_create("sums");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, whole_recordings_are_accepted);
  tcase_add_loop_test(tests, changed_values, 0, RH_COUNT(tables));
  tcase_add_loop_test(tests, added_and_cut, 0, 6);
  tcase_add_loop_test(tests, changed_bytes, 0, 2);
  tcase_add_loop_test(tests, changed_keys, 0, 4);
  tcase_add_test(tests, without_sums);
  tcase_add_test(tests, not_begun_leaves_the_older);
  tcase_add_test(tests, one_writer_for_a_name);
  suite_add_tcase(suite, tests);
  return suite;
}
