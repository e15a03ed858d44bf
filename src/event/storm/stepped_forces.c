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
#include <stdio.h>
#include <string.h>

// Tangential motion in an interval, in sizes of the smaller shape: faster ones have shorter
// intervals, down to this part of the usual one
static const double MOTION = 0.02;
static const double LEAST_PART = 1024;
// Change of the normal velocity in an interval without the forces, as a part of the slip: a surface of
// radius R has the acceleration slip^2 / R
static const double TURN = 0.05;
// Speeds left at the end of an interval, in units of what gravity gives in a usual one: above the
// first the next is shorter by a factor, below the second it is twice as long.
static const double OFF_MAX = 0.5;
static const double OFF_MIN = 0.1;
static const double SHORTER = 4;
// Part of the kinetic energy that the forces of an interval may add unreported
static const double GAIN = 1e-3;
// Part by which the accelerations of a contact may change in an interval, where there is no gravity
static const double CHANGE = 0.1;
// An overlap is removed by this part in a usual step, at no more than this part of the speed of a step.
static const double PUSH_OUT = 0.2;
static const double PUSH_SPEED = 0.05;
// Part of the largest normal force that counts as none
static const double NOTHING = 1e-9;
// Part of the speed of a step that the impulses may leave; and that of an island at rest, which is
// not to creep
static const double TOLERANCE = 1e-5;
static const double TOLERANCE_AT_REST = 1e-8;

// ---- The beginning of an interval

// Stepped contacts: velocities u, and accelerations b without their forces; p: those forces. The
// gathered ones. [evaluate]
static void read_motion(rh_data *d)
{
  rh_rigid_gather_stepped(d);
  rh_rigid_inertia(d);
  rh_rigid_accelerations(d);
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    const double u[3] = {c->slip[0], c->slip[1], -c->rate};
    memcpy(rh_rigid(d)->u + 3 * (size_t)i, u, sizeof u);
    rh_storm_force_rows(d, rh_rigid(d)->slot[i], rh_rigid(d)->p + 3 * (size_t)i);
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t s = 0; s < rows; s++) {
      rh_rigid(d)->b[r] -= rh_rigid(d)->W[r * rows + s] * rh_rigid(d)->p[s];
    }
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
static void pose_island(rh_decision *x, double h, double step, double slow)
{
  const rh_data *d = x->d;
  for (int i = 0; i < rh_decision_size(x); i++) {
    const rh_contact *c = &d->contact[rh_decision_slot(x, i)];
    const double *u = rh_rigid(d)->u + 3 * (size_t)(x->first + i);
    double *b = x->b + 3 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      b[k] = u[k] + h * b[k];
    }
    b[2] -= c->depth > 0 ? fmin(PUSH_OUT * c->depth / step, PUSH_SPEED * slow) : c->depth / h;
    bool slips = rh_hypot(u[0], u[1]) > slow;
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
    if (x->mu[i] != mu && p[2] > 0 &&
        rh_hypot(p[0], p[1]) >= (1 - RH_STORM_EDGE) * x->mu[i] * p[2]) {
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
    double *kept = rh_storm_force(d, slot);
    bool some = p[2] > NOTHING * maximum;
    rh_vec3 f = rh_scale(some ? p[0] / h : 0, c->t1);
    f = rh_addscaled(f, some ? p[1] / h : 0, c->t2);
    d->slot[slot].speed = some ? p[2] / h : 0;
    kept[0] = f.x;
    kept[1] = f.y;
    kept[2] = f.z;
    if (rh_slot_turns(d, slot)) {
      rh_turn_limit(d, slot);
    }
  }
}

// A step more without a change, or the first after one. `was`: modes before; `whole`: the part of a step that has ended
static void count_quiet(rh_data *d, int first, int end, double whole)
{
  double quiet = HUGE_VAL;
  bool same = true;
  for (int i = first; i < end; i++) {
    int slot = rh_rigid(d)->slot[i];
    quiet = fmin(quiet, RH_CLOSED_STEPPED - d->slot[slot].mode);
    same = same && rh_rigid(d)->was[slot] == (int)rh_storm_mode(d, slot);
  }
  for (int i = first; i < end; i++) {
    d->slot[rh_rigid(d)->slot[i]].mode = RH_CLOSED_STEPPED - (!same ? 0 : quiet + whole);
  }
}

