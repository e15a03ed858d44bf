// private.h: the journal's own state, and what its two files share.
#ifndef ROUTH_RECORDING_JOURNAL_PRIVATE_H
#define ROUTH_RECORDING_JOURNAL_PRIVATE_H

#include "journal.h"

#include "recording/recording.h"

#include <sqlite3.h>

#define RH_JOURNAL_COLUMNS_MAX 256
#define RH_JOURNAL_META_MAX    64
#define RH_JOURNAL_FIXED       3 // columns that all have: case, status, reason

struct rh_journal {
  sqlite3 *db;
  sqlite3_stmt *insert;
  char *path;
  char *key[RH_JOURNAL_META_MAX], *value[RH_JOURNAL_META_MAX];
  int nmeta;
  rh_journal_column column[RH_JOURNAL_COLUMNS_MAX]; // their names are owned
  int ncolumn;
  bool adds, open; // open: a transaction
  char why[RH_WHY_MAX];
};

// Reports what could not be done, with SQLite's reason; returns the status for it.
rh_status rh_journal_refuse(const rh_journal *journal, rh_diag *diag, const char *what);
// The tables, the plan (sum: at the end, else NULL), a row, in a database that need not be the journal's own.
bool rh_journal_create_tables(const rh_journal *journal, sqlite3 *db);
bool rh_journal_put_meta(const rh_journal *journal, sqlite3 *db, const char *sum);
bool rh_journal_prepare_insert(const rh_journal *journal, sqlite3 *db, sqlite3_stmt **statement);
bool rh_journal_put_row(sqlite3_stmt *insert, const rh_journal *journal, const rh_journal_row *row);

#endif
