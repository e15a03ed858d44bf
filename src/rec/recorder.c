// recorder.c: writes a recording (stage 11). Frames and events go into one open transaction, which is committed at every
// batch of frames and at the latest every half second; what is committed outlives the process.
//
// A new recording is made complete, without frames, beside its path and then renamed onto it: at every moment the path
// holds either what it held before or a recording that can be read (only where an unfinished recording that somebody
// still reads is replaced, it holds nothing for a moment). While it grows it has a -wal and a -shm file beside
// it, which belong to it; closing merges them. The write lock is kept all the time, so that two processes cannot write
// into one recording. Nothing that depends on the time of day or the machine is stored.
//
// The death of the process costs nothing that is committed. Against the death of the machine files are synced to the disk
// as well, but only when a run is older than a second: before that it is sooner repeated than synced.
#include "rec/part.h"

#include <routh/routh.h>

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMMIT_AFTER 0.5 // [s]
#define SYNC_AFTER   1.0 // [s]

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

rh_status rh_rec_fail(rh_recorder *r, const char *what)
{
  if (!r->failed) {
    (void)snprintf(r->error, sizeof r->error, "%s: %s", what, sqlite3_errmsg(r->db));
  }
  r->failed = true;
  return RH_OUTPUT_NOT_WRITTEN;
}

bool rh_rec_run(sqlite3_stmt *statement)
{
  bool done = sqlite3_step(statement) == SQLITE_DONE;
  return sqlite3_reset(statement) == SQLITE_OK && done;
}

static void sync_from_now_on(rh_recorder *r) // not within a transaction
{
  r->synced = r->synced || rh_rec_exec(r->db, "PRAGMA synchronous = NORMAL");
}

static rh_status commit(rh_recorder *r)
{
  if (!rh_rec_exec(r->db, "COMMIT")) {
    return rh_rec_fail(r, "frames could not be committed");
  }
  r->committed = r->next;
  if (now() - r->born > SYNC_AFTER) {
    sync_from_now_on(r);
  }
  if (!rh_rec_exec(r->db, "BEGIN IMMEDIATE")) {
    return rh_rec_fail(r, "the recording could not be locked again");
  }
  r->since = now();
  return RH_OK;
}

// ---- Open the file

static sqlite3 *open_for_writing(const char *path, rh_diag *diag, const char *target)
{
  sqlite3 *db = NULL;
  int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
  if (result != SQLITE_OK) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "cannot be opened for writing: %s",
                db ? sqlite3_errmsg(db) : "out of memory");
    (void)sqlite3_close(db);
    return NULL;
  }
  (void)sqlite3_busy_timeout(db, RH_REC_WAIT_MS);
  (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  return db;
}

static bool put_meta(sqlite3_stmt *statement, const char *key, const char *value)
{
  // The length is given in 64 bits, so that a text that is too long is refused and not cut.
  return sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text64(statement, 2, value, strlen(value), SQLITE_STATIC, SQLITE_UTF8) ==
             SQLITE_OK &&
         rh_rec_run(statement);
}

static bool put_meta_integer(sqlite3_stmt *statement, const char *key, int value)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%d", value);
  return put_meta(statement, key, text);
}

static bool write_meta(sqlite3 *db, const rh_model *model, const char *scene_name,
                       const char *scene_text)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, "INSERT INTO meta(key, value) VALUES(?, ?)", -1, &statement, NULL) !=
      SQLITE_OK) {
    return false;
  }
  char every[40];
  (void)sqlite3_snprintf((int)sizeof every, every, "%!.17g", model->every); // knows no locale
  bool done =
      put_meta_integer(statement, "format", RH_REC_FORMAT) &&
      put_meta(statement, "routh", RH_VERSION) && put_meta(statement, "scene_name", scene_name) &&
      put_meta(statement, "scene", scene_text) &&
      put_meta(statement, "units", "SI: m, kg, s, rad, N, J; states are little-endian doubles") &&
      put_meta_integer(statement, "nq", model->nq) &&
      put_meta_integer(statement, "nv", model->nv) &&
      put_meta_integer(statement, "nstate", model->nstate) &&
      put_meta_integer(statement, "batch", model->batch) && put_meta(statement, "every", every);
  (void)sqlite3_finalize(statement);
  return done;
}

