// The hybrid loop. Between events a stepper integrates; at events the state may jump; the energy
// ledger covers both.
// The stages of a step, by their numbers in docs/concepts.md:
//   1 kinematics  2 collide  3 track  4 contact frames  5 contact laws (contact_find.c)  6 loads
//   7 forward dynamics (rhs.c)  8 integrate to the next event (step_*.c)
//   9 resolve (event_actions.c)  10 ledger (ledger.c)  11 record (the observer)
#include "run.h"

#include "event/rigid.h"

#include <float.h>
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

static void fill_guards(rh_sim *sim)
{
  const rh_model *m = sim->model;
  int *direction = sim->direction;
  for (int k = 0; k < m->nv; k++) {
    if (isfinite(m->dof[k].lower) || isfinite(m->dof[k].upper)) {
      sim->limited[sim->nlimited++] = k;
      *direction++ = -1;
      *direction++ = -1;
    }
  }
  for (int k = 0; k < m->nv; k++) {
    if (m->dof[k].stiction > 0) {
      sim->dry[sim->ndry++] = k;
      *direction++ = -1;
    }
  }
  *direction++ = -1; // the nearest gap
  for (int k = 0; k < m->nslot; k++) {
    *direction++ = -1;
    *direction++ = 0;
  }
  for (int i = 0; i < m->nevent; i++) {
    if (m->event[i].coord != RH_NONE) {
      static const int way[] = {0, 1, -1}; // either, rising, falling
      sim->passage[sim->npassage++] = i;
      *direction++ = way[m->event[i].direction];
    }
  }
}

static double pace_of(const rh_model *model)
{
  double pace = 0;
  for (int i = 0; i < model->ncontroller; i++) {
    pace = fmax(pace, model->controller[i].period);
  }
  return pace;
}

// Work is a force times a distance, and a distance is known to the rounding of coordinates: where
// heavy bodies rest on shapes of this size, smaller energy differences are not resolved. For bodies
// that a hand can lift it is far below any tolerance.
static double energy_grain(const rh_model *m)
{
  double size = 0;
  for (int i = 0; i < m->nshape; i++) {
    size = rh_shape_bounded(m->shape[i].kind) ? fmax(size, m->shape[i].reach) : size;
  }
  return 10 * DBL_EPSILON * rh_total_mass(m) * rh_norm(m->gravity) * size;
}

rh_status rh_sim_create(const rh_model *model, rh_diag *diag, rh_sim **out)
{
  size_t nv = (size_t)model->nv;
  size_t ne = (size_t)model->nevent;
  size_t guards = 3 * nv + 1 + 2 * (size_t)model->nslot + ne + RH_GUARD_MAX;
  size_t moments = ne + 2 * (size_t)model->nforce;
  size_t ny = (size_t)(model->nq + model->nv + model->layout.nwork + model->layout.ns);
  rh_sim *sim = rh_alloc(sizeof *sim + moments * sizeof(rh_moment) + (1 + ny) * sizeof(double) +
                         (2 * guards + 2 * nv + ne) * sizeof(int));
  rh_data *data = sim ? rh_data_create(model) : NULL;
  *out = sim;
  if (!data) {
    rh_free(sim);
    *out = NULL;
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
    return RH_OUT_OF_MEMORY;
  }
  sim->model = model;
  sim->flight = HUGE_VAL;
  sim->slight = RH_TOL_FORCE * rh_total_mass(model) * rh_norm(model->gravity);
  sim->several_at = -HUGE_VAL;
  sim->data = data;
  sim->queue = (rh_moment *)(sim + 1);
  sim->seen = (double *)(sim->queue + moments);
  sim->direction = (int *)(sim->seen + 1 + ny);
  sim->hit = sim->direction + guards;
  sim->limited = sim->hit + guards;
  sim->dry = sim->limited + nv;
  sim->passage = sim->dry + nv;
  fill_queue(sim);
  fill_guards(sim);
  sim->flow =
      (rh_ode){.user = sim,
               .n = model->nq + model->nv + model->layout.nwork,
               .room = data->ny,
               .nguard = 2 * sim->nlimited + sim->ndry + 1 + 2 * model->nslot + sim->npassage,
               .direction = sim->direction,
               .y = data->y,
               .t = data->t,
               .first_step = HUGE_VAL,
               .pace = pace_of(model),
               .rate = rh_sim_rate,
               .guard = rh_sim_guards,
               .arc = model->nrigid > 0 ? rh_sim_arc : NULL,
               .idle = rh_sim_idle,
               .grain = energy_grain(model),
               .project = rh_sim_project,
               .kick = rh_sim_kick};
  rh_status status =
      model->run.stepper->open(&sim->flow, model->run.stepper_par, diag, &sim->stepper);
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
  if (sim->stepper) {
    sim->model->run.stepper->close(sim->stepper);
  }
  rh_data_destroy(sim->data);
  rh_free(sim);
}

