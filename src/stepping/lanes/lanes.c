// Worlds side by side: which models lanes can step, their tables, and worlds brought into lanes and back.
#include "contacts/lanes.h"

#include "base/carve.h"
#include "lanes.h"
#include "math/tangents.h"
#include "stepping/stepping.h"
#include "table.h"

#include <string.h>

struct rh_lanes {
  const lane_kernel *kernel;
  const rh_model *model;
  lane_table table;
};

// ---- Models

static bool joint_fits(const rh_model *m, int body)
{
  const rh_model_body *b = &m->body[body];
  bool free = b->joint->free && b->parent == 0;
  bool hinge = b->joint == rh_joint_find("revolute");
  bool fits = free || hinge || b->joint == rh_joint_find("fixed");
  for (int k = b->vadr; k < b->vadr + b->nv; k++) {
    const rh_model_dof *f = &m->dof[k];
    fits = fits && f->stiction == 0 && f->friction == 0 && !isfinite(f->lower) &&
           !isfinite(f->upper);
    fits = fits && (hinge || (f->spring == 0 && f->damper == 0));
  }
  return fits && b->gravcomp == 0 && !rh_medium_acts(m, body);
}

// Springs or dampers: the step is taken at its start (rh_step_tree_make), and not at its middle
// (rh_step_tree_may_middle).
static bool tree_fits(const rh_step_world *w)
{
  const rh_model *m = w->m;
  const rh_step_tree *tree = w->trees.tree;
  bool forced = false;
  bool fits = w->nfree == 0 && w->trees.n == 1 && tree->nbody <= LANE_BODIES &&
              tree->ndof <= LANE_DOFS && m->nq <= LANE_COORDS && m->nv == tree->ndof &&
              !tree->stiff && w->trees.capacity.Y > 0;
  for (int k = 0; fits && k < tree->nbody; k++) {
    int i = w->trees.member[tree->body + k];
    fits = joint_fits(m, i) && (m->body[i].parent == 0) == (k == 0);
  }
  for (int k = 0; k < m->nv; k++) {
    forced = forced || m->dof[k].spring != 0 || m->dof[k].damper != 0;
  }
  bool middle = w->par.midpoint == RH_STEP_ALL_TREES ||
                (w->par.midpoint == RH_STEP_USUAL_TREES && tree->ndof <= RH_STEP_SMALL_TREE);
  return fits && forced && !middle;
}

static bool rules_fit(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool fits = m->ncontact <= LANE_RULES;
  for (int i = 0; fits && i < m->ncontact; i++) {
    fits = !m->contact[i].law && w->laws.rule[i].equal && !(m->contact[i].v_stribeck > 0);
  }
  return fits && !w->laws.compliant && !w->laws.belt && !w->laws.turn;
}

static bool run_fits(const rh_step_world *w)
{
  const rh_model *m = w->m;
  bool plain = m->nactuator == 0 && m->ncontroller == 0 && m->nforce == 0 && m->nevent == 0 &&
               m->sensors.n == 0 && m->nloop == 0 && m->tendons.n == 0 && !m->run.hand &&
               !m->haptic.on && m->layout.nrested == 0 && m->layout.ncell == 0;
  return plain && w->par.threads == 1 && w->par.check_solution != RH_STEP_STEPS &&
         w->par.impacts_per_step >= 1 && w->worker[0].newton.contacts >= LANE_PAIRS;
}

// ---- The table

