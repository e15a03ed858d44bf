// team_table.h: what threads of a team need beside the table of lanes: who does what, and where numbers lie in the memory
// of a world.
#ifndef ROUTH_STEPPING_LANES_TEAM_TABLE_H
#define ROUTH_STEPPING_LANES_TEAM_TABLE_H

#include "stepping/lanes/table.h"

#include <stdint.h>

enum {
  TEAM_LEVELS = 24,
  TEAM_LIST = 8,    // numbers of a quarter of a sum along a path
  TEAM_PATH_RUNS = 4,
  TEAM_TRIANGLE = LANE_DEEP * (LANE_DEEP + 1) / 2,
  TEAM_KIN = 25,    // doubles from one body's to the next one's
  TEAM_AXIS = 7,
  TEAM_MASS = 9,
  TEAM_ROW = 33,
};

typedef struct team_list { // a quarter of a sum along a path
  uint8_t n;
  uint8_t dof[TEAM_LIST], at[TEAM_LIST]; // degree of freedom, place on the path
} team_list;

typedef struct team_bodies { // of the tree
  uint8_t level[TEAM_LEVELS + 1]; // first body of a level in `order`
  uint8_t order[LANE_BODIES];
  int8_t parent[LANE_BODIES];
} team_bodies;

typedef struct team_pairs { // of ancestors
  uint8_t first[TEAM_TRIANGLE], second[TEAM_TRIANGLE];
} team_pairs;

typedef struct team_squares { // quarters of z z
  uint8_t n[4], dof[4][LANE_DOFS];
} team_squares;

typedef struct team_table {
  int nbody, ndof, nq, npair, nrule, nentry, nwork;
  int rows;   // contacts that there is memory for
  int deep;   // degrees of freedom on the longest path, odd
  int levels; // of the tree
  // Where numbers lie; those of the contacts' paths where bodies were
  int kin, S, Ic, f, trig, reach, axis, L, iL, z, force, joint, v, next_v, q, xv, next_q, row, Y;
  int size; // doubles of a world
  team_bodies bodies;
  double mass[LANE_BODIES]; // with all that a body carries
  uint16_t row_at[LANE_DOFS];
  uint8_t depth[LANE_DOFS];
  uint8_t ancestor[LANE_ENTRIES], entry[LANE_ENTRIES]; // of a number of the factor: its columm and its row
  uint8_t quarter[LANE_ENTRIES]; // of sums run by run; 4: the last one of a run
  team_pairs pairs;
  team_list path[LANE_BODIES][4];
  team_squares energy;
} team_table;

#ifdef __cplusplus
extern "C"
#endif
    // With memory for `rows` contacts. False: the model is not one for teams.
    bool rh_team_fill_table(const lane_table *from, int rows, team_table *to);

#endif
