// articulated_state.c: trees at the start of a step: where their bodies are, whether they rest.
#include "four.h"
#include "multibody/multibody.h"
#include "stepping.h"

#include <string.h>

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
