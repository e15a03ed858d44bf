// solve_fclib.h: `routh solve FILE.hdf5`, external friction problems.
#ifndef ROUTH_CLI_SOLVE_FCLIB_H
#define ROUTH_CLI_SOLVE_FCLIB_H

#include <routh/base.h>

// Solves the problem of a file in FCLIB's layout by the solver `name` (NULL: auto) to `tolerance`
// [m/s] (NULL: 1e-13 of the largest b) and writes the answer as JSON, to be freed. RH_STOPPED: the
// check did not accept it; the answer is there.
rh_status rh_solve_fclib(const char *path, const char *name, const char *tolerance, rh_diag *diag, char **json);

#endif
