// journal.h: the results of many cases in one SQLite file: texts about the whole, and one row per
// case, which is added once and never changed. What was committed survives the end of the process
// at any moment. A finished journal is written anew in the order of the cases, so that its bytes
// depend on its content only. docs/sweep.md describes the file for users of other tools.
#ifndef ROUTH_RECORDING_JOURNAL_JOURNAL_H
#define ROUTH_RECORDING_JOURNAL_JOURNAL_H

#include <routh/base.h>

typedef struct rh_journal rh_journal;

typedef struct rh_journal_column {
  const char *name;
  bool text; // else a number
} rh_journal_column;

typedef struct rh_journal_form { // of a new journal
  const char *const *key, *const *value; // texts about the whole (nmeta)
  int nmeta;
  const rh_journal_column *column; // further than case, status and reason (ncolumn)
  int ncolumn;
} rh_journal_form;

typedef struct rh_journal_row {
  int64_t index;
  const char *status, *reason;
  const double *number;    // (ncolumn) NaN: none
  const char *const *text; // (ncolumn) where the column is a text
} rh_journal_row;

// A new file at `path`; a file that exists is refused. `*journal` gets it, NULL after an error.
rh_status rh_journal_create(const char *path, const rh_journal_form *form, rh_diag *diag,
                            rh_journal **journal) RH_CHECK_RESULT;
// One that exists, to add to it (the only one who does) or to read it.
rh_status rh_journal_open(const char *path, bool adds, rh_diag *diag, rh_journal **journal) RH_CHECK_RESULT;
void rh_journal_close(rh_journal *journal); // NULL is allowed
const char *rh_journal_meta(const rh_journal *journal, const char *key); // NULL: there is none
int rh_journal_columns(const rh_journal *journal);
rh_journal_column rh_journal_column_at(const rh_journal *journal, int index);
bool rh_journal_finished(const rh_journal *journal);

// Rows are committed by rh_journal_commit. False: rh_journal_why has the reason.
bool rh_journal_add(rh_journal *journal, const rh_journal_row *row);
bool rh_journal_commit(rh_journal *journal);
const char *rh_journal_why(const rh_journal *journal);

// Calls `take` with every row, in the order of the cases, until it is not RH_OK. The row lasts
// during the call.
typedef rh_status rh_journal_take(void *user, const rh_journal_row *row);
rh_status rh_journal_read(rh_journal *journal, rh_journal_take *take, void *user, rh_diag *diag) RH_CHECK_RESULT;
// Only the indices, whatever else the rows hold.
rh_status rh_journal_indices(rh_journal *journal, void (*take)(void *user, int64_t index), void *user, rh_diag *diag) RH_CHECK_RESULT;

// Writes the file anew, in order, under its own name, and closes the journal. `*sum` gets the sum of
// its rows.
rh_status rh_journal_finish(rh_journal *journal, rh_diag *diag, uint64_t *sum) RH_CHECK_RESULT;

#endif
