// Modes of closed contacts after an event: the accelerations of this instant as a complementarity
// problem ([WK] 2.5, 2.8-2.10) in cones, island by island. A contact that slips has its friction
// along the slip, mu_k; one that does not may stick within mu_s, or begin to slip, then with mu_k.
// The answer gives for each contact whether it sticks, slides, carries nothing or separates;
// rigid.c holds that until the next event. No answer, or more than one, is reported (diagnosis.c).
#include "rigid.h"

#include "complement/complement.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Forces below this part of the largest in the island are zero.
static const double NOTHING = 1e-11;
// Accelerations below this part of those without contact are zero.
static const double STILL = 1e-9;
// The same for contacts at their cones that others keep from slipping: its effect on the time of a
// slip must be below 1e-9 s.
static const double KEPT = 1e-11;

// Forces and margins above this part of their scale are certain.
static const double CLEAR = 1e-6;

enum { LOOSE = -1 }; // in place of a former mode: it separates

typedef struct decision { // one island
  rh_data *d;
  int first, end;
  double *W, *b, *mu, *slide, *p, *u; // (9 n^2), (3 n), (n), (2 n), (3 n), (3 n)
  double *room;
} decision;

static int size_of(const decision *x)
{
  return x->end - x->first;
}

static int slot_at(const decision *x, int i)
{
  return x->d->rigid[x->first + i];
}

static const rh_model_contact *law_at(const decision *x, int i)
{
  const rh_data *d = x->d;
  return &d->model->contact[d->con[slot_at(x, i)].contact];
}

// `anew`: a contact that slips slides, whatever its former mode; otherwise its present mode counts,
// along d->slide: a slip that has just begun has no direction of its own yet.
static void open_decision(rh_data *d, int first, int end, bool anew, decision *x)
{
  size_t n = (size_t)(end - first);
  double *at = d->room;
  *x = (decision){.d = d, .first = first, .end = end};
  x->W = at;
  x->b = x->W + 9 * n * n;
  x->mu = x->b + 3 * n;
  x->slide = x->mu + n;
  x->p = x->slide + 2 * n;
  x->u = x->p + 3 * n;
  x->room = x->u + 3 * n;
  rh_rigid_block(d, first, end, x->W);
  memcpy(x->b, d->bc + 3 * first, 3 * n * sizeof *x->b);
  memset(x->p, 0, 3 * n * sizeof *x->p);
  for (int i = 0; i < (int)n; i++) {
    const rh_contact *c = &d->con[slot_at(x, i)];
    double speed = hypot(c->slip[0], c->slip[1]);
    bool slips = anew ? speed > RH_TOL_SLIP : rh_slot_mode(d, slot_at(x, i)) == RH_CLOSED_SLIDE;
    x->mu[i] = slips ? law_at(x, i)->mu_k : law_at(x, i)->mu_s;
    for (int k = 0; k < 2; k++) {
      x->slide[2 * i + k] = !slips ? 0 : anew ? c->slip[k] / speed : d->slide[2 * (first + i) + k];
    }
  }
}

static bool contact_slides(const decision *x, int i)
{
  return x->slide[2 * i] != 0 || x->slide[2 * i + 1] != 0;
}

static double largest_normal_force(const decision *x)
{
  double most = 0;
  for (int i = 0; i < size_of(x); i++) {
    most = fmax(most, x->p[3 * i + 2]);
  }
  return most;
}

// Bodies that fall together have only rounding as acceleration at their contact: gravity is the
// least scale.
static double scale_of(const decision *x)
{
  double scale = rh_norm(x->d->model->gravity);
  for (int r = 0; r < 3 * size_of(x); r++) {
    scale = fmax(scale, fabs(x->b[r]));
  }
  return scale;
}

// Accelerations up to this are zero. Bodies that fall together have only rounding, which is a part
// of gravity.
static double still_of(const decision *x)
{
  return STILL * fmax(scale_of(x), rh_norm(x->d->model->gravity));
}

