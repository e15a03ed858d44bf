// unit_live.c: the real-time loop without real time: queues between threads, distributions of times, and the loop itself on a
// clock that the test turns. What the machine's clock does is never asserted.
#include "test.h"

#include "realtime/live.h"

#include <math.h>
#include <pthread.h>
#include <routh/routh.h>
#include <stdlib.h>
#include <string.h>

// ---- Queues

START_TEST(ring_keeps_order_and_says_full)
{
  rh_ring ring;
  ck_assert(rh_ring_open(&ring, sizeof(long), 5)); // rounded up to 8
  for (long round = 0; round < 5; round++) {
    for (long i = 0; i < 8; i++) {
      long *room = rh_ring_room(&ring);
      ck_assert_ptr_nonnull(room);
      *room = 10 * round + i;
      rh_ring_push(&ring);
    }
    ck_assert_ptr_null(rh_ring_room(&ring));
    for (long i = 0; i < 8; i++) {
      const long *next = rh_ring_next(&ring);
      ck_assert_ptr_nonnull(next);
      ck_assert_int_eq(*next, 10 * round + i);
      rh_ring_pop(&ring);
    }
    ck_assert_ptr_null(rh_ring_next(&ring));
  }
  rh_ring_close(&ring);
}

END_TEST

enum { RECORDS = RH_TEST_SLOW ? 20000 : 200000, WORDS = 24 };

typedef struct shared {
  rh_ring ring;
  rh_swap swap;
  long lost;
  _Atomic bool done;
} shared;

static void fill(long *record, long value)
{
  for (int i = 0; i < WORDS; i++) {
    record[i] = value;
  }
}

static bool whole(const long *record)
{
  bool same = true;
  for (int i = 1; i < WORDS; i++) {
    same = same && record[i] == record[0];
  }
  return same;
}

static void *write_both(void *user)
{
  shared *s = user;
  for (long i = 1; i <= RECORDS; i++) {
    long *room = rh_ring_room(&s->ring);
    if (room != NULL) {
      fill(room, i);
      rh_ring_push(&s->ring);
    } else {
      s->lost++;
    }
    fill(rh_swap_room(&s->swap), i);
    rh_swap_push(&s->swap);
  }
  atomic_store(&s->done, true);
  return NULL;
}

// A writer and a reader at full speed: records come whole and in order; none is lost but those that were said to be; what a swap
// gives never goes back, and the last is seen.
START_TEST(queues_between_threads)
{
  shared s = {0};
  ck_assert(rh_ring_open(&s.ring, WORDS * sizeof(long), 64));
  ck_assert(rh_swap_open(&s.swap, WORDS * sizeof(long)));
  bool fresh = true;
  ck_assert_ptr_null(rh_swap_take(&s.swap, &fresh));
  ck_assert(!fresh);
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, write_both, &s), 0);
  long got = 0;
  long last = 0;
  long newest = 0;
  bool done = false;
  bool sound = true; // one assert at the end: they are slow
  while (!done) {
    done = atomic_load(&s.done);
    for (const long *r = NULL; (r = rh_ring_next(&s.ring)) != NULL; got++) {
      sound = sound && whole(r) && r[0] > last;
      last = r[0];
      rh_ring_pop(&s.ring);
    }
    const long *r = rh_swap_take(&s.swap, &fresh);
    if (r != NULL) {
      sound = sound && whole(r) && (fresh ? r[0] > newest : r[0] == newest);
      newest = r[0];
    }
  }
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert(sound);
  ck_assert_int_eq(got + s.lost, RECORDS);
  ck_assert_int_eq(newest, RECORDS);
  rh_ring_close(&s.ring);
  rh_swap_close(&s.swap);
}

END_TEST

// ---- Times

