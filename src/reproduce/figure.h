// figure.h: a figure of a paper is a row: a scene, its runs, which are the figure's curves, the
// drawn data, and the expected numbers. Or its scene is a problem file, whose answers must be those
// given with the problems. `routh paper` does the rest. Rows are in paper_<paper>*.c, their list in
// figures.def.
#ifndef ROUTH_REPRODUCE_FIGURE_H
#define ROUTH_REPRODUCE_FIGURE_H

#include "scene_io/yaml_doc.h"
#include "explore/trial.h"

#include <math.h>

#define RH_FIGURE_RUNS   12
#define RH_FIGURE_SETS   6
#define RH_FIGURE_PANELS 3
#define RH_FIGURE_TRACES 8
#define RH_SWEEP_MAX     64
#define RH_PAPERS_MAX    8
#define RH_FIGURES_MAX   128

typedef struct rh_figure rh_figure;
typedef struct rh_number rh_number;
typedef struct rh_redone rh_redone;

// A number measured on a trial; NaN if it does not exist.
typedef double rh_measure(const rh_trial *trial, const rh_figure *figure, const rh_number *number);

typedef struct rh_scene_text { // a scene inside the program
  const char *path;            // its path in the source tree
  const char *text;
  const unsigned long *bytes;
} rh_scene_text;

typedef struct rh_figure_run { // one curve, or one family of impacts
  const char *label;
  const char *set[RH_FIGURE_SETS]; // overrides of the scene, NULL after the last
  rh_scene_text scene;             // path NULL: the figure's
} rh_figure_run;

typedef struct rh_figure_sweep { // the curve runs over many trials, one number of each
  const char *set;               // swept path: "fall.v"
  double from, to;
  int n;
  bool log;
  rh_measure *value;
} rh_figure_sweep;

typedef struct rh_sweep { // a curve of a sweep
  double x[RH_SWEEP_MAX], y[RH_SWEEP_MAX];
  int n;
} rh_sweep;

typedef struct rh_panel { // one pair of axes
  const char *x, *x_unit, *y, *y_unit;
  const char *y2, *y2_unit; // NULL: no right axis
  bool log_x;
  double x_lo, x_hi, y_lo,
      y_hi;    // equal: automatic; the right axis has the range of the left one
  double line; // a horizontal line here, if it has a name
  const char *line_name;
  const char *key; // place of the legend, as in gnuplot; NULL: above, "off": none
  bool label_ends; // no legend: the names are at the right ends of the curves
} rh_panel;

typedef struct rh_trace { // drawn data of a run
  int panel, axis;        // axis 0 left, 1 right
  int run;                // RH_NONE: of every run, named by the run
  const char *label;
  const char *x, *y;       // series; NULL in a sweep
  double x_scale, y_scale; // 0: 1
  int impact;         // 1, 2, ...: only this contact, the time from touchdown on; 0: everything
  double from, until; // [s] only between these; equal: everything
} rh_trace;

struct rh_number {
  const char *name, *unit;
  rh_measure *measure;
  double (*of_sweep)(const rh_sweep *sweep); // instead of `measure`: of the whole curve of a sweep
  const char *what, *by;                     // series it is about
  double at; // time, depth, speed: depends on the measure; the swept value
  double want;
  double absolute, relative; // allowed: absolute + relative * |want|
  int run;
  int which;         // impact, or event, from 1
  const char *event; // kind of event, as a word
};

typedef enum rh_claim { // validity of a claim of the paper
  RH_CLAIM_FAILS,
  RH_CLAIM_PARTLY,
  RH_CLAIM_HOLDS
} rh_claim;

struct rh_figure {
  const char *paper; // "mo"
  int number;
  const char *
      label; // "2.1", "t3.1" (a table), "s3.2" (a section) if not the number; NULL: the number
  const char *title;
  const char *note;  // what the paper does not specify, or is not compared; NULL
  const char *claim; // claim of the paper, and its validity; NULL
  rh_claim claim_holds;
  bool fixed;        // its runs cannot be changed: -s is refused
  bool problems;     // the scene is a problem file, with the expected numbers of each problem
  rh_status (*answer)(
      const rh_redone *redone,
      rh_json *json); // answers all problems of redone->posed, id by id; NULL: `routh solve` can
  bool story;        // the events of the runs are listed in order, and marked in the picture
  rh_status (*more)(
      rh_redone *redone); // finds numbers that no run or problem gives; NULL: none
  void (*program)(
      FILE *to,
      const rh_redone *redone); // its own picture, in gnuplot commands; NULL: panels and traces
  int height;                   // [pixel] of that
  rh_scene_text scene;
  rh_figure_run run[RH_FIGURE_RUNS]; // label NULL after the last
  const rh_figure_sweep *sweep;      // NULL: the curves are runs over time
  rh_panel panel[RH_FIGURE_PANELS];  // x NULL after the last
  rh_trace trace[RH_FIGURE_TRACES];
  int ntrace;
  const char *const *series; // also stored, for `more` and `program`
  int nseries;
  const rh_number *expect;
  int nexpect;
};

