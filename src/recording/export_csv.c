// export_csv.c: comma-separated values: comment lines, a line of names with units, one line per
// frame. Numbers are written with the fewest digits that read back as the same bits. Events are not
// exported: they would be a second table.
#include "recording.h"

#include "base/text.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>

#define COMMENT_MAX 1024 // bytes of a comment

static void put_number(FILE *file, double x)
{
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    (void)snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) {
      break;
    }
  }
  (void)fputs(text, file);
}

static void put_comment(FILE *file, const char *key, const char *value)
{
  char text[COMMENT_MAX];
  (void)snprintf(text, sizeof text, "%s", value ? value : "");
  rh_text_make_printable(text); // for reading on a terminal
  for (char *c = text; *c; c++) {
    *c = *c == '\n' || *c == '\t' ? ' ' : *c; // a comment is one line
  }
  (void)fprintf(file, "# %s: %s\n", key, text);
}

// A field with a comma or a quote is put in quotes, and its quotes are doubled.
static void put_name(FILE *file, const char *name, const char *unit)
{
  char text[4 * RH_NAME_MAX];
  (void)snprintf(text, sizeof text, "%s [%s]", name, unit);
  rh_text_make_printable(text);
  bool plain = true;
  for (const char *c = text; *c; c++) {
    plain = plain && *c != ',' && *c != '"' && (unsigned char)*c >= ' ';
  }
  if (plain) {
    (void)fputs(text, file);
    return;
  }
  (void)fputc('"', file);
  for (const char *c = text; *c; c++) {
    (void)fprintf(file, *c == '"' ? "%c\"" : "%c", *c);
  }
  (void)fputc('"', file);
}

static void put_head(const rh_export_job *job)
{
  FILE *file = job->file;
  put_comment(file, "routh", rh_recording_meta(job->recording, "routh"));
  put_comment(file, "scene", rh_recording_meta(job->recording, "scene_name"));
  (void)fprintf(file, "# frames: %ld\n# hash: %016" PRIx64 "\n", job->frames, job->hash);
  put_name(file, "t", "s");
  for (int i = 0; i < job->n; i++) {
    (void)fputc(',', file);
    put_name(file, rh_channel_name(job->channels, job->channel[i]),
             rh_channel_unit(job->channels, job->channel[i]));
  }
  (void)fputc('\n', file);
}

static rh_status put_frames(const rh_export_job *job)
{
  double *value = rh_alloc((size_t)(job->n + 1) * sizeof *value);
  if (!value) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = RH_OK;
  for (long frame = 0; frame < job->frames && status == RH_OK && !ferror(job->file); frame++) {
    double t = 0;
    status = rh_export_read(job, frame, &t, value);
    if (status != RH_OK) {
      break;
    }
    put_number(job->file, t);
    for (int i = 0; i < job->n; i++) {
      (void)fputc(',', job->file);
      put_number(job->file, value[i]);
    }
    (void)fputc('\n', job->file);
  }
  rh_free(value);
  return status;
}

static rh_status write_csv(const rh_export_job *job)
{
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); // a decimal point in every locale
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  put_head(job);
  rh_status status = put_frames(job);
  if (plain) {
    (void)uselocale(before);
    freelocale(plain);
  }
  return status;
}

const rh_export rh_export_csv = {
    .row = {.name = "csv",
            .cite = "",
            .doc = "comma-separated values, one line per frame, names with units at the top"},
    .streams = true,
    .write = write_csv,
};
