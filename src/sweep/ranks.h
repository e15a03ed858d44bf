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
// `managers`: ranks 1 .. managers stand between rank 0 and the others; 0: none.
rh_crew *rh_crew_ranks(const rh_mpi *mpi, const rh_plan *plan, rh_crew *local, int managers);
rh_text *rh_ranks_above(rh_crew *crew); // what a rank above has said
// A manager between (relay.c): until the one above says stop. Ends the crew. True: all are there at
// the end.
bool rh_relay_work(const rh_plan *plan, rh_crew *crew, const rh_line *up, double patience);
// A rank that is not 0: works for rank 0 until that says stop, or is silent for `patience` seconds.
// *together: all ranks are there at the end.
rh_status rh_ranks_work(const rh_mpi *mpi, double patience, int managers, bool *together);
// All together end MPI. A rank that has just died would be waited for: then this one ends alone.
void rh_ranks_end(const rh_mpi *mpi);
// Rank 0 has nothing for the others to do.
void rh_ranks_dismiss(const rh_mpi *mpi);

#endif
