// run.c: a recording for the page: its head, and any range of its frames, with a stride.
#include "base/json.h"
#include "recording/recording.h"
#include "viewer.h"

#include <routh/routh.h>

#include <math.h>
#include <string.h>

#define SCENE_MAX (256 << 10) // [byte] a longer scene is not shown

struct rh_viewer {
  char *name;              // its name on the page
  char *scene;             // of a live run: its text
  long number;             // number in requests of a page, for successive runs
  rh_recording *recording; // NULL: it is live
  rh_viewer_live *live;    // NULL: it is a recording
  rh_channels *channels;
  rh_data *data;         // the last read frame, owned elsewhere
  rh_viewer_crowd crowd; // of a recording
  long placed;           // frame whose kinematics `data` has, of a crowd; RH_NONE: of none
};

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static char *copy_of(const char *text)
{
  char *copy = rh_alloc(strlen(text) + 1);
  if (copy != NULL) {
    memcpy(copy, text, strlen(text) + 1);
  }
  return copy;
}

// Common to both kinds; closes the film after a failure.
static rh_status finish_open(rh_viewer *f, const char *name, rh_viewer **film)
{
  const rh_model *model = rh_viewer_model(f);
  f->name = copy_of(name);
  f->channels = rh_channels_create(model);
  if (f->name == NULL || f->channels == NULL) {
    rh_viewer_close(f);
    return RH_OUT_OF_MEMORY;
  }
  f->placed = RH_NONE;
  if (f->live == NULL && rh_viewer_crowd_create(model, &f->crowd) != RH_OK) {
    rh_viewer_close(f);
    return RH_OUT_OF_MEMORY;
  }
  *film = f;
  return RH_OK;
}

rh_status rh_viewer_open(const char *path, rh_diag *diag, rh_viewer **film)
{
  rh_viewer *f = rh_alloc(sizeof *f);
  if (f == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *f = (rh_viewer){0};
  rh_status status = rh_recording_open(path, diag, &f->recording);
  if (status != RH_OK) {
    rh_viewer_close(f);
    return status;
  }
  return finish_open(f, base_of(path), film);
}

rh_status rh_viewer_open_live(rh_viewer_live *live, const char *name, const char *scene,
                              rh_viewer **film)
{
  rh_viewer *f = rh_alloc(sizeof *f);
  if (f == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  *f = (rh_viewer){.live = live, .scene = copy_of(scene)};
  if (f->scene == NULL) {
    rh_viewer_close(f);
    return RH_OUT_OF_MEMORY;
  }
  return finish_open(f, base_of(name), film);
}

void rh_viewer_close(rh_viewer *film)
{
  if (film == NULL) {
    return;
  }
  rh_channels_destroy(film->channels);
  rh_viewer_crowd_free(&film->crowd);
  rh_recording_close(film->recording);
  rh_free(film->name);
  rh_free(film->scene);
  rh_free(film);
}

void rh_viewer_set_number(rh_viewer *film, long number)
{
  film->number = number;
}

rh_recording *rh_viewer_recording(const rh_viewer *film)
{
  return film->recording;
}

const rh_channels *rh_viewer_channels_of(const rh_viewer *film)
{
  return film->channels;
}

rh_viewer_live *rh_viewer_live_of(const rh_viewer *film)
{
  return film->live;
}

const rh_model *rh_viewer_model(const rh_viewer *film)
{
  return film->live != NULL ? rh_viewer_live_model(film->live)
                            : rh_recording_model(film->recording);
}

long rh_viewer_frame_count(const rh_viewer *film)
{
  return film->live != NULL ? rh_viewer_live_frames(film->live)
                            : rh_recording_frames(film->recording);
}

long rh_viewer_event_count(const rh_viewer *film)
{
  return film->live != NULL ? rh_viewer_live_events(film->live)
                            : rh_recording_events(film->recording);
}

rh_status rh_viewer_event(const rh_viewer *film, long index, rh_diag *diag, rh_event *event)
{
  if (film->live == NULL) {
    return rh_recording_event(film->recording, index, event, diag);
  }
  const rh_event *found = rh_viewer_live_event(film->live, index);
  if (found == NULL) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "there is no event %ld", index);
    return RH_INPUT_REFUSED;
  }
  *event = *found;
  return RH_OK;
}

static rh_status read_frame(rh_viewer *film, long index, uint64_t *hash, rh_diag *diag)
{
  film->placed = RH_NONE;
  return film->live == NULL ? rh_recording_world(film->recording, index, &film->data, hash, diag)
                            : rh_viewer_live_world(film->live, index, diag, &film->data);
}

// ---- A crowd

