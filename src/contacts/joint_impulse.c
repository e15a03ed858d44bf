// joint_impulse.c: impulses on joints and along tendons act on the whole tree. Limits that would have to pull are released, and so are joints
// held by dry friction: no finite friction withstands an impulse.
#include "multibody/multibody.h"
#include "simulation.h"

#include <math.h>
#include <string.h>

const char *rh_dof_name(const rh_sim *sim, int k)
{
  return rh_model_name(sim->model, RH_OBJECT_JOINT, sim->model->dof[k].body);
}

// A limit can push but not pull.
bool rh_limit_pulls(const rh_sim *sim, int k)
{
  const rh_data *d = sim->data;
  return (d->hold[k] == RH_HOLD_LOWER && d->react[k] < -sim->slight) ||
         (d->hold[k] == RH_HOLD_UPPER && d->react[k] > sim->slight);
}

bool rh_tendon_pulls(const rh_sim *sim, int index, double x)
{
  rh_hold hold = (rh_hold)sim->data->dyn.tendon_hold[sim->model->tendons.of[index].stop];
  return (hold == RH_HOLD_LOWER && x < -sim->slight) || (hold == RH_HOLD_UPPER && x > sim->slight);
}

// The first tendon that would have to pull at its limit under the last impulse response
static bool release_tendon(rh_sim *sim)
{
  rh_data *d = sim->data;
  const rh_model *m = sim->model;
  for (int i = 0; i < m->tendons.n && m->layout.ntendon > 0; i++) {
    int stop = m->tendons.of[i].stop;
    if (stop != RH_NONE && rh_tendon_pulls(sim, i, d->dyn.rows->x[m->layout.nrow + stop])) {
      d->dyn.tendon_hold[stop] = RH_HOLD_NONE;
      rh_event e =
          rh_sim_event(sim, RH_EVENT_LEAVE, rh_model_name(m, RH_OBJECT_TENDON, i), RH_NONE);
      rh_sim_emit_event(sim, &e);
      sim->model->run.engine->evaluate(d); // without its row
      return true;
    }
  }
  return false;
}

// Releases the first limit that would have to pull under the last impulse response; false if there
// is none.
bool rh_limits_release(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int k = 0; k < sim->model->nv; k++) {
    if (rh_limit_pulls(sim, k)) {
      d->hold[k] = RH_HOLD_NONE;
      rh_event e = rh_sim_event(sim, RH_EVENT_LEAVE, rh_dof_name(sim, k), k);
      rh_sim_emit_event(sim, &e);
      return true;
    }
  }
  return release_tendon(sim);
}

void rh_dry_release(rh_sim *sim)
{
  rh_data *d = sim->data;
  for (int k = 0; k < sim->model->nv; k++) {
    if (d->hold[k] == RH_HOLD_DRY) {
      d->hold[k] = RH_HOLD_NONE;
    }
  }
  for (int i = 0; i < sim->model->layout.ntendon; i++) {
    double *hold = &d->dyn.tendon_hold[i];
    *hold = *hold == RH_HOLD_DRY ? RH_HOLD_NONE : *hold;
  }
}

void rh_evaluate_motion(rh_data *d)
{
  rh_kinematics(d);
  rh_loads(d);
  rh_contacts(d);
  rh_forward_dynamics(d);
}

enum { NV_MAX = 6 };

// Solves the n x n system W p = b by elimination with the pivots on the diagonal: W is positive definite.
static void solve_small(int n, double W[NV_MAX][NV_MAX], double *b)
{
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double factor = W[i][k] / W[k][k];
      for (int j = k; j < n; j++) {
        W[i][j] -= factor * W[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      b[k] -= W[k][j] * b[j];
    }
    b[k] /= W[k][k];
  }
}

double rh_joint_impulse(rh_sim *sim, int first, int n, const double *change)
{
  rh_data *d = sim->data;
  int nv = sim->model->nv;
  double *p = d->dyn.scratch;
  double *dv = d->dyn.scratch + nv;
  double b[NV_MAX];
  rh_dry_release(sim);
  do {
    double W[NV_MAX][NV_MAX];
    sim->model->run.engine->evaluate(d);
    memcpy(b, change, (size_t)n * sizeof *b);
    for (int j = 0; j < n; j++) {
      memset(p, 0, (size_t)nv * sizeof *p);
      p[first + j] = 1;
      rh_impulse_response(d, p, dv);
      for (int i = 0; i < n; i++) {
        W[i][j] = dv[first + i];
      }
    }
    solve_small(n, W, b);
    memset(p, 0, (size_t)nv * sizeof *p);
    memcpy(p + first, b, (size_t)n * sizeof *b);
    rh_impulse_response(d, p, dv);
  } while (rh_limits_release(sim));
  for (int k = 0; k < nv; k++) {
    d->v[k] += dv[k];
  }
  for (int j = 0; j < n; j++) {
    d->v[first + j] =
        fabs(d->v[first + j]) < 1e-12 * fabs(change[j]) ? 0 : d->v[first + j]; // exact rest
  }
  return b[0];
}

double rh_tendon_impulse(rh_sim *sim, int index, double change)
{
  rh_data *d = sim->data;
  size_t nv = (size_t)sim->model->nv;
  double *p = d->dyn.scratch;
  double *dv = d->dyn.scratch + nv;
  double impulse = 0;
  rh_dry_release(sim);
  do {
    sim->model->run.engine->evaluate(d);
    memset(p, 0, nv * sizeof *p);
    rh_tendon_push(d, index, 1, p);
    rh_impulse_response(d, p, dv);
    double response = 0;
    for (size_t k = 0; k < nv; k++) {
      response += p[k] * dv[k];
    }
    impulse = response > 0 ? change / response : 0;
    for (size_t k = 0; k < nv; k++) {
      p[k] *= impulse;
    }
    rh_impulse_response(d, p, dv);
  } while (rh_limits_release(sim));
  for (size_t k = 0; k < nv; k++) {
    d->v[k] += dv[k];
  }
  return impulse;
}
