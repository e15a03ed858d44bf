// cone_motions.h: all motions of a small contact problem in a plane (cone_motions.c), for engines and
// problems.
#ifndef ROUTH_COMPLEMENT_CONE_MOTIONS_H
#define ROUTH_COMPLEMENT_CONE_MOTIONS_H

#include "complement/complement.h"

#include <routh/model.h>

enum {
  RH_MOTIONS_MAX = 4,    // contacts that differ
  RH_MOTIONS_LISTED = 16 // motions
};

typedef struct rh_cone_motions {
  int count;      // motions with different accelerations
  bool continuum; // there are others between them
  int n;          // contacts that differ
  int first[RH_MOTIONS_MAX];  // of each, the first contact
  int of[RH_EXAMINE_MAX];     // of a contact: which of these it is
  double axis[2 * RH_EXAMINE_MAX]; // its tangent that moves, along t1 and t2
  double A[4 * RH_MOTIONS_MAX * RH_MOTIONS_MAX], a0[2 * RH_MOTIONS_MAX]; // rows n, t: a = A f + a0
  rh_modes_answer answer[RH_MOTIONS_LISTED];
} rh_cone_motions;

// False: not examined; it is not planar, or has too many contacts. `mu_k`: friction of contacts
// that begin to slip (n).
bool rh_cone_motions_find(const rh_cone *q, const double *mu_k, double *room, rh_cone_motions *x);
size_t rh_cone_motions_room(void);
// Forces (3n) of a listed motion, in equal shares for equal contacts; accelerations of its contacts,
// rows n, t of those that differ (2 x->n)
void rh_cone_motions_forces(const rh_cone *q, const rh_cone_motions *x, int which, double *p);
void rh_cone_motions_rates(const rh_cone_motions *x, int which, double *a);
// The listed motion nearest to accelerations u of the contacts (3n), and the largest difference
int rh_cone_motions_nearest(const rh_cone_motions *x, const double *u, double *apart);
// The motion that a choice takes; RH_NONE: none of those listed (springs that do not settle).
// `speed`: of the slip of each contact (n)
int rh_cone_motions_select(const rh_cone *q, const double *mu_k, const rh_cone_motions *x,
                           const double *speed, rh_select select);

#endif
