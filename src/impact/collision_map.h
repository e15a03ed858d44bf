// collision_map.h: the collision map of [CSC] (9) to (24): normal impulses at all contacts of a
// group at once, by equalities, in one call with bounded work and no iteration. Input: the
// contact-space inertia, the velocities of the contacts, e. Rows are contacts: u is the velocity at
// which the bodies recede (u < 0: they approach), p the impulse that drives them apart, u+ = u + W
// p.
// Split law ([CSC] 13, 14): a contact between two moving bodies is two rows, n'J_a of the one and
// -n'J_b of the other, in place of n'(J_a - J_b); both are chosen by the relative velocity
// (`approach`). It is passive, but does not keep momentum.
// Nothing allocates; the caller provides the scratch.
#ifndef ROUTH_IMPACT_COLLISION_MAP_H
#define ROUTH_IMPACT_COLLISION_MAP_H

#include "impact.h"

#define RH_COLLIDE_TOL 1e-12 // default of rank_tol

typedef enum rh_collide_select { // which contacts of the group take part; the others have p = 0
  RH_COLLIDE_STRICT,             // u < 0: [CSC]'s assumption (i)
  RH_COLLIDE_CLOSED,             // u <= closed: those at rest too
  RH_COLLIDE_ALL,
} rh_collide_select;

typedef enum rh_collide_rule { // velocities after, for different e; the rules agree for one e
  RH_COLLIDE_CLAMPED,          // u+ = -s E u, s <= 1 such that no energy is gained
  RH_COLLIDE_NAIVE,            // u+ = -E u: may gain energy
  RH_COLLIDE_SQRT,             // u+ = -W^1/2 E W^-1/2 u: gains none; an eigenvalue problem, so not for the hard loop
} rh_collide_rule;

typedef struct rh_collide_in {
  int n;                     // rows
  int nv;                    // degrees of freedom of the group: the rank is no larger. 0: not known
  const double *W;           // [1/kg] J D^-1 J' (n x n), symmetric, positive semidefinite
  const double *u;           // [m/s] J qd0 plus the prescribed motion (n)
  const double *e;           // restitution, -1 to 1 (n)
  const double *approach;    // [m/s] to select rows by (n); NULL: u
  const double *prescribed;  // [m/s] the part of u that is not J qd0: moving walls (n); NULL: none
  rh_collide_select select;
  double closed;             // [m/s] tolerance of RH_COLLIDE_CLOSED
  rh_collide_rule rule;
  double damping;            // [1/kg] lambda >= 0: p = (W + lambda 1)^-1 b (Tikhonov); 0: the pseudo-inverse
  double rank_tol;           // a row whose part outside the rows before is below this share of its W_ii depends on them; 0: default
} rh_collide_in;

typedef struct rh_collide_out {
  int chosen;       // rows that take part
  int rank;         // of their W; less than `chosen`: overdetermined
  int negative;     // impulses that pull (p < 0 by more than rounding): the equalities glue
  double scale;     // s of the clamped rule; 1: u+ = -E u
  double loss;      // [J] kinetic energy taken, -1/2 p'(u + u+), as seen from the walls
  // [J] the same by [CSC] (24)*: 1/2 (u'W^+u - u+'W^+u+), 1/2 (1 - e^2) u'W^+u for one e;
  // two routes to one number
  double loss_24;
  double driven;    // [J] work of prescribed walls: the kinetic energy changes by driven - loss
  // [m/s] largest difference to -s E u: prescribed motion, unequal e or damping can be infeasible;
  // then met by least squares
  double unmet;
  bool gained;      // loss < 0 by more than rounding
} rh_collide_out;

// True if row i takes part.
bool rh_collide_takes(const rh_collide_in *in, int i);

// p: the impulse of least norm, that of the pseudo-inverse: p = -W^+ (u + s E u), over the chosen rows; zero elsewhere. u_after:
// u + W p for all rows. Both (n). `room`: rh_collide_room(n, nv) doubles. False: something is not finite, p is zero.
bool rh_collide_map(const rh_collide_in *in, double *room, double *p, double *u_after, rh_collide_out *out);
size_t rh_collide_room(int n, int nv); // doubles

// W = J D^-1 J' from J and X = J D^-1, rows of nv (X: the rows of J through a solve with D); symmetric to the bit.
void rh_collide_matrix(int n, int nv, const double *J, const double *X, double *W);

// ---- Variants outside the hard loop: they iterate. Rule, damping and rank_tol are not read; rank and loss_24 are not given (zero).

// Contacts push only (Moreau): p >= 0, u+ >= -s e u, p zero where u+ is larger, over the chosen
// rows; s = 1 but where unequal e would gain energy (then the impulses of restitution are less, all
// in one proportion) or cannot be met at all (s = 0: plastic). Other contacts may then approach:
// call again. False: not found, p is zero.
bool rh_collide_unilateral(const rh_collide_in *in, double *room, double *p, double *u_after, rh_collide_out *out);
size_t rh_collide_unilateral_room(int n);

// With friction, by a formulation (multi_contact.def) with its parameters `par`: three rows t1, t2,
// n per contact, p and u_after (3n), scratch of the formulation. The same output without `driven`
// and `unmet`.
bool rh_collide_friction(const rh_many_in *in, const rh_formulation *form, const double *par, double *room, double *p,
                         double *u_after, rh_collide_out *out);

#endif
