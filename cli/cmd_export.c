// cmd_export.c: `routh export`: channels of a recording as a file for other programs.
#include "cli.h"
#include "console/refusal.h"
#include "explore/channels.h"

#include <string.h>

typedef struct export_job {
  const rh_args *args;
  rh_diag *diag;
  const char *output, *format;
  rh_recording *recording;
  rh_channels *channels;
  rh_chosen chosen; // written channels
} export_job;

// The format by its name or by the ending of the file.
static rh_status find_format(const rh_args *args, const char *output, const char **format)
{
  static const struct {
    const char *ending;
    const char *format;
  } known[] = {{".csv", "csv"}, {".h5", "hdf5"}, {".hdf5", "hdf5"}};

  const char *asked = rh_args_text(args, "format");
  *format = asked;
  for (int i = 0; *format == NULL && i < RH_COUNT(known); i++) {
    if (rh_file_has_ending(output, known[i].ending)) {
      *format = known[i].format;
    }
  }
  if (*format == NULL && strcmp(output, "-") == 0) {
    *format = "csv";
  }
  if (*format == NULL) {
    return rh_refuse(
        RH_WRONG_USAGE,
        "export: the format of '%s' is unknown; use the ending .csv or .h5, or --format", output);
  }
  if (!rh_listed_has("exports", *format)) {
    return rh_refuse_listed("export", "format", *format, "exports");
  }
  return RH_OK;
}

// Without --groups and --channels: all for HDF5, for CSV the usual ones.
static rh_status choose_groups(const rh_args *args, const char *format, unsigned *groups)
{
  const char *list = rh_args_text(args, "groups");
  if (list != NULL) {
    return rh_groups_read(list, groups);
  }
  *groups = strcmp(format, "csv") == 0 ? rh_groups_usual() : ~0U;
  *groups = rh_args_text(args, "channels") != NULL ? 0 : *groups;
  return RH_OK;
}

// ---- Writing

static rh_status report_export(const export_job *job)
{
  long frames = rh_recording_frames(job->recording);
  if (strcmp(job->output, "-") == 0) {
    return RH_OK;
  }
  if (!job->args->request.json) {
    rh_say(&job->args->request, "wrote %s (%ld frame%s, %d of %d channels%s)", job->output, frames,
           rh_plural(frames), job->chosen.n, job->chosen.all,
           job->chosen.n < job->chosen.all ? "; --groups all exports all" : "");
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "recording", job->args->request.file[0]);
  rh_json_string(&json, "output", job->output);
  rh_json_string(&json, "format", job->format);
  rh_json_integer(&json, "frames", frames);
  rh_json_integer(&json, "channels", job->chosen.n);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status export_chosen(export_job *job, unsigned groups, const rh_words *named)
{
  RH_TRY(rh_recording_open(job->args->request.file[0], job->diag, &job->recording));
  RH_TRY(rh_channels_known(job->recording, (const char *const *)named->word, named->n));
  job->channels = rh_channels_create(rh_recording_model(job->recording));
  if (job->channels == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  RH_TRY(rh_channels_choose(job->channels, groups, named, &job->chosen));
  if (job->chosen.n == 0) {
    return rh_refuse(RH_INPUT_REFUSED, "export: %s has no channel of %s",
                     job->args->request.file[0], rh_args_text(job->args, "groups"));
  }
  if (strcmp(job->output, "-") == 0) {
    rh_refusals_take_stdout();
  }
  RH_TRY(rh_recording_export(job->recording, job->format, job->output, job->chosen.name,
                             job->chosen.n, job->diag));
  return report_export(job);
}

static rh_status export_to(const rh_args *args, const char *output, rh_diag *diag)
{
  export_job job = {.args = args, .diag = diag, .output = output};
  unsigned groups = 0;
  rh_words named = {0};
  RH_TRY(find_format(args, output, &job.format));
  RH_TRY(choose_groups(args, job.format, &groups));
  rh_status status = rh_words_split(&named, rh_args_text(args, "channels"));
  if (status == RH_OK) {
    status = export_chosen(&job, groups, &named);
  }
  rh_words_free(&named);
  rh_free(job.chosen.name);
  rh_channels_destroy(job.channels);
  rh_recording_close(job.recording);
  return status;
}

static rh_status export_verb(const rh_args *args)
{
  rh_diag *diag = rh_diag_create();
  char *made = rh_file_beside(args->request.file[0], ".csv");
  if (diag == NULL || made == NULL) {
    rh_diag_destroy(diag);
    rh_free(made);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  const char *output = rh_args_text(args, "output");
  rh_status status = export_to(args, output != NULL ? output : made, diag);
  rh_diag_print(&args->request, diag, "nothing was written");
  rh_diag_destroy(diag);
  rh_free(made);
  return status;
}

static const rh_option option[] = {
    {.name = "groups",
     .value = "A,B",
     .from = "groups|all",
     .many = true,
     .doc = "groups of channels, or all; default: all in HDF5, in CSV those that 'routh list "
            "groups' marks"},
    {.name = "channels",
     .value = "A,B",
     .from = "channels",
     .many = true,
     .doc = "these channels, in addition to --groups; the time is always included"},
    {.name = "format",
     .value = "NAME",
     .from = "exports",
     .doc = "csv or hdf5; default: by the ending of the file"},
    RH_OPTION_OUTPUT(
        "FILE.csv or FILE.h5; default: the name of the recording with .csv; - is standard output"),
};

static const rh_example example[] = {
    {"export stop.rhr", "the usual channels, as stop.csv"},
    {"export stop.rhr --groups joints,energy -o -", "two groups as CSV"},
    {"export stop.rhr --channels hinge.q,hinge.v -o -", "two channels as CSV"},
    {"export stop.rhr -o stop.h5", "all, for Python, MATLAB, Julia"},
};

const rh_verb rh_verb_export = {
    .row = {.name = "export", .cite = "", .doc = "Write channels of a recording as CSV or HDF5."},
    .group = "Data",
    .usage = "RUN.rhr",
    .option = option,
    .noption = RH_COUNT(option),
    .example = example,
    .nexample = RH_COUNT(example),
    .ending = "rhr",
    .least = 1,
    .most = 1,
    .run = export_verb,
};
