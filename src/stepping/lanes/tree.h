// tree.h: kinematics, inertia and forces of a tree in lanes: the operations of multibody/kinematics.c,
// articulated_motion.c and articulated_factor.c, in their order.
#ifndef ROUTH_STEPPING_LANES_TREE_H
#define ROUTH_STEPPING_LANES_TREE_H

#include "math/elementary_tables.h"
#include "servo.h"

// ---- Sine and cosine, as rh_trig and rh_sincos

#define LANE_LARGE 0x1p18 // half of where angles are reduced in another way (EF_LARGE)

LANE_FN void trig_of(num x, num *sine, num *cosine)
{
  const num one = n_all(1);
  const num half = n_all(0.5);
  const num round = n_all(0x1.8p52);
  num k = (x * n_all(RH_TWO_OVER_PI) + round) - round;
  num a = x - k * n_all(RH_HALF_PI_1);
  num b = k * n_all(RH_HALF_PI_2);
  num c = k * n_all(RH_HALF_PI_3);
  num near = a - b;
  num left = (a - near) - b;
  num first = near - c;
  num more = (left + ((near - first) - c)) - k * n_all(RH_HALF_PI_4);
  num r = first + more;
  num rest = more - (r - first);
  num z = r * r;
  num z2 = z * z;
  num p = ((n_all(RH_SIN_0) + n_all(RH_SIN_1) * z) +
           (n_all(RH_SIN_2) + n_all(RH_SIN_3) * z) * z2) +
          (n_all(RH_SIN_4) + n_all(RH_SIN_5) * z) * (z2 * z2);
  num q = ((n_all(RH_COS_0) + n_all(RH_COS_1) * z) +
           (n_all(RH_COS_2) + n_all(RH_COS_3) * z) * z2) +
          (n_all(RH_COS_4) + n_all(RH_COS_5) * z) * (z2 * z2);
  num sn = r + (r * z * p + rest * (one - half * z));
  num most = one - half * z;
  num cs = most + (((one - most) - half * z) + (z2 * q - r * rest));
  num turns = k - n_all(4) * n_floor(k * n_all(0.25)); // quarters
  mask odd = m_or(n_same(turns, one), n_same(turns, n_all(3)));
  num s = n_pick(odd, cs, sn);
  num t = n_pick(odd, sn, cs);
  s = n_pick(n_least(turns, n_all(2)), -s, s);
  *sine = n_pick(n_over(n_all(0x1p-27), n_abs(x)), x, s);
  *cosine = n_pick(m_or(n_same(turns, one), n_same(turns, n_all(2))), -t, t);
}


// ---- Kinematics

LANE_FN void turn_about(int j, const num *P, num sine, num cosine, num *R)
{
  int a = j == 2 ? 0 : j + 1;
  int b = 3 - a - j;
  for (int i = 0; i < 9; i += 3) {
    num x = P[i + a];
    num y = P[i + b];
    R[i + j] = P[i + j];
    R[i + a] = cosine * x + sine * y;
    R[i + b] = cosine * y - sine * x;
  }
}

LANE_FN void pose_hinge(const lane_body *b, const lane_kin *parent, num sine, num cosine,
                        lane_kin *k, vec *axis)
{
  const num *P = parent->R;
  switch (b->along) {
  case 0:
    turn_about(0, P, sine, cosine, k->R);
    *axis = v_of(P[0], P[3], P[6]);
    return;
  case 1:
    turn_about(1, P, sine, cosine, k->R);
    *axis = v_of(P[1], P[4], P[7]);
    return;
  case 2:
    turn_about(2, P, sine, cosine, k->R);
    *axis = v_of(P[2], P[5], P[8]);
    return;
  default:
    break;
  }
  num T[9];
  for (int i = 0; i < 9; i++) {
    T[i] = n_all(b->place_R[i]) + cosine * n_all(b->cosine[i]) + sine * n_all(b->sine[i]);
  }
  m3_mul(P, T, k->R);
  *axis = v_rotate(P, v_all(b->axis));
}

