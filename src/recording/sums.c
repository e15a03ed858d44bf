// sums.c: sums over the whole content of a recording. Two of them:
//   meta "sum"     of the table meta (except itself and the tally, which changes with the frames)
//                  and of the table of channels
//   table sums     a chain, one row per frame: of the previous row, of the frame's own sum, of its
//                  row of the ledger and of the events and inputs since the previous frame;
//                  `events` and `inputs` are their counts so far. One more row, for the next
//                  frame, ends every commit: it covers the rows after the last frame and the
//                  tally; without it a truncated recording would look complete.
// Rows are summed as SQLite returns them, by writer and reader with the same code.
#include "private.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

// NaN is NULL in a recording, and SQLite does not keep the sign of a zero.
static uint64_t add_number(uint64_t sum, double x)
{
  uint64_t word;
  x = x == 0 ? 0 : x;
  memcpy(&word, &x, sizeof word);
  return rh_rec_sum_add_word(sum, word);
}

// All columns of the present row of the statement.
static uint64_t add_row(uint64_t sum, sqlite3_stmt *s)
{
  int columns = sqlite3_column_count(s);
  for (int i = 0; i < columns; i++) {
    int type = sqlite3_column_type(s, i);
    sum = rh_rec_sum_add_word(sum, (uint64_t)type);
    if (type == SQLITE_INTEGER) {
      sum = rh_rec_sum_add_word(sum, (uint64_t)sqlite3_column_int64(s, i));
    } else if (type == SQLITE_FLOAT) {
      sum = add_number(sum, sqlite3_column_double(s, i));
    } else if (type != SQLITE_NULL) {
      const void *bytes = sqlite3_column_blob(s, i);
      size_t count = (size_t)sqlite3_column_bytes(s, i);
      sum = rh_rec_sum_add_word(sum, count);
      sum = bytes != NULL ? rh_rec_sum_add(sum, bytes, count) : sum;
    }
  }
  return sum;
}

// All rows of a statement with bound values; `*rows` gets their number. False: the database failed.
static bool add_rows(sqlite3_stmt *s, uint64_t *sum, long *rows)
{
  int step;
  *rows = 0;
  while ((step = sqlite3_step(s)) == SQLITE_ROW) {
    *sum = add_row(*sum, s);
    ++*rows;
  }
  return sqlite3_reset(s) == SQLITE_OK && step == SQLITE_DONE;
}

// ---- The head

static bool add_table(sqlite3 *db, const char *sql, uint64_t *sum)
{
  sqlite3_stmt *s = NULL;
  long rows = 0;
  bool done = sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && add_rows(s, sum, &rows);
  *sum = rh_rec_sum_add_word(*sum, (uint64_t)rows);
  (void)sqlite3_finalize(s);
  return done;
}

bool rh_rec_head_sum(sqlite3 *db, char hex[17])
{
  uint64_t sum = RH_REC_SUM_BEGIN;
  bool done =
      add_table(
          db,
          "SELECT key, value FROM meta NOT INDEXED WHERE key NOT IN ('sum', 'tally') ORDER BY key",
          &sum) &&
      add_table(db, "SELECT id, name, unit FROM channels ORDER BY id", &sum);
  (void)snprintf(hex, 17, "%016" PRIx64, sum);
  return done;
}

bool rh_rec_write_head_sum(sqlite3 *db)
{
  char hex[17];
  char sql[96];
  if (!rh_rec_head_sum(db, hex)) {
    return false;
  }
  (void)snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO meta(key, value) VALUES('sum', '%s')",
                 hex);
  return rh_rec_exec(db, sql);
}

bool rh_rec_write_first_sum(sqlite3 *db)
{
  char sql[120];
  uint64_t sum = rh_rec_sum_add_word(rh_rec_sum_add_word(RH_REC_SUM_BEGIN, 0), 0);
  int64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  (void)snprintf(sql, sizeof sql,
                 "INSERT INTO sums(frame, events, inputs, sum) VALUES(0, 0, 0, %lld)",
                 (long long)bits);
  return rh_rec_exec(db, sql);
}

// ---- The chain