static void copy_numbers(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

static void fill_body(const rh_step_world *w, lane_table *t, int k, const int *place)
{
  enum { PLACE_R = 0, PLACE_P = 9, AXIS = 12, COS = 15, SIN = 24, ALONG = 33 }; // joint.c

  int i = w->trees.member[w->trees.tree->body + k];
  const rh_model_body *b = &w->m->body[i];
  const rh_inertia *in = &b->inertia;
  lane_body *x = &t->body[k];
  x->joint = b->joint->free ? LANE_FREE : b->nv == 1 ? LANE_HINGE : LANE_FIXED;
  x->along = x->joint == LANE_HINGE ? (int)b->konst[ALONG] : -1;
  x->parent = b->parent == 0 ? -1 : place[b->parent];
  x->q = b->qadr;
  x->dof = t->ndof;
  x->ndof = b->nv;
  x->heavy = in->mass > 0;
  x->mass = x->heavy ? in->mass : 0;
  const double h[3] = {in->h.x, in->h.y, in->h.z};
  const double I[6] = {in->I.xx, in->I.yy, in->I.zz, in->I.xy, in->I.xz, in->I.yz};
  copy_numbers(x->h, h, 3);
  copy_numbers(x->I, I, 6);
  copy_numbers(x->place_R, b->konst + PLACE_R, 9);
  copy_numbers(x->place_p, b->konst + PLACE_P, 3);
  copy_numbers(x->axis, b->konst + AXIS, 3);
  copy_numbers(x->cosine, b->konst + COS, 9);
  copy_numbers(x->sine, b->konst + SIN, 9);
  for (int j = 0; j < b->nv; j++) {
    const rh_model_dof *f = &w->m->dof[b->vadr + j];
    t->dof[t->ndof++] =
        (lane_dof){.body = k,
                   .v = b->vadr + j,
                   .seat = w->trees.zadr[i] + j - w->trees.tree->z,
                   .spring = f->spring,
                   .damper = f->damper,
                   .armature = f->armature,
                   .rest = x->joint == LANE_HINGE ? w->m->start.rest[b->qadr] : 0};
  }
  t->mass += x->mass;
}

// Its path from the root: runs of degrees of freedom without a fork, as those of z
static bool fill_path(const rh_step_world *w, lane_table *t, int k, const int *number, int *used)
{
  int i = w->trees.member[w->trees.tree->body + k];
  const rh_root_path *way = &w->trees.way[i];
  lane_body *x = &t->body[k];
  x->run = *used;
  x->nrun = way->nrun;
  x->depth = 0;
  x->tip = way->tip == RH_NONE ? 0 : number[way->tip];
  if (*used + way->nrun > LANE_RUNS) {
    return false;
  }
  for (int r = 0; r < way->nrun; r++) {
    const rh_step_run *run = &w->trees.run[way->run + r];
    t->run[(*used)++] = (lane_run){number[run->z], run->on};
    x->depth += run->on;
  }
  return x->depth <= LANE_DEEP;
}

static bool fill_rows(const rh_step_world *w, lane_table *t, const int *number)
{
  for (int j = 0; j < t->ndof; j++) {
    lane_dof *d = &t->dof[j];
    int z = w->trees.tree->z + d->seat;
    d->depth = 0;
    for (int a = w->trees.parent[z]; a != RH_NONE; a = w->trees.parent[a]) {
      d->depth++;
    }
    d->row = t->nentry;
    t->nentry += d->depth + 1;
    if (t->nentry > LANE_ENTRIES) {
      return false;
    }
    int e = d->depth;
    for (int a = z; a != RH_NONE; a = w->trees.parent[a]) {
      t->ancestor[d->row + e--] = number[a];
    }
  }
  return true;
}

static bool fill_tree(const rh_step_world *w, lane_table *t)
{
  int place[LANE_BODIES * 4] = {0}; // of a body of the model
  int number[LANE_DOFS * 8] = {0};  // of a place in z
  int used = 0;
  bool fits = w->m->nbody <= LANE_BODIES * 4 && w->trees.nz <= LANE_DOFS * 8;
  t->nbody = w->trees.tree->nbody;
  t->nq = w->m->nq;
  t->nv = w->m->nv;
  for (int k = 0; fits && k < t->nbody; k++) {
    place[w->trees.member[w->trees.tree->body + k]] = k;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fill_body(w, t, k, place);
  }
  for (int j = 0; fits && j < t->ndof; j++) {
    number[w->trees.tree->z + t->dof[j].seat] = j;
  }
  for (int k = 0; fits && k < t->nbody; k++) {
    fits = fill_path(w, t, k, number, &used);
  }
  return fits && fill_rows(w, t, number);
}

// A sphere of the tree and a plane that does not move; false: they meet, but are something else.
static bool fill_pair(const rh_step_world *w, lane_table *t, rh_shape_pair pair)
{
  const rh_model *m = w->m;
  if (!rh_step_may_collide(w, &pair)) {
    return true;
  }
  const rh_model_shape *a = &m->shape[pair.a];
  const rh_model_shape *b = &m->shape[pair.b];
  if (a->kind != w->shapes.sphere || b->kind != w->shapes.plane || b->body != 0 ||
      t->npair == LANE_PAIRS) {
    return false;
  }
  const rh_geom *plane = &w->search->geom[pair.b];
  const rh_model_contact *law = &m->contact[pair.rule];
  rh_vec3 n = rh_v3(plane->R.m[2], plane->R.m[5], plane->R.m[8]);
  rh_vec3 t1;
  rh_vec3 t2;
  rh_tangents_of(n, &t1, &t2);
  double fall = w->par.dt * fabs(rh_dot(n, m->gravity));
  lane_pair *x = &t->pair[t->npair++];
  *x = (lane_pair){.a = pair.a,
                   .b = pair.b,
                   .rule = pair.rule,
                   .place = {a->place.p.x, a->place.p.y, a->place.p.z},
                   .radius = a->par[0],
                   .arm = w->shapes.of[pair.a].arm,
                   .n = {n.x, n.y, n.z},
                   .at = {plane->p.x, plane->p.y, plane->p.z},
                   .d = rh_dot(n, plane->p),
                   .t1 = {t1.x, t1.y, t1.z},
                   .t2 = {t2.x, t2.y, t2.z},
                   .slow = fall > w->slow ? fall : w->slow,
                   .steady = w->laws.rule[pair.rule].steady,
                   .mu_s = w->laws.rule[pair.rule].mu_s,
                   .mu = w->laws.rule[pair.rule].mu,
                   .e = law->e};
  for (int k = 0; k < t->nbody; k++) {
    x->body = w->trees.member[w->trees.tree->body + k] == a->body ? k : x->body;
  }
  return true;
}

static bool fill_pairs(const rh_step_world *w, lane_table *t)
{
  bool fits = w->shapes.nplane > 0;
  for (int a = 0; fits && a < w->m->nshape; a++) {
    for (int b = a + 1; fits && b < w->m->nshape; b++) {
      fits = fill_pair(w, t, (rh_shape_pair){.a = a, .b = b});
    }
  }
  return fits && t->npair > 0 && t->npair <= w->m->nslot;
}

static bool fill_table(const rh_step_world *w, lane_table *t)
{
  const rh_model *m = w->m;
  if (!run_fits(w) || !tree_fits(w) || !rules_fit(w)) {
    return false;
  }
  t->nrule = m->ncontact;
  t->nwork = m->layout.nwork;
  t->dt = w->par.dt;
  t->tolerance = w->par.tolerance;
  t->slop = w->par.slop;
  t->gravity[0] = m->gravity.x;
  t->gravity[1] = m->gravity.y;
  t->gravity[2] = m->gravity.z;
  t->weight = rh_norm(m->gravity);
  t->slow = w->slow;
  t->skin = w->shapes.skin;
  return fill_tree(w, t) && fill_pairs(w, t);
}

// ---- Creation

static const lane_kernel *choose_kernel(void)
{
#ifdef RH_LANES
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return &rh_lanes_8;
  }
  if (__builtin_cpu_supports("avx2")) {
    return &rh_lanes_4;
  }
#endif
  return NULL;
}

