// crowd.c: worlds of very many bodies: the memory of each does not depend on their number; their frames are packed without a bit lost;
// the viewer has their balls as places, each once, where the recording has them.
#define _XOPEN_SOURCE 700

#include "rec_run.h"

#include "recording/recording.h"
#include "viewer/viewer.h"

#include <math.h>
#include <unistd.h>

enum { BALLS = 5000 };

// Loose balls in a row, each higher than the one before, and a box that slides; 1 mm of gap between them.
static const char falling[] =
    "bodies: [{name: sled, mass: 1}, {repeat: 5000, name: \"b${i}\", mass: 0.001}]\n"
    "joints:\n"
    "  - {kind: prismatic, child: sled, axis: [0, 1, 0], v: 2}\n"
    "  - {repeat: 5000, kind: free, child: \"b${i}\", q: [\"${0.011*i}\", 0, \"${1 + 0.001*i}\", "
    "1, 0, 0, 0]}\n"
    "shapes:\n"
    "  - {body: world, kind: plane, at: [0, 0, -10]}\n"
    "  - {body: sled, kind: box, size: [1, 1, 1], at: [0, 9, 0]}\n"
    "  - {repeat: 5000, body: \"b${i}\", kind: sphere, radius: \"${0.005 - 1e-7*i}\"}\n"
    "contacts: [{body: all, against: all, law: newton, friction: dry, mu_s: 0.5, mu_k: 0.5}]\n"
    "run: {engine: stepping, dt: 0.01, until: 0.1}\nrecord: {every: 0.05}\n";

// ---- Memory

static void add_plane(rh_scene *s)
{
  rh_shape_def p = rh_shape_default("plane");
  p.body = rh_name_of("world");
  p.at[2] = -1;
  ck_assert_int_ne(rh_scene_add_shape(s, &p), RH_NONE);
}

static void add_ball(rh_scene *s, int i, int side)
{
  char name[RH_NAME_MAX];
  (void)snprintf(name, sizeof name, "ball%d", i);
  rh_body_def body = rh_body_default();
  rh_joint_def joint = rh_joint_default("free");
  rh_shape_def shape = rh_shape_default("sphere");
  body.name = joint.name = joint.child = shape.body = rh_name_of(name);
  body.mass = 0.001;
  joint.parent = rh_name_of("world");
  joint.q = (rh_list){
      7, {0.0105 * (i % side), 0.0105 * (i / side % side), 0.0105 * (i / side / side), 1, 0, 0, 0}};
  shape.par[rh_row_offset(&rh_shape_find("sphere")->row, 0)] = 0.005;
  ck_assert_int_ne(rh_scene_add_body(s, &body), RH_NONE);
  ck_assert_int_ne(rh_scene_add_joint(s, &joint), RH_NONE);
  ck_assert_int_ne(rh_scene_add_shape(s, &shape), RH_NONE);
}

static rh_scene *build_balls(int n)
{
  rh_scene *s = rh_scene_create();
  rh_run_def stepped = rh_run_default("stepping", NULL);
  rh_contact_def c = rh_contact_default("newton", "dry");
  c.body = c.against = rh_name_of("all");
  add_plane(s);
  for (int i = 0; i < n; i++) {
    add_ball(s, i, (int)ceil(cbrt(n)));
  }
  ck_assert_int_ne(rh_scene_add_contact(s, &c), RH_NONE);
  rh_scene_set_run(s, &stepped);
  return s;
}