static bool write_channels(sqlite3 *db, const rh_channels *channels)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, "INSERT INTO channels(id, name, unit) VALUES(?, ?, ?)", -1, &statement,
                         NULL) != SQLITE_OK) {
    return false;
  }
  bool done = true;
  for (int i = 0; done && i < rh_channels_count(channels); i++) {
    done = sqlite3_bind_int(statement, 1, i) == SQLITE_OK &&
           sqlite3_bind_text(statement, 2, rh_channel_name(channels, i), -1, SQLITE_STATIC) ==
               SQLITE_OK &&
           sqlite3_bind_text(statement, 3, rh_channel_unit(channels, i), -1, SQLITE_STATIC) ==
               SQLITE_OK &&
           rh_rec_run(statement);
  }
  (void)sqlite3_finalize(statement);
  return done;
}

static bool write_tables(sqlite3 *db)
{
  char head[96];
  (void)snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                 RH_REC_APPLICATION, RH_REC_FORMAT);
  bool done = rh_rec_exec(db, head);
  for (int i = 0; done && i < RH_REC_TABLES; i++) {
    done = rh_rec_exec(db, rh_rec_schemas[i].sql);
  }
  return done;
}

typedef struct contents { // what stands in a recording before its first frame
  const rh_model *model;
  const char *scene_name, *scene_text;
} contents;

// Fills the file at `path` with a recording without frames.
static rh_status write_new(const char *path, const contents *with, rh_diag *diag,
                           const char *target)
{
  rh_channels *channels = rh_channels_create(with->model);
  if (!channels) {
    return RH_OUT_OF_MEMORY;
  }
  sqlite3 *db = open_for_writing(path, diag, target);
  bool done = false;
  if (db) {
    // Nobody else knows this file and it is thrown away if anything fails: no journal on the disk.
    done = rh_rec_exec(db, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN") &&
           write_tables(db) && write_meta(db, with->model, with->scene_name, with->scene_text) &&
           write_channels(db, channels) && rh_rec_exec(db, "COMMIT");
    if (!done) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "could not be written: %s",
                  sqlite3_errmsg(db));
    }
  }
  (void)sqlite3_close(db);
  rh_channels_destroy(channels);
  return done ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}

// Makes way at `path`: an old recording must not be in the hands of a writer, and its -wal must be merged or gone, for
// SQLite would apply it to the new file.
static rh_status clear_old(const rh_rec_path *path, rh_diag *diag, const char *target)
{
  sqlite3 *db = NULL;
  int result = sqlite3_open_v2(path->text, &db, SQLITE_OPEN_READWRITE, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (result == SQLITE_OK) {
      (void)rh_rec_exec(db, "ROLLBACK; PRAGMA journal_mode = DELETE");
    }
  }
  (void)sqlite3_close(db);
  if (result == SQLITE_BUSY || result == SQLITE_READONLY) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target),
                "the recording of this name cannot be replaced: %s",
                result == SQLITE_BUSY ? "another process is writing it" : "it is write-protected");
    return RH_OUTPUT_NOT_WRITTEN;
  }
  static const char *const beside[] = {"-wal", "-shm", "-journal"};
  for (int i = 0; i < RH_COUNT(beside);
       i++) { // left by a reader that is still there, or by a damaged recording
    rh_rec_path side;
    if (!rh_rec_append(path, beside[i], &side) || access(side.text, F_OK) != 0) {
      continue;
    }
    if ((unlink(path->text) != 0 && errno != ENOENT) || unlink(side.text) != 0) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(target),
                  "the recording of this name cannot be removed: %s", strerror(errno));
      return RH_OUTPUT_NOT_WRITTEN;
    }
  }
  return RH_OK;
}

// Refuses whatever lies at the path and is not ours to replace.
static rh_status judge_old(const rh_rec_path *path, rh_diag *diag, const char *target)
{
  switch (rh_rec_look(path->text)) {
  case RH_REC_ABSENT:
  case RH_REC_EMPTY:
  case RH_REC_RECORDING:
    return RH_OK;
  case RH_REC_FOREIGN:
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target),
                "this file exists and is not a recording; it was left as it is");
    return RH_OUTPUT_NOT_WRITTEN;
  case RH_REC_NO_FILE:
  default:
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "cannot be written: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
}

