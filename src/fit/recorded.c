// recorded.c: measured series that are no tables: recordings, whose frames are the rows, and series in the memory of the program
// that calls. Each is one trial.
#include "fit.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e18 // as in a table

// Rows of a trial that is under way
typedef struct filler {
  const rh_fit_job *job;
  const char *name; // of the file or the series
  rh_diag *diag;
  rh_fit_data *data;
  int row; // from 1
  double last;
} filler;

static rh_status refuse_series(const filler *f, const char *why)
{
  rh_diag_add(f->diag, RH_ERROR, (rh_place){.file = f->name}, "row %d: %s", f->row, why);
  return RH_INPUT_REFUSED;
}

static rh_status refuse_column(const filler *f, const char *channel, const char *why)
{
  rh_diag_add(f->diag, RH_ERROR, (rh_place){.file = f->name}, "%s: %s", channel, why);
  return RH_INPUT_REFUSED;
}

// `take[i]` is the channel that column i of `from` is, RH_NONE: it does not count.
static rh_status add_row(filler *f, double t, const double *from, const int *take, int n)
{
  double *value = NULL;
  f->row++;
  if (!isfinite(t) || fabs(t) > LARGEST) {
    return refuse_series(f, "the time is not a finite number up to 1e18");
  }
  if (f->row > 1 && t <= f->last) {
    return refuse_series(f, "the times of a trial must rise");
  }
  RH_TRY(rh_fit_begin_row(f->data, &value));
  for (int i = 0; i < n; i++) {
    if (take[i] == RH_NONE) {
      continue;
    }
    if (isinf(from[i]) || fabs(from[i]) > LARGEST) {
      return refuse_series(f, "a number must be finite, up to 1e18, or NaN for a missing value");
    }
    value[take[i]] = from[i];
  }
  (void)rh_fit_end_row(f->job, f->data, t, f->row == 1);
  f->last = t;
  return RH_OK;
}

// ---- Recordings

typedef struct frames {
  rh_recording *recording;
  rh_channels *channels;
  int *index, *take; // of those that count
  double *value;     // (n)
  int n;
} frames;

// Does a channel of a recording count? Those that are named (--channels, --rename), those of the data before it, else the coordinates
// and velocities of joints.
static bool is_asked(const filler *f, const frames *from, int index, const char **name)
{
  const char *own = rh_channel_name(from->channels, index);
  *name = rh_fit_name_column(f->job, own);
  if (strcmp(own, "t") == 0 || strcmp(*name, "-") == 0) {
    return false;
  }
  if (f->job->channels.n > 0 || *name != own) {
    return true;
  }
  for (int c = 0; c < f->data->nchannel && f->data->nrow > 0; c++) {
    if (strcmp(f->data->channel[c], own) == 0) {
      return true;
    }
  }
  return f->data->nrow == 0 && rh_channel_group(from->channels, index) == RH_CHANNEL_GROUP_JOINTS;
}

static rh_status choose_channels(const filler *f, frames *from)
{
  int count = rh_channels_count(from->channels);
  from->index = rh_alloc((size_t)(count + 1) * sizeof *from->index);
  from->take = rh_alloc((size_t)(count + 1) * sizeof *from->take);
  from->value = rh_alloc((size_t)(count + 1) * sizeof *from->value);
  if (from->index == NULL || from->take == NULL || from->value == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    const char *name;
    if (!is_asked(f, from, i, &name)) {
      continue;
    }
    int channel = rh_fit_find_channel(f->data, name, rh_channel_unit(from->channels, i));
    if (channel == RH_NONE) {
      return refuse_column(f, name,
                           f->data->nrow > 0 ? "the data before it have no such channel"
                                             : "more than 64 channels count; --channels names "
                                               "those that do");
    }
    for (int k = 0; k < from->n; k++) {
      if (from->take[k] == channel) {
        return refuse_column(f, name, "two channels of the recording are this one");
      }
    }
    from->index[from->n] = i;
    from->take[from->n++] = channel;
  }
  return from->n > 0 ? RH_OK
                     : refuse_column(f, "channels",
                                     "none of the recording counts; --channels or --rename names "
                                     "those that do");
}

