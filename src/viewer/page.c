// page.c: a page with its runs inside: one self-contained HTML file. The built page has a mark for
// the data; numbers are base64, JSON has its '<' written as \u003c, so that no name can end its
// element.
#include "viewer.h"

#include <math.h>
#include <string.h>

static const char mark[] = "<!--routh:data-->";

#define START_MAX   32   // maximum initial frames of a served page
#define BALL_FRAMES 60   // maximum frames with the balls of a crowd, of an exported page
#define START_POSES 3000 // bodies in all of them, approximately

// ---- Elements

static void put_base64(FILE *out, const rh_text *bytes)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = (const unsigned char *)bytes->data;
  for (size_t i = 0; i < bytes->size; i += 3) {
    size_t left = bytes->size - i;
    unsigned word = (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) |
                    (left > 2 ? (unsigned)b[i + 2] : 0);
    char quad[4] = {digit[word >> 18 & 63], digit[word >> 12 & 63],
                    left > 1 ? digit[word >> 6 & 63] : '=', left > 2 ? digit[word & 63] : '='};
    fwrite(quad, 1, sizeof quad, out);
  }
}

static void put_json(FILE *out, const rh_text *json)
{
  for (size_t i = 0; i < json->size; i++) {
    if (json->data[i] == '<') {
      fputs("\\u003c", out);
    } else {
      fputc(json->data[i], out);
    }
  }
}

static void open_element(FILE *out, const char *what, int run)
{
  fprintf(out, "<script type=\"text/plain\" class=\"routh-%s\" data-run=\"%d\">", what, run);
}

// Writes a text as an element and frees it.
static rh_status put_element(FILE *out, const char *what, int run, rh_text *text)
{
  if (text->failed) {
    return RH_OUT_OF_MEMORY;
  }
  open_element(out, what, run);
  if (strcmp(what, "block") == 0) {
    put_base64(out, text);
  } else {
    put_json(out, text);
  }
  fputs("</script>\n", out);
  rh_text_free(text);
  return RH_OK;
}

// ---- One run

typedef struct writer {
  rh_viewer *film;
  int run;
  const rh_viewer_limits *limits;
  rh_diag *diag;
  FILE *out;
} writer;

static rh_viewer_span span_of(const writer *w, long each)
{
  long frames = rh_recording_frames(rh_viewer_recording(w->film));
  long room = w->limits->bytes / 2 / each;
  long most = RH_VIEWER_BLOCK_MAX / 2 / each;
  room = room < most ? room : most;
  room = room < 2 ? 2 : room;
  long stride = frames > room ? (frames - 1) / room + 1 : 1;
  return (rh_viewer_span){0, frames, stride};
}

// Usual maximum bytes of a frame: contact points are added, four per body as in a pile.
static long frame_bytes(const writer *w)
{
  const rh_model *m = rh_viewer_model(w->film);
  const rh_viewer_crowd *crowd = rh_viewer_crowd_of(w->film);
  int bodies = m->nbody - crowd->n;
  bool points = m->ncontact > 0 && crowd->n == 0;
  return 4l * (RH_VIEWER_POSE * bodies + RH_VIEWER_LEDGER + 3 +
               4 * RH_VIEWER_POINT * (points ? bodies : 0));
}

static rh_status put_frames(const writer *w, rh_viewer_span span, rh_viewer_block *read)
{
  rh_text block = {0};
  const uint32_t first_stride[2] = {0, (uint32_t)span.stride};
  int bodies = rh_viewer_model(w->film)->nbody - 1;
  rh_status status = RH_OK;
  if (read != NULL) {
    bool good = rh_viewer_finish(read, RH_VIEWER_FRAMES, first_stride, bodies, &block);
    status = good ? RH_OK : RH_OUT_OF_MEMORY;
  } else {
    status = rh_viewer_frames(w->film, span, w->diag, &block);
  }
  if (status == RH_OK) {
    status = put_element(w->out, "block", w->run, &block);
  }
  rh_text_free(&block);
  return status;
}

static rh_status put_head(const writer *w, const double *constant)
{
  rh_text head = {0};
  rh_status status = rh_viewer_head(w->film, constant, w->diag, &head);
  if (status == RH_OK) {
    status = put_element(w->out, "head", w->run, &head);
  }
  rh_text_free(&head);
  return status;
}

