// routh/sweep.h: many cases of one scene, as `routh sweep` runs them (docs/sweep.md): grids, random, Latin hypercube
// and Sobol' designs, a journal that survives the end of the process, the same bits for any number of workers. In
// librouth_studies, which has all of librouth too; not part of routh.h.
#ifndef ROUTH_SWEEP_H
#define ROUTH_SWEEP_H

#include <routh/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Called now and then with the number of cases that are done. False: the sweep is to end (RH_INTERRUPTED); it may be
// continued.
typedef bool rh_sweep_progress(void *user, int64_t done, int64_t of);

typedef struct rh_sweep_work { // how the cases are run; all zero: in this process
  int workers;                 // processes, made by fork; 0: none
  rh_sweep_progress *progress; // NULL: none
  void *user;                  // of progress
} rh_sweep_work;

typedef struct rh_sweep_setup { // texts are those of the command line
  const char *scene;        // file; with a `text` its name in messages, beside which its files are
  const char *text;         // the scene itself; NULL: in the file
  const char *const *set;   // overrides of all cases, "PATH=VALUE" (nset)
  const char *const *vary;  // "PATH=A,B", "PATH=0:1:11", "PATH=uniform(0,1)", "PATH=normal(0,1)" (nvary)
  int nset, nvary;
  const char *out;          // what is kept of a case, "ball.z@end,events"; NULL: the usual
  const char *design;       // "grid", "random", "latin", "sobol"; NULL: as the command line chooses
  int64_t cases;            // of a design that is no grid; 0: not given
  uint64_t seed;            // 0: the usual one
  const char *journal;      // new file, FILE.rsw
} rh_sweep_setup;

typedef struct rh_sweep_done {
  int64_t cases;  // of the plan
  int64_t done;   // in the journal
  int64_t before; // of these before this call
  int64_t failed; // of this call: cases that were refused or stopped, which are results too
} rh_sweep_done;

// A new sweep, and one that is continued from its journal. `done` gets what there is, after RH_INTERRUPTED too. A
// journal that exists is not begun anew; one that is complete has nothing to continue.
RH_API rh_status rh_sweep_make(const rh_sweep_setup *setup, const rh_sweep_work *work, rh_sweep_done *done,
                               rh_diag *diag) RH_CHECK_RESULT;
RH_API rh_status rh_sweep_continue(const char *journal, const rh_sweep_work *work, rh_sweep_done *done,
                                   rh_diag *diag) RH_CHECK_RESULT;

typedef struct rh_swept { // a case in a journal; valid during the call that gives it
  int64_t index;
  const char *status, *reason; // rh_status_name; why it was refused or stopped
  int columns;                 // what is varied, then what is kept
  const char *const *name;     // (columns)
  const double *number;        // (columns) NaN: not known, or a word
  const char *const *word;     // (columns) "" where it is a number
} rh_swept;

// Gives each case of a journal, in the order of their indices, until `take` returns false.
RH_API rh_status rh_sweep_read(const char *journal, bool (*take)(void *user, const rh_swept *row), void *user,
                               rh_diag *diag) RH_CHECK_RESULT;

#ifdef __cplusplus
}
#endif
#endif
