// Modes of closed contacts after an event: the accelerations of this instant as a complementarity
// problem ([WK] 2.5, 2.8-2.10) in cones, island by island. A contact that slips has its friction
// along the slip, mu_k; one that does not may stick within mu_s, or begin to slip, then with mu_k.
// The answer gives for each contact whether it sticks, slides, carries nothing or separates;
// rigid.c holds that until the next event. No answer, or more than one, is reported (diagnosis.c).
#include "contact_decision.h"
#include "event/storm/storm.h"

#include "complement/complement.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Forces and margins above this part of their scale are certain.
static const double CLEAR = 1e-6;

enum { LOOSE = -1 }; // in place of a former mode: it separates

// ---- Results for each contact

static void settle_contact(rh_sim *sim, const rh_decision *x, int i, double still)
{
  rh_data *d = x->d;
  int slot = rh_decision_slot(x, i);
  if (x->u[3 * i + 2] > still) {
    rh_contact_end(sim, slot);
    return;
  }
  bool smooth = rh_decision_law(x, i)->mu_s == 0; // nothing could hold it
  rh_slot_set_mode(d, slot, rh_decision_slides(x, i) || smooth ? RH_CLOSED_SLIDE : RH_CLOSED_STICK);
  rh_slide_keep(d, slot, x->slide + 2 * (size_t)i);
}

static void settle_island(rh_sim *sim, const rh_decision *x)
{
  double still = rh_decision_still(x);
  for (int i = 0; i < rh_decision_size(x); i++) {
    settle_contact(sim, x, i, still);
  }
}

// Load of a contact, by the effect of its force on the contact itself: a ball of milligrams next to
// a block of tons.
static double carried_load(const rh_data *d, int i)
{
  size_t n = 3 * (size_t)i + 2;
  return d->contact[rh_rigid(d)->slot[i]].normal *
         rh_rigid(d)->W[n * 3 * (size_t)rh_rigid(d)->n + n];
}

// Contacts that stay closed without a force carry nothing; where they depend on one another, so do
// those that would pull in the sharing. One at a time, the worst first, for the others then share
// anew.
static void drop_idle(rh_data *d)
{
  for (int pass = 0; pass < d->model->nrigid; pass++) {
    int worst = RH_NONE;
    double maximum = 0;
    double least = 0;
    rh_sim_evaluate(d);
    rh_rigid_inertia(d);
    for (int i = 0; i < rh_rigid(d)->n; i++) {
      maximum = fmax(maximum, carried_load(d, i));
    }
    for (int i = 0; i < rh_rigid(d)->n; i++) {
      double off = carried_load(d, i) - RH_DECISION_NOTHING * maximum;
      if (off <= least) {
        worst = rh_rigid(d)->slot[i];
        least = off;
      }
    }
    if (worst == RH_NONE) {
      return;
    }
    rh_slot_set_mode(d, worst, RH_CLOSED_IDLE);
  }
}

// A contact that could stick only by a force beyond its cone, by however little, slides: the guard
// of a left cone has no zero. [evaluate]
static void slide_beyond(rh_data *d)
{
  bool any = true;
  for (int pass = 0; pass < d->model->nrigid && any; pass++) {
    any = false;
    for (int k = 0; k < d->ncontact; k++) {
      const rh_contact *c = &d->contact[k];
      double size = rh_hypot(c->friction[0], c->friction[1]);
      if (rh_slot_rigid(d, k) && rh_slot_mode(d, k) == RH_CLOSED_STICK && c->margin < 0 &&
          size > 0) {
        rh_slot_set_mode(d, k, RH_CLOSED_SLIDE);
        rh_slide_keep(d, k, (double[2]){-c->friction[0] / size, -c->friction[1] / size});
        any = true;
      }
    }
    if (any) {
      rh_sim_evaluate(d);
    }
  }
}

// Contacts whose torque is beyond its limit roll or pivot. [evaluate]
static void turn_beyond(rh_data *d)
{
  for (int pass = 0; pass < 2 * d->model->nrigid && rh_turns_release(d); pass++) {
    rh_sim_evaluate(d);
  }
}

// Both: a contact that slides may hold its torque again.
static void move_beyond(rh_data *d)
{
  turn_beyond(d);
  slide_beyond(d);
  for (int pass = 0; pass < d->model->nrigid && rh_turns_hold(d); pass++) {
    rh_sim_evaluate(d);
    turn_beyond(d);
    slide_beyond(d);
  }
}