START_TEST(distributions)
{
  static const struct {
    double us;
    int bin;
  } row[] = {{0, 0}, {0.9, 0},   {1, 1},     {1.9, 1},  {2, 2},    {3.99, 2},
             {4, 3}, {1000, 10}, {1024, 11}, {1e6, 20}, {3e6, 21}, {1e12, 21}};

  for (int i = 0; i < RH_COUNT(row); i++) {
    rh_spread s = {0};
    rh_spread_add(&s, 1e-6 * row[i].us * (1 + 1e-12));
    ck_assert_msg(s.bin[row[i].bin] == 1, "%g us is not in bin %d", row[i].us, row[i].bin);
    ck_assert(rh_spread_bin(row[i].bin) <= row[i].us + 1e-9);
  }
  rh_spread s = {0};
  near_abs(rh_spread_quantile(&s, 0.5), 0, 0);
  for (int i = 1; i <= 1001; i++) {
    rh_spread_add(&s, 1e-6 * i);
  }
  // Parts of 1/16 of an octave, of which the middle is given: 1/32 at most
  near_rel(rh_spread_quantile(&s, 0.5), 501e-6, 1.0 / 32);
  near_rel(rh_spread_quantile(&s, 0.99), 991e-6, 1.0 / 32);
  near_abs(s.worst, 1001e-6, 1e-18);
  near_rel(s.sum, 501501e-6, 1e-12);
  ck_assert_int_eq(s.count, 1001);
}

END_TEST

START_TEST(gain_falls_and_comes_back)
{
  rh_safety s = {.decay = 0.010, .recover = 0.020, .gain = 1};
  rh_safety_step(&s, 1e-3, false);
  near_abs(s.gain, 1, 0);
  rh_safety_step(&s, 1e-3, true);
  for (int i = 1; i < 10; i++) { // falls all the way, though the alarm is over
    near_abs(s.gain, 1 - 0.1 * i, 1e-12);
    rh_safety_step(&s, 1e-3, false);
  }
  near_abs(s.gain, 0, 1e-12);
  for (int i = 0; i < 30; i++) {
    rh_safety_step(&s, 1e-3, true); // stays down
    near_abs(s.gain, 0, 1e-12);
  }
  ck_assert_int_eq(s.alarms, 2);
  for (int i = 0; i < 21; i++) {
    rh_safety_step(&s, 1e-3, false);
  }
  near_abs(s.gain, 1, 1e-12);
}

END_TEST

// ---- The loop on a clock of its own

enum { TICKS = 400 };

typedef struct stage { // a world and a clock that the test moves
  int64_t now;
  int64_t busy[TICKS]; // [ns] that each tick takes
  int64_t woken[TICKS], due[TICKS];
  double fade[TICKS];
  bool lost[TICKS], live[TICKS];
  long tick;
  rh_device_out told;
  bool end_at_ten;
} stage;

static int64_t stage_now(void *user)
{
  return ((stage *)user)->now;
}

static void stage_sleep(void *user, int64_t until)
{
  stage *s = user;
  if (s->tick < TICKS) {
    s->due[s->tick] = until;
  }
  s->now = until + 20000 > s->now ? until + 20000 : s->now; // woken 20 us late
}

static rh_status stage_tick(void *user, const rh_hand_in *hand, rh_haptic_out *out, bool *over)
{
  stage *s = user;
  s->woken[s->tick] = s->now;
  s->fade[s->tick] = hand->fade;
  s->live[s->tick] = hand->live;
  s->now += s->busy[s->tick++];
  *out = (rh_haptic_out){.wrench = {3 * (1 - hand->fade), 4 * (1 - hand->fade), 0, 0, 0, 1}};
  *over = s->end_at_ten && s->tick == 10;
  return RH_OK;
}

static void stage_device(void *user, double pose[7], double twist[6])
{
  (void)user;
  memset(pose, 0, 7 * sizeof *pose);
  memset(twist, 0, 6 * sizeof *twist);
}

static void stage_view(void *user, rh_view *view)
{
  (void)user;
  view->ncontact = 0;
}

