// Stages 6 to 8 for free bodies: external forces, velocities without contacts, positions.
// A body that no contact presses moves as a thrown body: x + h v + h^2 a/2 is exact for a constant
// force. Its attitude turns by the implicit midpoint rule of Euler's equations in body axes,
//   I (w1 - w0) = h (T - wm x I wm),  wm = (w0 + w1)/2,
// which without a moment keeps w.Iw and |Iw| to the accuracy of its solution, so that no spin gains
// energy.
// A pressed body moves along its mean velocity where contacts only last, which is exact for
// constant forces too, and along the velocity at the end of the step where a gap closes, so that it
// is not passed; a compliant contact may require some share of both (compliant_impulse.c).
#include "stepping.h"

#include <stdint.h>
#include <string.h>

// ---- Forces

static void add_force(const rh_step_world *w, int body, rh_vec3 at, rh_vec3 force, rh_vec3 torque)
{
  int i = w->mobile[body];
  if (i != 0) {
    rh_step_body *c = &w->body[i];
    c->a = rh_addscaled(c->a, 1 / c->mass, force);
    c->torque = rh_add(c->torque, rh_add(torque, rh_cross(rh_sub(at, c->x), force)));
    c->forced = true;
  }
}

static void scene_forces(const rh_step_world *w)
{
  const rh_model *m = w->m;
  for (int i = 0; i < m->nforce; i++) {
    const rh_model_force *f = &m->force[i];
    int mobile = w->mobile[f->body];
    if (w->d->acting[i] == 0 || mobile == 0) {
      continue;
    }
    const rh_step_body *c = &w->body[mobile];
    rh_vec3 at = rh_add(c->x, rh_rotate(&c->R, rh_sub(f->at, c->com)));
    rh_vec3 force = f->frame == 1 ? rh_rotate(&c->R, f->force) : f->force;
    rh_vec3 torque = f->frame == 1 ? rh_rotate(&c->R, f->torque) : f->torque;
    add_force(w, f->body, at, force, torque);
  }
}

// The force at the start of the step. RH_HAND_RATE is slow for a step: it need not be implicit.
static void hand_force(rh_step_world *w)
{
  const rh_hand *hand = w->d->hand;
  int i = hand && hand->body != 0 ? w->mobile[(int)hand->body] : 0;
  w->hand.mobile = i;
  if (i == 0 || i > w->nfree) {
    return;
  }
  const rh_step_body *c = &w->body[i];
  rh_vec3 arm = rh_rotate(&c->R, rh_sub(rh_step_read_vec(hand->grip), c->com));
  rh_vec3 v =
      rh_add(rh_step_read_vec(w->velocity[i].v), rh_cross(rh_step_read_vec(w->velocity[i].w), arm));
  rh_vec3 away = rh_sub(rh_step_read_vec(hand->target), rh_add(c->x, arm));
  rh_vec3 f = rh_scale(hand->mass * RH_HAND_RATE * RH_HAND_RATE, away);
  f = rh_addscaled(f, -2 * hand->mass * RH_HAND_RATE, v);
  f = rh_addscaled(f, -hand->mass, w->m->gravity);
  w->hand.pull = (rh_force){rh_cross(arm, f), f};
  add_force(w, c->body, c->x, f, w->hand.pull.ang);
}

// Are six numbers zero, of either sign? Their bits are, but for the sign.
static inline bool are_zero(const void *six)
{
  uint64_t bits[6];
  memcpy(bits, six, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5]) << 1 == 0;
}

enum { BODIES = 64 }; // per task

static void load_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  const rh_data *d = w->d;
  const rh_vec3 gravity = w->m->gravity;
  const bool marked = rh_step_marks_pressed(w);
  for (int k = task * BODIES; k < rh_step_end_of_bodies(w, task, BODIES); k++) {
    int i = rh_step_body_at(w, k);
    if (i > w->nfree) {
      continue;
    }
    rh_step_body *c = &w->body[i];
    c->a = gravity;
    c->torque = rh_v3(0, 0, 0);
    c->forced = false;
    c->work = c->hand = 0;
    c->pressed = c->pressed && !marked; // until its contacts are known
    const rh_force *f = &d->fext[c->body];
    if (!are_zero(f)) {
      add_force(w, c->body, rh_sub(c->x, rh_rotate(&c->R, c->com)), f->lin, f->ang);
    }
    const double *tau = d->tau + c->vadr;
    if (!are_zero(tau)) {
      const rh_force g = {rh_step_read_vec(tau + 3), rh_step_read_vec(tau)};
      rh_vec3 at = rh_sub(c->x, rh_rotate(&c->R, c->com));
      add_force(w, c->body, at, rh_rotate(&c->frame.R, g.lin), rh_rotate(&c->frame.R, g.ang));
    }
    worker->driven = worker->driven || c->forced;
  }
}