static rh_status create_lanes(const rh_sim *sim, rh_lanes **out)
{
  *out = NULL;
  const lane_kernel *kernel = choose_kernel();
  if (!kernel) {
    return RH_OK;
  }
  rh_lanes *lanes = rh_alloc(sizeof *lanes);
  if (!lanes) {
    return RH_OUT_OF_MEMORY;
  }
  lanes->kernel = kernel;
  lanes->model = sim->model;
  if (!fill_table(sim->engine, &lanes->table)) {
    rh_free(lanes);
    return RH_OK;
  }
  *out = lanes;
  return RH_OK;
}

static void destroy_lanes(rh_lanes *lanes)
{
  rh_free(lanes);
}

static int width_of(const rh_lanes *lanes)
{
  return lanes->kernel->width;
}

typedef struct group_memory {
  double *state;
  void *scratch;
  lane_help *help;
} group_memory;

static size_t carve_group(const rh_lanes *lanes, char *base, group_memory *g)
{
  rh_carver to = {base, 0};
  rh_carver *c = &to;
  g->state = rh_carve(c, (size_t)LANE_STATE * (size_t)lanes->kernel->width, sizeof *g->state);
  g->scratch = rh_carve(c, 1, lanes->kernel->scratch);
  RH_CARVE(g->help, 1);
  return to.used;
}

