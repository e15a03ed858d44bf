// compare.h: parts of `routh compare`: one scene under several laws, a haptic scene under several
// methods, two recordings of one scene.
#ifndef ROUTH_COMPARE_COMPARE_H
#define ROUTH_COMPARE_COMPARE_H

#include "console/words.h"
#include "explore/trial.h"
#include "fit/fit.h"
#include "haptic/metrics.h"

#define RH_VARIANT_MAX         16 // laws times friction laws, and formulations of impacts
#define RH_COMPARE_CHANNEL_MAX 4  // panels of the picture

typedef struct rh_variant { // the scene under one pair of laws
  const char *law;          // as in --laws, "hunt-crossley:alpha=0.2"; NULL: that of the scene
  const char *friction;     // as in --frictions; NULL: that of the scene
  const char *impacts;      // row of the formulations, as in --impacts; NULL: that of the scene
  char label[2 * RH_NAME_MAX];
  rh_trial trial;
  // The first contact that ends:
  double speed, rebound; // [m/s] at touchdown and at separation; NaN: none
  double contact_time;   // [s]
  int touches;
  double dissipated; // [J] by contacts
  double distance;   // [m] maximum distance of a body at the end from that under the first laws
  // velocities at the end less those under the first laws, in the norm of the kinetic energy, over
  // those under the first laws
  double motion;
} rh_variant;

typedef struct rh_compare_job {
  const rh_request *request;
  rh_diag *diag;
  rh_scene *scene; // as read
  rh_words laws, frictions, impacts, channels;
  rh_variant variant[RH_VARIANT_MAX];
  int nvariant;
  const char *output; // picture; NULL: none
} rh_compare_job;

// ---- One scene under several laws (laws.c)

rh_status rh_compare_laws(rh_compare_job *job);
// One picture with a panel per channel and the loop of force against depth of the first contact
// (draw.c).
rh_status rh_compare_draw(const rh_compare_job *job);

// ---- The same, ranked on measured series (rank.c)

typedef struct rh_ranked { // of a variant
  bool failed;             // it has no finite run
  int rank;                // 1: the best
  bool same;               // not told apart from the best one
  double mean, half;       // error on trials left out, over the noise; half of its 95 % interval
  double worse, worse_half; // than the best one, trial by trial
  double excess;           // mean square of all residuals
  double place, turn;      // [m], [rad] of the first joint in space
  int nvalue;              // that it was given on the trials
  char name[RH_FIT_VALUES][RH_FIT_PATH + 8];
  double value[RH_FIT_VALUES];
  double *error; // (trials); NaN: nothing measured
} rh_ranked;

typedef struct rh_ranking {
  const rh_fit_job *fit; // data, free values, noise, folds
  int n, trials, folds;
  bool joint; // place and turn were measured
  rh_ranked one[RH_VARIANT_MAX];
} rh_ranking;

// Free the result in any case.
rh_status rh_compare_rank(rh_compare_job *job, rh_ranking *ranking);
void rh_ranking_free(rh_ranking *ranking);
rh_status rh_ranking_print(const rh_compare_job *job, const rh_ranking *ranking);
rh_status rh_ranking_json(const rh_compare_job *job, const rh_ranking *ranking);
// laws.c: the variants that are asked for, with all names checked; the scene under one of them as a text (rh_free).
rh_status rh_compare_list(rh_compare_job *job);
rh_status rh_compare_text(const rh_compare_job *job, const rh_variant *variant, char **text);

// ---- A haptic scene under several methods (methods.c)

typedef struct rh_compared_method {
  const char *spec; // "method" or "method:limits"
  rh_metrics_result r;
  double rms; // [m] of the corners, from the first
} rh_compared_method;

typedef struct rh_compared_methods {
  rh_words specs; // rh_words_free it
  rh_compared_method method[RH_VARIANT_MAX];
} rh_compared_methods;

// `specs`: "iapb:spread,pb". Free the words of the result in any case.
rh_status rh_compare_methods(const rh_request *request, const char *specs, rh_diag *diag,
                             rh_compared_methods *result);

// ---- Two recordings (runs.c)

typedef struct rh_run_gap { // of one channel
  int a, b;                 // its index in each run
  long frame;               // first frame with a difference above the tolerance; RH_NONE
  double t;                 // [s] of that frame
  double first[2];          // values there
  double most, most_t;      // maximum difference, and its time
} rh_run_gap;

typedef struct rh_run_pair { // path, diag and tolerance are given
  rh_diag *diag;
  const char *path[2];
  double tolerance;
  rh_recording *run[2];
  rh_channels *channels[2];
  rh_data *data[2]; // the last read frames
  rh_run_gap *gap;
  int ngap;
  double *value[2]; // (ngap)
  int *index[2];
  long frames;             // compared
  long bits;               // first frame whose state differs at all, RH_NONE
  long event;              // first event that differs, RH_NONE
  rh_event events[2];      // the two there
  const rh_run_gap *worst; // of the first differing frame: the channel with the maximum difference
} rh_run_pair;

// Compares the channels of `words` (none: all that both have). Free in any case.
rh_status rh_compare_runs(rh_run_pair *p, const rh_words *words);
void rh_run_pair_free(rh_run_pair *p);
bool rh_run_pair_alike(const rh_run_pair *p);
// The channels that differ, the earliest first; of the same frame, the greatest difference first;
// `last` NULL: the first one. NULL after the last.
const rh_run_gap *rh_run_pair_next(const rh_run_pair *p, const rh_run_gap *last);
double rh_value_distance(double a, double b); // 0 for two NaN, infinite for one

#endif
