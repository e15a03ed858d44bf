// The run loop: frames, timed events, controllers, observers, resume. Between two of them the engine of the model moves the
// state (model->engine); the loop knows nothing of contacts.
#include "run.h"

#include "math/extremes.h"
#include "sensors/sensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PILED_MAX = 10000 }; // events at one instant before the run is stopped

// ---- Creation: everything is allocated here

static int compare_moments(const rh_moment *a, const rh_moment *b)
{
  return a->t < b->t ? -1 : a->t > b->t;
}

static void
sort_queue(rh_sim *sim) // insertion: stable, and the order of a scene is mostly that of time
{
  for (int i = 1; i < sim->nqueue; i++) {
    rh_moment x = sim->queue[i];
    int j = i;
    while (j > 0 && compare_moments(&sim->queue[j - 1], &x) > 0) {
      sim->queue[j] = sim->queue[j - 1];
      j--;
    }
    sim->queue[j] = x;
  }
}

static void push_moment(rh_sim *sim, double t, rh_moment_kind kind, int index)
{
  if (isfinite(t)) {
    sim->queue[sim->nqueue++] = (rh_moment){t, kind, index};
  }
}

static void fill_queue(rh_sim *sim)
{
  const rh_model *m = sim->model;
  for (int i = 0; i < m->nforce; i++) {
    if (m->force[i].from > 0) {
      push_moment(sim, m->force[i].from, RH_MOMENT_FORCE_ON, i);
    }
    push_moment(sim, m->force[i].until, RH_MOMENT_FORCE_OFF, i);
  }
  for (int i = 0; i < m->nevent; i++) {
    push_moment(sim, m->event[i].time, RH_MOMENT_EVENT, i);
  }
  sort_queue(sim);
}

rh_status rh_sim_create(const rh_model *model, rh_diag *diag, rh_sim **out)
{
  return rh_sim_create_in(model, NULL, diag, out);
}

rh_status rh_sim_create_in(const rh_model *model, double *row, rh_diag *diag, rh_sim **out)
{
  size_t moments = (size_t)model->nevent + 2 * (size_t)model->nforce;
  rh_sim *sim = rh_alloc(sizeof *sim + moments * sizeof(rh_moment));
  rh_data *data = sim ? rh_data_create_in(model, row) : NULL;
  *out = sim;
  if (!data) {
    rh_free(sim);
    *out = NULL;
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
    return RH_OUT_OF_MEMORY;
  }
  sim->model = model;
  sim->slight = RH_TOL_FORCE * rh_total_mass(model) * rh_norm(model->gravity);
  sim->several_at = -HUGE_VAL;
  rh_energy_check_begin(sim);
  sim->data = data;
  sim->queue = (rh_moment *)(sim + 1);
  fill_queue(sim);
  if (isfinite(rh_sensors_next(data))) {
    sim->view = rh_data_create(model);
    if (!sim->view) {
      rh_data_destroy(data);
      rh_free(sim);
      *out = NULL;
      rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
      return RH_OUT_OF_MEMORY;
    }
  }
  rh_status status = model->run.engine->create(sim, diag, &sim->engine);
  if (status != RH_OK) {
    rh_sim_destroy(sim);
    *out = NULL;
  }
  return status;
}

void rh_sim_destroy(rh_sim *sim)
{
  if (!sim) {
    return;
  }
  sim->model->run.engine->destroy(sim->engine);
  rh_data_destroy(sim->view);
  rh_data_destroy(sim->data);
  rh_free(sim);
}

void rh_sim_observe(rh_sim *sim, const rh_observer *observer)
{
  sim->observer = observer ? *observer : (rh_observer){0};
}

rh_status rh_sim_add_guard(rh_sim *sim, const rh_guard *guard)
{
  const rh_engine *engine = sim->model->run.engine;
  if (sim->started || engine->add_guard == NULL) {
    return RH_WRONG_USAGE;
  }
  if (sim->nuser == RH_GUARD_MAX) {
    return RH_OVER_LIMIT;
  }
  sim->user[sim->nuser] = *guard;
  snprintf(sim->user_name[sim->nuser], RH_NAME_MAX, "%s", guard->name ? guard->name : "guard");
  sim->nuser++;
  rh_status status = engine->add_guard(sim->engine, guard);
  sim->nuser -= status != RH_OK;
  return status;
}

