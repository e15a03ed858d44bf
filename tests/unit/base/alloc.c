// unit_alloc.c: memory. Nothing allocates during a run; everything is given back; a library that runs out of memory at
// any allocation whatever says so and leaks nothing.
//
// The library's own memory is seen through its allocator hook. What the libraries below it (CVODE, libyaml) take from the C
// library is seen by standing in for malloc and its kin, where no sanitizer does so already.
#include "world.h"

#include <stdlib.h>

#if defined(__GLIBC__) && !RH_TEST_SLOW
#define STAND_IN 1
#else
#define STAND_IN 0
#endif

// ---- Standing in for malloc: counts, and passes on to the C library

// volatile: the compiler believes that malloc changes no variable of this file
static volatile bool watching;
static volatile long taken; // while watching

#if STAND_IN
// NOLINTBEGIN: names and parameters are those of glibc
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

void *malloc(size_t bytes)
{
  taken = taken + watching;
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
  taken = taken + watching;
  return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
  taken = taken + watching;
  return __libc_realloc(block, bytes);
}

// NOLINTEND
#endif

// ---- The hook: counts what is out, and fails when told to

typedef struct counter {
  long calls;    // allocations and growths
  long out;      // blocks not given back
  long fail_at;  // this call fails (from 1), 0: none
  bool for_ever; // and all behind it
} counter;

static void *count_resize(void *user, void *block, size_t bytes)
{
  counter *c = user;
  if (bytes == 0) {
    c->out -= block != NULL;
    free(block);
    return NULL;
  }
  c->calls++;
  if (c->fail_at > 0 && (c->calls == c->fail_at || (c->for_ever && c->calls > c->fail_at))) {
    return NULL;
  }
  void *grown = realloc(block, bytes);
  c->out += block == NULL && grown != NULL;
  return grown;
}

static counter the_counter;

static void hook(long fail_at, bool for_ever)
{
  static rh_allocator allocator = {count_resize, &the_counter};
  the_counter = (counter){.fail_at = fail_at, .for_ever = for_ever};
  rh_hook_set_allocator(&allocator);
}

// ---- A scene with something of everything

static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "bodies:\n"
    "  - {name: rod, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0]}\n"
    "  - {name: bob, mass: 0.2}\n"
    "  - {name: top, mass: 1, inertia: [0.1, 0.2, 0.25, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: hinge, kind: revolute, child: rod, axis: [0, 1, 0], q: 60 deg, damper: 0.01, "
    "limits: [-0.5, 1.2], bounce: 0.6}\n"
    "  - {name: slide, kind: prismatic, parent: rod, child: bob, axis: [0, 0, 1], at: [0, 0, -1], "
    "held: true, spring: 50}\n"
    "  - {name: fly, kind: free, child: top, v: [0, 0, 1, 1, 2, 3]}\n"
    "shapes:\n"
    "  - {body: bob, kind: sphere, radius: 0.05}\n"
    "points:\n"
    "  - {name: tip, body: rod, at: [0, 0, -1]}\n"
    "actuators:\n"
    "  - {name: motor, joint: hinge, effort: 0.5, limits: [-2, 2]}\n"
    "forces:\n"
    "  - {name: wind, body: top, force: [0.1, 0, 0], from: 0.2, until: 0.6}\n"
    "events:\n"
    "  - {name: flip, joint: hinge, position: 0.3, direction: falling, actuator: motor, effort: "
    "-0.5}\n"
    "  - {name: drop, time: 0.5, release: slide}\n"
    "  - {name: grab, time: 0.9, hold: slide}\n"
    "run: {until: 2}\n"
    "record: {every: 0.05, batch: 4}\n";

static rh_status load(const char *integrator, rh_diag *diag, rh_model **model)
{
  char set[64];
  (void)snprintf(set, sizeof set, "run.integrator=%s", integrator);
  const char *const sets[] = {set};
  rh_scene *scene = NULL;
  rh_status status =
      rh_scene_parse(scene_text, sizeof scene_text - 1, "test.yaml", sets, 1, diag, &scene);
  *model = NULL;
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, model);
  } else {
    ck_assert_ptr_null(scene);
  }
  rh_scene_destroy(scene);
  return status;
}

