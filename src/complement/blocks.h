// blocks.h: many contacts at once, block by block, with the judge of the answers. The problem of a step of time stepping:
// u = W p + b, u velocities and p impulses. A block is a contact (three rows t1, t2, n), three rows that are held, or one row.
// W is kept as the 3x3 entries that are not zero. A block of one row uses the first place of its three: what stands in
// the other rows and columns of its entries, in its b and in its p is zero.
#ifndef ROUTH_LCP_BLOCKS_H
#define ROUTH_LCP_BLOCKS_H

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
  const double *limit;       // (n) mu [1] of a cone, limit [N s] of a box; of no meaning to the others
  const int *start;          // (n + 1) entries of block row i: start[i] .. start[i+1] - 1
  const int *col;            // (entries) block columns, ascending in a row, the diagonal among them
  const double *W;           // [1/kg] (entries x 3 x 3) both triangles; symmetric, positive semidefinite (nearly: see solvers.md)
  const double *b;           // [m/s] (3n)
} rh_blocks;

typedef struct rh_blocks_report {
  const char *row;  // name of the row that found the answer
  double residual;  // [m/s] the judge's
  int iterations;   // sweeps, gradient steps or Newton steps, of all rows that were asked
  int factors;      // matrices that were factorised
} rh_blocks_report;

static inline int rh_block_rows(rh_block_kind kind)
{
  return kind == RH_BLOCK_CONE || kind == RH_BLOCK_BALL ? 3 : 1;
}

// ---- The judge: the worst violation of any condition of any block [m/s]; infinite where a number is not finite. The
// natural map of each block: min(u, d p), and d |p - proj(p - u/d)| on the disc or the box, d [1/kg] the block's unit.

double rh_blocks_residual(const rh_blocks *problem, const double *p);
double rh_block_judge(const rh_blocks *problem, int i, double d, const double *p, const double *u); // of block i: p, u (3)
double rh_block_unit(const rh_blocks *problem, int i);                   // the lesser of its largest entry along tangents and along the normal, or 1
void rh_block_rows_of(const rh_blocks *problem, int i, const double *p, double u[3]); // u of block i
void rh_blocks_velocity(const rh_blocks *problem, const double *p, double *u);        // W p + b (3n)

// What is wrong with the shape of a problem (columns, diagonals, limits, numbers), in words; NULL: nothing.
const char *rh_blocks_check(const rh_blocks *problem);

// ---- Uniqueness, near an answer. With the velocities as they are a contact that sticks may change all of its impulse, one that
// slides only its size, one that is open nothing: C. Where C'WC has less rank than rows the impulses can be shared in more
// than one way. The velocities are unique near the answer where the linearised problem has no freedom beyond that.

typedef struct rh_blocks_rank {
  int rows, rank;         // of C'WC
  int open, stick, slip;  // blocks; what is held sticks, what is at its limit is open
  int inert;              // rows that nothing moves along, as across the plane of a planar joint: part of what is missing of the rank
  bool impulses_unique;   // rank == rows
  bool velocities_unique; // no other answer near this one has another u
} rh_blocks_rank;

// False: the factor found no room (its fill is over the bound of rh_blocks_rank_room), nothing is known.
// `shared` (n; NULL: it is not asked): the blocks whose impulses are not unique, but along rows that are inert.
bool rh_blocks_unique(const rh_blocks *problem, const double *p, double *room, rh_blocks_rank *rank, bool *shared);
size_t rh_blocks_rank_room(int n, int entries);

#endif
