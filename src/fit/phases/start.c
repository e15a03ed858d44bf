// start.c: the phases of all bodies, before the search; where the user frees a value that they determine, the search may begin there.
#include "phases.h"

#include <math.h>
#include <string.h>

enum { PASSES = 3 };

// Centre of mass by the impacts, where they give it
static void take_centre(const rh_fit_impacts *out, rh_fit_rows *rows)
{
  int given = 0;
  for (int i = 0; i < out->nmeasure; i++) {
    given += out->measure[i].determined && strstr(out->measure[i].name, ".com[") != NULL;
  }
  if (given == 3) {
    rows->com = rh_scale(1 / rows->inertia.mass, rows->inertia.h);
  }
}

// Impacts and their momentum balance: rows in flight depend on the shapes, states of flights on the inertia, by which their spin goes
// on, and on the centre of mass; all follow from the balance, and the flights are evaluated again. `world` gets the values found.
static rh_status balance_impacts(rh_fit_work *k, rh_fit_world *world, rh_fit_rows *rows,
                                 rh_fit_knocks *knocks, rh_fit_found_body *found)
{
  rh_fit_impacts *out = &k->answer->impacts[rows->turn];
  rh_status status = RH_OK;
  for (int pass = 0; pass < (knocks->by_rows ? 1 : PASSES) && status == RH_OK; pass++) {
    rh_fit_world best = {0};
    rh_free(knocks->at);
    *knocks = (rh_fit_knocks){0};
    *out = (rh_fit_impacts){0};
    status = rh_fit_rows_read(k, world, rows);
    status = status == RH_OK ? rh_fit_find_knocks(k, world, rows, knocks) : status;
    if (status != RH_OK || knocks->n == 0) {
      break;
    }
    status = rh_fit_balance(k, rows, knocks, out, found);
    status = status == RH_OK ? rh_fit_body_world(k, found, RH_NONE, &best) : status;
    if (status == RH_OK) {
      rows->inertia = best.model->body[rows->body].inertia;
      take_centre(out, rows);
      rh_fit_world_free(world);
      *world = best;
    }
  }
  return status;
}

// A value found from jumps with values of the body that are off by a deviation: its interval is wider by how far it moves.
static void widen(rh_fit_measure *measure, const rh_fit_measure *moved, bool logarithm)
{
  if (!measure->determined || !moved->determined || !(fabs(measure->x) < HUGE_VAL)) {
    return;
  }
  double x = logarithm ? rh_log(measure->x) : measure->x;
  double off = 1.96 * ((logarithm ? rh_log(moved->x) : moved->x) - x);
  double half[2] = {x - (logarithm ? rh_log(measure->low) : measure->low),
                    (logarithm ? rh_log(measure->high) : measure->high) - x};
  for (int i = 0; i < 2; i++) {
    half[i] = rh_hypot(half[i], off);
  }
  measure->low = logarithm ? rh_exp(x - half[0]) : x - half[0];
  measure->high = logarithm ? rh_exp(x + half[1]) : x + half[1];
}

static void widen_all(rh_fit_impacts *out, const rh_fit_impacts *moved)
{
  for (int i = 0; i < out->njumps && i < moved->njumps; i++) {
    rh_fit_jumps *a = &out->jumps[i];
    const rh_fit_jumps *b = &moved->jumps[i];
    for (int s = 0; s < a->nvalue && s < b->nvalue && a->rule == b->rule; s++) {
      widen(&a->value[s], &b->value[s], strstr(a->value[s].name, "power") == NULL);
    }
    if (a->rule == b->rule) {
      widen(&a->bounce, &b->bounce, false);
      widen(&a->ratio, &b->ratio, false);
      widen(&a->back, &b->back, false);
    }
  }
}

