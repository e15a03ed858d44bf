// Groups of worlds in lanes; what lanes leave to the engine: rows that sweeps do not solve, and whole steps.
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

const lane_table *rh_lanes_table(const rh_lanes *lanes, int tree)
{
  return tree == 0 ? &lanes->table : &lanes->more[tree - 1];
}

static void destroy_lanes(rh_lanes *lanes)
{
  rh_free(lanes->more);
  rh_free(lanes);
}

// What slides at contacts of one rule is added up tree by tree: trees do not share one.
static bool share_rule(const lane_table *a, const lane_table *b)
{
  bool shared = false;
  for (int i = 0; i < a->nrule; i++) {
    for (int k = 0; k < b->nrule; k++) {
      shared = shared || a->rule[i] == b->rule[k];
    }
  }
  return shared;
}

// What lanes do not know, in words; NULL: nothing
static const char *fill_tables(const rh_step_world *w, rh_lanes *lanes)
{
  const char *why = rh_lanes_fill_table(w, 0, &lanes->table);
  for (int k = 1; !why && k < lanes->trees; k++) {
    lane_table *t = &lanes->more[k - 1];
    why = rh_lanes_fill_table(w, k, t);
    if (!why && !(t->plain && lanes->table.plain)) {
      why =
          "several trees with slides, actuators, limits or dry friction, or solved at their middle";
    }
    for (int i = 0; !why && i < k; i++) {
      why = share_rule(rh_lanes_table(lanes, i), t) ? "several trees with contacts of one rule"
                                                    : NULL;
    }
  }
  return why;
}

static rh_status create_lanes(const rh_sim *sim, int widest, rh_lanes **out, const char **why)
{
  const lane_kernel *kernel = choose_kernel(widest);
  *out = NULL;
  *why = widest == 0 ? "set_lanes" : "the processor has no registers for them";
  if (!kernel) {
    return RH_OK;
  }
  rh_lanes *lanes = rh_alloc(sizeof *lanes);
  if (!lanes) {
    return RH_OUT_OF_MEMORY;
  }
  const rh_step_world *w = sim->engine;
  *lanes = (rh_lanes){.kernel = kernel, .model = sim->model, .trees = w->trees.n};
  bool several = lanes->trees > 1 && lanes->trees <= LANE_TREES;
  lanes->more = several ? rh_alloc((size_t)(lanes->trees - 1) * sizeof *lanes->more) : NULL;
  if (several && !lanes->more) {
    rh_free(lanes);
    return RH_OUT_OF_MEMORY;
  }
  bool few = w->nfree == 0 && lanes->trees > 0 && lanes->trees <= LANE_TREES;
  *why = few ? fill_tables(w, lanes) : "bodies that move by themselves, or more than 4 trees";
  if (*why) {
    destroy_lanes(lanes);
    return RH_OK;
  }
  *out = lanes;
  return RH_OK;
}

static int width_of(const rh_lanes *lanes)
{
  return lanes->kernel->width;
}

typedef struct group_memory {
  double *state; // of each tree
  double *kept;  // before a step, where there are several trees
  void *scratch;
  lane_help *help;
} group_memory;

static size_t carve_group(const rh_lanes *lanes, char *base, group_memory *g)
{
  rh_carver to = {base, 0};
  rh_carver *c = &to;
  size_t states = (size_t)LANE_STATE * (size_t)lanes->kernel->width * (size_t)lanes->trees;
  g->state = rh_carve(c, states, sizeof *g->state);
  g->kept = rh_carve(c, lanes->trees > 1 ? states : 0, sizeof *g->kept);
  g->scratch = rh_carve(c, 1, lanes->kernel->scratch);
  RH_CARVE(g->help, 1);
  return to.used;
}

static size_t scratch_bytes(const rh_lanes *lanes)
{
  group_memory g;
  return carve_group(lanes, NULL, &g) + RH_CACHE_LINE;
}

static void copy_numbers(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof *to);
}

// ---- What sweeps do not solve

