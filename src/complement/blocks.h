// blocks.h: many contacts at once, block by block, with the residual of solutions. The problem of a
// time step: u = W p + b, u velocities and p impulses. A block is a contact (three rows t1, t2, n),
// three rows that are held, or one row.
// W is kept as the 3x3 entries that are not zero. A block of one row uses the first place of its
// three: the other rows and columns of its entries, of its b and of its p are zero.
#ifndef ROUTH_COMPLEMENT_BLOCKS_H
#define ROUTH_COMPLEMENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rh_block_kind {
  RH_BLOCK_CONE,  // rows t1, t2, n: p_n >= 0, |p_t| <= mu p_n; u_n >= 0, p_n u_n = 0; p_t = -mu p_n u_t/|u_t| where u_t != 0
  RH_BLOCK_BALL,  // three rows: u = 0
  RH_BLOCK_LOW,   // one row: p >= 0, u >= 0, p u = 0
  RH_BLOCK_EQUAL, // one row: u = 0
  RH_BLOCK_BOX,   // one row: |p| <= limit, p = -limit u/|u| where u != 0
} rh_block_kind;

typedef struct rh_blocks {
  int n;                     // blocks
  const rh_block_kind *kind; // (n)
  const double *limit;       // (n) mu [1] of a cone, limit [N s] of a box; unused by the others
  const int *start;          // (n + 1) entries of block row i: start[i] .. start[i+1] - 1
  const int *col;            // (entries) block columns, ascending in a row, the diagonal among them
  const double *W;           // [1/kg] (entries x 3 x 3) both triangles; symmetric, positive semidefinite (nearly: see solvers.md)
  const double *b;           // [m/s] (3n)
} rh_blocks;

typedef struct rh_blocks_report {
  const char *row;  // name of the solver that found the solution
  double residual;  // [m/s] of p
  int iterations;   // sweeps, gradient steps or Newton steps, of all solvers that ran
  int factors;      // matrices that were factorised
} rh_blocks_report;

static inline int rh_block_rows(rh_block_kind kind)
{
  return kind == RH_BLOCK_CONE || kind == RH_BLOCK_BALL ? 3 : 1;
}

// ---- Residual: the worst violation of any condition of any block [m/s]; infinite where a number
// is not finite. The natural map of each block: min(u, d p), and d |p - proj(p - u/d)| on the disc
// or the box, d [1/kg] the block's unit.

double rh_blocks_residual(const rh_blocks *problem, const double *p);
double rh_block_judge(const rh_blocks *problem, int i, double d, const double *p, const double *u); // of block i: p, u (3)
double rh_block_unit(const rh_blocks *problem, int i);                   // the lesser of its largest entry along tangents and along the normal, or 1
void rh_block_rows_of(const rh_blocks *problem, int i, const double *p, double u[3]); // u of block i
void rh_blocks_velocity(const rh_blocks *problem, const double *p, double *u);        // W p + b (3n)

// Reports an error in the shape of a problem (columns, diagonals, limits, numbers); NULL: none.
const char *rh_blocks_check(const rh_blocks *problem);

// ---- Uniqueness, near a solution. At fixed velocities a sticking contact may change all of its
// impulse, a sliding one only its size, an open one nothing: C. Where C'WC has less rank than rows
// the impulses can be shared in more than one way. The velocities are unique near the solution if
// the linearised problem has no further freedom.

typedef struct rh_blocks_rank {
  int rows, rank;         // of C'WC
  int open, stick, slip;  // blocks; held ones stick, those at their limit are open
  int inert;              // rows without motion, as across a planar joint; they lower the rank
  bool impulses_unique;   // rank == rows
  bool velocities_unique; // no other solution near this one has another u
} rh_blocks_rank;

// False: the fill of the factor exceeds rh_blocks_rank_room, nothing is known.
// `shared` (n; NULL: not requested): the blocks whose impulses are not unique, except along inert
// rows.
bool rh_blocks_unique(const rh_blocks *problem, const double *p, double *room, rh_blocks_rank *rank, bool *shared);
size_t rh_blocks_rank_room(int n, int entries);

#endif
