// fit.h: `routh fit`: values of a scene from measured series, and how far these determine them. The measured channels of
// all trials are compared with runs of the scene at the measured times; the values are found by least squares
// (Levenberg and Marquardt's method of MINPACK), each residual over the standard deviation of its channel.
#ifndef ROUTH_FIT_FIT_H
#define ROUTH_FIT_FIT_H

#include "base/pool.h"
#include "console/words.h"

#include <routh/fit.h>
#include <stdint.h>

enum {
  RH_FIT_REASON_MAX = 200,
  RH_FIT_CHANNELS = 64,      // measured channels
  RH_FIT_VALUES = 24,        // free values
  RH_FIT_TRIALS = 20000,     // trials and windows
  RH_FIT_STATE = 256,        // coordinates or velocities of a start
  RH_FIT_PATH = RH_INPUT_PATH_MAX,
  RH_FIT_FACTORS = 6,        // numbers of the factor of an inertia
  RH_FIT_CURVE = 32,         // points of a profile
  RH_FIT_ALL = -2,           // index of a value: all numbers of the list keep their ratios, the first that is not 0 is meant
};

typedef struct rh_fit_world { // the scene with values
  rh_model *model;
  rh_channels *channels;
} rh_fit_world;

typedef struct rh_fit_trial { // a series; its rows may be missing values (NaN)
  char name[RH_NAME_MAX];
  int n, first;        // rows; the first in the arrays of the data
  int smooth;          // rows after the first from which velocities follow; 0: the usual number
  int from;            // trial that it is a window of: its number in the files
} rh_fit_trial;

typedef struct rh_fit_data {
  int nchannel;
  char channel[RH_FIT_CHANNELS][RH_NAME_MAX + 32];
  char unit[RH_FIT_CHANNELS][RH_UNIT_MAX]; // stated in the file; "": not
  double noise[RH_FIT_CHANNELS]; // [unit] standard deviation; 0: not given
  int ntrial, room_trial;
  rh_fit_trial *trial;
  int nrow, room;
  double *t;     // [s] (nrow)
  double *value; // (nrow x nchannel); NaN: missing
} rh_fit_data;

enum { RH_FIT_JOINTS = 8, RH_FIT_PHASES = 6 };
_Static_assert(RH_FIT_NAME_MAX == RH_FIT_PATH + 8, "a measure has the path of a value, with an index");

// Rows of a trial by what the scene does there: before its first contact, after the first, second and third, later; in contact
extern const char *const rh_fit_phase_name[RH_FIT_PHASES];

typedef struct rh_fit_score { // how far off the scene is, means over the rows of a trial, then over trials
  int trials;
  double excess;                                       // mean square of residuals over their noise
  double place[RH_FIT_JOINTS], turn[RH_FIT_JOINTS];    // [m], [rad] of joints in space
  double phase[RH_FIT_PHASES];                         // mean square by phase
  int count[RH_FIT_PHASES];                            // residuals
} rh_fit_score;

typedef enum rh_fit_scale { RH_FIT_LINEAR, RH_FIT_LOG } rh_fit_scale;

typedef struct rh_fit_value { // a free value of the scene. The search has w = x / size or log x
  char path[RH_FIT_PATH];     // without the index
  int index;                  // of a number in a list; RH_NONE: the value itself; RH_FIT_ALL
  char name[RH_FIT_PATH + 8]; // as given
  double list[RH_LIST_MAX];   // numbers of the list that it belongs to (nlist)
  int nlist;
  char tied[RH_FIT_PATH];     // another number that keeps its ratio to it; "": none
  double ratio;
  int factor;                 // number of the factor of the inertia at the path, from 1; 0: it is a value itself
  bool optional;              // no message where the scene has no number
  double start;               // the scene's
  bool bounded;
  double lo, hi; // if bounded
  rh_fit_scale scale;
  double size;   // of w, linear
} rh_fit_value;

typedef struct rh_fit_result { // of a free value
  double x, deviation;         // deviation: of w, by the linear model
  double low, high;            // 95 %; infinite where there is no bound
  bool profiled;               // they are by the profile of the likelihood, not by the linear model
  rh_fit_verdict verdict;
  char with[RH_FIT_PATH + 8];  // of a combination: the value that it is found with
  double boot_low, boot_high;  // 95 % by resampled trials, if asked for
  double power;                // d w / d w of that one along the combination
  int points;                  // of its profile, with the best place among them
  double at[RH_FIT_CURVE];     // value held, rising
  double rise[RH_FIT_CURVE];   // of the sum of squares, over that at the ends of the interval
} rh_fit_result;

