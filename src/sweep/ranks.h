// ranks.h: workers that are ranks of MPI.
#ifndef ROUTH_SWEEP_RANKS_H
#define ROUTH_SWEEP_RANKS_H

#include "crew.h"
#include "sweep/mpi/module.h"

// Has a launcher (mpirun, srun) started this program as one of several?
bool rh_ranks_launched(void);
// Loads the module and starts MPI. A rank that dies meanwhile lets the others wait in MPI: they end
// after `patience` seconds.
rh_status rh_ranks_begin(double patience, const rh_mpi **mpi);
// The other ranks, and `local` (owned; NULL: none) before them. They get the plan. NULL: out of
// memory.
rh_crew *rh_crew_ranks(const rh_mpi *mpi, const rh_plan *plan, rh_crew *local);
// A rank that is not 0: works for rank 0 until that says stop, or is silent for `patience` seconds.
// *together: all ranks are there at the end.
rh_status rh_ranks_work(const rh_mpi *mpi, double patience, bool *together);
// Rank 0 has nothing for the others to do.
void rh_ranks_dismiss(const rh_mpi *mpi);

#endif
