// The engine `haptic`: ticks of the haptic loop, offline: hand and device are those of
// the scene. Runs, recordings, plots and comparisons show the results of `routh haptic` in real
// time.
#include "step.h"

#include <math.h>
#include <stdio.h>

static const rh_param param[] = {
    {"dt", "s", 0.001953125, RH_TIME_MIN, 1, "length of a tick", RH_NUMBER, 0, NULL, false},
};

typedef struct ticker {
  rh_haptic_link link;
  rh_sim *sim;
  rh_geom *geom;   // the shapes at the end of a tick (nshape)
  double thinnest; // [m] of the bounded shapes
  bool bends;      // the mobility of tool or device changes with the posture
  char reason[256];
  rh_step_stats stats;
} ticker;

// Do other bodies hang on one of the two, or it on others?
static bool has_linkage(const rh_model *m)
{
  const rh_model_haptic *k = &m->haptic;
  int members = 0;
  for (int i = 1; k->device != RH_NONE && i < m->nbody; i++) {
    members +=
        m->body[i].tree == m->body[k->tool].tree || m->body[i].tree == m->body[k->device].tree;
  }
  return members > 2;
}

static rh_status create_engine(rh_sim *sim, rh_diag *diag, void **self)
{
  const rh_model *m = sim->model;
  ticker *t = rh_alloc(sizeof *t + (size_t)m->nshape * sizeof(rh_geom));
  if (!t) {
    return RH_OUT_OF_MEMORY;
  }
  t->sim = sim;
  t->geom = (rh_geom *)(t + 1);
  t->thinnest = HUGE_VAL;
  t->bends = has_linkage(m);
  for (int i = 0; i < m->nshape; i++) {
    bool bounded = rh_shape_bounded(m->shape[i].kind);
    t->thinnest = bounded ? fmin(t->thinnest, m->shape[i].width) : t->thinnest;
  }
  rh_status status = rh_haptic_create(t->sim->model, diag, &t->link.h);
  if (status != RH_OK) {
    rh_free(t);
    return status;
  }
  *self = t;
  return RH_OK;
}

static void count_restart(void *self, rh_restart why)
{
  (void)why;
  ((ticker *)self)->stats.restarts++;
}

static void report_impacts(ticker *t, double at)
{
  int n;
  const rh_haptic_contact *c = rh_haptic_contacts(t->link.h, &n);
  int together = 0;
  for (int i = 0; i < n; i++) {
    together += c[i].struck && c[i].p != 0;
  }
  for (int i = 0; i < n; i++) {
    if (!c[i].struck || c[i].p == 0) {
      continue;
    }
    const char *name = rh_model_name(t->sim->model, RH_OBJECT_CONTACT, c[i].contact.rule);
    rh_event e = rh_sim_event(t->sim, RH_EVENT_IMPACT, name, RH_NONE);
    e.t = at;
    e.slot = c[i].slot;
    rh_event_name_bodies(t->sim->model, &e, c[i].contact.a, c[i].contact.b);
    e.point[0] = c[i].contact.point.x;
    e.point[1] = c[i].contact.point.y;
    e.point[2] = c[i].contact.point.z;
    e.before = c[i].before;
    e.after = c[i].after;
    e.impulse = c[i].p;
    e.work = c[i].work;
    e.Dn = -e.work;
    if (c[i].p < 0) {
      snprintf(e.note, sizeof e.note,
               "the impulse pulls: equalities hold contacts that collide at the same time");
    }
    rh_sim_note_impact(t->sim, c[i].before, c[i].after, together == 1);
    rh_sim_emit_event(t->sim, &e);
  }
}

// The first one is reported, all are counted.
static void report_unresolved(ticker *t, double at)
{
  long *count = &t->sim->verdicts[RH_EVENT_UNSOLVED];
  int n = t->link.h->unresolved;
  if (n > 0 && *count == 0) {
    rh_event e = rh_sim_event(t->sim, RH_EVENT_UNSOLVED, "", RH_NONE);
    e.t = at;
    snprintf(e.note, sizeof e.note,
             "no impulses were found for a collision, and none acted; take another "
             "run.multi_impact, or haptic.collide: map");
    rh_sim_emit_diagnosis(t->sim, &e);
    n--;
  }
  *count += n;
}