void rh_sim_observe(rh_sim *sim, const rh_observer *observer)
{
  sim->observer = observer ? *observer : (rh_observer){0};
}

// The stepper is opened anew: its size depends on the number of guards.
rh_status rh_sim_add_guard(rh_sim *sim, const rh_guard *guard)
{
  bool late = sim->started || sim->model->run.stepper->world; // ticks locate nothing
  if (late || sim->nuser == RH_GUARD_MAX) {
    return late ? RH_WRONG_USAGE : RH_OVER_LIMIT;
  }
  void *stepper = NULL;
  sim->user[sim->nuser] = *guard;
  snprintf(sim->user_name[sim->nuser], RH_NAME_MAX, "%s", guard->name ? guard->name : "guard");
  sim->direction[sim->flow.nguard] = guard->direction;
  sim->flow.nguard++;
  sim->nuser++;
  rh_status status =
      sim->model->run.stepper->open(&sim->flow, sim->model->run.stepper_par, NULL, &stepper);
  if (status != RH_OK) {
    sim->flow.nguard--;
    sim->nuser--;
    return status;
  }
  sim->model->run.stepper->close(sim->stepper);
  sim->stepper = stepper;
  return RH_OK;
}

// ---- Restart of the stepper

// The integrator gets the states of the slots up to the last that is in use.
static void restart_stepper(rh_sim *sim)
{
  static const double AHEAD = 0.5; // [s] horizon of the first check after an event
  const rh_model *m = sim->model;
  sim->flow.n = m->nq + m->nv + m->layout.nwork + RH_SLOT_STATES * rh_slots_used(sim->data);
  sim->level = RH_SEEN_NOTHING;
  sim->begins = true;
  sim->ahead = AHEAD;
  (void)m->run.stepper->restart(sim->stepper);
}

// A stepper of whole worlds handles contacts and holds by itself.
static bool steps_whole_world(const rh_sim *sim)
{
  return sim->model->run.stepper->world != NULL;
}

static void after_event(rh_sim *sim)
{
  if (!steps_whole_world(sim)) {
    rh_resolve_settle(sim);
  }
  restart_stepper(sim);
}

static void begin_batch(rh_sim *sim)
{
  sim->flow.anew = true;
  after_event(sim);
  sim->flow.anew = false;
}

// ---- Reports to the observer (stage 11)

static double frame_time(const rh_sim *sim)
{
  return (double)sim->frame * sim->model->run.every;
}

// A frame that ends a batch is where a resumed run begins; so the integrator drops its history
// there in every run, and a resumed run has the same bits as one that was never cut.
static void tell_frame(rh_sim *sim)
{
  long index = sim->frame++;
  if (sim->observer.frame) {
    rh_sim_keep_answer(sim, sim->observer.frame(sim->observer.user, sim, index));
  }
  if (index % sim->model->run.batch == 0) {
    begin_batch(sim); // after the observer: a resumed run does so with the reported state
  }
}

// ---- The loop

static rh_status fail_run(rh_sim *sim, rh_status status)
{
  snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s: %s%s%s", *sim->data->t,
           rh_status_message(status), sim->model->run.stepper->reason(sim->stepper)[0] ? ": " : "",
           sim->model->run.stepper->reason(sim->stepper));
  return status;
}

