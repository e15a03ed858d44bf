// watch.c: counts the events of each tree of bodies. The count of a tree falls by one in each step
// h of the time stepping; where it exceeds the limit, events come faster than steps would, for
// longer than a sequence of bounces that ends by itself. Work of the integrator counts too. Nothing here depends on a
// clock.
#include "impact/impact.h"
#include "storm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LIMIT = 100;           // events
static const double STEPS_OF_EVENT = 1000; // of the integrator, that count as one event
static const double SEARCHED = 36; // contacts, a search for whose forces counts as one event
static const double LABOUR = 5; // events, that a thousand steps count which advance by less than h
static const double UNSOLVED = 20; // events, that an impact counts to which no impulses fit
static const double CONTACTS = 10; // rigid ones, that double the weight of an event: it costs more

// Step of time stepping by tolerance: rtol^(1/4) of the time in which the smallest moving shape
// falls by its size; integrators with a fixed step use theirs if that is less.
static double storm_step(const rh_model *m)
{
  static const double TIME = 0.1; // [s] without gravity
  static const double USUAL = 1e-8;
  const rh_row *row = m->run.integrator;
  double size = HUGE_VAL;
  double rtol = USUAL;
  double dt = HUGE_VAL;
  for (int i = 0; i < m->nshape; i++) {
    bool moves = m->body[m->shape[i].body].tree != 0 && rh_shape_bounded(m->shape[i].kind);
    size = moves ? fmin(size, m->shape[i].reach) : size;
  }
  for (int i = 0; i < row->nparam; i++) {
    rtol = strcmp(row->param[i].name, "rtol") == 0 ? m->run.integrator_par[i] : rtol;
    dt = strcmp(row->param[i].name, "dt") == 0 ? m->run.integrator_par[i] : dt;
  }
  double g = rh_norm(m->gravity);
  double time = g > 0 && isfinite(size) ? fmin(sqrt(size / g), TIME) : TIME;
  return fmin(dt, time * sqrt(sqrt(rtol)));
}

rh_status rh_storm_open(rh_event_engine *engine)
{
  size_t n = (size_t)engine->sim->model->nbody;
  rh_storm *s = &engine->storm;
  *s = (rh_storm){.step = storm_step(engine->sim->model), .end = HUGE_VAL, .loose = 1};
  s->run = engine->sim->model->run;
  s->run.multi_impact = &rh_formulation_simultaneous.row;
  rh_row_defaults(s->run.multi_impact, s->run.multi_impact_par);
  s->tree = rh_alloc(n * sizeof *s->tree + (size_t)engine->sim->model->nslot * sizeof *s->cut);
  if (!s->tree) {
    return RH_OUT_OF_MEMORY;
  }
  s->cut = (double *)(void *)(s->tree + n);
  rh_storm_forget(engine);
  return RH_OK;
}

void rh_storm_close(rh_event_engine *engine)
{
  rh_free(engine->storm.tree);
}

static long integrator_steps(const rh_event_engine *engine)
{
  rh_step_stats stats = {0};
  engine->row->stats(engine->integrator, &stats);
  return stats.steps;
}

void rh_storm_forget(rh_event_engine *engine)
{
  rh_storm *s = &engine->storm;
  memset(s->tree, 0, (size_t)engine->sim->model->nbody * sizeof *s->tree);
  s->steps = engine->integrator ? integrator_steps(engine) : 0;
  s->yielded = -HUGE_VAL;
  s->gain = rh_norm(engine->sim->model->gravity);
  s->over = false;
  s->impacts = 0;
  s->part = RH_STORM_FIRST;
}

// Cost of an event or of a step by the number of rigid contacts that are not stepped
static double cost_factor(const rh_data *d)
{
  int rigid = 0;
  for (int k = 0; k < d->ncontact; k++) {
    rigid += rh_slot_rigid(d, k) && !rh_slot_stepped(d, k);
  }
  return 1 + rigid / CONTACTS;
}