typedef struct lane_owner { // of the lanes of a group
  const lane_table *table;  // of the tree
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
  copy_numbers(x->turn, from->turn, 2);
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

// A row of a degree of freedom, likewise
static void enter_line(const rh_step_world *w, const lane_table *t, const lane_line_copy *from,
                       int k)
{
  const lane_dof *dof = &t->dof[from->dof];
  const rh_root_path *way = &w->trees.way[w->m->dof[dof->v].body];
  double *Y = w->worker[0].rows.joint_Y + (size_t)k * (size_t)w->trees.widest;
  memset(Y, 0, (size_t)way->len * sizeof *Y);
  int at = 0;
  int e = 0;
  for (int r = way->run; e <= dof->depth; r++) {
    const rh_step_run *run = &w->trees.run[r];
    int n = run->on < dof->depth + 1 - e ? run->on : dof->depth + 1 - e;
    copy_numbers(Y + at, from->Y + e, n);
    at += run->n;
    e += n;
  }
  w->worker[0].rows.joint[k] =
      (rh_joint_row){.kind = from->dry ? RH_STEP_DRY : RH_STEP_LIMIT,
                     .z = w->trees.tree[t->tree].z + dof->seat,
                     .sign = from->side,
                     .on = {w->trees.run + way->run, way->nrun, way->len, Y, 0},
                     .dof = dof->v,
                     .tendon = RH_NONE,
                     .w = from->w,
                     .iw = from->iw,
                     .bias = from->bias,
                     .limit = from->limit,
                     .rest = from->rest,
                     .u0 = from->u0,
                     .p = from->p,
                     .gap = from->gap,
                     .e = from->dry ? 0 : dof->bounce,
                     .mobile = 1 + t->tree};
}

// False: they do not fit.
static bool enter_rows(rh_step_world *w, const lane_table *t, const lane_problem *problem)
{
  rh_step_tree_rows *rows = &w->worker[0].rows;
  rows->nbranch = problem->n;
  rows->njoint = problem->nline;
  rows->nloop = 0;
  rows->nY = 0;
  if (problem->n > w->trees.capacity.branch || problem->nline > w->trees.capacity.joint) {
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
  for (int k = 0; k < problem->nline; k++) {
    enter_line(w, t, &problem->line[k], k);
  }
  w->member[0] = 1 + t->tree;
  double *z = w->trees.z + w->trees.tree[t->tree].z;
  memset(z, 0, (size_t)w->trees.tree[t->tree].nz * sizeof *z);
  for (int j = 0; j < t->ndof; j++) {
    z[t->dof[j].seat] = problem->z[j];
  }
  return true;
}

// By the engine's own solver, with Newton's method and shared loads
static bool solve_lane(void *user, int lane, lane_problem *problem)
{
  const lane_owner *owner = user;
  const lane_table *t = owner->table;
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
    problem->z[j] = w->trees.z[w->trees.tree[t->tree].z + t->dof[j].seat];
  }
  for (int k = 0; k < problem->n; k++) {
    const double *p = w->row[k].p;
    problem->row[k].p[0] = p[0];
    problem->row[k].p[1] = p[1];
    problem->row[k].p[2] = p[3];
  }
  for (int k = 0; k < problem->nline; k++) {
    problem->line[k].p = worker->rows.joint[k].p;
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
    int at = rh_lanes_find_slot(d, k, used, &t->pair[i]);
    if (at < used) {
      bits |= (uint64_t)1 << i;
      k = at + 1;
    }
  }
  return bits;
}

typedef rh_status single_step(rh_sim *sim);

// The world of a lane takes a step by itself. True: lanes may take the next one.
static bool step_alone(const rh_lanes *lanes, const rh_lanes_group *g, int i, rh_lane_cause cause,
                       single_step *single)
{
  g->alone[cause]++;
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
      rh_lanes_store(lanes, g->sim[i], at);
      if (step_alone(lanes, g, i, (rh_lane_cause)at.x[LANE_CAUSE * at.width], single)) {
        rh_lanes_load(lanes, g->sim[i], at);
        fit |= 1 << i;
      }
    }
  }
  return fit;
}

// Lanes without a world get the numbers of another one: those are finite.
static void fill_spare_lanes(lane_place first, int trees, int in)
{
  int from = 0;
  while (from < first.width && !(in >> from & 1)) {
    from++;
  }
  for (int i = 0; in != 0 && i < first.width; i++) {
    for (int k = 0; !(in >> i & 1) && k < LANE_STATE * trees; k++) {
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
      fits = step_alone(lanes, g, i, RH_LANE_OUTSIDE, single);
      taken[i]++;
    }
    if (fits) {
      rh_lanes_load(lanes, g->sim[i], (lane_place){first.t, first.x + i, first.width});
      in |= 1 << i;
    }
  }
  fill_spare_lanes(first, lanes->trees, in);
  return in;
}