static void run_due_moments(rh_sim *sim)
{
  bool any = false;
  while (sim->next < sim->nqueue && sim->queue[sim->next].t <= *sim->data->t) {
    rh_resolve_moment(sim, &sim->queue[sim->next++]);
    any = true;
  }
  if (rh_control_next(sim->data) <= *sim->data->t) { // controllers decide (stage 6)
    rh_kinematics(sim->data);
    any = rh_control_decide(sim->data) || any;
  }
  if (any) {
    after_event(sim);
  }
}

static void start_run(rh_sim *sim)
{
  sim->started = true;
  if (!steps_whole_world(sim)) {
    rh_resolve_overlaps(sim);
  }
  sim->data->energy_base[0] = rh_ledger_energy(sim->data);
  run_due_moments(sim);
  after_event(sim);
}

static double next_moment(const rh_sim *sim)
{
  double queued = sim->next < sim->nqueue ? sim->queue[sim->next].t : HUGE_VAL;
  return fmin(queued, rh_control_next(sim->data));
}

static rh_status stop_at(rh_sim *sim, int slot, const char *why)
{
  snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s: contact '%s' %s", *sim->data->t,
           rh_model_name(sim->model, RH_OBJECT_CONTACT, sim->data->contact[slot].rule), why);
  return RH_STOPPED;
}

// Separating shapes overlap by rounding. Their guard must begin above zero, or they would come back
// unnoticed.
static double grace_of(const rh_sim *sim)
{
  static const double CLEAR = 1e-14; // [m]
  double gap = sim->data->gap;
  return sim->model->nrigid > 0 && gap <= 0 ? CLEAR - gap : 0;
}

// The overlap of separating rigid shapes is ignored from here on, with the possible increase by
// their turning.
static void find_contacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_kinematics(d);
  rh_loads(d);
  if (!sim->begins) {
    rh_contacts(d);
    return;
  }
  rh_search(d)->left = HUGE_VAL;
  rh_contacts(d);
  rh_search(d)->left = 1.5 * rh_search(d)->leaving;
  sim->grace = grace_of(sim);
}

// A contact whose law fails to hold it ends the run.
static rh_status check_slots(rh_sim *sim)
{
  int pierced = rh_slot_pierced(sim->data);
  if (pierced != RH_NONE) {
    return stop_at(
        sim, pierced,
        "is pressed in by more than half its thinner shape; its law is too soft for this speed");
  }
  int bare = rh_slot_on_edge(sim->data);
  if (bare != RH_NONE) {
    return stop_at(sim, bare, "stands on an edge, which has no area: give its constants per point");
  }
  return RH_OK;
}

// Time until which it is safe to go on, by the present state of shapes. Times and horizons of
// checks do not depend on frames: twice as far where nothing came near, twice the safe time where
// something did.
static rh_status look_ahead(rh_sim *sim)
{
  static const double AHEAD_MAX = 1; // [s] later accelerations must be noticed
  static const double CLOCK = 1e-13; // [s] its resolution, at a second
  rh_data *d = sim->data;
  bool due = sim->begins || *d->t >= sim->safe_until;
  if (sim->full) {
    snprintf(
        sim->reason, sizeof sim->reason,
        "at t = %.9g s: there are more than %d contact points at a time; run.contacts says how "
        "many there may be",
        *d->t, sim->model->nslot);
    return RH_STOPPED;
  }
  if (sim->model->nslot == 0) {
    sim->safe_until = HUGE_VAL;
    return RH_OK;
  }
  find_contacts(sim);
  sim->begins = false;
  rh_slots_follow(d);
  if (!due) {
    return RH_OK;
  }
  sim->safe_until = HUGE_VAL;
  if (sim->model->thin) {
    RH_TRY(check_slots(sim));
    rh_forward_dynamics(d);
    rh_rigid_forces(d);
    double safe = rh_safe_time(d, sim->ahead);
    if (!(safe > CLOCK * fmax(*d->t, 1))) {
      snprintf(sim->reason, sizeof sim->reason,
               "at t = %.9g s: shapes move too fast for how thin they are: the clock cannot tell "
               "where they meet",
               *d->t);
      return RH_STOPPED;
    }
    sim->safe_until = *d->t + safe;
    sim->flow.look_from = *d->t;
    sim->ahead = fmin(2 * safe, AHEAD_MAX);
  }
  return RH_OK;
}