// Channels and frames are read together where both have the same count.
static rh_status put_numbers(const writer *w)
{
  int n = rh_channels_count(rh_viewer_channels_of(w->film));
  rh_viewer_span frames = span_of(w, frame_bytes(w));
  rh_viewer_span values = span_of(w, 8 + 4l * n);
  bool together = frames.stride == values.stride;
  double *constant = rh_alloc((size_t)n * sizeof *constant);
  rh_viewer_block read = {0};
  rh_text text = {0};
  rh_status status = constant != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    status =
        rh_viewer_all_values(w->film, values, w->diag, constant, together ? &read : NULL, &text);
  }
  if (status == RH_OK) {
    status = put_head(w, constant);
  }
  if (status == RH_OK) {
    status = put_element(w->out, "block", w->run, &text);
  }
  if (status == RH_OK) {
    status = put_frames(w, frames, together ? &read : NULL);
  }
  rh_viewer_block_free(&read);
  rh_text_free(&text);
  rh_free(constant);
  return status;
}

static rh_status put_meshes(const writer *w)
{
  const rh_model *m = rh_viewer_model(w->film);
  for (int i = 0; i < m->meshes.n; i++) {
    rh_text block = {0};
    rh_viewer_meshes(m, i, &block);
    RH_TRY(put_element(w->out, "block", w->run, &block));
  }
  return RH_OK;
}

// Surfaces of visuals: the finest level that the budget allows, and those below it for what is far away.
static rh_status put_looks(const writer *w, double triangles)
{
  const rh_model *m = rh_viewer_model(w->film);
  int *level = rh_alloc((size_t)(m->meshes.visuals.nmesh + 1) * sizeof *level);
  rh_status status = level != NULL ? RH_OK : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    rh_viewer_look_budget(m, triangles, level);
  }
  for (int i = 0; i < m->meshes.visuals.nmesh && status == RH_OK; i++) {
    for (int k = level[i]; k < rh_viewer_look_levels(m, i) && status == RH_OK; k++) {
      rh_text block = {0};
      status = rh_viewer_look(m, i, k, &block);
      status = status == RH_OK ? put_element(w->out, "block", w->run, &block) : status;
      rh_text_free(&block);
    }
  }
  rh_free(level);
  return status;
}

static rh_status put_zooms(const writer *w, rh_viewer_again *again)
{
  long events = rh_recording_events(rh_viewer_recording(w->film));
  double covered = -1;
  int done = 0;
  for (long i = 0; i < events && done < RH_VIEWER_ZOOMS_MAX; i++) {
    double span[2];
    rh_text block = {0};
    if (!rh_viewer_zoom_span(w->film, i, w->diag, span) || span[0] < covered) {
      continue;
    }
    rh_status status = rh_viewer_zoom(again, i, span, w->diag, &block);
    if (status == RH_OK) {
      status = put_element(w->out, "block", w->run, &block);
    }
    rh_text_free(&block);
    RH_TRY(status);
    covered = span[1];
    done++;
  }
  return RH_OK;
}

static rh_status put_depth(const writer *w)
{
  const double *look = w->limits->look;
  rh_recording *recording = rh_viewer_recording(w->film);
  if ((w->limits->shallow && !(look[1] > look[0])) || rh_recording_frames(recording) == 0) {
    return RH_OK;
  }
  const double whole[2] = {0, (double)rh_recording_frames(recording) *
                                  rh_recording_model(recording)->run.every};
  rh_text text = {0};
  rh_viewer_again *again = NULL;
  RH_TRY(rh_viewer_again_open(w->film, w->diag, &again));
  rh_status status = rh_viewer_impacts(again, w->limits->shallow ? look : whole,
                                       RH_VIEWER_IMPACTS_MAX, w->diag, &text);
  if (status == RH_OK) {
    status = put_element(w->out, "impacts", w->run, &text);
  }
  if (status == RH_OK && !w->limits->shallow) {
    status = put_zooms(w, again);
  }
  rh_text_free(&text);
  rh_viewer_again_close(again);
  return status;
}

