// run.c: one trial: a world runs from its start over the measured times. Between two steps of an engine with steps of its
// own the channels are interpolated.
#include "fit.h"

#include "run/channel_words.h"

#include <math.h>
#include <string.h>

#define APART 0.005 // [s] between two contacts that are not one

// ---- Channels of the data

// The coordinate or velocity that a channel is: the channels of joints come in the order of the bodies.
static int coordinate_of(const rh_fit_world *world, const char *name)
{
  const rh_model *m = world->model;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    const char *owner = rh_model_name(m, RH_OBJECT_JOINT, i);
    int at = RH_NONE;
    for (int j = 0; at == RH_NONE && j < b->joint->nq; j++) {
      char word[8];
      char full[RH_NAME_MAX + 16];
      rh_channel_word(b->joint->coord, j, word, sizeof word);
      (void)snprintf(full, sizeof full, "%s.%s", owner, word);
      at = strcmp(full, name) == 0 ? b->qadr + j : RH_NONE;
    }
    if (at != RH_NONE) {
      return at;
    }
    int first = rh_channel_find(world->channels, name) - b->joint->nq;
    char word[8];
    char full[RH_NAME_MAX + 16];
    rh_channel_word(b->joint->coord, 0, word, sizeof word);
    (void)snprintf(full, sizeof full, "%s.%s", owner, word);
    int begin = b->joint->nq > 0 ? rh_channel_find(world->channels, full) : RH_NONE;
    if (begin != RH_NONE && first >= begin && first < begin + b->nv) {
      return m->nq + b->vadr + first - begin;
    }
  }
  return RH_NONE;
}

static int column_of(const rh_fit_map *map, int coordinate)
{
  for (int c = 0; c < map->nchannel; c++) {
    if (map->coordinate[c] == coordinate) {
      return c;
    }
  }
  return RH_NONE;
}

static rh_status map_turns(const rh_fit_data *data, const rh_model *m, rh_fit_map *map)
{
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    int first = b->qadr + b->joint->nq - 4;
    int count = 0;
    for (int k = 0; b->joint->unit_length != NULL && k < 4; k++) {
      map->turn[map->nturn][k] = column_of(map, first + k);
      count += map->turn[map->nturn][k] != RH_NONE;
    }
    if (count != 0 && count != 4) {
      return rh_refuse(
          RH_INPUT_REFUSED,
          "fit: of the quaternion of joint %s the data have %d components; four are needed",
          rh_model_name(m, RH_OBJECT_JOINT, i), count);
    }
    map->nturn += count == 4;
  }
  (void)data;
  return RH_OK;
}

rh_status rh_fit_map_channels(const rh_fit_data *data, const rh_fit_world *world, rh_fit_map *map)
{
  *map = (rh_fit_map){.nchannel = data->nchannel};
  for (int c = 0; c < data->nchannel; c++) {
    map->channel[c] = rh_channel_find(world->channels, data->channel[c]);
    if (map->channel[c] == RH_NONE) {
      (void)rh_channel_unknown(world->channels, data->channel[c]);
      return RH_INPUT_REFUSED;
    }
    const char *unit = rh_channel_unit(world->channels, map->channel[c]);
    if (data->unit[c][0] != '\0' && strcmp(data->unit[c], unit) != 0) {
      return rh_refuse(RH_INPUT_REFUSED, "fit: channel %s is in %s, the data have it in %s",
                       data->channel[c], unit, data->unit[c]);
    }
    map->coordinate[c] = coordinate_of(world, data->channel[c]);
    map->alike[c] = c;
    for (int k = c - 1; k >= 0; k--) {
      bool same = strcmp(unit, rh_channel_unit(world->channels, map->channel[k])) == 0;
      map->alike[c] = same ? k : map->alike[c];
    }
  }
  return map_turns(data, world->model, map);
}

// ---- The run

static void read_channels(const rh_fit_world *world, const rh_fit_map *map, const rh_sim *sim,
                          rh_data *copy, double *value)
{
  const rh_data *d = rh_sim_view(sim);
  memcpy(copy->state, d->state, (size_t)world->model->layout.nstate * sizeof *d->state);
  rh_channels_read(world->channels, copy, map->channel, map->nchannel, value);
}

