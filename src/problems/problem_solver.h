// problem_solver.h: shared by the kinds `lcp` and `cone`: choice of the solver, and names of
// verdicts. And the writer of such problems: a problem of the library as a problem file that reads
// back bit for bit.
#ifndef ROUTH_PROBLEMS_PROBLEM_SOLVER_H
#define ROUTH_PROBLEMS_PROBLEM_SOLVER_H

#include "problem_matrix.h"
#include "complement/complement.h"

#include <stdio.h>

#define RH_SOLVER_INPUT                                                                            \
  {                                                                                                \
    .name = "solver", .unit = "1", .type = RH_TEXT, .doc = "name of a solver; see `routh list solvers`" \
  }

typedef enum rh_sort { RH_SORT_LCP, RH_SORT_CONE } rh_sort;

extern const char *const rh_verdict_name[3]; // of rh_verdict: solved, none, failed

// The solver that the input `solver` names, or the one named `usual`; NULL after an error.
const rh_solver *rh_input_solver(const rh_inputs *in, rh_sort sort, const char *usual);

// Problem files of one entry. False: not all could be written.
bool rh_lcp_dump(const rh_lcp *problem, const char *id, FILE *file);
bool rh_cone_dump(const rh_cone *problem, const char *id, FILE *file);

#endif
