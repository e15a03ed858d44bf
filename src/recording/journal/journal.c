// journal.c: the file of a journal. While a sweep runs, SQLite's write-ahead log makes each commit
// one append. The end is another file beside it, filled in order by one transaction and renamed: the
// same content gives the same bytes, whoever computed it and in whichever order.
#include "journal.h"

#include "base/outfile.h"
#include "base/text.h"
#include "recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION 0x52485357 // "RHSW", application id in the head of the SQLite file
#define FORMAT      1
#define COLUMNS_MAX 256
#define META_MAX    64
#define FIXED       3 // case, status, reason

struct rh_journal {
  sqlite3 *db;
  sqlite3_stmt *insert;
  char *path;
  char *key[META_MAX], *value[META_MAX];
  int nmeta;
  rh_journal_column column[COLUMNS_MAX]; // their names are owned
  int ncolumn;
  bool adds, open; // open: a transaction
  char why[RH_WHY_MAX];
};

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = rh_alloc(size);
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

static rh_status refuse_journal(const rh_journal *j, rh_diag *diag, const char *what)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(j->path), "%s: %s", what,
              j->db != NULL ? sqlite3_errmsg(j->db) : "out of memory");
  return j->adds ? RH_OUTPUT_NOT_WRITTEN : RH_INPUT_REFUSED;
}

static bool note_failure(rh_journal *j)
{
  if (j->why[0] == '\0') {
    (void)snprintf(j->why, sizeof j->why, "%s", sqlite3_errmsg(j->db));
  }
  return false;
}

static rh_journal *make_journal(const char *path, bool adds)
{
  rh_journal *j = rh_alloc(sizeof *j);
  if (j == NULL) {
    return NULL;
  }
  j->adds = adds;
  j->path = copy_text(path);
  if (j->path == NULL) {
    rh_free(j);
    return NULL;
  }
  return j;
}

void rh_journal_close(rh_journal *journal)
{
  if (journal == NULL) {
    return;
  }
  (void)sqlite3_finalize(journal->insert);
  (void)sqlite3_close(journal->db);
  for (int i = 0; i < journal->nmeta; i++) {
    rh_free(journal->key[i]);
    rh_free(journal->value[i]);
  }
  for (int i = 0; i < journal->ncolumn; i++) {
    rh_free((void *)journal->column[i].name);
  }
  rh_free(journal->path);
  rh_free(journal);
}

const char *rh_journal_meta(const rh_journal *journal, const char *key)
{
  for (int i = 0; i < journal->nmeta; i++) {
    if (journal->key[i] != NULL && strcmp(journal->key[i], key) == 0) {
      return journal->value[i];
    }
  }
  return NULL;
}

int rh_journal_columns(const rh_journal *journal)
{
  return journal->ncolumn;
}

rh_journal_column rh_journal_column_at(const rh_journal *journal, int index)
{
  return journal->column[index];
}

bool rh_journal_finished(const rh_journal *journal)
{
  return rh_journal_meta(journal, "sum") != NULL;
}

const char *rh_journal_why(const rh_journal *journal)
{
  return journal->why;
}

// ---- Form

// In the order of the keys, on which the pages of the file depend.
static bool keep_meta(rh_journal *j, const char *key, const char *value)
{
  if (j->nmeta == META_MAX) {
    return false;
  }
  char *own = copy_text(key);
  char *text = copy_text(value);
  int at = j->nmeta++;
  for (; at > 0 && j->key[at - 1] != NULL && strcmp(j->key[at - 1], key) > 0; at--) {
    j->key[at] = j->key[at - 1];
    j->value[at] = j->value[at - 1];
  }
  j->key[at] = own;
  j->value[at] = text;
  return own != NULL && text != NULL;
}

static bool keep_column(rh_journal *j, const char *name, bool text)
{
  char *copy = j->ncolumn < COLUMNS_MAX ? copy_text(name) : NULL;
  if (copy == NULL) {
    return false;
  }
  j->column[j->ncolumn++] = (rh_journal_column){copy, text};
  return true;
}