// A tool or body that was pressed in by more than half its thinner shape
static rh_passed_pair find_pierced(const ticker *t)
{
  const rh_model *m = t->sim->model;
  int n;
  const rh_haptic_contact *c = rh_haptic_contacts(t->link.h, &n);
  for (int i = 0; i < n; i++) {
    const int *pair = c[i].contact.shape;
    if (!isinf(m->shape[pair[1]].width) && c[i].contact.depth > rh_pair_deep(m, pair[0], pair[1])) {
      return (rh_passed_pair){c[i].contact.rule, {pair[0], pair[1]}, c[i].contact.depth};
    }
  }
  return (rh_passed_pair){.contact = RH_NONE};
}

// Can any shape have gone far enough in this tick to pass another?
static bool is_hurried(const ticker *t)
{
  static const double PART = 0.125; // of the thinnest: two shapes that go half of a quarter each
  const rh_data *d = t->sim->data;
  double longest = 0;
  for (int i = 0; i < d->model->nshape; i++) {
    const rh_model_shape *s = &d->model->shape[i];
    const rh_kin_body *k = &d->kin[s->body];
    double arm = s->reach + rh_norm(s->place.p);
    longest = fmax(longest, rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm);
  }
  return longest * rh_haptic_dt(t->link.h) > PART * t->thinnest;
}

static bool pair_passes(const rh_model *m, int a, int b, const rh_geom *from, const rh_geom *to)
{
  return rh_pair_passes(m, (int[]){a, b}, (const rh_geom *[]){&from[a], &from[b]},
                        (const rh_geom *[]){&to[a], &to[b]});
}

// Two shapes that went through one another in this tick (collision/pair_passing.c). d->geom has them at its start.
static rh_passed_pair find_passed(ticker *t)
{
  rh_data *d = t->sim->data;
  const rh_model *m = d->model;
  rh_passed_pair found = {.contact = RH_NONE};
  rh_kinematics(d);
  if (m->nslot == 0 || !is_hurried(t)) {
    return found;
  }
  for (int i = 0; i < m->nshape; i++) {
    t->geom[i] = rh_shape_placed(d, i);
  }
  for (int a = 0; a < m->nshape; a++) {
    for (int b = a + 1; b < m->nshape && found.contact == RH_NONE; b++) {
      int contact = rh_shape_pair_of(m, a, b).rule;
      if (contact != RH_NONE && pair_passes(m, a, b, rh_search(d)->geom, t->geom)) {
        found = (rh_passed_pair){contact, {a, b}, 0};
      }
    }
  }
  return found;
}

// A contact that did not keep its shapes separate ends the run.
static rh_status check_passed(ticker *t)
{
  rh_passed_pair pair = find_pierced(t);
  pair = pair.contact == RH_NONE ? find_passed(t) : pair;
  return pair.contact == RH_NONE
             ? RH_OK
             : rh_stop_passed(t->sim->model, &pair, t->reason, sizeof t->reason);
}

static rh_status fail_tick(ticker *t, rh_status status, const char *reason)
{
  snprintf(t->reason, sizeof t->reason, "%s", reason);
  return status;
}

// ---- A coupling too stiff for the tick

enum { POSTURES = 16 }; // ticks from one look at a linkage to the next

static rh_event coupling_event(const ticker *t, double longest)
{
  const rh_model_haptic *k = &t->sim->model->haptic;
  const rh_haptic_coupling *row = rh_haptic_coupling_of(k);
  rh_event e = rh_sim_event(t->sim, RH_EVENT_UNRESOLVED, "", RH_NONE);
  e.body[0] = k->device;
  e.body[1] = k->tool;
  snprintf(e.note, sizeof e.note,
           "the coupling %.24s gains energy at ticks of %.3g s: it is stable below %.3g s; take "
           "run.dt %.1g s, smaller gains of the coupling, or a heavier device or tool",
           row->row.name, rh_haptic_dt(t->link.h), longest, rh_advised_value(longest));
  return e;
}

