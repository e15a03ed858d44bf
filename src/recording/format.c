// format.c: the form of a recording: tables, byte order, checksum; and the check of a path before
// SQLite gets it.
#define _XOPEN_SOURCE 700 // realpath

#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Not-a-number is stored as NULL by SQLite: columns that may hold it are not NOT NULL.
#define LEDGER_COLUMN(name, text) ", " #name " REAL"

const rh_rec_schema rh_rec_schemas[RH_REC_TABLES] = {
    [RH_REC_META] = {"meta",
                     "CREATE TABLE meta(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)", NULL,
                     0},
    [RH_REC_CHANNELS] = {"channels",
                         "CREATE TABLE channels(id INTEGER PRIMARY KEY, name TEXT NOT NULL, "
                         "unit TEXT NOT NULL)",
                         NULL, 0},
    [RH_REC_FRAMES] = {"frames",
                       "CREATE TABLE frames(id INTEGER PRIMARY KEY, t REAL, state BLOB NOT NULL, "
                       "hash TEXT NOT NULL, sum INTEGER NOT NULL)",
                       NULL, 0},
    [RH_REC_LEDGER] =
        {"ledger",
         "CREATE TABLE ledger(frame INTEGER PRIMARY KEY" RH_LEDGER_LIST(LEDGER_COLUMN) ")",
         "CREATE TABLE ledger(frame INTEGER PRIMARY KEY, kinetic REAL, potential REAL, "
         "spring REAL, contact REAL, damper REAL, contact_damper REAL, sliding REAL, "
         "actuator REAL, external REAL, event REAL, initial REAL, residue REAL)",
         0},
    [RH_REC_EVENTS] =
        {"events",
         "CREATE TABLE events(id INTEGER PRIMARY KEY, frame INTEGER NOT NULL, t REAL, "
         "kind TEXT NOT NULL, name TEXT NOT NULL, dof INTEGER NOT NULL, "
         "slot INTEGER NOT NULL, x REAL, y REAL, z REAL, before REAL, after REAL, "
         "impulse REAL, friction REAL, dn REAL, dt REAL, work REAL, "
         "note TEXT NOT NULL)",
         NULL, 0},
    [RH_REC_INPUTS] =
        {"inputs",
         "CREATE TABLE inputs(id INTEGER PRIMARY KEY, frame INTEGER NOT NULL, t REAL, "
         "kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL)",
         NULL, 3},
    [RH_REC_SUMS] = {"sums",
                     "CREATE TABLE sums(frame INTEGER PRIMARY KEY, events INTEGER NOT NULL, "
                     "inputs INTEGER NOT NULL, sum INTEGER NOT NULL)",
                     NULL, RH_REC_FORMAT_SUMS},
};

static void put_word(uint64_t word, unsigned char *byte)
{
  for (int i = 0; i < 8; i++) {
    byte[i] = (unsigned char)(word >> (8 * i));
  }
}

static uint64_t get_word(const unsigned char *byte)
{
  uint64_t word = 0;
  for (int i = 0; i < 8; i++) {
    word |= (uint64_t)byte[i] << (8 * i);
  }
  return word;
}

void rh_rec_encode(const double *state, int n, unsigned char *blob)
{
  for (int i = 0; i < n; i++) {
    uint64_t word;
    memcpy(&word, &state[i], sizeof word);
    put_word(word, blob + 8 * (size_t)i);
  }
}

void rh_rec_decode(const unsigned char *blob, int n, double *state)
{
  for (int i = 0; i < n; i++) {
    uint64_t word = get_word(blob + 8 * (size_t)i);
    memcpy(&state[i], &word, sizeof word);
  }
}

enum { RUN = 4 }; // fewer zeros are not worth a run of their own

static uint64_t word_of(double x)
{
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return word;
}

static int count_zeros(const double *state, int from, int n)
{
  int at = from;
  while (at < n && word_of(state[at]) == 0) { // not -0
    at++;
  }
  return at - from;
}

size_t rh_rec_pack(const double *state, int n, unsigned char *blob)
{
  unsigned char *out = blob;
  for (int at = 0; at < n;) {
    unsigned char *head = out;
    int begin = at;
    int zeros = 0;
    out += 8;
    while (at < n && (zeros = count_zeros(state, at, n)) < RUN) {
      for (int end = at + zeros + 1 < n ? at + zeros + 1 : n; at < end; at++, out += 8) {
        put_word(word_of(state[at]), out);
      }
      zeros = 0;
    }
    put_word((uint64_t)(at - begin) | (uint64_t)zeros << 32, head);
    at += zeros;
  }
  return (size_t)(out - blob);
}

bool rh_rec_unpack(const unsigned char *blob, size_t bytes, int n, double *state)
{
  const unsigned char *end = blob + bytes;
  int at = 0;
  while (end - blob >= 8) {
    uint64_t head = get_word(blob);
    uint64_t numbers = head & 0xFFFFFFFFu;
    uint64_t zeros = head >> 32;
    blob += 8;
    if (numbers > (uint64_t)(end - blob) / 8 || numbers + zeros > (uint64_t)(n - at)) {
      return false;
    }
    rh_rec_decode(blob, (int)numbers, state + at);
    blob += 8 * numbers;
    at += (int)numbers;
    memset(state + at, 0, zeros * sizeof *state);
    at += (int)zeros;
  }
  return at == n && blob == end;
}

