// export.c: the cases of a journal as CSV and HDF5, in their order.
#include "report.h"

#include "hdf5/journal_hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct csv {
  const rh_journal *journal;
  FILE *file;
} csv;

// RFC 4180: quotation marks around a text with commas, marks or line ends.
static void put_field(FILE *file, const char *text)
{
  if (strpbrk(text, ",\"\r\n") == NULL) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') {
      fputc('"', file);
    }
    fputc(*c, file);
  }
  fputc('"', file);
}

static rh_status put_row(void *user, const rh_journal_row *row)
{
  csv *c = user;
  fprintf(c->file, "%" PRId64 ",", row->index);
  put_field(c->file, row->status);
  fputc(',', c->file);
  put_field(c->file, row->reason);
  for (int i = 0; i < rh_journal_columns(c->journal); i++) {
    char number[RH_NUMBER_MAX];
    fputc(',', c->file);
    if (rh_journal_column_at(c->journal, i).text) {
      put_field(c->file, row->text[i]);
    } else if (!isnan(row->number[i])) {
      rh_number_write(row->number[i], number);
      fputs(number, c->file);
    }
  }
  fputc('\n', c->file);
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

static rh_status write_csv(rh_journal *journal, const char *output, rh_diag *diag)
{
  rh_outfile file;
  if (!rh_outfile_open(&file, output)) {
    return rh_file_refuse(output, file.error);
  }
  csv c = {journal, file.file};
  fputs("case,status,reason", c.file);
  for (int i = 0; i < rh_journal_columns(journal); i++) {
    fputc(',', c.file);
    put_field(c.file, rh_journal_column_at(journal, i).name);
  }
  fputc('\n', c.file);
  rh_status status = rh_journal_read(journal, put_row, &c, diag);
  if (!rh_outfile_close(&file, status == RH_OK) && status == RH_OK) {
    status = rh_file_refuse(output, file.error);
  }
  return status;
}

static rh_status write_hdf5(rh_journal *journal, const char *output, rh_diag *diag)
{
  rh_outfile file;
  if (!rh_outfile_open(&file, output)) {
    return rh_file_refuse(output, file.error);
  }
  rh_status status = rh_journal_write_hdf5(journal, file.file, output, diag);
  if (!rh_outfile_close(&file, status == RH_OK) && status == RH_OK) {
    status = rh_file_refuse(output, file.error);
  }
  return status;
}

static bool is_hdf5(const char *output)
{
  return rh_file_has_ending(output, ".h5") || rh_file_has_ending(output, ".hdf5");
}

rh_status rh_sweep_export_check(const char *output)
{
  return is_hdf5(output) || rh_file_has_ending(output, ".csv")
             ? RH_OK
             : rh_refuse(RH_WRONG_USAGE, "sweep: --export needs FILE.csv or FILE.h5, got '%s'",
                         output);
}

rh_status rh_sweep_export(const char *path, const char *output, rh_diag *diag)
{
  rh_journal *journal = NULL;
  RH_TRY(rh_sweep_export_check(output));
  RH_TRY(rh_journal_open(path, false, diag, &journal));
  rh_status status =
      is_hdf5(output) ? write_hdf5(journal, output, diag) : write_csv(journal, output, diag);
  rh_journal_close(journal);
  return status;
}
