// journal_finish.c: the end of a journal: its rows in order, in another file, which gets its name.
#include "private.h"

#include "base/outfile.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t add_row_to_sum(const rh_journal *j, const rh_journal_row *row, uint64_t sum)
{
  sum = rh_rec_sum_add_word(sum, (uint64_t)row->index);
  sum = rh_rec_sum_add(sum, row->status, strlen(row->status) + 1);
  sum = rh_rec_sum_add(sum, row->reason, strlen(row->reason) + 1);
  for (int i = 0; i < j->ncolumn; i++) {
    uint64_t bits = 0;
    if (j->column[i].text) {
      sum = rh_rec_sum_add(sum, row->text[i], strlen(row->text[i]) + 1);
    } else {
      memcpy(&bits, &row->number[i], sizeof bits);
      sum = rh_rec_sum_add_word(sum, isnan(row->number[i]) ? UINT64_MAX : bits);
    }
  }
  return sum;
}

typedef struct copying {
  const rh_journal *from;
  sqlite3 *db;
  sqlite3_stmt *insert;
  uint64_t sum;
} copying;

static rh_status copy_row(void *user, const rh_journal_row *row)
{
  copying *c = user;
  c->sum = add_row_to_sum(c->from, row, c->sum);
  return rh_journal_put_row(c->insert, c->from, row) ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}

// Nobody else knows the file; it is dropped after any failure: no journal on the disk.
static rh_status fill_ordered(rh_journal *j, copying *c, rh_diag *diag)
{
  bool begun = rh_rec_exec(c->db, "PRAGMA page_size = 4096; PRAGMA locking_mode = EXCLUSIVE; "
                                  "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL; BEGIN") &&
               rh_journal_create_tables(j, c->db) &&
               rh_journal_prepare_insert(j, c->db, &c->insert);
  rh_status status = begun ? rh_journal_read(j, copy_row, c, diag) : RH_OUTPUT_NOT_WRITTEN;
  char sum[17];
  (void)snprintf(sum, sizeof sum, "%016llx", (unsigned long long)c->sum);
  if (status == RH_OK && !(rh_journal_put_meta(j, c->db, sum) && rh_rec_exec(c->db, "COMMIT"))) {
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  if (status == RH_OUTPUT_NOT_WRITTEN) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(j->path), "could not be written in order: %s",
                sqlite3_errmsg(c->db));
  }
  return status;
}

static rh_status write_ordered(rh_journal *j, const char *part, rh_diag *diag, uint64_t *sum)
{
  copying c = {.from = j, .sum = RH_REC_SUM_BEGIN};
  (void)unlink(part); // of a manager that was killed here
  int opened = sqlite3_open_v2(part, &c.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  rh_status status = RH_OUTPUT_NOT_WRITTEN;
  if (opened == SQLITE_OK) {
    status = fill_ordered(j, &c, diag);
  } else {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(part), "cannot be written");
  }
  (void)sqlite3_finalize(c.insert);
  if (sqlite3_close(c.db) != SQLITE_OK && status == RH_OK) {
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  *sum = c.sum;
  return status;
}

static bool remove_side(const char *path, const char *ending)
{
  char name[PATH_MAX];
  return (size_t)snprintf(name, sizeof name, "%s%s", path, ending) < sizeof name &&
         unlink(name) == 0;
}

rh_status rh_journal_finish(rh_journal *journal, rh_diag *diag, uint64_t *sum)
{
  char part[PATH_MAX];
  rh_status status = RH_OUTPUT_NOT_WRITTEN;
  if (!rh_journal_commit(journal) ||
      (size_t)snprintf(part, sizeof part, "%s.part", journal->path) >= sizeof part) {
    status = rh_journal_refuse(journal, diag, "could not be written");
    rh_journal_close(journal);
    return status;
  }
  status = write_ordered(journal, part, diag, sum);
  // The log is emptied before the new file has the name, or it would be taken for that of the new one.
  if (status == RH_OK &&
      !rh_rec_exec(journal->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")) {
    status = rh_journal_refuse(journal, diag, "could not be written");
  }
  if (status == RH_OK) {
    (void)remove_side(journal->path, "-journal");
  }
  (void)rh_outfile_sync_folder(journal->path); // nothing of the old file comes after the new one
  if (status == RH_OK && rename(part, journal->path) != 0) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(journal->path), "%s", strerror(errno));
    status = RH_OUTPUT_NOT_WRITTEN;
  }
  if (status == RH_OK) {
    (void)remove_side(journal->path, "-wal");
    (void)remove_side(journal->path, "-shm");
    (void)rh_outfile_sync_folder(journal->path);
  } else {
    (void)unlink(part);
  }
  rh_journal_close(journal);
  return status;
}
