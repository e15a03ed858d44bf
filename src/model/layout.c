// Memory of model and data: see layout.h.
#include "layout.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "complement/complement.h"
#include "complement/cone.h"
#include "complement/motions/cone_motions.h"
#include "geometry/broad.h"
#include "impact/impact.h"
#include "math/dense.h"
#include "multibody/multibody.h"
#include "names.h"

#include <stdint.h>
#include <string.h>

int rh_model_count(const rh_model *m, rh_object object)
{
  const int count[RH_OBJECT_COUNT] = {m->nbody,
                                      m->nbody,
                                      m->npoint,
                                      m->nactuator,
                                      m->nforce,
                                      m->nevent,
                                      m->nshape,
                                      m->ncontact,
                                      m->ncontroller,
                                      m->nloop - m->layout.nconstraint,
                                      m->layout.nconstraint,
                                      m->tendons.n,
                                      m->sensors.n};
  return count[object];
}

static void carve_model(rh_carver *c, const rh_model *n, const rh_layout_sizes *sizes,
                        rh_model_parts *p)
{
  (void)rh_carve(c, 1, sizeof(rh_model));
  RH_CARVE(p->body, n->nbody);
  RH_CARVE(p->dof, n->nv);
  RH_CARVE(p->q0, n->nq);
  RH_CARVE(p->v0, n->nv);
  RH_CARVE(p->rest, n->nq);
  RH_CARVE(p->held, n->nbody);
  RH_CARVE(p->loop, n->nloop);
  RH_CARVE(p->point, n->npoint);
  RH_CARVE(p->actuator, n->nactuator);
  RH_CARVE(p->tendon, n->tendons.n);
  RH_CARVE(p->tendon_part, n->tendons.npart);
  RH_CARVE(p->tendon_dof, n->tendons.ndof);
  RH_CARVE(p->force, n->nforce);
  RH_CARVE(p->event, n->nevent);
  RH_CARVE(p->controller, n->ncontroller);
  RH_CARVE(p->sensor, n->sensors.n);
  RH_CARVE(p->shape, n->nshape);
  RH_CARVE(p->contact, n->ncontact);
  RH_CARVE(p->rule, n->rules.n);
  RH_CARVE(p->all, n->nbody);
  RH_CARVE(p->mesh, n->meshes.n);
  RH_CARVE(p->visual, n->meshes.visuals.n);
  RH_CARVE(p->look, n->meshes.visuals.nmesh);
  RH_CARVE(p->track, n->layout.ntrack);
  RH_CARVE(p->trace, (size_t)n->haptic.ntrace * (size_t)n->haptic.width);
  for (int i = 0; i < RH_OBJECT_COUNT; i++) {
    int count = rh_model_count(n, (rh_object)i);
    RH_CARVE(p->name[i], count);
    RH_CARVE(p->index[i], 2 * count); // sorting needs the second half
  }
  RH_CARVE(p->text, sizes->names);
}

rh_model *rh_model_allocate(const rh_model *counts, const rh_layout_sizes *sizes, rh_model_parts *p)
{
  rh_carver c = {NULL, 0};
  carve_model(&c, counts, sizes, p);
  char *block = rh_alloc(c.used);
  if (!block) {
    return NULL;
  }
  c = (rh_carver){block, 0};
  carve_model(&c, counts, sizes, p);
  rh_model *m = (rh_model *)(void *)block;
  *m = *counts;
  m->body = p->body;
  m->dof = p->dof;
  m->start.q0 = p->q0;
  m->start.v0 = p->v0;
  m->start.rest = p->rest;
  m->start.held = p->held;
  m->loop = p->loop;
  m->point = p->point;
  m->actuator = p->actuator;
  m->tendons.of = p->tendon;
  m->tendons.part = p->tendon_part;
  m->tendons.dof = p->tendon_dof;
  m->force = p->force;
  m->event = p->event;
  m->controller = p->controller;
  m->sensors.of = p->sensor;
  m->shape = p->shape;
  m->contact = p->contact;
  m->rules.of = p->rule;
  m->rules.all = p->all;
  m->meshes.of = p->mesh;
  m->meshes.visuals.of = p->visual;
  m->meshes.visuals.mesh = p->look;
  m->haptic.trace = p->trace;
  for (int i = 0; i < RH_OBJECT_COUNT; i++) {
    m->name[i] = (const char *const *)p->name[i];
    m->index[i] = p->index[i];
  }
  return m;
}