#define RH_FIGURE_SCENE(paper, name)                                                               \
  extern const char rh_scene_##paper##_##name[];                                                   \
  extern const unsigned long rh_scene_##paper##_##name##_size;
#define RH_FIGURE_PROBLEMS(paper, name) RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE_BOOK(paper, name)     RH_FIGURE_SCENE(paper, name)
#define RH_FIGURE(name)                 extern const rh_figure rh_figure_##name;
#include "figures.def"
#undef RH_FIGURE
#undef RH_FIGURE_BOOK
#undef RH_FIGURE_PROBLEMS
#undef RH_FIGURE_SCENE

#define RH_SCENE_TEXT(paper, name)                                                                 \
  {                                                                                                \
    "scenes/papers/" #paper "/" #name ".yaml", rh_scene_##paper##_##name,                          \
        &rh_scene_##paper##_##name##_size                                                          \
  }

// ---- Measures (measure.c). `which` is the impact, from 1; `what` and `by` are series.

rh_measure rh_measure_restitution;  // speed at separation over speed at touchdown
rh_measure rh_measure_rebound;      // [m/s] speed at separation
rh_measure rh_measure_touch_time;   // [s] of the touchdown
rh_measure rh_measure_touch_speed;  // [m/s]
rh_measure rh_measure_contact;      // [s] from touchdown to separation
rh_measure rh_measure_stick;        // [s] from touchdown to the first time it sticks
rh_measure rh_measure_slip;         // [s] from touchdown to the last time it begins to slip
rh_measure rh_measure_ceases;       // [s] from touchdown until `what` has fallen to zero
rh_measure rh_measure_peak;         // maximum |what| of the contact
rh_measure rh_measure_peak_time;    // [s] from touchdown
rh_measure rh_measure_rising;       // `what` where `by` first rises through `at`, of the contact
rh_measure rh_measure_falling;      // `what` where `by` first falls through `at`, of the contact
rh_measure rh_measure_deepest_time; // [s] from touchdown until `by`, a speed, falls through zero
rh_measure rh_measure_area;         // enclosed by `what` against `by` in the contact
rh_measure rh_measure_loss;         // [J] lost in the dampers of contacts up to the end
rh_measure rh_measure_at;           // `what` at the time `at`
rh_measure rh_measure_after;        // `what` at the time `at` after touchdown
rh_measure rh_measure_start;        // `what` in the first frame
rh_measure rh_measure_end;          // `what` in the last frame
rh_measure rh_measure_apex;         // maximum `what` between separation and the next touchdown
rh_measure rh_measure_lowest;       // minimum `what` of all frames
rh_measure rh_measure_drift;        // maximum minus minimum `what` of all frames
rh_measure rh_measure_touches;      // number of touchdowns
rh_measure rh_measure_last_touch;   // [s] of the last one
rh_measure rh_measure_event;        // [s] of event `which` of a kind, from the time `at` on
rh_measure rh_measure_event_after;  // its velocity after
// Least squares y = intercept + slope log10(x).
double rh_sweep_intercept(const rh_sweep *sweep);
double rh_sweep_slope(const rh_sweep *sweep);
double rh_sweep_misfit(const rh_sweep *sweep); // maximum distance of a point from the line

// ---- All papers and figures (papers.c)

int rh_paper_count(void);
rh_row rh_paper_row(int index);
const char *rh_paper_cite(const char *name); // "[MO]"
int rh_figure_count(void);
const rh_figure *rh_figure_get(int index, const char **name); // its name in figures.def: "mo_2"

// ---- One figure redone (redo.c)

#define RH_FOUND_MAX 96