void rh_storm_begin_event(rh_event_engine *engine)
{
  rh_storm *s = &engine->storm;
  long steps = integrator_steps(engine);
  s->weight = (1 + (double)(steps - s->steps) / STEPS_OF_EVENT) * cost_factor(engine->sim->data);
  s->steps = steps;
  s->serial++;
}

static void raise_level(rh_event_engine *engine, int tree, double weight)
{
  rh_storm *s = &engine->storm;
  rh_storm_tree *x = &s->tree[tree];
  double t = *engine->sim->data->t;
  x->level = fmax(0, x->level - fmax(0, t - x->last) / s->step) + weight;
  x->last = t;
  s->over = s->over || x->level > LIMIT;
}

static void count_tree(rh_event_engine *engine, int tree)
{
  rh_storm_tree *x = &engine->storm.tree[tree];
  if (tree == 0 || x->serial == engine->storm.serial) {
    return;
  }
  x->serial = engine->storm.serial;
  raise_level(engine, tree, engine->storm.weight);
}

void rh_storm_count(rh_sim *sim, int slot)
{
  const rh_model *m = sim->model;
  const rh_slot *x = &sim->data->slot[slot];
  if (x->used != 0 && !rh_slot_stepped(sim->data, slot)) {
    count_tree(rh_event_engine_of(sim), m->body[m->shape[(int)x->a].body].tree);
    count_tree(rh_event_engine_of(sim), m->body[m->shape[(int)x->b].body].tree);
  }
}

void rh_storm_count_limit(rh_sim *sim, int k)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  int tree = sim->model->body[sim->model->dof[k].body].tree;
  if (!engine->storm.tree[tree].stepped) {
    count_tree(engine, tree);
  }
}

double rh_storm_interval(const rh_sim *sim, int k)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  return s->tree[sim->model->body[sim->model->dof[k].body].tree].stepped ? s->step : 0;
}

static int tree_of_slot(const rh_sim *sim, int slot)
{
  const rh_contact *c = &sim->data->contact[slot];
  int tree = sim->model->body[c->a].tree;
  return tree ? tree : sim->model->body[c->b].tree;
}

void rh_storm_count_unsolved(rh_sim *sim, int slot)
{
  raise_level(rh_event_engine_of(sim), tree_of_slot(sim, slot), UNSOLVED);
}

void rh_storm_count_searches(rh_sim *sim)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  const rh_rigid_system *r = rh_rigid(sim->data);
  if (sim->model->nrigid == 0 || r->searched <= 0) {
    return;
  }
  double part = r->searched / SEARCHED;
  raise_level(engine, tree_of_slot(sim, r->searched_slot), part * part);
}

bool rh_storm_over(const rh_sim *sim, int tree)
{
  return rh_event_engine_of(sim)->storm.tree[tree].level > LIMIT;
}

// The tree that state i of the integrator belongs to; 0: none
static int tree_of_state(const rh_data *d, int i)
{
  const rh_model *m = d->model;
  int cell = i - m->nq - m->nv - m->layout.nwork;
  int slot = i < m->layout.nfixed ? cell / (m->layout.ncell > 0 ? m->layout.ncell : 1)
                                  : (i - m->layout.nfixed) / RH_SLOT_STATES;
  if (i >= m->layout.nfixed - m->layout.nact && i < m->layout.nfixed) {
    return 0; // of an actuator
  }
  if (i >= m->nq && i < m->nq + m->nv) {
    return m->body[m->dof[i - m->nq].body].tree;
  }
  for (int k = m->nbody - 1; k > 0 && i < m->nq; k--) {
    if (m->body[k].qadr <= i && m->body[k].nv > 0) {
      return m->body[k].tree;
    }
  }
  if (i < m->nq + m->nv + m->layout.nwork || slot >= d->ncontact || d->slot[slot].used == 0) {
    return 0;
  }
  int tree = m->body[m->shape[(int)d->slot[slot].a].body].tree;
  return tree ? tree : m->body[m->shape[(int)d->slot[slot].b].body].tree;
}

