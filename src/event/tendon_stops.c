// tendon_stops.c: limits and dry friction of tendons. A tendon at a limit that would go on, or at rest in
// friction that bears the load, is held by a row of forward dynamics, whose force is the reaction: a limit only
// pushes, friction gives at most what it has. All else is as of joints: the guard of a limit is the distance
// to it, or the force of the row; impulses at a limit are inelastic.
#include "multibody/multibody.h"
#include "rigid.h"

#include <math.h>

static const double SHORTEST_FLIGHT = 1e-9; // [s] a shorter one is treated as rest

static rh_hold hold_of(const rh_data *d, int i)
{
  return (rh_hold)d->dyn.tendon_hold[d->model->tendons.of[i].stop];
}

static void set_hold(rh_data *d, int i, rh_hold hold)
{
  d->dyn.tendon_hold[d->model->tendons.of[i].stop] = hold;
}

static double *way_of(rh_data *d, int i) // direction of a motion with friction
{
  return &d->dyn.tendon_dry[d->model->tendons.of[i].stop];
}

static double force_of(const rh_data *d, int i) // > 0 lengthens
{
  return d->dyn.rows->force[d->model->layout.nrow + d->model->tendons.of[i].stop];
}

static bool has_stop(const rh_model *m, int i)
{
  return m->layout.ntendon > 0 && m->tendons.of[i].stop != RH_NONE;
}

// Second rate of the length
static double acceleration_of(const rh_data *d, int i)
{
  const rh_model_tendon *t = &d->model->tendons.of[i];
  double sum = rh_tendon_bias(d, i);
  for (int k = t->dof; k < t->dof + t->ndof; k++) {
    sum += d->dyn.tendon_J[k] * d->a[d->model->tendons.dof[k]];
  }
  return sum;
}

static rh_event event_of(const rh_sim *sim, rh_event_kind kind, int i)
{
  rh_event e = rh_sim_event(sim, kind, rh_model_name(sim->model, RH_OBJECT_TENDON, i), RH_NONE);
  e.before = e.after = sim->data->dyn.tendon[i].speed;
  return e;
}

// ---- Guards

static double limit_guard(const rh_sim *sim, int i, rh_hold side)
{
  static const double CLEAR = 1e-14; // [m] of a length of 1, above the rounding of lengths
  const rh_data *d = sim->data;
  const rh_model_tendon *t = &d->model->tendons.of[i];
  double sign = side == RH_HOLD_LOWER ? 1 : -1;
  if (hold_of(d, i) == side) {
    return sim->slight + sign * force_of(d, i);
  }
  double limit = side == RH_HOLD_LOWER ? t->lower : t->upper;
  double distance = sign * (d->dyn.tendon[i].length - limit);
  if (rh_event_engine_of(sim)->slack[t->stop] == (int)side) {
    distance += CLEAR * fmax(1, fabs(limit));
  }
  return distance < 1e6 ? distance : 1e6; // a limit at infinity is far away
}

static double friction_guard(const rh_data *d, int i)
{
  const rh_model_tendon *t = &d->model->tendons.of[i];
  rh_hold hold = hold_of(d, i);
  if (!(t->friction > 0) || (hold != RH_HOLD_NONE && hold != RH_HOLD_DRY)) {
    return 1;
  }
  return hold == RH_HOLD_DRY ? t->friction - fabs(force_of(d, i))
                             : d->dyn.tendon_dry[t->stop] * d->dyn.tendon[i].speed;
}

double *rh_tendon_guards(const rh_sim *sim, double *g)
{
  for (int i = 0; i < sim->model->tendons.n; i++) {
    if (has_stop(sim->model, i)) {
      *g++ = limit_guard(sim, i, RH_HOLD_LOWER);
      *g++ = limit_guard(sim, i, RH_HOLD_UPPER);
      *g++ = friction_guard(sim->data, i);
    }
  }
  return g;
}

// ---- Limits

