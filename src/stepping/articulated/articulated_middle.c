// The midpoint rule for trees, of order two: forces at q0 + h v0/2, springs and dampers at the mean of
// start and end, and the bias once more at the mean velocity. A tree without contact, whose springs are
// not too stiff to oscillate within steps, takes whole steps by it, with limits that hold its joints
// as rows at the middle; a tree with rows that turns takes its velocities without rows from it. Trees
// by run.midpoint are moved to the middle with their contacts, where those last (step_middle.c).
#include "stepping/stepping.h"

#include "multibody/multibody.h"

#include <string.h>

// Dry friction of a tree alone. It starts from its present impulses.
static void solve_dry_friction(rh_step_worker *worker, bool first)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  for (int k = 0; !first && k < worker->rows.njoint; k++) {
    rh_step_branch_nudge(&worker->rows.joint[k].on, 0, t->z, worker->rows.joint[k].p);
  }
  for (int k = 0; worker->rows.njoint > 0 && k < (int)w->par.iterations; k++) {
    worker->tally.sweeps++;
    if (rh_step_joint_rows_visit(worker) <= 1e-3 * w->par.tolerance) {
      break;
    }
  }
}

// Velocities at the end of h, t->v, with the forces at the middle, where the coordinates are; `alone`:
// with the dry friction of the tree
static void velocity_by_middle(rh_step_worker *worker, int i, double h, bool alone)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  rh_data *d = w->d;
  rh_kinematics_of(d, t->member + tree->body, tree->nbody);
  rh_step_tendons_update(w, i);
  rh_step_tree_make_at(worker, tree, h, 0.5);
  if (alone) {
    worker->rows.njoint = 0;
    rh_step_dry_make(worker, i, h);
    rh_step_tendon_dry_make(worker, i, h);
    rh_step_limits_hold(worker, i, h);
  }
  rh_step_tree_integrate_velocity(w, i, h);
  if (alone) {
    solve_dry_friction(worker, true);
  }
  rh_step_tree_unload(w, tree);
  for (int z = tree->z; z < tree->z + tree->nz; z++) { // the bias again, at the mean velocity
    t->v[z] = 0.5 * (t->v0[z] + t->v[z]);
  }
  rh_step_tree_give_velocity(w, tree);
  rh_kinematics_of(d, t->member + tree->body, tree->nbody);
  rh_step_tree_bias_again(w, tree);
  memcpy(t->v + tree->z, t->v0 + tree->z, (size_t)tree->nz * sizeof *t->v);
  rh_step_tree_load(w, tree);
  rh_step_tree_integrate_velocity(w, i, h);
  if (alone) {
    solve_dry_friction(worker, false);
    rh_step_joint_rows_settle(worker);
  }
  rh_step_tree_unload(w, tree);
}

static void move_tree_free(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_advance(w, tree, 0.5 * h);
  velocity_by_middle(worker, i, h, true);
  rh_step_tree_add_work(worker, tree, h, 0.5);
  rh_step_tree_give_velocity(w, tree);
  rh_step_joint_rows_rest(worker);
  rh_step_limits_rest(worker);
  rh_step_tree_advance(w, tree, 0.5 * h);
}

static double fastest_spin(const rh_step_world *w, const rh_step_tree *tree)
{
  double spin = 0;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    spin = fmax(spin, rh_norm(w->d->kin[w->trees.member[k]].v.ang));
  }
  return spin;
}

void rh_step_tree_copy_coordinates(const rh_step_world *w, const rh_step_tree *tree, double *kept,
                                   bool back)
{
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    const rh_model_body *b = &w->m->body[w->trees.member[k]];
    double *q = w->d->q + b->qadr;
    double *x = kept + b->qadr;
    memcpy(back ? q : x, back ? x : q, (size_t)b->joint->nq * sizeof *q);
  }
}