// Jumps in the world of the values found, and how far their values move with the errors of those
static rh_status judge_jumps(rh_fit_work *k, const rh_fit_world *world, const rh_fit_rows *rows,
                             const rh_fit_knocks *knocks, const rh_fit_found_body *found)
{
  rh_fit_impacts *out = &k->answer->impacts[rows->turn];
  rh_fit_impacts *moved = rh_alloc(sizeof *moved);
  rh_status status = moved != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_fit_find_jumps(world, rows, knocks, out);
  }
  for (int axis = 0; axis < found->n && status == RH_OK; axis++) {
    rh_fit_world other = {0};
    *moved = (rh_fit_impacts){.by_rows = out->by_rows};
    status = rh_fit_body_world(k, found, axis, &other);
    status = status == RH_OK ? rh_fit_find_jumps(&other, rows, knocks, moved) : status;
    rh_fit_world_free(&other);
    if (status == RH_OK) {
      widen_all(out, moved);
    }
  }
  rh_free(moved);
  return status;
}

static rh_status judge_body(rh_fit_work *k, int turn)
{
  rh_fit_answer *a = k->answer;
  rh_fit_rows rows = {.body = RH_NONE};
  rh_fit_knocks knocks = {0};
  rh_fit_world world = {0};
  rh_fit_found_body *found = rh_alloc(sizeof *found);
  rh_status status = found != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status = rh_fit_world_with(k->problem, k->w, NULL, NULL, 0, &world);
  }
  if (status == RH_OK) {
    status = rh_fit_rows_open(k, &world, turn, &rows);
  }
  if (status == RH_OK && rows.body != RH_NONE) {
    status = balance_impacts(k, &world, &rows, &knocks, found);
  }
  if (status == RH_OK && knocks.n > 0) {
    status = judge_jumps(k, &world, &rows, &knocks, found);
  }
  if (status == RH_OK && rows.body != RH_NONE) {
    status = rh_fit_find_slides(&world, &rows, &a->slides[turn]);
  }
  rh_fit_world_free(&world);
  rh_free(found);
  rh_free(knocks.at);
  rh_fit_rows_close(&rows);
  if (rh_memory_failed()) {
    return RH_OUT_OF_MEMORY;
  }
  return status == RH_NOT_FINITE ? RH_OK : status;
}

// ---- Starts

// Is a path of the user the field of an object, "NAME.field" or "section.NAME.field", also by its number?
static bool is_field(const rh_fit_value *v, const char *section, const char *name, int number,
                     const char *field)
{
  char path[3][RH_FIT_PATH];
  (void)snprintf(path[0], sizeof path[0], "%s.%s", name, field);
  (void)snprintf(path[1], sizeof path[1], "%s.%s.%s", section, name, field);
  (void)snprintf(path[2], sizeof path[2], "%s.%d.%s", section, number, field);
  for (int i = 0; i < 3; i++) {
    if (strcmp(path[i], v->path) == 0) {
      return true;
    }
  }
  return false;
}

// The value of a body or shape by its path, as balance.c names it
static bool is_measured(const rh_fit_value *v, const rh_fit_measure *measure)
{
  char text[RH_FIT_PATH + 8];
  (void)snprintf(text, sizeof text, "%s", measure->name);
  char *bracket = strchr(text, '[');
  int index = bracket != NULL ? (int)(bracket[1] - '0') : RH_NONE;
  if (bracket != NULL) {
    *bracket = '\0';
  }
  const char *rest = strchr(text, '.');
  bool same = strcmp(text, v->path) == 0 || (rest != NULL && strcmp(rest + 1, v->path) == 0);
  return same && index == v->index && v->factor == 0;
}

static bool take_start(const rh_fit_value *v, rh_fit_measure *measure, double *w)
{
  if (!measure->determined || !(measure->x > -HUGE_VAL && measure->x < HUGE_VAL)) {
    return false;
  }
  double x = v->bounded ? fmin(fmax(measure->x, v->lo), v->hi) : measure->x;
  if (v->scale == RH_FIT_LOG && !(x > 0)) {
    return false;
  }
  *w = rh_fit_to_search(v, x);
  measure->starts = true;
  return true;
}

