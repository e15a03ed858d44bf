// patch_bodies.h: what the problems on two elastic bodies share: inputs body1, body2, profile; the
// grid in cells; errors over grids of several sizes.
#ifndef ROUTH_PROBLEMS_PATCHES_PATCH_BODIES_H
#define ROUTH_PROBLEMS_PATCHES_PATCH_BODIES_H

#include "problem_patch.h"
#include "halfspace/profiles.h"

typedef struct rh_patch_bodies { // all zero: closed
  rh_elastic_pair pair;
  rh_profile profile;
  bool round;               // a closed form exists: `contact` has it
  rh_round_contact contact;
} rh_patch_bodies;

// Reads body1 and body2, and where `with_profile` is set the profile. Reports errors. Close it in any case.
bool rh_patch_bodies_open(const rh_inputs *in, bool with_profile, rh_patch_bodies *b);
// Closed form at an approach or, where that is 0, at a load.
bool rh_patch_bodies_place(const rh_inputs *in, double approach, double load, rh_patch_bodies *b);
void rh_patch_bodies_close(rh_patch_bodies *b);

// Gaps of n x n cells of the side h [m] (ncell)
void rh_patch_bodies_gap(const rh_patch_bodies *b, int n, double h, double *gap);

// Gaps [m] of n x n cells from the CSV file that the node names, row by row (gap_file.c); `*gap` is
// freed with rh_free. Reports errors.
bool rh_gap_file_read(const rh_inputs *in, int node, double **gap, int *count);

#define RH_LEVELS_MAX 8

// Cells along a side at level k of n: the last has n, each one before it 1 / sqrt(2) of the next.
int rh_level_cells(int n, int levels, int k);
// Slope of log error over log h by least squares; errors of zero are left out. NaN: fewer than two.
double rh_level_order(int levels, const double *h, const double *error);

// Inputs of several kinds
#define RH_PATCH_BODY1                                                                             \
  {                                                                                                \
    .name = "body1", .unit = "1", .type = RH_TEXT, .doc = "the lower body: {E, nu}"                \
  }
#define RH_PATCH_BODY2                                                                             \
  {                                                                                                \
    .name = "body2", .unit = "1", .type = RH_TEXT,                                                 \
    .doc = "the upper body: {E, nu}; default: rigid"                                               \
  }
#define RH_PATCH_PROFILE                                                                           \
  {                                                                                                \
    .name = "profile", .unit = "1", .type = RH_TEXT,                                               \
    .doc = "gap between the bodies: {kind: sphere|power|cone|flat|socket|table|gap, ...}"          \
  }
#define RH_PATCH_WIDE                                                                              \
  {                                                                                                \
    .name = "half_width", .unit = "m", .def = 0, .lo = 0, .hi = 1e9,                               \
    .doc = "of the patch; default: 1.2 of the contact radius in closed form"                       \
  }
#define RH_PATCH_LEVELS                                                                            \
  {                                                                                                \
    .name = "levels", .unit = "1", .def = 1, .lo = 1, .hi = RH_LEVELS_MAX,                         \
    .doc = "grids, each finer by sqrt 2, the last with n cells; default: 1", .type = RH_INTEGER    \
  }

#endif
