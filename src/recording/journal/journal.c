// journal.c: the file of a journal. While a sweep runs, SQLite's write-ahead log makes each commit
// one append. It has its name only when its tables are in it, so that a manager that is killed leaves a journal
// that can be continued, or none. The end is another file beside it, filled in order by one transaction and
// renamed: the same content gives the same bytes, whoever computed it and in whichever order.
#include "private.h"

#include "base/outfile.h"
#include "base/text.h"

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

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = rh_alloc(size);
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}

rh_status rh_journal_refuse(const rh_journal *j, rh_diag *diag, const char *what)
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
  if (j->nmeta == RH_JOURNAL_META_MAX) {
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
  char *copy = j->ncolumn < RH_JOURNAL_COLUMNS_MAX ? copy_text(name) : NULL;
  if (copy == NULL) {
    return false;
  }
  j->column[j->ncolumn++] = (rh_journal_column){copy, text};
  return true;
}

static bool open_database(rh_journal *j, const char *path, bool writes)
{
  (void)sqlite3_close(j->db);
  j->db = NULL;
  int how = writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (sqlite3_open_v2(path, &j->db, how, NULL) != SQLITE_OK) {
    return false;
  }
  (void)sqlite3_busy_timeout(j->db, RH_REC_WAIT_MS);
  (void)sqlite3_db_config(j->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void)sqlite3_db_config(j->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  return true;
}

// "CREATE TABLE cases(...)"; names were checked by the one who gave them.
bool rh_journal_create_tables(const rh_journal *j, sqlite3 *db)
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

bool rh_journal_put_meta(const rh_journal *j, sqlite3 *db, const char *sum)
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

bool rh_journal_prepare_insert(const rh_journal *j, sqlite3 *db, sqlite3_stmt **statement)
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

// The tables and the plan, in a file that nobody else knows: no journal on the disk.
static bool fill_new(rh_journal *j, const char *path)
{
  return open_database(j, path, true) &&
         rh_rec_exec(j->db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; "
                            "PRAGMA synchronous = FULL; BEGIN") &&
         rh_journal_create_tables(j, j->db) && rh_journal_put_meta(j, j->db, NULL) &&
         rh_rec_exec(j->db, "COMMIT");
}

// Gives the file at `part` the name `path`, which no file may have. Returns an errno, 0: done.
static int name_new(const char *part, const char *path)
{
  if (link(part, path) == 0) {
    return unlink(part) == 0 ? rh_outfile_sync_folder(path) : errno;
  }
  if (errno == EEXIST) {
    return errno;
  }
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); // a disk without links
  if (file < 0) {
    return errno;
  }
  (void)close(file);
  return rename(part, path) == 0 ? rh_outfile_sync_folder(path) : errno;
}

static rh_status refuse_name(rh_diag *diag, const char *path, int error)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "%s",
              error == EEXIST ? "there is a file of this name; a sweep is continued by --resume, "
                                "and never replaces a file"
                              : strerror(error));
  return rh_outfile_status(error);
}

static rh_status create_named(rh_journal *j, const char *path, rh_diag *diag)
{
  char part[PATH_MAX];
  int length = snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
  int file = length > 0 && length < (int)sizeof part
                 ? open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                 : -1;
  if (file < 0) {
    return refuse_name(diag, path, length < (int)sizeof part ? errno : ENAMETOOLONG);
  }
  (void)close(file);
  rh_status status = fill_new(j, part) ? RH_OK : rh_journal_refuse(j, diag, "could not be written");
  (void)sqlite3_close(j->db);
  j->db = NULL;
  int error = status == RH_OK ? name_new(part, path) : 0;
  if (error != 0) {
    status = refuse_name(diag, path, error);
  }
  (void)unlink(part); // has gone where all went well
  return status;
}

