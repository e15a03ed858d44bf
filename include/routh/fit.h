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
  int joints;                   // in space, whose attitude was measured
  int changes;                  // that `suggest` has tried
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
  const char *not_integrated; // why the slopes of the first trial that has none integrated are differences; "": all are integrated
  const char *refused;        // why the scene refused values that the search tried; "": it refused none
} rh_fit_summary;

RH_API rh_fit_summary rh_fit_get_summary(const rh_fit *fit); // all zero: there is no result
// 0 <= index < the number in the summary
RH_API rh_fitted rh_fit_get_value(const rh_fit *fit, int index);
RH_API rh_fit_phase rh_fit_get_phase(const rh_fit *fit, int index);
RH_API rh_fit_channel rh_fit_get_channel(const rh_fit *fit, int index);
// Of values i and j, by the linear model.
RH_API double rh_fit_get_covariance(const rh_fit *fit, int i, int j);
RH_API double rh_fit_get_correlation(const rh_fit *fit, int i, int j);
// Of an inertia that is free as a whole, whose first value is number `index`: xx yy zz xy xz yz (6) [kg m^2]. False: it is none.
RH_API bool rh_fit_get_inertia(const rh_fit *fit, int index, double *inertia, double *deviation);

// ---- How far off joints in space are

typedef enum rh_fit_set { // of trials
  RH_FIT_SET_DATA,
  RH_FIT_SET_FOLDS,  // trials left out in turn
  RH_FIT_SET_TEST,   // the data of the test
  RH_FIT_SET_BEFORE, // with `suggest`: trials left out, the scene as it was
  RH_FIT_SET_AFTER,  // and the scene found
} rh_fit_set;

typedef struct rh_fit_error { // of a joint in space: means over the rows of a trial, then over trials
  const char *joint;
  double place, turn; // [m], [rad]
} rh_fit_error;

// 0 <= joint < joints of the summary. All zero: the trials were not asked for.
RH_API rh_fit_error rh_fit_get_error(const rh_fit *fit, rh_fit_set set, int joint);

// ---- What phases of the trials say by themselves (docs/fit.md)

enum { RH_FIT_NAME_MAX = 208 };
enum { RH_FIT_MEASURES = 12, RH_FIT_BINS = 5, RH_FIT_TRENDS = 6, RH_FIT_RULES = 8, RH_FIT_LAW_VALUES = 5 };

typedef struct rh_fit_flights { // what the flights of a body say without the law of contact; flights 0: nothing
  int flights, left_out, rows;
  double gravity[3], gravity_deviation[3]; // [m/s^2] world axes
  double com[3], com_deviation[3];         // [m] centre of mass from the origin, body axes
  double rms;                              // [m] of the residuals
} rh_fit_flights;

typedef struct rh_fit_measure { // a number with its 95 % interval
  char name[RH_FIT_NAME_MAX];   // a path of the scene, or what it is
  double x, low, high;
  bool determined;
  bool starts; // a free value may begin with it
} rh_fit_measure;

typedef enum rh_fit_stick { // the slip in an impact
  RH_FIT_SLIDES,            // it goes on
  RH_FIT_STICKS,            // none is left
  RH_FIT_REVERSES,          // it goes back
  RH_FIT_UNCLEAR,           // the errors are too large, or there is none before
  RH_FIT_STICKING,          // number of them
} rh_fit_stick;

typedef struct rh_fit_trend {   // restitution or friction of impacts over a variable, in parts of equal number
  const char *of, *name, *unit; // "restitution", "speed of approach", "m/s"
  double from[RH_FIT_BINS], to[RH_FIT_BINS], mean[RH_FIT_BINS], deviation[RH_FIT_BINS];
  double share, F; // of the variance that lies between the parts; F test
} rh_fit_trend;