bool rh_rec_chain_open(rh_rec_chain *chain, sqlite3 *db)
{
  const unsigned keep = SQLITE_PREPARE_PERSISTENT;
  *chain = (rh_rec_chain){.sum = RH_REC_SUM_BEGIN};
  return sqlite3_prepare_v3(db, "SELECT * FROM ledger WHERE frame = ?", -1, keep, &chain->ledger,
                            NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(db, "SELECT * FROM events WHERE id >= ? AND id < ? ORDER BY id", -1,
                            keep, &chain->event, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(db, "SELECT * FROM inputs WHERE id >= ? AND id < ? ORDER BY id", -1,
                            keep, &chain->input, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(db, "SELECT events, inputs, sum FROM sums WHERE frame = ?", -1, keep,
                            &chain->read, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3(db, "SELECT value FROM meta NOT INDEXED WHERE key = 'tally'", -1, keep,
                            &chain->tally, NULL) == SQLITE_OK;
}

void rh_rec_chain_close(rh_rec_chain *chain)
{
  (void)sqlite3_finalize(chain->ledger);
  (void)sqlite3_finalize(chain->event);
  (void)sqlite3_finalize(chain->input);
  (void)sqlite3_finalize(chain->read);
  (void)sqlite3_finalize(chain->tally);
  *chain = (rh_rec_chain){0};
}

static bool add_range(sqlite3_stmt *s, long from, long to, uint64_t *sum)
{
  long rows = 0;
  if (from == to) {
    return true;
  }
  return sqlite3_bind_int64(s, 1, from) == SQLITE_OK && sqlite3_bind_int64(s, 2, to) == SQLITE_OK &&
         add_rows(s, sum, &rows) && rows == to - from;
}

// Rows since the last frame: events and inputs up to these numbers.
static bool add_since(const rh_rec_chain *chain, long events, long inputs, uint64_t *sum)
{
  *sum = rh_rec_sum_add_word(chain->sum, (uint64_t)events);
  *sum = rh_rec_sum_add_word(*sum, (uint64_t)inputs);
  return events >= chain->events && inputs >= chain->inputs &&
         add_range(chain->event, chain->events, events, sum) &&
         add_range(chain->input, chain->inputs, inputs, sum);
}

bool rh_rec_chain_add(rh_rec_chain *chain, long frame, int64_t frame_sum, long events, long inputs)
{
  uint64_t sum = 0;
  long rows = 0;
  if (!add_since(chain, events, inputs, &sum)) {
    return false;
  }
  sum = rh_rec_sum_add_word(sum, (uint64_t)frame);
  sum = rh_rec_sum_add_word(sum, (uint64_t)frame_sum);
  if (sqlite3_bind_int64(chain->ledger, 1, frame) != SQLITE_OK ||
      !add_rows(chain->ledger, &sum, &rows) || rows != 1) {
    return false;
  }
  chain->sum = sum;
  chain->events = events;
  chain->inputs = inputs;
  return true;
}

bool rh_rec_chain_tail(const rh_rec_chain *chain, long events, long inputs, uint64_t *sum)
{
  long rows = 0;
  return add_since(chain, events, inputs, sum) && add_rows(chain->tally, sum, &rows);
}

// ---- Reading

typedef struct sum_row { // of the table of sums
  int64_t events, inputs;
  uint64_t sum;
} sum_row;

static bool read_sum_row(const rh_rec_chain *chain, long frame, sum_row *row)
{
  sqlite3_stmt *s = chain->read;
  bool found = sqlite3_bind_int64(s, 1, frame) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW &&
               sqlite3_column_type(s, 0) == SQLITE_INTEGER &&
               sqlite3_column_type(s, 1) == SQLITE_INTEGER &&
               sqlite3_column_type(s, 2) == SQLITE_INTEGER;
  if (found) {
    row->events = sqlite3_column_int64(s, 0);
    row->inputs = sqlite3_column_int64(s, 1);
    row->sum = (uint64_t)sqlite3_column_int64(s, 2);
  }
  return sqlite3_reset(s) == SQLITE_OK && found;
}

bool rh_rec_chain_seek(rh_rec_chain *chain, long frame)
{
  sum_row row;
  if (frame < 0) {
    chain->sum = RH_REC_SUM_BEGIN;
    chain->events = chain->inputs = 0;
    return true;
  }
  if (!read_sum_row(chain, frame, &row)) {
    return false;
  }
  chain->sum = row.sum;
  chain->events = (long)row.events;
  chain->inputs = (long)row.inputs;
  return true;
}

// ---- Writing

bool rh_rec_prepare_sums(rh_recorder *r)
{
  const unsigned keep = SQLITE_PREPARE_PERSISTENT;
  return r->format < RH_REC_FORMAT_SUMS ||
         (rh_rec_chain_open(&r->chain, r->db) && rh_rec_chain_seek(&r->chain, r->next - 1) &&
          sqlite3_prepare_v3(r->db,
                             "INSERT OR REPLACE INTO sums(frame, events, inputs, sum) "
                             "VALUES(?, ?, ?, ?)",
                             -1, keep, &r->sums, NULL) == SQLITE_OK &&
          sqlite3_prepare_v3(r->db, "SELECT frame FROM inputs WHERE id = ?", -1, keep,
                             &r->input_frame, NULL) == SQLITE_OK);
}

// The chain has the last written frame; the row after it has the rest.
static bool write_sum(rh_recorder *r, long frame, long events, long inputs, uint64_t sum)
{
  int64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return sqlite3_bind_int64(r->sums, 1, frame) == SQLITE_OK &&
         sqlite3_bind_int64(r->sums, 2, events) == SQLITE_OK &&
         sqlite3_bind_int64(r->sums, 3, inputs) == SQLITE_OK &&
         sqlite3_bind_int64(r->sums, 4, bits) == SQLITE_OK && rh_rec_run(r->sums);
}

bool rh_rec_write_tail_sum(rh_recorder *r)
{
  uint64_t sum = 0;
  return r->format < RH_REC_FORMAT_SUMS ||
         (rh_rec_chain_tail(&r->chain, r->events, r->inputs, &sum) &&
          write_sum(r, r->next, r->events, r->inputs, sum));
}

// Inputs of a resumed run precede the frames that they act after.
static bool count_past_inputs(rh_recorder *r)
{
  bool before = true;
  while (before && r->past < r->inputs) {
    before = sqlite3_bind_int64(r->input_frame, 1, r->past) == SQLITE_OK &&
             sqlite3_step(r->input_frame) == SQLITE_ROW &&
             sqlite3_column_int64(r->input_frame, 0) < r->next;
    if (sqlite3_reset(r->input_frame) != SQLITE_OK) {
      return false;
    }
    r->past += before;
  }
  return true;
}

bool rh_rec_write_frame_sum(rh_recorder *r, int64_t frame_sum)
{
  return r->format < RH_REC_FORMAT_SUMS ||
         (count_past_inputs(r) &&
          rh_rec_chain_add(&r->chain, r->next, frame_sum, r->events, r->past) &&
          write_sum(r, r->next, r->events, r->past, r->chain.sum));
}

// ---- Checking

// Walks the chain from its start. Returns the first frame at which it does not match, RH_NONE if it
// matches everywhere.
static long find_break(rh_recording *r, rh_rec_chain *chain, sqlite3_stmt *frame)
{
  sum_row row;
  for (long i = 0; i < r->frames; i++) {
    bool fits = sqlite3_bind_int64(frame, 1, i) == SQLITE_OK && sqlite3_step(frame) == SQLITE_ROW &&
                read_sum_row(chain, i, &row) && row.events <= r->events &&
                row.inputs <= r->inputs &&
                rh_rec_chain_add(chain, i, sqlite3_column_int64(frame, 0), (long)row.events,
                                 (long)row.inputs) &&
                row.sum == chain->sum;
    (void)sqlite3_reset(frame);
    if (!fits) {
      return i;
    }
  }
  uint64_t sum = 0;
  bool whole = read_sum_row(chain, r->frames, &row) && row.events == r->events &&
               row.inputs == r->inputs && rh_rec_chain_tail(chain, r->events, r->inputs, &sum) &&
               sum == row.sum &&
               rh_rec_integer(r->db, "SELECT count(*) FROM sums", RH_NONE) == r->frames + 1;
  return whole ? RH_NONE : r->frames;
}

static rh_status report_break(const rh_recording *r, rh_diag *diag, long at)
{
  if (at < r->frames) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path),
                "was changed: the sum over account, events and inputs does not fit at frame %ld",
                at);
  } else {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(r->path),
                "was changed: the sum over what came after the last frame does not fit");
  }
  return RH_INPUT_REFUSED;
}

rh_status rh_recording_verify(rh_recording *recording, rh_diag *diag)
{
  rh_recording *r = recording;
  rh_rec_chain chain = {0};
  sqlite3_stmt *frame = NULL;
  if (r->format < RH_REC_FORMAT_SUMS) {
    return RH_OK;
  }
  bool begun = rh_rec_exec(r->db, "BEGIN"); // a snapshot of a file that may be growing
  rh_status status = begun ? rh_rec_count_all(r, diag) : RH_INPUT_REFUSED;
  if (!begun || !rh_rec_chain_open(&chain, r->db) ||
      sqlite3_prepare_v2(r->db, "SELECT sum FROM frames WHERE id = ?", -1, &frame, NULL) !=
          SQLITE_OK) {
    status = rh_rec_refuse_sql(r, diag, "the recording is damaged");
  }
  if (status == RH_OK) {
    long at = find_break(r, &chain, frame);
    status = at == RH_NONE ? RH_OK : report_break(r, diag, at);
  }
  (void)sqlite3_finalize(frame);
  rh_rec_chain_close(&chain);
  (void)rh_rec_exec(r->db, "COMMIT");
  return status;
}
