// private.h: the internals of a recorder and of a recording, for the files that share them.
#ifndef ROUTH_RECORDING_PRIVATE_H
#define ROUTH_RECORDING_PRIVATE_H

#include "scene_history.h"
#include "recording.h"

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
  rh_data *data;        // gives the layout of a state
  long frames, events, inputs;
  char *said[2]; // name and value of the last requested input
};

// The right to write the recording of a name (place.c)
typedef struct rh_rec_lock {
  int file;       // descriptor of the recording, which holds the lock; -1: none
  bool made;      // the file is new
  bool has_older; // an older recording of the name lies at `older`
  bool resumed;
  rh_rec_path path, older;
} rh_rec_lock;

typedef enum rh_rec_outcome { // of writing a recording
  RH_REC_WHOLE,
  RH_REC_CUT,          // writing failed later; it has frames
  RH_REC_NOT_BEGUN,    // the run ended before its first frame
  RH_REC_EMPTY_HANDED, // writing failed, and it has no frames
} rh_rec_outcome;

// Fills the file at `path` with a recording without frames.
typedef rh_status rh_rec_fill(const char *path, const void *with, rh_diag *diag, const char *target);

// The chain of sums (sums.c)
typedef struct rh_rec_chain {
  struct sqlite3_stmt *ledger, *event, *input, *read, *tally;
  uint64_t sum;        // up to the last frame
  long events, inputs; // up to the last frame
} rh_rec_chain;

struct rh_recorder {
  struct sqlite3 *db;
  rh_rec_lock lock;
  rh_rec_chain chain;
  struct sqlite3_stmt *sums, *input_frame;
  struct sqlite3_stmt *frame, *ledger, *event;
  struct sqlite3_stmt *input; // NULL: the format of the resumed recording has none
  struct sqlite3_stmt *tally;
  unsigned char *blob;        // (8 nstate + 8)
  int nstate, batch;
  int format;
  long next;      // next frame
  long base;      // frames that a branch has of another recording
  long events;    // events written
  long inputs;    // inputs written
  long past;      // inputs that acted before the next frame
  long committed; // frames
  long durable;   // frames
  rh_sync sync;
  int wal_pages;  // in the -wal file
  double since;   // [s] time of the last commit, monotonic clock
  uint64_t hash;
  bool failed;
  char error[RH_WHY_MAX];
};

// recorder.c
rh_status rh_rec_fail(rh_recorder *r, const char *what); // with SQLite's message; it takes no more
bool rh_rec_run(struct sqlite3_stmt *statement); // with bound values, and resets it
// start.c
typedef struct rh_rec_contents { // content of a recording before its first frame
  const rh_model *model;
  const char *scene_name, *scene_text;
} rh_rec_contents;
rh_status rh_rec_write_new(const char *path, const void *contents, rh_diag *diag, const char *target); // an rh_rec_fill
// branch.c
typedef struct rh_rec_branch { // frames of another recording, up to this one
  rh_recording *from;
  long frame;
} rh_rec_branch;
rh_status rh_rec_fill_branch(const char *path, const void *branch, rh_diag *diag, const char *target); // an rh_rec_fill
// NULL: see `diag`
struct sqlite3 *rh_rec_open_for_writing(const char *path, rh_diag *diag, const char *target);
bool rh_rec_put_meta(struct sqlite3_stmt *statement, const char *key, const char *value); // by "INSERT ... VALUES(?, ?)"
// place.c. `lock->path` is given.
rh_status rh_rec_place_new(rh_rec_lock *lock, rh_rec_fill *fill, const void *with, rh_diag *diag, const char *target);
rh_status rh_rec_place_again(rh_rec_lock *lock, rh_diag *diag, const char *target); // to resume it
// The end; `why` (RH_WHY_MAX) reports the result for the older recording.
void rh_rec_leave(rh_rec_lock *lock, rh_rec_outcome outcome, char *why);
// sums.c. False: the database failed, or rows are missing.
bool rh_rec_head_sum(struct sqlite3 *db, char hex[17]);
bool rh_rec_write_head_sum(struct sqlite3 *db);
bool rh_rec_write_first_sum(struct sqlite3 *db); // of a recording without frames
bool rh_rec_chain_open(rh_rec_chain *chain, struct sqlite3 *db); // before the first frame
// After a frame, by its row of the table; < 0: before the first
bool rh_rec_chain_seek(rh_rec_chain *chain, long frame);
void rh_rec_chain_close(rh_rec_chain *chain);
// A frame, with its row of the ledger, after this many events and inputs.
bool rh_rec_chain_add(rh_rec_chain *chain, long frame, int64_t frame_sum, long events, long inputs);
// Rows after it
bool rh_rec_chain_tail(const rh_rec_chain *chain, long events, long inputs, uint64_t *sum);
bool rh_rec_prepare_sums(rh_recorder *r); // after the last frame
bool rh_rec_write_frame_sum(rh_recorder *r, int64_t frame_sum); // of the last written frame
bool rh_rec_write_tail_sum(rh_recorder *r); // of the rows after it; before every commit
// reader.c
rh_status rh_rec_count_all(rh_recording *r, rh_diag *diag); // frames, events and inputs
rh_status rh_rec_refuse_sql(const rh_recording *r, rh_diag *diag, const char *what);
// Counts the rows of a table that must be numbered 0, 1, 2, ...; RH_NONE if they are not.
long rh_rec_count(rh_recording *r, const char *table, const char *id);
// inputs.c
bool rh_rec_prepare_input(rh_recorder *r);
// The new ones; changes of the scene are kept
rh_status rh_rec_read_inputs(rh_recording *r, rh_diag *diag);
// bodies.c
#define RH_REC_NOTE_MAX (RH_BODIES_MAX + 2 + RH_NOTE_MAX)
void rh_rec_put_bodies(const rh_model *model, const rh_event *event, char *note, size_t size); // the note as it is recorded
// The rest of the note
const char *rh_rec_take_bodies(const rh_model *model, const char *note, rh_event *event);
// tally.c
bool rh_rec_prepare_tally(rh_recorder *r);
bool rh_rec_put_tally(rh_recorder *r, const rh_sim *sim); // with the present frame

#endif