// A tree with rows that turns: inertia and rows are of the start of h, and the velocities without
// rows those of the midpoint rule, so that no spin gains energy.
static void make_tree_ahead(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  size_t bytes = (size_t)tree->nz * sizeof *t->v;
  rh_step_tree_copy_coordinates(w, tree, t->start.ahead, false);
  rh_step_tree_advance(w, tree, 0.5 * h);
  velocity_by_middle(worker, i, h, false);
  memcpy(t->z0 + tree->z, t->v + tree->z, bytes);
  memcpy(t->v + tree->z, t->v0 + tree->z, bytes);
  rh_step_tree_give_velocity(w, tree);
  rh_step_tree_copy_coordinates(w, tree, t->start.ahead, true);
  rh_step_tree_place(w, i);
  rh_step_tree_make_at(worker, tree, h, 0.5);
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->v[z] = (t->z0[z] - t->v0[z]) / h;
  }
  memcpy(t->z0 + tree->z, t->z + tree->z, bytes);
  rh_step_tree_load(w, tree);
  memcpy(t->force + tree->z, t->z + tree->z, bytes);
  memcpy(t->z + tree->z, t->z0 + tree->z, bytes);
  memcpy(t->v + tree->z, t->v0 + tree->z, bytes);
}

// Springs, dampers and actuators act as at the end of the step.
static bool has_joint_forces(const rh_step_world *w, const rh_step_tree *tree)
{
  bool any = tree->nact > 0;
  for (int z = tree->z; !any && z < tree->z + tree->nz; z++) {
    const rh_model_dof *f = w->trees.dof[z] == RH_NONE ? NULL : &w->m->dof[w->trees.dof[z]];
    any = f && (f->spring != 0 || f->damper != 0);
  }
  return any;
}

void rh_step_tree_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_place(w, i);
  bool joined = w->m->nloop > 0 || w->m->tendons.n > 0; // loops follow the chord; tendons pull
  tree->middle = !joined && fastest_spin(w, tree) > RH_STEP_SLIGHT && !has_joint_forces(w, tree);
  if (tree->middle) {
    make_tree_ahead(worker, i, h);
  } else {
    rh_step_tree_make_at(worker, tree, h, 1);
  }
}

double rh_step_tree_turns(const rh_step_world *w, int i)
{
  return fastest_spin(w, &w->trees.tree[i - w->nfree - 1]);
}

double rh_step_tree_turn_time(const rh_step_world *w, int i)
{
  double spin = rh_step_tree_turns(w, i);
  return spin > 0 ? RH_STEP_TREE_TURN / spin : HUGE_VAL;
}

// Fast spinning bodies take the step in parts: the number of them.
static int parts_of_step(const rh_step_world *w, const rh_step_tree *tree, double h, int finer)
{
  double turn = fastest_spin(w, tree) * h;
  return (int)fmin(finer * (turn > RH_STEP_TREE_TURN ? ceil(turn / RH_STEP_TREE_TURN) : 1), 1000);
}

void rh_step_tree_move_free(rh_step_worker *worker, int i, double h, int finer)
{
  const rh_step_world *w = worker->world;
  int parts = parts_of_step(w, &w->trees.tree[i - w->nfree - 1], h, finer);
  for (int k = 0; k < parts; k++) {
    if (k > 0) {
      rh_step_tree_place(w, i);
    }
    move_tree_free(worker, i, h / parts);
  }
}

// All parts of h, as long as the limits are kept
static bool move_parts_held(rh_step_worker *worker, int i, double h, int parts)
{
  bool kept = true;
  for (int k = 0; kept && k < parts; k++) {
    rh_step_tree_place(worker->world, i);
    kept = rh_step_limits_may_last(worker->world, i, h / parts);
    if (kept) {
      move_tree_free(worker, i, h / parts);
      kept = rh_step_limits_kept(worker, i);
    }
  }
  return kept;
}

