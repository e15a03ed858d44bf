// takeover.c: which islands are stepped in time. An island is taken over where events accumulate,
// or where no forces fit its contacts; every contact that joins it is stepped too. It is given back
// when its contacts have kept their modes for some steps; for four times as many each time that its
// events accumulate again soon.
#include "storm.h"

#include <math.h>
#include <stdio.h>

enum { QUIET = 24, AGAIN_MAX = 5 }; // steps; how often their number is multiplied by four

// Contacts of an island that is not given back: one decision of their modes costs more than a
// second of steps.
enum { LARGE = 24 };

// Impacts in one interval; then approaching contacts are stopped by the forces of the steps.
enum { IMPACTS_MAX = 20 };

static const double SOON = 4; // times the steps without a change

static int tree_at(const rh_data *d, int slot, bool of_b)
{
  const rh_contact *c = &d->contact[slot];
  return d->model->body[of_b ? c->b : c->a].tree;
}

// Steps without a change after which the contacts [first, end) are given back
static int quiet_steps(const rh_sim *sim, int first, int end)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  int again = 0;
  for (int i = 2 * first; i < 2 * end; i++) {
    int tree = tree_at(sim->data, rh_rigid(sim->data)->slot[i / 2], i % 2);
    again = tree != 0 && s->tree[tree].again > again ? s->tree[tree].again : again;
  }
  return QUIET << 2 * again;
}

static void step_contact(rh_data *d, int slot)
{
  double *force = rh_storm_force(d, slot);
  rh_slot_set_mode(d, slot, RH_CLOSED_STEPPED);
  d->slot[slot].since = *d->t;
  d->slot[slot].speed = 0;
  force[0] = force[1] = force[2] = 0;
  rh_turn_take(d, slot);
}

// Trees that move, of the contacts [first, end): their events are counted anew.
static void count_takeover(rh_sim *sim, int first, int end)
{
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  double t = *sim->data->t;
  double soon = SOON * quiet_steps(sim, first, end) * s->step;
  for (int i = 2 * first; i < 2 * end; i++) {
    rh_storm_tree *x = &s->tree[tree_at(sim->data, rh_rigid(sim->data)->slot[i / 2], i % 2)];
    bool again = x->given > 0 && t - x->given < soon;
    x->again = !again ? 0 : x->again < AGAIN_MAX ? x->again + 1 : AGAIN_MAX;
    x->given = 0;
    x->level = 0;
  }
}

void rh_storm_take(rh_sim *sim, int first, int end, const char *why)
{
  rh_data *d = sim->data;
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  double g = rh_norm(sim->model->gravity);
  char text[RH_NOTE_MAX];
  snprintf(text, sizeof text,
           "%s; %d contact%s stepped in time from here, h = %.3g s: errors up to about %.2g m/s, "
           "%.2g m a step",
           why, end - first, end - first == 1 ? " is" : "s are", s->step, g * s->step,
           g * s->step * s->step);
  count_takeover(sim, first, end);
  s->part = RH_STORM_FIRST;
  for (int i = first; i < end; i++) {
    step_contact(d, rh_rigid(d)->slot[i]);
  }
  rh_diagnosis_report(sim, RH_EVENT_TAKEOVER, rh_rigid(d)->slot[first], s->step, text);
}

// ---- Giving back

static void give_contact_back(rh_sim *sim, int slot)
{
  rh_data *d = sim->data;
  const rh_contact *c = &d->contact[slot];
  rh_closed mode = rh_storm_mode(d, slot);
  double size = rh_hypot(c->friction[0], c->friction[1]);
  double speed = rh_hypot(c->slip[0], c->slip[1]);
  bool slips = speed > RH_TOL_SLIP;
  double along[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    along[k] = slips ? c->slip[k] / speed : size > 0 ? -c->friction[k] / size : 0;
  }
  if (mode == RH_CLOSED_IDLE && c->depth < -RH_TOL_RIGID_GAP) {
    rh_contact_end(sim, slot);
    return;
  }
  rh_slot_set_mode(d, slot, mode);
  rh_slide_keep(d, slot, along);
  rh_turn_take(d, slot);
}

