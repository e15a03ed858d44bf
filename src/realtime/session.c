// session.c: opens all parts of a loop, runs it in a separate thread, and closes them in order: the
// loop first, then the device and the graphics, then the keeper, which writes the rest.
#include "live.h"

#include "base/json.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
  STACK = 4 << 20
}; // [bytes] of the loop's thread; includes thread-local memory of sanitizers

struct rh_live {
  rh_live_setup setup;
  rh_scene_world *world;
  rh_keeper *keeper;
  rh_show *show;
  void *device;
  rh_swap status;
  rh_rt_loop loop;
  pthread_t thread;
  bool started;
  _Atomic bool ended;
  int64_t begun;
  rh_live_result result;
};

// ---- Open

static rh_status open_parts(rh_live *l, rh_diag *diag)
{
  const rh_live_setup *s = &l->setup;
  RH_TRY(rh_scene_world_open(s->model, s->until, diag, &l->world));
  RH_TRY(rh_keeper_open(s->model, s->recorder, diag, &l->keeper));
  if (!rh_swap_open(&l->status, sizeof(rh_live_status))) {
    return RH_OUT_OF_MEMORY;
  }
  if (s->device->open != NULL) {
    RH_TRY(s->device->open(&s->how, diag, &l->device));
  }
  return s->show != NULL && s->dry == 0
             ? rh_show_open(s->model, s->show, RH_LIVE_SHOW_RATE, diag, &l->show)
             : RH_OK;
}

static void prepare_loop(rh_live *l)
{
  const rh_live_setup *s = &l->setup;
  rh_rt_loop *loop = &l->loop;
  long ticks = rh_scene_world_ticks(l->world);
  bool dry = s->dry > 0;
  loop->clock = rh_clock_real();
  loop->world = rh_scene_world_steps(l->world);
  loop->device = dry ? NULL : s->device;
  loop->device_self = l->device;
  loop->paced = !dry;
  loop->deadline = s->deadline > 0 ? s->deadline : loop->world.dt;
  loop->last = dry && (ticks < 0 || ticks > s->dry) ? s->dry : ticks;
  loop->view_period = 1 / (2 * RH_LIVE_SHOW_RATE);
  loop->view[0] = l->show != NULL ? rh_show_view(l->show) : NULL;
  loop->view[1] = !dry && s->device->view != NULL ? s->device->view(l->device) : NULL;
  loop->status = &l->status;
  // No peer yet, no force: the gain rises when a peer appears.
  loop->safety = (rh_safety){
      .decay = s->decay, .recover = s->recover, .gain = s->device->read != NULL && !dry ? 0 : 1};
  rh_scene_world_keep(l->world, l->keeper);
}

