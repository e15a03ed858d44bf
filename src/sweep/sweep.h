// sweep.h: many cases of one scene: `routh sweep`. A plan states what is varied and what is kept of
// each case; a case is a pure function of the plan and its index. Cases run in worker processes
// (local.c) or on the ranks of MPI (mpi/); one manager gives them out with leases (leases.h) and
// keeps their results in a journal (recording/journal/).
#ifndef ROUTH_SWEEP_SWEEP_H
#define ROUTH_SWEEP_SWEEP_H

#include "console/words.h"
#include "explore/trial.h"

#include <stdint.h>

#define RH_AXES_MAX       32
#define RH_OUTCOMES_MAX   32
#define RH_CASES_MAX      (INT64_C(1) << 40)
#define RH_AXIS_POINTS    10000000 // of a list or a range
#define RH_AXIS_UNIT_MAX  32

// ---- What is varied (axis.c)

typedef enum rh_axis_kind {
  RH_AXIS_LIST,       // a,b,c: any words
  RH_AXIS_RANGE,      // lo:hi:n, both ends included
  RH_AXIS_UNIFORM,    // uniform(lo,hi)
  RH_AXIS_LOGUNIFORM, // loguniform(lo,hi): the logarithm is uniform
  RH_AXIS_NORMAL,     // normal(mean,deviation)
} rh_axis_kind;

typedef struct rh_axis {
  char *spec; // as given, "ball.mass=uniform(1,2)"
  char *path; // "ball.mass"
  rh_axis_kind kind;
  rh_words words;    // of a list
  bool numbers;      // a list of plain numbers, or not a list
  double a, b;       // ends, or mean and deviation
  long n;            // points of a list or range; 0: a distribution
  char unit[RH_AXIS_UNIT_MAX]; // after the numbers, "mm"; "": none
} rh_axis;

// Reads "PATH=LIST|RANGE|DISTRIBUTION"; reports what is wrong. Free in any case.
rh_status rh_axis_read(const char *spec, rh_axis *axis);
void rh_axis_free(rh_axis *axis);
// Its value where the cumulative probability is u, 0 < u < 1; the index of a list's word.
double rh_axis_at(const rh_axis *axis, double u);
double rh_axis_point(const rh_axis *axis, long point); // of a list or range
double rh_normal_quantile(double u);

// ---- Which cases there are (design.c, sobol.c)

typedef enum rh_design { RH_GRID, RH_RANDOM, RH_LATIN, RH_SOBOL } rh_design;

typedef struct rh_sobol rh_sobol; // direction numbers

// ---- What is kept of a case (outcome.c)

typedef enum rh_outcome_kind {
  RH_OUT_END, // of a series, over the recorded frames
  RH_OUT_START,
  RH_OUT_MIN,
  RH_OUT_MAX,
  RH_OUT_MEAN,
  RH_OUT_RMS,
  RH_OUT_EVENTS,   // their number, all or of one kind
  RH_OUT_FIRST,    // [s] time of the first event of a kind; NaN: none
  RH_OUT_VERDICTS, // events that are verdicts
  RH_OUT_RESIDUE,  // largest residue of the energy ledger, of the energy that was moved
  RH_OUT_DEEPEST,  // [m] of all contacts, between frames too
  RH_OUT_PEAK,     // [N]
  RH_OUT_UNTIL,    // [s] time at which the run ended
  RH_OUT_STEPS,
} rh_outcome_kind;

typedef struct rh_outcome {
  const char *name; // as given
  rh_outcome_kind kind;
  int series;       // index, of a series
  int event;        // kind of event; RH_NONE: all
} rh_outcome;

typedef struct rh_outcomes {
  rh_words words;
  rh_outcome outcome[RH_OUTCOMES_MAX];
  int n;
  char *series[RH_SERIES_MAX];
  int nseries;
} rh_outcomes;

// Reads "ball.z@end,events,residue"; NULL: the usual ones. Names of channels are checked by the
// first run. Free in any case.
rh_status rh_outcomes_read(const char *list, rh_outcomes *outcomes);
void rh_outcomes_free(rh_outcomes *outcomes);
void rh_outcomes_measure(const rh_outcomes *outcomes, const rh_trial *trial, double *value);

// ---- The plan (plan.c)