static bool same_counts(const rh_model *a, const rh_model *b)
{
  return a->nbody == b->nbody && a->nq == b->nq && a->nv == b->nv && a->layout.ns == b->layout.ns &&
         a->npoint == b->npoint && a->nactuator == b->nactuator && a->nforce == b->nforce &&
         a->nevent == b->nevent && a->nshape == b->nshape && a->ncontact == b->ncontact &&
         a->ncontroller == b->ncontroller && a->layout.nmemory == b->layout.nmemory &&
         a->nslot == b->nslot && a->tendons.n == b->tendons.n && a->sensors.n == b->sensors.n &&
         a->rules.n == b->rules.n && a->haptic.memory == b->haptic.memory &&
         a->run.hand == b->run.hand && a->layout.nstate == b->layout.nstate;
}

static bool same_places(const rh_model *a, const rh_model *b)
{
  for (int i = 0; i < a->nbody; i++) {
    if (a->body[i].joint != b->body[i].joint || a->body[i].parent != b->body[i].parent) {
      return false;
    }
  }
  for (int i = 0; i < a->nactuator; i++) {
    if (a->actuator[i].dof != b->actuator[i].dof ||
        a->actuator[i].tendon != b->actuator[i].tendon ||
        a->actuator[i].state != b->actuator[i].state) {
      return false;
    }
  }
  for (int i = 0; i < a->nshape; i++) {
    if (a->shape[i].body != b->shape[i].body || a->shape[i].kind != b->shape[i].kind) {
      return false;
    }
  }
  for (int i = 0; i < a->rules.n; i++) { // which bodies meet
    if (memcmp(&a->rules.of[i], &b->rules.of[i], sizeof a->rules.of[i]) != 0) {
      return false;
    }
  }
  if (memcmp(a->rules.all, b->rules.all, (size_t)a->nbody * sizeof *a->rules.all) != 0) {
    return false;
  }
  for (int i = 0; i < a->ncontact; i++) {
    if (a->contact[i].places != b->contact[i].places) {
      return false;
    }
  }
  for (int i = 0; i < a->sensors.n; i++) {
    if (a->sensors.of[i].kind != b->sensors.of[i].kind ||
        a->sensors.of[i].memory != b->sensors.of[i].memory) {
      return false;
    }
  }
  for (int i = 0; i < a->ncontroller; i++) {
    if (a->controller[i].kind != b->controller[i].kind) {
      return false;
    }
  }
  return true;
}

static bool same_names(const rh_model *a, const rh_model *b)
{
  for (int object = 0; object < RH_OBJECT_COUNT; object++) {
    for (int i = 0; i < rh_model_count(a, (rh_object)object); i++) {
      const char *x = rh_model_name(a, (rh_object)object, i);
      const char *y = rh_model_name(b, (rh_object)object, i);
      if ((x == NULL) != (y == NULL) || (x != NULL && strcmp(x, y) != 0)) {
        return false;
      }
    }
  }
  return true;
}

bool rh_model_same_layout(const rh_model *a, const rh_model *b)
{
  return same_counts(a, b) && a->run.every == b->run.every && a->run.batch == b->run.batch &&
         same_places(a, b) && same_names(a, b);
}

void rh_model_destroy(rh_model *model)
{
  for (int i = 0; model && i < model->meshes.n; i++) {
    rh_free(model->meshes.of[i]);
  }
  for (int i = 0; model && i < model->meshes.visuals.nmesh; i++) {
    rh_free(model->meshes.visuals.mesh[i]);
  }
  rh_free(model);
}

// ---- data