LANE_FN void quat_matrix(const num q[4], num R[9])
{
  num s = n_all(2) / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  num xs = q[1] * s;
  num ys = q[2] * s;
  num zs = q[3] * s;
  const num one = n_all(1);
  R[0] = one - (q[2] * ys + q[3] * zs);
  R[1] = q[1] * ys - q[0] * zs;
  R[2] = q[1] * zs + q[0] * ys;
  R[3] = q[1] * ys + q[0] * zs;
  R[4] = one - (q[1] * xs + q[3] * zs);
  R[5] = q[2] * zs - q[0] * xs;
  R[6] = q[1] * zs - q[0] * ys;
  R[7] = q[2] * zs + q[0] * xs;
  R[8] = one - (q[1] * xs + q[2] * ys);
}

// The root on a free joint: the world does not move.
LANE_FN void stand_free(const lane_body *b, const num *q, const num *v, lane_kin *k, lane_axis *S)
{
  num F[9];
  num Q[9];
  const vec zero = v_of(n_all(0), n_all(0), n_all(0));
  for (int i = 0; i < 9; i++) {
    F[i] = n_all(b->place_R[i]);
  }
  quat_matrix(q + 3, Q);
  m3_mul(F, Q, k->R);
  k->p = v_add(v_all(b->place_p), v_rotate(F, v_of(q[0], q[1], q[2])));
  k->v = k->w = zero;
  for (int j = 0; j < 3; j++) {
    vec column = v_of(F[j], F[3 + j], F[6 + j]);
    S[j].ang = S[3 + j].lin = zero;
    S[j].lin = S[3 + j].ang = column;
    k->v = v_addscaled(k->v, v[j], column);
    k->w = v_addscaled(k->w, v[3 + j], column);
  }
  k->c = k->cw = zero;
}

LANE_FN void stand_world(lane_kin *k)
{
  const vec zero = v_of(n_all(0), n_all(0), n_all(0));
  for (int i = 0; i < 9; i++) {
    k->R[i] = n_all(i % 4 == 0);
  }
  k->p = k->v = k->w = k->c = k->cw = zero;
}

// ---- Inertia and bias about the tree's origin

LANE_FN lane_force body_force(const lane_kin *k, num mass, vec h, sym I, vec a)
{
  vec w = k->w;
  lane_force f;
  f.lin = v_add(v_scale(mass, a), v_add(v_cross(k->cw, h), v_cross(w, v_cross(w, h))));
  f.ang = v_add(v_add(s_mul(I, k->cw), v_cross(w, s_mul(I, w))), v_cross(h, a));
  return f;
}

LANE_FN lane_mass shift_back(num m, vec h, sym I, vec r)
{
  lane_mass s;
  const num two = n_all(2);
  num hr = two * v_dot(h, r) + m * v_dot(r, r);
  s.h = v_addscaled(h, m, r);
  s.I.xx = I.xx + hr - (two * h.x * r.x + m * r.x * r.x);
  s.I.yy = I.yy + hr - (two * h.y * r.y + m * r.y * r.y);
  s.I.zz = I.zz + hr - (two * h.z * r.z + m * r.z * r.z);
  s.I.xy = I.xy - (h.x * r.y + h.y * r.x + m * r.x * r.y);
  s.I.xz = I.xz - (h.x * r.z + h.z * r.x + m * r.x * r.z);
  s.I.yz = I.yz - (h.y * r.z + h.z * r.y + m * r.y * r.z);
  return s;
}