const rh_viewer_crowd *rh_viewer_crowd_of(const rh_viewer *film)
{
  return &film->crowd;
}

// Reads a frame and places its bodies, unless that was the last thing done: the balls of a frame come in several parts.
static rh_status place_frame(rh_viewer *film, long index, rh_diag *diag)
{
  if (film->placed == index) {
    return RH_OK;
  }
  RH_TRY(read_frame(film, index, NULL, diag));
  rh_kinematics(film->data);
  film->placed = index;
  return RH_OK;
}

rh_status rh_viewer_balls(rh_viewer *film, long frame, const long span[2], rh_diag *diag,
                          rh_text *out)
{
  RH_TRY(place_frame(film, frame, diag));
  rh_viewer_crowd_put(&film->crowd, film->data, frame, span, out);
  return out->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

// Where the balls are at the start, half way and at the end; the page looks there.
static rh_status put_crowd(rh_viewer *film, rh_diag *diag, rh_json *json)
{
  double box[2][3] = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  long frames = rh_viewer_frame_count(film);
  for (int i = 0; i < 3 && frames > 0; i++) {
    RH_TRY(place_frame(film, i * (frames - 1) / 2, diag));
    rh_viewer_crowd_widen(&film->crowd, film->data, box[0], box[1]);
  }
  rh_json_open_object(json, "crowd");
  rh_json_integer(json, "n", film->crowd.n);
  rh_json_numbers(json, "low", box[0], 3);
  rh_json_numbers(json, "high", box[1], 3);
  rh_json_close(json);
  return RH_OK;
}

// ---- The head

// End of a completed run: its hash, its last time.
static rh_status put_end(rh_viewer *film, rh_diag *diag, rh_json *json)
{
  uint64_t hash = 0;
  char text[24];
  long frames = rh_viewer_frame_count(film);
  if (film->live != NULL) {
    rh_viewer_live_now(film->live, json);
    return RH_OK;
  }
  if (frames > 0) {
    RH_TRY(read_frame(film, frames - 1, &hash, diag));
  }
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  rh_json_string(json, "hash", text);
  rh_json_number(json, "end", frames > 0 ? *film->data->t : 0);
  rh_json_string(json, "ended", rh_recording_meta(film->recording, "ended"));
  rh_json_string(json, "reason", rh_recording_meta(film->recording, "reason"));
  rh_json_string(json, "session", rh_recording_meta(film->recording, "haptic"));
  rh_json_integer(json, "frames", frames);
  rh_json_integer(json, "event_count", rh_viewer_event_count(film));
  return RH_OK;
}

rh_status rh_viewer_now(rh_viewer *film, rh_diag *diag, rh_json *json)
{
  bool ended = false;
  if (film->live != NULL) {
    rh_viewer_live_now(film->live, json);
    return RH_OK;
  }
  (void)rh_recording_refresh(film->recording, &ended);
  long frames = rh_viewer_frame_count(film);
  if (frames > 0) {
    RH_TRY(read_frame(film, frames - 1, NULL, diag));
  }
  rh_json_integer(json, "frames", frames);
  rh_json_integer(json, "event_count", rh_viewer_event_count(film));
  rh_json_number(json, "end", frames > 0 ? *film->data->t : 0);
  rh_json_bool(json, "running", !ended);
  return RH_OK;
}

static const char *meta_value(const rh_viewer *film, const char *key, const char *live)
{
  return film->live != NULL ? live : rh_recording_meta(film->recording, key);
}

rh_status rh_viewer_head(rh_viewer *film, const double *constant, rh_diag *diag, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  const char *scene = meta_value(film, "scene", film->scene);
  const char *name = meta_value(film, "scene_name", film->name);
  rh_json_open_object(&json, NULL);
  rh_json_integer(&json, "format", RH_VIEWER_FORMAT);
  rh_json_string(&json, "routh", meta_value(film, "routh", RH_VERSION));
  rh_json_bool(&json, "live", film->live != NULL);
  rh_json_string(&json, "run", film->name);
  rh_json_integer(&json, "number", film->number);
  rh_json_string(&json, "scene_name", name != NULL ? base_of(name) : NULL);
  rh_json_string(&json, "scene", scene != NULL && strlen(scene) < SCENE_MAX ? scene : NULL);
  RH_TRY(put_end(film, diag, &json));
  if (film->crowd.n > 0) {
    RH_TRY(put_crowd(film, diag, &json));
    rh_viewer_crowded_put(&json, rh_viewer_model(film), film->channels, &film->crowd);
  } else {
    rh_viewer_model_put(&json, rh_viewer_model(film), film->channels, constant);
  }
  RH_TRY(rh_viewer_events(film, 0, rh_viewer_event_count(film), diag, &json));
  rh_json_end(&json);
  return out->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

// ---- Frames

static rh_status cut_span(const rh_viewer *film, rh_viewer_span *span, long bytes_each,
                          rh_diag *diag)
{
  long frames = rh_viewer_frame_count(film);
  if (span->first < 0 || span->stride < 1 || span->count < 0) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "frames %ld, %ld of them, every %ld: no such range",
                span->first, span->count, span->stride);
    return RH_INPUT_REFUSED;
  }
  long most = span->first < frames ? (frames - 1 - span->first) / span->stride + 1 : 0;
  span->count = span->count < most ? span->count : most;
  if (span->count > RH_VIEWER_BLOCK_MAX / bytes_each) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "%ld frames are more than one block holds",
                span->count);
    return RH_OVER_LIMIT;
  }
  return RH_OK;
}

