// lines.h: rows of single degrees of freedom in lanes: limits and dry friction, those of joint_rows.c, their operations
// in their order. A row exists where some lane has it; `on` are those lanes.
#ifndef ROUTH_STEPPING_LANES_LINES_H
#define ROUTH_STEPPING_LANES_LINES_H

#include "stepping/tolerances.h"
#include "tree.h"

// Lanes in which a gap phi that changes by u and is pulled by a closes within h, fast (rh_step_closes)
LANE_FN mask closes_in(double h, num slow, num phi, num u, num a)
{
  const num zero = n_all(0);
  mask closed = n_least(n_all(RH_STEP_CLOSED), phi);
  mask strikes = n_over(-slow, u);
  num disc = u * u - n_all(2) * a * phi;
  num root = n_root(disc);
  num falling = n_all(2) * phi / (root - u);
  num turning = n_pick(n_over(zero, a), -(root + u) / a, n_all(HUGE_VAL));
  num when = n_pick(n_over(zero, u), falling, turning);
  mask meets = m_and(n_over(disc, slow * slow), n_least(n_all(h), when));
  return m_or(m_and(closed, strikes), m_and(m_not(closed), meets));
}

// ---- Which there are

LANE_FN num line_gap(const lane_dof *d, const num *q, double side)
{
  num x = q[d->coord];
  return side > 0 ? x - n_all(d->lower) : n_all(d->upper) - x;
}

LANE_FN bool has_limit(const lane_dof *d, double side)
{
  double bound = side > 0 ? d->lower : d->upper;
  return d->coord >= 0 && bound > -HUGE_VAL && bound < HUGE_VAL;
}

// Lanes in which a limit may be reached within the step (near_limit)
LANE_FN mask near_limit(const lane_table *t, int j, const num *q, const num *v, double side)
{
  const lane_dof *d = &t->dof[j];
  num room = n_all(t->dt) * n_abs(v[j]) + n_all(d->near);
  return n_least(room, line_gap(d, q, side));
}

// Lanes in which any limit is near
LANE_FN mask near_limits(const lane_table *t, const num *x, mask lanes)
{
  mask any = m_of(0);
  for (int j = 0; t->nlimit > 0 && j < t->ndof; j++) {
    for (double side = 1; side >= -1; side -= 2) {
      if (has_limit(&t->dof[j], side)) {
        any = m_or(any, near_limit(t, j, x + LANE_Q, x + LANE_V, side));
      }
    }
  }
  return m_and(any, lanes);
}

// The row by the present factor
LANE_FN void fill_line(const lane_table *t, const lane_scratch *s, lane_line *c)
{
  const lane_dof *d = &t->dof[c->dof];
  const int *path = t->ancestor + d->row;
  num *LANE_ALONE Y = c->Y;
  for (int e = 0; e < d->depth; e++) {
    Y[e] = n_all(0);
  }
  Y[d->depth] = n_all(c->side);
  for (int e = d->depth; e >= 0; e--) {
    const int j = path[e];
    const num *LANE_ALONE row = s->L + t->dof[j].row;
    const num y = Y[e] * s->iL[j];
    for (int i = 0; i < e; i++) {
      Y[i] = Y[i] - y * row[i];
    }
    Y[e] = y;
  }
  num sum[4] = {n_all(0), n_all(0), n_all(0), n_all(0)};
  int at = 0;
  for (int k = t->body[d->body].run; at <= d->depth; k++) {
    for (int i = 0; i < t->run[k].n && at <= d->depth; i++, at++) {
      sum[i & 3] = sum[i & 3] + Y[at] * Y[at];
    }
  }
  c->w = sum_quarters(sum);
  c->iw = n_all(1) / c->w;
}

// s->v: the velocities at the start
LANE_FN lane_line *add_line(const lane_table *t, lane_scratch *s, int j, double side, mask on)
{
  lane_line *c = &s->line[s->nline < LANE_LINES ? s->nline : LANE_LINES - 1];
  s->nline++;
  c->dof = j;
  c->dry = false;
  c->side = side;
  c->limit = c->rest = 0;
  c->on = on;
  c->bias = c->p = c->gap = n_all(0);
  fill_line(t, s, c);
  c->u0 = n_all(side) * s->v[j];
  return c;
}

LANE_FN void make_dry(const lane_table *t, lane_scratch *s, mask lanes)
{
  for (int j = 0; t->ndry > 0 && j < t->ndof; j++) {
    if (t->dof[j].stiction > 0) {
      lane_line *c = add_line(t, s, j, 1, lanes);
      c->dry = true;
      c->limit = t->dt * t->dof[j].friction;
      c->rest = t->dt * t->dof[j].stiction;
    }
  }
}

