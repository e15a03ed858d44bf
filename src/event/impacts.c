// Impulses between rigid bodies (stage 9). All touching contacts within an island take part;
// approaching bodies are separated by the law of the contact that closes fastest:
//   one contact       its path in space (impact/spatial_path.c)
//   several           by the scene's formulation (impact/form_*.c): together by default
// Contacts that leave or slip more slowly than the run's rest_speed and are pressed back stay: so
// ends a sequence of ever smaller bounces.
// Limits that hold a joint take impulses too, and release it if they would have to pull.
#include "rigid.h"

#include "impact/impact.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct blow { // one island with an impact
  rh_sim *sim;
  int first, end;
  const rh_impact_law *law;
  double *W, *u, *after, *p, *mu, *e, *weight; // (9 n^2), (3 n) ..., (n)
  double *lost;                                // D_n and D_t of each contact in turn (2 n)
  double *room;
  bool gained, solved;
} blow;

static int size_of(const blow *x)
{
  return x->end - x->first;
}

static const rh_model_contact *law_of(const rh_data *d, int i)
{
  return &d->model->contact[d->con[d->rigid[i]].contact];
}

// Velocities at the contacts, rows t1, t2, n, into d->uc
static void fill_velocities(rh_data *d)
{
  for (int i = 0; i < d->nrigid; i++) {
    const rh_contact *c = &d->con[d->rigid[i]];
    d->uc[3 * i] = c->slip[0];
    d->uc[3 * i + 1] = c->slip[1];
    d->uc[3 * i + 2] = -c->rate;
  }
}

// The contact that closes fastest, RH_NONE if none does.
static int fastest_closing(const rh_data *d, int first, int end)
{
  int found = RH_NONE;
  double most = RH_TOL_SLIP;
  for (int i = first; i < end; i++) {
    if (-d->uc[3 * i + 2] > most) {
      most = -d->uc[3 * i + 2];
      found = i;
    }
  }
  return found;
}

static bool any_approaches(const rh_data *d)
{
  return fastest_closing(d, 0, d->nrigid) != RH_NONE;
}

static void open_blow(rh_sim *sim, int first, int end, blow *x)
{
  rh_data *d = sim->data;
  size_t n = (size_t)(end - first);
  *x = (blow){.sim = sim, .first = first, .end = end, .W = d->room};
  x->law =
      law_of(d, fastest_closing(d, first, end) == RH_NONE ? first : fastest_closing(d, first, end))
          ->impact;
  x->u = x->W + 9 * n * n;
  x->after = x->u + 3 * n;
  x->p = x->after + 3 * n;
  x->mu = x->p + 3 * n;
  x->e = x->mu + n;
  x->weight = x->e + n;
  x->lost = x->weight + n;
  x->room = x->lost + 2 * n;
  rh_rigid_block(d, first, end, x->W);
  memcpy(x->u, d->uc + 3 * first, 3 * n * sizeof *x->u);
  for (int i = first; i < end; i++) {
    x->mu[i - first] = law_of(d, i)->mu_k;
    x->e[i - first] = law_of(d, i)->e;
    x->weight[i - first] = d->con[d->rigid[i]].area;
  }
}

static bool strike_one(blow *x)
{
  const rh_model_contact *c = law_of(x->sim->data, x->first);
  rh_point_in in = {.mu_s = c->mu_s, .mu_k = c->mu_k, .e = c->e};
  rh_point_out out;
  memcpy(in.W, x->W, sizeof in.W);
  memcpy(in.u, x->u, sizeof in.u);
  bool good = rh_point_impact(x->law, &in, &out);
  memcpy(x->p, out.p, sizeof out.p);
  memcpy(x->after, out.u, sizeof out.u);
  x->lost[0] = out.Dn;
  x->lost[1] = out.Dt;
  x->gained = out.gained;
  return good;
}

static bool strike_many(blow *x)
{
  const rh_many_in in = {.n = size_of(x),
                         .W = x->W,
                         .u = x->u,
                         .mu = x->mu,
                         .e = x->e,
                         .law = x->law,
                         .weight = x->weight,
                         .lost = x->lost};
  const rh_model *m = x->sim->model;
  rh_many_out out;
  bool good = m->impacts->strike(&in, m->impacts_par, x->room, x->p, x->after, &out);
  x->gained = out.gained;
  return good;
}

// ---- Giving impulses

