// spring.c: a controller as a shared library, for tests: every actuator pulls its joint back to where it started, as the row pd does.
#include <routh/plugin.h>

static const rh_param param[] = {
    {.name = "kp", .unit = "N/m, N m/rad", .def = 100, .lo = 0, .hi = 1e9, .doc = "gain"},
    {.name = "kd", .unit = "N s/m, N m s/rad", .def = 10, .lo = 0, .hi = 1e9, .doc = "damping"},
};

static void pull_back(rh_data *d, const rh_control *c, double *effort)
{
  const rh_model *m = d->model;
  for (int i = 0; i < m->nactuator; i++) {
    int k = m->actuator[i].dof;
    int coord = m->dof[k].coord;
    double behind = coord == RH_NONE ? 0 : m->start.q0[coord] - d->q[coord];
    effort[i] = c->self->par[0] * behind - c->self->par[1] * d->v[k];
  }
}

static const rh_controller row = {
    .row = {.name = ROUTH_PLUGIN_NAME, .cite = "", .doc = "a spring", .param = param, .nparam = 2},
    .update = pull_back,
};

#ifdef ROUTH_PLUGIN_OLD
RH_PLUGIN_EXPORT const rh_plugin *routh_plugin(void);

RH_PLUGIN_EXPORT const rh_plugin *routh_plugin(void)
{
  static const rh_plugin self = {RH_PLUGIN_VERSION + 1, 0, 0, 0, &row};
  return &self;
}
#else
RH_PLUGIN(row)
#endif
