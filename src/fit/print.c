// print.c: the result of a fit, for people and as JSON.
#include "fit.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 4 }; // joints in a table

static void add_number(rh_table *table, double x)
{
  rh_table_add(table, isfinite(x) ? "%.6g" : "-", x);
}

static rh_status print_values(const rh_fit_job *job, const rh_fit_answer *a)
{
  static const char *const head[] = {"value", "found", "from", "to", "start", "verdict"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x1E);
  for (int i = 0; i < a->nvalue; i++) {
    const rh_fit_result *r = &a->result[i];
    rh_table_add(table, "%s", a->value[i].name);
    add_number(table, r->x);
    add_number(table, r->low);
    add_number(table, r->high);
    add_number(table, a->value[i].start);
    if (r->verdict == RH_FIT_COMBINED) {
      rh_table_add(table, "only together with %s", r->with);
    } else if (r->with[0] != '\0') {
      rh_table_add(table, "%s, tied to %s", rh_fit_verdict_word(r->verdict), r->with);
    } else {
      rh_table_add(table, "%s", rh_fit_verdict_word(r->verdict));
    }
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  return status;
}

// Errors of a set of trials: in units of the noise, and of joints in space.
static void add_score(rh_table *table, const char *name, const rh_fit_answer *a,
                      const rh_fit_score *score)
{
  if (score->trials == 0) {
    return;
  }
  rh_table_add(table, "%s", name);
  rh_table_add(table, "%d", score->trials);
  rh_table_add(table, "%.4g", sqrt(score->excess));
  for (int i = 0; i < a->njoint && i < SHOWN; i++) {
    rh_table_add(table, "%.4g mm", 1e3 * score->place[i]);
    rh_table_add(table, "%.4g deg", score->turn[i] * 180 / 3.14159265358979323846);
  }
}

static rh_status print_scores(const rh_fit_job *job, const rh_fit_answer *a)
{
  char name[2 * SHOWN][RH_NAME_MAX + 8];
  const char *head[3 + 2 * SHOWN] = {"trials", "number", "rms over noise"};
  int columns = 3;
  for (int i = 0; i < a->njoint && i < SHOWN; i++) {
    (void)snprintf(name[2 * i], sizeof name[0], "%s place", a->joint[i].text);
    (void)snprintf(name[2 * i + 1], sizeof name[0], "%s turn", a->joint[i].text);
    head[columns++] = name[2 * i];
    head[columns++] = name[2 * i + 1];
  }
  rh_table *table = rh_table_headed(head, columns, 0xFE);
  add_score(table, "of the fit", a, &a->fit);
  add_score(table, "left out in turn", a, &a->folds);
  add_score(table, "of --test", a, &a->test);
  putchar('\n');
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  return status;
}

static rh_status print_phases(const rh_fit_job *job, const rh_fit_answer *a)
{
  static const char *const head[] = {"where", "residuals", "rms over noise"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x6);
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    if (a->fit.count[i] > 0) {
      rh_table_add(table, "%s", rh_fit_phase_name[i]);
      rh_table_add(table, "%d", a->fit.count[i]);
      rh_table_add(table, "%.4g", sqrt(a->fit.phase[i]));
    }
  }
  putchar('\n');
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  return status;
}

static void print_flights(const rh_fit_answer *a)
{
  for (int i = 0; i < a->njoint; i++) {
    const rh_fit_flights *f = &a->flights[i];
    if (f->flights == 0) {
      continue;
    }
    rh_print("\n  %s by its %d flights alone (%d rows, %d flights left out; residual %.3g mm):\n",
             a->joint[i].text, f->flights, f->rows, f->left_out, 1e3 * f->rms);
    rh_print("    centre of mass %.3f %.3f %.3f mm from the origin (95 %%: +-%.3f %.3f %.3f)\n",
             1e3 * f->com[0], 1e3 * f->com[1], 1e3 * f->com[2], 1960 * f->com_deviation[0],
             1960 * f->com_deviation[1], 1960 * f->com_deviation[2]);
    rh_print("    gravity %.4f %.4f %.4f m/s^2 (95 %%: +-%.4f %.4f %.4f)\n", f->gravity[0],
             f->gravity[1], f->gravity[2], 1.96 * f->gravity_deviation[0],
             1.96 * f->gravity_deviation[1], 1.96 * f->gravity_deviation[2]);
  }
}