// Of a scene with a crowd: the energies are those of the recording, and the contact points are left out. Where nothing but the
// crowd moves no state is read.
static rh_status add_crowded(rh_viewer *film, long index, rh_diag *diag, rh_viewer_block *block)
{
  const rh_model *m = rh_viewer_model(film);
  double t;
  rh_ledger ledger;
  RH_TRY(rh_rec_frame_ledger(film->recording, index, &t, &ledger, diag));
  bool few = m->nbody > film->crowd.n + 1;
  if (few) {
    RH_TRY(place_frame(film, index, diag));
  }
  rh_viewer_add_kept(block, few ? film->data : NULL, &film->crowd, t, &ledger);
  return RH_OK;
}

rh_status rh_viewer_frames(rh_viewer *film, rh_viewer_span span, rh_diag *diag, rh_text *out)
{
  const rh_model *m = rh_viewer_model(film);
  bool crowded = film->crowd.n > 0;
  int bodies = m->nbody - film->crowd.n;
  long each = 4l * (RH_VIEWER_POSE * bodies + RH_VIEWER_LEDGER + 3);
  RH_TRY(cut_span(film, &span, each, diag));
  rh_viewer_block block = {0};
  rh_status status = RH_OK;
  for (long i = 0; status == RH_OK && i < span.count; i++) {
    if (crowded) {
      status = add_crowded(film, span.first + i * span.stride, diag, &block);
      continue;
    }
    status = read_frame(film, span.first + i * span.stride, NULL, diag);
    if (status == RH_OK) {
      rh_viewer_add(&block, film->channels, film->data);
    }
    if ((long)block.point.size > RH_VIEWER_BLOCK_MAX) {
      rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "the contact points are more than one block holds");
      status = RH_OVER_LIMIT;
    }
  }
  if (status != RH_OK) {
    rh_viewer_block_free(&block);
    return status;
  }
  const uint32_t first_stride[2] = {(uint32_t)span.first, (uint32_t)span.stride};
  return rh_viewer_finish(&block, RH_VIEWER_FRAMES, first_stride, bodies - 1, out)
             ? RH_OK
             : RH_OUT_OF_MEMORY;
}

// ---- Channels

// Channels in `channel`, read in one pass.
typedef struct table {
  int *channel;
  int n;
  float *value; // [n][count]
  double *t;
} table;

// Energies of a scene with a crowd: from the ledger, without the state. False: some channel is none.
static bool only_energies(rh_viewer *film, const table *x, int place[RH_VIEWER_LEDGER])
{
  int index[RH_VIEWER_LEDGER];
  rh_viewer_ledger_channels(film->channels, index);
  for (int k = 0; k < x->n && film->crowd.n > 0; k++) {
    int i = 0;
    while (i < RH_VIEWER_LEDGER && index[i] != x->channel[k]) {
      i++;
    }
    if (k == RH_VIEWER_LEDGER || i == RH_VIEWER_LEDGER) {
      return false;
    }
    place[k] = i;
  }
  return film->crowd.n > 0;
}

static rh_status read_energies(rh_viewer *film, rh_viewer_span span, const table *x,
                               const int place[RH_VIEWER_LEDGER], rh_diag *diag)
{
  for (long i = 0; i < span.count; i++) {
    rh_ledger ledger;
    RH_TRY(rh_rec_frame_ledger(film->recording, span.first + i * span.stride, &x->t[i], &ledger,
                               diag));
#define ENTRY(name, text) ledger.name,
    const double entry[] = {RH_LEDGER_LIST(ENTRY)};
#undef ENTRY
    for (int k = 0; k < x->n; k++) {
      x->value[(size_t)k * (size_t)span.count + (size_t)i] = rh_viewer_float(entry[place[k]]);
    }
  }
  return RH_OK;
}