uint64_t rh_rec_sum_add(uint64_t sum, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) {
    sum = (sum ^ byte[i]) * 0x100000001b3u;
  }
  return sum;
}

uint64_t rh_rec_sum_add_word(uint64_t sum, uint64_t word)
{
  unsigned char byte[8];
  put_word(word, byte);
  return rh_rec_sum_add(sum, byte, sizeof byte);
}

int64_t rh_rec_sum(long index, uint64_t hash, const unsigned char *blob, size_t bytes)
{
  unsigned char head[16];
  put_word((uint64_t)index, head);
  put_word(hash, head + 8);
  uint64_t sum = rh_rec_sum_add(RH_REC_SUM_BEGIN, head, sizeof head);
  sum = rh_rec_sum_add(sum, blob, bytes);
  int64_t answer; // SQLite's integers are signed; the bits matter
  memcpy(&answer, &sum, sizeof answer);
  return answer;
}

// ---- Paths

static rh_rec_file judge_head(int file)
{
  static const char magic[16] = "SQLite format 3"; // with its closing zero
  unsigned char head[100];
  ssize_t got = pread(file, head, sizeof head, 0);
  if (got == 0) {
    return RH_REC_EMPTY;
  }
  if (got != (ssize_t)sizeof head || memcmp(head, magic, sizeof magic) != 0) {
    return RH_REC_FOREIGN;
  }
  uint32_t application =
      (uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71];
  return application == RH_REC_APPLICATION ? RH_REC_RECORDING : RH_REC_FOREIGN;
}

rh_rec_file rh_rec_look(const char *path)
{
  struct stat info;
  if (stat(path, &info) != 0) {
    return errno == ENOENT ? RH_REC_ABSENT : RH_REC_NO_FILE;
  }
  if (!S_ISREG(info.st_mode)) {
    errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    return RH_REC_NO_FILE;
  }
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return RH_REC_NO_FILE;
  }
  rh_rec_file answer = judge_head(file);
  (void)close(file);
  return answer;
}

bool rh_rec_resolve(const char *path, rh_rec_path *resolved)
{
  if (realpath(path, resolved->text)) { // renaming onto a symbolic link would replace the link
    return true;
  }
  // For SQLite, names that begin with a colon or with "file:" are special.
  const char *front = path[0] == ':' || strncmp(path, "file:", 5) == 0 ? "./" : "";
  int length = snprintf(resolved->text, sizeof resolved->text, "%s%s", front, path);
  if (length <= 0 || length >= (int)sizeof resolved->text) {
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    return false;
  }
  return true;
}

bool rh_rec_append(const rh_rec_path *path, const char *suffix, rh_rec_path *longer)
{
  size_t length = strlen(path->text);
  size_t extra = strlen(suffix);
  if (length + extra >= sizeof longer->text) {
    errno = ENAMETOOLONG;
    return false;
  }
  memcpy(longer->text, path->text, length);
  memcpy(longer->text + length, suffix, extra + 1);
  return true;
}

// Takes over a file left by a dead process: one of ours that nobody holds. Returns its descriptor
// or -1.
static int take_over(const char *path)
{
  rh_rec_file found = rh_rec_look(path);
  int file =
      found == RH_REC_EMPTY || found == RH_REC_RECORDING ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) {
    return -1;
  }
  struct stat held;
  struct stat named;
  bool ours = flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &held) == 0 &&
              stat(path, &named) == 0 && held.st_ino == named.st_ino &&
              held.st_dev == named.st_dev && ftruncate(file, 0) == 0;
  if (!ours) {
    (void)close(file);
    return -1;
  }
  return file;
}

// As take_over, for a file that does not exist yet.
static int create_new(const char *path)
{
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    (void)close(file); // another process has taken it over
    errno = EEXIST;
    return -1;
  }
  return file;
}

int rh_rec_create_beside(const rh_rec_path *path, rh_rec_path *created)
{
  for (int i = 0; i < 100; i++) {
    char suffix[16];
    (void)snprintf(suffix, sizeof suffix, ".part%.0d", i); // ".part", ".part1", ...
    if (!rh_rec_append(path, suffix, created)) {
      return -1;
    }
    int file = create_new(created->text);
    if (file < 0 && errno != EEXIST) {
      return -1;
    }
    file = file < 0 ? take_over(created->text) : file;
    if (file >= 0) {
      return file;
    }
  }
  errno = EEXIST;
  return -1;
}

rh_place rh_rec_place(const char *path)
{
  return (rh_place){.file = path};
}

// ---- SQLite

bool rh_rec_exec(sqlite3 *db, const char *sql)
{
  return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

int64_t rh_rec_integer(sqlite3 *db, const char *sql, int64_t otherwise)
{
  sqlite3_stmt *statement = NULL;
  int64_t answer = otherwise;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW &&
      sqlite3_column_type(statement, 0) == SQLITE_INTEGER) {
    answer = sqlite3_column_int64(statement, 0);
  }
  (void)sqlite3_finalize(statement);
  return answer;
}