typedef struct rh_fit_problem rh_fit_problem; // what is compared, problem.c

typedef struct rh_fit_journal rh_fit_journal; // finished work, journal.c

typedef struct rh_fit_job { // what is asked; the texts are the caller's
  const rh_request *request;
  const char *scene;                  // file
  const char *text;                   // the scene itself, with all overrides; NULL: in the file
  rh_words data, test, free, noise, rename; // files; PATH[=LO:HI]; CHANNEL=DEVIATION; COLUMN=CHANNEL
  rh_words channels; // that count; none: all of a table, the joints of a recording
  double every;      // [s] rows closer to the one before are left out
  rh_fit_start start;
  rh_words starts;  // JOINT=HOW, of one joint
  bool at_contacts; // windows from flight to flight
  double window;   // [s] length of the windows that trials are cut into; 0: whole trials
  const char *report; // file of a page; NULL: none
  const char *write;  // file of the scene with what --suggest found; NULL: none
  int suggest;     // rounds of changes that are tried; 0: none
  int threads, global, folds, bootstrap, iterations; // global: evaluations of the search for a start
  bool profile;
  bool phases;     // evaluate impacts and slides by themselves, and begin there
  bool centre_held; // the balance of impacts takes the centre of mass as the scene has it: flights have said where it is
  bool robust;     // a residual of many deviations counts less
  bool differences; // slopes are differences of runs, also where they could be integrated
  // (2 RH_FIT_TRIALS): squares and number of the residuals of each trial of the files that was left out; NULL: not wanted
  double *left_out;
  rh_fit_journal *journal; // NULL: none
} rh_fit_job;

typedef struct rh_fit_answer {
  int nvalue;
  rh_fit_value value[RH_FIT_VALUES];
  rh_fit_result result[RH_FIT_VALUES];
  double correlation[RH_FIT_VALUES * RH_FIT_VALUES];
  int trials, nchannel;
  char channel[RH_FIT_CHANNELS][RH_NAME_MAX + 32];
  bool given[RH_FIT_CHANNELS];      // the noise of the channel is the user's
  double sum;                       // of squares of the residuals
  int residuals, freedom, local;    // numbers; of starts
  double channel_rms[RH_FIT_CHANNELS]; // [unit] of the residuals
  double noise[RH_FIT_CHANNELS];       // in force
  bool noise_given, converged;
  int integrated; // trials whose slopes at the result are integrated
  char refused[RH_FIT_REASON_MAX]; // why the scene refused values in the search; "": it refused none
  const char *not_integrated; // why not those of the first other trial; "": there is none
  int evaluations, failed; // runs that did not reach the end of their trial, at the result
  int njoint; // of which the data have the places in space
  rh_name joint[RH_FIT_JOINTS];
  rh_fit_flights flights[RH_FIT_JOINTS];
  rh_fit_impacts impacts[RH_FIT_JOINTS];
  rh_fit_slides slides[RH_FIT_JOINTS];
  bool phases_start; // the search began with what phases say
  rh_fit_score fit, folds, test; // the data; left out of the fit in turn (trials 0: not asked for); other data
  double excess, bar;      // sum / freedom, and what it is below in 95 % of fits of the right scene
} rh_fit_answer;

// ---- data.c
rh_status rh_fit_read_data(const rh_fit_job *job, rh_diag *diag, rh_fit_data *data);
void rh_fit_free_data(rh_fit_data *data);
// The name that a column has in the scene (--rename); "-": it is left out, also if --channels does not name it.
const char *rh_fit_name_column(const rh_fit_job *job, const char *name);
// Index of the channel; a new one before the first row. RH_NONE: there is none, or no room.
int rh_fit_find_channel(rh_fit_data *data, const char *name, const char *unit);
// Room for one more row, all of it missing. The row counts from rh_fit_end_row on: true, unless it is left out by --every.
rh_status rh_fit_begin_row(rh_fit_data *data, double **value);
bool rh_fit_end_row(const rh_fit_job *job, rh_fit_data *data, double t, bool first);
rh_status rh_fit_add_trial(rh_fit_data *data, const char *name, size_t length); // the next row is its first
// recorded.c: a recording, and a series in the memory of the caller; each is a trial.
rh_status rh_fit_read_recording(const rh_fit_job *job, const char *path, rh_diag *diag, rh_fit_data *data);
rh_status rh_fit_read_measured(const rh_fit_job *job, const rh_measured *series, rh_diag *diag, rh_fit_data *data);
// Trials are cut into windows of a length [s] that overlap in one row.
rh_status rh_fit_cut(rh_fit_data *data, double length);