static void keep_modes(rh_data *d)
{
  for (int k = 0; k < d->ncontact; k++) {
    rh_rigid(d)->was[k] = rh_slot_stepped(d, k) && d->contact[k].on ? (int)rh_storm_mode(d, k) : 0;
  }
}

// The motion of the island's fastest contact in an interval h, in units of what is allowed
static double motion_in(const rh_decision *x, double h, double slow)
{
  const rh_data *d = x->d;
  int rows = 3 * rh_decision_size(x);
  double maximum = 0;
  for (int i = 0; i < rh_decision_size(x); i++) {
    const rh_contact *c = &d->contact[rh_decision_slot(x, i)];
    const double *now = rh_rigid(d)->u + 3 * (size_t)(x->first + i);
    double size = HUGE_VAL;
    double after[3];
    for (int k = 0; k < 3; k++) {
      after[k] = x->b[3 * i + k];
      for (int s = 0; s < rows; s++) {
        after[k] += x->W[(size_t)(3 * i + k) * (size_t)rows + (size_t)s] * x->p[s];
      }
    }
    for (int k = 0; k < 2; k++) {
      const rh_model_shape *shape = &d->model->shape[c->shape[k]];
      size = rh_shape_bounded(shape->kind) ? fmin(size, shape->reach) : size;
    }
    double speed = fmax(rh_hypot(now[0], now[1]), rh_hypot(after[0], after[1]));
    double gain = h * fabs(rh_rigid(d)->b[3 * (x->first + i) + 2]);
    maximum = fmax(maximum, h * speed / (MOTION * size));
    maximum = fmax(maximum, gain / fmax(slow, TURN * rh_hypot(now[0], now[1])));
  }
  return maximum;
}

static double solver_tolerance(const rh_data *d, int first, int end, double speed)
{
  double fastest = 0;
  for (int r = 3 * first; r < 3 * end; r++) {
    fastest = fmax(fastest, fabs(rh_rigid(d)->u[r]));
  }
  return fastest < 10 * TOLERANCE * speed ? TOLERANCE_AT_REST * speed : TOLERANCE * speed;
}

// Solves one island for an interval h, at most; the length that its motion allows
static double solve_island(rh_sim *sim, int first, int end, double h)
{
  rh_decision x;
  double speed = rh_storm_speed(sim);
  double step = rh_event_engine_of(sim)->storm.step;
  double least = step / LEAST_PART;
  double slow = 4 * step * rh_norm(sim->model->gravity) + speed;
  double residual = 0;
  for (bool again = true; again; h = again ? 0.5 * h : h) {
    rh_decision_open(sim->data, first, end, true, &x);
    pose_island(&x, h, step, speed);
    for (int r = 0; r < 3 * (end - first); r++) {
      x.p[r] = h * rh_rigid(sim->data)->p[3 * first + r];
    }
    residual = solve_impulses(&x, solver_tolerance(sim->data, first, end, speed));
    again = h > least && motion_in(&x, h, slow) > 1;
  }
  keep_forces(&x, h);
  if (residual > speed) {
    rh_diagnosis_report(
        sim, RH_EVENT_UNSOLVED, rh_decision_slot(&x, 0), residual,
        "no impulses of a step satisfy the contacts exactly; the nearest were used");
  }
  return h;
}

// The interval is that of the fastest island: an island with a longer one is solved again.
static void solve_islands(rh_sim *sim)
{
  const rh_data *d = sim->data;
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  double h = s->end - *d->t;
  double before = HUGE_VAL;
  while (h < before) {
    before = h;
    for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
      end = rh_rigid_island(d, first);
      h = fmin(h, solve_island(sim, first, end, h));
    }
  }
  s->end = h < s->end - *d->t ? *d->t + h : s->end;
}