// The account of articulated_guard.c: [J] of motion, of gravity
LANE_FN void add_energy(const lane_table *t, lane_scratch *s, const lane_body *b, const lane_kin *k,
                        vec h, sym I)
{
  const num m = n_all(b->mass);
  const num *v = s->v;
  num sum = n_all(0);
  if (b->heavy) {
    vec ang = v_add(s_mul(I, k->w), v_cross(h, k->v));
    vec lin = v_sub(v_scale(m, k->v), v_cross(h, k->w));
    sum = v_dot(k->w, ang) + v_dot(k->v, lin);
    s->rest = s->rest - v_dot(v_all(t->gravity), v_addscaled(h, m, k->p));
  }
  s->motion = s->motion + sum;
  for (int j = b->dof; j < b->dof + b->ndof; j++) {
    if (t->dof[j].armature != 0) {
      s->motion = s->motion + n_all(t->dof[j].armature) * v[j] * v[j];
    }
  }
}

LANE_FN void add_springs(const lane_table *t, lane_scratch *s, const lane_body *b, const num *q)
{
  for (int j = b->dof; b->ndof == 1 && j < b->dof + b->ndof; j++) {
    num delta = q[b->q] - n_all(t->dof[j].rest);
    s->rest = s->rest + n_all(0.5 * t->dof[j].spring) * delta * delta;
  }
}

// Pose and velocity of a body from those of its parent, and its axes, about `root`, the place of the tree's first body.
// `angle`: sine and cosine of a hinge
LANE_FN void place_body(const lane_body *b, const lane_kin *parent, const num angle[2], const num *q,
                        const num *v, const vec *root, lane_kin *k, lane_axis *S)
{
  if (b->joint == LANE_FREE) {
    stand_free(b, q + b->q, v + b->dof, k, S);
    return;
  }
  vec at = v_all(b->place_p);
  if (b->joint == LANE_PRISMATIC) {
    at = v_addscaled(at, q[b->q], v_all(b->axis));
  }
  vec r = v_rotate(parent->R, at);
  vec W = parent->w;
  vec carried = v_cross(W, r);
  k->p = v_add(parent->p, r);
  k->v = v_add(parent->v, carried);
  k->c = v_add(parent->c, v_add(v_cross(parent->cw, r), v_cross(W, carried)));
  if (b->joint == LANE_HINGE) {
    vec axis;
    pose_hinge(b, parent, angle[0], angle[1], k, &axis);
    vec w = v_scale(v[b->dof], axis);
    k->w = v_add(W, w);
    k->cw = v_add(parent->cw, v_cross(W, w));
    S->ang = axis;
    S->lin = v_cross(v_sub(k->p, *root), axis);
  } else {
    num P[9];
    for (int j = 0; j < 9; j++) {
      P[j] = n_all(b->place_R[j]);
    }
    m3_mul(parent->R, P, k->R);
    k->w = W;
    k->cw = parent->cw;
  }
  if (b->joint == LANE_PRISMATIC) {
    vec axis = v_rotate(parent->R, v_all(b->axis));
    vec u = v_scale(v[b->dof], axis);
    k->v = v_add(k->v, u);
    k->c = v_addscaled(k->c, n_all(2), v_cross(W, u));
    S->ang = v_of(n_all(0), n_all(0), n_all(0));
    S->lin = axis;
  }
}

// Inertia of a body in the world's directions
LANE_FN void turn_inertia(const lane_body *b, const lane_kin *k, vec *h, sym *I)
{
  const sym J = {n_all(b->I[0]), n_all(b->I[1]), n_all(b->I[2]),
                 n_all(b->I[3]), n_all(b->I[4]), n_all(b->I[5])};
  *h = v_rotate(k->R, v_all(b->h));
  *I = s_rotate(k->R, J);
}

// Inertia and force of a heavy body about the tree's origin; `from`: its place from there
LANE_FN void weigh_body(const lane_table *t, const lane_body *b, const lane_kin *k, vec from, vec h,
                        sym I, lane_force *f, lane_mass *Ic)
{
  const num m = n_all(b->mass);
  *f = body_force(k, m, h, I, v_sub(k->c, v_all(t->gravity)));
  f->ang = v_add(f->ang, v_cross(from, f->lin));
  *Ic = shift_back(m, h, I, from);
}

