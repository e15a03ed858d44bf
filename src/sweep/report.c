// report.c: the summary of a sweep, and one case by itself.
#include "report.h"

#include "recording/journal/journal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS (RH_AXES_MAX + RH_OUTCOMES_MAX)
#define REASONS 8 // different ones that are listed

typedef struct column_stats {
  int64_t n;
  double least, greatest, sum;
} column_stats;

typedef struct reason_count {
  char text[RH_WHY_MAX];
  char status[RH_NAME_MAX];
  int64_t n, first; // index of the first case
} reason_count;

typedef struct report {
  const rh_journal *journal;
  column_stats column[COLUMNS];
  reason_count reason[REASONS];
  int nreason;
  int64_t cases, failed;
} report;

static void count_reason(report *r, const rh_journal_row *row)
{
  for (int i = 0; i < r->nreason; i++) {
    if (strcmp(r->reason[i].text, row->reason) == 0 &&
        strcmp(r->reason[i].status, row->status) == 0) {
      r->reason[i].n++;
      return;
    }
  }
  if (r->nreason < REASONS) {
    reason_count *reason = &r->reason[r->nreason++];
    snprintf(reason->text, sizeof reason->text, "%s", row->reason);
    snprintf(reason->status, sizeof reason->status, "%s", row->status);
    reason->n = 1;
    reason->first = row->index;
  }
}

static rh_status count_row(void *user, const rh_journal_row *row)
{
  report *r = user;
  r->cases++;
  if (strcmp(row->status, rh_status_name(RH_OK)) != 0) {
    r->failed++;
    count_reason(r, row);
  }
  for (int i = 0; i < rh_journal_columns(r->journal); i++) {
    column_stats *c = &r->column[i];
    double x = row->number[i];
    if (!isnan(x)) {
      c->least = c->n == 0 ? x : fmin(c->least, x);
      c->greatest = c->n == 0 ? x : fmax(c->greatest, x);
      c->sum += x;
      c->n++;
    }
  }
  return RH_OK;
}

// ---- As text

static void print_columns(const rh_request *request, const report *r)
{
  static const char *const head[] = {"column", "known", "least", "mean", "greatest"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x1e);
  for (int i = 0; i < rh_journal_columns(r->journal); i++) {
    const column_stats *c = &r->column[i];
    rh_journal_column column = rh_journal_column_at(r->journal, i);
    char number[3][RH_NUMBER_MAX];
    const double value[3] = {c->least, c->n > 0 ? c->sum / (double)c->n : (double)NAN, c->greatest};
    for (int k = 0; k < 3; k++) {
      snprintf(number[k], sizeof number[k], "-");
      if (c->n > 0) {
        rh_format_number(value[k], number[k], sizeof number[k]);
      }
    }
    rh_table_add(table, "%s", column.name);
    rh_table_add(table, "%" PRId64, column.text ? r->cases : c->n);
    for (int k = 0; k < 3; k++) {
      rh_table_add(table, "%s", number[k]);
    }
  }
  (void)rh_table_print(table, stdout, 2, rh_color_allowed(request, stdout));
  rh_table_destroy(table);
}

static void print_report(const rh_request *request, const char *path, const rh_sweep_run *run,
                         const report *r)
{
  const char *cases = rh_journal_meta(r->journal, "cases");
  const char *sum = rh_journal_meta(r->journal, "sum");
  rh_print("%s: %" PRId64 " of %s cases", path, r->cases, cases != NULL ? cases : "?");
  if (run != NULL && run->counts.before > 0) {
    rh_print(", %" PRId64 " of them before", run->counts.before);
  }
  rh_print(r->failed > 0 ? ", %" PRId64 " failed\n" : "\n", r->failed);
  for (int i = 0; i < r->nreason; i++) {
    const reason_count *reason = &r->reason[i];
    rh_print("  %" PRId64 " %s, the first is case %" PRId64 ": %s\n", reason->n, reason->status,
             reason->first, reason->text);
  }
  print_columns(request, r);
  rh_print(sum != NULL ? "  sum %s\n" : "  not finished%s; continue it by --resume\n",
           sum != NULL ? sum : "");
}

// ---- As JSON

