// problem_group.c: see problem_group.h.
#include "problem_group.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

bool rh_group_read(const rh_inputs *in, rh_group *group)
{
  bool good = rh_input_inertia(in, "D", &group->D, &group->L);
  int nv = good ? group->D.rows : RH_NONE;
  good = rh_input_matrix(in, "J", RH_NONE, nv, RH_GROUP_CONTACTS, &group->J) && good;
  return rh_input_list(in, "qd0", nv, RH_MECHANISM_MAX, &group->v) && good;
}

bool rh_group_make(rh_group *group)
{
  int n = group->J.rows;
  int nv = group->J.columns;
  if (!rh_block_make(&group->X, n, nv) || !rh_block_make(&group->W, n, n) ||
      !rh_block_make(&group->u, n, 1) || !rh_block_make(&group->e, n, 1) ||
      !rh_block_make(&group->p, n, 1) || !rh_block_make(&group->after, n, 1) ||
      !rh_block_make(&group->qd, nv, 1) ||
      !rh_block_make(&group->room, (int)rh_collide_room(n, nv), 1)) {
    return false;
  }
  memcpy(group->X.x, group->J.x, (size_t)n * (size_t)nv * sizeof(double));
  for (int i = 0; i < n; i++) {
    rh_cholesky_solve(nv, group->L.x, group->X.x + (size_t)i * nv);
  }
  rh_collide_matrix(n, nv, group->J.x, group->X.x, group->W.x);
  rh_block_right(&group->J, group->v.x, group->u.x);
  return true;
}

void rh_group_free(rh_group *group)
{
  rh_block *const all[] = {&group->D, &group->L,     &group->J,  &group->v,
                           &group->X, &group->W,     &group->u,  &group->e,
                           &group->p, &group->after, &group->qd, &group->room};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
}

void rh_group_set_e(rh_group *group, double e)
{
  for (int i = 0; i < group->e.rows; i++) {
    group->e.x[i] = e;
  }
}

rh_status rh_group_collide(const rh_inputs *in, rh_group *group, rh_collide_in how,
                           rh_collide_out *out)
{
  how.n = group->J.rows;
  how.nv = group->J.columns;
  how.W = group->W.x;
  how.u = group->u.x;
  how.e = group->e.x;
  if (!rh_collide_map(&how, group->room.x, group->p.x, group->after.x, out)) {
    (void)rh_input_refuse(in, in->map, "the impulses are not finite");
    return RH_NOT_FINITE;
  }
  rh_block_left(&group->X, group->p.x, group->qd.x); // D^-1 J'p
  for (int i = 0; i < group->v.rows; i++) {
    group->qd.x[i] += group->v.x[i];
  }
  return RH_OK;
}

double rh_group_energy(const rh_group *group, const double *v)
{
  double sum = 0;
  for (int i = 0; i < group->D.rows; i++) {
    for (int k = 0; k < group->D.rows; k++) {
      sum += v[i] * group->D.x[(size_t)i * group->D.rows + k] * v[k];
    }
  }
  return sum / 2;
}

bool rh_input_restitutions(const rh_inputs *in, const char *name, rh_block *e)
{
  int node = rh_input_find(in, name);
  bool alone = node != RH_NONE && in->tree->node[node].kind == RH_NODE_SCALAR;
  bool good = rh_input_list(in, name, alone ? 1 : RH_NONE, RH_GROUP_RUNS, e);
  for (int i = 0; good && i < e->rows; i++) {
    good = fabs(e->x[i]) <= 1 ||
           rh_input_refuse(in, node, "%s[%d] must lie in [-1, 1], got %g", name, i, e->x[i]);
  }
  return good;
}
