// short_interval.h: short stretches in one step, for a stepper that would have to begin anew for each of them.
#ifndef ROUTH_SIM_HOP_H
#define ROUTH_SIM_HOP_H

#include <routh/kind.h>

typedef struct rh_hop {
  double rtol, atol; // of a stretch
  double longest;    // [s] that is tried: half of what failed last, growing from there
  double *y, *work;  // (room), (8 room)
  double *g0, *g1;   // guards (nguard)
  long steps, evaluations;
} rh_hop;

size_t rh_hop_room(const rh_flow *flow);                         // doubles
void rh_hop_open(const rh_flow *flow, double *room, rh_hop *hop);
// From where the flow stands to `end` if that meets the tolerance and no guard passes zero. False: nothing has changed.
bool rh_hop_to(rh_hop *hop, const rh_flow *flow, double end);

#endif
