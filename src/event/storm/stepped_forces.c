// stepped_forces.c: contacts that are stepped in time. For an interval of length h find impulses p with
//   u+ = u + h (W f + b),  p = h f,   0 <= p_n  complementary to  u_n+ + gap / h >= 0,   |p_t| <= mu p_n,
// friction against u_t+ ([ST], Moreau); W and b as for the modes (contact_decision.c). The force
// f is constant in the interval, and the integrator integrates it as any other: its work is in the
// ledger. Touching contacts that approach faster than the steps resolve get an impact first, by
// their law.
#include "storm.h"

#include "event/contact_decision.h"
#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

// An overlap is removed by this part in a step.
static const double PUSH_OUT = 0.2;
// Part of the largest normal force that counts as none; of the cone, as its edge
static const double NOTHING = 1e-9;
static const double EDGE = 1e-6;
// Part of the speed of a step that the impulses may leave
static const double TOLERANCE = 1e-5;

static double *force_of(const rh_data *d, int slot)
{
  return d->s + (size_t)slot * RH_SLOT_STATES + RH_SLOT_FRICTION;
}

// The kept force in the present frame of its contact: rows t1, t2, n
static void force_rows(const rh_data *d, int slot, double p[3])
{
  const rh_contact *c = &d->contact[slot];
  const double *kept = force_of(d, slot);
  rh_vec3 f = {kept[0], kept[1], kept[2]};
  p[0] = rh_dot(f, c->t1);
  p[1] = rh_dot(f, c->t2);
  p[2] = rh_dot(f, c->n);
}

rh_closed rh_storm_mode(const rh_data *d, int slot)
{
  double mu = rh_slot_sliding(d, slot);
  double p[3];
  force_rows(d, slot, p);
  if (p[2] <= 0) {
    return RH_CLOSED_IDLE;
  }
  bool edge = fabs(hypot(p[0], p[1]) - mu * p[2]) <= EDGE * mu * p[2];
  return edge ? RH_CLOSED_SLIDE : RH_CLOSED_STICK;
}

// ---- Stage 5

static void push_contact(rh_data *d, int slot)
{
  rh_contact *c = &d->contact[slot];
  const double *kept = force_of(d, slot);
  rh_vec3 f = {kept[0], kept[1], kept[2]};
  double p[3];
  force_rows(d, slot, p);
  c->friction[0] = p[0];
  c->friction[1] = p[1];
  c->normal = p[2];
  c->margin = 1;
  double *work = rh_search(d)->slot_rate + (size_t)slot * RH_SLOT_STATES + RH_SLOT_WORK;
  work[RH_CONTACT_SLIDE] = -(p[0] * c->slip[0] + p[1] * c->slip[1]);
  work[RH_CONTACT_DAMPER] = p[2] * c->rate;
  rh_contact_push(d, c);
  rh_force on_a = {rh_cross(rh_sub(c->point, d->kin[c->a].p), f), f};
  rh_force on_b = {rh_cross(rh_sub(c->point, d->kin[c->b].p), rh_neg(f)), rh_neg(f)};
  d->dyn.f[c->a] = rh_force_add(d->dyn.f[c->a], on_a);
  d->dyn.f[c->b] = rh_force_add(d->dyn.f[c->b], on_b);
}

void rh_storm_forces(rh_data *d)
{
  bool any = false;
  for (int k = 0; k < d->ncontact; k++) {
    if (!d->contact[k].on || !rh_slot_stepped(d, k)) {
      continue;
    }
    if (!any) {
      memset(d->dyn.f, 0, (size_t)d->model->nbody * sizeof *d->dyn.f);
    }
    any = true;
    push_contact(d, k);
  }
  if (any) {
    rh_wrench_more(d, d->dyn.f);
  }
}

// ---- The beginning of an interval

// Stepped contacts: velocities u, accelerations b without their forces, and the impulses p of those
// forces in an interval h. The gathered ones. [evaluate]
static void read_motion(rh_data *d, double h)
{
  rh_rigid_gather_stepped(d);
  rh_rigid_inertia(d);
  rh_rigid_accelerations(d);
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    const double u[3] = {c->slip[0], c->slip[1], -c->rate};
    memcpy(rh_rigid(d)->u + 3 * (size_t)i, u, sizeof u);
    force_rows(d, rh_rigid(d)->slot[i], rh_rigid(d)->p + 3 * (size_t)i);
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t s = 0; s < rows; s++) {
      rh_rigid(d)->b[r] -= rh_rigid(d)->W[r * rows + s] * rh_rigid(d)->p[s];
    }
  }
  for (size_t r = 0; r < rows; r++) {
    rh_rigid(d)->p[r] *= h;
  }
}

// Contacts that are lost, or farther than they could return in a step
static void end_far(rh_sim *sim)
{
  rh_data *d = sim->data;
  double far = rh_event_engine_of(sim)->storm.step * rh_storm_speed(sim) + RH_TOL_GAP;
  int used = rh_slots_used(d);
  for (int k = 0; k < used; k++) {
    const rh_contact *c = &d->contact[k];
    if (rh_slot_stepped(d, k) && (!c->on || -c->depth > far)) {
      rh_contact_end(sim, k);
    }
  }
}

// ---- The problem of an interval

