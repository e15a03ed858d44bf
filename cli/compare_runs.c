// compare_runs.c: two recordings, frame by frame and channel by channel: the first difference, and
// the maximum difference of each channel. A difference of a bit in a state is found first; channels
// give its meaning.
#include "compare.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

#define SHOWN 10 // channels in the table

typedef struct gap {   // of one channel
  int a, b;            // its index in each run
  long frame;          // first frame with a difference above the tolerance; RH_NONE
  double t;            // [s] of that frame
  double first[2];     // values there
  double most, most_t; // maximum difference, and its time
} gap;

typedef struct pair {
  const rh_args *args;
  rh_diag *diag;
  const char *path[2];
  rh_recording *run[2];
  rh_channels *channels[2];
  rh_data *data[2]; // the last read frames
  gap *gap;
  int ngap;
  double *value[2]; // (ngap)
  int *index[2];
  double tolerance;
  long frames;        // compared
  long bits;          // first frame whose state differs at all, RH_NONE
  long event;         // first event that differs, RH_NONE
  rh_event events[2]; // the two there
  const gap *worst;   // of the first differing frame: the channel with the maximum difference
} pair;

static rh_status open_run(pair *p, int i)
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
static rh_status pair_channels(pair *p, const rh_words *words)
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
      p->gap[p->ngap++] = (gap){.a = a, .b = b, .frame = RH_NONE};
    }
  }
  return RH_OK;
}

// ---- Comparing

static double value_distance(double a, double b)
{
  bool same = a == b || (isnan(a) && isnan(b));
  return same ? 0 : isnan(a - b) ? HUGE_VAL : fabs(a - b);
}

static void compare_values(pair *p, long frame)
{
  double t = *p->data[0]->t;
  const gap *worst = NULL;
  double off = 0;
  for (int k = 0; k < p->ngap; k++) {
    double a = p->value[0][k];
    double b = p->value[1][k];
    double d = value_distance(a, b);
    gap *g = &p->gap[k];
    if (d > g->most) {
      g->most = d;
      g->most_t = t;
    }
    if (d <= p->tolerance) {
      continue;
    }
    if (g->frame == RH_NONE) {
      *g = (gap){g->a, g->b, frame, t, {a, b}, g->most, g->most_t};
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

static rh_status compare_frame(pair *p, long frame)
{
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    RH_TRY(rh_recording_world(p->run[i], frame, &p->data[i], &hash[i], p->diag));
  }
  int n = rh_recording_model(p->run[0])->nstate;
  bool alike = n == rh_recording_model(p->run[1])->nstate &&
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

static rh_status read_event(const pair *p, int run, long index, rh_event *event)
{
  *event = (rh_event){.t = -1}; // before any: there is none
  return index < rh_recording_events(p->run[run])
             ? rh_recording_event(p->run[run], index, event, p->diag)
             : RH_OK;
}

// Events of only one run count as no difference after the last frame of both: an interrupted run
// may have been on its way to the next. [frames]
static rh_status compare_events(pair *p)
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
                value_distance(e[0].t, e[1].t) <= p->tolerance;
    p->event = same ? RH_NONE : i;
  }
  return RH_OK;
}

static bool are_alike(const pair *p)
{
  return p->worst == NULL && p->event == RH_NONE &&
         rh_recording_frames(p->run[0]) == rh_recording_frames(p->run[1]);
}

// ---- Printing

// The channels that differ, the earliest first; of the same frame, the greatest difference first.
static const gap *next_gap(const pair *p, const gap *last)
{
  const gap *best = NULL;
  for (int k = 0; k < p->ngap; k++) {
    const gap *g = &p->gap[k];
    bool later =
        last == NULL || g->frame > last->frame ||
        (g->frame == last->frame && (g->most < last->most || (g->most == last->most && g > last)));
    bool earlier =
        best == NULL || g->frame < best->frame || (g->frame == best->frame && g->most > best->most);
    best = g->frame != RH_NONE && later && earlier ? g : best;
  }
  return best;
}

static rh_status print_gaps(const pair *p)
{
  static const char *const head[] = {"channel", "unit", "differs from [s]", "greatest", "at [s]"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x1C);
  int shown = 0;
  int all = 0;
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  for (int k = 0; k < p->ngap; k++) {
    all += p->gap[k].frame != RH_NONE;
  }
  for (const gap *g = NULL; shown < SHOWN && (g = next_gap(p, g)) != NULL; shown++) {
    rh_table_add(table, "%s", rh_channel_name(p->channels[0], g->a));
    rh_table_add(table, "%s", rh_channel_unit(p->channels[0], g->a));
    rh_table_add(table, "%.9g", g->t);
    rh_table_add(table, "%.3e", g->most);
    rh_table_add(table, "%.9g", g->most_t);
  }
  putchar('\n');
  rh_status status = rh_table_print(table, stdout, 2, rh_color_allowed(p->args, stdout));
  rh_table_destroy(table);
  if (all > shown) {
    printf("  ... and %d more channels; --json has all\n", all - shown);
  }
  return status;
}

static void print_event(const pair *p)
{
  if (p->event == RH_NONE) {
    return;
  }
  printf("first event that differs: number %ld:", p->event + 1);
  for (int i = 0; i < 2; i++) {
    const rh_event *e = &p->events[i];
    bool none = p->event >= rh_recording_events(p->run[i]);
    printf(i > 0 ? " and " : " ");
    printf(none ? "none" : "%s of %s at t = %.12g s", rh_event_word(e->kind), e->name, e->t);
  }
  putchar('\n');
}

static rh_status print_pair(const pair *p)
{
  long n[2] = {rh_recording_frames(p->run[0]), rh_recording_frames(p->run[1])};
  if (are_alike(p)) {
    if (p->bits == RH_NONE) {
      printf("the same: %ld frames, bit for bit\n", n[0]);
    } else {
      printf("the same within %g: %ld frames; the first bit differs in frame %ld\n", p->tolerance,
             n[0], p->bits);
    }
    return RH_OK;
  }
  if (n[0] != n[1]) {
    rh_print("%s has %ld frames, %s %ld\n", p->path[0], n[0], p->path[1], n[1]);
  }
  if (p->worst != NULL) {
    const gap *g = p->worst;
    rh_print("first frame that differs: %ld, t = %.9g s: %s is %.17g and %.17g, %.3e %s apart\n",
             g->frame, g->t, rh_channel_name(p->channels[0], g->a), g->first[0], g->first[1],
             value_distance(g->first[0], g->first[1]), rh_channel_unit(p->channels[0], g->a));
  }
  print_event(p);
  return p->worst != NULL ? print_gaps(p) : RH_OK;
}

static void json_gap(rh_json *json, const pair *p, const char *key, const gap *g)
{
  rh_json_open_object(json, key);
  rh_json_string(json, "channel", rh_channel_name(p->channels[0], g->a));
  rh_json_string(json, "unit", rh_channel_unit(p->channels[0], g->a));
  rh_json_integer(json, "frame", g->frame);
  rh_json_number(json, "t", g->t);
  rh_json_numbers(json, "values", g->first, 2);
  rh_json_number(json, "greatest", g->most);
  rh_json_number(json, "greatest_t", g->most_t);
  rh_json_close(json);
}

static rh_status json_pair(const pair *p)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_open_array(&json, "runs");
  rh_json_string(&json, NULL, p->path[0]);
  rh_json_string(&json, NULL, p->path[1]);
  rh_json_close(&json);
  rh_json_bool(&json, "same", are_alike(p));
  rh_json_number(&json, "tolerance", p->tolerance);
  rh_json_numbers(&json, "frames",
                  (const double[]){(double)rh_recording_frames(p->run[0]),
                                   (double)rh_recording_frames(p->run[1])},
                  2);
  rh_json_integer(&json, "first_bit", p->bits);
  rh_json_integer(&json, "first_event", p->event);
  if (p->worst != NULL) {
    json_gap(&json, p, "first", p->worst);
  } else {
    rh_json_null(&json, "first");
  }
  rh_json_open_array(&json, "channels");
  for (const gap *g = next_gap(p, NULL); g != NULL; g = next_gap(p, g)) {
    json_gap(&json, p, NULL, g);
  }
  rh_json_end(&json);
  return rh_text_print(&text, NULL);
}

