// Impulses between rigid bodies (stage 9). All touching contacts within an island take part;
// approaching bodies are separated by the law of the contact that closes fastest:
// one contact along its path in space, several by the scene's formulation (impact/impact_contacts.c).
// Contacts that leave or slip more slowly than the run's rest_speed and are pressed back stay: so
// ends a sequence of ever smaller bounces.
// Limits that hold a joint take impulses too, and release it if they would have to pull.
#include "event/storm/storm.h"
#include "rigid.h"

#include "contacts/impact_place.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct island_impact { // one island with an impact
  rh_sim *sim;
  int first, end;
  const rh_impact_law *law;
  double *W, *u, *after, *p, *mu, *e, *eta2, *weight; // (9 n^2), (3 n) ..., (n)
  double *lost;                                       // D_n and D_t of each contact in turn (2 n)
  double *share; // first proportions of the normal impulses (n)
  double *scratch;
  int events;    // of the formulation
  bool repeated; // e < 0: rigid bodies cannot pass on, and other events follow
  bool gained, solved, unfactored;
} island_impact;

static int size_of(const island_impact *x)
{
  return x->end - x->first;
}

static const rh_model_contact *law_of(const rh_data *d, int i)
{
  return &d->model->contact[d->contact[rh_rigid(d)->slot[i]].rule];
}

// Velocities at the contacts, rows t1, t2, n, into d->uc
static void fill_velocities(rh_data *d)
{
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const rh_contact *c = &d->contact[rh_rigid(d)->slot[i]];
    rh_rigid(d)->u[3 * i] = c->slip[0];
    rh_rigid(d)->u[3 * i + 1] = c->slip[1];
    rh_rigid(d)->u[3 * i + 2] = -c->rate;
  }
}

// The contact that closes fastest, RH_NONE if none does.
static int fastest_closing(const rh_data *d, int first, int end)
{
  int found = RH_NONE;
  double maximum = RH_TOL_SLIP;
  for (int i = first; i < end; i++) {
    if (-rh_rigid(d)->u[3 * i + 2] > maximum) {
      maximum = -rh_rigid(d)->u[3 * i + 2];
      found = i;
    }
  }
  return found;
}

static bool any_approaches(const rh_data *d)
{
  return fastest_closing(d, 0, rh_rigid(d)->n) != RH_NONE;
}

static void open_impact(rh_sim *sim, int first, int end, island_impact *x)
{
  rh_data *d = sim->data;
  size_t n = (size_t)(end - first);
  *x = (island_impact){.sim = sim, .first = first, .end = end, .W = rh_rigid(d)->scratch};
  x->law =
      law_of(d, fastest_closing(d, first, end) == RH_NONE ? first : fastest_closing(d, first, end))
          ->impact;
  x->u = x->W + 9 * n * n;
  x->after = x->u + 3 * n;
  x->p = x->after + 3 * n;
  x->mu = x->p + 3 * n;
  x->e = x->mu + n;
  x->eta2 = x->e + n;
  x->weight = x->eta2 + n;
  x->lost = x->weight + n;
  x->share = x->lost + 2 * n;
  x->scratch = x->share + n;
  memset(x->share, 0, n * sizeof *x->share);
  rh_rigid_block(d, first, end, x->W);
  memcpy(x->u, rh_rigid(d)->u + 3 * first, 3 * n * sizeof *x->u);
  for (int i = first; i < end; i++) {
    double speed = -rh_rigid(d)->u[3 * i + 2];
    x->mu[i - first] = rh_contact_impact_friction(law_of(d, i), speed, false);
    x->e[i - first] = rh_contact_restitution(law_of(d, i), speed);
    x->eta2[i - first] = law_of(d, i)->eta2;
    x->weight[i - first] = d->contact[rh_rigid(d)->slot[i]].area;
    x->repeated = x->repeated || law_of(d, i)->law == NULL;
    rh_rigid(d)->place[i] = rh_impact_place(d->model, &d->contact[rh_rigid(d)->slot[i]]);
  }
}