static double bob_height(void *user, const rh_data *d)
{
  (void)user;
  return rh_point_position(d, 2, rh_v3(0, 0, 0)).z + 0.9;
}

static void nudge(void *user, rh_data *d)
{
  (void)user;
  d->v[d->model->nv - 1] += 0.1;
}

static run_log story;

// From create to destroy, every kind of event on the way: no integrator allocates while it runs.
START_TEST(nothing_allocates_in_a_run)
{
  const rh_row *row = rh_kind_row("integrators", _i / 2);
  hook(0, false);
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_status status = load(row->name, diag, &model);
  if (status != RH_OK) {
    say_messages(diag);
  }
  ck_assert_int_eq(status, RH_OK);
  if (_i % 2 == 1) { // cvode: bdf
    set_par(row, model->run.integrator_par, "method", 1);
  }
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, diag, &sim), RH_OK);
  rh_guard guard = {"low", NULL, 0, bob_height, nudge};
  ck_assert_int_eq(rh_sim_add_guard(sim, &guard), RH_OK);
  log_attach(&story, sim);
  long before = the_counter.calls;
  taken = 0;
  watching = true;
  status = rh_sim_run(sim, 2);
  watching = false;
  ck_assert_msg(status == RH_OK, "%s", rh_sim_reason(sim));
  ck_assert_msg(the_counter.calls == before, "%s: %ld allocations in a run", row->name,
                the_counter.calls - before);
  ck_assert_msg(taken == 0, "%s: %ld allocations behind the hook's back", row->name, taken);
  ck_assert_int_gt(log_count(&story, RH_EVENT_BOUNCE), 0); // there was something to do
  ck_assert_int_gt(log_count(&story, RH_EVENT_SWITCH), 0);
  ck_assert_int_gt(log_count(&story, RH_EVENT_MARK), 0);
  ck_assert_int_eq(log_count(&story, RH_EVENT_HOLD), 1);
  // Taking up a state does not allocate either.
  before = the_counter.calls;
  double *state = malloc((size_t)model->layout.nstate * sizeof *state);
  memcpy(state, rh_sim_view(sim)->state, (size_t)model->layout.nstate * sizeof *state);
  watching = true;
  rh_sim_resume(sim, 40, state);
  status = rh_sim_run(sim, 2.5);
  watching = false;
  ck_assert_int_eq(status, RH_OK);
  ck_assert(the_counter.calls == before && taken == 0);
  free(state);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  ck_assert_msg(the_counter.out == 0, "%ld blocks were not given back", the_counter.out);
}

END_TEST

#if STAND_IN
START_TEST(the_watch_works)
{
  taken = 0;
  watching = true;
  void *volatile block = malloc(10); // volatile: or the call is found to be of no use
  watching = false;
  free(block);
  ck_assert_int_eq(taken, 1);
}

END_TEST
#endif

// ---- Running out of memory

// All of it: read, compile, create, run a little, channels, write. Returns the first status that was not OK.
static rh_status whole_way(const char *integrator)
{
  rh_diag *diag = rh_diag_create();
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  rh_status status = load(integrator, diag, &model);
  if (status == RH_OK) {
    status = rh_sim_create(model, diag, &sim);
    ck_assert((status == RH_OK) == (sim != NULL));
  }
  if (status == RH_OK) {
    rh_guard guard = {"low", NULL, 0, bob_height, nudge};
    status = rh_sim_add_guard(sim, &guard);
  }
  if (status == RH_OK) {
    status = rh_sim_run(sim, 0.1);
  }
  if (status == RH_OK) {
    rh_channels *channels = rh_channels_create(model);
    status = channels == NULL ? RH_OUT_OF_MEMORY : RH_OK;
    rh_channels_destroy(channels);
  }
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_diag_destroy(diag);
  return status;
}

