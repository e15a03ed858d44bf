// short_interval.h: short intervals in one step, for a stepper that would have to restart for each
// of them.
#ifndef ROUTH_EVENT_SHORT_INTERVAL_H
#define ROUTH_EVENT_SHORT_INTERVAL_H

#include <routh/kind.h>

typedef struct rh_short_interval {
  double rtol, atol; // of an interval
  double longest;    // [s] maximum tried: half of the last failure, growing from there
  double *y, *work;  // (room), (8 room)
  double *g0, *g1;   // guards (nguard)
  long steps, evaluations;
} rh_short_interval;

size_t rh_short_interval_room(const rh_ode *flow);                         // doubles
void rh_short_interval_open(const rh_ode *flow, double *room, rh_short_interval *hop);
// From the flow's time to `end` if that meets the tolerance and no guard passes zero. False:
// nothing has changed.
bool rh_short_interval_to(rh_short_interval *hop, const rh_ode *flow, double end);

#endif
