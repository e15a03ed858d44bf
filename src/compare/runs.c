// runs.c: two recordings, frame by frame and channel by channel: the first difference, and
// the maximum difference of each channel. A difference of a bit in a state is found first; channels
// give its meaning.
#include "compare.h"

#include <math.h>
#include <string.h>

static rh_status open_run(rh_run_pair *p, int i)
{
  RH_TRY(rh_recording_open(p->path[i], p->diag, &p->run[i]));
  p->channels[i] = rh_channels_create(rh_recording_model(p->run[i]));
  return p->channels[i] != NULL ? RH_OK : rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
}

static bool asked_for(const rh_words *words, const char *name)
{
  for (int i = 0; i < words->n; i++) {
    if (strcmp(words->word[i], name) == 0) {
      return true;
    }
  }
  return words->n == 0;
}

// The requested channels that both have.
static rh_status pair_channels(rh_run_pair *p, const rh_words *words)
{
  int count = rh_channels_count(p->channels[0]);
  size_t n = (size_t)count + 1;
  p->gap = rh_alloc(n * sizeof *p->gap);
  for (int i = 0; i < 2; i++) {
    RH_TRY(rh_channels_known(p->run[i], (const char *const *)words->word, words->n));
    p->value[i] = rh_alloc(n * sizeof *p->value[i]);
    p->index[i] = rh_alloc(n * sizeof *p->index[i]);
  }
  if (p->gap == NULL || p->value[0] == NULL || p->value[1] == NULL || p->index[0] == NULL ||
      p->index[1] == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  for (int a = 0; a < count; a++) {
    const char *name = rh_channel_name(p->channels[0], a);
    int b = rh_channel_find(p->channels[1], name);
    if (b != RH_NONE && asked_for(words, name)) {
      p->index[0][p->ngap] = a;
      p->index[1][p->ngap] = b;
      p->gap[p->ngap++] = (rh_run_gap){.a = a, .b = b, .frame = RH_NONE};
    }
  }
  return RH_OK;
}

// ---- Comparing

double rh_value_distance(double a, double b)
{
  bool same = a == b || (isnan(a) && isnan(b));
  return same ? 0 : isnan(a - b) ? HUGE_VAL : fabs(a - b);
}

static void compare_values(rh_run_pair *p, long frame)
{
  double t = *p->data[0]->t;
  const rh_run_gap *worst = NULL;
  double off = 0;
  for (int k = 0; k < p->ngap; k++) {
    double a = p->value[0][k];
    double b = p->value[1][k];
    double d = rh_value_distance(a, b);
    rh_run_gap *g = &p->gap[k];
    if (d > g->most) {
      g->most = d;
      g->most_t = t;
    }
    if (d <= p->tolerance) {
      continue;
    }
    if (g->frame == RH_NONE) {
      *g = (rh_run_gap){g->a, g->b, frame, t, {a, b}, g->most, g->most_t};
    }
    bool noise = strcmp(rh_channel_name(p->channels[0], g->a), "energy.residue") == 0;
    double relative = noise ? 0 : d / fmax(fabs(a), fabs(b));
    if (worst == NULL || relative > off) {
      worst = g;
      off = relative;
    }
  }
  p->worst = p->worst == NULL ? worst : p->worst;
}

static rh_status compare_frame(rh_run_pair *p, long frame)
{
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    RH_TRY(rh_recording_world(p->run[i], frame, &p->data[i], &hash[i], p->diag));
  }
  int n = rh_recording_model(p->run[0])->layout.nstate;
  bool alike = n == rh_recording_model(p->run[1])->layout.nstate &&
               memcmp(p->data[0]->state, p->data[1]->state, (size_t)n * sizeof(double)) == 0;
  if (!alike && p->bits == RH_NONE) {
    p->bits = frame;
  }
  // Equal states can still give different channels: the scenes may differ.
  for (int i = 0; i < 2; i++) {
    rh_channels_read(p->channels[i], p->data[i], p->index[i], p->ngap, p->value[i]);
  }
  compare_values(p, frame);
  return RH_OK;
}

static rh_status read_event(const rh_run_pair *p, int run, long index, rh_event *event)
{
  *event = (rh_event){.t = -1}; // before any: there is none
  return index < rh_recording_events(p->run[run])
             ? rh_recording_event(p->run[run], index, event, p->diag)
             : RH_OK;
}

// Events of only one run count as no difference after the last frame of both: an interrupted run
// may have been on its way to the next. [frames]
static rh_status compare_events(rh_run_pair *p)
{
  double end = p->frames > 0 ? *p->data[0]->t : 0;
  long n[2] = {rh_recording_events(p->run[0]), rh_recording_events(p->run[1])};
  long most = n[0] > n[1] ? n[0] : n[1];
  for (long i = 0; i < most && p->event == RH_NONE; i++) {
    rh_event *e = p->events;
    RH_TRY(read_event(p, 0, i, &e[0]));
    RH_TRY(read_event(p, 1, i, &e[1]));
    if (fmin(e[0].t, e[1].t) < 0 && fmax(e[0].t, e[1].t) > end) {
      break;
    }
    bool same = e[0].kind == e[1].kind && strcmp(e[0].name, e[1].name) == 0 &&
                rh_value_distance(e[0].t, e[1].t) <= p->tolerance;
    p->event = same ? RH_NONE : i;
  }
  return RH_OK;
}

bool rh_run_pair_alike(const rh_run_pair *p)
{
  return p->worst == NULL && p->event == RH_NONE &&
         rh_recording_frames(p->run[0]) == rh_recording_frames(p->run[1]);
}

const rh_run_gap *rh_run_pair_next(const rh_run_pair *p, const rh_run_gap *last)
{
  const rh_run_gap *best = NULL;
  for (int k = 0; k < p->ngap; k++) {
    const rh_run_gap *g = &p->gap[k];
    bool later =
        last == NULL || g->frame > last->frame ||
        (g->frame == last->frame && (g->most < last->most || (g->most == last->most && g > last)));
    bool earlier =
        best == NULL || g->frame < best->frame || (g->frame == best->frame && g->most > best->most);
    best = g->frame != RH_NONE && later && earlier ? g : best;
  }
  return best;
}

// ---- The comparison

rh_status rh_compare_runs(rh_run_pair *p, const rh_words *words)
{
  p->bits = p->event = RH_NONE;
  for (int i = 0; i < 2; i++) {
    RH_TRY(open_run(p, i));
  }
  RH_TRY(pair_channels(p, words));
  long n[2] = {rh_recording_frames(p->run[0]), rh_recording_frames(p->run[1])};
  p->frames = n[0] < n[1] ? n[0] : n[1];
  for (long i = 0; i < p->frames; i++) {
    RH_TRY(compare_frame(p, i));
  }
  return compare_events(p);
}

void rh_run_pair_free(rh_run_pair *p)
{
  for (int i = 0; i < 2; i++) {
    rh_free(p->index[i]);
    rh_free(p->value[i]);
    rh_channels_destroy(p->channels[i]);
    rh_recording_close(p->run[i]);
  }
  rh_free(p->gap);
  *p = (rh_run_pair){0};
}
