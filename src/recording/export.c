// export.c: the table of export formats, and their common code: channels by name, frames in order,
// and a file that appears under its name only when it is complete.
#include "recording.h"

#include "base/outfile.h"
#include "base/table.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define RH_EXPORT(name) extern const rh_export rh_export_##name;
#include "formats.def"
#undef RH_EXPORT

enum {

#define RH_EXPORT(name) row_of_##name,
#include "formats.def"
#undef RH_EXPORT
  built_in
};

static const rh_export *table[built_in + RH_REGISTERED_MAX] = {
#define RH_EXPORT(name) &rh_export_##name,
#include "formats.def"
#undef RH_EXPORT
};

RH_OPEN_ROW_TABLE(export)

static rh_status refuse_name(rh_diag *diag, const char *what, const char *name, const char *nearest)
{
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "unknown %s '%s'%s%s%s", what, name,
              RH_DID_YOU_MEAN(nearest));
  return RH_INPUT_REFUSED;
}

static rh_status unknown_format(const char *format, rh_diag *diag)
{
  const char *name[RH_COUNT(table)];
  for (int i = 0; i < row_count; i++) {
    name[i] = table[i]->row.name;
  }
  return refuse_name(diag, "export format", format, rh_nearest_name(format, name, row_count));
}

static rh_status unknown_channel(const rh_channels *channels, const char *channel, rh_diag *diag)
{
  int count = rh_channels_count(channels);
  const char **name = rh_alloc((size_t)(count + 1) * sizeof *name);
  if (!name) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    name[i] = rh_channel_name(channels, i);
  }
  rh_status status = refuse_name(diag, "channel", channel, rh_nearest_name(channel, name, count));
  rh_free(name);
  return status;
}

// Finds the requested channels (none: all). Time is skipped: it is always there, and first.
static rh_status choose_channels(const rh_channels *channels, const char *const *name, int n,
                                 rh_diag *diag, int *chosen, int *count)
{
  rh_status status = RH_OK;
  *count = 0;
  int total = n > 0 ? n : rh_channels_count(channels);
  for (int i = 0; i < total; i++) {
    int index = n > 0 ? rh_channel_find(channels, name[i]) : i;
    if (strcmp(n > 0 ? name[i] : rh_channel_name(channels, i), "t") == 0) {
      continue;
    }
    if (index < 0) {
      rh_status found = unknown_channel(channels, name[i], diag);
      status = found;
      continue;
    }
    chosen[(*count)++] = index;
  }
  return status;
}

rh_status rh_export_read(const rh_export_job *job, long frame, double *t, double *value)
{
  rh_data *world = NULL;
  RH_TRY(rh_recording_world(job->recording, frame, &world, NULL, job->diag));
  rh_channels_read(job->channels, world, job->channel, job->n, value);
  *t = *world->t;
  return RH_OK;
}

// ---- The file

static rh_status not_written(const rh_export_job *job, int error)
{
  rh_diag_add(job->diag, RH_ERROR, rh_rec_place(job->target), "could not be written: %s",
              strerror(error));
  return rh_outfile_status(error);
}

static rh_status write_stdout(const rh_export *format, rh_export_job *job)
{
  if (!format->streams) {
    rh_diag_add(job->diag, RH_ERROR, RH_NOWHERE, "format %s cannot be written to standard output",
                format->row.name);
    return RH_WRONG_USAGE;
  }
  job->file = stdout;
  rh_status status = format->write(job);
  errno = EIO;
  if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == RH_OK) {
    status = not_written(job, errno);
  }
  return status;
}

static bool same_file(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Writes a temporary file and renames it. A pipe or a device is written in place.
static rh_status write_file(const rh_export *format, rh_export_job *job)
{
  rh_outfile out;
  if (same_file(rh_rec_path_of(job->recording), job->target)) {
    rh_diag_add(job->diag, RH_ERROR, rh_rec_place(job->target), "this is the recording itself");
    return RH_OUTPUT_NOT_WRITTEN;
  }
  if (!rh_outfile_open(&out, job->target)) {
    return not_written(job, out.error);
  }
  job->file = out.file;
  rh_status status = out.aside || format->streams ? format->write(job) : not_written(job, ESPIPE);
  job->file = NULL;
  bool whole = rh_outfile_close(&out, status == RH_OK);
  return whole || status != RH_OK ? status : not_written(job, out.error);
}

// ---- Export

static rh_status run_job(const rh_export *format, rh_export_job *job)
{
  if (job->frames > 0) {
    rh_data *world = NULL;
    RH_TRY(rh_recording_world(job->recording, job->frames - 1, &world, &job->hash, job->diag));
  }
  return strcmp(job->target, "-") == 0 ? write_stdout(format, job) : write_file(format, job);
}

rh_status rh_recording_export(rh_recording *recording, const char *format, const char *path,
                              const char *const *channel, int n, rh_diag *diag)
{
  const rh_export *row = rh_export_find(format);
  if (!row) {
    return unknown_format(format, diag);
  }
  rh_channels *channels = rh_channels_create(rh_recording_model(recording));
  int room = channels && n <= 0 ? rh_channels_count(channels) : n;
  int *chosen = rh_alloc((size_t)(room + 1) * sizeof *chosen);
  rh_status status = RH_OUT_OF_MEMORY;
  if (channels && chosen) {
    rh_export_job job = {
        .recording = recording,
        .channels = channels,
        .channel = chosen,
        .frames = rh_recording_frames(recording),
        .events = rh_recording_events(recording),
        .target = path,
        .diag = diag,
    };
    status = choose_channels(channels, channel, n, diag, chosen, &job.n);
    if (status == RH_OK) {
      status = run_job(row, &job);
    }
  }
  rh_free(chosen);
  rh_channels_destroy(channels);
  return status;
}
