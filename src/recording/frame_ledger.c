// frame_ledger.c: the row of the ledger of a frame, without its state: of many bodies that is large.
#include "private.h"

#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

static double number_in(sqlite3_stmt *s, int column) // NaN is stored as NULL
{
  return sqlite3_column_type(s, column) == SQLITE_NULL ? (double)NAN
                                                       : sqlite3_column_double(s, column);
}

#define COLUMN(name, text) ", " #name
#define COLUMN_OLD                                                                                 \
  ", kinetic, potential, spring, contact, damper, contact_damper, sliding, actuator, external, "   \
  "event, initial, residue"

rh_status rh_rec_frame_ledger(rh_recording *recording, long index, double *t, rh_ledger *ledger,
                              rh_diag *diag)
{
  static const char now[] =
      "SELECT t" RH_LEDGER_LIST(COLUMN) " FROM frames JOIN ledger ON frame = id WHERE id = ?";
  static const char old[] =
      "SELECT t" COLUMN_OLD " FROM frames JOIN ledger ON frame = id WHERE id = ?";
  bool is_old = recording->format == RH_REC_FORMAT_OLD;
  const int hand = (int)(offsetof(rh_ledger, hand) / sizeof(double));
  sqlite3_stmt *s = NULL;
  *ledger = (rh_ledger){0};
  *t = 0;
  bool found = sqlite3_prepare_v2(recording->db, is_old ? old : now, -1, &s, NULL) == SQLITE_OK &&
               sqlite3_bind_int64(s, 1, index) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
  if (found) {
    double entry[sizeof *ledger / sizeof(double)] = {0};
    int column = 1;
    *t = number_in(s, 0);
    for (int i = 0; i < RH_COUNT(entry); i++) {
      if (i != hand || !is_old) {
        entry[i] = number_in(s, column++);
      }
    }
    memcpy(ledger, entry, sizeof *ledger);
  } else {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(recording->path),
                "frame %ld cannot be used: it has no row of the ledger", index);
  }
  (void)sqlite3_finalize(s);
  return found ? RH_OK : RH_INPUT_REFUSED;
}
