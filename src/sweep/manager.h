// manager.h: what the manager of a sweep and those between it and the workers (relay.c) have in
// common: they give spans of cases to a crew, hear results, and bury workers.
#ifndef ROUTH_SWEEP_MANAGER_H
#define ROUTH_SWEEP_MANAGER_H

#include "crew.h"

typedef struct rh_member { // of a crew
  bool here;         // it has spoken and is not believed dead
  uint32_t strength; // workers that it stands for
  uint32_t deaths;   // of workers below it
} rh_member;

typedef struct rh_manager {
  const rh_plan *plan;
  rh_leases *leases;
  rh_crew *crew;
  rh_member *member; // (crew->n)
  rh_status (*keep)(void *sink, const rh_case *result);
  void *sink;
  double lease; // [s]
  bool relays;  // its cases come in spans; else it has them all
  int nhere;
  int64_t strength;       // of those here
  int64_t deaths, lost;   // of its own crew
  int64_t results;        // of this run
  rh_listening watch;
  double now;            // [s] of the watch
  double looked, manned; // [s] last look around; last time with a worker
  rh_status status;
} rh_manager;

bool rh_manager_begin(rh_manager *m); // the rest is set; false: out of memory
void rh_manager_turn(rh_manager *m, int ms); // hears one worker, or waits
void rh_manager_feed(rh_manager *m);         // all that have room
int64_t rh_manager_deaths(const rh_manager *m); // those below its crew too
// Tells the crew to stop; `together`: MPI may be ended by all. Returns whether it may.
bool rh_manager_dismiss(rh_manager *m, bool together);
void rh_manager_end(rh_manager *m); // the crew too

#endif