void rh_step_apply_loads(rh_step_world *w)
{
  for (int k = 0; w->pool && k < (int)w->par.threads; k++) {
    w->worker[k].driven = false;
  }
  rh_step_parallel_for(w, load_some, rh_step_parts_of_bodies(w, BODIES));
  scene_forces(w);
  hand_force(w);
  w->hand.loads = !w->pool || w->m->nforce > 0 || w->hand.mobile != 0;
  for (int k = 0; w->pool && k < (int)w->par.threads; k++) {
    w->hand.loads = w->hand.loads || w->worker[k].driven;
  }
}

// ---- Velocities

// Newton on the midpoint rule; w0 [body axes] is the start, T the moment. Three steps leave
// rounding for turns of up to a tenth of a radian per step; at most twelve are taken.
static rh_vec3 solve_midpoint(const rh_step_body *c, rh_vec3 w0, rh_vec3 T, double h)
{
  rh_vec3 w1 = w0;
  rh_vec3 L0 = rh_sym3_mul(&c->I, w0);
  double small = 1e-16 * rh_norm(L0);
  for (int k = 0; k < 12; k++) {
    rh_vec3 wm = rh_scale(0.5, rh_add(w0, w1));
    rh_vec3 Lm = rh_sym3_mul(&c->I, wm);
    rh_vec3 r = rh_sub(rh_sym3_mul(&c->I, w1), L0);
    r = rh_sub(r, rh_scale(h, rh_sub(T, rh_cross(wm, Lm))));
    if (rh_norm(r) <= small) {
      break;
    }
    // A = I + h/2 (wm^ I - (I wm)^)
    const rh_sym3 *I = &c->I;
    rh_mat3 A = {{I->xx, I->xy, I->xz, I->xy, I->yy, I->yz, I->xz, I->yz, I->zz}};
    rh_mat3 B = A;
    double s = 0.5 * h;
    for (int j = 0; j < 3; j++) {
      rh_vec3 col = rh_cross(wm, rh_v3(B.m[j], B.m[3 + j], B.m[6 + j]));
      A.m[j] += s * col.x;
      A.m[3 + j] += s * col.y;
      A.m[6 + j] += s * col.z;
    }
    A.m[1] += s * Lm.z;
    A.m[2] -= s * Lm.y;
    A.m[3] -= s * Lm.z;
    A.m[5] += s * Lm.x;
    A.m[6] += s * Lm.y;
    A.m[7] -= s * Lm.x;
    rh_vec3 x = {A.m[0], A.m[3], A.m[6]};
    rh_vec3 y = {A.m[1], A.m[4], A.m[7]};
    rh_vec3 z = {A.m[2], A.m[5], A.m[8]};
    double det = rh_dot(x, rh_cross(y, z));
    rh_vec3 dw = {rh_dot(r, rh_cross(y, z)) / det, rh_dot(x, rh_cross(r, z)) / det,
                  rh_dot(x, rh_cross(y, r)) / det};
    w1 = rh_sub(w1, dw);
  }
  return w1;
}

// A turn by more than a radian in h is taken in parts: Newton's method would find another root, or
// none. Where parts do not suffice either, the energy gained by a turn is removed.
static rh_vec3 spin_end(const rh_step_body *c, rh_vec3 w0, rh_vec3 T, double h)
{
  double turn = h * rh_norm(w0);
  if (turn <= 1) {
    return solve_midpoint(c, w0, T, h);
  }
  int parts = (int)fmin(ceil(turn), 64);
  rh_vec3 w1 = w0;
  for (int k = 0; k < parts; k++) {
    double before = rh_dot(w1, rh_sym3_mul(&c->I, w1));
    rh_vec3 push = rh_addscaled(w1, h / parts, rh_sym3_mul(&c->Iinv, T));
    double pushed = fmax(before, rh_dot(push, rh_sym3_mul(&c->I, push)));
    w1 = solve_midpoint(c, w1, T, h / parts);
    double after = rh_dot(w1, rh_sym3_mul(&c->I, w1));
    w1 = after > pushed * (1 + 1e-12) ? rh_scale(sqrt(pushed / after), w1) : w1;
  }
  return w1;
}

