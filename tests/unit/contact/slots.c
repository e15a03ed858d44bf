// unit_slots.c: contacts that come and go: who meets whom, the pool of slots, points that change their features and keep
// their slot, piles, and what many shapes cost.
#include "contact_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

static rh_contact_def springy(const char *body, const char *against, const char *friction)
{
  rh_contact_def c = contact_of(body, against, "hunt-crossley", friction);
  set_law(&c, "k", 2e5);
  set_law(&c, "n", 1);
  set_law(&c, "alpha", 1);
  return c;
}

// ---- Who meets whom

START_TEST(rules)
{
  rh_scene *scene = rh_scene_create();
  start at = {.at = {0, 0, 5}};
  put_floor(scene);
  for (int i = 0; i < 4; i++) {
    static const char *const name[] = {"a", "b", "c", "d"};
    at.at.x = i;
    put_ball(scene, name[i], 1, 0.1, &at);
  }
  rh_body_def arm = body_of("arm", 1, rh_v3(0, 0, 0), rh_v3(1, 1, 1));
  rh_joint_def joint = joint_of("revolute", "a", "arm", rh_v3(0, 0, 1));
  add(scene, &arm, &joint);
  put_sphere(scene, "arm", 0.1);
  rh_contact_def c[] = {springy("b", "all", "none"), springy("a", "all", "none"),
                        springy("b", "c", "none"), springy("world", "d", "none")};
  c[3].body = rh_name_of("d");
  c[3].against = rh_name_of("world");
  for (int i = 0; i < RH_COUNT(c); i++) {
    char name[8];
    snprintf(name, sizeof name, "c%d", i);
    c[i].name = rh_name_of(name);
    put_contact(scene, &c[i]);
  }
  rh_model *m = model_of(scene);

  static const struct {
    const char *x, *y;
    int contact;
  } want[] = {{"a", "b", 0},       {"a", "c", 1},           {"b", "c", 2},      {"b", "d", 0},
              {"c", "d", RH_NONE}, {"a", "arm", RH_NONE},   {"b", "arm", 0},    {"world", "a", 1},
              {"world", "d", 3},   {"world", "c", RH_NONE}, {"a", "a", RH_NONE}};

  for (int i = 0; i < RH_COUNT(want); i++) {
    int x = rh_model_find(m, RH_OBJECT_BODY, want[i].x);
    int y = rh_model_find(m, RH_OBJECT_BODY, want[i].y);
    ck_assert_msg(rh_model_contact_of(m, x, y) == want[i].contact &&
                      rh_model_contact_of(m, y, x) == want[i].contact,
                  "%s and %s: %d", want[i].x, want[i].y, rh_model_contact_of(m, x, y));
  }
  rh_model_destroy(m);
}

END_TEST

// ---- The pool

// Two balls fall onto the floor, 0.1 s apart; there is room for one contact.
START_TEST(full_pool_says_so)
{
  rh_scene *scene = rh_scene_create();
  start a = {.at = {0, 0, 0.11}};
  start b = {.at = {1, 0, 0.14}};
  put_floor(scene);
  put_ball(scene, "a", 1, 0.1, &a);
  put_ball(scene, "b", 1, 0.1, &b);
  for (int i = 0; i < 2; i++) {
    rh_contact_def c = springy(i ? "b" : "a", "world", "none");
    c.name = rh_name_of(i ? "second" : "first");
    set_law(&c, "k", 1e3);
    put_contact(scene, &c);
  }
  rh_run_def run = rh_run_default("event", "cvode");
  run.contacts = 1;
  run.until = 1;
  rh_scene_set_run(scene, &run);
  rh_model *model = model_of(scene);
  ck_assert_int_eq(model->nslot, 1);
  rh_sim *sim = sim_of(model);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_STOPPED);
  ck_assert_msg(strstr(rh_sim_reason(sim), "run.contacts") != NULL, "%s", rh_sim_reason(sim));
  near_abs(*rh_sim_view(sim)->t, sqrt(2 * 0.04 / 9.81), 1e-9); // when the second comes down
  finish(sim, model);
}

END_TEST

START_TEST(events_say_where)
{
  rh_scene *scene = rh_scene_create();
  start s = {.at = {0.3, -0.2, 0.15}};
  put_floor(scene);
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = springy("ball", "world", "none");
  put_contact(scene, &c);
  set_tolerance(scene, 0.2, 1e-9, 1e-12);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  ck_assert_int_ge(log->n, 2);
  for (int i = 0; i < log->n; i++) {
    const rh_event *e = &log->event[i];
    ck_assert_int_eq(e->dof, RH_NONE);
    ck_assert_int_eq(e->slot, 0);
    near_array(e->point, ((double[3]){0.3, -0.2, 0}), 3, 1e-9, 0); // event times are that good
  }
  ck_assert_int_eq(rh_slots_used(rh_sim_view(sim)), 0); // it has left again
  free(log);
  finish(sim, model);
}

END_TEST

// ---- Tracking