// The restart state is one run of doubles, in this order. Its length is model->nstate.
static void carve_state(rh_data *d)
{
  const rh_model *m = d->model;
  double *at = d->state;
  d->t = at;
  at += 1;
  d->y = d->q = at;
  at += m->nq;
  d->v = at;
  at += m->nv;
  d->work = at;
  at += m->layout.nwork;
  at += m->layout.ncell * m->nslot;
  d->control.act = at;
  at += m->layout.nact;
  d->s = at;
  at += m->layout.ns;
  d->ny = (int)(at - d->y);
  d->command = (rh_command *)at;
  at += RH_COMMAND_SIZE * m->nactuator;
  d->hold = at;
  at += m->nv;
  d->dry = at;
  at += m->nv;
  d->dyn.tendon_hold = at;
  at += m->layout.ntendon;
  d->dyn.tendon_dry = at;
  at += m->layout.ntendon;
  d->drive = at;
  at += (size_t)m->ncontroller * (size_t)m->nactuator;
  d->ticks = at;
  at += m->ncontroller;
  d->memory = at;
  at += m->layout.nmemory;
  d->fired = at;
  at += m->nevent;
  d->acting = at;
  at += m->nforce;
  d->energy_base = at;
  at += 2;
  d->past = at;
  at += RH_CONTACT_WORK_COUNT * m->ncontact;
  d->loop = at;
  at += RH_LOOP_ROWS * m->nloop;
  d->haptic = (rh_haptic_now *)(void *)at;
  at += m->haptic.memory;
  d->hand = m->run.hand ? (rh_hand *)(void *)at : NULL;
  at += m->run.hand ? RH_HAND_SIZE : 0;
  d->solver = m->run.engine->checks_solution ? (rh_solver_now *)(void *)at : NULL;
  at += d->solver ? RH_SOLVER_NOW_SIZE : 0;
  d->rested = at;
  at += m->layout.nrested;
  d->turn = m->layout.nturn > 0 ? (rh_turn *)(void *)at : NULL;
  at += RH_TURN_SIZE * m->layout.nturn;
  d->control.sensor = at;
  at += m->sensors.nmemory;
  d->used = at;
  at += 1;
  d->slot = (rh_slot *)at;
  at += RH_SLOT_SIZE * m->nslot;
  RH_ASSERT(at - d->state == m->layout.nstate);
}

static size_t larger_size(size_t x, size_t y)
{
  return x > y ? x : y;
}

// For the solvers of n rigid contacts: a problem's matrix and vectors, and the solver's own
// scratch.
static size_t solver_room(const rh_model *m)
{
  int n = m->nrigid;
  size_t rows = 3 * (size_t)n;
  const rh_formulation *impacts = rh_formulation_of(&m->run);
  size_t solver =
      larger_size(larger_size(rh_lstsq_room((int)rows, (int)rows), rh_impact_room(impacts, n)),
                  larger_size(rh_solver_alart_curnier.room(n),
                              (size_t)n * (size_t)n + (size_t)n + rh_lcp_count_room(n)));
  int examined = n < RH_EXAMINE_MAX ? n : RH_EXAMINE_MAX;
  solver = larger_size(solver, 6 * rows + rh_cone_free_room(examined));
  solver = larger_size(solver, rh_cone_moving_room(examined));
  solver = larger_size(solver, rh_polyhedral_scratch(examined, m->run.facets));
  solver = larger_size(solver, rh_many_compare_room(n < RH_COMPARE_MAX ? n : RH_COMPARE_MAX));
  solver = larger_size(solver, rh_cone_loads_room(n));                      // see rh_rigid_holds
  solver = larger_size(solver, rh_formulation_simultaneous.room(n));        // rh_storm_impact_run
  solver = larger_size(solver, 10 * (size_t)n * (size_t)n + 6 * (size_t)n + // see rh_storm_solve
                                   rh_solver_alart_curnier.blocks_room(n, n * n));
  size_t nbody = (size_t)m->nbody;
  size_t touched = 2 * (size_t)n < nbody ? 2 * (size_t)n : nbody;
  size_t held = (size_t)rh_rigid_rows(m) * (size_t)n;
  size_t forces = held * held + 6 * touched + 80 * held +
                  rh_lstsq_room((int)held, (int)held); // see rh_rows_solve
  size_t bodies = 36 * touched * touched +
                  larger_size(36 * nbody + rh_wrench_room(m), forces); // see rh_island_bodies_find
  return n == 0 ? 0 : larger_size(rows * rows + 16 * rows + solver, bodies);
}

