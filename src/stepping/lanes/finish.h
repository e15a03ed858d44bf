// finish.h: what a step of lanes does to coordinates, overlap and energy, and what it leaves in the state.
#ifndef ROUTH_STEPPING_LANES_FINISH_H
#define ROUTH_STEPPING_LANES_FINISH_H

#include "hard.h"

// ---- Coordinates

LANE_FN void unit_quat(num q[4])
{
  num n = n_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) {
    q[i] = q[i] / n;
  }
}

LANE_FN void turn_quat(const num *q, vec phi, num *next)
{
  num sine;
  num cosine;
  num half = n_all(0.5) * v_norm(phi);
  trig_of(half, &sine, &cosine);
  num k = n_pick(n_over(half, n_all(1e-4)), n_all(0.5) * sine / half,
                 n_all(0.5) - half * half / n_all(12));
  vec a = v_scale(k, phi);
  const num w = cosine;
  next[0] = w * q[0] - a.x * q[1] - a.y * q[2] - a.z * q[3];
  next[1] = w * q[1] + a.x * q[0] + a.y * q[3] - a.z * q[2];
  next[2] = w * q[2] - a.x * q[3] + a.y * q[0] + a.z * q[1];
  next[3] = w * q[3] + a.x * q[2] - a.y * q[1] + a.z * q[0];
  unit_quat(next);
  unit_quat(next);
}

// next := q moved along v for h
LANE_FN void advance_tree(const lane_table *t, const num *q, const num *v, num h, num *next)
{
  for (int i = 0; i < t->nbody; i++) {
    const lane_body *b = &t->body[i];
    const num *u = v + b->dof;
    if (b->ndof == 1) {
      next[b->q] = q[b->q] + h * u[0];
    } else if (b->joint == LANE_FREE) {
      for (int k = 0; k < 3; k++) {
        next[b->q + k] = q[b->q + k] + h * u[k];
      }
      turn_quat(q + b->q + 3, v_of(h * u[3], h * u[4], h * u[5]), next + b->q + 3);
    }
  }
}

// ---- Work and energy

// Losses of dampers and work of forces, by the mean velocity (articulated_motion.c); s->work[LANE_DAMPED] has that of dry friction.
LANE_FN void sum_work(const lane_table *t, lane_scratch *s, const num *v0, const num *tau, double part)
{
  num loss = n_all(0);
  num driven = n_all(0);
  num work = n_all(0);
  for (int j = 0; j < t->ndof; j++) {
    num mean = n_all(0.5) * (v0[j] + s->next_v[j]);
    num change = s->next_v[j] - v0[j];
    loss = loss + n_all(t->dof[j].damper) * (v0[j] + n_all(part) * change) * mean;
    work = work + tau[j] * mean;
    if (t->nact > 0) {
      driven = driven + driven_power(s, j, change, mean);
    }
  }
  s->work[LANE_DAMPED] = s->work[LANE_DAMPED] + n_all(t->dt) * loss;
  s->work[LANE_DRIVEN] = n_all(t->dt) * driven;
  s->work[LANE_OUTSIDE] = n_all(t->dt) * work;
}

typedef struct lane_account { // articulated_guard.c
  num sum, motion;
} lane_account;

LANE_FN lane_account account_of(const lane_scratch *s)
{
  lane_account a;
  a.motion = n_all(0.5) * s->motion;
  a.sum = a.motion + s->rest;
  return a;
}

// Does the energy of the step close? s->kin are those of its end.
LANE_FN mask energy_closes(const lane_table *t, const lane_scratch *s, const lane_account *before)
{
  const num zero = n_all(0);
  lane_account now = account_of(s);
  num deepest = zero;
  mask pressed = m_not(n_same(s->impact_work, zero));
  now.sum = now.sum + (s->work[LANE_DAMPED] - s->work[LANE_DRIVEN] - s->work[LANE_OUTSIDE]);
  now.sum = now.sum - s->impact_work;
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    now.sum = n_pick(c->on, now.sum + c->slide, now.sum);
    deepest = n_pick(c->on, n_greater(-c->phi, deepest), deepest);
    pressed = m_or(pressed, c->on);
  }
  num motion = n_greater(before->motion, now.motion);
  num speed = n_pick(pressed, n_root(n_all(2) * motion / n_all(t->mass)), zero);
  num share = n_pick(pressed, n_all(RH_STEP_SHARE), n_all(RH_STEP_SHARE_FREE));
  num slack = n_all(t->weight * t->mass) * (deepest + n_all(t->dt) * speed);
  return n_least(share * motion + slack, n_abs(now.sum - before->sum));
}

