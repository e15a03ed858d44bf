// figure.h: a figure of a paper is a row of scenes/papers/<paper>/figures.yaml: a scene, its runs,
// which are the figure's curves, the drawn data, and the expected numbers. Or its scene is a problem
// file, whose answers must be those given with the problems. C has the measures and the pictures
// that are not panels and traces (measures.def), and redoes the figures.
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
#define RH_FIGURES_MAX   128 // of one paper
#define RH_FIGURE_NUMBERS 1000

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

typedef struct rh_expected { // of a number or claim that `more` finds
  const char *curve, *name;
  double want; // NaN: it is a claim
  double absolute, relative;
  bool holds; // the claim
} rh_expected;

typedef enum rh_claim { // validity of a claim of the paper
  RH_CLAIM_FAILS,
  RH_CLAIM_PARTLY,
  RH_CLAIM_HOLDS
} rh_claim;

typedef enum rh_figure_problems { // the scene is a problem file with the expected numbers
  RH_PROBLEMS_NONE,               // it is a scene
  RH_PROBLEMS_SOLVE,              // as `routh solve` reads it
  RH_PROBLEMS_BOOK                // a book: reference cases without a kind of problem (books.c)
} rh_figure_problems;

struct rh_figure {
  const char *paper;      // "mo"
  const char *label;      // "4", "2.1", "t3.1" (a table), "s3.2" (a section)
  char name[RH_NAME_MAX]; // "wk_2_1"
  const char *title;
  const char *note;      // what the paper does not specify, or is not compared; NULL
  const char *claim;     // claim of the paper, and its validity; NULL
  rh_claim claim_holds;
  const char *reference; // where the expected numbers are from; NULL: there are none
  bool fixed;            // its runs cannot be changed: -s is refused
  rh_figure_problems problems;
  bool story;                            // the events of the runs are listed in order, and marked
  rh_status (*more)(rh_redone *redone);  // finds numbers that no run or problem gives; NULL: none
  void (*program)(FILE *to, const rh_redone *redone); // its own picture, in gnuplot commands; NULL:
                                                      // panels and traces
  int height;                                         // [pixel] of that
  rh_scene_text scene;
  rh_figure_run run[RH_FIGURE_RUNS]; // label NULL after the last
  rh_figure_sweep sweep;             // set NULL: the curves are runs over time
  rh_panel panel[RH_FIGURE_PANELS];  // x NULL after the last
  rh_trace trace[RH_FIGURE_TRACES];
  int ntrace;
  const char **series; // also stored, for `more` and `program`
  int nseries;
  rh_number *number;
  int nnumber;
  rh_expected *expected;
  int nexpected;
};

// ---- Figures of a paper from YAML (figure_read.c)

typedef struct rh_figures { // all zero: none
  rh_yaml tree;             // owner of all texts
  const char *name, *cite, *doc;
  rh_figure *figure;
  int n;
} rh_figures;

// Reads the figures of one paper; errors go to diag, with their places. Free in any case.
rh_status rh_figures_read(const rh_scene_text *from, rh_diag *diag, rh_figures *figures);
void rh_figures_free(rh_figures *figures);

// ---- Scenes inside the program (scenes.def)

#define RH_PAPER(paper)                                                                            \
  extern const char rh_figures_##paper[];                                                          \
  extern const unsigned long rh_figures_##paper##_size;
#define RH_PAPER_SCENE(paper, name)                                                                \
  extern const char rh_scene_##paper##_##name[];                                                   \
  extern const unsigned long rh_scene_##paper##_##name##_size;
#define RH_PAPER_PROBLEMS(paper, name) RH_PAPER_SCENE(paper, name)
#define RH_PAPER_BOOK(paper, name)     RH_PAPER_SCENE(paper, name)
#include "scenes.def"
#undef RH_PAPER_BOOK
#undef RH_PAPER_PROBLEMS
#undef RH_PAPER_SCENE
#undef RH_PAPER

#define RH_SCENE_TEXT(paper, name)                                                                 \
  {                                                                                                \
    "scenes/papers/" #paper "/" #name ".yaml", rh_scene_##paper##_##name,                          \
        &rh_scene_##paper##_##name##_size                                                          \
  }

