// worlds.c: the worlds beside the run, and the slopes as the differences of their states.
#include "slopes_private.h"

#include <math.h>
#include <string.h>

bool rh_slopes_fail(rh_slopes *s, rh_slopes_why why)
{
  s->why = s->why == RH_SLOPES_EXIST ? why : s->why;
  return false;
}

static bool same_numbers(const double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

static bool same_slot(const rh_slot *a, const rh_slot *b)
{
  return a->used == b->used && a->a == b->a && a->b == b->b && a->id == b->id &&
         a->contact == b->contact && a->place == b->place && a->mode == b->mode;
}

bool rh_slopes_same(const rh_data *a, const rh_data *b)
{
  const rh_model *m = a->model;
  bool same = same_numbers(a->hold, b->hold, m->nv) && same_numbers(a->dry, b->dry, m->nv) &&
              same_numbers(a->dyn.tendon_hold, b->dyn.tendon_hold, m->layout.ntendon) &&
              same_numbers(a->dyn.tendon_dry, b->dyn.tendon_dry, m->layout.ntendon) &&
              same_numbers(a->fired, b->fired, m->nevent) &&
              same_numbers(a->acting, b->acting, m->nforce) && same_numbers(a->used, b->used, 1);
  for (int i = 0; same && i < rh_slots_used(a); i++) {
    same = same_slot(&a->slot[i], &b->slot[i]);
  }
  for (int i = 0; same && i < m->layout.nturn; i++) {
    const rh_turn *x = &a->turn[i];
    const rh_turn *y = &b->turn[i];
    same = x->roll == y->roll && x->pivot == y->pivot && x->sense == y->sense;
  }
  return same;
}

void rh_slopes_put(rh_slopes *s, int i, double t, const double *y)
{
  rh_data *d = rh_slopes_world(s, i)->data;
  memcpy(d->y, y, (size_t)s->length * sizeof *y);
  *d->t = t;
}

void rh_slopes_moved(const rh_slopes *s, int i, double *y)
{
  size_t n = (size_t)s->length;
  int value = (i - 1) / 2;
  double h = i == 0 ? 0 : i % 2 == 1 ? s->step[value] : -s->step[value];
  const double *S = i == 0 ? s->y : s->y + (size_t)(value + 1) * n;
  for (size_t k = 0; k < n; k++) {
    y[k] = i == 0 ? s->y[k] : s->y[k] + h * S[k];
  }
}

// Worlds that are farther apart are no neighbours: with steps of 3e-8 slopes of 300, which describe the motion only for
// changes of less than a thousandth.
static const double NEAR = 1e-5;

bool rh_slopes_take(rh_slopes *s, double late)
{
  const rh_sim *base = s->job.base;
  size_t n = (size_t)rh_event_engine_of(base)->flow.n;
  s->length = (int)n;
  s->t = *base->data->t + late;
  memcpy(s->y, s->job.twin->data->y, n * sizeof *s->y);
  for (int i = 0; i < s->job.n; i++) {
    const double *up = s->moved[2 * i]->data->y;
    const double *down = s->moved[2 * i + 1]->data->y;
    double *S = s->y + (size_t)(i + 1) * n;
    for (size_t k = 0; k < n; k++) {
      S[k] = (up[k] - down[k]) / (2 * s->step[i]);
      bool near = fabs(S[k] * s->step[i]) < NEAR * fmax(1, fabs(s->y[k]));
      if (!near && !rh_sim_idle((void *)base, (int)k)) {
        return rh_slopes_fail(s, RH_SLOPES_SHARP);
      }
    }
  }
  return true;
}

static void follow_points(const rh_slopes *s, rh_sim *sim)
{
  const rh_data *from = s->job.base->data;
  rh_event_engine *engine = rh_event_engine_of(sim);
  for (int k = 0; k < rh_slots_used(from); k++) {
    memcpy(sim->data->slot[k].at, from->slot[k].at, sizeof from->slot[k].at);
    memcpy(sim->data->slot[k].n, from->slot[k].n, sizeof from->slot[k].n);
  }
  rh_search(sim->data)->left = rh_search(from)->left;
  engine->grace = rh_event_engine_of(s->job.base)->grace;
  engine->flow.n = s->length;
  engine->level = RH_SEEN_NOTHING;
}

void rh_slopes_piece(rh_slopes *s)
{
  const rh_sim *base = s->job.base;
  bool good =
      !isfinite(rh_event_engine_of(base)->storm.end) || rh_slopes_fail(s, RH_SLOPES_STEPPED);
  for (int i = 0; good && i <= 2 * s->job.n; i++) {
    const rh_sim *sim = rh_slopes_world(s, i);
    good = rh_slopes_same(base->data, sim->data) || rh_slopes_fail(s, RH_SLOPES_ORDER);
  }
  if (good && rh_slopes_take(s, s->spread)) {
    s->fresh = true;
  }
}

// Evaluations for each column over those of the run: beyond that a stiff motion makes differences of runs cheaper
static const long WORTH = 4;
static const long FIRST = 5000;

// To the time of the base
static bool catch_up(rh_slopes *s)
{
  double t = *s->job.base->data->t;
  if (s->why != RH_SLOPES_EXIST) {
    return false;
  }
  for (int i = 0; i <= 2 * s->job.n; i++) {
    follow_points(s, rh_slopes_world(s, i));
  }
  rh_step_stats stats = {0};
  s->job.base->model->run.engine->stats(s->job.base->engine, &stats);
  s->most = (FIRST + WORTH * stats.evaluations) * (1 + s->job.n);
  return t <= s->t || rh_slopes_advance(s, t);
}

static void before_break(void *user, rh_break why)
{
  rh_slopes *s = user;
  rh_sim *base = s->job.base;
  if (!catch_up(s)) {
    return;
  }
  if (why == RH_BREAK_OTHER || !rh_slopes_same(base->data, s->job.twin->data)) {
    (void)rh_slopes_fail(s, RH_SLOPES_STEPPED);
    return;
  }
  double ahead = s->t - *base->data->t; // another event, before all worlds have had the last one
  rh_slopes_prepare(s);
  if (ahead > 0 && !rh_slopes_back(s, ahead)) {
    (void)rh_slopes_fail(s, RH_SLOPES_ORDER);
    return;
  }
  memcpy(s->y, base->data->y, (size_t)s->length * sizeof *s->y);
  (void)rh_slopes_cross(s, why, &s->spread);
}

static void after_break(void *user)
{
  rh_slopes *s = user;
  if (s->why == RH_SLOPES_EXIST) {
    rh_slopes_piece(s);
  }
}

bool rh_slopes_at(rh_slopes *s)
{
  if (!catch_up(s)) {
    return false;
  }
  for (int i = 0; i <= 2 * s->job.n; i++) {
    rh_slopes_moved(s, i, s->side[0]);
    rh_slopes_put(s, i, s->t, s->side[0]);
  }
  return true;
}

// ---- Open and close

static bool make_room(rh_slopes *s)
{
  const rh_sim *base = s->job.base;
  size_t n = (size_t)base->data->ny;
  size_t count = (size_t)s->job.n;
  size_t guards = (size_t)rh_event_engine_of(base)->flow.nguard;
  s->capacity = (int)n;
  s->moved = rh_alloc((2 * count + 1) * sizeof *s->moved);
  s->step = rh_alloc((count + 1) * sizeof *s->step);
  s->y = rh_alloc(((4 * (1 + count) + 8) * n + 3 * guards) * sizeof *s->y);
  if (s->moved == NULL || s->step == NULL || s->y == NULL) {
    return false;
  }
  double *at = s->y + (1 + count) * n;
  for (int i = 0; i < 2; i++, at += n) {
    s->side[i] = at;
  }
  for (int i = 0; i < 6; i++, at += n) {
    s->work[i] = at;
  }
  for (int i = 0; i < 3; i++, at += (1 + count) * n) {
    s->whole[i] = at;
  }
  for (int i = 0; i < 3; i++, at += guards) {
    s->guard[i] = at;
  }
  memcpy(s->moved, s->job.moved, 2 * count * sizeof *s->moved);
  memcpy(s->step, s->job.step, count * sizeof *s->step);
  return true;
}

bool rh_slopes_suit(const rh_model *m)
{
  return m->run.engine->located && m->ncontroller == 0 && m->sensors.nmemory == 0;
}

rh_status rh_slopes_open(const rh_slopes_job *job, rh_slopes **slopes)
{
  *slopes = NULL;
  if (!rh_slopes_suit(job->base->model)) {
    return RH_INPUT_REFUSED;
  }
  rh_slopes *s = rh_alloc(sizeof *s);
  *slopes = s;
  if (s == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  s->job = *job;
  if (!make_room(s)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = rh_slopes_open_flow(s);
  if (status != RH_OK) {
    return status;
  }
  s->evaluations = 0;
  rh_slopes_piece(s);
  s->watch = (rh_watch){s, before_break, after_break};
  job->base->watch = &s->watch;
  return RH_OK;
}

void rh_slopes_close(rh_slopes *s)
{
  if (s == NULL) {
    return;
  }
  s->job.base->watch = NULL;
  if (s->integrator != NULL) {
    s->row->close(s->integrator);
  }
  rh_free(s->moved);
  rh_free(s->step);
  rh_free(s->y);
  rh_free(s);
}

rh_slopes_why rh_slopes_reason(const rh_slopes *s)
{
  return s->why;
}

const char *rh_slopes_word(rh_slopes_why why)
{
  static const char *const word[RH_SLOPES_REASONS] = {
      "",
      "this engine, controllers and sensors have steps of their own",
      "the order of events changes with the values",
      "an event comes so slowly that its time has no slope",
      "the motion depends on the values too sharply",
      "an event has no result beside that of the run",
      "contacts are stepped in time where events accumulate",
      "their integration takes too many steps: the motion is stiff",
      "the run, or their integration, fails"};
  return word[why];
}

long rh_slopes_evaluations(const rh_slopes *s)
{
  return s->evaluations;
}