static bool stage_read(void *self, int64_t now, rh_hand_in *in, bool *lost)
{
  stage *s = self;
  (void)now;
  in->has_wrench = true;
  *lost = s->lost[s->tick];
  return true;
}

static void stage_write(void *self, const rh_device_out *out)
{
  ((stage *)self)->told = *out;
}

static const rh_device stage_hand = {
    .row = {.name = "stage"}, .read = stage_read, .write = stage_write};

static void stage_run(stage *s, rh_rt_loop *loop)
{
  *loop = (rh_rt_loop){.clock = {s, stage_now, stage_sleep},
                       .world = {.user = s,
                                 .dt = 1e-3,
                                 .tick = stage_tick,
                                 .device = stage_device,
                                 .view = stage_view},
                       .device = &stage_hand,
                       .device_self = s,
                       .paced = true,
                       .deadline = 1e-3,
                       .last = TICKS,
                       .view_period = 1.0 / 60,
                       .safety = {.decay = 0.010, .recover = 0.020, .gain = 1}};
  rh_rt_loop_run(loop);
}

static void stage_open(stage *s)
{
  *s = (stage){.now = 5000000000};
  for (int i = 0; i < TICKS; i++) {
    s->busy[i] = 100000;
  }
}

START_TEST(ticks_are_due_at_absolute_times)
{
  static stage s;
  static rh_rt_loop loop;
  stage_open(&s);
  stage_run(&s, &loop);
  ck_assert_int_eq(loop.ticks, TICKS);
  ck_assert_int_eq(loop.account.missed, 0);
  ck_assert_int_eq(loop.account.dropped, 0);
  for (int i = 0; i < TICKS; i++) { // no drift, though every one is woken late
    ck_assert_int_eq(s.due[i], 5001000000 + 1000000 * (int64_t)i);
    near_abs(s.fade[i], 0, 0);
    ck_assert(s.live[i]);
  }
  near_abs(loop.account.late.worst, 20e-6, 1e-12);
  near_abs(loop.account.busy.worst, 100e-6, 1e-12);
  near_abs(loop.peak[0], 5, 1e-12);
  near_abs(loop.peak[1], 1, 1e-12);
  near_abs(s.told.wrench[1], 4, 1e-12);
  near_abs(s.told.t, 0.4, 1e-12);
}

END_TEST

START_TEST(a_missed_deadline_takes_the_force_down)
{
  static stage s;
  static rh_rt_loop loop;
  stage_open(&s);
  s.busy[100] = 5000000; // 5 ms: ends 4.02 periods behind its deadline
  s.busy[200] = 1500000; // missed, but the next is still in time
  stage_run(&s, &loop);
  ck_assert_int_eq(loop.account.missed, 2);
  ck_assert_int_eq(loop.account.dropped, 4);
  ck_assert_int_eq(loop.safety.alarms, 2);
  near_abs(loop.account.overdue, 4.02e-3, 1e-9);
  near_abs(loop.account.worst_t, 0.101, 1e-12);
  // The schedule has moved by the periods left out: no burst of ticks to make up for.
  ck_assert_int_eq(s.due[101] - s.due[100], 5000000);
  ck_assert_int_eq(s.due[102] - s.due[101], 1000000);
  ck_assert_int_eq(s.due[201] - s.due[200], 1000000);
  near_abs(s.fade[100], 0, 0);
  for (int i = 0; i < 10; i++) {
    near_abs(s.fade[101 + i], 0.1 * (i + 1), 1e-12);
  }
  for (int i = 0; i < 20; i++) {
    near_abs(s.fade[111 + i], 1 - 0.05 * (i + 1), 1e-12);
  }
  near_abs(s.fade[200], 0, 1e-12);
  near_abs(s.fade[201], 0.1, 1e-12);
}

END_TEST

