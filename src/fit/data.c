// data.c: measured series from CSV files: names of columns, then rows of numbers. `t` is the time, `trial` (may be absent)
// divides a file into trials, the others are channels; an empty cell is a missing value. Lines that begin with # are left
// out. Left out: quoted cells, other separators.
#include "fit.h"

#include "console/caller.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 4000000, COLUMNS_MAX = 1024 };

enum { COLUMN_TIME = -2, COLUMN_TRIAL = -3, COLUMN_NONE = RH_NONE };

typedef struct reader {
  const rh_fit_job *job;
  const char *name, *text, *at, *line;
  int row, ncolumn;
  double last;             // [s] time of the row before
  int column[COLUMNS_MAX]; // channel, or COLUMN_...
  rh_fit_data *data;
  rh_diag *diag;
} reader;

static rh_status refuse_at(const reader *r, const char *why)
{
  rh_place place = {r->name, r->row > 0 ? r->row : 1, (int)(r->at - r->line) + 1, 1};
  rh_diag_add(r->diag, RH_ERROR, place, "%s", why);
  return RH_INPUT_REFUSED;
}

// To the next line with content; false: there is none.
static bool next_line(reader *r)
{
  if (r->row > 0) {
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
  }
  while (*r->at != '\0') {
    r->line = r->at;
    r->row++;
    r->at += strspn(r->at, " \t");
    if (*r->at != '\n' && *r->at != '\r' && *r->at != '#' && *r->at != '\0') {
      return true;
    }
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
  }
  return false;
}

// The text of the cell at the present place, without blanks around it; `at` goes to its end.
static size_t read_cell(reader *r, const char **cell)
{
  r->at += strspn(r->at, " \t");
  *cell = r->at;
  size_t length = strcspn(r->at, ",\r\n");
  r->at += length;
  while (length > 0 && ((*cell)[length - 1] == ' ' || (*cell)[length - 1] == '\t')) {
    length--;
  }
  return length;
}

// "hinge.*" stands for all that begin so.
static bool is_word_for(const char *word, const char *name)
{
  size_t length = strlen(word);
  bool all = length > 0 && word[length - 1] == '*';
  return all ? strncmp(word, name, length - 1) == 0 : strcmp(word, name) == 0;
}

const char *rh_fit_name_column(const rh_fit_job *job, const char *name)
{
  size_t length = strlen(name);
  const char *now = name;
  for (int i = 0; now == name && i < job->rename.n; i++) {
    const char *word = job->rename.word[i];
    now = strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : now;
  }
  bool counts = job->channels.n == 0 || strcmp(now, "t") == 0 || strcmp(now, "trial") == 0;
  for (int i = 0; !counts && i < job->channels.n; i++) {
    counts = is_word_for(job->channels.word[i], now);
  }
  return counts ? now : "-";
}

// "hinge.q [rad]", as `routh export` writes: the unit is taken off.
static const char *take_unit(char *name)
{
  char *open = strstr(name, " [");
  size_t length = strlen(name);
  if (open == NULL || name[length - 1] != ']') {
    return "";
  }
  name[length - 1] = '\0';
  *open = '\0';
  return open + 2;
}

int rh_fit_find_channel(rh_fit_data *d, const char *name, const char *unit)
{
  for (int i = 0; i < d->nchannel; i++) {
    if (strcmp(d->channel[i], name) == 0) {
      return i;
    }
  }
  if (d->nrow > 0 || d->nchannel == RH_FIT_CHANNELS || strlen(name) >= sizeof d->channel[0]) {
    return RH_NONE; // all data have the channels of the first
  }
  (void)snprintf(d->channel[d->nchannel], sizeof d->channel[0], "%s", name);
  (void)snprintf(d->unit[d->nchannel], sizeof d->unit[0], "%s", unit);
  return d->nchannel++;
}

