// fit_problem.h: what is compared with what, of problem.c and problem_slopes.c.
#ifndef ROUTH_FIT_FIT_PROBLEM_H
#define ROUTH_FIT_FIT_PROBLEM_H

#include "fit_trial.h"

// 1 / deviation of w from the start: what the data do not determine stays near it
#define RH_FIT_TETHER 0.02

struct rh_fit_problem {
  rh_fit_data const *data;
  rh_fit_journal *journal;
  double *kept; // of an entry: good, then the starts (nkept)
  int nkept;
  rh_fit_scene scene;
  int nvalue;
  rh_fit_value value[RH_FIT_VALUES];
  double lo[RH_FIT_VALUES], hi[RH_FIT_VALUES]; // of w
  double begin[RH_FIT_VALUES];                 // w of the scene
  rh_fit_map map;
  rh_fit_series *series; // (ntrial)
  double *weight;        // (ntrial)
  double noise[RH_FIT_CHANNELS];
  int m, nseries; // of trials: the data may have been cut since
  bool starts, robust, integrate;
  double one_sided;     // step of differences to one side, in the place of all others; 0: none
  const double *r_here; // residuals that these begin at; NULL: none
  double *way;    // rh_slopes_why of each trial (ntrial)
  rh_diag *diag;
  rh_pool *pool;
  int threads;
  double *model;   // what the scene gives (rows x nchannel)
  bool *good;      // the run reached its end (ntrial)
  char refused[RH_FIT_REASON_MAX]; // why the first values that it refused were; "": none were
  // of the evaluation that is under way
  rh_fit_world world[2 * RH_FIT_VALUES + 1];
  double step[RH_FIT_VALUES];
  double *r, *J;
  bool error;
};

// The scene with the values w. False: it refuses them.
bool rh_fit_make_world(rh_fit_problem *p, const double *w, rh_fit_world *world);
rh_fit_task rh_fit_task_of(rh_fit_problem *p, int trial);
// The key of values under the weights and the noise in force
rh_fit_entry rh_fit_entry_of(const rh_fit_problem *p, rh_fit_kind kind, uint64_t held, const double *w, int n);

#endif
