// branch.c: a recording that begins as another one and goes on otherwise. It is a copy of the other up to
// a frame; what changes then is an input, as of a live run, so that the whole can be run again.
#include "private.h"

#include <sqlite3.h>

static bool copy_database(sqlite3 *from, sqlite3 *to)
{
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  bool done = backup != NULL && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
  return sqlite3_backup_finish(backup) == SQLITE_OK && done;
}

// Inputs of the frame itself belong to what follows it.
static bool drop_inputs(sqlite3 *db, const rh_rec_branch *with)
{
  char sql[80];
  (void)snprintf(sql, sizeof sql, "DELETE FROM inputs WHERE frame >= %ld", with->frame);
  return with->from->format == RH_REC_FORMAT_OLD || rh_rec_exec(db, sql);
}

rh_status rh_rec_fill_branch(const char *path, const void *filling, rh_diag *diag,
                             const char *target)
{
  const rh_rec_branch *with = filling;
  sqlite3 *db = rh_rec_open_for_writing(path, diag, target);
  // Nobody else knows this file and it is deleted after any failure.
  bool done = db != NULL && copy_database(with->from->db, db) && drop_inputs(db, with);
  if (db != NULL && !done) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "could not be written: %s",
                sqlite3_errmsg(db));
  }
  (void)sqlite3_close(db);
  return done ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}
