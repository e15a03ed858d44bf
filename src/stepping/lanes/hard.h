// hard.h: rows that sweeps do not solve, or whose loads may be shared in other ways, lane by lane by the solver of
// the engine (lanes.c). On a GPU nobody helps: the lane is not moved.
#ifndef ROUTH_STEPPING_LANES_HARD_H
#define ROUTH_STEPPING_LANES_HARD_H

#include "solve.h"

// Before the first sweep, for solve_hard
LANE_FN void keep_start(const lane_table *t, lane_scratch *s)
{
  for (int i = 0; i < s->nrow; i++) {
    for (int k = 0; k < 3; k++) {
      s->row[i].p_start[k] = s->row[i].p[k];
    }
  }
  for (int k = 0; k < s->nline; k++) {
    s->line[k].p_start = s->line[k].p;
  }
  for (int j = 0; j < t->ndof; j++) {
    s->z_start[j] = s->z[j];
  }
}

#ifndef __CUDACC__
LANE_FN double *lane_at(const num *x, int lane)
{
  return (double *)(void *)x + lane;
}

static void copy_row(const lane_table *t, const lane_row *c, int lane, lane_row_copy *to)
{
  const double one[] = {*lane_at(&c->w, lane), *lane_at(&c->iw, lane), *lane_at(&c->bias, lane),
                        *lane_at(&c->mu, lane)};
  const vec *axis[2] = {&c->t1, &c->t2};
  double *tangent[2] = {to->t1, to->t2};
  to->pair = c->pair;
  to->w = one[0];
  to->iw = one[1];
  to->bias = one[2];
  to->mu = one[3];
  for (int i = 0; i < 2; i++) {
    to->c[i] = *lane_at(&c->c[i], lane);
    to->l[i] = *lane_at(&c->l[i], lane);
    to->il[i] = *lane_at(&c->il[i], lane);
    to->turn[i] = *lane_at(&c->turn[i], lane);
    tangent[i][0] = *lane_at(&axis[i]->x, lane);
    tangent[i][1] = *lane_at(&axis[i]->y, lane);
    tangent[i][2] = *lane_at(&axis[i]->z, lane);
  }
  for (int i = 0; i < 3; i++) {
    to->p[i] = *lane_at(&c->p_start[i], lane);
    for (int e = 0; e < t->body[t->pair[c->pair].body].depth; e++) {
      to->Y[i][e] = *lane_at(&c->Y[i][e], lane);
    }
  }
}

static void copy_line(const lane_table *t, const lane_line *c, int lane, lane_line_copy *to)
{
  *to = (lane_line_copy){.dof = c->dof,
                         .dry = c->dry,
                         .side = c->side,
                         .w = *lane_at(&c->w, lane),
                         .iw = *lane_at(&c->iw, lane),
                         .bias = *lane_at(&c->bias, lane),
                         .limit = c->limit,
                         .rest = c->rest,
                         .u0 = *lane_at(&c->u0, lane),
                         .p = *lane_at(&c->p_start, lane),
                         .gap = *lane_at(&c->gap, lane)};
  for (int e = 0; e <= t->dof[c->dof].depth; e++) {
    to->Y[e] = *lane_at(&c->Y[e], lane);
  }
}

LANE_FN bool is_in(mask on, int lane)
{
  return m_bits(on) >> lane & 1;
}

// One lane by the solver of the engine. False: it has no solution.
static bool solve_lane(const lane_table *t, lane_scratch *s, int lane)
{
  lane_problem *x = &s->help->problem;
  x->n = x->nline = 0;
  for (int i = 0; i < s->nrow; i++) {
    if (is_in(s->row[i].on, lane)) {
      copy_row(t, &s->row[i], lane, &x->row[x->n++]);
    }
  }
  for (int i = 0; i < s->nline; i++) {
    if (is_in(s->line[i].on, lane)) {
      copy_line(t, &s->line[i], lane, &x->line[x->nline++]);
    }
  }
  for (int j = 0; j < t->ndof; j++) {
    x->z[j] = *lane_at(&s->z_start[j], lane);
  }
  if (!s->help->solve(s->help->user, lane, x)) {
    return false;
  }
  for (int j = 0; j < t->ndof; j++) {
    *lane_at(&s->z[j], lane) = x->z[j];
  }
  int n = 0;
  for (int i = 0; i < s->nrow; i++) {
    for (int k = 0; is_in(s->row[i].on, lane) && k < 3; k++) {
      *lane_at(&s->row[i].p[k], lane) = x->row[n].p[k];
      n += k == 2;
    }
  }
  n = 0;
  for (int i = 0; i < s->nline; i++) {
    if (is_in(s->line[i].on, lane)) {
      *lane_at(&s->line[i].p, lane) = x->line[n++].p;
    }
  }
  *lane_at(&s->count, lane) = x->sweeps;
  *lane_at(&s->newton, lane) += x->newton;
  return true;
}

// The lanes of `hard` one by one; those that are solved
LANE_FN mask solve_hard(const lane_table *t, lane_scratch *s, mask hard)
{
  int bits = m_bits(hard);
  int solved = 0;
  for (int i = 0; s->help && i < LANES; i++) {
    solved |= (bits >> i & 1) && solve_lane(t, s, i) ? 1 << i : 0;
  }
  return m_of(solved);
}
#else
LANE_FN mask solve_hard(const lane_table *t, lane_scratch *s, mask hard)
{
  return m_of(0);
}
#endif

#endif
