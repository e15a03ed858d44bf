// hand_trace.c: reads a recorded hand. A column is a number of the hand; absent columns are zero
// (of a quaternion: no turn). Rows must be in order of time. Nothing is guessed: an unknown column,
// a row of the wrong length and an invalid number are refused with their place.
#include "hand_trace.h"

#include "base/text.h"
#include "yaml_doc.h"

#include <routh/math.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 14, WIDTH_MAX = 8, WRENCH = 1, POSE = 7, QUATERNION = 10, NUMBERS_MAX = 800000 };

static const char *const column_name[COLUMNS] = {"t", "fx", "fy", "fz", "tx", "ty", "tz",
                                                 "x", "y",  "z",  "qw", "qx", "qy", "qz"};

typedef struct reading {
  const char *name, *at, *line_start;
  int line;
  int column[COLUMNS]; // meaning of each column of the file
  int ncolumn;
  rh_hand_trace *trace;
  int room;   // capacity, rows
  bool noted; // a quaternion was normalized
  rh_diag *diag;
} reading;

static rh_place place_at(const reading *r, const char *at, size_t length)
{
  return (rh_place){.file = r->name,
                    .line = r->line,
                    .column = (int)(at - r->line_start) + 1,
                    .length = (int)length};
}

static const char *skip_blanks(const char *c)
{
  return c + strspn(c, " \t");
}

static bool line_ends(const char *c)
{
  return *c == '\0' || *c == '\n' || *c == '\r';
}

// To the next line with content; false: there is none.
static bool next_line(reading *r)
{
  while (*r->at != '\0') {
    r->line_start = r->at;
    r->line++;
    const char *c = skip_blanks(r->at);
    if (!line_ends(c) && *c != '#') {
      return true;
    }
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
  }
  return false;
}

static void leave_line(reading *r)
{
  r->at += strcspn(r->at, "\n");
  r->at += *r->at == '\n';
}

// ---- The head

static rh_status add_column(reading *r, const char *word, size_t length)
{
  char text[16];
  int found = RH_NONE;
  (void)snprintf(text, sizeof text, "%.*s", (int)(length < 15 ? length : 15), word);
  for (int i = 0; i < COLUMNS; i++) {
    found = strcmp(text, column_name[i]) == 0 ? i : found;
  }
  if (found == RH_NONE) {
    const char *near = rh_nearest_name(text, column_name, COLUMNS);
    rh_diag_add(
        r->diag, RH_ERROR, place_at(r, word, length),
        "there is no column '%s'%s%s%s; a trace has t, fx fy fz tx ty tz, x y z qw qx qy qz", text,
        RH_DID_YOU_MEAN(near));
    return RH_INPUT_REFUSED;
  }
  for (int i = 0; i < r->ncolumn; i++) {
    if (r->column[i] == found) {
      rh_diag_add(r->diag, RH_ERROR, place_at(r, word, length), "column '%s' appears twice", text);
      return RH_INPUT_REFUSED;
    }
  }
  r->column[r->ncolumn++] = found; // no name twice, so there is capacity
  return RH_OK;
}

static bool has_column_in(const reading *r, int from, int to)
{
  for (int i = 0; i < r->ncolumn; i++) {
    if (r->column[i] >= from && r->column[i] < to) {
      return true;
    }
  }
  return false;
}

static rh_status read_head(reading *r)
{
  if (!next_line(r)) {
    rh_diag_add(r->diag, RH_ERROR, (rh_place){.file = r->name},
                "is empty; a trace begins with the names of its columns: t,fx,fy");
    return RH_INPUT_REFUSED;
  }
  const char *c = r->at;
  bool more = true;
  while (more) {
    c = skip_blanks(c);
    size_t length = strcspn(c, ", \t\r\n");
    RH_TRY(add_column(r, c, length));
    c = skip_blanks(c + length);
    more = *c == ',';
    c += more;
  }
  if (!line_ends(c)) {
    rh_diag_add(r->diag, RH_ERROR, place_at(r, c, 1), "a comma goes between two columns");
    return RH_INPUT_REFUSED;
  }
  bool wrench = has_column_in(r, WRENCH, POSE);
  bool pose = has_column_in(r, POSE, COLUMNS);
  if (!has_column_in(r, 0, 1) || wrench == pose) {
    rh_diag_add(
        r->diag, RH_ERROR, place_at(r, r->line_start, 1),
        "a trace has t, and either forces (fx fy fz tx ty tz) or a pose (x y z qw qx qy qz)");
    return RH_INPUT_REFUSED;
  }
  r->trace->width = pose ? 8 : 7;
  leave_line(r);
  return RH_OK;
}

// ---- Rows

