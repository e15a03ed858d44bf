// tractions.h: two elastic bodies that touch along a patch of cells, with pressures and tangential
// tractions that act on one another ([WK] eq. 4.3* and 4.4 with all four influence functions), and
// friction held cell by cell with its history ([WK] eq. 4.5*). Nothing allocates; the caller
// provides the scratch. Forces are those on body 1, displacements those of body 1 less those of
// body 2, of which normal ones count into the bodies; x and y lie in the surface.
//
// All are without units: a cell has the side 1, E* is 1. Displacements in a unit L then belong to
// forces in the unit E* h L (a line: E* L per metre).
#ifndef ROUTH_HALFSPACE_TRACTIONS_H
#define ROUTH_HALFSPACE_TRACTIONS_H

#include "halfspace.h"

// ---- Constants of two bodies (materials.c)

typedef struct rh_elastic_pair {
  double Estar; // [Pa] 1 / E* = sum of (1 - nu^2) / E
  double shear; // E* times the sum of nu (1 + nu) / E; nu / (1 - nu) for one body or equal ones
  double beta;  // Dundurs' second constant: E* / 4 times (1 - 2 nu1) / G1 - (1 - 2 nu2) / G2
} rh_elastic_pair;

// Moduli [Pa] and Poisson's ratios; an infinite modulus is a rigid body, at most one of the two.
rh_elastic_pair rh_elastic_pair_of(const double E[2], const double nu[2]);

// ---- Influence of a cell (influence.c) at the distance x, y [cells]; a strip: at x, counted from
// the displacement at the distance `datum`. `shear` as above.

#define RH_QUARTER_MAX 16

typedef enum rh_influence_part {
  RH_INFLUENCE_XX, // along x under a force along x
  RH_INFLUENCE_YY,
  RH_INFLUENCE_XY, // along x under a force along y, and the other way round
  RH_INFLUENCE_NN,
  RH_INFLUENCE_XN, // over beta: into the bodies under a force along x; along x under a normal one it is minus this
  RH_INFLUENCE_YN,
  RH_INFLUENCE_PARTS
} rh_influence_part;

double rh_influence_cell(rh_influence_part part, double x, double y, double shear);
// XX and XY for x and y = 0 to n - 1, at most RH_QUARTER_MAX: rows of n with the same y
void rh_influence_quarter(int n, double shear, double *along, double *across);
double rh_influence_strip(rh_influence_part part, double x, double datum, double shear);

// ---- Influence of all tractions at once (convolution.c): sums over all cells by fast transforms.

enum { RH_ALONG_X, RH_ALONG_Y, RH_NORMAL, RH_DIRECTIONS };

typedef enum rh_coupling {
  RH_COUPLING_NONE,    // pressures and tractions do not act on one another
  RH_COUPLING_ONE_WAY, // pressures move the surface along; tractions do not lift it (Goodman 1962)
  RH_COUPLING_FULL
} rh_coupling;

typedef struct rh_convolution {
  int nx, ny;           // cells
  int px, py;           // powers of two, large enough that the ends do not meet
  double beta;
  double *spectrum[RH_INFLUENCE_PARTS]; // real, of XN and YN imaginary (py x px)
  double *field[4];     // (py x px) complex
  double *root;         // roots of unity (px or py, the larger one), complex
} rh_convolution;

// Doubles of memory.
size_t rh_convolution_size(int nx, int ny);
// ny = 1: strips of a half-plane, with the width of the patch as datum.
void rh_convolution_open(rh_convolution *c, int nx, int ny, const rh_elastic_pair *pair,
                         double *memory);
// out := C in, each of three directions (nx x ny cells); NULL: zero, or not needed.
void rh_convolution_apply(const rh_convolution *c, const double *const in[RH_DIRECTIONS],
                          double *const out[RH_DIRECTIONS]);

// ---- Tangential forces within limits (slip_solve.c): least 1/2 q'Tq - q'd, |q_i| <= limit_i.

typedef struct rh_slip_task {
  const double *drive[2]; // d (ncell each)
  const double *limit;    // (ncell)
  double tol;             // worst slip of a cell that should stick, over the largest |d|
} rh_slip_task;

size_t rh_slip_room(int ncell);
rh_patch_result rh_slip_solve(const rh_convolution *c, const rh_slip_task *task, double *room,
                            double *const q[2]);

// ---- A contact with memory (traction_step.c)

typedef struct rh_traction_result {
  bool solved;
  int rounds;        // of pressures and tractions in turn
  double approach;
  double P, Q[2];    // sums of the forces
  double moment;     // of q about the middle of the patch, in sides of a cell
  int cells, stick;  // in contact, and those of them that friction holds
} rh_traction_result;

typedef struct rh_tractions {
  rh_patch patch;           // normal influence
  rh_convolution influence;
  rh_coupling coupling;
  double mu;
  const double *mollifier;  // (ny x (2 nx - 1)) as a kernel; NULL: friction is local
  const double *gap;        // (ncell) between the undeformed bodies
  double *p, *q[2];         // forces (ncell each)
  double *u[2];             // displacements along the surface (ncell each)
  double *room;
  double tol;
  rh_traction_result last;    // result of the last step
  double load;              // of the last step
  double largest;           // pressure of a cell in any step
} rh_tractions;

typedef struct rh_traction_move {
  bool by_load;           // the load is given, and the approach follows; else the other way round
  double approach, load;
  const double *shift[2]; // by how much body 2 moves over body 1 in this step (ncell each)
  int roll;               // cells by which the surface moves through the patch towards -x
} rh_traction_move;

size_t rh_tractions_size(int nx, int ny);
// Sets all but coupling, mu, mollifier, gap, tol; forces and displacements are zero. Must not be
// copied afterwards.
void rh_tractions_open(rh_tractions *t, int nx, int ny, const rh_elastic_pair *pair, double *memory);
rh_traction_result rh_tractions_step(rh_tractions *t, const rh_traction_move *move);

// Mollifier of Oden and Pires (1983): exp(rho^2 / (r^2 - rho^2)) within the radius rho [cells],
// with the sum 1 over all cells; at rho < 1 a cell sees only itself.
void rh_mollifier(int nx, int ny, double rho, double *kernel);
// out := kernel in
void rh_mollify(int nx, int ny, const double *kernel, const double *in, double *out);

#endif