// The rows of a step, in the order of joint_rows.c. [make_tree]
LANE_CALL void make_lines(const lane_table *t, lane_scratch *s, const num *x, mask lanes)
{
  const num zero = n_all(0);
  s->nline = 0;
  make_dry(t, s, lanes);
  for (int j = 0; t->nlimit > 0 && j < t->ndof; j++) {
    for (double side = 1; side >= -1; side -= 2) {
      mask near = m_of(0);
      if (has_limit(&t->dof[j], side)) {
        near = m_and(lanes, near_limit(t, j, x + LANE_Q, x + LANE_V, side));
      }
      if (m_bits(near) != 0) {
        lane_line *c = add_line(t, s, j, side, near);
        c->gap = line_gap(&t->dof[j], x + LANE_Q, side);
        c->bias = n_pick(n_over(c->gap, zero), c->gap, zero) / n_all(t->dt);
      }
    }
  }
}

LANE_FN bool lines_fit(const lane_scratch *s)
{
  return s->nline <= LANE_LINES;
}

// ---- Sweeps

LANE_FN num line_velocity(const lane_table *t, const lane_line *c, const num *z)
{
  const lane_dof *d = &t->dof[c->dof];
  return row_dot(t, t->body[d->body].run, c->Y, d->depth + 1, z);
}

LANE_FN void nudge_line(const lane_table *t, const lane_line *c, num p, num *z)
{
  const lane_dof *d = &t->dof[c->dof];
  int at = 0;
  for (int k = t->body[d->body].run; at <= d->depth; k++) {
    num *LANE_ALONE to = z + t->run[k].first;
    for (int i = 0; i < t->run[k].n && at <= d->depth; i++, at++) {
      to[i] = to[i] + p * c->Y[at];
    }
  }
}

LANE_FN num visit_line(const lane_table *t, lane_line *c, num *z, mask lanes)
{
  const num zero = n_all(0);
  lanes = m_and(lanes, c->on);
  num next = c->p - (line_velocity(t, c, z) + c->bias) * c->iw;
  if (c->dry) {
    num most = n_pick(n_same(c->u0, zero), n_all(c->rest), n_all(c->limit));
    num slips = n_pick(n_over(next, zero), n_all(c->limit), n_all(-c->limit));
    next = n_pick(n_over(n_abs(next), most), slips, next);
  } else {
    next = n_greater(next, zero);
  }
  next = n_pick(lanes, next, c->p);
  num p = next - c->p;
  c->p = next;
  if (m_bits(m_not(n_same(p, zero))) != 0) {
    nudge_line(t, c, p, z);
  }
  return n_pick(lanes, n_abs(p) * c->w, zero);
}

LANE_FN num visit_lines(const lane_table *t, lane_scratch *s, mask lanes)
{
  num change = n_all(0);
  for (int k = 0; k < s->nline; k++) {
    change = n_greater(change, visit_line(t, &s->line[k], s->z, lanes));
  }
  return change;
}

// The impulses that they have
LANE_FN void warm_lines(const lane_table *t, lane_scratch *s)
{
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    if (m_bits(m_not(n_same(c->p, n_all(0)))) != 0) {
      nudge_line(t, c, c->p, s->z);
    }
  }
}

// ---- What they leave behind

// Work: that of dry friction to s->work[LANE_DAMPED], that of limits to s->impact_work; the lanes in which a limit presses
LANE_FN mask settle_lines(const lane_table *t, lane_scratch *s)
{
  const num half = n_all(0.5);
  mask pressed = m_of(0);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    num work = half * c->p * (c->u0 + line_velocity(t, c, s->z));
    if (c->dry) {
      s->work[LANE_DAMPED] = n_pick(c->on, s->work[LANE_DAMPED] - work, s->work[LANE_DAMPED]);
    } else {
      s->impact_work = n_pick(c->on, s->impact_work + work, s->impact_work);
      pressed = m_or(pressed, m_and(c->on, n_over(c->p, n_all(0))));
    }
  }
  return pressed;
}

// Joints that dry friction holds do not move; `held`: nor do those on a limit.
LANE_FN void rest_lines(const lane_table *t, lane_scratch *s, bool held)
{
  const num zero = n_all(0);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    num *v = &s->next_v[c->dof];
    mask slow = m_and(c->on, n_least(n_all(t->tolerance), n_abs(*v)));
    if (c->dry) {
      *v = n_pick(m_and(slow, n_over(n_all(c->limit), n_abs(c->p))), zero, *v);
    } else if (held) {
      *v = n_pick(m_and(slow, n_over(c->p, zero)), zero, *v);
    }
  }
}

// Lanes in which a limit with restitution, or in those of `shaken` any, has an impact within the step (rh_step_joint_rows_first)
LANE_FN mask lines_strike(const lane_table *t, const lane_scratch *s, mask pressed, mask shaken)
{
  const num zero = n_all(0);
  const num slow = n_all(t->slow);
  mask any = m_of(0);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    if (c->dry || (!(t->dof[c->dof].bounce > 0) && m_bits(shaken) == 0)) {
      continue;
    }
    mask may = t->dof[c->dof].bounce > 0 ? c->on : m_and(c->on, shaken);
    num a = n_pick(pressed, zero, line_velocity(t, c, s->force));
    any = m_or(any, m_and(may, closes_in(t->dt, slow, c->gap, c->u0, a)));
  }
  return any;
}