static double *new_row(reading *r)
{
  rh_hand_trace *trace = r->trace;
  if (trace->rows == r->room) {
    int room = r->room == 0 ? 256 : 2 * r->room;
    double *larger = rh_realloc(trace->row, (size_t)(room * trace->width) * sizeof *larger);
    if (larger == NULL) {
      return NULL;
    }
    trace->row = larger;
    r->room = room;
  }
  return trace->row + (ptrdiff_t)trace->rows * trace->width;
}

static rh_status read_numbers(const reading *r, double number[COLUMNS])
{
  const char *c = r->at;
  for (int i = 0; i < r->ncolumn; i++) {
    c = skip_blanks(c);
    double *x = &number[r->column[i]];
    size_t length = rh_number_read(c, x);
    if (length == 0 || !(fabs(*x) <= 1e6)) {
      rh_diag_add(r->diag, RH_ERROR, place_at(r, c, length),
                  length == 0 ? "column '%s' needs a number"
                              : "column '%s' must lie between -1e6 and 1e6",
                  column_name[r->column[i]]);
      return RH_INPUT_REFUSED;
    }
    c = skip_blanks(c + length);
    bool last = i + 1 == r->ncolumn;
    if (last ? !line_ends(c) : *c != ',') {
      rh_diag_add(r->diag, RH_ERROR, place_at(r, c, 1),
                  "%d number%s separated by commas %s expected", r->ncolumn,
                  r->ncolumn == 1 ? "" : "s", r->ncolumn == 1 ? "is" : "are");
      return RH_INPUT_REFUSED;
    }
    c += !last;
  }
  return RH_OK;
}

static rh_status unit_quaternion(reading *r, double *q)
{
  if (!has_column_in(r, QUATERNION, COLUMNS)) {
    q[0] = 1;
  }
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(length - 1) <= RH_QUAT_NEARLY)) {
    rh_diag_add(r->diag, RH_ERROR, place_at(r, r->line_start, 1),
                "the quaternion must have unit length (qw qx qy qz, not rpy), its length is %.9g",
                length);
    return RH_INPUT_REFUSED;
  }
  if (!r->noted && !(fabs(length - 1) <= RH_QUAT_WRITTEN)) {
    r->noted = true;
    rh_diag_add(r->diag, RH_NOTE, place_at(r, r->line_start, 1),
                "the quaternion has length %.9g and is normalised, as are all of this file",
                length);
  }
  for (int i = 0; i < 4; i++) {
    q[i] /= length;
  }
  return RH_OK;
}

static rh_status read_row(reading *r)
{
  rh_hand_trace *trace = r->trace;
  double number[COLUMNS] = {0};
  RH_TRY(read_numbers(r, number));
  RH_TRY(unit_quaternion(r, number + QUATERNION));
  double *row = new_row(r);
  if (row == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  if (trace->rows > 0 && !(number[0] > row[-trace->width])) {
    rh_diag_add(r->diag, RH_ERROR, place_at(r, r->line_start, 1),
                "time must grow from row to row: t = %.9g s follows %.9g s", number[0],
                row[-trace->width]);
    return RH_INPUT_REFUSED;
  }
  row[0] = number[0];
  const double *rest = number + (trace->width == WIDTH_MAX ? POSE : WRENCH);
  memcpy(row + 1, rest, (size_t)(trace->width - 1) * sizeof *row);
  trace->rows++;
  return RH_OK;
}

static rh_status read_rows(reading *r)
{
  while (next_line(r)) {
    if ((r->trace->rows + 1) * r->trace->width > NUMBERS_MAX) {
      rh_diag_add(r->diag, RH_ERROR, place_at(r, r->at, 1), "a trace may have %d rows",
                  NUMBERS_MAX / r->trace->width);
      return RH_OVER_LIMIT;
    }
    RH_TRY(read_row(r));
    leave_line(r);
  }
  if (r->trace->rows == 0) {
    rh_diag_add(r->diag, RH_ERROR, (rh_place){.file = r->name}, "has no rows below its head");
    return RH_INPUT_REFUSED;
  }
  return RH_OK;
}

rh_status rh_hand_trace_parse(const char *text, size_t bytes, const char *name, rh_diag *diag,
                              rh_hand_trace *trace)
{
  *trace = (rh_hand_trace){0};
  if (strlen(text) != bytes) {
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = name}, "is not text: it holds a zero byte");
    return RH_INPUT_REFUSED;
  }
  reading r = {.name = name, .at = text, .line_start = text, .trace = trace, .diag = diag};
  rh_status status = read_head(&r);
  if (status == RH_OK) {
    status = read_rows(&r);
  }
  if (status != RH_OK) {
    rh_free(trace->row);
    *trace = (rh_hand_trace){0};
  }
  return status;
}

rh_status rh_hand_trace_read(const char *path, rh_diag *diag, rh_hand_trace *trace)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  *trace = (rh_hand_trace){0};
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &name));
  rh_status status = rh_hand_trace_parse(text, bytes, name, diag, trace);
  rh_free(text);
  return status;
}
