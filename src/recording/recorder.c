// recorder.c: writes a recording (stage 11). Frames and events go into one open transaction,
// committed at every batch of frames and at least every half second; committed frames survive the
// process.
//
// place.c handles the name of a recording. While it grows it has a -wal and a -shm file, which
// belong to it; closing merges them. Nothing that depends on the time of day or the machine is
// stored.
//
// The death of the process costs nothing that is committed. The cost of a machine failure is an
// option (record.sync): `frame` and `batch` sync at every commit, `checkpoint` when the -wal file
// is merged and at the end.
#include "private.h"

#include "base/outfile.h"

#include <routh/routh.h>

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMMIT_AFTER 0.5  // [s]
#define MERGE_AFTER  1000 // pages in the -wal file

static double monotonic_seconds(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_commit(void *user, sqlite3 *db, const char *name, int pages)
{
  rh_recorder *r = user;
  (void)db;
  (void)name;
  r->wal_pages = pages;
  return SQLITE_OK;
}

// Merges the -wal into the recording, which syncs both. After a failure it is tried again after the
// next commit: nothing is lost.
static void merge_now_and_then(rh_recorder *r)
{
  int pages = 0;
  int merged = 0;
  if (r->wal_pages >= MERGE_AFTER &&
      sqlite3_wal_checkpoint_v2(r->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &pages, &merged) ==
          SQLITE_OK &&
      pages == merged) {
    r->durable = r->committed;
  }
}

static rh_status commit_frames(rh_recorder *r)
{
  if (!rh_rec_write_tail_sum(r) || !rh_rec_exec(r->db, "COMMIT")) {
    return rh_rec_fail(r, "frames could not be committed");
  }
  r->committed = r->next;
  r->durable = r->sync != RH_SYNC_CHECKPOINT ? r->committed : r->durable;
  merge_now_and_then(r);
  if (!rh_rec_exec(r->db, "BEGIN IMMEDIATE")) {
    return rh_rec_fail(r, "the recording could not be locked again");
  }
  r->since = monotonic_seconds();
  return RH_OK;
}

// ---- Open the file

static void destroy_recorder(rh_recorder *r)
{
  (void)sqlite3_finalize(r->frame);
  (void)sqlite3_finalize(r->ledger);
  (void)sqlite3_finalize(r->event);
  (void)sqlite3_finalize(r->input);
  (void)sqlite3_finalize(r->sums);
  (void)sqlite3_finalize(r->input_frame);
  rh_rec_chain_close(&r->chain);
  (void)sqlite3_finalize(r->tally);
  (void)sqlite3_close(r->db);
  rh_free(r->blob);
  rh_free(r);
}

#define LEDGER_MARK(name, text) ", ?"

static bool prepare_statements(rh_recorder *r)
{
  const unsigned keep = SQLITE_PREPARE_PERSISTENT;
  r->format = (int)rh_rec_integer(r->db, "PRAGMA user_version", RH_REC_FORMAT);
  const char *ledger = r->format > RH_REC_FORMAT_OLD
                           ? "INSERT INTO ledger VALUES(?" RH_LEDGER_LIST(LEDGER_MARK) ")"
                           : "INSERT INTO ledger VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return rh_rec_prepare_input(r) && rh_rec_prepare_sums(r) && rh_rec_prepare_tally(r) &&
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

// Deletes the rows after a frame; final when the first batch is committed.
static bool drop_behind(rh_recorder *r, long last)
{
  char sql[400];
  (void)snprintf(sql, sizeof sql,
                 "DELETE FROM frames WHERE id > %ld; DELETE FROM ledger WHERE frame > %ld; "
                 "DELETE FROM events WHERE frame > %ld; "
                 "DELETE FROM meta WHERE key IN('ended', 'reason')",
                 last, last, last);
  bool done = rh_rec_exec(r->db, sql);
  if (r->format >= RH_REC_FORMAT_SUMS) {
    (void)snprintf(sql, sizeof sql, "DELETE FROM sums WHERE frame > %ld", last);
    done = done && rh_rec_exec(r->db, sql) && rh_rec_write_head_sum(r->db);
  }
  return done;
}

// Ready for the frame after frame `last`.
static bool begin_writing(rh_recorder *r, long last)
{
  static const char *const sync[] = {[RH_SYNC_CHECKPOINT] = "PRAGMA synchronous = NORMAL",
                                     [RH_SYNC_BATCH] = "PRAGMA synchronous = FULL",
                                     [RH_SYNC_FRAME] = "PRAGMA synchronous = FULL"};
  r->format = (int)rh_rec_integer(r->db, "PRAGMA user_version", RH_REC_FORMAT);
  bool done = rh_rec_exec(r->db, "PRAGMA journal_mode = WAL") && rh_rec_exec(r->db, sync[r->sync]);
  (void)sqlite3_wal_hook(r->db, on_commit, r);
  if (done && last >= 0) { // it has frames already
    done = rh_rec_exec(r->db, "PRAGMA wal_checkpoint(TRUNCATE)") && fsync(r->lock.file) == 0;
  }
  done = done && rh_rec_exec(r->db, "BEGIN IMMEDIATE") && (last < 0 || drop_behind(r, last)) &&
         prepare_statements(r);
  r->events = done ? (long)rh_rec_integer(r->db, "SELECT max(id) + 1 FROM events", 0) : 0;
  r->past = r->chain.inputs;
  r->since = monotonic_seconds();
  return done;
}

static rh_status resolve_path(const char *path, rh_rec_lock *lock, rh_diag *diag)
{
  if (!rh_rec_resolve(path, &lock->path)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "cannot be written: %s", strerror(errno));
    return RH_OUTPUT_NOT_WRITTEN;
  }
  return RH_OK;
}

static rh_recorder *create_recorder(const rh_model *model)
{
  rh_recorder *r = rh_alloc(sizeof *r);
  unsigned char *blob = rh_alloc(8 * (size_t)model->layout.nstate + 8);
  if (!r || !blob) {
    rh_free(r);
    rh_free(blob);
    return NULL;
  }
  r->blob = blob;
  r->nstate = model->layout.nstate;
  r->batch = model->run.batch > 0 ? model->run.batch : 1;
  r->sync = (rh_sync)model->run.sync;
  r->lock.file = -1;
  return r;
}

// Opens the recording, whose lock is held, for the frame after frame `last`.
static rh_status open_recorder(rh_recorder *r, long last, rh_diag *diag, const char *target)
{
  r->next = r->committed = r->durable = last + 1;
  r->db = rh_rec_open_for_writing(r->lock.path.text, diag, target);
  if (r->db && begin_writing(r, last)) {
    return RH_OK;
  }
  if (r->db) {
    bool busy = sqlite3_errcode(r->db) == SQLITE_BUSY;
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "could not be written: %s",
                busy ? "another process is writing this recording" : sqlite3_errmsg(r->db));
  }
  return RH_OUTPUT_NOT_WRITTEN;
}

