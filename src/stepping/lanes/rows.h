// rows.h: lanes whose trees have rows: contacts, limits, dry friction, from where they are found to what they did in a step.
#ifndef ROUTH_STEPPING_LANES_ROWS_H
#define ROUTH_STEPPING_LANES_ROWS_H

#include "finish.h"

// Contacts; the lanes that have some. `*changed`: those whose features have changed
LANE_FN mask find_contacts(const lane_table *t, lane_scratch *s, const num *x, mask lanes,
                           mask *changed)
{
  mask any = m_of(0);
  *changed = m_of(0);
  s->nrow = 0;
  for (int k = 0; k < t->npair; k += t->pair[k].features) {
    const int row = s->nrow;
    pose_shape(t, s, k);
    for (int i = k; i < k + t->pair[k].features; i++) {
      find_contact(t, s, i, lanes);
    }
    if (t->pair[k].features > 1 && s->nrow > row) {
      *changed = m_or(*changed, features_changed(t, s, x, k, row));
    }
  }
  for (int i = 0; i < s->nrow; i++) {
    any = m_or(any, s->row[i].on);
  }
  return any;
}

// Rows; the lanes that have no impact in the step
LANE_FN mask make_rows(const lane_table *t, lane_scratch *s, num *x, mask lanes)
{
  const num zero = n_all(0);
  mask fails = m_of(0);
  const num near = n_all(RH_STEP_LASTING * t->slop);
  mask pressed = n_over(x[LANE_PRESSED], zero);
  mask shaken = m_of(0); // lanes with a touching contact that bounces (rh_step_joint_rows_shake)
  make_lines(t, s, x, lanes);
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    fails = m_or(fails, make_row(t, s, c, x));
    num f = n_abs(c->f.x) + n_abs(c->f.y) + n_abs(c->f.z);
    pressed = m_or(pressed, m_and(c->on, m_not(n_same(f, zero))));
    if (t->pair[c->pair].e > 0) {
      shaken = m_or(shaken, m_and(c->on, m_not(n_over(c->phi, near))));
    }
  }
  if (!t->forced) { // rh_step_tree_integrate_velocity, on the way
    pressed = m_and(pressed, m_not(s->ahead));
  }
  for (int i = 0; i < s->nrow; i++) {
    fails = m_or(fails, has_impact(t, s, &s->row[i], pressed));
  }
  if (!lines_fit(s)) {
    return keep_lanes(x, lanes, m_of(0), RH_LANE_SOLVER);
  }
  fails = m_or(fails, lines_strike(t, s, pressed, shaken));
  return keep_lanes(x, lanes, m_not(fails), RH_LANE_IMPACT);
}

// Lanes in which a contact presses
LANE_FN mask rows_press(const lane_table *t, const lane_scratch *s)
{
  mask any = m_of(t->stiff ? ALL_LANES : 0);
  for (int i = 0; i < s->nrow; i++) {
    any = m_or(any, m_and(s->row[i].on, m_not(n_same(s->row[i].p[2], n_all(0)))));
  }
  return any;
}

// Impulses from those of the last step, and the velocities at the end, in z; the lanes in which they are solved. `warm`: lines
// start from theirs
LANE_CALL mask solve_step(const lane_table *t, lane_scratch *s, num *x, mask lanes, bool warm)
{
  const num h = n_all(t->dt);
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  num free = tree_energy(t, s->z);
  warm_start(t, s);
  if (warm) {
    warm_lines(t, s);
  }
  keep_start(t, s);
  mask hard = solve_rows(t, s, lanes);
  hard = m_and(lanes, m_or(hard, all_slide(s)));
  if (m_bits(hard) != 0) {
    lanes = keep_lanes(x, lanes, m_or(m_not(hard), solve_hard(t, s, hard)), RH_LANE_SOLVER);
  }
  s->sweeps = n_pick(lanes, s->sweeps + s->count, s->sweeps);
  num now = tree_energy(t, s->z);
  mask tame = m_and(n_least(n_all(1e6) * free, now), m_not(n_over(now, n_all(1.01) * free)));
  return keep_lanes(x, lanes, tame, RH_LANE_SOLVER);
}

// [N s] below this speed the tree rests
LANE_FN void stop_resting(const lane_table *t, lane_scratch *s, mask pressed)
{
  double slow = 1e-4 * t->tolerance;
  num still = n_all(t->mass * slow * slow);
  mask rests = m_and(pressed, n_least(still, n_all(2) * tree_energy(t, s->z)));
  if (m_bits(rests) != 0) {
    for (int j = 0; j < t->ndof; j++) {
      s->z[j] = n_pick(rests, n_all(0), s->z[j]);
    }
  }
}

// The velocities at the end, in next_v, and what impulses and forces did; the lanes that something presses. `part`: 1/2 where
// forces are those of the middle
LANE_FN mask settle_rows(const lane_table *t, lane_scratch *s, const num *x, double part)
{
  mask pressed = rows_press(t, s);
  stop_resting(t, s, pressed);
  s->load = x[LANE_LOAD];
  s->impact = x[LANE_IMPACT];
  s->impact_work = s->work[LANE_DAMPED] = n_all(0);
  for (int i = 0; i < s->nrow; i++) {
    record_row(t, s, &s->row[i], x[LANE_T]);
  }
  pressed = m_or(pressed, settle_lines(t, s));
  unload_tree(t, s, s->next_v);
  sum_work(t, s, x + LANE_V, x + LANE_TAU, part);
  rest_lines(t, s, false);
  return pressed;
}

// Overlap deeper than the slop, in next_q
LANE_FN void lift_overlap(const lane_table *t, lane_scratch *s, const num *x, mask lanes)
{
  num worst = deepest_overlap(s, x[LANE_DEEPEST]);
  mask deep = m_and(lanes, n_over(worst, n_all(t->slop)));
  if (m_bits(deep) != 0) {
    correct_positions(t, s, deep, worst);
  }
}

// ---- At the start of the step

// A point of a tree whose path bends towards the plane aims above it (rh_step_rows_bend).
LANE_FN void bend_rows(const lane_table *t, lane_scratch *s)
{
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    num bend = row_bend(t, s, c);
    num add = n_all(0.5 * t->dt) * bend;
    c->bias = n_pick(n_over(n_all(0), bend), c->bias + add, c->bias);
  }
}

#endif