// ---- journal.c
enum { RH_FIT_PARTS = 4, RH_FIT_KEYS = RH_FIT_VALUES + 2 };
typedef enum rh_fit_kind { RH_FIT_PROBLEM = 1, RH_FIT_RESIDUALS, RH_FIT_SLOPES, RH_FIT_SEARCH, RH_FIT_PIECE } rh_fit_kind;

typedef struct rh_fit_entry { // the key and where the answer is
  rh_fit_kind kind;
  int nkey;
  uint64_t key[RH_FIT_KEYS];
  int n[RH_FIT_PARTS];
  double *part[RH_FIT_PARTS];
} rh_fit_entry;

// A new file, or one to continue. Close in any case; NULL in place of a journal: nothing is kept.
rh_status rh_fit_journal_open(const char *path, rh_fit_journal **journal);
rh_status rh_fit_journal_close(rh_fit_journal *journal);
rh_status rh_fit_journal_begin(rh_fit_journal *journal, uint64_t hash); // a problem
bool rh_fit_journal_take(rh_fit_journal *journal, const rh_fit_entry *entry);
void rh_fit_journal_put(rh_fit_journal *journal, const rh_fit_entry *entry);
void rh_fit_journal_search(rh_fit_journal *journal, bool begins); // or ends
// A piece of work is of several problems and searches. true: `entry` is what it gave; else all that it evaluates is kept until it is put,
// which takes the place of that, or left.
bool rh_fit_journal_begin_piece(rh_fit_journal *journal, const rh_fit_entry *entry);
void rh_fit_journal_end_piece(rh_fit_journal *journal, const rh_fit_entry *entry); // NULL: it has failed
uint64_t rh_fit_hash(uint64_t hash, const void *bytes, size_t n);

// ---- starts.c: where trials begin, joint by joint
rh_fit_start rh_fit_start_named(const char *name); // one that has been checked
rh_status rh_fit_check_starts(const rh_fit_job *job, const rh_model *model); // the joints that are named; NULL: the words alone

// ---- values.c
rh_status rh_fit_read_value(const char *text, rh_fit_value *value);
// Scale and size of a value whose start is known.
rh_status rh_fit_scale_value(rh_fit_value *value);
double rh_fit_to_search(const rh_fit_value *value, double x);
double rh_fit_from_search(const rh_fit_value *value, double w);

// ---- inertia.c: an inertia that is free as a whole
bool rh_fit_is_inertia(const rh_fit_value *value);
rh_status rh_fit_split_inertia(const rh_fit_value *whole, rh_fit_value *part); // (RH_FIT_FACTORS)
rh_status rh_fit_scale_inertia(rh_fit_value *value);
void rh_fit_inertia_from(const double *factor, double *inertia); // ixx iyy izz ixy ixz iyz
// Of the values from `first` on, with deviations by the linear model; false: they are none.
bool rh_fit_find_inertia(const rh_fit_answer *answer, int first, double *inertia, double *deviation);

// ---- least.c: Levenberg and Marquardt's method
#define RH_FIT_ROUGH 0.05 // of w: contacts make a sum of squares rough, and slopes over less follow its wrinkles
#define RH_FIT_FINE  1e-3 // of w: noise of a run 1e-9, error of the quotient to both sides 1e-6

typedef struct rh_fit_recall { // searches that were made before
  rh_fit_problem *problem;
  // true: `w` (n) and `end` (3) are those of that search; else it begins now
  bool (*take)(rh_fit_problem *problem, uint64_t held, double *w, int n, double *end);
  void (*put)(rh_fit_problem *problem, uint64_t held, const double *begin, const double *w, int n, const double *end);
} rh_fit_recall;

typedef struct rh_fit_least {
  int m, n;
  void *user;
  // r (m) at w (n); false: it cannot be evaluated
  bool (*residual)(void *user, const double *w, double *r);
  // J (m x n, column after column) at w, where the residuals are r
  bool (*slopes)(void *user, const double *w, const double *r, double *J);
  const double *lo, *hi; // bounds of w, infinite ones where there are none
  int most;              // evaluations
  double tolerance;
  const rh_fit_recall *recall; // of its end, by a journal; NULL: none
  uint64_t held;               // what is held in it
  bool bare;                   // r and J are not wanted at the end
  int slope_runs;              // evaluations of a matrix of slopes; 0: 2 n
  const double *near;          // (m x n) slopes of a place near the start: steps by these come first; NULL: there are none
} rh_fit_least;

typedef struct rh_fit_found {
  double sum;
  int evaluations;
  bool converged;
} rh_fit_found;