// The balls of a few frames, spread over the run: all of them where they fit, else as many of each.
static rh_status put_balls(const writer *w)
{
  const rh_viewer_crowd *crowd = rh_viewer_crowd_of(w->film);
  long frames = rh_viewer_frame_count(w->film);
  long room = w->limits->bytes / (16l * crowd->n);
  long most = room < 1 ? 1 : room < BALL_FRAMES ? room : BALL_FRAMES;
  long span[2] = {0, w->limits->bytes / (16 * most)};
  const double *look = w->limits->look;
  double every = rh_viewer_model(w->film)->run.every;
  long first = look[1] > look[0] ? (long)floor(look[0] / every)
                                 : 0; // of a picture: from the frame before it on
  long last = look[1] > look[0] ? (long)ceil(look[1] / every) : frames - 1;
  first = first < frames ? first : frames - 1;
  last = last < frames ? last : frames - 1;
  most = last - first + 1 < most ? last - first + 1 : most;
  for (long i = 0; i < most; i++) {
    rh_text block = {0};
    long frame = most > 1 ? first + i * (last - first) / (most - 1) : last;
    rh_status status = rh_viewer_balls(w->film, frame, span, w->diag, &block);
    status = status == RH_OK ? put_element(w->out, "block", w->run, &block) : status;
    rh_text_free(&block);
    RH_TRY(status);
  }
  return RH_OK;
}

// A crowd's bodies have no channels on the page, and its impacts are not looked into.
static rh_status put_crowded(const writer *w)
{
  RH_TRY(put_head(w, NULL));
  RH_TRY(put_frames(w, span_of(w, frame_bytes(w)), NULL));
  return rh_viewer_frame_count(w->film) > 0 ? put_balls(w) : RH_OK;
}

static rh_status put_run(const writer *w)
{
  if (rh_viewer_crowd_of(w->film)->n > 0) {
    RH_TRY(put_crowded(w));
    return put_meshes(w);
  }
  RH_TRY(put_numbers(w));
  RH_TRY(put_meshes(w));
  RH_TRY(put_looks(w, RH_VIEWER_LOOKS_PAGE));
  return put_depth(w);
}

// Data of the first picture: a few frames, spread over the whole run for the camera; of a live run
// the first one.
static rh_status put_start(const writer *w)
{
  long frames = rh_viewer_frame_count(w->film);
  long most = START_POSES / (rh_viewer_model(w->film)->nbody - rh_viewer_crowd_of(w->film)->n);
  most = most < 2 ? 2 : most > START_MAX ? START_MAX : most;
  rh_viewer_span span = {0, most, frames > most ? (frames - 2) / (most - 1) + 1 : 1};
  if (rh_viewer_live_of(w->film) != NULL) {
    span = (rh_viewer_span){0, 1, 1};
  }
  RH_TRY(put_head(w, NULL));
  RH_TRY(put_meshes(w));
  RH_TRY(put_looks(w, RH_VIEWER_LOOKS_START));
  return put_frames(w, span, NULL);
}

// ---- The page

static const char *find_mark(const rh_viewer_page *page)
{
  size_t length = strlen(mark);
  for (size_t i = 0; i + length <= page->size; i++) {
    if (memcmp(page->text + i, mark, length) == 0) {
      return page->text + i;
    }
  }
  return NULL;
}

typedef rh_status put_one(const writer *w);

static rh_status put_page(const rh_viewer_page *page, int n, writer *w, rh_viewer *const *film,
                          put_one *put)
{
  const char *at = find_mark(page);
  RH_ASSERT(at != NULL);
  size_t before = (size_t)(at - page->text);
  fwrite(page->text, 1, before, w->out);
  for (int i = 0; i < n; i++) {
    w->film = film[i];
    w->run = i;
    RH_TRY(put(w));
  }
  if (put == put_start) {
    fputs("<script type=\"text/plain\" class=\"routh-served\"></script>\n", w->out);
  }
  const char *after = at + strlen(mark);
  fwrite(after, 1, page->size - before - strlen(mark), w->out);
  return ferror(w->out) != 0 ? RH_OUTPUT_NOT_WRITTEN : RH_OK;
}

rh_status rh_viewer_write(const rh_viewer_page *page, rh_viewer *const *film, int n,
                          const rh_viewer_limits *limits, rh_diag *diag, FILE *out)
{
  writer w = {.limits = limits, .diag = diag, .out = out};
  return put_page(page, n, &w, film, put_run);
}

rh_status rh_viewer_write_start(const rh_viewer_page *page, rh_viewer *const *film, int n,
                                rh_diag *diag, FILE *out)
{
  writer w = {.diag = diag, .out = out};
  return put_page(page, n, &w, film, put_start);
}