static void carve_rigid(rh_carver *c, const rh_model *m, rh_data *d)
{
  size_t n = (size_t)m->nrigid;
  RH_CARVE(rh_rigid(d)->J, n ? 3 * (size_t)m->nv : 0);
  RH_CARVE(rh_rigid(d)->b, 3 * n);
  RH_CARVE(rh_rigid(d)->u, 3 * n);
  RH_CARVE(rh_rigid(d)->p, 3 * n);
  RH_CARVE(rh_rigid(d)->slide, 2 * n);
  RH_CARVE(rh_rigid(d)->impact, n);
  RH_CARVE(rh_rigid(d)->place, n);
  RH_CARVE(rh_rigid(d)->slot, n);
  RH_CARVE(rh_rigid(d)->held, n);
  RH_CARVE(rh_rigid(d)->fixed, n);
  RH_CARVE(rh_rigid(d)->row, 2 * n * (size_t)rh_rigid_rows(m));
  RH_CARVE(rh_rigid(d)->torque, m->layout.nturn > 0 ? 3 * n : 0);
  RH_CARVE(rh_rigid(d)->joined, n ? m->nbody : 0);
  RH_CARVE(rh_rigid(d)->reach, n ? 2 * m->nbody : 0);
  RH_CARVE(rh_rigid(d)->was, n ? m->nslot : 0);
}

// Efforts, and the maximum scratch of one controller.
static size_t desk_room(const rh_model *m)
{
  size_t room = 0;
  for (int i = 0; i < m->ncontroller; i++) {
    const rh_controller *kind = m->controller[i].kind;
    room = larger_size(room, kind->room ? kind->room(m) : 0);
  }
  return m->ncontroller == 0 ? 0 : (size_t)m->nactuator + room;
}

// Every bounded shape may be near every unbounded one, and near this many bounded ones on average.
enum { NEIGHBOURS = 32 };

static int pair_capacity(const rh_model *m)
{
  size_t near = (size_t)m->nbounded * (size_t)(m->nshape - m->nbounded + NEIGHBOURS);
  size_t pairs = larger_size(near, (size_t)m->nslot + RH_TOUCH_MAX); // run.contacts raises both
  return m->nslot == 0 ? 0 : pairs < RH_BROAD_PAIRS_MAX ? (int)pairs : RH_BROAD_PAIRS_MAX;
}

static void carve_constraints(rh_carver *c, const rh_model *m, rh_data *d)
{
  size_t n = (size_t)(m->layout.nrow + m->layout.ntendon);
  size_t nv = (size_t)m->nv;
  rh_constraint_system none;
  rh_constraint_system *s = NULL;
  RH_CARVE(s, n ? 1 : 0);
  d->dyn.rows = n ? s : NULL;
  s = n && c->base ? s : &none;
  RH_CARVE(s->Psi, n * nv);
  RH_CARVE(s->X, n * nv);
  RH_CARVE(s->V, 6 * n * (size_t)(n ? m->nbody : 0));
  RH_CARVE(s->A, n * n);
  RH_CARVE(s->b, n);
  RH_CARVE(s->u, n);
  RH_CARVE(s->gap, n);
  RH_CARVE(s->speed, n);
  RH_CARVE(s->force, n);
  RH_CARVE(s->x, n);
  RH_CARVE(s->g, n ? 2 * nv : 0);
  RH_CARVE(s->kept, n);
  s->n = (int)n;
}