static rh_many_in many_contacts(const island_impact *x)
{
  return (rh_many_in){.n = size_of(x),
                      .W = x->W,
                      .u = x->u,
                      .mu = x->mu,
                      .e = x->e,
                      .law = x->law,
                      .eta2 = x->eta2,
                      .weight = x->weight,
                      .place = rh_rigid(x->sim->data)->place + x->first,
                      .repeated = x->repeated,
                      .share = x->share,
                      .lost = x->lost};
}

// `alone`: one contact, along its path whatever the formulation
static bool resolve_contacts(island_impact *x, bool alone)
{
  const rh_many_in in = many_contacts(x);
  rh_many_out out;
  bool jam = x->u[2] == 0 && in.n == 1;
  const rh_model_run *run = rh_storm_impact_run(x->sim, in.n);
  for (int i = 0; i < in.n && (jam || run != &x->sim->model->run); i++) {
    x->e[i] = fmax(x->e[i], 0); // neither has a compression that could end early
  }
  double mu_s = rh_contact_impact_friction(law_of(x->sim->data, x->first), -x->u[2], true);
  bool good = alone ? rh_impact_solve_one(&in, mu_s, x->p, x->after, &out)
                    : rh_impact_solve(run, &in, mu_s, x->scratch, x->p, x->after, &out);
  x->gained = out.gained;
  x->unfactored = out.unfactored;
  x->events = out.impacts;
  return good;
}

// ---- Giving impulses

// Velocities under the impulses d->pc of all gathered contacts. False: a limit would have had to
// pull and was released.
static bool give_impulses(rh_sim *sim)
{
  rh_data *d = sim->data;
  int nv = d->model->nv;
  double *g = d->dyn.scratch + 3 * (size_t)nv; // the others are rh_rigid_jacobian's
  memset(g, 0, (size_t)nv * sizeof *g);
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const double *p = rh_rigid(d)->p + 3 * (size_t)i;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) {
      continue;
    }
    rh_rigid_jacobian(d, i);
    const double *J = rh_rigid(d)->J;
    for (int k = 0; k < nv; k++) {
      g[k] += J[k] * p[0] + J[nv + k] * p[1] + J[2 * nv + k] * p[2];
    }
  }
  rh_impulse_response(d, g, g);
  if (rh_limits_release(sim)) {
    return false;
  }
  for (int k = 0; k < nv; k++) {
    d->v[k] += g[k];
  }
  return true;
}

// The impulses of an island, kept until it is certain that no limit is released.
static void keep_impact(const island_impact *x)
{
  rh_data *d = x->sim->data;
  for (int i = 0; i < size_of(x); i++) {
    rh_contact_impact *kept = &rh_rigid(d)->impact[x->first + i];
    kept->before = x->u[3 * i + 2];
    kept->after = x->after[3 * i + 2];
    kept->Dn = x->lost[2 * i];
    kept->Dt = x->lost[2 * i + 1];
    kept->share = x->share[i];
    kept->gained = x->gained;
    kept->unfactored = x->unfactored;
    kept->events = x->events;
    kept->solved = x->solved;
  }
  memcpy(rh_rigid(d)->p + 3 * x->first, x->p, 3 * (size_t)size_of(x) * sizeof *rh_rigid(d)->p);
}

static void report_impacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const double *p = rh_rigid(d)->p + 3 * (size_t)i;
    const rh_contact_impact *kept = &rh_rigid(d)->impact[i];
    if (p[2] == 0) {
      continue;
    }
    rh_event e = rh_contact_event(sim, RH_EVENT_IMPACT, rh_rigid(d)->slot[i]);
    e.before = kept->before;
    e.after = kept->after;
    e.impulse = p[2];
    e.friction = rh_hypot(p[0], p[1]);
    e.Dn = kept->Dn;
    e.Dt = kept->Dt;
    e.work = -(e.Dn + e.Dt);
    if (kept->share > 0) {
      snprintf(e.note, sizeof e.note, "share %.9g of the normal impulses at first", kept->share);
    }
    bool alone = rh_rigid_island(d, i) == i + 1 && (i == 0 || rh_rigid_island(d, i - 1) == i);
    rh_sim_note_impact(sim, kept->before, kept->after, alone);
    rh_sim_emit_event(sim, &e);
    if (alone) {
      rh_restitution_check(sim, &e, d->contact[e.slot].rule, sim->model->run.rest_speed);
    }
  }
}