void rh_step_integrate_velocity(rh_step_velocity *b, rh_step_body *c, double h)
{
  c->v0 = rh_step_read_vec(b->v);
  c->w0 = rh_step_read_vec(b->w);
  c->pressed = false;
  c->eased = false;
  if (b->im == 0) {
    return;
  }
  rh_step_write_vec(rh_addscaled(c->v0, h, c->a), b->v);
  bool still = b->w[0] == 0 && b->w[1] == 0 && b->w[2] == 0 && !c->forced;
  if (still || (c->round && !c->forced)) {
    return;
  }
  rh_vec3 T = rh_unrotate(&c->R, c->torque);
  rh_vec3 w0 = rh_unrotate(&c->R, c->w0);
  if (c->midway && !c->round) { // the gyroscopic moment is that of the mean with the contacts
    rh_vec3 push = rh_unrotate(&c->R, c->press);
    rh_vec3 end = spin_end(c, w0, rh_addscaled(T, 1 / h, push), h);
    rh_step_write_vec(rh_rotate(&c->R, rh_sub(end, rh_sym3_mul(&c->Iinv, push))), b->w);
    return;
  }
  rh_vec3 w1 = c->round ? rh_addscaled(w0, h, rh_sym3_mul(&c->Iinv, T)) : spin_end(c, w0, T, h);
  rh_step_write_vec(rh_rotate(&c->R, w1), b->w);
}

// ---- Positions

void rh_step_update_rotation(rh_step_velocity *b, rh_step_body *c)
{
  c->R = rh_quat_matrix(c->q);
  if (b->im == 0) {
    for (int i = 0; i < 6; i++) {
      b->J[i] = 0;
    }
    return;
  }
  rh_sym3 J = c->round ? c->Iinv : rh_sym3_rotate(&c->R, &c->Iinv);
  c->turned++;
  b->J[0] = J.xx;
  b->J[1] = J.yy;
  b->J[2] = J.zz;
  b->J[3] = J.xy;
  b->J[4] = J.xz;
  b->J[5] = J.yz;
}

// Turns of a step are usually small: the series are exact to rounding up to a fifth of a radian.
rh_quat rh_step_rotate_by(rh_vec3 phi)
{
  double h = 0.25 * rh_dot(phi, phi); // half the angle, squared
  if (h > 0.01) {
    return rh_quat_exp(phi);
  }
  double s = 0.5 * (1 - h / 6 * (1 - h / 20 * (1 - h / 42 * (1 - h / 72 * (1 - h / 110)))));
  double c = 1 - h / 2 * (1 - h / 12 * (1 - h / 30 * (1 - h / 56 * (1 - h / 90))));
  return (rh_quat){c, s * phi.x, s * phi.y, s * phi.z};
}

static rh_vec3 weighted_mean(rh_vec3 a, rh_vec3 b, double share)
{
  return share == 0.5 ? rh_scale(0.5, rh_add(a, b))
                      : rh_addscaled(rh_scale(1 - share, a), share, b);
}

// Body axes turn with it: the angular velocity found in the old axes is that of the new ones.
static void turn_free(rh_step_velocity *b, rh_step_body *c, double h, double share)
{
  rh_vec3 w1 = rh_step_read_vec(b->w);
  if (c->round) {
    rh_vec3 mid = weighted_mean(c->w0, w1, share);
    c->q = rh_quat_unit(rh_quat_mul(rh_step_rotate_by(rh_scale(h, mid)), c->q));
    rh_step_update_rotation(b, c);
    return;
  }
  rh_vec3 body0 = rh_unrotate(&c->R, c->w0);
  rh_vec3 body1 = rh_unrotate(&c->R, w1);
  rh_vec3 mid = rh_scale(h, weighted_mean(body0, body1, share));
  c->q = rh_quat_unit(rh_quat_mul(c->q, rh_step_rotate_by(mid)));
  rh_step_update_rotation(b, c);
  rh_step_write_vec(rh_rotate(&c->R, body1), b->w);
}

static bool body_turns(const rh_step_velocity *b, const rh_step_body *c)
{
  return b->w[0] != 0 || b->w[1] != 0 || b->w[2] != 0 || c->w0.x != 0 || c->w0.y != 0 ||
         c->w0.z != 0;
}

void rh_step_half_way(rh_step_velocity *b, rh_step_body *c, double h)
{
  if (b->im == 0) {
    return;
  }
  c->x = rh_addscaled(c->x, 0.5 * h, rh_step_read_vec(b->v));
  rh_vec3 w = rh_step_read_vec(b->w);
  if (w.x != 0 || w.y != 0 ||
      w.z != 0) { // about its own axis: the spin is that of the new axes too
    c->q = rh_quat_unit(rh_quat_mul(rh_step_rotate_by(rh_scale(0.5 * h, w)), c->q));
    rh_step_update_rotation(b, c);
  }
}