static bool open_database(rh_journal *j, const char *path)
{
  int how = j->adds ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (sqlite3_open_v2(path, &j->db, how, NULL) != SQLITE_OK) {
    return false;
  }
  (void)sqlite3_busy_timeout(j->db, RH_REC_WAIT_MS);
  (void)sqlite3_db_config(j->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void)sqlite3_db_config(j->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  return true;
}

// "CREATE TABLE cases(...)"; names were checked by the one who gave them.
static bool create_tables(const rh_journal *j, sqlite3 *db)
{
  rh_text sql = {0};
  rh_text_addf(
      &sql,
      "PRAGMA application_id = %d; PRAGMA user_version = %d;"
      "CREATE TABLE meta(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE cases(\"case\" INTEGER PRIMARY KEY, status TEXT NOT NULL, "
      "reason TEXT NOT NULL",
      APPLICATION, FORMAT);
  for (int i = 0; i < j->ncolumn; i++) {
    rh_text_addf(&sql, ", \"%s\" %s", j->column[i].name, j->column[i].text ? "TEXT" : "REAL");
  }
  rh_text_add(&sql, ")");
  bool done = !sql.failed && rh_rec_exec(db, sql.data);
  rh_text_free(&sql);
  return done;
}

static bool run_statement(sqlite3_stmt *statement)
{
  bool done = sqlite3_step(statement) == SQLITE_DONE;
  return sqlite3_reset(statement) == SQLITE_OK && done;
}

static bool put_meta(const rh_journal *j, sqlite3 *db, const char *sum)
{
  sqlite3_stmt *statement = NULL;
  bool done = sqlite3_prepare_v2(db, "INSERT INTO meta(key, value) VALUES(?, ?)", -1, &statement,
                                 NULL) == SQLITE_OK;
  for (int i = 0; done && i < j->nmeta + (sum != NULL); i++) {
    const char *key = i < j->nmeta ? j->key[i] : "sum";
    const char *value = i < j->nmeta ? j->value[i] : sum;
    done = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
           sqlite3_bind_text64(statement, 2, value, strlen(value), SQLITE_STATIC, SQLITE_UTF8) ==
               SQLITE_OK &&
           run_statement(statement);
  }
  (void)sqlite3_finalize(statement);
  return done;
}

static bool prepare_insert(const rh_journal *j, sqlite3 *db, sqlite3_stmt **statement)
{
  rh_text sql = {0};
  rh_text_add(&sql, "INSERT INTO cases VALUES(?, ?, ?");
  for (int i = 0; i < j->ncolumn; i++) {
    rh_text_add(&sql, ", ?");
  }
  rh_text_add(&sql, ")");
  bool done = !sql.failed && sqlite3_prepare_v2(db, sql.data, -1, statement, NULL) == SQLITE_OK;
  rh_text_free(&sql);
  return done;
}

// ---- Opening

static bool create_file(const rh_journal *j)
{
  return open_database((rh_journal *)j, j->path) &&
         rh_rec_exec(j->db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; "
                            "PRAGMA synchronous = NORMAL; BEGIN") &&
         create_tables(j, j->db) && put_meta(j, j->db, NULL) && rh_rec_exec(j->db, "COMMIT");
}

rh_status rh_journal_create(const char *path, const rh_journal_form *form, rh_diag *diag,
                            rh_journal **journal)
{
  *journal = NULL;
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    int error = errno;
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "%s",
                error == EEXIST ? "there is a file of this name; a sweep is continued by --resume, "
                                  "and never replaces a file"
                                : strerror(error));
    return rh_outfile_status(error);
  }
  (void)close(file);
  rh_journal *j = make_journal(path, true);
  bool done = j != NULL;
  for (int i = 0; done && i < form->nmeta; i++) {
    done = keep_meta(j, form->key[i], form->value[i]);
  }
  for (int i = 0; done && i < form->ncolumn; i++) {
    done = keep_column(j, form->column[i].name, form->column[i].text);
  }
  if (!done) {
    rh_journal_close(j);
    (void)unlink(path);
    return RH_OUT_OF_MEMORY;
  }
  if (!create_file(j) || !prepare_insert(j, j->db, &j->insert)) {
    rh_status status = refuse_journal(j, diag, "could not be written");
    rh_journal_close(j);
    (void)unlink(path);
    return status;
  }
  *journal = j;
  return RH_OK;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text != NULL ? text : "";
}

