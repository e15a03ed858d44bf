// reader.c: reads a recording. All content is checked before it is used: its form, its scene (which
// is compiled again), the size and the checksum of every state. The file is only read, may be
// growing, and may have been left by a process that died.
#include "private.h"

#include <routh/scene.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VALUE_MAX (256 << 20) // bytes of the longest text or state that is read

static rh_status refuse_recording(const rh_recording *r, rh_diag *diag, const char *what)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "%s", what);
  return RH_INPUT_REFUSED;
}

static char *copy_bytes(const void *bytes, size_t n)
{
  char *copy = rh_alloc(n + 1);
  if (copy && n > 0) {
    memcpy(copy, bytes, n);
  }
  return copy;
}

// ---- Open the file

// SQLite's name for a file that nobody changes: no lock, no -wal, no -shm. For read-only media.
static bool immutable_name(const rh_rec_path *path, char *name, size_t size)
{
  static const char *const plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  size_t used = (size_t)snprintf(name, size, "file:%s", path->text[0] == '/' ? "" : "./");
  for (const char *c = path->text; *c; c++) {
    if (used + 4 > size) {
      return false;
    }
    bool as_is = strchr(plain, *c) != NULL;
    used += (size_t)snprintf(name + used, size - used, as_is ? "%c" : "%%%02X", (unsigned char)*c);
  }
  return snprintf(name + used, size - used, "?immutable=1") < (int)(size - used);
}

static bool try_open(rh_recording *r, const char *name, int flags)
{
  (void)sqlite3_close(r->db);
  r->db = NULL;
  if (sqlite3_open_v2(name, &r->db, SQLITE_OPEN_READONLY | flags, NULL) != SQLITE_OK) {
    return false;
  }
  (void)sqlite3_busy_timeout(r->db, RH_REC_WAIT_MS);
  (void)sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return rh_rec_exec(r->db, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON") &&
         rh_rec_integer(r->db, "SELECT count(*) FROM sqlite_schema", RH_NONE) >= 0;
}

static bool has_wal(const rh_rec_path *path)
{
  rh_rec_path wal;
  struct stat info;
  return rh_rec_append(path, "-wal", &wal) && stat(wal.text, &info) == 0 && info.st_size > 0;
}

static rh_status open_file(rh_recording *r, rh_diag *diag)
{
  rh_rec_path path;
  rh_rec_file found = rh_rec_look(r->path);
  if (found == RH_REC_ABSENT || found == RH_REC_NO_FILE || !rh_rec_resolve(r->path, &path)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "cannot be read: %s",
                strerror(found == RH_REC_ABSENT ? ENOENT : errno));
    return RH_INPUT_REFUSED;
  }
  struct stat info;
  if (found != RH_REC_RECORDING && stat(path.text, &info) == 0 && info.st_size == 0) {
    return refuse_recording(r, diag,
                            "is empty: a run that ended before its first frame leaves this; run "
                            "the scene again");
  }
  if (found != RH_REC_RECORDING) {
    return refuse_recording(r, diag,
                            "not a recording of Routh; `routh run SCENE` writes recordings");
  }
  if (try_open(r, path.text, 0)) {
    return RH_OK;
  }
  int error = sqlite3_errcode(r->db);
  if (error != SQLITE_CANTOPEN && error != SQLITE_READONLY) {
    return rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  if (has_wal(&path)) { // opening it would hide the frames in there
    return rh_rec_refuse_sql(
        r, diag, "its -wal file cannot be used; copy both into a folder that can be written");
  }
  char name[3 * PATH_MAX + 32];
  if (!immutable_name(&path, name, sizeof name) || !try_open(r, name, SQLITE_OPEN_URI)) {
    return rh_rec_refuse_sql(r, diag, "cannot be read");
  }
  return RH_OK;
}

// ---- Check the content

static rh_status check_table(rh_recording *r, const rh_rec_schema *schema, rh_diag *diag)
{
  bool old = r->format == RH_REC_FORMAT_OLD && schema->old != NULL;
  const char *want = old ? schema->old : schema->sql;
  if (r->format < schema->since) {
    return RH_OK;
  }
  sqlite3_stmt *s = NULL;
  bool fits =
      sqlite3_prepare_v2(r->db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?",
                         -1, &s, NULL) == SQLITE_OK &&
      sqlite3_bind_text(s, 1, schema->name, -1, SQLITE_STATIC) == SQLITE_OK &&
      sqlite3_step(s) == SQLITE_ROW;
  if (fits) {
    const char *sql = (const char *)sqlite3_column_text(s, 0);
    fits = sql && strcmp(sql, want) == 0;
  }
  (void)sqlite3_finalize(s);
  if (!fits) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "table '%s' is missing or has another form",
                schema->name);
    return RH_INPUT_REFUSED;
  }
  return RH_OK;
}