void rh_step_integrate_position(rh_step_velocity *b, rh_step_body *c, double h, double share)
{
  rh_vec3 v = rh_step_read_vec(b->v);
  bool midway = c->midway;
  c->midway = false;
  if (b->im == 0) {
    return;
  }
  if (midway) {
    rh_step_half_way(b, c, h);
    return;
  }
  if (share == 1) {
    c->x = rh_addscaled(c->x, h, v);
    if (body_turns(b, c)) {
      c->q =
          rh_quat_unit(rh_quat_mul(rh_step_rotate_by(rh_scale(h, rh_step_read_vec(b->w))), c->q));
      rh_step_update_rotation(b, c);
    }
    return;
  }
  bool thrown = !c->pressed && share == 0.5;
  c->x = thrown ? rh_addscaled(rh_addscaled(c->x, h, c->v0), 0.5 * h * h, c->a)
                : rh_addscaled(c->x, h, weighted_mean(c->v0, v, share));
  if (body_turns(b, c)) {
    turn_free(b, c, h, share);
  }
}

// ---- The state of the world

static void store_free(const rh_step_world *w, int mobile)
{
  const rh_step_body *c = &w->body[mobile];
  const rh_step_velocity *b = &w->velocity[mobile];
  double *q = w->d->q + c->qadr;
  double *v = w->d->v + c->vadr;
  rh_vec3 ang = rh_step_read_vec(b->w);
  rh_vec3 lin = rh_step_read_vec(b->v);
  rh_vec3 p = c->x;
  rh_quat a = c->q;
  if (!c->central) {
    rh_vec3 arm = rh_rotate(&c->R, c->com);
    lin = rh_sub(lin, rh_cross(ang, arm));
    p = rh_sub(p, arm);
  }
  p = rh_sub(p, c->frame.p);
  if (!c->plain) {
    p = rh_unrotate(&c->frame.R, p);
    a = rh_quat_mul(rh_quat_conj(rh_quat_of_matrix(&c->frame.R)), a);
    lin = rh_unrotate(&c->frame.R, lin);
    ang = rh_unrotate(&c->frame.R, ang);
  }
  rh_step_write_vec(p, q);
  q[3] = a.w;
  q[4] = a.x;
  q[5] = a.y;
  q[6] = a.z;
  rh_step_write_vec(lin, v);
  rh_step_write_vec(ang, v + 3);
}

static void store_some(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int k = task * BODIES; k < rh_step_end_of_bodies(w, task, BODIES); k++) {
    int i = rh_step_body_at(w, k);
    if (i <= w->nfree) {
      store_free(w, i);
    }
  }
}

void rh_step_store_state(rh_step_world *w)
{
  rh_step_parallel_for(w, store_some, rh_step_parts_of_bodies(w, BODIES));
}

// ---- Measures

void rh_step_pose(const void *world, int body, rh_xform *pose)
{
  const rh_step_world *w = world;
  int mobile = w->mobile[body];
  const rh_step_body *c = &w->body[mobile];
  bool free = mobile != 0 && mobile <= w->nfree;
  pose->R = free ? c->R : w->d->kin[body].R;
  if (!free) {
    pose->p = w->d->kin[body].p;
  } else {
    pose->p = c->central ? c->x : rh_sub(c->x, rh_rotate(&c->R, c->com));
  }
}

double rh_step_closes(double slow, double phi, double u, double a, double h)
{
  if (phi <= RH_STEP_CLOSED) {
    return u < -slow ? 0 : HUGE_VAL;
  }
  double disc = u * u - 2 * a * phi;
  if (disc <= slow * slow) { // its speed there is the root of it
    return HUGE_VAL;
  }
  double root = sqrt(disc);
  double t = u < 0 ? 2 * phi / (root - u) : a < 0 ? -(root + u) / a : HUGE_VAL;
  return t <= h ? t : HUGE_VAL;
}

double rh_step_kinetic(const rh_step_world *w, int i, rh_vec3 v, rh_vec3 spin)
{
  const rh_step_body *c = &w->body[i];
  rh_vec3 b = rh_unrotate(&c->R, spin);
  return 0.5 * (c->mass * rh_dot(v, v) + rh_dot(b, rh_sym3_mul(&c->I, b)));
}
