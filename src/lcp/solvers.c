// The table of solvers, from solvers.def.
#include "lcp/lcp.h"

#include <string.h>

#define RH_SOLVER(name) extern const rh_solver rh_solver_##name;
#include "lcp/solvers.def"
#undef RH_SOLVER

static const rh_solver *const table[] = {
#define RH_SOLVER(name) &rh_solver_##name,
#include "lcp/solvers.def"
#undef RH_SOLVER
};

const rh_solver *const *rh_solver_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_solver *rh_solver_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
