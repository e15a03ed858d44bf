// Point Jacobians and their rates: velocity of a body's point = J v, its acceleration = J a + Jdot v.
#include "multibody.h"

#include <string.h>

void rh_point_jacobian(const rh_data *d, int body, rh_vec3 at, double *J)
{
  const rh_model *m = d->model;
  int nv = m->nv;
  memset(J, 0, 3 * (size_t)nv * sizeof *J);
  rh_vec3 r = rh_rotate(&d->kin[body].R, at); // from the origin of the present body to the point
  for (int i = body; i > 0; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      rh_vec3 col = rh_add(d->dyn.S[k].lin, rh_cross(d->dyn.S[k].ang, r));
      J[k] = col.x;
      J[nv + k] = col.y;
      J[2 * nv + k] = col.z;
    }
    r = rh_add(r, d->kin[i].r);
  }
}

rh_motion rh_body_acceleration(const rh_data *d, int body)
{
  const rh_model *m = d->model;
  rh_motion acc = {{0, 0, 0}, {0, 0, 0}};
  rh_vec3 r = {0, 0, 0}; // from the origin of the present body
  for (int i = body; i > 0; i = m->body[i].parent) {
    for (int k = m->body[i].vadr; k < m->body[i].vadr + m->body[i].nv; k++) {
      acc.ang = rh_addscaled(acc.ang, d->a[k], d->dyn.S[k].ang);
      acc.lin =
          rh_addscaled(acc.lin, d->a[k], rh_add(d->dyn.S[k].lin, rh_cross(d->dyn.S[k].ang, r)));
    }
    r = rh_add(r, d->kin[i].r);
  }
  return acc;
}

// The acceleration of the point if no joint accelerated.
rh_vec3 rh_point_bias(rh_data *d, int body, rh_vec3 at)
{
  const rh_kin_body *b = &d->kin[body];
  rh_vec3 r = rh_rotate(&b->R, at);
  rh_vec3 turning = rh_add(rh_cross(b->c.ang, r), rh_cross(b->v.ang, rh_cross(b->v.ang, r)));
  return rh_add(b->c.lin, turning);
}
