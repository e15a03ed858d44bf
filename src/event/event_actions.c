// Stage 9: actions at events. A joint that hits its limit gets the impulse of its restitution; one
// that rebounds too slowly to leave rests there, held by the limit until the limit would have to
// pull. Impulses act on the whole tree (rh_impulse_response), and every change of energy is
// recorded in the ledger.
#include "event/storm/storm.h"
#include "multibody/multibody.h"
#include "rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Limits

// A shorter flight is treated as rest: the promised accuracy of event times.
static const double SHORTEST_FLIGHT = 1e-9;

// Speed below which joint k that is pushed against its limit with acceleration `a` stays there. Contacts of its tree that
// are stepped in time do not resolve a flight within an interval.
static double rest_speed(const rh_sim *sim, int k, double a)
{
  double flight = fmax(SHORTEST_FLIGHT, rh_storm_interval(sim, k));
  return fmax(sim->model->run.rest_speed, 0.5 * flight * fabs(a));
}

// Joints of a body in free fall are pressed nowhere: gravity that remains by rounding counts as
// zero.
static double slight_acceleration(const rh_sim *sim)
{
  return RH_TOL_FORCE * rh_norm(sim->model->gravity);
}

// Removes the remaining speed, and lets the limit hold the joint from now on.
static double come_to_rest(rh_sim *sim, int k, rh_hold side)
{
  rh_data *d = sim->data;
  double change = -d->v[k];
  double impulse = change == 0 ? 0 : rh_joint_impulse(sim, k, 1, &change);
  d->v[k] = 0;
  d->hold[k] = side;
  return impulse;
}

static void rebound_from_limit(rh_sim *sim, int k, rh_hold side)
{
  rh_data *d = sim->data;
  const rh_model_dof *dof = &sim->model->dof[k];
  double away = side == RH_HOLD_LOWER ? 1 : -1;
  if (away * d->v[k] >= 0) {
    return; // another impulse at this instant has reversed it
  }
  double before = rh_ledger_open(sim);
  rh_event e = rh_sim_event(sim, RH_EVENT_BOUNCE, rh_dof_name(sim, k), k);
  rh_event_engine_of(sim)->limits_acted = true;
  d->q[dof->coord] = side == RH_HOLD_LOWER ? dof->lower : dof->upper;
  e.before = d->v[k];
  double change = -(1 + dof->bounce) * d->v[k];
  e.impulse = rh_joint_impulse(sim, k, 1, &change);
  rh_sim_evaluate(d);
  if (away * d->a[k] < -slight_acceleration(sim) && away * d->v[k] <= rest_speed(sim, k, d->a[k])) {
    e.kind = RH_EVENT_CATCH;
    e.impulse += come_to_rest(sim, k, side);
  }
  e.after = d->v[k];
  e.work = rh_ledger_close(sim, before);
  rh_sim_emit_event(sim, &e);
  rh_limit_restitution_check(sim, &e, sim->model->run.rest_speed);
}

static void limit_hit(rh_sim *sim, int k, rh_hold side)
{
  rh_data *d = sim->data;
  rh_storm_count_limit(sim, k);
  if (d->hold[k] == side) {
    d->hold[k] = RH_HOLD_NONE;
    rh_event e = rh_sim_event(sim, RH_EVENT_LEAVE, rh_dof_name(sim, k), k);
    rh_sim_emit_event(sim, &e);
  } else if (d->hold[k] == RH_HOLD_NONE) {
    rebound_from_limit(sim, k, side);
  }
}

// The limit at which a free joint is, if any.
static rh_hold stands_at(const rh_data *d, int k)
{
  const rh_model_dof *dof = &d->model->dof[k];
  if (d->hold[k] != RH_HOLD_NONE) {
    return RH_HOLD_NONE;
  }
  double q = d->q[dof->coord];
  return q <= dof->lower ? RH_HOLD_LOWER : q >= dof->upper ? RH_HOLD_UPPER : RH_HOLD_NONE;
}

