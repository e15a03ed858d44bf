// middle.h: lanes whose contacts last and move with their bodies, solved at the middle of the step, which is of order two
// (step_middle.c, contact_rows.c: rh_step_rows_midway). Where they do not move steadily the step is taken at its start.
#ifndef ROUTH_STEPPING_LANES_MIDDLE_H
#define ROUTH_STEPPING_LANES_MIDDLE_H

#include "rows.h"

// Lanes in which no contact closes by more than its gap (step.c, contacts_move)
LANE_FN mask contacts_last(const lane_table *t, const lane_scratch *s, mask lanes)
{
  const num half = n_all(-0.5 * t->dt);
  const num zero = n_all(0);
  lanes = m_and(lanes, n_least(n_all(RH_STEP_TREE_TURN), s->spin * n_all(t->dt)));
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    num room = n_pick(n_over(c->phi, zero), c->phi, zero) + n_all(t->slop);
    lanes = m_and(lanes, m_or(n_least(room, half * c->un), m_not(c->on)));
  }
  return lanes;
}

// Contacts about to close do not act (rh_step_middle_release).
LANE_FN void release_closing(const lane_table *t, lane_scratch *s)
{
  const num inf = n_all(HUGE_VAL);
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    mask open = m_and(n_over(c->phi, n_all(RH_STEP_CLOSED)), n_over(-c->slow, c->un));
    if (!(t->pair[c->pair].e > 0)) {
      open = m_and(open, n_over(inf, c->slow));
    }
    c->bias = n_pick(m_and(c->on, open), inf, c->bias);
  }
}

// The contact's point at the middle; one out of reach there moves along with its body.
LANE_FN vec point_midway(const lane_table *t, const lane_scratch *s, const lane_row *c)
{
  const lane_pair *x = &t->pair[c->pair];
  const lane_kin *b = &s->kin[x->body];
  num phi;
  vec there;
  mask near = place_feature(x, &s->pose, c->reach, &phi, &there);
  vec u = v_add(b->v, v_cross(b->w, v_sub(c->point, b->p)));
  return v_pick(near, there, v_addscaled(c->point, n_all(0.5 * t->dt), u));
}

// A row at the middle; false lanes: what a contact carried has jumped
LANE_FN mask row_midway(const lane_table *t, lane_scratch *s, lane_row *c)
{
  const num slop = n_all(t->slop);
  const num inf = n_all(HUGE_VAL);
  const lane_pair *x = &t->pair[c->pair];
  const vec n = v_all(x->n);
  vec P = row_impulse(t, c);
  vec first = v_addscaled(c->u0, -c->un, n);
  num un = c->un;
  c->point = point_midway(t, s, c);
  make_frame(t, s, c);
  c->u0 = row_point_velocity(t, c, s->z);
  c->un = v_dot(n, c->u0);
  vec turned = v_addscaled(v_sub(c->u0, first), -un, n);
  c->turn[0] = v_dot(c->t1, turned);
  c->turn[1] = v_dot(c->t2, turned);
  num gain = c->un - un;
  c->bias = c->bias + gain;
  start_impulse(x, c, P);
  num f = v_norm(c->f);
  mask carried = n_over(v_dot(c->f, c->f), n_all(0));
  num steady = n_all(t->dt) * ((c->w + c->l[0] + c->l[1]) * f + n_all(t->weight));
  mask jumps = n_over(v_norm(turned), steady);
  c->lasts = m_and(m_not(jumps), m_or(carried, n_least(slop, c->phi)));
  mask small = n_least(n_all(RH_STEP_SMALL * t->slop), n_abs(c->phi));
  mask drawn = m_and(m_and(c->lasts, small), n_over(inf, c->bias));
  num drawn_in = n_all(RH_STEP_RETURN) * c->phi / n_all(t->dt) + c->un - un;
  c->bias = n_pick(drawn, drawn_in, c->bias);
  return m_or(m_not(c->on), m_not(m_and(carried, jumps)));
}

enum { MIDDLE_ROUNDS = 2 }; // gyroscopic moments and impulses there depend on one another

// Coordinates, inertia, forces and rows of the middle; the lanes whose contacts move steadily
LANE_FN mask go_to_middle(const lane_table *t, lane_scratch *s, const num *x, num *q, mask lanes)
{
  if (t->impacts) {
    release_closing(t, s);
  }
  for (int i = 0; i < LANE_COORDS; i++) {
    q[i] = n_all(0);
  }
  advance_tree(t, x + LANE_Q, x + LANE_V, n_all(0.5 * t->dt), q);
  stand_tree(t, s, q, x + LANE_V);
  make_tree(t, s, x, q, 0.5);
  for (int k = 0; k < s->nline; k++) {
    fill_line(t, s, &s->line[k]);
  }
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    const int first = t->pair[c->pair].first;
    if (i == 0 || t->pair[s->row[i - 1].pair].first != first) {
      pose_shape(t, s, first);
    }
    lanes = m_and(lanes, row_midway(t, s, c));
  }
  return lanes;
}

// z as at the start, with the forces at the mean velocity of the present answer (rh_step_tree_restart)
LANE_FN void restart_middle(const lane_table *t, lane_scratch *s, const num *x, const num *q)
{
  const num *v0 = x + LANE_V;
  num v[LANE_DOFS];
  for (int j = 0; j < LANE_DOFS; j++) {
    v[j] = n_all(0);
  }
  unload_tree(t, s, v);
  for (int j = 0; j < t->ndof; j++) {
    v[j] = n_all(0.5) * (v0[j] + v[j]);
  }
  stand_tree(t, s, q, v);
  bias_again(t, s);
  for (int j = 0; j < t->ndof; j++) {
    s->v[j] = v0[j];
  }
  load_tree(t, s);
}