static rh_status check_form(rh_recording *r, rh_diag *diag)
{
  int64_t format = rh_rec_integer(r->db, "PRAGMA user_version", RH_NONE);
  if (format < RH_REC_FORMAT_OLD || format > RH_REC_FORMAT_PACKED) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path),
                "format %" PRId64 " is not known, expected %d to %d", format, RH_REC_FORMAT_OLD,
                RH_REC_FORMAT_PACKED);
    return RH_INPUT_REFUSED;
  }
  r->format = (int)format;
  rh_status status = RH_OK;
  for (int i = 0; i < RH_REC_TABLES; i++) {
    rh_status found = check_table(r, &rh_rec_schemas[i], diag);
    status = found != RH_OK ? found : status;
  }
  if (rh_rec_integer(r->db, "SELECT count(*) FROM sqlite_schema WHERE type IN('trigger', 'view')",
                     RH_NONE) != 0) {
    status = refuse_recording(r, diag, "a recording has no triggers and no views");
  }
  return status;
}

static const rh_rec_entry *find_meta(const rh_recording *r, const char *key)
{
  for (int i = 0; i < r->nmeta; i++) {
    if (strcmp(r->meta[i].key, key) == 0) {
      return &r->meta[i];
    }
  }
  return NULL;
}

// Reads the unknown keys; known ones stay in place.
static rh_status read_meta(rh_recording *r, rh_diag *diag)
{
  sqlite3_stmt *s = NULL;
  if (sqlite3_prepare_v2(r->db, "SELECT key, value FROM meta", -1, &s, NULL) != SQLITE_OK) {
    return rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  rh_status status = RH_OK;
  int step = SQLITE_DONE;
  while (status == RH_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
    const void *key = sqlite3_column_text(s, 0);
    if (key && find_meta(r, key)) {
      continue;
    }
    if (r->nmeta == RH_REC_META_MAX) {
      status = refuse_recording(r, diag, "table 'meta' has too many entries");
      break;
    }
    rh_rec_entry *e = &r->meta[r->nmeta++];
    e->key = copy_bytes(key, key ? (size_t)sqlite3_column_bytes(s, 0) : 0);
    const void *value = sqlite3_column_text(s, 1);
    e->bytes = value ? (size_t)sqlite3_column_bytes(s, 1) : 0;
    e->value = copy_bytes(value, e->bytes);
    if (!e->key || !e->value) {
      status = RH_OUT_OF_MEMORY;
    }
  }
  if (status == RH_OK && step != SQLITE_DONE) {
    status = rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  (void)sqlite3_finalize(s);
  return status;
}

static rh_status check_head_sum(const rh_recording *r, rh_diag *diag)
{
  char sum[17];
  const char *want = rh_recording_meta(r, "sum");
  if (r->format < RH_REC_FORMAT_SUMS) {
    return RH_OK;
  }
  if (!rh_rec_head_sum(r->db, sum)) {
    return rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  return want != NULL && strcmp(want, sum) == 0
             ? RH_OK
             : refuse_recording(r, diag,
                                "was changed: the sum over scene and settings does not fit");
}

static rh_status compile_scene(rh_recording *r, rh_diag *diag)
{
  const rh_rec_entry *text = find_meta(r, "scene");
  if (!text) {
    return refuse_recording(r, diag, "the scene is missing");
  }
  if (strlen(text->value) != text->bytes) {
    return refuse_recording(r, diag, "the scene has a zero byte in it");
  }
  RH_TRY(rh_editions_open(&r->editions, text->value, r->path, diag));
  r->data = rh_data_create(r->editions.first);
  return r->data ? RH_OK : RH_OUT_OF_MEMORY;
}

// The numbers next to the scene must be those of the scene.
static rh_status check_numbers(rh_recording *r, rh_diag *diag)
{
  const rh_model *m = r->editions.first;

  const struct {
    const char *key;
    double want;
  } number[] = {
      {"format", r->format},        {"nq", m->nq},           {"nv", m->nv},
      {"nstate", m->layout.nstate}, {"batch", m->run.batch}, {"every", m->run.every},
  };

  rh_status status = RH_OK;
  for (int i = 0; i < RH_COUNT(number); i++) {
    const char *text = rh_recording_meta(r, number[i].key);
    double value = 0.0;
    char why[RH_WHY_MAX];
    if (!text || !rh_unit_parse(text, "1", &value, why) || value != number[i].want) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "'%s' is %s, but its scene has %.17g%s",
                  number[i].key, text ? text : "missing", number[i].want,
                  number[i].want == m->layout.nstate
                      ? "; a state of another version of routh may have another layout, then its "
                        "scene has to be run again"
                      : "");
      status = RH_INPUT_REFUSED;
    }
  }
  return status;
}

rh_status rh_rec_count_all(rh_recording *r, rh_diag *diag)
{
  // Rows of the ledger are small: counting them is quick. Each belongs to a frame; a missing frame
  // is found when it is read.
  r->frames = rh_rec_count(r, "ledger", "frame");
  r->events = rh_rec_count(r, "events", "id");
  int64_t first = rh_rec_integer(r->db, "SELECT coalesce(min(id), 0) FROM frames", RH_NONE);
  int64_t last = rh_rec_integer(r->db, "SELECT coalesce(max(id), -1) + 1 FROM frames", RH_NONE);
  if (r->frames < 0 || r->events < 0 || first != 0 || last != r->frames) {
    return refuse_recording(
        r, diag, "frames or events are missing: they are not numbered one after the other");
  }
  return rh_rec_read_inputs(r, diag);
}

static rh_status check_all(rh_recording *r, rh_diag *diag)
{
  RH_TRY(check_form(r, diag));
  RH_TRY(read_meta(r, diag));
  RH_TRY(check_head_sum(r, diag));
  RH_TRY(compile_scene(r, diag));
  RH_TRY(check_numbers(r, diag));
  RH_TRY(rh_rec_count_all(r, diag));
  if (sqlite3_prepare_v3(r->db, "SELECT t, state, hash, sum FROM frames WHERE id = ?", -1,
                         SQLITE_PREPARE_PERSISTENT, &r->frame, NULL) != SQLITE_OK ||
      sqlite3_prepare_v3(r->db,
                         "SELECT t, kind, name, dof, before, after, impulse, work, frame, slot, x, "
                         "y, z, friction, dn, dt, note FROM events "
                         "WHERE id = ?",
                         -1, SQLITE_PREPARE_PERSISTENT, &r->event, NULL) != SQLITE_OK) {
    return rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  return RH_OK;
}

rh_status rh_recording_open(const char *path, rh_diag *diag, rh_recording **recording)
{
  *recording = NULL;
  rh_recording *r = rh_alloc(sizeof *r);
  if (!r) {
    return RH_OUT_OF_MEMORY;
  }
  r->path = copy_bytes(path, strlen(path));
  rh_status status = r->path ? open_file(r, diag) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    // A snapshot of a file that may be growing. After it no lock is held, so a writer is not
    // blocked.
    status = rh_rec_exec(r->db, "BEGIN") ? check_all(r, diag)
                                         : rh_rec_refuse_sql(r, diag, "cannot be read");
    (void)rh_rec_exec(r->db, "COMMIT");
  }
  if (status != RH_OK) {
    rh_recording_close(r);
    return status;
  }
  *recording = r;
  return RH_OK;
}

void rh_recording_close(rh_recording *recording)
{
  rh_recording *r = recording;
  if (!r) {
    return;
  }
  (void)sqlite3_finalize(r->frame);
  (void)sqlite3_finalize(r->event);
  (void)sqlite3_finalize(r->input);
  rh_free(r->said[0]);
  rh_free(r->said[1]);
  (void)sqlite3_close(r->db);
  for (int i = 0; i < r->nmeta; i++) {
    rh_free(r->meta[i].key);
    rh_free(r->meta[i].value);
  }
  rh_data_destroy(r->data);
  rh_editions_close(&r->editions);
  rh_free(r->path);
  rh_free(r);
}

const rh_model *rh_recording_model(const rh_recording *recording)
{
  return recording->editions.first;
}

const char *rh_rec_path_of(const rh_recording *recording)
{
  return recording->path;
}

const char *rh_recording_meta(const rh_recording *recording, const char *key)
{
  const rh_rec_entry *e = find_meta(recording, key);
  return e ? e->value : NULL;
}

long rh_recording_frames(const rh_recording *recording)
{
  return recording->frames;
}

long rh_recording_events(const rh_recording *recording)
{
  return recording->events;
}

bool rh_recording_refresh(rh_recording *recording, bool *ended)
{
  rh_recording *r = recording;
  long frames = r->frames;
  long events = r->events;
  rh_diag *diag = rh_diag_create();
  bool good = diag && rh_rec_exec(r->db, "BEGIN"); // all is counted in one snapshot
  if (good) {
    good = rh_rec_count_all(r, diag) == RH_OK;
    bool over =
        rh_rec_integer(r->db, "SELECT count(*) FROM meta NOT INDEXED WHERE key = 'ended'", 0) > 0;
    if (over && find_meta(r, "ended") == NULL) { // its end is known from now on
      good = good && read_meta(r, diag) == RH_OK;
    }
    if (ended) {
      *ended = over;
    }
    (void)rh_rec_exec(r->db, "COMMIT");
  }
  if (!good) {
    r->frames = frames;
    r->events = events;
  }
  rh_diag_destroy(diag);
  return good;
}

long rh_recording_resume_index(const rh_recording *recording)
{
  long last = recording->frames - 1;
  return last < 0 ? RH_NONE : last - last % recording->editions.first->run.batch;
}

// ---- Frames

static bool read_hex(const char *text, uint64_t *value)
{
  if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
    return false;
  }
  *value = strtoull(text, NULL, 16);
  return true;
}