static rh_status build_way(void)
{
  rh_scene *scene = rh_scene_create();
  if (scene == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = RH_OK;
  for (int i = 0; i < 20 && status == RH_OK; i++) {
    char name[16];
    char parent[16] = "world";
    (void)snprintf(name, sizeof name, "b%d", i);
    if (i > 0) {
      (void)snprintf(parent, sizeof parent, "b%d", i - 1);
    }
    rh_body_def body = body_of(name, 1, rh_v3(0, 0, 0.1), rh_v3(1, 1, 1));
    rh_joint_def joint = joint_of("universal", parent, name, rh_v3(1, 0, 0));
    set3(joint.par + 3, rh_v3(0, 1, 0));
    bool added =
        rh_scene_add_body(scene, &body) != RH_NONE && rh_scene_add_joint(scene, &joint) != RH_NONE;
    status = added ? RH_OK : RH_OUT_OF_MEMORY;
  }
  rh_model *model = NULL;
  if (status == RH_OK) {
    status = rh_scene_compile(scene, NULL, &model);
  }
  if (status == RH_OK) {
    rh_data *data = rh_data_create(model);
    char *text = rh_scene_write(scene, false);
    status = data != NULL && text != NULL ? RH_OK : RH_OUT_OF_MEMORY;
    rh_free(text);
    rh_data_destroy(data);
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return status;
}

static rh_status way(int which)
{
  static const char *const integrators[] = {"cvode", "rk4"};
  return which < 2 ? whole_way(integrators[which]) : build_way();
}

// The k-th allocation fails, for every k there is; alone, and with all behind it. Only what is of no consequence (a
// message that could not be kept) may be done without.
START_TEST(memory_runs_out)
{
  hook(0, false);
  ck_assert_int_eq(way(_i), RH_OK);
  long all = the_counter.calls;
  ck_assert_int_eq(the_counter.out, 0);
  ck_assert_int_gt(all, 3);
  long survived = 0;
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    for (long k = 1; k <= all; k++) {
      hook(k, for_ever == 1);
      rh_status status = way(_i);
      ck_assert_msg(status == RH_OUT_OF_MEMORY || (status == RH_OK && !for_ever),
                    "way %d, allocation %ld of %ld: %s", _i, k, all, rh_status_name(status));
      ck_assert_msg(the_counter.out == 0, "way %d, allocation %ld of %ld: %ld blocks leaked", _i, k,
                    all, the_counter.out);
      survived += status == RH_OK;
    }
  }
  // The diag itself, and four each to register the text of the file and of the override with it: messages only.
  ck_assert_msg(survived <= 9, "%ld failures went unnoticed", survived);
}

END_TEST

// A message for which there is no memory is counted, and reported by one that needs none.
START_TEST(no_message_is_lost_in_silence)
{
  hook(0, false);
  rh_diag *diag = rh_diag_create();
  ck_assert_ptr_nonnull(diag);
  for (long k = 1; k <= 3; k++) { // the list, the text, the name of its file
    hook(k, true);
    rh_diag_add(diag, RH_ERROR, (rh_place){.file = "a.yaml", .line = 1}, "mass must be > 0");
    rh_hook_set_allocator(NULL);
    ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
    int kept = rh_diag_kept(diag);
    ck_assert_int_ge(kept, 1);
    rh_message last = rh_diag_get(diag, kept - 1);
    ck_assert_int_eq(last.severity, RH_ERROR);
    ck_assert_ptr_nonnull(strstr(last.text, "out of memory"));
    ck_assert_str_eq(rh_diag_get(diag, kept).text, "");
    rh_diag_clear(diag);
    ck_assert_int_eq(rh_diag_kept(diag), 0);
  }
  rh_diag_destroy(diag);
}

END_TEST

// After an allocation has failed every error says so first, and says it once; what came before keeps its words.
START_TEST(errors_after_a_failure_name_it)
{
  static const char *const want[] = {"a is wrong", "out of memory: b is wrong", "c",
                                     "d: out of memory"};
  rh_place nowhere = {0};
  hook(0, false);
  rh_diag *diag = rh_diag_create();
  ck_assert_ptr_nonnull(diag);
  rh_diag_add(diag, RH_ERROR, nowhere, "a is wrong");
  hook(1, false);
  ck_assert_ptr_null(rh_alloc(8));
  rh_diag_add(diag, RH_ERROR, nowhere, "%s is wrong", "b");
  rh_diag_add(diag, RH_NOTE, nowhere, "c");
  rh_diag_add(diag, RH_ERROR, nowhere, "d: out of memory");
  for (int i = 0; i < RH_COUNT(want); i++) {
    ck_assert_str_eq(rh_diag_get(diag, i).text, want[i]);
  }
  rh_diag_clear(diag);
  rh_diag_add(diag, RH_ERROR, nowhere, "a is wrong");
  ck_assert_str_eq(rh_diag_get(diag, 0).text, "a is wrong");
  rh_diag_destroy(diag);
  rh_hook_set_allocator(NULL);
}

END_TEST

// A section that could not be replaced stays as it was, and the scene is not compiled.
START_TEST(scene_remembers_what_it_lacks)
{
  static const double row[] = {0, 1, 0, 0};
  rh_model *model = NULL;
  hook(0, false);
  rh_scene *scene = rh_scene_create();
  rh_diag *diag = rh_diag_create();
  rh_haptic_def def = rh_haptic_default();
  rh_scene_set_haptic(scene, &def);
  def.trace = (rh_numbers){.n = RH_COUNT(row), .x = row};
  hook(1, false);
  rh_scene_set_haptic(scene, &def);
  rh_hook_set_allocator(NULL);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OUT_OF_MEMORY);
  ck_assert_int_eq(rh_diag_count(diag, RH_ERROR), 1);
  ck_assert_ptr_null(model);
  rh_diag_destroy(diag);
  rh_scene_destroy(scene);
}

