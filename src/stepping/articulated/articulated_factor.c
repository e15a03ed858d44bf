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
    int end = rh_four_beyond(pos);
    double root = sqrt(row[pos]);
    double inverse = 1 / root;
    iL[z] = inverse;
    for (int s = 0; s < end; s += 4) {
      *(rh_four *)(row + s) *= inverse;
    }
    row[pos] = root;
    rh_four_pad(row, pos + 1); // what rows of descendants have left there
    for (int i = parent[z]; i != RH_NONE; i = parent[i]) {
      const unsigned at = (unsigned)place[i];
      rh_four_take(L + start[i], row[at], row, (int)((at + 4) / 4 * 4));
    }
  }
}

// A row of L, `left` numbers from the root on, times x
FOUR_INLINE double row_dot(const rh_step_run *run, const double *row, int left, const double *x)
{
  double sum = 0;
  for (; left > 0; run++) {
    int n = run->n < left ? run->n : left;
    sum += rh_four_dot(row, x + run->z, n);
    row += n;
    left -= n;
  }
  return sum;
}

// z := L v
RH_WIDE
void rh_step_tree_load(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  const double *v = t->v;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    const rh_step_run *run = t->run + t->way[i].run;
    int end = t->zadr[i] + w->m->body[i].nv;
    for (int z = t->zadr[i]; z < end; z++) {
      t->z[z] = row_dot(run, t->L + t->row[z], rh_four_beyond(t->pos[z]), v);
    }
  }
}

// v := L^-1 z, from the root on
RH_WIDE
void rh_step_tree_unload(const rh_step_world *w, const rh_step_tree *tree)
{
  const rh_step_trees *t = &w->trees;
  double *v = t->v;
  for (int k = tree->body; k < tree->body + tree->nbody; k++) {
    int i = t->member[k];
    const rh_step_run *run = t->run + t->way[i].run;
    int end = t->zadr[i] + w->m->body[i].nv;
    for (int z = t->zadr[i]; z < end; z++) {
      v[z] = 0;
      v[z] = (t->z[z] - row_dot(run, t->L + t->row[z], rh_four_beyond(t->pos[z]), v)) * t->iL[z];
    }
  }
}

// x := L^-T x
RH_WIDE
void rh_step_tree_back(const rh_step_trees *t, int first, int nz, double *x)
{
  const int *parent = t->parent; // kept at hand, see above
  const int *place = t->pos;
  const int *stretch = t->first;
  for (int z = first + nz - 1; z >= first; z--) {
    if (t->dof[z] == RH_NONE) {
      continue;
    }
    const double *row = t->L + t->row[z];
    double y = x[z] * t->iL[z];
    for (int i = z; i != RH_NONE;) { // stretch by stretch: zeros end a row of L, and those between
      int from = stretch[i];
      rh_four_take(x + from, y, row + place[from], i - from + 1);
      i = parent[from];
    }
    x[z] = y;
  }
}
