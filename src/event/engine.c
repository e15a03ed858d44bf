// The engine `event`: between events an integrator integrates the motion of all bodies; at events the state may jump. Event
// functions are located to the clock's resolution, and shapes are examined often enough that none can pass another.
// The stages of a step, by their numbers in docs/concepts.md:
//   1 kinematics  2 collide  3 track  4 contact frames  5 contact laws (contact_find.c)  6 loads
//   7 forward dynamics (rhs.c)  8 integrate to the next event (integrator_*.c)  9 resolve (event_actions.c)
#include "event/storm/storm.h"
#include "rigid.h"

#include "multibody/multibody.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Creation: everything is allocated here

static void fill_guards(rh_event_engine *engine)
{
  const rh_model *m = engine->sim->model;
  int *direction = engine->direction;
  for (int k = 0; k < m->nv; k++) {
    if (isfinite(m->dof[k].lower) || isfinite(m->dof[k].upper)) {
      engine->limited[engine->nlimited++] = k;
      *direction++ = -1;
      *direction++ = -1;
    }
  }
  for (int k = 0; k < m->nv; k++) {
    if (m->dof[k].stiction > 0) {
      engine->dry[engine->ndry++] = k;
      *direction++ = -1;
    }
  }
  for (int i = 0; i < 3 * m->layout.ntendon; i++) {
    *direction++ = -1;
  }
  *direction++ = -1; // the nearest gap
  for (int k = 0; k < m->nslot; k++) {
    *direction++ = -1;
    *direction++ = 0;
  }
  for (int i = 0; i < m->nevent; i++) {
    if (m->event[i].coord != RH_NONE) {
      static const int way[] = {0, 1, -1}; // either, rising, falling
      engine->passage[engine->npassage++] = i;
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

// [s] of an integrator that does not choose its steps, in a scene with compliant contacts
static double fixed_step_of(const rh_event_engine *engine)
{
  const rh_model *m = engine->sim->model;
  int dt = rh_row_find(&engine->row->row, "dt");
  bool compliant = false;
  for (int i = 0; i < m->ncontact; i++) {
    compliant = compliant || m->contact[i].law != NULL;
  }
  return compliant && engine->row->per_period > 0 && dt != RH_NONE
             ? m->run.integrator_par[rh_row_offset(&engine->row->row, dt)]
             : 0;
}

static rh_ode flow_of(rh_event_engine *engine)
{
  rh_sim *sim = engine->sim;
  const rh_model *model = sim->model;
  return (rh_ode){.user = sim,
                  .n = model->layout.nfixed,
                  .capacity = sim->data->ny,
                  .nguard = 2 * engine->nlimited + engine->ndry + 3 * model->layout.ntendon + 1 +
                            2 * model->nslot + engine->npassage,
                  .direction = engine->direction,
                  .y = sim->data->y,
                  .t = sim->data->t,
                  .first_step = HUGE_VAL,
                  .pace = pace_of(model),
                  .rate = rh_sim_rate,
                  .guard = rh_sim_guards,
                  .arc = model->nrigid > 0 ? rh_sim_arc : NULL,
                  .idle = rh_sim_idle,
                  .coordinate = rh_sim_coordinate,
                  .grain = energy_grain(model),
                  .project = rh_sim_project,
                  .kick = rh_sim_kick,
                  .longest = engine->fixed_step > 0 ? rh_sim_longest_step : NULL};
}

static void destroy_engine(void *self)
{
  rh_event_engine *engine = self;
  if (engine && engine->integrator) {
    engine->row->close(engine->integrator);
  }
  if (engine) {
    rh_storm_close(engine);
  }
  rh_free(engine);
}

// Part of a step of time stepping: a thousand shorter ones make too little progress.
static const double STEPS_SHORT = 0.02;

static rh_status create_engine(rh_sim *sim, rh_diag *diag, void **self)
{
  const rh_model *model = sim->model;
  size_t nv = (size_t)model->nv;
  size_t ne = (size_t)model->nevent;
  size_t nt = (size_t)model->layout.ntendon;
  size_t guards = 3 * nv + 3 * nt + 1 + 2 * (size_t)model->nslot + ne + RH_GUARD_MAX;
  size_t ny = (size_t)(model->layout.nfixed + model->layout.ns);
  size_t nslot = (size_t)model->nslot;
  rh_event_engine *engine =
      rh_alloc(sizeof *engine + nslot * sizeof *engine->rates + (1 + ny) * sizeof(double) +
               (2 * guards + 3 * nv + nt + ne) * sizeof(int));
  *self = engine;
  if (!engine) {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
    return RH_OUT_OF_MEMORY;
  }
  engine->sim = sim;
  engine->row = rh_integrator_find(model->run.integrator->name);
  engine->flight = HUGE_VAL;
  engine->rates = (rh_contact_rates *)(engine + 1);
  engine->seen = (double *)(engine->rates + nslot);
  engine->direction = (int *)(engine->seen + 1 + ny);
  engine->hit = engine->direction + guards;
  engine->limited = engine->hit + guards;
  engine->leaves = engine->limited + nv;
  engine->dry = engine->leaves + nv;
  engine->slack = engine->dry + nv;
  engine->passage = engine->slack + nt;
  engine->fixed_step = fixed_step_of(engine);
  fill_guards(engine);
  engine->flow = flow_of(engine);
  rh_status status = rh_storm_open(engine);
  engine->flow.least_step = STEPS_SHORT * engine->storm.step;
  if (status == RH_OK) {
    status = engine->row->open(&engine->flow, model->run.integrator_par, diag, &engine->integrator);
  } else {
    rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "out of memory while preparing the run");
  }
  if (status != RH_OK) {
    destroy_engine(engine);
    *self = NULL;
  }
  return status;
}

// The integrator is opened anew: its size depends on the number of guards.
static rh_status add_guard(void *self, const rh_guard *guard)
{
  rh_event_engine *engine = self;
  void *integrator = NULL;
  engine->direction[engine->flow.nguard++] = guard->direction;
  rh_status status =
      engine->row->open(&engine->flow, engine->sim->model->run.integrator_par, NULL, &integrator);
  if (status != RH_OK) {
    engine->flow.nguard--;
    return status;
  }
  engine->row->close(engine->integrator);
  engine->integrator = integrator;
  return RH_OK;
}

// ---- Start and restart

static void resolve_start(void *self)
{
  rh_events_resolve_start(((rh_event_engine *)self)->sim);
}

// The integrator gets the states of the slots up to the last that is in use.
static void restart_integrator(rh_event_engine *engine)
{
  static const double AHEAD = 0.5; // [s] horizon of the first check after an event
  const rh_model *m = engine->sim->model;
  engine->flow.n = m->layout.nfixed + RH_SLOT_STATES * rh_slots_used(engine->sim->data);
  engine->level = RH_SEEN_NOTHING;
  engine->begins = true;
  engine->ahead = AHEAD;
  (void)engine->row->restart(engine->integrator);
}

// Part of the tolerance for an interval of stepped contacts: there are many, and forces are constant
static const double STEPPED_SHARE = 0.01;

static void restart_engine(void *self, rh_restart why)
{
  rh_event_engine *engine = self;
  engine->flow.anew = why == RH_RESTART_BATCH;
  if (engine->flow.anew) {
    rh_storm_forget(engine);
  }
  if (why != RH_RESTART_STATE) {
    rh_events_settle(engine->sim);
  } else {
    memset(engine->leaves, 0, (size_t)engine->nlimited * sizeof *engine->leaves);
    memset(engine->slack, 0, (size_t)engine->sim->model->layout.ntendon * sizeof *engine->slack);
  }
  engine->flow.share = isfinite(engine->storm.end) ? STEPPED_SHARE : 0;
  engine->flow.pace = isfinite(engine->storm.end)
                          ? fmax(pace_of(engine->sim->model), 2 * engine->storm.step)
                          : pace_of(engine->sim->model);
  restart_integrator(engine);
  engine->flow.anew = false;
}

// ---- Checks before a step

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
static void find_contacts(rh_event_engine *engine)
{
  const rh_sim *sim = engine->sim;
  rh_data *d = sim->data;
  rh_kinematics(d);
  rh_loads(d);
  if (!engine->begins) {
    rh_contacts(d);
    return;
  }
  rh_search(d)->left = HUGE_VAL;
  rh_contacts(d);
  rh_search(d)->left = 1.5 * rh_search(d)->leaving;
  engine->grace = grace_of(sim);
}

// A contact whose law fails to hold it ends the run.
static rh_status check_slots(rh_sim *sim)
{
  int pierced = rh_slot_pierced(sim->data);
  if (pierced != RH_NONE) {
    const rh_contact *c = &sim->data->contact[pierced];
    const rh_passed_pair pair = {c->rule, {c->shape[0], c->shape[1]}, c->depth};
    int n = snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s: ", *sim->data->t);
    return rh_stop_passed(sim->model, &pair, sim->reason + n, sizeof sim->reason - (size_t)n);
  }
  int bare = rh_slot_on_edge(sim->data);
  if (bare != RH_NONE) {
    return stop_at(sim, bare, "is on an edge, which has no area: give its constants per point");
  }
  return RH_OK;
}

// Time until which it is safe to go on, by the present state of shapes. Times and horizons of
// checks do not depend on frames: twice as far where nothing came near, twice the safe time where
// something did.
static rh_status look_ahead(rh_event_engine *engine)
{
  rh_sim *sim = engine->sim;
  static const double AHEAD_MAX = 1; // [s] later accelerations must be noticed
  static const double CLOCK = 1e-13; // [s] its resolution, at a second
  rh_data *d = sim->data;
  bool due = engine->begins || *d->t >= engine->safe_until;
  if (engine->full) {
    snprintf(sim->reason, sizeof sim->reason,
             "at t = %.9g s: there are more than %d contact points at a time; raise run.contacts",
             *d->t, sim->model->nslot);
    return RH_STOPPED;
  }
  if (sim->model->nslot == 0) {
    engine->safe_until = HUGE_VAL;
    return RH_OK;
  }
  find_contacts(engine);
  engine->begins = false;
  rh_slots_follow(d);
  if (!due) {
    return RH_OK;
  }
  engine->safe_until = HUGE_VAL;
  if (sim->model->thin) {
    RH_TRY(check_slots(sim));
    rh_forward_dynamics(d);
    rh_rigid_forces(d, true);
    double safe = rh_safe_time(d, engine->ahead);
    if (!(safe > CLOCK * fmax(*d->t, 1))) {
      snprintf(sim->reason, sizeof sim->reason,
               "at t = %.9g s: shapes move too fast for their thickness: the clock does not "
               "resolve the time at which they meet",
               *d->t);
      return RH_STOPPED;
    }
    engine->safe_until = *d->t + safe;
    engine->flow.look_from = *d->t;
    engine->ahead = fmin(2 * safe, AHEAD_MAX);
  }
  return RH_OK;
}

// Rows of constraints that contradict one another end the run: no motion satisfies them.
static rh_status check_constraints(rh_sim *sim)
{
  rh_data *d = sim->data;
  if (!d->dyn.rows || d->dyn.rows->lack == 0) {
    return RH_OK;
  }
  rh_sim_evaluate(d); // it was an attempt of the integrator, or is the state
  if (d->dyn.rows->lack == 0) {
    return RH_OK;
  }
  int row = 0;
  const rh_model *m = sim->model;
  int i = rh_loop_of_row(m, d->dyn.rows->lacking, &row);
  int nloop = m->nloop - m->layout.nconstraint;
  bool loop = i < nloop;
  snprintf(sim->reason, sizeof sim->reason,
           "at t = %.9g s: row %d of the %s %s contradicts the joints and the other rows (by %.3g "
           "of its acceleration): no motion satisfies all of them",
           *d->t, row + 1, loop ? "loop" : "constraint",
           rh_model_name(m, loop ? RH_OBJECT_LOOP : RH_OBJECT_CONSTRAINT, loop ? i : i - nloop),
           d->dyn.rows->lack);
  return RH_STOPPED;
}

// ---- Advance (stages 8 and 9)

static rh_status advance_engine(void *self, double until, double limit)
{
  rh_event_engine *engine = self;
  rh_sim *sim = engine->sim;
  rh_status status = RH_OK;
  RH_TRY(look_ahead(engine));
  double t_limit = fmin(fmin(limit, engine->safe_until), engine->storm.end);
  double t_out = fmin(until, t_limit);
  engine->flow.look_at = t_limit < limit && t_limit < engine->storm.end ? t_limit : -HUGE_VAL;
  engine->level = RH_SEEN_NOTHING; // other code has used the stages since
  rh_advance end = engine->row->advance(engine->integrator, t_out, t_limit, engine->hit, &status);
  rh_storm_watch_tolerance(engine);
  if (end == RH_ADVANCE_FAILED && !engine->storm.over &&
      !(status == RH_TOLERANCE_NOT_REACHED && rh_storm_stuck(engine))) {
    return status;
  }
  if (end == RH_ADVANCE_EVENT) {
    rh_sim_break(sim, RH_BREAK_EVENT);
    rh_storm_begin_event(engine);
    rh_events_resolve(sim);
    restart_engine(engine, RH_RESTART_EVENT);
    rh_sim_go_on(sim);
  } else if (end == RH_ADVANCE_REACHED) {
    *sim->data->t = t_out;
    if (t_out >= engine->storm.end) {
      rh_sim_break(sim, RH_BREAK_OTHER);
      restart_engine(engine, RH_RESTART_EVENT);
    }
  } else if (engine->storm.over || (end == RH_ADVANCE_YIELD && rh_storm_labours(engine))) {
    rh_sim_break(sim, RH_BREAK_OTHER);
    restart_engine(engine, RH_RESTART_EVENT);
  } else if (end == RH_ADVANCE_LOOK) {
    engine->safe_until = *sim->data->t;
  }
  return check_constraints(sim);
}

// ---- Accounts

static const char *failure_reason(const void *self)
{
  const rh_event_engine *engine = self;
  return engine->row->reason(engine->integrator);
}

static void read_stats(const void *self, rh_step_stats *stats)
{
  const rh_event_engine *engine = self;
  engine->row->stats(engine->integrator, stats);
}

static double energy_order(const rh_model *model)
{
  double order = rh_integrator_find(model->run.integrator->name)->order;
  return order > 0 ? order : 1;
}

const rh_engine rh_engine_event = {
    .row = {"event", "",
            "events are located and handled one by one, between them an integrator; for accuracy",
            NULL, 0},
    .located = true,
    .loop_rows = true,
    .counts_bounces = true,
    .compliant = true,
    .energy = {.residue = 1e-6, .order = energy_order},
    .restitution = 1U << RH_E_OF_VELOCITIES | 1U << RH_E_OF_IMPULSES | 1U << RH_E_OF_ENERGIES,
    .impact_law = true,
    .tangential_springs = true,
    .stops = RH_STOPS_OF_JOINTS | RH_STOPS_OF_TENDONS,
    .friction_states = true,
    .normal_states = true,
    .turn_friction = true,
    .belts = true,
    .adhesion = true,
    .impact_friction = true,
    .pair_factors = true,
    .early_impacts = true,
    .faces = RH_FACES_LAWS | RH_FACES_AREAS,
    .selects = true,
    .rigid_modes = true,
    .integrator = "cvode",
    .integrator_row = rh_integrator_row,
    .create = create_engine,
    .start = resolve_start,
    .restart = restart_engine,
    .advance = advance_engine,
    .evaluate = rh_sim_evaluate,
    .add_guard = add_guard,
    .reason = failure_reason,
    .stats = read_stats,
    .destroy = destroy_engine,
};