END_TEST

START_TEST(hook_can_be_taken_back)
{
  hook(1, true);
  ck_assert_ptr_null(rh_alloc(8));
  ck_assert_ptr_null(rh_scene_create());
  ck_assert_ptr_null(rh_diag_create());
  rh_hook_set_allocator(NULL);
  unsigned char *block = rh_alloc(64);
  ck_assert_ptr_nonnull(block);
  for (int i = 0; i < 64; i++) {
    ck_assert_int_eq(block[i], 0);
  }
  block = rh_realloc(block, 128);
  ck_assert_ptr_nonnull(block);
  rh_free(block);
  rh_free(NULL);
  void *nothing = rh_alloc(0); // NULL would mean out of memory
  ck_assert_ptr_nonnull(nothing);
  rh_free(nothing);
}

END_TEST

// NULL is allowed wherever something is given back.
START_TEST(destroy_takes_null)
{
  rh_scene_destroy(NULL);
  rh_model_destroy(NULL);
  rh_data_destroy(NULL);
  rh_sim_destroy(NULL);
  rh_diag_destroy(NULL);
  rh_channels_destroy(NULL);
}

END_TEST

Suite *rh_suite_unit_alloc(void)
{
  Suite *suite = suite_create("unit_alloc");
  TCase *tc = tcase_create("memory");
  int n = 0;
  while (rh_kind_row("integrators", n) != NULL) {
    n++;
  }
#if STAND_IN
  tcase_add_test(tc, the_watch_works);
#endif
  tcase_add_loop_test(tc, nothing_allocates_in_a_run, 0, 2 * n);
  tcase_add_loop_test(tc, memory_runs_out, 0, 3);
  tcase_add_test(tc, no_message_is_lost_in_silence);
  tcase_add_test(tc, errors_after_a_failure_name_it);
  tcase_add_test(tc, scene_remembers_what_it_lacks);
  tcase_add_test(tc, hook_can_be_taken_back);
  tcase_add_test(tc, destroy_takes_null);
  suite_add_tcase(suite, tc);
  return suite;
}