// True if degree of freedom k needed an action.
static bool settle_dof(rh_sim *sim, int k)
{
  rh_data *d = sim->data;
  rh_hold side = stands_at(d, k);
  double away = side == RH_HOLD_LOWER ? 1 : -1;
  if (rh_limit_pulls(sim, k)) { // held, but the limit would have to pull
    limit_hit(sim, k, (rh_hold)d->hold[k]);
    return true;
  }
  if (side == RH_HOLD_NONE) {
    return false;
  }
  double slow = rest_speed(sim, k, d->a[k]);
  if (away * d->v[k] < -slow) { // hits the limit from the start
    rebound_from_limit(sim, k, side);
    return true;
  }
  if (away * d->a[k] < -slight_acceleration(sim) && fabs(d->v[k]) <= slow) { // rests on it
    double before = rh_ledger_open(sim);
    rh_event e = rh_sim_event(sim, RH_EVENT_CATCH, rh_dof_name(sim, k), k);
    e.before = d->v[k];
    e.impulse = come_to_rest(sim, k, side);
    e.work = rh_ledger_close(sim, before);
    rh_sim_emit_event(sim, &e);
    return true;
  }
  return false;
}

static bool settle_one(rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  for (int i = 0; i < engine->nlimited; i++) {
    if (settle_dof(sim, engine->limited[i])) {
      return true;
    }
  }
  return rh_tendons_settle_one(sim);
}

// A flight that ends before the first step does would be missed: half of it bounds the step.
static double shortest_flight(const rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  const rh_data *d = sim->data;
  double bound = HUGE_VAL;
  for (int i = 0; i < engine->nlimited; i++) {
    int k = engine->limited[i];
    const rh_model_dof *dof = &sim->model->dof[k];
    double q = d->q[dof->coord];
    bool rising = q <= dof->lower && d->v[k] > 0 && d->a[k] < 0;
    bool falling = q >= dof->upper && d->v[k] < 0 && d->a[k] > 0;
    if (d->hold[k] == RH_HOLD_NONE && (rising || falling)) {
      bound = fmin(bound, fabs(d->v[k] / d->a[k]));
    }
  }
  return fmin(bound, rh_tendons_shortest_flight(sim));
}

// Joints that stand at a limit and are pushed away from it, or not pushed
static void find_leaving(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  const rh_data *d = sim->data;
  for (int i = 0; i < engine->nlimited; i++) {
    int k = engine->limited[i];
    rh_hold side = stands_at(d, k);
    double away = side == RH_HOLD_LOWER ? 1 : -1;
    bool leaves = side != RH_HOLD_NONE && away * d->v[k] >= 0 && away * d->a[k] >= 0;
    engine->leaves[i] = leaves ? (int)side : RH_HOLD_NONE;
  }
}

// ---- Settling

void rh_events_resolve_start(rh_sim *sim)
{
  rh_sim_evaluate(sim->data);
  rh_contacts_begin_touching(sim);
  sim->data->energy_base[1] = 0; // overlap at the start belongs to the initial energy
}

// Impacts at one instant; after the first of these numbers only those of approaches that are not
// slower than rest: impulses and coming to rest may undo each other's rounding.
enum { IMPACTS_SLOW = 20, IMPACTS_MAX = 1000 };

// `stepped`: contacts that are stepped in time take part; the steps stop slow approaches.
static void apply_all_impacts(rh_sim *sim, bool stepped)
{
  double rest = stepped ? rh_storm_speed(sim) : sim->model->run.rest_speed;
  int all = stepped ? 1 : IMPACTS_SLOW;
  for (int i = 0; i < IMPACTS_MAX; i++) {
    bool slow = i >= all && rh_rigid_approach(sim) <= rest;
    if (slow || !rh_rigid_impacts(sim)) {
      return;
    }
    rh_contacts_begin_touching(sim);
  }
}

// What rounding left of the velocities of structures that cannot move
static void stop_resting(rh_sim *sim)
{
  double before = rh_ledger_open(sim);
  if (rh_rigid_stop(sim->data)) {
    (void)rh_ledger_close(sim, before);
    rh_sim_evaluate(sim->data);
  }
}

// Impacts until no touching contact approaches, then the modes of the contacts from now on. After the
// impulse of a limit their speeds are no error of the integrator: those that approach have an impact,
// those that leave part.
static void settle_rigid(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  bool acted = engine->limits_acted;
  engine->limits_acted = false;
  if (sim->model->nrigid == 0) {
    return;
  }
  bool impacts = rh_storm_open_impacts(sim);
  if (!impacts && rh_rigid_goes_on(sim->data)) {
    engine->flight = HUGE_VAL;
    return;
  }
  if (!acted) {
    rh_rigid_hold(sim);
    rh_sim_evaluate(sim->data);
    stop_resting(sim);
  }
  if (!impacts && rh_rigid_goes_on(sim->data)) { // only the integrator's error prevented it
    engine->flight = HUGE_VAL;
    return;
  }
  apply_all_impacts(sim, impacts);
  if (impacts) {
    rh_storm_close_impacts(sim);
  }
  sim->failed = sim->failed || !rh_rigid_decide(sim);
  stop_resting(sim);
}

