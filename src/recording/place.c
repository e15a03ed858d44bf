// place.c: how a recording gets its name, and how it is closed.
//
// A new recording is created complete, without frames, as "ball.rhr.part" and then renamed: at
// every moment the name refers to its former content or to a readable recording. An older recording
// of that name is kept as "ball.rhr.older" until the new one is closed; if the new one fails the
// older one gets its name back, and frames that were committed stay in "ball.rhr.failed".
//
// The writer of a recording holds a lock (flock) on the file itself, from before it has its name
// until it is closed. The name is taken only by the holder of the lock on its file, and a free name
// first gets an empty file; so of two writers of one name one is refused. SQLite's lock excludes
// programs without that lock.
#include "private.h"

#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100

static const char *const beside[] = {"-wal", "-journal", "-shm"}; // files that belong to a database

static rh_status refuse_place(rh_diag *diag, const char *target, const char *what, int error)
{
  rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "%s%s%s", what, error != 0 ? ": " : "",
              error != 0 ? strerror(error) : "");
  return rh_outfile_status(error);
}

static void remove_side_files(const rh_rec_path *path)
{
  for (int i = 0; i < RH_COUNT(beside); i++) {
    rh_rec_path side;
    if (rh_rec_append(path, beside[i], &side)) {
      (void)unlink(side.text);
    }
  }
}

static void remove_with_side_files(const rh_rec_path *path)
{
  (void)unlink(path->text);
  remove_side_files(path);
}

// Side files follow a renamed file; the shared memory of readers does not.
static bool move_side_files(const rh_rec_path *from, const rh_rec_path *to)
{
  bool moved = true;
  for (int i = 0; i < RH_COUNT(beside); i++) {
    rh_rec_path a;
    rh_rec_path b;
    if (!rh_rec_append(from, beside[i], &a) || !rh_rec_append(to, beside[i], &b)) {
      return false;
    }
    bool shared = strcmp(beside[i], "-shm") == 0;
    (void)unlink(b.text);
    if (shared) {
      (void)unlink(a.text);
    } else if (access(a.text, F_OK) == 0) {
      moved = rename(a.text, b.text) == 0 && moved;
    }
  }
  return moved;
}

// ---- Locks

