// The guard functions: an event is a zero of one of them. A limit's guard is the distance to it while the joint is free,
// and the force it pushes with while the joint rests on it; both fall through zero when something changes.
#include "event/storm/storm.h"
#include "rigid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A joint that leaves its limit slowly stays there by rounding for some time, and each zero of its
// distance would be an event without an effect: its guard begins above zero.
static double limit_clearance(const rh_model_dof *dof, rh_hold side)
{
  static const double CLEAR = 1e-14; // [m, rad] at a limit of size 1, above the rounding of places
  return CLEAR * fmax(1, fabs(side == RH_HOLD_LOWER ? dof->lower : dof->upper));
}

static double limit_guard(const rh_sim *sim, int i, rh_hold side)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  int k = engine->limited[i];
  const rh_data *d = sim->data;
  const rh_model_dof *dof = &d->model->dof[k];
  rh_hold hold = (rh_hold)d->hold[k];
  if (hold == RH_HOLD_LOCK) {
    return 1;
  }
  if (hold == side && rh_storm_interval(sim, k) > 0) {
    return 1; // whether it would pull is decided at the end of an interval of constant forces
  }
  if (hold == side) {
    return sim->slight + (side == RH_HOLD_LOWER ? d->react[k] : -d->react[k]);
  }
  double distance =
      side == RH_HOLD_LOWER ? d->q[dof->coord] - dof->lower : dof->upper - d->q[dof->coord];
  if (engine->leaves[i] == (int)side) {
    distance += limit_clearance(dof, side);
  }
  return distance < 1e6 ? distance : 1e6; // a limit at infinity is far away
}

static bool any_resting(const rh_sim *sim)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  for (int i = 0; i < engine->nlimited; i++) {
    rh_hold hold = (rh_hold)sim->data->hold[engine->limited[i]];
    if (hold == RH_HOLD_LOWER || hold == RH_HOLD_UPPER) {
      return true;
    }
  }
  return false;
}

// Guards of a rigid contact. While it carries a force: the force, and its distance from slipping
// or, when it slides, the slip along its direction at the last event, less the value after a turn
// by 60 degrees: that direction is then too old. While it carries none: that it opens, or closes
// beyond rounding.
static void rigid_guards(const rh_data *d, int k, double g[2])
{
  const rh_contact *c = &d->contact[k];
  const double *kept = d->s + (size_t)k * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_closed mode = rh_slot_mode(d, k);
  bool rough = d->model->contact[c->rule].mu_k > 0;
  rh_vec3 slip = rh_addscaled(rh_scale(c->slip[0], c->t1), c->slip[1], c->t2);
  double along = slip.x * kept[0] + slip.y * kept[1] + slip.z * kept[2];
  g[0] = mode == RH_CLOSED_IDLE ? c->depth + RH_TOL_RIGID_GAP : c->normal;
  g[1] = mode == RH_CLOSED_IDLE    ? RH_TOL_RIGID_GAP - c->depth
         : mode == RH_CLOSED_STICK ? c->margin
         : rough ? along - 0.5 * rh_hypot(c->slip[0], c->slip[1]) + RH_TOL_SEPARATION
                 : 1;
  if (mode != RH_CLOSED_IDLE && rh_slot_turns(d, k)) {
    g[1] = fmin(g[1], rh_turn_guard(d, k));
  }
}

// A slot's contact ends where its depth falls below zero, or the gap of its law; it sticks or slips by its margin.
static double *contact_guards(rh_sim *sim, double *g)
{
  const rh_event_engine *engine = rh_event_engine_of(sim);
  const rh_data *d = sim->data;
  const rh_model *m = d->model;
  *g++ = m->nslot > 0 ? d->gap + engine->grace : 1;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    if (rh_slot_stepped(d, k)) { // its force must not go on where it opens or closes fast
      *g++ = d->slot[k].speed > 0 && c->on ? engine->storm.cut[k] - fabs(c->rate) : 1;
      *g++ = 1;
      continue;
    }
    if (rh_slot_rigid(d, k)) {
      sim->impact.peak = fmax(sim->impact.peak, c->normal);
      if (c->depth > RH_TOL_RIGID_GAP) { // less is rounding
        sim->impact.deepest = fmax(sim->impact.deepest, c->depth);
      }
      rigid_guards(d, k, g);
      g += 2;
      continue;
    }
    bool lost = d->slot[k].used != 0 && !c->on; // farther than any search
    *g++ = c->on ? c->depth + fmax(rh_contact_hold(d, c), RH_TOL_DEPTH) : lost ? -1 : 1;
    *g++ = c->on ? c->margin : 1;
    sim->impact.deepest = fmax(sim->impact.deepest, c->depth);
    sim->impact.peak = fmax(sim->impact.peak, c->normal);
  }
  for (int k = m->nslot > 0 ? d->ncontact : 0; k < m->nslot; k++) {
    *g++ = 1;
    *g++ = 1;
  }
  return g;
}