// In a jam nothing approaches, and one contact alone has an impact.
rh_impact_contacts rh_sim_impact_contacts(const rh_sim *sim, const rh_event *event)
{
  const rh_data *d = sim->data;
  const rh_rigid_system *r = rh_rigid(d);
  rh_impact_contacts found = {0, 0, r->n, r->slot, r->u, r->p, r->W};
  for (int begin = 0, end; event->kind == RH_EVENT_IMPACT && begin < r->n; begin = end) {
    end = rh_rigid_island(d, begin);
    for (int i = begin; i < end; i++) {
      if (r->slot[i] == event->slot) {
        bool jam = fastest_closing(d, begin, end) == RH_NONE;
        found.first = jam ? i : begin;
        found.n = jam ? 1 : end - begin;
        return found;
      }
    }
  }
  return found;
}

// Impacts at several contacts of a run that are examined
enum { EXAMINED = 8 };

static const double GIVEN = 1e-3; // of the works of an impact: less is of no interest

// The impact of the contacts [first, end) under all formulations. [u and W of before]
static void compare_formulations(rh_sim *sim, int first, int end)
{
  island_impact x;
  rh_many_spread s;
  char text[RH_NOTE_MAX];
  if (sim->impact.several++ >= EXAMINED || end - first > RH_COMPARE_MAX) {
    return;
  }
  sim->impact.examined++;
  open_impact(sim, first, end, &x);
  const rh_many_in in = many_contacts(&x);
  rh_many_compare(&in, x.scratch, &s);
  if (s.part <= RH_COMPARE_PART) {
    return;
  }
  snprintf(
      text, sizeof text,
      "%d contacts at once: the effective normal impulse here is from %.4g N s (%s) to %.4g N s "
      "(%s), %s was used; routh compare --impacts all shows the runs",
      end - first, s.least, s.least_row->row.name, s.largest, s.largest_row->row.name,
      sim->model->run.multi_impact->name);
  rh_diagnosis_report(sim, RH_EVENT_FORMULATION, rh_rigid(sim->data)->slot[first + s.contact],
                      s.part, text);
}

// A formulation without a path, and `hertz` with e = 0, takes the work of each contact on straight
// pieces. Where its friction appears to give energy there, the share of the contact is not known.
static void report_given_friction(rh_sim *sim, int first, int end)
{
  const rh_rigid_system *r = rh_rigid(sim->data);
  int found = first;
  double sum = 0;
  char text[RH_NOTE_MAX];
  for (int i = first; i < end; i++) {
    sum += r->p[3 * i + 2] != 0 ? fabs(r->impact[i].Dn) + fabs(r->impact[i].Dt) : 0;
    found = r->impact[i].Dt < r->impact[found].Dt ? i : found;
  }
  if (r->p[3 * found + 2] == 0 || r->impact[found].Dt >= -GIVEN * sum) {
    return;
  }
  snprintf(
      text, sizeof text,
      "friction here gives %.4g J, since this impact is taken in straight pieces, without a path: "
      "the sum over the contacts is right, their shares are not known",
      -r->impact[found].Dt);
  rh_diagnosis_report(sim, RH_EVENT_FORMULATION, r->slot[found], r->impact[found].Dt, text);
}

