// The table of solvers, from solvers.def.
#include "base/table.h"
#include "complement.h"

#define RH_SOLVER(name) extern const rh_solver rh_solver_##name;
#include "solvers.def"
#undef RH_SOLVER

static const rh_solver *const table[] = {
#define RH_SOLVER(name) &rh_solver_##name,
#include "solvers.def"
#undef RH_SOLVER
};

RH_ROW_TABLE(solver)
