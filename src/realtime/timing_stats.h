// timing_stats.h: the account of a loop's deadlines: how long ticks took, how late they woke, how many were missed. And what a
// missed one does to the force: the gain falls to zero over some milliseconds and comes back when all is well again.
#ifndef ROUTH_LIVE_TICKS_H
#define ROUTH_LIVE_TICKS_H

#include <routh/base.h>

enum {
  RH_TICK_BINS = 22, // bin 0: below 1 us; bin k: from 2^(k-1) to 2^k us; the last holds all above a second too
  RH_TICK_FINE = 16, // parts of an octave, for the median
  RH_TICK_OCTAVES = 40,
};

typedef struct rh_spread { // distribution of a time
  long count;
  double worst, sum;               // [s]
  long bin[RH_TICK_BINS];          // as it is shown
  long fine[RH_TICK_OCTAVES * RH_TICK_FINE]; // octaves of nanoseconds in 16 parts: a median to 1/32
} rh_spread;

typedef struct rh_ticks {
  rh_spread busy; // from waking to the end of the tick
  rh_spread late; // from when it was due to waking
  long missed;    // ticks that ended later than the deadline behind when they were due
  long dropped;   // periods left out, because a tick ended behind the beginning of the next
  double overdue; // [s] most by which a tick ended behind its deadline
  double worst_t; // [s] simulated time of the longest tick
} rh_ticks;

void rh_spread_add(rh_spread *spread, double seconds);
double rh_spread_quantile(const rh_spread *spread, double share); // [s] share 0.5: the median; 0 of nothing
double rh_spread_bin(int bin);                                    // [us] where a bin begins

typedef struct rh_safety {
  double decay;         // [s] from full force to none
  double recover;       // [s] from none to full
  double gain;          // 0 to 1, on the force that is commanded
  bool falling;
  long alarms;          // how often it began to fall
} rh_safety;

// One tick of `dt`. An alarm makes the gain fall all the way; it rises again from zero, when the alarm is over.
void rh_safety_step(rh_safety *safety, double dt, bool alarm);

#endif
