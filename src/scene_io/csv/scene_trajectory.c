// scene_trajectory.c: a CSV file of values over time: a head with the names of the columns, t and actuators,
// then rows of numbers. Each column becomes a trajectory of its own. A blank line and one that begins
// with # are passed over; a row of the wrong length and what is no number are refused with their place.
#include "scene_io/scene_entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256, NUMBERS_MAX = 800000 };

typedef struct table {
  const char *file, *at, *line_start;
  int line;
  rh_diag *diag;
  rh_name column[COLUMNS_MAX];
  int ncolumn, nrow, room;
  double *x; // (nrow x ncolumn)
} table;

static rh_status refuse_at(const table *t, const char *at, const char *why)
{
  rh_place place = {.file = t->file, .line = t->line, .column = (int)(at - t->line_start) + 1};
  rh_diag_add(t->diag, RH_ERROR, place, "%s", why);
  return RH_INPUT_REFUSED;
}

static const char *skip_blanks(const char *c)
{
  return c + strspn(c, " \t");
}

static bool line_ends(const char *c)
{
  return *c == '\0' || *c == '\n' || *c == '\r';
}

static void leave_line(table *t)
{
  t->at += strcspn(t->at, "\n");
  t->at += *t->at == '\n';
}

static bool find_line(table *t) // the next one with content
{
  while (*t->at != '\0') {
    t->line_start = t->at;
    t->line++;
    const char *c = skip_blanks(t->at);
    if (!line_ends(c) && *c != '#') {
      return true;
    }
    leave_line(t);
  }
  return false;
}

static rh_status read_head(table *t)
{
  const char *c = find_line(t) ? t->at : "";
  for (bool more = *c != '\0'; more; c += more) {
    c = skip_blanks(c);
    size_t length = strcspn(c, ", \t\r\n");
    char name[RH_NAME_MAX];
    if (length == 0 || length >= sizeof name || t->ncolumn == COLUMNS_MAX) {
      return refuse_at(t, c,
                       length == 0 ? "a column has no name" : "too many columns, or a long name");
    }
    memcpy(name, c, length);
    name[length] = '\0';
    t->column[t->ncolumn++] = rh_name_of(name);
    c = skip_blanks(c + length);
    more = *c == ',';
  }
  if (t->ncolumn < 2 || strcmp(t->column[0].text, "t") != 0 || !line_ends(c)) {
    return refuse_at(t, t->at,
                     "the first line must be the names of the columns: t, then actuators");
  }
  leave_line(t);
  return RH_OK;
}

static rh_status add_row(table *t)
{
  if (t->nrow == t->room) {
    int room = t->room > 0 ? 2 * t->room : 64;
    if ((long)room * t->ncolumn > 2L * NUMBERS_MAX) {
      return refuse_at(t, t->at, "the file has too many numbers");
    }
    double *larger = rh_realloc(t->x, (size_t)room * (size_t)t->ncolumn * sizeof *larger);
    if (!larger) {
      return RH_OUT_OF_MEMORY;
    }
    t->x = larger;
    t->room = room;
  }
  t->nrow++;
  return RH_OK;
}

static rh_status read_row(table *t)
{
  RH_TRY(add_row(t));
  double *row = t->x + (ptrdiff_t)(t->nrow - 1) * t->ncolumn;
  const char *c = t->at;
  for (int i = 0; i < t->ncolumn; i++) {
    char *end = NULL;
    c = skip_blanks(c);
    row[i] = line_ends(c) ? 0 : strtod(c, &end);
    if (line_ends(c) || end == c || !isfinite(row[i]) || fabs(row[i]) > 1e9) {
      return refuse_at(t, c,
                       line_ends(c) ? "a number is missing" : "must be a number, at most 1e9");
    }
    const char *next = skip_blanks(end);
    bool last = i + 1 == t->ncolumn;
    if (last ? !line_ends(next) : *next != ',') {
      return refuse_at(t, next, last ? "the row is too long" : "a comma goes between two numbers");
    }
    c = next + !last;
  }
  leave_line(t);
  return RH_OK;
}

// The values of one column, which the entry then owns
static rh_status take_column(const table *t, int column, rh_trajectory_def *def)
{
  double *x = rh_alloc((size_t)t->nrow * 2 * sizeof *x);
  if (!x) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < t->nrow; i++) {
    x[2 * i] = t->x[(ptrdiff_t)i * t->ncolumn];
    x[2 * i + 1] = t->x[(ptrdiff_t)i * t->ncolumn + column];
  }
  def->values = (rh_numbers){2 * t->nrow, x};
  def->actuator = t->column[column];
  return RH_OK;
}

// All columns but the last are put into the scene here; the last one is the entry itself.
static rh_status take_columns(rh_entry *e, const table *t)
{
  rh_trajectory_def *def = e->def;
  bool one = def->actuator.text[0] != '\0';
  rh_name only = def->actuator;
  int last = RH_NONE;
  for (int i = 1; i < t->ncolumn; i++) {
    last = !one || strcmp(only.text, t->column[i].text) == 0 ? i : last;
  }
  if (last == RH_NONE || t->nrow == 0) {
    rh_diag_add(t->diag, RH_ERROR, (rh_place){.file = t->file, .line = 1, .column = 1},
                last == RH_NONE ? "there is no column '%s'" : "there are no rows below the head",
                only.text);
    return RH_INPUT_REFUSED;
  }
  memset(&def->file, 0, sizeof def->file);
  for (int i = one ? last : 1; i < last; i++) {
    RH_TRY(take_column(t, i, def));
    int put = rh_scene_put(e->r->scene, RH_SECTION_TRAJECTORIES, def, &e->origin);
    rh_entry_free_numbers(e);
    def->values = (rh_numbers){0};
    if (put == RH_NONE) {
      return RH_OUT_OF_MEMORY;
    }
  }
  return take_column(t, last, def);
}

rh_status rh_entry_load_trajectory(rh_entry *e)
{
  const rh_trajectory_def *def = e->def;
  char where[RH_WHERE_MAX];
  char *text = NULL;
  size_t bytes = 0;
  table t = {.diag = e->r->diag};
  if (def->file.text[0] == '\0') {
    return RH_OK;
  }
  if (def->values.n > 0) {
    rh_entry_refuse(e, rh_yaml_find(e->r->tree, e->node, "file"), "file",
                    "and values exclude each other");
    return RH_OK;
  }
  if (!rh_entry_find_file(e, "file", def->file.text, where)) {
    return RH_OK;
  }
  rh_status status = rh_file_read(where, e->r->diag, &text, &bytes, &t.file);
  t.at = t.line_start = text;
  status = status == RH_OK ? read_head(&t) : status;
  while (status == RH_OK && find_line(&t)) {
    status = read_row(&t);
  }
  status = status == RH_OK ? take_columns(e, &t) : status;
  rh_free(text);
  rh_free(t.x);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    e->r->refused = true; // reported; other errors of the scene follow
    return RH_OK;
  }
  return status;
}