static rh_status print_resampled(const rh_fit_job *job, const rh_fit_answer *a)
{
  static const char *const head[] = {"value", "from", "to"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x6);
  for (int i = 0; i < a->nvalue; i++) {
    rh_table_add(table, "%s", a->value[i].name);
    add_number(table, a->result[i].boot_low);
    add_number(table, a->result[i].boot_high);
  }
  rh_print("\n  by %d sets of trials drawn again:\n", job->bootstrap);
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  return status;
}

static void print_inertias(const rh_fit_answer *a)
{
  double inertia[RH_FIT_FACTORS];
  double off[RH_FIT_FACTORS];
  for (int i = 0; i < a->nvalue; i++) {
    if (!rh_fit_find_inertia(a, i, inertia, off)) {
      continue;
    }
    rh_print("\n  %s (xx yy zz xy xz yz), kg m^2:\n    ", a->value[i].path);
    for (int k = 0; k < RH_FIT_FACTORS; k++) {
      rh_print(k == 0 ? "[%.6g" : ", %.6g", inertia[k]);
    }
    rh_print("]\n    95 %%: +-");
    for (int k = 0; k < RH_FIT_FACTORS; k++) {
      rh_print(" %.3g", 1.96 * off[k]);
    }
    rh_print("\n");
  }
}

rh_status rh_fit_print(const rh_fit_job *job, const rh_fit_answer *a)
{
  rh_print("%s: %d value%s from %d trial%s, %d numbers measured\n", job->scene, a->nvalue,
           rh_plural(a->nvalue), a->trials, rh_plural(a->trials), a->residuals);
  if (a->nvalue > 0) {
    RH_TRY(print_values(job, a));
    print_inertias(a);
  }
  static const char *const head[] = {"channel", "residual rms", "noise"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x6);
  putchar('\n');
  for (int c = 0; c < a->nchannel; c++) {
    rh_table_add(table, "%s", a->channel[c]);
    rh_table_add(table, "%.4g", a->channel_rms[c]);
    rh_table_add(table, a->given[c] ? "%.4g" : "%.4g (from the residuals)", a->noise[c]);
  }
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(job->request, stdout));
  rh_table_destroy(table);
  RH_TRY(status);
  RH_TRY(print_scores(job, a));
  RH_TRY(print_phases(job, a));
  print_flights(a);
  RH_TRY(rh_fit_print_impacts(job, a));
  if (job->bootstrap > 0) {
    RH_TRY(print_resampled(job, a));
  }
  if (a->noise_given) {
    rh_print("\n  the residuals are %.3g times the noise (squares: %.4g, below %.4g in 95 %% of "
             "fits of a true scene): %s\n",
             sqrt(a->excess), a->excess, a->bar,
             a->excess > a->bar ? "the scene is INADEQUATE" : "the scene is adequate");
  } else {
    rh_print("\n  without --noise nothing says whether the scene is adequate\n");
  }
  if (a->nvalue > 0 && a->integrated < a->trials && !job->differences) {
    rh_print("  slopes by differences of runs in %d of %d trials: %s\n", a->trials - a->integrated,
             a->trials, a->not_integrated);
  }
  if (!a->converged) {
    rh_say(job->request, "warning: fit: the search has not converged after %d evaluations",
           a->evaluations);
  }
  if (a->refused[0] != '\0') {
    rh_say(job->request,
           "warning: fit: the scene refused values that the search tried: %s; free one parameter "
           "in the place "
           "of both, or give bounds",
           a->refused);
  }
  if (a->failed > 0) {
    rh_say(job->request, "warning: fit: %d of %d runs stopped before their end", a->failed,
           a->trials);
  }
  return RH_OK;
}

