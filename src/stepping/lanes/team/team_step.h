// team_step.h: a step of a world by a team: step.h, number by number. It moves the world or leaves it as it was.
#ifndef ROUTH_STEPPING_LANES_TEAM_STEP_H
#define ROUTH_STEPPING_LANES_TEAM_STEP_H

#include "stepping/lanes/step.h"
#include "team_contact.h"

typedef enum team_end { // why a team stopped
  TEAM_DONE,            // all steps
  TEAM_OTHER,           // the world takes the next step by itself,
  TEAM_HARD,            // as sweeps do not solve its rows
  TEAM_FULL             // there is not memory for its contacts
} team_end;

typedef struct team_account_of { // of a step (end_step)
  num motion, rest;              // at its start
  num damped, outside, impact_work;
  bool watched;
} team_account_of;

typedef struct team_tally {
  num sweeps, deepest, load, impact;
  bool pressed;
} team_tally;

typedef struct team_taken { // a step
  num now;                  // its end
  team_meets found;
  team_account_of account;
  team_tally tally;
} team_taken;

// ---- Coordinates

// next := q moved along v for h; `next` may be q.
LANE_FN void team_advance(const team *g, const num *q, const num *v, num h, num *next)
{
  for TEAM_EACH (i, g->k->nbody) {
    const lane_body *b = &g->t->body[i];
    const num *u = v + b->dof;
    if (b->joint == LANE_HINGE) {
      next[b->q] = q[b->q] + h * u[0];
    } else if (b->joint == LANE_FREE) {
      const num old[4] = {q[b->q + 3], q[b->q + 4], q[b->q + 5], q[b->q + 6]};
      for (int k = 0; k < 3; k++) {
        next[b->q + k] = q[b->q + k] + h * u[k];
      }
      turn_quat(old, v_of(h * u[3], h * u[4], h * u[5]), next + b->q + 3);
    }
  }
  team_wait(g);
}

LANE_FN bool small_turns(const team *g, const num *q)
{
  bool large = false;
  for TEAM_EACH (i, g->k->nbody) {
    const lane_body *b = &g->t->body[i];
    large = large || (b->joint == LANE_HINGE && n_abs(q[b->q]) >= LANE_LARGE);
  }
  return !team_any(g, large);
}

// ---- Work and energy

// sum_work; a thread for each of the two sums
LANE_FN void team_sum_work(const team *g, double part, team_account_of *a)
{
  const num *v0 = numbers(g, g->k->xv);
  const num *v = numbers(g, g->k->next_v);
  const num *tau = g->x + LANE_TAU;
  num *loss = numbers(g, g->k->joint);
  num *work = numbers(g, g->k->force);
  for TEAM_EACH (j, g->k->ndof) {
    num mean = n_all(0.5) * (v0[j] + v[j]);
    num change = v[j] - v0[j];
    loss[j] = n_all(g->t->dof[j].damper) * (v0[j] + n_all(part) * change) * mean;
    work[j] = tau[j] * mean;
  }
  team_wait(g);
  num sum = n_all(0);
  const num *of = g->rank == 0 ? loss : work;
  for (int j = 0; j < g->k->ndof; j++) {
    sum = sum + of[j];
  }
  a->damped = n_all(g->t->dt) * team_take(g, sum, 0);
  a->outside = n_all(g->t->dt) * team_take(g, sum, 1);
  team_wait(g);
}

// energy_closes: after team_stand at the end of a step with n contacts
LANE_FN bool team_energy_closes(const team *g, int n, const team_account_of *a)
{
  const lane_table *t = g->t;
  num motion;
  num rest;
  num deepest = n_all(0);
  num speed = n_all(0);
  team_account(g, numbers(g, g->k->next_q), &motion, &rest);
  motion = n_all(0.5) * motion;
  const num motion0 = n_all(0.5) * a->motion;
  const num sum0 = motion0 + a->rest;
  num sum = motion + rest;
  sum = sum + (a->damped - n_all(0) - a->outside);
  sum = sum - a->impact_work;
  for (int i = 0; i < n; i++) {
    const team_row *c = row_of(g, i);
    sum = sum + c->slide;
    deepest = n_greater(-c->phi, deepest);
  }
  num most = n_greater(motion0, motion);
  if (n > 0) {
    speed = n_root(n_all(2) * most / n_all(t->mass));
  }
  num slack = n_all(t->weight * t->mass) * (deepest + n_all(t->dt) * speed);
  return n_least(n_all(n > 0 ? RH_STEP_SHARE : RH_STEP_SHARE_FREE) * most + slack, n_abs(sum - sum0));
}

