// y' = f(t, y): stages 1 to 7, kinematics to forward dynamics, for a trial state of the stepper. The stepper's
// vector is used where it lies: the pointers of rh_data are moved onto it for the time of the evaluation.
#include "sim/loop.h"

#include <math.h>
#include <string.h>

static void point_into(rh_data *d, double *t, double *y)
{
  const rh_model *m = d->model;
  d->t = t;
  d->q = y;
  d->v = y + m->nq;
  d->s = d->v + m->nv;
  d->work = d->s + m->ns;
}

void rh_data_bind(rh_data *d, const double *t, const double *y)
{
  point_into(d, (double *)t, (double *)y); // read only, by the promise of every stage before 8
}

void rh_data_unbind(rh_data *d)
{
  point_into(d, d->state, d->y);
}

static void evaluate(rh_data *d)
{
  rh_kinematics(d);
  rh_loads(d);
  rh_contacts(d);
  rh_forward_dynamics(d);
}

// Accelerations that are not finite ask for a smaller step.
static int verdict(const rh_data *d)
{
  double sum = 0;
  for (int k = 0; k < d->model->nv; k++) {
    sum += d->a[k];
  }
  return isfinite(sum) ? 0 : 1;
}

int rh_sim_rate(void *user, double t, const double *y, double *ydot)
{
  rh_sim *sim = user;
  rh_data *d = sim->data;
  const rh_model *m = d->model;
  rh_data_bind(d, &t, y);
  evaluate(d);
  rh_coordinate_rates(d, ydot);
  memcpy(ydot + m->nq, d->a, (size_t)m->nv * sizeof *ydot);
  memcpy(ydot + m->nq + m->nv, d->slot_rate, (size_t)m->ns * sizeof *ydot);
  memcpy(ydot + m->nq + m->nv + m->ns, d->power, RH_WORK_COUNT * sizeof *ydot);
  rh_data_unbind(d);
  return verdict(d);
}

int rh_sim_kick(void *user, double t, double h, double *y)
{
  rh_sim *sim = user;
  rh_data *d = sim->data;
  const rh_model *m = d->model;
  rh_data_bind(d, &t, y);
  evaluate(d);
  for (int k = 0; k < m->nv; k++) {
    d->v[k] += h * d->a[k];
  }
  rh_coordinates_advance(d, h, d->q);
  for (int i = 0; i < m->ns; i++) {
    d->s[i] += h * d->slot_rate[i];
  }
  for (int i = 0; i < RH_WORK_COUNT; i++) {
    d->work[i] += h * d->power[i];
  }
  rh_data_unbind(d);
  return verdict(d);
}

void rh_sim_project(void *user, double *y)
{
  rh_coordinates_unit(((rh_sim *)user)->model, y);
}