// An impact with e < 0 of the contacts [first, end). [Ch] 2.33*
static void report_early(rh_sim *sim, int first, int end)
{
  const rh_data *d = sim->data;
  double e = law_of(d, first)->e;
  bool rigid = false;
  double left = 0;
  char text[RH_NOTE_MAX];
  for (int i = first; i < end; i++) {
    rigid = rigid || law_of(d, i)->law == NULL;
    left = fmax(left, -rh_rigid(d)->impact[i].after);
  }
  if (rigid) {
    snprintf(text, sizeof text,
             "e = %g: %d events, all but the last ended in compression, until nothing approached; "
             "of a single point that is e = 0",
             e, rh_rigid(d)->impact[first].events);
  } else {
    snprintf(text, sizeof text,
             "e = %g: it ended in compression and still approaches at %.4g m/s; the compliant law "
             "takes over",
             e, left);
  }
  rh_diagnosis_report(sim, RH_EVENT_EARLY, rh_rigid(d)->slot[first], e, text);
}

// The kinetic energy that the impulses of the contacts [first, end) gave. [u and W of before]
static void check_gain(rh_sim *sim, int first, int end)
{
  const rh_rigid_system *r = rh_rigid(sim->data);
  size_t rows = 3 * (size_t)r->n;
  double taken = 0;
  double given = 0;
  for (int i = 3 * first; i < 3 * end; i++) {
    taken += r->p[i] * r->u[i];
    for (int k = 3 * first; k < 3 * end; k++) {
      given += 0.5 * r->p[i] * r->W[(size_t)i * rows + (size_t)k] * r->p[k];
    }
  }
  rh_event e = rh_contact_event(sim, RH_EVENT_IMPACT, r->slot[first]);
  rh_impact_energy_check(sim, &e, taken + given, fabs(taken) + given);
}

// Verdicts on whole islands: inexact solutions, energy gained by the law, formulations that differ
static void check_impacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    double loss = 0;
    end = rh_rigid_island(d, first);
    for (int i = first; i < end; i++) {
      loss += rh_rigid(d)->p[3 * i + 2] == 0
                  ? 0
                  : rh_rigid(d)->impact[i].Dn + rh_rigid(d)->impact[i].Dt;
    }
    if (!rh_rigid(d)->impact[first].solved) {
      rh_diagnosis_report(sim, RH_EVENT_UNSOLVED, rh_rigid(d)->slot[first], 0,
                          "no impulses satisfy the contacts exactly; the nearest were used");
    }
    if (rh_rigid(d)->impact[first].gained) {
      rh_diagnosis_gain(sim, rh_rigid(d)->slot[first], loss);
    } else {
      check_gain(sim, first, end);
    }
    if (law_of(d, first)->e < 0 && fastest_closing(d, first, end) != RH_NONE) {
      report_early(sim, first, end);
    }
    if (rh_rigid(d)->impact[first].unfactored) {
      rh_diagnosis_report(sim, RH_EVENT_FORMULATION, rh_rigid(d)->slot[first], 0,
                          "pair factors C_qr would be negative, a pull, or infinite: the points "
                          "shared equally, or as pair_factor states; choose another multi_impact");
    }
    if (end - first > 1 && fastest_closing(d, first, end) != RH_NONE) {
      compare_formulations(sim, first, end);
    }
    report_given_friction(sim, first, end);
  }
}

// All islands with an impact at this instant.
static bool impact_islands(rh_sim *sim)
{
  rh_data *d = sim->data;
  bool any = false;
  memset(rh_rigid(d)->p, 0, 3 * (size_t)rh_rigid(d)->n * sizeof *rh_rigid(d)->p);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    island_impact x;
    end = rh_rigid_island(d, first);
    rh_rigid(d)->impact[first] = (rh_contact_impact){.solved = true};
    if (fastest_closing(d, first, end) != RH_NONE) {
      open_impact(sim, first, end, &x);
      x.solved = resolve_contacts(&x, false);
      if (!x.solved) {
        rh_storm_count_unsolved(sim, rh_rigid(d)->slot[first]);
      }
      keep_impact(&x);
      any = true;
    }
  }
  return any;
}

// ---- Coming to rest

