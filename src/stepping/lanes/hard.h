// hard.h: rows that sweeps do not solve, or whose loads may be shared in other ways, lane by lane by the solver of
// the engine (lanes.c). On a GPU nobody helps: the lane is not moved.
#ifndef ROUTH_STEPPING_LANES_HARD_H
#define ROUTH_STEPPING_LANES_HARD_H

#include "contact.h"

// Before the first sweep, for solve_hard
LANE_FN void keep_start(const lane_table *t, lane_scratch *s)
{
  for (int i = 0; i < s->nrow; i++) {
    for (int k = 0; k < 3; k++) {
      s->row[i].p_start[k] = s->row[i].p[k];
    }
  }
  for (int j = 0; j < t->ndof; j++) {
    s->z_start[j] = s->z[j];
  }
  s->newton = n_all(0);
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

// One lane by the solver of the engine. False: it has no solution.
static bool solve_lane(const lane_table *t, lane_scratch *s, int lane)
{
  lane_problem *x = &s->help->problem;
  x->n = 0;
  for (int i = 0; i < s->nrow; i++) {
    if (m_bits(s->row[i].on) >> lane & 1) {
      copy_row(t, &s->row[i], lane, &x->row[x->n++]);
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
    for (int k = 0; (m_bits(s->row[i].on) >> lane & 1) && k < 3; k++) {
      *lane_at(&s->row[i].p[k], lane) = x->row[n].p[k];
      n += k == 2;
    }
  }
  *lane_at(&s->sweeps, lane) = x->sweeps;
  *lane_at(&s->newton, lane) = x->newton;
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