static rh_hold stands_at(const rh_data *d, int i)
{
  const rh_model_tendon *t = &d->model->tendons.of[i];
  double length = d->dyn.tendon[i].length;
  bool held = hold_of(d, i) == RH_HOLD_LOWER || hold_of(d, i) == RH_HOLD_UPPER;
  return held                 ? RH_HOLD_NONE
         : length <= t->lower ? RH_HOLD_LOWER
         : length >= t->upper ? RH_HOLD_UPPER
                              : RH_HOLD_NONE;
}

// [m/s^2] Tendons of bodies in free fall are stretched nowhere: what remains by rounding counts as zero.
static double slight_acceleration(const rh_sim *sim)
{
  return RH_TOL_FORCE * rh_norm(sim->model->gravity);
}

// The impulse that ends the approach; what would go on is held there.
static void stop_at_limit(rh_sim *sim, int i, rh_hold side)
{
  rh_data *d = sim->data;
  double away = side == RH_HOLD_LOWER ? 1 : -1;
  double before = rh_ledger_open(sim);
  rh_event e = event_of(sim, RH_EVENT_BOUNCE, i);
  rh_event_engine_of(sim)->limits_acted = true;
  if (away * e.before < 0) {
    e.impulse = rh_tendon_impulse(sim, i, -e.before);
  }
  *way_of(d, i) = 0;
  set_hold(d, i, RH_HOLD_NONE);
  rh_sim_evaluate(d);
  if (away * acceleration_of(d, i) < -slight_acceleration(sim)) {
    e.kind = RH_EVENT_CATCH;
    set_hold(d, i, side);
    rh_sim_evaluate(d);
    (void)rh_constraints_hold(d); // the rest of its speed
    rh_sim_evaluate(d);
  }
  e.after = d->dyn.tendon[i].speed;
  e.work = rh_ledger_close(sim, before);
  rh_sim_emit_event(sim, &e);
}

static void leave_limit(rh_sim *sim, int i)
{
  set_hold(sim->data, i, RH_HOLD_NONE);
  rh_event e = event_of(sim, RH_EVENT_LEAVE, i);
  rh_sim_emit_event(sim, &e);
}

static void limit_event(rh_sim *sim, int i, rh_hold side)
{
  rh_data *d = sim->data;
  rh_sim_evaluate(d);
  if (hold_of(d, i) == side) {
    leave_limit(sim, i);
  } else if ((side == RH_HOLD_LOWER ? 1 : -1) * d->dyn.tendon[i].speed < 0) {
    stop_at_limit(sim, i, side);
  }
}

static bool settle_tendon(rh_sim *sim, int i)
{
  rh_data *d = sim->data;
  if (rh_tendon_pulls(sim, i, force_of(d, i))) {
    leave_limit(sim, i);
    return true;
  }
  rh_hold side = stands_at(d, i);
  if (side == RH_HOLD_NONE) {
    return false;
  }
  double away = side == RH_HOLD_LOWER ? 1 : -1;
  double a = acceleration_of(d, i);
  double slow = fmax(sim->model->run.rest_speed, 0.5 * SHORTEST_FLIGHT * fabs(a));
  double speed = d->dyn.tendon[i].speed;
  bool pressed = away * a < -slight_acceleration(sim) && fabs(speed) <= slow;
  if (away * speed < -slow || pressed) {
    stop_at_limit(sim, i, side);
    return true;
  }
  return false;
}

bool rh_tendons_settle_one(rh_sim *sim)
{
  for (int i = 0; i < sim->model->tendons.n; i++) {
    if (has_stop(sim->model, i) && settle_tendon(sim, i)) {
      return true;
    }
  }
  return false;
}

void rh_tendons_find_leaving(rh_sim *sim)
{
  const rh_data *d = sim->data;
  for (int i = 0; i < sim->model->tendons.n; i++) {
    if (!has_stop(sim->model, i)) {
      continue;
    }
    rh_hold side = stands_at(d, i);
    double away = side == RH_HOLD_LOWER ? 1 : -1;
    bool leaves = side != RH_HOLD_NONE && away * d->dyn.tendon[i].speed >= -SHORTEST_FLIGHT;
    rh_event_engine_of(sim)->slack[sim->model->tendons.of[i].stop] =
        leaves ? (int)side : RH_HOLD_NONE;
  }
}