// ---- The comparison

static rh_status compare_all(pair *p, const rh_words *words)
{
  const char *text = rh_args_text(p->args, "tol");
  char why[RH_WHY_MAX];
  if (text != NULL && (!rh_unit_parse(text, "1", &p->tolerance, why) || !(p->tolerance >= 0))) {
    return rh_refuse(RH_WRONG_USAGE, "compare: --tol needs a number >= 0, got '%s'", text);
  }
  for (int i = 0; i < 2; i++) {
    RH_TRY(open_run(p, i));
  }
  RH_TRY(pair_channels(p, words));
  long n[2] = {rh_recording_frames(p->run[0]), rh_recording_frames(p->run[1])};
  p->frames = n[0] < n[1] ? n[0] : n[1];
  for (long i = 0; i < p->frames; i++) {
    RH_TRY(compare_frame(p, i));
  }
  RH_TRY(compare_events(p));
  RH_TRY(p->args->json ? json_pair(p) : print_pair(p));
  return are_alike(p) ? RH_OK : RH_OUTSIDE_TOLERANCE;
}

rh_status rh_compare_runs(const rh_args *args, rh_diag *diag)
{
  pair p = {.args = args,
            .diag = diag,
            .path = {args->file[0], args->file[1]},
            .bits = RH_NONE,
            .event = RH_NONE};
  rh_words words = {0};
  rh_status status = rh_words_split(&words, rh_args_text(args, "channel"));
  if (status == RH_OK) {
    status = compare_all(&p, &words);
  }
  for (int i = 0; i < 2; i++) {
    rh_free(p.index[i]);
    rh_free(p.value[i]);
    rh_channels_destroy(p.channels[i]);
    rh_recording_close(p.run[i]);
  }
  rh_free(p.gap);
  rh_words_free(&words);
  return status;
}