// The given rows of one island: impulses d->pc that stop them. Dependent rows share by least norm.
static void stop_rows(rh_data *d, const int *row, int n)
{
  size_t size = (size_t)n;
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  double *A = rh_rigid(d)->scratch;
  double *b = A + size * size;
  double *x = b + size;
  for (size_t r = 0; r < size; r++) {
    for (size_t s = 0; s < size; s++) {
      A[r * size + s] = rh_rigid(d)->W[(size_t)row[r] * rows + (size_t)row[s]];
    }
    b[r] = -rh_rigid(d)->u[row[r]];
  }
  (void)rh_lstsq(n, n, A, b, RH_TOL_RANK, x + size, x, NULL);
  for (size_t r = 0; r < size; r++) {
    rh_rigid(d)->p[row[r]] = x[r];
  }
}

// Impulses that stop the given rows, in order. They take energy and never add any: the result is
// the nearest motion without those rows. Island by island: d->Wc has no entries between them.
static void stand_still(rh_sim *sim, const int *row, int n)
{
  rh_data *d = sim->data;
  int from = 0;
  memset(rh_rigid(d)->p, 0, 3 * (size_t)rh_rigid(d)->n * sizeof *rh_rigid(d)->p);
  for (int first = 0, end; first < rh_rigid(d)->n; first = end) {
    int to = from;
    end = rh_rigid_island(d, first);
    while (to < n && row[to] < 3 * end) {
      to++;
    }
    if (to > from) {
      stop_rows(d, row + from, to - from);
    }
    from = to;
  }
  (void)give_impulses(sim);
}

// A lower hop is treated as rest. [m]
static const double LOWEST = 1e-12;

// Rows to be stopped: contacts that hardly separate or slip and are pressed together, and those at
// rest already.
static int resting_rows(rh_data *d, int *row, bool *slow)
{
  int n = 0;
  *slow = false;
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    const double *u = rh_rigid(d)->u + 3 * (size_t)i;
    double pull = -rh_rigid(d)->b[3 * i + 2];
    double rest = fmax(d->model->run.rest_speed, sqrt(2 * fmax(pull, 0) * LOWEST));
    if (u[2] > fmax(rest, RH_TOL_SLIP) || pull <= 0) {
      continue;
    }
    double slip = rh_hypot(u[0], u[1]);
    bool sticks = slip <= fmax(d->model->run.rest_speed, RH_TOL_SLIP) && law_of(d, i)->mu_s > 0;
    *slow = *slow || fabs(u[2]) > RH_TOL_SLIP || (sticks && slip > RH_TOL_SLIP);
    for (int axis = sticks ? 0 : 2; axis < 3; axis++) {
      row[n++] = 3 * i + axis;
    }
  }
  return n;
}

// Removes the speed of contacts that leave or slip too slowly to count.
static void come_to_rest(rh_sim *sim)
{
  bool slow;
  rh_rigid_accelerations(sim->data);
  int n = resting_rows(sim->data, rh_rigid(sim->data)->row, &slow);
  if (slow) {
    stand_still(sim, rh_rigid(sim->data)->row, n);
  }
}

// ---- All impacts

static void gather_contacts(rh_data *d, rh_closed least)
{
  rh_sim_evaluate(d);
  rh_rigid_gather(d, least);
  rh_rigid_inertia(d);
  fill_velocities(d);
}

double rh_rigid_approach(rh_sim *sim)
{
  rh_data *d = sim->data;
  rh_sim_evaluate(d);
  rh_rigid_gather(d, RH_CLOSED_IN_IMPACT);
  fill_velocities(d);
  int found = fastest_closing(d, 0, rh_rigid(d)->n);
  return found == RH_NONE ? 0 : -rh_rigid(d)->u[3 * found + 2];
}

