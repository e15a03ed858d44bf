// contact_decision.h: the accelerations of an island of rigid contacts as a complementarity
// problem.
#ifndef ROUTH_EVENT_CONTACT_DECISION_H
#define ROUTH_EVENT_CONTACT_DECISION_H

#include "rigid.h"

// Forces below this part of the largest in the island are zero.
#define RH_DECISION_NOTHING 1e-11
// Accelerations below this part of those without contact are zero.
#define RH_DECISION_STILL 1e-9

typedef struct rh_decision { // one island
  rh_data *d;
  int first, end;
  double *W, *b, *mu, *slide, *p, *u; // (9 n^2), (3 n), (n), (2 n), (3 n), (3 n)
  double *scratch;
} rh_decision;

int rh_decision_size(const rh_decision *x);
int rh_decision_slot(const rh_decision *x, int i);
const rh_model_contact *rh_decision_law(const rh_decision *x, int i);
void rh_decision_open(rh_data *d, int first, int end, bool anew, rh_decision *x);
bool rh_decision_slides(const rh_decision *x, int i);
double rh_decision_still(const rh_decision *x);
rh_verdict rh_decision_solve(rh_decision *x);

// ---- decision/motion_choice.c
// Counts the motions of a solved island, reports several of them and takes the one of run.select; the
// island is solved after it. False: not all motions are known (too many contacts or combinations, none
// found), or it has no friction.
bool rh_motions_examine(rh_sim *sim, rh_decision *x);

// ---- diagnosis.c
// Examines the solved problem of an island, which it leaves solved: free directions of its load, and
// other motions where its contacts can press against each other at will. Larger islands than
// RH_EXAMINE_MAX are not examined, and counted.
// `examined`: all motions are known.
void rh_diagnosis_island(rh_sim *sim, rh_decision *x, bool examined);

#endif