typedef struct rh_case { // the result
  int64_t index;
  rh_status status;
  char reason[RH_WHY_MAX];
  double value[RH_OUTCOMES_MAX]; // NaN: not known
} rh_case;

typedef struct rh_plan {
  char *scene_name, *scene_text;
  size_t scene_bytes;
  uint64_t scene_sum; // of the scene with every value in force
  rh_words set;       // overrides of all cases
  rh_axis axis[RH_AXES_MAX];
  int naxis;
  rh_outcomes out;
  rh_design design;
  rh_sobol *sobol; // NULL: another design
  uint64_t seed;
  int64_t cases;
  rh_status (*run)(const struct rh_plan *plan, int64_t index, rh_case *result); // NULL: rh_case_run; of tests
} rh_plan;

typedef struct rh_plan_asked { // texts of the command line; NULL: not given
  const char *vary;            // axes, one per line
  const char *out, *design, *cases, *seed;
} rh_plan_asked;

// Reads the scene and everything that is asked, and runs the checks that need no case. Free in any
// case.
rh_status rh_plan_make(const rh_request *request, const rh_plan_asked *asked, rh_diag *diag, rh_plan *plan);
// The same with a scene that is in memory; `text` is copied.
typedef struct rh_plan_scene {
  const char *name, *text;
  size_t bytes;
  const char *const *set; // overrides of all cases (nset)
  int nset;
} rh_plan_scene;

rh_status rh_plan_read(const rh_plan_scene *scene, const rh_plan_asked *asked, rh_diag *diag, rh_plan *plan);
void rh_plan_free(rh_plan *plan);
const char *rh_design_word(rh_design design);
// Of case `index`, axis by axis (naxis): a number, or the index of the word.
void rh_plan_values(const rh_plan *plan, int64_t index, double *value);
// "1.5 mm", a word, as the override has it; the text is cut to `size`.
void rh_plan_value_text(const rh_plan *plan, int axis, double value, char *text, size_t size);

// ---- Running a case (case.c)

// The model of a case; errors go to `diag`.
rh_status rh_case_compile(const rh_plan *plan, int64_t index, rh_diag *diag, rh_model **model);
// RH_INTERRUPTED, RH_OUT_OF_MEMORY: there is no result. A case that is refused or stopped is a result.
rh_status rh_case_run(const rh_plan *plan, int64_t index, rh_case *result);

// ---- The journal of a sweep (rows.c)

struct rh_journal;
struct rh_mpi;

// A new journal for the plan; a file that exists is refused.
rh_status rh_plan_journal(const rh_plan *plan, const char *path, rh_diag *diag, struct rh_journal **journal);
// The plan of a journal, with the scene checked against the sum it began with. Free in any case.
rh_status rh_plan_again(const struct rh_journal *journal, rh_diag *diag, rh_plan *plan);
// The plan as bytes, for a process that does not read its files.
bool rh_plan_pack(const rh_plan *plan, rh_text *packed);
rh_status rh_plan_unpack(const char *packed, size_t bytes, rh_plan *plan); // free in any case
bool rh_plan_keep(const rh_plan *plan, const rh_case *result, struct rh_journal *journal);

// ---- The whole sweep (manager.c)

typedef struct rh_sweep_counts {
  int64_t done;      // in the journal
  int64_t before;    // of these before this run
  int64_t failed;    // of this run: their status is not OK
  int64_t deaths;    // workers that died
  int64_t lost;      // cases that were given up
} rh_sweep_counts;

typedef struct rh_sweep_run {
  const rh_request *request;
  rh_diag *diag;
  const rh_plan *plan;
  struct rh_journal *journal;
  int workers;  // processes; 0: the cases run in this one
  double lease; // [s] after which a silent worker's cases go to others; infinite: never
  const struct rh_mpi *mpi; // its other ranks work too; NULL: there are none
  int managers;             // ranks between rank 0 and the others
  bool together; // afterwards: no rank was lost
  rh_sweep_counts counts;
  uint64_t sum; // of the finished journal
} rh_sweep_run;

// Runs what the journal lacks, and finishes it; run->journal is closed. RH_INTERRUPTED: it may be
// continued.
rh_status rh_sweep_simulate(rh_sweep_run *run);

#endif