// ---- Overlap

// deepest_overlap: that of rigid contacts; *deepest: of all that press or close
LANE_FN num team_overlap(const team *g, int n, num *deepest)
{
  num worst = n_all(0);
  num all = *deepest;
  for TEAM_EACH (i, n) {
    const team_row *c = row_of(g, i);
    num deep = -c->phi;
    if ((c->p[2] > 0 || c->un < 0) && deep > all) {
      all = deep;
    }
    worst = n_greater(deep, worst);
  }
  *deepest = team_most(g, all);
  return team_most(g, worst);
}

// lift_rows: one sweep of pseudo-impulses along normals; they are in `bias`.
LANE_FN num team_lift(const team *g, int n, num *z)
{
  const num zero = n_all(0);
  const num h = n_all(g->t->dt);
  num most = zero;
  for (int i = 0; i < n; i++) {
    team_row *c = row_of(g, i);
    num deep = -c->phi - n_all(0.9 * g->t->slop); // LEAVE of position_correction.c
    num fast = n_all(0.2) * deep / h;
    fast = n_pick(n_all(0.5) > fast, fast, n_all(0.5));
    num want = n_pick(deep > zero, fast, deep / h);
    num before = c->bias;
    num next = before + (want - team_row_sum(g, i, z)) * c->iw;
    next = n_pick(next > zero, next, zero);
    num p = next - before;
    team_wait(g);
    if (g->rank == 0) {
      c->bias = next;
    }
    if (p != zero) {
      const lane_body *b = &g->t->body[c->body];
      const uint8_t *path = g->d->ancestor + g->t->dof[b->tip].row;
      const num *Y = path_of(g, i) + 2 * g->k->deep;
      for TEAM_EACH (e, b->depth) {
        z[path[e]] = z[path[e]] + p * Y[e];
      }
      most = n_greater(n_abs(p) / c->iw, most);
    }
    team_wait(g);
  }
  return most;
}

// correct_positions: overlap deeper than the slop is removed by positions alone; z is lost.
LANE_FN void team_correct(const team *g, int n, num worst)
{
  enum { SWEEPS = 5 };

  const num zero = n_all(0);
  const num h = n_all(g->t->dt);
  num *z = numbers(g, g->k->z);
  num *v = numbers(g, g->k->v);
  num slight = n_all(0.1 * 0.2) * (worst - n_all(0.9 * g->t->slop)) / h;
  for TEAM_EACH (i, n) {
    row_of(g, i)->bias = zero;
  }
  for TEAM_EACH (j, g->k->ndof) {
    z[j] = zero;
  }
  team_wait(g);
  for (int k = 0; k < SWEEPS; k++) {
    if (!(team_lift(g, n, z) > slight)) {
      break;
    }
  }
  team_unload(g, v);
  num most = zero;
  for TEAM_EACH (j, g->k->ndof) {
    most = n_greater(n_abs(v[j]), most);
  }
  most = team_most(g, most);
  num share = most * h > n_all(RH_STEP_NUDGE) ? n_all(RH_STEP_NUDGE) / (most * h) : n_all(1);
  for TEAM_EACH (j, g->k->ndof) {
    v[j] = share * v[j];
  }
  team_wait(g);
  team_advance(g, numbers(g, g->k->next_q), v, h, numbers(g, g->k->next_q));
}

// ---- The state after a step