static void restart_engine(rh_sim *sim, rh_restart why)
{
  sim->model->run.engine->restart(sim->engine, why);
}

// ---- Reports to the observer (stage 11)

static double frame_time(const rh_sim *sim)
{
  return (double)sim->frame * sim->model->run.every;
}

// A frame that ends a batch is where a resumed run begins; so the engine drops its history
// there in every run, and a resumed run has the same bits as one that was never cut.
static void report_frame(rh_sim *sim)
{
  long index = sim->frame++;
  rh_energy_check(sim);
  if (sim->observer.frame) {
    rh_sim_keep_answer(sim, sim->observer.frame(sim->observer.user, sim, index));
  }
  if (index % sim->model->run.batch == 0) {
    restart_engine(
        sim, RH_RESTART_BATCH); // after the observer: a resumed run does so with the reported state
  }
}

// ---- The loop

// An engine that has not stated the reason itself gets it in words here.
static rh_status fail_run(rh_sim *sim, rh_status status)
{
  const char *reason = sim->model->run.engine->reason(sim->engine);
  if (sim->reason[0] == '\0') {
    snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s: %s%s%s", *sim->data->t,
             rh_status_message(status), reason[0] ? ": " : "", reason);
  }
  return status;
}

static double next_decision(const rh_sim *sim) // [s] of a controller
{
  return sim->model->ncontroller > 0 ? rh_control_next(sim->data) : HUGE_VAL;
}

static void run_due_moments(rh_sim *sim)
{
  bool any = false;
  bool due = sim->next < sim->nqueue && sim->queue[sim->next].t <= *sim->data->t;
  if (due) {
    rh_sim_break(sim, RH_BREAK_MOMENT);
  }
  while (sim->next < sim->nqueue && sim->queue[sim->next].t <= *sim->data->t) {
    rh_moment_act(sim, &sim->queue[sim->next++]);
    any = true;
  }
  if (next_decision(sim) <= *sim->data->t) { // controllers decide (stage 6)
    rh_kinematics(sim->data);
    any = rh_control_decide(sim->data) || any;
  }
  if (any) {
    restart_engine(sim, RH_RESTART_EVENT);
  }
  if (due) {
    rh_sim_go_on(sim);
  }
}

static void sample_sensors(rh_sim *sim)
{
  if (sim->view) {
    rh_sensors_sample(sim->data, sim->view);
  }
}

static void start_run(rh_sim *sim)
{
  sim->started = true;
  if (sim->model->run.engine->start) {
    sim->model->run.engine->start(sim->engine);
  }
  sim->data->energy_base[0] = rh_ledger_energy(sim->data);
  run_due_moments(sim);
  restart_engine(sim, RH_RESTART_EVENT);
  sample_sensors(sim);
}

static double next_moment(const rh_sim *sim)
{
  double queued = sim->next < sim->nqueue ? sim->queue[sim->next].t : HUGE_VAL;
  return rh_lesser(queued, next_decision(sim));
}

// The engine goes on to the next frame or moment, or to an event before that; then what is due is done. An engine with steps
// of its own comes to moments and frames with the first step that ends at or after them.
static rh_status step_run(rh_sim *sim, double until)
{
  const rh_engine *engine = sim->model->run.engine;
  double t_moment = next_moment(sim);
  double t_out = rh_lesser(rh_lesser(until, t_moment), frame_time(sim));
  t_out = sim->view ? rh_lesser(t_out, rh_sensors_next(sim->data)) : t_out;
  rh_status status = engine->advance(sim->engine, t_out, t_moment);
  if (status != RH_OK) {
    return fail_run(sim, status);
  }
  if (sim->check_due) {
    rh_energy_check(sim);
  }
  sample_sensors(sim);
  run_due_moments(sim);
  if (*sim->data->t >= frame_time(sim)) {
    report_frame(sim); // stages 10 and 11
  }
  if (engine->located && sim->piled > PILED_MAX) {
    snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s: more than %d events at one instant",
             *sim->data->t, PILED_MAX);
    return RH_STOPPED;
  }
  return RH_OK;
}

