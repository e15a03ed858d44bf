// step.h: a step of LANES worlds: that of step.c for one tree of hinges whose spheres touch planes, as long
// as it takes the common way: no impact in it, solved by sweeps, energy that closes. Lanes that leave that
// way are not moved: the caller steps these worlds by themselves.
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
    if (b->joint == LANE_HINGE) {
      next[b->q] = q[b->q] + h * u[0];
    } else if (b->joint == LANE_FREE) {
      for (int k = 0; k < 3; k++) {
        next[b->q + k] = q[b->q + k] + h * u[k];
      }
      turn_quat(q + b->q + 3, v_of(h * u[3], h * u[4], h * u[5]), next + b->q + 3);
    }
  }
}

// ---- The step

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

// Contacts; the lanes that have some
LANE_FN mask find_contacts(const lane_table *t, lane_scratch *s, mask lanes)
{
  mask any = m_of(0);
  s->nrow = 0;
  for (int k = 0; k < t->npair; k++) {
    find_contact(t, s, k, lanes);
  }
  for (int i = 0; i < s->nrow; i++) {
    any = m_or(any, s->row[i].on);
  }
  return any;
}

// Rows; the lanes that have no impact in the step
LANE_FN mask make_rows(const lane_table *t, lane_scratch *s, const num *state, mask lanes)
{
  const num zero = n_all(0);
  mask fails = m_of(0);
  mask pressed = n_over(state[LANE_PRESSED], zero);
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    fails = m_or(fails, make_row(t, s, c, state));
    num f = n_abs(c->f.x) + n_abs(c->f.y) + n_abs(c->f.z);
    pressed = m_or(pressed, m_and(c->on, m_not(n_same(f, zero))));
  }
  for (int i = 0; i < s->nrow; i++) {
    fails = m_or(fails, has_impact(t, s, &s->row[i], pressed));
  }
  return m_and(lanes, m_not(fails));
}

LANE_FN mask rows_press(const lane_scratch *s)
{
  mask any = m_of(0);
  for (int i = 0; i < s->nrow; i++) {
    any = m_or(any, m_and(s->row[i].on, m_not(n_same(s->row[i].p[2], n_all(0)))));
  }
  return any;
}