static size_t scratch_bytes(const rh_lanes *lanes)
{
  group_memory g;
  return carve_group(lanes, NULL, &g) + RH_CACHE_LINE;
}

// ---- Worlds into lanes and back

// Is the next step of the world one of those that lanes take? They are left out by what a run may be
// asked for; what happens within a step the lanes find.
static bool world_fits(const rh_lanes *lanes, const rh_sim *sim)
{
  const rh_step_world *w = sim->engine;
  bool runs = sim->started && !sim->resumed && !sim->stop && !sim->failed && !sim->refused &&
              !sim->check_due && !sim->view && !sim->observer.poll && sim->next == sim->nqueue;
  bool zero = runs && sim->model == lanes->model && !w->full;
  const double *f = (const double *)(const void *)sim->data->fext;
  for (int i = 0; zero && i < 6 * sim->model->nbody; i++) {
    zero = f[i] == 0;
  }
  for (int k = 0; zero && k < sim->model->nv; k++) {
    zero = sim->data->hold[k] != RH_HOLD_LOCK;
  }
  return zero;
}

typedef struct lane_place { // a lane of a state
  const lane_table *t;
  double *x; // its first number
  int width;
} lane_place;

static void write_lane(lane_place to, int at, const double *from, int n)
{
  for (int i = 0; i < n; i++) {
    to.x[(size_t)(at + i) * (size_t)to.width] = from[i];
  }
}

static void read_lane(lane_place from, int at, double *to, int n)
{
  for (int i = 0; i < n; i++) {
    to[i] = from.x[(size_t)(at + i) * (size_t)from.width];
  }
}

static double number_at(lane_place from, int at)
{
  return from.x[(size_t)at * (size_t)from.width];
}

static void load_slots(const rh_data *d, lane_place to)
{
  static const double none[3 * LANE_PAIRS] = {0};
  const lane_table *t = to.t;
  int used = rh_slots_used(d);
  int k = 0;
  write_lane(to, LANE_FORCE, none, 3 * t->npair);
  write_lane(to, LANE_SINCE, none, t->npair);
  for (int i = 0; i < t->npair && k < used; i++) {
    const rh_slot *s = &d->slot[k];
    if (s->a == t->pair[i].a && s->b == t->pair[i].b) {
      write_lane(to, LANE_FORCE + 3 * i, d->s + (size_t)k * RH_SLOT_STATES, 3);
      write_lane(to, LANE_SINCE + i, &s->since, 1);
      write_lane(to, LANE_POINT + 3 * i, s->at, 3);
      k++;
    }
  }
}

static void load_world(const rh_sim *sim, lane_place to)
{
  static const double zero[LANE_BASE] = {0};
  rh_step_world *w = sim->engine;
  const lane_table *t = to.t;
  rh_data *d = w->d;
  double v[LANE_DOFS];
  double tau[LANE_DOFS];
  double shown = (double)sim->frame * w->m->run.every - 1e-9 * w->par.dt;
  double pressed = w->body[1].pressed;
  if (w->fresh) { // as rh_step_load_state; kinematics are made in lanes
    rh_slots_pack(d);
    w->contacts.nrow = 0;
    w->trees.tree->held = false;
    w->fresh = false;
  }
  w->trees.tree->stands = false;
  for (int j = 0; j < t->ndof; j++) {
    v[j] = d->v[t->dof[j].v];
    tau[j] = d->tau[t->dof[j].v];
  }
  write_lane(to, 0, zero, LANE_BASE);
  write_lane(to, LANE_T, d->t, 1);
  write_lane(to, LANE_UNTIL, &shown, 1);
  write_lane(to, LANE_PRESSED, &pressed, 1);
  write_lane(to, LANE_DEEPEST, &w->worker[0].tally.deepest, 1);
  write_lane(to, LANE_LOAD, &w->worker[0].tally.largest_load, 1);
  write_lane(to, LANE_IMPACT, &w->worker[0].tally.largest_impact, 1);
  write_lane(to, LANE_BASE, &d->energy_base[1], 1);
  write_lane(to, LANE_WORK, d->work, t->nwork);
  write_lane(to, LANE_Q, d->q, t->nq);
  write_lane(to, LANE_V, v, t->ndof);
  write_lane(to, LANE_TAU, tau, t->ndof);
  for (int i = 0; i < t->nrule; i++) {
    write_lane(to, LANE_SLIDE + i, &d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE], 1);
  }
  load_slots(d, to);
}

