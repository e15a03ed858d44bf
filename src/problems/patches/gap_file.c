// gap_file.c: gaps of a square of cells from a CSV file: n rows of n numbers in metres, separated by
// commas or blanks. Blank lines and lines that begin with # are skipped.
#include "patch_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, CELLS_MAX = RH_PATCH_MAX * RH_PATCH_MAX };

typedef struct gap_text {
  const char *name; // of the file
  rh_diag *diag;
  double *gap; // (CELLS_MAX)
  int count;
  int width; // numbers of the first row; 0: not known yet
} gap_text;

static bool refuse_line(const gap_text *t, int line, int column, const char *what)
{
  rh_diag_add(t->diag, RH_ERROR, (rh_place){.file = t->name, .line = line, .column = column}, "%s",
              what);
  return false;
}

static bool read_row(gap_text *t, const char *row, size_t bytes, int line)
{
  const char *at = row;
  const char *end = row + bytes;
  int n = 0;
  while (at < end) {
    char *after = NULL;
    double x = strtod(at, &after);
    int column = (int)(at - row) + 1;
    if (after == at || after > end || !isfinite(x) || fabs(x) > 1e9) {
      return refuse_line(t, line, column, "a number of at most 1e9 m was expected");
    }
    if (t->count == CELLS_MAX) {
      return refuse_line(t, line, column, "more than 128 x 128 numbers");
    }
    t->gap[t->count++] = x;
    n++;
    at = after;
    at += strspn(at, " \t\r");
    at += at < end && *at == ',' ? 1 : 0;
    at += strspn(at, " \t\r");
  }
  t->width = t->width > 0 ? t->width : n;
  return n == t->width || refuse_line(t, line, 1, "this row is not as long as the first");
}

static bool read_rows(gap_text *t, const char *text)
{
  int line = 0;
  for (const char *at = text; *at != '\0';) {
    size_t bytes = strcspn(at, "\n");
    size_t blank = strspn(at, " \t\r");
    line++;
    if (blank < bytes && at[blank] != '#' && !read_row(t, at + blank, bytes - blank, line)) {
      return false;
    }
    at += bytes + (at[bytes] == '\n');
  }
  return (t->count > 0 && t->width * t->width == t->count) ||
         refuse_line(t, line, 1, "as many rows as columns were expected");
}

bool rh_gap_file_read(const rh_inputs *in, int node, double **gap, int *count)
{
  char path[PATH_BYTES];
  const char *name = rh_input_text(in, node, "file");
  if (name == NULL) {
    return false;
  }
  if (in->folder == NULL || strcmp(name, "-") == 0) {
    return rh_input_refuse(in, node, "file: no files can be read here; give height instead");
  }
  bool beside = name[0] != '/' && in->folder[0] != '\0';
  int length =
      snprintf(path, sizeof(path), "%s%s%s", beside ? in->folder : "", beside ? "/" : "", name);
  if (length < 0 || length >= (int)sizeof(path)) {
    return rh_input_refuse(in, node, "file: the path is too long");
  }
  char *text = NULL;
  size_t bytes = 0;
  gap_text t = {.diag = in->diag, .gap = rh_alloc(CELLS_MAX * sizeof(double))};
  bool good = t.gap != NULL && rh_file_read(path, in->diag, &text, &bytes, &t.name) == RH_OK &&
              read_rows(&t, text);
  if (!good && text == NULL) {
    good = rh_input_refuse(in, node, "file '%.200s' cannot be read", name);
  }
  rh_free(text);
  if (!good) {
    rh_free(t.gap);
    return false;
  }
  *gap = t.gap;
  *count = t.count;
  return true;
}
