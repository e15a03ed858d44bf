// team_tree.h: kinematics, inertia and forces of a tree by a team: tree.h, number by number. A body, a degree of freedom or
// a number of the factor is a thread's; bodies wait for their parents.
#ifndef ROUTH_STEPPING_LANES_TEAM_TREE_H
#define ROUTH_STEPPING_LANES_TEAM_TREE_H

#include "team.h"

// ---- Kinematics

LANE_FN void team_find_angles(const team *g, const num *q)
{
  num *trig = numbers(g, g->k->trig);
  for TEAM_EACH (i, g->k->nbody) {
    const lane_body *b = &g->t->body[i];
    if (b->joint == LANE_HINGE) {
      trig_of(q[b->q], &trig[2 * i], &trig[2 * i + 1]);
    }
  }
}

LANE_FN void team_place_bodies(const team *g, const num *q, const num *v)
{
  const team_table *k = g->k;
  const num *trig = numbers(g, k->trig);
  lane_kin ground;
  stand_world(&ground);
  for (int level = 0; level < k->levels; level++) {
    team_wait(g);
    for (int n = k->bodies.level[level] + g->rank; n < k->bodies.level[level + 1]; n += TEAM) {
      const int i = g->d->bodies.order[n];
      const lane_body *b = &g->t->body[i];
      const lane_kin *parent = b->parent < 0 ? &ground : kin_of(g, b->parent);
      place_body(b, parent, trig + 2 * i, q, v, &kin_of(g, 0)->p, kin_of(g, i), axis_of(g, b->dof));
    }
  }
  team_wait(g);
}

LANE_FN void team_weigh_bodies(const team *g)
{
  const vec zero = v_of(n_all(0), n_all(0), n_all(0));
  for TEAM_EACH (i, g->k->nbody) {
    const lane_body *b = &g->t->body[i];
    const lane_kin *k = kin_of(g, i);
    if (b->heavy) {
      vec h;
      sym I;
      turn_inertia(b, k, &h, &I);
      weigh_body(g->t, b, k, v_sub(k->p, kin_of(g, 0)->p), h, I, force_of(g, i), mass_of(g, i));
    } else {
      const sym none = {zero.x, zero.x, zero.x, zero.x, zero.x, zero.x};
      force_of(g, i)->ang = force_of(g, i)->lin = zero;
      mass_of(g, i)->h = zero;
      mass_of(g, i)->I = none;
    }
  }
}

// All bodies at q with the velocities v; the speed of turning of the fastest one
LANE_FN num team_stand(const team *g, const num *q, const num *v)
{
  num *own = numbers(g, g->k->v);
  num *reach = numbers(g, g->k->reach);
  num spin = n_all(0);
  team_wait(g);
  for TEAM_EACH (j, g->k->ndof) {
    own[j] = v[j];
  }
  team_find_angles(g, q);
  team_place_bodies(g, q, v);
  team_weigh_bodies(g);
  for TEAM_EACH (i, g->k->nbody) {
    reach[2 * i] = v_norm(kin_of(g, i)->v);
    reach[2 * i + 1] = v_norm(kin_of(g, i)->w);
    spin = n_greater(spin, reach[2 * i + 1]);
  }
  spin = team_most(g, spin);
  team_wait(g);
  return spin;
}

// ---- The account of articulated_guard.c (add_energy, add_springs)

// What a body adds: [J] of motion, twice, and of its place, in `terms`
LANE_FN void find_terms(const team *g, int i, num *terms)
{
  const lane_body *b = &g->t->body[i];
  const lane_kin *k = kin_of(g, i);
  terms[0] = terms[1] = n_all(0);
  if (b->heavy) {
    const num m = n_all(b->mass);
    vec h;
    sym I;
    turn_inertia(b, k, &h, &I);
    vec ang = v_add(s_mul(I, k->w), v_cross(h, k->v));
    vec lin = v_sub(v_scale(m, k->v), v_cross(h, k->w));
    terms[0] = v_dot(k->w, ang) + v_dot(k->v, lin);
    terms[1] = v_dot(v_all(g->t->gravity), v_addscaled(h, m, k->p));
  }
}

// After team_stand at q; what is in L is lost.
LANE_FN void team_account(const team *g, const num *q, num *motion, num *rest)
{
  const team_table *k = g->k;
  const num *v = numbers(g, k->v);
  num *terms = numbers(g, k->L);
  for TEAM_EACH (i, k->nbody) {
    find_terms(g, i, terms + 2 * i);
  }
  team_wait(g);
  *motion = *rest = n_all(0);
  for (int i = 0; i < k->nbody; i++) {
    const lane_body *b = &g->t->body[i];
    *motion = *motion + terms[2 * i];
    *rest = *rest - terms[2 * i + 1];
    for (int j = b->dof; j < b->dof + b->ndof; j++) {
      const lane_dof *f = &g->t->dof[j];
      if (f->armature != 0) {
        *motion = *motion + n_all(f->armature) * v[j] * v[j];
      }
      if (b->joint == LANE_HINGE) {
        num delta = q[b->q] - n_all(f->rest);
        *rest = *rest + n_all(0.5 * f->spring) * delta * delta;
      }
    }
  }
  team_wait(g);
}