static rh_status place_new(const rh_rec_path *path, const contents *with, rh_diag *diag,
                           const char *target)
{
  rh_rec_path part;
  int file = rh_rec_create_beside(path, &part);
  if (file < 0) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "cannot be written: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  rh_status status = write_new(part.text, with, diag, target);
  if (status == RH_OK) {
    status = clear_old(path, diag, target);
  }
  if (status == RH_OK && rename(part.text, path->text) != 0) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "cannot be written: %s", strerror(errno));
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  if (status != RH_OK) {
    (void)unlink(part.text);
  }
  (void)close(file);
  return status;
}

static void destroy(rh_recorder *r)
{
  (void)sqlite3_finalize(r->frame);
  (void)sqlite3_finalize(r->ledger);
  (void)sqlite3_finalize(r->event);
  (void)sqlite3_finalize(r->input);
  (void)sqlite3_close(r->db);
  rh_free(r->blob);
  rh_free(r);
}

#define LEDGER_MARK(name, text) ", ?"

static bool prepare(rh_recorder *r)
{
  const unsigned keep = SQLITE_PREPARE_PERSISTENT;
  r->format = (int)rh_rec_integer(r->db, "PRAGMA user_version", RH_REC_FORMAT);
  const char *ledger = r->format > RH_REC_FORMAT_OLD
                           ? "INSERT INTO ledger VALUES(?" RH_LEDGER_LIST(LEDGER_MARK) ")"
                           : "INSERT INTO ledger VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return rh_rec_prepare_input(r) &&
         sqlite3_prepare_v3(r->db,
                            "INSERT INTO frames(id, t, state, hash, sum) VALUES(?, ?, ?, ?, ?)", -1,
                            keep, &r->frame, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(r->db, ledger, -1, keep, &r->ledger, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(r->db,
                            "INSERT INTO events(id, frame, t, kind, name, dof, before, after, "
                            "impulse, work, slot, "
                            "x, y, z, friction, dn, dt, note) "
                            "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            -1, keep, &r->event, NULL) == SQLITE_OK;
}

// Opens the recording at `path`, drops all behind frame `last` and stands ready for the frame after it.
static rh_status open_recorder(const rh_rec_path *path, const rh_model *model, long last,
                               rh_diag *diag, const char *target, rh_recorder **recorder)
{
  rh_recorder *r = rh_alloc(sizeof *r);
  unsigned char *blob = rh_alloc(8 * (size_t)model->nstate);
  if (!r || !blob) {
    rh_free(r);
    rh_free(blob);
    return RH_OUT_OF_MEMORY;
  }
  r->blob = blob;
  r->nstate = model->nstate;
  r->batch = model->batch > 0 ? model->batch : 1;
  r->next = r->committed = last + 1;
  r->db = open_for_writing(path->text, diag, target);
  if (!r->db) {
    destroy(r);
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (last >= 0) { // somebody's work is in there already
    sync_from_now_on(r);
  } else {
    (void)rh_rec_exec(r->db, "PRAGMA synchronous = OFF");
  }
  char drop[320];
  (void)snprintf(
      drop, sizeof drop,
      "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; "
      "DELETE FROM frames WHERE id > %ld; DELETE FROM ledger WHERE frame > %ld; "
      "DELETE FROM events WHERE frame > %ld; DELETE FROM meta WHERE key IN('ended', 'reason'); "
      "COMMIT; BEGIN IMMEDIATE",
      last, last, last);
  if (!rh_rec_exec(r->db, drop) || !prepare(r)) {
    bool busy = sqlite3_errcode(r->db) == SQLITE_BUSY;
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "could not be written: %s",
                busy ? "another process is writing this recording" : sqlite3_errmsg(r->db));
    destroy(r);
    return RH_OUTPUT_NOT_WRITTEN;
  }
  r->events = (long)rh_rec_integer(r->db, "SELECT max(id) + 1 FROM events", 0);
  r->since = r->born = now();
  *recorder = r;
  return RH_OK;
}

rh_status rh_recorder_create(const char *path, const rh_model *model, const char *scene_name,
                             const char *scene_text, rh_diag *diag, rh_recorder **recorder)
{
  *recorder = NULL;
  rh_rec_path resolved;
  if (!rh_rec_resolve(path, &resolved)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "cannot be written: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  contents with = {model, scene_name ? scene_name : "", scene_text ? scene_text : ""};
  RH_TRY(judge_old(&resolved, diag, path));
  RH_TRY(place_new(&resolved, &with, diag, path));
  return open_recorder(&resolved, model, RH_NONE, diag, path, recorder);
}

rh_status rh_recorder_resume(const char *path, const rh_model *model, long index, rh_diag *diag,
                             rh_recorder **recorder)
{
  *recorder = NULL;
  uint64_t hash = 0;
  RH_TRY(rh_rec_check_resume(path, model, index, &hash, diag));
  rh_rec_path resolved;
  if (!rh_rec_resolve(path, &resolved)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "cannot be written: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  RH_TRY(open_recorder(&resolved, model, index, diag, path, recorder));
  (*recorder)->hash = hash;
  return RH_OK;
}

// ---- Write

static bool put_frame(rh_recorder *r, const rh_data *data, uint64_t hash)
{
  char hex[17];
  (void)snprintf(hex, sizeof hex, "%016" PRIx64, hash);
  size_t bytes = 8 * (size_t)r->nstate;
  rh_rec_encode(data->state, r->nstate, r->blob);
  sqlite3_stmt *s = r->frame;
  return sqlite3_bind_int64(s, 1, r->next) == SQLITE_OK &&
         sqlite3_bind_double(s, 2, *data->t) == SQLITE_OK &&
         sqlite3_bind_blob64(s, 3, r->blob, bytes, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(s, 4, hex, 16, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(s, 5, rh_rec_sum(r->next, hash, r->blob, bytes)) == SQLITE_OK &&
         rh_rec_run(s);
}

static bool put_ledger(rh_recorder *r, const rh_ledger *l)
{
#define ENTRY(name, text) l->name,
  const double entry[] = {RH_LEDGER_LIST(ENTRY)};
#undef ENTRY
  const int hand = (int)(offsetof(rh_ledger, hand) / sizeof(double)); // the old format has none
  bool done = sqlite3_bind_int64(r->ledger, 1, r->next) == SQLITE_OK;
  int column = 2;
  for (int i = 0; done && i < RH_COUNT(entry); i++) {
    if (i != hand || r->format > RH_REC_FORMAT_OLD) {
      done = sqlite3_bind_double(r->ledger, column++, entry[i]) == SQLITE_OK;
    }
  }
  return done && rh_rec_run(r->ledger);
}

rh_status rh_recorder_frame(rh_recorder *recorder, const rh_sim *sim, long index)
{
  rh_recorder *r = recorder;
  const rh_data *data = rh_sim_view(sim);
  if (r->failed) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (index != r->next || data->model->nstate != r->nstate) {
    (void)snprintf(r->error, sizeof r->error,
                   "frame %ld came where frame %ld of %d numbers was due", index, r->next,
                   r->nstate);
    return RH_WRONG_USAGE;
  }
  uint64_t hash = rh_data_hash(data, r->hash);
  rh_ledger ledger = rh_sim_ledger(sim);
  if (!put_frame(r, data, hash) || !put_ledger(r, &ledger)) {
    return rh_rec_fail(r, "a frame could not be written");
  }
  r->hash = hash;
  r->next++;
  return index % r->batch == 0 || now() - r->since > COMMIT_AFTER ? commit(r) : RH_OK;
}

rh_status rh_recorder_event(rh_recorder *recorder, const rh_sim *sim, const rh_event *event)
{
  (void)sim; // an event says all there is to say; the simulation is there for symmetry with frames
  rh_recorder *r = recorder;
  if (r->failed) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  sqlite3_stmt *s = r->event;
  bool done = sqlite3_bind_int64(s, 1, r->events) == SQLITE_OK &&
              sqlite3_bind_int64(s, 2, r->next) == SQLITE_OK &&
              sqlite3_bind_double(s, 3, event->t) == SQLITE_OK &&
              sqlite3_bind_text(s, 4, rh_event_word(event->kind), -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(s, 5, event->name, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int(s, 6, event->dof) == SQLITE_OK &&
              sqlite3_bind_double(s, 7, event->before) == SQLITE_OK &&
              sqlite3_bind_double(s, 8, event->after) == SQLITE_OK &&
              sqlite3_bind_double(s, 9, event->impulse) == SQLITE_OK &&
              sqlite3_bind_double(s, 10, event->work) == SQLITE_OK &&
              sqlite3_bind_int(s, 11, event->slot) == SQLITE_OK &&
              sqlite3_bind_double(s, 12, event->point[0]) == SQLITE_OK &&
              sqlite3_bind_double(s, 13, event->point[1]) == SQLITE_OK &&
              sqlite3_bind_double(s, 14, event->point[2]) == SQLITE_OK &&
              sqlite3_bind_double(s, 15, event->friction) == SQLITE_OK &&
              sqlite3_bind_double(s, 16, event->Dn) == SQLITE_OK &&
              sqlite3_bind_double(s, 17, event->Dt) == SQLITE_OK &&
              sqlite3_bind_text(s, 18, event->note, -1, SQLITE_STATIC) == SQLITE_OK &&
              rh_rec_run(s);
  if (!done) {
    return rh_rec_fail(r, "an event could not be written");
  }
  r->events++;
  return now() - r->since > COMMIT_AFTER ? commit(r) : RH_OK;
}

rh_status rh_recorder_note(rh_recorder *recorder, const char *key, const char *value)
{
  static const char *const own[] = {"format", "routh",  "scene_name", "scene", "units", "nq",
                                    "nv",     "nstate", "batch",      "every", "ended", "reason"};
  rh_recorder *r = recorder;
  for (int i = 0; i < RH_COUNT(own); i++) {
    if (strcmp(key, own[i]) == 0) {
      return RH_WRONG_USAGE;
    }
  }
  sqlite3_stmt *statement = NULL;
  bool done = !r->failed &&
              sqlite3_prepare_v2(r->db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", -1,
                                 &statement, NULL) == SQLITE_OK &&
              put_meta(statement, key, value);
  (void)sqlite3_finalize(statement);
  return done ? RH_OK : rh_rec_fail(r, "a note could not be written");
}

long rh_recorder_committed(const rh_recorder *recorder)
{
  return recorder->committed;
}

const char *rh_recorder_error(const rh_recorder *recorder)
{
  return recorder->error;
}

// ---- Close

static bool write_end(rh_recorder *r, rh_status ended, const char *reason)
{
  sqlite3_stmt *statement = NULL;
  bool done = sqlite3_prepare_v2(r->db, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", -1,
                                 &statement, NULL) == SQLITE_OK &&
              put_meta(statement, "ended", rh_status_name(ended)) &&
              put_meta(statement, "reason", reason ? reason : rh_status_message(ended));
  (void)sqlite3_finalize(statement);
  return done && rh_rec_exec(r->db, "COMMIT");
}

rh_status rh_recorder_close(rh_recorder *recorder, rh_status ended, const char *reason)
{
  rh_recorder *r = recorder;
  if (!r) {
    return RH_OK;
  }
  if (r->failed && sqlite3_get_autocommit(r->db) == 0) {
    (void)rh_rec_exec(r->db, "ROLLBACK"); // frames that were never acknowledged
  }
  if (sqlite3_get_autocommit(r->db) != 0) {
    (void)rh_rec_exec(r->db, "BEGIN IMMEDIATE");
  }
  bool done = write_end(r, ended, reason) && !r->failed;
  // One plain file is left: it opens on read-only media too. A reader that holds on to the file can keep SQLite from
  // leaving the -wal mode; the content is merged all the same.
  if (now() - r->born > SYNC_AFTER) {
    sync_from_now_on(r);
  }
  (void)rh_rec_exec(r->db, "PRAGMA wal_checkpoint(TRUNCATE)");
  (void)sqlite3_busy_timeout(r->db, 0);
  (void)rh_rec_exec(r->db, "PRAGMA journal_mode = DELETE");
  destroy(r);
  return done ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}
