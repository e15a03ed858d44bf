// trial.c: runs a scene and stores the requested data. Frames may be far apart relative to an
// impact; so the contacts are also sampled where the integrator searches for events, at the end of
// every step, and peaks are refined by a parabola. A step cut short by an event did not happen: the
// sample at its end is dropped.
#include "trial.h"
#include "console/words.h"

#include <math.h>
#include <string.h>

#define TERMS      8          // of one series
#define VALUES_MAX (1L << 26) // numbers kept: 512 MiB

typedef struct series {
  struct {
    double factor;
    int channel; // RH_NONE: a constant
  } term[TERMS];

  int n;
} series;

typedef struct summit { // the last samples of a quantity, and its maximum
  double t[3], x[3];
  int n;
  double best;
} summit;

typedef struct watcher { // one contact point
  summit depth, force;
  double now[2]; // depth and force at the end of the last step; depth 0: no contact
} watcher;

typedef struct job {
  rh_trial *trial;
  rh_channels *channels;
  rh_data *data; // a copy of the world, for the channels
  series series[RH_SERIES_MAX];
  int channel[RH_SERIES_MAX * TERMS]; // those of all terms, in order
  double value[RH_SERIES_MAX * TERMS];
  int nchannel;
  watcher *watcher; // (nslot)
  double looked_at; // [s] end of the last step
  bool pending;     // the sample there is not final
  int first;        // slot of the first contact, RH_NONE before it
  bool over;        // the first contact has ended
} job;

// ---- Series

static bool add_term(series *s, double factor, int channel)
{
  if (s->n == TERMS) {
    return false;
  }
  s->term[s->n].factor = factor;
  s->term[s->n++].channel = channel;
  return true;
}

// One "[+-][number][*][name]"; returns the rest, NULL if it cannot be read.
static const char *read_term(const rh_channels *channels, const char *at, series *s)
{
  double factor = 1;
  double sign = *at == '-' ? -1 : 1;
  at += *at == '-' || *at == '+';
  size_t digits = rh_number_read(at, &factor);
  at += digits;
  if (digits > 0 && *at != '*') {
    return add_term(s, sign * factor, RH_NONE) ? at : NULL;
  }
  at += digits > 0;
  char name[2 * RH_NAME_MAX];
  size_t length = strcspn(at, "+-*");
  if (length >= sizeof name) {
    return NULL;
  }
  memcpy(name, at, length);
  name[length] = '\0';
  int channel = rh_channel_find(channels, name);
  factor = digits > 0 ? factor : 1;
  return channel != RH_NONE && add_term(s, sign * factor, channel) ? at + length : NULL;
}

static bool read_series(const rh_channels *channels, const char *text, series *s)
{
  int whole = rh_channel_find(channels, text); // a name may hold a '-'
  s->n = 0;
  if (whole != RH_NONE) {
    return add_term(s, 1, whole);
  }
  const char *at = text;
  while (at != NULL && *at != '\0') {
    at = read_term(channels, at, s);
  }
  return at != NULL && s->n > 0;
}

static rh_status read_all(job *j, const char *const *text, int n)
{
  for (int i = 0; i < n; i++) {
    if (!read_series(j->channels, text[i], &j->series[i])) {
      return rh_channel_unknown(j->channels, text[i]);
    }
    for (int k = 0; k < j->series[i].n; k++) {
      if (j->series[i].term[k].channel != RH_NONE) {
        j->channel[j->nchannel++] = j->series[i].term[k].channel;
      }
    }
  }
  return RH_OK;
}

rh_status rh_series_check(const rh_model *model, const char *const *text, int nseries)
{
  job *j = rh_alloc(sizeof *j);
  rh_channels *channels = rh_channels_create(model);
  rh_status status = RH_OUT_OF_MEMORY;
  if (j != NULL && channels != NULL) {
    j->channels = channels;
    status = read_all(j, text, nseries);
  } else {
    rh_refuse(status, "out of memory");
  }
  rh_channels_destroy(channels);
  rh_free(j);
  return status;
}

// ---- Callbacks of the simulation

// All series of a frame at once; the channels of all terms are in j->channel.
static void read_frame(job *j, double *row)
{
  rh_channels_read(j->channels, j->data, j->channel, j->nchannel, j->value);
  const double *value = j->value;
  for (int i = 0; i < j->trial->nseries; i++) {
    const series *s = &j->series[i];
    row[i] = 0;
    for (int k = 0; k < s->n; k++) {
      row[i] += s->term[k].factor * (s->term[k].channel != RH_NONE ? *value++ : 1);
    }
  }
}