double rh_tendons_shortest_flight(const rh_sim *sim)
{
  const rh_data *d = sim->data;
  double bound = HUGE_VAL;
  for (int i = 0; i < sim->model->tendons.n; i++) {
    rh_hold side = has_stop(sim->model, i) ? stands_at(d, i) : RH_HOLD_NONE;
    double away = side == RH_HOLD_LOWER ? 1 : -1;
    double speed = d->dyn.tendon[i].speed;
    double a = side != RH_HOLD_NONE ? acceleration_of(d, i) : 0;
    if (side != RH_HOLD_NONE && away * speed > 0 && away * a < 0) {
      bound = fmin(bound, fabs(speed / a));
    }
  }
  return bound;
}

// ---- Friction

// Holds the tendon, and lets it go in the direction of the load if friction does not bear that. True: it rests.
static bool try_hold(rh_data *d, int i)
{
  *way_of(d, i) = 0;
  set_hold(d, i, RH_HOLD_DRY);
  rh_sim_evaluate(d);
  if (rh_constraints_hold(d)) {
    rh_sim_evaluate(d);
  }
  if (fabs(force_of(d, i)) <= d->model->tendons.of[i].friction) {
    return true;
  }
  double force = force_of(d, i);
  set_hold(d, i, RH_HOLD_NONE);
  *way_of(d, i) = force > 0 ? -1 : 1;
  rh_sim_evaluate(d);
  return false;
}

static void let_slip(rh_sim *sim, int i)
{
  rh_data *d = sim->data;
  double force = force_of(d, i);
  set_hold(d, i, RH_HOLD_NONE);
  *way_of(d, i) = force > 0 ? -1 : 1;
  rh_event e = event_of(sim, RH_EVENT_SLIP, i);
  rh_sim_emit_event(sim, &e);
  rh_sim_evaluate(d);
}

static void friction_event(rh_sim *sim, int i)
{
  rh_data *d = sim->data;
  double way = *way_of(d, i);
  rh_sim_evaluate(d);
  if (hold_of(d, i) == RH_HOLD_DRY) {
    let_slip(sim, i);
  } else if (try_hold(d, i)) {
    rh_event e = event_of(sim, RH_EVENT_STICK, i);
    rh_sim_emit_event(sim, &e);
  } else if (*way_of(d, i) != way) {
    rh_event e = event_of(sim, RH_EVENT_SLIP, i); // it reverses without a stop
    rh_sim_emit_event(sim, &e);
  }
}

void rh_tendons_settle_friction(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int i = 0; i < sim->model->tendons.n; i++) {
    if (!has_stop(sim->model, i) || !(sim->model->tendons.of[i].friction > 0)) {
      continue;
    }
    double speed = d->dyn.tendon[i].speed;
    if (hold_of(d, i) == RH_HOLD_NONE && fabs(speed) > RH_TOL_SLIP) {
      *way_of(d, i) = speed > 0 ? 1 : -1;
      rh_sim_evaluate(d);
    } else if (hold_of(d, i) == RH_HOLD_NONE && *way_of(d, i) == 0) {
      (void)try_hold(d, i);
    }
  }
  for (int i = 0; i < sim->model->tendons.n; i++) { // what others do may be more than it bears
    if (has_stop(sim->model, i) && hold_of(d, i) == RH_HOLD_DRY &&
        fabs(force_of(d, i)) > sim->model->tendons.of[i].friction) {
      let_slip(sim, i);
    }
  }
}

// ---- Events

const int *rh_tendon_hits(rh_sim *sim, const int *hit)
{
  for (int i = 0; i < sim->model->tendons.n; i++) {
    if (!has_stop(sim->model, i)) {
      continue;
    }
    if (*hit++) {
      limit_event(sim, i, RH_HOLD_LOWER);
    }
    if (*hit++) {
      limit_event(sim, i, RH_HOLD_UPPER);
    }
    if (*hit++) {
      friction_event(sim, i);
    }
  }
  return hit;
}