// Do contacts [first, end) that carry keep contact i from opening? Then its normal row follows from theirs. [inertia of all]
static bool is_kept(rh_data *d, int first, int end, int i)
{
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  size_t own = 3 * (size_t)i + 2;
  int n = 0;
  for (int j = first; j < end; j++) {
    rh_closed mode = rh_slot_mode(d, rh_rigid(d)->slot[j]);
    for (int axis = mode == RH_CLOSED_STICK ? 0 : 2; axis < 3 && mode != RH_CLOSED_IDLE; axis++) {
      rh_rigid(d)->row[n++] = 3 * j + axis;
    }
  }
  double *A = rh_rigid(d)->scratch;
  double *b = A + (size_t)n * (size_t)n;
  double *x = b + n;
  for (int r = 0; r < n; r++) {
    for (int s = 0; s < n; s++) {
      A[(size_t)r * n + s] =
          rh_rigid(d)->W[(size_t)rh_rigid(d)->row[r] * rows + rh_rigid(d)->row[s]];
    }
    b[r] = rh_rigid(d)->W[(size_t)rh_rigid(d)->row[r] * rows + own];
  }
  (void)rh_lstsq(n, n, A, b, RH_TOL_RANK, x + n, x, NULL);
  double left = rh_rigid(d)->W[own * rows + own];
  for (int r = 0; r < n; r++) {
    left -= x[r] * rh_rigid(d)->W[(size_t)rh_rigid(d)->row[r] * rows + own];
  }
  return left <= RH_DECISION_STILL * rh_rigid(d)->W[own * rows + own];
}

// Contacts [first, end): one whose force is zero opens, unless others keep it closed; so does an
// open one.
static bool find_loose(rh_data *d, int first, int end)
{
  bool any = false;
  for (int i = first; i < end; i++) {
    int k = rh_rigid(d)->slot[i];
    bool before = rh_rigid(d)->was[k] != RH_CLOSED_IDLE;
    bool open = d->contact[k].depth < -RH_TOL_RIGID_GAP;
    if (rh_slot_mode(d, k) == RH_CLOSED_IDLE && (open || before) && !is_kept(d, first, end, i)) {
      rh_rigid(d)->was[k] = LOOSE;
      any = true;
    }
  }
  return any;
}

static void part_loose(rh_sim *sim)
{
  rh_data *d = sim->data;
  bool any = false;
  rh_rigid_gather(d, RH_CLOSED_IDLE);
  rh_rigid_inertia(d);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    any = find_loose(d, first, end) || any;
  }
  for (int k = 0; k < d->ncontact && any; k++) {
    if (rh_slot_rigid(d, k) && rh_rigid(d)->was[k] == LOOSE) {
      rh_contact_end(sim, k);
    }
  }
  rh_sim_evaluate(d);
}

static void report_changes(rh_sim *sim)
{
  const rh_data *d = sim->data;
  for (int k = 0; k < d->ncontact; k++) {
    if (rh_slot_rigid(d, k)) {
      rh_closed now = rh_slot_mode(d, k);
      if (rh_rigid(d)->was[k] == RH_CLOSED_STICK && now == RH_CLOSED_SLIDE) {
        rh_contact_report(sim, RH_EVENT_SLIP, k);
      } else if (rh_rigid(d)->was[k] == RH_CLOSED_SLIDE && now == RH_CLOSED_STICK) {
        rh_contact_report(sim, RH_EVENT_STICK, k);
      }
    }
  }
}

// ---- All contacts

// The world without the forces of rigid contacts
static void let_go(rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    if (!rh_slot_stepped(d, k)) {
      rh_slot_set_mode(d, k, RH_CLOSED_IDLE);
    }
  }
  rh_sim_evaluate(d);
  rh_rigid_gather(d, RH_CLOSED_IDLE);
  rh_rigid_inertia(d);
  rh_rigid_accelerations(d);
}

// Contacts that leave with a speed separate. Their earliest return bounds the next step.
static bool part_leaving(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  bool any = false;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    double speed = -d->contact[rh_rigid(d)->slot[i]].rate;
    if (speed > RH_TOL_SLIP) {
      double pull = -rh_rigid(d)->b[3 * i + 2];
      engine->flight = pull > 0 ? fmin(engine->flight, speed / pull) : engine->flight;
      rh_contact_end(sim, rh_rigid(d)->slot[i]);
      any = true;
    }
  }
  return any;
}

static void release_contacts(rh_sim *sim)
{
  let_go(sim->data);
  if (part_leaving(sim)) {
    let_go(sim->data);
  }
}