// `w` is the start and gets the end; r (m) and J (m x n) those there.
rh_status rh_fit_minimise(const rh_fit_least *problem, double *w, double *r, double *J, rh_fit_found *found);
// Covariance (n x n) = (J'J)^-1 by its eigenvectors, with a floor under the eigenvalues; `axis` (n x n, columns) and
// `curve` (n) get them, the least first.
void rh_fit_covariance(int m, int n, const double *J, double *axis, double *curve, double *covariance);
// The quantile of the chi-square distribution below which 95 % lie, over `freedom`.
double rh_fit_chi_bar(int freedom);

// ---- scene.c: the scene as a text, and worlds of it with values
typedef struct rh_fit_scene {
  const rh_request *request;
  char *text;
  size_t bytes;
  const char *name;
  uint64_t sum; // of all that is in force, with what it includes and the meshes; by rh_fit_look_up
} rh_fit_scene;

rh_status rh_fit_scene_open(const rh_fit_job *job, rh_diag *diag, rh_fit_scene *scene);
void rh_fit_scene_close(rh_fit_scene *scene);
// Start and list of a value, from the scene.
rh_status rh_fit_look_up(rh_fit_scene *scene, rh_diag *diag, rh_fit_value *value, int n);
// Has the scene this number? Its start and list are filled in then, without a message where it has not.
bool rh_fit_has(const rh_fit_scene *scene, rh_fit_value *value);
// The scene with values x (n). An error goes to `diag`.
rh_status rh_fit_world_make(const rh_fit_scene *scene, const rh_fit_value *value, const double *x, int n, rh_diag *diag,
                            rh_fit_world *world);
void rh_fit_world_free(rh_fit_world *world);
// The values as overrides (-s), for rh_words_free.
rh_status rh_fit_overrides(const rh_fit_value *value, const double *x, int n, rh_words *set);

// ---- run.c: one trial of a world
typedef struct rh_fit_map { // channels of the data in the scene
  int nchannel;
  int channel[RH_FIT_CHANNELS]; // index
  int coordinate[RH_FIT_CHANNELS]; // that it is in q, or nq + index in v; RH_NONE
  int alike[RH_FIT_CHANNELS];      // the first channel of the same unit
  int nturn;                       // columns that are a quaternion: w, x, y, z
  int turn[RH_FIT_CHANNELS / 4][4];
} rh_fit_map;

rh_status rh_fit_map_channels(const rh_fit_data *data, const rh_fit_world *world, rh_fit_map *map);
// The channels at `n` times from t[0] on; the run begins at the state `start` (q, v; NULL: that of the scene, at its time
// 0). False: it did not reach the end, and the last values stand for the rest.
typedef struct rh_fit_course { // where a run is to begin, and what it gives
  int n;
  const double *t, *start;
  double *value;        // (n x nchannel)
  unsigned char *phase; // (n); NULL: not wanted
} rh_fit_course;

bool rh_fit_run_trial(const rh_fit_world *world, const rh_fit_map *map, const rh_fit_course *course);

// ---- problem.c
rh_status rh_fit_open(const rh_fit_job *job, const rh_fit_data *data, rh_diag *diag, rh_fit_problem **problem);
void rh_fit_close(rh_fit_problem *problem);
// What is evaluated from now on is kept; the problem was opened without a journal.
rh_status rh_fit_keep_in(rh_fit_problem *problem, rh_fit_journal *journal);
uint64_t rh_fit_sum_of(const rh_fit_problem *problem); // of all that the residuals depend on besides the values, the weights and the noise
int rh_fit_count(const rh_fit_problem *problem, const rh_fit_value **value);
int rh_fit_residuals(const rh_fit_problem *problem);
void rh_fit_bounds(const rh_fit_problem *problem, const double **lo, const double **hi); // of w
struct rh_fit_series;
const struct rh_fit_series *rh_fit_series_of(const rh_fit_problem *problem, int trial);
bool rh_fit_place_of(const rh_fit_problem *problem, int turn, int place[3]);
const rh_fit_map *rh_fit_map_of(const rh_fit_problem *problem);
void rh_fit_set_noise(rh_fit_problem *problem, const double *noise);
// [unit] the least noise of each channel where none is given: residuals below that are rounding.
void rh_fit_least_noise(const rh_fit_problem *problem, double *least);
// Trials with weight 0 are left out; NULL: all have weight 1.
void rh_fit_set_weights(rh_fit_problem *problem, const double *weight);
// The journal, a search by it: true, and its end; else its beginning. Starts that are found are as they were then.
bool rh_fit_take_search(rh_fit_problem *problem, uint64_t held, double *w, int n, double *end); // (3)
void rh_fit_put_search(rh_fit_problem *problem, uint64_t held, const double *begin, const double *w, int n,
                       const double *end);
