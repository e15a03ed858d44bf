// rank_print.c: laws ranked on measured series: a table, and the same as JSON.
#include "compare.h"

#include <math.h>
#include <string.h>

static const rh_ranked *ranked_at(const rh_ranking *ranking, int rank)
{
  for (int i = 0; i < ranking->n; i++) {
    if (!ranking->one[i].failed && ranking->one[i].rank == rank) {
      return &ranking->one[i];
    }
  }
  return NULL;
}

static void add_interval(rh_table *table, double middle, double half)
{
  if (isfinite(half)) {
    rh_table_add(table, "%.4g to %.4g", middle - half, middle + half);
  } else {
    rh_table_add(table, "-");
  }
}

static void add_row(rh_table *table, const rh_compare_job *job, const rh_ranking *ranking,
                    const rh_ranked *one)
{
  rh_table_add(table, "%d", one->rank);
  rh_table_add(table, "%s", job->variant[one - ranking->one].label);
  rh_table_add(table, "%d", one->nvalue);
  rh_table_add(table, "%.4g", one->mean);
  add_interval(table, one->mean, one->half);
  if (one->rank == 1) {
    rh_table_add(table, "%s", "");
    rh_table_add(table, "the best");
  } else {
    add_interval(table, one->worse, one->worse_half);
    rh_table_add(table, one->same ? "not told apart from the best" : "worse");
  }
  if (ranking->joint) {
    rh_table_add(table, "%.4g mm", 1e3 * one->place);
    rh_table_add(table, "%.4g deg", one->turn * 180 / 3.14159265358979323846);
  }
}

rh_status rh_ranking_print(const rh_compare_job *job, const rh_ranking *ranking)
{
  static const char *const head[] = {"rank",           "laws", "values", "error", "95 %",
                                     "more than best", "",     "place",  "turn"};
  rh_table *table = rh_table_headed(head, ranking->joint ? 9 : 7, 0x1BD);
  const rh_ranked *one;
  for (int rank = 1; (one = ranked_at(ranking, rank)) != NULL; rank++) {
    add_row(table, job, ranking, one);
  }
  rh_print("%s: laws on %d trial%s, each left out of the fit in turn (%d parts)\n",
           rh_file_label(job->request->file[0]), ranking->trials, rh_plural(ranking->trials),
           ranking->folds);
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  for (int i = 0; i < ranking->n; i++) {
    if (ranking->one[i].failed) {
      rh_print("  %s: no finite run at the values it begins with\n", job->variant[i].label);
    }
  }
  for (int rank = 1; (one = ranked_at(ranking, rank)) != NULL && !job->request->quiet; rank++) {
    for (int k = 0; k < one->nvalue; k++) {
      rh_print("%s%s = %.6g", k == 0 ? "  " : ", ", one->name[k], one->value[k]);
    }
    rh_print("%s", one->nvalue > 0 ? "" : "  no free values");
    rh_print(" under %s, on all trials\n", job->variant[one - ranking->one].label);
  }
  if (!job->request->quiet) {
    puts("error: root mean square of the residuals of a trial over their noise, mean over the "
         "trials; more than best: trial by trial");
  }
  return status;
}

static void put_interval(rh_json *json, const char *name, double middle, double half)
{
  const double ends[2] = {middle - half, middle + half};
  if (isfinite(half)) {
    rh_json_numbers(json, name, ends, 2);
  } else {
    rh_json_null(json, name);
  }
}

static void put_ranked(rh_json *json, const rh_variant *v, const rh_ranked *one, bool joint)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "law", v->law);
  rh_json_string(json, "friction", v->friction);
  rh_json_string(json, "impacts", v->impacts);
  rh_json_bool(json, "fitted", !one->failed);
  rh_json_integer(json, "rank", one->rank);
  rh_json_bool(json, "best_too", one->same);
  rh_json_number(json, "error", one->failed ? HUGE_VAL : one->mean);
  put_interval(json, "interval", one->mean, one->failed ? HUGE_VAL : one->half);
  rh_json_number(json, "more", one->failed ? HUGE_VAL : one->worse);
  put_interval(json, "more_interval", one->worse, one->failed ? HUGE_VAL : one->worse_half);
  rh_json_number(json, "excess", one->failed ? HUGE_VAL : one->excess);
  rh_json_number(json, "place", joint && !one->failed ? one->place : HUGE_VAL);
  rh_json_number(json, "turn", joint && !one->failed ? one->turn : HUGE_VAL);
  rh_json_open_array(json, "values");
  for (int k = 0; k < one->nvalue; k++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", one->name[k]);
    rh_json_number(json, "value", one->value[k]);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_close(json);
}

rh_status rh_ranking_json(const rh_compare_job *job, const rh_ranking *ranking)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", rh_file_label(job->request->file[0]));
  rh_json_integer(&json, "trials", ranking->trials);
  rh_json_integer(&json, "folds", ranking->folds);
  rh_json_open_array(&json, "ranking");
  for (int i = 0; i < ranking->n; i++) {
    put_ranked(&json, &job->variant[i], &ranking->one[i], ranking->joint);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
