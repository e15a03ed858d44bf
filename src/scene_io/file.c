// file.c: reads a whole file. Only regular files and standard input: no file that may block or
// never end.
#include "yaml_doc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static rh_status refuse_path(rh_diag *diag, const char *path, const char *why)
{
  rh_diag_add(diag, RH_ERROR, (rh_place){.file = path}, "%s", why);
  return RH_INPUT_REFUSED;
}

static rh_status read_stream(FILE *stream, const char *name, rh_diag *diag, char **text,
                             size_t *bytes)
{
  size_t room = 1 << 14;
  size_t used = 0;
  char *data = rh_alloc(room);
  while (data) {
    used += fread(data + used, 1, room - used - 1, stream);
    if (used > RH_FILE_MAX) {
      rh_free(data);
      return refuse_path(diag, name, "is too big: a file may have 64 MiB");
    }
    if (used < room - 1) {
      break;
    }
    char *grown = rh_realloc(data, 2 * room);
    if (!grown) {
      rh_free(data);
    }
    data = grown;
    room *= 2;
  }
  if (!data) {
    return RH_OUT_OF_MEMORY;
  }
  if (ferror(stream)) {
    rh_free(data);
    return refuse_path(diag, name, "cannot be read");
  }
  data[used] = '\0';
  *text = data;
  *bytes = used;
  return RH_OK;
}

static rh_status read_path(const char *path, rh_diag *diag, char **text, size_t *bytes)
{
  struct stat info;
  if (stat(path, &info) != 0) {
    return refuse_path(diag, path, strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) {
    return refuse_path(diag, path, "is a folder, not a file");
  }
  if (!S_ISREG(info.st_mode)) {
    return refuse_path(diag, path, "is not a regular file; use '-' to read standard input");
  }
  FILE *stream = fopen(path, "rb");
  if (!stream) {
    return refuse_path(diag, path, strerror(errno));
  }
  rh_status status = read_stream(stream, path, diag, text, bytes);
  fclose(stream);
  return status;
}

// ---- A file in memory

static _Thread_local struct {
  const char *name, *text;
  size_t bytes;
} given; // by a program that calls verbs; name NULL: none

void rh_file_give(const char *name, const char *text, size_t bytes)
{
  given.name = name;
  given.text = text;
  given.bytes = bytes;
}

static rh_status read_given(rh_diag *diag, char **text, size_t *bytes)
{
  if (given.bytes > RH_FILE_MAX) {
    return refuse_path(diag, given.name, "is too big: a file may have 64 MiB");
  }
  char *data = rh_alloc(given.bytes + 1);
  if (!data) {
    return RH_OUT_OF_MEMORY;
  }
  memcpy(data, given.text, given.bytes);
  *text = data;
  *bytes = given.bytes;
  return RH_OK;
}

// Files that are not text, by their first bytes: the message names their format.
static const struct {
  const char *magic;
  size_t bytes;
  const char *what;
} binary[] = {
    {"SQLite format 3", 16,
     "is a recording or another SQLite file: run, view, plot, compare, "
     "export and check read recordings"},
    {"\x89PNG\r\n\x1a\n", 8, "is a PNG picture"},
    {"\x89HDF\r\n\x1a\n", 8, "is an HDF5 file"},
    {"PK\x03\x04", 4, "is a ZIP archive: unpack it first"},
    {"\x1f\x8b", 2, "is packed with gzip: unpack it first"},
};

static rh_status refuse_binary(const char *name, rh_diag *diag, const char *text, size_t bytes)
{
  for (int i = 0; i < RH_COUNT(binary); i++) {
    if (bytes >= binary[i].bytes && memcmp(text, binary[i].magic, binary[i].bytes) == 0) {
      return refuse_path(diag, name, binary[i].what);
    }
  }
  return RH_OK;
}

rh_status rh_file_read(const char *path, rh_diag *diag, char **text, size_t *bytes,
                       const char **name)
{
  bool standard = strcmp(path, "-") == 0;
  bool in_memory = given.name && strcmp(path, given.name) == 0;
  *name = standard ? "<stdin>" : path;
  RH_TRY(in_memory  ? read_given(diag, text, bytes)
         : standard ? read_stream(stdin, *name, diag, text, bytes)
                    : read_path(path, diag, text, bytes));
  rh_status status = refuse_binary(*name, diag, *text, *bytes);
  if (status != RH_OK) {
    rh_free(*text);
    *text = NULL;
    return status;
  }
  rh_diag_add_source(diag, *name, *text, *bytes);
  return RH_OK;
}