// From accelerations to the velocities at the end of the interval; friction by the slip now
static void pose_island(rh_decision *x, double h, double slow)
{
  const rh_data *d = x->d;
  for (int i = 0; i < rh_decision_size(x); i++) {
    const rh_contact *c = &d->contact[rh_decision_slot(x, i)];
    const double *u = rh_rigid(d)->u + 3 * (size_t)(x->first + i);
    double *b = x->b + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      b[k] = u[k] + h * b[k];
    }
    b[2] -= c->depth > 0 ? fmin(PUSH_OUT * c->depth / h, slow) : c->depth / h;
    bool slips = hypot(u[0], u[1]) > slow;
    x->mu[i] = slips ? rh_slot_sliding(d, rh_decision_slot(x, i)) : rh_decision_law(x, i)->mu_s;
  }
}

// Contacts that slip at the end have the friction of their slip. True if that is another problem
static bool slip_by_kinetic(rh_decision *x)
{
  bool changed = false;
  for (int i = 0; i < rh_decision_size(x); i++) {
    const double *p = x->p + 3 * (size_t)i;
    double mu = rh_slot_sliding(x->d, rh_decision_slot(x, i));
    if (x->mu[i] != mu && p[2] > 0 && hypot(p[0], p[1]) >= (1 - EDGE) * x->mu[i] * p[2]) {
      x->mu[i] = mu;
      changed = true;
    }
  }
  return changed;
}

// From the impulses of the kept forces, in x->p. Returns the residual.
static double solve_impulses(rh_decision *x, double tolerance)
{
  const rh_cone problem = {rh_decision_size(x), x->W, x->b, x->mu, NULL};
  double residual = rh_storm_solve(&problem, tolerance, x->scratch, x->p);
  return slip_by_kinetic(x) ? rh_storm_solve(&problem, tolerance, x->scratch, x->p) : residual;
}

static void keep_forces(const rh_decision *x, double h)
{
  rh_data *d = x->d;
  double maximum = 0;
  for (int i = 0; i < rh_decision_size(x); i++) {
    maximum = fmax(maximum, x->p[3 * i + 2]);
  }
  for (int i = 0; i < rh_decision_size(x); i++) {
    int slot = rh_decision_slot(x, i);
    const rh_contact *c = &d->contact[slot];
    const double *p = x->p + 3 * (size_t)i;
    double *kept = force_of(d, slot);
    bool some = p[2] > NOTHING * maximum;
    rh_vec3 f = rh_scale(some ? p[2] / h : 0, c->n);
    f = rh_addscaled(f, some ? p[0] / h : 0, c->t1);
    f = rh_addscaled(f, some ? p[1] / h : 0, c->t2);
    kept[0] = f.x;
    kept[1] = f.y;
    kept[2] = f.z;
  }
}

// A step more without a change, or the first after one. `was`: modes before; `whole`: a step has ended
static void count_quiet(const rh_decision *x, bool whole)
{
  rh_data *d = x->d;
  double quiet = HUGE_VAL;
  bool same = true;
  for (int i = 0; i < rh_decision_size(x); i++) {
    int slot = rh_decision_slot(x, i);
    quiet = fmin(quiet, RH_CLOSED_STEPPED - d->slot[slot].mode);
    same = same && rh_rigid(d)->was[slot] == (int)rh_storm_mode(d, slot);
  }
  for (int i = 0; i < rh_decision_size(x); i++) {
    d->slot[rh_decision_slot(x, i)].mode = RH_CLOSED_STEPPED - (!same ? 0 : quiet + whole);
  }
}

static void keep_modes(rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    rh_rigid(d)->was[k] = rh_slot_stepped(d, k) && d->contact[k].on ? (int)rh_storm_mode(d, k) : 0;
  }
}

static void solve_island(rh_sim *sim, int first, int end, bool whole)
{
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  double h = s->end - *sim->data->t;
  rh_decision x;
  rh_decision_open(sim->data, first, end, true, &x);
  double speed = rh_storm_speed(sim);
  pose_island(&x, h, speed);
  memcpy(x.p, rh_rigid(sim->data)->p + 3 * (size_t)first, 3 * (size_t)(end - first) * sizeof *x.p);
  double residual = solve_impulses(&x, TOLERANCE * speed);
  keep_forces(&x, h);
  if (residual > speed) {
    rh_diagnosis_report(
        sim, RH_EVENT_UNSOLVED, rh_decision_slot(&x, 0), residual,
        "no impulses of a step satisfy the contacts exactly; the nearest were used");
  }
  count_quiet(&x, whole);
}

void rh_storm_step(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  bool whole = *d->t >= s->end;
  s->struck = whole ? 0 : s->struck;
  s->over = false;
  if (d->model->nrigid == 0) {
    return;
  }
  end_far(sim);
  rh_rigid_gather_stepped(d);
  if (rh_rigid(d)->n == 0) {
    s->end = HUGE_VAL;
    return;
  }
  s->end = s->step * ceil(*d->t / s->step + 0.5);
  keep_modes(d);
  rh_sim_evaluate(d);
  read_motion(d, s->end - *d->t);
  s->gain = rh_norm(d->model->gravity);
  for (int r = 0; r < 3 * rh_rigid(d)->n; r++) {
    s->gain = fmax(s->gain, fabs(rh_rigid(d)->b[r]));
  }
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    solve_island(sim, first, end, whole);
  }
  rh_sim_evaluate(d);
}
