// problem_group.h: a contact group as numbers, D, J and velocities, and its collision
// (problem_group.c); shared by the kinds of problem on the collision map of [CSC].
#ifndef ROUTH_PROBLEMS_PROBLEM_GROUP_H
#define ROUTH_PROBLEMS_PROBLEM_GROUP_H

#include "impact/collision_map.h"
#include "problem_matrix.h"

enum { RH_GROUP_CONTACTS = 200, RH_GROUP_RUNS = 100 }; // rows of J; values of e

typedef struct rh_group { // all zero: empty
  // Given: inertia and its Cholesky factor (nv x nv), directions of the contacts (n x nv), velocities before (nv)
  rh_block D, L, J, v;
  // Made: J D^-1, J D^-1 J', J v
  rh_block X, W, u;
  // Of the last collision: e (n; the kind sets it), impulses, velocities of contacts and of the group after
  rh_block e, p, after, qd;
  rh_block room;
} rh_group;

// Inputs D, J, qd0.
bool rh_group_read(const rh_inputs *in, rh_group *group);
bool rh_group_make(rh_group *group); // after D, L, J, v are set; false: out of memory
void rh_group_free(rh_group *group);
// One e for all contacts.
void rh_group_set_e(rh_group *group, double e);
// The collision; uses the selection, rule and damping of `how`. Refuses results that are not
// finite.
rh_status rh_group_collide(const rh_inputs *in, rh_group *group, rh_collide_in how, rh_collide_out *out);
double rh_group_energy(const rh_group *group, const double *v); // [J] 1/2 v'Dv
// A list of values of e in [-1, 1]; one number alone is a list too.
bool rh_input_restitutions(const rh_inputs *in, const char *name, rh_block *e);

// clang-format off: tables
#define RH_GROUP_INPUTS                                                                                                   \
  {.name = "D", .unit = "kg, kg m, kg m^2", .type = RH_TEXT,                                                              \
   .doc = "inertia of the group: nv rows of nv numbers, symmetric, positive definite"},                                   \
  {.name = "J", .unit = "1, m", .type = RH_TEXT,                                                                          \
   .doc = "the contacts' Jacobian: n rows of nv numbers; v_n = J qd, negative where bodies approach"},                    \
  {.name = "qd0", .unit = "m/s, rad/s", .type = RH_LIST, .doc = "velocities before (nv)"}
// clang-format on

#endif
