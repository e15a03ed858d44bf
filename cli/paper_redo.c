// paper_redo.c: runs the scene of a figure, once a curve or once a point of a swept curve, and measures.
#include "figure.h"

#include <string.h>

// ---- Which series the trials have to keep

static int add_series(const char *list[RH_SERIES_MAX], int n, const char *series)
{
  if (series == NULL || strcmp(series, "t") == 0) {
    return n;
  }
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i], series) == 0) {
      return n;
    }
  }
  RH_ASSERT(n < RH_SERIES_MAX);
  list[n] = series;
  return n + 1;
}

static int list_series(const rh_figure *figure, const char *list[RH_SERIES_MAX])
{
  int n = 0;
  for (int i = 0; i < figure->ntrace; i++) {
    n = add_series(list, n, figure->trace[i].x);
    n = add_series(list, n, figure->trace[i].y);
  }
  for (int i = 0; i < figure->nexpect; i++) {
    n = add_series(list, n, figure->expect[i].what);
    n = add_series(list, n, figure->expect[i].by);
  }
  return n;
}

int rh_figure_column(const rh_figure *figure, const char *series)
{
  const char *list[RH_SERIES_MAX];
  int n = list_series(figure, list);
  if (strcmp(series, "t") == 0) {
    return 0;
  }
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i], series) == 0) {
      return i + 1;
    }
  }
  return RH_NONE;
}

// ---- Running

// One run of the figure's scene; `swept`: the override of a sweep, or NULL.
static rh_status run_once(const rh_args *args, const rh_redone *redone, int run, const char *swept,
                          rh_trial *trial)
{
  const rh_figure *figure = redone->figure;
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  const char **set = rh_alloc((RH_FIGURE_SETS + 1 + (size_t)args->nset) * sizeof *set);
  int n = 0;
  if (diag == NULL || set == NULL) {
    rh_diag_destroy(diag);
    rh_free(set);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  for (; n < RH_FIGURE_SETS && figure->run[run].set[n] != NULL; n++) {
    set[n] = figure->run[run].set[n];
  }
  if (swept != NULL) {
    set[n++] = swept;
  }
  for (int i = 0; i < args->nset; i++) { // the user's come last, and win
    set[n++] = args->set[i];
  }
  const rh_scene_text *from =
      figure->run[run].scene.path != NULL ? &figure->run[run].scene : &figure->scene;
  rh_status status = rh_scene_parse(from->text, *from->bytes, from->path, set, n, diag, &scene);
  if (status == RH_OK) {
    status = rh_trial_run(scene, redone->series, redone->nseries, diag, trial);
  }
  rh_diag_print(args, diag, "nothing was run");
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  rh_free(set);
  if (status == RH_OK && trial->ended != RH_OK) {
    return rh_refuse(trial->ended, "%s: stopped %s", from->path, trial->reason);
  }
  return status;
}

// A trial at one swept value, and one number of it.
static rh_status sweep_once(const rh_args *args, const rh_redone *redone, int run, double x,
                            const rh_number *number, double *y)
{
  const rh_figure_sweep *sweep = redone->figure->sweep;
  char swept[2 * RH_NAME_MAX];
  rh_trial trial = {0};
  snprintf(swept, sizeof swept, "%s=%.17g", sweep->set, x);
  rh_status status = run_once(args, redone, run, swept, &trial);
  if (status == RH_OK) {
    *y = sweep->value(&trial, redone->figure, number);
  }
  rh_trial_free(&trial);
  return status;
}

static rh_status run_sweep(const rh_args *args, rh_redone *redone, int run)
{
  const rh_figure_sweep *sweep = redone->figure->sweep;
  rh_sweep *curve = &redone->sweep[run];
  const rh_number first = {.which = 1};
  for (int i = 0; i < sweep->n; i++) {
    double part = (double)i / (sweep->n - 1);
    curve->x[i] = sweep->log ? sweep->from * pow(sweep->to / sweep->from, part)
                             : sweep->from + (sweep->to - sweep->from) * part;
    RH_TRY(sweep_once(args, redone, run, curve->x[i], &first, &curve->y[i]));
    curve->n = i + 1;
  }
  return RH_OK;
}

static rh_status run_all(const rh_args *args, rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  rh_status status = RH_OK;
  for (int i = 0; status == RH_OK && i < RH_FIGURE_RUNS && figure->run[i].label != NULL; i++) {
    redone->nrun = i + 1;
    status = figure->sweep != NULL ? run_sweep(args, redone, i)
                                   : run_once(args, redone, i, NULL, &redone->trial[i]);
  }
  return status;
}

// ---- Measuring

double rh_number_allowed(const rh_number *number)
{
  return number->absolute + number->relative * fabs(number->want);
}

bool rh_number_within(const rh_number *number, double got)
{
  return fabs(got - number->want) <= rh_number_allowed(number);
}

static rh_status measure(const rh_args *args, rh_redone *redone, int i)
{
  const rh_figure *figure = redone->figure;
  const rh_number *number = &figure->expect[i];
  if (number->of_sweep != NULL) {
    redone->got[i] = number->of_sweep(&redone->sweep[number->run]);
  } else if (figure->sweep != NULL) {
    RH_TRY(sweep_once(args, redone, number->run, number->at, number, &redone->got[i]));
  } else {
    redone->got[i] = number->measure(&redone->trial[number->run], figure, number);
  }
  bool within = rh_number_within(number, redone->got[i]);
  double off = fabs(redone->got[i] - number->want) / rh_number_allowed(number);
  off = !isnan(off) ? off : within ? 0 : HUGE_VAL; // nothing is allowed, or nothing was measured
  redone->within = redone->within && within;
  if (off > redone->worst || i == 0) {
    redone->worst = off;
    redone->worst_at = i;
  }
  return RH_OK;
}

rh_status rh_figure_redo(const rh_args *args, const rh_figure *figure, rh_redone *redone)
{
  *redone = (rh_redone){.figure = figure, .within = true};
  redone->nseries = list_series(figure, redone->series);
  redone->got = rh_alloc(((size_t)figure->nexpect + 1) * sizeof *redone->got);
  if (redone->got == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  RH_TRY(run_all(args, redone));
  for (int i = 0; i < figure->nexpect; i++) {
    RH_TRY(measure(args, redone, i));
  }
  return RH_OK;
}

void rh_redone_free(rh_redone *redone)
{
  for (int i = 0; i < redone->nrun; i++) {
    rh_trial_free(&redone->trial[i]);
  }
  rh_free(redone->got);
  rh_free(redone->picture);
  *redone = (rh_redone){0};
}