static bool same_number(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

static double column_number(sqlite3_stmt *s, int column) // NaN is stored as NULL
{
  return sqlite3_column_type(s, column) == SQLITE_NULL ? (double)NAN
                                                       : sqlite3_column_double(s, column);
}

// Takes the state out of the present row of `r->frame`. Returns its error, or NULL.
static const char *take_frame(const rh_recording *r, long index, double *state, uint64_t *hash)
{
  sqlite3_stmt *s = r->frame;
  const unsigned char *blob =
      sqlite3_column_type(s, 1) == SQLITE_BLOB ? sqlite3_column_blob(s, 1) : NULL;
  size_t bytes = blob ? (size_t)sqlite3_column_bytes(s, 1) : 0;
  bool packed = r->format >= RH_REC_FORMAT_PACKED;
  int n = r->editions.first->layout.nstate;
  if (!blob || (!packed && bytes != 8 * (size_t)n)) {
    return "its state has the wrong size";
  }
  if (!read_hex((const char *)sqlite3_column_text(s, 2), hash)) {
    return "its hash is no number of 16 hexadecimal digits";
  }
  if (sqlite3_column_type(s, 3) != SQLITE_INTEGER ||
      sqlite3_column_int64(s, 3) != rh_rec_sum(index, *hash, blob, bytes)) {
    return "its checksum does not fit";
  }
  if (packed && !rh_rec_unpack(blob, bytes, n, state)) {
    return "its state has the wrong size";
  }
  if (!packed) {
    rh_rec_decode(blob, n, state);
  }
  if (!same_number(column_number(s, 0), state[r->data->t - r->data->state])) {
    return "its time is not that of its state";
  }
  return rh_data_state_possible(r->data, state) ? NULL : "its state is impossible";
}

rh_status rh_recording_world(rh_recording *recording, long index, rh_data **world, uint64_t *hash,
                             rh_diag *diag)
{
  RH_TRY(rh_editions_world(&recording->editions, index, diag, world));
  return rh_recording_frame(recording, index, (*world)->state, hash, diag);
}

rh_status rh_recording_frame(rh_recording *recording, long index, double *state, uint64_t *hash,
                             rh_diag *diag)
{
  rh_recording *r = recording;
  uint64_t found = 0;
  const char *wrong = "it is missing";
  if (index >= 0 && index < r->frames) {
    (void)sqlite3_bind_int64(r->frame, 1, index);
    int step = sqlite3_step(r->frame);
    if (step == SQLITE_ROW) {
      wrong = take_frame(r, index, state, &found);
    } else if (step != SQLITE_DONE) {
      wrong = sqlite3_errmsg(r->db);
    }
  }
  if (wrong) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "frame %ld cannot be used: %s", index,
                wrong);
  }
  (void)sqlite3_reset(r->frame);
  if (hash && !wrong) {
    *hash = found;
  }
  return wrong ? RH_INPUT_REFUSED : RH_OK;
}

