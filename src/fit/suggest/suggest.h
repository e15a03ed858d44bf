// suggest.h: a scene that follows the data better. A model is the scene with settings (-s) and free values; changes of it
// are tried by one step of the search, fitted on windows, and evaluated on whole trials that were left out.
#ifndef ROUTH_FIT_SUGGEST_H
#define ROUTH_FIT_SUGGEST_H

#include "fit/fit_belief.h"

enum { RH_SUGGEST_FOLDS = 5, RH_SUGGEST_GROUPS = 4, RH_SUGGEST_FEW = 48 };

typedef enum rh_suggest_trials { RH_SUGGEST_WINDOWS, RH_SUGGEST_WHOLE, RH_SUGGEST_KINDS } rh_suggest_trials;

typedef struct rh_suggest_loss { // mean squares of each trial left out
  double *of[RH_SUGGEST_KINDS]; // (trials), of its windows and of the whole trial
} rh_suggest_loss;

typedef struct rh_suggester {
  const rh_fit_job *job;
  rh_diag *diag;
  rh_fit_suggestions *to;
  rh_fit_data data[RH_SUGGEST_KINDS];
  rh_fit_flights flights[RH_FIT_JOINTS]; // by joint in space
  rh_fit_impacts impacts[RH_FIT_JOINTS];
  rh_fit_slides slides[RH_FIT_JOINTS];
  int njoint, trials;                    // trials of the files
  rh_name joint[RH_FIT_JOINTS];
  bool chosen;                           // the flights are known
  bool in_piece;                         // what is evaluated is kept in the journal
  bool centre_held;                      // they have the centre of mass so exactly that nothing else is asked for it
  double noise[RH_FIT_CHANNELS];         // in force
  bool few;                              // only some trials are evaluated, evenly taken: what flights say is mended
  rh_suggest_loss loss[2];               // of the model in force, and of the one that is evaluated
} rh_suggester;

typedef struct rh_suggest_fit { // a model on trials
  rh_fit_job job;
  rh_suggest_trials kind;
  rh_request request;
  const char **set;
  char **word;
  rh_fit_problem *problem;
  const rh_fit_value *value;
  int m, n;
  double w[RH_FIT_VALUES];
  double sum, few;       // of squares, and that of some trials (rh_suggester.few) alone
  bool hopeless;
  double step;           // of the differences
  double *r, *J, *other; // (m), (m x n), (m)
} rh_suggest_fit;

// ---- evaluate.c
// Settings and free words of the model, as below.
rh_status rh_suggest_ask(const rh_suggester *sg, const rh_fit_change *extra, rh_suggest_fit *fit);
// The scene with the settings in force, which `text` refers to in `now`; destroy and close all three in any case, `now` last.
rh_status rh_suggest_read_scene(const rh_suggester *sg, rh_suggest_fit *now, rh_fit_scene *text, rh_scene **scene);
// The model with the changes taken over, the values found, and `extra` (NULL: none); close in any case.
rh_status rh_suggest_open(const rh_suggester *sg, rh_suggest_trials trials, const rh_fit_change *extra, bool robust, rh_suggest_fit *fit);
void rh_suggest_close(rh_suggest_fit *fit);
// One step of Gauss and Newton from w by some trials, shortened until it is one down; false: none is. Without settings of
// the change the slopes of the values that `base` has too are those at its end.
bool rh_suggest_try_step(const rh_suggester *sg, rh_suggest_fit *fit, const rh_suggest_fit *base);
// The search, by some trials and then by all. Where some leave more than `bar` of the sum of squares it goes no further: `hopeless`.
rh_status rh_suggest_search(const rh_suggester *sg, rh_suggest_fit *fit, double bar);
// Squares of each trial, with values by the others, and their score; `fit` is at its end.
rh_status rh_suggest_evaluate(const rh_suggester *sg, const rh_suggest_fit *fit, const rh_fit_change *extra, const rh_suggest_loss *loss,
                              rh_fit_score *score);
// Is the second loss less than the first? Is it more, of windows left out, by more than chance?
bool rh_suggest_is_worse(const rh_suggester *sg, const rh_suggest_loss *before, const rh_suggest_loss *after);
bool rh_suggest_is_better(const rh_suggester *sg, const rh_suggest_loss *before, const rh_suggest_loss *after);
// The values of the fit become those of the model.
rh_status rh_suggest_keep(rh_suggester *sg, const rh_suggest_fit *fit);
rh_status rh_suggest_found(const rh_suggest_fit *fit, rh_words *found); // as settings

// ---- choose.c: what was not asked for
rh_status rh_suggest_choose(rh_suggester *sg); // flights, noise, windows, and whether odd residuals are to count less
rh_status rh_suggest_find_phases(rh_suggester *sg); // with the model in force
rh_status rh_suggest_choose_noise(rh_suggester *sg); // by the residuals of the model in force

// ---- propose.c
// Those not taken over, with the model in force; before that is chosen only the values that are free to begin with.
rh_status rh_suggest_propose(rh_suggester *sg);
// Settings that round the edges which the scene has sharp, so that impacts can say how round they are.
rh_status rh_suggest_round_edges(rh_suggester *sg, rh_fit_change *change);

// ---- pieces.c: finished work in the journal
typedef struct rh_suggest_piece {
  rh_suggest_fit *fit;  // its end
  const rh_suggest_loss *loss; // of each trial, and
  rh_fit_score *score;  // its score; NULL: none
  rh_status status;     // that the work ended with
  bool done;            // it was done before: all of these are as they were then
  int trials;
  double *room;
  rh_fit_entry entry;
} rh_suggest_piece;

rh_status rh_suggest_begin_journal(const rh_suggester *sg);
// `fit` is at its beginning; `slopes`: its residuals and slopes are of its end. End in any case.
rh_status rh_suggest_begin_piece(rh_suggester *sg, rh_suggest_piece *piece, bool slopes);
void rh_suggest_end_piece(rh_suggester *sg, rh_suggest_piece *piece);

// ---- print.c
rh_status rh_suggest_write(const rh_suggester *sg); // the scene found as a text, and into the file that was asked for

#endif
