// cmd_export.c: `routh export`: channels of a recording as a file that other programs read.
#include "cli.h"
#include "refusal.h"
#include "split.h"

#include "base/json.h"
#include "rec/rec.h"

#include <string.h>

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
        "export: '%s' does not tell the format; end it in .csv or .h5, or say --format", output);
  }
  if (rh_export_find(*format) == NULL) {
    return rh_refuse_listed("export", "format", *format, "exports");
  }
  return RH_OK;
}

static rh_status tell(const rh_args *args, rh_recording *recording, const char *output,
                      const char *format)
{
  long frames = rh_recording_frames(recording);
  if (strcmp(output, "-") == 0) {
    return RH_OK;
  }
  if (!args->json) {
    rh_say(args, "wrote %s (%ld frame%s)", output, frames, rh_plural(frames));
    return RH_OK;
  }
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "recording", args->file[0]);
  rh_json_string(&json, "output", output);
  rh_json_string(&json, "format", format);
  rh_json_integer(&json, "frames", frames);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

static rh_status export_to(const rh_args *args, const char *output, rh_diag *diag)
{
  const char *format = NULL;
  RH_TRY(find_format(args, output, &format));
  rh_recording *recording = NULL;
  rh_words words = {0};
  rh_status status = rh_words_split(&words, rh_args_text(args, "channels"));
  if (status == RH_OK) {
    status = rh_recording_open(args->file[0], diag, &recording);
  }
  if (status == RH_OK) {
    status = rh_channels_known(recording, (const char *const *)words.word, words.n);
  }
  if (status == RH_OK && strcmp(output, "-") == 0) {
    rh_refusals_take_stdout();
  }
  if (status == RH_OK) {
    status = rh_recording_export(recording, format, output, (const char *const *)words.word,
                                 words.n, diag);
  }
  if (status == RH_OK) {
    status = tell(args, recording, output, format);
  }
  rh_words_free(&words);
  rh_recording_close(recording);
  return status;
}

static rh_status export_verb(const rh_args *args)
{
  rh_diag *diag = rh_diag_create();
  char *made = rh_file_beside(args->file[0], ".csv");
  if (diag == NULL || made == NULL) {
    rh_diag_destroy(diag);
    rh_free(made);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  const char *output = rh_args_text(args, "output");
  rh_status status = export_to(args, output != NULL ? output : made, diag);
  rh_diag_print(args, diag, "nothing was written");
  rh_diag_destroy(diag);
  rh_free(made);
  return status;
}

static const rh_option option[] = {
    {.name = "channels", .value = "A,B", .doc = "these channels only; the time is always there"},
    {.name = "format", .value = "NAME", .doc = "csv or hdf5; else by the ending of the file"},
    RH_OPTION_OUTPUT(
        "FILE.csv or FILE.h5; else the name of the recording with .csv; - is standard output"),
};

static const rh_example example[] = {
    {"export stop.rhr -o - --channels hinge.q,hinge.v", "two channels as CSV"},
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
