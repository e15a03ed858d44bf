// problem_psi.h: nonholonomic rows Psi qdot = 0 as an input of problems on mechanisms. They are
// eliminated: qdd = N z + p with an orthonormal basis N of the motions that the rows allow, and p
// the acceleration that they require, Psi p = -psidot. What is solved is the mechanism in z, with the
// inertia N' M N: every method that works on mass matrices respects the rows.
#ifndef ROUTH_PROBLEMS_PROBLEM_PSI_H
#define ROUTH_PROBLEMS_PROBLEM_PSI_H

#include "problem_matrix.h"

typedef struct rh_psi { // all zero: no rows
  rh_block Psi;         // as given (rows x nv)
  rh_block N;           // (nv x (nv - rank))
  rh_block p;           // (nv)
  rh_block Q, R;        // orthonormal rows, Psi = R Q (rank x nv), (rows x rank)
  int rank;
  rh_block M, b;        // those of the mechanism: the problem's are replaced
} rh_psi;

// Reads Psi and psidot of a mechanism with nv velocities; psidot may be absent, and NULL as a name.
// Refuses rows that contradict one another or leave no motion. True without rows.
bool rh_psi_read(const rh_inputs *in, int nv, const char *psidot, rh_psi *psi);
void rh_psi_free(rh_psi *psi);
// M (nv x nv) and its factor, forces b (nv) become those in z. False: out of memory.
bool rh_psi_reduce(rh_psi *psi, rh_block *M, rh_block *L, rh_block *b);
// Directions G, one column each, become those in z; g (may be NULL) gets the part of p.
bool rh_psi_reduce_columns(const rh_psi *psi, rh_block *G, double *g);
// qdd (nv) from z; and the forces of the rows under the other forces f = b + contact forces (nv);
// those of dependent rows are 0.
void rh_psi_expand(const rh_psi *psi, const double *z, double *qdd);
void rh_psi_forces(const rh_psi *psi, const double *qdd, const double *f, double *mu);
// x = N (N' M N)^-1 N' y, from the factor L of N' M N; `work` (nv)
void rh_psi_respond(const rh_psi *psi, const rh_block *L, const double *y, double *work, double *x);

#define RH_INPUT_PSI                                                                               \
  {                                                                                                \
    .name = "Psi", .unit = "1, m", .type = RH_TEXT,                                                \
    .doc = "nonholonomic constraints Psi qdot = 0: rows of nv numbers; default: none"              \
  }
#define RH_INPUT_PSIDOT                                                                            \
  {                                                                                                \
    .name = "psidot", .unit = "m/s^2", .type = RH_LIST,                                            \
    .doc = "(dPsi/dt) qdot, one number per row of Psi; default: 0"                                 \
  }
#define RH_OUTPUT_PSI                                                                              \
  {"rank_Psi", "1", "", "independent rows of Psi (only with Psi)"}

#endif
