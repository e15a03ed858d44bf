// step.h: a step of LANES worlds: that of step.c for one tree whose spheres touch planes, as long
// as it takes the common way: no impact in it, solved by sweeps, energy that closes. Lanes that leave that
// way are not moved, and say why (LANE_CAUSE): the caller steps these worlds by themselves.
#ifndef ROUTH_STEPPING_LANES_STEP_H
#define ROUTH_STEPPING_LANES_STEP_H

#include "pressed.h"

LANE_FN mask small_angles(const lane_table *t, const num *q)
{
  num most = n_all(0);
  for (int i = 0; i < t->nbody; i++) {
    if (t->body[i].joint == LANE_HINGE) {
      most = n_greater(n_abs(q[t->body[i].q]), most);
    }
  }
  return n_over(n_all(LANE_LARGE), most);
}

// Lanes without contacts, by the midpoint rule (articulated_middle.c); those of `near` only if their limits are kept. `*lanes`
// becomes those of `near` that take the step with rows.
LANE_CALL mask step_free(const lane_table *t, lane_scratch *s, num *x, mask *lanes, mask near,
                         const lane_account *before, bool *stands)
{
  const num h = n_all(t->dt);
  const num half = n_all(0.5 * t->dt);
  const num *v0 = x + LANE_V;
  mask moved = *lanes;
  num q[LANE_COORDS];
  for (int i = 0; i < LANE_COORDS; i++) {
    q[i] = n_all(0);
  }
  advance_tree(t, x + LANE_Q, v0, half, q);
  stand_tree(t, s, q, v0);
  make_tree(t, s, x, q, 0.5);
  s->nrow = s->nline = 0;
  make_dry(t, s, moved);
  hold_limits(t, s, q, near);
  if (!lines_fit(s)) {
    *lanes = m_of(0);
    return keep_lanes(x, moved, m_of(0), RH_LANE_SOLVER);
  }
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  solve_lines(t, s, moved);
  restart_middle(t, s, x, q);
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  warm_lines(t, s);
  solve_lines(t, s, moved);
  s->impact_work = s->work[LANE_DAMPED] = n_all(0);
  mask pressed = settle_lines(t, s);
  unload_tree(t, s, s->next_v);
  sum_work(t, s, v0, x + LANE_TAU, 0.5);
  rest_lines(t, s, true);
  advance_tree(t, q, s->next_v, half, s->next_q);
  s->deepest = x[LANE_DEEPEST];
  s->load = x[LANE_LOAD];
  s->impact = x[LANE_IMPACT];
  *lanes = m_and(near, m_not(limits_kept(t, s, s->next_q, near)));
  moved = end_step(t, s, x, m_and(moved, m_not(*lanes)), before, stands);
  put(x + LANE_PRESSED, moved, n_pick(pressed, n_all(1), n_all(0)));
  return moved;
}

// The time at the end of the step; the lanes in which nothing else is due there
LANE_FN mask next_time(const lane_table *t, const num *x, num *now)
{
  num dt = n_all(t->dt);
  *now = (n_floor(x[LANE_T] / dt + n_all(0.5)) + n_all(1)) * dt;
  return n_over(x[LANE_UNTIL], *now);
}

LANE_FN int step_lanes(const lane_table *t, num *x, lane_scratch *s, int bits, bool *stands)
{
  num now;
  const num h = n_all(t->dt);
  const num fast = n_all(RH_STEP_TREE_TURN); // a tree that turns so far is stepped in parts
  mask lanes = keep_lanes(x, m_of(bits), next_time(t, x, &now), RH_LANE_FRAME);
  lanes = keep_lanes(x, lanes, small_angles(t, x + LANE_Q), RH_LANE_TURN);
  if (!*stands) {
    stand_tree(t, s, x + LANE_Q, x + LANE_V);
  }
  *stands = false;
  s->ends = 0;
  s->sweeps = s->newton = n_all(0);
  lane_account before = account_of(s);
  s->watched = n_over(s->spin * h, n_all(RH_STEP_WATCHED));
  mask parts = m_and(n_over(s->spin, n_all(0)), n_over(h, fast / s->spin));
  mask more = n_over(s->spin * h, fast);
  mask changed;
  mask meets = find_contacts(t, s, x, lanes, &changed);
  lanes = keep_lanes(x, lanes, m_not(changed), RH_LANE_FEATURES);
  mask rows = lanes;
  if (!t->stiff) {
    lanes = keep_lanes(x, lanes, m_not(parts), RH_LANE_TURN);
    rows = m_and(lanes, meets);
  }
  mask free = keep_lanes(x, m_and(lanes, m_not(rows)), m_not(more), RH_LANE_TURN);
  mask near = near_limits(t, x, free);
  mask held = limits_may_last(t, x, near);
  mask moved = m_of(0);
  free = m_and(free, m_or(held, m_not(near)));
  rows = m_or(rows, m_and(near, m_not(held)));
  while (m_bits(m_or(rows, free)) != 0) { // those with rows, others, and of these those whose limits do not hold
    if (m_bits(rows) != 0) {
      moved = m_or(moved, step_pressed(t, s, x, rows, &before, stands));
      rows = m_of(0);
    }
    if (m_bits(free) != 0) {
      *stands = false;
      rows = free;
      free = m_of(0);
      moved = m_or(moved, step_free(t, s, x, &rows, held, &before, stands));
      if (m_bits(rows) != 0) {
        stand_tree(t, s, x + LANE_Q, x + LANE_V);
        *stands = false;
        s->nrow = 0;
      }
    }
  }
  put(x + LANE_T, moved, now);
  *stands = *stands && m_bits(moved) == bits && s->ends == 1;
  return m_bits(moved);
}

#endif