bool rh_rigid_impacts(rh_sim *sim)
{
  rh_data *d = sim->data;
  if (d->model->nrigid == 0) {
    return false;
  }
  double before = rh_ledger_open(sim);
  gather_contacts(d, RH_CLOSED_IN_IMPACT);
  if (!any_approaches(d)) {
    return false;
  }
  rh_dry_release(sim);
  gather_contacts(d, RH_CLOSED_IN_IMPACT);
  do {
    (void)impact_islands(sim);
    if (give_impulses(sim)) {
      break;
    }
    gather_contacts(d, RH_CLOSED_IN_IMPACT); // a released joint takes part now
  } while (true);
  report_impacts(sim);
  check_impacts(sim);
  for (int k = 0; k < d->ncontact; k++) {
    bool active = rh_slot_mode(d, k) == RH_CLOSED_IN_IMPACT;
    if (!rh_slot_stepped(d, k)) {
      rh_slot_set_mode(d, k, active ? RH_CLOSED_DEALT : RH_CLOSED_IDLE); // to be decided anew
    }
  }
  gather_contacts(d, RH_CLOSED_IDLE);
  come_to_rest(sim);
  (void)rh_ledger_close(sim, before);
  return true;
}

// Contacts that were held closed, or stuck, have moved only by the integrator's error: it is
// removed.
void rh_rigid_hold(rh_sim *sim)
{
  rh_data *d = sim->data;
  int n = 0;
  if (d->model->nrigid == 0) {
    return;
  }
  gather_contacts(d, RH_CLOSED_STICK);
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    bool sticks = rh_slot_mode(d, rh_rigid(d)->slot[i]) == RH_CLOSED_STICK;
    for (int axis = sticks ? 0 : 2; axis < 3; axis++) {
      rh_rigid(d)->row[n++] = 3 * i + axis;
    }
  }
  if (n > 0) {
    double before = rh_ledger_open(sim);
    stand_still(sim, rh_rigid(d)->row, n);
    (void)rh_ledger_close(sim, before);
  }
}

// Effect of a unit of normal force, with its friction, on the normal acceleration of contact i:
// below zero it presses the contact in, and no finite force holds it.
static void tell_jam(rh_sim *sim, int i)
{
  const rh_data *d = sim->data;
  size_t rows = 3 * (size_t)rh_rigid(d)->n;
  const double *W = rh_rigid(d)->W + (3 * (size_t)i + 2) * rows + 3 * (size_t)i;
  const double *u = rh_rigid(d)->u + 3 * (size_t)i;
  double mu = law_of(d, i)->mu_k;
  double speed = rh_hypot(u[0], u[1]);
  char text[RH_NOTE_MAX];
  snprintf(text, sizeof text,
           "sliding friction leaves no finite force (W_nn - mu W_nt = %.4g 1/kg at mu = %g, slip "
           "%.4g m/s); an impulse "
           "ended the slip",
           W[2] - mu * (W[0] * u[0] + W[1] * u[1]) / speed, mu, speed);
  rh_diagnosis_report(sim, RH_EVENT_JAM, rh_rigid(d)->slot[i], speed, text);
}

bool rh_rigid_jam(rh_sim *sim, int first, int end)
{
  rh_data *d = sim->data;
  int jammed = RH_NONE;
  double before = rh_ledger_open(sim);
  fill_velocities(d);
  memset(rh_rigid(d)->p, 0, 3 * (size_t)rh_rigid(d)->n * sizeof *rh_rigid(d)->p);
  for (int i = first; i < end; i++) {
    island_impact x;
    if (rh_hypot(rh_rigid(d)->u[3 * i], rh_rigid(d)->u[3 * i + 1]) <= RH_TOL_SLIP) {
      continue;
    }
    open_impact(sim, i, i + 1, &x);
    x.u[2] = 0; // it neither closes nor opens
    x.solved = resolve_contacts(&x, true);
    if (x.p[2] > 0) {
      keep_impact(&x);
      jammed = i;
      break; // one at a time: the next round includes its effect
    }
  }
  if (jammed != RH_NONE && give_impulses(sim)) {
    report_impacts(sim);
    tell_jam(sim, jammed);
    (void)rh_ledger_close(sim, before);
  }
  return jammed != RH_NONE;
}
