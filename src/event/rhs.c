// y' = f(t, y): stages 1 to 7, kinematics to forward dynamics, for a trial state of the integrator.
// The integrator's vector is used in place: the pointers of rh_data are moved onto it during the
// evaluation.
#include "event/storm/storm.h"
#include "rigid.h"

#include "multibody/multibody.h"

#include <math.h>
#include <string.h>

static void point_into(rh_data *d, double *t, double *y)
{
  const rh_model *m = d->model;
  d->t = t;
  d->q = y;
  d->v = y + m->nq;
  d->work = d->v + m->nv;
  d->control.act = y + m->layout.nfixed - m->layout.nact;
  d->s = y + m->layout.nfixed;
}

void rh_data_bind(rh_data *d, const double *t, const double *y)
{
  point_into(d, (double *)t, (double *)y); // read only, as in every stage before 8
}

void rh_data_unbind(rh_data *d)
{
  point_into(d, d->state, d->y);
}

void rh_sim_evaluate(rh_data *d)
{
  rh_kinematics(d);
  rh_loads(d);
  rh_contacts(d);
  rh_forward_dynamics(d);
  rh_rigid_forces(d, true);
}

void rh_sim_evaluate_stages(rh_sim *sim, double t, const double *y, rh_seen level)
{
  rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  size_t bytes = (size_t)engine->flow.n * sizeof *y;
  bool same = engine->level != RH_SEEN_NOTHING && engine->nseen == engine->flow.n &&
              engine->seen[0] == t && memcmp(engine->seen + 1, y, bytes) == 0;
  if (!same) {
    rh_kinematics(d);
    rh_loads(d);
    rh_contacts(d);
    engine->seen[0] = t;
    memcpy(engine->seen + 1, y, bytes);
    engine->nseen = engine->flow.n;
    engine->level = RH_SEEN_CONTACTS;
  }
  if (level > engine->level) {
    rh_forward_dynamics(d);
    rh_rigid_forces(d, level == RH_SEEN_LOADS);
    bool all = level == RH_SEEN_LOADS || !rh_rigid_loads_open(d);
    engine->level = all ? RH_SEEN_LOADS : RH_SEEN_DYNAMICS;
  }
}

// Accelerations that are not finite request a smaller step.
static int acceleration_status(const rh_data *d)
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
  rh_sim_evaluate_stages(sim, t, y, RH_SEEN_DYNAMICS);
  rh_coordinate_rates(d, ydot);
  memcpy(ydot + m->nq, d->a, (size_t)m->nv * sizeof *ydot);
  double *rest = ydot + m->nq + m->nv;
  memcpy(rest, d->power, (size_t)m->layout.nwork * sizeof *ydot);
  rest[RH_WORK_ACTUATOR] += rh_constraints_power(d); // of their drives
  memcpy(rest + m->layout.nwork, rh_search(d)->cell_rate,
         (size_t)(m->layout.ncell * m->nslot) * sizeof *ydot);
  double *act = ydot + m->layout.nfixed - m->layout.nact;
  for (int i = 0; m->layout.nact > 0 && i < m->nactuator; i++) {
    if (m->actuator[i].state != RH_NONE) {
      act[m->actuator[i].state] = rh_activation_rate(d, i);
    }
  }
  memcpy(ydot + m->layout.nfixed, rh_search(d)->slot_rate,
         RH_SLOT_STATES * (size_t)d->ncontact * sizeof *ydot);
  rh_storm_count_searches(sim);
  bool over = m->nrigid > 0 && rh_event_engine_of(sim)->storm.over; // the integrator has to stop
  rh_data_unbind(d);
  return over ? -1 : acceleration_status(d);
}

void rh_sim_arc(void *user, double t, const double *y, double *slope, double *bend)
{
  rh_sim *sim = user;
  const rh_event_engine *engine = rh_event_engine_of(sim);
  rh_data *d = sim->data;
  (void)rh_sim_rate(user, t, y, slope);
  memset(bend, 0, (size_t)engine->flow.n * sizeof *bend);
  rh_data_bind(d, &t, y);
  d->v = slope +
         d->model->nq; // coordinates change their rates as velocities change: by the accelerations
  rh_coordinate_rates(d, bend);
  rh_data_unbind(d);
}

int rh_sim_kick(void *user, double t, double h, double *y)
{
  rh_sim *sim = user;
  rh_data *d = sim->data;
  const rh_model *m = d->model;
  rh_data_bind(d, &t, y);
  rh_sim_evaluate_stages(sim, t, y, RH_SEEN_DYNAMICS);
  rh_activations_advance(d, h);
  for (int k = 0; k < m->nv; k++) {
    d->v[k] += h * d->a[k];
  }
  rh_coordinates_advance(d, h, d->q);
  for (int i = 0; i < RH_SLOT_STATES * d->ncontact; i++) {
    d->s[i] += h * rh_search(d)->slot_rate[i];
  }
  for (int i = 0; i < m->layout.nwork; i++) {
    d->work[i] += h * d->power[i];
  }
  d->work[RH_WORK_ACTUATOR] += h * rh_constraints_power(d);
  for (int i = 0; i < m->layout.ncell * m->nslot; i++) {
    d->work[m->layout.nwork + i] += h * rh_search(d)->cell_rate[i];
  }
  rh_data_unbind(d);
  return acceleration_status(d);
}

// Integrals of power are only kept for the ledger.
bool rh_sim_idle(void *user, int i)
{
  const rh_model *m = ((rh_sim *)user)->model;
  int rest = i - m->layout.nfixed;
  bool work = i >= m->nq + m->nv && i < m->nq + m->nv + m->layout.nwork;
  return work || (rest >= 0 && rest % RH_SLOT_STATES >= RH_SLOT_WORK);
}

bool rh_sim_coordinate(void *user, int i)
{
  return i < ((rh_sim *)user)->model->nq;
}

void rh_sim_project(void *user, double *y)
{
  rh_coordinates_unit(((rh_sim *)user)->model, y);
}
