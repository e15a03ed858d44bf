// journal.c: finished work of a fit in a file, so that one that was interrupted continues to the same bits. A record has a kind, a key (what
// was asked: values, and a hash of all else that the answer depends on) and the answer. Work is asked for in one order only, so what is read
// back is the next record or nothing: where the keys differ the rest of the file is dropped. Evaluations of a search that has ended give way
// to its end, so that a file has those of one search at most. A record that was cut short is dropped too.
#include "fit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "routh fit journal 1\n";

typedef struct record_head {
  uint64_t kind, nkey, nvalue, sum; // sum: of all numbers
} record_head;

struct rh_fit_journal {
  char path[RH_INPUT_PATH_MAX];
  FILE *file;
  bool reading;
  bool inside;   // a search is under way: its evaluations are kept
  bool begun;    // a record was read or written
  long search;   // where the search that is under way begins
  bool in_piece; // so is a piece of work
  long piece;    // that begins here
  bool failed;   // it cannot be written
};

uint64_t rh_fit_hash(uint64_t hash, const void *bytes, size_t n) // FNV-1a
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) {
    hash = (hash ^ at[i]) * 0x100000001b3u;
  }
  return hash;
}

static rh_status refuse_journal(rh_fit_journal *j, const char *why)
{
  return rh_refuse(RH_INPUT_REFUSED, "fit: --resume %s: %s", j->path, why);
}

// What follows is written anew.
static void drop_rest(rh_fit_journal *j, long at)
{
  j->reading = false;
  bool good = fflush(j->file) == 0 && fseek(j->file, at, SEEK_SET) == 0 &&
              ftruncate(fileno(j->file), at) == 0;
  j->failed = j->failed || !good;
}

