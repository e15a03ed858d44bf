// recording.h: shared by recorder, reader and exporters: the form of a recording, its checksum, and
// the table of export formats. docs/recording.md describes it for users of other tools.
#ifndef ROUTH_RECORDING_RECORDING_H
#define ROUTH_RECORDING_RECORDING_H

#include <routh/record.h>

#include <limits.h>
#include <stdio.h>

struct sqlite3;

#define RH_REC_APPLICATION 0x52485243 // "RHRC", application id in the head of the SQLite file
#define RH_REC_FORMAT      4    // user version in the head of the SQLite file, and meta "format"
#define RH_REC_FORMAT_PACKED 5  // the same with packed states: where a state has RH_REC_PACKED_MIN numbers
#define RH_REC_PACKED_MIN  (1 << 18)
#define RH_REC_FORMAT_SUMS 4    // the first with sums over its whole content
#define RH_REC_FORMAT_OLD  2    // oldest that is read and resumed: no inputs, no hand in the ledger
#define RH_REC_META_MAX    64   // keys that a reader keeps
#define RH_REC_WAIT_MS     2000 // maximum wait for another process that holds the file

typedef enum rh_rec_table {
  RH_REC_META,
  RH_REC_CHANNELS,
  RH_REC_FRAMES,
  RH_REC_LEDGER,
  RH_REC_EVENTS,
  RH_REC_INPUTS,
  RH_REC_SUMS,
  RH_REC_TABLES
} rh_rec_table;

typedef struct rh_rec_schema {
  const char *name;
  const char *sql; // stored by SQLite unchanged, so a reader can compare it
  const char *old; // in the old format, if different
  int since;       // first format with it; 0: all
} rh_rec_schema;

extern const rh_rec_schema rh_rec_schemas[RH_REC_TABLES];

typedef enum rh_rec_file { // file at a path
  RH_REC_ABSENT,
  RH_REC_EMPTY,     // an empty file
  RH_REC_RECORDING, // by the head of the file; what follows may still be damaged
  RH_REC_FOREIGN,   // some other file
  RH_REC_NO_FILE,   // a folder, a device, or an inaccessible file (see errno)
} rh_rec_file;

typedef struct rh_rec_path { // a path with symbolic links followed, usable as an SQLite name
  char text[PATH_MAX];
} rh_rec_path;

// States are kept as little-endian doubles, whatever the machine.
void rh_rec_encode(const double *state, int n, unsigned char *blob);
void rh_rec_decode(const unsigned char *blob, int n, double *state);
// The same without runs of zeros: of many contact points most are free, and all zero. A run of numbers is a word with
// their count (low half) and with that of the zeros after them (high half), then the numbers. `blob` has 8 n + 8 bytes;
// gives how many are used.
size_t rh_rec_pack(const double *state, int n, unsigned char *blob);
bool rh_rec_unpack(const unsigned char *blob, size_t bytes, int n, double *state); // false: they are not n numbers
// Checksum of a frame: its index, its hash and its state, so that a misplaced frame is found too.
int64_t rh_rec_sum(long index, uint64_t hash, const unsigned char *blob, size_t bytes);
// The sum with more bytes: Fowler, Noll and Vo, variant 1a, 64 bits. Starts at RH_REC_SUM_BEGIN.
uint64_t rh_rec_sum_add(uint64_t sum, const void *bytes, size_t count);
uint64_t rh_rec_sum_add_word(uint64_t sum, uint64_t word);
#define RH_REC_SUM_BEGIN 0xcbf29ce484222325u
rh_rec_file rh_rec_look(const char *path);
bool rh_rec_resolve(const char *path, rh_rec_path *resolved);
// Creates an empty file next to `path`: "path.part", "path.part1", ...; files of a dead process are
// reused, others are kept. Returns a descriptor that locks it until it is closed, or -1.
int rh_rec_create_beside(const rh_rec_path *path, rh_rec_path *created);
bool rh_rec_append(const rh_rec_path *path, const char *suffix, rh_rec_path *longer);
bool rh_rec_exec(struct sqlite3 *db, const char *sql);
// "SELECT ..." with one integer as its result, or `otherwise`.
int64_t rh_rec_integer(struct sqlite3 *db, const char *sql, int64_t otherwise);
rh_place rh_rec_place(const char *path);

// Does the scene want a row for this event (record.impact_rows)? Others are counted by the tally, and by nobody else.
bool rh_rec_has_row(const rh_model *model, const rh_event *event);
const char *rh_rec_path_of(const rh_recording *recording); // as rh_recording_open was given it
// Time and ledger of a frame; its state is not read.
rh_status rh_rec_frame_ledger(rh_recording *recording, long index, double *t, rh_ledger *ledger, rh_diag *diag);
// Can a run of `model` resume after frame `index` of this recording? Gives the frame's hash.
rh_status rh_rec_check_resume(const char *path, const rh_model *model, long index, uint64_t *hash,
                              rh_diag *diag);

// ---- Export formats: one line in formats.def, one descriptor in export_<name>.c.

typedef struct rh_export_job {
  rh_recording *recording;
  const rh_channels *channels;
  const int *channel; // channels to write, without `t`, which comes first (n)
  int n;
  long frames, events;
  uint64_t hash;      // of the last frame, 0 if there is none
  FILE *file;         // where to write
  const char *target; // the name the user gave, for messages
  rh_diag *diag;
} rh_export_job;

typedef struct rh_export {
  rh_row row;
  bool streams; // written from front to back: works for standard output and pipes
  rh_status (*write)(const rh_export_job *job);
} rh_export;

const rh_export *const *rh_export_table(int *count);
const rh_export *rh_export_find(const char *name);
rh_status rh_export_register(const rh_export *row); // a format of another library; RH_INPUT_REFUSED: its name is taken
// Reads the time and the channels (n) of a frame.
rh_status rh_export_read(const rh_export_job *job, long frame, double *t, double *value);

#endif
