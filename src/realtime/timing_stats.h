// timing_stats.h: statistics of a loop's deadlines: duration of ticks, wake-up delay, missed ones.
// And the effect of a missed one on the force: the gain falls to zero over some milliseconds and
// returns afterwards.
#ifndef ROUTH_REALTIME_TIMING_STATS_H
#define ROUTH_REALTIME_TIMING_STATS_H

#include <routh/base.h>

enum {
  RH_TICK_BINS = 22, // bin 0: below 1 us; bin k: 2^(k-1) to 2^k us; the last: above a second too
  RH_TICK_FINE = 16, // parts of an octave, for the median
  RH_TICK_OCTAVES = 40,
};

typedef struct rh_spread { // distribution of a time
  long count;
  double worst, sum;               // [s]
  long bin[RH_TICK_BINS];          // for display
  long fine[RH_TICK_OCTAVES * RH_TICK_FINE]; // octaves of nanoseconds in 16 parts: a median to 1/32
} rh_spread;

typedef struct rh_ticks {
  rh_spread busy; // from waking to the end of the tick
  rh_spread late; // from the due time to waking
  long missed;    // ticks that ended later than the deadline after their due time
  long dropped;   // skipped periods, because a tick ended after the start of the next
  double overdue; // [s] maximum delay of a tick after its deadline
  double worst_t; // [s] simulated time of the longest tick
} rh_ticks;

void rh_spread_add(rh_spread *spread, double seconds);
// [s] share 0.5: the median; 0 if empty
double rh_spread_quantile(const rh_spread *spread, double share);
double rh_spread_bin(int bin);                                    // [us] start of a bin

typedef struct rh_safety {
  double decay;         // [s] from full force to none
  double recover;       // [s] from none to full
  double gain;          // 0 to 1, factor of the commanded force
  bool falling;
  long alarms;          // number of times it began to fall
} rh_safety;

// One tick of `dt`. An alarm makes the gain fall to zero; it rises again after the alarm.
void rh_safety_step(rh_safety *safety, double dt, bool alarm);

#endif
