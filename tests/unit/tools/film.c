// unit_film.c: what the viewer is told (src/film): blocks against closed forms, impacts against their law, a zoom against
// the frames around it, and requests that nobody should make.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include "viewer/viewer.h"

#include <math.h>
#include <unistd.h>

#define FLOAT 1.2e-7 // floats have 24 bits: what is sent is right to this part of itself

static const char falling[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [1, 2, 3, 1, 0, 0, 0], v: [0, 0, 0, 0, 0, 4]}]\n"
    "shapes: [{body: ball, kind: sphere, radius: 0.1}]\n"
    "run: {until: 0.5}\nrecord: {every: 0.05}\n";

static const char lying[] =
    "bodies: [{name: box, mass: 2}]\n"
    "joints: [{kind: free, child: box, q: [0, 0, 0.1, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: box, kind: box, size: [0.2, 0.2, 0.2]}]\n"
    "contacts: [{name: ground, body: box, against: world, law: newton, e: 0, friction: dry, "
    "mu_s: 0.5, mu_k: 0.4}]\n"
    "run: {until: 0.1}\nrecord: {every: 0.05}\n";

static const char bouncing[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 1, 1, 0, 0, 0], v: [0.5, 0, 0, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: ground, body: ball, against: world, law: newton, e: 0.7, friction: dry, "
    "mu_s: 0.3, mu_k: 0.3}]\n"
    "run: {until: 2}\nrecord: {every: 0.01, batch: 10}\n";

static const char soft[] =
    "bodies: [{name: ball, mass: 2}]\n"
    "joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0]}]\n"
    "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
    "contacts: [{name: ground, body: ball, against: world, law: hunt-crossley, k: 1e6}]\n"
    "run: {until: 0.4}\nrecord: {every: 0.01, batch: 10}\n";

static rh_diag *diag;
static rh_viewer *film;

static world scene_world(const char *text)
{
  world w = {.diag = rh_diag_create()};
  rh_scene *scene = NULL;
  rh_status status = rh_scene_parse(text, strlen(text), "film.yaml", NULL, 0, w.diag, &scene);
  if (status == RH_OK) {
    w.text = rh_scene_write(scene, false);
    status = rh_scene_compile(scene, w.diag, &w.model);
  }
  if (status == RH_OK) {
    status = rh_sim_create(w.model, w.diag, &w.sim);
  }
  rh_scene_destroy(scene);
  rec_say(w.diag);
  ck_assert_int_eq(status, RH_OK);
  return w;
}

// Runs and records a scene, and opens the recording.
static void show_scene(const char *text)
{
  world w = scene_world(text);
  run_close(run_recorded(&w, rec_at("film.rhr"), w.model->run.until));
  world_close(&w);
  ck_assert_int_eq(rh_viewer_open(rec_at("film.rhr"), diag, &film), RH_OK);
}

static void setup(void)
{
  rec_setup();
  diag = rh_diag_create();
  film = NULL;
}

static void teardown(void)
{
  rh_viewer_close(film);
  rh_diag_destroy(diag);
  rec_teardown();
}

// ---- Reading blocks

typedef struct view { // where the parts of a block of frames are
  rh_text bytes;
  uint32_t head[RH_VIEWER_HEAD];
  size_t t, pose, ledger, start, point;
} view;

static uint32_t word_at(const view *v, size_t at)
{
  uint32_t word = 0;
  ck_assert_uint_le(at + 4, v->bytes.size);
  for (int i = 0; i < 4; i++) {
    word |= (uint32_t)(unsigned char)v->bytes.data[at + (size_t)i] << (8 * i);
  }
  return word;
}

static double float_at(const view *v, size_t at)
{
  uint32_t word = word_at(v, at);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

static double double_at(const view *v, size_t at)
{
  uint64_t word = word_at(v, at) | (uint64_t)word_at(v, at + 4) << 32;
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

// Finds the parts; the block must be exactly as long as its head says.
static void view_find(view *v)
{
  for (int i = 0; i < RH_VIEWER_HEAD; i++) {
    v->head[i] = word_at(v, 4 * (size_t)i);
  }
  size_t count = v->head[3];
  v->t = 4 * (size_t)RH_VIEWER_HEAD;
  v->pose = v->t + 8 * count;
  v->ledger = v->pose + 4 * count * v->head[5] * RH_VIEWER_POSE;
  v->start = v->ledger + 4 * count * (size_t)RH_VIEWER_LEDGER;
  v->point = v->start + 4 * (count + 1);
  ck_assert_uint_eq(v->head[0], RH_VIEWER_MAGIC);
  ck_assert_uint_eq(v->bytes.size, v->point + 4 * (size_t)RH_VIEWER_POINT * v->head[6]);
}

static view frames_of(long first, long count, long stride)
{
  view v = {0};
  ck_assert_int_eq(rh_viewer_frames(film, (rh_viewer_span){first, count, stride}, diag, &v.bytes),
                   RH_OK);
  view_find(&v);
  return v;
}

// The numbers behind "key":[ in a JSON text, from `from` on.
static void numbers_of(const char *text, const char *key, double *value, int n)
{
  char want[64];
  (void)snprintf(want, sizeof want, "\"%s\":[", key);
  const char *at = strstr(text, want);
  ck_assert_msg(at != NULL, "no %s in %s", key, text);
  at += strlen(want);
  for (int i = 0; i < n; i++) {
    char *end = NULL;
    value[i] = strtod(at, &end);
    ck_assert_ptr_ne(at, end);
    at = end + 1;
  }
}

// ---- Tests

START_TEST(a_fall_is_shown_as_it_is)
{
  show_scene(falling);
  view v = frames_of(0, 100, 2); // 11 frames: 0, 2, ... 10
  ck_assert_uint_eq(v.head[3], 6);
  ck_assert_uint_eq(v.head[5], 1);
  for (size_t i = 0; i < 6; i++) {
    double t = 0.1 * (double)i;
    size_t at = v.pose + 4 * RH_VIEWER_POSE * i;
    // The integrator's tolerance is far below a float's.
    near_abs(double_at(&v, v.t + 8 * i), t, 1e-12);
    near_rel(float_at(&v, at), 1, FLOAT);
    near_rel(float_at(&v, at + 4), 2, FLOAT);
    near_rel(float_at(&v, at + 8), 3 - 0.5 * 9.81 * t * t, 10 * FLOAT);
    double half = 0.5 * 4 * t; // it turns about z
    double sign = cos(half) < 0 ? -1 : 1;
    near_abs(fabs(float_at(&v, at + 12)), sign * cos(half), 1e-6);
    near_abs(float_at(&v, at + 16), 0, 1e-6);
    near_abs(fabs(float_at(&v, at + 24)), fabs(sin(half)), 1e-6);
    near_rel(float_at(&v, v.ledger + 4 * (size_t)RH_VIEWER_LEDGER * i),
             0.5 * 2 * 9.81 * 9.81 * t * t + 0.5 * 0.4 * 2 * 0.01 * 16, 1e-6);
  }
  ck_assert_uint_eq(v.head[6], 0);
  rh_text_free(&v.bytes);
}

END_TEST

START_TEST(what_lies_is_carried)
{
  show_scene(lying);
  view v = frames_of(2, 1, 1);
  double force = 0;
  ck_assert_uint_eq(v.head[6], 4);
  for (size_t k = 0; k < v.head[6]; k++) {
    size_t at = v.point + 4 * (size_t)RH_VIEWER_POINT * k;
    near_abs(fabs(float_at(&v, at)), 0.1, 1e-6);
    near_abs(float_at(&v, at + 20), 1, FLOAT); // normal
    near_abs(float_at(&v, at + 36), RH_VIEWER_STICK, 0);
    force += float_at(&v, at + 32);
  }
  near_rel(force, 2 * 9.81, 1e-6);
  ck_assert_uint_eq(word_at(&v, v.start), 0);
  ck_assert_uint_eq(word_at(&v, v.start + 4), 4);
  rh_text_free(&v.bytes);
}

END_TEST

START_TEST(an_impact_is_found_again)
{
  show_scene(bouncing);
  rh_recording *recording = rh_viewer_recording(film);
  rh_viewer_again *again = NULL;
  ck_assert_int_eq(rh_viewer_again_open(film, diag, &again), RH_OK);
  int seen = 0;
  for (long i = 0; i < rh_recording_events(recording); i++) {
    rh_event event;
    rh_text text = {0};
    double u[3];
    double p[3];
    ck_assert_int_eq(rh_recording_event(recording, i, &event, diag), RH_OK);
    if (event.kind != RH_EVENT_IMPACT) {
      continue;
    }
    const double span[2] = {event.t, event.t};
    ck_assert_int_eq(rh_viewer_impacts(again, span, 10, diag, &text), RH_OK);
    numbers_of(text.data, "u", u, 3);
    numbers_of(text.data, "p", p, 3);
    ck_assert(u[2] == event.before); // the same bits: it is the same run
    ck_assert(p[2] == event.impulse);
    near_rel(p[2], -2 * 1.7 * u[2], 1e-12); // a ball struck through its centre: (1 + e) m |u|
    ck_assert_ptr_nonnull(strstr(text.data, "\"path\""));
    rh_text_free(&text);
    seen++;
  }
  ck_assert_int_ge(seen, 2);
  rh_viewer_again_close(again);
}

END_TEST

START_TEST(a_zoom_lies_between_the_frames)
{
  show_scene(soft);
  rh_viewer_again *again = NULL;
  double span[2] = {0, 0};
  long event = 0;
  while (!rh_viewer_zoom_span(film, event, diag, span)) {
    event++;
    ck_assert_int_lt(event, rh_recording_events(rh_viewer_recording(film)));
  }
  // It falls 0.2 m: touchdown at sqrt(2 h / g).
  double touch = sqrt(2 * 0.2 / 9.81);
  ck_assert(span[0] < touch && span[1] > touch && span[1] - span[0] < 0.02);
  ck_assert_int_eq(rh_viewer_again_open(film, diag, &again), RH_OK);
  view v = {0};
  ck_assert_int_eq(rh_viewer_zoom(again, event, span, diag, &v.bytes), RH_OK);
  view_find(&v);
  ck_assert_uint_eq(v.head[1], RH_VIEWER_ZOOMED);
  ck_assert_uint_eq(v.head[2], event);
  ck_assert_uint_eq(v.head[3], RH_VIEWER_ZOOM);
  // The impulse of the forces in it is the change of momentum, by the trapezoidal rule: second order in 1/RH_VIEWER_ZOOM.
  double impulse = 0;
  double last_force = 0;
  double last_t = span[0];
  for (size_t i = 0; i < RH_VIEWER_ZOOM; i++) {
    double force = 0;
    for (uint32_t k = word_at(&v, v.start + 4 * i); k < word_at(&v, v.start + 4 * i + 4); k++) {
      force += float_at(&v, v.point + 4 * (size_t)RH_VIEWER_POINT * k + 32);
    }
    double t = double_at(&v, v.t + 8 * i);
    impulse += 0.5 * (force + last_force) * (t - last_t);
    last_force = force;
    last_t = t;
  }
  double speed = sqrt(2 * 9.81 * 0.2);
  ck_assert(impulse > 2 * speed && impulse < 2.05 * 2 * speed); // 0 < e <= 1, and some weight
  rh_viewer_again_close(again);
  rh_text_free(&v.bytes);
}

END_TEST

START_TEST(channels_that_stay_are_told_once)
{
  show_scene(falling);
  const rh_channels *channels = rh_viewer_channels_of(film);
  int n = rh_channels_count(channels);
  double *constant = calloc((size_t)n, sizeof *constant);
  view v = {0};
  ck_assert_int_eq(
      rh_viewer_all_values(film, (rh_viewer_span){0, 11, 1}, diag, constant, NULL, &v.bytes),
      RH_OK);
  int changing = 0;
  for (int i = 0; i < n; i++) {
    changing += isnan(constant[i]);
  }
  near_abs(constant[rh_channel_find(channels, "ball.px")], 1, 0);
  ck_assert(isnan(constant[rh_channel_find(channels, "ball.pz")]));
  ck_assert_uint_eq(word_at(&v, 20), changing);
  ck_assert_uint_eq(v.bytes.size, 32 + 8 * 11 + 4 * (size_t)changing + 44 * (size_t)changing);
  free(constant);
  rh_text_free(&v.bytes);
}

END_TEST

START_TEST(impossible_stretches_are_refused)
{
  show_scene(falling);
  rh_text bytes = {0};
  const rh_viewer_span bad[] = {{-1, 1, 1}, {0, -1, 1}, {0, 1, 0}, {0, 1, -3}};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    ck_assert_int_eq(rh_viewer_frames(film, bad[i], diag, &bytes), RH_INPUT_REFUSED);
  }
  ck_assert_uint_eq(bytes.size, 0);
  view v = frames_of(5, 1000000000l, 3); // 5 and 8; then the run is over
  ck_assert_uint_eq(v.head[3], 2);
  rh_text_free(&v.bytes);
  v = frames_of(1000, 5, 1);
  ck_assert_uint_eq(v.head[3], 0);
  rh_text_free(&v.bytes);
}

END_TEST

START_TEST(a_page_holds_the_run_and_no_tags_of_it)
{
  show_scene(falling);
  const char built[] = "<html><!--routh:data--></html>";
  const rh_viewer_page page = {built, sizeof built - 1};
  const rh_viewer_limits limits = {.bytes = 1000000};
  FILE *file = fopen(rec_at("page.html"), "w+");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(rh_viewer_write(&page, &film, 1, &limits, diag, file), RH_OK);
  long size = ftell(file);
  char *text = calloc((size_t)size + 1, 1);
  rewind(file);
  ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
  (void)fclose(file);
  ck_assert_int_eq(strncmp(text, "<html><script", 13), 0);
  ck_assert_str_eq(text + size - 7, "</html>");
  int tags = 0;
  for (const char *at = text; (at = strchr(at, '<')) != NULL; at++) {
    tags++;
  }
  ck_assert_int_eq(tags, 2 + 2 * 4); // html, and the head, the channels, the frames, the impacts
  free(text);
}

END_TEST

// ---- Requests

static rh_status answer_of(const char *path, size_t *bytes)
{
  const char *type = NULL;
  rh_text out = {0};
  rh_status status = rh_viewer_answer(&film, 1, path, diag, &out, &type);
  *bytes = out.size;
  rh_text_free(&out);
  return status;
}

START_TEST(requests_get_what_they_ask_for)
{
  show_scene(soft);
  const char *const good[] = {"/runs",
                              "/head/0",
                              "/frames/0/0/3/1",
                              "/channels/0/0/5/2/0,3,1",
                              "/channels/0/0/5/2/7",
                              "/impacts/0/0",
                              "/zoom/0/0"};
  size_t bytes = 0;
  for (int i = 0; i < RH_COUNT(good); i++) {
    ck_assert_msg(answer_of(good[i], &bytes) == RH_OK && bytes > 0, "%s", good[i]);
  }
  ck_assert_int_eq(answer_of("/channels/0/0/5/2/0,3,1", &bytes), RH_OK);
  ck_assert_uint_eq(bytes, 32 + 8 * 5 + 4 * 3 + 4 * 3 * 5);
}

END_TEST

START_TEST(requests_that_make_no_sense_are_refused)
{
  show_scene(soft);
  const char *const bad[] = {
      "",
      "/",
      "head/0",
      "/head",
      "/head/",
      "/head/0/",
      "/head/1",
      "/head/-0",
      "/head/+0",
      "/head/0x0",
      "/head/0/0",
      "/heads/0",
      "/hea/0",
      "/frames/0/0/3",
      "/frames/0/0/3/0",
      "/frames/0/0/3/1/1",
      "/frames/0/0/3/1/1/1/1/1/1",
      "/frames/0/9999999999999/1/1",
      "/frames//0/3/1",
      "/channels/0/0/5/2",
      "/channels/0/0/5/2/",
      "/channels/0/0/5/2/,",
      "/channels/0/0/5/2/1,",
      "/channels/0/0/5/2/1,,2",
      "/channels/0/0/5/2/1/2",
      "/channels/0/0/5/2/100000",
      "/channels/0/0/5/2/0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
      "/mesh/0/0",
      "/impacts/0/1000000",
      "/zoom/0/1000000",
      "/../../etc/passwd"};
  size_t bytes = 0;
  for (int i = 0; i < RH_COUNT(bad); i++) {
    ck_assert_msg(answer_of(bad[i], &bytes) != RH_OK, "%s", bad[i]);
  }
}

END_TEST

START_TEST(a_recording_that_grows_is_followed)
{
  world w = scene_world(bouncing);
  run *r = run_open(&w, rec_at("film.rhr"));
  ck_assert_int_eq(rh_sim_run(w.sim, 0.5), RH_OK);
  ck_assert_int_eq(rh_viewer_open(rec_at("film.rhr"), diag, &film), RH_OK);
  rh_recording *recording = rh_viewer_recording(film);
  long before = rh_viewer_frame_count(film);
  bool ended = true;
  ck_assert_int_le(before, 51);
  ck_assert_int_eq(rh_sim_run(w.sim, 1), RH_OK);
  ck_assert_int_eq(rh_viewer_frame_count(film), before); // until it is asked
  ck_assert(rh_recording_refresh(recording, &ended));
  ck_assert(!ended);
  ck_assert_int_ge(rh_viewer_frame_count(film),
                   before + 40); // what is not committed yet is not there
  ck_assert_int_eq(rh_recorder_close(r->recorder, RH_OK, NULL), RH_OK);
  ck_assert(rh_recording_refresh(recording, &ended));
  ck_assert(ended);
  ck_assert_int_eq(rh_viewer_frame_count(film), 101);
  view v = frames_of(100, 1, 1);
  near_abs(double_at(&v, v.t), 1, 1e-12);
  rh_text_free(&v.bytes);
  run_close(r);
  world_close(&w);
}

END_TEST

// ---- Live

static rh_viewer_live *live;

static void live_scene(const char *text)
{
  const char *const hand[] = {"run.hand=yes"};
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "live.yaml", hand, 1, diag, &scene), RH_OK);
  char *written = rh_scene_write(scene, false);
  rh_scene_destroy(scene);
  ck_assert_int_eq(rh_viewer_live_create(written, "live.yaml", diag, &live), RH_OK);
  rh_free(written);
}

