// start.c: content of a recording before its first frame: tables, texts about the run, channels.
#include "private.h"

#include <routh/routh.h>

#include <sqlite3.h>
#include <string.h>

sqlite3 *rh_rec_open_for_writing(const char *path, rh_diag *diag, const char *target)
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

bool rh_rec_put_meta(sqlite3_stmt *statement, const char *key, const char *value)
{
  // The length has 64 bits, so that a text that is too long is refused and not cut.
  return sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
         sqlite3_bind_text64(statement, 2, value, strlen(value), SQLITE_STATIC, SQLITE_UTF8) ==
             SQLITE_OK &&
         rh_rec_run(statement);
}

static bool put_meta_integer(sqlite3_stmt *statement, const char *key, int value)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%d", value);
  return rh_rec_put_meta(statement, key, text);
}

// A state of many numbers, most of which may be zero, is packed.
static int format_of(const rh_model *model)
{
  return model->layout.nstate < RH_REC_PACKED_MIN ? RH_REC_FORMAT : RH_REC_FORMAT_PACKED;
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
  (void)sqlite3_snprintf((int)sizeof every, every, "%!.17g", model->run.every); // without locale
  bool done = put_meta_integer(statement, "format", format_of(model)) &&
              rh_rec_put_meta(statement, "routh", RH_VERSION) &&
              rh_rec_put_meta(statement, "scene_name", scene_name) &&
              rh_rec_put_meta(statement, "scene", scene_text) &&
              rh_rec_put_meta(statement, "units",
                              "SI: m, kg, s, rad, N, J; states are little-endian doubles") &&
              put_meta_integer(statement, "nq", model->nq) &&
              put_meta_integer(statement, "nv", model->nv) &&
              put_meta_integer(statement, "nstate", model->layout.nstate) &&
              put_meta_integer(statement, "batch", model->run.batch) &&
              rh_rec_put_meta(statement, "every", every);
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

static bool write_tables(sqlite3 *db, int format)
{
  char head[96];
  (void)snprintf(head, sizeof head, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                 RH_REC_APPLICATION, format);
  bool done = rh_rec_exec(db, head);
  for (int i = 0; done && i < RH_REC_TABLES; i++) {
    done = rh_rec_exec(db, rh_rec_schemas[i].sql);
  }
  return done;
}

// Fills the file at `path` with a recording without frames.
rh_status rh_rec_write_new(const char *path, const void *filling, rh_diag *diag, const char *target)
{
  const rh_rec_contents *with = filling;
  rh_channels *channels = rh_channels_create(with->model);
  if (!channels) {
    return RH_OUT_OF_MEMORY;
  }
  sqlite3 *db = rh_rec_open_for_writing(path, diag, target);
  bool done = false;
  if (db) {
    // Nobody else knows this file and it is deleted after any failure: no journal on the disk.
    done = rh_rec_exec(db, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL; BEGIN") &&
           write_tables(db, format_of(with->model)) &&
           write_meta(db, with->model, with->scene_name, with->scene_text) &&
           write_channels(db, channels) && rh_rec_write_head_sum(db) &&
           rh_rec_write_first_sum(db) && rh_rec_exec(db, "COMMIT");
    if (!done) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "could not be written: %s",
                  sqlite3_errmsg(db));
    }
  }
  (void)sqlite3_close(db);
  rh_channels_destroy(channels);
  return done ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}
