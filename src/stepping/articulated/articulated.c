// Trees of joints: which there are, and the order of their degrees of freedom, see articulated.h.
#include "stepping/stepping.h"

#include "math/four.h"

#include "base/carve.h"
#include "multibody/multibody.h"

#include <stdint.h>
#include <string.h>

enum { // contact sides, capacity for trees
  BRANCHES_A_SHAPE = 24,
  BRANCHES_ANY = 32,
  BRANCHES_MAX = 1 << 20,
};

static const size_t Y_MAX = (size_t)1 << 25; // numbers of their rows: 256 MB

static int round_to_fours(int n)
{
  return (n + 3) / 4 * 4;
}

static int round_to_lines(int n)
{
  enum { EACH = RH_CACHE_LINE / sizeof(double) };

  return (n + EACH - 1) / EACH * EACH;
}

// ---- The order of the degrees of freedom

// The last degree of freedom of a body or of the nearest ancestor that has one.
static int tip_of(const rh_step_world *w, int body)
{
  const rh_model *m = w->m;
  while (body > 0 && m->body[body].nv == 0) {
    body = m->body[body].parent;
  }
  return body > 0 ? w->trees.zadr[body] + m->body[body].nv - 1 : RH_NONE;
}

// After the last one; a stretch continues if its last one is the parent.
static void add_dof(const rh_step_trees *t, int *next, int parent, int dof)
{
  bool on = parent != RH_NONE && parent + 1 == *next;
  int z = on ? *next : round_to_fours(*next);
  for (int k = *next; k < z; k++) {
    t->dof[k] = t->parent[k] = RH_NONE;
  }
  t->dof[z] = dof;
  t->parent[z] = parent;
  t->first[z] = on ? t->first[parent] : z;
  t->pos[z] = on ? t->pos[parent] + 1 : parent == RH_NONE ? 0 : round_to_fours(t->pos[parent] + 1);
  *next = z + 1;
}

static void add_body(const rh_step_world *w, int body, int *next)
{
  const rh_model_body *b = &w->m->body[body];
  const rh_step_trees *t = &w->trees;
  for (int j = 0; j < b->nv; j++) {
    int parent = j > 0 ? t->zadr[body] + j - 1 : tip_of(w, b->parent);
    add_dof(t, next, parent, b->vadr + j);
    if (j == 0) {
      t->zadr[body] = *next - 1;
    }
  }
}

// Trees in the order of their first bodies; `member` holds bodies tree by tree.
static void find_trees(rh_step_world *w)
{
  const rh_model *m = w->m;
  rh_step_trees *t = &w->trees;
  int placed = 0;
  for (int i = 1; i < m->nbody; i++) {
    int root = m->body[i].tree;
    if (root == i && w->mobile[i] == 0) {
      w->mobile[i] = w->nfree + ++t->n;
    } else if (root != 0 && root != i) {
      w->mobile[i] = w->mobile[root];
    }
    if (w->mobile[i] > w->nfree) {
      t->tree[w->mobile[i] - w->nfree - 1].nbody++;
    }
  }
  for (int i = 0; i < t->n; i++) {
    t->tree[i].body = placed;
    placed += t->tree[i].nbody;
    t->tree[i].nbody = 0;
  }
  for (int i = 1; i < m->nbody; i++) {
    if (w->mobile[i] > w->nfree) {
      rh_step_tree *tree = &t->tree[w->mobile[i] - w->nfree - 1];
      t->member[tree->body + tree->nbody++] = i;
    }
  }
}

// The length of z
static int number_trees(rh_step_world *w)
{
  rh_step_trees *t = &w->trees;
  int next = 0;
  for (int i = 0; i < t->n; i++) {
    rh_step_tree *tree = &t->tree[i];
    tree->z = next;
    for (int k = tree->body; k < tree->body + tree->nbody; k++) {
      add_body(w, t->member[k], &next);
    }
    for (int k = next; k < round_to_lines(next); k++) {
      t->dof[k] = t->parent[k] = RH_NONE;
    }
    tree->nz = round_to_fours(next) - tree->z;
    next = round_to_lines(next);
  }
  return next;
}

// ---- Ways from the root

static int count_runs(const rh_step_trees *t, int tip)
{
  int n = 0;
  for (int z = tip; z != RH_NONE; z = t->parent[t->first[z]]) {
    n++;
  }
  return n;
}

