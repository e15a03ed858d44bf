// outfile.h: a file that appears under its name only when it is whole. It is written aside, in the same folder, flushed
// to the disk, and renamed onto its name; an older file of that name stays until then, and stays if anything fails.
// A pipe or a device is written in place. All output files go through here, except recordings,
// which grow under their name (recording/place.c).
#ifndef ROUTH_BASE_OUTFILE_H
#define ROUTH_BASE_OUTFILE_H

#include <routh/base.h>

#include <limits.h>
#include <stdio.h>

typedef struct rh_outfile {
  FILE *file;           // open for writing; NULL: none
  int error;            // errno of the first failure, 0: none
  bool aside;           // written at `part` and to be renamed; false: written in place
  char path[PATH_MAX];  // the name, symbolic links followed
  char part[PATH_MAX];  // name while it is written
} rh_outfile;

// Opens a file to write to. False: it cannot be written, `output->error` is the reason.
bool rh_outfile_open(rh_outfile *output, const char *path) RH_CHECK_RESULT;
// Ends it: the file has its name, or (false, `output->error` is the reason) the older one is
// unchanged. `whole` is false for an incomplete file, which is dropped.
bool rh_outfile_close(rh_outfile *output, bool whole);
// All in one: `count` bytes become the file at `path`. Returns an errno, 0: done.
int rh_outfile_write(const char *path, const void *bytes, size_t count) RH_CHECK_RESULT;
// Status of a failure to write: out of memory, or output not written.
rh_status rh_outfile_status(int error);
// Makes a rename or a new name in the folder of `path` survive a loss of power. Returns an errno,
// 0: done.
int rh_outfile_sync_folder(const char *path);

#endif