START_TEST(a_lost_device_gets_no_force)
{
  static stage s;
  static rh_rt_loop loop;
  stage_open(&s);
  for (int i = 50; i < 150; i++) {
    s.lost[i] = true;
  }
  stage_run(&s, &loop);
  ck_assert_int_eq(loop.account.missed, 0);
  ck_assert_int_eq(loop.safety.alarms, 1);
  for (int i = 60; i < 150; i++) {
    near_abs(s.fade[i], 1, 1e-12);
  }
  near_abs(s.fade[TICKS - 1], 0, 1e-12);
}

END_TEST

START_TEST(a_scene_and_anybody_can_end_it)
{
  static stage s;
  static rh_rt_loop loop;
  stage_open(&s);
  s.end_at_ten = true;
  stage_run(&s, &loop);
  ck_assert_int_eq(loop.ticks, 10);
  ck_assert(loop.over);
  stage_open(&s);
  loop = (rh_rt_loop){0};
  loop.clock = (rh_clock){&s, stage_now, stage_sleep};
  atomic_store(&loop.stop, true);
  loop.last = -1;
  rh_rt_loop_run(&loop);
  ck_assert_int_eq(loop.ticks, 0);
}

END_TEST

// ---- Keeping, and no allocation

static const char corner[] =
    "world: {gravity: [0, 0, 0]}\n"
    "bodies:\n"
    "  - {name: tool, mass: 2, inertia: [0.005, 0.005, 0.005, 0, 0, 0]}\n"
    "  - {name: device, mass: 2, inertia: [0.005, 0.005, 0.005, 0, 0, 0]}\n"
    "joints:\n"
    "  - {kind: planar, child: tool, normal: [0, 0, 1], q: [0.040, -0.035, 0.15]}\n"
    "  - {kind: planar, child: device, normal: [0, 0, 1], q: [0.040, -0.035, 0.15]}\n"
    "shapes:\n"
    "  - {body: tool, kind: box, size: [0.021, 0.0105, 0.002]}\n"
    "  - {name: left, body: world, kind: plane, rpy: [0, 1.5707963267948966, 0]}\n"
    "contacts: [{name: wall, body: tool, against: world, law: kelvin-voigt, k: 1000, b: 50}]\n"
    "haptic: {tool: tool, device: device, d_cluster: 0.003, push: [-0.32, 0.4, 0]}\n"
    "run: {until: 1, engine: haptic, dt: 0.001}\n"
    "record: {every: 0.001}\n";

static rh_model *corner_model(void)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  ck_assert_int_eq(rh_scene_parse(corner, strlen(corner), "corner", NULL, 0, diag, &scene), RH_OK);
  ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_OK);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return model;
}

// The keeper's thread is not started yet, so the queue fills: what finds no room is counted, all the rest is kept.
START_TEST(overruns_are_counted)
{
  rh_model *model = corner_model();
  rh_keeper *keeper = NULL;
  ck_assert_int_eq(rh_keeper_open(model, NULL, NULL, &keeper), RH_OK);
  rh_data *data = rh_data_create(model);

  enum { FRAMES = 70000 };

  for (int i = 0; i < FRAMES; i++) {
    *data->t = 0.001 * i;
    rh_keeper_frame(keeper, data->state);
  }
  rh_keeper_counts kept = rh_keeper_count(keeper);
  ck_assert_int_gt(kept.lost, 0);
  ck_assert_int_eq(rh_keeper_start(keeper), RH_OK);
  rh_keeper_stop(keeper);
  kept = rh_keeper_count(keeper);
  ck_assert_int_eq(kept.frames + kept.lost, FRAMES);
  uint64_t hash = 0;
  for (long i = 0; i < kept.frames; i++) { // the oldest are there
    *data->t = 0.001 * (double)i;
    hash = rh_data_hash(data, hash);
  }
  ck_assert_uint_eq(kept.hash, hash);
  rh_keeper_close(keeper);
  rh_data_destroy(data);
  rh_model_destroy(model);
}