static void fill_way(rh_step_trees *t, rh_root_path *way, int tip, int *used)
{
  *way = (rh_root_path){.run = *used, .nrun = count_runs(t, tip), .tip = tip};
  int k = way->nrun;
  for (int z = tip; z != RH_NONE; z = t->parent[t->first[z]]) {
    int n = round_to_fours(z - t->first[z] + 1);
    t->run[*used + --k] = (rh_step_run){t->first[z], n, z - t->first[z] + 1};
    way->len += n;
  }
  *used += way->nrun;
}

// ---- Memory

static void carve_index(rh_carver *c, const rh_model *m, rh_step_trees *t, int nz)
{
  RH_CARVE(t->tree, m->nbody);
  RH_CARVE(t->member, m->nbody);
  RH_CARVE(t->zadr, m->nbody);
  RH_CARVE(t->way, m->nbody);
  RH_CARVE(t->actuator, m->nactuator);
  RH_CARVE(t->dof, nz);
  RH_CARVE(t->parent, nz);
  RH_CARVE(t->first, nz);
  RH_CARVE(t->pos, nz);
  RH_CARVE(t->row, nz);
}

typedef struct sizes {
  size_t entries; // of L
  int runs;
} sizes;

static void carve_numbers(rh_carver *c, const rh_model *m, rh_step_trees *t, const sizes *n)
{
  size_t nz = (size_t)t->nz;
  RH_CARVE(t->run, n->runs);
  RH_CARVE(t->S, 6 * nz);
  RH_CARVE(t->L, n->entries);
  RH_CARVE(t->iL, nz);
  RH_CARVE(t->z, nz);
  RH_CARVE(t->v, nz);
  RH_CARVE(t->v0, nz);
  RH_CARVE(t->joint, nz);
  RH_CARVE(t->force, nz);
  RH_CARVE(t->soft, nz);
  RH_CARVE(t->effort, nz);
  RH_CARVE(t->grip, nz);
  RH_CARVE(t->Ic, m->nbody);
  RH_CARVE(t->f, m->nbody);
  RH_CARVE(t->pz, nz);
  RH_CARVE(t->z0, nz);
  RH_CARVE(t->z1, nz);
  RH_CARVE(t->start.ahead, m->nq);
  RH_CARVE(t->start.q, m->nq);
  RH_CARVE(t->start.v, nz);
  RH_CARVE(t->start.body, m->nbody);
  RH_CARVE(t->loop_order, m->nloop);
  RH_CARVE(t->tendons.on, m->tendons.n);
  RH_CARVE(t->tendons.damp, m->tendons.n ? nz : 0);
}

// Memory for all trees at once, as if they were one island. Unused pages take no memory.
static void carve_rows(rh_carver *c, const rh_step_trees *t, rh_step_tree_rows *rows)
{
  size_t widest = (size_t)t->widest;
  RH_CARVE(rows->scratch, 6 * widest);
  RH_CARVE(rows->loop, t->capacity.loop);
  RH_CARVE(rows->loop_Y, (size_t)t->capacity.loop * (size_t)t->sides * RH_LOOP_ROWS * widest);
  RH_CARVE(rows->joint, t->capacity.joint);
  RH_CARVE(rows->joint_Y, (size_t)t->capacity.joint * widest);
  RH_CARVE(rows->branch, t->capacity.branch);
  RH_CARVE(rows->Y, t->capacity.Y);
}

rh_status rh_step_tree_rows_create(const rh_step_trees *t, rh_step_tree_rows *rows)
{
  rh_carver c = {NULL, 0};
  carve_rows(&c, t, rows);
  rows->memory = rh_realloc(NULL, c.used + RH_CACHE_LINE);
  if (!rows->memory) {
    return RH_OUT_OF_MEMORY;
  }
  c = (rh_carver){rh_first_line(rows->memory), 0};
  carve_rows(&c, t, rows);
  memset(rows->loop, 0, (size_t)t->capacity.loop * sizeof *rows->loop);
  return RH_OK;
}

void rh_step_tree_rows_destroy(rh_step_tree_rows *rows)
{
  rh_free(rows->memory);
}

static int room_of(const rh_step_world *w)
{
  const rh_model *m = w->m;
  int shapes = 0;
  for (int i = 0; i < m->nshape; i++) {
    shapes += w->mobile[m->shape[i].body] > w->nfree;
  }
  int most = shapes < BRANCHES_MAX / BRANCHES_A_SHAPE ? BRANCHES_ANY + BRANCHES_A_SHAPE * shapes
                                                      : BRANCHES_MAX;
  return shapes == 0 ? 0 : most < 2 * w->contacts.capacity ? most : 2 * w->contacts.capacity;
}

