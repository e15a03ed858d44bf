// redo.c: runs the scene of a figure, once per curve or once per point of a swept curve, and
// measures.
#include "figure.h"

#include <string.h>

// ---- Series that the trials store

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
  for (int i = 0; i < figure->nseries; i++) {
    n = add_series(list, n, figure->series[i]);
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
static rh_status run_once(const rh_request *request, const rh_redone *redone, int run,
                          const char *swept, rh_trial *trial)
{
  const rh_figure *figure = redone->figure;
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  const char **set = rh_alloc((RH_FIGURE_SETS + 1 + (size_t)request->nset) * sizeof *set);
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
  for (int i = 0; i < request->nset; i++) { // the user's come last, and take precedence
    set[n++] = request->set[i];
  }
  const rh_scene_text *from =
      figure->run[run].scene.path != NULL ? &figure->run[run].scene : &figure->scene;
  rh_status status = rh_scene_parse(from->text, *from->bytes, from->path, set, n, diag, &scene);
  if (status == RH_OK) {
    status = rh_trial_run(scene, redone->series, redone->nseries, diag, trial);
  }
  rh_diag_print(request, diag, "nothing was run");
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  rh_free(set);
  if (status == RH_OK && trial->ended != RH_OK) {
    return rh_refuse(trial->ended, "%s: stopped %s", from->path, trial->reason);
  }
  return status;
}

// A trial at one swept value, and one number of it.
static rh_status sweep_once(const rh_request *request, const rh_redone *redone, int run, double x,
                            const rh_number *number, double *y)
{
  const rh_figure_sweep *sweep = &redone->figure->sweep;
  char swept[2 * RH_NAME_MAX];
  rh_trial trial = {0};
  snprintf(swept, sizeof swept, "%s=%.17g", sweep->set, x);
  rh_status status = run_once(request, redone, run, swept, &trial);
  if (status == RH_OK) {
    *y = sweep->value(&trial, redone->figure, number);
  }
  rh_trial_free(&trial);
  return status;
}

static rh_status run_sweep(const rh_request *request, rh_redone *redone, int run)
{
  const rh_figure_sweep *sweep = &redone->figure->sweep;
  rh_sweep *curve = &redone->sweep[run];
  const rh_number first = {.which = 1};
  for (int i = 0; i < sweep->n; i++) {
    double part = (double)i / (sweep->n - 1);
    curve->x[i] = sweep->log ? sweep->from * pow(sweep->to / sweep->from, part)
                             : sweep->from + (sweep->to - sweep->from) * part;
    RH_TRY(sweep_once(request, redone, run, curve->x[i], &first, &curve->y[i]));
    curve->n = i + 1;
  }
  return RH_OK;
}

static rh_status run_all(const rh_request *request, rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  rh_status status = RH_OK;
  for (int i = 0; status == RH_OK && i < RH_FIGURE_RUNS && figure->run[i].label != NULL; i++) {
    redone->nrun = i + 1;
    status = figure->sweep.set != NULL ? run_sweep(request, redone, i)
                                       : run_once(request, redone, i, NULL, &redone->trial[i]);
  }
  return status;
}

// ---- Measuring

static double allowed_of(const rh_number *number)
{
  return number->absolute + number->relative * fabs(number->want);
}

rh_status rh_redone_add(rh_redone *redone, const rh_found *found)
{
  if (redone->nfound == redone->found_room) {
    int room = redone->found_room == 0 ? 64 : 2 * redone->found_room;
    rh_found *larger = rh_realloc(redone->found, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
    redone->found = larger;
    redone->found_room = room;
  }
  rh_found *f = &redone->found[redone->nfound++];
  *f = *found;
  double far = fabs(f->got - f->want);
  bool word = f->want_word[0] != '\0';
  f->within = word ? strcmp(f->got_word, f->want_word) == 0 : far <= f->allowed;
  f->off = word || f->allowed == 0 ? 0 : far / f->allowed;
  f->off = f->within ? f->off : isnan(f->off) || f->off <= 1 ? HUGE_VAL : f->off;
  redone->within = redone->within && f->within;
  if (f->off > redone->worst || redone->nfound == 1) {
    redone->worst = f->off;
    redone->worst_at = redone->nfound - 1;
  }
  return RH_OK;
}

rh_status rh_redone_number(rh_redone *redone, const char *curve, const char *name, double got,
                           double want, double allowed)
{
  rh_found found = {.unit = "", .got = got, .want = want, .allowed = allowed};
  snprintf(found.curve, sizeof found.curve, "%s", curve);
  snprintf(found.name, sizeof found.name, "%s", name);
  return rh_redone_add(redone, &found);
}

static rh_status measure_number(const rh_request *request, rh_redone *redone,
                                const rh_number *number)
{
  const rh_figure *figure = redone->figure;
  rh_found found = {.unit = number->unit, .want = number->want, .allowed = allowed_of(number)};
  snprintf(found.curve, sizeof found.curve, "%s", figure->run[number->run].label);
  snprintf(found.name, sizeof found.name, "%s", number->name);
  if (number->of_sweep != NULL) {
    found.got = number->of_sweep(&redone->sweep[number->run]);
  } else if (figure->sweep.set != NULL) {
    snprintf(found.name, sizeof found.name, "%s at %.6g", number->name, number->at);
    RH_TRY(sweep_once(request, redone, number->run, number->at, number, &found.got));
  } else {
    found.got = number->measure(&redone->trial[number->run], figure, number);
  }
  return rh_redone_add(redone, &found);
}

rh_status rh_figure_redo(const rh_request *request, const rh_figure *figure, rh_redone *redone)
{
  *redone = (rh_redone){.figure = figure, .within = true, .request = request};
  redone->nseries = list_series(figure, redone->series);
  if (figure->fixed && request->nset > 0) {
    return rh_refuse(RH_WRONG_USAGE, "paper: %s %s takes no -s: its numbers are those of its scene",
                     figure->paper, figure->label);
  }
  if (figure->problems) {
    RH_TRY(rh_figure_solve(request, redone));
  }
  RH_TRY(run_all(request, redone));
  for (int i = 0; i < figure->nexpect; i++) {
    RH_TRY(measure_number(request, redone, &figure->expect[i]));
  }
  return figure->more != NULL ? figure->more(redone) : RH_OK;
}

void rh_figure_place(const rh_figure *figure, char *buffer, size_t size)
{
  const char *label = figure->label;
  snprintf(buffer, size, "%s %s",
           label[0] == 't'   ? "Table"
           : label[0] == 's' ? "sec."
                             : "Fig.",
           label + (label[0] == 't' || label[0] == 's'));
}

void rh_redone_free(rh_redone *redone)
{
  for (int i = 0; i < redone->nrun; i++) {
    rh_trial_free(&redone->trial[i]);
  }
  rh_yaml_free(&redone->posed);
  rh_yaml_free(&redone->answer);
  rh_free(redone->found);
  rh_free(redone->picture);
  if (redone->kept != NULL) {
    redone->drop(redone->kept);
  }
  *redone = (rh_redone){0};
}