// Far from every change: it carries, does not move where it must not, and sticks or slides with
// certainty.
static bool goes_on(const rh_data *d, int k, double some)
{
  const rh_contact *c = &d->contact[k];
  const double *kept = d->s + (size_t)k * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_vec3 slip = rh_addscaled(rh_scale(c->slip[0], c->t1), c->slip[1], c->t2);
  double along = slip.x * kept[0] + slip.y * kept[1] + slip.z * kept[2];
  double speed = rh_norm(slip);
  rh_closed mode = rh_slot_mode(d, k);
  bool sticks = mode == RH_CLOSED_STICK && c->margin > CLEAR * c->normal && speed <= RH_TOL_SLIP;
  bool slides = mode == RH_CLOSED_SLIDE && along > 0.9 * speed && speed > 1e3 * RH_TOL_SLIP;
  bool turns = !rh_slot_turns(d, k) || rh_turn_goes_on(d, k);
  return c->normal > some && fabs(c->rate) <= RH_TOL_SLIP && (sticks || slides) && turns;
}

bool rh_rigid_goes_on(const rh_data *d)
{
  double maximum = 0;
  bool any = false;
  for (int k = 0; k < d->ncontact; k++) {
    maximum = rh_slot_rigid(d, k) ? fmax(maximum, d->contact[k].normal) : maximum;
  }
  for (int k = 0; k < d->ncontact; k++) {
    bool decided = rh_slot_rigid(d, k) && !rh_slot_stepped(d, k);
    if (decided && !goes_on(d, k, CLEAR * maximum)) {
      return false;
    }
    any = any || decided;
  }
  return any;
}

static bool is_crowded(rh_sim *sim)
{
  const rh_data *d = sim->data;
  int n = 0;
  for (int k = 0; k < d->ncontact; k++) {
    n += rh_slot_rigid(d, k);
  }
  if (n > d->model->nrigid) {
    snprintf(sim->reason, sizeof sim->reason,
             "at t = %.9g s: there are %d rigid contact points at a time, and capacity for %d",
             *d->t, n, d->model->nrigid);
  }
  return n > d->model->nrigid;
}

// An answer for every island. One without jams, and as that changes velocities, all begins anew;
// without that it is stepped in time. `x`: the last one.
static void answer_islands(rh_sim *sim, rh_decision *x)
{
  rh_data *d = sim->data;
  int jams = 0;
  release_contacts(sim);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    rh_decision_open(d, first, end, true, x);
    rh_verdict verdict = rh_decision_solve(x);
    if (verdict == RH_VERDICT_SOLVED) {
      continue;
    }
    if (jams++ > rh_rigid(d)->n || !rh_rigid_jam(sim, first, end)) {
      rh_storm_take(sim, first, end, "no forces fit these contacts at this instant");
    }
    release_contacts(sim);
    end = 0;
  }
}

// Applies those answers to the contacts. They share one scratch, so all but that of a single island
// are found again.
static void settle_islands(rh_sim *sim, rh_decision *x)
{
  rh_data *d = sim->data;
  bool known = x->first == 0 && x->end == rh_rigid(d)->n;
  rh_event_engine_of(sim)->shared = 0;
  rh_event_engine_of(sim)->unknown = rh_event_engine_of(sim)->searched = false;
  rh_event_engine_of(sim)->depends = rh_event_engine_of(sim)->uncounted = false;
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    if (!known) {
      rh_decision_open(d, first, end, true, x);
      (void)rh_decision_solve(x);
    }
    bool examined = rh_motions_examine(sim, x);
    if (!examined) {
      rh_diagnosis_several(sim, &(rh_cone){rh_decision_size(x), x->W, x->b, x->mu, x->slide},
                           rh_rigid(d)->slot[first], x->scratch);
    }
    rh_diagnosis_island(sim, x, examined);
    settle_island(sim, x);
  }
}

bool rh_rigid_decide(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  rh_decision x = {.d = d};
  if (is_crowded(sim)) {
    return false;
  }
  engine->flight = HUGE_VAL;
  for (int k = 0; k < d->ncontact; k++) {
    rh_rigid(d)->was[k] = (int)rh_slot_mode(d, k);
  }
  answer_islands(sim, &x);
  settle_islands(sim, &x);
  rh_turns_begin(d);
  drop_idle(d);
  move_beyond(d);
  part_loose(sim);
  report_changes(sim);
  rh_diagnosis_undetermined(sim);
  sim->checked.judged += x.end > 0;
  sim->checked.unknown += engine->unknown;
  return true;
}

bool rh_sim_cone(rh_sim *sim, rh_cone *problem)
{
  rh_data *d = sim->data;
  rh_decision x;
  for (int k = 0; k < d->ncontact; k++) {
    rh_rigid(d)->was[k] = (int)rh_slot_mode(d, k);
  }
  let_go(d);
  for (int k = 0; k < d->ncontact; k++) {
    rh_slot_set_mode(d, k, (rh_closed)rh_rigid(d)->was[k]);
  }
  rh_decision_open(d, 0, rh_rigid(d)->n, true, &x);
  *problem = (rh_cone){rh_decision_size(&x), x.W, x.b, x.mu, x.slide};
  return rh_rigid(d)->n > 0;
}