// ---- Limits that last: joints rest on them over the whole step

// Lanes in which no limit is passed (rh_step_limits_may_last)
LANE_FN mask limits_may_last(const lane_table *t, const num *x, mask lanes)
{
  const num zero = n_all(0);
  const num h = n_all(t->dt);
  const num least = n_all(-RH_STEP_HELD - t->dt * t->tolerance);
  for (int j = 0; t->nlimit > 0 && j < t->ndof; j++) {
    const lane_dof *d = &t->dof[j];
    if (d->coord >= 0) {
      num v = x[LANE_V + j];
      num low = line_gap(d, x + LANE_Q, 1) + h * n_lesser(v, zero);
      num high = line_gap(d, x + LANE_Q, -1) - h * n_greater(v, zero);
      lanes = m_and(lanes, m_and(n_least(low, least), n_least(high, least)));
    }
  }
  return lanes;
}

// Rows that keep the gap, at the middle q of the step
LANE_FN void hold_limits(const lane_table *t, lane_scratch *s, const num *q, mask lanes)
{
  for (int j = 0; t->nlimit > 0 && j < t->ndof; j++) {
    for (double side = -1; t->dof[j].coord >= 0 && side < 2; side += 2) {
      num gap = line_gap(&t->dof[j], q, side);
      mask lasts = m_and(n_least(n_all(RH_STEP_HELD), n_abs(gap)),
                         n_least(n_all(t->tolerance), n_abs(s->v[j])));
      lasts = m_and(lasts, lanes);
      if (m_bits(lasts) != 0) {
        add_line(t, s, j, side, lasts)->gap = gap;
      }
    }
  }
}

// Lanes in which they were kept over the step, q being its end
LANE_FN mask limits_kept(const lane_table *t, const lane_scratch *s, const num *q, mask lanes)
{
  const num tolerance = n_all(t->tolerance);
  const num least = n_all(-RH_STEP_HELD);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    if (!c->dry) {
      num u = line_velocity(t, c, s->z);
      mask kept = n_least(tolerance, n_abs(n_lesser(u, c->p)));
      lanes = m_and(lanes, m_or(kept, m_not(c->on)));
    }
  }
  for (int j = 0; t->nlimit > 0 && j < t->ndof; j++) {
    const lane_dof *d = &t->dof[j];
    if (d->coord >= 0) {
      lanes = m_and(lanes, m_and(n_least(line_gap(d, q, 1), least),
                                 n_least(line_gap(d, q, -1), least)));
    }
  }
  return lanes;
}

// Dry friction and limits of lanes without contacts (articulated_middle.c, solve_dry_friction)
LANE_CALL void solve_lines(const lane_table *t, lane_scratch *s, mask lanes)
{
  const num small = n_all(1e-3 * t->tolerance);
  mask some = m_of(0);
  for (int k = 0; k < s->nline; k++) {
    some = m_or(some, s->line[k].on);
  }
  lanes = m_and(lanes, some);
  for (int k = 0; k < t->iterations && m_bits(lanes) != 0; k++) {
    s->sweeps = n_pick(lanes, s->sweeps + n_all(1), s->sweeps);
    num change = visit_lines(t, s, lanes);
    lanes = m_and(lanes, n_over(change, small));
  }
}

// Lanes in which joints do not pass limits, nor leave those that press, by their mean velocity (rh_step_limits_glide)
LANE_FN mask limits_glide(const lane_table *t, const lane_scratch *s, mask lanes)
{
  const num zero = n_all(0);
  const num held = n_all(RH_STEP_HELD);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    if (c->dry) {
      continue;
    }
    mask free = n_same(c->p, zero);
    num closing = n_all(-0.5 * t->dt) * (c->u0 + line_velocity(t, c, s->z));
    num room = n_pick(m_and(free, n_over(c->gap, zero)), c->gap, zero);
    mask glides = m_and(n_least(room + held, closing), m_or(free, n_least(closing, -held)));
    lanes = m_and(lanes, m_or(glides, m_not(c->on)));
  }
  return lanes;
}

// Lanes in which those of a step at its middle last (rh_step_limits_last)
LANE_FN mask limits_last(const lane_table *t, const lane_scratch *s, mask lanes)
{
  lanes = limits_glide(t, s, lanes);
  for (int k = 0; k < s->nline; k++) {
    const lane_line *c = &s->line[k];
    mask rests = m_and(n_least(n_all(RH_STEP_HELD), n_abs(c->gap)),
                       n_least(n_all(t->tolerance), n_abs(c->u0)));
    rests = m_or(rests, m_or(n_same(c->p, n_all(0)), m_not(c->on)));
    lanes = c->dry ? lanes : m_and(lanes, rests);
  }
  return lanes;
}

#endif
