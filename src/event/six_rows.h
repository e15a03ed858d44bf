// six_rows.h: private to the forces of rigid contacts: rows of six numbers, and turning them.
#ifndef ROUTH_EVENT_SIX_ROWS_H
#define ROUTH_EVENT_SIX_ROWS_H

enum { RH_SIX = 6 };

typedef double rh_six[RH_SIX];

// Turns n > 6 rows so that only the first six remain, which are triangular: Householder's reflectors are stored below.
void rh_six_turn(int n, rh_six *E, double *tau);
// Applies reflector k of turned rows to x (n).
void rh_six_reflect(int n, const rh_six *E, const double *tau, int k, double *x);

#endif