// ---- Overlap

// That of rigid contacts; s->deepest: of all that press or close
LANE_FN num deepest_overlap(lane_scratch *s, num deepest)
{
  num worst = n_all(0);
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    num deep = -c->phi;
    mask real = m_or(n_over(c->p[2], n_all(0)), n_over(n_all(0), c->un));
    deepest = n_pick(m_and(c->on, m_and(real, n_over(deep, deepest))), deep, deepest);
    worst = n_pick(c->on, n_greater(deep, worst), worst);
  }
  s->deepest = deepest;
  return worst;
}

// Pseudo-impulses along normals, in s->z (position_correction.c). `push` of each row
LANE_FN num lift_rows(const lane_table *t, lane_scratch *s, mask run, num *push)
{
  const num zero = n_all(0);
  const num h = n_all(t->dt);
  num most = zero;
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    mask lanes = m_and(run, c->on);
    num deep = -c->phi - n_all(0.9 * t->slop); // LEAVE of position_correction.c
    num fast = n_all(0.2) * deep / h;
    fast = n_pick(n_over(n_all(0.5), fast), fast, n_all(0.5));
    num want = n_pick(n_over(deep, zero), fast, deep / h);
    num next = push[i] + (want - row_sum(t, c, s->z)) * c->iw;
    next = n_pick(n_over(next, zero), next, zero);
    next = n_pick(lanes, next, push[i]);
    num p = next - push[i];
    push[i] = next;
    if (m_bits(m_not(n_same(p, zero))) != 0) {
      row_nudge(t, c, p, s->z);
      num moved = n_abs(p) / c->iw;
      most = n_pick(lanes, n_greater(moved, most), most);
    }
  }
  return most;
}

// Overlap deeper than the slop is removed by positions alone; s->z is lost.
LANE_CALL void correct_positions(const lane_table *t, lane_scratch *s, mask lanes, num worst)
{
  enum { SWEEPS = 5 };

  const num zero = n_all(0);
  const num one = n_all(1);
  const num h = n_all(t->dt);
  num push[LANE_PAIRS];
  num v[LANE_DOFS] = {zero};
  num slight = n_all(0.1 * 0.2) * (worst - n_all(0.9 * t->slop)) / h;
  mask run = lanes;
  for (int i = 0; i < s->nrow; i++) {
    push[i] = zero;
  }
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = zero;
  }
  for (int k = 0; k < SWEEPS && m_bits(run) != 0; k++) {
    num change = lift_rows(t, s, run, push);
    run = m_and(run, n_over(change, slight));
  }
  unload_tree(t, s, v);
  num most = zero;
  for (int j = 0; j < t->ndof; j++) {
    most = n_greater(n_abs(v[j]), most);
  }
  num share = n_pick(n_over(most * h, n_all(RH_STEP_NUDGE)), n_all(RH_STEP_NUDGE) / (most * h), one);
  for (int j = 0; j < t->ndof; j++) {
    v[j] = share * v[j];
  }
  num q[LANE_COORDS] = {zero};
  advance_tree(t, s->next_q, v, h, q);
  for (int i = 0; i < t->nq; i++) {
    s->next_q[i] = n_pick(lanes, q[i], s->next_q[i]);
  }
}

// ---- The state after it

LANE_FN void put(num *to, mask moved, num x)
{
  *to = n_pick(moved, x, *to);
}

// The lanes that go on; the others leave the step to their worlds, by this cause
LANE_FN mask keep_lanes(num *x, mask lanes, mask keep, rh_lane_cause cause)
{
  mask out = m_and(lanes, m_not(keep));
  if (m_bits(out) != 0) {
    put(x + LANE_CAUSE, out, n_all(cause));
  }
  return m_and(lanes, keep);
}