static rh_status on_frame(void *user, const rh_sim *sim, long index)
{
  job *j = user;
  rh_trial *trial = j->trial;
  long width = trial->nseries + 1;
  (void)index;
  if (trial->frames == trial->room) {
    long room = trial->room == 0 ? 1024 : 2 * trial->room;
    if (room > VALUES_MAX / width) {
      return RH_OVER_LIMIT;
    }
    double *larger = rh_realloc(trial->value, (size_t)(room * width) * sizeof *larger);
    if (larger == NULL) {
      return RH_OUT_OF_MEMORY;
    }
    trial->value = larger;
    trial->room = room;
  }
  const rh_data *d = rh_sim_view(sim);
  double *row = trial->value + trial->frames++ * width;
  memcpy(j->data->state, d->state, (size_t)trial->model->layout.nstate * sizeof *d->state);
  row[0] = *d->t;
  read_frame(j, row + 1);
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// The maximum of the parabola through three samples, if the middle one is the largest.
static double top_of(const summit *s)
{
  double a = s->t[0] - s->t[1];
  double b = s->t[2] - s->t[1];
  double ya = s->x[0] - s->x[1];
  double yb = s->x[2] - s->x[1];
  double curve = (ya / a - yb / b) / (a - b);
  double slope = ya / a - curve * a;
  return curve < 0 ? s->x[1] - slope * slope / (4 * curve) : s->x[1];
}

static void add_summit_sample(summit *s, double t, double x)
{
  if (s->n == 3) {
    memmove(s->t, s->t + 1, 2 * sizeof *s->t);
    memmove(s->x, s->x + 1, 2 * sizeof *s->x);
    s->n = 2;
  }
  s->t[s->n] = t;
  s->x[s->n++] = x;
  s->best = fmax(s->best, x);
  if (s->n == 3 && s->x[1] >= s->x[0] && s->x[1] >= s->x[2]) {
    s->best = fmax(s->best, top_of(s));
  }
}

static void add_loop(rh_trial *trial, double t, double depth, double force)
{
  if (trial->nloop < RH_LOOP_MAX) {
    trial->loop[trial->nloop++] = (rh_trial_point){t, depth, force};
  }
}

// The last step is final. Samples of a contact that ended or began are not joined by a parabola.
static void settle_last_step(job *j)
{
  rh_trial *trial = j->trial;
  for (int k = 0; j->pending && k < trial->model->nslot; k++) {
    watcher *w = &j->watcher[k];
    if (w->now[0] <= 0 && w->now[1] <= 0) {
      w->depth.n = w->force.n = 0;
      continue;
    }
    add_summit_sample(&w->depth, j->looked_at, w->now[0]);
    add_summit_sample(&w->force, j->looked_at, w->now[1]);
    if (k == j->first && !j->over) {
      add_loop(trial, j->looked_at, w->now[0], w->now[1]);
    }
  }
  j->pending = false;
}

// A guard that never crosses zero: it only samples the contacts at every step. While an event is
// being located the integrator goes back; these calls are ignored.
static double watch_contacts(void *user, const rh_data *d)
{
  job *j = user;
  if (*d->t <= j->looked_at) {
    return 1;
  }
  settle_last_step(j);
  j->looked_at = *d->t;
  j->pending = true;
  for (int k = 0; k < d->model->nslot; k++) {
    const rh_contact *c = &d->contact[k];
    j->watcher[k].now[0] = c->on ? c->depth : 0;
    j->watcher[k].now[1] = c->on ? c->normal : 0;
  }
  return 1;
}

static void watch_event(job *j, const rh_sim *sim, const rh_event *event)
{
  if (j->looked_at <= event->t) {
    settle_last_step(j);
  }
  j->pending = false;
  j->looked_at = event->t;
  bool jumps = j->trial->model->nrigid > 0; // forces of rigid contacts: no parabola joins them
  for (int k = 0; jumps && k < j->trial->model->nslot; k++) {
    j->watcher[k].depth.n = j->watcher[k].force.n = 0;
  }
  if (event->kind == RH_EVENT_TOUCH && j->first == RH_NONE) {
    const rh_contact *c = &rh_sim_view(sim)->contact[event->slot];
    j->first = event->slot;
    add_loop(j->trial, event->t, c->depth, c->normal);
  } else if (event->kind == RH_EVENT_SEPARATE && event->slot == j->first) {
    j->over = true;
  }
}

static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  job *j = user;
  RH_TRY(rh_events_keep(&j->trial->events, event));
  if (j->trial->model->run.engine->located) {
    watch_event(j, sim, event);
  }
  return RH_OK;
}

