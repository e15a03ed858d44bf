// The tables of teams, from those of lanes.
#include "team_table.h"

#include <string.h>

static bool fill_levels(const lane_table *from, team_table *to)
{
  int level[LANE_BODIES];
  int most = 0;
  for (int i = 0; i < from->nbody; i++) {
    level[i] = from->body[i].parent < 0 ? 0 : level[from->body[i].parent] + 1;
    most = level[i] > most ? level[i] : most;
    to->bodies.parent[i] = (int8_t)(from->body[i].parent < 0 ? 0 : from->body[i].parent);
    to->mass[i] = from->body[i].mass;
  }
  for (int i = from->nbody - 1; i > 0; i--) { // in the order of gather_tree
    to->mass[to->bodies.parent[i]] += to->mass[i];
  }
  if (most >= TEAM_LEVELS) {
    return false;
  }
  int n = 0;
  for (int k = 0; k <= most; k++) {
    to->bodies.level[k] = (uint8_t)n;
    for (int i = 0; i < from->nbody; i++) {
      if (level[i] == k) {
        to->bodies.order[n++] = (uint8_t)i;
      }
    }
  }
  to->levels = most + 1;
  to->bodies.level[to->levels] = (uint8_t)n;
  return true;
}

// Quarters of sums along the path of a body
static bool fill_path(const lane_table *from, const lane_body *b, team_list path[4])
{
  int at = 0;
  for (int r = b->run; r < b->run + b->nrun; r++) {
    for (int e = 0; e < from->run[r].n; e++) {
      team_list *list = &path[e & 3];
      if (list->n == TEAM_LIST) {
        return false;
      }
      list->dof[list->n] = (uint8_t)(from->run[r].first + e);
      list->at[list->n++] = (uint8_t)at++;
    }
  }
  return true;
}

static void fill_row(const lane_table *from, int j, team_table *to)
{
  const lane_dof *d = &from->dof[j];
  const lane_body *b = &from->body[d->body];
  int at = 0;
  to->row_at[j] = (uint16_t)d->row;
  to->depth[j] = (uint8_t)d->depth;
  for (int r = b->run; r < b->run + b->nrun; r++) {
    for (int e = 0; e < from->run[r].n && at <= d->depth; e++, at++) {
      to->entry[d->row + at] = (uint8_t)j;
      to->ancestor[d->row + at] = (uint8_t)from->ancestor[d->row + at];
      to->quarter[d->row + at] = (uint8_t)((e & 3) | (e + 1 == from->run[r].n ? 4 : 0));
    }
  }
  int q = d->seat & 3;
  to->energy.dof[q][to->energy.n[q]++] = (uint8_t)j;
}

static int take_place(int *used, int n)
{
  int at = *used;
  *used += n;
  return at;
}

static int greater_of(int a, int b)
{
  return a > b ? a : b;
}

// The rows of contacts lie where bodies were, the products with the composite inertia too; what is added up for the energy
// lies in the factor.
static void lay_out(team_table *to)
{
  int n = 0;
  to->S = take_place(&n, 6 * to->ndof);
  to->L = take_place(&n, greater_of(to->nentry, 2 * to->nbody));
  to->iL = take_place(&n, to->ndof);
  to->z = take_place(&n, to->ndof);
  to->force = take_place(&n, to->ndof);
  to->joint = take_place(&n, to->ndof);
  to->v = take_place(&n, to->ndof);
  to->next_v = take_place(&n, to->ndof);
  to->xv = take_place(&n, to->ndof);
  to->q = take_place(&n, to->nq);
  to->next_q = take_place(&n, to->nq);
  to->row = take_place(&n, TEAM_ROW * to->rows);
  to->kin = to->axis = to->Y = n;
  int bodies = n;
  (void)take_place(&bodies, greater_of(TEAM_KIN * to->nbody, TEAM_AXIS * to->ndof));
  to->Ic = take_place(&bodies, TEAM_MASS * to->nbody);
  to->f = take_place(&bodies, TEAM_AXIS * to->nbody);
  to->trig = to->f; // written before forces are
  to->reach = take_place(&bodies, 2 * to->nbody);
  (void)take_place(&n, 3 * to->deep * to->rows);
  to->size = greater_of(n, bodies) | 1;
}

bool rh_team_fill_table(const lane_table *from, int rows, team_table *to)
{
  memset(to, 0, sizeof *to);
  to->nbody = from->nbody;
  to->ndof = from->ndof;
  to->nq = from->nq;
  to->npair = from->npair;
  to->nrule = from->nrule;
  to->nentry = from->nentry;
  to->nwork = from->nwork;
  to->rows = rows < from->npair ? rows : from->npair;
  bool fits = from->plain && fill_levels(from, to);
  for (int i = 0; fits && i < from->nbody; i++) {
    fits = fill_path(from, &from->body[i], to->path[i]);
    to->deep = greater_of(to->deep, from->body[i].depth);
  }
  to->deep |= 1;
  for (int j = 0; j < from->ndof; j++) {
    fill_row(from, j, to);
  }
  int n = 0;
  for (int a = 0; a < LANE_DEEP; a++) {
    for (int e = 0; e <= a; e++, n++) {
      to->pairs.first[n] = (uint8_t)a;
      to->pairs.second[n] = (uint8_t)e;
    }
  }
  lay_out(to);
  return fits;
}