LANE_FN void add(num *to, mask moved, num x)
{
  *to = n_pick(moved, *to + x, *to);
}

LANE_FN void keep_contacts(const lane_table *t, lane_scratch *s, num *x, mask moved)
{
  const num zero = n_all(0);
  const num one = n_all(1);
  num count = zero;
  for (int k = 0; k < t->nrule; k++) {
    s->slide[k] = zero;
  }
  int next = 0;
  for (int k = 0; k < t->npair; k++) {
    num *f = x + LANE_FORCE + 3 * k;
    if (next == s->nrow || s->row[next].pair != k) {
      for (int i = 0; i < 3; i++) {
        put(f + i, moved, zero);
      }
      put(x + LANE_SINCE + k, moved, zero);
      continue;
    }
    lane_row *c = &s->row[next++];
    const vec p = c->point;
    num *point = x + LANE_POINT + 3 * k;
    mask mine = m_and(moved, c->on);
    put(f, moved, n_pick(c->on, c->f.x, zero));
    put(f + 1, moved, n_pick(c->on, c->f.y, zero));
    put(f + 2, moved, n_pick(c->on, c->f.z, zero));
    put(x + LANE_SINCE + k, moved, n_pick(c->on, c->since, zero));
    put(point, mine, p.x);
    put(point + 1, mine, p.y);
    put(point + 2, mine, p.z);
    num *slide = &s->slide[t->pair[k].rule];
    *slide = n_pick(c->on, *slide + c->slide, *slide);
    count = n_pick(c->on, count + one, count);
  }
  for (int k = 0; k < t->nrule; k++) {
    add(x + LANE_SLIDE + k, moved, s->slide[k]);
  }
  put(x + LANE_CONTACTS, moved, count);
  add(x + LANE_MEETINGS, moved, count);
}

// What a step leaves in the state of the lanes that it moved
LANE_FN void keep_state(const lane_table *t, lane_scratch *s, num *x, mask moved)
{
  for (int i = 0; i < t->nq; i++) {
    put(x + LANE_Q + i, moved, s->next_q[i]);
  }
  for (int j = 0; j < t->ndof; j++) {
    put(x + LANE_V + j, moved, s->next_v[j]);
  }
  keep_contacts(t, s, x, moved);
  put(x + LANE_DEEPEST, moved, s->deepest);
  put(x + LANE_LOAD, moved, s->load);
  put(x + LANE_IMPACT, moved, s->impact);
  put(x + LANE_LAST, moved, s->sweeps);
  put(x + LANE_LAST_NEWTON, moved, s->newton);
  add(x + LANE_NEWTON, moved, s->newton);
  add(x + LANE_SWEEPS, moved, s->sweeps);
  add(x + LANE_STEPS, moved, n_all(1));
  add(x + LANE_BASE, moved, s->impact_work);
}

LANE_FN mask is_finite(const lane_table *t, const num *v)
{
  num sum = n_all(0);
  for (int j = 0; j < t->ndof; j++) {
    sum = sum + v[j];
  }
  return n_same(sum - sum, n_all(0));
}

// What all steps leave in the lanes whose energy closes; these
LANE_FN mask end_step(const lane_table *t, lane_scratch *s, num *x, mask lanes,
                      const lane_account *before, bool *stands)
{
  lanes = keep_lanes(x, lanes, is_finite(t, s->next_v), RH_LANE_ENERGY);
  s->ends++;
  if (m_bits(m_and(lanes, s->watched)) != 0) {
    stand_tree(t, s, s->next_q, s->next_v);
    *stands = true;
    mask closes = energy_closes(t, s, before);
    lanes = keep_lanes(x, lanes, m_or(closes, m_not(s->watched)), RH_LANE_ENERGY);
  }
  for (int k = 0; k <= LANE_OUTSIDE; k++) {
    add(x + LANE_WORK + k, lanes, s->work[k]);
  }
  keep_state(t, s, x, lanes);
  return lanes;
}

#endif