static void number_actuators(rh_step_world *w)
{
  const rh_model *m = w->m;
  rh_step_trees *t = &w->trees;
  int used = 0;
  for (int i = 0; i < t->n; i++) {
    t->tree[i].act = used;
    for (int k = 0; k < m->nactuator; k++) {
      int dof = m->actuator[k].dof; // actuators of tendons: tendon_rows.c
      if (dof != RH_NONE && w->mobile[m->dof[dof].body] == w->nfree + 1 + i) {
        t->actuator[used++] = k;
      }
    }
    t->tree[i].nact = used - t->tree[i].act;
    t->tree[i].driven = t->tree[i].nact > 0 || m->tendons.n > 0;
  }
}

static sizes lay_out_trees(rh_step_world *w)
{
  const rh_model *m = w->m;
  rh_step_trees *t = &w->trees;
  sizes n = {0, 0};
  find_trees(w);
  t->nz = number_trees(w);
  for (int z = 0; z < t->nz; z++) {
    const rh_model_dof *f = t->dof[z] == RH_NONE ? NULL : &m->dof[t->dof[z]];
    t->row[z] = (int)n.entries;
    n.entries += f ? (size_t)round_to_fours(t->pos[z] + 1) : 0;
    if (f) {
      rh_step_tree *tree = &t->tree[w->mobile[f->body] - w->nfree - 1];
      tree->nlimit += isfinite(f->lower) + isfinite(f->upper);
      tree->ndof++;
      tree->ndry += f->stiction > 0;
    }
    t->capacity.joint += f ? isfinite(f->lower) + isfinite(f->upper) + (f->stiction > 0) : 0;
  }
  for (int i = 0; i < m->nbody; i++) {
    bool mine = i > 0 && w->mobile[i] > w->nfree;
    t->way[i].tip = mine ? tip_of(w, i) : RH_NONE;
    n.runs += count_runs(t, t->way[i].tip);
    t->widest = mine && round_to_fours(t->pos[t->way[i].tip] + 1) > t->widest
                    ? round_to_fours(t->pos[t->way[i].tip] + 1)
                    : t->widest;
  }
  number_actuators(w);
  n.runs += rh_step_tendons_runs(w);
  t->capacity.branch = (w->laws.turn ? 2 : 1) * room_of(w);
  t->capacity.loop = m->nloop;
  t->sides = 2;
  for (int k = 0; k < m->nloop; k++) {
    t->sides = 2 + m->loop[k].nterm > t->sides ? 2 + m->loop[k].nterm : t->sides;
  }
  size_t most = 3 * (size_t)t->widest * (size_t)t->capacity.branch;
  t->capacity.Y = most < Y_MAX ? most : Y_MAX;
  return n;
}

rh_status rh_step_trees_create(rh_step_world *w)
{
  const rh_model *m = w->m;
  rh_step_trees *t = &w->trees;
  int nz = 8 * (m->nv - 6 * w->nfree) + 8; // each on a line of its own
  int used = 0;
  rh_carver c = {NULL, 0};
  carve_index(&c, m, t, nz);
  t->index = rh_alloc(c.used);
  if (!t->index) {
    return RH_OUT_OF_MEMORY;
  }
  c = (rh_carver){t->index, 0};
  carve_index(&c, m, t, nz);
  sizes n = lay_out_trees(w);
  c = (rh_carver){NULL, 0};
  carve_numbers(&c, m, t, &n);
  t->block = rh_alloc(c.used + RH_CACHE_LINE);
  if (!t->block) {
    return RH_OUT_OF_MEMORY;
  }
  c = (rh_carver){rh_first_line(t->block), 0};
  carve_numbers(&c, m, t, &n);
  for (int i = 0; i < m->nbody; i++) {
    fill_way(t, &t->way[i], t->way[i].tip, &used);
  }
  rh_step_tendons_lay_out(w, t->run + used);
  return RH_OK;
}

void rh_step_trees_measure(rh_step_world *w)
{
  rh_step_worker *worker = &w->worker[0];
  rh_kinematics(w->d);
  for (int i = 0; i < w->m->tendons.n; i++) {
    rh_tendon_update(w->d, i);
  }
  for (int i = 0; i < w->trees.n; i++) {
    worker->rows.stiff = false;
    rh_step_tree_make(worker, w->nfree + 1 + i, w->par.dt);
    w->trees.tree[i].stiff = worker->rows.stiff;
  }
}