bool rh_step_tree_move_held(rh_step_worker *worker, int i, double h, int finer)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  double work[RH_WORK_COUNT];
  double impact_work = worker->result.impact_work;
  if (tree->stiff || !rh_step_limits_may_last(w, i, h)) {
    return false;
  }
  rh_step_tree_place(w, i);
  memcpy(work, worker->result.work, sizeof work);
  rh_step_tree_copy_coordinates(w, tree, t->start.ahead, false);
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    t->z1[z] = t->dof[z] == RH_NONE ? 0 : w->d->v[t->dof[z]];
  }
  if (move_parts_held(worker, i, h, parts_of_step(w, tree, h, finer))) {
    return true;
  }
  rh_step_tree_copy_coordinates(w, tree, t->start.ahead, true);
  memcpy(t->v + tree->z, t->z1 + tree->z, (size_t)tree->nz * sizeof *t->v);
  rh_step_tree_give_velocity(w, tree);
  tree->stands = false;
  memcpy(worker->result.work, work, sizeof work);
  worker->result.impact_work = impact_work;
  return false;
}

// ---- With contacts that last

bool rh_step_tree_may_middle(const rh_step_world *w, int i, double h)
{
  const rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  int which = (int)w->par.midpoint;
  bool usual = tree->driven || tree->ndof <= RH_STEP_SMALL_TREE;
  bool asked = which == RH_STEP_ALL_TREES || (which == RH_STEP_USUAL_TREES && usual);
  return asked && !tree->stiff && w->m->tendons.n == 0 &&
         fastest_spin(w, tree) * h <= RH_STEP_TREE_TURN;
}

static void move_tree_to_middle(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_copy_coordinates(w, tree, w->trees.start.ahead, false);
  memcpy(w->trees.v + tree->z, w->trees.v0 + tree->z, (size_t)tree->nz * sizeof *w->trees.v);
  rh_step_tree_give_velocity(w, tree);
  rh_step_tree_advance(w, tree, 0.5 * h);
  rh_step_tree_place(w, i);
  rh_step_tree_make_at(worker, tree, h, 0.5);
  tree->middle = tree->midway = true;
}

void rh_step_trees_to_middle(rh_step_worker *worker, const rh_step_island *s, double h)
{
  const rh_step_world *w = worker->world;
  worker->rows.nbranch = 0;
  worker->rows.nY = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    if (w->member[k] > w->nfree) {
      move_tree_to_middle(worker, w->member[k], h);
    }
  }
  rh_step_joint_rows_again(worker);
  rh_step_loops_to_middle(worker, h);
}

void rh_step_tree_restart(rh_step_worker *worker, int i, bool known)
{
  const rh_step_world *w = worker->world;
  const rh_step_trees *t = &w->trees;
  rh_step_tree *tree = &t->tree[i - w->nfree - 1];
  if (known) {
    rh_step_tree_unload(w, tree);
    for (int z = tree->z; z < tree->z + tree->nz; z++) {
      t->v[z] = 0.5 * (t->v0[z] + t->v[z]);
    }
    rh_step_tree_give_velocity(w, tree);
    rh_kinematics_of(w->d, t->member + tree->body, tree->nbody);
    rh_step_tree_bias_again(w, tree);
  }
  memcpy(t->v + tree->z, t->v0 + tree->z, (size_t)tree->nz * sizeof *t->v);
  rh_step_tree_give_velocity(w, tree);
  rh_step_tree_load(w, tree);
}

void rh_step_tree_leave_middle(const rh_step_world *w, int i)
{
  rh_step_tree *tree = &w->trees.tree[i - w->nfree - 1];
  rh_step_tree_copy_coordinates(w, tree, w->trees.start.ahead, true);
  memcpy(w->trees.v + tree->z, w->trees.v0 + tree->z, (size_t)tree->nz * sizeof *w->trees.v);
  rh_step_tree_give_velocity(w, tree);
  tree->stands = tree->midway = false;
}