static void finish_group(const rh_lanes *lanes, const rh_lanes_group *g, lane_place first, int in,
                         int *taken, int steps, single_step *single)
{
  for (int i = 0; i < g->n; i++) {
    if (in >> i & 1) {
      rh_lanes_store(lanes, g->sim[i], (lane_place){first.t, first.x + i, first.width});
    }
    for (; taken[i] < steps && *g->status[i] == RH_OK; taken[i]++) {
      g->alone[RH_LANE_OUTSIDE]++;
      *g->status[i] = single(g->sim[i]);
    }
  }
}

// What a tree adds to the energies of the world, from zero on
static void begin_sums(lane_place at)
{
  for (int i = 0; i < at.width; i++) {
    double *x = at.x + i;
    x[LANE_BASE * at.width] = 0;
    for (int k = 0; at.t->tree > 0 && k < LANE_WORKS; k++) {
      x[(LANE_WORK + k) * at.width] = 0;
    }
  }
}

// The energies of the world, in the order of its islands (energy.c)
static void add_sums(const rh_lanes *lanes, lane_place first, int i)
{
  const int width = first.width;
  double *x = first.x + i;
  double base = 0;
  for (int k = 0; k < lanes->trees; k++) {
    const double *of = rh_lanes_tree_place(lanes, first, k).x + i;
    base += of[LANE_BASE * width];
    for (int n = 0; k > 0 && n < first.t->nwork; n++) {
      x[(LANE_WORK + n) * width] += of[(LANE_WORK + n) * width];
    }
  }
  x[LANE_ALL * width] += base;
}

// The states before the step; `cause`: why it was not taken
static void take_back(const rh_lanes *lanes, const group_memory *m, int i, double cause)
{
  const int width = lanes->kernel->width;
  for (int k = 0; k < LANE_STATE * lanes->trees; k++) {
    m->state[k * width + i] = m->kept[k * width + i];
  }
  m->state[LANE_CAUSE * width + i] = cause;
}

// A step of all trees of the lanes `left`; those that it moved. The others are as they were.
static int step_trees(const rh_lanes *lanes, const group_memory *m, lane_owner *owner, int left,
                      bool *stands)
{
  const int width = lanes->kernel->width;
  const lane_place first = {&lanes->table, m->state, width};
  double cause[RH_LANES_MAX] = {0};
  int went = left;
  owner->table = &lanes->table;
  if (lanes->trees == 1) {
    return lanes->kernel->step(&lanes->table, m->state, m->scratch, m->help, left, stands);
  }
  copy_numbers(m->kept, m->state, LANE_STATE * width * lanes->trees);
  for (int k = 0; k < lanes->trees && went != 0; k++) {
    lane_place at = rh_lanes_tree_place(lanes, first, k);
    bool stale = false;
    owner->table = at.t;
    begin_sums(at);
    int moved = lanes->kernel->step(at.t, at.x, m->scratch, m->help, went, &stale);
    for (int i = 0; i < width; i++) {
      cause[i] = (went & ~moved) >> i & 1 ? at.x[LANE_CAUSE * width + i] : cause[i];
    }
    went = moved;
  }
  for (int i = 0; i < width; i++) {
    if (went >> i & 1) {
      add_sums(lanes, first, i);
    } else {
      take_back(lanes, m, i, cause[i]);
    }
  }
  return went;
}

static long step_group(const rh_lanes *lanes, void *memory, const rh_lanes_group *g, int steps,
                       single_step *single)
{
  group_memory m;
  (void)carve_group(lanes, rh_first_line(memory), &m);
  lane_place first = {&lanes->table, m.state, lanes->kernel->width};
  int taken[RH_LANES_MAX];
  memcpy(taken, g->taken, sizeof taken);
  lane_owner owner = {&lanes->table, g};
  long moved = 0;
  bool stands = false;
  m.help->user = &owner;
  m.help->solve = solve_lane;
  int in = load_group(lanes, g, first, taken, single);
  for (int left = lanes_left(g, in, taken, steps); left != 0;
       left = lanes_left(g, in, taken, steps)) {
    int went = step_trees(lanes, &m, &owner, left, &stands);
    if (went != left) {
      in &= ~(left & ~went) | step_others(lanes, g, first, left & ~went, single);
    }
    for (int i = 0; i < g->n; i++) {
      moved += went >> i & 1;
      taken[i] += left >> i & 1;
    }
  }
  finish_group(lanes, g, first, in, taken, steps, single);
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