void rh_step_trees_destroy(rh_step_trees *t)
{
  rh_free(t->index);
  rh_free(t->block);
}

// ---- The state

void rh_step_trees_load(rh_step_world *w)
{
  rh_step_trees *t = &w->trees;
  rh_kinematics(w->d); // bodies that do not move keep theirs
  for (int i = 0; i < t->n; i++) {
    rh_step_tree *tree = &t->tree[i];
    tree->held = tree->stands = false;
    for (int z = tree->z; z < tree->z + tree->nz; z++) {
      int k = t->dof[z];
      tree->held = tree->held || (k != RH_NONE && w->d->hold[k] == RH_HOLD_LOCK);
    }
  }
}

void rh_step_tree_place(const rh_step_world *w, int i)
{
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  if (!tree->stands) {
    rh_kinematics_of(w->d, w->trees.member + tree->body, tree->nbody);
    tree->stands = true;
  }
}

enum { TREES = 4 }; // per task

static void stand_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int i = task * TREES; i < (task + 1) * TREES && i < w->trees.n; i++) {
    rh_step_tree_place(w, w->nfree + 1 + i);
  }
}

void rh_step_trees_place(rh_step_world *w)
{
  rh_step_trees *t = &w->trees;
  if (t->n > 0 && w->m->ncontroller > 0) { // they may read everything
    rh_step_store_state(w);
    rh_kinematics(w->d);
    rh_loads(w->d);
  }
  rh_step_parallel_for(w, stand_some, (t->n + TREES - 1) / TREES);
}

// ---- Rest

double rh_step_tree_energy(const rh_step_world *w, int i, const double *z)
{
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  return 0.5 * rh_four_dot(z + tree->z, z + tree->z, tree->nz);
}

bool rh_step_tree_rests(const rh_step_world *w, int i, double slow)
{
  const rh_step_trees *t = &w->trees;
  double mass = t->Ic[t->member[t->tree[i - w->nfree - 1].body]].mass;
  return 2 * rh_step_tree_energy(w, i, t->z) <= mass * slow * slow;
}

void rh_step_tree_stop(const rh_step_world *w, int i)
{
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  memset(w->trees.z + tree->z, 0, (size_t)tree->nz * sizeof *w->trees.z);
}

// ---- Forces from outside

bool rh_step_hand_holds(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_hand *hand = w->d->hand;
  return hand && hand->body != 0 &&
         w->mobile[(int)hand->body] - w->nfree - 1 == (int)(tree - w->trees.tree);
}

void rh_step_tree_forces_outside(const rh_step_world *w, rh_step_tree *tree)
{
  const rh_model *m = w->m;
  const rh_data *d = w->d;
  const rh_step_trees *t = &w->trees;
  tree->pushed = false;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    const rh_force *f = &d->wrench[i];
    d->wrench[i] = d->fext[i];
    if (m->body[i].gravcomp != 0) {
      d->wrench[i] = rh_force_add(d->wrench[i], rh_carried_weight(d, i));
    }
    if (rh_medium_acts(m, i)) {
      d->wrench[i] = rh_force_add(d->wrench[i], rh_medium_force(d, i));
    }
    tree->pushed = tree->pushed || f->lin.x != 0 || f->lin.y != 0 || f->lin.z != 0 ||
                   f->ang.x != 0 || f->ang.y != 0 || f->ang.z != 0;
  }
  for (int i = 0; i < m->nforce; i++) {
    const rh_model_force *f = &m->force[i];
    if (d->acting[i] == 0 || w->mobile[f->body] - w->nfree - 1 != (int)(tree - t->tree)) {
      continue;
    }
    const rh_kin_body *b = &d->kin[f->body];
    rh_force x = {f->torque, f->force};
    if (f->frame == 1) {
      x.ang = rh_rotate(&b->R, x.ang);
      x.lin = rh_rotate(&b->R, x.lin);
    }
    x = rh_force_shift_back(x, rh_rotate(&b->R, f->at));
    tree->pushed = true;
    d->wrench[f->body] = rh_force_add(d->wrench[f->body], x);
  }
  if (rh_step_hand_holds(w, tree)) {
    int body = (int)d->hand->body;
    rh_vec3 grip = rh_v3(d->hand->grip[0], d->hand->grip[1], d->hand->grip[2]);
    tree->pull =
        rh_force_shift_back((rh_force){.lin = rh_hand_force(d)}, rh_rotate(&d->kin[body].R, grip));
    tree->pushed = true;
    d->wrench[body] = rh_force_add(d->wrench[body], tree->pull);
  }
}
