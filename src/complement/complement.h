// complement.h: complementarity problems, their solvers and the one residual of their solutions
// (L2). Matrices are row major; nothing allocates; the caller provides the scratch. A solver
// reports "solved" only within the tolerance.
#ifndef ROUTH_COMPLEMENT_COMPLEMENT_H
#define ROUTH_COMPLEMENT_COMPLEMENT_H

#include "blocks.h"

#include <routh/kind.h>

// ---- Problems

typedef struct rh_lcp { // z >= 0, w = A z + b >= 0, z'w = 0
  int n;
  const double *A; // (n x n)
  const double *b; // (n)
} rh_lcp;

typedef struct rh_qp { // least 1/2 z'Hz + g'z with z >= 0; H symmetric, positive semidefinite ([WK] 2.6, 2.11-2.13)
  int n;
  const double *H; // (n x n)
  const double *g; // (n)
} rh_qp;

// Contact with Coulomb friction in a cone. For each of n contacts three rows t1, t2, n: u = W p + b. On each contact
// p_n >= 0, |p_t| <= mu p_n; u_n >= 0, p_n u_n = 0; and p_t = -mu p_n u_t/|u_t| where u_t is not 0.
// A contact that slides already along s has p_t = -mu p_n s whatever u_t is.
typedef struct rh_cone {
  int n;
  const double *W;     // (3n x 3n) symmetric, positive semidefinite
  const double *b;     // (3n)
  const double *mu;    // (n)
  const double *slide; // (2n) unit direction s of each contact that slides, zero for the others; NULL: none slides
} rh_cone;

typedef enum rh_verdict {
  RH_VERDICT_SOLVED, // the residual is within the tolerance
  RH_VERDICT_NONE,   // proved to have no solution
  RH_VERDICT_FAILED, // the solver failed; z is its best
} rh_verdict;

// ---- Residual: the worst violation of any condition, relative to the size of the problem's data
// (max |b|, or 1 if b is zero) for rows of w or u, and to that over the diagonal for z and p. Zero
// for an exact solution.

double rh_lcp_residual(const rh_lcp *problem, const double *z);
double rh_qp_residual(const rh_qp *problem, const double *z);
double rh_cone_residual(const rh_cone *problem, const double *p);

// ---- Solvers as rows (solvers.def). A row solves the kinds of problem it has functions for.

typedef struct rh_solver {
  rh_row row;                          // parameters: tolerance and the like
  size_t (*room)(int n);               // doubles; n unknowns (LCP, QP) or n contacts (cone)
  rh_verdict (*lcp)(const rh_lcp *problem, const double *par, double *room, double *z);
  rh_verdict (*qp)(const rh_qp *problem, const double *par, double *room, double *z);
  // p: start, then solution
  rh_verdict (*cone)(const rh_cone *problem, const double *par, double *room, double *p);
  // Many contacts (blocks.h): par[0], the tolerance, is in m/s here. `entries`: 3x3 entries of W. p
  // (3n): start, then solution.
  rh_verdict (*blocks)(const rh_blocks *problem, const double *par, double *room, double *p, rh_blocks_report *report);
  size_t (*blocks_room)(int n, int entries); // doubles
} rh_solver;

const rh_solver *const *rh_solver_table(int *count);
const rh_solver *rh_solver_find(const char *name);
extern const rh_solver rh_solver_active_set, rh_solver_alart_curnier, rh_solver_gauss_seidel; // rows that other folders call by themselves

// ---- Beyond one solution

// Minimal norm z >= 0 among all z with A z = A z0 for the solution z0 of a problem (dependent
// constraints: forces are not unique, their effect is), z_i = 0 where w_i > 0; and the range of
// each z_i over that set (hi may be infinite).
// `lo`, `hi`: NULL, not wanted. Returns the number of directions in which z is free (0: z is
// unique).
int rh_lcp_share(const rh_lcp *problem, const double *z0, double *room, double *z, double *lo, double *hi);
size_t rh_lcp_share_room(int n);

// Solutions of a small problem that differ in w, counted up to RH_COUNT_MOST; RH_NONE: it has more
// than RH_COUNT_MAX rows.
enum { RH_COUNT_MAX = 8, RH_COUNT_MOST = 4 };
int rh_lcp_count(const rh_lcp *problem, double *room);
size_t rh_lcp_count_room(int n);

// ---- Forces without effect (count_solutions.c), of up to RH_EXAMINE_MAX contacts

enum { RH_EXAMINE_MAX = 12 };

// Forces f (3n) in the cones that do nothing, the sum of their normal parts 1: contacts that press
// against each other at will, as a block in a slot. False: there are none, or no contact chooses its
// friction.
bool rh_cone_wedge(const rh_cone *problem, double *room, double *f);
// Directions in which the forces p of a solution, accelerations u, can change without effect and
// stay within their cones; contacts that touch without a force count if they could carry.
// Accelerations up to `still` are zero.
int rh_cone_free(const rh_cone *problem, const double *p, const double *u, double still,
                 double *room);
size_t rh_cone_free_room(int n); // of both
// Further directions, besides the `free` ones: loads of sliding contacts that keep them closed but move the bodies otherwise, as
// where contacts of one body rub along different directions. 0 where a contact chooses its direction.
int rh_cone_moving(const rh_cone *problem, const double *p, int free, double *room);
size_t rh_cone_moving_room(int n);

// How a contact with friction continues (motions/polyhedral.h)
typedef enum rh_mode { RH_MODE_SEPARATE, RH_MODE_STICK, RH_MODE_SLIP_PLUS, RH_MODE_SLIP_MINUS } rh_mode;

// Parameters that several solvers have
// clang-format off
#define RH_PARAM_RESIDUAL                                                                          \
  {.name = "tolerance", .unit = "m/s", .def = 1e-9, .lo = 1e-300, .hi = 1, .doc = "residual that is accepted"}
#define RH_PARAM_RELATIVE_RESIDUAL(value, what)                                                    \
  {.name = "tolerance", .unit = "1", .def = (value), .lo = 1e-15, .hi = 1e-2,                      \
   .doc = "residual that is accepted, relative to the largest " what}
#define RH_PARAM_STEPS(key, value, text)                                                           \
  {.name = (key), .unit = "1", .def = (value), .lo = 1, .hi = 1e8, .doc = text}
// clang-format on

#endif