// Velocities under the impulses d->pc of all gathered contacts. False: a limit would have had to
// pull and was released.
static bool give_impulses(rh_sim *sim)
{
  rh_data *d = sim->data;
  int nv = d->model->nv;
  double *g = d->scratch + 3 * (size_t)nv; // the others are rh_rigid_jacobian's
  memset(g, 0, (size_t)nv * sizeof *g);
  for (int i = 0; i < d->nrigid; i++) {
    const double *p = d->pc + 3 * (size_t)i;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) {
      continue;
    }
    rh_rigid_jacobian(d, i);
    const double *J = d->Jc;
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
static void keep_blow(const blow *x)
{
  rh_data *d = x->sim->data;
  for (int i = 0; i < size_of(x); i++) {
    rh_contact_impact *kept = &d->blow[x->first + i];
    kept->before = x->u[3 * i + 2];
    kept->after = x->after[3 * i + 2];
    kept->Dn = x->lost[2 * i];
    kept->Dt = x->lost[2 * i + 1];
    kept->gained = x->gained;
    kept->solved = x->solved;
  }
  memcpy(d->pc + 3 * x->first, x->p, 3 * (size_t)size_of(x) * sizeof *d->pc);
}

static void tell_blows(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int i = 0; i < d->nrigid; i++) {
    const double *p = d->pc + 3 * (size_t)i;
    const rh_contact_impact *kept = &d->blow[i];
    if (p[2] == 0) {
      continue;
    }
    rh_event e = rh_contact_event(sim, RH_EVENT_IMPACT, d->rigid[i]);
    e.before = kept->before;
    e.after = kept->after;
    e.impulse = p[2];
    e.friction = hypot(p[0], p[1]);
    e.Dn = kept->Dn;
    e.Dt = kept->Dt;
    e.work = -(e.Dn + e.Dt);
    rh_sim_note_impact(sim, kept->before, kept->after);
    rh_sim_emit_event(sim, &e);
  }
}

// In a jam nothing approaches, and one contact alone has an impact.
int rh_sim_impact_contacts(const rh_sim *sim, const rh_event *event, int *first)
{
  const rh_data *d = sim->data;
  for (int begin = 0, end; begin < d->nrigid; begin = end) {
    end = rh_rigid_island(d, begin);
    for (int i = begin; i < end; i++) {
      if (d->rigid[i] == event->slot) {
        bool jam = fastest_closing(d, begin, end) == RH_NONE;
        *first = jam ? i : begin;
        return jam ? 1 : end - begin;
      }
    }
  }
  *first = 0;
  return 0;
}

// Verdicts on whole islands: inexact solutions, energy gained by the law
static void judge_blows(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int first = 0, end; first < d->nrigid; first = end) {
    double loss = 0;
    end = rh_rigid_island(d, first);
    for (int i = first; i < end; i++) {
      loss += d->pc[3 * i + 2] == 0 ? 0 : d->blow[i].Dn + d->blow[i].Dt;
    }
    if (!d->blow[first].solved) {
      rh_verdict_tell(sim, RH_EVENT_UNSOLVED, d->rigid[first], 0,
                      "no impulses satisfy the contacts exactly; the nearest were used");
    }
    if (d->blow[first].gained) {
      rh_verdict_gain(sim, d->rigid[first], loss);
    }
  }
}

