// Stage 9: actions at events. A joint that hits its limit gets the impulse of its restitution; one
// that rebounds too slowly to leave rests there, held by the limit until the limit would have to
// pull. Impulses act on the whole tree (rh_impulse_response), and every change of energy is
// recorded in the ledger.
#include "multibody/multibody.h"
#include "rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV_MAX = 6 };

// ---- Impulses

// Solves the n x n system W p = b by elimination with the pivots on the diagonal: W is positive definite.
static void solve_small(int n, double W[NV_MAX][NV_MAX], double *b)
{
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double factor = W[i][k] / W[k][k];
      for (int j = k; j < n; j++) {
        W[i][j] -= factor * W[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      b[k] -= W[k][j] * b[j];
    }
    b[k] /= W[k][k];
  }
}

// Impulses on `n` neighbouring degrees of freedom from `first` on that change their velocities by
// `change`; all velocities change with them. Returns the first impulse.
static double apply_change(rh_sim *sim, int first, int n, const double *change)
{
  rh_data *d = sim->data;
  int nv = sim->model->nv;
  double *p = d->dyn.scratch;
  double *dv = d->dyn.scratch + nv;
  double b[NV_MAX];
  rh_dry_release(sim);
  do {
    double W[NV_MAX][NV_MAX];
    rh_sim_evaluate(d);
    memcpy(b, change, (size_t)n * sizeof *b);
    for (int j = 0; j < n; j++) {
      memset(p, 0, (size_t)nv * sizeof *p);
      p[first + j] = 1;
      rh_impulse_response(d, p, dv);
      for (int i = 0; i < n; i++) {
        W[i][j] = dv[first + i];
      }
    }
    solve_small(n, W, b);
    memset(p, 0, (size_t)nv * sizeof *p);
    memcpy(p + first, b, (size_t)n * sizeof *b);
    rh_impulse_response(d, p, dv);
  } while (rh_limits_release(sim));
  for (int k = 0; k < nv; k++) {
    d->v[k] += dv[k];
  }
  for (int j = 0; j < n; j++) {
    d->v[first + j] =
        fabs(d->v[first + j]) < 1e-12 * fabs(change[j]) ? 0 : d->v[first + j]; // exact rest
  }
  return b[0];
}

// ---- Limits

// A shorter flight is treated as rest: the promised accuracy of event times.
static const double SHORTEST_FLIGHT = 1e-9;

// Speed below which a joint that is pushed against its limit with acceleration `a` stays there.
static double rest_speed(const rh_sim *sim, double a)
{
  return fmax(sim->model->run.rest_speed, 0.5 * SHORTEST_FLIGHT * fabs(a));
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
  double impulse = change == 0 ? 0 : apply_change(sim, k, 1, &change);
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
  d->q[dof->coord] = side == RH_HOLD_LOWER ? dof->lower : dof->upper;
  e.before = d->v[k];
  double change = -(1 + dof->bounce) * d->v[k];
  e.impulse = apply_change(sim, k, 1, &change);
  rh_sim_evaluate(d);
  if (away * d->a[k] < -slight_acceleration(sim) && away * d->v[k] <= rest_speed(sim, d->a[k])) {
    e.kind = RH_EVENT_CATCH;
    e.impulse += come_to_rest(sim, k, side);
  }
  e.after = d->v[k];
  e.work = rh_ledger_close(sim, before);
  rh_sim_emit_event(sim, &e);
}

static void limit_hit(rh_sim *sim, int k, rh_hold side)
{
  rh_data *d = sim->data;
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
  double slow = rest_speed(sim, d->a[k]);
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
  for (int i = 0; i < sim->nlimited; i++) {
    if (settle_dof(sim, sim->limited[i])) {
      return true;
    }
  }
  return false;
}

// A flight that ends before the first step does would be missed: half of it bounds the step.
static double shortest_flight(const rh_sim *sim)
{
  const rh_data *d = sim->data;
  double bound = HUGE_VAL;
  for (int i = 0; i < sim->nlimited; i++) {
    int k = sim->limited[i];
    const rh_model_dof *dof = &sim->model->dof[k];
    double q = d->q[dof->coord];
    bool rising = q <= dof->lower && d->v[k] > 0 && d->a[k] < 0;
    bool falling = q >= dof->upper && d->v[k] < 0 && d->a[k] > 0;
    if (d->hold[k] == RH_HOLD_NONE && (rising || falling)) {
      bound = fmin(bound, fabs(d->v[k] / d->a[k]));
    }
  }
  return bound;
}

// ---- Settling

void rh_resolve_overlaps(rh_sim *sim)
{
  rh_sim_evaluate(sim->data);
  rh_touch_settle(sim);
  sim->data->energy_base[1] = 0; // overlap at the start belongs to the initial energy
}

enum { STRIKES_MAX = 1000 }; // at one instant

// Impacts until no touching contact approaches, then the modes of the contacts from now on.
static void settle_rigid(rh_sim *sim)
{
  if (sim->model->nrigid == 0) {
    return;
  }
  if (rh_rigid_goes_on(sim->data)) {
    sim->flight = HUGE_VAL;
    return;
  }
  rh_rigid_hold(sim);
  rh_sim_evaluate(sim->data);
  if (rh_rigid_goes_on(sim->data)) { // only the integrator's error prevented it
    sim->flight = HUGE_VAL;
    return;
  }
  for (int i = 0; i < STRIKES_MAX && rh_rigid_strike(sim); i++) {
    rh_touch_settle(sim);
  }
  sim->failed = sim->failed || !rh_rigid_decide(sim);
}