static void put_score(rh_json *json, const char *key, const rh_fit_answer *a,
                      const rh_fit_score *score)
{
  if (score->trials == 0) {
    rh_json_null(json, key);
    return;
  }
  rh_json_open_object(json, key);
  rh_json_integer(json, "trials", score->trials);
  rh_json_number(json, "excess", score->excess);
  rh_json_open_array(json, "joints");
  for (int i = 0; i < a->njoint; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", a->joint[i].text);
    rh_json_number(json, "place", score->place[i]);
    rh_json_number(json, "turn", score->turn[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_open_array(json, "phases");
  for (int i = 0; i < RH_FIT_PHASES; i++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "where", rh_fit_phase_name[i]);
    rh_json_integer(json, "residuals", score->count[i]);
    rh_json_number(json, "excess", score->phase[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_close(json);
}

static void put_flights(rh_json *json, const rh_fit_answer *a)
{
  rh_json_open_array(json, "flights");
  for (int i = 0; i < a->njoint; i++) {
    const rh_fit_flights *f = &a->flights[i];
    if (f->flights == 0) {
      continue;
    }
    rh_json_open_object(json, NULL);
    rh_json_string(json, "joint", a->joint[i].text);
    rh_json_integer(json, "flights", f->flights);
    rh_json_integer(json, "left_out", f->left_out);
    rh_json_integer(json, "rows", f->rows);
    rh_json_number(json, "residual", f->rms);
    rh_json_numbers(json, "com", f->com, 3);
    rh_json_numbers(json, "com_deviation", f->com_deviation, 3);
    rh_json_numbers(json, "gravity", f->gravity, 3);
    rh_json_numbers(json, "gravity_deviation", f->gravity_deviation, 3);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_values(rh_json *json, const rh_fit_answer *a)
{
  rh_json_open_array(json, "values");
  for (int i = 0; i < a->nvalue; i++) {
    const rh_fit_result *r = &a->result[i];
    rh_json_open_object(json, NULL);
    rh_json_string(json, "name", a->value[i].name);
    rh_json_number(json, "value", r->x);
    rh_json_number(json, "low", r->low);
    rh_json_number(json, "high", r->high);
    rh_json_bool(json, "profiled", r->profiled);
    rh_json_number(json, "start", a->value[i].start);
    rh_json_string(json, "verdict", rh_fit_verdict_word(r->verdict));
    bool drawn = r->boot_low != 0 || r->boot_high != 0;
    rh_json_number(json, "drawn_low", drawn ? r->boot_low : HUGE_VAL);
    rh_json_number(json, "drawn_high", drawn ? r->boot_high : HUGE_VAL);
    rh_json_string(json, "with", r->with[0] != '\0' ? r->with : NULL);
    rh_json_open_object(json, "profile");
    rh_json_numbers(json, "at", r->at, r->profiled ? r->points : 0);
    rh_json_numbers(json, "rise", r->rise, r->profiled ? r->points : 0);
    rh_json_close(json);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_inertias(rh_json *json, const rh_fit_answer *a)
{
  double inertia[RH_FIT_FACTORS];
  double off[RH_FIT_FACTORS];
  rh_json_open_array(json, "inertias");
  for (int i = 0; i < a->nvalue; i++) {
    if (rh_fit_find_inertia(a, i, inertia, off)) {
      rh_json_open_object(json, NULL);
      rh_json_string(json, "name", a->value[i].path);
      rh_json_numbers(json, "value", inertia, RH_FIT_FACTORS);
      rh_json_numbers(json, "deviation", off, RH_FIT_FACTORS);
      rh_json_close(json);
    }
  }
  rh_json_close(json);
}

rh_status rh_fit_json(const rh_fit_job *job, const rh_fit_answer *a, const rh_fit_suggestions *s)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_json_string(&json, "scene", job->scene);
  rh_json_integer(&json, "trials", a->trials);
  put_values(&json, a);
  put_inertias(&json, a);
  rh_json_matrix(&json, "correlation", a->correlation, a->nvalue, a->nvalue);
  rh_json_open_array(&json, "channels");
  for (int c = 0; c < a->nchannel; c++) {
    rh_json_open_object(&json, NULL);
    rh_json_string(&json, "name", a->channel[c]);
    rh_json_number(&json, "residual", a->channel_rms[c]);
    rh_json_number(&json, "noise", a->noise[c]);
    rh_json_bool(&json, "noise_given", a->given[c]);
    rh_json_close(&json);
  }
  rh_json_close(&json);
  rh_fit_put_suggestions(&json, s, a);
  put_flights(&json, a);
  rh_fit_put_impacts(&json, a);
  put_score(&json, "fit", a, &a->fit);
  put_score(&json, "folds", a, &a->folds);
  put_score(&json, "test", a, &a->test);
  rh_json_integer(&json, "residuals", a->residuals);
  rh_json_integer(&json, "freedom", a->freedom);
  rh_json_number(&json, "sum", a->sum);
  rh_json_number(&json, "excess", a->excess);
  rh_json_number(&json, "bar", a->bar);
  if (a->noise_given) {
    rh_json_bool(&json, "adequate", a->excess <= a->bar);
  } else {
    rh_json_null(&json, "adequate");
  }
  rh_json_bool(&json, "converged", a->converged);
  rh_json_integer(&json, "failed", a->failed);
  rh_json_integer(&json, "integrated", a->integrated);
  rh_json_integer(&json, "evaluations", a->evaluations);
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}