// [byte] that this process holds; 0: not known here
static double bytes_held(void)
{
  FILE *f = fopen("/proc/self/statm", "r");
  long all = 0;
  long pages = 0;
  if (f && fscanf(f, "%ld %ld", &all, &pages) != 2) {
    pages = 0;
  }
  if (f) {
    (void)fclose(f);
  }
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

typedef struct heap {
  rh_scene *scene;
  rh_model *model;
  rh_sim *sim;
  double each; // [byte] of a ball
} heap;

static heap make_heap(int n)
{
  heap h = {.scene = build_balls(n)};
  double before = bytes_held();
  rh_diag *diag = rh_diag_create();
  ck_assert_int_eq(rh_scene_compile(h.scene, diag, &h.model), RH_OK);
  ck_assert_int_eq(rh_sim_create(h.model, diag, &h.sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(h.sim, 0.001), RH_OK);
  h.each = (bytes_held() - before) / n;
  rh_diag_destroy(diag);
  return h;
}

static void free_heap(heap *h)
{
  rh_sim_destroy(h->sim);
  rh_model_destroy(h->model);
  rh_scene_destroy(h->scene);
}

// Model, world and a first step take 5.6 kB of a ball; room for contact points that nobody has used would be 10 kB more. Pages that the allocator
// has at hand already, and tables whose size is a power of two, are worth less than a fifth. A sanitizer has its own pages.
START_TEST(memory_is_linear)
{
  if (bytes_held() == 0 || RH_TEST_SLOW) {
    return;
  }
  heap few = make_heap(4000);
  heap many = make_heap(40000);
  ck_assert_msg(many.each < 7000, "%g bytes a ball", many.each);
  ck_assert_msg(fabs(many.each / few.each - 1) < 0.2, "%g bytes a ball of many, %g of few",
                many.each, few.each);
  free_heap(&many);
  free_heap(&few);
}

END_TEST

// As many contact points as a heap of balls needs, three a ball, whatever their number.
START_TEST(contact_points_suffice)
{
  rh_scene *scene = build_balls(60000);
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_compile(scene, NULL, &model), RH_OK);
  ck_assert_int_eq(model->nslot, 4 * 60000);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
}

END_TEST

// ---- Packed states

static void check_pack(const double *state, int n, size_t most)
{
  unsigned char *blob = rh_alloc(8 * (size_t)n + 8);
  double *back = rh_alloc((size_t)(n + 1) * sizeof *back);
  size_t bytes = rh_rec_pack(state, n, blob);
  ck_assert_uint_le(bytes, most);
  ck_assert(rh_rec_unpack(blob, bytes, n, back));
  ck_assert_int_eq(memcmp(state, back, (size_t)n * sizeof *back), 0);
  ck_assert(!rh_rec_unpack(blob, bytes, n + 1, back)); // of another length
  ck_assert(!rh_rec_unpack(blob, bytes, n - 1, back));
  ck_assert(!rh_rec_unpack(blob, bytes - 1, n, back)); // cut short
  rh_free(blob);
  rh_free(back);
}

START_TEST(packed_states_are_exact)
{
  double state[3000] = {0};
  check_pack(state, 3000, 8);
  state[0] = 1;
  state[2999] = NAN;
  check_pack(state, 3000, 32);
  for (int zeros = 1; zeros < 9; zeros++) { // runs of zeros of all lengths, -0 among the numbers
    for (int i = 0; i < 3000; i++) {
      state[i] = i % (zeros + 1) == 0 ? -0.0 : i % 97 == 0 ? 1.0 / i : 0;
    }
    check_pack(state, 3000, 8 * 3001);
  }
  for (int i = 0; i < 3000; i++) {
    state[i] = i + 1;
  }
  check_pack(state, 3000, 8 * 3001);
}

END_TEST

// ---- What the page gets

static rh_diag *diag;
static rh_viewer *film;

static void setup(void)
{
  rec_setup();
  diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  rh_recorder *recorder = NULL;
  rh_status status = rh_scene_parse(falling, strlen(falling), "crowd.yaml", NULL, 0, diag, &scene);
  ck_assert_int_eq(status, RH_OK);
  char *text = rh_scene_write(scene, false);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  ck_assert_int_eq(rh_sim_create(model, diag, &sim), RH_OK);
  ck_assert_int_eq(
      rh_recorder_create(rec_at("crowd.rhr"), model, "crowd.yaml", text, diag, &recorder), RH_OK);
  for (long i = 0; i < 3; i++) {
    ck_assert_int_eq(rh_sim_run(sim, 0.05 * (double)i), RH_OK);
    ck_assert_int_eq(rh_recorder_frame(recorder, sim, i), RH_OK);
  }
  ck_assert_int_eq(rh_recorder_close(recorder, RH_OK, "done"), RH_OK);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_free(text);
  ck_assert_int_eq(rh_viewer_open(rec_at("crowd.rhr"), diag, &film), RH_OK);
}

static void teardown(void)
{
  rh_viewer_close(film);
  rh_diag_destroy(diag);
  rec_teardown();
}

static uint32_t word_at(const rh_text *block, size_t at)
{
  uint32_t word;
  ck_assert_uint_le(at + 4, block->size);
  memcpy(&word, block->data + at, sizeof word); // little-endian, as the machines of the tests
  return word;
}

static double float_at(const rh_text *block, size_t at)
{
  uint32_t word = word_at(block, at);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

// Closed form: ball i is at x = 11 mm i and has fallen since it was at 1 m + 1 mm i. The stepping engine's own steps add g dt t / 2.
START_TEST(each_ball_is_where_it_fell)
{
  static bool seen[BALLS];
  const size_t head = 4 * RH_VIEWER_HEAD;
  const double t = 0.1;
  rh_text text = {0};
  ck_assert_int_eq(rh_viewer_crowd_of(film)->n, BALLS);
  for (long first = 0; first < BALLS; first += 1999) { // in parts, the last one shorter
    ck_assert_int_eq(rh_viewer_balls(film, 2, (const long[2]){first, 1999}, diag, &text), RH_OK);
    uint32_t count = word_at(&text, 12);
    ck_assert_uint_eq(word_at(&text, 4), RH_VIEWER_CROWD);
    ck_assert_uint_eq(count, first + 1999 < BALLS ? 1999 : BALLS - first);
    ck_assert_uint_eq(text.size, head + 16 * (size_t)count);
    for (uint32_t k = 0; k < count; k++) {
      size_t at = head + 16 * (size_t)k;
      int i = (int)lround(float_at(&text, at) / 0.011);
      ck_assert(i >= 0 && i < BALLS && !seen[i]);
      seen[i] = true;
      double z = 1 + 0.001 * i - 0.5 * 9.81 * t * t;
      ck_assert(fabs(float_at(&text, at + 8) - z) < 0.5 * 9.81 * 0.01 * t + 1e-6);
      ck_assert(fabs(float_at(&text, at + 12) - (0.005 - 1e-7 * i)) < 1e-9); // a float of 5e-3
    }
    rh_text_free(&text);
    text = (rh_text){0};
  }
}

END_TEST

// Any first part is spread over all: of 1 in 50 the greatest gap is 4 times the mean one at most (three gap theorem: 2.7).
START_TEST(a_part_is_spread_over_all)
{
  enum { PART = BALLS / 50 };

  static bool seen[BALLS + 1];
  rh_text text = {0};
  ck_assert_int_eq(rh_viewer_balls(film, 0, (const long[2]){0, PART}, diag, &text), RH_OK);
  for (size_t k = 0; k < PART; k++) {
    seen[lround(float_at(&text, 4 * RH_VIEWER_HEAD + 16 * k) / 0.011)] = true;
  }
  for (int i = 0, gap = 0; i < BALLS; i++) {
    gap = seen[i] ? 0 : gap + 1;
    ck_assert_int_lt(gap, 4 * 50);
  }
  rh_text_free(&text);
}

END_TEST

// The head has the other bodies alone, by their new numbers; a frame has their poses and the energies of the recording.
START_TEST(the_others_stay_bodies)
{
  rh_text head = {0};
  rh_text block = {0};
  ck_assert_int_eq(rh_viewer_head(film, NULL, diag, &head), RH_OK);
  ck_assert_uint_lt(head.size, 40000);
  ck_assert_ptr_nonnull(strstr(head.data, "\"name\":\"sled\""));
  ck_assert_ptr_null(strstr(head.data, "\"b17"));
  ck_assert_ptr_nonnull(strstr(head.data, "\"crowd\":{\"n\":5000,\"low\":[-0.005,"));
  ck_assert_int_eq(rh_viewer_frames(film, (rh_viewer_span){0, 3, 1}, diag, &block), RH_OK);
  ck_assert_uint_eq(word_at(&block, 12), 3);
  ck_assert_uint_eq(word_at(&block, 20), 1); // the sled
  size_t pose = 4 * RH_VIEWER_HEAD + 3 * 8;
  ck_assert(fabs(float_at(&block, pose + 4 * (2 * RH_VIEWER_POSE + 1)) - 0.2) <
            1e-6); // 0.1 s at 2 m/s
  size_t ledger = pose + 3 * 4 * (size_t)RH_VIEWER_POSE;
  ck_assert(fabs(float_at(&block, ledger) - 2) < 1e-6); // kinetic energy of 1 kg at 2 m/s
  int index[RH_VIEWER_LEDGER];
  rh_text values = {0};
  rh_viewer_ledger_channels(rh_viewer_channels_of(film), index);
  ck_assert_int_eq(rh_viewer_values(film, (rh_viewer_span){0, 3, 1}, index, 1, diag, &values),
                   RH_OK);
  ck_assert(fabs(float_at(&values, 4 * RH_VIEWER_HEAD + 3 * 8 + 4) - 2) < 1e-6);
  rh_text_free(&values);
  rh_text_free(&head);
  rh_text_free(&block);
}

END_TEST

Suite *rh_suite_unit_crowd(void)
{
  Suite *suite = suite_create("unit_crowd");
  TCase *size = tcase_create("size");
  tcase_add_test(size, memory_is_linear);
  tcase_add_test(size, contact_points_suffice);
  tcase_add_test(size, packed_states_are_exact);
  suite_add_tcase(suite, size);
  TCase *page = tcase_create("page");
  tcase_add_checked_fixture(page, setup, teardown);
  tcase_add_test(page, each_ball_is_where_it_fell);
  tcase_add_test(page, a_part_is_spread_over_all);
  tcase_add_test(page, the_others_stay_bodies);
  suite_add_tcase(suite, page);
  return suite;
}