// Opens and locks the file of the name; creates an empty one if there is none. Returns RH_OK also
// where the file system has no locks: SQLite's own remain.
static rh_status lock_name(const rh_rec_path *path, rh_diag *diag, const char *target,
                           rh_rec_lock *lock)
{
  for (int i = 0; i < TRIES; i++) {
    lock->made = false;
    lock->file = open(path->text, O_RDONLY | O_CLOEXEC);
    if (lock->file < 0 && errno == ENOENT && lock->resumed) {
      rh_diag_add(diag, RH_ERROR, rh_rec_place(target), "cannot be read: %s", strerror(errno));
      return RH_INPUT_REFUSED;
    }
    if (lock->file < 0 && errno == ENOENT) {
      lock->file = open(path->text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      lock->made = lock->file >= 0;
    }
    if (lock->file < 0 && errno == EEXIST) {
      continue; // another process was first
    }
    if (lock->file < 0) {
      return refuse_place(diag, target, "cannot be written", errno);
    }
    struct stat held;
    struct stat named;
    bool busy = flock(lock->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    bool same = fstat(lock->file, &held) == 0 && stat(path->text, &named) == 0 &&
                held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    if (!busy && same) {
      return RH_OK;
    }
    (void)close(lock->file);
    lock->file = -1;
    if (busy && same) {
      break;
    }
  }
  return refuse_place(diag, target, "another process is writing this recording", 0);
}

// An old recording must not be open in a writer without our lock; its -wal is merged, if possible.
static rh_status clear_old(const rh_rec_path *path, rh_diag *diag, const char *target)
{
  sqlite3 *db = NULL;
  int result = sqlite3_open_v2(path->text, &db, SQLITE_OPEN_READWRITE, NULL);
  if (result == SQLITE_OK) {
    result = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (result == SQLITE_OK) {
      (void)rh_rec_exec(db, "ROLLBACK; PRAGMA journal_mode = DELETE");
    }
  }
  (void)sqlite3_close(db);
  if (result == SQLITE_BUSY || result == SQLITE_READONLY) {
    return refuse_place(diag, target,
                        result == SQLITE_BUSY ? "the recording of this name cannot be replaced: "
                                                "another process is writing it"
                                              : "the recording of this name cannot be replaced: "
                                                "it is write-protected",
                        0);
  }
  return RH_OK;
}

// ---- The older recording

static bool is_ours(const rh_rec_path *path) // or absent
{
  rh_rec_file found = rh_rec_look(path->text);
  return found == RH_REC_ABSENT || found == RH_REC_EMPTY || found == RH_REC_RECORDING;
}

// The recording gets a second name, which it keeps until the new one is closed.
static rh_status keep_older(rh_rec_lock *lock, rh_diag *diag, const char *target)
{
  if (!rh_rec_append(&lock->path, ".older", &lock->older)) {
    return refuse_place(diag, target, "cannot be written", errno);
  }
  if (!is_ours(&lock->older)) {
    return refuse_place(diag, target,
                        "the older recording cannot be kept: the file of this name with .older "
                        "at its end is not a recording",
                        0);
  }
  remove_with_side_files(&lock->older);
  lock->has_older = link(lock->path.text, lock->older.text) == 0 ||
                    rename(lock->path.text, lock->older.text) == 0; // without hard links
  bool kept = lock->has_older && move_side_files(&lock->path, &lock->older);
  return kept ? RH_OK
              : refuse_place(diag, target, "the recording of this name cannot be kept", errno);
}

static bool bring_back_older(rh_rec_lock *lock)
{
  struct stat older;
  struct stat named;
  bool same = stat(lock->older.text, &older) == 0 && stat(lock->path.text, &named) == 0 &&
              older.st_ino == named.st_ino && older.st_dev == named.st_dev;
  bool back = move_side_files(&lock->older, &lock->path);
  back = back && (same ? unlink(lock->older.text) : rename(lock->older.text, lock->path.text)) == 0;
  lock->has_older = !back;
  return back;
}

// ---- A new recording

static rh_status take_name(rh_rec_lock *lock, const rh_rec_path *part, rh_diag *diag,
                           const char *target)
{
  rh_status status = RH_OK;
  if (rh_rec_look(lock->path.text) == RH_REC_RECORDING) {
    status = clear_old(&lock->path, diag, target);
    status = status == RH_OK ? keep_older(lock, diag, target) : status;
  } else {
    remove_side_files(&lock->path); // SQLite would apply them to the new file
  }
  if (status == RH_OK && rename(part->text, lock->path.text) != 0) {
    status = refuse_place(diag, target, "cannot be written", errno);
  }
  int error = status == RH_OK ? rh_outfile_sync_folder(lock->path.text) : 0;
  if (error != 0) {
    status = refuse_place(diag, target, "cannot be written", error);
    remove_with_side_files(&lock->path);
  }
  if (status != RH_OK && lock->has_older && !bring_back_older(lock)) {
    rh_diag_add(diag, RH_ERROR, rh_rec_place(target),
                "the older recording has .older at the end of its name");
  }
  return status;
}

// Refuses any file at the path that we may not replace.
static rh_status check_old(const rh_rec_path *path, rh_diag *diag, const char *target)
{
  switch (rh_rec_look(path->text)) {
  case RH_REC_ABSENT:
  case RH_REC_EMPTY:
  case RH_REC_RECORDING:
    return RH_OK;
  case RH_REC_FOREIGN:
    return refuse_place(diag, target,
                        "this file exists and is not a recording; it was left as it is", 0);
  case RH_REC_NO_FILE:
  default:
    return refuse_place(diag, target, "cannot be written", errno);
  }
}

rh_status rh_rec_place_new(rh_rec_lock *lock, rh_rec_fill *fill, const void *with, rh_diag *diag,
                           const char *target)
{
  rh_rec_path part;
  rh_rec_lock old = {.file = -1};
  RH_TRY(check_old(&lock->path, diag, target));
  lock->file = rh_rec_create_beside(&lock->path, &part);
  if (lock->file < 0) {
    return refuse_place(diag, target, "cannot be written", errno);
  }
  rh_status status = fill(part.text, with, diag, target);
  if (status == RH_OK) {
    status = lock_name(&lock->path, diag, target, &old);
  }
  if (status == RH_OK) {
    status = check_old(&lock->path, diag, target);
    status = status == RH_OK ? take_name(lock, &part, diag, target) : status;
    if (status != RH_OK && old.made) {
      (void)unlink(lock->path.text);
    }
  }
  if (old.file >= 0) {
    (void)close(old.file);
  }
  if (status != RH_OK) {
    remove_with_side_files(&part);
    (void)close(lock->file);
    lock->file = -1;
  }
  return status;
}

rh_status rh_rec_place_again(rh_rec_lock *lock, rh_diag *diag, const char *target)
{
  lock->resumed = true;
  RH_TRY(lock_name(&lock->path, diag, target, lock));
  lock->has_older = rh_rec_append(&lock->path, ".older", &lock->older) &&
                    rh_rec_look(lock->older.text) == RH_REC_RECORDING;
  return RH_OK;
}

// ---- The end

// The older recording gets its name back. Committed frames of the new one, if any, are kept.
static void give_back(rh_rec_lock *lock, bool frames, char *why)
{
  rh_rec_path failed;
  size_t used = strlen(why);
  bool kept = frames && rh_rec_append(&lock->path, ".failed", &failed) && is_ours(&failed);
  if (kept) {
    remove_with_side_files(&failed);
    kept = rename(lock->path.text, failed.text) == 0 && move_side_files(&lock->path, &failed);
  } else {
    remove_with_side_files(&lock->path);
  }
  bool back = bring_back_older(lock);
  (void)rh_outfile_sync_folder(lock->path.text);
  (void)snprintf(why + used, RH_WHY_MAX - used, "; the older recording %s%s",
                 back ? "is as it was" : "has .older at the end of its name",
                 kept ? ", the frames of this run have .failed" : "");
}

void rh_rec_leave(rh_rec_lock *lock, rh_rec_outcome outcome, char *why)
{
  bool failed = outcome != RH_REC_WHOLE;
  if (failed && lock->has_older && !lock->resumed) {
    give_back(lock, outcome == RH_REC_CUT, why);
  } else if (outcome == RH_REC_EMPTY_HANDED && !lock->resumed) {
    remove_with_side_files(&lock->path);
  } else if (!failed && lock->has_older) {
    remove_with_side_files(&lock->older);
  }
  if (lock->file >= 0) {
    (void)close(lock->file);
  }
  lock->file = -1;
}
