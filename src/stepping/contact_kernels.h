// contact_kernels.h: small functions of the inner loops: the velocity at a contact, and the effect
// of an impulse there on its bodies.
#ifndef ROUTH_STEPPING_CONTACT_KERNELS_H
#define ROUTH_STEPPING_CONTACT_KERNELS_H

#include "stepping.h"

// The inverse inertia of a body times a moment
static inline rh_vec3 rh_step_apply_inverse_inertia(const rh_step_velocity *b, rh_vec3 m)
{
  const double *J = b->J;
  return rh_v3(J[0] * m.x + J[3] * m.y + J[4] * m.z, J[3] * m.x + J[1] * m.y + J[5] * m.z,
               J[4] * m.x + J[5] * m.y + J[2] * m.z);
}

// [m/s] an approach is slow, and no impact, if a step of free fall along the normal gives more.
static inline double rh_step_slow(const rh_step_world *w, const rh_found_contact *t)
{
  double fall = 0;
  const int mobile[2] = {t->ma, t->mb};
  for (int i = 0; i < 2; i++) {
    const rh_vec3 *a = mobile[i] > w->nfree ? &w->m->gravity : &w->body[mobile[i]].a;
    double along = mobile[i] == 0 ? 0 : fabs(rh_dot(t->n, *a));
    fall = along > fall ? along : fall;
  }
  double slow = w->par.dt * fall;
  return slow > w->slow ? slow : w->slow;
}

// From v at the end of h with the impact counted there: the velocity right after the impact
static inline rh_vec3 rh_step_velocity_after_impact(const rh_step_body *c, rh_vec3 v, double h)
{
  return rh_addscaled(v, -h, c->a);
}

static inline rh_vec3 rh_step_spin_after_impact(const rh_step_body *c, rh_vec3 spin)
{
  return rh_add(c->w0, rh_sub(spin, c->wk));
}

static inline void rh_step_arms(const rh_step_world *w, const rh_step_row *c, rh_vec3 r[2])
{
  const rh_step_row_general *x = &w->general[c->any];
  r[0] = c->round ? rh_scale(-c->arm[0], rh_step_read_vec(c->n)) : rh_step_read_vec(x->ra);
  r[1] = c->round ? rh_scale(c->arm[1], rh_step_read_vec(c->n)) : rh_step_read_vec(x->rb);
}

KERNEL_INLINE rh_vec3 rh_step_free_velocity(const rh_step_world *w, const rh_step_row *c)
{
  const rh_step_velocity *a = &w->velocity[c->a];
  const rh_step_velocity *b = &w->velocity[c->b];
  if (c->round) {
    rh_vec3 roll = rh_addscaled(rh_scale(c->arm[0], rh_step_read_vec(a->w)), c->arm[1],
                                rh_step_read_vec(b->w));
    return rh_sub(rh_sub(rh_step_read_vec(a->v), rh_step_read_vec(b->v)),
                  rh_cross(roll, rh_step_read_vec(c->n)));
  }
  const rh_step_row_general *x = &w->general[c->any];
  rh_vec3 u =
      rh_add(rh_step_read_vec(a->v), rh_cross(rh_step_read_vec(a->w), rh_step_read_vec(x->ra)));
  return rh_sub(
      u, rh_add(rh_step_read_vec(b->v), rh_cross(rh_step_read_vec(b->w), rh_step_read_vec(x->rb))));
}

KERNEL_INLINE rh_vec3 rh_step_velocity_at(const rh_step_worker *worker, const rh_step_row *c)
{
  const rh_step_world *w = worker->world;
  rh_vec3 x = rh_step_free_velocity(w, c);
  if (c->jointed) {
    const rh_step_row_general *any = &w->general[c->any];
    double u[3] = {0, 0, 0};
    rh_step_tree_velocity(worker, any, u);
    x = rh_addscaled(rh_addscaled(x, u[0], rh_step_read_vec(any->t1)), u[1],
                     rh_step_read_vec(any->t2));
    x = rh_addscaled(x, u[2], rh_step_read_vec(c->n));
  }
  return x;
}

static inline rh_vec3 rh_step_impulse(const rh_step_world *w, const rh_step_row *c,
                                      const double p[4])
{
  rh_vec3 P = rh_scale(p[3], rh_step_read_vec(c->n));
  if (c->round) {
    return rh_add(P, rh_step_read_vec(p));
  }
  const rh_step_row_general *x = &w->general[c->any];
  P = rh_addscaled(P, p[0], rh_step_read_vec(x->t1));
  return rh_addscaled(P, p[1], rh_step_read_vec(x->t2));
}

static inline void rh_step_push_round(rh_step_velocity *b, double sign, double arm, rh_vec3 P,
                                      rh_vec3 m)
{
  rh_step_write_vec(rh_addscaled(rh_step_read_vec(b->v), sign * b->im, P), b->v);
  rh_step_write_vec(rh_addscaled(rh_step_read_vec(b->w), -arm * b->J[0], m), b->w);
}

static inline void rh_step_free_push(const rh_step_world *w, const rh_step_row *c, rh_vec3 P)
{
  rh_step_velocity *a = &w->velocity[c->a];
  rh_step_velocity *b = &w->velocity[c->b];
  if (c->round) {
    // without friction it has no moment, not even that of rounding
    rh_vec3 m = c->mu == 0 ? rh_v3(0, 0, 0) : rh_cross(rh_step_read_vec(c->n), P);
    if (c->a) {
      rh_step_push_round(a, 1, c->arm[0], P, m);
    }
    if (c->b) {
      rh_step_push_round(b, -1, c->arm[1], P, m);
    }
    return;
  }
  const rh_step_row_general *x = &w->general[c->any];
  if (c->a) {
    rh_step_write_vec(rh_addscaled(rh_step_read_vec(a->v), a->im, P), a->v);
    rh_step_write_vec(rh_add(rh_step_read_vec(a->w), rh_step_apply_inverse_inertia(
                                                         a, rh_cross(rh_step_read_vec(x->ra), P))),
                      a->w);
  }
  if (c->b) {
    rh_step_write_vec(rh_addscaled(rh_step_read_vec(b->v), -b->im, P), b->v);
    rh_step_write_vec(rh_sub(rh_step_read_vec(b->w), rh_step_apply_inverse_inertia(
                                                         b, rh_cross(rh_step_read_vec(x->rb), P))),
                      b->w);
  }
}

static inline void rh_step_push(rh_step_worker *worker, const rh_step_row *c, rh_vec3 P)
{
  const rh_step_world *w = worker->world;
  rh_step_free_push(w, c, P);
  if (c->jointed) {
    const rh_step_row_general *x = &w->general[c->any];
    const double p[3] = {rh_dot(rh_step_read_vec(x->t1), P), rh_dot(rh_step_read_vec(x->t2), P),
                         rh_dot(rh_step_read_vec(c->n), P)};
    rh_step_tree_push(worker, x, p);
  }
}

// Contacts of an island that is examined again have no record of their own: they use that of their
// pair.
static inline rh_step_row_info *rh_step_home(const rh_step_worker *worker, int k)
{
  const rh_step_world *w = worker->world;
  return &w->info[k < w->contacts.capacity ? k : worker->again[w->info[k].touch].home];
}

// Can contact k have an impact? At moments every rigid contact that closes, with restitution or
// without: slip may stop or turn on the path of an impact with e = 0 too. In one group those with
// restitution.
static inline bool rh_step_may_have_impact(const rh_step_world *w, int k, bool moments)
{
  return w->info[k].e > 0 || (moments && w->info[k].slow < HUGE_VAL && !w->row[k].soft);
}

#endif