static rh_status read_head(reader *r)
{
  bool time = false;
  if (!next_line(r)) {
    return refuse_at(r, "is empty; it begins with the names of its columns: t and channels");
  }
  for (bool more = true; more; r->ncolumn++) {
    const char *cell;
    const char *begin = r->at;
    char name[RH_NAME_MAX + 32];
    size_t length = read_cell(r, &cell);
    if (length == 0 || length >= sizeof name || r->ncolumn == RH_COUNT(r->column)) {
      r->at = begin;
      return refuse_at(r, "a name of a column was expected: t, trial, or a channel (at most 1024)");
    }
    memcpy(name, cell, length);
    name[length] = '\0';
    const char *unit = take_unit(name);
    const char *now = rh_fit_name_column(r->job, name);
    int is = strcmp(now, "t") == 0       ? COLUMN_TIME
             : strcmp(now, "trial") == 0 ? COLUMN_TRIAL
             : strcmp(now, "-") == 0     ? COLUMN_NONE
                                         : rh_fit_find_channel(r->data, now, unit);
    bool twice = false;
    for (int i = 0; i < r->ncolumn; i++) {
      twice = twice || (is != COLUMN_NONE && r->column[i] == is);
    }
    if (twice || (is == COLUMN_NONE && strcmp(now, "-") != 0)) {
      r->at = begin;
      return refuse_at(r, twice ? "this column is there twice"
                                : "the first file has no such column, or more than 64 channels "
                                  "count; --channels names those that do");
    }
    time = time || is == COLUMN_TIME;
    r->column[r->ncolumn] = is;
    more = *r->at == ',';
    r->at += more;
  }
  return time ? RH_OK : refuse_at(r, "there is no column t, the time in seconds");
}

rh_status rh_fit_add_trial(rh_fit_data *d, const char *name, size_t length)
{
  if (d->ntrial == RH_FIT_TRIALS) {
    return rh_refuse(RH_OVER_LIMIT, "fit: more than 20000 trials or windows");
  }
  if (d->ntrial == d->room_trial) {
    int room = d->room_trial == 0 ? 16 : 2 * d->room_trial;
    rh_fit_trial *larger = rh_realloc(d->trial, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    d->trial = larger;
    d->room_trial = room;
  }
  rh_fit_trial *trial = &d->trial[d->ntrial];
  *trial = (rh_fit_trial){.first = d->nrow, .from = d->ntrial};
  (void)snprintf(trial->name, sizeof trial->name, "%.*s", (int)length, name);
  d->ntrial++;
  return RH_OK;
}

static rh_status grow_rows(rh_fit_data *d)
{
  int room = d->room == 0 ? 1024 : 2 * d->room;
  double *t = rh_realloc(d->t, (size_t)room * sizeof *t);
  if (t == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  d->t = t;
  double *value = rh_realloc(d->value, (size_t)room * (size_t)d->nchannel * sizeof *value);
  if (value == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  d->value = value;
  d->room = room;
  return RH_OK;
}

rh_status rh_fit_begin_row(rh_fit_data *d, double **value)
{
  if (d->nrow == ROWS_MAX) {
    return rh_refuse(RH_OVER_LIMIT, "fit: more than 4000000 rows");
  }
  if (d->nrow == d->room) {
    RH_TRY(grow_rows(d));
  }
  *value = d->value + (size_t)d->nrow * (size_t)d->nchannel;
  for (int c = 0; c < d->nchannel; c++) {
    (*value)[c] = (double)NAN;
  }
  return RH_OK;
}

bool rh_fit_end_row(const rh_fit_job *job, rh_fit_data *d, double t, bool first)
{
  bool counts = first || t - d->t[d->nrow - 1] >= job->every * (1 - 1e-9); // times are rounded
  if (counts) {
    d->t[d->nrow++] = t;
    d->trial[d->ntrial - 1].n++;
  }
  return counts;
}

// One number; an empty cell is NaN.
static rh_status read_number(reader *r, double *x)
{
  const char *begin = r->at;
  const char *cell;
  size_t length = read_cell(r, &cell);
  *x = (double)NAN;
  if (length > 0 && (rh_number_read(cell, x) != length || !isfinite(*x) || fabs(*x) > 1e18)) {
    r->at = begin;
    return refuse_at(r, "must be a finite number up to 1e18, or nothing for a missing value");
  }
  return RH_OK;
}

static rh_status read_row(reader *r, bool *first)
{
  rh_fit_data *d = r->data;
  double *value = NULL;
  RH_TRY(rh_fit_begin_row(d, &value));
  const char *name = NULL;
  size_t length = 0;
  double t = (double)NAN;
  for (int c = 0; c < r->ncolumn; c++) {
    double x = 0;
    if (r->column[c] == COLUMN_TRIAL || r->column[c] == COLUMN_NONE) {
      const char *cell;
      size_t size = read_cell(r, &cell);
      name = r->column[c] == COLUMN_TRIAL ? cell : name;
      length = r->column[c] == COLUMN_TRIAL ? size : length;
    } else {
      RH_TRY(read_number(r, &x));
      *(r->column[c] == COLUMN_TIME ? &t : &value[r->column[c]]) = x;
    }
    if ((c + 1 < r->ncolumn) != (*r->at == ',')) {
      return refuse_at(r, "a row has as many cells as there are names of columns");
    }
    r->at += *r->at == ',';
  }
  if (!isfinite(t)) {
    return refuse_at(r, "the time is missing");
  }
  if (length >= RH_NAME_MAX) {
    return refuse_at(r, "the name of the trial is longer than 63 characters");
  }
  const rh_fit_trial *last = d->ntrial > 0 ? &d->trial[d->ntrial - 1] : NULL;
  bool other = name != NULL && last != NULL &&
               (strlen(last->name) != length || memcmp(last->name, name, length) != 0);
  other = other || *first;
  if (other) {
    RH_TRY(rh_fit_add_trial(d, name != NULL ? name : r->name,
                            name != NULL ? length : strnlen(r->name, RH_NAME_MAX - 1)));
    *first = false;
  } else if (t <= r->last) {
    return refuse_at(r,
                     "the times of a trial must rise; a column `trial` divides a file into trials");
  }
  (void)rh_fit_end_row(r->job, d, t, other);
  r->last = t;
  return RH_OK;
}

static rh_status read_file(const rh_fit_job *job, const char *path, rh_diag *diag,
                           rh_fit_data *data)
{
  const rh_caller *caller = rh_caller_get();
  for (int i = 0; path[0] == '@' && caller != NULL && i < caller->nmeasured; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "@%d", i);
    if (strcmp(path, name) == 0) {
      return rh_fit_read_measured(job, &caller->measured[i], diag, data);
    }
  }
  if (rh_file_is_recording(path)) {
    return rh_fit_read_recording(job, path, diag, data);
  }
  char *text = NULL;
  size_t bytes = 0;
  reader r = {.job = job, .data = data, .diag = diag};
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &r.name));
  r.text = r.at = r.line = text;
  rh_status status = read_head(&r);
  bool first = true;
  while (status == RH_OK && next_line(&r)) {
    status = read_row(&r, &first);
  }
  if (status == RH_OK && first) {
    status = refuse_at(&r, "has no rows");
  }
  rh_free(text);
  return status;
}

