// result.c: a figure while it is redone: its series, its results.
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

int rh_figure_series(const rh_figure *figure, const char *list[RH_SERIES_MAX])
{
  int n = 0;
  for (int i = 0; i < figure->ntrace; i++) {
    n = add_series(list, n, figure->trace[i].x);
    n = add_series(list, n, figure->trace[i].y);
  }
  for (int i = 0; i < figure->nseries; i++) {
    n = add_series(list, n, figure->series[i]);
  }
  for (int i = 0; i < figure->nnumber; i++) {
    n = add_series(list, n, figure->number[i].what);
    n = add_series(list, n, figure->number[i].by);
  }
  return n;
}

int rh_figure_column(const rh_figure *figure, const char *series)
{
  const char *list[RH_SERIES_MAX];
  int n = rh_figure_series(figure, list);
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

// ---- Results

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

rh_status rh_redone_against(rh_redone *redone, const char *curve, const char *name, double got,
                            double want, double allowed)
{
  rh_found found = {.unit = "", .got = got, .want = want, .allowed = allowed};
  snprintf(found.curve, sizeof found.curve, "%s", curve);
  snprintf(found.name, sizeof found.name, "%s", name);
  return rh_redone_add(redone, &found);
}

const rh_expected *rh_expected_find(const rh_figure *figure, const char *curve, const char *name)
{
  for (int i = 0; i < figure->nexpected; i++) {
    const rh_expected *row = &figure->expected[i];
    if (strcmp(row->curve, curve) == 0 && strcmp(row->name, name) == 0) {
      return row;
    }
  }
  return NULL;
}

// The same, of a number or of a claim; none is reported.
static const rh_expected *require_expected(const rh_figure *figure, const char *curve,
                                           const char *name, bool claim)
{
  const rh_expected *row = rh_expected_find(figure, curve, name);
  if (row == NULL || isnan(row->want) != claim) {
    (void)rh_refuse(RH_STOPPED, "paper: %s %s: nothing is expected of '%s', '%s'", figure->paper,
                    figure->label, curve, name);
    return NULL;
  }
  return row;
}

rh_status rh_redone_number(rh_redone *redone, const char *curve, const char *name, double got)
{
  const rh_expected *row = require_expected(redone->figure, curve, name, false);
  return row == NULL ? RH_STOPPED
                     : rh_redone_against(redone, curve, name, got, row->want,
                                         row->absolute + row->relative * fabs(row->want));
}

rh_status rh_redone_claim(rh_redone *redone, const char *curve, const char *name, bool got)
{
  static const char *const word[] = {"does not", "holds"};
  const rh_expected *row = require_expected(redone->figure, curve, name, true);
  rh_found found = {.unit = ""};
  if (row == NULL) {
    return RH_STOPPED;
  }
  snprintf(found.curve, sizeof found.curve, "%s", curve);
  snprintf(found.name, sizeof found.name, "%s", name);
  snprintf(found.got_word, sizeof found.got_word, "%s", word[got]);
  snprintf(found.want_word, sizeof found.want_word, "%s", word[row->holds]);
  return rh_redone_add(redone, &found);
}

rh_status rh_redone_complete(const rh_redone *redone)
{
  const rh_figure *figure = redone->figure;
  for (int i = 0; i < figure->nexpected; i++) {
    const rh_expected *row = &figure->expected[i];
    bool found = false;
    for (int k = 0; k < redone->nfound && !found; k++) {
      found = strcmp(redone->found[k].curve, row->curve) == 0 &&
              strcmp(redone->found[k].name, row->name) == 0;
    }
    if (!found) {
      return rh_refuse(RH_STOPPED, "paper: %s %s: '%s', '%s' is expected and was not found",
                       figure->paper, figure->label, row->curve, row->name);
    }
  }
  return RH_OK;
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