// scenes/papers/<paper>/<name>.yaml; NULL: not in scenes.def (papers.c).
const rh_scene_text *rh_paper_scene(const char *paper, const char *name);
// One of all scenes inside the program, by its path in the source tree; NULL: it is none
const rh_scene_text *rh_paper_file(const char *path);

// ---- Measures and pictures (measures.def)

typedef enum rh_needs { // keys that a measure needs
  RH_NEEDS_NOTHING,
  RH_NEEDS_OF,
  RH_NEEDS_BY,
  RH_NEEDS_OF_BY,
  RH_NEEDS_EVENT
} rh_needs;

#define RH_NUMBER_MEASURE(name, needs) rh_measure rh_measure_##name;
#define RH_SWEEP_MEASURE(name)         double rh_sweep_##name(const rh_sweep *sweep);
#define RH_FIGURE_MEASURE(name)        rh_status rh_find_##name(rh_redone *redone);
#define RH_FIGURE_PICTURE(name)        void rh_draw_##name(FILE *to, const rh_redone *redone);
#include "measures.def"
#undef RH_FIGURE_PICTURE
#undef RH_FIGURE_MEASURE
#undef RH_SWEEP_MEASURE
#undef RH_NUMBER_MEASURE

// ---- All papers and figures (papers.c). They are read at the first call of any of these, which must
// come from one thread; errors are printed, and there are no figures then.

rh_status rh_papers_load(void); // status of that
void rh_papers_free(void);
int rh_paper_count(void);
rh_row rh_paper_row(int index);
const char *rh_paper_cite(const char *name); // "[MO]"
int rh_figure_count(void);
const rh_figure *rh_figure_get(int index);

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
// The series that the runs of a figure store; returns their number (result.c).
int rh_figure_series(const rh_figure *figure, const char *list[RH_SERIES_MAX]);
// Column of a series in the trials of a figure (0: the time); RH_NONE: it is not stored.
int rh_figure_column(const rh_figure *figure, const char *series);
// Adds a result and checks it.
rh_status rh_redone_add(rh_redone *redone, const rh_found *found);
// Numbers and claims that `more` finds: against the row of `expected` with that curve and name.
rh_status rh_redone_number(rh_redone *redone, const char *curve, const char *name, double got);
rh_status rh_redone_claim(rh_redone *redone, const char *curve, const char *name, bool got);
// The same against a number of a book.
rh_status rh_redone_against(rh_redone *redone, const char *curve, const char *name, double got,
                            double want, double allowed);
// The row of `expected` of a curve and name; NULL: none.
const rh_expected *rh_expected_find(const rh_figure *figure, const char *curve, const char *name);
// Refuses if a row of `expected` was not found.
rh_status rh_redone_complete(const rh_redone *redone);
void rh_figure_place(const rh_figure *figure, char *buffer, size_t size); // "Fig. 4", "Table 3.1"
// The frames [*from, *to) of `impact` of a trace or measure; false if there was no such contact.
bool rh_trial_contact(const rh_trial *trial, int impact, long *from, long *to);

// ---- Figures that are problem files (solve.c)

// Answers all cases of the book redone->posed, id by id (books.c).
rh_status rh_book_answer(const rh_redone *redone, rh_json *json);

// Nodes of a tree, RH_NONE where there is none (answers.c).
bool rh_node_is(const rh_yaml *tree, int node, rh_node_kind kind);
int rh_node_child(const rh_yaml *tree, int map, const char *key);
int rh_node_item(const rh_yaml *tree, int list, int at);
const char *rh_node_text(const rh_yaml *tree, int node);   // "": none
double rh_node_number(const rh_yaml *tree, int node);      // NaN: none
// Solves all problems and adds each expected output: the worst of its numbers.
rh_status rh_figure_solve(const rh_request *request, rh_redone *redone);
// A number of a problem or of its answer, `at`: of a list; NaN if there is none.
double rh_redone_given(const rh_redone *redone, const char *id, const char *key);
double rh_redone_answer(const rh_redone *redone, const char *id, const char *key, int at);
// Node of an output of an answer, in redone->answer.
int rh_redone_answer_node(const rh_redone *redone, const char *id, const char *key);
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

// ---- Printing (redone_print.c): its numbers and events, for people

rh_status rh_redone_print(const rh_request *request, const rh_redone *redone);

#endif