bool rh_fit_evaluate(void *problem, const double *w, double *r);
// Slopes by differences to one side over this step of w from now on, in the place of all others: for searches. 0: the usual
// ones. Over 1e-3 they do not move the end of a search by more than 1e-3 of a deviation.
void rh_fit_set_one_sided(rh_fit_problem *problem, double step);
bool rh_fit_slopes(void *problem, const double *w, const double *r, double *J);
int rh_fit_failures(const rh_fit_problem *problem);
// Why the scene refused values; "": it refused none
const char *rh_fit_refusal(const rh_fit_problem *problem);
// The world of the values w, and of further ones; and whether the scene has a number for one (its start is filled in).
rh_status rh_fit_world_with(rh_fit_problem *problem, const double *w, const rh_fit_value *more, const double *x, int n,
                            rh_fit_world *world);
bool rh_fit_may_be_free(const rh_fit_problem *problem, rh_fit_value *value);
int rh_fit_integrated(const rh_fit_problem *problem, const char **why_not); // trials, see rh_fit_answer
int rh_fit_starts_found(const rh_fit_problem *problem); // numbers of starts that are found too

// ---- estimate.c
rh_status rh_fit_estimate(const rh_fit_job *job, rh_diag *diag, rh_fit_answer *answer);

// ---- suggest/: a scene that follows the data better, found by changes that are judged on trials left out
enum { RH_FIT_CHANGES = 48, RH_FIT_SETS = 12, RH_FIT_SET = RH_FIT_PATH + 120, RH_FIT_ITEMS = 3 };

typedef struct rh_fit_change {
  char name[RH_FIT_PATH];
  int nset, nfree;
  char set[RH_FIT_SETS][RH_FIT_SET];    // -s
  char free[RH_FIT_ITEMS][RH_FIT_SET];  // --free
  int taken;           // 0: not taken over, else in which place
  int sure;            // group of changes, one of which the flights ask for; 0: none
  bool tried, failed;  // on trials left out; it could not be fitted
  bool offered;        // with the model in force
  double reach;        // part of the sum of squares that one step with it leaves
  rh_fit_score left;   // whole trials left out, with it and those taken over before
} rh_fit_change;

typedef struct rh_fit_suggestions {
  rh_fit_score before, after; // whole trials left out
  int n, taken;
  rh_fit_change change[RH_FIT_CHANGES];
  // what was chosen: settings that were not asked for
  bool chose_noise, chose_window, chose_robust;
  double noise[RH_FIT_CHANNELS]; // [unit]
  bool at_contacts, robust;
  double window; // [s]
  double odd;    // [1] part of the residuals beyond two deviations
  double measured[RH_FIT_JOINTS]; // [m] noise of the places in flight
  rh_words found;                 // values found, as -s
  rh_words free;                  // that are free at the end
  char *scene;                    // with all that was found
} rh_fit_suggestions;

// `answer` is that of the scene with all that was taken over. Free the suggestions in any case.
rh_status rh_fit_suggest(const rh_fit_job *job, rh_diag *diag, rh_fit_suggestions *suggestions, rh_fit_answer *answer);
void rh_fit_suggestions_free(rh_fit_suggestions *suggestions);
rh_status rh_fit_print_suggestions(const rh_fit_job *job, const rh_fit_suggestions *s, const rh_fit_answer *answer);
void rh_fit_put_suggestions(rh_json *json, const rh_fit_suggestions *s, const rh_fit_answer *answer); // NULL: nothing

// ---- library.c: routh/fit.h, for verbs too

// What is asked for as a job; the texts stay those of the options. Reports what is wrong.
rh_status rh_fit_ask_job(const char *verb, const rh_request *request, const rh_fit_options *options, rh_fit_job *job);
// rh_fit_find of a verb: its messages are printed, its signals end it.
rh_status rh_fit_find_for(rh_fit *fit, const rh_request *request, const rh_fit_options *options, rh_diag *diag);
rh_status rh_fit_show(const rh_fit *fit); // the result, as the request of that run wants it

// ---- print.c
rh_status rh_fit_print(const rh_fit_job *job, const rh_fit_answer *answer);
rh_status rh_fit_print_impacts(const rh_fit_job *job, const rh_fit_answer *answer); // and slides (phases/phases_print.c)
void rh_fit_put_impacts(rh_json *json, const rh_fit_answer *answer);
void rh_fit_page_impacts(rh_text *to, const rh_fit_answer *answer);
// `s` NULL: none were asked for.
rh_status rh_fit_json(const rh_fit_job *job, const rh_fit_answer *answer, const rh_fit_suggestions *s);

#endif