// "CHANNEL=DEVIATION"; a name that ends in * stands for all that begin so.
static rh_status read_noise(const rh_fit_job *job, rh_fit_data *d)
{
  for (int i = 0; i < job->noise.n; i++) {
    const char *word = job->noise.word[i];
    size_t length = strcspn(word, "=");
    double x = 0;
    bool all = length > 0 && word[length - 1] == '*';
    size_t digits = word[length] == '=' ? rh_number_read(word + length + 1, &x) : 0;
    if (digits == 0 || word[length + 1 + digits] != '\0' || !(x > 0) || !isfinite(x)) {
      return rh_refuse(RH_WRONG_USAGE,
                       "fit: --noise takes CHANNEL=DEVIATION with a number > 0, got '%s'", word);
    }
    bool met = false;
    for (int c = 0; c < d->nchannel; c++) {
      bool same =
          all ? strncmp(d->channel[c], word, length - 1) == 0
              : strlen(d->channel[c]) == length && strncmp(d->channel[c], word, length) == 0;
      d->noise[c] = same ? x : d->noise[c];
      met = met || same;
    }
    if (!met) {
      return rh_refuse(RH_WRONG_USAGE, "fit: --noise: no column of the data is called '%.*s'",
                       (int)length, word);
    }
  }
  return RH_OK;
}

static rh_status check_channels(const rh_fit_job *job, const rh_fit_data *d)
{
  for (int i = 0; i < job->channels.n; i++) {
    bool met = false;
    for (int c = 0; c < d->nchannel; c++) {
      met = met || is_word_for(job->channels.word[i], d->channel[c]);
    }
    if (!met) {
      return rh_refuse(RH_WRONG_USAGE, "fit: --channels: no column of the data is called '%s'",
                       job->channels.word[i]);
    }
  }
  return RH_OK;
}

rh_status rh_fit_read_data(const rh_fit_job *job, rh_diag *diag, rh_fit_data *data)
{
  for (int i = 0; i < job->data.n; i++) {
    RH_TRY(read_file(job, job->data.word[i], diag, data));
  }
  if (data->nchannel == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "fit: the data have no channel, only times");
  }
  RH_TRY(check_channels(job, data));
  return read_noise(job, data);
}

void rh_fit_free_data(rh_fit_data *data)
{
  rh_free(data->trial);
  rh_free(data->t);
  rh_free(data->value);
  *data = (rh_fit_data){0};
}
