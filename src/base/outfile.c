// outfile.c: files that are written aside, flushed and renamed.
#define _XOPEN_SOURCE 700 // realpath

#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_KEPT 200 // letters of the name that the name of the file aside keeps
#define TRIES     100

static bool note_error(rh_outfile *o, int error)
{
  o->error = o->error != 0 ? o->error : error != 0 ? error : EIO;
  return false;
}

// Path of the final file: a symbolic link stays one, and its target is replaced.
static bool resolve_path(rh_outfile *o, const char *path)
{
  if (realpath(path, o->path) != NULL) {
    return true;
  }
  if (errno == ENOMEM) {
    return note_error(o, errno);
  }
  int length = snprintf(o->path, sizeof o->path, "%s", path);
  if (length <= 0 || length >= (int)sizeof o->path) {
    return note_error(o, length <= 0 ? ENOENT : ENAMETOOLONG);
  }
  return true;
}

// "folder/.123.part-name" is created as a new file, else -1. Names left by dead processes are
// skipped.
static int create_aside(rh_outfile *o)
{
  const char *slash = strrchr(o->path, '/');
  int folder = slash == NULL ? 0 : (int)(slash - o->path) + 1;
  for (int i = 0; i < TRIES; i++) {
    int length =
        snprintf(o->part, sizeof o->part, "%.*s.%ld%.0d.part-%.*s", folder == 0 ? 2 : folder,
                 folder == 0 ? "./" : o->path, (long)getpid(), i, NAME_KEPT, o->path + folder);
    if (length <= 0 || length >= (int)sizeof o->part) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) {
      return file;
    }
  }
  return -1;
}

bool rh_outfile_open(rh_outfile *output, const char *path)
{
  rh_outfile *o = output;
  struct stat info;
  *o = (rh_outfile){0};
  if (!resolve_path(o, path)) {
    return false;
  }
  bool exists = stat(o->path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return note_error(o, EISDIR);
  }
  if (exists && access(o->path, W_OK) != 0) { // renaming would replace a write-protected file
    return note_error(o, errno);
  }
  o->aside = !exists || S_ISREG(info.st_mode);
  int file = o->aside ? create_aside(o) : open(o->path, O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return note_error(o, errno);
  }
  if (o->aside && exists) {
    (void)fchmod(file, info.st_mode & 0777);
  }
  o->file = fdopen(file, "wb");
  if (o->file == NULL) {
    (void)note_error(o, errno);
    (void)close(file);
    if (o->aside) {
      (void)unlink(o->part);
    }
    return false;
  }
  return true;
}

int rh_outfile_sync_folder(const char *path)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  if (length >= sizeof folder) {
    return ENAMETOOLONG;
  }
  memcpy(folder, slash == NULL ? "." : path, slash == NULL ? 1 : length);
  folder[slash == NULL ? 1 : length] = '\0';
  int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return errno == ENOMEM ? errno
                           : 0; // a folder that may be written but not read cannot be synced
  }
  int error = fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
  (void)close(file);
  return error;
}

bool rh_outfile_close(rh_outfile *output, bool whole)
{
  rh_outfile *o = output;
  if (o->file == NULL) {
    return false;
  }
  errno = 0;
  if (fflush(o->file) != 0 || ferror(o->file) != 0) {
    (void)note_error(o, errno);
  }
  if (whole && o->error == 0 && o->aside && fsync(fileno(o->file)) != 0) {
    (void)note_error(o, errno);
  }
  errno = 0;
  if (fclose(o->file) != 0) {
    (void)note_error(o, errno);
  }
  o->file = NULL;
  if (whole && o->error == 0 && o->aside && rename(o->part, o->path) != 0) {
    (void)note_error(o, errno);
  }
  if (o->aside && (!whole || o->error != 0)) {
    (void)unlink(o->part);
  }
  return whole && o->error == 0;
}

int rh_outfile_write(const char *path, const void *bytes, size_t count)
{
  rh_outfile o;
  if (!rh_outfile_open(&o, path)) {
    return o.error;
  }
  bool written = count == 0 || fwrite(bytes, 1, count, o.file) == count;
  return rh_outfile_close(&o, true) && written ? 0 : o.error;
}

rh_status rh_outfile_status(int error)
{
  return error == ENOMEM ? RH_OUT_OF_MEMORY : RH_OUTPUT_NOT_WRITTEN;
}