typedef struct rh_fit_jumps { // of the contact velocity, at one contact of the scene
  int rule, n;                // contact; impacts
  char name[RH_NAME_MAX + 16], law[RH_NAME_MAX];
  double speed[2];       // [m/s] of approach: from, to
  rh_fit_measure bounce; // -u_n+ / u_n-
  rh_fit_measure ratio;  // tangential over normal impulse of those that slide
  rh_fit_measure back;   // -u_t+ / u_t- of those that stick or reverse
  int count[RH_FIT_STICKING];
  int ntrend;
  rh_fit_trend trend[RH_FIT_TRENDS];
  // of the law: e, mu, eta2 at law_speed [m/s]; their powers: e (v / law_speed)^-e_power
  int nvalue;
  rh_fit_measure value[RH_FIT_LAW_VALUES];
  double law_rms, law_speed; // law_rms: residuals over their errors
} rh_fit_jumps;

typedef struct rh_fit_impacts { // single impacts of a body; impacts 0: there are none
  int impacts, left_out, crowded; // left out: far off the balance; crowded: not single, or not at one point
  bool by_rows;                   // velocities were measured
  double noise[2];                // [m], [rad] of place and attitude in flight
  double rms;                     // of the momentum balance, over its errors
  int nmeasure;
  rh_fit_measure measure[RH_FIT_MEASURES]; // of the body: paths of the scene
  int njumps;
  rh_fit_jumps jumps[RH_FIT_RULES];
} rh_fit_impacts;

typedef struct rh_fit_slides { // windows in which a body slides; windows 0: there are none
  int windows, left_out, rule;
  double noise;                // [m]
  double middle;               // [m/s] mean speed: of the level
  rh_fit_measure level, slope; // mu = level + slope (v - middle); slope [s/m]
  int bins;
  double from[RH_FIT_BINS], to[RH_FIT_BINS]; // [m/s]
  rh_fit_measure bin[RH_FIT_BINS];
} rh_fit_slides;

// 0 <= joint < joints of the summary; part of the result.
RH_API const rh_fit_flights *rh_fit_get_flights(const rh_fit *fit, int joint);
RH_API const rh_fit_impacts *rh_fit_get_impacts(const rh_fit *fit, int joint);
RH_API const rh_fit_slides *rh_fit_get_slides(const rh_fit *fit, int joint);
RH_API bool rh_fit_phases_start(const rh_fit *fit); // the search began with what impacts and slides say

// ---- What `suggest` has found

typedef struct rh_fit_suggestion { // a change of the scene, with those that were taken over before it
  const char *name;
  int sets, frees;     // number of overrides, and of values that it frees
  int taken;           // in which place it was taken over; 0: it was not
  bool fitted;         // and evaluated on trials left out
  bool refused;        // by the scene
  double step;         // part of the sum of squares that one step with it leaves; NaN: refused
  double excess, gain; // mean square on trials left out, and by how much of that of the scene as it was it is less; NaN: not fitted
} rh_fit_suggestion;

typedef struct rh_fit_choice { // what was chosen, and the scene found
  bool noise, window, robust;  // was it chosen?
  double odd;                  // [1] part of the residuals beyond two deviations
  bool robust_used, at_contacts;
  double window_used;          // [s]
  int taken, sets, frees;      // changes taken over; values found, as overrides; values that are free at the end
  double before, after;        // mean squares on trials left out, of the scene as it was and as it was found
  const char *scene;           // the scene found, YAML; NULL: `suggest` was 0
} rh_fit_choice;

// 0 <= index < changes of the summary
RH_API rh_fit_suggestion rh_fit_get_suggestion(const rh_fit *fit, int index);
RH_API rh_fit_error rh_fit_get_suggestion_error(const rh_fit *fit, int index, int joint);
RH_API const char *rh_fit_get_suggestion_set(const rh_fit *fit, int index, int k);  // "PATH=VALUE"
RH_API const char *rh_fit_get_suggestion_free(const rh_fit *fit, int index, int k); // "PATH=LOW:HIGH"
RH_API rh_fit_choice rh_fit_get_choice(const rh_fit *fit);
RH_API const char *rh_fit_get_choice_set(const rh_fit *fit, int k);
RH_API const char *rh_fit_get_choice_free(const rh_fit *fit, int k);
RH_API double rh_fit_get_flight_noise(const rh_fit *fit, int joint); // [m] of places, by its flights, when `suggest` chose; 0: none

#ifdef __cplusplus
}
#endif
#endif
