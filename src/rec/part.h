// part.h: the insides of a recorder and of a recording, for the files that share them.
#ifndef ROUTH_REC_PART_H
#define ROUTH_REC_PART_H

#include "rec/editions.h"
#include "rec/rec.h"

struct sqlite3_stmt;

typedef struct rh_rec_entry {
  char *key, *value;
  size_t bytes; // of the value
} rh_rec_entry;

struct rh_recording {
  struct sqlite3 *db;
  struct sqlite3_stmt *frame, *event;
  struct sqlite3_stmt *input; // NULL: its format has none
  char *path;
  int format;
  rh_rec_entry meta[RH_REC_META_MAX];
  int nmeta;
  rh_editions editions; // its scene, as it was at each frame
  rh_data *data;        // tells where things lie in a state
  long frames, events, inputs;
  char *said[2]; // name and value of the input that was asked for last
};

struct rh_recorder {
  struct sqlite3 *db;
  struct sqlite3_stmt *frame, *ledger, *event;
  struct sqlite3_stmt *input; // NULL: the format of the recording that is gone on with has none
  unsigned char *blob;        // (8 nstate)
  int nstate, batch;
  int format;
  long next;      // frame that comes next
  long events;    // events written
  long inputs;    // inputs written
  long committed; // frames
  double since;   // [s] time of the last commit, on a clock that only counts
  double born;    // [s] when it was opened, on the same clock
  bool synced;    // files are synced to the disk
  uint64_t hash;
  bool failed;
  char error[RH_WHY_MAX];
};

// recorder.c
rh_status rh_rec_fail(rh_recorder *r, const char *what); // with SQLite's own words; the recording takes nothing more
bool rh_rec_run(struct sqlite3_stmt *statement); // whose values are bound, and makes it ready for the next time
// reader.c
rh_status rh_rec_refuse_sql(const rh_recording *r, rh_diag *diag, const char *what);
// Counts the rows of a table that must be numbered 0, 1, 2, ...; RH_NONE if they are not.
long rh_rec_count(rh_recording *r, const char *table, const char *id);
// inputs.c
bool rh_rec_prepare_input(rh_recorder *r);
rh_status rh_rec_read_inputs(rh_recording *r, rh_diag *diag); // those that are new; changes of the scene are kept

#endif
