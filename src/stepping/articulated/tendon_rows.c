// Tendons in the time-stepping engine. All bodies of a tendon are in trees (world.c), which are in one
// island. Springs, dampers and actuators are forces at the start of a step, or at its middle where a tree
// moves free; limits and dry friction are rows over all degrees of freedom of the trees, in the list of
// the rows of joints.
#include "stepping/stepping.h"

#include "math/four.h"

#include <string.h>

static int tree_of_dof(const rh_step_world *w, int dof)
{
  return w->mobile[w->m->dof[dof].body] - w->nfree - 1;
}

// The first tree of a tendon; RH_NONE: nothing of it moves.
static int first_tree(const rh_step_world *w, int tendon)
{
  const rh_model_tendon *t = &w->m->tendons.of[tendon];
  return t->ndof == 0 ? RH_NONE : tree_of_dof(w, w->m->tendons.dof[t->dof]);
}

// Is dof number k of the tendon the first one of its tree?
static bool opens_tree(const rh_step_world *w, const rh_model_tendon *t, int k)
{
  const int *dof = w->m->tendons.dof + t->dof;
  for (int i = 0; i < k; i++) {
    if (tree_of_dof(w, dof[i]) == tree_of_dof(w, dof[k])) {
      return false;
    }
  }
  return true;
}

bool rh_step_in_tendon(const rh_model *m, int body)
{
  for (int i = 0; i < m->tendons.ndof; i++) {
    if (m->dof[m->tendons.dof[i]].body == body) {
      return true;
    }
  }
  return false;
}

int rh_step_tendons_runs(rh_step_world *w)
{
  int count = 0;
  for (int i = 0; i < w->m->tendons.n; i++) {
    const rh_model_tendon *t = &w->m->tendons.of[i];
    int len = 0;
    for (int k = 0; k < t->ndof; k++) {
      if (opens_tree(w, t, k)) {
        len += w->trees.tree[tree_of_dof(w, w->m->tendons.dof[t->dof + k])].nz;
        count++;
      }
    }
    bool limited = isfinite(t->lower) || isfinite(t->upper);
    w->trees.capacity.joint += 2 * limited + (t->friction > 0);
    w->trees.widest = len > w->trees.widest ? len : w->trees.widest;
  }
  return count;
}

void rh_step_tendons_lay_out(rh_step_world *w, rh_step_run *run)
{
  rh_step_trees *trees = &w->trees;
  for (int i = 0; i < w->m->tendons.n; i++) {
    const rh_model_tendon *t = &w->m->tendons.of[i];
    rh_step_branch *b = &trees->tendons.on[i];
    *b = (rh_step_branch){.run = run};
    for (int k = 0; k < t->ndof; k++) {
      if (opens_tree(w, t, k)) {
        const rh_step_tree *tree = &trees->tree[tree_of_dof(w, w->m->tendons.dof[t->dof + k])];
        *run++ = (rh_step_run){tree->z, tree->nz, tree->nz};
        b->nrun++;
        b->len += tree->nz;
      }
    }
  }
}

int rh_step_tendon_mobile(const rh_step_world *w, int tendon, int k)
{
  return w->nfree + 1 + tree_of_dof(w, w->m->tendons.dof[w->m->tendons.of[tendon].dof + k]);
}

void rh_step_tendons_update(const rh_step_world *w, int i)
{
  for (int k = 0; k < w->m->tendons.n; k++) {
    if (first_tree(w, k) == i - w->nfree - 1) {
      rh_tendon_update(w->d, k);
    }
  }
}

static int z_of_dof(const rh_step_world *w, int dof)
{
  int body = w->m->dof[dof].body;
  return w->trees.zadr[body] + dof - w->m->body[body].vadr;
}

void rh_step_tendon_forces(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_model_tendons *all = &w->m->tendons;
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; all->n > 0 && z < tree->z + tree->nz; z++) {
    t->tendons.damp[z] = 0;
  }
  for (int i = 0; i < all->n; i++) {
    const rh_model_tendon *x = &all->of[i];
    double spring = rh_tendon_spring(w->d, i);
    double damping = x->damper * w->d->dyn.tendon[i].speed;
    double effort = rh_tendon_effort(w->d, i);
    for (int k = x->dof; k < x->dof + x->ndof; k++) {
      if (tree_of_dof(w, all->dof[k]) == (int)(tree - t->tree)) {
        int z = z_of_dof(w, all->dof[k]);
        double J = w->d->dyn.tendon_J[k];
        t->joint[z] += J * (spring - damping + effort);
        t->tendons.damp[z] += J * damping;
        t->effort[z] += J * effort;
      }
    }
  }
}

// ---- Rows