static rh_status give_up(rh_recorder *r, rh_status status, rh_diag *diag, const char *target)
{
  rh_rec_lock lock = r->lock;
  char why[RH_WHY_MAX] = "";
  destroy_recorder(r);
  if (lock.file >= 0) {
    rh_rec_leave(&lock, RH_REC_EMPTY_HANDED, why);
  }
  if (lock.has_older && !lock.resumed && why[0] != '\0') { // it could not be renamed back
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "%s", why + strspn(why, "; "));
  }
  return status;
}

rh_status rh_recorder_create(const char *path, const rh_model *model, const char *scene_name,
                             const char *scene_text, rh_diag *diag, rh_recorder **recorder)
{
  rh_rec_contents with = {model, scene_name ? scene_name : "", scene_text ? scene_text : ""};
  *recorder = NULL;
  rh_recorder *r = create_recorder(model);
  if (!r) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = resolve_path(path, &r->lock, diag);
  if (status == RH_OK) {
    status = rh_rec_place_new(&r->lock, rh_rec_write_new, &with, diag, path);
  }
  if (status == RH_OK) {
    status = open_recorder(r, RH_NONE, diag, path);
  }
  if (status != RH_OK) {
    return give_up(r, status, diag, path);
  }
  *recorder = r;
  return RH_OK;
}

rh_status rh_recorder_resume(const char *path, const rh_model *model, long index, rh_diag *diag,
                             rh_recorder **recorder)
{
  *recorder = NULL;
  rh_recorder *r = create_recorder(model);
  if (!r) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = resolve_path(path, &r->lock, diag);
  if (status == RH_OK) {
    status = rh_rec_place_again(&r->lock, diag, path);
  }
  if (status == RH_OK) {
    status = rh_rec_check_resume(path, model, index, &r->hash, diag);
  }
  if (status == RH_OK) {
    status = open_recorder(r, index, diag, path);
  }
  if (status != RH_OK) {
    return give_up(r, status, diag, path);
  }
  *recorder = r;
  return RH_OK;
}