// ---- Events

static bool read_kind(const char *word, rh_event_kind *kind)
{
  for (int i = 0; word && i < RH_EVENT_COUNT; i++) {
    if (strcmp(rh_event_word((rh_event_kind)i), word) == 0) {
      *kind = (rh_event_kind)i;
      return true;
    }
  }
  return false;
}

static const char *take_event(const rh_recording *r, rh_event *event)
{
  sqlite3_stmt *s = r->event;
  const char *name = (const char *)sqlite3_column_text(s, 2);
  const char *note = (const char *)sqlite3_column_text(s, 16);
  int64_t dof = sqlite3_column_int64(s, 3);
  int64_t frame = sqlite3_column_int64(s, 8);
  int64_t slot = sqlite3_column_int64(s, 9);
  *event = (rh_event){.t = column_number(s, 0)};
  if (!read_kind((const char *)sqlite3_column_text(s, 1), &event->kind)) {
    return "its kind is not known";
  }
  if (!name || strlen(name) >= RH_NAME_MAX) {
    return "its name is too long";
  }
  if (dof < RH_NONE || dof >= r->editions.first->nv) {
    return "its degree of freedom does not exist";
  }
  if (slot < RH_NONE || slot >= r->editions.first->nslot) {
    return "its contact point does not exist";
  }
  if (frame < 0 || frame > r->frames) {
    return "its frame does not exist";
  }
  note = note ? rh_rec_take_bodies(r->editions.first, note, event) : NULL;
  if (!note || strlen(note) >= RH_NOTE_MAX) {
    return "its note is too long";
  }
  memcpy(event->name, name, strlen(name) + 1);
  memcpy(event->note, note, strlen(note) + 1);
  event->dof = (int)dof;
  event->slot = (int)slot;
  for (int i = 0; i < 3; i++) {
    event->point[i] = column_number(s, 10 + i);
  }
  event->before = column_number(s, 4);
  event->after = column_number(s, 5);
  event->impulse = column_number(s, 6);
  event->work = column_number(s, 7);
  event->friction = column_number(s, 13);
  event->Dn = column_number(s, 14);
  event->Dt = column_number(s, 15);
  return NULL;
}

rh_status rh_recording_event(rh_recording *recording, long index, rh_event *event, rh_diag *diag)
{
  rh_recording *r = recording;
  const char *wrong = "it is missing";
  if (index >= 0 && index < r->events) {
    (void)sqlite3_bind_int64(r->event, 1, index);
    int step = sqlite3_step(r->event);
    if (step == SQLITE_ROW) {
      wrong = take_event(r, event);
    } else if (step != SQLITE_DONE) {
      wrong = sqlite3_errmsg(r->db);
    }
  }
  if (wrong) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "event %ld cannot be used: %s", index,
                wrong);
  }
  (void)sqlite3_reset(r->event);
  return wrong ? RH_INPUT_REFUSED : RH_OK;
}