// A body at its place: pose, velocity, axes; its inertia and force about the tree's origin
LANE_FN void stand_body(const lane_table *t, lane_scratch *s, int i, const num *q, const num *v)
{
  const lane_body *b = &t->body[i];
  lane_kin *k = &s->kin[i];
  lane_kin ground;
  const lane_kin *parent = b->parent < 0 ? &ground : &s->kin[b->parent];
  num angle[2] = {n_all(0), n_all(0)};
  if (b->parent < 0) {
    stand_world(&ground);
  }
  if (b->joint == LANE_HINGE) {
    angle[0] = s->sine[b->dof];
    angle[1] = s->cosine[b->dof];
  }
  place_body(b, parent, angle, q, v, &s->kin[0].p, k, s->S + b->dof);
  const vec zero = v_of(n_all(0), n_all(0), n_all(0));
  sym I = {zero.x, zero.x, zero.x, zero.x, zero.x, zero.x};
  vec h = zero;
  if (b->heavy) {
    turn_inertia(b, k, &h, &I);
    weigh_body(t, b, k, v_sub(k->p, s->kin[0].p), h, I, &s->f[i], &s->Ic[i]);
  } else {
    s->f[i].ang = s->f[i].lin = zero;
    s->Ic[i].h = zero;
    s->Ic[i].I = I;
  }
  add_energy(t, s, b, k, h, I);
  add_springs(t, s, b, q);
}

// All bodies; s->v are the velocities.
LANE_CALL void stand_tree(const lane_table *t, lane_scratch *s, const num *q, const num *v)
{
  t = LANE_TABLE(t);
  s->motion = s->rest = s->spin = n_all(0);
  for (int j = 0; j < t->ndof; j++) {
    s->v[j] = v[j];
  }
  for (int i = 0; i < t->nbody; i++) {
    const lane_body *b = &t->body[i];
    if (b->joint == LANE_HINGE) {
      trig_of(q[b->q], &s->sine[b->dof], &s->cosine[b->dof]);
    }
  }
  for (int i = 0; i < t->nbody; i++) {
    stand_body(t, s, i, q, v);
    s->reach[i][0] = v_norm(s->kin[i].v);
    s->reach[i][1] = v_norm(s->kin[i].w);
    s->spin = n_greater(s->spin, s->reach[i][1]);
  }
}

// ---- H^ = L' L and forces

// Sums towards the root, and the bias as joint forces
LANE_FN void gather_tree(const lane_table *t, lane_scratch *s, double *mass)
{
  for (int i = 0; i < t->nbody; i++) {
    mass[i] = t->body[i].mass;
  }
  for (int i = t->nbody - 1; i >= 0; i--) {
    const lane_body *b = &t->body[i];
    for (int j = b->dof; j < b->dof + b->ndof; j++) {
      const lane_axis *x = &s->S[j];
      s->force[j] = -(v_dot(x->ang, s->f[i].ang) + v_dot(x->lin, s->f[i].lin));
    }
    if (b->parent >= 0) {
      lane_force *f = &s->f[b->parent];
      lane_mass *to = &s->Ic[b->parent];
      const lane_mass *from = &s->Ic[i];
      f->ang = v_add(f->ang, s->f[i].ang);
      f->lin = v_add(f->lin, s->f[i].lin);
      to->h = v_add(to->h, from->h);
      to->I.xx = to->I.xx + from->I.xx;
      to->I.yy = to->I.yy + from->I.yy;
      to->I.zz = to->I.zz + from->I.zz;
      to->I.xy = to->I.xy + from->I.xy;
      to->I.xz = to->I.xz + from->I.xz;
      to->I.yz = to->I.yz + from->I.yz;
      mass[b->parent] += mass[i];
    }
  }
}

