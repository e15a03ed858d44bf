// law_shot.c: free impacts under the law, and the damping that gives a wanted restitution.
#include "law.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

rh_status rh_law_fit(rh_law_job *job)
{
  const rh_row *row = &job->law->row;
  if (isnan(job->wanted)) {
    return RH_OK;
  }
  if (job->law->fit == NULL) {
    return rh_refuse(RH_INPUT_REFUSED, "law: %s has no damping to fit; --e cannot be used",
                     row->name);
  }
  memcpy(job->before, job->normal.par, sizeof job->before);
  bool found = job->law->fit(job->normal.par, job->mass, job->wanted_at, job->radius, job->wanted);
  for (int i = 0; found && i < row->nparam; i++) {
    char why[RH_WHY_MAX];
    found = rh_param_check(&row->param[i], job->normal.par[rh_row_offset(row, i)], why);
  }
  if (!found) {
    return rh_refuse(RH_INPUT_REFUSED, "law: no damping of %s gives e = %g at %g m/s", row->name,
                     job->wanted, job->wanted_at);
  }
  for (int i = 0; i < row->nparam; i++) {
    int at = rh_row_offset(row, i);
    job->normal.from[i] = job->normal.par[at] != job->before[at] ? "--e" : job->normal.from[i];
  }
  return RH_OK;
}

bool rh_law_shot_room(rh_law_shot *shot)
{
  double *block = rh_alloc(3 * RH_LAW_LOOP * sizeof *block);
  if (block == NULL) {
    return false;
  }
  shot->time = block;
  shot->depth = block + RH_LAW_LOOP;
  shot->force = block + 2 * RH_LAW_LOOP;
  return true;
}

void rh_law_shot_free(rh_law_shot *shot)
{
  rh_free(shot->time);
  shot->time = NULL;
}

// The loop up to the return to the surface, with more points at its ends, where forces rise
// steeply; a body that stays in the ground is followed for a while.
static rh_status sample_loop(const rh_impact1_in *in, rh_law_shot *shot)
{
  const double linger = 20;       // times the time to the maximum depth
  const double inside = 1 - 1e-9; // the last point is still in contact: after it the force is zero
  const rh_impact1_out *out = &shot->out;
  rh_impact1_point point[RH_LAW_LOOP];
  double end = isfinite(out->time_of_return) ? inside * out->time_of_return
                                             : linger * out->time_of_max_penetration;
  for (int i = 0; i < RH_LAW_LOOP; i++) {
    double half = rh_sin(0.5 * PI * (double)i / (double)(RH_LAW_LOOP - 1));
    shot->time[i] = end * half * half;
  }
  RH_TRY(rh_impact1_at(in, RH_LAW_LOOP, shot->time, point));
  for (int i = 0; i < RH_LAW_LOOP; i++) {
    shot->depth[i] = point[i].z;
    shot->force[i] = point[i].force;
  }
  return RH_OK;
}

rh_status rh_law_shoot(const rh_law_job *job, double speed, rh_law_shot *shot)
{
  rh_impact1_in in = {.law = job->law,
                      .par = job->normal.par,
                      .mass = job->mass,
                      .speed = speed,
                      .radius = job->radius};
  rh_status status = rh_impact1(&in, &shot->out);
  if (status == RH_OK && shot->time != NULL) {
    status = sample_loop(&in, shot);
  }
  if (status != RH_OK) {
    return rh_refuse(status, "law: impact at %g m/s under %s: %s", speed, job->law->row.name,
                     rh_status_message(status));
  }
  return RH_OK;
}