static void live_end(void)
{
  rh_viewer_live_destroy(live);
}

static bool said(const char *text)
{
  return rh_viewer_live_say(live, text, strlen(text));
}

static double height(void) // of the body, in the last frame: q = x y z ...
{
  rh_data *last = NULL;
  ck_assert_int_eq(rh_viewer_live_world(live, rh_viewer_live_frames(live) - 1, diag, &last), RH_OK);
  return last->q[2];
}

START_TEST(a_live_run_goes_as_the_clock_does)
{
  live_scene(falling);
  rh_viewer_live_go_on(live, 0.2);
  ck_assert_int_eq(rh_viewer_live_frames(live), 5); // every 0.05 s, the first at 0
  near_abs(height(), 3 - 0.5 * 9.81 * 0.04, 1e-6);
  ck_assert(said("pause"));
  rh_viewer_live_go_on(live, 0.1);
  ck_assert_int_eq(rh_viewer_live_frames(live), 5);
  ck_assert(said("speed 2") && said("run"));
  rh_viewer_live_go_on(live, 0.05);
  ck_assert_int_eq(rh_viewer_live_frames(live), 7);
  live_end();
}

END_TEST

START_TEST(a_dragged_body_comes_to_the_hand)
{
  live_scene(lying);
  ck_assert(said("drag 1 0 0 0 0 0 0.5"));
  for (int i = 0; i < 40; i++) {
    rh_viewer_live_go_on(live, 0.05); // 2 s: 24 of the spring's time constants
  }
  near_abs(height(), 0.5, 1e-3); // its weight is carried by the hand
  ck_assert(said("drop"));
  for (int i = 0; i < 40; i++) {
    rh_viewer_live_go_on(live, 0.05);
  }
  near_abs(height(), 0.1, 1e-6);
  live_end();
}

