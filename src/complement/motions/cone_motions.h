// cone_motions.h: all motions of a small contact problem (cone_motions.c), for engines and problems.
#ifndef ROUTH_COMPLEMENT_CONE_MOTIONS_H
#define ROUTH_COMPLEMENT_CONE_MOTIONS_H

#include "complement/motions/polyhedral.h"

#include <routh/model.h>

enum {
  RH_MOTIONS_LISTED = 16,
  RH_MOTIONS_TRIES = 20000 // linear programmes; some 0.5 s
};

typedef struct rh_motion_limits {
  int facets;   // corners of a polygon, a multiple of 4 up to RH_FACETS_MAX
  int contacts; // up to which a problem in space is examined; one in a plane up to RH_EXAMINE_MAX
} rh_motion_limits;

typedef struct rh_cone_motions {
  rh_motion_count found;
  int n;
  int facets;                      // of the polygons; 0: all contacts are flat, the cones are exact
  double axis[2 * RH_EXAMINE_MAX]; // of the polygon of each contact
  bool flat[RH_EXAMINE_MAX];       // it moves along its axis only
  rh_contact_motion motion[RH_MOTIONS_LISTED];
} rh_cone_motions;

// The axis along which contact i moves without contact forces, or along which it moves most easily.
// True: it moves along this axis only.
bool rh_cone_axis(const rh_cone *q, int i, double axis[2]);
// False: not examined; it has too many contacts. `mu_k`: friction of contacts that begin to slip (n).
// Scratch: rh_polyhedral_scratch.
bool rh_cone_motions_find(const rh_cone *q, const double *mu_k, rh_motion_limits limits,
                          double *scratch, rh_cone_motions *x);
// The listed motion nearest to accelerations u of the contacts (3n), and the largest difference
int rh_cone_motions_nearest(const rh_cone_motions *x, const double *u, double *apart);
// The motion that a choice takes; RH_NONE: none of those listed (springs that do not settle).
// `speed`: of the slip of each contact (n)
int rh_cone_motions_select(const rh_cone *q, const rh_cone_motions *x, const double *speed,
                           rh_select select);

#endif
