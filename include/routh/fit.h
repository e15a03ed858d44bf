// routh/fit.h: values of a scene from measured series, with intervals and verdicts, as `routh fit`
// finds them (docs/fit.md). In librouth_studies, which needs librouth; not part of routh.h.
//
//   rh_fit_create -> rh_fit_add_file, rh_fit_add_series -> rh_fit_find -> rh_fit_value, ...
#ifndef ROUTH_FIT_H
#define ROUTH_FIT_H

#include <routh/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- What is measured

typedef struct rh_measured { // a series in memory: one trial
  const char *name;          // of the trial
  int rows, channels;
  const char *const *channel; // "ball.z", or with its unit "ball.z [m]" (channels)
  const double *t;            // [s] rising (rows)
  const double *value;        // (rows x channels) NaN: missing
} rh_measured;

// ---- What is asked for

typedef enum rh_fit_start { // where a trial begins
  RH_FIT_START_SCENE,       // as the scene does
  RH_FIT_START_DATA,        // in its first row; velocities that were not measured follow from the first rows
  RH_FIT_START_FIT,         // there too, and the start is found with the values, the measured one as prior
} rh_fit_start;

// Called before each search of many, with the number of those that are done and what is next. False: the fit
// is to end (RH_INTERRUPTED).
typedef bool rh_fit_progress(void *user, int done, int of, const char *next);

typedef struct rh_fit_options { // all zero: the usual ones. Texts are those of the command line
  const char *const *set;       // overrides of the scene, "PATH=VALUE" (nset)
  const char *const *free;      // values to find, "PATH" or "PATH=LOW:HIGH" (nfree)
  const char *const *noise;     // "CHANNEL=DEVIATION" (nnoise)
  const char *const *rename;    // "COLUMN=CHANNEL" (nrename)
  const char *const *channels;  // that count, "ball.*"; none: all of a table, the joints of a recording (nchannels)
  const char *const *starts;    // "JOINT=data" where one begins otherwise than `start` says; a word alone is said of all (nstarts)
  int nset, nfree, nnoise, nrename, nchannels, nstarts;
  rh_fit_start start;
  double window;    // [s] length of the windows that trials are cut into; 0: whole trials
  bool at_contacts; // windows from flight to flight; of each the first `window` seconds, if that is not 0
  double every;     // [s] rows closer to the one before are left out; 0: none
  int threads;      // 0: one. The bits of the result do not depend on it
  int global;       // evaluations of a search for a start within the bounds; 0: none
  int folds;        // parts of the trials that are left out in turn; 0: none
  int bootstrap;    // sets of trials drawn again; 0: none
  int suggest;      // changes of the scene that are taken over at most; 0: none are tried. What is not given is chosen then
  bool quick;       // intervals by the linear model, no profiles
  bool robust;      // residuals of more than two deviations count less
  bool differences; // slopes are differences of runs, also where they could be integrated along one
  const char *journal; // file in which finished work is kept, and from which it continues; NULL: none
  const char *page;    // file of a page with the series, the residuals and the profiles; NULL: none
  const char *scene;   // file of the scene with what `suggest` found; NULL: none
  rh_fit_progress *progress; // NULL: none
  void *user;                // of progress
} rh_fit_options;

// ---- The fit

typedef struct rh_fit rh_fit;

// `scene` is a file; with a `text` (not NULL) that is the scene, and `scene` its name in messages, beside
// which its files are. Both are copied.
RH_API rh_status rh_fit_create(const char *scene, const char *text, rh_diag *diag,
                               rh_fit **fit) RH_CHECK_RESULT;
RH_API void rh_fit_destroy(rh_fit *fit); // NULL is allowed
// Data of the fit, or of a test: how far off its result is there. A file (CSV or a recording) is read by rh_fit_find;
// a series is copied.
RH_API rh_status rh_fit_add_file(rh_fit *fit, const char *path, bool test) RH_CHECK_RESULT;
RH_API rh_status rh_fit_add_series(rh_fit *fit, const rh_measured *series, bool test) RH_CHECK_RESULT;
// The search, and what its result is worth. It may be repeated with other options. RH_INTERRUPTED: `progress` has
// ended it; what is finished is in the journal. After an error there is no result.
RH_API rh_status rh_fit_find(rh_fit *fit, const rh_fit_options *options,
                            rh_diag *diag) RH_CHECK_RESULT;

// ---- The result: valid until the next run

typedef enum rh_fit_verdict {
  RH_FIT_DETERMINED,
  RH_FIT_ABOVE, // bounded on one side: it is above `low`
  RH_FIT_BELOW,
  RH_FIT_COMBINED, // only together with others
  RH_FIT_NOT_DETERMINED,
} rh_fit_verdict;

RH_API const char *rh_fit_verdict_word(rh_fit_verdict verdict); // "determined"

typedef struct rh_fitted { // a free value
  const char *name;
  double value, start;     // found; the scene's
  double deviation;        // by the linear model
  double low, high;        // 95 %; infinite where there is no bound
  bool profiled;           // these are by the profile of the likelihood
  rh_fit_verdict verdict;
  const char *with;        // the value that it is tied to; "": none
  double boot_low, boot_high; // 95 % by trials drawn again; NaN: not asked for
  int points;              // of its profile
  const double *at, *rise; // (points) the value held, and how far the least sum of squares rises then, over
                           // what it may rise within the interval: 1 at its ends
} rh_fitted;

typedef struct rh_fit_phase { // rows of the trials by what the scene does there
  const char *name;           // "before contact"
  int residuals;
  double excess; // mean square of the residuals over the noise
} rh_fit_phase;

typedef struct rh_fit_channel {
  const char *name;
  double residual, noise; // [unit] root mean square of its residuals; deviation in force
  bool given;             // the noise is the caller's
} rh_fit_channel;

typedef struct rh_fit_summary {
  int values, phases, channels; // number of each
  int trials, residuals, freedom;
  double sum;           // of squares of the residuals over the noise
  double excess, bar;   // sum / freedom, and what that stays below in 95 % of fits of a right scene
  bool noise_given;     // all noise was given: the scene can be judged
  bool adequate;        // excess <= bar; false if it cannot be judged
  bool converged;
  int integrated; // trials whose slopes at the result are integrated; of the others they are differences of runs
  int evaluations, failed; // failed: runs that did not reach the end of their trial
  int fold_trials, test_trials;    // 0: not asked for
  double fold_excess, test_excess; // mean squares on trials left out in turn, and on the data of the test
} rh_fit_summary;

RH_API rh_fit_summary rh_fit_get_summary(const rh_fit *fit); // all zero: there is no result
// 0 <= index < the number in the summary
RH_API rh_fitted rh_fit_get_value(const rh_fit *fit, int index);
RH_API rh_fit_phase rh_fit_get_phase(const rh_fit *fit, int index);
RH_API rh_fit_channel rh_fit_get_channel(const rh_fit *fit, int index);
// Of values i and j, by the linear model.
RH_API double rh_fit_get_covariance(const rh_fit *fit, int i, int j);
RH_API double rh_fit_get_correlation(const rh_fit *fit, int i, int j);

#ifdef __cplusplus
}
#endif
#endif