// All islands with an impact at this instant.
static bool strike_islands(rh_sim *sim)
{
  rh_data *d = sim->data;
  bool any = false;
  memset(d->pc, 0, 3 * (size_t)d->nrigid * sizeof *d->pc);
  for (int first = 0, end; first < d->nrigid; first = end) {
    blow x;
    end = rh_rigid_island(d, first);
    d->blow[first] = (rh_contact_impact){.solved = true};
    if (fastest_closing(d, first, end) != RH_NONE) {
      open_blow(sim, first, end, &x);
      bool one = end - first == 1 && !sim->model->impacts->alone;
      x.solved = one ? strike_one(&x) : strike_many(&x);
      keep_blow(&x);
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
  size_t rows = 3 * (size_t)d->nrigid;
  double *A = d->room;
  double *b = A + size * size;
  double *x = b + size;
  for (size_t r = 0; r < size; r++) {
    for (size_t s = 0; s < size; s++) {
      A[r * size + s] = d->Wc[(size_t)row[r] * rows + (size_t)row[s]];
    }
    b[r] = -d->uc[row[r]];
  }
  (void)rh_lstsq(n, n, A, b, RH_TOL_RANK, x + size, x, NULL);
  for (size_t r = 0; r < size; r++) {
    d->pc[row[r]] = x[r];
  }
}

// Impulses that stop the given rows, in order. They take energy and never add any: the result is
// the nearest motion without those rows. Island by island: d->Wc has no entries between them.
static void stand_still(rh_sim *sim, const int *row, int n)
{
  rh_data *d = sim->data;
  int from = 0;
  memset(d->pc, 0, 3 * (size_t)d->nrigid * sizeof *d->pc);
  for (int first = 0, end; first < d->nrigid; first = end) {
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
  for (int i = 0; i < d->nrigid; i++) {
    const double *u = d->uc + 3 * (size_t)i;
    double pull = -d->bc[3 * i + 2];
    double rest = fmax(d->model->rest_speed, sqrt(2 * fmax(pull, 0) * LOWEST));
    if (u[2] > fmax(rest, RH_TOL_SLIP) || pull <= 0) {
      continue;
    }
    double slip = hypot(u[0], u[1]);
    bool sticks = slip <= fmax(d->model->rest_speed, RH_TOL_SLIP) && law_of(d, i)->mu_s > 0;
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
  int n = resting_rows(sim->data, sim->data->rigid_row, &slow);
  if (slow) {
    stand_still(sim, sim->data->rigid_row, n);
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

bool rh_rigid_strike(rh_sim *sim)
{
  rh_data *d = sim->data;
  if (d->model->nrigid == 0) {
    return false;
  }
  double before = rh_ledger_open(sim);
  gather_contacts(d, RH_CLOSED_STRUCK);
  if (!any_approaches(d)) {
    return false;
  }
  rh_dry_release(sim);
  gather_contacts(d, RH_CLOSED_STRUCK);
  do {
    (void)strike_islands(sim);
    if (give_impulses(sim)) {
      break;
    }
    gather_contacts(d, RH_CLOSED_STRUCK); // a released joint takes part now
  } while (true);
  tell_blows(sim);
  judge_blows(sim);
  for (int k = 0; k < d->ncon; k++) {
    bool struck = rh_slot_mode(d, k) == RH_CLOSED_STRUCK;
    rh_slot_set_mode(d, k, struck ? RH_CLOSED_DEALT : RH_CLOSED_IDLE); // to be decided anew
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
  for (int i = 0; i < d->nrigid; i++) {
    bool sticks = rh_slot_mode(d, d->rigid[i]) == RH_CLOSED_STICK;
    for (int axis = sticks ? 0 : 2; axis < 3; axis++) {
      d->rigid_row[n++] = 3 * i + axis;
    }
  }
  if (n > 0) {
    double before = rh_ledger_open(sim);
    stand_still(sim, d->rigid_row, n);
    (void)rh_ledger_close(sim, before);
  }
}

// Effect of a unit of normal force, with its friction, on the normal acceleration of contact i:
// below zero it presses the contact in, and no finite force holds it.
static void tell_jam(rh_sim *sim, int i)
{
  const rh_data *d = sim->data;
  size_t rows = 3 * (size_t)d->nrigid;
  const double *W = d->Wc + (3 * (size_t)i + 2) * rows + 3 * (size_t)i;
  const double *u = d->uc + 3 * (size_t)i;
  double mu = law_of(d, i)->mu_k;
  double speed = hypot(u[0], u[1]);
  char text[RH_NOTE_MAX];
  snprintf(text, sizeof text,
           "sliding friction leaves no finite force (W_nn - mu W_nt = %.4g 1/kg at mu = %g, slip "
           "%.4g m/s); an impulse "
           "ended the slip",
           W[2] - mu * (W[0] * u[0] + W[1] * u[1]) / speed, mu, speed);
  rh_verdict_tell(sim, RH_EVENT_JAM, d->rigid[i], speed, text);
}

bool rh_rigid_jam(rh_sim *sim, int first, int end)
{
  rh_data *d = sim->data;
  int jammed = RH_NONE;
  double before = rh_ledger_open(sim);
  fill_velocities(d);
  memset(d->pc, 0, 3 * (size_t)d->nrigid * sizeof *d->pc);
  for (int i = first; i < end; i++) {
    blow x;
    if (hypot(d->uc[3 * i], d->uc[3 * i + 1]) <= RH_TOL_SLIP) {
      continue;
    }
    open_blow(sim, i, i + 1, &x);
    x.u[2] = 0; // it neither closes nor opens
    x.solved = strike_one(&x);
    if (x.p[2] > 0) {
      keep_blow(&x);
      jammed = i;
      break; // one at a time: the next round includes its effect
    }
  }
  if (jammed != RH_NONE && give_impulses(sim)) {
    tell_blows(sim);
    tell_jam(sim, jammed);
    (void)rh_ledger_close(sim, before);
  }
  return jammed != RH_NONE;
}