static rh_status on_poll(void *user, const rh_sim *sim)
{
  (void)user;
  (void)sim;
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

// ---- Running

static rh_status keep_end(job *j, const rh_sim *sim)
{
  rh_trial *trial = j->trial;
  int n = trial->model->nbody;
  trial->ledger = rh_sim_ledger(sim);
  trial->stats = rh_sim_statistics(sim);
  trial->t_end = *rh_sim_view(sim)->t;
  const char *reason = rh_sim_reason(sim);
  if (trial->ended != RH_OK) {
    bool said = reason != NULL && reason[0] != '\0';
    snprintf(trial->reason, sizeof trial->reason, "%s",
             said ? reason : rh_status_message(trial->ended));
  }
  trial->body = rh_alloc(3 * (size_t)n * sizeof *trial->body);
  trial->motion = rh_alloc(2 * (size_t)(trial->model->nv + 1) * sizeof *trial->motion);
  if (trial->body == NULL || trial->motion == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  memcpy(j->data->state, rh_sim_view(sim)->state,
         (size_t)trial->model->layout.nstate * sizeof *j->data->state);
  rh_kinematics(j->data);
  for (int i = 0; i < n; i++) {
    rh_vec3 p = j->data->kin[i].p;
    memcpy(trial->body + 3 * (size_t)i, (const double[]){p.x, p.y, p.z}, 3 * sizeof(double));
  }
  rh_mass_matrix(j->data);
  memcpy(trial->motion, j->data->v, (size_t)trial->model->nv * sizeof(double));
  rh_mass_mul(j->data, j->data->v, trial->motion + trial->model->nv);
  if (j->looked_at <= trial->t_end) {
    settle_last_step(j);
  }
  if (!trial->model->run.engine->located) { // nothing was watched: the engine's own
    trial->deepest = trial->stats.impact.deepest;
    trial->peak = trial->stats.impact.peak;
  }
  for (int k = 0; k < trial->model->nslot; k++) {
    trial->deepest = fmax(trial->deepest, j->watcher[k].depth.best);
    trial->peak = fmax(trial->peak, j->watcher[k].force.best);
  }
  return RH_OK;
}

static rh_status simulate_trial(job *j, rh_diag *diag)
{
  rh_trial *trial = j->trial;
  rh_sim *sim = NULL;
  rh_guard guard = {.name = "watch", .user = j, .value = watch_contacts};
  rh_observer observer = {.user = j, .frame = on_frame, .event = on_event, .poll = on_poll};
  RH_TRY(rh_sim_create(trial->model, diag, &sim));
  rh_status status = trial->model->run.engine->located ? rh_sim_add_guard(sim, &guard) : RH_OK;
  if (status == RH_OK) {
    rh_interrupt_catch();
    rh_sim_observe(sim, &observer);
    trial->ended = rh_sim_run(sim, trial->model->run.until);
    if (trial->ended == RH_OK) {
      trial->ended = rh_sim_check_energy(sim);
    }
    bool ours = trial->ended == RH_OUT_OF_MEMORY || trial->ended == RH_OVER_LIMIT ||
                trial->ended == RH_INTERRUPTED;
    status =
        ours ? rh_refuse(trial->ended, "%s", rh_status_message(trial->ended)) : keep_end(j, sim);
  }
  rh_sim_destroy(sim);
  return status;
}

static rh_status run_job(job *j, const char *const *text, rh_diag *diag)
{
  rh_trial *trial = j->trial;
  size_t slots = (size_t)trial->model->nslot;
  j->channels = rh_channels_create(trial->model);
  j->data = rh_data_create(trial->model);
  j->watcher = rh_alloc((slots + 1) * sizeof *j->watcher);
  trial->loop = rh_alloc(RH_LOOP_MAX * sizeof *trial->loop);
  rh_status status = RH_OUT_OF_MEMORY;
  if (j->channels != NULL && j->data != NULL && j->watcher != NULL && trial->loop != NULL) {
    status = read_all(j, text, trial->nseries);
  } else {
    rh_refuse(status, "out of memory");
  }
  if (status == RH_OK) {
    status = simulate_trial(j, diag);
  }
  rh_free(j->watcher);
  rh_data_destroy(j->data);
  rh_channels_destroy(j->channels);
  return status;
}

rh_status rh_trial_run(const rh_scene *scene, const char *const *text, int nseries, rh_diag *diag,
                       rh_trial *trial)
{
  RH_ASSERT(nseries <= RH_SERIES_MAX);
  *trial = (rh_trial){.nseries = nseries};
  RH_TRY(rh_scene_compile(scene, diag, &trial->model));
  job *j = rh_alloc(sizeof *j);
  if (j == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  j->trial = trial;
  j->first = RH_NONE;
  j->looked_at = -HUGE_VAL;
  rh_status status = run_job(j, text, diag);
  rh_free(j);
  return status;
}

void rh_trial_free(rh_trial *trial)
{
  rh_model_destroy(trial->model);
  rh_free(trial->value);
  rh_free(trial->events.event);
  rh_free(trial->body);
  rh_free(trial->motion);
  rh_free(trial->loop);
  *trial = (rh_trial){0};
}

// ---- Reading a trial

double rh_trial_value(const rh_trial *trial, long frame, int column)
{
  RH_ASSERT(frame >= 0 && frame < trial->frames && column >= 0 && column <= trial->nseries);
  return trial->value[frame * (trial->nseries + 1) + column];
}

const rh_event *rh_trial_event(const rh_trial *trial, rh_event_kind kind, int which)
{
  for (long i = 0; i < trial->events.count; i++) {
    if (trial->events.event[i].kind == kind && --which == 0) {
      return &trial->events.event[i];
    }
  }
  return NULL;
}

const rh_event *rh_trial_next(const rh_trial *trial, const rh_event *after, rh_event_kind kind)
{
  for (const rh_event *e = after + 1; e < trial->events.event + trial->events.count; e++) {
    if (e->kind == kind && e->dof == after->dof && e->slot == after->slot &&
        strcmp(e->name, after->name) == 0) {
      return e;
    }
  }
  return NULL;
}