static size_t carve_data(rh_carver *c, const rh_model *m, rh_data *d)
{
  (void)rh_carve(c, 1, sizeof(rh_data_internal));
  RH_CARVE(d->state, m->layout.nstate);
  RH_CARVE(d->tau, m->nv);
  RH_CARVE(d->fext, m->nbody);
  RH_CARVE(d->contact, m->nslot);
  RH_CARVE(rh_search(d)->order, m->nslot);
  RH_CARVE(rh_search(d)->untracked, m->nslot ? RH_UNTRACKED_MAX : 0);
  RH_CARVE(rh_search(d)->geom, m->nslot ? m->nshape : 0);
  RH_CARVE(rh_search(d)->box, m->nslot ? 2 * (size_t)m->nshape : 0);
  RH_CARVE(rh_search(d)->push_speed, m->nslot ? m->nbody : 0);
  RH_CARVE(rh_search(d)->cell_rate, (size_t)m->layout.ncell * (size_t)m->nslot);
  RH_CARVE(rh_search(d)->slot_rate, RH_SLOT_STATES * (size_t)m->nslot);
  carve_rigid(c, m, d);
  RH_CARVE(d->kin, m->nbody);
  RH_CARVE(d->dyn.S, m->nv);
  RH_CARVE(d->dyn.trig, 2 * m->nq);
  RH_CARVE(d->dyn.aba, m->nbody);
  RH_CARVE(d->dyn.U, m->nv);
  RH_CARVE(d->dyn.D, 36 * (size_t)m->nbody);
  RH_CARVE(d->dyn.u, m->nv);
  RH_CARVE(d->a, m->nv);
  RH_CARVE(d->control.felt, m->sensors.motion ? m->nbody : 0);
  RH_CARVE(d->control.asked, m->nactuator);
  RH_CARVE(d->control.scratch, desk_room(m));
  RH_CARVE(d->load, m->nv);
  RH_CARVE(d->wrench, m->nbody);
  RH_CARVE(d->power, RH_WORK_COUNT);
  RH_CARVE(d->react, m->nv);
  RH_CARVE(d->dyn.Ic, m->nbody);
  RH_CARVE(d->dyn.f, m->nbody);
  RH_CARVE(d->dyn.acc, m->nbody);
  RH_CARVE(d->dyn.scratch, m->nq + 4 * m->nv);
  RH_CARVE(d->dyn.tendon, m->tendons.n);
  RH_CARVE(d->dyn.tendon_J, m->tendons.ndof);
  carve_constraints(c, m, d);
  size_t zeroed = c->used;
  RH_CARVE(rh_rigid(d)->W, 9 * (size_t)m->nrigid * (size_t)m->nrigid);
  RH_CARVE(rh_rigid(d)->scratch, solver_room(m));
  RH_CARVE(d->dyn.H, m->layout.nH);
  RH_CARVE(d->dyn.L, m->layout.nH);
  return zeroed;
}

rh_geom rh_shape_placed(const rh_data *d, int shape)
{
  const rh_model_shape *s = &d->model->shape[shape];
  const rh_kin_body *b = &d->kin[s->body];
  rh_geom g = {.kind = s->kind, .par = s->par, .mesh = s->mesh};
  g.R = rh_mat3_mul(&b->R, &s->place.R);
  g.p = rh_add(b->p, rh_rotate(&b->R, s->place.p));
  return g;
}

// A plane has no other side.
static bool may_pass(const void *user, rh_shape_pair *pair)
{
  const rh_model *m = user;
  bool bounded =
      rh_shape_bounded(m->shape[pair->a].kind) && rh_shape_bounded(m->shape[pair->b].kind);
  return bounded && rh_shapes_meet(m, pair);
}

// Planes are shapes with infinite boxes: their distances are needed however far they are.
static rh_status create_broad(rh_contact_search *s, const rh_model *m)
{
  rh_broad_opt opt = {
      .n = m->nshape, .pairs = s->pair_capacity, .filter = rh_shapes_meet, .user = m};
  RH_TRY(rh_broad_create(&opt, &s->broad));
  opt.filter = may_pass;
  return rh_broad_create(&opt, &s->sweep);
}

rh_data *rh_data_create(const rh_model *m)
{
  return rh_data_create_in(m, NULL);
}

size_t rh_data_row(const rh_model *m)
{
  return (size_t)m->layout.nstate + (size_t)m->nv + 6 * (size_t)m->nbody;
}

static void place_in_row(rh_data *d, double *row)
{
  d->state = row;
  d->tau = row + d->model->layout.nstate;
  d->fext = (rh_force *)(void *)(d->tau + d->model->nv);
}