static bool read_form(rh_journal *j)
{
  sqlite3_stmt *statement = NULL;
  bool done = sqlite3_prepare_v2(j->db, "SELECT key, value FROM meta NOT INDEXED ORDER BY key", -1,
                                 &statement, NULL) == SQLITE_OK;
  while (done && sqlite3_step(statement) == SQLITE_ROW) {
    done = keep_meta(j, text_at(statement, 0), text_at(statement, 1));
  }
  (void)sqlite3_finalize(statement);
  statement = NULL;
  done = done &&
         sqlite3_prepare_v2(j->db, "SELECT name, type FROM pragma_table_info('cases') ORDER BY cid",
                            -1, &statement, NULL) == SQLITE_OK;
  for (int i = 0; done && sqlite3_step(statement) == SQLITE_ROW; i++) {
    done = i < FIXED ||
           keep_column(j, text_at(statement, 0), strcmp(text_at(statement, 1), "TEXT") == 0);
  }
  (void)sqlite3_finalize(statement);
  return done;
}

static bool is_journal(rh_journal *j)
{
  return rh_rec_integer(j->db, "PRAGMA application_id", 0) == APPLICATION &&
         rh_rec_integer(j->db, "PRAGMA user_version", 0) == FORMAT;
}

// Another manager may have put the finished journal in the place of this one while it was waited for.
static bool same_file(const char *path, const struct stat *before)
{
  struct stat now;
  return stat(path, &now) == 0 && now.st_ino == before->st_ino && now.st_dev == before->st_dev;
}

static rh_status refuse_use(const rh_journal *j, rh_diag *diag)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(j->path), "is in use: a manager is at work at it");
  return j->adds ? RH_OUTPUT_NOT_WRITTEN : RH_INPUT_REFUSED;
}

rh_status rh_journal_open(const char *path, bool adds, rh_diag *diag, rh_journal **journal)
{
  struct stat before;
  *journal = NULL;
  if (access(path, R_OK) != 0 || stat(path, &before) != 0) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "cannot be read: %s", strerror(errno));
    return RH_INPUT_REFUSED;
  }
  rh_journal *j = make_journal(path, adds);
  if (j == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = RH_OK;
  if (!open_database(j, path)) {
    status = refuse_journal(j, diag, "cannot be opened");
  } else if (adds &&
             !rh_rec_exec(j->db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; "
                                 "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT")) {
    status = sqlite3_errcode(j->db) == SQLITE_BUSY ? refuse_use(j, diag)
                                                   : refuse_journal(j, diag, "cannot be continued");
  } else if (!same_file(path, &before)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "was finished by another manager just now");
    status = RH_OUTPUT_NOT_WRITTEN;
  } else if (!is_journal(j) && sqlite3_errcode(j->db) == SQLITE_BUSY) {
    status = refuse_use(j, diag);
  } else if (!is_journal(j)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path),
                "is no journal of a sweep, or one of a later version");
    status = RH_INPUT_REFUSED;
  } else if (!read_form(j) || (adds && !prepare_insert(j, j->db, &j->insert))) {
    status = refuse_journal(j, diag, "is damaged");
  }
  if (status != RH_OK) {
    rh_journal_close(j);
    return status;
  }
  *journal = j;
  return RH_OK;
}

// ---- Rows