static void give_back(rh_sim *sim, int first, int end)
{
  rh_data *d = sim->data;
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  rh_event e = rh_contact_event(sim, RH_EVENT_HANDBACK, rh_rigid(d)->slot[first]);
  double since = HUGE_VAL;
  for (int i = first; i < end; i++) {
    since = fmin(since, d->slot[rh_rigid(d)->slot[i]].since);
  }
  for (int i = 2 * first; i < 2 * end; i++) {
    s->tree[tree_at(d, rh_rigid(d)->slot[i / 2], i % 2)].given = *d->t;
  }
  snprintf(e.note, sizeof e.note,
           "%d contact%s had been stepped in time since %.9g s, for %.4g s; the modes have "
           "settled, events are located again",
           end - first, end - first == 1 ? "" : "s", since, *d->t - since);
  e.after = *d->t - since;
  rh_sim_emit_event(sim, &e);
  for (int i = first; i < end; i++) {
    give_contact_back(sim, rh_rigid(d)->slot[i]);
  }
}

static bool has_settled(const rh_sim *sim, int first, int end)
{
  const rh_data *d = sim->data;
  double quiet = HUGE_VAL;
  for (int i = first; i < end; i++) {
    quiet = fmin(quiet, RH_CLOSED_STEPPED - d->slot[rh_rigid(d)->slot[i]].mode);
  }
  return quiet >= quiet_steps(sim, first, end) && end - first <= LARGE;
}

static void give_settled_back(rh_sim *sim)
{
  rh_data *d = sim->data;
  bool any = false;
  rh_rigid_gather_stepped(d);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    if (has_settled(sim, first, end)) {
      give_back(sim, first, end);
      any = true;
    }
  }
  if (any) {
    rh_sim_evaluate(d);
  }
}

// ---- Taking over

static void join_island(rh_sim *sim, int first, int end)
{
  rh_data *d = sim->data;
  bool stepped = false;
  bool over = false;
  for (int i = first; i < end; i++) {
    int slot = rh_rigid(d)->slot[i];
    stepped = stepped || rh_slot_stepped(d, slot);
    over = over || rh_storm_over(sim, tree_at(d, slot, false)) ||
           rh_storm_over(sim, tree_at(d, slot, true));
  }
  if (over && !stepped) {
    rh_storm_take(sim, first, end, "events accumulate");
  }
  for (int i = first; i < end && stepped; i++) {
    int slot = rh_rigid(d)->slot[i];
    if (!rh_slot_stepped(d, slot)) {
      step_contact(d, slot);
    }
  }
}

static void join_islands(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_rigid_gather_all(d);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    join_island(sim, first, end);
  }
}

void rh_storm_settle(rh_sim *sim)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  rh_data *d = sim->data;
  bool any = s->over;
  for (int k = 0; k < d->ncontact && !any; k++) {
    any = rh_slot_stepped(d, k);
  }
  if (!any || d->model->nrigid == 0) {
    return;
  }
  if (*d->t >= s->end) {
    give_settled_back(sim);
  }
  join_islands(sim);
}

// ---- Impacts

bool rh_storm_open_impacts(rh_sim *sim)
{
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  rh_data *d = sim->data;
  double fast = rh_storm_speed(sim);
  bool any = false;
  for (int k = 0; k < sim->model->nslot; k++) {
    rh_rigid(d)->was[k] = 0;
  }
  rh_rigid_gather_stepped(d);
  for (int first = 0, end; first < rh_rigid(d)->n && s->impacts < IMPACTS_MAX; first = end) {
    end = rh_rigid_island(d, first);
    bool impacts = false;
    for (int i = first; i < end; i++) {
      const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
      impacts = impacts || (c->depth > -RH_TOL_GAP && c->rate > fast);
    }
    for (int i = first; i < end && impacts; i++) {
      int slot = rh_rigid(d)->slot[i];
      if (d->contact[slot].depth > -RH_TOL_GAP) {
        rh_rigid(d)->was[slot] = 1;
        rh_slot_set_mode(d, slot, RH_CLOSED_IDLE);
      }
    }
    any = any || impacts;
  }
  s->impacts += any;
  s->in_impact = any;
  return any;
}

void rh_storm_close_impacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_event_engine_of(sim)->storm.in_impact = false;
  for (int k = 0; k < sim->model->nslot; k++) {
    if (rh_rigid(d)->was[k] && d->slot[k].used != 0) {
      rh_slot_set_mode(d, k, RH_CLOSED_STEPPED);
    }
  }
  join_islands(sim);
}
