// Computed torque: keeps the posture of the start on the present ground contacts. The outer loop
// requests, for every degree of freedom, those of a floating base too, a = kp (q_0 - q) - kd v with
// kd = 2 zeta sqrt(kp) ([Ch] 4.17-4.20); the part that the contacts forbid is removed, and the
// torques come from the projection (torque.c) or from the cone programme (balance_qp.c), which
// requests only forces that the ground can give and keeps the actuators' limits. With no contact
// and every joint driven both are tau = H a + h.
#include "control.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { KP, ZETA, FORM, MU };

enum { PROJECTION, CONE };

#define SETTLE 50  // [1/s] rate at which a moving contact comes to rest
#define KEEP   100 // weight of contacts relative to accelerations
#define RANK   1e-9

static const rh_param param[] = {
    {.name = "kp",
     .unit = "1/s^2",
     .def = 100,
     .lo = 0,
     .hi = 1e9,
     .doc = "desired acceleration per unit of error"},
    {.name = "zeta",
     .unit = "1",
     .def = 1,
     .lo = 0,
     .hi = 100,
     .doc = "damping ratio: kd = 2 zeta sqrt(kp)"},
    {.name = "form",
     .unit = "1",
     .def = CONE,
     .lo = 0,
     .hi = 1,
     .doc = "torques by projection, or by a programme with friction cones and limits",
     .type = RH_CHOICE,
     .choices = "projection|cone"},
    {.name = "mu",
     .unit = "1",
     .def = 0.5,
     .lo = 0,
     .hi = 10,
     .doc = "assumed coefficient of friction (cone)"},
};

static size_t larger_size(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t count_scratch(const rh_model *m)
{
  size_t rows = 3 * RH_SUPPORT_MAX;
  size_t keep = rows * (size_t)m->nv + rows + (size_t)m->nv + rh_lstsq_room((int)rows, m->nv);
  size_t solve =
      larger_size(rh_support_scratch(m, RH_SUPPORT_MAX), rh_balance_room(m, RH_SUPPORT_MAX));
  return 2 * (size_t)m->nv + rows + larger_size(keep, solve);
}

// a := the nearest accelerations that keep the contacts: a + J+ (-J' v - settle J v - J a)
static void keep_contacts(rh_data *d, const rh_support *support, double *work, double *a)
{
  int nv = d->model->nv;
  int rows = 3 * support->n;
  double *J = work;
  double *x = J + (size_t)rows * (size_t)nv;
  double *da = x + rows;
  for (int i = 0; i < support->n; i++) {
    const rh_model_point *at = &support->point[i];
    double *Ji = J + (size_t)3 * (size_t)i * (size_t)nv;
    rh_point_jacobian(d, at->body, at->at, Ji);
    rh_vec3 b = rh_addscaled(rh_point_bias(d, at->body, at->at), SETTLE,
                             rh_point_velocity(d, at->body, at->at));
    const double wanted[3] = {-b.x, -b.y, -b.z};
    for (int r = 0; r < 3; r++) {
      x[3 * i + r] = wanted[r];
      for (int k = 0; k < nv; k++) {
        x[3 * i + r] -= Ji[(size_t)r * nv + k] * a[k];
      }
    }
  }
  if (rows > 0) {
    (void)rh_lstsq(rows, nv, J, x, RANK, da + nv, da, NULL);
    for (int k = 0; k < nv; k++) {
      a[k] += da[k];
    }
  }
}

static void update_computed_torque(rh_data *d, const rh_control *c, double *effort)
{
  int nv = d->model->nv;
  const double *par = c->self->par;
  double *a = c->room;
  double *care = a + nv;
  double *F = care + nv;
  double *work = F + (ptrdiff_t)3 * RH_SUPPORT_MAX;
  rh_footing footing;
  const rh_support support = rh_support_find(d, RH_NONE, par[MU], &footing);
  const rh_trajectory course = {
      .q = d->model->start.q0, .kp = par[KP], .kd = 2 * par[ZETA] * sqrt(par[KP])};
  rh_trajectory_accelerations(d, &course, a);
  rh_mass_matrix(d);
  if (par[FORM] == PROJECTION) {
    keep_contacts(d, &support, work, a);
    (void)rh_support_torque(d, &support, a, work, effort, F);
    return;
  }
  for (int k = 0; k < nv; k++) {
    care[k] = 1;
  }
  const rh_balance want = {.want = a, .care = care, .keep = KEEP, .settle = SETTLE};
  (void)rh_balance_solve(d, &support, &want, work, effort, F);
}

extern const rh_controller rh_controller_computed_torque;

const rh_controller rh_controller_computed_torque = {
    .row = {.name = "computed-torque",
            .cite = "[Ch] 4.17-4.22*",
            .doc = "keeps the initial posture, supported by the bodies that touch the ground",
            .param = param,
            .nparam = RH_COUNT(param)},
    .room = count_scratch,
    .update = update_computed_torque,
};