static rh_status read_frames(filler *f, const frames *from)
{
  long count = rh_recording_frames(from->recording);
  if (count == 0) {
    return refuse_column(f, "frames", "there are none");
  }
  RH_TRY(rh_fit_add_trial(f->data, f->name, strnlen(f->name, RH_NAME_MAX - 1)));
  for (long frame = 0; frame < count; frame++) {
    rh_data *world = NULL;
    RH_TRY(rh_recording_world(from->recording, frame, &world, NULL, f->diag));
    rh_channels_read(from->channels, world, from->index, from->n, from->value);
    RH_TRY(add_row(f, *world->t, from->value, from->take, from->n));
  }
  return RH_OK;
}

rh_status rh_fit_read_recording(const rh_fit_job *job, const char *path, rh_diag *diag,
                                rh_fit_data *data)
{
  filler f = {.job = job, .name = path, .diag = diag, .data = data};
  frames from = {0};
  rh_status status = rh_recording_open(path, diag, &from.recording);
  if (status == RH_OK) {
    from.channels = rh_channels_create(rh_recording_model(from.recording));
    status = from.channels != NULL ? choose_channels(&f, &from) : RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK) {
    status = read_frames(&f, &from);
  }
  rh_free(from.index);
  rh_free(from.take);
  rh_free(from.value);
  rh_channels_destroy(from.channels);
  rh_recording_close(from.recording);
  return status;
}

// ---- Series in memory

// "ball.z [m]": the name, and the unit as a text of its own
static bool split_name(const char *text, char *name, size_t size, const char **unit)
{
  size_t length = strlen(text);
  if (length == 0 || length >= size) {
    return false;
  }
  memcpy(name, text, length + 1);
  char *open = strstr(name, " [");
  *unit = "";
  if (open != NULL && name[length - 1] == ']') {
    name[length - 1] = '\0';
    *open = '\0';
    *unit = open + 2;
  }
  return true;
}

static rh_status choose_columns(const filler *f, const rh_measured *series, int *take)
{
  for (int i = 0; i < series->channels; i++) {
    char name[RH_NAME_MAX + 32];
    const char *unit;
    if (!split_name(series->channel[i], name, sizeof name, &unit)) {
      return refuse_column(f, series->channel[i], "a name of a channel was expected");
    }
    const char *now = rh_fit_name_column(f->job, name);
    take[i] = RH_NONE;
    if (strcmp(now, "-") == 0) {
      continue;
    }
    take[i] = rh_fit_find_channel(f->data, now, unit);
    if (take[i] == RH_NONE) {
      return refuse_column(f, now,
                           f->data->nrow > 0 ? "the data before it have no such channel"
                                             : "more than 64 channels count; --channels names "
                                               "those that do");
    }
    for (int k = 0; k < i; k++) {
      if (take[k] == take[i]) {
        return refuse_column(f, now, "this channel is there twice");
      }
    }
  }
  return RH_OK;
}

rh_status rh_fit_read_measured(const rh_fit_job *job, const rh_measured *series, rh_diag *diag,
                               rh_fit_data *data)
{
  filler f = {.job = job, .name = series->name, .diag = diag, .data = data};
  if (series->rows < 1) {
    return refuse_column(&f, "rows", "there are none");
  }
  int *take = rh_alloc((size_t)(series->channels + 1) * sizeof *take);
  rh_status status = take != NULL ? choose_columns(&f, series, take) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_fit_add_trial(data, series->name, strnlen(series->name, RH_NAME_MAX - 1));
  }
  for (int row = 0; row < series->rows && status == RH_OK; row++) {
    status = add_row(&f, series->t[row], series->value + (size_t)row * (size_t)series->channels,
                     take, series->channels);
  }
  rh_free(take);
  return status;
}
