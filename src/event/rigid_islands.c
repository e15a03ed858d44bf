// rigid_islands.c: which rigid contacts take part, and which of them share moving bodies: islands.
#include "rigid.h"

#include "base/union_find.h"

static int tree_of(const rh_data *d, int slot, bool of_b)
{
  const rh_contact *c = &d->con[slot];
  return d->model->body[of_b ? c->b : c->a].tree;
}

// Trees that contacts join have the same lowest tree.
static void join_trees(rh_data *d)
{
  rh_join_none(d->joined, d->model->nbody);
  for (int i = 0; i < d->nrigid; i++) {
    int x = tree_of(d, d->rigid[i], false);
    int y = tree_of(d, d->rigid[i], true);
    if (x != 0 && y != 0) { // bodies that do not move join nothing
      rh_join(d->joined, x, y);
    }
  }
}

static int island_of(const rh_data *d, int slot)
{
  int x = rh_join_lowest(d->joined, tree_of(d, slot, false));
  return x ? x : rh_join_lowest(d->joined, tree_of(d, slot, true));
}

void rh_rigid_gather(rh_data *d, rh_closed least)
{
  d->nrigid = 0;
  for (int k = 0; k < d->ncon && d->nrigid < d->model->nrigid; k++) {
    if (rh_slot_rigid(d, k) && rh_slot_mode(d, k) >= least) {
      d->rigid[d->nrigid++] = k;
    }
  }
  join_trees(d);
  for (int i = 1; i < d->nrigid; i++) { // by insertion: stable, and they are few
    int x = d->rigid[i];
    int j = i;
    for (; j > 0 && island_of(d, d->rigid[j - 1]) > island_of(d, x); j--) {
      d->rigid[j] = d->rigid[j - 1];
    }
    d->rigid[j] = x;
  }
}

int rh_rigid_island(const rh_data *d, int first)
{
  int end = first + 1;
  while (end < d->nrigid && island_of(d, d->rigid[end]) == island_of(d, d->rigid[first])) {
    end++;
  }
  return end;
}
