// rigid_islands.c: which rigid contacts take part, and which of them share moving bodies: islands.
#include "rigid.h"

#include "base/union_find.h"
#include "multibody/multibody.h"

#include <math.h>

static int tree_of(const rh_data *d, int slot, bool of_b)
{
  const rh_contact *c = &d->contact[slot];
  return d->model->body[of_b ? c->b : c->a].tree;
}

static void join_two(rh_data *d, int x, int y)
{
  if (x != 0 && y != 0) { // bodies that do not move join nothing
    rh_join(rh_rigid(d)->joined, x, y);
  }
}

// Trees that a loop or a constraint on velocities joins
static void join_constraint(rh_data *d, const rh_model_loop *l)
{
  const rh_model *m = d->model;
  int first = m->body[l->a].tree != 0 ? m->body[l->a].tree : m->body[l->b].tree;
  join_two(d, m->body[l->a].tree, m->body[l->b].tree);
  for (int k = 0; k < l->nterm; k++) {
    int tree = m->body[m->dof[l->dof[k]].body].tree;
    join_two(d, first, tree);
    first = first != 0 ? first : tree;
  }
}

// Trees that contacts, loops or constraints join have the same lowest tree.
static void join_trees(rh_data *d)
{
  const rh_model *m = d->model;
  rh_join_none(rh_rigid(d)->joined, m->nbody);
  for (int k = rh_rows_first(m); k < m->nloop; k++) {
    join_constraint(d, &m->loop[k]);
  }
  for (int i = 0; i < rh_rigid(d)->n; i++) {
    join_two(d, tree_of(d, rh_rigid(d)->slot[i], false), tree_of(d, rh_rigid(d)->slot[i], true));
  }
}

static int island_of(const rh_data *d, int slot)
{
  int x = rh_join_lowest(rh_rigid(d)->joined, tree_of(d, slot, false));
  return x ? x : rh_join_lowest(rh_rigid(d)->joined, tree_of(d, slot, true));
}

static void gather_modes(rh_data *d, double least, double greatest)
{
  rh_rigid(d)->n = 0;
  for (int k = 0; k < d->ncontact && rh_rigid(d)->n < d->model->nrigid; k++) {
    double mode = d->slot[k].mode;
    if (rh_slot_rigid(d, k) && mode >= least && mode <= greatest) {
      rh_rigid(d)->slot[rh_rigid(d)->n++] = k;
    }
  }
  join_trees(d);
  for (int i = 1; i < rh_rigid(d)->n; i++) { // by insertion: stable, and they are few
    int x = rh_rigid(d)->slot[i];
    int j = i;
    for (; j > 0 && island_of(d, rh_rigid(d)->slot[j - 1]) > island_of(d, x); j--) {
      rh_rigid(d)->slot[j] = rh_rigid(d)->slot[j - 1];
    }
    rh_rigid(d)->slot[j] = x;
  }
}

void rh_rigid_gather(rh_data *d, rh_closed least)
{
  gather_modes(d, least, HUGE_VAL);
}

void rh_rigid_gather_stepped(rh_data *d)
{
  gather_modes(d, -HUGE_VAL, RH_CLOSED_STEPPED);
}

void rh_rigid_gather_all(rh_data *d)
{
  gather_modes(d, -HUGE_VAL, HUGE_VAL);
}

int rh_rigid_island(const rh_data *d, int first)
{
  int end = first + 1;
  while (end < rh_rigid(d)->n &&
         island_of(d, rh_rigid(d)->slot[end]) == island_of(d, rh_rigid(d)->slot[first])) {
    end++;
  }
  return end;
}