static void put_columns(rh_json *json, const report *r)
{
  rh_json_open_array(json, "columns");
  for (int i = 0; i < rh_journal_columns(r->journal); i++) {
    const column_stats *c = &r->column[i];
    rh_journal_column column = rh_journal_column_at(r->journal, i);
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", column.name);
    rh_json_bool(json, "text", column.text);
    rh_json_integer(json, "known", column.text ? r->cases : c->n);
    rh_json_number(json, "least", c->n > 0 ? c->least : (double)NAN);
    rh_json_number(json, "mean", c->n > 0 ? c->sum / (double)c->n : (double)NAN);
    rh_json_number(json, "greatest", c->n > 0 ? c->greatest : (double)NAN);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static rh_status print_json(const char *path, const rh_sweep_run *run, const report *r)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  const char *cases = rh_journal_meta(r->journal, "cases");
  rh_json_string(&json, "journal", path);
  rh_json_integer(&json, "cases", cases != NULL ? strtoll(cases, NULL, 10) : 0);
  rh_json_integer(&json, "done", r->cases);
  rh_json_integer(&json, "before", run != NULL ? run->counts.before : r->cases);
  rh_json_integer(&json, "failed", r->failed);
  rh_json_integer(&json, "deaths", run != NULL ? run->counts.deaths : 0);
  rh_json_string(&json, "sum", rh_journal_meta(r->journal, "sum"));
  rh_json_open_array(&json, "failures");
  for (int i = 0; i < r->nreason; i++) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "status", r->reason[i].status);
    rh_json_string(&json, "reason", r->reason[i].text);
    rh_json_integer(&json, "cases", r->reason[i].n);
    rh_json_integer(&json, "first", r->reason[i].first);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  put_columns(&json, r);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

rh_status rh_sweep_report(const rh_request *request, const char *path, const rh_sweep_run *run,
                          rh_diag *diag)
{
  rh_journal *journal = NULL;
  report *r = rh_alloc(sizeof *r);
  if (r == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status = rh_journal_open(path, false, diag, &journal);
  if (status == RH_OK && rh_journal_columns(journal) > COLUMNS) {
    status = rh_refuse(RH_INPUT_REFUSED, "sweep: %s has more columns than a sweep can have", path);
  }
  if (status == RH_OK) {
    r->journal = journal;
    status = rh_journal_read(journal, count_row, r, diag);
  }
  if (status == RH_OK && request->json) {
    status = print_json(path, run, r);
  } else if (status == RH_OK) {
    print_report(request, path, run, r);
  }
  rh_journal_close(journal);
  rh_free(r);
  return status;
}

// ---- One case

static rh_status print_case_json(const rh_plan *plan, const double *value, const rh_case *result)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  char word[RH_WHY_MAX];
  rh_json_integer(&json, "case", result->index);
  rh_json_string(&json, "status", rh_status_name(result->status));
  rh_json_string(&json, "reason", result->reason);
  rh_json_open_array(&json, "values");
  for (int i = 0; i < plan->naxis; i++) {
    rh_plan_value_text(plan, i, value[i], word, sizeof word);
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "name", plan->axis[i].path);
    rh_json_string(&json, "unit", plan->axis[i].unit);
    if (plan->axis[i].numbers) {
      rh_json_number(&json, "value", value[i]);
    } else {
      rh_json_string(&json, "value", word);
    }
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_json_open_array(&json, "outcomes");
  for (int i = 0; i < plan->out.n; i++) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "name", plan->out.outcome[i].name);
    rh_json_number(&json, "value", result->value[i]);
    rh_json_close(&json);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

rh_status rh_sweep_show_case(const rh_request *request, const rh_plan *plan, int64_t index)
{
  double value[RH_AXES_MAX];
  char word[RH_WHY_MAX];
  rh_case result;
  rh_plan_values(plan, index, value);
  rh_interrupt_catch();
  RH_TRY(rh_case_run(plan, index, &result));
  if (request->json) {
    return print_case_json(plan, value, &result);
  }
  rh_print("case %" PRId64 " of %" PRId64 ": %s%s%s\n", index, plan->cases,
           rh_status_name(result.status), result.reason[0] != '\0' ? ": " : "", result.reason);
  for (int i = 0; i < plan->naxis; i++) {
    rh_plan_value_text(plan, i, value[i], word, sizeof word);
    rh_print("  -s '%s=%s'\n", plan->axis[i].path, word);
  }
  for (int i = 0; i < plan->out.n; i++) {
    char number[RH_NUMBER_MAX];
    rh_number_write(result.value[i], number);
    rh_print("  %s = %s\n", plan->out.outcome[i].name, number);
  }
  return RH_OK;
}
