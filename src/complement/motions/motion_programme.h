// motion_programme.h: the linear programme of one combination of how contacts move
// (motion_programme.c), for polyhedral.c.
#ifndef ROUTH_COMPLEMENT_MOTION_PROGRAMME_H
#define ROUTH_COMPLEMENT_MOTION_PROGRAMME_H

#include "complement/lp.h"
#include "polyhedral.h"

enum {
  RH_MOTION_ROWS = 3 * RH_EXAMINE_MAX,
  RH_MOTION_LEVELS = 2 * RH_EXAMINE_MAX,
  RH_MOTION_COLUMNS = RH_EXAMINE_MAX * (RH_FACETS_MAX + 2) + 1
};

typedef enum rh_motion_state { RH_STATE_OPEN, RH_STATE_SEPARATE, RH_STATE_TOUCH, RH_STATE_STICK, RH_STATE_CORNER, RH_STATE_SIDE } rh_motion_state;

typedef struct rh_motion_programme { // E x = e, x >= 0, of the present combination
  int m, n;
  double *E, *e;                 // (m x n), (m)
  double *x;                     // (n) a point of it; scratch before
  double *push;                  // (3 n) what a column is of the force of its contact
  int of[RH_EXAMINE_MAX + 1];    // first column of each contact
  int strict[RH_EXAMINE_MAX][2]; // columns that are not to be zero throughout; RH_NONE: none
} rh_motion_programme;

typedef struct rh_motion_search {
  const rh_polyhedral *q;
  int rows;
  double *A;
  double a0[RH_MOTION_ROWS];
  double force, rate; // units of the scaled forces and accelerations
  rh_motion_state state[RH_EXAMINE_MAX];
  int which[RH_EXAMINE_MAX];                   // corner or side
  double reach[RH_EXAMINE_MAX][RH_FACETS_MAX]; // of its acceleration, as far as is chosen
  rh_motion_programme now;
  rh_lp lp;
  double *scratch;
  int tries;
  bool complete;
} rh_motion_search;

static inline double rh_motion_dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Does contact i choose its friction? Number of corners of its polygon; their directions, and at
// halves the normals of the sides between.
bool rh_motion_chooses(const rh_polyhedral *q, int i);
int rh_motion_corners(const rh_polyhedral *q, int i);
void rh_motion_direction(const rh_polyhedral *q, int i, double k, double d[2]);
// The programme of the present states; acceleration r as a row over its columns
void rh_motion_programme_set(rh_motion_search *s);
void rh_motion_row(const rh_motion_search *s, int r, double *row);

#endif
