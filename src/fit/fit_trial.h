// fit_trial.h: one trial: its residuals, and its start where that is found too.
#ifndef ROUTH_FIT_FIT_TRIAL_H
#define ROUTH_FIT_FIT_TRIAL_H

#include "fit.h"

#include "event/slopes/slopes.h"

typedef struct rh_fit_series { // of a trial
  size_t first_row;  // in what the scene gives
  int first, m;      // its residuals, those of its start last
  int nstate, nlocal; // q and v; degrees of freedom of the start that are found
  double *start;     // (nstate) measured; NULL: that of the scene
  double *now;       // (nlocal) how far the start is from that, each over its deviation
  double *deviation; // (nlocal)
  int *local;        // (nlocal) degree of freedom, or nv + degree of freedom of a velocity
  double *model;     // (n x nchannel)
  unsigned char *phase; // (n)
} rh_fit_series;

typedef struct rh_fit_task {
  const rh_fit_data *data;
  const rh_fit_map *map;
  const double *noise;
  rh_fit_series *series;
  int trial;
  double weight; // of its residuals
  bool robust;
  bool integrate; // slopes, where they exist
} rh_fit_task;

typedef struct rh_fit_sides { // worlds beside that of the values
  const rh_fit_world *base;
  const rh_fit_world *moved; // (2 n) of value i: more by step[i] / 2, less by it
  const double *step;        // (n)
  int n;
} rh_fit_sides;

rh_status rh_fit_series_open(const rh_fit_data *data, const rh_fit_map *map, const rh_fit_world *world,
                             const rh_fit_job *job, int trial, rh_fit_series *series);
// Where a joint (number of its body) begins; is one in the place that was measured?
rh_fit_start rh_fit_start_of(const rh_fit_job *job, const rh_model *model, int joint);
bool rh_fit_starts_measured(const rh_fit_job *job);
void rh_fit_series_close(rh_fit_series *series);
// Residuals (m), with the best start if that is found. False: the run did not reach its end.
bool rh_fit_trial_residuals(const rh_fit_task *task, const rh_fit_world *world, double *r);
// Column of slopes: residuals in world[0] less those in world[1] (`here`, where that is not NULL), over `step`, at the same start.
// False: out of memory.
bool rh_fit_trial_slope(const rh_fit_task *task, const rh_fit_world world[2], double step, const double *here,
                        double *column);
// Residuals of values that the scene gives (rows x channels), and of a start.
void rh_fit_put_residuals(const rh_fit_task *task, const double *local, const double *value, double *r);
// The state at which the trial begins, `local` from the measured one.
void rh_fit_move_start(const rh_fit_series *s, const rh_model *model, const double *local, rh_data *scratch,
                       double *state);
// Takes what columns A (m x k) span out of n columns of J. A is scratch.
void rh_fit_project_out(const rh_fit_series *s, double *A, double *J, size_t stride, int n);
// slopes.c: columns of slopes by the values (J, `stride` apart) and by the start (A, m x nlocal; NULL: not wanted),
// integrated along one run. RH_SLOPES_EXIST: they are found.
rh_slopes_why rh_fit_trial_integrate(const rh_fit_task *task, const rh_fit_sides *sides, double *J, size_t stride,
                                     double *A);
// Takes out of n columns of J, `stride` apart, what a change of the start does as well. False: out of memory.
bool rh_fit_trial_project(const rh_fit_task *task, const rh_fit_world *world, double *J, size_t stride, int n);

#endif
