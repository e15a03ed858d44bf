// redo.c: runs the scene of a figure, once per curve or once per point of a swept curve, and
// measures.
#include "figure.h"

#include <string.h>

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
    curve->x[i] = sweep->log ? sweep->from * rh_pow(sweep->to / sweep->from, part)
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
  redone->nseries = rh_figure_series(figure, redone->series);
  if (figure->fixed && request->nset > 0) {
    return rh_refuse(RH_WRONG_USAGE, "paper: %s %s takes no -s: its numbers are those of its scene",
                     figure->paper, figure->label);
  }
  if (figure->problems) {
    RH_TRY(rh_figure_solve(request, redone));
  }
  RH_TRY(run_all(request, redone));
  for (int i = 0; i < figure->nnumber; i++) {
    RH_TRY(measure_number(request, redone, &figure->number[i]));
  }
  if (figure->more != NULL) {
    RH_TRY(figure->more(redone));
  }
  return rh_redone_complete(redone);
}