// A ball rolls over a heightfield as flat as a plane: some twenty cells, one contact. It sticks, so that the spring of its
// friction goes from cell to cell with it.
START_TEST(over_the_cells)
{
  double z[21 * 21] = {0};
  rh_scene *scene = rh_scene_create();
  rh_mesh_def mesh = rh_mesh_default();
  mesh.name = rh_name_of("flat");
  mesh.heights = (rh_numbers){RH_COUNT(z), z};
  mesh.nx = 21;
  mesh.size = list_of(2, 2, 2);
  ck_assert_int_ge(rh_scene_add_mesh(scene, &mesh), 0);
  rh_shape_def field = shape_of("world", "heightfield", 0, NULL);
  field.mesh = rh_name_of("flat");
  ck_assert_int_ge(rh_scene_add_shape(scene, &field), 0);
  double depth = 9.81 / 2e5;
  start s = {.at = {-0.8, 0.03, 0.1 - depth}, .v = {1, 0.1, 0}, .spin = {-1, 10, 0}};
  put_ball(scene, "ball", 1, 0.1, &s);
  rh_contact_def c = springy("ball", "world", "bristle");
  put_contact(scene, &c);
  set_stiff(scene, 1, 1e-7, 1e-10);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_log *log = calloc(1, sizeof *log);
  log_attach(log, sim);
  run_to(sim, model->run.until);
  ck_assert_int_eq(log_count(log, RH_EVENT_TOUCH), 1);
  ck_assert_int_eq(log_count(log, RH_EVENT_SEPARATE), 0);
  ck_assert(rh_sim_view(sim)->q[0] > 0.15); // it did roll, a metre less a little
  ck_assert(log->worst_residue < 1e-6);
  free(log);
  finish(sim, model);
}

END_TEST

static void put_turned(rh_scene *scene, const char *name, rh_vec3 at, double angle)
{
  rh_vec3 size = {0.2, 0.2, 0.1};
  double x = size.x * size.x / 12;
  double z = size.z * size.z / 12;
  rh_body_def body = body_of(name, 1, rh_v3(0, 0, 0), rh_v3(x + z, x + z, 2 * x));
  rh_joint_def joint = joint_of("free", "world", name, rh_v3(0, 0, 0));
  joint.q = (rh_list){7, {at.x, at.y, at.z, cos(angle / 2), 0, 0, sin(angle / 2)}};
  add(scene, &body, &joint);
  put_box(scene, name, size, 4);
}

static rh_model *skew_pair(int batch)
{
  rh_scene *scene = rh_scene_create();
  double tilt = 8 * PI / 180;
  set_gravity(scene, rh_v3(9.81 * sin(tilt), 0, -9.81 * cos(tilt)));
  put_floor(scene);
  put_turned(scene, "lower", rh_v3(0, 0, 0.04999), 0);
  put_turned(scene, "upper", rh_v3(0.01, 0.005, 0.14997), PI / 6);
  rh_contact_def c = springy("lower", "world", "bristle");
  put_contact(scene, &c);
  c = springy("upper", "lower", "bristle");
  c.name = rh_name_of("seat");
  put_contact(scene, &c);
  set_stiff(scene, 14, 1e-8, 1e-10);
  rh_record_def record = rh_record_default();
  record.every = 0.01;
  record.batch = batch;
  rh_scene_set_record(scene, &record);
  return model_of(scene);
}

// A box turned by 30 degrees on another, on a slope of 8: the faces meet in an octagon. Bristles hold true, so that after
// the shake of the start has died (at some 5 per second, four seconds) nothing moves for ten (under a sanitizer for one).
START_TEST(skew_boxes_stay)
{
  rh_model *model = skew_pair(1000000);
  rh_sim *sim = sim_of(model);
  run_to(sim, 4);
  double q[14];
  memcpy(q, rh_sim_view(sim)->q, sizeof q);
  long events = rh_sim_statistics(sim).events;
  run_to(sim, rh_test_long() ? 14 : 5);
  near_array(rh_sim_view(sim)->q, q, 14, 1e-9, 0);
  ck_assert_int_eq(rh_sim_statistics(sim).events, events);
  ck_assert_msg(events < 1000, "%ld events",
                events); // twelve points that bounce some times, stick and slip
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-6);
  finish(sim, model);
}

END_TEST

typedef struct kept {
  const rh_model *model;
  double *state;
  long index;
} kept;

static rh_status keep_frame(void *user, const rh_sim *sim, long index)
{
  kept *k = user;
  if (index == k->index) {
    memcpy(k->state, rh_sim_view(sim)->state, (size_t)k->model->layout.nstate * sizeof *k->state);
  }
  return RH_OK;
}

// Slots are part of the state: a world that goes on from a frame has the bits of one that never stopped.
START_TEST(goes_on_with_its_slots)
{
  rh_model *model = skew_pair(1);
  kept k = {model, calloc((size_t)model->layout.nstate, sizeof(double)), 2};
  rh_sim *whole = sim_of(model);
  rh_sim *rest = sim_of(model);
  rh_observer observer = {&k, keep_frame, NULL, NULL};
  rh_sim_observe(whole, &observer);
  run_to(whole, 0.05);
  rh_sim_resume(rest, k.index, k.state);
  ck_assert_int_gt(rh_slots_used(rh_sim_view(rest)), 4);
  run_to(rest, 0.05);
  ck_assert_uint_eq(rh_data_hash(rh_sim_view(rest), 0), rh_data_hash(rh_sim_view(whole), 0));
  free(k.state);
  rh_sim_destroy(rest);
  finish(whole, model);
}

