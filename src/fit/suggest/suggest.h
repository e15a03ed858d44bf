// suggest.h: a scene that follows the data better. A model is the scene with settings (-s) and free values; changes of it
// are tried by one step of the search, fitted on windows, and judged on whole trials that were left out.
#ifndef ROUTH_FIT_SUGGEST_H
#define ROUTH_FIT_SUGGEST_H

#include "fit/fit_belief.h"

enum { RH_SG_FOLDS = 5, RH_SG_GROUPS = 3 };

typedef enum rh_sg_trials { RH_SG_WINDOWS, RH_SG_WHOLE, RH_SG_KINDS } rh_sg_trials;

typedef struct rh_sg {
  const rh_fit_job *job;
  rh_diag *diag;
  rh_fit_suggestions *to;
  rh_fit_data data[RH_SG_KINDS];
  rh_fit_flights flights[RH_FIT_JOINTS]; // by joint in space
  rh_fit_impacts impacts[RH_FIT_JOINTS];
  rh_fit_slides slides[RH_FIT_JOINTS];
  int njoint, trials;                    // trials of the files
  rh_name joint[RH_FIT_JOINTS];
  bool chosen;                           // the flights are known
  double noise[RH_FIT_CHANNELS];         // in force
  double *loss[2];                       // (trials) of the model in force, and of the one that is judged
} rh_sg;

typedef struct rh_sg_fit { // a model on trials
  rh_fit_job job;
  rh_request request;
  const char **set;
  char **word;
  rh_fit_problem *problem;
  const rh_fit_value *value;
  int m, n;
  double w[RH_FIT_VALUES];
  double sum;
  double step;           // of the differences
  double *r, *J, *other; // (m), (m x n), (m)
} rh_sg_fit;

// ---- judged.c
// Settings and free words of the model, as below.
rh_status rh_sg_ask(const rh_sg *sg, const rh_fit_change *extra, rh_sg_fit *fit);
// The model with the changes taken over, the values found, and `extra` (NULL: none); close in any case.
rh_status rh_sg_open(const rh_sg *sg, rh_sg_trials trials, const rh_fit_change *extra, bool robust, rh_sg_fit *fit);
void rh_sg_close(rh_sg_fit *fit);
// One step of Gauss and Newton from w, shortened until it is one down; false: none is. The slopes of the values that `base`
// has too are those at its end.
bool rh_sg_try_step(rh_sg_fit *fit, const rh_sg_fit *base);
// The search, by coarse differences and then by fine ones.
rh_status rh_sg_search(rh_sg_fit *fit, bool fine);
// Squares of each whole trial, with values by the others, and their score; `fit` is at its end.
rh_status rh_sg_judge(const rh_sg *sg, const rh_sg_fit *fit, const rh_fit_change *extra, double *loss, rh_fit_score *score);
// Is the second loss less than the first, by the gain asked for and beyond what chance does?
bool rh_sg_is_better(const double *before, const double *after, int trials);
// The values of the fit become those of the model.
rh_status rh_sg_keep(rh_sg *sg, const rh_sg_fit *fit);
rh_status rh_sg_found(const rh_sg_fit *fit, rh_words *found); // as settings

// ---- chosen.c: what was not asked for
rh_status rh_sg_choose(rh_sg *sg); // flights, noise, windows, and whether odd residuals are to count less
rh_status rh_sg_find_phases(rh_sg *sg); // with the model in force
rh_status rh_sg_choose_noise(rh_sg *sg); // by the residuals of the model in force

// ---- proposed.c
// Those not taken over, with the model in force; before that is chosen only the values that are free to begin with.
rh_status rh_sg_propose(rh_sg *sg);

// ---- told.c
rh_status rh_sg_write(const rh_sg *sg); // the scene found as a text, and into the file that was asked for

#endif