typedef struct rh_found { // a result: number or word
  char curve[RH_FOUND_MAX], name[RH_FOUND_MAX];
  const char *unit;
  double got, want, allowed;
  char got_word[RH_NAME_MAX], want_word[RH_NAME_MAX]; // "": it is a number
  bool within;
  double off; // difference over tolerance
} rh_found;

struct rh_redone {
  const rh_figure *figure;
  const char *series[RH_SERIES_MAX]; // drawn or measured ones
  int nseries;
  rh_trial trial[RH_FIGURE_RUNS]; // without a sweep
  rh_sweep sweep[RH_FIGURE_RUNS]; // with one
  int nrun;
  rh_yaml posed, answer; // of a problem file
  int problems, answers; // their roots; problems: the list
  rh_found *found;       // (nfound)
  int nfound, found_room;
  bool within;   // all within tolerance
  double worst;  // maximum difference over tolerance
  int worst_at;  // number of it
  char *picture; // file drawn; NULL: none
  const rh_request *request;
  void *kept;         // result of `more` for `program`; NULL: none
  void (*drop)(void *kept);
};

rh_status rh_figure_redo(const rh_request *request, const rh_figure *figure, rh_redone *redone);
void rh_redone_free(rh_redone *redone);
// Column of a series in the trials of a figure (0: the time); RH_NONE: it is not stored.
int rh_figure_column(const rh_figure *figure, const char *series);
// Adds a result and checks it.
rh_status rh_redone_add(rh_redone *redone, const rh_found *found);
// The same for a number of no run.
rh_status rh_redone_number(rh_redone *redone, const char *curve, const char *name, double got,
                           double want, double allowed);
const char *rh_figure_label(const rh_figure *figure,
                            char buffer[RH_NAME_MAX]);                    // "4", "2.1", "t3.1"
void rh_figure_place(const rh_figure *figure, char *buffer, size_t size); // "Fig. 4", "Table 3.1"
// The frames [*from, *to) of `impact` of a trace or measure; false if there was no such contact.
bool rh_trial_contact(const rh_trial *trial, int impact, long *from, long *to);

// ---- Figures that are problem files (solve.c)

// Solves all problems and adds each expected output: the worst of its numbers.
rh_status rh_figure_solve(const rh_request *request, rh_redone *redone);
// A number of a problem or of its answer, `at`: of a list; NaN if there is none.
double rh_redone_given(const rh_redone *redone, const char *id, const char *key);
double rh_redone_answer(const rh_redone *redone, const char *id, const char *key, int at);
int rh_redone_length(const rh_redone *redone, const char *id, const char *key); // of a list
double rh_redone_cell(const rh_redone *redone, const char *id, const char *key, int row,
                      int column); // of a list of lists
double rh_redone_part(const rh_redone *redone, const char *id, const char *key,
                      const char *part); // of a map
// A number of row `at` of a list of maps.
double rh_redone_row(const rh_redone *redone, const char *id, const char *key, int at,
                     const char *column);

// ---- Drawing (draw.c)

rh_status rh_redone_draw(const rh_redone *redone, const char *path);
rh_status rh_redone_render(const rh_redone *redone, rh_text *svg); // the same into memory

// ---- Events of the runs (story.c)

const char *rh_within_word(bool within);
// The events of all runs in order; of a sequence of bounces the first two. rh_table_destroy it.
rh_table *rh_redone_story(const rh_redone *redone);

// ---- One page of all repeated figures (report.c)

typedef struct rh_report rh_report;

rh_report *rh_report_create(const rh_request *request); // NULL: out of memory
void rh_report_destroy(rh_report *report);        // NULL: nothing
void rh_report_figure(rh_report *report, const rh_redone *redone,
                      const char *svg); // its picture; NULL: none
void rh_report_failure(rh_report *report, const rh_figure *figure);
rh_status rh_report_write(const rh_report *report, const char *path);

// docs/errata.md, docs/papers/*.md and the style of the page, embedded by the build
#define RH_REPORT_TEXT(name)                                                                       \
  extern const char rh_##name[];                                                                   \
  extern const unsigned long rh_##name##_size;
RH_REPORT_TEXT(doc_errata)
RH_REPORT_TEXT(doc_mo)
RH_REPORT_TEXT(doc_af)
RH_REPORT_TEXT(doc_wk)
RH_REPORT_TEXT(doc_ch)
RH_REPORT_TEXT(doc_csc)
RH_REPORT_TEXT(report_css)
#undef RH_REPORT_TEXT

#endif
