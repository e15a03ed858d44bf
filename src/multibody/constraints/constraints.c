// The table of constraints on velocities, from constraints.def, and their rows in a world.
#include "multibody/multibody.h"

#include "base/table.h"

#include <string.h>

#define RH_CONSTRAINT_KIND(name) extern const rh_constraint_kind rh_constraint_kind_##name;
#include "constraints.def"
#undef RH_CONSTRAINT_KIND

static const rh_constraint_kind *const table[] = {
#define RH_CONSTRAINT_KIND(name) &rh_constraint_kind_##name,
#include "constraints.def"
#undef RH_CONSTRAINT_KIND
};

RH_ROW_TABLE(constraint_kind)

// ---- Rows at a state

static void read_joints(const rh_data *d, const rh_model_loop *l, rh_constraint_at *at)
{
  const rh_model *m = d->model;
  at->n = l->nterm;
  for (int i = 0; i < l->nterm; i++) {
    const rh_model_body *body = &m->body[m->dof[l->dof[i]].body];
    int coord = body->qadr + l->dof[i] - body->vadr;
    at->q[i] = body->joint->scalar ? d->q[coord] : 0;
    at->dq[i] = d->v[l->dof[i]];
    at->given[i] = l->coef[i];
  }
}

void rh_constraint_stand(const rh_data *d, const rh_model_loop *l, const rh_kin_body *a,
                         const rh_kin_body *b, rh_constraint_rows rows[2])
{
  const rh_kin_body *const body[2] = {a, b};
  rh_constraint_at at = {.n = 0};
  rh_loop_ends(l, a, b, at.end);
  for (int side = 0; side < 2; side++) {
    at.v[side] = rh_end_velocity(body[side], at.end[side].p);
  }
  read_joints(d, l, &at);
  memset(rows, 0, 2 * sizeof *rows);
  l->constraint->rows(&at, l->par, &rows[0], &rows[1]);
}

void rh_tie_stand(const rh_data *d, const rh_model_loop *l, const rh_kin_body *a,
                  const rh_kin_body *b, rh_tie *tie)
{
  memset(tie, 0, sizeof *tie);
  tie->n = l->nrow;
  if (l->kind) {
    rh_xform end[2];
    rh_loop_ends(l, a, b, end);
    l->kind->rows(&end[0], &end[1], l->par, tie->row);
    tie->nplace = l->kind->nplace;
    tie->at[0] = end[0].p;
    tie->at[1] = end[1].p;
    return;
  }
  rh_constraint_rows rows[2];
  rh_constraint_stand(d, l, a, b, rows);
  tie->nplace = l->nrow;
  tie->at[0] = tie->at[1] = rows[0].point;
  for (int i = 0; i < l->nrow; i++) {
    tie->row[i] = (rh_loop_row){rows[0].push[i], rows[0].turn[i], rows[0].gap[i]};
    tie->speed[i] = rows[0].speed[i];
  }
  memcpy(tie->coef, rows[0].coef, sizeof tie->coef);
}