int rh_sim_guards(void *user, double t, const double *y, double *g)
{
  rh_sim *sim = user;
  const rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  rh_data_bind(d, &t, y);
  bool forces =
      any_resting(sim) || engine->ndry > 0 || d->model->nrigid > 0 || d->model->layout.ntendon > 0;
  if (forces || d->model->nslot > 0 || sim->nuser > 0) {
    rh_sim_evaluate_stages(sim, t, y, forces ? RH_SEEN_LOADS : RH_SEEN_CONTACTS);
    rh_storm_count_searches(sim);
  }
  for (int i = 0; i < engine->nlimited; i++) {
    *g++ = limit_guard(sim, i, RH_HOLD_LOWER);
    *g++ = limit_guard(sim, i, RH_HOLD_UPPER);
  }
  for (int i = 0; i < engine->ndry; i++) {
    *g++ = rh_joint_friction_guard(d, engine->dry[i]);
  }
  g = rh_tendon_guards(sim, g);
  g = contact_guards(sim, g);
  for (int i = 0; i < engine->npassage; i++) {
    const rh_model_event *e = &d->model->event[engine->passage[i]];
    bool spent = e->once && d->fired[engine->passage[i]] > 0;
    *g++ = spent ? 1 : d->q[e->coord] - e->position;
  }
  for (int i = 0; i < sim->nuser; i++) {
    *g++ = sim->user[i].value(sim->user[i].user, d);
  }
  rh_data_unbind(d);
  return 0;
}

// ---- Steps of fixed length

enum { HALVINGS = 16 }; // at most, of a fixed step

// The verdict: the first is reported, all are counted.
static void report_unresolved(rh_sim *sim, int slot, double needed, double taken)
{
  if (sim->verdicts[RH_EVENT_UNRESOLVED] > 0 && !sim->model->run.strict) {
    sim->verdicts[RH_EVENT_UNRESOLVED]++;
    return;
  }
  rh_event at = rh_contact_event(sim, RH_EVENT_UNRESOLVED, slot);
  rh_event e = rh_unresolved_event(sim, rh_slot_contact(sim->data, slot), needed, taken);
  memcpy(at.note, e.note, sizeof at.note);
  rh_sim_emit_diagnosis(sim, &at);
}

static double refuse_step(rh_sim *sim, int slot, double needed, double taken)
{
  rh_event at = rh_contact_event(sim, RH_EVENT_UNRESOLVED, slot);
  rh_event e = rh_unresolved_event(sim, rh_slot_contact(sim->data, slot), needed, taken);
  char bodies[RH_BODIES_MAX];
  rh_event_bodies(sim->model, &at, bodies);
  snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s, contact '%s' (%.80s): %s",
           *sim->data->t, at.name, bodies, e.note);
  return 0;
}

double rh_sim_longest_step(void *user, double t, const double *y)
{
  rh_sim *sim = user;
  const rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  double dt = engine->fixed_step;
  int slot = RH_NONE;
  if (rh_slots_used(d) == 0) {
    return HUGE_VAL;
  }
  rh_data_bind(d, &t, y);
  rh_sim_evaluate_stages(sim, t, y, RH_SEEN_DYNAMICS);
  const rh_resolution r = {engine->row->per_period, engine->row->stable, engine->rates};
  double needed = rh_contacts_longest_step(d, &r, dt, &slot);
  rh_data_unbind(d);
  if (needed >= dt) {
    return HUGE_VAL;
  }
  if (sim->model->run.unresolved == RH_UNRESOLVED_REFUSE) {
    return refuse_step(sim, slot, needed, dt);
  }
  double step = dt;
  int halvings = sim->model->run.unresolved == RH_UNRESOLVED_REFINE ? HALVINGS : 0;
  for (int i = 0; i < halvings && step > needed; i++) {
    step *= 0.5;
  }
  if (step > needed) {
    report_unresolved(sim, slot, needed, step);
  }
  return step;
}