// keep_contacts
LANE_FN void team_keep_contacts(const team *g, const team_meets *found, num now)
{
  num *x = g->x;
  const num zero = n_all(0);
  for TEAM_EACH (k, g->k->npair) {
    num *f = x + LANE_FORCE + 3 * k;
    num *since = x + LANE_SINCE + k;
    vec force = v_of(zero, zero, zero);
    num begun = zero;
    if (found->on >> k & 1) {
      const team_row *c = row_of(g, count_bits(found->on & ((1ULL << k) - 1)));
      num *point = x + LANE_POINT + 3 * k;
      if (c->p[2] > 0) {
        const vec old = v_of(f[0], f[1], f[2]);
        begun = v_dot(old, old) > 0 ? *since : now;
        force = v_scale(n_all(1 / g->t->dt), team_impulse(g, c));
      }
      point[0] = c->point.x;
      point[1] = c->point.y;
      point[2] = c->point.z;
    }
    f[0] = force.x;
    f[1] = force.y;
    f[2] = force.z;
    *since = begun;
  }
  for TEAM_EACH (rule, g->k->nrule) {
    num slide = zero;
    for (int i = 0; i < found->n; i++) {
      const team_row *c = row_of(g, i);
      slide = g->t->pair[c->pair].rule == rule ? slide + c->slide : slide;
    }
    x[LANE_SLIDE + rule] = x[LANE_SLIDE + rule] + slide;
  }
}

// The energies of a world of several trees, in the order of its islands (energy.c); they are with the first one.
LANE_FN void team_add_sums(const team *g, const team_account_of *a)
{
  num *x = g->x;
  if (g->rank == 0) {
    g->sums[3 * g->tree] = a->damped;
    g->sums[3 * g->tree + 1] = a->outside;
    g->sums[3 * g->tree + 2] = a->impact_work;
  }
  (void)team_agree(g, true);
  if (g->tree == 0 && g->rank == 0) {
    num base = n_all(0);
    for (int k = 0; k < g->trees; k++) {
      x[LANE_WORK] = x[LANE_WORK] + g->sums[3 * k];
      x[LANE_WORK + 2] = x[LANE_WORK + 2] + g->sums[3 * k + 1];
      base = base + g->sums[3 * k + 2];
    }
    x[LANE_ALL] = x[LANE_ALL] + base;
  }
}

// keep_state, with all that a step adds up
LANE_FN void team_keep(const team *g, const team_taken *taken)
{
  const team_meets *found = &taken->found;
  const team_account_of *a = &taken->account;
  const team_tally *tally = &taken->tally;
  num *x = g->x;
  num *q = numbers(g, g->k->q);
  num *v = numbers(g, g->k->xv);
  for TEAM_EACH (i, g->k->nq) {
    q[i] = numbers(g, g->k->next_q)[i];
  }
  for TEAM_EACH (j, g->k->ndof) {
    v[j] = numbers(g, g->k->next_v)[j];
  }
  team_keep_contacts(g, found, x[LANE_T]);
  team_wait(g);
  if (g->trees > 1) {
    team_add_sums(g, a);
  } else if (g->rank == 0) {
    x[LANE_WORK] = x[LANE_WORK] + a->damped;
    x[LANE_WORK + 2] = x[LANE_WORK + 2] + a->outside;
    x[LANE_BASE] = x[LANE_BASE] + a->impact_work;
  }
  if (g->rank == 0) {
    x[LANE_CONTACTS] = n_all(found->n);
    x[LANE_MEETINGS] = x[LANE_MEETINGS] + n_all(found->n);
    x[LANE_DEEPEST] = tally->deepest;
    x[LANE_LOAD] = tally->load;
    x[LANE_IMPACT] = tally->impact;
    x[LANE_LAST] = tally->sweeps;
    x[LANE_LAST_NEWTON] = n_all(0);
    x[LANE_SWEEPS] = x[LANE_SWEEPS] + tally->sweeps;
    x[LANE_STEPS] = x[LANE_STEPS] + n_all(1);
    x[LANE_PRESSED] = n_all(tally->pressed ? 1 : 0);
    x[LANE_T] = taken->now;
  }
  team_wait(g);
}

LANE_FN bool team_is_finite(const team *g, const num *v)
{
  bool other = false;
  for TEAM_EACH (j, g->k->ndof) {
    other = other || v[j] - v[j] != 0;
  }
  return !team_any(g, other);
}

// ---- Steps

// z += h force
LANE_FN void team_add_force(const team *g)
{
  const num h = n_all(g->t->dt);
  const num *force = numbers(g, g->k->force);
  num *z = numbers(g, g->k->z);
  for TEAM_EACH (j, g->k->ndof) {
    z[j] = z[j] + h * force[j];
  }
  team_wait(g);
}

