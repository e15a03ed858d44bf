// requests.c: requests of a page over a connection, as a path: /head/0,
// /frames/0/FIRST/COUNT/STRIDE ... (viewer.h). All of it comes from outside: numbers are plain
// digits, and each is checked at its use.
#include "base/json.h"
#include "viewer.h"

#include <string.h>

#define PARTS    6
#define DIGITS   12
#define CHANNELS 32 // per request

typedef struct request {
  const char *word; // "head"
  size_t length;    // of the word
  long number[PARTS - 1];
  int n;
  const char *list; // rest after the last number of /channels, "3,4,5"
} request;

static const char *read_digits(const char *at, long *value)
{
  long x = 0;
  int digits = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    if (++digits > DIGITS) {
      return NULL;
    }
    x = 10 * x + (*at - '0');
  }
  *value = x;
  return digits > 0 ? at : NULL;
}

// "/word/1/2/3"; the fifth element of channels is a list.
static bool read_request(const char *path, request *r)
{
  *r = (request){.word = path + 1};
  if (path[0] != '/') {
    return false;
  }
  r->length = strcspn(r->word, "/");
  const char *at = r->word + r->length;
  bool lists = r->length == 8 && memcmp(r->word, "channels", 8) == 0;
  while (*at == '/') {
    if (lists && r->n == 4) {
      r->list = at + 1;
      return true;
    }
    if (r->n == PARTS - 1 || (at = read_digits(at + 1, &r->number[r->n++])) == NULL) {
      return false;
    }
  }
  return *at == '\0';
}

static bool read_list(const rh_viewer *film, const char *list, int channel[CHANNELS], int *n)
{
  int count = rh_channels_count(rh_viewer_channels_of(film));
  const char *at = list;
  for (*n = 0; at != NULL && *n < CHANNELS; (*n)++) {
    long index = 0;
    at = read_digits(at, &index);
    if (at == NULL || index >= count) {
      return false;
    }
    channel[*n] = (int)index;
    if (*at != ',') {
      (*n)++;
      return *at == '\0';
    }
    at++;
  }
  return false;
}

// ---- Answers

typedef rh_status answer(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out);

static rh_status refuse_request(rh_diag *diag)
{
  rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "the request is unknown");
  return RH_INPUT_REFUSED;
}

static rh_status give_head(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  (void)r;
  return rh_viewer_head(film, NULL, diag, out);
}

static rh_status give_mesh(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  const rh_model *m = rh_viewer_model(film);
  if (r->number[1] >= m->meshes.n) {
    return refuse_request(diag);
  }
  rh_viewer_meshes(m, (int)r->number[1], out);
  return RH_OK;
}

static rh_status give_look(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  const rh_model *m = rh_viewer_model(film);
  if (r->number[1] >= m->meshes.visuals.nmesh ||
      r->number[2] >= rh_viewer_look_levels(m, (int)r->number[1])) {
    return refuse_request(diag);
  }
  return rh_viewer_look(m, (int)r->number[1], (int)r->number[2], out);
}

static rh_status give_frames(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  return rh_viewer_frames(film, (rh_viewer_span){r->number[1], r->number[2], r->number[3]}, diag,
                          out);
}

static rh_status give_crowd(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  return rh_viewer_crowd_of(film)->n > 0
             ? rh_viewer_balls(film, r->number[1], (const long[2]){r->number[2], r->number[3]},
                               diag, out)
             : refuse_request(diag);
}

static rh_status give_channels(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  int channel[CHANNELS];
  int n = 0;
  if (!read_list(film, r->list, channel, &n)) {
    return refuse_request(diag);
  }
  const rh_viewer_span span = {r->number[1], r->number[2], r->number[3]};
  return rh_viewer_values(film, span, channel, n, diag, out);
}

