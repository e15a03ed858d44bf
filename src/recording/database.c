// database.c: what the files of this folder share about the SQLite file: statements, counts, errors.
#include "private.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>

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

rh_status rh_rec_refuse_sql(const rh_recording *r, rh_diag *diag, const char *what)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path), "%s: %s", what, sqlite3_errmsg(r->db));
  return RH_INPUT_REFUSED;
}

// The count is bounded by the size of the file, so a caller may allocate by it.
long rh_rec_count(rh_recording *r, const char *table, const char *id)
{
  char sql[160];
  (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
  int64_t count = rh_rec_integer(r->db, sql, RH_NONE);
  (void)snprintf(sql, sizeof sql, "SELECT coalesce(max(%s), -1) + 1 FROM %s", id, table);
  int64_t last = rh_rec_integer(r->db, sql, RH_NONE);
  (void)snprintf(sql, sizeof sql, "SELECT coalesce(min(%s), 0) FROM %s", id, table);
  int64_t first = rh_rec_integer(r->db, sql, RH_NONE);
  return first == 0 && count == last && count < LONG_MAX ? (long)count : RH_NONE;
}