// A slot of the tree's contacts, or any; RH_NONE: there is none
static int slot_of_tree(const rh_data *d, int tree)
{
  int found = RH_NONE;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    bool here = c->on && (d->model->body[c->a].tree == tree || d->model->body[c->b].tree == tree);
    found = here || (found == RH_NONE && c->on) ? k : found;
  }
  return found;
}

void rh_storm_watch_tolerance(rh_event_engine *engine)
{
  rh_sim *sim = engine->sim;
  rh_storm *s = &engine->storm;
  double loose = engine->row->loose ? engine->row->loose(engine->integrator) : 1;
  int state = loose > s->loose ? engine->row->worst(engine->integrator) : RH_NONE;
  int slot = state == RH_NONE ? RH_NONE : slot_of_tree(sim->data, tree_of_state(sim->data, state));
  if (slot != RH_NONE) {
    char text[RH_NOTE_MAX];
    snprintf(text, sizeof text,
             "the force jumps to and fro and lets no step pass; until motion is smooth again the "
             "tolerance "
             "is exceeded by a factor of %g; a contact of faces or a coarser rtol may help",
             loose);
    rh_diagnosis_report(sim, RH_EVENT_COARSE, slot, loose, text);
  }
  s->loose = loose;
}

static bool tree_has_rigid(const rh_data *d, int tree)
{
  bool any = false;
  for (int k = 0; k < d->ncontact; k++) {
    const rh_contact *c = &d->contact[k];
    bool here = c->on && (d->model->body[c->a].tree == tree || d->model->body[c->b].tree == tree);
    any = any || (here && rh_slot_rigid(d, k) && !rh_slot_stepped(d, k));
  }
  return any;
}

// The tree whose rigid contacts bound the steps of the integrator; 0: none
static int blamed_tree(const rh_event_engine *engine)
{
  int state = engine->row->worst ? engine->row->worst(engine->integrator) : RH_NONE;
  int tree = state == RH_NONE ? 0 : tree_of_state(engine->sim->data, state);
  return tree != 0 && tree_has_rigid(engine->sim->data, tree) ? tree : 0;
}

bool rh_storm_labours(rh_event_engine *engine)
{
  rh_storm *s = &engine->storm;
  double t = *engine->sim->data->t;
  bool slow = t - s->yielded < s->step;
  double factor = cost_factor(engine->sim->data);
  s->yielded = t;
  int tree = slow ? blamed_tree(engine) : 0;
  if (tree != 0) {
    raise_level(engine, tree, LABOUR * factor * factor);
  }
  return s->over;
}

// Where the state to blame is not known, all islands are taken over.
bool rh_storm_stuck(rh_event_engine *engine)
{
  const rh_sim *sim = engine->sim;
  int tree = blamed_tree(engine);
  bool any = tree != 0;
  if (any) {
    raise_level(engine, tree, 2 * LIMIT);
  }
  for (int k = 0; k < sim->data->ncontact && tree == 0; k++) {
    if (rh_slot_rigid(sim->data, k) && !rh_slot_stepped(sim->data, k)) {
      raise_level(engine, tree_of_slot(sim, k), 2 * LIMIT);
      any = true;
    }
  }
  return any;
}

double rh_storm_speed(const rh_sim *sim)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  return fmax(sim->model->run.rest_speed, 2 * s->step * s->gain);
}

// More contacts in an impact of stepped ones use the formulation `simultaneous`.
enum { IMPACT_MANY = 4 };

const rh_model_run *rh_storm_impact_run(const rh_sim *sim, int n)
{
  const rh_storm *s = &rh_event_engine_of(sim)->storm;
  return s->in_impact && n > IMPACT_MANY ? &s->run : &sim->model->run;
}
