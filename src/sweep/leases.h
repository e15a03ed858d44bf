// leases.h: which cases are done, given out, or still to be given out. No clock, no process and no
// file: the manager of local workers, that of MPI and the model of many managers
// (bench/sweep_model.c) are the same here. Times are the caller's.
#ifndef ROUTH_SWEEP_LEASES_H
#define ROUTH_SWEEP_LEASES_H

#include <routh/base.h>

#define RH_DEATHS_MAX 5 // workers that a case may take with it before it is given up

// Time in which one has listened. A long gap between two looks (a job that was suspended, a machine that slept, a disk
// that kept one waiting) is no silence of the others: it counts as RH_LISTENING_GAP.
#define RH_LISTENING_GAP 1.0 // [s]

typedef struct rh_listening {
  double looked;  // [s] by the clock
  double counted; // [s]
} rh_listening;

double rh_listening_time(rh_listening *watch, double now); // returns watch->counted

typedef struct rh_leases rh_leases;

typedef struct rh_case_span { // cases first .. first + n - 1
  int64_t first, n;
} rh_case_span;

rh_leases *rh_leases_create(int64_t cases); // NULL: out of memory
void rh_leases_destroy(rh_leases *leases);
// Marks a case as done; false: it was already.
bool rh_leases_done(rh_leases *leases, int64_t index);
int64_t rh_leases_left(const rh_leases *leases); // not done
// At most `most` cases for a worker, one after the other; n = 0: none is left to be given out, or
// out of memory. Those that came back go first.
rh_case_span rh_leases_take(rh_leases *leases, int worker, int64_t most, double now);
// Of cases that come in spans: none is there at first.
void rh_leases_clear(rh_leases *leases);
bool rh_leases_add(rh_leases *leases, rh_case_span span); // false: out of memory, or out of range
int64_t rh_leases_waiting(const rh_leases *leases); // about: in spans that came, or came back
int64_t rh_leases_held(const rh_leases *leases, int worker); // given out to it and not done
// The worker is dead: its cases come back, in halves, so that a case that kills workers is soon
// alone. Returns a case that has killed RH_DEATHS_MAX workers, which does not come back, or RH_NONE.
int64_t rh_leases_died(rh_leases *leases, int worker);
// The worker of the oldest lease, if that is older than `age`; else RH_NONE.
int rh_leases_silent(const rh_leases *leases, double now, double age);

#endif