// The impulses of contacts (solve_step); false: another way has to solve it.
LANE_FN bool team_solve_step(const team *g, int n, num *sweeps)
{
  team_add_force(g);
  num free = team_energy(g);
  team_wait(g);
  team_warm_start(g, n);
  if (!team_solve(g, n, sweeps) || team_all_slide(g, n)) {
    return false;
  }
  num now = team_energy(g);
  return n_all(1e6) * free >= now && !(now > n_all(1.01) * free);
}

// stop_resting, record_row of all contacts
LANE_FN void team_record_rows(const team *g, int n, team_account_of *a, team_tally *tally)
{
  const double slow = 1e-4 * g->t->tolerance;
  num *z = numbers(g, g->k->z);
  bool pressed = false;
  for TEAM_EACH (i, n) {
    pressed = pressed || row_of(g, i)->p[2] != 0;
  }
  tally->pressed = team_any(g, pressed);
  if (tally->pressed && n_all(g->t->mass * slow * slow) >= n_all(2) * team_energy(g)) {
    team_wait(g);
    for TEAM_EACH (j, g->k->ndof) {
      z[j] = n_all(0);
    }
  }
  team_wait(g);
  for TEAM_EACH (i, n) {
    team_record(g, i);
  }
  team_wait(g);
  a->impact_work = n_all(0);
  for (int i = 0; i < n; i++) {
    const team_row *c = row_of(g, i);
    if (c->p[2] > 0) {
      bool fast = c->un < 0 && c->un < -c->slow;
      a->impact_work = a->impact_work + c->normal;
      tally->impact = fast ? n_greater(c->p[2], tally->impact) : tally->impact;
      tally->load = fast ? tally->load : n_greater(c->p[2], tally->load);
    }
  }
}

// A step with contacts (step_pressed)
LANE_FN team_end team_step_pressed(const team *g, const team_meets *found, team_account_of *a,
                                   team_tally *tally)
{
  const team_table *k = g->k;
  num *v = numbers(g, k->v);
  num *next_v = numbers(g, k->next_v);
  team_make(g, numbers(g, k->q), g->x + LANE_TAU, 1);
  if (!team_make_rows(g, found)) {
    return TEAM_OTHER;
  }
  if (!team_solve_step(g, found->n, &tally->sweeps)) {
    return TEAM_HARD;
  }
  team_record_rows(g, found->n, a, tally);
  team_unload(g, next_v);
  team_sum_work(g, 1, a);
  for TEAM_EACH (j, k->ndof) {
    v[j] = tally->pressed ? next_v[j] : n_all(0.5) * (v[j] + next_v[j]);
  }
  team_wait(g);
  team_advance(g, numbers(g, k->q), v, n_all(g->t->dt), numbers(g, k->next_q));
  num worst = team_overlap(g, found->n, &tally->deepest);
  if (worst > n_all(g->t->slop)) {
    team_correct(g, found->n, worst);
  }
  return TEAM_DONE;
}

// A step without contacts, by the midpoint rule (step_free)
LANE_FN void team_step_free(const team *g, team_account_of *a)
{
  const team_table *k = g->k;
  const num half = n_all(0.5 * g->t->dt);
  const num *v0 = numbers(g, k->xv);
  num *q = numbers(g, k->next_q);
  num *v = numbers(g, k->next_v);
  team_advance(g, numbers(g, k->q), v0, half, q);
  (void)team_stand(g, q, v0);
  team_make(g, q, g->x + LANE_TAU, 0.5);
  team_add_force(g);
  team_unload(g, v);
  for TEAM_EACH (j, k->ndof) {
    v[j] = n_all(0.5) * (v0[j] + v[j]);
  }
  (void)team_stand(g, q, v);
  team_bias_again(g);
  for TEAM_EACH (j, k->ndof) {
    numbers(g, k->v)[j] = v0[j];
  }
  team_wait(g);
  team_load(g);
  team_add_force(g);
  team_unload(g, v);
  team_sum_work(g, 0.5, a);
  team_advance(g, q, v, half, q);
  a->impact_work = n_all(0);
}