// Springs and dampers: the force, and its part that grows with the velocity at the end. `part` is 1, or 1/2
// for the midpoint rule.
LANE_FN double soften(const lane_table *t, int j, double h, double part)
{
  const lane_dof *f = &t->dof[j];
  return h * part * (f->damper + h * part * f->spring);
}

LANE_FN void find_joint_forces(const lane_table *t, lane_scratch *s, const num *x, const num *q,
                               double h, double part)
{
  const num *tau = x + LANE_TAU;
  for (int j = 0; j < t->ndof; j++) {
    const lane_dof *f = &t->dof[j];
    double ahead = part == 1 ? f->damper + h * f->spring : f->damper;
    num delta = n_all(0);
    if (f->spring != 0) {
      delta = q[t->body[f->body].q] - n_all(f->rest);
    }
    s->joint[j] = tau[j] - n_all(f->spring) * delta - n_all(ahead) * s->v[j];
    s->soft[j] = n_all(soften(t, j, h, part));
  }
  if (t->nact > 0) {
    add_efforts(t, s, x, q, h, part);
  }
}

LANE_FN void add_joint_forces(const lane_table *t, lane_scratch *s)
{
  for (int j = 0; j < t->ndof; j++) {
    s->force[j] = s->force[j] + s->joint[j];
  }
}

// Row of H^ of a degree of freedom, root first
LANE_FN void mass_row(const lane_table *t, lane_scratch *s, int j, double mass)
{
  const lane_dof *d = &t->dof[j];
  const lane_mass *I = &s->Ic[d->body];
  const lane_axis *x = &s->S[j];
  vec ang = v_add(s_mul(I->I, x->ang), v_cross(I->h, x->lin));
  vec lin = v_sub(v_scale(n_all(mass), x->lin), v_cross(I->h, x->ang));
  num *LANE_ALONE row = s->L + d->row;
  int count = d->depth + 1;
  for (int k = t->body[d->body].run; count > 0; k++) {
    const lane_run *r = &t->run[k];
    const lane_axis *LANE_ALONE y = s->S + r->first;
    const int n = r->n < count ? r->n : count;
    for (int e = 0; e < n; e++) {
      num sum = ang.x * y[e].ang.x;
      sum = sum + ang.y * y[e].ang.y;
      sum = sum + ang.z * y[e].ang.z;
      sum = sum + lin.x * y[e].lin.x;
      sum = sum + lin.y * y[e].lin.y;
      sum = sum + lin.z * y[e].lin.z;
      row[e] = sum;
    }
    row += n;
    count -= n;
  }
  row[-1] = row[-1] + n_all(d->armature) + s->soft[j];
}

LANE_FN void factor_tree(const lane_table *t, lane_scratch *s)
{
  for (int j = t->ndof - 1; j >= 0; j--) {
    const lane_dof *d = &t->dof[j];
    num *LANE_ALONE row = s->L + d->row;
    num root = n_root(row[d->depth]);
    num inverse = n_all(1) / root;
    s->iL[j] = inverse;
    row[d->depth] = root;
    for (int e = 0; e < d->depth; e++) {
      row[e] = row[e] * inverse;
    }
    for (int a = d->depth - 1; a >= 0; a--) {
      num *LANE_ALONE to = s->L + t->dof[t->ancestor[d->row + a]].row;
      const num share = row[a];
      for (int e = 0; e <= a; e++) {
        to[e] = to[e] - share * row[e];
      }
    }
  }
}

// Partial sums of a run of n numbers: every fourth
LANE_FN void sum_run(const num *LANE_ALONE a, const num *LANE_ALONE x, int n, num sum[4])
{
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    sum[0] = sum[0] + a[i] * x[i];
    sum[1] = sum[1] + a[i + 1] * x[i + 1];
    sum[2] = sum[2] + a[i + 2] * x[i + 2];
    sum[3] = sum[3] + a[i + 3] * x[i + 3];
  }
  if (i < n) {
    sum[0] = sum[0] + a[i] * x[i];
  }
  if (i + 1 < n) {
    sum[1] = sum[1] + a[i + 1] * x[i + 1];
  }
  if (i + 2 < n) {
    sum[2] = sum[2] + a[i + 2] * x[i + 2];
  }
}