static void after_step(rh_sim *sim)
{
  run_due_moments(sim);
  if (*sim->data->t >= frame_time(sim)) {
    tell_frame(sim); // stages 10 and 11
  }
}

// By ticks: moments and frames come with the first tick that is due.
static rh_status step_world(rh_sim *sim, double until)
{
  double t_out = fmin(fmin(until, next_moment(sim)), frame_time(sim));
  rh_status status = sim->model->run.stepper->world(sim->stepper, t_out);
  if (status != RH_OK) {
    return fail_run(sim, status);
  }
  after_step(sim);
  return RH_OK;
}

// Integrates to the next frame, moment or event, whichever is first, and handles it.
static rh_status step_run(rh_sim *sim, double until)
{
  rh_status status = RH_OK;
  if (steps_whole_world(sim)) {
    return step_world(sim, until);
  }
  double t_moment = next_moment(sim);
  RH_TRY(look_ahead(sim));
  double t_limit = fmin(t_moment, sim->safe_until);
  double t_out = fmin(fmin(until, t_limit), frame_time(sim));
  sim->flow.look_at = t_limit < t_moment ? t_limit : -HUGE_VAL;
  sim->level = RH_SEEN_NOTHING; // other code has used the stages since
  rh_advance end =
      sim->model->run.stepper->advance(sim->stepper, t_out, t_limit, sim->hit, &status); // stage 8
  if (end == RH_ADVANCE_FAILED) {
    return fail_run(sim, status);
  }
  if (end == RH_ADVANCE_EVENT) {
    rh_resolve_hits(sim); // stage 9
    after_event(sim);
  } else if (end == RH_ADVANCE_REACHED) {
    *sim->data->t = t_out;
  } else if (end == RH_ADVANCE_LOOK) {
    sim->safe_until = *sim->data->t;
  }
  after_step(sim);
  if (sim->piled > PILED_MAX) {
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
    tell_frame(sim);
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
  int dt = rh_row_find(&m->run.stepper->row, "dt");
  double step = steps_whole_world(sim) ? m->run.stepper_par[rh_row_offset(&m->run.stepper->row, dt)]
                                       : m->run.every;
  // A stepper of whole worlds goes on to its first tick at or after a time.
  sim->single_step = true;
  rh_status status = rh_sim_run(sim, *sim->data->t + (steps_whole_world(sim) ? 0.5 : 1) * step);
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
  if (sim->started) {
    after_event(sim);
  } else {
    restart_stepper(sim);
  }
}

static void stand_behind_frame(rh_sim *sim, long next)
{
  sim->frame = next;
  sim->started = true;
  sim->stop = false;
  for (sim->next = 0; sim->next < sim->nqueue && sim->queue[sim->next].t <= *sim->data->t;
       sim->next++) {
    // moments up to now have passed
  }
}

void rh_sim_continue(rh_sim *sim, long next)
{
  stand_behind_frame(sim, next);
  after_event(sim);
}

void rh_sim_resume(rh_sim *sim, long index, const double *state)
{
  memcpy(sim->data->state, state, (size_t)sim->model->layout.nstate * sizeof *state);
  stand_behind_frame(sim, index + 1);
  sim->resumed = true;
  sim->undetermined = -1;
  sim->several_at = *sim->data->t;
}

void rh_sim_settle_resumed(rh_sim *sim)
{
  if (sim->resumed) {
    sim->resumed = false;
    begin_batch(sim);
    if (sim->observer.poll) { // as after a step that reported the frame
      rh_sim_keep_answer(sim, sim->observer.poll(sim->observer.user, sim));
    }
  }
}

// ---- Accounts

rh_sim_stats rh_sim_statistics(const rh_sim *sim)
{
  rh_sim_stats s = {
      .impact = sim->impact, .solver = sim->judged, .frames = sim->frame, .events = sim->events};
  for (int i = 0; i < sim->model->layout.nrested; i++) {
    s.asleep += sim->data->rested[i] < 0;
  }
  sim->model->run.stepper->stats(sim->stepper, &s.step);
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