static void fill_accelerations(decision *x)
{
  int rows = 3 * size_of(x);
  for (int r = 0; r < rows; r++) {
    double sum = x->b[r];
    for (int s = 0; s < rows; s++) {
      sum += x->W[(size_t)r * rows + s] * x->p[s];
    }
    x->u[r] = sum;
  }
}

// Contacts at the edge of the cone that begin to move: they slide, from now on with mu_k. True if
// the friction of any thereby changes, so that the problem is another.
static bool begin_slides(decision *x)
{
  bool changed = false;
  double some = NOTHING * largest_normal_force(x);
  double still = still_of(x);
  for (int i = 0; i < size_of(x); i++) {
    const double *p = x->p + 3 * (size_t)i;
    const double *a = x->u + 3 * (size_t)i;
    double moves = hypot(a[0], a[1]);
    if (contact_slides(x, i) || p[2] <= some || moves <= still) {
      continue;
    }
    x->slide[2 * i] = a[0] / moves;
    x->slide[2 * i + 1] = a[1] / moves;
    changed = changed || x->mu[i] != law_at(x, i)->mu_k;
    x->mu[i] = law_at(x, i)->mu_k;
  }
  return changed;
}

// Minimum residual by rounding, in units of the check: large forces between bodies of very
// different masses cancel in the rows.
static double rounding_residual(const decision *x)
{
  size_t rows = 3 * (size_t)size_of(x);
  double most = 0;
  for (size_t r = 0; r < rows; r++) {
    double sum = 0;
    for (size_t s = 0; s < rows; s++) {
      sum += fabs(x->W[r * rows + s] * x->p[s]);
    }
    most = fmax(most, sum);
  }
  double scale = scale_of(x);
  return scale > 0 ? 64 * DBL_EPSILON * most / scale : 0;
}

static rh_verdict solve_once(decision *x)
{
  const rh_solver *solver = &rh_solver_alart_curnier;
  double par[RH_PAR_MAX];
  rh_row_defaults(&solver->row, par);
  rh_cone problem = {size_of(x), x->W, x->b, x->mu, x->slide};
  rh_verdict verdict = solver->cone(&problem, par, x->room, x->p);
  fill_accelerations(x);
  bool good = rh_cone_residual(&problem, x->p) <= rounding_residual(x);
  return verdict == RH_VERDICT_FAILED && good ? RH_VERDICT_SOLVED : verdict;
}

static rh_verdict solve_modes(decision *x)
{
  rh_verdict verdict = solve_once(x);
  for (int i = 0; i < size_of(x) && verdict == RH_VERDICT_SOLVED && begin_slides(x); i++) {
    verdict = solve_once(x);
  }
  return verdict;
}

// Do forces within the cones keep the contacts as they are?
static bool modes_hold(decision *x)
{
  double still = KEPT * scale_of(x);
  if (solve_once(x) != RH_VERDICT_SOLVED) {
    return false;
  }
  for (int i = 0; i < size_of(x); i++) {
    const double *a = x->u + 3 * (size_t)i;
    bool sticks = rh_slot_mode(x->d, slot_at(x, i)) == RH_CLOSED_STICK;
    if (fabs(a[2]) > still || (sticks && hypot(a[0], a[1]) > still)) {
      return false;
    }
  }
  return true;
}

bool rh_rigid_holds(rh_data *d, int first, int end)
{
  decision x;
  open_decision(d, first, end, false, &x);
  if (!modes_hold(&x)) {
    return false;
  }
  memcpy(d->pc + 3 * first, x.p, 3 * (size_t)(end - first) * sizeof *x.p);
  return true;
}

// ---- Results for each contact