rh_status rh_sim_run(rh_sim *sim, double until)
{
  sim->observed = RH_OK;
  sim->reason[0] = 0;
  if (!sim->started) {
    start_run(sim);
    report_frame(sim);
  }
  rh_sim_settle_resumed(sim);
  while (*sim->data->t < until && !sim->stop && !sim->failed && sim->observed == RH_OK) {
    RH_TRY(step_run(sim, until));
    if (sim->observer.poll) {
      rh_sim_keep_answer(sim, sim->observer.poll(sim->observer.user, sim));
    }
  }
  if (sim->failed || sim->refused) {
    return RH_STOPPED;
  }
  if (sim->stop) {
    snprintf(sim->reason, sizeof sim->reason, "an event of the scene ended the run at t = %.9g s",
             *sim->data->t);
  } else if (sim->observed != RH_OK) {
    snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s the observer ended the run: %s",
             *sim->data->t, rh_status_message(sim->observed));
  }
  return sim->observed;
}

rh_status rh_sim_step(rh_sim *sim)
{
  const rh_model *m = sim->model;
  int dt = m->run.engine->located ? RH_NONE : rh_row_find(&m->run.engine->row, "dt");
  // An engine with steps of its own goes on to its first step at or after a time.
  double step = dt == RH_NONE ? m->run.every
                              : 0.5 * m->run.engine_par[rh_row_offset(&m->run.engine->row, dt)];
  sim->single_step = true;
  rh_status status = rh_sim_run(sim, *sim->data->t + step);
  sim->single_step = false;
  return status;
}

// ---- External state

rh_data *rh_sim_data(rh_sim *sim)
{
  return sim->data;
}

const rh_data *rh_sim_view(const rh_sim *sim)
{
  return sim->data;
}

void rh_sim_state_changed(rh_sim *sim)
{
  rh_sim_settle_resumed(sim);
  rh_data_wake(sim->data, 0);
  restart_engine(sim, sim->started ? RH_RESTART_EVENT : RH_RESTART_STATE);
}

static void continue_after_frame(rh_sim *sim, long next)
{
  sim->frame = next;
  sim->started = true;
  sim->stop = false;
  sim->refused = false;
  sim->failed = false;
  sim->piled = 0;
  for (sim->next = 0; sim->next < sim->nqueue && sim->queue[sim->next].t <= *sim->data->t;
       sim->next++) {
    // moments up to now have passed
  }
}

void rh_sim_continue(rh_sim *sim, long next)
{
  continue_after_frame(sim, next);
  restart_engine(sim, RH_RESTART_EVENT);
}

void rh_sim_resume(rh_sim *sim, long index, const double *state)
{
  memcpy(sim->data->state, state, (size_t)sim->model->layout.nstate * sizeof *state);
  continue_after_frame(sim, index + 1);
  sim->resumed = index >= 0;
  if (index < 0) { // the state of a world that has not run
    sim->started = false;
    sim->next = 0;
    restart_engine(sim, RH_RESTART_STATE);
  }
  sim->undetermined = -1;
  sim->several_at = *sim->data->t;
}

void rh_sim_settle_resumed(rh_sim *sim)
{
  if (sim->resumed) {
    sim->resumed = false;
    restart_engine(sim, RH_RESTART_BATCH);
    if (sim->observer.poll) { // as after a step that reported the frame
      rh_sim_keep_answer(sim, sim->observer.poll(sim->observer.user, sim));
    }
  }
}

// ---- Accounts

rh_sim_stats rh_sim_statistics(const rh_sim *sim)
{
  rh_sim_stats s = {.impact = sim->impact,
                    .solver = sim->checked,
                    .residue = sim->residue,
                    .frames = sim->frame,
                    .events = sim->events};
  for (int i = 0; i < sim->model->layout.nrested; i++) {
    s.asleep += sim->data->rested[i] < 0;
  }
  for (int i = 0; !sim->model->run.engine->counts_bounces && i < sim->model->ncontact; i++) {
    s.uncounted += sim->model->contact[i].law != NULL;
  }
  sim->model->run.engine->stats(sim->engine, &s.step);
  s.step.steps += sim->before.steps;
  s.step.rejected += sim->before.rejected;
  s.step.evaluations += sim->before.evaluations;
  s.step.restarts += sim->before.restarts;
  return s;
}

const char *rh_sim_reason(const rh_sim *sim)
{
  return sim->reason;
}