rh_status rh_live_open(const rh_live_setup *setup, rh_diag *diag, rh_live **live)
{
  rh_live *l = rh_alloc(sizeof *l);
  *live = l;
  if (l == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  l->setup = *setup;
  rh_status status = open_parts(l, diag);
  if (status != RH_OK) {
    rh_live_close(l);
    *live = NULL;
    return status;
  }
  prepare_loop(l);
  return RH_OK;
}

void rh_live_say(const rh_live *l, char *text, size_t size)
{
  text[0] = '\0';
  if (l->setup.device->say != NULL && l->device != NULL) {
    l->setup.device->say(l->device, text, size);
  }
}

// ---- Run

static void *run_loop_thread(void *user)
{
  rh_live *l = user;
  if (l->setup.dry == 0) {
    rh_realtime_memory(&l->result.realtime);
    rh_realtime_thread(&l->result.realtime);
  }
  rh_rt_loop_run(&l->loop);
  atomic_store(&l->ended, true);
  return NULL;
}

rh_status rh_live_start(rh_live *l)
{
  RH_TRY(rh_keeper_start(l->keeper));
  pthread_attr_t how;
  (void)pthread_attr_init(&how);
  (void)pthread_attr_setstacksize(&how, STACK);
  l->begun = l->loop.clock.now(NULL);
  l->started = pthread_create(&l->thread, &how, run_loop_thread, l) == 0;
  (void)pthread_attr_destroy(&how);
  return l->started ? RH_OK : RH_OVER_LIMIT;
}

bool rh_live_running(rh_live *l, rh_live_status *status)
{
  bool fresh;
  const rh_live_status *newest = rh_swap_take(&l->status, &fresh);
  if (newest != NULL) {
    *status = *newest;
  }
  return !atomic_load(&l->ended) && !rh_keeper_failed(l->keeper);
}

void rh_live_stop(rh_live *l)
{
  atomic_store(&l->loop.stop, true);
}

// ---- Finish

static rh_status how_it_ended(rh_live *l)
{
  rh_rt_loop *loop = &l->loop;
  if (loop->ended != RH_OK) {
    return loop->ended;
  }
  if (rh_keeper_failed(l->keeper)) {
    return RH_OUTPUT_NOT_WRITTEN;
  }
  bool whole = loop->over || loop->ticks == loop->last;
  if (whole && !loop->over && l->setup.dry == 0) {
    return rh_scene_world_end(l->world);
  }
  return whole ? RH_OK : RH_INTERRUPTED;
}

void rh_live_finish(rh_live *l)
{
  if (!l->started) {
    return;
  }
  (void)pthread_join(l->thread, NULL);
  l->started = false;
  l->result.wall = 1e-9 * (double)(l->loop.clock.now(NULL) - l->begun);
  if (l->setup.device->quiet != NULL) {
    l->setup.device->quiet(l->device);
  }
  rh_show_stop(l->show);
  l->result.shown = l->show != NULL ? rh_show_sent(l->show) : 0;
  l->result.ended = how_it_ended(l);
  rh_keeper_stop(l->keeper);
  l->result.kept = rh_keeper_count(l->keeper);
  if (rh_keeper_failed(l->keeper)) {
    l->result.ended = RH_OUTPUT_NOT_WRITTEN;
  }
}

const rh_rt_loop *rh_live_loop(const rh_live *l)
{
  return &l->loop;
}

rh_live_result rh_live_results(const rh_live *l)
{
  return l->result;
}

rh_sim *rh_live_sim(rh_live *l)
{
  return rh_scene_world_sim(l->world);
}

void rh_live_close(rh_live *l)
{
  if (l == NULL) {
    return;
  }
  if (l->started) {
    rh_live_stop(l);
    rh_live_finish(l);
  }
  if (l->result.realtime.locked) {
    rh_realtime_release();
  }
  if (l->device != NULL) {
    l->setup.device->close(l->device);
  }
  rh_show_close(l->show);
  rh_keeper_close(l->keeper);
  rh_scene_world_close(l->world);
  rh_swap_close(&l->status);
  rh_free(l);
}

// ---- Report

static void report_spread(rh_json *json, const char *name, const rh_spread *s)
{
  rh_json_open_object(json, name);
  rh_json_number(json, "median", rh_spread_quantile(s, 0.5));
  rh_json_number(json, "p99", rh_spread_quantile(s, 0.99));
  rh_json_number(json, "worst", s->worst);
  rh_json_open_array(json, "histogram");
  int used = RH_TICK_BINS;
  while (used > 0 && s->bin[used - 1] == 0) {
    used--;
  }
  for (int i = 0; i < used; i++) {
    rh_json_open_object(json, NULL);
    rh_json_number(json, "from_us", rh_spread_bin(i));
    rh_json_integer(json, "ticks", s->bin[i]);
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_close(json);
}

static void report_device(const rh_live *l, rh_json *json)
{
  const rh_device *device = l->setup.device;
  rh_json_open_object(json, "device");
  rh_json_string(json, "name", device->row.name);
  const char *name = NULL;
  long value = 0;
  for (int i = 0;
       device->count != NULL && l->device != NULL && device->count(l->device, i, &name, &value);
       i++) {
    rh_json_integer(json, name, value);
  }
  rh_json_close(json);
}

void rh_live_report(const rh_live *l, rh_json *json)
{
  const rh_rt_loop *loop = &l->loop;
  const rh_ticks *a = &loop->account;
  report_device(l, json);
  rh_json_number(json, "rate", 1 / loop->world.dt);
  rh_json_bool(json, "paced", loop->paced);
  rh_json_integer(json, "ticks", loop->ticks);
  rh_json_number(json, "deadline", loop->deadline);
  rh_json_integer(json, "missed", a->missed);
  rh_json_integer(json, "dropped", a->dropped);
  rh_json_number(json, "overdue", a->overdue);
  report_spread(json, "tick", &a->busy);
  report_spread(json, "late", &a->late);
  rh_json_integer(json, "force_decays", loop->safety.alarms);
  rh_json_number(json, "peak_force", loop->peak[0]);
  rh_json_number(json, "peak_torque", loop->peak[1]);
  rh_json_number(json, "hand_work", loop->out.hand_work);
  rh_json_number(json, "given", loop->out.given);
  rh_json_number(json, "returned", loop->out.returned);
  rh_json_bool(json, "fifo", l->result.realtime.fifo);
  rh_json_bool(json, "locked", l->result.realtime.locked);
  rh_json_string(json, "refused", l->result.realtime.why);
  rh_json_integer(json, "lost", l->result.kept.lost);
  rh_json_integer(json, "pictures", l->result.shown);
}