static rh_joint_row *add_row(rh_step_worker *worker, int tendon, double sign)
{
  const rh_step_world *w = worker->world;
  const rh_model_tendon *x = &w->m->tendons.of[tendon];
  const rh_step_branch *b = &w->trees.tendons.on[tendon];
  double *z = w->trees.z0; // scratch
  rh_joint_row *line = &worker->rows.joint[worker->rows.njoint];
  double *Y = worker->rows.joint_Y + (size_t)worker->rows.njoint * (size_t)w->trees.widest;
  worker->rows.njoint++;
  double *at = Y;
  for (int k = 0; k < b->nrun; k++) {
    memset(z + b->run[k].z, 0, (size_t)b->run[k].n * sizeof *z);
  }
  for (int k = x->dof; k < x->dof + x->ndof; k++) {
    int dof = w->m->tendons.dof[k];
    bool locked = w->d->hold[dof] == RH_HOLD_LOCK;
    z[z_of_dof(w, dof)] = locked ? 0 : sign * w->d->dyn.tendon_J[k];
  }
  for (int k = 0; k < b->nrun; k++) {
    rh_step_tree_back(&w->trees, b->run[k].z, b->run[k].n, z);
    memcpy(at, z + b->run[k].z, (size_t)b->run[k].n * sizeof *at);
    at += b->run[k].n;
  }
  *line = (rh_joint_row){.on = {.run = b->run, .nrun = b->nrun, .len = b->len, .Y = Y},
                         .dof = w->m->tendons.dof[x->dof],
                         .tendon = tendon,
                         .mobile = rh_step_tendon_mobile(w, tendon, 0)};
  line->w = rh_four_dot(Y, Y, b->len);
  line->iw = line->w > 0 ? 1 / line->w : 0;
  line->u0 = sign * w->d->dyn.tendon[tendon].speed;
  return line;
}

static double gap_of_tendon(const rh_step_world *w, int tendon, double side)
{
  const rh_model_tendon *x = &w->m->tendons.of[tendon];
  double length = w->d->dyn.tendon[tendon].length;
  return side > 0 ? length - x->lower : x->upper - length;
}

static const double NEAR =
    1e-3; // [m] limits nearer than this, or than the way of a step, take part

// of a length beyond its limit, per step: a path is curved, and a step follows its tangent
static const double SHARE = 0.1;

static bool near_limit(const rh_step_world *w, int tendon, double side, double h)
{
  const rh_model_tendon *x = &w->m->tendons.of[tendon];
  double bound = side > 0 ? x->lower : x->upper;
  double way = h * fabs(w->d->dyn.tendon[tendon].speed);
  return isfinite(bound) && gap_of_tendon(w, tendon, side) <= 2 * way + NEAR;
}

bool rh_step_tendons_near(const rh_step_world *w, int i, double h)
{
  bool near = false;
  for (int k = 0; k < w->m->tendons.n; k++) {
    const rh_model_tendon *x = &w->m->tendons.of[k];
    bool limited = isfinite(x->lower) || isfinite(x->upper);
    if (limited && first_tree(w, k) == i - w->nfree - 1) {
      rh_tendon_update(w->d, k);
      near = near || near_limit(w, k, 1, h) || near_limit(w, k, -1, h);
    }
  }
  return near;
}

void rh_step_tendon_dry_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  for (int k = 0; k < w->m->tendons.n; k++) {
    if (first_tree(w, k) == i - w->nfree - 1 && w->m->tendons.of[k].friction > 0) {
      rh_joint_row *line = add_row(worker, k, 1);
      line->kind = RH_STEP_DRY;
      line->limit = line->rest = h * w->m->tendons.of[k].friction;
    }
  }
}

void rh_step_tendon_rows_make(rh_step_worker *worker, int i, double h)
{
  const rh_step_world *w = worker->world;
  rh_step_tendon_dry_make(worker, i, h);
  for (int k = 0; k < w->m->tendons.n; k++) {
    for (int side = 1; first_tree(w, k) == i - w->nfree - 1 && side >= -1; side -= 2) {
      if (near_limit(w, k, side, h)) {
        rh_joint_row *line = add_row(worker, k, side);
        line->kind = RH_STEP_LIMIT;
        line->gap = gap_of_tendon(w, k, side);
        line->bias = line->gap > 0 ? line->gap / h : SHARE * line->gap / w->par.dt;
      }
    }
  }
}

void rh_step_tendon_mark_pressed(const rh_step_world *w, int tendon)
{
  for (int k = 0; k < w->m->tendons.of[tendon].ndof; k++) {
    w->body[rh_step_tendon_mobile(w, tendon, k)].pressed = true;
  }
}