static rh_status read_table(rh_viewer *film, rh_viewer_span span, const table *x, rh_diag *diag,
                            rh_viewer_block *frames)
{
  int index[RH_VIEWER_LEDGER];
  double ledger[RH_VIEWER_LEDGER];
  double *row = rh_alloc((size_t)x->n * sizeof *row);
  rh_status status = row != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  rh_viewer_ledger_channels(film->channels, index);
  for (long i = 0; status == RH_OK && i < span.count; i++) {
    status = read_frame(film, span.first + i * span.stride, NULL, diag);
    if (status != RH_OK) {
      break;
    }
    rh_channels_read(film->channels, film->data, x->channel, x->n, row);
    x->t[i] = *film->data->t;
    for (int k = 0; k < x->n; k++) {
      x->value[(size_t)k * (size_t)span.count + (size_t)i] = rh_viewer_float(row[k]);
    }
    for (int k = 0; frames != NULL && k < RH_VIEWER_LEDGER; k++) {
      ledger[k] = row[index[k]];
    }
    if (frames != NULL) { // all channels were read in order
      rh_viewer_add_read(frames, film->data, ledger);
    }
  }
  rh_free(row);
  return status;
}

static bool table_open(table *x, size_t count, int n)
{
  *x = (table){.n = n,
               .channel = rh_alloc(((size_t)n + 1) * sizeof *x->channel),
               .value = rh_alloc((count * (size_t)n + 1) * sizeof *x->value),
               .t = rh_alloc((count + 1) * sizeof *x->t)};
  return x->channel != NULL && x->value != NULL && x->t != NULL;
}

static void table_close(table *x)
{
  rh_free(x->channel);
  rh_free(x->value);
  rh_free(x->t);
}

static rh_status table_put(const table *x, rh_viewer_span span, rh_text *out)
{
  size_t count = (size_t)span.count;
  const uint32_t word[RH_VIEWER_HEAD - 1] = {RH_VIEWER_CHANNELS, (uint32_t)span.first,
                                             (uint32_t)span.count, (uint32_t)span.stride,
                                             (uint32_t)x->n};
  rh_viewer_put_head(out, word);
  for (size_t i = 0; i < count; i++) {
    rh_viewer_put_f64(out, x->t[i]);
  }
  for (int k = 0; k < x->n; k++) {
    rh_viewer_put_u32(out, (uint32_t)x->channel[k]);
  }
  for (size_t i = 0; i < count * (size_t)x->n; i++) {
    rh_viewer_put_f32(out, (double)x->value[i]);
  }
  return out->failed ? RH_OUT_OF_MEMORY : RH_OK;
}

rh_status rh_viewer_values(rh_viewer *film, rh_viewer_span span, const int *channel, int n,
                           rh_diag *diag, rh_text *out)
{
  RH_ASSERT(n > 0);
  RH_TRY(cut_span(film, &span, 8 + 4l * n, diag));
  table x;
  rh_status status = table_open(&x, (size_t)span.count, n) ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    memcpy(x.channel, channel, (size_t)n * sizeof *channel);
    int place[RH_VIEWER_LEDGER];
    status = only_energies(film, &x, place) ? read_energies(film, span, &x, place, diag)
                                            : read_table(film, span, &x, diag, NULL);
  }
  if (status == RH_OK) {
    status = table_put(&x, span, out);
  }
  table_close(&x);
  return status;
}

// Removes constant channels from the table.
static void take_constants(table *x, size_t count, double *constant)
{
  int kept = 0;
  for (int k = 0; k < x->n; k++) {
    const float *from = x->value + (size_t)k * count;
    bool same = true;
    for (size_t i = 1; same && i < count; i++) {
      same = from[i] == from[0];
    }
    constant[k] = same && count > 0 ? (double)from[0] : (double)NAN;
    if (!same) {
      memmove(x->value + (size_t)kept * count, from, count * sizeof *from);
      x->channel[kept++] = k;
    }
  }
  x->n = kept;
}

rh_status rh_viewer_all_values(rh_viewer *film, rh_viewer_span span, rh_diag *diag,
                               double *constant, rh_viewer_block *frames, rh_text *out)
{
  int n = rh_channels_count(film->channels);
  RH_TRY(cut_span(film, &span, 8 + 4l * n, diag));
  table x;
  rh_status status = table_open(&x, (size_t)span.count, n) ? RH_OK : RH_OUT_OF_MEMORY;
  for (int k = 0; status == RH_OK && k < n; k++) {
    x.channel[k] = k;
  }
  if (status == RH_OK) {
    status = read_table(film, span, &x, diag, frames);
  }
  if (status == RH_OK) {
    take_constants(&x, (size_t)span.count, constant);
    status = table_put(&x, span, out);
  }
  table_close(&x);
  return status;
}
