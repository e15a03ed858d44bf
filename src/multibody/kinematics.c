// Stage 1: kinematics. Poses, joint axes, velocities, velocity-product accelerations and inertias of all bodies,
// root to tip, in world axes about each body's own origin. Keeping every quantity at its own body
// avoids cancellation however far a tree reaches. Accelerations are those of the moving origin
// itself, not [RBDA]'s spatial ones: velocities along the way then drop out of the equations,
// however fast a body flies.
#include "base/wide.h"
#include "multibody.h"

#include <string.h>

// Velocity, and c: the acceleration the body would have if no joint accelerated. With W the parent's angular velocity,
// w and u the angular and linear velocity relative to the parent and r from its origin, the origin's acceleration is
// that of the point of the parent it passes, a + W' x r + W x (W x r), and 2 W x u; the angular one gains W x w and the drift of
// the axes.
static void move_body(const rh_model_body *b, const rh_kin_body *parent, const rh_motion *S,
                      const double *v, rh_kin_body *body)
{
  rh_vec3 W = parent->v.ang;
  rh_vec3 carried = rh_cross(W, body->r);
  rh_motion rel = {{0, 0, 0}, {0, 0, 0}};
  for (int j = 0; j < b->nv; j++) {
    rel = rh_motion_addscaled(rel, v[j], S[j]);
  }
  body->p = rh_add(parent->p, body->r);
  body->v.ang = rh_add(W, rel.ang);
  body->v.lin = rh_add(rh_add(parent->v.lin, carried), rel.lin);
  body->c.ang = rh_add(parent->c.ang, rh_cross(W, rel.ang));
  body->c.lin =
      rh_add(parent->c.lin, rh_add(rh_cross(parent->c.ang, body->r), rh_cross(W, carried)));
  if (!b->joint->turning) {
    body->c.lin = rh_addscaled(body->c.lin, 2, rh_cross(W, rel.lin));
  }
  if (b->joint->drift) {
    body->c.ang = rh_add(body->c.ang, b->joint->drift(S, v));
  }
}

// The same for a joint with one axis of rotation, by far the most frequent.
static inline void move_hinge(const rh_kin_body *parent, const rh_motion *S, double v,
                              rh_kin_body *body)
{
  rh_vec3 W = parent->v.ang;
  rh_vec3 carried = rh_cross(W, body->r);
  rh_vec3 w = rh_scale(v, S->ang);
  body->p = rh_add(parent->p, body->r);
  body->v = (rh_motion){rh_add(W, w), rh_add(parent->v.lin, carried)};
  body->c.ang = rh_add(parent->c.ang, rh_cross(W, w));
  body->c.lin =
      rh_add(parent->c.lin, rh_add(rh_cross(parent->c.ang, body->r), rh_cross(W, carried)));
}

RH_WIDE
static inline void kinematics_body(rh_data *d, int i)
{
  const rh_model_body *b = &d->model->body[i];
  const rh_kin_body *parent = &d->kin[b->parent];
  rh_kin_body *body = &d->kin[i];
  rh_motion *S = d->dyn.S + b->vadr;
  b->joint->pose(b->konst, d->q + b->qadr, d->dyn.trig + 2 * b->qadr, parent, body, S);
  if (b->nv == 1 && b->joint->turning) {
    move_hinge(parent, S, d->v[b->vadr], body);
  } else {
    move_body(b, parent, S, d->v + b->vadr, body);
  }
  if (b->inertia.mass > 0) { // else the inertia is zero, and stays so
    body->I.mass = b->inertia.mass;
    body->I.h = rh_rotate(&body->R, b->inertia.h);
    body->I.I = rh_sym3_rotate(&body->R, &b->inertia.I);
  }
}

static void stand_world(rh_data *d)
{
  rh_kin_body *world = &d->kin[0];
  memset(world, 0, sizeof *world);
  world->R = rh_mat3_identity();
}

void rh_kinematics(rh_data *d)
{
  const rh_model *m = d->model;
  stand_world(d);
  rh_trig(m->nq - m->layout.first_angle, d->q + m->layout.first_angle,
          d->dyn.trig + 2 * m->layout.first_angle);
  for (int i = 1; i < m->nbody; i++) {
    kinematics_body(d, i);
  }
}

RH_WIDE
void rh_kinematics_of(rh_data *d, const int *body, int n)
{
  const rh_model *m = d->model;
  int first = 0; // adjacent angles, as in most trees, are evaluated together
  int end = 0;
  for (int i = 0; i < n; i++) {
    const rh_model_body *b = &m->body[body[i]];
    if (!b->joint->angles) {
      continue;
    }
    if (b->qadr != end) {
      rh_trig(end - first, d->q + first, d->dyn.trig + 2 * (size_t)first);
      first = end = b->qadr;
    }
    end += b->joint->nq;
  }
  rh_trig(end - first, d->q + first, d->dyn.trig + 2 * (size_t)first);
  for (int i = 0; i < n; i++) {
    kinematics_body(d, body[i]);
  }
}

rh_vec3 rh_point_position(const rh_data *d, int body, rh_vec3 at)
{
  return rh_add(d->kin[body].p, rh_rotate(&d->kin[body].R, at));
}

rh_vec3 rh_point_velocity(const rh_data *d, int body, rh_vec3 at)
{
  const rh_kin_body *b = &d->kin[body];
  return rh_add(b->v.lin, rh_cross(b->v.ang, rh_rotate(&b->R, at)));
}

void rh_coordinate_rates(const rh_data *d, double *qdot)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    if (b->joint->rate) {
      b->joint->rate(d->q + b->qadr, d->v + b->vadr, qdot + b->qadr);
    } else {
      memcpy(qdot + b->qadr, d->v + b->vadr, (size_t)b->nv * sizeof *qdot);
    }
  }
}

void rh_coordinates_advance(const rh_data *d, double h, double *q)
{
  const rh_model *m = d->model;
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    const double *v = d->v + b->vadr;
    double *x = q + b->qadr;
    if (b->joint->advance) {
      double next[RH_LIST_MAX];
      b->joint->advance(x, v, h, next);
      memcpy(x, next, (size_t)b->joint->nq * sizeof *x);
    } else {
      for (int j = 0; j < b->nv; j++) {
        x[j] += h * v[j];
      }
    }
  }
}

void rh_coordinates_unit(const rh_model *m, double *q)
{
  for (int i = 1; i < m->nbody; i++) {
    if (m->body[i].joint->unit_length) {
      m->body[i].joint->unit_length(q + m->body[i].qadr);
    }
  }
}