// At the first tick, and as a linkage moves, until it was reported. False: the run ends.
static bool judge_coupling(ticker *t)
{
  rh_data *d = t->sim->data;
  rh_sim *sim = t->sim;
  const rh_hand_in *in = t->link.in;
  bool due = d->haptic->ticks == 0 || (t->bends && fmod(d->haptic->ticks, POSTURES) == 0);
  if (!due || sim->verdicts[RH_EVENT_UNRESOLVED] > 0) {
    return true;
  }
  double longest = rh_haptic_longest_tick(t->link.h, d, in && in->live && in->has_pose);
  if (longest >= rh_haptic_dt(t->link.h)) {
    return true;
  }
  rh_event e = coupling_event(t, longest);
  if (sim->model->run.unresolved == RH_UNRESOLVED_REFUSE) {
    char bodies[RH_BODIES_MAX];
    rh_event_bodies(sim->model, &e, bodies);
    snprintf(sim->reason, sizeof sim->reason, "at t = %.9g s, %.80s: %s", e.t, bodies, e.note);
    return false;
  }
  rh_sim_emit_diagnosis(sim, &e);
  return !sim->stop;
}

enum { CALL_WORK = 4096 }; // ticks, and contacts in them; then the loop reads the clock

static rh_status advance_engine(void *self, double t_out, double limit)
{
  (void)limit; // nothing is located
  ticker *t = self;
  rh_data *d = t->sim->data;
  double dt = rh_haptic_dt(t->link.h);
  double close =
      1e-9 * dt; // times are multiples of dt, frames of record.every: equal but for rounding
  for (int work = 0; *d->t < t_out - close && work < CALL_WORK;) {
    double at = *d->t;
    rh_sensors_note_step(d);
    if (!judge_coupling(t)) {
      return t->sim->stop ? RH_OK : RH_STOPPED;
    }
    rh_haptic_tick(t->link.h, d, t->link.in, &t->link.out);
    work += 1 + (int)d->haptic->contacts;
    t->stats.steps++;
    t->stats.evaluations++;
    t->sim->impact.deepest = fmax(t->sim->impact.deepest, d->haptic->depth);
    report_impacts(t, at);
    report_unresolved(t, at);
    double sum = 0;
    for (int k = 0; k < t->sim->model->nv; k++) {
      sum += d->v[k];
    }
    if (!isfinite(sum)) {
      return fail_tick(t, RH_NOT_FINITE,
                       "the tick is too long for these contacts, or this coupling");
    }
    if (t->link.h->full) {
      return fail_tick(t, RH_STOPPED, "more contact points at a time than run.contacts allows");
    }
    RH_TRY(check_passed(t));
  }
  if (*d->t < t_out && *d->t >= t_out - close) {
    *d->t = t_out;
  }
  return RH_OK;
}

static const char *failure_reason(const void *self)
{
  return ((const ticker *)self)->reason;
}

static void read_stats(const void *self, rh_step_stats *out)
{
  *out = ((const ticker *)self)->stats;
}

static void destroy_engine(void *self)
{
  ticker *t = self;
  if (t) {
    rh_haptic_destroy(t->link.h);
  }
  rh_free(t);
}

const rh_engine rh_engine_haptic = {
    .row = {"haptic", "[CSC]", "ticks of the haptic loop: contacts, impulses and penalties, a hand",
            param, RH_COUNT(param)},
    .loop_rows = true,
    .compliant = true,
    .friction_states = true,
    .energy = {.residue = 5e-2},
    .early_impacts = true,
    .haptic = true,
    .stepper = "haptic",
    .create = create_engine,
    .restart = count_restart,
    .advance = advance_engine,
    .evaluate = rh_evaluate_motion,
    .reason = failure_reason,
    .stats = read_stats,
    .destroy = destroy_engine,
};

rh_haptic_link *rh_haptic_link_of(rh_sim *sim)
{
  return sim->model->run.engine == &rh_engine_haptic ? &((ticker *)sim->engine)->link : NULL;
}