static rh_fit_measure *find_law_value(rh_fit_jumps *jumps, const char *name)
{
  for (int i = 0; i < jumps->nvalue; i++) {
    if (strcmp(jumps->value[i].name, name) == 0) {
      return &jumps->value[i];
    }
  }
  return NULL;
}

static bool start_of_contact(const rh_fit_value *v, const rh_model *m, rh_fit_impacts *impacts,
                             rh_fit_slides *slides, double *w)
{
  static const char *const field[][2] = {{"e", "e"}, {"eta2", "eta2"}, {"mu_impact", "mu"}};
  for (int i = 0; i < impacts->njumps; i++) {
    int rule = impacts->jumps[i].rule;
    const char *name = rh_model_name(m, RH_OBJECT_CONTACT, rule);
    for (int k = 0; k < RH_COUNT(field); k++) {
      rh_fit_measure *measure = find_law_value(&impacts->jumps[i], field[k][1]);
      if (measure != NULL && is_field(v, "contacts", name, rule, field[k][0])) {
        return take_start(v, measure, w);
      }
    }
  }
  return slides->windows > 0 &&
         is_field(v, "contacts", rh_model_name(m, RH_OBJECT_CONTACT, slides->rule), slides->rule,
                  "mu_k") &&
         take_start(v, &slides->level, w);
}

static bool find_start(rh_fit_work *k, const rh_model *m, int i, double *w)
{
  rh_fit_answer *a = k->answer;
  for (int turn = 0; turn < RH_FIT_JOINTS; turn++) {
    for (int s = 0; s < a->impacts[turn].nmeasure; s++) {
      if (is_measured(&a->value[i], &a->impacts[turn].measure[s]) &&
          take_start(&a->value[i], &a->impacts[turn].measure[s], w)) {
        return true;
      }
    }
    if (start_of_contact(&a->value[i], m, &a->impacts[turn], &a->slides[turn], w)) {
      return true;
    }
  }
  return false;
}

// The better one of both starts is taken.
static rh_status choose_start(rh_fit_work *k, const double *w)
{
  double sum[2] = {0, 0};
  const double *at[2] = {k->w, w};
  for (int side = 0; side < 2; side++) {
    if (!rh_fit_evaluate(k->problem, at[side], k->r)) {
      sum[side] = HUGE_VAL;
      continue;
    }
    for (int i = 0; i < k->m; i++) {
      sum[side] += k->r[i] * k->r[i];
    }
  }
  k->answer->evaluations += 2;
  if (sum[1] < sum[0]) {
    memcpy(k->w, w, (size_t)k->n * sizeof *w);
    k->answer->phases_start = true;
  }
  return rh_memory_failed() ? RH_OUT_OF_MEMORY : RH_OK;
}

static rh_status find_phases(rh_fit_work *k, rh_fit_world *world)
{
  const rh_fit_map *map = rh_fit_map_of(k->problem);
  rh_status status = rh_fit_world_with(k->problem, k->w, NULL, NULL, 0, world);
  if (status == RH_OK) {
    status = rh_fit_find_flights(k, world);
  }
  for (int i = 0; i < map->nturn && i < RH_FIT_JOINTS && status == RH_OK; i++) {
    status = judge_body(k, i);
  }
  return status;
}

rh_status rh_fit_of_phases(rh_fit_work *k)
{
  rh_fit_world world = {0};
  rh_status status = find_phases(k, &world);
  rh_fit_world_free(&world);
  return status;
}

rh_status rh_fit_begin_by_phases(rh_fit_work *k)
{
  rh_fit_world world = {0};
  double w[RH_FIT_VALUES];
  bool any = false;
  if (rh_fit_map_of(k->problem)->nturn == 0) {
    return RH_OK;
  }
  rh_status status = find_phases(k, &world);
  memcpy(w, k->w, sizeof w);
  for (int i = 0; i < k->n && status == RH_OK; i++) {
    any = find_start(k, world.model, i, &w[i]) || any;
  }
  if (any && status == RH_OK) {
    status = choose_start(k, w);
  }
  rh_fit_world_free(&world);
  return status;
}
