// round_patch.h: friction under a round body in motion, as rates: the contact of Hertz is divided
// into cells that move with it, each with friction of its own and a displacement that is a state.
// Nothing allocates.
#ifndef ROUTH_HALFSPACE_ROUND_PATCH_H
#define ROUTH_HALFSPACE_ROUND_PATCH_H

#include "tractions.h"

enum { RH_ROUND_SIDE = 8, RH_ROUND_CELLS = 52 }; // across the contact; within its circle

typedef struct rh_round_motion {
  rh_elastic_pair pair;  // body 1 is the one that does not have the slip
  double mu;
  double rho;            // [m] radius over which friction averages the pressure; 0: local
  double normal;         // [N] >= 0
  double a, growth;      // [m] > 0 radius of the contact, [m/s] its rate
  double slip[2], spin;  // [m/s], [rad/s] of the body over the other
  double roll[2];        // [m/s] of the contact over the surfaces
  double relax;          // [1/s] at which a cell above its limit follows
  const double *w;       // [m] displacements of the cells along the surface (RH_ROUND_CELLS x 2)
} rh_round_motion;

typedef struct rh_round_forces {
  double force[2], torque; // [N], [N m] on the body
  double stored;           // [J]
  double p_spring, p_lost, p_slide; // [W] -force.slip - torque spin is their sum: in the cells, left with the surface, by sliding
  double margin;           // [N] > 0: a cell sticks
  double rate[2 * RH_ROUND_CELLS]; // [m/s] of w
} rh_round_forces;

// False: numbers that are not finite; all forces are then not numbers.
bool rh_round_friction(const rh_round_motion *in, rh_round_forces *out);

#endif