void rh_resolve_settle(rh_sim *sim)
{
  int most = 4 * sim->nlimited + 1; // each joint is caught or released a few times at most
  rh_sim_evaluate(sim->data);
  rh_touch_settle(sim);
  settle_rigid(sim);
  rh_dry_settle(sim);
  for (int i = 0; i < most && settle_one(sim); i++) {
    rh_sim_evaluate(sim->data);
  }
  sim->flow.first_step = fmin(shortest_flight(sim), sim->flight);
}

// ---- Actions of the scene's events

static void hold_joint(rh_sim *sim, int body)
{
  rh_data *d = sim->data;
  const rh_model_body *b = &sim->model->body[body];
  const char *name = rh_model_name(sim->model, RH_OBJECT_JOINT, body);
  rh_event e = rh_sim_event(sim, RH_EVENT_HOLD, name, b->nv ? b->vadr : RH_NONE);
  rh_data_wake(d, body);
  double before = rh_ledger_open(sim);
  double change[NV_MAX];
  bool moving = false;
  for (int j = 0; j < b->nv; j++) {
    int k = b->vadr + j;
    d->hold[k] = RH_HOLD_NONE; // a lock replaces a limit
    change[j] = -d->v[k];
    moving = moving || d->v[k] != 0;
  }
  e.before = b->nv ? d->v[b->vadr] : 0;
  e.impulse = moving ? apply_change(sim, b->vadr, b->nv, change) : 0;
  for (int j = 0; j < b->nv; j++) {
    d->v[b->vadr + j] = 0;
    d->hold[b->vadr + j] = RH_HOLD_LOCK;
  }
  e.work = rh_ledger_close(sim, before);
  rh_sim_emit_event(sim, &e);
}

static void release_joint(rh_sim *sim, int body)
{
  const rh_model_body *b = &sim->model->body[body];
  rh_data_wake(sim->data, body);
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    if (sim->data->hold[k] == RH_HOLD_LOCK) {
      sim->data->hold[k] = RH_HOLD_NONE;
    }
  }
  rh_event e = rh_sim_event(sim, RH_EVENT_RELEASE, rh_model_name(sim->model, RH_OBJECT_JOINT, body),
                            b->nv ? b->vadr : RH_NONE);
  rh_sim_emit_event(sim, &e);
}

static void switch_actuator(rh_sim *sim, int actuator, const rh_command *command)
{
  rh_event e =
      rh_sim_event(sim, RH_EVENT_SWITCH, rh_model_name(sim->model, RH_OBJECT_ACTUATOR, actuator),
                   sim->model->actuator[actuator].dof);
  e.before = rh_actuator_effort(sim->data, actuator);
  rh_actuator_command(sim->data, actuator, command);
  e.after = rh_actuator_effort(sim->data, actuator);
  rh_sim_emit_event(sim, &e);
}

static void fire_event(rh_sim *sim, int index)
{
  const rh_model_event *e = &sim->model->event[index];
  sim->data->fired[index] += 1;
  if (e->release != RH_NONE) {
    release_joint(sim, e->release);
  } else if (e->hold != RH_NONE) {
    hold_joint(sim, e->hold);
  } else if (e->actuator != RH_NONE) {
    switch_actuator(sim, e->actuator, &e->command);
  } else {
    const char *name = rh_model_name(sim->model, RH_OBJECT_EVENT, index);
    rh_event mark = rh_sim_event(sim, e->stop ? RH_EVENT_STOP : RH_EVENT_MARK, name, RH_NONE);
    sim->stop = sim->stop || e->stop;
    rh_sim_emit_event(sim, &mark);
  }
}

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

void rh_resolve_moment(rh_sim *sim, const rh_moment *moment)
{
  if (moment->kind == RH_MOMENT_EVENT) {
    fire_event(sim, moment->index);
    return;
  }
  bool on = moment->kind == RH_MOMENT_FORCE_ON;
  rh_event e = rh_sim_event(sim, on ? RH_EVENT_FORCE_ON : RH_EVENT_FORCE_OFF,
                            rh_model_name(sim->model, RH_OBJECT_FORCE, moment->index), RH_NONE);
  sim->data->acting[moment->index] = on;
  rh_sim_emit_event(sim, &e);
}

void rh_resolve_hits(rh_sim *sim)
{
  const int *hit = sim->hit;
  for (int i = 0; i < sim->nlimited; i++) {
    if (*hit++) {
      limit_hit(sim, sim->limited[i], RH_HOLD_LOWER);
    }
    if (*hit++) {
      limit_hit(sim, sim->limited[i], RH_HOLD_UPPER);
    }
  }
  for (int i = 0; i < sim->ndry; i++) {
    if (*hit++) {
      rh_dry_hit(sim, sim->dry[i]);
    }
  }
  hit = rh_touch_hits(sim, hit);
  for (int i = 0; i < sim->npassage; i++) {
    if (*hit++) {
      fire_event(sim, sim->passage[i]);
    }
  }
  for (int i = 0; i < sim->nuser; i++) {
    if (*hit++) {
      call_guard(sim, i);
    }
  }
}
