// fit_belief.h: what is shared by the search and by what judges its result.
#ifndef ROUTH_FIT_FIT_BELIEF_H
#define ROUTH_FIT_FIT_BELIEF_H

#include "fit.h"

typedef struct rh_fit_work {
  const rh_fit_job *job;
  const rh_fit_data *data;
  rh_fit_problem *problem;
  rh_fit_answer *answer;
  rh_diag *diag;
  int m, n;
  double w[RH_FIT_VALUES];
  double *r, *J; // at w (m), (m x n)
  double axis[RH_FIT_VALUES * RH_FIT_VALUES], curve[RH_FIT_VALUES];
  rh_progress progress; // of the searches
  int done;             // of them
  double factor; // half of a 95 % interval over the deviation
  double least, least_w[RH_FIT_VALUES]; // the lowest sum that a profile has met, and where
  bool moves;                           // a profile that meets a lower one ends there: the search begins again
} rh_fit_work;

typedef struct rh_fit_walk { // the residuals of a trial in their order
  const rh_fit_data *data;
  int trial, row, channel, residual;
} rh_fit_walk;

rh_fit_walk rh_fit_walk_begin(const rh_fit_data *data, const rh_fit_problem *problem, int trial);
bool rh_fit_walk_next(rh_fit_walk *walk); // row counts from 0 within the trial; not those of starts

double rh_fit_variance(const rh_fit_work *work); // of a residual: 1, or found where the noise is not given
bool rh_fit_met_lower(const rh_fit_work *work); // a profile has met a sum clearly below that of the answer
bool rh_fit_is_flat(const rh_fit_work *work, int axis); // the data leave a factor of 10 along it, or as many sizes
double rh_fit_quantile(int freedom); // of Student's distribution, two-sided 95 %; freedom 0: of the normal one
// A search begins: profiles, parts and draws are searches too.
void rh_fit_tell(rh_fit_work *work, const char *what);
// The search from w of the work, with the noise; `quiet`: the answer does not change.
rh_status rh_fit_search(rh_fit_work *work, const double *noise, bool quiet);
// A start for the search from many places within the bounds (global.c).
rh_status rh_fit_search_widely(rh_fit_work *work);
// How far off the trials of weight > 0 are in `r`.
void rh_fit_score_of(const rh_fit_problem *problem, const rh_fit_data *data, const double *r, const double *weight,
                     rh_fit_score *score);
// Adds a mean over `b->trials` trials to one over `a->trials`.
void rh_fit_join_scores(rh_fit_score *a, const rh_fit_score *b);
void rh_fit_name_joints(const rh_fit_problem *problem, rh_fit_answer *answer);
// ---- gaps.c: rows in flight
// How far the shapes of the scene are apart at the pose of each row (nrow) [m]; NaN: not all of it is measured; infinite: nothing is near
rh_status rh_fit_find_gaps(const rh_fit_data *data, const rh_fit_map *map, const rh_fit_world *world, double *gap);
typedef struct rh_fit_gaps { // of rows in their order
  const double *gap, *t;
  double margin;
} rh_fit_gaps;
// End of the flight that begins in a row: the next row up to `end` that is not free, or after an impact between two rows.
int rh_fit_end_of_flight(const rh_fit_gaps *gaps, int begin, int end);
double rh_fit_flight_margin(const rh_fit_data *data, const rh_fit_map *map); // [m]
// Windows from flight to flight; of each the first `most` seconds (0: all) (cut.c).
rh_status rh_fit_cut_at_contacts(rh_fit_data *data, rh_fit_problem *problem, double most);
bool rh_fit_make_start(rh_fit_problem *problem, rh_fit_world *world); // the scene with the values it begins with
rh_status rh_fit_find_flights(const rh_fit_work *work, const rh_fit_world *world); // phases.c
rh_status rh_fit_of_phases(rh_fit_work *work); // flights, impacts and slides with the values in force (phases/start.c)
rh_status rh_fit_begin_by_phases(rh_fit_work *work); // impacts and slides too, and a start by them (phases/start.c)
rh_status rh_fit_of_flights(rh_fit_work *work); // in the world of the result (problem.c)
rh_status rh_fit_resample(rh_fit_work *work); // bootstrap, folds and other data, as asked for
rh_status rh_fit_report(rh_fit_work *work); // the page (report.c)
rh_status rh_fit_judge(rh_fit_work *work); // profiles and verdicts
rh_status rh_fit_trace_profiles(rh_fit_work *work); // more points of them, for a picture

#endif