rh_status rh_recorder_branch(const char *path, rh_recording *from, long index, rh_diag *diag,
                             rh_recorder **recorder)
{
  const rh_model *model = rh_recording_model(from);
  rh_rec_branch with = {from, index};
  *recorder = NULL;
  rh_recorder *r = create_recorder(model);
  double *state = rh_alloc((size_t)model->layout.nstate * sizeof *state);
  if (!r || !state) {
    rh_free(state);
    return r ? give_up(r, RH_OUT_OF_MEMORY, diag, path) : RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_recording_frame(from, index, state, &r->hash, diag);
  rh_free(state);
  status = status == RH_OK ? resolve_path(path, &r->lock, diag) : status;
  if (status == RH_OK) {
    status = rh_rec_place_new(&r->lock, rh_rec_fill_branch, &with, diag, path);
  }
  if (status == RH_OK) {
    r->base = index + 1;
    status = open_recorder(r, index, diag, path);
  }
  if (status == RH_OK) { // from here on what is committed is without the rest of the other run
    status = commit_frames(r);
  }
  if (status != RH_OK) {
    return give_up(r, status, diag, path);
  }
  *recorder = r;
  return RH_OK;
}

// ---- Write

static bool put_frame(rh_recorder *r, const rh_data *data, uint64_t hash, int64_t *sum)
{
  char hex[17];
  (void)snprintf(hex, sizeof hex, "%016" PRIx64, hash);
  size_t bytes = 8 * (size_t)r->nstate;
  if (r->format >= RH_REC_FORMAT_PACKED) {
    bytes = rh_rec_pack(data->state, r->nstate, r->blob);
  } else {
    rh_rec_encode(data->state, r->nstate, r->blob);
  }
  sqlite3_stmt *s = r->frame;
  *sum = rh_rec_sum(r->next, hash, r->blob, bytes);
  return sqlite3_bind_int64(s, 1, r->next) == SQLITE_OK &&
         sqlite3_bind_double(s, 2, *data->t) == SQLITE_OK &&
         sqlite3_bind_blob64(s, 3, r->blob, bytes, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text(s, 4, hex, 16, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_int64(s, 5, *sum) == SQLITE_OK && rh_rec_run(s);
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
  if (index != r->next || data->model->layout.nstate != r->nstate) {
    (void)snprintf(r->error, sizeof r->error,
                   "frame %ld came where frame %ld of %d numbers was due", index, r->next,
                   r->nstate);
    return RH_WRONG_USAGE;
  }
  uint64_t hash = rh_data_hash(data, r->hash);
  rh_ledger ledger = rh_sim_ledger(sim);
  int64_t sum = 0;
  bool counted = index % r->batch != 0 || rh_rec_put_tally(r, sim);
  if (!counted || !put_frame(r, data, hash, &sum) || !put_ledger(r, &ledger) ||
      !rh_rec_write_frame_sum(r, sum)) {
    return rh_rec_fail(r, "a frame could not be written");
  }
  r->hash = hash;
  r->next++;
  bool due = r->sync == RH_SYNC_FRAME || index % r->batch == 0 ||
             monotonic_seconds() - r->since > COMMIT_AFTER;
  return due ? commit_frames(r) : RH_OK;
}

bool rh_rec_has_row(const rh_model *model, const rh_event *event)
{
  return event->kind != RH_EVENT_IMPACT || model->run.impact_rows == RH_IMPACT_ROWS_ALL;
}

rh_status rh_recorder_event(rh_recorder *recorder, const rh_sim *sim, const rh_event *event)
{
  rh_recorder *r = recorder;
  char note[RH_REC_NOTE_MAX];
  if (r->failed) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (!rh_rec_has_row(rh_sim_view(sim)->model, event)) {
    return RH_OK;
  }
  sqlite3_stmt *s = r->event;
  rh_rec_put_bodies(rh_sim_view(sim)->model, event, note, sizeof note);
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
              sqlite3_bind_text(s, 18, note, -1, SQLITE_STATIC) == SQLITE_OK && rh_rec_run(s);
  if (!done) {
    return rh_rec_fail(r, "an event could not be written");
  }
  r->events++;
  return monotonic_seconds() - r->since > COMMIT_AFTER ? commit_frames(r) : RH_OK;
}

rh_status rh_recorder_note(rh_recorder *recorder, const char *key, const char *value)
{
  static const char *const own[] = {"format", "routh",  "scene_name", "scene", "units",
                                    "nq",     "nv",     "nstate",     "batch", "every",
                                    "ended",  "reason", "sum",        "tally"};
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
              rh_rec_put_meta(statement, key, value) &&
              (r->format < RH_REC_FORMAT_SUMS || rh_rec_write_head_sum(r->db));
  (void)sqlite3_finalize(statement);
  return done ? RH_OK : rh_rec_fail(r, "a note could not be written");
}

long rh_recorder_committed(const rh_recorder *recorder)
{
  return recorder->committed;
}

long rh_recorder_durable(const rh_recorder *recorder)
{
  return recorder->durable;
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
              rh_rec_put_meta(statement, "ended", rh_status_name(ended)) &&
              rh_rec_put_meta(statement, "reason", reason ? reason : rh_status_message(ended)) &&
              (r->format < RH_REC_FORMAT_SUMS || rh_rec_write_head_sum(r->db)) &&
              rh_rec_write_tail_sum(r);
  (void)sqlite3_finalize(statement);
  return done && rh_rec_exec(r->db, "COMMIT");
}

// Back to the last commit: unacknowledged frames are dropped.
static void drop_uncommitted(rh_recorder *r)
{
  if (sqlite3_get_autocommit(r->db) == 0) {
    (void)rh_rec_exec(r->db, "ROLLBACK");
  }
  r->next = r->committed;
  r->events = (long)rh_rec_integer(r->db, "SELECT max(id) + 1 FROM events", 0);
  if (r->format > RH_REC_FORMAT_OLD) {
    r->inputs = (long)rh_rec_integer(r->db, "SELECT max(id) + 1 FROM inputs", 0);
  }
  if (r->format >= RH_REC_FORMAT_SUMS) {
    (void)rh_rec_chain_seek(&r->chain, r->next - 1);
  }
}

static bool is_held_by_reader(int result)
{
  return (result & 0xff) == SQLITE_BUSY || (result & 0xff) == SQLITE_LOCKED;
}

// One plain file remains: it opens on read-only media too. A reader of the file can keep SQLite
// from leaving the -wal mode; nothing is lost by that. Any other failure is an error: the file
// alone would be incomplete.
static bool merge_all(rh_recorder *r)
{
  int result = sqlite3_wal_checkpoint_v2(r->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  if (result != SQLITE_OK && !is_held_by_reader(result)) {
    return false;
  }
  (void)sqlite3_busy_timeout(r->db, 0);
  result = sqlite3_exec(r->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
  return result == SQLITE_OK || is_held_by_reader(result);
}

static rh_rec_outcome outcome_of(const rh_recorder *r, rh_status ended)
{
  if (r->failed) {
    return r->committed > r->base ? RH_REC_CUT : RH_REC_EMPTY_HANDED;
  }
  return r->committed <= r->base && r->next <= r->base && ended != RH_OK ? RH_REC_NOT_BEGUN
                                                                         : RH_REC_WHOLE;
}

rh_status rh_recorder_close_why(rh_recorder *recorder, rh_status ended, const char *reason,
                                char *why)
{
  rh_recorder *r = recorder;
  char text[RH_WHY_MAX] = "";
  if (!r) {
    return RH_OK;
  }
  if (r->failed) {
    drop_uncommitted(r);
  }
  if (sqlite3_get_autocommit(r->db) != 0) {
    (void)rh_rec_exec(r->db, "BEGIN IMMEDIATE");
  }
  if (!write_end(r, ended, reason)) {
    (void)rh_rec_fail(r, "the end of the run could not be written");
  }
  if (!merge_all(r)) {
    (void)rh_rec_fail(r, "the -wal file could not be merged into the recording");
  }
  if (!r->failed && (fsync(r->lock.file) != 0 || rh_outfile_sync_folder(r->lock.path.text) != 0)) {
    r->failed = true;
    (void)snprintf(r->error, sizeof r->error, "the recording could not be synced to the disk");
  }
  bool failed = r->failed;
  rh_rec_outcome outcome = outcome_of(r, ended);
  rh_rec_lock lock = r->lock;
  memcpy(text, r->error, sizeof text);
  destroy_recorder(r);
  rh_rec_leave(&lock, outcome, text);
  if (why) {
    memcpy(why, text, sizeof text);
  }
  return failed ? RH_OUTPUT_NOT_WRITTEN : RH_OK;
}

rh_status rh_recorder_close(rh_recorder *recorder, rh_status ended, const char *reason)
{
  return rh_recorder_close_why(recorder, ended, reason, NULL);
}