static void keep_slide(rh_data *d, int slot, const double slide[2])
{
  const rh_contact *c = &d->con[slot];
  rh_vec3 s = rh_addscaled(rh_scale(slide[0], c->t1), slide[1], c->t2);
  double *kept = d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
  kept[0] = s.x;
  kept[1] = s.y;
  kept[2] = s.z;
}

static void settle_contact(rh_sim *sim, const decision *x, int i, double still)
{
  rh_data *d = x->d;
  int slot = slot_at(x, i);
  if (x->u[3 * i + 2] > still) {
    rh_contact_part(sim, slot);
    return;
  }
  bool smooth = law_at(x, i)->mu_s == 0; // nothing could hold it
  rh_slot_set_mode(d, slot, contact_slides(x, i) || smooth ? RH_CLOSED_SLIDE : RH_CLOSED_STICK);
  keep_slide(d, slot, x->slide + 2 * (size_t)i);
}

static void settle_island(rh_sim *sim, const decision *x)
{
  double still = still_of(x);
  for (int i = 0; i < size_of(x); i++) {
    settle_contact(sim, x, i, still);
  }
}

// Load of a contact, by the effect of its force on the contact itself: a ball of milligrams next to
// a block of tons.
static double carried_load(const rh_data *d, int i)
{
  size_t n = 3 * (size_t)i + 2;
  return d->con[d->rigid[i]].normal * d->Wc[n * 3 * (size_t)d->nrigid + n];
}