static void keep_slot(rh_data *d, int k, const lane_pair *pair, lane_place from, int i)
{
  double *states = d->s + (size_t)k * RH_SLOT_STATES;
  rh_slot *s = &d->slot[k];
  memset(states, 0, RH_SLOT_STATES * sizeof *states);
  read_lane(from, LANE_FORCE + 3 * i, states + RH_SLOT_FRICTION, 3);
  *s = (rh_slot){.used = 1,
                 .a = pair->a,
                 .b = pair->b,
                 .contact = pair->rule,
                 .mode = RH_CLOSED_STICK,
                 .since = number_at(from, LANE_SINCE + i),
                 .n = {pair->n[0], pair->n[1], pair->n[2]}};
  read_lane(from, LANE_POINT + 3 * i, s->at, 3);
}

// The contacts that carried a force, in the order of their shapes (contact_memory.c)
static void store_slots(rh_data *d, lane_place from)
{
  const lane_table *t = from.t;
  double place[LANE_RULES] = {0};
  int k = 0;
  for (int i = 0; i < t->npair; i++) {
    double f[3];
    read_lane(from, LANE_FORCE + 3 * i, f, 3);
    if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > 0) {
      keep_slot(d, k, &t->pair[i], from, i);
      d->slot[k++].place = place[t->pair[i].rule]++;
    }
  }
  rh_slots_end(d, k);
}

static void store_counts(rh_step_world *w, lane_place from)
{
  rh_impact_stats *seen = &w->sim->impact;
  rh_step_counts *own = &w->worker[0].tally;
  own->sweeps += (long)number_at(from, LANE_SWEEPS);
  own->newton += (long)number_at(from, LANE_NEWTON);
  own->deepest = number_at(from, LANE_DEEPEST);
  own->largest_load = number_at(from, LANE_LOAD);
  own->largest_impact = number_at(from, LANE_IMPACT);
  w->tally.sweeps = own->sweeps;
  w->tally.newton = own->newton;
  w->tally.deepest = own->deepest;
  w->tally.largest_load = own->largest_load;
  w->tally.largest_impact = own->largest_impact;
  w->tally.steps += (long)number_at(from, LANE_STEPS);
  w->tally.contacts += (long)number_at(from, LANE_MEETINGS);
  seen->deepest = fmax(seen->deepest, own->deepest);
  seen->peak = fmax(seen->peak, own->largest_load / w->par.dt);
  seen->impulse = fmax(seen->impulse, own->largest_impact);
}

static void store_world(const rh_sim *sim, lane_place from)
{
  rh_step_world *w = sim->engine;
  const lane_table *t = from.t;
  rh_data *d = w->d;
  double v[LANE_DOFS];
  if (number_at(from, LANE_STEPS) == 0) {
    return;
  }
  read_lane(from, LANE_T, d->t, 1);
  read_lane(from, LANE_BASE, &d->energy_base[1], 1);
  read_lane(from, LANE_WORK, d->work, t->nwork);
  read_lane(from, LANE_Q, d->q, t->nq);
  read_lane(from, LANE_V, v, t->ndof);
  for (int j = 0; j < t->ndof; j++) {
    d->v[t->dof[j].v] = v[j];
  }
  for (int i = 0; i < t->nrule; i++) {
    read_lane(from, LANE_SLIDE + i, &d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE], 1);
  }
  store_slots(d, from);
  store_counts(w, from);
  w->body[1].pressed = number_at(from, LANE_PRESSED) != 0;
  w->trees.tree->stands = false;
  rh_solver_now now = {.contacts = number_at(from, LANE_CONTACTS),
                       .islands = number_at(from, LANE_CONTACTS) > 0,
                       .sweeps = number_at(from, LANE_LAST),
                       .newton = number_at(from, LANE_LAST_NEWTON)};
  now.reported[0] = d->solver->reported[0];
  now.reported[1] = d->solver->reported[1];
  *d->solver = now;
}

// ---- What sweeps do not solve

typedef struct lane_owner { // of the lanes of a group
  const rh_lanes *lanes;
  const rh_lanes_group *group;
} lane_owner;

