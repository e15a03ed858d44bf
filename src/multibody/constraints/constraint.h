// constraint.h: what the rows of several kinds of constraints share.
#ifndef ROUTH_MULTIBODY_CONSTRAINTS_CONSTRAINT_H
#define ROUTH_MULTIBODY_CONSTRAINTS_CONSTRAINT_H

#include "dual.h"

#include <routh/kind.h>

// A direction given in the axes of end `end`, in world axes, with its rate
static inline rh_dual3 rh_constraint_direction(const rh_constraint_at *at, int end, const double *x)
{
  return rh_dual3_fixed(rh_rotate(&at->end[end].R, rh_v3(x[0], x[1], x[2])), at->v[end].ang);
}

static inline rh_dual3 rh_constraint_place(const rh_constraint_at *at, int end)
{
  return (rh_dual3){at->end[end].p, at->v[end].lin};
}

static inline void rh_constraint_set_point(rh_dual3 point, rh_constraint_rows *row,
                                           rh_constraint_rows *rate)
{
  row->point = point.x;
  rate->point = point.dx;
}

// Row i: no velocity along `push`, but for `speed`
static inline void rh_constraint_set_push(int i, rh_dual3 push, rh_dual speed,
                                          rh_constraint_rows *row, rh_constraint_rows *rate)
{
  row->push[i] = push.x;
  rate->push[i] = push.dx;
  row->speed[i] = speed.x;
  rate->speed[i] = speed.dx;
}

#endif