// Contacts that stay closed without a force carry nothing; where they depend on one another, so do
// those that would pull in the sharing. One at a time, the worst first, for the others then share
// anew.
static void drop_idle(rh_data *d)
{
  for (int pass = 0; pass < d->model->nrigid; pass++) {
    int worst = RH_NONE;
    double most = 0;
    double least = 0;
    rh_sim_evaluate(d);
    rh_rigid_inertia(d);
    for (int i = 0; i < d->nrigid; i++) {
      most = fmax(most, carried_load(d, i));
    }
    for (int i = 0; i < d->nrigid; i++) {
      double off = carried_load(d, i) - NOTHING * most;
      if (off <= least) {
        worst = d->rigid[i];
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
    for (int k = 0; k < d->ncon; k++) {
      const rh_contact *c = &d->con[k];
      double size = hypot(c->friction[0], c->friction[1]);
      if (rh_slot_rigid(d, k) && rh_slot_mode(d, k) == RH_CLOSED_STICK && c->margin < 0 &&
          size > 0) {
        rh_slot_set_mode(d, k, RH_CLOSED_SLIDE);
        keep_slide(d, k, (double[2]){-c->friction[0] / size, -c->friction[1] / size});
        any = true;
      }
    }
    if (any) {
      rh_sim_evaluate(d);
    }
  }
}

// Do contacts [first, end) that carry keep contact i from opening? Then its normal row follows from theirs. [inertia of all]
static bool is_kept(rh_data *d, int first, int end, int i)
{
  size_t rows = 3 * (size_t)d->nrigid;
  size_t own = 3 * (size_t)i + 2;
  int n = 0;
  for (int j = first; j < end; j++) {
    rh_closed mode = rh_slot_mode(d, d->rigid[j]);
    for (int axis = mode == RH_CLOSED_STICK ? 0 : 2; axis < 3 && mode != RH_CLOSED_IDLE; axis++) {
      d->rigid_row[n++] = 3 * j + axis;
    }
  }
  double *A = d->room;
  double *b = A + (size_t)n * (size_t)n;
  double *x = b + n;
  for (int r = 0; r < n; r++) {
    for (int s = 0; s < n; s++) {
      A[(size_t)r * n + s] = d->Wc[(size_t)d->rigid_row[r] * rows + d->rigid_row[s]];
    }
    b[r] = d->Wc[(size_t)d->rigid_row[r] * rows + own];
  }
  (void)rh_lstsq(n, n, A, b, RH_TOL_RANK, x + n, x, NULL);
  double left = d->Wc[own * rows + own];
  for (int r = 0; r < n; r++) {
    left -= x[r] * d->Wc[(size_t)d->rigid_row[r] * rows + own];
  }
  return left <= STILL * d->Wc[own * rows + own];
}

// Contacts [first, end): one whose force is zero opens, unless others keep it closed; so does an
// open one.
static bool find_loose(rh_data *d, int first, int end)
{
  bool any = false;
  for (int i = first; i < end; i++) {
    int k = d->rigid[i];
    bool before = d->was[k] != RH_CLOSED_IDLE;
    bool open = d->con[k].depth < -RH_TOL_RIGID_GAP;
    if (rh_slot_mode(d, k) == RH_CLOSED_IDLE && (open || before) && !is_kept(d, first, end, i)) {
      d->was[k] = LOOSE;
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
  for (int first = 0, end; first < d->nrigid; first = end) {
    end = rh_rigid_island(d, first);
    any = find_loose(d, first, end) || any;
  }
  for (int k = 0; k < d->ncon && any; k++) {
    if (rh_slot_rigid(d, k) && d->was[k] == LOOSE) {
      rh_contact_part(sim, k);
    }
  }
  rh_sim_evaluate(d);
}

static void tell_changes(rh_sim *sim)
{
  const rh_data *d = sim->data;
  for (int k = 0; k < d->ncon; k++) {
    if (rh_slot_rigid(d, k)) {
      rh_closed now = rh_slot_mode(d, k);
      if (d->was[k] == RH_CLOSED_STICK && now == RH_CLOSED_SLIDE) {
        rh_contact_tell(sim, RH_EVENT_SLIP, k);
      } else if (d->was[k] == RH_CLOSED_SLIDE && now == RH_CLOSED_STICK) {
        rh_contact_tell(sim, RH_EVENT_STICK, k);
      }
    }
  }
}

// ---- All contacts

// The world without the forces of rigid contacts
static void let_go(rh_data *d)
{
  for (int k = 0; k < d->ncon; k++) {
    rh_slot_set_mode(d, k, RH_CLOSED_IDLE);
  }
  rh_sim_evaluate(d);
  rh_rigid_gather(d, RH_CLOSED_IDLE);
  rh_rigid_inertia(d);
  rh_rigid_accelerations(d);
}

// Contacts that leave with a speed separate. Their earliest return bounds the next step.
static bool part_leaving(rh_sim *sim)
{
  rh_data *d = sim->data;
  bool any = false;
  for (int i = 0; i < d->nrigid; i++) {
    double speed = -d->con[d->rigid[i]].rate;
    if (speed > RH_TOL_SLIP) {
      double pull = -d->bc[3 * i + 2];
      sim->flight = pull > 0 ? fmin(sim->flight, speed / pull) : sim->flight;
      rh_contact_part(sim, d->rigid[i]);
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

static bool nothing_found(rh_sim *sim, rh_verdict verdict)
{
  snprintf(sim->reason, sizeof sim->reason,
           "at t = %.9g s: no forces between rigid bodies fit their contacts (%s)", *sim->data->t,
           verdict == RH_VERDICT_NONE ? "there are none" : "the solver found none");
  return false;
}

// Far from every change: it carries, does not move where it must not, and sticks or slides with
// certainty.
static bool goes_on(const rh_data *d, int k, double some)
{
  const rh_contact *c = &d->con[k];
  const double *kept = d->s + (size_t)k * RH_SLOT_STATES + RH_SLOT_FRICTION;
  rh_vec3 slip = rh_addscaled(rh_scale(c->slip[0], c->t1), c->slip[1], c->t2);
  double along = slip.x * kept[0] + slip.y * kept[1] + slip.z * kept[2];
  double speed = rh_norm(slip);
  rh_closed mode = rh_slot_mode(d, k);
  bool sticks = mode == RH_CLOSED_STICK && c->margin > CLEAR * c->normal && speed <= RH_TOL_SLIP;
  bool slides = mode == RH_CLOSED_SLIDE && along > 0.9 * speed && speed > 1e3 * RH_TOL_SLIP;
  return c->normal > some && fabs(c->rate) <= RH_TOL_SLIP && (sticks || slides);
}

bool rh_rigid_goes_on(const rh_data *d)
{
  double most = 0;
  bool any = false;
  for (int k = 0; k < d->ncon; k++) {
    most = rh_slot_rigid(d, k) ? fmax(most, d->con[k].normal) : most;
  }
  for (int k = 0; k < d->ncon; k++) {
    if (rh_slot_rigid(d, k) && !goes_on(d, k, CLEAR * most)) {
      return false;
    }
    any = any || rh_slot_rigid(d, k);
  }
  return any;
}

static bool is_crowded(rh_sim *sim)
{
  const rh_data *d = sim->data;
  int n = 0;
  for (int k = 0; k < d->ncon; k++) {
    n += rh_slot_rigid(d, k);
  }
  if (n > d->model->nrigid) {
    snprintf(sim->reason, sizeof sim->reason,
             "at t = %.9g s: there are %d rigid contact points at a time, and room for %d", *d->t,
             n, d->model->nrigid);
  }
  return n > d->model->nrigid;
}

// Is there an answer for every island? One without jams, and as that changes velocities, all begins
// anew. `x`: the last one.
static bool answer_islands(rh_sim *sim, decision *x)
{
  rh_data *d = sim->data;
  int jams = 0;
  release_contacts(sim);
  for (int first = 0, end; first < d->nrigid; first = end) {
    end = rh_rigid_island(d, first);
    open_decision(d, first, end, true, x);
    rh_verdict verdict = solve_modes(x);
    if (verdict == RH_VERDICT_SOLVED) {
      continue;
    }
    if (jams++ > d->nrigid || !rh_rigid_jam(sim, first, end)) {
      return nothing_found(sim, verdict);
    }
    release_contacts(sim);
    end = 0;
  }
  return true;
}

// Applies those answers to the contacts. They share one scratch, so all but that of a single island
// are found again.
static void settle_islands(rh_sim *sim, decision *x)
{
  rh_data *d = sim->data;
  bool known = x->first == 0 && x->end == d->nrigid;
  for (int first = 0, end; first < d->nrigid; first = end) {
    end = rh_rigid_island(d, first);
    if (!known) {
      open_decision(d, first, end, true, x);
      (void)solve_modes(x);
    }
    rh_verdict_several(sim, &(rh_cone){size_of(x), x->W, x->b, x->mu, x->slide}, d->rigid[first],
                       x->room);
    settle_island(sim, x);
  }
}

bool rh_rigid_decide(rh_sim *sim)
{
  rh_data *d = sim->data;
  decision x = {.d = d};
  if (is_crowded(sim)) {
    return false;
  }
  sim->flight = HUGE_VAL;
  for (int k = 0; k < d->ncon; k++) {
    d->was[k] = (int)rh_slot_mode(d, k);
  }
  if (!answer_islands(sim, &x)) {
    return false;
  }
  settle_islands(sim, &x);
  drop_idle(d);
  slide_beyond(d);
  part_loose(sim);
  tell_changes(sim);
  rh_verdict_undetermined(sim);
  return true;
}

bool rh_sim_cone(rh_sim *sim, rh_cone *problem)
{
  rh_data *d = sim->data;
  decision x;
  for (int k = 0; k < d->ncon; k++) {
    d->was[k] = (int)rh_slot_mode(d, k);
  }
  let_go(d);
  for (int k = 0; k < d->ncon; k++) {
    rh_slot_set_mode(d, k, (rh_closed)d->was[k]);
  }
  open_decision(d, 0, d->nrigid, true, &x);
  *problem = (rh_cone){size_of(&x), x.W, x.b, x.mu, x.slide};
  return d->nrigid > 0;
}
