// file.c: scenes from files, standard input or the program itself; output written to a temporary
// file and then renamed, so that a reader never sees a partial file and a failed command keeps the
// old one.
#include "caller.h"
#include "console.h"
#include "refusal.h"

#include "base/outfile.h"

#include <string.h>
#include <sys/stat.h>

#define STDIN_MAX                                                                                  \
  (64UL << 20) // bytes of a scene on standard input; the reader has limits of its own

const char *rh_file_label(const char *path)
{
  if (path == NULL) {
    return "built-in scene";
  }
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

rh_status rh_stdin_read(char **text, size_t *bytes)
{
  size_t capacity = 1UL << 16;
  size_t n = 0;
  char *buffer = rh_alloc(capacity);
  while (buffer != NULL) {
    size_t got = fread(buffer + n, 1, capacity - n, stdin);
    n += got;
    if (got == 0) {
      break;
    }
    if (n == capacity && capacity >= STDIN_MAX) {
      rh_free(buffer);
      return rh_refuse(RH_OVER_LIMIT, "standard input is longer than %lu MiB", STDIN_MAX >> 20);
    }
    if (n == capacity) {
      char *larger = rh_realloc(buffer, 2 * capacity);
      if (larger == NULL) {
        rh_free(buffer);
      }
      buffer = larger;
      capacity *= 2;
    }
  }
  if (buffer == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  *text = buffer;
  *bytes = n;
  return RH_OK;
}

rh_status rh_scene_from(const rh_request *request, const char *path, rh_diag *diag,
                        rh_scene **scene)
{
  const char *const *set = request->set;
  const char *label = rh_file_label(path);
  if (path == NULL) {
    return rh_scene_parse(rh_default_scene, rh_default_scene_size, label, set, request->nset, diag,
                          scene);
  }
  if (strcmp(path, "-") != 0) {
    return rh_scene_load(path, set, request->nset, diag, scene);
  }
  char *text = NULL;
  size_t bytes = 0;
  RH_TRY(rh_stdin_read(&text, &bytes));
  rh_status status = rh_scene_parse(text, bytes, label, set, request->nset, diag, scene);
  rh_free(text);
  return status;
}

bool rh_file_same(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool rh_file_is_recording(const char *path)
{
  static const char magic[16] = "SQLite format 3";
  char head[16] = {0};
  if (rh_file_has_ending(path, ".rhr")) {
    return true;
  }
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
    return false;
  }
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false;
  }
  size_t got = fread(head, 1, sizeof head, file);
  fclose(file);
  return got == sizeof head && memcmp(head, magic, sizeof head) == 0;
}

bool rh_file_has_ending(const char *path, const char *ending)
{
  size_t length = strlen(path);
  size_t tail = strlen(ending);
  return length >= tail && strcmp(path + length - tail, ending) == 0;
}

char *rh_file_beside(const char *path, const char *ending)
{
  const char *slash = strrchr(path, '/');
  const char *base = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(base, '.');
  size_t stem = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
  size_t size = stem + strlen(ending) + 1;
  char *name = rh_alloc(size);
  if (name != NULL) {
    snprintf(name, size, "%.*s%s", (int)stem, base, ending);
  }
  return name;
}

rh_status rh_file_write_bytes(const char *path, const void *bytes, size_t count)
{
  if (path == NULL || strcmp(path, "-") == 0) { // main() checks the state of standard output
    rh_caller *caller = rh_caller_get();
    if (caller != NULL) {
      rh_text_add_bytes(&caller->out, bytes, count);
      return caller->out.failed ? rh_refuse(RH_OUT_OF_MEMORY, "out of memory") : RH_OK;
    }
    rh_refusals_take_stdout();
    fwrite(bytes, 1, count, stdout);
    return RH_OK;
  }
  int error = rh_outfile_write(path, bytes, count);
  return error == 0 ? RH_OK : rh_file_refuse(path, error);
}

rh_status rh_file_write(const char *path, const char *text)
{
  return rh_file_write_bytes(path, text, strlen(text));
}

void rh_file_tell(const char *line)
{
  (void)rh_file_write(NULL, line);
  (void)rh_file_write(NULL, "\n");
  (void)fflush(stdout);
}

rh_status rh_file_refuse(const char *path, int error)
{
  return rh_refuse(rh_outfile_status(error), "%s: %s", path, strerror(error));
}

rh_status rh_file_record(const char *path, const rh_model *model, const char *label,
                         const rh_scene *scene, rh_diag *diag, rh_recorder **recorder)
{
  char *text = rh_scene_write(scene, false);
  if (text == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_interrupt_catch(); // from its first byte on it ends in good order
  rh_status status = rh_recorder_create(path, model, label, text, diag, recorder);
  rh_free(text);
  return status;
}
