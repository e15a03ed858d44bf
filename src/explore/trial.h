// trial.h: one run of a scene stored in memory: the requested data of every frame, the events, the
// energy account, and the contacts between frames. `routh paper` and `routh compare` use trials.
#ifndef ROUTH_EXPLORE_TRIAL_H
#define ROUTH_EXPLORE_TRIAL_H

#include "console/console.h"

#define RH_SERIES_MAX 32 // maximum sums of channels of a trial
#define RH_LOOP_MAX   2000

typedef struct rh_trial_point { // a contact point at a step of the integrator
  double t, depth, normal;      // [s], [m], [N]
} rh_trial_point;

typedef struct rh_trial {
  rh_model *model;
  double *value; // frame by frame: t, then the series (frames x (1 + nseries))
  int nseries;
  long frames, room;
  rh_events events;
  rh_ledger ledger; // at the end
  rh_sim_stats stats;
  rh_status ended;
  char reason[RH_WHY_MAX]; // why it stopped; "": it reached its end
  double t_end;
  double *body;         // [m] positions of the bodies at the end (3 x nbody)
  double *motion;       // velocities there, then the momenta H v (2 x nv)
  double deepest, peak; // [m], [N] of all contact points, between frames too
  rh_trial_point *loop; // the first contact, while it lasts (nloop)
  int nloop;
} rh_trial;

// Runs the scene to its end. A series is the name of a channel or a sum such as
// "ball.vx-0.0165*ball.wy+1". Errors of the scene go to `diag`; errors of a series are reported. A
// run that stops before its end is no failure of the trial: see `ended`. Free with rh_trial_free in
// any case.
rh_status rh_trial_run(const rh_scene *scene, const char *const *text, int nseries, rh_diag *diag,
                       rh_trial *trial);
void rh_trial_free(rh_trial *trial);
// Reports the first series that is none of the model.
rh_status rh_series_check(const rh_model *model, const char *const *text, int nseries);
// Column 0 is the time, then the requested series.
double rh_trial_value(const rh_trial *trial, long frame, int column);
// Event number `which` (from 1) of a kind, NULL if there were fewer.
const rh_event *rh_trial_event(const rh_trial *trial, rh_event_kind kind, int which);
// The next event of this kind after `after` at the same contact point, NULL if there is none.
const rh_event *rh_trial_next(const rh_trial *trial, const rh_event *after, rh_event_kind kind);

#endif
