// polyhedral.h: all motions of a small contact problem whose cones of friction are polyhedra
// (polyhedral.c).
#ifndef ROUTH_COMPLEMENT_POLYHEDRAL_H
#define ROUTH_COMPLEMENT_POLYHEDRAL_H

#include "complement/complement.h"

enum { RH_FACETS_MIN = 4, RH_FACETS_MAX = 16 }; // corners of the polygon of a cone: a multiple of 4

typedef struct rh_polyhedral { // rows t1, t2, n of each contact, as in rh_cone
  int n, facets;               // contacts, up to RH_EXAMINE_MAX
  const double *W, *b;         // (3n x 3n), (3n)
  const double *mu_s, *mu_k;   // friction at rest and in motion, mu_k <= mu_s (n)
  const double *slide;         // (2n) directions of contacts that slide already, else zero; NULL: none
  const double *axis;          // (2n) direction of the first corner of each polygon, of length 1
  const bool *flat;            // moves along its axis only: the polygon is a line (n)
  int tries;                   // linear programmes at most
} rh_polyhedral;

typedef struct rh_contact_motion {
  rh_mode mode[RH_EXAMINE_MAX]; // slip: plus where it moves along the axis, minus against it
  double p[3 * RH_EXAMINE_MAX]; // forces, of least norm
  double lo[3 * RH_EXAMINE_MAX], hi[3 * RH_EXAMINE_MAX]; // their ranges
  double a[3 * RH_EXAMINE_MAX];                          // accelerations
  double spread;                                         // sum of the ranges
  bool determinate;                                      // the forces are
} rh_contact_motion;

typedef struct rh_motion_count {
  int count;      // motions with different accelerations; the first `capacity` are listed
  bool continuum; // there are others between them
  bool complete;  // all combinations were examined; else there may be more
} rh_motion_count;

// Stops after `tries` programmes, or after the first motion beyond the capacity.
rh_motion_count rh_polyhedral_find(const rh_polyhedral *problem, double *scratch, rh_contact_motion *list,
                                   int capacity);
size_t rh_polyhedral_scratch(int n, int facets);

#endif