rh_status rh_journal_create(const char *path, const rh_journal_form *form, rh_diag *diag,
                            rh_journal **journal)
{
  *journal = NULL;
  if (access(path, F_OK) == 0) {
    return refuse_name(diag, path, EEXIST);
  }
  rh_journal *j = make_journal(path, true);
  bool done = j != NULL;
  for (int i = 0; done && i < form->nmeta; i++) {
    done = keep_meta(j, form->key[i], form->value[i]);
  }
  for (int i = 0; done && i < form->ncolumn; i++) {
    done = keep_column(j, form->column[i].name, form->column[i].text);
  }
  rh_status status = done ? create_named(j, path, diag) : RH_OUT_OF_MEMORY;
  rh_journal_close(j);
  return status == RH_OK ? rh_journal_open(path, true, diag, journal) : status;
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
    done = i < RH_JOURNAL_FIXED ||
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

static bool can_read(rh_journal *j)
{
  return rh_rec_integer(j->db, "SELECT count(*) FROM sqlite_schema", RH_NONE) >= 0;
}

// A manager that was killed in the middle of a page leaves what it had begun beside the file; SQLite takes it back
// where it may write.
static bool open_to_read(rh_journal *j, const char *path)
{
  if (!open_database(j, path, false)) {
    return false;
  }
  if (can_read(j)) {
    return true;
  }
  int error = sqlite3_errcode(j->db);
  if (error != SQLITE_READONLY && error != SQLITE_CANTOPEN) {
    return error != SQLITE_BUSY; // what the file is, is said by others
  }
  return open_database(j, path, true) && can_read(j);
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
  if (adds ? !open_database(j, path, true) : !open_to_read(j, path)) {
    status = sqlite3_errcode(j->db) == SQLITE_BUSY ? refuse_use(j, diag)
                                                   : rh_journal_refuse(j, diag, "cannot be opened");
  } else if (adds &&
             !rh_rec_exec(j->db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; "
                                 "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT")) {
    status = sqlite3_errcode(j->db) == SQLITE_BUSY
                 ? refuse_use(j, diag)
                 : rh_journal_refuse(j, diag, "cannot be continued");
  } else if (!same_file(path, &before)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path), "was finished by another manager just now");
    status = RH_OUTPUT_NOT_WRITTEN;
  } else if (!is_journal(j) && sqlite3_errcode(j->db) == SQLITE_BUSY) {
    status = refuse_use(j, diag);
  } else if (!is_journal(j)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(path),
                "is no journal of a sweep, or one of a later version");
    status = RH_INPUT_REFUSED;
  } else if (!read_form(j) || (adds && !rh_journal_prepare_insert(j, j->db, &j->insert))) {
    status = rh_journal_refuse(j, diag, "is damaged");
  }
  if (status != RH_OK) {
    rh_journal_close(j);
    return status;
  }
  *journal = j;
  return RH_OK;
}

// ---- Rows

bool rh_journal_put_row(sqlite3_stmt *s, const rh_journal *j, const rh_journal_row *row)
{
  bool done = sqlite3_bind_int64(s, 1, row->index) == SQLITE_OK &&
              sqlite3_bind_text(s, 2, row->status, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(s, 3, row->reason, -1, SQLITE_STATIC) == SQLITE_OK;
  for (int i = 0; done && i < j->ncolumn; i++) {
    int at = RH_JOURNAL_FIXED + i + 1;
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
  return rh_journal_put_row(journal->insert, journal, row) || note_failure(journal);
}

bool rh_journal_commit(rh_journal *journal)
{
  bool done = !journal->open || rh_rec_exec(journal->db, "COMMIT");
  journal->open = journal->open && !done;
  return done || note_failure(journal);
}

rh_status rh_journal_read(rh_journal *journal, rh_journal_take *take, void *user, rh_diag *diag)
{
  sqlite3_stmt *s = NULL;
  if (sqlite3_prepare_v2(journal->db, "SELECT * FROM cases ORDER BY \"case\"", -1, &s, NULL) !=
      SQLITE_OK) {
    return rh_journal_refuse(journal, diag, "cannot be read");
  }
  double number[RH_JOURNAL_COLUMNS_MAX];
  const char *text[RH_JOURNAL_COLUMNS_MAX];
  rh_status status = RH_OK;
  int got = SQLITE_DONE;
  while (status == RH_OK && (got = sqlite3_step(s)) == SQLITE_ROW) {
    rh_journal_row row = {sqlite3_column_int64(s, 0), text_at(s, 1), text_at(s, 2), number, text};
    for (int i = 0; i < journal->ncolumn; i++) {
      int at = RH_JOURNAL_FIXED + i;
      bool null = sqlite3_column_type(s, at) == SQLITE_NULL;
      text[i] = journal->column[i].text ? text_at(s, at) : "";
      number[i] = null || journal->column[i].text ? (double)NAN : sqlite3_column_double(s, at);
    }
    status = take(user, &row);
  }
  if (status == RH_OK && got != SQLITE_DONE) {
    status = rh_journal_refuse(journal, diag, "cannot be read");
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
  rh_status status =
      got == SQLITE_DONE ? RH_OK : rh_journal_refuse(journal, diag, "cannot be read");
  (void)sqlite3_finalize(s);
  return status;
}