static bool put_row(sqlite3_stmt *s, const rh_journal *j, const rh_journal_row *row)
{
  bool done = sqlite3_bind_int64(s, 1, row->index) == SQLITE_OK &&
              sqlite3_bind_text(s, 2, row->status, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(s, 3, row->reason, -1, SQLITE_STATIC) == SQLITE_OK;
  for (int i = 0; done && i < j->ncolumn; i++) {
    int at = FIXED + i + 1;
    done = (j->column[i].text       ? sqlite3_bind_text(s, at, row->text[i], -1, SQLITE_STATIC)
            : isnan(row->number[i]) ? sqlite3_bind_null(s, at)
                                    : sqlite3_bind_double(s, at, row->number[i])) == SQLITE_OK;
  }
  return done && run_statement(s);
}

bool rh_journal_add(rh_journal *journal, const rh_journal_row *row)
{
  if (!journal->open && !rh_rec_exec(journal->db, "BEGIN")) {
    return note_failure(journal);
  }
  journal->open = true;
  return put_row(journal->insert, journal, row) || note_failure(journal);
}

bool rh_journal_commit(rh_journal *journal)
{
  bool done = !journal->open || rh_rec_exec(journal->db, "COMMIT");
  journal->open = journal->open && !done;
  return done || note_failure(journal);
}

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

rh_status rh_journal_read(rh_journal *journal, rh_journal_take *take, void *user, rh_diag *diag)
{
  sqlite3_stmt *s = NULL;
  if (sqlite3_prepare_v2(journal->db, "SELECT * FROM cases ORDER BY \"case\"", -1, &s, NULL) !=
      SQLITE_OK) {
    return refuse_journal(journal, diag, "cannot be read");
  }
  double number[COLUMNS_MAX];
  const char *text[COLUMNS_MAX];
  rh_status status = RH_OK;
  int got = SQLITE_DONE;
  while (status == RH_OK && (got = sqlite3_step(s)) == SQLITE_ROW) {
    rh_journal_row row = {sqlite3_column_int64(s, 0), text_at(s, 1), text_at(s, 2), number, text};
    for (int i = 0; i < journal->ncolumn; i++) {
      int at = FIXED + i;
      bool null = sqlite3_column_type(s, at) == SQLITE_NULL;
      text[i] = journal->column[i].text ? text_at(s, at) : "";
      number[i] = null || journal->column[i].text ? (double)NAN : sqlite3_column_double(s, at);
    }
    status = take(user, &row);
  }
  if (status == RH_OK && got != SQLITE_DONE) {
    status = refuse_journal(journal, diag, "cannot be read");
  }
  (void)sqlite3_finalize(s);
  return status;
}

rh_status rh_journal_indices(rh_journal *journal, void (*take)(void *user, int64_t index),
                             void *user, rh_diag *diag)
{
  sqlite3_stmt *s = NULL;
  int got =
      sqlite3_prepare_v2(journal->db, "SELECT \"case\" FROM cases ORDER BY \"case\"", -1, &s, NULL);
  while (got == SQLITE_OK || got == SQLITE_ROW) {
    got = sqlite3_step(s);
    if (got == SQLITE_ROW) {
      take(user, sqlite3_column_int64(s, 0));
    }
  }
  rh_status status = got == SQLITE_DONE ? RH_OK : refuse_journal(journal, diag, "cannot be read");
  (void)sqlite3_finalize(s);
  return status;
}

// ---- The end

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
  return put_row(c->insert, c->from, row) ? RH_OK : RH_OUTPUT_NOT_WRITTEN;
}

// Nobody else knows the file; it is dropped after any failure: no journal on the disk.
static rh_status fill_ordered(rh_journal *j, copying *c, rh_diag *diag)
{
  bool begun = rh_rec_exec(c->db, "PRAGMA page_size = 4096; PRAGMA locking_mode = EXCLUSIVE; "
                                  "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL; BEGIN") &&
               create_tables(j, c->db) && prepare_insert(j, c->db, &c->insert);
  rh_status status = begun ? rh_journal_read(j, copy_row, c, diag) : RH_OUTPUT_NOT_WRITTEN;
  char sum[17];
  (void)snprintf(sum, sizeof sum, "%016llx", (unsigned long long)c->sum);
  if (status == RH_OK && !(put_meta(j, c->db, sum) && rh_rec_exec(c->db, "COMMIT"))) {
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
    status = refuse_journal(journal, diag, "could not be written");
    rh_journal_close(journal);
    return status;
  }
  status = write_ordered(journal, part, diag, sum);
  // The log is emptied before the new file has the name, or it would be taken for that of the new one.
  if (status == RH_OK &&
      !rh_rec_exec(journal->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")) {
    status = refuse_journal(journal, diag, "could not be written");
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