END_TEST

// ---- Many

START_TEST(pile_of_boxes)
{
  static const double angle[] = {0.7, 1.7, 1.2, 2.8, 0.3};
  const int n = rh_test_long() ? RH_COUNT(angle) : 3;
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  for (int i = 0; i < n; i++) {
    char name[4];
    snprintf(name, sizeof name, "b%d", i);
    put_turned(scene, name, rh_v3(0.01 * (i % 2), 0.008 * (i % 3), 0.0501 + 0.1002 * i), angle[i]);
    rh_contact_def c = springy(name, "all", "bristle");
    c.name = rh_name_of(name);
    put_contact(scene, &c);
  }
  set_stiff(scene, 0.5, 1e-6, 1e-8);
  rh_model *model = model_of(scene);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  for (int i = 0; i < n; i++) { // each lies on the one below, pressed in by less than 1 mm
    near_abs(rh_sim_view(sim)->q[7 * i + 2], 0.05 + 0.1 * i, 1e-3);
  }
  // Points that come while others part take their energy along, which is booked: the account stays exact.
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-5);
  finish(sim, model);
}

END_TEST

static rh_model *balls(int n, double pitch, int row, bool bin)
{
  rh_scene *scene = rh_scene_create();
  put_floor(scene);
  for (int i = 0; bin && i < 4; i++) { // walls
    rh_shape_def wall = shape_of("world", "plane", 0, NULL);
    wall.at[i / 2] = i % 2 ? 0.18 : -0.18;
    wall.rpy[1 - i / 2] = (i / 2 ? -1 : 1) * (i % 2 ? -1 : 1) * PI / 2;
    ck_assert_int_ge(rh_scene_add_shape(scene, &wall), 0);
  }
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    start s = {.at = {pitch * (i % row - 1) + 0.001 * (i % 7), pitch * (i / row % row - 1),
                      0.06 + 0.12 * (i / (row * row))}};
    put_ball(scene, name, 0.1, 0.05, &s);
    rh_contact_def c = springy(name, "all", "none");
    set_law(&c, "k", 2e4);
    c.name = rh_name_of(name);
    put_contact(scene, &c);
  }
  set_tolerance(scene, 1, 1e-6, 1e-8);
  return model_of(scene);
}

START_TEST(balls_in_a_bin)
{
  const int n = rh_test_long() ? 20 : 10;
  rh_model *model = balls(n, 0.11, 3, true);
  rh_sim *sim = sim_of(model);
  run_to(sim, model->run.until);
  for (int i = 0; i < n; i++) {
    const double *q = rh_sim_view(sim)->q + 7 * (size_t)i;
    ck_assert_msg(fabs(q[0]) < 0.135 && fabs(q[1]) < 0.135 && q[2] > 0.045,
                  "ball %d is out: %g %g %g", i, q[0], q[1], q[2]);
  }
  ck_assert(fabs(rh_sim_ledger(sim).residue) < 1e-4);
  finish(sim, model);
}

END_TEST

typedef struct counter {
  size_t bytes; // asked for so far
} counter;

static void *count_bytes(void *user, void *block, size_t bytes)
{
  counter *c = user;
  c->bytes += bytes;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

// All may meet all: half a million pairs that nobody lists.
START_TEST(a_thousand_balls)
{
  static counter c;
  static const rh_allocator allocator = {count_bytes, &c};
  clock_t from = clock();
  rh_hook_set_allocator(&allocator);
  rh_model *model = balls(1000, 1, 32, false);
  rh_sim *sim = sim_of(model);
  double spent = (double)(clock() - from) / CLOCKS_PER_SEC;
  ck_assert_int_eq(model->nslot, 16 + 12 * 1000);
  ck_assert_msg(c.bytes < (size_t)200 << 20, "%zu bytes", c.bytes);
  ck_assert_msg(spent < 5, "%g s", spent); // 0.1 s; sanitizers are slow
  run_to(sim, 1e-3);
  finish(sim, model);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_slots(void)
{
  Suite *suite = suite_create("unit_slots");
  TCase *tests = tcase_create("slots");
  tcase_add_test(tests, rules);
  tcase_add_test(tests, full_pool_says_so);
  tcase_add_test(tests, events_say_where);
  tcase_add_test(tests, over_the_cells);
  tcase_add_test(tests, skew_boxes_stay);
  tcase_add_test(tests, goes_on_with_its_slots);
  tcase_add_test(tests, pile_of_boxes);
  tcase_add_test(tests, balls_in_a_bin);
  tcase_add_test(tests, a_thousand_balls);
  suite_add_tcase(suite, tests);
  return suite;
}