END_TEST

static _Atomic long allocations;

static void *counted(void *user, void *block, size_t bytes)
{
  (void)user;
  allocations++;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

// The whole loop over a scene with contacts, frames, events and views, and not one allocation; the bits are those of rh_sim_run.
START_TEST(the_loop_allocates_nothing_and_runs_as_run_does)
{
  static const rh_allocator hook = {counted, NULL};
  rh_hook_set_allocator(&hook);
  rh_model *model = corner_model();
  rh_keeper *keeper = NULL;
  rh_scene_world *world = NULL;
  rh_swap views;
  ck_assert_int_eq(rh_keeper_open(model, NULL, NULL, &keeper), RH_OK);
  ck_assert_int_eq(rh_scene_world_open(model, 1, NULL, &world), RH_OK);
  ck_assert(rh_swap_open(&views, sizeof(rh_view) + (size_t)model->layout.nstate * sizeof(double)));
  static rh_rt_loop loop;
  loop = (rh_rt_loop){.clock = rh_clock_real(),
                      .world = rh_scene_world_steps(world),
                      .last = rh_scene_world_ticks(world),
                      .view_period = 1.0 / 60,
                      .view = {&views},
                      .safety = {.gain = 1}};
  ck_assert_int_eq(loop.last, 1000);
  rh_scene_world_keep(world, keeper);
  long before = allocations;
  rh_rt_loop_run(&loop);
  ck_assert_int_eq(allocations, before);
  ck_assert_int_eq(loop.ended, RH_OK);
  ck_assert_int_eq(rh_scene_world_end(world), RH_OK);
  ck_assert_int_eq(rh_keeper_start(keeper), RH_OK);
  rh_keeper_stop(keeper);
  rh_sim *sim = NULL;
  ck_assert_int_eq(rh_sim_create(model, NULL, &sim), RH_OK);
  ck_assert_int_eq(rh_sim_run(sim, 1), RH_OK);
  rh_keeper_counts kept = rh_keeper_count(keeper);
  ck_assert_int_eq(kept.frames, rh_sim_statistics(sim).frames);
  ck_assert_int_eq(kept.frames, 1001);
  ck_assert_int_gt(kept.events, 0);
  ck_assert_int_eq(kept.events, rh_sim_statistics(sim).events);
  ck_assert_mem_eq(rh_sim_view(sim)->state, rh_sim_view(rh_scene_world_sim(world))->state,
                   (size_t)model->layout.nstate * sizeof(double));
  bool fresh;
  const rh_view *view = rh_swap_take(&views, &fresh);
  ck_assert(fresh && view->ncontact > 0 && view->t > 0.9);
  rh_sim_destroy(sim);
  rh_swap_close(&views);
  rh_scene_world_close(world);
  rh_keeper_close(keeper);
  rh_model_destroy(model);
  rh_hook_set_allocator(NULL);
}

END_TEST

Suite *rh_suite_unit_live(void)
{
  Suite *suite = suite_create("unit_live");
  TCase *tcase = tcase_create("live");
  tcase_add_test(tcase, ring_keeps_order_and_says_full);
  tcase_add_test(tcase, queues_between_threads);
  tcase_add_test(tcase, distributions);
  tcase_add_test(tcase, gain_falls_and_comes_back);
  tcase_add_test(tcase, ticks_are_due_at_absolute_times);
  tcase_add_test(tcase, a_missed_deadline_takes_the_force_down);
  tcase_add_test(tcase, a_lost_device_gets_no_force);
  tcase_add_test(tcase, a_scene_and_anybody_can_end_it);
  tcase_add_test(tcase, overruns_are_counted);
  tcase_add_test(tcase, the_loop_allocates_nothing_and_runs_as_run_does);
  suite_add_tcase(suite, tcase);
  return suite;
}