static void set_start(rh_sim *sim, const double *start)
{
  rh_data *d = rh_sim_data(sim);
  memcpy(d->q, start, (size_t)d->model->nq * sizeof *d->q);
  memcpy(d->v, start + d->model->nq, (size_t)d->model->nv * sizeof *d->v);
  rh_sim_state_changed(sim);
}

// Signs of quaternions follow those of the last row, so that they can be interpolated.
static void follow_signs(const rh_fit_map *map, const double *last, double *value)
{
  for (int k = 0; k < map->nturn; k++) {
    const int *c = map->turn[k];
    double dot = 0;
    for (int i = 0; i < 4; i++) {
      dot += last[c[i]] * value[c[i]];
    }
    for (int i = 0; dot < 0 && i < 4; i++) {
      value[c[i]] = -value[c[i]];
    }
  }
}

typedef struct watcher { // counts the contacts that begin
  int count;
  double last;   // [s]
  bool touching; // at the last row
} watcher;

static rh_status watch_event(void *user, const rh_sim *sim, const rh_event *event)
{
  watcher *w = user;
  (void)sim;
  if (event->kind == RH_EVENT_TOUCH || event->kind == RH_EVENT_IMPACT) {
    w->count += event->t > w->last + APART && !w->touching;
    w->last = event->t;
  }
  return RH_OK;
}

static unsigned char phase_of(watcher *w, const rh_data *d)
{
  w->touching = false;
  for (int k = 0; k < rh_slots_used(d); k++) {
    w->touching = w->touching || d->slot[k].used != 0;
  }
  int later = w->count < RH_FIT_PHASES - 2 ? w->count : RH_FIT_PHASES - 2;
  return (unsigned char)(w->touching ? RH_FIT_PHASES - 1 : later);
}

typedef struct pass { // one run
  const rh_fit_world *world;
  const rh_fit_map *map;
  const rh_fit_course *course;
  rh_sim *sim;
  rh_data *copy;
  watcher watcher;
} pass;

static bool run_rows(pass *p, double origin)
{
  double now[RH_FIT_CHANNELS];
  double last[RH_FIT_CHANNELS];
  const rh_fit_course *course = p->course;
  double t_last = *rh_sim_view(p->sim)->t;
  size_t width = (size_t)p->map->nchannel;
  read_channels(p->world, p->map, p->sim, p->copy, now);
  memcpy(last, now, sizeof last);
  bool good = true;
  for (int i = 0; i < course->n; i++) {
    double at = course->t[i] - origin;
    double t_now = *rh_sim_view(p->sim)->t;
    if (good && t_now < at) {
      t_last = t_now;
      memcpy(last, now, sizeof last);
      good = rh_sim_run(p->sim, at) == RH_OK;
      t_now = *rh_sim_view(p->sim)->t;
      read_channels(p->world, p->map, p->sim, p->copy, now);
      follow_signs(p->map, last, now);
    }
    unsigned char phase = phase_of(&p->watcher, rh_sim_view(p->sim));
    if (course->phase != NULL) {
      course->phase[i] = phase;
    }
    double part = t_now > t_last ? fmin(fmax((at - t_last) / (t_now - t_last), 0), 1) : 1;
    for (size_t c = 0; c < width; c++) {
      course->value[(size_t)i * width + c] =
          part == 1 ? now[c] : last[c] + part * (now[c] - last[c]);
    }
  }
  return good;
}

bool rh_fit_run_trial(const rh_fit_world *world, const rh_fit_map *map, const rh_fit_course *course)
{
  pass p = {.world = world, .map = map, .course = course, .watcher.last = -HUGE_VAL};
  rh_observer observer = {.user = &p.watcher, .event = watch_event};
  bool good = false;
  p.copy = rh_data_create(world->model);
  if (p.copy != NULL && rh_sim_create(world->model, NULL, &p.sim) == RH_OK) {
    if (course->start != NULL) {
      set_start(p.sim, course->start);
    }
    rh_sim_observe(p.sim, &observer);
    good = run_rows(&p, course->start != NULL ? course->t[0] : 0);
  } else {
    rh_memory_fail();
  }
  rh_sim_destroy(p.sim);
  rh_data_destroy(p.copy);
  return good;
}