// Lanes in which contacts give no energy (step_middle.c, trees_gain)
LANE_FN mask gains_nothing(const lane_table *t, const lane_scratch *s)
{
  const num zero = n_all(0);
  num gain = zero;
  num fall = zero;
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    mask presses = m_and(c->on, n_over(c->p[2], zero));
    vec P = v_addscaled(row_impulse(t, c), -c->p[2], v_all(t->pair[c->pair].n));
    num sum = n_all(0.5) * v_dot(P, v_add(c->u0, row_point_velocity(t, c, s->z)));
    gain = n_pick(presses, gain + sum, gain);
    fall = n_pick(presses, fall + c->p[2] * n_all(t->dt) * n_all(t->weight), fall);
  }
  return m_not(n_over(gain, n_all(RH_STEP_GAINED) * (tree_energy(t, s->z) + fall)));
}

// Lanes whose step fits (rh_step_middle_fits); `*cut`: those in which a contact closes within the step
LANE_FN mask middle_fits(const lane_table *t, const lane_scratch *s, mask lanes, mask *cut)
{
  const num zero = n_all(0);
  const num slop = n_all(t->slop);
  lanes = m_and(limits_last(t, s, lanes), gains_nothing(t, s));
  *cut = m_of(0);
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    num u = v_dot(v_all(t->pair[c->pair].n), row_point_velocity(t, c, s->z));
    num closing = n_all(-0.5 * t->dt) * (c->un + u);
    mask free = n_same(c->p[2], zero);
    num gap = n_pick(m_and(free, n_over(c->phi, zero)), c->phi, zero);
    mask lasts = m_and(c->lasts, n_least(closing, -slop));
    mask closes = m_and(n_same(c->bias, n_all(HUGE_VAL)), n_over(closing, gap + slop));
    closes = m_and(closes, m_of(t->impacts ? ALL_LANES : 0));
    mask fits = m_and(n_least(gap + slop, closing), m_or(free, lasts));
    *cut = m_or(*cut, m_and(c->on, closes));
    lanes = m_and(lanes, m_or(m_or(fits, closes), m_not(c->on)));
  }
  *cut = m_and(*cut, lanes);
  return m_and(lanes, m_not(*cut));
}

// `*lanes` become those that fit; the lanes that do not. Those in which a contact closes within the step are left to their worlds.
LANE_FN mask leave_middle(const lane_table *t, const lane_scratch *s, num *x, mask *lanes)
{
  mask cut = m_of(0);
  mask solved = *lanes;
  *lanes = middle_fits(t, s, solved, &cut);
  (void)keep_lanes(x, cut, m_of(0), RH_LANE_IMPACT);
  return m_and(solved, m_not(m_or(*lanes, cut)));
}

// ---- Trees without joint forces

// Velocities at the end without rows, in v, with the forces at the middle q (articulated_middle.c, velocity_by_middle)
LANE_FN void velocity_by_middle(const lane_table *t, lane_scratch *s, const num *x, num *v)
{
  const num h = n_all(t->dt);
  num q[LANE_COORDS];
  for (int i = 0; i < LANE_COORDS; i++) {
    q[i] = n_all(0);
  }
  advance_tree(t, x + LANE_Q, x + LANE_V, n_all(0.5 * t->dt), q);
  stand_tree(t, s, q, x + LANE_V);
  make_tree(t, s, x, q, 0.5);
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  restart_middle(t, s, x, q);
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  unload_tree(t, s, v);
}

// Inertia and rows are of the start of the step; in lanes that turn, forces are those by which the tree would move without
// rows by the midpoint rule (rh_step_tree_make).
LANE_FN void make_tree_ahead(const lane_table *t, lane_scratch *s, const num *x)
{
  num v[LANE_DOFS];
  num z[LANE_DOFS];
  for (int j = 0; j < LANE_DOFS; j++) {
    v[j] = n_all(0);
  }
  s->ahead = n_over(s->spin, n_all(RH_STEP_SLIGHT));
  velocity_by_middle(t, s, x, v);
  stand_tree(t, s, x + LANE_Q, x + LANE_V);
  make_tree(t, s, x, x + LANE_Q, 1);
  for (int j = 0; j < t->ndof; j++) {
    z[j] = s->z[j];
    s->v[j] = (v[j] - x[LANE_V + j]) / n_all(t->dt);
  }
  load_tree(t, s);
  for (int j = 0; j < t->ndof; j++) {
    s->force[j] = n_pick(s->ahead, s->z[j], s->force[j]);
    s->z[j] = z[j];
    s->v[j] = x[LANE_V + j];
  }
}

// Lanes in which contacts and limits only last: the tree moves by its mean velocity (energy.c, joint_rows.c).
LANE_FN mask rows_glide(const lane_table *t, const lane_scratch *s)
{
  const num zero = n_all(0);
  const num flat = n_all(RH_STEP_FLAT);
  mask glide = limits_glide(t, s, s->ahead);
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    num u = v_dot(v_all(t->pair[c->pair].n), row_point_velocity(t, c, s->z));
    num closing = n_all(-0.5 * t->dt) * (c->un + u);
    mask free = n_same(c->p[2], zero);
    num room = n_pick(m_and(free, n_over(c->phi, zero)), c->phi, zero);
    mask lasts = m_and(n_least(closing, -flat), n_least(c->bias, n_all(-RH_STEP_FLAT / t->dt)));
    mask fits = m_and(n_least(room + flat, closing), m_or(free, lasts));
    glide = m_and(glide, m_or(fits, m_not(c->on)));
  }
  return glide;
}

#endif