// A row of a lane as the engine has it; `Y`: its place
static void enter_row(const rh_step_world *w, const lane_table *t, const lane_row_copy *from, int k,
                      double *Y)
{
  const lane_pair *pair = &t->pair[from->pair];
  rh_step_row *c = &w->row[k];
  rh_step_row_general *x = &w->general[k];
  const rh_root_path *way = &w->trees.way[w->m->shape[pair->a].body];
  *c = (rh_step_row){.any = k,
                     .jointed = true,
                     .n = {pair->n[0], pair->n[1], pair->n[2]},
                     .iw = from->iw,
                     .bias = from->bias,
                     .p = {from->p[0], from->p[1], 0, from->p[2]},
                     .mu = from->mu};
  *x = (rh_step_row_general){.w = from->w, .ba = k, .bb = RH_NONE};
  copy_numbers(x->l, from->l, 2);
  copy_numbers(x->il, from->il, 2);
  copy_numbers(x->c, from->c, 2);
  copy_numbers(x->t1, from->t1, 3);
  copy_numbers(x->t2, from->t2, 3);
  memset(Y, 0, 3 * (size_t)way->len * sizeof *Y);
  int at = 0;
  int e = 0;
  for (int r = way->run; r < way->run + way->nrun; r++) {
    const rh_step_run *run = &w->trees.run[r];
    for (int i = 0; i < 3; i++) {
      copy_numbers(Y + i * way->len + at, from->Y[i] + e, run->on);
    }
    at += run->n;
    e += run->on;
  }
  w->worker[0].rows.branch[k] =
      (rh_step_branch){w->trees.run + way->run, way->nrun, way->len, Y, 1};
}

// False: they do not fit.
static bool enter_rows(rh_step_world *w, const lane_table *t, const lane_problem *problem)
{
  rh_step_tree_rows *rows = &w->worker[0].rows;
  rows->nbranch = problem->n;
  rows->njoint = rows->nloop = 0;
  rows->nY = 0;
  if (problem->n > w->trees.capacity.branch) {
    return false;
  }
  for (int k = 0; k < problem->n; k++) {
    size_t len = 3 * (size_t)w->trees.way[w->m->shape[t->pair[problem->row[k].pair].a].body].len;
    if (rows->nY + len > w->trees.capacity.Y) {
      return false;
    }
    enter_row(w, t, &problem->row[k], k, rows->Y + rows->nY);
    rows->nY += len;
  }
  w->member[0] = 1;
  double *z = w->trees.z + w->trees.tree->z;
  memset(z, 0, (size_t)w->trees.tree->nz * sizeof *z);
  for (int j = 0; j < t->ndof; j++) {
    z[t->dof[j].seat] = problem->z[j];
  }
  return true;
}

// By the engine's own solver, with Newton's method and shared loads
static bool solve_lane(void *user, int lane, lane_problem *problem)
{
  const lane_owner *owner = user;
  const lane_table *t = &owner->lanes->table;
  rh_step_world *w = owner->group->sim[lane]->engine;
  rh_step_worker *worker = &w->worker[0];
  rh_step_counts before = worker->tally;
  const rh_step_island island = {.ncon = problem->n, .nmob = 1};
  if (!enter_rows(w, t, problem)) {
    return false;
  }
  rh_step_solve(worker, &island);
  bool solved = worker->tally.unsolved == before.unsolved;
  problem->sweeps = (double)(worker->tally.sweeps - before.sweeps);
  problem->newton = (double)(worker->tally.newton - before.newton);
  worker->tally = before;
  for (int j = 0; j < t->ndof; j++) {
    problem->z[j] = w->trees.z[w->trees.tree->z + t->dof[j].seat];
  }
  for (int k = 0; k < problem->n; k++) {
    const double *p = w->row[k].p;
    problem->row[k].p[0] = p[0];
    problem->row[k].p[1] = p[1];
    problem->row[k].p[2] = p[3];
  }
  return solved;
}

// ---- Steps

static uint64_t likeness_of(const rh_lanes *lanes, const rh_sim *sim)
{
  const rh_data *d = sim->data;
  const lane_table *t = &lanes->table;
  int used = rh_slots_used(d);
  uint64_t bits = 0;
  int k = 0;
  for (int i = 0; i < t->npair && k < used; i++) {
    if (d->slot[k].a == t->pair[i].a && d->slot[k].b == t->pair[i].b) {
      bits |= (uint64_t)1 << i;
      k++;
    }
  }
  return bits;
}

typedef rh_status single_step(rh_sim *sim);