END_TEST

START_TEST(what_a_page_may_not_say)
{
  live_scene(lying);
  const char *const bad[] = {"",
                             "x",
                             "drag",
                             "drag 1 0 0 0 0 0",
                             "drag 0 0 0 0 0 0 0",
                             "drag 2 0 0 0 0 0 0",
                             "drag 1.5 0 0 0 0 0 0",
                             "drag -1 0 0 0 0 0 0",
                             "drag 1 0 0 0 0 0 1e300",
                             "drag 1 0 0 0 0 0 nan",
                             "drag 1 0 0 0 0 0 0 0",
                             "speed",
                             "speed 0",
                             "speed -1",
                             "speed 1e9",
                             "speed 1 2",
                             "pause ",
                             "set",
                             "set ",
                             "set contacts.0.e",
                             "set contacts.0.e ",
                             "set bodies.0.mass 1",
                             "set include.0.urdf x",
                             "set contacts.0.e 1\n",
                             "set contacts.0.e=1 1",
                             "run\n"};
  for (int i = 0; i < RH_COUNT(bad); i++) {
    ck_assert_msg(!said(bad[i]), "'%s'", bad[i]);
  }
  char text[2 * RH_VIEWER_SAY_MAX];
  memset(text, 'x', sizeof text);
  ck_assert(!rh_viewer_live_say(live, text, sizeof text));
  ck_assert(!rh_viewer_live_say(live, "run\0run", 7));
  live_end();
}

END_TEST

Suite *rh_suite_unit_film(void)
{
  Suite *suite = suite_create("unit_film");
  TCase *tc = tcase_create("film");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, a_fall_is_shown_as_it_is);
  tcase_add_test(tc, what_lies_is_carried);
  tcase_add_test(tc, an_impact_is_found_again);
  tcase_add_test(tc, a_zoom_lies_between_the_frames);
  tcase_add_test(tc, channels_that_stay_are_told_once);
  tcase_add_test(tc, impossible_stretches_are_refused);
  tcase_add_test(tc, a_page_holds_the_run_and_no_tags_of_it);
  tcase_add_test(tc, requests_get_what_they_ask_for);
  tcase_add_test(tc, requests_that_make_no_sense_are_refused);
  tcase_add_test(tc, a_recording_that_grows_is_followed);
  tcase_add_test(tc, a_live_run_goes_as_the_clock_does);
  tcase_add_test(tc, a_dragged_body_comes_to_the_hand);
  tcase_add_test(tc, what_a_page_may_not_say);
  suite_add_tcase(suite, tc);
  return suite;
}