// Removes the integrator's error from the gaps of loops and constraints, and from their velocities.
static void hold_constraints(rh_sim *sim)
{
  static const double CLOSED = 1e-14; // [m, rad] rounding of places
  static const int NEWTON_MAX = 8;    // scenes are closed to 1e-4 at the start: four steps
  rh_data *d = sim->data;
  if (d->dyn.rows) {
    double before = rh_ledger_open(sim);
    bool moved = false;
    for (int i = 0; i < NEWTON_MAX && rh_constraints_gap(d) > CLOSED; i++) {
      rh_constraints_close(d);
      rh_sim_evaluate(d);
      moved = true;
    }
    if (rh_constraints_hold(d) || moved) {
      (void)rh_ledger_close(sim, before);
      rh_sim_evaluate(d);
    }
  }
}

// Joints are caught and released. True if one was, and rigid contacts may move otherwise.
static bool settle_limits(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  int maximum = 4 * (engine->nlimited + sim->model->layout.ntendon) +
                1; // each joint is caught or released a few times at most
  bool any = false;
  for (int i = 0; i < maximum && settle_one(sim); i++) {
    rh_sim_evaluate(sim->data);
    any = true;
  }
  engine->limits_acted = any && sim->model->nrigid > 0;
  return engine->limits_acted;
}

enum { ROUNDS_MAX = 100 }; // of impacts of contacts and limits that follow from one another

void rh_events_settle(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  bool again = true;
  rh_sim_evaluate(sim->data);
  hold_constraints(sim);
  rh_contacts_begin_touching(sim);
  for (int i = 0; i < ROUNDS_MAX && again; i++) {
    rh_storm_settle(sim);
    settle_rigid(sim);
    rh_storm_step(sim);
    rh_joint_friction_settle(sim);
    rh_tendons_settle_friction(sim);
    again = settle_limits(sim);
  }
  find_leaving(sim);
  rh_tendons_find_leaving(sim);
  engine->flow.first_step =
      fmin(fmin(shortest_flight(sim), engine->flight), rh_contacts_shortest_flight(sim));
}

// ---- Hits

static void call_guard(rh_sim *sim, int index)
{
  const rh_guard *g = &sim->user[index];
  rh_event e = rh_sim_event(sim, RH_EVENT_MARK, sim->user_name[index], RH_NONE);
  if (g->act) {
    double before = rh_ledger_open(sim);
    g->act(g->user, sim->data);
    e.work = rh_ledger_close(sim, before);
  }
  rh_sim_emit_event(sim, &e);
}

// Before the impulse of a limit: what contacts move by until then is the integrator's error.
static void hold_before_limits(rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  bool any = false;
  const int *tendon = engine->hit + 2 * engine->nlimited + engine->ndry;
  for (int i = 0; i < engine->nlimited; i++) {
    any = any || engine->hit[2 * i] || engine->hit[2 * i + 1];
  }
  for (int i = 0; i < 3 * sim->model->layout.ntendon; i++) {
    any = any || tendon[i];
  }
  if (any) {
    rh_sim_evaluate(sim->data);
    if (!rh_rigid_goes_on(sim->data)) {
      rh_rigid_hold(sim);
    }
  }
}

void rh_events_resolve(rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  const int *hit = engine->hit;
  hold_before_limits(sim);
  for (int i = 0; i < engine->nlimited; i++) {
    if (*hit++) {
      limit_hit(sim, engine->limited[i], RH_HOLD_LOWER);
    }
    if (*hit++) {
      limit_hit(sim, engine->limited[i], RH_HOLD_UPPER);
    }
  }
  for (int i = 0; i < engine->ndry; i++) {
    if (*hit++) {
      rh_joint_friction_event(sim, engine->dry[i]);
    }
  }
  hit = rh_tendon_hits(sim, hit);
  hit = rh_touch_hits(sim, hit);
  for (int i = 0; i < engine->npassage; i++) {
    if (*hit++) {
      rh_scene_event_fire(sim, engine->passage[i]);
    }
  }
  for (int i = 0; i < sim->nuser; i++) {
    if (*hit++) {
      call_guard(sim, i);
    }
  }
}
