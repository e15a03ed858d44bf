// Joint PD: every actuator pulls its degree of freedom back to its position at the start,
//   effort = kp (q_0 - q) - kd v.
// Degrees of freedom without a coordinate of their own (of a free or spherical joint) are only damped.
#include "control.h"

enum { KP, KD };

static const rh_param param[] = {
    {.name = "kp",
     .unit = "N/m, N m/rad",
     .def = 100,
     .lo = 0,
     .hi = 1e9,
     .doc = "gain on the distance to the initial position"},
    {.name = "kd",
     .unit = "N s/m, N m s/rad",
     .def = 10,
     .lo = 0,
     .hi = 1e9,
     .doc = "gain on the velocity"},
};

static void update_pd(rh_data *d, const rh_control *c, double *effort)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nactuator; i++) {
    int k = m->actuator[i].dof;
    int coord = m->dof[k].coord;
    double behind = coord == RH_NONE ? 0 : m->start.q0[coord] - d->q[coord];
    effort[i] = c->self->par[KP] * behind - c->self->par[KD] * d->v[k];
  }
}

extern const rh_controller rh_controller_pd;

const rh_controller rh_controller_pd = {
    .row = {.name = "pd",
            .cite = "",
            .doc = "every actuator pulls its joint back to its initial position",
            .param = param,
            .nparam = RH_COUNT(param)},
    .update = update_pd,
};