// ---- H^ = L' L and forces

// Sums towards the root, a thread for each number; the bias as joint forces
LANE_FN void team_gather(const team *g)
{
  const team_table *k = g->k;
  num *force = numbers(g, k->force);
  for TEAM_EACH (c, 15) {
    num *x = c < 9 ? numbers(g, k->Ic) + c : numbers(g, k->f) + (c - 9);
    const int stride = c < 9 ? TEAM_MASS : TEAM_AXIS;
    for (int i = k->nbody - 1; i > 0; i--) {
      num *to = x + stride * k->bodies.parent[i];
      *to = *to + x[stride * i];
    }
  }
  team_wait(g);
  for TEAM_EACH (j, k->ndof) {
    const lane_axis *S = axis_of(g, j);
    const lane_force *f = force_of(g, g->t->dof[j].body);
    force[j] = -(v_dot(S->ang, f->ang) + v_dot(S->lin, f->lin));
  }
}

// tree.h, find_joint_forces; each thread those of its degrees of freedom
LANE_FN void team_joint_forces(const team *g, const num *q, const num *tau, double part)
{
  const num *v = numbers(g, g->k->v);
  num *joint = numbers(g, g->k->joint);
  const double h = g->t->dt;
  for TEAM_EACH (j, g->k->ndof) {
    const lane_dof *f = &g->t->dof[j];
    double ahead = part == 1 ? f->damper + h * f->spring : f->damper;
    num delta = n_all(0);
    if (f->spring != 0) {
      delta = q[g->t->body[f->body].q] - n_all(f->rest);
    }
    joint[j] = tau[j] - n_all(f->spring) * delta - n_all(ahead) * v[j];
  }
}

LANE_FN void team_add_joint_forces(const team *g)
{
  const num *joint = numbers(g, g->k->joint);
  num *force = numbers(g, g->k->force);
  for TEAM_EACH (j, g->k->ndof) {
    force[j] = force[j] + joint[j];
  }
}

// H^ in L; the composite inertia times each axis is where bodies were.
LANE_FN void team_mass_rows(const team *g, double part)
{
  const team_table *k = g->k;
  num *L = numbers(g, k->L);
  for TEAM_EACH (j, k->ndof) {
    const int body = g->t->dof[j].body;
    const lane_mass *I = mass_of(g, body);
    const lane_axis *x = axis_of(g, j);
    lane_axis *to = (lane_axis *)(void *)(g->m + k->axis + TEAM_AXIS * j);
    to->ang = v_add(s_mul(I->I, x->ang), v_cross(I->h, x->lin));
    to->lin = v_sub(v_scale(n_all(g->d->mass[body]), x->lin), v_cross(I->h, x->ang));
  }
  team_wait(g);
  for TEAM_EACH (n, k->nentry) {
    const int j = g->d->entry[n];
    const int a = g->d->ancestor[n];
    const lane_axis *x = (const lane_axis *)(const void *)(g->m + k->axis + TEAM_AXIS * j);
    const lane_axis *y = axis_of(g, a);
    num sum = x->ang.x * y->ang.x;
    sum = sum + x->ang.y * y->ang.y;
    sum = sum + x->ang.z * y->ang.z;
    sum = sum + x->lin.x * y->lin.x;
    sum = sum + x->lin.y * y->lin.y;
    sum = sum + x->lin.z * y->lin.z;
    if (a == j) {
      sum = sum + n_all(g->t->dof[j].armature) + n_all(soften(g->t, j, g->t->dt, part));
    }
    L[n] = sum;
  }
  team_wait(g);
}

// From the last row to the first: it is scaled, then taken from the rows of its ancestors.
LANE_FN void team_factor(const team *g)
{
  const team_table *k = g->k;
  num *L = numbers(g, k->L);
  num *iL = numbers(g, k->iL);
  for (int j = k->ndof - 1; j >= 0; j--) {
    const int at = k->row_at[j];
    const int depth = k->depth[j];
    const num inverse = n_all(1) / n_root(L[at + depth]);
    if (g->rank == 0) {
      iL[j] = inverse;
    }
    for TEAM_EACH (e, depth) {
      L[at + e] = L[at + e] * inverse;
    }
    team_wait(g);
    for TEAM_EACH (n, depth * (depth + 1) / 2) {
      const int a = g->d->pairs.first[n];
      const int e = g->d->pairs.second[n];
      num *to = L + g->d->row_at[g->d->ancestor[at + a]] + e;
      *to = *to - L[at + a] * L[at + e];
    }
    team_wait(g);
  }
  for TEAM_EACH (j, k->ndof) {
    num *to = L + g->d->row_at[j] + g->d->depth[j];
    *to = n_root(*to);
  }
  team_wait(g);
}

