// The factor of the inertia of a tree and the products with it, see articulated.h.
#include "base/wide.h"
#include "stepping/stepping.h"

#include "math/four.h"

// ---- The factor H^ = L' L

RH_WIDE
void rh_step_tree_factor(const rh_step_trees *t, const rh_step_tree *tree)
{
  double *L = t->L; // kept at hand: stores of fours may be to anything
  double *iL = t->iL;
  const int *dof = t->dof;
  const int *start = t->row;
  const int *place = t->pos;
  const int *parent = t->parent;
  const int first = tree->z;
  for (int z = first + tree->nz - 1; z >= first; z--) {
    if (dof[z] == RH_NONE) {
      continue;
    }
    double *row = L + start[z];
    int pos = place[z];
    int end = (pos + 4) / 4 * 4;
    double root = sqrt(row[pos]);
    double inverse = 1 / root;
    iL[z] = inverse;
    for (int s = 0; s < end; s += 4) {
      *(rh_four *)(row + s) *= inverse;
    }
    row[pos] = root;
    for (int s = pos + 1; s < end; s++) { // what rows of descendants have left there
      row[s] = 0;
    }
    for (int i = parent[z]; i != RH_NONE; i = parent[i]) {
      const unsigned at = (unsigned)place[i];
      rh_four_take(L + start[i], row[at], row, (int)((at + 4) / 4 * 4));
    }
  }
}

RH_WIDE
static double row_dot(const rh_step_trees *t, int body, int z, const double *x)
{
  const rh_step_run *run = t->run + t->way[body].run;
  const double *row = t->L + t->row[z];
  int left = (t->pos[z] + 4) / 4 * 4;
  double sum = 0;
  for (; left > 0; run++) {
    int n = run->n < left ? run->n : left;
    sum += rh_four_dot(row, x + run->z, n);
    row += n;
    left -= n;
  }
  return sum;
}

static int body_at(const rh_step_world *w, int z)
{
  return w->m->dof[w->trees.dof[z]].body;
}

// z := L v
void rh_step_tree_load(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      t->z[z] = row_dot(t, body_at(w, z), z, t->v);
    }
  }
}

// v := L^-1 z
RH_WIDE
void rh_step_tree_unload(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  for (int z = tree->z; z < tree->z + tree->nz; z++) {
    if (t->dof[z] != RH_NONE) {
      t->v[z] = 0;
      t->v[z] = (t->z[z] - row_dot(t, body_at(w, z), z, t->v)) * t->iL[z];
    }
  }
}

// x := L^-T x
RH_WIDE
void rh_step_tree_back(const rh_step_trees *t, int first, int nz, double *x)
{
  for (int z = first + nz - 1; z >= first; z--) {
    if (t->dof[z] == RH_NONE) {
      continue;
    }
    const double *row = t->L + t->row[z];
    double y = x[z] * t->iL[z];
    x[z] = y;
    for (int i = t->parent[z]; i != RH_NONE; i = t->parent[i]) {
      x[i] -= row[t->pos[i]] * y;
    }
  }
}
