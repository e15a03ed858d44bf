// Worlds brought into lanes, stepped and brought back; what lanes leave to the engine: rows that sweeps do not
// solve, and whole steps.
#include "lanes.h"

#include "base/carve.h"

#include <string.h>

// ---- Creation

// One world in a lane of its own is no gain, but for tests.
static const lane_kernel *choose_kernel(int widest)
{
#ifdef RH_LANES
  __builtin_cpu_init();
  bool eight = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (widest >= 8 && eight) {
    return &rh_lanes_8;
  }
  if (widest >= 4 && __builtin_cpu_supports("avx2")) {
    return &rh_lanes_4;
  }
#endif
  return widest >= 1 && widest < 4 ? &rh_lanes_1 : NULL;
}

static rh_status create_lanes(const rh_sim *sim, int widest, rh_lanes **out)
{
  const lane_kernel *kernel = choose_kernel(widest);
  *out = NULL;
  if (!kernel) {
    return RH_OK;
  }
  rh_lanes *lanes = rh_alloc(sizeof *lanes);
  if (!lanes) {
    return RH_OUT_OF_MEMORY;
  }
  lanes->kernel = kernel;
  lanes->model = sim->model;
  if (!rh_lanes_fill_table(sim->engine, &lanes->table)) {
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

bool rh_lanes_world_fits(const rh_lanes *lanes, const rh_sim *sim)
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

static void copy_numbers(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

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

void rh_lanes_load(const rh_sim *sim, lane_place to)
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

void rh_lanes_store(const rh_sim *sim, lane_place from)
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
  return *g->status[i] == RH_OK && rh_lanes_world_fits(lanes, g->sim[i]);
}

// Lanes that did not move: their worlds by themselves. Returns the lanes that go on.
static int step_others(const rh_lanes *lanes, const rh_lanes_group *g, lane_place first, int others,
                       single_step *single)
{
  int fit = 0;
  for (int i = 0; i < g->n; i++) {
    if (others >> i & 1) {
      lane_place at = {first.t, first.x + i, first.width};
      rh_lanes_store(g->sim[i], at);
      if (step_alone(lanes, g, i, single)) {
        rh_lanes_load(g->sim[i], at);
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
    bool fits = *g->status[i] == RH_OK && rh_lanes_world_fits(lanes, g->sim[i]);
    if (*g->status[i] == RH_OK && !fits) {
      fits = step_alone(lanes, g, i, single);
      taken[i]++;
    }
    if (fits) {
      rh_lanes_load(g->sim[i], (lane_place){first.t, first.x + i, first.width});
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
      rh_lanes_store(g->sim[i], (lane_place){first.t, first.x + i, first.width});
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
  int taken[RH_LANES_MAX];
  memcpy(taken, g->taken, sizeof taken);
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
#ifdef ROUTH_CUDA
    .open_gpu = rh_lanes_gpu_open,
    .close_gpu = rh_lanes_gpu_close,
    .step_gpu = rh_lanes_gpu_step,
#endif
    .create = create_lanes,
    .destroy = destroy_lanes,
    .width = width_of,
    .scratch = scratch_bytes,
    .likeness = likeness_of,
    .step = step_group,
    .refresh = refresh_results,
};