// Sums of a thread's row along its path, run by run (row_dot): quarters of the run, sum of the runs before
typedef struct team_sum {
  num quarter[4], whole;
} team_sum;

LANE_FN team_sum begin_sum(void)
{
  const num zero = n_all(0);
  team_sum s = {{zero, zero, zero, zero}, zero};
  return s;
}

LANE_FN void add_to_sum(team_sum *s, int quarter, num x)
{
  for (int q = 0; q < 4; q++) {
    s->quarter[q] = (quarter & 3) == q ? s->quarter[q] + x : s->quarter[q];
  }
  if (quarter & 4) {
    s->whole = s->whole + sum_quarters(s->quarter);
    s->quarter[0] = s->quarter[1] = s->quarter[2] = s->quarter[3] = n_all(0);
  }
}

// z := L v
LANE_FN void team_load(const team *g)
{
  const team_table *k = g->k;
  const num *L = numbers(g, k->L);
  const num *v = numbers(g, k->v);
  num *z = numbers(g, k->z);
  for TEAM_EACH (j, k->ndof) {
    const int at = g->d->row_at[j];
    team_sum s = begin_sum();
    for (int e = 0; e <= g->d->depth[j]; e++) {
      add_to_sum(&s, g->d->quarter[at + e], L[at + e] * v[g->d->ancestor[at + e]]);
    }
    z[j] = s.whole + sum_quarters(s.quarter);
  }
}

// v := L^-1 z. Degrees of freedom of one depth are found together.
LANE_FN void team_unload(const team *g, num *v)
{
  enum { MOST = (LANE_DOFS + TEAM - 1) / TEAM };

  const team_table *k = g->k;
  const num *L = numbers(g, k->L);
  const num *iL = numbers(g, k->iL);
  const num *z = numbers(g, k->z);
  team_sum s[MOST];
  for (int m = 0; m < MOST; m++) {
    s[m] = begin_sum();
  }
  for (int e = 0; e < k->deep; e++) {
    team_wait(g);
    for (int m = 0; m < MOST; m++) {
      const int j = g->rank + TEAM * m;
      if (j < k->ndof && g->d->depth[j] == e) {
        v[j] = (z[j] - (s[m].whole + sum_quarters(s[m].quarter))) * iL[j];
      }
    }
    team_wait(g);
    for (int m = 0; m < MOST; m++) {
      const int j = g->rank + TEAM * m;
      if (j < k->ndof && g->d->depth[j] > e) {
        const int at = g->d->row_at[j] + e;
        add_to_sum(&s[m], g->d->quarter[at], L[at] * v[g->d->ancestor[at]]);
      }
    }
  }
  team_wait(g);
}

// x := L^-T x
LANE_FN void team_back(const team *g, num *x)
{
  const team_table *k = g->k;
  const num *L = numbers(g, k->L);
  const num *iL = numbers(g, k->iL);
  team_wait(g);
  for (int j = k->ndof - 1; j > 0; j--) {
    const int at = k->row_at[j];
    const num y = x[j] * iL[j];
    for TEAM_EACH (e, k->depth[j]) {
      num *to = x + g->d->ancestor[at + e];
      *to = *to - y * L[at + e];
    }
    team_wait(g);
  }
  for TEAM_EACH (j, k->ndof) {
    x[j] = x[j] * iL[j];
  }
  team_wait(g);
}

// [J] z z/2: a thread for each quarter
LANE_FN num team_energy(const team *g)
{
  const num *z = numbers(g, g->k->z);
  const int q = g->rank & 3;
  num sum = n_all(0);
  for (int n = 0; n < g->d->energy.n[q]; n++) {
    const num x = z[g->d->energy.dof[q][n]];
    sum = sum + x * x;
  }
  sum = sum + team_swap(g, sum, 1);
  sum = sum + team_swap(g, sum, 2);
  return n_all(0.5) * sum;
}

// H^, L, z and forces at the present place (make_tree). [team_stand]
LANE_FN void team_make(const team *g, const num *q, const num *tau, double part)
{
  team_gather(g);
  team_joint_forces(g, q, tau, part);
  team_add_joint_forces(g);
  team_wait(g);
  team_mass_rows(g, part);
  team_factor(g);
  team_load(g);
  team_back(g, numbers(g, g->k->force));
}

// The forces once more, at other velocities (bias_again). [team_stand]
LANE_FN void team_bias_again(const team *g)
{
  team_gather(g);
  team_add_joint_forces(g);
  team_back(g, numbers(g, g->k->force));
}

#endif