// The world of a lane takes a step by itself. True: lanes may take the next one.
static bool step_alone(const rh_lanes *lanes, const rh_lanes_group *g, int i, single_step *single)
{
  *g->status[i] = single(g->sim[i]);
  return *g->status[i] == RH_OK && world_fits(lanes, g->sim[i]);
}

// Lanes that did not move: their worlds by themselves. Returns the lanes that go on.
static int step_others(const rh_lanes *lanes, const rh_lanes_group *g, lane_place first, int others,
                       single_step *single)
{
  int fit = 0;
  for (int i = 0; i < g->n; i++) {
    if (others >> i & 1) {
      lane_place at = {first.t, first.x + i, first.width};
      store_world(g->sim[i], at);
      if (step_alone(lanes, g, i, single)) {
        load_world(g->sim[i], at);
        fit |= 1 << i;
      }
    }
  }
  return fit;
}

// Lanes without a world get the numbers of another one: those are finite.
static void fill_spare_lanes(lane_place first, int in)
{
  int from = 0;
  while (from < first.width && !(in >> from & 1)) {
    from++;
  }
  for (int i = 0; in != 0 && i < first.width; i++) {
    for (int k = 0; !(in >> i & 1) && k < LANE_STATE; k++) {
      double *x = first.x + (size_t)k * (size_t)first.width;
      x[i] = x[from];
    }
  }
}

// Lanes whose worlds have steps to take
static int lanes_left(const rh_lanes_group *g, int in, const int *taken, int steps)
{
  int left = 0;
  for (int i = 0; i < g->n; i++) {
    left |= (in >> i & 1) && taken[i] < steps ? 1 << i : 0;
  }
  return left;
}

// Brings the worlds into lanes; one that does not fit yet takes a step by itself first.
static int load_group(const rh_lanes *lanes, const rh_lanes_group *g, lane_place first, int *taken,
                      single_step *single)
{
  int in = 0;
  for (int i = 0; i < g->n; i++) {
    bool fits = *g->status[i] == RH_OK && world_fits(lanes, g->sim[i]);
    if (*g->status[i] == RH_OK && !fits) {
      fits = step_alone(lanes, g, i, single);
      taken[i]++;
    }
    if (fits) {
      load_world(g->sim[i], (lane_place){first.t, first.x + i, first.width});
      in |= 1 << i;
    }
  }
  fill_spare_lanes(first, in);
  return in;
}

static void finish_group(const rh_lanes_group *g, lane_place first, int in, int *taken, int steps,
                         single_step *single)
{
  for (int i = 0; i < g->n; i++) {
    if (in >> i & 1) {
      store_world(g->sim[i], (lane_place){first.t, first.x + i, first.width});
    }
    for (; taken[i] < steps && *g->status[i] == RH_OK; taken[i]++) {
      *g->status[i] = single(g->sim[i]);
    }
  }
}

static long step_group(const rh_lanes *lanes, void *memory, const rh_lanes_group *g, int steps,
                       single_step *single)
{
  group_memory m;
  (void)carve_group(lanes, rh_first_line(memory), &m);
  lane_place first = {&lanes->table, m.state, lanes->kernel->width};
  int taken[RH_LANES_MAX] = {0};
  lane_owner owner = {lanes, g};
  long moved = 0;
  bool stands = false;
  m.help->user = &owner;
  m.help->solve = solve_lane;
  int in = load_group(lanes, g, first, taken, single);
  for (int left = lanes_left(g, in, taken, steps); left != 0;
       left = lanes_left(g, in, taken, steps)) {
    int went = lanes->kernel->step(&lanes->table, m.state, m.scratch, m.help, left, &stands);
    if (went != left) {
      in &= ~(left & ~went) | step_others(lanes, g, first, left & ~went, single);
    }
    for (int i = 0; i < g->n; i++) {
      moved += went >> i & 1;
      taken[i] += left >> i & 1;
    }
  }
  finish_group(g, first, in, taken, steps, single);
  return moved;
}

static void refresh_results(rh_sim *sim)
{
  rh_kinematics(sim->data);
  rh_contacts(sim->data);
}

const rh_lanes_kind rh_step_lanes = {
    .create = create_lanes,
    .destroy = destroy_lanes,
    .width = width_of,
    .scratch = scratch_bytes,
    .likeness = likeness_of,
    .step = step_group,
    .refresh = refresh_results,
};