// [J] dissipated by the stepped contacts since their touchdown
static double spent_energy(const rh_data *d)
{
  double sum = 0;
  for (int k = 0; k < rh_slots_used(d); k++) {
    const double *work = d->s + (size_t)k * RH_SLOT_STATES + RH_SLOT_WORK;
    sum += rh_slot_stepped(d, k) ? work[RH_CONTACT_DAMPER] + work[RH_CONTACT_SLIDE] : 0;
  }
  return sum;
}

// Forces that are constant may add energy where the motion changes faster than the steps resolve.
static void report_gain(rh_sim *sim, int slot)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  rh_data *d = sim->data;
  double gain = s->spent - spent_energy(d);
  double speed = rh_storm_speed(sim); // of the stated error
  double slight = 0.5 * rh_total_mass(sim->model) * speed * speed;
  if (gain > GAIN * rh_kinetic_energy(d) + slight) {
    char text[RH_NOTE_MAX];
    snprintf(text, sizeof text,
             "the forces of a step of %.3g s added %.3g J: the motion is faster than the steps; a "
             "lower rtol makes them shorter",
             s->step, gain);
    rh_diagnosis_report(sim, RH_EVENT_GAIN, slot, gain, text);
  }
}

// Length of the next interval, as a part of the usual one: the contacts that were to be at rest
// along their normals show by their speeds how well the last one was resolved.
static void control_part(rh_sim *sim)
{
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  const rh_data *d = sim->data;
  double off = 0;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    int slot = rh_rigid(d)->slot[i];
    bool pressed = d->slot[slot].speed > 0 && d->contact[slot].depth > -RH_TOL_GAP;
    off = pressed ? fmax(off, fabs(d->contact[slot].rate)) : off;
  }
  off /= 2 * s->step * rh_norm(d->model->gravity) + d->model->run.rest_speed;
  s->part = off > OFF_MAX ? fmax(s->part / SHORTER, 1 / LEAST_PART) : s->part;
  s->part = off < OFF_MIN ? fmin(2 * s->part, 1) : s->part;
}

// Trees that have contacts which are stepped
static void mark_trees(rh_sim *sim)
{
  const rh_data *d = sim->data;
  rh_storm_tree *tree = rh_event_engine_of(sim)->storm.tree;
  for (int k = 0; k < d->model->nbody; k++) {
    tree[k].stepped = false;
  }
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    tree[d->model->body[c->a].tree].stepped = true;
    tree[d->model->body[c->b].tree].stepped = true;
  }
  tree[0].stepped = false;
}

void rh_storm_step(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_storm *s = &rh_event_engine_of(sim)->storm;
  bool whole = *d->t >= s->end;
  double part = whole ? s->part : 0; // of the interval that has ended
  s->impacts = whole ? 0 : s->impacts;
  s->over = false;
  if (d->model->nrigid == 0) {
    return;
  }
  rh_rigid_gather_stepped(d);
  if (whole && rh_rigid(d)->n > 0) {
    report_gain(sim, rh_rigid(d)->slot[0]);
    control_part(sim);
  }
  end_far(sim);
  rh_rigid_gather_stepped(d);
  mark_trees(sim);
  if (rh_rigid(d)->n == 0) {
    s->end = HUGE_VAL;
    return;
  }
  s->end = s->part < 1 ? *d->t + s->part * s->step : s->step * ceil(*d->t / s->step + 0.5);
  keep_modes(d);
  rh_sim_evaluate(d);
  if (rh_storm_turn(d, s->end - *d->t)) {
    rh_sim_evaluate(d);
  }
  read_motion(d);
  s->gain = rh_norm(d->model->gravity);
  for (int r = 0; r < 3 * rh_rigid(d)->n && rh_norm(d->model->gravity) == 0; r++) {
    s->gain = fmax(s->gain, CHANGE * fabs(rh_rigid(d)->b[r]));
  }
  for (int k = 0; k < d->ncontact; k++) {
    s->cut[k] = 2 * fmax(rh_storm_speed(sim), fabs(d->contact[k].rate));
  }
  solve_islands(sim);
  s->spent = spent_energy(d);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    end = rh_rigid_island(d, first);
    count_quiet(d, first, end, part);
  }
  rh_sim_evaluate(d);
}
