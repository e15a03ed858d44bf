// crew.h: the workers of a manager, whatever lies between: sockets to processes on this machine
// (local.c), messages of MPI (mpi/).
#ifndef ROUTH_SWEEP_CREW_H
#define ROUTH_SWEEP_CREW_H

#include "wire.h"

#define RH_CREW_MAX 4096

typedef struct rh_crew {
  void *self;
  int n; // workers 0 .. n - 1
  // Sends bytes to a worker. A worker that cannot be reached is found by `wait`, or its leases end.
  void (*send)(void *self, int worker, const rh_text *bytes);
  // The next worker that has said something (*said: everything of it that was not taken yet) or has
  // died. RH_NONE: nothing in `ms` milliseconds, or a signal.
  int (*wait)(void *self, int ms, rh_text **said, bool *died);
  // Another one in the place of a dead worker; false: there is none.
  bool (*replace)(void *self, int worker);
  void (*end)(void *self); // frees everything; workers that have not ended are killed
} rh_crew;

// Worker processes on this machine. NULL: none could be started.
rh_crew *rh_crew_local(const rh_plan *plan, int n);

// The worker's side: runs what the manager gives out, until it says stop or is gone.
typedef struct rh_line {
  void *self;
  bool (*receive)(void *self, bool wait, rh_text *inbox); // false: the manager is gone
  bool (*send)(void *self, const rh_text *bytes);
} rh_line;

// False: a rank was lost, or the manager is; MPI cannot be ended together.
bool rh_worker_work(const rh_plan *plan, const rh_line *line);

#endif
