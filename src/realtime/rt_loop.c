// rt_loop.c: ticks at absolute times. Tick k is due at t0 + k dt; it is missed if it ends later
// than the deadline after that. A tick that ends after the start of the next shifts the schedule by
// whole periods: no ticks are repeated, so a long pause causes no burst. A missed tick, or a lost
// device, reduces the force (timing_stats.c).
#include "live.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define NS            1e9
#define STATUS_PERIOD 0.1 // [s]

// ---- The clock of the machine

static int64_t real_now(void *user)
{
  (void)user;
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void real_sleep(void *user, int64_t until)
{
  (void)user;
  struct timespec t = {.tv_sec = (time_t)(until / 1000000000),
                       .tv_nsec = (long)(until % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
    // a signal came
  }
}

rh_clock rh_clock_real(void)
{
  return (rh_clock){.now = real_now, .sleep = real_sleep};
}

// ---- One tick

// Output of a tick.
static void tell_device(rh_rt_loop *loop)
{
  const double *wrench = loop->out.wrench;
  double force = sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2]);
  double torque = sqrt(wrench[3] * wrench[3] + wrench[4] * wrench[4] + wrench[5] * wrench[5]);
  loop->peak[0] = fmax(loop->peak[0], force);
  loop->peak[1] = fmax(loop->peak[1], torque);
  if (loop->device == NULL || loop->device->write == NULL) {
    return;
  }
  rh_device_out out = {.t = loop->t,
                       .gain = loop->safety.gain,
                       .worst = loop->account.busy.worst,
                       .returned = loop->out.returned,
                       .state = loop->out.state};
  memcpy(out.wrench, wrench, sizeof out.wrench);
  loop->device->write(loop->device_self, &out);
}

static void publish_view(rh_rt_loop *loop, rh_swap *swap)
{
  rh_view *view = rh_swap_room(swap);
  view->t = loop->t;
  view->tick = loop->ticks;
  view->out = loop->out;
  view->gain = loop->safety.gain;
  view->worst = loop->account.busy.worst;
  view->missed = loop->account.missed;
  loop->world.view(loop->world.user, view);
  rh_swap_push(swap);
}

static bool is_due(long tick, double period, double dt) // once per period
{
  long every = (long)fmax(1, floor(period / dt + 0.5));
  return tick % every == 0;
}

static void publish_status(rh_rt_loop *loop)
{
  double dt = loop->world.dt;
  for (int i = 0; i < RH_VIEWS; i++) {
    if (loop->view[i] != NULL && is_due(loop->ticks, loop->view_period, dt)) {
      publish_view(loop, loop->view[i]);
    }
  }
  if (loop->status != NULL && is_due(loop->ticks, STATUS_PERIOD, dt)) {
    rh_live_status *status = rh_swap_room(loop->status);
    *status = (rh_live_status){.t = loop->t,
                               .ticks = loop->ticks,
                               .account = loop->account,
                               .safety = loop->safety,
                               .out = loop->out};
    rh_swap_push(loop->status);
  }
}

static rh_status run_tick(rh_rt_loop *loop, int64_t now, bool missed, bool *over)
{
  const rh_device *device = loop->device;
  rh_live_world *w = &loop->world;
  rh_hand_in in = {.t = loop->t};
  bool lost = false;
  if (device != NULL && device->read != NULL) {
    w->device(w->user, in.pose, in.twist);
    in.live = device->read(loop->device_self, now, &in, &lost);
  }
  rh_safety_step(&loop->safety, w->dt, missed || lost);
  in.fade = 1 - loop->safety.gain;
  rh_status status = w->tick(w->user, &in, &loop->out, over);
  loop->ticks++;
  loop->t = (double)loop->ticks * w->dt;
  tell_device(loop);
  publish_status(loop);
  return status;
}

// ---- The loop

// Did the tick that was due at `due_at` and ended at `end` miss its deadline? Shifts the schedule
// if the next is due already.
static bool check_deadline(rh_rt_loop *loop, int64_t due_at, int64_t end, int64_t *shift)
{
  rh_ticks *a = &loop->account;
  double over = (double)(end - due_at) / NS - loop->deadline;
  bool missed = over > 0;
  if (missed) {
    a->missed++;
    a->overdue = fmax(a->overdue, over);
  }
  int64_t period = (int64_t)(NS * loop->world.dt);
  if (end - due_at >= 2 * period) {
    int64_t behind = (end - due_at) / period - 1;
    *shift += behind * period;
    a->dropped += (long)behind;
  }
  return missed;
}

void rh_rt_loop_run(rh_rt_loop *loop)
{
  rh_clock *clock = &loop->clock;
  double dt = loop->world.dt;
  int64_t start = clock->now(clock->user) + (loop->paced ? (int64_t)(NS * dt) : 0);
  int64_t shift = 0;
  bool missed = false;
  loop->ended = RH_OK;
  while (loop->ended == RH_OK && !loop->over && (loop->last < 0 || loop->ticks < loop->last) &&
         !atomic_load_explicit(&loop->stop, memory_order_relaxed)) {
    int64_t due_at = start + shift + (int64_t)(NS * dt * (double)loop->ticks + 0.5);
    if (loop->paced) {
      clock->sleep(clock->user, due_at);
    }
    int64_t begin = clock->now(clock->user);
    loop->ended = run_tick(loop, begin, missed, &loop->over);
    int64_t end = clock->now(clock->user);
    double busy = (double)(end - begin) / NS;
    if (busy > loop->account.busy.worst) {
      loop->account.worst_t = loop->t;
    }
    rh_spread_add(&loop->account.busy, busy);
    if (loop->paced) {
      rh_spread_add(&loop->account.late, (double)(begin - due_at) / NS);
      missed = check_deadline(loop, due_at, end, &shift);
    }
  }
}