void rh_data_move(rh_data *d, double *row)
{
  const rh_model *m = d->model;
  memcpy(row, d->state, (size_t)m->layout.nstate * sizeof *row);
  memcpy(row + m->layout.nstate, d->tau, (size_t)m->nv * sizeof *row);
  memcpy(row + m->layout.nstate + m->nv, d->fext, (size_t)m->nbody * sizeof *d->fext);
  place_in_row(d, row);
  carve_state(d);
}

// Of a state that is all zero: slots that nobody uses are not touched, and so take no real memory.
static void set_start(rh_data *d)
{
  const rh_model *m = d->model;
  memcpy(d->q, m->start.q0, (size_t)m->nq * sizeof *d->q);
  memcpy(d->v, m->start.v0, (size_t)m->nv * sizeof *d->v);
  for (int i = 0; i < m->nactuator; i++) {
    rh_actuator_command(d, i, &m->actuator[i].command);
  }
  for (int k = 0; k < m->nv; k++) {
    d->hold[k] = m->start.held[m->dof[k].body] ? RH_HOLD_LOCK : RH_HOLD_NONE;
  }
  for (int i = 0; i < m->nforce; i++) {
    d->acting[i] = m->force[i].from <= 0;
  }
}

// W and the scratch of the solvers grow with the square of the number of rigid contacts, H and L with
// that of a chain's length. They are written before they are read, and so take no real memory until
// they are needed.
rh_data *rh_data_create_in(const rh_model *m, double *row)
{
  rh_data_internal parts = {0};
  rh_carver c = {NULL, 0};
  size_t zeroed = carve_data(&c, m, &parts.data);
  char *block = rh_alloc_begun(c.used, zeroed);
  if (!block) {
    return NULL;
  }
  c = (rh_carver){block, 0};
  (void)carve_data(&c, m, &parts.data);
  parts.data.model = m;
  if (row) {
    place_in_row(&parts.data, row);
  }
  carve_state(&parts.data);
  *(rh_data_internal *)(void *)block = parts;
  rh_data *d = (rh_data *)(void *)block;
  rh_search(d)->pair_capacity = pair_capacity(m);
  if (m->nslot > 0 && !rh_engine_searches(m) && create_broad(rh_search(d), m) != RH_OK) {
    rh_data_destroy(d);
    return NULL;
  }
  if (row) {
    rh_data_reset(d);
  } else {
    set_start(d);
  }
  return d;
}

void rh_data_destroy(rh_data *data)
{
  if (data) {
    rh_broad_destroy(rh_search(data)->broad);
    rh_broad_destroy(rh_search(data)->sweep);
  }
  rh_free(data);
}

void rh_data_reset(rh_data *d)
{
  const rh_model *m = d->model;
  memset(d->state, 0, (size_t)m->layout.nstate * sizeof *d->state);
  memset(d->tau, 0, (size_t)m->nv * sizeof *d->tau);
  memset(d->fext, 0, (size_t)m->nbody * sizeof *d->fext);
  set_start(d);
}

// FNV-1a over 64-bit words with a final mix, so that every bit of the state reaches every bit of the hash.
uint64_t rh_data_hash(const rh_data *d, uint64_t seed)
{
  uint64_t h = seed ^ UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < d->model->layout.nstate; i++) {
    uint64_t word;
    double x = d->state[i] + 0.0; // -0 and 0 are the same state
    memcpy(&word, &x, sizeof word);
    h = (h ^ word) * UINT64_C(0x100000001b3);
    h ^= h >> 29;
  }
  h ^= h >> 32;
  h *= UINT64_C(0xd6e8feb86659fd93);
  return h ^ (h >> 32);
}

// ---- names

int rh_model_find(const rh_model *m, rh_object object, const char *name)
{
  return rh_find_sorted(m->name[object], m->index[object], rh_model_count(m, object), name);
}

const char *rh_model_name(const rh_model *m, rh_object object, int index)
{
  RH_ASSERT(index >= 0 && index < rh_model_count(m, object));
  return m->name[object][index];
}