// The velocities at the end, in z; the lanes in which they are solved
LANE_FN mask solve_step(const lane_table *t, lane_scratch *s, mask lanes)
{
  const num h = n_all(t->dt);
  for (int i = 0; i < s->nrow; i++) {
    lane_row *c = &s->row[i];
    num bend = row_bend(t, s, c);
    num add = n_all(0.5 * t->dt) * bend;
    c->bias = n_pick(n_over(n_all(0), bend), c->bias + add, c->bias);
  }
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  num free = tree_energy(t, s->z);
  warm_start(t, s);
  keep_start(t, s);
  mask hard = solve_rows(t, s, lanes);
  hard = m_and(lanes, m_or(hard, all_slide(s)));
  if (m_bits(hard) != 0) {
    lanes = m_and(lanes, m_or(m_not(hard), solve_hard(t, s, hard)));
  }
  num now = tree_energy(t, s->z);
  mask tame = m_and(n_least(n_all(1e6) * free, now), m_not(n_over(now, n_all(1.01) * free)));
  return m_and(lanes, tame);
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

// Losses of dampers and work of forces, by the mean velocity (articulated_motion.c)
LANE_FN void sum_work(const lane_table *t, lane_scratch *s, const num *v0, const num *tau, double part)
{
  num loss = n_all(0);
  num work = n_all(0);
  for (int j = 0; j < t->ndof; j++) {
    num mean = n_all(0.5) * (v0[j] + s->next_v[j]);
    num change = s->next_v[j] - v0[j];
    loss = loss + n_all(t->dof[j].damper) * (v0[j] + n_all(part) * change) * mean;
    work = work + tau[j] * mean;
  }
  s->damped = n_all(t->dt) * loss;
  s->outside = n_all(t->dt) * work;
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

// Does the energy of the step close? s->kin are those of its end; `share` is that of the kinetic energy.
LANE_FN mask energy_closes(const lane_table *t, const lane_scratch *s, lane_account before,
                           double share)
{
  lane_account now = account_of(s);
  num deepest = n_all(0);
  now.sum = now.sum + (s->damped - n_all(0) - s->outside);
  now.sum = now.sum - s->impact_work;
  for (int i = 0; i < s->nrow; i++) {
    const lane_row *c = &s->row[i];
    now.sum = n_pick(c->on, now.sum + c->slide, now.sum);
    deepest = n_pick(c->on, n_greater(-c->phi, deepest), deepest);
  }
  num motion = n_greater(before.motion, now.motion);
  num speed = n_all(0);
  if (s->nrow > 0) {
    speed = n_root(n_all(2) * motion / n_all(t->mass));
  }
  num slack = n_all(t->weight * t->mass) * (deepest + n_all(t->dt) * speed);
  return n_least(n_all(share) * motion + slack, n_abs(now.sum - before.sum));
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
    num deep = -c->phi - n_all(t->slop);
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
  num slight = n_all(0.1 * 0.2) * (worst - n_all(t->slop)) / h;
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
  num share = n_pick(n_over(most * h, n_all(0.05)), n_all(0.05) / (most * h), one);
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

// The velocities at the end and the place, in next_v and next_q, of lanes with contacts
LANE_FN mask move_pressed(const lane_table *t, lane_scratch *s, const num *x, mask lanes,
                          mask *pressed)
{
  const num half = n_all(0.5);
  num v[LANE_DOFS];
  lanes = solve_step(t, s, lanes);
  *pressed = rows_press(s);
  stop_resting(t, s, *pressed);
  s->load = x[LANE_LOAD];
  s->impact = x[LANE_IMPACT];
  for (int i = 0; i < s->nrow; i++) {
    record_row(t, s, &s->row[i], x[LANE_T]);
  }
  unload_tree(t, s, s->next_v);
  sum_work(t, s, x + LANE_V, x + LANE_TAU, 1);
  for (int j = 0; j < t->ndof; j++) {
    v[j] = n_pick(*pressed, s->next_v[j], half * (s->v[j] + s->next_v[j]));
  }
  advance_tree(t, x + LANE_Q, v, n_all(t->dt), s->next_q);
  num worst = deepest_overlap(s, x[LANE_DEEPEST]);
  mask deep = m_and(lanes, n_over(worst, n_all(t->slop)));
  if (m_bits(deep) != 0) {
    correct_positions(t, s, deep, worst);
  }
  return lanes;
}

// What all steps leave in the lanes whose energy closes
LANE_FN mask end_step(const lane_table *t, lane_scratch *s, num *x, mask lanes,
                      const lane_account *before, bool *stands)
{
  lanes = m_and(lanes, is_finite(t, s->next_v));
  if (m_bits(m_and(lanes, s->watched)) != 0) {
    stand_tree(t, s, s->next_q, s->next_v);
    *stands = true;
    mask closes = energy_closes(t, s, *before, s->nrow > 0 ? 1e-3 : 1e-4);
    lanes = m_and(lanes, m_or(closes, m_not(s->watched)));
  }
  add(x + LANE_WORK, lanes, s->damped);
  add(x + LANE_WORK + 2, lanes, s->outside);
  keep_state(t, s, x, lanes);
  return lanes;
}

// Lanes with contacts over the step; `*stands`: s->kin are those of the end
LANE_CALL mask step_pressed(const lane_table *t, lane_scratch *s, num *x, mask lanes,
                            const lane_account *before, bool *stands)
{
  mask pressed;
  make_tree(t, s, x + LANE_Q, x + LANE_TAU, 1);
  lanes = make_rows(t, s, x, lanes);
  if (m_bits(lanes) == 0) {
    return lanes;
  }
  s->impact_work = n_all(0);
  lanes = move_pressed(t, s, x, lanes, &pressed);
  lanes = end_step(t, s, x, lanes, before, stands);
  put(x + LANE_PRESSED, lanes, n_pick(pressed, n_all(1), n_all(0)));
  return lanes;
}

// Lanes without contacts, by the midpoint rule (articulated_middle.c)
LANE_CALL mask step_free(const lane_table *t, lane_scratch *s, num *x, mask lanes,
                         const lane_account *before, bool *stands)
{
  const num h = n_all(t->dt);
  const num half = n_all(0.5 * t->dt);
  const num *v0 = x + LANE_V;
  num q[LANE_COORDS];
  num v[LANE_DOFS];
  for (int i = 0; i < LANE_COORDS; i++) {
    q[i] = n_all(0);
  }
  for (int j = 0; j < LANE_DOFS; j++) {
    v[j] = n_all(0);
  }
  advance_tree(t, x + LANE_Q, v0, half, q);
  stand_tree(t, s, q, v0);
  make_tree(t, s, q, x + LANE_TAU, 0.5);
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
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
  for (int j = 0; j < t->ndof; j++) {
    s->z[j] = s->z[j] + h * s->force[j];
  }
  unload_tree(t, s, s->next_v);
  sum_work(t, s, v0, x + LANE_TAU, 0.5);
  advance_tree(t, q, s->next_v, half, s->next_q);
  s->nrow = 0;
  s->impact_work = s->sweeps = s->newton = n_all(0);
  s->deepest = x[LANE_DEEPEST];
  s->load = x[LANE_LOAD];
  s->impact = x[LANE_IMPACT];
  lanes = end_step(t, s, x, lanes, before, stands);
  put(x + LANE_PRESSED, lanes, n_all(0));
  return lanes;
}

// The time at the end of the step; the lanes that are not asked for anything else there
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
  const num fast = n_all(0.1); // [rad] a tree that turns so far is stepped in parts
  mask lanes = m_and(m_of(bits), next_time(t, x, &now));
  lanes = m_and(lanes, small_angles(t, x + LANE_Q));
  if (!*stands) {
    stand_tree(t, s, x + LANE_Q, x + LANE_V);
  }
  *stands = false;
  lane_account before = account_of(s);
  s->watched = n_over(s->spin * h, n_all(1e-2));
  mask parts = m_and(n_over(s->spin, n_all(0)), n_over(h, fast / s->spin));
  mask more = n_over(s->spin * h, fast);
  mask meets = find_contacts(t, s, lanes);
  mask pressed = m_and(lanes, m_and(meets, m_not(parts)));
  mask free = m_and(lanes, m_not(m_or(meets, more)));
  mask moved = m_of(0);
  if (m_bits(pressed) != 0) {
    moved = step_pressed(t, s, x, pressed, &before, stands);
  }
  if (m_bits(free) != 0) {
    *stands = false;
    moved = m_or(moved, step_free(t, s, x, free, &before, stands));
  }
  put(x + LANE_T, moved, now);
  *stands = *stands && m_bits(moved) == bits && (m_bits(pressed) == 0 || m_bits(free) == 0);
  return m_bits(moved);
}