LANE_FN num sum_quarters(const num sum[4])
{
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// `count` numbers of a row, root first, times x: run by run
LANE_FN num row_dot(const lane_table *t, int run, const num *row, int count, const num *x)
{
  num sum = n_all(0);
  for (; count > 0; run++) {
    const lane_run *r = &t->run[run];
    int n = r->n < count ? r->n : count;
    num part[4] = {n_all(0), n_all(0), n_all(0), n_all(0)};
    sum_run(row, x + r->first, n, part);
    sum = sum + sum_quarters(part);
    row += n;
    count -= n;
  }
  return sum;
}

// z := L v
LANE_FN void load_tree(const lane_table *t, lane_scratch *s)
{
  for (int j = 0; j < t->ndof; j++) {
    const lane_dof *d = &t->dof[j];
    s->z[j] = row_dot(t, t->body[d->body].run, s->L + d->row, d->depth + 1, s->v);
  }
}

// v := L^-1 z
LANE_FN void unload_tree(const lane_table *t, lane_scratch *s, num *v)
{
  t = LANE_TABLE(t);
  for (int j = 0; j < t->ndof; j++) {
    const lane_dof *d = &t->dof[j];
    v[j] = (s->z[j] - row_dot(t, t->body[d->body].run, s->L + d->row, d->depth, v)) * s->iL[j];
  }
}

// x := L^-T x
LANE_FN void back_tree(const lane_table *t, const lane_scratch *s, num *x)
{
  for (int j = t->ndof - 1; j >= 0; j--) {
    const lane_dof *d = &t->dof[j];
    const num *LANE_ALONE row = s->L + d->row;
    const num y = x[j] * s->iL[j];
    int left = d->depth;
    for (int k = t->body[d->body].run; left > 0; k++) {
      num *LANE_ALONE to = x + t->run[k].first;
      const int n = t->run[k].n < left ? t->run[k].n : left;
      for (int e = 0; e < n; e++) {
        to[e] = to[e] - y * row[e];
      }
      row += n;
      left -= n;
    }
    x[j] = y;
  }
}

// [J] kinetic energy with the springs of the step: z z/2
LANE_FN num tree_energy(const lane_table *t, const num *z)
{
  t = LANE_TABLE(t);
  num sum[4] = {n_all(0), n_all(0), n_all(0), n_all(0)};
  for (int j = 0; j < t->ndof; j++) {
    int k = t->dof[j].seat & 3;
    sum[k] = sum[k] + z[j] * z[j];
  }
  return n_all(0.5) * sum_quarters(sum);
}

// H^, L, z and forces at the present place q; x: the state at the start. [stand_tree]
LANE_CALL void make_tree(const lane_table *t, lane_scratch *s, const num *x, const num *q,
                         double part)
{
  t = LANE_TABLE(t);
  double mass[LANE_BODIES];
  gather_tree(t, s, mass);
  find_joint_forces(t, s, x, q, t->dt, part);
  add_joint_forces(t, s);
  for (int j = 0; j < t->ndof; j++) {
    mass_row(t, s, j, mass[t->dof[j].body]);
  }
  factor_tree(t, s);
  load_tree(t, s);
  back_tree(t, s, s->force);
}

// The forces once more, at other velocities. [stand_tree]
LANE_FN void bias_again(const lane_table *t, lane_scratch *s)
{
  t = LANE_TABLE(t);
  double mass[LANE_BODIES];
  gather_tree(t, s, mass);
  add_joint_forces(t, s);
  back_tree(t, s, s->force);
}

#endif