static rh_status give_impacts(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  rh_event event;
  rh_viewer_again *again = NULL;
  if (rh_viewer_live_of(film) != NULL) {
    rh_viewer_live_impacts(rh_viewer_live_of(film), r->number[1], out);
    return RH_OK;
  }
  RH_TRY(rh_viewer_event(film, r->number[1], diag, &event));
  RH_TRY(rh_viewer_again_open(film, diag, &again));
  const double span[2] = {event.t, event.t};
  rh_status status = rh_viewer_impacts(again, span, RH_VIEWER_IMPACTS_MAX, diag, out);
  rh_viewer_again_close(again);
  return status;
}

static rh_status give_zoom(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  double span[2];
  rh_viewer_again *again = NULL;
  rh_event event;
  RH_TRY(rh_viewer_event(film, r->number[1], diag, &event));
  if (rh_viewer_live_of(film) != NULL || !rh_viewer_zoom_span(film, r->number[1], diag, span)) {
    rh_viewer_block none = {0}; // no zoom: a block without frames
    const uint32_t first_stride[2] = {(uint32_t)r->number[1], 0};
    return rh_viewer_finish(&none, RH_VIEWER_ZOOMED, first_stride, 0, out) ? RH_OK
                                                                           : RH_OUT_OF_MEMORY;
  }
  RH_TRY(rh_viewer_again_open(film, diag, &again));
  rh_status status = rh_viewer_zoom(again, r->number[1], span, diag, out);
  rh_viewer_again_close(again);
  return status;
}

// Changes since the head was sent: of a live run, or of a growing recording.
static rh_status give_now(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  (void)r;
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  RH_TRY(rh_viewer_now(film, diag, &json));
  rh_json_end(&json);
  return RH_OK;
}

static rh_status give_events(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  RH_TRY(rh_viewer_events(film, r->number[1], RH_VIEWER_EVENTS_MAX, diag, &json));
  rh_json_end(&json);
  return RH_OK;
}

static rh_status give_values(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  (void)r;
  const rh_viewer_live *live = rh_viewer_live_of(film);
  return live != NULL ? rh_viewer_sliders(live, diag, out) : refuse_request(diag);
}

static rh_status give_law(rh_viewer *film, const request *r, rh_diag *diag, rh_text *out)
{
  const rh_viewer_live *live = rh_viewer_live_of(film);
  return live != NULL ? rh_viewer_law(live, r->number[1], diag, out) : refuse_request(diag);
}

static const struct {
  const char *word;
  int numbers; // the first is the run
  answer *give;
  bool json;
} known[] = {{"head", 1, give_head, true},       {"mesh", 2, give_mesh, false},
             {"look", 3, give_look, false},      {"frames", 4, give_frames, false},
             {"crowd", 4, give_crowd, false},    {"channels", 4, give_channels, false},
             {"impacts", 2, give_impacts, true}, {"zoom", 2, give_zoom, false},
             {"now", 1, give_now, true},         {"events", 2, give_events, true},
             {"values", 1, give_values, true},   {"law", 2, give_law, true}};

static void give_runs(int n, rh_text *out)
{
  rh_json json = rh_json_start(out, false);
  rh_json_open_object(&json, NULL);
  rh_json_integer(&json, "runs", n);
  rh_json_end(&json);
}

rh_status rh_viewer_answer(rh_viewer *const *film, int n, const char *path, rh_diag *diag,
                           rh_text *out, const char **type)
{
  request r;
  *type = "application/json";
  if (strcmp(path, "/runs") == 0) {
    give_runs(n, out);
    return out->failed ? RH_OUT_OF_MEMORY : RH_OK;
  }
  if (!read_request(path, &r) || r.n < 1 || r.number[0] >= n) {
    return refuse_request(diag);
  }
  for (int i = 0; i < RH_COUNT(known); i++) {
    if (strlen(known[i].word) == r.length && memcmp(known[i].word, r.word, r.length) == 0 &&
        known[i].numbers == r.n) {
      *type = known[i].json ? "application/json" : "application/octet-stream";
      rh_status status = known[i].give(film[r.number[0]], &r, diag, out);
      return status == RH_OK && out->failed ? RH_OUT_OF_MEMORY : status;
    }
  }
  return refuse_request(diag);
}
