// team_turns.h: the step of teams (src/stepping/lanes/team/team.h) on a processor: their threads take turns, each up to the next
// place where all of them wait. What a GPU does with the worlds of a batch, by such teams (gpu_turns.c).
#ifndef ROUTH_TESTS_TEAM_TURNS_H
#define ROUTH_TESTS_TEAM_TURNS_H

#include "contacts/lanes.h"
#include "stepping/lanes/table.h"
#include "stepping/lanes/team/team_table.h"

#include <stdint.h>

typedef struct team_turns { // a world
  int trees;
  const lane_table *table[LANE_TREES];
  const team_table *team[LANE_TREES];
  double *memory[LANE_TREES]; // of the sizes in the tables
  double *x;                  // its states
  uint64_t order; // of the turns: 0 first to last, 1 last to first, else by a sequence of numbers from there
  bool full;      // there was not memory for a step,
  bool hard;      // or sweeps did not solve it
} team_turns;

int team_turns_step(team_turns *turns, int steps); // up to so many steps; returns their number

// What a batch needs to step its worlds so: `kind` with a GPU that is not one.
typedef struct gpu_turns {
  uint64_t order;
  int contacts; // that there is memory for, at first
  long full;    // worlds that had more
  bool fails;   // its next part
} gpu_turns;
extern gpu_turns gpu_turns_now;
rh_lanes_kind gpu_turns_kind(const rh_lanes_kind *kind);

#endif