// The next step, which is not kept yet (step_lanes, end_step); `*spin`: of the fastest body, below 0 where bodies do not stand at
// the state yet
LANE_FN team_end team_step(const team *g, num *spin, team_taken *taken, rh_lane_cause *cause)
{
  const team_table *k = g->k;
  const num h = n_all(g->t->dt);
  const num fast = n_all(RH_STEP_TREE_TURN); // a tree that turns so far is stepped in parts
  taken->now = (n_floor(g->x[LANE_T] / h + n_all(0.5)) + n_all(1)) * h;
  *cause = g->x[LANE_UNTIL] > taken->now ? RH_LANE_TURN : RH_LANE_FRAME;
  if (*cause == RH_LANE_FRAME || !small_turns(g, numbers(g, k->q))) {
    return TEAM_OTHER;
  }
  if (*spin < 0) {
    *spin = team_stand(g, numbers(g, k->q), numbers(g, k->xv));
  }
  const num turn = *spin;
  team_account_of *a = &taken->account;
  *spin = n_all(-1);
  taken->tally.sweeps = n_all(0);
  taken->tally.deepest = g->x[LANE_DEEPEST];
  taken->tally.load = g->x[LANE_LOAD];
  taken->tally.impact = g->x[LANE_IMPACT];
  taken->tally.pressed = false;
  a->motion = a->rest = n_all(0);
  a->watched = turn * h > n_all(RH_STEP_WATCHED);
  taken->found = team_find_contacts(g);
  const int n = taken->found.n;
  if (n > 0 ? turn > 0 && h > fast / turn : turn * h > fast) {
    return TEAM_OTHER;
  }
  *cause = RH_LANE_SOLVER;
  if (n > k->rows) {
    return TEAM_FULL;
  }
  if (a->watched) {
    team_account(g, numbers(g, k->q), &a->motion, &a->rest);
  }
  team_end end = TEAM_DONE;
  if (n == 0) {
    team_step_free(g, a);
  } else {
    end = team_step_pressed(g, &taken->found, a, &taken->tally);
  }
  if (end == TEAM_OTHER) {
    *cause = RH_LANE_IMPACT;
  }
  if (end != TEAM_DONE || !team_is_finite(g, numbers(g, k->next_v))) {
    return end == TEAM_HARD ? TEAM_HARD : TEAM_OTHER;
  }
  if (a->watched) {
    num ahead = team_stand(g, numbers(g, k->next_q), numbers(g, k->next_v));
    if (!team_energy_closes(g, n, a)) {
      *cause = RH_LANE_ENERGY;
      return TEAM_OTHER;
    }
    *spin = ahead;
  }
  return TEAM_DONE;
}

// Up to `steps` steps, as long as the teams of all trees of the world can take them; returns their number.
LANE_FN int team_run(const team *g, int steps, team_end *end)
{
  num *q = numbers(g, g->k->q);
  num *v = numbers(g, g->k->xv);
  num spin = n_all(-1);
  int n = 0;
  for TEAM_EACH (i, g->k->nq) {
    q[i] = g->x[LANE_Q + i];
  }
  for TEAM_EACH (j, g->k->ndof) {
    v[j] = g->x[LANE_V + j];
  }
  team_wait(g);
  *end = TEAM_DONE;
  while (n < steps && *end == TEAM_DONE) {
    team_taken taken;
    rh_lane_cause cause = RH_LANE_OUTSIDE;
    *end = team_step(g, &spin, &taken, &cause);
    if (*end != TEAM_DONE && g->rank == 0) {
      g->x[LANE_CAUSE] = n_all(cause);
    }
    if (g->trees > 1 && !team_agree(g, *end == TEAM_DONE) && *end == TEAM_DONE) {
      *end = TEAM_OTHER;
    }
    if (*end == TEAM_DONE) {
      team_keep(g, &taken);
      n++;
    }
  }
  team_wait(g);
  for TEAM_EACH (i, g->k->nq) {
    g->x[LANE_Q + i] = q[i];
  }
  for TEAM_EACH (j, g->k->ndof) {
    g->x[LANE_V + j] = v[j];
  }
  return n;
}

#endif