rh_status rh_fit_journal_open(const char *path, rh_fit_journal **journal)
{
  rh_fit_journal *j = rh_alloc(sizeof *j);
  *journal = j;
  if (j == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  char head[sizeof mark] = "";
  (void)snprintf(j->path, sizeof j->path, "%s", path);
  j->file = fopen(path, "r+b");
  j->reading = j->file != NULL;
  if (j->file == NULL && errno == ENOENT) {
    j->file = fopen(path, "w+b");
    if (j->file != NULL && fwrite(mark, 1, sizeof mark - 1, j->file) != sizeof mark - 1) {
      return rh_file_refuse(path, errno);
    }
  }
  if (j->file == NULL) {
    return rh_file_refuse(path, errno);
  }
  if (j->reading) { // one that was cut short here is begun anew
    size_t n = fread(head, 1, sizeof mark - 1, j->file);
    if (memcmp(head, mark, n) != 0) {
      return refuse_journal(j, "is no journal of a fit");
    }
    if (n < sizeof mark - 1) {
      drop_rest(j, 0);
      j->failed = j->failed || fwrite(mark, 1, sizeof mark - 1, j->file) != sizeof mark - 1;
    }
  }
  return RH_OK;
}

rh_status rh_fit_journal_close(rh_fit_journal *j)
{
  bool good = j == NULL || !j->failed;
  if (j != NULL && j->file != NULL) {
    good = fclose(j->file) == 0 && good;
  }
  rh_status status = good ? RH_OK : rh_file_refuse(j->path, ENOSPC);
  rh_free(j);
  return status;
}

static uint64_t sum_of(const rh_fit_entry *e)
{
  uint64_t sum = rh_fit_hash(0xcbf29ce484222325u, e->key, (size_t)e->nkey * sizeof *e->key);
  for (int i = 0; i < RH_FIT_PARTS; i++) {
    sum = rh_fit_hash(sum, e->part[i], (size_t)e->n[i] * sizeof(double));
  }
  return sum;
}

static bool read_entry(rh_fit_journal *j, const rh_fit_entry *e)
{
  record_head head;
  uint64_t count = 0;
  for (int i = 0; i < RH_FIT_PARTS; i++) {
    count += (uint64_t)e->n[i];
  }
  if (fread(&head, sizeof head, 1, j->file) != 1 || head.kind != (uint64_t)e->kind ||
      head.nkey != (uint64_t)e->nkey || head.nvalue != count) {
    return false;
  }
  for (int i = 0; i < e->nkey; i++) {
    uint64_t key;
    if (fread(&key, sizeof key, 1, j->file) != 1 || key != e->key[i]) {
      return false;
    }
  }
  for (int i = 0; i < RH_FIT_PARTS; i++) {
    if (e->n[i] > 0 &&
        fread(e->part[i], sizeof(double), (size_t)e->n[i], j->file) != (size_t)e->n[i]) {
      return false;
    }
  }
  return head.sum == sum_of(e);
}

// What has the work before it in the file until it ends
static bool is_end(const rh_fit_entry *e)
{
  return e->kind == RH_FIT_SEARCH || e->kind == RH_FIT_PIECE;
}

static bool is_kept(const rh_fit_journal *j, const rh_fit_entry *e)
{
  return j->inside || j->in_piece || e->kind == RH_FIT_PROBLEM || is_end(e);
}

bool rh_fit_journal_take(rh_fit_journal *j, const rh_fit_entry *e)
{
  if (j == NULL || !j->reading || !is_kept(j, e)) {
    return false;
  }
  long at = ftell(j->file);
  if (read_entry(j, e)) {
    j->begun = true;
    return true;
  }
  if (!is_end(e)) { // where a search or a piece has not ended its evaluations follow
    drop_rest(j, at);
  } else if (fseek(j->file, at, SEEK_SET) != 0) {
    j->failed = true;
  }
  return false;
}

void rh_fit_journal_put(rh_fit_journal *j, const rh_fit_entry *e)
{
  if (j == NULL || j->failed || !is_kept(j, e)) {
    return;
  }
  if (is_end(e)) {
    drop_rest(j, e->kind == RH_FIT_SEARCH ? j->search : j->piece);
  }
  record_head head = {(uint64_t)e->kind, (uint64_t)e->nkey, 0, sum_of(e)};
  for (int i = 0; i < RH_FIT_PARTS; i++) {
    head.nvalue += (uint64_t)e->n[i];
  }
  bool good = fwrite(&head, sizeof head, 1, j->file) == 1 &&
              fwrite(e->key, sizeof *e->key, (size_t)e->nkey, j->file) == (size_t)e->nkey;
  for (int i = 0; i < RH_FIT_PARTS && good; i++) {
    good = e->n[i] == 0 ||
           fwrite(e->part[i], sizeof(double), (size_t)e->n[i], j->file) == (size_t)e->n[i];
  }
  j->begun = true;
  j->failed = !good || fflush(j->file) != 0;
}

void rh_fit_journal_search(rh_fit_journal *j, bool begins)
{
  if (j != NULL && begins) {
    j->search = ftell(j->file);
  }
  if (j != NULL) {
    j->inside = begins;
  }
}

bool rh_fit_journal_begin_piece(rh_fit_journal *j, const rh_fit_entry *e)
{
  if (j == NULL || rh_fit_journal_take(j, e)) {
    return j != NULL;
  }
  j->piece = ftell(j->file);
  j->in_piece = true;
  return false;
}

void rh_fit_journal_end_piece(rh_fit_journal *j, const rh_fit_entry *e)
{
  if (j != NULL && e != NULL) {
    rh_fit_journal_put(j, e);
  }
  if (j != NULL) {
    j->in_piece = false;
  }
}

// The problem that the records after this belong to.
rh_status rh_fit_journal_begin(rh_fit_journal *j, uint64_t hash)
{
  rh_fit_entry e = {.kind = RH_FIT_PROBLEM, .nkey = 1};
  e.key[0] = hash;
  if (j == NULL) {
    return RH_OK;
  }
  bool first = j->reading && !j->begun;
  if (first) { // it was interrupted before this record was there
    long at = ftell(j->file);
    bool known = fseek(j->file, 0, SEEK_END) == 0;
    long left = ftell(j->file) - at;
    first = known && left >= (long)(sizeof(record_head) + sizeof e.key[0]);
    j->failed = j->failed || fseek(j->file, at, SEEK_SET) != 0;
  }
  if (first && !read_entry(j, &e)) {
    return refuse_journal(
        j, "is of another fit: other data, another scene (a file that it includes or a mesh of "
           "it counts), or other options");
  }
  j->begun = true;
  if (!first && !rh_fit_journal_take(j, &e)) {
    rh_fit_journal_put(j, &e);
  }
  return RH_OK;
}
