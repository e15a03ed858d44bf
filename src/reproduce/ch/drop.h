// drop.h: impacts of a falling block, as sampled by ch/drop.c.
#ifndef ROUTH_REPRODUCE_CH_DROP_H
#define ROUTH_REPRODUCE_CH_DROP_H

#include "ch.h"

enum { RH_CH_HITS = 40 };

typedef struct rh_ch_hit { // world axes
  double t;                // [s]
  int points;
  rh_vec3 arm;           // [m] the first contact, from the centre of mass
  rh_vec3 before, after; // [m/s] its velocity
  rh_vec3 p;             // [N s] of all contacts
  rh_vec3 com, v, w;     // [m], [m/s], [rad/s] after
  rh_quat q;
  const char *path; // of a single contact
} rh_ch_hit;

typedef struct rh_ch_fall {
  int n;
  rh_ch_hit hit[RH_CH_HITS];
} rh_ch_fall;

#endif
