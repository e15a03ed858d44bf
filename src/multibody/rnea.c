// Inverse dynamics: the recursive Newton-Euler algorithm [RBDA table 5.1], tau = H a + bias.
#include "multibody.h"

#include <string.h>

// `a` may be NULL: all accelerations zero, which leaves the bias.
static void newton_euler(rh_data *d, const double *a, double *tau)
{
  const rh_model *m = d->model;
  d->dyn.acc[0] = (rh_motion){{0, 0, 0}, {0, 0, 0}}; // due to joint accelerations alone
  for (int i = 1; i < m->nbody; i++) {
    const rh_model_body *b = &m->body[i];
    const rh_kin_body *k = &d->kin[i];
    rh_motion acc = rh_motion_shift(d->dyn.acc[b->parent], k->r);
    for (int j = 0; a && j < b->nv; j++) {
      acc = rh_motion_addscaled(acc, a[b->vadr + j], d->dyn.S[b->vadr + j]);
    }
    d->dyn.acc[i] = acc;
    acc = rh_motion_add(acc, k->c);
    acc.lin = rh_sub(acc.lin, m->gravity);
    d->dyn.f[i] = rh_body_force(k, acc);
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    const rh_model_body *b = &m->body[i];
    for (int j = b->vadr; j < b->vadr + b->nv; j++) {
      tau[j] = rh_power(d->dyn.S[j], d->dyn.f[i]) + (a ? m->dof[j].armature * a[j] : 0);
    }
    if (b->parent > 0) {
      d->dyn.f[b->parent] =
          rh_force_add(d->dyn.f[b->parent], rh_force_shift_back(d->dyn.f[i], d->kin[i].r));
    }
  }
}

void rh_inverse_dynamics(rh_data *d, const double *a, double *tau)
{
  newton_euler(d, a, tau);
}

void rh_bias(rh_data *d, double *bias)
{
  newton_euler(d, NULL, bias);
}
